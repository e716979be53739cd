/*
 * otlp-impl.h - what the parts of the reader of OTLP share: otlp-in.c walks the
 * message, otlp-tables.c has its dictionary, otlp-value.c attributes and
 * otlp-sample.c samples.
 */
#ifndef OTLP_IMPL_H
#define OTLP_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/idmap.h"
#include "lib/model/profile.h"
#include "otlp-schema.h"
#include "otlp.h"

/* A message inside of the input. */
struct part {
	const uint8_t *data;
	size_t n;
};

struct parts {
	struct part *part;
	size_t n, cap;
};

/* An attribute as labels: an array has several, or none. */
struct attribute {
	uint32_t key; /* string */
	size_t first, n;
};

struct tables {
	struct profile *p;
	struct prof_err *err;
	struct parts table[N_TABLE];
	uint32_t *string, *mapping, *function, *location; /* of p */
	/* Attributes, and the labels that they are. */
	struct attribute *attribute;
	struct label *label;
	size_t n_label, cap_label;
	/* Numbers of a list in work. */
	uint64_t *list;
	size_t n_list, cap_list;
	uint64_t room; /* see otlp_spend() */
};

/*
 * Collect the dictionary, in pieces as protobuf allows, then turn its tables
 * into those of p. Both functions are called once, in this order.
 */
enum prof_status otlp_collect(struct tables *t,
			      struct part dictionary) MUST_USE;
enum prof_status otlp_tables(struct tables *t) MUST_USE;
void otlp_tables_release(struct tables *t);

/* All numbers of a repeated field of m, packed or not, into t->list. */
enum prof_status otlp_list(struct tables *t, struct part m, unsigned field,
			   const char *what) MUST_USE;

/*
 * index as one of table, for a message about the entry at of what; an absent
 * table has an entry 0.
 */
enum prof_status otlp_index(struct tables *t, enum otlp_table table,
			    uint64_t index, const char *what,
			    size_t at) MUST_USE;

/*
 * An AnyValue as labels of that key and unit, appended to t->label: an array is
 * several, and a value that labels do not know is text.
 */
enum prof_status otlp_value(struct tables *t, struct part any, uint32_t key,
			    uint32_t unit) MUST_USE;

/* A KeyValue in the same way; it has the labels from *a on. */
enum prof_status otlp_key_value(struct tables *t, struct part m,
				struct attribute *a) MUST_USE;

/* Is that string the key? */
bool otlp_is_key(const struct tables *t, uint32_t key, const char *name);

/* PROF_EFORMAT, naming a part of the message. */
enum prof_status otlp_damaged(struct tables *t, const char *what) MUST_USE;

/* One Profile and where it is from. */
struct source {
	struct part profile, resource, scope;
	size_t n_scope; /* the number of its scope */
	uint32_t column;
};

struct reader {
	struct tables t;
	const struct otlp_options *o;
	struct otlp_losses *losses;
	struct part dictionary;
	struct source *source;
	size_t n_source, cap_source, n_scope;
	/* Labels of a resource and its scope, and those of a sample. */
	struct label *around, *label;
	size_t n_around, cap_around, n_label, cap_label;
	uint32_t *stack;
	size_t n_stack, cap_stack;
	uint64_t *time;
	size_t n_time, cap_time;
	int64_t value[OTLP_MAX_TYPES];
	uint32_t key_time, unit_time, key_trace, key_span;
	size_t n_interval;
	struct idmap comment; /* strings: the source that had it first */
};

/*
 * Count frames, labels and values of the profile. Samples share stacks and
 * attributes, so a small message could make a huge profile: PROF_ELIMIT far
 * beyond what real ones share.
 */
enum prof_status otlp_spend(struct tables *t, uint64_t cells) MUST_USE;

/* Count n bytes that others, too, refer to, and that are read each time. */
enum prof_status otlp_again(struct tables *t, size_t n) MUST_USE;

/* Add the sample m, number at of its profile, whose column that is. */
enum prof_status otlp_read_sample(struct reader *r, struct part m,
				  uint32_t column, size_t at) MUST_USE;

#endif
