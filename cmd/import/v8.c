/* v8.c - see v8.h, and json-in.h for its two formats. */
#include "config.h"

#if HAVE_JANSSON
#include "v8.h"

#include <stdlib.h>
#include <string.h>

#include "json-in.h"
#include "json-text.h"
#include "lib/base/array.h"
#include "lib/formats/exchange/byname.h"

#define MAX_DEPTH 65536

static enum prof_status
bad(struct v8 *v, const char *what)
{
	return prof_fail(v->err, PROF_EFORMAT, "%s: %s", v->format, what);
}

int64_t
v8_int(const json_t *o, const char *key)
{
	return json_text_int(json_object_get(o, key));
}

enum prof_status
v8_init(struct v8 *v, struct byname *b, const char *format,
	struct prof_err *err)
{
	*v = (struct v8){ .b = b, .format = format, .err = err };
	return idmap_init(&v->by_id, 64) < 0 ? prof_nomem(err) : PROF_OK;
}

void
v8_release(struct v8 *v)
{
	idmap_release(&v->by_id);
	free(v->node);
	free(v->shot);
}

enum prof_status
v8_columns(struct byname *b, struct prof_err *err)
{
	if (profile_add_type(b->p, "samples", "count") == PROF_NONE ||
	    profile_add_type(b->p, "cpu", "nanoseconds") == PROF_NONE)
		return prof_nomem(err);
	return PROF_OK;
}

/* Add one node, of any form. */
static enum prof_status
add_node(struct v8 *v, const json_t *n, uint32_t parent)
{
	/* The older form has no callFrame around these, and counts from 1. */
	const json_t *frame = json_object_get(n, "callFrame");
	const json_t *f = frame ? frame : n;
	const char *name = json_text_of(f, "functionName");
	const char *url = json_text_of(f, "url");
	size_t n_url = json_string_length(json_object_get(f, "url"));
	int64_t id = v8_int(n, "id"), start = v8_int(f, "lineNumber");
	int64_t column = v8_int(f, "columnNumber");
	struct line line = { 0 };
	uint32_t s, file;

	if (frame && json_object_get(f, "lineNumber"))
		start++;
	if (frame && json_object_get(f, "columnNumber"))
		column++;
	/* Functions of minified code differ in nothing but this. */
	if (start > 0 && column > 0)
		line = (struct line){ .line = start, .column = column };
	if (!strncmp(url, "file://", 7)) {
		url += 7;
		n_url -= 7;
	}
	if (id < 0 || array_reserve(&v->node, &v->cap_node, v->n_node + 1,
				    sizeof(*v->node)) < 0)
		return id < 0 ? bad(v, "a negative id") : prof_nomem(v->err);
	s = json_text_string(v->b, json_object_get(f, "functionName"));
	if (!s)
		s = byname_string(v->b, "(anonymous)", 11);
	file = byname_string(v->b, url, n_url);
	if (s == STRTAB_NONE || file == STRTAB_NONE)
		return prof_nomem(v->err);
	line.function = byname_function(v->b, s, file, start > 0 ? start : 0);
	if (line.function == PROF_NONE)
		return prof_nomem(v->err);
	v->node[v->n_node] = (struct v8_node){
		.parent = parent,
		.location = byname_location(v->b, PROF_NONE, 0, &line, 1),
		.is_root = !strcmp(name, "(root)"),
		.is_idle = !strcmp(name, "(idle)"),
		.hits = v8_int(n, "hitCount"),
		.bytes = v8_int(n, "selfSize"),
	};
	/* The nodes of a tree need no id, as nothing refers to them. */
	switch (json_object_get(n, "id") ? idmap_add(&v->by_id, (uint64_t)id,
						     (uint32_t)v->n_node)
					 : 0) {
	case 0:
		break;
	case 1:
		return bad(v, "two nodes with the same id");
	default:
		return prof_nomem(v->err);
	}
	return v->node[v->n_node++].location == PROF_NONE ? prof_nomem(v->err)
							  : PROF_OK;
}

/* The node of an id, or IDMAP_NONE. */
static uint32_t
node_of(const struct v8 *v, const json_t *id)
{
	return json_is_number(id)
		       ? idmap_find(&v->by_id, (uint64_t)json_text_int(id))
		       : IDMAP_NONE;
}

static enum prof_status
link_node(struct v8 *v, const json_t *n, uint32_t at)
{
	const json_t *children = json_object_get(n, "children");
	const json_t *parent = json_object_get(n, "parent");

	if (parent) {
		v->node[at].parent = node_of(v, parent);
		if (v->node[at].parent == IDMAP_NONE)
			return bad(v, "a parent that does not exist");
	}
	for (size_t k = 0; k < json_array_size(children); k++) {
		uint32_t c = node_of(v, json_array_get(children, k));

		if (c == IDMAP_NONE)
			return bad(v, "a child that does not exist");
		v->node[c].parent = at;
	}
	return PROF_OK;
}

enum prof_status
v8_add_nodes(struct v8 *v, const json_t *nodes)
{
	size_t first = v->n_node, n = json_array_size(nodes);
	enum prof_status st = PROF_OK;

	for (size_t i = 0; st == PROF_OK && i < n; i++)
		st = add_node(v, json_array_get(nodes, i), PROF_NONE);
	for (size_t i = 0; st == PROF_OK && i < n; i++)
		st = link_node(v, json_array_get(nodes, i),
			       (uint32_t)(first + i));
	return st;
}

/* Add a tree of nodes, each of which holds its children: of the older form of
 * .cpuprofile, and of .heapprofile. A list of what is to be done holds the
 * place of recursion, as the tree is as deep as its writer wants. */
static enum prof_status
add_tree(struct v8 *v, const json_t *root)
{
	struct todo {
		const json_t *node;
		uint32_t parent;
	} *todo = NULL;
	size_t n = 0, cap = 0;
	enum prof_status st = PROF_OK;

	if (array_reserve(&todo, &cap, 1, sizeof(*todo)) < 0)
		return prof_nomem(v->err);
	todo[n++] = (struct todo){ root, PROF_NONE };
	while (st == PROF_OK && n) {
		struct todo t = todo[--n];
		const json_t *children = json_object_get(t.node, "children");
		size_t more = json_array_size(children);

		st = add_node(v, t.node, t.parent);
		if (st == PROF_OK &&
		    array_reserve(&todo, &cap, n + more, sizeof(*todo)) < 0)
			st = prof_nomem(v->err);
		for (size_t i = 0; st == PROF_OK && i < more; i++)
			todo[n++] = (struct todo){ json_array_get(children, i),
						   (uint32_t)v->n_node - 1 };
	}
	free(todo);
	return st;
}

enum prof_status
v8_add_samples(struct v8 *v, const json_t *samples, const json_t *times,
	       bool is_absolute)
{
	size_t n = json_array_size(samples);

	if (array_reserve(&v->shot, &v->cap_shot, v->n_shot + n,
			  sizeof(*v->shot)) < 0)
		return prof_nomem(v->err);
	for (size_t i = 0; i < n; i++) {
		uint32_t node = node_of(v, json_array_get(samples, i));
		const json_t *time = json_array_get(times, i);
		double t = json_number_value(time);

		if (node == IDMAP_NONE || !json_is_number(time) ||
		    !(t > -9e15 && t < 9e15) || v->at > INT64_MAX / 4 ||
		    v->at < INT64_MIN / 4)
			return bad(v, "a sample without a node or a time");
		v->at = is_absolute ? (int64_t)t : v->at + (int64_t)t;
		v->shot[v->n_shot] =
			(struct v8_shot){ v->at, node, (uint32_t)v->n_shot };
		v->n_shot++;
	}
	return PROF_OK;
}

static int
by_time(const void *a, const void *b)
{
	const struct v8_shot *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->turn > y->turn) - (x->turn < y->turn);
}

static bool
is_in_order(const struct v8 *v)
{
	for (size_t i = 1; i < v->n_shot; i++)
		if (v->shot[i].at < v->shot[i - 1].at)
			return false;
	return true;
}

static void
add_times(struct v8 *v, int64_t end_us)
{
	if (!is_in_order(v))
		qsort(v->shot, v->n_shot, sizeof(*v->shot), by_time);
	for (size_t i = 0; i < v->n_shot; i++) {
		struct v8_node *node = &v->node[v->shot[i].node];
		int64_t next = i + 1 < v->n_shot ? v->shot[i + 1].at : end_us;
		int64_t us;

		node->count++;
		if (!__builtin_sub_overflow(next, v->shot[i].at, &us) &&
		    us > 0 && __builtin_add_overflow(node->us, us, &node->us))
			node->us = INT64_MAX;
	}
}

/* Make a sample of b: values of the stack of node i. */
static enum prof_status
add_sample(struct v8 *v, size_t i, const int64_t *value,
	   const struct label *label, size_t n_label)
{
	uint32_t at = (uint32_t)i;

	for (size_t depth = 0; at != PROF_NONE; depth++) {
		if (depth == MAX_DEPTH)
			return bad(v, "stacks that are too deep, or go "
				      "in circles");
		if ((!v->node[at].is_root || at == i) &&
		    byname_push(v->b, v->node[at].location) < 0)
			return prof_nomem(v->err);
		at = v->node[at].parent;
	}
	return byname_sample(v->b, value, label, n_label) < 0
		       ? prof_nomem(v->err)
		       : PROF_OK;
}

enum prof_status
v8_finish(struct v8 *v, int64_t end_us, int64_t *idle_us,
	  const struct label *label, size_t n_label)
{
	enum prof_status st = PROF_OK;

	add_times(v, end_us);
	for (size_t i = 0; st == PROF_OK && i < v->n_node; i++) {
		const struct v8_node *n = &v->node[i];
		int64_t value[2] = { n->count };

		if ((!n->count && !n->us) || n->is_root)
			continue;
		if (n->is_idle && idle_us) {
			if (__builtin_add_overflow(*idle_us, n->us, idle_us))
				*idle_us = INT64_MAX;
			continue;
		}
		if (__builtin_mul_overflow(n->us, 1000, &value[1]))
			value[1] = INT64_MAX;
		st = add_sample(v, i, value, label, n_label);
	}
	return st;
}

void
v8_say_idle(struct byname *b, int64_t idle_us)
{
	if (idle_us >= 10000)
		profile_doubt(b->p,
			      "idle for %.2f s, which is left out: see --idle",
			      (double)idle_us / 1e6);
}

typedef enum prof_status read_fn(struct v8 *v, const json_t *root, bool idle);

struct reading {
	struct v8 v;
	struct byname b;
	const char *format;
	read_fn *read;
	bool idle;
	struct prof_err *err;
};

static enum prof_status
read_v8(void *ctx, const json_t *root)
{
	struct reading *r = ctx;
	enum prof_status st = v8_init(&r->v, &r->b, r->format, r->err);

	return st == PROF_OK ? r->read(&r->v, root, r->idle) : st;
}

/* Parse n bytes of JSON, have read make b's columns and samples of it. */
static enum prof_status
v8_parse(const void *data, size_t n, const char *format, read_fn *read,
	 bool idle, struct profile **out, struct prof_err *err)
{
	struct reading r = {
		.format = format, .read = read, .idle = idle, .err = err
	};
	enum prof_status st =
		json_text_profile(data, n, &r.b, read_v8, &r, out, err);

	v8_release(&r.v);
	return st;
}

/*
 * Samples without times, or the hits of nodes, which is all that there is
 * without a list of samples: as in DevTools, all are as long.
 */
static enum prof_status
share_time(struct v8 *v, const json_t *samples, double span_us)
{
	size_t n = json_array_size(samples);
	double total = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t node = node_of(v, json_array_get(samples, i));

		if (node == IDMAP_NONE)
			return bad(v, "a sample without a node");
		v->node[node].count++;
	}
	for (size_t i = 0; i < v->n_node; i++) {
		if (!n && v->node[i].hits > 0)
			v->node[i].count = v->node[i].hits;
		total += (double)v->node[i].count;
	}
	if (total > 0 && !(span_us > 0 && span_us < 1e15))
		return bad(v, "samples without times, from no start to no end");
	for (size_t i = 0; total > 0 && i < v->n_node; i++)
		v->node[i].us =
			(int64_t)(span_us * ((double)v->node[i].count / total));
	if (total > 0)
		profile_doubt(
			v->b->p,
			"samples have no times: each is said to be 1/%.0f "
			"of %g s",
			total, span_us / 1e6);
	return PROF_OK;
}

static enum prof_status
read_cpuprofile(struct v8 *v, const json_t *root, bool idle)
{
	const json_t *nodes = json_object_get(root, "nodes");
	const json_t *head = json_object_get(root, "head");
	const json_t *deltas = json_object_get(root, "timeDeltas");
	const json_t *stamps = json_object_get(root, "timestamps");
	const json_t *samples = json_object_get(root, "samples");
	/* Of a tree, whose endTime is in seconds, one more is the end. */
	const json_t *end = json_array_get(stamps, json_array_size(samples));
	double span = json_number_value(json_object_get(root, "endTime")) -
		      json_number_value(json_object_get(root, "startTime"));
	bool has_times = json_array_size(samples) && (deltas || stamps);
	int64_t idle_us = 0, *left = idle ? NULL : &idle_us;
	enum prof_status st;

	v->at = v8_int(root, "startTime");
	if (!json_is_array(nodes) && !json_is_object(head))
		return prof_fail(v->err, PROF_EFORMAT, "%s: no nodes",
				 v->format);
	st = v8_columns(v->b, v->err);
	if (st == PROF_OK)
		st = nodes ? v8_add_nodes(v, nodes) : add_tree(v, head);
	if (st == PROF_OK && has_times)
		st = v8_add_samples(v, samples, deltas ? deltas : stamps,
				    !deltas);
	else if (st == PROF_OK)
		st = share_time(v, samples, nodes ? span : span * 1e6);
	if (st == PROF_OK)
		st = v8_finish(v,
			       end ? (int64_t)json_integer_value(end)
				   : v8_int(root, "endTime"),
			       left, NULL, 0);
	v8_say_idle(v->b, idle_us);
	return st;
}

enum prof_status
cpuprofile_parse(const void *data, size_t n, bool idle, struct profile **out,
		 struct prof_err *err)
{
	return v8_parse(data, n, ".cpuprofile", read_cpuprofile, idle, out,
			err);
}

static enum prof_status
read_heapprofile(struct v8 *v, const json_t *root, bool idle)
{
	const json_t *head = json_object_get(root, "head");
	enum prof_status st;

	(void)idle;
	if (!json_is_object(head))
		return prof_fail(v->err, PROF_EFORMAT, "%s: no head",
				 v->format);
	if (profile_add_type(v->b->p, "inuse_space", "bytes") == PROF_NONE)
		return prof_nomem(v->err);
	st = add_tree(v, head);
	for (size_t i = 0; st == PROF_OK && i < v->n_node; i++) {
		int64_t bytes = v->node[i].bytes;

		if (bytes < 0)
			st = prof_fail(v->err, PROF_EFORMAT,
				       "%s: a negative size", v->format);
		else if (bytes)
			st = add_sample(v, i, &bytes, NULL, 0);
	}
	return st;
}

enum prof_status
heapprofile_parse(const void *data, size_t n, struct profile **out,
		  struct prof_err *err)
{
	return v8_parse(data, n, ".heapprofile", read_heapprofile, false, out,
			err);
}
#endif
