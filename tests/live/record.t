# record.t - prof-record and libsample on real programs. Nothing here is timed:
# work is counted in CPU time, and waits end by events.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

demo=$bin/tests/demo
export demo

# sample: demo.pb.gz, of two threads of 0.5 s at 1000 Hz, one for each processor
# where there are two.
sample() {
	prof-record -q -F 1000 -o demo.pb.gz -- "$demo" 0.5 2 >out || return 2
	named "$demo" --all demo.pb.gz >names
}

# shares: encode, walk and checksum have 60, 30 and 10 of 100 parts of its work.
# The order of the parts is random, so signals are independent.
shares() {
	sample || return
	awk "$chance"'
		/^#/ { next }
		{ n += $1; signals[$3] += $1 }
		END {
			printf "of %d signals %d, %d, %d\n", n, signals["encode"],
			       signals["walk"], signals["checksum"]
			exit !(n >= 100 &&
			       chance_share(signals["encode"] + 0, n, 0.6, 3) &&
			       chance_share(signals["walk"] + 0, n, 0.3, 3) &&
			       chance_share(signals["checksum"] + 0, n, 0.1, 3))
		}' names
}

# total: ticks are CPU time, whatever the rate of signals that the kernel achieves.
total() {
	live_again sample || return
	stacks demo.pb.gz | sed -n 's/.* ticks=\([0-9]*\) signals=\([0-9]*\) .* cpu_used=\([0-9.]*\).*/\1 \2 \3/p' |
		awk "$chance"'{
			printf "%d ticks by %d signals in %s s\n", $1, $2, $3
			exit !chance_ticks($1, $2, 1000 * $3, 1000 * $3, 3)
		}'
}

live 'the shares of demo are the known ones' shares
live 'ticks are CPU time, whatever the rate that the kernel achieves' total

# If there are ten and more of the ticks of CPUs, in the first milliseconds, they are
# weighed, and the sum is what the kernel billed.
check 'the column samples has the signals, the time the ticks' 0 \
	'stacks --all demo.pb.gz | awk "
		/^# sampling/ {
			for (i = 3; i <= NF; i++)
				if (split(\$i, kv, \"=\") == 2)
					count[kv[1]] = kv[2]
		}
		/^[1-9]/ { signals += \$1; ns += \$2 }
		function off(ns) {
			ns -= count[\"cpu_used\"] * 1e9
			return ns < 0 ? -ns : ns
		}
		END {
			print count[\"lost\"], signals == count[\"signals\"],
				ns == count[\"ticks\"] * 1e6 ||
				(count[\"sampler\"] == \"libsample+perf\" &&
				 off(ns + count[\"missed\"] * 1e6) < 1e6)
		}"' <<'END'
0 1 1
END

# What was not sampled is a row without a count. A tick, which nine runs in ten do
# not get, may stand for more than expr used.
check 'the total is the CPU time that the kernel billed' 0 \
	'prof-record -q -F 10 -o total.pb.gz sh -c "for i in 1 2 3 4 5 6 7 8; do expr 1; done" >/dev/null
	{ prof-text --comments total.pb.gz; normal <total.pb.gz; } | awk "
		/^# sampling/ { ticked = !/ ticks=0 /; sub(/.*cpu_used=/, \"\"); used = \$1; next }
		{ ns += \$NF }
		/\[not sampled\]/ && /process:\[expr\]/ { row += \$(NF - 1) == 0 }
		END { print (row == 1 || ticked), (ns / 1e9 > used * 0.999) }"' <<'END'
1 1
END

# By the function of the leaf, the number of frames of demo is known: work,
# request, and what they call. No frame is missing, none invented, in any stack.
if awk '
	/^#/ { next }
	{
		f = $3
		depth = 0
		for (k = 3; k <= NF; k++)
			depth += $k != "?"
		lo = f == "work" ? 1 : f == "request" ? 2 : 3
		hi = f == "walk" ? 7 : lo
		if (f ~ /^(work|request|encode|walk|checksum)$/) {
			seen++
			if (depth < lo || depth > hi) {
				bad++
				print
			}
		}
	}
	END { exit bad > 0 || !seen }' names >bad; then
	ok 'stacks reach from the leaf to the start of the thread'
else
	not_ok 'stacks reach from the leaf to the start of the thread' <bad
fi

# The kernel's sampler, which sees the start of a program, reads unwind rows of files
# meanwhile, and copies no more than a part of a stack.
check 'the profile says how it was sampled' 0 \
	"prof-record -q --sampler=preload -F 1000 -o said.pb.gz -- \"\$demo\" 0.3 1 >/dev/null
	stacks said.pb.gz | sed -n 's/ achieved.* lost/ lost/;s/ cpu_used=.*//;/sampling/p'" <<'END'
# sampling: clock=cpu asked_hz=1000 lost=0 truncated=0 unwind_failed=0 untimed_threads=0 sampler=libsample
END

# The start of a program is sampled by the kernel, where that is permitted.
check 'what libsample does at the start of a program is its own' 0 \
	'prof-record -q -F 1000 -o own.pb.gz sh -c \
		"i=0; while [ \$i -lt 200 ]; do /bin/true; i=\$((i + 1)); done"
	 stacks --all own.pb.gz | awk "
		/^# sampling/ { is_seen = /[+]perf/ }
		/^[1-9]/ { all += \$2 }
		/^[1-9]/ && \$3 == \"[prof-record]\" { own += \$2 }
		END { print (all > 0 && (own > .04 * all || !is_seen)) }"' <<'END'
1
END

# Readers call a profile by its first mapping.
check 'the first mapping is the program, though a shell starts it' 0 \
	'prof-record -q -o x.pb.gz sh -c "\"\$demo\" 0.3 1 >/dev/null; :"
	 prof-text -q x.pb.gz | sed -n "s/ and [0-9]* more.*//;/^File:/p"' <<'END'
File: demo
END

# What was not sampled is said, with its reason.
check_err 'a cleared environment' 0 \
	'prof-record --sampler=preload -o x.pb.gz sh -c "env -i \"\$demo\" 0.3 1 >/dev/null; :"' \
	'ran without the sampler (0.'
check_err 'a cleared environment is given as the reason' 0 \
	'prof-record --sampler=preload -o x.pb.gz sh -c "env -i \"\$demo\" 0.3 1 >/dev/null; :"' \
	'its environment was cleared, as by env -i or sudo'
check_err 'another LD_PRELOAD' 0 \
	'prof-record --sampler=preload -o x.pb.gz sh -c \
		"LD_PRELOAD= \"\$demo\" 0.3 1 >/dev/null; :"' 'LD_PRELOAD was changed'
cat >burn.c <<'END'
#include <stdlib.h>
#include <time.h>
int main(void) { while (clock() < CLOCKS_PER_SEC / (getenv("BRIEF") ? 5 : 2.5)) ; return 0; }
END
if ${CC:-cc} -static -o burn burn.c 2>/dev/null; then
	check_err 'a static child' 0 \
		'prof-record --sampler=preload -o x.pb.gz sh -c "./burn; :"' \
		'it is statically linked'
else
	skip 'a static child' 'no static libc'
fi
if unshare -Ur true 2>/dev/null; then
	check_err 'another user namespace' 0 \
		'prof-record --sampler=preload -o x.pb.gz sh -c "unshare -Ur \"\$demo\" 0.3 1 >/dev/null; :"' \
		'it runs in another user namespace'
else
	skip 'another user namespace' 'no right to make one'
fi
if unshare -pf --mount-proc true 2>/dev/null; then
	check_err 'another /proc: libsample is loaded, but not its memory' 0 \
		'prof-record --sampler=preload -o x.pb.gz sh -c "unshare -pf --mount-proc \"\$demo\" 0.3 1 >/dev/null; :"' \
		'it runs in a container or another mount namespace'
else
	skip 'another /proc' 'no right to make one'
fi
if [ -n "${sanitized:-}" ]; then
	skip 'a program with little memory' 'a sanitizer build'
else
	check_err 'a program with little memory' 0 \
		'prof-record --sampler=preload -o x.pb.gz sh -c "ulimit -v 40000; \"\$demo\" 0.3 1 >/dev/null; :"' \
		'libsample got no memory in it: see ulimit -v'
fi
cat >raw.c <<'END'
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
	long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	while (!pid && clock() < CLOCKS_PER_SEC / (getenv("BRIEF") ? 5 : 2.5)) ;
	return pid ? wait(0) != pid : 0;
}
END
${CC:-cc} -o raw raw.c
check_err 'a process that libc did not make' 0 'prof-record --sampler=preload -o x.pb.gz ./raw' \
	"it was made by a system call of the program, not by libc's fork()"
unfiltered check_err 'a process that libc did not make, by the wall clock' 0 'prof-record --clock=wall -o x.pb.gz ./raw' \
	"it was made by a system call of the program, not by libc's fork()"
check_err 'other kinds of profiles name processes, too' 0 \
	'prof-record --lock -o x.pb.gz sh -c "env -i \"\$demo\" 0.3 1 >/dev/null; :"' \
	'its environment was cleared, as by env -i or sudo'
unfiltered check_err 'the clock of real time also names processes that wait' 0 \
	'prof-record --clock=wall -o x.pb.gz sh -c "env -i sleep 1; :"' \
	'its environment was cleared, as by env -i or sudo'
cat >slow.c <<'END'
#include <stdlib.h>
#include <time.h>
__attribute__((constructor)) static void slow(void) { while (clock() < CLOCKS_PER_SEC / (getenv("BRIEF") ? 5 : 2.5)) ; }
END
echo 'int main(void) { return 0; }' >quick.c
${CC:-cc} -shared -fPIC -o libslow.so slow.c &&
	${CC:-cc} -o quick quick.c -Wl,--no-as-needed "$PWD/libslow.so"
check_err 'a program whose libraries take long to load' 0 \
	'prof-record --sampler=preload -o x.pb.gz ./quick' 'programs start before the sampler does'
if others; then
	check_err 'another user, the same program' 0 \
		'prof-record --sampler=preload -o x.pb.gz perl -MPOSIX -e "
			do { \$i++ for 1 .. 9999 } while times() < 0.1; setgid(65534); setuid(65534);
			exec \$^X, q(-e), q(do { \$i++ for 1 .. 9999 } while times() < 0.5)" 2>err
		sed "/own functions\|functions of its own/d" err >&2' \
		'it runs as another user, who may not open the memory of prof-record'
else
	skip 'another user' "$others_why"
fi
# Where it is permitted, the kernel samples those, into the same profile: the
# total is the bill, nothing of which is left over, and each has its time. Short
# processes are sampled by chance.
cat >many.sh <<'END'
export BRIEF=1
./burn; ./raw; ./quick; env -i "$demo" "$1" 1
[ "$(id -u)" != 0 ] || ! unshare -pf --mount-proc true 2>/dev/null || unshare -pf --mount-proc ./burn
i=0; while [ $i -lt 400 ]; do /bin/true; i=$((i + 1)); done
END
if [ -x burn ] && prof-record -q --sampler=perf --all --seconds=1 -o y.pb.gz 2>/dev/null; then
	check 'no CPU time is left over, wherever it was used' 0 \
		'prof-record -F 200 -o x.pb.gz sh many.sh 0.25 2>err >/dev/null; cat err
		 stacks --all x.pb.gz | awk "$chance""
			/cpu_used/ { sub(/.*cpu_used=/, \"\"); used = \$1 * 1e9 }
			/^[0-9]/ { sum += \$2; none += \$2 * /not sampled/ }
			/^[1-9]/ && /process=(burn|raw|quick|demo)/ {
				match(\$0, /process=[a-z]*/)
				of[substr(\$0, RSTART + 8, RLENGTH - 8)] += \$2
			}
			function is_near(ns, used) { return chance_count(int(ns / 5e6), used / 5e6, 5) }
			END { print (sum > .98 * used), (sum < 1.02 * used), is_near(used - none, used),
				is_near(of[\"burn\"], 2e8) || is_near(of[\"burn\"], 4e8),
				is_near(of[\"raw\"], 2e8),
				is_near(of[\"quick\"], 2e8), is_near(of[\"demo\"], 2.5e8) }"' <<'END'
1 1 1 1 1 1 1
END
else
	skip 'no CPU time is left over' 'no static libc, or no perf_event of CPUs'
fi
# Each begins when the kernel's tick has just gone by and ends before the next, as on a
# busy machine, where a tick ends the turn of another. No timer ever comes in them.
cat >between.c <<'END'
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static long now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}
__attribute__((noinline)) static void between(void)
{
	while (now(CLOCK_PROCESS_CPUTIME_ID) < 1500000) ;
}
int main(void)
{
	struct rusage r;
	for (int i = 0; i < 200; i++) {
		long tick = now(CLOCK_MONOTONIC_COARSE);
		while (now(CLOCK_MONOTONIC_COARSE) == tick) ;
		if (fork() == 0) {
			between();
			_exit(0);
		}
		wait(NULL);
	}
	getrusage(RUSAGE_CHILDREN, &r);
	printf("%ld\n", r.ru_utime.tv_sec * 1000 + r.ru_utime.tv_usec / 1000 +
		r.ru_stime.tv_sec * 1000 + r.ru_stime.tv_usec / 1000);
	return 0;
}
END
if ${CC:-cc} -O1 -o between between.c && prof-record -q --sampler=perf --all --seconds=1 \
	-o y.pb.gz 2>/dev/null; then
	check 'processes that end before the first tick of the kernel' 0 \
		'of=$(prof-record -q -F 1000 -o x.pb.gz ./between)
		 prof-symbolize -q x.pb.gz | prof-text -q --folded --sample-index=cpu |
			awk -v of="$of" "/;between/ { ms += \$NF / 1e6 }
			END { print (ms * 2 > of) ? \"most of it\" : ms \" of \" of }"' <<'END'
most of it
END
else
	skip 'processes that end before the first tick' 'no perf_event of CPUs'
fi
# Without the right to events of CPUs, tasks inherit clocks from the command.
user=$((60000 + $$ % 5000))
export user
if others && chmod 755 . && mkdir -pm 777 other &&
	setpriv --reuid=$user --clear-groups prof-record -q --sampler=perf --kernel=no \
		-o other/try.pb.gz true 2>/dev/null; then
	check "an ordinary user's profile has all of it, too" 0 \
		'setpriv --reuid=$user --clear-groups prof-record -F 1000 -o other/x.pb.gz \
			sh many.sh 0.5 2>err >/dev/null
		 sed "/paranoid is above 1/d" err
		 { prof-text --comments other/x.pb.gz; normal <other/x.pb.gz; } | awk "$chance""
			/^# sampling/ { sub(/.*cpu_used=/, \"\"); used = \$1 * 1e9; next }
			{ sum += \$NF }
			!/not sampled/ && /process:\[demo\]/ { demo += \$NF / 1e6 }
			!/not sampled/ && /process:\[true\]/ { short += \$NF }
			END { print (sum > .98 * used), (sum < 1.02 * used),
				chance_count(int(demo), 500), (short > 25e6) }"' <<'END'
1 1 1 1
END
else
	skip "an ordinary user's profile has all of it" 'no other user, or no perf_event for others'
fi
check 'it is in the comment, too' 0 \
	'prof-record -q --sampler=preload -o x.pb.gz sh -c "env -i \"\$demo\" 0.5 1 >/dev/null; :"
	 stacks x.pb.gz | sed -n "s/.* cpu_used=\([0-9.]*\) missed=\([0-9]*\) chance=0.*/\1 \2/p" |
		awk "{ print (\$1 > 0.45), (\$2 > 40) }"' <<'END'
1 1
END
mkfifo end
check_err 'a program that puts itself into the background' 0 \
	'prof-record -o x.pb.gz sh -c "read -r x <end >/dev/null 2>&1 &"; echo >end' \
	'left 1 process behind, not recorded from here on: see --wait'
cat >title.c <<'END'
#include <stdio.h>
#include <string.h>
#include <unistd.h>
extern char **environ;
int main(void)
{
	for (char **e = environ; *e; e++) memset(*e, 0, strlen(*e));
	if (fork() == 0) return fgetc(fopen("end", "r")) == EOF;
	return 0;
}
END
${CC:-cc} -o title title.c
check_err 'a process left behind that writes over its environment' 0 \
	'prof-record -o x.pb.gz ./title; echo >end' \
	'left 1 process behind, not recorded from here on: see --wait'

# On a terminal there is a summary. A busy machine may also take ticks away.
if have script; then
	check 'a summary, and the next command' 0 \
	'script -qec "prof-record -F 10000 -o x.pb.gz \"$demo\" 0.3 1" /dev/null </dev/null |
		tr -d "\r" | sed -n "/timers miss time on a busy machine/d;/^prof-record/{s/[0-9.]* s of CPU/N s of CPU/;s/: [0-9]* samples/: N samples/;s/at [0-9]* Hz/at N Hz/;p;}"' <<'END'
prof-record: 10000 Hz is above this kernel's tick: samples come at N Hz, each with the weight of several; --clock=perf keeps to the rate
prof-record: N samples, N s of CPU time at N Hz, 0 lost, 1 process
prof-record: next: prof-symbolize x.pb.gz | prof-text
END
else
	skip 'a summary, and the next command' 'no script'
fi

# A libc that lacks some functions of glibc: its loader ends a program for each.
cat >other.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void *work(void *arg) { for (volatile unsigned long n = 50000000; n; n--) ; return arg; }
int main(void)
{
	pthread_t t;
	char *p = malloc(4 << 20);
	memset(p, 1, 4 << 20);
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	if (fork() == 0) {
		work(p);
		_exit(p[1] - 1);
	}
	wait(NULL);
	puts("done");
	return 3;
}
END
name='a program with another libc, musl'
if [ -n "${sanitized:-}" ]; then
	skip "$name" 'a sanitizer build'
elif ! have musl-gcc; then
	skip "$name" 'no musl-gcc'
elif musl-gcc -O1 -pthread -o musl other.c 2>log; then
	check "$name" 0 '
		for how in "-F 1000 --clock=wall" --lock --heap=64K "-F 1000"; do
			prof-record -q $how -o x.pb.gz ./musl
			echo $? $(prof-text -q --sample-index=0 x.pb.gz |
				awk "/accounting/ && \$6 + 0 > 0 { print \"sampled\" }")
		done
		stacks x.pb.gz | sed -n "s/.* process=\([a-z]*\).*/\1/p" | sort -u' <<'END'
done
3 sampled
done
3
done
3 sampled
done
3 sampled
musl
END
else
	not_ok "$name" <log
fi

# Code that a runtime makes, and that no file has. The runtime is one by name.
cat >made.c <<'END'
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* subq $1, %rdi; jnz back; ret */
static const unsigned char loop[] = { 0x48, 0x83, 0xef, 0x01, 0x75, 0xfa, 0xc3 };

int main(void)
{
#ifdef IN_FILE
	int fd = memfd_create("vmem", 0);
	char *p = mmap(0, 4096 + 0 * ftruncate(fd, 4096),
		       PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, fd, 0);
#else
	char *p = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#endif
	memcpy(p, loop, sizeof loop);
	((void (*)(unsigned long))p)(400000000);
	return 0;
}
END
name='the switch that gives names to what a runtime makes'
if [ "$(uname -m)" = x86_64 ] && ${CC:-cc} -o node made.c 2>/dev/null; then
	check_err "$name" 0 'prof-record -o x.pb.gz ./node' \
		'that node made while it ran: for names, run it with --perf-basic-prof'
	${CC:-cc} -D_GNU_SOURCE -DIN_FILE -o beam.smp made.c
	check_err 'the switch for names, of code in a memory file' 0 'prof-record -o x.pb.gz ./beam.smp' \
		'that erlang made while it ran: for names, run it with +JPperf true'
else
	skip "$name" 'on x86_64 only'
fi
if have go && go version >/dev/null 2>&1 && cat >cgo.go <<'END' &&
package main

// #include <math.h>
// #cgo LDFLAGS: -lm
import "C"
import "fmt"

func main() {
	s := 0.0
	for i := 0; i < 300000000; i++ {
		s += float64(i % 7)
	}
	fmt.Println(s, C.sqrt(2))
}
END
	CGO_ENABLED=1 go build -o cgo cgo.go 2>log; then
	if prof-record -q --sampler=perf --kernel=no -o try.pb.gz true 2>log; then
	check_err 'a Go program with libc is sampled from outside' 0 \
		'prof-record -o x.pb.gz ./cgo >log' \
		'./cgo: a Go program with libc, whose runtime keeps libsample'
	if lacks 'prof-symbolize "$data"/good-tiny.pb.gz'; then
		skip 'its function has nearly all samples' 'without elfutils'
	else
		check 'its function has nearly all samples' 0 \
		"prof-record -q -o x.pb.gz ./cgo >log 2>&1
		 prof-symbolize -q x.pb.gz | prof-text -q --folded --sample-index=samples | awk \"\$chance\"'
			{ n += \$NF } !/main\.main/ { other += \$NF }
			END { print (n > other && chance_most(other + 0, n, 0.1)) }'" <<'END'
1
END
	fi
	check 'nor is it as a child, which the kernel samples' 0 \
		'prof-record -q -o x.pb.gz sh -c "./cgo; :" >log
		 stacks x.pb.gz | awk "/^[0-9]/ && /cgo/ { n += \$1 } END { print (n > 0) }"' <<'END'
1
END
	else
		skip 'a Go program with libc is sampled from outside' "$(head -1 log)"
	fi
	check_err 'it cannot be sampled from inside' 2 \
		'prof-record --sampler=preload -o x.pb.gz ./cgo' 'a Go program with libc'
else
	skip 'a Go program with libc' 'no go, or no cgo'
fi

# Code that no loader mapped.
cat >again.c <<'END'
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* subq $1, %rdi; jnz back; ret */
static const unsigned char loop[] = { 0x48, 0x83, 0xef, 0x01, 0x75, 0xfa, 0xc3 };

int main(void)
{
	int fd = memfd_create("unpacked", 0);
	void (*run)(unsigned long);
	void *at;

	if (write(fd, loop, sizeof loop) != sizeof loop)
		return 1;
	at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	memcpy(&run, &at, sizeof run);
	for (int i = 0; i < 6; i++)
		run(100000000);
}
END
if [ "$(uname -m)" = x86_64 ] && ${CC:-cc} -o again again.c 2>/dev/null; then
	check 'code in a memfd has a mapping' 0 \
	'prof-record -q -F 1000 -o x.pb.gz ./again
	 prof-text -q x.pb.gz | awk "\$NF ~ /unpacked/ || /unpacked/ { print (\$2 + 0 > 50) }"' \
	<<'END'
1
END
else
	skip 'code in a memfd has a mapping' 'no compiler for it'
fi
ln -s "$demo" by-link
if ! lacks 'prof-symbolize "$data"/good-tiny.pb.gz'; then
	check 'a program that is run by a link has the name of the link' 0 \
	'prof-record -q -o x.pb.gz ./by-link 0.5 1 >/dev/null
	 prof-text -q x.pb.gz | head -1
	 prof-symbolize x.pb.gz 2>/dev/null | prof-text -q | grep -c encode' <<'END'
File: by-link
1
END
else
	skip 'a program that is run by a link has the name of the link' 'this build has no elfutils'
fi
check '--children=separate: the first process has a file, though it only waits' 0 \
	'prof-record -q --children=separate -o "sep.{}.pb.gz" \
		sh -c "echo \$\$ >first; \"\$demo\" 0.3 1 >/dev/null; :"
	 ls sep.*.pb.gz | wc -l; ls sep.$(cat first).pb.gz >/dev/null && echo first' <<'END'
2
first
END

# Is SIGPROF, 27, in the mask of ignored signals?
cat >ignored <<'END'
#!/bin/sh
echo $((0x$(sed -n 's/^SigIgn:[^0-9a-f]*//p' /proc/self/status) >> 26 & 1))
END
chmod +x ignored
check 'who ignores SIGPROF goes on to, and so do programs that it executes' 0 \
	'trap "" PROF
	 for clock in cpu wall perf; do
		prof-record -q --clock=$clock -o x.pb.gz sh -c "./ignored; :"
	 done
	 prof-record -q -o x.pb.gz perl -e "do { \$i++ for 1 .. 9999 } while times() < 0.2" &&
		stacks x.pb.gz | awk "/perl/ { n += \$1 } END { print (n > 5) }"' <<'END'
1
1
1
1
END
check 'who begins to ignore it hands that on, and is sampled' 0 \
	'trap - PROF; prof-record -q -o x.pb.gz perl -e "
		\$SIG{PROF} = q(IGNORE); system(q(./ignored));
		do { \$i++ for 1 .. 9999 } while times() < 0.2; print \$SIG{PROF}, qq(\n)" &&
		stacks x.pb.gz | awk "/perl/ { n += \$1 } END { print (n > 5) }"' <<'END'
1
IGNORE
1
END
if env --block-signal true 2>/dev/null; then
	check 'who begins with all signals blocked is sampled' 0 \
		'set -- perl -e "do { \$i++ for 1 .. 9999 } while times() < 0.2"
		 for clock in cpu wall; do
			env --block-signal prof-record -q --sampler=preload --clock=$clock -o x.pb.gz "$@"
			stacks x.pb.gz | awk "/perl/ { n += \$1 } END { print (n > 5) }"
		 done
		 env --block-signal CPUPROFILE=x.pb.gz LD_PRELOAD=$bin/.libs/libsample.so "$@"
		 stacks x.pb.gz | awk "/perl/ { n += \$1 } END { print (n > 5) }"' <<'END'
1
1
1
END
else
	skip 'who begins with all signals blocked is sampled' 'env has no --block-signal'
fi
# Killed in the middle of its work: what was sampled is there. The program
# says so itself when it has used enough CPU time to have ticks.
killed() {
	prof-record -q -F 1000 -o killed.pb.gz sh -c '"$demo" 0.1 1 >/dev/null; exec perl -e "
		do { \$i++ for 1 .. 9999 } while times() < 0.3;
		open(F, q(/proc/self/schedstat)); print((split q( ), <F>)[0]); close STDOUT;
		kill 9, \$\$"' >used
	[ $? -eq 137 ] || return 2
	# It is read ten times a second, and once more at the end.
	stacks --all killed.pb.gz | awk -v used="$(cat used)" "$chance"'
		/perl/ { signals += $1; ticks += $2 / 1e6 }
		END {
			print ticks, "ticks of 300, and in all", used / 1e6, "at most"
			exit !chance_ticks(ticks, signals, 300, used / 1e6, 1)
		}'
}
live 'kill -9 loses nothing that was sampled' killed

# The wall clock: who waits is seen where it waits, and is not woken up for it.
unfiltered check 'a sleeping program is in the profile with --clock=wall' 0 \
	'prof-record -q --clock=wall -F 1000 -o x.pb.gz sleep 0.3
	 duration=$(prof-text --raw x.pb.gz | sed -n "s/^Duration: //p")
	 stacks x.pb.gz | awk -v most=$duration "$chance""!/^#/ { n += \$1 }
		END { print chance_ticks(n, n, 300, 1000 * most, 2) ? \"all\" : n \" of \" most }"' <<'END'
all
END
# Its thread in a child, whichever function of libc forks.
cat >forks.c <<'END'
#include <dirent.h>
#include <pty.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static int threads(void)
{
	DIR *d = opendir("/proc/self/task");
	int n = -2;
	while (readdir(d)) n++;
	return n;
}
static void show(pid_t pid)
{
	int status = 0;
	if (pid == 0) _exit(threads());
	waitpid(pid, &status, 0);
	printf("%d\n", WEXITSTATUS(status));
}
int main(void)
{
	int fd;
	setvbuf(stdout, NULL, _IONBF, 0);
	show(fork());
	show(forkpty(&fd, NULL, NULL, NULL));
	return daemon(1, 1) != 0 || printf("%d\n", threads()) < 0;
}
END
if ${CC:-cc} -o forks forks.c -lutil 2>why; then
	check 'with --clock=wall, each child has two threads' 0 'prof-record -q --wait --clock=wall -o x.pb.gz ./forks' <<'END'
2
2
2
END
else
	skip 'with --clock=wall, each child has two threads' "$(cat why)"
fi
check 'it is not with --clock=cpu' 0 \
	'prof-record -q --clock=cpu -F 1000 -o x.pb.gz sleep 0.3
	 stacks x.pb.gz | awk "$chance""sub(/^# sampling.* cpu_used=/, \"\") { used = \$1; next }
		!/^#/ { n += \$1 }
		END { print !n || chance_ticks(n, n, 0, 1000 * used, 2) }"' <<'END'
1
END
check 'another signal' 0 \
	'prof-record -q -F 1000 --signal=SIGUSR2 -o x.pb.gz perl -e "
		\$SIG{PROF} = sub { \$n++ };
		do { \$i++ for 1 .. 9999 } while times() < 0.2; kill PROF, \$\$; print qq(\$n\n)";
	 stacks x.pb.gz | grep -q perl && echo sampled' <<'END'
1
sampled
END
# Children.
family='perl -e "
	if (\$pid = fork) { waitpid \$pid, 0 }
	do { \$i++ for 1 .. 9999 } while times() < 0.2"'
check 'a forked child is in the profile, with its number' 0 \
	"prof-record -q -o x.pb.gz $family;
	 stacks x.pb.gz | grep -o 'pid=[0-9]*' | sort -u | wc -l" <<'END'
2
END
check '--children=none: it is not' 0 \
	"prof-record -q --children=none -o x.pb.gz $family;
	 stacks x.pb.gz | grep -c 'pid=[0-9]*'; :" <<'END'
0
END
check 'nor if the program is a shell with an unsetenv() of its own' 0 \
	'prof-record -q --children=none -o x.pb.gz \
		bash -c "perl -e \"do { \\\$i++ for 1 .. 9999 } while times() < 0.2\"
			for i in {1..200000}; do :; done"
	 stacks x.pb.gz | grep -c perl; prof-text x.pb.gz | head -1' <<'END'
0
File: bash
END
# The CPU time of the first process is its own: without its children.
check '--children=none says what was not sampled' 0 \
	'prof-record --children=none -o x.pb.gz sh -c "
		exec perl -e \"do { \\\$i++ for 1 .. 9999 } while times() < 0.3\"" 2>&1 |
		sed "s/[0-9][0-9.]*/N/g"
	 prof-record -q --children=none -o x.pb.gz perl -e "
		if (!fork) { do { \$i++ for 1 .. 9999 } while times() < 0.3; exit } wait;
		do { \$i++ for 1 .. 9999 } while times() < 0.2;
		my (\$user, \$system) = times(); print \$user + \$system" >used
	 stacks x.pb.gz | sed -n "s/.* cpu_used=\([0-9.]*\) .*/\1/p" |
		awk "{ getline used <\"used\"; print (\$1 - used)^2 < 0.01 }"' <<'END'
prof-record: /usr/bin/sh: N of N s of CPU time were sampled (N %): perl[N] ran without the sampler (N s of CPU time or more): the first program executed it, and --children=none samples no other
1
END
check 'a program that resets signals does not die of them' 0 \
	'prof-record -q -F 1000 -o x.pb.gz perl -e "
		\$SIG{PROF} = q(DEFAULT); \$SIG{PROF} = q(IGNORE);
		\$SIG{PROF} = q(DEFAULT);
		do { \$i++ for 1 .. 9999 } while times() < 0.1; print qq(alive\n)"' <<'END'
alive
END
check 'a program that handles SIGPROF itself gets its own only' 0 \
	'prof-record -F 1000 -o x.pb.gz perl -e "
		\$SIG{PROF} = sub { \$n++ };
		do { \$i++ for 1 .. 9999 } while times() < 0.2; kill PROF, \$\$; print qq(\$n\n)" 2>err;
	 sed "/timers miss time on a busy machine/d; /own functions\|functions of its own/d; s/[0-9][0-9]*/N/g" err;
	 stacks x.pb.gz | grep -q perl && echo sampled' <<'END'
1
sampled
END

# What is unloaded and loaded again is neither compiled nor told again: what libsample
# adds to a loop of that is blocking signals, twice each time.
cat >loop.c <<'END'
#include <dlfcn.h>

int
main(void)
{
	for (int i = 0; i < 500; i++) {
		void *lib = dlopen("./loaded.so", RTLD_NOW);

		if (!lib || dlclose(lib) != 0)
			return 1;
	}
	return 0;
}
END
echo 'int loaded(void) { return 1; }' | $CC -shared -fPIC -x c -o loaded.so - &&
	$CC -o loop loop.c -ldl || exit 1
if command -v strace >/dev/null; then
	check 'loading and unloading in a loop costs little' 0 \
		'for n in plain sampled; do
			r=; [ $n = plain ] || r="prof-record -q -o loop.pb.gz"
			$r strace -c -o loop.$n ./loop || exit 2
		 done
		 awk "FNR == NR { n[\$NF] = \$4; next }
			\$4 - n[\$NF] > 300 && \$NF != \"total\" { print \$NF }
			" loop.plain loop.sampled' <<'END'
rt_sigprocmask
END
else
	skip 'loading and unloading in a loop costs little' 'no strace'
fi

# A library that libc loads for itself, not by dlopen().
cat >convert.c <<'END'
#include <iconv.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

static void *
work(void *arg)
{
	char in[4096], out[8192];
	struct timespec t;

	memset(in, 'a', sizeof in);
	do {
		char *from = in, *to = out;
		size_t n = sizeof in, room = sizeof out;

		iconv(arg, &from, &n, &to, &room);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_nsec < 200000000 && !t.tv_sec);
	return 0;
}

int
main(void)
{
	iconv_t cd = iconv_open("IBM037", "LATIN1");
	pthread_t t;

	if (cd == (iconv_t)-1)
		return 3;
	pthread_create(&t, 0, work, cd);
	return pthread_join(t, 0);
}
END
name='what libc loads for itself is known when the next thread starts'
if ! ${CC:-cc} -O2 -o convert convert.c -pthread 2>why; then
	not_ok "$name" <why
else
	converted() {
		prof-record -q -F 1000 -o x.pb.gz ./convert || return 2
		stacks x.pb.gz | awk '/^#/ { next }
			{ n += $1 } /IBM037|ISO8859/ { known += $1 }
			END { print known, "of", n; exit !(known * 2 > n) }'
	}
	if ./convert; then
		live "$name" converted
	else
		skip "$name" 'no iconv modules'
	fi
fi

# Where a handler returns to: the kernel says where that is. In a static program it has
# its name; libc's own table of symbols is not installed everywhere.
cat >handled.c <<'END'
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static void work(int sig)
{
	while (clock() < CLOCKS_PER_SEC / 4)
		for (volatile int i = 0; i < 100000; i++)
			;
}
int main(void)
{
	struct { unsigned long handler, flags, restorer, mask; } now;
	unsigned long from, to, at;
	char row[4096], *slash;
	FILE *f = fopen("/proc/self/maps", "r");
	signal(SIGUSR1, work);
	if (syscall(SYS_rt_sigaction, SIGUSR1, NULL, &now, 8))
		return 1;
	while (fgets(row, sizeof row, f))
		if (sscanf(row, "%lx-%lx %*s %lx", &from, &to, &at) == 3 &&
		    now.restorer >= from && now.restorer < to && (slash = strrchr(row, '/')))
			printf("%.*s+%lx\n", (int)strcspn(slash + 1, "\n"), slash + 1,
			       now.restorer - from + at);
	return raise(SIGUSR1);
}
END
name='the caller of a signal handler is where it returns to'
if [ "$(uname -m)" != x86_64 ]; then
	skip "$name" 'on x86_64 only'
elif ${CC:-cc} -O1 -w -o handled handled.c; then
	for how in --sampler=preload '--sampler=perf --kernel=no'; do
		if prof-record -q $how -o x.pb.gz true 2>log; then
			check "$name, $how" 0 "
				prof-record -q $how -o x.pb.gz ./handled >want
				stacks x.pb.gz | tr ' ' '\\n' | grep -xFf want | sort -u | diff want - &&
					echo the same" <<'END'
the same
END
		else
			skip "$name, $how" "$(head -1 log)"
		fi
	done
	if lacks 'prof-symbolize "$data"/good-tiny.pb.gz' || [ -s log ] ||
		! ${CC:-cc} -O1 -w -static -o handled handled.c 2>log; then
		skip 'and has its name' 'no static libc, no perf_event or no elfutils'
	else
		check 'and has its name' 0 '
			prof-record -q --sampler=perf --kernel=no -o x.pb.gz ./handled >want
			prof-symbolize -q x.pb.gz | prof-text -q --folded |
				sed -n "s/.*main;.*raise.*;\([^;]*\);work .*/\1/p" | sort -u' <<'END'
__restore_rt
END
	fi
fi

# None of a thousand threads works for as long as a period lasts, but chance finds some.
cat >idle.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
enum { N = 1000 };
static double used(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
__attribute__((noinline)) double work(void)
{
	double begin = used();
	while (used() < begin + 1e-4)
		for (volatile int i = 0; i < 10000; i++)
			;
	return used() - begin;
}
static void *run(void *arg)
{
	unsigned seed = (size_t)arg;
	double *sum = calloc(2, sizeof *sum);
	for (int i = 0; i < 4; i++) {
		usleep(100000 + rand_r(&seed) % 300000);
		sum[0] += work();
	}
	sum[1] = used();
	return sum;
}
int main(void)
{
	static pthread_t t[N];
	double work = 0, all = 0;
	void *sum;
	for (size_t i = 0; i < N; i++)
		if (pthread_create(&t[i], NULL, run, (void *)i))
			return 1;
	for (size_t i = 0; i < N; i++) {
		pthread_join(t[i], &sum);
		work += ((double *)sum)[0];
		all += ((double *)sum)[1];
	}
	printf("%.9f %.9f\n", work, all / N);
	return 0;
}
END
# Switches of threads are billed, but the clock of perf_event stands still in them: work()
# does not sleep, but others wake, and what is missing for that is no more than is said.
# The first signal of a timer stands for a tick of the kernel, and no second one comes
# soon: of a part x of a tick it finds 1 - exp(-x), at least x - x^2 / 2.
idle() {
	prof-record -q -F 1000 --sampler=preload --clock=$1 -o x.pb.gz ./idle >used || return 2
	named ./idle --all x.pb.gz | awk -v clock=$1 "$chance"'
		NR == FNR { used = $1; each = $2; next }
		/ work / { n += $1; s += $2 / 1e9 }
		/^#.* missed=/ { sub(/.* missed=/, ""); said = $1 / 1e3 }
		END {
			printf "%d signals of %.3f s, of %.3f s used\n", n, s, used
			if (!n)
				exit 1
			high = low = used * n / s
			if (clock == "cpu")
				low *= 1 - each * n / s / 2
			else
				low -= said * n / s
			exit !(n >= low && n <= high || chance_count(n, n < low ? low : high))
		}' used -
}
${CC:-cc} -O1 -w -pthread -o idle idle.c
for clock in cpu perf; do
	live "a thousand threads that mostly sleep, --clock=$clock" idle $clock
done

# A process is called as the kernel calls it, whoever samples it, and stays what it was,
# whatever the program writes over its arguments.
cat >titled.c <<'END'
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void work(void)
{
	while (clock() < CLOCKS_PER_SEC / 10)
		for (volatile int i = 0; i < 100000; i++)
			;
}
int main(int argc, char **argv)
{
	char name[64];
	if (argc == 1)
		return execl(argv[0], "other", "again", NULL);
	printf("process=%s", fgets(name, sizeof name, fopen("/proc/self/comm", "r")));
	fflush(stdout);
	memset(argv[0], 'x', strlen(argv[0]));
	work();
	if (fork())
		return wait(NULL) < 0;
	work();
	return 0;
}
END
${CC:-cc} -O1 -w -o titled titled.c
check 'the label process is the kernel'"'"'s name' 0 '
	prof-record -q -F 1000 --sampler=preload -o x.pb.gz ./titled >comm
	stacks x.pb.gz | grep -o "process=[^ ]*" | sort -u | diff comm - && cat comm' <<'END'
process=titled
END

# Threads have their own names and numbers; a name may change, and a forked
# child has another number.
cat >names.c <<'END'
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void use(int ms)
{
	struct timespec t, end;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while ((t.tv_sec - end.tv_sec) * 1000 + (t.tv_nsec - end.tv_nsec) / 1000000 < ms);
}
static void *work(void *arg)
{
	struct timespec t = { 0, 200000000 };
	prctl(PR_SET_NAME, arg);
	use(120);
	nanosleep(&t, 0);
	return 0;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, work, "first");
	pthread_create(&b, 0, work, "second worker");
	use(120);
	prctl(PR_SET_NAME, "boss");
	use(120);
	pthread_join(a, 0);
	pthread_join(b, 0);
	if (fork() == 0) {
		prctl(PR_SET_NAME, "child");
		use(120);
		_exit(0);
	}
	return wait(0) < 0;
}
END
${CC:-cc} -pthread -o names names.c
for options in '' '--clock=wall'; do
	check "labels: names and numbers of threads $options" 0 "
		prof-record -q -F 1000 $options --label=thread,tid -o x.pb.gz ./names
		stacks x.pb.gz | sed -n 's/.* \\(thread=.*\\) tid=\\([0-9]*\\) pid=.*/\\1 \\2/p' |
			sort -u >seen
		grep -o 'thread=.*[^ 0-9]' seen | sort -u
		sed 's/.* //' seen | sort -u | wc -l" <<'END'
thread=boss
thread=child
thread=first
thread=names
thread=second worker
4
END
done
check 'labels: of allocations' 0 '
	prof-record -q --heap=1 --label=thread -o x.pb.gz ./names
	stacks x.pb.gz | grep -o "thread=names" | sort -u' <<'END'
thread=names
END

# The first tick of a thread comes when its first system call returns.
cat >call.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <sys/uio.h>
static void *run(void *unused)
{
	static char to[4 << 20];
	static struct iovec v[500];
	for (int i = 0; i < 500; i++)
		v[i] = (struct iovec){ to, sizeof(to) };
	readv(open("/dev/zero", O_RDONLY), v, 500);
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, run, 0);
	pthread_join(t, 0);
}
END
check 'a thread that begins with a long system call' 0 '
	${CC:-cc} -w -pthread -o call call.c
	prof-record -q --sampler=preload -F 1000 -o x.pb.gz ./call
	stacks x.pb.gz | sed -n "s/.* ticks=\([0-9]*\) .*cpu_used=\([0-9.]*\).*/\1 \2/p" |
		awk "{ print (\$1 > 500 * \$2) ? \"all\" : \$0 }"' <<'END'
all
END

if ! lacks 'prof-symbolize "$data"/good-tiny.pb.gz'; then
	check 'prof run: output, report, file' 0 '
		rm -f prof.*
		"$src/cmd/prof" run -F 1000 -- "$demo" 0.2 2 >out 2>err
		grep -c "^demo: 2 threads" out
		sed -n "s/^prof-record: profile: prof.demo.[0-9]*.pb.gz$/said/p" err
		sed -n "s/^prof-record: profile: //p" err >name && ls prof.* | cmp - name
		prof-text -q "$(cat name)" | sed 1,/flat%/d >again
		sed 1,/flat%/d out | cmp - again; grep -c " work$" again' <<'END'
1
said
1
END
else
	skip 'prof run: output, report, file' 'this build has no elfutils'
fi
plan
