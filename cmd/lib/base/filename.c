/* filename.c - see filename.h. */
#include "config.h"

#include "filename.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "ascii.h"

static bool
is_plain(char c)
{
	return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.';
}

uint64_t
filename_fnv(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
	return h;
}

void
filename_safe(const char *s, size_t n, char name[FILENAME_SAFE_MAX])
{
	enum { LONGEST = FILENAME_SAFE_MAX - 24 };
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		bool first = i == 0 && (s[i] == '.' || s[i] == '-');

		if (at > LONGEST) {
			snprintf(name + at, FILENAME_SAFE_MAX - at,
				 "~%016" PRIx64, filename_fnv(s, n));
			return;
		}
		if (is_plain(s[i]) && !first)
			name[at++] = s[i];
		else
			at += (size_t)snprintf(name + at, 4, "%%%02X",
					       (unsigned char)s[i]);
	}
	name[at] = '\0';
}

const char *
filename_ending(const char *name)
{
	static const char *const ending[] = { ".pb", ".pb.gz", ".pb.zst",
					      ".prof", ".prof.gz" };

	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		if (filename_ends_in(name, ending[i]))
			return name + strlen(name) - strlen(ending[i]);
	return NULL;
}
