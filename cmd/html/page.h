/*
 * page.h - the one file that prof-html writes: skeleton, style, data block and
 * script, under a content policy that lets nothing else run or load.
 */
#ifndef PAGE_H
#define PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

struct graph;
struct pack;
struct report;

struct page_options {
	const char *title;
	size_t n_program;  /* bytes of it that are not the type */
	const char *view;  /* the first view shown, or NULL */
	const char *theme; /* "auto", "light" or "dark" */
	bool is_relative;  /* percentages of what filters leave */
	bool is_plain;     /* data not compressed */
	unsigned n_thread; /* that compress */
};

/* 100 % of each type, and both sides of a difference. */
struct page_total {
	int64_t all, before, after;
};

/* Sentences about the profile; the Info view shows them first. */
struct page_notes {
	const char *note[32]; /* n of them */
	size_t n;
};

/*
 * Append the head of the data, JSON, to out. total, gcd: of each type.
 * unnamed: what share of the samples each mapping leaves without names, or
 * NULL. PROF_ENOMEM.
 */
enum prof_status page_head(const struct report *r, const struct pack *k,
			   const struct page_options *o,
			   const struct page_total *total, const uint64_t *gcd,
			   const double *unnamed,
			   const struct page_notes *notes, struct buf *out,
			   struct prof_err *err) MUST_USE;

/*
 * Append the page to out. top: its heaviest nodes become a table for readers
 * without scripts. data: the container. PROF_ENOMEM, PROF_EIO.
 */
enum prof_status page_write(const struct report *r, const struct graph *top,
			    const struct page_options *o,
			    const struct buf *data, struct buf *out,
			    struct prof_err *err) MUST_USE;

#endif
