/* cpuprofile-in.c - reading, with jansson; see json-in.h. */
#include "config.h"

#include "json-in.h"

#if HAVE_JANSSON
#include <jansson.h>
#include <stdlib.h>

#include "json-text.h"
#include "lib/base/array.h"
#include "lib/formats/exchange/byname.h"
#include "v8.h"

/* The older form: a tree below "head". A list of what is to be done holds the
 * place of recursion, as the tree is as deep as its writer wants. */
static enum prof_status
read_head(struct v8 *v, const json_t *head)
{
	struct todo {
		const json_t *node;
		uint32_t parent;
	} *todo = NULL;
	size_t n = 0, cap = 0;
	enum prof_status st = PROF_OK;

	if (array_reserve(&todo, &cap, 1, sizeof(*todo)) < 0)
		return prof_nomem(v->err);
	todo[n++] = (struct todo){ head, PROF_NONE };
	while (st == PROF_OK && n) {
		struct todo t = todo[--n];
		const json_t *children = json_object_get(t.node, "children");
		size_t more = json_array_size(children);

		st = v8_add_node(v, t.node, t.parent);
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

static enum prof_status
read_all(struct v8 *v, const json_t *root, bool idle)
{
	const json_t *nodes = json_object_get(root, "nodes");
	const json_t *head = json_object_get(root, "head");
	const json_t *deltas = json_object_get(root, "timeDeltas");
	const json_t *stamps = json_object_get(root, "timestamps");
	enum prof_status st;

	if (!json_is_array(nodes) && !json_is_object(head))
		return prof_fail(v->err, PROF_EFORMAT, "%s: no nodes",
				 v->format);
	st = v8_columns(v->b, v->err);
	if (st == PROF_OK)
		st = nodes ? v8_add_nodes(v, nodes) : read_head(v, head);
	if (st == PROF_OK)
		st = v8_add_samples(v, json_object_get(root, "samples"),
				    deltas ? deltas : stamps, !deltas);
	if (st == PROF_OK)
		st = v8_finish(v, v8_int(root, "endTime"), idle, NULL, 0);
	return st;
}

enum prof_status
cpuprofile_parse(const void *data, size_t n, bool idle, struct profile **out,
		 struct prof_err *err)
{
	struct v8 v = { 0 };
	struct byname b;
	enum prof_status st;
	json_t *root;

	*out = NULL;
	st = json_text_parse(data, n, &root, err);
	if (st != PROF_OK)
		return st;
	st = byname_init(&b, err);
	if (st == PROF_OK)
		st = v8_init(&v, &b, ".cpuprofile", v8_int(root, "startTime"),
			     err);
	if (st == PROF_OK)
		st = read_all(&v, root, idle);
	if (st == PROF_OK)
		*out = byname_take(&b);
	v8_release(&v);
	byname_release(&b);
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
	return json_unread(err);
}
#endif
