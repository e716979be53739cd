#!/bin/sh
# bench.sh - the table of `make bench`: what commands cost, beside the referee
# that people use today (go tool pprof) and beside the physical floor (inflate
# and one walk over the bytes), all in one run on one machine.
#
#	bench.sh [GROUP...]	groups: text reports page algebra symbolize fetch
#				unwind (all these); list (prof-list on a large
#				program); fleet (merging profiles of one
#				program, BENCH_FILES of them, 100000);
#				record (what sampling costs programs),
#				heap (what --heap and --lock do), history
#				(prof-history, with its budgets), start (what
#				it costs to start one), rights (what
#				it costs to give up rights), interp (functions
#				of interpreters), gate (how often
#				prof-gate is wrong, and what it finds)
#	BENCH_RUNS=N		best of N runs (3); the referee on big runs once
#	BENCH_REFEREE=no	leave out the referee
#	BENCH_TRIALS='N SEED'	comparisons of each kind of "gate" (1000); half an
#				hour; ROW=TEXT for those that hold TEXT
#	BENCH_ROUNDS=N		rounds of "record" (40), some 6 seconds each; its
#				intervals shrink with the root of it
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

make_data() {
	[ -s big.pb.gz ] || mkbig 500000 40000 15000 1 >big.pb.gz
	[ -s big2.pb.gz ] || mkbig 500000 40000 15000 2 >big2.pb.gz
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
		[ -s mid$i.pb.gz ] || mkbig 20000 3000 1500 $i >mid$i.pb.gz
	done
}
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
	for r in top tree peek=regexp dot traces tags raw json; do
		times=3
		case $r in
		dot) ours=prof-dot ;;
		json) ours='prof-text --json' times=0 ;;
		*) ours="prof-text --$r" ;;
		esac
		row "$r" $times "$real" "$ours $real" "$pprof -$r $real"
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
	for j in 1 2; do
		row "merge big into a file, -j$j" 0 big.pb.gz \
			"prof-merge -j$j -o m.pb.gz big.pb.gz" ''
	done
	row 'diff of two bigs' 1 'big.pb.gz big2.pb.gz' \
		'prof-diff -z1 -o d.pb.gz big.pb.gz big2.pb.gz' \
		"$pprof -proto -output=d2.pb.gz -diff_base=big.pb.gz big2.pb.gz"
	row 'filter --focus, big' 1 big.pb.gz \
		'prof-filter --focus=Method77 big.pb.gz | cat' \
		"$pprof -proto -output=f.pb.gz -focus=Method77 big.pb.gz"
	row 'filter, keeps all, big' 0 big.pb.gz \
		'prof-filter --focus=Method big.pb.gz | cat' ''
	row 'copy (no filter), big' 0 big.pb.gz 'prof-filter big.pb.gz | cat' ''
	row 'gate, nothing in common' 0 'mid1.pb.gz mid2.pb.gz' \
		'prof-gate --allow-unequal mid1.pb.gz -- mid2.pb.gz >/dev/null || :' ''
	row 'gate, everything grew' 0 'mid1.pb.gz big.pb.gz' \
		'prof-gate --allow-unequal mid1.pb.gz -- big.pb.gz >/dev/null || :' ''
	row 'gate, two bigs' 0 'big.pb.gz big2.pb.gz' \
		'prof-gate --allow-unequal big.pb.gz -- big2.pb.gz >/dev/null || :' ''
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

# Profiles of one program: 16 with 23,000 functions, and as many small ones as a
# fleet has. The CPU time of the latter is what counts.
bench_fleet() {
	mkbig 5000 26000 23000 >like.pb.gz
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
		mklike like.pb.gz 6000 $i >tables$i.pb.gz
		mklike "$real" 60000 $i >stacks$i.pb.gz
	done
	head_line 'Merging profiles of one program'
	for what in tables stacks; do
		inputs=$(echo $what?.pb.gz $what??.pb.gz)
		row "16, mostly $what" 1 "$inputs" \
			"prof-merge -o m.pb.gz $inputs" \
			"$pprof -proto -output=m2.pb.gz $inputs"
		for j in 1 2; do
			row "16, mostly $what, -j$j" 0 "$inputs" \
				"prof-merge -j$j -o m.pb.gz $inputs" ''
		done
	done
	n=${BENCH_FILES:-100000}
	mkdir -p many
	mklike "$real" 100 1 "$n" many
	printf '\nMany small profiles: CPU time\n\n'
	echo '| inputs | MB | seconds | ms each | peak MB | pprof s | pprof MB | faster |'
	echo '|--:|--:|--:|--:|--:|--:|--:|--:|'
	for count in 100 1000 10000 $n; do
		[ "$count" -le "$n" ] || continue
		find many -name '*.pb.gz' -print0 | head -z -n "$count" >list
		# shellcheck disable=SC2046 # two words
		set -- $(xargs -0 cat <list | wc -c) \
			$(measure -c "$runs" 'prof-merge --files0-from=list -o m.pb.gz') - -
		# More do not fit into an argument list and a few gigabytes.
		if [ "$referee" = yes ] && [ "$count" -le 1000 ]; then
			# shellcheck disable=SC2046
			set -- "$1" "$2" "$3" $(measure -c 1 \
				"xargs -0 $pprof -proto -output=m2.pb.gz <list")
		fi
		echo "$count $*" | awk '{
			printf "| %d | %.1f | %.2f | %.3f | %.0f |", $1, $2 / 1e6,
				$3, $3 / $1 * 1e3, $4 / 1024
			if ($5 == "-")
				print " - | - | - |"
			else
				printf " %.2f | %.0f | %.0fx |\n", $5,
					$6 / 1024, $5 / $3 }'
	done
	rm -rf many list m.pb.gz m2.pb.gz
}

# addresses FILE N: N distinct random addresses of its .text, in hex, into
# FILE.N.addr, and a profile of them, FILE.N.pb, as if it were loaded at $load.
load=0x55554000
addresses() {
	# shellcheck disable=SC2046 # words
	set -- "$1" "$2" $(readelf -SW "$1" | sed 's/^ *\[[ 0-9]*\]//' |
		awk '$1 == ".text" { print $3, $4, $5 }')
	awk -v a=$((0x$3)) -v size=$((0x$5)) -v n="$2" 'BEGIN {
		srand(7)
		while (k < n) {
			x = a + int(rand() * size)
			if (!(x in seen)) {
				seen[x] = 1
				k++
				printf "0x%x\n", x
			}
		}
	}' >"$1.$2.addr"
	awk -v base=$((load)) '{ print base, $1 }' "$1.$2.addr" |
		while read -r base a; do
			printf '0x%x\n' $((base + a))
		done | addrs make $((load + (0x$3 & ~4095))) \
		$((load + 0x$3 + 0x$5)) $((0x$4 & ~4095)) "$work/$1" \
		"$(readelf -n "$1" | sed -n 's/.*Build ID: //p')" >"$1.$2.pb"
}

# symbol_row NAME OURS LLVM PPROF: one line; an empty command is left out.
# Time is that of the clock; with clock=-c that of processors, which other work on
# the machine disturbs less.
clock=
symbol_row() {
	name=$1
	# shellcheck disable=SC2046,SC2086 # two words
	set -- "$3" "$4" $(measure $clock "$runs" "$2")
	for tool in "$1" "$2"; do
		if [ "$referee" = yes ] && [ -n "$tool" ]; then
			# shellcheck disable=SC2046,SC2086
			set -- "$@" $(measure $clock "$runs" "$tool")
		else
			set -- "$@" - -
		fi
	done
	shift 2
	echo "$name|$1|$2|$3|$4|$5|$6" | awk -F'|' '
		function n(x, f) { return x == "-" ? "-" : sprintf(f, x) }
		function over(x, y) {
			return y == "-" ? "-" : sprintf("%.2f", x / y)
		}
		{
			printf "| %-28s | %7.3f | %6.0f | %7s | %6s | %5s | %6s | %7s | %5s |\n",
				$1, $2, $3 / 1024, n($4, "%.3f"),
				$5 == "-" ? "-" : sprintf("%.0f", $5 / 1024),
				over($2, $4), over($3, $5), n($6, "%.3f"),
				over($2, $6)
		}'
}

# pprof as it is outside of Go's distribution, from the sources in there: "go
# tool pprof" has a symbolizer of its own, which takes minutes in large C++.
build_pprof() {
	[ ! -x pprof ] || return 0
	sources=$(go env GOROOT)/src/cmd/vendor
	mkdir -p gopath/src/pprof
	cp -rL "$sources/github.com" "$sources/golang.org" gopath/src || return 1
	cat >gopath/src/pprof/main.go <<'END'
package main

import (
	"log"

	"github.com/google/pprof/driver"
)

func main() {
	if err := driver.PProf(&driver.Options{}); err != nil {
		log.Fatal(err)
	}
}
END
	GO111MODULE=off GOFLAGS='' GOPATH=$work/gopath go build -o pprof pprof
}

bench_symbolize() {
	command -v llvm-symbolizer >/dev/null || {
		echo "bench: no llvm-symbolizer" >&2
		return
	}
	echo 'bench: compiling a large C++ program' >&2
	sh "$src/tests/bench/mkbigcxx.sh" bigcxx 64
	addresses bigcxx 20000
	addresses bigcxx 200
	printf '\nSymbols, C++ of %d MB\n\n' \
		$(($(wc -c <bigcxx) / 1000000))
	printf '| %-28s | %7s | %6s | %7s | %6s | %5s | %6s | %7s | %5s |\n' \
		what seconds MB 'llvm s' MB time memory 'pprof s' time
	echo '|---|--:|--:|--:|--:|--:|--:|--:|--:|'
	local='' plain=''
	if [ "$referee" = yes ] && build_pprof; then
		local='./pprof -symbolize=local -proto -output=s.pb.gz'
		plain='./pprof -symbolize=local:demangle=none -proto -output=s.pb.gz'
	fi
	for n in 20000 200; do
		symbol_row "$n addresses" \
			"prof-symbolize --no-cache bigcxx.$n.pb | cat" \
			"llvm-symbolizer --obj=bigcxx --inlines <bigcxx.$n.addr" \
			"${local:+$local bigcxx.$n.pb}"
		symbol_row "$n, mangled" \
			"prof-symbolize --no-cache --demangle=none bigcxx.$n.pb | cat" \
			"llvm-symbolizer --obj=bigcxx --inlines --no-demangle <bigcxx.$n.addr" \
			"${plain:+$plain bigcxx.$n.pb}"
		symbol_row "$n, mangled, one thread" \
			"prof-symbolize --no-cache -j1 --demangle=none bigcxx.$n.pb | cat" \
			'' ''
	done
	PROF_CACHE=$work/cache
	export PROF_CACHE
	prof-symbolize bigcxx.20000.pb -o s.pb.gz
	symbol_row '20000 addresses, warm cache' \
		"prof-symbolize bigcxx.20000.pb | cat" \
		"llvm-symbolizer --obj=bigcxx --inlines <bigcxx.20000.addr" ''
	symbol_row 'big, nothing to do' 'prof-symbolize big.pb.gz | cat' '' \
		"${local:+$local big.pb.gz}"
	symbol_row 'big, prof-filter copies it' 'prof-filter big.pb.gz | cat' \
		'' ''
	rm -f s.pb.gz
}

# prof-list on the same program: functions at 200 random addresses.
bench_list() {
	sh "$src/tests/bench/mkbigcxx.sh" bigcxx 64
	addresses bigcxx 200
	prof-symbolize -q bigcxx.200.pb -o list.pb.gz
	clock=-c
	printf '\nListings, C++ of %d MB, seconds of processors\n\n' \
		$(($(wc -c <bigcxx) / 1000000))
	printf '| %-28s | %7s | %6s | %7s | %6s | %5s | %6s | %7s | %5s |\n' \
		what seconds MB 'pprof s' MB time memory '' ''
	echo '|---|--:|--:|--:|--:|--:|--:|--:|--:|'
	theirs=''
	[ "$referee" = no ] || ! build_pprof ||
		theirs='exec ./pprof -symbolize=none -output=list.out'
	symbol_row 'list of a function' \
		"exec prof-list -q --list='_M_data$' -o list.out list.pb.gz" \
		"${theirs:+$theirs -list='_M_data$' list.pb.gz}" ''
	symbol_row 'disassembly of a function' \
		"exec prof-list -q --disasm='unit_1::' -o list.out list.pb.gz" \
		"${theirs:+$theirs -disasm='unit_1::' list.pb.gz}" ''
	symbol_row 'source page of all' \
		"exec prof-list -q --weblist=. -o list.out list.pb.gz" \
		"${theirs:+$theirs -weblist=. list.pb.gz}" ''
	clock=
	rm -f list.out list.pb.gz
}

# 200 servers at once, a process each for every request, against the slowest of
# them alone: the last one answers after SLOWEST ms, the others before.
bench_fetch() {
	n=200
	: >ports
	httpd "$src/testdata" go log $n >ports &
	server=$!
	trap 'kill $server' EXIT
	while [ "$(wc -l <ports)" -lt $n ]; do sleep 0.1; done
	printf '\n%s\n\n' "Fetching from $n servers at once"
	echo '| what | slowest s | it alone s | all s | times | peak MB |'
	echo '|---|--:|--:|--:|--:|--:|'
	for slowest in 1000 5000; do
		for file in good-go-heap.pb.gz good-go-cpu-long.pb.gz; do
			awk -v f=$file -v n=$n -v s=$slowest '
				{ printf "127.0.0.1:%d/wait/%d/%s\n", $1, s * NR / n, f }
			' ports >sources
			alone=$(measure "$runs" "prof-fetch -o f.pb.gz $(tail -1 sources)")
			all=$(measure "$runs" "xargs prof-fetch -o f.pb.gz <sources")
			size=$(wc -c <"$src/testdata/$file")
			echo "$size $slowest $alone $all" | awk '{
				printf "| of %d KB | %.1f | %.2f | %.2f | %.2f | %.0f |\n",
					$1 / 1024, $2 / 1000, $3, $5, $5 / $3, $6 / 1024 }'
		done
	done
	kill $server
	trap - EXIT
	rm -f f.pb.gz sources ports log
}

# One run of the work under sampler $1: seconds and interrupts.
sampled() {
	case $1 in
	none) shift; "$@" ;;
	perf-*)
		hz=${1#perf-}
		shift
		perf record -q -F "$hz" -g -o r.data "$@" 2>/dev/null
		;;
	outside-*)
		hz=${1#outside-}
		shift
		prof-record -q -F "$hz" --sampler=perf --kernel=no -o r.pb.gz "$@"
		;;
	libprofiler-*)
		hz=${1#libprofiler-}
		shift
		env LD_PRELOAD=libprofiler.so.0 CPUPROFILE=r.prof \
			CPUPROFILE_FREQUENCY="$hz" "$@" 2>/dev/null
		;;
	*)
		hz=${1%,*} clock=${1#*,}
		shift
		prof-record -q -F "$hz" --clock="$clock" -o r.pb.gz "$@"
		;;
	esac
}

# From lines "ROUND SAMPLER SECONDS INTERRUPTS SIGNALS": for each sampler what it
# adds to the run without any of the same round, as the median of all rounds,
# with a 95 % interval by bootstrap. What its signals take is known of each run
# by itself; without a sampler it shows how far off that is.
overheads() {
	awk -v samplers="$samplers" '
		function median(a, n,	i, k, t) {
			for (i = 2; i <= n; i++) {
				t = a[i]
				for (k = i - 1; k > 0 && a[k] > t; k--)
					a[k + 1] = a[k]
				a[k + 1] = t
			}
			if (n % 2)
				return a[(n + 1) / 2]
			return (a[n / 2] + a[n / 2 + 1]) / 2
		}
		function shown(sampler, what,	i, k, n, x, b, m) {
			for (i = 1; i <= rounds; i++)
				if ((i, sampler, what) in v)
					x[++n] = v[i, sampler, what]
			for (k = 1; k <= 400; k++) {
				for (i = 1; i <= n; i++)
					b[i] = x[1 + int(rand() * n)]
				m[k] = median(b, n)
			}
			median(m, 400)
			return sprintf("%6.3f (%.3f to %.3f)", median(x, n),
				m[10], m[391])
		}
		{
			rounds = $1
			seconds[$1, $2] = $3
			taken[$1, $2] = $4
			v[$1, $2, "signals"] = $5 / 1e4
		}
		END {
			srand(1)
			names = split(samplers, name, " ")
			for (k in seconds) {
				split(k, at, SUBSEP)
				base = seconds[at[1], "none"]
				v[at[1], at[2], "cpu"] = 100 * (seconds[k] / base - 1)
				base = taken[at[1], "none"]
				v[at[1], at[2], "irq"] = (taken[k] - base) / 1e4
			}
			for (i = 1; i <= names; i++)
				printf "| %-16s | %-24s | %-24s | %-24s |\n",
					name[i],
					name[i] == "none" ? "" : shown(name[i], "cpu"),
					name[i] == "none" ? "" : shown(name[i], "irq"),
					name[i] ~ /^(perf|outside)/ ? "" : shown(name[i], "signals")
		}'
}

bench_record() {
	samplers='none 100,cpu 1000,cpu 1000,perf'
	[ ! -e /usr/lib/x86_64-linux-gnu/libprofiler.so.0 ] ||
		samplers="$samplers libprofiler-100 libprofiler-1000"
	! command -v perf >/dev/null ||
		samplers="$samplers perf-100 perf-1000 outside-100 outside-1000"
	for kind in stack alloc; do
		printf '\nWhat sampling adds, in %% of CPU time: %s\n\n' $kind
		echo '| sampler | CPU time | interrupts | signals |'
		echo '|---|--:|--:|--:|'
		i=0
		: >runs
		while [ $i -lt "${BENCH_ROUNDS:-40}" ]; do
			i=$((i + 1))
			# shellcheck disable=SC2086 # the list is words
			for s in $(printf '%s\n' $samplers | shuf); do
				echo "$i $s $(sampled $s overhead $kind 6000)"
			done
		done >runs
		overheads <runs
	done
	rm -f runs r.pb.gz r.prof r.data
}

# cost TITLE ALLOCATOR NAME COMMAND...: a table of what profilers add to the CPU
# time of a program that does little but allocate. It measures itself; COMMANDs,
# the first without any profiler, run in turn, as a machine is faster at some
# times than at others.
cost() {
	printf '\n%s\n\n| %-30s | %8s | %7s |\n|---|--:|--:|\n' \
		"$1" profiler 'CPU ms' more
	allocator=$2
	shift 2
	i=0
	while [ $i -lt $((runs * 2)) ]; do
		i=$((i + 1))
		for c; do
			ms=$(LD_PRELOAD=$allocator sh -c "exec ${c#*|}" 2>err)
			echo "${c%%|*}|${ms:--}"
		done
	done | awk -F'|' '
		!($1 in best) { name[++n] = $1 }
		!($1 in best) || $2 + 0 < best[$1] { best[$1] = $2 + 0 }
		END {
			for (i = 1; i <= n; i++)
				printf "| %-30s | %8.3f | %6.1f%% |\n", name[i],
					best[name[i]], 100 * \
					(best[name[i]] / best[name[1]] - 1)
		}'
}

bench_heap() {
	run='allocs 600'
	record='prof-record -q -o r.pb.gz'
	tcmalloc=$(find /usr/lib -name libtcmalloc.so.4 | head -1)
	jemalloc=$(find /usr/lib -name libjemalloc.so.2 | head -1)
	cost 'A program that does little but allocate' '' "none|$run" \
		"prof-record|$record $run" \
		"prof-record -F 1000|$record -F 1000 $run" \
		"prof-record --heap|$record --heap $run" \
		"prof-record --heap=64K|$record --heap=64K $run" \
		"prof-record --lock|$record --lock $run"
	[ -z "$tcmalloc" ] || cost 'The same under tcmalloc' "$tcmalloc" \
		"none|$run" "prof-record --heap|$record --heap $run" \
		"its own sampling, 512 KiB|env TCMALLOC_SAMPLE_PARAMETER=524288 $run" \
		"its HEAPPROFILE|env HEAPPROFILE=hp allocs 20"
	[ -z "$jemalloc" ] || cost 'The same under jemalloc' "$jemalloc" \
		"none|$run" "prof-record --heap|$record --heap $run"
	rm -f hp.*.heap r.pb.gz err
}

# start_row N COMMAND...: CPU time of a start, alone, as a child of a program that
# is sampled, and of prof-record with the program.
start_row() {
	alone=$(starts "$@" 2>&1)
	child=$(prof-record -q -o r.pb.gz -- starts "$@" 2>&1)
	n=$1
	shift
	both=$(starts "$n" prof-record -q -o r.pb.gz -- "$@" 2>&1)
	printf '| %-24s | %6s | %6s | %6s |\n' "$*" "$alone" "$child" "$both"
	rm -f r.pb.gz
}

bench_start() {
	printf '\n| %-24s | %6s | %6s | %6s |\n|---|--:|--:|--:|\n' \
		'CPU ms of a start' alone child record
	start_row 300 true
	start_row 40 /usr/bin/python3 -c 0
	start_row 20 clang --version
}

# rights_row N COMMAND...: CPU time with all rights, and without those that it
# does not need; as root prof-symbolize and prof-list have a child without any, and
# prof-import has one for each file with unwind information.
rights_row() {
	printf '| %-44s | %6s | %6s |\n' "$(shift && echo "$*")" \
		"$(PROF_SANDBOX=0 starts "$@" 2>&1)" "$(starts "$@" 2>&1)"
}

bench_rights() {
	printf '\n| %-44s | %6s | %6s |\n|---|--:|--:|\n' \
		"CPU ms, $(id -un), $(prof-text -V | tail -n 1)" all few
	cp "$bin/prof-record" program
	addresses program 1
	addresses program 5000
	rights_row 100 prof-text program.1.pb
	rights_row 100 prof-symbolize --no-cache program.1.pb
	rights_row 20 prof-symbolize --no-cache program.5000.pb
	(
		PROF_CACHE=$work/cache
		export PROF_CACHE
		prof-symbolize -q program.5000.pb | cat >/dev/null
		rights_row 100 prof-symbolize -q program.5000.pb
		prof-symbolize -q -o named.pb program.5000.pb
	)
	rights_row 100 prof-list --disasm=^main$ named.pb
	rights_row 20 prof-list --disasm=. named.pb
	mkperf 1 2000 >perf.data
	rights_row 100 prof-import -q perf.data
}

# interp_row NAME HZ COMMAND...: what reading an interpreter's functions adds. The
# program says the CPU milliseconds that it took; the least of runs in turn.
interp_row() {
	name=$1 hz=$2
	shift 2
	i=0
	while [ $i -lt $((runs * 2)) ]; do
		i=$((i + 1))
		echo "alone $("$@")"
		for how in off mixed; do
			echo "$how $(prof-record -q --clock=perf -F "$hz" --interp=$how -o i.pb.gz "$@")" \
				"$(prof-text --comments i.pb.gz | sed -n 's/.* signals=\([0-9]*\).*/\1/p')"
		done
	done | awk -v name="$name, $hz Hz" '
		!($1 in ms) || $2 < ms[$1] { ms[$1] = $2; n[$1] = $3 }
		END {
			printf "| %-36s | %7.0f | %7.0f | %7.0f | %6.1f |\n", name, ms["alone"], \
				ms["off"], ms["mixed"], (ms["mixed"] - ms["off"]) * 1000 / n["mixed"]
		}'
}

# A loop below 50 functions; modules, code and strings that are met for the first time.
bench_interp() {
	mkdir -p modules
	i=0
	while [ $i -lt 1000 ]; do
		i=$((i + 1))
		echo "def f(): return sum(range(300))
x = f()" >modules/m$i.py
	done
	cat >deep.py <<'END'
import time
for i in range(50):
    exec("def f%d(): return f%d()" % (i, i + 1))
def f50():
    k = 0
    for i in range(20000000):
        k += 1
f0()
print(time.process_time() * 1000)
END
	cat >deep.rb <<'END'
50.times { |i| eval("def f#{i}; f#{i + 1}; end") }
def f50
  k = 0
  k += 1 while k < 40000000
end
f0
puts Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) * 1000
END
	cat >deep.php <<'END'
<?php
for ($i = 0; $i < 50; $i++)
    eval("function f$i() { return f" . ($i + 1) . "(); }");
function f50() {
    for ($k = 0; $k < 60000000; $k++);
}
f0();
$u = getrusage();
echo $u["ru_utime.tv_sec"] * 1000 + $u["ru_utime.tv_usec"] / 1000 +
    $u["ru_stime.tv_sec"] * 1000 + $u["ru_stime.tv_usec"] / 1000, "\n";
END
	cat >imports.py <<'END'
import sys, time
sys.path.insert(0, "modules")
sys.dont_write_bytecode = True
for i in range(1, 1001):
    __import__("m%d" % i)
print(time.process_time() * 1000)
END
	cat >codes.py <<'END'
import time
text = "".join("def f%d(): return sum(range(3000))\n" % i for i in range(10000))
exec(compile(text, "codes", "exec"))
for i in range(10000):
    globals()["f%d" % i]()
print(time.process_time() * 1000)
END
	cat >strings.py <<'END'
import time
for i in range(8000):
    exec("def f(): return sum(range(3000))\nf()", {"i": i})
print(time.process_time() * 1000)
END
	printf '\nCPU ms of programs, load %s\n\n| %-36s | %7s | %7s | %7s | %6s |\n|---|--:|--:|--:|--:|\n' \
		"$(cut -d' ' -f1 /proc/loadavg)" program alone off mixed 'us more'
	for hz in 100 4000; do
		interp_row 'Python, 51 functions' $hz /usr/bin/python3 deep.py
		! command -v ruby >/dev/null ||
			interp_row 'Ruby, 51 functions' $hz ruby --disable=gems deep.rb
		! command -v php >/dev/null || interp_row 'PHP, 51 functions' $hz php -n deep.php
	done
	interp_row 'Python, import of 1000 modules' 1000 /usr/bin/python3 imports.py
	interp_row 'Python, 10000 code objects' 1000 /usr/bin/python3 codes.py
	interp_row 'Python, exec() of 8000 strings' 1000 /usr/bin/python3 strings.py
}

# Times of the page in a browser: file, first paint, ready, then milliseconds of
# what page-bench.mjs does. All: each of 2.9 million nodes is in the page.
bench_page() {
	printf '\nprof-html beside prof-text (CPU seconds), and its page in a browser (ms); load %s\n\n' \
		"$(cut -d' ' -f1 /proc/loadavg)"
	echo '| profile | prof-text s | prof-html s | page KB | KB for 1000 stacks | paint | ready | search | focus | hide | sandwich | zoom | graph | invert | heap MB |'
	echo '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|'
	nodes=$bin/tests/node_modules
	[ -s small.pb.gz ] || mkbig 1000 500 300 1 >small.pb.gz
	[ -s all.pb.gz ] || mkbig 65000 40000 15000 1 >all.pb.gz
	for f in small.pb.gz "$real" mid1.pb.gz big.pb.gz all.pb.gz; do
		text=$(measure -c "$runs" "prof-text -q $f" | cut -d' ' -f1)
		page="prof-html -q --no-source -o $work/page.html $f"
		[ "$f" != all.pb.gz ] || page="$page --max-nodes=10000000"
		html=$(measure -c "$runs" "$page" | cut -d' ' -f1)
		seen='- - - - - - - - - - -'
		if [ -e "$nodes/puppeteer-core" ] && command -v chromium-headless-shell >/dev/null; then
			seen=$(node "$src/tests/html/page-bench.mjs" "$nodes" "$(command -v chromium-headless-shell)" "$work/page.html")
		fi
		name=${f##*/}
		echo "${name%.pb.gz} $text $html $(wc -c <page.html) $seen" |
			awk '{ printf "| %s | %.3f | %.3f | %.0f | %s |", $1, $2, $3, $4 / 1000,
				($5 + 0 ? sprintf("%.1f", $4 / $5) : "-")
				for (i = 6; i <= 15; i++) printf " %s |", $i; print "" }'
	done
	printf '\nscript and style: %s and %s KB (120 and 17)\n' "$(sed -n '/^<script>/,/^<\/script>/p' page.html | wc -c |
		awk '{ print $1 / 1000 }')" "$(sed -n '/^<style>/,/^<\/style>/p' page.html | wc -c | awk '{ print $1 / 1000 }')"
	bench_pictures
}

# The same profile in other viewers: KB that are sent or read, ms to a picture.
bench_pictures() {
	[ -e "$nodes/puppeteer-core" ] && command -v chromium-headless-shell >/dev/null || return 0
	prof-export --to=speedscope "$real" >real.speedscope.json
	printf '\nFlame graph of real elsewhere: KB, ms to the picture\n\n'
	if [ -e "$nodes/speedscope" ]; then
		echo "speedscope $(($(wc -c <real.speedscope.json) / 1000))" \
			"$(node "$src/tests/html/page-bench.mjs" "$nodes" "$(command -v chromium-headless-shell)" speedscope "$work/real.speedscope.json")"
	fi
	if [ "$referee" = yes ]; then
		$pprof -no_browser -http=127.0.0.1:18766 "$real" >/dev/null 2>&1 &
		server=$!
		url=http://127.0.0.1:18766/ui/flamegraph
		tries=0
		while [ $tries -lt 60 ] && ! curl -s -o pprof.page "$url"; do
			tries=$((tries + 1))
			sleep 0.5
		done
		echo "pprof $(($(wc -c <pprof.page) / 1000))" \
			"$(node "$src/tests/html/page-bench.mjs" "$nodes" "$(command -v chromium-headless-shell)" pprof "$url")"
		kill $server
	fi
}

# exchange_row NAME FILE OURS REFEREE: MB of FILE in a second.
exchange_row() {
	mb=$(wc -c <"$2" | awk '{ print $1 / 1e6 }')
	# shellcheck disable=SC2046 # two words
	set -- "$1" "$4" $(measure "$runs" "$3")
	if [ "$referee" = yes ] && [ -n "$2" ]; then
		# shellcheck disable=SC2046
		set -- "$@" $(measure 1 "$2")
	else
		set -- "$@" -
	fi
	echo "$1|$mb|$3|$4|$5" | awk -F'|' '{
		printf "| %-28s | %8.0f | %8.3f | %7.0f | %7.1f | %8s |\n", $1, $2, $3,
			$2 / $3, $4 / 1024,
			$5 == "-" ? "-" : sprintf("%.1fx", $5 / $3) }'
}

bench_exchange() {
	[ -s rec.data ] || mkperf 300 20000 >rec.data
	prof-merge -z0 big.pb.gz >big.pb
	prof-export --to folded big.pb >big.folded
	prof-export --to speedscope big.pb >big.speedscope
	prof-export --to otlp big.pb >big.otlp
	printf '\nOther formats\n\n'
	printf '| %-28s | %8s | %8s | %7s | %7s | %8s |\n' what MB seconds \
		MB/s 'peak MB' referee
	echo '|---|--:|--:|--:|--:|--:|'
	script=
	command -v perf >/dev/null && script='perf script -i rec.data --no-inline -F ip,sym'
	exchange_row 'perf.data in' rec.data 'prof-import -z0 rec.data' "$script"
	exchange_row 'perf.data in, a pipe' rec.data 'prof-import -z0 <rec.data' ''
	exchange_row 'folded in' big.folded 'prof-import -z0 big.folded' ''
	exchange_row 'folded out' big.folded 'prof-export --to folded big.pb' ''
	exchange_row 'speedscope out' big.speedscope 'prof-export --to speedscope big.pb' ''
	exchange_row 'otlp in' big.otlp 'prof-import -z0 big.otlp' ''
	exchange_row 'otlp out' big.otlp 'prof-export --to otlp big.pb' ''
	rm -f big.pb big.folded big.speedscope big.otlp
}

# prof-history over 3,000 profiles of 28 days and 25 hosts, beside its budgets.
bench_history() {
	printf '\nprof-history, 3,000 profiles of 28 days (CPU seconds)\n\n'
	echo '| what | all | hours | none | budget |'
	echo '|---|--:|--:|--:|--:|'
	rm -rf history history.*
	midnight=$(date -ud 2026-11-01 +%s)
	for host in $(seq 25); do
		for i in $(seq 0 119); do
			day=history/2026-11-$(printf %02d $((i % 28 + 1)))
			mkdir -p "$day"
			mkbig 100 300 150 "$host" $((midnight + i % 28 * 86400 + i / 28 * 3600)) \
				>"$day/h$host-$(printf %02d $((i / 28)))0000.pb.gz"
		done
	done
	cp "$day/h$host-040000.pb.gz" host.pb.gz
	name=$(prof-text --tsv host.pb.gz | sed -n 2p | cut -f4)
	history_row 'index' 3 '-q --rebuild'
	history_row 'refresh' 0.2 '-q'
	history_row 'a function by day' 0.1 "--function='$name'"
	history_row 'a function by hour' 0.1 "--function='$name' --by=hour"
	history_row 'top movers' 0.1 '--top-movers'
	printf '| bytes a profile'
	stat -c %s history.index | awk '{ printf " | %.0f | 2000 |\n", $1 / 3000 }'
}

# history_row NAME BUDGET OPTIONS
history_row() {
	printf '| %s' "$1"
	measure -c "$runs" "prof-history --index=history.index $3 history" |
		awk -v budget="$2" '{ printf " | %.3f | %s |\n", $1, budget }'
}

# Words that the tables of doc/gate.md explain.
bench_gate() {
	# shellcheck disable=SC2086 # words
	gate-simulate ${BENCH_TRIALS:-1000}
}

echo "$(uname -srm), $(nproc) cores, best of $runs; $(date -u +%F)"
case "$*" in
fetch | fleet | gate | heap | history | interp | record | rights | start) ;;
*) make_data ;;
esac
# shellcheck disable=SC2048 # words

# The same program and unwinder for each machine; qemu logs each instruction, and 100
# walks more are 100 times a walk.
bench_unwind() {
	printf '\nA walk of the unwinder in the program, by qemu-user\n\n'
	printf '| %-10s | %6s | %12s |\n|---|--:|--:|\n' machine frames instructions
	unwinder=$(awk '/^libsample_unwind =/, !/\\$/' "$src/sources.am" |
		tr ' \t' '\n\n' | sed -n "s#^libsample/.*\.c\$#$src/&#p")
	while read -r machine cc root; do
		# shellcheck disable=SC2086 # words
		"$cc" -std=gnu11 -O2 -D_GNU_SOURCE -I"$bin" -I"$src" -I"$src/libsample" \
			-fomit-frame-pointer -o walker "$src/tests/programs/unwind-bench.c" $unwinder 2>walker.log &&
			for n in 10 110; do
				"qemu-$machine" -L "$root" -singlestep -d exec,nochain -D walker.trace ./walker -n $n |
					sed -n 's/ frames.*//p' &&
					wc -l <walker.trace
			done >walker.counts || {
			echo "| $machine: no $cc or no qemu-$machine |"
			continue
		}
		awk -v machine="$machine" '{ n[NR] = $1 }
			END { printf "| %-10s | %6d | %12d |\n", machine, n[3], (n[4] - n[2]) / 100 }' walker.counts
	done <<-END
		x86_64 ${CC:-gcc} /
		aarch64 ${CROSS_CC:-aarch64-linux-gnu-gcc} /usr/aarch64-linux-gnu
	END
	rm -f walker walker.*
}
[ $# -gt 0 ] || set -- text reports page algebra symbolize fetch unwind
for group; do
	"bench_$group"
done
