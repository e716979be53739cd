/*
 * jail.c - see jail.h. The server is forked while this process has one thread,
 * and before it holds anything: it has no descriptors but its socket. It forks
 * a worker for each file, so that a file can end or delay only its own. A
 * worker writes its answer into a pipe, which ends with it.
 */
#include "config.h"

#include "jail.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/buildid.h"
#include "lib/base/confine.h"
#include "lib/base/fdpass.h"
#include "lib/base/retry.h"
#include "rows.h"

enum {
	MAX_BYTES = 512 << 20, /* of address space, beside what is there */
	/* Of a processor. rows.c counts what it does, whatever the machine's
	 * speed: an emulated one takes 20 times as long. */
	MAX_SECONDS = 60,
	PATIENCE = 5, /* seconds for a file system that is silent */
	END_MS = 100, /* milliseconds for workers to end */
};

struct jail {
	int fd; /* to the server */
	pid_t pid;
	atomic_bool is_over;
};

/* So an answer begins, after the worker's pid; rows follow if status is
 * PROF_OK. */
struct answer {
	enum prof_status status;
	char msg[sizeof(((struct prof_err *)0)->msg)];
};

/* --- the worker --- */

static _Noreturn void
work(int parcel, int answer, const char *build_id)
{
	const pid_t self = getpid(); /* said before the file can lie */
	const int file =
		fdpass_unwrap(parcel); /* limits may allow none later */
	struct answer head = { 0 };
	struct rows *rows = NULL;
	struct prof_err err = { 0 };

	signal(SIGTERM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	confine_limit(MAX_BYTES, MAX_SECONDS);
	if (write(answer, &self, sizeof(self)) != sizeof(self) ||
	    !confine_calls(CONFINE_NOTHING))
		_exit(1);
	head.status = rows_of_file(file, build_id, &rows, &err);
	memcpy(head.msg, err.msg, sizeof(head.msg));
	if (write(answer, &head, sizeof(head)) != sizeof(head) ||
	    (head.status == PROF_OK && rows_send(rows, answer) < 0))
		_exit(1);
	_exit(0);
}

/* --- the server --- */

/* The file to read, and where to answer; false: the other side is gone. */
static bool
receive(int from, int fd[FDPASS_MAX], char build_id[BUILD_ID_TEXT])
{
	size_t n;

	if (fdpass_receive(from, build_id, BUILD_ID_TEXT, fd, &n) ==
		    BUILD_ID_TEXT &&
	    n == FDPASS_MAX)
		return true;
	while (n)
		close(fd[--n]);
	return false;
}

/*
 * End the workers, and reap them: the recorder of a command, which they are
 * left to, would take their CPU time for that of the command's children. One
 * that cannot be ended, as its file system is silent, does not count.
 */
static void
end_workers(void)
{
	static const struct timespec ms = { .tv_nsec = 1000000 };

	for (int i = 0; i < END_MS; i++) {
		kill(0, SIGTERM); /* ignored here */
		while (waitpid(-1, NULL, __WALL | WNOHANG) > 0)
			;
		if (errno == ECHILD)
			return;
		nanosleep(&ms, NULL);
	}
}

static _Noreturn void
serve(bool is_ready)
{
	char build_id[BUILD_ID_TEXT];
	int fd[FDPASS_MAX];

	setsid(); /* no signals of the terminal */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (!is_ready || !confine_drop_rights())
		_exit(1);
	while (receive(0, fd, build_id)) {
		pid_t worker = confine_fork();

		if (worker == 0) {
			close(0);
			work(fd[0], fd[1], build_id);
		}
		close(fd[0]);
		close(fd[1]);
		while (waitpid(-1, NULL, __WALL | WNOHANG) > 0)
			;
	}
	end_workers();
	_exit(0);
}

/* --- this process --- */

enum prof_status
jail_start(struct jail **out, struct prof_err *err)
{
	struct jail *j;

	*out = NULL;
	if (!confine_is_possible())
		return PROF_OK;
	j = malloc(sizeof(*j));
	if (!j)
		return prof_nomem(err);
	atomic_init(&j->is_over, false);
	j->pid = confine_serve(&j->fd, serve, err);
	if (j->pid < 0) {
		free(j);
		return PROF_EIO;
	}
	*out = j;
	return PROF_OK;
}

void
jail_end(struct jail *j)
{
	if (!j)
		return;
	atomic_store(&j->is_over, true);
	shutdown(j->fd, SHUT_RDWR);
}

void
jail_stop(struct jail *j)
{
	if (!j)
		return;
	close(j->fd);
	wait_child(j->pid);
	free(j);
}

static enum prof_status
send_file(struct jail *j, int parcel, const char *build_id, int answer[2],
	  struct prof_err *err)
{
	char text[BUILD_ID_TEXT] = "";
	enum prof_status st = PROF_OK;

	if (pipe2(answer, O_CLOEXEC) < 0)
		return prof_fail(err, PROF_EIO, "pipe: %s", strerror(errno));
	snprintf(text, sizeof(text), "%s", build_id);
	if (!fdpass_send(j->fd, text, sizeof(text),
			 (const int[]){ parcel, answer[1] }, FDPASS_MAX)) {
		st = prof_fail(err, PROF_EIO,
			       "the process that reads it is gone");
		close(answer[0]);
	}
	close(answer[1]);
	return st;
}

/* Why there is no answer. */
static enum prof_status
lost(const struct confined *worker, struct prof_err *err)
{
	if (!worker->is_late)
		return prof_fail(err, PROF_ELIMIT,
				 "the process that read it was ended: it took "
				 "too much time or memory, or tried more than "
				 "to read");
	kill(worker->pid, SIGKILL); /* it is there: it holds the pipe */
	return prof_fail(err, PROF_ELIMIT, "its file system does not answer");
}

static enum prof_status
failed(struct answer *head, struct prof_err *err)
{
	enum prof_status st =
		head->status == PROF_ELIMIT || head->status == PROF_EDIFFER
			? head->status
			: PROF_EFORMAT;

	head->msg[sizeof(head->msg) - 1] = '\0';
	return prof_fail(err, st, "%s", head->msg);
}

enum prof_status
jail_rows(struct jail *j, int parcel, const char *build_id, struct rows **out,
	  struct prof_err *err)
{
	struct confined worker = { .is_over = &j->is_over,
				   .patience = PATIENCE };
	struct answer head;
	enum prof_status st;
	int answer[2];

	*out = NULL;
	st = send_file(j, parcel, build_id, answer, err);
	if (st != PROF_OK)
		return st;
	if (!confine_read(&worker, answer[0], &worker.pid,
			  sizeof(worker.pid)) ||
	    !confine_read(&worker, answer[0], &head, sizeof(head)))
		st = lost(&worker, err);
	else if (head.status != PROF_OK)
		st = failed(&head, err);
	else
		st = rows_receive(&worker, answer[0], out, err);
	close(answer[0]);
	return st;
}
