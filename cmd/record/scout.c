/*
 * scout.c - see scout.h. The process that is forked first looks at nothing: so
 * it is there to fork scouts, of little memory, whatever happens to them. A
 * thread would be no help: a process ends with its last thread. Nor would a
 * process for each look: it takes twice the time of a recording of all.
 */
#include "config.h"

#include "scout.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "lib/base/buf.h"
#include "lib/base/confine.h"
#include "lib/base/fdpass.h"
#include "lib/base/retry.h"

enum {
	PIECE = 65536,   /* bytes of a message */
	STEP_MS = 50,    /* between two looks at a scout that is silent */
	FIRST_MS = 2000, /* of silence; less when there was some before */
	MAX_MS = 20000,  /* also of one that is only slow */
	MAX_SILENT = 64, /* processes at a time, ... */
	MAX_OF_USER = 4, /* ... and of one user: who has so many has more */
};

/* The first message of a scout: the processes that work for an answer. */
enum { N_WORK = 2 };
struct hello {
	pid_t pid[N_WORK]; /* itself, and the one that reads its files, or 0 */
};

/* A process that a scout did not come back from. */
struct silent {
	int32_t pid;
	int fd; /* tells when it has ended; -1: unknown */
	uid_t user;
};

static struct {
	pthread_mutex_t lock;
	bool is_begun;
	int maker; /* socket to the process that forks scouts */
	pid_t maker_pid;
	int fd; /* to the scout, or -1 */
	struct hello who;
	struct silent silent[MAX_SILENT];
	size_t n_silent, n_ever;
	bool has_failed;
} scout = { .lock = PTHREAD_MUTEX_INITIALIZER, .maker = -1, .fd = -1 };

static _Thread_local struct {
	void (*work)(void *ctx);
	void *ctx;
} meanwhile;

void
scout_meanwhile(void (*work)(void *ctx), void *ctx)
{
	meanwhile.work = work;
	meanwhile.ctx = ctx;
}

/* --- the scout --- */

/* An answer begins so, in its first message. */
struct answer {
	size_t n; /* bytes of all of it */
};

static size_t
size_of(const struct look *l)
{
	return offsetof(struct look, path) +
	       (l->what == LOOK_STACKS ? l->n_stack * sizeof(*l->tid)
				       : strlen(l->path) + 1);
}

static _Noreturn void
serve(int socket)
{
	const struct hello hello = { { getpid(), inspect_apart() } };
	struct look l;
	size_t n_fd;
	int none[FDPASS_MAX];

	if (!fdpass_send(socket, &hello, sizeof(hello), NULL, 0))
		_exit(1);
	while (fdpass_receive(socket, &l, sizeof(l), none, &n_fd) > 0) {
		struct buf out = { 0 };
		struct answer a = { 0 };
		bool is_sent;
		int parcel;

		is_sent = buf_add(&out, &a, sizeof(a)) == 0;
		look_at(&l, &out, &parcel);
		a.n = out.n;
		if (is_sent)
			memcpy(out.data, &a, sizeof(a));
		for (size_t at = 0, n; is_sent && at < out.n; at += n) {
			n = out.n - at < PIECE ? out.n - at : PIECE;
			is_sent = fdpass_send(socket, out.data + at, n, &parcel,
					      parcel >= 0 && at == 0);
		}
		if (parcel >= 0)
			close(parcel);
		buf_release(&out);
		if (!is_sent)
			break;
	}
	_exit(0);
}

static _Noreturn void
make_scouts(bool is_ready)
{
	int fd[FDPASS_MAX];
	size_t n;
	char byte;

	setsid(); /* no signals of the terminal */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (!is_ready)
		_exit(1);
	while (fdpass_receive(0, &byte, 1, fd, &n) == 1 && n == 1) {
		if (confine_fork() == 0) {
			close(0);
			serve(fd[0]);
		}
		close(fd[0]);
		while (waitpid(-1, NULL, __WALL | WNOHANG) > 0)
			;
	}
	_exit(0);
}

/* --- this process --- */

enum prof_status
scout_begin(struct prof_err *err)
{
	if (scout.is_begun)
		return PROF_OK;
	scout.maker_pid = confine_serve(&scout.maker, make_scouts, err);
	if (scout.maker_pid < 0)
		return PROF_EIO;
	scout.is_begun = true;
	return PROF_OK;
}

static void
dismiss(void)
{
	if (scout.fd >= 0)
		close(scout.fd);
	scout.fd = -1;
	scout.who = (struct hello){ 0 };
}

void
scout_end(void)
{
	if (!scout.is_begun)
		return;
	dismiss();
	close(scout.maker);
	wait_child(scout.maker_pid);
	while (scout.n_silent)
		if (scout.silent[--scout.n_silent].fd >= 0)
			close(scout.silent[scout.n_silent].fd);
	scout.is_begun = false;
}

/* A file that the kernel writes without a look at memory; for free(). */
static char *
read_own(int32_t pid, const char *name)
{
	struct look l = { .what = LOOK_TEXT, .pid = pid };
	struct buf text = { 0 };
	int none;

	snprintf(l.path, sizeof(l.path), "/proc/%d/%s", (int)pid, name);
	look_at(&l, &text, &none);
	if (buf_add(&text, "", 1) == 0)
		return (char *)text.data;
	buf_release(&text);
	return NULL;
}

static bool
is_runnable(pid_t pid)
{
	char *text = read_own(pid, "stat");
	const char *end = text ? strrchr(text, ')') : NULL;
	bool runs = end && !strncmp(end, ") R", 3);

	free(text);
	return runs;
}

/* One on a busy machine waits for a processor, not for a process. */
static bool
waits_for_processor(void)
{
	bool waits = false;

	for (size_t i = 0; i < N_WORK && !waits; i++)
		waits = scout.who.pid[i] > 0 && is_runnable(scout.who.pid[i]);
	return waits;
}

/* Shorter when others were silent. */
static int
patience_ms(void)
{
	size_t shift = scout.n_ever / 2;

	return FIRST_MS >> (shift < 8 ? shift : 8);
}

static int
step_ms(void)
{
	return patience_ms() < STEP_MS ? patience_ms() : STEP_MS;
}

static ssize_t
receive(void *data, size_t n, int *fd)
{
	int got[FDPASS_MAX];
	size_t n_fd;

	*fd = -1;
	for (int ms = 0, silence = 0; ms < MAX_MS && silence < patience_ms();) {
		ssize_t n_got = fdpass_receive(scout.fd, data, n, got, &n_fd);

		if (n_fd)
			*fd = got[0];
		if (n_got >= 0 || errno != EAGAIN)
			return n_got;
		ms += step_ms();
		if (meanwhile.work)
			meanwhile.work(meanwhile.ctx);
		silence += waits_for_processor() ? 0 : step_ms();
	}
	return -1;
}

static bool
has_scout(void)
{
	struct timeval step = { .tv_usec = step_ms() * 1000 };
	int fd[2], none;
	bool is_made;

	if (scout.fd >= 0)
		return true;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) < 0)
		return false;
	is_made = fdpass_send(scout.maker, "", 1, &fd[1], 1);
	close(fd[1]);
	scout.fd = fd[0];
	setsockopt(scout.fd, SOL_SOCKET, SO_RCVTIMEO, &step, sizeof(step));
	if (is_made && receive(&scout.who, sizeof(scout.who), &none) ==
			       (ssize_t)sizeof(scout.who))
		return true;
	dismiss();
	if (!scout.has_failed)
		warn("no process can be started that looks into others: their "
		     "files and mappings are not seen");
	scout.has_failed = true;
	return false;
}

static bool
ask(const struct look *l, struct buf *out, int *fd)
{
	struct answer a;
	ssize_t n;
	int none;

	if (!fdpass_send(scout.fd, l, size_of(l), NULL, 0) ||
	    buf_reserve(out, PIECE) < 0)
		return false;
	n = receive(out->data, PIECE, fd);
	if (n < (ssize_t)sizeof(a))
		return false;
	memcpy(&a, out->data, sizeof(a));
	for (out->n = (size_t)n; out->n < a.n; out->n += (size_t)n) {
		if (buf_reserve(out, PIECE) < 0)
			return false;
		n = receive(out->data + out->n, PIECE, &none);
		if (n <= 0)
			return false;
	}
	out->n -= sizeof(a);
	memmove(out->data, out->data + sizeof(a), out->n);
	if (!out->n)
		buf_release(out);
	return true;
}

/* --- processes that are left alone --- */

static void
forget_ended(void)
{
	size_t n = 0;

	for (size_t i = 0; i < scout.n_silent; i++) {
		struct silent *s = &scout.silent[i];
		struct pollfd p = { .fd = s->fd, .events = POLLIN };

		if (s->fd >= 0 && poll(&p, 1, 0) > 0)
			close(s->fd);
		else
			scout.silent[n++] = *s;
	}
	scout.n_silent = n;
}

static bool
is_left_alone(int32_t pid)
{
	size_t n = 0;
	uid_t user;

	if (!scout.n_silent)
		return false;
	forget_ended();
	user = look_user(pid);
	for (size_t i = 0; i < scout.n_silent; i++) {
		if (scout.silent[i].pid == pid)
			return true;
		n += scout.silent[i].user == user;
	}
	return n >= MAX_OF_USER || scout.n_silent == MAX_SILENT;
}

static void
say_silent(const struct look *l, uid_t user)
{
	size_t same = 0;
	char *name = NULL;

	for (size_t i = 0; i < scout.n_silent; i++)
		same += scout.silent[i].user == user;
	if (l->pid > 0)
		name = read_own(l->pid, "comm");
	if (name)
		name[strcspn(name, "\n")] = '\0';
	if (l->pid > 0)
		warn("%s[%d] can't be looked into, as its memory or a file "
		     "system does not answer: it may lack callers, and waits "
		     "from before the recording%s",
		     name ? name : "", (int)l->pid,
		     same == MAX_OF_USER || scout.n_silent == MAX_SILENT
			     ? "; so may other processes of its user"
			     : "");
	else
		warn("%s: its file system does not answer", l->path);
	free(name);
}

/* Leave the scout and the process behind. */
static void
give_up(const struct look *l)
{
	struct silent s = { .pid = l->pid,
			    .fd = -1,
			    .user = look_user(l->pid) };

	if (scout.who.pid[0] > 0) /* once it wakes */
		kill(scout.who.pid[0], SIGKILL);
	dismiss();
	if (l->pid > 0) {
		s.fd = (int)syscall(SYS_pidfd_open, l->pid, 0);
		if (s.fd < 0 && errno == ESRCH)
			return;
	}
	scout.n_ever++;
	scout.silent[scout.n_silent++] = s;
	say_silent(l, s.user);
}

void
scout_look(const struct look *l, struct buf *out, int *parcel)
{
	*parcel = -1;
	if (!scout.is_begun) {
		look_at(l, out, parcel);
		return;
	}
	pthread_mutex_lock(&scout.lock);
	if (!is_left_alone(l->pid) && has_scout() && !ask(l, out, parcel)) {
		if (*parcel >= 0)
			close(*parcel);
		*parcel = -1;
		out->n = 0;
		give_up(l);
	}
	pthread_mutex_unlock(&scout.lock);
}
