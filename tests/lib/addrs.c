/*
 * addrs.c - profiles as lists of addresses, for the tests of prof-symbolize.
 *
 *	addrs make START LIMIT OFFSET FILE [BUILD-ID] <ADDRESSES >STREAM
 *		one mapping, one sample for each address that is read
 *	addrs print [-c] <STREAM
 *		one line for each location: its address, then for each frame,
 *		innermost first, system name and file:line, with -c :column
 *	addrs names <STREAM
 *		the name of each function
 *	addrs file <STREAM
 *		the path of the first mapping
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/profile.h"
#include "lib/stream/stream.h"

static int
usage(void)
{
	fprintf(stderr, "usage: addrs make START LIMIT OFFSET FILE [BUILD-ID] "
			"| addrs print [-c] | addrs names | addrs file\n");
	return 2;
}

static int
make(char **arg, int n)
{
	struct stream_format stored = { .kind = STREAM_GZIP, .level = 0 };
	struct profile *p = profile_new();
	struct mapping m = { 0 };
	int64_t one = 1;
	char line[64];

	if (!p)
		return 2;
	m.start = strtoull(arg[0], NULL, 0);
	m.limit = strtoull(arg[1], NULL, 0);
	m.offset = strtoull(arg[2], NULL, 0);
	m.file = profile_intern(p, arg[3]);
	m.build_id = profile_intern(p, n > 4 ? arg[4] : "");
	profile_add_type(p, "cpu", "nanoseconds");
	profile_add_mapping(p, &m);
	while (fgets(line, sizeof(line), stdin)) {
		struct location l = { .address = strtoull(line, NULL, 16) };
		uint32_t at = profile_add_location(p, &l, NULL, 0);

		if (at == PROF_NONE ||
		    profile_add_sample(p, &at, 1, &one, NULL, 0) == PROF_NONE)
			return 2;
	}
	n = profile_write(1, p, stored, NULL) == PROF_OK ? 0 : 2;
	profile_free(p);
	return n;
}

static void
print_locations(const struct profile *p, bool columns)
{
	for (size_t i = 0; i < p->n_location; i++) {
		const struct location *l = &p->location[i];
		const struct line *line = profile_line(p, l);

		printf("0x%" PRIx64, l->address);
		for (uint32_t k = 0; k < l->n_line; k++) {
			const struct function *f =
				&p->function[line[k].function];

			printf(" %s %s:%" PRId64,
			       profile_str(p, f->system_name),
			       profile_str(p, f->file), line[k].line);
			if (columns)
				printf(":%" PRId64, line[k].column);
		}
		putchar('\n');
	}
}

static int
print(const char *what, bool columns)
{
	struct prof_err err = { 0 };
	struct profile *p;

	if (profile_read(0, STREAM_MAX_SIZE, &p, &err) != PROF_OK) {
		fprintf(stderr, "addrs: %s\n", err.msg);
		return 2;
	}
	if (!strcmp(what, "print"))
		print_locations(p, columns);
	else if (!strcmp(what, "names"))
		for (size_t i = 0; i < p->n_function; i++)
			puts(profile_str(p, p->function[i].name));
	else if (p->n_mapping)
		puts(profile_str(p, p->mapping[0].file));
	profile_free(p);
	return 0;
}

int
main(int argc, char **argv)
{
	bool columns = argc == 3 && !strcmp(argv[2], "-c");

	if (argc >= 6 && argc <= 7 && !strcmp(argv[1], "make"))
		return make(argv + 2, argc - 2);
	if ((argc == 2 || columns) &&
	    (!strcmp(argv[1], "print") || !strcmp(argv[1], "names") ||
	     !strcmp(argv[1], "file")))
		return print(argv[1], columns);
	return usage();
}
