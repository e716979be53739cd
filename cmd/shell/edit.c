/* edit.c - see edit.h. */
#include "config.h"

#include "edit.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if HAVE_LIBEDIT
#include <histedit.h>
#endif

#include "cli/cli.h"
#include "complete.h"
#include "lib/base/buf.h"
#include "lib/base/cachedir.h"
#include "session.h"

static const char prompt[] = "(pprof) ";

struct edit {
	const struct session *s;
	int fd;
	struct buf ahead; /* read, but not yet returned */
	size_t at;        /* in it */
	FILE *out;        /* for the prompt */
#if HAVE_LIBEDIT
	EditLine *el;
	History *history;
	HistEvent event;
	char *file; /* of the history; NULL: not kept */
	FILE *in;
	bool is_dropped; /* Ctrl-C dropped the line */
#endif
};

/* --- plain lines --- */

/* Drop the line that was returned. */
static void
drop_read(struct edit *e)
{
	e->ahead.n -= e->at;
	if (e->at && e->ahead.n)
		memmove(e->ahead.data, e->ahead.data + e->at, e->ahead.n);
	e->at = 0;
}

/*
 * Without stdio, which would share the position in a script with the children
 * of the session; they reset it when they exit.
 */
static char *
plain_line(struct edit *e)
{
	char chunk[4096], *line = NULL, *end = NULL;
	bool is_done = false;
	ssize_t n;

	if (e->s->is_terminal) {
		fputs(prompt, e->out);
		fflush(e->out);
	}
	while (!end) {
		if (e->at < e->ahead.n) {
			line = (char *)e->ahead.data + e->at;
			end = memchr(line, '\n', e->ahead.n - e->at);
		}
		if (is_done && e->at == e->ahead.n)
			return NULL;
		if (is_done && !end)
			end = line + (e->ahead.n - e->at);
		if (end)
			break;
		n = read(e->fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		is_done = n <= 0;
		if (is_done)
			continue;
		drop_read(e);
		if (buf_add(&e->ahead, chunk, (size_t)n) < 0)
			die_nomem();
	}
	n = end - line;
	e->at += (size_t)n;
	if (e->at < e->ahead.n)
		e->at++;
	line = strndup(line, (size_t)n);
	if (!line)
		die_nomem();
	return line;
}

/* --- edited lines --- */

#if HAVE_LIBEDIT
static char *
get_prompt(EditLine *el)
{
	static char text[] = "(pprof) ";

	(void)el;
	return text;
}

/* Tab: insert the common prefix of all candidates, or list them. */
static unsigned char
on_tab(EditLine *el, int key)
{
	const LineInfo *li = el_line(el);
	size_t typed, common, n = (size_t)(li->cursor - li->buffer);
	struct completion c;
	struct edit *e;

	(void)key;
	el_get(el, EL_CLIENTDATA, &e);
	complete(e->s, li->buffer, n, &c);
	typed = n - c.from;
	common = completion_common(&c);
	if (c.n == 1 || common > typed ||
	    (c.n && strncmp(c.word[0], li->buffer + c.from, typed) != 0 &&
	     common)) {
		char *text = strndup(c.word[0], common);
		int chars = 0;

		if (!text)
			die_nomem();
		for (size_t i = c.from; i < n; i++)
			chars += (li->buffer[i] & 0xc0) != 0x80;
		/* What is not UTF-8 can't be edited. */
		if (mbstowcs(NULL, text, 0) != (size_t)-1) {
			el_deletestr(el, chars);
			el_insertstr(el, text);
			/* No blank after '=', before the value. */
			if (c.n == 1 && common && text[common - 1] != '=')
				el_insertstr(el, " ");
		}
		free(text);
	} else if (c.n) {
		fputc('\n', e->out);
		for (size_t i = 0; i < c.n && i < 200; i++)
			fprintf(e->out, "%s\n", c.word[i]);
		if (c.n > 200)
			fprintf(e->out, "... and %zu more\n", c.n - 200);
		fflush(e->out);
		completion_release(&c);
		return CC_REDISPLAY;
	}
	completion_release(&c);
	return CC_REFRESH;
}

/* Ctrl-C arrives as a key: drop the line. */
static unsigned char
on_interrupt(EditLine *el, int key)
{
	struct edit *e;

	(void)key;
	el_get(el, EL_CLIENTDATA, &e);
	e->is_dropped = true;
	fputs("^C\n", e->out);
	fflush(e->out);
	return CC_NEWLINE;
}

static unsigned char
on_suspend(EditLine *el, int key)
{
	(void)key;
	el_set(el, EL_PREP_TERM, 0);
	raise(SIGTSTP);
	el_set(el, EL_PREP_TERM, 1);
	return CC_REDISPLAY;
}

static void
open_history(struct edit *e)
{
	struct prof_err err;
	char *folder;

	e->history = history_init();
	if (!e->history)
		die_nomem();
	history(e->history, &e->event, H_SETSIZE, 1000);
	history(e->history, &e->event, H_SETUNIQUE, 1);
	el_set(e->el, EL_HIST, history, e->history);
	folder = statedir_path("profpipe", &err);
	if (!folder) {
		warn("no history is kept: %s", err.msg);
		return;
	}
	if (asprintf(&e->file, "%s/prof-shell.history", folder) < 0)
		die_nomem();
	free(folder);
	history(e->history, &e->event, H_LOAD, e->file);
}

static void
open_editor(struct edit *e)
{
	/* As in pprof, names are UTF-8 whatever the locale; libedit drops bytes
	 * that are no characters. */
	setlocale(LC_CTYPE, "C.UTF-8");
	e->in = fdopen(dup(e->fd), "r");
	if (!e->in)
		die("<stdin>: %s", strerror(errno));
	e->el = el_init("prof-shell", e->in, e->out, stderr);
	if (!e->el)
		return; /* an unknown terminal */
	el_set(e->el, EL_CLIENTDATA, e);
	el_set(e->el, EL_PROMPT, get_prompt);
	el_set(e->el, EL_EDITOR, "emacs");
	/* Wide strings, as libedit leaks its copies of narrow ones. */
	el_wset(e->el, EL_ADDFN, L"prof-complete", L"complete", on_tab);
	el_set(e->el, EL_BIND, "^I", "prof-complete", NULL);
	el_wset(e->el, EL_ADDFN, L"prof-interrupt", L"drop", on_interrupt);
	el_wset(e->el, EL_ADDFN, L"prof-suspend", L"suspend", on_suspend);
	open_history(e);
	el_source(e->el, NULL); /* ~/.editrc */
	el_set(e->el, EL_SETTY, "-d", "-isig", NULL);
	el_set(e->el, EL_BIND, "^C", "prof-interrupt", NULL);
	el_set(e->el, EL_BIND, "^Z", "prof-suspend", NULL);
}

static char *
edited_line(struct edit *e)
{
	const char *text;
	char *line;
	int n;

	do {
		e->is_dropped = false;
		text = el_gets(e->el, &n);
		if (!text && n < 0 && errno == EINTR)
			e->is_dropped = true;
		else if (!text || n <= 0)
			return NULL;
	} while (e->is_dropped);
	line = strndup(text, strcspn(text, "\n"));
	if (!line)
		die_nomem();
	if (line[strspn(line, " \t")]) {
		history(e->history, &e->event, H_ENTER, line);
		/* Save now: a session may end with its terminal. */
		if (e->file)
			history(e->history, &e->event, H_SAVE, e->file);
	}
	return line;
}
#endif

struct edit *
edit_new(const struct session *s, int fd)
{
	struct edit *e = calloc(1, sizeof(*e));

	if (!e)
		die_nomem();
	e->s = s;
	e->fd = fd;
	/* Reports may go elsewhere: "prof-shell FILE >reports". */
	e->out = isatty(STDOUT_FILENO) ? stdout : stderr;
#if HAVE_LIBEDIT
	if (s->is_terminal)
		open_editor(e);
#endif
	return e;
}

char *
edit_line(struct edit *e)
{
#if HAVE_LIBEDIT
	if (e->el)
		return edited_line(e);
#endif
	return plain_line(e);
}

void
edit_free(struct edit *e)
{
#if HAVE_LIBEDIT
	if (e->history)
		history_end(e->history);
	if (e->el)
		el_end(e->el);
	if (e->in)
		fclose(e->in);
	free(e->file);
#endif
	buf_release(&e->ahead);
	free(e);
}
