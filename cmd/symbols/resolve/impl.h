/*
 * impl.h - shared by the parts of resolve.h: the locations that need names from
 * one source, an object file or a list of symbols.
 */
#ifndef RESOLVE_IMPL_H
#define RESOLVE_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/hashtab.h"
#include "lib/model/profile.h"
#include "resolve.h"
#include "symbols/binary/binary.h"

struct apart;
struct kallsyms;
struct resolve_task;

#define KERNEL_HALF ((uint64_t)1 << 63) /* where kernels live */

/* A location that needs lines, and its address in the file. */
struct want {
	uint64_t addr;
	uint32_t location;
};

/*
 * The locations that need names from one object or list of symbols. Each thread
 * that reads objects has its own.
 */
struct wants {
	struct resolve *r; /* its profile gets the names */
	struct want *want; /* n of them; sorted: by ascending address */
	size_t n;
	uint64_t *addr; /* the n_addr distinct ones */
	size_t n_addr;
	size_t *first;     /* the first want of each, and n */
	struct line *line; /* scratch for the lines of a location */
	size_t cap_line;
	struct symbol_frame *frame; /* scratch for an answer */
	size_t cap_frame;
	bool nomem; /* some answers were lost, without memory */
};

struct resolve {
	struct profile *p;
	const struct resolve_options *o;
	struct hashtab functions; /* added in this run, by content */
	bool *done;               /* by mapping */
	uint32_t *next; /* ... the next one of the same object, or PROF_NONE */
	size_t *place;  /* ... the start of its wanted locations in wanted */
	uint32_t *wanted;
	struct kallsyms *kallsyms; /* read when needed */
	bool missed;               /* a file was not found */
	struct wants wants;        /* for the current object */

	struct apart *apart;       /* where to tell answers; NULL: in p */
	struct resolve_task *task; /* objects to be read */
	size_t n_task;
};

/* Does location l need lines: does it have none, or is o->force set? */
static inline bool
resolve_is_open(const struct resolve *r, const struct location *l)
{
	return r->o->force || l->n_line == 0;
}

/* Has the caller the file of mapping m open? */
static inline bool
resolve_holds(const struct resolve *r, uint32_t m)
{
	return r->o->held && r->o->held[m] >= 0;
}

/*
 * In open.c: open the object of mapping m, local or found by o->find, and its
 * debug file. Errors as resolve_open().
 */
enum prof_status resolve_open_mapping(const struct resolve *r, uint32_t m,
				      struct binary **out, char **path,
				      struct prof_err *err) MUST_USE;
enum prof_status resolve_open_debug(const struct resolve *r, struct binary *s,
				    struct prof_err *err) MUST_USE;

/*
 * In parallel.c: schedule the look-up of the current wants, sorted, in s, the
 * object of mapping m, which is taken over. o->n_thread threads read one object
 * each, at the latest in resolve_run(), which must always be called.
 * PROF_ENOMEM.
 */
enum prof_status resolve_later(struct resolve *r, struct binary *s, uint32_t m,
			       struct prof_err *err) MUST_USE;
enum prof_status resolve_run(struct resolve *r, struct prof_err *err) MUST_USE;

/*
 * Report which files could not be read since the last call; and the
 * error of mapping m, which is said if samples have no name for it.
 */
void resolve_warn_unread(const struct resolve *r);
void resolve_warn(const struct resolve *r, uint32_t m,
		  const struct prof_err *err);

/*
 * In wants.c: the locations that need names, and their answers.
 */

/* Room for n locations, and no more. -1 without memory. */
int wants_init(struct wants *w, size_t n);
void wants_release(struct wants *w);

/* Copy the sorted wants, for a thread. -1 without memory. */
int wants_copy(struct wants *to, const struct wants *from);

/* Add a location to those wanted, at this address of the source. */
void wants_add(struct wants *w, uint64_t addr, uint32_t location);

/* Sort the wants, and find the distinct addresses. */
void wants_sort(struct wants *w);

/*
 * A symbol_fn of ctx, a struct wants: all locations at w->addr[i] get these
 * frames as their lines. Not for two threads at the same time.
 */
void wants_answer(void *ctx, size_t i, const struct symbol_frame *frame,
		  size_t n);

#endif
