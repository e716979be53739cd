#!/bin/sh
# Damage that no checksum and no size shows: every input is read or refused, in
# seconds, without a crash.
# Slow: hundreds of runs.
. "${srcdir:-.}/tests/lib/tap.sh"

need_tools 'damage behind checksums' python3
n=${long:+400}
n=${n:-20}

# mended KIND FILE COMMAND [COMMAND]: "@" in it is the damaged file, of each seed.
mended() {
	: >bad
	rm -f mended.*
	python3 "$src/tests/lib/mend.py" "$1" "$2" "$n" mended 2>err || cat err >>bad
	for seed in $(seq "$n"); do
		for command in "$3" ${4:+"$4"}; do
			run=$(echo "$command" | sed "s/@/mended.$seed/g")
			(ulimit -t 20 && eval "exec $run") >/dev/null 2>err </dev/null
			status=$?
			[ $status -le 3 ] && ! grep -q 'internal error' err ||
				echo "seed $seed: $command: status $status: $(head -n 1 err)" >>bad
		done
	done
	if [ -s bad ]; then
		not_ok "$1: ${2##*/}" <bad
	else
		ok "$1: ${2##*/}"
	fi
}

for f in good-full good-go-cpu good-frames; do
	mended gzip "$data/$f.pb.gz" 'prof-text -q --traces @' 'prof-merge -q @ @'
done
mkperf 1 20 >good.data && mended perf "$PWD/good.data" 'prof-import -q @'
mkdir -p archive/2020-01-01
cp "$data/good-go-cpu.pb.gz" archive/2020-01-01/100000.pb.gz
cp "$data/good-gperf-cpu.prof" archive/2020-01-01/110000.prof
if prof-history -q --index=index --match=. archive >good.out 2>&1; then
	mended index "$PWD/index" 'prof-history -q --index=@ --match=. archive' \
		'prof-history -q --index=@ --top-movers archive'
	# right SEED: what a damaged index gives is what it gave before, or a line says more.
	right() {
		prof-history --index="mended.$1" --match=. archive >out 2>err
		[ -s err ] || cmp -s out good.out || echo "seed $1: another answer"
	}
	python3 "$src/tests/lib/mend.py" page "$PWD/index" "$n" mended
	for seed in $(seq "$n"); do
		right "$seed"
	done >bad
	check 'what damages a page is said, or changes nothing' 0 'cat bad' </dev/null
else
	skip 'index' 'this build has no history'
fi
plan
