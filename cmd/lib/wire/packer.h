/*
 * packer.h - compress one piece of a larger whole into a deflate stream that
 * can be joined with others: gzip-out.c distributes the pieces among threads.
 */
#ifndef PACKER_H
#define PACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

/* Stored blocks have up to 65,535 bytes: all but the last are full. */
#define PACKER_PIECE ((size_t)16 * 65535)
#define PACKER_WINDOW 32768 /* how far back deflate can refer */

struct packer_input {
	uint8_t *data; /* n bytes of PACKER_PIECE; the caller's */
	size_t n;
	bool is_last;
	/* The end of the preceding piece, for compressors that can refer to
	 * it. */
	uint8_t before[PACKER_WINDOW];
	size_t n_before;
};

struct packer;

/* For level 0 (stored) to 9; one a thread. NULL without memory. */
struct packer *packer_new(int level);
void packer_free(struct packer *p);

/*
 * Append the deflate stream of the piece to out. It ends at a byte boundary;
 * unless the piece is the last, another may follow. PROF_ENOMEM, or PROF_EIO if
 * the compressor's output is invalid.
 */
enum prof_status packer_run(struct packer *p, const struct packer_input *in,
			    struct buf *out, struct prof_err *err) MUST_USE;

/* Empty `next`, which follows the full piece `in` and may be the same. */
void packer_continue(struct packer_input *next, const struct packer_input *in);

#endif
