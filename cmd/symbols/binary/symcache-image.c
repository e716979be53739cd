/* symcache-image.c - see symcache-image.h. */
#include "config.h"

#include "symcache-image.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/search.h"
#include "lib/wire/compress.h"

#define ORDER 0x01020304u /* in the byte order of the machine */

static const char magic[8] = "profsym1";

struct header {
	char magic[8];
	uint32_t order;
	uint32_t sum; /* of the bytes after the header */
	uint32_t n_addr, n_frame, n_key, n_string;
};

/* One address that was added, and its frames. */
struct image_entry {
	uint64_t addr;
	size_t frame;
	uint32_t n;
};

/* --- reading --- */

bool
image_read(struct image *im, const void *data, size_t n, const char *key,
	   bool check_sum)
{
	const unsigned char *p = data;
	struct header h;
	uint64_t size;

	if (n < sizeof(h))
		return false;
	memcpy(&h, p, sizeof(h));
	if (memcmp(h.magic, magic, sizeof(magic)) != 0 || h.order != ORDER)
		return false;
	/* Nothing overflows: counts have 32 bits. */
	size = sizeof(h) + (uint64_t)h.n_addr * sizeof(*im->addr) +
	       ((uint64_t)h.n_addr + 1) * sizeof(*im->first) +
	       (uint64_t)h.n_frame * sizeof(*im->frame) + h.n_key + h.n_string;
	if (size != n || h.n_key != strlen(key) || h.n_string == 0 ||
	    p[n - 1] != '\0')
		return false;
	if (check_sum && gzip_crc32(0, p + sizeof(h), n - sizeof(h)) != h.sum)
		return false;
	p += sizeof(h);
	im->n_addr = h.n_addr;
	im->n_frame = h.n_frame;
	im->n_string = h.n_string;
	im->addr = (const void *)p;
	p += h.n_addr * sizeof(*im->addr);
	im->first = (const void *)p;
	p += ((size_t)h.n_addr + 1) * sizeof(*im->first);
	im->frame = (const void *)p;
	p += h.n_frame * sizeof(*im->frame);
	im->strings = (const char *)p + h.n_key;
	return !memcmp(p, key, h.n_key);
}

int
image_find(const struct image *im, uint64_t addr, struct symbol_frame *frame)
{
	size_t lo =
		search_from(im->addr, im->n_addr, sizeof(*im->addr), 0, addr);
	uint32_t n;

	if (lo == im->n_addr || im->addr[lo] != addr ||
	    im->first[lo] > im->first[lo + 1] ||
	    im->first[lo + 1] > im->n_frame)
		return -1;
	n = im->first[lo + 1] - im->first[lo];
	if (n > SYMCACHE_MAX_FRAMES)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		const struct image_frame *f = &im->frame[im->first[lo] + i];

		if (f->name >= im->n_string || f->file >= im->n_string)
			return -1;
		frame[i] = (struct symbol_frame){
			.name = im->strings + f->name,
			.file = im->strings + f->file,
			.line = f->line,
			.column = f->column,
			.start_line = f->start_line,
		};
	}
	return (int)n;
}

/* --- making --- */

int
image_maker_init(struct image_maker *m)
{
	*m = (struct image_maker){ .arena = arena_new() };
	if (m->arena && strtab_init(&m->strings, m->arena) == 0)
		return 0;
	image_maker_release(m);
	return -1;
}

void
image_maker_release(struct image_maker *m)
{
	arena_free(m->arena);
	free(m->entry);
	free(m->frame);
	*m = (struct image_maker){ 0 };
}

static bool
fits(const struct symbol_frame *frame, size_t n)
{
	if (n > SYMCACHE_MAX_FRAMES)
		return false;
	for (size_t i = 0; i < n; i++)
		if (frame[i].line < 0 || frame[i].line > UINT32_MAX ||
		    frame[i].column < 0 || frame[i].column > UINT32_MAX ||
		    frame[i].start_line < 0 || frame[i].start_line > UINT32_MAX)
			return false;
	return true;
}

int
image_add(struct image_maker *m, uint64_t addr,
	  const struct symbol_frame *frame, size_t n)
{
	if (!fits(frame, n))
		return 0;
	if (array_reserve(&m->entry, &m->cap_entry, m->n_entry + 1,
			  sizeof(*m->entry)) < 0 ||
	    array_reserve(&m->frame, &m->cap_frame, m->n_frame + n,
			  sizeof(*m->frame)) < 0)
		return -1;
	m->entry[m->n_entry++] =
		(struct image_entry){ addr, m->n_frame, (uint32_t)n };
	for (size_t i = 0; i < n; i++) {
		struct image_frame f = {
			.name = strtab_addz(&m->strings, frame[i].name),
			.file = strtab_addz(&m->strings, frame[i].file),
			.line = (uint32_t)frame[i].line,
			.column = (uint32_t)frame[i].column,
			.start_line = (uint32_t)frame[i].start_line,
		};

		if (f.name == STRTAB_NONE || f.file == STRTAB_NONE)
			return -1;
		m->frame[m->n_frame++] = f;
	}
	return 0;
}

static int
cmp_entry(const void *x, const void *y)
{
	const struct image_entry *a = x, *b = y;

	return (a->addr > b->addr) - (a->addr < b->addr);
}

/* Write the tables: addresses, first frames, frames with offsets of strings. */
static int
write_tables(const struct image_maker *m, const uint32_t *offset,
	     struct buf *out)
{
	uint32_t first = 0;
	int st = 0;

	for (size_t i = 0; i < m->n_entry; i++)
		st |= buf_add(out, &m->entry[i].addr, sizeof(uint64_t));
	for (size_t i = 0; i < m->n_entry; i++) {
		st |= buf_add(out, &first, sizeof(first));
		first += m->entry[i].n;
	}
	st |= buf_add(out, &first, sizeof(first));
	for (size_t i = 0; i < m->n_entry; i++)
		for (uint32_t k = 0; k < m->entry[i].n; k++) {
			struct image_frame f = m->frame[m->entry[i].frame + k];

			f.name = offset[f.name];
			f.file = offset[f.file];
			st |= buf_add(out, &f, sizeof(f));
		}
	return st;
}

int
image_write(struct image_maker *m, const char *key, struct buf *out)
{
	struct header h = { .order = ORDER,
			    .n_addr = (uint32_t)m->n_entry,
			    .n_frame = (uint32_t)m->n_frame,
			    .n_key = (uint32_t)strlen(key) };
	const struct strtab *t = &m->strings;
	uint32_t *offset = calloc(t->n_str, sizeof(*offset));
	size_t begin = out->n;
	uint64_t n = 0;
	int st = -1;

	for (size_t i = 0; offset && i < t->n_str; i++) {
		offset[i] = (uint32_t)n;
		n += (uint64_t)t->str[i].len + 1;
	}
	if (!offset || n > UINT32_MAX || m->n_entry >= UINT32_MAX ||
	    m->n_frame > UINT32_MAX)
		goto out;
	memcpy(h.magic, magic, sizeof(magic));
	h.n_string = (uint32_t)n;
	if (m->n_entry)
		qsort(m->entry, m->n_entry, sizeof(*m->entry), cmp_entry);
	st = buf_add(out, &h, sizeof(h)) | write_tables(m, offset, out) |
	     buf_add(out, key, h.n_key);
	for (size_t i = 0; i < t->n_str; i++)
		st |= buf_add(out, t->str[i].s, (size_t)t->str[i].len + 1);
	if (st != 0)
		goto out;
	h.sum = gzip_crc32(0, out->data + begin + sizeof(h),
			   out->n - begin - sizeof(h));
	memcpy(out->data + begin, &h, sizeof(h));
out:
	free(offset);
	return st;
}
