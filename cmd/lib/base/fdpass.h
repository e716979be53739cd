/*
 * fdpass.h - messages with descriptors, over a socket of SOCK_SEQPACKET. A
 * parcel is a socket in which a file waits: a process that has only that
 * can't be stopped by the file's server, which is asked by close(), too.
 */
#ifndef FDPASS_H
#define FDPASS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "status.h"

#define FDPASS_MAX 2 /* descriptors of a message */

/* Send n > 0 bytes and n_fd descriptors, which stay open here. false: the other
 * side is gone. */
bool fdpass_send(int socket, const void *data, size_t n, const int *fd,
		 size_t n_fd);

/*
 * Wait for a message of at most n bytes. Returns its size; 0 or -1: the other
 * side is gone, or it sent something else, or, with EAGAIN, SO_RCVTIMEO is
 * over. The *n_fd descriptors in fd are the caller's, close-on-exec.
 */
ssize_t fdpass_receive(int socket, void *data, size_t n, int fd[FDPASS_MAX],
		       size_t *n_fd);

/* Put fd into a parcel, and close it, even if that fails: -1. The parcel is the
 * caller's. */
int fdpass_wrap(int fd) MUST_USE;

/* The file in a parcel, which stays as it is; -1: that is no parcel. */
int fdpass_unwrap(int parcel) MUST_USE;

#endif
