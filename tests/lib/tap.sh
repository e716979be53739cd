# tap.sh - sourced by the tests that are rows: a name, the wanted exit status,
# a command, and on standard input what it must print.
#
#	. "${srcdir:-.}/tests/lib/tap.sh"
#	check 'equal stacks add up' 0 'prof-merge a a | prof-text --folded' <<'END'
#	main;work 40
#	END
#	plan
#
# Commands run by sh in a scratch folder, with the build's commands first on
# PATH; $data is testdata/, $bin the build folder.

# No cache: tests must not share cached answers with each other or the user.
LC_ALL=C TZ=UTC PROF_CACHE=''
export LC_ALL TZ PROF_CACHE
unset PROFPIPE_CACHE PPROF_TOOLS PPROF_BINARY_PATH PPROF_TMPDIR NO_COLOR

# What Go has compiled of its library serves all scripts.
GOCACHE=${abs_builddir:?run by make check}/tests/go.kept
export GOCACHE

# Is this make check-long, which runs the long forms of tests?
long=${PROF_LONG-${PROFPIPE_LONG-}}

data=${abs_srcdir:?run by make check}/testdata
: "${commands:?run by make check}"
src=$abs_srcdir
bin=${abs_builddir:?run by make check}
# The programs of tests come first: make demo leaves a folder of a program's name in $bin.
PATH=$bin/tests:$bin:$PATH
export data src bin long PATH

scratch=$(mktemp -d "${TMPDIR:-/tmp}/a test.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM
cd "$scratch" || exit 99

# What tools keep for later they keep here; what rustup and npm read stays where it is.
RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
npm_config_userconfig=${npm_config_userconfig:-$HOME/.npmrc}
HOME=$scratch TMPDIR=$scratch/.tmp
mkdir "$TMPDIR"
export RUSTUP_HOME npm_config_userconfig HOME TMPDIR
unset XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME
# A make or gcc -flto of a test would take the jobs of make check; gcc 14 fails if it gets none.
unset MAKEFLAGS MFLAGS MAKELEVEL

# The number of results so far: in a file, as a result may come from a subshell.
count() {
	read -r tap_n <"$scratch/.tap_n"
	tap_n=$((tap_n + 1))
	echo $tap_n >"$scratch/.tap_n"
}
echo 0 >"$scratch/.tap_n"

# ok NAME / not_ok NAME: one result. not_ok takes an explanation on stdin.
ok() {
	count
	echo "ok $tap_n - $1"
}

not_ok() {
	count
	echo "not ok $tap_n - $1"
	sed 's/^/# /'
}

# skip NAME WHY: a skipped test is always printed, with the reason.
skip() {
	count
	echo "ok $tap_n - $1 # SKIP ${2:-what failed did not say why}"
}

# found FILE: begins the body of each loop over a pattern of file names, as
# found "$f" || continue. A pattern that matches nothing is a failure.
found() {
	[ ! -e "$1" ] || return 0
	echo "no file matches $1" | not_ok 'there are files to test'
	return 1
}

# check NAME STATUS COMMAND <<expected stdout. Standard error must be empty;
# with check_err it must contain the fourth argument.
check() {
	if check_found "$2" "$3" >.why; then
		ok "$1"
	else
		not_ok "$1" <.why
	fi
}

check_err() {
	if check_err_found "$2" "$3" "$4" >.why; then
		ok "$1"
	else
		not_ok "$1" <.why
	fi
}

# check_found STATUS COMMAND <<expected stdout, and check_err_found STATUS COMMAND MESSAGE:
# is it so? If not, the difference is printed. There are thousands of rows: those that
# agree start no more than the command and a diff.
check_found() {
	sh -c "$2" >.out 2>.err </dev/null
	tap_status=$?
	diff -u --label wanted --label found - .out >.diff &&
		[ $tap_status -eq "$1" ] && [ ! -s .err ] && return 0
	echo "command: $2"
	echo "status $tap_status, wanted $1"
	head -40 .diff
	head -5 .err
	return 1
}

check_err_found() {
	sh -c "$2" >.out 2>.err </dev/null
	tap_status=$?
	{ IFS= read -r tap_line && ! read -r tap_rest && [ -z "$tap_rest" ]; } <.err &&
		[ $tap_status -eq "$1" ] && [ ! -s .out ] &&
		case $tap_line in *"$3"*) return 0 ;; esac
	echo "command: $2"
	echo "status $tap_status, wanted $1"
	echo "wanted one line with: $3"
	head -5 .err
	head -5 .out
	return 1
}

# lacks COMMAND: was it built without a library that it needs?
lacks() {
	sh -c "$1" 2>&1 </dev/null | grep -qa 'this build has no'
}

# tiny_sources: go where the sources of good-tiny.pb.gz are found, as pprof and
# prof-list look for them.
tiny_sources() {
	mkdir -p tmp src/demo/cwd
	cd src/demo/cwd || exit 99
	seq -f 'work line %g' 60 >../work.c
	seq -f '	main line %g' 30 >../main.c
	seq -f 'util line %g' 12 >../util.h
}

# raw_demo: a profile without names: one sample in each function of tests/demo that
# works, below its callers, and each once more in libc.
raw_demo() {
	{ nm "$bin/tests/demo"; ldd "$bin/tests/demo"; } | awk -v demo="$bin/tests/demo" '
		NF == 3 { at[$3] = $1 }
		$1 ~ /^libc\.so/ { libc = $3 }
		function sample(leaf, more) {
			printf "0x1%s;0x1%s;0x1%s%s 10 100000000\n",
			       substr(at["work"], 8), substr(at["request"], 8),
			       substr(at[leaf], 8), more
		}
		END {
			print "# samples count cpu nanoseconds"
			print "@period cpu nanoseconds 10000000"
			print "@mapping 0x1000000000 0x1100000000 0", demo
			print "@mapping 0x2000000000 0x2100000000 0", libc
			for (i = split("encode walk checksum", leaf); i; i--) {
				sample(leaf[i], "")
				sample(leaf[i], ";[2]0x2000050000")
			}
		}' | mkprof
}

# Each recording of perf asks for build-ids of mappings: while any other on the machine does
# (prof-record --all in another test), the kernel (6.18) marks the mappings of each as
# having some, and a perf that did not ask (6.1) smashes its stack with them, or
# believes them and finds no symbols.
if command -v perf >/dev/null; then
	perf() {
		tap_perf=$1
		[ "$1" != record ] || tap_perf='record --buildid-mmap'
		shift
		# shellcheck disable=SC2086 # words
		command perf $tap_perf "$@"
	}
fi

# have TOOL...: are all of them installed?
have() {
	for tap_tool; do
		command -v "$tap_tool" >/dev/null || return 1
	done
}

# others: can another user load what was built? Root can try; of a checkout in root's home
# nobody else can.
others() {
	[ "$(id -u)" = 0 ] && have setpriv && setpriv --reuid=65534 --regid=65534 --clear-groups \
		test -r "$bin/.libs/libsample.so"
}
others_why='needs root, setpriv, and a build that others can read'

# skip_rest NAME WHY: the test ends here.
skip_rest() {
	skip "$@"
	plan
	exit 0
}

# need_symbols NAME, need_curl NAME, need_disassembly NAME, need_tools NAME
# TOOL...: skip the rest of the test if they are missing.
need_symbols() {
	! lacks 'prof-symbolize "$data"/good-tiny.pb.gz' ||
		skip_rest "$1" 'this build has no elfutils'
}

need_disassembly() {
	need_symbols "$1"
	! lacks 'prof-list --disasm=main "$data"/good-record-work.pb.gz' ||
		skip_rest "$1" 'this build has no capstone'
}

need_curl() {
	! lacks 'prof-fetch 127.0.0.1:1' ||
		skip_rest "$1" 'this build has no libcurl'
}

need_tools() {
	tap_name=$1
	shift
	have "$@" || skip_rest "$tap_name" "one of these is missing: $*"
}

plan() {
	read -r tap_n <"$scratch/.tap_n"
	echo "1..$tap_n"
}
