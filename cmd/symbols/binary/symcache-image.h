/*
 * symcache-image.h - the bytes of an entry of the symbol cache (symcache.h):
 * the frames at some addresses of one object. A checksum finds accidental
 * damage; every offset is checked, so a forged image can do no harm.
 *
 *	header, addresses (ascending), first frame of each and the end, frames,
 *	key (text that says which object it is), strings (each ended by NUL)
 *
 * Numbers are those of the machine, as the cache is.
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

/* An image that was read; it points into the bytes. */
struct image {
	const uint64_t *addr; /* n_addr of them */
	const uint32_t *first;
	const struct image_frame *frame;
	const char *strings;
	uint32_t n_addr, n_frame, n_string;
};

/*
 * Read the n bytes at data, aligned as for a uint64_t, of the object called
 * key. false: they are something else, or damaged. Without a check of the
 * checksum, for fuzzing, the rest still holds.
 */
bool image_read(struct image *im, const void *data, size_t n, const char *key,
		bool check_sum);

/*
 * What is at addr, into frame, which has room for SYMCACHE_MAX_FRAMES: how many
 * frames, 0 if nothing is there, -1 if it isn't known here.
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
 * Add an address, which is new, with its n frames. What an image has no room
 * for is left out. -1 without memory.
 */
int image_add(struct image_maker *m, uint64_t addr,
	      const struct symbol_frame *frame, size_t n);

/* Append to out the image of all that was added. -1 if it can't be. */
int image_write(struct image_maker *m, const char *key, struct buf *out);

#endif
