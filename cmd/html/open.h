/* open.h - showing a file in the user's browser. */
#ifndef OPEN_H
#define OPEN_H

#include <stdbool.h>

/* A name in the user's runtime folder, or else that for temporary files; the
 * caller's to free. Dies. */
char *open_temporary(void);

/*
 * Start the browser on a file: the first word of $BROWSER that works, else
 * xdg-open. false: there is none, or no display, which a warning says with the
 * name of the file.
 */
bool open_browser(const char *file);

#endif
