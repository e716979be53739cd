/* cpuprofile-out.c - see cpuprofile.h. */
#include "config.h"

#include "cpuprofile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/decimal.h"
#include "lib/base/escape.h"
#include "lib/model/profile.h"
#include "named.h"

#define BLOCK 65536 /* bytes for fwrite() */

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
	uint64_t *hits;    /* of each node + 1: microseconds */
	struct buf frames; /* texts, of the root and each frame ... */
	size_t *at;        /* ... from at[] on */
	struct buf text;
};

/*
 * DevTools divides the time of the whole by hits, so they are the time of each
 * node, with the same rounding as that of the samples.
 */
static void
count_hits(struct writer *w, size_t column)
{
	uint64_t unit = nanoseconds(profile_str(w->p, w->p->type[column].unit));
	unsigned __int128 at = 0;

	for (size_t i = 0; i < w->p->n_sample; i++) {
		uint64_t us = (uint64_t)(at / 1000);

		at += (unsigned __int128)profile_value(w->p, i)[column] * unit;
		w->hits[w->tree.leaf[i] + 1] += (uint64_t)(at / 1000) - us;
	}
}

static bool
count_column(struct writer *w, size_t column)
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
	free(at);
	count_hits(w, column);
	return true;
}

/*
 * The text of each frame. A frame is in many nodes, often most of the output.
 */
static bool
make_frames(struct writer *w)
{
	static const char root[] =
		"\"(root)\",\"scriptId\":\"0\",\"url\":\"\","
		"\"lineNumber\":-1,\"columnNumber\":-1},\"children\":[";
	const struct named *n = w->names;
	FILE *f = buf_stream(&w->frames);

	w->at = calloc(n->n_frame + 2, sizeof(*w->at));
	if (f)
		fputs(root, f);
	for (size_t i = 0; f && w->at && i < n->n_frame; i++) {
		const struct named_frame *frame = &n->frame[i];

		w->at[i + 1] = (size_t)ftello(f);
		json_put_str(f, named_str(n, frame->name));
		fputs(",\"scriptId\":\"0\",\"url\":", f);
		json_put_str(f, named_str(n, frame->file));
		fprintf(f,
			",\"lineNumber\":%" PRId64
			",\"columnNumber\":-1},\"children\":[",
			frame->start_line > 0 ? frame->start_line - 1 : -1);
	}
	if (!f || buf_stream_close(f) < 0 || !w->at)
		return false;
	w->at[n->n_frame + 1] = w->frames.n;
	return true;
}

static void
put_string(struct writer *w, const char *s, size_t n)
{
	memcpy(w->text.data + w->text.n, s, n);
	w->text.n += n;
}

static void
put_number(struct writer *w, uint64_t v)
{
	char text[DECIMAL_MAX], *end = text + sizeof(text);
	char *p = decimal(end, v);

	put_string(w, p, (size_t)(end - p));
}

/* Node number: 1 is the root, and those of the tree follow. */
static bool
put_node(struct writer *w, uint32_t number)
{
	static const char id[] = ",\n{\"id\":", hits[] = ",\"hitCount\":";
	static const char frame[] = ",\"callFrame\":{\"functionName\":";
	uint32_t i = number ? w->tree.frame[number - 1] + 1 : 0;
	size_t n = w->at[i + 1] - w->at[i];
	uint32_t from = w->first[number], to = w->first[number + 1];

	if (buf_reserve(&w->text, 200 + n + (to - from) * (size_t)12) < 0)
		return false;
	put_string(w, number ? id : id + 1, sizeof(id) - 1 - !number);
	put_number(w, number + (uint64_t)1);
	put_string(w, hits, sizeof(hits) - 1);
	put_number(w, w->hits[number]);
	put_string(w, frame, sizeof(frame) - 1);
	put_string(w, (const char *)w->frames.data + w->at[i], n);
	for (uint32_t k = from; k < to; k++) {
		if (k > from)
			put_string(w, ",", 1);
		put_number(w, w->child[k] + (uint64_t)2);
	}
	put_string(w, "]}", 2);
	return true;
}

static bool
put_nodes(struct writer *w)
{
	fputs("{\"nodes\":[", w->out);
	for (uint32_t i = 0; i <= w->tree.n; i++) {
		if (!put_node(w, i))
			return false;
		if (w->text.n >= BLOCK || i == w->tree.n) {
			fwrite(w->text.data, 1, w->text.n, w->out);
			w->text.n = 0;
		}
	}
	return true;
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
	if (st == PROF_OK &&
	    (!count_column(&w, column) || !make_frames(&w) || !put_nodes(&w)))
		st = prof_nomem(err);
	if (st == PROF_OK) {
		fputs("],\n\"samples\":[", out);
		put_samples(&w, column, false);
		put_samples(&w, column, true);
	}
	tree_release(&w.tree);
	named_free(w.names);
	free(w.at);
	buf_release(&w.frames);
	buf_release(&w.text);
	free(w.first);
	free(w.child);
	free(w.hits);
	return st;
}
