/*
 * kallsyms.h - the symbols of a running kernel, as in /proc/kallsyms: address,
 * type, name and, for symbols of a module, its name.
 *
 *	ffffffff81000000 T _stext
 *	ffffffffc0a0b010 t nf_hook	[nf_tables]
 */
#ifndef KALLSYMS_H
#define KALLSYMS_H

#include "symlist.h"

/* The addresses of the kernel without modules. */
struct kallsyms {
	struct symlist list;
	uint64_t stext, text; /* of _stext and _text, or 0 */
};

/*
 * Append the code symbols in n bytes of text to k, which is all 0 at first. A
 * symbol ends where the next one begins. PROF_EFORMAT if there is none;
 * PROF_EIO if all addresses are 0, because the kernel hides them; PROF_ENOMEM.
 */
enum prof_status kallsyms_read(struct kallsyms *k, const char *text, size_t n,
			       struct prof_err *err) MUST_USE;

#endif
