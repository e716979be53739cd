/* sides.c - see sides.h. */
#include "config.h"

#include "sides.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/profile.h"
#include "lib/ops/names.h"

#define DURATIONS_DIFFER 1.1 /* times the other: worth a word */

static const char *const scale_names[] = { "none", "total", "duration", "ops" };

const char *
scale_name(enum scale s)
{
	return scale_names[s];
}

static double
positive(const struct cli *cli, const char *text, char **end)
{
	double v = strtod(text, end);

	if (*end == text || !(v > 0) || !isfinite(v))
		die("--scale: '%s' is not ops=N or ops=N/M", cli->arg);
	return v;
}

void
scale_parse(struct scale_option *s, struct cli *cli)
{
	char *end;

	for (int i = 0; i < SCALE_OPS; i++)
		if (!strcmp(cli->arg, scale_names[i])) {
			s->kind = (enum scale)i;
			return;
		}
	if (strncmp(cli->arg, "ops=", 4) != 0)
		die("--scale: '%s' is not none, total, duration or ops=N",
		    cli->arg);
	s->kind = SCALE_OPS;
	s->ops = positive(cli, cli->arg + 4, &end);
	if (*end == '/')
		s->ops /= positive(cli, end + 1, &end);
	if (*end)
		die("--scale: '%s' is not ops=N or ops=N/M", cli->arg);
}

static void *
allocated(void *p)
{
	if (!p)
		die("out of memory");
	return p;
}

void
sides_baseline(struct sides *s, const char *name)
{
	s->baseline = allocated(reallocarray(s->baseline, s->n_baseline + 1,
					     sizeof(*s->baseline)));
	s->baseline[s->n_baseline++] = name;
}

static void
add_input(struct sides *s, enum gate_side side, const char *name)
{
	s->input[s->n_input++] =
		(struct side_input){ .name = name, .side = side };
}

void
sides_choose(struct sides *s, struct cli *cli, int argc, char **argv)
{
	int split = 0, n = cli->n_operand, n_new = n;

	for (int i = 1; i < argc && !split; i++)
		if (!strcmp(argv[i], "--"))
			split = i;
	if (split && argc - split - 1 < n)
		n_new = argc - split - 1;
	if (n_new == n && !s->n_baseline)
		die("no base: prof-gate BASE... -- NEW..., or --baseline=FILE");
	if (n_new < n && s->n_baseline)
		die("--baseline and profiles before '--' exclude each other");
	if (n_new == 0 && split)
		die("no new profile after '--'");
	s->input = allocated(
		calloc((size_t)n + s->n_baseline + 1, sizeof(*s->input)));
	for (size_t i = 0; i < s->n_baseline; i++)
		add_input(s, GATE_BASE, s->baseline[i]);
	for (int i = 0; i < n; i++)
		add_input(s, i < n - n_new ? GATE_BASE : GATE_NEW,
			  cli->operand[i]);
	if (n == 0)
		add_input(s, GATE_NEW, "-");
}

static void
read_input(struct side_input *in, struct cli *cli, const char *sample_index,
	   const struct refine *refine, bool exact_names)
{
	struct prof_err err;
	struct names_rule rule[NAMES_N_RULE] = { 0 };
	enum prof_status st;

	in->p = cli_read(cli, in->name);
	/* A label is a frame from here on, and has a name. */
	refine_frames(refine, in->p, NULL);
	if (!exact_names && names_normalize(in->p, rule) < 0)
		die("out of memory");
	st = gate_measure(in->p, sample_index, &in->m, &err);
	if (st == PROF_OK)
		st = gate_total(in->p, &in->m, &in->total, &err);
	if (st != PROF_OK)
		die("%s: %s", cli_name(in->name), err.msg);
	refine_filter(refine, in->p);
}

/* What the values of an input are divided by, before the mean of base is 1. */
static double
raw_exposure(const struct side_input *in, const struct scale_option *scale)
{
	switch (scale->kind) {
	case SCALE_NONE:
		break;
	case SCALE_TOTAL:
		if (in->total.value <= 0)
			die("%s: no samples, so nothing to scale by",
			    cli_name(in->name));
		return in->total.value;
	case SCALE_DURATION:
		if (in->p->duration_ns <= 0)
			die("%s: no duration, so nothing to scale by",
			    cli_name(in->name));
		return (double)in->p->duration_ns;
	case SCALE_OPS:
		return in->side == GATE_NEW ? scale->ops : 1;
	}
	return 1;
}

/* The mean of f over a side. */
static double
side_mean(const struct sides *s, enum gate_side side, const double *of)
{
	double sum = 0, n = 0;

	for (size_t i = 0; i < s->n_input; i++)
		if (s->input[i].side == side) {
			sum += of[i];
			n++;
		}
	return n > 0 ? sum / n : 0;
}

static void
warn_durations(const struct sides *s)
{
	double *duration = allocated(calloc(s->n_input, sizeof(*duration)));
	double a, b;

	for (size_t i = 0; i < s->n_input; i++)
		duration[i] = (double)s->input[i].p->duration_ns;
	a = side_mean(s, GATE_BASE, duration);
	b = side_mean(s, GATE_NEW, duration);
	free(duration);
	if (a > 0 && b > 0 && fmax(a, b) > DURATIONS_DIFFER * fmin(a, b))
		warn("base profiles last %.3gs, new ones %.3gs; if they did "
		     "not do the same work, see --scale",
		     a / 1e9, b / 1e9);
}

void
sides_read(struct sides *s, struct cli *cli, struct gate *g,
	   const char *sample_index, const struct refine *refine,
	   const struct scale_option *scale, bool exact_names)
{
	double *exposure = allocated(calloc(s->n_input, sizeof(*exposure)));
	struct prof_err err;
	double mean;

	for (size_t i = 0; i < s->n_input; i++) {
		read_input(&s->input[i], cli, sample_index, refine,
			   exact_names);
		exposure[i] = raw_exposure(&s->input[i], scale);
	}
	/* Values read as those of a base profile. */
	mean = side_mean(s, GATE_BASE, exposure);
	for (size_t i = 0; i < s->n_input; i++) {
		struct side_input *in = &s->input[i];

		if (gate_add(g, in->side, in->p, &in->m, &in->total,
			     exposure[i] / mean, &err) != PROF_OK)
			die("%s: %s", cli_name(in->name), err.msg);
	}
	free(exposure);
	if (scale->kind == SCALE_NONE)
		warn_durations(s);
}

void
sides_release(struct sides *s)
{
	for (size_t i = 0; i < s->n_input; i++)
		profile_free(s->input[i].p);
	free(s->input);
	free(s->baseline);
	*s = (struct sides){ 0 };
}
