# named.sh - sourced after tap.sh: stacks in the names of a program's functions, and
# estimates against the truth.
#
#	named PROGRAM [OPTION] FILE	what `stacks [OPTION] FILE` prints, with
#					names for frames in PROGRAM and ? for
#					those that are elsewhere
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

# truth NAME PROFILE COMMAND...: COMMAND prints what is known and writes PROFILE,
# which the test's judge() compares with that.
truth() {
	truth_name=$1 truth_profile=$2
	shift 2
	"$@" >known 2>err
	status=$?
	if [ $status -eq 0 ] && judge known "$truth_profile" >why; then
		ok "$truth_name"
		cat why
	else
		{ echo "status $status"; cat err; } >>why
		not_ok "$truth_name" <why
	fi
}
