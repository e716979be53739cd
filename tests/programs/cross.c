/*
 * cross.c - libsample on another machine than the recorder's, under qemu; see
 * tests/unwind/cross.t. Nothing is linked but libc and libsample.
 *
 *	cross make FILE		the memory of a session, as prof-record makes it
 *	cross run FILE		work, sampled into FILE, and look what is there
 *
 * "run" does one part of its work in part_a and the rest in part_b, 75 to 25,
 * in two threads. It prints the share of part_a in percent, how many ticks
 * there were, and how many of them have a stack that is not part, middle,
 * worker.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "libsample/shm.h"

enum { NONCE = 7, STEPS = 20000 };

/* Each function in a section of its own, whose ends the linker knows. */
#define IN(section_)                                                           \
	__attribute__((noinline, noclone, used, section(#section_)))
#define ENDS(section_)                                                         \
	extern const char __start_##section_[], __stop_##section_[]
ENDS(in_a);
ENDS(in_b);
ENDS(in_middle);
ENDS(in_worker);

static double seconds = 0.4; /* of each thread's CPU time */

IN(in_a)
static uint64_t
part_a(uint64_t x, int n)
{
	for (int i = 0; i < 3 * n; i++) {
		x = x * UINT64_C(6364136223846793005) + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

IN(in_b)
static uint64_t
part_b(uint64_t x, int n)
{
	for (int i = 0; i < n; i++) {
		x = x * UINT64_C(6364136223846793005) + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

/* Each time of another length, or the kernel's ticks could keep step with it.
 */
IN(in_middle)
static uint64_t
middle(uint64_t x)
{
	int n = STEPS / 2 + (int)(x >> 33) % STEPS;

	x = part_a(x, n) + 1;
	return part_b(x, n) + 1;
}

IN(in_worker)
static void *
worker(void *arg)
{
	struct timespec t;
	uint64_t x = 1;

	do {
		x = middle(x) + 1;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < seconds);
	return x == 42 ? arg : NULL;
}

static struct shm *
open_shm(const char *file, int flags)
{
	int fd = open(file, flags | O_RDWR, 0600);
	struct shm *shm;

	if (fd < 0 || ftruncate(fd, shm_size(SHM_CPU, 0)) != 0)
		return NULL;
	shm = mmap(NULL, shm_size(SHM_CPU, 0), PROT_READ | PROT_WRITE,
		   MAP_SHARED, fd, 0);
	close(fd);
	return shm == MAP_FAILED ? NULL : shm;
}

#define IS_IN(pc, section_)                                                    \
	((pc) >= (uintptr_t)__start_##section_ &&                              \
	 (pc) < (uintptr_t)__stop_##section_)

static void
show(const struct shm *shm)
{
	uint64_t a = 0, b = 0, other = 0, strange = 0;

	for (size_t i = 0; i < SHM_N_ENTRY; i++) {
		uint64_t n = SHM_COUNT(atomic_load(&shm->mark[i].state));
		const struct shm_entry *e = &shm->entry[i];

		if (IS_IN(e->pc[0], in_a))
			a += n;
		else if (IS_IN(e->pc[0], in_b))
			b += n;
		else {
			other += n;
			continue;
		}
		if (SHM_KEY_DEPTH(e->key) < 3 || !IS_IN(e->pc[1], in_middle) ||
		    !IS_IN(e->pc[2], in_worker))
			strange += n;
	}
	printf("%.0f %llu %llu\n", 100.0 * (double)a / (double)(a + b),
	       (unsigned long long)(a + b + other),
	       (unsigned long long)strange);
}

int
main(int argc, char **argv)
{
	const char *what = argc == 3 ? argv[1] : "";
	struct shm *shm;
	pthread_t t[2];

	if (!strcmp(what, "make")) {
		shm = open_shm(argv[2], O_CREAT | O_TRUNC);
		if (!shm)
			return 2;
		shm->set.magic = SHM_MAGIC;
		shm->set.version = SHM_VERSION;
		shm->set.size = shm_size(SHM_CPU, 0);
		shm->set.nonce = NONCE;
		shm->set.period_ns = 1000000;
		shm->set.what = SHM_CPU;
		return 0;
	}
	shm = open_shm(argc == 3 ? argv[2] : "", 0);
	if (!shm) {
		fprintf(stderr, "usage: cross make|run FILE\n");
		return 2;
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	show(shm);
	return 0;
}
