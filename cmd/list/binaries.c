/* binaries.c - see binaries.h. */
#include "config.h"

#include "binaries.h"

#include "cli/cli.h"
#include "servers.h"

int
binaries_init(struct binaries *b, const char *search_path,
	      struct servers *servers)
{
	*b = (struct binaries){ .resolve = { .warn = warn } };
	if (locate_init(&b->locate, search_path) < 0)
		return -1;
	b->resolve.locate = &b->locate;
	if (servers) {
		b->resolve.find = servers_binary;
		b->resolve.find_ctx = servers;
	}
	return 0;
}

void
binaries_release(struct binaries *b)
{
	locate_release(&b->locate);
}
