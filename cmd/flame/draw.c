/* draw.c - see draw.h. */
#include "config.h"

#include "draw.h"

#include <stdio.h>
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
	for (size_t i = 0; i < n->n && s->search; i++)
		if (n->frame[i].text)
			n->frame[i].is_match =
				match_must(n->frame[i].text, s->search);
}

/* One side of the picture: all stacks, or those on one side of a pivot. */
struct half {
	struct flame_tree tree;
	struct flame_sums sums;
	struct flame_layout layout;
};

static enum prof_status
make_half(struct half *h, const struct flame_settings *s,
	  const struct report *r, const struct flame_source *src,
	  const uint32_t *order, struct prof_err *err)
{
	bool *leave_out = NULL;
	struct flame_stacks stacks = { 0 };
	enum prof_status st = flame_stacks_init(&stacks, src, err);

	if (st == PROF_OK)
		st = flame_stacks_sort(&stacks, order, err);
	if (st == PROF_OK)
		st = flame_tree_init(&h->tree, &stacks, NULL, err);
	flame_stacks_release(&stacks);
	if (st == PROF_OK && src->pivot) {
		leave_out = flame_without_pivot(src);
		if (!leave_out)
			st = prof_nomem(err);
	}
	if (st == PROF_OK)
		st = flame_sums_init(&h->sums, &h->tree, r->p, r->column,
				     leave_out, s->side, s->shares, err);
	if (st == PROF_OK)
		st = flame_layout_init(&h->layout, &h->tree, &h->sums,
				       &s->limits, err);
	free(leave_out);
	return st;
}

static struct flame_half
half_of(const struct half *h, bool is_reversed)
{
	return (struct flame_half){ .tree = &h->tree,
				    .sums = &h->sums,
				    .layout = &h->layout,
				    .is_reversed = is_reversed };
}

static void
release_half(struct half *h)
{
	flame_layout_release(&h->layout);
	flame_sums_release(&h->sums);
	flame_tree_release(&h->tree);
}

/*
 * Which frames are the pivot, and what it is called: the name of the only one,
 * or the pattern and how many match.
 */
static enum prof_status
find_pivot(struct flame_settings *s, const struct naming *n,
	   struct prof_err *err)
{
	const struct str *only = NULL;
	size_t n_match = 0;
	int r;

	s->is_pivot = calloc(n->n + 1, sizeof(*s->is_pivot));
	if (!s->is_pivot)
		return prof_nomem(err);
	for (size_t i = 0; i < n->n; i++) {
		const struct str *text = n->frame[i].text;

		s->is_pivot[i] = text && match_must(text, s->pivot);
		if (!s->is_pivot[i])
			continue;
		only = text;
		n_match++;
	}
	if (!n_match)
		die("no matches found for regexp: %s%s", s->pivot_pattern,
		    match_literal_hint(s->pivot_pattern));
	if (n_match == 1)
		r = asprintf(&s->root, "%.*s", (int)only->len, only->s);
	else
		r = asprintf(&s->root, "%s (%zu names)", s->pivot_pattern,
			     n_match);
	s->picture.root = s->root;
	return r < 0 ? prof_nomem(err) : PROF_OK;
}

static enum prof_status
make_halves(struct flame_settings *s, const struct report *r,
	    const struct frames *f, const struct naming *names,
	    struct half half[2], struct prof_err *err)
{
	struct flame_source src = { .p = r->p,
				    .first = f->first,
				    .frame = f->node,
				    .rename = names->rename,
				    .n_frame = names->n,
				    .is_reversed = s->is_reversed,
				    .joins_equal = s->by != BY_FRAME,
				    .pivot = s->is_pivot };
	enum prof_status st;

	st = make_half(&half[0], s, r, &src, names->order, err);
	s->picture.main = half_of(&half[0], s->is_reversed);
	if (st != PROF_OK || !s->pivot)
		return st;
	src.callers = true;
	s->picture.callers = half_of(&half[1], true);
	return make_half(&half[1], s, r, &src, names->order, err);
}

/* Everything between the profile and the bytes of the picture. */
static enum prof_status
draw(struct flame_settings *s, const struct report *r, struct buf *out,
     struct prof_err *err)
{
	struct frames *f = NULL;
	struct naming names = { 0 };
	struct half half[2] = { 0 };
	enum prof_status st = frames_new(r->p, &r->o->frames, &f, err);

	s->picture.root = "all";
	if (st == PROF_OK)
		st = naming_init(&names, f, s->by, r->column, err);
	if (st == PROF_OK)
		mark_matches(s, &names);
	if (st == PROF_OK && s->pivot)
		st = find_pivot(s, &names, err);
	if (st == PROF_OK)
		st = make_halves(s, r, f, &names, half, err);
	s->picture.r = r;
	s->picture.frame = names.frame;
	s->picture.n_frame = names.n;
	s->picture.script = s->no_script ? NULL : flame_script;
	if (st == PROF_OK)
		st = flame_svg(&s->picture, out, err);
	for (int i = 0; i < 2; i++)
		release_half(&half[i]);
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

	if (s->shares || s->side != FLAME_BOTH)
		report_need_base(p);
	report_open(&r, &s->report, p);
	if (!s->picture.title)
		s->picture.title = s->title = report_title(&r);
	if (draw(s, &r, &svg, &err) != PROF_OK)
		die("%s", err.msg);
	cli_bytes(cli, svg.data, svg.n, CLI_PICTURE);
	buf_release(&svg);
	report_close(&r, &s->report);
	match_free(s->search);
	match_free(s->pivot);
	free(s->is_pivot);
	free(s->root);
	free(s->title);
}
