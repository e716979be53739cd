/*
 * pack.h - a profile as the data block of the page: the tree of its stacks as
 * columns of varints, in a container that js/data.mjs reads. doc/page.md says
 * what each section holds. The bytes depend on the profile alone, not on the
 * order of its samples or tables.
 */
#ifndef PACK_H
#define PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/status.h"
#include "lib/base/strtab.h"
#include "lib/report/flame/flame.h"
#include "lib/report/frames.h"

/* A frame of the page: an address and how deep it is inlined. */
struct pack_frame {
	uint32_t key;             /* of frames; FLAME_NONE: "[cut]" */
	bool is_inlined, is_bare; /* bare: an address without any line */
	uint32_t function;        /* of pack */
};

struct pack_function {
	uint32_t name, file; /* strings of frames */
	uint32_t raw_file;   /* string of the profile: before it was trimmed */
	int64_t start_line;
	uint32_t object;  /* without a name: string of frames; else 0 */
	uint32_t package; /* of pack */
};

struct pack_package {
	uint32_t name; /* string of pack; 0: none */
};

struct pack {
	const struct profile *p;
	struct arena *arena; /* of the arrays */
	struct frames *frames;
	struct flame_stacks stacks;
	struct flame_tree tree;
	struct strtab strings; /* of the page */

	struct pack_frame *frame;
	size_t n_frame;
	uint32_t *frame_of; /* of each location: its outermost frame */
	struct pack_function *function;
	size_t n_function;
	unsigned char *own; /* of each function: enum own */
	struct pack_package *package;
	size_t n_package;
	uint32_t *object; /* of each page object: string of frames */
	size_t n_object;

	/* What was cut: nodes below this share of every type's total. */
	double cut_at;
	size_t n_all_nodes;
	double cut_share; /* of the default type's total that is in "[cut]" */

	/* Filled in by pack_write(), for the head. */
	size_t n_sample, n_labelset;
};

/*
 * Make tables and tree of p, which must outlive the result. o: how files are
 * trimmed; the granularity is the page's. max_nodes: the lightest are folded
 * into their callers until no more are left; 0: none. End with pack_release(),
 * also after an error. PROF_ENOMEM, PROF_ELIMIT.
 */
enum prof_status pack_init(struct pack *k, const struct profile *p,
			   const struct frames_options *o, size_t column,
			   size_t max_nodes, struct prof_err *err) MUST_USE;
void pack_release(struct pack *k);

/*
 * pack-cut.c: make the tree of the sorted stacks with at most max_nodes; frame
 * is the index of "[cut]". PROF_ENOMEM, PROF_ELIMIT.
 */
enum prof_status pack_cut(struct pack *k, size_t column, size_t max_nodes,
			  uint32_t frame, struct prof_err *err) MUST_USE;

/* A section of the container. */
struct pack_section {
	char tag[5];
	struct buf data;
};

enum { PACK_SECTIONS = 64 };

struct pack_sections {
	struct pack_section section[PACK_SECTIONS];
	size_t n;
	bool failed; /* no memory, or too many */
};

/* A new, empty section; the order of calls is that of the file. */
struct buf *pack_section(struct pack_sections *s, const char *tag);

/*
 * Add the sections of the tree, its tables and the samples. gcd: of the values
 * of each column, which are divided by it: room for n_type. PROF_ENOMEM.
 */
enum prof_status pack_columns(struct pack *k, struct pack_sections *s,
			      uint64_t *gcd, struct prof_err *err) MUST_USE;

/* Append the container to out, and free the sections. PROF_ENOMEM. */
enum prof_status pack_join(struct pack_sections *s, struct buf *out,
			   struct prof_err *err) MUST_USE;

#endif
