/*
 * split.c - a program and what was split off from it, as files of one folder:
 * .dwo and .dwp, the debug file that .gnu_debuglink names, the common file of
 * dwz. Each file is a byte and as many of its name, four bytes and as many of
 * its contents (little endian); the first one is the program.
 */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/binary/binary.h"
#include "tests/fuzz/elf-mutate.h"

#define N_ADDR 256
#define MAX_FILES 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static char folder[] = "/tmp/fuzz-split.XXXXXX";
static char name[64]; /* of the program */

static void
remove_files(bool folder_too)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d)))
		unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	if (folder_too)
		rmdir(folder);
}

static void
remove_all(void)
{
	remove_files(true);
}

/* A file of the input. */
struct file {
	char name[64];
	size_t at, n; /* its contents, in the input */
};

/* Find the file whose name begins at byte at. false: there is none. */
static bool
read_file(const uint8_t *data, size_t n, size_t at, struct file *f)
{
	size_t n_name = at < n ? data[at] : 0;
	const uint8_t *size = data + at + 1 + n_name;

	memset(f, 0, sizeof(*f));
	if (n_name == 0 || n_name >= sizeof(f->name) || n - at < n_name + 5)
		return false;
	memcpy(f->name, data + at + 1, n_name);
	if (strchr(f->name, '/') || !*f->name || !strcmp(f->name, ".") ||
	    !strcmp(f->name, ".."))
		return false;
	f->at = at + n_name + 5;
	f->n = size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16 |
	       (size_t)size[3] << 24;
	if (f->n > n - f->at)
		f->n = n - f->at;
	return true;
}

static void
write_file(const uint8_t *data, const struct file *f)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, f->name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, data + f->at, f->n) != (ssize_t)f->n)
		abort();
	close(fd);
}

/* Change one of the files, as a file. */
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed)
{
	struct file f, chosen = { .n = 0 };
	unsigned k = seed % MAX_FILES;
	size_t at = 0;

	for (unsigned i = 0; i <= k && read_file(data, n, at, &f); i++) {
		chosen = f;
		at = f.at + f.n;
	}
	if (!chosen.n || seed % 61 == 0)
		return LLVMFuzzerMutate(data, n, max);
	elf_mutate(data + chosen.at, chosen.n, chosen.n, seed);
	return n;
}

static void
take(void *ctx, size_t i, const struct symbol_frame *f, size_t n)
{
	size_t *length = ctx;

	if (i >= N_ADDR || n == 0)
		abort();
	for (size_t k = 0; k < n; k++)
		*length += strlen(f[k].name) + strlen(f[k].file);
}

static void
run(void)
{
	const char *const dir[] = { folder };
	const struct load_layout *l;
	uint64_t addr[N_ADDR];
	struct binary *s;
	char path[128];
	size_t length = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (binary_open(path, NULL, &s, NULL) != PROF_OK)
		return;
	if (binary_find_debug(s, dir, 1, NULL) != PROF_OK)
		abort();
	l = binary_layout(s);
	for (uint64_t i = 0; i < N_ADDR; i++)
		addr[i] = l->text + 8 * i;
	if (l->text < UINT64_MAX - 8 * N_ADDR &&
	    binary_run(s, addr, N_ADDR, true, take, &length, NULL) ==
		    PROF_ENOMEM)
		abort();
	free(binary_key(s, true));
	(void)binary_is_whole(s);
	binary_close(s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static bool is_made;
	struct file f;
	size_t at = 0;

	if (!is_made) {
		if (!mkdtemp(folder) || atexit(remove_all) != 0)
			abort();
		is_made = true;
	}
	for (int i = 0; i < MAX_FILES && read_file(data, n, at, &f); i++) {
		write_file(data, &f);
		if (i == 0)
			memcpy(name, f.name, sizeof(name));
		at = f.at + f.n;
	}
	if (at)
		run();
	remove_files(false);
	return 0;
}
