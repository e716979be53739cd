/*
 * confine.c - which processes do nothing, so that their answers are no longer
 * awaited. A second takes a millisecond here, and a process is told to have had
 * no processor in it.
 */
#include "config.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/confine.h"
#include "tests/unit/unit.h"

static atomic_int *n_poll;

int
poll(struct pollfd *fd, nfds_t n, int ms)
{
	(void)ms;
	atomic_fetch_add(n_poll, 1);
	return ppoll(fd, n, &(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

int
clock_gettime(clockid_t clock, struct timespec *t)
{
	*t = (struct timespec){ 0 };
	return clock < 0 ? 0 : (int)syscall(SYS_clock_gettime, clock, t);
}

/* The first byte of a process, which answers after three times the seconds that
 * are allowed for nothing, and is busy until then, or not; -1: none came. */
static int
answer_of(bool is_busy, bool *is_late)
{
	struct confined c = { 0 };
	char byte = 0;
	int fd[2];
	ssize_t got;

	atomic_store(n_poll, 0);
	assert_int_equal(pipe(fd), 0);
	c.pid = fork();
	if (c.pid == 0) {
		while (atomic_load(n_poll) < 3 * CONFINE_SILENCE)
			if (!is_busy)
				pause();
		_exit(write(fd[1], "x", 1) != 1);
	}
	close(fd[1]);
	got = confine_read_some(&c, fd[0], &byte, 1);
	close(fd[0]);
	kill(c.pid, SIGKILL);
	waitpid(c.pid, NULL, 0);
	*is_late = c.is_late;
	return got == 1 ? byte : -1;
}

static void
test_starved(void **state)
{
	bool is_late;

	(void)state;
	assert_int_equal(answer_of(true, &is_late), 'x');
	assert_false(is_late);
}

static void
test_idle(void **state)
{
	bool is_late;

	(void)state;
	assert_int_equal(answer_of(false, &is_late), -1);
	assert_true(is_late);
	assert_true(atomic_load(n_poll) < 3 * CONFINE_SILENCE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_starved),
					    cmocka_unit_test(test_idle) };

	n_poll = mmap(NULL, sizeof(*n_poll), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
