/* session.c - see session.h. */
#include "config.h"

#include "session.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "lib/base/escape.h"
#include "lib/model/profile.h"

void
session_say(const char *fmt, ...)
{
	struct buf line = { 0 };
	char msg[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	if (escape_add(&line, ESCAPE_TEXT, msg, strlen(msg)) < 0)
		die_nomem();
	fprintf(stderr, "%.*s\n", (int)line.n, (const char *)line.data);
	buf_release(&line);
}

void
session_error(struct session *s, const char *fmt, ...)
{
	char msg[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	complain("%s", msg);
	s->status = CLI_TROUBLE;
}

void
session_undo(struct session *s)
{
	struct session_step *last;

	if (!s->n_step) {
		session_error(s, "there is no filter step to undo");
		return;
	}
	last = &s->step[--s->n_step];
	profile_free(s->p);
	s->p = last->before;
	free(last->words);
}

void
session_release(struct session *s)
{
	while (s->n_step)
		session_undo(s);
	free(s->step);
	for (size_t i = 0; i < s->n_temporary; i++) {
		unlink(s->temporary[i]);
		free(s->temporary[i]);
	}
	free(s->temporary);
	profile_free(s->p);
	settings_release(&s->settings);
}
