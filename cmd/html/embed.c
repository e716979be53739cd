/*
 * embed.c - run by the build: text files as C arrays, so that a command needs
 * no files at run time.
 *
 *	embed NAME FILE... [-- NAME FILE...]...   > header
 *
 * For each NAME: `static const char NAME[]`, all its files in a row, and
 * `NAME_sha256`, their SHA-256 in base64, as content policies want it. Files
 * that end in .mjs are parts of one script: their lines that begin with
 * "import " or "export " are left out, shorten.h makes it short, and it is
 * wrapped in one function. Lines of files that end in .css are joined, and the
 * properties that they define themselves have names of a letter.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shorten.h"

struct text {
	unsigned char *s;
	size_t n, cap;
};

static void
fail(const char *what, const char *name)
{
	fprintf(stderr, "embed: %s: %s\n", name, what);
	exit(1);
}

static void
text_add(struct text *t, const char *s, size_t n)
{
	if (t->n + n > t->cap) {
		t->cap = (t->n + n) * 2;
		t->s = realloc(t->s, t->cap);
		if (!t->s)
			fail("out of memory", "realloc");
	}
	memcpy(t->s + t->n, s, n);
	t->n += n;
}

/* --- files --- */

static bool
ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), n_end = strlen(end);

	return n >= n_end && !strcmp(s + n - n_end, end);
}

/* A style's own properties, but those that scripts set. */
static void
put_style(struct text *t, const char *line, size_t n)
{
	static char names[26][16];
	char name[16];

	for (size_t i = 0; i < n; i++) {
		size_t at = 0;

		text_add(t, line + i, 1);
		if (sscanf(line + i, "--%15[a-z0-9]", name) != 1 ||
		    !strcmp(name, "side") || !strcmp(name, "h"))
			continue;
		while (at < 26 && *names[at] && strcmp(names[at], name) != 0)
			at++;
		if (at == 26)
			fail("more than 26 properties", name);
		memcpy(names[at], name, sizeof(name));
		text_add(t, "-", 1);
		text_add(t, &"ABCDEFGHIJKLMNOPQRSTUVWXYZ"[at], 1);
		i += strlen(name) + 1;
	}
}

static void
read_file(struct text *t, const char *name, bool is_part)
{
	bool is_style = ends_in(name, ".css");
	char line[4096];
	FILE *f = fopen(name, "r");

	if (!f)
		fail("cannot be read", name);
	while (fgets(line, sizeof(line), f)) {
		if (!strchr(line, '\n'))
			fail("a line is too long, or the last has no end",
			     name);
		if (is_part && !strcmp(line + strspn(line, "\t"), ";\n"))
			fail("an empty statement", name);
		if (is_style && !ends_in(line, "{\n") && !ends_in(line, "}\n"))
			fail("a line ends inside a rule", name);
		/* Modules become one. */
		if (is_style)
			put_style(t, line, strlen(line) - 1);
		else if (!is_part || (strncmp(line, "import ", 7) != 0 &&
				      strncmp(line, "export ", 7) != 0))
			text_add(t, line, strlen(line));
	}
	if (is_style)
		text_add(t, "\n", 1);
	fclose(f);
}

/* Print the SHA-256 of t in base64, by coreutils, which builders have. */
static void
put_sha256(const char *name, const struct text *t)
{
	FILE *sum;

	fflush(stdout);
	sum = popen("s=$(sha256sum | cut -c 1-64 | tr a-f A-F |"
		    " basenc --base16 -d | base64) && [ ${#s} = 44 ] &&"
		    " printf %s \"$s\"",
		    "w");
	if (!sum || fwrite(t->s, 1, t->n, sum) != t->n || pclose(sum) != 0)
		fail("no SHA-256 by sha256sum and basenc", name);
}

static void
put_array(const char *name, const struct text *t)
{
	printf("static const char %s[] = {", name);
	for (size_t i = 0; i < t->n; i++)
		printf("%s%d,", i % 20 ? "" : "\n", (signed char)t->s[i]);
	printf("\n0 };\n");
	printf("static const char %s_sha256[] __attribute__((unused)) = \"",
	       name);
	put_sha256(name, t);
	printf("\";\n");
}

int
main(int argc, char **argv)
{
	int i = 1;

	printf("/* made by embed.c */\n");
	while (i < argc) {
		const char *name = argv[i++];
		struct text t = { 0 };
		bool is_script = false;

		for (; i < argc && strcmp(argv[i], "--"); i++) {
			bool is_part = ends_in(argv[i], ".mjs");

			is_script |= is_part;
			read_file(&t, argv[i], is_part);
		}
		if (is_script) {
			text_add(&t, "", 1);
			unsigned char *parts = t.s;

			t.s = (unsigned char *)script_shorten((char *)parts,
							      t.n);
			t.n = strlen((char *)t.s);
			free(parts);
		}
		put_array(name, &t);
		free(t.s);
		i++;
	}
	return fflush(stdout) || ferror(stdout);
}
