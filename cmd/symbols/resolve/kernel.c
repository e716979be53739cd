/* kernel.c - see kernel.h. */
#include "config.h"

#include "kernel.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>

#include "lib/base/buildid.h"
#include "symbols/elf/broker.h"
#include "symbols/lists/symlist.h"

#define PAGE ((uint64_t)4096)

static const char name[] = "[kernel.kallsyms]";

bool
kernel_is_mapping(const struct mapping *m, const char *file)
{
	const char *dot;

	if (!strncmp(file, name, sizeof(name) - 1))
		return true;
	/* A module is named [nf_tables], or by its file. */
	if (m->start < KERNEL_HALF || !strcmp(file, "[vsyscall]"))
		return false;
	dot = strstr(file, ".ko");
	return *file == '[' || (dot && (!dot[3] || dot[3] == '.'));
}

const char *
kernel_symbol(const char *file)
{
	size_t n = sizeof(name) - 1;

	return !strncmp(file, name, n) && file[n] ? file + n : "_stext";
}

/* The build-id in a file of notes of this machine; "" if there is none. */
static void
read_build_id(const char *path, char *id)
{
	struct buf notes = { 0 };
	bool is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	*id = '\0';
	if (broker_slurp(path, &notes, NULL) == PROF_OK)
		build_id_in_notes(notes.data, notes.n, 4, is_big_endian, id);
	buf_release(&notes);
}

void
kernel_build_id(char *id)
{
	read_build_id("/sys/kernel/notes", id);
}

/* The build-id of a module that is loaded, by its mapping's name. */
static void
module_build_id(const char *file, char *id)
{
	const char *slash = strrchr(file, '/');
	const char *base = slash ? slash + 1 : file + (*file == '[');
	char path[256];
	int n = snprintf(path, sizeof(path),
			 "/sys/module/%.*s/notes/.note.gnu.build-id",
			 (int)strcspn(base, ".]"), base);

	*id = '\0';
	if (n < 0 || (size_t)n >= sizeof(path))
		return;
	for (char *s = strstr(path, "module/") + 7; *s && *s != '/'; s++)
		if (*s == '-')
			*s = '_';
	read_build_id(path, id);
}

/*
 * The number to subtract from addresses of mapping m: with address
 * randomization, the same kernel is elsewhere after each boot.
 */
static uint64_t
base_of(const struct kallsyms *k, const struct mapping *m, const char *file)
{
	uint64_t symbol = k->stext;

	if (strncmp(file, name, sizeof(name) - 1) || !file[sizeof(name) - 1])
		return 0;
	if (!strcmp(kernel_symbol(file), "_text"))
		symbol = k->text;
	if (!symbol || m->start % PAGE != symbol % PAGE)
		return 0;
	return m->start - symbol;
}

/* Refuse the running kernel's symbols for the mapping of another. */
static enum prof_status
check_running(const struct resolve *r, const struct mapping *m,
	      struct prof_err *err)
{
	const char *want = profile_str(r->p, m->build_id);
	const char *file = profile_str(r->p, m->file);
	char have[BUILD_ID_TEXT];

	if (!*want)
		return PROF_OK;
	if (strncmp(file, name, sizeof(name) - 1))
		module_build_id(file, have);
	else
		kernel_build_id(have);
	if (!strcasecmp(have, want))
		return PROF_OK;
	return prof_fail(err, PROF_EIO, "the build-id of what runs here is %s",
			 *have ? have : "unknown");
}

static void
want_all(struct resolve *r, const struct kallsyms *k, uint32_t m)
{
	const struct profile *p = r->p;
	uint64_t base;

	r->wants.n = 0;
	if (m == PROF_NONE) {
		for (size_t i = 0; i < p->n_location; i++) {
			const struct location *l = &p->location[i];

			if (l->mapping == PROF_NONE &&
			    l->address >= KERNEL_HALF && resolve_is_open(r, l))
				wants_add(&r->wants, l->address, (uint32_t)i);
		}
		return;
	}
	base = base_of(k, &p->mapping[m], profile_str(p, p->mapping[m].file));
	for (size_t i = r->place[m]; i < r->place[m + 1]; i++)
		wants_add(&r->wants, p->location[r->wanted[i]].address - base,
			  r->wanted[i]);
}

/* Read the list of symbols, once. */
static enum prof_status
read_symbols(struct resolve *r, struct prof_err *err)
{
	const char *path = r->o->kallsyms ? r->o->kallsyms : "/proc/kallsyms";
	struct buf text = { 0 };
	struct kallsyms *k;
	enum prof_status st;

	if (r->kallsyms)
		return PROF_OK;
	k = calloc(1, sizeof(*k));
	if (!k)
		return prof_nomem(err);
	st = broker_slurp(path, &text, err);
	if (st == PROF_OK)
		st = kallsyms_read(k, (const char *)text.data, text.n, err);
	buf_release(&text);
	if (st == PROF_OK) {
		r->kallsyms = k;
		return PROF_OK;
	}
	symlist_release(&k->list);
	free(k);
	return st;
}

void
kernel_release(struct resolve *r)
{
	if (r->kallsyms)
		symlist_release(&r->kallsyms->list);
	free(r->kallsyms);
}

enum prof_status
kernel_resolve(struct resolve *r, uint32_t m, struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	if (m != PROF_NONE && !r->o->kallsyms)
		st = check_running(r, &r->p->mapping[m], err);
	if (st == PROF_OK)
		st = read_symbols(r, err);
	if (st != PROF_OK)
		return st;
	want_all(r, r->kallsyms, m);
	wants_sort(&r->wants);
	return symlist_run(&r->kallsyms->list, r->wants.addr, r->wants.n_addr,
			   wants_answer, &r->wants, err);
}

enum prof_status
kernel_vdso(const struct mapping *m, struct binary **out, struct prof_err *err)
{
	const ElfW(Ehdr) *ehdr = (const void *)getauxval(AT_SYSINFO_EHDR);
	uint64_t size;
	void *copy;

	*out = NULL;
	if (!ehdr)
		return prof_fail(err, PROF_EIO, "this machine has no vDSO");
	size = ehdr->e_shoff + (uint64_t)ehdr->e_shnum * ehdr->e_shentsize;
	/* Without a build-id, only the size can be compared. */
	if (!m->build_id &&
	    m->limit - m->start != ((size + PAGE - 1) & ~(PAGE - 1)))
		return prof_fail(err, PROF_EIO,
				 "that of this machine has "
				 "another size");
	copy = malloc(size);
	if (!copy)
		return prof_nomem(err);
	memcpy(copy, ehdr, size);
	return binary_open_image("[vdso]", copy, size, out, err);
}
