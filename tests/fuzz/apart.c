/*
 * apart.c - any bytes as the answers of a process that reads object files
 * (symbols/elf/apart.h): lines, paths and warnings for a profile, and an
 * assembly. What is taken over must be valid, and an assembly survive a round
 * trip.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "code/assembly-apart.h"
#include "lib/model/profile.h"
#include "symbols/elf/apart.h"
#include "symbols/resolve/answers.h"
#include "symbols/resolve/locate.h"
#include "tests/fuzz/limit.h"

enum { N_LOCATION = 5, N_MAPPING = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

__attribute__((format(printf, 1, 2))) static void
ignore(const char *fmt, ...)
{
	(void)fmt;
}

/* Use every byte of a text, for the sanitizers. */
static size_t
read_text(const char *text)
{
	return text ? strlen(text) : 0;
}

static size_t
read_assembly(const struct assembly *a)
{
	size_t sum = 0;

	for (size_t i = 0; i < a->n_function; i++) {
		const struct asm_function *f = &a->function[i];

		sum += read_text(f->name) + read_text(f->object) +
		       read_text(f->build_id) + read_text(f->missing);
		for (size_t k = 0; k < f->n_alias; k++)
			sum += read_text(f->alias[k]);
		for (size_t k = 0; k < f->n_insn; k++) {
			const struct asm_insn *at = &f->insn[k];

			sum += read_text(at->text);
			for (size_t j = 0; j < at->n_frame; j++)
				sum += read_text(at->frame[j].function) +
				       read_text(at->frame[j].symbol) +
				       read_text(at->frame[j].file);
		}
	}
	return sum;
}

struct both {
	struct assembly_parts parts;
	struct buf all;
};

static void
take_part(void *ctx, const void *part, size_t n)
{
	struct both *both = ctx;

	if (buf_add(&both->all, part, n) < 0 ||
	    !assembly_parts_take(&both->parts, part, n))
		abort();
}

/* The parts of an assembly: of each 2 bytes that say how long it is. */
static void
check_assembly(const uint8_t *data, size_t n)
{
	struct assembly_parts from = { .n_place = N_LOCATION };
	struct both first = { .parts = from }, second = first;
	bool ok = true;

	while (n >= 2 && ok) {
		size_t size = data[0] | (size_t)data[1] << 8;

		size = size < n - 2 ? size : n - 2;
		ok = assembly_parts_take(&from, data + 2, size);
		data += 2 + size;
		n -= 2 + size;
	}
	ok = ok && from.is_whole;
	if (ok &&
	    (read_assembly(from.a) == SIZE_MAX ||
	     assembly_pack(from.a, N_LOCATION, take_part, &first) < 0 ||
	     !first.parts.is_whole ||
	     assembly_pack(first.parts.a, N_LOCATION, take_part, &second) < 0 ||
	     first.all.n != second.all.n ||
	     memcmp(first.all.data, second.all.data, first.all.n)))
		abort();
	if (!ok && getenv("FUZZ_WHOLE"))
		abort();
	buf_release(&first.all);
	buf_release(&second.all);
	assembly_free(first.parts.a);
	assembly_free(second.parts.a);
	assembly_free(from.a);
}

static struct profile *
make_profile(void)
{
	struct profile *p = profile_new();

	if (!p)
		abort();
	for (uint32_t i = 0; i < N_MAPPING; i++) {
		struct mapping m = { .start = i << 16,
				     .limit = (i + 1) << 16,
				     .file = profile_intern(p, "/f") };

		if (profile_add_mapping(p, &m) == PROF_NONE)
			abort();
	}
	for (uint32_t i = 0; i < N_LOCATION; i++) {
		struct location l = { .address = i * 4096,
				      .mapping = i % N_MAPPING };

		if (profile_add_location(p, &l, NULL, 0) == PROF_NONE)
			abort();
	}
	return p;
}

/* Each answer: its kind, its number, and 2 bytes that say how long it is. */
static void
check_answers(const uint8_t *data, size_t n)
{
	struct locate locate = { 0 };
	struct resolve_options o = { .locate = &locate, .warn = ignore };
	struct profile *p = make_profile();
	struct resolve r = { .p = p, .o = &o, .wants.r = &r };
	struct prof_err err;
	size_t size = 0;

	if (hashtab_init(&r.functions) < 0 ||
	    wants_init(&r.wants, p->n_location) < 0)
		abort();
	for (; n >= 4; data += 4 + size, n -= 4 + size) {
		char *copy;
		bool ok;

		size = data[2] | (size_t)data[3] << 8;
		size = size < n - 4 ? size : n - 4;
		copy = malloc(size + 1); /* as if it were read: with an end */
		if (!copy)
			abort();
		memcpy(copy, data + 4, size);
		ok = answers_take(&r, APART_ANSWER + data[0] % 8, data[1], copy,
				  size);
		free(copy);
		if (!ok)
			break;
	}
	if (!r.wants.nomem && profile_check(p, &err) != PROF_OK)
		abort();
	wants_release(&r.wants);
	hashtab_release(&r.functions);
	profile_free(p);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_limit(5);
	check_assembly(data, n);
	check_answers(data, n);
	fuzz_limit(0);
	return 0;
}
