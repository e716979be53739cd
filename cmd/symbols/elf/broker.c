/* broker.c - see broker.h. */
#include "config.h"

#include "broker.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/fdpass.h"
#include "lib/base/regular.h"
#include "lib/base/slurp.h"

enum { MAX_LIST = 1 << 30 }; /* bytes, as in slurp() */

/* Of the process, as its rights are; -1: it opens files itself. */
static int to_broker = -1;
static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;

void
broker_use(int socket)
{
	to_broker = socket;
}

bool
broker_is_used(void)
{
	return to_broker >= 0;
}

/* --- asking --- */

int
broker_ask(enum broker_kind kind, const char *text, struct broker_answer *a)
{
	struct broker_question q = { .kind = kind };
	size_t n = strlen(text) + 1, n_fd = 0;
	int fd[FDPASS_MAX];
	ssize_t got = -1;

	*a = (struct broker_answer){ PROF_EIO, ENAMETOOLONG, "" };
	if (n > sizeof(q.text))
		return -1;
	memcpy(q.text, text, n);
	pthread_mutex_lock(&asking);
	if (fdpass_send(to_broker, &q,
			offsetof(struct broker_question, text) + n, NULL, 0))
		got = fdpass_receive(to_broker, a, sizeof(*a), fd, &n_fd);
	pthread_mutex_unlock(&asking);
	if (got <= 0) /* the process that answers was ended */
		_exit(1);
	a->text[sizeof(a->text) - 1] = '\0';
	return n_fd ? fd[0] : -1;
}

/* Ask for a file. */
static int
ask_file(enum broker_kind kind, const char *path, struct stat *sb,
	 struct prof_err *err)
{
	struct broker_answer a;
	int fd = broker_ask(kind, path, &a);

	if (fd < 0 || fstat(fd, sb) < 0) {
		prof_fail(err, a.status, "%.*s", (int)sizeof(err->msg) - 1,
			  a.text);
		errno = a.error;
		return -1;
	}
	return fd;
}

int
broker_open(const char *path, struct stat *sb, struct prof_err *err)
{
	return to_broker < 0 ? regular_open(path, false, sb, err)
			     : ask_file(BROKER_OBJECT, path, sb, err);
}

enum prof_status
broker_slurp(const char *path, struct buf *out, struct prof_err *err)
{
	enum prof_status st;
	struct stat sb;
	int fd;

	fd = to_broker < 0 ? regular_kernels_at(AT_FDCWD, path, &sb, err)
			   : ask_file(BROKER_LIST, path, &sb, err);
	if (fd < 0)
		return PROF_EIO;
	st = slurp_rest(fd, MAX_LIST, out, err);
	close(fd);
	return st;
}

int
broker_folder(const char *path)
{
	struct broker_answer a;

	return to_broker < 0 ? regular_folder(path)
			     : broker_ask(BROKER_FOLDER, path, &a);
}

char *
broker_real(const char *path)
{
	struct broker_answer a;

	if (to_broker < 0)
		return realpath(path, NULL);
	broker_ask(BROKER_REAL, path, &a);
	errno = a.error;
	return a.status == PROF_OK ? strdup(a.text) : NULL;
}

/* --- answering --- */

static void
find_real(const char *path, struct broker_answer *a)
{
	char *real = realpath(path, NULL);
	size_t n = real ? strlen(real) : 0;

	a->error = errno;
	a->status = real && n < sizeof(a->text) ? PROF_OK : PROF_EIO;
	if (a->status == PROF_OK)
		memcpy(a->text, real, n);
	free(real);
}

bool
broker_serve(int socket,
	     int (*give)(void *ctx, const struct broker_question *q,
			 struct broker_answer *a),
	     void *ctx)
{
	struct broker_question q;
	struct broker_answer a = { PROF_OK, 0, "" };
	int fd[FDPASS_MAX], out = -1;
	size_t n;
	ssize_t got = fdpass_receive(socket, &q, sizeof(q), fd, &n);
	bool ok = got > (ssize_t)offsetof(struct broker_question, text);

	while (n)
		close(fd[--n]);
	if (!ok || ((char *)&q)[got - 1])
		return false;
	if (q.kind == BROKER_REAL)
		find_real(q.text, &a);
	else
		out = give(ctx, &q, &a);
	ok = fdpass_send(socket, &a,
			 offsetof(struct broker_answer, text) + strlen(a.text) +
				 1,
			 &out, out >= 0);
	if (out >= 0)
		close(out);
	return ok;
}
