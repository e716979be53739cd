/* digest.c - see digest.h. */
#include "config.h"

#include "digest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/match.h"
#include "lib/base/buf.h"
#include "lib/gate/gate.h"
#include "lib/model/profile.h"
#include "lib/model/programs.h"
#include "lib/model/units.h"
#include "lib/report/frames.h"
#include "lib/report/graph.h"
#include "lib/report/report.h"
#include "path-facts.h"

/* --- words --- */

static enum prof_status
put_word(struct names *x, const char *s, size_t n, uint32_t *out,
	 struct prof_err *err)
{
	*out = strtab_add(&x->t, s, n);
	return *out == STRTAB_NONE ? prof_nomem(err) : PROF_OK;
}

/* A text ended by NUL, with its NUL: fields of a word. */
static int
put_field(struct buf *b, const struct profile *p, uint32_t s)
{
	const struct str *text = &p->strings.str[s];

	/* Names come from strangers: a NUL would end the name. */
	return buf_add(b, text->s, strnlen(text->s, text->len)) < 0 ||
			       buf_add(b, "", 1) < 0
		       ? -1
		       : 0;
}

/* The default column, then type and unit of each: "1\0samples\0count\0cpu..."
 */
static enum prof_status
word_of_types(struct digest *t, const struct profile *p, struct names *words,
	      struct prof_err *err)
{
	struct buf b = { 0 };
	enum prof_status st = PROF_OK;
	size_t column = 0;
	char text[24];

	if (p->n_type)
		st = profile_sample_index(p, NULL, &column, err);
	if (st != PROF_OK)
		return st;
	snprintf(text, sizeof(text), "%zu", column);
	if (buf_add(&b, text, strlen(text) + 1) < 0)
		st = prof_nomem(err);
	for (size_t i = 0; i < p->n_type && st == PROF_OK; i++)
		if (put_field(&b, p, p->type[i].type) < 0 ||
		    put_field(&b, p, p->type[i].unit) < 0)
			st = prof_nomem(err);
	if (st == PROF_OK)
		st = put_word(words, (const char *)b.data, b.n, &t->types, err);
	buf_release(&b);
	return st;
}

size_t
word_types(const struct str *word, struct word_type type[BLOCK_MAX_COLUMN])
{
	const char *s = word->s, *end = s + word->len;
	size_t n = 0, column = (size_t)atoi(s);

	for (s += strlen(s) + 1; s < end && n < BLOCK_MAX_COLUMN; n++) {
		type[n].type = s;
		type[n].n_type = strlen(s);
		s += type[n].n_type + 1;
		if (s >= end)
			break;
		type[n].unit = s;
		type[n].n_unit = strlen(s);
		s += type[n].n_unit + 1;
		type[n].is_default = n == column;
	}
	return n;
}

static const struct label *
string_label(const struct profile *p, const struct sample *s, uint32_t key,
	     size_t *n)
{
	const struct label *l = profile_label(p, s), *first = NULL;

	*n = 0;
	for (uint32_t i = 0; i < s->n_label; i++)
		if (l[i].str && l[i].key == key) {
			if (!first)
				first = &l[i];
			++*n;
		}
	return first;
}

/* Does every sample have this label, once, with this value? */
static bool
is_common(const struct profile *p, const struct label *l)
{
	for (size_t i = 0; i < p->n_sample; i++) {
		size_t n;
		const struct label *its =
			string_label(p, &p->sample[i], l->key, &n);

		if (n != 1 || its->str != l->str)
			return false;
	}
	return true;
}

/* The string labels that all samples share, each once in done. */
static int
put_common(struct buf *b, const struct profile *p, unsigned char *done)
{
	const struct label *l = profile_label(p, &p->sample[0]);

	for (uint32_t i = 0; i < p->sample[0].n_label; i++) {
		if (!l[i].str || !is_common(p, &l[i]))
			continue;
		done[l[i].key] = 1;
		if (put_field(b, p, l[i].key) < 0 ||
		    put_field(b, p, l[i].str) < 0)
			return -1;
	}
	return 0;
}

/* The keys of the other labels, without a value. */
static int
put_mixed(struct buf *b, const struct profile *p, unsigned char *done)
{
	for (size_t s = 0; s < p->n_sample; s++) {
		const struct label *l = profile_label(p, &p->sample[s]);

		for (uint32_t i = 0; i < p->sample[s].n_label; i++) {
			if (done[l[i].key])
				continue;
			done[l[i].key] = 1;
			if (put_field(b, p, l[i].key) < 0 ||
			    buf_add(b, "", 1) < 0)
				return -1;
		}
	}
	return 0;
}

/* "host\0web1\0region\0eu\0user\0\0": samples differ in their user. */
static enum prof_status
word_of_labels(struct digest *t, const struct profile *p, struct names *words,
	       struct prof_err *err)
{
	struct buf b = { 0 };
	enum prof_status st = PROF_OK;
	unsigned char *done;

	if (!p->n_sample || !p->n_label)
		return PROF_OK;
	done = calloc(p->strings.n_str, 1);
	if (!done || put_common(&b, p, done) < 0 || put_mixed(&b, p, done) < 0)
		st = prof_nomem(err);
	else if (b.n)
		st = put_word(words, (const char *)b.data, b.n,
			      &t->entry.labels, err);
	buf_release(&b);
	free(done);
	return st;
}

bool
word_next_label(const struct str *word, struct word_label *l)
{
	const char *s = l->key ? l->value + l->n + 1 : word->s;
	const char *end = word->s + word->len;

	if (s >= end)
		return false;
	l->key = s;
	l->n_key = strlen(s);
	l->value = s + l->n_key + 1;
	if (l->value >= end)
		return false;
	l->n = strlen(l->value);
	return true;
}

const char *
word_label(const struct str *word, const char *key, size_t *n)
{
	struct word_label l = { 0 };

	while (word_next_label(word, &l))
		if (l.n && !strcmp(l.key, key)) {
			*n = l.n;
			return l.value;
		}
	return NULL;
}

bool
word_is_mixed(const struct str *word, const char *key)
{
	struct word_label l = { 0 };

	while (word_next_label(word, &l))
		if (!l.n && !strcmp(l.key, key))
			return true;
	return false;
}

/* The label "host", or else the host in the path. */
static enum prof_status
word_of_host(struct digest *t, const struct walk_file *f, struct names *words,
	     struct prof_err *err)
{
	const struct str labels = *names_str(words, t->entry.labels);
	size_t n = 0;
	const char *host = word_label(&labels, "host", &n);

	if (!host)
		host = path_host(f->path, &n);
	return n ? put_word(words, host, n, &t->entry.host, err) : PROF_OK;
}

/*
 * The label "build", or else the build-id of the program, never that of a
 * library. All its samples may be in libraries: its mapping is one of whole.
 */
static enum prof_status
word_of_build(struct digest *t, const struct profile *p,
	      const struct profile *whole, struct names *words,
	      struct prof_err *err)
{
	const struct str labels = *names_str(words, t->entry.labels);
	size_t n = 0;
	const char *label = word_label(&labels, "build", &n);
	const struct mapping *m = NULL;
	struct programs x = { 0 };
	const struct str *id;

	if (label)
		return put_word(words, label, n, &t->entry.build, err);
	if (p->n_type) {
		enum prof_status st = programs_count(p, 0, &x, err);

		if (st != PROF_OK)
			return st;
	}
	if (x.n == 1 || (!x.n && p == whole))
		m = programs_mapping(whole, programs_name(p, &x));
	id = &whole->strings.str[m ? m->build_id : 0];
	return id->len ? put_word(words, id->s, id->len, &t->entry.build, err)
		       : PROF_OK;
}

/* --- numbers --- */

/* The largest number that divides all values of a column; saturated: 1. */
static int64_t
common_divisor(const struct profile *p, size_t column, int64_t total)
{
	uint64_t d = 0;

	if (total == INT64_MAX || total == INT64_MIN)
		return 1;
	for (size_t i = 0; i < p->n_sample && d != 1; i++) {
		int64_t v = profile_value(p, i)[column];

		if (v == INT64_MIN)
			return 1;
		d = units_gcd(d, (uint64_t)units_abs(v));
	}
	return d ? (int64_t)d : 1;
}

static void
digest_column(struct digest *t, struct profile *p, size_t column)
{
	const struct report_options o = { 0 };
	struct gate_measure m;
	struct gate_total total;
	struct prof_err err;
	struct report r;
	char index[24];

	report_total(&r, p, column, &o);
	t->column[column] = (struct entry_column){
		.total = r.total,
		.scale = common_divisor(p, column, r.total),
	};
	snprintf(index, sizeof(index), "%zu", column);
	if (gate_measure(p, index, &m, &err) == PROF_OK &&
	    gate_total(p, &m, &total, &err) == PROF_OK && total.events < 1e18)
		t->column[column].samples = llround(total.events);
}

static void
digest_time(struct digest *t, const struct profile *p,
	    const struct walk_file *f)
{
	struct entry *e = &t->entry;

	e->duration_ns = p->duration_ns;
	t->time_from = DIGEST_TIME_OWN;
	e->time_ns = p->time_ns;
	if (e->time_ns <= 0) {
		t->time_from = DIGEST_TIME_PATH;
		if (!path_time(f->path, &e->time_ns)) {
			t->time_from = DIGEST_TIME_FILE;
			e->time_ns = f->mtime_ns;
		}
	}
	t->day = e->time_ns / BLOCK_DAY_NS;
	if (e->time_ns % BLOCK_DAY_NS < 0)
		t->day--;
}

enum prof_status
digest_profile(struct digest *t, struct profile *p, const struct profile *whole,
	       const struct walk_file *f, struct names *words,
	       struct prof_err *err)
{
	enum prof_status st;

	memset(t, 0, sizeof(*t));
	if (p->n_type > BLOCK_MAX_COLUMN)
		return prof_fail(err, PROF_ELIMIT,
				 "%zu sample types, more than %d", p->n_type,
				 BLOCK_MAX_COLUMN);
	t->n_column = p->n_type;
	digest_time(t, p, f);
	st = match_drop_frames(p, err);
	if (st == PROF_OK)
		st = word_of_types(t, p, words, err);
	if (st == PROF_OK)
		st = word_of_labels(t, p, words, err);
	if (st == PROF_OK)
		st = word_of_host(t, f, words, err);
	if (st == PROF_OK)
		st = word_of_build(t, p, whole, words, err);
	for (size_t c = 0; c < p->n_type && st == PROF_OK; c++)
		digest_column(t, p, c);
	return st;
}

/* --- functions --- */

static enum prof_status
digest_graph(struct block *b, const struct frames *f, size_t column,
	     const uint32_t *fn, struct prof_err *err)
{
	const struct graph_options o = { .column = column };
	struct graph *g = NULL;
	enum prof_status st = graph_new(f, &o, &g, err);

	for (size_t i = 0; st == PROF_OK && i < g->n_node; i++) {
		const struct graph_node *n = &g->node[i];

		if (n->flat.value || n->cum.value)
			st = block_add_cell(b, column, fn[n->key],
					    n->flat.value, n->cum.value, err);
	}
	graph_free(g);
	return st;
}

enum prof_status
digest_functions(struct block *b, struct profile *p, struct names *functions,
		 struct prof_err *err)
{
	const struct frames_options o = { 0 };
	struct frames *f = NULL;
	uint32_t *fn = NULL;
	enum prof_status st = frames_new(p, &o, &f, err);

	if (st == PROF_OK) {
		fn = malloc((f->n_key + 1) * sizeof(*fn));
		if (!fn)
			st = prof_nomem(err);
	}
	for (uint32_t k = 0; st == PROF_OK && k < f->n_key; k++) {
		const struct str *text = frames_text(f, k);

		fn[k] = strtab_add(&functions->t, text->s, text->len);
		if (fn[k] == STRTAB_NONE)
			st = prof_nomem(err);
	}
	for (size_t c = 0; c < p->n_type && st == PROF_OK; c++)
		st = digest_graph(b, f, c, fn, err);
	free(fn);
	frames_free(f);
	return st;
}
