#!/bin/sh
# gate-real.sh - how often does prof-gate fail when nothing changed, on real
# programs? `make gate-real`, on a machine that does nothing else.
#
#	gate-real.sh [RUNS [SPLITS]]	record each of three programs RUNS (8)
#					times at -F 100, 250 and 1000, in turn;
#					compare SPLITS (100) random choices of 3
#					runs with 3 others
#
# The splits of a program and rate share runs, so they are not independent.
set -eu

n_run=${1:-8}
n_split=${2:-100}
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
simulate gate-simulate --quick 40
merge prof-merge -o merged.pb.gz in*.pb.gz
END

# Programs and rates take turns, so that a busy minute is no property of a side.
for run in $(seq "$n_run"); do
	while read -r name command; do
		for hz in 100 250 1000; do
			# shellcheck disable=SC2086
			prof-record -q -F $hz -o raw.pb.gz -- $command \
				</dev/null >/dev/null 2>&1
			prof-symbolize -q raw.pb.gz >"$name.$hz.$run.pb.gz"
		done
	done <programs
done

# split SEED: a random choice of 6 runs.
split() {
	seq "$n_run" | awk -v seed="$1" 'BEGIN { srand(seed) }
		{ print rand(), $1 }' | sort -n | head -n 6 | cut -d ' ' -f 2
}

printf '%-10s %5s %7s %7s %7s\n' program Hz splits fail refused
while read -r name command; do
	for hz in 100 250 1000; do
		failed=0
		refused=0
		for seed in $(seq "$n_split"); do
			set --
			for i in $(split "$seed"); do
				[ $# -ne 3 ] || set -- "$@" --
				set -- "$@" "$name.$hz.$i.pb.gz"
			done
			status=0
			prof-gate -q "$@" >out 2>&1 || status=$?
			[ $status -ne 1 ] || failed=$((failed + 1))
			[ $status -ne 2 ] || refused=$((refused + 1))
			[ $status -eq 0 ] || sed "1s/^/# $name $hz: /;1q" out
		done
		printf '%-10s %5d %7d %7d %7d\n' "$name" $hz "$n_split" \
			$failed $refused
	done
done <programs
