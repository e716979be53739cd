/*
 * attr.c - the events of a recording, and the features behind its records (in a
 * pipe: records of their own). Features that are not needed are skipped.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "impl.h"
#include "lib/base/array.h"
#include "lib/base/buildid.h"

enum feature {
	FEATURE_BUILD_ID = 2,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_STAT = 19,
	FEATURE_CLOCK_DATA = 29,
	N_FEATURE = 256,
};

/* --- attrs --- */

/* In C's bit fields, bit k of a big-endian machine is counted from the top. */
static uint64_t
flags_of(const struct perf *r, uint64_t v)
{
	uint64_t f = 0;

	if (!r->big)
		return v;
	for (unsigned k = 0; k < 64; k++)
		f |= (v >> (63 - k) & 1) << k;
	return f;
}

/* An attr of n bytes; what lies past its size is 0. */
static void
read_attr(const struct perf *r, const uint8_t *p, size_t n, struct perf_attr *a)
{
	uint8_t w[136] = { 0 };
	uint32_t size = perf_u32(r, p + 4);

	if (!size)
		size = 64;
	if (size < n)
		n = size;
	memcpy(w, p, n < sizeof(w) ? n : sizeof(w));
	*a = (struct perf_attr){
		.type = perf_u32(r, w),
		.config = perf_u64(r, w + 8),
		.period = perf_u64(r, w + 16),
		.sample_type = perf_u64(r, w + 24),
		.read_format = perf_u64(r, w + 32),
		.flags = flags_of(r, perf_u64(r, w + 40)),
		.branch_type = perf_u64(r, w + 72),
		.regs_user = perf_u64(r, w + 80),
		.regs_intr = perf_u64(r, w + 96),
		.max_stack = perf_u16(r, w + 108),
	};
}

/* Where the id of a sample is, which has to be the same for all events. */
static int
id_place(const struct perf_attr *a)
{
	uint64_t t = a->sample_type;

	if (t & S_IDENTIFIER)
		return 0;
	if (!(t & S_ID))
		return -1;
	return 1 + !!(t & S_IP) + !!(t & S_TID) + !!(t & S_TIME) +
	       !!(t & S_ADDR);
}

static enum prof_status
add_id(struct perf *r, uint64_t id, size_t attr)
{
	return idmap_add(&r->by_id, id, (uint32_t)attr) < 0 ? prof_nomem(r->err)
							    : PROF_OK;
}

enum prof_status
perf_add_attr(struct perf *r, const uint8_t *p, size_t n, const uint8_t *id,
	      size_t n_id)
{
	enum prof_status st = PROF_OK;
	struct perf_attr a;

	if (n < 64)
		return prof_fail(r->err, PROF_EFORMAT,
				 "an event's attributes are cut short");
	if (r->n_attr == PERF_MAX_ATTR)
		return prof_fail(r->err, PROF_ELIMIT, "too many events");
	read_attr(r, p, n, &a);
	if (a.sample_type & ~(uint64_t)S_KNOWN)
		return prof_fail(r->err, PROF_ENOTSUP,
				 "samples have fields that are not known "
				 "(sample_type 0x%llx)",
				 (unsigned long long)a.sample_type);
	if (r->n_attr && id_place(&a) != id_place(&r->attr[0]))
		return prof_fail(r->err, PROF_EFORMAT,
				 "events that have their ids at different "
				 "places");
	if (array_reserve(&r->attr, &r->cap_attr, r->n_attr + 1,
			  sizeof(*r->attr)) < 0)
		return prof_nomem(r->err);
	r->attr[r->n_attr++] = a;
	for (size_t i = 0; st == PROF_OK && i < n_id; i++)
		st = add_id(r, perf_u64(r, id + 8 * i), r->n_attr - 1);
	return st;
}

const struct perf_attr *
perf_attr_of(const struct perf *r, const uint8_t *rec, size_t n)
{
	const struct perf_attr *first = r->attr;
	bool is_sample = REC_TYPE(r, rec) == REC_SAMPLE;
	int place;
	size_t at;
	uint64_t id;
	uint32_t i;

	if (r->n_attr < 2)
		return first;
	place = id_place(first);
	if (place < 0)
		return first;
	if (is_sample)
		at = 8 + 8 * (size_t)(place ? place - 1 : 0);
	else if (!place)
		at = n - 8;
	else
		at = n - 8 - 8 * !!(first->sample_type & S_STREAM_ID) -
		     8 * !!(first->sample_type & S_CPU);
	if (n < 16 || at < 8 || at > n - 8)
		return is_sample ? NULL : first;
	id = perf_u64(r, rec + at);
	i = idmap_find(&r->by_id, id);
	if (i == IDMAP_NONE)
		return is_sample ? NULL : first;
	return &r->attr[i];
}

/* --- names --- */

static const char *
standard_name(uint32_t type, uint64_t config)
{
	static const char *const hardware[] = {
		"cycles",
		"instructions",
		"cache-references",
		"cache-misses",
		"branches",
		"branch-misses",
		"bus-cycles",
		"stalled-cycles-frontend",
		"stalled-cycles-backend",
		"ref-cycles",
	};
	static const char *const software[] = {
		"cpu-clock",        "task-clock",
		"page-faults",      "context-switches",
		"cpu-migrations",   "minor-faults",
		"major-faults",     "alignment-faults",
		"emulation-faults", "dummy",
		"bpf-output",
	};

	if (type == 0 && config < sizeof(hardware) / sizeof(*hardware))
		return hardware[config];
	if (type == 1 && config < sizeof(software) / sizeof(*software))
		return software[config];
	return NULL;
}

/* A name without its modifiers: "cycles:ppp" is cycles. */
static size_t
without_modifiers(const char *s, size_t n)
{
	const char *colon = memrchr(s, ':', n);

	/* Tracepoints have a colon of their own: sched:sched_switch. */
	if (!colon ||
	    strspn(colon + 1, "ukhGHpPSDWeIb") < n - (size_t)(colon + 1 - s))
		return n;
	return (size_t)(colon - s);
}

enum prof_status
perf_attr_name(struct perf *r, size_t attr, bool modifiers, uint32_t *name)
{
	const struct perf_attr *a = &r->attr[attr];
	const char *standard = standard_name(a->type, a->config);
	char text[40];

	if (modifiers && !a->name) {
		snprintf(text, sizeof(text), "event_%zu", attr);
		*name = profile_intern(r->p, text);
	} else if (a->name) {
		const struct str *s = &r->p->strings.str[a->name];
		size_t n = modifiers ? s->len : without_modifiers(s->s, s->len);

		*name = strtab_add(&r->p->strings, s->s, n);
	} else if (standard) {
		*name = profile_intern(r->p, standard);
	} else {
		snprintf(text, sizeof(text), "event_%u_0x%llx", a->type,
			 (unsigned long long)a->config);
		*name = profile_intern(r->p, text);
	}
	return *name == STRTAB_NONE ? prof_nomem(r->err) : PROF_OK;
}

/* --- features --- */

/* The rest of a feature's payload. */
struct payload {
	const uint8_t *p, *end;
};

static bool
take_u32(const struct perf *r, struct payload *f, uint32_t *v)
{
	if (f->end - f->p < 4)
		return false;
	*v = perf_u32(r, f->p);
	f->p += 4;
	return true;
}

/* A string: its length with padding, then that many bytes with a NUL. */
static bool
take_string(const struct perf *r, struct payload *f, const char **s, size_t *n)
{
	uint32_t size;

	if (!take_u32(r, f, &size) || size > f->end - f->p)
		return false;
	*s = (const char *)f->p;
	*n = strnlen(*s, size);
	f->p += size;
	return true;
}

static enum prof_status
keep_string(struct perf *r, struct payload f, uint32_t *out)
{
	const char *s;
	size_t n;

	if (!take_string(r, &f, &s, &n))
		return PROF_OK;
	*out = strtab_add(&r->p->strings, s, n);
	return *out == STRTAB_NONE ? prof_nomem(r->err) : PROF_OK;
}

static enum prof_status
keep_command(struct perf *r, struct payload f)
{
	uint32_t n_word;
	const char *s;
	size_t n;

	if (!take_u32(r, &f, &n_word))
		return PROF_OK;
	r->command.n = 0;
	while (n_word-- && take_string(r, &f, &s, &n))
		if ((r->command.n && buf_add(&r->command, " ", 1) < 0) ||
		    buf_add(&r->command, s, n) < 0)
			return prof_nomem(r->err);
	return PROF_OK;
}

/* Names of events, in the order of the attrs; and their ids once more. */
static enum prof_status
event_desc(struct perf *r, struct payload f)
{
	uint32_t n_event, size, n_id, name;
	enum prof_status st = PROF_OK;
	const char *s;
	size_t n;

	if (!take_u32(r, &f, &n_event) || !take_u32(r, &f, &size))
		return PROF_OK;
	for (uint32_t i = 0; st == PROF_OK && i < n_event && i < r->n_attr;
	     i++) {
		if (size > f.end - f.p)
			return PROF_OK;
		f.p += size;
		if (!take_u32(r, &f, &n_id) || !take_string(r, &f, &s, &n) ||
		    n_id > (size_t)(f.end - f.p) / 8)
			return PROF_OK;
		name = strtab_add(&r->p->strings, s, n);
		if (name == STRTAB_NONE)
			return prof_nomem(r->err);
		r->attr[i].name = name;
		for (; st == PROF_OK && n_id--; f.p += 8)
			st = add_id(r, perf_u64(r, f.p), i);
	}
	return st;
}

static enum prof_status
build_ids(struct perf *r, struct payload f)
{
	enum prof_status st = PROF_OK;

	while (st == PROF_OK && f.end - f.p >= 8) {
		size_t n = REC_SIZE(r, f.p);

		if (n < 8 || n > (size_t)(f.end - f.p))
			break;
		st = perf_build_id(r, f.p, n);
		f.p += n;
	}
	return st;
}

enum prof_status
perf_feature(struct perf *r, uint64_t number, const uint8_t *p, size_t n)
{
	struct payload f = { p, p + n };

	switch (number) {
	case FEATURE_BUILD_ID:
		return build_ids(r, f);
	case FEATURE_OSRELEASE:
		return keep_string(r, f, &r->os_release);
	case FEATURE_VERSION:
		return keep_string(r, f, &r->perf_version);
	case FEATURE_ARCH:
		return keep_string(r, f, &r->arch);
	case FEATURE_CMDLINE:
		return keep_command(r, f);
	case FEATURE_EVENT_DESC:
		return event_desc(r, f);
	case FEATURE_STAT:
		return prof_fail(r->err, PROF_ENOTSUP,
				 "counts of perf stat, not a profile");
	case FEATURE_CLOCK_DATA:
		if (n >= 24) {
			r->wall_ns = perf_u64(r, p + 8);
			r->clock_ns = perf_u64(r, p + 16);
			r->has_clock = true;
		}
		return PROF_OK;
	default:
		return PROF_OK;
	}
}

/* What the profile lacks without a feature; NULL: nothing. */
static const char *const lacks[N_FEATURE] = {
	[FEATURE_BUILD_ID] = "build-ids",
	[FEATURE_OSRELEASE] = "the kernel's release",
	[FEATURE_VERSION] = "perf's version",
	[FEATURE_ARCH] = "the architecture",
	[FEATURE_CMDLINE] = "the command line",
	[FEATURE_EVENT_DESC] = "names of events",
	[FEATURE_CLOCK_DATA] = "the time of day",
};

/* Say that n features which the header promises are not in the file. */
static enum prof_status
tell_missing(struct perf *r, const bool missing[N_FEATURE], unsigned n)
{
	char names[160] = "";
	size_t at = 0;

	for (unsigned i = 0; i < N_FEATURE; i++)
		if (missing[i] && lacks[i])
			at += (size_t)snprintf(names + at, sizeof(names) - at,
					       "%s%s", at ? ", " : " (",
					       lacks[i]);
	snprintf(r->notes.cut, sizeof(r->notes.cut),
		 "the file is cut after its records; sections missing: %u%s%s",
		 n, names, at ? ")" : "");
	return r->o.is_strict
		       ? prof_fail(r->err, PROF_EFORMAT, "%s", r->notes.cut)
		       : PROF_OK;
}

/* The table of a file: an offset and a size for each feature that is there. */
enum prof_status
perf_read_tail(struct perf *r)
{
	uint64_t begin = r->tail.n ? r->stream[0].at : 0, k = 0;
	enum prof_status st = PROF_OK;
	bool missing[N_FEATURE] = { false };
	unsigned n = 0;

	if (r->notes.is_open)
		return PROF_OK;
	for (unsigned i = 0; st == PROF_OK && i < N_FEATURE; i++) {
		uint64_t at = UINT64_MAX, size = 0;

		if (!(r->header_features[i / 64] >> (i % 64) & 1))
			continue;
		if (r->tail.n / 16 > k) {
			at = perf_u64(r, r->tail.data + 16 * k) - begin;
			size = perf_u64(r, r->tail.data + 16 * k + 8);
		}
		k++;
		if (at <= r->tail.n && size <= r->tail.n - at)
			st = perf_feature(r, i, r->tail.data + at,
					  (size_t)size);
		else
			n += missing[i] = true;
	}
	return st == PROF_OK && n ? tell_missing(r, missing, n) : st;
}

enum prof_status
perf_event_update(struct perf *r, const uint8_t *rec, size_t n)
{
	uint64_t id;
	uint32_t i, name;

	if (n < 25 || perf_u64(r, rec + 8) != 2) /* a name */
		return PROF_OK;
	id = perf_u64(r, rec + 16);
	i = idmap_find(&r->by_id, id);
	if (i == IDMAP_NONE)
		return PROF_OK;
	name = strtab_add(&r->p->strings, (const char *)rec + 24,
			  strnlen((const char *)rec + 24, n - 24));
	if (name == STRTAB_NONE)
		return prof_nomem(r->err);
	r->attr[i].name = name;
	return PROF_OK;
}

uint32_t
perf_hex(struct perf *r, const uint8_t *id, size_t n)
{
	char text[BUILD_ID_TEXT];

	build_id_hex(id, n, text);
	return strtab_add(&r->p->strings, text, strlen(text));
}

/* A build-id and its file: applied to mappings at the end, by name. */
enum prof_status
perf_build_id(struct perf *r, const uint8_t *rec, size_t n)
{
	struct perf_build_id *b;
	size_t size = 20;

	if (n < 36 + 1)
		return PROF_OK;
	if (REC_MISC(r, rec) & MISC_BPF_LOST) /* the size is there */
		size = rec[32] < 20 ? rec[32] : 20;
	else
		while (size && !memcmp(rec + 12 + size - 4, "\0\0\0\0", 4))
			size -= 4;
	if (array_reserve(&r->build_id, &r->cap_build_id, r->n_build_id + 1,
			  sizeof(*r->build_id)) < 0)
		return prof_nomem(r->err);
	b = &r->build_id[r->n_build_id];
	b->is_kernel = (REC_MISC(r, rec) & MISC_MODE) == MODE_KERNEL;
	b->build_id = perf_hex(r, rec + 12, size);
	b->file = strtab_add(&r->p->strings, (const char *)rec + 36,
			     strnlen((const char *)rec + 36, n - 36));
	if (b->build_id == STRTAB_NONE || b->file == STRTAB_NONE)
		return prof_nomem(r->err);
	r->n_build_id += size > 0;
	return PROF_OK;
}
