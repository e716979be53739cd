/* labels.c - see labels.h. */
#include "config.h"

#include "labels.h"

#include <stdlib.h>
#include <string.h>

#include "profile.h"

int
label_units_init(struct label_units *u, const struct profile *p)
{
	u->p = p;
	u->base = base_mark_of(p).key;
	u->unit = calloc(p->strings.n_str, sizeof(*u->unit));
	if (!u->unit)
		return -1;
	for (size_t i = 0; i < p->n_sample; i++) {
		const struct label *l = profile_label(p, &p->sample[i]);

		for (uint32_t k = 0; k < p->sample[i].n_label; k++)
			if (l[k].unit && !u->unit[l[k].key])
				u->unit[l[k].key] = l[k].unit;
	}
	return 0;
}

void
label_units_release(struct label_units *u)
{
	free(u->unit);
	u->unit = NULL;
}

const char *
label_unit(const struct label_units *u, const struct label *l)
{
	const char *key = profile_str(u->p, l->key);

	if (l->unit)
		return profile_str(u->p, l->unit);
	if (u->unit[l->key])
		return profile_str(u->p, u->unit[l->key]);
	if (!strcmp(key, "alignment") || !strcmp(key, "request"))
		return "bytes";
	return key;
}

struct base_mark
base_mark_of(const struct profile *p)
{
	static const char key[] = "pprof::base", yes[] = "true";

	return (struct base_mark){
		strtab_find(&p->strings, key, strlen(key)),
		strtab_find(&p->strings, yes, strlen(yes)),
	};
}

bool
base_mark_on(const struct base_mark *m, const struct profile *p,
	     const struct sample *s)
{
	const struct label *l = profile_label(p, s);

	if (m->key == STRTAB_NONE || m->value == STRTAB_NONE)
		return false;
	for (uint32_t k = 0; k < s->n_label; k++)
		if (l[k].key == m->key && l[k].str == m->value)
			return true;
	return false;
}

bool *
base_mark_samples(const struct profile *p, bool base)
{
	struct base_mark mark = base_mark_of(p);
	bool *marked = malloc(p->n_sample + 1);

	for (size_t i = 0; marked && i < p->n_sample; i++)
		marked[i] = base_mark_on(&mark, p, &p->sample[i]) == base;
	return marked;
}

bool
profile_has_base(const struct profile *p)
{
	struct base_mark mark = base_mark_of(p);

	for (size_t i = 0; i < p->n_sample; i++)
		if (base_mark_on(&mark, p, &p->sample[i]))
			return true;
	return false;
}
