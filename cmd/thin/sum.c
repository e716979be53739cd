/* sum.c - see sum.h. */
#include "config.h"

#include "sum.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "folder.h"
#include "lib/base/filename.h"
#include "lib/base/outfile.h"
#include "lib/base/regular.h"
#include "lib/model/profile.h"
#include "lib/ops/merge.h"
#include "lib/stream/series.h"
#include "lib/stream/stream.h"

#define SUM "sum" /* its name in .F.thin and .F.done */

/* The names of a folder that is being summed; for free(). */
struct steps {
	const char *folder;
	char *thin, *done, *file;
};

static bool
exists(int dir, const char *name)
{
	struct stat sb;

	return fstatat(dir, name, &sb, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Rename `from` in dir to `to` in to_dir, and wait until that is on the disk.
 */
static enum prof_status
move(int dir, const char *from, int to_dir, const char *to,
     struct prof_err *err)
{
	enum prof_status st;

	if (renameat(dir, from, to_dir, to) < 0)
		return prof_fail(err, PROF_EIO, "%s: %s", to, strerror(errno));
	st = outfile_sync_folder(to_dir, err);
	return st == PROF_OK && dir != to_dir ? outfile_sync_folder(dir, err)
					      : st;
}

/* --- adding up --- */

static enum prof_status
is_profile(const struct folder_file *f, struct prof_err *err)
{
	if (S_ISDIR(f->sb->st_mode))
		return prof_fail(err, PROF_EUSAGE,
				 "an hour in it is not tidied up");
	if (S_ISREG(f->sb->st_mode) && filename_ending(f->name))
		return PROF_OK;
	return prof_fail(err, PROF_EUSAGE, "%s is not a profile", f->path);
}

struct counting {
	size_t n;
	bool is_dry;
};

static enum prof_status
count_file(void *ctx, const struct folder_file *f, struct prof_err *err)
{
	struct counting *c = ctx;

	c->n++;
	/* It would be tidied up before. */
	if (c->is_dry && S_ISDIR(f->sb->st_mode))
		return PROF_OK;
	return is_profile(f, err);
}

struct adding {
	struct merge *sum;
	const struct sum_options *o;
};

/* Add all profiles in the file `name` of dir, which is called path. */
static enum prof_status
add_profiles(const struct adding *a, int dir, const char *name,
	     const char *path, struct prof_err *err)
{
	struct prof_err why;
	struct profile *p;
	struct stream_series series;
	struct stat sb;
	int fd = regular_open_at(dir, name, true, &sb, &why);
	enum prof_status st = fd < 0 ? PROF_EIO : PROF_OK;

	stream_series_init(&series, fd, a->o->max_size);
	while (st == PROF_OK &&
	       (st = stream_series_next(&series, &p, &why)) == PROF_OK && p) {
		cli_doubts(path, p);
		st = merge_add(a->sum, p, 1, &why);
		profile_free(p);
	}
	stream_series_release(&series);
	if (fd >= 0)
		close(fd);
	return st == PROF_OK ? st : prof_fail(err, st, "%s: %s", path, why.msg);
}

static enum prof_status
add_file(void *ctx, const struct folder_file *f, struct prof_err *err)
{
	/* The sum of a run that was interrupted. */
	if (!strcmp(f->path, SUM))
		return PROF_OK;
	if (is_profile(f, err) != PROF_OK)
		return PROF_EUSAGE;
	return add_profiles(ctx, f->dir, f->name, f->path, err);
}

/* The sum of the open folder thin and, if it is there, of the file. */
static enum prof_status
add_up(int parent, const struct steps *s, int thin, const struct sum_options *o,
       struct profile **out, struct prof_err *err)
{
	struct adding a = { merge_new(COLUMNS_STRICT), o };
	enum prof_status st = a.sum ? PROF_OK : prof_nomem(err);
	struct merge_notes notes;

	if (st == PROF_OK)
		st = folder_visit(thin, add_file, &a, err);
	if (st == PROF_OK && exists(parent, s->file))
		st = add_profiles(&a, parent, s->file, s->file, err);
	if (st == PROF_OK)
		st = merge_result(a.sum, out, &notes, err);
	if (st == PROF_OK && notes.n_saturated) {
		profile_free(*out);
		st = prof_fail(err, PROF_ELIMIT, "sums overflow 64 bits");
	}
	merge_free(a.sum);
	return st;
}

/* Write the sum of .F.thin into it. */
static enum prof_status
write_sum(int parent, const struct steps *s, const struct sum_options *o,
	  struct prof_err *err)
{
	const struct stream_format format = { .kind = STREAM_GZIP,
					      .level = 6,
					      .n_thread = o->n_thread };
	struct outfile file = { .fd = -1 };
	struct profile *p = NULL;
	enum prof_status st;
	int thin = folder_open(parent, s->thin, err);

	if (thin < 0)
		return err->status;
	st = add_up(parent, s, thin, o, &p, err);
	if (st == PROF_OK) {
		st = outfile_open(&file, thin, SUM, err);
		if (st == PROF_OK)
			st = profile_write(file.fd, p, format, err);
		if (st == PROF_OK)
			st = outfile_commit(&file, true, err);
		if (file.fd >= 0)
			close(file.fd);
		outfile_release(&file);
		profile_free(p);
	}
	close(thin);
	return st;
}

/* --- steps --- */

/* F to .F.thin, unless is_dry. *is_empty: there is nothing to do. */
static enum prof_status
sum_begin(int parent, const struct steps *s, bool is_dry, bool *is_empty,
	  struct prof_err *err)
{
	struct counting c = { 0, is_dry };
	enum prof_status st;
	int fd = folder_open(parent, s->folder, err);

	if (fd < 0)
		return err->status;
	st = folder_visit(fd, count_file, &c, err);
	close(fd);
	/* A host that was down leaves a folder with nothing in it. */
	*is_empty = st == PROF_OK && !c.n && !exists(parent, s->file);
	if (st != PROF_OK || *is_empty || is_dry)
		return st;
	return move(parent, s->folder, parent, s->thin, err);
}

/* .F.thin to .F.done, or back to F: somebody has to look at it. */
static enum prof_status
add_parts(int parent, const struct steps *s, const struct sum_options *o,
	  struct prof_err *err)
{
	enum prof_status st = write_sum(parent, s, o, err);

	if (st == PROF_OK)
		return move(parent, s->thin, parent, s->done, err);
	if (renameat2(parent, s->thin, parent, s->folder, RENAME_NOREPLACE) <
		    0 &&
	    !exists(parent, s->folder))
		renameat(parent, s->thin, parent, s->folder);
	return st;
}

/* .F.done to F.pb.gz. */
static enum prof_status
sum_end(int parent, const struct steps *s, struct prof_err *err)
{
	int done = folder_open(parent, s->done, err);
	enum prof_status st = PROF_OK;
	struct stat sb;

	if (done < 0)
		return err->status;
	if (fstatat(done, SUM, &sb, AT_SYMLINK_NOFOLLOW) == 0)
		st = S_ISREG(sb.st_mode)
			     ? move(done, SUM, parent, s->file, err)
			     : prof_fail(err, PROF_EUSAGE,
					 "%s/" SUM ": not a regular file",
					 s->done);
	else if (!exists(parent, s->file))
		st = prof_fail(err, PROF_EUSAGE, "%s: no sum in it", s->done);
	close(done);
	return st == PROF_OK ? folder_remove(parent, s->done, err) : st;
}

enum prof_status
sum_folder(int parent, const char *name, const struct sum_options *o,
	   bool *is_done, struct prof_err *err)
{
	struct steps s = { .folder = name };
	enum prof_status st = PROF_OK;
	bool is_empty = false;

	if (asprintf(&s.thin, ".%s.thin", name) < 0)
		s.thin = NULL;
	if (asprintf(&s.done, ".%s.done", name) < 0)
		s.done = NULL;
	if (asprintf(&s.file, "%s.pb.gz", name) < 0)
		s.file = NULL;
	if (!s.thin || !s.done || !s.file)
		st = prof_nomem(err);
	if (st == PROF_OK && !exists(parent, s.done)) {
		if (!exists(parent, s.thin))
			st = sum_begin(parent, &s, o->is_dry, &is_empty, err);
		if (st == PROF_OK && !is_empty && !o->is_dry)
			st = add_parts(parent, &s, o, err);
	}
	if (st == PROF_OK && !is_empty && !o->is_dry)
		st = sum_end(parent, &s, err);
	*is_done = st == PROF_OK && !is_empty;
	free(s.thin);
	free(s.done);
	free(s.file);
	return st;
}
