// heap.cc - allocations that are known, for tests of prof-record --heap. Each
// function below asks for memory in a way of its own, from several threads;
// printed is what a profile should say of it: its name, how often it was
// called, for how many bytes each time, and how often the memory was kept.
//
//	heap [TIMES [CHILD|kill]]	TIMES as much of it (1); then do the
// same 					in a forked child; or be killed
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#define WAY extern "C" __attribute__((noinline)) void *

// Nothing that was asked for is optimized away, and no call is a jump.
static void *
used(void *p)
{
	asm volatile("" ::"r"(p) : "memory");
	if (!p)
		abort();
	return p;
}

struct alignas(256) wide {
	char bytes[768];
};

WAY
by_malloc(size_t n)
{
	return used(malloc(n));
}
WAY
by_calloc(size_t n)
{
	return used(calloc(n / 8, 8));
}
WAY
by_realloc(size_t n)
{
	return used(realloc(nullptr, n));
}
WAY
by_reallocarray(size_t n)
{
	return used(reallocarray(nullptr, n / 4, 4));
}
WAY
by_memalign(size_t n)
{
	return used(memalign(64, n));
}
WAY
by_aligned_alloc(size_t n)
{
	return used(aligned_alloc(64, n));
}
WAY
by_valloc(size_t n)
{
	return used(valloc(n));
}
WAY
by_new(size_t n)
{
	return used(operator new(n));
}
WAY
by_new_array(size_t n)
{
	return used(new char[n]);
}
WAY
by_new_nothrow(size_t n)
{
	return used(new (std::nothrow) char[n]);
}
WAY
by_new_aligned(size_t)
{
	return used(new wide);
}

WAY
by_posix_memalign(size_t n)
{
	void *p;

	return used(posix_memalign(&p, 32, n) ? nullptr : p);
}

WAY
by_strdup(size_t n)
{
	static const std::string text(10000, 'x');

	return used(strdup(text.c_str() + text.size() - (n - 1)));
}

static void
put_free(void *p, size_t)
{
	free(p);
}
static void
put_delete(void *p, size_t)
{
	operator delete(p);
}
static void
put_delete_sized(void *p, [[maybe_unused]] size_t n)
{
#ifdef __cpp_sized_deallocation
	operator delete(p, n);
#else
	operator delete(p);
#endif
}

static void
put_delete_array(void *p, size_t)
{
	delete[] static_cast<char *>(p);
}
static void
put_delete_wide(void *p, size_t)
{
	delete static_cast<wide *>(p);
}

static void
put_realloc(void *p, size_t)
{
	if (realloc(p, 0))
		abort();
}

static const struct way {
	const char *name;
	void *(*get)(size_t);
	void (*put)(void *, size_t);
	size_t size;
	long n;    // in each thread, of THREADS
	long keep; // one of so many
} ways[] = {
	{ "by_malloc", by_malloc, put_free, 48, 200000, 2 },
	{ "by_calloc", by_calloc, put_free, 800, 20000, 4 },
	{ "by_realloc", by_realloc, put_realloc, 3000, 8000, 4 },
	{ "by_reallocarray", by_reallocarray, put_free, 1000, 16000, 4 },
	{ "by_memalign", by_memalign, put_free, 5000, 4000, 8 },
	{ "by_aligned_alloc", by_aligned_alloc, put_free, 6400, 4000, 8 },
	{ "by_valloc", by_valloc, put_free, 4096, 2000, 8 },
	{ "by_posix_memalign", by_posix_memalign, put_free, 2000, 8000, 4 },
	{ "by_strdup", by_strdup, put_free, 5000, 4000, 2 },
	{ "by_new", by_new, put_delete_sized, 400, 40000, 4 },
	{ "by_new_array", by_new_array, put_delete_array, 128 * 1024, 200, 4 },
	{ "by_new_nothrow", by_new_nothrow, put_delete, 64, 100000, 4 },
	{ "by_new_aligned", by_new_aligned, put_delete_wide, sizeof(wide),
	  20000, 4 },
};
enum { THREADS = 2 };

static void
work(long times)
{
	for (const way &w : ways)
		for (long i = 0; i < w.n * times; i++) {
			void *p = w.get(w.size);

			if (i % w.keep)
				w.put(p, w.size);
		}
}

static void
all(long times)
{
	std::vector<std::thread> threads;

	for (int i = 0; i < THREADS; i++)
		threads.emplace_back(work, times);
	for (std::thread &t : threads)
		t.join();
}

int
main(int argc, char **argv)
{
	long times = argc > 1 ? atol(argv[1]) : 1;
	bool kill_me = argc > 2 && !strcmp(argv[2], "kill");
	int children = argc > 2 && !kill_me ? atoi(argv[2]) : 0;

	all(times);
	for (int i = 0; i < children; i++) {
		pid_t pid = fork();
		int status;

		if (pid == 0) {
			all(times);
			_exit(0);
		}
		waitpid(pid, &status, 0);
		if (status)
			abort();
	}
	for (const way &w : ways) {
		long n = w.n * times * THREADS * (1 + children);

		printf("%s %ld %zu %ld\n", w.name, n, w.size, n / w.keep);
	}
	if (kill_me) {
		fflush(stdout);
		kill(getpid(), SIGKILL);
	}
}
