/* strtab.c - see strtab.h. */
#include "config.h"

#include "strtab.h"

#include <string.h>

#include "arena.h"
#include "hash.h"

/*
 * Names are untrusted and could be chosen to collide, so the hash is keyed by
 * random bytes of the process. Indices are given in order of arrival, and
 * nothing walks the slots: the key never affects the output. len is not 0.
 */
static uint32_t
hash_bytes(const struct strtab *t, const char *s, size_t len)
{
	uint64_t h = len ^ t->key[0], w[2];
	const char *end = s + len;
	uint32_t half[2];

	for (; end - s > 16; s += 16) {
		memcpy(w, s, 16);
		h = hash_fold(w[0] ^ h, w[1] ^ t->key[1]);
	}
	/* The rest in two words, which overlap: no copy of variable size. */
	if (len >= 16) {
		memcpy(w, end - 16, 16);
	} else if (len >= 8) {
		memcpy(&w[0], s, 8);
		memcpy(&w[1], end - 8, 8);
	} else if (len >= 4) {
		memcpy(&half[0], s, 4);
		memcpy(&half[1], end - 4, 4);
		w[0] = half[0];
		w[1] = half[1];
	} else {
		w[0] = (uint8_t)s[0] | (uint64_t)(uint8_t)s[len / 2] << 8;
		w[1] = (uint8_t)end[-1];
	}
	h = hash_fold(w[0] ^ h, w[1] ^ t->key[1]);
	return (uint32_t)hash_fold(h ^ t->key[1], HASH_GOLDEN);
}

int
strtab_init(struct strtab *t, struct arena *a)
{
	memset(t, 0, sizeof(*t));
	t->arena = a;
	hash_init(t->key);
	t->n_slot = 64;
	t->slot = arena_array(a, t->n_slot, sizeof(*t->slot));
	t->str = arena_grow(a, NULL, &t->cap, 1, sizeof(*t->str));
	if (!t->slot || !t->str)
		return -1;
	memset(t->slot, 0, t->n_slot * sizeof(*t->slot));
	t->str[0] = (struct str){ "", 0, 0 };
	t->n_str = 1;
	return 0;
}

int
strtab_fork(struct strtab *t, struct arena *a, const struct strtab *of)
{
	*t = *of;
	t->arena = a;
	t->cap = 0;
	t->str = arena_grow(a, NULL, &t->cap, of->n_str, sizeof(*t->str));
	t->slot = arena_array(a, of->n_slot, sizeof(*t->slot));
	if (!t->str || !t->slot)
		return -1;
	memcpy(t->str, of->str, of->n_str * sizeof(*t->str));
	memcpy(t->slot, of->slot, of->n_slot * sizeof(*t->slot));
	return 0;
}

/* The slot of the string, or the free slot for it. */
static size_t
find_slot(const struct strtab *t, const char *s, size_t len, uint32_t hash)
{
	size_t i = hash & (t->n_slot - 1);

	for (; t->slot[i]; i = (i + 1) & (t->n_slot - 1)) {
		const struct str *e = &t->str[t->slot[i]];

		if (e->hash == hash && e->len == len && !memcmp(e->s, s, len))
			break;
	}
	return i;
}

static int
grow_slots(struct strtab *t)
{
	size_t n = t->n_slot * 4;
	uint32_t *slot = arena_array(t->arena, n, sizeof(*slot));

	if (!slot)
		return -1;
	memset(slot, 0, n * sizeof(*slot));
	for (uint32_t k = 1; k < t->n_str; k++) {
		size_t i = t->str[k].hash & (n - 1);

		while (slot[i])
			i = (i + 1) & (n - 1);
		slot[i] = k;
	}
	t->slot = slot;
	t->n_slot = n;
	return 0;
}

static int
grow_strings(struct strtab *t)
{
	struct str *str = arena_grow(t->arena, t->str, &t->cap, t->n_str + 1,
				     sizeof(*str));

	if (!str)
		return -1;
	t->str = str;
	return 0;
}

uint32_t
strtab_find(const struct strtab *t, const char *s, size_t len)
{
	uint32_t k;

	if (len == 0)
		return 0;
	k = t->slot[find_slot(t, s, len, hash_bytes(t, s, len))];
	return k ? k : STRTAB_NONE;
}

void
strtab_find_all(const struct strtab *t, const struct strtab *of, uint32_t *to)
{
	enum { BATCH = 16 };
	size_t mask = t->n_slot - 1, n;
	const struct str *str;
	uint32_t k[BATCH];

	to[0] = 0;
	for (size_t i = 1; i < of->n_str; i += n) {
		str = of->str + i;
		n = of->n_str - i < BATCH ? of->n_str - i : BATCH;
		for (size_t j = 0; j < n; j++)
			__builtin_prefetch(&t->slot[str[j].hash & mask]);
		for (size_t j = 0; j < n; j++) {
			k[j] = t->slot[str[j].hash & mask];
			__builtin_prefetch(&t->str[k[j]]);
		}
		for (size_t j = 0; j < n; j++)
			__builtin_prefetch(t->str[k[j]].s);
		for (size_t j = 0; j < n; j++) {
			size_t at =
				find_slot(t, str[j].s, str[j].len, str[j].hash);

			to[i + j] = t->slot[at] ? t->slot[at] : STRTAB_NONE;
		}
	}
}

static uint32_t
add_hashed(struct strtab *t, const char *s, size_t len, uint32_t hash)
{
	size_t i;

	if (len >= UINT32_MAX || t->n_str >= UINT32_MAX - 1)
		return STRTAB_NONE;
	i = find_slot(t, s, len, hash);
	if (t->slot[i])
		return t->slot[i];
	if (t->n_str * 2 >= t->n_slot) {
		if (grow_slots(t) < 0)
			return STRTAB_NONE;
		i = find_slot(t, s, len, hash);
	}

	char *copy = arena_alloc(t->arena, len + 1);
	if (!copy || (t->n_str == t->cap && grow_strings(t) < 0))
		return STRTAB_NONE;
	memcpy(copy, s, len);
	copy[len] = '\0';
	t->str[t->n_str] = (struct str){ copy, (uint32_t)len, hash };
	t->slot[i] = (uint32_t)t->n_str;
	return (uint32_t)t->n_str++;
}

uint32_t
strtab_add(struct strtab *t, const char *s, size_t len)
{
	return len ? add_hashed(t, s, len, hash_bytes(t, s, len)) : 0;
}

uint32_t
strtab_add_str(struct strtab *t, const struct str *s)
{
	return s->len ? add_hashed(t, s->s, s->len, s->hash) : 0;
}

uint32_t
strtab_addz(struct strtab *t, const char *s)
{
	return strtab_add(t, s, strlen(s));
}

int
strtab_cmp(const struct strtab *t, uint32_t a, uint32_t b)
{
	const struct str *x = &t->str[a], *y = &t->str[b];
	int r;

	if (a == b)
		return 0;
	r = memcmp(x->s, y->s, x->len < y->len ? x->len : y->len);
	if (r)
		return r;
	return x->len < y->len ? -1 : x->len > y->len;
}
