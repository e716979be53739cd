#!/bin/sh
# Includes go down the table: a room of cmd/ includes only its own files and
# those of the rooms in its row, and every file is in a room with a row.
. "${srcdir:-.}/tests/lib/tap.sh"

# A row: a room, and what it may include. "lib" stands for all rooms of the
# library, "symbols" for all rooms of symbols/, "libsample" for the layout of
# the memory that prof-record shares with it, and for its unwinder.
cat >rows <<'END'
lib/base
lib/model        lib/base
lib/wire         lib/base lib/model
lib/formats      lib/base
lib/formats/perf lib/base lib/model
lib/formats/legacy lib/base lib/model lib/formats
lib/formats/exchange lib/base lib/model lib/wire lib/formats lib/formats/perf
lib/stream       lib/base lib/model lib/wire lib/formats lib/formats/legacy lib/formats/exchange
lib/ops          lib/base lib/model
lib/report       lib/base lib/model
lib/report/flame lib/base lib/model lib/report
lib/gate         lib/base lib/model lib/report
cli              lib
net              lib
symbols/elf      lib
symbols/dwarf    lib symbols/elf
symbols/lists    lib symbols/elf
symbols/binary   lib symbols/elf symbols/dwarf
symbols/code     lib symbols/elf symbols/dwarf symbols/binary
symbols/names    lib
symbols/net      lib symbols/elf net
symbols/resolve  lib symbols/elf symbols/lists symbols/binary
dot              lib cli
archive          lib net
fetch            lib cli net archive
filter           lib cli
flame            lib cli
gate             lib cli
history/store    lib
history          lib cli gate history/store
html             lib cli list gate
import           lib cli unwind
export           lib cli
list             lib cli symbols net
merge            lib cli
record           lib cli symbols unwind libsample archive
record/perf      lib cli symbols unwind libsample record archive
shell            lib cli dot flame gate html list text
symbolize        lib cli symbols net
text             lib cli
thin             lib cli
unwind           lib libsample
END

# *-data.h is made by the build of files in the room that it is named for.
# The files that include each other: FILE INCLUDED, both from cmd/ on.
(cd "$src/cmd" && find . -mindepth 2 -name '*.[ch]' | sed 's|^\./||' | sort) >files
while read -r f; do
	sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\([^"]*\)".*/\1/p' "$src/cmd/$f" |
		while read -r i; do
			if [ -e "$src/cmd/${f%/*}/$i" ]; then
				echo "$f ${f%/*}/$i"
			elif [ -e "$src/cmd/$i" ]; then
				echo "$f $i"
			elif [ "${i%-data.h}" != "$i" ] ||
				[ "$i" = libsample/shm.h ] ||
				[ "${i%/*}" = libsample/unwind ]; then
				echo "$f $i"
			elif [ "$i" != config.h ] &&
				[ "$i" != profile.pb-c.h ]; then
				echo "$f ?/$i"
			fi
		done
done <files >includes

awk '
	function room(f) { sub("/[^/]*$", "", f); return f }
	FILENAME == "rows" {
		known[$1] = 1
		for (i = 2; i <= NF; i++)
			may[$1, $i] = 1
		next
	}
	{ from = room($1); to = room($2); top = to; sub("/.*", "", top) }
	from != to && !((from, to) in may) && !((from, top) in may) {
		print $1 " includes " $2
	}' rows includes >.bad
if [ -s .bad ]; then
	not_ok 'includes go down the table' <.bad
else
	ok 'includes go down the table'
fi

# A row that matches nothing, or a file without a row, would hide mistakes.
sed 's|/[^/]*$||' files | sort -u >rooms
awk '{ print $1 }' rows | sort >named
while read -r room; do
	if grep -qx "$room" rooms; then
		ok "$room has files"
	else
		echo "$room" | not_ok "$room has files"
	fi
done <named
if comm -23 rooms named | grep . >.bad; then
	not_ok 'every room has a row' <.bad
else
	ok 'every room has a row'
fi
plan
