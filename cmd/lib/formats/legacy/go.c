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
 * of the runtime.
 */
#include "config.h"

#include "impl.h"

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

static enum prof_status
find_function(struct legacy *l, struct span name, struct span file,
	      uint32_t *out)
{
	struct strtab *s = &l->p->strings;
	struct function f = { .name = strtab_add(s, name.p, span_len(name)),
			      .file = strtab_add(s, file.p, span_len(file)) };
	uint64_t key = (uint64_t)f.name << 32 | f.file;

	f.system_name = f.name;
	if (f.name == STRTAB_NONE || f.file == STRTAB_NONE)
		return prof_nomem(l->err);
	*out = idmap_find(&l->go.function, key);
	if (*out != IDMAP_NONE)
		return PROF_OK;
	*out = profile_add_function(l->p, &f);
	if (*out == PROF_NONE || idmap_add(&l->go.function, key, *out) < 0)
		return prof_nomem(l->err);
	return PROF_OK;
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
		st = find_function(l, name, file, &line.function);
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
