/* line.c - see line.h. Lines are parsed as in pprof. */
#include "config.h"

#include "line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "commands.h"
#include "help.h"
#include "lib/model/profile.h"
#include "lib/report/report.h"
#include "request.h"
#include "run.h"
#include "session.h"
#include "source.h"

static const char blanks[] = " \t\n\v\f\r";

void
session_greet(struct session *s)
{
	const struct report_options o = {
		.sample_index = s->settings.value[SET_SAMPLE_INDEX]
	};
	struct buf head = { 0 };
	struct prof_err err;
	struct report r;

	if (report_init(&r, s->p, &o, &err) == PROF_OK) {
		if (report_head(&r, &head, &err) != PROF_OK)
			die("%s", err.msg);
		fwrite(head.data, 1, head.n, stderr);
		if (r.total == 0 && s->p->n_type > 1)
			session_say("No samples were found with the default "
				    "sample value type.\nTry \"sample_index\" "
				    "command to analyze different sample "
				    "values.\n");
	}
	buf_release(&head);
	session_say("Entering interactive mode (type \"help\" for commands, "
		    "\"o\" for options)");
}

/* --- filter steps --- */

static void
push_step(struct session *s, const char *words, struct profile *after)
{
	struct session_step *grown =
		reallocarray(s->step, s->n_step + 1, sizeof(*grown));

	if (!grown)
		die_nomem();
	s->step = grown;
	grown[s->n_step].before = s->p;
	grown[s->n_step].words = strdup(words);
	if (!grown[s->n_step++].words)
		die_nomem();
	s->p = after;
}

/* What the words of a step keep of s->p; NULL, with an error counted. */
static struct profile *
filtered(struct session *s, const char *words)
{
	struct request r = { .command = command_find("proto") };
	struct profile *after = NULL;
	struct prof_err err;

	if (settings_init(&r.settings) < 0)
		die_nomem();
	settings_put(&r.settings, SET_ALL_FRAMES,
		     s->settings.value[SET_ALL_FRAMES]);
	if (request_filter(&r.settings, words, s->p, &err) != PROF_OK)
		session_error(s, "%s", err.msg);
	else if (!run_into_memory(s, &r, &after))
		after = NULL;
	request_release(&r);
	return after;
}

static void
filter(struct session *s, const char *words)
{
	struct profile *after = *words ? filtered(s, words) : NULL;

	for (size_t i = 0; !*words && i < s->n_step; i++)
		session_say("  %zu  %s", i + 1, s->step[i].words);
	if (after && !after->n_sample) {
		session_error(s, "no sample is left: not filtered");
		profile_free(after);
	} else if (after) {
		push_step(s, words, after);
	}
}

struct profile *
session_read(const struct session *s, struct cli *cli, const char *name)
{
	struct session side = *s;

	side.p = source_read(cli, name, s->source);
	for (size_t i = 0; i < s->n_step; i++) {
		struct profile *after = filtered(&side, s->step[i].words);

		profile_free(side.p);
		side.p = after;
		if (!after)
			exit(CLI_TROUBLE);
		if (after->n_sample)
			continue;
		profile_free(after);
		die("%s: step %zu, %s, leaves nothing", cli_name(name), i + 1,
		    s->step[i].words);
	}
	return side.p;
}

static void
save(struct session *s, const char *words)
{
	struct request r = { .command = command_find("proto") };

	if (!*words) {
		session_error(s, "command save requires an argument");
		return;
	}
	if (settings_init(&r.settings) < 0 || !(r.output = strdup(words)))
		die_nomem();
	/* Unchanged: no frames are dropped. */
	settings_put(&r.settings, SET_ALL_FRAMES, "true");
	run_request(s, &r);
	request_release(&r);
}

/* --- lines --- */

static void
list_options(const struct session *s)
{
	struct buf list = { 0 };

	if (settings_list(&s->settings, s->p, &list) < 0)
		die_nomem();
	fwrite(list.data, 1, list.n, stderr);
	buf_release(&list);
}

/*
 * Handle "name=value", or the name of a switch. Returns false if the line is
 * something else. name, value: scratch of the caller's, trimmed in place.
 */
static bool
assignment(struct session *s, const char *line)
{
	const char *equal = strchr(line, '=');
	size_t n = equal ? (size_t)(equal - line) : strlen(line);
	char *name = strndup(line, n), *value, *remark = NULL;
	struct prof_err err;
	enum setting k;

	if (!name)
		die_nomem();
	while (n && strchr(blanks, name[n - 1]))
		name[--n] = '\0';
	k = settings_find(name);
	if (k == N_SETTING) {
		free(name);
		return false;
	}
	value = strdup(equal ? equal + 1 + strspn(equal + 1, blanks) : "true");
	if (!value)
		die_nomem();
	for (char *at = value; (at = strstr(at, "//:")); at++)
		remark = at;
	if (remark)
		*remark = '\0';
	for (n = strlen(value); n && strchr(blanks, value[n - 1]);)
		value[--n] = '\0';
	if (!equal && setting_rows[k].kind != SETTING_BOOL &&
	    !strcmp(setting_rows[k].name, name))
		session_error(s, "please specify a value, e.g. %s=<val>", name);
	else if (settings_assign(&s->settings, s->p, name, value, &err) !=
		 PROF_OK)
		session_error(s, "%s", err.msg);
	free(value);
	free(name);
	return true;
}

static void
report(struct session *s, const char *line)
{
	struct prof_err err;
	struct request r;

	if (request_parse(&r, line, &s->settings, &err) != PROF_OK)
		session_error(s, "%s", err.msg);
	else
		run_request(s, &r);
	request_release(&r);
}

/* Handle a line that is no shortcut, trimmed. */
static bool
obey(struct session *s, const char *line)
{
	size_t n = strcspn(line, blanks);
	const char *rest = line + n + strspn(line + n, blanks);
	char *word;
	bool goes_on = true;

	if (!*line || assignment(s, line))
		return true;
	word = strndup(line, n);
	if (!word)
		die_nomem();
	if (!strcmp(word, "o") || !strcmp(word, "options"))
		list_options(s);
	else if (!strcmp(word, "q") || !strcmp(word, "quit") ||
		 !strcmp(word, "exit"))
		goes_on = false;
	else if (!strcmp(word, "help"))
		help_print(s, rest);
	else if (!strcmp(word, "filter"))
		filter(s, rest);
	else if (!strcmp(word, "undo"))
		session_undo(s);
	else if (!strcmp(word, "save"))
		save(s, rest);
	else
		report(s, line);
	free(word);
	return goes_on;
}

/*
 * ":" and the names of sample types are shortcuts for assignments. Returns
 * whether the line was one.
 */
static bool
shortcut(struct session *s, const char *line)
{
	static const char *const cleared[] = { "focus=", "ignore=", "hide=",
					       "tagfocus=", "tagignore=" };
	const char *type = line, *mean = NULL;

	if (!strcmp(line, ":")) {
		for (size_t i = 0; i < sizeof(cleared) / sizeof(*cleared); i++)
			assignment(s, cleared[i]);
		return true;
	}
	for (int prefix = 0; prefix < 3; prefix++) {
		if (prefix == 1 && !strncmp(line, "total_", 6))
			type = line + 6, mean = "false";
		else if (prefix == 2 && !strncmp(line, "mean_", 5))
			type = line + 5, mean = "true";
		else if (prefix)
			continue;
		for (size_t i = 0; i < s->p->n_type; i++) {
			if (strcmp(profile_str(s->p, s->p->type[i].type), type))
				continue;
			if (settings_put(&s->settings, SET_SAMPLE_INDEX, type) <
				    0 ||
			    (mean &&
			     settings_put(&s->settings, SET_MEAN, mean) < 0))
				die_nomem();
			return true;
		}
	}
	return false;
}

bool
session_line(struct session *s, const char *line)
{
	size_t n;
	char *copy;
	bool goes_on;

	line += strspn(line, blanks);
	copy = strdup(line);
	if (!copy)
		die_nomem();
	for (n = strlen(copy); n && strchr(blanks, copy[n - 1]);)
		copy[--n] = '\0';
	goes_on = (*copy && shortcut(s, copy)) || obey(s, copy);
	free(copy);
	return goes_on;
}
