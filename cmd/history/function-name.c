/* function-name.c - see function-name.h. */
#include "config.h"

#include "function-name.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static bool
is_equal(const struct str *a, const char *s, size_t n)
{
	return a->len == n && !memcmp(a->s, s, n);
}

/* Does the name have this as its last part: "pkg.(*T).Encode", "x::f(int)"? */
static bool
ends_so(const struct str *name, const char *s, size_t n)
{
	for (size_t i = 1; n && i + n <= name->len; i++) {
		char end = name->s[i + n];

		if (memchr(".:/ ", name->s[i - 1], 4) &&
		    !memcmp(name->s + i, s, n) &&
		    (i + n == name->len || end == '(' || end == '<'))
			return true;
	}
	return false;
}

/* The archive may be closed before f is. */
static void
copy_name(struct function_name *f, const struct str *name)
{
	f->copy = allocated(malloc(name->len + 1));
	memcpy(f->copy, name->s, name->len);
	f->name = (struct str){ .s = f->copy, .len = name->len };
}

void
function_name_release(struct function_name *f)
{
	free(f->copy);
}

/* Perhaps it is in a file without names, a "[FILE]"; "[not sampled]" and "[not
 * read]" are no files. */
_Noreturn void
function_name_missing(const char *what, const struct catalog *a, size_t n)
{
	const struct str *first = NULL;
	size_t n_file = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 1; k < a[i].functions.t.n_str; k++) {
			const struct str *s = &a[i].functions.t.str[k];

			if (*s->s != '[' || !strncmp(s->s, "[not ", 5))
				continue;
			first = first ? first : s;
			n_file++;
		}
	if (!n_file)
		die("%s; prof-text FILE lists those of a profile", what);
	die("%s; these profiles have no names for %s%s: "
	    "prof-symbolize PROFILE -o PROFILE gives each its names, where the "
	    "binaries are",
	    what, first->s, n_file > 1 ? " and others" : "");
}

static _Noreturn void
missing_name(const char *name, const struct catalog *a, size_t n)
{
	char *what;

	if (asprintf(&what, "no function '%s'", name) < 0)
		die_nomem();
	function_name_missing(what, a, n);
}

void
function_name_find(struct function_name *f, const char *name,
		   const struct catalog *a, size_t n)
{
	size_t len = strlen(name);
	const struct str *found = NULL;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 1; k < a[i].functions.t.n_str; k++)
			if (is_equal(&a[i].functions.t.str[k], name, len)) {
				copy_name(f, &a[i].functions.t.str[k]);
				return;
			}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 1; k < a[i].functions.t.n_str; k++) {
			const struct str *s = &a[i].functions.t.str[k];

			if (!ends_so(s, name, len))
				continue;
			if (found && !is_equal(s, found->s, found->len))
				die("'%s' is ambiguous: %s or %s; give the "
				    "whole name, or use --match",
				    name, found->s, s->s);
			found = s;
		}
	if (!found)
		missing_name(name, a, n);
	copy_name(f, found);
}

enum prof_status
function_name_wants(void *ctx, const struct str *name, bool *wanted,
		    struct prof_err *err)
{
	const struct function_name *f = ctx;

	(void)err;
	*wanted = is_equal(name, f->name.s, f->name.len);
	return PROF_OK;
}
