/* parts.c - the shared library of work.cc, so that its profiles have two
 * mappings of our own. */
#include <stdlib.h>

static inline unsigned
rotate(unsigned x, int n)
{
	return x << n | x >> (32 - n);
}

unsigned part_hash(const char *s, size_t n);
void part_sort(unsigned *v, size_t n);

unsigned
part_hash(const char *s, size_t n)
{
	unsigned h = 5381;

	for (int round = 0; round < 20; round++)
		for (size_t i = 0; i < n; i++)
			h = rotate(h, 5) ^ (unsigned char)s[i];
	return h;
}

static int
order(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

/* qsort of libc calls back into this library: stacks that cross a mapping
 * twice. */
void
part_sort(unsigned *v, size_t n)
{
	qsort(v, n, sizeof(*v), order);
}
