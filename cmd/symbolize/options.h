/*
 * options.h - the options of prof-symbolize: the table, and what they
 * set.
 */
#ifndef SYMBOLIZE_OPTIONS_H
#define SYMBOLIZE_OPTIONS_H

#include <stdbool.h>

#include "cli/cli.h"
#include "cli/network.h"
#include "net/fetch.h"
#include "symbols/names/demangle.h"
#include "symbols/resolve/resolve.h"

extern const struct cli_opt symbolize_opts[];

struct symbolize_settings {
	size_t max_unpacked; /* bytes, of compressed object files */
	bool none;           /* leave symbols and names alone */
	bool local;          /* read local files */
	bool all_frames;     /* ... and drop no frames */
	bool redo_names;     /* also names that differ from the mangled ones */
	bool has_mode;       /* was it asked for? */
	enum demangle_mode mode;
	const char *build_id;
	bool any_build_id;
	bool no_cache; /* remember nothing */
	bool is_verbose;
	bool is_remote;          /* names come from profiled servers, too */
	const char *server;      /* which is this one; NULL: the profile says */
	double required;         /* share of samples that must have names */
	const char *search_path; /* NULL: that of the environment */
	const char **jit;
	struct resolve_options resolve;
	struct network network;
	struct fetch_options fetch; /* its timeout is for each of the two */
};

/* The defaults, then all options, of which it dies when one is wrong. */
void symbolize_settings_parse(struct symbolize_settings *s, struct cli *cli);
void symbolize_settings_release(struct symbolize_settings *s);

#endif
