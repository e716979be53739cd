/* profile.c - building and checking the model; see profile.h. */
#include "config.h"

#include "profile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "pool.h"

int
pool_grow(struct arena *a, void *array, size_t size, size_t *cap, size_t used,
	  size_t n)
{
	void *old, *grown;

	memcpy(&old, array, sizeof(old));
	if (n > SIZE_MAX - used)
		return -1;
	grown = arena_grow(a, old, cap, used + n, size);
	if (!grown)
		return -1;
	memcpy(array, &grown, sizeof(grown));
	return 0;
}

struct profile *
profile_new(void)
{
	struct arena *a = arena_new();
	struct profile *p = a ? arena_alloc(a, sizeof(*p)) : NULL;

	if (!p)
		goto fail;
	memset(p, 0, sizeof(*p));
	p->arena = a;
	if (strtab_init(&p->strings, a) < 0)
		goto fail;
	/* The pools are never NULL, so that pool + 0 is always a pointer. */
	if (POOL_RESERVE(p, line, 0, line, 1) < 0 ||
	    POOL_RESERVE(p, stack, 0, stack, 1) < 0 ||
	    POOL_RESERVE(p, label, 0, label, 1) < 0 ||
	    POOL_RESERVE(p, value, 0, value, 1) < 0)
		goto fail;
	return p;
fail:
	arena_free(a);
	return NULL;
}

void
profile_free(struct profile *p)
{
	if (p)
		arena_free(p->arena);
}

uint32_t
profile_intern(struct profile *p, const char *s)
{
	return strtab_addz(&p->strings, s);
}

/*
 * The id of a new entry: id or, if that is 0, one more than the largest. If the
 * largest is 2^64 - 1, all existing ids are renumbered from 1. table: n entries
 * of the given size, which begin with the id.
 */
static uint64_t
take_id(void *table, size_t n, size_t size, uint64_t *last, uint64_t id)
{
	if (id == 0) {
		if (*last == UINT64_MAX)
			for (*last = 0; *last < n; ++*last)
				*(uint64_t *)((char *)table + *last * size) =
					*last + 1;
		id = *last + 1;
	}
	if (id > *last)
		*last = id;
	return id;
}

uint32_t
profile_add_type(struct profile *p, const char *type, const char *unit)
{
	struct value_type t = { profile_intern(p, type),
				profile_intern(p, unit) };

	if (t.type == STRTAB_NONE || t.unit == STRTAB_NONE ||
	    POOL_RESERVE(p, type, p->n_type, type, 1) < 0)
		return PROF_NONE;
	p->type[p->n_type] = t;
	return (uint32_t)p->n_type++;
}

uint32_t
profile_add_mapping(struct profile *p, const struct mapping *m)
{
	struct mapping copy = *m;

	if (p->n_mapping >= PROF_NONE - 1 ||
	    POOL_RESERVE(p, mapping, p->n_mapping, mapping, 1) < 0)
		return PROF_NONE;
	copy.id = take_id(p->mapping, p->n_mapping, sizeof(copy),
			  &p->room.mapping_id, copy.id);
	p->mapping[p->n_mapping] = copy;
	return (uint32_t)p->n_mapping++;
}

uint32_t
profile_add_function(struct profile *p, const struct function *f)
{
	struct function copy = *f;

	if (p->n_function >= PROF_NONE - 1 ||
	    POOL_RESERVE(p, function, p->n_function, function, 1) < 0)
		return PROF_NONE;
	copy.id = take_id(p->function, p->n_function, sizeof(copy),
			  &p->room.function_id, copy.id);
	p->function[p->n_function] = copy;
	return (uint32_t)p->n_function++;
}

/* Append lines to the pool. Returns the index of the first, or PROF_NONE. */
static uint32_t
add_lines(struct profile *p, const struct line *line, size_t n)
{
	uint32_t first = (uint32_t)p->n_line;

	if (n >= PROF_NONE - p->n_line ||
	    POOL_RESERVE(p, line, p->n_line, line, n) < 0)
		return PROF_NONE;
	if (n)
		memcpy(p->line + p->n_line, line, n * sizeof(*line));
	p->n_line += n;
	return first;
}

uint32_t
profile_add_location(struct profile *p, const struct location *l,
		     const struct line *line, size_t n_line)
{
	struct location copy = *l;

	if (p->n_location >= PROF_NONE - 1 ||
	    POOL_RESERVE(p, location, p->n_location, location, 1) < 0)
		return PROF_NONE;
	copy.line = add_lines(p, line, n_line);
	if (copy.line == PROF_NONE)
		return PROF_NONE;
	copy.n_line = (uint32_t)n_line;
	copy.id = take_id(p->location, p->n_location, sizeof(copy),
			  &p->room.location_id, copy.id);
	p->location[p->n_location] = copy;
	return (uint32_t)p->n_location++;
}

int
profile_set_lines(struct profile *p, uint32_t l, const struct line *line,
		  size_t n_line)
{
	uint32_t first = add_lines(p, line, n_line);

	if (first == PROF_NONE)
		return -1;
	p->location[l].line = first;
	p->location[l].n_line = (uint32_t)n_line;
	return 0;
}

/* Compare two labels: strings before numbers, then by key. */
static int
label_cmp(const struct profile *p, const struct label *a, const struct label *b)
{
	if ((a->str == 0) != (b->str == 0))
		return a->str == 0 ? 1 : -1;
	return strtab_cmp(&p->strings, a->key, b->key);
}

struct numbered {
	struct label label;
	size_t i;
};

static int
numbered_cmp(const void *a, const void *b, void *profile)
{
	const struct numbered *x = a, *y = b;
	int r = label_cmp(profile, &x->label, &y->label);

	return r ? r : (x->i > y->i) - (x->i < y->i);
}

/*
 * Sort many labels, without quadratic time: only a hostile profile has them.
 * Returns -1 without memory.
 */
static int
sort_many(const struct profile *p, struct label *label, size_t n)
{
	struct numbered *tmp = calloc(n, sizeof(*tmp));
	union {
		const struct profile *in;
		void *out;
	} arg = { .in = p }; /* qsort_r has no const */

	if (!tmp)
		return -1;
	for (size_t i = 0; i < n; i++)
		tmp[i] = (struct numbered){ label[i], i };
	qsort_r(tmp, n, sizeof(*tmp), numbered_cmp, arg.out);
	for (size_t i = 0; i < n; i++)
		label[i] = tmp[i].label;
	free(tmp);
	return 0;
}

size_t
profile_sort_labels(const struct profile *p, struct label *label, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct label l = label[i];

		if (l.str)
			l.num = 0, l.unit = 0;
		else if (!l.num && !l.unit)
			continue;
		label[kept++] = l;
	}
	if (kept > 64 && sort_many(p, label, kept) == 0)
		return kept;
	/* Insertion sort: labels are nearly always few and sorted already. */
	for (size_t i = 1; i < kept; i++) {
		struct label l = label[i];
		size_t j = i;

		while (j && label_cmp(p, &label[j - 1], &l) > 0) {
			label[j] = label[j - 1];
			j--;
		}
		label[j] = l;
	}
	return kept;
}

int
profile_set_label(struct profile *p, const char *key, const char *value)
{
	struct label mark = { .key = profile_intern(p, key),
			      .str = profile_intern(p, value) };
	size_t cap = 0, n = 0;
	struct label *label =
		arena_grow(p->arena, NULL, &cap, p->n_label + p->n_sample + 1,
			   sizeof(*label));

	if (!label || mark.key == STRTAB_NONE || mark.str == STRTAB_NONE)
		return -1;
	for (size_t i = 0; i < p->n_sample; i++) {
		struct sample *s = &p->sample[i];
		const struct label *old = profile_label(p, s);
		size_t from = n;

		label[n++] = mark;
		for (uint32_t k = 0; k < s->n_label; k++)
			if (old[k].key != mark.key)
				label[n++] = old[k];
		n = from + profile_sort_labels(p, label + from, n - from);
		s->label = from;
		s->n_label = (uint32_t)(n - from);
	}
	p->label = label;
	p->n_label = n;
	p->room.label = cap;
	return 0;
}

uint32_t
profile_add_sample(struct profile *p, const uint32_t *stack, size_t n_stack,
		   const int64_t *value, const struct label *label,
		   size_t n_label)
{
	struct sample s = { .stack = p->n_stack, .label = p->n_label };

	if (p->n_sample >= PROF_NONE - 1 || n_stack >= PROF_NONE ||
	    n_label >= PROF_NONE ||
	    POOL_RESERVE(p, sample, p->n_sample, sample, 1) < 0 ||
	    POOL_RESERVE(p, stack, p->n_stack, stack, n_stack) < 0 ||
	    POOL_RESERVE(p, label, p->n_label, label, n_label) < 0 ||
	    POOL_RESERVE(p, value, p->n_sample * p->n_type, value, p->n_type) <
		    0)
		return PROF_NONE;
	s.n_stack = (uint32_t)n_stack;
	if (n_stack)
		memcpy(p->stack + p->n_stack, stack, n_stack * sizeof(*stack));
	p->n_stack += n_stack;
	if (n_label) {
		struct label *at = p->label + p->n_label;

		memcpy(at, label, n_label * sizeof(*label));
		s.n_label = (uint32_t)profile_sort_labels(p, at, n_label);
		p->n_label += s.n_label;
	}
	if (p->n_type)
		memcpy(profile_value(p, p->n_sample), value,
		       p->n_type * sizeof(*value));
	p->sample[p->n_sample] = s;
	return (uint32_t)p->n_sample++;
}

uint32_t
profile_add_comment(struct profile *p, const char *text)
{
	uint32_t s = profile_intern(p, text);

	if (s == STRTAB_NONE ||
	    POOL_RESERVE(p, comment, p->n_comment, comment, 1) < 0)
		return PROF_NONE;
	p->comment[p->n_comment] = s;
	return (uint32_t)p->n_comment++;
}

void
profile_doubt(struct profile *p, const char *fmt, ...)
{
	char text[512], *copy;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	copy = arena_alloc(p->arena, strlen(text) + 1);
	if (copy && POOL_RESERVE(p, doubt, p->n_doubt, doubt, 1) == 0)
		p->doubt[p->n_doubt++] = strcpy(copy, text);
}

static size_t
find_type(const struct profile *p, const char *name)
{
	size_t i = 0;

	while (i < p->n_type && strcmp(profile_str(p, p->type[i].type), name))
		i++;
	return i;
}

enum prof_status
profile_sample_index(const struct profile *p, const char *sample_index,
		     size_t *out, struct prof_err *err)
{
	static const char inuse[] = "inuse_";
	const char *name = sample_index ? sample_index : "";
	char list[256] = "";
	size_t i, len = 0;
	char *end;

	*out = 0;
	if (p->n_type == 0)
		return prof_fail(err, PROF_EUSAGE,
				 "the profile has no sample types");
	if (!*name) {
		/* An empty default is no default, even if a column has an empty
		 * name. */
		name = profile_str(p, p->default_type);
		i = *name ? find_type(p, name) : p->n_type;
		*out = i < p->n_type ? i : p->n_type - 1;
		return PROF_OK;
	}
	errno = 0;
	long long n = strtoll(name, &end, 10);
	if (!*end && end != name && !errno) {
		if (n < 0 || (unsigned long long)n >= p->n_type)
			return prof_fail(err, PROF_EUSAGE,
					 "sample index %s is outside the range "
					 "[0..%zu]",
					 name, p->n_type - 1);
		*out = (size_t)n;
		return PROF_OK;
	}
	i = find_type(p, name);
	if (i == p->n_type && !strncmp(name, inuse, strlen(inuse)))
		i = find_type(p, name + strlen(inuse));
	if (i < p->n_type) {
		*out = i;
		return PROF_OK;
	}
	for (i = 0; i < p->n_type && len < sizeof(list); i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
					i ? " " : "",
					profile_str(p, p->type[i].type));
	return prof_fail(err, PROF_EUSAGE,
			 "sample index \"%s\" must be one of: [%s]", name,
			 list);
}
