/* legacy-write.c - see legacy-write.h; the formats: legacy-cpu.c. */
#include "config.h"

#include "legacy-write.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

struct writer {
	const struct profile *p;
	struct buf *out;
	bool *hidden; /* of each mapping: one before it has its addresses */
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

/* Our callers' addresses lie in the call, theirs are those after it. */
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

enum prof_status
legacy_write_cpu(const struct profile *p, struct buf *out, struct prof_err *err)
{
	uintptr_t period = (uintptr_t)(p->period / 1000);
	const uintptr_t header[] = { 0, 3, 0, period ? period : 1, 0 };
	const uintptr_t trailer[] = { 0, 1, 0 };
	enum prof_status rc;
	struct writer w;

	rc = writer_init(&w, p, out, err);
	if (rc == PROF_OK && add_words(out, header, 5) < 0)
		rc = prof_nomem(err);
	for (size_t i = 0; rc == PROF_OK && i < p->n_sample; i++) {
		const struct sample *s = &p->sample[i];

		if (!is_hidden(&w, s) &&
		    add_record(&w, s, profile_value(p, i)[0]) < 0)
			rc = prof_nomem(err);
	}
	if (rc == PROF_OK &&
	    (add_words(out, trailer, 3) < 0 || add_maps(&w) < 0))
		rc = prof_nomem(err);
	free(w.hidden);
	return rc;
}
