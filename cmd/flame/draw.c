/* draw.c - see draw.h. */
#include "config.h"

#include "draw.h"

#include <stdlib.h>

#include "cli/match.h"
#include "cli/report-open.h"
#include "flame/flame-data.h"
#include "lib/base/strtab.h"
#include "lib/model/profile.h"
#include "lib/report/flame/flame.h"
#include "lib/report/frames.h"
#include "options.h"

static void
mark_matches(const struct flame_settings *s, struct naming *n)
{
	struct prof_err err;

	for (size_t i = 0; i < n->n && s->search; i++)
		if (n->frame[i].text &&
		    match_bytes(s->search, n->frame[i].text->s,
				n->frame[i].text->len, &n->frame[i].is_match,
				&err) != PROF_OK)
			die("--search: %s", err.msg);
}

/* Everything between the profile and the bytes of the picture. */
static enum prof_status
draw(struct flame_settings *s, const struct report *r, struct buf *out,
     struct prof_err *err)
{
	struct flame_source src = { .p = r->p,
				    .is_reversed = s->is_reversed,
				    .joins_equal = s->by != BY_FRAME };
	struct frames *f = NULL;
	struct naming names = { 0 };
	struct flame_stacks stacks = { 0 };
	struct flame_tree tree = { 0 };
	struct flame_sums sums = { 0 };
	struct flame_layout layout = { 0 };
	enum prof_status st = frames_new(r->p, &r->o->frames, &f, err);

	if (st == PROF_OK)
		st = naming_init(&names, f, s->by, r->column, err);
	if (st == PROF_OK) {
		mark_matches(s, &names);
		src.first = f->first;
		src.frame = f->node;
		src.rename = names.rename;
		src.n_frame = names.n;
		st = flame_stacks_init(&stacks, &src, err);
	}
	if (st == PROF_OK)
		st = flame_stacks_sort(&stacks, names.order, err);
	if (st == PROF_OK)
		st = flame_tree_init(&tree, &stacks, NULL, err);
	flame_stacks_release(&stacks);
	if (st == PROF_OK)
		st = flame_sums_init(&sums, &tree, r->p, r->column, s->side,
				     s->shares, err);
	if (st == PROF_OK)
		st = flame_layout_init(&layout, &tree, &sums, &s->limits, err);
	s->picture.is_reversed = s->is_reversed;
	s->picture.r = r;
	s->picture.tree = &tree;
	s->picture.sums = &sums;
	s->picture.layout = &layout;
	s->picture.frame = names.frame;
	s->picture.script = s->no_script ? NULL : flame_script;
	if (st == PROF_OK)
		st = flame_svg(&s->picture, out, err);
	flame_layout_release(&layout);
	flame_sums_release(&sums);
	flame_tree_release(&tree);
	naming_release(&names);
	frames_free(f);
	return st;
}

void
flame_draw(struct flame_settings *s, struct profile *p, struct cli *cli)
{
	struct buf svg = { 0 };
	struct prof_err err;
	struct report r;

	report_open(&r, &s->report, p);
	if (!s->picture.title)
		s->picture.title = s->title = report_title(&r);
	if (draw(s, &r, &svg, &err) != PROF_OK)
		die("%s", err.msg);
	cli_bytes(cli, svg.data, svg.n, true);
	buf_release(&svg);
	report_close(&r, &s->report);
	match_free(s->search);
	free(s->title);
}
