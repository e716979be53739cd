/* path-facts.c - see path-facts.h. */
#include "config.h"

#include "path-facts.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

#include "history/store/block.h"
#include "lib/base/ascii.h"

/* The number of n digits at s; -1: these are no digits. */
static int
number(const char *s, size_t n)
{
	int v = 0;

	for (size_t i = 0; i < n; i++) {
		if (!is_digit(s[i]))
			return -1;
		v = v * 10 + s[i] - '0';
	}
	return v;
}

/* The length of a date at s, or 0. */
static size_t
date_at(const char *s, int64_t *day)
{
	size_t dash = strnlen(s, 5) == 5 && s[4] == '-', n = 8 + 2 * dash;
	int year, month, of_month;
	struct tm date;

	if (strnlen(s, n) < n || (dash && s[7] != '-') || is_digit(s[n]))
		return 0;
	year = number(s, 4);
	month = number(s + 4 + dash, 2);
	of_month = number(s + 6 + 2 * dash, 2);
	if (year < 1970 || year > 2200 || month < 1 || month > 12 ||
	    of_month < 1 || of_month > 31)
		return 0;
	date = (struct tm){ .tm_year = year - 1900,
			    .tm_mon = month - 1,
			    .tm_mday = of_month };
	*day = timegm(&date) / 86400;
	return date.tm_mday == of_month ? n : 0; /* no 30th of February */
}

/* The digits of hour, minute and second after a date, as seconds; those of the
 * host, the n_host bytes at host, are none. */
static int64_t
seconds_after(const char *s, const char *host, size_t n_host)
{
	static const int limit[] = { 24, 60, 60 }, worth[] = { 3600, 60, 1 };
	int64_t seconds = 0;
	size_t part = 0;

	s += *s == 'T';

	while (*s && part < 3) {
		size_t n = 0, m;

		if (s == host)
			s += n_host;
		while (isalnum((unsigned char)s[n]))
			n++;
		m = n && s[n - 1] == 'Z' ? n - 1 : n;
		if (m && m % 2 == 0 && m / 2 <= 3 - part && number(s, m) >= 0)
			for (size_t i = 0; i < m; i += 2) {
				int v = number(s + i, 2);

				if (v >= limit[part])
					return seconds;
				seconds += v * worth[part++];
			}
		s += n + (s[n] != 0);
	}
	return seconds;
}

bool
path_time(const char *path, int64_t *time_ns)
{
	size_t n, n_host;
	const char *host = path_host(path, &n_host);
	int64_t day;

	for (const char *s = path; *s; s++) {

		if (s > path && is_digit(s[-1]))
			continue;
		n = date_at(s, &day);
		if (!n)
			continue;
		*time_ns = day * BLOCK_DAY_NS +
			   seconds_after(s + n, host, n_host) * 1000000000;
		return true;
	}
	return false;
}

/* Is it a name or an IP address, and not a part of a date? */
static bool
is_host(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (isalpha((unsigned char)s[i]) ||
		    (s[i] == '.' && i && is_digit(s[i - 1])))
			return true;
	return false;
}

const char *
path_host(const char *path, size_t *n)
{
	const char *slash, *dash;
	int64_t day;

	for (; (slash = strchr(path, '/')); path = slash + 1) {
		*n = (size_t)(slash - path);
		if (is_host(path, *n))
			return path;
	}
	*n = 0;
	for (dash = path; (dash = strchr(dash, '-')); dash++) {
		size_t before = (size_t)(dash - path), n_digit = 0;

		while (is_digit(dash[1 + n_digit]))
			n_digit++;
		if (!n_digit || !is_host(path, before))
			continue;
		if (date_at(dash + 1, &day)) {
			*n = before;
			break;
		}
		/* A host may end in a number, but hardly in one like a time. */
		if (!*n || n_digit == 4 || n_digit == 6)
			*n = before;
	}
	return path;
}
