/*
 * confine.h - end the rights of a process that parses what strangers wrote: the
 * user nobody, no new privileges, no file system, little memory and time, and
 * no system calls but those that compute, and use the descriptors that it has.
 */
#ifndef CONFINE_H
#define CONFINE_H

#include <stdbool.h>
#include <stddef.h>

/* Should strangers' files be read by such a process? If this one is root's,
 * unless $PROF_SANDBOX is 0. */
bool confine_is_wanted(void);

/* Become nobody, without a way back. false: it failed; end the process. */
bool confine_drop_rights(void);

/* Limit address space, beside what is there, and seconds of a processor. */
void confine_limit(size_t bytes, unsigned seconds);

/* Allow so much more: files that are handed over are mapped. */
void confine_allow(size_t bytes, unsigned seconds);

/*
 * From now on, a call that names a file fails with EACCES; one that is not
 * needed to read, to compute and to answer ends the process, as do threads
 * without has_threads. false: it failed; end the process.
 */
bool confine_calls(bool has_threads);

#endif
