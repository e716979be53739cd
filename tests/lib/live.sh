# live.sh - sourced after tap.sh by the tests that sample a program while it runs.
# Here alone is luck: what such a program does depends on what else the machine does.
#
#	live NAME COMMAND...
#	live_check NAME STATUS COMMAND <<expected stdout
#	live_check_err NAME STATUS COMMAND MESSAGE
#
# COMMAND records a program and compares the profile with what the program itself
# measured, within bounds of chance.awk. It starts and ends all that it needs, and
# says what it found. Its status is 0: they agree; 1: they do not; 77: it cannot tell
# here, for the reason that it says; anything else: wrong whatever the machine did. The
# other two are rows of tap.sh: there 1 is other output,
# and another status is wrong.
#
# Who disagrees is tried again, up to five times, if the machine was disturbed: the host
# took the processors (steal), or processes other than this test's had them, a fiftieth
# of the time or more. Five such tries are a skipped row, with these figures. To
# disagree in an undisturbed try is to fail.
chance=$(cat "$src/tests/lib/chance.awk")
live_proc=${live_proc-/proc}

# live_state: jiffies of steal, of all time of the processors, of processes other than
# ours; and the load. Ours are this shell, all below it, all of the session that
# tests/limit gave it, and those that these have waited for.
live_state() {
	read -r live_load live_rest <"$live_proc/loadavg"
	cat "$live_proc/stat" "$live_proc"/[0-9]*/stat 2>/dev/null |
		awk -v root=$$ -v load="$live_load" '
		$1 == "cpu" { for (i = 2; i <= 9; i++) all += $i; steal = $9; next }
		!/^[0-9]+ \(/ { next }
		{
			pid = $1
			sub(/.*\) /, "")
			parent[pid] = $4 == root ? root : $2
			used[pid] = $12 + $13 + $14 + $15
		}
		function is_ours(p,	n) {
			for (n = 0; p in parent && p != root && n < 100; n++)
				p = parent[p]
			return p == root
		}
		END {
			for (p in used)
				if (!is_ours(p))
					others += used[p]
			print steal + 0, all, others + 0, load
		}'
}

# live_disturbed: was the machine, between the states in .before and .after? Prints the
# figures.
live_disturbed() {
	cat .before .after | awk '
		NR == 1 { steal = $1; all = $2; others = $3; next }
		{
			all = $2 - all
			steal = $1 - steal
			others = $3 - others
			if (all < 1)
				all = 1
			printf "steal %.1f %%, other processes %.1f %%, load %s\n",
			       100 * steal / all, 100 * others / all, $4
			exit !(steal + others >= 3 && steal + others >= all / 50)
		}'
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
	done
	if [ $live_status -eq 77 ]; then
		skip "$live_name" "$(sed '$!d' .found)"
	elif [ $live_status -eq 1 ] && [ "$(grep -c ': steal' .tries)" -eq 5 ]; then
		skip "$live_name" "disturbed five times, at last: $(cat .figures)"
		sed 's/^/# /' .tries
	else
		{ echo "status $live_status"; cat .found .figures .tries; } >.why
		not_ok "$live_name" <.why
	fi
}

# The last COMMAND of these is in $live_command, for live_again.
live_check() {
	cat >.want
	live_command=$3
	live "$1" live_row check_found "$2" "$3"
}

live_check_err() {
	live_command=$3
	live "$1" live_row check_err_found "$2" "$3" "$4"
}

# 0, 1 or 2, as above, of a row of tap.sh.
live_row() {
	"$@" || return $((tap_status == $2 ? 1 : 2))
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
