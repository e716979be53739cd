# live.t - verdicts of tests/lib/live.sh on machines that are made up.
. "${srcdir:-.}/tests/lib/tap.sh"

mkdir -p proc/1 proc/2 proc/3

# machine ALL STEAL OTHERS OURS: jiffies since it began. Process 2 is this shell, and 3
# its child, whose name has brackets and a blank. Process 4 ends in the first try, and
# nobody waits for it; 5 ends, too, and 1 waits for it.
machine() {
	rm -rf proc/4 proc/5
	echo '0.50 1.00 1.50 1/100 999' >proc/loadavg
	echo "cpu  $(($1 - $2)) 0 0 0 0 0 0 $2 0 0" >proc/stat
	echo "1 (init) S 0 1 1 0 -1 0 0 0 0 0 $3 0 0 $((n ? 700 : 0)) 20" >proc/1/stat
	[ "$n" -gt 0 ] || {
		mkdir proc/4 proc/5
		echo "4 (kthread) S 6 1 1 0 -1 0 0 0 0 0 400 0 0 0 20" >proc/4/stat
		echo "5 (job) S 1 1 1 0 -1 0 0 0 0 0 600 0 0 100 20" >proc/5/stat
	}
	echo "$$ (sh) S 1 1 1 0 -1 0 0 0 0 0 $4 0 0 0 20" >proc/2/stat
	echo "3 (a) 7 (b) S $$ 1 1 0 -1 0 0 0 0 0 0 0 $4 $4 20" >proc/3/stat
}

# go_on: in try n of its row the machine has gone on by n times $by.
go_on() {
	read -r n <n
	# shellcheck disable=SC2046,SC2086 # words
	machine $(echo $by | awk -v n="$n" '{
		print 1000 + n * $1, 10 + n * $2, 50 + n * $3, 70 + n * $4 }')
}

# tried STATUS...: one for each try; the last one for all that follow.
tried() {
	read -r n <n
	[ "$n" -eq 0 ] || shift $((n < $# ? n : $# - 1))
	echo $((n + 1)) >n
	go_on
	return "$1"
}

# verdict NAME BY STATUS... <<the result and the number of tries.
verdict() {
	verdict_of=$1 by=$2
	shift 2
	cat >want
	echo 0 >n
	go_on
	(
		live_proc=$scratch/proc
		. "$src/tests/lib/live.sh"
		ok() { echo right; }
		not_ok() { echo wrong && cat >why; }
		skip() { echo "skipped, $2"; }
		live row tried "$@"
	) >said
	sed 1q said | cat - n >got
	if cmp -s want got; then
		ok "$verdict_of"
	else
		diff want got | not_ok "$verdict_of"
	fi
}

verdict 'to agree is right, whatever the machine did' '100 50 50 50' 0 <<'END'
right
1
END
verdict 'to disagree in an undisturbed try is to fail' '100 0 0 100' 1 <<'END'
wrong
1
END
verdict 'to disagree in an undisturbed try is to fail, with one jiffy of other processes, and one of steal' '100 1 1 50' 1 <<'END'
wrong
1
END
verdict 'other processes: tried again' '100 0 10 50' 1 1 0 <<'END'
right
3
END
verdict 'steal: tried again' '100 10 0 50' 1 1 1 1 0 <<'END'
right
5
END
verdict 'wrong whatever the machine did: not tried again' '100 50 50 50' 2 <<'END'
wrong
1
END
verdict 'wrong whatever the machine did: not tried again, in a later try' '100 50 50 50' 1 1 134 <<'END'
wrong
3
END
verdict 'five times, then it is skipped with the figures' '100 1 29 50' 1 <<'END'
skipped, disturbed 5 times, at last: steal 1.0 %, other processes 29.0 %, load 0.50
5
END
check 'those of each try are there' 0 'grep -c "^# try [1-5]: steal" said' <<'END'
5
END

# A script of a tree that is made up, on a machine that the host takes away, and what is
# then left for the end.
mkdir -p tree/tests/live built/tests/live
ln -s "$src/tests/lib" tree/tests/lib
ln -s "$bin/tests/limit" "$bin/tests/disturbed" built/tests/
cat >tree/tests/live/luck.t <<'END'
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"
live_proc=$scratch
n=0
go_on() {
	n=$((n + 1))
	echo "cpu $((n * 900)) 0 0 0 0 0 0 $((n * 100)) 0 0" >stat
}
wrong() { go_on; return 1; }
unlucky() { go_on; [ $n -gt "${UNLUCKY:-99}" ]; }
go_on
live 'it is a fault' wrong
live 'it was bad luck' unlucky
check 'a recording' 0 'echo >>made; : prof-record' </dev/null
check 'about it' 0 'n=$(wc -l <made)
	echo "cpu $((n * 9000 + 90000)) 0 0 0 0 0 0 $((n * 1000 + 10000)) 0 0" >stat
	echo $n' <<'ROW'
3
ROW
plan
END
cat >ends <<'END'
export abs_srcdir="$PWD/tree" srcdir="$PWD/tree" abs_builddir="$PWD/built"
sh tree/tests/live/luck.t >built/tests/live/luck.log
sed -n "s/ times.*//; /SKIP/p; /about/p; s/.* - //" built/tests/live/luck.log
UNLUCKY=7 sh "$src/tests/house/undisturbed.t" | sed -n "
	s/ok [0-9]* - live/ok/p
	s/^# \(disagreed[^:]*\):.*/\1/p"
END
check 'tries record again; a fault is wrong in those of the end, too, and fails' 0 'sh ends' <<'END'
ok 1 - it is a fault # SKIP disturbed 5
ok 2 - it was bad luck # SKIP disturbed 5
ok 4 - about it
not ok/luck: it is a fault
disagreed in all of 10 tries, disturbed or not
ok/luck: it was bad luck
END

check 'a row with another status is wrong, with other output it disagrees' 0 '
	. "$src/tests/lib/tap.sh"
	. "$src/tests/lib/live.sh"
	echo 1 >.want
	live_command=
	live_row check_found 0 "echo 1; exit 3" >why; echo $?
	live_row check_found 0 "echo 2" >why; echo $?
	live_row check_found 0 "echo 1 | grep 2" >why; echo $?
	live_row check_found 0 "echo 1" >why; echo $?
	live_row check_err_found 0 "echo a >&2" b >why; echo $?' <<'END'
2
1
1
0
1
END

# The sums of both distributions were taken elsewhere.
cat >bounds.awk <<'END'
BEGIN {
	for (k = 0; !chance_share(k, 500, 0.6); k++)
		;
	for (n = 500; !chance_share(n, 500, 0.6); n--)
		;
	print k, n
	for (k = 0; !chance_count(k, 20); k++)
		;
	for (n = 99; !chance_count(n, 20); n--)
		;
	print k, n
	print chance_normal(4.8, 1), chance_normal(-5, 1)
	print chance_share(3, 3, 1), chance_share(2, 3, 1), chance_count(0, 0), chance_count(1, 0)
	print chance_share(424, 500, 0.75), chance_share(424, 500, 0.75, 1000)
	print chance_ticks(972, 243, 1000, 1000, 2), chance_ticks(964, 241, 1000, 1000, 2), \
		chance_ticks(964, 241, 930, 964, 2), chance_ticks(1009, 252, 1000, 1000, 2), \
		chance_ticks(1012, 253, 1000, 1000, 2)
}
END
check 'bounds of chance: one in a million' 0 \
	'cat "$src/tests/lib/chance.awk" bounds.awk >both.awk; awk -f both.awk' <<'END'
246 353
3 45
1 0
1 0 1 0
0 1
1 0 1 1 0
END
plan
