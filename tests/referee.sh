#!/bin/sh
# referee.sh - one comparison with pprof, for report.t:
#
#	referee.sh PPROF OUT NUMBER FILE PPROF-OPTIONS OUR-OPTIONS
#
# Writes OUT/NUMBER.diff when the bodies differ. The pprof of Debian's golang-go
# is of July 2022: it prints the time in another form, no documentation URL, and
# does not know which frames to drop when names were not demangled; those lines
# have rows of their own. Drawings are compared as graphs: every node and edge
# with every attribute, but not the numbers and the order of nodes, which pprof
# gives at random to nodes that tie; and pprof does not escape tags.
pprof=$1 out=$2/$3 file=$4
# shellcheck disable=SC2086 # options are words
$pprof -symbolize=none $5 "$file" >"$out.pprof" 2>"$out.err" || {
	cat "$out.err" >"$out.diff"
	exit 0
}
command=prof-text
case $6 in
*--dot*)
	command=prof-dot
	graph() {
		sed -E 's/\\lTime: [^\\]*\\l/\\l/; s/\\lDoc: [^\\]*\\l/\\l/
			s/\bN+[0-9]+(_[0-9]+)*\b//g
			s/ id="(node[0-9]+|)"//
			s/"user:cat "q" \\x"/"user:cat \\"q\\" \\\\x"/' "$1" | sort
	}
	;;
*)
	graph() {
		sed -e '/^Time: /d' -e '/^Doc: /d' "$1"
	}
	;;
esac
# shellcheck disable=SC2086
$command ${6#--dot} "$file" >"$out.ours" 2>"$out.err" || cat "$out.err" >>"$out.ours"
graph "$out.pprof" >"$out.a"
graph "$out.ours" >"$out.b"
cmp -s "$out.a" "$out.b" || {
	echo "$command $6 ${file##*/}"
	diff "$out.a" "$out.b" | head -15 | cat -v
} >"$out.diff"
rm -f "$out.a" "$out.b" "$out.pprof" "$out.ours" "$out.err"
