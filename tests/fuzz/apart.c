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

static void
check_assembly(const uint8_t *data, size_t n)
{
	struct assembly *a = assembly_unpack(data, n, N_LOCATION), *again;
	struct buf first = { 0 }, second = { 0 };

	if (!a)
		return;
	if (read_assembly(a) == SIZE_MAX ||
	    assembly_pack(a, N_LOCATION, &first) < 0)
		abort();
	again = assembly_unpack(first.data, first.n, N_LOCATION);
	if (!again || assembly_pack(again, N_LOCATION, &second) < 0 ||
	    first.n != second.n || memcmp(first.data, second.data, first.n))
		abort();
	buf_release(&first);
	buf_release(&second);
	assembly_free(again);
	assembly_free(a);
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
