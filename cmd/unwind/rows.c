/*
 * rows.c - see rows.h. The compiler is libsample's, for objects in memory. A
 * file's sections are laid out for it at the same distances as in memory. Code
 * is missing there, but only unwind information is read.
 */
#include "config.h"

#include "rows.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf-source.h"
#include "lib/base/confine.h"
#include "lib/base/retry.h"
#include "libsample/unwind/read.h"
#include "libsample/unwind/step.h"
#include "machine.h"

enum {
	MAX_LOAD = 16,
	PAGE = 4096,        /* the smallest */
	MAX_PAGE = 65536,   /* of arm64 */
	MAX_INFO = 1 << 30, /* bytes of unwind information */
};

/* In this order: Go's table knows where its runtime switches stacks, the
 * .debug_frame that is made of it does not. */
enum { TABLE_GO, TABLE_EH, TABLE_DEBUG, N_TABLE };

struct rows {
	char build_id[BUILD_ID_TEXT];
	uint16_t machine;          /* e_machine */
	Elf64_Phdr load[MAX_LOAD]; /* segments with code */
	size_t n_load;
	uint64_t lo, hi; /* addresses of the code; rows count from lo */
	struct cfi_rows table[N_TABLE];
	struct unwind_pool *pool;
};

static const Elf64_Phdr *
segment_of(const struct elf_source *s, uint32_t type, uint64_t vaddr)
{
	for (size_t i = 0; i < s->n_segment; i++) {
		const Elf64_Phdr *ph = &s->segment[i];

		if (ph->p_type == type && vaddr >= ph->p_vaddr &&
		    vaddr - ph->p_vaddr < ph->p_filesz)
			return ph;
	}
	return NULL;
}

/* Find the code; false: there is none, or too much of it. */
static bool
find_code(struct rows *r, const struct elf_source *s)
{
	r->lo = UINT64_MAX;
	for (size_t i = 0; i < s->n_segment && r->n_load < MAX_LOAD; i++) {
		const Elf64_Phdr *ph = &s->segment[i];

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X) ||
		    ph->p_memsz == 0 || ph->p_vaddr + ph->p_memsz < ph->p_vaddr)
			continue;
		r->load[r->n_load++] = *ph;
		if (ph->p_vaddr < r->lo)
			r->lo = ph->p_vaddr;
		if (ph->p_vaddr + ph->p_memsz > r->hi)
			r->hi = ph->p_vaddr + ph->p_memsz;
	}
	return r->n_load && r->hi - r->lo < UINT32_MAX;
}

static const Elf64_Phdr *
eh_frame_header(const struct elf_source *s)
{
	for (size_t i = 0; i < s->n_segment; i++)
		if (s->segment[i].p_type == PT_GNU_EH_FRAME)
			return &s->segment[i];
	return NULL;
}

/*
 * Read the bytes from .eh_frame_hdr, or .eh_frame if that is first, to the end
 * of their segment: linkers put them into one. *from is the address of the
 * first byte. false: they are elsewhere.
 */
static bool
read_eh_frame(const struct elf_source *s, const Elf64_Phdr *hdr,
	      struct buf *out, uint64_t *from)
{
	const Elf64_Phdr *load = segment_of(s, PT_LOAD, hdr->p_vaddr);
	uint8_t head[8];
	int32_t delta;

	if (!load || !elf_source_read(s, hdr->p_offset, head, sizeof(head)) ||
	    head[1] != (PE_pcrel | PE_sdata4))
		return false;
	memcpy(&delta, head + 4, sizeof(delta));
	*from = hdr->p_vaddr + 4 + (uint64_t)(int64_t)delta;
	if (segment_of(s, PT_LOAD, *from) != load)
		return false;
	if (*from > hdr->p_vaddr)
		*from = hdr->p_vaddr;
	return elf_source_slurp(s, load->p_offset + (*from - load->p_vaddr),
				load->p_filesz - (*from - load->p_vaddr), out);
}

static int
compile(struct rows *r, struct cfi_image *image, const struct buf *info,
	uint64_t from, int table)
{
	uintptr_t at = (uintptr_t)info->data;

	image->segment[0] =
		(struct unwind_bounds){ .lo = at, .hi = at + info->n };
	image->n_segment = 1;
	/* .debug_frame has addresses of the file. */
	image->absolute = image->is_debug ? 0 : at - from;
	image->text_lo = r->lo + image->absolute;
	image->text_hi = r->hi + image->absolute;
	return rows_machine(r)->compile(image, r->pool, &r->table[table]);
}

static int
compile_eh_frame(struct rows *r, const struct elf_source *s)
{
	const Elf64_Phdr *hdr = eh_frame_header(s);
	struct cfi_image image = { 0 };
	struct buf info = { 0 };
	Elf64_Shdr sh;
	uint64_t from;
	int e = 0;

	if (hdr && read_eh_frame(s, hdr, &info, &from)) {
		image.hdr = (uintptr_t)info.data + (hdr->p_vaddr - from);
		image.hdr_bytes = hdr->p_filesz;
		e = compile(r, &image, &info, from, TABLE_EH);
	} else if (elf_source_section(s, ".eh_frame", &sh) &&
		   sh.sh_size <= MAX_INFO &&
		   elf_source_contents(s, &sh, &info)) {
		image.section = (uintptr_t)info.data;
		e = compile(r, &image, &info, sh.sh_addr, TABLE_EH);
	}
	buf_release(&info);
	return e;
}

static int
compile_debug_frame(struct rows *r, const struct elf_source *s)
{
	struct cfi_image image = { .is_debug = true };
	struct buf info = { 0 };
	Elf64_Shdr sh;
	int e = 0;

	if (elf_source_section(s, ".debug_frame", &sh) &&
	    elf_source_contents(s, &sh, &info)) {
		image.section = (uintptr_t)info.data;
		e = compile(r, &image, &info, 0, TABLE_DEBUG);
	}
	buf_release(&info);
	return e;
}

enum prof_status
rows_read(const struct elf_source *s, struct rows **out, struct prof_err *err)
{
	struct rows *r = calloc(1, sizeof(*r));
	int e;

	*out = NULL;
	if (!r)
		return prof_nomem(err);
	memcpy(r->build_id, s->build_id, sizeof(r->build_id));
	r->machine = s->head.e_machine;
	if (!find_code(r, s)) {
		rows_free(r);
		return prof_fail(err, PROF_EFORMAT,
				 "no code, or more than 4 GiB of it");
	}
	/* Mapped, so that unused parts take no memory. */
	r->pool = unwind_map(sizeof(*r->pool));
	e = r->pool ? compile_eh_frame(r, s) : ENOMEM;
	if (!e)
		e = compile_debug_frame(r, s);
	if (!e)
		e = rows_machine(r)->compile_go(s, r->lo, r->hi, r->pool,
						&r->table[TABLE_GO]);
	if (e) {
		rows_free(r);
		return e == EFBIG ? prof_fail(err, PROF_ELIMIT,
					      "its unwind information stands "
					      "for far more than its size")
				  : prof_nomem(err);
	}
	*out = r;
	return PROF_OK;
}

enum prof_status
rows_of_file(int fd, const char *build_id, struct rows **out,
	     struct prof_err *err)
{
	struct elf_source s;
	enum prof_status st = elf_source_open(&s, fd, err);

	*out = NULL;
	if (st != PROF_OK)
		return st;
	if (*build_id && strcmp(s.build_id, build_id) != 0)
		return prof_fail(err, PROF_EDIFFER,
				 "another build: its build-id is %s",
				 *s.build_id ? s.build_id : "missing");
	return rows_read(&s, out, err);
}

void
rows_free(struct rows *r)
{
	if (!r)
		return;
	for (int i = 0; i < N_TABLE; i++)
		if (r->table[i].row)
			munmap(r->table[i].row, r->table[i].n_bytes);
	if (r->pool)
		munmap(r->pool, sizeof(*r->pool));
	free(r);
}

int
rows_send(const struct rows *r, int fd)
{
	enum prof_status st = write_all(fd, r, sizeof(*r), NULL);

	for (int i = 0; i < N_TABLE && st == PROF_OK; i++)
		st = write_all(fd, r->table[i].row,
			       r->table[i].n_row * sizeof(*r->table[i].row),
			       NULL);
	if (st == PROF_OK)
		st = write_all(fd, r->pool, offsetof(struct unwind_pool, hash),
			       NULL);
	if (st == PROF_OK)
		st = write_all(fd, r->pool->rule,
			       r->pool->n_rule * sizeof(r->pool->rule[0]),
			       NULL);
	if (st == PROF_OK)
		st = write_all(fd, r->pool->expr, r->pool->n_expr, NULL);
	return st == PROF_OK ? 0 : -1;
}

/* Is the table sorted, does it end, and are its rules there? */
static bool
is_table(const struct cfi_rows *t, const struct unwind_pool *pool)
{
	for (size_t i = 0; i < t->n_row; i++) {
		const struct unwind_row *row = &t->row[i];

		if ((i && row->off <= row[-1].off) ||
		    (!(row->word & WORD_PACKED) && row->word != WORD_NONE &&
		     row->word >> 1 >= pool->n_rule))
			return false;
	}
	return !t->n_row || t->row[t->n_row - 1].word == WORD_NONE;
}

static bool
is_loc(const struct unwind_loc *l, const struct rows *r)
{
	const struct unwind_pool *pool = r->pool;

	if (l->kind != LOC_EXPR_MEM && l->kind != LOC_EXPR_VAL)
		return l->kind < LOC_EXPR_MEM &&
		       l->reg < rows_machine(r)->n_reg;
	return l->off >= 0 && (uint32_t)l->off <= pool->n_expr &&
	       l->n_expr <= pool->n_expr - (uint32_t)l->off &&
	       rows_machine(r)->is_expr(pool->expr + l->off, l->n_expr);
}

static bool
is_pool(const struct rows *r)
{
	const struct unwind_pool *pool = r->pool;

	for (uint32_t i = 1; i < pool->n_rule; i++) {
		const struct unwind_rule *rule = &pool->rule[i];

		if (rule->signal > SIGNAL_KERNEL || !is_loc(&rule->cfa, r))
			return false;
		for (int k = 0; k < N_TRACK; k++)
			if (!is_loc(&rule->reg[k], r))
				return false;
	}
	return true;
}

/* Only what is used: the rest of the map takes no memory. */
static bool
receive_pool(struct rows *r, struct confined *from, int fd)
{
	struct unwind_pool *pool = unwind_map(sizeof(*pool));

	r->pool = pool;
	return pool &&
	       confine_read(from, fd, pool,
			    offsetof(struct unwind_pool, hash)) &&
	       pool->n_rule <= POOL_N_RULE && pool->n_expr <= POOL_N_EXPR &&
	       confine_read(from, fd, pool->rule,
			    pool->n_rule * sizeof(pool->rule[0])) &&
	       confine_read(from, fd, pool->expr, pool->n_expr) && is_pool(r);
}

/* Read the tables and the pool of r, whose pointers are NULL. */
static bool
receive_tables(struct rows *r, struct confined *from, int fd)
{
	for (int i = 0; i < N_TABLE; i++) {
		struct cfi_rows *t = &r->table[i];

		if (t->n_row > MAX_INFO / sizeof(*t->row))
			return false;
		t->n_bytes = t->n_row * sizeof(*t->row);
		if (!t->n_row)
			continue;
		t->row = unwind_map(t->n_bytes);
		if (!t->row || !confine_read(from, fd, t->row, t->n_bytes))
			return false;
	}
	if (!receive_pool(r, from, fd))
		return false;
	for (int i = 0; i < N_TABLE; i++)
		if (!is_table(&r->table[i], r->pool))
			return false;
	return true;
}

enum prof_status
rows_receive(struct confined *from, int fd, struct rows **out,
	     struct prof_err *err)
{
	struct rows *r = calloc(1, sizeof(*r));
	bool ok;

	*out = NULL;
	if (!r)
		return prof_nomem(err);
	ok = confine_read(from, fd, r, sizeof(*r));
	r->pool = NULL;
	for (int i = 0; i < N_TABLE; i++)
		r->table[i].row = NULL;
	if (ok && rows_machine(r) && r->n_load <= MAX_LOAD && r->lo < r->hi &&
	    r->hi - r->lo < UINT32_MAX &&
	    memchr(r->build_id, '\0', sizeof(r->build_id)) &&
	    receive_tables(r, from, fd)) {
		*out = r;
		return PROF_OK;
	}
	rows_free(r);
	return prof_fail(err, PROF_EFORMAT, "its rows are damaged");
}

const struct machine *
rows_machine(const struct rows *r)
{
	return machine_of_elf(r->machine);
}

const char *
rows_build_id(const struct rows *r)
{
	return r->build_id;
}

/* The segment of which the file's byte at offset begins a mapping, by pages of
 * that size; or NULL. */
static const Elf64_Phdr *
mapped(const struct rows *r, uint64_t offset, uint64_t page)
{
	const Elf64_Phdr *best = NULL;

	for (size_t i = 0; i < r->n_load; i++) {
		const Elf64_Phdr *ph = &r->load[i];
		uint64_t first = ph->p_offset & ~(page - 1);

		if (offset < first ||
		    offset - first >= ph->p_filesz + (ph->p_offset - first))
			continue;
		/* Two may share a page: take the one that begins there. */
		if (!best || first == offset)
			best = ph;
	}
	return best;
}

bool
rows_bias(const struct rows *r, uint64_t start, uint64_t offset, uint64_t *bias)
{
	const Elf64_Phdr *best = mapped(r, offset, PAGE);

	if (!best && rows_machine(r)->elf == EM_AARCH64)
		best = mapped(r, offset, MAX_PAGE);
	if (!best)
		return false;
	*bias = start - offset + best->p_offset - best->p_vaddr;
	return true;
}

uint32_t
rows_word(const struct rows *r, uint64_t vaddr)
{
	uint32_t off, word;

	if (vaddr < r->lo || vaddr >= r->hi)
		return WORD_NONE;
	off = (uint32_t)(vaddr - r->lo);
	for (int i = 0; i < N_TABLE; i++) {
		const struct cfi_rows *t = &r->table[i];

		if (t->n_row == 0 || off < t->row[0].off)
			continue;
		word = unwind_row_at(t->row, t->n_row, off);
		if (word != WORD_NONE)
			return word;
	}
	return WORD_NONE;
}

const struct unwind_pool *
rows_pool(const struct rows *r)
{
	return r->pool;
}

void
rows_stats(const struct rows *r, struct rows_stats *out)
{
	*out = (struct rows_stats){ .n_bytes = sizeof(*r) };
	for (int i = 0; i < N_TABLE; i++) {
		out->n_row += r->table[i].n_row;
		out->n_refused += r->table[i].n_refused;
		out->n_bytes += r->table[i].n_bytes;
	}
}
