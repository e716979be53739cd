/* fdpass.c - see fdpass.h. */
#include "config.h"

#include "fdpass.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

union control {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(FDPASS_MAX * sizeof(int))];
};

bool
fdpass_send(int socket, const void *data, size_t n, const int *fd, size_t n_fd)
{
	union control control = { 0 };
	struct iovec io = { .iov_len = n };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1 };
	ssize_t sent;

	memcpy(&io.iov_base, &data, sizeof(data)); /* without its const */
	if (n_fd) {
		struct cmsghdr *c = &control.head;

		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n_fd * sizeof(*fd));
		memcpy(CMSG_DATA(c), fd, n_fd * sizeof(*fd));
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(n_fd * sizeof(*fd));
	}
	do
		sent = sendmsg(socket, &m, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)n;
}

static ssize_t
receive(int socket, int flags, void *data, size_t n, int fd[FDPASS_MAX],
	size_t *n_fd)
{
	union control control;
	struct iovec io = { data, n };
	struct msghdr m = { .msg_iov = &io,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	const struct cmsghdr *c;
	ssize_t got;

	*n_fd = 0;
	do
		got = recvmsg(socket, &m, MSG_CMSG_CLOEXEC | flags);
	while (got < 0 && errno == EINTR);
	c = got > 0 ? CMSG_FIRSTHDR(&m) : NULL;
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
		*n_fd = (c->cmsg_len - CMSG_LEN(0)) / sizeof(*fd);
		memcpy(fd, CMSG_DATA(c), *n_fd * sizeof(*fd));
	}
	if (!(m.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
		return got;
	while (*n_fd)
		close(fd[--*n_fd]);
	errno = EMSGSIZE;
	return -1;
}

ssize_t
fdpass_receive(int socket, void *data, size_t n, int fd[FDPASS_MAX],
	       size_t *n_fd)
{
	return receive(socket, 0, data, n, fd, n_fd);
}

int
fdpass_wrap(int fd)
{
	int end[2] = { -1, -1 };

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end) == 0 &&
	    !fdpass_send(end[1], "", 1, &fd, 1)) {
		close(end[0]);
		end[0] = -1;
	}
	if (end[1] >= 0)
		close(end[1]);
	close(fd);
	return end[0];
}

int
fdpass_unwrap(int parcel)
{
	int fd[FDPASS_MAX];
	size_t n = 0;
	char byte;

	if (receive(parcel, MSG_PEEK | MSG_DONTWAIT, &byte, 1, fd, &n) == 1 &&
	    n == 1)
		return fd[0];
	while (n)
		close(fd[--n]);
	return -1;
}
