/* headers.c - see headers.h. */
#include "config.h"

#include "headers.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "lib/base/buf.h"
#include "lib/stream/stream.h"

#define MAX_FILE 65536 /* bytes, above what servers accept */

/* Is it "Name: value", which cannot end the line and begin another? */
static bool
is_header(const char *s)
{
	size_t name = strspn(s, "abcdefghijklmnopqrstuvwxyz"
				"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				"!#$%&'*+-.^_`|~");
	const char *value = s + name + 1;

	if (!name || s[name] != ':' || !value[strspn(value, " \t")])
		return false;
	for (; *value; value++)
		if (iscntrl((unsigned char)*value) && *value != '\t')
			return false;
	return true;
}

static void
add_line(struct headers *h, const char *option, const char *line)
{
	char **grown;

	if (!is_header(line))
		die("%s: expected a header, 'Name: value'", option);
	grown = reallocarray(h->line, h->n + 1, sizeof(*grown));
	if (!grown)
		die_nomem();
	h->line = grown;
	grown[h->n] = strdup(line);
	if (!grown[h->n++])
		die_nomem();
}

/* The text of a file, for buf_release(), ended by a NUL. */
static void
read_text(const char *path, struct buf *text)
{
	struct prof_err err;
	int fd = cli_open(path);

	if (stream_read(fd, MAX_FILE, text, &err) != PROF_OK)
		die("%s: %s", path, err.msg);
	if (buf_add(text, "", 1) < 0)
		die_nomem();
	cli_close(fd);
}

/* Add each line of text, which is changed. */
static void
add_lines(struct headers *h, const char *option, char *text)
{
	char *rest = NULL;

	for (char *line = strtok_r(text, "\r\n", &rest); line;
	     line = strtok_r(NULL, "\r\n", &rest))
		if (*line != '#' && line[strspn(line, " \t")])
			add_line(h, option, line);
}

static void
release_secret(struct buf *text)
{
	if (text->data)
		explicit_bzero(text->data, text->n);
	buf_release(text);
}

void
headers_add(struct headers *h, const char *option, const char *text)
{
	struct buf copy = { 0 };

	if (*text == '@') {
		read_text(text + 1, &copy);
		option = text + 1;
	} else if (buf_add(&copy, text, strlen(text) + 1) < 0) {
		die_nomem();
	}
	add_lines(h, option, (char *)copy.data);
	release_secret(&copy);
}

void
headers_add_token(struct headers *h, const char *path)
{
	struct buf text = { 0 };
	char *line, *token;

	read_text(path, &text);
	token = (char *)text.data;
	token += strspn(token, " \t\r\n");
	token[strcspn(token, " \t\r\n")] = '\0';
	if (!*token)
		die("%s: no token in it", path);
	if (asprintf(&line, "Authorization: Bearer %s", token) < 0)
		die_nomem();
	add_line(h, path, line);
	explicit_bzero(line, strlen(line));
	free(line);
	release_secret(&text);
}

void
headers_release(struct headers *h)
{
	for (size_t i = 0; i < h->n; i++) {
		explicit_bzero(h->line[i], strlen(h->line[i]));
		free(h->line[i]);
	}
	free(h->line);
	*h = (struct headers){ 0 };
}
