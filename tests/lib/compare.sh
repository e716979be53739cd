# compare.sh - sourced by the tests that hold many reports against pprof's: rows
# first, then all of them at once, two at a time. $pprof is the referee.

# row FILE PPROF-OPTIONS [OUR-OPTIONS]: a comparison to make. Ours are pprof's with
# two dashes if none are given.
n=0
row() {
	n=$((n + 1))
	printf '%s\0%s\0%s\0%s\0' "$n" "$1" "$2" "${3-}" >>rows
	echo "${1##*/} $2" >>names
}

# cover: rows as a product of files and options are many. Of those with the same
# options every tenth is kept, beginning at another file for each options: so
# each options are tried, on a file at least, and each file with a tenth of them.
# The other nine tenths are for PROF_LONG (make check-long).
cover() {
	awk '{
		options = $0
		sub(/^[^ ]* ?/, "", options)
		if (!(options in id))
			id[options] = n_id++
		of[NR] = options
		nth[NR] = count[options]++
	}
	END {
		for (i = 1; i <= NR; i++) {
			step = count[of[i]] < 10 ? count[of[i]] : 10
			print i, nth[i] % step == id[of[i]] % step
		}
	}' names >kept
	awk 'NR == FNR { kept[$1] = $2; next } kept[FNR]' kept names >names.few
	tr '\0\n' '\n\001' <rows | awk '
		NR == FNR { kept[$1] = $2; next }
		{ i = int((FNR - 1) / 4) + 1 }
		kept[i] { print FNR % 4 == 1 ? ++n : $0 }' kept - |
		tr '\n\001' '\0\n' >rows.few
	mv names.few names
	mv rows.few rows
}

# compare KNOWN: make them. KNOWN lists the differences that are known, "FILE
# OPTIONS" as a pattern, a tab, the reason; sorted. A comparison is green, or
# known, or not ok; a known one that is green is not ok either, so that the list
# can only shrink: unless pprof draws lots ("at random" at the end of the reason),
# or another version of it is right ("later pprofs show").
compare() {
	mkdir out
	[ -n "$long" ] || cover
	xargs -0 -n 4 -P 2 sh "$src/tests/lib/referee.sh" "$pprof" out <rows
	i=0
	while read -r name; do
		i=$((i + 1))
		why=$(awk -v n="$name" 'BEGIN { FS = "\t" }
			!/^#/ && n ~ "^" $1 "$" { print $2; exit }' "$1")
		if [ -s "out/$i.diff" ] && [ -z "$why" ]; then
			not_ok "as pprof: $name" <"out/$i.diff"
		elif [ ! -s "out/$i.diff" ] && [ -n "$why" ] &&
			[ "${why%at random}" = "$why" ] &&
			[ "${why%later pprofs show}" = "$why" ]; then
			echo "remove it from ${1##*/}" >.why
			not_ok "as pprof now: $name" <.why
		else
			ok "as pprof${why:+, but for $why}: $name"
		fi
	done <names
}
