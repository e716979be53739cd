/*
 * prof-symbolize.c - names for the addresses of a profile: functions, files,
 * lines and inlined functions, out of local files. Which locations get them:
 * resolve.c; which file: locate.c; how names look: demangle.c.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli.h"
#include "demangle.h"
#include "lib/profile.h"
#include "locate.h"
#include "match.h"
#include "resolve.h"

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
	KEY_SEARCH_PATH,
	KEY_SYMBOLIZE,
};

static const struct cli_opt opts[] = {
	{ KEY_SYMBOLIZE, "symbolize", "WORDS",
	  "local, fastlocal (no lines), none, force, demangle=MODE, joined "
	  "by ':'" },
	{ KEY_DEMANGLE, "demangle", "MODE",
	  "show names in full, with templates, by default without, or none" },
	{ KEY_FORCE, "force", NULL, "redo what is symbolized already" },
	{ KEY_BINARY, "binary", "FILE", "FILE is the profiled program" },
	{ KEY_BUILDID, "buildid", "ID",
	  "build-id of the program, if the profile has none" },
	{ KEY_ANY_BUILD_ID, "any-build-id", NULL,
	  "use the file at a path even if it is another build" },
	{ KEY_SEARCH_PATH, "search-path", "DIRS",
	  "look for files in DIRS too ($PPROF_BINARY_PATH)" },
	{ KEY_SEARCH_PATH, "binary-path", "DIRS",
	  "the same as --search-path" },
	{ KEY_JIT, "jit", "FILE",
	  "FILE (again: another) is a perf map or jitdump of compiled code" },
	{ KEY_KALLSYMS, "kallsyms", "FILE",
	  "FILE is the /proc/kallsyms of the profiled kernel" },
	{ 'j', "threads", "N", "read with N threads (one a processor)" },
	{ KEY_ALL_FRAMES, "all-frames", NULL,
	  "keep the frames that the profile says to drop" },
	CLI_READ_OPTS,
	CLI_WRITE_OPTS,
	CLI_COMMON_OPTS,
	{ 0 }
};

static const struct cli_cmd cmd = {
	.name = "prof-symbolize",
	.args = "[BINARY] [FILE...]",
	.brief = "give the addresses of a profile names and lines",
	.opts = opts,
};

struct request {
	bool none;       /* leave symbols and names alone */
	bool all_frames; /* ... and drop no frames */
	bool redo_names; /* also names that differ from the mangled ones */
	bool has_mode;   /* was it asked for? */
	enum demangle_mode mode;
	const char *build_id;
	bool any_build_id;
	const char *search_path; /* NULL: that of the environment */
	const char **jit;
	struct resolve_options resolve;
};

static bool
set_mode(struct request *r, const char *word)
{
	static const char *const names[] = {
		[DEMANGLE_DEFAULT] = "default",
		[DEMANGLE_TEMPLATES] = "templates",
		[DEMANGLE_FULL] = "full",
		[DEMANGLE_NONE] = "none",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcasecmp(word, names[i])) {
			r->mode = (enum demangle_mode)i;
			r->has_mode = true;
			r->redo_names = i != DEMANGLE_DEFAULT;
			return true;
		}
	return false;
}

/* pprof's --symbolize: words joined by colons. */
static void
set_words(struct request *r, char *words)
{
	char *word;

	while ((word = strsep(&words, ":"))) {
		if (!*word || !strcasecmp(word, "local")) {
			r->none = false;
		} else if (!strcasecmp(word, "fastlocal")) {
			r->none = false;
			r->resolve.no_lines = true;
		} else if (!strcasecmp(word, "none") ||
			   !strcasecmp(word, "no")) {
			r->none = true;
		} else if (!strcasecmp(word, "force")) {
			r->resolve.force = true;
		} else if (!strncasecmp(word, "demangle=", 9)
				   ? !set_mode(r, word + 9)
				   : !set_mode(r, word)) {
			die("--symbolize knows no '%s'", word);
		}
	}
}

static void
add_jit(struct request *r, const char *file)
{
	r->jit = reallocarray(r->jit, r->resolve.n_jit + 1, sizeof(*r->jit));
	if (!r->jit)
		die("out of memory");
	r->jit[r->resolve.n_jit++] = file;
	r->resolve.jit = r->jit;
}

static void
parse(struct cli *cli, struct request *r)
{
	int key;

	while ((key = cli_option(cli)) != CLI_DONE) {
		switch (key) {
		case 'j':
			r->resolve.n_thread =
				(unsigned)cli_uint(cli, 1, MAX_THREADS);
			break;
		case KEY_ALL_FRAMES:
			r->all_frames = true;
			break;
		case KEY_ANY_BUILD_ID:
			r->any_build_id = true;
			break;
		case KEY_BINARY:
			r->resolve.binary = cli->arg;
			break;
		case KEY_BUILDID:
			r->build_id = cli->arg;
			break;
		case KEY_DEMANGLE:
			if (!set_mode(r, cli->arg))
				die("--demangle knows no '%s'", cli->arg);
			break;
		case KEY_FORCE:
			r->resolve.force = true;
			break;
		case KEY_JIT:
			add_jit(r, cli->arg);
			break;
		case KEY_KALLSYMS:
			r->resolve.kallsyms = cli->arg;
			break;
		case KEY_SEARCH_PATH:
			r->search_path = cli->arg;
			break;
		case KEY_SYMBOLIZE:
			set_words(r, cli->arg);
			break;
		}
	}
}

/*
 * pprof's way to name the program: an ELF file before the profiles. Nothing
 * that is one could be a profile.
 */
static void
take_binary(struct cli *cli, struct request *r)
{
	char magic[4];
	FILE *f;

	if (cli->n_operand == 0 || r->resolve.binary)
		return;
	f = fopen(cli->operand[0], "re");
	if (!f)
		return;
	if (fread(magic, 1, sizeof(magic), f) == sizeof(magic) &&
	    !memcmp(magic, "\177ELF", sizeof(magic))) {
		r->resolve.binary = *cli->operand++;
		cli->n_operand--;
	}
	fclose(f);
}

static void
set_build_id(struct profile *p, const char *id)
{
	if (p->n_mapping == 0 || p->mapping[0].build_id)
		return;
	p->mapping[0].build_id = profile_intern(p, id);
	if (p->mapping[0].build_id == STRTAB_NONE)
		die("out of memory");
}

#if HAVE_LIBDW
static void
read_files(struct profile *p, struct request *r)
{
	struct locate locate;
	struct prof_err err;

	if (locate_init(&locate, r->search_path) < 0)
		die("out of memory");
	locate.any_build_id = r->any_build_id;
	r->resolve.locate = &locate;
	if (resolve_profile(p, &r->resolve, &err) != PROF_OK)
		die("%s", err.msg);
	locate_release(&locate);
}
#else
static _Noreturn void
read_files(struct profile *p, struct request *r)
{
	(void)p;
	(void)r;
	die("this build has no elfutils: only --symbolize=none works");
}
#endif

static void
symbolize(struct profile *p, struct request *r)
{
	bool redo = r->redo_names || r->resolve.force;
	enum prof_status st;
	struct prof_err err;

	if (r->build_id)
		set_build_id(p, r->build_id);
	read_files(p, r);
	st = demangle_profile(p, r->mode, redo, &err);
	if (st == PROF_ENOTSUP && !r->has_mode)
		warn("%s", err.msg);
	else if (st != PROF_OK)
		die("%s", err.msg);
}

/*
 * Profiles of allocators and locks say which frames their readers should not
 * see. Those are told by their names, so only now.
 */
static void
drop_frames(struct profile *p, const struct request *r)
{
	struct prof_err err;

	if (r->all_frames)
		p->drop_frames = p->keep_frames = 0;
	else if (match_drop_frames(p, &err) != PROF_OK)
		die("drop_frames: %s", err.msg);
}

static unsigned
count_processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > 8 ? 8 : (unsigned)n;
}

int
main(int argc, char **argv)
{
	struct request r = { .resolve = { .warn = warn,
					  .n_thread = count_processors() } };
	struct profile *p;
	struct cli cli;

	cli_init(&cli, &cmd, argc, argv);
	parse(&cli, &r);
	take_binary(&cli, &r);
	p = cli_read_all(&cli);
	if (!r.none)
		symbolize(p, &r);
	drop_frames(p, &r);
	cli_write(&cli, p);
	profile_free(p);
	free(r.jit);
	return cli_finish(&cli, EXIT_SUCCESS);
}
