/* zip.h - one file out of a zip archive, as Go's module cache has them. */
#ifndef ZIP_H
#define ZIP_H

#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

/*
 * Append the member of that name in the archive of n bytes at data to out,
 * which then holds at most max bytes. PROF_EFORMAT: this is no archive, or it
 * has no such member; PROF_ELIMIT, PROF_ENOMEM.
 */
enum prof_status zip_read(const void *data, size_t n, const char *member,
			  size_t max, struct buf *out,
			  struct prof_err *err) MUST_USE;

#endif
