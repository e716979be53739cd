/*
 * address.c - see address.h. Ports are numbers, as service names differ between
 * machines.
 */
#include "config.h"

#include "address.h"

#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Split "[HOST:]PORT" in place: *host is NULL if there is none. */
static char *
split_port(char *where, char **host)
{
	char *colon = strrchr(where, ':');
	size_t n;

	*host = NULL;
	if (!colon)
		return where;
	*colon = '\0';
	n = strlen(where);
	if (n > 2 && where[0] == '[' && where[n - 1] == ']') {
		where[n - 1] = '\0';
		where++;
	}
	if (*where)
		*host = where;
	return colon + 1;
}

static bool
is_port(const char *text)
{
	size_t n = strspn(text, "0123456789");

	return n && !text[n] && n < 6 && atoi(text) < 65536;
}

/* A listening socket at one of the addresses; -1 with errno. */
static int
bind_one(const struct addrinfo *ai)
{
	int one = 1, saved, fd;

	for (; ai; ai = ai->ai_next) {
		fd = socket(ai->ai_family,
			    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (fd < 0)
			continue;
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		if (bind(fd, ai->ai_addr, ai->ai_addrlen) == 0 &&
		    listen(fd, SOMAXCONN) == 0)
			return fd;
		saved = errno;
		close(fd);
		errno = saved;
	}
	return -1;
}

static void
name_address(int fd, char name[ADDRESS_MAX])
{
	struct sockaddr_storage sa;
	socklen_t n = sizeof(sa);
	char host[NI_MAXHOST] = "", port[NI_MAXSERV] = "";
	bool is_v6;

	if (getsockname(fd, (struct sockaddr *)&sa, &n) == 0)
		getnameinfo((struct sockaddr *)&sa, n, host, sizeof(host), port,
			    sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	is_v6 = strchr(host, ':');
	snprintf(name, ADDRESS_MAX, "%s%s%s:%s", is_v6 ? "[" : "", host,
		 is_v6 ? "]" : "", port);
}

enum prof_status
address_listen(const char *where, int *fd, char name[ADDRESS_MAX],
	       struct prof_err *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_NUMERICSERV };
	struct addrinfo *ai = NULL;
	char *text = strdup(where), *named, *port;
	const char *host;
	int rc;

	*fd = -1;
	if (!text)
		return prof_nomem(err);
	port = split_port(text, &named);
	host = named ? named : "127.0.0.1";
	if (!strcmp(host, "*")) {
		hints.ai_flags |= AI_PASSIVE;
		host = NULL;
	}
	rc = is_port(port) ? getaddrinfo(host, port, &hints, &ai) : EAI_SERVICE;
	free(text);
	if (rc != 0)
		return prof_fail(err, PROF_EUSAGE,
				 "'%s' is not [HOST:]PORT: %s", where,
				 rc == EAI_SERVICE ? "a port is a number up to "
						     "65535"
						   : gai_strerror(rc));
	*fd = bind_one(ai);
	freeaddrinfo(ai);
	if (*fd < 0)
		return prof_fail(err, PROF_EIO, "cannot listen at %s: %s",
				 where, strerror(errno));
	name_address(*fd, name);
	return PROF_OK;
}

char *
address_host(const char *where)
{
	char *text = strdup(where), *host, *copy = NULL;

	if (!text)
		return NULL;
	split_port(text, &host);
	if (host && strcmp(host, "*") != 0)
		copy = strdup(host);
	free(text);
	return copy;
}
