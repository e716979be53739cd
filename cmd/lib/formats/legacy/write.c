/* write.c - see write.h; the formats: doc/formats.md. */
#include "config.h"

#include "write.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/profile.h"

struct writer {
	const struct profile *p;
	struct buf *out;
	bool *hidden; /* of each mapping: an earlier one has its addresses */
};

static bool
overlap(const struct mapping *a, const struct mapping *b)
{
	return a->start < b->limit && b->start < a->limit;
}

static enum prof_status
writer_init(struct writer *w, const struct profile *p, struct buf *out,
	    struct prof_err *err)
{
	*w = (struct writer){ .p = p, .out = out };
	w->hidden = calloc(p->n_mapping + 1, sizeof(*w->hidden));
	if (!w->hidden)
		return prof_nomem(err);
	for (size_t i = 1; i < p->n_mapping; i++)
		for (size_t k = 0; k < i && !w->hidden[i]; k++)
			w->hidden[i] = !w->hidden[k] &&
				       overlap(&p->mapping[i], &p->mapping[k]);
	return PROF_OK;
}

static bool
is_hidden(const struct writer *w, const struct sample *s)
{
	const uint32_t *stack = profile_stack(w->p, s);

	for (uint32_t i = 0; i < s->n_stack; i++) {
		uint32_t m = w->p->location[stack[i]].mapping;

		if (m != PROF_NONE && w->hidden[m])
			return true;
	}
	return false;
}

/* Our callers' addresses lie in the call, theirs after it. */
static uint64_t
pc_of(const struct writer *w, const struct sample *s, uint32_t i)
{
	const uint32_t *stack = profile_stack(w->p, s);
	uint64_t pc = w->p->location[stack[i]].address + (i > 0);

	return pc ? pc : 1; /* 0 would end the profile */
}

/* The executable mappings as lines of /proc/PID/maps. */
static int
add_maps(const struct writer *w)
{
	for (size_t i = 0; i < w->p->n_mapping; i++) {
		const struct mapping *m = &w->p->mapping[i];
		const char *file = profile_str(w->p, m->file);
		char line[128];
		int n = snprintf(line, sizeof(line),
				 "%" PRIx64 "-%" PRIx64 " r-xp %08" PRIx64
				 " 00:00 0 ",
				 m->start, m->limit, m->offset);

		if (w->hidden[i] || strchr(file, '\n'))
			continue;
		if (buf_add(w->out, line, (size_t)n) < 0 ||
		    buf_add(w->out, file, strlen(file)) < 0 ||
		    buf_add(w->out, "\n", 1) < 0)
			return -1;
	}
	return 0;
}

static int
add_words(struct buf *out, const uintptr_t *word, size_t n)
{
	return buf_add(out, word, n * sizeof(*word));
}

static int
add_record(const struct writer *w, const struct sample *s, int64_t ticks)
{
	uintptr_t head[2] = { (uintptr_t)ticks, s->n_stack ? s->n_stack : 1 };
	uintptr_t pc = 1; /* for a stack without frames */

	if (add_words(w->out, head, 2) < 0)
		return -1;
	if (!s->n_stack)
		return add_words(w->out, &pc, 1);
	for (uint32_t i = 0; i < s->n_stack; i++) {
		pc = (uintptr_t)pc_of(w, s, i);
		if (add_words(w->out, &pc, 1) < 0)
			return -1;
	}
	return 0;
}

static int
write_cpu(const struct writer *w)
{
	int64_t period = w->p->period > 1000 ? w->p->period : 1000;
	const uintptr_t header[] = { 0, 3, 0, (uintptr_t)period / 1000, 0 };
	const uintptr_t trailer[] = { 0, 1, 0 };

	if (add_words(w->out, header, 5) < 0)
		return -1;
	for (size_t i = 0; i < w->p->n_sample; i++) {
		const struct sample *s = &w->p->sample[i];

		if (!is_hidden(w, s) &&
		    add_record(w, s, profile_value(w->p, i)[1] / period) < 0)
			return -1;
	}
	if (add_words(w->out, trailer, 3) < 0)
		return -1;
	return add_maps(w);
}

__attribute__((format(printf, 2, 3))) static int
add_text(const struct writer *w, const char *fmt, ...)
{
	va_list ap;
	int failed;

	va_start(ap, fmt);
	failed = buf_vprintf(w->out, fmt, ap);
	va_end(ap);
	return failed;
}

/* "@ 0x1234 0x1235": all are addresses after a call, the leaf too. */
static int
add_stack(const struct writer *w, const struct sample *s)
{
	const uint32_t *stack = profile_stack(w->p, s);

	if (add_text(w, " @") < 0)
		return -1;
	for (uint32_t i = 0; i < s->n_stack; i++)
		if (add_text(w, " 0x%" PRIx64,
			     w->p->location[stack[i]].address + 1) < 0)
			return -1;
	return add_text(w, "\n");
}

/* The objects and bytes of a sample: v[0] to v[3] as in the format. */
static void
heap_values(const struct writer *w, size_t i, int64_t v[4])
{
	const int64_t *value = profile_value(w->p, i);
	bool is_growth = w->p->n_type == 2;

	for (size_t k = 0; k < 4; k++)
		v[k] = value[is_growth ? k % 2 : (k + 2) % 4];
	/* A reader would refuse bytes of no object. */
	for (size_t k = 0; k < 4; k += 2)
		if (!v[k] && v[k + 1])
			v[k] = 1;
}

static int
add_heap_values(const struct writer *w, const int64_t v[4])
{
	return add_text(
		w, "%6" PRId64 ": %8" PRId64 " [%6" PRId64 ": %8" PRId64 "]",
		v[0], v[1], v[2], v[3]);
}

static int
write_heap(const struct writer *w)
{
	int64_t sum[4] = { 0 }, v[4];

	for (size_t i = 0; i < w->p->n_sample; i++) {
		heap_values(w, i, v);
		for (size_t k = 0; k < 4 && !is_hidden(w, &w->p->sample[i]);
		     k++)
			sum[k] += v[k];
	}
	/* Not "heap_v2": these are estimates of all, not samples. */
	if (add_text(w, "heap profile: ") < 0 || add_heap_values(w, sum) < 0 ||
	    add_text(w, " @ %s\n",
		     w->p->n_type == 2 ? "growth" : "heapprofile") < 0)
		return -1;
	for (size_t i = 0; i < w->p->n_sample; i++) {
		const struct sample *s = &w->p->sample[i];

		heap_values(w, i, v);
		if (!is_hidden(w, s) &&
		    (add_heap_values(w, v) < 0 || add_stack(w, s) < 0))
			return -1;
	}
	if (add_text(w, "\nMAPPED_LIBRARIES:\n") < 0)
		return -1;
	return add_maps(w);
}

static int
write_contention(const struct writer *w)
{
	if (add_text(w,
		     "--- contentionz 1 ---\n"
		     "cycles/second = 1000000000\n"
		     "sampling period = 1\n"
		     "ms since reset = %" PRId64 "\n"
		     "discarded samples = 0\n",
		     w->p->duration_ns / 1000000) < 0)
		return -1;
	for (size_t i = 0; i < w->p->n_sample; i++) {
		const struct sample *s = &w->p->sample[i];
		const int64_t *v = profile_value(w->p, i);

		if (!is_hidden(w, s) &&
		    (add_text(w, "%" PRId64 " %" PRId64, v[1], v[0]) < 0 ||
		     add_stack(w, s) < 0))
			return -1;
	}
	if (add_text(w, "--- Memory map: ---\n") < 0)
		return -1;
	return add_maps(w);
}

enum prof_status
legacy_write(const struct profile *p, enum legacy_kind kind, struct buf *out,
	     struct prof_err *err)
{
	static int (*const write[])(const struct writer *w) = {
		[LEGACY_CPU] = write_cpu,
		[LEGACY_HEAP] = write_heap,
		[LEGACY_CONTENTION] = write_contention,
	};
	enum prof_status st;
	struct writer w;

	if ((size_t)kind >= sizeof(write) / sizeof(*write) || !write[kind])
		return prof_fail(err, PROF_ENOTSUP,
				 "no writer for this format");
	st = writer_init(&w, p, out, err);
	if (st == PROF_OK && write[kind](&w) < 0)
		st = prof_nomem(err);
	free(w.hidden);
	return st;
}
