/*
 * foreign.c - any bytes into the readers of other tools' formats; accepted
 * profiles are written in all formats. The first byte selects options.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "import/formats.h"
#include "lib/formats/exchange/callgrind.h"
#include "lib/formats/exchange/cpuprofile.h"
#include "lib/formats/exchange/firefox.h"
#include "lib/formats/exchange/folded.h"
#include "lib/formats/exchange/otlp.h"
#include "lib/formats/exchange/speedscope.h"
#include "tests/fuzz/identity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static enum prof_status
read_any(const uint8_t *data, size_t n, unsigned flags, struct profile **p,
	 struct prof_err *err)
{
	const struct import_options o = {
		.max_size = (size_t)1 << 30,
		.folded = {
			.scale = flags & 1 ? 1000 : 0,
			.skip_bad = flags & 2,
			.is_diff = flags & 4,
			.split_places = flags & 8,
			.root = flags & 16 ? "process" : NULL,
		},
		.otlp = { flags & 1, flags & 2 },
		.speedscope = { flags & 1 ? 1000 : 0 },
		.idle = flags & 1,
	};
	enum foreign_kind kind = foreign_sniff(data, n);

	return kind == FOREIGN_NONE || kind == FOREIGN_PERF
		       ? PROF_EFORMAT /* fuzz/perf.c has perf.data */
		       : import_parse(kind, data, n, &o, p, err);
}

static void
write_all_formats(const struct profile *p, unsigned flags)
{
	const struct folded_style folded = {
		.annotate = flags & 1,
		.is_diff = flags & 4,
		.is_sorted = true,
		.has_headers = flags & 2,
		.root = flags & 16 ? "process" : NULL,
	};
	const struct speedscope_style speedscope = {
		.version = "0",
		.split_by = flags & 16 ? "process" : NULL,
		.by_value = flags & 1,
	};
	struct prof_err err;
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	enum prof_status st;

	if (!f)
		return;
	st = folded_write(f, p, p->n_type - 1, &folded, &err);
	if (st == PROF_OK)
		st = speedscope_write(f, p, &speedscope, &err);
	if (st == PROF_OK)
		st = callgrind_write(f, p, &err);
	if (st == PROF_OK)
		st = cpuprofile_write(f, p, 0, &err);
	if (st == PROF_OK)
		st = otlp_json_write(f, p, 0, "0", &err);
	if (firefox_write(f, p, 0, "0", &err) != PROF_OK)
		st = PROF_ENOMEM;
	(void)st;
	fclose(f);
	free(text);
}

/* What is written as OTLP is read as the same. */
static void
there_and_back(const struct profile *p, unsigned flags)
{
	struct buf b = { 0 };
	struct otlp_losses losses = { 0 };
	struct profile *back;
	struct prof_err err;

	if (otlp_write(p, p->n_type - 1, "0", &b, &err) == PROF_OK &&
	    otlp_parse(b.data, b.n,
		       &(struct otlp_options){ flags & 1, flags & 2 }, &back,
		       &losses, &err) == PROF_OK) {
		if (back->n_type != p->n_type || back->n_sample < p->n_sample ||
		    back->period != p->period || back->time_ns != p->time_ns ||
		    back->duration_ns != p->duration_ns)
			abort();
		fuzz_identity(back);
	} else if (err.status != PROF_ENOMEM && err.status != PROF_ELIMIT) {
		abort();
	}
	buf_release(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct profile *p;
	struct prof_err err;

	if (n < 2 || read_any(data + 1, n - 1, data[0], &p, &err) != PROF_OK)
		return 0;
	if (p->n_type) {
		write_all_formats(p, data[0]);
		there_and_back(p, data[0]);
	}
	fuzz_identity(p);
	return 0;
}
