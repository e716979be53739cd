#!/bin/sh
# truth.t [SECONDS] - do profiles tell the truth? Workloads with known shares
# between two or three functions; the difference is judged by chi-square, which
# one run in a million exceeds by chance. `make truth` runs longer and shows
# beside it what ITIMER_PROF makes of the same work.
seconds=${1:-0.5}
show_itimer=${1:+yes}
. "${srcdir:-.}/tests/tap.sh"

truth=$bin/tests/truth
nm "$truth" | sort >symbols

# Prints: chi-square, its limit, shares in percent, ticks, signals. The signals
# count as observations: the ticks of one signal are not independent.
judge() {
	stacks "$1" | awk -v want="$2" '
		NR == FNR { at[NR] = $1; name[NR] = $3; n = NR; next }
		/^#/ { sub(/.* signals=/, ""); signals = $1; next }
		{
			split($2, leaf, "+")
			if (leaf[1] != "truth")
				next
			addr = sprintf("%016s", leaf[2])
			gsub(/ /, "0", addr)
			for (i = n; i > 0 && at[i] > addr; i--)
				;
			ticks[name[i]] += $1
		}
		END {
			split(want, share, " ")
			split("part_a part_b part_c", part, " ")
			for (i = 1; i <= 3; i++)
				sum += ticks[part[i]]
			for (i = 1; i <= 3; i++) {
				got = 100 * ticks[part[i]] / sum
				shares = shares sprintf(" %.1f", got)
				if (share[i] > 0)
					chi += (got - share[i]) ^ 2 / share[i]
			}
			limit = (share[3] > 0) ? 27.6 : 23.9
			printf "%.2f %.1f%s %d %d\n", chi * signals / 100,
			       limit, shares, sum, signals
		}' symbols -
}

# $1: a clock; the rest: scenarios.
on_clock() {
	clock=$1
	shift
	for scenario; do
		name="$scenario, --clock=$clock"
		want=$(prof-record -q -F 1000 --clock=$clock -o t.pb.gz \
			"$truth" $scenario "$seconds")
		got=$(judge t.pb.gz "$want")
		if echo "$got" | awk '{ exit !($1 < $2 && $7 >= 20) }'; then
			ok "$name"
		else
			echo "$got" >why
			not_ok "$name" <why
		fi
		echo "$got" | awk -v want="$want" '{
			printf "# known %s; got %s %s %s; chi-square %s, limit %s; ",
			       want, $3, $4, $5, $1, $2
			print $6 " ticks, " $7 " signals" }'
		[ -z "$show_itimer" ] || [ $clock != cpu ] ||
			echo "# ITIMER_PROF: $("$truth" $scenario \
				"$seconds" itimer)"
	done
}

on_clock cpu half eighty bursts short threads-1 threads-4 threads-16
prof-record --clock=perf -o t.pb.gz true 2>err
if grep -q 'no perf clock' err; then
	skip 'perf clocks' "$(sed 's/.*no perf/no perf/' err)"
elif [ -z "$show_itimer" ]; then
	on_clock perf half short threads-4
else
	# No bursts: doc/sampling.md says what perf clocks make of those.
	on_clock perf half eighty short threads-1 threads-4 threads-16
fi

plan
