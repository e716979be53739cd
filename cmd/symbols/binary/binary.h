/*
 * binary.h - an open ELF file and the files split off from it: names and lines
 * for its addresses, from DWARF or symbol tables. To find the file of a
 * mapping: symbols/resolve/locate.h; to symbolize a profile:
 * symbols/resolve/resolve.h.
 *
 * Work is done in bulk: all addresses of a file at once, sorted, so each
 * compilation unit is read at most once, and only when an address is in it.
 * Files may be damaged or hostile: invalid parts are skipped, and work is
 * bounded by the size of the file.
 */
#ifndef BINARY_H
#define BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/buildid.h"
#include "lib/base/status.h"
#include "lib/model/loadbase.h"
#include "symbols/elf/frame.h"

struct binary;
struct unpack_budget;

/*
 * Open the ELF file path. budget limits the unpacked size of it and of the
 * files split off from it, and may be NULL. *out is the caller's, for
 * binary_close(). PROF_EIO, PROF_EFORMAT (not ELF, or damaged) or PROF_ENOMEM.
 */
enum prof_status binary_open(const char *path, struct unpack_budget *budget,
			     struct binary **out,
			     struct prof_err *err) MUST_USE;

/* The same for n malloc'd bytes at image, which *out always takes over. */
enum prof_status binary_open_image(const char *name, void *image, size_t n,
				   struct binary **out,
				   struct prof_err *err) MUST_USE;
void binary_close(struct binary *s);

/* Read with up to n threads, instead of one. */
void binary_set_threads(struct binary *s, unsigned n);

/* Its GNU build-id in lower-case hex, or "". */
const char *binary_build_id(const struct binary *s);

/* Is id, in hex, that or the one that its processes have in memory? */
bool binary_has_id(const struct binary *s, const char *id);

/* The amount of symbol information in a file itself, ascending. */
enum binary_worth {
	WORTH_SPLIT,    /* a debug file, split off from the program */
	WORTH_STRIPPED, /* exported symbols only */
	WORTH_SYMBOLS,
	WORTH_DWARF,
};
enum binary_worth binary_worth(const struct binary *s);

/* Does it have DWARF, or a debug file that has? */
bool binary_has_dwarf(const struct binary *s);

/*
 * The build-id of the file that s lacks, in lower-case hex, into id: its own if
 * it has no DWARF, for a file that was split off; else that of the common file
 * of dwz. false: it lacks none, or one without build-id.
 */
bool binary_lacks(const struct binary *s, char id[BUILD_ID_TEXT]);

/*
 * Use debug, which was split off from s or is the common file of dwz. s takes
 * it over if it needs it; otherwise it is closed, and false is returned.
 */
bool binary_use_debug(struct binary *s, struct binary *debug);

/* Its program headers. */
const struct load_layout *binary_layout(const struct binary *s);

/* The value of symbol name in its symbol table. false: there is none. */
bool binary_symbol(struct binary *s, const char *name, uint64_t *value);

/*
 * If s has no DWARF, look for a file that was split off from it: by build-id
 * or by .gnu_debuglink (with matching checksum), below each of the n
 * directories, beside the file and below /usr/lib/debug. Then look for the
 * common file of dwz there, by build-id, or by .gnu_debugaltlink with matching
 * build-id. Finding none is not an error. PROF_ENOMEM.
 */
enum prof_status binary_find_debug(struct binary *s, const char *const *dir,
				   size_t n, struct prof_err *err) MUST_USE;

/*
 * For symbols/code, which reads the code itself: the file, its debug file
 * (whose elf is NULL if there is none), and the ranges of code.
 */
struct object;
struct code_map;
const struct object *binary_object(const struct binary *s);
const struct object *binary_debug(const struct binary *s);
const struct code_map *binary_code(const struct binary *s);

/*
 * Call fn for each known one of the n addresses, ascending and distinct, in any
 * order. Addresses are those of the file, see loadbase.h. Without dwarf, only
 * symbol tables are read. PROF_ENOMEM, or PROF_EFORMAT if DWARF that is
 * damaged, or in a common file of dwz that is missing, may have cost some
 * answers; fn was called for the others.
 */
enum prof_status binary_run(struct binary *s, const uint64_t *addr, size_t n,
			    bool dwarf, symbol_fn *fn, void *ctx,
			    struct prof_err *err) MUST_USE;

/*
 * Call fn, with the start of the function, for each of the n addresses,
 * ascending, that is in a function of .eh_frame, which stripped files have,
 * too. PROF_ENOMEM.
 */
enum prof_status binary_ranges(const struct binary *s, const uint64_t *addr,
			       size_t n,
			       void (*fn)(void *ctx, size_t i, uint64_t start),
			       void *ctx, struct prof_err *err) MUST_USE;

/*
 * Text that differs whenever the answers of binary_run() may: it names the
 * file, its debug file and dwz's, each by build-id, size, device, inode and
 * times of last change. A build-id alone is not enough, as files may claim any.
 * For free(); NULL without memory.
 */
char *binary_key(const struct binary *s, bool dwarf);

/*
 * Is all DWARF in the files named by binary_key()? Not if units are split into
 * .dwo files.
 */
bool binary_is_whole(const struct binary *s);

#endif
