/* catalogs.c - see catalogs.h. */
#include "config.h"

#include "catalogs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void
tell_bad(const char *root, const char *path, const char *why)
{
	if (root)
		complain("%s/%s: %s", root, path, why);
	else
		complain("%s: %s", path, why);
}

static void
tell_news(const char *root, const struct catalog_news *n, bool is_asked)
{
	const char *name = root ? root : "the files";

	if (n->was_damaged)
		warn("%s: rebuilt the cache, which was damaged", name);
	if (n->no_cache && root && is_asked)
		complain("%s: no cache: %s", name, n->no_cache);
	else if (n->no_cache && root)
		warn("%s: no cache, so all profiles are read each time: %s",
		     name, n->no_cache);
	if (n->n_no_time)
		warn("%s: %zu profile%s without a time, in a path without a "
		     "date: using the time of the file",
		     name, n->n_no_time, n->n_no_time == 1 ? "" : "s");
	if (n->n_bad == 1)
		complain("%s: left out a file that cannot be read: %s", name,
			 n->bad ? n->bad : "");
	else if (n->n_bad)
		complain("%s: left out %zu files that cannot be read, such as "
			 "%s",
			 name, n->n_bad, n->bad ? n->bad : "");
	if (is_asked)
		warn("%s: %zu profile%s read, %zu gone, %zu summed by "
		     "prof-thin",
		     name, n->n_read, n->n_read == 1 ? "" : "s",
		     n->n_gone - n->n_handed, n->n_handed);
}

static void
open_one(struct catalogs *x, struct catalog *a, const char *root)
{
	struct catalog_news news;
	struct prof_err err;

	if (catalog_open(a, root, &x->options, &news, &err) != PROF_OK)
		die("%s", err.msg);
	tell_news(root, &news, x->is_told);
	x->has_failed |= x->is_told && news.no_cache;
	x->has_bad |= news.n_bad || news.n_new_bad;
	catalog_news_release(&news);
}

/* Is folder `inner` the folder `outer`, or below it? Both are absolute. */
static bool
is_within(const char *inner, const char *outer)
{
	size_t n = strlen(outer);

	return !strncmp(inner, outer, n) &&
	       (!inner[n] || inner[n] == '/' || (n && outer[n - 1] == '/'));
}

/* No profile may be counted twice. */
static void
check_apart(char **path, char **operand, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			if (i != k && is_within(path[i], path[k]))
				die("%s is in %s, or the same: its profiles "
				    "would count twice",
				    operand[i], operand[k]);
}

void
catalogs_open(struct catalogs *x, const struct cli *cli,
	      const struct catalogs_options *o)
{
	size_t n = (size_t)cli->n_operand, n_folder = 0;
	char **path = allocated(calloc(n + 1, sizeof(*path)));
	char **folder = allocated(calloc(n + 1, sizeof(*folder)));
	struct walk files = { 0 };
	struct prof_err err;
	struct stat sb;

	*x = (struct catalogs){ .is_told = o->is_told,
				.options = { .max_size = cli->max_size,
					     .is_rebuild = o->is_rebuild,
					     .index = o->index,
					     .tell_bad = tell_bad } };
	for (size_t i = 0; i < n; i++) {
		path[i] = realpath(cli->operand[i], NULL);
		if (!path[i] || stat(cli->operand[i], &sb) < 0)
			die("%s: %s", cli->operand[i], strerror(errno));
		if (S_ISDIR(sb.st_mode))
			folder[n_folder++] = cli->operand[i];
		else if (walk_add(&files, cli->operand[i], &err) != PROF_OK)
			die("%s", err.msg);
	}
	check_apart(path, cli->operand, n);
	if (o->index && (n_folder != 1 || n != 1))
		die("--index=%s: the cache of one archive, a folder", o->index);
	if (walk_sort(&files, &err) != PROF_OK)
		die("%s", err.msg);
	x->archive = allocated(calloc(n + 1, sizeof(*x->archive)));
	for (; x->n < n_folder; x->n++)
		open_one(x, &x->archive[x->n], folder[x->n]);
	if (files.n) {
		x->archive[x->n].walk = files;
		open_one(x, &x->archive[x->n++], NULL);
	}
	for (size_t i = 0; i < n; i++)
		free(path[i]);
	free(path);
	free(folder);
}

void
catalogs_rebuild(struct catalogs *x, size_t i, enum prof_status st,
		 const struct prof_err *err)
{
	struct catalog *a = &x->archive[i];
	const char *root = a->root;

	if (st != PROF_EFORMAT || !root || x->was_rebuilt)
		die("%s", err->msg);
	warn("%s: rebuilt the cache, which was damaged", root);
	catalog_close(a);
	x->was_rebuilt = true;
	x->options.is_rebuild = true;
	open_one(x, a, root);
}

void
catalogs_close(struct catalogs *x)
{
	for (size_t i = 0; i < x->n; i++)
		catalog_close(&x->archive[i]);
	free(x->archive);
}
