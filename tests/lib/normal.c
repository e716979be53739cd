/*
 * normal.c - a profile as lines that can be compared with those of other
 * tools, whatever their order of tables, ids and samples:
 *
 *	normal [PREFIX] < profile.pb.gz
 *
 * A line is PREFIX, a stack, its labels, a tab, and the values; frames leaf
 * first, as pprof's -raw writes them. normal.sh makes the same of -raw and adds
 * up equal stacks.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/model/profile.h"
#include "lib/stream/stream.h"

static void
print_location(const struct profile *p, const struct location *l)
{
	const struct line *line = profile_line(p, l);
	const char *file = "";

	if (l->mapping != PROF_NONE)
		file = profile_str(p, p->mapping[l->mapping].file);
	printf("%s%" PRIx64 " %s", l->address ? "0x" : "", l->address, file);
	if (l->is_folded)
		printf(" [F]");
	for (uint32_t i = 0; i < l->n_line; i++) {
		const struct function *f = &p->function[line[i].function];
		const char *name = profile_str(p, f->name);
		const char *system = profile_str(p, f->system_name);

		printf("%s%s %s:%" PRId64 " s=%" PRId64, i ? "<=" : " ", name,
		       profile_str(p, f->file), line[i].line, f->start_line);
		if (strcmp(name, system))
			printf("(%s)", system);
	}
}

static void
print_labels(const struct profile *p, const struct sample *s)
{
	const struct label *l = profile_label(p, s);

	for (uint32_t k = 0; k < s->n_label; k++) {
		bool first = !k || l[k].key != l[k - 1].key ||
			     !l[k].str != !l[k - 1].str;
		bool last = k + 1 == s->n_label || l[k].key != l[k + 1].key ||
			    !l[k].str != !l[k + 1].str;

		if (first)
			printf(" %s:[", profile_str(p, l[k].key));
		else
			printf(" ");
		if (l[k].str)
			printf("%s", profile_str(p, l[k].str));
		else
			printf("%" PRId64 "%s%s", l[k].num,
			       l[k].unit ? " " : "", profile_str(p, l[k].unit));
		if (last)
			printf("]");
	}
}

int
main(int argc, char **argv)
{
	struct prof_err err;
	struct profile *p;

	if (profile_read(0, STREAM_MAX_SIZE, &p, &err) != PROF_OK) {
		fprintf(stderr, "normal: %s\n", err.msg);
		return 2;
	}
	for (size_t i = 0; i < p->n_sample; i++) {
		const struct sample *s = &p->sample[i];

		if (argc > 1)
			printf("%s ", argv[1]);
		for (uint32_t k = 0; k < s->n_stack; k++) {
			printf("%s", k ? "; " : "");
			print_location(p, &p->location[profile_stack(p, s)[k]]);
		}
		print_labels(p, s);
		printf("\t");
		for (size_t k = 0; k < p->n_type; k++)
			printf("%s%" PRId64, k ? " " : "",
			       profile_value(p, i)[k]);
		printf("\n");
	}
	profile_free(p);
	return ferror(stdout) || fclose(stdout) ? 2 : 0;
}
