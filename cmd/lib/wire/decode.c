/*
 * decode.c - the reading half of codec.h.
 *
 * One walk over the top level finds the tables, the strings and the number of
 * samples. Then messages are read directly into the flat arrays: protobuf-c
 * would allocate an object for each, and most of a profile is small messages.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "codec.h"
#include "decode.h"
#include "lib/base/arena.h"
#include "lib/base/budget.h"
#include "lib/model/pool.h"
#include "wire.h"

/* --- strings --- */

static enum prof_status
add_string(struct decoder *d, const uint8_t *s, size_t len)
{
	uint32_t index;

	if (d->n_string == 0 && len != 0)
		return INVALID(d, "the string table does not begin with \"\"");
	if (d->n_string == d->cap_string) {
		uint32_t *grown = arena_grow(d->tmp, d->string, &d->cap_string,
					     d->n_string + 1, sizeof(*grown));

		if (!grown)
			return prof_nomem(d->err);
		d->string = grown;
	}
	index = strtab_add(&d->p->strings, (const char *)s, len);
	if (index == STRTAB_NONE)
		return prof_nomem(d->err);
	d->string[d->n_string++] = index;
	return PROF_OK;
}

enum prof_status
decode_bad_string(struct decoder *d, const char *what, size_t i, uint64_t s)
{
	return INVALID(d,
		       "%s %zu: string %" PRId64
		       " is not in the table of %zu strings",
		       what, i, (int64_t)s, d->n_string);
}

/* --- the top level --- */

static enum prof_status
scan_scalar(struct decoder *d, const struct wire_field *f)
{
	struct profile *p = d->p;
	int64_t v = (int64_t)f->value;

	switch (f->number) {
	case F_DROP_FRAMES:
		d->drop = f->value;
		break;
	case F_KEEP_FRAMES:
		d->keep = f->value;
		break;
	case F_TIME_NANOS:
		if (p->time_ns)
			return decode_glued(d);
		p->time_ns = v;
		break;
	case F_DURATION_NANOS:
		p->duration_ns = v;
		break;
	case F_PERIOD:
		p->period = v;
		break;
	case F_DEFAULT_SAMPLE_TYPE:
		d->default_type = f->value;
		break;
	case F_DOC_URL:
		d->doc_url = f->value;
		break;
	}
	return PROF_OK;
}

/* An entry of a table, at [at, end). */
static enum prof_status
note_entry(struct decoder *d, unsigned field, const uint8_t *at,
	   const uint8_t *end)
{
	struct span *s = &d->span[field];

	if (!s->n)
		s->from = at;
	s->to = end;
	if (++s->n >= PROF_NONE)
		return prof_fail(d->err, PROF_ELIMIT,
				 "more than 2^32 entries in a table");
	return PROF_OK;
}

static enum prof_status
scan_field(struct decoder *d, const struct wire_field *f, const uint8_t *at,
	   const uint8_t *end)
{
	/* Wire types that each field may have, a bit each. */
	static const uint8_t allowed[F_END] = {
		[F_SAMPLE_TYPE] = 1 << WIRE_BYTES,
		[F_SAMPLE] = 1 << WIRE_BYTES,
		[F_MAPPING] = 1 << WIRE_BYTES,
		[F_LOCATION] = 1 << WIRE_BYTES,
		[F_FUNCTION] = 1 << WIRE_BYTES,
		[F_STRING_TABLE] = 1 << WIRE_BYTES,
		[F_DROP_FRAMES] = 1 << WIRE_VARINT,
		[F_KEEP_FRAMES] = 1 << WIRE_VARINT,
		[F_TIME_NANOS] = 1 << WIRE_VARINT,
		[F_DURATION_NANOS] = 1 << WIRE_VARINT,
		[F_PERIOD_TYPE] = 1 << WIRE_BYTES,
		[F_PERIOD] = 1 << WIRE_VARINT,
		[F_COMMENT] = 1 << WIRE_VARINT | 1 << WIRE_BYTES,
		[F_DEFAULT_SAMPLE_TYPE] = 1 << WIRE_VARINT,
		[F_DOC_URL] = 1 << WIRE_VARINT,
	};

	if (f->number == 0 || f->number >= F_END)
		return PROF_OK;
	if (!(allowed[f->number] >> f->type & 1))
		return FAIL(d, "byte %zu: field %u has wire type %u",
			    (size_t)(at - d->raw), (unsigned)f->number,
			    (unsigned)f->type);
	switch (f->number) {
	case F_STRING_TABLE:
		return add_string(d, f->data, f->value);
	case F_SAMPLE:
		d->sample_bytes += f->value;
		/* fall through */
	case F_COMMENT:
	case F_SAMPLE_TYPE:
	case F_MAPPING:
	case F_LOCATION:
	case F_FUNCTION:
	case F_PERIOD_TYPE:
		return note_entry(d, (unsigned)f->number, at, end);
	default:
		return scan_scalar(d, f);
	}
}

static enum prof_status
scan_profile(struct decoder *d)
{
	const uint8_t *p = d->raw, *end = d->raw + d->n, *next;
	enum prof_status st = PROF_OK;
	struct wire_field f;

	for (; p < end && st == PROF_OK; p = next) {
		next = wire_next(p, end, &f);
		if (!next)
			return FAIL(d,
				    "byte %zu of %zu: truncated or malformed "
				    "field (not a profile, or damaged)",
				    (size_t)(p - d->raw), d->n);
		st = scan_field(d, &f, p, next);
	}
	return st;
}

/* --- samples --- */

static enum prof_status
bad_sample(struct decoder *d, const uint8_t *at)
{
	return FAIL(d, "sample %zu, near byte %zu: malformed message",
		    d->p->n_sample + 1, (size_t)(at - d->raw));
}

static enum prof_status
bad_location(struct decoder *d, uint64_t id)
{
	return INVALID(d, "sample %zu: location id %" PRIu64 " does not exist",
		       d->p->n_sample + 1, id);
}

/*
 * Convert location ids at [q, end) to indices, appended to the pool, which has
 * room for one per byte. Reading a profile spends most of its time in this
 * loop: ids of one to three bytes, as in any profile with less than two million
 * locations, are read without a call.
 */
static enum prof_status
read_stack(struct decoder *d, const uint8_t *q, const uint8_t *end)
{
	const uint32_t *dense = d->location.dense;
	size_t n_dense = d->location.n_dense;
	uint32_t *out = d->p->stack + d->p->n_stack;
	const uint8_t *at = q;
	uint32_t index;
	uint64_t id;

	while (q < end) {
		if (q[0] < 0x80) {
			id = *q++;
		} else if (end - q >= 3 && q[1] < 0x80) {
			id = (q[0] & 0x7fu) | (uint64_t)q[1] << 7;
			q += 2;
		} else if (end - q >= 3 && q[2] < 0x80) {
			id = (q[0] & 0x7fu) | (q[1] & 0x7fu) << 7 |
			     (uint64_t)q[2] << 14;
			q += 3;
		} else if (!(q = wire_varint(q, end, &id))) {
			return bad_sample(d, at);
		}
		index = id < n_dense ? dense[id] : idmap_find(&d->location, id);
		if (index == IDMAP_NONE)
			return bad_location(d, id);
		*out++ = index;
	}
	d->p->n_stack = (size_t)(out - d->p->stack);
	return PROF_OK;
}

static enum prof_status
add_value(struct decoder *d, size_t row, size_t *n, uint64_t v)
{
	struct profile *p = d->p;

	/* Count, but do not keep, values that do not fit, for the message. */
	if (*n < p->n_type)
		p->value[row + *n] = (int64_t)v;
	++*n;
	return PROF_OK;
}

static enum prof_status
read_values(struct decoder *d, size_t row, size_t *n,
	    const struct wire_field *f)
{
	const uint8_t *q = f->data, *end;
	uint64_t v;

	if (f->type == WIRE_VARINT)
		return add_value(d, row, n, f->value);
	for (end = q + f->value; q < end; add_value(d, row, n, v)) {
		q = wire_varint(q, end, &v);
		if (!q)
			return bad_sample(d, f->data);
	}
	return PROF_OK;
}

static enum prof_status
bad_label(struct decoder *d, uint64_t s)
{
	return decode_bad_string(d, "label of sample", d->p->n_sample + 1, s);
}

static enum prof_status
read_label(struct decoder *d, const struct wire_field *f)
{
	struct profile *p = d->p;
	struct label l;
	uint64_t v[5];

	if (!wire_varints(f->data, f->value, v, 5))
		return bad_sample(d, f->data);
	l.num = (int64_t)v[3];
	if (!decode_string(d, v[1], &l.key))
		return bad_label(d, v[1]);
	if (!decode_string(d, v[2], &l.str))
		return bad_label(d, v[2]);
	if (!decode_string(d, v[4], &l.unit))
		return bad_label(d, v[4]);
	if (POOL_RESERVE(p, label, p->n_label, label, 1) < 0)
		return prof_nomem(d->err);
	p->label[p->n_label++] = l;
	return PROF_OK;
}

static enum prof_status
read_location_ids(struct decoder *d, const struct wire_field *f)
{
	uint32_t index;

	if (f->type == WIRE_BYTES)
		return read_stack(d, f->data, f->data + f->value);
	index = idmap_find(&d->location, f->value);
	if (index == IDMAP_NONE)
		return bad_location(d, f->value);
	d->p->stack[d->p->n_stack++] = index;
	return PROF_OK;
}

static enum prof_status
read_sample(struct decoder *d, const uint8_t *q, size_t n)
{
	struct profile *p = d->p;
	struct sample s = { .stack = p->n_stack, .label = p->n_label };
	const uint8_t *end = q + n, *next;
	size_t row = p->n_sample * p->n_type, n_value = 0;
	enum prof_status st = PROF_OK;
	struct wire_field f;

	if (n >= PROF_NONE)
		return prof_fail(d->err, PROF_ELIMIT,
				 "sample %zu is larger than 4 GiB",
				 p->n_sample + 1);
	/* Each id and each value has at least a byte. */
	if (POOL_RESERVE(p, stack, p->n_stack, stack, n) < 0 ||
	    (n >= p->n_type &&
	     POOL_RESERVE(p, value, row, value, p->n_type) < 0))
		return prof_nomem(d->err);
	for (; q < end && st == PROF_OK; q = next) {
		next = wire_next(q, end, &f);
		if (!next)
			return bad_sample(d, q);
		if (f.number == 0 || f.number > 3)
			continue;
		if (f.type != WIRE_BYTES &&
		    (f.type != WIRE_VARINT || f.number == 3))
			return bad_sample(d, q);
		if (f.number == 1)
			st = read_location_ids(d, &f);
		else if (f.number == 2)
			st = n < p->n_type ? (n_value++, PROF_OK)
					   : read_values(d, row, &n_value, &f);
		else
			st = read_label(d, &f);
	}
	if (st != PROF_OK)
		return st;
	if (n_value != p->n_type || n < p->n_type)
		return INVALID(d, "sample %zu has %zu values for %zu types",
			       p->n_sample + 1, n_value, p->n_type);
	s.n_stack = (uint32_t)(p->n_stack - s.stack);
	s.n_label = (uint32_t)profile_sort_labels(p, p->label + s.label,
						  p->n_label - s.label);
	p->n_label = s.label + s.n_label;
	p->sample[p->n_sample++] = s;
	return PROF_OK;
}

static enum prof_status
read_samples(struct decoder *d)
{
	const struct span *s = &d->span[F_SAMPLE];
	const uint8_t *p = s->from;
	enum prof_status st = PROF_OK;
	struct wire_field f;

	if (s->n && !d->p->n_type)
		return INVALID(d, "there are samples, but no sample types");
	/* Memory that is not needed is never touched. */
	if (POOL_RESERVE(d->p, sample, 0, sample, s->n) < 0 ||
	    POOL_RESERVE(d->p, stack, 0, stack, d->sample_bytes / 2) < 0)
		return prof_nomem(d->err);
	while (st == PROF_OK && p < s->to) {
		p = wire_next(p, s->to, &f); /* checked by scan_profile() */
		if (f.number == F_SAMPLE)
			st = read_sample(d, f.data, f.value);
	}
	return st;
}

/*
 * A report may visit each line of each frame, and print its name. Lines are
 * shared by locations, and locations by samples: a profile of a few kilobytes
 * may stand for hours of that.
 */
#define FRAME_WORK 32 /* of a frame, as bytes of its name */
#define WORK_TIMES 8  /* bytes of work for a byte of memory: 0.1 us */

static size_t
name_bytes(const struct profile *p, const struct line *l)
{
	return p->strings.str[p->function[l->function].name].len;
}

/* The bytes of labels, comments, mappings and types, which may share strings;
 * no more than max are counted. */
static size_t
string_work(const struct profile *p, size_t max)
{
	const struct str *s = p->strings.str;
	size_t longest = 0, work = 0;

	for (size_t i = 0; i < p->strings.n_str; i++)
		longest = s[i].len > longest ? s[i].len : longest;
	if (3 * p->n_label + p->n_comment + 2 * (p->n_mapping + p->n_type) <=
	    max / (longest + 1))
		return 0;
	for (size_t i = 0; i < p->n_label && work <= max; i++)
		work += s[p->label[i].key].len + s[p->label[i].str].len +
			s[p->label[i].unit].len;
	for (size_t i = 0; i < p->n_comment && work <= max; i++)
		work += s[p->comment[i]].len;
	for (size_t i = 0; i < p->n_mapping && work <= max; i++)
		work += s[p->mapping[i].file].len +
			s[p->mapping[i].build_id].len;
	for (size_t i = 0; i < p->n_type && work <= max; i++)
		work += s[p->type[i].type].len + s[p->type[i].unit].len;
	return work;
}

static enum prof_status
check_work(const struct profile *p, struct prof_err *err)
{
	size_t bytes = budget_bytes(), most = 0, work;
	size_t max =
		bytes < SIZE_MAX / WORK_TIMES ? bytes * WORK_TIMES : SIZE_MAX;
	size_t *cost = bytes == SIZE_MAX
			       ? NULL
			       : calloc(p->n_location + 1, sizeof(*cost));

	if (!cost)
		return bytes == SIZE_MAX ? PROF_OK : prof_nomem(err);
	for (size_t l = 0; l < p->n_location; l++) {
		const struct location *at = &p->location[l];

		cost[l] = FRAME_WORK;
		for (size_t k = at->line; k < at->line + at->n_line; k++)
			cost[l] += FRAME_WORK + name_bytes(p, &p->line[k]);
		most = cost[l] > most ? cost[l] : most;
	}
	work = string_work(p, max);
	if (p->n_stack > max / (most + 1))
		for (size_t i = 0; i < p->n_stack && work <= max; i++)
			work += cost[p->stack[i]];
	free(cost);
	return work <= max ? PROF_OK
			   : prof_fail(err, PROF_ELIMIT,
				       "larger than --max-size: a report takes "
				       "%zu MB for this input, and it unfolds "
				       "to more; give a larger value",
				       bytes >> 20);
}

enum prof_status
profile_decode(const uint8_t *raw, size_t n, struct profile **out,
	       struct prof_err *err)
{
	struct decoder d = { .raw = raw, .n = n, .err = err };
	enum prof_status st;

	*out = NULL;
	if (n == 0)
		return prof_fail(err, PROF_EFORMAT, "empty profile");
	d.p = profile_new();
	d.tmp = arena_new();
	st = d.p && d.tmp ? PROF_OK : prof_nomem(err);
	if (st == PROF_OK)
		st = scan_profile(&d);
	if (st == PROF_OK)
		st = decode_tables(&d);
	if (st == PROF_OK)
		st = read_samples(&d);
	if (st == PROF_OK)
		st = check_work(d.p, err);
	idmap_release(&d.mapping);
	idmap_release(&d.function);
	idmap_release(&d.location);
	arena_free(d.tmp);
	if (st == PROF_OK)
		*out = d.p;
	else
		profile_free(d.p);
	return st;
}
