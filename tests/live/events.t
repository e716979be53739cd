# events.t - prof-record --event and --offcpu: known numbers of page faults, known
# times of sleep, and what is refused.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

# Which sampler, and why. (The start of a program, before libsample is there, may have
# a tick of the kernel's.)
why="sed -n 's/.*# sampling: .* sampler=\([^ ]*\).*/\1/p'"
check 'the comment names libsample' 0 \
	"prof-record -q -o l.pb.gz true; prof-text --raw l.pb.gz | $why | sed 's/+perf\$//'" <<'END'
libsample
END

prof-record -q --sampler=perf --kernel=no -o try.pb.gz true >log 2>&1 ||
	skip_rest 'sampling from outside' "$(head -1 log)"
[ "$(uname -m)" = x86_64 ] || skip_rest 'sampling from outside' 'on x86_64 only'
check 'the comment names the kernel, and why' 0 "prof-text --raw try.pb.gz | $why
	prof-record -q --pid $$ --seconds 1 --kernel=no -o pid.pb.gz
	prof-text --raw pid.pb.gz | $why" <<'END'
perf(asked-for)
perf(pid)
END

# It says how long it was in each function.
cat >waits.c <<'END'
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}
__attribute__((noinline)) void sleep_long(void)
{
	struct timespec t = { 0, 150000000 };
	nanosleep(&t, NULL);
	nanosleep(&t, NULL);
	__asm__("");
}
__attribute__((noinline)) void sleep_short(void)
{
	for (int i = 0; i < 10; i++)
		poll(NULL, 0, 20);
	__asm__("");
}
__attribute__((noinline)) void touch(void)
{
	for (int i = 0; i < 20; i++) {
		char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		madvise(p, 1 << 20, MADV_NOHUGEPAGE);
		for (int k = 0; k < 256; k++)
			p[k * 4096] = 1;
		munmap(p, 1 << 20);
	}
	__asm__("");
}
static void *in_thread(void *arg)
{
	double begin = now();
	sleep_short();
	printf("sleep_short %.3f\n", now() - begin);
	return arg;
}
int main(void)
{
	pthread_t t;
	double begin = now();
	sleep_long();
	printf("sleep_long %.3f\n", now() - begin);
	touch();
	pthread_create(&t, NULL, in_thread, NULL);
	return pthread_join(t, NULL);
}
END
${CC:-cc} -O1 -w -pthread -o waits waits.c 2>log ||
	skip_rest 'known waits and faults' "$(head -1 log)"

# of FUNCTION PROFILE COLUMN: the sum of a column over the stacks with FUNCTION.
of() {
	prof-symbolize -q "$2" 2>/dev/null |
		prof-text -q --cum --nodecount=9999 --unit=ns --sample_index="$3" |
		awk -v f="$1" '$NF == f { print $4 + 0; n++ } END { if (!n) print 0 }'
}

if lacks 'prof-symbolize try.pb.gz'; then
	skip_rest 'known waits and faults' 'this build has no elfutils'
fi

# 5,120 pages; a sample for each 20 faults, so nothing is lost.
faults() {
	prof-record -q --kernel=no --event=page-faults:20,minor-faults:512 -o f.pb.gz \
		./waits >out || return 2
	n=$(of touch f.pb.gz page-faults)
	echo "$n page faults of 5120, by 20"
	[ "$n" -ge 5100 ] && [ "$n" -le 5140 ]
}
live 'page faults are counted where they happen' faults
check 'a column for each event' 0 \
	"prof-text --raw f.pb.gz | grep ^page-faults; prof-text --raw f.pb.gz | $why" <<'END'
page-faults/count minor-faults/count
perf(option)
END
# Every fault in a sample, or lost and counted.
every_fault() {
	prof-record -q --kernel=no --event=page-faults --stack-size=1024 -o g.pb.gz \
		./waits >out 2>err || return 2
	seen=$(prof-text --raw g.pb.gz 2>err | sed -n 's/.* ticks=\([0-9]*\) .*/\1/p')
	echo "$seen page faults: 5120, and those of the start"
	[ "$seen" -ge 5120 ] && [ "$seen" -le 6500 ]
}
live 'what is in no sample is counted' every_fault

# Where the machine has no counters, it says so.
if prof-record -q --kernel=no --event=cycles -o c.pb.gz ./waits >out 2>err; then
	check 'cycles' 0 'prof-text --raw c.pb.gz | grep ^cycles' <<'END'
cycles/count
END
else
	check_err 'cycles, which this machine does not count' 2 \
		'prof-record --kernel=no --event=cycles ./waits' \
		'--event=cycles: this machine does not count them'
fi

# in_time FUNCTION LEAST: is its time off the CPU no less than it asked for, and no
# more than it took? Both are exact, however long it waits for a CPU.
in_time() {
	live_again in_record || return 2
	took=$(awk -v f="$1" '$1 == f { print $2 }' out)
	got=$(of "$1" o.pb.gz offcpu)
	echo "$got ns; $2 ms asked for, $took taken"
	awk -v got="$got" -v least="$2" -v most="$took" 'BEGIN {
		exit !(got / 1e6 >= least - 1 && got / 1e6 <= most + 0.01) }'
}
if prof-record -q --offcpu -o o.pb.gz ./waits >/dev/null 2>log; then
	check 'what is truncated is a share of the ticks, without waits' 0 '
		prof-record -q --offcpu --stack-size=512 -o t.pb.gz ./waits >/dev/null
		stacks t.pb.gz | sed -n "s/.* ticks=\([0-9]*\) .* truncated=\([0-9]*\) .*/\1 \2/p" |
			awk "{ print (\$2 <= \$1 ? \"share\" : \$0) }"' <<'END'
share
END
	in_record() {
		prof-record -q --offcpu -o o.pb.gz ./waits >out
	}
	live 'a recording of known waits' in_record
	live 'sleep_long waits as long as it says' in_time sleep_long 300
	live 'sleep_short waits as long as it says' in_time sleep_short 200
	check 'beside the CPU time, which stays the default' 0 \
		'prof-text --raw o.pb.gz | grep ^samples' <<'END'
samples/count cpu/nanoseconds[dflt] offcpu/nanoseconds
END
	sh -c 'while :; do sleep 0.05; done' &
	pid=$!
	check 'of a process that runs' 0 \
		"prof-record -q --offcpu --pid $pid --seconds 1 -o r.pb.gz
		prof-text --raw r.pb.gz | awk '\$3 ~ /:\$/ { n += \$3 } END { print (n > 0) }'" <<'END'
1
END
	kill $pid
	# Threads that do not run while they are recorded.
	cat >idle.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
int fd[2];
__attribute__((noinline)) void wait_here(void)
{
	char c;
	read(fd[0], &c, 1);
	__asm__("");
}
static void *in_thread(void *arg)
{
	wait_here();
	return arg;
}
int main(void)
{
	pthread_t t[3];
	pipe(fd);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, in_thread, NULL);
	sleep(1000);
	return 0;
}
END
	${CC:-cc} -O2 -w -pthread -o idle idle.c
	./idle &
	pid=$!
	# asleep: until all four threads wait.
	until [ "$(cat /proc/$pid/task/*/syscall 2>/dev/null |
		grep -c '^[0-9]')" -eq 4 ]; do sleep 0.02; done
	# From before the second begins, until prof-record has ended at the latest.
	idle() {
		began=$(date +%s%N)
		prof-record -q --offcpu --pid $pid --seconds 1 -o idle.pb.gz || return 2
		took=$(($(date +%s%N) - began))
		got=$(of wait_here idle.pb.gz offcpu)
		echo "$got ns of three threads in $took ns"
		awk -v got="$got" -v took="$took" 'BEGIN { exit !(got >= 3e9 && got <= 3 * took) }'
	}
	live 'threads that never run wait all the time, where they do' idle
	kill $pid
else
	skip 'waits' "$(head -1 log)"
fi
check_err 'waits happen in the kernel' 2 \
	'prof-record --kernel=no --offcpu -o n.pb.gz ./waits' \
	'--offcpu happens in the kernel, which is not permitted'
check 'waits by the last sample of CPU time' 0 \
	'prof-record -q --kernel=no --offcpu=approx -o a.pb.gz ./waits >out
	prof-text --raw a.pb.gz | grep ^samples' <<'END'
samples/count cpu/nanoseconds[dflt] offcpu/nanoseconds
END
plan
