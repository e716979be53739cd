/* viewer.h - show a report: temporary files, browsers, a pager. */
#ifndef SHELL_VIEWER_H
#define SHELL_VIEWER_H

#include "lib/base/status.h"

struct session;

/*
 * Create an empty file for a viewer, with that extension: *out is the caller's.
 * At a terminal the session removes it at its end. PROF_EIO, PROF_ENOMEM.
 */
enum prof_status viewer_temporary(struct session *s, const char *extension,
				  char **out, struct prof_err *err) MUST_USE;

/*
 * Start the program viewer, or if it is NULL a browser, on a file: the first
 * command of $BROWSER (separated by ':', words by blanks) that starts, else
 * xdg-open. At a terminal the viewer runs in parallel with the session; a
 * script waits for it, and the name of the file, which stays, is printed.
 * PROF_EIO with pprof's message: no viewer could be started.
 */
enum prof_status viewer_start(struct session *s, const char *viewer,
			      const char *file, struct prof_err *err) MUST_USE;

/*
 * The words of $PAGER, for execvp(); NULL if there is none, or if the session
 * or its output is not on a terminal. For viewer_free_words().
 */
char **viewer_pager(const struct session *s);
void viewer_free_words(char **words); /* NULL is allowed */

#endif
