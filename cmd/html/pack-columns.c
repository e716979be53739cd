/* pack-columns.c - the tables of the page as columns of varints; see pack.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/model/labels.h"
#include "lib/model/profile.h"
#include "lib/model/units.h"
#include "lib/wire/wire.h"
#include "pack.h"

/* --- sections --- */

struct buf *
pack_section(struct pack_sections *s, const char *tag)
{
	struct pack_section *sec = &s->section[s->n];

	if (s->n + 1 < PACK_SECTIONS)
		s->n++;
	else
		s->failed = true;
	memset(sec->tag, ' ', 4);
	memcpy(sec->tag, tag, strnlen(tag, 4));
	return &sec->data;
}

/* Append a varint; and a signed one, zigzag. */
static void
pack_u(struct pack_sections *s, struct buf *b, uint64_t v)
{
	if (b->cap - b->n < 10 && buf_reserve(b, 10) < 0) {
		s->failed = true;
		return;
	}
	b->n = (size_t)(wire_put(b->data + b->n, v) - b->data);
}

static void
pack_s(struct pack_sections *s, struct buf *b, int64_t v)
{
	pack_u(s, b, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

static void
put_u32(struct buf *b, uint32_t v)
{
	uint8_t le[4] = { (uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16),
			  (uint8_t)(v >> 24) };

	/* The room is reserved. */
	memcpy(b->data + b->n, le, 4);
	b->n += 4;
}

enum prof_status
pack_join(struct pack_sections *s, struct buf *out, struct prof_err *err)
{
	bool ok = !s->failed && buf_add(out, "PFPAGE1\n", 8) == 0 &&
		  buf_reserve(out, 4 + 8 * s->n) == 0;

	if (ok)
		put_u32(out, (uint32_t)s->n);
	for (size_t i = 0; i < s->n && ok; i++) {
		memcpy(out->data + out->n, s->section[i].tag, 4);
		out->n += 4;
		put_u32(out, (uint32_t)s->section[i].data.n);
		ok = s->section[i].data.n <= UINT32_MAX;
	}
	for (size_t i = 0; i < s->n; i++) {
		ok = ok && buf_add(out, s->section[i].data.data,
				   s->section[i].data.n) == 0;
		buf_release(&s->section[i].data);
	}
	return ok ? PROF_OK : prof_nomem(err);
}

/* --- strings --- */

/* The page's index of a string that another table holds. */
static uint64_t
string(struct pack *k, struct pack_sections *s, const struct str *str)
{
	uint32_t i = strtab_add(&k->strings, str->s, str->len);

	if (i == STRTAB_NONE)
		s->failed = true;
	return i;
}

static void
put_strings(struct pack *k, struct pack_sections *s)
{
	struct buf *len = pack_section(s, "STRL");
	struct buf *bytes;

	for (size_t i = 0; i < k->strings.n_str; i++)
		pack_u(s, len, k->strings.str[i].len);
	bytes = pack_section(s, "STRB");
	for (size_t i = 0; i < k->strings.n_str; i++)
		if (buf_add(bytes, k->strings.str[i].s, k->strings.str[i].len) <
		    0)
			s->failed = true;
}

/* --- tree and tables --- */

static int
put_tree(struct pack *k, struct pack_sections *s)
{
	const struct flame_tree *t = &k->tree;
	uint32_t *depth = calloc(t->n_node, sizeof(*depth));
	struct buf *b = pack_section(s, "NUPS");

	if (!depth)
		return -1;
	for (size_t i = 1; i < t->n_node; i++) {
		depth[i] = depth[t->parent[i]] + 1;
		pack_u(s, b, depth[i - 1] + 1 - depth[i]);
	}
	free(depth);
	b = pack_section(s, "NFRM");
	for (size_t i = 1; i < t->n_node; i++)
		pack_u(s, b, t->frame[i]);
	return 0;
}

/* One column of the frames: a field of their keys. */
static void
put_frames(struct pack *k, struct pack_sections *s, const uint32_t *object)
{
	static const struct frame_key nothing;
	struct buf *fun = pack_section(s, "FFUN");
	struct buf *lin = pack_section(s, "FLIN");
	struct buf *col = pack_section(s, "FCOL");
	struct buf *flg = pack_section(s, "FFLG");
	struct buf *obj = pack_section(s, "FMAP");
	struct buf *high = pack_section(s, "FADH");
	struct buf *low = pack_section(s, "FADL");
	int64_t before = 0;

	for (size_t i = 0; i < k->n_frame; i++) {
		const struct pack_frame *f = &k->frame[i];
		bool is_cut = f->key == FLAME_NONE;
		const struct frame_key *key =
			is_cut ? &nothing : &k->frames->key[f->key];
		int64_t address = (int64_t)(key->address & UINT32_MAX);

		pack_u(s, fun, f->function);
		pack_s(s, lin, key->line);
		pack_s(s, col, key->column);
		pack_u(s, flg,
		       (f->is_inlined ? 1u : 0) | (key->name ? 0 : 2u) |
			       (is_cut ? 4u : 0) | (f->is_bare ? 8u : 0));
		pack_u(s, obj, object[key->object]);
		pack_u(s, high, key->address >> 32);
		pack_s(s, low, address - before);
		before = address;
	}
}

static void
put_functions(struct pack *k, struct pack_sections *s)
{
	const struct str *str = k->frames->strings.str;
	struct buf *name = pack_section(s, "UNAM");
	struct buf *file = pack_section(s, "UFIL");
	struct buf *raw = pack_section(s, "URAW");
	struct buf *line = pack_section(s, "ULIN");
	struct buf *package = pack_section(s, "UPKG");
	struct buf *own = pack_section(s, "UOWN");

	for (size_t i = 0; i < k->n_function; i++) {
		const struct pack_function *f = &k->function[i];

		pack_u(s, name, string(k, s, &str[f->name]));
		pack_u(s, file, string(k, s, &str[f->file]));
		pack_u(s, raw, string(k, s, &k->p->strings.str[f->raw_file]));
		pack_s(s, line, f->start_line);
		pack_u(s, package, f->package);
		pack_u(s, own, k->own[i]);
	}
}

static int
put_tables(struct pack *k, struct pack_sections *s)
{
	const struct str *str = k->frames->strings.str;
	uint32_t *object =
		calloc(k->frames->strings.n_str + 1, sizeof(*object));
	struct buf *b;

	if (!object)
		return -1;
	for (size_t i = 0; i < k->n_object; i++)
		object[k->object[i]] = (uint32_t)i;
	put_frames(k, s, object);
	free(object);
	put_functions(k, s);
	b = pack_section(s, "MFIL");
	for (size_t i = 0; i < k->n_object; i++)
		pack_u(s, b, string(k, s, &str[k->object[i]]));
	b = pack_section(s, "PNAM");
	for (size_t i = 0; i < k->n_package; i++)
		pack_u(s, b, k->package[i].name);
	return 0;
}

/* --- samples --- */

/* A sample on its way to the page. */
struct row {
	uint32_t node, labels, side;
	uint32_t sample;
};

struct samples {
	struct pack *k;
	struct pack_sections *s;
	struct row *row;
	size_t n_row;
	struct label_units units;
	struct base_mark mark;
	struct arena *arena;
	struct strtab sets; /* labels of samples, as bytes: see add_labels() */
	uint32_t *set_of;   /* of each set of `sets`: its place when sorted */
	uint32_t *set;      /* the sets, sorted */
};

static int
add_text(struct buf *b, const char *text, uint32_t n)
{
	return buf_add(b, &n, sizeof(n)) < 0 ? -1 : buf_add(b, text, n);
}

/*
 * The labels of a sample, but the mark of a base, as an entry of sets: for
 * each its key, a 0 and its value, or a 1, its number and its unit.
 */
static uint32_t
add_labels(struct samples *m, const struct sample *sample, struct buf *b)
{
	const struct profile *p = m->k->p;
	const struct label *l = profile_label(p, sample);

	b->n = 0;
	for (uint32_t i = 0; i < sample->n_label; i++) {
		const struct str *key = &p->strings.str[l[i].key];
		const struct str *value = &p->strings.str[l[i].str];
		const char *unit;
		uint8_t is_number = !l[i].str;
		int r;

		if (l[i].key == m->mark.key && l[i].str == m->mark.value)
			continue;
		r = add_text(b, key->s, key->len) < 0 ||
		    buf_add(b, &is_number, 1) < 0;
		if (is_number) {
			unit = label_unit(&m->units, &l[i]);
			r = r || buf_add(b, &l[i].num, sizeof(l[i].num)) < 0 ||
			    add_text(b, unit, (uint32_t)strlen(unit)) < 0;
		} else {
			r = r || add_text(b, value->s, value->len) < 0;
		}
		if (r)
			return STRTAB_NONE;
	}
	return strtab_add(&m->sets, b->n ? (char *)b->data : "", b->n);
}

static bool
is_zero(const struct profile *p, size_t i)
{
	for (size_t c = 0; c < p->n_type; c++)
		if (p->value[i * p->n_type + c])
			return false;
	return true;
}

static int
list_rows(struct samples *m)
{
	const struct profile *p = m->k->p;
	struct buf b = { 0 };
	int r = 0;

	m->row = calloc(p->n_sample + 1, sizeof(*m->row));
	if (!m->row)
		return -1;
	for (size_t i = 0; i < p->n_sample && r == 0; i++) {
		struct row *row = &m->row[m->n_row];

		if (is_zero(p, i))
			continue;
		row->node = m->k->tree.of[i];
		row->side = base_mark_on(&m->mark, p, &p->sample[i]);
		row->sample = (uint32_t)i;
		row->labels = add_labels(m, &p->sample[i], &b);
		r = row->labels == STRTAB_NONE ? -1 : 0;
		m->n_row++;
	}
	buf_release(&b);
	return r;
}

static int
set_cmp(const void *p, const void *q, void *samples)
{
	const struct samples *m = samples;

	return strtab_cmp(&m->sets, *(const uint32_t *)p, *(const uint32_t *)q);
}

static int
row_cmp(const void *p, const void *q)
{
	const struct row *x = p, *y = q;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->labels != y->labels)
		return x->labels < y->labels ? -1 : 1;
	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	return 0;
}

/* Number the sets of labels by their bytes, and sort the rows. */
static int
sort_rows(struct samples *m)
{
	size_t n = m->sets.n_str;

	m->set = calloc(n, sizeof(*m->set));
	m->set_of = calloc(n, sizeof(*m->set_of));
	if (!m->set || !m->set_of)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		m->set[i] = i;
	qsort_r(m->set, n, sizeof(*m->set), set_cmp, m);
	for (uint32_t i = 0; i < n; i++)
		m->set_of[m->set[i]] = i;
	for (size_t i = 0; i < m->n_row; i++)
		m->row[i].labels = m->set_of[m->row[i].labels];
	qsort(m->row, m->n_row, sizeof(*m->row), row_cmp);
	m->k->n_labelset = n;
	return 0;
}

/* The next group of equal rows: its sum of a column, and where it ends. */
static size_t
add_group(const struct samples *m, size_t from, size_t column, int64_t *sum)
{
	const struct profile *p = m->k->p;
	size_t i = from;

	*sum = 0;
	do {
		int64_t v = p->value[m->row[i].sample * p->n_type + column];

		*sum = m->row[i].side ? units_sub(*sum, v) : units_add(*sum, v);
		i++;
	} while (i < m->n_row && row_cmp(&m->row[i], &m->row[from]) == 0);
	return i;
}

static int
put_values(struct samples *m, size_t column, uint64_t *gcd)
{
	char tag[8] = { 'V', 'A', 'L', (char)('0' + column) };
	int64_t *sum = calloc(m->k->n_sample + 1, sizeof(*sum));
	struct buf *b;
	size_t n = 0;

	if (!sum)
		return -1;
	if (column > 9) /* VALA and so on */
		tag[3] = (char)('A' + column - 10);
	b = pack_section(m->s, tag);
	*gcd = 0;
	for (size_t i = 0; i < m->n_row; n++) {
		i = add_group(m, i, column, &sum[n]);
		*gcd = units_gcd(*gcd, (uint64_t)units_abs(sum[n]));
	}
	if (!*gcd)
		*gcd = 1;
	for (size_t i = 0; i < n; i++)
		pack_s(m->s, b, sum[i] / (int64_t)*gcd);
	free(sum);
	return 0;
}

static void
put_rows(struct samples *m)
{
	struct buf *node = pack_section(m->s, "SNOD");
	struct buf *labels = pack_section(m->s, "SLAB");
	struct buf *side = pack_section(m->s, "SSID");
	uint32_t before = 0;
	int64_t v;

	for (size_t i = 0; i < m->n_row;) {
		const struct row *row = &m->row[i];

		pack_u(m->s, node, row->node - before);
		pack_u(m->s, labels, row->labels);
		pack_u(m->s, side, row->side);
		before = row->node;
		m->k->n_sample++;
		i = add_group(m, i, 0, &v);
	}
}

/* A text of a set of labels, as a string of the page. */
static const uint8_t *
put_text(struct samples *m, struct buf *b, const uint8_t *at)
{
	struct str str = { 0 };

	memcpy(&str.len, at, sizeof(str.len));
	str.s = (const char *)at + sizeof(str.len);
	pack_u(m->s, b, string(m->k, m->s, &str));
	return at + sizeof(str.len) + str.len;
}

static void
put_set(struct samples *m, struct buf *b, const struct str *set)
{
	const uint8_t *begin = (const uint8_t *)set->s, *at;
	const uint8_t *end = begin + set->len;
	struct buf one = { 0 };
	unsigned n = 0;

	for (at = begin; at < end; n++) {
		at = put_text(m, &one, at);
		pack_u(m->s, &one, *at);
		if (*at++) {
			int64_t number;

			memcpy(&number, at, sizeof(number));
			pack_s(m->s, &one, number);
			at += sizeof(number);
		}
		at = put_text(m, &one, at);
	}
	pack_u(m->s, b, n);
	if (one.n && buf_add(b, one.data, one.n) < 0)
		m->s->failed = true;
	buf_release(&one);
}

static int
put_samples(struct samples *m, uint64_t *gcd)
{
	const struct profile *p = m->k->p;
	struct buf *b;

	m->arena = arena_new();
	if (!m->arena || strtab_init(&m->sets, m->arena) < 0 ||
	    label_units_init(&m->units, p) < 0)
		return -1;
	m->mark = base_mark_of(p);
	if (list_rows(m) < 0 || sort_rows(m) < 0)
		return -1;
	put_rows(m);
	for (size_t c = 0; c < p->n_type; c++)
		if (put_values(m, c, &gcd[c]) < 0)
			return -1;
	b = pack_section(m->s, "LABS");
	for (size_t i = 0; i < m->sets.n_str; i++)
		put_set(m, b, &m->sets.str[m->set[i]]);
	return 0;
}

enum prof_status
pack_columns(struct pack *k, struct pack_sections *s, uint64_t *gcd,
	     struct prof_err *err)
{
	struct samples m = { .k = k, .s = s };
	int r = put_tree(k, s);

	if (r == 0)
		r = put_tables(k, s);
	if (r == 0)
		r = put_samples(&m, gcd);
	label_units_release(&m.units);
	arena_free(m.arena);
	free(m.row);
	free(m.set);
	free(m.set_of);
	put_strings(k, s);
	return r < 0 || s->failed ? prof_nomem(err) : PROF_OK;
}
