/* names.c - see names.h. */
#include "config.h"

#include "names.h"

#include <stdlib.h>

#include "cli/cli.h"
#include "lib/model/profile.h"
#include "lib/stream/stream.h"
#include "recording.h"

#if HAVE_LIBELF

#include "symbols/binary/symcache.h"
#include "symbols/elf/unpack.h"
#include "symbols/names/demangle.h"
#include "symbols/resolve/locate.h"
#include "symbols/resolve/resolve.h"

bool
names_work(void)
{
	return true;
}

/* Files that are not found stay without names, as in a profile that has none:
 * prof-symbolize says why. */
static void
not_found(void *ctx, uint32_t mapping, const char *why)
{
	(void)ctx;
	(void)mapping;
	(void)why;
}

static bool
has_held(const struct profile *p, const int *held)
{
	for (size_t i = 0; i < p->n_mapping; i++)
		if (held[i] >= 0)
			return true;
	return false;
}

static enum prof_status
resolve(struct profile *p, const int *held, enum names_when when,
	struct prof_err *err)
{
	struct resolve_options o = { .held = held,
				     .only_held = when != NAMES_ALL,
				     .apart = true,
				     .n_thread = cli_processors(),
				     .failed = not_found,
				     .warn = warn };
	struct unpack_budget budget;
	struct locate locate;
	struct symcache *cache;
	enum prof_status st;

	if (locate_init(&locate, NULL) < 0)
		return prof_nomem(err);
	unpack_budget_init(&budget, STREAM_MAX_SIZE);
	locate.budget = &budget;
	o.locate = &locate;
	o.cache = cache = symcache_open(NULL);
	st = resolve_profile(p, &o, err);
	symcache_free(cache);
	locate_release(&locate);
	if (st == PROF_OK)
		st = demangle_profile(p, DEMANGLE_DEFAULT, false, err);
	return st;
}

void
names_add(struct recording *r, struct profile *p)
{
	enum names_when when = r->names;
	enum prof_status st = PROF_OK;
	struct prof_err err;
	int *held;

	if (when == NAMES_NONE)
		return;
	held = recording_held(r, p, when == NAMES_AUTO);
	if (!held)
		die_nomem();
	if (when == NAMES_ALL || has_held(p, held))
		st = resolve(p, held, when, &err);
	free(held);
	if (st == PROF_ENOMEM)
		die_nomem();
	if (st != PROF_OK)
		warn("%s", err.msg);
	if (recording_refused(r))
		warn("files that are gone and were not held open, as they were "
		     "too many or a program serves them (FUSE): %zu; they may "
		     "have no names",
		     recording_refused(r));
}

#else

bool
names_work(void)
{
	return false;
}

void
names_add(struct recording *r, struct profile *p)
{
	(void)r;
	(void)p;
}

#endif
