/*
 * order.c - the order of new functions; see impl.h. They are added in the order
 * of units, symbol tables or cached answers, on which the profile must not
 * depend.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "impl.h"

int
resolve_order(struct profile *p, size_t first)
{
	size_t n = p->n_function - first;
	uint32_t *place = reallocarray(NULL, n + 1, sizeof(*place));
	struct function *old = reallocarray(NULL, n + 1, sizeof(*old));
	uint32_t next = (uint32_t)first;

	if (!place || !old) {
		free(place);
		free(old);
		return -1;
	}
	memset(place, 0xff, (n + 1) * sizeof(*place)); /* PROF_NONE */
	for (size_t i = 0; i < p->n_location; i++) {
		const struct location *l = &p->location[i];
		const struct line *line = profile_line(p, l);

		for (uint32_t k = 0; k < l->n_line; k++)
			if (line[k].function >= first &&
			    place[line[k].function - first] == PROF_NONE)
				place[line[k].function - first] = next++;
	}
	for (size_t i = 0; i < n; i++) {
		old[i] = p->function[first + i];
		if (place[i] == PROF_NONE) /* no longer used */
			place[i] = next++;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t id = old[place[i] - first].id;

		p->function[place[i]] = old[i];
		p->function[place[i]].id = id;
	}
	for (size_t i = 0; i < p->n_line; i++)
		if (p->line[i].function >= first)
			p->line[i].function =
				place[p->line[i].function - first];
	free(place);
	free(old);
	return 0;
}
