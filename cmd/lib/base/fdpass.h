/* fdpass.h - messages with descriptors, over a socket of SOCK_SEQPACKET. */
#ifndef FDPASS_H
#define FDPASS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define FDPASS_MAX 2 /* descriptors of a message */

/* Send n > 0 bytes and n_fd descriptors, which stay open here. false: the other
 * side is gone. */
bool fdpass_send(int socket, const void *data, size_t n, const int *fd,
		 size_t n_fd);

/*
 * Wait for a message of at most n bytes. Returns its size; 0 or -1: the other
 * side is gone, or it sent something else, or, with EAGAIN, SO_RCVTIMEO is over.
 * The *n_fd descriptors in fd are the caller's, close-on-exec.
 */
ssize_t fdpass_receive(int socket, void *data, size_t n, int fd[FDPASS_MAX],
		       size_t *n_fd);

#endif
