/* cpuprofile-in.c - reading, with jansson; see json-in.h. */
#include "config.h"

#include "json-in.h"

#if HAVE_JANSSON
#include "lib/formats/exchange/byname.h"
#include "v8.h"

static enum prof_status
read_all(struct v8 *v, const json_t *root, bool idle)
{
	const json_t *nodes = json_object_get(root, "nodes");
	const json_t *head = json_object_get(root, "head");
	const json_t *deltas = json_object_get(root, "timeDeltas");
	const json_t *stamps = json_object_get(root, "timestamps");
	enum prof_status st;

	v->at = v8_int(root, "startTime");
	if (!json_is_array(nodes) && !json_is_object(head))
		return prof_fail(v->err, PROF_EFORMAT, "%s: no nodes",
				 v->format);
	st = v8_columns(v->b, v->err);
	if (st == PROF_OK)
		st = nodes ? v8_add_nodes(v, nodes) : v8_add_tree(v, head);
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
	return v8_parse(data, n, ".cpuprofile", read_all, idle, out, err);
}
#endif
