/* file.c - see file.h. */
#include "config.h"

#include "file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "lib/base/now.h"
#include "record/procfs.h"
#include "unwind/readers.h"
#include "unwind/rowstore.h"

enum {
	N_BUCKET = 1024,
	KEEP_BYTES = 256 << 20, /* of unused rows */
	WAIT_S = 2,             /* for those of a file */
};

static const char vdso[] = "[vdso]";

struct mapped_file {
	struct mapped_file *next; /* in its bucket */
	uint32_t hash;
	size_t n_user;
	const struct rows *rows;
	bool tried;
	struct question *asked;       /* NULL: there will be no other answer */
	int64_t until_ns;             /* walks wait for it */
	char build_id[BUILD_ID_TEXT]; /* as the kernel says, or read at once */
	char own_id[BUILD_ID_TEXT];   /* else: read with the first sample */
	struct file_inode inode;      /* else: as first mapped */
	bool looked;
	char path[];
};

struct files {
	struct rowstore *store;
	struct readers *readers;
	bool has_patience, is_waiting, is_late; /* since files_ready() */
	size_t n_late;
	char *late; /* the first file */
	struct mapped_file *bucket[N_BUCKET];
	size_t n_refused;
};

struct files *
files_new(void)
{
	struct files *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->has_patience = true;
	f->store = rowstore_new(KEEP_BYTES);
	f->readers = f->store ? readers_new(f->store) : NULL;
	if (f->readers)
		return f;
	rowstore_free(f->store);
	free(f);
	return NULL;
}

void
files_stop(struct files *f)
{
	readers_stop(f->readers);
}

void
files_free(struct files *f)
{
	if (!f)
		return;
	if (f->n_refused > 1)
		warn("files that were refused in the same way: %zu more",
		     f->n_refused - 1);
	if (f->n_late)
		warn("%s: its unwind information took more than %d s to read; "
		     "samples of such files without callers: %zu",
		     f->late ? f->late : "a file", WAIT_S, f->n_late);
	readers_free(f->readers);
	rowstore_free(f->store);
	free(f->late);
	free(f);
}

/* The file as it is mapped. */
static struct procfs_mapped
mapped_of(const char *path, const struct file_from *from)
{
	return (struct procfs_mapped){ from->pid, from->start, from->limit,
				       path };
}

static void
read_build_id(const char *path, const struct file_from *from,
	      char id[BUILD_ID_TEXT])
{
	const struct procfs_mapped at = mapped_of(path, from);
	struct look_file file;
	int parcel = -1;

	for (int turn = 0; turn < PROCFS_OWN && parcel < 0; turn++)
		parcel = procfs_open_mapped(&at, turn, &file);
	if (parcel < 0)
		return;
	snprintf(id, BUILD_ID_TEXT, "%s", file.in.build_id);
	close(parcel);
}

static uint32_t
hash_of(const char *s, uint32_t h)
{
	for (; *s; s++)
		h = (h ^ (uint8_t)*s) * 16777619u;
	return h;
}

struct mapped_file *
files_get(struct files *f, const char *path, const char *build_id,
	  const struct file_from *from)
{
	char id[BUILD_ID_TEXT] = "";
	struct mapped_file *m, **bucket;
	uint32_t hash;

	if ((path[0] != '/' || path[1] == '/') && strcmp(path, vdso) != 0)
		return NULL;
	if (*build_id)
		snprintf(id, sizeof(id), "%s", build_id);
	else if (from->is_live && *path == '/')
		read_build_id(path, from, id);
	hash = hash_of(id, hash_of(path, 2166136261u));
	bucket = &f->bucket[hash % N_BUCKET];
	for (m = *bucket; m; m = m->next)
		if (m->hash == hash && !strcmp(m->path, path) &&
		    !strcmp(m->build_id, id) &&
		    (*id || (m->inode.number == from->inode.number &&
			     m->inode.generation == from->inode.generation))) {
			m->n_user++;
			return m;
		}
	m = calloc(1, sizeof(*m) + strlen(path) + 1);
	if (!m)
		return NULL;
	m->next = *bucket;
	*bucket = m;
	m->hash = hash;
	m->n_user = 1;
	m->inode = from->inode;
	strcpy(m->build_id, id);
	strcpy(m->path, path);
	return m;
}

void
files_hold(struct mapped_file *m)
{
	if (m)
		m->n_user++;
}

void
files_put(struct files *f, struct mapped_file *m)
{
	struct mapped_file **at;

	if (!m || --m->n_user)
		return;
	for (at = &f->bucket[m->hash % N_BUCKET]; *at != m;)
		at = &(*at)->next;
	*at = m->next;
	if (m->asked)
		readers_forget(f->readers, m->asked);
	rowstore_put(f->store, m->rows);
	free(m);
}

const char *
file_path(const struct mapped_file *m)
{
	return m->path;
}

bool
file_is(const struct mapped_file *m, const char *path,
	const struct file_inode *inode)
{
	return inode->number && m->inode.number == inode->number &&
	       m->inode.generation == inode->generation &&
	       !strcmp(m->path, path);
}

const char *
file_build_id(struct mapped_file *m, const struct file_from *from)
{
	if (*m->build_id)
		return m->build_id;
	if (!m->looked && *m->path == '/')
		read_build_id(m->path, from, m->own_id);
	m->looked = true;
	return m->own_id;
}

/* The kernel's vDSO in our memory: the section headers are its end. */
static const void *
own_vdso(size_t *n)
{
	const Elf64_Ehdr *h = (const void *)getauxval(AT_SYSINFO_EHDR);

	*n = h ? h->e_shoff + (size_t)h->e_shnum * h->e_shentsize : 0;
	return h;
}

/* A file of holes, or of bytes that stand for gigabytes of rows, is no program.
 */
static void
refuse(struct files *f, const struct mapped_file *m, const struct prof_err *err)
{
	if (err->status == PROF_ELIMIT && f->n_refused++ == 0)
		warn("%s: %s; its callers are not seen", m->path, err->msg);
}

/* Is this still the file that was mapped? The device is no help: those of
 * overlays and volumes have two numbers. */
static bool
is_same(const struct mapped_file *m, const struct stat *sb)
{
	int64_t changed_ns = (int64_t)sb->st_ctim.tv_sec * 1000000000 +
			     sb->st_ctim.tv_nsec + now_ns(CLOCK_MONOTONIC) -
			     now_ns(CLOCK_REALTIME);

	return m->inode.number && sb->st_ino == m->inode.number &&
	       changed_ns < m->inode.mapped_ns;
}

/* The files that it may be, each once; none: *err may say why. They are opened
 * now, as the process may end. */
static size_t
open_all(const struct mapped_file *m, const struct file_from *from,
	 int parcel[READERS_MAX], struct stat sb[READERS_MAX],
	 struct prof_err *err)
{
	const struct procfs_mapped at = mapped_of(m->path, from);
	size_t n = 0, k;

	_Static_assert((int)PROCFS_TURNS <= (int)READERS_MAX,
		       "room for each turn");
	for (int turn = 0; turn < PROCFS_TURNS; turn++) {
		struct look_file file;

		parcel[n] = procfs_open_mapped(&at, turn, &file);
		*err = file.err;
		if (parcel[n] < 0 && err->status == PROF_ELIMIT)
			break;
		if (parcel[n] < 0)
			continue;
		sb[n] = file.sb;
		if (file.is_fuse) /* it may say so */
			sb[n].st_uid = (uid_t)-1;
		for (k = 0; k < n; k++)
			if (sb[k].st_dev == sb[n].st_dev &&
			    sb[k].st_ino == sb[n].st_ino)
				break;
		/* The readers compare build-ids. */
		if (k < n || (turn == PROCFS_OWN && !*m->build_id &&
			      !is_same(m, &sb[n])))
			close(parcel[n]);
		else
			n++;
	}
	return n;
}

/* Our memory is no stranger's, and small. */
static void
read_vdso(struct files *f, struct mapped_file *m)
{
	size_t n;
	const void *own = own_vdso(&n);

	if (own && rowstore_image(f->store, own, n, &m->rows, NULL) != PROF_OK)
		m->rows = NULL;
}

/* false: from shows no file. The mapping of another process may. */
static bool
ask_rows(struct files *f, struct mapped_file *m, const struct file_from *from)
{
	struct prof_err err = { 0 };
	struct stat sb[READERS_MAX] = { 0 }; /* of root, if it is gone */
	int parcel[READERS_MAX];
	size_t n;

	m->tried = *m->path != '/';
	if (m->tried) {
		read_vdso(f, m);
		return true;
	}
	n = open_all(m, from, parcel, sb, &err);
	if (!n)
		refuse(f, m, &err);
	m->rows = rowstore_find(f->store, &sb[0], m->build_id);
	m->tried = m->rows;
	if (m->rows) {
		while (n)
			close(parcel[--n]);
		return true;
	}
	m->asked = n ? readers_ask(f->readers, parcel, sb, n, m->build_id,
				   look_user(from->pid))
		     : NULL;
	m->until_ns = now_ns(CLOCK_MONOTONIC) + WAIT_S * INT64_C(1000000000);
	m->tried = m->asked || err.status == PROF_ELIMIT;
	return m->tried || n; /* without m->asked: too much is, just now */
}

static void
note_late(struct files *f, const struct mapped_file *m)
{
	f->is_late = true;
	if (!f->late)
		f->late = strdup(m->path);
}

const struct rows *
file_rows(struct files *f, struct mapped_file *m, const struct file_from *from,
	  bool *is_final)
{
	bool has_file = m->tried || ask_rows(f, m, from);
	struct prof_err err;

	if (m->asked && readers_answer(f->readers, m->asked, &m->rows, &err)) {
		m->asked = NULL;
		if (!m->rows)
			refuse(f, m, &err);
	}
	*is_final = !has_file || (m->tried && !m->asked);
	if (!*is_final) {
		if (m->asked && f->has_patience &&
		    now_ns(CLOCK_MONOTONIC) < m->until_ns)
			f->is_waiting = true;
		else
			note_late(f, m);
	}
	return m->rows;
}

bool
files_ready(struct files *f, bool *is_late)
{
	bool is_ready = !f->is_waiting;

	*is_late = f->is_late;
	f->n_late += is_ready && f->is_late;
	f->is_waiting = f->is_late = false;
	return is_ready;
}

void
files_patience(struct files *f, bool has_patience)
{
	f->has_patience = has_patience;
}

void
files_wait(struct files *f, int ms)
{
	readers_wait(f->readers, ms);
}
