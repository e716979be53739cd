/* wrap.h - functions of libc that libsample stands in front of; see wrap.c. */
#ifndef WRAP_H
#define WRAP_H

#include <pthread.h>

/* Find libc's functions; see real.h. Only the first call does something. */
void wrap_init(void);

/* Make sig the signal of the sampler: install the handler, past our own
 * sigaction(). Returns 0, or -1 with errno. Not for signal handlers. */
int wrap_handle(int sig);

/* Start a thread that is not sampled. Returns as pthread_create() does. */
int wrap_thread(pthread_t *thread, const pthread_attr_t *attr,
		void *(*start)(void *));

#endif
