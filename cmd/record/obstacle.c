/* obstacle.c - see obstacle.h. */
#include "config.h"

#include "obstacle.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "lib/base/regular.h"

#if __SIZEOF_POINTER__ == 8
#define OUR_CLASS ELFCLASS64
typedef Elf64_Ehdr elf_ehdr;
typedef Elf64_Phdr elf_phdr;
#else
#define OUR_CLASS ELFCLASS32
typedef Elf32_Ehdr elf_ehdr;
typedef Elf32_Phdr elf_phdr;
#endif

enum { HEAD = 64 * 1024 /* bytes of the program that are examined */ };

static const struct {
	const char *name, *advice;
} texts[] = {
	[OBSTACLE_NONE] = { "", "" },
	[OBSTACLE_MACHINE] = { "made for another machine than libsample",
			       "which cannot be preloaded" },
	[OBSTACLE_STATIC] = { "statically linked",
			      "so libsample cannot be preloaded" },
	[OBSTACLE_GO] = { "a Go program",
			  "which cannot be preloaded; it has a profiler of its "
			  "own: see net/http/pprof and prof-fetch" },
	[OBSTACLE_GO_LIBC] = { "a Go program with libc",
			       "whose runtime keeps libsample's signals to "
			       "itself; it has a profiler of its own: see "
			       "net/http/pprof and prof-fetch" },
	[OBSTACLE_SETUID] = { "set-user-id",
			      "so libsample cannot be preloaded; run it as its "
			      "owner" },
	[OBSTACLE_SETGID] = { "set-group-id",
			      "so libsample cannot be preloaded; run it as its "
			      "owner" },
	[OBSTACLE_CAPABILITY] = { "with file capabilities",
				  "so libsample cannot be preloaded; run it as "
				  "root" },
};

const char *
obstacle_name(enum obstacle o)
{
	return texts[o].name;
}

const char *
obstacle_advice(enum obstacle o)
{
	return texts[o].advice;
}

/* This program's own header, by the linker. */
extern const elf_ehdr __ehdr_start __attribute__((visibility("hidden")));

/* The name of the note of Go's linker, with its length and type; and what that
 * linker puts before the first function, with or without notes. */
static bool
is_go(const char *head, size_t n)
{
	static const char mark[] = "\377 Go build ID: \"";
	uint32_t word[3] = { 4, 0, 4 };

	for (const char *at = head;
	     (at = memmem(at, n - (size_t)(at - head), "Go\0\0", 4)); at++) {
		if (at - head < 12)
			continue;
		memcpy(word, at - sizeof(word), sizeof(word));
		if (word[0] == 4 && word[2] == 4)
			return true;
	}
	return memmem(head, n, mark, sizeof(mark) - 1);
}

static enum obstacle
find_in_elf(const char *head, size_t n)
{
	elf_ehdr eh;
	elf_phdr ph;

	if (n < sizeof(eh))
		return OBSTACLE_NONE;
	memcpy(&eh, head, sizeof(eh));
	if (eh.e_ident[EI_CLASS] != OUR_CLASS ||
	    eh.e_machine != __ehdr_start.e_machine)
		return OBSTACLE_MACHINE;
	for (unsigned i = 0; i < eh.e_phnum; i++) {
		if (eh.e_phoff > n - sizeof(ph) ||
		    i * sizeof(ph) > n - sizeof(ph) - eh.e_phoff)
			return OBSTACLE_NONE; /* unknown, but let it run */
		memcpy(&ph, head + eh.e_phoff + i * sizeof(ph), sizeof(ph));
		if (ph.p_type == PT_INTERP)
			return is_go(head, n) ? OBSTACLE_GO_LIBC
					      : OBSTACLE_NONE;
	}
	return is_go(head, n) ? OBSTACLE_GO : OBSTACLE_STATIC;
}

/* Programs with their own privileges ignore LD_PRELOAD. */
enum obstacle
obstacle_privilege(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return OBSTACLE_NONE;
	if (st.st_mode & S_ISUID && st.st_uid != getuid())
		return OBSTACLE_SETUID;
	if (st.st_mode & S_ISGID && st.st_mode & S_IXGRP &&
	    st.st_gid != getgid())
		return OBSTACLE_SETGID;
	return geteuid() != 0 &&
			       fgetxattr(fd, "security.capability", NULL, 0) > 0
		       ? OBSTACLE_CAPABILITY
		       : OBSTACLE_NONE;
}

enum obstacle
obstacle_inside(int fd, char next[PATH_MAX])
{
	char *head = malloc(HEAD);
	ssize_t n = head ? pread(fd, head, HEAD - 1, 0) : 0;
	enum obstacle o = OBSTACLE_NONE;

	next[0] = '\0';
	if (n > 0)
		head[n] = '\0';
	if (n > 4 && !memcmp(head, ELFMAG, SELFMAG)) {
		o = find_in_elf(head, (size_t)n);
	} else if (n > 2 && !memcmp(head, "#!", 2)) {
		size_t skip = 2 + strspn(head + 2, " \t");

		snprintf(next, PATH_MAX, "%.*s",
			 (int)strcspn(head + skip, " \t\r\n"), head + skip);
	}
	free(head);
	return o;
}

enum obstacle
obstacle_find(const char *path, char next[PATH_MAX])
{
	struct stat sb;
	int fd = regular_open(path, false, &sb, NULL);
	enum obstacle o, inside;

	next[0] = '\0';
	if (fd < 0)
		return OBSTACLE_NONE;
	o = obstacle_privilege(fd);
	inside = obstacle_inside(fd, next);
	close(fd);
	return o != OBSTACLE_NONE ? o : inside;
}
