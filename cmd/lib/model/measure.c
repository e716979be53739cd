/* measure.c - see measure.h. */
#include "config.h"

#include "measure.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "profile.h"
#include "units.h"

struct measure
measure_of(long double v, const char *unit)
{
	struct measure m = { v, -1, unit };
	int family;
	double factor = units_factor(unit, &family);

	if (factor > 0) {
		m.x = v * factor;
		m.family = family;
	}
	return m;
}

/* Length of a unit without the 's' of the plural. */
static size_t
singular(const char *unit)
{
	size_t n = strlen(unit);

	return n > 2 && (unit[n - 1] | 0x20) == 's' ? n - 1 : n;
}

static bool
same_word(const char *a, const char *b)
{
	size_t n = singular(a);

	return n == singular(b) && !strncasecmp(a, b, n);
}

enum measure_relation
measure_relation(const struct measure *want, const struct measure *have)
{
	static const char *const none[] = { "", "count", "sample", "unit" };

	if (want->family >= 0 || have->family >= 0) {
		if (want->family == have->family)
			return MEASURE_COMPARABLE;
		return *want->unit ? MEASURE_DIFFERENT : MEASURE_BARE;
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (same_word(want->unit, none[i]))
			return MEASURE_COMPARABLE;
	return same_word(want->unit, have->unit) ? MEASURE_COMPARABLE
						 : MEASURE_DIFFERENT;
}

int
measures_init(struct measures *m, const struct profile *p)
{
	memset(m, 0, sizeof(*m));
	return label_units_init(&m->units, p);
}

void
measures_release(struct measures *m)
{
	label_units_release(&m->units);
}

struct measure
measures_label(struct measures *m, const struct label *l)
{
	const char *unit = label_unit(&m->units, l);
	struct measure out = { (long double)l->num, -1, unit };
	/* A unit nearly always is one interned string, which its address
	 * identifies. */
	size_t slot = ((uintptr_t)unit >> 4) %
		      (sizeof(m->cache) / sizeof(m->cache[0]));

	if (m->cache[slot].unit != unit) {
		m->cache[slot].unit = unit;
		m->cache[slot].factor =
			units_factor(unit, &m->cache[slot].family);
	}
	if (m->cache[slot].factor > 0) {
		out.x *= m->cache[slot].factor;
		out.family = m->cache[slot].family;
	}
	return out;
}
