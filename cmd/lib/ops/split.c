/* split.c - see split.h. */
#include "config.h"

#include "split.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "merge.h"
#include "tags.h"

/* --- finding the parts --- */

struct finder {
	struct arena *arena;
	struct strtab values; /* value + 1: index 0 is "", for no value */
	uint32_t *part_of;    /* by string of values */
	size_t cap;
	uint32_t none; /* part of samples without the label */
	size_t max;
	struct prof_err *err;
};

static enum prof_status
new_part(struct split *s, struct finder *f, uint32_t *out)
{
	struct split_part *part;

	if (s->n_part == f->max)
		return prof_fail(f->err, PROF_ELIMIT,
				 "more than %zu different values", f->max);
	part = reallocarray(s->part, s->n_part + 1, sizeof(*part));
	if (!part)
		return prof_nomem(f->err);
	s->part = part;
	part[s->n_part] = (struct split_part){ 0 };
	*out = (uint32_t)s->n_part++;
	return PROF_OK;
}

/* The part of a sample with this text. */
static enum prof_status
find_part(struct split *s, struct finder *f, const char *text, size_t n,
	  uint32_t *out)
{
	uint32_t v = strtab_add(&f->values, text, n);
	uint32_t *grown;
	size_t old = f->cap;
	enum prof_status st;

	if (v == STRTAB_NONE)
		return prof_nomem(f->err);
	grown = arena_grow(f->arena, f->part_of, &f->cap, (size_t)v + 1,
			   sizeof(*grown));
	if (!grown)
		return prof_nomem(f->err);
	memset(grown + old, 0xff, (f->cap - old) * sizeof(*grown));
	f->part_of = grown;
	*out = grown[v];
	if (*out != UINT32_MAX)
		return PROF_OK;
	st = new_part(s, f, out);
	if (st == PROF_OK) {
		grown[v] = *out;
		/* An index until keep_values(): texts move while
		 * the table grows. */
		s->part[*out].n_value = v;
	}
	return st;
}

/* Find the part of each sample. */
static enum prof_status
find_parts(struct split *s, struct finder *f, const char *key, uint32_t *of)
{
	const struct profile *p = s->p;
	uint32_t k = strtab_find(&p->strings, key, strlen(key));
	enum prof_status st = PROF_OK;
	struct buf text = { 0 };

	for (size_t i = 0; i < p->n_sample && st == PROF_OK; i++) {
		long n = 0;

		text.n = 0;
		if (k != STRTAB_NONE)
			n = tags_text(p, &p->sample[i], k, "", &text);
		if (n < 0) {
			st = prof_nomem(f->err);
		} else if (n > 0 && text.n) {
			st = find_part(s, f, (const char *)text.data, text.n,
				       &of[i]);
		} else {
			if (f->none == UINT32_MAX)
				st = new_part(s, f, &f->none);
			of[i] = f->none;
		}
		if (st == PROF_OK)
			s->part[of[i]].n++;
	}
	buf_release(&text);
	return st;
}

/* Copy the values, which must outlive the table. */
static int
keep_values(struct split *s, const struct finder *f)
{
	size_t size = 1;

	for (size_t i = 0; i < s->n_part; i++)
		size += f->values.str[s->part[i].n_value].len + (size_t)1;
	s->values = malloc(size);
	if (!s->values)
		return -1;

	char *at = s->values;
	for (size_t i = 0; i < s->n_part; i++) {
		const struct str *v = &f->values.str[s->part[i].n_value];

		s->part[i].n_value = v->len;
		if (i == f->none)
			continue;
		s->part[i].value = at;
		memcpy(at, v->s, v->len + (size_t)1);
		at += v->len + (size_t)1;
	}
	return 0;
}

enum prof_status
split_init(struct split *s, const struct profile *p, const char *key,
	   size_t max, struct prof_err *err)
{
	struct finder f = { .none = UINT32_MAX, .max = max, .err = err };
	uint32_t *of = calloc(p->n_sample + 1, sizeof(*of));
	enum prof_status st = PROF_OK;

	*s = (struct split){ .p = p };
	s->sample = calloc(p->n_sample + 1, sizeof(*s->sample));
	f.arena = arena_new();
	if (!of || !s->sample || !f.arena ||
	    strtab_init(&f.values, f.arena) < 0)
		st = prof_nomem(err);
	if (st == PROF_OK)
		st = find_parts(s, &f, key, of);
	if (st == PROF_OK && keep_values(s, &f) < 0)
		st = prof_nomem(err);
	if (st == PROF_OK) {
		uint32_t *at = s->sample;

		for (size_t i = 0; i < s->n_part; i++) {
			s->part[i].sample = at;
			at += s->part[i].n;
			s->part[i].n = 0;
		}
		for (size_t i = 0; i < p->n_sample; i++) {
			struct split_part *part = &s->part[of[i]];

			part->sample[part->n++] = (uint32_t)i;
		}
	}
	arena_free(f.arena);
	free(of);
	return st;
}

void
split_release(struct split *s)
{
	free(s->part);
	free(s->sample);
	free(s->values);
	memset(s, 0, sizeof(*s));
}

/* --- a part --- */

enum prof_status
split_part(const struct split *s, size_t i, struct profile **out,
	   struct prof_err *err)
{
	const struct split_part *part = &s->part[i];
	const struct profile *p = s->p;
	/* A view of p with other samples; the stacks are shared. */
	struct profile view = *p;
	enum prof_status st;

	*out = NULL;
	view.n_sample = part->n;
	view.sample = calloc(part->n + 1, sizeof(*view.sample));
	view.value = calloc(part->n * p->n_type + 1, sizeof(*view.value));
	if (!view.sample || !view.value) {
		free(view.sample);
		free(view.value);
		return prof_nomem(err);
	}
	for (size_t k = 0; k < part->n; k++) {
		view.sample[k] = p->sample[part->sample[k]];
		if (p->n_type)
			memcpy(view.value + k * p->n_type,
			       profile_value(p, part->sample[k]),
			       p->n_type * sizeof(*view.value));
	}
	st = profile_compact(&view, out, err);
	free(view.sample);
	free(view.value);
	return st;
}

/* --- names --- */

void
split_name(const struct split *s, size_t i, char name[SPLIT_NAME_MAX])
{
	const struct split_part *part = &s->part[i];

	if (!part->value)
		strcpy(name, "none");
	else if (part->n_value == 4 && !memcmp(part->value, "none", 4))
		strcpy(name, "%6Eone");
	else
		filename_safe(part->value, part->n_value, name);
}
