/*
 * symbold.c - a server that knows names, for symbolize-remote.t, with good and
 * bad manners: symbold FOLDER LOG
 *
 * It listens on a free port of 127.0.0.1, prints its number, and writes each
 * request to LOG: method, path, body. It ends when its parent does. Of a path
 * /HOW/FILE/pprof/PAGE, FILE of FOLDER is the answer, unless the page is
 * "symbol", when it depends on HOW:
 *
 *	ok       f_ADDRESS is the name of each	none     says it has no symbols
 *	noget    takes POST alone		refuse   takes nothing
 *	html     a page for people		move     a redirection to ok
 *	hang     no answer to POST		endless  no end of it
 *	cut      shorter than said		noise    bytes
 *	more     what was not asked for, and names that are hard to read
 */
#include "config.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/lib/server.h"

static char request[1 << 20];

static void
say(int fd, const char *status, const char *fields)
{
	char head[8300];

	snprintf(head, sizeof(head),
		 "HTTP/1.1 %s\r\nConnection: close\r\n%s\r\n", status, fields);
	server_put(fd, head, strlen(head));
}

static void
say_file(int fd, const char *folder, const char *name)
{
	static char data[1 << 20];
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "rb");
	say(fd, f ? "200 OK" : "404 Not Found", "");
	if (f)
		server_put(fd, data, fread(data, 1, sizeof(data), f));
	_exit(0);
}

/* "0xA\tf_A" for each address of the question. */
static void
say_names(int fd, char *question, const char *prefix, const char *end)
{
	char *addr, line[100];

	while ((addr = strsep(&question, "+"))) {
		snprintf(line, sizeof(line), "%s%.20s\tf_%.20s%s", prefix, addr,
			 addr + 2, end);
		server_put(fd, line, strlen(line));
	}
}

static void
say_noise(int fd)
{
	static char noise[1 << 20];
	unsigned x = 12345;

	for (size_t i = 0; i < sizeof(noise); i++) {
		x = x * 1103515245 + 12345;
		noise[i] = "0x1a4 \t\n\r\377zq%"[(x >> 16) % 13];
	}
	server_put(fd, noise, sizeof(noise));
}

static void
answer_symbol(int fd, const char *how, bool is_post, char *body, char *rest)
{
	char to[8200];

	if (!strcmp(how, "refuse") || (!strcmp(how, "noget") && !is_post)) {
		say(fd, "405 Method Not Allowed", "Content-Length: 0\r\n");
	} else if (!strcmp(how, "html")) {
		say(fd, "200 OK", "");
		server_put(fd, "<html>0 hello</html>", 20);
	} else if (!strcmp(how, "move")) {
		snprintf(to, sizeof(to), "Location: /ok/%s\r\n", rest);
		say(fd, "302 Found", to);
	} else if (!is_post) {
		say(fd, "200 OK", "");
		dprintf(fd, "num_symbols: %d\n", strcmp(how, "none") != 0);
	} else if (!strcmp(how, "hang")) {
		pause();
	} else if (!strcmp(how, "cut")) {
		say(fd, "200 OK", "Content-Length: 1000000\r\n");
		say_names(fd, body, "", "\n");
	} else if (!strcmp(how, "noise")) {
		say(fd, "200 OK", "");
		say_noise(fd);
	} else if (!strcmp(how, "endless")) {
		say(fd, "200 OK", "");
		for (;;)
			say_noise(fd);
	} else if (!strcmp(how, "more")) {
		say(fd, "200 OK", "");
		server_put(fd, "num_symbols: 1\n0x1\tone\n0x\n---\n\n", 32);
		say_names(fd, body, "see 0xz ", "<0x7> \r\n");
		server_put(fd, "0x2 two", 7);
	} else {
		say(fd, "200 OK", "");
		say_names(fd, body, "", "\n");
	}
}

static void
receive(int fd)
{
	size_t n = 0, want = 0;
	char *head, *length;

	do {
		ssize_t got = read(fd, request + n, sizeof(request) - 1 - n);

		if (got <= 0)
			_exit(0);
		n += (size_t)got;
		request[n] = 0;
		head = strstr(request, "\r\n\r\n");
		length = strcasestr(request, "Content-Length: ");
		want = length ? strtoul(length + 16, NULL, 10) : 0;
	} while (!head || n < (size_t)(head + 4 - request) + want);
}

static void
serve(int fd, const char *folder, const char *log)
{
	bool is_post;
	char *body, *path, *end, *how, *file, *rest, *line;

	receive(fd);
	body = strstr(request, "\r\n\r\n") + 4;
	is_post = !strncmp(request, "POST ", 5);
	path = strchr(request, ' ') + 1;
	end = strstr(path, " HTTP/");
	if (!end || *path != '/')
		_exit(0);
	*end = 0;
	if (asprintf(&line, "%s %s %s\n", is_post ? "POST" : "GET", path,
		     body) < 0)
		_exit(2);
	server_log(log, line);
	free(line);
	path[strcspn(path, "?")] = 0;
	how = strsep(&path, "/") ? strsep(&path, "/") : NULL;
	if (!how || !path)
		_exit(0);
	rest = strdup(path);
	file = strsep(&path, "/");
	if (path && strstr(path, "symbol"))
		answer_symbol(fd, how, is_post, body, rest);
	else
		say_file(fd, folder, file);
	_exit(0);
}

int
main(int argc, char **argv)
{
	int s;

	if (argc != 3) {
		fprintf(stderr, "usage: symbold FOLDER LOG\n");
		return 2;
	}
	s = server_listen("symbold");
	server_end_with_parent(300);
	signal(SIGCHLD, SIG_IGN);
	fclose(stdout);
	for (;;) {
		int fd = accept(s, NULL, NULL);

		if (fd < 0 || fork() != 0) {
			close(fd);
			continue;
		}
		server_end_with_parent(60);
		close(s);
		serve(fd, argv[1], argv[2]);
	}
}
