/* own.c - see own.h. */
#include "config.h"

#include "own.h"

#include <stdlib.h>
#include <string.h>

#include "lib/model/profile.h"

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

/* The kernel, [vdso] and the like, and what a system brings. */
static bool
is_library_object(const char *path)
{
	return *path == '[' || begins(path, "linux-vdso") ||
	       strstr(path, "vmlinux") || is_system_path(path);
}

/* go, go1.22, go-1.19: with src below it, the sources of Go itself. */
static bool
has_goroot(const char *path)
{
	const char *at = path;

	while ((at = strstr(at, "/go"))) {
		at += 3;
		at += *at == '-';
		at += strspn(at, "0123456789.");
		if (begins(at, "/src/"))
			return true;
	}
	return false;
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
	static const char *const parts[] = {
		"/pkg/mod/",
		"/vendor/",
		"/.cargo/registry/",
		"/rustlib/",
		"/site-packages/",
		"/dist-packages/",
		"/node_modules/",
		"/third_party/",
		"/external/",
		"/_deps/",
		"/jdk",
		NULL,
	};

	/* ./malloc/malloc.c is libc's; ./main.c, compiled where it lies, is
	 * not. */
	if (begins(path, "./") && strchr(path + 2, '/'))
		return true;
	if (is_system_path(path) || is_any_prefix(path, prefixes) ||
	    has_goroot(path) || is_trimmed_go(path, name))
		return true;
	for (size_t i = 0; parts[i]; i++)
		if (strstr(path, parts[i]))
			return true;
	return false;
}

/* What every program has: C and C++ runtimes, the kernel. */
static bool
is_common(const char *object, const char *package)
{
	static const char *const libraries[] = {
		"libc.",      "libc-",      "libm.",     "libm-",
		"libpthread", "libstdc++.", "libgcc_s.", "ld-linux",
		"ld-",        "libdl",      "librt.",    NULL,
	};
	size_t len;
	const char *base = frames_base(object, &len);

	return *object == '[' || strstr(object, "vmlinux") ||
	       is_any_prefix(base, libraries) || !strcmp(package, "std") ||
	       !strcmp(package, "runtime");
}

/* The paths that tell of function f, whose first frame has key. */
struct clue {
	const char *source, *object, *name, *package;
};

static struct clue
clue_of(const struct pack *k, const struct pack_function *f,
	const struct frame_key *key)
{
	const struct str *str = k->frames->strings.str;

	return (struct clue){
		.source = k->p->strings.str[f->raw_file].s,
		.object = str[key->object].s,
		.name = str[f->name].s,
		.package = k->strings.str[k->package[f->package].name].s,
	};
}

static enum own
own_of(const struct clue *c, bool is_all)
{
	/* No name, or one of ours, such as that of what was not sampled. */
	if (!*c->name || *c->name == '[')
		return OWN_LIBRARY;
	if (is_all)
		return is_common(c->object, c->package) ? OWN_LIBRARY : OWN_ALL;
	if (is_library_object(c->object) ||
	    (*c->source && is_library_source(c->source, c->name)))
		return OWN_LIBRARY;
	return OWN_CODE;
}

/* The first frame of each function tells of it. fn gets each function. */
static void
each_function(struct pack *k,
	      void (*fn)(struct pack_function *f, const struct clue *c,
			 void *ctx),
	      void *ctx)
{
	for (size_t i = 0, done = 0; i < k->n_frame; i++) {
		struct pack_function *f = &k->function[k->frame[i].function];
		struct clue c;

		if (k->frame[i].function < done)
			continue;
		done = k->frame[i].function + 1;
		c = clue_of(k, f, &k->frames->key[k->frame[i].key]);
		fn(f, &c, ctx);
	}
}

static void
decide_code(struct pack_function *f, const struct clue *c, void *ctx)
{
	unsigned char *by_source = ctx;

	f->own = own_of(c, false);
	if (*c->source)
		by_source[f->package] |= f->own == OWN_CODE ? 2 : 1;
}

/* Without a source a function is what the others of its package are. */
static void
decide_sourceless(struct pack_function *f, const struct clue *c, void *ctx)
{
	const unsigned char *by_source = ctx;

	if (!*c->source && by_source[f->package] == 1)
		f->own = OWN_LIBRARY;
}

static void
decide_all(struct pack_function *f, const struct clue *c, void *ctx)
{
	(void)ctx;
	f->own = own_of(c, true);
}

/* The share of the values whose stacks have a function of own code. */
static double
own_share(const struct pack *k, size_t column)
{
	const struct profile *p = k->p;
	double all = 0, own = 0;

	for (size_t i = 0; i < p->n_sample; i++) {
		int64_t value = p->value[i * p->n_type + column];
		double v = value < 0 ? -(double)value : (double)value;
		bool is_own = false;

		for (size_t at = k->stacks.start[i];
		     at < k->stacks.start[i + 1] && !is_own; at++)
			is_own = k->function[k->frame[k->stacks.frame[at]]
						     .function]
					 .own == OWN_CODE;
		all += v;
		own += is_own ? v : 0;
	}
	return all > 0 ? own / all : 1;
}

enum prof_status
own_decide(struct pack *k, size_t column, struct prof_err *err)
{
	unsigned char *by_source = calloc(k->n_package + 1, 1);

	if (!by_source)
		return prof_nomem(err);
	each_function(k, decide_code, by_source);
	each_function(k, decide_sourceless, by_source);
	free(by_source);
	if (own_share(k, column) < own_worth)
		each_function(k, decide_all, NULL);
	return PROF_OK;
}
