/* wrap.h - the functions of libc that libsample interposes; see wrap.c. */
#ifndef WRAP_H
#define WRAP_H

#include <pthread.h>

/* Look up libc's functions; see real.h. Only the first call has an effect. */
void wrap_init(void);

/* The same for the functions of exec.c; wrap_init() calls it. */
void exec_init(void);

/* Make sig the signal of the sampler: install the handler with libc's
 * sigaction(). Returns 0, or -1 with errno. Not for signal handlers. */
int wrap_handle(int sig);

/*
 * The same when sampling begins. If the program inherited sig ignored, another
 * signal is used: with a handler of ours, programs that this one executes would
 * inherit the default instead.
 */
int wrap_begin(int sig);

/* Start a thread that is not sampled. Returns as pthread_create() does. */
int wrap_thread(pthread_t *thread, const pthread_attr_t *attr,
		void *(*start)(void *));

/* libc's __register_atfork(); ENOSYS: this libc has none. */
int wrap_atfork(void (*prepare)(void), void (*parent)(void),
		void (*child)(void), void *object);

/* Around a fork, in the parent, and at its end in the child, too. */
void wrap_fork_prepare(void);
void wrap_fork_end(void);

#endif
