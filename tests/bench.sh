#!/bin/sh
# bench.sh - the table of `make bench`: what commands cost, beside the referee
# that people use today (go tool pprof) and beside the physical floor (inflate
# and one walk over the bytes), all in one run on one machine.
#
#	bench.sh [GROUP...]	groups: text reports algebra symbols (all)
#	BENCH_RUNS=N		best of N runs (3); the referee on big runs once
#	BENCH_REFEREE=no	leave out the referee
set -eu

runs=${BENCH_RUNS:-3}
bin=${abs_builddir:?run by make bench}
src=${abs_srcdir:?run by make bench}
PATH=$bin:$bin/tests:$PATH
LC_ALL=C
export PATH LC_ALL
work=$bin/bench
mkdir -p "$work"
cd "$work"

referee=${BENCH_REFEREE:-yes}
command -v go >/dev/null || {
	echo "bench: no go, so no referee" >&2
	referee=no
}
pprof='go tool pprof -symbolize=none'
PPROF_TMPDIR=$work/tmp
export PPROF_TMPDIR

[ -s big.pb.gz ] || mkbig 500000 40000 15000 1 >big.pb.gz
[ -s big2.pb.gz ] || mkbig 500000 40000 15000 2 >big2.pb.gz
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
	[ -s mid$i.pb.gz ] || mkbig 20000 3000 1500 $i >mid$i.pb.gz
done
real=$src/testdata/good-go-cpu-long.pb.gz
small=$src/testdata/good-go-heap.pb.gz

raw_mb() {
	for f; do
		gunzip -c "$f"
	done | wc -c | awk '{ print $1 / 1e6 }'
}

floor_of() {
	measure "$runs" "for f in $*; do floor \$f; done" | cut -d' ' -f1
}

# row NAME REFEREE-RUNS INPUTS OURS THEIRS: one line of the table. REFEREE-RUNS
# 0 leaves the referee out.
row() {
	mb=$(raw_mb $3)
	# shellcheck disable=SC2046 # two words
	set -- "$@" $(measure "$runs" "$4") $(floor_of $3)
	if [ "$referee" = yes ] && [ "$2" -gt 0 ]; then
		# shellcheck disable=SC2046
		set -- "$@" $(measure "$2" "$5")
	else
		set -- "$@" - -
	fi
	echo "$1|$mb|$6|$7|$8|$9|${10}" | awk -F'|' '
		function n(x, f) { return x == "-" ? "-" : sprintf(f, x) }
		$3 == "-" { printf "| %-28s | failed |\n", $1; exit }
		{
			printf "| %-28s | %8.3f | %7.0f | %7.1f | %6.2f | %8s | %8s | %6s | %6s |\n",
				$1, $3, $2 / $3, $4 / 1024, $3 / $5,
				n($6, "%.2f"),
				$7 == "-" ? "-" : sprintf("%.0f", $7 / 1024),
				$6 == "-" ? "-" : sprintf("%.0fx", $6 / $3),
				$7 == "-" ? "-" : sprintf("%.2f", $4 / $7)
		}'
}

head_line() {
	printf '\n%s\n\n' "$1"
	printf '| %-28s | %8s | %7s | %7s | %6s | %8s | %8s | %6s | %6s |\n' \
		what seconds MB/s 'peak MB' floors 'pprof s' 'pprof MB' \
		faster memory
	echo '|---|--:|--:|--:|--:|--:|--:|--:|--:|'
}

bench_text() {
	head_line 'The pipeline'
	row 'prof-text, big' 1 big.pb.gz 'prof-text big.pb.gz' \
		"$pprof -top big.pb.gz"
	row 'prof-text, mid' 1 mid1.pb.gz 'prof-text mid1.pb.gz' \
		"$pprof -top mid1.pb.gz"
	row 'prof-text, real Go program' 3 "$real" "prof-text $real" \
		"$pprof -top $real"
	row 'prof-text, 2 KB' 3 "$small" "prof-text $small" \
		"$pprof -top $small"
	row 'prof-merge, big (one hop)' 0 big.pb.gz \
		'prof-merge big.pb.gz | cat' ''
	row 'three hops, big' 0 big.pb.gz \
		'prof-merge big.pb.gz | prof-merge | prof-text' ''
}

bench_reports() {
	for size in big mid1; do
		head_line "Reports, $size"
		for r in top tree dot traces tags raw peek=Method77 json; do
			case $r in
			dot) ours=prof-dot theirs='-dot' ;;
			json) ours='prof-text --json' theirs= ;;
			*) ours="prof-text --$r" theirs="-$r" ;;
			esac
			times=1
			case $size-$r in
			*-json | big-traces | big-raw | big-peek*) times=0 ;;
			esac
			row "$r" $times $size.pb.gz "$ours $size.pb.gz" \
				"$pprof $theirs $size.pb.gz"
		done
	done
	head_line 'Reports, a real Go program'
	for r in top tree dot traces tags raw; do
		case $r in
		dot) ours=prof-dot ;;
		*) ours="prof-text --$r" ;;
		esac
		row "$r" 3 "$real" "$ours $real" "$pprof -$r $real"
	done
	printf '\nCost of prof-text as a profile grows\n\n'
	echo '| samples | seconds | us a sample | peak MB |'
	echo '|--:|--:|--:|--:|'
	for n in 10000 50000 200000 500000 1000000 2000000; do
		mkbig $n 40000 15000 >curve.pb.gz
		measure "$runs" 'prof-text curve.pb.gz' | awk -v n=$n '
			{ printf "| %d | %.3f | %.2f | %.0f |\n",
				n, $1, $1 / n * 1e6, $2 / 1024 }'
	done
	rm -f curve.pb.gz
}

bench_algebra() {
	mids=$(echo mid?.pb.gz mid??.pb.gz)
	head_line 'Merging, comparing, filtering'
	row 'merge 16 x mid' 1 "$mids" "prof-merge -o m.pb.gz $mids" \
		"$pprof -proto -output=m2.pb.gz $mids"
	row 'merge 16 x mid, -j1' 0 "$mids" \
		"prof-merge -j1 -o m.pb.gz $mids" ''
	row 'merge 16 x mid, -j2' 0 "$mids" \
		"prof-merge -j2 -o m.pb.gz $mids" ''
	row 'diff of two bigs' 1 'big.pb.gz big2.pb.gz' \
		'prof-diff -z1 -o d.pb.gz big.pb.gz big2.pb.gz' \
		"$pprof -proto -output=d2.pb.gz -diff_base=big.pb.gz big2.pb.gz"
	row 'filter --focus, big' 1 big.pb.gz \
		'prof-filter --focus=Method77 big.pb.gz | cat' \
		"$pprof -proto -output=f.pb.gz -focus=Method77 big.pb.gz"
	row 'filter, keeps all, big' 0 big.pb.gz \
		'prof-filter --focus=Method big.pb.gz | cat' ''
	row 'copy (no filter), big' 0 big.pb.gz 'prof-filter big.pb.gz | cat' ''
	printf '\nMemory of prof-merge as inputs are added\n\n'
	echo '| inputs | seconds | peak MB |'
	echo '|--:|--:|--:|'
	for n in 16 100 400 1000; do
		: >list
		i=0
		while [ $i -lt $n ]; do
			echo "mid$((i % 16 + 1)).pb.gz" >>list
			i=$((i + 1))
		done
		measure 1 'prof-merge -o m.pb.gz @list' | awk -v n=$n '
			{ printf "| %d | %.2f | %.0f |\n", n, $1, $2 / 1024 }'
	done
	rm -f m.pb.gz m2.pb.gz d.pb.gz d2.pb.gz f.pb.gz list
}

echo "$(uname -srm), $(nproc) cores, best of $runs; $(date -u +%F)"
for group in ${*:-text reports algebra}; do
	"bench_$group"
done
