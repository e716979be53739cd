/*
 * jfr-impl.h - a chunk of a recording between jfr-chunk.c, which knows layouts,
 * and jfr-in.c, which knows what events mean.
 */
#ifndef JFR_IMPL_H
#define JFR_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "byname.h"
#include "lib/base/idmap.h"

/* Bytes that are read in order. Past the end they are 0, and is_bad is set. */
struct jfr_cursor {
	const uint8_t *p, *end;
	bool is_bad;
};

/* How a value is written. */
enum jfr_form {
	JFR_STRUCT, /* its fields */
	JFR_BYTE,   /* boolean, byte */
	JFR_VARINT, /* char, short, int, long */
	JFR_FLOAT,
	JFR_DOUBLE,
	JFR_STRING,
};

struct jfr_field {
	uint32_t name; /* string of the profile */
	uint64_t class_id;
	uint32_t class; /* index, once all classes are known */
	bool is_constant, is_array;
};

struct jfr_class {
	uint64_t id;
	uint32_t name; /* string of the profile */
	enum jfr_form form;
	size_t first, n_field;
	struct idmap constant; /* key -> index in constants */
	uint32_t kind;         /* of its events: the reader's */
};

struct jfr_chunk {
	struct byname *b; /* strings go there */
	struct prof_err *err;
	const uint8_t *data; /* the chunk's n bytes */
	size_t n;
	size_t at; /* of data in the file */
	bool is_whole;
	uint64_t metadata; /* its place in data */
	int64_t start_ns, duration_ns;
	uint64_t ticks_per_second;
	struct jfr_class *class;
	size_t n_class, cap_class;
	struct jfr_field *field;
	size_t n_field, cap_field;
	struct idmap by_id; /* class id -> index */
	size_t *constant;   /* places of constants in data */
	size_t n_constant, cap_constant;
	uint32_t *string; /* of the metadata: strings of the profile */
	size_t n_string;
	uint64_t *work; /* values, and bytes of strings, that may still be read,
			 * of the whole file; 0: too much was asked for */
};

/* Read the header at data + at: PROF_EFORMAT, PROF_ENOTSUP. */
enum prof_status jfr_header(struct jfr_chunk *c, const void *data, size_t n,
			    size_t at) MUST_USE;

/* Read the layouts and the places of all constants. */
enum prof_status jfr_layout(struct jfr_chunk *c) MUST_USE;
void jfr_chunk_release(struct jfr_chunk *c);

/* Step to the next event: false after the last. Its body is in *body, behind
 * the number of its class; class: PROF_NONE if that is not known. */
struct jfr_event {
	struct jfr_cursor body;
	uint32_t class;
	uint64_t id; /* of the class */
};
bool jfr_next(struct jfr_chunk *c, size_t *at, struct jfr_event *e);

/* A field that is asked for. */
struct jfr_value {
	const char *name;
	uint64_t number;      /* of a constant, its key */
	struct jfr_cursor at; /* where it begins: strings, lists */
	uint32_t class;       /* PROF_NONE: there is no such field */
	bool is_constant;
};

/*
 * Read one value of class at the cursor and move past it: of a struct the n
 * fields that are asked for, of anything else nothing. False: the bytes are
 * damaged, or it is too much work.
 */
bool jfr_read(struct jfr_chunk *c, struct jfr_cursor *at, uint32_t class,
	      struct jfr_value *value, size_t n);

/* The constant that v is the key of: false if there is none. */
bool jfr_constant(const struct jfr_chunk *c, const struct jfr_value *v,
		  struct jfr_cursor *at);

/* The string at v, or of the symbol at v: a string of the profile, STRTAB_NONE
 * without memory. 0 for null. */
uint32_t jfr_string(struct jfr_chunk *c, const struct jfr_value *v);

uint64_t jfr_varint(struct jfr_cursor *c);

#endif
