/*
 * shorten.c - see shorten.h. Each pattern is a few loops over the name without
 * backtracking, so the time for a long, untrusted name is linear.
 */
#include "config.h"

#include "shorten.h"

#include <stdbool.h>
#include <string.h>

#include "lib/base/ascii.h"
#include "lib/base/bytes.h"

struct span {
	const char *s, *end;
};

static bool
is_word(char c)
{
	return is_letter(c) || is_digit(c) || c == '_';
}

/* The end of the word characters, and any of `also`, at s. */
static const char *
skip_word(const char *s, const char *end, char also)
{
	while (s < end && (is_word(*s) || *s == also))
		s++;
	return s;
}

/*
 * The leftmost "/v2" to "/v9", "/v10", ... followed by '.' or '/', a Go
 * module's major version; *len is its length. NULL: there is none.
 */
static const char *
find_version(const char *s, const char *end, size_t *len)
{
	for (; s < end; s++) {
		const char *d = s + 2, *e = d;

		if (*s == '\n')
			return NULL;
		if (*s != '/' || end - s < 4 || s[1] != 'v')
			continue;
		while (e < end && is_digit(*e))
			e++;
		if (e < end && (*e == '.' || *e == '/') && e > d && *d != '0' &&
		    (e - d > 1 || *d != '1')) {
			*len = (size_t)(e - s);
			return s;
		}
	}
	return NULL;
}

/* "path/elements/" before "package.Function": finds the part after the path. */
static bool
go_name(const char *s, const char *end, struct span *out)
{
	const char *best = NULL, *dot = s, *p = s, *element = s;

	for (; p < end && (is_word(*p) || *p == '-' || *p == '.' || *p == '/');
	     p++) {
		if (*p != '/')
			continue;
		if (p == element)
			break;
		element = p + 1;
		/* The last one after which a name with a dot in it remains. */
		if (dot && (dot < element || *dot != '.'))
			dot = memchr(element, '.', (size_t)(end - element));
		if (dot && dot > element && dot + 1 < end && dot[1] != '\n')
			best = element;
	}
	if (!best)
		return false;
	dot = memchr(best, '.', (size_t)(end - best));
	const char *eol = memchr(dot, '\n', (size_t)(end - dot));
	*out = (struct span){ best, eol ? eol : end };
	return true;
}

/* "some.package.Class.method" before "(" or at the end: Class.method. */
static bool
java_name(const char *s, const char *end, struct span *out)
{
	const char *p = s, *q;

	while (p < end && is_lower(*p)) {
		q = skip_word(p, end, '_');
		if (q == end || *q != '.')
			return false;
		p = q + 1;
	}
	if (p == end || !is_upper(*p))
		return false;
	q = skip_word(p, end, '$');
	if (q == end || *q++ != '.')
		return false;
	if (bytes_begin(q, (size_t)(end - q), "<init>"))
		q += strlen("<init>");
	else if (q < end && is_lower(*q))
		q = skip_word(q, end, '$');
	else
		return false;
	if (q < end && *q != '(')
		return false;
	*out = (struct span){ p, q };
	return true;
}

static bool
is_class(const char *s, const char *end)
{
	while (s < end && *s == '_')
		s++;
	return s < end && is_upper(*s);
}

/* "ns::ns::Class::member<...>": from Class on, up to the last '>'. */
static bool
cpp_name(const char *s, const char *end, struct span *out)
{
	const char *p = s, *q, *before = NULL, *class = NULL, *member = NULL;

	/* p: the start of an identifier; before: the start of the preceding
	 * one. */
	for (;;) {
		bool tilde = p < end && *p == '~';
		const char *id = p + tilde;

		if (id == end || !is_word(*id) || is_digit(*id))
			break;
		if (before && before != s && is_class(before, end)) {
			class = before;
			member = p;
		}
		q = skip_word(id, end, '_');
		if (tilde || !bytes_begin(q, (size_t)(end - q), "::"))
			break;
		before = p;
		p = q + 2;
	}
	if (!class)
		return false;
	q = skip_word(member + (*member == '~'), end, '_');
	if (q < end && *q == '<') {
		const char *eol = memchr(q, '\n', (size_t)(end - q));
		const char *last = eol ? eol : end;

		while (last > q && last[-1] != '>')
			last--;
		if (last > q)
			q = last;
	}
	*out = (struct span){ class, q };
	return true;
}

void
shorten_name(const char *name, size_t n, char *out, size_t *out_n)
{
	static const char anonymous[] = "(anonymous namespace)::";
	const char *s = name, *end = name + n, *version;
	size_t skip = 0, len;
	struct span part;

	if (bytes_begin(s, n, anonymous))
		s += strlen(anonymous);
	version = find_version(s, end, &skip);
	len = (size_t)((version ? version : end) - s);
	memcpy(out, s, len);
	if (version) {
		s = version + skip;
		memcpy(out + len, s, (size_t)(end - s));
		len += (size_t)(end - s);
	}
	if (go_name(out, out + len, &part) ||
	    java_name(out, out + len, &part) ||
	    cpp_name(out, out + len, &part)) {
		len = (size_t)(part.end - part.s);
		memmove(out, part.s, len);
	}
	*out_n = len;
}
