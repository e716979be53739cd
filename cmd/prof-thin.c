/*
 * prof-thin.c - thin an archive of profiles: minutes for a day, hours for a
 * month, days forever. thin/archive-walk.h finds the folders that are due,
 * thin/sum.h sums one.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "lib/base/outfile.h"
#include "lib/base/regular.h"
#include "thin/archive-walk.h"
#include "thin/folder.h"

enum {
	KEY_MINUTES = CLI_LONG,
	KEY_HOURS,
	KEY_NOW,
};

static const struct cli_opt opts[] = {
	{ KEY_MINUTES, "minutes", "DAYS",
	  "keep single profiles for DAYS days (1)" },
	{ KEY_HOURS, "hours", "DAYS",
	  "keep the sums of hours for DAYS days (31)" },
	{ KEY_NOW, "now", "DATE",
	  "the day that it is, YYYY-MM-DD (today, UTC)" },
	{ 'n', "dry-run", NULL, "print what would be summed" },
	CLI_READ_OPTS,
	{ 'q', "quiet", NULL, "print errors only" },
	{ 'h', "help", NULL, "print this text and exit" },
	{ 'V', "version", NULL, "print the version and exit" },
	{ CLI_KEY_LIST_OPTIONS, "list-options", NULL,
	  "print the options, for shell completion" },
	{ 0 },
};

static const struct cli_cmd cmd = {
	.name = "prof-thin",
	.args = "ARCHIVE",
	.brief = "sum the hours and days of an archive that are over",
	.opts = opts,
};

static time_t
parse_date(const struct cli *cli)
{
	struct tm tm = { 0 };
	const char *end = strptime(cli->arg, "%Y-%m-%d", &tm);
	int day = tm.tm_mday;
	time_t t = timegm(&tm);

	if (!end || *end || strlen(cli->arg) != 10 || tm.tm_mday != day)
		cli_bad_arg(cli, "a date, YYYY-MM-DD");
	return t;
}

/* The day `age` days before now. */
static void
format_day(time_t now, uint64_t age, char day[WALK_DAY])
{
	time_t t = now - (time_t)age * 86400;
	struct tm tm;

	if (!gmtime_r(&t, &tm) || strftime(day, WALK_DAY, "%Y-%m-%d", &tm) == 0)
		die("the system clock is out of range");
}

/*
 * Root does nothing here that the owner of the archive may not do: users who
 * can write in it could lead root elsewhere.
 */
static void
become_owner(const char *path, const struct stat *sb)
{
	if (geteuid() != 0 || sb->st_uid == 0)
		return;
	if (setgroups(0, NULL) < 0 ||
	    setresgid(sb->st_gid, sb->st_gid, sb->st_gid) < 0 ||
	    setresuid(sb->st_uid, sb->st_uid, sb->st_uid) < 0)
		die("%s: cannot become its owner: %s", path, strerror(errno));
}

/* Open the archive, as its owner. */
static int
open_archive(const char *path)
{
	int fd = regular_folder(path), own;
	struct prof_err err;
	struct stat sb;

	if (fd < 0 && errno == ENOTDIR)
		die("%s: not a folder", path);
	if (fd < 0 || fstat(fd, &sb) < 0)
		die("%s: %s", path, strerror(errno));
	become_owner(path, &sb);
	own = folder_open(fd, ".", &err);
	if (own < 0)
		die("%s: %s", path, err.msg);
	close(fd);
	return own;
}

/*
 * Two at once would move each other's folders. No other user can open the lock,
 * and so hold it. The kernel releases it when the process ends.
 */
static void
take_lock(int archive, const char *path)
{
	static const char name[] = ".prof-thin";
	int fd = outfile_kept(archive, name, O_RDWR | O_CREAT, 0600);

	if (fd < 0 || fchmod(fd, 0600) < 0)
		die("%s/%s: %s", path, name, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		die("%s: %s", path,
		    errno == EWOULDBLOCK ? "another prof-thin is at work"
					 : strerror(errno));
}

int
main(int argc, char **argv)
{
	uint64_t minutes = 1, hours = 31;
	struct walk w = { 0 };
	time_t now = time(NULL);
	struct cli cli;
	size_t n;
	int key;

	cli_init(&cli, &cmd, argc, argv);
	while ((key = cli_option(&cli)) != CLI_DONE) {
		switch (key) {
		case KEY_MINUTES:
			minutes = cli_uint(&cli, 0, 9999);
			break;
		case KEY_HOURS:
			hours = cli_uint(&cli, 0, 9999);
			break;
		case KEY_NOW:
			now = parse_date(&cli);
			break;
		case 'n':
			w.is_dry = true;
			break;
		}
	}
	if (cli.n_operand != 1)
		die(cli.n_operand ? "one archive at a time"
				  : "no archive given: name its folder");
	w.path = cli.operand[0];
	for (n = strlen(w.path); n > 1 && w.path[n - 1] == '/'; n--)
		cli.operand[0][n - 1] = '\0';
	w.max_size = cli.max_size;
	w.cli = &cli;
	format_day(now, minutes, w.last_minutes);
	format_day(now, hours, w.last_hours);
	w.fd = open_archive(w.path);
	if (!w.is_dry)
		take_lock(w.fd, w.path);
	walk_due(&w);
	close(w.fd);
	return cli_finish(&cli, w.has_failed ? CLI_TROUBLE : EXIT_SUCCESS);
}
