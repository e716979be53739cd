/* pprof-hint.c - see pprof-hint.h. */
#include "config.h"

#include "pprof-hint.h"

#include <stdbool.h>
#include <string.h>

static const struct {
	const char *option, *command;
} table[] = {
	{ "base", "prof-diff --base" },
	{ "buildid", "prof-symbolize --buildid" },
	{ "call-tree", "prof-dot --call-tree" },
	{ "callgrind", "prof-export --to callgrind" },
	{ "comments", "prof-text --comments" },
	{ "diff-base", "prof-diff --diff-base" },
	{ "disasm", "prof-list --disasm" },
	{ "dot", "prof-dot" },
	{ "gif", "prof-dot -T gif" },
	{ "http", "prof-html FILE --open" },
	{ "intel-syntax", "prof-list --intel-syntax" },
	{ "interactive", "prof-shell" },
	{ "kcachegrind", "prof-export --to callgrind" },
	{ "list", "prof-list --list" },
	{ "normalize", "prof-diff --normalize" },
	{ "pdf", "prof-dot -T pdf" },
	{ "peek", "prof-text --peek" },
	{ "pid", "prof-record --pid" },
	{ "png", "prof-dot -T png" },
	{ "proto", "prof-merge" },
	{ "ps", "prof-dot -T ps" },
	{ "raw", "prof-text --raw" },
	{ "seconds", "prof-fetch --seconds" },
	{ "svg", "prof-dot -T svg" },
	{ "symbolize", "prof-symbolize" },
	{ "tags", "prof-text --tags" },
	{ "text", "prof-text" },
	{ "timeout", "prof-fetch --timeout" },
	{ "top", "prof-text" },
	{ "topproto", "prof-shell -e topproto" },
	{ "traces", "prof-text --traces" },
	{ "tree", "prof-text --tree" },
	{ "web", "prof-dot -T svg" },
	{ "weblist", "prof-list --weblist" },
};

static bool
is_same(const char *option, const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (option[i] != (name[i] == '_' ? '-' : name[i]))
			return false;
	return !option[n];
}

const char *
pprof_hint(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (is_same(table[i].option, name, n))
			return table[i].command;
	return NULL;
}
