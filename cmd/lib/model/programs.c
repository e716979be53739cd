/* programs.c - see programs.h. */
#include "config.h"

#include "programs.h"

#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "units.h"

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

enum prof_status
programs_count(const struct profile *p, size_t column, struct programs *out,
	       struct prof_err *err)
{
	uint32_t key = strtab_find(&p->strings, "process", 7);
	int64_t *sum;
	unsigned char *is_there;

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
			*out = (struct programs){ 0 };
			break;
		}
		out->n += !is_there[name];
		is_there[name] = 1;
		sum[name] = units_add(sum[name], profile_value(p, i)[column]);
		if (!out->largest || sum[name] > sum[out->largest])
			out->largest = name;
	}
	free(sum);
	free(is_there);
	return PROF_OK;
}

const struct mapping *
programs_mapping(const struct profile *p, const struct programs *x)
{
	const struct str *name = &p->strings.str[x->largest];

	if (!x->n)
		return p->n_mapping ? &p->mapping[0] : NULL;
	for (size_t i = 0; x->n == 1 && i < p->n_mapping; i++) {
		const struct str *file = &p->strings.str[p->mapping[i].file];

		if (file->len >= name->len &&
		    !memcmp(file->s + file->len - name->len, name->s,
			    name->len) &&
		    (file->len == name->len ||
		     file->s[file->len - name->len - 1] == '/'))
			return &p->mapping[i];
	}
	return NULL;
}
