/* otlp-sample.c - the samples of OTLP's profiles; see otlp-impl.h. */
#include "config.h"

#include <stdio.h>

#include "lib/base/array.h"
#include "lib/model/units.h"
#include "lib/wire/wire.h"
#include "otlp-impl.h"

enum prof_status
otlp_spend(struct tables *t, uint64_t cells)
{
	if (cells > t->room)
		return prof_fail(t->err, PROF_ELIMIT,
				 "otlp: samples share too much: the profile "
				 "is far larger than the message");
	t->room -= cells;
	return PROF_OK;
}

enum prof_status
otlp_again(struct tables *t, size_t n)
{
	enum { BYTES_A_CELL = 4 };

	return otlp_spend(t, n / BYTES_A_CELL);
}

static enum prof_status
read_stack(struct reader *r, uint64_t index, size_t at)
{
	struct tables *t = &r->t;
	enum prof_status st = otlp_index(t, TABLE_STACK, index, "samples", at);

	r->n_stack = 0;
	if (st != PROF_OK || !t->table[TABLE_STACK].n)
		return st;
	st = otlp_again(t, t->table[TABLE_STACK].part[index].n);
	if (st == PROF_OK)
		st = otlp_list(t, t->table[TABLE_STACK].part[index],
			       STACK_LOCATIONS, "stack_table");
	if (st == PROF_OK)
		st = otlp_spend(t, t->n_list);
	if (st == PROF_OK &&
	    array_reserve(&r->stack, &r->cap_stack, t->n_list + 1,
			  sizeof(*r->stack)) < 0)
		st = prof_nomem(t->err);
	for (size_t i = 0; st == PROF_OK && i < t->n_list; i++) {
		if (t->list[i] >= t->table[TABLE_LOCATION].n)
			return prof_fail(
				t->err, PROF_EINVALID,
				"otlp: stack_table[%llu]: no entry %lld in "
				"location_table, which has %zu",
				(unsigned long long)index,
				(long long)t->list[i],
				t->table[TABLE_LOCATION].n);
		r->stack[r->n_stack++] = t->location[t->list[i]];
	}
	return st;
}

static enum prof_status
add_labels(struct reader *r, const struct label *l, size_t n)
{
	enum prof_status st = otlp_spend(&r->t, n * 6);

	if (st == PROF_OK &&
	    array_reserve(&r->label, &r->cap_label, r->n_label + n + 1,
			  sizeof(*r->label)) < 0)
		st = prof_nomem(r->t.err);
	for (size_t i = 0; st == PROF_OK && i < n; i++) {
		if (l[i].str || l[i].num || l[i].unit)
			r->label[r->n_label++] = l[i];
		else
			r->losses->n_void++;
	}
	return st;
}

static uint32_t
hex(struct tables *t, const struct wire_field *f)
{
	char text[2 * 16 + 1];

	for (size_t i = 0; i < f->value; i++)
		snprintf(text + 2 * i, 3, "%02x", f->data[i]);
	return strtab_add(&t->p->strings, text, 2 * f->value);
}

/* A span of a trace, as labels, unless it is the zero value. */
static enum prof_status
add_link(struct reader *r, uint64_t index, size_t at)
{
	struct tables *t = &r->t;
	enum prof_status st = otlp_index(t, TABLE_LINK, index, "samples", at);
	const uint8_t *p, *end;
	struct wire_field f;

	if (st != PROF_OK || !index)
		return st;
	p = t->table[TABLE_LINK].part[index].data;
	end = p + t->table[TABLE_LINK].part[index].n;
	st = otlp_again(t, t->table[TABLE_LINK].part[index].n);
	while (st == PROF_OK && p < end) {
		struct label l = { 0 };

		p = wire_next(p, end, &f);
		if (!p)
			return otlp_damaged(&r->t, "link_table");
		if (f.type != WIRE_BYTES || !f.value || f.value > 16)
			continue;
		l.key = f.number == LINK_TRACE ? r->key_trace : r->key_span;
		l.str = hex(t, &f);
		if (l.str == STRTAB_NONE)
			return prof_nomem(t->err);
		if (f.number == LINK_TRACE || f.number == LINK_SPAN)
			st = add_labels(r, &l, 1);
	}
	return st;
}

static enum prof_status
read_labels(struct reader *r, struct part m, size_t at)
{
	struct tables *t = &r->t;
	enum prof_status st = otlp_list(t, m, SAMPLE_ATTRIBUTES, "samples");

	r->n_label = 0;
	for (size_t i = 0; st == PROF_OK && i < t->n_list; i++) {
		const struct attribute *a;

		st = otlp_index(t, TABLE_ATTRIBUTE, t->list[i], "samples", at);
		if (st != PROF_OK)
			break;
		a = &t->attribute[t->list[i]];
		if (a->n)
			st = add_labels(r, t->label + a->first, a->n);
	}
	return st == PROF_OK ? add_labels(r, r->around, r->n_around) : st;
}

/* What a Sample has besides lists of varints. */
static enum prof_status
read_rest(struct reader *r, struct part m, uint64_t *stack, uint64_t *link)
{
	const uint8_t *p = m.data, *end = p + m.n;
	struct wire_field f;

	*stack = *link = 0;
	r->n_time = 0;
	while (p < end) {
		const uint8_t *from;
		size_t n;

		p = wire_next(p, end, &f);
		if (!p)
			return otlp_damaged(&r->t, "sample");
		if (f.number == SAMPLE_STACK && f.type == WIRE_VARINT)
			*stack = f.value;
		if (f.number == SAMPLE_LINK && f.type == WIRE_VARINT)
			*link = f.value;
		if (f.number != SAMPLE_TIMES ||
		    (f.type != WIRE_I64 && f.type != WIRE_BYTES))
			continue;
		from = f.type == WIRE_I64 ? p - 8 : f.data;
		n = f.type == WIRE_I64 ? 1 : f.value / 8;
		if (f.type == WIRE_BYTES && f.value % 8)
			return otlp_damaged(&r->t, "timestamps");
		if (array_reserve(&r->time, &r->cap_time, r->n_time + n + 1,
				  sizeof(*r->time)) < 0)
			return prof_nomem(r->t.err);
		for (; n--; from += 8)
			r->time[r->n_time++] = wire_fixed64(from);
	}
	return PROF_OK;
}

static enum prof_status
add_sample(struct reader *r, uint32_t column, uint64_t value)
{
	enum prof_status st = otlp_spend(&r->t, 2 * r->t.p->n_type);
	uint32_t i;

	if (st != PROF_OK)
		return st;
	r->value[column] = (int64_t)value;
	i = profile_add_sample(r->t.p, r->stack, r->n_stack, r->value, r->label,
			       r->n_label);
	r->value[column] = 0;
	return i == PROF_NONE ? prof_nomem(r->t.err) : PROF_OK;
}

/* A sample for each time at which this one was taken. */
static enum prof_status
add_times(struct reader *r, uint32_t column)
{
	const struct tables *t = &r->t;
	enum prof_status st = PROF_OK;

	for (size_t i = 0; st == PROF_OK && i < r->n_time; i++) {
		struct label l = { .key = r->key_time,
				   .unit = r->unit_time,
				   .num = (int64_t)r->time[i] };

		st = add_labels(r, &l, 1);
		if (st == PROF_OK)
			st = otlp_spend(&r->t, r->n_stack + r->n_label * 6);
		if (st == PROF_OK)
			st = add_sample(r, column, t->n_list ? t->list[i] : 1);
		r->n_label -= st == PROF_OK;
	}
	return st;
}

enum prof_status
otlp_read_sample(struct reader *r, struct part m, uint32_t column, size_t at)
{
	struct tables *t = &r->t;
	uint64_t stack, link;
	int64_t sum = 0;
	enum prof_status st = read_rest(r, m, &stack, &link);

	if (st == PROF_OK)
		st = read_stack(r, stack, at);
	if (st == PROF_OK)
		st = read_labels(r, m, at);
	if (st == PROF_OK && link)
		st = add_link(r, link, at);
	if (st == PROF_OK)
		st = otlp_list(t, m, SAMPLE_VALUES, "samples");
	if (st != PROF_OK)
		return st;
	if (r->n_time && t->n_list && t->n_list != r->n_time)
		return prof_fail(t->err, PROF_EINVALID,
				 "otlp: samples[%zu]: %zu values and %zu "
				 "timestamps",
				 at, t->n_list, r->n_time);
	if (r->o->times && r->n_time)
		return add_times(r, column);
	r->losses->n_time += r->n_time;
	for (size_t i = 0; i < t->n_list; i++) {
		uint64_t wrapped = (uint64_t)sum + t->list[i];

		sum = units_add(sum, (int64_t)t->list[i]);
		r->losses->n_saturated += (uint64_t)sum != wrapped;
	}
	return add_sample(r, column, t->n_list ? (uint64_t)sum : r->n_time);
}
