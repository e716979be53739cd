/*
 * prof-export.c - a stream in the formats of other viewers. Options are in
 * export/options.c; each format has its file in lib/formats/exchange.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "export/options.h"
#include "export/pprof.h"
#include "lib/formats/exchange/callgrind.h"
#include "lib/formats/exchange/cpuprofile.h"
#include "lib/formats/exchange/firefox.h"
#include "lib/formats/exchange/folded.h"
#include "lib/formats/exchange/otlp.h"
#include "lib/formats/exchange/speedscope.h"
#include "lib/model/profile.h"
#include "lib/model/units.h"

static enum prof_status
folded(struct export_args *a, struct profile *p, FILE *out,
       struct prof_err *err)
{
	return folded_write(out, p, a->column, &a->folded, err);
}

static enum prof_status
speedscope(struct export_args *a, struct profile *p, FILE *out,
	   struct prof_err *err)
{
	const struct speedscope_style style = {
		.version = PACKAGE_VERSION,
		.split_by = a->split_by,
		.column = a->column,
		.by_value = a->by_value,
		.lines = a->lines,
	};

	return speedscope_write(out, p, &style, err);
}

static enum prof_status
firefox(struct export_args *a, struct profile *p, FILE *out,
	struct prof_err *err)
{
	return firefox_write(out, p, a->column, PACKAGE_VERSION, err);
}

static enum prof_status
callgrind(struct export_args *a, struct profile *p, FILE *out,
	  struct prof_err *err)
{
	if (a->pprof) {
		export_pprof(p, a->sample_index, out);
		return PROF_OK;
	}
	return callgrind_write(out, p, err);
}

static enum prof_status
cpuprofile(struct export_args *a, struct profile *p, FILE *out,
	   struct prof_err *err)
{
	return cpuprofile_write(out, p, a->column, err);
}

static enum prof_status
otlp(struct export_args *a, struct profile *p, FILE *out, struct prof_err *err)
{
	struct buf b = { 0 };
	enum prof_status st =
		otlp_write(p, a->column, PACKAGE_VERSION, &b, err);

	if (st == PROF_OK)
		fwrite(b.data, 1, b.n, out);
	buf_release(&b);
	return st;
}

static enum prof_status
otlp_json(struct export_args *a, struct profile *p, FILE *out,
	  struct prof_err *err)
{
	return otlp_json_write(out, p, a->column, PACKAGE_VERSION, err);
}

static const struct {
	enum prof_status (*write)(struct export_args *, struct profile *,
				  FILE *, struct prof_err *);
	bool adds;       /* it holds sums of samples */
	bool is_stacked; /* it has no samples without a stack */
	bool is_binary;
} formats[] = {
	[EXPORT_CALLGRIND] = { callgrind, true, true, false },
	[EXPORT_CPUPROFILE] = { cpuprofile, false, true, false },
	[EXPORT_FIREFOX] = { firefox, false, false, false },
	[EXPORT_FOLDED] = { folded, true, true, false },
	[EXPORT_OTLP] = { otlp, false, false, true },
	[EXPORT_OTLP_JSON] = { otlp_json, false, false, false },
	[EXPORT_SPEEDSCOPE] = { speedscope, true, false, false },
};

/* Viewers show nothing, or divide by it. */
static void
warn_of_zeros(const struct profile *p, size_t column)
{
	size_t i = 0;

	while (i < p->n_sample && !profile_value(p, i)[column])
		i++;
	if (!p->n_sample)
		warn("no samples: viewers have nothing to show");
	else if (i == p->n_sample)
		warn("%s is 0 in all samples%s",
		     cli_name(p->strings.str[p->type[column].type].s),
		     p->n_type > 1 ? "; --sample-index chooses another column"
				   : "");
}

static void
warn_of_label(const struct profile *p, const char *key)
{
	for (size_t i = 0; i < p->n_sample; i++) {
		const struct label *l = profile_label(p, &p->sample[i]);

		for (uint32_t k = 0; k < p->sample[i].n_label; k++)
			if (!strcmp(profile_str(p, l[k].key), key))
				return;
	}
	warn("no sample has a label '%s'", cli_name(key));
}

/* These formats have sums of 64 bits; none is larger than that of a type. */
static void
warn_of_sums(const struct profile *p)
{
	for (size_t c = 0; c < p->n_type; c++) {
		int64_t sum = 0;

		for (size_t i = 0; i < p->n_sample; i++)
			sum = units_add(sum, units_abs(profile_value(p, i)[c]));
		if (sum == INT64_MAX)
			warn("sums of %s overflow 64 bits; clamped to the "
			     "limit",
			     cli_name(p->strings.str[p->type[c].type].s));
	}
}

int
main(int argc, char **argv)
{
	struct export_args a;
	struct prof_err err;
	struct profile *p;

	export_args_parse(&a, argc, argv);
	if (formats[a.to].is_binary)
		cli_check_output(&a.cli, CLI_BINARY);
	cli_sandbox(&a.cli, SANDBOX_NAMED);
	p = cli_read_all(&a.cli);
	if (profile_sample_index(p, a.sample_index, &a.column, &err) != PROF_OK)
		die("%s", err.msg);
	warn_of_zeros(p, a.column);
	if (a.split_by)
		warn_of_label(p, a.split_by);
	if (a.folded.root)
		warn_of_label(p, a.folded.root);
	if (formats[a.to].is_stacked)
		cli_stackless(p, a.column);
	if (formats[a.to].adds)
		warn_of_sums(p);
	if (formats[a.to].write(&a, p, cli_text(&a.cli), &err) != PROF_OK)
		die("%s", err.msg);
	profile_free(p);
	return cli_finish(&a.cli, EXIT_SUCCESS);
}
