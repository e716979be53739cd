/* check.c - profile_check(); see profile.h. */
#include "config.h"

#include <inttypes.h>

#include "lib/base/idmap.h"
#include "profile.h"

#define BAD(...) prof_fail(err, PROF_EINVALID, __VA_ARGS__)

/* Check that ids are unique and not 0, in a table whose entries begin with the
 * id. */
static enum prof_status
check_ids(const char *what, const void *table, size_t n, size_t size,
	  struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	struct idmap map;

	if (idmap_init(&map, n) < 0)
		return prof_nomem(err);
	for (size_t i = 0; i < n && st == PROF_OK; i++) {
		uint64_t id =
			*(const uint64_t *)((const char *)table + i * size);
		int r = id ? idmap_add(&map, id, (uint32_t)i) : 1;

		if (r < 0)
			st = prof_nomem(err);
		else if (r)
			st = BAD("%s %zu: bad id %" PRIu64, what, i, id);
	}
	idmap_release(&map);
	return st;
}

static enum prof_status
check_tables(const struct profile *p, struct prof_err *err)
{
	size_t n_str = p->strings.n_str;

	for (size_t i = 0; i < p->n_type; i++)
		if (p->type[i].type >= n_str || p->type[i].unit >= n_str)
			return BAD("type %zu: bad string", i);
	for (size_t i = 0; i < p->n_mapping; i++)
		if (p->mapping[i].file >= n_str ||
		    p->mapping[i].build_id >= n_str)
			return BAD("mapping %zu: bad string", i);
	for (size_t i = 0; i < p->n_function; i++)
		if (p->function[i].name >= n_str ||
		    p->function[i].system_name >= n_str ||
		    p->function[i].file >= n_str)
			return BAD("function %zu: bad string", i);
	for (size_t i = 0; i < p->n_location; i++) {
		const struct location *l = &p->location[i];

		if (l->mapping != PROF_NONE && l->mapping >= p->n_mapping)
			return BAD("location %zu: bad mapping", i);
		if (l->line > p->n_line || l->n_line > p->n_line - l->line)
			return BAD("location %zu: bad lines", i);
		for (uint32_t k = 0; k < l->n_line; k++)
			if (profile_line(p, l)[k].function >= p->n_function)
				return BAD("location %zu: bad function", i);
	}
	for (size_t i = 0; i < p->n_comment; i++)
		if (p->comment[i] >= n_str)
			return BAD("comment %zu: bad string", i);
	if (p->period_type.type >= n_str || p->period_type.unit >= n_str ||
	    p->drop_frames >= n_str || p->keep_frames >= n_str ||
	    p->default_type >= n_str || p->doc_url >= n_str)
		return BAD("header: bad string");
	return PROF_OK;
}

static enum prof_status
check_labels(const struct profile *p, size_t i, struct prof_err *err)
{
	const struct sample *s = &p->sample[i];
	const struct label *l = profile_label(p, s);

	for (uint32_t k = 0; k < s->n_label; k++) {
		if (l[k].key >= p->strings.n_str ||
		    l[k].str >= p->strings.n_str ||
		    l[k].unit >= p->strings.n_str)
			return BAD("sample %zu: label %" PRIu32 ": bad string",
				   i, k);
		if (!l[k].str && !l[k].num && !l[k].unit)
			return BAD("sample %zu: void label", i);
		if (k && (l[k].str != 0) > (l[k - 1].str != 0))
			return BAD("sample %zu: labels out of order", i);
		if (k && (l[k].str != 0) == (l[k - 1].str != 0) &&
		    strtab_cmp(&p->strings, l[k - 1].key, l[k].key) > 0)
			return BAD("sample %zu: labels out of order", i);
	}
	return PROF_OK;
}

enum prof_status
profile_check(const struct profile *p, struct prof_err *err)
{
	enum prof_status st = check_tables(p, err);

	if (st == PROF_OK)
		st = check_ids("mapping", p->mapping, p->n_mapping,
			       sizeof(*p->mapping), err);
	if (st == PROF_OK)
		st = check_ids("function", p->function, p->n_function,
			       sizeof(*p->function), err);
	if (st == PROF_OK)
		st = check_ids("location", p->location, p->n_location,
			       sizeof(*p->location), err);
	for (size_t i = 0; i < p->n_sample && st == PROF_OK; i++) {
		const struct sample *s = &p->sample[i];

		if (s->stack > p->n_stack ||
		    s->n_stack > p->n_stack - s->stack ||
		    s->label > p->n_label || s->n_label > p->n_label - s->label)
			return BAD("sample %zu: outside its pool", i);
		for (uint32_t k = 0; k < s->n_stack; k++)
			if (profile_stack(p, s)[k] >= p->n_location)
				return BAD("sample %zu: bad location", i);
		st = check_labels(p, i, err);
	}
	return st;
}
