/* heapprofile-in.c - reading, with jansson; see json-in.h. */
#include "config.h"

#include "json-in.h"

#if HAVE_JANSSON
#include <jansson.h>

#include "json-text.h"
#include "lib/formats/exchange/byname.h"
#include "v8.h"

static const char format[] = ".heapprofile";

static enum prof_status
read_all(struct v8 *v, const json_t *root)
{
	const json_t *head = json_object_get(root, "head");
	enum prof_status st;

	if (!json_is_object(head))
		return prof_fail(v->err, PROF_EFORMAT, "%s: no head", format);
	if (profile_add_type(v->b->p, "inuse_space", "bytes") == PROF_NONE)
		return prof_nomem(v->err);
	st = v8_add_tree(v, head);
	for (size_t i = 0; st == PROF_OK && i < v->n_node; i++) {
		int64_t bytes = v->node[i].bytes;

		if (bytes < 0)
			st = prof_fail(v->err, PROF_EFORMAT,
				       "%s: a negative size", format);
		else if (bytes)
			st = v8_sample(v, i, &bytes, NULL, 0);
	}
	return st;
}

enum prof_status
heapprofile_parse(const void *data, size_t n, struct profile **out,
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
		st = v8_init(&v, &b, format, 0, err);
	if (st == PROF_OK)
		st = read_all(&v, root);
	if (st == PROF_OK)
		*out = byname_take(&b);
	v8_release(&v);
	byname_release(&b);
	json_decref(root);
	return st;
}
#else
enum prof_status
heapprofile_parse(const void *data, size_t n, struct profile **out,
		  struct prof_err *err)
{
	(void)data, (void)n;
	*out = NULL;
	return json_unread(err);
}
#endif
