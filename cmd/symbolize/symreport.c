/* symreport.c - see symreport.h. */
#include "config.h"

#include "symreport.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "lib/model/origin.h"
#include "lib/model/profile.h"
#include "lib/model/runtime.h"

#define TELL 0.1   /* share of unnamed samples that is reported without -v */
#define SMALL 0.01 /* ... of a mapping that is not reported */
#define MAX_TRIED 1000 /* paths of a mapping */

struct note {
	uint32_t file, build_id; /* strings, before symbolization */
	char *why;
	char **tried; /* "path: why" */
	size_t n_tried;
};

struct symreport {
	struct note *note;
	size_t n;
	uint32_t at;        /* the mapping of symreport_tried() */
	const char *binary; /* the file of the first mapping, or NULL */
};

struct symreport *
symreport_new(const struct profile *p, const char *binary)
{
	struct symreport *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->binary = binary;
	r->n = binary && !p->n_mapping ? 1 : p->n_mapping;
	r->note = calloc(r->n + 1, sizeof(*r->note));
	if (!r->note) {
		free(r);
		return NULL;
	}
	for (size_t i = 0; i < p->n_mapping; i++) {
		r->note[i].file = p->mapping[i].file;
		r->note[i].build_id = p->mapping[i].build_id;
	}
	return r;
}

static void
forget_tried(struct note *n)
{
	while (n->n_tried)
		free(n->tried[--n->n_tried]);
	free(n->tried);
	n->tried = NULL;
}

void
symreport_free(struct symreport *r)
{
	if (!r)
		return;
	for (size_t i = 0; i <= r->n; i++) {
		forget_tried(&r->note[i]);
		free(r->note[i].why);
	}
	free(r->note);
	free(r);
}

/* Mappings added later share the last note, which is never read. */
static struct note *
note_of(struct symreport *r, uint32_t mapping)
{
	return &r->note[mapping < r->n ? mapping : r->n];
}

void
symreport_looking(void *ctx, uint32_t mapping)
{
	struct symreport *r = ctx;

	r->at = mapping;
	forget_tried(note_of(r, mapping));
}

void
symreport_tried(void *ctx, const char *path, const char *why)
{
	struct symreport *r = ctx;
	struct note *n = note_of(r, r->at);
	char **grown;

	if (n->n_tried == MAX_TRIED)
		return;
	grown = reallocarray(n->tried, n->n_tried + 1, sizeof(*grown));
	if (!grown)
		return;
	n->tried = grown;
	if (asprintf(&grown[n->n_tried], "%s: %s", path, why) >= 0)
		n->n_tried++;
}

void
symreport_failed(void *ctx, uint32_t mapping, const char *why)
{
	struct note *n = note_of(ctx, mapping);
	char *both;

	if (!n->why) {
		n->why = strdup(why);
	} else if (!strstr(n->why, why) &&
		   asprintf(&both, "%s; %s", n->why, why) >= 0) {
		free(n->why);
		n->why = both;
	}
}

static void
print_mapping(const struct symreport *r, const struct profile *p, size_t m,
	      const struct unnamed *u, bool is_verbose)
{
	const struct note *n = m < r->n ? &r->note[m] : NULL;
	const char *id = n ? profile_str(p, n->build_id) : "";
	const char *file = n ? profile_str(p, n->file) : "";
	const char *why = n ? n->why : "they are in no mapping";
	char name[40];

	if (m == 0 && r->binary)
		file = r->binary;
	if (!*file) {
		snprintf(name, sizeof(name), n ? "mapping %zu" : "addresses",
			 m + 1);
		file = name;
	}
	warn("%s%s%s%s: %s; innermost frame unnamed in %.1f%% of samples, any "
	     "frame in %.1f%%%s",
	     file, *id ? " (build-id " : "", id, *id ? ")" : "",
	     why ? why : "not all of its addresses are known",
	     100 * u->mapping[m], 100 * u->any[m],
	     n && n->n_tried && !is_verbose ? " (-v tells more)" : "");
	for (size_t i = 0; is_verbose && n && i < n->n_tried; i++)
		warn("    tried %s", n->tried[i]);
}

/* May a mapping do without what failed? It is not here, or it has no names. */
static bool
is_expected(const char *why)
{
	static const char *const expected[] = { "not in the search path",
						"no vmlinux", "stripped" };

	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		if (strstr(why, expected[i]))
			return true;
	return strstr(why, strerror(ENOENT)) || strstr(why, strerror(ENOTDIR));
}

/* Few names are missing, but some of them for a reason that can be mended. */
static void
print_refused(const struct symreport *r, const struct profile *p,
	      const struct unnamed *u)
{
	size_t most = r->n, n = 0;

	for (size_t m = 0; m < r->n; m++) {
		if (!r->note[m].why || is_expected(r->note[m].why) ||
		    u->any[m] <= 0)
			continue;
		n++;
		if (most == r->n || u->any[m] > u->any[most])
			most = m;
	}
	if (n)
		print_mapping(r, p, most, u, false);
	if (n > 1)
		warn("mappings without names for reasons like this: %zu more "
		     "(-v tells them)",
		     n - 1);
}

/* Is there a server that may know names of mapping m? */
static bool
has_source(const struct origins *o, const struct profile *p, size_t m)
{
	return m < p->n_mapping && origins_find(o, p, (uint32_t)m, 0) < o->n;
}

/* Code compiled at run time: only the runtime has its names. A profile without
 * mappings does not tell that code. */
static void
print_runtime(const struct profile *p, const struct unnamed *u)
{
	double share = runtime_share(p, u->mapping);
	const struct runtime *runtime = runtime_of(p);

	if (share <= TELL)
		return;
	if (runtime)
		warn("%.1f%% of samples are in code that %s made while it ran, "
		     "without names: %s%s",
		     100 * share, runtime->name,
		     runtime->variable ? "run it with " : "", runtime->how);
	else if (p->n_mapping)
		warn("%.1f%% of samples are in code that is in no file: it was "
		     "made while the program ran, or its mapping is missing",
		     100 * share);
}

void
symreport_print(const struct symreport *r, const struct profile *p,
		const struct unnamed *u, const struct origins *o,
		bool has_ranges, bool is_verbose)
{
	bool known = false, stripped = false;

	if (!is_verbose && u->share <= TELL && u->callers <= TELL) {
		print_refused(r, p, u);
		return;
	}
	print_runtime(p, u);
	for (size_t m = 0; m <= p->n_mapping; m++) {
		bool failed = m < r->n && r->note[m].why;

		/* Without a failure there is nothing to fix. */
		if (is_verbose ? failed || u->any[m] > 0
			       : failed && u->any[m] >= SMALL)
			print_mapping(r, p, m, u, is_verbose);
		known |= u->any[m] >= SMALL && has_source(o, p, m);
		stripped |= failed && u->any[m] >= SMALL &&
			    strstr(r->note[m].why, "stripped");
	}
	if (is_verbose)
		warn("%.1f%% of samples are unnamed: their innermost frame has "
		     "no name",
		     100 * u->share);
	if (stripped && !has_ranges)
		warn("--symbolize=ranges shows a row for each function of "
		     "stripped files");
	if (known)
		warn("the server may know: --symbolize=remote");
}
