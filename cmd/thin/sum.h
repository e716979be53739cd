/*
 * sum.h - a folder of an archive becomes one file, in steps that neither a
 * crash nor a power failure can confuse:
 *
 *	F		parts; more may arrive
 *	.F.thin		the same, renamed: new parts go to a new F
 *	.F.thin/sum	the sum, of the parts and of an F.pb.gz from before
 *	.F.done		the same, renamed: the sum is whole, and on the disk
 *	F.pb.gz		the sum, renamed; then .F.done is removed
 *
 * Each rename is one step for the file system, and on the disk before the next
 * begins. The next run goes on where the last one stopped: .F.thin is summed
 * again, .F.done is only tidied up. prof-history knows these names, too.
 */
#ifndef THIN_SUM_H
#define THIN_SUM_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/status.h"

struct sum_options {
	size_t max_size; /* of a profile, inflated */
	unsigned n_thread;
	bool is_dry; /* check what can be seen without reading profiles */
};

/*
 * Sum folder `name` of the open folder `parent`, or go on with it. *is_done: a
 * sum was, or would be, put in its place; a folder without any file is left
 * alone. After an
 * error nothing is lost, and the folder has its name again, if it can.
 */
enum prof_status sum_folder(int parent, const char *name,
			    const struct sum_options *o, bool *is_done,
			    struct prof_err *err) MUST_USE;

#endif
