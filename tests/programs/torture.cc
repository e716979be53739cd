/*
 * torture.cc - does all at once what is hard on a profiler that interrupts it:
 *
 *	torture SECONDS PLUGIN [kill]
 *
 * storms of threads, of dlopen and dlclose, of processes; exceptions, longjmp,
 * signal stacks, coroutines, blocked signals, calls that EINTR ends. Each kind
 * of trouble has a thread of its own and checks its own results: any surprise
 * ends the program with a message. At the end it prints how often each went
 * round; or kills itself in the middle of everything.
 */
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

extern char **environ;

namespace
{

std::atomic<bool> stop;
const char *plugin; /* path of a library to load and unload */

[[noreturn]] void
fail(const char *what, int error)
{
	fprintf(stderr, "torture: %s: %s\n", what, strerror(error));
	abort();
}

void
want(bool ok, const char *what)
{
	if (!ok)
		fail(what, errno);
}

__attribute__((noinline)) uint64_t
burn(uint64_t x, int steps)
{
	for (int i = 0; i < steps; i++) {
		x = x * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

/* Threads of all kinds, that end in all ways. */

void *
ends_early(void *arg)
{
	burn((uintptr_t)arg, 2000);
	if ((uintptr_t)arg & 1)
		pthread_exit(arg);
	return arg;
}

void *
waits_for_cancel(void *arg)
{
	for (;;)
		pause();
	return arg;
}

int
c11_thread(void *arg)
{
	return (int)(burn(1, 2000) & 0) + *static_cast<int *>(arg);
}

void
threads_round()
{
	pthread_t t[8], idle, detached;
	pthread_attr_t attr;
	thrd_t c11;
	int seven = 7, res = 0;

	for (uintptr_t i = 0; i < 8; i++)
		if (int rc = pthread_create(&t[i], nullptr, ends_early,
					    (void *)i))
			fail("pthread_create", rc);
	want(pthread_create(&idle, nullptr, waits_for_cancel, nullptr) == 0,
	     "pthread_create");
	pthread_cancel(idle);
	pthread_join(idle, nullptr);
	for (uintptr_t i = 0; i < 8; i++) {
		void *ret;

		pthread_join(t[i], &ret);
		want((uintptr_t)ret == i, "a thread's result");
	}
	std::thread([] { burn(1, 5000); }).join();
	want(thrd_create(&c11, c11_thread, &seven) == thrd_success,
	     "thrd_create");
	thrd_join(c11, &res);
	want(res == 7, "a C11 thread's result");
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 64 * 1024);
	if (pthread_create(&detached, &attr, ends_early, nullptr) != 0)
		usleep(1000);
	pthread_attr_destroy(&attr);
}

/* Code that comes and goes. */
void
loading_round()
{
	void *handle = dlopen(plugin, RTLD_NOW);

	want(handle, "dlopen");
	auto work = (uint64_t(*)(uint64_t, int))dlsym(handle, "plugin_work");
	want(work, "dlsym");
	work(1, 20000);
	want(dlclose(handle) == 0, "dlclose");
}

/* Processes, started in every way, from a thread. */
void
process_round()
{
	static unsigned n;
	const char *args[] = { "true", nullptr };
	int status = 0;
	pid_t pid = 0;

	switch (n++ % 6) {
	case 0:
		pid = fork();
		want(pid >= 0, "fork");
		if (pid == 0) {
			burn(1, 3000000);
			_exit(3);
		}
		break;
	case 1:
		pid = fork();
		want(pid >= 0, "fork");
		if (pid == 0) {
			/* As shells do: all signals back to their default. */
			for (int sig = 1; sig < 65; sig++)
				signal(sig, SIG_DFL);
			burn(1, 3000000);
			_exit(3);
		}
		break;
	case 2:
		if (int rc = posix_spawnp(&pid, "true", nullptr, nullptr,
					  (char **)args, environ))
			fail("posix_spawn", rc);
		break;
	case 3:
		want(system("exit 3") == 3 << 8, "system");
		return;
	case 4: {
		char line[16] = "";
		FILE *f = popen("echo hello", "r");

		want(f && fgets(line, sizeof(line), f), "popen");
		want(pclose(f) == 0 && !strcmp(line, "hello\n"), "pclose");
		return;
	}
	case 5:
		pid = vfork();
		if (pid == 0) {
			execlp("sh", "sh", "-c", "exit 3", (char *)nullptr);
			_exit(127);
		}
		break;
	}
	while (waitpid(pid, &status, 0) < 0)
		want(errno == EINTR, "waitpid");
	want(WIFEXITED(status) &&
		     (WEXITSTATUS(status) == 3 || WEXITSTATUS(status) == 0),
	     "a child's status");
}

__attribute__((noinline)) uint64_t
throws(int depth)
{
	std::string s(depth, 'x');

	if (depth == 0)
		throw std::runtime_error("bottom");
	return throws(depth - 1) + s.size();
}

void
exception_round()
{
	bool caught = false;

	try {
		throws(40);
	} catch (const std::exception &e) {
		caught = !strcmp(e.what(), "bottom");
	}
	want(caught, "an exception");
}

/* longjmp out of a handler that interrupts anything. */
thread_local sigjmp_buf jump_to;
thread_local volatile sig_atomic_t may_jump;

void
jump(int)
{
	if (may_jump) {
		may_jump = 0;
		siglongjmp(jump_to, 1);
	}
}

void
jump_round()
{
	jmp_buf plain;
	volatile int n = 0;

	if (sigsetjmp(jump_to, 1) == 0) {
		may_jump = 1;
		pthread_kill(pthread_self(), SIGUSR1);
		for (int i = 0; i < 100; i++)
			burn(1, 10000);
		fail("no signal came", 0);
	}
	if (setjmp(plain) < 5) {
		n = n + 1;
		burn(1, 1000);
		longjmp(plain, n);
	}
	want(n == 5, "setjmp");
}

void
on_signal_stack(int)
{
	burn(1, 50000);
}

/* Work in handlers, on a signal stack that is barely big enough. */
void
signal_stack_round()
{
	static thread_local char memory[16 * 1024];
	stack_t ss = {};

	ss.ss_sp = memory;
	ss.ss_size = sizeof(memory);
	want(sigaltstack(&ss, nullptr) == 0, "sigaltstack");
	pthread_kill(pthread_self(), SIGUSR2);
	burn(1, 50000);
	ss.ss_flags = SS_DISABLE;
	want(sigaltstack(&ss, nullptr) == 0, "sigaltstack");
}

/* A stack that nobody knows of, between pages that cannot be read. */
thread_local ucontext_t outside, inside;

void
coroutine()
{
	for (;;) {
		burn(1, 30000);
		swapcontext(&inside, &outside);
	}
}

void
coroutine_round()
{
	static thread_local char *stack;
	const size_t size = 64 * 1024, page = 4096;

	if (!stack) {
		stack = (char *)mmap(nullptr, size + 2 * page, PROT_NONE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		want(stack != MAP_FAILED, "mmap");
		mprotect(stack + page, size, PROT_READ | PROT_WRITE);
		getcontext(&inside);
		inside.uc_stack.ss_sp = stack + page;
		inside.uc_stack.ss_size = size;
		inside.uc_link = &outside;
		makecontext(&inside, coroutine, 0);
	}
	swapcontext(&outside, &inside);
	burn(1, 1000);
}

/* A thread that wants no signals, and one that resets what it finds. */
void
mask_round()
{
	sigset_t all, old;
	struct sigaction dfl = {};

	sigfillset(&all);
	want(pthread_sigmask(SIG_SETMASK, &all, &old) == 0, "pthread_sigmask");
	burn(1, 100000);
	want(pthread_sigmask(SIG_SETMASK, &old, nullptr) == 0,
	     "pthread_sigmask");
	dfl.sa_handler = SIG_DFL;
	want(sigaction(SIGPROF, &dfl, nullptr) == 0, "sigaction");
	burn(1, 100000);
}

/* Calls that a signal may end. SA_RESTART must keep read and write whole. */
void
waiting_round()
{
	static thread_local int fd[2] = { -1, -1 };
	struct timespec ms = { 0, 1000000 };
	char buf[3000] = {}, back[3000];

	if (fd[0] < 0)
		want(pipe(fd) == 0, "pipe");
	want(write(fd[1], buf, sizeof(buf)) == sizeof(buf), "write");
	want(read(fd[0], back, sizeof(back)) == sizeof(back), "read");
	while (nanosleep(&ms, &ms) != 0)
		want(errno == EINTR, "nanosleep");
	struct pollfd p = { fd[0], POLLIN, 0 };
	int rc = poll(&p, 1, 1);
	want(rc == 0 || (rc < 0 && errno == EINTR), "poll");
}

void
memory_round()
{
	std::vector<std::string> v;

	for (int i = 0; i < 200; i++)
		v.push_back(std::string(1 + i * 37 % 500, 'a' + i % 26));
	v.erase(v.begin(), v.begin() + 100);
	char text[64];
	snprintf(text, sizeof(text), "%zu %g", v.size(), 0.1);
}

struct kind {
	const char *name;
	void (*round)();
	unsigned long n;
} kinds[] = {
	{ "threads", threads_round, 0 },
	{ "loads", loading_round, 0 },
	{ "processes", process_round, 0 },
	{ "exceptions", exception_round, 0 },
	{ "jumps", jump_round, 0 },
	{ "signal-stacks", signal_stack_round, 0 },
	{ "coroutines", coroutine_round, 0 },
	{ "masks", mask_round, 0 },
	{ "waits", waiting_round, 0 },
	{ "memory", memory_round, 0 },
};

} // namespace

int
main(int argc, char **argv)
{
	double seconds = argc > 2 ? atof(argv[1]) : 0;
	struct sigaction sa = {};
	struct timespec time;
	std::vector<std::thread> threads;

	if (!(seconds > 0)) {
		fprintf(stderr, "usage: torture SECONDS PLUGIN\n");
		return 2;
	}
	plugin = argv[2];
	sa.sa_handler = jump;
	sigaction(SIGUSR1, &sa, nullptr);
	sa.sa_handler = on_signal_stack;
	sa.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &sa, nullptr);
	for (kind &k : kinds)
		threads.emplace_back([&k] {
			while (!stop) {
				k.round();
				k.n++;
			}
		});
	time.tv_sec = (time_t)seconds;
	time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
	while (nanosleep(&time, &time) != 0)
		;
	if (argc > 3)
		kill(getpid(), SIGKILL);
	stop = true;
	for (std::thread &t : threads)
		t.join();
	for (const kind &k : kinds)
		printf("%s %lu\n", k.name, k.n);
	return 0;
}
