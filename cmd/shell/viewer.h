/* viewer.h - showing a report: temporary files, browsers, a pager. */
#ifndef SHELL_VIEWER_H
#define SHELL_VIEWER_H

#include "lib/base/status.h"

struct session;

/*
 * A new empty file for a viewer, whose name ends in the extension: *out is the
 * caller's. At a terminal the session removes it at its end. PROF_EIO,
 * PROF_ENOMEM.
 */
enum prof_status viewer_temporary(struct session *s, const char *extension,
				  char **out, struct prof_err *err) MUST_USE;

/*
 * Start the program viewer on a file, or if it is NULL a browser: the first
 * command of $BROWSER (between ':', words between blanks) that starts, else
 * xdg-open. At a terminal the viewer runs beside the session; a script waits
 * for it, and is told the name of the file, which stays. PROF_EIO in pprof's
 * words: no viewer could be started.
 */
enum prof_status viewer_start(struct session *s, const char *viewer,
			      const char *file, struct prof_err *err) MUST_USE;

/*
 * The words of $PAGER, for execvp(): NULL if there is none, or the session or
 * its output is not on a terminal. For viewer_free_words().
 */
char **viewer_pager(const struct session *s);
void viewer_free_words(char **words); /* NULL is allowed */

#endif
