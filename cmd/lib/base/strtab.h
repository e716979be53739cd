/*
 * strtab.h - interned strings. Equal strings have equal indices; index 0 is
 * always the empty string. Strings are bytes: they may hold NUL and invalid
 * UTF-8. A NUL, not counted in the length, follows each.
 */
#ifndef STRTAB_H
#define STRTAB_H

#include <stddef.h>
#include <stdint.h>

struct arena;

#define STRTAB_NONE UINT32_MAX

struct str {
	const char *s;
	uint32_t len;
	uint32_t hash;
};

struct strtab {
	struct arena *arena; /* holds the bytes and the tables */
	struct str *str;     /* n_str entries */
	size_t n_str;
	size_t cap;
	uint32_t *slot;  /* open addressing: index into str, 0 = free */
	size_t n_slot;   /* a power of two */
	uint64_t key[2]; /* of the hash */
};

/* Begin a table, with "" as entry 0, in a. Returns 0, or -1 without memory. */
int strtab_init(struct strtab *t, struct arena *a);

/*
 * Begin a table, in a, with all strings of another table of this process, under
 * the same indices. Their bytes are shared: they must outlive t. Returns 0, or
 * -1 without memory.
 */
int strtab_fork(struct strtab *t, struct arena *a, const struct strtab *of);

/*
 * The index of the len bytes at s, which are copied if they are new;
 * STRTAB_NONE without memory or past 2^32 - 2 strings or bytes.
 */
uint32_t strtab_add(struct strtab *t, const char *s, size_t len);

/*
 * strtab_add() of a string of any table of this process: the key, and so the
 * hash, is the same in all of them.
 */
uint32_t strtab_add_str(struct strtab *t, const struct str *s);

/* strtab_add() of a C string. */
uint32_t strtab_addz(struct strtab *t, const char *s);

/* The index of the bytes, or STRTAB_NONE when they are not in the table. */
uint32_t strtab_find(const struct strtab *t, const char *s, size_t len);

/*
 * Look up all strings of another table of this process: to[i] is the index in t
 * of string i of `of`, or STRTAB_NONE. It does so for many at a time, as t may
 * be larger than any cache.
 */
void strtab_find_all(const struct strtab *t, const struct strtab *of,
		     uint32_t *to);

/* Compare two strings as bytes, as memcmp does, the shorter first. */
int strtab_cmp(const struct strtab *t, uint32_t a, uint32_t b);

#endif
