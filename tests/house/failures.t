#!/bin/sh
# One call of a command fails: an allocation, an open, a read, a write, an fsync,
# a rename (tests/programs/fail.c). For the main job of each command, a call from
# each place of the program fails once; in check-long, each call. Then the command
# ends with status 2 and one line, and leaves no file; or it does what it does
# without a failure, or says in a line what it does not. prof-record may write its
# profile elsewhere, and say in a second line where.
# Slow: a thousand runs.
. "${srcdir:-.}/tests/lib/tap.sh"

[ -z "$sanitized" ] ||
	skip_rest 'calls that fail' 'sanitizers have a malloc() of their own'
lib=$bin/tests/.libs/fail.so
FAIL_DEPTH=2 # of callers
[ -z "$long" ] || FAIL_DEPTH=0
mkdir home dir
nl='
'
HOME=$scratch/home
export HOME FAIL_DEPTH

# judge STATUS: is this how a failure may end? Else why is set. $usual: what the
# command says in any case.
judge() {
	why='' lines=0 elsewhere=''
	while read -r line; do
		case "$nl$usual$nl" in
		*"$nl$line$nl"*) continue ;;
		esac
		lines=$((lines + 1))
		case $line in
		'prof-record: profile: '*) elsewhere=${line#*: *: } ;;
		esac
	done <err
	if [ "$elsewhere" ] && prof-text "work/$elsewhere" >text 2>&1; then
		rm "work/$elsewhere"
		lines=$((lines - 1))
	fi
	if [ "$1" -eq 2 ]; then
		[ "$lines" -eq 1 ] || why="$lines lines"
		[ ! -s out ] || why='a partial output'
		is_clean || why='a file is left'
	elif [ "$1" -ne "$good" ] && [ "$1" -ne "$skipped" ]; then
		why='neither done nor refused'
	elif [ "$lines" -eq 0 ] && ! same; then
		why='another output, without a word'
	fi
	[ -z "$why" ]
}

# same: is the output what it is without a failure?
same() {
	cmp -s out good.out && { [ ! -e good/out ] || cmp -s work/out good/out; }
}

# is_clean: has work/ the files of dir/, and no others? Without a process, as most
# of what follows: there are 1,500 runs.
is_clean() {
	[ "$(echo work/.* work/*)" = "$inputs" ]
}

# run COMMAND [VARIABLE=VALUE]...: in work/, a copy of dir/.
# shellcheck disable=SC2163 # they are NAME=VALUE
run() {
	[ ! -e work/out ] || rm -rf work/out
	is_clean || { rm -rf work && cp -R dir work; }
	[ ! -e index ] || rm -rf index
	(cd work && run=$1 && shift && { [ $# -eq 0 ] || export "$@"; } && eval "exec $run") \
		>out 2>err </dev/null
}

# fails COMMAND: a program without redirections, which may write the file out.
fails() {
	rm -rf good calls bad
	run "$1"
	good=$?
	usual=$(cat err)
	mv work good
	mv out good.out
	run "$1" LD_PRELOAD="$lib" FAIL_LIST="$scratch/calls"
	sed -i /^remove/d calls # what fails to be removed stays
	while read -r call; do
		run "$1" LD_PRELOAD="$lib" FAIL="$call"
		judge $? || echo "FAIL='$call': $why: $(cat err)" >>bad
	done <calls
	[ -s calls ] && [ "$good" -eq 0 ] || echo "status $good: $usual" >>bad
	if [ -s bad ]; then
		not_ok "$1" <bad
	else
		ok "$1: $(wc -l <calls) calls"
	fi
}

cat >text <<'END'
# samples count cpu nanoseconds
@time 1700000000000000000
@duration 1000000000
@period cpu nanoseconds 10000000
@mapping 0x400000 0x500000 0 /bin/app b00f1e
main (a.c:3);json.Encode (b.c:4)=>append (b.h:5);memcpy (m.c:1) 5 50000000 {host="web1"}
main (a.c:3);json.Encode (b.c:4) 3 30000000 {host="web1" bytes=4096bytes}
main (a.c:3);work (w.c:9);std::vector<int, std::allocator<int> >::push_back(int) (w.c:10) 90 900000000
main (a.c:3);work (w.c:9);work (w.c:9) 40 400000000
END
mkprof <text >dir/a.pb.gz
sed 's/^@time 17/@time 18/' text | mkprof >dir/b.pb.gz # another run
mkperf 1 5 >dir/perf.data
raw_demo >dir/raw.pb.gz
prof-symbolize -o dir/named.pb.gz dir/raw.pb.gz
cp -R dir work
inputs=$(echo work/.* work/*)

skipped=0
fails 'prof-merge -o out a.pb.gz b.pb.gz'
fails 'prof-diff -o out a.pb.gz b.pb.gz'
fails 'prof-filter -o out --focus=json --where="host == \"web1\"" a.pb.gz'
fails 'prof-text a.pb.gz'
fails 'prof-text --tree -o out a.pb.gz'
fails 'prof-dot -o out a.pb.gz'
fails 'prof-flame -o out a.pb.gz'
depth=$FAIL_DEPTH
FAIL_DEPTH=2 # Graphviz makes 26,000 calls
fails 'prof-html -o out a.pb.gz'
FAIL_DEPTH=$depth
fails 'prof-gate a.pb.gz -- b.pb.gz'
fails 'prof-list --list=. a.pb.gz'
fails 'prof-list --disasm=encode named.pb.gz'
fails 'prof-export --to folded -o out a.pb.gz'
fails 'prof-export --to cpuprofile -o out a.pb.gz'
fails 'prof-import -o out perf.data'
fails 'prof-fetch -o out a.pb.gz'
fails 'prof-shell -e top a.pb.gz'
skipped=3
fails 'prof-history --match=. --index=../index .'
skipped=0
# Functions that are read again stand in another order.
same() {
	prof-text -q --traces work/out >out.text && prof-text -q --traces good/out | cmp -s - out.text
}
fails 'prof-symbolize -o out raw.pb.gz'
same() {
	prof-text -o /dev/null work/out
}
fails "prof-record -q -F 1000 -o out $bin/tests/demo 0.005 1 >/dev/null" # what it has is luck

plan
