/*
 * chain.c - from the words of a call chain to frames. Words above -4096
 * say where the following addresses are; the first address after each is
 * exact, all others are where calls return to, and are moved into the call.
 */
#include "config.h"

#include <stdlib.h>

#include "impl.h"

#define JUNK_FROM ((uint64_t)-4095)

/* Addresses of this context are in... */
enum context { IN_UNKNOWN, IN_KERNEL, IN_USER, IN_OTHER };

struct chain {
	struct perf *r;
	const struct perf_space *user;
	enum context context;
	bool is_exact; /* the next address is no return address */
	uint32_t notes;
	uint64_t n_run;  /* addresses since the last marker */
	size_t n_mapped; /* frames, to the last user one in a mapping */
	bool has_user;   /* ... there was one */
	uint64_t max_run;
};

/* The context that a marker begins; *is_marker is false for an address. */
static enum context
marker(uint64_t word, bool *is_marker, bool *is_junk)
{
	*is_marker = true;
	*is_junk = false;
	if (word < JUNK_FROM) {
		*is_marker = false;
		return IN_UNKNOWN;
	}
	switch ((int64_t)word) {
	case -128:
		return IN_KERNEL;
	case -512:
	case -640: /* what follows is no address: see perf_chain() */
		return IN_USER;
	case -32:
	case -2048:
	case -2176:
	case -2560:
		return IN_OTHER;
	default:
		*is_junk = true;
		return IN_UNKNOWN;
	}
}

static const struct perf_vma *
find_mapping(const struct chain *c, uint64_t address, bool *is_kernel)
{
	const struct perf_vma *v = NULL;

	*is_kernel = c->context == IN_KERNEL;
	if (c->context == IN_OTHER)
		return NULL;
	if (c->context != IN_KERNEL)
		v = perf_find(c->user, address);
	if (!v && c->context != IN_USER) {
		v = perf_find_kernel(c->r, address);
		*is_kernel = *is_kernel || v;
	}
	return v;
}

static enum prof_status
push_frame(struct chain *c, uint64_t address)
{
	struct perf *r = c->r;
	bool is_return = !c->is_exact && address;
	const struct perf_vma *v;
	bool is_kernel;

	c->is_exact = false;
	if (++c->n_run == c->max_run)
		c->notes |= CHAIN_TRUNCATED;
	/* A call may be the last instruction of a mapping. */
	v = find_mapping(c, address - is_return, &is_kernel);
	if (is_kernel && r->o.kernel == PERF_KERNEL_DROP)
		return PROF_OK;
	if (is_kernel && r->o.kernel == PERF_KERNEL_FOLD)
		return perf_push_kernel(r);
	if (!v) {
		enum prof_status st =
			perf_push(r, address - is_return, PROF_NONE);

		if (is_kernel || c->context == IN_OTHER)
			c->n_mapped = r->n_frame;
		return st;
	}
	if (!is_kernel)
		c->has_user = true;
	c->n_mapped = r->n_frame + 1;
	return perf_push(r, address - is_return + v->shift, v->object);
}

static enum prof_status
words(struct chain *c, const uint8_t *p, uint64_t n)
{
	enum prof_status st = PROF_OK;

	for (uint64_t i = 0; st == PROF_OK && i < n; i++) {
		uint64_t word = perf_u64(c->r, p + 8 * i);
		bool is_marker, is_junk;
		enum context to = marker(word, &is_marker, &is_junk);

		if (word == (uint64_t)-640)
			break;
		if (!is_marker) {
			st = push_frame(c, word);
		} else if (!is_junk) {
			c->context = to;
			c->is_exact = true;
			c->n_run = 0;
		}
	}
	return st;
}

/* Where a walk along frame pointers ran out of them. */
static void
trim(struct chain *c)
{
	struct perf *r = c->r;

	if (c->has_user && c->n_mapped < r->n_frame) {
		r->n_frame = c->n_mapped;
		c->notes |= CHAIN_TRUNCATED;
	}
}

static enum context
context_of(unsigned mode)
{
	switch (mode) {
	case MODE_KERNEL:
		return IN_KERNEL;
	case MODE_USER:
		return IN_USER;
	case MODE_UNKNOWN:
		return IN_UNKNOWN;
	default:
		return IN_OTHER;
	}
}

/* The user part of "--call-graph lbr": calls, newest first. */
static enum prof_status
branches(struct chain *c, const struct perf_sample *s)
{
	enum prof_status st = PROF_OK;

	c->context = IN_USER;
	for (uint64_t i = 0; st == PROF_OK && i < s->n_branch; i++) {
		c->is_exact = true; /* the call itself */
		st = push_frame(c, perf_u64(c->r, s->branch + 24 * i));
	}
	return st;
}

/*
 * uname(2)'s name of the machine whose registers these are. A file says it
 * behind its samples: until then, by the registers, as perf records all that
 * there are.
 */
static const char *
machine_name(const struct perf *r, uint64_t mask)
{
	const char *arch = profile_str(r->p, r->arch);

	if (*arch)
		return arch;
	if ((mask & 0x3ffffffff) == 0x1ffffffff) /* x0 to x30, sp, pc */
		return "aarch64";
	return mask & 0xff000000 ? "unknown" : "x86_64";
}

/* The user's pc among the registers that were recorded, or 0. */
static uint64_t
user_pc(const struct perf *r, const struct perf_sample *s)
{
	uint64_t mask = s->attr->regs_user, bit;

	bit = !strcmp(machine_name(r, mask), "aarch64") ? (uint64_t)1 << 32
							: (uint64_t)1 << 8;
	if (!s->regs || !s->dump || !(mask & bit))
		return 0;
	return perf_u64(r,
			s->regs + 8 * __builtin_popcountll(mask & (bit - 1)));
}

/* --- copies of stacks --- */

static bool
where(void *ctx, uint64_t pc, struct perf_where *out)
{
	const struct chain *c = ctx;
	const struct perf_vma *v = perf_find(c->user, pc);
	const struct perf_object *o;

	if (!v)
		return false;
	o = &c->r->object[v->object];
	*out = (struct perf_where){
		.object = v->object,
		.start = o->start - v->shift,
		.offset = o->offset,
		.file = o->pid ? "" : profile_str(c->r->p, o->file),
		.build_id = profile_str(c->r->p, o->build_id),
	};
	return true;
}

/* User frames out of the registers and the copy; or the pc alone. */
static enum prof_status
unwind(struct chain *c, const struct perf_sample *s, uint64_t user)
{
	const struct perf_unwind *u = c->r->o.unwind;
	uint64_t word[64], pc[UNWIND_FRAMES] = { user };
	enum prof_status st = PROF_OK;
	struct perf_dump d = { .machine =
				       machine_name(c->r, s->attr->regs_user),
			       .mask = s->attr->regs_user,
			       .word = word,
			       .bytes = s->dump_at,
			       .n = s->dump };
	struct unwind_info info = { .end = UNWIND_ROOT };
	size_t n = 0;

	for (uint64_t m = d.mask; m; m &= m - 1, d.n_word++)
		word[d.n_word] = perf_u64(c->r, s->regs + 8 * d.n_word);
	if (u && s->regs_abi == 2 && !c->r->big)
		n = u->walk(u->ctx, &d, where, c, pc, UNWIND_FRAMES, &info);
	if (!n)
		c->notes |= CHAIN_NO_WALK;
	if (info.end == UNWIND_TRUNCATED || info.is_cut)
		c->notes |= CHAIN_TRUNCATED;
	else if (info.end >= UNWIND_FAILED)
		c->notes |= CHAIN_FAILED;
	c->context = IN_USER;
	c->is_exact = true;
	c->n_run = 0;
	c->max_run =
		UNWIND_FRAMES + 1; /* the walk has said whether it was cut */
	for (size_t i = 0; st == PROF_OK && i < (n ? n : 1); i++)
		st = i && pc[i] == UNWIND_GAP ? perf_push_gap(c->r)
					      : push_frame(c, pc[i]);
	return st;
}

static enum prof_status
chain_build(struct chain *c, const struct perf_sample *s)
{
	bool is_lbr = s->n_branch && s->branch &&
		      s->attr->branch_type & BRANCH_CALL_STACK;
	enum prof_status st = PROF_OK;
	uint64_t pc = user_pc(c->r, s);

	c->context = context_of(s->mode);
	c->is_exact = true;
	if (s->chain && !is_lbr)
		st = words(c, s->chain, s->n_chain);
	else if (is_lbr && c->context == IN_KERNEL && s->chain) {
		uint64_t n = 0;

		while (n < s->n_chain &&
		       perf_u64(c->r, s->chain + 8 * n) != (uint64_t)-512)
			n++;
		st = words(c, s->chain, n);
	}
	if (st == PROF_OK && !c->r->n_frame && !pc &&
	    s->attr->sample_type & S_IP) {
		c->context = context_of(s->mode);
		c->is_exact = true;
		st = push_frame(c, s->ip);
	}
	if (st == PROF_OK && is_lbr)
		st = branches(c, s);
	if (st == PROF_OK && pc)
		st = unwind(c, s, pc);
	trim(c);
	for (size_t i = 0; i < c->r->n_frame; i++)
		if (c->r->location_object[c->r->frame[i]] == PROF_NONE)
			c->notes |= CHAIN_UNMAPPED;
	return st;
}

/* --- a cache: most chains are repeated many times --- */

/* Put n words into the ring, in one piece. */
static uint64_t
keep_words(struct perf_cache *c, const uint8_t *chain, uint32_t n)
{
	size_t at = c->end % PERF_CACHE_WORDS;

	if (n > PERF_CACHE_WORDS - at) {
		c->end += PERF_CACHE_WORDS - at;
		at = 0;
	}
	if (n)
		memcpy(c->word + at, chain, n * sizeof(*c->word));
	c->end += n;
	return c->end - n;
}

static bool
has_words(const struct perf_cache *c, const struct perf_cached *slot,
	  const uint8_t *chain)
{
	return c->end - slot->at <= PERF_CACHE_WORDS &&
	       (!slot->n || !memcmp(c->word + slot->at % PERF_CACHE_WORDS,
				    chain, slot->n * sizeof(*c->word)));
}

static bool
is_chain(const struct perf *r, const struct perf_cached *c, uint64_t hash,
	 const struct perf_sample *s, uint64_t generation)
{
	return c->hash == hash && c->generation == generation &&
	       c->kernel_generation == r->kernel->generation + 1 &&
	       c->ip == s->ip && c->n == s->n_chain && c->mode == s->mode &&
	       has_words(&r->cache, c, s->chain);
}

/* The slot of a chain: one of two, of which the older one makes room. */
static struct perf_cached *
cached(struct perf *r, const struct perf_sample *s, uint64_t generation,
       bool *is_hit)
{
	struct hashtab *t = &r->stack_table; /* for its key */
	uint64_t h = hashtab_mix(t, generation, s->ip ^ s->mode);
	struct perf_cached *c;

	*is_hit = false;
	if (s->n_branch || s->regs || s->n_chain > PERF_CACHE_CHAIN)
		return NULL;
	for (uint64_t i = 0; i < s->n_chain; i++) {
		uint64_t word;

		memcpy(&word, s->chain + 8 * i, sizeof(word));
		h = hashtab_mix(t, h, word);
	}
	c = &r->cache.slot[h % PERF_CACHE_SLOTS & ~(uint64_t)1];
	for (int i = 0; i < 2; i++)
		if (is_chain(r, &c[i], h, s, generation)) {
			*is_hit = true;
			return &c[i];
		}
	c += c[1].at < c[0].at;
	*c = (struct perf_cached){
		.hash = h,
		.generation = generation,
		.ip = s->ip,
		.at = keep_words(&r->cache, s->chain, (uint32_t)s->n_chain),
		.n = (uint32_t)s->n_chain,
		.mode = s->mode,
	};
	return c;
}

static uint64_t
chain_limit(const struct perf_attr *a)
{
	return a->max_stack ? a->max_stack : PERF_MAX_STACK;
}

enum prof_status
perf_chain(struct perf *r, const struct perf_sample *s, uint32_t *stack,
	   uint32_t *notes)
{
	const struct perf_process *p = perf_process(r, s->pid);
	struct chain c = { .r = r, .max_run = chain_limit(s->attr) };
	struct perf_cached *slot;
	enum prof_status st;
	bool is_hit;

	if (!p)
		return prof_nomem(r->err);
	c.user = p->space;
	slot = cached(r, s, c.user ? c.user->generation : 0, &is_hit);
	if (is_hit) {
		*stack = slot->stack;
		*notes = slot->notes;
		return PROF_OK;
	}
	r->n_frame = 0;
	r->frame_flags = 0;
	st = chain_build(&c, s);
	if (st == PROF_OK)
		st = perf_take_stack(r, stack);
	if (st != PROF_OK)
		return st;
	*notes = c.notes;
	if (slot) {
		slot->kernel_generation = r->kernel->generation + 1;
		slot->stack = *stack;
		slot->notes = c.notes;
	}
	return PROF_OK;
}

enum prof_status
perf_chain_join(struct perf *r, uint32_t kernel, uint32_t pid,
		const uint8_t *ip, uint64_t n, uint32_t *stack)
{
	const struct perf_process *p = perf_process(r, pid);
	const struct perf_stack *k = &r->stack[kernel];
	struct chain c = { .r = r,
			   .context = IN_USER,
			   .is_exact = true,
			   .max_run = PERF_MAX_STACK };
	enum prof_status st;

	if (!p)
		return prof_nomem(r->err);
	c.user = p->space;
	r->n_frame = 0;
	r->frame_flags = k->flags;
	for (uint32_t i = 0; i < k->n; i++)
		r->frame[r->n_frame++] = r->pool[k->at + i];
	c.n_mapped = r->n_frame;
	st = words(&c, ip, n);
	trim(&c);
	return st == PROF_OK ? perf_take_stack(r, stack) : st;
}
