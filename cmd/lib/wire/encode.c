/*
 * encode.c - the writing half of codec.h. protobuf-c's generated code packs
 * entries of small tables. Samples are written by hand: there are many, and the
 * canonical form packs three or more repeated numbers, but not fewer, which no
 * protobuf library does.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "lib/model/profile.h"
#include "profile.pb-c.h"
#include "wire.h"

/* The varint of a location's id, precomputed: most of the output is these. */
struct id_bytes {
	uint8_t n;
	uint8_t byte[10];
};

enum { SINK_PIECE = 65536 }; /* bytes passed to a sink at a time, about */

struct encoder {
	const struct profile *p;
	struct buf *out;
	const struct codec_sink *sink; /* NULL: keep all in out */
	enum prof_status status;       /* the sink's last status */
	struct prof_err *err;
	uint32_t *number; /* string of p -> its number on the stream */
	uint32_t *order;  /* and back */
	size_t n_order;
	struct id_bytes *id; /* by location */
};

/* Called after each entry: pass the output on if it is at least this much. */
static int
drain(struct encoder *e, size_t least)
{
	if (!e->sink || e->out->n < least)
		return 0;
	e->status = e->sink->put(e->sink->ctx, e->out->data, e->out->n, e->err);
	e->out->n = 0;
	return e->status == PROF_OK ? 0 : -1;
}

static int64_t
number(struct encoder *e, uint32_t s)
{
	if (s && !e->number[s]) {
		e->order[e->n_order] = s;
		e->number[s] = (uint32_t)e->n_order++;
	}
	return e->number[s];
}

/* Write a field with varint v and a number below 16. Zero is omitted. */
static uint8_t *
put_field(uint8_t *q, unsigned field, uint64_t v)
{
	if (!v)
		return q;
	*q++ = (uint8_t)(field << 3 | WIRE_VARINT);
	return wire_put(q, v);
}

static size_t
field_size(uint64_t v)
{
	return v ? 1 + wire_size(v) : 0;
}

static int
put_message(struct encoder *e, unsigned field, const ProtobufCMessage *m)
{
	size_t n = protobuf_c_message_get_packed_size(m);
	uint8_t *q;

	if (buf_reserve(e->out, n + 11) < 0)
		return -1;
	q = e->out->data + e->out->n;
	*q++ = (uint8_t)(field << 3 | WIRE_BYTES);
	q = wire_put(q, n);
	q += protobuf_c_message_pack(m, q);
	e->out->n = (size_t)(q - e->out->data);
	return drain(e, SINK_PIECE);
}

static int
put_value_type(struct encoder *e, unsigned field, struct value_type t)
{
	Perftools__Profiles__ValueType m =
		PERFTOOLS__PROFILES__VALUE_TYPE__INIT;

	m.type = number(e, t.type);
	m.unit = number(e, t.unit);
	return put_message(e, field, &m.base);
}

/* --- samples --- */

/* Repeated numbers: field and value one by one, or packed from three on. */
static size_t
repeated_size(size_t n, size_t bytes)
{
	if (n <= 2)
		return n + bytes;
	return 1 + wire_size(bytes) + bytes;
}

static uint8_t *
put_stack(const struct encoder *e, uint8_t *q, const struct sample *s,
	  size_t bytes)
{
	const uint32_t *stack = profile_stack(e->p, s);

	if (s->n_stack > 2) {
		*q++ = 1 << 3 | WIRE_BYTES;
		q = wire_put(q, bytes);
	}
	for (uint32_t i = 0; i < s->n_stack; i++) {
		const struct id_bytes *id = &e->id[stack[i]];

		if (s->n_stack <= 2)
			*q++ = 1 << 3 | WIRE_VARINT;
		/* A fixed size compiles to two moves; there is room for it. */
		memcpy(q, id->byte, sizeof(id->byte));
		q += id->n;
	}
	return q;
}

static uint8_t *
put_values(const struct encoder *e, uint8_t *q, const int64_t *value,
	   size_t bytes)
{
	size_t n = e->p->n_type;

	if (n > 2) {
		*q++ = 2 << 3 | WIRE_BYTES;
		q = wire_put(q, bytes);
	}
	for (size_t i = 0; i < n; i++) {
		if (n <= 2)
			*q++ = 2 << 3 | WIRE_VARINT;
		q = wire_put(q, (uint64_t)value[i]);
	}
	return q;
}

/* Its size. Numbers its strings in order of first use: key, then value. */
static size_t
label_size(struct encoder *e, const struct label *l)
{
	int64_t key = number(e, l->key), str = number(e, l->str);

	return field_size((uint64_t)key) + field_size((uint64_t)str) +
	       field_size((uint64_t)l->num) +
	       field_size((uint64_t)number(e, l->unit));
}

static uint8_t *
put_label(struct encoder *e, uint8_t *q, const struct label *l)
{
	*q++ = 3 << 3 | WIRE_BYTES;
	q = wire_put(q, label_size(e, l));
	q = put_field(q, 1, e->number[l->key]);
	q = put_field(q, 2, e->number[l->str]);
	q = put_field(q, 3, (uint64_t)l->num);
	return put_field(q, 4, e->number[l->unit]);
}

static int
put_sample(struct encoder *e, size_t i)
{
	const struct profile *p = e->p;
	const struct sample *s = &p->sample[i];
	const uint32_t *stack = profile_stack(p, s);
	const struct label *label = profile_label(p, s);
	const int64_t *value = profile_value(p, i);
	size_t stack_bytes = 0, value_bytes = 0, body;
	uint8_t *q;

	for (uint32_t k = 0; k < s->n_stack; k++)
		stack_bytes += e->id[stack[k]].n;
	for (size_t k = 0; k < p->n_type; k++)
		value_bytes += wire_size((uint64_t)value[k]);
	body = repeated_size(s->n_stack, stack_bytes) +
	       repeated_size(p->n_type, value_bytes);
	for (uint32_t k = 0; k < s->n_label; k++) {
		size_t n = label_size(e, &label[k]);

		body += 1 + wire_size(n) + n;
	}
	/* 32: the header of the sample, and excess bytes written by
	 * put_stack(). */
	if (buf_reserve(e->out, body + 32) < 0)
		return -1;
	q = e->out->data + e->out->n;
	*q++ = 2 << 3 | WIRE_BYTES;
	q = wire_put(q, body);
	q = put_stack(e, q, s, stack_bytes);
	q = put_values(e, q, value, value_bytes);
	for (uint32_t k = 0; k < s->n_label; k++)
		q = put_label(e, q, &label[k]);
	e->out->n = (size_t)(q - e->out->data);
	return drain(e, SINK_PIECE);
}

/* --- tables --- */

static int
put_mapping(struct encoder *e, const struct mapping *from)
{
	Perftools__Profiles__Mapping m = PERFTOOLS__PROFILES__MAPPING__INIT;

	m.id = from->id;
	m.memory_start = from->start;
	m.memory_limit = from->limit;
	m.file_offset = from->offset;
	m.filename = number(e, from->file);
	m.build_id = number(e, from->build_id);
	m.has_functions = (from->has & MAPPING_FUNCTIONS) != 0;
	m.has_filenames = (from->has & MAPPING_FILENAMES) != 0;
	m.has_line_numbers = (from->has & MAPPING_LINE_NUMBERS) != 0;
	m.has_inline_frames = (from->has & MAPPING_INLINE_FRAMES) != 0;
	return put_message(e, 3, &m.base);
}

static int
put_location(struct encoder *e, const struct location *from)
{
	Perftools__Profiles__Location m = PERFTOOLS__PROFILES__LOCATION__INIT;
	const struct line *line = profile_line(e->p, from);
	size_t n = from->n_line;
	Perftools__Profiles__Line few[8], *msg = few;
	Perftools__Profiles__Line *few_ptr[8], **ptr = few_ptr;
	int r = -1;

	if (n > 8) {
		msg = calloc(n, sizeof(*msg));
		ptr = calloc(n, sizeof(Perftools__Profiles__Line *));
		if (!msg || !ptr)
			goto out;
	}
	for (size_t i = 0; i < n; i++) {
		perftools__profiles__line__init(&msg[i]);
		msg[i].function_id = e->p->function[line[i].function].id;
		msg[i].line = line[i].line;
		msg[i].column = line[i].column;
		ptr[i] = &msg[i];
	}
	m.id = from->id;
	if (from->mapping != PROF_NONE)
		m.mapping_id = e->p->mapping[from->mapping].id;
	m.address = from->address;
	m.line = ptr;
	m.n_line = n;
	m.is_folded = from->is_folded;
	r = put_message(e, 4, &m.base);
out:
	if (n > 8) {
		free(msg);
		free(ptr);
	}
	return r;
}

static int
put_function(struct encoder *e, const struct function *from)
{
	Perftools__Profiles__Function m = PERFTOOLS__PROFILES__FUNCTION__INIT;

	m.id = from->id;
	m.name = number(e, from->name);
	m.system_name = number(e, from->system_name);
	m.filename = number(e, from->file);
	m.start_line = from->start_line;
	return put_message(e, 5, &m.base);
}

static int
put_strings(struct encoder *e)
{
	for (size_t i = 0; i < e->n_order; i++) {
		const struct str *s = &e->p->strings.str[e->order[i]];
		uint8_t *q;

		if (buf_reserve(e->out, (size_t)s->len + 11) < 0)
			return -1;
		q = e->out->data + e->out->n;
		*q++ = 6 << 3 | WIRE_BYTES;
		q = wire_put(q, s->len);
		memcpy(q, s->s, s->len);
		e->out->n = (size_t)(q + s->len - e->out->data);
		if (drain(e, SINK_PIECE) < 0)
			return -1;
	}
	return 0;
}

/* Write the fields after the strings; number_tail() has numbered their
 * strings. */
static int
put_tail(struct encoder *e)
{
	const struct profile *p = e->p;
	size_t bytes = 0, n = p->n_comment;
	uint8_t *q;

	for (size_t i = 0; i < n; i++)
		bytes += wire_size(e->number[p->comment[i]]);
	if (buf_reserve(e->out, 64) < 0)
		return -1;
	q = e->out->data + e->out->n;
	q = put_field(q, 7, e->number[p->drop_frames]);
	q = put_field(q, 8, e->number[p->keep_frames]);
	q = put_field(q, 9, (uint64_t)p->time_ns);
	q = put_field(q, 10, (uint64_t)p->duration_ns);
	e->out->n = (size_t)(q - e->out->data);
	if ((p->period_type.type || p->period_type.unit) &&
	    put_value_type(e, 11, p->period_type) < 0)
		return -1;
	if (buf_reserve(e->out, bytes + n + 64) < 0)
		return -1;
	q = e->out->data + e->out->n;
	q = put_field(q, 12, (uint64_t)p->period);
	if (n > 2) {
		*q++ = 13 << 3 | WIRE_BYTES;
		q = wire_put(q, bytes);
	}
	for (size_t i = 0; i < n; i++) {
		if (n <= 2)
			*q++ = 13 << 3 | WIRE_VARINT;
		q = wire_put(q, e->number[p->comment[i]]);
	}
	*q++ = 14 << 3 | WIRE_VARINT;
	q = wire_put(q, e->number[p->default_type]);
	q = put_field(q, 15, e->number[p->doc_url]);
	e->out->n = (size_t)(q - e->out->data);
	return 0;
}

static void
number_tail(struct encoder *e)
{
	const struct profile *p = e->p;

	number(e, p->drop_frames);
	number(e, p->keep_frames);
	number(e, p->period_type.type);
	number(e, p->period_type.unit);
	for (size_t i = 0; i < p->n_comment; i++)
		number(e, p->comment[i]);
	number(e, p->default_type);
	number(e, p->doc_url);
}

/* Reserve about the size of the output, so that it rarely grows. */
static int
reserve_output(struct encoder *e)
{
	const struct profile *p = e->p;
	size_t id_bytes = 1, sample = 16 + p->n_type * 5;

	if (e->sink)
		return 0;
	for (size_t i = 0; i < p->n_location; i++)
		if (e->id[i].n > id_bytes)
			id_bytes = e->id[i].n;
	return buf_reserve(e->out, p->n_stack * id_bytes + p->n_label * 12 +
					   p->n_sample * sample +
					   p->n_location * 24 + 4096);
}

enum { PREFETCH = 4 }; /* samples ahead */

/*
 * Prefetch the stack, up to 64 frames, and the first labels of a sample. Always
 * inline: GCC 12 considers a function that only prefetches free of effects, and
 * removes the call.
 */
static inline __attribute__((always_inline)) void
prefetch(const struct profile *p, const struct sample *s)
{
	const uint32_t *stack = profile_stack(p, s);

	for (uint32_t k = 0; k < s->n_stack && k < 64; k += 16)
		__builtin_prefetch(stack + k);
	__builtin_prefetch(profile_label(p, s));
}

static int
encode(struct encoder *e)
{
	const struct profile *p = e->p;

	for (size_t i = 0; i < p->n_location; i++) {
		struct id_bytes *id = &e->id[i];

		id->n = (uint8_t)(wire_put(id->byte, p->location[i].id) -
				  id->byte);
	}
	if (reserve_output(e) < 0)
		return -1;
	for (size_t i = 0; i < p->n_type; i++)
		if (put_value_type(e, 1, p->type[i]) < 0)
			return -1;
	for (size_t i = 0; i < p->n_sample; i++) {
		/* Sorting scatters the stacks and labels of samples in their
		 * pools. */
		if (i + PREFETCH < p->n_sample)
			prefetch(p, &p->sample[i + PREFETCH]);
		if (put_sample(e, i) < 0)
			return -1;
	}
	for (size_t i = 0; i < p->n_mapping; i++)
		if (put_mapping(e, &p->mapping[i]) < 0)
			return -1;
	for (size_t i = 0; i < p->n_location; i++)
		if (put_location(e, &p->location[i]) < 0)
			return -1;
	for (size_t i = 0; i < p->n_function; i++)
		if (put_function(e, &p->function[i]) < 0)
			return -1;
	number_tail(e);
	if (put_strings(e) < 0)
		return -1;
	return put_tail(e);
}

static enum prof_status
encode_all(struct encoder *e)
{
	const struct profile *p = e->p;
	int r = -1;

	e->n_order = 1;
	e->status = PROF_OK;
	e->number = calloc(p->strings.n_str, sizeof(*e->number));
	e->order = calloc(p->strings.n_str, sizeof(*e->order));
	e->id = calloc(p->n_location ? p->n_location : 1, sizeof(*e->id));
	if (e->number && e->order && e->id)
		r = encode(e);
	if (r == 0)
		r = drain(e, 1);
	free(e->number);
	free(e->order);
	free(e->id);
	if (e->status != PROF_OK)
		return e->status;
	return r < 0 ? prof_nomem(e->err) : PROF_OK;
}

enum prof_status
profile_encode(const struct profile *p, struct buf *out, struct prof_err *err)
{
	return encode_all(&(struct encoder){ .p = p, .out = out, .err = err });
}

enum prof_status
profile_encode_to(const struct profile *p, const struct codec_sink *sink,
		  struct prof_err *err)
{
	struct buf piece = { 0 };
	enum prof_status st = encode_all(&(struct encoder){
		.p = p, .out = &piece, .sink = sink, .err = err });

	buf_release(&piece);
	return st;
}
