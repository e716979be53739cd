/*
 * cfi.c - find the functions in an object's .eh_frame or .debug_frame,
 * in the order of their addresses, and have each compiled into rows
 * (row.c). The format is the Linux Standard Base's, over DWARF 5
 * section 6.4.
 *
 * Nothing outside of image->segment is read, whatever the bytes say.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "row.h"

#define N_CIE 16 /* in a cache by address; big objects have a handful */

struct compiler {
	const struct cfi_image *image;
	struct row_out out;
	struct row_cie cie[N_CIE];
};

void *
unwind_map(size_t n_bytes)
{
	void *p = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* All of the segment from addr on; bad when addr is in no segment. */
static struct in
in_open(const struct cfi_image *image, uintptr_t addr)
{
	for (size_t i = 0; i < image->n_segment; i++) {
		const struct unwind_bounds *s = &image->segment[i];

		if (addr >= s->lo && addr < s->hi)
			return (struct in){ (const uint8_t *)addr,
					    (const uint8_t *)s->hi, false };
	}
	return (struct in){ NULL, NULL, true };
}

/*
 * Open the entry, a CIE or FDE, at addr: limit *in to it, past the length.
 * Returns the address of what follows it, 0 at the end of the section or
 * when it does not fit its segment.
 */
static uintptr_t
in_entry(const struct cfi_image *image, uintptr_t addr, struct in *in)
{
	uint64_t n;

	*in = in_open(image, addr);
	n = in_fixed(in, 4);
	if (n == 0xffffffff)
		n = in_fixed(in, 8);
	if (in->bad || n == 0 || n > in_left(in)) {
		in->bad = true;
		return 0;
	}
	in->end = in->p + n;
	return (uintptr_t)in->end;
}

/* The augmentation string and its data, in step. */
static void
parse_augmentation(struct in *in, const char *aug, struct row_cie *cie)
{
	struct in data;
	uint64_t n;

	cie->fde_encoding = PE_absptr;
	if (aug[0] != 'z') {
		in->bad |= aug[0] != '\0';
		return;
	}
	cie->has_augmentation = true;
	n = in_uleb(in);
	data = *in;
	in_skip(in, n);
	data.end = in->p;
	for (aug++; *aug; aug++) {
		switch (*aug) {
		case 'R':
			cie->fde_encoding = in_byte(&data);
			break;
		case 'P':
			in_encoded(&data, in_byte(&data) & PE_form, 0);
			break;
		case 'L':
			in_byte(&data);
			break;
		case 'S':
			cie->signal = true;
			break;
		case 'B': /* aarch64: the other key signs return addresses */
			break;
		default:
			/* Its data is skipped by length; what it means is not
			 * known. */
			in->bad = true;
		}
	}
	in->bad |= data.bad || cie->fde_encoding & PE_indirect;
}

/* What stands in a CIE where an FDE names its own. */
static uint32_t
cie_id(const struct cfi_image *image)
{
	return image->is_debug ? 0xffffffff : 0;
}

static void
parse_cie(struct compiler *c, uintptr_t addr, struct row_cie *cie)
{
	struct in in;
	const char *aug;
	uint8_t version;

	*cie = (struct row_cie){ .addr = addr, .absolute = c->image->absolute };
	in_entry(c->image, addr, &in);
	if (in_fixed(&in, 4) != cie_id(c->image))
		in.bad = true;
	version = in_byte(&in);
	aug = (const char *)in.p;
	while (in_byte(&in) != 0)
		;
	if (in.bad || (version != 1 && version != 3 && version != 4))
		return;
	if (version == 4 && (in_byte(&in) != 8 || in_byte(&in) != 0))
		return;
	cie->code_align = in_uleb(&in);
	cie->data_align = in_sleb(&in);
	if ((version == 1 ? in_byte(&in) : in_uleb(&in)) != DW_RIP || in.bad)
		return;
	parse_augmentation(&in, aug, cie);
	if (!in.bad)
		unwind_row_run(&c->out, cie, &in, &cie->initial, NULL);
	cie->good = !in.bad;
}

static const struct row_cie *
get_cie(struct compiler *c, uintptr_t addr)
{
	struct row_cie *cie = &c->cie[(addr >> 3) % N_CIE];

	if (cie->addr != addr)
		parse_cie(c, addr, cie);
	return cie->good ? cie : NULL;
}

/* Read the head of the FDE at addr. False: it is none, or not understood. */
static bool
parse_fde(struct compiler *c, uintptr_t addr, struct row_fde *fde)
{
	const struct cfi_image *image = c->image;
	struct in *in = &fde->in;
	uintptr_t at, n;
	uint64_t delta;

	in_entry(image, addr, in);
	at = (uintptr_t)in->p;
	delta = in_fixed(in, 4);
	if (in->bad || delta == cie_id(image) ||
	    (!image->is_debug && delta > at))
		return false;
	fde->cie = get_cie(c, image->is_debug ? image->section + delta
					      : at - delta);
	if (!fde->cie)
		return false;
	fde->lo = in_code(in, fde->cie->fde_encoding, image->absolute);
	n = in_encoded(in, fde->cie->fde_encoding & PE_form, 0);
	if (fde->cie->has_augmentation)
		in_skip(in, in_uleb(in));
	fde->hi = fde->lo + n;
	return !in->bad && n > 0 && fde->hi > fde->lo &&
	       fde->lo >= image->text_lo && fde->hi <= image->text_hi;
}

static void
compile_fde(struct compiler *c, uintptr_t addr)
{
	struct row_state s;
	struct row_fde fde;

	if (!parse_fde(c, addr, &fde)) {
		c->out.rows->n_refused++;
		return;
	}
	s = fde.cie->initial;
	unwind_row_run(&c->out, fde.cie, &fde.in, &s, &fde);
	c->out.rows->n_refused += fde.in.bad;
}

/* The sorted table that linkers put behind .eh_frame_hdr. */
struct search_table {
	const uint8_t *entry; /* n of {int32 code, int32 FDE}, from hdr */
	size_t n;
};

static int32_t
table_get(const struct search_table *t, size_t i, bool want_fde)
{
	int32_t v;

	memcpy(&v, t->entry + 8 * i + (want_fde ? 4 : 0), 4);
	return v;
}

/*
 * Read .eh_frame_hdr: returns the address of .eh_frame, or 0. *t is empty
 * when there is no table in the form that all linkers write, or not sorted.
 */
static uintptr_t
parse_hdr(const struct cfi_image *image, struct search_table *t)
{
	struct in in = in_open(image, image->hdr);
	uint8_t version, eh_enc, count_enc, table_enc;
	uintptr_t eh_frame, n;

	*t = (struct search_table){ NULL, 0 };
	if (!in.bad && image->hdr_bytes < in_left(&in))
		in.end = in.p + image->hdr_bytes;
	version = in_byte(&in);
	eh_enc = in_byte(&in);
	count_enc = in_byte(&in);
	table_enc = in_byte(&in);
	if (in.bad || version != 1 || eh_enc == PE_omit || eh_enc & PE_indirect)
		return 0;
	eh_frame = in_encoded(&in, eh_enc, image->hdr);
	if ((eh_enc & PE_base) == PE_absptr)
		eh_frame += image->absolute;
	if (in.bad)
		return 0;
	if (count_enc == PE_omit || table_enc != (PE_datarel | PE_sdata4))
		return eh_frame;
	n = in_encoded(&in, count_enc, image->hdr);
	if (in.bad || n > in_left(&in) / 8)
		return eh_frame;
	*t = (struct search_table){ in.p, n };
	for (size_t i = 1; i < n; i++)
		if (table_get(t, i - 1, false) > table_get(t, i, false)) {
			*t = (struct search_table){ NULL, 0 };
			break;
		}
	return eh_frame;
}

/* A function found by walking .eh_frame. */
struct found {
	uintptr_t lo, fde;
};

static void
sift_down(struct found *a, size_t i, size_t n)
{
	struct found v = a[i];

	for (size_t k; (k = 2 * i + 1) < n; i = k) {
		if (k + 1 < n && a[k + 1].lo > a[k].lo)
			k++;
		if (a[k].lo <= v.lo)
			break;
		a[i] = a[k];
	}
	a[i] = v;
}

/* Heapsort: libc's qsort may call malloc. */
static void
sort_found(struct found *a, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift_down(a, i, n);
	while (n > 1) {
		struct found last = a[--n];

		a[n] = a[0];
		a[0] = last;
		sift_down(a, 0, n);
	}
}

/* Without a search table: list the functions, sort them, compile each. */
static int
compile_section(struct compiler *c, uintptr_t eh_frame)
{
	struct found *found;
	struct in in, id;
	size_t n = 0, i = 0;

	for (uintptr_t at = eh_frame, next;
	     (next = in_entry(c->image, at, &in)) != 0; at = next)
		n += in_fixed(&in, 4) != cie_id(c->image);
	if (n == 0)
		return 0;
	found = unwind_map(n * sizeof(*found));
	if (!found)
		return ENOMEM;
	for (uintptr_t at = eh_frame, next;
	     i < n && (next = in_entry(c->image, at, &in)) != 0; at = next) {
		struct row_fde fde;

		id = in;
		if (in_fixed(&id, 4) == cie_id(c->image))
			continue;
		if (parse_fde(c, at, &fde))
			found[i++] = (struct found){ fde.lo, at };
		else
			c->out.rows->n_refused++;
	}
	sort_found(found, i);
	for (size_t k = 0; k < i && !c->out.no_memory; k++)
		compile_fde(c, found[k].fde);
	munmap(found, n * sizeof(*found));
	return 0;
}

int
unwind_cfi_compile(const struct cfi_image *image, struct unwind_pool *pool,
		   struct cfi_rows *rows)
{
	struct compiler c = {
		.image = image,
		.out = { .pool = pool, .rows = rows, .text_lo = image->text_lo }
	};
	struct search_table t = { NULL, 0 };
	uintptr_t eh_frame;
	int err = 0;

	*rows = (struct cfi_rows){ NULL, 0, 0, 0 };
	if (image->hdr)
		eh_frame = parse_hdr(image, &t);
	else
		eh_frame = image->section;
	if (t.n)
		for (size_t i = 0; i < t.n && !c.out.no_memory; i++)
			compile_fde(&c,
				    image->hdr + (uintptr_t)(intptr_t)table_get(
							 &t, i, true));
	else if (eh_frame)
		err = compile_section(&c, eh_frame);
	if (c.out.no_memory)
		err = ENOMEM;
	if (err && rows->row) {
		munmap(rows->row, rows->n_bytes);
		*rows = (struct cfi_rows){ NULL, 0, 0, 0 };
	}
	return err;
}
