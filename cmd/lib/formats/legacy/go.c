/*
 * go.c - the names that Go writes into its text profiles, as comments after
 * each sample:
 *
 *	1 @ 0x4e7115 0x4e7446
 *	#	0x4e7114	main.hold+0x52		./gowork.go:120
 *	#	0x4e7445	main.contend.func1+0x65	./gowork.go:131
 *
 * The addresses are inside the calls already. Several lines with one address
 * are functions inlined there, innermost first, or recursion, or both: it
 * depends on how often the stack has the address. The comments leave out frames
 * of the runtime. Labels, which goroutines have, are in front of the names:
 *
 *	# labels: {"job":"encode", "user":"a \"b\""}
 */
#include "config.h"

#include "impl.h"
#include "lib/base/arena.h"
#include "lib/base/escape.h"

/* The tabs of a line: up to the next one. */
static struct span
take_field(struct span *s)
{
	struct span f;

	while (s->p < s->end && *s->p == '\t')
		s->p++;
	f = *s;
	while (s->p < s->end && *s->p != '\t')
		s->p++;
	f.end = s->p;
	return span_trim(f);
}

/* Split s at the last mark. Returns the part after it, or nothing. */
static struct span
cut_last(struct span *s, char mark)
{
	const char *at =
		span_len(*s) ? memrchr(s->p, mark, span_len(*s)) : NULL;
	struct span rest = { s->end, s->end };

	if (at) {
		rest.p = at + 1;
		s->end = at;
	}
	return rest;
}

enum prof_status
legacy_go_name(struct legacy *l, const struct text *t)
{
	struct legacy_go *go = &l->go;
	struct span s = t->line, name, file, number;
	enum prof_status st = PROF_OK;
	struct line line = { 0 };
	uint64_t pc;

	if (!span_take(&s, "#\t0x") || !span_hex(&s, &pc))
		return PROF_OK;
	name = take_field(&s);
	file = take_field(&s);
	number = cut_last(&file, ':');
	cut_last(&name, '+');
	if (!span_len(name) || !span_int(number, &line.line))
		return PROF_OK;
	if (go->n && pc != go->pc)
		st = legacy_go_flush(l);
	if (st == PROF_OK)
		st = legacy_function(l, &go->function, false, name, file,
				     &line.function);
	if (st != PROF_OK)
		return st;
	go->pc = pc;
	if (go->n < LEGACY_GO_LINES)
		go->line[go->n++] = line;
	return PROF_OK;
}

/* How often the last sample has location at, where it first has it. */
static size_t
repeats(const struct profile *p, uint32_t at)
{
	const struct sample *s = &p->sample[p->n_sample - 1];
	const uint32_t *stack = profile_stack(p, s);
	uint32_t i = 0, n = 0;

	while (i < s->n_stack && stack[i] != at)
		i++;
	while (i + n < s->n_stack && stack[i + n] == at)
		n++;
	return n;
}

enum prof_status
legacy_go_flush(struct legacy *l)
{
	size_t n = l->go.n, times;
	uint32_t at;

	l->go.n = 0;
	if (!n || !l->p->n_sample)
		return PROF_OK;
	at = legacy_find(l, l->go.pc);
	if (at == IDMAP_NONE || l->p->location[at].n_line)
		return PROF_OK;
	times = repeats(l->p, at);
	if (times > 1)
		n = n > times ? n / times : 1;
	if (profile_set_lines(l->p, at, l->go.line, n) < 0)
		return prof_nomem(l->err);
	l->go.is_used = true;
	return PROF_OK;
}

/*
 * Write what a \x, \u or \U stands for, whose digits are next in s. Returns the
 * bytes written, 0 if there is no such character.
 */
static size_t
take_code(struct span *s, char kind, char *to)
{
	size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
	struct span hex = { s->p, s->p + digits };
	uint64_t code;

	if (span_len(*s) < digits || !span_hex(&hex, &code) || span_len(hex) ||
	    code > 0x10ffff)
		return 0;
	s->p += digits;
	if (kind != 'x')
		return escape_utf8_put(to, (uint32_t)code);
	*to = (char)code;
	return 1;
}

/* Write what the escape at s stands for, behind its backslash; see take_code().
 */
static size_t
take_escape(struct span *s, char *to)
{
	static const char letters[] = "abfnrtv\\\"'";
	static const char bytes[] = "\a\b\f\n\r\t\v\\\"'";
	const char *at;
	char c;

	if (s->p == s->end)
		return 0;
	c = *s->p++;
	at = memchr(letters, c, sizeof(letters) - 1);
	if (!at)
		return memchr("xuU", c, 3) ? take_code(s, c, to) : 0;
	*to = bytes[at - letters];
	return 1;
}

/*
 * A string as Go quotes it. room has space for all of s: no escape is shorter
 * than what it stands for. STRTAB_NONE: there is none, or no memory.
 */
static uint32_t
take_quoted(struct legacy *l, struct span *s, char *room)
{
	size_t n = 0, more;

	if (!span_take(s, "\""))
		return STRTAB_NONE;
	while (s->p < s->end && *s->p != '"') {
		room[n] = *s->p++;
		more = room[n] == '\\' ? take_escape(s, room + n) : 1;
		if (!more)
			return STRTAB_NONE;
		n += more;
	}
	return span_take(s, "\"") ? strtab_add(&l->p->strings, room, n)
				  : STRTAB_NONE;
}

enum prof_status
legacy_go_labels(struct legacy *l, struct text t)
{
	struct legacy_go *go = &l->go;
	struct span s;
	char *room;

	go->n_label = 0;
	if (!text_next(&t))
		return PROF_OK;
	s = t.line;
	if (!span_take(&s, "# labels: {") || span_is(s, "}"))
		return PROF_OK;
	room = arena_alloc(l->p->arena, span_len(s));
	if (!room)
		return prof_nomem(l->err);
	do {
		struct label label = { .key = take_quoted(l, &s, room) };

		if (label.key != STRTAB_NONE && span_take(&s, ":"))
			label.str = take_quoted(l, &s, room);
		if (label.key == STRTAB_NONE || label.str == STRTAB_NONE)
			return LINE_FAIL(l, &t,
					 "want labels as Go quotes them");
		go->label = arena_grow(l->p->arena, go->label, &go->cap_label,
				       go->n_label + 1, sizeof(label));
		if (!go->label)
			return prof_nomem(l->err);
		go->label[go->n_label++] = label;
	} while (span_take(&s, ", "));
	if (!span_is(s, "}"))
		return LINE_FAIL(l, &t, "want labels as Go quotes them");
	return PROF_OK;
}
