/* request.c - see request.h. */
#include "config.h"

#include "request.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"

static const char blanks[] = " \t\n\v\f\r";

/* --- words --- */

/* Copy the next word at *at, which moves past it; *at is NULL at the end. */
static char *
next_word(const char **at)
{
	const char *from = *at + strspn(*at, blanks);
	size_t n = strcspn(from, blanks);

	*at = n ? from + n : NULL;
	return n ? strndup(from, n) : NULL;
}

/* The first word, which may also end at a '|' or '>': "raw|head". */
static char *
command_word(const char **at)
{
	const char *from = *at;
	char *word = next_word(at), *end = word ? strpbrk(word, "|>") : NULL;

	if (end && end > word) {
		*end = '\0';
		*at = strpbrk(from, "|>");
	}
	return word;
}

/* Find the command of a word; "top10" is "top" and a number. *digits: into
 * name. */
static const struct command *
find_command(char *name, char **digits)
{
	const struct command *c = command_find(name);
	size_t n = strlen(name), all = n;
	char *tail;

	*digits = NULL;
	while (n && isdigit((unsigned char)name[n - 1]))
		n--;
	if (c || !n || n == all)
		return c;
	tail = strdup(name + n);
	if (!tail)
		return NULL;
	name[n] = '\0';
	c = command_find(name);
	if (c)
		*digits = tail;
	else
		free(tail);
	return c;
}

static enum prof_status
unknown(const char *name, const char *rest, struct prof_err *err)
{
	char *value;

	if (settings_find(name) == N_SETTING)
		return prof_fail(err, PROF_EUSAGE,
				 "unrecognized command: \"%s\"", name);
	value = next_word(&rest);
	prof_fail(err, PROF_EUSAGE, "did you mean: %s=%s", name,
		  value ? value : "<val>");
	free(value);
	return PROF_EUSAGE;
}

/* Add a pattern to setting k; text is not empty. */
static enum prof_status
add_pattern(struct settings *s, enum setting k, bool *is_first,
	    const char *text, struct prof_err *err)
{
	char *joined;
	int st;

	/* Words replace the session's pattern, and are joined with each
	 * other. */
	if (*is_first || !*s->value[k]) {
		*is_first = false;
		return settings_put(s, k, text) < 0 ? prof_nomem(err) : PROF_OK;
	}
	if (asprintf(&joined, "%s|%s", s->value[k], text) < 0)
		return prof_nomem(err);
	st = settings_put(s, k, joined);
	free(joined);
	return st < 0 ? prof_nomem(err) : PROF_OK;
}

static bool
is_number(const char *word)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(word, &end, 10);
	return end != word && !*end && !errno && v >= INT32_MIN &&
	       v <= INT32_MAX;
}

struct words {
	struct request *r;
	enum setting focus, ignore;
	bool first_focus, first_ignore;
};

/* ">FILE" or "> FILE" */
static enum prof_status
take_output(struct request *r, const char *word, const char **at,
	    struct prof_err *err)
{
	if (word[1] == '>')
		return prof_fail(err, PROF_EUSAGE,
				 ">> is not for reports: use | cat >>FILE");
	free(r->output);
	r->output = word[1] ? strdup(word + 1) : *at ? next_word(at) : NULL;
	if (r->output)
		return PROF_OK;
	return word[1] ? prof_nomem(err)
		       : prof_fail(err, PROF_EUSAGE,
				   "unexpected end of line after >");
}

/* Refuse "focus=x" and "-focus=x" as patterns: no name of a function. */
static enum prof_status
check_pattern(const char *word, struct prof_err *err)
{
	const char *line = word + strspn(word, "-"), *equal = strchr(line, '=');
	char *name = equal ? strndup(line, (size_t)(equal - line)) : NULL;
	enum prof_status st = PROF_OK;

	if (equal && !name)
		st = prof_nomem(err);
	else if (name && settings_find(name) != N_SETTING)
		st = prof_fail(err, PROF_EUSAGE,
			       "a setting is a line of its own: %s", line);
	free(name);
	return st;
}

static enum prof_status
take_word(struct words *w, const char *word, const char **at,
	  struct prof_err *err)
{
	struct request *r = w->r;
	enum prof_status st = PROF_OK;
	char **grown;

	if (*word == '>')
		return take_output(r, word, at, err);
	if (r->command->takes_words) {
		grown = reallocarray(r->word, r->n_word + 1, sizeof(*grown));
		if (!grown)
			return prof_nomem(err);
		r->word = grown;
		r->word[r->n_word] = strdup(word);
		return r->word[r->n_word++] ? PROF_OK : prof_nomem(err);
	}
	if (w->focus == SET_FOCUS)
		st = check_pattern(word, err);
	if (st != PROF_OK)
		return st;
	if (is_number(word))
		st = settings_put(&r->settings, SET_NODECOUNT, word)
			     ? prof_nomem(err)
			     : PROF_OK;
	else if (!strcmp(word, "-cum") || !strcmp(word, "--cum"))
		st = settings_put(&r->settings, SET_SORT, "cum")
			     ? prof_nomem(err)
			     : PROF_OK;
	else if (*word == '-' && word[1])
		st = add_pattern(&r->settings, w->ignore, &w->first_ignore,
				 word + 1, err);
	else if (*word != '-')
		st = add_pattern(&r->settings, w->focus, &w->first_focus, word,
				 err);
	return st;
}

/* Parse the rest of the line after the name. */
static enum prof_status
take_words(struct request *r, const char *at, struct prof_err *err)
{
	bool is_tags = !strcmp(r->command->name, "tags");
	struct words w = { .r = r,
			   .focus = is_tags ? SET_TAGFOCUS : SET_FOCUS,
			   .ignore = is_tags ? SET_TAGIGNORE : SET_IGNORE,
			   .first_focus = true,
			   .first_ignore = true };
	enum prof_status st = PROF_OK;
	char *word;

	while (st == PROF_OK && at) {
		at += strspn(at, blanks);
		if (*at == '|') {
			r->consumer = strdup(at + 1);
			return r->consumer ? PROF_OK : prof_nomem(err);
		}
		word = next_word(&at);
		if (!word)
			break;
		if (r->command->param && !r->param) {
			r->param = word;
			continue;
		}
		st = take_word(&w, word, &at, err);
		free(word);
	}
	return st;
}

static enum prof_status
check_request(struct request *r, struct prof_err *err)
{
	if (r->command->param && !r->param)
		return prof_fail(err, PROF_EUSAGE,
				 "command %s requires an argument",
				 r->command->name);
	if (r->consumer && r->output)
		return prof_fail(err, PROF_EUSAGE,
				 "a report goes to a file or to a command, not "
				 "to both");
	if (strtod(r->settings.value[SET_DIVIDE_BY], NULL) == 0)
		return prof_fail(err, PROF_EUSAGE, "zero divisor specified");
	return PROF_OK;
}

enum prof_status
request_parse(struct request *r, const char *line, const struct settings *s,
	      struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	const char *at = line;
	char *name = command_word(&at), *digits = NULL;
	bool is_first = true;

	memset(r, 0, sizeof(*r));
	if (!name || settings_copy(&r->settings, s) < 0) {
		free(name);
		return prof_nomem(err);
	}
	r->command = find_command(name, &digits);
	if (!r->command)
		st = unknown(name, at, err);
	/* "list10" is "list 10": the number is the parameter. */
	if (digits && r->command->param) {
		r->param = digits;
		digits = NULL;
	} else if (digits && is_number(digits)) {
		if (settings_put(&r->settings, SET_NODECOUNT, digits) < 0)
			st = prof_nomem(err);
	} else if (digits) {
		st = add_pattern(&r->settings, SET_FOCUS, &is_first, digits,
				 err);
	}
	if (st == PROF_OK)
		st = take_words(r, at, err);
	if (st == PROF_OK)
		st = check_request(r, err);
	free(digits);
	free(name);
	return st;
}

void
request_release(struct request *r)
{
	settings_release(&r->settings);
	for (size_t i = 0; i < r->n_word; i++)
		free(r->word[i]);
	free(r->word);
	free(r->param);
	free(r->output);
	free(r->consumer);
}

/* --- filter steps --- */

static bool
is_filter(enum setting k)
{
	switch (k) {
	case SET_FOCUS:
	case SET_HIDE:
	case SET_IGNORE:
	case SET_PRUNE_FROM:
	case SET_SHOW:
	case SET_SHOW_FROM:
	case SET_TAGFOCUS:
	case SET_TAGHIDE:
	case SET_TAGIGNORE:
	case SET_TAGLEAF:
	case SET_TAGROOT:
	case SET_TAGSHOW:
		return true;
	default:
		return false;
	}
}

enum prof_status
request_filter(struct settings *s, const char *words, const struct profile *p,
	       struct prof_err *err)
{
	bool first_focus = true, first_ignore = true;
	enum prof_status st = PROF_OK;
	const char *at = words;
	enum setting k;
	char *word, *value;

	while (st == PROF_OK && at && (word = next_word(&at))) {
		value = strchr(word, '=');
		if (value)
			*value = '\0';
		k = value ? settings_find(word) : N_SETTING;
		if (is_filter(k)) {
			st = settings_assign(s, p, word, value + 1, err);
			free(word);
			continue;
		}
		if (value)
			*value = '=';
		st = check_pattern(word, err);
		if (st == PROF_OK && *word == '-' && word[1])
			st = add_pattern(s, SET_IGNORE, &first_ignore, word + 1,
					 err);
		else if (st == PROF_OK)
			st = add_pattern(s, SET_FOCUS, &first_focus, word, err);
		free(word);
	}
	return st;
}

/* --- the command line of the report --- */

struct argv {
	char **word;
	int n;
	bool failed;
};

static void __attribute__((format(printf, 2, 3)))
add_arg(struct argv *a, const char *fmt, ...)
{
	char **grown = reallocarray(a->word, (size_t)a->n + 2, sizeof(*grown));
	va_list ap;

	if (!grown) {
		a->failed = true;
		return;
	}
	a->word = grown;
	va_start(ap, fmt);
	if (vasprintf(&a->word[a->n], fmt, ap) < 0)
		a->failed = true;
	else
		a->n++;
	va_end(ap);
	a->word[a->n] = NULL;
}

/* Add a setting, if the report has the option and it is not at its default. */
static void
add_setting(struct argv *a, const struct request *r, enum setting k)
{
	const struct setting_row *row = &setting_rows[k];
	const char *value = r->settings.value[k];
	char option[32];
	size_t n = strlen(row->name);

	/* compact_labels is always passed: the defaults differ. */
	if (settings_is_standard(&r->settings, k) && k != SET_COMPACT_LABELS)
		return;
	if (row->kind == SETTING_CHOICE) {
		if (command_has(r->command, value))
			add_arg(a, "--%s", value);
		return;
	}
	for (size_t i = 0; i <= n; i++)
		option[i] = row->name[i] == '_' ? '-' : row->name[i];
	if (!command_has(r->command, option))
		return;
	if (k == SET_ALL_FRAMES)
		add_arg(a, "--%s", option);
	else
		add_arg(a, "--%s=%s", option, value);
}

static void
add_node_count(struct argv *a, const struct request *r)
{
	int count = atoi(r->settings.value[SET_NODECOUNT]);

	if (count == -1)
		count = r->command->node_count ? r->command->node_count : -1;
	else if (count < 0)
		count = 0;
	if (count >= 0 && command_has(r->command, "nodecount"))
		add_arg(a, "--nodecount=%d", count);
}

char **
request_argv(const struct request *r, int *n)
{
	const struct command *c = r->command;
	struct argv a = { 0 };

	add_arg(&a, "%s", c->name);
	if (c->fixed)
		add_arg(&a, "%s", c->fixed);
	for (int k = 0; k < N_SETTING; k++)
		if (k != SET_NODECOUNT && k != SET_OUTPUT && !c->takes_words)
			add_setting(&a, r, k);
	if (!c->takes_words)
		add_node_count(&a, r);
	else if (!settings_is_standard(&r->settings, SET_SAMPLE_INDEX))
		add_setting(&a, r, SET_SAMPLE_INDEX);
	if (c->param && command_has(c, c->param))
		add_arg(&a, "--%s=%s", c->param, r->param);
	else if (c->param)
		add_arg(&a, "%s", r->param);
	for (size_t i = 0; i < r->n_word; i++)
		add_arg(&a, "%s", r->word[i]);
	*n = a.n;
	if (!a.failed)
		return a.word;
	request_argv_free(a.word);
	return NULL;
}

void
request_argv_free(char **argv)
{
	for (int i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
}
