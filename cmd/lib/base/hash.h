/*
 * hash.h - hash words that strangers choose. The key is random, so nobody can
 * choose words that collide; and every key is as good as another: addresses of
 * pages, small numbers and neighbours spread over the low bits with all of
 * them. An output must not depend on a hash.
 */
#ifndef HASH_H
#define HASH_H

#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

/* 2^64 / the golden ratio: odd, its bits without a pattern. */
#define HASH_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* The key of this process: 16 bytes that the kernel drew at its start. */
static inline void
hash_init(uint64_t key[2])
{
	memcpy(key, (const void *)getauxval(AT_RANDOM), 2 * sizeof(*key));
}

/* Fold the 128-bit product of a and b: one multiplication mixes 16 bytes. */
static inline uint64_t
hash_fold(uint64_t a, uint64_t b)
{
	unsigned __int128 p = (unsigned __int128)a * b;

	return (uint64_t)p ^ (uint64_t)(p >> 64);
}

/*
 * Add one word to a hash. Both may be chosen, or be neighbours, as caller and
 * callee are: each has its own key, so they do not cancel out. The inner
 * product hides which words collide, but with one key in a hundred it leaves
 * the low bits of regular words alike; the outer one spreads them.
 */
static inline uint64_t
hash_mix(const uint64_t key[2], uint64_t h, uint64_t word)
{
	return hash_fold(hash_fold(h ^ key[0], word ^ key[1]), HASH_GOLDEN);
}

#endif
