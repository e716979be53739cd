/* ledger.c - see ledger.h. */
#include "config.h"

#include "ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/base/now.h"
#include "lib/base/outfile.h"
#include "lib/base/regular.h"
#include "lib/base/retry.h"

#define MAX_INDEX ((off_t)1 << 30)

static const char index_name[] = "index";

struct line {
	char kind; /* F, D; 0: damaged */
	bool is_dropped;
	int64_t time_s;
	int64_t size; /* of a folder: its inode */
	int64_t mtime_ns;
	const char *pattern;
	const char *path;
	const char *text; /* all of it, n bytes with the newline */
	size_t n;
};

static enum prof_status
fail_errno(struct prof_err *err, const char *what)
{
	return prof_fail(err, PROF_EIO, "%s: %s", what, strerror(errno));
}

/* --- the index --- */

/*
 * The index decides which files are removed, so it must belong to this user,
 * and no other may have write permission. Returns a descriptor, with its size
 * in *size; or -1 and a message.
 */
static int
open_index(const struct ledger *l, int flags, off_t *size, struct prof_err *err)
{
	int fd = outfile_kept(l->state, index_name, flags, 0644);
	struct stat sb;

	if (fd < 0 || fstat(fd, &sb) < 0) {
		fail_errno(err, "the archive's index");
	} else if (!S_ISREG(sb.st_mode) || sb.st_uid != geteuid() ||
		   (sb.st_mode & (S_IWGRP | S_IWOTH))) {
		prof_fail(err, PROF_EUSAGE,
			  "the archive's index is not ours alone, so it is not "
			  "used");
	} else {
		*size = sb.st_size;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

static enum prof_status
index_append(const struct ledger *l, const char *text, struct prof_err *err)
{
	enum prof_status st;
	char last = '\n';
	off_t size;
	int fd = open_index(l, O_RDWR | O_APPEND | O_CREAT, &size, err);

	if (fd < 0)
		return err->status;
	/* A run that was killed may have left half a line. */
	if (size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n')
		st = write_all(fd, "\n", 1, err);
	else
		st = PROF_OK;
	if (st == PROF_OK)
		st = write_all(fd, text, strlen(text), err);
	if (st != PROF_OK && ftruncate(fd, size) < 0)
		st = fail_errno(err, "the archive's index");
	close(fd);
	return st;
}

static enum prof_status
note(const struct ledger *l, char kind, int64_t size, int64_t mtime_ns,
     const char *path, struct prof_err *err)
{
	enum prof_status st;
	char *text;

	if (asprintf(&text,
		     "%c\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%s\t%s\n",
		     kind, l->now_s, size, mtime_ns, l->pattern, path) < 0)
		return prof_nomem(err);
	st = index_append(l, text, err);
	free(text);
	return st;
}

enum prof_status
ledger_file(const struct ledger *l, const char *path, int fd,
	    struct prof_err *err)
{
	struct stat sb;

	if (fstat(fd, &sb) < 0)
		return fail_errno(err, path);
	return note(l, 'F', sb.st_size, mtime_ns(&sb), path, err);
}

enum prof_status
ledger_folder(const struct ledger *l, const char *path, int fd,
	      struct prof_err *err)
{
	struct stat sb;

	if (fstat(fd, &sb) < 0)
		return fail_errno(err, path);
	return note(l, 'D', (int64_t)sb.st_ino, 0, path, err);
}

static enum prof_status
read_index(const struct ledger *l, struct buf *text, struct prof_err *err)
{
	off_t size;
	int fd = open_index(l, O_RDONLY | O_CREAT, &size, err);
	ssize_t n = 0;

	if (fd < 0)
		return err->status;
	if (size > MAX_INDEX) {
		close(fd);
		return prof_fail(err, PROF_ELIMIT,
				 "the archive's index is larger than a GiB");
	}
	if (buf_reserve(text, (size_t)size + 1) < 0) {
		close(fd);
		return prof_nomem(err);
	}
	while (text->n < (size_t)size) {
		n = read(fd, text->data + text->n, (size_t)size - text->n);
		if (n <= 0)
			break;
		text->n += (size_t)n;
	}
	text->data[text->n] = 0;
	close(fd);
	return n < 0 ? fail_errno(err, "the archive's index") : PROF_OK;
}

/* --- its lines --- */

static bool
take_number(char **at, int64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoll(*at, &end, 10);
	if (end == *at || *end != '\t' || errno)
		return false;
	*at = end + 1;
	return true;
}

/* Is path inside the root? */
static bool
is_inside(const char *path)
{
	for (const char *p = path;; p++) {
		size_t n = strcspn(p, "/");

		if (n == 0 || (n == 1 && *p == '.') ||
		    (n == 2 && !memcmp(p, "..", 2)))
			return false;
		p += n;
		if (!*p)
			return true;
	}
}

/* Parse the line at text, whose newline was replaced by NUL. */
static void
parse_line(struct line *line, char *text)
{
	char *at = text + 2, *tab;

	line->kind = 0;
	if ((text[0] != 'F' && text[0] != 'D') || text[1] != '\t' ||
	    !take_number(&at, &line->time_s) ||
	    !take_number(&at, &line->size) ||
	    !take_number(&at, &line->mtime_ns) || line->time_s < 0)
		return;
	tab = strchr(at, '\t');
	if (!tab || !is_inside(tab + 1))
		return;
	*tab = 0;
	line->pattern = at;
	line->path = tab + 1;
	line->kind = text[0];
}

/* Split text into *n lines; NULL without memory. copy: a copy of text, which is
 * modified. */
static struct line *
parse_lines(const struct buf *text, char *copy, size_t *n)
{
	struct line *line;
	size_t max = 1;

	for (size_t i = 0; i < text->n; i++)
		max += text->data[i] == '\n';
	line = calloc(max, sizeof(*line));
	*n = 0;
	for (size_t at = 0; line && at < text->n;) {
		char *end = memchr(copy + at, '\n', text->n - at);
		size_t len = end ? (size_t)(end - copy) - at : text->n - at;
		struct line *l = &line[(*n)++];

		copy[at + len] = 0;
		l->text = (const char *)text->data + at;
		l->n = len + (end != NULL);
		parse_line(l, copy + at);
		if (!end)
			l->kind = 0;
		l->is_dropped = !l->kind;
		at += l->n;
	}
	return line;
}

/* --- removing --- */

/*
 * Open the folder of path, without following links: a descriptor, or -1 and
 * errno. *base is its last part.
 */
static int
enter(int root, const char *path, const char **base)
{
	int dir = regular_place_at(root, ".", true), next;
	const char *slash;

	for (; dir >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
		char *name = strndup(path, (size_t)(slash - path));

		next = name ? regular_place_at(dir, name, true) : -1;
		free(name);
		close(dir);
		dir = next;
	}
	*base = path;
	return dir;
}

/*
 * Remove the file of line if it is still ours. Sets line->is_dropped if the
 * line is no longer needed, for any reason; false, errno: an error.
 */
static bool
remove_file(int root, struct line *line, size_t *n)
{
	const char *base;
	int dir = enter(root, line->path, &base);
	struct stat sb;
	bool is_ours;

	if (dir < 0 || fstatat(dir, base, &sb, AT_SYMLINK_NOFOLLOW) < 0) {
		line->is_dropped =
			errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
		if (dir >= 0)
			close(dir);
		return line->is_dropped;
	}
	is_ours = S_ISREG(sb.st_mode) && sb.st_size == line->size &&
		  mtime_ns(&sb) == line->mtime_ns;
	line->is_dropped = true;
	if (is_ours && unlinkat(dir, base, 0) == 0)
		++*n;
	else if (is_ours && errno != ENOENT)
		line->is_dropped = false;
	close(dir);
	return line->is_dropped;
}

/* The same for a folder, which stays unless it is empty. */
static bool
remove_folder(int root, struct line *line)
{
	const char *base;
	int dir = enter(root, line->path, &base), r = -1;
	struct stat sb;

	if (dir >= 0) {
		r = fstatat(dir, base, &sb, AT_SYMLINK_NOFOLLOW);
		if (r == 0 && (int64_t)sb.st_ino == line->size)
			r = unlinkat(dir, base, AT_REMOVEDIR);
		close(dir);
	}
	if (r < 0 && (errno == ENOTEMPTY || errno == EEXIST))
		return true;
	line->is_dropped =
		r == 0 || errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
	return line->is_dropped;
}

/* When files were written, by the clock of that time. */
struct clock {
	int64_t now_s, keep_s;
	int64_t since_s; /* from then to now without an unusual pause */
	int64_t pause_s; /* before that; 0: none */
	size_t n_run;    /* times since then */
};

static int
time_cmp(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* How long a pause in the n sorted times is not unusual: what occurred twice.
 */
static int64_t
usual_pause(const int64_t *t, size_t n)
{
	int64_t most = 0, second = 0;

	for (size_t i = 1; i < n; i++) {
		int64_t pause = t[i] - t[i - 1];

		if (pause > most) {
			second = most;
			most = pause;
		} else if (pause > second) {
			second = pause;
		}
	}
	return 2 * second;
}

/* Read the clock from the lines. PROF_ENOMEM. */
static enum prof_status
clock_read(struct clock *c, const struct ledger *l, const struct line *line,
	   size_t n_line, int64_t keep_s, struct prof_err *err)
{
	int64_t *t = malloc((n_line + 1) * sizeof(*t)), limit;
	size_t n = 0, i;

	if (!t)
		return prof_nomem(err);
	for (i = 0; i < n_line; i++)
		if (line[i].kind == 'F' && line[i].time_s < l->now_s)
			t[n++] = line[i].time_s;
	t[n++] = l->now_s;
	qsort(t, n, sizeof(*t), time_cmp);
	limit = usual_pause(t, n);
	if (limit < keep_s)
		limit = keep_s;
	*c = (struct clock){ l->now_s, keep_s, l->now_s, 0, 1 };
	for (i = n - 1; i > 0 && t[i] - t[i - 1] <= limit; i--)
		c->n_run += t[i] != t[i - 1];
	c->since_s = t[i];
	c->pause_s = i ? t[i] - t[i - 1] : 0;
	free(t);
	return PROF_OK;
}

static bool
is_old(const struct ledger *l, const struct line *line, int64_t keep_s)
{
	return line->kind && l->now_s - line->time_s > keep_s &&
	       !strcmp(line->pattern, l->pattern);
}

/* Is the pause before the newest files too recent to judge the older ones? */
static bool
is_held(const struct clock *c, const struct line *line)
{
	return line->time_s < c->since_s && c->now_s - c->since_s <= c->keep_s;
}

/* The message of the first run after a jump of the clock. */
static void
note_clock(const struct ledger *l, const struct clock *c,
	   const struct line *line, size_t n_line, char note[LEDGER_NOTE])
{
	size_t n_held = 0, n_future = 0;
	int64_t last = 0; /* of the run before */

	for (size_t i = 0; i < n_line; i++) {
		if (line[i].kind != 'F')
			continue;
		n_held +=
			is_old(l, &line[i], c->keep_s) && is_held(c, &line[i]);
		n_future += line[i].time_s > l->now_s;
		if (line[i].time_s != l->now_s)
			last = line[i].time_s;
	}
	*note = '\0';
	if (n_held && c->n_run == 1)
		snprintf(note, LEDGER_NOTE,
			 "the newest profile is %.1f days older than this one; "
			 "in case the clock is wrong, %zu are kept until new "
			 "ones cover the time of --keep",
			 (double)c->pause_s / 86400, n_held);
	else if (n_future && last > l->now_s)
		snprintf(note, LEDGER_NOTE,
			 "the clock was set back: %zu profiles from the future "
			 "are kept",
			 n_future);
}

/* Write the index without the lines that are dropped. */
static enum prof_status
write_index(const struct ledger *l, const struct line *line, size_t n_line,
	    struct prof_err *err)
{
	struct buf text = { 0 };
	struct outfile out;
	enum prof_status st = outfile_open(&out, l->state, index_name, err);

	for (size_t i = 0; i < n_line && st == PROF_OK; i++)
		if (!line[i].is_dropped &&
		    buf_add(&text, line[i].text, line[i].n) < 0)
			st = prof_nomem(err);
	if (st == PROF_OK && fchmod(out.fd, 0644) < 0)
		st = fail_errno(err, "the archive's index");
	if (st == PROF_OK)
		st = write_all(out.fd, text.data, text.n, err);
	if (st == PROF_OK)
		st = outfile_commit(&out, true, err);
	if (out.fd >= 0)
		close(out.fd);
	outfile_release(&out);
	buf_release(&text);
	return st;
}

static enum prof_status
prune(const struct ledger *l, struct line *line, size_t n_line, int64_t keep_s,
      size_t *n, char note[LEDGER_NOTE], struct prof_err *err)
{
	struct clock c = { 0 };
	enum prof_status st = clock_read(&c, l, line, n_line, keep_s, err);
	size_t n_dropped = 0;

	if (st != PROF_OK)
		return st;
	note_clock(l, &c, line, n_line, note);
	for (size_t i = 0; i < n_line; i++)
		if (is_old(l, &line[i], keep_s) && !is_held(&c, &line[i]) &&
		    line[i].kind == 'F' && !remove_file(l->root, &line[i], n) &&
		    st == PROF_OK)
			st = fail_errno(err, line[i].path);
	/* Backwards: the contents of a folder were made after it. */
	for (size_t i = n_line; i-- > 0;)
		if (is_old(l, &line[i], keep_s) && !is_held(&c, &line[i]) &&
		    line[i].kind == 'D' && !remove_folder(l->root, &line[i]) &&
		    st == PROF_OK)
			st = fail_errno(err, line[i].path);
	for (size_t i = 0; i < n_line; i++)
		n_dropped += line[i].is_dropped;
	/* Not each time: lines of removed files do no harm. */
	if (st == PROF_OK && n_dropped > n_line / 4)
		st = write_index(l, line, n_line, err);
	return st;
}

enum prof_status
ledger_prune(const struct ledger *l, int64_t keep_s, size_t *n,
	     char note[LEDGER_NOTE], struct prof_err *err)
{
	struct buf text = { 0 };
	struct line *line = NULL;
	char *copy = NULL;
	size_t n_line;
	enum prof_status st = read_index(l, &text, err);

	*n = 0;
	*note = '\0';
	if (st == PROF_OK) {
		copy = malloc(text.n + 1);
		if (copy)
			line = parse_lines(&text,
					   memcpy(copy, text.data, text.n + 1),
					   &n_line);
		if (line)
			st = prune(l, line, n_line, keep_s, n, note, err);
		else
			st = prof_nomem(err);
	}
	free(line);
	free(copy);
	buf_release(&text);
	return st;
}
