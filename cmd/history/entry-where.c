/* entry-where.c - see entry-where.h. */
#include "config.h"

#include "entry-where.h"

#include <stdbool.h>
#include <string.h>

#include "digest.h"
#include "lib/model/profile.h"

#define MAX_LABEL 256 /* of a profile; more are passed over */

/* The labels of a profile, while they are made. */
struct labels {
	struct profile *p;
	struct label label[MAX_LABEL];
	size_t n;
	bool is_short; /* memory ran out */
};

static void
add_label(struct labels *x, const char *key, size_t n_key, const char *value,
	  size_t n_value)
{
	struct label *l = &x->label[x->n];

	if (!n_value || x->n == MAX_LABEL)
		return;
	*l = (struct label){
		.key = strtab_add(&x->p->strings, key, n_key),
		.str = strtab_add(&x->p->strings, value, n_value),
	};
	x->is_short |= l->key == STRTAB_NONE || l->str == STRTAB_NONE;
	x->n++;
}

/* Profile e as a sample of x->p, whose value is its index i. */
static enum prof_status
add_entry(struct labels *x, const struct where *w, const struct catalog *a,
	  const struct entry *e, size_t i, bool *is_unknown,
	  struct prof_err *err)
{
	const struct str *labels = names_str(&a->words, e->labels);
	const struct str *build = names_str(&a->words, e->build);
	const struct str *host = names_str(&a->words, e->host);
	const int64_t value = (int64_t)i;
	struct word_label l = { 0 };

	x->n = 0;
	*is_unknown = false;
	while (word_next_label(labels, &l)) {
		if (l.n)
			add_label(x, l.key, l.n_key, l.value, l.n);
		else
			*is_unknown |= where_asks(w, l.key, l.n_key);
	}
	if (!word_label(labels, "build", &(size_t){ 0 }))
		add_label(x, "build", strlen("build"), build->s, build->len);
	if (!word_label(labels, "host", &(size_t){ 0 }))
		add_label(x, "host", strlen("host"), host->s, host->len);
	if (x->is_short || profile_add_sample(x->p, NULL, 0, &value, x->label,
					      x->n) == PROF_NONE)
		return prof_nomem(err);
	return PROF_OK;
}

/*
 * The profiles become samples of one profile, so that --where is the same as in
 * prof-filter.
 */
enum prof_status
entries_where(const struct where *w, const struct catalog *a,
	      const struct block *b, unsigned char *choice,
	      struct prof_err *err)
{
	struct labels x = { .p = profile_new() };
	enum prof_status st = PROF_OK;
	bool found, is_unknown;

	if (!x.p || profile_add_type(x.p, "profile", "index") == PROF_NONE)
		st = prof_nomem(err);
	for (size_t i = 0; i < b->n_entry && st == PROF_OK; i++) {
		st = add_entry(&x, w, a, &b->entry[i], i, &is_unknown, err);
		choice[i] = is_unknown ? CHOICE_UNKNOWN : CHOICE_NO;
	}
	if (st == PROF_OK)
		st = filter_where(x.p, w, &found, err);
	for (size_t i = 0; st == PROF_OK && i < x.p->n_sample; i++) {
		unsigned char *c = &choice[*profile_value(x.p, i)];

		if (*c == CHOICE_NO)
			*c = CHOICE_YES;
	}
	profile_free(x.p);
	return st;
}
