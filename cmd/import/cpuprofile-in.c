/* cpuprofile-in.c - reading, with jansson; see json-in.h. */
#include "config.h"

#include "json-in.h"

#if HAVE_JANSSON
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "json-text.h"
#include "lib/base/array.h"
#include "lib/base/idmap.h"
#include "lib/formats/exchange/byname.h"

#define MAX_DEPTH 65536

struct node {
	uint32_t parent; /* PROF_NONE: the root */
	uint32_t location;
	bool is_root, is_idle;
	int64_t count, us;
};

struct reader {
	struct byname b;
	struct prof_err *err;
	struct node *node;
	size_t n_node, cap_node;
	struct idmap by_id; /* id + 1 */
};

struct shot {
	int64_t at; /* microseconds */
	uint32_t node;
};

static enum prof_status
bad(struct reader *r, const char *what)
{
	return prof_fail(r->err, PROF_EFORMAT, ".cpuprofile: %s", what);
}

static const char *
text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static json_int_t
int_of(const json_t *o, const char *key)
{
	return (json_int_t)json_number_value(json_object_get(o, key));
}

static enum prof_status
add_node(struct reader *r, const json_t *n, uint32_t parent)
{
	/* The older form has no callFrame around these. */
	const json_t *frame = json_object_get(n, "callFrame");
	const json_t *f = frame ? frame : n;
	const char *name = text_of(f, "functionName");
	const char *url = text_of(f, "url");
	json_int_t id = int_of(n, "id");
	json_int_t start = int_of(f, "lineNumber") + (frame ? 1 : 0);
	struct line line = { 0 };
	uint32_t s, file;

	if (!strncmp(url, "file://", 7))
		url += 7;
	if (id < 0 || array_reserve(&r->node, &r->cap_node, r->n_node + 1,
				    sizeof(*r->node)) < 0)
		return id < 0 ? bad(r, "a negative id") : prof_nomem(r->err);
	s = byname_string(&r->b, *name ? name : "(anonymous)",
			  strlen(*name ? name : "(anonymous)"));
	file = byname_string(&r->b, url, strlen(url));
	if (s == STRTAB_NONE || file == STRTAB_NONE)
		return prof_nomem(r->err);
	line.function = byname_function(&r->b, s, file, start > 0 ? start : 0);
	if (line.function == PROF_NONE)
		return prof_nomem(r->err);
	r->node[r->n_node] = (struct node){
		.parent = parent,
		.location = byname_location(&r->b, PROF_NONE, 0, &line, 1),
		.is_root = !strcmp(name, "(root)"),
		.is_idle = !strcmp(name, "(idle)"),
	};
	switch (idmap_add(&r->by_id, (uint64_t)id + 1, (uint32_t)r->n_node)) {
	case 0:
		break;
	case 1:
		return bad(r, "two nodes with the same id");
	default:
		return prof_nomem(r->err);
	}
	return r->node[r->n_node++].location == PROF_NONE ? prof_nomem(r->err)
							  : PROF_OK;
}

/* Nodes in a list, which name their children or their parent. */
static enum prof_status
read_nodes(struct reader *r, const json_t *nodes)
{
	enum prof_status st = PROF_OK;

	for (size_t i = 0; st == PROF_OK && i < json_array_size(nodes); i++)
		st = add_node(r, json_array_get(nodes, i), PROF_NONE);
	for (size_t i = 0; st == PROF_OK && i < json_array_size(nodes); i++) {
		const json_t *n = json_array_get(nodes, i);
		const json_t *children = json_object_get(n, "children");
		const json_t *parent = json_object_get(n, "parent");

		if (parent)
			r->node[i].parent = idmap_find(
				&r->by_id,
				(uint64_t)json_integer_value(parent) + 1);
		for (size_t k = 0; k < json_array_size(children); k++) {
			uint64_t id = (uint64_t)json_integer_value(
				json_array_get(children, k));
			uint32_t c = idmap_find(&r->by_id, id + 1);

			if (c == IDMAP_NONE)
				return bad(r, "a child that does not exist");
			r->node[c].parent = (uint32_t)i;
		}
	}
	return st;
}

/* The older form: a tree below "head". A list of what is to be done holds the
 * place of recursion, as the tree is as deep as its writer wants. */
static enum prof_status
read_head(struct reader *r, const json_t *head)
{
	struct todo {
		const json_t *node;
		uint32_t parent;
	} *todo = NULL;
	size_t n = 0, cap = 0;
	enum prof_status st = PROF_OK;

	if (array_reserve(&todo, &cap, 1, sizeof(*todo)) < 0)
		return prof_nomem(r->err);
	todo[n++] = (struct todo){ head, PROF_NONE };
	while (st == PROF_OK && n) {
		struct todo t = todo[--n];
		const json_t *children = json_object_get(t.node, "children");
		size_t more = json_array_size(children);

		st = add_node(r, t.node, t.parent);
		if (st == PROF_OK &&
		    array_reserve(&todo, &cap, n + more, sizeof(*todo)) < 0)
			st = prof_nomem(r->err);
		for (size_t i = 0; st == PROF_OK && i < more; i++)
			todo[n++] = (struct todo){ json_array_get(children, i),
						   (uint32_t)r->n_node - 1 };
	}
	free(todo);
	return st;
}

static int
by_time(const void *a, const void *b)
{
	const struct shot *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* A sample lasts until the next one; the last one until the end. */
static enum prof_status
read_samples(struct reader *r, const json_t *root)
{
	const json_t *samples = json_object_get(root, "samples");
	const json_t *deltas = json_object_get(root, "timeDeltas");
	const json_t *stamps = json_object_get(root, "timestamps");
	size_t n = json_array_size(samples), i;
	int64_t at = int_of(root, "startTime");
	struct shot *shot = calloc(n + 1, sizeof(*shot));

	if (!shot)
		return prof_nomem(r->err);
	for (i = 0; i < n; i++) {
		uint64_t id = (uint64_t)json_integer_value(
			json_array_get(samples, i));
		double v = json_number_value(
			json_array_get(deltas ? deltas : stamps, i));

		if (!(v > -9e15 && v < 9e15) || at > INT64_MAX / 4 ||
		    at < INT64_MIN / 4)
			break;
		at = deltas ? at + (int64_t)v : (int64_t)v;
		shot[i] = (struct shot){ at, idmap_find(&r->by_id, id + 1) };
		if (shot[i].node == IDMAP_NONE)
			break;
	}
	if (i < n) {
		free(shot);
		return bad(r, "a sample without a node or a time");
	}
	if (n)
		qsort(shot, n, sizeof(*shot), by_time);
	shot[n].at = int_of(root, "endTime");
	for (i = 0; i < n; i++) {
		struct node *node = &r->node[shot[i].node];
		int64_t us;

		node->count++;
		if (!__builtin_sub_overflow(shot[i + 1].at, shot[i].at, &us) &&
		    us > 0 && __builtin_add_overflow(node->us, us, &node->us))
			node->us = INT64_MAX;
	}
	free(shot);
	return PROF_OK;
}

static enum prof_status
build(struct reader *r, bool idle)
{
	for (size_t i = 0; i < r->n_node; i++) {
		const struct node *n = &r->node[i];
		int64_t value[2] = { n->count };
		uint32_t at = (uint32_t)i;

		if ((!n->count && !n->us) || n->is_root ||
		    (n->is_idle && !idle))
			continue;
		if (__builtin_mul_overflow(n->us, 1000, &value[1]))
			value[1] = INT64_MAX;
		for (size_t depth = 0; at != PROF_NONE; depth++) {
			if (depth == MAX_DEPTH)
				return bad(r, "stacks that are too deep, or go "
					      "in circles");
			if (!r->node[at].is_root &&
			    byname_push(&r->b, r->node[at].location) < 0)
				return prof_nomem(r->err);
			at = r->node[at].parent;
		}
		if (byname_sample(&r->b, value, NULL, 0) < 0)
			return prof_nomem(r->err);
	}
	return PROF_OK;
}

static enum prof_status
read_all(struct reader *r, const json_t *root, bool idle)
{
	const json_t *nodes = json_object_get(root, "nodes");
	const json_t *head = json_object_get(root, "head");
	enum prof_status st;

	if (!json_is_array(nodes) && !json_is_object(head))
		return bad(r, "no nodes");
	if (profile_add_type(r->b.p, "samples", "count") == PROF_NONE ||
	    profile_add_type(r->b.p, "cpu", "nanoseconds") == PROF_NONE)
		return prof_nomem(r->err);
	st = nodes ? read_nodes(r, nodes) : read_head(r, head);
	if (st == PROF_OK)
		st = read_samples(r, root);
	return st == PROF_OK ? build(r, idle) : st;
}

enum prof_status
cpuprofile_parse(const void *data, size_t n, bool idle, struct profile **out,
		 struct prof_err *err)
{
	struct reader r = { .err = err };
	enum prof_status st;
	json_t *root;

	*out = NULL;
	st = json_text_parse(data, n, &root, err);
	if (st != PROF_OK)
		return st;
	st = byname_init(&r.b, err);
	if (st == PROF_OK && idmap_init(&r.by_id, 1024) < 0)
		st = prof_nomem(err);
	if (st == PROF_OK)
		st = read_all(&r, root, idle);
	if (st == PROF_OK)
		*out = byname_take(&r.b);
	byname_release(&r.b);
	idmap_release(&r.by_id);
	free(r.node);
	json_decref(root);
	return st;
}
#else
enum prof_status
cpuprofile_parse(const void *data, size_t n, bool idle, struct profile **out,
		 struct prof_err *err)
{
	(void)data, (void)n, (void)idle;
	*out = NULL;
	return prof_fail(err, PROF_ENOTSUP,
			 "JSON: this build has no jansson to read it");
}
#endif
