/*
 * gather.h - the profiles of operands, files and servers: all servers are asked
 * in parallel, and profiles are parsed as they arrive. Profiles record their
 * origin (lib/model/origin.h).
 */
#ifndef GATHER_H
#define GATHER_H

#include <stdbool.h>
#include <stddef.h>

#include "net/fetch.h"

struct profile;

/* One operand. */
struct gather_item {
	const char *name;    /* as given, for messages, without password */
	char *safe_name;     /* name without its password, if it had one */
	struct fetch *fetch; /* NULL: a file */
	bool is_done;        /* a server that has answered */
	bool is_taken;

	/* The profile, while its server is asked for the program. */
	struct buf body;
	char *url;
};

struct gather {
	struct fetch_options fetch; /* the caller's, except done and ctx */
	size_t max_size;            /* of a profile, inflated */
	unsigned legacy_flags;      /* of legacy_parse(), for CPU profiles */
	bool is_ordered; /* in the order of operands, not of arrival */

	/* Receives the profile of item i, to keep; or NULL and the error. */
	void (*take)(size_t i, struct profile *p, const struct prof_err *err,
		     void *ctx);
	void *ctx;

	struct gather_item *item;
	size_t n;

	/* Private to gather.c. */
	struct fetch *url; /* of the items, contiguous */
	size_t n_url;
	size_t next; /* item, if is_ordered */
};

/*
 * Classify the n operands: the name of an existing file is a file, whatever it
 * looks like. PROF_ENOTSUP: a URL of an unknown kind, which *err names;
 * PROF_ENOMEM. Always end with gather_release().
 */
enum prof_status gather_init(struct gather *g, const char *const *operand,
			     size_t n, struct prof_err *err) MUST_USE;
void gather_release(struct gather *g);

/* Read all operands: calls take() once for each. */
void gather_run(struct gather *g);

#endif
