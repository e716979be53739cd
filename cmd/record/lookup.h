/*
 * lookup.h - the symbol page of a profile server: names for addresses of the
 * running program, from the symbol tables of its files. Answers are cached, as
 * clients ask for the same ones.
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

/* Does this build support symbols? */
int lookup_works(void);

/*
 * text, of n bytes, has addresses: "0x401136+0x40113f". Append a line to out
 * for each distinct one with a known name, ascending: the address, a tab and
 * the mangled name, as in the file. maps has the program's mappings in the
 * recorder's order; locations are added to it. PROF_ENOMEM.
 */
enum prof_status lookup_answer(struct lookup *l, struct profile *maps,
			       const char *text, size_t n, struct buf *out,
			       struct prof_err *err) MUST_USE;

#endif
