/*
 * sigmask.c - the signals that can interrupt the handler of SIGPROF, as the
 * kernel has it: libc's sigaction() and sigfillset() leave out libc's own. For
 * tests/record/handler.t, on x86_64.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int
main(void)
{
	struct {
		void *handler;
		unsigned long flags;
		void *restorer;
		uint64_t mask;
	} now;

	if (syscall(SYS_rt_sigaction, SIGPROF, NULL, &now, sizeof(now.mask)) !=
	    0) {
		perror("sigmask");
		return 2;
	}
	for (int sig = 1; sig <= 64; sig++)
		if (!(now.mask >> (sig - 1) & 1))
			printf("%d\n", sig);
	return 0;
}
