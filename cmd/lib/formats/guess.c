/* guess.c - see guess.h. */
#include "config.h"

#include "guess.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define UNPACK "; unpack it first"
#define SOURCE "; give the profile that it was made of"
#define CPROFILE                                                               \
	"a file of Python's cProfile; py-spy record --format raw writes "      \
	"stacks, for prof-import"

#define COVERAGE "coverage of Go, which has no stacks; see go tool cover"

#define ASSIGNED                                                               \
	"JavaScript, perhaps a profile in a variable; prof-import reads its "  \
	"JSON, from the first { to the last }"

#define CALLGRIND                                                              \
	"callgrind's or cachegrind's file, which has no stacks; use "          \
	"callgrind_annotate or KCachegrind"

#define PAGE                                                                   \
	"a web page, as of a login or an error; a profile's address ends in "  \
	"/debug/pprof/NAME or /pprof/NAME"

#define REPORT "the text of perf report; give perf.data to prof-import"

#define GHC                                                                    \
	"a report of GHC's profiler; ghc-prof-flamegraph makes folded stacks " \
	"of that of +RTS -p, for prof-import"

#define COLLAPSE(script)                                                       \
	"; FlameGraph's stackcollapse" script " makes folded stacks of it"

/* First bytes. Those that may begin a profile, too, are not certain. */
static const struct {
	const char *bytes;
	uint8_t n;
	bool is_certain;
	const char *what;
} magic[] = {
#define MAGIC(bytes, is_certain, what)                                         \
	{                                                                      \
		bytes, sizeof(bytes) - 1, is_certain, what                     \
	}
	MAGIC("PERFILE2", true, "perf.data; use prof-import"),
	MAGIC("2ELIFREP", true, "perf.data; use prof-import"),
	MAGIC("PERFFILE", true,
	      "perf.data of version 1; record it again with a perf from after "
	      "2010"),
	MAGIC("SIMPLEPERF", true,
	      "simpleperf's own trace; give its perf.data instead"),
	MAGIC("# callgrind format", true, CALLGRIND),
	MAGIC("version: 1\ncreator: ", true, CALLGRIND),
	MAGIC("\177ELF", true,
	      "an ELF file; prof-symbolize --binary=FILE names functions by "
	      "it, prof-record makes a profile of a program"),
	MAGIC("<!DOCTYPE svg", true, "a picture (SVG)" SOURCE),
	MAGIC("<svg", true, "a picture (SVG)" SOURCE),
	MAGIC("<!DOCTYPE", true, PAGE),
	MAGIC("<!doctype", true, PAGE),
	MAGIC("<html", true, PAGE),
	MAGIC("<HTML", true, PAGE),
	MAGIC("go 1.", true,
	      "an execution trace of Go; see go tool trace -pprof"),
	MAGIC("%PDF-", true, "a PDF document" SOURCE),
	MAGIC("%", true, "a warning where a profile should be"),
	MAGIC("PK\003\004", false, "a zip archive" UNPACK),
	MAGIC("\3757zXZ\0", false, "xz data; use xz -dc"),
	MAGIC("BZh", false, "bzip2 data; use bzip2 -dc"),
	MAGIC("\004\"M\030", false, "lz4 data; use lz4 -dc"),
	MAGIC("7z\274\257\047\034", false, "a 7z archive" UNPACK),
	MAGIC("\037\235", false, "compress(1) data; use gzip -dc"),
	MAGIC("\211PNG", false, "a picture (PNG)" SOURCE),
	MAGIC("SQLite format 3", false, "an SQLite database"),
	MAGIC("\312\376\272\276", false, "a Java class or a Mach-O program"),
	MAGIC("gmon", false, "gmon.out of gprof; record it with prof-record"),
	MAGIC("{(", false, CPROFILE),
	MAGIC("{)", false, CPROFILE),
	MAGIC("\373)", false, CPROFILE),
	MAGIC("\373\251", false, CPROFILE),
	MAGIC("\377\376", false, "text in UTF-16; iconv converts it"),
	MAGIC("\376\377", false, "text in UTF-16; iconv converts it"),
	MAGIC("MOJO", true,
	      "a recording of austin; its mojo2austin makes folded stacks of "
	      "it, for prof-import"),
	MAGIC("num_symbols: ", true,
	      "the answer of a symbol server (/pprof/symbol), which has names "
	      "only; fetch /pprof/profile"),
	MAGIC("goos: ", false,
	      "the text of go test -bench, which has no stacks; go test "
	      "-cpuprofile=FILE writes them"),
	MAGIC("mode: set\n", false, COVERAGE),
	MAGIC("mode: count\n", false, COVERAGE),
	MAGIC("mode: atomic\n", false, COVERAGE),
	MAGIC("var ", false, ASSIGNED),
	MAGIC("const ", false, ASSIGNED),
	MAGIC("window.", false, ASSIGNED),
	MAGIC("Flat profile:", false, "the text of gprof" SOURCE),
	MAGIC("File: ", false, "the text of a report" SOURCE),
	MAGIC("digraph ", false, "a graph in DOT" SOURCE),
	MAGIC("strict digraph ", false, "a graph in DOT" SOURCE),
	MAGIC("#!", false,
	      "a script; prof-record ./script makes a profile of it"),
	MAGIC("JAVA PROFILE 1.", false,
	      "a heap dump of Java, which holds no stacks"),
	MAGIC("Analysis of sampling ", false,
	      "the text of sample(1) of macOS" COLLAPSE("-sample.awk")),
#undef MAGIC
};

/* Words of text, not far from its beginning. */
static const struct {
	const char *word;
	const char *what;
} words[] = {
	{ "<svg ", "a picture (SVG)" SOURCE },
	{ "<?xml ", "an XML document" SOURCE },
	{ "# Overhead ", REPORT },
	{ "please use --header/--header-only", REPORT },
	{ "\n Performance counter stats for ",
	  "the text of perf stat, which has no stacks; perf record -g writes "
	  "them" },
	{ "and Allocation Profiling Report", GHC },
	{ "\"rts_arguments\"", GHC },
	{ "\tSelf Weight\t",
	  "a table of Instruments" COLLAPSE("-instruments.pl") },
	{ "\tSelf (ms)\t",
	  "a table of Instruments" COLLAPSE("-instruments.pl") },
	{ "FUNCTION:NAME\n", "stacks of DTrace" COLLAPSE(".pl") },
	{ "\ntime_unit: ", "massif's output; use prof-record --heap" },
	{ "\"dhatFileVersion\"", "dhat's output; use prof-record --heap" },
	{ "\"node_fields\"", "a heap snapshot of V8, which holds no stacks" },
	{ "\"root_frame\"",
	  "JSON of pyinstrument; its -r speedscope writes what "
	  "prof-import reads" },
	{ "\"gc_samples\"", "JSON of stackprof; its --stackcollapse makes "
			    "folded stacks of a dump, for prof-import" },
	{ "\"alloc_samples\"", "JSON of scalene, which has no stacks; py-spy "
			       "record --format raw writes them" },
	{ "@[\n ", "stacks of bpftrace" COLLAPSE("-bpftrace.pl") },
	{ "# tracer: ", "the text of ftrace; perf record -g writes stacks" },
	{ "v8-version,", "a log of node --prof; node --cpu-prof writes a "
			 ".cpuprofile, for prof-import" },
};

/* Of ELF files, bytes 5 and 16 to 17: the order of bytes, and ET_CORE. */
static bool
is_core(const unsigned char *s, size_t n)
{
	return n > 17 && !memcmp(s, "\177ELF", 4) &&
	       s[s[5] == 1 ? 16 : 17] == 4;
}

static bool
begins(const void *data, size_t n, size_t i)
{
	return n >= magic[i].n && !memcmp(data, magic[i].bytes, magic[i].n);
}

const char *
guess_magic(const void *data, size_t n)
{
	static const char go[] = "goroutine ";

	if (is_core(data, n))
		return "a core dump, which holds one moment; gdb shows its "
		       "stacks, prof-record makes a profile of a program";
	for (size_t i = 0; i < sizeof(magic) / sizeof(magic[0]); i++)
		if (magic[i].is_certain && begins(data, n, i))
			return magic[i].what;
	if (n > sizeof(go) && !memcmp(data, go, sizeof(go) - 1) &&
	    memmem(data, n < 80 ? n : 80, " [", 2))
		return "goroutine stacks as text (debug=2); ask the server for "
		       "debug=0";
	return NULL;
}

bool
guess_binary(const void *data, size_t n)
{
	return memchr(data, '\0', n < 4096 ? n : 4096);
}

/* No control characters but those of lines; UTF-8 is not checked. */
static bool
is_text(const unsigned char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((s[i] < ' ' && !strchr("\t\n\r\f\033", s[i])) ||
		    s[i] == '\0' || s[i] == 127)
			return false;
	return n > 1;
}

/* "libc.so.1`malloc+0x10", indented and alone on its line: DTrace's. */
static bool
has_dtrace_frame(const char *s, size_t n)
{
	const char *tick = memchr(s, '`', n), *end, *at = tick;

	while (at && at > s && !strchr(" \t\n", at[-1]))
		at--;
	if (!tick || at == tick || at == s || at[-1] == '\n')
		return false;
	end = memchr(tick, '\n', n - (size_t)(tick - s));
	return end && memmem(tick, (size_t)(end - tick), "+0x", 3) &&
	       !memchr(tick, ' ', (size_t)(end - tick));
}

/* valgrind's, of callgrind and cachegrind, and Xdebug's. */
static bool
is_callgrind(const char *s, size_t n)
{
	return (!strncmp(s, "events: ", n < 8 ? n : 8) ||
		memmem(s, n, "\nevents: ", 9)) &&
	       (memmem(s, n, "\nfn=", 4) || memmem(s, n, "\nfl=", 4));
}

size_t
guess_sentence(const void *data, size_t n)
{
	const unsigned char *s = data;
	size_t i = 0;

	while (i < n && s[i] >= ' ' && s[i] < 127)
		i++;
	if (i == 0 || i >= 100 || !memchr(s, ' ', i) || strchr("<{[#%", s[0]))
		return 0;
	return n - i == 0 || (n - i == 1 && s[i] == '\n') ? i : 0;
}

static const char *
guess_text(const char *s, size_t n)
{
	size_t i = 0;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (memmem(s, n, words[i].word, strlen(words[i].word)))
			return words[i].what;
	if (is_callgrind(s, n))
		return CALLGRIND;
	if (has_dtrace_frame(s, n))
		return "stacks of DTrace" COLLAPSE(".pl");
	for (i = 0; i < n && strchr(" \t\r\n", s[i]) && s[i]; i++)
		;
	if (i < n && (s[i] == '{' || s[i] == '['))
		return "JSON of some other kind; prof-import reads that of "
		       "speedscope, .cpuprofile, .heapprofile, Chrome's "
		       "traces, the Firefox Profiler and OTLP";
	return "text; prof-import reads folded stacks and that of perf script";
}

const char *
guess_any(const void *data, size_t n)
{
	const char *what = guess_magic(data, n);
	size_t head = n < 4096 ? n : 4096;

	for (size_t i = 0; !what && i < sizeof(magic) / sizeof(magic[0]); i++)
		if (begins(data, n, i))
			what = magic[i].what;
	if (!what && n >= 262 && !memcmp((const char *)data + 257, "ustar", 5))
		what = "a tar archive" UNPACK;
	if (!what && is_text(data, head))
		what = guess_text(data, head);
	return what;
}
