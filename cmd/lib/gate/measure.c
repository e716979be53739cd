/*
 * measure.c - the number of events behind a value. The tests compare values,
 * but the precision of nanoseconds or bytes depends on how many events they
 * come from.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "impl.h"
#include "lib/model/profile.h"
#include "lib/model/sampling.h"
#include "lib/model/units.h"

static const char *
type_of(const struct profile *p, size_t i)
{
	return profile_str(p, p->type[i].type);
}

static const char *
unit_of(const struct profile *p, size_t i)
{
	return profile_str(p, p->type[i].unit);
}

static bool
is_count(const char *unit)
{
	return !strcmp(unit, "count") || !strcmp(unit, "objects");
}

/* The column with this type that is a count, or n_type. */
static size_t
find_count(const struct profile *p, const char *type)
{
	size_t i;

	for (i = 0; i < p->n_type; i++)
		if (!strcmp(type_of(p, i), type) && is_count(unit_of(p, i)))
			break;
	return i;
}

/* "inuse_space" has "inuse_objects", "space" has "objects"; else n_type. */
static size_t
find_objects(const struct profile *p, size_t column)
{
	const char *type = type_of(p, column), *other;
	size_t i, stem;

	other = strstr(type, "space");
	if (!other || other[5])
		return p->n_type;
	stem = (size_t)(other - type);
	for (i = 0; i < p->n_type; i++)
		if (!strncmp(type_of(p, i), type, stem) &&
		    !strcmp(type_of(p, i) + stem, "objects"))
			break;
	return i;
}

/* The bytes that go with a column of objects; n_type if none do. */
static size_t
find_space(const struct profile *p, size_t objects)
{
	size_t i;

	for (i = 0; i < p->n_type; i++)
		if (i != objects && find_objects(p, i) == objects)
			break;
	return i;
}

/* Does the unit of the period measure the same as that of column? */
static bool
is_period_of(const struct profile *p, size_t column)
{
	int period_family, family;
	double period = units_factor(profile_str(p, p->period_type.unit),
				     &period_family);
	double unit = units_factor(unit_of(p, column), &family);

	return p->period > 0 && period > 0 && unit > 0 &&
	       period_family == family;
}

/* The period, in the unit of the column. */
static double
period_in(const struct profile *p, size_t column)
{
	return (double)p->period *
	       units_factor(profile_str(p, p->period_type.unit), NULL) /
	       units_factor(unit_of(p, column), NULL);
}

/*
 * A heap profile of bytes or objects: producers scale what they sampled up to
 * what was allocated, each stack by 1 / (1 - exp(-size / period)). A hundred
 * thousand objects may be one sample; undo it.
 */
static bool
heap_measure(const struct profile *p, struct gate_measure *m)
{
	size_t objects = m->column, space = find_space(p, objects);

	if (space == p->n_type) {
		space = m->column;
		objects = find_objects(p, space);
	}
	if (objects == p->n_type)
		return false;
	m->count = GATE_COUNT_COLUMN;
	m->count_column = objects;
	if (is_period_of(p, space) && period_in(p, space) > 1) {
		m->count = GATE_COUNT_HEAP;
		m->period = period_in(p, space);
		/* gate_events() needs both columns. */
		m->space_column = space;
	}
	return true;
}

enum prof_status
gate_measure(const struct profile *p, const char *sample_index,
	     struct gate_measure *m, struct prof_err *err)
{
	enum prof_status st;

	memset(m, 0, sizeof(*m));
	st = profile_sample_index(p, sample_index, &m->column, err);
	if (st != PROF_OK)
		return st;
	m->type = type_of(p, m->column);
	m->unit = unit_of(p, m->column);
	m->period_type = profile_str(p, p->period_type.type);
	m->period_unit = profile_str(p, p->period_type.unit);
	if (heap_measure(p, m))
		return PROF_OK;
	m->count = GATE_COUNT_COLUMN;
	m->count_column = m->column;
	if (is_count(m->unit)) {
		m->needs_period = strcmp(m->type, "contentions") != 0;
		m->period = p->period > 0 ? (double)p->period : 0;
		for (size_t i = 0; m->needs_period && i < p->n_type; i++)
			if (!is_count(unit_of(p, i)) && is_period_of(p, i))
				m->instead = type_of(p, i);
		return PROF_OK;
	}
	m->count_column = find_count(p, "samples");
	if (m->count_column == p->n_type)
		m->count_column = find_count(p, "sample");
	if (m->count_column == p->n_type)
		m->count_column = find_count(p, "contentions");
	if (m->count_column < p->n_type)
		return PROF_OK;
	if (!is_period_of(p, m->column))
		return prof_fail(err, PROF_EUSAGE,
				 "nothing tells how many events there were of "
				 "'%s/%s': no column counts them, and no "
				 "period fits",
				 m->type, m->unit);
	m->count = GATE_COUNT_PERIOD;
	m->count_column = m->column;
	m->period = period_in(p, m->column);
	return PROF_OK;
}

double
gate_value(const struct gate_measure *m, const int64_t *value)
{
	return (double)value[m->column];
}

double
gate_events(const struct gate_measure *m, const int64_t *value)
{
	double n, size;

	switch (m->count) {
	case GATE_COUNT_PERIOD:
		return (double)value[m->column] / m->period;
	case GATE_COUNT_HEAP:
		n = (double)value[m->count_column];
		size = (double)value[m->space_column];
		return n > 0 ? n * -expm1(-size / n / m->period) : 0;
	case GATE_COUNT_COLUMN:
		break;
	}
	return (double)value[m->count_column];
}

enum prof_status
gate_total(const struct profile *p, const struct gate_measure *m,
	   struct gate_total *t, struct prof_err *err)
{
	*t = (struct gate_total){ 0 };
	for (size_t i = 0; i < p->n_sample; i++) {
		const int64_t *value = profile_value(p, i);
		double v = gate_value(m, value), events;

		if (value[m->column] < 0 || value[m->count_column] < 0)
			return prof_fail(err, PROF_EUSAGE,
					 "sample %zu is negative: this is a "
					 "difference, not a profile",
					 i);
		if (sampling_is_none(p, i)) /* not measured, so no evidence */
			continue;
		events = gate_events(m, value);
		t->value += v;
		t->events += events;
		if (events > 0)
			t->square += v * v / events;
	}
	if (t->value <= 0 || t->square <= 0)
		return prof_fail(err, PROF_EUSAGE,
				 "no samples of '%s/%s': did the benchmark "
				 "run?",
				 m->type, m->unit);
	return PROF_OK;
}
