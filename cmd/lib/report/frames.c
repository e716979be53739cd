/* frames.c - locations to frame keys; see frames.h. */
#include "config.h"

#include "frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/array.h"
#include "lib/model/profile.h"

enum { FIRST_KEYS = 65536 };

struct builder {
	struct frames *f;
	const struct frames_options *o;
	struct prof_err *err;
	uint32_t *slot; /* open addressing: key + 1, 0 = free */
	size_t n_slot;  /* a power of two */
	size_t cap_key;
	uint32_t *file; /* by function: strings of f; NULL if not wanted */
	char *scratch;  /* room for a path or a printed name */
	size_t cap_scratch;
};

const char *
frames_base(const char *path, size_t *len)
{
	size_t n = strlen(path), from;
	const char *end = *path == '[' ? strchr(path, ']') : NULL;

	if (end) {
		*len = (size_t)(end + 1 - path);
		return path;
	}
	while (n > 1 && path[n - 1] == '/')
		n--;
	if (n == 1 && path[0] == '/') {
		*len = 1;
		return path;
	}
	for (from = n; from && path[from - 1] != '/';)
		from--;
	*len = n - from;
	return path + from;
}

/* --- file names --- */

/*
 * Clean a path without accessing the file system: drop empty and "." elements;
 * ".." removes the element before it. Writes at most len bytes (or "." if
 * nothing is left) to out, and returns their number.
 */
static size_t
clean_path(const char *path, size_t len, char *out)
{
	bool is_rooted = len && path[0] == '/';
	size_t n = 0, floor; /* out[0..floor) cannot be removed */

	if (is_rooted)
		out[n++] = '/';
	floor = n;
	for (size_t i = is_rooted; i < len;) {
		const char *slash = memchr(path + i, '/', len - i);
		size_t el = slash ? (size_t)(slash - path) - i : len - i;
		bool is_up = el == 2 && path[i] == '.' && path[i + 1] == '.';

		if (el == 0 || (el == 1 && path[i] == '.')) {
			/* nothing */
		} else if (is_up && n > floor) {
			while (n > floor && out[--n] != '/')
				;
		} else if (!is_up || !is_rooted) {
			if (n > is_rooted)
				out[n++] = '/';
			memmove(out + n, path + i, el);
			n += el;
			if (is_up)
				floor = n;
		}
		i += el + 1;
	}
	if (n == 0)
		out[n++] = '.';
	return n;
}

/* Cut one of the prefixes in list, separated by ':', off path. Returns the
 * rest. */
static const char *
cut_prefix(const char *path, const char *end, const char *list)
{
	for (const char *p = list; *p; p += *p == ':') {
		size_t n = strcspn(p, ":");
		bool has_slash = n && p[n - 1] == '/';

		if ((size_t)(end - path) >= n + !has_slash &&
		    !memcmp(path, p, n) && (has_slash || path[n] == '/'))
			return path + n + !has_slash;
		p += n;
	}
	return NULL;
}

/* Cut path after the last element of one of the directories in list. */
static const char *
cut_source(const char *path, const char *end, const char *list)
{
	for (const char *p = list; *p; p += *p == ':') {
		size_t n = strcspn(p, ":"), len = n, from;
		const char *at = path;

		while (len && p[len - 1] == '/')
			len--;
		for (from = len; from && p[from - 1] != '/';)
			from--;
		len -= from;
		for (; len && (at = memchr(at, '/', (size_t)(end - at))); at++)
			if ((size_t)(end - at) >= len + 2 &&
			    !memcmp(at + 1, p + from, len) &&
			    at[len + 1] == '/')
				return at + len + 2;
		p += n;
	}
	return NULL;
}

static const char *
trim_path(const struct frames_options *o, const char *path, const char *end)
{
	static const char usual[] = "/proc/self/cwd/./:/proc/self/cwd/";
	const char *list = o->trim_path, *cut;

	if (!list || !*list) {
		list = o->source_path;
		cut = list ? cut_source(path, end, list) : NULL;
		return cut ? cut : path;
	}
	cut = cut_prefix(path, end, list);
	if (!cut)
		cut = cut_prefix(path, end, usual);
	return cut ? cut : path;
}

size_t
frames_path(const struct frames_options *o, const char *path, size_t len,
	    char *out)
{
	const char *end = path + len;
	const char *from = len ? trim_path(o, path, end) : end;

	return from == end ? 0 : clean_path(from, (size_t)(end - from), out);
}

static uint32_t
add_path(struct builder *b, const struct str *path)
{
	size_t n;

	if (array_reserve(&b->scratch, &b->cap_scratch, path->len + 1, 1) < 0)
		return STRTAB_NONE;
	n = frames_path(b->o, path->s, path->len, b->scratch);
	return strtab_add(&b->f->strings, b->scratch, n);
}

/* --- printed names --- */

/* Append n bytes to scratch. */
static int
text_put(struct builder *b, size_t *at, const char *s, size_t n)
{
	if (array_reserve(&b->scratch, &b->cap_scratch, *at + n + 1, 1) < 0)
		return -1;
	memcpy(b->scratch + *at, s, n);
	*at += n;
	return 0;
}

static int
put_file(struct builder *b, size_t *at, const struct frame_key *k)
{
	const struct str *str = b->f->strings.str;
	char number[64];
	size_t len;
	int n = 0;

	if (k->line) {
		n = snprintf(number, sizeof(number), ":%" PRId64, k->line);
		if (k->column)
			n += snprintf(number + n, sizeof(number) - (size_t)n,
				      ":%" PRId64, k->column);
	}
	if (k->line || k->file) {
		if (*at && text_put(b, at, " ", 1) < 0)
			return -1;
		return text_put(b, at, str[k->file].s, str[k->file].len) < 0
			       ? -1
			       : text_put(b, at, number, (size_t)n);
	}
	if (k->name)
		return 0;
	if (*at && text_put(b, at, " ", 1) < 0)
		return -1;
	if (k->object) {
		const char *base = frames_base(str[k->object].s, &len);

		return text_put(b, at, "[", 1) < 0 ||
				       text_put(b, at, base, len) < 0
			       ? -1
			       : text_put(b, at, "]", 1);
	}
	return text_put(b, at, "<unknown>", 9);
}

/* The printed name of k: a string of f, or STRTAB_NONE without memory. */
static uint32_t
make_text(struct builder *b, const struct frame_key *k)
{
	const struct str *str = b->f->strings.str;
	char address[32];
	size_t at = 0;

	if (k->name && !k->address && !k->file && !k->line)
		return k->name;
	if (k->address) {
		snprintf(address, sizeof(address), "%016" PRIx64, k->address);
		if (text_put(b, &at, address, 16) < 0)
			return STRTAB_NONE;
	}
	if (k->name && ((at && text_put(b, &at, " ", 1) < 0) ||
			text_put(b, &at, str[k->name].s, str[k->name].len) < 0))
		return STRTAB_NONE;
	if (put_file(b, &at, k) < 0)
		return STRTAB_NONE;
	return strtab_add(&b->f->strings, b->scratch, at);
}

/* --- keys --- */

static uint64_t
hash_key(const struct frames *f, const struct frame_key *k)
{
	const uint64_t m = 0x9e3779b97f4a7c15u;
	uint64_t h = f->strings.key[0];

	h = (h ^ (k->name | (uint64_t)k->file << 32)) * m;
	h = (h ^ h >> 29 ^ k->address) * m;
	h = (h ^ h >> 29 ^ (uint64_t)k->line ^ (uint64_t)k->column << 40) * m;
	h = (h ^ h >> 29 ^ k->object ^ (uint64_t)k->start_line << 32) * m;
	return h ^ h >> 32;
}

static bool
equal_keys(const struct frame_key *a, const struct frame_key *b)
{
	return a->address == b->address && a->start_line == b->start_line &&
	       a->line == b->line && a->column == b->column &&
	       a->name == b->name && a->file == b->file &&
	       a->object == b->object;
}

static int
grow_slots(struct builder *b)
{
	size_t n = b->n_slot ? b->n_slot * 4 : 1024;
	uint32_t *slot = calloc(n, sizeof(*slot));

	if (!slot)
		return -1;
	for (size_t k = 0; k < b->f->n_key; k++) {
		size_t i = hash_key(b->f, &b->f->key[k]) & (n - 1);

		while (slot[i])
			i = (i + 1) & (n - 1);
		slot[i] = (uint32_t)k + 1;
	}
	free(b->slot);
	b->slot = slot;
	b->n_slot = n;
	return 0;
}

/* The index of key k, which is added when it is new; PROF_NONE: no memory. */
static uint32_t
add_key(struct builder *b, const struct frame_key *k)
{
	struct frames *f = b->f;
	struct frame_key *grown;
	size_t i;

	if (f->n_key * 2 >= b->n_slot && grow_slots(b) < 0)
		return PROF_NONE;
	i = hash_key(f, k) & (b->n_slot - 1);
	for (; b->slot[i]; i = (i + 1) & (b->n_slot - 1))
		if (equal_keys(&f->key[b->slot[i] - 1], k))
			return b->slot[i] - 1;
	grown = arena_grow(f->arena, f->key, &b->cap_key, f->n_key + 1,
			   sizeof(*grown));
	if (!grown)
		return PROF_NONE;
	f->key = grown;
	grown[f->n_key] = *k;
	grown[f->n_key].text = b->o->no_text ? 0 : make_text(b, k);
	if (grown[f->n_key].text == STRTAB_NONE)
		return PROF_NONE;
	b->slot[i] = (uint32_t)f->n_key + 1;
	return (uint32_t)f->n_key++;
}

/*
 * The key of one line of location l, or of l itself if line is NULL.
 *
 * The object file and the start line distinguish only frames without names.
 * Under BY_FILE no frame has a name, and pprof prints a row for each start line
 * of a file; here a file is one row.
 */
static uint32_t
line_key(struct builder *b, const struct location *l, const struct line *line)
{
	enum granularity by = b->o->granularity;
	const struct profile *p = b->f->p;
	struct frame_key k = { 0 };

	if (by == BY_ADDRESS)
		k.address = l->address;
	if (line) {
		const struct function *fn = &p->function[line->function];

		if (by != BY_FILE)
			k.name = fn->name;
		if (by != BY_FUNCTION)
			k.file = b->file[line->function];
		if (by >= BY_LINE) {
			k.line = line->line;
			/* Omit the address unless it is needed. */
			if (b->o->columns ||
			    (by == BY_ADDRESS && !b->o->no_inlines))
				k.column = line->column;
		}
		if (b->o->by_object || (!k.name && by != BY_FILE))
			k.start_line = fn->start_line;
	}
	if (l->mapping != PROF_NONE &&
	    (b->o->by_object || (!k.name && !(by == BY_FILE && k.file))))
		k.object = p->mapping[l->mapping].file;
	return add_key(b, &k);
}

/* --- the whole --- */

/* The paths of functions, where keys have them. */
static int
add_paths(struct builder *b)
{
	const struct profile *p = b->f->p;

	if (b->o->granularity == BY_FUNCTION)
		return 0;
	b->file = arena_array(b->f->arena, p->n_function, sizeof(*b->file));
	if (!b->file)
		return -1;
	for (size_t i = 0; i < p->n_function; i++) {
		b->file[i] = add_path(b, &p->strings.str[p->function[i].file]);
		if (b->file[i] == STRTAB_NONE)
			return -1;
	}
	return 0;
}

static enum prof_status
add_locations(struct builder *b)
{
	struct frames *f = b->f;
	const struct profile *p = f->p;
	size_t n = 0;

	for (size_t l = 0; l < p->n_location; l++)
		n += p->location[l].n_line ? p->location[l].n_line : 1;
	if (n >= PROF_NONE)
		return prof_fail(b->err, PROF_ELIMIT,
				 "more than 2^32 lines in the locations");
	f->first = arena_array(f->arena, p->n_location + 1, sizeof(*f->first));
	f->node = arena_array(f->arena, n, sizeof(*f->node));
	/* A line has a key of its own, mostly: room at once for many. */
	if (b->o->granularity >= BY_LINE)
		f->key = arena_grow(f->arena, NULL, &b->cap_key,
				    n < FIRST_KEYS ? n : FIRST_KEYS,
				    sizeof(*f->key));
	if (!f->first || !f->node || (b->o->granularity >= BY_LINE && !f->key))
		return prof_nomem(b->err);
	n = 0;
	for (size_t l = 0; l < p->n_location; l++) {
		const struct location *loc = &p->location[l];
		const struct line *line = profile_line(p, loc);
		uint32_t i = 0;

		f->first[l] = (uint32_t)n;
		if (b->o->no_inlines && loc->n_line)
			i = loc->n_line - 1;
		do {
			f->node[n] =
				line_key(b, loc, loc->n_line ? &line[i] : NULL);
			if (f->node[n++] == PROF_NONE)
				return prof_nomem(b->err);
		} while (++i < loc->n_line);
	}
	f->first[p->n_location] = (uint32_t)n;
	return PROF_OK;
}

static enum prof_status
mark_inlined(struct frames *f, struct prof_err *err)
{
	f->is_inlined = arena_array(f->arena, f->n_key, sizeof(bool));
	if (!f->is_inlined)
		return prof_nomem(err);
	memset(f->is_inlined, 0, f->n_key * sizeof(bool));
	f->max_keys = 1;
	for (size_t l = 0; l < f->p->n_location; l++) {
		uint32_t n = f->first[l + 1] - f->first[l];

		if (n > f->max_keys)
			f->max_keys = n;
		for (uint32_t i = 0; i + 1 < n; i++)
			f->is_inlined[f->node[f->first[l] + i]] = true;
	}
	return PROF_OK;
}

enum prof_status
frames_new(const struct profile *p, const struct frames_options *o,
	   struct frames **out, struct prof_err *err)
{
	struct arena *a = arena_new();
	struct frames *f = a ? arena_alloc(a, sizeof(*f)) : NULL;
	struct builder b = { .f = f, .o = o, .err = err };
	enum prof_status st = PROF_OK;

	*out = NULL;
	if (!f) {
		arena_free(a);
		return prof_nomem(err);
	}
	*f = (struct frames){ .p = p, .arena = a };
	if (strtab_fork(&f->strings, a, &p->strings) < 0 || add_paths(&b) < 0)
		st = prof_nomem(err);
	if (st == PROF_OK)
		st = add_locations(&b);
	if (st == PROF_OK)
		st = mark_inlined(f, err);
	free(b.slot);
	free(b.scratch);
	if (st == PROF_OK)
		*out = f;
	else
		frames_free(f);
	return st;
}

void
frames_free(struct frames *f)
{
	if (f)
		arena_free(f->arena);
}

static int
cmp_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

int
frames_cmp(const struct frames *f, uint32_t a, uint32_t b)
{
	const struct frame_key *x = &f->key[a], *y = &f->key[b];
	const struct strtab *t = &f->strings;
	int r = 0;

	if (a == b)
		return 0;
	if (x->address && y->address && x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if ((r = strtab_cmp(t, x->text, y->text)) ||
	    (r = strtab_cmp(t, x->name, y->name)) ||
	    (r = strtab_cmp(t, x->file, y->file)) ||
	    (r = cmp_i64(x->start_line, y->start_line)) ||
	    (r = cmp_i64(x->line, y->line)) ||
	    (r = cmp_i64(x->column, y->column)) ||
	    (r = strtab_cmp(t, x->object, y->object)))
		return r;
	return x->address < y->address ? -1 : 1;
}
