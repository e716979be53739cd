/*
 * named.h - the frames of a profile as formats without addresses have them: a
 * name, a file, lines. Inlined functions are frames of their own. A location
 * without a name is "[file+0xOFFSET]", OFFSET in the file, so that two runs
 * agree.
 */
#ifndef NAMED_H
#define NAMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/pairs.h"
#include "lib/base/status.h"
#include "lib/base/strtab.h"

struct profile;

enum named_kind { NAMED_USER, NAMED_KERNEL, NAMED_JIT };

struct named_frame {
	uint32_t name, file; /* strings of named.strings */
	uint32_t object;     /* the same; 0 unless told apart by object */
	int64_t start_line;
	int64_t line;         /* 0 unless frames are told apart by line */
	enum named_kind kind; /* as object */
	bool is_inlined;      /* as object */
};

/* What tells frames apart beside name, file and first line: to a format that
 * cannot hold it, the frames of a function would be several. */
enum named_flags { NAMED_LINES = 1, NAMED_OBJECTS = 2 };

/*
 * Frames, each once. Location l has frame[node[first[l]]] to
 * frame[node[first[l + 1] - 1]], innermost first; at least one.
 */
struct named {
	const struct profile *p;
	struct arena *arena;
	struct strtab strings;
	struct named_frame *frame;
	size_t n_frame;
	uint32_t *first, *node;
};

/* Name the frames of p, which must outlive *out. PROF_ENOMEM. */
enum prof_status named_new(const struct profile *p, unsigned flags,
			   struct named **out, struct prof_err *err) MUST_USE;
void named_free(struct named *n); /* NULL is allowed */

static inline const struct str *
named_str(const struct named *n, uint32_t s)
{
	return &n->strings.str[s];
}

/*
 * Frames of one function differ in their lines: for each frame the first one
 * with that name, file and object. The caller's, for free(); NULL without
 * memory.
 */
uint32_t *named_functions(const struct named *n);

/*
 * The frames of sample i, root first, into *frame, which grows and is the
 * caller's for free(). Returns how many, or SIZE_MAX without memory.
 */
size_t named_stack(const struct named *n, size_t i, uint32_t **frame,
		   size_t *cap);

/* PROF_EUSAGE, naming the format, if a value of that column is negative. */
enum prof_status named_refuse_negative(const struct profile *p, size_t column,
				       const char *format,
				       struct prof_err *err) MUST_USE;

/* --- the stacks as a tree of calls; parents come before their children --- */

struct named;

#define TREE_NONE UINT32_MAX /* no parent; an empty stack */

struct tree {
	uint32_t *parent, *frame; /* of each node; frames of struct named */
	size_t n;
	uint32_t *leaf; /* of each sample: its node, or TREE_NONE */
	size_t cap_parent, cap_frame;
	struct pairs pairs;
};

/* The tree of all samples of names->p; end with tree_release(). PROF_ENOMEM. */
enum prof_status tree_init(struct tree *t, const struct named *names,
			   struct prof_err *err) MUST_USE;
void tree_release(struct tree *t);

#endif
