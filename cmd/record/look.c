/* look.c - see look.h. */
#include "config.h"

#include "look.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/base/fdpass.h"
#include "lib/base/now.h"
#include "lib/base/regular.h"

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

uid_t
look_user(int32_t pid)
{
	static const char word[] = "\nUid:";
	struct buf text = { 0 };
	uid_t user = (uid_t)-1;
	const char *at = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (pid > 0)
		look_text(path, &text);
	if (buf_add(&text, "", 1) == 0)
		at = strstr((char *)text.data, word);
	if (at)
		user = (uid_t)strtoul(at + strlen(word), NULL, 10);
	buf_release(&text);
	return user;
}

/* --- files --- */

static void
look_file(const char *path, struct look_file *f, int *parcel)
{
	int fd = regular_open(path, false, &f->sb, &f->err);
	struct statfs fs;

	f->is_found = fd >= 0;
	if (!f->is_found)
		return;
	f->is_fuse = fstatfs(fd, &fs) != 0 || fs.f_type == FUSE_SUPER_MAGIC;
	inspect_file(fd, false, &f->in);
	*parcel = fdpass_wrap(fd);
}

static void
look_head(const char *path, struct look_file *f)
{
	int fd = regular_open(path, false, &f->sb, &f->err);
	enum obstacle privilege;

	f->is_found = fd >= 0;
	if (!f->is_found)
		return;
	privilege = obstacle_privilege(fd);
	inspect_file(fd, true, &f->in);
	if (privilege != OBSTACLE_NONE)
		f->in.obstacle = privilege;
	close(fd);
}

static void
look_program(const struct look *l, struct look_file *f, int *parcel)
{
	char name[64], link[PATH_MAX];
	ssize_t got;

	snprintf(name, sizeof(name), "/proc/%d/exe", (int)l->pid);
	got = readlink(name, link, sizeof(link));
	if (got >= 0 && (size_t)got == strlen(l->path) &&
	    !memcmp(link, l->path, (size_t)got))
		look_file(name, f, parcel);
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
look_at(const struct look *l, struct buf *out, int *parcel)
{
	struct look_file f = { 0 };

	*parcel = -1;
	switch (l->what) {
	case LOOK_TEXT:
		look_text(l->path, out);
		return;
	case LOOK_STACKS:
		look_stacks(l, out);
		return;
	case LOOK_FILE:
		look_file(l->path, &f, parcel);
		break;
	case LOOK_HEAD:
		look_head(l->path, &f);
		break;
	case LOOK_PLACE:
		f.is_found = stat(l->path, &f.sb) == 0;
		break;
	case LOOK_PROGRAM:
		look_program(l, &f, parcel);
		break;
	}
	(void)!buf_add(out, &f, sizeof(f));
}
