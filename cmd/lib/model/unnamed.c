/* unnamed.c - see unnamed.h. */
#include "config.h"

#include "unnamed.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

struct count {
	const struct profile *p;
	size_t type;
	bool by_value;   /* false: each sample counts 1 */
	bool *nameless;  /* by location */
	uint32_t *stamp; /* by mapping: its last sample */
	double total;
};

/* Is it "[FILE+0xSTART]", for a function that only .eh_frame knows? */
static bool
is_range(const char *name)
{
	return name[0] == '[' && strstr(name, "+0x") &&
	       name[strlen(name) - 1] == ']';
}

/* The name of the innermost inlined function counts: reports show that. */
static bool
has_name(const struct profile *p, const struct location *l)
{
	const struct function *f;

	if (!l->n_line)
		return false;
	f = &p->function[profile_line(p, l)->function];
	return f->name && !is_range(profile_str(p, f->name));
}

static double
weight(const struct count *c, size_t i)
{
	double v;

	if (!c->by_value)
		return 1;
	v = (double)profile_value(c->p, i)[c->type];
	return v < 0 ? -v : v;
}

static void
add_sample(struct count *c, size_t i, struct unnamed *u)
{
	const struct profile *p = c->p;
	const struct sample *s = &p->sample[i];
	const uint32_t *stack = profile_stack(p, s);
	double w = weight(c, i);
	uint32_t n = 0;

	if (s->n_stack == 0)
		return;
	c->total += w;
	for (uint32_t k = 0; k < s->n_stack; k++) {
		uint32_t m = p->location[stack[k]].mapping;
		size_t at = m == PROF_NONE ? p->n_mapping : m;

		if (!c->nameless[stack[k]])
			continue;
		n += k > 0;
		if (k == 0) {
			u->share += w;
			u->mapping[at] += w;
		}
		if (c->stamp[at] != i + 1)
			u->any[at] += w;
		c->stamp[at] = (uint32_t)(i + 1);
	}
	if (n > (s->n_stack - 1) / 2)
		u->callers += w;
}

enum prof_status
unnamed_count(struct unnamed *u, const struct profile *p, struct prof_err *err)
{
	struct count c = { .p = p };
	bool any = false;

	*u = (struct unnamed){ 0 };
	c.nameless = calloc(p->n_location + 1, sizeof(*c.nameless));
	c.stamp = calloc(p->n_mapping + 1, sizeof(*c.stamp));
	u->mapping = calloc(p->n_mapping + 1, sizeof(*u->mapping));
	u->any = calloc(p->n_mapping + 1, sizeof(*u->any));
	if (!c.nameless || !c.stamp || !u->mapping || !u->any) {
		free(c.nameless);
		free(c.stamp);
		unnamed_release(u);
		return prof_nomem(err);
	}
	for (size_t i = 0; i < p->n_location; i++)
		any |= c.nameless[i] = !has_name(p, &p->location[i]);
	/* Most profiles have millions of frames and nothing to count. */
	if (any && profile_sample_index(p, NULL, &c.type, NULL) == PROF_OK)
		for (size_t i = 0; i < p->n_sample && !c.by_value; i++)
			c.by_value = profile_value(p, i)[c.type] != 0;
	for (size_t i = 0; i < p->n_sample && any; i++)
		add_sample(&c, i, u);
	if (c.total > 0) {
		u->share /= c.total;
		u->callers /= c.total;
		for (size_t m = 0; m <= p->n_mapping; m++) {
			u->mapping[m] /= c.total;
			u->any[m] /= c.total;
		}
	}
	free(c.nameless);
	free(c.stamp);
	return PROF_OK;
}

void
unnamed_release(struct unnamed *u)
{
	free(u->mapping);
	free(u->any);
	u->mapping = u->any = NULL;
}

bool
unnamed_is_raw(const struct profile *p)
{
	for (size_t i = 0; i < p->n_location; i++) {
		const struct location *l = &p->location[i];

		if (l->n_line && l->mapping != PROF_NONE &&
		    *profile_str(p, p->mapping[l->mapping].file) != '[')
			return false;
	}
	return p->n_location > 0;
}

const char *
unnamed_remedy(const struct profile *p)
{
	return unnamed_is_raw(p)
		       ? "run prof-symbolize"
		       : "their files have none, or were not found; see "
			 "--search-path of prof-symbolize, DEBUGINFOD_URLS, "
			 "-dbgsym packages";
}
