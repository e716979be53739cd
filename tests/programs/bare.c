/* bare.c - a small program that needs no library, for any machine. */
static inline __attribute__((always_inline)) int
square(int x)
{
	return x * x + 1;
}

__attribute__((noinline)) int
part(int n)
{
	int r = 0;

	while (n--)
		r += square(n) ^ n;
	return r;
}

int
_start(int n)
{
	return part(n) + square(n + 2);
}
