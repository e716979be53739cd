/*
 * apart.c - see apart.h. The reader is forked, and so has what its job needs.
 * It reads in several threads, and the first time all it can; if it is ended,
 * the next one reads file by file, so that the last file that was opened is the
 * one to leave out.
 */
#include "config.h"

#include "apart.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "broker.h"
#include "lib/base/budget.h"
#include "lib/base/buf.h"
#include "lib/base/confine.h"
#include "lib/base/regular.h"
#include "lib/base/retry.h"
#include "unpack.h"

enum {
	MAX_BYTES = 512 << 20,    /* beside what is there, and the files */
	THREAD_BYTES = 144 << 20, /* a stack and an arena: mostly never used */
	SECONDS = 30,             /* of a processor, if not for files: */
	FILE_SECONDS = 10,        /* from each on, and one for so many bytes */
	BYTES_A_SECOND = 8 << 20,
	KEEP = 3, /* room for a file in memory, beside its mapping */
	FLUSH = 1 << 16,
	PIECE = 1 << 17, /* of answers, read at once */
	MAX_EVENT = 1 << 30,
	MAX_DEATHS = 16,
	MAX_OF_OWNER = 4, /* by files of another user, who made them */
	HAS_RIGHTS = 3,   /* status of a reader that could not drop them */
};

enum { END, WARN }; /* struct end; a string */

struct event {
	uint32_t kind, number;
	uint64_t n; /* bytes that follow */
};

struct end {
	enum prof_status status;
	char msg[sizeof(((struct prof_err *)0)->msg)];
};

/* --- in the reader --- */

struct apart {
	int out;
	pthread_mutex_t lock; /* for text */
	struct buf text;      /* not written yet */
};

/* Of the process: it has one job. */
static struct apart reader = { .out = 1, .lock = PTHREAD_MUTEX_INITIALIZER };

static void
flush(struct apart *a)
{
	if (write_all(a->out, a->text.data, a->text.n, NULL) != PROF_OK)
		_exit(1);
	a->text.n = 0;
}

/* Begin with e; room for n bytes follows, which are counted already. */
static char *
put_event(struct apart *a, const struct event *e, size_t n)
{
	char *at;

	if (a->text.n > FLUSH)
		flush(a);
	if (buf_reserve(&a->text, sizeof(*e) + n) < 0)
		_exit(1);
	at = (char *)a->text.data + a->text.n;
	a->text.n += sizeof(*e) + n;
	return mempcpy(at, e, sizeof(*e));
}

char *
apart_begin(struct apart *a, uint32_t kind, uint32_t number, size_t n)
{
	const struct event e = { kind, number, n };

	pthread_mutex_lock(&a->lock);
	return put_event(a, &e, n);
}

void
apart_end(struct apart *a)
{
	pthread_mutex_unlock(&a->lock);
}

void
apart_tell(struct apart *a, uint32_t kind, uint32_t number, const void *first,
	   size_t n_first, const void *second, size_t n_second)
{
	const struct event e = { kind, number, n_first + n_second };
	bool is_large = n_second >= FLUSH; /* not copied */
	char *to;

	pthread_mutex_lock(&a->lock);
	to = put_event(a, &e, n_first + (is_large ? 0 : n_second));
	to = mempcpy(to, first, n_first);
	if (!is_large) {
		memcpy(to, second, n_second);
	} else {
		flush(a);
		if (write_all(a->out, second, n_second, NULL) != PROF_OK)
			_exit(1);
	}
	apart_end(a);
}

void
apart_flush(struct apart *a)
{
	pthread_mutex_lock(&a->lock);
	flush(a);
	apart_end(a);
}

void
apart_warn(const char *fmt, ...)
{
	struct buf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	if (buf_vprintf(&text, fmt, ap) < 0 || buf_add(&text, "", 1) < 0)
		_exit(1);
	va_end(ap);
	apart_tell(&reader, WARN, 0, text.data, text.n, "", 0);
	buf_release(&text);
}

char *
apart_find(void *ctx, const char *build_id, bool want_debug)
{
	struct broker_answer answer;
	int fd = broker_ask(want_debug ? BROKER_FIND_DEBUG : BROKER_FIND,
			    build_id, &answer);

	(void)ctx;
	if (fd >= 0)
		close(fd);
	return answer.status == PROF_OK ? strdup(answer.text) : NULL;
}

static unsigned
n_thread(const struct apart_job *job, bool is_careful)
{
	return is_careful || !job->n_thread ? 1 : job->n_thread;
}

static _Noreturn void
read_apart(const struct apart_job *job, int socket, int out, bool is_careful)
{
	struct prof_err err = { 0 };
	unsigned n = n_thread(job, is_careful);
	size_t files = confine_may_allow() ? 0 : job->n_bytes;
	struct end end = { 0 };

	if (dup2(socket, 0) < 0 || dup2(out, 1) < 0 ||
	    close_range(2, ~0u, 0) < 0 || !confine_drop_rights())
		_exit(HAS_RIGHTS);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	confine_limit(MAX_BYTES + n * (size_t)THREAD_BYTES + files * KEEP,
		      SECONDS + (unsigned)(files / BYTES_A_SECOND));
	if (!confine_calls(CONFINE_THREADS))
		_exit(HAS_RIGHTS);
	broker_use(0);
	end.status = job->work(job->ctx, &reader, is_careful, &err);
	memcpy(end.msg, err.msg, sizeof(end.msg));
	apart_tell(&reader, END, 0, &end, sizeof(end), "", 0);
	flush(&reader);
	_exit(0);
}

/* --- in this process: files --- */

struct file {
	dev_t dev;
	ino_t ino;
	uid_t uid;
	char path[PATH_MAX];
};

struct side {
	const struct apart_job *job;
	bool is_careful;
	struct confined reader;
	struct file denied[MAX_DEATHS];
	size_t n_denied;
	struct file last; /* that was opened for the reader */
	struct end end;
	bool is_done;    /* end is set */
	bool is_damaged; /* an answer is */
	int status;      /* how the reader ended */
};

/* Only what has symbols is opened: a reader that was taken over by what it read
 * can't ask for a key of root's. */
static enum prof_status
has_symbols(int fd, const struct stat *sb, struct prof_err *err)
{
	unsigned char magic[UNPACK_MAGIC];
	ssize_t n = read(fd, magic, sizeof(magic)); /* the reader's: pread() */

	if (n < 0)
		return prof_fail(err, PROF_EIO, "%s", strerror(errno));
	if (n >= 4 &&
	    (!memcmp(magic, "\177ELF", 4) || unpack_is(magic, (size_t)n)))
		return PROF_OK;
	errno = ENOEXEC;
	return prof_fail(err, PROF_EFORMAT,
			 sb->st_size ? "not an ELF file" : "an empty file");
}

/* The limits allow for what it takes to read the file, while the other threads
 * read theirs. */
static void
allow_file(const struct side *s, const struct stat *sb)
{
	uint64_t size = budget_file_bytes(sb);

	if (size > SIZE_MAX / KEEP)
		size = 0;
	confine_allow(
		s->reader.pid, size * KEEP,
		n_thread(s->job, s->is_careful) *
			(FILE_SECONDS + (unsigned)(size / BYTES_A_SECOND)));
}

/* Have too many files of a stranger ended the reader? His others could take
 * away the names of everybody's. */
static bool
is_denied_owner(const struct side *s, uid_t uid)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_denied; i++)
		n += s->denied[i].uid == uid;
	return n >= MAX_OF_OWNER && uid != 0 && uid != geteuid();
}

static bool
is_denied(const struct side *s, const struct stat *sb)
{
	for (size_t i = 0; i < s->n_denied; i++)
		if (s->denied[i].dev == sb->st_dev &&
		    s->denied[i].ino == sb->st_ino)
			return true;
	return is_denied_owner(s, sb->st_uid);
}

static int
open_object(struct side *s, const char *path, struct broker_answer *a)
{
	struct prof_err err = { 0 };
	struct stat sb;
	int fd;

	errno = 0;
	fd = regular_open(path, false, &sb, &err);
	if (fd >= 0 && is_denied(s, &sb))
		prof_fail(&err, PROF_EFORMAT,
			  "the process that read it was ended");
	if (fd >= 0 && err.status == PROF_OK &&
	    has_symbols(fd, &sb, &err) == PROF_OK) {
		s->last.dev = sb.st_dev;
		s->last.ino = sb.st_ino;
		s->last.uid = sb.st_uid;
		snprintf(s->last.path, sizeof(s->last.path), "%s", path);
		allow_file(s, &sb);
		return fd;
	}
	a->error = errno;
	if (fd >= 0)
		close(fd);
	a->status = err.status;
	memcpy(a->text, err.msg, sizeof(err.msg));
	return -1;
}

/* Lists of this machine's kernel, and that of the caller. */
static int
open_list(const struct side *s, const char *path, struct broker_answer *a)
{
	const char *named = s->job->list;
	struct prof_err err = { 0 };
	struct stat sb;
	int fd = -1;

	if ((named && !strcmp(path, named)) ||
	    !strcmp(path, "/proc/kallsyms") ||
	    !strcmp(path, "/sys/kernel/notes") ||
	    (!strncmp(path, "/sys/module/", 12) && !strstr(path, "..")))
		fd = regular_kernels_at(AT_FDCWD, path, &sb, &err);
	if (fd >= 0) {
		allow_file(s, &sb);
		return fd;
	}
	a->status = PROF_EIO;
	a->error = errno;
	memcpy(a->text, err.msg, sizeof(err.msg));
	return -1;
}

static int
answer_find(const struct apart_job *job, const struct broker_question *q,
	    struct broker_answer *a)
{
	char *path = job->find ? job->find(job->find_ctx, q->text,
					   q->kind == BROKER_FIND_DEBUG)
			       : NULL;

	a->status = path && strlen(path) < sizeof(a->text) ? PROF_OK : PROF_EIO;
	if (a->status == PROF_OK)
		memcpy(a->text, path, strlen(path));
	free(path);
	return -1;
}

/* For broker_serve(). */
static int
open_for(void *ctx, const struct broker_question *q, struct broker_answer *a)
{
	struct side *s = ctx;
	int fd = -1;

	switch (q->kind) {
	case BROKER_OBJECT:
		fd = open_object(s, q->text, a);
		break;
	case BROKER_LIST:
		fd = open_list(s, q->text, a);
		break;
	case BROKER_FOLDER:
		fd = broker_folder(q->text);
		break;
	case BROKER_CACHE:
		if (s->job->entry)
			fd = s->job->entry(s->job->ctx, q->text);
		break;
	case BROKER_FIND:
	case BROKER_FIND_DEBUG:
		answer_find(s->job, q, a);
		break;
	default:
		break;
	}
	return fd;
}

/* Of struct confined. */
static bool
hear(void *ctx)
{
	struct side *s = ctx;

	return broker_serve(s->reader.socket, open_for, s);
}

/* --- in this process: answers --- */

const char *
apart_string(const char **at, const char *past)
{
	const char *s = *at, *end = memchr(s, 0, (size_t)(past - s));

	*at = end ? end + 1 : past;
	return end ? s : NULL;
}

/* Take over an event of n bytes. false: it is damaged. */
static bool
event_take(struct side *s, const struct event *e, const char *at, size_t n)
{
	switch (e->kind) {
	case END:
		s->is_done = n == sizeof(s->end);
		memcpy(&s->end, at, s->is_done ? n : 0);
		s->end.msg[sizeof(s->end.msg) - 1] = '\0';
		return s->is_done;
	case WARN:
		if (!n || at[n - 1])
			return false;
		s->job->warn("%s", at);
		return true;
	default:
		return s->job->take(s->job->ctx, e->kind, e->number, at, n);
	}
}

/* Take over the whole events of text. Returns the bytes that the next one, of
 * which a part is there, has at least. */
static size_t
take_events(struct side *s, const struct buf *text, size_t *at)
{
	struct event e;

	while (!s->is_done && !s->is_damaged && text->n - *at >= sizeof(e)) {
		const char *from = (const char *)text->data + *at;

		memcpy(&e, from, sizeof(e));
		s->is_damaged = e.n > MAX_EVENT;
		if (s->is_damaged || text->n - *at - sizeof(e) < e.n)
			return sizeof(e) + (size_t)e.n;
		s->is_damaged = !event_take(s, &e, from + sizeof(e), e.n);
		*at += sizeof(e) + e.n;
	}
	return sizeof(e);
}

static void
take_all(struct side *s, int in)
{
	struct buf text = { 0 };
	size_t at = 0;

	for (;;) {
		size_t whole = take_events(s, &text, &at);
		ssize_t got;

		if (s->is_done || s->is_damaged)
			break;
		text.n -= at;
		if (text.n)
			memmove(text.data, text.data + at, text.n);
		at = 0;
		s->is_damaged = buf_reserve(&text, whole + PIECE - text.n) < 0;
		if (s->is_damaged)
			break;
		got = confine_read_some(&s->reader, in, text.data + text.n,
					text.cap - text.n);
		if (got <= 0)
			break;
		text.n += (size_t)got;
	}
	buf_release(&text);
}

/* --- */

static const char *
cause(const struct side *s)
{
	int sig = WIFSIGNALED(s->status) ? WTERMSIG(s->status) : 0;

	return s->is_damaged       ? "its answers are damaged"
	       : s->reader.is_late ? "it did nothing for too long"
	       : sig == SIGXCPU || sig == SIGKILL ? "it took too much time"
	       : sig == SIGSYS                    ? "it tried more than to read"
	       : sig                              ? strsignal(sig)
	       : WEXITSTATUS(s->status) == HAS_RIGHTS
		       ? "it could not give up its rights"
		       : "it took too much memory";
}

/* Run a reader to its end; *why is NULL, or why it was ended. */
static enum prof_status
attempt(struct side *s, const char **why, struct prof_err *err)
{
	int pair[2] = { -1, -1 }, out[2] = { -1, -1 };
	pid_t pid = -1;

	s->is_done = s->is_damaged = false;
	s->status = 0;
	s->last.path[0] = '\0';
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0 &&
	    pipe2(out, O_CLOEXEC) == 0) {
		/* It need not wait for this one to take an answer over. */
		(void)!fcntl(out[1], F_SETPIPE_SZ, 1 << 20);
		pid = fork();
	}
	if (pid == 0)
		read_apart(s->job, pair[1], out[1], s->is_careful);
	if (out[1] >= 0)
		close(out[1]);
	if (pair[1] >= 0)
		close(pair[1]);
	s->reader = (struct confined){
		.pid = pid, .hear = hear, .ctx = s, .socket = pair[0]
	};
	if (pid > 0) {
		take_all(s, out[0]);
		if (!s->is_done)
			kill(pid, SIGKILL);
		s->status = wait_child(pid);
	}
	if (out[0] >= 0)
		close(out[0]);
	if (pair[0] >= 0)
		close(pair[0]);
	if (pid < 0)
		return prof_fail(err, PROF_ENOMEM, "no second process: %s",
				 strerror(errno));
	*why = !s->is_done || s->end.status == PROF_ENOMEM ? cause(s) : NULL;
	if (*why || s->end.status == PROF_OK)
		return PROF_OK;
	return prof_fail(err, s->end.status, "%s", s->end.msg);
}

enum prof_status
apart_run(const struct apart_job *job, struct prof_err *err)
{
	struct side *s = calloc(1, sizeof(*s));
	enum prof_status st = PROF_OK;
	const char *why = "";

	if (!s)
		return prof_nomem(err);
	s->job = job;
	while (st == PROF_OK && why) {
		st = attempt(s, &why, err);
		if (st != PROF_OK || !why)
			break;
		if (s->is_careful &&
		    (!*s->last.path || s->n_denied == MAX_DEATHS)) {
			job->warn("the process that reads object files was "
				  "ended: %s; the rest has no names",
				  why);
			break;
		}
		if (s->is_careful) {
			s->denied[s->n_denied++] = s->last;
			job->warn("%s: the process that read it was ended: "
				  "%s; its names are missing%s",
				  s->last.path, why,
				  is_denied_owner(s, s->last.uid)
					  ? ", and those of its owner's other "
					    "files"
					  : "");
			if (job->ended)
				job->ended(job->ctx);
		} else if (WIFSIGNALED(s->status) &&
			   WTERMSIG(s->status) == SIGSYS) {
			/* No file is slow or large enough to do this. */
			job->warn("the process that reads object files was "
				  "ended: %s; reading again, file by file",
				  why);
		}
		s->is_careful = true;
	}
	free(s);
	return st;
}
