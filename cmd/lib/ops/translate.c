/* translate.c - see translate.h. */
#include "config.h"

#include "translate.h"

#include <stdlib.h>
#include <string.h>

#include "canon.h"
#include "lib/model/pool.h"

/* The state of a mapping of out, besides struct mapping. */
struct mapping_state {
	uint64_t max_size;
	bool is_used; /* by a location, in some profile */
	bool is_main; /* the first of some profile */
};

int
translation_init(struct translation *x, struct profile *out)
{
	memset(x, 0, sizeof(*x));
	x->out = out;
	return hashtab_init(&x->mappings) < 0 ||
			       hashtab_init(&x->functions) < 0 ||
			       hashtab_init(&x->locations) < 0
		       ? -1
		       : 0;
}

void
translation_release(struct translation *x)
{
	hashtab_release(&x->mappings);
	hashtab_release(&x->functions);
	hashtab_release(&x->locations);
	free(x->mapping);
	free(x->string);
	free(x->map);
	free(x->function);
	free(x->location);
	free(x->known);
}

uint32_t
translate_string(struct translation *x, uint32_t s)
{
	if (s && x->string[s] == PROF_NONE)
		x->string[s] = strtab_add_str(&x->out->strings,
					      &x->from->strings.str[s]);
	return s ? x->string[s] : 0;
}

/* Merge mapping `from` into `to`: the lowest start, largest size, first file
 * name, common has. */
static void
join_mapping(struct translation *x, uint32_t to, const struct mapping *from,
	     uint64_t size)
{
	struct mapping *old = &x->out->mapping[to];
	struct mapping_state *state = &x->mapping[to];

	if (from->start < old->start)
		old->start = from->start;
	if (size > state->max_size)
		state->max_size = size;
	if (from->file && (!old->file || strtab_cmp(&x->out->strings,
						    from->file, old->file) < 0))
		old->file = from->file;
	old->has &= from->has;
}

static uint32_t
find_mapping(const struct translation *x, const struct mapping *key,
	     uint64_t size, uint32_t *hash)
{
	const struct hashtab *t = &x->mappings;
	uint64_t h = hashtab_mix(t, mapping_pages(size), key->offset);
	uint32_t i;
	size_t at;

	h = hashtab_mix(t, h, key->build_id ? key->build_id : key->file);
	*hash = (uint32_t)h;
	at = hashtab_start(t, *hash);
	while ((i = hashtab_next(t, *hash, &at)) != HASHTAB_NONE) {
		const struct mapping *old = &x->out->mapping[i];

		if (old->offset == key->offset &&
		    old->build_id == key->build_id &&
		    (key->build_id || old->file == key->file) &&
		    mapping_pages(x->mapping[i].max_size) ==
			    mapping_pages(size))
			return i;
	}
	return PROF_NONE;
}

static uint32_t
add_mapping(struct translation *x, const struct mapping *key, uint64_t size,
	    uint32_t hash)
{
	uint32_t i = profile_add_mapping(x->out, key);
	struct mapping_state *grown;

	if (i == PROF_NONE || hashtab_add(&x->mappings, hash, i) < 0)
		return PROF_NONE;
	if (i >= x->cap_mapping) {
		grown = realloc(x->mapping,
				x->out->room.mapping * sizeof(*grown));
		if (!grown)
			return PROF_NONE;
		x->mapping = grown;
		x->cap_mapping = x->out->room.mapping;
	}
	x->mapping[i] = (struct mapping_state){ .max_size = size };
	return i;
}

/*
 * Only profiles whose locations use a mapping describe it: one that is merely
 * listed may never have been symbolized, and an earlier merge would have
 * dropped it.
 */
static uint32_t
map_mapping(struct translation *x, uint32_t i, bool is_used)
{
	struct mapping key = x->from->mapping[i];
	uint64_t size = key.limit - key.start;
	struct mapping_state *state;
	uint32_t hash, to;

	key.id = 0;
	key.file = translate_string(x, key.file);
	key.build_id = translate_string(x, key.build_id);
	if (key.file == STRTAB_NONE || key.build_id == STRTAB_NONE)
		return PROF_NONE;
	to = find_mapping(x, &key, size, &hash);
	if (to == PROF_NONE) {
		to = add_mapping(x, &key, size, hash);
		if (to == PROF_NONE)
			return PROF_NONE;
		x->mapping[to].is_used = is_used;
	}
	state = &x->mapping[to];
	if (is_used && !state->is_used) {
		state->is_used = true;
		state->max_size = size;
		key.id = x->out->mapping[to].id;
		x->out->mapping[to] = key;
	} else if (is_used == state->is_used) {
		join_mapping(x, to, &key, size);
	}
	/* If merely listed, do not note it: a location may still use it. */
	if (is_used)
		x->map[i] = to;
	else
		state->is_main = true;
	return to;
}

static uint32_t
hash_function(const struct hashtab *t, const struct function *f)
{
	uint64_t h = hashtab_mix(t, (uint64_t)f->name << 32 | f->file,
				 (uint64_t)f->start_line);

	return (uint32_t)hashtab_mix(t, h, f->system_name);
}

/* The function of out that is equal to f, or PROF_NONE. */
static uint32_t
find_function(const struct translation *x, const struct function *f,
	      uint32_t hash)
{
	size_t at = hashtab_start(&x->functions, hash);
	uint32_t k;

	while ((k = hashtab_next(&x->functions, hash, &at)) != HASHTAB_NONE) {
		const struct function *g = &x->out->function[k];

		if (f->name == g->name && f->system_name == g->system_name &&
		    f->file == g->file && f->start_line == g->start_line)
			return k;
	}
	return PROF_NONE;
}

static uint32_t
map_function(struct translation *x, uint32_t i)
{
	const struct function *from = &x->from->function[i];
	struct function f = { .start_line = from->start_line };
	uint32_t hash, k;

	if (x->function[i] != PROF_NONE)
		return x->function[i];
	f.name = translate_string(x, from->name);
	f.system_name = translate_string(x, from->system_name);
	f.file = translate_string(x, from->file);
	if (f.name == STRTAB_NONE || f.system_name == STRTAB_NONE ||
	    f.file == STRTAB_NONE)
		return PROF_NONE;
	hash = hash_function(&x->functions, &f);
	k = find_function(x, &f, hash);
	if (k != PROF_NONE)
		return x->function[i] = k;
	k = profile_add_function(x->out, &f);
	if (k == PROF_NONE || hashtab_add(&x->functions, hash, k) < 0)
		return PROF_NONE;
	return x->function[i] = k;
}

/*
 * Location l is one of the current profile, but for its mapping, which is of
 * out, and its address, which is relative to that. Its functions are in
 * x->function.
 */
static uint32_t
hash_location(const struct translation *x, const struct location *l)
{
	const struct hashtab *t = &x->locations;
	const struct line *line = profile_line(x->from, l);
	uint64_t h = hashtab_mix(t, l->address,
				 (uint64_t)l->mapping << 32 | l->n_line << 1 |
					 l->is_folded);

	for (uint32_t n = 0; n < l->n_line; n++) {
		h = hashtab_mix(t, h, (uint64_t)line[n].line);
		h = hashtab_mix(t, h,
				(uint64_t)line[n].column << 32 ^
					x->function[line[n].function]);
	}
	return (uint32_t)h;
}

static bool
same_lines(const struct translation *x, const struct line *from,
	   const struct line *out, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (x->function[from[i].function] != out[i].function ||
		    from[i].line != out[i].line ||
		    from[i].column != out[i].column)
			return false;
	return true;
}

/* The location of out that is equal to l, or PROF_NONE. */
static uint32_t
find_location(const struct translation *x, const struct location *l,
	      uint32_t hash)
{
	size_t at = hashtab_start(&x->locations, hash);
	uint32_t k;

	while ((k = hashtab_next(&x->locations, hash, &at)) != HASHTAB_NONE) {
		const struct location *old = &x->out->location[k];

		if (l->address == old->address && l->mapping == old->mapping &&
		    l->is_folded == old->is_folded &&
		    l->n_line == old->n_line &&
		    same_lines(x, profile_line(x->from, l),
			       profile_line(x->out, old), l->n_line))
			return k;
	}
	return PROF_NONE;
}

static uint32_t
add_location(struct translation *x, const struct location *l, uint32_t hash)
{
	const struct line *line = profile_line(x->from, l);
	struct profile *out = x->out;
	struct line *to;

	if (l->n_line >= PROF_NONE - out->n_line ||
	    out->n_location >= PROF_NONE - 1 ||
	    POOL_RESERVE(out, line, out->n_line, line, l->n_line) < 0 ||
	    POOL_RESERVE(out, location, out->n_location, location, 1) < 0 ||
	    hashtab_add(&x->locations, hash, (uint32_t)out->n_location) < 0)
		return PROF_NONE;
	to = out->line + out->n_line;
	for (uint32_t n = 0; n < l->n_line; n++) {
		to[n] = line[n];
		to[n].function = x->function[line[n].function];
	}
	out->location[out->n_location] = *l;
	out->location[out->n_location].line = (uint32_t)out->n_line;
	out->n_line += l->n_line;
	return (uint32_t)out->n_location++;
}

/*
 * Translate location i, which x->location does not have yet. Its address
 * becomes relative to its mapping, whose start only translation_finish() knows.
 */
uint32_t
translate_new_location(struct translation *x, uint32_t i)
{
	struct location l = x->from->location[i];
	const struct line *line = profile_line(x->from, &l);
	uint32_t hash, k = x->known[i];

	if (l.mapping != PROF_NONE) {
		l.address -= x->from->mapping[l.mapping].start;
		if (x->map[l.mapping] == PROF_NONE &&
		    map_mapping(x, l.mapping, true) == PROF_NONE)
			return PROF_NONE;
		l.mapping = x->map[l.mapping];
	}
	if (k != PROF_NONE)
		return x->location[i] = k;
	for (uint32_t n = 0; n < l.n_line; n++)
		if (map_function(x, line[n].function) == PROF_NONE)
			return PROF_NONE;
	hash = hash_location(x, &l);
	k = find_location(x, &l, hash);
	return x->location[i] = k != PROF_NONE ? k : add_location(x, &l, hash);
}

/* --- batched look-ups --- */

/*
 * Profiles of one program have most entries in common, and the tables of the
 * sum are larger than the caches. So entries are searched in batches, and the
 * memory of each search is prefetched. These searches add nothing: entries that
 * are missing, or were not searched, are added or found on use.
 */
enum { BATCH = 16 };

static void
find_functions(struct translation *x)
{
	const struct hashtab *t = &x->functions;
	size_t n_function = x->from->n_function, n;
	struct function f[BATCH];
	uint32_t hash[BATCH], k;

	for (size_t i = 0; i < n_function; i += n) {
		n = n_function - i < BATCH ? n_function - i : BATCH;
		for (size_t j = 0; j < n; j++) {
			const struct function *from = &x->from->function[i + j];

			f[j] = *from;
			f[j].name = x->string[from->name];
			f[j].system_name = x->string[from->system_name];
			f[j].file = x->string[from->file];
			hash[j] = hash_function(t, &f[j]);
			__builtin_prefetch(&t->slot[hashtab_start(t, hash[j])]);
		}
		for (size_t j = 0; j < n; j++) {
			size_t at = hashtab_start(t, hash[j]);

			k = hashtab_next(t, hash[j], &at);
			if (k != HASHTAB_NONE)
				__builtin_prefetch(&x->out->function[k]);
		}
		for (size_t j = 0; j < n; j++)
			x->function[i + j] = find_function(x, &f[j], hash[j]);
	}
}

/* Neither a mapping of out nor PROF_NONE. */
#define UNKNOWN_MAPPING (PROF_NONE - 1)

/* The mapping of out for mapping i, or UNKNOWN_MAPPING. */
static uint32_t
known_mapping(const struct translation *x, uint32_t i)
{
	struct mapping key = x->from->mapping[i];
	uint32_t hash, to;

	key.file = x->string[key.file];
	key.build_id = x->string[key.build_id];
	to = find_mapping(x, &key, key.limit - key.start, &hash);
	return to != PROF_NONE ? to : UNKNOWN_MAPPING;
}

/* Prefetch the location that find_location() will compare, if any. */
static void
prefetch_location(const struct translation *x, uint32_t hash)
{
	size_t at = hashtab_start(&x->locations, hash);
	uint32_t k = hashtab_next(&x->locations, hash, &at);

	if (k != HASHTAB_NONE)
		__builtin_prefetch(&x->out->location[k]);
}

static void
find_locations(struct translation *x)
{
	const struct hashtab *t = &x->locations;
	size_t n_location = x->from->n_location, n;
	uint32_t hash[BATCH], mapping = PROF_NONE, to = PROF_NONE;
	struct location l[BATCH];

	for (size_t i = 0; i < n_location; i += n) {
		n = n_location - i < BATCH ? n_location - i : BATCH;
		for (size_t j = 0; j < n; j++) {
			l[j] = x->from->location[i + j];
			if (l[j].mapping != PROF_NONE) {
				if (l[j].mapping != mapping) {
					mapping = l[j].mapping;
					to = known_mapping(x, mapping);
				}
				l[j].address -= x->from->mapping[mapping].start;
				l[j].mapping = to;
			}
			hash[j] = hash_location(x, &l[j]);
			__builtin_prefetch(&t->slot[hashtab_start(t, hash[j])]);
		}
		for (size_t j = 0; j < n; j++)
			prefetch_location(x, hash[j]);
		for (size_t j = 0; j < n; j++)
			x->known[i + j] = find_location(x, &l[j], hash[j]);
	}
}

/* An array of at least n times PROF_NONE, in place of *map. */
static int
fill_map(uint32_t **map, size_t *cap, size_t n)
{
	if (n > *cap || !*map) {
		free(*map);
		*cap = 0;
		*map = malloc((n + 1) * sizeof(**map));
		if (!*map)
			return -1;
		*cap = n;
	}
	memset(*map, 0xff, n * sizeof(**map));
	return 0;
}

int
translation_begin(struct translation *x, const struct profile *from)
{
	x->from = from;
	if (fill_map(&x->string, &x->cap_string, from->strings.n_str) < 0 ||
	    fill_map(&x->map, &x->cap_map, from->n_mapping) < 0 ||
	    fill_map(&x->function, &x->cap_function, from->n_function) < 0 ||
	    fill_map(&x->location, &x->cap_location, from->n_location) < 0 ||
	    fill_map(&x->known, &x->cap_known, from->n_location) < 0)
		return -1;
	if (x->out->n_location) {
		strtab_find_all(&x->out->strings, &from->strings, x->string);
		find_functions(x);
		find_locations(x);
	}
	if (from->n_mapping && map_mapping(x, 0, false) == PROF_NONE)
		return -1;
	return 0;
}

uint32_t
translation_finish(struct translation *x, bool *all_used)
{
	struct profile *out = x->out;
	uint32_t first = PROF_NONE;

	for (uint32_t i = 0; i < out->n_mapping; i++) {
		struct mapping *m = &out->mapping[i];

		m->limit = m->start + x->mapping[i].max_size;
		if (x->mapping[i].is_main &&
		    (first == PROF_NONE ||
		     mapping_key_cmp(out, m, &out->mapping[first]) < 0))
			first = i;
	}
	*all_used = true;
	for (uint32_t i = 0; i < out->n_mapping; i++)
		if (!x->mapping[i].is_used && i != first)
			*all_used = false;
	for (size_t i = 0; i < out->n_location; i++) {
		struct location *l = &out->location[i];

		if (l->mapping != PROF_NONE)
			l->address += out->mapping[l->mapping].start;
	}
	return first;
}
