# compare.sh - sourced by the tests that hold many reports against pprof's: rows
# first, then all of them at once, two at a time. $pprof is the referee.

# row FILE PPROF-OPTIONS [OUR-OPTIONS]: a comparison to make.
n=0
row() {
	n=$((n + 1))
	printf '%s\0%s\0%s\0%s\0' "$n" "$1" "$2" \
		"${3-$(echo " $2" | sed 's/ -/ --/g')}" >>rows
	echo "${1##*/} $2" >>names
}

# compare KNOWN: make them. KNOWN lists the differences that are known, "FILE
# OPTIONS" as a pattern, a tab, the reason; sorted. A comparison is green, or
# known, or not ok; a known one that is green is not ok either, so that the list
# can only shrink: unless pprof draws lots, "at random" at the end of the reason.
compare() {
	mkdir out
	xargs -0 -n 4 -P 2 sh "$src/tests/referee.sh" "$pprof" out <rows
	i=0
	while read -r name; do
		i=$((i + 1))
		why=$(awk -v n="$name" 'BEGIN { FS = "\t" }
			!/^#/ && n ~ "^" $1 "$" { print $2; exit }' "$1")
		if [ -s "out/$i.diff" ] && [ -z "$why" ]; then
			not_ok "as pprof: $name" <"out/$i.diff"
		elif [ ! -s "out/$i.diff" ] && [ -n "$why" ] &&
			[ "${why%at random}" = "$why" ]; then
			echo "remove it from ${1##*/}" >.why
			not_ok "as pprof now: $name" <.why
		else
			ok "as pprof${why:+, but for $why}: $name"
		fi
	done <names
}
