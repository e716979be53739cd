/*
 * initial.c - the loader's list of objects; and those that a process was
 * started with: the program,
 * the libraries that it and libsample need, and those that these need. The
 * loader never unloads them. It does not list them separately; but DT_NEEDED
 * has their names, and the loader's list is in the order of loading: of two
 * objects with the same name, the first is the initial one.
 */
#include "config.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "impl.h"
#include "unwind.h"

enum { N_NOTED = 32 /* more are listed at once */ };

static struct {
	struct dl_phdr_info object[N_NOTED];
	size_t n;
} noted;

static int
note(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct dl_phdr_info *to = &noted.object[noted.n];

	(void)arg;
	if (noted.n == N_NOTED)
		return 1;
	memcpy(to, info, size < sizeof(*to) ? size : sizeof(*to));
	noted.n++;
	return 0;
}

bool
unwind_note(void)
{
	if (dl_iterate_phdr(note, NULL) != 0)
		noted.n = 0;
	return noted.n > 0;
}

void
unwind_note_end(void)
{
	noted.n = 0;
}

int
unwind_each(unwind_visit *visit, void *arg)
{
	int rc = 0;

	if (!noted.n)
		return dl_iterate_phdr(visit, arg);
	for (size_t i = 0; i < noted.n && rc == 0; i++)
		rc = visit(&noted.object[i], sizeof(*noted.object), arg);
	return rc;
}

struct initial_object {
	const ElfW(Phdr) * phdr;
	const char *path, *soname, *strings; /* NULL: none */
	const ElfW(Dyn) * dynamic;
	bool stays, is_done; /* the objects that it needs are marked */
};

/* Some loaders do not relocate these addresses. */
static const char *
address(const struct dl_phdr_info *info, uintptr_t at)
{
	return (const char *)(at < info->dlpi_addr ? at + info->dlpi_addr : at);
}

static void
read_dynamic(struct initial_object *o, const struct dl_phdr_info *info)
{
	size_t soname = 0;

	for (const ElfW(Dyn) *d = o->dynamic; d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_STRTAB)
			o->strings = address(info, d->d_un.d_ptr);
		else if (d->d_tag == DT_SONAME)
			soname = d->d_un.d_val;
	if (o->strings && soname)
		o->soname = o->strings + soname;
}

static int
add_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct unwind_initial *set = arg;
	uintptr_t here = (uintptr_t)&unwind_state;
	struct initial_object *o;

	(void)size;
	if (set->n == set->room)
		return 1;
	o = &set->object[set->n++];
	o->phdr = info->dlpi_phdr;
	o->path = info->dlpi_name;
	o->stays = set->n == 1; /* the program */
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_DYNAMIC)
			o->dynamic = (const void *)at;
		else if (ph->p_type == PT_LOAD && here >= at &&
			 here - at < ph->p_memsz)
			o->stays = true;
	}
	if (o->dynamic)
		read_dynamic(o, info);
	return 0;
}

static int
count_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	size_t *n = arg;

	(void)info;
	(void)size;
	++*n;
	return 0;
}

static bool
is_called(const struct initial_object *o, const char *name)
{
	const char *slash = o->path ? strrchr(o->path, '/') : NULL;

	return (o->soname && !strcmp(o->soname, name)) ||
	       (slash && !strcmp(slash + 1, name)) ||
	       (o->path && !strcmp(o->path, name));
}

static void
mark(struct unwind_initial *set, const char *name)
{
	for (size_t i = 0; i < set->n; i++)
		if (is_called(&set->object[i], name)) {
			set->object[i].stays = true;
			return;
		}
}

static void
mark_needed(struct unwind_initial *set, struct initial_object *o)
{
	o->is_done = true;
	for (const ElfW(Dyn) *d = o->dynamic; o->strings && d->d_tag != DT_NULL;
	     d++)
		if (d->d_tag == DT_NEEDED)
			mark(set, o->strings + d->d_un.d_val);
}

void
unwind_initial_find(struct unwind_initial *set)
{
	bool more;

	*set = (struct unwind_initial){ 0 };
	unwind_each(count_module, &set->room);
	set->object = unwind_map(set->room * sizeof(*set->object));
	if (!set->object)
		return;
	unwind_each(add_module, set);
	do {
		more = false;
		for (size_t i = 0; i < set->n; i++)
			if (set->object[i].stays && !set->object[i].is_done) {
				mark_needed(set, &set->object[i]);
				more = true;
			}
	} while (more);
}

void
unwind_initial_free(struct unwind_initial *set)
{
	if (set->object)
		munmap(set->object, set->room * sizeof(*set->object));
	*set = (struct unwind_initial){ 0 };
}

bool
unwind_initial_has(const struct unwind_initial *set, const void *phdr)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->object[i].phdr == phdr)
			return set->object[i].stays;
	return false;
}
