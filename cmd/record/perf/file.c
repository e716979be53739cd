/* file.c - see file.h. */
#include "config.h"

#include "file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cli/cli.h"
#include "record/procfs.h"
#include "unwind/elf-source.h"
#include "unwind/rowstore.h"

enum {
	N_BUCKET = 1024,
	KEEP_BYTES = 256 << 20, /* of unused rows */
};

static const char vdso[] = "[vdso]";

struct mapped_file {
	struct mapped_file *next; /* in its bucket */
	uint32_t hash;
	size_t n_user;
	const struct rows *rows;
	bool tried;
	char build_id[BUILD_ID_TEXT]; /* as the kernel says, or read at once */
	char own_id[BUILD_ID_TEXT];   /* else: read with the first sample */
	bool looked;
	char path[];
};

struct files {
	struct rowstore *store;
	struct mapped_file *bucket[N_BUCKET];
	size_t n_refused;
};

struct files *
files_new(void)
{
	struct files *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->store = rowstore_new(KEEP_BYTES);
	if (f->store)
		return f;
	free(f);
	return NULL;
}

void
files_free(struct files *f)
{
	if (!f)
		return;
	if (f->n_refused > 1)
		warn("files that were refused in the same way: %zu more",
		     f->n_refused - 1);
	rowstore_free(f->store);
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
	struct elf_source s;
	int fd = -1;

	for (int turn = 0; turn < PROCFS_OWN && fd < 0; turn++)
		fd = procfs_open_mapped(&at, turn);
	if (fd < 0)
		return;
	if (elf_source_open(&s, fd, NULL) == PROF_OK)
		strcpy(id, s.build_id);
	close(fd);
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
		    !strcmp(m->build_id, id)) {
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
	rowstore_put(f->store, m->rows);
	free(m);
}

const char *
file_path(const struct mapped_file *m)
{
	return m->path;
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

/* A file of bytes that stand for gigabytes of rows is no program. */
static void
refuse(struct files *f, const struct mapped_file *m, const struct prof_err *err)
{
	if (err->status == PROF_ELIMIT && f->n_refused++ == 0)
		warn("%s: %s; its callers are not seen", m->path, err->msg);
}

static void
read_rows(struct files *f, struct mapped_file *m, const struct file_from *from)
{
	const struct procfs_mapped at = mapped_of(m->path, from);

	m->rows = rowstore_find(f->store, m->build_id);
	if (m->rows)
		return;
	if (*m->path != '/') {
		size_t n;
		const void *own = own_vdso(&n);

		if (own &&
		    rowstore_image(f->store, own, n, &m->rows, NULL) != PROF_OK)
			m->rows = NULL;
		return;
	}
	for (int turn = 0; turn < PROCFS_TURNS && !m->rows; turn++) {
		struct prof_err err = { 0 };
		int fd = procfs_open_mapped(&at, turn);

		/* Without a build-id only the mapping itself is certain. */
		if (fd < 0)
			continue;
		if ((*m->build_id || turn < PROCFS_OWN) &&
		    rowstore_read(f->store, fd, m->build_id, &m->rows, &err) !=
			    PROF_OK) {
			m->rows = NULL;
			refuse(f, m, &err);
			if (err.status == PROF_ELIMIT)
				turn = PROCFS_TURNS;
		}
		close(fd);
	}
}

const struct rows *
file_rows(struct files *f, struct mapped_file *m, const struct file_from *from)
{
	if (!m->tried && from) {
		m->tried = true;
		read_rows(f, m, from);
	}
	return m->rows;
}
