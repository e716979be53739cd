static inline __attribute__((always_inline)) unsigned mix(unsigned a)
{
	a ^= a << 13;
	a ^= a >> 17;
	return a ^ a << 5;
}
#define STEP(s) ((s) = mix(s) + 1)
