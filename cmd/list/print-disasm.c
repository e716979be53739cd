/* print-disasm.c - instructions as text and as JSON, see print.h. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "code/assembly.h"
#include "lib/base/escape.h"
#include "lib/report/frames.h"
#include "lib/report/report.h"
#include "lib/report/text-data.h"
#include "lib/report/text-print.h"
#include "print.h"

#define TEXT_WIDTH 40
#define INDENT 74 /* columns before a location that has a line of its own */

static void
put_name(FILE *out, const char *name)
{
	text_put(out, name, strlen(name));
}

/* --- text --- */

/* Of an instruction, the frame that its location is; NULL: unknown. */
static const struct asm_frame *
innermost(const struct asm_insn *insn)
{
	return insn->n_frame ? &insn->frame[0] : NULL;
}

static bool
same_place(const struct asm_frame *a, const struct asm_frame *b)
{
	size_t n, m;
	const char *x, *y;

	if (!a || !b)
		return a == b;
	x = frames_base(a->file, &n);
	y = frames_base(b->file, &m);
	return !strcmp(a->function, b->function) && a->line == b->line &&
	       n == m && !memcmp(x, y, n);
}

static void
put_place(FILE *out, const struct asm_frame *f)
{
	const char *base;
	size_t n;

	putc(';', out);
	put_name(out, f->function);
	base = frames_base(f->file, &n);
	if (*f->function && n)
		putc(' ', out);
	text_put(out, base, n);
	if (n && f->line)
		fprintf(out, ":%" PRId64, f->line);
	putc('\n', out);
}

static void
put_insn(FILE *out, const struct report *r, const struct asm_insn *insn,
	 const struct asm_frame *place, struct print_style style)
{
	const char *text = insn->text ? insn->text : "<no code>";
	size_t n = strlen(text);

	if (place && n >= TEXT_WIDTH) {
		fprintf(out, "%*s", INDENT, "");
		put_place(out, place);
		place = NULL;
	}
	print_hot_on(out, style, insn->flat, insn->cum);
	print_values(out, r, insn->flat, insn->cum);
	fprintf(out, "%10" PRIx64 ": ", insn->address);
	put_name(out, text);
	print_hot_off(out, style, insn->flat, insn->cum);
	if (place) {
		fprintf(out, "%*s", (int)(TEXT_WIDTH - n), "");
		put_place(out, place);
	} else {
		putc('\n', out);
	}
}

static void
put_function(FILE *out, const struct report *r, const struct asm_function *f,
	     struct print_style style)
{
	const struct asm_frame *last = NULL;

	fputs("ROUTINE ======================== ", out);
	put_name(out, f->name);
	putc('\n', out);
	for (size_t i = 0; i < f->n_alias; i++) {
		fputs("    AKA ======================== ", out);
		put_name(out, f->alias[i]);
		putc('\n', out);
	}
	print_sums(out, r, f->flat, f->cum);
	if (f->missing) {
		fputs(" Error: ", out);
		put_name(out, f->object);
		fputs(*f->object ? ": " : "", out);
		put_name(out, f->missing);
		putc('\n', out);
	}
	for (size_t i = 0; i < f->n_insn; i++) {
		const struct asm_frame *place = innermost(&f->insn[i]);

		put_insn(out, r, &f->insn[i],
			 same_place(place, last) ? NULL : place, style);
		last = place;
	}
}

void
print_assembly(FILE *out, const struct report *r, const struct assembly *a,
	       struct print_style style)
{
	print_total(out, r);
	for (size_t i = 0; i < a->n_function; i++)
		put_function(out, r, &a->function[i], style);
}

/* --- JSON --- */

static void
json_text(FILE *out, const char *name, const char *s)
{
	fprintf(out, "\"%s\": ", name);
	json_put(out, s, strlen(s));
}

static void
json_frames(FILE *out, const struct asm_insn *insn)
{
	fputs(", \"frames\": [", out);
	for (size_t i = 0; i < insn->n_frame; i++) {
		const struct asm_frame *f = &insn->frame[i];

		fputs(i ? ", {" : "{", out);
		json_text(out, "function", f->function);
		if (*f->file) {
			fputs(", ", out);
			json_text(out, "file", f->file);
		}
		if (f->line)
			fprintf(out, ", \"line\": %" PRId64, f->line);
		putc('}', out);
	}
	putc(']', out);
}

static void
json_insn(FILE *out, const struct asm_insn *insn)
{
	/* Addresses as text: many readers keep numbers as doubles. */
	fprintf(out,
		"{\"address\": \"0x%" PRIx64 "\", \"flat\": %" PRId64
		", \"cum\": %" PRId64,
		insn->address, insn->flat, insn->cum);
	if (insn->text) {
		fprintf(out, ", \"size\": %" PRIu32 ", ", insn->size);
		json_text(out, "text", insn->text);
	}
	if (insn->has_target)
		fprintf(out, ", \"target\": \"0x%" PRIx64 "\"", insn->target);
	if (insn->n_frame)
		json_frames(out, insn);
	putc('}', out);
}

static void
json_function(FILE *out, const struct asm_function *f)
{
	fputs("  {", out);
	json_text(out, "function", f->name);
	if (f->n_alias) {
		fputs(", \"aliases\": [", out);
		for (size_t i = 0; i < f->n_alias; i++) {
			fputs(i ? ", " : "", out);
			json_put(out, f->alias[i], strlen(f->alias[i]));
		}
		putc(']', out);
	}
	fputs(", ", out);
	json_text(out, "object", f->object);
	if (f->missing) {
		fputs(", ", out);
		json_text(out, "error", f->missing);
	}
	fprintf(out,
		", \"address\": \"0x%" PRIx64 "\", \"flat\": %" PRId64
		", \"cum\": %" PRId64 ",\n   \"instructions\": [",
		f->start, f->flat, f->cum);
	for (size_t i = 0; i < f->n_insn; i++) {
		fputs(i ? ",\n    " : "\n    ", out);
		json_insn(out, &f->insn[i]);
	}
	fputs("]}", out);
}

void
json_assembly(FILE *out, const struct report *r, const struct assembly *a)
{
	data_json_head(out, r, "profpipe.list/1");
	fprintf(out, "\"total\": %" PRId64 ",\n ", r->total);
	data_json_filters(out, r);
	fputs(",\n \"functions\": [", out);
	for (size_t i = 0; i < a->n_function; i++) {
		fputs(i ? ",\n" : "\n", out);
		json_function(out, &a->function[i]);
	}
	fputs("]}\n", out);
}
