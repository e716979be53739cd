# outside.t - prof-record with the kernel as the sampler: running processes,
# programs that libsample cannot be loaded into, the whole machine.
#
#	outside.t [SECONDS]	torture: attach for SECONDS, again and again, to
#				processes that fork, exec and die, at 5 kHz
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

prof-record -q --sampler=perf --kernel=no -o try.pb.gz true >log 2>&1 ||
	skip_rest 'sampling from outside' "$(head -1 log)"
[ "$(uname -m)" = x86_64 ] || skip_rest 'sampling from outside' 'on x86_64 only'

# What the profile's comment on sampling says of a word.
sampling() {
	prof-text --raw "$1" | sed -n "s/.*# sampling: .*[ ]$2=\\([^ ]*\\).*/\\1/p"
}

# parts PROFILE: of the samples that the last row recorded, has part_a three quarters?
# What work does next is chance, so samples are independent.
parts() {
	live_again
	prof-symbolize -q "$1" | prof-text -q --nodecount=1000 --sample_index=samples |
		awk "$chance"'
		$6 == "part_a" { a = $4 }
		$6 == "part_b" { b = $4 }
		END {
			printf "part_a has %d of %d samples\n", a, a + b
			exit !(a + b >= 50 && chance_share(a + 0, a + b, 0.75))
		}'
}

# Work in known shares, of CPU time that the program knows itself; with LAZY, in a
# quarter of the time.
cat >work.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
/* Mostly its own: the clock is a system call. */
#define PART(name) __attribute__((noinline)) void name(double until) \
	{ do for (volatile int i = 0; i < 10000; i++) ; while (now() < until); }
PART(part_a)
PART(part_b)
int main(int argc, char **argv)
{
	double all = atof(argv[1]), t = now();
	unsigned long x = getpid();
	int lazy = getenv("LAZY") != NULL;
	if (argc == 3)
		execl(argv[2], argv[2], argv[1], (char *)0);
	while (t < all) {
		x = x * 6364136223846793005 + 1442695040888963407;
		if (x >> 62 == 0)
			part_b(t + 0.0002);
		else
			part_a(t + 0.0002);
		t = now();
		if (lazy)
			usleep(600);
	}
	if (argc == 4)
		execl(argv[2], argv[2], argv[3], (char *)0);
	return 0;
}
END
cc="${CC:-cc} -O2 -fomit-frame-pointer -w"
if ! $cc -o work work.c 2>log; then
	skip_rest 'sampling from outside' "$(head -1 log)"
fi

check 'a command' 0 'prof-record -q --sampler=perf -F 997 -o x.pb.gz ./work 0.6' <<'END'
END
live 'its parts have their shares' parts x.pb.gz
# The clock of the kernel stops at each switch of tasks; before the first, the
# program is not there.
total() {
	live_again
	stacks x.pb.gz | sed -n 's/.* ticks=\([0-9]*\) .* cpu_used=\([0-9.]*\).*/\1 \2/p' |
		awk "$chance"'{
			print $1 " ticks in " $2 " s"
			exit !($2 > 0.59 && chance_ticks($1, $1, 997 * $2, 997 * $2, 3))
		}'
}
if prof-record -q --sampler=perf --kernel=yes -o k.pb.gz true 2>log; then
	kernel=yes
	live 'ticks are its CPU time' total
else
	kernel=
	kernel_why=$(head -1 log)
	skip 'ticks are its CPU time' "$kernel_why"
fi
check 'its stacks go to the root' 0 \
	"prof-text --traces x.pb.gz >/dev/null; prof-text --raw x.pb.gz |
		sed -n 's/.*\\(clock=[^ ]*\\).* \\(lost=[^ ]*\\).* \\(unwind_failed=[^ ]*\\).*/\\1 \\2 \\3/p'" <<'END'
clock=perf-pid lost=0 unwind_failed=0
END
check 'a command has the blocked signals of its caller' 0 \
	'grep SigBlk /proc/self/status >blocked
	prof-record -q --sampler=perf --kernel=no -o b.pb.gz \
		grep SigBlk /proc/self/status | diff blocked - && echo the same' <<'END'
the same
END
check 'a signal to the recorder ends its command' 0 \
	'{ prof-record -q --sampler=perf --kernel=no -o b.pb.gz \
		sh -c "kill -TERM \$PPID; exec ./work 30"; } 2>/dev/null; echo $?' <<'END'
143
END

LAZY=1 ./work 30 &
pid=$!
check 'a process that runs' 0 \
	"prof-record -q --pid $pid --seconds 1 -F 997 -o p.pb.gz
	stacks p.pb.gz | grep -c '^[1-9]' | awk '{ print (\$1 > 0) }'" <<'END'
1
END
# However long a fifth of a second of its processor takes.
cat >until.sh <<'END'
used() { awk '{ print $14 + $15 }' /proc/$1/stat; }
end=$(($(used $1) + 20))
while [ $(used $1) -lt $end ]; do sleep 0.1; done
exit 3
END
check 'while a command runs, whose status counts' 3 \
	"prof-record -q --pid $pid -F 997 -o q.pb.gz -- sh until.sh $pid" <<'END'
END
live 'it has its shares, and the command is not in it' parts q.pb.gz
check 'it goes into a pipe' 0 \
	"prof-record -q --pid $pid --seconds 1 | prof-text --raw | grep -c '^ *[0-9].*: [0-9]' |
		awk '{ print (\$1 > 0) }'" <<'END'
1
END
prof-record -q --pid $pid -o i.pb.gz &
recorder=$!
while ! grep -q 'perf_event' /proc/$recorder/maps 2>/dev/null &&
	kill -0 $recorder 2>/dev/null; do :; done
kill -INT $recorder
wait $recorder
if [ $? -eq 0 ] && [ -s i.pb.gz ]; then
	ok 'an interrupt ends it in good order'
else
	echo 'no profile' | not_ok 'an interrupt ends it in good order'
fi
kill $pid
wait $pid 2>/dev/null
check 'a process that ends' 0 \
	'./work 0.3 & prof-record -q --pid $! -o e.pb.gz; test -s e.pb.gz' <<'END'
END
check_err 'a process that is not there' 2 'prof-record --pid 4194303 -o n.pb.gz' \
	'no process 4194303'

# Programs that exec, and many that do not live long.
check 'after exec' 0 \
	'prof-record -q --sampler=perf -F 997 -o x.pb.gz ./work 0.3 ./work' <<'END'
END
live 'the new program is seen' parts x.pb.gz
# They end before a sample of them is read. Go's programs have no build-id, either.
$cc -Wl,--build-id=none -o noid work.c
check 'processes that come and go' 0 \
	'prof-record -q --sampler=perf -F 997 -o f.pb.gz sh -c "
		i=0
		while [ \$i -lt 100 ]; do ./noid 0.005; i=\$((i + 1)); done"' <<'END'
END
live 'they are seen' parts f.pb.gz
all_walked() {
	live_again
	ticks=$(sampling f.pb.gz ticks) failed=$(sampling f.pb.gz unwind_failed)
	echo "$failed of $ticks stacks failed"
	[ $((failed * 20)) -lt "$ticks" ]
}
live 'and walked, though their file has no build-id' all_walked
if [ -z "$kernel" ]; then
	skip 'processes without a sample are counted' "$kernel_why"
else
	# Each is shorter than a period of 50 ms; all of them use 0.5 s.
	check_err 'processes without a sample are counted' 0 \
		'prof-record --sampler=perf -F 20 -o m.pb.gz sh -c "
			i=0
			while [ \$i -lt 100 ]; do ./work 0.005; i=\$((i + 1)); done"' \
		'use less than a period of 50 ms'
	check 'in the comment, too' 0 "${live_command:-:}"' 2>/dev/null
		stacks m.pb.gz | sed -n "s/.* ticks=\([0-9]*\) .*cpu_used=\([0-9.]*\) missed=\([0-9]*\).*/\1 \2 \3/p" |
			awk "{ print (\$2 >= 0.5 && \$1 + \$3 >= 10 ? \"counted\" : \$0) }"' <<'END'
counted
END
	# The clocks also count while the host runs another machine.
	check 'the CPU time of a command is the kernel'"'"'s figure' 0 \
		'prof-record -q --sampler=perf -F 997 -o m.pb.gz sh -c "./work 0.5; times" |
			awk "{ gsub(/0m/, \"\"); n += \$1 + \$2 } END { print n }" >own
		stacks m.pb.gz | sed -n "s/.* ticks=\([0-9]*\) .*cpu_used=\([0-9.]*\) .*/\1 \2/p" |
			awk "{ getline own <\"own\"; used = own + 0
				if (used < \$1 / 997) used = \$1 / 997
				print (own > 0.4 && \$2 < used + 0.05 ? \"right\" : own \" \" \$0) }"' <<'END'
right
END
fi

mkfifo end
check_err 'a program that puts itself into the background' 0 \
	'prof-record --sampler=perf --kernel=no -o b.pb.gz sh -c "read -r x <end >/dev/null 2>&1 &"; echo >end' \
	'left processes behind, not recorded from here on: see --wait'

# What libsample cannot be loaded into.
if $cc -static -o static work.c 2>log; then
	# Without the right to see the kernel, that is said, too.
	check_err 'a static program is sampled from outside, with a note' 0 \
		'prof-record -F 997 --label=thread -o s.pb.gz ./static 0.4 2>said
		sed /perf_event_paranoid/d said >&2' \
		'sampled from outside'
	live 'it has its shares' parts s.pb.gz
	check 'and its labels' 0 \
		'prof-text -q --tags s.pb.gz | sed -n "/^ thread/,/^$/s/.*%): \(static\)$/\1/p"' <<'END'
static
END
	check_err 'a static program with --clock=perf is sampled from outside' 0 \
		'prof-record -F 997 --clock=perf -o s.pb.gz ./static 0.1 2>said
		sed /perf_event_paranoid/d said >&2' \
		'./static: statically linked, so libsample cannot be preloaded; sampled from outside'
	check_err 'the clock of real time is not: it is refused' 2 \
		'prof-record --clock=wall -o s.pb.gz ./static 0.1' \
		'./static: statically linked'
	check 'a static program that executes another: both are sampled' 0 \
		'prof-record -q -F 997 -o s.pb.gz sh -c "./static 0.2 ./static 0.5; :"
		stacks s.pb.gz | sed -n "s/.* ticks=\([0-9]*\) .* cpu_used=\([0-9.]*\).*/\1 \2/p" |
			awk "$chance""{ print (\$2 > 0.48 && chance_count(\$1, 997 * \$2)) ? \"both\" : \$0 }"' <<'END'
both
END
	# Two whose end the kernel reports before it: as a program with another user begins,
	# which ends events of that process, and with the main thread. What is said to have
	# ended is forgotten after two seconds.
	cat >outlives.c <<'END'
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static void lone_part(double until)
{
	struct timespec t;
	do {
		for (volatile int i = 0; i < 100000; i++) ;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while (t.tv_sec + t.tv_nsec / 1e9 < until);
}
static void *run(void *unused)
{
	lone_part(0.1);
	usleep(2300000);
	lone_part(0.5);
	_exit(0);
}
int main(void)
{
	pthread_t t;
	if (getuid() != geteuid())
		run(0);
	pthread_create(&t, 0, run, 0);
	pthread_exit(0);
}
END
	$cc -static -pthread -o lone outlives.c
	# outlives PROGRAM: is its time sampled, in the function that it runs?
	outlives() {
		prof-record -q -F 200 -o o.pb.gz sh -c "exec ./$1" || return 2
		prof-symbolize -q o.pb.gz | prof-text -q --sample_index=cpu --unit=s | awk '
			$6 == "lone_part" { v = $4 + 0 }
			END { print v " s"; exit !(v > 0.3) }'
	}
	live 'threads that outlive the main one are sampled to its end' outlives lone
	if cp lone other && [ "$(id -u)" = 0 ] && chown 1 other && chmod 4755 other; then
		live 'and a set-user-id program' outlives other
	else
		skip 'and a set-user-id program' 'not root'
	fi
	# Reading its unwind information takes a worker of the recorder 30 ms, which are not of
	# the program. What is left behind makes the recorder wait for a moment at the end.
	cat >many.s <<'END'
.rept 200000
.cfi_startproc
push %rbp
.cfi_adjust_cfa_offset 8
ret
.cfi_endproc
.endr
.section .note.GNU-stack,"",@progbits
END
	$cc -static -o many work.c many.s
	check 'the time of a worker is not billed to the program' 0 \
		'prof-record -q -F 200 -o s.pb.gz sh -c "./many 0.3; sleep 0.7 2>log &"
		stacks s.pb.gz | sed -n "s/.* cpu_used=\([0-9.]*\).*/\1/p" |
			awk "{ print (\$1 < 0.315) ? \"the same\" : \$0 }"' <<'END'
the same
END
	# used NS: wait until the program has used that.
	used() {
		until [ -s pid ] && read -r ns _ 2>no <"/proc/$(cat pid)/schedstat" && [ "$ns" -ge "$1" ]; do
			kill -0 $recorder || return
			sleep 0.02
		done
	}
	# The recorder stands still for a second of it, of which a ring for each processor
	# has room for 0.3.
	here=$(taskset -pc $$ | sed 's/.*[ ,-]//')
	loses() {
		rm -f pid
		prof-record -F 100 --stack-size=65528 -o s.pb.gz \
			sh -c 'echo $$ >pid; exec taskset -c "$1" ./static 1.6' - "$here" 2>err &
		recorder=$!
		used 200000000
		kill -STOP $recorder
		used 1200000000
		kill -CONT $recorder
		wait $recorder || return 2
		most=20 # of the kernel, which not everybody may see
		! grep -q perf_event_paranoid err || most=100
		cat err
		! sed '/perf_event_paranoid/d' err | grep 'were sampled' &&
			grep -q '% of the samples were lost: prof-record did not get a processor in time to read them$' err &&
			stacks s.pb.gz | sed -n 's/.* lost=\([0-9]*\) .* missed=\([0-9]*\).*/\1 \2/p' |
			awk -v most=$most '{ print $1, "lost,", $2, "missed"; exit !($1 >= 20 && $2 < most) }'
	}
	live 'samples of a static program that are lost count as lost' loses
else
	skip 'a static program' "$(head -1 log)"
fi
# Valgrind is a static program, and loads libsample with the one that it runs.
if have valgrind && LD_PRELOAD=$bin/.libs/libsample.so \
	valgrind -q --tool=none ./work 0.01 >log 2>&1 && [ ! -s log ]; then
	check 'a static program that loads libsample is counted once' 0 \
		'prof-record -q -F 997 -o v.pb.gz \
			sh -c "valgrind -q --tool=none ./work 0.7; times" |
			awk "{ gsub(/0m/, \"\"); n += \$1 + \$2 } END { print n }" >own
		stacks v.pb.gz | sed -n "s/.* ticks=\([0-9]*\) .* sampler=\([^ ]*\) .*/\1 \2/p" |
			awk "$chance""{ getline own <\"own\"
				right = own >= 0.69 && chance_count(\$1, own * 997)
				print \$2, right ? \"once\" : own \" \" \$0 }"' <<'END'
libsample+perf once
END
else
	skip 'a static program that loads libsample' 'no valgrind, or it cannot run it'
fi
if have go; then
	cat >w.go <<'END'
package main

import (
	"fmt"
	"syscall"
)

//go:noinline
func busy(n int) (x int) {
	for i := 0; i < n; i++ {
		x = x*7 + i
	}
	return x
}

func used() float64 {
	var u syscall.Rusage
	syscall.Getrusage(0, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func main() {
	done := make(chan int)
	early := used()
	go func() {
		for used() < early+0.3 {
			busy(100000)
		}
		done <- 1
	}()
	<-done
	fmt.Println(early / used())
}
END
	export GO111MODULE=off CGO_ENABLED=0
	if go build -o gone w.go 2>log; then
		check_err 'a Go program' 0 \
			'prof-record -F 997 -o g.pb.gz ./gone >start' \
			'sampled from outside'
		# All but the start of its runtime, of which the program tells.
		walked() {
			live_again
			prof-symbolize -q g.pb.gz | prof-text -q --folded --sample-index=samples |
				awk -v start="$(cat start)" "$chance"'
				!/main\.main\.func1/ { early += $NF }
				{ n += $NF }
				END {
					print early + 0, "of", n, "before it, which took", start, "of the CPU time"
					exit !(n && chance_most(early + 0, n, start + 0.01))
				}'
		}
		live 'its goroutine is walked' walked
		cat >collect.go <<'END'
package main

import (
	"runtime"
	"syscall"
)

func main() {
	heap := make([]*[8]*int, 100000)
	for i := range heap {
		heap[i] = new([8]*int)
	}
	for u := (syscall.Rusage{}); u.Utime.Nano() < 3e8; syscall.Getrusage(0, &u) {
		runtime.GC()
	}
	runtime.KeepAlive(heap)
}
END
		go build -o collect collect.go
		# Its goroutine is not in the copy, but the kernel has followed it.
		switched() {
			prof-record -q -F 997 -o c.pb.gz ./collect || return 2
			prof-symbolize -q c.pb.gz | prof-text -q --folded --sample-index=samples |
				awk "$chance"'
				/runtime.systemstack;/ { n += $NF }
				/^([^ ]*\[truncated\];|[^r][^;]*;)?runtime.systemstack;/ { bare += $NF }
				END {
					print bare + 0, "of", n + 0, "have no callers"
					exit !(n > 50 && chance_most(bare + 0, n, 0.02))
				}'
		}
		live 'callers follow where the runtime of Go switched the stack' switched
		check 'its build-id is the last part of that of Go' 0 \
			'prof-text -q --raw g.pb.gz |
				sed -n "s/.* \/.*\/gone \([0-9a-f]*\) *$/\1/p" >id
			 go tool buildid gone | sed "s/.*\///" | tr -d "\n" |
				od -An -tx1 | tr -d " \n" >want
			 echo >>want; cmp id want'
	else
		not_ok 'a Go program' <log
	fi
else
	skip 'a Go program' 'no go'
fi

# The kernel, if we may.
if [ "$kernel" ]; then
	check 'frames of the kernel' 0 \
		'prof-record -q --sampler=perf -F 997 -o k.pb.gz \
			dd if=/dev/zero of=/dev/null bs=1M count=2000 2>/dev/null
		prof-text --raw k.pb.gz | grep -c "kernel.kallsyms"' <<'END'
1
END
	group=
	for top in /sys/fs/cgroup/unified /sys/fs/cgroup; do
		[ -e "$top/cgroup.procs" ] && [ -z "$group" ] &&
			mkdir "$top/outside.$$" 2>/dev/null && group=$top/outside.$$
	done
	if [ -z "$group" ]; then
		skip 'a control group' 'cannot make one'
	else
		export LAZY=1
		./work 60 & in=$!
		./work 60 & also=$!
		./work 60 & out=$!
		unset LAZY
		echo $in >"$group/cgroup.procs"
		echo $also >"$group/cgroup.procs"
		check 'a control group, and nothing else' 0 \
			"prof-record -q --cgroup $group --seconds 1 -F 997 -o c.pb.gz
			stacks c.pb.gz | grep -o ' pid=[0-9]*' | sort -u" <<END
$(printf ' pid=%s\n' $in $also | sort)
END
		live 'they have their shares' parts c.pb.gz
		kill $also
		kill $out
		check 'its only process has labels, too' 0 "
			prof-record -q --cgroup $group --seconds 1 -F 997 -o c.pb.gz
			prof-text -q --tags c.pb.gz | sed -n '/^ process/,/^\$/s/.*: \(work\)\$/\1/p'
			stacks c.pb.gz | grep -o ' pid=[0-9]*' | sort -u" <<END
work
 pid=$in
END
		id=$(printf 'f%063d' 7)
		mkdir "$group/docker-$id.scope"
		echo $in >"$group/docker-$id.scope/cgroup.procs"
		check 'labels by control group and container' 0 \
			"prof-record -q --pid $in --seconds 1 -F 997 \
				--label=cgroup,container -o d.pb.gz
			prof-text -q --tags d.pb.gz | sed -n 's|.*/docker|/docker|p; s/.* \(f0000*\)\$/\1/p'
			for how in focus ignore; do
				prof-filter -q --tag\$how=container=f00000000000 d.pb.gz |
					prof-text -q --raw 2>/dev/null |
					awk '\$2 ~ /:\$/ { n += \$1 } END { print (n > 0) }'
			done" <<END
/docker-$id.scope
f00000000000
1
0
END
		kill $in
		wait $in $also $out 2>/dev/null
		rmdir "$group/docker-$id.scope" "$group"
	fi
	check 'the machine' 0 \
		'prof-record -q --all -o a.pb.gz ./work 0.3
		prof-text -q --tags a.pb.gz | sed -n "/^ process/,/^\$/s/.*: \(work\)\$/\1/p"' <<'END'
work
END
else
	skip 'the kernel, and the machine' "$kernel_why"
fi

# Without rights. Nobody else has this number: all processes of a user share the
# limit on locked memory.
user=$((60000 + $$ % 5000))
export user
if others && chmod 755 "$scratch"; then
	paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
	mkdir -m 777 nobody
	as="cd nobody && setpriv --reuid=$user --clear-groups"
	check_err "another user's process: the value and the remedy" 2 \
		"$as prof-record --pid 1 --seconds 1 -o n.pb.gz" \
		"kernel.perf_event_paranoid is $paranoid"
	if [ "$paranoid" -eq 2 ]; then
		check_err 'a process of ones own, but not the kernel' 0 \
			"$as prof-record --sampler=perf -o n.pb.gz ../work 0.1" \
			'kernel not permitted (kernel.perf_event_paranoid is 2)'
		check_err 'the machine: the value and the remedy' 2 \
			"$as prof-record --all --seconds 1 -o n.pb.gz" \
			'kernel.perf_event_paranoid is 2; set it to 0, be root, or "setcap cap_perfmon'
		check_err 'the kernel: the value and the remedy' 2 \
			"$as prof-record --sampler=perf --kernel=yes -o n.pb.gz ../work 0.1" \
			'kernel.perf_event_paranoid is 2; set it to 1, be root, or "setcap cap_perfmon'
		# Rings of 64 MB each for each CPU: they are halved until they fit.
		check 'under the limit on locked memory rings are small' 0 \
			"ulimit -l 0; $as prof-record -q --sampler=perf -F 10000 \
				-o small.pb.gz ../work 0.1
			prof-text -q --raw small.pb.gz | grep -c 'sampler=perf'" <<'END'
1
END
		# One recorder has all the memory that its user may lock, so
		# there is none for another.
		sh -c 'ulimit -l 0; cd nobody; exec setpriv --reuid=$user --clear-groups \
			prof-record -q --sampler=perf -F 10000 -o first.pb.gz ../work 30' &
		first=$!
		while ! grep -q perf_event /proc/$first/maps && kill -0 $first; do
			sleep 0.02
		done
		check_err 'not even room for small ones: the limits' 2 \
			"ulimit -l 0; $as prof-record --sampler=perf --kernel=no \
				-o n.pb.gz ../work 0.1" \
			'kernel.perf_event_mlock_kb is'
		kill $first
		wait $first
	else
		skip 'without rights' "perf_event_paranoid is $paranoid, not 2"
	fi
else
	skip 'without rights' "$others_why"
fi

# Folders of control groups that perf_event does not know.
if [ "$kernel" ] && [ -e /sys/fs/cgroup/cpu/cgroup.procs ]; then
	check_err 'a control group of version 1' 2 \
		'prof-record --cgroup=/sys/fs/cgroup/cpu --seconds 1 -o n.pb.gz' \
		'a control group of version 1 is recorded only below perf_event'
else
	skip 'a control group of version 1' 'there is none, or no rights'
fi

# More stack than is copied.
cat >tower.c <<'END'
#include <time.h>
static int leaf(void)
{
	while (clock() < CLOCKS_PER_SEC / 5) /* that is the kernel's time */
		for (volatile int i = 0; i < 10000; i++)
			;
	return 1;
}
static int tower(int n)
{
	volatile char room[200] = { (char)n };
	return n ? tower(n - 1) + room[0] : leaf();
}
int main(void) { return tower(100) == 0; }
END
$cc -O1 -fomit-frame-pointer -o tower tower.c 2>log
check 'a stack that is longer than its copy is marked' 0 '
	prof-record -q --sampler=perf --kernel=no --stack-size=4096 -o n.pb.gz ./tower
	prof-text -q --folded n.pb.gz | awk "/^\[not sampled\]/ { next } /^\[truncated\];/ { cut += \$NF }
		{ all += \$NF } END { print (cut > all / 2) }"' <<'END'
1
END
for how in '' -fno-asynchronous-unwind-tables; do
	# shellcheck disable=SC2086 # words
	$cc -O1 -fno-omit-frame-pointer $how -o chained tower.c 2>log
	check "it goes on by frame pointers${how:+, }$how" 0 '
		prof-record -q --sampler=perf --kernel=no --stack-size=4096 -o n.pb.gz ./chained
		prof-symbolize -q n.pb.gz | prof-text -q --folded |
			awk "/^\[not sampled\]/ { next } /;main;tower;/ && gsub(/;tower/, \"&\") > 100 { whole += \$NF }
				{ all += \$NF } END { print (whole > all / 2) }"' <<'END'
1
END
done
if [ "$kernel" ]; then
	check 'beside libsample, that is said' 0 '
		prof-record --stack-size=4096 -o n.pb.gz \
			sh -c "env -u LD_PRELOAD ./tower; :" 2>&1 |
			sed "s/.*: [0-9.]*%/N %/"' <<'END'
N % of the stacks are longer than the 4096 bytes that were copied: see --stack-size
END
else
	skip 'beside libsample, that is said' 'no perf events of the kernel'
fi

# Shorter than a period: each alone in its recording.
if [ "$kernel" ]; then
	check 'the first milliseconds of a command are as likely as others' 0 '
		for i in $(seq 100); do
			prof-record -q -F 200 -o n.pb.gz env -u LD_PRELOAD ./work 0.002 >/dev/null
			stacks n.pb.gz
		done | sed -n "s/.* ticks=\([0-9]*\) .* cpu_used=\([0-9.]*\).*/\1 \2/p" |
			awk "$chance""{ n += \$1; used += \$2 }
				END { print chance_count(n, 200 * used) ? \"seen\" : n \" of \" 200 * used }"' <<'END'
seen
END
else
	skip 'the first milliseconds of a command are as likely as others' 'no perf events of the kernel'
fi

# In a container: a seccomp filter that answers perf_event_open with a number; or a
# kernel without filters, by one that answers so.
cat >filter.c <<'END'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int none = !strcmp(argv[1], "none"), answer = none ? EINVAL : atoi(argv[1]);
	int nr = none ? SYS_prctl : answer ? SYS_perf_event_open : SYS_timer_create;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, none),
		BPF_STMT(BPF_RET | BPF_K, answer ? SECCOMP_RET_ERRNO | answer
						 : SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof code / sizeof *code, code };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 99;
	execvp(argv[2], argv + 2);
	return 98;
}
END
if $cc -o filter filter.c 2>log && ./filter 1 true 2>log; then
	for answer in 1 38; do
		check_err "a seccomp filter: the remedy ($answer)" 2 \
			"./filter $answer prof-record --pid $$ --seconds 1 -o n.pb.gz" \
			'a seccomp filter forbids perf_event_open'
	done
	check 'one that kills for a call of libsample' 159 '
		{ prof-record -o n.pb.gz ./filter 0 ./work 0.05; status=$?; } 2>log
		grep -o "/filter: killed by a seccomp filter (SIGSYS), perhaps for a call of libsample" log
		exit $status' <<'END'
/filter: killed by a seccomp filter (SIGSYS), perhaps for a call of libsample
END
	check 'without filters in the kernel there are stacks, too' 0 '
		./filter none prof-record -q --sampler=perf --kernel=no --stack-size=65528 -o n.pb.gz ./tower
		prof-symbolize -q n.pb.gz | prof-text -q --folded |
			awk "/;main;tower;/ { whole += \$NF } { all += \$NF } END { print (whole > all / 2) }"' <<'END'
1
END
	if [ -x static ]; then
		check 'and it is seen what a program is' 0 '
			./filter none prof-record --sampler=preload -o n.pb.gz sh -c "./static 0.2; :" 2>&1 |
				grep -c "it is statically linked"' <<'END'
1
END
	else
		skip 'and it is seen what a program is' 'nothing is linked statically here'
	fi
	check 'libsample needs none of it' 0 \
		'./filter 1 prof-record -q -o n.pb.gz ./work 0.05; test -s n.pb.gz' <<'END'
END
else
	skip 'a seccomp filter' "no filter: $(head -1 log)"
fi

cat >named.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
static void *run(void *name)
{
	struct timespec t;
	pthread_setname_np(pthread_self(), name);
	do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while (t.tv_nsec < 200000000);
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, run, "left");
	pthread_create(&t[1], NULL, run, "right");
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
END
$cc -pthread -o named named.c
check 'threads by name' 0 \
	'prof-record -q --sampler=perf --kernel=no --label=thread,cpu -F 997 \
		-o l.pb.gz ./named
	prof-text -q --tags l.pb.gz | sed -n "/^ thread/,/^$/s/.*: \\([lr][a-z]*\\)$/\\1/p" | sort
	prof-text -q --tags l.pb.gz | grep -c "^ cpu"' <<'END'
left
right
1
END
# Many threads: opening takes a while, and what they do meanwhile counts.
cat >crowd.c <<'END'
#include <pthread.h>
static void *run(void *unused) { for (;;) ; }
int main(void)
{
	pthread_t t;
	for (int i = 0; i < 60; i++)
		pthread_create(&t, 0, run, 0);
	run(0);
}
END
$cc -pthread -o crowd crowd.c
check 'a crowd of threads: every stack is walked' 0 \
	'./crowd & prof-record -q --kernel=no --pid $! -F 997 -o t.pb.gz sleep 0.3; kill $!
	prof-text --raw t.pb.gz 2>/dev/null |
		sed -n "s/.*ticks=\\([0-9]*\\).*unwind_failed=\\([0-9]*\\).*/\\1 \\2/p" |
		awk "{ print (\$1 > 0), \$2 }"' <<'END'
1 0
END

# While the recorder stands still, records of mappings and processes fill its
# rings. Those that are lost are not ticks.
loses_mappings() {
	sh -c 'while :; do ./work 0; done' &
	churn=$!
	began=$(date +%s)
	prof-record -q --pid $churn -F 20 -o l.pb.gz &
	recorder=$!
	while ! grep -q 'perf_event' /proc/$recorder/maps 2>/dev/null &&
		kill -0 $recorder 2>/dev/null; do sleep 0.02; done
	kill -STOP $recorder
	sleep 2
	kill -CONT $recorder
	kill -INT $recorder
	wait $recorder
	recorded=$?
	passed=$(($(date +%s) - began + 1))
	kill $churn
	wait $churn 2>/dev/null
	[ $recorded -eq 0 ] || return 2
	ticks=$(sampling l.pb.gz ticks)
	echo "$ticks ticks in $passed s"
	[ "$ticks" -le $((passed * 20 * $(nproc))) ]
}
live 'lost records of mappings are not taken for ticks' loses_mappings

# Attach to what forks, executes and dies.
torture() {
	cat >churn.sh <<'END'
while :; do
	./work 0.002 ./work &
	(./work 0.001; ./work 0.001) &
	./work 0.003
	wait
done
END
	sh churn.sh &
	churn=$!
	end=$(($(date +%s) + $1)) n=0
	: >bad
	while [ "$(date +%s)" -lt $end ]; do
		n=$((n + 1))
		timeout 300 prof-record -q --pid $churn --seconds 1 -F 5000 \
			-o churn.pb.gz 2>>log &&
			prof-text --raw churn.pb.gz >/dev/null 2>>log ||
			echo "round $n: status $?" >>bad
	done
	kill $churn
	wait $churn 2>/dev/null
	if [ -s bad ]; then
		cat bad log | head -20 | not_ok "$n rounds among processes that die"
	else
		ok "$n rounds among processes that die"
	fi
}
seconds=${1:-${long:+9}}
torture "${seconds:-1}"

plan
