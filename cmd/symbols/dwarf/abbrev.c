/* abbrev.c - see abbrev.h. */
#include "config.h"

#include "abbrev.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

#define MAX_TABLE (1u << 20) /* attributes; no compiler comes near */

bool
abbrev_next_attr(struct cursor *c, uint64_t *name, uint64_t *form,
		 int64_t *constant)
{
	*name = cursor_uleb(c);
	*form = cursor_uleb(c);
	*constant = 0;
	if (*form == DW_FORM_implicit_const)
		*constant = cursor_sleb(c);
	return !c->bad && (*name || *form);
}

/* Append one attribute, and join it with the steps before it. */
static bool
add_attr(struct abbrevs *a, struct abbrev *ab, uint64_t name, uint64_t form,
	 int64_t constant, bool *nomem)
{
	enum form_kind kind;
	uint32_t size;

	if (!form_shape(&a->sizes, form, &kind, &size) ||
	    a->n_attr == MAX_TABLE)
		return false;
	if (array_reserve(&a->attr, &a->cap_attr, a->n_attr + 1,
			  sizeof(*a->attr)) < 0 ||
	    array_reserve(&a->step, &a->cap_step, a->n_step + 1,
			  sizeof(*a->step)) < 0) {
		*nomem = true;
		return false;
	}
	a->attr[a->n_attr++] = (struct abbrev_attr){
		.name = name <= UINT16_MAX ? (uint16_t)name : 0,
		.form = (uint16_t)form,
		.constant = constant,
	};
	ab->n_attr++;
	ab->tail += size;
	if (ab->sibling)
		ab->sibling += size;
	else if (name == DW_AT_sibling && form == DW_FORM_ref4)
		ab->sibling = size;
	if (kind != FORM_FIXED) {
		a->step[a->n_step++] = (struct abbrev_step){ ab->tail, kind };
		ab->n_step++;
		ab->tail = ab->sibling = 0;
	}
	return true;
}

static bool
is_closed(const struct abbrev *ab)
{
	switch (ab->tag) {
	case DW_TAG_class_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return true;
	case DW_TAG_subprogram:
		return !ab->has_code;
	default:
		return false;
	}
}

static bool
add_abbrev(struct abbrevs *a, uint64_t code, struct cursor *c, bool *nomem)
{
	struct abbrev ab = {
		.code = (uint32_t)code,
		.step = (uint32_t)a->n_step,
		.attr = (uint32_t)a->n_attr,
	};
	uint64_t tag = cursor_uleb(c), name, form;
	bool has_pc = false;
	int64_t constant;

	ab.tag = tag <= UINT32_MAX ? (uint32_t)tag : 0;
	ab.has_children = cursor_u8(c) != 0;
	while (abbrev_next_attr(c, &name, &form, &constant)) {
		if (!add_attr(a, &ab, name, form, constant, nomem))
			return false;
		has_pc |= name == DW_AT_low_pc || name == DW_AT_ranges;
	}
	ab.has_code = has_pc && (ab.tag == DW_TAG_subprogram ||
				 ab.tag == DW_TAG_inlined_subroutine);
	ab.is_closed = is_closed(&ab);
	if (c->bad || code > UINT32_MAX || a->n == MAX_TABLE)
		return false;
	if (array_reserve(&a->abbrev, &a->cap, a->n + 1, sizeof(*a->abbrev)) <
	    0) {
		*nomem = true;
		return false;
	}
	a->abbrev[a->n++] = ab;
	return true;
}

static int
cmp_abbrev(const void *x, const void *y)
{
	const struct abbrev *a = x, *b = y;

	return (a->code > b->code) - (a->code < b->code);
}

static bool
read_table(struct abbrevs *a, struct dwarf_budget *budget, bool *nomem)
{
	struct cursor c = dwarf_at(a->file, DWARF_ABBREV, a->offset);
	const uint8_t *start = c.p;
	bool sorted = true, ok = true;
	uint64_t code;

	/* A table may be long: without budget, do not begin. */
	if (!budget_spend(budget, 0))
		return false;
	/* The last table may end at the end of the section, without a 0. */
	while (ok && cursor_left(&c) && (code = cursor_uleb(&c)) != 0) {
		ok = add_abbrev(a, code, &c, nomem);
		if (ok && a->n > 1 && a->abbrev[a->n - 2].code >= code)
			sorted = false;
	}
	if (!sorted)
		qsort(a->abbrev, a->n, sizeof(*a->abbrev), cmp_abbrev);
	return budget_spend(budget, (uint64_t)(c.p - start)) && ok;
}

void
abbrevs_put(struct abbrevs *a)
{
	if (!a || --a->n_user)
		return;
	free(a->abbrev);
	free(a->step);
	free(a->attr);
	free(a);
}

struct abbrevs *
abbrevs_get(struct abbrev_cache *cache, const struct dwarf_file *f,
	    uint64_t offset, const struct dwarf_sizes *sizes,
	    struct dwarf_budget *budget, bool *nomem)
{
	uint64_t hash = (offset ^ (uintptr_t)f) * UINT64_C(0x9e3779b97f4a7c15);
	struct abbrevs **slot = &cache->slot[(hash >> 32) % ABBREV_CACHE];
	struct abbrevs *a = *slot;

	if (a && a->file == f && a->offset == offset &&
	    !memcmp(&a->sizes, sizes, sizeof(*sizes))) {
		a->n_user++;
		return a;
	}
	a = calloc(1, sizeof(*a));
	if (!a) {
		*nomem = true;
		return NULL;
	}
	a->n_user = 1;
	a->file = f;
	a->offset = offset;
	a->sizes = *sizes;
	if (!read_table(a, budget, nomem)) {
		abbrevs_put(a);
		return NULL;
	}
	abbrevs_put(*slot);
	*slot = a;
	a->n_user++;
	return a;
}

void
abbrev_cache_forget(struct abbrev_cache *cache, const struct dwarf_file *f)
{
	for (size_t i = 0; i < ABBREV_CACHE; i++)
		if (cache->slot[i] && cache->slot[i]->file == f) {
			abbrevs_put(cache->slot[i]);
			cache->slot[i] = NULL;
		}
}

void
abbrev_cache_release(struct abbrev_cache *cache)
{
	for (size_t i = 0; i < ABBREV_CACHE; i++)
		abbrevs_put(cache->slot[i]);
	*cache = (struct abbrev_cache){ 0 };
}

bool
abbrev_find(const struct dwarf_file *f, uint64_t offset, uint64_t code,
	    struct dwarf_budget *budget, uint64_t *tag, struct cursor *c)
{
	uint64_t its, name, form;
	const uint8_t *start;
	int64_t constant;
	bool found = false;

	if (!budget_spend(budget, 0))
		return false;
	*c = dwarf_at(f, DWARF_ABBREV, offset);
	start = c->p;
	while (!found && !c->bad && (its = cursor_uleb(c)) != 0) {
		*tag = cursor_uleb(c);
		cursor_u8(c); /* children */
		found = its == code;
		while (!found && abbrev_next_attr(c, &name, &form, &constant))
			;
	}
	return budget_spend(budget, (uint64_t)(c->p - start)) && found &&
	       !c->bad;
}
