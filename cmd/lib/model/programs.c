/* programs.c - see programs.h. */
#include "config.h"

#include "programs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "units.h"

#define COMM_MAX 15 /* bytes of a task's name */

/* The string of the label `key` of a sample, or 0. */
static uint32_t
label_of(const struct profile *p, const struct sample *s, uint32_t key)
{
	const struct label *l = profile_label(p, s);

	for (uint32_t i = 0; i < s->n_label; i++)
		if (l[i].key == key)
			return l[i].str;
	return 0;
}

/* Is this the last part of the path, or of a name that Linux cut, its start? */
static bool
is_file_of(const struct str *file, const struct str *name)
{
	const char *slash = memrchr(file->s, '/', file->len);
	const char *base = slash ? slash + 1 : file->s;
	size_t n = (size_t)(file->s + file->len - base);

	return (n == name->len || (n > name->len && name->len == COMM_MAX)) &&
	       !memcmp(base, name->s, name->len);
}

/* The name with the largest sum; samples without a name are those of the
 * program that a recorder has started. */
static uint32_t
largest_of(const struct profile *p, int64_t *sum, const unsigned char *is_there,
	   int64_t unnamed)
{
	uint32_t largest = 0;

	for (uint32_t name = 1; name < p->strings.n_str; name++) {
		if (!is_there[name])
			continue;
		if (p->n_mapping &&
		    is_file_of(&p->strings.str[p->mapping[0].file],
			       &p->strings.str[name]))
			sum[name] = units_add(sum[name], unnamed);
		if (!largest || sum[name] > sum[largest])
			largest = name;
	}
	return largest;
}

enum prof_status
programs_count(const struct profile *p, size_t column, struct programs *out,
	       struct prof_err *err)
{
	uint32_t key = strtab_find(&p->strings, PROGRAMS_LABEL,
				   strlen(PROGRAMS_LABEL));
	int64_t *sum, unnamed = 0;
	unsigned char *is_there;
	bool is_unknown = false;

	*out = (struct programs){ 0 };
	if (key == STRTAB_NONE || !key)
		return PROF_OK;
	sum = calloc(p->strings.n_str, sizeof(*sum));
	is_there = calloc(p->strings.n_str, 1);
	if (!sum || !is_there) {
		free(sum);
		free(is_there);
		return prof_nomem(err);
	}
	for (size_t i = 0; i < p->n_sample; i++) {
		uint32_t name = label_of(p, &p->sample[i], key);

		if (!name) {
			is_unknown = true;
			unnamed =
				units_add(unnamed, profile_value(p, i)[column]);
			continue;
		}
		if (p->strings.str[name].s[0] == '[') /* [others] is none */
			continue;
		out->n += !is_there[name];
		is_there[name] = 1;
		sum[name] = units_add(sum[name], profile_value(p, i)[column]);
	}
	out->largest = largest_of(p, sum, is_there, unnamed);
	if (out->n == 1 && is_unknown)
		*out = (struct programs){ 0 };
	free(sum);
	free(is_there);
	return PROF_OK;
}

const struct str *
programs_name(const struct profile *p, const struct programs *x)
{
	return &p->strings.str[x->largest];
}

const struct mapping *
programs_mapping(const struct profile *p, const struct str *name)
{
	const struct mapping *found = NULL;

	if (!name->len)
		return p->n_mapping ? &p->mapping[0] : NULL;
	for (size_t i = 0; i < p->n_mapping; i++) {
		const struct mapping *m = &p->mapping[i];

		if (!is_file_of(&p->strings.str[m->file], name))
			continue;
		if (found && found->build_id != m->build_id)
			return NULL;
		found = m;
	}
	return found;
}
