/* types.c - see types.h. */
#include "config.h"

#include "types.h"

#include <stdlib.h>
#include <string.h>

/* Set named[i], of n_type entries, for the types in the list. */
static enum prof_status
list_types(const struct profile *p, const char *list, bool *named,
	   struct prof_err *err)
{
	char *copy = strdup(list), *part = copy, *next;
	enum prof_status st = copy ? PROF_OK : prof_nomem(err);

	for (; part && st == PROF_OK; part = next) {
		size_t i;

		next = strchr(part, ',');
		if (next)
			*next++ = '\0';
		if (!*part) /* "" would be the default column */
			continue;
		st = profile_sample_index(p, part, &i, err);
		if (st == PROF_OK)
			named[i] = true;
	}
	free(copy);
	return st;
}

enum prof_status
types_keep(struct profile *p, const bool *keep, struct prof_err *err)
{
	bool has_default = false;
	size_t n = 0, at = 0;

	for (size_t i = 0; i < p->n_type; i++)
		n += keep[i];
	if (n == 0)
		return prof_fail(err, PROF_EUSAGE,
				 "no sample type would be left");
	for (size_t i = 0; i < p->n_sample * p->n_type; i++)
		if (keep[i % p->n_type])
			p->value[at++] = p->value[i];
	at = 0;
	for (size_t i = 0; i < p->n_type; i++) {
		if (!keep[i])
			continue;
		p->type[at++] = p->type[i];
		if (p->type[i].type == p->default_type)
			has_default = true;
	}
	p->n_type = n;
	if (!has_default)
		p->default_type = 0;
	return PROF_OK;
}

enum prof_status
types_choose(struct profile *p, const char *keep, const char *drop,
	     struct prof_err *err)
{
	bool *kept = calloc(p->n_type + 1, sizeof(*kept));
	bool *dropped = calloc(p->n_type + 1, sizeof(*dropped));
	enum prof_status st = PROF_OK;

	if (!kept || !dropped)
		st = prof_nomem(err);
	if (keep && st == PROF_OK)
		st = list_types(p, keep, kept, err);
	if (drop && st == PROF_OK)
		st = list_types(p, drop, dropped, err);
	for (size_t i = 0; i < p->n_type && st == PROF_OK; i++)
		kept[i] = (kept[i] || !keep) && !dropped[i];
	if (st == PROF_OK && (keep || drop))
		st = types_keep(p, kept, err);
	free(kept);
	free(dropped);
	return st;
}
