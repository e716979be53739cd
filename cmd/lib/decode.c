/*
 * decode.c - the reading half of codec.h.
 *
 * The top level is walked once, which finds the tables, the strings and the
 * number of samples. Then the tables are unpacked by protobuf-c's generated
 * code, and samples, of which there are by far the most, straight off the
 * wire into the flat arrays: protobuf-c would build an object for each.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "codec.h"
#include "idmap.h"
#include "pool.h"
#include "profile.h"
#include "profile.pb-c.h"
#include "wire.h"

/* Numbers of the fields of Profile. */
enum {
	F_SAMPLE_TYPE = 1,
	F_SAMPLE,
	F_MAPPING,
	F_LOCATION,
	F_FUNCTION,
	F_STRING_TABLE,
	F_DROP_FRAMES,
	F_KEEP_FRAMES,
	F_TIME_NANOS,
	F_DURATION_NANOS,
	F_PERIOD_TYPE,
	F_PERIOD,
	F_COMMENT,
	F_DEFAULT_SAMPLE_TYPE,
	F_DOC_URL,
	F_END
};

/* A message of the top level that waits until the strings are known. */
struct span {
	const uint8_t *data;
	size_t n;
	unsigned field;
};

/*
 * Memory for one unpacked table message, dropped before the next: nearly
 * always the buffer is enough.
 */
struct scratch {
	struct arena *more; /* NULL while buf is enough */
	size_t used;
	_Alignas(max_align_t) char buf[8192];
};

struct decoder {
	const uint8_t *raw;
	size_t n;
	struct profile *p;
	struct prof_err *err;
	struct arena *tmp; /* spans, string numbers */
	struct span *span;
	size_t n_span, cap_span;
	uint32_t *string; /* index in the stream -> in p->strings */
	size_t n_string, cap_string;
	size_t n_sample, sample_bytes;             /* as scan() found them */
	int64_t drop, keep, default_type, doc_url; /* strings, of the stream */
	struct idmap mapping, function, location;
	struct scratch scratch;
	ProtobufCAllocator alloc;
};

#define FAIL(d, ...) prof_fail((d)->err, PROF_EFORMAT, __VA_ARGS__)
#define INVALID(d, ...) prof_fail((d)->err, PROF_EINVALID, __VA_ARGS__)

static void *
scratch_alloc(void *data, size_t size)
{
	struct scratch *s = data;
	size_t at = (s->used + 15) & ~(size_t)15;

	if (at <= sizeof(s->buf) && size <= sizeof(s->buf) - at) {
		s->used = at + size;
		return s->buf + at;
	}
	if (!s->more)
		s->more = arena_new();
	return s->more ? arena_alloc(s->more, size) : NULL;
}

static void
scratch_free(void *data, void *p)
{
	(void)data; /* all at once, in scratch_reset() */
	(void)p;
}

static void
scratch_reset(struct scratch *s)
{
	arena_free(s->more);
	s->more = NULL;
	s->used = 0;
}

/* --- strings --- */

static enum prof_status
add_string(struct decoder *d, const uint8_t *s, size_t len)
{
	uint32_t *grown;

	if (d->n_string == 0 && len != 0)
		return INVALID(d, "the string table does not begin with \"\"");
	grown = arena_grow(d->tmp, d->string, &d->cap_string, d->n_string + 1,
			   sizeof(*grown));
	if (!grown)
		return prof_nomem(d->err);
	d->string = grown;
	grown[d->n_string] = strtab_add(&d->p->strings, (const char *)s, len);
	if (grown[d->n_string] == STRTAB_NONE)
		return prof_nomem(d->err);
	d->n_string++;
	return PROF_OK;
}

/* Index i of the stream's string table -> *out, of ours; false: no such. */
static bool
resolve(const struct decoder *d, int64_t i, uint32_t *out)
{
	if (i < 0 || (uint64_t)i >= d->n_string)
		return false;
	*out = d->string[i];
	return true;
}

static enum prof_status
bad_string(struct decoder *d, const char *what, size_t i, int64_t s)
{
	return INVALID(d,
		       "%s %zu: string %" PRId64
		       " is not in the table of %zu strings",
		       what, i, s, d->n_string);
}

/* --- the top level --- */

static enum prof_status
scan_scalar(struct decoder *d, const struct wire_field *f)
{
	struct profile *p = d->p;
	int64_t v = (int64_t)f->value;

	switch (f->number) {
	case F_DROP_FRAMES:
		d->drop = v;
		break;
	case F_KEEP_FRAMES:
		d->keep = v;
		break;
	case F_TIME_NANOS:
		if (p->time_ns)
			return INVALID(d, "two profiles glued together "
					  "(prof-merge adds profiles)");
		p->time_ns = v;
		break;
	case F_DURATION_NANOS:
		p->duration_ns = v;
		break;
	case F_PERIOD:
		p->period = v;
		break;
	case F_DEFAULT_SAMPLE_TYPE:
		d->default_type = v;
		break;
	case F_DOC_URL:
		d->doc_url = v;
		break;
	}
	return PROF_OK;
}

static enum prof_status
add_span(struct decoder *d, const struct wire_field *f, const uint8_t *data,
	 size_t n)
{
	struct span *grown = arena_grow(d->tmp, d->span, &d->cap_span,
					d->n_span + 1, sizeof(*grown));

	if (!grown)
		return prof_nomem(d->err);
	d->span = grown;
	grown[d->n_span++] = (struct span){ data, n, (unsigned)f->number };
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
	case F_SAMPLE:
		d->n_sample++;
		d->sample_bytes += f->value;
		return PROF_OK;
	case F_STRING_TABLE:
		return add_string(d, f->data, f->value);
	case F_COMMENT: /* the whole field again: it is packed or not */
		return add_span(d, f, at, (size_t)(end - at));
	case F_SAMPLE_TYPE:
	case F_MAPPING:
	case F_LOCATION:
	case F_FUNCTION:
	case F_PERIOD_TYPE:
		return add_span(d, f, f->data, f->value);
	default:
		return scan_scalar(d, f);
	}
}

static enum prof_status
scan(struct decoder *d)
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

/* --- tables --- */

static void *
unpack(struct decoder *d, const ProtobufCMessageDescriptor *desc,
       const struct span *s)
{
	scratch_reset(&d->scratch);
	return protobuf_c_message_unpack(desc, &d->alloc, s->n, s->data);
}

static enum prof_status
malformed(struct decoder *d, const char *what, size_t i, const struct span *s)
{
	return FAIL(d, "%s %zu, at byte %zu: malformed message", what, i,
		    (size_t)(s->data - d->raw));
}

/* An id was taken: 0 or not new, as idmap_add() says. */
static enum prof_status
bad_id(struct decoder *d, int r, const char *what, uint64_t id)
{
	if (r < 0)
		return prof_nomem(d->err);
	if (id == 0)
		return INVALID(d, "found a %s with the reserved id 0", what);
	return INVALID(d, "multiple %ss with id %" PRIu64, what, id);
}

static enum prof_status
read_value_type(struct decoder *d, const struct span *s, size_t i)
{
	const Perftools__Profiles__ValueType *m =
		unpack(d, &perftools__profiles__value_type__descriptor, s);
	const char *what =
		s->field == F_PERIOD_TYPE ? "period type" : "sample type";
	struct profile *p = d->p;
	struct value_type t;

	if (!m)
		return malformed(d, what, i, s);
	if (!resolve(d, m->type, &t.type))
		return bad_string(d, what, i, m->type);
	if (!resolve(d, m->unit, &t.unit))
		return bad_string(d, what, i, m->unit);
	if (s->field == F_PERIOD_TYPE) {
		p->period_type = t;
		return PROF_OK;
	}
	if (POOL_RESERVE(p, type, p->n_type, type, 1) < 0)
		return prof_nomem(d->err);
	p->type[p->n_type++] = t;
	return PROF_OK;
}

static enum prof_status
read_mapping(struct decoder *d, const struct span *s, size_t i)
{
	const Perftools__Profiles__Mapping *m =
		unpack(d, &perftools__profiles__mapping__descriptor, s);
	struct mapping to;
	int r = 1;

	if (!m)
		return malformed(d, "mapping", i, s);
	to = (struct mapping){
		.id = m->id,
		.start = m->memory_start,
		.limit = m->memory_limit,
		.offset = m->file_offset,
		.has = (m->has_functions ? MAPPING_FUNCTIONS : 0) |
		       (m->has_filenames ? MAPPING_FILENAMES : 0) |
		       (m->has_line_numbers ? MAPPING_LINE_NUMBERS : 0) |
		       (m->has_inline_frames ? MAPPING_INLINE_FRAMES : 0),
	};
	if (!resolve(d, m->filename, &to.file))
		return bad_string(d, "mapping", i, m->filename);
	if (!resolve(d, m->build_id, &to.build_id))
		return bad_string(d, "mapping", i, m->build_id);
	if (!m->id || (r = idmap_add(&d->mapping, m->id, (uint32_t)i - 1)) != 0)
		return bad_id(d, r, "mapping", m->id);
	if (profile_add_mapping(d->p, &to) == PROF_NONE)
		return prof_nomem(d->err);
	return PROF_OK;
}

static enum prof_status
read_function(struct decoder *d, const struct span *s, size_t i)
{
	const Perftools__Profiles__Function *m =
		unpack(d, &perftools__profiles__function__descriptor, s);
	struct function to;
	int r = 1;

	if (!m)
		return malformed(d, "function", i, s);
	to = (struct function){ .id = m->id, .start_line = m->start_line };
	if (!resolve(d, m->name, &to.name))
		return bad_string(d, "function", i, m->name);
	if (!resolve(d, m->system_name, &to.system_name))
		return bad_string(d, "function", i, m->system_name);
	if (!resolve(d, m->filename, &to.file))
		return bad_string(d, "function", i, m->filename);
	if (!m->id ||
	    (r = idmap_add(&d->function, m->id, (uint32_t)i - 1)) != 0)
		return bad_id(d, r, "function", m->id);
	if (profile_add_function(d->p, &to) == PROF_NONE)
		return prof_nomem(d->err);
	return PROF_OK;
}

static enum prof_status
read_location(struct decoder *d, const struct span *s, size_t i)
{
	const Perftools__Profiles__Location *m =
		unpack(d, &perftools__profiles__location__descriptor, s);
	struct location to;
	struct line *line;
	int r = 1;

	if (!m)
		return malformed(d, "location", i, s);
	to = (struct location){
		.id = m->id,
		.address = m->address,
		.mapping = idmap_find(&d->mapping, m->mapping_id),
		.is_folded = m->is_folded,
	};
	line = scratch_alloc(&d->scratch, m->n_line * sizeof(*line));
	if (!line)
		return prof_nomem(d->err);
	for (size_t k = 0; k < m->n_line; k++) {
		const Perftools__Profiles__Line *from = m->line[k];

		line[k] = (struct line){
			.line = from->line,
			.column = from->column,
			.function = idmap_find(&d->function, from->function_id),
		};
		if (line[k].function == IDMAP_NONE)
			return INVALID(d,
				       "location id %" PRIu64
				       ": function id %" PRIu64
				       " does not exist",
				       m->id, from->function_id);
	}
	if (!m->id ||
	    (r = idmap_add(&d->location, m->id, (uint32_t)i - 1)) != 0)
		return bad_id(d, r, "location", m->id);
	if (profile_add_location(d->p, &to, line, m->n_line) == PROF_NONE)
		return prof_nomem(d->err);
	return PROF_OK;
}

static enum prof_status
add_comment(struct decoder *d, uint64_t value)
{
	struct profile *p = d->p;
	uint32_t s;

	if (!resolve(d, (int64_t)value, &s))
		return bad_string(d, "comment", p->n_comment + 1,
				  (int64_t)value);
	if (POOL_RESERVE(p, comment, p->n_comment, comment, 1) < 0)
		return prof_nomem(d->err);
	p->comment[p->n_comment++] = s;
	return PROF_OK;
}

static enum prof_status
read_comment(struct decoder *d, const struct span *s, size_t i)
{
	enum prof_status st = PROF_OK;
	struct wire_field f;
	const uint8_t *p, *end;
	uint64_t v;

	wire_next(s->data, s->data + s->n, &f);
	if (f.type == WIRE_VARINT)
		return add_comment(d, f.value);
	end = f.data + f.value;
	for (p = f.data; p < end && st == PROF_OK;) {
		p = wire_varint(p, end, &v);
		if (!p)
			return malformed(d, "comment", i, s);
		st = add_comment(d, v);
	}
	return st;
}

/* Read the spans of one field. */
static enum prof_status
read_spans(struct decoder *d, unsigned field,
	   enum prof_status (*read)(struct decoder *, const struct span *,
				    size_t))
{
	enum prof_status st = PROF_OK;
	size_t count = 0;

	for (size_t i = 0; i < d->n_span && st == PROF_OK; i++)
		if (d->span[i].field == field)
			st = read(d, &d->span[i], ++count);
	return st;
}

static enum prof_status
read_tables(struct decoder *d)
{
	size_t count[F_END] = { 0 };
	struct profile *p = d->p;
	enum prof_status st;

	for (size_t i = 0; i < d->n_span; i++)
		count[d->span[i].field]++;
	if (idmap_init(&d->mapping, count[F_MAPPING]) < 0 ||
	    idmap_init(&d->function, count[F_FUNCTION]) < 0 ||
	    idmap_init(&d->location, count[F_LOCATION]) < 0)
		return prof_nomem(d->err);
	if (d->n_string == 0)
		return INVALID(d, "the string table is empty");
	if (!resolve(d, d->drop, &p->drop_frames))
		return bad_string(d, "field", F_DROP_FRAMES, d->drop);
	if (!resolve(d, d->keep, &p->keep_frames))
		return bad_string(d, "field", F_KEEP_FRAMES, d->keep);
	if (!resolve(d, d->default_type, &p->default_type))
		return bad_string(d, "field", F_DEFAULT_SAMPLE_TYPE,
				  d->default_type);
	if (!resolve(d, d->doc_url, &p->doc_url))
		return bad_string(d, "field", F_DOC_URL, d->doc_url);

	st = read_spans(d, F_SAMPLE_TYPE, read_value_type);
	if (st == PROF_OK)
		st = read_spans(d, F_PERIOD_TYPE, read_value_type);
	if (st == PROF_OK)
		st = read_spans(d, F_COMMENT, read_comment);
	if (st == PROF_OK)
		st = read_spans(d, F_MAPPING, read_mapping);
	if (st == PROF_OK)
		st = read_spans(d, F_FUNCTION, read_function);
	if (st == PROF_OK)
		st = read_spans(d, F_LOCATION, read_location);
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
 * Location ids at [q, end) -> indices, appended to the pool, which has room
 * for one for each byte. This loop is where reading a profile spends its
 * time: one to three bytes, as in any profile with less than two million
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

	/* One more than fits is counted, for the message, but not kept. */
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
read_label(struct decoder *d, const struct wire_field *msg)
{
	const uint8_t *q = msg->data, *end = q + msg->value, *next;
	int64_t v[5] = { 0 }; /* by field number */
	struct profile *p = d->p;
	struct wire_field f;
	struct label l;

	for (; q < end; q = next) {
		next = wire_next(q, end, &f);
		if (!next)
			return bad_sample(d, q);
		if (f.number == 0 || f.number > 4)
			continue;
		if (f.type != WIRE_VARINT)
			return bad_sample(d, q);
		v[f.number] = (int64_t)f.value;
	}
	l.num = v[3];
	if (!resolve(d, v[1], &l.key))
		return bad_string(d, "label of sample", p->n_sample + 1, v[1]);
	if (!resolve(d, v[2], &l.str))
		return bad_string(d, "label of sample", p->n_sample + 1, v[2]);
	if (!resolve(d, v[4], &l.unit))
		return bad_string(d, "label of sample", p->n_sample + 1, v[4]);
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
	const uint8_t *p = d->raw, *end = d->raw + d->n;
	size_t n_sample = d->n_sample;
	enum prof_status st = PROF_OK;
	struct wire_field f;

	if (n_sample >= PROF_NONE || d->n_span >= PROF_NONE)
		return prof_fail(d->err, PROF_ELIMIT,
				 "more than 2^32 entries in a table");
	if (n_sample && !d->p->n_type)
		return INVALID(d, "there are samples, but no sample types");
	/* What is not needed of this is never touched. */
	if (POOL_RESERVE(d->p, sample, 0, sample, n_sample) < 0 ||
	    POOL_RESERVE(d->p, stack, 0, stack, d->sample_bytes / 2) < 0)
		return prof_nomem(d->err);
	while (n_sample && st == PROF_OK && p < end) {
		p = wire_next(p, end, &f); /* checked by scan() */
		if (f.number != F_SAMPLE)
			continue;
		st = read_sample(d, f.data, f.value);
		n_sample--;
	}
	return st;
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
	d.alloc =
		(ProtobufCAllocator){ scratch_alloc, scratch_free, &d.scratch };
	d.p = profile_new();
	d.tmp = arena_new();
	st = d.p && d.tmp ? PROF_OK : prof_nomem(err);
	if (st == PROF_OK)
		st = scan(&d);
	if (st == PROF_OK)
		st = read_tables(&d);
	if (st == PROF_OK)
		st = read_samples(&d);
	idmap_release(&d.mapping);
	idmap_release(&d.function);
	idmap_release(&d.location);
	scratch_reset(&d.scratch);
	arena_free(d.tmp);
	if (st == PROF_OK)
		*out = d.p;
	else
		profile_free(d.p);
	return st;
}
