/* make.c - see make.h. */
#include "config.h"

#include "make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report-open.h"
#include "insns.h"
#include "lib/model/labels.h"
#include "lib/model/profile.h"
#include "lib/model/unnamed.h"
#include "lib/report/frames.h"
#include "lib/report/graph.h"
#include "lib/report/report.h"
#include "lib/wire/codec.h"
#include "options.h"
#include "pack.h"
#include "texts.h"
#include "verdicts.h"

static void
note(struct html_settings *s, const char *text)
{
	size_t max = sizeof(s->notes.note) / sizeof(*s->notes.note);

	warn("%s", text);
	if (s->notes.n < max)
		s->notes.note[s->notes.n++] = text;
}

/* The profile itself, as it came, for the download button. */
static void
add_profile(const struct html_settings *s, const struct profile *p,
	    struct pack_sections *sections)
{
	struct prof_err err;

	if (s->embeds &&
	    profile_encode(p, pack_section(sections, "EMBD"), &err) != PROF_OK)
		die("%s", err.msg);
}

/* Source text and instructions of chosen functions. */
static enum prof_status
add_code(struct html_settings *s, struct report *r, const struct pack *k,
	 struct pack_sections *sections, struct prof_err *err)
{
	struct buf *lines = pack_section(sections, "SRCJ");
	struct buf *insns = pack_section(sections, "ASMJ");
	struct page_code *code = &s->code;
	struct insns_told told = { 0 };
	struct texts_told texts = { 0 };
	enum prof_status st = insns_add(r, k, code, insns, &told, err);

	/* Asked for by name, source lines alone are worth a page. */
	if (st == PROF_ENOTSUP && chosen_asks(code)) {
		snprintf(s->left, sizeof(s->left), "no instructions: %.100s",
			 err->msg);
		note(s, s->left);
		st = PROF_OK;
	}
	if (st == PROF_OK)
		st = texts_add(r, k, code, lines, &texts, err);
	if (st == PROF_OK && chosen_asks(code) && !texts.n_asked &&
	    !told.n_asked)
		die("no matches found for %s: %s",
		    code->has_address ? "address" : "regexp", code->pattern);
	if (st == PROF_OK && told.n_left) {
		snprintf(s->left, sizeof(s->left),
			 "%zu instructions of large functions, far from "
			 "samples, are left out",
			 told.n_left);
		note(s, s->left);
	}
	if (st == PROF_OK && told.n_light) {
		snprintf(s->light, sizeof(s->light),
			 "the instructions of %zu function%s left out: "
			 "--source=REGEX has them",
			 told.n_light, told.n_light == 1 ? " are" : "s are");
		note(s, s->light);
	}
	if (st == PROF_OK && texts.n_left) {
		snprintf(s->no_room, sizeof(s->no_room),
			 "the source of %zu function%s left out: "
			 "--source-size allows more",
			 texts.n_left, texts.n_left == 1 ? " is" : "s are");
		note(s, s->no_room);
	}
	if (st == PROF_OK && told.is_cut)
		note(s, "large functions are shown near their samples only");
	return st;
}

/* Which changes of a difference exceed the noise, or why that is unknown. */
static enum prof_status
add_verdicts(struct html_settings *s, const struct report *r,
	     struct pack_sections *sections, struct prof_err *err)
{
	enum prof_status st;

	if (!s->dist || !profile_has_base(r->p))
		return PROF_OK;
	st = verdicts_add(r->p, r->column, s->dist(),
			  pack_section(sections, "GATE"), err);
	if (st != PROF_EUSAGE && st != PROF_EDIFFER)
		return st;
	snprintf(s->no_verdict, sizeof(s->no_verdict),
		 "changes are not tested for significance: %s", err->msg);
	note(s, s->no_verdict);
	return PROF_OK;
}

static void
pack(struct html_settings *s, struct report *r, const struct page_total *total,
     struct pack_sections *sections, struct buf *data)
{
	uint64_t *gcd = calloc(r->p->n_type + 1, sizeof(*gcd));
	struct unnamed unnamed = { 0 };
	struct prof_err err;
	struct pack k;
	enum prof_status st = pack_init(&k, r->p, &s->report.o.frames,
					r->column, s->max_nodes, &err);

	if (!gcd)
		die_nomem();
	if (st == PROF_OK)
		st = add_code(s, r, &k, sections, &err);
	if (st == PROF_OK)
		st = add_verdicts(s, r, sections, &err);
	if (st == PROF_OK)
		st = pack_columns(&k, sections, gcd, &err);
	if (st == PROF_OK)
		st = unnamed_count(&unnamed, r->p, &err);
	if (st == PROF_OK && k.cut_at > 0)
		note(s, "the tree is too large: light frames are folded into "
			"[cut]; --max-nodes allows more");
	if (st == PROF_OK)
		st = page_head(r, &k, &s->page, total, gcd, unnamed.mapping,
			       &s->notes, pack_section(sections, "HEAD"), &err);
	if (st == PROF_OK)
		st = pack_join(sections, data, &err);
	if (st != PROF_OK)
		die("%s", err.msg);
	unnamed_release(&unnamed);
	pack_release(&k);
	free(gcd);
}

/* The table for readers without scripts, and the page around it. */
static void
write_page(struct html_settings *s, struct report *r, struct cli *cli,
	   const struct buf *data)
{
	struct report_options *o = &s->report.o;
	struct buf page = { 0 };
	struct prof_err err;
	struct frames *f;
	struct graph *g;

	o->graph.order = GRAPH_BY_FLAT;
	o->graph.edges = GRAPH_NO_EDGES;
	o->graph.node_count = 100;
	report_open_graph(r, &f, &g);
	if (page_write(r, g, &s->page, data, &page, &err) != PROF_OK)
		die("%s", err.msg);
	cli_bytes(cli, page.data, page.n, CLI_PAGE);
	graph_free(g);
	frames_free(f);
	buf_release(&page);
}

/* Of each type what report_init() makes of it. */
static struct page_total *
totals_of(struct profile *p)
{
	struct page_total *total = calloc(p->n_type + 1, sizeof(*total));

	if (!total)
		die_nomem();
	for (size_t c = 0; c < p->n_type; c++) {
		struct report_options o = { 0 };
		struct report r;

		report_total(&r, p, c, &o);
		total[c] = (struct page_total){ r.total, r.before, r.after };
	}
	return total;
}

void
html_make(struct html_settings *s, struct profile *p, struct cli *cli)
{
	struct pack_sections sections = { 0 };
	struct page_total *total;
	struct buf data = { 0 };
	struct report r;

	if (s->report.o.mean)
		die("--mean: means do not add up, and the views of a page do");
	s->page.is_relative = s->report.is_relative;
	s->page.n_thread = cli_processors();
	report_take(&s->report, p);
	if (p->n_type > 30)
		die("%zu sample types are too many for a page; choose some "
		    "with prof-filter --keep-types",
		    p->n_type);
	add_profile(s, p, &sections);
	/* 100 % is of the profile before the filters, or after them. */
	total = s->page.is_relative ? NULL : totals_of(p);
	report_begin(&r, &s->report, p);
	if (!total)
		total = totals_of(p);
	if (!s->page.title)
		s->page.title = s->title = report_title(&r);
	s->page.n_program = strlen(s->page.title);
	if (s->title)
		s->page.n_program -=
			2 + strlen(profile_str(r.p, r.p->type[r.column].type));
	pack(s, &r, total, &sections, &data);
	write_page(s, &r, cli, &data);
	free(total);
	free(s->title);
	free(s->code.is_at);
	buf_release(&data);
	report_close(&r, &s->report);
}
