/*
 * obstacle.h - why libsample cannot be preloaded into a program, found in the
 * program's file before it runs.
 */
#ifndef RECORD_OBSTACLE_H
#define RECORD_OBSTACLE_H

#include <limits.h>
#include <stdbool.h>

enum obstacle {
	OBSTACLE_NONE,
	OBSTACLE_MACHINE,    /* made for another machine */
	OBSTACLE_STATIC,     /* no loader that reads LD_PRELOAD */
	OBSTACLE_GO,         /* the same, of Go */
	OBSTACLE_GO_LIBC,    /* Go with libc: loaded, but its runtime takes the
				signals and threads that ticks need */
	OBSTACLE_SETUID,     /* other privileges: LD_PRELOAD is ignored */
	OBSTACLE_SETGID,     /* the same */
	OBSTACLE_CAPABILITY, /* the same */
	OBSTACLE_KINDS
};

/*
 * The obstacle in the file at path. OBSTACLE_NONE also if it cannot be read. If
 * it is a script, next is set to its interpreter, else to "".
 */
enum obstacle obstacle_find(const char *path, char next[PATH_MAX]);

/* The same of the open file in two parts: the privileges that the file gives,
 * and what is written in it. */
enum obstacle obstacle_privilege(int fd);
enum obstacle obstacle_inside(int fd, char next[PATH_MAX]);

/* Does it keep libsample itself out, and not only its ticks? */
static inline bool
obstacle_is_total(enum obstacle o)
{
	return o != OBSTACLE_NONE && o != OBSTACLE_GO_LIBC;
}

/* "statically linked": what the program is; "" for OBSTACLE_NONE. */
const char *obstacle_name(enum obstacle o);

/* "so libsample cannot be preloaded": the consequence, and what to do. */
const char *obstacle_advice(enum obstacle o);

#endif
