#!/bin/sh
# torture.t [SECONDS KILLS] - samples a program that does everything that is
# hard for a sampler; then kills it at random moments. No hang, no crash, no
# unreadable profile, no tick that is neither kept nor counted as lost. `make
# torture` runs it for minutes.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"
seconds=${1:-${long:+3}}
seconds=${seconds:-0.4}
kills=${2:-10}
. "$src/tests/lib/live.sh"

plugin=$bin/tests/.libs/torture-plugin.so

# The signals in the samples and those that the comment speaks of: as many, save
# those that $2 threads were about to write when they died, and those that were lost.
# So are the ticks of the wall clock, of which on a busy machine a signal has many;
# those of CPU time are weighed, and in sum no more than the kernel billed.
adds_up() {
	stacks --all "$1" >.stacks && awk -v room="$2" -v may_exceed="$3" '
		/^#/ {
			for (i = 1; i <= NF; i++)
				if (split($i, kv, "=") == 2)
					count[kv[1]] = kv[2]
			next
		}
		{ signals += $1; s += $2 / 1e9 }
		END {
			missing = count["signals"] - signals
			print "missing", missing, "of", count["signals"], \
				"signals, room", room
			bad = missing < -room || missing > room + count["lost"]
			if (count["clock"] == "wall") {
				missing = count["ticks"] - count["lost"] - \
					s * count["asked_hz"]
				if (count["signals"])
					room *= count["ticks"] / count["signals"]
				print missing, "of", count["ticks"], \
					"ticks, room", room
				bad = bad || missing < -room - 1 || \
					missing > room + 1
			} else {
				print s, "of", count["cpu_used"], "s"
				bad = bad || \
					(!may_exceed && s > 1.01 * count["cpu_used"])
			}
			exit !("ticks" in count) || bad
		}' .stacks
}

# $1: name; the rest: options.
torture() {
	name=$1
	shift
	timeout -s ABRT $((${seconds%.*} * 10 + 300)) \
		prof-record "$@" -o t.pb.gz "$bin/tests/torture" "$seconds" \
		"$plugin" >out 2>err
	status=$?
	{ echo "status $status"; cat out err; } >why
	# What children were about to write when the recorder stopped.
	if [ $status -eq 0 ] && adds_up t.pb.gz 8 >>why 2>&1; then
		ok "$name"
		sed 's/^/# /' out
		sed -n 's/^# sampling/# sampling/p' .stacks
	else
		not_ok "$name" <why
	fi
}

torture 'CPU clock' -F 1000
torture 'CPU clock, first process only' -F 4000 --children=none
torture 'perf clock' -q -F 4000 --clock=perf
torture 'wall clock' -F 1000 --clock=wall
torture 'wall clock, faster' -F 5000 --clock=wall

# Served, with everything recorded: while it goes on, one client asks for a
# second after the other, and others misbehave. What the one has got is part of
# the whole, and is never less than nothing.
# get PATH: the body of the answer; nothing if it came too late.
get() {
	printf 'GET %s HTTP/1.0\r\n\r\n' "$1" | rude "$port" ask >answer
	grep -aq '^the program has ended' answer || sed '1,/^.$/d' answer
}
pester() {
	until port=$(sed -n 's|.*listening on http://127.0.0.1:\([0-9]*\)/.*|\1|p' \
		err) && [ -n "$port" ]; do sleep 0.05; done
	n=0
	while kill -0 "$1" 2>/dev/null; do
		n=$((n + 1))
		rude "$port" gone 20
		get '/debug/pprof/profile?seconds=1' >"w.$n"
		rude "$port" flood 200
		get /debug/pprof/heap >"h.$n"
		get /pprof/contention >"c.$n"
	done 2>/dev/null
}
# The sum of the profiles of a second, and of the whole: 2 if it is wrong, 1 if the
# program ran too little for it.
served_adds_up() {
	served=0
	parts=0
	for f in w.*; do
		[ -e "$f" ] || return 1
		[ -s "$f" ] || continue # it came too late
		stacks --all "$f" >.part || return 2
		signals=$(awk '/^[0-9]/ { n += $1 } /^-/ { exit 1 }
			END { print n + 0 }' .part) || return 2
		parts=$((parts + signals))
		served=$((served + 1))
	done
	for f in h.* c.*; do
		[ -e "$f" ] || return 1
		[ ! -s "$f" ] || prof-text -q "$f" >/dev/null || return 2
	done
	whole=$(awk '/^[0-9]/ { n += $1 } END { print n + 0 }' .stacks)
	echo "served $served profiles: $parts of $whole signals"
	[ "$parts" -le "$whole" ] || return 2
	[ "$parts" -gt 0 ]
}
served() {
	rm -f w.* h.* c.*
	: >err
	timeout -s ABRT $((${seconds%.*} * 10 + 300)) \
		prof-record --listen 0 -F 1000 --heap=65536 --lock=10000 \
		-o t.pb.gz "$bin/tests/torture" $((${seconds%.*} + 2)) "$plugin" 2>err &
	record=$!
	pester $record &
	wait $record
	status=$?
	wait
	echo "status $status"
	cat err
	[ $status -eq 0 ] && adds_up t.pb.gz 8 || return 2
	sed -n '/^# sampling/p' .stacks
	served_adds_up
}
if lacks 'prof-record --listen 0 true'; then
	skip 'served' 'without libmicrohttpd'
else
	live 'served, to clients of all kinds' served
fi

# What is sampled of the heap and of locks has weights, so sums say nothing; but
# nothing is negative, and no more is in use than was allocated.
is_sane() {
	stacks --all "$1" >.stacks && awk '
		/^#/ { seen++; next }
		$1 < 0 || $2 < 0 { bad++ }
		$3 ~ /^[-0-9]+$/ && ($3 < 0 || $4 < 0 || $3 > $1 + 1) { bad++ }
		END { exit bad || !seen }' .stacks
}

# What stands in front of malloc and of locks, under each allocator. $1: name;
# $2: an allocator; the rest: options.
torture_hooks() {
	name=$1
	allocator=$2
	shift 2
	if [ -n "$allocator" ]; then
		allocator=$(dirname "$(${CC:-cc} -print-file-name=libc.so.6)")/$allocator
		[ -e "$allocator" ] || {
			skip "$name" 'not there'
			return
		}
	fi
	LD_PRELOAD=$allocator timeout -s ABRT $((${seconds%.*} * 10 + 300)) \
		prof-record "$@" -o t.pb.gz "$bin/tests/torture" "$seconds" \
		"$plugin" >out 2>err
	status=$?
	{ echo "status $status"; cat out err; } >why
	if [ $status -eq 0 ] && is_sane t.pb.gz >>why 2>&1; then
		ok "$name"
		sed 's/^/# /' out
		sed -n 's/^# sampling/# sampling/p' .stacks
	else
		not_ok "$name" <why
	fi
}

torture_hooks 'heap' '' --heap=20000
torture_hooks 'heap, every allocation' '' --heap=1
torture_hooks 'heap under tcmalloc' libtcmalloc_minimal.so.4 --heap=20000
torture_hooks 'heap under jemalloc' libjemalloc.so.2 --heap=20000
torture_hooks 'locks' '' --lock=1

n=0
: >why
: >sums
while [ $n -lt "$kills" ]; do
	n=$((n + 1))
	when=$(awk -v n=$n 'BEGIN { srand(n); print 0.02 + 0.3 * rand() }')
	good='adds_up k.pb.gz 20 left' # children that nobody waits for
	case $((n % 5)) in
	0) how='-F 1000 --clock=cpu' ;;
	1) how='-F 1000 --clock=wall' ;;
	2) how='-F 1000 --clock=perf' ;;
	3) how=--heap=5000 good='is_sane k.pb.gz' ;;
	4) how=--lock=1000 good='is_sane k.pb.gz' ;;
	esac
	# In a shell of its own, which says that it was killed to nobody.
	# shellcheck disable=SC2086 # words
	(exec prof-record -q $how -o k.pb.gz \
		"$bin/tests/torture" "$when" "$plugin" kill) >out 2>err
	status=$?
	[ $status -eq 137 ] && $good >sum 2>&1 && cat sum >>sums && continue
	{ echo "kill $n: status $status"; cat out err sum; } >>why
done 2>/dev/null
if [ ! -s why ]; then
	ok "killed $kills times"
	awk '/^missing/ { missing += $2; ticks += $4; most = $2 > most ? $2 : most }
		END { print "# missing", missing + 0, "of", ticks + 0, \
			"signals, at most", most + 0 }' sums
else
	not_ok "killed $kills times" <why
fi

plan
