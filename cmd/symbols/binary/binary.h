/*
 * symbolize.h - names and lines for addresses of an ELF file, out of its DWARF
 * or its symbol table. The only user of elfutils. Which file belongs to which
 * mapping: locate.h; from and into a profile: resolve.h.
 *
 * Work is done in bulk: all addresses of a file at once, sorted, so each
 * compilation unit is read at most once, and only when an address is in it.
 * Files may be damaged or hostile: what can not be understood is skipped, and
 * work is bounded by the size of the file.
 */
#ifndef SYMBOLIZE_H
#define SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "lib/model/loadbase.h"

struct symbolize;

/*
 * A function that is at an address, or was inlined there. Strings are never
 * NULL, and "" when unknown; unknown numbers are 0. name is as in the object
 * file: mangled.
 */
struct symbolize_frame {
	const char *name;
	const char *file;
	int64_t line;
	int64_t column;
	int64_t start_line; /* of the function's declaration */
};

/*
 * Open the ELF file path. *out is the caller's, for symbolize_close().
 * PROF_EIO, PROF_EFORMAT (not ELF, or damaged) or PROF_ENOMEM.
 */
enum prof_status symbolize_open(const char *path, struct symbolize **out,
				struct prof_err *err) MUST_USE;

/* The same of n bytes at image, malloc'd, which become *out's in any case. */
enum prof_status symbolize_open_image(const char *name, void *image, size_t n,
				      struct symbolize **out,
				      struct prof_err *err) MUST_USE;
void symbolize_close(struct symbolize *s);

/* Read with up to n threads, instead of one. */
void symbolize_set_threads(struct symbolize *s, unsigned n);

/* Its GNU build-id in lower-case hex, or "". */
const char *symbolize_build_id(const struct symbolize *s);

/* What can be learned from a file alone: less to more. */
enum symbolize_worth {
	WORTH_SPLIT,    /* it is what was split off from the file */
	WORTH_STRIPPED, /* what it exports */
	WORTH_SYMBOLS,
	WORTH_DWARF,
};
enum symbolize_worth symbolize_worth(const struct symbolize *s);

/* Has it DWARF, or a debug file that has? */
bool symbolize_has_dwarf(const struct symbolize *s);

/*
 * debug is the file that was split off from s. It becomes s's, if s has a use
 * for it, and is closed otherwise.
 */
void symbolize_use_debug(struct symbolize *s, struct symbolize *debug);

/* Its program headers. */
const struct load_layout *symbolize_layout(const struct symbolize *s);

/* The value of symbol name in its symbol table. false: there is none. */
bool symbolize_symbol(struct symbolize *s, const char *name, uint64_t *value);

/*
 * If s has no DWARF, look for a file that was split off from it: by build-id
 * or by .gnu_debuglink (with matching checksum), below each of the n
 * directories, beside the file and below /usr/lib/debug. Finding none is no
 * error. PROF_ENOMEM.
 */
enum prof_status symbolize_find_debug(struct symbolize *s,
				      const char *const *dir, size_t n,
				      struct prof_err *err) MUST_USE;

/*
 * Receives what is at address i: n > 0 frames, innermost first. They and their
 * strings are gone when it returns.
 */
typedef void symbolize_fn(void *ctx, size_t i,
			  const struct symbolize_frame *frame, size_t n);

/*
 * Call fn for each of the n addresses, ascending and distinct, of which
 * something is known, in any order. Addresses are those of the file, see
 * loadbase.h. Without dwarf, symbol tables are all that is read. PROF_ENOMEM,
 * or PROF_EFORMAT when damaged DWARF cost some answers: the others were given.
 */
enum prof_status symbolize_run(struct symbolize *s, const uint64_t *addr,
			       size_t n, bool dwarf, symbolize_fn *fn,
			       void *ctx, struct prof_err *err) MUST_USE;

/*
 * Text that differs where answers of symbolize_run() may: it names the file and
 * the one split off from it, by build-id and size, or by inode and time where
 * there is no build-id. For free(); NULL if it can't be told, or without
 * memory.
 */
char *symbolize_key(const struct symbolize *s, bool dwarf);

/*
 * Is all DWARF there, in the files of that key? Files of split units are not
 * among them, nor is the common file of dwz if it is missing.
 */
bool symbolize_is_whole(const struct symbolize *s);

#endif
