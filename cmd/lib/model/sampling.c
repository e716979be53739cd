/* sampling.c - see sampling.h. */
#include "config.h"

#include "sampling.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

static const char title[] = "# sampling: ";

bool
sampling_is_none(const struct profile *p, size_t i)
{
	const struct sample *s = &p->sample[i];
	const struct location *l;

	if (s->n_stack != 1)
		return false;
	l = &p->location[*profile_stack(p, s)];
	return l->n_line == 1 &&
	       !strcmp(profile_str(
			       p,
			       p->function[profile_line(p, l)->function].name),
		       SAMPLING_NONE);
}

int
sampling_add(struct profile *p, const struct sampling *s)
{
	char text[512];
	size_t n;

	snprintf(text, sizeof(text),
		 "%sclock=%s asked_hz=%.6g achieved_hz=%.6g ticks=%" PRIu64
		 " signals=%" PRIu64 " lost=%" PRIu64 " truncated=%" PRIu64
		 " unwind_failed=%" PRIu64 " untimed_threads=%" PRIu64,
		 title, s->clock, s->asked_hz, s->achieved_hz, s->ticks,
		 s->signals, s->lost, s->truncated, s->unwind_failed,
		 s->untimed);
	n = strlen(text);
	if (!strcmp(s->clock, "perf"))
		snprintf(text + n, sizeof(text) - n, " perf_signals=%" PRIu64,
			 s->perf_signals);
	n = strlen(text);
	if (s->sampler)
		snprintf(text + n, sizeof(text) - n, " sampler=%s", s->sampler);
	n = strlen(text);
	if (s->used_s > 0)
		snprintf(text + n, sizeof(text) - n,
			 " cpu_used=%.6g missed=%" PRIu64 " chance=%.3g",
			 s->used_s, s->missed, s->chance_s);
	n = strlen(text);
	if (s->lost_bytes)
		snprintf(text + n, sizeof(text) - n, " lost_bytes=%" PRIu64,
			 s->lost_bytes);
	n = strlen(text);
	if (s->unread)
		snprintf(text + n, sizeof(text) - n, " unread=%" PRIu64,
			 s->unread);
	n = strlen(text);
	if (s->merged)
		snprintf(text + n, sizeof(text) - n,
			 " merged=%" PRIu64 " sample_us=%.4g", s->merged,
			 s->sample_us);
	return profile_add_comment(p, text) == PROF_NONE ? -1 : 0;
}

/* The number after " NAME=" in text, or 0; comments may be forged. */
static double
number(const char *text, const char *name)
{
	char word[32];
	const char *at;
	double v;

	snprintf(word, sizeof(word), " %s=", name);
	at = strstr(text, word);
	v = at ? strtod(at + strlen(word), NULL) : 0;
	return v > 0 && v < 0x1p62 ? v : 0;
}

static uint64_t
count_of(const char *text, const char *name)
{
	return (uint64_t)number(text, name);
}

static void
comment_add(struct sampling *s, const char *text)
{
	uint64_t ticks = count_of(text, "ticks");
	uint64_t missed = count_of(text, "missed");
	double chance = number(text, "chance");

	s->asked_hz += number(text, "asked_hz") * (double)(ticks + missed);
	s->achieved_hz += number(text, "achieved_hz") * (double)ticks;
	s->ticks += ticks;
	s->signals += count_of(text, "signals");
	s->lost += count_of(text, "lost");
	s->truncated += count_of(text, "truncated");
	s->unwind_failed += count_of(text, "unwind_failed");
	s->untimed += count_of(text, "untimed_threads");
	s->perf_signals += count_of(text, "perf_signals");
	s->unread += count_of(text, "unread");
	s->merged += count_of(text, "merged");
	s->sample_us = fmax(s->sample_us, number(text, "sample_us"));
	s->used_s += number(text, "cpu_used");
	s->missed += missed;
	/* Errors of several recordings add up as their root. */
	s->chance_s = hypot(s->chance_s, chance);
	s->lost_bytes += count_of(text, "lost_bytes");
	s->is_outside |= strstr(text, " sampler=perf") != NULL;
	s->is_mixed |= strstr(text, "+perf") != NULL;
}

bool
sampling_sum(const struct profile *p, struct sampling *s)
{
	bool any = false;

	*s = (struct sampling){ 0 };
	for (size_t i = 0; i < p->n_comment; i++) {
		const char *text = profile_str(p, p->comment[i]);

		if (strncmp(text, title, strlen(title)) != 0)
			continue;
		comment_add(s, text);
		any = true;
	}
	if (s->ticks + s->missed)
		s->asked_hz /= (double)(s->ticks + s->missed);
	if (s->ticks)
		s->achieved_hz /= (double)s->ticks;
	return any;
}

double
sampling_loss(const struct sampling *s)
{
	double lost = (double)s->lost, all = (double)s->ticks;

	/* More events than ticks may be lost, of several kinds. */
	return lost > all ? 1 : all > 0 ? lost / all : 0;
}

void
sampling_clock(const struct profile *p, char *text, size_t size)
{
	text[0] = '\0';
	for (size_t i = 0; i < p->n_comment; i++) {
		const char *s = profile_str(p, p->comment[i]);
		const char *at = strstr(s, " clock=");
		char clock[16];
		size_t n;

		if (strncmp(s, title, strlen(title)) != 0 || !at)
			continue;
		n = strcspn(at + 7, " ");
		if (n >= sizeof(clock))
			continue;
		memcpy(clock, at + 7, n);
		clock[n] = '\0';
		if (*text && strcmp(text, clock) != 0)
			snprintf(clock, sizeof(clock), "several");
		snprintf(text, size, "%s", clock);
	}
}
