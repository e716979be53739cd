/*
 * mkprof.c - a profile stream from the text of fixture.h: mkprof [FILE]
 * >STREAM. Stored, not deflated, so that equal texts are equal bytes
 * everywhere.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/stream/stream.h"
#include "tests/lib/fixture.h"

int
main(int argc, char **argv)
{
	struct stream_format stored = { .kind = STREAM_GZIP, .level = 0 };
	const char *name = argc > 1 ? argv[1] : "-";
	struct profile *p = NULL;
	struct prof_err err = { 0 };
	struct buf text = { 0 };
	int fd = strcmp(name, "-") ? open(name, O_RDONLY) : 0;
	int status = 2;

	if (argc > 2) {
		fprintf(stderr, "usage: mkprof [FILE]\n");
		return 2;
	}
	if (fd < 0) {
		fprintf(stderr, "mkprof: %s: %s\n", name, strerror(errno));
		return 2;
	}
	if (stream_read(fd, STREAM_MAX_SIZE, &text, &err) != PROF_OK)
		goto out;
	if (buf_add(&text, "", 1) != 0) {
		prof_nomem(&err);
		goto out;
	}
	if (fixture_parse((char *)text.data, &p, &err) != PROF_OK ||
	    profile_write(1, p, stored, &err) != PROF_OK)
		goto out;
	status = 0;
out:
	if (status)
		fprintf(stderr, "mkprof: %s: %s\n", name, err.msg);
	profile_free(p);
	buf_release(&text);
	if (fd > 0)
		close(fd);
	return status;
}
