/* archive.c - see archive.h. */
#include "config.h"

#include "archive.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/filename.h"
#include "lib/base/outfile.h"
#include "lib/base/regular.h"
#include "lib/model/profile.h"
#include "lib/wire/compress.h"

#define STATE ".prof-fetch"
#define TIME_LETTERS "YmdjHMSFGVu" /* of strftime(), valid in a name */

struct archive {
	char *root;    /* as given, for messages */
	char *pattern; /* below it */
	int root_fd;
	int state_fd; /* ROOT/.prof-fetch */
	int lock_fd;
	struct tm time; /* UTC: no hour occurs twice */
	int64_t keep_s;
	struct ledger ledger;
	bool has_put;
	bool is_pruned;
};

bool
archive_is_pattern(const char *output)
{
	return strchr(output, '%') != NULL;
}

/* --- names --- */

static enum prof_status
check_pattern(const char *pattern, struct prof_err *err)
{
	for (const char *p = pattern; *p; p++) {
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return prof_fail(err, PROF_EUSAGE,
					 "a control character in a name");
		if (*p != '%')
			continue;
		p++;
		if (!*p || !strchr("hpqt%" TIME_LETTERS, *p))
			return prof_fail(err, PROF_EUSAGE,
					 "'%%%.1s' has no meaning; these have: "
					 "%%h %%p %%q %%t %%%% and, of "
					 "strftime(3), " TIME_LETTERS,
					 p);
	}
	for (const char *p = pattern;; p++) {
		size_t n = strcspn(p, "/");

		/* No "..", not STATE, and no hidden file. */
		if (n == 0 || *p == '.')
			return prof_fail(err, PROF_EUSAGE,
					 "'%.*s' is no name for a folder or "
					 "file of an archive",
					 (int)n, p);
		p += n;
		if (!*p)
			return PROF_OK;
	}
}

/* The values of the letters. */
struct words {
	char host[FILENAME_SAFE_MAX];
	char port[FILENAME_SAFE_MAX];
	char type[FILENAME_SAFE_MAX];
	char query[9]; /* its checksum, as values may be secret */
};

static void
set_word(char out[FILENAME_SAFE_MAX], const char *s, size_t n,
	 const char *otherwise)
{
	if (n)
		filename_safe(s, n, out);
	else
		strcpy(out, otherwise);
}

static void
set_query(struct words *w, const char *query)
{
	size_t n = strlen(query);

	snprintf(w->query, sizeof(w->query), n ? "%08" PRIx32 : "0",
		 gzip_crc32(0, query, n));
}

/* "web1:80", "[::1]:80", perhaps without a port, or a socket; and the page. */
static void
words_of_source(struct words *w, const struct source *s)
{
	const char *host = s->socket ? basename(s->socket) : s->host;
	const char *end = strrchr(host, ':'), *page;
	bool is_v6 = *host == '[';
	size_t n;

	if (end && strchr(end, ']'))
		end = NULL;
	set_word(w->port, end ? end + 1 : "", end ? strlen(end + 1) : 0,
		 strcmp(s->scheme, "https") ? "80" : "443");
	n = end ? (size_t)(end - host) : strlen(host);
	set_word(w->host, host + is_v6, n - 2 * is_v6, "localhost");
	for (char *p = w->host; *p; p++) {
		if (*p == '%')
			p += 2;
		else
			*p = (char)tolower((unsigned char)*p);
	}

	set_query(w, s->query);
	page = s->path + strlen(s->path);
	while (page > s->path && page[-1] == '/')
		page--;
	for (n = 0; page > s->path && page[-1] != '/'; n++)
		page--;
	set_word(w->type, page, n, "profile");
}

static void
words_of_profile(struct words *w, const struct profile *p)
{
	char host[HOST_NAME_MAX + 1] = "";
	const char *type = profile_str(p, p->default_type);

	gethostname(host, sizeof(host) - 1);
	set_word(w->host, host, strlen(host), "localhost");
	set_word(w->port, "", 0, "0");
	set_query(w, "");
	if (!*type && p->n_type)
		type = profile_str(p, p->type[p->n_type - 1].type);
	set_word(w->type, type, strlen(type), "profile");
}

/* Format one of TIME_LETTERS. The compiler could not check a format in a
 * variable. */
static void
time_word(char *out, size_t max, char letter, const struct tm *t)
{
	switch (letter) {
	case 'Y':
		strftime(out, max, "%Y", t);
		break;
	case 'm':
		strftime(out, max, "%m", t);
		break;
	case 'd':
		strftime(out, max, "%d", t);
		break;
	case 'j':
		strftime(out, max, "%j", t);
		break;
	case 'H':
		strftime(out, max, "%H", t);
		break;
	case 'M':
		strftime(out, max, "%M", t);
		break;
	case 'S':
		strftime(out, max, "%S", t);
		break;
	case 'F':
		strftime(out, max, "%Y-%m-%d", t);
		break;
	case 'G':
		strftime(out, max, "%G", t);
		break;
	case 'V':
		strftime(out, max, "%V", t);
		break;
	case 'u':
		strftime(out, max, "%u", t);
		break;
	}
}

char *
archive_name(const struct archive *a, const struct source *source,
	     const struct profile *p)
{
	struct buf name = { 0 };
	struct words w;

	if (source)
		words_of_source(&w, source);
	else
		words_of_profile(&w, p);
	for (const char *c = a->pattern; *c; c++) {
		char text[80] = { *c };
		const char *word = text;

		if (*c == '%') {
			c++;
			if (*c == 'h')
				word = w.host;
			else if (*c == 'p')
				word = w.port;
			else if (*c == 'q')
				word = w.query;
			else if (*c == 't')
				word = w.type;
			else if (*c != '%')
				time_word(text, sizeof(text), *c, &a->time);
		}
		if (buf_add(&name, word, strlen(word)) < 0) {
			buf_release(&name);
			return NULL;
		}
	}
	if (buf_add(&name, "", 1) < 0)
		buf_release(&name);
	return (char *)name.data;
}

/*
 * name if there is no such file yet; otherwise, with -2, -3 and so on before
 * its ending. For free(); NULL without memory.
 */
static char *
unused_name(const struct archive *a, const char *name)
{
	const char *tail = filename_ending(name);
	char *other = strdup(name);
	struct stat sb;
	int n;

	if (!tail)
		tail = name + strlen(name);
	n = (int)(tail - name);
	for (unsigned i = 2;
	     other && fstatat(a->root_fd, other, &sb, AT_SYMLINK_NOFOLLOW) == 0;
	     i++) {
		free(other);
		if (asprintf(&other, "%.*s-%u%s", n, name, i, tail) < 0)
			other = NULL;
	}
	return other;
}

/* --- opening --- */

static enum prof_status
fail_errno(const struct archive *a, const char *name, struct prof_err *err)
{
	return prof_fail(err, PROF_EIO, "%s/%s: %s", a->root, name,
			 strerror(errno));
}

/* Cut pattern in two at the '/' before its first '%'. */
static enum prof_status
set_pattern(struct archive *a, const char *pattern, struct prof_err *err)
{
	const char *cut = strchr(pattern, '%');

	while (cut > pattern && cut[-1] != '/')
		cut--;
	a->pattern = strdup(cut);
	if (cut == pattern)
		a->root = strdup(".");
	else if (cut == pattern + 1)
		a->root = strdup("/");
	else
		a->root = strndup(pattern, (size_t)(cut - pattern) - 1);
	if (!a->root || !a->pattern)
		return prof_nomem(err);
	return check_pattern(a->pattern, err);
}

/* Create the root and its parents, as needed. */
static enum prof_status
make_root(struct archive *a, struct prof_err *err)
{
	if (outfile_folders(a->root, 0777) < 0)
		return prof_fail(err, PROF_EIO, "%s: %s", a->root,
				 strerror(errno));
	a->root_fd = regular_place_at(AT_FDCWD, a->root, false);
	if (a->root_fd < 0)
		return prof_fail(err, PROF_EIO, "%s: %s", a->root,
				 strerror(errno));
	return PROF_OK;
}

static enum prof_status
open_state(struct archive *a, struct prof_err *err)
{
	static const char lock[] = "lock";
	struct stat sb;

	if (mkdirat(a->root_fd, STATE, 0755) < 0 && errno != EEXIST)
		return fail_errno(a, STATE, err);
	a->state_fd = regular_place_at(a->root_fd, STATE, true);
	if (a->state_fd < 0 || fstat(a->state_fd, &sb) < 0)
		return fail_errno(a, STATE, err);
	/* Another user who could replace the index could make us remove
	 * files. */
	if (a->keep_s &&
	    (sb.st_uid != geteuid() || (sb.st_mode & (S_IWGRP | S_IWOTH))))
		return prof_fail(err, PROF_EUSAGE,
				 "%s/" STATE " is not ours alone, so files are "
				 "not removed by what it says",
				 a->root);
	a->lock_fd = outfile_kept(a->state_fd, lock, O_RDWR | O_CREAT, 0600);
	/* Any user who could read it could hold it. */
	if (a->lock_fd < 0 || fchmod(a->lock_fd, 0600) < 0)
		return fail_errno(a, STATE "/lock", err);
	return PROF_OK;
}

/* The kernel releases the lock when the process ends, in any way. */
static enum prof_status
take_lock(struct archive *a, unsigned wait_s, struct prof_err *err)
{
	const struct timespec pause = { .tv_nsec = 50000000 };
	unsigned long tries = wait_s * 20ul;

	while (flock(a->lock_fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return fail_errno(a, STATE "/lock", err);
		if (tries-- == 0)
			return prof_fail(err, PROF_EIO,
					 "%s: another command is writing "
					 "there%s",
					 a->root,
					 wait_s ? " still" : " (see --wait)");
		nanosleep(&pause, NULL);
	}
	return PROF_OK;
}

enum prof_status
archive_open(struct archive **out, const char *pattern,
	     const struct archive_options *o, struct prof_err *err)
{
	struct archive *a = calloc(1, sizeof(*a));
	time_t now = (time_t)o->now_s;
	enum prof_status st;

	*out = NULL;
	if (!a)
		return prof_nomem(err);
	a->root_fd = a->state_fd = a->lock_fd = -1;
	a->keep_s = o->keep_s;
	st = set_pattern(a, pattern, err);
	if (st == PROF_OK && !gmtime_r(&now, &a->time))
		st = prof_fail(err, PROF_EUSAGE,
			       "the system clock is out of range");
	if (st == PROF_OK)
		st = make_root(a, err);
	if (st == PROF_OK)
		st = open_state(a, err);
	if (st == PROF_OK)
		st = take_lock(a, o->wait_s, err);
	if (st != PROF_OK) {
		archive_close(a);
		return st;
	}
	a->ledger = (struct ledger){ .root = a->root_fd,
				     .state = a->state_fd,
				     .pattern = a->pattern,
				     .now_s = o->now_s };
	*out = a;
	return PROF_OK;
}

void
archive_close(struct archive *a)
{
	if (!a)
		return;
	if (a->lock_fd >= 0)
		close(a->lock_fd);
	if (a->state_fd >= 0)
		close(a->state_fd);
	if (a->root_fd >= 0)
		close(a->root_fd);
	free(a->root);
	free(a->pattern);
	free(a);
}

/* --- writing --- */

/* Create the folder path in dir, if needed, and open it as *out. */
static enum prof_status
enter(struct archive *a, int dir, const char *path, const char *name, int *out,
      struct prof_err *err)
{
	bool is_new = mkdirat(dir, name, 0777) == 0;
	enum prof_status st = PROF_OK;

	if (!is_new && errno != EEXIST)
		return fail_errno(a, path, err);
	*out = regular_place_at(dir, name, true);
	if (*out < 0)
		return fail_errno(a, path, err);
	if (is_new)
		st = outfile_sync_folder(dir, err);
	if (st == PROF_OK && is_new && a->keep_s)
		st = ledger_folder(&a->ledger, path, *out, err);
	if (st != PROF_OK)
		close(*out);
	return st;
}

/* Create and open the folder of name; *base is the last part of name. */
static enum prof_status
enter_all(struct archive *a, const char *name, int *dir, const char **base,
	  struct prof_err *err)
{
	char *path = strdup(name), *at = path, *slash;
	enum prof_status st = PROF_OK;
	int next;

	if (!path)
		return prof_nomem(err);
	*dir = regular_place_at(a->root_fd, ".", true);
	if (*dir < 0)
		st = fail_errno(a, name, err);
	for (; st == PROF_OK && (slash = strchr(at, '/')); at = slash + 1) {
		*slash = 0;
		st = enter(a, *dir, path, at, &next, err);
		close(*dir);
		*dir = st == PROF_OK ? next : -1;
		*slash = '/';
	}
	*base = name + (at - path);
	free(path);
	return st;
}

static enum prof_status
write_file(struct archive *a, const char *name, const struct profile *p,
	   struct stream_format format, struct prof_err *err)
{
	struct outfile out = { .fd = -1 };
	struct prof_err why;
	const char *base = name;
	int dir = -1;
	enum prof_status st = enter_all(a, name, &dir, &base, err);

	if (st != PROF_OK)
		return st;
	st = outfile_open(&out, dir, base, &why);
	if (st == PROF_OK)
		st = profile_write(out.fd, p, format, &why);
	/* First the index, which may list files that are not there: nobody
	 * would remove a file that it does not list. */
	if (st == PROF_OK && a->keep_s)
		st = ledger_file(&a->ledger, name, out.fd, &why);
	if (st == PROF_OK)
		st = outfile_commit(&out, true, &why);
	if (st == PROF_OK)
		a->has_put = true;
	else
		prof_fail(err, st, "%s/%s: %s", a->root, name, why.msg);
	if (out.fd >= 0)
		close(out.fd);
	outfile_release(&out);
	close(dir);
	return st;
}

/* Write p to a file that does not exist yet. */
static enum prof_status
write_new(struct archive *a, const char *name, const struct profile *p,
	  struct stream_format format, struct prof_err *err)
{
	char *unused = unused_name(a, name);
	enum prof_status st = unused ? write_file(a, unused, p, format, err)
				     : prof_nomem(err);

	free(unused);
	return st;
}

enum prof_status
archive_put(struct archive *a, const char *name, const struct profile *p,
	    struct stream_format format, struct prof_err *err)
{
	enum prof_status st = write_new(a, name, p, format, err);
	char note[LEDGER_NOTE];
	struct prof_err ignored;
	size_t n;

	if (st != PROF_EIO || !a->keep_s || a->is_pruned)
		return st;
	/* Expired files may have filled the disk. */
	a->is_pruned = true;
	if (ledger_prune(&a->ledger, a->keep_s, &n, note, &ignored) !=
		    PROF_OK ||
	    n == 0)
		return st;
	return write_new(a, name, p, format, err);
}

enum prof_status
archive_prune(struct archive *a, char note[LEDGER_NOTE], struct prof_err *err)
{
	size_t n;

	*note = '\0';
	if (!a->keep_s || !a->has_put)
		return PROF_OK;
	return ledger_prune(&a->ledger, a->keep_s, &n, note, err);
}
