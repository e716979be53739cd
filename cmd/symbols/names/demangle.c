/* demangle.c - see demangle.h. */
#include "config.h"

#include "demangle.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#endif

#include "demangle-impl.h"
#include "lib/base/brackets.h"
#include "lib/model/profile.h"

#if HAVE_LIBIBERTY

/* --- C++ --- */

/*
 * Remove the parameters of the functions that dc is local to: f()::{lambda}.
 * Parts of the tree may be shared, so left counts the steps.
 */
static void
drop_enclosing(struct demangle_component *dc, int *left)
{
	struct demangle_component *in, *type;

	if (!dc || --*left < 0)
		return;
	switch (dc->type) {
	case DEMANGLE_COMPONENT_LOCAL_NAME:
		in = dc->u.s_binary.left;
		if (in && in->type == DEMANGLE_COMPONENT_TYPED_NAME) {
			type = in->u.s_binary.right;
			if (type &&
			    type->type == DEMANGLE_COMPONENT_FUNCTION_TYPE) {
				type->u.s_binary.left = NULL;
				type->u.s_binary.right = NULL;
			}
		}
		/* fall through */
	case DEMANGLE_COMPONENT_QUAL_NAME:
		drop_enclosing(dc->u.s_binary.right, left);
		/* fall through */
	case DEMANGLE_COMPONENT_TYPED_NAME:
	case DEMANGLE_COMPONENT_TEMPLATE:
	case DEMANGLE_COMPONENT_CONST_THIS:
	case DEMANGLE_COMPONENT_VOLATILE_THIS:
	case DEMANGLE_COMPONENT_RESTRICT_THIS:
	case DEMANGLE_COMPONENT_REFERENCE_THIS:
	case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
		drop_enclosing(dc->u.s_binary.left, left);
		break;
	default:
		break;
	}
}

/* The length of the operator's sign at s, which follows "operator". */
static size_t
operator_length(const char *s)
{
	static const char *const signs[] = { "<=>", "<<=", ">>=", "->*",
					     "<<",  ">>",  "<=",  ">=",
					     "->",  "<",   ">" };

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (!strncmp(s, signs[i], strlen(signs[i])))
			return strlen(signs[i]);
	return 0;
}

void
demangle_strip_templates(char *name)
{
	static const char word[] = "operator";
	const size_t n_word = sizeof(word) - 1;
	const char *from = name;
	char *to = name;
	uint32_t *past = brackets_match(name, strlen(name));

	while (past && *from) {
		bool starts =
			from == name ||
			!(isalnum((unsigned char)from[-1]) || from[-1] == '_');

		if (starts && !strncmp(from, word, n_word)) {
			size_t n = n_word + operator_length(from + n_word);

			memmove(to, from, n);
			to += n;
			from += n;
			/* operator< <int>: the space goes too */
			if (from[0] == ' ' && from[1] == '<')
				from++;
			continue;
		}
		if (past[from - name])
			from = name + past[from - name];
		else
			*to++ = *from++;
	}
	if (past)
		*to = '\0';
	free(past);
}

static char *
demangle_cplus(const char *mangled, enum demangle_mode mode)
{
	int options = DMGL_ANSI | (mode == DEMANGLE_FULL ? DMGL_PARAMS : 0);
	struct demangle_component *tree;
	void *mem = NULL;
	size_t size;
	int left = 1000;
	char *name, *clone;

	tree = cplus_demangle_v3_components(mangled, options, &mem);
	while (tree && tree->type == DEMANGLE_COMPONENT_CLONE)
		tree = tree->u.s_binary.left;
	if (tree && mode != DEMANGLE_FULL)
		drop_enclosing(tree, &left);
	/* Some names are only accepted by the other function. */
	name = tree ? cplus_demangle_print(options, tree, 64, &size)
		    : cplus_demangle_v3(mangled, options);
	free(mem);
	clone = name && !tree ? strstr(name, " [clone ") : NULL;
	if (clone)
		*clone = '\0';
	if (name && mode == DEMANGLE_DEFAULT)
		demangle_strip_templates(name);
	return name;
}

/* The name after a prefix for the purpose of the function. */
static char *
prefixed(const char *prefix, char *name)
{
	size_t n = strlen(prefix);
	char *s;

	if (!name)
		return NULL;
	s = malloc(n + strlen(name) + 1);
	if (s) {
		memcpy(s, prefix, n);
		strcpy(s + n, name);
	}
	free(name);
	return s;
}

/* _GLOBAL__I_ and a name: code that runs before or after main(). */
static char *
demangle_global(const char *mangled, enum demangle_mode mode)
{
	const char *kind = mangled + strlen("_GLOBAL_");
	const char *prefix;
	char *name;

	if (!kind[0] || !strchr("._$", kind[0]) ||
	    (kind[1] != 'I' && kind[1] != 'D') || kind[2] != '_' || !kind[3])
		return NULL;
	prefix = kind[1] == 'I' ? "global constructors keyed to "
				: "global destructors keyed to ";
	if (strncmp(kind + 3, "_Z", 2))
		return prefixed(prefix, strdup(kind + 3));
	/* Parameters stay: several may be keyed to functions of one name. */
	name = demangle_cplus(kind + 3, DEMANGLE_FULL);
	if (name && mode == DEMANGLE_DEFAULT)
		demangle_strip_templates(name);
	return prefixed(prefix, name);
}

/* ___Z..._block_invoke_2: blocks of clang, in C and Objective-C. */
static char *
demangle_block(const char *mangled, enum demangle_mode mode)
{
	const char *block = strstr(mangled, "_block_invoke");
	char *inner, *name;

	if (!block)
		return NULL;
	inner = strndup(mangled + 2, (size_t)(block - mangled) - 2);
	name = inner ? demangle_cplus(inner, mode) : NULL;
	free(inner);
	return prefixed("invocation function for block in ", name);
}

/* --- Rust --- */

/* The old mangling is that of C++, with a hash at the end: 17h, 16 digits,
 * E. */
static size_t
old_rust_length(const char *mangled)
{
	size_t n = strlen(mangled);
	const char *dot = mangled + n;

	if (strncmp(mangled, "_ZN", 3))
		return 0;
	for (const char *s = mangled; (s = strstr(s, "E.")); s++)
		dot = s + 1;
	n = (size_t)(dot - mangled);
	if (n <= 23 || dot[-1] != 'E' || strncmp(dot - 20, "17h", 3) ||
	    strspn(dot - 17, "0123456789abcdef") != 16)
		return 0;
	return n;
}

void
demangle_strip_generics(char *name)
{
	const char *from = name;
	char *to = name;
	uint32_t *past = brackets_match(name, strlen(name));

	while (past && *from) {
		uint32_t end = past[from - name];

		if (end &&
		    (from == name || !(isalnum((unsigned char)from[-1]) ||
				       from[-1] == '_' || from[-1] == ':')))
			end = 0;
		*to++ = *from++;
		if (end) {
			*to++ = '>';
			from = name + end;
		}
	}
	if (past)
		*to = '\0';
	free(past);
}

/* The n bytes at s are the symbol: what follows is the compiler's. */
static char *
demangle_rust(const char *s, size_t n)
{
	char *symbol = strndup(s, n), *name = NULL;

	if (symbol)
		name = rust_demangle(symbol, DMGL_NO_OPTS);
	free(symbol);
	return name;
}

/* The newer mangling, "v0". */
static char *
demangle_new_rust(const char *mangled, enum demangle_mode mode)
{
	char *name = demangle_rust(mangled, strcspn(mangled, "."));

	if (name && mode == DEMANGLE_DEFAULT)
		demangle_strip_generics(name);
	return name;
}

/* --- */

static char *
demangle_once(const char *s, enum demangle_mode mode)
{
	size_t n = old_rust_length(s);
	char *name = NULL;

	if (!strncmp(s, "_D", 2))
		return demangle_d(s, mode);
	if (!strncmp(s, "_R", 2))
		return demangle_new_rust(s, mode);
	if (n)
		name = demangle_rust(s, n);
	if (!name && !strncmp(s, "_Z", 2))
		name = demangle_cplus(s, mode);
	if (!name && !strncmp(s, "___Z", 4))
		name = demangle_block(s, mode);
	if (!name && !strncmp(s, "_GLOBAL_", 8))
		name = demangle_global(s, mode);
	return name;
}

bool
demangle_is_risky(const char *name)
{
	static const char *const prefix[] = { "_Z", "_R", "_D", "___Z",
					      "_GLOBAL_" };

	for (size_t i = 0; i < sizeof(prefix) / sizeof(*prefix); i++)
		if (!strncmp(name, prefix[i], strlen(prefix[i])) ||
		    (*name == '_' &&
		     !strncmp(name + 1, prefix[i], strlen(prefix[i]))))
			return true;
	return false;
}

/* macOS puts an underscore before every name. */
static char *
demangle_plain(const char *mangled, enum demangle_mode mode)
{
	char *name = demangle_once(mangled, mode);

	return name ? name : demangle_once(mangled + 1, mode);
}

/* f@plt is a stub that jumps to f: the name of f, and the same suffix. */
static char *
demangle_stub(const char *mangled, size_t n, enum demangle_mode mode)
{
	char *function = strndup(mangled, n), *name = NULL, *stub = NULL;

	if (function)
		name = demangle_plain(function, mode);
	if (name && asprintf(&stub, "%s%s", name, mangled + n) < 0)
		stub = NULL;
	free(function);
	free(name);
	return stub;
}

/*
 * f<main()::<lambda(int)> >: gcc's debugging information has no mangled name
 * for inlined functions whose template arguments are local types.
 */
static char *
without_arguments(const char *s)
{
	static const char word[] = "operator";
	const char *open = s;
	uint32_t *past;
	bool is_all;

	if (!strncmp(s, word, sizeof(word) - 1)) {
		open += sizeof(word) - 1;
		open += operator_length(open);
		open += strcspn(open, "<");
	} else {
		while (isalnum((unsigned char)*open) || *open == '_')
			open++;
	}
	if (open == s || *open != '<')
		return NULL;
	past = brackets_match(s, strlen(s));
	is_all = past && past[open - s] && !s[past[open - s]];
	free(past);
	if (!is_all)
		return NULL;
	return strndup(s, (size_t)(open - s) - (open[-1] == ' '));
}

static char *
demangle(const char *mangled, enum demangle_mode mode)
{
	size_t n = strlen(mangled);
	bool is_risky = demangle_is_risky(mangled);
	char *name = NULL;

	if (is_risky && n > 4 && !strcmp(mangled + n - 4, "@plt"))
		return demangle_stub(mangled, n - 4, mode);
	if (is_risky)
		name = demangle_plain(mangled, mode);
	if (!name && mode == DEMANGLE_DEFAULT)
		name = without_arguments(mangled);
	return name;
}

#else

bool
demangle_is_risky(const char *name)
{
	(void)name;
	return false;
}

static char *
demangle(const char *mangled, enum demangle_mode mode)
{
	(void)mangled;
	(void)mode;
	return NULL;
}

#endif

/*
 * runtime.memmove.abi0: Go's linker marks the symbols of functions in assembly,
 * but neither Go's own profiles nor its tables have the mark.
 */
static char *
without_abi(const char *s)
{
	static const char mark[] = ".abi0";
	const size_t n_mark = sizeof(mark) - 1;
	size_t n = strlen(s);

	if (n <= n_mark || strcmp(s + n - n_mark, mark))
		return NULL;
	n -= n_mark;
	return memchr(s, '.', n) ? strndup(s, n) : NULL;
}

char *
demangle_here(const char *mangled, unsigned languages, enum demangle_mode mode)
{
	char *name;

	if (mode == DEMANGLE_NONE)
		return NULL;
	name = without_abi(mangled);
	if (!name)
		name = demangle(mangled, mode);
	return name ? name : demangle_by_language(mangled, languages, mode);
}

char *
demangle_name(const char *mangled, enum demangle_mode mode)
{
	struct mangled m = { .name = mangled };

	demangle_all(&m, 1, mode);
	return m.shown;
}

/* Add the set of m of of_mapping to those of the functions of its locations, or
 * the reverse. */
static void
spread(const struct profile *p, uint8_t *of_mapping, uint8_t *of_function,
       bool is_back)
{
	for (size_t i = 0; i < p->n_location; i++) {
		const struct location *l = &p->location[i];
		const struct line *line = profile_line(p, l);

		for (uint32_t k = 0; l->mapping != PROF_NONE && k < l->n_line;
		     k++) {
			if (is_back)
				of_function[line[k].function] |=
					of_mapping[l->mapping];
			else
				of_mapping[l->mapping] |=
					of_function[line[k].function];
		}
	}
}

/* For each function, the languages of its mappings; for free(). */
static uint8_t *
find_languages(const struct profile *p)
{
	uint8_t *set = calloc(p->n_function + p->n_mapping + 1, sizeof(*set));

	for (size_t i = 0; set && i < p->n_function; i++) {
		const struct function *f = &p->function[i];

		set[i] = (uint8_t)demangle_languages(
			profile_str(p, f->system_name),
			profile_str(p, f->file));
	}
	if (set) {
		spread(p, set + p->n_function, set, false);
		spread(p, set + p->n_function, set, true);
	}
	return set;
}

/* The functions to name, in order; NULL without memory. */
static struct mangled *
list_functions(struct profile *p, const uint8_t *languages, bool force,
	       size_t *n)
{
	struct mangled *m = calloc(p->n_function + 1, sizeof(*m));

	*n = 0;
	for (size_t i = 0; m && i < p->n_function; i++) {
		struct function *f = &p->function[i];

		if (force && f->name && f->system_name)
			f->name = f->system_name;
		if (f->system_name && (!f->name || f->name == f->system_name))
			m[(*n)++] = (struct mangled){
				.name = profile_str(p, f->system_name),
				.languages = languages[i],
				.function = (uint32_t)i,
			};
	}
	return m;
}

/* Take over a name. false: no memory. */
static bool
name_function(struct profile *p, const struct mangled *m)
{
	struct function *f = &p->function[m->function];
	uint32_t name = f->system_name;

	if (m->shown)
		name = profile_intern(p, m->shown);
	f->name = name == STRTAB_NONE ? f->system_name : name;
	return name != STRTAB_NONE;
}

static bool
is_left(const struct mangled *m)
{
	return !CAN_DEMANGLE && !m->shown &&
	       (!strncmp(m->name, "_Z", 2) || !strncmp(m->name, "_R", 2));
}

enum prof_status
demangle_profile(struct profile *p, enum demangle_mode mode, bool force,
		 struct prof_err *err)
{
	uint8_t *languages = find_languages(p);
	size_t n = 0;
	struct mangled *m =
		languages ? list_functions(p, languages, force, &n) : NULL;
	bool left = false, ok = m;

	/* Strings of p move when names are added. */
	if (m)
		demangle_all(m, n, mode);
	for (size_t i = 0; i < n; i++)
		left |= is_left(&m[i]);
	for (size_t i = 0; i < n; i++) {
		ok = ok && name_function(p, &m[i]);
		free(m[i].shown);
	}
	free(m);
	free(languages);
	if (!ok)
		return prof_nomem(err);
	if (left && mode != DEMANGLE_NONE)
		return prof_fail(
			err, PROF_ENOTSUP,
			"this build has no libiberty: names stay mangled");
	return PROF_OK;
}
