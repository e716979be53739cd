/*
 * waits.c - calls that sleep, each in a function of its own: prints what came
 * of it, and whether it took as long as it was asked to. Threads of a program
 * that is sampled must not notice it.
 *
 *	waits MS	all of them
 *	waits MS exit	one, in a thread that outlives the first one
 */
#include <errno.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static long ms;
static struct timespec duration;
static int tube[2]; /* a pipe without writers */
static int pair[2]; /* sockets, with a time limit */
static int timer;

static struct timespec
from_now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_sec += duration.tv_sec;
	t.tv_nsec += duration.tv_nsec;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

NOINLINE static int
wait_nanosleep(void)
{
	return nanosleep(&duration, NULL);
}

NOINLINE static int
wait_clock_nanosleep(void)
{
	struct timespec until = from_now(CLOCK_MONOTONIC);

	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

NOINLINE static int
wait_usleep(void)
{
	return usleep((useconds_t)ms * 1000);
}

NOINLINE static int
wait_poll(void)
{
	struct pollfd fd = { .fd = tube[0], .events = POLLIN };

	return poll(&fd, 1, (int)ms);
}

NOINLINE static int
wait_ppoll(void)
{
	struct pollfd fd = { .fd = tube[0], .events = POLLIN };

	return ppoll(&fd, 1, &duration, NULL);
}

NOINLINE static int
wait_select(void)
{
	struct timeval time = { .tv_sec = duration.tv_sec,
				.tv_usec = duration.tv_nsec / 1000 };
	fd_set set;
	int rc;

	FD_ZERO(&set);
	FD_SET(tube[0], &set);
	rc = select(tube[0] + 1, &set, NULL, NULL, &time);
	/* The remaining time, as Linux returns it. */
	return rc == 0 && (time.tv_sec || time.tv_usec) ? -2 : rc;
}

NOINLINE static int
wait_pselect(void)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(tube[0], &set);
	return pselect(tube[0] + 1, &set, NULL, NULL, &duration, NULL);
}

NOINLINE static int
wait_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int fd = epoll_create1(0), rc;

	epoll_ctl(fd, EPOLL_CTL_ADD, tube[0], &event);
	rc = epoll_wait(fd, &event, 1, (int)ms);
	close(fd);
	return rc;
}

NOINLINE static int
wait_sem(void)
{
	struct timespec until = from_now(CLOCK_REALTIME);
	sem_t sem;

	sem_init(&sem, 0, 0);
	return sem_timedwait(&sem, &until);
}

NOINLINE static int
wait_futex(void)
{
	static int word;

	return (int)syscall(SYS_futex, &word, FUTEX_WAIT, 0, &duration, NULL,
			    0);
}

NOINLINE static int
wait_cond(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	struct timespec until = from_now(CLOCK_REALTIME);
	int rc;

	pthread_mutex_lock(&mutex);
	rc = pthread_cond_timedwait(&cond, &mutex, &until);
	pthread_mutex_unlock(&mutex);
	return rc;
}

NOINLINE static int
wait_recv(void)
{
	char c;

	return (int)recv(pair[0], &c, 1, 0);
}

NOINLINE static int
wait_semop(void)
{
	struct sembuf op = { .sem_op = -1 };
	int id = semget(IPC_PRIVATE, 1, 0600), rc;

	rc = semtimedop(id, &op, 1, &duration);
	semctl(id, 0, IPC_RMID);
	return rc;
}

NOINLINE static int
wait_sigtimedwait(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return sigtimedwait(&set, NULL, &duration);
}

/* No limit of time: something comes when the time is up. */
NOINLINE static int
wait_read(void)
{
	struct itimerspec once = { .it_value = duration };
	unsigned long long n;

	timerfd_settime(timer, 0, &once, NULL);
	return (int)read(timer, &n, sizeof(n));
}

NOINLINE static int
wait_child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		nanosleep(&duration, NULL);
		_exit(3);
	}
	return waitpid(pid, NULL, 0) == pid;
}

static void *
sleep_in_thread(void *arg)
{
	nanosleep(&duration, NULL);
	return arg;
}

NOINLINE static int
wait_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, sleep_in_thread, NULL);
	return pthread_join(thread, NULL);
}

static void
on_alarm(int sig)
{
	(void)sig;
}

/* A signal of the program's own still ends its sleep. */
NOINLINE static int
wait_pause(void)
{
	struct itimerval once = { .it_value = { .tv_sec = duration.tv_sec,
						.tv_usec = duration.tv_nsec /
							   1000 } };

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &once, NULL);
	return pause();
}

/* Short sleeps, one after the other, with work between. */
NOINLINE static int
wait_often(void)
{
	struct pollfd fd = { .fd = tube[0], .events = POLLIN };
	int bad = 0;

	for (long i = 0; i < ms; i++) {
		bad += poll(&fd, 1, 1) != 0;
		for (volatile int k = 0; k < 20000; k++)
			;
	}
	return bad;
}

static void
try(const char *name, int (*wait)(void))
{
	struct timespec begin, end;
	double took;
	int rc;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	errno = 0;
	rc = wait();
	printf("%s: %d %s", name, rc, errno ? strerrorname_np(errno) : "-");
	clock_gettime(CLOCK_MONOTONIC, &end);
	took = (double)(end.tv_sec - begin.tv_sec) * 1e3 +
	       (double)(end.tv_nsec - begin.tv_nsec) / 1e6;
	/* The coarsest of these clocks is the kernel's tick. */
	printf(" %s\n", took > (double)ms - 11 ? "in time" : "TOO EARLY");
	fflush(stdout);
}

/* The process ends with this thread. */
static void *
outlive(void *arg)
{
	(void)arg;
	try("outlive", wait_nanosleep);
	return NULL;
}

int
main(int argc, char **argv)
{
	struct timeval limit;
	pthread_t thread;

	ms = argc > 1 ? atol(argv[1]) : 50;
	duration.tv_sec = ms / 1000;
	duration.tv_nsec = ms % 1000 * 1000000;
	limit.tv_sec = duration.tv_sec;
	limit.tv_usec = duration.tv_nsec / 1000;
	if (pipe(tube) != 0 || socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0)
		return 1;
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	if (argc > 2) {
		pthread_create(&thread, NULL, outlive, NULL);
		pthread_exit(NULL);
	}
#define TRY(name) try(#name, wait_##name)
	TRY(nanosleep);
	TRY(clock_nanosleep);
	TRY(usleep);
	TRY(poll);
	TRY(ppoll);
	TRY(select);
	TRY(pselect);
	TRY(epoll);
	TRY(sem);
	TRY(futex);
	TRY(cond);
	TRY(recv);
	TRY(semop);
	TRY(sigtimedwait);
	TRY(read);
	TRY(child);
	TRY(thread);
	TRY(pause);
	TRY(often);
	return 0;
}
