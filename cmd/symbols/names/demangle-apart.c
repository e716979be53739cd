/*
 * demangle-apart.c - see demangle-impl.h. The process is a fork of this one. It
 * is sent names by the batch, so that neither side waits for the other, and
 * answers each before it looks at the next: the first without an answer ended
 * it.
 */
#include "config.h"

#include "demangle-impl.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/confine.h"
#include "lib/base/retry.h"

enum {
	MAX_MANGLED = 16384, /* bytes */
	MAX_NAME = 65536,    /* bytes of what is shown */
	MAX_BATCH = 65536,   /* bytes: a socket holds more */
	/* Of a processor for a name; libiberty does not count its steps. Real
	 * names take 1 us, and 20 on an emulated machine. */
	MAX_MS = 100,
	MAX_MEMORY = 256 << 20,
	MAX_SECONDS = 3600, /* for all names */
	MAX_LATE = 40,      /* processes that names ended: then it is enough */
};

struct request {
	uint32_t n; /* bytes, which follow */
	uint16_t languages;
	uint8_t mode, is_last; /* of a batch */
};

/* Of the process that is asked. */
static struct {
	FILE *answers; /* NULL: there is none */
	int fd;
	pid_t pid, of; /* of: that it works for */
	size_t n_late, n_ended;
	bool is_here; /* none is started */
} helper;

void
demangle_confined(void)
{
	helper.is_here = true;
}

size_t
demangle_n_late(void)
{
	return helper.n_late;
}

/* --- that process --- */

/* The length with the NUL, and the bytes without it; 0: it stays mangled. */
static void
answer(FILE *out, const char *shown)
{
	size_t length = shown ? strlen(shown) : 0;
	uint32_t n = shown && length < MAX_NAME ? (uint32_t)length + 1 : 0;

	fwrite(&n, sizeof(n), 1, out);
	if (n)
		fwrite(shown, 1, n - 1, out);
}

static _Noreturn void
serve(int fd)
{
	const struct itimerspec limit = { .it_value.tv_nsec =
						  MAX_MS * 1000000 };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGVTALRM };
	static char name[MAX_MANGLED];
	struct request r;
	timer_t timer;
	sigset_t set;
	FILE *in, *out;

	signal(SIGINT, SIG_IGN);
	signal(SIGVTALRM, SIG_DFL);
	sigemptyset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	if (dup2(fd, STDIN_FILENO) < 0 || dup2(fd, STDOUT_FILENO) < 0 ||
	    close_range(2, ~0u, 0) < 0 ||
	    timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) < 0)
		_exit(1);
	if (confine_is_possible()) {
		if (!confine_drop_rights())
			_exit(1);
		confine_limit(MAX_MEMORY, MAX_SECONDS);
		if (!confine_calls(CONFINE_NOTHING))
			_exit(1);
	}
	in = fdopen(STDIN_FILENO, "r");
	out = fdopen(STDOUT_FILENO, "w");
	while (in && out && fread(&r, sizeof(r), 1, in) == 1 &&
	       r.n < sizeof(name) && fread(name, 1, r.n, in) == r.n) {
		char *shown;

		name[r.n] = '\0';
		timer_settime(timer, 0, &limit, NULL);
		shown = demangle_here(name, r.languages,
				      (enum demangle_mode)r.mode);
		answer(out, shown);
		free(shown);
		if (r.is_last && fflush(out) != 0)
			break;
	}
	_exit(0);
}

/* --- this process --- */

/* libiberty is called for no other names. */
static bool
is_risky(const struct mangled *m)
{
	return !helper.is_here &&
	       (demangle_is_risky(m->name) ||
		(CAN_DEMANGLE && m->languages & LANGUAGE_ADA));
}

/* The next that is asked about, from `at` on; n: there is none. */
static size_t
next_risky(const struct mangled *m, size_t n, size_t at)
{
	while (at < n && !(is_risky(&m[at]) &&
			   strnlen(m[at].name, MAX_MANGLED) < MAX_MANGLED))
		at++;
	return at;
}

static void
stop(void)
{
	if (helper.answers)
		fclose(helper.answers);
	helper.answers = NULL;
	if (helper.of == getpid())
		wait_child(helper.pid);
}

/* Is there one, also after this call? */
static bool
start(void)
{
	int fd[2];

	if (helper.answers && helper.of == getpid())
		return true;
	stop();
	if (helper.n_ended == MAX_LATE ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) < 0)
		return false;
	helper.of = getpid();
	helper.fd = fd[0];
	helper.answers = fdopen(fd[0], "r");
	helper.pid = helper.answers ? fork() : -1;
	if (helper.pid == 0)
		serve(fd[1]);
	close(fd[1]);
	if (helper.pid > 0)
		return true;
	if (helper.answers)
		fclose(helper.answers);
	else
		close(fd[0]);
	helper.answers = NULL;
	return false;
}

/* Send what fits in a batch, of names from `at` to n - 1; returns behind its
 * last. */
static size_t
send_batch(const struct mangled *m, size_t n, size_t at,
	   enum demangle_mode mode)
{
	static char batch[MAX_BATCH];
	struct request r = { .mode = (uint8_t)mode };
	size_t used = 0, last = 0;

	for (; at < n; at = next_risky(m, n, at + 1)) {
		r.n = (uint32_t)strlen(m[at].name);
		r.languages = (uint16_t)m[at].languages;
		if (sizeof(r) + r.n > sizeof(batch) - used)
			break;
		last = used;
		memcpy(batch + used, &r, sizeof(r));
		memcpy(batch + used + sizeof(r), m[at].name, r.n);
		used += sizeof(r) + r.n;
	}
	batch[last + offsetof(struct request, is_last)] = true;
	/* What could not be sent has no answer, which is seen. */
	(void)!send(helper.fd, batch, used, MSG_NOSIGNAL);
	return at;
}

static bool
receive(struct mangled *m)
{
	uint32_t n;

	if (fread(&n, sizeof(n), 1, helper.answers) != 1 || n > MAX_NAME)
		return false;
	m->shown = n ? calloc(n, 1) : NULL;
	return !n ||
	       (m->shown && fread(m->shown, 1, n - 1, helper.answers) == n - 1);
}

void
demangle_all(struct mangled *m, size_t n, enum demangle_mode mode)
{
	size_t at, past, careful = 0; /* those before it one by one */

	for (size_t i = 0; i < n; i++)
		m[i].shown = is_risky(&m[i])
				     ? NULL
				     : demangle_here(m[i].name, m[i].languages,
						     mode);
	if (mode == DEMANGLE_NONE)
		return;
	for (at = next_risky(m, n, 0); at < n;) {
		bool is_careful = at < careful;

		past = at;
		if (start())
			past = send_batch(m, is_careful ? at + 1 : n, at, mode);
		while (at < past && receive(&m[at]))
			at = next_risky(m, past, at + 1);
		if (at == past && helper.answers) {
			at = next_risky(m, n, at);
			continue;
		}
		free(m[at].shown);
		m[at].shown = NULL;
		if (helper.answers && !is_careful) {
			careful = past;
		} else {
			at = next_risky(m, n, at + 1);
			helper.n_late++;
			helper.n_ended += helper.answers != NULL;
		}
		stop();
	}
}
