/*
 * cfi.c - compile all functions of an object's .eh_frame or .debug_frame into
 * rows, in the order of their addresses.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "row.h"

#define N_CIE 16 /* cached by address; large objects have a few */

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

/*
 * Tables may refer to one entry from many places: half a megabyte would stand
 * for hours of instructions. Real ones are read twice at most, to sort them and
 * to compile them, with a CIE for each in the worst case.
 */
#define TIMES_READ 8

/* False: these are too many. */
static bool
take_instruction(struct compiler *c, const struct in *in)
{
	return row_spend(&c->out, (size_t)(in->end - in->p) + 1);
}

static const struct row_cie *
get_cie(struct compiler *c, uintptr_t addr)
{
	struct row_cie *cie = &c->cie[(addr >> 3) % N_CIE];

	if (cie->addr != addr) {
		struct in in;

		if (!unwind_entry_open(c->image, addr, &in) ||
		    !take_instruction(c, &in))
			return NULL;
		unwind_entry_cie(c->image, &c->out.sink, addr, cie);
	}
	return cie->good ? cie : NULL;
}

/* Read the head of the FDE at addr. False: it is not one, or not understood. */
static bool
parse_fde(struct compiler *c, uintptr_t addr, struct row_fde *fde)
{
	uintptr_t at = unwind_entry_cie_of(c->image, addr);
	const struct row_cie *cie = at ? get_cie(c, at) : NULL;

	return cie && unwind_entry_fde(c->image, addr, cie, fde);
}

static void
compile_fde(struct compiler *c, uintptr_t addr)
{
	struct row_state s;
	struct row_fde fde;

	if (!parse_fde(c, addr, &fde) || !take_instruction(c, &fde.in)) {
		c->out.rows->n_refused++;
		return;
	}
	s = fde.cie->initial;
	c->out.signal = fde.cie->signal;
	unwind_row_run(&c->out.sink, fde.cie, &fde.in, &s, &fde);
	unwind_row_emit(&c->out, fde.hi, WORD_NONE);
	c->out.rows->n_refused += fde.in.bad;
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
	     (next = unwind_entry_open(c->image, at, &in)) != 0; at = next)
		n += in_fixed(&in, 4) != unwind_entry_cie_id(c->image);
	if (n == 0)
		return 0;
	found = unwind_map(n * sizeof(*found));
	if (!found)
		return ENOMEM;
	for (uintptr_t at = eh_frame, next;
	     i < n && (next = unwind_entry_open(c->image, at, &in)) != 0;
	     at = next) {
		struct row_fde fde;

		id = in;
		if (in_fixed(&id, 4) == unwind_entry_cie_id(c->image))
			continue;
		if (parse_fde(c, at, &fde))
			found[i++] = (struct found){ fde.lo, at };
		else
			c->out.rows->n_refused++;
	}
	sort_found(found, i);
	for (size_t k = 0; k < i && !c->out.no_memory && c->out.left; k++)
		compile_fde(c, found[k].fde);
	munmap(found, n * sizeof(*found));
	return 0;
}

/* Is there a table, and is it sorted? */
static bool
is_sorted(const struct cfi_image *image, const struct cfi_search *t)
{
	for (size_t i = 1; i < t->n; i++)
		if ((intptr_t)unwind_entry_code(image, t, i - 1) >
		    (intptr_t)unwind_entry_code(image, t, i))
			return false;
	return t->n > 0;
}

int
unwind_cfi_compile(const struct cfi_image *image, struct unwind_pool *pool,
		   struct cfi_rows *rows)
{
	struct compiler c = {
		.image = image,
		.out = unwind_row_out(pool, rows, image->text_lo),
	};
	struct cfi_search t = { NULL, 0 };
	uintptr_t eh_frame;
	int err = 0;

	*rows = (struct cfi_rows){ NULL, 0, 0, 0 };
	for (size_t i = 0; i < image->n_segment; i++)
		c.out.left += (image->segment[i].hi - image->segment[i].lo) *
			      TIMES_READ;
	if (image->hdr)
		eh_frame = unwind_entry_hdr(image, &t);
	else
		eh_frame = image->section;
	if (is_sorted(image, &t))
		for (size_t i = 0; i < t.n && !c.out.no_memory && c.out.left;
		     i++)
			compile_fde(&c, unwind_entry_at(image, &t, i));
	else if (eh_frame)
		err = compile_section(&c, eh_frame);
	if (c.out.no_memory || !c.out.left)
		err = c.out.left ? ENOMEM : EFBIG;
	if (err && rows->row) {
		munmap(rows->row, rows->n_bytes);
		*rows = (struct cfi_rows){ NULL, 0, 0, 0 };
	}
	return err;
}
