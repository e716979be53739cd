/* baseline.c - see baseline.h. */
#include "config.h"

#include "baseline.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/base/outfile.h"
#include "lib/base/regular.h"
#include "lib/gate/gate.h"
#include "lib/model/profile.h"

static const char title[] = "# machine: ";
static const char ending[] = ".pb.gz";

void
baseline_machine(const struct profile *p, char *text, size_t size)
{
	text[0] = '\0';
	for (size_t i = 0; i < p->n_comment; i++) {
		const char *s = profile_str(p, p->comment[i]);

		if (!strncmp(s, title, strlen(title)))
			snprintf(text, size, "%s", s + strlen(title));
	}
}

/* The model of this machine's processor, or at least its architecture. */
static void
this_machine(char *text, size_t size)
{
	FILE *in = fopen("/proc/cpuinfo", "re");
	char line[256];
	struct utsname u;

	snprintf(text, size, "%s", uname(&u) == 0 ? u.machine : "unknown");
	while (in && fgets(line, sizeof(line), in)) {
		const char *at = strchr(line, ':');

		if (strncmp(line, "model name", 10) != 0 || !at)
			continue;
		at += strspn(at, ": \t");
		snprintf(text, size, "%.*s", (int)strcspn(at, "\n"), at);
		break;
	}
	if (in)
		fclose(in);
}

/* The number in the name of a run; 0: it is not one. */
static unsigned long
number_of(const char *name)
{
	char *end;
	unsigned long n = strtoul(name, &end, 10);

	return *name >= '0' && *name <= '9' && !strcmp(end, ending) ? n : 0;
}

static int
is_run(const struct dirent *e)
{
	return number_of(e->d_name) > 0;
}

/* The newest first. */
static int
cmp_newest(const struct dirent **a, const struct dirent **b)
{
	unsigned long x = number_of((*a)->d_name), y = number_of((*b)->d_name);

	return x < y ? 1 : x > y ? -1 : 0;
}

/* All runs: the caller's, for free(), each and the array. */
static struct dirent **
list_runs(const char *folder, size_t *n)
{
	struct dirent **run;
	int found = scandir(folder, &run, is_run, cmp_newest);

	if (found < 0)
		die("%s: %s", folder, strerror(errno));
	*n = (size_t)found;
	return run;
}

/* --- saving --- */

/* Take the next free number by creating an empty file, which the run will
 * replace. */
static void
reserve(int dir, const char *folder, unsigned long *number, char name[32])
{
	int fd;

	do {
		snprintf(name, 32, "%06lu%s", ++*number, ending);
		fd = outfile_create(dir, name);
	} while (fd < 0 && errno == EEXIST);
	if (fd < 0)
		die("%s/%s: %s", folder, name, strerror(errno));
	close(fd);
}

static void
save(int dir, const char *folder, const struct profile *p,
     unsigned long *number)
{
	struct stream_format format = { .kind = STREAM_GZIP, .level = 6 };
	struct outfile out;
	struct prof_err err;
	char name[32];

	reserve(dir, folder, number, name);
	if (outfile_open(&out, dir, name, &err) != PROF_OK ||
	    profile_write(out.fd, p, format, &err) != PROF_OK ||
	    outfile_commit(&out, false, &err) != PROF_OK)
		die("%s/%s: %s", folder, name, err.msg);
	close(out.fd);
	outfile_release(&out);
}

void
baseline_save(const char *folder, struct cli *cli)
{
	unsigned long number;
	char machine[96], comment[128], *path;
	struct dirent **run;
	const char *input;
	size_t n;
	int dir;

	path = allocated(strdup(folder));
	if (outfile_folders(path, 0777) < 0)
		die("%s: %s", path, strerror(errno));
	free(path);
	dir = regular_folder(folder);
	if (dir < 0)
		die("%s: %s", folder, strerror(errno));
	run = list_runs(folder, &n);
	number = n ? number_of(run[0]->d_name) : 0;
	while (n > 0)
		free(run[--n]);
	free(run);
	this_machine(machine, sizeof(machine));
	snprintf(comment, sizeof(comment), "%s%s", title, machine);
	while ((input = cli_input(cli))) {
		struct profile *p = cli_read(cli, input);

		baseline_machine(p, machine, sizeof(machine));
		if (!*machine && profile_add_comment(p, comment) == PROF_NONE)
			die_nomem();
		save(dir, folder, p, &number);
		profile_free(p);
	}
	close(dir);
}

/* --- finding --- */

static const char *
build_of(const struct profile *p)
{
	return p->n_mapping ? profile_str(p, p->mapping[0].build_id) : "";
}

static bool
equal_types(const struct profile *a, const struct value_type *x,
	    const struct profile *b, const struct value_type *y)
{
	return !strcmp(profile_str(a, x->type), profile_str(b, y->type)) &&
	       !strcmp(profile_str(a, x->unit), profile_str(b, y->unit));
}

/* Do both have the same measure and period? */
static bool
compares(const struct profile *a, const struct profile *b)
{
	if (a->n_type != b->n_type || a->period != b->period ||
	    !equal_types(a, &a->period_type, b, &b->period_type))
		return false;
	for (size_t i = 0; i < a->n_type; i++)
		if (!equal_types(a, &a->type[i], b, &b->type[i]))
			return false;
	return true;
}

/* Common properties of the runs that were found, and what is wanted. */
struct finding {
	const struct profile *like;
	char machine[96], last_build[96];
	size_t n_build;
	struct gate_span session; /* of the last run */
	size_t n_session, n_run;  /* so far, and in that one */
	size_t max_session, max_run;
	struct gate_mark *taken; /* the runs that were found */
	size_t n_taken, n_again; /* ... and those that were saved twice */
};

/* Is it a run that was not found before? */
static bool
is_another(struct finding *f, const struct profile *p)
{
	struct gate_mark mark = gate_mark_of(p);

	for (size_t i = 0; i < f->n_taken; i++)
		if (gate_is_same_run(&mark, &f->taken[i])) {
			f->n_again++;
			return false;
		}
	f->taken[f->n_taken++] = mark;
	return true;
}

/* Is a run, older than the others, one more of those that are wanted? */
static bool
take_turn(struct finding *f, struct gate_span run)
{
	if (!f->n_session || gate_is_pause(&f->session, &run)) {
		f->n_session++;
		f->n_run = 0;
	}
	f->session = run;
	return f->n_session <= f->max_session && ++f->n_run <= f->max_run;
}

static bool
is_wanted(struct finding *f, struct cli *cli, const char *path)
{
	struct profile *p = cli_read(cli, path);
	char machine[96];
	bool fits;

	baseline_machine(p, machine, sizeof(machine));
	fits = (!*machine || !strcmp(machine, f->machine)) &&
	       (!f->like || compares(p, f->like)) && is_another(f, p) &&
	       take_turn(f, gate_span_of(p));
	if (fits && (!f->n_build || strcmp(build_of(p), f->last_build) != 0)) {
		snprintf(f->last_build, sizeof(f->last_build), "%s",
			 build_of(p));
		f->n_build++;
	}
	profile_free(p);
	return fits;
}

/* Without times, all runs are of one session. */
static bool
wants_more(const struct finding *f)
{
	return f->n_session <= f->max_session &&
	       (f->n_run < f->max_run || f->session.begin > 0);
}

char **
baseline_find(const char *folder, size_t n_session, size_t n, const char *like,
	      struct cli *cli, size_t *n_found)
{
	struct profile *p =
		like && strcmp(like, "-") ? cli_read(cli, like) : NULL;
	struct finding f = { .like = p,
			     .max_session = n_session,
			     .max_run = n };
	size_t n_run, found = 0;
	struct dirent **run = list_runs(folder, &n_run);
	char *path, **out = allocated(calloc(n_run + 1, sizeof(*out)));

	f.taken = allocated(calloc(n_run + 1, sizeof(*f.taken)));
	if (p)
		baseline_machine(p, f.machine, sizeof(f.machine));
	if (!*f.machine)
		this_machine(f.machine, sizeof(f.machine));
	for (size_t i = 0; i < n_run && wants_more(&f); i++) {
		struct stat st;

		if (asprintf(&path, "%s/%s", folder, run[i]->d_name) < 0)
			die_nomem();
		/* An empty file is being saved by another process. */
		if (stat(path, &st) == 0 && st.st_size > 0 &&
		    is_wanted(&f, cli, path))
			out[found++] = path;
		else
			free(path);
	}
	if (!found)
		die("%s: none of %zu runs is comparable: other values, another "
		    "period, or a machine other than '%s'",
		    folder, n_run, f.machine);
	if (found < n)
		warn("%s: only %zu comparable run%s; %zu were wanted", folder,
		     found, found == 1 ? "" : "s", n);
	if (f.n_again)
		warn("%s: runs that were saved twice count once: %zu", folder,
		     f.n_again);
	if (f.n_build > 1)
		warn("%s: the newest %zu runs are of %zu builds", folder, found,
		     f.n_build);
	for (size_t i = 0; i < found / 2; i++) {
		path = out[i];
		out[i] = out[found - 1 - i];
		out[found - 1 - i] = path;
	}
	while (n_run > 0)
		free(run[--n_run]);
	free(run);
	free(f.taken);
	profile_free(p);
	*n_found = found;
	return out;
}
