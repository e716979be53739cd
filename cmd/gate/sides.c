/* sides.c - see sides.h. */
#include "config.h"

#include "sides.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "baseline.h"
#include "lib/base/escape.h"
#include "lib/model/profile.h"
#include "lib/model/sampling.h"
#include "lib/model/units.h"
#include "lib/model/unnamed.h"
#include "lib/ops/names.h"

#define DURATIONS_DIFFER 1.1 /* times the other: worth a warning */
#define LOSSES_DIFFER 0.01   /* of the ticks */
#define NAMELESS 0.9         /* of the samples: nothing to compare */
#define FEW_NAMES 0.1        /* of the samples lack one: worth a warning */
#define RATES_DIFFER 2       /* times the other: the sampler's own cost shows */

static const char *const scale_names[] = { "none", "total", "duration", "ops",
					   "machine" };

const char *
scale_name(enum scale s)
{
	return scale_names[s];
}

void
scale_parse(struct scale_option *s, struct cli *cli)
{
	static const char *const words[] = { "none",  "total",   "duration",
					     "ops=N", "machine", NULL };

	s->kind = (enum scale)cli_word(cli, "scale", words);
	if (s->kind == SCALE_OPS)
		s->ops = cli_operations(cli, cli->arg + 4);
}

void
sides_baseline(struct sides *s, const char *name)
{
	struct stat st;

	if (stat(name, &st) == 0 && S_ISDIR(st.st_mode)) {
		if (s->archive)
			die("--baseline: %s and %s are folders: the sessions "
			    "of one are the base",
			    s->archive, name);
		s->archive = name;
		return;
	}
	s->baseline = allocated(reallocarray(s->baseline, s->n_baseline + 1,
					     sizeof(*s->baseline)));
	s->baseline[s->n_baseline++] = name;
}

static void
add_input(struct sides *s, enum gate_side side, const char *name)
{
	if (side == GATE_NEW && name[0] == '-' && name[1] &&
	    access(name, F_OK) < 0)
		die("'%s' comes after '--', where profiles are: options go "
		    "first",
		    name);
	s->input[s->n_input++] = (struct side_input){ name, side, NULL };
}

void
sides_choose(struct sides *s, struct cli *cli, int argc, char **argv)
{
	int split = 0, n = cli->n_operand, n_new = n;
	bool has_base = s->n_baseline || s->archive;
	size_t n_archived = 0;

	for (int i = 1; i < argc && !split; i++)
		if (!strcmp(argv[i], "--"))
			split = i;
	if (split && argc - split - 1 < n)
		n_new = argc - split - 1;
	if (n_new == n && !has_base)
		die("no base: prof-gate BASE... -- NEW..., or --baseline=FILE");
	if (n_new < n && has_base)
		die("--baseline and profiles before '--' exclude each other");
	if (n_new == 0 && split)
		die("no new profile after '--'");
	if (s->archive)
		s->archived = baseline_find(
			s->archive, s->n_session, s->n_archived,
			n ? cli->operand[0] : NULL, cli, &n_archived);
	s->input = allocated(calloc((size_t)n + s->n_baseline + n_archived + 1,
				    sizeof(*s->input)));
	for (size_t i = 0; i < n_archived; i++)
		add_input(s, GATE_BASE, s->archived[i]);
	for (size_t i = 0; i < s->n_baseline; i++)
		add_input(s, GATE_BASE, s->baseline[i]);
	for (int i = 0; i < n; i++)
		add_input(s, i < n - n_new ? GATE_BASE : GATE_NEW,
			  cli->operand[i]);
	if (n == 0)
		add_input(s, GATE_NEW, "-");
}

/* The divisor of the values of an input; units cancel. */
static double
exposure_of(const struct profile *p, const char *name, enum gate_side side,
	    const struct scale_option *scale)
{
	if (scale->kind == SCALE_OPS)
		return side == GATE_NEW ? scale->ops : 1;
	if (scale->kind != SCALE_DURATION)
		return 1;
	if (p->duration_ns <= 0)
		die("%s: no duration, so nothing to scale by", cli_name(name));
	return (double)p->duration_ns;
}

/* --- when to record them --- */

/* The place of the next "--"; argc: there is none. */
static int
next_split(int at, int argc, char **argv)
{
	while (at < argc && strcmp(argv[at], "--") != 0)
		at++;
	return at;
}

static void
put_run(FILE *out, const char *side, size_t number, char **word, int n)
{
	fprintf(out, "%s %zu", side, number);
	for (int i = 0; i < n; i++) {
		putc(' ', out);
		escape_put(out, ESCAPE_TEXT, word[i], strlen(word[i]));
	}
	putc('\n', out);
}

void
sides_plan(size_t n, struct cli *cli, int argc, char **argv)
{
	int old = next_split(1, argc, argv) + 1;
	int new = next_split(old, argc, argv) + 1;
	FILE *out = cli_text(cli);

	if (new >= argc || new - old < 2)
		die("--plan=N -- OLD -- NEW: OLD and NEW are words to print");
	for (size_t i = 0; i < 2 * n; i++) {
		/* old new new old ... */
		if ((i + 1) / 2 % 2 == 0)
			put_run(out, "old", i / 2 + 1, argv + old,
				new - old - 1);
		else
			put_run(out, "new", i / 2 + 1, argv + new, argc - new);
	}
}

/* --- how the sides differ --- */

/* Properties that should be equal in all profiles: as text, "" if unknown. */
enum { CLOCK, PERIOD, MACHINE, N_TRAIT };
static const char *const trait_name[] = { "clock", "period", "machine" };

struct traits {
	char text[2][N_TRAIT][96]; /* of the first profile of each side */
	double duration[2], n[2];
	struct sampling sampling[2]; /* their ticks and losses */
	double period[2];            /* least and most, in ns; 0: unknown */
};

struct run_id {
	dev_t dev;
	ino_t ino; /* 0: no file */
	struct gate_mark mark;
};

/* A run that counts twice is no evidence. Dies. */
static void
check_once(const struct sides *s, size_t i, const struct profile *p,
	   struct run_id *id)
{
	struct stat st = { 0 };

	if (s->may_repeat)
		return;
	if (strcmp(s->input[i].name, "-") != 0)
		stat(s->input[i].name, &st);
	id[i] = (struct run_id){ st.st_dev, st.st_ino, gate_mark_of(p) };
	for (size_t k = 0; k < i; k++)
		if ((id[i].ino && id[i].ino == id[k].ino &&
		     id[i].dev == id[k].dev) ||
		    gate_is_same_run(&id[i].mark, &id[k].mark))
			die("%s and %s are the same run, which counts "
			    "once: leave one out",
			    cli_name(s->input[k].name),
			    cli_name(s->input[i].name));
}

/* The time between samples in ns; 0: unknown. */
static double
period_of(const struct profile *p)
{
	int family, time;
	double ns = units_factor("nanoseconds", &time);
	double unit =
		units_factor(profile_str(p, p->period_type.unit), &family);

	return unit > 0 && family == time ? (double)p->period * unit / ns : 0;
}

static void
add_traits(struct traits *t, const struct profile *p, enum gate_side side)
{
	char(*text)[96] = t->text[side];
	double period = period_of(p);
	struct sampling s;

	if (period > 0) {
		t->period[0] =
			t->period[0] > 0 ? fmin(t->period[0], period) : period;
		t->period[1] = fmax(t->period[1], period);
	}

	t->duration[side] += (double)p->duration_ns;
	if (sampling_sum(p, &s)) {
		t->sampling[side].ticks += s.ticks;
		t->sampling[side].lost += s.lost;
	}
	if (t->n[side]++)
		return;
	sampling_clock(p, text[CLOCK], sizeof(text[CLOCK]));
	baseline_machine(p, text[MACHINE], sizeof(text[MACHINE]));
	if (p->period > 0)
		snprintf(text[PERIOD], sizeof(text[PERIOD]), "%jd %.60s",
			 (intmax_t)p->period,
			 profile_str(p, p->period_type.unit));
}

static void
tell_traits(const struct traits *t, bool durations, bool rates)
{
	double a = t->duration[0] / t->n[0], b = t->duration[1] / t->n[1];

	if (!rates && t->period[1] > RATES_DIFFER * t->period[0])
		die("sampled at %.4g and %.4g Hz, which costs the program "
		    "different time: record both with -F 999 (--allow-rates)",
		    1e9 / t->period[1], 1e9 / t->period[0]);
	for (int i = 0; i < N_TRAIT; i++)
		if (*t->text[0][i] && *t->text[1][i] &&
		    strcmp(t->text[0][i], t->text[1][i]) != 0)
			warn("the %s differs: base has %s, new %s",
			     trait_name[i], t->text[0][i], t->text[1][i]);
	if (fabs(sampling_loss(&t->sampling[0]) -
		 sampling_loss(&t->sampling[1])) > LOSSES_DIFFER)
		warn("base lost %.1f%% of its samples while recording, new "
		     "%.1f%%",
		     100 * sampling_loss(&t->sampling[0]),
		     100 * sampling_loss(&t->sampling[1]));
	if (durations && a > 0 && b > 0 &&
	    fmax(a, b) > DURATIONS_DIFFER * fmin(a, b))
		warn("base profiles last %.3gs, new ones %.3gs: other work "
		     "(see --scale), or a busier machine",
		     a / 1e9, b / 1e9);
}

/* --- reading --- */

/* Dies if a profile has only addresses, which do not compare. */
static void
check_names(const struct profile *p, const char *name)
{
	struct unnamed u;
	struct prof_err err;

	if (unnamed_count(&u, p, &err) != PROF_OK)
		die("%s: %s", cli_name(name), err.msg);
	if (u.share > NAMELESS)
		die("%s: nothing to compare: %.0f%% of its samples have no "
		    "names: %s",
		    cli_name(name), 100 * u.share, unnamed_remedy(p));
	if (u.share > FEW_NAMES)
		warn("%s: %.0f%% of its samples have no names: %s",
		     cli_name(name), 100 * u.share, unnamed_remedy(p));
	unnamed_release(&u);
}

static void
read_input(const struct sides *s, size_t i, struct cli *cli, struct gate *g,
	   struct traits *t, struct run_id *id)
{
	const struct side_input *in = &s->input[i];
	struct names_rule rule[NAMES_N_RULE] = { 0 };
	struct profile *p = in->p ? in->p : cli_read(cli, in->name);
	double exposure = exposure_of(p, in->name, in->side, &s->scale);
	struct gate_measure m;
	struct gate_total total;
	struct prof_err err;
	enum prof_status st;

	add_traits(t, p, in->side);
	check_names(p, in->name);
	/* Labels become frames here, and have names. */
	refine_frames(&s->refine, p, NULL);
	if (!g->o.exact_names && names_normalize(p, rule) < 0)
		die_nomem();
	st = gate_measure(p, s->sample_index, &m, &err);
	if (st == PROF_OK)
		st = gate_total(p, &m, &total, &err);
	if (st == PROF_OK) {
		check_once(s, i, p, id);
		refine_filter(&s->refine, p);
		st = gate_add(g, in->side, p, &m, &total, exposure, &err);
	}
	if (st != PROF_OK)
		die("%s: %s", cli_name(in->name), err.msg);
	profile_free(p);
}

void
sides_read(const struct sides *s, struct cli *cli, struct gate *g)
{
	struct traits t = { 0 };
	struct run_id *id = allocated(calloc(s->n_input, sizeof(*id)));

	for (size_t i = 0; i < s->n_input; i++)
		read_input(s, i, cli, g, &t, id);
	free(id);
	tell_traits(&t, s->scale.kind == SCALE_NONE, s->allow_rates);
}

void
sides_release(struct sides *s)
{
	for (size_t i = 0; s->archived && s->archived[i]; i++)
		free(s->archived[i]);
	free(s->archived);
	free(s->input);
	free(s->baseline);
	refine_release(&s->refine);
	*s = (struct sides){ 0 };
}
