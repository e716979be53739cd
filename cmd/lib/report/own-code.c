/* own-code.c - see own-code.h. */
#include "config.h"

#include "own-code.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/strtab.h"
#include "lib/model/profile.h"
#include "lib/report/frames.h"

/* With less own code than this share of all, all is own but what is common. */
static const double own_worth = 0.01;

static bool
begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static bool
is_any_prefix(const char *s, const char *const *list)
{
	for (; *list; list++)
		if (begins(s, *list))
			return true;
	return false;
}

static bool
is_system_path(const char *path)
{
	static const char *const system[] = { "/usr/", "/lib", "/opt/", NULL };
	static const char *const homes[] = { "/usr/src/", "/usr/home/", NULL };

	return is_any_prefix(path, system) && !is_any_prefix(path, homes);
}

/*
 * [python] and the like, of functions that an interpreter runs: only these have
 * a source, other than the kernel.
 */
static bool
is_interpreted(const char *object, const char *source)
{
	return *object == '[' && *source && !begins(object, "[kernel") &&
	       !begins(object, "[guest");
}

/* Folders of what others wrote, of sources and of what is made of them. */
static bool
has_library_part(const char *path)
{
	static const char *const parts[] = {
		"/pkg/mod/",
		"/vendor/",
		"/.cargo/registry/",
		"/rustlib/",
		"/site-packages/",
		"/dist-packages/",
		"/node_modules/",
		"/third_party/",
		"/lib/python",
		"/lib/ruby/",
		"/external/",
		"/_deps/",
		"/jdk",
		NULL,
	};

	for (size_t i = 0; parts[i]; i++)
		if (strstr(path, parts[i]))
			return true;
	return false;
}

/* The kernel, [vdso] and the like, and what a system or a package brings. */
static bool
is_library_object(const char *path)
{
	return *path == '[' || begins(path, "linux-vdso") ||
	       strstr(path, "vmlinux") || is_system_path(path) ||
	       has_library_part(path);
}

/* go, go1.22, go-1.19: with src below it, the sources of Go itself. Their path
 * there, or NULL. */
static const char *
in_goroot(const char *path)
{
	const char *at = path;

	while ((at = strstr(at, "/go"))) {
		at += 3;
		at += *at == '-';
		at += strspn(at, "0123456789.");
		if (begins(at, "/src/"))
			return at + 5;
	}
	return NULL;
}

/* Go with -trimpath: runtime/proc.go, or github.com/a/b@v1.2.3/c.go */
static bool
is_trimmed_go(const char *path, const char *name)
{
	size_t n = strlen(path), first = strcspn(path, "/");

	bool is_go = n > 3 && (!strcmp(path + n - 3, ".go") ||
			       !strcmp(path + n - 2, ".s"));

	if (*path == '/' || !is_go)
		return false;
	if (strchr(path, '@'))
		return true;
	return path[first] && !memchr(path, '.', first) &&
	       !begins(name, "main.");
}

static bool
is_library_source(const char *path, const char *name)
{
	static const char *const prefixes[] = { "/rustc/", "../", "<", NULL };

	/* ./malloc/malloc.c is libc's; ./main.c, compiled where it lies, is
	 * not. */
	if (begins(path, "./") && strchr(path + 2, '/'))
		return true;
	if (is_system_path(path) || is_any_prefix(path, prefixes) ||
	    begins(name, "runtime/cgo") || in_goroot(path) ||
	    is_trimmed_go(path, name))
		return true;
	return has_library_part(path);
}

/* The paths that tell of a function. */
struct clue {
	const char *source, *object, *name, *package;
};

/* Below Go's runtime there are more packages. */
static bool
is_go_runtime(const char *source)
{
	static const char *const folders[] = { "runtime/", "syscall/",
					       "internal/", NULL };
	const char *path = in_goroot(source);

	return is_any_prefix(path ? path : source, folders);
}

/* What every program has: runtimes of C, C++ and Go, the kernel. */
static bool
is_common(const struct clue *c)
{
	static const char *const libraries[] = {
		"libc.",      "libc-",      "libm.",     "libm-",
		"libpthread", "libstdc++.", "libgcc_s.", "ld-linux",
		"ld-",        "libdl",      "librt.",    NULL,
	};
	size_t len;
	const char *base = frames_base(c->object, &len);

	return (*c->object == '[' && !is_interpreted(c->object, c->source)) ||
	       strstr(c->object, "vmlinux") || is_any_prefix(base, libraries) ||
	       !strcmp(c->package, "std") || !strcmp(c->package, "runtime") ||
	       is_go_runtime(c->source);
}

struct decision {
	const struct own_source *s;
	unsigned char *own;       /* out */
	struct clue *clue;        /* of each function; without a name: none */
	unsigned char *by_source; /* of each package: 1 library, 2 own code */
	const char *interpreter;  /* "python]", "": none */
};

static size_t
function_of(const struct own_source *s, uint32_t key)
{
	return s->function ? s->function[key] : key;
}

/* Of a function in several objects or files one clue counts, always the same.
 */
static bool
is_better(const struct clue *c, const struct clue *than)
{
	int r = !*c->source - !*than->source;

	if (!r)
		r = strcmp(c->object, than->object);
	return (r ? r : strcmp(c->source, than->source)) < 0;
}

/* line: NULL, of a location without lines. */
static void
add_clue(struct decision *d, size_t f, const struct location *l,
	 const struct line *line)
{
	const struct own_source *s = d->s;
	const struct profile *p = s->frames->p;
	const struct str *str = p->strings.str;
	const struct function *fn = line ? &p->function[line->function] : NULL;
	const char *source = fn ? str[fn->file].s : "";
	struct clue c = {
		/* Go's wrappers: what their package is. */
		.source = strstr(source, "<autogenerated>") ? "" : source,
		.object = l->mapping == PROF_NONE
				  ? ""
				  : str[p->mapping[l->mapping].file].s,
		.name = fn ? str[fn->name].s : "",
		.package = s->names->str[s->package[f]].s,
	};

	if (!d->clue[f].name || is_better(&c, &d->clue[f]))
		d->clue[f] = c;
}

static void
find_clues(struct decision *d)
{
	const struct frames *f = d->s->frames;

	for (size_t l = 0; l < f->p->n_location; l++) {
		const struct location *loc = &f->p->location[l];
		uint32_t n = f->first[l + 1] - f->first[l];
		const struct line *line =
			loc->n_line ? profile_line(f->p, loc) + loc->n_line - n
				    : NULL;

		for (uint32_t i = 0; i < n; i++)
			add_clue(d, function_of(d->s, f->node[f->first[l] + i]),
				 loc, line ? &line[i] : NULL);
	}
}

static enum own
own_of(const struct clue *c, bool is_all)
{
	/* No name, or one of ours, such as that of what was not sampled; and
	 * what the C library puts into every program. */
	if (!*c->name || *c->name == '[' || !strcmp(c->name, "_start"))
		return OWN_LIBRARY;
	if (is_all)
		return is_common(c) ? OWN_LIBRARY : OWN_ALL;
	if (is_library_object(c->object) &&
	    !is_interpreted(c->object, c->source))
		return OWN_LIBRARY;
	if (*c->source && is_library_source(c->source, c->name))
		return OWN_LIBRARY;
	return OWN_CODE;
}

/* python3.11 and libpython3.11.so run what is in [python]. */
static bool
is_of_interpreter(const char *object, const char *interpreter)
{
	size_t n = strcspn(interpreter, "]"), len;
	const char *base = frames_base(object, &len);

	base += begins(base, "lib") ? 3 : 0;
	return n && *object != '[' && !strncmp(base, interpreter, n);
}

static void
decide_code(struct decision *d, size_t f)
{
	const struct clue *c = &d->clue[f];

	d->own[f] = own_of(c, false);
	if (*c->source)
		d->by_source[d->s->package[f]] |= d->own[f] == OWN_CODE ? 2 : 1;
	if (is_interpreted(c->object, c->source))
		d->interpreter = c->object + 1;
}

/*
 * Without a source a function is what the others of its package are. What runs
 * the reader's own functions is not their code.
 */
static void
decide_rest(struct decision *d, size_t f)
{
	const struct clue *c = &d->clue[f];

	if ((!*c->source && d->by_source[d->s->package[f]] == 1) ||
	    is_of_interpreter(c->object, d->interpreter))
		d->own[f] = OWN_LIBRARY;
}

static void
decide_all(struct decision *d, size_t f)
{
	const struct clue *c = &d->clue[f];

	if (!is_of_interpreter(c->object, d->interpreter))
		d->own[f] = own_of(c, true);
}

static void
each_function(struct decision *d, void (*decide)(struct decision *d, size_t f))
{
	for (size_t f = 0; f < d->s->n_function; f++)
		if (d->clue[f].name)
			decide(d, f);
}

/* The share of the values whose stacks have a function of own code. */
static enum prof_status
own_share(const struct decision *d, double *share, struct prof_err *err)
{
	const struct frames *f = d->s->frames;
	const struct profile *p = f->p;
	bool *has = calloc(p->n_location + 1, sizeof(*has));
	double all = 0, own = 0;

	if (!has)
		return prof_nomem(err);
	for (size_t l = 0; l < p->n_location; l++)
		for (uint32_t i = f->first[l]; i < f->first[l + 1]; i++)
			has[l] |= d->own[function_of(d->s, f->node[i])] ==
				  OWN_CODE;
	for (size_t i = 0; i < p->n_sample; i++) {
		const uint32_t *stack = profile_stack(p, &p->sample[i]);
		int64_t value = p->value[i * p->n_type + d->s->column];
		double v = value < 0 ? -(double)value : (double)value;
		uint32_t k = 0;

		while (k < p->sample[i].n_stack && !has[stack[k]])
			k++;
		all += v;
		own += k < p->sample[i].n_stack ? v : 0;
	}
	free(has);
	*share = all > 0 ? own / all : 1;
	return PROF_OK;
}

enum prof_status
own_decide(const struct own_source *s, unsigned char *own, struct prof_err *err)
{
	struct decision d = {
		.s = s,
		.own = own,
		.clue = calloc(s->n_function + 1, sizeof(*d.clue)),
		.by_source = calloc(s->names->n_str + 1, 1),
		.interpreter = "",
	};
	double share = 1;
	enum prof_status st = d.clue && d.by_source ? PROF_OK : prof_nomem(err);

	memset(own, OWN_LIBRARY, s->n_function);
	if (st == PROF_OK) {
		find_clues(&d);
		each_function(&d, decide_code);
		each_function(&d, decide_rest);
		st = own_share(&d, &share, err);
	}
	if (st == PROF_OK && share < own_worth)
		each_function(&d, decide_all);
	free(d.clue);
	free(d.by_source);
	return st;
}
