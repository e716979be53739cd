/*
 * rude.c - a client with bad manners, for listen.t: rude PORT HOW [N]
 *
 *	send	send standard input as it is, print the first line of the
 *		answer, "closed" if there is none
 *	ask	the same, and print all of the answer
 *	half N	N connections that send half a request each, and
 *	stall N	N that ask for a page and do not read it: say "ready" and hold
 *		them until standard input ends
 *	gone N	N that ask for a long profile and go away
 *	flood N	N that only connect, one after the other
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int
dial(const char *port)
{
	struct sockaddr_in sa = { .sin_family = AF_INET };
	struct timeval patience = { .tv_sec = 600 };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	sa.sin_port = htons((unsigned short)atoi(port));
	sa.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || connect(fd, (struct sockaddr *)&sa, sizeof(sa)) != 0) {
		perror("rude");
		exit(1);
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return fd;
}

static void
say(int fd, const char *data, size_t n)
{
	/* An answer may come, and the end, before all is said. */
	(void)!send(fd, data, n, MSG_NOSIGNAL);
}

static void
hold(const char *port, int n, const char *words)
{
	for (int i = 0; i < n; i++)
		say(dial(port), words, strlen(words));
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
}

/* Read the answer to its end, so that a reset comes from the other side. */
static void
send_input(const char *port, bool all)
{
	char data[65536];
	size_t n, used = 0;
	int fd = dial(port);
	ssize_t got;

	while ((n = fread(data, 1, sizeof(data), stdin)) > 0)
		say(fd, data, n);
	while ((got = read(fd, data, sizeof(data))) > 0) {
		if (all)
			fwrite(data, 1, (size_t)got, stdout);
		else if (!used)
			printf("%.*s\n", (int)strcspn(data, "\r\n"), data);
		used += (size_t)got;
	}
	if (!used)
		puts(got < 0 && errno == EAGAIN ? "silence" : "closed");
}

int
main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";
	int n = argc > 3 ? atoi(argv[3]) : 1;

	if (!strcmp(how, "send") || !strcmp(how, "ask")) {
		send_input(argv[1], how[0] == 'a');
	} else if (!strcmp(how, "half")) {
		hold(argv[1], n, "GET /pprof/cmdline HTTP/1.1\r\nHost: ");
	} else if (!strcmp(how, "stall")) {
		hold(argv[1], n, "GET /pprof/ HTTP/1.1\r\nHost: x\r\n\r\n");
	} else if (!strcmp(how, "gone")) {
		static const char words[] =
			"GET /debug/pprof/profile?seconds=3600 HTTP/1.1\r\n"
			"Host: x\r\n\r\n";

		for (int i = 0; i < n; i++) {
			int fd = dial(argv[1]);

			say(fd, words, sizeof(words) - 1);
			close(fd);
		}
	} else if (!strcmp(how, "flood")) {
		for (int i = 0; i < n; i++)
			close(dial(argv[1]));
	} else {
		fprintf(stderr, "usage: rude PORT HOW [N]\n");
		return 2;
	}
	return 0;
}
