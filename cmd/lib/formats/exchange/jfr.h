/*
 * jfr.h - recordings of Java Flight Recorder, as the JDK and async-profiler
 * write them: chunks, each with the layout of its events and tables of
 * constants.
 */
#ifndef JFR_H
#define JFR_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/status.h"

struct profile;

bool jfr_is(const void *data, size_t n);

/*
 * Read the n bytes at data; *out is the caller's. Columns: what the recording
 * has of samples of running and of native methods, allocations, locks, waits;
 * labels: thread, its state, the object's class. Functions are named
 * class.method. Chunks that were not finished, stacks that were cut, events
 * without a stack and others with one are doubts, and what the JVM says that it
 * lost.
 * PROF_EFORMAT names the byte; PROF_ENOTSUP: chunks of before JDK 9, or without
 * compressed integers; PROF_ELIMIT, PROF_ENOMEM.
 */
enum prof_status jfr_parse(const void *data, size_t n, struct profile **out,
			   struct prof_err *err) MUST_USE;

#endif
