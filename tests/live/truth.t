#!/bin/sh
# truth.t [SECONDS] - are profiles correct? Workloads with known shares of two
# or three functions; differences are judged by chi-square, with a false alarm
# in one of a million runs. `make truth` runs longer and compares with
# ITIMER_PROF.
# Slow: begins early.
seconds=${1:-0.5}
show_itimer=${1:+yes}
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/named.sh"

truth=$bin/tests/truth

# judge SHARES: of the names on standard input. Prints: 1 if it is true, else 0;
# chi-square, its limit; the shares in percent; ticks, signals, chi-square of
# the ticks if their sum is known. The signals count as observations: the ticks
# of one are not independent. A part too rare for chi-square shall not have been
# seen more often than one Poisson variable in a million is that large.
judge() {
	awk -v want="$1" -v hz=$hz '
		BEGIN {
			of["part_a"] = of["falls"] = 1
			of["part_b"] = of["sleeps"] = 2
			of["part_c"] = of["blocks"] = 3
			limit[1] = 0
			limit[2] = 23.9
			limit[3] = 27.6
		}
		/^#/ { sub(/.* signals=/, ""); signals = $1; next }
		{
			all += $1
			for (i = 2; i <= NF; i++)
				if ($i in of) {
					ticks[of[$i]] += $1
					break
				}
		}
		function most(mean,	k, p, sum) {
			sum = p = exp(-mean)
			for (k = 0; 1 - sum > 1e-6; sum += p)
				p *= mean / ++k
			return k
		}
		END {
			split(want, share, " ")
			for (i = 1; i <= 3; i++)
				sum += ticks[i]
			if (!sum || !signals) {
				print 0, "nothing was seen"
				exit
			}
			n = sum * signals / all
			good = n >= 20
			for (i = 1; i <= 3; i++) {
				got = 100 * ticks[i] / sum
				shares = shares sprintf(" %.1f", got)
				if (share[i] * n / 100 >= 5) {
					chi += (got - share[i]) ^ 2 / share[i]
					parts++
				} else if (got * n / 100 > most(share[i] * n / 100)) {
					good = 0
				}
			}
			chi *= n / 100
			if (parts > 1 && chi > limit[parts])
				good = 0
			if (share[4]) {
				known = share[4] * hz
				total = (sum - known) ^ 2 / known * n / sum
				if (total > limit[2])
					good = 0
				total = sprintf(" %.2f", total)
			}
			printf "%d %.2f %.1f%s %d %d%s\n", good, chi,
			       limit[parts], shares, sum, n, total
		}'
}

# tell NAME GOOD EXPLANATION: a result of a row, and the figures of it.
tell() {
	if [ "$2" = 1 ]; then
		ok "$1"
		echo "# $3"
	else
		echo "$3" >why
		not_ok "$1" <why
	fi
}

# $1: a clock; the rest: scenarios.
on_clock() {
	clock=$1
	shift
	for scenario; do
		case $clock in
		wall) how=wall hz=500 ;;
		*) how='' hz=1000 ;;
		esac
		want=$(prof-record -q -F $hz --clock=$clock -o t.pb.gz \
			"$truth" $scenario "$seconds" $how)
		# See the call for the wall clock, below.
		if [ $how ] && echo "$want" | awk '{ exit !($1 / 100 * $4 > 4 * $5) }'; then
			skip "$scenario, --clock=$clock" \
				"it waited for a processor: part_a took $(echo "$want" |
					awk '{ printf "%.2f of %.2f s, of which %.2f s of CPU time", $1 / 100 * $4, $4, $5 }')"
			continue
		fi
		named "$truth" t.pb.gz >names
		got=$(judge "$want" <names)
		tell "$scenario, --clock=$clock" "${got%% *}" \
			"$(echo "$got" | awk -v want="$want" '{
			printf "known %s; got %s %s %s; chi-square %s, limit %s; ",
			       want, $4, $5, $6, $2, $3
			printf "%s ticks, %s signals", $7, $8
			if (NF > 8)
				printf ", chi-square of their sum %s", $9 }')"
		[ -z "$show_itimer" ] || [ $clock != cpu ] ||
			echo "# ITIMER_PROF: $("$truth" $scenario \
				"$seconds" itimer)"
	done
}

# Of the last profile, which was of "recursion": stacks are as deep as the calls
# were, wherever in the recursion they were taken. 40.5: seven degrees of
# freedom, one in a million.
depths() {
	got=$(awk '
		/^#/ { sub(/.* signals=/, ""); signals = $1; next }
		{ all += $1 }
		$2 != "falls" && $2 != "part_b" { next }
		{
			depth = 0
			for (i = 2; i <= NF; i++)
				depth += $i ~ /^(falls|ping|pong)$/
			# What is above: the same in each, and without a gap.
			above = ""
			for (i = 2 + depth + ($2 == "part_b"); i <= NF; i++)
				above = above " " $i
			if ($2 == "falls")
				ticks[depth] += $1
			else if (depth != 40 || $3 != "pong" || $4 != "ping")
				bad = bad " " depth
			if (!(above in seen)) {
				seen[above] = 1
				ends++
			}
			sum += $2 == "falls" ? $1 : 0
		}
		END {
			for (i in ticks)
				if (i < 1 || i > 8)
					bad = bad " " i
			for (i = 1; i <= 8; i++) {
				chi += (ticks[i] - sum / 8) ^ 2 / (sum / 8)
				list = list sprintf(" %.1f", 100 * ticks[i] / sum)
			}
			chi *= signals / all
			print (bad == "" && ends == 1 && chi < 40.5) ? 1 : 0
			printf "1 to 8 calls, 12.5 each:%s; chi-square %.2f, limit 40.5",
			       list, chi
			printf "; wrong depths:%s; ends: %d\n",
			       bad == "" ? " none" : bad, ends
		}' names)
	tell "$1" "${got%%
*}" "${got#*
}"
}

# ... and a function counts once for a stack, however often it is in there: cum
# of falls() is its flat time, ping() and pong() have both all of part_b(), and
# their caller has all three, up to the few ticks in between.
cumulative() {
	prof-symbolize -q t.pb.gz | prof-text -q --noinlines --tsv >rows
	got=$(awk -F'\t' '
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
			print good ? 1 : 0
			split("falls ping pong part_b part_c mixed", name, " ")
			for (i = 1; i <= 6; i++)
				printf "%s %.1f of %.1f; ", name[i],
				       100 * flat[name[i]] / all,
				       100 * cum[name[i]] / all
		}' rows)
	tell "$1" "${got%%
*}" "${got#*
}"
}

on_clock cpu half eighty bursts short threads-1 threads-4 threads-16 waits-1 \
	waits-4 recursion
depths '... and stacks are as deep as they are known to be'
cumulative '... and a function counts once, however deep it calls itself'
# Where more threads want to run than there are processors, the thread that looks
# at sleepers comes late, and they get too few ticks (doc/sampling.md): four of
# them are for "make truth", on a machine that does nothing else. Even one is
# skipped where its work took four times its CPU time.
# shellcheck disable=SC2086 # one word, or none
on_clock wall waits-1 ${1:+waits-4}
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
