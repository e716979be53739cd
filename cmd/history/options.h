/*
 * options.h - the options of prof-history: the table, and what they set.
 */
#ifndef HISTORY_OPTIONS_H
#define HISTORY_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/cli.h"
#include "cli/match.h"
#include "series.h"

struct match;

extern const struct cli_opt history_opts[];

enum history_task {
	HISTORY_SHOW,     /* functions over time */
	HISTORY_CHANGES,  /* all functions, the surest change first */
	HISTORY_MOVERS,   /* ... by how much they changed between two spans */
	HISTORY_NEW,      /* ... that were not seen before */
	HISTORY_VANISHED, /* ... that are no longer seen */
	HISTORY_INDEX,    /* only update the cache */
};

enum history_format {
	HISTORY_TABLE,
	HISTORY_SPARK, /* a line for each function */
	HISTORY_TSV,
	HISTORY_JSON,
	HISTORY_SVG,
};

struct history_settings {
	enum history_task task;
	enum history_format format;
	const char *function;      /* its name, or the last part of it */
	struct match *match;       /* or a pattern */
	struct wherematch where;   /* of q.where */
	const char *since, *until; /* as given; history_times() */
	bool has_kind;             /* --flat or --cum was given */
	bool is_flat;              /* flat values are shown, not cum */
	bool finds_changes;        /* --change, of functions that were named */
	bool has_exit_code;        /* exit with 1 if there is a change */
	size_t max_rows;           /* of lists of functions; 0: all */
	double min_share;          /* of the functions of lists */
	double min_change;         /* ... relative */
	bool is_rebuild;
	bool is_index;     /* --index */
	const char *index; /* the file of the cache, or NULL */
	struct question q;
};

/*
 * Set the defaults, then parse all options. Dies if one is invalid, or excludes
 * another. To end with history_settings_release().
 */
void history_settings_parse(struct history_settings *s, struct cli *cli);
void history_settings_release(struct history_settings *s);

/* Do times of s count back from the newest profile? */
bool history_has_age(const struct history_settings *s);

/*
 * q.from and q.to, when the time of the newest profile is known: ages count
 * back from the end of its day. Dies.
 */
void history_times(struct history_settings *s, int64_t newest_ns);

/*
 * After that, for a list: whole days, and as much before --since as it needs;
 * the time where "after" begins.
 */
int64_t history_days(struct history_settings *s, int64_t newest_ns);

#endif
