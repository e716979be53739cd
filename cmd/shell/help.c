/* help.c - see help.h. */
#include "config.h"

#include "help.h"

#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "lib/base/escape.h"
#include "lib/model/profile.h"
#include "session.h"

/* The commands that session.c implements. */
static const struct own {
	const char *name, *usage, *brief;
} own[] = {
	{ "exit", "", "end the session" },
	{ "filter", "[REGEX | -REGEX | NAME=VALUE]...",
	  "keep a part of the profile; without words, list the steps" },
	{ "help", "[NAME]", "describe commands and options" },
	{ "options", "", "list the options and their values" },
	{ "quit", "", "end the session" },
	{ "save", "FILE", "write the profile, after its filter steps" },
	{ "undo", "", "take the last filter step back" },
};

enum { N_OWN = sizeof(own) / sizeof(*own) };

static const char usual[] = "[N] [REGEX]... [-REGEX]... [-cum] "
			    "[>FILE | |COMMAND]";

static void
row(const char *name, const char *text)
{
	fprintf(stderr, "    %-16s %s\n", name, text);
}

/* List both tables, merged in order. */
static void
list_commands(void)
{
	const struct command *c;
	size_t k = 0;

	for (size_t i = 0; (c = command_at(i)); i++) {
		for (; k < N_OWN && strcmp(own[k].name, c->name) < 0; k++)
			row(own[k].name, own[k].brief);
		row(c->name, c->brief);
	}
	for (; k < N_OWN; k++)
		row(own[k].name, own[k].brief);
}

static void
list_all(void)
{
	fputs("  Commands:\n", stderr);
	list_commands();
	fputs("\n  Options:\n", stderr);
	for (int k = 0; k < N_SETTING; k++)
		if (setting_rows[k].kind != SETTING_CHOICE)
			row(setting_rows[k].name, setting_rows[k].help);
	fputs("\n  Option groups (only set one per group):\n", stderr);
	for (int k = 0; k < N_SETTING; k++) {
		const char *const *c = setting_rows[k].choices;

		if (!c)
			continue;
		row(setting_rows[k].name, setting_rows[k].help);
		for (; *c; c++)
			fprintf(stderr, "      %s\n", *c);
	}
	fputs("\n  :   clears focus, ignore, hide, tagfocus and tagignore\n"
	      "\n  type \"help <cmd|option>\" for more information\n",
	      stderr);
}

static void
describe_command(const struct command *c)
{
	const char *param = c->param && !c->usage ? " REGEX" : "";

	fprintf(stderr, "%s\n  Usage:\n    %s%s %s\n", c->brief, c->name, param,
		c->usage ? c->usage : usual);
	if (c->to == TO_FILE)
		fprintf(stderr, "    Without >FILE, it goes to profileNNN.%s\n",
			c->extension);
}

static void
describe_setting(const struct session *s, enum setting k)
{
	struct buf types = { 0 };

	fprintf(stderr, "%s\n", setting_rows[k].help);
	if (k != SET_SAMPLE_INDEX)
		return;
	for (size_t i = 0; i < s->p->n_type; i++) {
		const char *type = profile_str(s->p, s->p->type[i].type);

		types.n = 0;
		if (escape_add(&types, ESCAPE_TEXT, type, strlen(type)) == 0)
			fprintf(stderr, "    %.*s\n", (int)types.n,
				(char *)types.data);
	}
	buf_release(&types);
}

void
help_print(struct session *s, const char *word)
{
	const struct command *c = command_find(word);
	enum setting k = settings_find(word);

	if (!*word) {
		list_all();
		return;
	}
	if (c) {
		describe_command(c);
		return;
	}
	for (size_t i = 0; i < N_OWN; i++)
		if (!strcmp(own[i].name, word)) {
			fprintf(stderr, "%s\n  Usage:\n    %s %s\n",
				own[i].brief, own[i].name, own[i].usage);
			return;
		}
	/* pprof does not describe a group as an option. */
	if (k != N_SETTING && strcmp(word, "granularity") != 0)
		describe_setting(s, k);
	else
		session_error(s, "Unknown command: %s", word);
}

const char *
help_own(size_t i)
{
	return i < N_OWN ? own[i].name : NULL;
}
