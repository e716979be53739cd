/* kernel.h - names of the running kernel and its modules, for resolve.c. */
#ifndef RESOLVE_KERNEL_H
#define RESOLVE_KERNEL_H

#include "impl.h"

/* Is m, whose file has that name, a mapping of the kernel or a module? */
bool kernel_is_mapping(const struct mapping *m, const char *file);

/*
 * The symbol whose address gives the relocation of the kernel with that file
 * name.
 */
const char *kernel_symbol(const char *file);

/* The build-id of the running kernel, in BUILD_ID_TEXT bytes; or "". */
void kernel_build_id(char *id);

/*
 * Name the wanted locations of mapping m, from the list of symbols that the
 * caller named, or from the running kernel if it is the same one. m is
 * PROF_NONE for kernel addresses without mapping. PROF_EIO, PROF_EFORMAT and
 * PROF_EINVALID say why it failed; PROF_ENOMEM.
 */
enum prof_status kernel_resolve(struct resolve *r, uint32_t m,
				struct prof_err *err) MUST_USE;
void kernel_release(struct resolve *r);

/*
 * Open the vDSO of the running kernel, if it may be that of mapping m: the
 * caller compares build-ids. PROF_EIO, PROF_EFORMAT, PROF_ENOMEM.
 */
enum prof_status kernel_vdso(const struct mapping *m, struct binary **out,
			     struct prof_err *err) MUST_USE;

#endif
