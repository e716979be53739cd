/*
 * digest.h - from a profile to what the cache has of it (block.h).
 *
 * flat and cum are those of prof-text --trim=false: frames that the profile
 * says to drop are dropped, a function counts once for each sample.
 */
#ifndef HISTORY_DIGEST_H
#define HISTORY_DIGEST_H

#include <stdbool.h>

#include "history/store/block.h"
#include "history/store/names.h"
#include "lib/base/status.h"
#include "walk.h"

struct profile;

/* Where the time of a profile came from. */
enum digest_time { DIGEST_TIME_OWN, DIGEST_TIME_PATH, DIGEST_TIME_FILE };

struct digest {
	struct entry entry;
	struct entry_column column[BLOCK_MAX_COLUMN];
	uint32_t types; /* word, for word_types() */
	size_t n_column;
	int64_t day;
	enum digest_time time_from;
};

/*
 * All but the functions; entry.file is left 0. p, which is whole or one program
 * of it, changes: its frames to drop go. PROF_ELIMIT: more than
 * BLOCK_MAX_COLUMN sample types; PROF_ENOMEM.
 */
enum prof_status digest_profile(struct digest *t, struct profile *p,
				const struct profile *whole,
				const struct walk_file *f, struct names *words,
				struct prof_err *err) MUST_USE;

/* Add the functions of p, which is the last entry of b. PROF_ENOMEM. */
enum prof_status digest_functions(struct block *b, struct profile *p,
				  struct names *functions,
				  struct prof_err *err) MUST_USE;

/* A sample type, of the word that is `types` of a block. */
struct word_type {
	const char *type, *unit; /* n_type and n_unit bytes */
	size_t n_type, n_unit;
	bool is_default; /* prof-text shows it, if not asked */
};

/* The types in a word: how many, at most BLOCK_MAX_COLUMN. */
size_t word_types(const struct str *word,
		  struct word_type type[BLOCK_MAX_COLUMN]);

/*
 * A label of a profile, in a word of labels. n is 0 where samples differ in
 * it, or it is a number.
 */
struct word_label {
	const char *key, *value; /* n_key and n bytes; key NULL: begin */
	size_t n_key, n;
};

/* The next label of the word, or false. */
bool word_next_label(const struct str *word, struct word_label *l);

/* The value of label `key` in it, *n bytes, or NULL: there is none. */
const char *word_label(const struct str *word, const char *key, size_t *n);

/* Do samples differ in label `key`? */
bool word_is_mixed(const struct str *word, const char *key);

#endif
