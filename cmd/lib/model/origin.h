/*
 * origin.h - the server that a profile came from. A comment of the profile,
 * which survives merging, records it, so that prof-symbolize can ask the server
 * later for names of addresses.
 *
 *	# source: http://web1:80/pprof/heap 400000=build-id:4f2a19
 *			7f10a2=file:/lib/x.so
 *
 * After the URL come the mappings that still have addresses without names: the
 * start of each in that process, in hexadecimal, and its build-id, or else its
 * file, which may be empty. Merging may move a mapping: subtract the distance
 * from addresses before asking the server. In a file name, blanks, control
 * characters and '%' are written as %XX. Reports do not show comments that
 * begin with '#'.
 *
 *	# program: http://web1:80/pprof/heap /usr/sbin/server
 *
 * names the program of the server, if the server was asked.
 */
#ifndef ORIGIN_H
#define ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct profile;

/* A mapping at one source. */
struct origin {
	const char *url;
	const char *key; /* build-id, or file */
	bool is_file;    /* which of the two */
	uint64_t start;
};

/* The origins in all comments of a profile, sorted by key. */
struct origins {
	struct origin *origin;
	size_t n, cap;
	char **text; /* holds the strings above */
	size_t n_text;
};

/* Add the comment that p came from url, which contains no blanks.
 * PROF_ENOMEM. */
enum prof_status origin_add(struct profile *p, const char *url,
			    struct prof_err *err) MUST_USE;

/*
 * Add the comment that names the program of p, which came from url. Its command
 * line is the n bytes at cmdline, words ended by NUL or newline. Arguments may
 * be secret and are left out; an answer that is not a command line is ignored.
 * If the only mapping of p has no name, it gets that of the program.
 * PROF_ENOMEM.
 */
enum prof_status origin_add_program(struct profile *p, const char *url,
				    const void *cmdline, size_t n,
				    struct prof_err *err) MUST_USE;

/*
 * Read the comments of p into *o, to end with origins_release(). Comments are
 * untrusted: words of any other form are skipped. PROF_ENOMEM.
 */
enum prof_status origins_read(struct origins *o, const struct profile *p,
			      struct prof_err *err) MUST_USE;
void origins_release(struct origins *o);

/*
 * The index of the rank-th best source of mapping m of p, from 0; o->n if there
 * are fewer. Sources where the mapping began at the same address come first: a
 * file may be mapped more than once.
 */
size_t origins_find(const struct origins *o, const struct profile *p,
		    uint32_t m, size_t rank);

#endif
