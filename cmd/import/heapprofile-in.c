/* heapprofile-in.c - reading, with jansson; see json-in.h. */
#include "config.h"

#include "json-in.h"

#if HAVE_JANSSON
#include "lib/formats/exchange/byname.h"
#include "v8.h"

static enum prof_status
read_all(struct v8 *v, const json_t *root, bool idle)
{
	const json_t *head = json_object_get(root, "head");
	enum prof_status st;

	(void)idle;
	if (!json_is_object(head))
		return prof_fail(v->err, PROF_EFORMAT, "%s: no head",
				 v->format);
	if (profile_add_type(v->b->p, "inuse_space", "bytes") == PROF_NONE)
		return prof_nomem(v->err);
	st = v8_add_tree(v, head);
	for (size_t i = 0; st == PROF_OK && i < v->n_node; i++) {
		int64_t bytes = v->node[i].bytes;

		if (bytes < 0)
			st = prof_fail(v->err, PROF_EFORMAT,
				       "%s: a negative size", v->format);
		else if (bytes)
			st = v8_sample(v, i, &bytes, NULL, 0);
	}
	return st;
}

enum prof_status
heapprofile_parse(const void *data, size_t n, struct profile **out,
		  struct prof_err *err)
{
	return v8_parse(data, n, ".heapprofile", read_all, false, out, err);
}
#endif
