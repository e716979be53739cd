#!/bin/sh
# Includes go down the table: a room of cmd/ includes only its own files and
# those of the rooms in its row, and every file is in a room with a row.
. "${srcdir:-.}/tests/lib/tap.sh"

# A row: a room, and what it may include. "lib" stands for all rooms of the
# library, "symbols" for all rooms of symbols/, "libsample" for the layout of
# the memory that prof-record shares with it, and for its unwinder (lib/formats/perf
# has its limits and marks of stacks: unwind/frames.h).
cat >rows <<'END'
lib/base
lib/model        lib/base
lib/wire         lib/base lib/model
lib/formats      lib/base
lib/formats/perf lib/base lib/model libsample
lib/formats/legacy lib/base lib/model lib/formats
lib/formats/exchange lib/base lib/model lib/wire lib/formats lib/formats/perf
lib/stream       lib/base lib/model lib/wire lib/formats lib/formats/legacy lib/formats/exchange
lib/ops          lib/base lib/model
lib/report       lib/base lib/model
lib/report/flame lib/base lib/model lib/wire lib/report
lib/gate         lib/base lib/model lib/report
cli              lib
code             lib cli symbols
graphviz         lib
net              lib
symbols/elf      lib
symbols/dwarf    lib symbols/elf
symbols/lists    lib symbols/elf
symbols/binary   lib symbols/elf symbols/dwarf
symbols/code     lib symbols/elf symbols/dwarf symbols/binary
symbols/names    lib
symbols/net      lib symbols/elf net
symbols/resolve  lib symbols/elf symbols/lists symbols/binary
dot              lib cli graphviz
archive          lib net
fetch            lib cli net archive
filter           lib cli
flame            lib cli
gate             lib cli
history/store    lib
history          lib cli history/store
html             lib cli code graphviz
import           lib cli unwind
export           lib cli
list             lib cli code html
merge            lib cli
record           lib cli symbols unwind libsample archive
record/perf      lib cli symbols unwind libsample record archive
record/run       lib cli symbols unwind libsample record record/perf archive
shell            lib cli dot flame gate html list text
symbolize        lib cli symbols net
text             lib cli
thin             lib cli
unwind           lib libsample unwind/arch
unwind/arch
libsample        libsample/unwind libsample/interp
libsample/interp libsample/unwind
libsample/unwind libsample/unwind/arch
libsample/unwind/arch
END

# The files that include each other: FILE INCLUDED, from cmd/ on, or libsample/.
# *-data.h is made by the build of files in the room that it is named for.
(cd "$src" && find cmd libsample -name '*.[ch]' | sort) >paths
sed 's|^cmd/||' paths >all
here=$PWD
(cd "$src" && xargs awk -v all="$here/all" '
	BEGIN { while ((getline f <all) > 0) have[f] }
	sub(/^[ \t]*#[ \t]*include[ \t]*"/, "") {
		sub(/".*/, "")
		from = near = FILENAME
		sub("^cmd/", "", from)
		near = from
		sub("[^/]*$", $0, near)
		if ($0 == "config.h" || $0 == "profile.pb-c.h")
			next
		if (near in have)
			print from, near
		else if (/^libsample/ && !/^libsample.(shm|unwind.[a-z]*).h$/ &&
			 from != "unwind/foreign.c") # compiles them again
			print from, "?/" $0
		else if (($0 in have) || /-data.h$/)
			print from, $0
		else
			print from, "?/" $0
	}' <"$here/paths") >includes
grep / all >files
if [ "$(wc -l <includes)" -gt "$(wc -l <all)" ]; then
	ok 'includes are found'
else
	wc -l includes all | not_ok 'includes are found'
fi

awk '
	function room(f) { sub("/[^/]*$", "", f); return f }
	FILENAME == "rows" {
		known[$1] = 1
		for (i = 2; i <= NF; i++)
			may[$1, $i] = 1
		next
	}
	$1 !~ "/" { next } # a command file: below
	{ from = room($1); to = room($2); top = to; sub("/.*", "", top) }
	from != to && !((from, to) in may) && !((from, top) in may) {
		print $1 " includes " $2
	}' rows includes >.bad
if [ -s .bad ]; then
	not_ok 'includes go down the table' <.bad
else
	ok 'includes go down the table'
fi

# The room that is named for a command is its own: what a second one needs is
# in a room that is not. prof-shell runs the reports of others, and prof-list's
# --weblist is prof-html's page.
(cd "$src/cmd" && ls prof-*.c) | sed 's/^prof-\(.*\)\.c$/\1/' >commands
awk '
	function top(f) { sub("/.*|\\.c$", "", f); sub("^prof-", "", f); return f }
	FILENAME == "commands" { is_command[$1] = 1; next }
	top($1) != top($2) && top($2) in is_command &&
		$1 !~ "^shell/(reports|commands)\\.c$" &&
		($1 " " $2) !~ "^list/report\\.c html/" { print $1 " includes " $2 }
	' commands includes >.bad
if [ -s .bad ]; then
	not_ok "a command's room is its own" <.bad
else
	ok "a command's room is its own"
fi

# A circle of files, a .c and its .h being one, is the inside of one module: of
# its headers all but one, its face, are included by nobody else (but files
# without a header in the same room, which are parts of it).
awk '
	function unit(f) { sub("[.][ch]$", "", f); return f }
	function room(f) { sub("/[^/]*$", "", f); return f }
	function reach(from, to, i, n, it) {
		n = split(out[to], it, " ")
		for (i = 1; i <= n; i++)
			if (!((from, it[i]) in far)) {
				far[from, it[i]]
				reach(from, it[i])
			}
	}
	function circle(u, v) { return (u, v) in far && (v, u) in far }
	FILENAME == "all" { if (/h$/) has_header[unit($0)]; next }
	{ u = unit($1); v = unit($2); user[$2] = user[$2] " " u }
	u != v { out[u] = out[u] " " v; out[v] = out[v] "" }
	END {
		for (u in out)
			reach(u, u)
		for (u in out) {
			n_face = 0
			members = ""
			for (v in out) {
				if (!circle(u, v))
					continue
				members = members " " v
				n = split(user[v ".h"], of, " ")
				for (i = 1; i <= n; i++)
					if (!circle(u, of[i]) && (of[i] in has_header ||
					    room(of[i]) != room(v))) {
						n_face++
						break
					}
			}
			if (n_face > 1)
				print u ": in a circle:" members
		}
	}' all includes | sort >.bad
if [ -s .bad ]; then
	not_ok 'circles are inside a module' <.bad
else
	ok 'circles are inside a module'
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

# Names come from profiles and from other processes, and to open a device or a
# pipe may start something, or wait. So files are opened by lib/base/regular.h,
# written by lib/base/outfile.h, and those of /proc read by record/procfs.h and looked
# at by record/look.h.
# Constant names are no danger.
cat >doors <<'END'
lib/base/regular.c the door
lib/base/outfile.c files that are written
record/procfs.c    /proc and /sys
record/look.c      what other processes have
cli/sandbox.c      what the kernel is to allow, without opening it (O_PATH)
html/embed.c       of the build alone
END
(cd "$src/cmd" && grep -rlE --include='*.c' \
	'(^|[^a-z0-9_.>])(open|openat|fopen|opendir|creat|mkos?temps?)\(([^"]|$)' . |
	sed 's|^\./||' | sort) >opens
awk '{ print $1 }' doors | sort >named
if comm -23 opens named | grep . >.bad; then
	sed 's|$|: open files by lib/base/regular.h|' .bad |
		not_ok 'files are opened at one door'
elif comm -13 opens named | grep . >.bad; then
	sed 's|$| opens nothing|' .bad | not_ok 'files are opened at one door'
else
	ok 'files are opened at one door'
fi
plan
