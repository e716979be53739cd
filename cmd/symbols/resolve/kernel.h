/*
 * kernel.h - names of the kernel and its modules from the kernel
 * itself, for resolve.c.
 */
#ifndef RESOLVE_KERNEL_H
#define RESOLVE_KERNEL_H

#include "impl.h"

/* Is m, whose file has that name, of the kernel or of one of its modules? */
bool kernel_is_mapping(const struct mapping *m, const char *file);

/*
 * The name of the symbol that gives the relocation of the kernel with that file
 * name.
 */
const char *kernel_symbol(const char *file);

/* The build-id of the running kernel, in BUILD_ID_TEXT bytes; or "". */
void kernel_build_id(char *id);

/*
 * Name the wanted locations of mapping m, from the list of symbols that the
 * caller named, or that of the running kernel if it is the same one. m is
 * PROF_NONE for kernel addresses without mapping. PROF_EIO,
 * PROF_EFORMAT and PROF_EINVALID say why that is not possible; PROF_ENOMEM.
 */
enum prof_status kernel_resolve(struct resolve *r, uint32_t m,
				struct prof_err *err) MUST_USE;
void kernel_release(struct resolve *r);

/*
 * Open this kernel's own vDSO, if it may be the one of mapping m: the caller
 * compares build-ids. PROF_EIO, PROF_EFORMAT, PROF_ENOMEM.
 */
enum prof_status kernel_vdso(const struct mapping *m, struct binary **out,
			     struct prof_err *err) MUST_USE;

#endif
