/* server.c - shared by the servers of tests; see server.h. */
#include "config.h"

#include "tests/lib/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

int
server_listen(const char *name)
{
	struct sockaddr_in addr = { .sin_family = AF_INET,
				    .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(addr);
	int s = socket(AF_INET, SOCK_STREAM, 0);

	if (s < 0 || bind(s, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    listen(s, 1000) < 0 ||
	    getsockname(s, (struct sockaddr *)&addr, &len) < 0) {
		perror(name);
		exit(2);
	}
	printf("%d\n", ntohs(addr.sin_port));
	return s;
}

void
server_end_with_parent(unsigned seconds)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	alarm(seconds);
}

void
server_put(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t w = write(fd, p, n);

		if (w <= 0)
			_exit(0);
		p += w;
		n -= (size_t)w;
	}
}

void
server_log(const char *log, const char *line)
{
	int fd = open(log, O_WRONLY | O_APPEND | O_CREAT, 0666);
	size_t n = strlen(line);

	if (fd < 0 || write(fd, line, n) != (ssize_t)n)
		_exit(2);
	close(fd);
}
