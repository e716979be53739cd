/*
 * refine.h - the options that select a part of the profile, common to several
 * commands: pprof's --focus and others. lib/ops/filter.h, tags.h and
 * tagfilter.h do the work.
 *
 *	static const struct cli_opt *const groups[] = { refine_opts, NULL };
 *	struct refine refine = { 0 };
 *
 *	while ((key = cli_option(&cli)) != CLI_DONE)
 *		if (!refine_option(&refine, &cli, key))
 *			switch (key) ...
 *	p = cli_read(...);
 *	refine_frames(&refine, p, unit);
 *	total = ...;			100 %: the total before the filters
 *	refine_filter(&refine, p);
 *
 * An invalid pattern ends the process, as does one that exceeds the limit of
 * match.h on some text. A warning names each option that matched nothing.
 */
#ifndef REFINE_H
#define REFINE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli.h"

struct match;
struct tag_filter;

/* In the order of legends, which omit those after taghide. */
enum refine_key {
	REFINE_FOCUS = CLI_GROUP,
	REFINE_IGNORE,
	REFINE_HIDE,
	REFINE_SHOW,
	REFINE_SHOW_FROM,
	REFINE_TAGFOCUS,
	REFINE_TAGIGNORE,
	REFINE_TAGSHOW,
	REFINE_TAGHIDE,
	REFINE_PRUNE_FROM,
	REFINE_TAGROOT,
	REFINE_TAGLEAF,
	REFINE_ALL_FRAMES,
	REFINE_END,
};

enum { REFINE_N = REFINE_END - REFINE_FOCUS };

extern const struct cli_opt refine_opts[];

/* Begin with zeros; end with refine_release(). Private to refine.c. */
struct refine {
	struct refine_value {
		char *text;           /* as given; NULL: not given */
		struct match **match; /* n_match patterns in it */
		size_t n_match;
		char **key; /* of tagroot and tagleaf, into text */
		size_t n_key;
		struct tag_filter *tag; /* of tagfocus and tagignore */
	} value[REFINE_N];
	char *active[REFINE_N];
};

/* Handle the option of this key; false: it is not in refine_opts. */
bool refine_option(struct refine *r, const struct cli *cli, int key);

/*
 * First part: drop frames by the profile's drop_frames (unless --all-frames),
 * and make frames of labels, which fulfils that request for good. unit: for
 * their numbers, or NULL.
 */
void refine_frames(const struct refine *r, struct profile *p, const char *unit);

/* Second part: the filters, in pprof's order. */
void refine_filter(const struct refine *r, struct profile *p);

/* "focus=leaf" for each filter in legends; owned by r. */
const char *const *refine_active(struct refine *r, size_t *n);

void refine_release(struct refine *r);

#endif
