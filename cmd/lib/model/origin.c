/* origin.c - see origin.h. */
#include "config.h"

#include "origin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/ascii.h"
#include "lib/base/buf.h"
#include "profile.h"

#define MAX_PROGRAM 4096 /* bytes of its path */

/* Append s, escaping characters that would end a word. Returns -1 without
 * memory. */
static int
add_escaped(struct buf *b, const char *s, size_t n)
{
	char text[4];

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c <= ' ' || c == '%' || c == 0x7f)
			snprintf(text, sizeof(text), "%%%02X", c);
		else
			snprintf(text, sizeof(text), "%c", c);
		if (buf_add(b, text, strlen(text)) < 0)
			return -1;
	}
	return 0;
}

/* Append "400000=build-id:4f2a19". Returns -1 without memory. */
static int
add_mapping(struct buf *b, const struct profile *p, const struct mapping *m)
{
	uint32_t key = m->build_id ? m->build_id : m->file;
	const struct str *s = &p->strings.str[key];
	char text[64];

	snprintf(text, sizeof(text), " %" PRIx64 "=%s:", m->start,
		 m->build_id ? "build-id" : "file");
	if (buf_add(b, text, strlen(text)) < 0)
		return -1;
	return add_escaped(b, s->s, s->len);
}

static const char title[] = "# source: ";

static int
add_all(struct profile *p, const char *url, struct buf *b, bool *wanted)
{
	for (size_t i = 0; i < p->n_location; i++)
		if (!p->location[i].n_line &&
		    p->location[i].mapping != PROF_NONE)
			wanted[p->location[i].mapping] = true;
	if (buf_add(b, title, strlen(title)) < 0 ||
	    buf_add(b, url, strlen(url)) < 0)
		return -1;
	for (size_t i = 0; i < p->n_mapping; i++)
		if (wanted[i] && add_mapping(b, p, &p->mapping[i]) < 0)
			return -1;
	if (buf_add(b, "", 1) < 0)
		return -1;
	return profile_add_comment(p, (char *)b->data) == PROF_NONE ? -1 : 0;
}

enum prof_status
origin_add(struct profile *p, const char *url, struct prof_err *err)
{
	bool *wanted = calloc(p->n_mapping + 1, sizeof(*wanted));
	struct buf b = { 0 };
	int r = wanted ? add_all(p, url, &b, wanted) : -1;

	buf_release(&b);
	free(wanted);
	return r < 0 ? prof_nomem(err) : PROF_OK;
}

enum prof_status
origin_add_program(struct profile *p, const char *url, const void *cmdline,
		   size_t n, struct prof_err *err)
{
	static const char program_title[] = "# program: ";
	const char *name = cmdline;
	struct mapping *m = p->n_mapping == 1 ? p->mapping : NULL;
	struct buf b = { 0 };
	uint32_t comment = PROF_NONE;
	size_t len = 0;

	while (len < n && (unsigned char)name[len] >= ' ' && name[len] != 0x7f)
		len++;
	/* Ignore answers that are not a path: a web page, binary data, a long
	 * text. */
	if (len == 0 || len > MAX_PROGRAM || *name == '<' ||
	    (len < n && name[len] != '\n' && name[len] != '\0'))
		return PROF_OK;
	if (buf_add(&b, program_title, strlen(program_title)) == 0 &&
	    buf_add(&b, url, strlen(url)) == 0 && buf_add(&b, " ", 1) == 0 &&
	    add_escaped(&b, name, len) == 0 && buf_add(&b, "", 1) == 0)
		comment = profile_add_comment(p, (char *)b.data);
	if (comment != PROF_NONE && m && !m->file && !m->build_id) {
		char *file = strndup(name, len);

		m->file = file ? profile_intern(p, file) : STRTAB_NONE;
		if (m->file == STRTAB_NONE) {
			m->file = 0;
			comment = PROF_NONE;
		}
		free(file);
	}
	buf_release(&b);
	return comment == PROF_NONE ? prof_nomem(err) : PROF_OK;
}

/* --- reading --- */

/* Undo %XX, in place. */
static void
unescape(char *s)
{
	char *to = s;

	while (*s) {
		int hi = *s == '%' ? hex_digit(s[1]) : -1;
		int lo = hi >= 0 ? hex_digit(s[2]) : -1;

		/* Not a NUL, which would end the string. */
		if (lo >= 0 && hi + lo > 0) {
			*to++ = (char)(hi << 4 | lo);
			s += 3;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

/* Parse "400000=build-id:4f2a19", in place. false: it has another form. */
static bool
parse_word(char *word, struct origin *out)
{
	uint64_t start = 0;
	size_t n = 0;
	int digit;

	for (; (digit = hex_digit(word[n])) >= 0; n++)
		start = start << 4 | (unsigned)digit;
	if (n == 0 || n > 16 || word[n] != '=')
		return false;
	word += n + 1;
	out->start = start;
	out->is_file = !strncmp(word, "file:", 5);
	if (!out->is_file && strncmp(word, "build-id:", 9) != 0)
		return false;
	word += out->is_file ? 5 : 9;
	unescape(word);
	out->key = word;
	return true;
}

static int
parse_comment(struct origins *o, char *text)
{
	char *rest = text + strlen(title), *word;
	struct origin origin = { .url = strsep(&rest, " ") };

	while ((word = strsep(&rest, " "))) {
		if (!parse_word(word, &origin))
			continue;
		if (array_reserve(&o->origin, &o->cap, o->n + 1,
				  sizeof(*o->origin)) < 0)
			return -1;
		o->origin[o->n++] = origin;
	}
	return 0;
}

static int
cmp_key(const struct origin *a, const struct origin *b)
{
	return a->is_file != b->is_file ? a->is_file - b->is_file
					: strcmp(a->key, b->key);
}

static int
cmp_origin(const void *x, const void *y)
{
	const struct origin *a = x, *b = y;
	int r = cmp_key(a, b);

	if (r == 0)
		r = (a->start > b->start) - (a->start < b->start);
	return r ? r : strcmp(a->url, b->url);
}

enum prof_status
origins_read(struct origins *o, const struct profile *p, struct prof_err *err)
{
	*o = (struct origins){ 0 };
	o->text = calloc(p->n_comment + 1, sizeof(*o->text));
	if (!o->text)
		return prof_nomem(err);
	for (size_t i = 0; i < p->n_comment; i++) {
		const char *comment = profile_str(p, p->comment[i]);
		char *text;

		if (strncmp(comment, title, strlen(title)) != 0)
			continue;
		text = strdup(comment);
		if (text)
			o->text[o->n_text++] = text;
		if (!text || parse_comment(o, text) < 0) {
			origins_release(o);
			return prof_nomem(err);
		}
	}
	if (o->n)
		qsort(o->origin, o->n, sizeof(*o->origin), cmp_origin);
	return PROF_OK;
}

void
origins_release(struct origins *o)
{
	for (size_t i = 0; i < o->n_text; i++)
		free(o->text[i]);
	free(o->text);
	free(o->origin);
	*o = (struct origins){ 0 };
}

/* The first that is not before want. */
static size_t
lower_bound(const struct origins *o, const struct origin *want)
{
	size_t lo = 0, hi = o->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (cmp_origin(&o->origin[mid], want) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

size_t
origins_find(const struct origins *o, const struct profile *p, uint32_t m,
	     size_t rank)
{
	const struct mapping *map = &p->mapping[m];
	struct origin want = { .url = "", .is_file = !map->build_id };
	size_t first, same, end;

	want.key = profile_str(p, want.is_file ? map->file : map->build_id);
	first = lower_bound(o, &want);
	want.start = map->start;
	same = end = lower_bound(o, &want);
	while (end < o->n && o->origin[end].start == map->start &&
	       cmp_key(&o->origin[end], &want) == 0)
		end++;
	if (rank < end - same)
		return same + rank;
	rank -= end - same;
	if (rank < same - first)
		return first + rank;
	rank -= same - first;
	return rank < o->n - end && cmp_key(&o->origin[end + rank], &want) == 0
		       ? end + rank
		       : o->n;
}
