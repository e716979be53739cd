/*
 * settings.h - the options of a session: pprof's names, values, defaults and
 * messages. They are kept as text, and passed to reports as command-line
 * options.
 */
#ifndef SHELL_SETTINGS_H
#define SHELL_SETTINGS_H

#include <stdbool.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

struct profile;

enum setting_kind {
	SETTING_TEXT,
	SETTING_BOOL, /* "true" or "false" */
	SETTING_INT,
	SETTING_FLOAT,
	SETTING_CHOICE, /* one of the words of .choices */
};

/* In the order of the list, by name; SET_ALL_FRAMES is not pprof's, and listed
 * only if set. */
enum setting {
	SET_ALL_FRAMES,
	SET_CALL_TREE,
	SET_COMPACT_LABELS,
	SET_DIVIDE_BY,
	SET_DROP_NEGATIVE,
	SET_EDGEFRACTION,
	SET_FOCUS,
	SET_GRANULARITY,
	SET_HIDE,
	SET_IGNORE,
	SET_INTEL_SYNTAX,
	SET_MEAN,
	SET_NODECOUNT,
	SET_NODEFRACTION,
	SET_NOINLINES,
	SET_NORMALIZE,
	SET_OUTPUT,
	SET_PRUNE_FROM,
	SET_RELATIVE_PERCENTAGES,
	SET_SAMPLE_INDEX,
	SET_SHOW,
	SET_SHOW_FROM,
	SET_SHOWCOLUMNS,
	SET_SORT,
	SET_SOURCE_PATH,
	SET_TAGFOCUS,
	SET_TAGHIDE,
	SET_TAGIGNORE,
	SET_TAGLEAF,
	SET_TAGROOT,
	SET_TAGSHOW,
	SET_TRIM,
	SET_TRIM_PATH,
	SET_UNIT,
	N_SETTING,
};

struct setting_row {
	const char *name;
	enum setting_kind kind;
	const char *standard; /* the default value */
	const char *const *choices;
	const char *help;
};

extern const struct setting_row setting_rows[N_SETTING];

/* The values, as text; settings_init() and settings_copy() need a release. */
struct settings {
	char *value[N_SETTING];
};

/* -1 without memory; s can be released even then. */
int settings_init(struct settings *s);
int settings_copy(struct settings *to, const struct settings *from);
void settings_release(struct settings *s);

/* The setting of that name, or with that member in its group; else
 * N_SETTING. */
enum setting settings_find(const char *name);

/*
 * Assign value to the setting or member called name, as "name=value" does.
 * PROF_EUSAGE with pprof's message, and PROF_ENOMEM, change nothing.
 */
enum prof_status settings_assign(struct settings *s, const struct profile *p,
				 const char *name, const char *value,
				 struct prof_err *err) MUST_USE;

/* Set without a check. -1 without memory, and nothing is changed. */
int settings_put(struct settings *s, enum setting k, const char *value);

static inline bool
settings_is_standard(const struct settings *s, enum setting k)
{
	const char *a = s->value[k], *b = setting_rows[k].standard;

	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

/* Append the list that the command "options" prints, escaped as ESCAPE_TEXT
 * (lib/base/escape.h). -1 without memory. */
int settings_list(const struct settings *s, const struct profile *p,
		  struct buf *out);

#endif
