/* weblist.c - see weblist.h; the numbers are sections.h. */
#include "config.h"

#include "weblist.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "code/sources.h"
#include "lib/base/array.h"
#include "lib/base/buf.h"
#include "lib/base/escape.h"
#include "lib/model/profile.h"
#include "lib/report/frames.h"
#include "lib/report/report.h"
#include "links.h"
#include "list/weblist-data.h"
#include "sections.h"

#define WIDTH 80 /* columns of an instruction */

struct page {
	FILE *out;
	const struct report *r;
	const struct sections *s;
	const struct section *now; /* the one that is printed */
	struct sources *sources;
	struct links *links;
	char *path; /* scratch: a trimmed one */
	size_t cap_path;
	bool nomem;
};

/* Text, in which tabs are the browser's to expand. */
static void
put(const struct page *p, const char *s, size_t n)
{
	const char *tab;

	while (n && (tab = memchr(s, '\t', n))) {
		escape_put(p->out, ESCAPE_XML, s, (size_t)(tab - s));
		putc('\t', p->out);
		n -= (size_t)(tab - s) + 1;
		s = tab + 1;
	}
	escape_put(p->out, ESCAPE_XML, s, n);
}

static void
put_blanks(const struct page *p, size_t n)
{
	static const char blanks[] = "                                        ";

	for (size_t part; n; n -= part) {
		part = n < sizeof(blanks) - 1 ? n : sizeof(blanks) - 1;
		fwrite(blanks, 1, part, p->out);
	}
}

static void
put_value(const struct page *p, int64_t v, bool dot)
{
	struct quantity q;
	char text[sizeof(q.number) + 64];

	/* Most values are 0. */
	if (!v && dot) {
		fputs("         .", p->out);
		return;
	}
	report_format(p->r, &q, v);
	snprintf(text, sizeof(text), "%s%s", q.number, q.unit);
	for (size_t n = escape_width(text, strlen(text)); n < 10; n++)
		putc(' ', p->out);
	put(p, text, strlen(text));
}

/*
 * A line of a file; NULL: there is none. The page names files as they were
 * recorded, and looks for them as they are trimmed.
 */
static const char *
line_of(struct page *p, const char *file, int64_t line, size_t *n)
{
	const struct source *f;
	size_t len = strlen(file);

	*n = 0;
	if (array_reserve(&p->path, &p->cap_path, len + 1, 1) < 0) {
		p->nomem = true;
		return NULL;
	}
	len = frames_path(&p->r->o->frames, file, len, p->path);
	if (!len)
		return NULL;
	p->path[len] = '\0';
	f = sources_get(p->sources, p->path, p->now->build_id);
	if (!f)
		p->nomem = true;
	return f && f->path ? source_line(f, line, n) : NULL;
}

/* --- assembly --- */

/* Columns of the blanks that a line begins with; a tab goes to the next 8th. */
static size_t
indentation(const char *s, size_t n)
{
	size_t column = 0;

	for (size_t i = 0; i < n && (s[i] == ' ' || s[i] == '\t'); i++)
		column += s[i] == ' ' ? 1 : 8 - column % 8;
	return column;
}

/* A column for each character, not for each byte. */
static size_t
columns(const char *s, size_t n)
{
	size_t column = 0;

	for (size_t i = 0; i < n; i++)
		column += (s[i] & 0xc0) != 0x80;
	return column;
}

/*
 * indent blanks and the n bytes at s, tabs expanded, padded to WIDTH; a link to
 * section `to`, unless that is LINKS_NONE.
 */
static void
put_padded(struct page *p, size_t indent, const char *s, size_t n, size_t to)
{
	size_t column = indent;

	put_blanks(p, indent);
	if (to != LINKS_NONE)
		fprintf(p->out, "<a href=\"#s%zu\">", to);
	while (n) {
		const char *tab = memchr(s, '\t', n);
		size_t len = tab ? (size_t)(tab - s) : n;

		escape_put(p->out, ESCAPE_XML, s, len);
		column += columns(s, len);
		if (tab) {
			put_blanks(p, 8 - column % 8);
			column += 8 - column % 8;
			len++;
		}
		s += len;
		n -= len;
	}
	if (to != LINKS_NONE)
		fputs("</a>", p->out);
	if (column < WIDTH)
		put_blanks(p, WIDTH - column);
}

static void
put_where(struct page *p, const struct asm_frame *f)
{
	const char *base;
	size_t n;

	fputs(" <span class=unimportant>", p->out);
	if (f && *f->file) {
		base = frames_base(f->file, &n);
		put(p, base, n);
		fprintf(p->out, ":%" PRId64, f->line);
	}
	fputs("</span>\n", p->out);
}

/* The frame i levels below the one that the step is filed under. */
static const struct asm_frame *
frame_below(const struct section_step *step, size_t i)
{
	return &step->insn->frame[step->level - 1 - i];
}

static bool
same_call(const struct asm_frame *a, const struct asm_frame *b)
{
	return a->line == b->line && !strcmp(a->file, b->file);
}

/* The calls that were inlined, from the first that differs from last's on. */
static void
put_calls(struct page *p, const struct section_step *step,
	  const struct section_step *last, size_t indent)
{
	bool same = last != NULL;
	const char *text;
	size_t n;

	for (size_t i = 0; i < step->level; i++) {
		const struct asm_frame *f = frame_below(step, i);

		same = same && i < last->level &&
		       same_call(f, frame_below(last, i));
		if (same)
			continue;
		text = line_of(p, f->file, f->line, &n);
		while (n && (*text == ' ' || *text == '\t')) {
			text++;
			n--;
		}
		while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
			n--;
		put_blanks(p, 42);
		fputs("<span class=inlinesrc title=\"", p->out);
		put(p, f->function, strlen(f->function));
		fputs("\">", p->out);
		put_padded(p, indent + 4 + 4 * i, text ? text : "", n,
			   LINKS_NONE);
		fputs("</span>", p->out);
		put_where(p, f);
	}
}

static void
put_insn(struct page *p, const struct section_step *step, size_t indent)
{
	const struct asm_insn *insn = step->insn;
	size_t to = links_target(p->links, step);

	/* A jump within the instructions shown here needs none. */
	if (to == (size_t)(p->now - p->s->section))
		to = LINKS_NONE;
	put_blanks(p, 10);
	put_value(p, insn->flat, true);
	putc(' ', p->out);
	put_value(p, insn->cum, true);
	fprintf(p->out, " %8" PRIx64 ": ", insn->address);
	put_padded(p, indent + 4 + 4 * step->level, insn->text,
		   strlen(insn->text), to);
	put_where(p, insn->n_frame ? &insn->frame[0] : NULL);
}

static void
put_assembly(struct page *p, const struct section_line *line, size_t indent)
{
	const struct section_step *step = p->s->step + line->step, *last = NULL;

	fputs("<span class=asm>", p->out);
	for (size_t i = 0; i < line->n_step; i++, step++) {
		if (last && last->insn->address + last->insn->size !=
				    step->insn->address)
			fprintf(p->out, " %8s %27s⋮\n", "", "");
		put_calls(p, step, last, indent);
		if (step->insn->text)
			put_insn(p, step, indent);
		last = step;
	}
	fputs("</span>", p->out);
}

/* --- lines and sections --- */

/* Does the line open to instructions? */
static bool
has_assembly(const struct page *p, const struct section_line *line)
{
	const struct section_step *step = p->s->step + line->step;

	for (size_t i = 0; i < line->n_step; i++)
		if (step[i].level || step[i].insn->text)
			return true;
	return false;
}

/* How hot a line is: 0 to 3. */
static int
heat(const struct page *p, int64_t v)
{
	double share =
		p->r->total ? (double)units_abs(v) / (double)p->r->total : 0;

	return share >= 0.1 ? 3 : share >= 0.01 ? 2 : v ? 1 : 0;
}

static void
put_line(struct page *p, int64_t number, const struct section_line *line,
	 const char *text, size_t n)
{
	const char *class = "nop";
	bool is_live = line && has_assembly(p, line);
	int hot = line ? heat(p, line->flat) : 0;

	if (line)
		class = is_live ? "livesrc" : "deadsrc";
	fprintf(p->out,
		"<span class=line> %6" PRId64 "</span> <span class=", number);
	if (hot)
		fprintf(p->out, "\"%s h%d\">  ", class, hot);
	else
		fprintf(p->out, "%s>  ", class);
	put_value(p, line ? line->flat : 0, true);
	putc(' ', p->out);
	put_value(p, line ? line->cum : 0, true);
	fprintf(p->out, " %8s  ", "");
	put(p, text, n);
	fputs(" </span>", p->out);
	if (is_live)
		put_assembly(p, line, indentation(text, n));
	putc('\n', p->out);
}

static void
put_lines(struct page *p, const struct section *s)
{
	static const char unknown[] =
		"<instructions with unknown line numbers>";
	const struct section_line *line = p->s->line + s->line;
	const struct section_line *end = line + s->n_line;
	const char *text;
	size_t n;

	for (int64_t at = s->begin; at < s->end; at++) {
		bool has;

		/* Lines that a file lacks are not gone through one by one. */
		text = at == 0 ? unknown : line_of(p, s->file, at, &n);
		has = line < end && line->line == at;
		if (!text && !has) {
			if (line == end)
				return;
			at = line->line - 1;
			continue;
		}
		if (at == 0)
			n = strlen(unknown);
		if (!text) {
			text = "???";
			n = 3;
		}
		put_line(p, at, has ? line : NULL, text, n);
		line += has;
	}
}

static void
put_section(struct page *p, size_t i)
{
	const struct section *s = &p->s->section[i];
	char percent[UNITS_PERCENT];

	p->now = s;
	units_percent(percent, s->cum, p->r->total);
	fprintf(p->out, "<section id=\"s%zu\">\n<h2>", i);
	put(p, s->function, strlen(s->function));
	fputs("</h2><p class=\"filename\">", p->out);
	put(p, s->file, strlen(s->file));
	fputs("</p>\n<pre>\n  Total:  ", p->out);
	put_value(p, s->flat, false);
	putc(' ', p->out);
	put_value(p, s->cum, false);
	fprintf(p->out, " (flat, cum) %s\n", percent);
	put_lines(p, s);
	fputs("</pre>\n</section>\n", p->out);
}

/* --- the page --- */

static void
put_index(struct page *p)
{
	fputs("<nav><table>\n", p->out);
	for (size_t i = 0; i < p->s->n_section; i++) {
		const struct section *s = &p->s->section[i];
		const char *base;
		size_t n;

		fputs("<tr><td>", p->out);
		put_value(p, s->flat, false);
		fputs("</td><td>", p->out);
		put_value(p, s->cum, false);
		fprintf(p->out, "</td><td><a href=\"#s%zu\">", i);
		put(p, s->function, strlen(s->function));
		fputs("</a> ", p->out);
		base = frames_base(s->file, &n);
		put(p, base, n);
		fputs("</td></tr>\n", p->out);
	}
	fputs("</table></nav>\n", p->out);
}

static void
put_title(struct page *p)
{
	const struct profile *q = p->r->p;
	const char *type = profile_str(q, q->type[p->r->column].type);
	const char *file = "";
	size_t n = 0;

	if (q->n_mapping)
		file = frames_base(profile_str(q, q->mapping[0].file), &n);
	put(p, n ? file : "unknown", n ? n : 7);
	putc(' ', p->out);
	put(p, *type ? type : "unknown", *type ? strlen(type) : 7);
}

static enum prof_status
put_legend(struct page *p, struct prof_err *err)
{
	struct buf legend = { 0 };
	enum prof_status st = report_legend(p->r, NULL, true, &legend, err);
	const char *s = (const char *)legend.data, *end = s + legend.n, *nl;
	struct quantity q;

	fputs("<div class=\"legend\">", p->out);
	for (; st == PROF_OK && s < end; s = nl + 1) {
		nl = memchr(s, '\n', (size_t)(end - s));
		if (!nl)
			break;
		put(p, s, (size_t)(nl - s));
		fputs("<br>\n", p->out);
	}
	report_format(p->r, &q, p->r->total);
	fputs("Total: ", p->out);
	put(p, q.number, strlen(q.number));
	put(p, q.unit, strlen(q.unit));
	if (p->s->assembly->n_dropped)
		fprintf(p->out,
			"<br>\n%zu colder parts of the code are left out "
			"(--nodecount)",
			p->s->assembly->n_dropped);
	fputs("</div>\n", p->out);
	buf_release(&legend);
	return st;
}

enum prof_status
weblist_page(FILE *out, const struct report *r, const struct sections *s,
	     struct sources *sources, struct prof_err *err)
{
	struct page p = { .out = out, .r = r, .s = s, .sources = sources };
	enum prof_status st = links_new(s, &p.links, err);

	if (st != PROF_OK)
		return st;
	fprintf(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		"<meta charset=\"UTF-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\""
		"default-src 'none'; style-src 'sha256-%s'; "
		"script-src 'sha256-%s'\">\n<title>",
		weblist_style_sha256, weblist_script_sha256);
	put_title(&p);
	fprintf(out, "</title>\n<style>%s</style>\n</head>\n<body>\n",
		weblist_style);
	st = put_legend(&p, err);
	put_index(&p);
	for (size_t i = 0; i < s->n_section; i++)
		put_section(&p, i);
	fprintf(out, "<script>%s</script>\n</body>\n</html>\n", weblist_script);
	links_free(p.links);
	free(p.path);
	return p.nomem ? prof_nomem(err) : st;
}
