/*
 * sections.h - source lines with the instructions that they became, as data: a
 * source page. weblist.c prints it; prof-html embeds the same.
 *
 * A section is a run of lines of one file whose instructions belong to one
 * function. An instruction is filed under each function of its inlined chain
 * that is asked for, so the cost of inlined code is flat on its caller's line,
 * too. The rules are pprof's, but that a sample counts once for each line and
 * section.
 */
#ifndef SECTIONS_H
#define SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/assembly.h"
#include "lib/base/status.h"

struct arena;
struct report;
struct str;

/* An instruction at a line: the frames below `level` were inlined there. */
struct section_step {
	const struct asm_function *of; /* that insn is in */
	const struct asm_insn *insn; /* without text: only samples are known */
	size_t level;                /* the frame of insn that has this line */
};

struct section_line {
	int64_t line; /* 0: unknown */
	int64_t flat, cum;
	size_t step, n_step; /* sections.step[step]...: by address */
};

struct section {
	const char *function; /* as the profile calls it, if it does */
	const char *file;     /* cleaned, but not trimmed; "" is unknown */
	const char
		*build_id; /* of the binary, for its sources; "" is unknown */
	int64_t flat, cum;
	int64_t begin, end; /* the lines to show, with margins; end exclusive */
	size_t line, n_line; /* sections.line[line]...: those with steps */
};

struct sections {
	struct arena *arena; /* holds what is below but the instructions */
	struct assembly *assembly;
	struct section *section; /* by file, then line */
	size_t n_section;
	struct section_line *line;
	struct section_step *step;
};

struct sections_options {
	/*
	 * Asked about the names, system names and files of frames, and about
	 * the binary of the innermost; pprof's choice.
	 */
	bool (*wants)(const char *text, size_t n, void *ctx);
	void *ctx;
	bool has_address; /* the functions at this address as well */
	uint64_t address;
	struct assembly_options code; /* resolve, intel and max_ranges */
};

/*
 * The source page of what o asks for. *out is the caller's, for
 * sections_free(). Errors as assembly_new().
 */
enum prof_status sections_new(struct report *r,
			      const struct sections_options *o,
			      struct sections **out,
			      struct prof_err *err) MUST_USE;

/* NULL is allowed. */
void sections_free(struct sections *s);

#endif
