/*
 * sandbox.c - see cli.h. The kernel's header may be older than the kernel:
 * rights that came later are here by number.
 */
#include "config.h"

#include "cli.h"

#include <fcntl.h>
#include <libgen.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/cachedir.h"
#include "lib/base/sanitized.h"

#if defined __NR_landlock_create_ruleset && __has_include(<linux/landlock.h>)
#include <linux/landlock.h>

#define ACCESS(name) ((uint64_t)LANDLOCK_ACCESS_FS_##name)
#define REFER ((uint64_t)1 << 13)    /* since version 2 */
#define TRUNCATE ((uint64_t)1 << 14) /* ... 3 */
#define TCP ((uint64_t)3)            /* ... 4: bind, connect */
#define SCOPES ((uint64_t)3)         /* ... 6: abstract sockets, signals */

#define READ (ACCESS(READ_FILE) | ACCESS(READ_DIR))
#define WRITE                                                                  \
	(ACCESS(WRITE_FILE) | ACCESS(REMOVE_DIR) | ACCESS(REMOVE_FILE) |       \
	 ACCESS(MAKE_CHAR) | ACCESS(MAKE_DIR) | ACCESS(MAKE_REG) |             \
	 ACCESS(MAKE_SOCK) | ACCESS(MAKE_FIFO) | ACCESS(MAKE_BLOCK) |          \
	 ACCESS(MAKE_SYM) | REFER | TRUNCATE)

/* All versions begin with the members of the one before. */
struct ruleset {
	uint64_t files, network, scopes;
};

struct sandbox {
	uint64_t handled; /* rights to files that are taken */
	int fd;
};

int
cli_sandbox_version(void)
{
	const char *wish = getenv("PROF_SANDBOX");
	long n = syscall(__NR_landlock_create_ruleset, NULL, 0,
			 LANDLOCK_CREATE_RULESET_VERSION);

	return IS_SANITIZED || n < 0 || (wish && !strcmp(wish, "0")) ? 0
								     : (int)n;
}

/* Give back the rights to what is at path, and below it; nothing may be. */
static void
allow(const struct sandbox *s, const char *path, uint64_t rights)
{
	const uint64_t of_file =
		ACCESS(READ_FILE) | ACCESS(WRITE_FILE) | TRUNCATE;
	struct landlock_path_beneath_attr rule = {
		.allowed_access = rights & s->handled
	};
	struct stat sb;

	rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return;
	if (fstat(rule.parent_fd, &sb) == 0 && !S_ISDIR(sb.st_mode))
		rule.allowed_access &= of_file;
	if (rule.allowed_access)
		syscall(__NR_landlock_add_rule, s->fd,
			LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(rule.parent_fd);
}

/* What a word of the command line may name: FILE, --base=FILE, A:B. */
static void
allow_word(const struct sandbox *s, const char *word)
{
	char *copy = strdup(word), *rest = copy, *part;

	allow(s, word, READ);
	while ((part = strsep(&rest, "=:,")))
		if (*part)
			allow(s, part, READ);
	free(copy);
}

static void
allow_reading(const struct sandbox *s, const struct cli *cli)
{
	/* Libraries are loaded when they are needed. */
	static const char *const system[] = { "/usr", "/lib", "/lib64",
					      "/etc", "/opt", "/proc",
					      "/sys", "/dev", "/nix" };
	const char *libraries = getenv("LD_LIBRARY_PATH");

	for (size_t i = 0; i < sizeof(system) / sizeof(*system); i++)
		allow(s, system[i], READ);
	if (libraries)
		allow_word(s, libraries);
	for (int i = 1; i < cli->argc; i++)
		allow_word(s, cli->argv[i]);
}

/* The output, and its folder, where it gets its name. */
static void
allow_output(const struct sandbox *s, const struct cli *cli)
{
	char *path;
	int fd;

	allow(s, "/dev", ACCESS(WRITE_FILE));
	if (!cli->output || !*cli->output)
		return;
	allow(s, cli->output, WRITE);
	path = cli_real_path(cli->output, &fd);
	if (path)
		allow(s, dirname(path), WRITE | READ);
	free(path);
}

static void
allow_cache(const struct sandbox *s, const char *path, const char *name)
{
	char *folder =
		path ? cachedir_at(path, NULL) : cachedir_path(name, NULL);

	if (folder)
		allow(s, folder, WRITE | READ);
	free(folder);
}

static void
allow_caches(const struct sandbox *s, unsigned needs)
{
	const char *ours = getenv("PROF_CACHE");
	const char *theirs = getenv("DEBUGINFOD_CACHE_PATH");

	if (!ours)
		ours = getenv("PROFPIPE_CACHE");
	if ((needs & SANDBOX_CACHES) && !(ours && !*ours))
		allow_cache(s, ours, "profpipe");
	if (needs & SANDBOX_NETWORK)
		allow_cache(s, theirs && *theirs ? theirs : NULL,
			    "debuginfod_client");
}

void
cli_sandbox(const struct cli *cli, unsigned needs)
{
	struct ruleset rules = { .files = WRITE | ACCESS(EXECUTE) };
	struct sandbox s;
	int version = cli_sandbox_version();
	size_t size;

	if (version < 1)
		return;
	if (needs & SANDBOX_NAMED)
		rules.files |= READ;
	if (!(needs & SANDBOX_NETWORK))
		rules.network = TCP;
	rules.scopes = SCOPES;
	if (version < 2)
		rules.files &= ~REFER;
	if (version < 3)
		rules.files &= ~TRUNCATE;
	size = version < 4   ? offsetof(struct ruleset, network)
	       : version < 6 ? offsetof(struct ruleset, scopes)
			     : sizeof(rules);
	s.handled = rules.files;
	s.fd = (int)syscall(__NR_landlock_create_ruleset, &rules, size, 0);
	if (s.fd < 0)
		return;
	if (needs & SANDBOX_NAMED)
		allow_reading(&s, cli);
	allow_output(&s, cli);
	allow_caches(&s, needs);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		syscall(__NR_landlock_restrict_self, s.fd, 0);
	close(s.fd);
}

#else

int
cli_sandbox_version(void)
{
	return 0;
}

void
cli_sandbox(const struct cli *cli, unsigned needs)
{
	(void)cli;
	(void)needs;
}

#endif
