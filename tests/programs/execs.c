/*
 * execs.c - executes itself again and again, by each function that does, for
 * perfclock.t:
 *
 *	execs N
 *
 * After N times it prints "end", works for 0.2 s of CPU time and exits with 3.
 * Before each time there is a little work and a call that fails.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { N_WAY = 9 };

static double
cpu_time(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static void
work(double s)
{
	static volatile uint64_t x;

	for (double end = cpu_time() + s; cpu_time() < end;)
		for (int i = 0; i < 1000; i++)
			x += (uint64_t)i;
}

static void
again(const char *self, const char *n, int way)
{
	char *argv[] = { (char *)(uintptr_t) "execs", (char *)(uintptr_t)n,
			 (char *)(uintptr_t) "x", NULL };
	char *const *env = environ;

	switch (way) {
	case 0:
		execl(self, "execs", n, "x", NULL);
		break;
	case 1:
		execlp(self, "execs", n, "x", NULL);
		break;
	case 2:
		execle(self, "execs", n, "x", NULL, env);
		break;
	case 3:
		execv(self, argv);
		break;
	case 4:
		execvp(self, argv);
		break;
	case 5:
		execve(self, argv, env);
		break;
	case 6:
		execvpe(self, argv, env);
		break;
	case 7:
		fexecve(open(self, O_RDONLY | O_CLOEXEC), argv, env);
		break;
	case 8:
		execveat(AT_FDCWD, self, argv, env, 0);
		break;
	}
	perror(self);
	exit(4);
}

int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;
	char next[16], self[4096];
	ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (size < 0 || !getenv("EXECS") || (argc > 2 && argc != 3))
		return 4;
	self[size] = '\0';
	work(0.0005);
	execl("/nonexistent/program", "x", NULL);
	if (n == 0) {
		puts("end");
		work(0.2);
		return 3;
	}
	snprintf(next, sizeof(next), "%d", n - 1);
	again(self, next, n % N_WAY);
}
