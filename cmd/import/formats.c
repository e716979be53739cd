/* import/formats.c - see formats.h. */
#include "config.h"

#include "formats.h"

#include "lib/formats/exchange/script.h"
#include "perf.h"

typedef enum prof_status read_fn(const void *data, size_t n,
				 const struct import_options *o,
				 struct profile **out, struct prof_err *err);

static enum prof_status
read_perf(const void *data, size_t n, const struct import_options *o,
	  struct profile **out, struct prof_err *err)
{
	return import_perf_bytes(data, n, &o->perf, out, err);
}

static enum prof_status
read_otlp(const void *data, size_t n, const struct import_options *o,
	  struct profile **out, struct prof_err *err)
{
	return otlp_parse(data, n, &o->otlp, out, err);
}

static enum prof_status
read_script(const void *data, size_t n, const struct import_options *o,
	    struct profile **out, struct prof_err *err)
{
	(void)o;
	return script_parse(data, n, out, err);
}

static enum prof_status
read_folded(const void *data, size_t n, const struct import_options *o,
	    struct profile **out, struct prof_err *err)
{
	return folded_parse(data, n, &o->folded, out, err);
}

#if HAVE_JANSSON
static enum prof_status
read_speedscope(const void *data, size_t n, const struct import_options *o,
		struct profile **out, struct prof_err *err)
{
	return speedscope_parse(data, n, &o->speedscope, out, err);
}

static enum prof_status
read_chrome_trace(const void *data, size_t n, const struct import_options *o,
		  struct profile **out, struct prof_err *err)
{
	return chrome_trace_parse(data, n, o->idle, out, err);
}

static enum prof_status
read_heapprofile(const void *data, size_t n, const struct import_options *o,
		 struct profile **out, struct prof_err *err)
{
	(void)o;
	return heapprofile_parse(data, n, out, err);
}

static enum prof_status
read_cpuprofile(const void *data, size_t n, const struct import_options *o,
		struct profile **out, struct prof_err *err)
{
	return cpuprofile_parse(data, n, o->idle, out, err);
}

static enum prof_status
read_otlp_json(const void *data, size_t n, const struct import_options *o,
	       struct profile **out, struct prof_err *err)
{
	struct buf message = { 0 };
	enum prof_status st = otlp_json_convert(data, n, &message, err);

	if (st == PROF_OK)
		st = otlp_parse(message.data, message.n, &o->otlp, out, err);
	buf_release(&message);
	return st;
}
#endif

static read_fn *const readers[FOREIGN_KINDS] = {
	[FOREIGN_PERF] = read_perf,
	[FOREIGN_OTLP] = read_otlp,
#if HAVE_JANSSON
	[FOREIGN_SPEEDSCOPE] = read_speedscope,
	[FOREIGN_CHROME_TRACE] = read_chrome_trace,
	[FOREIGN_HEAPPROFILE] = read_heapprofile,
	[FOREIGN_CPUPROFILE] = read_cpuprofile,
	[FOREIGN_OTLP_JSON] = read_otlp_json,
#endif
	[FOREIGN_SCRIPT] = read_script,
	[FOREIGN_FOLDED] = read_folded,
};

/* Values of JSON in memory take 9 to 14 times as much as their text (measured).
 */
#define JSON_TIMES 16

enum prof_status
import_parse(enum foreign_kind kind, const void *data, size_t n,
	     const struct import_options *o, struct profile **out,
	     struct prof_err *err)
{
	*out = NULL;
	if (!readers[kind])
		return prof_fail(err, PROF_ENOTSUP,
				 "JSON: this build has no jansson to read it");
	if (foreign_is_json(kind) && n > o->max_size / JSON_TIMES)
		return prof_fail(err, PROF_ELIMIT,
				 "%zu bytes of JSON take up to %d times as "
				 "much memory, more than the limit; "
				 "--max-size=%zuG raises it",
				 n, JSON_TIMES,
				 n / (((size_t)1 << 30) / JSON_TIMES) + 1);
	return readers[kind](data, n, o, out, err);
}
