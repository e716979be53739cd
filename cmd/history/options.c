/* options.c - see options.h. */
#include "config.h"

#include "options.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/match.h"
#include "lib/gate/gate.h"
#include "lib/model/units.h"
#include "path-facts.h"

#define SECOND INT64_C(1000000000)

enum {
	KEY_FUNCTION = CLI_LONG,
	KEY_MATCH,
	KEY_WHERE,
	KEY_BY,
	KEY_SINCE,
	KEY_UNTIL,
	KEY_TYPE,
	KEY_FLAT,
	KEY_CUM,
	KEY_CHANGE,
	KEY_EXIT_CODE,
	KEY_TOP_MOVERS,
	KEY_NEW,
	KEY_VANISHED,
	KEY_MIN_SHARE,
	KEY_MIN_CHANGE,
	KEY_NODECOUNT,
	KEY_TSV,
	KEY_JSON,
	KEY_SVG,
	KEY_SPARK,
	KEY_INDEX,
	KEY_REBUILD,
};

const struct cli_opt history_opts[] = {
	CLI_HEADING("Which functions"),
	{ KEY_FUNCTION, "function", "NAME",
	  "this function, by its name or the last part of it" },
	{ KEY_MATCH, "match", "REGEX", "functions whose names match" },
	{ KEY_CHANGE, "change", NULL,
	  "find when it changed, and by which build; alone: all functions" },
	{ KEY_EXIT_CODE, "exit-code", NULL,
	  "with --change and --function or --match: exit with 1 if one "
	  "changed" },
	CLI_HEADING("Lists of functions"),
	{ KEY_TOP_MOVERS, "top-movers", "[N]",
	  "list the N (20) whose shares changed most since --since" },
	{ KEY_NEW, "new", NULL,
	  "list functions first seen since --since (7d)" },
	{ KEY_VANISHED, "vanished", NULL,
	  "list functions not seen since then" },
	{ KEY_MIN_SHARE, "min-share", "PERCENT",
	  "leave out functions whose share is never so large (0.1)" },
	{ KEY_MIN_CHANGE, "min-change", "PERCENT",
	  "leave out relative changes that are smaller (5)" },
	{ KEY_NODECOUNT, "nodecount", "N", "print at most N; 0: all (20)" },
	CLI_HEADING("Which profiles"),
	{ KEY_SINCE, "since", "TIME",
	  "from TIME on: 2026-11-16, or 7d before the end" },
	{ KEY_UNTIL, "until", "TIME",
	  "before TIME (end of the day of the newest profile)" },
	{ KEY_WHERE, "where", "EXPR",
	  "profiles for which EXPR is true, of build, host and labels" },
	{ KEY_TYPE, "type", "TYPE", "the sample type to show" },
	CLI_HEADING("How"),
	{ KEY_BY, "by", "WHAT",
	  "a row for each day, hour, profile, build, host or LABEL (day)" },
	{ KEY_FLAT, "flat", NULL, "show values of the function alone" },
	{ KEY_CUM, "cum", NULL,
	  "show values with those of its callees (default)" },
	{ KEY_SPARK, "spark", NULL,
	  "print one line for each function: its shares, drawn" },
	{ KEY_TSV, "tsv", NULL, "print tab-separated values" },
	{ KEY_JSON, "json", NULL, "print JSON" },
	{ KEY_SVG, "svg", NULL, "draw functions over time, as one SVG" },
	CLI_HEADING("The cache"),
	{ KEY_INDEX, "index", "[FILE]",
	  "the cache is FILE; without a question only update it" },
	{ KEY_REBUILD, "rebuild", NULL, "rebuild the cache" },
	CLI_HEADING("Output"),
	CLI_COMMON_OPTS,
	CLI_READ_OPTS,
	{ 0 }
};

static void
set_by(struct question *q, const char *by)
{
	static const char *const name[] = { "day", "hour", "profile", "build",
					    "host" };

	q->by = SERIES_LABEL;
	q->label = by;
	for (int i = 0; i < SERIES_LABEL; i++)
		if (!strcmp(by, name[i]))
			q->by = (enum series_by)i;
	if (!*by)
		die("--by: the label is empty");
}

static void
set_match(struct history_settings *s, const struct cli *cli)
{
	struct prof_err err;

	match_free(s->match);
	if (match_new("match", cli->arg, 0, &s->match, &err) != PROF_OK)
		die("%s", err.msg);
}

static void
set_where(struct history_settings *s, const struct cli *cli)
{
	struct prof_err err;

	if (wherematch_parse(&s->where, cli->arg, &err) != PROF_OK)
		die("--where: %s", err.msg);
	s->q.where = s->where.where;
}

/* Options that choose functions, profiles and rows. False: not one of them. */
static bool
set_question(struct history_settings *s, struct cli *cli, int key)
{
	switch (key) {
	case KEY_FUNCTION:
		s->function = cli->arg;
		return true;
	case KEY_MATCH:
		set_match(s, cli);
		return true;
	case KEY_SINCE:
		s->since = cli->arg;
		return true;
	case KEY_UNTIL:
		s->until = cli->arg;
		return true;
	case KEY_WHERE:
		set_where(s, cli);
		return true;
	case KEY_TYPE:
		s->q.type = cli->arg;
		return true;
	case KEY_BY:
		set_by(&s->q, cli->arg);
		return true;
	case KEY_FLAT:
	case KEY_CUM:
		s->is_flat = key == KEY_FLAT;
		s->has_kind = true;
		return true;
	}
	return false;
}

static void
set_list(struct history_settings *s, enum history_task list)
{
	if (s->task != HISTORY_SHOW && s->task != list)
		die("--top-movers, --new and --vanished exclude each other");
	s->task = list;
}

/* Options for what to do. False: not one of them. */
static bool
set_task(struct history_settings *s, struct cli *cli, int key)
{
	switch (key) {
	case KEY_CHANGE:
		s->finds_changes = true;
		return true;
	case KEY_EXIT_CODE:
		s->has_exit_code = true;
		return true;
	case KEY_TOP_MOVERS:
		if (cli->arg)
			s->max_rows = cli_uint(cli, 1, 1000000000);
		set_list(s, HISTORY_MOVERS);
		return true;
	case KEY_NEW:
		set_list(s, HISTORY_NEW);
		return true;
	case KEY_VANISHED:
		set_list(s, HISTORY_VANISHED);
		return true;
	case KEY_INDEX:
		s->is_index = true;
		s->index = cli->arg;
		if (s->index && !*s->index)
			die("--index: the name of the file is empty");
		return true;
	case KEY_REBUILD:
		s->is_rebuild = true;
		return true;
	}
	return false;
}

/* Options for how much, and in which form. */
static void
set_output(struct history_settings *s, struct cli *cli, int key)
{
	switch (key) {
	case KEY_NODECOUNT:
		s->max_rows = cli_uint(cli, 0, 1000000000);
		break;
	case KEY_MIN_SHARE:
		s->min_share = cli_between(cli, 0, 100) / 100;
		break;
	case KEY_MIN_CHANGE:
		s->min_change = cli_between(cli, 0, 100) / 100;
		break;
	case KEY_TSV:
		s->format = HISTORY_TSV;
		break;
	case KEY_JSON:
		s->format = HISTORY_JSON;
		break;
	case KEY_SVG:
		s->format = HISTORY_SVG;
		break;
	case KEY_SPARK:
		s->format = HISTORY_SPARK;
		break;
	}
}

/* Set the defaults of lists, and refuse options that exclude each other. */
static void
settle(struct history_settings *s)
{
	bool is_list;

	if (s->function && s->match)
		die("--function and --match exclude each other");
	if (s->task == HISTORY_SHOW && !s->function && !s->match)
		s->task = s->finds_changes ? HISTORY_CHANGES
			  : s->is_index    ? HISTORY_INDEX
					   : HISTORY_SHOW;
	if (s->is_index && !s->index && s->task != HISTORY_INDEX)
		die("--index without a file only updates the cache: remove it, "
		    "or the question");
	is_list = s->task != HISTORY_SHOW && s->task != HISTORY_INDEX;
	if (s->task == HISTORY_SHOW && !s->function && !s->match)
		die("no question: --function=NAME, --match=REGEX, --change, "
		    "--top-movers, --new, --vanished or --index");
	if (is_list && (s->function || s->match))
		die("lists cover all functions: remove --function or --match");
	if (is_list && s->finds_changes && s->task != HISTORY_CHANGES)
		die("--change and another list exclude each other");
	if (is_list && (s->format == HISTORY_SVG || s->format == HISTORY_SPARK))
		die("--%s needs --function or --match",
		    s->format == HISTORY_SVG ? "svg" : "spark");
	if (s->format == HISTORY_SPARK && s->finds_changes)
		die("--spark and --change exclude each other");
	if (is_list && s->q.by != SERIES_DAY)
		die("lists compare whole days: remove --by");
	if (s->finds_changes && s->q.by != SERIES_DAY && s->q.by != SERIES_HOUR)
		die("changes are found in days or hours: --by=day or "
		    "--by=hour");
	if (s->has_exit_code && !(s->task == HISTORY_SHOW && s->finds_changes))
		die("--exit-code needs --change, with --function or --match: "
		    "a list has false alarms");
	/* With cum values all callers of a function that changed would be
	 * listed, too. */
	if (is_list && !s->has_kind)
		s->is_flat = true;
	if (is_list && s->task != HISTORY_CHANGES && !s->since)
		s->since = "7d";
}

void
history_settings_parse(struct history_settings *s, struct cli *cli)
{
	int key;

	memset(s, 0, sizeof(*s));
	s->max_rows = 20;
	s->min_share = 0.001;
	s->min_change = GATE_MIN_CHANGE / 100.0;
	while ((key = cli_option(cli)) != CLI_DONE)
		if (!set_question(s, cli, key) && !set_task(s, cli, key))
			set_output(s, cli, key);
	settle(s);
	if (!cli->n_operand)
		die("no archive given: name a folder of profiles");
}

void
history_settings_release(struct history_settings *s)
{
	match_free(s->match);
	wherematch_release(&s->where);
}

/* --- times --- */

/* "7d": 7 days in nanoseconds; 0: it is not an age. */
static int64_t
age(const char *text)
{
	int64_t s = cli_parse_age(text);

	return s < INT64_MAX / SECOND ? s * SECOND : INT64_MAX;
}

/* "2026-11-16", "2026-11-16T04:30", "2026-11-16T04:30:00Z": as the time that
 * is read from it is written, so no 25th hour and no 31st of June. */
static int64_t
parse_time(const char *option, const char *text)
{
	size_t n = strlen(text);
	char written[32];
	int64_t t;

	if (n > 11 && text[n - 1] == 'Z')
		n--;
	if (path_time(text, &t)) {
		time_t seconds = t / SECOND;
		struct tm tm;

		strftime(written, sizeof(written), "%Y-%m-%dT%H:%M:%S",
			 gmtime_r(&seconds, &tm));
		if ((n == 10 || n == 13 || n == 16 || n == 19) &&
		    !memcmp(text, written, n))
			return t;
	}
	die("%s: '%s' is not a date, a time such as 2026-11-16T04:30Z or an "
	    "age such as 7d",
	    option, text);
}

bool
history_has_age(const struct history_settings *s)
{
	return s->until ? age(s->until) != 0 : s->since && age(s->since);
}

void
history_times(struct history_settings *s, int64_t newest_ns)
{
	int64_t day = newest_ns / BLOCK_DAY_NS + 1;

	s->q.from = INT64_MIN;
	s->q.to = INT64_MAX;
	if (s->until && age(s->until))
		s->q.to = units_sub(day * BLOCK_DAY_NS, age(s->until));
	else if (s->until)
		s->q.to = parse_time("--until", s->until);
	if (s->since && age(s->since))
		s->q.from = units_sub(s->q.to < INT64_MAX ? s->q.to
							  : day * BLOCK_DAY_NS,
				      age(s->since));
	else if (s->since)
		s->q.from = parse_time("--since", s->since);
	if (s->q.from >= s->q.to)
		die("--since is not before --until");
}

/* The start of the day of t. */
static int64_t
midnight(int64_t t_ns)
{
	int64_t rest = t_ns % BLOCK_DAY_NS;

	return t_ns - rest - (rest < 0 ? BLOCK_DAY_NS : 0);
}

int64_t
history_days(struct history_settings *s, int64_t newest_ns)
{
	struct question *q = &s->q;
	int64_t from;

	if (q->to == INT64_MAX)
		q->to = midnight(newest_ns) + BLOCK_DAY_NS;
	if (midnight(q->to) != q->to)
		q->to = midnight(q->to) + BLOCK_DAY_NS;
	if (q->from == INT64_MIN)
		return q->from;
	from = midnight(q->from);
	q->from = s->task == HISTORY_MOVERS    ? units_sub(from, q->to - from)
		  : s->task == HISTORY_CHANGES ? from
					       : INT64_MIN;
	return from;
}
