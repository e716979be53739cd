/*
 * symcache-image.h - the bytes of an entry of the symbol cache (symcache.h):
 * the frames at some addresses of one object. A checksum finds accidental
 * damage; every offset is checked, so a forged image can do no harm.
 *
 *	header, addresses (ascending), first frame of each and the end, frames,
 *	key (text that identifies the object), strings (each ended by NUL)
 *
 * Numbers have the byte order of the machine: a cache is not shared.
 */
#ifndef SYMCACHE_IMAGE_H
#define SYMCACHE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "binary.h"
#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/strtab.h"

#define SYMCACHE_MAX_FRAMES 1024 /* at an address */

struct image_frame {
	uint32_t name, file; /* offsets in strings */
	uint32_t line, column, start_line;
};

/* A decoded image; it points into the bytes. */
struct image {
	const uint64_t *addr; /* n_addr of them */
	const uint32_t *first;
	const struct image_frame *frame;
	const char *strings;
	uint32_t n_addr, n_frame, n_string;
};

/*
 * Decode the n bytes at data, aligned as for a uint64_t, of the object with
 * that key. false: they are another's, or damaged. Fuzzing disables the
 * checksum (check_sum); all other checks stay.
 */
bool image_read(struct image *im, const void *data, size_t n, const char *key,
		bool check_sum);

/*
 * The frames at addr into frame, which has room for SYMCACHE_MAX_FRAMES.
 * Returns their number; 0 if the address has none, -1 if it is not in the
 * image.
 */
int image_find(const struct image *im, uint64_t addr,
	       struct symbol_frame *frame);

/* The contents of the next image, in the order of the answers. */
struct image_maker {
	struct arena *arena;
	struct strtab strings;
	struct image_entry *entry;
	size_t n_entry, cap_entry;
	struct image_frame *frame; /* strings by index */
	size_t n_frame, cap_frame;
};

int image_maker_init(struct image_maker *m); /* -1 without memory */
void image_maker_release(struct image_maker *m);

/*
 * Add an address, which is new, with its n frames. Leaves out those that exceed
 * the limits of an image. -1 without memory.
 */
int image_add(struct image_maker *m, uint64_t addr,
	      const struct symbol_frame *frame, size_t n);

/* Append to out the image of all addresses that were added. -1 on failure. */
int image_write(struct image_maker *m, const char *key, struct buf *out);

#endif
