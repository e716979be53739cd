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

struct packer_input {
	uint8_t *data; /* n bytes of PACKER_PIECE; the caller's */
	size_t n;
	bool is_last;
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

#endif
