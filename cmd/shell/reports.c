/* reports.c - see reports.h. */
#include "config.h"

#include "reports.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/report-open.h"
#include "dot/draw.h"
#include "dot/options.h"
#include "flame/draw.h"
#include "flame/options.h"
#include "gate/options.h"
#include "gate/verdict.h"
#include "html/make.h"
#include "html/options.h"
#include "lib/formats/exchange/callgrind.h"
#include "lib/model/profile.h"
#include "lib/ops/diff.h"
#include "lib/report/frames.h"
#include "lib/report/graph.h"
#include "list/options.h"
#include "list/report.h"
#include "session.h"
#include "text/options.h"
#include "text/report.h"

int
reports_text(struct cli *cli, struct profile *p)
{
	struct text_settings s;

	text_settings_parse(&s, cli);
	text_report(&s, p, cli);
	return EXIT_SUCCESS;
}

int
reports_dot(struct cli *cli, struct profile *p)
{
	struct dot_settings s;

	dot_settings_parse(&s, cli);
	dot_draw(&s, p, cli);
	return EXIT_SUCCESS;
}

int
reports_list(struct cli *cli, struct profile *p)
{
	struct list_settings s;

	list_settings_parse(&s, cli);
	list_report(&s, p, cli);
	return EXIT_SUCCESS;
}

int
reports_flame(struct cli *cli, struct profile *p)
{
	struct flame_settings s;

	flame_settings_parse(&s, cli);
	flame_draw(&s, p, cli);
	return EXIT_SUCCESS;
}

int
reports_html(struct cli *cli, struct profile *p)
{
	struct html_settings s;

	html_settings_parse(&s, cli);
	html_make(&s, p, cli);
	return EXIT_SUCCESS;
}

/* Parse options that all reports have. */
static void
parse_settings(struct report_settings *s, struct cli *cli)
{
	int key;

	report_settings_init(s);
	while ((key = cli_option(cli)) != CLI_DONE)
		report_option(s, cli, key);
}

/* The same, and apply those that select a part of the profile. */
static void
parse_and_filter(struct report_settings *s, struct cli *cli, struct profile *p)
{
	parse_settings(s, cli);
	report_take(s, p);
	refine_filter(&s->refine, p);
}

int
reports_callgrind(struct cli *cli, struct profile *p)
{
	struct report_settings s;
	struct prof_err err;

	parse_and_filter(&s, cli, p);
	if (callgrind_write(cli_text(cli), p, &err) != PROF_OK)
		die("%s", err.msg);
	profile_free(p);
	report_settings_release(&s);
	return EXIT_SUCCESS;
}

int
reports_proto(struct cli *cli, struct profile *p)
{
	struct report_settings s;

	parse_and_filter(&s, cli, p);
	cli_write(cli, p);
	profile_free(p);
	report_settings_release(&s);
	return EXIT_SUCCESS;
}

/* Add a node as a sample of one frame. -1 without memory. */
static int
add_node(struct profile *out, const struct graph *g, const struct graph_node *n)
{
	const struct frames *f = g->frames;
	const struct frame_key *key = &f->key[n->key];
	/* The printed name has the file and line, too, which a reader adds. */
	const char *name = f->strings.str[key->name].s;
	struct function fn = {
		.start_line = key->start_line,
		.name = profile_intern(out, *name ? name : graph_name(g, n)->s),
		.file = profile_intern(out, f->strings.str[key->file].s),
	};
	struct line line = { .line = key->line, .column = key->column };
	struct location l = { .address = key->address, .mapping = PROF_NONE };
	int64_t value[2] = { graph_value(n->cum), graph_value(n->flat) };
	uint32_t at;

	if (fn.name == STRTAB_NONE || fn.file == STRTAB_NONE)
		return -1;
	fn.system_name = fn.name;
	line.function = profile_add_function(out, &fn);
	if (line.function == PROF_NONE)
		return -1;
	at = profile_add_location(out, &l, &line, 1);
	if (at == PROF_NONE ||
	    profile_add_sample(out, &at, 1, value, NULL, 0) == PROF_NONE)
		return -1;
	return 0;
}

static struct profile *
table_of(const struct report *r, const struct graph *g)
{
	const struct value_type *period = &r->p->period_type;
	struct profile *out = profile_new();
	bool ok = out &&
		  profile_add_type(out, "cum", r->sample_unit) != PROF_NONE &&
		  profile_add_type(out, "flat", r->sample_unit) != PROF_NONE;

	for (size_t i = 0; ok && i < g->n_node; i++)
		ok = add_node(out, g, &g->node[i]) == 0;
	if (ok) {
		out->period_type = (struct value_type){
			profile_intern(out, profile_str(r->p, period->type)),
			profile_intern(out, profile_str(r->p, period->unit)),
		};
		ok = out->period_type.type != STRTAB_NONE &&
		     out->period_type.unit != STRTAB_NONE;
	}
	if (!ok)
		die_nomem();
	out->period = r->p->period;
	out->time_ns = r->p->time_ns;
	out->duration_ns = r->p->duration_ns;
	return out;
}

int
reports_topproto(struct cli *cli, struct profile *p)
{
	struct report_settings s;
	struct profile *out;
	struct frames *f;
	struct graph *g;
	struct report r;

	parse_settings(&s, cli);
	report_settings_finish(&s, REPORT_ALL);
	report_open(&r, &s, p);
	report_open_graph(&r, &f, &g);
	out = table_of(&r, g);
	cli_write(cli, out);
	profile_free(out);
	graph_free(g);
	frames_free(f);
	report_close(&r, &s);
	return EXIT_SUCCESS;
}

int
reports_diff(struct cli *cli, const struct session *session)
{
	const struct diff_opts o = { .kind = DIFF_LABEL };
	struct profile *base, *change;
	struct text_settings s;
	struct diff_notes notes;
	struct prof_err err;

	text_settings_parse(&s, cli);
	base = session->read(session, cli, cli_input(cli));
	if (profile_diff(base, session->p, &o, &change, &notes, &err) !=
	    PROF_OK)
		die("%s", err.msg);
	if (notes.dropped[0])
		warn("dropped sample types that only one side has: %s",
		     notes.dropped);
	profile_free(base);
	profile_free(session->p);
	text_report(&s, change, cli);
	return EXIT_SUCCESS;
}

int
reports_gate(struct cli *cli, const struct session *session)
{
	struct gate_settings s;
	const char *name;

	gate_settings_parse(&s, cli);
	while ((name = cli_input(cli)))
		sides_baseline(&s.sides, name);
	/* Without operands, the new side is standard input. */
	cli->n_operand = cli->next = 0;
	sides_choose(&s.sides, cli, 0, NULL);
	for (size_t i = 0; i < s.sides.n_input; i++) {
		struct side_input *in = &s.sides.input[i];

		in->p = in->side == GATE_NEW
				? session->p
				: session->read(session, cli, in->name);
	}
	return gate_run(&s, cli);
}
