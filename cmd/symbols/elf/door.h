/*
 * door.h - where files with symbols are opened: here, or, in a process that may
 * open none (confine.h), by the one that started it and answers its questions.
 */
#ifndef DOOR_H
#define DOOR_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

enum door_kind {
	DOOR_OBJECT,     /* open the ELF file, which may be packed */
	DOOR_LIST,       /* open a list of symbols of this machine's kernel */
	DOOR_FOLDER,     /* open the folder */
	DOOR_REAL,       /* the path without links, as realpath() has it */
	DOOR_CACHE,      /* open the cache's entry of this name */
	DOOR_FIND,       /* the path of what has this build-id */
	DOOR_FIND_DEBUG, /* ... of its debug information */
};

struct door_question {
	enum door_kind kind;
	char text[PATH_MAX]; /* only as much is sent as is used */
};

/* With a descriptor, if one was asked for and status is PROF_OK. */
struct door_answer {
	enum prof_status status;
	int error;           /* errno */
	char text[PATH_MAX]; /* the path, or what is wrong; as above */
};

/* Ask at socket from now on, in this process. Before it has threads. */
void door_use(int socket);
bool door_is_used(void);

/*
 * Ask. Returns the descriptor, -1 if there is none; *a is the answer. Any
 * thread.
 */
int door_ask(enum door_kind kind, const char *text, struct door_answer *a);

/* regular_open() without links, slurp(), opendir()'s descriptor and realpath().
 */
int door_open(const char *path, struct stat *sb, struct prof_err *err) MUST_USE;
enum prof_status door_slurp(const char *path, struct buf *out,
			    struct prof_err *err) MUST_USE;
int door_folder(const char *path) MUST_USE;
char *door_real(const char *path);

/*
 * Answer the next question at socket. give is called for each kind but
 * DOOR_REAL, with an answer that is 0; it returns a descriptor, which is
 * closed, or -1. false: the other side is gone.
 */
bool door_serve(int socket,
		int (*give)(void *ctx, const struct door_question *q,
			    struct door_answer *a),
		void *ctx);

#endif
