/*
 * jail.c - see jail.h. The server is forked while this process has one thread,
 * and before it holds anything: it has no descriptors but its socket. It forks
 * a worker for each file, so that a file can end only its own. A worker writes
 * its answer into a pipe, which ends with it.
 */
#include "config.h"

#include "jail.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf-source.h"
#include "lib/base/sanitized.h"
#include "rows.h"

enum {
	NOBODY = 65534,
	MAX_BYTES = 512 << 20, /* of address space, beside what is there */
	MAX_SECONDS = 5,       /* of a processor */
	WAIT_MS = 20000,       /* for an answer, on a busy machine */
};

struct jail {
	int fd; /* to the server */
	pid_t pid;
};

/* An answer begins so; rows follow if status is PROF_OK. */
struct answer {
	enum prof_status status;
	char msg[sizeof(((struct prof_err *)0)->msg)];
};

/* --- the worker --- */

#if defined __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCH AUDIT_ARCH_AARCH64
#endif

/* Only what rows_read() and rows_send() call. */
static int
allow_few_calls(void)
{
#ifdef ARCH
#define WORD(member)                                                           \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS,                                     \
		 offsetof(struct seccomp_data, member))
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)
#define ALLOW(name)                                                            \
	UNLESS(__NR_##name, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	struct sock_filter filter[] = {
		WORD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		WORD(nr),
		ALLOW(pread64),
		ALLOW(read),
		ALLOW(write),
		ALLOW(fstat),
		ALLOW(newfstatat),
		ALLOW(close),
		ALLOW(mmap),
		ALLOW(munmap),
		ALLOW(mremap),
		ALLOW(madvise),
		ALLOW(brk),
		ALLOW(getrandom),
		ALLOW(futex),
		ALLOW(exit_group),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]),
				      filter };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#else
	return 0;
#endif
}

static void
limit(int what, rlim_t n)
{
	setrlimit((enum __rlimit_resource)what, &(struct rlimit){ n, n });
}

static _Noreturn void
work(int file, int answer)
{
	struct answer head = { 0 };
	struct elf_source source;
	struct rows *rows = NULL;
	struct prof_err err = { 0 };

	limit(RLIMIT_AS, MAX_BYTES);
	limit(RLIMIT_CPU, MAX_SECONDS);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NPROC, 0);
	if (allow_few_calls() < 0)
		_exit(1);
	head.status = elf_source_open(&source, file, &err);
	if (head.status == PROF_OK)
		head.status = rows_read(&source, &rows, &err);
	memcpy(head.msg, err.msg, sizeof(head.msg));
	if (write(answer, &head, sizeof(head)) != sizeof(head) ||
	    (head.status == PROF_OK && rows_send(rows, answer) < 0))
		_exit(1);
	_exit(0);
}

/* --- the server --- */

static pid_t
fork_quietly(void)
{
	return (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
}

/* Two descriptors of a message; false: the other side is gone. */
static bool
receive(int from, int fd[2])
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control;
	char byte;
	struct iovec io = { &byte, 1 };
	struct msghdr m = { .msg_iov = &io,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	struct cmsghdr *c;
	ssize_t n;

	do
		n = recvmsg(from, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	c = n == 1 ? CMSG_FIRSTHDR(&m) : NULL;
	if (!c || c->cmsg_len != CMSG_LEN(2 * sizeof(int)))
		return false;
	memcpy(fd, CMSG_DATA(c), 2 * sizeof(int));
	return true;
}

static bool
drop_rights(void)
{
	/* Where 65534 is no user of this namespace, the filter must do. */
	if (setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0)
		(void)!setresuid(NOBODY, NOBODY, NOBODY);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_DUMPABLE, 0) == 0;
}

static _Noreturn void
serve(int socket)
{
	int fd[2];

	setsid(); /* no signals of the terminal */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (dup2(socket, 0) < 0 || close_range(1, ~0u, 0) < 0 || !drop_rights())
		_exit(1);
	while (receive(0, fd)) {
		pid_t worker = fork_quietly();

		if (worker == 0) {
			close(0);
			work(fd[0], fd[1]);
		}
		close(fd[0]);
		close(fd[1]);
		if (worker > 0)
			waitpid(worker, NULL, __WALL);
	}
	_exit(0);
}

/* --- this process --- */

enum prof_status
jail_start(struct jail **out, struct prof_err *err)
{
	const char *wish = getenv("PROF_SANDBOX");
	struct jail *j;
	int fd[2];

	*out = NULL;
	if (IS_SANITIZED || geteuid() != 0 || (wish && !strcmp(wish, "0")))
		return PROF_OK;
	j = malloc(sizeof(*j));
	if (!j)
		return prof_nomem(err);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) < 0) {
		free(j);
		return prof_fail(err, PROF_EIO, "socketpair: %s",
				 strerror(errno));
	}
	j->fd = fd[0];
	j->pid = fork_quietly();
	if (j->pid == 0)
		serve(fd[1]);
	close(fd[1]);
	if (j->pid < 0) {
		close(j->fd);
		free(j);
		return prof_fail(err, PROF_EIO, "fork: %s", strerror(errno));
	}
	*out = j;
	return PROF_OK;
}

void
jail_stop(struct jail *j)
{
	if (!j)
		return;
	close(j->fd);
	while (waitpid(j->pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	free(j);
}

static bool
ask(const struct jail *j, int file, int answer)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control = { 0 };
	const int fd[2] = { file, answer };
	char byte = 0;
	struct iovec io = { &byte, 1 };
	struct msghdr m = { .msg_iov = &io,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), fd, sizeof(fd));
	return sendmsg(j->fd, &m, MSG_NOSIGNAL) == 1;
}

/* All of n bytes in time; false: there are fewer. */
bool
jail_read(int fd, void *out, size_t n)
{
	char *to = out;

	while (n) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int r = poll(&p, 1, WAIT_MS);
		ssize_t got = r > 0 ? read(fd, to, n) : r;

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		to += got;
		n -= (size_t)got;
	}
	return true;
}

enum prof_status
jail_rows(struct jail *j, int fd, struct rows **out, struct prof_err *err)
{
	struct answer head;
	enum prof_status st;
	int answer[2];

	*out = NULL;
	if (pipe2(answer, O_CLOEXEC) < 0)
		return prof_fail(err, PROF_EIO, "pipe: %s", strerror(errno));
	if (!ask(j, fd, answer[1]))
		st = prof_fail(err, PROF_EIO,
			       "the process that reads it is gone");
	else
		st = PROF_OK;
	close(answer[1]);
	if (st == PROF_OK && !jail_read(answer[0], &head, sizeof(head)))
		st = prof_fail(err, PROF_ELIMIT,
			       "the process that read it was ended: it took "
			       "too much time or memory, or tried more than "
			       "to read");
	else if (st == PROF_OK && head.status != PROF_OK) {
		head.msg[sizeof(head.msg) - 1] = '\0';
		st = prof_fail(err, PROF_EFORMAT, "%s", head.msg);
		if (head.status == PROF_ELIMIT && err)
			st = err->status = PROF_ELIMIT;
	} else if (st == PROF_OK) {
		st = rows_receive(answer[0], out, err);
	}
	close(answer[0]);
	return st;
}
