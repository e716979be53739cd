/*
 * broker.h - where files with symbols are opened: here, or, in a process that
 * may open none (confine.h), by the one that started it and answers its
 * questions.
 */
#ifndef BROKER_H
#define BROKER_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

enum broker_kind {
	BROKER_OBJECT,     /* open the ELF file, which may be packed */
	BROKER_LIST,       /* open a list of symbols of this machine's kernel */
	BROKER_FOLDER,     /* open the folder */
	BROKER_REAL,       /* the path without links, as realpath() has it */
	BROKER_CACHE,      /* open the cache's entry of this name */
	BROKER_FIND,       /* the path of what has this build-id */
	BROKER_FIND_DEBUG, /* ... of its debug information */
};

struct broker_question {
	enum broker_kind kind;
	char text[PATH_MAX]; /* only as much is sent as is used */
};

/* With a descriptor, if one was asked for and status is PROF_OK. */
struct broker_answer {
	enum prof_status status;
	int error;           /* errno */
	char text[PATH_MAX]; /* the path, or what is wrong; as above */
};

/* Ask at socket from now on, in this process. Before it has threads. */
void broker_use(int socket);
bool broker_is_used(void);

/*
 * Ask. Returns the descriptor, -1 if there is none; *a is the answer. Any
 * thread.
 */
int broker_ask(enum broker_kind kind, const char *text,
	       struct broker_answer *a);

/* regular_open() without links, slurp(), opendir()'s descriptor and realpath().
 */
int broker_open(const char *path, struct stat *sb,
		struct prof_err *err) MUST_USE;
enum prof_status broker_slurp(const char *path, struct buf *out,
			      struct prof_err *err) MUST_USE;
int broker_folder(const char *path) MUST_USE;
char *broker_real(const char *path);

/*
 * Answer the next question at socket. give is called for each kind but
 * BROKER_REAL, with an answer that is 0; it returns a descriptor, which is
 * closed, or -1. false: the other side is gone.
 */
bool broker_serve(int socket,
		  int (*give)(void *ctx, const struct broker_question *q,
			      struct broker_answer *a),
		  void *ctx);

#endif
