/*
 * corpus.c - the readers over files of testdata/: what is good is read as
 * protobuf-c reads it, before and after it is written, and damage anywhere is
 * harmless. formats/corpus.t has what commands show of every file.
 */
#include "config.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/profile.h"
#include "lib/stream/stream.h"
#include "lib/wire/codec.h"
#include "profile.pb-c.h"
#include "tests/unit/unit.h"

typedef Perftools__Profiles__Profile message;

/* Can this build inflate the file of that name? */
static bool
is_readable(const char *name)
{
	const char *end = strrchr(name, '.');

#ifdef HAVE_ZSTD
	return end != NULL;
#else
	return end && strcmp(end, ".zst") != 0;
#endif
}

static void
load(const char *path, struct buf *b)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f)
		fail_msg("cannot open %s", path);
	do {
		assert_int_equal(buf_reserve(b, 65536), 0);
		n = fread(b->data + b->n, 1, 65536, f);
		b->n += n;
	} while (n);
	fclose(f);
}

/* The inflated bytes of a good file of testdata. */
static struct buf
inflated(const char *path)
{
	struct buf file = { 0 }, raw = { 0 };
	struct prof_err err;

	load(path, &file);
	if (stream_inflate(file.data, file.n, STREAM_MAX_SIZE, &raw, &err) !=
	    PROF_OK)
		fail_msg("%s: %s", path, err.msg);
	buf_release(&file);
	return raw;
}

/* Call check for each file of testdata/ that pattern matches. */
static void
each(const char *pattern, void (*check)(const char *path))
{
	const char *top = getenv("abs_srcdir");
	char text[4096];
	glob_t g;

	snprintf(text, sizeof(text), "%s/testdata/%s", top ? top : ".",
		 pattern);
	assert_int_equal(glob(text, 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++)
		if (is_readable(g.gl_pathv[i]))
			check(g.gl_pathv[i]);
	globfree(&g);
}

static bool
same_string(const struct profile *p, uint32_t s, const message *m, int64_t i)
{
	const ProtobufCBinaryData *d = &m->string_table[i];

	return p->strings.str[s].len == d->len &&
	       (!d->len || !memcmp(p->strings.str[s].s, d->data, d->len));
}

/* Is l of m's label k? A string makes the number and the unit void. */
static bool
same_label(const struct profile *p, const struct label *l, const message *m,
	   const Perftools__Profiles__Label *k)
{
	if (!same_string(p, l->key, m, k->key) ||
	    !same_string(p, l->str, m, k->str))
		return false;
	return k->str ? l->num == 0 && l->unit == 0
		      : l->num == k->num &&
				same_string(p, l->unit, m, k->num_unit);
}

static void
compare_sample(const struct profile *p, size_t i, const message *m)
{
	const struct sample *s = &p->sample[i];
	const Perftools__Profiles__Sample *t = m->sample[i];
	size_t n_label = 0;

	assert_int_equal(s->n_stack, t->n_location_id);
	for (size_t k = 0; k < s->n_stack; k++)
		assert_true(p->location[profile_stack(p, s)[k]].id ==
			    t->location_id[k]);
	assert_int_equal(p->n_type, t->n_value);
	for (size_t k = 0; k < p->n_type; k++)
		assert_true(profile_value(p, i)[k] == t->value[k]);
	for (size_t k = 0; k < t->n_label; k++) {
		const Perftools__Profiles__Label *l = t->label[k];
		bool found = false;

		if (!l->str && !l->num && !l->num_unit)
			continue;
		n_label++;
		for (size_t j = 0; j < s->n_label; j++)
			found = found ||
				same_label(p, &profile_label(p, s)[j], m, l);
		assert_true(found);
	}
	assert_int_equal(s->n_label, n_label);
}

static void
compare_location(const struct profile *p, const struct location *l,
		 const message *m, const Perftools__Profiles__Location *t)
{
	assert_true(l->id == t->id);
	assert_true(l->address == t->address);
	assert_int_equal(l->is_folded, t->is_folded);
	/* An id that names no mapping is the same as none. */
	if (l->mapping != PROF_NONE)
		assert_true(p->mapping[l->mapping].id == t->mapping_id);
	else
		for (size_t k = 0; k < m->n_mapping; k++)
			assert_true(m->mapping[k]->id != t->mapping_id);
	assert_int_equal(l->n_line, t->n_line);
	for (size_t k = 0; k < l->n_line; k++) {
		const struct line *line = &profile_line(p, l)[k];

		assert_true(p->function[line->function].id ==
			    t->line[k]->function_id);
		assert_true(line->line == t->line[k]->line);
		assert_true(line->column == t->line[k]->column);
	}
}

static void
compare_tables(const struct profile *p, const message *m)
{
	assert_int_equal(p->n_mapping, m->n_mapping);
	for (size_t i = 0; i < p->n_mapping; i++) {
		const struct mapping *a = &p->mapping[i];
		const Perftools__Profiles__Mapping *b = m->mapping[i];

		assert_true(a->id == b->id && a->start == b->memory_start &&
			    a->limit == b->memory_limit &&
			    a->offset == b->file_offset);
		assert_true(same_string(p, a->file, m, b->filename));
		assert_true(same_string(p, a->build_id, m, b->build_id));
		assert_int_equal(
			a->has,
			b->has_functions * MAPPING_FUNCTIONS |
				b->has_filenames * MAPPING_FILENAMES |
				b->has_line_numbers * MAPPING_LINE_NUMBERS |
				b->has_inline_frames * MAPPING_INLINE_FRAMES);
	}
	assert_int_equal(p->n_function, m->n_function);
	for (size_t i = 0; i < p->n_function; i++) {
		const struct function *a = &p->function[i];
		const Perftools__Profiles__Function *b = m->function[i];

		assert_true(a->id == b->id && a->start_line == b->start_line);
		assert_true(same_string(p, a->name, m, b->name));
		assert_true(same_string(p, a->system_name, m, b->system_name));
		assert_true(same_string(p, a->file, m, b->filename));
	}
	assert_int_equal(p->n_location, m->n_location);
	for (size_t i = 0; i < p->n_location; i++)
		compare_location(p, &p->location[i], m, m->location[i]);
}

static void
compare_header(const struct profile *p, const message *m)
{
	assert_int_equal(p->n_type, m->n_sample_type);
	for (size_t i = 0; i < p->n_type; i++) {
		assert_true(same_string(p, p->type[i].type, m,
					m->sample_type[i]->type));
		assert_true(same_string(p, p->type[i].unit, m,
					m->sample_type[i]->unit));
	}
	assert_true(p->time_ns == m->time_nanos);
	assert_true(p->duration_ns == m->duration_nanos);
	assert_true(p->period == m->period);
	assert_true(same_string(p, p->drop_frames, m, m->drop_frames));
	assert_true(same_string(p, p->keep_frames, m, m->keep_frames));
	assert_true(same_string(p, p->doc_url, m, m->doc_url));
	assert_true(same_string(p, p->default_type, m, m->default_sample_type));
	assert_int_equal(p->n_comment, m->n_comment);
	for (size_t i = 0; i < p->n_comment; i++)
		assert_true(same_string(p, p->comment[i], m, m->comment[i]));
	if (m->period_type) {
		assert_true(same_string(p, p->period_type.type, m,
					m->period_type->type));
		assert_true(same_string(p, p->period_type.unit, m,
					m->period_type->unit));
	}
}

/* The n bytes are p, as protobuf-c reads them, too. */
static void
compare(const struct profile *p, const uint8_t *data, size_t n,
	const char *path)
{
	message *m = perftools__profiles__profile__unpack(NULL, n, data);

	if (!m)
		fail_msg("protobuf-c refuses %s", path);
	compare_header(p, m);
	compare_tables(p, m);
	assert_int_equal(p->n_sample, m->n_sample);
	for (size_t i = 0; i < p->n_sample; i++)
		compare_sample(p, i, m);
	perftools__profiles__profile__free_unpacked(m, NULL);
}

static void
check_decoders(const char *path)
{
	struct buf raw = inflated(path), out = { 0 };
	struct profile *p;
	struct prof_err err;

	if (profile_decode(raw.data, raw.n, &p, &err) != PROF_OK)
		fail_msg("%s: %s", path, err.msg);
	if (profile_check(p, &err) != PROF_OK)
		fail_msg("%s: %s", path, err.msg);
	compare(p, raw.data, raw.n, path);
	assert_int_equal(profile_encode(p, &out, NULL), PROF_OK);
	compare(p, out.data, out.n, path);
	profile_free(p);
	buf_release(&raw);
	buf_release(&out);
}

static void
test_decoders(void **state)
{
	(void)state;
	each("good-*.pb*", check_decoders);
}

/* For any n bytes at data: no crash, and an accepted profile is valid. Returns
 * whether they are. */
static bool
try_bytes(const uint8_t *data, size_t n)
{
	/* Of exactly that size, so that a sanitizer sees a read behind it. */
	uint8_t *copy = malloc(n ? n : 1);
	struct profile *p;
	struct prof_err err;
	bool is_read;

	assert_non_null(copy);
	memcpy(copy, data, n);
	is_read = profile_parse(copy, n, &p, &err) == PROF_OK;
	if (is_read && profile_check(p, &err) != PROF_OK)
		fail_msg("accepted, but: %s", err.msg);
	profile_free(p);
	free(copy);
	return is_read;
}

static void
check_damage(const char *path)
{
	static const uint8_t flip[] = { 0x01, 0x02, 0x08, 0x80, 0xff };
	struct buf raw = inflated(path);
	size_t n_cut = 0;

	for (size_t i = 0; i < raw.n; i++) {
		n_cut += try_bytes(raw.data, i);
		for (size_t k = 0; k < sizeof(flip); k++) {
			raw.data[i] ^= flip[k];
			try_bytes(raw.data, raw.n);
			raw.data[i] ^= flip[k];
		}
	}
	/* Between two fields of a message, what is before may be a profile. */
	if (strstr(path, ".pb"))
		assert_true(n_cut < raw.n / 10);
	buf_release(&raw);
}

static void
test_damage(void **state)
{
	(void)state;
	each("good-tiny.pb.gz", check_damage);
	each("good-tags.pb.gz", check_damage);
	each("good-full.pb.gz", check_damage);
	each("good-wire.pb", check_damage);
	each("good-cpu-[eljn]*.prof", check_damage);
	each("good-[chjt]*[a-z2].txt", check_damage);
}

/* No proper beginning of a compressed stream is a stream. */
static void
check_cut(const char *path)
{
	struct buf file = { 0 }, raw = { 0 };
	struct profile *p;
	enum prof_status st;

	load(path, &file);
	for (size_t i = 0; i < file.n; i++) {
		st = stream_inflate(file.data, i, STREAM_MAX_SIZE, &raw, NULL);
		if (st == PROF_OK) /* too short to look compressed */
			st = profile_parse(raw.data, raw.n, &p, NULL);
		assert_int_not_equal(st, PROF_OK);
		buf_release(&raw);
	}
	buf_release(&file);
}

static void
test_cut(void **state)
{
	(void)state;
	each("good-tiny.pb.*", check_cut);
	each("good-stored.pb.gz", check_cut);
}

UNIT_TESTS(cmocka_unit_test(test_decoders), cmocka_unit_test(test_damage),
	   cmocka_unit_test(test_cut))
