/* pgo.c - see pgo.h. */
#include "config.h"

#include "pgo.h"

#include <stdlib.h>
#include <string.h>

#include "lib/model/types.h"
#include "merge.h"

static bool
is_type(const struct profile *p, size_t i, const char *type, const char *unit)
{
	return !strcmp(profile_str(p, p->type[i].type), type) &&
	       !strcmp(profile_str(p, p->type[i].unit), unit);
}

/* Keep only the column that the compiler uses. */
static enum prof_status
keep_column(struct profile *p, struct prof_err *err)
{
	bool *keep = calloc(p->n_type + 1, sizeof(*keep));
	size_t i, cpu = p->n_type;
	enum prof_status st;

	if (!keep)
		return prof_nomem(err);
	for (i = 0; i < p->n_type; i++) {
		if (is_type(p, i, "samples", "count"))
			break;
		if (is_type(p, i, "cpu", "nanoseconds"))
			cpu = i;
	}
	if (i == p->n_type)
		i = cpu;
	if (i == p->n_type) {
		free(keep);
		return prof_fail(err, PROF_EUSAGE,
				 "no CPU profile: it has neither samples/count "
				 "nor cpu/nanoseconds");
	}
	keep[i] = true;
	st = types_keep(p, keep, err);
	free(keep);
	return st;
}

enum prof_status
profile_pgo(struct profile *p, struct profile **out, struct prof_err *err)
{
	enum prof_status st = keep_column(p, err);
	bool has_start = false;

	*out = NULL;
	if (st != PROF_OK)
		return st;
	for (size_t i = 0; i < p->n_function; i++) {
		has_start = has_start || p->function[i].start_line;
		p->function[i].system_name = p->function[i].file = 0;
	}
	if (!has_start)
		return prof_fail(err, PROF_EUSAGE,
				 "no function has a start line, which Go's "
				 "compiler needs");
	for (size_t i = 0; i < p->n_line; i++)
		p->line[i].column = 0;
	for (size_t i = 0; i < p->n_location; i++) {
		p->location[i].mapping = PROF_NONE;
		p->location[i].address = 0;
		p->location[i].is_folded = false;
	}
	for (size_t i = 0; i < p->n_sample; i++)
		p->sample[i].n_label = 0;
	p->n_mapping = p->n_comment = 0;
	p->period_type = (struct value_type){ 0 };
	p->period = p->time_ns = p->duration_ns = 0;
	p->drop_frames = p->keep_frames = p->default_type = p->doc_url = 0;
	return profile_compact(p, out, err);
}
