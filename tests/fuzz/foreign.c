/*
 * foreign.c - any bytes into the readers of other tools' formats; accepted
 * profiles are written in all formats. The first byte selects options.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "import/json-in.h"
#include "lib/formats/exchange/callgrind.h"
#include "lib/formats/exchange/cpuprofile.h"
#include "lib/formats/exchange/firefox.h"
#include "lib/formats/exchange/folded.h"
#include "lib/formats/exchange/foreign.h"
#include "lib/formats/exchange/otlp.h"
#include "lib/formats/exchange/script.h"
#include "lib/formats/exchange/speedscope.h"
#include "tests/fuzz/identity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static enum prof_status
read_any(const uint8_t *data, size_t n, unsigned flags, struct profile **p,
	 struct prof_err *err)
{
	const struct folded_options folded = {
		.scale = flags & 1 ? 1000 : 0,
		.skip_bad = flags & 2,
		.is_diff = flags & 4,
		.split_places = flags & 8,
		.root = flags & 16 ? "process" : NULL,
	};
	struct folded_notes folded_notes;
	struct script_notes script_notes;
	struct otlp_notes otlp_notes;
	size_t n_overlap;

	struct buf message = { 0 };
	enum prof_status st;

	switch (foreign_sniff(data, n)) {
	case FOREIGN_SCRIPT:
		return script_parse(data, n, p, &script_notes, err);
	case FOREIGN_FOLDED:
		return folded_parse(data, n, &folded, p, &folded_notes, err);
	case FOREIGN_OTLP:
		return otlp_parse(
			data, n, &(struct otlp_options){ flags & 1, flags & 2 },
			p, &otlp_notes, err);
	case FOREIGN_OTLP_JSON:
		st = otlp_json_convert(data, n, &message, err);
		if (st == PROF_OK)
			st = otlp_parse(
				message.data, message.n,
				&(struct otlp_options){ flags & 1, flags & 2 },
				p, &otlp_notes, err);
		buf_release(&message);
		return st;
	case FOREIGN_SPEEDSCOPE:
		return speedscope_parse(
			data, n, &(struct speedscope_options){ folded.scale },
			p, err);
	case FOREIGN_CPUPROFILE:
		return cpuprofile_parse(data, n, flags & 1, p, err);
	case FOREIGN_HEAPPROFILE:
		return heapprofile_parse(data, n, p, err);
	case FOREIGN_CHROME_TRACE:
		return chrome_trace_parse(data, n, flags & 1, p, &n_overlap,
					  err);
	default:
		return PROF_EFORMAT;
	}
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
		st = callgrind_write(f, p, "0", &err);
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
	struct otlp_notes notes;
	struct profile *back;
	struct prof_err err;

	if (otlp_write(p, p->n_type - 1, "0", &b, &err) == PROF_OK &&
	    otlp_parse(b.data, b.n,
		       &(struct otlp_options){ flags & 1, flags & 2 }, &back,
		       &notes, &err) == PROF_OK) {
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
