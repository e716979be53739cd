# fibers.t - stacks of coroutines, without any announcement by the program: all
# frames up to the start of the coroutine, over several pages, and no more.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

# Samples whose leaf is where fibers works have spin, DEPTH + 1 times down, and
# entry; of those of memory, malloc's caller instead of spin. $1: DEPTH.
is_whole() {
	named "$bin/tests/fibers" f.pb.gz >ticks &&
		awk -v depth="$1" -v first="$2" '
		/^#/ {
			for (i = 1; i <= NF; i++)
				if (split($i, kv, "=") == 2)
					count[kv[1]] = kv[2]
			next
		}
		{
			got = ""
			for (k = 2; k <= NF; k++)
				if ($k != "?")
					got = got " " $k
			if (got !~ "^ " first " ")
				next
			if (got ~ / main/)
				next
			sum = first == "spin" ? " spin" : ""
			for (k = 0; k <= depth; k++)
				sum = sum " down"
			seen += $1
			if (index(got, sum " entry") == 1)
				whole += $1
			else
				print "got" got
		}
		END {
			print seen + 0, "seen,", whole + 0, "whole, failed:", \
				count["unwind_failed"]
			# At the very switch no stack is the one it will be.
			exit !seen || seen != whole || \
			     count["unwind_failed"] * 20 > seen
		}' ticks
}

# whole HOW DEPTH FIRST OPTION...
whole() {
	whole_how=$1
	whole_depth=$2
	whole_first=$3
	shift 3
	# shellcheck disable=SC2086 # words
	prof-record -q -F 1000 "$@" -o f.pb.gz "$bin/tests/fibers" $whole_how >out || return 2
	is_whole "$whole_depth" "$whole_first"
}

# $1: name; $2: arguments for fibers; $3: depth; the rest: options.
fibers() {
	name=$1
	how=$2
	depth=$3
	shift 3
	first=spin
	case $* in
	*--heap*) first=down ;;
	esac
	live "$name" whole "$how" "$depth" "$first" "$@"
}

if [ "$(uname -m)" != x86_64 ]; then
	skip 'coroutines' 'known ends of their stacks are those of x86_64'
	plan
	exit
fi

fibers 'swapcontext, in one page' 'context 0 0.2' 0
unfiltered fibers 'swapcontext, over five pages' 'context 40 0.3' 40
fibers 'a switch of its own, in one page' 'switch 0 0.2' 0
unfiltered fibers 'a switch of its own, over five pages' 'switch 40 0.3' 40
unfiltered fibers 'the wall clock' 'context 40 0.3' 40 --clock=wall
unfiltered fibers 'memory' 'switch 40 0.1' 40 --heap=1

name='under a seccomp filter: marked, and alive'
marked() {
	prof-record -q -F 1000 -o f.pb.gz "$bin/tests/fibers" context 40 0.3 filtered >out || return 2
	is_whole 40 spin >why
	whole=$?
	cat why
	[ $whole -ne 0 ] && grep -q 'failed: [1-9]' why
}
"$bin/tests/fibers" context 0 0.01 filtered
case $? in
77) skip "$name" 'no seccomp filters' ;;
*) live "$name" marked ;;
esac

plan
