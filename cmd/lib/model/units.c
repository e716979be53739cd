/* units.c - see units.h. */
#include "config.h"

#include "units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/decimal.h"

struct unit {
	const char *name;     /* as printed */
	const char *alias[3]; /* in lower case, without plural; or NULL */
	double factor;
};

struct family {
	const struct unit *unit; /* n of them, ascending */
	size_t n;
	size_t main; /* used when a unit is unknown */
};

static const struct unit memory[] = {
	{ "B", { "b", "byte" }, 1 },
	{ "kB", { "kb", "kbyte", "kilobyte" }, 1024.0 },
	{ "MB", { "mb", "mbyte", "megabyte" }, 1048576.0 },
	{ "GB", { "gb", "gbyte", "gigabyte" }, 1073741824.0 },
	{ "TB", { "tb", "tbyte", "terabyte" }, 1099511627776.0 },
	{ "PB", { "pb", "pbyte", "petabyte" }, 1125899906842624.0 },
};

static const struct unit duration[] = {
	{ "ns", { "ns", "nanosecond" }, 1 },
	{ "us", { "us", "microsecond" }, 1e3 },
	{ "ms", { "ms", "millisecond" }, 1e6 },
	{ "s", { "s", "sec", "second" }, 1e9 },
	{ "hrs", { "hour", "hr" }, 3600e9 },
};

static const struct unit compute[] = {
	{ "n*GCU", { "nanogcu" }, 1e-9 },  { "u*GCU", { "microgcu" }, 1e-6 },
	{ "m*GCU", { "milligcu" }, 1e-3 }, { "GCU", { "gcu" }, 1 },
	{ "k*GCU", { "kilogcu" }, 1e3 },   { "M*GCU", { "megagcu" }, 1e6 },
	{ "G*GCU", { "gigagcu" }, 1e9 },   { "T*GCU", { "teragcu" }, 1e12 },
	{ "P*GCU", { "petagcu" }, 1e15 },
};

static const struct family families[] = {
	{ memory, sizeof(memory) / sizeof(memory[0]), 0 },
	{ duration, sizeof(duration) / sizeof(duration[0]), 3 },
	{ compute, sizeof(compute) / sizeof(compute[0]), 3 },
};

#define N_FAMILY (sizeof(families) / sizeof(families[0]))

/* word: len bytes. */
static bool
is_alias(const struct unit *u, const char *word, size_t len)
{
	for (size_t i = 0; i < 3 && u->alias[i]; i++)
		if (u->alias[i][0] == *word &&
		    !strncmp(u->alias[i], word, len) && !u->alias[i][len])
			return true;
	return false;
}

/* The unit of that name, with its family in *f; NULL: none. */
static const struct unit *
find_unit(const char *name, const struct family **f)
{
	char low[16];
	size_t len = strlen(name);

	if (len == 0 || len >= sizeof(low))
		return NULL;
	for (size_t i = 0; i < len; i++)
		low[i] = name[i] >= 'A' && name[i] <= 'Z'
				 ? (char)(name[i] + ('a' - 'A'))
				 : name[i];
	if (len > 2 && low[len - 1] == 's')
		len--;
	for (size_t i = 0; i < N_FAMILY; i++)
		for (size_t k = 0; k < families[i].n; k++)
			if (is_alias(&families[i].unit[k], low, len)) {
				*f = &families[i];
				return &families[i].unit[k];
			}
	return NULL;
}

static bool
is_auto(const char *unit)
{
	return !strcmp(unit, "minimum") || !strcmp(unit, "auto");
}

/* A word for a number without a unit. */
static bool
is_count(const char *unit)
{
	return !strcmp(unit, "count") || !strcmp(unit, "sample") ||
	       !strcmp(unit, "unit");
}

double
units_scale(int64_t v, const char *from, const char *to, const char **unit)
{
	const struct family *f = NULL, *g = NULL;
	const struct unit *u, *t = NULL;
	double x;

	if (v < 0 && v != INT64_MIN)
		return -units_scale(-v, from, to, unit);
	u = find_unit(from, &f);
	if (!u) {
		*unit = is_auto(to) || is_count(to) ? "" : to;
		return (double)v;
	}
	x = (double)v * u->factor;
	if (is_auto(to)) {
		for (size_t i = f->n; i-- && !t;)
			if (x / f->unit[i].factor >= 1)
				t = &f->unit[i];
	} else {
		t = find_unit(to, &g);
		if (g != f)
			t = NULL;
	}
	if (!t)
		t = &f->unit[f->main];
	*unit = t->name;
	return x / t->factor;
}

void
units_format(struct quantity *q, int64_t v, const char *from, const char *to)
{
	char text[DECIMAL_FRACTION];
	double x = units_scale(v, from, to, &q->unit);
	const struct family *f;
	size_t n;

	/* A double has not all digits of the identifiers that labels hold. */
	if (fabs(x) > 0x1p53 && !find_unit(from, &f)) {
		snprintf(q->number, sizeof(q->number), "%" PRId64, v);
		return;
	}
	n = decimal_hundredths(text, x);
	if (n >= sizeof(q->number))
		n = sizeof(q->number) - 1;
	memcpy(q->number, text, n);
	q->number[n] = '\0';
	if (n > 3 && !strcmp(q->number + n - 3, ".00"))
		q->number[n - 3] = '\0';
	if (!strcmp(q->number, "0") || !strcmp(q->number, "-0")) {
		strcpy(q->number, "0");
		q->unit = "";
	}
}

void
units_percent(char text[UNITS_PERCENT], int64_t v, int64_t total)
{
	char number[DECIMAL_FRACTION];
	double ratio = 0;
	size_t n, pad;

	if (total != 0)
		ratio = fabs((double)v / (double)total) * 100;
	if (ratio >= 99.95 && ratio <= 100.05)
		strcpy(number, "100");
	else if (ratio >= 1)
		decimal_hundredths(number, ratio);
	else
		decimal_two_digits(number, ratio);
	n = strlen(number);
	pad = n < 5 ? 5 - n : 0;
	if (n > UNITS_PERCENT - 2)
		n = UNITS_PERCENT - 2;
	memset(text, ' ', pad);
	memcpy(text + pad, number, n);
	strcpy(text + pad + n, "%");
}

double
units_factor(const char *unit, int *family)
{
	const struct family *f = NULL;
	const struct unit *u = find_unit(unit, &f);

	if (u && family)
		*family = (int)(f - families);
	return u ? u->factor : 0;
}

enum prof_status
units_check(const char *unit, const char *own, struct prof_err *err)
{
	const struct family *f;
	char list[256] = "";
	size_t at = 0;

	if (!*unit || !strcmp(unit, own) || find_unit(unit, &f) ||
	    is_auto(unit) || is_count(unit))
		return PROF_OK;
	for (f = families; f < families + N_FAMILY; f++)
		for (size_t i = 0; i < f->n; i++)
			at += (size_t)snprintf(list + at, sizeof(list) - at,
					       ", %s", f->unit[i].alias[0]);
	return prof_fail(err, PROF_EUSAGE,
			 "unknown unit '%s'; one of auto, minimum, count, "
			 "sample, unit%s",
			 unit, list);
}

int64_t
units_times(int64_t v, double r)
{
	double x = (double)v * r;

	if (isnan(x))
		return 0;
	/* 2^63 is exact as a double, INT64_MAX is not. */
	if (x >= 0x1p63)
		return INT64_MAX;
	if (x <= -0x1p63)
		return INT64_MIN;
	return (int64_t)x;
}
