#!/bin/sh
# truth.t [SECONDS] - are profiles correct? Workloads with known shares of two
# or three functions. `make truth` runs longer and compares with ITIMER_PROF.
# Slow: begins early.
seconds=${1:-0.5}
show_itimer=${1:+yes}
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

truth=$bin/tests/truth

# judge SHARES THREADS: of the names on standard input. A signal that stands for
# w ticks counts as that much more than one of a tick: shares of ticks are as
# sure as those of (sum of w)^2 / (sum of w^2) signals. If the CPU time is known
# as well, the sum is: it lacks at most what each thread used after its last
# tick. That a tick of the kernel does not come for so long is Poisson.
judge() {
	awk -v want="$1" -v threads="$2" -v hz=$hz "$chance"'
		BEGIN {
			of["part_a"] = of["falls"] = 1
			of["part_b"] = of["sleeps"] = 2
			of["part_c"] = of["blocks"] = 3
		}
		/^#/ { next }
		{
			t = $2 * hz / 1e9
			all += t
			signals += $1
			squares += t * t / $1
			for (i = 3; i <= NF; i++)
				if ($i in of) {
					ticks[of[$i]] += t
					break
				}
		}
		END {
			split(want, share, " ")
			for (i = 1; i <= 3; i++)
				sum += ticks[i]
			if (sum <= 0) {
				print "nothing was seen"
				exit 1
			}
			n = int(all * all / squares + 0.5)
			good = n >= 20
			printf "known %s; got", want
			for (i = 1; i <= 3; i++) {
				good = good && chance_share(int(n * ticks[i] / sum + 0.5),
							    n, share[i] / 100, 3)
				printf " %.1f", 100 * ticks[i] / sum
			}
			printf "; %d ticks, %d signals, as sure as %d", sum, signals, n
			if (share[4]) {
				clump = all > signals ? all / signals : 1
				lost = (share[4] * hz - sum) / clump
				good = good && lost > -2 * threads - 5 &&
				       (lost <= threads || chance_count(threads - 1, lost))
				printf "; %.1f signals are missing", lost
			}
			print ""
			exit !good
		}'
}

# sample SCENARIO, on $clock: t.pb.gz, and what is known of it.
sample() {
	case $clock in
	wall) how=wall hz=500 ;;
	*) how='' hz=1000 ;;
	esac
	# shellcheck disable=SC2086 # a word, or none
	prof-record -q -F $hz --clock=$clock -o t.pb.gz "$truth" $1 "$seconds" $how >known ||
		return 2
	named "$truth" --all t.pb.gz >names
}

# scenario NAME: are its shares the known ones?
scenario() {
	sample $1 || return
	case $1 in
	*-*) judge "$(cat known)" ${1#*-} ;;
	*) judge "$(cat known)" 1 ;;
	esac <names
}

# on_clock CLOCK SCENARIO...
on_clock() {
	clock=$1
	shift
	for scenario; do
		live "$scenario, --clock=$clock" scenario $scenario
		[ -z "$show_itimer" ] || [ $clock != cpu ] ||
			echo "# ITIMER_PROF: $("$truth" $scenario "$seconds" itimer)"
	done
}

# Of the last profile, which was of "recursion": stacks are as deep as the calls
# were, wherever in the recursion they were taken.
depths() {
	live_again sample recursion || return
	awk "$chance"'
		/^#/ { next }
		$3 != "falls" && $3 != "part_b" { next }
		{
			depth = 0
			for (i = 3; i <= NF; i++)
				depth += $i ~ /^(falls|ping|pong)$/
			# What is above: the same in each, and without a gap.
			above = ""
			for (i = 3 + depth + ($3 == "part_b"); i <= NF; i++)
				above = above " " $i
			if ($3 == "falls") {
				signals[depth] += $1
				sum += $1
			} else if (depth != 40 || $4 != "pong" || $5 != "ping") {
				bad = bad " " depth
			}
			if (!(above in seen)) {
				seen[above] = 1
				ends++
			}
		}
		END {
			for (i in signals)
				if (i < 1 || i > 8)
					bad = bad " " i
			good = bad == "" && ends == 1
			printf "1 to 8 calls, an eighth of %d each:", sum
			for (i = 1; i <= 8; i++) {
				good = good && chance_share(signals[i] + 0, sum, 1 / 8, 8)
				printf " %d", signals[i]
			}
			printf "; wrong depths:%s; ends: %d\n",
			       bad == "" ? " none" : bad, ends
			exit !good
		}' names
}

# ... and a function counts once for a stack, however often it is in there: cum
# of falls() is its flat time, ping() and pong() have both all of part_b(), and
# their caller has all three, up to the few ticks in between.
cumulative() {
	live_again sample recursion || return
	prof-symbolize -q t.pb.gz | prof-text -q --noinlines --tsv >rows
	awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{
			flat[$column["name"]] = $column["flat"]
			cum[$column["name"]] = $column["cum"]
			all += $column["flat"]
		}
		function near(x, y) {
			return x >= y && x - y <= all / 50
		}
		END {
			below = flat["ping"] + flat["pong"] + flat["part_b"]
			sum = flat["falls"] + below + flat["part_c"]
			good = near(cum["falls"], flat["falls"]) &&
				near(cum["ping"], below) &&
				near(cum["pong"], below - flat["ping"]) &&
				near(cum["mixed"], sum) &&
				cum["mixed"] <= all && all > 0
			split("falls ping pong part_b part_c mixed", name, " ")
			for (i = 1; i <= 6; i++)
				printf "%s %.1f of %.1f; ", name[i],
				       100 * flat[name[i]] / all,
				       100 * cum[name[i]] / all
			print ""
			exit !good
		}' rows
}

on_clock cpu half eighty bursts short threads-1 threads-4 threads-16 waits-1 \
	waits-4 recursion
live 'stacks are as deep as they are known to be' depths
if lacks 'prof-symbolize t.pb.gz'; then
	skip 'a function counts once, however deep it calls itself' 'this build has no elfutils'
else
	live 'a function counts once, however deep it calls itself' cumulative
fi
# Where more threads want to run than there are processors, the thread that looks
# at sleepers comes late, and they get too few ticks (doc/sampling.md): four of
# them are for "make truth", on a machine that does nothing else.
# shellcheck disable=SC2086 # one word, or none
unfiltered on_clock wall waits-1 ${1:+waits-4}
prof-record --clock=perf -o t.pb.gz true 2>err
if grep -q 'no perf clock' err; then
	skip 'perf clocks' "$(sed 's/.*no perf/no perf/' err)"
elif [ -z "$show_itimer" ]; then
	on_clock perf half bursts short threads-4 waits-4
else
	on_clock perf half eighty bursts short threads-1 threads-4 threads-16 \
		waits-1 waits-4 recursion
fi

plan
