/*
 * where.c - any text as an expression of --where, with its patterns, over a
 * small profile. If it parses and can be evaluated, each sample matches either
 * it or its negation.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/match.h"
#include "tests/lib/fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* The number of samples left of the fixture; -1: it failed. */
static long
n_left(const char *expr)
{
	static const char text[] =
		"# a b\n"
		"x 1 {user=\"ann\" user=\"bob\" bytes=1024bytes depth=7}\n"
		"y 2 {lat=5ms lat=2s request=512}\n"
		"z 3 {user=\"\xff\xc3\xa4\" n=-1}\n"
		"() 4\n";
	struct wherematch w = { 0 };
	struct profile *p;
	struct prof_err err;
	long left = -1;
	bool found;

	if (fixture_parse(text, &p, &err) != PROF_OK)
		abort();
	if (wherematch_parse(&w, expr, &err) == PROF_OK &&
	    filter_where(p, w.where, &found, &err) == PROF_OK) {
		if (profile_check(p, &err) != PROF_OK ||
		    found != (p->n_sample != 0))
			abort();
		left = (long)p->n_sample;
	}
	profile_free(p);
	wherematch_release(&w);
	return left;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *expr = malloc(n + 1), *not = malloc(n + 4);
	long left, others;

	if (!expr || !not || n > 4096)
		goto out;
	memcpy(expr, data, n);
	expr[n] = '\0';
	snprintf(not, n + 4, "!(%s)", expr);
	left = n_left(expr);
	others = n_left(not );
	/* A limit on depth or length may hit one of them alone. */
	if (left >= 0 && others >= 0 && left + others != 4)
		abort();
out:
	free(expr);
	free(not );
	return 0;
}
