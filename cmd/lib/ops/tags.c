/* tags.c - see tags.h; tags_frames() is in tagframes.c. */
#include "config.h"

#include "tags.h"

#include <stdlib.h>
#include <string.h>

#include "lib/model/labels.h"
#include "lib/model/units.h"

/* --- labels as text --- */

/* Append the value of l, after a comma if it is not the first. */
static int
add_value(const struct profile *p, const struct label *l, const char *unit,
	  bool is_first, struct buf *out)
{
	const struct str *str = &p->strings.str[l->str];
	struct quantity q;

	if (!is_first && buf_add(out, ",", 1) < 0)
		return -1;
	if (l->str)
		return buf_add(out, str->s, str->len);
	/* Without its own unit it stays a plain number. */
	units_format(&q, l->num, profile_str(p, l->unit), l->unit ? unit : "");
	if (buf_add(out, q.number, strlen(q.number)) < 0)
		return -1;
	return buf_add(out, q.unit, strlen(q.unit));
}

long
tags_text(const struct profile *p, const struct sample *s, uint32_t key,
	  const char *unit, struct buf *out)
{
	const struct label *l = profile_label(p, s);
	long n = 0;

	for (uint32_t k = 0; k < s->n_label; k++)
		if (l[k].key == key &&
		    add_value(p, &l[k], unit, n++ == 0, out) < 0)
			return -1;
	return n;
}

/* --- editing --- */

enum { UNKNOWN, KEPT, DROPPED };

/* Decide whether to keep labels with this key. */
static enum prof_status
judge_key(const struct str *key, const struct filter_test *show,
	  const struct filter_test *hide, bool found[2], unsigned char *verdict,
	  struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	bool shown = true, hidden = false;

	if (show)
		st = show->match(show->ctx, key->s, key->len, &shown, err);
	if (hide && st == PROF_OK)
		st = hide->match(hide->ctx, key->s, key->len, &hidden, err);
	found[0] = found[0] || shown;
	found[1] = found[1] || hidden;
	*verdict = shown && !hidden ? KEPT : DROPPED;
	return st;
}

enum prof_status
tags_filter(struct profile *p, const struct filter_test *show,
	    const struct filter_test *hide, bool found[2], struct prof_err *err)
{
	unsigned char *verdict = calloc(p->strings.n_str, 1);
	enum prof_status st = verdict ? PROF_OK : prof_nomem(err);
	uint32_t base = base_mark_of(p).key;

	found[0] = found[1] = false;
	/* Without its mark the base would count as a part of the new side. */
	if (verdict && base != STRTAB_NONE)
		verdict[base] = KEPT;
	for (size_t i = 0; i < p->n_sample && st == PROF_OK; i++) {
		struct sample *s = &p->sample[i];
		struct label *l = p->label + s->label;
		uint32_t n = 0;

		for (uint32_t k = 0; k < s->n_label && st == PROF_OK; k++) {
			if (verdict[l[k].key] == UNKNOWN)
				st = judge_key(&p->strings.str[l[k].key], show,
					       hide, found, &verdict[l[k].key],
					       err);
			if (verdict[l[k].key] == KEPT)
				l[n++] = l[k];
		}
		if (st == PROF_OK)
			s->n_label = n;
	}
	free(verdict);
	return st;
}

enum prof_status
tags_rename(struct profile *p, const char *from, const char *to, bool *found,
	    struct prof_err *err)
{
	uint32_t old = strtab_find(&p->strings, from, strlen(from));
	uint32_t new = to ? profile_intern(p, to) : 0;

	*found = false;
	if (new == STRTAB_NONE)
		return prof_nomem(err);
	if (old == STRTAB_NONE)
		return PROF_OK;
	for (size_t i = 0; i < p->n_sample; i++) {
		struct sample *s = &p->sample[i];
		struct label *l = p->label + s->label;
		uint32_t n = 0;
		bool hit = false;

		for (uint32_t k = 0; k < s->n_label; k++) {
			if (l[k].key == old) {
				hit = true;
				if (!to)
					continue;
				l[k].key = new;
			}
			l[n++] = l[k];
		}
		if (hit)
			s->n_label = (uint32_t)profile_sort_labels(p, l, n);
		*found = *found || hit;
	}
	return PROF_OK;
}
