/* options.c - see options.h. */
#include "config.h"

#include "options.h"

#include <stdlib.h>
#include <unistd.h>

#include "cli/match.h"
#include "lib/base/buf.h"
#include "lib/stream/stream.h"

#define MAX_BUDGET_SIZE ((size_t)16 << 20)

enum {
	KEY_BASELINE = CLI_LONG,
	KEY_SCALE,
	KEY_SAMPLE_INDEX,
	KEY_FUNCTIONS,
	KEY_FILEFUNCTIONS,
	KEY_FILES,
	KEY_LINES,
	KEY_NOINLINES,
	KEY_TRIM_PATH,
	KEY_EXACT_NAMES,
	KEY_ALPHA,
	KEY_MIN_CHANGE,
	KEY_MIN_SHARE,
	KEY_FUNCTION,
	KEY_FAIL_ON,
	KEY_BUDGET,
	KEY_STRICT,
	KEY_TEXT,
	KEY_JSON,
	KEY_MARKDOWN,
	KEY_JUNIT,
	KEY_GITHUB,
	KEY_NODECOUNT,
	KEY_ALL,
};

const struct cli_opt gate_opts[] = {
	{ KEY_BASELINE, "baseline", "FILE",
	  "a base profile; all operands are then new" },
	{ KEY_SCALE, "scale", "HOW",
	  "compare per profile (none), total, duration or ops=N/M" },
	{ KEY_SAMPLE_INDEX, "sample-index", "TYPE",
	  "compare the values of TYPE, a name or a number" },
	{ KEY_FUNCTIONS, "functions", NULL, "compare functions (default)" },
	{ KEY_FILEFUNCTIONS, "filefunctions", NULL,
	  "compare functions of files" },
	{ KEY_FILES, "files", NULL, "compare source files" },
	{ KEY_LINES, "lines", NULL, "compare source lines" },
	{ KEY_NOINLINES, "noinlines", NULL,
	  "count inlined functions as their callers" },
	{ KEY_TRIM_PATH, "trim-path", "PATH",
	  "cut the prefixes PATH (joined by ':') off file names" },
	{ KEY_EXACT_NAMES, "exact-names", NULL,
	  "do not make generated names equal" },
	{ KEY_ALPHA, "alpha", "P",
	  "chance of a false alarm in one comparison (0.01)" },
	{ KEY_MIN_CHANGE, "min-change", "PERCENT",
	  "smallest change that matters, of the function (5)" },
	{ KEY_MIN_SHARE, "min-share", "PERCENT",
	  "smallest change that matters, of the total (1)" },
	{ KEY_FUNCTION, "function", "REGEX",
	  "judge only functions whose whole name matches" },
	{ KEY_FAIL_ON, "fail-on", "COND",
	  "fail only where COND holds: cum > +5% && cum > 10ms" },
	{ KEY_BUDGET, "budget", "FILE",
	  "fail where a rule of FILE is broken: parse <= 5% of total" },
	{ KEY_STRICT, "strict", NULL, "exit with status 2 if inconclusive" },
	{ KEY_TEXT, "text", NULL, "report as text (default)" },
	{ KEY_JSON, "json", NULL, "report as JSON" },
	{ KEY_MARKDOWN, "markdown", NULL, "report for a pull request" },
	{ KEY_JUNIT, "junit", NULL, "report as JUnit XML" },
	{ KEY_GITHUB, "github", NULL, "report as GitHub annotations" },
	{ KEY_NODECOUNT, "nodecount", "N",
	  "show at most N functions; 0: all (20)" },
	{ KEY_ALL, "all", NULL, "show unchanged functions, too" },
	CLI_COMMON_OPTS,
	CLI_READ_OPTS,
	{ 0 }
};

static enum prof_status
wants(void *ctx, const struct str *name, bool *wanted, struct prof_err *err)
{
	return match_bytes(ctx, name->s, name->len, wanted, err);
}

static double
fraction(struct cli *cli, const char *option, double unit)
{
	double v = cli_double(cli) / unit;

	if (v < 0 || v > 1)
		die("--%s: '%s' is not from 0 to %g", option, cli->arg, unit);
	return v;
}

static void
release_patterns(struct gate_settings *s)
{
	for (size_t i = 0; s->pattern && i < s->budgets.n_rule; i++)
		match_free(s->pattern[i]);
	free(s->pattern);
	s->pattern = NULL;
}

static void
compile_budgets(struct gate_settings *s)
{
	struct prof_err err;

	s->pattern = calloc(s->budgets.n_rule + 1, sizeof(*s->pattern));
	if (!s->pattern)
		die("out of memory");
	for (size_t i = 0; i < s->budgets.n_rule; i++) {
		const struct rule_budget *r = &s->budgets.rule[i];

		if (r->pattern && match_new("budget", r->pattern, 0,
					    &s->pattern[i], &err) != PROF_OK)
			die("%s: line %u: %s", cli_name(s->budget_file),
			    r->line, err.msg);
	}
}

enum prof_status
gate_budget_matches(void *settings, size_t i, const struct str *name,
		    bool *matches, struct prof_err *err)
{
	const struct gate_settings *s = settings;

	return match_bytes(s->pattern[i], name->s, name->len, matches, err);
}

static void
read_budgets(struct gate_settings *s, struct cli *cli)
{
	struct buf text = { 0 };
	struct prof_err err;
	int fd = cli_open(cli->arg);

	s->budget_file = cli->arg;
	release_patterns(s);
	rule_budgets_release(&s->budgets);
	if (stream_read(fd, MAX_BUDGET_SIZE, &text, &err) != PROF_OK ||
	    rule_budgets_parse((const char *)text.data, text.n, &s->budgets,
			       &err) != PROF_OK)
		die("%s: %s", cli_name(cli->arg), err.msg);
	buf_release(&text);
	if (fd > 0)
		close(fd);
	compile_budgets(s);
}

static void
set_function(struct gate_settings *s, const struct cli *cli)
{
	struct prof_err err;

	match_free(s->function);
	if (match_new("function", cli->arg, MATCH_WHOLE, &s->function, &err) !=
	    PROF_OK)
		die("%s", err.msg);
	s->gate.wants = wants;
	s->gate.wants_ctx = s->function;
}

/* The options that say what is printed; false: it is none of these. */
static bool
report_option(struct gate_settings *s, struct cli *cli, int key)
{
	switch (key) {
	case KEY_TEXT:
		s->print = gate_print_text;
		return true;
	case KEY_JSON:
		s->print = gate_print_json;
		return true;
	case KEY_MARKDOWN:
		s->print = gate_print_markdown;
		return true;
	case KEY_JUNIT:
		s->print = gate_print_junit;
		return true;
	case KEY_GITHUB:
		s->print = gate_print_github;
		return true;
	case KEY_NODECOUNT:
		s->max_rows = cli_uint(cli, 0, 1000000000);
		return true;
	case KEY_ALL:
		s->all = true;
		return true;
	}
	return false;
}

/* Those that say what is judged, and how. */
static bool
test_option(struct gate_settings *s, struct cli *cli, int key)
{
	struct prof_err err;

	switch (key) {
	case KEY_ALPHA:
		s->gate.alpha = fraction(cli, "alpha", 1);
		if (s->gate.alpha == 0 || s->gate.alpha > 0.5)
			die("--alpha: '%s' is not above 0, up to 0.5",
			    cli->arg);
		return true;
	case KEY_MIN_CHANGE:
		s->gate.min_change = fraction(cli, "min-change", 100);
		return true;
	case KEY_MIN_SHARE:
		s->gate.min_share = fraction(cli, "min-share", 100);
		return true;
	case KEY_FUNCTION:
		set_function(s, cli);
		return true;
	case KEY_FAIL_ON:
		if (rule_parse(cli->arg, &s->fail_on, &err) != PROF_OK)
			die("--fail-on: %s", err.msg);
		return true;
	case KEY_BUDGET:
		read_budgets(s, cli);
		return true;
	case KEY_STRICT:
		s->strict = true;
		return true;
	}
	return false;
}

void
gate_settings_parse(struct gate_settings *s, struct cli *cli)
{
	struct frames_options *f = &s->gate.frames;
	int key;

	*s = (struct gate_settings){
		.gate = { .alpha = 0.01,
			  .confidence = 0.95,
			  .min_change = 0.05,
			  .min_share = 0.01 },
		.print = gate_print_text,
		.max_rows = 20,
	};
	while ((key = cli_option(cli)) != CLI_DONE) {
		if (refine_option(&s->refine, cli, key) ||
		    report_option(s, cli, key) || test_option(s, cli, key))
			continue;
		switch (key) {
		case KEY_BASELINE:
			sides_baseline(&s->sides, cli->arg);
			break;
		case KEY_SCALE:
			scale_parse(&s->scale, cli);
			break;
		case KEY_SAMPLE_INDEX:
			s->sample_index = cli->arg;
			break;
		case KEY_FUNCTIONS:
			f->granularity = BY_FUNCTION;
			break;
		case KEY_FILEFUNCTIONS:
			f->granularity = BY_FILE_FUNCTION;
			break;
		case KEY_FILES:
			f->granularity = BY_FILE;
			break;
		case KEY_LINES:
			f->granularity = BY_LINE;
			break;
		case KEY_NOINLINES:
			f->no_inlines = true;
			break;
		case KEY_TRIM_PATH:
			f->trim_path = cli->arg;
			break;
		case KEY_EXACT_NAMES:
			s->exact_names = true;
			break;
		}
	}
}

void
gate_settings_release(struct gate_settings *s)
{
	sides_release(&s->sides);
	release_patterns(s);
	rule_budgets_release(&s->budgets);
	match_free(s->function);
	refine_release(&s->refine);
}
