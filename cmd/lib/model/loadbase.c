/* loadbase.c - see loadbase.h. */
#include "config.h"

#include "loadbase.h"

#include <inttypes.h>
#include <string.h>

#define PAGE ((uint64_t)4096)
#define HIGH_HALF ((uint64_t)1 << 63) /* where kernels live */
#define PPC64_KERNEL UINT64_C(0xc000000000000000)

bool
load_wants_kernel_symbol(const char *file, const struct load_mapping *m)
{
	return strstr(file, "vmlinux") || m->start % PAGE || m->limit % PAGE ||
	       m->offset % PAGE;
}

/* a + b, or the largest number: the sizes come from a file. */
static uint64_t
add_sat(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static bool
segment_has(const struct load_segment *s, uint64_t offset)
{
	return offset >= s->offset && offset < add_sat(s->offset, s->memsz);
}

/* Can m be a mapping of s? */
static bool
segment_fits(const struct load_segment *s, const struct load_mapping *m)
{
	uint64_t end = add_sat(s->offset, s->memsz);
	uint64_t map_end = add_sat(m->offset, m->limit - m->start);
	uint64_t slack = s->align ? s->vaddr % s->align : 0;
	uint64_t first = s->offset > slack ? s->offset - slack : 0;

	if (s->filesz == 0 || m->offset >= end || map_end <= s->offset)
		return false;
	/* The loader maps whole pages, from the first page of the segment
	 * on. */
	if (first > m->offset)
		return false;
	/*
	 * Two segments may share a page. A mapping that begins in the last page
	 * of this one and goes on for a page or more is of the next segment.
	 */
	return !(m->offset > s->offset && end < add_sat(m->offset, PAGE) &&
		 map_end >= add_sat(end, PAGE));
}

/* Find the segment that m maps; *out is NULL if the file has no segments. */
static enum prof_status
find_segment(const struct load_layout *f, const struct load_mapping *m,
	     uint64_t address, const struct load_segment **out,
	     struct prof_err *err)
{
	uint64_t offset = address - m->start + m->offset;
	const struct load_segment *fits = NULL, *has = NULL;
	size_t n_fits = 0, n_has = 0;

	*out = NULL;
	if (f->n_segment == 0)
		return PROF_OK;
	for (size_t i = 0; i < f->n_segment; i++) {
		const struct load_segment *s = &f->segment[i];

		if (!segment_fits(s, m))
			continue;
		n_fits++;
		fits = s;
		if (segment_has(s, offset)) {
			n_has++;
			has = s;
		}
	}
	if (n_fits != 1 && n_has != 1)
		return prof_fail(err, PROF_EINVALID,
				 "%s segment fits the mapping 0x%" PRIx64
				 "-0x%" PRIx64 " at offset 0x%" PRIx64,
				 n_fits ? "not just one" : "no", m->start,
				 m->limit, m->offset);
	*out = n_fits == 1 ? fits : has;
	return PROF_OK;
}

/* A kernel is mapped in one piece: take the segment with its .text. */
static const struct load_segment *
kernel_segment(const struct load_layout *f)
{
	for (size_t i = 0; i < f->n_segment; i++) {
		const struct load_segment *s = &f->segment[i];

		if (s->exec && f->text >= s->vaddr &&
		    f->text - s->vaddr < s->memsz)
			return s;
	}
	return NULL;
}

/* Apply the rules for kernels, with and without relocation. Returns whether one
 * applied. */
static bool
kernel_base(const struct load_segment *s, const struct load_mapping *m,
	    uint64_t *base)
{
	uint64_t start = m->start, symbol = m->kernel_symbol;
	bool known = m->has_kernel_symbol;

	if (s->vaddr == start - m->offset) {
		*base = m->offset;
		return true;
	}
	if (start == 0 && m->limit != 0 && known) {
		*base = start - symbol;
		return true;
	}
	if (start >= HIGH_HALF && m->limit > start &&
	    (m->offset == 0 || m->offset == PPC64_KERNEL ||
	     m->offset == start)) {
		if (known && start % PAGE == symbol % PAGE)
			*base = start - symbol;
		else
			*base = start - s->vaddr;
		return true;
	}
	if (start % PAGE != 0 && known && symbol % PAGE == start % PAGE) {
		*base = start - symbol;
		return true;
	}
	return false;
}

static enum prof_status
exec_base(const struct load_segment *s, const struct load_mapping *m,
	  uint64_t *base, struct prof_err *err)
{
	*base = 0;
	if (!s)
		return PROF_OK;
	if (!m->has_kernel_symbol && m->start > 0 && m->start < HIGH_HALF) {
		*base = m->start - m->offset + s->offset - s->vaddr;
		return PROF_OK;
	}
	if (kernel_base(s, m, base))
		return PROF_OK;
	if (m->start == 0 && m->limit != 0 && !m->has_kernel_symbol) {
		*base = m->start - s->vaddr;
		return PROF_OK;
	}
	return prof_fail(err, PROF_EINVALID,
			 "an executable can not be mapped at 0x%" PRIx64,
			 m->start);
}

enum prof_status
load_base(const struct load_layout *f, const struct load_mapping *m,
	  uint64_t address, uint64_t *base, struct prof_err *err)
{
	const struct load_segment *s;
	enum prof_status st;

	*base = 0;
	/* A placeholder of a tool without mappings: addresses are those of the
	 * file. */
	if (m->start == 0 && m->offset == 0 &&
	    (m->limit == 0 || m->limit == UINT64_MAX))
		return PROF_OK;
	if (f->type == LOAD_REL) {
		if (m->offset)
			return prof_fail(err, PROF_EINVALID,
					 "a relocatable file can not be "
					 "mapped at offset 0x%" PRIx64,
					 m->offset);
		*base = m->start;
		return PROF_OK;
	}
	if (m->has_kernel_symbol || m->start >= m->limit ||
	    m->limit >= HIGH_HALF) {
		s = kernel_segment(f);
		if (!s)
			return prof_fail(err, PROF_EINVALID,
					 "no segment holds .text");
	} else {
		st = find_segment(f, m, address, &s, err);
		if (st != PROF_OK)
			return st;
	}
	switch (f->type) {
	case LOAD_EXEC:
		return exec_base(s, m, base, err);
	case LOAD_DYN:
		if (!s)
			*base = m->start - m->offset;
		else if (!kernel_base(s, m, base))
			*base = m->start - m->offset + s->offset - s->vaddr;
		return PROF_OK;
	default:
		return prof_fail(err, PROF_EINVALID,
				 "neither a program nor a library");
	}
}
