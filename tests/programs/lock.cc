// lock.cc - waits that are known, for tests of prof-record --lock. Two threads:
// one holds something for a while, the other waits for it, in a function for
// each kind of lock. Printed is what a profile should say: the function, how
// often it waited, and for how many nanoseconds, by its own measure; and the
// variances of estimates of both with a sample for each PERIOD ns.
//
//	lock TIMES USEC PERIOD	wait TIMES times for each, some USEC each time
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <thread>
#include <threads.h>
#include <time.h>

#define WAIT extern "C" __attribute__((noinline)) void

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static std::timed_mutex timed;
static std::condition_variable cpp_cond;
static std::mutex cpp_mutex;
static sem_t sem;
static mtx_t mtx;
static cnd_t cnd;
static bool event;

static timespec
later()
{
	timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += 100;
	return t;
}

// After each, so that no call is a jump.
static void
must(bool done)
{
	if (!done)
		abort();
}

WAIT
wait_mutex()
{
	must(pthread_mutex_lock(&mutex) == 0);
}
WAIT
wait_read()
{
	must(pthread_rwlock_rdlock(&rwlock) == 0);
}
WAIT
wait_write()
{
	must(pthread_rwlock_wrlock(&rwlock) == 0);
}
WAIT
wait_mtx()
{
	must(mtx_lock(&mtx) == thrd_success);
}
WAIT
wait_sem()
{
	must(sem_wait(&sem) == 0);
}

WAIT
wait_mutex_timed()
{
	timespec t = later();

	must(pthread_mutex_timedlock(&mutex, &t) == 0);
}

WAIT
wait_cpp_timed()
{
	must(timed.try_lock_for(std::chrono::seconds(99)));
}

WAIT
wait_sem_timed()
{
	timespec t = later();

	must(sem_timedwait(&sem, &t) == 0);
}

WAIT
wait_cond()
{
	while (!event)
		must(pthread_cond_wait(&cond, &mutex) == 0);
}

WAIT
wait_cnd()
{
	while (!event)
		must(cnd_wait(&cnd, &mtx) == thrd_success);
}

WAIT
wait_cpp_cond()
{
	std::unique_lock<std::mutex> l(cpp_mutex, std::adopt_lock);

	while (!event)
		cpp_cond.wait_for(l, std::chrono::seconds(99));
	l.release();
}

static void
nothing()
{
}
static void
mutex_lock()
{
	pthread_mutex_lock(&mutex);
}
static void
mutex_unlock()
{
	pthread_mutex_unlock(&mutex);
}
static void
rw_lock()
{
	pthread_rwlock_wrlock(&rwlock);
}
static void
rw_unlock()
{
	pthread_rwlock_unlock(&rwlock);
}
static void
timed_lock()
{
	timed.lock();
}
static void
timed_unlock()
{
	timed.unlock();
}
static void
mtx_take()
{
	mtx_lock(&mtx);
}
static void
mtx_give()
{
	mtx_unlock(&mtx);
}
static void
sem_give()
{
	sem_post(&sem);
}
static void
cpp_lock()
{
	cpp_mutex.lock();
}
static void
cpp_unlock()
{
	cpp_mutex.unlock();
}

static void
cond_tell()
{
	pthread_mutex_lock(&mutex);
	event = true;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
}

static void
cnd_tell()
{
	mtx_lock(&mtx);
	event = true;
	cnd_signal(&cnd);
	mtx_unlock(&mtx);
}

static void
cpp_tell()
{
	std::lock_guard<std::mutex> l(cpp_mutex);

	event = true;
	cpp_cond.notify_one();
}

static const struct row {
	const char *name;
	void (*hold)();   // of the holder, before
	void (*before)(); // of the waiter
	void (*wait)();
	void (*after)();
	void (*let_go)(); // of the holder
} rows[] = {
	{ "wait_mutex", mutex_lock, nothing, wait_mutex, mutex_unlock,
	  mutex_unlock },
	{ "wait_mutex_timed", mutex_lock, nothing, wait_mutex_timed,
	  mutex_unlock, mutex_unlock },
	{ "wait_cpp_timed", timed_lock, nothing, wait_cpp_timed, timed_unlock,
	  timed_unlock },
	{ "wait_mtx", mtx_take, nothing, wait_mtx, mtx_give, mtx_give },
	{ "wait_read", rw_lock, nothing, wait_read, rw_unlock, rw_unlock },
	{ "wait_write", rw_lock, nothing, wait_write, rw_unlock, rw_unlock },
	{ "wait_sem", nothing, nothing, wait_sem, nothing, sem_give },
	{ "wait_sem_timed", nothing, nothing, wait_sem_timed, nothing,
	  sem_give },
	{ "wait_cond", nothing, mutex_lock, wait_cond, mutex_unlock,
	  cond_tell },
	{ "wait_cnd", nothing, mtx_take, wait_cnd, mtx_give, cnd_tell },
	{ "wait_cpp_cond", nothing, cpp_lock, wait_cpp_cond, cpp_unlock,
	  cpp_tell },
};

static std::atomic<int> turn;

static void
until(int t)
{
	while (turn != t)
		std::this_thread::yield();
}

static void
hold(const row *r, long times, long usec)
{
	for (long i = 0; i < times; i++) {
		until(0);
		event = false;
		r->hold();
		turn = 1;
		until(2);
		std::this_thread::sleep_for(std::chrono::microseconds(usec));
		r->let_go();
		until(3);
		turn = 0;
	}
}

int
main(int argc, char **argv)
{
	long times = argc > 1 ? atol(argv[1]) : 100;
	long usec = argc > 2 ? atol(argv[2]) : 500;
	double period = argc > 3 ? atof(argv[3]) : 0;

	sem_init(&sem, 0, 0);
	mtx_init(&mtx, mtx_timed);
	cnd_init(&cnd);
	// Locks that are free are not in the profile.
	for (int i = 0; i < 100000; i++) {
		wait_mutex();
		mutex_unlock();
	}
	for (const row &r : rows) {
		std::thread holder(hold, &r, times, usec);
		double sum = 0, var_n = 0, var_ns = 0;

		for (long i = 0; i < times; i++) {
			until(1);
			r.before();
			turn = 2;
			auto start = std::chrono::steady_clock::now();
			r.wait();
			std::chrono::duration<double, std::nano> ns =
				std::chrono::steady_clock::now() - start;
			double d = ns.count();
			sum += d;
			if (d < period) {
				var_n += period / d - 1;
				var_ns += d * (period - d);
			}
			r.after();
			turn = 3;
		}
		holder.join();
		printf("%s %ld %.0f %g %g\n", r.name, times, sum, var_n,
		       var_ns);
	}
}
