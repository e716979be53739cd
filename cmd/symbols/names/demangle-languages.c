/* demangle-languages.c - see demangle-impl.h. */
#include "config.h"

#include "demangle-impl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/escape.h"
#include "lib/base/filename.h"

#if HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#endif

#define MAX_MANGLED 4096 /* bytes */

/* Nowhere if f is NULL. The end of the stream tells whether memory was short.
 */
static void
put(FILE *f, const char *s, size_t n)
{
	if (f)
		fwrite(s, 1, n, f);
}

static bool
has_prefix(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* --- OCaml: camlStdlib__Map__add_200, from 5.1 on camlStdlib__Map.add_200 ---
 */

/* Where "_200" begins, or the end: the number is the compiler's. */
static const char *
before_stamp(const char *s, const char *end)
{
	const char *at = end;

	while (at > s && isdigit((unsigned char)at[-1]))
		at--;
	return at < end && at > s + 1 && at[-1] == '_' ? at - 1 : end;
}

/* Past the modules, which are those that begin with a capital. */
static const char *
past_modules(const char *s, const char *end)
{
	const char *past = s, *part = s;

	for (const char *at = s; at + 2 < end; at++) {
		size_t n = *at == '.'                     ? 1
			   : at[0] == '_' && at[1] == '_' ? 2
							  : 0;

		if (!n)
			continue;
		if (isupper((unsigned char)*part))
			past = at + n;
		part = at + n;
		at += n - 1;
	}
	return past;
}

static int
hex_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0'
	       : c >= 'a' && c <= 'f'    ? c - 'a' + 10
					 : -1;
}

/* Functions without a name keep their number, as others do in full. */
static bool
put_ocaml(FILE *f, const char *s, enum demangle_mode mode)
{
	const char *end, *past, *stop;

	if (!has_prefix(s, "caml") || !isupper((unsigned char)s[4]))
		return false;
	s += 4;
	end = s + strlen(s);
	past = past_modules(s, end);
	if (past == s)
		return false;
	stop = before_stamp(past, end);
	if (mode == DEMANGLE_FULL ||
	    (stop - past == 3 && has_prefix(past, "fun")))
		stop = end;
	while (s < stop) {
		char c = *s++;

		if (s < past && c == '_' && *s == '_') {
			c = '.';
			s++;
		} else if (c == '$') {
			int high = hex_digit(s[0]);
			int low = high < 0 ? -1 : hex_digit(s[1]);

			if (low < 0)
				return false;
			c = (char)(16 * high + low);
			s += 2;
		} else if (!isalnum((unsigned char)c) && c != '_' && c != '.' &&
			   c != '\'') {
			return false;
		}
		put(f, &c, 1);
	}
	return true;
}

/* --- Haskell: base_GHCziBase_map_info, in which z and Z begin escapes --- */

/* After "Z" and a number: tuples, "(,)" and "(#,#)". */
static const char *
put_tuple(FILE *f, const char *s)
{
	unsigned n = 0;

	while (isdigit((unsigned char)*s) && n < 100)
		n = 10 * n + (unsigned)(*s++ - '0');
	if ((*s != 'T' && *s != 'H') || n > 100)
		return NULL;
	put(f, "(#", *s == 'H' ? 2 : 1);
	for (unsigned i = 1; i < n; i++)
		put(f, ",", 1);
	put(f, *s == 'H' ? "#)" : ")", *s == 'H' ? 2 : 1);
	return s + 1;
}

/* After "z": digits in base 16, of which the first is one of base 10, and U. */
static const char *
put_character(FILE *f, const char *s)
{
	char text[ESCAPE_UTF8_MAX];
	uint32_t c = 0;

	for (; hex_digit(*s) >= 0 && c <= 0x10ffff; s++)
		c = 16 * c + (uint32_t)hex_digit(*s);
	if (*s != 'U' || c > 0x10ffff)
		return NULL;
	put(f, text, escape_utf8_put(text, c));
	return s + 1;
}

/* A part of a name, up to "_" or the end; NULL: it is none. */
static const char *
put_part(FILE *f, const char *s)
{
	static const char small[] = "a&b|c^d$e=g>h#i.l<m-n!p+q'r\\s/t*u_v%zz";
	static const char large[] = "L(R)M[N]C:ZZ";

	if (!isalnum((unsigned char)*s))
		return NULL;
	while (s && isalnum((unsigned char)*s)) {
		const char *codes = *s == 'z' ? small : *s == 'Z' ? large : "";
		char c = *s++;

		if (!*codes) {
			put(f, &c, 1);
		} else if (isdigit((unsigned char)*s)) {
			s = c == 'Z' ? put_tuple(f, s) : put_character(f, s);
		} else {
			while (*codes && *codes != *s)
				codes += 2;
			if (!*codes)
				return NULL;
			put(f, &codes[1], 1);
			s++;
		}
	}
	return s && (*s == '_' || !*s) ? s : NULL;
}

/* What the code is: the names of data are not those of functions. */
static bool
is_haskell_code(const char *suffix)
{
	static const char *const kinds[] = { "_info",        "_con_info",
					     "_static_info", "_entry",
					     "_con_entry",   "_slow",
					     "_fast" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(suffix, kinds[i]))
			return true;
	return false;
}

/* Is the module's name one of several, "GHCziBase", or that of the start? */
static bool
is_haskell_module(const char *s)
{
	size_t n = strcspn(s, "_");
	const char *dot = s;

	if (!isupper((unsigned char)*s))
		return false;
	if (n == strlen("ZCMain") && has_prefix(s, "ZCMain"))
		return true;
	while ((dot = strstr(dot, "zi")) && dot < s + n)
		if (isupper((unsigned char)*(dot += 2)))
			return true;
	return false;
}

/* [PACKAGE_]MODULE_NAME_KIND, where "_" is in no part: in full with package. */
static bool
put_haskell(FILE *f, const char *s, enum demangle_mode mode)
{
	const char *second = strchr(s, '_'), *third;
	bool has_package;

	third = second ? strchr(second + 1, '_') : NULL;
	has_package = third && isupper((unsigned char)second[1]) &&
		      strchr(third + 1, '_') && !is_haskell_code(third);
	if (has_package) {
		FILE *shown = mode == DEMANGLE_FULL ? f : NULL;

		/* HTTPzm4000zi3, but not SSL_CIPHER_get_info; stg: its RTS */
		if ((isupper((unsigned char)*s) &&
		     !memmem(s, second - s, "zm", 2)) ||
		    has_prefix(s, "stg_") || !put_part(shown, s))
			return false;
		put(shown, ":", 1);
		s = second + 1;
	}
	if (!isupper((unsigned char)*s))
		return false;
	s = put_part(f, s);
	if (!s || !*s)
		return false;
	put(f, ".", 1);
	s = put_part(f, s + 1);
	return s && is_haskell_code(s);
}

/* --- Nim: add__system_2308, dollar___system_26 --- */

/* Punctuation, as words: those of an operator, or before and after a name. */
static size_t
nim_word(const char *s, size_t n, char *c)
{
	static const struct {
		const char *word;
		char c;
	} words[] = {
		{ "dollar", '$' }, { "percent", '%' },    { "amp", '&' },
		{ "roof", '^' },   { "emark", '!' },      { "qmark", '?' },
		{ "star", '*' },   { "plus", '+' },       { "minus", '-' },
		{ "slash", '/' },  { "backslash", '\\' }, { "eq", '=' },
		{ "lt", '<' },     { "gt", '>' },         { "tilde", '~' },
		{ "colon", ':' },  { "dot", '.' },        { "at", '@' },
		{ "bar", '|' },    { "X5B", '[' },        { "X5D", ']' },
		{ "X7B", '{' },    { "X7D", '}' },        { "X28", '(' },
		{ "X29", ')' },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t n_word = strlen(words[i].word);

		if (n_word <= n && !memcmp(s, words[i].word, n_word)) {
			*c = words[i].c;
			return n_word;
		}
	}
	return 0;
}

static void
put_nim_operator(FILE *f, const char *s, size_t n)
{
	size_t at = 0, step;
	bool all;
	char c;

	while ((step = nim_word(s + at, n - at, &c)))
		at += step;
	all = at == n;
	for (at = 0; all && (step = nim_word(s + at, n - at, &c)); at += step)
		put(f, &c, 1);
	if (all)
		return;
	/* =destroy, :anonymous, but not =*art; size= */
	at = nim_word(s, n, &c);
	if (at && (c == '=' || c == ':'))
		put(f, &c, 1);
	else
		at = 0;
	step = n > at + 2 && !memcmp(s + n - 2, "eq", 2) ? 2 : 0;
	put(f, s + at, n - at - step);
	put(f, "=", step != 0);
}

/* NAME__MODULE_NUMBER: MODULE.NAME; Z stands for the slashes in MODULE. */
static bool
put_nim(FILE *f, const char *s, enum demangle_mode mode)
{
	size_t n = strcspn(s, "."), n_digit = 0, n_name, module;

	(void)mode;
	while (n_digit < n && isdigit((unsigned char)s[n - n_digit - 1]))
		n_digit++;
	if (!n_digit || !isalpha((unsigned char)*s))
		return false;
	n -= n_digit;
	n -= n && s[n - 1] == 'u'; /* of Nim 2 */
	if (n < 5 || s[--n] != '_')
		return false;
	for (module = n; module > 2; module--)
		if (s[module - 1] == '_' && s[module - 2] == '_')
			break;
	n_name = module - 2;
	if (module <= 2 || module == n || !isalpha((unsigned char)s[module]) ||
	    strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		      "0123456789_") < n)
		return false;
	for (size_t i = module; i < n; i++)
		put(f,
		    i > module && s[i] == 'Z' &&
				    islower((unsigned char)s[i - 1]) &&
				    islower((unsigned char)s[i + 1])
			    ? "/"
			    : s + i,
		    1);
	put(f, ".", 1);
	if (n_name > 1 && s[n_name - 1] == '_')
		put_nim_operator(f, s, n_name - 1);
	else
		put(f, s, n_name);
	return true;
}

/* --- Ada: pack__child__Oadd --- */

static bool
put_ada(FILE *f, const char *s, enum demangle_mode mode)
{
#if HAVE_LIBIBERTY
	char *symbol = strndup(s, strcspn(s, ".")), *name = NULL;
	bool ok;

	(void)mode;
	if (symbol && (strstr(s, "__") || has_prefix(s, "_ada_")))
		name = ada_demangle(symbol, 0);
	/* What it does not know is in brackets. */
	ok = name && *name != '<';
	if (ok)
		put(f, name, strlen(name));
	free(symbol);
	free(name);
	return ok;
#else
	(void)f;
	(void)s;
	(void)mode;
	return false;
#endif
}

/* --- which language --- */

#define N_LANGUAGE (sizeof(languages) / sizeof(*languages))

static const struct {
	enum demangle_language bit;
	const char *file[2];   /* how the names of its sources end */
	const char *prefix[4]; /* ... and those of its own functions begin */
	bool (*put)(FILE *f, const char *s, enum demangle_mode mode);
} languages[] = {
	{ LANGUAGE_HASKELL, { ".hs" }, { "stg_ap_", "stg_upd_" }, put_haskell },
	{ LANGUAGE_NIM,
	  { ".nim", ".nim.c" },
	  { "NimMain", "nimFrame", "nimGC_" },
	  put_nim },
	{ LANGUAGE_ADA,
	  { ".adb", ".ads" },
	  { "_ada_", "__gnat_", "ada__", "system__" },
	  put_ada },
};

unsigned
demangle_languages(const char *name, const char *file)
{
	unsigned set = 0;

	for (size_t i = 0; i < N_LANGUAGE; i++) {
		for (size_t k = 0; k < 2 && languages[i].file[k]; k++)
			if (filename_ends_in(file, languages[i].file[k]))
				set |= languages[i].bit;
		for (size_t k = 0; k < 4 && languages[i].prefix[k]; k++)
			if (has_prefix(name, languages[i].prefix[k]))
				set |= languages[i].bit;
	}
	if (strchr(name, '_') && (is_haskell_module(name) ||
				  is_haskell_module(strchr(name, '_') + 1)))
		set |= LANGUAGE_HASKELL;
	return set;
}

/* What one of them prints, if it is such a name. */
static char *
printed(bool (*put_name)(FILE *f, const char *s, enum demangle_mode mode),
	const char *s, enum demangle_mode mode)
{
	struct buf b = { 0 };
	FILE *f = buf_stream(&b);
	bool ok = f && put_name(f, s, mode);

	if (f) {
		fputc('\0', f);
		ok &= buf_stream_close(f) == 0;
	}
	if (ok && *b.data)
		return (char *)b.data;
	buf_release(&b);
	return NULL;
}

char *
demangle_by_language(const char *s, unsigned set, enum demangle_mode mode)
{
	char *name = NULL;

	if (strnlen(s, MAX_MANGLED) == MAX_MANGLED)
		return NULL;
	if (has_prefix(s, "caml"))
		name = printed(put_ocaml, s, mode);
	for (size_t i = 0; !name && i < N_LANGUAGE; i++)
		if (set & languages[i].bit)
			name = printed(languages[i].put, s, mode);
	return name;
}
