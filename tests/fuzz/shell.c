/*
 * shell.c - any lines as a session of prof-shell, each completed first as if
 * Tab were pressed at its end. Reports are not printed: their command lines are
 * checked, and a filter step gives another profile.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/commands.h"
#include "shell/complete.h"
#include "shell/line.h"
#include "shell/request.h"
#include "shell/run.h"
#include "shell/session.h"
#include "tests/lib/fixture.h"

#define MAX_SIZE 4096 /* of the lines */
#define MAX_STEP 20   /* filter steps in one session */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static struct profile *
make_profile(void)
{
	static const char text[] =
		"# samples count cpu nanoseconds\n"
		"main (main.c:3);work (work.c:10);a::b<c>::f(int) 4 40 "
		"{k=\"v\"}\n"
		"main (main.c:3);(*T).Encode 3 30 {bytes=1024bytes}\n"
		"main;\x1b[2J 1 10\n";
	struct profile *p;
	struct prof_err err;

	if (fixture_parse(text, &p, &err) != PROF_OK)
		abort();
	return p;
}

/* In place of shell/run.c, which forks and writes files. */
static void
check_request(const struct request *r)
{
	int n = -1, i;
	char **argv = request_argv(r, &n);

	if (!argv || n < 1 || strcmp(argv[0], r->command->name) != 0 ||
	    (r->consumer && r->output) || (r->output && !*r->output) ||
	    (r->command->param && !r->param))
		abort();
	for (i = 0; argv[i]; i++)
		;
	if (i != n)
		abort();
	request_argv_free(argv);
}

void
run_request(struct session *s, struct request *r)
{
	(void)s;
	check_request(r);
}

bool
run_into_memory(struct session *s, const struct request *r,
		struct profile **out)
{
	check_request(r);
	if (s->n_step >= MAX_STEP)
		return false;
	*out = make_profile();
	return true;
}

/* The list of options is text, whatever their values. */
static void
check_list(const struct session *s)
{
	struct buf list = { 0 };

	if (settings_list(&s->settings, s->p, &list) < 0)
		abort();
	for (size_t i = 0; i < list.n; i++)
		if ((list.data[i] < ' ' && list.data[i] != '\n') ||
		    list.data[i] == 127)
			abort();
	buf_release(&list);
}

static void
check_completion(const struct session *s, const char *line)
{
	size_t n = strlen(line), common;
	struct completion c;

	complete(s, line, n, &c);
	common = completion_common(&c);
	if (c.from > n)
		abort();
	for (size_t i = 0; i < c.n; i++)
		if (strlen(c.word[i]) < common ||
		    (i && strcmp(c.word[i - 1], c.word[i]) >= 0))
			abort();
	completion_release(&c);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct session s = { .is_quiet = true };
	char *lines = strndup((const char *)data, n), *rest = lines, *line;

	if (!lines || n > MAX_SIZE) {
		free(lines);
		return 0;
	}
	s.p = make_profile();
	if (settings_init(&s.settings) < 0)
		abort();
	while ((line = strsep(&rest, "\n"))) {
		check_completion(&s, line);
		if (!session_line(&s, line))
			break;
	}
	check_list(&s);
	session_release(&s);
	free(lines);
	return 0;
}
