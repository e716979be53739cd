/* options.c - see options.h. */
#include "config.h"

#include "options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/match.h"
#include "lib/base/buf.h"
#include "lib/ops/names.h"
#include "lib/stream/stream.h"

#define MAX_BUDGET_SIZE ((size_t)16 << 20)

/* Defaults; those of the test are in gate.h. */
#define SESSIONS 5
#define RUNS 5
#define STRICT 30 /* percent */
#define ROWS 10
#define TEXT(x) TEXT_OF(x)
#define TEXT_OF(x) #x

enum {
	KEY_BASELINE = CLI_LONG,
	KEY_SAVE_BASELINE,
	KEY_BASELINE_RUNS,
	KEY_BASELINE_SESSIONS,
	KEY_PLAN,
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
	KEY_TEST_AGAINST,
	KEY_BUILD_NOISE,
	KEY_NOISE,
	KEY_MIN_SAMPLES,
	KEY_ALLOW_UNEQUAL,
	KEY_ALLOW_RATES,
	KEY_FUNCTION,
	KEY_FAIL_MOVED,
	KEY_FAIL_SINGLE,
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
	{ KEY_BASELINE, "baseline", "PATH",
	  "a base profile, or a folder of them; all operands are then new" },
	{ KEY_SAVE_BASELINE, "save-baseline", "DIR",
	  "add the operands to the folder DIR, and compare nothing" },
	{ KEY_BASELINE_RUNS, "baseline-runs", "N",
	  "use the newest N comparable runs of each session in a folder (" TEXT(
		  RUNS) ")" },
	{ KEY_BASELINE_SESSIONS, "baseline-sessions", "N",
	  "take the newest N sessions of a folder (" TEXT(SESSIONS) ")" },
	{ KEY_PLAN, "plan", "N",
	  "print an order for N runs of each side: --plan=N -- OLD -- NEW" },
	{ KEY_SCALE, "scale", "HOW",
	  "compare per profile (none), total, duration, machine or ops=N/M" },
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
	  "do not look for renamed functions" },
	{ KEY_ALPHA, "alpha", "P",
	  "chance of a false alarm in one comparison (" TEXT(GATE_ALPHA) ")" },
	{ KEY_MIN_CHANGE, "min-change", "PERCENT",
	  "smallest change that matters, of the function (" TEXT(
		  GATE_MIN_CHANGE) ")" },
	{ KEY_MIN_SHARE, "min-share", "PERCENT",
	  "smallest change that matters, of the total (" TEXT(
		  GATE_MIN_SHARE) "; --function: 0)" },
	{ KEY_TEST_AGAINST, "test-against", "PERCENT",
	  "fail only on rows that surely grew by more than PERCENT (0)" },
	{ KEY_BUILD_NOISE, "build-noise", "PERCENT",
	  "difference of two builds by the layout of code alone (" TEXT(
		  GATE_BUILD_NOISE) ")" },
	{ KEY_NOISE, "noise", "PERCENT",
	  "noise of the machine to assume with one run a side (" TEXT(
		  GATE_NOISE) ")" },
	{ KEY_MIN_SAMPLES, "min-samples", "N",
	  "refuse a side with fewer than N samples (" TEXT(
		  GATE_MIN_SAMPLES) ")" },
	{ KEY_ALLOW_UNEQUAL, "allow-unequal", NULL,
	  "compare runs and sides whose totals differ more than 5 times" },
	{ KEY_ALLOW_RATES, "allow-rates", NULL,
	  "compare runs whose sampling rates differ more than twice" },
	{ KEY_FUNCTION, "function", "REGEX",
	  "judge only functions whose whole name matches" },
	{ KEY_FAIL_MOVED, "fail-moved", NULL,
	  "also fail where work only moved" },
	{ KEY_FAIL_SINGLE, "fail-single", NULL,
	  "also fail on suspects, with one run a side" },
	{ KEY_BUDGET, "budget", "FILE",
	  "fail where a rule of FILE is broken: parse <= 5% of total" },
	{ KEY_STRICT, "strict", "[PERCENT]",
	  "exit with 2 if a growth of PERCENT (" TEXT(
		  STRICT) ") could not have been seen" },
	{ KEY_TEXT, "text", NULL, "report as text (default)" },
	{ KEY_JSON, "json", NULL, "report as JSON" },
	{ KEY_MARKDOWN, "markdown", NULL, "report for a pull request" },
	{ KEY_JUNIT, "junit", NULL, "report as JUnit XML" },
	{ KEY_GITHUB, "github", NULL, "report as GitHub annotations" },
	{ KEY_NODECOUNT, "nodecount", "N",
	  "show at most N functions; 0: all (" TEXT(ROWS) ")" },
	{ KEY_ALL, "all", NULL, "show all functions" },
	CLI_COMMON_OPTS,
	CLI_READ_OPTS,
	{ 0 }
};

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
		die_nomem();
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
	s->sides.may_repeat = true;
	release_patterns(s);
	rule_budgets_release(&s->budgets);
	if (stream_read(fd, MAX_BUDGET_SIZE, &text, &err) != PROF_OK ||
	    rule_budgets_parse((const char *)text.data, text.n, &s->budgets,
			       &err) != PROF_OK)
		die("%s: %s", cli_name(cli->arg), err.msg);
	buf_release(&text);
	cli_close(fd);
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
	s->gate.wants = match_str;
	s->gate.wants_ctx = s->function;
}

/* Is the file below the working directory? */
static bool
is_ours(void *ctx, const struct str *file)
{
	const char *root = ctx;
	size_t n = strlen(root);

	if (file->s[0] == '/')
		return file->len > n && !memcmp(file->s, root, n) &&
		       file->s[n] == '/';
	return strncmp(file->s, "..", 2) != 0 && access(file->s, F_OK) == 0;
}

/* Options that set a flag, a number, or a part given in percent. */
static bool
plain_option(struct gate_settings *s, struct cli *cli, int key)
{
	struct gate_options *o = &s->gate;
	const size_t runs = GATE_MAX_PROFILE / 2, any = 1000000000;
	const struct {
		int key;
		bool *flag;
		double *part;
		size_t *number, least, most;
	} to[] = {
		{ KEY_NOINLINES, .flag = &o->frames.no_inlines },
		{ KEY_EXACT_NAMES, .flag = &o->exact_names },
		{ KEY_ALLOW_UNEQUAL, .flag = &o->allow_unequal },
		{ KEY_ALLOW_RATES, .flag = &s->sides.allow_rates },
		{ KEY_FAIL_MOVED, .flag = &s->fail_moved },
		{ KEY_FAIL_SINGLE, .flag = &s->fail_single },
		{ KEY_ALL, .flag = &s->all },
		{ KEY_MIN_CHANGE, .part = &o->min_change },
		{ KEY_MIN_SHARE, &s->has_min_share, &o->min_share, NULL, 0, 0 },
		{ KEY_TEST_AGAINST, .part = &o->against },
		{ KEY_BUILD_NOISE, .part = &o->build_noise },
		{ KEY_NOISE, .part = &o->single_noise },
		{ KEY_BASELINE_RUNS, NULL, NULL, &s->sides.n_archived, 1,
		  runs },
		{ KEY_BASELINE_SESSIONS, NULL, NULL, &s->sides.n_session, 1,
		  runs },
		{ KEY_PLAN, NULL, NULL, &s->n_plan, 1, runs },
		{ KEY_MIN_SAMPLES, NULL, NULL, &o->min_events, 1, any },
		{ KEY_NODECOUNT, NULL, NULL, &s->max_rows, 0, any },
	};

	for (size_t i = 0; i < sizeof(to) / sizeof(*to); i++) {
		if (key != to[i].key)
			continue;
		if (to[i].flag)
			*to[i].flag = true;
		if (to[i].part)
			*to[i].part = cli_between(cli, 0, 100) / 100;
		if (to[i].number)
			*to[i].number = cli_uint(cli, to[i].least, to[i].most);
		return true;
	}
	return false;
}

/* The other options. */
static void
word_option(struct gate_settings *s, struct cli *cli, int key)
{
	static const enum granularity by[] = { BY_FUNCTION, BY_FILE_FUNCTION,
					       BY_FILE, BY_LINE };
	static const struct gate_form *const form[] = { &gate_text, &gate_json,
							&gate_markdown,
							&gate_junit,
							&gate_github };

	switch (key) {
	case KEY_BASELINE:
		sides_baseline(&s->sides, cli->arg);
		break;
	case KEY_SAVE_BASELINE:
		s->save_folder = cli->arg;
		break;
	case KEY_SCALE:
		scale_parse(&s->sides.scale, cli);
		break;
	case KEY_SAMPLE_INDEX:
		s->sides.sample_index = cli->arg;
		break;
	case KEY_TRIM_PATH:
		s->gate.frames.trim_path = cli->arg;
		break;
	case KEY_FUNCTION:
		set_function(s, cli);
		break;
	case KEY_BUDGET:
		read_budgets(s, cli);
		break;
	case KEY_ALPHA:
		s->gate.alpha = cli_between(cli, 0, 1);
		if (s->gate.alpha == 0 || s->gate.alpha > 0.5)
			cli_bad_arg(cli, "above 0, up to 0.5");
		break;
	case KEY_STRICT:
		s->strict = cli->arg ? cli_double(cli) / 100 : STRICT / 100.0;
		if (s->strict <= 0)
			cli_bad_arg(cli, "above 0");
		break;
	default:
		if (key >= KEY_TEXT)
			s->form = form[key - KEY_TEXT];
		else
			s->gate.frames.granularity = by[key - KEY_FUNCTIONS];
	}
}

/* Names of functions as the profiles have them when they are judged. */
static void
normalize_budgets(struct rule_budgets *b)
{
	unsigned char used[NAMES_N_RULE] = { 0 };

	for (size_t i = 0; i < b->n_rule; i++) {
		char *name = b->rule[i].name;

		if (!b->rule[i].pattern)
			name[names_normalize_text(name, strlen(name), used)] =
				'\0';
	}
}

/* Defaults that depend on other options. */
static void
settle(struct gate_settings *s)
{
	struct gate_options *o = &s->gate;

	if (s->function && !s->has_min_share)
		o->min_share = 0;
	if (s->sides.scale.kind == SCALE_TOTAL)
		o->yardstick = GATE_SHARES;
	else if (s->sides.scale.kind == SCALE_MACHINE)
		o->yardstick = GATE_TYPICAL;
	/* Rows are files or lines, which are never renamed. */
	if (o->frames.granularity == BY_FILE ||
	    o->frames.granularity == BY_LINE)
		o->exact_names = true;
	if (!o->exact_names)
		normalize_budgets(&s->budgets);
	if (!getcwd(s->root, sizeof(s->root)))
		s->root[0] = '\0';
	o->is_ours = is_ours;
	o->is_ours_ctx = s->root;
}

void
gate_settings_parse(struct gate_settings *s, struct cli *cli)
{
	int key;

	*s = (struct gate_settings){
		.gate = GATE_DEFAULTS,
		.sides = { .n_session = SESSIONS, .n_archived = RUNS },
		.form = &gate_text,
		.max_rows = ROWS,
	};
	while ((key = cli_option(cli)) != CLI_DONE) {
		if (!refine_option(&s->sides.refine, cli, key) &&
		    !plain_option(s, cli, key))
			word_option(s, cli, key);
	}
	settle(s);
}

void
gate_settings_release(struct gate_settings *s)
{
	sides_release(&s->sides);
	release_patterns(s);
	rule_budgets_release(&s->budgets);
	match_free(s->function);
}
