/* inputs.c - see inputs.h. */
#include "config.h"

#include "inputs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "lib/base/array.h"
#include "lib/base/buf.h"
#include "lib/ops/merge.h"

static void
input_add(struct inputs *in, const char *name, int weight)
{
	if (array_reserve(&in->input, &in->cap, in->n + 1, sizeof(*in->input)) <
	    0)
		die_nomem();
	in->input[in->n++] = (struct input){ name, weight };
}

static bool
exists(const char *name)
{
	struct stat sb;

	return stat(name, &sb) == 0;
}

/* Add NAME or N:NAME. */
static void
add_weighted(struct inputs *in, const char *text)
{
	unsigned long weight;
	char *end;

	/* A number that is too large gives ULONG_MAX. */
	weight = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != ':' || exists(text)) {
		input_add(in, text, 1);
		return;
	}
	if (weight < 1 || weight > MERGE_WEIGHT_MAX)
		die("%s: a weight is from 1 to %d", text, MERGE_WEIGHT_MAX);
	if (!end[1])
		die("%s: a weight without a file", text);
	input_add(in, end + 1, (int)weight);
}

/* The contents of a list, owned by in. */
static char *
read_list(struct inputs *in, const char *file, size_t *n)
{
	struct buf b = { 0 };
	struct prof_err err;
	int fd = cli_try_open(file, &err);
	char **grown;
	ssize_t got;

	if (fd < 0)
		die("%s: %s", cli_name(file), err.msg);
	do {
		if (buf_reserve(&b, 65536) < 0)
			die_nomem();
		do
			got = read(fd, b.data + b.n, 65535);
		while (got < 0 && errno == EINTR);
		if (got < 0)
			die("%s: %s", cli_name(file), strerror(errno));
		b.n += (size_t)got;
	} while (got);
	cli_close(fd);
	grown = realloc(in->text, (in->n_text + 1) * sizeof(*grown));
	if (!grown)
		die_nomem();
	in->text = grown;
	b.data[b.n] = '\0';
	*n = b.n;
	return grown[in->n_text++] = (char *)b.data;
}

/* Add each name that ends at a byte `end`; skip empty ones. */
static void
add_list(struct inputs *in, const char *file, int end)
{
	size_t n;
	char *text = read_list(in, file, &n), *limit = text + n;

	while (text < limit) {
		char *next = memchr(text, end, (size_t)(limit - text));

		if (!next)
			next = limit;
		*next = '\0';
		if (end == '\n' && next > text && next[-1] == '\r')
			next[-1] = '\0';
		if (*text)
			add_weighted(in, text);
		text = next + 1;
	}
}

void
inputs_add_operand(struct inputs *in, const char *operand)
{
	if (operand[0] == '@' && operand[1] && !exists(operand))
		add_list(in, operand + 1, '\n');
	else
		add_weighted(in, operand);
}

void
inputs_add_files0(struct inputs *in, const char *file)
{
	add_list(in, file, '\0');
}

void
inputs_release(struct inputs *in)
{
	for (size_t i = 0; i < in->n_text; i++)
		free(in->text[i]);
	free(in->text);
	free(in->input);
	memset(in, 0, sizeof(*in));
}
