/*
 * cpuprofile.h - the .cpuprofile of Chrome, node and VS Code: a tree of calls,
 * and samples in time.
 * https://chromedevtools.github.io/devtools-protocol/tot/Profiler/
 */
#ifndef CPUPROFILE_H
#define CPUPROFILE_H

#include <stddef.h>
#include <stdio.h>

#include "lib/base/status.h"

struct profile;

/*
 * Write one column of p: a sample for each of p's, one after the other, each as
 * long as its value in microseconds; units that are not of time count as
 * microseconds. Only the lengths of the times have a meaning. PROF_EUSAGE:
 * negative values; PROF_ENOMEM.
 */
enum prof_status cpuprofile_write(FILE *out, const struct profile *p,
				  size_t column, struct prof_err *err) MUST_USE;

#endif
