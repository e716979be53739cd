/*
 * mkhostile.c - a profile in which every string tries to break out of the
 * output that it is printed in: mkhostile <STREAM >STREAM appends the same
 * attack to each string of a profile that is not empty. harmless.c searches
 * output for its effects.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/model/profile.h"
#include "lib/stream/stream.h"

/*
 * Lines that a CI system would obey; terminal controls in ASCII, as bytes and
 * in UTF-8; marks of direction and of lines; HTML, Markdown, DOT, JSON, shell;
 * what is no UTF-8.
 */
static const char attack[] =
	"\n::error::EVIL\r\x1b[31m\x9b"
	"31m\xc2\x9b"
	"31m\x7f\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8\xe2\x80\x8f\n"
	"</text></script><img src=x onerror=alert(1)>--><!--]]>'\"&#10;&lt;|`*_"
	"[x](y)@all\\\"];}%0A%,:;\t$(id)`id`\\\xff\xc0\xaf\xed\xa0\x80\xe2\x82";

int
main(void)
{
	struct stream_format stored = { .kind = STREAM_GZIP, .level = 0 };
	struct profile *p = NULL;
	struct prof_err err = { 0 };

	if (profile_read(0, STREAM_MAX_SIZE, &p, &err) != PROF_OK)
		goto fail;
	for (size_t i = 1; i < p->strings.n_str; i++) {
		struct str *s = &p->strings.str[i];
		char *to;

		/* prof-gate needs a column of counts. */
		if (!strcmp(s->s, "samples") || !strcmp(s->s, "count"))
			continue;
		to = arena_alloc(p->arena, s->len + sizeof(attack));
		if (!to) {
			prof_nomem(&err);
			goto fail;
		}
		memcpy(to, s->s, s->len);
		memcpy(to + s->len, attack, sizeof(attack));
		s->s = to;
		s->len += sizeof(attack) - 1;
	}
	if (profile_write(1, p, stored, &err) != PROF_OK)
		goto fail;
	profile_free(p);
	return 0;
fail:
	fprintf(stderr, "mkhostile: %s\n", err.msg);
	profile_free(p);
	return 2;
}
