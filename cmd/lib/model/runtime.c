/* runtime.c - see runtime.h. */
#include "config.h"

#include "runtime.h"

#include <stdbool.h>
#include <string.h>

#include "profile.h"

/* Runtimes by a file that they map; a final star matches any suffix. libjvm.so
 * and libcoreclr.so occur only with their runtime. */
static const struct {
	const char *file, *name, *how;
} runtimes[] = {
	{ "libjvm.so", "java",
	  "-XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions "
	  "-XX:+DumpPerfMapAtExit" },
	{ "libcoreclr.so", ".NET", "DOTNET_PerfMapEnabled=1" },
	{ "node", "node", "--perf-basic-prof" },
	{ "libnode.so*", "node", "--perf-basic-prof" },
	{ "beam.smp", "erlang", "+JPperf true" },
	{ "python3*", "python", "-X perf (3.12 and later)" },
	{ "libpython3*", "python", "-X perf (3.12 and later)" },
};

static bool
is_called(const char *file, const char *pattern)
{
	const char *slash = strrchr(file, '/');
	const char *base = slash ? slash + 1 : file;
	size_t n = strcspn(pattern, "*");

	return !strncmp(base, pattern, n) && (pattern[n] || !base[n]);
}

const char *
runtime_switch(const struct profile *p, const char **name)
{
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++)
		for (size_t m = 0; m < p->n_mapping; m++)
			if (is_called(profile_str(p, p->mapping[m].file),
				      runtimes[i].file)) {
				*name = runtimes[i].name;
				return runtimes[i].how;
			}
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
