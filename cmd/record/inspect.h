/*
 * inspect.h - what is in a program or library, as far as prof-record asks
 * before others read it (unwind/rowstore.h, symbols/). A stranger wrote it, so
 * a process without rights reads it for one that has many.
 */
#ifndef RECORD_INSPECT_H
#define RECORD_INSPECT_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/base/buildid.h"
#include "obstacle.h"

struct inspect {
	unsigned char is_elf;         /* 1 or 0 */
	char build_id[BUILD_ID_TEXT]; /* "": none, or it is damaged */
	enum obstacle obstacle;       /* obstacle_inside() */
};

/*
 * From now on another process reads, in this one, which has one thread; it is
 * ended with this one. Returns its pid; 0: PROF_SANDBOX is 0, or there are
 * sanitizers, so this process goes on reading, or it could not be started, so
 * nothing is read.
 */
pid_t inspect_apart(void);

/* Read the regular file in fd; may never return if that does not answer. All 0
 * if it ended the process that read it. */
void inspect_file(int fd, bool wants_obstacle, struct inspect *out);

#endif
