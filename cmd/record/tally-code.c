/*
 * tally-code.c - the code of interpreters: what its frames in stacks mean, and
 * their functions in a profile. A sampler numbers the same code again when it
 * has forgotten it, and so does each process: equal ones are kept once.
 */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/escape.h"
#include "tally-int.h"

enum {
	MAX_TABLE = 1 << 17, /* bytes of lines */
	MAX_CODE = 1 << 18,  /* that are kept */
};

/* As the file of a mapping, by enum interp_number. */
static const char *const languages[] = { NULL, "[python]", "[php]", "[ruby]" };

/* Why the name: it is a part of a stack, and no function. */
#define UNREAD_NAME "[not read]"

/* Tables of lines, in the order in which they began. */

static struct table *
table_of(struct tally *t, uint32_t code)
{
	struct table *table = &t->table[t->next_table % TALLY_TABLES];

	for (size_t i = 0; i < TALLY_TABLES; i++)
		if (t->table[i].code == code)
			return &t->table[i];
	t->next_table++;
	table->code = code;
	table->n = 0;
	return table;
}

void
tally_lines_part(struct tally *t, const struct shm_lines_part *p, size_t n)
{
	struct table *table;

	if (n <= offsetof(struct shm_lines_part, bytes) || !p->code)
		return;
	n -= offsetof(struct shm_lines_part, bytes);
	table = table_of(t, p->code);
	/* In order: one process writes them. */
	if (p->at != table->n || n > MAX_TABLE - table->n ||
	    !tally_reserve(t, &table->bytes, &table->room, table->n, n, 1))
		return;
	memcpy(table->bytes + table->n, p->bytes, n);
	table->n += n;
}

/* Code. */

static bool
same_code(const void *tally, uint32_t i, const void *key)
{
	const struct tally *t = tally;
	const struct code *a = &t->code[i], *b = key;

	return a->name == b->name && a->file == b->file &&
	       a->first_line == b->first_line && a->interp == b->interp &&
	       a->table == b->table;
}

/* Write n units of unit bytes each as UTF-8, which those of 0 bytes are. */
static void
put_text(FILE *to, const uint8_t *from, size_t n, size_t unit)
{
	while (unit == 0 && n > 0) {
		size_t size = escape_utf8((const char *)from, n);

		if (size)
			fwrite(from, 1, size, to);
		else
			fputs("\xef\xbf\xbd", to);
		size += !size;
		from += size;
		n -= size;
	}
	for (size_t i = 0; i < n; i++, from += unit) {
		uint32_t c = from[0];
		char utf8[ESCAPE_UTF8_MAX];

		for (size_t k = 1; k < unit; k++)
			c |= (uint32_t)from[k] << 8 * k;
		/* Half of a pair stands for a byte that was no text. */
		if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
			c = 0xfffd;
		fwrite(utf8, 1, escape_utf8_put(utf8, c), to);
	}
}

/* The folder in path after the last one in which modules are installed. */
static const char *
below_library(const char *path)
{
	const char *below = NULL;

	for (const char *s = strchr(path, '/'); s; s = strchr(s + 1, '/')) {
		size_t n = strcspn(s + 1, "/");

		if (s[n + 1] &&
		    ((n == 13 && (!memcmp(s + 1, "site-packages", n) ||
				  !memcmp(s + 1, "dist-packages", n))) ||
		     (n == 11 && !memcmp(s + 1, "vendor_ruby", n)) ||
		     (n == 3 && !memcmp(s + 1, "lib", n) &&
		      strstr(path, "/gems/")) ||
		     (s - path >= 5 && !memcmp(s - 5, "/ruby", 5) &&
		      strspn(s + 1, "0123456789.") == n) ||
		     (n > 6 && !memcmp(s + 1, "python", 6) &&
		      isdigit((unsigned char)s[7]))))
			below = s + n + 2;
	}
	return below;
}

/*
 * The name of a module of Python, or of a file of PHP or Ruby, by its file:
 * functions of different modules often have the same name. For files that are
 * not installed as a library that is the file's name; what is in brackets
 * stays.
 */
static void
put_module_name(FILE *to, const char *file)
{
	static const char frozen[] = "<frozen ", internal[] = "<internal:";
	const char *from = below_library(file), *end;
	size_t n;

	if (!strncmp(file, frozen, sizeof(frozen) - 1)) {
		from = file + sizeof(frozen) - 1;
	} else if (!from && !strncmp(file, internal, sizeof(internal) - 1)) {
		from = file + sizeof(internal) - 1;
	} else if (!from) {
		from = strrchr(file, '/');
		from = from ? from + 1 : file;
	}
	n = strlen(from);
	end = from + n;
	if (from > file && *file == '<' && n && end[-1] == '>')
		end--;
	if (n > 3 && (!strcmp(end - 3, ".py") || !strcmp(end - 3, ".rb")))
		end -= 3;
	if (n > 4 && !strcmp(end - 4, ".php"))
		end -= 4;
	if (end - from > 9 && !memcmp(end - 9, "/__init__", 9))
		end -= 9;
	for (; from < end; from++)
		putc(*from == '/' ? '.' : *from, to);
}

/*
 * Class::method, or function, whose names are unique in a program; those that
 * have none, and what a file does outside of functions, by the file.
 */
static void
put_php_name(FILE *to, const char *file, const uint8_t *text, size_t n_scope,
	     size_t n_name)
{
	static const char closure[] = "{closure}";
	const uint8_t *name = text + n_scope;

	if (n_scope) /* class@anonymous, a zero, a file ... */
		put_text(to, text, strnlen((const char *)text, n_scope), 0);
	else if (!n_name || (n_name == sizeof(closure) - 1 &&
			     !memcmp(name, closure, n_name)))
		put_module_name(to, file);
	if (n_scope)
		fputs("::", to);
	else if (ftell(to) > 0)
		putc('.', to);
	if (n_name)
		put_text(to, name, n_name, 0);
	else
		fputs("{main}", to);
}

/*
 * Ruby's label, as "block in total", with the class before the method's own
 * name, or else, as for "<main>", the module.
 */
static void
put_ruby_name(FILE *to, const char *file, const struct shm_code *c)
{
	const uint8_t *scope = (const uint8_t *)c->text;
	const uint8_t *name = scope + c->n_scope;
	size_t before = c->n_before < c->n_name ? c->n_before : 0;

	put_text(to, name, before, 0);
	if (c->n_scope)
		put_text(to, scope, c->n_scope, 0);
	else
		put_module_name(to, file);
	if (c->n_scope || *file)
		putc(c->n_scope && c->join ? c->join : '.', to);
	put_text(to, name + before, c->n_name - before, 0);
}

/* Fill in the strings of code. False without memory. */
static bool
read_texts(struct tally *t, const struct shm_code *c, struct code *code)
{
	const uint8_t *text = (const uint8_t *)c->text;
	char *file = NULL, *name = NULL;
	const uint8_t *own = text + (size_t)c->n_scope * c->name_unit;
	size_t n;
	FILE *f = open_memstream(&file, &n);

	if (f)
		put_text(f, own + (size_t)c->n_name * c->name_unit, c->n_file,
			 c->interp == INTERP_PYTHON ? c->file_unit : 0);
	t->failed |= !f || fclose(f) != 0;
	f = t->failed ? NULL : open_memstream(&name, &n);
	if (f && c->interp == INTERP_PHP) {
		put_php_name(f, file, text, c->n_scope, c->n_name);
	} else if (f && c->interp == INTERP_RUBY) {
		put_ruby_name(f, file, c);
	} else if (f) {
		put_module_name(f, file);
		if (*file)
			putc('.', f);
		put_text(f, own, c->n_name, c->name_unit);
	}
	t->failed |= !f || fclose(f) != 0;
	if (!t->failed) {
		code->name = tally_intern(t, name);
		code->file = tally_intern(t, file);
	}
	free(name);
	free(file);
	return !t->failed;
}

/* Keep code, which is new, with its lines. */
static void
keep_code(struct tally *t, const struct shm_code *c, struct code *code,
	  const struct table *table)
{
	if (code->has_lines && table->n == c->n_lines)
		code->row = lines_decode((enum interp_lines)c->lines_are,
					 table->bytes, table->n, c->first_line,
					 &code->n_row);
	t->code[t->n_code++] = *code;
}

void
tally_code(struct tally *t, const struct shm_code *c, size_t n)
{
	size_t n_text = n - offsetof(struct shm_code, text);
	struct table *table;
	struct code code = { .interp = c->interp,
			     .first_line = c->first_line,
			     .has_lines = c->lines_are != LINES_NONE };
	uint32_t i;

	if (n <= offsetof(struct shm_code, text) || !c->code ||
	    c->code > INTERP_MAX_CODE || c->interp == INTERP_NONE ||
	    c->interp >= INTERP_NUMBERS || c->name_unit > 4 ||
	    c->file_unit > 4 ||
	    (c->interp != INTERP_PYTHON &&
	     (c->name_unit != 1 || c->file_unit != 1)) ||
	    ((size_t)c->n_scope + c->n_name) * c->name_unit +
			    (size_t)c->n_file * c->file_unit >
		    n_text ||
	    t->n_code == MAX_CODE || !read_texts(t, c, &code) ||
	    !tally_reserve(t, &t->code, &t->room_code, t->n_code, 1,
			   sizeof(code)) ||
	    !tally_reserve(t, &t->code_of, &t->room_number_of_code,
			   t->n_number_of_code,
			   c->code >= t->n_number_of_code
				   ? c->code + 1 - t->n_number_of_code
				   : 0,
			   sizeof(*t->code_of)))
		return;
	table = table_of(t, c->code);
	for (size_t k = 0; k < table->n; k++)
		code.table = hash_mix(t->key, code.table, table->bytes[k]);
	while (t->n_number_of_code <= c->code)
		t->code_of[t->n_number_of_code++] = PROF_NONE;
	i = tally_add(t, &t->codes,
		      hash_mix(t->key, hash_mix(t->key, code.table, code.name),
			       code.file),
		      same_code, &code, t->n_code);
	if (i == t->n_code)
		keep_code(t, c, &code, table);
	t->code_of[c->code] = i;
	table->code = 0;
}

void
tally_code_release(struct tally *t)
{
	for (size_t i = 0; i < t->n_code; i++)
		free(t->code[i].row);
	for (size_t i = 0; i < TALLY_TABLES; i++)
		free(t->table[i].bytes);
	free(t->code);
	free(t->code_of);
	hashtab_release(&t->codes);
}

uint32_t
tally_code_at(const struct tally *t, uint64_t frame, uint64_t *address)
{
	uint32_t number = INTERP_FRAME_CODE(frame), i = PROF_NONE, at;
	const struct code *code;

	if (number && number < t->n_number_of_code)
		i = t->code_of[number];
	if (i == PROF_NONE) {
		*address = number ? 0 : INTERP_FRAME_AT(frame);
		return PLACE_UNREAD;
	}
	code = &t->code[i];
	at = INTERP_FRAME_AT(frame);
	if (code->has_lines)
		at = (uint32_t)lines_at(code->row, code->n_row, at);
	*address = (uint64_t)i << 32 | at;
	return PLACE_CODE;
}

/* Profiles. */

/* The mapping of all code of an interpreter. */
static uint32_t
language_mapping(struct build *b, uint32_t interp)
{
	struct mapping m = { .has = MAPPING_FUNCTIONS | MAPPING_FILENAMES |
				    MAPPING_LINE_NUMBERS };

	if (b->language[interp] != PROF_NONE)
		return b->language[interp];
	m.file = profile_intern(b->p, languages[interp]);
	if (m.file != STRTAB_NONE)
		b->language[interp] = profile_add_mapping(b->p, &m);
	return b->language[interp];
}

/* The function of code i, or, if that is PROF_NONE, of what was not read. */
static uint32_t
function_of(struct build *b, uint32_t i)
{
	const struct tally *t = b->t;
	const struct code *code = i == PROF_NONE ? NULL : &t->code[i];
	uint32_t *known = &b->function[code ? i : t->n_code];
	struct function f = { 0 };

	if (*known != PROF_NONE)
		return *known;
	f.name = profile_intern(b->p, code ? t->strings.str[code->name].s
					   : UNREAD_NAME);
	f.system_name = f.name;
	if (code) {
		f.file = profile_intern(b->p, t->strings.str[code->file].s);
		f.start_line = code->first_line > 0 ? code->first_line : 0;
	}
	if (f.name != STRTAB_NONE && f.file != STRTAB_NONE)
		*known = profile_add_function(b->p, &f);
	return *known;
}

uint32_t
build_code(struct build *b, const struct place *at)
{
	bool is_code = at->module == PLACE_CODE;
	uint32_t i = is_code ? (uint32_t)(at->address >> 32) : PROF_NONE;
	uint64_t interp = is_code ? b->t->code[i].interp : at->address;
	int32_t number = is_code ? (int32_t)(uint32_t)at->address : 0;
	struct line line = { .line = number > 0 ? number : 0 };
	struct location l = { 0 };

	if (interp == INTERP_NONE || interp >= INTERP_NUMBERS)
		interp = INTERP_PYTHON;
	l.mapping = language_mapping(b, (uint32_t)interp);
	line.function = function_of(b, i);
	return l.mapping == PROF_NONE || line.function == PROF_NONE
		       ? PROF_NONE
		       : profile_add_location(b->p, &l, &line, 1);
}
