/*
 * fixture.h - profiles from text, for tests.
 *
 *	# cpu nanoseconds
 *	main;work 20
 *	main;work;leaf=>helper 5 {user="ann" bytes=1024bytes depth=7}
 *
 * The first line names the columns, type and unit in turn; each following line
 * is a sample: its stack, root first as in folded stacks, one value per
 * column, and its labels, strings in quotes. Later lines with # are comments.
 * Lines with @, before the samples, fill the header:
 *
 *	@mapping 0x400000 0x500000 0 /bin/app abc123	(or no build id)
 *	@time NS  @duration NS  @period TYPE UNIT N  @default TYPE
 *	@comment TEXT  @doc URL  @drop REGEX  @keep REGEX
 *
 * A frame is `name` or `name (file:line)` or `name (file:line:column)`, or the
 * address 0x401000 of a frame without symbols; => joins functions inlined into
 * each other, the innermost last, in one location. [2] before a frame puts it
 * in the second mapping, [0] in none; else it is in the first that there is.
 * Equal frames are one location. The address of a named frame depends on its
 * text and mapping alone (0 without mapping), so frames of two fixtures merge.
 * A stack of () is empty.
 */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "lib/model/profile.h"

/*
 * Make a profile of text, which ends with a NUL. *out is the caller's, to end
 * with profile_free(). PROF_EFORMAT names the line; or PROF_ENOMEM.
 */
enum prof_status fixture_parse(const char *text, struct profile **out,
			       struct prof_err *err) MUST_USE;

#endif
