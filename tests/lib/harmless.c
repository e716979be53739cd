/*
 * harmless.c - did the strings of mkhostile.c break out? harmless [WORD...]
 * <OUTPUT: exit status 1 and the place if the output is empty, has a control
 * character except newline and tab, a line separator or a mark of direction, is
 * not UTF-8, has a line that begins with the attack, or contains one of the
 * words.
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"

static const char *const hidden[] = {
	"\xd8\x9c",     "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8",
	"\xe2\x80\xa9", "\xe2\x80\xaa", "\xe2\x80\xab", "\xe2\x80\xac",
	"\xe2\x80\xad", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa7",
	"\xe2\x81\xa8", "\xe2\x81\xa9",
};

/* Length of the UTF-8 sequence at s, which ends with a NUL; 0: it is none. */
static size_t
utf8(const unsigned char *s)
{
	size_t len = s[0] < 0x80   ? 1
		     : s[0] < 0xc2 ? 0
		     : s[0] < 0xe0 ? 2
		     : s[0] < 0xf0 ? 3
		     : s[0] < 0xf5 ? 4
				   : 0;

	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0))
		return 0;
	return len;
}

/* The error at s; NULL: none. */
static const char *
harm(const char *s, bool is_line, char **word)
{
	const unsigned char *u = (const unsigned char *)s;

	if (!utf8(u))
		return "not UTF-8";
	if ((*u < 0x20 && *u != '\n' && *u != '\t') || *u == 0x7f ||
	    (*u == 0xc2 && u[1] < 0xa0))
		return "a control character";
	for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++)
		if (!strncmp(s, hidden[i], strlen(hidden[i])))
			return "a mark of lines or direction";
	if (is_line && (!strncmp(s + strspn(s, " \t"), "::error::", 9) ||
			!strncmp(s, "</text>", 7)))
		return "a line of the attacker's";
	for (; *word; word++)
		if (!strncmp(s, *word, strlen(*word)))
			return *word;
	return NULL;
}

int
main(int argc, char **argv)
{
	struct buf text = { 0 };
	char block[4096];
	const char *why;
	int line = 1;
	size_t n;

	(void)argc;
	while ((n = fread(block, 1, sizeof(block), stdin)) > 0)
		if (buf_add(&text, block, n) < 0)
			return 2;
	if (buf_add(&text, "", 1) < 0)
		return 2;
	why = text.n == 1 ? "no output" : NULL;
	if (!why && strlen((char *)text.data) + 1 != text.n)
		why = "a NUL";
	for (char *s = (char *)text.data; !why && *s;
	     s += utf8((unsigned char *)s)) {
		why = harm(s, s == (char *)text.data || s[-1] == '\n',
			   argv + 1);
		if (why) {
			printf("line %d: %s: %.60s\n", line, why, s);
			break;
		}
		line += *s == '\n';
	}
	if (why && text.n == 1)
		printf("%s\n", why);
	buf_release(&text);
	return why != NULL;
}
