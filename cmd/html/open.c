/* open.c - see open.h. */
#include "config.h"

#include "open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "lib/base/budget.h"
#include "lib/base/retry.h"

char *
open_temporary(void)
{
	const char *dir = getenv("XDG_RUNTIME_DIR");
	char *name;
	int fd;

	if (!dir || access(dir, W_OK) < 0)
		dir = getenv("TMPDIR");
	if (asprintf(&name, "%s/prof-XXXXXX.html", dir && *dir ? dir : "/tmp") <
	    0)
		die_nomem();
	fd = mkstemps(name, 5);
	if (fd < 0)
		die("%s: %s", name, strerror(errno));
	close(fd);
	return name;
}

/* Run program on file and wait: browsers that run already return at once. */
static int
run_opener(const char *program, const char *file)
{
	pid_t child = fork();

	if (child == 0) {
		/* Our standard output is closed by now. */
		int null = open("/dev/null", O_WRONLY);

		if (null >= 0 && null != STDOUT_FILENO)
			dup2(null, STDOUT_FILENO);
		budget_end();
		execlp(program, program, file, (char *)NULL);
		_exit(127);
	}
	return wait_child(child) == 0 ? 0 : -1;
}

bool
open_browser(const char *file)
{
	const char *wish = getenv("BROWSER");
	char *list = strdup(wish ? wish : ""), *rest = list;
	char *path = realpath(file, NULL);
	const char *shown = path ? path : file;
	bool ok = true;

	for (char *p; list && (p = strsep(&rest, ":"));)
		if (*p && run_opener(p, shown) == 0)
			goto out;
	/* Without one, xdg-open would try browsers of terminals, and complain.
	 */
	if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
		warn("no display, and %s; the page is in %s",
		     wish && *wish ? "what $BROWSER names did not start"
				   : "no $BROWSER",
		     shown);
	else if (run_opener("xdg-open", shown) < 0)
		warn("no browser could be started; the page is in %s", shown);
	else
		goto out;
	ok = false;
out:
	free(list);
	free(path);
	return ok;
}
