/* refine.c - see refine.h. */
#include "config.h"

#include "refine.h"

#include <stdlib.h>
#include <string.h>

#include "lib/model/profile.h"
#include "lib/ops/tagfilter.h"
#include "lib/ops/tags.h"
#include "match.h"

const struct cli_opt refine_opts[] = {
	CLI_HEADING("Part of the profile: frames"),
	{ REFINE_FOCUS, "focus", "REGEX",
	  "keep samples with a frame that matches" },
	{ REFINE_IGNORE, "ignore", "REGEX",
	  "drop samples with a frame that matches" },
	{ REFINE_HIDE, "hide", "REGEX", "remove frames that match" },
	{ REFINE_SHOW, "show", "REGEX", "remove frames that don't match" },
	{ REFINE_SHOW_FROM, "show-from", "REGEX",
	  "cut stacks above the first frame that matches" },
	{ REFINE_PRUNE_FROM, "prune-from", "REGEX",
	  "cut stacks below the last frame that matches" },
	CLI_HEADING("Part of the profile: labels"),
	{ REFINE_TAGFOCUS, "tagfocus", "EXPR",
	  "keep samples with a label: [KEY=]RANGE or [KEY=]REGEX,..." },
	{ REFINE_TAGIGNORE, "tagignore", "EXPR",
	  "drop samples with such a label, in the same form" },
	{ REFINE_TAGSHOW, "tagshow", "REGEX",
	  "drop labels whose key doesn't match" },
	{ REFINE_TAGHIDE, "taghide", "REGEX", "drop labels whose key matches" },
	{ REFINE_TAGROOT, "tagroot", "KEY,...",
	  "make frames of these labels, at the root" },
	{ REFINE_TAGLEAF, "tagleaf", "KEY,...",
	  "make frames of these labels, at the leaf" },
	{ REFINE_ALL_FRAMES, "all-frames", NULL,
	  "keep the frames that the profile says to drop" },
	{ 0 }
};

/* pprof's names, which messages and legends use. */
static const char *const names[REFINE_N] = {
	"focus",    "ignore",    "hide",       "show",    "show_from",
	"tagfocus", "tagignore", "tagshow",    "taghide", "prune_from",
	"tagroot",  "tagleaf",   "all_frames",
};

enum { N_LISTED = REFINE_TAGHIDE - REFINE_FOCUS + 1 };

static const struct refine_value *
value_of(const struct refine *r, enum refine_key key)
{
	return &r->value[key - REFINE_FOCUS];
}

/* --- options --- */

static void
value_release(struct refine_value *v)
{
	for (size_t i = 0; i < v->n_match; i++)
		match_free(v->match[i]);
	free(v->match);
	free(v->key);
	free(v->tag);
	free(v->text);
	memset(v, 0, sizeof(*v));
}

/* One more pattern of the option. */
static struct match *
add_pattern(struct refine_value *v, const char *name, const char *pattern)
{
	struct prof_err err;

	v->match = allocated(
		reallocarray(v->match, v->n_match + 1, sizeof(*v->match)));
	if (match_new(name, pattern, 0, &v->match[v->n_match], &err) != PROF_OK)
		die("%s", err.msg);
	return v->match[v->n_match++];
}

/* [KEY=]RANGE or [KEY=]REGEX,... */
static void
parse_tag(struct refine_value *v, const char *name)
{
	struct tag_filter *f = allocated(calloc(1, sizeof(*f)));
	char *expr = strchr(v->text, '='), *part, *next;
	struct prof_err err;

	v->tag = f;
	/* v->text stays whole for the legend; v->key has copies. */
	v->key = allocated(calloc(1, sizeof(*v->key) + strlen(v->text) + 1));
	part = strcpy((char *)(v->key + 1), v->text);
	if (expr) {
		f->key = part;
		part += expr - v->text;
		*part++ = '\0';
	}
	if (tag_range_parse(part, &f->range, &f->is_range, &err) != PROF_OK)
		die("parsing %s range: %s", name, err.msg);
	if (f->is_range)
		return;
	for (; part; part = next) {
		next = strchr(part, ',');
		if (next)
			*next++ = '\0';
		if (f->n_test == TAG_MAX_TEST)
			die("%s: more than %d patterns", name,
			    (int)TAG_MAX_TEST);
		f->test[f->n_test++] = match_test(add_pattern(v, name, part));
	}
}

static void
parse_keys(struct refine_value *v)
{
	size_t n = strlen(v->text) + 2; /* more than there are keys */
	char *part, *next;

	v->key = allocated(calloc(1, n * sizeof(*v->key) + n));
	part = strcpy((char *)(v->key + n), v->text);
	for (; part; part = next) {
		next = strchr(part, ',');
		if (next)
			*next++ = '\0';
		v->key[v->n_key++] = part;
	}
}

bool
refine_option(struct refine *r, const struct cli *cli, int key)
{
	struct refine_value *v;
	const char *name;

	if (key < REFINE_FOCUS || key >= REFINE_END)
		return false;
	v = &r->value[key - REFINE_FOCUS];
	name = names[key - REFINE_FOCUS];
	value_release(v);
	/* As in pprof the last one counts, and an empty one disables it. */
	if (cli->arg && !*cli->arg)
		return true;
	v->text = allocated(strdup(cli->arg ? cli->arg : ""));
	switch (key) {
	case REFINE_TAGFOCUS:
	case REFINE_TAGIGNORE:
		parse_tag(v, name);
		break;
	case REFINE_TAGROOT:
	case REFINE_TAGLEAF:
		parse_keys(v);
		break;
	case REFINE_ALL_FRAMES:
		break;
	default:
		add_pattern(v, name, v->text);
	}
	return true;
}

void
refine_release(struct refine *r)
{
	for (int i = 0; i < REFINE_N; i++) {
		value_release(&r->value[i]);
		free(r->active[i]);
	}
}

const char *const *
refine_active(struct refine *r, size_t *n)
{
	*n = 0;
	for (int i = 0; i < N_LISTED; i++) {
		const char *text = r->value[i].text;
		char *line;
		size_t size;

		if (!text)
			continue;
		size = strlen(names[i]) + strlen(text) + 2;
		line = allocated(malloc(size));
		snprintf(line, size, "%s=%s", names[i], text);
		free(r->active[*n]);
		r->active[(*n)++] = line;
	}
	return (const char *const *)r->active;
}

/* --- applying --- */

static void
check_status(enum prof_status st, const struct prof_err *err)
{
	if (st != PROF_OK)
		die("%s", err->msg);
}

/* What to add to that for an expression of labels. */
static const char *
tag_hint(const struct refine_value *v)
{
	if (v->tag->is_range)
		return " (it is taken as a range)";
	return strpbrk(v->text, "<>~") || strstr(v->text, "==")
		       ? "; prof-filter --where takes such expressions"
		       : "";
}

/* Warn if an option that was given matched nothing. */
static void
check_found(const struct refine *r, enum refine_key key, bool found)
{
	const struct refine_value *v = value_of(r, key);

	if (v->text && !found)
		warn("%s expression matched no samples%s",
		     names[key - REFINE_FOCUS],
		     v->tag ? tag_hint(v) : match_literal_hint(v->text));
}

void
refine_frames(const struct refine *r, struct profile *p, const char *unit)
{
	const struct refine_value *root = value_of(r, REFINE_TAGROOT);
	const struct refine_value *leaf = value_of(r, REFINE_TAGLEAF);
	struct prof_err err;
	bool found[2];

	if (value_of(r, REFINE_ALL_FRAMES)->text)
		p->drop_frames = p->keep_frames = 0;
	check_status(match_drop_frames(p, &err), &err);
	if (!root->text && !leaf->text)
		return;
	/* A next reader would apply it to the new frames: below a root that is
	 * the user's, all of a stack may go. */
	p->drop_frames = p->keep_frames = 0;
	check_status(tags_frames(p, root->key, root->n_key, leaf->key,
				 leaf->n_key, unit ? unit : "auto", found,
				 &err),
		     &err);
	check_found(r, REFINE_TAGROOT, found[0]);
	check_found(r, REFINE_TAGLEAF, found[1]);
}

/* Set *t to the test of a name option. Returns t, or NULL if the option was not
 * given. */
static const struct filter_test *
test_of(const struct refine *r, enum refine_key key, struct filter_test *t)
{
	const struct refine_value *v = value_of(r, key);

	if (!v->n_match)
		return NULL;
	*t = match_test(v->match[0]);
	return t;
}

static void
filter_names(const struct refine *r, struct profile *p)
{
	struct filter_test t[4];
	struct filter_names f = {
		test_of(r, REFINE_FOCUS, &t[0]),
		test_of(r, REFINE_IGNORE, &t[1]),
		test_of(r, REFINE_HIDE, &t[2]),
		test_of(r, REFINE_SHOW, &t[3]),
	};
	struct filter_found found;
	struct prof_err err;

	check_status(filter_by_name(p, &f, &found, &err), &err);
	check_found(r, REFINE_FOCUS, found.focus);
	check_found(r, REFINE_IGNORE, found.ignore);
	check_found(r, REFINE_HIDE, found.hide);
	check_found(r, REFINE_SHOW, found.show);
}

static void
filter_tags(const struct refine *r, struct profile *p)
{
	const struct refine_value *focus = value_of(r, REFINE_TAGFOCUS);
	const struct refine_value *ignore = value_of(r, REFINE_TAGIGNORE);
	struct prof_err err;
	bool found[2];

	check_status(filter_by_tag(p, focus->tag, ignore->tag, found, &err),
		     &err);
	check_found(r, REFINE_TAGFOCUS, found[0]);
	check_found(r, REFINE_TAGIGNORE, found[1]);
}

static void
filter_keys(const struct refine *r, struct profile *p)
{
	struct filter_test show, hide;
	struct prof_err err;
	bool found[2];

	check_status(tags_filter(p, test_of(r, REFINE_TAGSHOW, &show),
				 test_of(r, REFINE_TAGHIDE, &hide), found,
				 &err),
		     &err);
	check_found(r, REFINE_TAGSHOW, found[0]);
	check_found(r, REFINE_TAGHIDE, found[1]);
}

void
refine_filter(const struct refine *r, struct profile *p)
{
	struct filter_test t;
	struct prof_err err;
	bool found;

	filter_names(r, p);
	if (test_of(r, REFINE_SHOW_FROM, &t)) {
		check_status(filter_show_from(p, &t, &found, &err), &err);
		check_found(r, REFINE_SHOW_FROM, found);
	}
	if (value_of(r, REFINE_TAGFOCUS)->tag ||
	    value_of(r, REFINE_TAGIGNORE)->tag)
		filter_tags(r, p);
	if (value_of(r, REFINE_TAGSHOW)->text ||
	    value_of(r, REFINE_TAGHIDE)->text)
		filter_keys(r, p);
	if (test_of(r, REFINE_PRUNE_FROM, &t))
		check_status(filter_prune_from(p, &t, &err), &err);
}
