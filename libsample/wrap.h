/* wrap.h - functions of libc that libsample stands in front of; see wrap.c. */
#ifndef WRAP_H
#define WRAP_H

/* Make sig the signal of the sampler: install the handler, past our own
 * sigaction(). Returns 0, or -1 with errno. Not for signal handlers. */
int wrap_handle(int sig);

#endif
