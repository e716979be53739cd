/* trust.c - see trust.h. */
#include "config.h"

#include "trust.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/regular.h"
#include "lib/model/profile.h"
#if HAVE_LIBELF
#include "symbols/elf/object.h"
#include "symbols/elf/section.h"
#endif

#define MAX_BINARIES 16 /* of a profile, in its order: the program is first */

/* Is real, without links, below dir of n bytes? "/" holds everything, and so
 * says nothing. */
static bool
is_below(const char *real, const char *dir, size_t n)
{
	char path[PATH_MAX], place[PATH_MAX];

	if (!n || n >= sizeof(path))
		return false;
	memcpy(path, dir, n);
	path[n] = '\0';
	if (!realpath(path, place))
		return false;
	n = strlen(place);
	return n > 1 && !strncmp(real, place, n) && real[n] == '/';
}

static bool
is_in_list(const char *real, const char *list, const char *folder)
{
	char path[PATH_MAX];

	for (; list && *list; list += *list == ':') {
		size_t n = strcspn(list, ":");
		int len = snprintf(path, sizeof(path), "%.*s%s", (int)n, list,
				   folder);

		if (len > 0 && (size_t)len < sizeof(path) &&
		    is_below(real, path, (size_t)len))
			return true;
		list += n;
	}
	return false;
}

static bool
is_system(const char *real)
{
	/* Prefixes: /usr/share/go-1.22/src */
	static const char *const start[] = {
		"/usr/include/", "/usr/local/include/", "/usr/src/",
		"/usr/lib/gcc/", "/usr/lib/go",         "/usr/share/go",
		"/usr/local/go/"
	};

	for (size_t i = 0; i < sizeof(start) / sizeof(start[0]); i++)
		if (!strncmp(real, start[i], strlen(start[i])))
			return true;
	return is_in_list(real, getenv("GOROOT"), "/src") ||
	       is_in_list(real, getenv("GOMODCACHE"), "") ||
	       is_in_list(real, getenv("GOPATH"), "/pkg/mod") ||
	       is_in_list(real, getenv("HOME"), "/go/pkg/mod");
}

static bool
is_ours(const struct stat *sb)
{
	return sb->st_uid == 0 || sb->st_uid == geteuid();
}

#if HAVE_LIBELF
/* Does the section have name as a string, or at the end of a path? */
static bool
section_names(const struct object *o, const char *section, const char *name)
{
	struct section_bytes b = { 0 };
	size_t n = strlen(name) + 1; /* with its NUL */
	GElf_Shdr sh;
	Elf_Scn *scn = section_find(o->elf, section, 0, &sh);
	const uint8_t *at, *end;
	bool found = false;

	if (!scn ||
	    !section_read(o->elf, scn, &sh, section[1] == 'z', NULL, &b))
		return false;
	at = b.data;
	end = b.data + b.n;
	while (!found && (at = memmem(at, (size_t)(end - at), name, n))) {
		found = at == b.data || at[-1] == '\0' || at[-1] == '/';
		at++;
	}
	free(b.owned);
	return found;
}

static bool
binary_names(const struct profile *p, const struct mapping *m, const char *name)
{
	static const char *const section[] = { ".debug_line_str", ".debug_line",
					       ".debug_str", ".zdebug_line" };
	const char *file = profile_str(p, m->file);
	const char *id = profile_str(p, m->build_id);
	struct object o;
	struct stat sb;
	char opened[32];
	bool found = false;
	int fd;

	/* Nothing of another user's is read here, whatever the name comes to
	 * stand for. */
	if (!*id || *file != '/')
		return false;
	fd = regular_open(file, false, &sb, NULL);
	if (fd < 0)
		return false;
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", fd);
	if (!is_ours(&sb) || object_open(&o, opened, NULL, NULL) != PROF_OK) {
		close(fd);
		return false;
	}
	for (size_t i = 0; !found && i < sizeof(section) / sizeof(section[0]);
	     i++)
		found = (!strcmp(o.build_id, id) || !strcmp(o.loaded_id, id)) &&
			section_names(&o, section[i], name);
	object_close(&o);
	close(fd);
	return found;
}
#else
static bool
binary_names(const struct profile *p, const struct mapping *m, const char *name)
{
	(void)p;
	(void)m;
	(void)name;
	return false;
}
#endif

bool
trust_source(void *ctx, const char *path)
{
	const struct trust *t = ctx;
	char real[PATH_MAX], here[PATH_MAX];
	struct stat sb;

	if (!realpath(path, real) || stat(real, &sb) < 0)
		return true; /* reading it fails, and says why */
	if ((getcwd(here, sizeof(here)) &&
	     is_below(real, here, strlen(here))) ||
	    is_in_list(real, t->source_path, "") || is_system(real))
		return true;
	if (!is_ours(&sb) || !(sb.st_mode & S_IROTH))
		return false;
	for (size_t i = 0; i < t->p->n_mapping && i < MAX_BINARIES; i++)
		if (binary_names(t->p, &t->p->mapping[i],
				 strrchr(real, '/') + 1))
			return true;
	return false;
}
