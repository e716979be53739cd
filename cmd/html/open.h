/* open.h - showing a file in the user's browser. */
#ifndef OPEN_H
#define OPEN_H

/* A name in the user's runtime folder, or else that for temporary files; the
 * caller's to free. Dies. */
char *open_temporary(void);

/*
 * Start the browser on a file: the first word of $BROWSER that works, else
 * xdg-open. Warns if there is none, and says where the file is.
 */
void open_browser(const char *file);

#endif
