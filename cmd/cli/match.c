/* match.c - see match.h. */
#include "config.h"

#include "match.h"

#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "cli.h"
#include "lib/base/escape.h"

enum {
	MAX_PATTERN = 1 << 16,
	MAX_NEST = 250,
	JIT_STACK = 1 << 20,
	MAX_HEAP_KIB = 64 << 10, /* without JIT */
};

/*
 * Limits of backtracking for one text, in pcre2's match steps, counted from
 * each byte where a match may start. Most texts need few steps; one that
 * reaches a limit is tried with the next, out of a budget for the lifetime of
 * the pattern. So neither one text nor a million take long, and the result
 * depends on no clock.
 */
static const uint32_t limits[] = { 10000, 1000000, 10000000 };
#define BUDGET 500000000

struct match {
	pcre2_code *code; /* of bytes; NULL if the pattern has characters */
	pcre2_code *utf;  /* of characters */
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *stack;
	uint32_t budget;
	char *what;    /* "focus" */
	char *pattern; /* as given */
};

/* Does the pattern depend on characters rather than bytes? */
static bool
needs_utf(const char *pattern)
{
	for (const char *s = pattern; *s; s++) {
		if (*s & 0x80)
			return true;
		if (s[0] != '\\' || !s[1])
			continue;
		s++;
		if (*s == 'p' || *s == 'P' || (*s == 'x' && s[1] == '{'))
			return true;
	}
	return false;
}

/* Is the text UTF-8, and not just ASCII? */
static bool
has_characters(const char *s, size_t n)
{
	bool found = false;
	size_t len;

	for (size_t i = 0; i < n; i += len) {
		len = (unsigned char)s[i] < 0x80 ? 1
						 : escape_utf8(s + i, n - i);
		if (!len)
			return false;
		found = found || len > 1;
	}
	return found;
}

/* The length of {N}, {N,} or {N,M} at s; 0: a brace is meant. */
static size_t
counted_length(const char *s)
{
	size_t n = 1 + strspn(s + 1, "0123456789");

	if (n > 1 && s[n] == ',')
		n += 1 + strspn(s + n + 1, "0123456789");
	return *s == '{' && n > 1 && s[n] == '}' ? n + 1 : 0;
}

/* The last character of the class at s. */
static const char *
class_end(const char *s)
{
	s += s[1] == '^';
	s += s[1] == ']';
	for (s++; *s && *s != ']'; s++) {
		const char *end =
			s[0] == '[' && s[1] == ':' ? strstr(s, ":]") : NULL;

		if (end)
			s = end + 1;
		else if (*s == '\\' && s[1])
			s++;
	}
	return *s ? s : s - 1;
}

/* A '+' right behind a quantifier, or NULL. */
static const char *
find_possessive(const char *pattern)
{
	bool repeats = false; /* a quantifier is just before s */

	for (const char *s = pattern; *s; s++) {
		size_t n = counted_length(s);

		if (*s == '+' && repeats)
			return s;
		repeats = n || *s == '*' || *s == '+' ||
			  (*s == '?' && s != pattern && s[-1] != '(');
		if (n) {
			s += n - 1;
		} else if (*s == '[') {
			s = class_end(s);
		} else if (s[0] == '\\' && s[1] == 'Q') {
			s = strstr(s, "\\E");
			if (!s)
				return NULL;
			s++;
		} else if (s[0] == '\\' && s[1]) {
			s++;
		}
	}
	return NULL;
}

const char *
match_literal_hint(const char *pattern)
{
	/* Names have no anchors and no alternatives. */
	return strpbrk(pattern, "([{*+") && !strpbrk(pattern, "\\^$|")
		       ? "; \\Q...\\E takes a name as it is"
		       : "";
}

static enum prof_status
refuse(const struct match *m, const char *why, size_t at, struct prof_err *err)
{
	return prof_fail(err, PROF_EUSAGE,
			 "parsing %s regexp: %s at byte %zu of '%s'%s", m->what,
			 why, at, m->pattern, match_literal_hint(m->pattern));
}

static enum prof_status
compile(struct match *m, uint32_t options, pcre2_code **out,
	struct prof_err *err)
{
	pcre2_compile_context *cc = pcre2_compile_context_create(NULL);
	PCRE2_SIZE at;
	int code;

	if (!cc)
		return prof_nomem(err);
	pcre2_set_newline(cc, PCRE2_NEWLINE_LF);
	pcre2_set_max_pattern_length(cc, MAX_PATTERN);
	pcre2_set_parens_nest_limit(cc, MAX_NEST);
	*out = pcre2_compile((PCRE2_SPTR)m->pattern, PCRE2_ZERO_TERMINATED,
			     options, &code, &at, cc);
	pcre2_compile_context_free(cc);
	if (!*out) {
		PCRE2_UCHAR why[160];

		pcre2_get_error_message(code, why, sizeof(why));
		return refuse(m, (const char *)why, at, err);
	}
	/* Without JIT, or where it fails, the interpreter is used. */
	pcre2_jit_compile(*out, PCRE2_JIT_COMPLETE);
	return PROF_OK;
}

enum prof_status
match_new(const char *what, const char *pattern, int flags, struct match **out,
	  struct prof_err *err)
{
	struct match *m = calloc(1, sizeof(*m));
	uint32_t options = PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C;
	enum prof_status st = PROF_ENOMEM;
	const char *plus;

	*out = NULL;
	if (!m)
		return prof_nomem(err);
	m->budget = BUDGET;
	m->what = strdup(what);
	m->pattern = strdup(pattern);
	if (!m->what || !m->pattern)
		goto fail;
	/*
	 * In RE2 this is an error, as the star repeats nothing. In pcre2 it
	 * begins a setting, which could override our choice of bytes or UTF-8.
	 */
	if (!strncmp(pattern, "(*", 2)) {
		st = refuse(m, "nothing to repeat", 1, err);
		goto fail;
	}
	/* Here, too: in pcre2 a second plus forbids to backtrack, so
	 * "operator++" would match "operator new". */
	plus = find_possessive(pattern);
	if (plus) {
		st = refuse(m, "invalid nested repetition operator",
			    (size_t)(plus - pattern), err);
		goto fail;
	}
	if (flags & MATCH_WHOLE)
		options |= PCRE2_ANCHORED | PCRE2_ENDANCHORED;
	st = compile(m, options | PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &m->utf,
		     err);
	if (st == PROF_OK && !needs_utf(pattern))
		st = compile(m, options, &m->code, err);
	if (st != PROF_OK)
		goto fail;
	st = PROF_ENOMEM;
	m->data = pcre2_match_data_create(1, NULL);
	m->context = pcre2_match_context_create(NULL);
	m->stack = pcre2_jit_stack_create(32 << 10, JIT_STACK, NULL);
	if (!m->data || !m->context)
		goto fail;
	if (m->stack) /* NULL: no JIT */
		pcre2_jit_stack_assign(m->context, NULL, m->stack);
	pcre2_set_heap_limit(m->context, MAX_HEAP_KIB);
	*out = m;
	return PROF_OK;
fail:
	if (st == PROF_ENOMEM)
		prof_nomem(err);
	match_free(m);
	return st;
}

void
match_free(struct match *m)
{
	if (!m)
		return;
	pcre2_jit_stack_free(m->stack);
	pcre2_match_context_free(m->context);
	pcre2_match_data_free(m->data);
	pcre2_code_free(m->code);
	pcre2_code_free(m->utf);
	free(m->what);
	free(m->pattern);
	free(m);
}

enum prof_status
match_bytes(struct match *m, const char *s, size_t n, bool *matches,
	    struct prof_err *err)
{
	const pcre2_code *code =
		m->code && !has_characters(s, n) ? m->code : m->utf;
	PCRE2_UCHAR why[160];
	int r = PCRE2_ERROR_MATCHLIMIT;

	*matches = false;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		if (i) {
			if (m->budget < limits[i])
				break;
			m->budget -= limits[i];
		}
		pcre2_set_match_limit(m->context, limits[i]);
		r = pcre2_match(code, (PCRE2_SPTR)s, n, 0, 0, m->data,
				m->context);
		if (r != PCRE2_ERROR_MATCHLIMIT)
			break;
	}
	if (r >= 0)
		*matches = true;
	if (r >= 0 || r == PCRE2_ERROR_NOMATCH)
		return PROF_OK;
	if (r == PCRE2_ERROR_NOMEMORY)
		return prof_nomem(err);
	pcre2_get_error_message(r, why, sizeof(why));
	return prof_fail(
		err, PROF_ELIMIT,
		"%s regexp '%.100s' takes too much work on '%.100s'%s: "
		"%s",
		m->what, m->pattern, s, n > 100 ? "..." : "",
		(const char *)why);
}

enum prof_status
match_str(void *m, const struct str *s, bool *matches, struct prof_err *err)
{
	return match_bytes(m, s->s, s->len, matches, err);
}

bool
match_must(const struct str *s, void *m)
{
	struct prof_err err;
	bool matches;

	if (match_str(m, s, &matches, &err) != PROF_OK)
		die("%s", err.msg);
	return matches;
}

static enum prof_status
test_match(void *ctx, const char *s, size_t n, bool *passes,
	   struct prof_err *err)
{
	return match_bytes(ctx, s, n, passes, err);
}

struct filter_test
match_test(struct match *m)
{
	return (struct filter_test){ test_match, m };
}

/* *out stays NULL if there is no pattern, or if it is invalid (*is_bad). */
static enum prof_status
frames_pattern(const struct profile *p, const char *what, uint32_t pattern,
	       struct match **out, bool *is_bad, struct prof_err *err)
{
	enum prof_status st;

	if (!pattern)
		return PROF_OK;
	st = match_new(what, profile_str(p, pattern), MATCH_WHOLE, out, err);
	*is_bad = *is_bad || st == PROF_EUSAGE;
	return st == PROF_EUSAGE ? PROF_OK : st;
}

enum prof_status
match_drop_frames(struct profile *p, struct prof_err *err)
{
	struct match *drop = NULL, *keep = NULL;
	struct filter_test d, k;
	bool is_bad = false;
	enum prof_status st;

	st = frames_pattern(p, "drop_frames", p->drop_frames, &drop, &is_bad,
			    err);
	if (drop && st == PROF_OK)
		st = frames_pattern(p, "keep_frames", p->keep_frames, &keep,
				    &is_bad, err);
	if (drop && st == PROF_OK && !is_bad) {
		d = match_test(drop);
		k = match_test(keep);
		st = profile_prune(p, &d, keep ? &k : NULL, err);
	}
	match_free(drop);
	match_free(keep);
	return st;
}

static enum prof_status
compile_where(void *ctx, const char *pattern, struct filter_test *out,
	      struct prof_err *err)
{
	struct wherematch *w = ctx;
	struct match **grown =
		reallocarray(w->pattern, w->n_pattern + 1, sizeof(*grown));
	enum prof_status st;

	if (!grown)
		return prof_nomem(err);
	w->pattern = grown;
	st = match_new("where", pattern, 0, &grown[w->n_pattern], err);
	if (st == PROF_OK)
		*out = match_test(grown[w->n_pattern++]);
	return st;
}

enum prof_status
wherematch_parse(struct wherematch *w, const char *text, struct prof_err *err)
{
	const struct where_patterns patterns = { compile_where, w };

	wherematch_release(w);
	return where_parse(text, &patterns, &w->where, err);
}

void
wherematch_release(struct wherematch *w)
{
	where_free(w->where);
	for (size_t i = 0; i < w->n_pattern; i++)
		match_free(w->pattern[i]);
	free(w->pattern);
	memset(w, 0, sizeof(*w));
}
