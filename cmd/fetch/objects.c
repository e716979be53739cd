/* objects.c - see objects.h. */
#include "config.h"

#include "objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "net/s3.h"

#define MAX_PAGE ((size_t)64 << 20) /* bytes; 1,000 keys of 1,024 are 2 MB */

static enum prof_status
object_add(struct fetch_objects *o, const char *name, struct prof_err *err)
{
	if (array_reserve(&o->name, &o->cap, o->n + 1, sizeof(*o->name)) < 0)
		return prof_nomem(err);
	o->name[o->n++] = name;
	return PROF_OK;
}

/* Add the object with that key of the bucket of a prefix. */
static enum prof_status
add_object(struct fetch_objects *o, const char *prefix, const char *key,
	   struct prof_err *err)
{
	const char *bucket = strstr(prefix, "://") + 3;
	size_t n = (size_t)(bucket - prefix) + strcspn(bucket, "/");
	char *name;

	if (array_reserve(&o->own, &o->cap_own, o->n_own + 1, sizeof(*o->own)) <
		    0 ||
	    asprintf(&name, "%.*s/%s", (int)n, prefix, key) < 0)
		return prof_nomem(err);
	o->own[o->n_own++] = name;
	return object_add(o, name, err);
}

/* Fetch and parse a page of the list. */
static enum prof_status
get_page(const char *prefix, const char *token, const struct fetch_options *how,
	 struct s3_page *page, struct prof_err *err)
{
	struct fetch_options o = *how;
	struct fetch f = { 0 };
	enum prof_status st = s3_list_source(&f.source, prefix, token, &f.err);

	o.max_bytes = MAX_PAGE;
	if (st == PROF_OK) {
		fetch_all(&f, 1, &o);
		st = f.status;
	}
	if (st == PROF_OK)
		st = s3_page_parse(page, f.body.data, f.body.n, &f.err);
	if (st != PROF_OK)
		prof_fail(err, st, "%s: %s", prefix, f.err.msg);
	fetch_release(&f);
	return st;
}

static enum prof_status
add_prefix(struct fetch_objects *o, const char *prefix,
	   const struct fetch_options *how, struct prof_err *err)
{
	size_t before = o->n_own, n_page = 0;
	struct s3_page page = { 0 };
	enum prof_status st;
	char *token = NULL;

	do {
		st = get_page(prefix, token, how, &page, err);
		for (size_t i = 0; i < page.n && st == PROF_OK; i++)
			st = add_object(o, prefix, page.key[i], err);
		free(token);
		token = page.token;
		page.token = NULL;
		s3_page_release(&page);
		if (st == PROF_OK && (++n_page > OBJECTS_MAX / 100 ||
				      o->n_own - before > OBJECTS_MAX))
			st = prof_fail(err, PROF_ELIMIT,
				       "%s: more than %d objects, or a list "
				       "without end",
				       prefix, OBJECTS_MAX);
	} while (st == PROF_OK && token);
	free(token);
	if (st == PROF_OK && o->n_own == before)
		st = prof_fail(err, PROF_EIO, "%s: no object there", prefix);
	return st;
}

enum prof_status
fetch_objects_expand(struct fetch_objects *o, const char *const *operand,
		     size_t n, const struct fetch_options *how,
		     struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	memset(o, 0, sizeof(*o));
	for (size_t i = 0; i < n && st == PROF_OK; i++) {
		const char *name = operand[i];

		if (s3_is_url(name) && s3_is_prefix(name) &&
		    access(name, F_OK) < 0)
			st = add_prefix(o, name, how, err);
		else
			st = object_add(o, name, err);
	}
	return st;
}

void
fetch_objects_release(struct fetch_objects *o)
{
	for (size_t i = 0; i < o->n_own; i++)
		free(o->own[i]);
	free(o->own);
	free(o->name);
	memset(o, 0, sizeof(*o));
}
