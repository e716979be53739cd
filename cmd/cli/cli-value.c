/* cli-value.c - numbers, sizes and switches as arguments of options: cli.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"
#include "refuse.h"

void
cli_bad_arg(const struct cli *cli, const char *want)
{
	die("--%s: '%s' is not %s", cli_key_name(cli->cmd, cli->key), cli->arg,
	    want);
}

/* Die of an argument that is not such a number: 10s and 5% have a unit. */
static _Noreturn void
not_number(const struct cli *cli, const char *want)
{
	const char *unit = cli->arg + strspn(cli->arg, "0123456789.");

	if (unit > cli->arg && *unit && *unit != ',')
		die("--%s: '%s' is not %s; write it without '%s'",
		    cli_key_name(cli->cmd, cli->key), cli->arg, want, unit);
	cli_bad_arg(cli, want);
}

/* Die of a number that is not from min to max; INT64_MAX is no limit. */
static _Noreturn void
bad_number(const struct cli *cli, int64_t min, int64_t max)
{
	char want[80];

	if (max < INT64_MAX)
		snprintf(want, sizeof(want), "a number from %jd to %jd",
			 (intmax_t)min, (intmax_t)max);
	else
		snprintf(want, sizeof(want), "a number from %jd up",
			 (intmax_t)min);
	not_number(cli, want);
}

uint64_t
cli_uint(const struct cli *cli, uint64_t min, uint64_t max)
{
	char *end;
	uint64_t v;

	errno = 0;
	v = strtoull(cli->arg, &end, 10);
	if (cli->arg[0] < '0' || cli->arg[0] > '9' || *end || errno ||
	    v < min || v > max)
		bad_number(cli, (int64_t)min,
			   max < INT64_MAX ? (int64_t)max : INT64_MAX);
	return v;
}

int64_t
cli_int(const struct cli *cli, int64_t min)
{
	char *end;
	int64_t v;

	errno = 0;
	v = strtoll(cli->arg, &end, 10);
	if (end == cli->arg || *end || errno || v < min)
		bad_number(cli, min, INT64_MAX);
	return v;
}

int64_t
cli_parse_age(const char *text)
{
	static const char units[] = "smhdw";
	static const int64_t seconds[] = { 1, 60, 3600, 86400, 604800 };
	char *end;
	long long n = strtoll(text, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;

	if (*text < '0' || *text > '9' || !unit || end[1] || n > 100000000)
		return 0;
	return n * seconds[unit - units];
}

int64_t
cli_age(const struct cli *cli)
{
	int64_t age = cli_parse_age(cli->arg);

	if (!age)
		cli_bad_arg(cli, "an age such as 14d, 12h or 30m");
	return age;
}

double
cli_double(const struct cli *cli)
{
	char *end;
	double v = strtod(cli->arg, &end);

	if (end == cli->arg || *end || !isfinite(v))
		not_number(cli, "a number");
	return v;
}

double
cli_between(const struct cli *cli, double min, double max)
{
	double v = cli_double(cli);
	char want[80];

	if (v < min || v > max) {
		snprintf(want, sizeof(want), "from %g to %g", min, max);
		cli_bad_arg(cli, want);
	}
	return v;
}

static bool
is_word(const char *word, size_t n, const char *known)
{
	size_t len = strcspn(known, "=:");

	if (!known[len])
		return n == len && !strncasecmp(word, known, len);
	return n > len && !strncasecmp(word, known, len + 1);
}

int
cli_word_of(const char *option, const char *kind, const char *word, size_t n,
	    const char *const *words)
{
	char list[1024] = "";
	const char *other;
	size_t at = 0;

	for (int i = 0; words[i]; i++) {
		if (is_word(word, n, words[i]))
			return i;
		if (at < sizeof(list))
			at += (size_t)snprintf(list + at, sizeof(list) - at,
					       "%s%s", i ? ", " : "", words[i]);
	}
	other = refuse_elsewhere(word, n);
	die("--%s: unknown %s '%.*s'; one of %s%s%s", option, kind, (int)n,
	    word, list, other ? "; see " : "", other ? other : "");
}

int
cli_word(const struct cli *cli, const char *kind, const char *const *words)
{
	return cli_word_of(cli_key_name(cli->cmd, cli->key), kind, cli->arg,
			   strlen(cli->arg), words);
}

double
cli_operations(const struct cli *cli, const char *text)
{
	char *end;
	double n = strtod(text, &end), m = 1;
	bool is_number = end > text;

	if (is_number && *end == '/') {
		text = end + 1;
		m = strtod(text, &end);
		is_number = end > text;
	}
	if (!is_number || *end || !(n > 0) || !(m > 0) || !isfinite(n) ||
	    !isfinite(m))
		cli_bad_arg(cli, "ops=N or ops=N/M, numbers above 0");
	return n / m;
}

bool
cli_bool(const struct cli *cli)
{
	static const char *const yes[] = {
		"1", "t", "T", "true", "TRUE", "True"
	};
	static const char *const no[] = { "0",     "f",     "F",
					  "false", "FALSE", "False" };

	if (!cli->arg)
		return true;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
		if (!strcmp(cli->arg, yes[i]))
			return true;
		if (!strcmp(cli->arg, no[i]))
			return false;
	}
	cli_bad_arg(cli, "true or false");
}

size_t
cli_size(const struct cli *cli)
{
	static const char units[] = "KMGT";
	const char *unit;
	unsigned shift = 0;
	uint64_t v;
	char *end;

	errno = 0;
	v = strtoull(cli->arg, &end, 10);
	unit = *end ? strchr(units, *end & ~0x20) : NULL;
	if (unit) {
		shift = 10 * (unsigned)(unit - units + 1);
		end++;
	}
	if (cli->arg[0] < '0' || cli->arg[0] > '9' || *end || errno ||
	    v > (SIZE_MAX >> 1) >> shift)
		cli_bad_arg(cli, "a size such as 500M");
	return (size_t)v << shift;
}
