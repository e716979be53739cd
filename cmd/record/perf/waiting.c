/* waiting.c - see waiting.h. */
#include "config.h"

#include "waiting.h"

#include <stdio.h>
#include <string.h>

#include "capture-int.h"
#include "lib/base/buf.h"
#include "record/procfs.h"
#include "record/scout.h"
#include "sample.h"
#include "unwind/walk.h"

enum { MAX_BYTES = 1 << 18 /* of stacks in an answer */ };

struct waiting {
	struct perf_sampler *sampler;
	void (*wait)(void *ctx);
	void *ctx;
	size_t n_unknown;
};

static void
add_stack(struct waiting *w, int32_t pid, const struct look_stack *s,
	  const char *bytes)
{
	/* Other registers are unknown: callers that need them are not found. */
	struct walk_stack stack = { .bytes = bytes, .n = s->n };

	if (!s->n) {
		w->n_unknown++;
		return;
	}
	stack.reg[WALK_SP] = s->sp;
	stack.reg[WALK_PC] = s->pc;
	while (!perf_sampler_waits(w->sampler, pid, s->tid, &stack, s->time_ns))
		w->wait(w->ctx);
}

static void
add_stacks(struct waiting *w, const struct look *l)
{
	struct buf answer = { 0 };
	struct look_stack s;
	size_t at = 0;
	int none;

	if (l->n_stack)
		scout_look(l, &answer, &none);
	while (answer.n - at >= sizeof(s)) {
		memcpy(&s, answer.data + at, sizeof(s));
		at += sizeof(s);
		if (s.n > answer.n - at)
			break;
		add_stack(w, l->pid, &s, (char *)answer.data + at);
		at += s.n;
	}
	buf_release(&answer);
}

size_t
waiting_add(struct perf_sampler *s, int32_t pid, uint32_t stack_bytes,
	    void (*wait)(void *ctx), void *ctx)
{
	struct waiting w = { s, wait, ctx, 0 };
	struct look l = { .what = LOOK_STACKS,
			  .pid = pid,
			  .stack_bytes = stack_bytes };
	char path[64];
	pid_t tid;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = procfs_list(path);
	while (dir && (tid = capture_next_number(dir))) {
		l.tid[l.n_stack++] = tid;
		if (l.n_stack < LOOK_MAX_STACKS &&
		    (l.n_stack + 1) * stack_bytes <= MAX_BYTES)
			continue;
		add_stacks(&w, &l);
		l.n_stack = 0;
	}
	add_stacks(&w, &l);
	if (dir)
		closedir(dir);
	return w.n_unknown;
}
