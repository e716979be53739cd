/* waiting.c - see waiting.h. */
#include "config.h"

#include "waiting.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture-int.h"
#include "lib/base/now.h"
#include "record/procfs.h"
#include "sample.h"
#include "unwind/walk.h"

enum state { RUNS, WAITS, UNKNOWN };

static enum state
read_state(int32_t pid, int32_t tid, struct walk_stack *s)
{
	char path[64], text[256];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, tid);
	fd = procfs_open(path);
	/* Without the file there is no thread any more. */
	if (fd < 0)
		return access(path, F_OK) == 0 ? UNKNOWN : RUNS;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n < 0)
		return UNKNOWN;
	text[n] = '\0';
	/* Other registers are unknown: callers that need them are not found. */
	memset(s->reg, 0, sizeof(s->reg));
	return procfs_syscall(text, &s->reg[WALK_SP], &s->reg[WALK_PC]) ? WAITS
									: RUNS;
}

size_t
waiting_add(struct perf_sampler *s, int32_t pid, uint32_t stack_bytes,
	    void (*wait)(void *ctx), void *ctx)
{
	char path[64], *bytes = malloc(stack_bytes);
	size_t n_unknown = 0;
	pid_t tid;
	DIR *dir;
	int memory;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	memory = procfs_open(path);
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = procfs_list(path);
	while (bytes && dir && (tid = capture_next_number(dir))) {
		struct walk_stack stack = { .bytes = bytes };
		/* Before the look: what it does after that is recorded. */
		uint64_t time_ns = (uint64_t)now_ns(CLOCK_MONOTONIC);
		enum state state = read_state(pid, tid, &stack);
		ssize_t n = -1;

		if (state == WAITS)
			n = pread(memory, bytes, stack_bytes,
				  (off_t)stack.reg[WALK_SP]);
		if (n > 0) {
			stack.n = (size_t)n;
			while (!perf_sampler_waits(s, pid, tid, &stack,
						   time_ns))
				wait(ctx);
		}
		n_unknown += state == UNKNOWN || (state == WAITS && n <= 0);
	}
	if (dir)
		closedir(dir);
	if (memory >= 0)
		close(memory);
	free(bytes);
	return n_unknown;
}
