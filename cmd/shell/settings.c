/* settings.c - see settings.h. */
#include "config.h"

#include "settings.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/escape.h"
#include "lib/model/profile.h"
#include "lib/model/units.h"

/* Empty values in the list; a line of it can be typed. */
static const char no_text[] = "\"\"", by_default[] = "(default)";

static const char *const orders[] = { "cum", "flat", NULL };
static const char *const granularities[] = { "addresses", "filefunctions",
					     "files",     "functions",
					     "lines",     NULL };

const struct setting_row setting_rows[N_SETTING] = {
	[SET_ALL_FRAMES] = { "all_frames", SETTING_BOOL, "false", NULL,
			     "keep the frames that the profile says to drop" },
	[SET_CALL_TREE] = { "call_tree", SETTING_BOOL, "false", NULL,
			    "draw each path as a branch of its own" },
	[SET_COMPACT_LABELS] = { "compact_labels", SETTING_BOOL, "true", NULL,
				 "leave out the header lines of the profile" },
	[SET_DIVIDE_BY] = { "divide_by", SETTING_FLOAT, "1", NULL,
			    "divide printed values" },
	[SET_DROP_NEGATIVE] = { "drop_negative", SETTING_BOOL, "false", NULL,
				"hide nodes with negative values" },
	[SET_EDGEFRACTION] = { "edgefraction", SETTING_FLOAT, "0.001", NULL,
			       "hide edges below this part of the total" },
	[SET_FOCUS] = { "focus", SETTING_TEXT, "", NULL,
			"keep samples with a frame that matches" },
	[SET_GRANULARITY] = { "granularity", SETTING_CHOICE, "", granularities,
			      "what a node is: a function, a file, a line..." },
	[SET_HIDE] = { "hide", SETTING_TEXT, "", NULL,
		       "remove frames that match" },
	[SET_IGNORE] = { "ignore", SETTING_TEXT, "", NULL,
			 "drop samples with a frame that matches" },
	[SET_INTEL_SYNTAX] = { "intel_syntax", SETTING_BOOL, "false", NULL,
			       "print x86 instructions as Intel writes them" },
	[SET_MEAN] = { "mean", SETTING_BOOL, "false", NULL,
		       "divide values by those of the first type" },
	[SET_NODECOUNT] = { "nodecount", SETTING_INT, "-1", NULL,
			    "show at most so many nodes" },
	[SET_NODEFRACTION] = { "nodefraction", SETTING_FLOAT, "0.005", NULL,
			       "hide nodes below this part of the total" },
	[SET_NOINLINES] = { "noinlines", SETTING_BOOL, "false", NULL,
			    "count inlined functions as their callers" },
	[SET_NORMALIZE] = { "normalize", SETTING_BOOL, "false", NULL,
			    "has no effect in a session; see --normalize" },
	[SET_OUTPUT] = { "output", SETTING_TEXT, "", NULL,
			 "the file that all reports go to" },
	[SET_PRUNE_FROM] = { "prune_from", SETTING_TEXT, "", NULL,
			     "cut stacks below the last frame that matches" },
	[SET_RELATIVE_PERCENTAGES] = { "relative_percentages", SETTING_BOOL,
				       "false", NULL,
				       "100% is what the filters leave" },
	[SET_SAMPLE_INDEX] = { "sample_index", SETTING_TEXT, "", NULL,
			       "the type of values, a name or a number" },
	[SET_SHOW] = { "show", SETTING_TEXT, "", NULL,
		       "remove frames that don't match" },
	[SET_SHOW_FROM] = { "show_from", SETTING_TEXT, "", NULL,
			    "cut stacks above the first frame that matches" },
	[SET_SHOWCOLUMNS] = { "showcolumns", SETTING_BOOL, "false", NULL,
			      "tell columns of a line apart" },
	[SET_SORT] = { "sort", SETTING_CHOICE, "flat", orders,
		       "sort by own value, or by value with callees" },
	[SET_SOURCE_PATH] = { "source_path", SETTING_TEXT, "", NULL,
			      "where to look for sources (joined by ':')" },
	[SET_TAGFOCUS] = { "tagfocus", SETTING_TEXT, "", NULL,
			   "keep samples with a label that matches" },
	[SET_TAGHIDE] = { "taghide", SETTING_TEXT, "", NULL,
			  "drop labels whose key matches" },
	[SET_TAGIGNORE] = { "tagignore", SETTING_TEXT, "", NULL,
			    "drop samples with a label that matches" },
	[SET_TAGLEAF] = { "tagleaf", SETTING_TEXT, "", NULL,
			  "make frames of these labels, at the leaf" },
	[SET_TAGROOT] = { "tagroot", SETTING_TEXT, "", NULL,
			  "make frames of these labels, at the root" },
	[SET_TAGSHOW] = { "tagshow", SETTING_TEXT, "", NULL,
			  "drop labels whose key doesn't match" },
	[SET_TRIM] = { "trim", SETTING_BOOL, "true", NULL,
		       "apply nodecount, nodefraction and edgefraction" },
	[SET_TRIM_PATH] = { "trim_path", SETTING_TEXT, "", NULL,
			    "cut these prefixes (joined by ':') off files" },
	[SET_UNIT] = { "unit", SETTING_TEXT, "minimum", NULL,
		       "print values in this unit" },
};

int
settings_put(struct settings *s, enum setting k, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return -1;
	free(s->value[k]);
	s->value[k] = copy;
	return 0;
}

int
settings_init(struct settings *s)
{
	memset(s, 0, sizeof(*s));
	for (int k = 0; k < N_SETTING; k++)
		if (settings_put(s, k, setting_rows[k].standard) < 0)
			return -1;
	return 0;
}

int
settings_copy(struct settings *to, const struct settings *from)
{
	memset(to, 0, sizeof(*to));
	for (int k = 0; k < N_SETTING; k++)
		if (settings_put(to, k, from->value[k]) < 0)
			return -1;
	return 0;
}

void
settings_release(struct settings *s)
{
	for (int k = 0; k < N_SETTING; k++)
		free(s->value[k]);
}

static bool
is_choice(enum setting k, const char *word)
{
	const char *const *c = setting_rows[k].choices;

	while (c && *c && strcmp(*c, word) != 0)
		c++;
	return c && *c;
}

enum setting
settings_find(const char *name)
{
	int k = 0;

	while (k < N_SETTING && strcmp(setting_rows[k].name, name) != 0 &&
	       !is_choice(k, name))
		k++;
	return k;
}

/* --- assignments --- */

static enum prof_status
setting_put(struct settings *s, enum setting k, const char *value,
	    struct prof_err *err)
{
	return settings_put(s, k, value) < 0 ? prof_nomem(err) : PROF_OK;
}

/* As Go's ParseBool(). */
static bool
is_true(const char *value)
{
	static const char *const words[] = { "1",    "t",    "T",
					     "true", "TRUE", "True" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i], value))
			return true;
	return false;
}

static enum prof_status
put_bool(struct settings *s, enum setting k, const char *value,
	 struct prof_err *err)
{
	static const char *const words[2][6] = {
		{ "false", "f", "no", "n", "0", "0" },
		{ "true", "t", "yes", "y", "1", "" },
	};

	for (int truth = 0; truth < 2; truth++)
		for (int i = 0; i < 6; i++)
			if (!strcasecmp(words[truth][i], value))
				return setting_put(s, k, words[truth][0], err);
	return prof_fail(err, PROF_EUSAGE,
			 "illegal value \"%s\" for bool variable", value);
}

static enum prof_status
put_int(struct settings *s, enum setting k, const char *value,
	struct prof_err *err)
{
	char *end, text[24];
	long v;

	errno = 0;
	v = strtol(value, &end, 10);
	if (end == value || *end || !strchr("+-0123456789", *value))
		return prof_fail(err, PROF_EUSAGE,
				 "strconv.Atoi: parsing \"%s\": invalid syntax",
				 value);
	if (errno)
		return prof_fail(err, PROF_EUSAGE,
				 "strconv.Atoi: parsing \"%s\": value out of "
				 "range",
				 value);
	snprintf(text, sizeof(text), "%ld", v);
	return setting_put(s, k, text, err);
}

/* Keep the shortest text of the number, as Go prints it. */
static enum prof_status
put_float(struct settings *s, enum setting k, const char *value,
	  struct prof_err *err)
{
	char *end, text[40];
	double v = strtod(value, &end);

	if (end == value || *end || strspn(value, " \t"))
		return prof_fail(
			err, PROF_EUSAGE,
			"strconv.ParseFloat: parsing \"%s\": invalid syntax",
			value);
	/* Reports refuse these, where pprof's are empty or ignore them. */
	if (!isfinite(v) || v < 0 || (k != SET_DIVIDE_BY && v > 1))
		return prof_fail(err, PROF_EUSAGE, "'%s' is not %s", value,
				 k == SET_DIVIDE_BY ? "a number above 0"
						    : "from 0 to 1");
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	return setting_put(s, k, text, err);
}

/* The name of a column, as pprof shows it; its number, if another is found so.
 */
static const char *
column_name(const struct profile *p, size_t column, char number[24])
{
	const char *name = profile_str(p, p->type[column].type);
	size_t found;

	if (profile_sample_index(p, name, &found, NULL) == PROF_OK &&
	    found == column)
		return name;
	snprintf(number, 24, "%zu", column);
	return number;
}

static enum prof_status
put_column(struct settings *s, const struct profile *p, const char *value,
	   struct prof_err *err)
{
	enum prof_status st;
	char number[24];
	size_t column;

	st = profile_sample_index(p, value, &column, err);
	if (st != PROF_OK)
		return st;
	return setting_put(s, SET_SAMPLE_INDEX, column_name(p, column, number),
			   err);
}

/* The unit has to fit one column: another may be chosen later. */
static enum prof_status
put_unit(struct settings *s, const struct profile *p, const char *value,
	 struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	for (size_t i = 0; i < p->n_type; i++) {
		st = units_check(value, profile_str(p, p->type[i].unit), err);
		if (st == PROF_OK)
			break;
	}
	return st == PROF_OK ? setting_put(s, SET_UNIT, value, err) : st;
}

enum prof_status
settings_assign(struct settings *s, const struct profile *p, const char *name,
		const char *value, struct prof_err *err)
{
	enum setting k = settings_find(name);

	if (k == N_SETTING ||
	    (strcmp(setting_rows[k].name, name) != 0 && !is_true(value)))
		return prof_fail(err, PROF_EUSAGE,
				 "unknown config field \"%s\"", name);
	if (strcmp(setting_rows[k].name, name) != 0)
		return setting_put(s, k, name, err);
	if (k == SET_SAMPLE_INDEX)
		return put_column(s, p, value, err);
	if (k == SET_UNIT)
		return put_unit(s, p, value, err);
	switch (setting_rows[k].kind) {
	case SETTING_BOOL:
		return put_bool(s, k, value, err);
	case SETTING_INT:
		return put_int(s, k, value, err);
	case SETTING_FLOAT:
		return put_float(s, k, value, err);
	case SETTING_CHOICE:
		if (k == SET_GRANULARITY && !strcmp(value, by_default))
			value = "";
		else if (!is_choice(k, value))
			return prof_fail(err, PROF_EUSAGE,
					 "invalid \"%s\" value \"%s\"", name,
					 value);
		break;
	case SETTING_TEXT:
		if (!strcmp(value, no_text))
			value = "";
		break;
	}
	return setting_put(s, k, value, err);
}

/* --- the list --- */

static int
text_add(struct buf *out, const char *text)
{
	return buf_add(out, text, strlen(text));
}

/* Escape text of the user or of the profile. */
static int
add_escaped(struct buf *out, const char *text)
{
	return escape_add(out, ESCAPE_TEXT, text, strlen(text));
}

/* "//: [cum | flat]"; the types of p if the setting is the column. */
static int
add_remark(enum setting k, const struct settings *s, const struct profile *p,
	   struct buf *out)
{
	const char *const *c = setting_rows[k].choices;
	size_t n = 0;

	if (k == SET_NODECOUNT && !strcmp(s->value[k], "-1"))
		return text_add(out, "//: default");
	if (!c && k != SET_SAMPLE_INDEX)
		return 0;
	if (text_add(out, "//: [") < 0)
		return -1;
	while (c ? c[n] != NULL : n < p->n_type) {
		const char *word = c ? c[n] : profile_str(p, p->type[n].type);

		if ((n++ && text_add(out, " | ") < 0) ||
		    add_escaped(out, word) < 0)
			return -1;
	}
	return text_add(out, "]");
}

static int
add_row(enum setting k, const struct settings *s, const struct profile *p,
	struct buf *out)
{
	const char *value = s->value[k];
	char *line, number[24];
	size_t column;
	int st;

	if (!*value && k == SET_GRANULARITY)
		value = by_default;
	else if (!*value && k == SET_SAMPLE_INDEX &&
		 profile_sample_index(p, NULL, &column, NULL) == PROF_OK)
		value = column_name(p, column, number);
	else if (!*value)
		value = no_text;
	if (asprintf(&line, "  %-25s = %-20s ", setting_rows[k].name, value) <
	    0)
		return -1;
	st = add_escaped(out, line) < 0 || add_remark(k, s, p, out) < 0 ||
	     text_add(out, "\n") < 0;
	free(line);
	return st ? -1 : 0;
}

int
settings_list(const struct settings *s, const struct profile *p,
	      struct buf *out)
{
	for (int k = 0; k < N_SETTING; k++) {
		/* pprof's list has none of these. */
		if ((k == SET_SOURCE_PATH || k == SET_ALL_FRAMES) &&
		    settings_is_standard(s, k))
			continue;
		if (add_row(k, s, p, out) < 0)
			return -1;
	}
	return 0;
}
