/*
 * tags.h - labels as text and as frames, and editing them. pprof calls labels
 * tags, and so do the options. Choosing samples by them: tagfilter.h, where.h.
 */
#ifndef TAGS_H
#define TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filter.h"
#include "lib/base/buf.h"
#include "lib/model/profile.h"

/*
 * Append the values that sample s has for key, a string, joined by commas:
 * strings, then numbers, these scaled from their own unit to `unit` as
 * units_format() does. Returns how many there were, or -1 without memory.
 */
long tags_text(const struct profile *p, const struct sample *s, uint32_t key,
	       const char *unit, struct buf *out);

/*
 * Drop labels whose key does not pass show, or passes hide; NULL: no such test.
 * found says for each whether any key of a sample passed it.
 */
enum prof_status tags_filter(struct profile *p, const struct filter_test *show,
			     const struct filter_test *hide, bool found[2],
			     struct prof_err *err) MUST_USE;

/*
 * Give the labels with key `from` the key `to`; NULL drops them. *found: there
 * were any. PROF_ENOMEM.
 */
enum prof_status tags_rename(struct profile *p, const char *from,
			     const char *to, bool *found,
			     struct prof_err *err) MUST_USE;

/*
 * pprof's tagroot and tagleaf: give every sample a frame for each of the keys,
 * even if it lacks the label. The name of its function is the values (as
 * tags_text() writes them), that of its file the key. At each end the first key
 * is nearest to the root, the last nearest to the leaf. found says for root and
 * leaf whether any sample had such a label. Empty keys are ignored.
 * PROF_ENOMEM, PROF_ELIMIT.
 */
enum prof_status tags_frames(struct profile *p, char *const *root,
			     size_t n_root, char *const *leaf, size_t n_leaf,
			     const char *unit, bool found[2],
			     struct prof_err *err) MUST_USE;

#endif
