/* jitdump.c - see symlist.h. */
#include "config.h"

#include "symlist.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/hashtab.h"

#define MAGIC UINT32_C(0x4a695444) /* "JiTD" read as a number */
#define HEADER 40                  /* bytes: of the file */
#define PREFIX 16                  /* ... of a record */
#define ELF_HEADER 0x40

enum record_kind {
	RECORD_LOAD = 0,
	RECORD_MOVE = 1,
	RECORD_DEBUG = 2,
};

/* An entry of the list, by the code's index and address. */
struct code {
	uint64_t index, addr;
	uint32_t entry;
};

struct dump {
	struct symlist *l;
	bool swapped; /* the other byte order */
	struct code *code;
	size_t n_code, cap_code;
	struct hashtab by_code;
	struct symlist_entry lines; /* start, line, n_line for the code that is
				       loaded next */
	size_t first_line;
	bool has_near; /* some code has a line in its first bytes */
	bool nomem;
};

/* A part of the file. */
struct span {
	const uint8_t *p, *end;
};

/* Read a number of n bytes; 0, at the end, if there are fewer. */
static uint64_t
span_take(const struct dump *d, struct span *s, size_t n)
{
	uint64_t v = 0;

	if ((size_t)(s->end - s->p) < n) {
		s->p = s->end;
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		size_t at = d->swapped ? i : n - 1 - i;

		v = v << 8 | s->p[at];
	}
	s->p += n;
	return v;
}

/* Read a string, to past its NUL. NULL: it is not terminated. */
static const char *
take_string(struct span *s, size_t *n)
{
	const char *text = (const char *)s->p;
	const uint8_t *nul = memchr(s->p, 0, (size_t)(s->end - s->p));

	if (!nul)
		return NULL;
	*n = (size_t)(nul - s->p);
	s->p = nul + 1;
	return text;
}

static uint32_t
hash_code(const struct dump *d, uint64_t index, uint64_t addr)
{
	return (uint32_t)hashtab_mix(&d->by_code,
				     hashtab_mix(&d->by_code, 0, index), addr);
}

/* The code of this index that was last loaded at addr, or NULL. */
static struct code *
find_code(const struct dump *d, uint64_t index, uint64_t addr)
{
	uint32_t hash = hash_code(d, index, addr), i;
	size_t at = hashtab_start(&d->by_code, hash);

	while ((i = hashtab_next(&d->by_code, hash, &at)) != HASHTAB_NONE)
		if (d->code[i].index == index && d->code[i].addr == addr)
			return &d->code[i];
	return NULL;
}

/* Add an entry, and remember that it is the code of this index. */
static struct symlist_entry *
add_code(struct dump *d, uint64_t index, uint64_t addr, uint64_t size,
	 uint32_t name)
{
	uint32_t entry = (uint32_t)d->l->n;
	struct code *c = find_code(d, index, addr);

	if (name == SYMLIST_NONE || symlist_add(d->l, addr, size, name) < 0)
		goto nomem;
	if (!c) {
		if (array_reserve(&d->code, &d->cap_code, d->n_code + 1,
				  sizeof(*c)) < 0 ||
		    hashtab_add(&d->by_code, hash_code(d, index, addr),
				(uint32_t)d->n_code) < 0)
			goto nomem;
		c = &d->code[d->n_code++];
	}
	*c = (struct code){ index, addr, entry };
	return &d->l->entry[entry];
nomem:
	d->nomem = true;
	return NULL;
}

static bool
read_load(struct dump *d, struct span *s)
{
	uint64_t addr, size, index;
	struct symlist_entry *e;
	const char *text;
	size_t n;

	span_take(d, s, 4 + 4 + 8); /* process, thread, vma */
	addr = span_take(d, s, 8);
	size = span_take(d, s, 8);
	index = span_take(d, s, 8);
	text = take_string(s, &n);
	if (!text)
		return false;
	e = add_code(d, index, addr, size, symlist_text(d->l, text, n));
	if (e && d->lines.n_line && d->lines.start == addr) {
		e->line = d->lines.line;
		e->n_line = d->lines.n_line;
	}
	d->lines.n_line = 0;
	return true;
}

static bool
read_move(struct dump *d, struct span *s)
{
	uint64_t from, to, size, index;
	struct symlist_entry old, *e;
	const struct code *c;

	span_take(d, s, 4 + 4 + 8);
	from = span_take(d, s, 8);
	to = span_take(d, s, 8);
	size = span_take(d, s, 8);
	if (s->end - s->p < 8)
		return false;
	index = span_take(d, s, 8);
	c = find_code(d, index, from);
	if (!c)
		return true; /* it was loaded before the log began */
	old = d->l->entry[c->entry];
	e = add_code(d, index, to, size, old.name);
	if (e) {
		e->line = old.line;
		e->n_line = old.n_line;
	}
	return true;
}

/* Some versions of V8 log other bytes as a file's name. */
static bool
is_name(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] < ' ' || s[i] == 0x7f)
			return false;
	return n > 0;
}

/* Read the lines of the code that the next record loads. */
static bool
read_debug(struct dump *d, struct span *s)
{
	uint64_t addr = span_take(d, s, 8), n = span_take(d, s, 8), last = 0;
	uint32_t file = SYMLIST_NONE;

	d->lines = (struct symlist_entry){ .start = addr,
					   .line = (uint32_t)d->l->n_line };
	/* Each takes at least 17 bytes, so the loop ends. */
	for (; n && s->p < s->end; n--) {
		struct symlist_line line = { .offset = span_take(d, s, 8) -
						       addr };
		const char *text;
		size_t n_text;

		line.line = (int32_t)span_take(d, s, 4);
		span_take(d, s, 4); /* column, or discriminator */
		text = take_string(s, &n_text);
		if (!text)
			return false;
		/* "\xff": the same file as before. */
		if (n_text != 1 || (unsigned char)text[0] != 0xff)
			file = is_name(text, n_text)
				       ? symlist_text(d->l, text, n_text)
				       : SYMLIST_NONE;
		line.file = file;
		if (line.offset < last || line.line < 0)
			continue;
		last = line.offset;
		d->has_near |= line.offset < ELF_HEADER;
		if (symlist_add_line(d->l, &line) < 0) {
			d->nomem = true;
			return true;
		}
		d->lines.n_line++;
	}
	return n == 0;
}

/*
 * V8 shifts the offsets of lines by the size of an ELF header, as the tool for
 * which it was written puts one before the code. If no line is in the first
 * bytes of any code, the log is shifted so.
 */
static void
undo_header(struct dump *d)
{
	if (d->has_near)
		return;
	for (size_t i = d->first_line; i < d->l->n_line; i++)
		d->l->line[i].offset -= ELF_HEADER;
}

static bool
read_record(struct dump *d, unsigned kind, struct span *s)
{
	switch (kind) {
	case RECORD_LOAD:
		return read_load(d, s);
	case RECORD_MOVE:
		return read_move(d, s);
	case RECORD_DEBUG:
		return read_debug(d, s);
	default:
		return true;
	}
}

bool
jitdump_is(const void *data, size_t n)
{
	uint32_t magic;

	if (n < HEADER)
		return false;
	memcpy(&magic, data, sizeof(magic));
	return magic == MAGIC || __builtin_bswap32(magic) == MAGIC;
}

static enum prof_status
read_records(struct dump *d, struct span *s, struct prof_err *err)
{
	const uint8_t *start = s->p;
	uint64_t header, version;

	s->p += 4;
	version = span_take(d, s, 4);
	header = span_take(d, s, 4);
	if (version != 1 || header < HEADER)
		return prof_fail(err, PROF_EFORMAT,
				 "a jitdump of an unknown version");
	if (header > (uint64_t)(s->end - start))
		return PROF_OK;
	s->p = start + header;
	while (s->end - s->p >= PREFIX) {
		struct span r = *s;
		size_t at = (size_t)(s->p - start);
		unsigned kind = (unsigned)span_take(d, &r, 4);
		uint64_t size = span_take(d, &r, 4);

		if (size < PREFIX)
			return prof_fail(err, PROF_EFORMAT,
					 "jitdump: byte %zu: a record of %u "
					 "bytes",
					 at, (unsigned)size);
		if (size > (uint64_t)(s->end - s->p))
			break;
		r.end = s->p + size;
		r.p = s->p + PREFIX;
		if (!read_record(d, kind, &r))
			return prof_fail(err, PROF_EFORMAT,
					 "jitdump: byte %zu: a damaged record",
					 at);
		if (d->nomem)
			return prof_nomem(err);
		s->p += size;
	}
	return PROF_OK;
}

enum prof_status
jitdump_read(struct symlist *l, const void *data, size_t n,
	     struct prof_err *err)
{
	struct dump d = { .l = l, .first_line = l->n_line };
	const uint8_t *p = data;
	struct span s = { p, p + n };
	enum prof_status st;
	uint32_t magic;

	if (!jitdump_is(data, n))
		return prof_fail(err, PROF_EFORMAT, "not a jitdump");
	memcpy(&magic, data, sizeof(magic));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	d.swapped = magic == MAGIC;
#else
	d.swapped = magic != MAGIC;
#endif
	if (hashtab_init(&d.by_code) < 0)
		return prof_nomem(err);
	st = read_records(&d, &s, err);
	undo_header(&d);
	hashtab_release(&d.by_code);
	free(d.code);
	return st;
}
