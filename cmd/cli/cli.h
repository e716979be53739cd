/*
 * cli.h - the command-line front end of all commands: options from one table,
 * messages, inputs, output, exit. Functions here may print and end the process;
 * the library below (lib/) never does.
 *
 * Exit status: 0 done; 1 the answer is "no"; 2 trouble (die()); 3 the output is
 * complete, but some inputs were skipped.
 */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/stream/stream.h"

struct profile;

#define CLI_DONE (-1) /* cli_option(): no more options */
#define CLI_LONG 256  /* first key for an option without a short letter */
#define CLI_GROUP 512 /* first key for the options of a shared group */
#define CLI_TROUBLE 2 /* exit status of die() */
#define CLI_SKIPPED 3 /* exit status: done, but without some bad inputs */

/*
 * One option. Parsing, --help, --list-options, shell completion and the check
 * of the man page all use these rows. A row of zeros ends a table; a row
 * CLI_HEADING("Labels") is a heading in --help.
 */
struct cli_opt {
	int key;          /* short letter, or a number from CLI_LONG on */
	const char *name; /* long name, words joined by '-'; '_' works too */
	const char *arg;  /* NULL: none; "[X]": optional; else required;
			   * "[BOOL]": a switch, which --x=false turns off */
	const char *help; /* lower case, no full stop */
};

/* Options of every command, handled by cli_option(). */
enum {
	CLI_KEY_MAX_SIZE = 1000,
	CLI_KEY_LIST_OPTIONS,
	CLI_KEY_HEADING,
};
#define CLI_HEADING(text)                                                      \
	{                                                                      \
		CLI_KEY_HEADING, "", NULL, text                                \
	}
#define CLI_COMMON_OPTS                                                        \
	{ 'o', "output", "FILE", "write to FILE, whole or not at all" },       \
		{ 'q', "quiet", NULL, "print errors only" },                   \
		{ 'h', "help", NULL, "print this text and exit" },             \
		{ 'V', "version", NULL, "print the version and exit" },        \
	{                                                                      \
		CLI_KEY_LIST_OPTIONS, "list-options", NULL,                    \
			"print the options, for shell completion"              \
	}
#define CLI_READ_OPTS                                                          \
	{                                                                      \
		CLI_KEY_MAX_SIZE, "max-size", "SIZE",                          \
			"refuse input that unpacks to more (4G), or needs "    \
			"more memory (256M and 256 times what is read)"        \
	}
#define CLI_WRITE_OPTS                                                         \
	{                                                                      \
		'z', "compress", "LEVEL",                                      \
			"gzip level 0-9, or zstd[:LEVEL] (0 into a pipe, "     \
			"else 6)"                                              \
	}

/* An option that users of another program try, and what to do instead. */
struct cli_hint {
	const char *option; /* without dashes */
	const char *text;   /* "see --pid" */
};

struct cli_cmd {
	const char *name;
	const char *args;  /* of the usage line: "[FILE...]" */
	const char *brief; /* one line */
	const struct cli_opt *opts;
	const struct cli_opt *const *groups; /* more tables, NULL at the end;
					      * may be NULL */
	bool stop_at_operand;         /* no options after the first operand */
	const struct cli_hint *hints; /* NULL at the end; may be NULL */
};

struct cli_output;

struct cli {
	const struct cli_cmd *cmd;
	char *arg;      /* of the option that cli_option() returned, or NULL */
	char **operand; /* n_operand words; set when cli_option() is done */
	int n_operand;
	const char *output; /* -o, or NULL */
	size_t max_size;
	bool is_quiet;   /* -q was given */
	bool has_format; /* -z was given */
	struct stream_format format;
	unsigned n_thread; /* to write with; 0: cli_processors() */

	/* Private to cli.c and refuse.c. */
	int key; /* of the option that cli_option() returned */
	char **argv;
	int argc;
	int next;
	int taken; /* the last option with a word of its own as argument, or 0
		    */
	void *getopt;
	char *shorts;
	struct cli_output *out;
};

/*
 * First call of main(): opens descriptors 0 to 2 if needed, gives SIGPIPE its
 * default action (a parent may have changed it), makes a file at its limit of
 * size an error of write(), and sets the program's name.
 */
void cli_init(struct cli *cli, const struct cli_cmd *cmd, int argc,
	      char **argv);

/* Before a command of the user is executed: undo these, as it is to find what
 * we found. */
void cli_hand_on(void);

/* The long name of the option with this key, or NULL. */
const char *cli_key_name(const struct cli_cmd *cmd, int key);

/*
 * The key of the next option, with its argument in cli->arg; CLI_DONE after the
 * last. Options and operands may be mixed; "--" ends the options. The options
 * in CLI_*_OPTS are handled here and not returned. An invalid option ends the
 * process.
 */
int cli_option(struct cli *cli);

/*
 * The next input operand, or NULL after the last. Without operands the only
 * input is "-", standard input. A second "-" ends the process.
 */
const char *cli_input(struct cli *cli);

/* The name of an input in messages: "-" is "<stdin>", an empty name ''. */
const char *cli_name(const char *input);

/*
 * Open input for reading: the descriptor, which the caller closes with
 * cli_close() (for "-" it is 0). Dies when it can't, or when it is a terminal.
 */
int cli_open(const char *input);

/* The same, but returns -1 and a message on failure. */
int cli_try_open(const char *input, struct prof_err *err) MUST_USE;

/* An input was read. Allows -1; standard input stays open. */
void cli_close(int fd);

/* Warn of what the reader of input doubts in p. */
void cli_doubts(const char *input, const struct profile *p);

/* The output has only stacks: warn of samples of p without one. */
void cli_stackless(const struct profile *p, size_t column);

/* Read one profile from input: the caller's, for profile_free(). Dies. */
struct profile *cli_read(struct cli *cli, const char *input);

/*
 * Read all inputs as one profile, the caller's; several are merged
 * (lib/ops/merge.h). Dies.
 */
struct profile *cli_read_all(struct cli *cli);

/*
 * Sum inputs (lib/ops/merge.h) by the sample types common to all: begin, add
 * each profile p with the name of its input, end. cli_sum_add() frees p.
 * cli_sum_end() frees the sum, warns about losses in it, and returns it as a
 * profile, the caller's. All die on errors.
 */
struct merge;
struct merge *cli_sum_begin(void);
void cli_sum_add(struct merge *sum, struct profile *p, const char *input);
struct profile *cli_sum_end(struct merge *sum);

/* What a command writes: only text is written to a terminal. */
enum cli_output_kind {
	CLI_TEXT,
	CLI_PROFILE,
	CLI_PAGE,
	CLI_PICTURE,
	CLI_BINARY
};

/*
 * Die now, before long work, if the output could not be written: it is a
 * terminal, or a file that cannot be made, or that has no room.
 */
void cli_check_output(const struct cli *cli, enum cli_output_kind kind);

/* The number of processors that this process may use; at most 8. */
unsigned cli_processors(void);

/*
 * Write p as the command's output, to the file of -o or to standard output, but
 * not to a terminal. At most once. Dies.
 */
void cli_write(struct cli *cli, const struct profile *p);

/*
 * The text output of the command, for stdio: the file of -o or standard output.
 * cli_finish() closes it. Call it after all input is parsed.
 */
FILE *cli_text(struct cli *cli);

/* The same; if it is text for people, no line of it is a command (lines.h). */
FILE *cli_report(struct cli *cli, bool is_text);

/* Write n bytes as the command's output, at most once. Dies. */
void cli_bytes(struct cli *cli, const void *data, size_t n,
	       enum cli_output_kind kind);

/*
 * Last call of main(): `return cli_finish(&cli, status)`. Closes the output,
 * dies if not all could be written, puts the file of -o in place.
 */
int cli_finish(struct cli *cli, int status);

/*
 * Set the program's name in messages ("": no name), and whether errors are red,
 * for a session at a terminal.
 */
void cli_voice(const char *name, bool is_red);

/* Is fd a terminal with colours, whose user wants them? */
bool cli_colours(int fd);

/* One line to stderr, "name: ...", escaped (lib/base/escape.h); then exit(2).
 */
_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* die(): there is no memory, or no more of the budget (budget.h). */
_Noreturn void die_nomem(void);

/* Returns p; dies, without memory, if it is NULL. */
void *allocated(void *p);

/* The same line, but continues; the caller exits with CLI_TROUBLE. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same line, but continues; silent with -q. */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void warn_sentence(const char *sentence); /* a callback: "%s" */

/*
 * Die of the argument of the last option: "--max-files: 'x' is not WANT", as in
 * "a number from 1 to 9".
 */
_Noreturn void cli_bad_arg(const struct cli *cli, const char *want);

/*
 * The index of the argument of the last option among words, NULL at the end;
 * the case of letters is free. A word with '=' or ':' stands for every argument
 * that begins as it does up to there. Dies of any other, by its kind: "--to:
 * unknown format 'pdf'; one of callgrind, folded".
 */
int cli_word(const struct cli *cli, const char *kind, const char *const *words);

/* The same of n bytes, for the option of this name. */
int cli_word_of(const char *option, const char *kind, const char *word,
		size_t n, const char *const *words);

/* N or N/M, numbers above 0, that text says behind "ops=". Dies. */
double cli_operations(const struct cli *cli, const char *text);

/* Parse the argument of the last option; they die, naming the option, if it is
 * invalid. */
uint64_t cli_uint(const struct cli *cli, uint64_t min, uint64_t max);
int64_t cli_int(const struct cli *cli, int64_t min);
double cli_double(const struct cli *cli); /* finite */
double cli_between(const struct cli *cli, double min, double max);
bool cli_bool(const struct cli *cli);   /* "[BOOL]": none means true */
size_t cli_size(const struct cli *cli); /* bytes, with K, M, G or T */
int64_t cli_age(const struct cli *cli); /* as cli_parse_age() */

/* The seconds of "14d"; 0: it is no age. */
int64_t cli_parse_age(const char *text);

/*
 * In cli-output.c: the path to write to, for free(): behind a symbolic link,
 * which stays. A dangling link has its target created. NULL: it leads to a
 * descriptor of ours, as /dev/stdout does, which is then *fd; else that is -1.
 * Dies.
 */
char *cli_real_path(const char *path, int *fd);

/* In cli-output.c, for cli_finish(): complete the output, if any. */
void cli_output_close(struct cli *cli);

/*
 * Forget the text that is not written yet, for die(): a small output is whole,
 * or there is none.
 */
void cli_output_drop(void);

/*
 * What a command can't need is taken from it before it reads (landlock(7)): to
 * write but where its output goes, to execute programs, to connect, and to read
 * but what its command line names. Kernels without that leave the rights as
 * they are; $PROF_SANDBOX=0 does, too. needs: what a command does beside
 * reading files and writing its output. Call it after the options are parsed.
 */
enum {
	SANDBOX_NAMED = 1,   /* less: it reads only what its words name */
	SANDBOX_CACHES = 2,  /* it keeps what it found in the user's caches */
	SANDBOX_NETWORK = 4, /* it asks servers, and keeps their answers */
};
void cli_sandbox(const struct cli *cli, unsigned needs);

/* The version of landlock(7) that would be used; 0: none. */
int cli_sandbox_version(void);

#endif
