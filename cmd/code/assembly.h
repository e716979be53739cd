/*
 * assembly.h - instructions of a profile's functions as data: their text, the
 * source line and the inlined functions that each came from, and what it cost.
 * prof-list prints it; prof-html embeds the same.
 *
 *	struct assembly_options o = { .wants = ..., .resolve = ... };
 *	struct assembly *a;
 *
 *	assembly_new(&report, &o, &a, &err);
 *	for (size_t i = 0; i < a->n_function; i++) {
 *		const struct asm_function *f = &a->function[i];
 *
 *		for (size_t k = 0; k < f->n_insn; k++)
 *			... f->insn[k] ...
 *	}
 *	assembly_free(a);
 *
 * Code is read from the file that prof-symbolize would take (the same look-up,
 * the same build-id check). Addresses are those of the file, as objdump has
 * them, not those of the process.
 */
#ifndef ASSEMBLY_H
#define ASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct arena;
struct report;
struct resolve_options;

#define ASM_NONE UINT32_MAX

/* A source line that an instruction came from; "" and 0 are unknown. */
struct asm_frame {
	const char *function; /* demangled */
	const char *symbol;   /* as in the object file */
	const char *file;     /* as the debug information has it */
	int64_t line;
};

struct asm_insn {
	uint64_t address; /* in the file */
	uint64_t target;  /* of a direct call or jump */
	uint64_t data;    /* of an operand; 0: none */
	bool has_target;
	bool is_absolute; /* data is in the text already */
	uint32_t size;
	const char *text; /* "callq malloc@plt", "jne 0x40115a <main+0x2a>" */
	const struct asm_frame *frame; /* innermost inlined function first */
	size_t n_frame;
	int64_t flat, cum; /* of samples in address to address + size - 1 */
};

/*
 * A function, or what is shown of one. name is as it was asked for: raw, or the
 * form of the name that matched; with a selection by address, all names.
 */
struct asm_function {
	const char *name;
	const char *const *alias; /* n_alias more names of the same code */
	size_t n_alias;
	const char *object;   /* the file: where it was found, or its name */
	const char *build_id; /* of it; "" is unknown */
	uint64_t start, end;  /* of the function */
	uint64_t base;        /* address in the process - address in the file */
	int64_t flat, cum;    /* a sample counts once */
	struct asm_insn *insn;
	size_t n_insn; /* ascending; with is_cut, not all there are */
	/*
	 * Why there is no code; else NULL. Then an insn without text stands
	 * for each address that has samples.
	 */
	const char *missing;
	size_t of; /* a number of its object, the same in all its functions */
};

struct assembly {
	struct arena *arena;           /* holds everything below */
	struct asm_function *function; /* by name, then address */
	size_t n_function;
	/* Of each location of the profile: where it is, or ASM_NONE. */
	struct asm_place {
		uint32_t function, insn;
	} * place;
	bool is_cut; /* of a function above ASM_MAX_CODE bytes, only what
		      * is near samples is here */
};

/* Above this size a function is shown only near its samples. */
#define ASM_MAX_CODE ((uint64_t)1 << 20)

struct assembly_options {
	const struct resolve_options *resolve; /* how files are found */
	bool intel;
	/*
	 * Either functions: those of which wants() accepts a name. It is asked
	 * about the names of the profile and, of a binary that has a match or
	 * unnamed addresses, about the symbols, raw and demangled.
	 */
	bool (*wants)(const char *name, size_t n, void *ctx);
	void *ctx;
	/*
	 * Or the function at an address: of the process, or of the file; with
	 * object not NULL, of the file with this path or last part.
	 */
	bool has_address;
	uint64_t address;
	const char *object;
};

/*
 * The instructions of the report's profile that o asks for. *out is the
 * caller's, for assembly_free(); it refers to nothing. Files that cannot be
 * read are reported by o->resolve->warn, and in asm_function.missing.
 * PROF_ENOTSUP (this build lacks elfutils or capstone), PROF_ENOMEM.
 */
enum prof_status assembly_new(struct report *r,
			      const struct assembly_options *o,
			      struct assembly **out,
			      struct prof_err *err) MUST_USE;

/* NULL is allowed. */
void assembly_free(struct assembly *a);

#endif
