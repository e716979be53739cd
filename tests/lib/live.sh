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
# measured, within bounds of chance.awk. It starts and ends all that it needs, so that
# each try has a recording of its own, and says what it found. Its status is 0: they
# agree; 1: they do not; 77: it cannot tell here, for the reason that it says; anything
# else: wrong whatever the machine did. The other two are in place of those of tap.sh:
# they disagree by other output, and are wrong by another status, except 1, which is that
# of grep, cmp and test. What is not_ok() by itself is wrong whatever the machine did.
#
# A row that disagrees is tried again, up to five times, if the machine was disturbed:
# the host took the processors (steal), or processes other than this test's had them, a
# fiftieth of the time or more (tests/disturbed). Five such tries, or 100 seconds of them
# and three, are a skipped row, with these figures, which tests/house/undisturbed.t tries
# again when all other tests have ended, and fails if they all disagree. To disagree in an
# undisturbed try is to fail.
chance=$(cat "$src/tests/lib/chance.awk")
export chance
live_proc=${live_proc-/proc}
live_remake=:
live_command=
live_try=1

# live_see: what each process has used so far goes to file $live_before; never to that of
# the row which recorded last, $live_recorded, as the next one may be about the same.
live_see() {
	live_before=.state1
	[ "$live_recorded" != .state1 ] || live_before=.state2
	disturbed "$live_proc" $$ $live_before
}

# live_again [COMMAND...]: the recording of the row before serves the first try of this
# one, with what disturbed it; COMMAND makes another, or what recorded last.
# shellcheck disable=SC2120 # scripts name one
live_again() {
	live_is_about=1
	if [ "$live_try" -eq 1 ]; then
		live_before=$live_recorded
	elif [ $# -eq 0 ]; then
		eval "$live_remake" >.remade 2>&1 </dev/null
	else
		"$@"
	fi
	[ $# -eq 0 ] || live_remake=$*
}

# live_remember COMMAND...: what records, unless the row is about another recording, or
# its words need quotes.
live_remember() {
	[ -z "$live_is_about" ] || return 0
	live_maker=$live_command
	case "$*" in
	"live_row "*) live_remake='sh -c "$live_maker"' ;;
	*[!A-Za-z0-9_./=:,\ -]*) live_remake=: ;;
	*) live_remake=$* ;;
	esac
}

# live_seconds: since the machine began.
live_seconds() {
	read -r live_now </proc/uptime
	live_now=${live_now%%.*}
}

live() {
	live_name=$1
	shift
	live_seconds
	live_began=$live_now
	: >.tries
	for live_try in 1 2 3 4 5; do
		live_see
		live_is_about=
		"$@" >.found 2>&1
		live_status=$?
		live_recorded=$live_before
		live_remember "$@"
		if [ $live_status -eq 0 ]; then
			ok "$live_name"
			[ ! -s .tries ] && [ ! -s .found ] ||
				sed -n '1,40s/^/# /p' .tries .found
			return 0
		fi
		if ! disturbed "$live_proc" $$ $live_before since >.figures ||
			[ $live_status -ne 1 ]; then
			break
		fi
		sed "s/^/try $live_try: /" .figures .found >>.tries
		live_seconds
		[ $((live_now - live_began)) -lt 100 ] || [ "$live_try" -lt 3 ] || break
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

# Without a process more: what is to be printed goes to .want.
live_want() {
	while IFS= read -r live_line; do
		printf '%s\n' "$live_line"
	done >.want
}

check() {
	live_want
	live_command=$3
	live "$1" live_row check_found "$2" "$3"
}

check_err() {
	live_command=$3
	live "$1" live_row check_err_found "$2" "$3" "$4"
}

# 0, 1 or 2, as above, of a row of tap.sh. Without a recorder in its command it is about
# the recording before.
live_row() {
	case $live_command in
	*prof-record*) ;;
	*) live_again ;;
	esac
	"$@" <.want || return $((tap_status == $2 || tap_status == 1 ? 1 : 2))
}

live_recorded=
live_see
live_recorded=$live_before
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
