/*
 * origin.h - which server a profile came from: a comment of the profile, so
 * that it survives merging, and can be asked later for the names of addresses.
 *
 *	# source: http://web1:80/pprof/heap 400000=build-id:4f2a19
 *	    7f10a2=file:/lib/x.so
 *
 * After the URL come the mappings that still have addresses without names:
 * where each began in that process, in hexadecimal, and its build-id, or else
 * its file, which may be empty. A merged profile may have a mapping at another
 * place; what is added to get there is to be subtracted from addresses before
 * the server is asked. In a file, blanks, control characters and '%' are
 * written as %XX. Reports do not show comments that begin with '#'.
 *
 *	# program: http://web1:80/pprof/heap /usr/sbin/server
 *
 * says what the server calls itself, if that was asked.
 */
#ifndef ORIGIN_H
#define ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct profile;

/* A mapping as it was at one source. */
struct origin {
	const char *url;
	const char *key; /* build-id, or file */
	bool is_file;    /* which of the two */
	uint64_t start;
};

/* All that the comments of a profile say, sorted by key. */
struct origins {
	struct origin *origin;
	size_t n, cap;
	char **text; /* what the strings above are in */
	size_t n_text;
};

/* Add the comment that p came from url, which has no blanks. PROF_ENOMEM. */
enum prof_status origin_add(struct profile *p, const char *url,
			    struct prof_err *err) MUST_USE;

/*
 * Add the comment that p, which came from url, is of the program whose command
 * line is the n bytes at cmdline, words ended by NUL or newline. Arguments may
 * be secret and are left out; an answer that is no command line is ignored. A
 * profile whose only mapping has no name gets that of the program. PROF_ENOMEM.
 */
enum prof_status origin_add_program(struct profile *p, const char *url,
				    const void *cmdline, size_t n,
				    struct prof_err *err) MUST_USE;

/*
 * Read the comments of p into *o, to end with origins_release(). Words that
 * are not as above are left out: anybody may write comments. PROF_ENOMEM.
 */
enum prof_status origins_read(struct origins *o, const struct profile *p,
			      struct prof_err *err) MUST_USE;
void origins_release(struct origins *o);

/*
 * The index of the rank-th best source of mapping m of p, from 0; o->n if it
 * has not so many. First those where it began at the same address: a file may
 * be mapped more than once.
 */
size_t origins_find(const struct origins *o, const struct profile *p,
		    uint32_t m, size_t rank);

#endif
