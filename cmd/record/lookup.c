/* lookup.c - see lookup.h. */
#include "config.h"

#include "lookup.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/profile.h"
#include "symbols/resolve/locate.h"
#include "symbols/resolve/resolve.h"

enum {
	MAX_ANSWERS = 1 << 17, /* answers kept; then all are dropped */
};

struct answer {
	uint64_t address;
	char *name; /* NULL: it has none */
};

struct lookup {
	struct locate locate;
	struct answer *answer; /* ascending */
	size_t n_answer;
};

struct lookup *
lookup_new(void)
{
	struct lookup *l = calloc(1, sizeof(*l));

#ifdef HAVE_LIBELF
	if (l && locate_init(&l->locate, NULL) < 0) {
		free(l);
		return NULL;
	}
#endif
	return l;
}

static void
lookup_forget(struct lookup *l)
{
	for (size_t i = 0; i < l->n_answer; i++)
		free(l->answer[i].name);
	l->n_answer = 0;
}

void
lookup_free(struct lookup *l)
{
	if (!l)
		return;
	lookup_forget(l);
	free(l->answer);
#ifdef HAVE_LIBELF
	locate_release(&l->locate);
#endif
	free(l);
}

int
lookup_works(void)
{
#ifdef HAVE_LIBELF
	return 1;
#else
	return 0;
#endif
}

static int
cmp_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* "+", which is decoded to a space in a URL; or the end of a line. */
static bool
is_joint(char c)
{
	return c == '+' || isspace((unsigned char)c);
}

/* Parse the number "0x..." in the n bytes at word. */
static bool
parse_address(const char *word, size_t n, uint64_t *out)
{
	static const char digits[] = "0123456789abcdef";

	if (n < 3 || word[0] != '0' || (word[1] | 32) != 'x')
		return false;
	*out = 0;
	for (size_t i = 2; i < n; i++) {
		const char *digit =
			strchr(digits, tolower((unsigned char)word[i]));

		if (!word[i] || !digit || *out >> 60)
			return false;
		*out = *out << 4 | (uint64_t)(digit - digits);
	}
	return true;
}

/*
 * Parse the addresses in text, ascending, without duplicates: *out is the
 * caller's. Other words are skipped. -1 without memory.
 */
static int
parse_addresses(const char *text, size_t n, uint64_t **out, size_t *n_out)
{
	size_t count = 1, all = 0, kept = 0;
	uint64_t *v;

	for (size_t i = 0; i < n; i++)
		count += is_joint(text[i]);
	v = reallocarray(NULL, count, sizeof(*v));
	if (!v)
		return -1;
	for (size_t at = 0, end; at < n; at = end + 1) {
		for (end = at; end < n && !is_joint(text[end]);)
			end++;
		all += parse_address(text + at, end - at, &v[all]);
	}
	qsort(v, all, sizeof(*v), cmp_address);
	for (size_t i = 0; i < all; i++)
		if (i == 0 || v[i] != v[kept - 1])
			v[kept++] = v[i];
	*out = v;
	*n_out = kept;
	return 0;
}

static int
cmp_answer(const void *a, const void *b)
{
	const struct answer *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static const struct answer *
find_answer(const struct lookup *l, uint64_t address)
{
	struct answer key = { .address = address };

	return l->n_answer ? bsearch(&key, l->answer, l->n_answer, sizeof(key),
				     cmp_answer)
			   : NULL;
}

/*
 * The mapping of address. Of several the first, in the order in which the
 * program loaded them: so the answer never changes.
 */
static uint32_t
mapping_of(const struct profile *maps, uint64_t address)
{
	for (size_t i = 0; i < maps->n_mapping; i++)
		if (address >= maps->mapping[i].start &&
		    address < maps->mapping[i].limit)
			return (uint32_t)i;
	return PROF_NONE;
}

#ifdef HAVE_LIBELF
__attribute__((format(printf, 1, 2))) static void
ignore(const char *fmt, ...)
{
	(void)fmt;
}
#endif

/* Find names for the locations of maps. */
static enum prof_status
resolve(const struct lookup *l, struct profile *maps, struct prof_err *err)
{
#ifdef HAVE_LIBELF
	struct resolve_options o = { .locate = &l->locate,
				     .no_lines = true,
				     .warn = ignore };

	return resolve_profile(maps, &o, err);
#else
	(void)l;
	(void)maps;
	(void)err;
	return PROF_OK;
#endif
}

/* Add locations for addresses without an answer. */
static int
add_unknown(const struct lookup *l, struct profile *maps, const uint64_t *v,
	    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct location loc = { .address = v[i],
					.mapping = mapping_of(maps, v[i]) };

		/*
		 * An address outside of all modules may be in one that is
		 * loaded later.
		 */
		if (loc.mapping != PROF_NONE && !find_answer(l, v[i]) &&
		    profile_add_location(maps, &loc, NULL, 0) == PROF_NONE)
			return -1;
	}
	return 0;
}

/* Keep the answer, even if nothing was found. */
static int
keep_names(struct lookup *l, const struct profile *maps)
{
	size_t room = l->n_answer + maps->n_location;
	void *grown = reallocarray(l->answer, room + 1, sizeof(*l->answer));

	if (!grown)
		return -1;
	l->answer = grown;
	for (size_t i = 0; i < maps->n_location; i++) {
		const struct location *loc = &maps->location[i];
		struct answer a = { .address = loc->address };
		uint32_t f;

		if (loc->n_line) {
			f = profile_line(maps, loc)->function;
			a.name = strdup(profile_str(
				maps, maps->function[f].system_name));
			if (!a.name)
				return -1;
		}
		/* A name with a newline would be two answers. */
		if (a.name && (!*a.name || strpbrk(a.name, "\r\n"))) {
			free(a.name);
			a.name = NULL;
		}
		l->answer[l->n_answer++] = a;
	}
	qsort(l->answer, l->n_answer, sizeof(*l->answer), cmp_answer);
	return 0;
}

static int
write_names(const struct lookup *l, const uint64_t *v, size_t n,
	    struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct answer *a = find_answer(l, v[i]);
		char word[32];
		int len;

		if (!a || !a->name)
			continue;
		len = snprintf(word, sizeof(word), "0x%" PRIx64 "\t", v[i]);
		if (buf_add(out, word, (size_t)len) < 0 ||
		    buf_add(out, a->name, strlen(a->name)) < 0 ||
		    buf_add(out, "\n", 1) < 0)
			return -1;
	}
	return 0;
}

enum prof_status
lookup_answer(struct lookup *l, struct profile *maps, const char *text,
	      size_t n, struct buf *out, struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	size_t n_address;
	uint64_t *v;

	if (parse_addresses(text, n, &v, &n_address) < 0)
		return prof_nomem(err);
	if (l->n_answer + n_address > MAX_ANSWERS)
		lookup_forget(l);
	if (add_unknown(l, maps, v, n_address) < 0)
		st = prof_nomem(err);
	if (st == PROF_OK && maps->n_location)
		st = resolve(l, maps, err);
	if (st == PROF_OK &&
	    (keep_names(l, maps) < 0 || write_names(l, v, n_address, out) < 0))
		st = prof_nomem(err);
	free(v);
	return st;
}
