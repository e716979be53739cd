/*
 * layout.h - draw in a child process: Graphviz's layout cannot be interrupted,
 * and crashes on some graphs.
 */
#ifndef DOT_LAYOUT_H
#define DOT_LAYOUT_H

#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

/*
 * Append to out the picture that render() makes of n bytes of DOT. PROF_ELIMIT
 * if it takes more than `seconds` (0: no limit); PROF_EIO, also if the child
 * crashed; else the status and the message of render().
 */
enum prof_status layout(const char *dot, size_t n, const char *format,
			double seconds, struct buf *out,
			struct prof_err *err) MUST_USE;

#endif
