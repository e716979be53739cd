/* script-in.c - see script.h. */
#include "config.h"

#include "script.h"

#include <stdio.h>
#include <stdlib.h>

#include "byname.h"
#include "lib/base/ascii.h"
#include "lib/formats/span.h"

#define MAX_GROUP 64 /* inlined frames in one location */
#define MAX_EVENTS 64

/* An event, which has one or two columns. */
struct event {
	uint32_t name;   /* string, without modifiers */
	bool has_period; /* its first sample had one */
	size_t column;   /* of its count; that of its periods follows */
};

struct script {
	struct byname b;
	struct prof_err *err;
	struct event event[MAX_EVENTS];
	size_t n_event;
	size_t n_period, n_frame; /* what was understood */
	size_t n_bad;             /* lines that are neither header nor frame */
	size_t first_bad;
	bool is_open; /* a sample's frames are being read */
	int64_t value[2 * MAX_EVENTS];
	struct label label[2];
	size_t n_label;
	struct line line[MAX_GROUP];
	size_t n_line; /* inlined frames whose location is still to come */
};

/* The fields of a header line. */
struct header {
	struct span comm, event, rest;
	uint64_t pid, period;
	bool has_pid, has_period;
};

/* A number; -1, of a task that has ended, is 0. */
static bool
take_id(struct span *s, uint64_t *id)
{
	*id = 0;
	return span_take(s, "-1") || span_dec(s, id);
}

/* The field misc: letters for the mode of the processor and the like. */
static void
skip_misc(struct span *s)
{
	struct span at = *s;

	while (at.p < at.end && (*at.p | 0x20) >= 'a' && (*at.p | 0x20) <= 'z')
		at.p++;
	if (span_blanks(&at))
		*s = at;
}

/* "27709/27754 " or "27754 ", and "[001] " and "U " behind it. */
static bool
take_ids(struct span *s, struct header *h)
{
	uint64_t tid;

	if (!take_id(s, &h->pid))
		return false;
	if (span_take(s, "/")) {
		h->has_pid = true;
		if (!take_id(s, &tid))
			return false;
	}
	if (!span_blanks(s))
		return false;
	if (span_take(s, "[")) {
		if (!span_dec(s, &tid) || !span_take(s, "]"))
			return false;
		span_blanks(s);
	}
	skip_misc(s);
	return true;
}

/* "2157.480061:". *is_exact: it has microseconds, so it is no other number. */
static bool
take_time(struct span *s, bool *is_exact)
{
	const char *p = s->p, *point;

	while (s->p < s->end && (is_digit(*s->p) || *s->p == '.'))
		s->p++;
	point = memchr(p, '.', (size_t)(s->p - p));
	*is_exact = point && s->p - point > 6;
	return s->p > p && span_take(s, ":");
}

/* Ids and a time, or an exact time without the fields of ids. */
static bool
take_ids_and_time(struct span *s, struct header *h, bool *is_exact)
{
	struct span at = *s;

	if (take_ids(&at, h) && take_time(&at, is_exact)) {
		*s = at;
		return true;
	}
	h->has_pid = false;
	return take_time(s, is_exact) && *is_exact;
}

static bool parse_frame(struct span s, struct span *symbol, struct span *dso);

/* "    1003009 cpu-clock:u:", and what follows. */
static void
take_event(struct span *s, struct header *h)
{
	struct span at = *s;

	span_blanks(&at);
	h->rest = at;
	if (span_dec(&at, &h->period) && span_blanks(&at)) {
		h->has_period = true;
		h->rest = at;
	}
	h->event = h->rest;
	while (h->rest.p < h->rest.end && !is_blank(*h->rest.p))
		h->rest.p++;
	h->event.end = h->rest.p;
	/* cycles:ppp: */
	while (h->event.end > h->event.p && h->event.end[-1] == ':')
		h->event.end--;
}

/*
 * Without the field time only the colon behind the event tells a header from
 * other text, and that a frame or nothing follows.
 */
static bool
take_ids_and_event(struct span *s, struct header *h)
{
	struct span at = *s, symbol, dso;

	h->has_pid = h->has_period = false;
	if (!take_ids(&at, h))
		return false;
	take_event(&at, h);
	return span_len(h->event) && h->event.end < h->rest.p &&
	       !is_digit(*h->event.p) &&
	       (!span_len(span_trim(h->rest)) ||
		parse_frame(h->rest, &symbol, &dso));
}

static bool
take_timed(struct span *s, struct header *h, bool has_comm)
{
	bool is_exact;

	if (!take_ids_and_time(s, h, &is_exact) || (!has_comm && !is_exact))
		return false;
	take_event(s, h);
	return true;
}

/* The comm may have blanks: it ends where the ids and the time begin. It may be
 * missing, too. */
static bool
parse_header(struct span s, struct header *h)
{
	*h = (struct header){ .comm = { s.p, s.p } };
	if (s.p == s.end || is_blank(*s.p))
		return false;
	for (int timed = 1; timed >= 0; timed--)
		for (const char *p = s.p; p < s.end; p++) {
			struct span at = { p, s.end };

			if ((!is_digit(*p) && *p != '-') ||
			    (p > s.p && !is_blank(p[-1])) ||
			    !(timed ? take_timed(&at, h, p > s.p)
				    : p > s.p && take_ids_and_event(&at, h)))
				continue;
			h->comm.end = p;
			while (h->comm.end > s.p && is_blank(h->comm.end[-1]))
				h->comm.end--;
			return true;
		}
	return false;
}

/* Lines of perf script --show-task-events and the like are no samples. */
static bool
is_side_band(const struct header *h)
{
	return span_begins(h->event, "PERF_RECORD_");
}

/*
 * A header line. Without call chains perf aligns the comm to the right, and the
 * frame, if any, is on the same line; an indented line is one of a stack
 * otherwise.
 */
static bool
is_header(struct span s, struct header *h)
{
	bool is_indented = span_blanks(&s);
	struct span symbol, dso;

	return parse_header(s, h) &&
	       (!is_indented || is_side_band(h) || h->event.p == s.end ||
		parse_frame(h->rest, &symbol, &dso));
}

bool
script_is(const void *data, size_t n)
{
	struct text t = { .p = data, .end = (const char *)data + n };
	struct header h;

	while (text_next(&t)) {
		if (span_begins(t.line, "# ========"))
			return true;
		if (!span_is_comment(t.line))
			return is_header(t.line, &h);
	}
	return false;
}

/* --- frames --- */

static bool
is_kernel(struct span dso)
{
	return span_begins(dso, "[kernel") || span_begins(dso, "[guest.k") ||
	       (span_len(dso) > 3 && !memcmp(dso.end - 3, ".ko", 3)) ||
	       span_find(dso, ".ko.");
}

/* "main+0x13": without the offset. */
static void
cut_offset(struct span *symbol)
{
	const char *plus = memrchr(symbol->p, '+', span_len(*symbol));

	if (plus && symbol->end - plus > 3 && !memcmp(plus, "+0x", 3))
		symbol->end = plus;
}

/* An address, after blanks if any. *is_wide: perf's 16 columns, and a blank or
 * two. */
static bool
take_address(struct span *s, bool *is_wide)
{
	const char *p = s->p;
	uint64_t address;
	bool ok;

	span_blanks(s);
	ok = span_hex(s, &address);
	*is_wide = s->p - p == 17 || s->p - p == 18;
	return ok && s->p < s->end && is_blank(*s->p);
}

/* Where the last parentheses open, which end s and follow a blank, or NULL. */
static const char *
last_parentheses(struct span s)
{
	int depth = 0;

	if (s.p == s.end || s.end[-1] != ')')
		return NULL;
	for (const char *p = s.end; p-- > s.p;) {
		depth += *p == ')' ? 1 : *p == '(' ? -1 : 0;
		if (!depth)
			return p > s.p && !is_blank(p[-1]) ? NULL : p;
	}
	return NULL;
}

/*
 * "HEX SYMBOL (DSO)"; s begins with the blanks before it, which some texts
 * lost. The file is in the last parentheses. Without the field dso there is
 * none: then only the columns tell a frame from other text. The field addr is
 * an address before it.
 */
static bool
parse_frame(struct span s, struct span *symbol, struct span *dso)
{
	const char *open;
	struct span next;
	bool is_wide, is_second;

	while (s.end > s.p && is_blank(s.end[-1]))
		s.end--;
	if (!take_address(&s, &is_wide))
		return false;
	next = s;
	if (take_address(&next, &is_second) && is_second) {
		s = next;
		is_wide = true;
	}
	open = last_parentheses(s);
	if (!open && !is_wide)
		return false;
	*dso = (struct span){ s.end, s.end };
	if (open)
		*dso = (struct span){ open + 1, s.end - 1 };
	*symbol = span_trim((struct span){ s.p, open ? open : s.end });
	cut_offset(symbol);
	return true;
}

/*
 * "  FILE:LINE" behind a frame: the field srcline. Without debugging
 * information it has the place in the file, "  FILE[HEX]".
 */
static bool
parse_place(struct span s, struct span *file, int64_t *line)
{
	const char *colon;

	*line = 0;
	if (!span_take(&s, "  ") || !span_len(s) || is_blank(*s.p))
		return false;
	if (s.end[-1] == ']')
		return true;
	colon = memrchr(s.p, ':', span_len(s));
	if (!colon || colon == s.p)
		return false;
	*file = (struct span){ s.p, colon };
	return span_int((struct span){ colon + 1, s.end }, line);
}

/* The lines that wait, or none, in the mapping of a file. */
static bool
push_location(struct script *w, struct span dso)
{
	struct byname *b = &w->b;
	uint32_t mapping = PROF_NONE, file;

	if (span_len(dso) && !span_is(dso, "[unknown]")) {
		file = is_kernel(dso) && !span_find(dso, ".ko")
			       ? profile_intern(b->p, "[kernel.kallsyms]")
			       : byname_string(b, dso.p, span_len(dso));
		if (file == STRTAB_NONE)
			return false;
		mapping = byname_mapping(b, file);
		if (mapping == PROF_NONE)
			return false;
	}
	if (byname_push(b, byname_location(b, mapping, 0, w->line, w->n_line)) <
	    0)
		return false;
	w->n_line = 0;
	return true;
}

static bool
push_frame(struct script *w, struct span symbol, struct span dso)
{
	bool is_inlined = span_is(dso, "inlined");
	struct byname *b = &w->b;
	uint32_t name;

	if (is_inlined && w->n_line + 1 == MAX_GROUP)
		return true;
	w->n_frame++;
	/* A file without symbols: a frame without a name, in that file. */
	if (!w->n_line && span_is(symbol, "[unknown]") && span_len(dso) &&
	    !is_inlined && !span_is(dso, "[unknown]"))
		return push_location(w, dso);
	name = byname_string(b, symbol.p, span_len(symbol));
	if (name == STRTAB_NONE)
		return false;
	w->line[w->n_line] =
		(struct line){ .function = byname_function(b, name, 0, 0) };
	if (w->line[w->n_line++].function == PROF_NONE)
		return false;
	if (is_inlined)
		return true;
	return push_location(w, dso);
}

/* Give the frame before a file and a line. */
static bool
place_frame(struct script *w, struct span file, int64_t number)
{
	struct byname *b = &w->b;
	const struct location *l = NULL;
	uint32_t name = byname_string(b, file.p, span_len(file));
	uint32_t mapping = PROF_NONE;
	struct line *line;

	if (name == STRTAB_NONE)
		return false;
	if (!w->n_line) {
		l = &b->p->location[b->stack[b->n_stack - 1]];
		if (!l->n_line) /* a frame without a name */
			return true;
		b->n_stack--;
		mapping = l->mapping;
		w->n_line = l->n_line;
		memcpy(w->line, profile_line(b->p, l),
		       l->n_line * sizeof(*w->line));
	}
	line = &w->line[w->n_line - 1];
	line->line = number;
	line->function = byname_function(b, b->p->function[line->function].name,
					 name, 0);
	if (line->function == PROF_NONE)
		return false;
	if (!l)
		return true;
	number = (int64_t)w->n_line;
	w->n_line = 0;
	return byname_push(b, byname_location(b, mapping, 0, w->line,
					      (size_t)number)) == 0;
}

/* --- samples --- */

static bool
end_sample(struct script *w)
{
	if (!w->is_open)
		return true;
	w->is_open = false;
	/* Inlined into a function that perf does not name. */
	if (w->n_line && !push_location(w, (struct span){ NULL, NULL }))
		return false;
	return byname_sample(&w->b, w->value, w->label, w->n_label) == 0;
}

/* The event of a header, without modifiers: a string. */
static uint32_t
event_name(struct script *w, const struct header *h)
{
	const char *colon = memrchr(h->event.p, ':', span_len(h->event));
	struct span e = h->event;

	if (colon &&
	    strspn(colon + 1, "ukhGHpPSDWeI") >= (size_t)(e.end - colon - 1))
		e.end = colon;
	return byname_string(&w->b, e.p, span_len(e));
}

/* Remember the event of a header: the columns are of all events. */
static enum prof_status
add_event(struct script *w, const struct header *h)
{
	uint32_t name = event_name(w, h);

	if (name == STRTAB_NONE)
		return prof_nomem(w->err);
	for (size_t i = 0; i < w->n_event; i++)
		if (w->event[i].name == name)
			return PROF_OK;
	if (w->n_event == MAX_EVENTS)
		return prof_fail(w->err, PROF_ELIMIT,
				 "perf script: more than %d events",
				 MAX_EVENTS);
	w->event[w->n_event++] =
		(struct event){ .name = name, .has_period = h->has_period };
	return PROF_OK;
}

/* cpu-clock or task-clock, also with modifiers: cpu-clock:u. */
static bool
is_time_event(const char *name)
{
	size_t n = strcspn(name, ":");

	return (n == strlen("cpu-clock") && !strncmp(name, "cpu-clock", n)) ||
	       (n == strlen("task-clock") && !strncmp(name, "task-clock", n));
}

/* A count and a sum of periods for each event, named as those of perf.data. The
 * default is the first that is a time, or the first: which has the first sample
 * is luck. */
static bool
add_types(struct script *w)
{
	struct profile *p = w->b.p;
	bool has_time = false;
	char samples[256];

	for (size_t i = 0; i < w->n_event; i++) {
		struct event *e = &w->event[i];
		const char *name = profile_str(p, e->name);
		bool is_time = is_time_event(name);
		bool alone = w->n_event == 1;

		if (!*name)
			name = "period";
		snprintf(samples, sizeof(samples), "%s:samples", name);
		e->column = p->n_type;
		if (profile_add_type(p, alone ? "samples" : samples, "count") ==
		    PROF_NONE)
			return false;
		if (e->has_period &&
		    profile_add_type(p, alone && is_time ? "cpu" : name,
				     is_time ? "nanoseconds" : "count") ==
			    PROF_NONE)
			return false;
		if (!alone && (!i || (is_time && !has_time)))
			p->default_type = p->type[p->n_type - 1].type;
		has_time |= is_time;
	}
	return true;
}

static enum prof_status
find_events(struct script *w, struct text t)
{
	enum prof_status st = PROF_OK;
	struct header h;

	while (st == PROF_OK && text_next(&t))
		if (t.line.p < t.line.end && *t.line.p != '#' &&
		    is_header(t.line, &h) && !is_side_band(&h))
			st = add_event(w, &h);
	if (st == PROF_OK && !w->n_event)
		st = prof_fail(w->err, PROF_EFORMAT, "perf script: no samples");
	return st == PROF_OK && !add_types(w) ? prof_nomem(w->err) : st;
}

/* A label with a text or, without one, a number. */
static bool
add_label(struct script *w, const char *key, const struct span *text,
	  uint64_t number)
{
	struct label *l = &w->label[w->n_label++];

	*l = (struct label){ .key = profile_intern(w->b.p, key),
			     .num = (int64_t)number };
	if (text)
		l->str = byname_string(&w->b, text->p, span_len(*text));
	return l->key != STRTAB_NONE && l->str != STRTAB_NONE;
}

static bool
begin_sample(struct script *w, const struct header *h)
{
	uint32_t name = event_name(w, h);
	const struct event *e = w->event;
	struct span symbol, dso;

	if (!end_sample(w) || name == STRTAB_NONE)
		return false;
	while (e->name != name)
		e++;
	w->is_open = true;
	memset(w->value, 0, sizeof(w->value));
	w->value[e->column] = 1;
	if (e->has_period)
		w->value[e->column + 1] =
			h->has_period ? (int64_t)h->period : 1;
	w->n_period += h->has_period;
	w->n_label = 0;
	/* The comm is the thread's: that of its process may be another. */
	if (span_len(h->comm) && !add_label(w, "thread", &h->comm, 0))
		return false;
	if (h->has_pid && h->pid && !add_label(w, "pid", NULL, h->pid))
		return false;
	/* Without call chains the frame is on the same line. */
	return !parse_frame(h->rest, &symbol, &dso) ||
	       push_frame(w, symbol, dso);
}

static bool
one_line(struct script *w, const struct text *t)
{
	struct span symbol, dso, s = t->line;
	struct header h;
	int64_t line;

	if (!span_len(span_trim(s)))
		return end_sample(w);
	if (*s.p == '#')
		return true;
	if (is_header(s, &h))
		return is_side_band(&h) ? end_sample(w) : begin_sample(w, &h);
	if (w->is_open && parse_frame(s, &symbol, &dso))
		return push_frame(w, symbol, dso);
	if ((w->n_line || (w->is_open && w->b.n_stack)) &&
	    parse_place(s, &symbol, &line))
		return !line || place_frame(w, symbol, line);
	if (!w->n_bad++)
		w->first_bad = t->number;
	return true;
}

/* A text of another kind may have a line or two that look like a header. */
static enum prof_status
check_all(struct script *w)
{
	struct profile *p = w->b.p;
	size_t n_good = p->n_sample + w->n_frame;

	if (w->n_bad > n_good)
		return prof_fail(
			w->err, PROF_EFORMAT,
			"not the text of perf script: %zu of %zu lines "
			"are something else; the first is line %zu",
			w->n_bad, w->n_bad + n_good, w->first_bad);
	if (!w->n_frame && !w->n_period)
		return prof_fail(w->err, PROF_EFORMAT,
				 "perf script: no sample has a frame or a "
				 "period; -F +ip,sym,dso prints frames");
	if (w->n_bad)
		profile_doubt(p,
			      "%zu lines are not from perf script; the first "
			      "is line %zu",
			      w->n_bad, w->first_bad);
	return PROF_OK;
}

enum prof_status
script_parse(const void *data, size_t n, struct profile **out,
	     struct prof_err *err)
{
	struct text t = { .p = data, .end = (const char *)data + n };
	struct script w = { .err = err };
	enum prof_status st;

	*out = NULL;
	st = byname_init(&w.b, err);
	if (st == PROF_OK)
		st = find_events(&w, t);
	while (st == PROF_OK && text_next(&t))
		if (!one_line(&w, &t))
			st = prof_nomem(err);
	if (st == PROF_OK && !end_sample(&w))
		st = prof_nomem(err);
	if (st == PROF_OK)
		st = check_all(&w);
	if (st == PROF_OK)
		*out = byname_take(&w.b);
	byname_release(&w.b);
	return st;
}
