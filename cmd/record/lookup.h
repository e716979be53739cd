/*
 * lookup.h - the symbol page of a profile server: names for addresses of the
 * running program, out of the symbol tables of its files. Answers are cached:
 * all clients ask for the same ones.
 */
#ifndef LOOKUP_H
#define LOOKUP_H

#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

struct lookup;
struct profile;

/* NULL without memory. To end with lookup_free(). */
struct lookup *lookup_new(void);

/* NULL is allowed. */
void lookup_free(struct lookup *l);

/* Can names be found in this build at all? */
int lookup_works(void);

/*
 * text, of n bytes, has addresses: "0x401136+0x40113f". Append a line to out
 * for each distinct one with a known name, ascending: the address, a tab and
 * the mangled name, as in the file. maps is a profile with the mappings of the
 * program in the order of its recorder; locations are added to it.
 * PROF_ENOMEM.
 */
enum prof_status lookup_answer(struct lookup *l, struct profile *maps,
			       const char *text, size_t n, struct buf *out,
			       struct prof_err *err) MUST_USE;

#endif
