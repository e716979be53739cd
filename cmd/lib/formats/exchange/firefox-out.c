/* firefox-out.c - see firefox.h. */
#include "config.h"

#include "firefox.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/escape.h"
#include "lib/base/hashtab.h"
#include "lib/model/profile.h"
#include "named.h"

/* The samples of a thread of a process. */
struct group {
	uint32_t process, thread; /* values of these labels; 0: none */
	uint32_t pid;             /* counted from 0 */
	uint32_t first, last;     /* samples; see next */
};

struct writer {
	FILE *out;
	const struct profile *p;
	struct named *names;
	struct tree tree;
	uint32_t *lib;    /* of each string: 1 + number, if an object */
	uint32_t *object; /* of each library: its string */
	uint32_t n_lib;
	uint32_t *function; /* of each frame: the number of its function */
	uint32_t *first;    /* of each function: a frame of it */
	uint32_t n_function;
	struct group *group;
	size_t n_group, cap_group;
	uint32_t
		*next; /* of each sample: the next of its group, or PROF_NONE */
	uint32_t n_process;
	size_t n_thread;
};

/* "NAME":[...] of n numbers, which fn gives; INT64_MIN is null. */
static void
put_column(struct writer *w, const char *name, size_t n,
	   int64_t (*fn)(const struct writer *, size_t))
{
	fprintf(w->out, "\"%s\":[", name);
	for (size_t i = 0; i < n; i++) {
		int64_t v = fn(w, i);

		if (i)
			putc(',', w->out);
		if (v == INT64_MIN)
			fputs("null", w->out);
		else
			fprintf(w->out, "%" PRId64, v);
	}
	fputs("],\n", w->out);
}

/* "NAME":[...] of the same value n times. */
static void
put_same(struct writer *w, const char *name, size_t n, const char *value)
{
	fprintf(w->out, "\"%s\":[", name);
	for (size_t i = 0; i < n; i++)
		fprintf(w->out, i ? ",%s" : "%s", value);
	fputs("],\n", w->out);
}

static const struct named_frame *
frame(const struct writer *w, size_t i)
{
	return &w->names->frame[i];
}

static const struct named_frame *
function(const struct writer *w, size_t i)
{
	return &w->names->frame[w->first[i]];
}

static int64_t
itself(const struct writer *w, size_t i)
{
	(void)w;
	return (int64_t)i;
}

static int64_t
frame_function(const struct writer *w, size_t i)
{
	return w->function[i];
}

static int64_t
stack_frame(const struct writer *w, size_t i)
{
	return w->tree.frame[i];
}

static int64_t
stack_prefix(const struct writer *w, size_t i)
{
	return w->tree.parent[i] == TREE_NONE
		       ? 0
		       : (int64_t)i - (int64_t)w->tree.parent[i];
}

static int64_t
category(const struct writer *w, size_t i)
{
	return frame(w, i)->kind == NAMED_KERNEL ? 2
	       : frame(w, i)->kind == NAMED_JIT  ? 3
						 : 1;
}

static int64_t
line(const struct writer *w, size_t i)
{
	return frame(w, i)->line > 0 ? frame(w, i)->line : INT64_MIN;
}

static int64_t
start_line(const struct writer *w, size_t i)
{
	return function(w, i)->start_line > 0 ? function(w, i)->start_line
					      : INT64_MIN;
}

static int64_t
inline_depth(const struct writer *w, size_t i)
{
	return frame(w, i)->is_inlined;
}

static int64_t
name(const struct writer *w, size_t i)
{
	return function(w, i)->name;
}

/* Sources are the strings: string 0 is none. */
static int64_t
source(const struct writer *w, size_t i)
{
	return function(w, i)->file ? function(w, i)->file : INT64_MIN;
}

static int64_t
resource(const struct writer *w, size_t i)
{
	return (int64_t)w->lib[function(w, i)->object] - 1;
}

static int64_t
lib_name(const struct writer *w, size_t i)
{
	return w->object[i];
}

/* --- the parts --- */

/* The first 16 bytes of a build-id, turned as Breakpad does it, and a 0. */
static void
put_breakpad(FILE *out, const char *id)
{
	static const uint8_t order[] = { 3, 2, 1,  0,  5,  4,  7,  6,
					 8, 9, 10, 11, 12, 13, 14, 15 };
	size_t n = strlen(id) / 2;

	fputs(",\"breakpadId\":\"", out);
	for (size_t i = 0; n && i < 16; i++)
		for (size_t k = 0; k < 2; k++) {
			char c = order[i] < n ? id[2 * order[i] + k] : '0';

			putc(c >= 'a' && c <= 'f' ? c - 'a' + 'A' : c, out);
		}
	fputs(n ? "0\"" : "\"", out);
}

static const char *
build_id_of(const struct profile *p, const struct str *file)
{
	for (size_t i = 0; i < p->n_mapping; i++) {
		const struct str *s = &p->strings.str[p->mapping[i].file];

		if (s->len == file->len && !memcmp(s->s, file->s, s->len) &&
		    strspn(profile_str(p, p->mapping[i].build_id),
			   "0123456789abcdef") ==
			    strlen(profile_str(p, p->mapping[i].build_id)))
			return profile_str(p, p->mapping[i].build_id);
	}
	return "";
}

static void
put_libs(struct writer *w)
{
	fputs("\"libs\":[", w->out);
	for (uint32_t i = 0; i < w->n_lib; i++) {
		const struct str *path = named_str(w->names, w->object[i]);
		const char *slash = memrchr(path->s, '/', path->len);
		const char *base = slash ? slash + 1 : path->s;
		size_t n = path->len - (size_t)(base - path->s);
		const char *id = build_id_of(w->p, path);

		fputs(i ? ",\n{\"arch\":\"\",\"name\":"
			: "\n{\"arch\":\"\",\"name\":",
		      w->out);
		json_put(w->out, base, n);
		fputs(",\"debugName\":", w->out);
		json_put(w->out, base, n);
		fputs(",\"path\":", w->out);
		json_put_str(w->out, path);
		fputs(",\"debugPath\":", w->out);
		json_put_str(w->out, path);
		put_breakpad(w->out, id);
		fprintf(w->out, ",\"codeId\":\"%s\"}", id);
	}
	fputs("],\n", w->out);
}

static void
put_meta(struct writer *w, const char *version)
{
	fprintf(w->out,
		"{\"meta\":{\"interval\":1,\"startTime\":%.3f,"
		"\"processType\":0,\"product\":\"profpipe %s (times are not "
		"real)\",\"version\":24,\"preprocessedProfileVersion\":66,"
		"\"symbolicated\":true,\"markerSchema\":[],\"categories\":[",
		(double)w->p->time_ns / 1e6, version);
	fputs("{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":"
	      "[\"Other\"]},"
	      "{\"name\":\"User\",\"color\":\"blue\",\"subcategories\":"
	      "[\"Other\"]},"
	      "{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":"
	      "[\"Other\"]},"
	      "{\"name\":\"JIT\",\"color\":\"yellow\",\"subcategories\":"
	      /* For the way back: the profiler passes over it. */
	      "[\"Other\"]}],\"profpipe\":{\"columns\":[",
	      w->out);
	for (size_t i = 0; i < w->p->n_type; i++) {
		fputs(i ? ",{\"type\":" : "{\"type\":", w->out);
		json_put_str(w->out, &w->p->strings.str[w->p->type[i].type]);
		fputs(",\"unit\":", w->out);
		json_put_str(w->out, &w->p->strings.str[w->p->type[i].unit]);
		putc('}', w->out);
	}
	fputs("]}},\n", w->out);
}

static void
put_length(struct writer *w, size_t n, const char *end)
{
	fprintf(w->out, "\"length\":%zu%s", n, end);
}

static void
put_frames(struct writer *w)
{
	size_t n = w->names->n_frame;

	fputs("\"frameTable\":{", w->out);
	put_same(w, "address", n, "-1");
	put_column(w, "inlineDepth", n, inline_depth);
	put_column(w, "category", n, category);
	put_same(w, "subcategory", n, "0");
	put_column(w, "func", n, frame_function);
	put_same(w, "nativeSymbol", n, "null");
	put_same(w, "innerWindowID", n, "0");
	put_column(w, "line", n, line);
	put_same(w, "column", n, "null");
	put_same(w, "originalLocation", n, "null");
	put_length(w, n, "},\n\"funcTable\":{");
	n = w->n_function;
	put_column(w, "name", n, name);
	put_same(w, "isJS", n, "false");
	put_same(w, "relevantForJS", n, "false");
	put_column(w, "resource", n, resource);
	put_column(w, "source", n, source);
	put_column(w, "lineNumber", n, start_line);
	put_same(w, "columnNumber", n, "null");
	put_same(w, "originalLocation", n, "null");
	put_length(w, n, "},\n");
}

static void
put_shared(struct writer *w)
{
	const struct strtab *s = &w->names->strings;

	fputs("\"shared\":{\"stringArray\":[", w->out);
	for (size_t i = 0; i < s->n_str; i++) {
		fputs(i ? ",\n" : "", w->out);
		json_put_str(w->out, &s->str[i]);
	}
	fputs("],\n\"stackTable\":{", w->out);
	put_column(w, "frame", w->tree.n, stack_frame);
	put_column(w, "prefixOffset", w->tree.n, stack_prefix);
	put_length(w, w->tree.n, "},\n");
	put_frames(w);
	fputs("\"resourceTable\":{", w->out);
	put_column(w, "lib", w->n_lib, itself);
	put_column(w, "name", w->n_lib, lib_name);
	put_same(w, "host", w->n_lib, "null");
	put_same(w, "type", w->n_lib, "1");
	put_length(w, w->n_lib,
		   "},\n\"nativeSymbols\":{\"libIndex\":[],\"address\":[],"
		   "\"name\":[],\"functionSize\":[],\"length\":0},\n"
		   "\"sources\":{");
	put_same(w, "id", s->n_str, "null");
	put_column(w, "filename", s->n_str, itself);
	put_same(w, "startLine", s->n_str, "1");
	put_same(w, "startColumn", s->n_str, "1");
	put_same(w, "sourceMapURL", s->n_str, "null");
	put_same(w, "content", s->n_str, "null");
	put_length(w, s->n_str, "}},\n");
}

/* --- threads --- */

static bool
is_same_group(const void *ctx, uint32_t i, const void *key)
{
	const struct writer *w = ctx;
	const struct group *a = &w->group[i], *b = key;

	return a->process == b->process && a->thread == b->thread;
}

/* Each sample goes into the group of its labels, which are in their order. */
static bool
group_samples(struct writer *w, struct hashtab *t, uint32_t *pid)
{
	const struct profile *p = w->p;
	uint32_t process = strtab_find(&p->strings, "process", 7);
	uint32_t thread = strtab_find(&p->strings, "thread", 6);

	for (uint32_t i = 0; i < p->n_sample; i++) {
		const struct label *l = profile_label(p, &p->sample[i]);
		struct group g = { .first = i, .last = i };
		uint32_t at;

		for (uint32_t k = 0; k < p->sample[i].n_label; k++)
			if (l[k].key == process && l[k].str)
				g.process = l[k].str;
			else if (l[k].key == thread && l[k].str)
				g.thread = l[k].str;
		at = hashtab_intern(t, (uint64_t)g.process << 32 | g.thread,
				    is_same_group, w, &g, w->n_group);
		if (at == HASHTAB_NONE ||
		    array_reserve(&w->group, &w->cap_group, w->n_group + 1,
				  sizeof(*w->group)) < 0)
			return false;
		w->next[i] = PROF_NONE;
		if (at < w->n_group) {
			w->next[w->group[at].last] = i;
			w->group[at].last = i;
			continue;
		}
		if (!pid[g.process])
			pid[g.process] = ++w->n_process;
		g.pid = pid[g.process] - 1;
		w->group[w->n_group++] = g;
	}
	return true;
}

static bool
find_groups(struct writer *w)
{
	uint32_t *pid = calloc(w->p->strings.n_str, sizeof(*pid));
	struct hashtab t = { 0 };
	bool ok;

	w->next = calloc(w->p->n_sample + 1, sizeof(*w->next));
	ok = pid && w->next && group_samples(w, &t, pid);
	hashtab_release(&t);
	free(pid);
	return ok;
}

/* The next sample from i on of a group that has a value in a column. */
static uint32_t
next_in(const struct writer *w, uint32_t i, size_t column)
{
	while (i != PROF_NONE && !profile_value(w->p, i)[column])
		i = w->next[i];
	return i;
}

/* Times in ms, as doubles; all else as it is. */
static void
put_weight(FILE *out, int64_t v, double ms)
{
	if (ms != 0)
		fprintf(out, "%.17g", (double)v * ms);
	else
		fprintf(out, "%" PRId64, v);
}

static double
milliseconds(const char *unit)
{
	return !strcmp(unit, "nanoseconds")    ? 1e-6
	       : !strcmp(unit, "microseconds") ? 1e-3
	       : !strcmp(unit, "milliseconds") ? 1
	       : !strcmp(unit, "seconds")      ? 1e3
					       : 0;
}

static void
put_samples(struct writer *w, size_t column, const struct group *g)
{
	const char *unit = profile_str(w->p, w->p->type[column].unit);
	double ms = milliseconds(unit);
	uint32_t i, first = next_in(w, g->first, column);
	size_t n = 0;

	fputs("\"samples\":{\"stack\":[", w->out);
	for (i = first; i != PROF_NONE; i = next_in(w, w->next[i], column)) {
		fputs(n++ ? "," : "", w->out);
		if (w->tree.leaf[i] == TREE_NONE)
			fputs("null", w->out);
		else
			fprintf(w->out, "%" PRIu32, w->tree.leaf[i]);
	}
	fputs("],\n\"time\":[", w->out);
	for (size_t k = 0; k < n; k++)
		fprintf(w->out, k ? ",%zu" : "%zu", k);
	fputs("],\n\"weight\":[", w->out);
	for (i = first; i != PROF_NONE; i = next_in(w, w->next[i], column)) {
		fputs(i != first ? "," : "", w->out);
		put_weight(w->out, profile_value(w->p, i)[column], ms);
	}
	fprintf(w->out, "],\"weightType\":\"%s\",\"length\":%zu},\n",
		ms != 0                  ? "tracing-ms"
		: !strcmp(unit, "bytes") ? "bytes"
					 : "samples",
		n);
}

/* A name in quotes, and of which column if there are several. */
static void
put_process(struct writer *w, uint32_t process, const struct str *type)
{
	const struct str *s = &w->p->strings.str[process];

	putc('"', w->out);
	escape_put(w->out, ESCAPE_JSON, s->s, s->len);
	if (s->len && w->p->n_type > 1)
		fputs(" / ", w->out);
	if (!s->len || w->p->n_type > 1)
		escape_put(w->out, ESCAPE_JSON, type->s, type->len);
	putc('"', w->out);
}

/* For the way back, as above. */
static void
put_ours(struct writer *w, size_t column, const struct group *g)
{
	fprintf(w->out, "\"profpipe\":{\"column\":%zu", column);
	if (g->process) {
		fputs(",\"process\":", w->out);
		json_put_str(w->out, &w->p->strings.str[g->process]);
	}
	if (g->thread) {
		fputs(",\"thread\":", w->out);
		json_put_str(w->out, &w->p->strings.str[g->thread]);
	}
	fputs("},\n", w->out);
}

static void
put_thread(struct writer *w, size_t column, const struct group *g)
{
	const struct str *type = &w->p->strings.str[w->p->type[column].type];
	uint32_t name = g->thread ? g->thread : g->process;

	fputs(w->n_thread ? ",\n" : "", w->out);
	fputs("{\"processType\":\"default\",\"processStartupTime\":0,"
	      "\"processShutdownTime\":null,\"registerTime\":0,"
	      "\"unregisterTime\":null,\"pausedRanges\":[],\"name\":",
	      w->out);
	json_put_str(w->out, name ? &w->p->strings.str[name] : type);
	fprintf(w->out,
		",\"isMainThread\":%s,\"pid\":\"%zu\",\"tid\":%zu,"
		"\"processName\":",
		w->n_thread ? "false" : "true", column * w->n_process + g->pid,
		w->n_thread);
	put_process(w, g->process, type);
	fputs(",\n", w->out);
	put_ours(w, column, g);
	put_samples(w, column, g);
	fputs("\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],"
	      "\"endTime\":[],\"phase\":[],\"category\":[],\"length\":0}}",
	      w->out);
	w->n_thread++;
}

static void
put_threads_of(struct writer *w, size_t column)
{
	static const struct group none = { .first = PROF_NONE };

	for (size_t i = 0; i < w->n_group; i++)
		put_thread(w, column, &w->group[i]);
	if (!w->n_group)
		put_thread(w, column, &none);
}

/* An entry for each function: viewers tell functions apart by it. */
static bool
number_functions(struct writer *w)
{
	size_t n = w->names->n_frame;

	w->function = named_functions(w->names);
	w->first = calloc(n + 1, sizeof(*w->first));
	if (!w->function || !w->first)
		return false;
	for (size_t i = 0; i < n; i++)
		if (w->function[i] == i) {
			w->first[w->n_function] = (uint32_t)i;
			w->function[i] = w->n_function++;
		} else {
			w->function[i] = w->function[w->function[i]];
		}
	return true;
}

static bool
prepare(struct writer *w)
{
	w->lib = calloc(w->names->strings.n_str, sizeof(*w->lib));
	w->object = calloc(w->names->strings.n_str, sizeof(*w->object));
	if (!w->lib || !w->object || !number_functions(w) || !find_groups(w))
		return false;
	for (size_t i = 0; i < w->names->n_frame; i++) {
		uint32_t s = w->names->frame[i].object;

		if (s && !w->lib[s]) {
			w->object[w->n_lib] = s;
			w->lib[s] = ++w->n_lib;
		}
	}
	return true;
}

static void
put_all(struct writer *w, size_t column, const char *version)
{
	put_meta(w, version);
	put_libs(w);
	put_shared(w);
	fputs("\"threads\":[", w->out);
	put_threads_of(w, column);
	for (size_t c = 0; c < w->p->n_type; c++)
		if (c != column)
			put_threads_of(w, c);
	fputs("]}\n", w->out);
}

enum prof_status
firefox_write(FILE *out, const struct profile *p, size_t column,
	      const char *version, struct prof_err *err)
{
	struct writer w = { .out = out, .p = p };
	enum prof_status st =
		named_new(p, NAMED_LINES | NAMED_OBJECTS, &w.names, err);

	if (st == PROF_OK)
		st = tree_init(&w.tree, w.names, err);
	if (st == PROF_OK && !prepare(&w))
		st = prof_nomem(err);
	if (st == PROF_OK)
		put_all(&w, column, version);
	tree_release(&w.tree);
	named_free(w.names);
	free(w.lib);
	free(w.object);
	free(w.group);
	free(w.next);
	free(w.function);
	free(w.first);
	return st;
}
