/* kallsyms.c - see symlist.h. */
#include "config.h"

#include "symlist.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FUNCTION (1 << 20) /* bytes */

/* One line. */
struct symbol {
	uint64_t addr;
	char type;
	const char *name; /* n bytes, without the module */
	size_t n;
};

static bool
read_line(const char *s, const char *end, struct symbol *out)
{
	const char *tab;
	int digits = 0;

	*out = (struct symbol){ 0 };
	for (; s < end && digits < 17; s++, digits++) {
		unsigned c = (unsigned char)*s;

		if (c - '0' < 10)
			out->addr = out->addr << 4 | (c - '0');
		else if (c - 'a' < 6)
			out->addr = out->addr << 4 | (c - 'a' + 10);
		else
			break;
	}
	if (digits == 0 || digits > 16 || end - s < 4 || s[0] != ' ' ||
	    s[2] != ' ')
		return false;
	out->type = s[1];
	out->name = s + 3;
	tab = memchr(out->name, '\t', (size_t)(end - out->name));
	out->n = (size_t)((tab ? tab : end) - out->name);
	return true;
}

static bool
is_named(const struct symbol *s, const char *name)
{
	return s->n == strlen(name) && !memcmp(s->name, name, s->n);
}

/* Is this a better name than that, for code at one address? */
static bool
is_better(const char *this, const char *that)
{
	return strspn(this, "_") < strspn(that, "_");
}

static int
cmp_entry(const void *a, const void *b)
{
	const struct symlist_entry *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

/*
 * Sort, keep one symbol for each address, and end each at the next. The gap
 * after the last function of a module does not belong to it.
 */
static void
finish(struct symlist *l)
{
	size_t n = 0;

	if (l->n)
		qsort(l->entry, l->n, sizeof(*l->entry), cmp_entry);
	for (size_t i = 0; i < l->n; i++) {
		struct symlist_entry *e = &l->entry[i];

		if (n == 0 || l->entry[n - 1].start != e->start)
			l->entry[n++] = *e;
		else if (is_better(l->text + e->name,
				   l->text + l->entry[n - 1].name))
			l->entry[n - 1].name = e->name;
	}
	l->n = n;
	for (size_t i = 0; i < n; i++) {
		uint64_t size =
			i + 1 < n ? l->entry[i + 1].start - l->entry[i].start
				  : MAX_FUNCTION;

		if (size > MAX_FUNCTION)
			size = MAX_FUNCTION;
		l->entry[i].end = size > UINT64_MAX - l->entry[i].start
					  ? UINT64_MAX
					  : l->entry[i].start + size;
	}
}

enum prof_status
kallsyms_read(struct kallsyms *k, const char *text, size_t n,
	      struct prof_err *err)
{
	const char *end = text + n, *eol;
	bool hidden = false;

	for (const char *s = text; s < end; s = eol + 1) {
		struct symbol sym;
		uint32_t name;

		eol = memchr(s, '\n', (size_t)(end - s));
		if (!eol)
			break;
		if (!read_line(s, eol, &sym))
			continue;
		hidden |= sym.addr == 0;
		/* Data, too: the code before it ends there. */
		if (sym.addr == 0 || !strchr("tTwWbBdDrRvV", sym.type))
			continue;
		if (is_named(&sym, "_stext"))
			k->stext = sym.addr;
		else if (is_named(&sym, "_text"))
			k->text = sym.addr;
		name = symlist_text(&k->list, sym.name, sym.n);
		if (name == SYMLIST_NONE ||
		    symlist_add(&k->list, sym.addr, 0, name) < 0)
			return prof_nomem(err);
	}
	if (k->list.n == 0)
		return hidden ? prof_fail(err, PROF_EIO,
					  "addresses are hidden "
					  "(kernel.kptr_restrict)")
			      : prof_fail(err, PROF_EFORMAT,
					  "not a list of kernel symbols");
	finish(&k->list);
	return PROF_OK;
}
