/*
 * httpd.c - a server with bad manners, for fetch.t: httpd FOLDER KIND LOG
 *
 * It listens on a free port of 127.0.0.1, prints its number, and writes what
 * it is asked for to LOG, a line each. The first word of a path says how to
 * answer, the rest what with: a file of FOLDER. It ends when its parent does.
 *
 *	/file/F     F, properly        /gzip/F   F, said to be packed
 *	/dribble/F  in small pieces    /cut/F    half of it
 *	/short/F    less than said     /long/F   more than said
 *	/status/N   an error           /go/N     an error of a Go server
 *	/to/U       a redirection      /loop     one to itself
 *	/hang       no answer          /stall    only the beginning of one
 *	/endless    no end             /refuse   an endless error
 *
 * /debug/pprof/profile is there if KIND is go, /pprof/profile if it is gperf.
 */
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

static const char *folder, *kind;

static void
put(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t w = write(fd, p, n);

		if (w <= 0)
			_exit(0);
		p += w;
		n -= (size_t)w;
	}
}

static void
head(int fd, const char *status, const char *fields, long length)
{
	char text[1024];
	int n = snprintf(text, sizeof(text), "HTTP/1.1 %s\r\n%s", status,
			 fields);

	if (length >= 0)
		n += snprintf(text + n, sizeof(text) - (size_t)n,
			      "Content-Length: %ld\r\n", length);
	n += snprintf(text + n, sizeof(text) - (size_t)n,
		      "Connection: close\r\n\r\n");
	put(fd, text, (size_t)n);
}

static void
say(int fd, const char *status, const char *fields, const char *body)
{
	head(fd, status, fields, (long)strlen(body));
	put(fd, body, strlen(body));
}

static void
endless(int fd)
{
	static const char zeros[65536];

	for (;;)
		put(fd, zeros, sizeof(zeros));
}

/* What is done with a file; how: the first word of the path. */
static void
file(int fd, const char *how, const char *name)
{
	static char data[1 << 20];
	char path[4096];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = strstr(name, "..") ? NULL : fopen(path, "rb");
	if (!f) {
		say(fd, "404 Not Found", "Content-Type: text/plain\r\n",
		    "404 page not found\n");
		return;
	}
	n = fread(data, 1, sizeof(data), f);
	fclose(f);
	if (!strcmp(how, "short")) {
		head(fd, "200 OK", "", (long)n + 1000);
	} else if (!strcmp(how, "long")) {
		head(fd, "200 OK", "", (long)n - 10);
	} else if (!strcmp(how, "cut")) {
		head(fd, "200 OK", "", -1);
		n /= 2;
	} else if (!strcmp(how, "gzip")) {
		head(fd, "200 OK", "Content-Encoding: gzip\r\n", (long)n);
	} else if (!strcmp(how, "dribble")) {
		head(fd, "200 OK", "", -1);
		for (size_t i = 0; i < 50 && i < n; i++) {
			put(fd, data + i, 1);
			usleep(2000);
		}
		put(fd, data + 50, n - 50);
		return;
	} else {
		head(fd, "200 OK", "", (long)n);
	}
	put(fd, data, n);
}

static void
answer(int fd, char *path)
{
	char *rest = strchr(path + 1, '/'), *query = strchr(path, '?');
	char line[8300];

	if (query)
		*query = 0;
	if (!strcmp(path, "/debug/pprof/profile") && !strcmp(kind, "go"))
		file(fd, "file", "good-go-cpu.pb.gz");
	else if (!strcmp(path, "/pprof/profile") && !strcmp(kind, "gperf"))
		file(fd, "file", "good-gperf-cpu.prof");
	else if (!strncmp(path, "/status/", 8))
		snprintf(line, sizeof(line), "%s Oops", path + 8),
			say(fd, line, "Content-Type: text/plain\r\n", "text\n");
	else if (!strncmp(path, "/go/", 4))
		snprintf(line, sizeof(line), "%s Bad Request", path + 4),
			say(fd, line,
			    "Content-Type: text/plain; charset=utf-8\r\n"
			    "X-Go-Pprof: 1\r\n",
			    "profiling already in use\n");
	else if (!strncmp(path, "/to/", 4))
		snprintf(line, sizeof(line), "Location: %s\r\n", path + 3),
			say(fd, "302 Found", line, "over there\n");
	else if (!strcmp(path, "/loop"))
		say(fd, "302 Found", "Location: /loop\r\n", "");
	else if (!strcmp(path, "/hang"))
		pause();
	else if (!strcmp(path, "/stall"))
		head(fd, "200 OK", "", 100), put(fd, "some", 4), pause();
	else if (!strcmp(path, "/endless"))
		head(fd, "200 OK", "", -1), endless(fd);
	else if (!strcmp(path, "/refuse"))
		head(fd, "500 Oops", "", -1), endless(fd);
	else if (rest)
		*rest = 0, file(fd, path + 1, rest + 1);
	else
		file(fd, "file", "none");
}

static void
serve(int fd, const char *log)
{
	char request[8192], line[4200], *end, *path;
	size_t n = 0;
	ssize_t got;

	do {
		got = read(fd, request + n, sizeof(request) - 1 - n);
		if (got <= 0)
			_exit(0);
		n += (size_t)got;
		request[n] = 0;
	} while (!strstr(request, "\r\n\r\n"));
	end = strstr(request, " HTTP/");
	/* As a proxy we are asked for the whole URL. */
	path = strncmp(request, "GET http://", 11) ? request + 4
						   : strchr(request + 11, '/');
	if (!end || !path || strncmp(request, "GET ", 4) || path >= end ||
	    *path != '/' || end - request > 400)
		_exit(0);
	*end = 0;
	n = (size_t)snprintf(line, sizeof(line), "%s\n", path);
	int to = open(log, O_WRONLY | O_APPEND | O_CREAT, 0666);
	if (to < 0 || write(to, line, n) < 0)
		_exit(2);
	close(to);
	answer(fd, path);
	_exit(0);
}

int
main(int argc, char **argv)
{
	struct sockaddr_in addr = { .sin_family = AF_INET,
				    .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(addr);
	int s = socket(AF_INET, SOCK_STREAM, 0);

	if (argc != 4 || s < 0 ||
	    bind(s, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    listen(s, 1000) < 0 ||
	    getsockname(s, (struct sockaddr *)&addr, &len) < 0) {
		perror("httpd FOLDER KIND LOG");
		return 2;
	}
	folder = argv[1];
	kind = argv[2];
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	alarm(300);
	signal(SIGCHLD, SIG_IGN);
	printf("%d\n", ntohs(addr.sin_port));
	fclose(stdout);
	for (;;) {
		int fd = accept(s, NULL, NULL);

		if (fd < 0 || fork() != 0) {
			close(fd);
			continue;
		}
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		alarm(60);
		close(s);
		serve(fd, argv[3]);
	}
}
