# api.t - programs that profile themselves: sample.h, and gperftools' names and
# environment.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

lib=$bin/.libs/libsample.so
unset CPUPROFILE CPUPROFILE_FREQUENCY CPUPROFILE_REALTIME CPUPROFILE_USE_PID
export lib

# Each set of labels, with 1 if its ticks are those of its work, a hundred and the first
# look at the clock, else how many they are. A signal stands for the time since the one
# before, so what has a label has two ends. One signal may be between the calls that set
# the one label and the other.
labels() {
	stacks --all "$1" | grep -v '^#' | awk "$chance"'
		{
			set = "-"
			for (i = 3; i <= NF; i++)
				if ($i ~ /=/)
					set = set " " $i
			signals[set] += $1
			n[set] += $2 / 1e6
		}
		END {
			for (set in n)
				if (signals[set] > 1 || set !~ /^- (request=GET|user=ann)$/)
					print (chance_ticks(n[set], signals[set], 100, 101, 2, 8) ? \
					       1 : n[set]), set
		}' | sort
}

check_err 'a limit on files is told, and kills nobody' 0 \
	'ulimit -f 1000; CPUPROFILE=small.pb.gz LD_PRELOAD=$lib sleep 0' \
	'cannot profile into small.pb.gz'
check 'what the calls return' 0 'api a.pb.gz' <<'END'
stop: EALREADY
start in no directory: ENOENT
start: done
start again: EBUSY
label: done
label: done
label: done
label: done
flush: done
stop: done
on: 0
start: done
END
session() {
	api a.pb.gz >log || return 2
	labels a.pb.gz | tee got
	echo '1 -' | cmp -s - got
}
live 'a second session has its own samples, and is written at the end' session

# The recorder writes what it was told when the program is gone, a moment later.
killed() {
	rm -f k.pb.gz
	sh -c 'exec api k.pb.gz kill' >log 2>&1
	[ $? -eq 137 ] || return 2
	for try in $(seq 600); do
		[ ! -s k.pb.gz ] || break
		sleep 0.05
	done
	labels k.pb.gz | tee got
	printf '1 -%s\n' '' ' request=GET user=ann' ' request=POST user=ann' | cmp -s - got
}
live 'labels; and a program that is killed' killed

check 'under prof-record, the samples and the labels are its' 0 \
	'rm -f a.pb.gz
	 prof-record -q -F 1000 -o b.pb.gz api a.pb.gz >/dev/null
	 [ -s a.pb.gz ] || echo none; stacks b.pb.gz | grep -c "request=POST" |
	 awk "{ print (\$1 > 0) }"' <<'END'
none
1
END

# gperftools' environment, by preloading.
check 'CPUPROFILE' 0 \
	'TIMEFORMAT="%3U %3S" bash -c "time env LD_PRELOAD=$lib CPUPROFILE=g.pb.gz \
		CPUPROFILE_FREQUENCY=1000 $bin/tests/demo 0.1 2 >/dev/null" 2>used
	 stacks --all g.pb.gz | awk "$chance""
		NR == FNR { used = (\$1 + \$2) * 1000; next }
		!/^#/ { signals += \$1; n += \$2 / 1e6 }
		END { print chance_ticks(n, signals, 200, used, 3) ? \"right\" : n \" of \" used }
		" used -' <<'END'
right
END
check 'CPUPROFILE_REALTIME' 0 \
	'LD_PRELOAD=$lib CPUPROFILE=r.pb.gz CPUPROFILE_REALTIME= sleep 0.3
	 stacks r.pb.gz | grep -o clock=wall' <<'END'
clock=wall
END
check 'a program that another one starts writes a file of its own' 0 \
	'LD_PRELOAD=$lib CPUPROFILE=p.pb.gz sh -c "\$bin/tests/demo 0.02 1; :" |
		grep -c demo; ls p.pb.gz*_* | wc -l; ls p.pb.gz' <<'END'
1
1
p.pb.gz
END

# The signal is not blocked in a program that this one starts. The last stop is
# waited for: starting and stopping take their time beside the program.
check 'CPUPROFILESIGNAL starts and stops' 0 \
	'LD_PRELOAD=$lib CPUPROFILE=s.pb.gz CPUPROFILESIGNAL=12 perl -e "
		for my \$end (1 .. 4) {
			do { \$i++ for 1 .. 9999 } while (times)[0] < \$end / 20;
			kill 12, \$\$;
		}
		for (1 .. 6000) {
			last if -s q(s.pb.gz.1);
			select undef, undef, undef, 0.01;
		}
		system q(grep SigBlk /proc/self/status)"
	 stacks s.pb.gz.0 | grep -o "clock=cpu"
	 stacks s.pb.gz.1 | grep -o "clock=cpu"; ls s.pb.gz*' <<'END'
SigBlk:	0000000000000000
clock=cpu
clock=cpu
s.pb.gz.0
s.pb.gz.1
END
check 'CPUPROFILESIGNAL: a program ends with its last thread' 0 \
	'LD_PRELOAD=$lib CPUPROFILE=e.pb.gz CPUPROFILESIGNAL=12 timeout 300 \
		$bin/tests/waits 20 exit' <<'END'
outlive: 0 - in time
END

# gperftools' names, from C, as its header declares them.
cat >gperf.c <<'END'
#include <gperftools/profiler.h>
#include <stdio.h>
int main(void)
{
	struct ProfilerState state;
	volatile unsigned long n = 0;
	printf("%d\n", ProfilerStart("h.pb.gz"));
	ProfilerRegisterThread();
	while (n < 100000000)
		n++;
	ProfilerGetCurrentState(&state);
	printf("%d %s\n", state.enabled, state.profile_name);
	ProfilerFlush();
	ProfilerStop();
	printf("%d\n", ProfilingIsEnabledForAllThreads());
}
END
if ${CC:-cc} gperf.c -o gperf "$lib" "-Wl,-rpath,$bin/.libs" 2>/dev/null; then
	check 'gperftools'\'' entry points' 0 './gperf; stacks h.pb.gz | sed "s/:.*//;1q"' \
		<<'END'
1
1 h.pb.gz
0
# sampling
END
	check_err 'a file that is not written is told' 0 \
		'rm -f h.pb.gz; prof-record -o r.pb.gz ./gperf >out; [ ! -e h.pb.gz ] || cat out' \
		'ProfilerStart() writes no file' </dev/null
else
	skip 'gperftools'\'' entry points' 'no gperftools/profiler.h'
	skip 'a file that is not written is told' 'no gperftools/profiler.h'
fi
name='gperftools itself writes its file, also when it is recorded'
if ${CC:-cc} gperf.c -o gperftools -Wl,--no-as-needed -lprofiler 2>/dev/null; then
	check "$name" 0 'rm -f h.pb.gz; prof-record -q -o r.pb.gz ./gperftools 2>/dev/null
		for f in h.pb.gz r.pb.gz; do stacks $f | grep -q "^[1-9]" && echo $f; done' <<'END'
1
1 h.pb.gz
0
h.pb.gz
r.pb.gz
END
else
	skip "$name" 'no libprofiler'
fi

# Threads that blocked all signals before the profile began: one stays so. With an
# argument, the signal of the profile changes after that.
cat >deaf.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include "sample.h"
static pthread_barrier_t begun;
static void *work(void *hears)
{
	struct timespec now;
	for (int i = 0; i < 2; i++) pthread_barrier_wait(&begun);
	if (hears) sample_thread();
	do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while (now.tv_nsec < 300000000);
	return NULL;
}
int main(int argc, char **argv)
{
	sigset_t all;
	pthread_t t[2];
	(void)argv;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pthread_barrier_init(&begun, NULL, 3);
	for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, work, i ? t : NULL);
	pthread_barrier_wait(&begun);
	if (sample_start("deaf.pb.gz", NULL)) return 1;
	if (argc > 1) signal(SIGPROF, SIG_IGN);
	pthread_barrier_wait(&begun);
	for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
	return sample_stop();
}
END
if ${CC:-cc} -I"$src/libsample" -pthread deaf.c -o deaf "$lib" "-Wl,-rpath,$bin/.libs" 2>why; then
	for deaf in './deaf' 'prof-record -q --sampler=preload -o deaf.pb.gz ./deaf x'; do
		check "a thread with all signals blocked is counted, and can be sampled: $deaf" 0 \
			"$deaf; "'stacks deaf.pb.gz | awk "/untimed_threads=/ { sub(/.*untimed/, \"untimed\"); print \$1 }
				/^[1-9]/ { n += \$1 } END { print (n > 5) }"' <<'END'
untimed_threads=1
1
END
	done
else
	skip 'a thread with all signals blocked is counted, and can be sampled' "$(cat why)"
fi

plan
