/*
 * windows.h - which ranges of code a source page shows, by pprof's rule: 500
 * bytes around each marked address; windows less than 1000 bytes apart, as
 * measured between the addresses, are one; of all, those with the highest sum
 * of flat values.
 */
#ifndef WINDOWS_H
#define WINDOWS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/status.h"
#include "objects.h"
#include "symbols/elf/section.h"

struct report;

struct windows {
	struct window {
		size_t object; /* of objects */
		struct code_range range;
		int64_t score;
	} * window; /* n of them: by object, then address */
	size_t n;
	size_t n_dropped;
};

/*
 * The windows around the marked locations of the objects that are open; max 0:
 * all. End with windows_release(). PROF_ENOMEM.
 */
enum prof_status windows_find(struct windows *w, const struct report *r,
			      const struct objects *objects, const bool *marked,
			      size_t max, struct prof_err *err) MUST_USE;
void windows_release(struct windows *w);

#endif
