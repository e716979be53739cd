/* cpuprofile.c - see cpuprofile.h. */
#include "config.h"

#include "cpuprofile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json.h"
#include "lib/model/profile.h"
#include "named.h"
#include "tree.h"

/* The nanoseconds of one unit; a microsecond for units that are not of time. */
static uint64_t
nanoseconds(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} known[] = {
		{ "nanoseconds", 1 },
		{ "milliseconds", 1000000 },
		{ "seconds", 1000000000 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(unit, known[i].name))
			return known[i].ns;
	return 1000;
}

struct writer {
	FILE *out;
	const struct profile *p;
	struct named *names;
	struct tree tree;
	uint32_t *first; /* of each node + 1 (0: the root): in child */
	uint32_t *child;
	uint32_t *hits; /* of each node + 1 */
};

static bool
count(struct writer *w, size_t column)
{
	const struct tree *t = &w->tree;
	uint32_t *at;

	w->first = calloc(t->n + 3, sizeof(*w->first));
	w->child = calloc(t->n + 1, sizeof(*w->child));
	w->hits = calloc(t->n + 1, sizeof(*w->hits));
	at = calloc(t->n + 2, sizeof(*at));
	if (!w->first || !w->child || !w->hits || !at) {
		free(at);
		return false;
	}
	for (size_t i = 0; i < t->n; i++)
		w->first[t->parent[i] + 2]++; /* TREE_NONE + 1 is 0 */
	for (size_t i = 1; i < t->n + 3; i++)
		w->first[i] += w->first[i - 1];
	for (size_t i = 0; i < t->n; i++) {
		uint32_t up = t->parent[i] + 1;

		w->child[w->first[up] + at[up]++] = (uint32_t)i;
	}
	for (size_t i = 0; i < w->p->n_sample; i++)
		w->hits[t->leaf[i] + 1] += profile_value(w->p, i)[column] != 0;
	free(at);
	return true;
}

/* Node number: 1 is the root, and those of the tree follow. */
static void
put_node(struct writer *w, uint32_t number)
{
	const struct named_frame *f;

	fprintf(w->out,
		"%s{\"id\":%" PRIu32 ",\"hitCount\":%" PRIu32
		",\"callFrame\":{\"functionName\":",
		number ? ",\n" : "", number + 1, w->hits[number]);
	if (!number) {
		fputs("\"(root)\",\"scriptId\":\"0\",\"url\":\"\","
		      "\"lineNumber\":-1,\"columnNumber\":-1}",
		      w->out);
	} else {
		f = &w->names->frame[w->tree.frame[number - 1]];
		json_put_str(w->out, named_str(w->names, f->name));
		fputs(",\"scriptId\":\"0\",\"url\":", w->out);
		json_put_str(w->out, named_str(w->names, f->file));
		fprintf(w->out,
			",\"lineNumber\":%" PRId64 ",\"columnNumber\":-1}",
			f->start_line > 0 ? f->start_line - 1 : -1);
	}
	fputs(",\"children\":[", w->out);
	for (uint32_t i = w->first[number]; i < w->first[number + 1]; i++)
		fprintf(w->out, i > w->first[number] ? ",%" PRIu32 : "%" PRIu32,
			w->child[i] + 2);
	fputs("]}", w->out);
}

/*
 * Some readers give a sample the time to the next one, others that since the
 * one before; a last sample of the root makes both right.
 */
static void
put_samples(struct writer *w, size_t column, bool deltas)
{
	uint64_t unit = nanoseconds(profile_str(w->p, w->p->type[column].unit));
	unsigned __int128 at = 0;
	uint64_t us, last = 0;

	for (size_t i = 0; i < w->p->n_sample; i++) {
		int64_t v = profile_value(w->p, i)[column];

		if (!v)
			continue;
		us = (uint64_t)(at / 1000);
		if (deltas)
			fprintf(w->out, "%" PRIu64 ",", us - last);
		else
			fprintf(w->out, "%" PRIu32 ",", w->tree.leaf[i] + 2);
		last = us;
		at += (unsigned __int128)v * unit;
	}
	us = (uint64_t)(at / 1000);
	if (deltas)
		fprintf(w->out,
			"%" PRIu64 "],\n\"startTime\":0,\"endTime\":%" PRIu64
			"}\n",
			us - last, us);
	else
		fputs("1],\n\"timeDeltas\":[", w->out);
}

enum prof_status
cpuprofile_write(FILE *out, const struct profile *p, size_t column,
		 struct prof_err *err)
{
	struct writer w = { .out = out, .p = p };
	enum prof_status st =
		named_refuse_negative(p, column, "a .cpuprofile", err);

	if (st != PROF_OK)
		return st;
	st = named_new(p, 0, &w.names, err);
	if (st == PROF_OK)
		st = tree_init(&w.tree, w.names, err);
	if (st == PROF_OK && !count(&w, column))
		st = prof_nomem(err);
	if (st == PROF_OK) {
		fputs("{\"nodes\":[\n", out);
		for (uint32_t i = 0; i <= w.tree.n; i++)
			put_node(&w, i);
		fputs("],\n\"samples\":[", out);
		put_samples(&w, column, false);
		put_samples(&w, column, true);
	}
	tree_release(&w.tree);
	named_free(w.names);
	free(w.first);
	free(w.child);
	free(w.hits);
	return st;
}
