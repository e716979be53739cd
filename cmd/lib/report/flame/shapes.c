/*
 * shapes.c - see shapes.h. A box is some ten bytes: a stroke of a path, which
 * begins where it is or, if that is shorter, relative to the end of the one
 * before. An element for each, with its title, took 140.
 */
#include "config.h"

#include "shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
compare_shapes(const void *a, const void *b)
{
	const struct shape *x = a, *y = b;

	if (x->is_unsure != y->is_unsure)
		return x->is_unsure ? 1 : -1;
	if (x->colour != y->colour)
		return x->colour < y->colour ? -1 : 1;
	if (x->y != y->y)
		return x->y < y->y ? -1 : 1;
	return x->x < y->x ? -1 : x->x > y->x;
}

/* last: the one before in this path, or NULL. */
static int
stroke_put(struct buf *out, const struct shape *last, const struct shape *p)
{
	char to[96], by[96];
	int n, n_by;

	n = snprintf(to, sizeof(to), "M%ld %dh%ld", p->x, p->y, p->width);
	if (!last)
		return buf_add(out, to, (size_t)n);
	n_by = snprintf(by, sizeof(by), "m%ld %dh%ld",
			p->x - last->x - last->width, p->y - last->y, p->width);
	return n_by < n ? buf_add(out, by, (size_t)n_by)
			: buf_add(out, to, (size_t)n);
}

/* End the path before p, if there is one, and begin that of p. */
static int
path_begin(struct buf *out, const struct shape *last, const struct shape *p)
{
	char text[96];
	int n = snprintf(text, sizeof(text), "%s%s<path class=\"c%u\" d=\"",
			 last ? "\"/>\n" : "",
			 p->is_unsure && !(last && last->is_unsure)
				 ? "</g><g mask=\"url(#u)\">"
				 : "",
			 p->colour);

	return buf_add(out, text, (size_t)n);
}

int
shapes_put(struct buf *out, struct shape *shape, size_t n)
{
	static const char begin[] = "<g>\n", end[] = "\"/></g>\n";
	const struct shape *last = NULL;
	int r = buf_add(out, begin, strlen(begin));

	qsort(shape, n, sizeof(*shape), compare_shapes);
	for (size_t i = 0; i < n && r == 0; i++) {
		const struct shape *p = &shape[i];
		bool is_same = last && last->is_unsure == p->is_unsure &&
			       last->colour == p->colour;

		if (!is_same)
			r = path_begin(out, last, p);
		if (r == 0)
			r = stroke_put(out, is_same ? last : NULL, p);
		last = p;
	}
	if (r < 0)
		return r;
	return buf_add(out, n ? end : end + 3, strlen(end) - (n ? 0 : 3));
}
