/* inspect.c - see inspect.h. */
#include "config.h"

#include "inspect.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/confine.h"
#include "lib/base/fdpass.h"
#include "unwind/elf-source.h"

enum {
	MAX_BYTES = 64 << 20, /* of address space, beside what is there */
	MAX_SECONDS = 5,      /* of a processor, for all files; then another
				 process follows */
};

static struct {
	bool is_apart;
	int fd; /* to the process that reads, or -1 */
	pid_t pid;
} reader = { .fd = -1 };

static void
read_file(int fd, bool wants_obstacle, struct inspect *out)
{
	char magic[SELFMAG], next[PATH_MAX];
	struct elf_source s;

	memset(out, 0, sizeof(*out));
	out->is_elf = pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
		      !memcmp(magic, ELFMAG, sizeof(magic));
	if (out->is_elf && elf_source_open(&s, fd, NULL) == PROF_OK)
		memcpy(out->build_id, s.build_id, sizeof(out->build_id));
	if (wants_obstacle)
		out->obstacle = obstacle_inside(fd, next);
}

/* --- the process that reads --- */

static _Noreturn void
serve(bool is_ready)
{
	int fd[FDPASS_MAX];
	bool wants_obstacle;
	struct inspect out;
	size_t n_fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!is_ready || !confine_drop_rights())
		_exit(1);
	confine_limit(MAX_BYTES, MAX_SECONDS);
	if (!confine_calls(CONFINE_FILES))
		_exit(1);
	while (fdpass_receive(0, &wants_obstacle, sizeof(wants_obstacle), fd,
			      &n_fd) == sizeof(wants_obstacle) &&
	       n_fd == 1) {
		read_file(fd[0], wants_obstacle, &out);
		close(fd[0]);
		if (!fdpass_send(0, &out, sizeof(out), NULL, 0))
			break;
	}
	_exit(0);
}

/* --- this one --- */

static void
dismiss(void)
{
	if (reader.fd < 0)
		return;
	close(reader.fd);
	reader.fd = -1;
	kill(reader.pid, SIGKILL);
	while (waitpid(-1, NULL, __WALL | WNOHANG) > 0)
		;
}

static bool
has_reader(void)
{
	if (reader.fd < 0)
		reader.pid = confine_serve(&reader.fd, serve, NULL);
	return reader.fd >= 0;
}

pid_t
inspect_apart(void)
{
	reader.is_apart = confine_is_possible();
	return reader.is_apart && has_reader() ? reader.pid : 0;
}

static bool
is_hex(const char id[BUILD_ID_TEXT])
{
	size_t n = strnlen(id, BUILD_ID_TEXT);

	return n < BUILD_ID_TEXT && strspn(id, "0123456789abcdef") == n;
}

/* An answer is checked as if a stranger had made it. */
static bool
ask(int fd, bool wants_obstacle, struct inspect *out)
{
	int none[FDPASS_MAX];
	size_t n_fd;

	return fdpass_send(reader.fd, &wants_obstacle, sizeof(wants_obstacle),
			   &fd, 1) &&
	       fdpass_receive(reader.fd, out, sizeof(*out), none, &n_fd) ==
		       (ssize_t)sizeof(*out) &&
	       out->is_elf <= 1 && is_hex(out->build_id) &&
	       out->obstacle < OBSTACLE_KINDS;
}

void
inspect_file(int fd, bool wants_obstacle, struct inspect *out)
{
	if (!reader.is_apart) {
		read_file(fd, wants_obstacle, out);
		return;
	}
	/* Its time may have ended with the files before. */
	for (int turn = 0; turn < 2; turn++) {
		if (has_reader() && ask(fd, wants_obstacle, out))
			return;
		dismiss();
	}
	memset(out, 0, sizeof(*out));
}
