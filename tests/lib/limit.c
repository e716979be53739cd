/*
 * limit.c - run a test for so many seconds at most:
 *
 *	limit SECONDS COMMAND [ARGUMENT...]
 *
 * The command has a session of its own, so that a test does the same with and
 * without a terminal, and that all it started can be ended. Past the limit a
 * line of TAP names the test and the limit. At last its CPU time is printed,
 * with that of orphans, which are waited for here, and how long it took. What
 * still runs then is not counted.
 * After the time TESTS_END, in seconds since 1970, no test begins: it is
 * skipped aloud.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t child;
static volatile sig_atomic_t expired;

/* Ends the test: gently at first, as it has files to remove. */
static void
on_signal(int signal)
{
	static volatile sig_atomic_t before;

	expired |= signal == SIGALRM;
	kill(-child, before ? SIGKILL : SIGTERM);
	before = 1;
	alarm(10);
}

static void
run(char **command)
{
	int null = open("/dev/null", O_RDONLY);

	setsid();
	dup2(null, STDIN_FILENO);
	close(null);
	execvp(command[0], command);
	perror(command[0]);
	_exit(127);
}

/* Waits for orphans that are about to end. */
static void
reap(void)
{
	const struct timespec pause = { 0, 10 * 1000 * 1000 };
	pid_t pid;

	for (int i = 0; i < 20; i++) {
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0)
			return;
		nanosleep(&pause, NULL);
	}
}

int
main(int argc, char **argv)
{
	static const int signals[] = { SIGALRM, SIGHUP, SIGINT, SIGTERM };
	struct sigaction action = { .sa_handler = on_signal };
	struct rusage used;
	const char *end = getenv("TESTS_END");
	int status, seconds;
	pid_t pid;
	struct timespec began, ended;

	if (argc < 3 || (seconds = atoi(argv[1])) <= 0) {
		fputs("usage: limit SECONDS COMMAND [ARGUMENT...]\n", stderr);
		return 99;
	}
	if (end && time(NULL) >= atoll(end)) {
		puts("1..0 # SKIP no time left");
		return 0;
	}
	clock_gettime(CLOCK_MONOTONIC, &began);
	prctl(PR_SET_CHILD_SUBREAPER, 1L);
	child = fork();
	if (child == 0)
		run(argv + 2);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &action, NULL);
	alarm((unsigned)seconds);
	while ((pid = wait(&status)) != child)
		if (pid < 0 && errno != EINTR)
			return 99;
	if (expired) {
		printf("Bail out! %s took longer than its limit of %d "
		       "seconds\n",
		       argv[argc - 1], seconds);
		kill(-child, SIGKILL);
		return 99;
	}
	clock_gettime(CLOCK_MONOTONIC, &ended);
	reap();
	getrusage(RUSAGE_CHILDREN, &used);
	printf("# %.1f s of CPU time in %.1f s\n",
	       (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
		       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) /
			       1e6,
	       (double)(ended.tv_sec - began.tv_sec) +
		       (double)(ended.tv_nsec - began.tv_nsec) / 1e9);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
