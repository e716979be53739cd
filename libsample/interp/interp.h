/*
 * interp.h - the frames of an interpreter's own functions in the stack of a
 * thread: doc/interpreters.md describes the whole.
 *
 *	object.c	finds interpreters among the loaded objects
 *	peek.c		reads memory that may not be mapped
 *	python.c	CPython
 *	php.c		PHP
 *	ruby.c		Ruby
 *	../interp.c	puts the interpreter's frames in their place in a walk,
 *			and numbers the code that they execute
 *
 * All but object.c runs in the signal handler, in the interrupted thread, or in
 * the thread of the wall clock while that thread sleeps. It reads the
 * interpreter's memory by peek.c alone, calls nothing in it, takes no lock and
 * allocates nothing. What it finds there may be anything: loops are bounded,
 * and a read that fails ends the interpreter's part of the stack.
 */
#ifndef INTERP_H
#define INTERP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

#include "frame.h"
#include "libsample/unwind/unwind.h"

struct dl_phdr_info;

enum {
	INTERP_PAGE = 4096,
	INTERP_PAGES = 4,      /* that are kept during a walk */
	INTERP_BATCH = 64,     /* frames that are read together */
	INTERP_CODE_MAX = 192, /* bytes of a code object that are read */
	INTERP_SEEN = 64,      /* codes that a walk remembers */
	INTERP_WALK = 4096,    /* of an interpreter in one walk, at most */
	INTERP_SYMBOLS = 9,
	INTERP_PHASES = 6,
	INTERP_LAYOUT = 32,
};

/* A frame: its code object, and the bytecode that it executes, from there. line
 * is of the kind, as is owner, which tells functions with the same code from
 * each other, and base, which is the same for equal code and owner. */
struct interp_frame {
	uintptr_t code, owner, line, base;
	uint32_t at;
	bool is_last; /* C entered it, if it is not before until */
};

/*
 * Working memory of a walk: too large for a signal handler's stack. One for
 * each thread, and another one for walks that a signal may interrupt; zero at
 * first.
 */
struct interp_memory {
	volatile sig_atomic_t in_use;
	int pid; /* 0: not yet known; -1: system calls are filtered */
	unsigned n_read, next;
	uintptr_t page[INTERP_PAGES]; /* addresses; 1: none */
	/* Bytes of the walk's own stack that are mapped, or none. */
	uintptr_t stack_lo, stack_hi;
	struct {
		uintptr_t code, owner, base;
		uint32_t id;
	} seen[INTERP_SEEN];
	/* Frames that were read ahead, so that their code is read together:
	 * where each is, whether C entered it, what it is in a stack (0:
	 * nothing), and frame and entry of the walk after it. */
	struct {
		uintptr_t here, frame, entry;
		uint64_t shown;
		bool is_last;
	} ahead[INTERP_BATCH];
	/* Those that have code; then addresses, of kinds, too. */
	struct interp_frame read[INTERP_BATCH];
	uintptr_t addr[INTERP_BATCH];
	struct iovec from[INTERP_BATCH];
	uint8_t byte[INTERP_PAGES][INTERP_PAGE];
	uint8_t code[INTERP_BATCH * INTERP_CODE_MAX];
	uint8_t text[INTERP_PAGE];
};

/* peek.c */

/* False: another walk of this thread, which a signal interrupted, uses it. */
bool interp_peek_begin(struct interp_memory *m);
void interp_peek_end(struct interp_memory *m);

/* Copy n bytes, at most INTERP_PAGE, from addr. False: they cannot be read. */
bool interp_peek(struct interp_memory *m, uintptr_t addr, void *to, size_t n);

/* Copy size bytes from each of n addresses, at most INTERP_BATCH, to m->code,
 * without gaps. Returns for how many this worked: the next one failed. */
size_t interp_peek_codes(struct interp_memory *m, const uintptr_t *addr,
			 size_t n, size_t size);

/* A word, and an int32_t, of bytes that were read. */
static inline uintptr_t
interp_word(const uint8_t *bytes, unsigned at)
{
	uintptr_t word;

	memcpy(&word, bytes + at, sizeof(word));
	return word;
}

static inline int32_t
interp_int(const uint8_t *bytes, unsigned at)
{
	int32_t i;

	memcpy(&i, bytes + at, sizeof(i));
	return i;
}

/* A hash of what was hashed so far, and of a word. */
static inline uint64_t
interp_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* A word; 0 if it cannot be read. */
static inline uintptr_t
interp_peek_word(struct interp_memory *m, uintptr_t addr)
{
	uintptr_t word = 0;

	return interp_peek(m, addr, &word, sizeof(word)) ? word : 0;
}

/* A thread: pthread_self(), and where the interpreter's record of it was, or 0.
 */
struct interp_thread {
	uintptr_t self;
	bool is_own; /* it is the calling thread */
	_Atomic uintptr_t *hint;
};

/* An interpreter that was found in an object. */
struct interp {
	const struct interp_kind *kind;
	uintptr_t lo, hi;             /* the object's code */
	uintptr_t unwind;             /* its .eh_frame_hdr, or 0 */
	uintptr_t data_lo, data_hi;   /* its data that may be written, or 0 */
	uintptr_t eval_lo, eval_hi;   /* the function that evaluates bytecode */
	uintptr_t enter_lo, enter_hi; /* the function that calls it, or 0 */
	uintptr_t symbol[INTERP_SYMBOLS]; /* their addresses; 0: missing */
	uintptr_t waits;                  /* pthread_cond_timedwait() */
	struct {
		uintptr_t lo, hi; /* the function; 0: missing */
	} phase[INTERP_PHASES];
	size_t code_bytes; /* of a code object, at most INTERP_CODE_MAX */
	uint16_t layout[INTERP_LAYOUT]; /* of the kind */
};

/* The state of a walk. */
struct interp_walk {
	struct unwind_guest guest; /* first */
	const struct interp *in;
	struct interp_memory *memory;
	const struct interp_thread *thread;
	const struct unwind_stack *stack;
	size_t n_stack;
	enum { INTERP_UNSEEN, INTERP_ON, INTERP_DONE } state;
	bool is_met;      /* its code: else the walk ended before that */
	uintptr_t callee; /* the frame of machine code before that */
	unsigned n;       /* frames that were read so far */
	uintptr_t kept;   /* unwind_frame.last, in the frame of machine code */
	uint32_t n_bad;   /* parts that could not be read, or placed */
	/* Of memory->ahead: those that are there, and that were put. */
	uint32_t n_ahead, n_put;
	bool is_ahead_bad; /* what follows them could not be read */
	/*
	 * Of the kind: the next frame, from the innermost on. entry is an
	 * address in the frame of the evaluator that runs it, on the machine's
	 * stack; 0: unknown, then it is the next one of eval_lo to eval_hi.
	 */
	uintptr_t frame, entry, link;
	uintptr_t first, until;     /* of ruby.c */
	uintptr_t eval_lo, eval_hi; /* at first those of in */
};

/* What is to be known of a code object that was not seen before: strings, each
 * of n units of so many bytes, and the table of lines. */
struct interp_text {
	uintptr_t at;
	uint32_t n;
	uint8_t unit;
};

struct interp_code {
	struct interp_text scope, name, file;
	struct interp_text lines[4]; /* one after the other */
	int32_t first_line;
	uint32_t n_before; /* units of the name that stay before the scope */
	char join;         /* between scope and name, of the kind */
	uint8_t lines_are; /* enum interp_lines */
};

/* One kind of interpreter: a file each. */
struct interp_kind {
	enum interp_number number;
	/* The function that evaluates, the one that makes a frame and calls it
	 * (NULL where entry tells frames from each other), and other symbols:
	 * some may be missing. */
	const char *eval, *enter, *symbol[INTERP_SYMBOLS];

	/* Functions in which it does something by itself, and what, as a frame
	 * in their place; is_on: not always. */
	struct {
		const char *function, *does;
		bool (*is_on)(const struct interp_walk *w);
	} phase[INTERP_PHASES];

	/* It was found: is it a version that can be read? Otherwise *why, in a
	 * few words. Not for signal handlers. */
	bool (*init)(struct interp *in, const char **why);

	/* Set frame and entry of the innermost frame. frame 0: the thread has
	 * none. False: a read failed. */
	bool (*begin)(struct interp_walk *w);

	/* Read the next frame into *f (code 0: nothing to show), and advance.
	 * If it is the last of a run, entry now belongs to the frame that
	 * called the evaluator. False: a read failed. */
	bool (*next)(struct interp_walk *w, struct interp_frame *f);

	/* If not NULL: what a thread does when the interpreter's own code calls
	 * pthread_cond_timedwait(), as a frame. */
	const char *waits;

	/* If not NULL: does the calling thread, which has frames, collect
	 * garbage? Where no function with a symbol does. */
	bool (*collects)(const struct interp_walk *w);

	/* If not NULL: next has its frames in the evaluator's frame that the
	 * walk has met. False: that one has none. */
	bool (*run)(struct interp_walk *w);

	/* If not NULL: set code of frames that are to be put, of which next
	 * set what this needs: at most INTERP_BATCH, so that they are read
	 * together. */
	void (*finish)(struct interp_walk *w, struct interp_frame *f, size_t n);

	/* Has f a code object, by its first code_bytes? Then the hash of what
	 * distinguishes it from others; else 0. May set base. */
	uint64_t (*identify)(const struct interp_walk *w,
			     struct interp_frame *f, const uint8_t *bytes);

	/* If not NULL: the same for at and is_last, where base is known; code
	 * 0: there is nothing to show after all. */
	void (*lines)(struct interp_walk *w, struct interp_frame *f, size_t n);

	/* If not NULL: what at of a frame with code and base is. */
	uint32_t (*place)(const struct interp_frame *f);

	/* Describe it. False: a read failed. */
	bool (*describe)(const struct interp_walk *w,
			 const struct interp_frame *f, const uint8_t *bytes,
			 struct interp_code *c);
};

extern const struct interp_kind interp_python, interp_php, interp_ruby;

/*
 * The guest of a walk of a thread, NULL if there is no interpreter. stack is as
 * in unwind_walk(). w, m, thread and stack stay in use until interp_end(),
 * which returns how many parts of the stack could not be read.
 */
struct unwind_guest *interp_begin(struct interp_walk *w,
				  struct interp_memory *m,
				  const struct interp_thread *thread,
				  const struct unwind_stack *stack,
				  size_t n_stack);
uint32_t interp_end(struct interp_walk *w);

/*
 * object.c: an object was loaded, which may be the program; has it an
 * interpreter whose frames can be read? *why: it has one, but they cannot, or
 * NULL. Not for signal handlers; one thread at a time.
 */
bool interp_look(const struct dl_phdr_info *info, bool is_first,
		 const char **why);

/* The last one that was found, and what code it has a number. A word of known
 * is the upper bits of a hash, and the number. */
enum { INTERP_KNOWN = 1 << 14, INTERP_WAYS = 4 };
extern struct interp_state {
	const struct interp *_Atomic found; /* NULL: none */
	_Atomic uint64_t *known;
} interp_state;

/* There is a new recorder, which knows no code. */
void interp_forget(void);

#endif
