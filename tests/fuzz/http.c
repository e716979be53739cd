/*
 * http.c - any bytes as the answer of a server, to prof-fetch's client. The
 * first byte selects the request. An accepted answer obeys the size limit, a
 * refused one has a message of one line.
 *
 * A thread is the server, and the proxy for all other hosts that an answer may
 * redirect to, so nothing leaves the machine.
 */
#include "config.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/fetch.h"

#define MAX_BYTES 100000
#define MAX_ANSWER 200000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* The answer to all requests. A connection that the client has given up may
 * still be served when the next answer is set. */
static struct {
	int listener;
	pthread_mutex_t lock;
	uint8_t data[MAX_ANSWER];
	size_t n;
} server = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Read the request up to its empty line, answer, and close. */
static void
answer(int fd)
{
	char request[8192];
	size_t n = 0;
	ssize_t got;

	while (n < sizeof(request) - 1 &&
	       (got = read(fd, request + n, sizeof(request) - 1 - n)) > 0) {
		n += (size_t)got;
		request[n] = '\0';
		if (strstr(request, "\r\n\r\n"))
			break;
	}
	pthread_mutex_lock(&server.lock);
	if (send(fd, server.data, server.n, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		n = 0;
	pthread_mutex_unlock(&server.lock);
	shutdown(fd, SHUT_WR);
	/* Closing with unread bytes would reset the connection. */
	while (read(fd, request, sizeof(request)) > 0)
		;
	close(fd);
}

static void *
serve(void *unused)
{
	int fd;

	(void)unused;
	while ((fd = accept(server.listener, NULL, NULL)) >= 0)
		answer(fd);
	abort();
}

/* Start the server, once; its URL. */
static const char *
begin(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(at);
	static char url[64];
	pthread_t thread;

	if (url[0])
		return url;
	server.listener = socket(AF_INET, SOCK_STREAM, 0);
	if (server.listener < 0 ||
	    bind(server.listener, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    listen(server.listener, 100) < 0 ||
	    getsockname(server.listener, (struct sockaddr *)&at, &len) < 0 ||
	    pthread_create(&thread, NULL, serve, NULL))
		abort();
	snprintf(url, sizeof(url), "http://127.0.0.1:%u", ntohs(at.sin_port));
	setenv("http_proxy", url, 1);
	setenv("https_proxy", url, 1);
	setenv("no_proxy", "127.0.0.1", 1);
	strcat(url, "/x");
	return url;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const char *url = begin();
	struct fetch_options o = { .timeout = 2, .max_bytes = MAX_BYTES };
	struct fetch f = { 0 };
	struct prof_err err;

	if (!n || n > MAX_ANSWER)
		return 0;
	pthread_mutex_lock(&server.lock);
	memcpy(server.data, data + 1, n - 1);
	server.n = n - 1;
	pthread_mutex_unlock(&server.lock);
	if (data[0] & 1)
		f.post = "0x1234";
	f.is_aside = data[0] & 2;
	if (source_parse(&f.source, url, &err) != PROF_OK)
		abort();
	fetch_all(&f, 1, &o);
	if (f.status == PROF_OK ? f.body.n > MAX_BYTES
				: !f.err.msg[0] || strchr(f.err.msg, '\n'))
		abort();
	fetch_release(&f);
	return 0;
}
