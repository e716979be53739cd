/* span.c - see span.h. */
#include "config.h"

#include "span.h"

#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "lib/base/array.h"

enum prof_status
span_init(struct span *x, struct prof_err *err)
{
	memset(x, 0, sizeof(*x));
	x->first_ns = INT64_MAX;
	x->last_ns = INT64_MIN;
	return names_init(&x->types) < 0 ? prof_nomem(err) : PROF_OK;
}

void
span_release(struct span *x)
{
	names_release(&x->types);
	free(x->is_default);
	memset(x, 0, sizeof(*x));
}

/* The type of a column as one string: "cpu\0nanoseconds\0". */
static uint32_t
type_key(struct names *x, const struct word_type *t)
{
	return strtab_add(&x->t, t->type, t->n_type + 1 + t->n_unit + 1);
}

static enum prof_status
add_types(struct span *x, const struct catalog *a, uint32_t types,
	  struct prof_err *err)
{
	struct word_type type[BLOCK_MAX_COLUMN];
	size_t n = word_types(&a->words.t.str[types], type);

	for (size_t c = 0; c < n; c++) {
		uint32_t key = type_key(&x->types, &type[c]);
		size_t cap = x->cap_default;

		if (key == STRTAB_NONE ||
		    array_reserve(&x->is_default, &x->cap_default,
				  (size_t)key + 1, sizeof(*x->is_default)) < 0)
			return prof_nomem(err);
		if (x->cap_default > cap)
			memset(x->is_default + cap, 0,
			       (x->cap_default - cap) * sizeof(*x->is_default));
		x->is_default[key] += type[c].is_default;
	}
	return PROF_OK;
}

struct spanning {
	struct span *x;
	struct catalog *a;
};

static enum prof_status
span_block(void *ctx, const struct store_block *sb, struct prof_err *err)
{
	struct spanning *s = ctx;
	struct block b = { 0 };
	size_t shared[BLOCK_MAX_COLUMN];
	enum prof_status st = catalog_read_meta(s->a, sb, &b, shared, err);

	for (size_t i = 0; i < b.n_entry && st == PROF_OK; i++) {
		if (b.entry[i].time_ns < s->x->first_ns)
			s->x->first_ns = b.entry[i].time_ns;
		if (b.entry[i].time_ns > s->x->last_ns)
			s->x->last_ns = b.entry[i].time_ns;
	}
	if (st == PROF_OK)
		st = add_types(s->x, s->a, sb->types, err);
	block_release(&b);
	return st;
}

enum prof_status
span_add(struct span *x, struct catalog *a, struct prof_err *err)
{
	struct spanning s = { x, a };

	return store_blocks(a->store, INT64_MIN, INT64_MAX, span_block, &s,
			    err);
}
