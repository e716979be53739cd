# perfclock.t - prof-record --clock=perf: the requested rate of signals, correct
# CPU times, and no effect that the program can see.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

demo=$bin/tests/demo
export demo

# The words of the comment on sampling in a profile.
words() {
	stacks "$1" | sed -n '/^# sampling/{s/^# sampling: //;s/ /;/g;p;}'
}

prof-record --clock=perf -o x.pb.gz true 2>err
if grep -q 'no perf clock' err; then
	skip_rest 'perf clocks' "$(sed 's/.*no perf/no perf/' err)"
fi

# sampled NAME CONDITION: on the words of the comment of x.pb.gz, which the last row
# recorded. Those that ask for a number ask for half of the signals that are due, or less.
# Each may fail to come one time in ten: that half of 100 do is less probable than 1e-20.
sampled() {
	live "$1" holds "$2"
}
holds() {
	live_again
	words x.pb.gz | tee words
	merged=0 # on a slow machine, where a sample takes half of a period
	eval "$(sed "s/;chance=/;by_chance=/" words)" && eval "$1"
}

# Before the sampler starts, a millisecond is used, which the kernel would sample.
check 'two threads of 0.25 s at 2000 Hz' 0 \
	'prof-record -q -F 2000 --clock=perf --sampler=preload -o x.pb.gz "$demo" 0.25 2 >out' </dev/null
sampled 'signals come at the rate that was asked for' \
	'awk -v t=$ticks -v s=$signals "$chance"" BEGIN { exit !chance_most(t - s, t, 0.1) }" &&
		[ $perf_signals -ge $signals ] && [ $perf_signals -le $((signals + merged)) ]'
# At least of what its threads say that they used; before libsample is loaded nothing ticks.
sampled 'ticks are CPU time' \
	'awk -v t=$ticks -v s=$signals -v due=$(echo $cpu_used | awk "{ print \$1 * 2000 }") \
		"$chance"" BEGIN { exit !chance_ticks(t, s, 998, due, 3) }"'

check 'the program has the same descriptors' 0 \
	'ls /proc/self/fd | cat >want
	 prof-record -q --clock=perf -o x.pb.gz ls /proc/self/fd | diff want -' </dev/null
check 'a program may close every descriptor' 0 \
	'prof-record -q -F 1000 --clock=perf -o x.pb.gz perl -MPOSIX -e "
		POSIX::close(\$_) for 3 .. 1023; do { \$i++ for 1 .. 9999 } while times() < 0.2"' </dev/null
sampled 'its samples go on without its descriptors' '[ $perf_signals -gt 50 ]'
check 'or have none left' 0 \
	'ulimit -n 20; prof-record -q -F 1000 --clock=perf -o x.pb.gz perl -e "
		\$n++ while \$n < 99 and open(\$f[\$n], q(/dev/null));
		do { \$i++ for 1 .. 9999 } while times() < 0.2; print \$n < 20 ? qq(none\n) : \$n"' <<'END'
none
END
sampled 'without a free descriptor it is sampled on' '[ $ticks -gt 50 ]'
check 'a child after fork, and what it executes' 0 \
	'prof-record -q -F 1000 --clock=perf -o x.pb.gz perl -e "
		if (\$p = fork) { waitpid \$p, 0; exit }
		do { \$i++ for 1 .. 9999 } while times() < 0.1;
		exec \$^X, q(-e), q(do { \$i++ for 1 .. 9999 } while times() < 0.2)"' </dev/null
sampled 'both have perf clocks of their own' '[ $perf_signals -gt 100 ]'
# Its signal may come during the call, and has no handler after it.
for hz in 1000 10000; do
	check "programs execute others, by each function, at $hz Hz" 3 \
		"EXECS=1 prof-record -q -F $hz --clock=perf -o x.pb.gz execs 90" <<'END'
end
END
	# The last works for 0.2 s after a call that failed.
	sampled "a program is sampled after an exec that failed, at $hz Hz" \
		'[ $perf_signals -gt 50 ]'
done
check 'so do children, from a shell' 0 \
	'prof-record -q -F 10000 --clock=perf -o x.pb.gz bash -c "
		for i in \$(seq 100); do /bin/true || echo \$?; done"' </dev/null
# A tick may be pending when the program sets a handler for the signal, as PHP does when it
# starts: that handler kills the process.
cat >takes.c <<'END'
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include <stdio.h>
#include <sys/wait.h>

static void on_prof(int sig)
{
	(void)sig;
	_exit(1);
}

int main(void)
{
	int bad = 0, status;

	for (int i = 0; i < 400; i++) {
		if (fork() == 0) {
			while (clock() < CLOCKS_PER_SEC / 500)
				;
			signal(SIGPROF, on_prof);
			_exit(0);
		}
		wait(&status);
		bad += status != 0;
	}
	printf("%d\n", bad);
}
END
if cc -O1 -o takes takes.c 2>err; then
	check 'its handler sees no tick of ours' 0 \
		'prof-record -q -F 4000 --clock=perf -o x.pb.gz ./takes' <<'END'
0
END
else
	skip 'its handler sees no tick of ours' 'no compiler'
fi

check 'a program that handles SIGPROF itself: another signal' 0 \
	'prof-record -q -F 1000 --clock=perf -o x.pb.gz perl -e "
		\$SIG{PROF} = sub { \$n++ };
		do { \$i++ for 1 .. 9999 } while times() < 0.2; kill PROF, \$\$; print qq(\$n\n)"' <<'END'
1
END
sampled 'that other signal comes from perf clocks' \
	'[ $ticks -gt 150 ] && [ $perf_signals -gt 60 ]'

name='who may not have one is sampled by timers, and told so'
if others && chmod 755 . && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ]; then
	# The warning is on standard error, and the profile in a pipe that root opened. What
	# the program used before libsample, the kernel would sample for nobody, too.
	check "$name" 0 'setpriv --reuid 65534 --regid 65534 --clear-groups \
		prof-record -F 1000 --clock=perf --sampler=preload "$demo" 0.2 1 2>err |
			cat >x.pb.gz
		grep -c "no perf clock without CAP_PERFMON" err' <<'END'
1
END
	sampled 'who may not have a perf clock has his ticks' '[ $ticks -gt 100 ] && [ $perf_signals -eq 0 ]'
else
	skip "$name" "$others_why, and kernel.perf_event_paranoid at least 2"
fi

plan
