#!/bin/sh
# A command is killed before a call that opens, writes, syncs, renames or removes
# a file, each in turn (tests/programs/fail.c), and runs again undisturbed. Then
# nothing is lost, counted twice or left in half.
. "${srcdir:-.}/tests/lib/tap.sh"

[ -z "$sanitized" ] ||
	skip_rest 'killed commands' 'sanitizers have a malloc() of their own'
lib=$bin/tests/.libs/fail.so
mkdir home dir
HOME=$scratch/home
export HOME

# killed COMMAND LOOK [AT ONCE]: in work/, a copy of dir/. LOOK prints what there
# is after COMMAND; AT ONCE prints nothing, even before it has run again. Four kills in five
# leave the same files as an earlier one: these are looked at once.
killed() {
	rm -rf work calls bad states
	cp -R dir work
	(cd work && sh -c "$1 && $2") >want 2>&1 || echo 'it fails' >bad
	rm -rf work
	cp -R dir work
	(cd work && LD_PRELOAD=$lib FAIL_LIST=$scratch/calls sh -c "exec $1") >/dev/null 2>&1
	grep -v -e malloc -e read calls >kills
	: >states
	while read -r call; do
		rm -rf work index
		cp -R dir work
		{
			(cd work && LD_PRELOAD=$lib FAIL_KILL=1 FAIL=$call sh -c "exec $1") \
				>/dev/null
			status=$?
		} 2>.err # and the shell's word about it
		[ $status -eq 137 ] || echo "$call: not killed" >>bad
		state=$(tar -c --sort=name --mtime=@0 work index 2>/dev/null | cksum)
		! grep -qxF "$state" states || continue
		echo "$state" >>states
		(cd work && sh -c "${3-:}") >got 2>&1
		[ ! -s got ] || sed "s/^/FAIL='$call', at once: /" got >>bad
		(cd work && sh -c "$1; $2") >got 2>&1
		diff want got >.diff || sed "s/^/FAIL='$call': /" .diff >>bad
	done <kills
	if [ -s bad ] || [ ! -s kills ]; then
		cat want bad | not_ok "$1"
	else
		ok "$1: $(wc -l <kills) calls"
	fi
}

for f in 2026-10-01/09 2026-10-01/10 2026-11-19/09 2026-11-21/10; do
	mkdir -p dir/$f
	for minute in 00 30; do
		printf '# cpu nanoseconds\nmain;f%s 1%s\n' $minute ${f#*/} | mkprof - \
			>dir/$f/$minute.pb.gz
	done
done
all="find . -type f -name '*.pb.gz' | sort; find . -type f -name '*.pb.gz' -print0 |
	prof-merge --files0-from=- | gzip -dc | cksum"
killed 'prof-thin -q --now=2026-11-21 .' "$all"
if lacks 'prof-history --index none'; then
	skip prof-history 'this build has no sqlite'
else
	killed 'prof-history --match=. --index=../index .' 'rm -rf ../index'
fi
whole='for f in out day/*; do [ ! -e "$f" ] || prof-merge -o /dev/null "$f"; done'
one=2026-10-01/09/00.pb.gz
killed "prof-merge -o out $one $one" 'prof-text out' "$whole"
killed "prof-flame -o out $one" 'cksum <out' '[ ! -e out ] || grep -q "</svg>" out || echo half'
killed "prof-fetch -o day/%t.pb.gz $one" 'for f in day/*; do gzip -dc "$f" | cksum; done | uniq' "$whole"
plan
