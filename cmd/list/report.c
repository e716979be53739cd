/* report.c - see report.h. */
#include "config.h"

#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/match.h"
#include "cli/report-open.h"
#include "html/make.h"
#include "html/options.h"
#include "lib/base/strtab.h"
#include "lib/model/interpreter.h"
#include "lib/model/profile.h"
#include "lib/report/frames.h"
#include "lib/report/listing.h"
#if HAVE_LIBELF
#include "code/assembly.h"
#include "code/objects.h"
#endif
#include "code/servers.h"
#include "code/sources.h"
#include "options.h"
#include "print.h"

/* Name the sources that were not found, or where each was looked for. */
static void
tell_missing(const struct sources *sources, bool is_verbose)
{
	const struct source *f;
	size_t n = 0, at = 0;

	while ((f = sources_next(sources, &at))) {
		n += !f->path;
		if (!f->path && is_verbose)
			warn("%s: not found; looked at %s", f->file,
			     f->n_tried ? f->tried : "no place");
	}
	if (n && !is_verbose)
		warn("%zu source file%s not found; -v tells where prof-list "
		     "looked",
		     n, n == 1 ? "" : "s");
}

/* A pattern may match in the middle of a name: "lib" lists __libc_start_main.
 */
static void
tell_matches(const struct listing *l, const char *pattern)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_block; i++)
		n += !i || l->block[i].name != l->block[i - 1].name;
	if (n > 1)
		warn("%zu functions match %s", n, pattern);
}

/* What may be newer than it was made, so that its lines are off. */
struct made {
	const char *what;
	time_t time; /* 0 is unknown */
};

/* The program; code of an interpreter is as its files were when it ran. */
static struct made
made_of(const struct profile *p)
{
	struct stat sb;

	if (interpreter_is_read(p))
		return (struct made){ "profile", p->time_ns / 1000000000 };
	if (!p->n_mapping ||
	    stat(profile_str(p, p->mapping[0].file), &sb) != 0 ||
	    !S_ISREG(sb.st_mode))
		return (struct made){ "program", 0 };
	return (struct made){ "program", sb.st_mtime };
}

static void
tell_newer(const struct made *made, const struct sources *sources)
{
	const struct source *f, *newer = NULL;
	size_t n = 0, at = 0;

	while (made->time && (f = sources_next(sources, &at)))
		if (f->path && f->mtime > made->time && !n++)
			newer = f;
	if (n)
		warn("%s%s newer than the %s: lines may have moved",
		     newer->path, n > 1 ? " and others are" : " is",
		     made->what);
}

static void
list(struct cli *cli, struct list_settings *s, const struct report *r)
{
	struct sources *sources = sources_new(&s->sources);
	FILE *out;
	enum prof_status st;
	struct prof_err err;
	struct graph_options o = r->o->graph;
	struct made made = made_of(r->p);
	struct listing *l;
	struct frames *f;

	o.column = r->column;
	o.mean = r->o->mean;
	if (!sources)
		die_nomem();
	if (frames_new(r->p, &r->o->frames, &f, &err) != PROF_OK ||
	    listing_new(f, &o, s->diff, match_must, s->match, &l, &err) !=
		    PROF_OK)
		die("%s", err.msg);
	if (!l->n_block)
		die("no matches found for regexp: %s; prof-text lists the "
		    "functions%s",
		    s->pattern, match_literal_hint(s->pattern));
	out = cli_report(cli, !s->is_json);
	st = s->is_json ? json_listing(out, r, l, sources, &err)
			: print_listing(out, r, l, sources, print_style(out),
					&err);
	if (st != PROF_OK)
		die("%s", err.msg);
	if (s->is_verbose)
		tell_matches(l, s->pattern);
	tell_missing(sources, s->is_verbose);
	tell_newer(&made, sources);
	listing_free(l);
	frames_free(f);
	sources_free(sources);
}

#if HAVE_LIBELF
/*
 * Code is listed by the functions that hold it: if a function matches that was
 * inlined into others, dies with its name and one of those.
 */
static void
check_inlined(const struct list_settings *s, const struct profile *p)
{
	for (size_t l = 0; l < p->n_location; l++) {
		const struct location *at = &p->location[l];
		const struct line *line = profile_line(p, at);

		for (uint32_t i = 0; i + 1 < at->n_line; i++) {
			const struct function *f =
				&p->function[line[i].function];
			const struct function *outer =
				&p->function[line[at->n_line - 1].function];

			if (!match_must(&p->strings.str[f->name], s->match))
				continue;
			die("no matches found for regexp %s: %s is inlined, "
			    "for example into %s",
			    s->pattern, profile_str(p, f->name),
			    profile_str(p, outer->name));
		}
	}
}

static _Noreturn void
no_function(const struct list_settings *s, const struct profile *p)
{
	if (!s->has_address)
		check_inlined(s, p);
	for (size_t i = 0; s->has_address && !s->object && i < p->n_mapping;
	     i++)
		if (s->address >= p->mapping[i].start &&
		    s->address < p->mapping[i].limit)
			die("address 0x%" PRIx64
			    " found in binary, but the corresponding symbols "
			    "do not have samples in the profile",
			    s->address);
	if (s->has_address && !s->object)
		die("no matches found for address 0x%" PRIx64, s->address);
	die("no matches found for %s %s", s->has_address ? "address" : "regexp",
	    s->pattern);
}

static void
disassemble(struct cli *cli, const struct list_settings *s, struct report *r,
	    const struct assembly_options *o)
{
	struct prof_err err;
	struct assembly *a;
	FILE *out;

	if (assembly_new(r, o, &a, &err) != PROF_OK)
		die("%s", err.msg);
	if (!a->n_function)
		no_function(s, r->p);
	if (a->is_cut)
		warn("functions of more than %" PRIu64
		     " bytes are shown near their samples only",
		     ASM_MAX_CODE);
	out = cli_report(cli, !s->is_json);
	if (s->is_json)
		json_assembly(out, r, a);
	else
		print_assembly(out, r, a, print_style(out));
	assembly_free(a);
}

static bool
wants_name(const char *name, size_t n, void *ctx)
{
	const struct str s = { .s = name, .len = (uint32_t)n };

	return match_must(&s, ctx);
}

/* The instructions of what is asked for. */
static void
show_code(struct cli *cli, const struct list_settings *s, struct report *r,
	  struct servers *servers)
{
	struct binaries binaries;
	struct assembly_options o = { .resolve = &binaries.resolve,
				      .intel = s->intel,
				      .wants = wants_name,
				      .ctx = s->match,
				      .has_address = s->has_address,
				      .address = s->address,
				      .object = s->object };

	if (binaries_init(&binaries, s->search_path, servers) < 0)
		die_nomem();
	disassemble(cli, s, r, &o);
	binaries_release(&binaries);
}
#else
static _Noreturn void
show_code(struct cli *cli, const struct list_settings *s, struct report *r,
	  struct servers *servers)
{
	(void)servers;
	(void)cli;
	(void)s;
	(void)r;
	die("this build has no elfutils: --disasm does not work");
}
#endif

/* The page of prof-html, with the code of these functions, at its source. */
static void
write_page(struct cli *cli, struct list_settings *s, struct profile *p,
	   struct servers *servers)
{
	struct made made = made_of(p);
	struct html_settings page = HTML_SETTINGS_PLAIN;

	page.report = s->report;
	page.report.o.frames.granularity = BY_FUNCTION;
	page.report.o.frames.by_object = false;
	page.page.view = "source";
	page.code = (struct page_code){ .match = s->match,
					.has_address = s->has_address,
					.address = s->address,
					.object = s->object,
					.pattern = s->pattern,
					.sources = sources_new(&s->sources),
					.servers = servers,
					.search_path = s->search_path,
					.intel = s->intel };
	if (!page.code.sources)
		die_nomem();
	html_make(&page, p, cli);
	tell_missing(page.code.sources, s->is_verbose);
	tell_newer(&made, page.code.sources);
	sources_free(page.code.sources);
}

static void
print_report(struct cli *cli, struct list_settings *s, struct profile *p,
	     struct servers *servers)
{
	struct report r;

	report_take(&s->report, p);
	if (s->diff)
		report_need_base(p);
	report_begin(&r, &s->report, p);
	if (s->view == VIEW_LIST)
		list(cli, s, &r);
	else
		show_code(cli, s, &r, servers);
	report_close(&r, &s->report);
}

void
list_report(struct list_settings *s, struct profile *p, struct cli *cli)
{
	struct servers *servers = servers_open(&s->network, cli->max_size);

	if (servers) {
		s->sources.fetch = servers_source;
		s->sources.fetch_ctx = servers;
	}
	s->sources.max_bytes = cli->max_size;
	if (s->view == VIEW_WEBLIST)
		write_page(cli, s, p, servers);
	else
		print_report(cli, s, p, servers);
	servers_close(servers);
	list_settings_release(s);
}
