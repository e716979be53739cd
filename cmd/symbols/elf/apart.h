/*
 * apart.h - object files are read by a process without rights (confine.h): what
 * strangers wrote can end only that. It asks this process for files (broker.h),
 * and tells answers, which are checked here as if a stranger had made them.
 */
#ifndef APART_H
#define APART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct apart; /* of that process */

enum { APART_ANSWER = 2 }; /* the first kind of answers; lower ones are ours */

struct apart_job {
	void *ctx;

	/*
	 * In that process: read files, and tell the answers. is_careful: each
	 * file is done with before the next is opened, in one thread, so that
	 * the last one is to blame. PROF_ENOMEM: its limit is reached.
	 */
	enum prof_status (*work)(void *ctx, struct apart *a, bool is_careful,
				 struct prof_err *err);

	/* Here: take over the n bytes of an answer. false: it is damaged. */
	bool (*take)(void *ctx, uint32_t kind, uint32_t number, const char *at,
		     size_t n);

	/* What is opened for it, beside ELF files and the lists of this
	 * machine's kernel. Each may be NULL. */
	const char *list; /* of symbols, at this path */
	char *(*find)(void *ctx, const char *build_id, bool want_debug);
	void *find_ctx;
	int (*entry)(void *ctx, const char *name); /* of the cache */

	/* Here: a file ended that process, and was named by warn; it will be
	 * left out. May be NULL. */
	void (*ended)(void *ctx);

	void (*warn)(const char *fmt, ...)
		__attribute__((format(printf, 1, 2)));
	unsigned n_thread; /* when it is not careful; 0: one */
	size_t n_bytes; /* of files that are known: only counted if limits can't
			 * grow with each that is opened */
};

/*
 * Do the job in such a process. If it is ended, it is started again, carefully:
 * a file that ends it is left out, and named by a warning with the reason.
 * Errors are those of work(), and PROF_ENOMEM.
 */
enum prof_status apart_run(const struct apart_job *job,
			   struct prof_err *err) MUST_USE;

/*
 * In that process. Tell an answer in one or two parts; or begin one, fill the
 * room for its n bytes, which is returned, and end it. Any thread.
 */
void apart_tell(struct apart *a, uint32_t kind, uint32_t number,
		const void *first, size_t n_first, const void *second,
		size_t n_second);
char *apart_begin(struct apart *a, uint32_t kind, uint32_t number, size_t n);
void apart_end(struct apart *a);

/* What was told arrives, whatever ends this process next. */
void apart_flush(struct apart *a);

/* ... job.warn and job.find, as work() may use them. */
void apart_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *apart_find(void *ctx, const char *build_id, bool want_debug);

/* In take(): the string at *at, which ends before past; NULL: it does not. */
const char *apart_string(const char **at, const char *past);

#endif
