# waits.t - a program sampled by the wall clock sleeps as it does alone: every
# call that waits has the same result and duration.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

alone() {
	waits 50 >alone || return 2
	cat alone
	[ "$(grep -c 'in time$' alone)" -ge 19 ] && ! grep -q EARLY alone
}
live 'alone, all calls take their time' alone
as_alone() {
	# shellcheck disable=SC2086 # words
	prof-record -q $1 -o w.pb.gz waits 50 >sampled 2>err || return 2
	cat err
	diff alone sampled
}
for how in '--clock=wall' '--clock=wall -F 1000' '--clock=wall -F 10000 --lock' \
	'-F 1000 --heap=1'; do
	case $how in *--lock | *--heap*) how="$how --listen=0" ;; esac
	live "the same with $how" as_alone "$how"
done

check 'the process ends with its last thread, which need not be the first' 0 \
	'timeout 300 prof-record -q --clock=wall -o x.pb.gz waits 20 exit' <<'END'
outlive: 0 - in time
END

# Each sleep is under the function that sleeps. All of the time is in the sum;
# on a loaded machine one sleep, or part of it, may be counted with the next.
all_waits='prof-record -q --clock=wall -F 1000 -o w.pb.gz waits 100 >/dev/null'
sh -c "$all_waits"
if lacks 'prof-symbolize w.pb.gz'; then
	skip 'where it sleeps' 'this build has no elfutils'
else
	# All take 0.1 s at least, with a look each millisecond, one in ten of which may be late.
	# A look that is 50 ms late counts them for what comes next: beside ten other processes
	# that is one call of each try, but another one each time.
	unfiltered check 'where it sleeps' 0 "$all_waits"'
		prof-symbolize w.pb.gz | prof-text -q --cum --nodecount=999 --unit=ms |
			awk "$chance""\$NF ~ /^wait_/ { ms = \$4 + 0
				if (chance_ticks(ms, ms, 100, 1e9, 2, 19)) print \$NF }" >>right
		sort -u right | wc -l' <<'END'
19
END
fi
unfiltered check 'all of the time is there' 0 "$all_waits"'
	stacks w.pb.gz | awk "$chance""/^[0-9]/ { n += \$1 }
		END { print chance_ticks(n, n, 2000, 1e9, 20) ? \"all\" : n }"' <<'END'
all
END
unfiltered check 'no caller is missing, and nothing is lost' 0 \
	'stacks w.pb.gz | sed -n "s/.* \(lost=.*unwind_failed=[0-9]*\) .*/\1/p"' <<'END'
lost=0 truncated=0 unwind_failed=0
END

# Interpreters.
if have perl; then
	check 'perl: sleep and select' 0 '
	prof-record -q --clock=wall -F 1000 -o p.pb.gz perl -MTime::HiRes=time -e \
		"\$t = time; print sleep(1), q( ), scalar(select(undef, undef, undef, 0.25));
		 print time - \$t >= 1.24 ? qq( in time\\n) : qq( early\\n)"' <<'END'
1 0 in time
END
else
	skip 'perl: sleep and select' 'no perl'
fi
if have php; then
	check 'php: sleep and usleep' 0 '
	prof-record -q --clock=wall -F 1000 -o p.pb.gz php -r \
		"\$t = microtime(true);
		 echo sleep(1), usleep(250000), microtime(true) - \$t >= 1.24, PHP_EOL;"' <<'END'
01
END
else
	skip 'php: sleep and usleep' 'no php'
fi

# libc tells all threads to change their user, and waits for them.
cat >setuid.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void *
wait_as_nobody(void *arg)
{
	struct timespec t = { 0, 300000000 };

	nanosleep(&t, NULL);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	printf("%d", setgid(65534));
	printf("%d\n", setuid(getuid() ? getuid() : 65534));
	pthread_create(&thread, NULL, wait_as_nobody, NULL);
	return pthread_join(thread, NULL);
}
END
if [ "$(id -u)" -ne 0 ]; then
	skip 'a program that gives its rights up' 'needs root'
elif ${CC:-cc} -pthread -o setuid setuid.c 2>/dev/null; then
	unfiltered check 'a program that gives its rights up' 0 '
	timeout 300 prof-record -q --clock=wall -F 1000 -o s.pb.gz ./setuid
	stacks s.pb.gz | awk "$chance""/^[0-9]/ { n += \$1 } { sub(/.* lost=/, \"\") }
		/^[0-9]* trunc/ { n += \$1 }
		END { print chance_ticks(n, n, 600, 1e9, 4) ? \"seen\" : n }"' <<'END'
00
seen
END
	unfiltered check_err 'a program that gives its rights up: its sleep is lost, and said' 0 \
		'prof-record --clock=wall -o s.pb.gz ./setuid >/dev/null' \
		'changed its user or is not dumpable'
else
	skip 'a program that gives its rights up' 'no C compiler'
fi

# Calls that need a process of one thread: ours ends meanwhile.
cat >alone.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

int
main(void)
{
	struct timespec t = { .tv_nsec = 300000000 };
	int mounts = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);

	/* Some systems allow only one. */
	for (int i = 0; i < 3; i++) {
		errno = 0;
		printf("%s\n", unshare(CLONE_NEWUSER) ? strerror(errno) : "user");
	}
	errno = 0;
	printf("%s\n", setns(mounts, CLONE_NEWNS) ? strerror(errno) : "mounts");
	nanosleep(&t, NULL);
	return 0;
}
END
if ${CC:-cc} -o alone alone.c 2>/dev/null; then
	unfiltered check 'a user namespace is entered as without the sampler, and sleep is seen after it' 0 \
		'prof-record -q --clock=wall -o s.pb.gz ./alone
		 stacks s.pb.gz | awk "$chance""/^[0-9]/ { n += \$1 }
			END { print chance_ticks(n, n, 30, 1e9, 2) ? \"seen\" : n }"' <<END
$(./alone)
seen
END
else
	skip 'a user namespace' 'no C compiler'
fi
plan
