/*
 * gather.h - the profiles of operands, files and servers alike: all servers
 * are asked at the same time, and what arrives is parsed while the others are
 * waited for. Profiles say where they came from (lib/model/origin.h).
 */
#ifndef GATHER_H
#define GATHER_H

#include <stdbool.h>
#include <stddef.h>

#include "net/fetch.h"

struct profile;

/* One operand. */
struct gather_item {
	const char *name;    /* as it was given, for messages; no password */
	char *safe_name;     /* which is this, if it had one */
	struct fetch *fetch; /* NULL: a file */
	bool is_done;        /* it is a server, and has answered */
	bool is_taken;

	/* While its server is asked which program it is. */
	struct buf body;
	char *url;
};

struct gather {
	struct fetch_options fetch; /* the caller's, but for done and ctx */
	size_t max_size;            /* of a profile, inflated */
	unsigned legacy_flags;      /* of legacy_parse(), for CPU profiles */
	bool is_ordered;            /* as given; else as they arrive */

	/* Gets the profile of item i, to keep; or NULL and why. */
	void (*take)(size_t i, struct profile *p, const struct prof_err *err,
		     void *ctx);
	void *ctx;

	struct gather_item *item;
	size_t n;

	/* Of gather.c alone. */
	struct fetch *url; /* those of items, side by side */
	size_t n_url;
	size_t next; /* item, if is_ordered */
};

/*
 * Find out what the n operands are: what names a file is one, whatever it
 * looks like. PROF_ENOTSUP: a URL of an unknown kind, which *err names;
 * PROF_ENOMEM. Always end with gather_release().
 */
enum prof_status gather_init(struct gather *g, const char *const *operand,
			     size_t n, struct prof_err *err) MUST_USE;
void gather_release(struct gather *g);

/* Read all of them: take() is called once for each. */
void gather_run(struct gather *g);

#endif
