/*
 * complete.h - complete a line: names of commands and options, values of
 * options, and functions of the profile.
 */
#ifndef SHELL_COMPLETE_H
#define SHELL_COMPLETE_H

#include <stddef.h>

struct session;

/* Candidates for the text from `from` to the cursor; n strings. */
struct completion {
	size_t from;
	char **word;
	size_t n;
	size_t room;
};

/*
 * Complete the n bytes of line before the cursor. The first word: commands,
 * options (followed by "="), sample types. After "name=": its values. After a
 * command: functions that begin with the word or, if there are none, contain
 * it, as patterns that match them. Candidates are sorted and distinct. Without
 * memory *c is empty; end with completion_release().
 */
void complete(const struct session *s, const char *line, size_t n,
	      struct completion *c);

/* The length of the common prefix of all candidates. */
size_t completion_common(const struct completion *c);

void completion_release(struct completion *c);

#endif
