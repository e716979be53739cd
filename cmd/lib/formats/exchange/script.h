/*
 * script.h - the text of "perf script": a header line for each sample, its
 * frames leaf first, a blank line, whatever fields -F chose. It has the names
 * of functions and mappings, with srcline those of files and lines too; no
 * addresses: those of user frames are no addresses of the process.
 */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/status.h"

struct profile;

bool script_is(const void *data, size_t n);

/*
 * Read the n bytes at data; *out is the caller's. Columns: samples, and the sum
 * of periods if the text has any, for each event; labels process and pid if the
 * text has them. PROF_EFORMAT: there is no sample; PROF_ENOMEM.
 */
enum prof_status script_parse(const void *data, size_t n, struct profile **out,
			      struct prof_err *err) MUST_USE;

#endif
