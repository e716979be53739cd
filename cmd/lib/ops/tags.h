/*
 * tags.h - labels as text and as frames, and editing them. pprof and the
 * options call labels tags. Selecting samples by labels: tagfilter.h, where.h.
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
 * Append the values of sample s for key, a string, joined by commas: strings,
 * then numbers, scaled from their own unit to `unit` as by units_format().
 * Returns their number, or -1 without memory.
 */
long tags_text(const struct profile *p, const struct sample *s, uint32_t key,
	       const char *unit, struct buf *out);

/*
 * Drop labels whose key does not pass show, or passes hide; NULL: no such test.
 * found tells for each whether any key of a sample passed it. The mark of a
 * base (labels.h: base_mark) stays, whatever the tests say.
 */
enum prof_status tags_filter(struct profile *p, const struct filter_test *show,
			     const struct filter_test *hide, bool found[2],
			     struct prof_err *err) MUST_USE;

/*
 * Rename the key `from` of labels to `to`; NULL drops them. *found: there were
 * any. PROF_ENOMEM.
 */
enum prof_status tags_rename(struct profile *p, const char *from,
			     const char *to, bool *found,
			     struct prof_err *err) MUST_USE;

/*
 * pprof's tagroot and tagleaf: give every sample a frame for each of the keys,
 * even if it lacks the label. Its function is named by the values (as by
 * tags_text()), its file by the key. At each end the first key is nearest to
 * the root. found tells for root and leaf whether any sample had such a label.
 * Empty keys are ignored. PROF_ENOMEM, PROF_ELIMIT.
 */
enum prof_status tags_frames(struct profile *p, char *const *root,
			     size_t n_root, char *const *leaf, size_t n_leaf,
			     const char *unit, bool found[2],
			     struct prof_err *err) MUST_USE;

#endif
