/*
 * jail.h - compile the rows of a stranger's file in a process that may do
 * nothing else: another user if this one is root, no new privileges, no system
 * calls but those that read the file and answer, no file system, little memory
 * and time. What it answers is checked as if a stranger had written it, and it
 * can be ended in the middle of a file.
 */
#ifndef JAIL_H
#define JAIL_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/status.h"

struct jail;
struct rows;

/*
 * Start the process that starts one for each file. *out is NULL if files are to
 * be read here: PROF_SANDBOX is 0, or there are sanitizers. It does not
 * appear to wait() without __WALL. PROF_EIO or PROF_ENOMEM: it could not be
 * started.
 */
enum prof_status jail_start(struct jail **out, struct prof_err *err) MUST_USE;

/*
 * rows_of_file() of a parcel (lib/base/fdpass.h). PROF_ELIMIT also if the
 * process took too much time or memory, or if nothing came from the file for
 * some seconds: nothing is asked of it here. Any thread.
 */
enum prof_status jail_rows(struct jail *j, int parcel, const char *build_id,
			   struct rows **out, struct prof_err *err) MUST_USE;

/* End what it does for other threads, which get errors from now on; then free
 * it. NULL is allowed. */
void jail_end(struct jail *j);
void jail_stop(struct jail *j);

#endif
