/*
 * inputs.h - the operands of prof-merge as a list of inputs: files, weighted
 * files (3:a.pb.gz), lists of files (@LIST), and names separated by NUL.
 */
#ifndef INPUTS_H
#define INPUTS_H

#include <stddef.h>

struct input {
	const char *name; /* "-" is standard input */
	int weight;
};

struct inputs {
	struct input *input;
	size_t n;
	size_t cap;
	char **text; /* n_text, which own the names of lists */
	size_t n_text;
};

/*
 * Add an operand: N:NAME is NAME with weight N, @LIST the names in the lines of
 * the file LIST ("@-": of standard input), which may have weights, too. An
 * existing file with that exact name takes precedence over both. Dies.
 */
void inputs_add_operand(struct inputs *in, const char *operand);

/* Add the names in file, "-" for standard input, each ended by a NUL. Dies. */
void inputs_add_files0(struct inputs *in, const char *file);

void inputs_release(struct inputs *in);

#endif
