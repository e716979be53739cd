/*
 * firefox-in.c - reading the Firefox Profiler's JSON, with jansson: as its page
 * keeps it and samply writes it ("processed"), and as Firefox does ("raw"). See
 * json-in.h. Equal stacks of a thread become one sample.
 */
#include "config.h"

#include "json-in.h"

#if HAVE_JANSSON
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "firefox-impl.h"
#include "json-text.h"
#include "lib/model/units.h"

#define MAX_PROCESSES 4096
#define MAX_COLUMNS 64

/* The columns of files that are not ours, of which some are used. */
enum { SAMPLES, CPU, TIME, BYTES, N_COLUMN };
static const char *const columns[N_COLUMN][2] = {
	{ "samples", "count" },
	{ "cpu", "nanoseconds" },
	{ "time", "nanoseconds" },
	{ "space", "bytes" },
};

struct reader {
	struct byname b;
	struct prof_err *err;
	struct firefox_libs libs;
	bool is_ours;         /* each thread says what it is */
	int column[N_COLUMN]; /* in the profile; -1: not used */
	double cpu_ns;        /* of a unit of CPU time; 0: cycles, or none */
	const json_t *categories;
	size_t n_lost; /* samples of allocations */
	size_t n_old;  /* processes as a string, until 2016 */

	/* Of a thread: the sums of each stack; the last row is no stack. */
	int64_t *sum;
	uint32_t *hit; /* stacks with a sum, n_hit */
	bool *is_hit;
	size_t n_hit;
};

/* --- columns --- */

static double
nanoseconds(const char *unit)
{
	return !strcmp(unit, "ns")             ? 1
	       : !strcmp(unit, "\xc2\xb5s")    ? 1e3
	       : !strcmp(unit, "us")           ? 1e3
	       : !strcmp(unit, "ms")           ? 1e6
	       : !strcmp(unit, "nanoseconds")  ? 1
	       : !strcmp(unit, "microseconds") ? 1e3
	       : !strcmp(unit, "milliseconds") ? 1e6
	       : !strcmp(unit, "seconds")      ? 1e9
					       : 0;
}

/* Which column are the weights of these samples in? */
static int
weight_column(const json_t *samples)
{
	const char *type = json_text_of(samples, "weightType");

	return !strcmp(type, "tracing-ms") ? TIME
	       : !strcmp(type, "bytes")    ? BYTES
					   : SAMPLES;
}

static void
note_columns(struct reader *r, const json_t *threads)
{
	for (size_t i = 0; i < json_array_size(threads); i++) {
		const json_t *samples =
			json_object_get(json_array_get(threads, i), "samples");

		if (firefox_rows(samples, "stack"))
			r->column[weight_column(samples)] = 0;
		if (r->cpu_ns != 0 && firefox_rows(samples, "threadCPUDelta"))
			r->column[CPU] = 0;
	}
}

static enum prof_status
add_columns(struct reader *r)
{
	int n = 0;

	for (int i = 0; i < N_COLUMN; i++)
		if (r->column[i] == 0) {
			r->column[i] = n++;
			if (profile_add_type(r->b.p, columns[i][0],
					     columns[i][1]) == PROF_NONE)
				return prof_nomem(r->err);
		}
	return PROF_OK;
}

/* What prof-export says of a file that it wrote. */
static enum prof_status
read_ours(struct reader *r, const json_t *ours)
{
	const json_t *list = json_object_get(ours, "columns");

	r->is_ours = true;
	if (json_array_size(list) > MAX_COLUMNS)
		return prof_fail(r->err, PROF_ELIMIT,
				 "firefox: more than %d columns", MAX_COLUMNS);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *c = json_array_get(list, i);

		if (profile_add_type(r->b.p, json_text_of(c, "type"),
				     json_text_of(c, "unit")) == PROF_NONE)
			return prof_nomem(r->err);
	}
	return PROF_OK;
}

/* --- samples --- */

static enum prof_status
whole(struct reader *r, double v, int64_t *out)
{
	/* The ends of 64 bits are rounded up, in milliseconds. */
	if (!(v > -9.3e18 && v < 9.3e18))
		return prof_fail(r->err, PROF_EFORMAT,
				 "firefox: a weight beyond 64 bits");
	*out = v >= 0x1p63 ? INT64_MAX : v <= -0x1p63 ? INT64_MIN : llround(v);
	return PROF_OK;
}

/* The weight of a sample: 1 if the samples have none. */
static enum prof_status
weight_of(struct reader *r, const json_t *cell, bool has_weights, double scale,
	  int64_t *out)
{
	if (!has_weights) {
		*out = 1;
		return PROF_OK;
	}
	if (json_is_integer(cell) && scale == 1) {
		*out = json_integer_value(cell);
		return PROF_OK;
	}
	return whole(r, json_number_value(cell) * scale, out);
}

static void
add_to(struct reader *r, size_t stack, size_t column, int64_t v)
{
	int64_t *sum = &r->sum[stack * r->b.p->n_type + column];

	if (!r->is_hit[stack]) {
		r->is_hit[stack] = true;
		r->hit[r->n_hit++] = (uint32_t)stack;
	}
	*sum = units_add(*sum, v);
}

/* The column of a thread of ours. */
static size_t
our_column(const struct reader *r, const json_t *thread)
{
	const json_t *ours = json_object_get(thread, "profpipe");
	const json_t *column = json_object_get(ours, "column");
	int64_t i = json_text_int(column);

	return json_is_number(column) && i >= 0 && (size_t)i < r->b.p->n_type
		       ? (size_t)i
		       : r->b.p->n_type;
}

/* Add up the samples of a thread. */
static enum prof_status
read_samples(struct reader *r, const json_t *thread, size_t n_stack)
{
	const json_t *samples = json_object_get(thread, "samples");
	struct firefox_column stack = firefox_column(samples, "stack");
	struct firefox_column weight = firefox_column(samples, "weight");
	struct firefox_column cpu = firefox_column(samples, "threadCPUDelta");
	size_t n = json_array_size(stack.list);
	int kind = weight_column(samples);
	size_t column =
		r->is_ours ? our_column(r, thread) : (size_t)r->column[kind];
	double scale = kind == TIME ? 1e6 : 1;
	enum prof_status st = PROF_OK;
	int64_t v = 0;

	if (n && column >= r->b.p->n_type)
		return prof_fail(r->err, PROF_EFORMAT,
				 "firefox: a thread of no column");
	if (n && r->is_ours && kind == TIME)
		scale = 1e6 / nanoseconds(profile_str(
				      r->b.p, r->b.p->type[column].unit));
	for (size_t i = 0; st == PROF_OK && i < n; i++) {
		int64_t at = firefox_index(stack, i, n_stack);

		if (firefox_cell(stack, i) && at < 0)
			return prof_fail(r->err, PROF_EFORMAT,
					 "firefox: a sample of a stack that "
					 "does not exist");
		if (at < 0)
			at = (int64_t)n_stack;
		st = weight_of(r, firefox_cell(weight, i),
			       json_is_array(weight.list) &&
				       firefox_cell(weight, i),
			       scale, &v);
		if (st == PROF_OK)
			add_to(r, (size_t)at, column, v);
		if (st != PROF_OK || r->column[CPU] < 0 || r->is_ours ||
		    !firefox_cell(cpu, i))
			continue;
		st = whole(r,
			   json_number_value(firefox_cell(cpu, i)) * r->cpu_ns,
			   &v);
		if (st == PROF_OK)
			add_to(r, (size_t)at, (size_t)r->column[CPU], v);
	}
	return st;
}

/* --- labels --- */

static bool
add_text(struct reader *r, struct label *l, const char *key, const char *text)
{
	l->key = profile_intern(r->b.p, key);
	l->str = byname_string(&r->b, text, strlen(text));
	return l->key != STRTAB_NONE && l->str != STRTAB_NONE;
}

/* An id, which is a number, or text as "1234.1" for one that is used again. */
static bool
add_id(struct reader *r, struct label *l, const char *key, const json_t *id)
{
	const char *s = json_string_value(id);

	l->num = json_text_int(id);
	if (s && (strspn(s, "0123456789") != strlen(s) || strlen(s) > 18))
		return add_text(r, l, key, s);
	if (s)
		l->num = atoll(s);
	l->key = profile_intern(r->b.p, key);
	return l->key != STRTAB_NONE;
}

/* The labels of a thread: at most 4. Returns -1 without memory. */
static int
labels_of(struct reader *r, const json_t *thread, const char *process,
	  struct label *l)
{
	const json_t *ours = json_object_get(thread, "profpipe");
	const char *name = json_text_of(thread, "name");
	const json_t *tid, *pid;
	int n = 0;

	if (r->is_ours) {
		name = json_text_of(ours, "thread");
		process = json_text_of(ours, "process");
		thread = ours;
	}
	tid = json_object_get(thread, "tid");
	pid = json_object_get(thread, "pid");
	if (*name && !add_text(r, &l[n++], "thread", name))
		return -1;
	if (*process && !add_text(r, &l[n++], "process", process))
		return -1;
	if (tid && !json_is_null(tid) && !add_id(r, &l[n++], "tid", tid))
		return -1;
	if (pid && !json_is_null(pid) && !add_id(r, &l[n++], "pid", pid))
		return -1;
	return n;
}

static const char *
category_name(const struct reader *r, int64_t i)
{
	return i < 0 ? ""
		     : json_text_of(json_array_get(r->categories, (size_t)i),
				    "name");
}

/* --- threads --- */

/* A sample for each stack that was hit; the sums are 0 again. */
static enum prof_status
add_samples(struct reader *r, struct firefox_stacks *s, const json_t *thread,
	    const char *process)
{
	size_t n_type = r->b.p->n_type;
	enum prof_status st = PROF_OK;
	struct label label[5] = { 0 };
	int n = labels_of(r, thread, process, label);

	if (n < 0)
		return prof_nomem(r->err);
	for (size_t i = 0; st == PROF_OK && i < r->n_hit; i++) {
		size_t stack = r->hit[i];
		int64_t *sum = &r->sum[stack * n_type];
		const char *category = "";
		int more = 0;

		r->b.n_stack = 0;
		if (stack < s->n_stack) {
			st = firefox_push(s, stack);
			category = category_name(r, firefox_category(s, stack));
		}
		if (*category && !r->is_ours) {
			label[n] = (struct label){ 0 };
			if (!add_text(r, &label[n], "category", category))
				return prof_nomem(r->err);
			more = 1;
		}
		if (st == PROF_OK &&
		    byname_sample(&r->b, sum, label, (size_t)(n + more)) < 0)
			st = prof_nomem(r->err);
		memset(sum, 0, n_type * sizeof(*sum));
		r->is_hit[stack] = false;
	}
	r->n_hit = 0;
	return st;
}

static bool
make_room(struct reader *r, size_t n_stack)
{
	free(r->sum);
	free(r->hit);
	free(r->is_hit);
	r->sum = calloc(n_stack + 1, r->b.p->n_type * sizeof(*r->sum));
	r->hit = calloc(n_stack + 1, sizeof(*r->hit));
	r->is_hit = calloc(n_stack + 1, sizeof(*r->is_hit));
	return r->sum && r->hit && r->is_hit;
}

static void
note_lost(struct reader *r, const json_t *thread)
{
	r->n_lost += firefox_rows(json_object_get(thread, "jsAllocations"),
				  "stack") +
		     firefox_rows(json_object_get(thread, "nativeAllocations"),
				  "stack");
}

/* The threads of a process, whose tables are shared, or NULL: their own. */
static enum prof_status
read_threads(struct reader *r, const json_t *root, const json_t *threads)
{
	const json_t *shared = json_object_get(root, "shared");
	const json_t *meta = json_object_get(root, "meta");
	bool has_shared = json_object_get(shared, "stackTable");
	struct firefox_stacks s = { 0 };
	enum prof_status st = PROF_OK;

	for (size_t i = 0; st == PROF_OK && i < json_array_size(threads); i++) {
		const json_t *thread = json_array_get(threads, i);
		const char *process = json_text_of(thread, "processName");
		const json_t *own = json_object_get(thread, "libs");
		struct firefox_libs libs = { 0 };

		if (!*process)
			process = json_text_of(meta, "product");
		if (json_is_array(own))
			st = firefox_libs_init(&libs, own, r->err);
		if (st == PROF_OK && (!i || !has_shared)) {
			firefox_stacks_release(&s);
			s.b = &r->b;
			s.err = r->err;
			s.is_raw = !json_object_get(thread, "funcTable") &&
				   !json_object_get(shared, "funcTable");
			st = firefox_stacks_open(&s, thread, shared);
			if (st == PROF_OK && !make_room(r, s.n_stack))
				st = prof_nomem(r->err);
		}
		s.libs = libs.mapping ? &libs : &r->libs;
		r->n_old += json_is_string(thread);
		note_lost(r, thread);
		if (st == PROF_OK)
			st = read_samples(r, thread, s.n_stack);
		if (st == PROF_OK)
			st = add_samples(r, &s, thread, process);
		firefox_libs_release(&libs);
	}
	firefox_stacks_release(&s);
	return st;
}

/* --- processes --- */

/* The processes of root, itself first: Firefox nests them. */
static enum prof_status
list_processes(const json_t *root, const json_t **list, size_t *n,
	       struct prof_err *err)
{
	list[0] = root;
	*n = 1;
	for (size_t i = 0; i < *n; i++) {
		const json_t *more = json_object_get(list[i], "processes");

		for (size_t k = 0; k < json_array_size(more); k++) {
			if (*n == MAX_PROCESSES)
				return prof_fail(err, PROF_ELIMIT,
						 "firefox: more than %d "
						 "processes",
						 MAX_PROCESSES);
			list[(*n)++] = json_array_get(more, k);
		}
	}
	return PROF_OK;
}

static enum prof_status
read_processes(struct reader *r, const json_t *const *process, size_t n)
{
	enum prof_status st = PROF_OK;

	for (size_t i = 0; st == PROF_OK && i < n; i++) {
		firefox_libs_release(&r->libs);
		st = firefox_libs_init(
			&r->libs, json_object_get(process[i], "libs"), r->err);
		if (st == PROF_OK)
			st = read_threads(
				r, process[i],
				json_object_get(process[i], "threads"));
	}
	firefox_libs_release(&r->libs);
	return st;
}

/* saved is a profile, or holds one: of DevTools, until 2021. */
static enum prof_status
read_all(void *ctx, const json_t *saved)
{
	struct reader *r = ctx;
	const json_t *held = json_object_get(saved, "profile");
	const json_t *root = held ? held : saved;
	const json_t **process = calloc(MAX_PROCESSES, sizeof(json_t *));
	const json_t *meta = json_object_get(root, "meta");
	const json_t *ours = json_object_get(meta, "profpipe");
	const char *unit = json_text_of(json_object_get(meta, "sampleUnits"),
					"threadCPUDelta");
	enum prof_status st;
	size_t n = 0;

	if (!process)
		return prof_nomem(r->err);
	r->cpu_ns = nanoseconds(unit);
	r->categories = json_object_get(meta, "categories");
	st = list_processes(root, process, &n, r->err);
	for (size_t i = 0; i < n && !ours; i++)
		note_columns(r, json_object_get(process[i], "threads"));
	if (st == PROF_OK)
		st = ours ? read_ours(r, ours) : add_columns(r);
	if (st == PROF_OK && !r->b.p->n_type)
		st = prof_fail(r->err, PROF_EFORMAT,
			       "firefox: no thread has samples");
	if (st == PROF_OK)
		st = whole(
			r,
			json_number_value(json_object_get(meta, "startTime")) *
				1e6,
			&r->b.p->time_ns);
	if (st == PROF_OK)
		st = read_processes(r, process, n);
	if (r->n_lost)
		profile_doubt(r->b.p, "%zu samples of allocations are left out",
			      r->n_lost);
	if (r->n_old)
		profile_doubt(r->b.p,
			      "%zu processes in the form of before 2016 are "
			      "left out",
			      r->n_old);
	free(process);
	return st;
}

enum prof_status
firefox_parse(const void *data, size_t n, struct profile **out,
	      struct prof_err *err)
{
	struct reader r = { .err = err, .column = { -1, -1, -1, -1 } };
	enum prof_status st =
		json_text_profile(data, n, &r.b, read_all, &r, out, err);

	free(r.sum);
	free(r.hit);
	free(r.is_hit);
	return st;
}
#endif
