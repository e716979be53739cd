/* byname.c - see byname.h. */
#include "config.h"

#include "byname.h"

#include "lib/base/array.h"

enum prof_status
byname_init(struct byname *b, struct prof_err *err)
{
	memset(b, 0, sizeof(*b));
	b->p = profile_new();
	if (!b->p || hashtab_init(&b->function) < 0 ||
	    hashtab_init(&b->location) < 0 || hashtab_init(&b->mapping) < 0)
		return prof_nomem(err);
	return PROF_OK;
}

void
byname_release(struct byname *b)
{
	hashtab_release(&b->function);
	hashtab_release(&b->location);
	hashtab_release(&b->mapping);
	free(b->by_name);
	free(b->stack);
	profile_free(b->p);
	memset(b, 0, sizeof(*b));
}

struct profile *
byname_take(struct byname *b)
{
	struct profile *p = b->p;

	b->p = NULL;
	return p;
}

uint32_t
byname_string(struct byname *b, const char *s, size_t n)
{
	return strtab_add(&b->p->strings, s, n);
}

uint32_t
byname_function(struct byname *b, uint32_t name, uint32_t file,
		int64_t start_line)
{
	struct function f = { .name = name,
			      .system_name = name,
			      .file = file,
			      .start_line = start_line };
	struct hashtab *t = &b->function;
	uint32_t hash = (uint32_t)hashtab_mix(
		t, hashtab_mix(t, (uint64_t)name << 32 | file, 1),
		(uint64_t)start_line);
	size_t at = hashtab_start(t, hash);
	uint32_t i;

	while ((i = hashtab_next(t, hash, &at)) != HASHTAB_NONE) {
		const struct function *have = &b->p->function[i];

		if (have->name == name && have->file == file &&
		    have->start_line == start_line)
			return i;
	}
	i = profile_add_function(b->p, &f);
	if (i == PROF_NONE || hashtab_add(t, hash, i) < 0)
		return PROF_NONE;
	return i;
}

uint32_t
byname_mapping(struct byname *b, uint32_t file)
{
	struct mapping m = { .file = file };
	struct hashtab *t = &b->mapping;
	uint32_t hash = (uint32_t)hashtab_mix(t, file, 1), i;
	size_t at = hashtab_start(t, hash);

	while ((i = hashtab_next(t, hash, &at)) != HASHTAB_NONE)
		if (b->p->mapping[i].file == file)
			return i;
	m.has = MAPPING_FUNCTIONS;
	i = profile_add_mapping(b->p, &m);
	if (i == PROF_NONE || hashtab_add(t, hash, i) < 0)
		return PROF_NONE;
	return i;
}

static bool
same_lines(const struct line *a, const struct line *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i].function != b[i].function || a[i].line != b[i].line ||
		    a[i].column != b[i].column)
			return false;
	return true;
}

uint32_t
byname_location(struct byname *b, uint32_t mapping, uint64_t address,
		const struct line *line, size_t n_line)
{
	struct location l = { .address = address, .mapping = mapping };
	struct hashtab *t = &b->location;
	uint64_t h = hashtab_mix(t, mapping, address);
	size_t at;
	uint32_t i;

	for (size_t k = 0; k < n_line; k++)
		h = hashtab_mix(t, hashtab_mix(t, h, line[k].function),
				(uint64_t)line[k].line ^
					(uint64_t)line[k].column << 40);
	at = hashtab_start(t, (uint32_t)h);
	while ((i = hashtab_next(t, (uint32_t)h, &at)) != HASHTAB_NONE) {
		const struct location *have = &b->p->location[i];

		if (have->mapping == mapping && have->address == address &&
		    have->n_line == n_line &&
		    same_lines(profile_line(b->p, have), line, n_line))
			return i;
	}
	i = profile_add_location(b->p, &l, line, n_line);
	if (i == PROF_NONE || hashtab_add(t, (uint32_t)h, i) < 0)
		return PROF_NONE;
	return i;
}

uint32_t
byname_name(struct byname *b, uint32_t name)
{
	size_t had = b->cap_by_name;
	struct line line = { 0 };

	if (array_reserve(&b->by_name, &b->cap_by_name, (size_t)name + 1,
			  sizeof(*b->by_name)) < 0)
		return PROF_NONE;
	for (; had < b->cap_by_name; had++)
		b->by_name[had] = PROF_NONE;
	if (b->by_name[name] != PROF_NONE)
		return b->by_name[name];
	line.function = byname_function(b, name, 0, 0);
	if (line.function == PROF_NONE)
		return PROF_NONE;
	return b->by_name[name] = byname_location(b, PROF_NONE, 0, &line, 1);
}

int
byname_push(struct byname *b, uint32_t location)
{
	if (location == PROF_NONE ||
	    array_reserve(&b->stack, &b->cap_stack, b->n_stack + 1,
			  sizeof(*b->stack)) < 0)
		return -1;
	b->stack[b->n_stack++] = location;
	return 0;
}

void
byname_reverse(struct byname *b)
{
	for (size_t i = 0, k = b->n_stack; i + 1 < k; i++) {
		uint32_t l = b->stack[i];

		b->stack[i] = b->stack[--k];
		b->stack[k] = l;
	}
}

int
byname_sample(struct byname *b, const int64_t *value, const struct label *label,
	      size_t n_label)
{
	uint32_t i = profile_add_sample(b->p, b->stack, b->n_stack, value,
					label, n_label);

	b->n_stack = 0;
	return i == PROF_NONE ? -1 : 0;
}
