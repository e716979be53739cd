/* refuse.c - see refuse.h. */
#include "config.h"

#include "refuse.h"

#include <ctype.h>
#include <getopt.h>
#include <string.h>

/* Options of pprof, and what else its users and others try, and what to run. */
static const struct {
	const char *option, *command;
} table[] = {
	{ "base", "prof-diff --base" },
	{ "buildid", "prof-symbolize --buildid" },
	{ "call-tree", "prof-dot --call-tree" },
	{ "callgrind", "prof-export --to callgrind" },
	{ "children", "prof-text --cum" },
	{ "comments", "prof-text --comments" },
	{ "cum", "prof-text --cum" },
	{ "diff", "prof-diff BASE NEW | ..." },
	{ "diff-base", "prof-diff --diff-base" },
	{ "disasm", "prof-list --disasm" },
	{ "dot", "prof-dot" },
	{ "duration", "prof-record --seconds" },
	{ "eog", "prof-dot -T png" },
	{ "evince", "prof-dot -T pdf" },
	{ "flame", "prof-flame" },
	{ "flamegraph", "prof-flame" },
	{ "focus", "prof-filter --focus" },
	{ "folded", "prof-text --folded" },
	{ "format", "prof-export --to" },
	{ "from", "prof-import --from" },
	{ "gif", "prof-dot -T gif" },
	{ "granularity", "prof-text --lines" },
	{ "graph", "prof-dot" },
	{ "grep", "prof-filter --focus" },
	{ "gv", "prof-dot -T ps" },
	{ "hide", "prof-filter --hide" },
	{ "html", "prof-html" },
	{ "http", "prof-html FILE --open" },
	{ "ignore", "prof-filter --ignore" },
	{ "intel-syntax", "prof-list --intel-syntax" },
	{ "interactive", "prof-shell" },
	{ "json", "prof-text --json" },
	{ "kcachegrind", "prof-export --to callgrind" },
	{ "keep", "prof-thin --help" },
	{ "list", "prof-list --list" },
	{ "n", "prof-text --nodecount" },
	{ "no-children", "prof-text" },
	{ "no-demangle", "prof-symbolize --demangle=none" },
	{ "nodecount", "prof-text --nodecount" },
	{ "normalize", "prof-diff --normalize" },
	{ "pdf", "prof-dot -T pdf" },
	{ "peek", "prof-text --peek" },
	{ "percent-limit", "prof-text --nodefraction" },
	{ "pid", "prof-record --pid" },
	{ "png", "prof-dot -T png" },
	{ "port", "prof-html FILE --open" },
	{ "proto", "prof-merge" },
	{ "prune-from", "prof-filter --prune-from" },
	{ "ps", "prof-dot -T ps" },
	{ "raw", "prof-text --raw" },
	{ "seconds", "prof-fetch --seconds" },
	{ "serve", "prof-html FILE --open" },
	{ "show", "prof-filter --show" },
	{ "show-from", "prof-filter --show-from" },
	{ "speedscope", "prof-export --to speedscope" },
	{ "stdio", "prof-text" },
	{ "svg", "prof-dot -T svg" },
	{ "symbolize", "prof-symbolize" },
	{ "symfs", "prof-symbolize --search-path" },
	{ "tagfocus", "prof-filter --tagfocus" },
	{ "taghide", "prof-filter --taghide" },
	{ "tagignore", "prof-filter --tagignore" },
	{ "tagleaf", "prof-filter --tagleaf" },
	{ "tagroot", "prof-filter --tagroot" },
	{ "tags", "prof-text --tags" },
	{ "tagshow", "prof-filter --tagshow" },
	{ "text", "prof-text" },
	{ "thread", "prof-filter --tagfocus=thread=NAME" },
	{ "timeout", "prof-fetch --timeout" },
	{ "top", "prof-text" },
	{ "topproto", "prof-shell -e topproto" },
	{ "traces", "prof-text --traces" },
	{ "tree", "prof-text --tree" },
	{ "web", "prof-dot -T svg" },
	{ "weblist", "prof-list --weblist" },
	{ "where", "prof-filter --where" },
};

/* Is option the n bytes of name, in which '_' is '-'? */
static bool
is_same(const char *option, const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (option[i] != (name[i] == '_' ? '-' : name[i]))
			return false;
	return !option[n];
}

const char *
refuse_elsewhere(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (is_same(table[i].option, name, n))
			return table[i].command;
	return NULL;
}

/* The long option of that name, or NULL. */
static const char *
own_option(const struct cli *cli, const char *name, size_t n)
{
	const struct option *o = cli->getopt;

	while (o->name && !is_same(o->name, name, n))
		o++;
	return o->name;
}

/* Do the n bytes of word become name by one change: a letter more, less or
 * other, or two that are swapped? */
static bool
is_near(const char *name, const char *word, size_t n)
{
	size_t len = strlen(name), same = 0, end = 0;

	while (same < n && same < len && name[same] == word[same])
		same++;
	while (end < n - same && end < len - same &&
	       name[len - 1 - end] == word[n - 1 - end])
		end++;
	n -= same + end;
	len -= same + end;
	return (n <= 1 && len <= 1) ||
	       (n == 2 && len == 2 && name[same] == word[same + 1] &&
		name[same + 1] == word[same]);
}

/* Die if word may be meant to be another option with two dashes. */
static void
refuse_near(const struct cli *cli, const char *word, const char *name, size_t n)
{
	const char *first = NULL, *second = NULL;
	const struct option *o;

	for (o = cli->getopt; o->name; o++) {
		if (!n || strncmp(o->name, name, n) != 0)
			continue;
		second = first ? o->name : NULL;
		first = first ? first : o->name;
	}
	if (second)
		die("option '%s' is ambiguous: --%s or --%s", word, first,
		    second);
	if (first)
		die("option '--%s' takes no argument", first);
	for (o = cli->getopt; n > 2 && o->name; o++)
		if (is_near(o->name, name, n))
			die("unknown option '%s': --%s?", word, o->name);
}

/* Die of a letter that is an option as another case, and of head's -10. */
static void
refuse_letter(const struct cli *cli, const char *word)
{
	char letter = (char)(isupper((unsigned char)word[1])
				     ? tolower((unsigned char)word[1])
				     : toupper((unsigned char)word[1]));

	if (isalpha((unsigned char)letter) && strchr(cli->shorts, letter))
		die("unknown option '%s': -%c?", word, letter);
	if (isdigit((unsigned char)letter) && own_option(cli, "nodecount", 9))
		die("unknown option '%s': --nodecount=%s?", word, word + 1);
}

void
refuse_option(const struct cli *cli, const char *word)
{
	const char *name = word + strspn(word, "-"), *other;
	size_t n = strcspn(name, "="), n_dash = (size_t)(name - word);

	other = n ? own_option(cli, name, n) : NULL;
	if (other && n_dash == 1)
		die("unknown option '%s': long options begin with two dashes: "
		    "--%s",
		    word, other);
	if (other)
		die("option '--%s' takes no argument", other);
	for (const struct cli_hint *h = cli->cmd->hints; h && h->option; h++)
		if (is_same(h->option, name, n))
			die("unknown option '%s': %s", word, h->text);
	other = refuse_elsewhere(name, n);
	if (other && !strcmp(other, cli->cmd->name))
		die("unknown option '%s': leave it out: %s does that", word,
		    other);
	if (other)
		die("unknown option '%s': see %s", word, other);
	if (n_dash == 2)
		refuse_near(cli, word, name, n);
	else if (n)
		refuse_letter(cli, word);
	die("unknown option '%s' (see %s --help)", word, cli->cmd->name);
}

void
refuse_one_dash(const struct cli *cli, const char *word)
{
	size_t n = strcspn(word, "=");

	if (word[0] == '-' && word[1] != '-' && n > 3 &&
	    (own_option(cli, word + 1, n - 1) ||
	     refuse_elsewhere(word + 1, n - 1)))
		refuse_option(cli, word);
}

bool
refuse_is_elsewhere(const struct cli *cli, const char *word)
{
	size_t n;

	if (strncmp(word, "--", 2) != 0)
		return false;
	word += 2;
	n = strcspn(word, "=");
	return n && !own_option(cli, word, n) && refuse_elsewhere(word, n);
}
