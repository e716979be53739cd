/* interpreter.c - see interpreter.h. */
#include "config.h"

#include "interpreter.h"

#include <stdlib.h>
#include <string.h>

#include "profile.h"

/* By the beginning of the file's name; the rest is a version or a suffix. */
static const struct {
	const char *file, *name;
	const char
		*functions; /* the mapping of its functions; NULL: not read */
} known[] = {
	{ "libguile", "guile", NULL },
	{ "guile", "guile", NULL },
	{ "liblua", "lua", NULL },
	{ "luajit", "lua", NULL },
	{ "lua", "lua", NULL },
	{ "libperl.so", "perl", NULL },
	{ "perl", "perl", NULL },
	{ "libphp", "php", "[php]" },
	{ "php-fpm", "php", "[php]" },
	{ "php-cgi", "php", "[php]" },
	{ "php", "php", "[php]" },
	{ "libR.so", "R", NULL },
	{ "libruby", "ruby", "[ruby]" },
	{ "ruby", "ruby", "[ruby]" },
	{ "libpython", "python", "[python]" },
	{ "python", "python", "[python]" },
};

/* What a mapping is beside the index in known of its interpreter. */
enum {
	N_KNOWN = sizeof(known) / sizeof(*known), /* none */
	FUNCTIONS,                                /* of one */
};

static bool
has_functions(const char *file)
{
	for (size_t i = 0; i < N_KNOWN; i++)
		if (known[i].functions && !strcmp(file, known[i].functions))
			return true;
	return false;
}

bool
interpreter_is_read(const struct profile *p)
{
	for (size_t m = 0; m < p->n_mapping; m++)
		if (has_functions(profile_str(p, p->mapping[m].file)))
			return true;
	return false;
}

/* What the mapping of this file is. */
static size_t
kind_of(const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *base = slash ? slash + 1 : file;
	size_t i;

	if (has_functions(file))
		return FUNCTIONS;
	for (i = 0; i < N_KNOWN; i++) {
		size_t n = strlen(known[i].file);

		if (!strncmp(base, known[i].file, n) &&
		    strspn(base + n, "0123456789.-so") == strlen(base + n))
			break;
	}
	return i;
}

/* The mapping of the interpreter in sample i, or PROF_NONE: it has none, or
 * functions that it runs. */
static uint32_t
mapping_of_sample(const struct profile *p, size_t i, const size_t *kind)
{
	const struct sample *s = &p->sample[i];
	const uint32_t *stack = profile_stack(p, s);
	uint32_t found = PROF_NONE;
	bool is_read = false;

	for (uint32_t k = 0; k < s->n_stack && !is_read; k++) {
		uint32_t m = p->location[stack[k]].mapping;

		if (m == PROF_NONE)
			continue;
		is_read = kind[m] == FUNCTIONS;
		if (found == PROF_NONE && kind[m] < N_KNOWN)
			found = m;
	}
	return is_read ? PROF_NONE : found;
}

enum prof_status
interpreter_find(const struct profile *p, struct interpreter *most,
		 struct prof_err *err)
{
	size_t *kind = calloc(p->n_mapping + 1, sizeof(*kind)), type = 0;
	double sum[N_KNOWN] = { 0 }, all = 0;
	bool any = false;

	*most = (struct interpreter){ 0 };
	if (!kind)
		return prof_nomem(err);
	for (size_t m = 0; m < p->n_mapping; m++) {
		kind[m] = kind_of(profile_str(p, p->mapping[m].file));
		any |= kind[m] < N_KNOWN;
	}
	any = any && profile_sample_index(p, NULL, &type, NULL) == PROF_OK;
	for (size_t i = 0; i < p->n_sample && any; i++) {
		double v = (double)profile_value(p, i)[type];
		uint32_t m = mapping_of_sample(p, i, kind);

		if (m != PROF_NONE)
			sum[kind[m]] += v;
		all += v;
	}
	/* Several files may be of one. */
	for (size_t f = 1; f < N_KNOWN; f++)
		if (!strcmp(known[f].name, known[f - 1].name)) {
			sum[f] += sum[f - 1];
			sum[f - 1] = 0;
		}
	for (size_t f = 0; f < N_KNOWN && all > 0; f++)
		if (sum[f] / all > most->share)
			*most = (struct interpreter){
				.name = known[f].name,
				.share = sum[f] / all,
				.is_readable = known[f].functions != NULL,
			};
	free(kind);
	return PROF_OK;
}
