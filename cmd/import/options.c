/* import/options.c - see options.h. */
#include "config.h"

#include "lib/base/outfile.h"
#include "options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	KEY_FROM = CLI_LONG,
	KEY_COLUMNS,
	KEY_LABEL,
	KEY_KERNEL,
	KEY_NO_IDLE,
	KEY_IDLE,
	KEY_STRICT,
	KEY_TIME,
	KEY_TYPE,
	KEY_SCALE,
	KEY_SKIP_BAD,
	KEY_DIFF,
	KEY_FRAMES,
	KEY_ROOT,
	KEY_RESOURCE_LABELS,
};

static const struct cli_opt opts[] = {
	{ KEY_FROM, "from", "FORMAT", "the input's format (by content)" },
	{ KEY_COLUMNS, "columns", "WHICH",
	  "perf.data: google, as perf_to_profile has them, or +weight" },
	{ KEY_LABEL, "label", "LIST",
	  "perf.data: label samples: process, tid, thread, cpu, cgroup...; "
	  "otlp: time" },
	{ KEY_KERNEL, "kernel", "HOW",
	  "perf.data: kernel frames: keep, drop, or fold into one (keep)" },
	{ KEY_NO_IDLE, "no-idle", NULL, "leave out samples of idle CPUs" },
	{ KEY_IDLE, "idle", NULL,
	  ".cpuprofile, chrome-trace: keep samples of (idle)" },
	{ KEY_STRICT, "strict", NULL, "damage is an error, not a warning" },
	{ KEY_TIME, "time", "FILE",
	  "date the profile as FILE is, if nothing else does" },
	{ KEY_TYPE, "type", "NAME/UNIT",
	  "folded: what the numbers are (samples/count)" },
	{ KEY_SCALE, "scale", "X",
	  "folded, speedscope: multiply numbers by X, and round" },
	{ KEY_SKIP_BAD, "skip-bad", NULL,
	  "folded: skip lines that are not stacks" },
	{ KEY_DIFF, "diff", NULL, "folded: two numbers are before and after" },
	{ KEY_FRAMES, "frames", "HOW",
	  "folded: py, gdb or jvm: frames are \"name (file:line)\"" },
	{ KEY_ROOT, "root", "LABEL", "folded: the first frame is that label" },
	{ KEY_RESOURCE_LABELS, "resource-labels", NULL,
	  "otlp: attributes of resources and scopes are labels" },
	CLI_READ_OPTS,
	CLI_WRITE_OPTS,
	CLI_COMMON_OPTS,
	{ 0 },
};

static const struct cli_hint hints[] = {
	{ "to", "see prof-export --to" },
	{ 0 },
};

static const struct cli_cmd cmd = {
	.name = "prof-import",
	.hints = hints,
	.args = "[FILE...]",
	.brief = "make a stream of other profilers' files",
	.opts = opts,
};

/* What pprof runs: perf_to_profile -i perf.data -o FILE -f */
static const struct cli_opt google_opts[] = {
	{ 'i', "input", "FILE", "the perf.data" },
	{ 'f', "force", NULL, "accepted: the output is always written anew" },
	{ 'j', "jit", NULL, "accepted: jitted code needs no option" },
	CLI_COMMON_OPTS,
	{ 0 },
};

static const struct cli_cmd google_cmd = {
	.name = "perf_to_profile",
	.args = "-i FILE -o FILE",
	.brief = "make a profile of perf.data, for pprof",
	.opts = google_opts,
};

static void
choose_format(struct import_args *a)
{
	const char *names[FOREIGN_KINDS] = { NULL };

	for (int k = FOREIGN_NONE + 1; k < FOREIGN_KINDS; k++)
		names[k - FOREIGN_NONE - 1] = foreign_name(k);
	a->import.from = (enum foreign_kind)(
		cli_word(&a->cli, "format", names) + FOREIGN_NONE + 1);
}

static void
choose_columns(struct import_args *a)
{
	static const char *const words[] = { "default", "google", "+weight",
					     NULL };
	int word = cli_word(&a->cli, "set of columns", words);

	a->import.perf.is_google |= word == 1;
	a->import.perf.weight |= word == 2;
}

static void
choose_labels(struct import_args *a)
{
	static const char *const words[] = {
		"process",        "tid",      "thread", "cpu",
		"cgroup",         "mode",     "time",   "code_page_size",
		"data_page_size", "data_src", "google", NULL
	};
	static const unsigned label[] = {
		PERF_PROCESS,   PERF_TID,      PERF_THREAD,     PERF_CPU,
		PERF_CGROUP,    PERF_MODE,     PERF_TIME,       PERF_CODE_PAGE,
		PERF_DATA_PAGE, PERF_DATA_SRC, PERF_GOOGLE_KEYS
	};

	for (char *save, *word = strtok_r(a->cli.arg, ",", &save); word;
	     word = strtok_r(NULL, ",", &save))
		a->import.perf.labels |= label[cli_word_of(
			"label", "label", word, strlen(word), words)];
	a->import.otlp.times = a->import.perf.labels & PERF_TIME;
}

static void
choose_kernel(struct import_args *a)
{
	static const char *const words[] = { "keep", "drop", "fold", NULL };

	a->import.perf.kernel =
		(enum perf_kernel)cli_word(&a->cli, "treatment", words);
}

static void
choose_type(struct import_args *a)
{
	char *slash = strrchr(a->cli.arg, '/');

	if (!slash || slash == a->cli.arg || !slash[1])
		cli_bad_arg(&a->cli, "NAME/UNIT");
	*slash = '\0';
	a->import.folded.type = a->cli.arg;
	a->import.folded.unit = slash + 1;
}

static void
choose_frames(struct import_args *a)
{
	static const char *const words[] = { "py", "gdb", "jvm", NULL };

	cli_word(&a->cli, "form of frames", words);
	a->import.folded.split_places = true;
}

static void
choose_root(struct import_args *a)
{
	const char *label = a->cli.arg;

	if (!strncmp(label, "label:", 6))
		label += 6;
	if (!*label)
		die("--root: the label has no name");
	a->import.folded.root = label;
}

static void
choose_time(struct import_args *a)
{
	struct stat sb;

	if (stat(a->cli.arg, &sb) < 0)
		die("%s: %s", a->cli.arg, strerror(errno));
	a->has_time = true;
	a->time_ns =
		(int64_t)sb.st_mtim.tv_sec * 1000000000 + sb.st_mtim.tv_nsec;
}

static void
folded_option(struct import_args *a, int key)
{
	switch (key) {
	case KEY_TYPE:
		choose_type(a);
		break;
	case KEY_SCALE:
		a->import.folded.scale = cli_double(&a->cli);
		if (!(a->import.folded.scale > 0))
			cli_bad_arg(&a->cli, "above 0");
		a->import.speedscope.scale = a->import.folded.scale;
		break;
	case KEY_SKIP_BAD:
		a->import.folded.skip_bad = true;
		break;
	case KEY_DIFF:
		a->import.folded.is_diff = true;
		break;
	case KEY_FRAMES:
		choose_frames(a);
		break;
	case KEY_ROOT:
		choose_root(a);
		break;
	}
}

static void
one_option(struct import_args *a, int key)
{
	switch (key) {
	case KEY_FROM:
		choose_format(a);
		break;
	case KEY_COLUMNS:
		choose_columns(a);
		break;
	case KEY_LABEL:
		choose_labels(a);
		break;
	case KEY_KERNEL:
		choose_kernel(a);
		break;
	case KEY_NO_IDLE:
		a->import.perf.no_idle = true;
		break;
	case KEY_IDLE:
		a->import.idle = true;
		break;
	case KEY_RESOURCE_LABELS:
		a->import.otlp.resource_labels = true;
		break;
	case KEY_STRICT:
		a->import.perf.is_strict = true;
		break;
	case KEY_TIME:
		choose_time(a);
		break;
	default:
		folded_option(a, key);
	}
}

static void
parse_ours(struct import_args *a)
{
	int key;

	while ((key = cli_option(&a->cli)) != CLI_DONE) {
		a->given |= 1u << (key - CLI_LONG);
		one_option(a, key);
	}
}

/* The formats of an option, a bit for each kind; 0: all. */
static const unsigned kinds_of[] = {
	[KEY_COLUMNS - CLI_LONG] = 1u << FOREIGN_PERF,
	[KEY_LABEL - CLI_LONG] = 1u << FOREIGN_PERF | 1u << FOREIGN_OTLP |
				 1u << FOREIGN_OTLP_JSON,
	[KEY_KERNEL - CLI_LONG] = 1u << FOREIGN_PERF,
	[KEY_NO_IDLE - CLI_LONG] = 1u << FOREIGN_PERF,
	[KEY_IDLE - CLI_LONG] =
		1u << FOREIGN_CPUPROFILE | 1u << FOREIGN_CHROME_TRACE,
	[KEY_TYPE - CLI_LONG] = 1u << FOREIGN_FOLDED,
	[KEY_SCALE - CLI_LONG] =
		1u << FOREIGN_FOLDED | 1u << FOREIGN_SPEEDSCOPE,
	[KEY_SKIP_BAD - CLI_LONG] = 1u << FOREIGN_FOLDED,
	[KEY_DIFF - CLI_LONG] = 1u << FOREIGN_FOLDED,
	[KEY_FRAMES - CLI_LONG] = 1u << FOREIGN_FOLDED,
	[KEY_ROOT - CLI_LONG] = 1u << FOREIGN_FOLDED,
	[KEY_RESOURCE_LABELS - CLI_LONG] =
		1u << FOREIGN_OTLP | 1u << FOREIGN_OTLP_JSON,
};

/* "a, b" */
static const char *
kind_names(unsigned kinds, char *text, size_t size)
{
	size_t n = 0;

	for (int k = 0; k < FOREIGN_KINDS && n < size; k++)
		if (kinds & 1u << k)
			n += (size_t)snprintf(
				text + n, size - n, n ? ", %s" : "%s",
				foreign_name((enum foreign_kind)k));
	return text;
}

void
import_args_check(const struct import_args *a, unsigned kinds)
{
	char its[200], read[200];

	for (int i = 0; i <= KEY_RESOURCE_LABELS - CLI_LONG; i++)
		if ((a->given & 1u << i) && kinds_of[i] &&
		    !(kinds_of[i] & kinds))
			die("--%s: for %s, not %s",
			    cli_key_name(&cmd, i + CLI_LONG),
			    kind_names(kinds_of[i], its, sizeof(its)),
			    kind_names(kinds, read, sizeof(read)));
}

/*
 * pprof has opened the output file already and reads that one, so it is
 * overwritten; a new file under the same name would not be seen.
 */
static void
write_in_place(struct import_args *a)
{
	int fd = outfile_named(a->cli.output, O_CREAT | O_TRUNC);

	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
		die("%s: %s", a->cli.output, strerror(errno));
	close(fd);
	a->cli.output = NULL;
}

static void
parse_google(struct import_args *a)
{
	int key;

	a->import.perf.is_google = true;
	while ((key = cli_option(&a->cli)) != CLI_DONE)
		if (key == 'i')
			a->input = a->cli.arg;
	if (!a->input && a->cli.n_operand != 1)
		die("no perf.data: give one with -i");
	if (a->cli.output)
		write_in_place(a);
}

void
import_args_parse(struct import_args *a, int argc, char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : argc ? argv[0] : "";
	/* libtool runs a program that is not installed as lt-NAME. */
	bool is_google = !strcmp(name, google_cmd.name) ||
			 !strcmp(name, "lt-perf_to_profile");

	*a = (struct import_args){ 0 };
	cli_init(&a->cli, is_google ? &google_cmd : &cmd, argc, argv);
	if (is_google)
		parse_google(a);
	else
		parse_ours(a);
	a->import.max_size = a->cli.max_size;
	a->import.perf.max_bytes = a->import.max_size;
}

const char *
import_args_input(struct import_args *a)
{
	const char *name = a->input;

	if (!name)
		return a->is_read ? NULL : cli_input(&a->cli);
	a->input = NULL;
	a->is_read = true;
	return name;
}
