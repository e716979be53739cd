#!/bin/sh
# referee.sh - one comparison with pprof, for report.t:
#
#	referee.sh PPROF OUT NUMBER FILE PPROF-OPTIONS [OUR-OPTIONS]
#
# Ours are pprof's with two dashes if none are given. Writes OUT/NUMBER.diff when the bodies differ. The pprof of Debian's golang-go
# is of July 2022: it prints the time in another form, no documentation URL, no
# columns in raw; those have rows of their own in text.t. Drawings are compared
# as graphs: every node and edge with every attribute, but not the numbers and
# the order of nodes, which pprof gives at random to nodes that tie; and pprof
# does not escape tags. For the same reason pprof is asked again when the answers
# differ: ours need only be one of its answers. Its -tags has one digit less, and
# percentages of what has the label: the keys, the values, their order and what
# can be seen of the numbers are compared.
pprof=$1 out=$2/$3 file=$4
command=prof-text
ours=${6:-$(echo " $5" | sed 's/ -/ --/g')}
body() {
	sed -e '/^Time: /d' -e '/^Doc: /d' "$1"
}
case $5 in
-raw*)
	body() {
		sed -e '/^Time: /d' -e '/^Doc: /d' \
			-e 's/:\(-*[0-9]*\):[0-9]* s=/:\1 s=/' "$1"
	}
	;;
esac
case $ours in
*--dot*)
	command=prof-dot
	body() {
		sed -E 's/\\lTime: [^\\]*\\l/\\l/; s/\\lDoc: [^\\]*\\l/\\l/
			s/\bN+[0-9]+(_[0-9]+)*\b//g
			s/ id="(node[0-9]+|)"//
			s/"user:cat "q" \\x"/"user:cat \\"q\\" \\\\x"/' "$1" | sort
	}
	;;
esac
# Lines of -tags, in $out.b, are made pprof's where they say the same.
align_tags() {
	awk 'function parse(line) {
			gsub(/ of [^ ]+ \([^)]*\)|\([^)]*\)/, "", line)
			match(line, /[-0-9][0-9.]*[^ :]*/)
			number = substr(line, RSTART, RLENGTH)
			line = substr(line, 1, RSTART - 1) substr(line,
				RSTART + RLENGTH)
			unit = number
			sub(/^[-0-9.]*/, "", unit)
			gsub(/ /, "", line)
			return line
		}
		NR == FNR { theirs[FNR] = $0; next }
		{
			key = parse(theirs[FNR])
			n = number
			u = unit
			same = key == parse($0) && (u == unit || number == 0)
			d = n - number
			print same && d * d < 0.0551 * 0.0551 ? theirs[FNR] : $0
		}' "$out.a" "$out.b" >"$out.c"
	mv "$out.c" "$out.b"
}
ask_pprof() {
	# shellcheck disable=SC2086 # options are words
	$pprof -symbolize=none $1 "$file" >"$out.pprof" 2>"$out.err"
	want=$?
	body "$out.pprof" >"$out.a"
}
ask_pprof "$5"
# shellcheck disable=SC2086 # options are words
$command ${ours#*--dot} "$file" >"$out.ours" 2>"$out.err2"
got=$?
body "$out.ours" >"$out.b"
case $5 in
-tags*) align_tags ;;
esac
if [ $want -ne $got ]; then
	{
		echo "$command $ours $file: status $got, pprof has $want"
		cat "$out.err" "$out.err2"
	} >"$out.diff"
elif [ $want -ne 0 ]; then # the same complaint, after any warnings
	why=$(sed -n 's/^prof-[a-z]*: //;$p' "$out.err2")
	grep -qF -- "$why" "$out.err" || cat "$out.err" "$out.err2" >"$out.diff"
else
	for _ in 1 2 3; do
		cmp -s "$out.a" "$out.b" && break
		ask_pprof "$5"
	done
	cmp -s "$out.a" "$out.b" || {
		echo "$command $ours ${file##*/}"
		diff "$out.a" "$out.b" | head -15 | cat -v
	} >"$out.diff"
fi
rm -f "$out.a" "$out.b" "$out.pprof" "$out.ours" "$out.err" "$out.err2"
