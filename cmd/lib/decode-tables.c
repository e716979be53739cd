/*
 * decode-tables.c - mappings, functions, locations and what else is not a
 * sample: unpacked by protobuf-c's generated code, one message at a time. See
 * decode.h.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "decode.h"
#include "pool.h"
#include "profile.pb-c.h"
#include "wire.h"

/*
 * Memory for one unpacked table message, dropped before the next: nearly
 * always the buffer is enough.
 */
struct scratch {
	struct arena *more; /* NULL while buf is enough */
	size_t used;
	_Alignas(max_align_t) char buf[8192];
};

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

static void *
unpack(struct decoder *d, const ProtobufCMessageDescriptor *desc,
       const struct span *s)
{
	ProtobufCAllocator alloc = { scratch_alloc, scratch_free, d->scratch };

	scratch_reset(d->scratch);
	return protobuf_c_message_unpack(desc, &alloc, s->n, s->data);
}

static enum prof_status
malformed(struct decoder *d, const char *what, size_t i, const struct span *s)
{
	return FAIL(d, "%s %zu, at byte %zu: malformed message", what, i,
		    (size_t)(s->data - d->raw));
}

/* Entry i of its table takes an id, which must be new and not 0. */
static enum prof_status
take_id(struct decoder *d, struct idmap *ids, const char *what, uint64_t id,
	size_t i)
{
	int r;

	if (id == 0)
		return INVALID(d, "found a %s with the reserved id 0", what);
	r = idmap_add(ids, id, (uint32_t)i - 1);
	if (r > 0)
		return INVALID(d, "multiple %ss with id %" PRIu64, what, id);
	return r < 0 ? prof_nomem(d->err) : PROF_OK;
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
	if (!decode_string(d, m->type, &t.type))
		return decode_bad_string(d, what, i, m->type);
	if (!decode_string(d, m->unit, &t.unit))
		return decode_bad_string(d, what, i, m->unit);
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
	enum prof_status st;

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
	if (!decode_string(d, m->filename, &to.file))
		return decode_bad_string(d, "mapping", i, m->filename);
	if (!decode_string(d, m->build_id, &to.build_id))
		return decode_bad_string(d, "mapping", i, m->build_id);
	st = take_id(d, &d->mapping, "mapping", m->id, i);
	if (st != PROF_OK)
		return st;
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
	enum prof_status st;

	if (!m)
		return malformed(d, "function", i, s);
	to = (struct function){ .id = m->id, .start_line = m->start_line };
	if (!decode_string(d, m->name, &to.name))
		return decode_bad_string(d, "function", i, m->name);
	if (!decode_string(d, m->system_name, &to.system_name))
		return decode_bad_string(d, "function", i, m->system_name);
	if (!decode_string(d, m->filename, &to.file))
		return decode_bad_string(d, "function", i, m->filename);
	st = take_id(d, &d->function, "function", m->id, i);
	if (st != PROF_OK)
		return st;
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
	enum prof_status st;

	if (!m)
		return malformed(d, "location", i, s);
	to = (struct location){
		.id = m->id,
		.address = m->address,
		.mapping = idmap_find(&d->mapping, m->mapping_id),
		.is_folded = m->is_folded,
	};
	line = scratch_alloc(d->scratch, m->n_line * sizeof(*line));
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
	st = take_id(d, &d->location, "location", m->id, i);
	if (st != PROF_OK)
		return st;
	if (profile_add_location(d->p, &to, line, m->n_line) == PROF_NONE)
		return prof_nomem(d->err);
	return PROF_OK;
}

static enum prof_status
add_comment(struct decoder *d, uint64_t value)
{
	struct profile *p = d->p;
	uint32_t s;

	if (!decode_string(d, (int64_t)value, &s))
		return decode_bad_string(d, "comment", p->n_comment + 1,
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

	if (!wire_next(s->data, s->data + s->n, &f))
		return malformed(d, "comment", i, s);
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
	if (!decode_string(d, d->drop, &p->drop_frames))
		return decode_bad_string(d, "field", F_DROP_FRAMES, d->drop);
	if (!decode_string(d, d->keep, &p->keep_frames))
		return decode_bad_string(d, "field", F_KEEP_FRAMES, d->keep);
	if (!decode_string(d, d->default_type, &p->default_type))
		return decode_bad_string(d, "field", F_DEFAULT_SAMPLE_TYPE,
					 d->default_type);
	if (!decode_string(d, d->doc_url, &p->doc_url))
		return decode_bad_string(d, "field", F_DOC_URL, d->doc_url);

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

enum prof_status
decode_tables(struct decoder *d)
{
	struct scratch scratch;
	enum prof_status st;

	scratch.more = NULL;
	scratch.used = 0;
	d->scratch = &scratch;
	st = read_tables(d);
	scratch_reset(&scratch);
	d->scratch = NULL;
	return st;
}
