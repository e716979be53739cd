/*
 * attach.c - the recorder that libsample starts. The program sends a byte and
 * waits for the answer: 's' to stop, 'f' to write the profile so far; 'y' or
 * 'n'. However the program ends, the profile is written.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach.h"
#include "cli/cli.h"
#include "drain.h"
#include "lib/base/retry.h"
#include "lib/model/profile.h"
#include "recording.h"

enum { CONTROL = 3, MEMORY = 4 };

struct attach {
	struct cli *cli;
	struct recording recording;
};

/* A descriptor of the process that made the socket pair, not of its
 * children. */
static int
open_program(void)
{
	struct ucred peer = { 0 };
	socklen_t n = sizeof(peer);
	int fd = -1;

	if (getsockopt(CONTROL, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0)
		fd = (int)syscall(SYS_pidfd_open, peer.pid, 0);
	if (fd < 0)
		die("--session is for libsample: %s", strerror(errno));
	return fd;
}

static void
answer(bool good)
{
	char c = good ? 'y' : 'n';

	(void)!send(CONTROL, &c, 1, MSG_NOSIGNAL);
}

static int
write_profile(struct attach *a, struct profile *p)
{
	if (!p)
		die_nomem();
	cli_write(a->cli, p);
	profile_free(p);
	return cli_finish(a->cli, 0);
}

/* In a fork, as an output can be used only once. */
static bool
flush(struct attach *a)
{
	struct profile *p = recording_now(&a->recording, TALLY_CPU);
	pid_t pid = fork();

	if (pid == 0)
		_exit(write_profile(a, p));
	profile_free(p);
	return wait_child(pid) == 0;
}

/* Handle the program's request; false: it asks to stop. */
static bool
serve(struct attach *a, struct pollfd *control)
{
	char what = 0;
	ssize_t n = recv(CONTROL, &what, 1, 0);

	if (n == 1 && what == 's')
		return false;
	if (n == 1 && what == 'f')
		answer(flush(a));
	else if (n <= 0 && errno != EINTR)
		control->fd = -1; /* closed, but the program may continue */
	return true;
}

int
attach_run(struct cli *cli)
{
	struct attach a = { .cli = cli };
	struct pollfd fds[2] = { { .events = POLLIN }, { .events = POLLIN } };
	struct drain drain;
	struct prof_err err;
	bool asked = false;
	int status;

	fds[0].fd = open_program();
	fds[1].fd = CONTROL;
	if (drain_attach(&drain, MEMORY, &err) != PROF_OK ||
	    recording_begin(&a.recording, drain_source(&drain), TALLY_CPU,
			    &err) != PROF_OK)
		die("%s", err.msg);
	answer(true);
	while (!asked && !(fds[0].revents & POLLIN)) {
		if (poll(fds, 2, DRAIN_PASS_MS) > 0 && fds[1].revents)
			asked = !serve(&a, &fds[1]);
		recording_pass(&a.recording);
	}
	recording_end(&a.recording);
	status = write_profile(&a, recording_profile(&a.recording, 0));
	answer(status == 0);
	recording_release(&a.recording);
	drain_close(&drain);
	close(fds[0].fd);
	return status;
}
