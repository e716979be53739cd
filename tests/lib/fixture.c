/* fixture.c - reads the notation of fixture.h. Small inputs: clear, not fast.
 */
#include "config.h"

#include "tests/lib/fixture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"

enum { MAX_TYPE = 16, MAX_STACK = 4096, MAX_LABEL = 64, MAX_LINE = 64 };

struct parser {
	struct profile *p;
	struct prof_err *err;
	size_t line_no;
	/* Texts that have an entry already: string i is entry i - 1. */
	struct strtab frames;    /* of p->location */
	struct strtab functions; /* of p->function: name, newline, file */
};

#define FAIL(f, fmt, ...)                                                      \
	prof_fail((f)->err, PROF_EFORMAT, "line %zu: " fmt, (f)->line_no,      \
		  __VA_ARGS__)

/* The next word of *s, ended by a NUL put there; NULL if there is none. */
static char *
next_word(char **s)
{
	char *word = *s + strspn(*s, " \t");
	size_t n = strcspn(word, " \t");

	if (!n)
		return NULL;
	*s = word + n + (word[n] != '\0');
	word[n] = '\0';
	return word;
}

/* The whole of s as a number: the bits of an int64, or of a uint64 if hex. */
static bool
parse_number(const char *s, int64_t *out)
{
	char *end;

	errno = 0;
	if (!strncmp(s, "0x", 2))
		*out = (int64_t)strtoull(s, &end, 16);
	else
		*out = strtoll(s, &end, 10);
	return end != s && !*end && !errno;
}

static enum prof_status
parse_types(struct parser *f, char *s)
{
	char *type, *unit;

	while ((type = next_word(&s))) {
		unit = next_word(&s);
		if (!unit)
			return FAIL(f, "type '%s' has no unit", type);
		if (f->p->n_type == MAX_TYPE)
			return FAIL(f, "more than %d types", (int)MAX_TYPE);
		if (profile_add_type(f->p, type, unit) == PROF_NONE)
			return prof_nomem(f->err);
	}
	if (!f->p->n_type)
		return FAIL(f, "%s", "no types");
	return PROF_OK;
}

static enum prof_status
parse_mapping(struct parser *f, char *s)
{
	struct mapping m = { 0 };
	int64_t number[3];
	char *word;

	for (int i = 0; i < 3; i++) {
		word = next_word(&s);
		if (!word || !parse_number(word, &number[i]))
			return FAIL(f, "%s", "@mapping: not a number");
	}
	m.start = (uint64_t)number[0];
	m.limit = (uint64_t)number[1];
	m.offset = (uint64_t)number[2];
	/* A path may have blanks; hex digits alone at the end are an id. */
	s += strspn(s, " \t");
	word = strrchr(s, ' ');
	if (word && word[1 + strspn(word + 1, "0123456789abcdef")] == '\0') {
		*word++ = '\0';
		if (*word)
			m.build_id = profile_intern(f->p, word);
	}
	if (*s)
		m.file = profile_intern(f->p, s);
	if (m.file == STRTAB_NONE || m.build_id == STRTAB_NONE ||
	    profile_add_mapping(f->p, &m) == PROF_NONE)
		return prof_nomem(f->err);
	return PROF_OK;
}

static enum prof_status
parse_period(struct parser *f, char *s)
{
	char *type = next_word(&s), *unit = next_word(&s), *n = next_word(&s);
	struct profile *p = f->p;

	if (!n || !parse_number(n, &p->period))
		return FAIL(f, "%s", "@period: not a type, a unit, a number");
	p->period_type.type = profile_intern(p, type);
	p->period_type.unit = profile_intern(p, unit);
	if (p->period_type.type == STRTAB_NONE ||
	    p->period_type.unit == STRTAB_NONE)
		return prof_nomem(f->err);
	return PROF_OK;
}

static enum prof_status
parse_header(struct parser *f, char *s)
{
	struct profile *p = f->p;
	const struct {
		const char *name;
		int64_t *number;
		uint32_t *string;
	} field[] = {
		{ "time", &p->time_ns, NULL },
		{ "duration", &p->duration_ns, NULL },
		{ "default", NULL, &p->default_type },
		{ "drop", NULL, &p->drop_frames },
		{ "keep", NULL, &p->keep_frames },
		{ "doc", NULL, &p->doc_url },
	};
	char *name = next_word(&s);

	if (!name)
		return FAIL(f, "%s", "@ without a name");
	if (!strcmp(name, "mapping"))
		return parse_mapping(f, s);
	if (!strcmp(name, "period"))
		return parse_period(f, s);
	if (!strcmp(name, "comment"))
		return profile_add_comment(p, s) == PROF_NONE
			       ? prof_nomem(f->err)
			       : PROF_OK;
	for (size_t i = 0; i < sizeof(field) / sizeof(*field); i++) {
		if (strcmp(name, field[i].name) != 0)
			continue;
		if (field[i].number && !parse_number(s, field[i].number))
			return FAIL(f, "@%s: not a number: '%s'", name, s);
		if (field[i].string) {
			*field[i].string = profile_intern(p, s);
			if (*field[i].string == STRTAB_NONE)
				return prof_nomem(f->err);
		}
		return PROF_OK;
	}
	return FAIL(f, "no header field '@%s'", name);
}

/* The function of that name and file: the one there is, or a new one. */
static uint32_t
find_function(struct parser *f, const char *name, const char *file)
{
	struct function fn = { 0 };
	size_t n = strlen(name), n_file = strlen(file);
	char *key = arena_alloc(f->p->arena, n + n_file + 1);
	uint32_t known = (uint32_t)f->functions.n_str, i;

	if (!key)
		return PROF_NONE;
	memcpy(key, name, n);
	key[n] = '\n';
	memcpy(key + n + 1, file, n_file);
	i = strtab_add(&f->functions, key, n + n_file + 1);
	if (i == STRTAB_NONE)
		return PROF_NONE;
	if (i < known)
		return i - 1;
	fn.name = fn.system_name = profile_intern(f->p, name);
	fn.file = profile_intern(f->p, file);
	if (fn.name == STRTAB_NONE || fn.file == STRTAB_NONE)
		return PROF_NONE;
	return profile_add_function(f->p, &fn);
}

/* `name (file:line:column)`, of which the part in parentheses may be missing.
 */
static enum prof_status
parse_line(struct parser *f, char *s, struct line *line, unsigned *has)
{
	size_t n = strlen(s);
	char *open = NULL, *colon;
	const char *file = "";
	int64_t number[2] = { 0 };
	int n_number = 0;

	if (n && s[n - 1] == ')')
		for (char *at = s; (at = strstr(at, " (")); at++)
			open = at;
	/* Parameters of a C++ function are no place: they hold no colon. */
	if (open && strchr(open, ':') && !strstr(open, "::")) {
		s[n - 1] = '\0';
		*open = '\0';
		file = open + 2;
		*has |= MAPPING_FILENAMES | MAPPING_LINE_NUMBERS;
		while (n_number < 2 && (colon = strrchr(open + 2, ':')) &&
		       parse_number(colon + 1, &number[n_number])) {
			*colon = '\0';
			n_number++;
		}
	}
	*line = (struct line){ .line = number[n_number == 2],
			       .column = n_number == 2 ? number[0] : 0 };
	line->function = find_function(f, s, file);
	*has |= MAPPING_FUNCTIONS;
	return line->function == PROF_NONE ? prof_nomem(f->err) : PROF_OK;
}

/* An address inside mapping m that only the text of the frame decides. */
static uint64_t
address_of(const struct mapping *m, const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	if (m->limit - m->start < 32)
		return m->start;
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return m->start + 16 * (hash % ((m->limit - m->start) / 16));
}

/* Add the location of a frame that was not met before. */
static enum prof_status
add_frame(struct parser *f, char *s)
{
	struct profile *p = f->p;
	struct location l = { .mapping = p->n_mapping ? 0 : PROF_NONE };
	struct line line[MAX_LINE];
	size_t n_line = 0;
	unsigned has = 0;
	char *next;

	if (*s == '[' && (next = strchr(s, ']'))) {
		char *end;
		unsigned long m = strtoul(s + 1, &end, 10);

		if (end == next && end > s + 1) {
			if (m > p->n_mapping)
				return FAIL(f, "there is no mapping %lu", m);
			l.mapping = m ? (uint32_t)m - 1 : PROF_NONE;
			s = next + 1;
		}
	}
	if (!strncmp(s, "0x", 2)) {
		int64_t address;

		if (!parse_number(s, &address))
			return FAIL(f, "not an address: '%s'", s);
		l.address = (uint64_t)address;
		s = NULL;
	} else if (l.mapping != PROF_NONE) {
		l.address = address_of(&p->mapping[l.mapping], s);
	}
	for (; s; s = next, n_line++) {
		if ((next = strstr(s, "=>"))) {
			*next = '\0';
			next += 2;
			has |= MAPPING_INLINE_FRAMES;
		}
		if (n_line == MAX_LINE)
			return FAIL(f, "more than %d functions in a frame",
				    (int)MAX_LINE);
		/* The innermost function comes first in a location. */
		memmove(line + 1, line, n_line * sizeof(*line));
		if (parse_line(f, s, line, &has) != PROF_OK)
			return f->err->status;
	}
	if (l.mapping != PROF_NONE)
		p->mapping[l.mapping].has |= has;
	return profile_add_location(p, &l, line, n_line) == PROF_NONE
		       ? prof_nomem(f->err)
		       : PROF_OK;
}

/* Split s, root first, into stack, leaf first. */
static enum prof_status
parse_stack(struct parser *f, char *s, uint32_t *stack, size_t *n_stack)
{
	uint32_t known, i;
	char *frame;

	*n_stack = 0;
	if (!strcmp(s, "()"))
		return PROF_OK;
	do {
		frame = strrchr(s, ';');
		if (frame)
			*frame++ = '\0';
		else
			frame = s;
		if (!*frame)
			return FAIL(f, "%s", "empty frame");
		if (*n_stack == MAX_STACK)
			return FAIL(f, "more than %d frames", (int)MAX_STACK);
		known = (uint32_t)f->frames.n_str;
		i = strtab_addz(&f->frames, frame);
		if (i == STRTAB_NONE)
			return prof_nomem(f->err);
		stack[(*n_stack)++] = i - 1;
		if (i == known && add_frame(f, frame) != PROF_OK)
			return f->err->status;
	} while (frame != s);
	return PROF_OK;
}

/* `user="ann" bytes=1024bytes depth=7` */
static enum prof_status
parse_labels(struct parser *f, char *s, struct label *label, size_t *n_label)
{
	char *key, *end;

	for (*n_label = 0; *(s += strspn(s, " ")); (*n_label)++) {
		struct label *l = &label[*n_label];

		key = s;
		s += strcspn(s, "=");
		if (*s != '=' || *n_label == MAX_LABEL)
			return FAIL(f, "malformed labels at '%s'", key);
		*s++ = '\0';
		*l = (struct label){ .key = profile_intern(f->p, key) };
		if (*s == '"') {
			end = strchr(++s, '"');
			if (!end)
				return FAIL(f, "label '%s' is not closed", key);
			*end++ = '\0';
			l->str = profile_intern(f->p, s);
		} else {
			errno = 0;
			l->num = strtoll(s, &end, 10);
			if (end == s || errno)
				return FAIL(f, "label '%s' is not a number",
					    key);
			s = end;
			end += strcspn(end, " ");
			if (*end)
				*end++ = '\0';
			l->unit = profile_intern(f->p, s);
		}
		s = end;
		if (l->key == STRTAB_NONE || l->str == STRTAB_NONE ||
		    l->unit == STRTAB_NONE)
			return prof_nomem(f->err);
	}
	return PROF_OK;
}

static enum prof_status
parse_sample(struct parser *f, char *s)
{
	struct label label[MAX_LABEL];
	uint32_t stack[MAX_STACK];
	int64_t value[MAX_TYPE];
	size_t n = strlen(s), n_label = 0, n_stack;
	char *open = NULL, *word;

	if (n && s[n - 1] == '}') {
		for (char *at = s; (at = strstr(at, " {")); at++)
			open = at;
		if (!open)
			return FAIL(f, "%s", "a } without {");
		s[n - 1] = '\0';
		*open = '\0';
		if (parse_labels(f, open + 2, label, &n_label) != PROF_OK)
			return f->err->status;
	}
	/* Values from the last to the first, as names may hold blanks. */
	for (size_t i = f->p->n_type; i-- > 0;) {
		word = strrchr(s, ' ');
		if (!word || !parse_number(word + 1, &value[i]))
			return FAIL(f,
				    "a sample needs %zu values after its "
				    "stack",
				    f->p->n_type);
		*word = '\0';
	}
	if (parse_stack(f, s, stack, &n_stack) != PROF_OK)
		return f->err->status;
	return profile_add_sample(f->p, stack, n_stack, value, label,
				  n_label) == PROF_NONE
		       ? prof_nomem(f->err)
		       : PROF_OK;
}

static enum prof_status
parse_text(struct parser *f, char *s)
{
	enum prof_status status = PROF_OK;
	char *next;

	for (; s && status == PROF_OK; s = next) {
		f->line_no++;
		if ((next = strchr(s, '\n')))
			*next++ = '\0';
		if (!f->p->n_type && *s == '#')
			status = parse_types(f, s + 1);
		else if (!*s || *s == '#')
			continue;
		else if (!f->p->n_type)
			status = FAIL(f, "%s", "no '# TYPE UNIT' line before");
		else if (*s == '@')
			status = parse_header(f, s + 1);
		else
			status = parse_sample(f, s);
	}
	if (status == PROF_OK && !f->p->n_type)
		status = FAIL(f, "%s", "no '# TYPE UNIT' line");
	return status;
}

enum prof_status
fixture_parse(const char *text, struct profile **out, struct prof_err *err)
{
	struct prof_err own;
	struct parser f = { .err = err ? err : &own };
	enum prof_status status = PROF_ENOMEM;
	char *copy = NULL;

	*out = NULL;
	f.p = profile_new();
	if (f.p)
		copy = arena_alloc(f.p->arena, strlen(text) + 1);
	if (!copy || strtab_init(&f.frames, f.p->arena) ||
	    strtab_init(&f.functions, f.p->arena)) {
		profile_free(f.p);
		return prof_nomem(err);
	}
	strcpy(copy, text);
	status = parse_text(&f, copy);
	if (status == PROF_OK)
		*out = f.p;
	else
		profile_free(f.p);
	return status;
}
