/*
 * profile.h - one profile in memory. It holds the data of profile.proto, but
 * flat: tables are arrays, references are 32-bit indices into them, and all
 * stacks are in one array of location indices. Reading and writing:
 * lib/wire/codec.h (bytes), lib/stream/stream.h (descriptors), lib/formats
 * (other formats).
 *
 * Invariants between any two public calls; profile_check() tests them:
 *  - every index is inside its table, or PROF_NONE where that is allowed;
 *  - ids are unique in their table, and not 0;
 *  - the labels of a sample are in canonical order: string labels first, then
 *    numeric ones, each sorted by key (as bytes), the values of one key in
 *    order of arrival. No label is void (neither a string nor a number nor a
 *    unit);
 *  - no entry of the pools belongs to two samples, or to two locations, so
 *    each can be edited in place;
 *  - each value of a numeric key keeps its own unit; a value without one has
 *    unit "" (index 0).
 * Tables keep their order from the stream: reports and ids depend on it.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "lib/base/strtab.h"

struct arena;

#define PROF_NONE UINT32_MAX /* no mapping; no memory from profile_add_* */

/* The type and unit of a column of values: cpu/nanoseconds. Strings. */
struct value_type {
	uint32_t type;
	uint32_t unit;
};

/* The parts of symbolization that a mapping already has. */
enum mapping_has {
	MAPPING_FUNCTIONS = 1,
	MAPPING_FILENAMES = 2,
	MAPPING_LINE_NUMBERS = 4,
	MAPPING_INLINE_FRAMES = 8,
};

/* A part of an object file in memory. */
struct mapping {
	uint64_t id;
	uint64_t start;    /* first address */
	uint64_t limit;    /* first address past it */
	uint64_t offset;   /* in the file, of the byte at start */
	uint32_t file;     /* string: path */
	uint32_t build_id; /* string: lower-case hex */
	unsigned has;      /* enum mapping_has, or-ed */
};

struct function {
	uint64_t id;
	int64_t start_line;   /* 0: unknown */
	uint32_t name;        /* strings; demangled */
	uint32_t system_name; /* as in the object file: mangled */
	uint32_t file;
};

/* A source line of a function, which may be inlined. */
struct line {
	int64_t line; /* 0: unknown */
	int64_t column;
	uint32_t function; /* index, never PROF_NONE */
};

/* An address with its source lines, or source lines alone. */
struct location {
	uint64_t id;
	uint64_t address; /* at run time; of a caller: inside the call */
	uint32_t mapping; /* index, or PROF_NONE */
	uint32_t n_line;
	uint32_t line;  /* index of the first in profile.line: innermost inlined
			 * function first, the physical function last */
	bool is_folded; /* several symbols share the address */
};

/* A label of a sample: a string (str != 0), or a number with a unit. */
struct label {
	uint32_t key;  /* string */
	uint32_t str;  /* string, 0 for a numeric label */
	uint32_t unit; /* string, 0 for none or for a string label */
	int64_t num;
};

/* A stack, leaf first, with its values and labels. See profile_stack(). */
struct sample {
	uint64_t stack;   /* index into profile.stack */
	uint64_t label;   /* index into profile.label */
	uint32_t n_stack; /* 0 is legal */
	uint32_t n_label;
};

struct profile {
	struct arena *arena; /* holds everything below */
	struct strtab strings;

	struct value_type *type; /* columns */
	size_t n_type;
	struct mapping *mapping;
	size_t n_mapping;
	struct function *function;
	size_t n_function;
	struct location *location;
	size_t n_location;
	struct line *line; /* pool; a location's lines are consecutive */
	size_t n_line;
	struct sample *sample;
	size_t n_sample;
	int64_t *value;  /* n_sample rows of n_type */
	uint32_t *stack; /* pool of location indices */
	size_t n_stack;
	struct label *label; /* pool */
	size_t n_label;
	uint32_t *comment; /* strings */
	size_t n_comment;

	struct value_type period_type;
	int64_t period;
	int64_t time_ns;      /* since the epoch; 0: unknown */
	int64_t duration_ns;  /* 0: unknown */
	uint32_t drop_frames; /* strings: regular expressions */
	uint32_t keep_frames;
	uint32_t default_type; /* string: a type name */
	uint32_t doc_url;      /* string */

	/* Warnings about the input, one line each: what is damaged, left out
	 * or guessed, and how much. Readers add them; streams have none. */
	char **doubt;
	size_t n_doubt;

	/* Capacities, and the largest ids. Private to profile_add_*(). */
	struct {
		size_t type, mapping, function, location, line, sample, value;
		size_t stack, label, comment, doubt;
		uint64_t mapping_id, function_id, location_id;
	} room;
};

/* A new, empty profile, to end with profile_free(); NULL without memory. */
struct profile *profile_new(void);

/* Free p and all it owns. NULL is allowed. */
void profile_free(struct profile *p);

/* The text of string s of p, ended by NUL; it may hold other NULs. */
static inline const char *
profile_str(const struct profile *p, uint32_t s)
{
	return p->strings.str[s].s;
}

/* The n_stack location indices of sample s, leaf first. */
static inline const uint32_t *
profile_stack(const struct profile *p, const struct sample *s)
{
	return p->stack + s->stack;
}

/* The n_label labels of sample s, in canonical order. */
static inline const struct label *
profile_label(const struct profile *p, const struct sample *s)
{
	return p->label + s->label;
}

/* The n_type values of sample i. */
static inline int64_t *
profile_value(const struct profile *p, size_t i)
{
	return p->value + i * p->n_type;
}

/* The n_line lines of location l, innermost first. */
static inline const struct line *
profile_line(const struct profile *p, const struct location *l)
{
	return p->line + l->line;
}

/* Intern a string of p: its index, or STRTAB_NONE without memory. */
uint32_t profile_intern(struct profile *p, const char *s);

/*
 * Add one entry to a table of p and return its index, or PROF_NONE without
 * memory or past 2^32 - 2 entries. Arguments are copied; an id of 0 means
 * "the next free one". Strings in them are indices of p's own strings.
 *
 * Add all types before the first sample. The labels of a sample may come in any
 * order and include void ones: they are put in canonical order. stack holds
 * location indices, value n_type numbers.
 */
uint32_t profile_add_type(struct profile *p, const char *type,
			  const char *unit);
uint32_t profile_add_mapping(struct profile *p, const struct mapping *m);
uint32_t profile_add_function(struct profile *p, const struct function *f);
uint32_t profile_add_location(struct profile *p, const struct location *l,
			      const struct line *line, size_t n_line);
uint32_t profile_add_sample(struct profile *p, const uint32_t *stack,
			    size_t n_stack, const int64_t *value,
			    const struct label *label, size_t n_label);
uint32_t profile_add_comment(struct profile *p, const char *text);

/* Add a warning about the input to p->doubt. Without memory it is lost. */
void profile_doubt(struct profile *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Replace the lines of location l of p by these. Returns -1 without memory. The
 * old ones stay in the pool, unreferenced.
 */
int profile_set_lines(struct profile *p, uint32_t l, const struct line *line,
		      size_t n_line);

/*
 * Give every sample of p the string label key=value, in place of its labels
 * with that key. value is not empty. Returns -1 without memory.
 */
int profile_set_label(struct profile *p, const char *key, const char *value);

/*
 * Put n labels, strings of p, in canonical order and squeeze out void ones, in
 * place. Returns how many are left.
 */
size_t profile_sort_labels(const struct profile *p, struct label *label,
			   size_t n);

/*
 * The column that sample_index names, by pprof's rules: NULL or "" is the
 * profile's default, or else the last; a number is an index; else the type of
 * that name, with or without a leading "inuse_". PROF_EUSAGE: there is none.
 */
enum prof_status profile_sample_index(const struct profile *p,
				      const char *sample_index, size_t *out,
				      struct prof_err *err) MUST_USE;

/*
 * Verify the invariants at the top of this file: PROF_OK, or PROF_EINVALID
 * naming the first that is broken. For tests and fuzzing: every profile that
 * the library returns passes.
 */
enum prof_status profile_check(const struct profile *p,
			       struct prof_err *err) MUST_USE;

#endif
