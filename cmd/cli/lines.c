/* lines.c - see lines.h. */
#include "config.h"

#include "lines.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/retry.h"

/* What is written may end anywhere: this much of it matters to what follows. */
struct lines {
	int fd;
	bool has_begun;   /* the line has more than blanks and a ':' */
	unsigned n_colon; /* at its begin: 0 or 1 */
	unsigned n_hash;  /* just before, or letters are between */
};

/* The runner trims all that Unicode has of blanks: they are not told apart. */
static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || (unsigned char)c >= 0x80;
}

/* The next character to escape in the begin of a line; else p moves past it. */
static const char *
scan_begin(struct lines *l, const char **p, const char *end)
{
	for (; *p < end && !l->has_begun; ++*p) {
		if (is_blank(**p) && !l->n_colon)
			continue;
		if (**p == ':' && l->n_colon++ == 0)
			continue;
		l->has_begun = true;
		return **p == ':' ? *p : NULL;
	}
	return NULL;
}

/* The same in the rest of the line, up to end. */
static const char *
scan_rest(struct lines *l, const char **p, const char *end)
{
	while (*p < end) {
		if (**p == '#') {
			l->n_hash++;
			++*p;
			continue;
		}
		if (isalpha((unsigned char)**p) && l->n_hash >= 2) {
			++*p;
			continue;
		}
		if (**p == '[' && l->n_hash >= 2)
			return *p;
		l->n_hash = 0;
		*p = memchr(*p, '#', (size_t)(end - *p));
		if (!*p)
			*p = end;
	}
	return NULL;
}

static ssize_t
write_lines(void *cookie, const char *data, size_t n)
{
	const char *p = data, *done = data, *all = data + n;
	struct lines *l = cookie;

	while (p < all) {
		const char *newline = memchr(p, '\n', (size_t)(all - p));
		const char *end = newline ? newline : all;
		const char *bad = scan_begin(l, &p, end);

		if (!bad)
			bad = scan_rest(l, &p, end);
		if (bad) {
			if (write_all(l->fd, done, (size_t)(bad - done),
				      NULL) != PROF_OK ||
			    write_all(l->fd, *bad == ':' ? "\\x3a" : "\\x5b", 4,
				      NULL) != PROF_OK)
				return 0;
			p = done = bad + 1;
			l->n_hash = 0;
		} else if (newline) {
			p = newline + 1;
			l->has_begun = false;
			l->n_colon = l->n_hash = 0;
		}
	}
	return write_all(l->fd, done, (size_t)(all - done), NULL) == PROF_OK
		       ? (ssize_t)n
		       : 0;
}

void
lines_write(int fd, const char *s, size_t n)
{
	struct lines l = { .fd = fd };

	(void)!write_lines(&l, s, n);
}

static int
close_lines(void *cookie)
{
	struct lines *l = cookie;

	return l->fd == STDOUT_FILENO ? 0 : close(l->fd);
}

FILE *
lines_open(int fd)
{
	const cookie_io_functions_t calls = { .write = write_lines,
					      .close = close_lines };
	/* Static: a command has one report, and it is open until the end if
	 * the command fails. */
	static struct lines l;

	l = (struct lines){ .fd = fd };
	return fopencookie(&l, "w", calls);
}
