/* complete.c - see complete.h. */
#include "config.h"

#include "complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "help.h"
#include "lib/base/array.h"
#include "lib/base/buf.h"
#include "lib/base/escape.h"
#include "lib/model/profile.h"
#include "session.h"

static const char blanks[] = " \t";

/* A longer list is useless, and any part of it has a common prefix. */
enum { MAX_WORDS = 10000 };

/* Is it shown as it is? A name with control characters, or in bytes that are
 * not UTF-8, can neither be listed nor typed. */
static bool
is_plain(const char *name)
{
	struct buf text = { 0 };
	size_t n = strlen(name);
	bool is = escape_add(&text, ESCAPE_TEXT, name, n) == 0 && text.n == n &&
		  !strchr(name, '\t');

	buf_release(&text);
	return is;
}

/* Names of columns are typed as they are: nothing quotes them. */
static bool
is_word(const char *name)
{
	return is_plain(name) && !strpbrk(name, " >|=") && *name != '-';
}

/* Add the word, followed by tail, if it begins with the n bytes at stem. */
static void
offer(struct completion *c, const char *stem, size_t n, const char *word,
      const char *tail)
{
	char *text;

	if (strncmp(word, stem, n) != 0 || c->n == MAX_WORDS ||
	    array_reserve(&c->word, &c->room, c->n + 1, sizeof(*c->word)) < 0 ||
	    asprintf(&text, "%s%s", word, tail) < 0)
		return;
	c->word[c->n++] = text;
}

static void
offer_types(const struct session *s, struct completion *c, const char *stem,
	    size_t n)
{
	for (size_t i = 0; i < s->p->n_type; i++) {
		const char *name = profile_str(s->p, s->p->type[i].type);

		if (is_word(name))
			offer(c, stem, n, name, "");
	}
}

static void
offer_names(const struct session *s, struct completion *c, const char *stem,
	    size_t n, bool is_help)
{
	const struct command *command;
	const char *name;

	for (size_t i = 0; (command = command_at(i)); i++)
		offer(c, stem, n, command->name, "");
	for (size_t i = 0; (name = help_own(i)); i++)
		offer(c, stem, n, name, "");
	for (int k = 0; k < N_SETTING; k++)
		offer(c, stem, n, setting_rows[k].name, is_help ? "" : "=");
	if (!is_help)
		offer_types(s, c, stem, n);
}

static void
offer_values(const struct session *s, struct completion *c, enum setting k,
	     const char *stem, size_t n)
{
	const char *const *choice = setting_rows[k].choices;

	for (; choice && *choice; choice++)
		offer(c, stem, n, *choice, "");
	if (setting_rows[k].kind == SETTING_BOOL) {
		offer(c, stem, n, "false", "");
		offer(c, stem, n, "true", "");
	}
	if (k == SET_SAMPLE_INDEX)
		offer_types(s, c, stem, n);
}

/* --- functions --- */

/*
 * The name as a pattern without blanks, which separate words, and without a
 * first character that the prompt takes for a file, an option or a number. -1
 * if it cannot be typed.
 */
static int
pattern_of(const char *name, char *out, size_t room)
{
	size_t n = 0;

	if (!is_plain(name))
		return -1;
	if (*name && strchr(">-0123456789", *name) && room > 2) {
		out[n++] = '[';
		out[n++] = *name++;
		out[n++] = ']';
	}
	for (; *name; name++) {
		unsigned char b = (unsigned char)*name;

		if (n + 3 > room)
			return -1;
		if (strchr("*+?()[]{}|^$\\", b))
			out[n++] = '\\';
		out[n++] = b == ' ' ? '.' : (char)b;
	}
	out[n] = '\0';
	return 0;
}

static void
offer_functions(const struct session *s, struct completion *c, const char *stem,
		size_t n)
{
	char pattern[512];
	char *part = strndup(stem, n);

	/* Names that begin with it; if there are none, those that contain
	 * it. */
	for (int pass = 0; part && pass < 2 && !c->n; pass++) {
		for (size_t i = 0; i < s->p->n_function; i++) {
			const char *name =
				profile_str(s->p, s->p->function[i].name);

			if (pattern_of(name, pattern, sizeof(pattern)) < 0)
				continue;
			if (pass == 0)
				offer(c, stem, n, pattern, "");
			else if (strstr(pattern, part))
				offer(c, "", 0, pattern, "");
		}
	}
	free(part);
}

/* --- */

static int
compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
sort(struct completion *c)
{
	size_t n = 0;

	if (c->n)
		qsort(c->word, c->n, sizeof(*c->word), compare);
	for (size_t i = 0; i < c->n; i++) {
		if (n && !strcmp(c->word[n - 1], c->word[i]))
			free(c->word[i]);
		else
			c->word[n++] = c->word[i];
	}
	c->n = n;
}

static bool
has_words(const char *name)
{
	const struct command *c;

	if (!strcmp(name, "filter"))
		return true;
	c = command_find(name);
	return c && !c->takes_words && strcmp(name, "tags") != 0;
}

void
complete(const struct session *s, const char *line, size_t n,
	 struct completion *c)
{
	size_t first = 0, end, from = n;
	const char *equal = memchr(line, '=', n);
	enum setting k;
	char *name;

	memset(c, 0, sizeof(*c));
	while (first < n && strchr(blanks, line[first]))
		first++;
	for (end = first; end < n && !strchr("= \t", line[end]); end++)
		;
	while (from > first && !strchr(blanks, line[from - 1]))
		from--;
	name = strndup(line + first, end - first);
	if (!name)
		return;
	k = equal ? settings_find(name) : N_SETTING;
	c->from = from;
	if (k != N_SETTING) {
		c->from = (size_t)(equal - line) + 1;
		while (c->from < n && strchr(blanks, line[c->from]))
			c->from++;
		offer_values(s, c, k, line + c->from, n - c->from);
	} else if (end == n) {
		offer_names(s, c, line + from, n - from, false);
	} else if (!strcmp(name, "help")) {
		offer_names(s, c, line + from, n - from, true);
	} else if (has_words(name)) {
		if (c->from < n && line[c->from] == '-')
			c->from++;
		offer_functions(s, c, line + c->from, n - c->from);
	}
	free(name);
	sort(c);
}

size_t
completion_common(const struct completion *c)
{
	size_t n = c->n ? strlen(c->word[0]) : 0;

	for (size_t i = 1; i < c->n; i++) {
		size_t k = 0;

		while (k < n && c->word[0][k] == c->word[i][k])
			k++;
		/* Not inside a character. */
		while (k && k < n && (c->word[0][k] & 0xc0) == 0x80)
			k--;
		n = k;
	}
	return n;
}

void
completion_release(struct completion *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->word[i]);
	free(c->word);
}
