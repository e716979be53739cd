/*
 * decode-tables.c - decode all but samples: mappings, functions, locations and
 * the header. See decode.h.
 */
#include "config.h"

#include <inttypes.h>

#include "decode.h"
#include "lib/model/pool.h"
#include "wire.h"

static enum prof_status
malformed(struct decoder *d, const char *what, size_t i,
	  const struct wire_field *f)
{
	return FAIL(d, "%s %zu, at byte %zu: malformed message", what, i,
		    (size_t)(f->data - d->raw));
}

enum prof_status
decode_glued(struct decoder *d)
{
	return INVALID(
		d, "two profiles glued together (prof-merge adds profiles)");
}

/* Is there a second empty string? Each table of strings begins with one. */
static bool
is_glued(const struct decoder *d)
{
	size_t i = 1;

	while (i < d->n_string && d->string[i] != d->string[0])
		i++;
	return i < d->n_string;
}

/* Register id, which must be new and not 0, for entry i of its table. */
static enum prof_status
take_id(struct decoder *d, struct idmap *ids, const char *what, uint64_t id,
	size_t i)
{
	int r;

	if (id == 0)
		return INVALID(d, "found a %s with the reserved id 0", what);
	r = idmap_add(ids, id, (uint32_t)i - 1);
	if (r > 0 && is_glued(d))
		return decode_glued(d);
	if (r > 0)
		return INVALID(d, "multiple %ss with id %" PRIu64, what, id);
	return r < 0 ? prof_nomem(d->err) : PROF_OK;
}

/* Note the id of a new entry: *last is the largest of its table. */
static void
note_id(uint64_t *last, uint64_t id)
{
	if (id > *last)
		*last = id;
}

/* Look up n strings by their numbers in the string table. */
static enum prof_status
take_strings(struct decoder *d, const char *what, size_t i,
	     const uint64_t *number, size_t n, uint32_t *const to[])
{
	for (size_t k = 0; k < n; k++)
		if (!decode_string(d, number[k], to[k]))
			return decode_bad_string(d, what, i, number[k]);
	return PROF_OK;
}

static enum prof_status
read_value_type(struct decoder *d, const struct wire_field *f, size_t i)
{
	bool is_period = f->number == F_PERIOD_TYPE;
	const char *what = is_period ? "period type" : "sample type";
	struct profile *p = d->p;
	enum prof_status st;
	struct value_type t;
	uint64_t v[3];

	if (!wire_varints(f->data, f->value, v, 3))
		return malformed(d, what, i, f);
	st = take_strings(d, what, i, v + 1, 2,
			  (uint32_t *[]){ &t.type, &t.unit });
	if (st != PROF_OK)
		return st;
	if (is_period) {
		p->period_type = t;
		return PROF_OK;
	}
	if (POOL_RESERVE(p, type, p->n_type, type, 1) < 0)
		return prof_nomem(d->err);
	p->type[p->n_type++] = t;
	return PROF_OK;
}

static enum prof_status
read_mapping(struct decoder *d, const struct wire_field *f, size_t i)
{
	struct mapping to;
	enum prof_status st;
	uint64_t v[11];

	if (!wire_varints(f->data, f->value, v, 11))
		return malformed(d, "mapping", i, f);
	to = (struct mapping){
		.id = v[1],
		.start = v[2],
		.limit = v[3],
		.offset = v[4],
		.has = (v[7] ? MAPPING_FUNCTIONS : 0) |
		       (v[8] ? MAPPING_FILENAMES : 0) |
		       (v[9] ? MAPPING_LINE_NUMBERS : 0) |
		       (v[10] ? MAPPING_INLINE_FRAMES : 0),
	};
	st = take_strings(d, "mapping", i, v + 5, 2,
			  (uint32_t *[]){ &to.file, &to.build_id });
	if (st == PROF_OK)
		st = take_id(d, &d->mapping, "mapping", to.id, i);
	if (st != PROF_OK)
		return st;
	d->p->mapping[d->p->n_mapping++] = to;
	note_id(&d->p->room.mapping_id, to.id);
	return PROF_OK;
}

static enum prof_status
read_function(struct decoder *d, const struct wire_field *f, size_t i)
{
	struct function to;
	enum prof_status st;
	uint64_t v[6];

	if (!wire_varints(f->data, f->value, v, 6))
		return malformed(d, "function", i, f);
	to = (struct function){ .id = v[1], .start_line = (int64_t)v[5] };
	st = take_strings(
		d, "function", i, v + 2, 3,
		(uint32_t *[]){ &to.name, &to.system_name, &to.file });
	if (st == PROF_OK)
		st = take_id(d, &d->function, "function", to.id, i);
	if (st != PROF_OK)
		return st;
	d->p->function[d->p->n_function++] = to;
	note_id(&d->p->room.function_id, to.id);
	return PROF_OK;
}

/* The fields of a location but its lines, which go straight to the profile. */
struct raw_location {
	uint64_t v[6];    /* by number */
	uint64_t unknown; /* id of a function that does not exist, if any */
	bool has_unknown;
};

/* Returns 1 if the line is malformed, -1 without memory. */
static int
read_line(struct decoder *d, struct raw_location *l, const struct wire_field *f)
{
	struct profile *p = d->p;
	struct line *line;
	uint64_t v[4];

	if (f->type != WIRE_BYTES || !wire_varints(f->data, f->value, v, 4))
		return 1;
	if (p->n_line >= PROF_NONE - 1 ||
	    POOL_RESERVE(p, line, p->n_line, line, 1) < 0)
		return -1;
	line = &p->line[p->n_line++];
	line->function = idmap_find(&d->function, v[1]);
	line->line = (int64_t)v[2];
	line->column = (int64_t)v[3];
	if (line->function == IDMAP_NONE) {
		l->unknown = v[1];
		l->has_unknown = true;
	}
	return 0;
}

/* Returns as read_line(). */
static int
read_location_fields(struct decoder *d, struct raw_location *l,
		     const struct wire_field *msg)
{
	const uint8_t *p = msg->data, *end = p + msg->value;
	struct wire_field f;
	int r = 0;

	while (p < end && r == 0) {
		if (*p != 4 << 3 && wire_is_varint_tag(*p, 6)) {
			p = wire_varint(p + 1, end, &l->v[*p >> 3]);
			if (!p)
				return 1;
			continue;
		}
		p = wire_next(p, end, &f);
		if (!p)
			return 1;
		if (f.number == 4)
			r = read_line(d, l, &f);
		else if (f.number == 0 || f.number > 5)
			continue;
		else if (f.type != WIRE_VARINT)
			return 1;
		else
			l->v[f.number] = f.value;
	}
	return r;
}

static enum prof_status
read_location(struct decoder *d, const struct wire_field *f, size_t i)
{
	struct raw_location l = { 0 };
	struct profile *p = d->p;
	uint32_t line = (uint32_t)p->n_line;
	struct location to;
	enum prof_status st;
	int r = read_location_fields(d, &l, f);

	if (r)
		return r < 0 ? prof_nomem(d->err)
			     : malformed(d, "location", i, f);
	if (l.has_unknown)
		return INVALID(d,
			       "location id %" PRIu64 ": function id %" PRIu64
			       " does not exist",
			       l.v[1], l.unknown);
	to = (struct location){
		.id = l.v[1],
		.address = l.v[3],
		.mapping = idmap_find(&d->mapping, l.v[2]),
		.line = line,
		.n_line = (uint32_t)p->n_line - line,
		.is_folded = l.v[5] != 0,
	};
	st = take_id(d, &d->location, "location", to.id, i);
	if (st != PROF_OK)
		return st;
	p->location[p->n_location++] = to;
	note_id(&p->room.location_id, to.id);
	return PROF_OK;
}

static enum prof_status
add_comment(struct decoder *d, uint64_t value)
{
	struct profile *p = d->p;
	uint32_t s;

	if (!decode_string(d, value, &s))
		return decode_bad_string(d, "comment", p->n_comment + 1, value);
	if (POOL_RESERVE(p, comment, p->n_comment, comment, 1) < 0)
		return prof_nomem(d->err);
	p->comment[p->n_comment++] = s;
	return PROF_OK;
}

static enum prof_status
read_comment(struct decoder *d, const struct wire_field *f, size_t i)
{
	enum prof_status st = PROF_OK;
	const uint8_t *p, *end;
	uint64_t v;

	if (f->type == WIRE_VARINT)
		return add_comment(d, f->value);
	end = f->data + f->value;
	for (p = f->data; p < end && st == PROF_OK;) {
		p = wire_varint(p, end, &v);
		if (!p)
			return malformed(d, "comment", i, f);
		st = add_comment(d, v);
	}
	return st;
}

/* Read the entries of one table. */
static enum prof_status
read_table(struct decoder *d, unsigned field,
	   enum prof_status (*read)(struct decoder *, const struct wire_field *,
				    size_t))
{
	const struct span *s = &d->span[field];
	const uint8_t *p = s->from;
	enum prof_status st = PROF_OK;
	struct wire_field f;
	size_t count = 0;

	while (p < s->to && st == PROF_OK) {
		p = wire_next(p, s->to, &f); /* checked by scan() */
		if (f.number == field)
			st = read(d, &f, ++count);
	}
	return st;
}

/* Make room for all entries, as scan() counted them. */
static int
reserve_tables(struct decoder *d)
{
	size_t n_mapping = d->span[F_MAPPING].n;
	size_t n_function = d->span[F_FUNCTION].n;
	size_t n_location = d->span[F_LOCATION].n;
	struct profile *p = d->p;

	if (idmap_init(&d->mapping, n_mapping) < 0 ||
	    idmap_init(&d->function, n_function) < 0 ||
	    idmap_init(&d->location, n_location) < 0 ||
	    POOL_RESERVE(p, mapping, 0, mapping, n_mapping) < 0 ||
	    POOL_RESERVE(p, function, 0, function, n_function) < 0 ||
	    POOL_RESERVE(p, location, 0, location, n_location) < 0 ||
	    POOL_RESERVE(p, line, 0, line, n_location) < 0)
		return -1;
	return 0;
}

enum prof_status
decode_tables(struct decoder *d)
{
	struct profile *p = d->p;
	enum prof_status st;

	if (reserve_tables(d) < 0)
		return prof_nomem(d->err);
	if (d->n_string == 0)
		return INVALID(
			d, "the string table is empty: not a profile, perhaps "
			   "another kind of protobuf");
	if (!decode_string(d, d->drop, &p->drop_frames))
		return decode_bad_string(d, "field", F_DROP_FRAMES, d->drop);
	if (!decode_string(d, d->keep, &p->keep_frames))
		return decode_bad_string(d, "field", F_KEEP_FRAMES, d->keep);
	if (!decode_string(d, d->default_type, &p->default_type))
		return decode_bad_string(d, "field", F_DEFAULT_SAMPLE_TYPE,
					 d->default_type);
	if (!decode_string(d, d->doc_url, &p->doc_url))
		return decode_bad_string(d, "field", F_DOC_URL, d->doc_url);

	st = read_table(d, F_SAMPLE_TYPE, read_value_type);
	if (st == PROF_OK)
		st = read_table(d, F_PERIOD_TYPE, read_value_type);
	if (st == PROF_OK)
		st = read_table(d, F_COMMENT, read_comment);
	if (st == PROF_OK)
		st = read_table(d, F_MAPPING, read_mapping);
	if (st == PROF_OK)
		st = read_table(d, F_FUNCTION, read_function);
	if (st == PROF_OK)
		st = read_table(d, F_LOCATION, read_location);
	return st;
}
