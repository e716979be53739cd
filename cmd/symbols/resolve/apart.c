/*
 * apart.c - see apart.h. Both processes have the profile, as the reader is
 * forked. It reads in several threads, and the first time all it can; if it is
 * ended, the next one reads file by file, so that the last file that was opened
 * is the one to leave out.
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

#include "lib/base/buf.h"
#include "lib/base/confine.h"
#include "lib/base/regular.h"
#include "lib/wire/compress.h"
#include "locate.h"
#include "symbols/binary/symcache.h"
#include "symbols/elf/door.h"
#include "symbols/elf/unpack.h"

enum {
	MAX_BYTES = 512 << 20,    /* beside what is there, and the files */
	THREAD_BYTES = 144 << 20, /* a stack and an arena: mostly never used */
	SECONDS = 30,             /* of a processor, beside those for files */
	FLUSH = 1 << 16,
	MAX_EVENT = 1 << 28,
	MAX_DEATHS = 16,
};

enum event_kind {
	LOOKING,
	FAILED,
	TRIED, /* two strings */
	WARN,  /* two strings */
	FOUND, /* a path */
	LINES, /* struct lines, locations, and for each frame its numbers and
		* two strings */
	KEEP,  /* a key, and the entry of the cache */
	END,   /* struct end */
};

struct event {
	uint32_t kind, mapping;
	uint64_t n; /* bytes that follow */
};

struct lines {
	uint32_t n_location, n_frame;
};

struct numbers {
	int64_t line, column, start_line;
};

struct end {
	enum prof_status status;
	bool nomem, missed;
	char msg[sizeof(((struct prof_err *)0)->msg)];
};

/* --- in the reader --- */

struct apart {
	int out;
	pthread_mutex_t lock; /* for text */
	struct buf text;      /* not written yet */
	struct resolve_options o;
	struct locate locate;
};

static void
flush(struct apart *a)
{
	if (write_all(a->out, a->text.data, a->text.n, NULL) != PROF_OK)
		_exit(1);
	a->text.n = 0;
}

static void
apart_put(struct apart *a, const void *data, size_t n)
{
	if (buf_add(&a->text, data, n) < 0)
		_exit(1);
}

/* Begin an event of n bytes, with the lock. */
static void
event_begin(struct apart *a, enum event_kind kind, uint32_t m, size_t n)
{
	const struct event e = { kind, m, n };

	pthread_mutex_lock(&a->lock);
	apart_put(a, &e, sizeof(e));
}

static void
event_end(struct apart *a)
{
	if (a->text.n > FLUSH)
		flush(a);
	pthread_mutex_unlock(&a->lock);
}

static void
tell(struct apart *a, enum event_kind kind, uint32_t m, const void *first,
     size_t n_first, const void *second, size_t n_second)
{
	event_begin(a, kind, m, n_first + n_second);
	apart_put(a, first, n_first);
	apart_put(a, second, n_second);
	event_end(a);
}

void
apart_warn(struct apart *a, const char *path, const char *why)
{
	tell(a, WARN, 0, path, strlen(path) + 1, why, strlen(why) + 1);
}

void
apart_found(struct apart *a, uint32_t m, const char *path)
{
	tell(a, FOUND, m, path, strlen(path) + 1, "", 0);
}

void
apart_lines(struct apart *a, const struct wants *w, size_t i,
	    const struct symbol_frame *frame, size_t n)
{
	const struct lines head = { (uint32_t)(w->first[i + 1] - w->first[i]),
				    (uint32_t)n };
	size_t size = sizeof(head) + head.n_location * sizeof(uint32_t);

	for (size_t k = 0; k < n; k++)
		size += sizeof(struct numbers) + strlen(frame[k].name) + 1 +
			strlen(frame[k].file) + 1;
	event_begin(a, LINES, 0, size);
	apart_put(a, &head, sizeof(head));
	for (size_t k = w->first[i]; k < w->first[i + 1]; k++)
		apart_put(a, &w->want[k].location, sizeof(uint32_t));
	for (size_t k = 0; k < n; k++) {
		const struct numbers of = { frame[k].line, frame[k].column,
					    frame[k].start_line };

		apart_put(a, &of, sizeof(of));
		apart_put(a, frame[k].name, strlen(frame[k].name) + 1);
		apart_put(a, frame[k].file, strlen(frame[k].file) + 1);
	}
	event_end(a);
}

static void
tell_looking(void *ctx, uint32_t m)
{
	tell(ctx, LOOKING, m, "", 0, "", 0);
}

static void
tell_failed(void *ctx, uint32_t m, const char *why)
{
	tell(ctx, FAILED, m, why, strlen(why) + 1, "", 0);
}

static void
tell_tried(void *ctx, const char *path, const char *why)
{
	tell(ctx, TRIED, 0, path, strlen(path) + 1, why, strlen(why) + 1);
}

static void
tell_entry(void *ctx, const char *key, const struct buf *entry)
{
	tell(ctx, KEEP, 0, key, strlen(key) + 1, entry->data, entry->n);
}

static char *
find_elsewhere(void *ctx, const char *build_id, bool want_debug)
{
	struct door_answer answer;
	int fd = door_ask(want_debug ? DOOR_FIND_DEBUG : DOOR_FIND, build_id,
			  &answer);

	(void)ctx;
	if (fd >= 0)
		close(fd);
	return answer.status == PROF_OK ? strdup(answer.text) : NULL;
}

/* The options of r, but with what is to be told elsewhere. */
static void
redirect(struct apart *a, struct resolve *r, bool is_careful)
{
	const struct resolve_options *o = r->o;

	a->o = *o;
	a->locate = *o->locate;
	a->o.locate = &a->locate;
	a->o.report = a->locate.ctx = a;
	a->o.failed = tell_failed;
	a->o.looking = tell_looking;
	if (a->locate.tried)
		a->locate.tried = tell_tried;
	if (o->find)
		a->o.find = find_elsewhere;
	if (o->cache)
		a->o.cache = symcache_apart(o->cache, tell_entry, a);
	if (is_careful)
		a->o.n_thread = 1;
	r->o = &a->o;
	r->apart = a;
}

static _Noreturn void
read_apart(struct resolve *r, int socket, int out, bool is_careful,
	   enum prof_status (*work)(struct resolve *, struct prof_err *))
{
	struct apart a = { .out = 1, .lock = PTHREAD_MUTEX_INITIALIZER };
	struct prof_err err = { 0 };
	unsigned n = is_careful || !r->o->n_thread ? 1 : r->o->n_thread;
	struct end end = { 0 };

	if (dup2(socket, 0) < 0 || dup2(out, 1) < 0 ||
	    close_range(2, ~0u, 0) < 0 || !confine_drop_rights())
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	confine_limit(MAX_BYTES + n * (size_t)THREAD_BYTES, SECONDS);
	if (!confine_calls(true))
		_exit(1);
	door_use(0);
	redirect(&a, r, is_careful);
	end.status = work(r, &err);
	end.nomem = r->wants.nomem;
	end.missed = r->missed;
	memcpy(end.msg, err.msg, sizeof(end.msg));
	tell(&a, END, 0, &end, sizeof(end), "", 0);
	flush(&a);
	_exit(0);
}

/* --- in this process: files --- */

struct file {
	dev_t dev;
	ino_t ino;
	char path[PATH_MAX];
};

struct side {
	struct resolve *r;
	int socket;
	struct file denied[MAX_DEATHS];
	size_t n_denied;
	struct file last; /* that was opened for the reader */
	uint32_t looking; /* it looks for the file of this mapping */
	struct end end;
	bool is_done; /* end is set */
	int status;   /* how the reader ended */
};

/* Only what has symbols is opened: a reader that was taken over by what it read
 * can't ask for a key of root's. */
static enum prof_status
has_symbols(int fd, struct prof_err *err)
{
	unsigned char magic[UNPACK_MAGIC];
	ssize_t n = pread(fd, magic, sizeof(magic), 0);

	if (n < 0)
		return prof_fail(err, PROF_EIO, "%s", strerror(errno));
	if (n >= 4 &&
	    (!memcmp(magic, "\177ELF", 4) || unpack_is(magic, (size_t)n)))
		return PROF_OK;
	return prof_fail(err, PROF_EFORMAT,
			 n ? "not an ELF file" : "an empty file");
}

static int
open_object(struct side *s, const char *path, struct door_answer *a)
{
	struct prof_err err = { 0 };
	struct stat sb;
	int fd;

	errno = 0;
	fd = regular_open(path, false, &sb, &err);
	for (size_t i = 0; fd >= 0 && i < s->n_denied; i++)
		if (s->denied[i].dev == sb.st_dev &&
		    s->denied[i].ino == sb.st_ino && err.status == PROF_OK)
			prof_fail(&err, PROF_EFORMAT,
				  "the process that read it was ended");
	if (fd >= 0 && err.status == PROF_OK &&
	    has_symbols(fd, &err) == PROF_OK) {
		s->last.dev = sb.st_dev;
		s->last.ino = sb.st_ino;
		snprintf(s->last.path, sizeof(s->last.path), "%s", path);
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
open_list(const struct side *s, const char *path, struct door_answer *a)
{
	const char *named = s->r->o->kallsyms;
	struct prof_err err = { 0 };
	struct stat sb;
	int fd = -1;

	if ((named && !strcmp(path, named)) ||
	    !strcmp(path, "/proc/kallsyms") ||
	    !strcmp(path, "/sys/kernel/notes") ||
	    (!strncmp(path, "/sys/module/", 12) && !strstr(path, "..")))
		fd = regular_open(path, false, &sb, &err);
	if (fd >= 0)
		return fd;
	a->status = PROF_EIO;
	a->error = errno;
	memcpy(a->text, err.msg, sizeof(err.msg));
	return -1;
}

static int
answer_find(const struct side *s, const struct door_question *q,
	    struct door_answer *a)
{
	const struct resolve_options *o = s->r->o;
	char *path = o->find ? o->find(o->find_ctx, q->text,
				       q->kind == DOOR_FIND_DEBUG)
			     : NULL;

	a->status = path && strlen(path) < sizeof(a->text) ? PROF_OK : PROF_EIO;
	if (a->status == PROF_OK)
		memcpy(a->text, path, strlen(path));
	free(path);
	return -1;
}

/* For door_serve(). */
static int
open_for(void *ctx, const struct door_question *q, struct door_answer *a)
{
	struct side *s = ctx;

	switch (q->kind) {
	case DOOR_OBJECT:
		return open_object(s, q->text, a);
	case DOOR_LIST:
		return open_list(s, q->text, a);
	case DOOR_FOLDER:
		return door_folder(q->text);
	case DOOR_CACHE:
		return s->r->o->cache ? symcache_entry(s->r->o->cache, q->text)
				      : -1;
	case DOOR_FIND:
	case DOOR_FIND_DEBUG:
		return answer_find(s, q, a);
	default:
		return -1;
	}
}

static void *
serve(void *ctx)
{
	struct side *s = ctx;

	while (door_serve(s->socket, open_for, s))
		;
	return NULL;
}

/* --- in this process: answers --- */

/* The string at *at, which ends before past; NULL: it does not. */
static const char *
string(const char **at, const char *past)
{
	const char *s = *at, *end = memchr(s, 0, (size_t)(past - s));

	*at = end ? end + 1 : past;
	return end ? s : NULL;
}

static bool
take_lines(struct resolve *r, const char *at, const char *past)
{
	struct symbol_frame *frame;
	struct numbers of;
	struct lines n;
	bool ok = true;

	if ((size_t)(past - at) < sizeof(n))
		return false;
	memcpy(&n, at, sizeof(n));
	at += sizeof(n);
	if (n.n_location > r->p->n_location || !n.n_frame ||
	    n.n_location > (size_t)(past - at) / sizeof(uint32_t) ||
	    n.n_frame > (size_t)(past - at) / sizeof(of))
		return false;
	r->wants.n = 0;
	for (uint32_t i = 0, l; i < n.n_location && ok; i++) {
		memcpy(&l, at, sizeof(l));
		at += sizeof(l);
		ok = l < r->p->n_location;
		wants_add(&r->wants, 0, l);
	}
	frame = calloc(n.n_frame, sizeof(*frame));
	for (uint32_t i = 0; frame && ok && i < n.n_frame; i++) {
		ok = (size_t)(past - at) > sizeof(of);
		if (!ok)
			break;
		memcpy(&of, at, sizeof(of));
		at += sizeof(of);
		frame[i] = (struct symbol_frame){ .line = of.line,
						  .column = of.column,
						  .start_line = of.start_line };
		frame[i].name = string(&at, past);
		frame[i].file = string(&at, past);
		ok = frame[i].name && frame[i].file;
	}
	wants_sort(&r->wants);
	r->wants.nomem |= !frame;
	if (frame && ok && n.n_location)
		wants_answer(&r->wants, 0, frame, n.n_frame);
	free(frame);
	return ok;
}

static bool
take_path(struct resolve *r, uint32_t m, const char *path)
{
	uint32_t file = profile_intern(r->p, path);

	r->wants.nomem |= file == STRTAB_NONE;
	if (file != STRTAB_NONE)
		r->p->mapping[m].file = file;
	return true;
}

static void
take_failed(const struct resolve *r, uint32_t m, const char *why)
{
	struct prof_err err;

	prof_fail(&err, PROF_EFORMAT, "%s", why);
	resolve_warn(r, m, &err);
}

/* Take over an event of n bytes. false: it is damaged. */
static bool
side_take(struct side *s, const struct event *e, const char *at, size_t n)
{
	const struct resolve_options *o = s->r->o;
	const char *past = at + n, *first, *second;

	if (e->mapping >= s->r->p->n_mapping)
		return false;
	if (e->kind == LINES)
		return take_lines(s->r, at, past);
	if (e->kind == END) {
		s->is_done = n == sizeof(s->end);
		memcpy(&s->end, at, s->is_done ? n : 0);
		s->end.msg[sizeof(s->end.msg) - 1] = '\0';
		return s->is_done;
	}
	if (e->kind == LOOKING) {
		s->looking = e->mapping;
		if (o->looking)
			o->looking(o->report, e->mapping);
		return true;
	}
	first = n ? string(&at, past) : NULL;
	if (!first)
		return false;
	switch (e->kind) {
	case FAILED:
		take_failed(s->r, e->mapping, first);
		return true;
	case FOUND:
		return take_path(s->r, e->mapping, first);
	case TRIED:
	case WARN:
		second = at < past ? string(&at, past) : NULL;
		if (second && e->kind == WARN)
			o->warn("%s: %s", first, second);
		else if (second && o->locate->tried)
			o->locate->tried(o->locate->ctx, first, second);
		return second;
	case KEEP:
		symcache_keep(o->cache, first, at, (size_t)(past - at));
		return true;
	default:
		return false;
	}
}

static void
take_all(struct side *s, FILE *in)
{
	struct buf text = { 0 };
	struct event e;

	while (!s->is_done && fread(&e, sizeof(e), 1, in) == 1 &&
	       e.n <= MAX_EVENT) {
		text.n = 0;
		if (buf_reserve(&text, e.n + 1) < 0 ||
		    fread(text.data, 1, e.n, in) != e.n ||
		    !side_take(s, &e, (char *)text.data, e.n))
			break;
	}
	buf_release(&text);
}

/* --- */

static const char *
cause(int status)
{
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	return sig == SIGXCPU || sig == SIGKILL ? "it took too much time"
	       : sig == SIGSYS                  ? "it tried more than to read"
	       : sig                            ? strsignal(sig)
						: "it took too much memory";
}

/* Run a reader to its end; *why is NULL, or why it was ended. */
static enum prof_status
attempt(struct side *s, bool is_careful, const char **why,
	enum prof_status (*work)(struct resolve *, struct prof_err *),
	struct prof_err *err)
{
	int pair[2] = { -1, -1 }, out[2] = { -1, -1 };
	pthread_t thread;
	FILE *in = NULL;
	pid_t pid = -1;

	s->is_done = false;
	s->status = 0;
	s->last.path[0] = '\0';
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0 &&
	    pipe2(out, O_CLOEXEC) == 0 && (in = fdopen(out[0], "re")))
		pid = fork();
	if (pid == 0)
		read_apart(s->r, pair[1], out[1], is_careful, work);
	if (out[1] >= 0)
		close(out[1]);
	if (pair[1] >= 0)
		close(pair[1]);
	s->socket = pair[0];
	if (pid > 0 && pthread_create(&thread, NULL, serve, s) == 0) {
		take_all(s, in);
		if (!s->is_done)
			kill(pid, SIGKILL);
		pthread_join(thread, NULL);
		while (waitpid(pid, &s->status, 0) < 0 && errno == EINTR)
			;
	}
	if (in)
		fclose(in);
	if (pair[0] >= 0)
		close(pair[0]);
	if (pid < 0)
		return prof_fail(err, PROF_ENOMEM, "no second process: %s",
				 strerror(errno));
	*why = !s->is_done || s->end.nomem || s->end.status == PROF_ENOMEM
		       ? cause(s->status)
		       : NULL;
	if (*why)
		return PROF_OK;
	s->r->missed |= s->end.missed;
	return s->end.status == PROF_OK
		       ? PROF_OK
		       : prof_fail(err, s->end.status, "%s", s->end.msg);
}

enum prof_status
apart_run(struct resolve *r,
	  enum prof_status (*work)(struct resolve *, struct prof_err *),
	  struct prof_err *err)
{
	struct side *s = calloc(1, sizeof(*s));
	enum prof_status st = PROF_OK;
	bool is_careful = false;
	const char *why = "";

	if (!s)
		return prof_nomem(err);
	s->r = r;
	while (st == PROF_OK && why) {
		st = attempt(s, is_careful, &why, work, err);
		if (st != PROF_OK || !why)
			break;
		if (is_careful &&
		    (!*s->last.path || s->n_denied == MAX_DEATHS)) {
			r->o->warn("the process that reads object files was "
				   "ended: %s; the rest has no names",
				   why);
			break;
		}
		if (is_careful) {
			s->denied[s->n_denied++] = s->last;
			r->o->warn("%s: the process that read it was ended: "
				   "%s; its names are missing",
				   s->last.path, why);
		} else if (WIFSIGNALED(s->status) &&
			   WTERMSIG(s->status) == SIGSYS) {
			/* No file is slow or large enough to do this. */
			r->o->warn("the process that reads object files was "
				   "ended: %s; reading again, file by file",
				   why);
		}
		is_careful = true;
	}
	free(s);
	return st;
}
