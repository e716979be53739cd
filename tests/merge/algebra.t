#!/bin/sh
# Sums and differences against go tool pprof: the same samples, with the same
# frames, labels and values. pprof orders its tables by first use, we by
# contents, so both are compared as sorted lines (normal.sh).
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/normal.sh"

pprof=$(go env GOTOOLDIR 2>/dev/null)/pprof
if [ ! -x "$pprof" ]; then
	skip_rest 'sums and differences are those of pprof' 'no go tool pprof'
fi

n=0
: >failed

# pprof writes no samples with an empty stack: so these are not compared.
lines() {
	add_up | grep -v '^[[:space:]]'
}

# same "OUR COMMAND" PPROF-ARGUMENTS...
same() {
	ours=$1
	shift
	n=$((n + 1))
	if ! "$pprof" -proto -symbolize=none -output=theirs.pb.gz "$@" \
		>err 2>&1; then
		echo "pprof $*: $(tail -1 err)" >>failed
		return
	fi
	normal <theirs.pb.gz | lines >want
	sh -c "$ours" 2>err | normal | lines >have
	cmp -s want have || {
		echo "$ours"
		head -1 err
		diff want have | head -6
	} >>failed
}

# all FIRST SECOND: every operation on two profiles.
all() {
	same "prof-merge $1 $2" "$1" "$2"
	same "prof-merge $2 $1 $1" "$2" "$1" "$1"
	same "prof-diff --base $1 $2" -base "$1" "$2"
	same "prof-diff $1 $2" -diff_base "$1" "$2"
	# Equal samples in one file: pprof of 2025 rounds each, before adding them.
	prof-merge "$1" >one.pb.gz
	prof-merge "$2" >two.pb.gz
	same "prof-diff --normalize $1 $2" -normalize -diff_base one.pb.gz two.pb.gz
	same "prof-diff --normalize --base $1 $2" -normalize -base one.pb.gz two.pb.gz
}

verdict() {
	if [ -s failed ]; then
		not_ok "$1 ($n comparisons)" <failed
	else
		ok "$1 ($n comparisons)"
	fi
	: >failed
	n=0
}

cp "$data"/good-*.pb.gz .
all good-old.pb.gz good-new.pb.gz
all good-go-cpu.pb.gz good-go-cpu-long.pb.gz
all good-go-heap.pb.gz good-go-allocs.pb.gz
all good-go-mutex.pb.gz good-go-block.pb.gz
for f in tiny go-conns frames tags edges full heap4 nosyms go-goroutine; do
	[ -e "good-$f.pb.gz" ] || continue
	same "prof-merge good-$f.pb.gz" "good-$f.pb.gz"
	same "prof-merge good-$f.pb.gz good-$f.pb.gz" "good-$f.pb.gz" \
		"good-$f.pb.gz"
done
verdict 'of real profiles'

# 17: values of both signs; 16: only what pprof tells apart.
i=1
while [ $i -le $((${long:+15} + 5)) ]; do
	mkrandom $i $((16 + i % 2)) >a.pb.gz
	mkrandom $((i + 1000)) $((16 + i % 2)) >b.pb.gz
	all a.pb.gz b.pb.gz
	i=$((i + 1))
done
verdict 'of random profiles'

# Where we differ on purpose: what pprof answers, and what we do.
values() {
	normal | cut -f2
}

# differs NAME WANT-OF-PPROF WANT-OF-US "OUR COMMAND" PPROF-ARGUMENTS...
differs() {
	name=$1 theirs=$2 want=$3 ours=$4
	shift 4
	if "$pprof" -proto -symbolize=none -output=theirs.pb.gz "$@" \
		>err 2>&1; then
		got=$(values <theirs.pb.gz | tr '\n' ';')
	else
		got=refused
	fi
	have=$(sh -c "$ours" 2>/dev/null | values | tr '\n' ';')
	if [ "$got" = "$theirs" ] && [ "$have" = "$want" ]; then
		ok "$name"
	else
		echo "pprof: $got, not $theirs; we: $have, not $want" |
			not_ok "$name"
	fi
}

printf '# samples count cpu ms\n@period cpu ms 1\nmain 5 0\n' |
	mkprof >ms.pb.gz
printf '# samples count cpu ns\n@period cpu ns 1\nwork 1 7\n' |
	mkprof >ns.pb.gz
differs 'a sample without time survives a change of unit' '1 7;' '5 0;1 7;' \
	'prof-merge ms.pb.gz ns.pb.gz' ms.pb.gz ns.pb.gz
printf '# samples count cpu ms\n@period cpu ms 1\nmain 4 8\n' |
	mkprof >ms8.pb.gz
printf '# samples count cpu ns\n@period cpu ns 1\nmain 2 4000000\n' |
	mkprof >ns4.pb.gz
differs 'profiles in different units are normalized' refused '' \
	'prof-diff --base --normalize ms8.pb.gz ns4.pb.gz' \
	-normalize -base ms8.pb.gz ns4.pb.gz
printf '# n count\nmain 9223372036854775807\n' | mkprof >max.pb.gz
differs 'a sum beyond 64 bits stays positive' '-2;' '9223372036854775807;' \
	'prof-merge max.pb.gz max.pb.gz' max.pb.gz max.pb.gz
printf '# n count\nmain 9007199254740993\n' | mkprof >odd.pb.gz
printf '# n count\nmain 9007199254740992\n' | mkprof >even.pb.gz
differs 'a difference beyond 53 bits is exact' '' '-1;' \
	'prof-diff --base odd.pb.gz even.pb.gz' -base odd.pb.gz even.pb.gz
printf '# objects count space bytes\n@period space bytes 1\nmain 1 64\n' |
	mkprof >heap2.pb.gz
printf '# inuse_objects count inuse_space bytes\n@period space bytes 1\nmain 2 8\n' |
	mkprof >inuse.pb.gz
differs 'two-column heaps go with four-column ones' refused '3 72;' \
	'prof-merge heap2.pb.gz inuse.pb.gz' heap2.pb.gz inuse.pb.gz
plan
