/* firefox-stacks.c - see firefox-impl.h. */
#include "config.h"

#if HAVE_JANSSON
#include "firefox-impl.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "json-text.h"

#define MAX_DEPTH 65536
#define MAX_INLINED 64 /* of one location; more are another one */

/* --- libraries --- */

enum prof_status
firefox_libs_init(struct firefox_libs *l, const json_t *list,
		  struct prof_err *err)
{
	*l = (struct firefox_libs){ .list = list, .n = json_array_size(list) };
	l->mapping = calloc(l->n + 1, sizeof(*l->mapping));
	if (!l->mapping)
		return prof_nomem(err);
	for (size_t i = 0; i < l->n; i++)
		l->mapping[i] = PROF_NONE;
	return PROF_OK;
}

void
firefox_libs_release(struct firefox_libs *l)
{
	free(l->mapping);
	*l = (struct firefox_libs){ 0 };
}

/* The code id, which on Linux is the build-id, in lower case; "" if unknown. */
static uint32_t
build_id_of(struct byname *b, const json_t *lib)
{
	const char *id = json_text_of(lib, "codeId");
	char text[129];
	size_t n = strlen(id);

	if (n >= sizeof(text) || n % 2 ||
	    strspn(id, "0123456789abcdefABCDEF") != n)
		n = 0;
	for (size_t i = 0; i < n; i++)
		text[i] = (char)tolower((unsigned char)id[i]);
	return byname_string(b, text, n);
}

/*
 * The mapping of library i. Processed addresses are relative to it: each
 * library gets 4 GiB of its own, as these addresses have 32 bits.
 */
static uint32_t
mapping_of(struct firefox_stacks *s, size_t i)
{
	const json_t *lib = json_array_get(s->libs->list, i);
	const char *path = json_text_of(lib, "path");
	struct mapping m = { 0 };

	if (s->libs->mapping[i] != PROF_NONE)
		return s->libs->mapping[i];
	if (!*path)
		path = json_text_of(lib, "name");
	m.file = byname_string(s->b, path, strlen(path));
	m.build_id = build_id_of(s->b, lib);
	if (m.file == STRTAB_NONE || m.build_id == STRTAB_NONE)
		return PROF_NONE;
	if (s->is_raw) {
		m.start =
			(uint64_t)json_text_int(json_object_get(lib, "start"));
		m.limit = (uint64_t)json_text_int(json_object_get(lib, "end"));
		m.offset =
			(uint64_t)json_text_int(json_object_get(lib, "offset"));
		if (m.limit < m.start)
			m.limit = m.start;
	}
	m.has = MAPPING_FUNCTIONS;
	return s->libs->mapping[i] = profile_add_mapping(s->b->p, &m);
}

/* The library that a process has at an address, or FIREFOX_NONE. */
static int64_t
lib_at(const struct firefox_libs *l, uint64_t a)
{
	for (size_t i = 0; i < l->n; i++) {
		const json_t *lib = json_array_get(l->list, i);

		if (a >= (uint64_t)json_text_int(
				 json_object_get(lib, "start")) &&
		    a < (uint64_t)json_text_int(json_object_get(lib, "end")))
			return (int64_t)i;
	}
	return FIREFOX_NONE;
}

/* --- tables --- */

enum prof_status
firefox_stacks_open(struct firefox_stacks *s, const json_t *thread,
		    const json_t *shared)
{
	const json_t *table[5];
	static const char *const names[5] = { "stackTable", "frameTable",
					      "funcTable", "resourceTable",
					      "stringArray" };

	for (size_t i = 0; i < 5; i++) {
		table[i] = json_object_get(thread, names[i]);
		if (!table[i])
			table[i] = json_object_get(shared, names[i]);
	}
	s->strings =
		table[4] ? table[4] : json_object_get(thread, "stringTable");
	s->sources = json_object_get(shared, "sources");
	s->frame = firefox_column(table[0], "frame");
	s->prefix = firefox_column(table[0], "prefix");
	s->offset = firefox_column(table[0], "prefixOffset");
	s->func = firefox_column(table[1], "func");
	s->location = firefox_column(table[1], "location");
	s->address = firefox_column(table[1], "address");
	s->depth = firefox_column(table[1], "inlineDepth");
	s->line = firefox_column(table[1], "line");
	s->column = firefox_column(table[1], "column");
	s->lib = firefox_column(table[1], "lib");
	s->category = firefox_column(table[1], "category");
	s->name = firefox_column(table[2], "name");
	s->resource = firefox_column(table[2], "resource");
	s->source = firefox_column(table[2], "source");
	s->file = firefox_column(table[2], "fileName");
	s->start = firefox_column(table[2], "lineNumber");
	s->resource_lib = firefox_column(table[3], "lib");
	s->n_stack = firefox_rows(table[0], "frame");
	s->n_frame = firefox_rows(table[1], s->is_raw ? "location" : "func");
	s->n_func = firefox_rows(table[2], "name");
	s->n_resource = firefox_rows(table[3], "lib");
	s->group = calloc(s->n_stack + 1, sizeof(*s->group));
	if (!s->group)
		return prof_nomem(s->err);
	for (size_t i = 0; i < s->n_stack; i++)
		s->group[i].location = PROF_NONE;
	return PROF_OK;
}

void
firefox_stacks_release(struct firefox_stacks *s)
{
	free(s->group);
	*s = (struct firefox_stacks){ 0 };
}

/* The string that a cell refers to; NULL: none. */
static const json_t *
string_in(const struct firefox_stacks *s, struct firefox_column c, size_t row)
{
	int64_t i = firefox_index(c, row, json_array_size(s->strings));

	return i < 0 ? NULL : json_array_get(s->strings, (size_t)i);
}

static const json_t *
file_of(const struct firefox_stacks *s, size_t func)
{
	struct firefox_column name = firefox_column(s->sources, "filename");
	int64_t i = firefox_index(s->source, func, json_array_size(name.list));

	return i >= 0 ? string_in(s, name, (size_t)i)
		      : string_in(s, s->file, func);
}

/* --- frames --- */

/* What a frame is, before it has a location. */
struct frame {
	const char *name, *file;
	size_t n_name, n_file;
	int64_t start, line, column;
	int64_t lib;     /* FIREFOX_NONE: unknown */
	int64_t address; /* FIREFOX_NONE: unknown */
	int64_t depth;   /* of inlining: 0 for a function of its own */
	bool is_unnamed;
};

/* "0x1f2e", which is what a frame without symbols is called. */
static bool
is_address(const char *s, size_t n, int64_t *address)
{
	char *end;

	if (n < 3 || n > 18 || s[0] != '0' || s[1] != 'x')
		return false;
	*address = (int64_t)strtoull(s, &end, 16);
	return end == s + n;
}

/* Cut ":12" off the n bytes of s. */
static bool
cut_number(const char *s, size_t *n, int64_t *number)
{
	size_t i = *n;

	while (i && isdigit((unsigned char)s[i - 1]))
		i--;
	if (i == *n || *n - i > 9 || i < 2 || s[i - 1] != ':')
		return false;
	*number = atoi(s + i);
	*n = i - 1;
	return true;
}

/* "name (file:line:column)[source]", as Firefox writes scripts. */
static void
cut_place(struct frame *f)
{
	size_t n = f->n_name, open;
	int64_t column;

	if (n && f->name[n - 1] == ']') {
		size_t i = n - 1;

		while (i && isdigit((unsigned char)f->name[i - 1]))
			i--;
		if (i && f->name[i - 1] == '[')
			n = i - 1;
	}
	if (!n || f->name[n - 1] != ')')
		return;
	for (open = n; open > 1; open--)
		if (f->name[open - 1] == '(' && f->name[open - 2] == ' ')
			break;
	if (open < 2)
		return;
	f->file = f->name + open;
	f->n_file = n - 1 - open;
	f->n_name = open - 2;
	if (cut_number(f->file, &f->n_file, &column) &&
	    !cut_number(f->file, &f->n_file, &f->start))
		f->start = column;
}

/* A frame that is one string: an address of the process, or a name. */
static void
read_location(const struct firefox_stacks *s, bool is_leaf, struct frame *f)
{
	if (!is_address(f->name, f->n_name, &f->address)) {
		cut_place(f);
		return;
	}
	/* A caller's is where it goes on: the call is before that. */
	if (!is_leaf && f->address > 0)
		f->address--;
	f->lib = lib_at(s->libs, (uint64_t)f->address);
	f->is_unnamed = true;
}

static void
read_function(const struct firefox_stacks *s, size_t i, size_t func,
	      struct frame *f)
{
	const json_t *file = file_of(s, func);
	int64_t resource = firefox_index(s->resource, func, s->n_resource);
	int64_t ignored;

	f->file = file ? json_string_value(file) : NULL;
	f->n_file = file ? json_string_length(file) : 0;
	f->start = firefox_int(s->start, func, 0);
	f->lib = firefox_index(s->lib, i, s->libs->n);
	if (f->lib < 0 && resource >= 0)
		f->lib = firefox_index(s->resource_lib, (size_t)resource,
				       s->libs->n);
	f->address = firefox_int(s->address, i, FIREFOX_NONE);
	if (f->address < 0 || f->address > UINT32_MAX)
		f->address = FIREFOX_NONE;
	f->is_unnamed =
		f->address >= 0 && is_address(f->name, f->n_name, &ignored);
}

static bool
read_frame(const struct firefox_stacks *s, size_t i, bool is_leaf,
	   struct frame *f)
{
	int64_t func = firefox_index(s->func, i, s->n_func);
	const json_t *name = s->is_raw   ? string_in(s, s->location, i)
			     : func >= 0 ? string_in(s, s->name, (size_t)func)
					 : NULL;

	if (!json_is_string(name))
		return false;
	*f = (struct frame){ .name = json_string_value(name),
			     .n_name = json_string_length(name),
			     .lib = FIREFOX_NONE,
			     .address = FIREFOX_NONE,
			     .line = firefox_int(s->line, i, 0),
			     .column = firefox_int(s->column, i, 0),
			     .depth = firefox_int(s->depth, i, 0) };
	if (s->is_raw)
		read_location(s, is_leaf, f);
	else
		read_function(s, i, (size_t)func, f);
	return true;
}

/* --- locations --- */

static bool
line_of(struct byname *b, const struct frame *f, struct line *line)
{
	uint32_t name = byname_string(b, f->name, f->n_name);
	uint32_t file = byname_string(b, f->n_file ? f->file : "", f->n_file);

	if (name == STRTAB_NONE || file == STRTAB_NONE)
		return false;
	*line = (struct line){
		.line = f->line,
		.column = f->column,
		.function = byname_function(b, name, file, f->start),
	};
	return line->function != PROF_NONE;
}

/* The mapping of a frame and its address in the profile. */
static bool
place_frame(struct firefox_stacks *s, const struct frame *f, uint32_t *mapping,
	    uint64_t *address)
{
	struct mapping *m;

	*mapping = PROF_NONE;
	*address = f->address < 0 ? 0 : (uint64_t)f->address;
	if (f->lib < 0)
		return true;
	*mapping = mapping_of(s, (size_t)f->lib);
	if (*mapping == PROF_NONE)
		return false;
	m = &s->b->p->mapping[*mapping];
	if (f->is_unnamed)
		m->has = 0;
	if (s->is_raw || f->address < 0)
		return true;
	if (!m->start)
		m->start = m->limit = (uint64_t)(f->lib + 1) << 32;
	*address += m->start;
	if (*address >= m->limit)
		m->limit = (*address | 4095) + 1;
	return true;
}

static enum prof_status
make_location(struct firefox_stacks *s, const struct frame *outer,
	      const struct line *line, size_t n, uint32_t *out)
{
	uint32_t mapping;
	uint64_t address;

	if (!place_frame(s, outer, &mapping, &address))
		return prof_nomem(s->err);
	*out = byname_location(s->b, mapping, address, line, n);
	return *out == PROF_NONE ? prof_nomem(s->err) : PROF_OK;
}

/* The stack that called this one, or FIREFOX_NONE. */
static int64_t
caller_of(const struct firefox_stacks *s, size_t i)
{
	int64_t offset;

	if (!s->offset.list)
		return firefox_index(s->prefix, i, s->n_stack);
	offset = firefox_int(s->offset, i, 0);
	return offset > 0 && (uint64_t)offset <= i ? (int64_t)i - offset
						   : FIREFOX_NONE;
}

/* Was f inlined into its caller? */
static bool
is_inlined(const struct frame *f, const struct frame *caller)
{
	return f->depth > 0 && !f->is_unnamed && !caller->is_unnamed &&
	       f->address == caller->address && f->lib == caller->lib &&
	       (f->address < 0 || caller->depth == f->depth - 1);
}

/* The location whose innermost frame is that of a stack, and the stack that
 * called it. */
static enum prof_status
read_group(struct firefox_stacks *s, size_t stack, bool is_leaf,
	   struct firefox_group *out)
{
	struct line line[MAX_INLINED];
	struct frame f, last = { 0 };
	int64_t at = (int64_t)stack;
	size_t n = 0;

	for (bool is_first = true; at >= 0; is_first = false) {
		int64_t i = firefox_index(s->frame, (size_t)at, s->n_frame);

		if (i < 0 || !read_frame(s, (size_t)i, is_leaf, &f))
			return prof_fail(s->err, PROF_EFORMAT,
					 "firefox: stack %zu refers to a frame "
					 "or a name that does not exist",
					 (size_t)at);
		if (!is_first && (!is_inlined(&last, &f) || n == MAX_INLINED))
			break;
		if (!f.is_unnamed && !line_of(s->b, &f, &line[n++]))
			return prof_nomem(s->err);
		last = f;
		at = caller_of(s, (size_t)at);
	}
	out->caller = at;
	return make_location(s, &last, line, n, &out->location);
}

enum prof_status
firefox_push(struct firefox_stacks *s, size_t stack)
{
	enum prof_status st = PROF_OK;
	struct firefox_group leaf, *g;
	size_t depth = 0;

	s->b->n_stack = 0;
	for (int64_t at = (int64_t)stack; at >= 0; at = g->caller, depth++) {
		if (depth == MAX_DEPTH)
			return prof_fail(s->err, PROF_EFORMAT,
					 "firefox: stacks that are too deep, "
					 "or go in circles");
		/* Raw addresses of leaves and callers differ. */
		g = s->is_raw && !depth ? &leaf : &s->group[at];
		if (g == &leaf || g->location == PROF_NONE)
			st = read_group(s, (size_t)at, !depth, g);
		if (st != PROF_OK)
			return st;
		if (byname_push(s->b, g->location) < 0)
			return prof_nomem(s->err);
	}
	return PROF_OK;
}

static int64_t
own_category(const struct firefox_stacks *s, size_t stack)
{
	int64_t i = firefox_index(s->frame, stack, s->n_frame);

	return i < 0 ? FIREFOX_NONE
		     : firefox_int(s->category, (size_t)i, FIREFOX_NONE);
}

int64_t
firefox_category(const struct firefox_stacks *s, size_t stack)
{
	int64_t category = FIREFOX_NONE, at;
	size_t n = 0;

	/* Each is looked at once: all of a long chain may be sampled. */
	for (at = (int64_t)stack; at >= 0 && category < 0 && n < MAX_DEPTH;
	     at = caller_of(s, (size_t)at)) {
		if (s->group[at].has_category) {
			category = s->group[at].category;
			break;
		}
		category = own_category(s, (size_t)at);
		n++;
	}
	for (at = (int64_t)stack; n--; at = caller_of(s, (size_t)at)) {
		s->group[at].has_category = true;
		s->group[at].category = category;
	}
	return category;
}
#endif
