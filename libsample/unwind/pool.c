/*
 * pool.c - store compiled unwind information: a row wherever it changes, and
 * the rules that do not fit a row's word, which all objects share.
 */
#include "config.h"

#include <string.h>
#include <sys/mman.h>

#include "row.h"

/* Bytes that memmem() passes in the time of one of instructions, or less. */
#define SEARCH_RATE 16

/* The index of rule in the pool, added if new; 0 if the pool is full. *n_tried
 * counts those in its way: files can choose rules of one hash. */
static uint32_t
pool_rule(struct unwind_pool *pool, const struct unwind_rule *rule,
	  size_t *n_tried)
{
	const size_t n_hash = sizeof(pool->hash) / sizeof(pool->hash[0]);
	uint64_t h = 0, word;
	size_t slot;

	for (size_t i = 0; i < sizeof(*rule); i += 4) {
		word = 0;
		memcpy(&word, (const char *)rule + i, 4);
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	for (slot = h % n_hash; pool->hash[slot];
	     slot = (slot + 1) % n_hash, ++*n_tried)
		if (!memcmp(&pool->rule[pool->hash[slot]], rule, sizeof(*rule)))
			return pool->hash[slot];
	if (pool->n_rule == 0)
		pool->n_rule = 1;
	if (pool->n_rule >= POOL_N_RULE)
		return 0;
	/* In this order, a fork in between leaves the child a valid pool. */
	pool->rule[pool->n_rule] = *rule;
	pool->hash[slot] = (uint16_t)pool->n_rule;
	return pool->n_rule++;
}

/* The index of these bytes in the pool, added if new; -1 if it is full. */
static int32_t
pool_expr(struct unwind_pool *pool, const uint8_t *e, size_t n)
{
	const uint8_t *at = memmem(pool->expr, pool->n_expr, e, n);

	if (at)
		return (int32_t)(at - pool->expr);
	if (n > POOL_N_EXPR - pool->n_expr)
		return -1;
	memcpy(pool->expr + pool->n_expr, e, n);
	pool->n_expr += (uint32_t)n;
	return (int32_t)(pool->n_expr - n);
}

static bool
rows_grow(struct row_out *out)
{
	struct cfi_rows *rows = out->rows;
	size_t n_bytes = rows->n_bytes ? 2 * rows->n_bytes : 65536;
	void *p;

	if (rows->row)
		p = mremap(rows->row, rows->n_bytes, n_bytes, MREMAP_MAYMOVE);
	else
		p = unwind_map(n_bytes);
	if (!p || p == MAP_FAILED) {
		out->no_memory = true;
		return false;
	}
	rows->row = p;
	rows->n_bytes = n_bytes;
	out->cap = n_bytes / sizeof(struct unwind_row);
	return true;
}

void
unwind_row_emit(struct row_out *out, uintptr_t pc, uint32_t word)
{
	uint32_t off = (uint32_t)(pc - out->text_lo);
	struct unwind_row *row = out->rows->row;
	size_t n = out->rows->n_row;

	while (n > 0 && row[n - 1].off >= off)
		n--;
	out->rows->n_row = n;
	if (n > 0 && row[n - 1].word == word)
		return;
	if (n == out->cap && !rows_grow(out))
		return;
	out->rows->row[n] = (struct unwind_row){ off, word };
	out->rows->n_row = n + 1;
}

uint32_t
unwind_row_root(struct unwind_pool *pool)
{
	struct unwind_rule rule;
	size_t n_tried = 0;
	uint32_t i;

	memset(&rule, 0, sizeof(rule));
	rule.reg[TRACK_RA].kind = LOC_UNDEFINED;
	i = pool_rule(pool, &rule, &n_tried);
	return i ? i << 1 : WORD_NONE;
}

static bool
keep_expr(struct row_sink *to, const uint8_t *e, size_t n, int32_t *off)
{
	struct row_out *out = (struct row_out *)to;

	*off = pool_expr(out->pool, e, n);
	return row_spend(out, (*off < 0 ? out->pool->n_expr : (size_t)*off) /
				      SEARCH_RATE) &&
	       *off >= 0;
}

static bool
emit_span(struct row_sink *to, uintptr_t pc, uintptr_t end,
	  const struct row_state *s)
{
	struct row_out *out = (struct row_out *)to;
	struct unwind_rule rule;
	uint32_t word = WORD_NONE;
	size_t n_tried = 0;

	(void)end; /* the next span begins there */
	if (s && !unwind_row_pack(s, out->signal, &word)) {
		unwind_row_rule(s, out->signal, out->pool->expr, &rule);
		word = pool_rule(out->pool, &rule, &n_tried) << 1;
	}
	unwind_row_emit(out, pc, word);
	return row_spend(out, n_tried);
}

struct row_out
unwind_row_out(struct unwind_pool *pool, struct cfi_rows *rows,
	       uintptr_t text_lo)
{
	return (struct row_out){ .sink = { keep_expr, emit_span },
				 .pool = pool,
				 .rows = rows,
				 .text_lo = text_lo };
}
