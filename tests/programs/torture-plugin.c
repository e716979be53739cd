/* torture-plugin.c - a library for torture.cc to load and unload. */
#include <stdint.h>

uint64_t plugin_work(uint64_t x, int steps);

static __attribute__((noinline)) uint64_t
work(uint64_t x)
{
	x = x * UINT64_C(6364136223846793005) + 1;
	__asm__ volatile("" : "+r"(x));
	return x;
}

uint64_t
plugin_work(uint64_t x, int steps)
{
	for (int i = 0; i < steps; i++)
		x = work(x);
	return x;
}
