#!/bin/sh
# Writes sources.am, which Makefile.am includes: the sources of each folder of cmd/
# and libsample/, as $(cmd_lib_base) for cmd/lib/base, but those that Makefile.am
# names itself, above its tests; and the programs of folders of tests/, a source
# each, as $(tests_fuzz), but those of which it names the program or the source
# (in tests/programs it names all that are built).
# autoconf runs it, and make when a file came or went.
cd "$(dirname "$0")/.." || exit
find cmd libsample tests/bench tests/fuzz tests/lib tests/programs tests/unit -name '*.c' \
	-o -name '*.cc' |
	sed 's|\(.*\)/|\1 |' | LC_ALL=C sort | awk '
	BEGIN {
		while ((getline line < "Makefile.am") > 0) {
			are_tests = are_tests || line ~ /^# --- tests/
			n = split(line, words)
			for (i = 1; i <= n; i++)
				if (are_tests)
					tested[words[i]] = 1
				else
					named[words[i]] = 1
		}
	}
	($1 "/" $2) in named { next }
	{
		room = $1
		item = $1 "/" $2
		gsub("[/-]", "_", room)
	}
	room ~ /^tests/ {
		if (item in tested)
			next
		sub(/[.]cc?$/, "", item)
		if ($1 == "tests/fuzz")
			sub("fuzz/", "fuzz-", item)
		else
			sub("lib/|bench/|programs/", "", item)
		if ($1 ~ /^tests.programs/ && !(item in tested))
			next
		name = item
		gsub("[/-]", "_", name)
		sources = sources name "_SOURCES = " $1 "/" $2 "\n"
		if (item in tested)
			next
	}
	{
		if (room != last)
			printf "%s%s =", last ? "\n\n" : "", room
		last = room
		printf " \\\n\t%s", item
	}
	END { printf "\n\n%s", sources }' >sources.am.$$
if cmp -s sources.am.$$ sources.am; then
	rm -f sources.am.$$
else
	mv sources.am.$$ sources.am
fi
