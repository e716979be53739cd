/*
 * httpd.c - a server with bad manners, for the tests of prof-fetch:
 *
 *	httpd FOLDER KIND LOG [PORTS]
 *
 * It listens on free ports of 127.0.0.1, one unless PORTS says how many,
 * prints their numbers, and writes what it is asked for to LOG, a line each.
 * The first word of a path says how to answer, the rest what with: F is a file
 * of FOLDER. It ends when its parent does.
 *
 *	/file/F     F, properly        /gzip/F   F, said to be packed
 *	/dribble/F  in small pieces    /cut/F    half of it
 *	/short/F    less than said     /long/F   more than said
 *	/stay/F     all, never closed  /wait/MS/F  after so many milliseconds
 *	/chunks/F   F in chunks, but the last chunk is missing
 *	/length/L/F F, said to have L bytes
 *	/busy/N/F   F, when asked more than N times; 503 before
 *	/broken/N/F the same, but the connection breaks before
 *	/later/S    503, come back in S seconds
 *	/status/N   an error           /go/N     an error of a Go server
 *	/html       an error as a page /escape   one that steers a terminal
 *	/to/U       a redirection to /U, /goto/URL to anything, /loop to itself
 *	/moved      a redirection with an endless body
 *	/hang       no answer          /stall    only the beginning of one
 *	/loris      a header a letter at a time, without end
 *	/trickle    a body of that kind
 *	/headers    headers without end, /continue replies without end
 *	/endless    no end             /refuse   an endless error
 *	/bomb       5 GB of zeros in a gzip stream, /zbomb packed by HTTP
 *	/chunk/SIZE a chunk of that size, that isn't there
 *	/close      nothing at all     /garbage  another protocol
 *
 * /debug/pprof/profile is there if KIND is go, /pprof/profile if it is gperf,
 * /pprof/heap in any case, and /bare/pprof/ has a heap of a server whose
 * program only cmdline tells.
 */
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/lib/server.h"

#define MAX_PORTS 1000

static const char *folder, *kind, *log_name;
static char asked[4200]; /* path and query */

static const char plain[] = "Content-Type: text/plain; charset=utf-8\r\n";

static void
puts_to(int fd, const char *text)
{
	server_put(fd, text, strlen(text));
}

/* length < 0: none is given. */
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
	server_put(fd, text, (size_t)n);
}

static void
say(int fd, const char *status, const char *fields, const char *body)
{
	head(fd, status, fields, (long)strlen(body));
	puts_to(fd, body);
}

/* --- files --- */

static char data[1 << 20];

/* Read a file of the folder into data; false, and an answer: there is none. */
static bool
load(int fd, const char *name, size_t *n)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = strstr(name, "..") ? NULL : fopen(path, "rb");
	if (!f) {
		say(fd, "404 Not Found", plain, "404 page not found\n");
		return false;
	}
	*n = fread(data, 1, sizeof(data), f);
	fclose(f);
	return true;
}

static void
file(int fd, const char *name)
{
	size_t n;

	if (!load(fd, name, &n))
		return;
	head(fd, "200 OK", "", (long)n);
	server_put(fd, data, n);
}

static void
gzip(int fd, const char *name)
{
	size_t n;

	if (!load(fd, name, &n))
		return;
	head(fd, "200 OK", "Content-Encoding: gzip\r\n", (long)n);
	server_put(fd, data, n);
}

static void
dribble(int fd, const char *name)
{
	size_t n;

	if (!load(fd, name, &n))
		return;
	head(fd, "200 OK", "", -1);
	for (size_t i = 0; i < 50 && i < n; i++) {
		server_put(fd, data + i, 1);
		usleep(2000);
	}
	server_put(fd, data + 50, n - 50);
}

static void
cut(int fd, const char *name)
{
	size_t n;

	if (!load(fd, name, &n))
		return;
	head(fd, "200 OK", "", -1);
	server_put(fd, data, n / 2);
}

static void
short_of(int fd, const char *name)
{
	size_t n;

	if (!load(fd, name, &n))
		return;
	head(fd, "200 OK", "", (long)n + 1000);
	server_put(fd, data, n);
}

static void
longer(int fd, const char *name)
{
	size_t n;

	if (!load(fd, name, &n))
		return;
	head(fd, "200 OK", "", (long)n - 10);
	server_put(fd, data, n);
}

static void
stay(int fd, const char *name)
{
	size_t n;

	if (!load(fd, name, &n))
		return;
	head(fd, "200 OK", "", (long)n);
	server_put(fd, data, n);
	pause();
}

static void
chunks(int fd, const char *name)
{
	char size[40];
	size_t n;

	if (!load(fd, name, &n))
		return;
	head(fd, "200 OK", "Transfer-Encoding: chunked\r\n", -1);
	snprintf(size, sizeof(size), "%zx\r\n", n);
	puts_to(fd, size);
	server_put(fd, data, n);
	puts_to(fd, "\r\n");
}

/* Cut "WORD/REST" in two: the rest, or "". */
static const char *
second(char *rest)
{
	char *slash = strchr(rest, '/');

	if (!slash)
		return "";
	*slash = 0;
	return slash + 1;
}

static void
length(int fd, char *rest)
{
	const char *name = second(rest);
	char field[200];
	size_t n;

	if (!load(fd, name, &n))
		return;
	snprintf(field, sizeof(field), "Content-Length: %.100s\r\n", rest);
	head(fd, "200 OK", field, -1);
	server_put(fd, data, n);
}

static void
wait_for(int fd, char *rest)
{
	const char *name = second(rest);

	usleep((useconds_t)atoi(rest) * 1000);
	file(fd, name);
}

/* How often the present path was asked for. */
static int
times_asked(void)
{
	FILE *f = fopen(log_name, "r");
	char line[4300];
	int n = 0;

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		n += !strcmp(line, asked);
	}
	if (f)
		fclose(f);
	return n;
}

static void
busy(int fd, char *rest)
{
	const char *name = second(rest);

	if (times_asked() > atoi(rest))
		file(fd, name);
	else
		say(fd, "503 Busy", plain, "come back\n");
}

static void
reset(int fd)
{
	struct linger now = { .l_onoff = 1 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(fd);
	_exit(0);
}

static void
broken(int fd, char *rest)
{
	const char *name = second(rest);

	if (times_asked() > atoi(rest))
		file(fd, name);
	else
		reset(fd);
}

/* --- refusals and redirections --- */

static void
status(int fd, const char *code)
{
	char line[100];

	snprintf(line, sizeof(line), "%.50s Oops", code);
	say(fd, line, plain, "text\n");
}

static void
later(int fd, const char *seconds)
{
	char field[100];

	snprintf(field, sizeof(field), "Retry-After: %.50s\r\n", seconds);
	say(fd, "503 Busy", field, "come back\n");
}

static void
go(int fd, const char *code)
{
	char line[100];

	snprintf(line, sizeof(line), "%.50s Bad Request", code);
	say(fd, line,
	    "Content-Type: text/plain; charset=utf-8\r\nX-Go-Pprof: 1\r\n",
	    "profiling already in use\n");
}

static void
html(int fd)
{
	say(fd, "502 Bad Gateway", "Content-Type: text/html\r\n",
	    "<html><h1>Bad Gateway</h1></html>\n");
}

static void
escape(int fd)
{
	head(fd, "500 \033[31mred", plain, -1);
	puts_to(fd, "two\r\n\tlines \302\233 and more");
	for (int i = 0; i < 1000; i++)
		puts_to(fd, " word");
}

static void
redirect(int fd, const char *slash, const char *where)
{
	char field[1000];

	snprintf(field, sizeof(field), "Location: %s%.900s\r\n", slash, where);
	say(fd, "302 Found", field, "over there\n");
}

static void
to(int fd, const char *where)
{
	redirect(fd, "/", where);
}

static void
go_to(int fd, const char *where)
{
	redirect(fd, "", where);
}

static void
loop(int fd)
{
	redirect(fd, "", "/loop");
}

/* --- what has no end --- */

static void
repeat(int fd, const char *text, useconds_t pause_us)
{
	for (;;) {
		puts_to(fd, text);
		if (pause_us)
			usleep(pause_us);
	}
}

static void
zeros(int fd)
{
	memset(data, 0, sizeof(data));
	for (;;)
		server_put(fd, data, sizeof(data));
}

static void
moved(int fd)
{
	head(fd, "302 Found", "Location: /moved\r\n", -1);
	zeros(fd);
}

static void
hang(int fd)
{
	(void)fd;
	pause();
}

static void
stall(int fd)
{
	head(fd, "200 OK", "", 100);
	puts_to(fd, "some");
	pause();
}

static void
loris(int fd)
{
	puts_to(fd, "HTTP/1.1 200 OK\r\nX-Slow: ");
	repeat(fd, "x", 50000);
}

static void
trickle(int fd)
{
	head(fd, "200 OK", "", 1000000);
	repeat(fd, "x", 50000);
}

static void
headers(int fd)
{
	puts_to(fd, "HTTP/1.1 200 OK\r\n");
	repeat(fd, "X-Field: and one more\r\n", 0);
}

static void
go_on(int fd)
{
	repeat(fd, "HTTP/1.1 100 Continue\r\n\r\n", 0);
}

static void
endless(int fd)
{
	head(fd, "200 OK", "", -1);
	zeros(fd);
}

static void
refuse(int fd)
{
	head(fd, "500 Oops", "", -1);
	zeros(fd);
}

/* Zeros packed once, up to a point where they can be repeated. */
static void
explode(int fd)
{
	static const char magic[10] = { 31, (char)139, 8 };
	static char packed[1 << 17];
	z_stream z = { .next_in = (Bytef *)data,
		       .avail_in = sizeof(data),
		       .next_out = (Bytef *)packed,
		       .avail_out = sizeof(packed) };

	memset(data, 0, sizeof(data));
	if (deflateInit2(&z, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		_exit(2);
	deflate(&z, Z_FULL_FLUSH);
	server_put(fd, magic, sizeof(magic));
	for (int i = 0; i < 5000; i++)
		server_put(fd, packed, sizeof(packed) - z.avail_out);
}

static void
bomb(int fd)
{
	head(fd, "200 OK", "", -1);
	explode(fd);
}

static void
zbomb(int fd)
{
	head(fd, "200 OK", "Content-Encoding: gzip\r\n", -1);
	explode(fd);
}

static void
chunk(int fd, const char *size)
{
	head(fd, "200 OK", "Transfer-Encoding: chunked\r\n", -1);
	puts_to(fd, size);
	puts_to(fd, "\r\nsome");
}

static void
garbage(int fd)
{
	puts_to(fd, "SSH-2.0-OpenSSH_9.2p1\r\n");
}

/* --- requests --- */

static void
answer(int fd, char *path)
{
	static const struct {
		const char *word;
		void (*bare)(int fd);
		void (*with)(int fd, const char *rest);
		void (*cut)(int fd, char *rest);
	} pages[] = {
		{ "file", .with = file },       { "gzip", .with = gzip },
		{ "dribble", .with = dribble }, { "cut", .with = cut },
		{ "short", .with = short_of },  { "long", .with = longer },
		{ "stay", .with = stay },       { "chunks", .with = chunks },
		{ "length", .cut = length },    { "wait", .cut = wait_for },
		{ "busy", .cut = busy },        { "broken", .cut = broken },
		{ "later", .with = later },     { "status", .with = status },
		{ "go", .with = go },           { "html", .bare = html },
		{ "escape", .bare = escape },   { "to", .with = to },
		{ "goto", .with = go_to },      { "loop", .bare = loop },
		{ "moved", .bare = moved },     { "hang", .bare = hang },
		{ "stall", .bare = stall },     { "loris", .bare = loris },
		{ "trickle", .bare = trickle }, { "headers", .bare = headers },
		{ "continue", .bare = go_on },  { "endless", .bare = endless },
		{ "refuse", .bare = refuse },   { "bomb", .bare = bomb },
		{ "zbomb", .bare = zbomb },     { "chunk", .with = chunk },
		{ "close", .bare = reset },     { "garbage", .bare = garbage },
	};
	size_t n = strcspn(path + 1, "/");
	char *rest = path[n + 1] ? path + n + 2 : path + n + 1;

	if (!strcmp(path, "/debug/pprof/profile") && !strcmp(kind, "go")) {
		file(fd, "good-go-cpu.pb.gz");
		return;
	}
	if (!strcmp(path, "/pprof/profile") && !strcmp(kind, "gperf")) {
		file(fd, "good-gperf-cpu.prof");
		return;
	}
	if (!strcmp(path, "/pprof/heap")) {
		file(fd, "good-gperf-heap.txt");
		return;
	}
	if (!strcmp(path, "/bare/pprof/heap")) {
		file(fd, "good-heap-v1.txt");
		return;
	}
	if (!strcmp(path, "/bare/pprof/cmdline")) {
		say(fd, "200 OK", "", "/usr/bin/a server\n--password=secret\n");
		return;
	}
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		if (strlen(pages[i].word) != n ||
		    strncmp(path + 1, pages[i].word, n))
			continue;
		if (pages[i].bare)
			pages[i].bare(fd);
		else if (pages[i].with)
			pages[i].with(fd, rest);
		else
			pages[i].cut(fd, rest);
		return;
	}
	file(fd, "none");
}

static void
serve(int fd)
{
	char request[8192], line[4300], *end, *path;
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
	    *path != '/' || end - path >= (ptrdiff_t)sizeof(asked))
		_exit(0);
	*end = 0;
	strcpy(asked, path);
	snprintf(line, sizeof(line), "%s\n", asked);
	server_log(log_name, line);
	path[strcspn(path, "?")] = 0;
	answer(fd, path);
	_exit(0);
}

int
main(int argc, char **argv)
{
	static struct pollfd port[MAX_PORTS];
	int n = argc == 5 ? atoi(argv[4]) : 1;

	if (argc < 4 || n < 1 || n > MAX_PORTS) {
		fprintf(stderr, "usage: httpd FOLDER KIND LOG [PORTS]\n");
		return 2;
	}
	folder = argv[1];
	kind = argv[2];
	log_name = argv[3];
	server_end_with_parent(300);
	signal(SIGCHLD, SIG_IGN);
	for (int i = 0; i < n; i++)
		port[i] = (struct pollfd){ server_listen("httpd"), POLLIN, 0 };
	fclose(stdout);
	for (;;) {
		poll(port, (nfds_t)n, -1);
		for (int i = 0; i < n; i++) {
			int fd = port[i].revents
					 ? accept(port[i].fd, NULL, NULL)
					 : -1;

			if (fd >= 0 && fork() == 0) {
				server_end_with_parent(60);
				serve(fd);
			}
			if (fd >= 0)
				close(fd);
		}
	}
}
