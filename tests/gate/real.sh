#!/bin/sh
# gate-real.sh - how often does prof-gate fail when nothing changed, on real
# programs? `make gate-real`, beside whatever else the machine does.
#
#	gate-real.sh [RUNS [SPLITS]]	record each of three programs RUNS (60)
#					times, in turn; compare SPLITS (300)
#					random choices of 5 runs with 5 others,
#					and of 8 with 8
#
# The splits of a program share runs, so they are not independent.
set -eu

n_run=${1:-60}
n_split=${2:-300}
bin=${abs_builddir:?run by make gate-real}
PATH=$bin:$bin/tests:$PATH
LC_ALL=C
export PATH LC_ALL
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

for i in $(seq 20); do
	mkbig 20000 3000 1500 "$i" >"in$i.pb.gz"
done
cat >work.py <<'END'
import json, re, zlib

def parse(text):
    return json.loads(text)

def search(text):
    return len(re.findall(r'"k\d*7": \d+', text))

def pack(text):
    return len(zlib.compress(text.encode(), 6))

def count(n):
    seen = {}
    for i in range(n):
        seen[i * i % 1009] = seen.get(i * i % 1009, 0) + 1
    return len(seen)

text = json.dumps({f"k{i}": i * i for i in range(20000)})
for _ in range(25):
    parse(text), search(text), pack(text), count(200000)
END
cat >programs <<'END'
python3 python3 work.py
simulate env ROW=waits gate-simulate 100
merge prof-merge -o merged.pb.gz in*.pb.gz
END

# Programs take turns, so that a busy minute is no property of one.
for run in $(seq "$n_run"); do
	while read -r name command; do
		# shellcheck disable=SC2086
		prof-record -q -F 999 -o raw.pb.gz -- $command \
			</dev/null >/dev/null 2>&1
		prof-symbolize -q raw.pb.gz >"$name.$run.pb.gz"
	done <programs
done

# split SEED N: a random choice of N runs.
split() {
	seq "$n_run" | awk -v seed="$1" 'BEGIN { srand(seed) }
		{ print rand(), $1 }' | sort -n | head -n "$2" | cut -d ' ' -f 2
}

printf '%-10s %4s %7s %7s %7s\n' program runs splits fail refused
while read -r name command; do
	for n in 5 8; do
		failed=0
		refused=0
		for seed in $(seq "$n_split"); do
			set --
			for i in $(split "$seed" $((2 * n))); do
				[ $# -ne $n ] || set -- "$@" --
				set -- "$@" "$name.$i.pb.gz"
			done
			status=0
			prof-gate -q "$@" >out 2>err || status=$?
			[ $status -ne 1 ] || failed=$((failed + 1))
			[ $status -ne 2 ] || refused=$((refused + 1))
			[ $status -eq 0 ] || sed "s/^/# $name: /;1q" out
		done
		printf '%-10s %dv%d %7d %7d %7d\n' "$name" $n $n "$n_split" \
			$failed $refused
	done
done <programs
