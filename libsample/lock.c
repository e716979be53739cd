/*
 * lock.c - libsample-lock.so: how long threads wait for each other. It
 * interposes the functions that take a lock, tries to take it without waiting,
 * and reads the clock only if that fails. So a free lock costs one call more;
 * other costs occur while the program waits anyway.
 *
 *	mutexes		pthread_mutex_lock, _timedlock, _clocklock, mtx_lock,
 *			mtx_timedlock
 *	rwlocks		pthread_rwlock_rdlock, _wrlock, and timed
 *	semaphores	sem_wait, sem_timedwait, sem_clockwait
 *	conditions	pthread_cond_wait, _timedwait, _clockwait, cnd_wait,
 *			cnd_timedwait: the whole wait, which is for an event,
 *			whichever thread has the mutex
 *
 * A wait of d ns is sampled with the probability d / period, at most 1, and
 * counts as period / d waits, at least 1, of d ns each: so both sums have the
 * right expectation, and waits longer than the period are exact. Go's block
 * profile does the same. Counts in the shared memory are integers, so fractions
 * are rounded up or down at random.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>

#include "hook.h"
#include "real.h"

#define EXPORT __attribute__((visibility("default")))

/* The return address in the program, which called us. */
#define CALLER __builtin_return_address(0)

typedef const struct timespec *until_arg;

/* The interposed functions, and those that try a lock. Mutexes are first: the
 * loader or the allocator may need one to look up the others. */
#define FUNCTIONS(F)                                                           \
	F(int, pthread_mutex_trylock, (pthread_mutex_t *))                     \
	F(int, pthread_mutex_lock, (pthread_mutex_t *))                        \
	F(int, pthread_mutex_timedlock, (pthread_mutex_t *, until_arg))        \
	F(int, pthread_mutex_clocklock,                                        \
	  (pthread_mutex_t *, clockid_t, until_arg))                           \
	F(int, mtx_trylock, (mtx_t *))                                         \
	F(int, mtx_lock, (mtx_t *))                                            \
	F(int, mtx_timedlock, (mtx_t *, until_arg))                            \
	F(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t *))                 \
	F(int, pthread_rwlock_trywrlock, (pthread_rwlock_t *))                 \
	F(int, pthread_rwlock_rdlock, (pthread_rwlock_t *))                    \
	F(int, pthread_rwlock_wrlock, (pthread_rwlock_t *))                    \
	F(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *, until_arg))    \
	F(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *, until_arg))    \
	F(int, pthread_rwlock_clockrdlock,                                     \
	  (pthread_rwlock_t *, clockid_t, until_arg))                          \
	F(int, pthread_rwlock_clockwrlock,                                     \
	  (pthread_rwlock_t *, clockid_t, until_arg))                          \
	F(int, sem_trywait, (sem_t *))                                         \
	F(int, sem_wait, (sem_t *))                                            \
	F(int, sem_timedwait, (sem_t *, until_arg))                            \
	F(int, sem_clockwait, (sem_t *, clockid_t, until_arg))                 \
	F(int, pthread_cond_wait, (pthread_cond_t *, pthread_mutex_t *))       \
	F(int, pthread_cond_timedwait,                                         \
	  (pthread_cond_t *, pthread_mutex_t *, until_arg))                    \
	F(int, pthread_cond_clockwait,                                         \
	  (pthread_cond_t *, pthread_mutex_t *, clockid_t, until_arg))         \
	F(int, cnd_wait, (cnd_t *, mtx_t *))                                   \
	F(int, cnd_timedwait, (cnd_t *, mtx_t *, until_arg))

static struct {
	FUNCTIONS(REAL_MEMBER)
} real;

__attribute__((constructor)) static void
find_all(void)
{
	FUNCTIONS(REAL_FIND)
	real_found();
}

static inline void
find_if_early(void)
{
	if (__builtin_expect(!real.pthread_mutex_trylock, 0))
		find_all();
}

static _Thread_local uint64_t random_state;

static uint32_t
round_randomly(double x)
{
	x += hook_uniform(&random_state);
	return x < (double)UINT32_MAX ? (uint32_t)x : UINT32_MAX;
}

/* Record that the thread has waited since start. Preserves errno. */
static __attribute__((noinline)) void
waited(enum shm_lock kind, uint64_t start, const void *ra)
{
	double ns = (double)(hook_now_ns() - start), period;
	uint32_t count, delay;
	struct shm *shm;
	struct hook h;

	if (sample_hook_state(SHM_LOCK, &shm) != HOOK_ON)
		return;
	period = (double)shm->set.lock_period;
	if (ns < period && hook_uniform(&random_state) * period >= ns)
		return;
	if (!sample_hook_enter(&h, SHM_LOCK, ra))
		return;
	count = round_randomly(ns < period ? period / ns : 1);
	delay = round_randomly((ns < period ? period : ns) / 1000);
	if (sample_hook_count(&h, SHM_WAIT, kind, count) && delay)
		sample_hook_count(&h, SHM_DELAY, kind, delay);
	sample_hook_leave(&h);
}

/*
 * The body of a function that takes a lock: try it; if that returns busy, take
 * it by `call`, and measure the time.
 */
#define TAKE(kind, try, busy, call)                                            \
	do {                                                                   \
		uint64_t start_;                                               \
		int rc_;                                                       \
                                                                               \
		find_if_early();                                               \
		rc_ = try;                                                     \
		if (__builtin_expect(rc_ != (busy), 1))                        \
			return rc_;                                            \
		start_ = hook_now_ns();                                        \
		rc_ = call;                                                    \
		waited(kind, start_, CALLER);                                  \
		return rc_;                                                    \
	} while (0)

/*
 * The same until a time. libc looks at its arguments before the lock, so ones
 * that it may refuse are for it alone.
 */
#define TAKE_UNTIL(kind, try, busy, clock, until, call)                        \
	do {                                                                   \
		find_if_early();                                               \
		if (!is_time(clock, until))                                    \
			return call;                                           \
		TAKE(kind, try, busy, call);                                   \
	} while (0)

static inline bool
is_time(clockid_t clock, const struct timespec *t)
{
	return (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) &&
	       (!t || (t->tv_nsec >= 0 && t->tv_nsec < 1000000000));
}

/* Mutexes. */

EXPORT int
pthread_mutex_lock(pthread_mutex_t *m)
{
	TAKE(SHM_LOCK_MUTEX, real.pthread_mutex_trylock(m), EBUSY,
	     real.pthread_mutex_lock(m));
}

EXPORT int
pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
	TAKE_UNTIL(SHM_LOCK_MUTEX, real.pthread_mutex_trylock(m), EBUSY,
		   CLOCK_REALTIME, until,
		   real.pthread_mutex_timedlock(m, until));
}

EXPORT int
pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
			const struct timespec *until)
{
	TAKE_UNTIL(SHM_LOCK_MUTEX, real.pthread_mutex_trylock(m), EBUSY, clock,
		   until, real.pthread_mutex_clocklock(m, clock, until));
}

EXPORT int
mtx_lock(mtx_t *m)
{
	TAKE(SHM_LOCK_MUTEX, real.mtx_trylock(m), thrd_busy, real.mtx_lock(m));
}

EXPORT int
mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict until)
{
	TAKE_UNTIL(SHM_LOCK_MUTEX, real.mtx_trylock(m), thrd_busy,
		   CLOCK_REALTIME, until, real.mtx_timedlock(m, until));
}

/* Read-write locks. */

EXPORT int
pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	TAKE(SHM_LOCK_RWLOCK, real.pthread_rwlock_tryrdlock(l), EBUSY,
	     real.pthread_rwlock_rdlock(l));
}

EXPORT int
pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *until)
{
	TAKE_UNTIL(SHM_LOCK_RWLOCK, real.pthread_rwlock_tryrdlock(l), EBUSY,
		   CLOCK_REALTIME, until,
		   real.pthread_rwlock_timedrdlock(l, until));
}

EXPORT int
pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock,
			   const struct timespec *until)
{
	TAKE_UNTIL(SHM_LOCK_RWLOCK, real.pthread_rwlock_tryrdlock(l), EBUSY,
		   clock, until,
		   real.pthread_rwlock_clockrdlock(l, clock, until));
}

EXPORT int
pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	TAKE(SHM_LOCK_RWLOCK, real.pthread_rwlock_trywrlock(l), EBUSY,
	     real.pthread_rwlock_wrlock(l));
}

EXPORT int
pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *until)
{
	TAKE_UNTIL(SHM_LOCK_RWLOCK, real.pthread_rwlock_trywrlock(l), EBUSY,
		   CLOCK_REALTIME, until,
		   real.pthread_rwlock_timedwrlock(l, until));
}

EXPORT int
pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock,
			   const struct timespec *until)
{
	TAKE_UNTIL(SHM_LOCK_RWLOCK, real.pthread_rwlock_trywrlock(l), EBUSY,
		   clock, until,
		   real.pthread_rwlock_clockwrlock(l, clock, until));
}

/*
 * Semaphores report errors in errno. To wait for one is a cancellation point,
 * also if it is free; to try it is none.
 */

enum { SEM_BUSY = 1 };

static int
try_sem(sem_t *s)
{
	int saved = errno, rc;

	pthread_testcancel();
	rc = real.sem_trywait(s);
	if (rc != 0 && errno == EAGAIN)
		rc = SEM_BUSY;
	if (rc == SEM_BUSY)
		errno = saved;
	return rc;
}

EXPORT int
sem_wait(sem_t *s)
{
	TAKE(SHM_LOCK_SEMAPHORE, try_sem(s), SEM_BUSY, real.sem_wait(s));
}

EXPORT int
sem_timedwait(sem_t *restrict s, const struct timespec *restrict until)
{
	TAKE_UNTIL(SHM_LOCK_SEMAPHORE, try_sem(s), SEM_BUSY, CLOCK_REALTIME,
		   until, real.sem_timedwait(s, until));
}

EXPORT int
sem_clockwait(sem_t *restrict s, clockid_t clock,
	      const struct timespec *restrict until)
{
	TAKE_UNTIL(SHM_LOCK_SEMAPHORE, try_sem(s), SEM_BUSY, clock, until,
		   real.sem_clockwait(s, clock, until));
}

/* Conditions: there is nothing to try. */

#define WAIT(call) TAKE(SHM_LOCK_CONDITION, 0, 0, call)

EXPORT int
pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	WAIT(real.pthread_cond_wait(c, m));
}

EXPORT int
pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
		       const struct timespec *until)
{
	WAIT(real.pthread_cond_timedwait(c, m, until));
}

EXPORT int
pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
		       const struct timespec *until)
{
	WAIT(real.pthread_cond_clockwait(c, m, clock, until));
}

EXPORT int
cnd_wait(cnd_t *c, mtx_t *m)
{
	WAIT(real.cnd_wait(c, m));
}

EXPORT int
cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m,
	      const struct timespec *restrict until)
{
	WAIT(real.cnd_timedwait(c, m, until));
}
