#!/bin/sh
# Writes rooms.am, which Makefile.am includes: the sources of each folder of cmd/
# and libsample/, as $(cmd_lib_base) for cmd/lib/base. Not those that Makefile.am
# names itself, above its tests. autoconf runs it, and make when a file came or went.
cd "$(dirname "$0")/.." || exit
find cmd libsample -name '*.c' | sed 's|\(.*\)/|\1 |' | LC_ALL=C sort | awk '
	BEGIN {
		while ((getline line < "Makefile.am") > 0 && line !~ /^# --- tests/) {
			n = split(line, words)
			for (i = 1; i <= n; i++)
				named[words[i]] = 1
		}
	}
	($1 "/" $2) in named { next }
	{
		room = $1
		gsub("[/-]", "_", room)
		if (room != last)
			printf "%s%s =", last ? "\n\n" : "", room
		last = room
		printf " \\\n\t%s/%s", $1, $2
	}
	END { print "" }' >rooms.am.$$
if cmp -s rooms.am.$$ rooms.am; then
	rm -f rooms.am.$$
else
	mv rooms.am.$$ rooms.am
fi
