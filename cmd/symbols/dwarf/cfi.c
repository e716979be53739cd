/* cfi.c - see cfi.h. */
#include "config.h"

#include "cfi.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/base/search.h"
#include "read.h"
#include "symbols/elf/object.h"
#include "symbols/elf/section.h"

/* Bytes of a common entry before its instructions: some 40 with a pointer. */
#define MAX_HEAD 128

struct walk {
	const uint8_t *data;
	size_t n;
	uint64_t address; /* of data */
	bool big_endian;
	uint8_t word; /* bytes of an address */
};

/* Read a number in one of the encodings DW_EH_PE_*; at is the offset where data
 * begins. */
static uint64_t
read_pointer(const struct walk *w, struct cursor *c, uint8_t encoding)
{
	uint64_t place = w->address + (uint64_t)(c->p - w->data), v;

	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
		v = cursor_number(c, w->word);
		break;
	case DW_EH_PE_uleb128:
		v = cursor_uleb(c);
		break;
	case DW_EH_PE_sleb128:
		v = (uint64_t)cursor_sleb(c);
		break;
	case DW_EH_PE_udata2:
		v = cursor_u16(c);
		break;
	case DW_EH_PE_sdata2:
		v = (uint64_t)(int64_t)(int16_t)cursor_u16(c);
		break;
	case DW_EH_PE_udata4:
		v = cursor_u32(c);
		break;
	case DW_EH_PE_sdata4:
		v = (uint64_t)(int64_t)(int32_t)cursor_u32(c);
		break;
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		v = cursor_u64(c);
		break;
	default:
		cursor_fail(c);
		return 0;
	}
	return (encoding & 0x70) == DW_EH_PE_pcrel ? v + place : v;
}

/* How the addresses of a common entry's functions are encoded. */
static uint8_t
read_encoding(const struct walk *w, struct cursor c)
{
	uint8_t encoding = DW_EH_PE_absptr, version;
	const char *letters;

	cursor_skip(&c, 4); /* its id */
	version = cursor_u8(&c);
	letters = cursor_string(&c);
	if (letters[0] != 'z')
		return encoding;
	cursor_uleb(&c);
	cursor_sleb(&c);
	if (version == 1)
		cursor_u8(&c);
	else
		cursor_uleb(&c);
	cursor_uleb(&c);
	for (letters++; *letters && !c.bad; letters++) {
		if (*letters == 'R')
			return cursor_u8(&c);
		if (*letters == 'L')
			cursor_u8(&c);
		else if (*letters == 'P')
			read_pointer(w, &c, cursor_u8(&c));
	}
	return encoding;
}

static void
walk_section(const struct walk *w,
	     void (*fn)(void *ctx, uint64_t start, uint64_t end), void *ctx)
{
	struct cursor c = { w->data, w->data + w->n, w->big_endian, false };
	const uint8_t *common = NULL; /* the common entry that encoding is of */
	uint8_t encoding = DW_EH_PE_absptr, offset_size;

	while (cursor_left(&c) > 4) {
		uint64_t n = cursor_length(&c, &offset_size), start;
		struct cursor e = c;
		const uint8_t *its;
		uint32_t id;

		if (n == 0 || !cursor_has(&c, n))
			return;
		e.end = e.p + n;
		c.p += n;
		id = cursor_u32(&e);
		if (id == 0)
			continue;
		/* It is the distance back from the field. */
		if (id > (size_t)(e.p - 4 - w->data))
			continue;
		its = e.p - 4 - id;
		if (its != common) {
			struct cursor head = { its, w->data + w->n,
					       w->big_endian, false };

			/* Successive functions may name different common
			 * entries. */
			if (cursor_left(&head) > MAX_HEAD)
				head.end = its + MAX_HEAD;
			cursor_length(&head, &offset_size);
			encoding = read_encoding(w, head);
			common = its;
		}
		start = read_pointer(w, &e, encoding);
		n = read_pointer(w, &e, encoding & 0x0f);
		if (!e.bad && n && n <= UINT64_MAX - start)
			fn(ctx, start, start + n);
	}
}

void
cfi_each(const struct object *o,
	 void (*fn)(void *ctx, uint64_t start, uint64_t end), void *ctx)
{
	GElf_Ehdr ehdr;
	GElf_Shdr sh;
	Elf_Scn *scn = section_find(o->elf, ".eh_frame", 0, &sh);
	struct section_bytes bytes;
	struct walk w;

	if (!scn || !gelf_getehdr(o->elf, &ehdr) ||
	    !section_read(o->elf, scn, &sh, false, o->budget, &bytes))
		return;
	w = (struct walk){ bytes.data, bytes.n, sh.sh_addr,
			   ehdr.e_ident[EI_DATA] == ELFDATA2MSB,
			   ehdr.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4 };
	walk_section(&w, fn, ctx);
	free(bytes.owned);
}

/* --- as a table --- */

struct reading {
	struct cfi_table *t;
	size_t cap;
	bool nomem;
};

static void
range_take(void *ctx, uint64_t start, uint64_t end)
{
	struct reading *r = ctx;

	if (array_reserve(&r->t->range, &r->cap, r->t->n + 1,
			  sizeof(*r->t->range)) < 0)
		r->nomem = true;
	else
		r->t->range[r->t->n++] = (struct code_range){ start, end };
}

int
cfi_read(struct cfi_table *t, const struct object *o)
{
	struct reading r = { .t = t };

	*t = (struct cfi_table){ 0 };
	cfi_each(o, range_take, &r);
	if (t->n)
		qsort(t->range, t->n, sizeof(*t->range), code_range_compare);
	return r.nomem ? -1 : 0;
}

void
cfi_release(struct cfi_table *t)
{
	free(t->range);
	*t = (struct cfi_table){ 0 };
}

/* The number of functions that begin at a or before it. */
static size_t
begun(const struct cfi_table *t, uint64_t a)
{
	return search_above(t->range, t->n, sizeof(*t->range),
			    offsetof(struct code_range, start), a);
}

const struct code_range *
cfi_at(const struct cfi_table *t, uint64_t a)
{
	size_t i = begun(t, a);

	return i && a < t->range[i - 1].end ? &t->range[i - 1] : NULL;
}

uint64_t
cfi_limit(const struct cfi_table *t, uint64_t a)
{
	const struct code_range *own = cfi_at(t, a);
	size_t i = begun(t, a);

	if (own)
		return own->end;
	return i < t->n ? t->range[i].start : UINT64_MAX;
}
