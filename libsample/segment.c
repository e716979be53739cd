/*
 * segment.c - tell the recorder what code is at which address, so that the
 * profile of a killed program still has names: see segment.h. A signal handler
 * may run all of it.
 */
#include "config.h"

#include "segment.h"

#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "sampler.h"
#include "table.h"
#include "unwind/filter.h"
#include "unwind/impl.h"

enum {
	N_FORGOTTEN = 32,    /* removed at a time */
	PATIENCE = 200,      /* ms to wait for room in the log */
	N_FIRST = 4096 / 32, /* initial room for segments */
};

struct segments segments;

static struct {
	size_t room;                   /* for segments */
	unsigned long long adds, subs; /* the loader's, last time */
	bool deaf;                     /* the recorder no longer reads */
	char *path; /* room for one: handlers may have small stacks */
} listed;

/*
 * Append a record that must not be lost: wait for room, as the recorder empties
 * the log many times a second. If it has not for a while, it is dead; later
 * calls do not wait.
 */
bool
segments_tell(enum shm_kind kind, const void *data, size_t size,
	      const void *tail, size_t n_tail)
{
	static const struct timespec ms = { .tv_nsec = 1000000 };

	for (int i = 0; i < PATIENCE && !listed.deaf; i++) {
		if (table_tell(sampler.shm, kind, data, size, tail, n_tail))
			return true;
		nanosleep(&ms, NULL);
	}
	listed.deaf = true;
	return false;
}

bool
segment_is_loaded(const ElfW(Phdr) * part, const ElfW(Phdr) * header, size_t n)
{
	for (const ElfW(Phdr) *ph = header; ph < header + n; ph++) {
		uint64_t at = part->p_vaddr - ph->p_vaddr;

		if (ph->p_type == PT_LOAD && (ph->p_flags & PF_R) &&
		    at <= ph->p_memsz && part->p_memsz <= ph->p_memsz - at)
			return true;
	}
	return false;
}

/* The build-id in the notes of the object, or NULL. */
static const uint8_t *
build_id(const struct dl_phdr_info *info, size_t *size)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		size_t align = ph->p_align == 8 ? 8 : 4;
		const char *at = (const char *)(info->dlpi_addr + ph->p_vaddr);
		size_t left = ph->p_memsz;

		if (ph->p_type != PT_NOTE ||
		    !segment_is_loaded(ph, info->dlpi_phdr, info->dlpi_phnum))
			continue;
		while (left >= sizeof(ElfW(Nhdr))) {
			const ElfW(Nhdr) *note = (const void *)at;
			size_t name = (note->n_namesz + align - 1) & -align;
			size_t desc = (note->n_descsz + align - 1) & -align;

			if (name > left - sizeof(*note) ||
			    desc > left - sizeof(*note) - name)
				break;
			if (note->n_type == NT_GNU_BUILD_ID &&
			    note->n_namesz == 4 &&
			    !memcmp(at + sizeof(*note), "GNU", 4)) {
				*size = note->n_descsz;
				return (const uint8_t *)at + sizeof(*note) +
				       name;
			}
			at += sizeof(*note) + name + desc;
			left -= sizeof(*note) + name + desc;
		}
	}
	*size = 0;
	return NULL;
}

/* The addresses of this program header. False: it has no code. */
static bool
segment_of(const struct dl_phdr_info *info, int i, struct segment *s)
{
	const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
	uint64_t page = sampler.page_size;
	uint64_t start = info->dlpi_addr + ph->p_vaddr;

	if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X) || !ph->p_memsz)
		return false;
	s->start = start & -page;
	s->limit = (start + ph->p_memsz + page - 1) & -page;
	s->pass = segments.pass;
	return true;
}

static void
identify(const struct dl_phdr_info *info, struct segment *s)
{
	struct cfi_image image;
	size_t n_id;
	const uint8_t *id;

	s->id = s->start ^ s->limit * 31;
	id = build_id(info, &n_id);
	if (!id && unwind_image_init(&image, info))
		s->id ^= unwind_image_id(&image, info);
	for (size_t k = 0; k < n_id; k++)
		s->id = (s->id ^ id[k]) * UINT64_C(0x100000001b3);
	for (const char *p = info->dlpi_name; p && *p; p++)
		s->id = (s->id ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
}

/*
 * The known segment that this is. One that the pass before saw is the same if
 * since then the loader has only loaded, or only unloaded; else their
 * identities must be equal.
 */
static struct segment *
find_segment(const struct dl_phdr_info *info, struct segment *s,
	     bool may_differ)
{
	struct segment *known = NULL;

	for (size_t i = 0; i < segments.n && !known; i++)
		if (segments.at[i].start == s->start)
			known = &segments.at[i];
	if (known && known->pass + 1 == segments.pass && !may_differ)
		return known;
	identify(info, s);
	return known && known->id == s->id ? known : NULL;
}

/* Uses mmap: this may run inside a program's malloc. */
static bool
remember(const struct segment *s)
{
	if (segments.n == listed.room) {
		size_t room = listed.room ? listed.room * 2 : N_FIRST;
		void *more =
			listed.room
				? mremap(segments.at, listed.room * sizeof(*s),
					 room * sizeof(*s), MREMAP_MAYMOVE)
				: unwind_map(room * sizeof(*s));

		if (!more || more == MAP_FAILED)
			return false;
		segments.at = more;
		listed.room = room;
	}
	segments.at[segments.n++] = *s;
	return true;
}

static char *
put_hex(char *to, uint64_t n)
{
	int shift = 60;

	while (shift > 0 && !(n >> shift))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		*to++ = "0123456789abcdef"[n >> shift & 15];
	return to;
}

static bool
read_link(const char *link, char path[PATH_MAX])
{
	ssize_t n = readlink(link, path, PATH_MAX - 1);

	path[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* The file that is mapped at s, by the kernel: the loader's name for it may be
 * relative, and lead through links. */
static bool
mapped_path(const struct segment *s, char path[PATH_MAX])
{
	char link[64] = "/proc/self/map_files/";
	char *at = put_hex(link + strlen(link), s->start);

	*at++ = '-';
	put_hex(at, s->limit);
	return read_link(link, path) && path[0] == '/';
}

static bool
is_deleted(const char *path)
{
	static const char gone[] = " (deleted)";
	size_t n = strlen(path);

	return n >= sizeof(gone) && !strcmp(path + n - sizeof(gone) + 1, gone);
}

/* /proc/self/exe is the loader, if the program was started by its name. */
static void
path_of(const struct dl_phdr_info *info, bool is_first, const struct segment *s,
	char path[PATH_MAX])
{
	const char *name = info->dlpi_name ? info->dlpi_name : "";
	bool is_program = is_first && !*name;

	if (is_program && segments.run)
		name = segments.run;
	else if (!strncmp(name, "linux-vdso", 10))
		name = "[vdso]";
	else if (mapped_path(s, path) && (is_program || !is_deleted(path)))
		return;
	else if (is_program && read_link("/proc/self/exe", path))
		return;
	strncpy(path, name, PATH_MAX - 1);
}

static bool
tell_segment(const struct dl_phdr_info *info, int i, bool is_first,
	     bool is_interp, const struct segment *s)
{
	const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
	struct shm_module m = { .space = atomic_load(&sampler.space) };
	uintptr_t here = (uintptr_t)segments_update;
	char *path = listed.path;
	const uint8_t *id;
	size_t n, room = sizeof((struct shm_slot *)0)->u.bytes -
			 offsetof(struct shm_module, path);

	m.start = s->start;
	m.limit = s->limit;
	m.offset = ph->p_offset & -(uint64_t)getpagesize();
	m.hide = is_interp && sampler.shm->set.interp == SHM_INTERP_ONLY;
	m.is_self = here >= s->start && here < s->limit;
	id = build_id(info, &n);
	if (id && n <= sizeof(m.build_id)) {
		m.n_build_id = (uint32_t)n;
		memcpy(m.build_id, id, n);
	}
	path_of(info, is_first, s, path);
	n = strlen(path) + 1;
	if (n > room) /* better none than a wrong one */
		path[0] = '\0', n = 1;
	return segments_tell(SHM_MODULE, &m, offsetof(struct shm_module, path),
			     path, n);
}

/* Has an object that is new an interpreter? */
static bool
has_interp(const struct dl_phdr_info *info, bool is_first)
{
	const char *why;
	bool found;

	if (sampler.shm->set.interp == SHM_INTERP_OFF)
		return false;
	found = interp_look(info, is_first, &why);
	if (found && !filter_allows(FILTER_READ))
		why = "a filter of system calls (seccomp) forbids to read "
		      "them, or might kill for it";
	if (why)
		module_note("%s[%d]: the functions of its interpreter are not "
			    "read: %s",
			    sampler.name, (int)sampler.pid, why);
	return found;
}

/* A pass over the loaded objects. */
struct pass {
	bool is_first; /* first object of the list: the program */
	bool may_skip; /* if the loader has neither loaded nor unloaded */
	bool is_adding;
	bool may_differ; /* the loader has both loaded and unloaded */
	bool has_new;    /* there was something to add */
};

static int
each_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct pass *pass = arg;
	bool is_first = pass->is_first, is_looked = false, is_interp = false;
	struct segment s, *known;

	(void)size;
	pass->is_first = false;
	if (is_first && pass->may_skip && segments.n &&
	    listed.adds == info->dlpi_adds && listed.subs == info->dlpi_subs)
		return 1;
	if (is_first && !pass->is_adding) {
		pass->may_differ = listed.adds != info->dlpi_adds &&
				   listed.subs != info->dlpi_subs;
		listed.adds = info->dlpi_adds;
		listed.subs = info->dlpi_subs;
		segments.pass++;
	}
	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (!segment_of(info, i, &s))
			continue;
		known = find_segment(info, &s, pass->may_differ);
		if (known)
			known->pass = segments.pass;
		else if (!pass->is_adding)
			pass->has_new = true;
		else {
			if (!is_looked)
				is_interp = has_interp(info, is_first);
			is_looked = true;
			if (tell_segment(info, i, is_first, is_interp, &s))
				remember(&s);
		}
	}
	return 0;
}

/*
 * Remove those that the last pass has not seen from the space, which is a new
 * one, and from the unwinder's tables: up to 32. False: there is no room in the
 * log.
 */
static bool
forget(void)
{
	uintptr_t code[N_FORGOTTEN];
	size_t kept = 0, n_code = 0, n = segments.n;
	uint32_t now = sampler_new_space(atomic_load(&sampler.space), 0);

	if (!now)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct segment *s = &segments.at[i];
		struct shm_gone gone = { .space = now, .start = s->start };

		if (s->pass == segments.pass || n_code == N_FORGOTTEN ||
		    !table_tell(sampler.shm, SHM_GONE, &gone, sizeof(gone),
				NULL, 0)) {
			segments.at[kept++] = *s;
			continue;
		}
		code[n_code++] = s->start;
	}
	atomic_store(&segments.n_unseen, segments.n_unseen - n_code);
	segments.n = kept;
	atomic_store(&sampler.space, now);
	atomic_store(&sampler.is_forked, false);
	unwind_forget(code, n_code);
	return n_code > 0;
}

static void
count_unseen(void)
{
	size_t n = 0;

	for (size_t i = 0; i < segments.n; i++)
		n += segments.at[i].pass != segments.pass;
	atomic_store(&segments.n_unseen, n);
}

static void
forget_all_unseen(void)
{
	static const struct timespec ms = { .tv_nsec = 1000000 };

	for (int i = 0; i < PATIENCE && segments.n_unseen && !listed.deaf;)
		if (!forget()) {
			nanosleep(&ms, NULL);
			i++;
		}
}

/*
 * What was unloaded stays in the space and in the unwinder's tables until the
 * next tick (segments_update) or until something new is loaded: so a program
 * that loads and unloads the same in a loop costs a look at the loader's list.
 */
void
segments_refresh(bool may_skip)
{
	struct pass pass = { .is_first = true, .may_skip = may_skip };

	unwind_each(each_object, &pass);
	count_unseen();
	if (pass.has_new && !listed.path)
		listed.path = unwind_map(PATH_MAX);
	if (!pass.has_new || !listed.path)
		return;
	/* A child must not write into its parent's space. */
	if (!atomic_load(&sampler.space) ||
	    atomic_exchange(&sampler.is_forked, false))
		atomic_store(&sampler.space,
			     sampler_new_space(atomic_load(&sampler.space), 0));
	forget_all_unseen();
	pass = (struct pass){ .is_first = true, .is_adding = true };
	unwind_each(each_object, &pass);
	unwind_refresh();
}

void
segments_list_noted(void)
{
	if (!segments.is_noted)
		return;
	segments_refresh(false);
	unwind_note_end();
	segments.is_noted = false;
}

void
segments_reset(void)
{
	segments.n = 0;
	atomic_store(&segments.n_unseen, 0);
	segments.is_noted = false;
	listed.deaf = false;
	unwind_note_end();
	interp_forget();
}

void
segments_update(void)
{
	if ((!atomic_load_explicit(&segments.is_noted, memory_order_relaxed) &&
	     !atomic_load_explicit(&segments.n_unseen, memory_order_relaxed)) ||
	    atomic_exchange(&segments.is_taken, true))
		return;
	segments_list_noted();
	if (segments.n_unseen)
		forget();
	atomic_store(&segments.is_taken, false);
}
