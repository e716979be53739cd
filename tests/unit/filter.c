/*
 * filter.c - every rule of the refinements: each row is a profile, the
 * filters, and what must be left. Patterns are those of match.c.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/match.h"
#include "lib/base/buf.h"
#include "lib/model/profile.h"
#include "lib/ops/filter.h"
#include "lib/ops/tagfilter.h"
#include "lib/ops/tags.h"
#include "tests/lib/fixture.h"

/* --- a profile as text: "A;I3=>I2 10 {user=ann bytes=3bytes}", ... --- */

static void __attribute__((format(printf, 2, 3)))
addf(struct buf *b, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	assert_int_equal(buf_add(b, text, strlen(text)), 0);
}

static void
add_stack(struct buf *b, const struct profile *p, const struct sample *s)
{
	const uint32_t *stack = profile_stack(p, s);

	for (uint32_t k = s->n_stack; k-- > 0;) {
		const struct location *l = &p->location[stack[k]];
		const struct line *line = profile_line(p, l);

		if (!l->n_line)
			addf(b, "0x%jx", (uintmax_t)l->address);
		for (uint32_t i = l->n_line; i-- > 0;)
			addf(b, "%s%s",
			     profile_str(p, p->function[line[i].function].name),
			     i ? "=>" : "");
		addf(b, "%s", k ? ";" : "");
	}
}

static void
add_labels(struct buf *b, const struct profile *p, const struct sample *s)
{
	const struct label *l = profile_label(p, s);

	for (uint32_t k = 0; k < s->n_label; k++) {
		addf(b, " %s=", profile_str(p, l[k].key));
		if (l[k].str)
			addf(b, "%s", profile_str(p, l[k].str));
		else
			addf(b, "%jd%s", (intmax_t)l[k].num,
			     profile_str(p, l[k].unit));
	}
}

/* The caller's, to free. */
static char *
render(const struct profile *p)
{
	struct buf b = { 0 };

	assert_int_equal(profile_check(p, NULL), PROF_OK);
	for (size_t i = 0; i < p->n_sample; i++) {
		add_stack(&b, p, &p->sample[i]);
		addf(&b, " %jd", (intmax_t)*profile_value(p, i));
		add_labels(&b, p, &p->sample[i]);
		addf(&b, "\n");
	}
	assert_int_equal(buf_add(&b, "", 1), 0);
	return (char *)b.data;
}

static struct profile *
fixture(const char *text)
{
	struct prof_err err = { 0 };
	struct profile *p;

	if (fixture_parse(text, &p, &err) != PROF_OK)
		fail_msg("%s", err.msg);
	return p;
}

static struct match *
pattern(const char *text, int flags)
{
	struct prof_err err = { 0 };
	struct match *m;

	if (match_new("test", text, flags, &m, &err) != PROF_OK)
		fail_msg("%s", err.msg);
	return m;
}

static void
same_text(size_t row, const char *got, const char *want)
{
	if (strcmp(got, want))
		fail_msg("row %zu: got\n%swanted\n%s", row, got, want);
}

/* --- by name --- */

/* Spec's F: recursion and one location of inlined functions. */
#define FRAMES                                                                 \
	"# samples count\n"                                                    \
	"@mapping 0x400000 0x500000 0 /bin/app\n"                              \
	"A (/s/a.c:1);B (/s/b.c:1);C (/s/c.c:1);B (/s/b.c:1);D (/s/d.c:1) "    \
	"100\n"                                                                \
	"A (/s/a.c:1);I3 (/s/i.c:3)=>I2 (/s/i.c:2)=>I1 (/s/i.c:1);"            \
	"D (/s/d.c:1) 10\n"                                                    \
	"I3 (/s/i.c:3)=>I2 (/s/i.c:2)=>I1 (/s/i.c:1) 1\n"
#define ALL "A;B;C;B;D 100\nA;I3=>I2=>I1;D 10\nI3=>I2=>I1 1\n"

/* Frames without symbols, in two mappings and in none; an empty stack. */
#define RAW                                                                    \
	"# samples count\n"                                                    \
	"@mapping 0x400000 0x500000 0 /bin/app\n"                              \
	"@mapping 0x700000 0x800000 0 /lib/libc.so\n"                          \
	"main;0x401000;[2]0x701000 4\n"                                        \
	"main;[0]0x900000 2\n"                                                 \
	"() 1\n"
#define RAW_ALL "main;0x401000;0x701000 4\nmain;0x900000 2\n 1\n"

struct name_row {
	const char *text;
	const char *focus, *ignore, *hide, *show;
	const char *found; /* letters of those that found something */
	const char *want;
};

static const struct name_row name_rows[] = {
	{ FRAMES, NULL, NULL, NULL, NULL, "", ALL },
	/* The pattern is for function, file or mapping, anywhere in them. */
	{ FRAMES, "I2", NULL, NULL, NULL, "f",
	  "A;I3=>I2=>I1;D 10\nI3=>I2=>I1 1\n" },
	{ FRAMES, "/c\\.c", NULL, NULL, NULL, "f", "A;B;C;B;D 100\n" },
	{ FRAMES, "bin/app", NULL, NULL, NULL, "f", ALL },
	{ FRAMES, "^i2$", NULL, NULL, NULL, "", "" },
	{ FRAMES, "(?i)^i2$", NULL, NULL, NULL, "f",
	  "A;I3=>I2=>I1;D 10\nI3=>I2=>I1 1\n" },
	{ FRAMES, NULL, "^C$", NULL, NULL, "fi",
	  "A;I3=>I2=>I1;D 10\nI3=>I2=>I1 1\n" },
	{ FRAMES, "D", "C", NULL, NULL, "fi", "A;I3=>I2=>I1;D 10\n" },
	/* focus found only what ignore did not take away. */
	{ FRAMES, "^C$", "^C$", NULL, NULL, "i", "" },
	{ FRAMES, NULL, "nothing", NULL, NULL, "f", ALL },
	/* hide: the flat value goes to the caller; lines go one by one. */
	{ FRAMES, NULL, NULL, "D|I2", NULL, "fh",
	  "A;B;C;B 100\nA;I3=>I1 10\nI3=>I1 1\n" },
	{ FRAMES, NULL, NULL, "I", NULL, "fh", "A;B;C;B;D 100\nA;D 10\n" },
	{ FRAMES, NULL, NULL, "app", NULL, "fh", "" },
	/* Samples are judged before frames are hidden. */
	{ FRAMES, "C", NULL, "C", NULL, "fh", "A;B;B;D 100\n" },
	{ FRAMES, NULL, NULL, NULL, "A|I[13]", "fs",
	  "A 100\nA;I3=>I1 10\nI3=>I1 1\n" },
	{ FRAMES, NULL, NULL, NULL, "app", "fs", ALL },
	{ FRAMES, NULL, NULL, "I3", "I", "fhs", "I2=>I1 10\nI2=>I1 1\n" },
	{ FRAMES, NULL, NULL, "x", "x", "f", "" },
	/* Without symbols: show removes always, hide where the binary matches,
	 * and an empty stack goes with any of the four. */
	{ RAW, NULL, NULL, NULL, NULL, "", RAW_ALL },
	{ RAW, "main", NULL, NULL, NULL, "f",
	  "main;0x401000;0x701000 4\nmain;0x900000 2\n" },
	{ RAW, "libc", NULL, NULL, NULL, "f", "main;0x401000;0x701000 4\n" },
	{ RAW, NULL, "libc", NULL, NULL, "fi", "main;0x900000 2\n" },
	{ RAW, NULL, NULL, "libc", NULL, "fh",
	  "main;0x401000 4\nmain;0x900000 2\n" },
	{ RAW, NULL, NULL, NULL, "libc", "f", "" },
	{ RAW, NULL, NULL, NULL, "main", "fs", "main 4\nmain 2\n" },
};

static void
names_choose_samples_and_frames(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(name_rows) / sizeof(*name_rows); i++) {
		const struct name_row *r = &name_rows[i];
		const char *const text[4] = { r->focus, r->ignore, r->hide,
					      r->show };
		struct profile *p = fixture(r->text);
		struct filter_test t[4];
		struct match *m[4] = { 0 };
		struct filter_found hit;
		struct prof_err err;

		for (int k = 0; k < 4; k++)
			if (text[k]) {
				m[k] = pattern(text[k], 0);
				t[k] = match_test(m[k]);
			}
		struct filter_names f = { m[0] ? &t[0] : NULL,
					  m[1] ? &t[1] : NULL,
					  m[2] ? &t[2] : NULL,
					  m[3] ? &t[3] : NULL };
		assert_int_equal(filter_by_name(p, &f, &hit, &err), PROF_OK);

		char found[5], *left = render(p);
		snprintf(found, sizeof(found), "%s%s%s%s", hit.focus ? "f" : "",
			 hit.ignore ? "i" : "", hit.hide ? "h" : "",
			 hit.show ? "s" : "");
		same_text(i, left, r->want);
		same_text(i, found, r->found);
		free(left);
		for (int k = 0; k < 4; k++)
			match_free(m[k]);
		profile_free(p);
	}
}

/* --- cutting stacks --- */

enum cut { SHOW_FROM, PRUNE_FROM, PRUNE };

static const struct {
	enum cut cut;
	const char *text, *drop, *keep, *want;
} cut_rows[] = {
	{ SHOW_FROM, FRAMES, "B", NULL, "B;C;B;D 100\n" },
	{ SHOW_FROM, FRAMES, "C", NULL, "C;B;D 100\n" },
	{ SHOW_FROM, FRAMES, "A|I2", NULL,
	  "A;B;C;B;D 100\nA;I2=>I1;D 10\nI2=>I1 1\n" },
	{ SHOW_FROM, FRAMES, "I[12]", NULL, "I2=>I1;D 10\nI2=>I1 1\n" },
	{ SHOW_FROM, FRAMES, "/i.c", NULL, "I3=>I2=>I1;D 10\nI3=>I2=>I1 1\n" },
	{ SHOW_FROM, FRAMES, "app", NULL, ALL },
	{ SHOW_FROM, FRAMES, "nothing", NULL, "" },
	{ PRUNE_FROM, FRAMES, "B", NULL,
	  "A;B;C;B 100\nA;I3=>I2=>I1;D 10\nI3=>I2=>I1 1\n" },
	{ PRUNE_FROM, FRAMES, "I[23]", NULL,
	  "A;B;C;B;D 100\nA;I3=>I2 10\nI3=>I2 1\n" },
	/* Only names, not files or binaries. */
	{ PRUNE_FROM, FRAMES, "c\\.c|app", NULL, ALL },
	/* drop_frames: whole names; frames at the root are spared. */
	{ PRUNE, FRAMES, "B|I2", NULL, "A 100\nA;I3 10\nI3 1\n" },
	{ PRUNE, FRAMES, "A", NULL, ALL },
	{ PRUNE, FRAMES, "A|C", NULL,
	  "A;B 100\nA;I3=>I2=>I1;D 10\nI3=>I2=>I1 1\n" },
	{ PRUNE, FRAMES, "I.*", "I3|I1", "A;B;C;B;D 100\nA;I3 10\nI3 1\n" },
	{ PRUNE, FRAMES, "I.*", NULL, "A;B;C;B;D 100\nA 10\nI3=>I2=>I1 1\n" },
	{ PRUNE, FRAMES, ".*", "A", "A 100\nA 10\nI3=>I2=>I1 1\n" },
	{ PRUNE, FRAMES, ".", NULL,
	  "A;B;C;B;D 100\nA;I3=>I2=>I1 10\nI3=>I2=>I1 1\n" },
	/* Short names. */
	{ PRUNE,
	  "# a b\n"
	  "main;.f(int);x 1\n"
	  "main;(anonymous namespace)::f(int);x 2\n"
	  "main;S::operator()(int) const;x 3\n",
	  "f|S::operator\\(\\)", NULL,
	  "main 1\n"
	  "main;(anonymous namespace)::f(int);x 2\n"
	  "main 3\n" },
	{ PRUNE, "# a b\nmain;(anonymous namespace)::f(int);x 2\n",
	  "\\(anonymous namespace\\)::f", NULL, "main 2\n" },
	{ PRUNE_FROM, "# a b\nmain;f(int);x 2\n", "int", NULL,
	  "main;f(int);x 2\n" },
	/* Frames without a name are matched by nothing. */
	{ PRUNE, RAW, ".*", NULL,
	  "main;0x401000;0x701000 4\nmain;0x900000 2\n 1\n" },
	{ PRUNE_FROM, RAW, "", NULL, "main 4\nmain 2\n 1\n" },
};

static void
stacks_are_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cut_rows) / sizeof(*cut_rows); i++) {
		int flags = cut_rows[i].cut == PRUNE ? MATCH_WHOLE : 0;
		struct profile *p = fixture(cut_rows[i].text);
		struct match *drop = pattern(cut_rows[i].drop, flags);
		struct match *keep = NULL;
		struct filter_test d = match_test(drop), k;
		enum prof_status st = PROF_OK;
		struct prof_err err;
		bool found;

		if (cut_rows[i].keep) {
			keep = pattern(cut_rows[i].keep, flags);
			k = match_test(keep);
		}
		if (cut_rows[i].cut == SHOW_FROM)
			st = filter_show_from(p, &d, &found, &err);
		else if (cut_rows[i].cut == PRUNE_FROM)
			st = filter_prune_from(p, &d, &err);
		else
			st = profile_prune(p, &d, keep ? &k : NULL, &err);
		assert_int_equal(st, PROF_OK);

		char *left = render(p);
		same_text(i, left, cut_rows[i].want);
		if (cut_rows[i].cut == SHOW_FROM)
			assert_int_equal(found, p->n_sample != 0);
		free(left);
		match_free(drop);
		match_free(keep);
		profile_free(p);
	}
}

/* --- labels --- */

#define TAGS                                                                   \
	"# samples count\n"                                                    \
	"a 1 {user=\"ann\" req=\"r1\" bytes=1024bytes}\n"                      \
	"b 2 {user=\"bob\" bytes=2048bytes}\n"                                 \
	"c 3 {user=\"bob\" user=\"eve\" depth=7}\n"                            \
	"d 4 {lat=2s lat=5ms}\n"                                               \
	"e 5 {request=512}\n"                                                  \
	"f 6\n"

static const struct {
	const char *key, *expr; /* a range, or one pattern a comma */
	const char *want;       /* names of the samples; "!..." a message */
} tag_rows[] = {
	{ NULL, "ann", "a" },
	{ NULL, "user:b", "bc" },
	{ NULL, "^user:bob$", "bc" },
	{ NULL, "ann,r1", "a" }, /* all of them */
	{ NULL, "bob,eve", "c" },
	{ NULL, "bob,r1", "" },
	{ "user", "ann,eve", "ac" }, /* any of them */
	{ "user", "", "abc" },
	{ "req", "ann", "" },
	{ "nokey", ".*", "" },
	{ "bytes", ".*", "" }, /* numbers have no text */
	{ "bytes", "1kb", "a" },
	{ "bytes", "1024b", "a" },
	{ "bytes", "1024bytes", "a" },
	{ "bytes", "1kb:", "ab" },
	{ "bytes", ":1kb", "a" },
	{ "bytes", "1025b:2kb", "b" },
	{ "bytes", "1kb:2", "ab" }, /* the unit of the first is that of both */
	{ NULL, "2kb", "b" },
	{ NULL, "512b", "e" }, /* request is in bytes */
	{ NULL, "1ms:10ms", "d" },
	{ "lat", "2000ms", "d" }, /* each value by its own unit */
	{ "lat", "2001ms:1hr", "" },
	{ "lat", "5000us:6000us", "d" },
	{ "depth", "7", "c" },
	{ "depth", "7count", "c" },
	{ "depth", "-1:+6", "" },
	{ NULL, "7", "c" }, /* only where no unit is known */
	{ NULL, "1mb:", "" },
	{ "depth", "7depth", "c" },
	{ "depth", "7foo", "" },
	{ "bytes", "1024", "!label 'bytes' is in bytes" },
	{ "bytes", "0:256B", "!the first number has no unit; write 0B:256B" },
	{ "bytes", "1kb:4s", "!don't convert" },
	{ NULL, "99999999999999999999", "!too large" },
	{ NULL, ":99999999999999999999b", "!too large" },
	{ NULL, "1kb:4kb:", "" }, /* no range: a pattern */
	{ NULL, "1.5kb", "" },
	{ NULL, "12a3", "" },
};

static const char *
leaf_name(const struct profile *p, size_t i)
{
	uint32_t leaf = *profile_stack(p, &p->sample[i]);
	const struct line *line = profile_line(p, &p->location[leaf]);

	return profile_str(p, p->function[line->function].name);
}

/* Apply an expression of tag_rows; the names that are left, or "!message". */
static void
apply_tag(struct profile *p, const char *key, const char *expr, bool ignore,
	  char *out, size_t size)
{
	struct tag_filter f = { .key = key };
	struct match *m[TAG_MAX_TEST];
	char *copy = strdup(expr), *part = copy, *next;
	struct prof_err err = { 0 };
	bool found[2] = { false, false };
	enum prof_status st;

	st = tag_range_parse(expr, &f.range, &f.is_range, &err);
	for (; part && !f.is_range && st == PROF_OK; part = next) {
		next = strchr(part, ',');
		if (next)
			*next++ = '\0';
		m[f.n_test] = pattern(part, 0);
		f.test[f.n_test] = match_test(m[f.n_test]);
		f.n_test++;
	}
	if (st == PROF_OK)
		st = filter_by_tag(p, ignore ? NULL : &f, ignore ? &f : NULL,
				   found, &err);
	out[0] = '\0';
	if (st != PROF_OK)
		snprintf(out, size, "!%s", err.msg);
	else
		for (size_t i = 0; i < p->n_sample; i++)
			strncat(out, leaf_name(p, i), 1);
	if (st == PROF_OK && !ignore)
		assert_int_equal(found[0], p->n_sample != 0);
	for (size_t i = 0; i < f.n_test; i++)
		match_free(m[i]);
	free(copy);
}

static void
tags_choose_samples(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(tag_rows) / sizeof(*tag_rows); i++) {
		const char *want = tag_rows[i].want;
		struct profile *p = fixture(TAGS), *q = fixture(TAGS);
		char kept[600], dropped[600];

		apply_tag(p, tag_rows[i].key, tag_rows[i].expr, false, kept,
			  sizeof(kept));
		apply_tag(q, tag_rows[i].key, tag_rows[i].expr, true, dropped,
			  sizeof(dropped));
		if (want[0] == '!') {
			assert_non_null(strstr(kept, want + 1));
			assert_non_null(strstr(dropped, want + 1));
		} else {
			same_text(i, kept, want);
			/* tagfocus and tagignore share the samples out. */
			assert_int_equal(strlen(kept) + strlen(dropped), 6);
		}
		profile_free(p);
		profile_free(q);
	}
}

static void
labels_are_edited(void **state)
{
	static const char text[] = "# a b\n"
				   "x 1 {user=\"ann\" req=\"r\" bytes=3}\n"
				   "y 2 {bytes=4kb}\n";
	struct profile *p = fixture(text);
	struct match *user = pattern("^u", 0), *bytes = pattern("by|no", 0);
	struct filter_test u = match_test(user), b = match_test(bytes);
	struct prof_err err;
	bool found[2];
	char *left;

	(void)state;
	assert_int_equal(tags_filter(p, NULL, &b, found, &err), PROF_OK);
	assert_true(found[1]);
	left = render(p);
	assert_string_equal(left, "x 1 req=r user=ann\ny 2\n");
	free(left);
	assert_int_equal(tags_filter(p, &u, &b, found, &err), PROF_OK);
	assert_true(found[0]);
	assert_false(found[1]);
	left = render(p);
	assert_string_equal(left, "x 1 user=ann\ny 2\n");
	free(left);
	profile_free(p);

	p = fixture(text);
	assert_int_equal(tags_rename(p, "user", "abc", &found[0], &err),
			 PROF_OK);
	assert_true(found[0]);
	assert_int_equal(tags_rename(p, "bytes", NULL, &found[0], &err),
			 PROF_OK);
	assert_int_equal(tags_rename(p, "none", "abc", &found[0], &err),
			 PROF_OK);
	assert_false(found[0]);
	left = render(p);
	assert_string_equal(left, "x 1 abc=ann req=r\ny 2\n");
	free(left);
	profile_free(p);
	match_free(user);
	match_free(bytes);
}

static void
labels_become_frames(void **state)
{
	char user[] = "user", bytes[] = "bytes", none[] = "none", empty[] = "";
	char *root[] = { user, bytes, empty }, *leaf[] = { none, user };
	struct profile *p = fixture(
		"# a b\n"
		"m;x 1 {user=\"bob\" user=\"ann\" bytes=2048bytes bytes=7}\n"
		"m;y 2 {user=\"bob,ann\"}\n"
		"() 3 {bytes=1048576kb}\n");
	struct prof_err err;
	bool found[2];
	char *left;

	(void)state;
	assert_int_equal(tags_frames(p, root, 3, NULL, 0, "auto", found, &err),
			 PROF_OK);
	assert_true(found[0]);
	left = render(p);
	assert_string_equal(
		left, "bob,ann;2kB,7;m;x 1 user=bob user=ann bytes=2048bytes "
		      "bytes=7\n"
		      "bob,ann;;m;y 2 user=bob,ann\n"
		      ";1GB 3 bytes=1048576kb\n");
	free(left);
	/* Equal frames are one location. */
	assert_int_equal(profile_stack(p, &p->sample[0])[3],
			 profile_stack(p, &p->sample[1])[3]);
	assert_int_equal(tags_frames(p, NULL, 0, leaf, 2, "auto", found, &err),
			 PROF_OK);
	assert_true(found[1]);
	assert_false(found[0]);
	assert_int_equal(p->sample[2].n_stack, 4);
	assert_int_equal(profile_check(p, &err), PROF_OK);
	profile_free(p);
}

/* --- patterns --- */

static bool
matches(const char *re, const char *s, int flags)
{
	struct match *m = pattern(re, flags);
	struct prof_err err;
	bool yes;

	assert_int_equal(match_bytes(m, s, strlen(s), &yes, &err), PROF_OK);
	match_free(m);
	return yes;
}

static void
patterns_mean_what_they_mean_to_pprof(void **state)
{
	(void)state;
	assert_true(matches("b", "abc", 0));
	assert_false(matches("B", "abc", 0));
	assert_false(matches("^b", "abc", 0));
	assert_false(matches("c$", "abc\n", 0)); /* $ is the very end */
	assert_false(matches("a.b", "a\nb", 0));
	assert_true(matches("a|b", "b", MATCH_WHOLE));
	assert_false(matches("a|b", "ab", MATCH_WHOLE));
	assert_true(matches("a|ab", "ab", MATCH_WHOLE));
	/* Bytes, and characters where the pattern speaks of them. */
	assert_true(matches("a.*b",
			    "a\xff\xfe"
			    "b",
			    0));
	assert_true(matches("^[\xc3\xa4\xc3\xb6]$", "\xc3\xb6", 0));
	assert_true(matches("(?i)\xc3\x84", "\xc3\xa4", 0));
	assert_true(matches("^\\pL$", "\xc3\xa4", 0));
	assert_true(matches("\xc3\xa4", "\xff\xc3\xa4", 0));
}

static void
bad_patterns_are_refused(void **state)
{
	static const char *const bad[] = {
		"(a",      "a)",      "[a",
		"*a",      "a{2,1}",  "\\",
		"(*UTF)a", "(?P<n>a", "((a{999}){999}){999}"
	};
	struct prof_err err;
	struct match *m;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(match_new("focus", bad[i], 0, &m, &err),
				 PROF_EUSAGE);
		assert_null(m);
		assert_memory_equal(err.msg, "parsing focus regexp: ", 22);
	}
}

/* Patterns that take exponential time, or nearly, come to an end. */
static void
hostile_patterns_end(void **state)
{
	static const char *const hostile[] = {
		"(a+)+$",
		"(a|aa)+$",
		"(.*a){12}$",
		"^(([a-z])+.)+[A-Z]$",
	};
	size_t n = 100000;
	char *s = malloc(n + 1);
	struct prof_err err;
	bool yes;

	(void)state;
	memset(s, 'a', n);
	s[n - 1] = '!';
	s[n] = '\0';
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		struct match *m = pattern(hostile[i], 0);

		assert_int_equal(match_bytes(m, s, n, &yes, &err), PROF_ELIMIT);
		assert_non_null(strstr(err.msg, "too much work"));
		match_free(m);
	}

	/* Many names that each cost less than is allowed: together too much. */
	struct match *m = pattern("(a+)+$", 0);
	enum prof_status st = PROF_OK;
	size_t k;

	memset(s, 'a', 24);
	memcpy(s + 17, "!", 2);
	for (k = 0; k < 100000 && st == PROF_OK; k++)
		st = match_bytes(m, s, 18, &yes, &err);
	assert_int_equal(st, PROF_ELIMIT);
	assert_true(k > 1);
	match_free(m);
	free(s);
}

static void
drop_frames_of_the_profile(void **state)
{
	static const struct {
		const char *header, *want;
	} rows[] = {
		{ "@drop B|I2\n", "A 100\nA;I3 10\nI3 1\n" },
		{ "@drop .*\n@keep A|B\n", "A;B 100\nA 10\nI3=>I2=>I1 1\n" },
		{ "@drop (B\n", ALL },
		{ "@drop B\n@keep (B\n", ALL },
		{ "@keep A\n", ALL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		static const char first[] = "# samples count\n";
		char text[2000], *left;
		struct profile *p;
		struct prof_err err;

		snprintf(text, sizeof(text), "%s%s%s", first, rows[i].header,
			 &FRAMES[strlen(first)]);
		p = fixture(text);
		assert_int_equal(match_drop_frames(p, &err), PROF_OK);
		left = render(p);
		assert_string_equal(left, rows[i].want);
		free(left);
		profile_free(p);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_choose_samples_and_frames),
		cmocka_unit_test(stacks_are_cut),
		cmocka_unit_test(tags_choose_samples),
		cmocka_unit_test(labels_are_edited),
		cmocka_unit_test(labels_become_frames),
		cmocka_unit_test(patterns_mean_what_they_mean_to_pprof),
		cmocka_unit_test(bad_patterns_are_refused),
		cmocka_unit_test(hostile_patterns_end),
		cmocka_unit_test(drop_frames_of_the_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
