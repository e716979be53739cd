/*
 * machine.h - the machines whose stack copies can be walked: profiles are read
 * elsewhere than they were taken. The code is compiled once for this machine
 * and once for another (foreign.c), and reached by these tables.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libsample/unwind/frames.h"

enum { MACHINE_MAX_REG = 33 };

struct cfi_image;
struct cfi_rows;
struct elf_source;
struct unwind_pool;
struct walk_code;
struct walk_stack;
struct walker;

struct machine {
	const char *name; /* uname(2)'s */
	uint16_t elf;     /* e_machine */
	unsigned n_reg;   /* of DWARF */
	/* unwind_cfi_compile(), gopcsp_compile(), unwind_expr_check() */
	int (*compile)(const struct cfi_image *image, struct unwind_pool *pool,
		       struct cfi_rows *rows);
	int (*compile_go)(const struct elf_source *s, uint64_t lo, uint64_t hi,
			  struct unwind_pool *pool, struct cfi_rows *rows);
	bool (*is_expr)(const uint8_t *e, size_t n);
	/* walk.h; to be freed by walker_free() */
	struct walker *(*walker_new)(void);
	bool (*perf_regs)(struct walk_stack *s, uint64_t mask,
			  const uint64_t *word, size_t n_word);
	size_t (*walk)(struct walker *w, const struct walk_stack *s,
		       bool (*find)(void *ctx, uint64_t pc,
				    struct walk_code *out),
		       void *ctx, uint64_t *pc, size_t max,
		       struct unwind_info *info);
};

extern const struct machine machine_own, machine_foreign;

/* The one with that e_machine, or with that name; or NULL. */
const struct machine *machine_of_elf(uint16_t elf);
const struct machine *machine_of_name(const char *name);

#endif
