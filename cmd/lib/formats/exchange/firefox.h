/*
 * firefox.h - the processed format of the Firefox Profiler, version 66: what
 * profiler.firefox.com loads without knowing profile.proto. Tables are columns
 * of equal length. https://github.com/firefox-devtools/profiler, docs.
 */
#ifndef FIREFOX_H
#define FIREFOX_H

#include <stddef.h>
#include <stdio.h>

#include "lib/base/status.h"

struct profile;

/*
 * Write all columns of p, the one that is shown first in front: a thread for
 * each, and for each pair of the labels "process" and "thread". Values may
 * be negative. Times are 0, 1, 2... milliseconds and mean nothing. PROF_ENOMEM.
 */
enum prof_status firefox_write(FILE *out, const struct profile *p,
			       size_t column, const char *version,
			       struct prof_err *err) MUST_USE;

#endif
