/* options.h - the options of prof-symbolize: the table and the settings. */
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
	bool none;           /* change no symbols or names */
	bool local;          /* read local files */
	bool all_frames;     /* ... and drop no frames */
	bool redo_names;     /* demangle even names that differ from the mangled
				ones */
	bool has_mode;       /* a mode was given */
	enum demangle_mode mode;
	const char *build_id;
	bool any_build_id;
	bool no_cache; /* do not use the cache */
	bool is_verbose;
	bool is_remote;     /* ask profiled servers for names */
	const char *server; /* ask this server; NULL: those in the profile */
	double required;    /* share of samples that must be named */
	const char *search_path; /* NULL: from the environment */
	const char **jit;
	struct resolve_options resolve;
	struct network network;
	struct fetch_options fetch; /* its timeout is for each kind of server */
};

/* Set the defaults, then parse all options. Dies. */
void symbolize_settings_parse(struct symbolize_settings *s, struct cli *cli);
void symbolize_settings_release(struct symbolize_settings *s);

#endif
