/*
 * memory-options.c - see memory-options.h. A profile is of one kind:
 * allocations and CPU time have no common columns, so a profile of both would
 * be legal, but unreadable.
 */
#include "config.h"

#include "memory-options.h"

enum {
	KEY_HEAP = CLI_GROUP + 200,
	KEY_GROWTH,
	KEY_LOCK,

	HEAP_PERIOD = 512 * 1024, /* as in Go and tcmalloc */
	LOCK_PERIOD = 100000,
	MAX_LOCK_PERIOD = 1000000000,
};

const struct cli_opt memory_opts[] = {
	CLI_HEADING("Memory and locks"),
	{ KEY_HEAP, "heap", "[BYTES]",
	  "profile memory: a sample for about each BYTES (512K)" },
	{ KEY_GROWTH, "growth", "[BYTES]",
	  "profile what made the heap grow; BYTES as with --heap" },
	{ KEY_LOCK, "lock", "[NS]",
	  "profile waits for locks: a sample for about each NS (100000)" },
	{ 0 },
};

static void
ask_for(struct drain_config *c, unsigned *asked, uint32_t what,
	enum tally_kind kind)
{
	c->what |= what;
	*asked |= 1U << kind;
}

bool
memory_option(const struct cli *cli, int key, struct drain_config *c,
	      unsigned *asked)
{
	switch (key) {
	case KEY_HEAP:
	case KEY_GROWTH:
		ask_for(c, asked, SHM_HEAP,
			key == KEY_HEAP ? TALLY_HEAP : TALLY_GROWTH);
		c->heap_period = cli->arg ? cli_size(cli) : HEAP_PERIOD;
		if (!c->heap_period)
			die("a sample for each 0 bytes: that is every one; say "
			    "1");
		return true;
	case KEY_LOCK:
		ask_for(c, asked, SHM_LOCK, TALLY_LOCK);
		c->lock_period = cli->arg ? cli_uint(cli, 1, MAX_LOCK_PERIOD)
					  : LOCK_PERIOD;
		return true;
	}
	return false;
}

enum tally_kind
kind_of_run(struct drain_config *c, unsigned asked, bool is_timed,
	    bool is_served)
{
	enum tally_kind only = TALLY_CPU;
	unsigned n = 0;

	for (unsigned kind = 0; asked >> kind; kind++)
		if (asked >> kind & 1) {
			only = kind;
			n++;
		}
	if (is_served)
		c->what |= SHM_CPU;
	else if (n > 1)
		die("--heap, --growth and --lock are different profiles: ask "
		    "for one");
	if (is_timed && c->what && !(c->what & SHM_CPU))
		warn("-F and --clock have no effect: they are for profiles of "
		     "CPU time");
	return n == 1 ? only : TALLY_CPU;
}
