/* runtime.c - see runtime.h. */
#include "config.h"

#include "runtime.h"

#include <stdbool.h>
#include <string.h>

#include "profile.h"

#define JAVA                                                                   \
	"-XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions "            \
	"-XX:+DumpPerfMapAtExit"

static const struct runtime runtimes[] = {
	/* Before version 17 it would not start. */
	{ "java", JAVA, "JAVA_TOOL_OPTIONS",
	  "-XX:+IgnoreUnrecognizedVMOptions " JAVA, "", false },
	{ ".NET", "DOTNET_PerfMapEnabled=1", "DOTNET_PerfMapEnabled", "1",
	  " and /tmp/perfinfo-*.map", false },
	/* With ...-only-functions it leaves no log, and has no names of its
	 * own code. */
	{ "node", "--perf-basic-prof", "NODE_OPTIONS", "--perf-basic-prof",
	  ", and isolate-*-v8.log where it ran", false },
	{ "erlang", "+JPperf true", "ERL_FLAGS", "+JPperf true", "", false },
	{ "python", "-X perf (3.12 and later)", "PYTHONPERFSUPPORT", "1", "",
	  true },
	{ "mono", "--jitmap", "MONO_ENV_OPTIONS", "--jitmap", "", false },
	{ "luajit", "it writes none, but luajit -jp shows its functions", NULL,
	  NULL, "", false },
	{ "guile", "it writes none", NULL, NULL, "", false },
};

/* Each by a file that it maps; a final star matches any suffix. libjvm.so and
 * libcoreclr.so occur only with their runtime. Stacks without frame pointers
 * may reach only the program. */
static const struct {
	const char *file;
	const struct runtime *runtime;
} files[] = {
	{ "libjvm.so", &runtimes[0] },     { "java", &runtimes[0] },
	{ "libcoreclr.so", &runtimes[1] }, { "node", &runtimes[2] },
	{ "libnode.so*", &runtimes[2] },   { "beam.smp", &runtimes[3] },
	{ "python3*", &runtimes[4] },      { "libpython3*", &runtimes[4] },
	{ "mono", &runtimes[5] },          { "mono-sgen", &runtimes[5] },
	{ "libmono*", &runtimes[5] },      { "luajit*", &runtimes[6] },
	{ "libluajit*", &runtimes[6] },    { "guile*", &runtimes[7] },
	{ "libguile*", &runtimes[7] },
};

const struct runtime *
runtime_next(const struct runtime *last)
{
	const struct runtime *next = last ? last + 1 : runtimes;

	return next < runtimes + sizeof(runtimes) / sizeof(*runtimes) ? next
								      : NULL;
}

static bool
is_called(const char *file, const char *pattern)
{
	const char *slash = strrchr(file, '/');
	const char *base = slash ? slash + 1 : file;
	size_t n = strcspn(pattern, "*");

	return !strncmp(base, pattern, n) && (pattern[n] || !base[n]);
}

const struct runtime *
runtime_of(const struct profile *p)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		for (size_t m = 0; m < p->n_mapping; m++)
			if (is_called(profile_str(p, p->mapping[m].file),
				      files[i].file))
				return files[i].runtime;
	return NULL;
}

/* Does name begin with one of the n words? */
static bool
begins(const char *name, const char *const *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strncmp(name, word[i], strlen(word[i])))
			return true;
	return false;
}

bool
runtime_may_own(const char *file)
{
	static const char *const names[] = {
		"//anon",    "[anon",  "/memfd:", "anon_inode:", "/SYSV",
		"/dev/zero", "[heap]", "[stack",  "[JIT]"
	};
	static const char *const logs[] = { "perf-", "jit-" };
	const char *slash = strrchr(file, '/');
	const char *base = slash ? slash + 1 : file, *digits;

	if (begins(file, names, sizeof(names) / sizeof(*names)))
		return true;
	/* perf(1) names memory by the file with its symbols. */
	if (!begins(base, logs, sizeof(logs) / sizeof(*logs)))
		return false;
	digits = strchr(base, '-') + 1;
	base = digits + strspn(digits, "0123456789");
	return base > digits &&
	       (!strcmp(base, ".map") || !strcmp(base, ".dump"));
}

double
runtime_share(const struct profile *p, const double *by_mapping)
{
	double share = by_mapping[p->n_mapping];

	for (size_t m = 0; m < p->n_mapping; m++)
		if (runtime_may_own(profile_str(p, p->mapping[m].file)))
			share += by_mapping[m];
	return share;
}
