/* group.c - see group.h. */
#include "config.h"

#include "group.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "lib/model/profile.h"

static int
cmp_grouped(const void *a, const void *b)
{
	const struct grouped *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->build_id != y->build_id)
		return x->build_id < y->build_id ? -1 : 1;
	return (x->mapping > y->mapping) - (x->mapping < y->mapping);
}

struct grouped *
group_mappings(const struct profile *p)
{
	size_t n = p->n_mapping;
	struct grouped *g = calloc(n + 1, sizeof(*g));

	if (!g)
		return NULL;
	for (size_t i = 0; i < n; i++)
		g[i] = (struct grouped){ p->mapping[i].file,
					 p->mapping[i].build_id, (uint32_t)i,
					 true };
	qsort(g, n, sizeof(*g), cmp_grouped);
	for (size_t i = 0; i + 1 < n; i++)
		g[i].is_last = g[i].file != g[i + 1].file ||
			       g[i].build_id != g[i + 1].build_id;
	return g;
}

size_t
group_n_bytes(const struct profile *p)
{
	struct grouped *g = group_mappings(p);
	size_t sum = 0;
	struct stat sb;

	for (size_t i = 0; g && i < p->n_mapping; i++)
		if (g[i].is_last && stat(profile_str(p, g[i].file), &sb) == 0 &&
		    (size_t)sb.st_size < SIZE_MAX / 8 - sum)
			sum += (size_t)sb.st_size;
	free(g);
	return sum;
}
