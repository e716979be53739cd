/*
 * prof-symbolize.c - names for the addresses of a profile: functions, files,
 * lines and inlined functions, from local files and, on request, from servers.
 * Symbolizing: symbols/resolve/resolve.h; finding files:
 * symbols/resolve/locate.h; servers: symbols/net; demangling: symbols/names.
 */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/match.h"
#include "lib/model/origin.h"
#include "lib/model/profile.h"
#include "symbolize/options.h"
#include "symbolize/symreport.h"
#include "symbols/binary/symcache.h"
#include "symbols/elf/unpack.h"
#include "symbols/names/demangle.h"
#include "symbols/net/debuginfod.h"
#include "symbols/net/remote.h"
#include "symbols/resolve/locate.h"
#include "symbols/resolve/resolve.h"

static const struct cli_opt *const groups[] = { network_opts, NULL };

static const struct cli_cmd cmd = {
	.name = "prof-symbolize",
	.args = "[BINARY] [FILE...]",
	.brief = "give the addresses of a profile names and lines",
	.opts = symbolize_opts,
	.groups = groups,
};

static void
set_build_id(struct profile *p, const char *id)
{
	if (p->n_mapping == 0 || p->mapping[0].build_id)
		return;
	p->mapping[0].build_id = profile_intern(p, id);
	if (p->mapping[0].build_id == STRTAB_NONE)
		die_nomem();
}

#if HAVE_LIBELF
static char *
find_by_build_id(void *ctx, const char *build_id, bool want_debug)
{
	return debuginfod_find(ctx, build_id, want_debug);
}

static void
read_files(struct profile *p, struct symbolize_settings *s)
{
	struct debuginfod_options o = { .urls = s->network.debuginfod_urls,
					.fetch = s->fetch,
					.warn = warn };
	struct debuginfod *debuginfod = NULL;
	struct symcache *cache = NULL;
	struct unpack_budget budget;
	struct locate locate;
	struct prof_err err = { .msg = "" };

	if (locate_init(&locate, s->search_path) < 0)
		die_nomem();
	unpack_budget_init(&budget, s->max_unpacked);
	locate.budget = &budget;
	locate.any_build_id = s->any_build_id;
	locate.tried = symreport_tried;
	locate.ctx = s->resolve.report;
	s->resolve.locate = &locate;
	if (s->network.is_debuginfod) {
		if (debuginfod_new(&o, &debuginfod, &err) != PROF_OK)
			die("--debuginfod: %s", err.msg);
		s->resolve.find = find_by_build_id;
		s->resolve.find_ctx = debuginfod;
	}
	if (!s->no_cache && !(cache = symcache_open(&err)) && s->is_verbose &&
	    err.msg[0])
		warn("no cache is used: %s", err.msg);
	s->resolve.cache = cache;
	if (resolve_profile(p, &s->resolve, &err) != PROF_OK)
		die("%s", err.msg);
	symcache_free(cache);
	debuginfod_free(debuginfod);
	locate_release(&locate);
}
#else
static _Noreturn void
read_files(struct profile *p, struct symbolize_settings *s)
{
	(void)p;
	(void)s;
	die("this build has no elfutils: only --symbolize=remote and none "
	    "work");
}
#endif

static void
symbolize(struct profile *p, struct symbolize_settings *s)
{
	struct remote_options o = { .server = s->server,
				    .fetch = s->fetch,
				    .force = s->resolve.force,
				    .warn = warn,
				    .failed = symreport_failed,
				    .report = s->resolve.report };
	bool redo = s->redo_names || s->resolve.force;
	struct remote *remote = NULL;
	enum prof_status st;
	struct prof_err err;

	if (s->build_id)
		set_build_id(p, s->build_id);
	if (s->is_remote && remote_new(p, &o, &remote, &err) != PROF_OK)
		die("%s%s", o.server ? "--server: " : "", err.msg);
	if (s->local)
		read_files(p, s);
	if (remote && remote_run(remote, &err) != PROF_OK)
		die("%s", err.msg);
	remote_free(remote);
	st = demangle_profile(p, s->mode, redo, &err);
	if (st == PROF_ENOTSUP && !s->has_mode)
		warn("%s", err.msg);
	else if (st != PROF_OK)
		die("%s", err.msg);
	if (demangle_n_late())
		warn("names that take too much time or memory to demangle, and "
		     "stay mangled: %zu",
		     demangle_n_late());
}

/*
 * Profiles of allocators and locks have patterns of frames to hide. Names must
 * be known for these, so apply them after symbolization.
 */
static void
drop_frames(struct profile *p, const struct symbolize_settings *s)
{
	struct prof_err err;

	if (s->all_frames)
		p->drop_frames = p->keep_frames = 0;
	else if (match_drop_frames(p, &err) != PROF_OK)
		die("drop_frames: %s", err.msg);
}

/* Report unnamed samples. false: fewer samples have names than required. */
static bool
report(const struct profile *p, const struct symbolize_settings *s)
{
	struct origins sources = { 0 };
	struct unnamed u;
	struct prof_err err;
	bool ok;

	if (unnamed_count(&u, p, &err) != PROF_OK ||
	    (!s->none && !s->is_remote &&
	     origins_read(&sources, p, &err) != PROF_OK))
		die("%s", err.msg);
	symreport_print(s->resolve.report, p, &u, &sources, s->resolve.ranges,
			s->is_verbose);
	ok = 1 - u.share >= s->required;
	if (!ok)
		warn("%.1f%% of samples have names (of their innermost frame): "
		     "--require-symbols wants %g%%",
		     100 * (1 - u.share), 100 * s->required);
	unnamed_release(&u);
	origins_release(&sources);
	return ok;
}

int
main(int argc, char **argv)
{
	struct symbolize_settings s;
	struct symreport *r;
	struct profile *p;
	struct cli cli;
	bool ok = true;

	cli_init(&cli, &cmd, argc, argv);
	symbolize_settings_parse(&s, &cli);
	cli_sandbox(&cli, (s.no_cache ? 0 : SANDBOX_CACHES) |
				  (s.is_remote || s.network.is_debuginfod
					   ? SANDBOX_NETWORK
					   : 0));
	p = cli_read_all(&cli);
	r = symreport_new(p, s.resolve.binary);
	if (!r)
		die_nomem();
	s.resolve.looking = symreport_looking;
	s.resolve.failed = symreport_failed;
	s.resolve.report = r;
	if (!s.none)
		symbolize(p, &s);
	if (!s.none || s.required > 0)
		ok = report(p, &s);
	drop_frames(p, &s);
	cli_write(&cli, p);
	profile_free(p);
	symreport_free(r);
	symbolize_settings_release(&s);
	return cli_finish(&cli, ok ? EXIT_SUCCESS : EXIT_FAILURE);
}
