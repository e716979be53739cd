/* look.c - see look.h. */
#include "config.h"

#include "look.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/base/now.h"
#include "lib/base/regular.h"
#include "unwind/elf-source.h"

enum { STEP = 65536 };

static void
look_text(const char *path, struct buf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = 1;

	while (fd >= 0 && got > 0 && out->n < LOOK_MAX_TEXT &&
	       buf_reserve(out, STEP) == 0) {
		got = read(fd, out->data + out->n, STEP);
		out->n += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
}

/* --- files --- */

static bool
is_elf(int fd)
{
	char magic[4];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	       !memcmp(magic, "\177ELF", sizeof(magic));
}

static void
look_file(const char *path, struct look_file *f, int *fd)
{
	struct elf_source s;

	*fd = regular_open(path, false, &f->sb, &f->err);
	f->is_found = *fd >= 0;
	if (!f->is_found)
		return;
	f->is_elf = is_elf(*fd);
	if (f->is_elf && elf_source_open(&s, *fd, NULL) == PROF_OK)
		memcpy(f->build_id, s.build_id, sizeof(f->build_id));
}

static void
look_program(const struct look *l, struct look_file *f, int *fd)
{
	char name[64], link[PATH_MAX];
	ssize_t got;

	snprintf(name, sizeof(name), "/proc/%d/exe", (int)l->pid);
	got = readlink(name, link, sizeof(link));
	if (got >= 0 && (size_t)got == strlen(l->path) &&
	    !memcmp(link, l->path, (size_t)got))
		look_file(name, f, fd);
}

/* --- stacks --- */

/* "NUMBER ARGUMENT*6 SP PC" in a system call, "-1 SP PC" when blocked
 * otherwise, "running". */
bool
look_syscall(const char *text, uint64_t *sp, uint64_t *pc)
{
	if (!strncmp(text, "-1 ", 3))
		return sscanf(text, "-1 %" SCNx64 " %" SCNx64, sp, pc) == 2 &&
		       *pc;
	return sscanf(text, "%*d %*s %*s %*s %*s %*s %*s %" SCNx64 " %" SCNx64,
		      sp, pc) == 2 &&
	       *pc;
}

static void
look_state(int32_t pid, struct look_stack *s)
{
	char path[64], text[256];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", (int)pid,
		 (int)s->tid);
	/* Without the file there is no thread any more. */
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		s->state = access(path, F_OK) == 0 ? LOOK_UNKNOWN : LOOK_RUNS;
		return;
	}
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n < 0 ? 0 : n] = '\0';
	s->state = n < 0                                ? LOOK_UNKNOWN
		   : look_syscall(text, &s->sp, &s->pc) ? LOOK_WAITS
							: LOOK_RUNS;
}

static void
look_stack(const struct look *l, int32_t tid, int memory, struct buf *out)
{
	struct look_stack s = { .tid = tid,
				.time_ns = (uint64_t)now_ns(CLOCK_MONOTONIC) };
	size_t head = out->n;
	ssize_t n = 0;

	look_state(l->pid, &s);
	if (s.state == LOOK_RUNS || buf_add(out, &s, sizeof(s)) != 0 ||
	    buf_reserve(out, l->stack_bytes) != 0)
		return;
	if (s.state == LOOK_WAITS)
		n = pread(memory, out->data + out->n, l->stack_bytes,
			  (off_t)s.sp);
	s.n = n > 0 ? (uint32_t)n : 0;
	memcpy(out->data + head, &s, sizeof(s));
	out->n += s.n;
}

static void
look_stacks(const struct look *l, struct buf *out)
{
	char path[64];
	int memory;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)l->pid);
	memory = open(path, O_RDONLY | O_CLOEXEC);
	for (uint32_t i = 0; i < l->n_stack && i < LOOK_MAX_STACKS; i++)
		look_stack(l, l->tid[i], memory, out);
	if (memory >= 0)
		close(memory);
}

void
look_at(const struct look *l, struct buf *out, int *fd)
{
	struct look_file f = { 0 };

	*fd = -1;
	switch (l->what) {
	case LOOK_TEXT:
		look_text(l->path, out);
		return;
	case LOOK_STACKS:
		look_stacks(l, out);
		return;
	case LOOK_FILE:
		look_file(l->path, &f, fd);
		break;
	case LOOK_PLACE:
		f.is_found = stat(l->path, &f.sb) == 0;
		break;
	case LOOK_PROGRAM:
		look_program(l, &f, fd);
		break;
	}
	(void)!buf_add(out, &f, sizeof(f));
}
