#!/bin/sh
# torture.t [SECONDS KILLS] - a program that does everything that is hard on a
# sampler, sampled; then the same killed at random moments. No hang, no crash,
# no profile that cannot be read, no tick that is neither kept nor counted as
# lost. `make torture` runs it for minutes.
seconds=${1:-1}
kills=${2:-10}
. "${srcdir:-.}/tests/tap.sh"

plugin=$bin/tests/.libs/torture-plugin.so

# The ticks in the samples and those that the comment speaks of: as many, save
# those that $2 threads were about to write when they died. Each writes the
# ticks of one signal, which on a busy machine are many.
adds_up() {
	stacks "$1" >.stacks && awk -v room="$2" '
		/^#/ {
			for (i = 1; i <= NF; i++)
				if (split($i, kv, "=") == 2)
					count[kv[1]] = kv[2]
			next
		}
		{ sum += $1 }
		END {
			missing = count["ticks"] - count["lost"] - sum
			if (count["signals"])
				room *= count["ticks"] / count["signals"]
			print "missing", missing + 0, "of", \
				count["ticks"], "room", room
			exit !("ticks" in count) || missing < -room ||
			     missing > room
		}' .stacks
}

# $1: name; the rest: options.
torture() {
	name=$1
	shift
	timeout -s ABRT $((seconds * 10 + 60)) \
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

n=0
: >why
while [ $n -lt "$kills" ]; do
	n=$((n + 1))
	when=$(awk -v n=$n 'BEGIN { srand(n); print 0.02 + 0.3 * rand() }')
	case $((n % 3)) in
	0) clock=cpu ;;
	1) clock=wall ;;
	2) clock=perf ;;
	esac
	# In a shell of its own, which says that it was killed to nobody.
	(exec prof-record -q -F 1000 --clock=$clock -o k.pb.gz \
		"$bin/tests/torture" "$when" "$plugin" kill) >out 2>err
	status=$?
	[ $status -eq 137 ] && adds_up k.pb.gz 20 >sum 2>&1 && continue
	{ echo "kill $n: status $status"; cat out err sum; } >>why
done 2>/dev/null
if [ ! -s why ]; then
	ok "killed $kills times"
else
	not_ok "killed $kills times" <why
fi

plan
