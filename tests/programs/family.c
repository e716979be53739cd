/*
 * family.c - starts a process in one of the ways there are, for children.t:
 *
 *	family WAY [ARGUMENT]
 *
 * Every process of it that shall be seen works for a tenth of a second of CPU
 * time and prints its number. A child that does not end as it should is said
 * on standard error, with the status of a failure.
 */
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const char *self;

static void
work(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 10;
	volatile uint64_t x = 1;

	do {
		for (int i = 0; i < 10000; i++)
			x = x * UINT64_C(6364136223846793005) + 1;
	} while (clock() < end);
	printf("%d\n", (int)getpid());
	fflush(stdout);
}

_Noreturn static void
fail(const char *what)
{
	fprintf(stderr, "family: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void
expect(pid_t pid, int want)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		fail("wait");
	if (status != want << 8) {
		fprintf(stderr, "family: the child ended with %#x\n", status);
		exit(1);
	}
}

static void
by_fork(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		work();
		_exit(3);
	}
	work();
	expect(pid, 3);
}

static void
by_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execl(self, self, "work", (char *)NULL);
		_exit(127);
	}
	work();
	expect(pid, 0);
}

static void
by_spawn(void)
{
	char *args[] = { (char *)(uintptr_t)self, (char[]){ "work" }, NULL };
	pid_t pid;

	if (posix_spawn(&pid, self, NULL, NULL, args, environ) != 0)
		fail("posix_spawn");
	work();
	expect(pid, 0);
}

/* Under a shell, which may make two processes of it. */
static void
by_system(void)
{
	char command[4096];

	snprintf(command, sizeof(command), "'%s' work; exit 3", self);
	if (system(command) != 3 << 8)
		fail("system");
	work();
}

static void
by_popen(void)
{
	char command[4096], line[32];
	FILE *f;

	snprintf(command, sizeof(command), "'%s' work; exit 3", self);
	f = popen(command, "r");
	if (!f || !fgets(line, sizeof(line), f) || pclose(f) != 3 << 8)
		fail("popen");
	fputs(line, stdout);
	work();
}

static void *
in_thread(void *arg)
{
	by_fork();
	return arg;
}

static void
by_thread(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, in_thread, NULL) != 0)
		fail("pthread_create");
	pthread_join(t, NULL);
}

/* The same process, another program. */
static void
by_exec(void)
{
	work();
	execl(self, self, "work", (char *)NULL);
	fail("exec");
}

/* Goes on when its parent has ended, and says so in a file. */
static void
by_daemon(const char *file)
{
	if (daemon(1, 1) != 0)
		fail("daemon");
	work();
	for (int i = 0; i < 20; i++) /* past the end of the recording */
		usleep(10000);
	work();
	if (!freopen(file, "w", stdout))
		fail(file);
	puts("done");
}

/* Tables of pages that take longer to copy than a tick. */
static void
by_big_fork(void)
{
	size_t size = (size_t)4 << 30;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	volatile char sum = 0;

	if (p == MAP_FAILED)
		fail("mmap");
	madvise(p, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += 4096)
		sum = sum + p[i];
	by_fork();
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {
		{ "work", work },
		{ "fork", by_fork },
		{ "vfork", by_vfork },
		{ "spawn", by_spawn },
		{ "system", by_system },
		{ "popen", by_popen },
		{ "thread", by_thread },
		{ "exec", by_exec },
		{ "big-fork", by_big_fork },
	};
	const char *way = argc > 1 ? argv[1] : "";

	self = "/proc/self/exe";
	if (!strcmp(way, "system") || !strcmp(way, "popen"))
		self = realpath(self, NULL); /* the shell has one of its own */
	if (!strcmp(way, "daemon") && argc > 2) {
		by_daemon(argv[2]);
		return 0;
	}
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, way)) {
			ways[i].run();
			return 0;
		}
	fprintf(stderr, "usage: family WAY\n");
	return 2;
}
