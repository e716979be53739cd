/*
 * scout.h - a process that looks at others for this one, and that can be left
 * behind: see look.h. If it does not answer, a message names the process that
 * it looked at, which is then left alone until it ends, and another scout
 * follows.
 */
#ifndef RECORD_SCOUT_H
#define RECORD_SCOUT_H

#include "lib/base/status.h"
#include "look.h"

struct buf;

/*
 * From now on, looks are another process's. Call it while there is one thread,
 * and before there is much memory. Without it this process looks itself, and
 * waits. PROF_EIO: it could not be started.
 */
enum prof_status scout_begin(struct prof_err *err) MUST_USE;
void scout_end(void);

/* While this thread waits for an answer it calls work now and then; NULL: no
 * more. work must not look. */
void scout_meanwhile(void (*work)(void *ctx), void *ctx);

/* look_at(). *out is empty before. Any thread. */
void scout_look(const struct look *l, struct buf *out, int *parcel);

#endif
