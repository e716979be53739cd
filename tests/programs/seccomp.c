/*
 * seccomp.c - run a command as in a container: under a seccomp filter that root
 * installed, without CAP_SYS_ADMIN.
 *
 *	seccomp allow|errno|kill COMMAND...	what process_vm_readv(2) and
 *						_writev(2) get; status 77: not
 *						possible here
 *	seccomp sees				is the filter here, if any, such
 *						that libsample makes the call?
 */
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "seccomp.h"

static bool
is_admin(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	return syscall(SYS_capget, &header, data) != 0 ||
	       data[0].permitted >> CAP_SYS_ADMIN & 1;
}

static int
sees(void)
{
	char from = 1, to = 0;
	struct iovec source = { &from, 1 }, target = { &to, 1 };
	int status = 1;
	pid_t pid;

	if (prctl(PR_GET_SECCOMP) == SECCOMP_MODE_DISABLED)
		return 0;
	if (is_admin() || prctl(PR_GET_NO_NEW_PRIVS, 0L, 0L, 0L, 0L) != 0)
		return 1;
	pid = fork();
	if (pid == 0)
		_exit(process_vm_readv(getpid(), &target, 1, &source, 1, 0) !=
			      1 ||
		      process_vm_writev(getpid(), &source, 1, &target, 1, 0) !=
			      1);
	return pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0;
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned action = !strcmp(what, "kill")    ? SECCOMP_RET_KILL_PROCESS
			  : !strcmp(what, "errno") ? SECCOMP_RET_ERRNO | EPERM
						   : SECCOMP_RET_ALLOW;

	if (!strcmp(what, "sees"))
		return sees();
	if (argc < 3) {
		fprintf(stderr, "usage: seccomp sees | allow|errno|kill "
				"COMMAND...\n");
		return 2;
	}
	if (prctl(PR_GET_NO_NEW_PRIVS, 0L, 0L, 0L, 0L) != 0 ||
	    !filter_install(action) ||
	    prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN) != 0)
		return 77;
	execvp(argv[2], argv + 2);
	return 2;
}
