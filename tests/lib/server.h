/*
 * server.h - shared by the servers of tests: a socket of 127.0.0.1, a log of
 * requests, a process for each connection that ends with its client.
 */
#ifndef SERVER_H
#define SERVER_H

#include <stddef.h>

/*
 * Listen on a free port of 127.0.0.1 and print its number, a line. Returns the
 * socket; what fails is printed after name, and the process exits with
 * status 2.
 */
int server_listen(const char *name);

/* End with the parent, and after that many seconds at most. */
void server_end_with_parent(unsigned seconds);

/* In the process of a connection: write n bytes; the process ends if the client
 * has gone. */
void server_put(int fd, const char *p, size_t n);

/* Append line to the file log, in one piece, as other processes do so, too. The
 * process exits with status 2 if that fails. */
void server_log(const char *log, const char *line);

#endif
