/* links.c - see links.h. */
#include "config.h"

#include "links.h"

#include <stdint.h>
#include <stdlib.h>

#include "sections.h"

/* An instruction in a section; of->of is the number of its object. */
struct entry {
	size_t object;
	uint64_t address;
	size_t section;
};

struct links {
	struct entry *entry; /* ascending */
	size_t n;
};

static int
cmp_entry(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->section > y->section) - (x->section < y->section);
}

/* Where the section's own instructions are: not those of inlined functions. */
static size_t
list_section(const struct sections *s, size_t i, struct entry *entry)
{
	const struct section *section = &s->section[i];
	size_t n = 0;

	for (size_t k = 0; k < section->n_line; k++) {
		const struct section_line *line = &s->line[section->line + k];

		for (size_t j = 0; j < line->n_step; j++) {
			const struct section_step *step =
				&s->step[line->step + j];

			if (step->level + 1 != step->insn->n_frame)
				continue;
			if (entry)
				entry[n] = (struct entry){ step->of->of,
							   step->insn->address,
							   i };
			n++;
		}
	}
	return n;
}

enum prof_status
links_new(const struct sections *s, struct links **out, struct prof_err *err)
{
	struct links *l = calloc(1, sizeof(*l));
	size_t n = 0;

	*out = l;
	if (!l)
		return prof_nomem(err);
	for (size_t i = 0; i < s->n_section; i++)
		n += list_section(s, i, NULL);
	l->entry = calloc(n + 1, sizeof(*l->entry));
	if (!l->entry) {
		links_free(l);
		*out = NULL;
		return prof_nomem(err);
	}
	for (size_t i = 0; i < s->n_section; i++)
		l->n += list_section(s, i, l->entry + l->n);
	qsort(l->entry, l->n, sizeof(*l->entry), cmp_entry);
	return PROF_OK;
}

void
links_free(struct links *l)
{
	if (!l)
		return;
	free(l->entry);
	free(l);
}

size_t
links_target(const struct links *l, const struct section_step *step)
{
	struct entry want = { step->of->of, step->insn->target, 0 };
	size_t lo = 0, hi = l->n;

	if (!step->insn->has_target)
		return LINKS_NONE;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (cmp_entry(&l->entry[mid], &want) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < l->n && l->entry[lo].object == want.object &&
			       l->entry[lo].address == want.address
		       ? l->entry[lo].section
		       : LINKS_NONE;
}
