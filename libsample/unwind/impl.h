/*
 * impl.h - the compiled form of unwind information, shared by the unwinder's
 * files: cfi.c compiles it, table.c publishes it; unwind.c, step.c and expr.c
 * read it inside the signal handler. For objects that are never unloaded,
 * find.c compiles single functions there when needed.
 */
#ifndef UNWIND_IMPL_H
#define UNWIND_IMPL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Unwind information from a code address up to the next row's, packed in a
 * word.
 *
 *   0          no information
 *   bit 0 = 1  packed: what nearly all rows need; each machine has its own
 *              (arch/x86_64.h)
 *   bit 0 = 0  bits 1-31 are an index into unwind_pool.rule
 *
 * Over 99.9 % of the rows of compiled code fit the packed form.
 */
#define WORD_NONE 0u
#define WORD_PACKED 1u

/* Rule 1 of a process: there is no caller. */
#define WORD_ROOT (1u << 1)

struct unwind_row {
	uint32_t off; /* from unwind_object.lo */
	uint32_t word;
};

/* The registers that are tracked to the caller. */
enum unwind_track {
	TRACK_SP,
	TRACK_FP,
	TRACK_BASE, /* if arch.h has one: DW_BASE */
	TRACK_LAST, /* the same: DW_LAST */
	TRACK_RA,
	N_TRACK,
};

enum unwind_loc_kind {
	LOC_DEFAULT,   /* sp: the CFA; others: unchanged */
	LOC_UNDEFINED, /* unknown; for the return address: there is no caller */
	LOC_CFA_MEM,   /* in memory at CFA + off */
	LOC_CFA_VAL,   /* the value CFA + off */
	LOC_REG,       /* the value of reg + off */
	LOC_EXPR_MEM,  /* in memory at the address that an expression gives */
	LOC_EXPR_VAL,  /* the value of an expression */
};

/* Where a caller's register is, or how to compute the CFA. */
struct unwind_loc {
	uint8_t kind;
	uint8_t reg;
	uint16_t n_expr; /* bytes of the expression */
	int32_t off;     /* or index in unwind_pool.expr */
};

enum unwind_signal {
	SIGNAL_NONE,
	SIGNAL_OTHER,  /* the caller was interrupted, found by the rules */
	SIGNAL_KERNEL, /* the same, and its registers lie above sp */
};

struct unwind_rule {
	struct unwind_loc cfa;
	struct unwind_loc reg[N_TRACK];
	uint16_t signal; /* enum unwind_signal */
	uint16_t keeps;  /* DW_KEPT to DW_KEPT_LAST are the caller's */
};

/*
 * Rules and expressions that do not fit a word, stored once for the whole
 * process; they contain no addresses, so they outlive their object. Entries are
 * only added, before the rows that refer to them are published.
 */
#define POOL_N_RULE 8192
#define POOL_N_EXPR 65536

struct unwind_pool {
	uint32_t n_rule; /* rule[0] is never used */
	uint32_t n_expr;
	uint16_t hash[2 * POOL_N_RULE];
	struct unwind_rule rule[POOL_N_RULE];
	uint8_t expr[POOL_N_EXPR];
};

/* The stack memory that the walk may read now. */
struct unwind_bounds {
	uintptr_t lo, hi;
	uintptr_t shift; /* added to an address to find its bytes: 0 except in
			    copies */
	struct unwind_far *far; /* for memory above it, or NULL */
};

/* The input of the compiler: one object, in memory or made by a test. */
#define CFI_N_SEGMENT 16

struct cfi_image {
	/* Readable segments; nothing else is read. */
	struct unwind_bounds segment[CFI_N_SEGMENT];
	size_t n_segment;
	uintptr_t hdr; /* .eh_frame_hdr, or 0 */
	size_t hdr_bytes;
	uintptr_t section; /* if there is no hdr: .eh_frame itself, or 0 */
	bool is_debug; /* section is .debug_frame, with the file's addresses */
	uintptr_t absolute; /* added to an address of the file: 0 in a process,
			       where it is relocated */
	uintptr_t text_lo, text_hi; /* code, at most 4 GiB */
};

/* The table of functions that linkers put into .eh_frame_hdr. */
struct cfi_search {
	const uint8_t *entry; /* n of {int32 code, int32 FDE}, from hdr */
	size_t n;
};

/*
 * The code of one loaded object. One that is never unloaded (initial.c) has
 * search, and is read in place (find.c); others have rows.
 */
struct unwind_object {
	uintptr_t lo, hi; /* its executable segments */
	struct cfi_image image;
	struct cfi_search search;
	struct unwind_row *row;
	size_t n_row;   /* 0 without search: no information */
	size_t n_bytes; /* mapped at row */
	size_t n_refused;
	uint64_t id; /* distinguishes it from others, at any address */
	bool kept;   /* the next tables use its rows */
};

/*
 * A cache from pc to word, filled by walks. Multiplying a 48-bit pc by an odd
 * number modulo 2^48 is reversible: the upper 16 bits are the index, the lower
 * 32 are stored with the word. So an entry is one atomic, exact 64-bit word,
 * and threads cannot tear it. Empty: word 0.
 */
#define CACHE_BITS 16
#define CACHE_PC_BITS 48

struct unwind_tables {
	_Atomic uint64_t cache[1 << CACHE_BITS];
	const struct unwind_pool *pool;
	struct unwind_tables *next; /* the tables retired before these */
	size_t n_bytes;
	size_t n_object;
	struct unwind_object object[]; /* sorted, disjoint */
};

/* Several counts of readers, so that threads seldom share a cache line. */
#define N_READER 8

struct unwind_reader {
	_Alignas(64) atomic_uint n;
};

/* The global state of walks. */
struct unwind_state {
	_Atomic(struct unwind_tables *) tables;
	struct unwind_reader reader[N_READER];
};

extern struct unwind_state unwind_state __attribute__((visibility("hidden")));

/* The registers of one frame. */
struct unwind_frame {
	uintptr_t pc; /* exact where regs is set, else a return address */
	uintptr_t sp, fp, base;
	/* DW_KEPT_LAST: 0 where it is not known; if it is not tracked, as a
	 * signal found it. */
	uintptr_t last;
	/* All registers, as in ucontext_t; NULL in a frame that made a call. */
	const long long *regs;
	/*
	 * The same, while valid: NULL once a callee has saved one of DW_KEPT
	 * to DW_KEPT_LAST. A callee may have changed others; but code that
	 * counts the CFA from one of these across a call relies on them.
	 */
	const long long *kept;
};

/* The walk reads memory that sanitizers consider other code's. */
#define NO_SANITIZE __attribute__((no_sanitize("address", "thread")))

/*
 * far.c. Begin to use far; false if it is NULL, or in use by a walk that this
 * one has interrupted. The caller sets far->limit, and at the end far->in_use
 * to 0. Async-signal-safe.
 */
bool unwind_far_begin(struct unwind_far *far);

/* Read one word below the limit, if it is mapped. Preserves errno.
 * Async-signal-safe. */
bool unwind_far_load(struct unwind_far *far, uintptr_t addr, uintptr_t *value);

/* Copies of stacks may be unaligned. */
typedef uintptr_t __attribute__((aligned(1), may_alias)) unwind_word;

/* Read one word of stack. Async-signal-safe. */
static inline NO_SANITIZE bool
unwind_load(const struct unwind_bounds *b, uintptr_t addr, uintptr_t *value)
{
	if (addr & 7 || addr < b->lo)
		return false;
	if (addr < b->hi && b->hi - addr >= 8) {
		*value = *(const unwind_word *)(addr + b->shift);
		return true;
	}
	return b->far && addr >= b->hi && unwind_far_load(b->far, addr, value);
}

/* Nothing is mapped below (vm.mmap_min_addr), so no code is there. */
#define LOWEST_CODE 65536

enum unwind_step {
	STEP_OK, /* the frame is now the caller's */
	STEP_ROOT,
	STEP_BEGUN,  /* the same, and the last return address is artificial */
	STEP_KERNEL, /* a kernel's signal frame at sp, for unwind_step_regs() */
	STEP_FAILED,
};

/* The code known to the walk; all functions get this struct. */
struct unwind_code {
	const struct unwind_pool *pool; /* of the words for unwind_step() */
	uint32_t (*word)(const struct unwind_code *c, uintptr_t pc);
	/* Is pc in code of some object, with unwind information or without? */
	bool (*is_object)(const struct unwind_code *c, uintptr_t pc);
	/* Do signal handlers return to pc? NULL: it cannot be known. */
	bool (*is_sigreturn)(const struct unwind_code *c, uintptr_t pc);
};

#include "arch/arch.h"

/* The value of DWARF register reg in frame f, if known. Async-signal-safe. */
bool unwind_reg(const struct unwind_frame *f, unsigned reg, uintptr_t *value);

/*
 * Evaluate the expression e of n bytes in frame f, with *cfa on the stack first
 * if cfa is not NULL. Returns false if it needs an unavailable register or
 * memory, or is malformed. Async-signal-safe.
 */
bool unwind_expr_eval(const uint8_t *e, size_t n, const struct unwind_frame *f,
		      const struct unwind_bounds *b, const uintptr_t *cfa,
		      uintptr_t *value);

/* Are these n bytes an expression that unwind_expr_eval() supports? */
bool unwind_expr_check(const uint8_t *e, size_t n);

struct cfi_rows {
	struct unwind_row *row; /* mapped; NULL when there are none */
	size_t n_row;
	size_t n_bytes;
	size_t n_refused;
};

/*
 * Compile an object's .eh_frame into rows, sorted and disjoint, ending with a
 * WORD_NONE. The caller unmaps rows->row. The image may contain any bytes:
 * functions that are not understood are counted in n_refused and get no
 * information. Returns 0, ENOMEM, or EFBIG if it stands for far more
 * instructions than it has.
 */
int unwind_cfi_compile(const struct cfi_image *image, struct unwind_pool *pool,
		       struct cfi_rows *rows);

/*
 * Look up pc in place. Returns a packed word, WORD_NONE, WORD_ROOT, or
 * WORD_RULE, which sets *rule; the rule's expressions are relative to
 * image->hdr. Equivalent to the rows of the object. Async-signal-safe.
 */
#define WORD_RULE ((uint32_t)POOL_N_RULE << 1)

uint32_t unwind_find(const struct cfi_image *image,
		     const struct cfi_search *search, uintptr_t pc,
		     struct unwind_rule *rule);

struct dl_phdr_info;

/*
 * In image.c; not for signal handlers. Describe a loaded object. False: it has
 * no code, or too much.
 */
bool unwind_image_init(struct cfi_image *image,
		       const struct dl_phdr_info *info);

/*
 * An identity that distinguishes an object from others, wherever it is loaded:
 * from its build-id and the head of its list of functions.
 */
uint64_t unwind_image_id(const struct cfi_image *image,
			 const struct dl_phdr_info *info);

/*
 * Find the objects that are never unloaded: those that the process was started
 * with, which dlclose() does not unload. Without memory, none is found. In
 * initial.c; not for signal handlers.
 */
struct unwind_initial {
	struct initial_object *object; /* mapped */
	size_t n, room;
};

void unwind_initial_find(struct unwind_initial *set);
void unwind_initial_free(struct unwind_initial *set);

/* Is the object with these program headers one of them? */
bool unwind_initial_has(const struct unwind_initial *set, const void *phdr);

/* n_bytes of zeroed memory by mmap, or NULL. */
void *unwind_map(size_t n_bytes);

#endif
