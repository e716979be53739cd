/* origin.c - see origin.h. */
#include "config.h"

#include "origin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "profile.h"

/* Append "400000=build-id:4f2a19". Returns -1 without memory. */
static int
add_mapping(struct buf *b, const struct profile *p, const struct mapping *m)
{
	uint32_t key = m->build_id ? m->build_id : m->file;
	const struct str *s = &p->strings.str[key];
	char text[64];

	snprintf(text, sizeof(text), " %" PRIx64 "=%s:", m->start,
		 m->build_id ? "build-id" : "file");
	if (buf_add(b, text, strlen(text)) < 0)
		return -1;
	for (uint32_t i = 0; i < s->len; i++) {
		unsigned char c = (unsigned char)s->s[i];

		if (c <= ' ' || c == '%' || c == 0x7f)
			snprintf(text, sizeof(text), "%%%02X", c);
		else
			snprintf(text, sizeof(text), "%c", c);
		if (buf_add(b, text, strlen(text)) < 0)
			return -1;
	}
	return 0;
}

static int
add_all(struct profile *p, const char *url, struct buf *b, bool *wanted)
{
	static const char title[] = "# source: ";

	for (size_t i = 0; i < p->n_location; i++)
		if (!p->location[i].n_line &&
		    p->location[i].mapping != PROF_NONE)
			wanted[p->location[i].mapping] = true;
	if (buf_add(b, title, strlen(title)) < 0 ||
	    buf_add(b, url, strlen(url)) < 0)
		return -1;
	for (size_t i = 0; i < p->n_mapping; i++)
		if (wanted[i] && add_mapping(b, p, &p->mapping[i]) < 0)
			return -1;
	if (buf_add(b, "", 1) < 0)
		return -1;
	return profile_add_comment(p, (char *)b->data) == PROF_NONE ? -1 : 0;
}

enum prof_status
origin_add(struct profile *p, const char *url, struct prof_err *err)
{
	bool *wanted = calloc(p->n_mapping + 1, sizeof(*wanted));
	struct buf b = { 0 };
	int r = wanted ? add_all(p, url, &b, wanted) : -1;

	buf_release(&b);
	free(wanted);
	return r < 0 ? prof_nomem(err) : PROF_OK;
}
