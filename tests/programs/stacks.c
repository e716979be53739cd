/*
 * stacks.c - print the stacks of a profile without any symbolizer, for tests of
 * the sampler: one line a sample; its ticks, or what else its first column
 * counts; then the frames, leaf first, as NAME+OFFSET: the last part of the
 * file's path, and the offset in the file, in hexadecimal; or the name, where
 * there is no file. Labels follow as KEY=VALUE, comments come first. Time that
 * was not sampled has no stack: it is left out.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "lib/model/profile.h"
#include "lib/model/sampling.h"

static const struct cli_opt opts[] = {
	{ 'a', "all", NULL, "print all values of a sample" },
	CLI_READ_OPTS,
	CLI_COMMON_OPTS,
	{ 0 },
};

static const struct cli_cmd cmd = {
	.name = "stacks",
	.args = "[FILE]",
	.brief = "print the stacks of a profile by file and offset",
	.opts = opts,
};

static void
print_frame(const struct profile *p, uint32_t location)
{
	const struct location *l = &p->location[location];
	const struct mapping *m;
	const char *file, *slash;

	if (l->mapping == PROF_NONE && l->n_line) {
		const struct line *line = &p->line[l->line];

		printf(" %s", profile_str(p, p->function[line->function].name));
		return;
	}
	if (l->mapping == PROF_NONE) {
		printf(" ?+%" PRIx64, l->address);
		return;
	}
	m = &p->mapping[l->mapping];
	file = profile_str(p, m->file);
	slash = strrchr(file, '/');
	printf(" %s+%" PRIx64, slash ? slash + 1 : file,
	       l->address - m->start + m->offset);
}

/* Samples may have several ticks each: these are the time, in periods. A tick
 * may be worth a little less: what rounding takes or gives is carried over to
 * the next sample, so that sums are right. */
static int64_t
count_of(const struct profile *p, size_t i, int64_t *rest)
{
	const int64_t *value = profile_value(p, i);
	bool is_cpu = p->n_type > 1 && p->period > 0 &&
		      !strcmp(profile_str(p, p->type[0].type), "samples") &&
		      p->type[1].type == p->period_type.type;
	int64_t n;

	if (!is_cpu)
		return value[0];
	*rest += value[1];
	n = (*rest + p->period / 2) / p->period;
	*rest -= n * p->period;
	return n;
}

int
main(int argc, char **argv)
{
	struct cli cli;
	struct profile *p;
	bool is_all = false;
	int64_t rest = 0;
	int key;

	cli_init(&cli, &cmd, argc, argv);
	while ((key = cli_option(&cli)) != CLI_DONE)
		is_all |= key == 'a';
	p = cli_read(&cli, cli_input(&cli));
	for (size_t i = 0; i < p->n_comment; i++)
		printf("%s\n", profile_str(p, p->comment[i]));
	for (size_t i = 0; i < p->n_sample; i++) {
		const struct sample *s = &p->sample[i];
		const struct label *label = profile_label(p, s);

		if (sampling_is_none(p, i))
			continue;
		printf("%" PRId64,
		       is_all ? profile_value(p, i)[0] : count_of(p, i, &rest));
		for (size_t k = 1; is_all && k < p->n_type; k++)
			printf(" %" PRId64, profile_value(p, i)[k]);
		for (uint32_t k = 0; k < s->n_stack; k++)
			print_frame(p, profile_stack(p, s)[k]);
		for (uint32_t k = 0; k < s->n_label; k++) {
			printf(" %s=", profile_str(p, label[k].key));
			if (label[k].str)
				printf("%s", profile_str(p, label[k].str));
			else
				printf("%" PRId64, label[k].num);
		}
		putchar('\n');
	}
	profile_free(p);
	return cli_finish(&cli, EXIT_SUCCESS);
}
