# live.sh - sourced after tap.sh by the tests that sample a program while it runs.
# Here alone is luck: what such a program does depends on what else the machine does.
#
#	live NAME COMMAND...
#	check NAME STATUS COMMAND <<expected stdout
#	check_err NAME STATUS COMMAND MESSAGE
#
# So each row of these tests is live, also one that looks at what an earlier one recorded.
#
# COMMAND records a program and compares the profile with what the program itself
# measured, within bounds of chance.awk. It starts and ends all that it needs, and
# says what it found. Its status is 0: they agree; 1: they do not; 77: it cannot tell
# here, for the reason that it says; anything else: wrong whatever the machine did. The
# other two are in place of those of tap.sh: they disagree by other output, and are
# wrong by another status, except 1, which is that of grep, cmp and test. What is
# not_ok() by itself is wrong whatever the machine did.
#
# A row that disagrees is tried again, up to five times, if the machine was disturbed:
# the host took the processors (steal), or processes other than this test's had them, a
# fiftieth of the time or more. Five such tries, or 100 seconds of them, are a skipped
# row, with these figures, which tests/house/undisturbed.t tries again when all other
# tests have ended. To disagree in an undisturbed try is to fail.
chance=$(cat "$src/tests/lib/chance.awk")
export chance
live_proc=${live_proc-/proc}

# live_state: the processors' jiffies in all and stolen, and the load; then of each
# process its number, its parent's, whether it is ours, its jiffies, and those of
# children that it has waited for. Ours are this shell, all below it, and all of the
# session that tests/limit gave it.
live_state() {
	read -r live_load live_rest <"$live_proc/loadavg"
	cat "$live_proc/stat" "$live_proc"/[0-9]*/stat 2>/dev/null |
		awk -v root=$$ -v load="$live_load" '
		$1 == "cpu" { for (i = 2; i <= 9; i++) all += $i; steal = $9; next }
		!/^[0-9]+ \(/ { next }
		{
			pid = $1
			sub(/.*\) /, "")
			parent[pid] = $2
			session[pid] = $4
			own[pid] = $12 + $13
			waited[pid] = $14 + $15
		}
		function is_ours(p,	n) {
			for (n = 0; p in parent && n < 100; n++) {
				if (p == root || session[p] == root)
					return 1
				p = parent[p]
			}
			return 0
		}
		END {
			print "all", all, steal + 0, load
			for (p in parent)
				print p, parent[p], is_ours(p), own[p], waited[p]
		}'
}

# live_disturbed: was the machine, between the states in .before and .after? Prints the
# figures. What a process had used that has ended is in the sum of the one that waited
# for it, if any did: only what came to that sum meanwhile counts.
live_disturbed() {
	awk '
		NR == FNR && $1 == "all" { all = -$2; steal = -$3; next }
		$1 == "all" { all += $2; steal += $3; load = $4; next }
		NR == FNR { parent[$1] = $2; before[$1] = $4; waited[$1] = $5; next }
		{
			lives[$1] = !$3
			own[$1] = $4 - before[$1]
			ended[$1] = $5 - waited[$1]
		}
		END {
			for (p in parent) {
				if (p in lives)
					continue
				for (q = p; !(q in lives) && q in parent; )
					q = parent[q]
				ended[q] -= before[p] + waited[p]
			}
			for (p in lives)
				if (lives[p])
					others += own[p] + (ended[p] > 0 ? ended[p] : 0)
			if (all < 1)
				all = 1
			printf "steal %.1f %%, other processes %.1f %%, load %s\n",
			       100 * steal / all, 100 * others / all, load
			exit !(steal + others >= 3 && steal + others >= all / 50)
		}' .before .after
}

# live_again COMMAND...: the recording of the row before serves the first try of this
# one, with what disturbed it; COMMAND makes another.
live_again() {
	if [ "$live_try" -eq 1 ]; then
		cp .recorded .before
	else
		"$@"
	fi
}

live() {
	live_name=$1
	shift
	live_began=$(date +%s)
	: >.tries
	for live_try in 1 2 3 4 5; do
		live_state >.before
		"$@" >.found 2>&1
		live_status=$?
		cp .before .recorded
		if [ $live_status -eq 0 ]; then
			ok "$live_name"
			cat .tries .found | head -40 | sed 's/^/# /'
			return 0
		fi
		live_state >.after
		if ! live_disturbed >.figures || [ $live_status -ne 1 ]; then
			break
		fi
		sed "s/^/try $live_try: /" .figures .found >>.tries
		[ $(($(date +%s) - live_began)) -lt 100 ] || break
	done
	if [ $live_status -eq 77 ]; then
		skip "$live_name" "$(sed '$!d' .found)"
	elif [ $live_status -eq 1 ] && grep -q "^try $live_try: steal" .tries; then
		skip "$live_name" "disturbed $live_try times, at last: $(cat .figures)"
		sed 's/^/# /' .tries
	else
		{ echo "status $live_status"; cat .found .figures .tries; } >.why
		not_ok "$live_name" <.why
	fi
}

# The last COMMAND of these is in $live_command, for live_again.
check() {
	cat >.want
	live_command=$3
	live "$1" live_row check_found "$2" "$3"
}

check_err() {
	live_command=$3
	live "$1" live_row check_err_found "$2" "$3" "$4"
}

# 0, 1 or 2, as above, of a row of tap.sh. Without a recorder in its command it is about
# the recording before, and what disturbed that.
live_row() {
	case $live_command in
	*prof-record*) ;;
	*) cp .recorded .before ;;
	esac
	"$@" <.want || return $((tap_status == $2 || tap_status == 1 ? 1 : 2))
}

live_state >.recorded
: >.want

# unfiltered ROW NAME...: a row that needs to read memory by process_vm_readv(2), which
# libsample does not dare under some seccomp filters (libsample/unwind/filter.h).
unfiltered() {
	if seccomp sees; then
		"$@"
	else
		skip "$2" 'a seccomp filter: no stacks of sleepers and coroutines'
	fi
}

# named PROGRAM [OPTION] FILE: what `stacks [OPTION] FILE` prints, with names for frames
# in PROGRAM and ? for those that are elsewhere.
named() {
	nm --defined-only "$1" | sort >.symbols
	program=${1##*/}
	shift
	stacks "$@" | awk -v program="$program" '
		NR == FNR { at[NR] = $1; name[NR] = $3; n = NR; next }
		/^#/ { print; next }
		{
			line = $1
			for (i = 2; i <= NF; i++)
				line = line " " ($i ~ /^-?[0-9]+$/ ? $i : call($i))
			print line
		}
		function call(where,	part, low, high, mid, addr) {
			if (where in known)
				return known[where]
			split(where, part, "+")
			if (part[1] != program)
				return known[where] = "?"
			addr = sprintf("%016s", part[2])
			gsub(/ /, "0", addr)
			low = 1
			for (high = n; low < high; ) {
				mid = int((low + high + 1) / 2)
				if (at[mid] > addr)
					high = mid - 1
				else
					low = mid
			}
			return known[where] = name[low]
		}' .symbols -
}
