#!/bin/sh
# referee.sh - one comparison with pprof, for report.t:
#
#	referee.sh PPROF OUT NUMBER FILE PPROF-OPTIONS OUR-OPTIONS
#
# Writes OUT/NUMBER.diff when the bodies differ. The pprof of Debian's golang-go
# is of July 2022: it prints the time in another form, no documentation URL, and
# does not know which frames to drop when names were not demangled; those lines
# have rows of their own.
pprof=$1 out=$2/$3 file=$4
# shellcheck disable=SC2086 # options are words
$pprof -symbolize=none $5 "$file" >"$out.pprof" 2>"$out.err" || {
	cat "$out.err" >"$out.diff"
	exit 0
}
# shellcheck disable=SC2086
prof-text $6 "$file" >"$out.ours" 2>"$out.err" || cat "$out.err" >>"$out.ours"
sed '/^Time: /d' "$out.pprof" >"$out.a"
sed -e '/^Time: /d' -e '/^Doc: /d' "$out.ours" >"$out.b"
cmp -s "$out.a" "$out.b" || {
	echo "prof-text $6 ${file##*/}"
	diff "$out.a" "$out.b" | head -15 | cat -v
} >"$out.diff"
rm -f "$out.a" "$out.b" "$out.pprof" "$out.ours" "$out.err"
