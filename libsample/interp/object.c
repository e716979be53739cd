/*
 * object.c - find interpreters by the symbols that they export. The tables of a
 * loaded object are read in place: dlsym() would take the loader's lock, may
 * allocate, and does not find what was loaded for one library alone.
 */
#include "config.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "interp.h"

enum { MAX_FOUND = 8 /* in the life of a process */ };

struct interp_state interp_state;

static const struct interp_kind *const kinds[] = { &interp_python, &interp_php,
						   &interp_ruby };

/* The exported symbols of an object. */
struct symbols {
	uintptr_t base;
	const ElfW(Sym) * symbol;
	const char *strings;
	const uint32_t *hash; /* DT_GNU_HASH; NULL: there is nothing to find */
};

/* Some loaders do not relocate these addresses. */
static const void *
address(const struct dl_phdr_info *info, uintptr_t at)
{
	return (const void *)(at < info->dlpi_addr ? at + info->dlpi_addr : at);
}

static struct symbols
symbols_of(const struct dl_phdr_info *info)
{
	struct symbols s = { .base = info->dlpi_addr };
	const ElfW(Dyn) *d = NULL;

	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (const void *)(info->dlpi_addr +
					   info->dlpi_phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_SYMTAB)
			s.symbol = address(info, d->d_un.d_ptr);
		else if (d->d_tag == DT_STRTAB)
			s.strings = address(info, d->d_un.d_ptr);
		else if (d->d_tag == DT_GNU_HASH)
			s.hash = address(info, d->d_un.d_ptr);
	if (!s.symbol || !s.strings)
		s.hash = NULL;
	return s;
}

/* The address of a symbol that s defines, or 0. */
static uintptr_t
find(const struct symbols *s, const char *name, size_t *size)
{
	const uint32_t *bucket, *chain;
	uint32_t h = 5381, n_bucket, first, i;

	if (!s->hash)
		return 0;
	for (const char *p = name; *p; p++)
		h = h * 33 + (unsigned char)*p;
	n_bucket = s->hash[0];
	first = s->hash[1];
	/* After a filter of hash[2] words, which would only save time. */
	bucket = s->hash + 4 + s->hash[2] * (sizeof(ElfW(Addr)) / 4);
	chain = bucket + n_bucket;
	i = n_bucket ? bucket[h % n_bucket] : 0;
	for (; i >= first && i > 0; i++) {
		const ElfW(Sym) *sym = &s->symbol[i];
		uint32_t own = chain[i - first];

		if ((own | 1) == (h | 1) && sym->st_shndx != SHN_UNDEF &&
		    !strcmp(s->strings + sym->st_name, name)) {
			if (size)
				*size = sym->st_size;
			return s->base + sym->st_value;
		}
		if (own & 1)
			break;
	}
	return 0;
}

static bool
find_code(const struct dl_phdr_info *info, struct interp *in)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type == PT_GNU_EH_FRAME)
			in->unwind = info->dlpi_addr + ph->p_vaddr;
		if (ph->p_type == PT_LOAD && ph->p_flags & PF_W) {
			in->data_lo = info->dlpi_addr + ph->p_vaddr;
			in->data_hi = in->data_lo + ph->p_memsz;
		}
	}
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		in->lo = info->dlpi_addr + ph->p_vaddr;
		in->hi = in->lo + ph->p_memsz;
		if (ph->p_type == PT_LOAD && ph->p_flags & PF_X &&
		    in->eval_lo >= in->lo && in->eval_lo < in->hi)
			return true;
	}
	return false;
}

static bool
publish(const struct interp *in)
{
	static struct interp found[MAX_FOUND] LARGE;
	static size_t n;
	void *known = interp_state.known;

	if (n == MAX_FOUND)
		return false;
	if (!known) {
		known = mmap(NULL, INTERP_KNOWN * sizeof(uint64_t),
			     PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (known == MAP_FAILED)
			return false;
		interp_state.known = known;
	}
	found[n] = *in;
	atomic_store(&interp_state.found, &found[n++]);
	return true;
}

bool
interp_look(const struct dl_phdr_info *info, bool is_first, const char **why)
{
	/* The program's symbols come first for the loader, too: it may have a
	 * copy of a library's data. */
	static struct symbols program;
	struct symbols own = symbols_of(info);

	*why = NULL;
	if (is_first)
		program = own;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		struct interp in = { .kind = kinds[k] };
		size_t size = 0;

		in.eval_lo = find(&own, in.kind->eval, &size);
		in.eval_hi = in.eval_lo + size;
		in.waits = (uintptr_t)pthread_cond_timedwait;
		if (!in.eval_lo || !find_code(info, &in))
			continue;
		in.enter_lo =
			in.kind->enter ? find(&own, in.kind->enter, &size) : 0;
		in.enter_hi = in.enter_lo ? in.enter_lo + size : 0;
		for (size_t i = 0; i < INTERP_SYMBOLS && in.kind->symbol[i];
		     i++) {
			in.symbol[i] = find(&program, in.kind->symbol[i], NULL);
			if (!in.symbol[i])
				in.symbol[i] =
					find(&own, in.kind->symbol[i], NULL);
		}
		for (size_t i = 0;
		     i < INTERP_PHASES && in.kind->phase[i].function; i++) {
			in.phase[i].lo =
				find(&own, in.kind->phase[i].function, &size);
			in.phase[i].hi =
				in.phase[i].lo ? in.phase[i].lo + size : 0;
		}
		if (in.kind->init(&in, why) && publish(&in))
			return true;
	}
	return false;
}

void
interp_forget(void)
{
	for (size_t i = 0; interp_state.known && i < INTERP_KNOWN; i++)
		atomic_store_explicit(&interp_state.known[i], 0,
				      memory_order_relaxed);
}
