/* anonymous.c - see anonymous.h. */
#include "config.h"

#include "anonymous.h"

#include <stdlib.h>

#include "lib/model/labels.h"

struct work {
	struct profile *p;
	const struct anonymous_hash *h;
	uint32_t *to; /* by old string: the new one, 0: not made yet */
	bool failed;
};

static void
rename_string(struct work *w, uint32_t *s)
{
	char name[ANONYMOUS_MAX];

	if (*s == 0 || w->failed)
		return;
	if (w->to[*s] == 0) {
		const struct str *str = &w->p->strings.str[*s];

		w->h->name(w->h->ctx, str->s, str->len, name);
		w->to[*s] = profile_intern(w->p, name);
		w->failed = w->to[*s] == STRTAB_NONE;
	}
	*s = w->to[*s];
}

enum prof_status
profile_anonymize(struct profile *p, const struct anonymous_hash *h,
		  struct prof_err *err)
{
	struct work w = { p, h, calloc(p->strings.n_str, sizeof(uint32_t)),
			  false };
	uint32_t base = base_mark_of(p).key;

	if (!w.to)
		return prof_nomem(err);
	for (size_t i = 0; i < p->n_mapping; i++) {
		rename_string(&w, &p->mapping[i].file);
		rename_string(&w, &p->mapping[i].build_id);
	}
	for (size_t i = 0; i < p->n_function; i++) {
		rename_string(&w, &p->function[i].name);
		rename_string(&w, &p->function[i].system_name);
		rename_string(&w, &p->function[i].file);
	}
	for (size_t i = 0; i < p->n_sample; i++) {
		struct label *l = p->label + p->sample[i].label;
		uint32_t n = 0;

		/* Numeric labels, which may identify a user or request, come
		 * last and are dropped. */
		for (; n < p->sample[i].n_label && l[n].str; n++)
			if (l[n].key != base)
				rename_string(&w, &l[n].str);
		p->sample[i].n_label = n;
	}
	p->n_comment = 0;
	p->drop_frames = p->keep_frames = p->doc_url = 0;
	free(w.to);
	return w.failed ? prof_nomem(err) : PROF_OK;
}
