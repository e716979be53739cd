/*
 * profile.c - the profile at the end: mappings in their order, events as
 * columns, labels, comments.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "impl.h"

/* --- mappings --- */

/* The kernel's entry in the table is called by another name than its mapping.
 */
static bool
is_build_id_of(const struct perf *r, const struct perf_build_id *b,
	       const struct perf_object *o)
{
	const struct str *file = &r->p->strings.str[o->file];
	const struct str *name = &r->p->strings.str[b->file];

	if (b->file == o->file)
		return true;
	return b->is_kernel && o->is_kernel && !o->symbol && name->len &&
	       file->len >= name->len && !memcmp(file->s, name->s, name->len) &&
	       !memcmp(name->s, "[kernel.kallsyms]",
		       name->len < 17 ? name->len : 17);
}

/* A table of build-ids comes when all is unwound. */
static void
tell_unwinder(struct perf *r)
{
	const struct perf_unwind *u = r->o.unwind;

	for (size_t i = 0; i < r->n_object; i++)
		if (!r->object[i].is_kernel && r->object[i].build_id)
			u->tell(u->ctx, (uint32_t)i,
				profile_str(r->p, r->object[i].file),
				profile_str(r->p, r->object[i].build_id));
}

static enum prof_status
apply_build_ids(struct perf *r)
{
	struct idmap by_file;
	enum prof_status st = PROF_OK;

	if (idmap_init(&by_file, r->n_build_id) < 0)
		return prof_nomem(r->err);
	for (size_t i = 0; st == PROF_OK && i < r->n_build_id; i++)
		if (idmap_add(&by_file, r->build_id[i].file, (uint32_t)i) < 0)
			st = prof_nomem(r->err);
	for (size_t i = 0; st == PROF_OK && i < r->n_object; i++) {
		struct perf_object *o = &r->object[i];
		uint32_t at = idmap_find(&by_file, o->file);

		if (o->build_id || o->pid)
			continue;
		if (at != IDMAP_NONE)
			o->build_id = r->build_id[at].build_id;
		for (size_t k = 0;
		     o->is_kernel && !o->build_id && k < r->n_build_id; k++)
			if (is_build_id_of(r, &r->build_id[k], o))
				o->build_id = r->build_id[k].build_id;
	}
	idmap_release(&by_file);
	if (r->o.unwind)
		tell_unwinder(r);
	return st;
}

static enum prof_status
add_mapping(struct perf *r, struct perf_object *o)
{
	const struct mapping m = {
		.start = o->start,
		.limit = o->reach > o->limit ? o->reach : o->limit,
		.offset = o->offset,
		.file = o->file,
		.build_id = o->build_id,
	};

	if (o->mapping != PROF_NONE || o->symbol)
		return PROF_OK;
	o->mapping = profile_add_mapping(r->p, &m);
	return o->mapping == PROF_NONE ? prof_nomem(r->err) : PROF_OK;
}

/* The program of the process with the most samples comes first. */
static enum prof_status
add_main(struct perf *r)
{
	struct mapping fake = { .limit = 1 };
	struct perf_object *best = NULL;

	for (size_t i = 0; i < r->n_object; i++)
		if (r->object[i].n_main &&
		    (!best || r->object[i].n_main > best->n_main))
			best = &r->object[i];
	if (best)
		return add_mapping(r, best);
	return r->o.is_google && profile_add_mapping(r->p, &fake) == PROF_NONE
		       ? prof_nomem(r->err)
		       : PROF_OK;
}

static enum prof_status
add_mappings(struct perf *r)
{
	enum prof_status st = apply_build_ids(r);
	bool has_id = false;

	if (st == PROF_OK)
		st = add_main(r);
	for (size_t i = 0; st == PROF_OK && i < r->p->n_location; i++) {
		struct perf_object *o;

		if (r->location_object[i] == PROF_NONE)
			continue;
		o = &r->object[r->location_object[i]];
		st = add_mapping(r, o);
		r->p->location[i].mapping = o->mapping;
		has_id = has_id || o->build_id;
	}
	r->notes.no_build_ids = r->p->n_mapping && !has_id;
	return st;
}

/* --- columns --- */

static bool
is_time(const struct perf_attr *a)
{
	return a->type == 1 && a->config < 2; /* cpu-clock, task-clock */
}

/* The attr of an event that has samples. */
static size_t
attr_of(const struct perf *r, uint32_t event)
{
	size_t i = 0;

	while (r->attr[i].event != event + 1)
		i++;
	return i;
}

static enum prof_status
add_type(struct perf *r, const char *name, size_t n, const char *suffix,
	 const char *unit)
{
	struct buf b = { 0 };
	enum prof_status st = PROF_OK;

	if (buf_add(&b, name, n) < 0 ||
	    buf_add(&b, suffix, strlen(suffix) + 1) < 0 ||
	    profile_add_type(r->p, (const char *)b.data, unit) == PROF_NONE)
		st = prof_nomem(r->err);
	buf_release(&b);
	return st;
}

/* Two columns of the event with samples in the given place. */
static enum prof_status
add_event(struct perf *r, uint32_t event)
{
	size_t i = attr_of(r, event);
	const char *unit = is_time(&r->attr[i]) ? "nanoseconds" : "count";
	bool google = r->o.is_google, alone = r->n_event == 1;
	const char *name;
	enum prof_status st;
	uint32_t s;
	size_t n;

	st = perf_attr_name(r, i, google, &s);
	if (st != PROF_OK)
		return st;
	name = profile_str(r->p, s);
	n = strlen(name);
	if (google) {
		st = add_type(r, name, n, "_sample", "count");
		return st == PROF_OK ? add_type(r, name, n, "_event", "count")
				     : st;
	}
	st = alone ? add_type(r, "samples", 7, "", "count")
		   : add_type(r, name, n, ":samples", "count");
	if (st != PROF_OK)
		return st;
	return alone && is_time(&r->attr[i]) ? add_type(r, "cpu", 3, "", unit)
					     : add_type(r, name, n, "", unit);
}

/* The first event that is a time, or the first: as of the text of perf script.
 */
static uint32_t
default_event(const struct perf *r)
{
	for (uint32_t e = 0; e < r->n_event; e++)
		if (is_time(&r->attr[attr_of(r, e)]))
			return e;
	return 0;
}

/* Events in the order of the attrs, whichever had the first sample. */
static void
number_events(struct perf *r, uint32_t *new_event)
{
	uint32_t n = 0;

	for (size_t i = 0; i < r->n_attr; i++)
		if (r->attr[i].event) {
			new_event[r->attr[i].event - 1] = n;
			r->attr[i].event = ++n;
		}
	for (size_t i = 0; i < r->n_row; i++)
		r->row[i].event = new_event[r->row[i].event];
}

static enum prof_status
add_columns(struct perf *r)
{
	uint32_t new_event[PERF_MAX_COLUMNS];
	enum prof_status st = PROF_OK;
	const struct perf_attr *a;

	number_events(r, new_event);
	for (uint32_t e = 0; st == PROF_OK && e < r->n_event; e++)
		st = add_event(r, e);
	if (st != PROF_OK)
		return st;
	if (!r->n_event) { /* a recording in which nothing was sampled */
		st = add_type(r, "samples", 7, "", "count");
		return st == PROF_OK ? add_type(r, "cpu", 3, "", "nanoseconds")
				     : st;
	}
	if (r->o.is_google) {
		r->p->default_type = r->p->type[r->p->n_type - 1].type;
	} else {
		if (r->n_event > 1)
			r->p->default_type =
				r->p->type[2 * default_event(r) + 1].type;
		a = &r->attr[attr_of(r, 0)];
		r->p->period_type = r->p->type[1];
		r->p->period = (int64_t)(a->period < INT64_MAX ? a->period
							       : INT64_MAX);
		if (perf_flag(a, FLAG_FREQ))
			r->p->period =
				is_time(a) && a->period
					? (int64_t)(1000000000 / a->period)
					: 0;
		if (!r->p->period)
			r->p->period_type = (struct value_type){ 0 };
	}
	if (r->o.weight) {
		r->p->default_type = r->p->type[r->p->n_type - 1].type;
		return add_type(r, "latency", 7, "", "cycles");
	}
	return PROF_OK;
}

/* --- labels --- */

struct labels {
	struct label label[12];
	size_t n;
	bool ok;
};

static struct label *
add_label(struct perf *r, struct labels *l, const char *key, const char *google)
{
	bool is_google = r->o.labels & PERF_GOOGLE_KEYS;
	struct label *new = &l->label[l->n++];

	*new = (struct label){ .key = profile_intern(r->p, is_google ? google
								     : key) };
	l->ok = l->ok && new->key != STRTAB_NONE;
	return new;
}

static void
add_number(struct perf *r, struct labels *l, const char *key, uint64_t v,
	   const char *unit)
{
	struct label *new = add_label(r, l, key, key);

	new->num = (int64_t)v;
	new->unit = profile_intern(r->p, unit);
	l->ok = l->ok && new->unit != STRTAB_NONE;
	/* A number of 0 without a unit is no label. */
	if (!v && !new->unit)
		l->n--;
}

static void
add_text(struct perf *r, struct labels *l, const char *key, const char *google,
	 uint32_t text)
{
	if (text)
		add_label(r, l, key, google)->str = text;
}

static uint32_t
mode_name(struct perf *r, uint32_t mode)
{
	static const char *const name[] = {
		"",           "Host Kernel",  "Host User",
		"Hypervisor", "Guest Kernel", "Guest User"
	};

	return profile_intern(r->p, name[mode]);
}

static void
add_wanted(struct perf *r, const struct perf_tags *t, struct labels *l)
{
	unsigned want = r->o.labels;
	uint32_t cgroup;

	if (want & PERF_TID)
		add_number(r, l, "tid", t->tid, "");
	if (want & PERF_THREAD)
		add_text(r, l, "thread", "thread_comm", t->thread);
	if (want & PERF_CPU)
		add_number(r, l, "cpu", t->cpu, "cpu");
	if (want & PERF_CGROUP) {
		cgroup = idmap_find(&r->cgroup, t->cgroup);
		add_text(r, l, "cgroup", "cgroup",
			 cgroup == IDMAP_NONE ? 0 : cgroup);
	}
	if (want & PERF_MODE)
		add_text(r, l, "execution_mode", "execution_mode",
			 mode_name(r, t->mode));
	if (want & PERF_TIME)
		add_number(r, l, "timestamp_ns", t->time, "nanoseconds");
	if (want & PERF_CODE_PAGE)
		add_number(r, l, "code_page_size", t->code_page, "bytes");
	if (want & PERF_DATA_PAGE)
		add_number(r, l, "data_page_size", t->data_page, "bytes");
	if (want & PERF_DATA_SRC)
		add_number(r, l, "data_src", t->data_src, "");
}

/* --- samples --- */

static bool
has_processes(const struct perf *r)
{
	for (size_t i = 0; i < r->n_row; i++)
		if (r->tags[r->row[i].tags].pid != r->tags[r->row[0].tags].pid)
			return true;
	return r->o.labels & PERF_PROCESS;
}

static enum prof_status
add_sample(struct perf *r, const struct perf_row *row, bool processes,
	   int64_t *value)
{
	const struct perf_stack *s = &r->stack[row->stack];
	const struct perf_tags *t = &r->tags[row->tags];
	struct labels l = { .ok = true };

	if (!r->o.is_google && (processes || s->flags & STACK_ANON))
		add_number(r, &l, "pid", t->pid, "");
	else if (r->o.is_google && r->o.labels & PERF_PROCESS)
		add_number(r, &l, "pid", t->pid, "");
	if (r->o.is_google ? r->o.labels & PERF_PROCESS : processes)
		add_text(r, &l, "process", "comm", t->comm);
	add_wanted(r, t, &l);
	memset(value, 0, r->p->n_type * sizeof(*value));
	value[2 * row->event] = (int64_t)row->count;
	value[2 * row->event + 1] = (int64_t)row->weight;
	if (r->o.weight)
		value[r->p->n_type - 1] = (int64_t)row->latency;
	if (!l.ok || profile_add_sample(r->p, r->pool + s->at, s->n, value,
					l.label, l.n) == PROF_NONE)
		return prof_nomem(r->err);
	return PROF_OK;
}

/* As perf_to_profile says it: a sample for each that was lost. */
static enum prof_status
add_lost(struct perf *r, int64_t *value)
{
	const uint64_t at = (uint64_t)9 << 60;
	struct mapping m = { .start = at, .limit = at + 1 };
	struct location l = { .address = at };
	uint32_t stack;

	if (!r->o.is_google || !r->notes.lost)
		return PROF_OK;
	m.file = profile_intern(r->p, "[lost]");
	l.mapping = profile_add_mapping(r->p, &m);
	stack = profile_add_location(r->p, &l, NULL, 0);
	if (m.file == STRTAB_NONE || l.mapping == PROF_NONE ||
	    stack == PROF_NONE)
		return prof_nomem(r->err);
	memset(value, 0, r->p->n_type * sizeof(*value));
	value[0] = (int64_t)r->notes.lost;
	value[1] = (int64_t)r->notes.lost;
	return profile_add_sample(r->p, &stack, 1, value, NULL, 0) == PROF_NONE
		       ? prof_nomem(r->err)
		       : PROF_OK;
}

static enum prof_status
add_samples(struct perf *r)
{
	bool processes = has_processes(r);
	enum prof_status st = PROF_OK;
	int64_t *value;

	if (r->n_row > ((size_t)1 << 29) / r->p->n_type)
		return prof_fail(r->err, PROF_ELIMIT,
				 "too many samples for so many events");
	value = calloc(r->p->n_type, sizeof(*value));
	if (!value)
		return prof_nomem(r->err);
	for (size_t i = 0; st == PROF_OK && i < r->n_row; i++)
		st = add_sample(r, &r->row[i], processes, value);
	if (st == PROF_OK)
		st = add_lost(r, value);
	free(value);
	return st;
}

/* --- comments --- */

static int
put_text(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

static enum prof_status
add_comment(struct perf *r, const char *prefix, const char *text)
{
	struct buf b = { 0 };
	enum prof_status st = PROF_OK;

	if (put_text(&b, prefix) < 0 ||
	    buf_add(&b, text, strlen(text) + 1) < 0 ||
	    profile_add_comment(r->p, (const char *)b.data) == PROF_NONE)
		st = prof_nomem(r->err);
	buf_release(&b);
	return st;
}

/* "# import: ..." and the numbers of perf_notes. */
static enum prof_status
add_import(struct perf *r)
{
	const struct perf_notes *n = &r->notes;
	struct buf b = { 0 };
	char text[400];
	int bad = put_text(&b, "# import: format=perf.data");

	if (r->perf_version) {
		bad |= put_text(&b, " perf=");
		bad |= put_text(&b, profile_str(r->p, r->perf_version));
	}
	for (uint32_t e = 0; e < r->n_event; e++) {
		uint32_t name;

		if (perf_attr_name(r, attr_of(r, e), false, &name) != PROF_OK)
			bad = -1;
		else
			bad |= put_text(&b, e ? "," : " events=") |
			       put_text(&b, profile_str(r->p, name));
	}
	snprintf(text, sizeof(text),
		 " samples=%llu lost=%llu throttled=%llu truncated=%llu "
		 "unwind_failed=%llu unmapped=%llu damaged=%llu aux=%llu",
		 (unsigned long long)n->samples, (unsigned long long)n->lost,
		 (unsigned long long)n->throttled,
		 (unsigned long long)n->truncated,
		 (unsigned long long)(n->unwind_failed + n->dumps),
		 (unsigned long long)n->unmapped,
		 (unsigned long long)n->damaged, (unsigned long long)n->aux);
	bad |= buf_add(&b, text, strlen(text) + 1);
	if (!bad &&
	    profile_add_comment(r->p, (const char *)b.data) == PROF_NONE)
		bad = -1;
	buf_release(&b);
	return bad ? prof_nomem(r->err) : PROF_OK;
}

static enum prof_status
add_comments(struct perf *r)
{
	const char *version = profile_str(r->p, r->perf_version);
	enum prof_status st;

	if (buf_add(&r->command, "", 1) < 0)
		return prof_nomem(r->err);
	if (r->o.is_google) {
		st = *version ? add_comment(r, "perf-version:", version)
			      : PROF_OK;
		return st == PROF_OK && r->command.n > 1
			       ? add_comment(r, "perf-command:",
					     (const char *)r->command.data)
			       : st;
	}
	st = add_import(r);
	if (st == PROF_OK && r->command.n > 1)
		st = add_comment(r, "command: ", (const char *)r->command.data);
	return st;
}

static void
set_times(struct perf *r)
{
	if (r->first_time > r->last_time)
		return;
	r->p->duration_ns = (int64_t)(r->last_time - r->first_time);
	if (r->has_clock)
		r->p->time_ns =
			(int64_t)(r->wall_ns + r->first_time - r->clock_ns);
}

enum prof_status
perf_build(struct perf *r)
{
	enum prof_status st;

	if (!r->n_attr)
		return prof_fail(r->err, PROF_EFORMAT,
				 "perf.data without events");
	r->notes.lost = r->has_lost_samples ? r->lost_samples : r->lost_records;
	set_times(r);
	st = add_mappings(r);
	if (st == PROF_OK)
		st = add_columns(r);
	if (st == PROF_OK)
		st = add_samples(r);
	return st == PROF_OK ? add_comments(r) : st;
}
