/*
 * abbrev.h - abbreviation tables (.debug_abbrev; DWARF 5, 7.5.3), prepared for
 * skipping entries, which takes most of the time to find the functions of a
 * unit. Compilers other than GCC write no DW_AT_sibling, so each entry is
 * skipped by the sizes of its forms.
 */
#ifndef DWARF_ABBREV_H
#define DWARF_ABBREV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "file.h"
#include "form.h"

struct abbrev_attr {
	uint16_t name, form;
	int64_t constant; /* of DW_FORM_implicit_const */
};

/* Skip this many bytes, then a form of variable size. */
struct abbrev_step {
	uint32_t bytes;
	enum form_kind kind;
};

/* The kind of the entries of one code. */
struct abbrev {
	uint32_t code;
	uint32_t tag;
	uint32_t step, n_step; /* in abbrevs.step */
	uint32_t tail;         /* bytes after the last step */
	uint32_t attr, n_attr; /* in abbrevs.attr */
	uint32_t sibling; /* distance of DW_AT_sibling, a DW_FORM_ref4, from the
			     end of the attributes; 0: it has none */
	bool has_children;
	bool has_code;  /* a function that may have code */
	bool is_closed; /* code is unlikely inside */
};

/* A table, shared by units and reference-counted. */
struct abbrevs {
	const struct dwarf_file *file;
	uint64_t offset; /* in .debug_abbrev */
	struct dwarf_sizes sizes;
	struct abbrev *abbrev; /* ascending codes */
	size_t n, cap;
	struct abbrev_step *step;
	size_t n_step, cap_step;
	struct abbrev_attr *attr;
	size_t n_attr, cap_attr;
	unsigned n_user;
};

/* The tables that one thread had last. All 0 at first. */
#define ABBREV_CACHE 64
struct abbrev_cache {
	struct abbrevs *slot[ABBREV_CACHE];
};

/*
 * The table at offset, for units with these sizes. The caller releases it with
 * abbrevs_put(). NULL: it is damaged or too large, or there is no memory, and
 * then *nomem is set.
 */
struct abbrevs *abbrevs_get(struct abbrev_cache *cache,
			    const struct dwarf_file *f, uint64_t offset,
			    const struct dwarf_sizes *sizes,
			    struct dwarf_budget *budget, bool *nomem);
void abbrevs_put(struct abbrevs *a);
void abbrev_cache_forget(struct abbrev_cache *cache,
			 const struct dwarf_file *f);
void abbrev_cache_release(struct abbrev_cache *cache);

/*
 * The attributes of one code, without building a table: for the first entry of
 * each unit. Sets the cursor before the names and forms, which end with two
 * zeros. false: there is no such code.
 */
bool abbrev_find(const struct dwarf_file *f, uint64_t offset, uint64_t code,
		 struct dwarf_budget *budget, uint64_t *tag, struct cursor *c);

/* Read the next attribute of the list. false: it has ended, or is damaged. */
bool abbrev_next_attr(struct cursor *c, uint64_t *name, uint64_t *form,
		      int64_t *constant);

static inline const struct abbrev *
abbrev_lookup(const struct abbrevs *a, uint64_t code)
{
	size_t lo = 0, hi = a->n;

	/* Compilers number them from 1. */
	if (code - 1 < a->n && a->abbrev[code - 1].code == code)
		return &a->abbrev[code - 1];
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (a->abbrev[mid].code < code)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < a->n && a->abbrev[lo].code == code ? &a->abbrev[lo] : NULL;
}

/* Skip the attributes of the entry at c. */
static inline void
abbrev_skip(const struct abbrevs *a, const struct abbrev *ab, struct cursor *c)
{
	const struct abbrev_step *step = &a->step[ab->step];

	for (uint32_t i = 0; i < ab->n_step; i++) {
		cursor_skip(c, step[i].bytes);
		form_skip(&a->sizes, c, step[i].kind);
	}
	cursor_skip(c, ab->tail);
}

#endif
