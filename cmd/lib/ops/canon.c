/*
 * canon.c - see canon.h. Samples are many and their stacks long. So each sample
 * gets a word of packed ranks of its first frames, leaf in the highest bits,
 * and the words are radix-sorted: comparing stacks would wait for memory.
 */
#include "config.h"

#include "canon.h"

#include <stdlib.h>
#include <string.h>

#include "lib/model/profile.h"

struct canon {
	struct profile *p;
	uint32_t main_mapping;
	/* Old index -> new index, or PROF_NONE: dropped. */
	uint32_t *mapping, *function, *location;
};

typedef int (*order_cmp)(const void *, const void *, void *);

/* --- used entries --- */

static void
mark_used(struct canon *c)
{
	struct profile *p = c->p;

	for (size_t i = 0; i < p->n_sample; i++) {
		const struct sample *s = &p->sample[i];

		for (uint32_t k = 0; k < s->n_stack; k++)
			c->location[profile_stack(p, s)[k]] = 0;
	}
	for (size_t i = 0; i < p->n_location; i++) {
		const struct location *l = &p->location[i];

		if (c->location[i] == PROF_NONE)
			continue;
		if (l->mapping != PROF_NONE)
			c->mapping[l->mapping] = 0;
		for (uint32_t k = 0; k < l->n_line; k++)
			c->function[profile_line(p, l)[k].function] = 0;
	}
	if (c->main_mapping != PROF_NONE)
		c->mapping[c->main_mapping] = 0;
}

/* --- tables --- */

#define CMP(a, b) (((a) > (b)) - ((a) < (b)))

uint64_t
mapping_pages(uint64_t size)
{
	return size / 4096 + (size % 4096 != 0);
}

int
mapping_key_cmp(const struct profile *p, const struct mapping *a,
		const struct mapping *b)
{
	int r = CMP(a->build_id == 0, b->build_id == 0);

	if (!r)
		r = a->build_id
			    ? strtab_cmp(&p->strings, a->build_id, b->build_id)
			    : strtab_cmp(&p->strings, a->file, b->file);
	if (!r)
		r = CMP(a->offset, b->offset);
	return r ? r
		 : CMP(mapping_pages(a->limit - a->start),
		       mapping_pages(b->limit - b->start));
}

/* Compare by mapping_key_cmp(), the main binary first. */
static int
mapping_cmp(const void *x, const void *y, void *ctx)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	const struct canon *c = ctx;
	const struct profile *p = c->p;
	const struct mapping *m = &p->mapping[a], *n = &p->mapping[b];
	int r;

	if ((a == c->main_mapping) != (b == c->main_mapping))
		return a == c->main_mapping ? -1 : 1;
	r = mapping_key_cmp(p, m, n);
	if (!r)
		r = CMP(m->start, n->start);
	if (!r)
		r = strtab_cmp(&p->strings, m->file, n->file);
	return r ? r : CMP(a, b);
}

static int
function_cmp(const void *x, const void *y, void *ctx)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	const struct profile *p = ((const struct canon *)ctx)->p;
	const struct function *f = &p->function[a], *g = &p->function[b];
	int r = strtab_cmp(&p->strings, f->name, g->name);

	if (!r)
		r = strtab_cmp(&p->strings, f->system_name, g->system_name);
	if (!r)
		r = strtab_cmp(&p->strings, f->file, g->file);
	if (!r)
		r = CMP(f->start_line, g->start_line);
	return r ? r : CMP(a, b);
}

static int
line_cmp(const struct line *a, const struct line *b)
{
	if (a->function != b->function)
		return CMP(a->function, b->function);
	if (a->line != b->line)
		return CMP(a->line, b->line);
	return CMP(a->column, b->column);
}

/* Called when mappings and functions are indices of the result. */
static int
location_cmp(const void *x, const void *y, void *ctx)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	const struct profile *p = ((const struct canon *)ctx)->p;
	const struct location *l = &p->location[a], *m = &p->location[b];
	int r = 0;

	if (l->mapping != m->mapping)
		return CMP(l->mapping, m->mapping);
	if (l->address != m->address)
		return CMP(l->address, m->address);
	for (uint32_t k = 0; !r && k < l->n_line && k < m->n_line; k++)
		r = line_cmp(&profile_line(p, l)[k], &profile_line(p, m)[k]);
	if (!r)
		r = CMP(l->n_line, m->n_line);
	if (!r)
		r = CMP(l->is_folded, m->is_folded);
	return r ? r : CMP(a, b);
}

/*
 * Sort the used ones of n entries: order[k] is the k-th. used[] is PROF_NONE
 * for unused entries, and becomes the place of the others. Returns the number
 * of used ones.
 */
static size_t
rank(struct canon *c, uint32_t *used, size_t n, uint32_t *order, order_cmp cmp)
{
	size_t n_used = 0, i;

	for (i = 0; i < n; i++)
		if (used[i] != PROF_NONE)
			order[n_used++] = (uint32_t)i;
	for (i = 1; i < n_used && cmp(&order[i - 1], &order[i], c) <= 0; i++)
		; /* often sorted already, in an earlier merge */
	if (i < n_used)
		qsort_r(order, n_used, sizeof(*order), cmp, c);
	for (i = 0; i < n_used; i++)
		used[order[i]] = (uint32_t)i;
	return n_used;
}

/* rank() and move the entries of a table to their places. -1 without memory. */
#define SORT_TABLE(c, table, n, used, cmp)                                     \
	sort_table(c, (c)->p->table, sizeof(*(c)->p->table), &(c)->p->n, used, \
		   cmp)

static int
sort_table(struct canon *c, void *table, size_t size, size_t *n, uint32_t *used,
	   order_cmp cmp)
{
	uint32_t *order = malloc((*n + 1) * sizeof(*order));
	char *copy = malloc(*n * size + 1);
	int r = -1;

	if (order && copy) {
		size_t n_used = rank(c, used, *n, order, cmp);

		if (*n)
			memcpy(copy, table, *n * size);
		for (size_t i = 0; i < n_used; i++)
			memcpy((char *)table + i * size, copy + order[i] * size,
			       size);
		*n = n_used;
		r = 0;
	}
	free(order);
	free(copy);
	return r;
}

static bool
is_identity(const uint32_t *map, size_t n)
{
	size_t i = 0;

	while (i < n && map[i] == i)
		i++;
	return i == n;
}

static int
sort_tables(struct canon *c)
{
	struct profile *p = c->p;
	size_t n_location = p->n_location;

	if (SORT_TABLE(c, mapping, n_mapping, c->mapping, mapping_cmp) < 0 ||
	    SORT_TABLE(c, function, n_function, c->function, function_cmp) < 0)
		return -1;
	/* Entries without references may have PROF_NONE, here and below. */
	for (size_t i = 0; i < p->n_line; i++)
		if (p->line[i].function != PROF_NONE)
			p->line[i].function = c->function[p->line[i].function];
	for (size_t i = 0; i < p->n_location; i++)
		if (p->location[i].mapping != PROF_NONE)
			p->location[i].mapping =
				c->mapping[p->location[i].mapping];
	if (SORT_TABLE(c, location, n_location, c->location, location_cmp) < 0)
		return -1;
	if (!is_identity(c->location, n_location))
		for (size_t i = 0; i < p->n_stack; i++)
			if (p->stack[i] != PROF_NONE)
				p->stack[i] = c->location[p->stack[i]];

	for (size_t i = 0; i < p->n_mapping; i++)
		p->mapping[i].id = i + 1;
	for (size_t i = 0; i < p->n_function; i++)
		p->function[i].id = i + 1;
	for (size_t i = 0; i < p->n_location; i++)
		p->location[i].id = i + 1;
	p->room.mapping_id = p->n_mapping;
	p->room.function_id = p->n_function;
	p->room.location_id = p->n_location;
	return 0;
}

/* --- samples --- */

struct key {
	uint64_t word; /* the first frames of the stack */
	uint32_t sample;
};

static int
label_cmp(const struct profile *p, const struct label *a, const struct label *b)
{
	int r = CMP(a->str == 0, b->str == 0);

	if (!r)
		r = strtab_cmp(&p->strings, a->key, b->key);
	if (!r)
		r = strtab_cmp(&p->strings, a->str, b->str);
	if (!r)
		r = CMP(a->num, b->num);
	return r ? r : strtab_cmp(&p->strings, a->unit, b->unit);
}

/* Compare two samples with equal words. */
static int
sample_cmp(const void *x, const void *y, void *ctx)
{
	const struct key *a = x, *b = y;
	const struct profile *p = ((const struct canon *)ctx)->p;
	const struct sample *s = &p->sample[a->sample];
	const struct sample *t = &p->sample[b->sample];
	const uint32_t *f = profile_stack(p, s), *g = profile_stack(p, t);
	int r = 0;

	for (uint32_t k = 0; k < s->n_stack && k < t->n_stack; k++)
		if (f[k] != g[k])
			return CMP(f[k], g[k]);
	if (s->n_stack != t->n_stack)
		return CMP(s->n_stack, t->n_stack);
	for (uint32_t k = 0; !r && k < s->n_label && k < t->n_label; k++)
		r = label_cmp(p, &profile_label(p, s)[k],
			      &profile_label(p, t)[k]);
	if (!r)
		r = CMP(s->n_label, t->n_label);
	return r ? r : CMP(a->sample, b->sample);
}

/* The packing of words: as many frames as fit. */
struct packing {
	unsigned bits; /* per frame: its rank + 1, or 0 for the end */
	uint32_t n;    /* frames in a word */
};

/* Pack the frames of s from `skip` on; a stack sorts before its extensions. */
static uint64_t
pack(const struct profile *p, const struct sample *s, struct packing by,
     uint32_t skip)
{
	const uint32_t *stack = profile_stack(p, s);
	uint64_t word = 0;

	for (uint32_t k = skip; k < skip + by.n; k++) {
		word <<= by.bits;
		if (k < s->n_stack)
			word |= stack[k] + 1;
	}
	return word;
}

static struct packing
make_keys(const struct profile *p, struct key *key)
{
	unsigned bits = 64 - (unsigned)__builtin_clzll(p->n_location | 1);
	struct packing by = { bits, 64 / bits };

	for (size_t i = 0; i < p->n_sample; i++)
		key[i] = (struct key){ pack(p, &p->sample[i], by, 0),
				       (uint32_t)i };
	return by;
}

/* Sort by word, stable; tmp has room for n keys. Returns the array with the
 * result, key or tmp. */
static struct key *
radix_sort(struct key *key, struct key *tmp, size_t n, unsigned bits)
{
	enum { DIGIT = 11, N_BUCKET = 1 << DIGIT };
	uint32_t count[N_BUCKET];

	for (unsigned shift = 0; shift < bits; shift += DIGIT) {
		uint32_t at = 0;
		struct key *swap = key;

		memset(count, 0, sizeof(count));
		for (size_t i = 0; i < n; i++)
			count[key[i].word >> shift & (N_BUCKET - 1)]++;
		for (size_t i = 0; i < N_BUCKET; i++) {
			uint32_t here = count[i];

			count[i] = at;
			at += here;
		}
		for (size_t i = 0; i < n; i++)
			tmp[count[key[i].word >> shift & (N_BUCKET - 1)]++] =
				key[i];
		key = tmp;
		tmp = swap;
	}
	return key;
}

static int
word_cmp(const void *x, const void *y)
{
	const struct key *a = x, *b = y;

	return CMP(a->word, b->word);
}

/* Sort runs of samples with equal words, which are of the frames before `skip`,
 * by the words of the frames from there on, recursively. Small runs, and very
 * deep stacks, are sorted by comparison. */
static void
sort_ties(struct canon *c, struct key *key, size_t n, struct packing by,
	  uint32_t skip)
{
	enum { FEW = 4, DEEP = 64 };
	size_t from = 0;

	for (size_t i = 1; i <= n; i++) {
		struct key *tied = key + from;
		size_t n_tied = i - from;

		if (i < n && key[i].word == tied->word)
			continue;
		from = i;
		if (n_tied == 1)
			continue;
		if (n_tied < FEW || skip >= DEEP) {
			qsort_r(tied, n_tied, sizeof(*key), sample_cmp, c);
			continue;
		}
		for (size_t k = 0; k < n_tied; k++)
			tied[k].word = pack(c->p, &c->p->sample[tied[k].sample],
					    by, skip);
		qsort(tied, n_tied, sizeof(*key), word_cmp);
		sort_ties(c, tied, n_tied, by, skip + by.n);
	}
}

/* Put the samples and their values into the order of key[], in place. */
static int
permute(struct profile *p, struct key *key)
{
	size_t row = p->n_type * sizeof(*p->value);
	int64_t *values = malloc(row + 1);

	if (!values)
		return -1;
	for (size_t i = 0; i < p->n_sample; i++) {
		struct sample first = p->sample[i];
		size_t to = i, from = key[i].sample;

		if (from == i)
			continue;
		memcpy(values, profile_value(p, i), row);
		/* Follow the cycle: each place takes from the next one. */
		while (from != i) {
			p->sample[to] = p->sample[from];
			memcpy(profile_value(p, to), profile_value(p, from),
			       row);
			key[to].sample = (uint32_t)to;
			to = from;
			from = key[to].sample;
		}
		p->sample[to] = first;
		memcpy(profile_value(p, to), values, row);
		key[to].sample = (uint32_t)to;
	}
	free(values);
	return 0;
}

static bool
in_order(struct canon *c, const struct key *key, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (key[i - 1].word > key[i].word ||
		    (key[i - 1].word == key[i].word &&
		     sample_cmp(&key[i - 1], &key[i], c) > 0))
			return false;
	return true;
}

static int
sort_samples(struct canon *c)
{
	size_t n = c->p->n_sample;
	struct key *key = malloc((n + 1) * sizeof(*key)), *tmp = NULL;
	struct packing by;
	int r = -1;

	if (!key)
		return -1;
	by = make_keys(c->p, key);
	if (in_order(c, key, n)) {
		free(key);
		return 0;
	}
	tmp = malloc((n + 1) * sizeof(*tmp));
	if (tmp) {
		struct key *sorted = radix_sort(key, tmp, n, by.n * by.bits);

		sort_ties(c, sorted, n, by, by.n);
		r = permute(c->p, sorted);
	}
	free(key);
	free(tmp);
	return r;
}

/* An array of n times PROF_NONE, or of zeros. */
static uint32_t *
new_map(size_t n, int fill)
{
	uint32_t *map = malloc((n + 1) * sizeof(*map));

	if (map)
		memset(map, fill, n * sizeof(*map));
	return map;
}

int
profile_canonicalize(struct profile *p, uint32_t main_mapping, bool is_tight)
{
	int fill = is_tight ? 0 : 0xff;
	struct canon c = { p, main_mapping, new_map(p->n_mapping, fill),
			   new_map(p->n_function, fill),
			   new_map(p->n_location, fill) };
	int r = -1;

	if (c.mapping && c.function && c.location) {
		if (!is_tight)
			mark_used(&c);
		r = sort_tables(&c) < 0 ? -1 : sort_samples(&c);
	}
	free(c.mapping);
	free(c.function);
	free(c.location);
	return r;
}
