#!/bin/sh
# lock.t [TIMES] - prof-record --lock: estimates of waits against the real ones.
# `make truth` repeats it more often.
times=${1:-100}
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

lock=$bin/tests/lock

# The estimates of each function that waits: how often, and nanoseconds.
estimates() {
	named "$lock" --all "$1" | awk '
		/^#/ { next }
		{
			for (k = 3; k < NF && $k !~ /^wait_/; k++)
				;
			if ($k ~ /^wait_/) {
				count[$k] += $1
				delay[$k] += $2
			}
		}
		END {
			for (f in count)
				print f, count[f], delay[f]
		}'
}

# waits PERIOD: waits of the period or longer are samples; shorter ones are with the
# chance of their length in it, and stand for that much more. KNOWN has the variances:
# 0 where all are samples, and then the sampler, which looks at the clock after the
# program and before it again, may have 10 us less of each wait, or a hundredth, as others
# may get the processor between the two looks.
waits() {
	prof-record --lock=$1 -o l.pb.gz "$lock" "$times" 400 $1 >known || return 2
	estimates l.pb.gz >got
	awk -v period=$1 "$chance"'
		# A period of waiting is a sample on average.
		function is_near(got, known, var, room, samples) {
			if (!var)
				return got <= known && known - got <= room
			return chance_count(int(got * samples / known + 0.5), samples, 22)
		}
		function most(a, b) { return a > b ? a : b }
		NR == FNR { count[$1] = $2; delay[$1] = $3; next }
		{
			sd_n = sqrt($4)
			sd_d = sqrt($5)
			printf "%-17s %4d waits: %5d, sd %4.1f; %7.2f ms: %7.2f, sd %4.1f\n",
				$1, $2, count[$1], sd_n, $3 / 1e6,
				delay[$1] / 1e6, sd_d / 1e6
			if (!is_near(count[$1], $2, $4, 0, $3 / period) ||
			    !is_near(delay[$1], $3, $5, most(10000 * $2, $3 / 100), $3 / period))
				bad++
			n++
		}
		END { exit bad > 0 || n != 11 }' got known
}

for period in 1000 100000 5000000; do
	live "the truth of known waits, a sample for $period ns" waits $period
done

check 'labels say what was waited for' 0 \
	"prof-record --lock=1000 -o l.pb.gz '$lock' 50 400 >known"'
	stacks l.pb.gz | grep -v "^#" | grep -o "lock=.*" | sort -u' <<'END'
lock=condition
lock=mutex
lock=rwlock
lock=semaphore
END
check 'the columns, and which is shown' 0 \
	'prof-text --raw l.pb.gz | grep -A1 -e ^Period -e ^Samples |
		grep -v -e ^Time -e ^--' <<'END'
PeriodType: contentions count
Period: 1
Samples:
contentions/count delay/nanoseconds[dflt]
END
if lacks 'prof-symbolize l.pb.gz'; then
	skip 'an example of the manual' 'without elfutils'
else
	check 'an example of the manual' 0 \
		'prof-record -q --lock -o lock.pb.gz ls >/dev/null
		 prof-symbolize lock.pb.gz | prof-text --tagignore=condition 2>err |
			sed -n "s/^Type/&/p"' <<'END'
Type: delay
END
fi
check_err 'no wait: a word' 0 'prof-record --lock -o lock.pb.gz ls >/dev/null' \
	'no wait for a lock was sampled: one in 100us of waiting is'

# Semantics: errors that waiting finds out, cancellation, errno.
cat >strict.c <<'END'
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m;
static sem_t s;
static void unlock(void *arg)
{
	puts("cancelled, and cleaned up");
	pthread_mutex_unlock(arg);
}
static void *wait_for_ever(void *arg)
{
	static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
	(void)arg;
	pthread_mutex_lock(&own);
	pthread_cleanup_push(unlock, &own);
	sem_post(&s);
	for (;;)
		pthread_cond_wait(&c, &own);
	pthread_cleanup_pop(1);
	return NULL;
}
static void *die_with_it(void *arg)
{
	pthread_mutex_lock(arg);
	return NULL;
}
int main(void)
{
	struct timespec past = { 1, 0 };
	pthread_mutexattr_t a;
	pthread_t t;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&m, &a);
	pthread_mutex_lock(&m);
	printf("%s\n", strerrorname_np(pthread_mutex_lock(&m)));
	pthread_mutex_unlock(&m);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&m, &a);
	pthread_mutex_lock(&m);
	printf("%d\n", pthread_mutex_lock(&m));
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&m, &a);
	pthread_create(&t, NULL, die_with_it, &m);
	pthread_join(t, NULL);
	printf("%s\n", strerrorname_np(pthread_mutex_lock(&m)));
	sem_init(&s, 0, 0);
	errno = 0;
	printf("%d ", sem_timedwait(&s, &past));
	printf("%s\n", strerrorname_np(errno));
	errno = ENOTTY;
	pthread_create(&t, NULL, wait_for_ever, NULL);
	sem_wait(&s);
	printf("%s\n", strerrorname_np(errno));
	pthread_cancel(t);
	pthread_join(t, NULL);
	return 0;
}
END
if ${CC:-cc} -D_GNU_SOURCE -pthread -o strict strict.c; then
	check 'locks keep their manners' 0 \
		'prof-record --lock=1 -o x.pb.gz ./strict' <<'END'
EDEADLK
0
EOWNERDEAD
-1 ETIMEDOUT
ENOTTY
cancelled, and cleaned up
END
else
	skip 'locks keep their manners' 'no compiler'
fi

plan
