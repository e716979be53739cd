/*
 * firefox-impl.h - shared by the readers of the Firefox Profiler's JSON:
 * firefox-in.c has threads, samples and columns, firefox-stacks.c what a
 * stack's frames are.
 */
#ifndef FIREFOX_IMPL_H
#define FIREFOX_IMPL_H

#include "firefox-table.h"
#include "json-in.h"
#include "lib/formats/exchange/byname.h"

/* The libraries of a process, or of all, and the mapping of each. */
struct firefox_libs {
	const json_t *list;
	uint32_t *mapping; /* PROF_NONE: not made yet */
	size_t n;
};

/* The location that a stack ends with, and the stack of its caller. */
struct firefox_group {
	uint32_t location; /* PROF_NONE: not known yet */
	int64_t caller;    /* FIREFOX_NONE: none */
	int64_t category;  /* if has_category; see firefox_category() */
	bool has_category;
};

/* The tables that stacks refer to, of one thread or of all. */
struct firefox_stacks {
	struct byname *b;
	struct prof_err *err;
	struct firefox_libs *libs;
	bool is_raw; /* addresses are of the process, names have places */
	const json_t *strings, *sources;
	struct firefox_column frame, prefix, offset; /* of stacks */
	struct firefox_column func, location, address, depth, line, column, lib,
		category; /* of frames */
	struct firefox_column name, resource, source, file,
		start; /* of
			 functions */
	struct firefox_column resource_lib;
	size_t n_stack, n_frame, n_func, n_resource;
	struct firefox_group *group; /* by stack */
};

/*
 * Find the tables of a thread: its own, or in shared, which may be NULL. They
 * belong to the JSON. b, err, libs and is_raw are set. PROF_ENOMEM.
 */
enum prof_status firefox_stacks_open(struct firefox_stacks *s,
				     const json_t *thread,
				     const json_t *shared) MUST_USE;
void firefox_stacks_release(struct firefox_stacks *s);

/*
 * Push the frames of a stack to the stack in work of s->b, leaf first.
 * PROF_EFORMAT: it refers to what is not there; PROF_ENOMEM.
 */
enum prof_status firefox_push(struct firefox_stacks *s, size_t stack) MUST_USE;

/* The category of its leaf, or of the first caller that has one; or
 * FIREFOX_NONE. */
int64_t firefox_category(const struct firefox_stacks *s, size_t stack);

/* Prepare libs for a list, which may be NULL. PROF_ENOMEM. */
enum prof_status firefox_libs_init(struct firefox_libs *l, const json_t *list,
				   struct prof_err *err) MUST_USE;
void firefox_libs_release(struct firefox_libs *l);

#endif
