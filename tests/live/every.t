# every.t - prof-record --every, a recording without end: the files and what is
# in them, signals, files that cannot be written, clocks that are set, CPUs that
# come and go.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

prof-record -q --sampler=perf --kernel=no -o try.pb.gz true >log 2>&1 ||
	skip_rest 'sampling from outside' "$(head -1 log)"
[ "$(uname -m)" = x86_64 ] || skip_rest 'sampling from outside' 'on x86_64 only'

cat >work.c <<'END'
#include <unistd.h>
__attribute__((noinline)) void part(void)
{
	for (volatile int i = 0; i < 1000000; i++)
		;
	__asm__("");
}
/* A quarter of the time: most rows are of what the recorder does meanwhile. */
int main(void)
{
	for (;;) {
		part();
		usleep(6000);
	}
}
END
if ! ${CC:-cc} -O1 -w -o work work.c 2>log; then
	skip_rest 'recordings of a program' "$(head -1 log)"
fi
./work &
work=$!
recorder=
trap 'kill $work $recorder 2>/dev/null; rm -rf "$scratch"' EXIT

# profiles FOLDER: the files of the archive, in order.
profiles() {
	find "$1" -name '*.pb.gz' | LC_ALL=C sort
}

# counted FILE: "ticks, and lost ones" of its comment, and the sum of its samples.
counted() {
	prof-text --raw "$1" 2>/dev/null | sed -n 's/.* ticks=\([0-9]*\) .* lost=\([0-9]*\) .*/\1 \2/p'
	prof-text --raw "$1" 2>/dev/null |
		awk '$2 ~ /:$/ && $1 ~ /^[0-9]+$/ { n += $1 } END { print n + 0 }'
}

# exact NAME FILE...: has each file as many samples as its comment counts?
exact() {
	exact_name=$1
	shift
	for f; do
		counted "$f" | tr '\n' ' '
		echo
	done >sums
	if awk '{ n++; if ($1 - $2 != $3) exit bad = 1 }
		END { exit bad || !n }' sums; then
		ok "$exact_name"
	else
		not_ok "$exact_name" <sums
	fi
}

by_the_second() {
	rm -rf arc
	prof-record --kernel=no --pid $work -F 200 --every 1 --seconds 3 \
		-o 'arc/%F/%H%M%S.pb.gz' || return 2
	profiles arc | tee files
	! grep -v '^arc/[0-9]*-[0-9]*-[0-9]*/[0-9]\{6\}\(-[2-9]\)\{0,1\}.pb.gz$' files || return 2
	[ "$(wc -l <files)" -ge 3 ] && [ "$(wc -l <files)" -le 5 ]
}
live 'three seconds in files of one, each with a name by its time' by_the_second
# shellcheck disable=SC2046
exact 'each has the samples that it counts' $(cat files)
# Each file has a table of mappings of its own. The first and last may be of so
# short a time that nothing was sampled.
names_program() {
	live_again by_the_second
	while read -r f; do
		! stacks "$f" | grep -q '^[0-9]' ||
			prof-text -q "$f" 2>/dev/null | grep -c '\[work\]'
	done <files | sort -u | tee found
	echo 1 | cmp -s - found
}
live 'each names the program' names_program

# start PATTERN OPTION...: a recorder whose periods end by signals.
start() {
	pattern=$1
	shift
	: >said
	prof-record --kernel=no --pid $work -F 200 --every 86400 "$@" -o "$pattern" 2>said &
	recorder=$!
	while ! grep -q perf_event /proc/$recorder/maps 2>/dev/null &&
		kill -0 $recorder 2>/dev/null; do sleep 0.02; done
}

# more FOLDER N: wait until there are that many files.
more() {
	until [ "$(profiles "$1" 2>/dev/null | wc -l)" -ge "$2" ] ||
		! kill -0 $recorder 2>/dev/null; do sleep 0.02; done
}

start 'hup/%Y.pb.gz'
kill -HUP $recorder
more hup 1
kill -HUP $recorder
more hup 2
sleep 0.2
kill -TERM $recorder
wait $recorder
status=$?
check 'SIGHUP ends a period, and SIGTERM the recording' 0 \
	"echo $status; find hup -name '*.pb.gz' | sed 's/[0-9]\{4\}/YEAR/' | sort; cat said" <<'END'
0
hup/YEAR-2.pb.gz
hup/YEAR-3.pb.gz
hup/YEAR.pb.gz
END
# shellcheck disable=SC2046
exact 'the same name again gets a number, and no file is lost' $(profiles hup)

# The rings hold a quarter of a second.
waits_for_lock() {
	rm -rf late
	start 'late/%Y.pb.gz' -F 1000
	flock late/.prof-fetch/lock sleep 1.7 &
	sleep 0.3
	kill -HUP $recorder
	more late 1
	kill -TERM $recorder
	wait $recorder || return 2
	for f in $(profiles late); do counted "$f"; done | tee sums
	awk 'NF == 2 { n += $1; lost += $2 } END { exit lost || !n }' sums
}
name='a file that waits for another command loses no sample'
if command -v flock >/dev/null; then
	live "$name" waits_for_lock
else
	skip "$name" 'no flock'
fi

# A file where a folder should be; then it goes.
mkdir stuck
date -u +%Y >year
: >"stuck/$(cat year)"
start 'stuck/%Y/%j.pb.gz'
sleep 0.3
kill -HUP $recorder
until grep -q stay said || ! kill -0 $recorder; do sleep 0.02; done
rm "stuck/$(cat year)"
kill -HUP $recorder
more stuck 1
kill -TERM $recorder
wait $recorder
check 'what cannot be written is in the next file' 0 \
	"sed 's/[0-9]\{4\}/YEAR/g; s/: [A-Z].*;/: WHY;/' said; find stuck -name '*.pb.gz' | wc -l" <<'END'
prof-record: stuck/YEAR: WHY; its samples stay for the next file
2
END
f=$(profiles stuck | grep -v -e -2)
exact 'all of them' "$f"
# It began before the sleep.
prof-text --raw "$f" 2>/dev/null | sed -n 's/^Duration: //p' >long
if awk '{ exit !($1 >= 0.3) }' long; then
	ok 'also those of before'
else
	not_ok 'also those of before' <long
fi

# Waits go on from one file to the next.
sleep 100 &
asleep=$!
if prof-record -q --offcpu --kernel=yes --pid $asleep --seconds 1 -o w.pb.gz 2>log; then
	# They wait all the time that they do not run; prof-record may end late.
	perl -e 'select(undef, undef, undef, 0.5) while 1' &
	loop=$!
	perl -e 'select(undef, undef, undef, 0.3) while 1' &
	other=$!
	waits() {
		rm -rf wait
		began=$(date +%s%N)
		prof-record -q --offcpu --pid $loop --pid $other --every 1 --seconds 4 -o 'wait/%F%H%M%S.pb.gz' ||
			return 2
		took=$(($(date +%s%N) - began))
		ran=$(awk '{ n += $1 + $2 } END { print n }' /proc/$loop/schedstat \
			/proc/$other/schedstat)
		# shellcheck disable=SC2046 # words
		prof-merge $(profiles wait) 2>/dev/null | prof-text --raw - 2>/dev/null |
			awk -v took="$took" -v ran="$ran" '$3 ~ /:$/ { n += $3 }
				END { print n, "ns of two processes in 4 s, or " took " ns, which ran for", ran
					exit !(n >= 8e9 - ran && n <= 2 * took) }'
	}
	live 'waits are in the file of their time' waits
	kill $loop $other
else
	skip 'waits are in the file of their time' "$(head -1 log)"
fi
kill $asleep

# The clock is set back by an hour, and forward by two.
cat >clock.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static long offset(void)
{
	FILE *f = fopen(getenv("CLOCK_OFFSET"), "r");
	long v = 0;
	if (f) {
		fscanf(f, "%ld", &v);
		fclose(f);
	}
	return v;
}
time_t time(time_t *out)
{
	struct timespec t;
	int (*get)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
	get(CLOCK_REALTIME, &t);
	if (out)
		*out = t.tv_sec + offset();
	return t.tv_sec + offset();
}
int clock_gettime(clockid_t clock, struct timespec *t)
{
	int (*get)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
	int status = get(clock, t);
	if (clock == CLOCK_REALTIME)
		t->tv_sec += offset();
	return status;
}
END
if [ -n "${sanitized:-}" ]; then
	skip 'a clock that is set' 'a sanitizer build'
elif ! ${CC:-cc} -shared -fPIC -w -o clock.so clock.c -ldl 2>log; then
	skip 'a clock that is set' "$(head -1 log)"
else
	echo 0 >offset
	: >said
	LD_PRELOAD=./clock.so CLOCK_OFFSET=$PWD/offset prof-record --kernel=no \
		--pid $work -F 200 --every 86400 -o 'set/%F-%H.pb.gz' 2>said &
	recorder=$!
	while ! grep -q perf_event /proc/$recorder/maps 2>/dev/null &&
		kill -0 $recorder 2>/dev/null; do sleep 0.02; done
	sleep 0.2
	echo -172800 >offset.new && mv offset.new offset
	more set 1
	sleep 0.2
	echo 172800 >offset.new && mv offset.new offset
	more set 2
	kill -TERM $recorder
	wait $recorder
	profiles set >files
	check 'a clock that is set ends the period' 0 \
		"sort -u files | wc -l; cat said" <<'END'
3
END
	# shellcheck disable=SC2046
	exact 'and nothing is lost' $(cat files)
fi

# Without root, by capabilities alone: as the unit for systemd.
caps=+perfmon,+sys_ptrace,+syslog,+ipc_lock,+dac_read_search
if [ "$(id -u)" -ne 0 ]; then
	skip 'the rights in the unit' 'not root'
else
	chmod 755 "$scratch"
	mkdir -m 777 caps
	if setpriv --reuid=65534 --clear-groups --inh-caps="$caps" \
		--ambient-caps="$caps" prof-record -V >log 2>&1; then
		# On an idle machine the kernel has nothing to do for seconds.
		dd if=/dev/zero of=/dev/null bs=1 2>dd.log &
		busy=$!
		check 'the rights in the unit' 0 "
			cd caps && rm -rf * && setpriv --reuid=65534 --clear-groups \
				--inh-caps=$caps --ambient-caps=$caps \
				prof-record -q --all -F 99 --every 1 --seconds 2 \
				-o '%F/%H%M%S.pb.gz'
			find . -name '*.pb.gz' | awk 'END { print (NR >= 2) }'
			find . -name '*.pb.gz' -exec prof-text --raw {} ';' 2>/dev/null |
				grep -c 'kernel.kallsyms' | awk '{ print (\$1 > 0) }'" <<'END'
1
1
END
		kill $busy
		wait $busy 2>/dev/null
	else
		skip 'the rights in the unit' "$(head -1 log)"
	fi
fi

# CPUs, as far as the kernel's list says: in a mount namespace the list is ours.
if ! unshare -m true 2>log || [ "$(nproc)" -lt 2 ]; then
	skip 'CPUs that come and go' 'no mount namespace, or one CPU'
elif ! prof-record -q --all --seconds 1 -o a.pb.gz 2>log; then
	skip 'CPUs that come and go' "$(head -1 log)"
else
	./work &
	second=$!
	taskset -p -c 0 $work >log && taskset -p -c 1 $second >log
	cat >plug.sh <<'END'
mount --bind online /sys/devices/system/cpu/online || exit
exec prof-record -q --all --label=cpu -F 200 --every 86400 -o 'cpu/%F.pb.gz'
END
	# rings N: wait until so many CPUs are sampled.
	rings() {
		until [ "$(grep -c perf_event /proc/$recorder/maps)" -eq "$1" ] ||
			! kill -0 $recorder; do sleep 0.05; done
	}
	plug() {
		rm -rf cpu
		echo 0 >online
		unshare -m sh plug.sh &
		recorder=$!
		while ! grep -q perf_event /proc/$recorder/maps 2>/dev/null &&
			kill -0 $recorder 2>/dev/null; do sleep 0.02; done
		sleep 0.3
		kill -HUP $recorder
		more cpu 1
		echo 0-1 >online
		rings 2
		kill -HUP $recorder
		more cpu 2
		sleep 0.3
		kill -HUP $recorder
		more cpu 3
		echo 1 >online
		rings 1
		kill -HUP $recorder
		more cpu 4
		sleep 0.3
		kill -TERM $recorder
		wait $recorder || return 2
		for f in $(ls -tr cpu/*.pb.gz | sed -n '1p;3p;5p'); do
			prof-text -q --tags $f 2>/dev/null |
				sed -n '/^ cpu:/,/^$/s/.*: \([0-9]*\)$/\1/p' | sort | tr '\n' ' '
			echo
		done | tee cpus
		printf '0 \n0 1 \n1 \n' | cmp - cpus
	}
	live 'CPUs that come and go' plug
	kill $second
fi
plan
