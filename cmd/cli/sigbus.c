/* sigbus.c - see sigbus.h. */
#include "config.h"

#include "sigbus.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static const char *program;

static void
on_bus_error(int sig, siginfo_t *info, void *context)
{
	static const char text[] =
		": a file was cut, or failed, while it was read\n";

	(void)context;
	/* Another process has sent it. */
	if (info->si_code <= 0) {
		signal(sig, SIG_DFL);
		raise(sig);
		return;
	}
	(void)!write(STDERR_FILENO, program, strlen(program));
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(CLI_TROUBLE);
}

void
sigbus_catch(const char *name)
{
	struct sigaction act = { .sa_sigaction = on_bus_error,
				 .sa_flags = SA_SIGINFO };

	program = name;
	sigaction(SIGBUS, &act, NULL);
}
