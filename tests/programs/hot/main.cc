#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "hot.h"
int lib(int n);
static volatile unsigned sink;
static unsigned spin(unsigned n)
{
	unsigned s = 1;
	for (unsigned i = 0; i < n; i++)
		STEP(s);
	return s;
}
int main()
{
	for (int i = 0; i < 300; i++) {
		sink += spin(200000);
		sink += lib(20000);
	}
	return 0;
}
