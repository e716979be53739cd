/*
 * headers.h - what prof-fetch adds to its requests: lines "Name: value", which
 * are secrets as a rule. No message or profile has a value.
 */
#ifndef FETCH_HEADERS_H
#define FETCH_HEADERS_H

#include <stddef.h>

struct headers {
	char **line;
	size_t n;
};

/*
 * Add what text says: a line, or "@FILE" with one header a line, "#" for
 * comments. Dies; option names the culprit.
 */
void headers_add(struct headers *h, const char *option, const char *text);

/* Add "Authorization: Bearer", with the contents of the file path. Dies. */
void headers_add_token(struct headers *h, const char *path);

/* Free the contents, and wipe them from memory. */
void headers_release(struct headers *h);

#endif
