/* mkrandom.c - a random profile for the tests: mkrandom SEED FLAGS >STREAM */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/model/profile.h"
#include "lib/stream/stream.h"
#include "tests/lib/random.h"

int
main(int argc, char **argv)
{
	struct stream_format stored = { .kind = STREAM_GZIP, .level = 0 };
	struct profile *p;
	struct prof_err err;

	if (argc != 3) {
		fprintf(stderr, "usage: mkrandom SEED FLAGS >STREAM\n");
		return 2;
	}
	p = random_profile(strtoull(argv[1], NULL, 10),
			   (unsigned)strtoul(argv[2], NULL, 10));
	if (profile_write(STDOUT_FILENO, p, stored, &err) != PROF_OK) {
		fprintf(stderr, "mkrandom: %s\n", err.msg);
		return 2;
	}
	profile_free(p);
	return 0;
}
