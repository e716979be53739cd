/* options.c - see options.h. */
#include "config.h"

#include "lib/base/regular.h"
#include "options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_THREADS 64

enum {
	KEY_ALL_FRAMES = CLI_LONG,
	KEY_ANY_BUILD_ID,
	KEY_BINARY,
	KEY_BUILDID,
	KEY_DEMANGLE,
	KEY_FORCE,
	KEY_JIT,
	KEY_KALLSYMS,
	KEY_NO_CACHE,
	KEY_REQUIRE,
	KEY_SEARCH_PATH,
	KEY_SERVER,
	KEY_SYMBOLIZE,
};

const struct cli_opt symbolize_opts[] = {
	{ KEY_SYMBOLIZE, "symbolize", "WORDS",
	  "local (default), fastlocal (no lines), ranges (functions without "
	  "symbols), remote, none, force, demangle=MODE, joined by ':'" },
	{ KEY_DEMANGLE, "demangle", "MODE",
	  "show names in full, with templates, by default without, or none" },
	{ KEY_FORCE, "force", NULL, "redo what is symbolized already" },
	CLI_HEADING("Where symbols come from"),
	{ KEY_BINARY, "binary", "FILE", "FILE is the profiled program" },
	{ KEY_BUILDID, "buildid", "ID",
	  "build-id of the program, if the profile has none" },
	{ KEY_ANY_BUILD_ID, "any-build-id", NULL,
	  "use the file at a path even if it is another build" },
	{ KEY_SEARCH_PATH, "search-path", "DIRS",
	  "look for files in DIRS too ($PPROF_BINARY_PATH)" },
	{ KEY_SEARCH_PATH, "binary-path", "DIRS", "the same as --search-path" },
	{ KEY_SERVER, "server", "URL",
	  "ask the server of the profile at URL for names" },
	{ KEY_JIT, "jit", "FILE",
	  "FILE (again: another) is a perf map or jitdump of compiled code" },
	{ KEY_KALLSYMS, "kallsyms", "FILE",
	  "FILE is the /proc/kallsyms of the profiled kernel" },
	{ KEY_NO_CACHE, "no-cache", NULL,
	  "neither use nor write down what earlier runs found" },
	{ 'j', "threads", "N", "read with N threads (one a processor)" },
	{ KEY_ALL_FRAMES, "all-frames", NULL,
	  "keep the frames that the profile says to drop" },
	CLI_HEADING("Report"),
	{ KEY_REQUIRE, "require-symbols", "PERCENT",
	  "exit 1 if fewer of the samples have names" },
	{ 'v', "verbose", NULL, "tell what could not be symbolized, and why" },
	CLI_READ_OPTS,
	CLI_WRITE_OPTS,
	CLI_COMMON_OPTS,
	{ 0 }
};

static const char *const modes[] = {
	[DEMANGLE_DEFAULT] = "default",
	[DEMANGLE_TEMPLATES] = "templates",
	[DEMANGLE_FULL] = "full",
	[DEMANGLE_NONE] = "none",
	NULL,
};

static void
set_mode(struct symbolize_settings *s, const char *option, const char *word)
{
	s->mode = (enum demangle_mode)cli_word_of(option, "form of names", word,
						  strlen(word), modes);
	s->has_mode = true;
	s->redo_names = s->mode != DEMANGLE_DEFAULT;
}

/*
 * pprof's --symbolize: words separated by colons. In pprof the last source of
 * symbols wins; here all are used, as "both" is not the default.
 */
static void
set_words(struct symbolize_settings *s, char *words)
{
	enum { LOCAL, FASTLOCAL, RANGES, REMOTE, NONE, NO, FORCE, MODE };
	static const char *const known[] = {
		"local", "fastlocal",     "ranges",  "remote",    "none", "no",
		"force", "demangle=MODE", "default", "templates", "full", NULL
	};
	char *word;

	while ((word = strsep(&words, ":"))) {
		int w = *word ? cli_word_of("symbolize", "word", word,
					    strlen(word), known)
			      : LOCAL;

		s->local |= *word && w <= RANGES;
		s->resolve.no_lines |= w == FASTLOCAL;
		s->resolve.ranges |= w == RANGES;
		s->is_remote |= w == REMOTE;
		s->resolve.force |= w == FORCE;
		if (w <= REMOTE)
			s->none = false;
		else if (w == NONE || w == NO)
			s->none = true;
		else if (w >= MODE)
			set_mode(s, "symbolize",
				 w == MODE ? word + strlen("demangle=") : word);
	}
}

static void
add_jit(struct symbolize_settings *s, const char *file)
{
	s->jit = reallocarray(s->jit, s->resolve.n_jit + 1, sizeof(*s->jit));
	if (!s->jit)
		die_nomem();
	s->jit[s->resolve.n_jit++] = file;
	s->resolve.jit = s->jit;
}

/*
 * As in pprof, an ELF file before the profiles is the program. An ELF file is
 * never a profile. A pipe is not opened, as it can be read only once.
 */
static void
take_binary(struct symbolize_settings *s, struct cli *cli)
{
	struct stat sb;
	char magic[4];
	int fd;

	if (cli->n_operand == 0 || s->resolve.binary)
		return;
	fd = regular_open(cli->operand[0], false, &sb, NULL);
	if (fd < 0)
		return;
	if (pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	    !memcmp(magic, "\177ELF", sizeof(magic))) {
		s->resolve.binary = *cli->operand++;
		cli->n_operand--;
	}
	close(fd);
}

/* "95" or "95%". */
static void
set_required(struct symbolize_settings *s, struct cli *cli)
{
	size_t n = strlen(cli->arg);

	if (n && cli->arg[n - 1] == '%')
		cli->arg[n - 1] = '\0';
	s->required = cli_double(cli) / 100;
	if (s->required < 0 || s->required > 1)
		cli_bad_arg(cli, "a percentage");
}

void
symbolize_settings_parse(struct symbolize_settings *s, struct cli *cli)
{
	int key;

	*s = (struct symbolize_settings){
		.resolve = { .warn = warn, .n_thread = cli_processors() },
	};
	network_init(&s->network);

	while ((key = cli_option(cli)) != CLI_DONE) {
		switch (key) {
		case 'j':
			s->resolve.n_thread =
				(unsigned)cli_uint(cli, 1, MAX_THREADS);
			break;
		case KEY_ALL_FRAMES:
			s->all_frames = true;
			break;
		case KEY_ANY_BUILD_ID:
			s->any_build_id = true;
			break;
		case KEY_BINARY:
			s->resolve.binary = cli->arg;
			break;
		case KEY_BUILDID:
			s->build_id = cli->arg;
			break;
		case KEY_DEMANGLE:
			set_mode(s, "demangle", cli->arg);
			break;
		case KEY_FORCE:
			s->resolve.force = true;
			break;
		case KEY_JIT:
			add_jit(s, cli->arg);
			break;
		case KEY_KALLSYMS:
			s->resolve.kallsyms = cli->arg;
			break;
		case KEY_NO_CACHE:
			s->no_cache = true;
			break;
		case KEY_REQUIRE:
			set_required(s, cli);
			break;
		case 'v':
			s->is_verbose = true;
			break;
		case KEY_SEARCH_PATH:
			s->search_path = cli->arg;
			break;
		case KEY_SERVER:
			s->server = cli->arg;
			s->is_remote = true;
			break;
		case KEY_SYMBOLIZE:
			set_words(s, cli->arg);
			break;
		default:
			network_option(&s->network, cli, key);
			break;
		}
	}
	network_finish(&s->network);
	s->fetch = (struct fetch_options){ .timeout = s->network.timeout,
					   .max_bytes = cli->max_size,
					   .tls_cert = s->network.tls_cert,
					   .tls_key = s->network.tls_key,
					   .tls_ca = s->network.tls_ca };
	s->max_unpacked = cli->max_size;
	s->local |= !s->is_remote || s->network.is_debuginfod;
	take_binary(s, cli);
}

void
symbolize_settings_release(struct symbolize_settings *s)
{
	free(s->jit);
}
