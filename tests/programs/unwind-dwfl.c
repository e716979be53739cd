/*
 * unwind-dwfl.c - cmd/unwind's walks over a recording of "perf record
 * --call-graph dwarf", each compared with elfutils' dwfl, frame by frame.
 *
 *	unwind-dwfl perf.data
 *
 * Prints the counts, what a frame cost both, and the first stacks that differ.
 * Status 1: less than 99.9 % of the frames are equal.
 */
#include "config.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "unwind/rows.h"
#include "unwind/rowstore.h"
#include "unwind/walk.h"

enum { MAX_FRAME = 1024, MAX_MAP = 4096, SHOWN = 5 };

struct map {
	uint64_t start, end, offset;
	const struct rows *rows;
	uint64_t bias;
	char *path;
};

/* A stack with its end, as one of the two found it. */
struct chain {
	uint64_t pc[MAX_FRAME];
	size_t n;
	bool to_root;
};

static struct {
	struct map map[MAX_MAP];
	size_t n_map;
	uint64_t sample_type, regs_mask;
	struct rowstore *store;
	struct walker *walker;
	Dwfl *dwfl;
	struct walk_stack stack; /* of the sample at hand */
	int32_t pid;
	uint32_t tid;
	struct chain ours, theirs;
	size_t n_sample, n_frame, n_equal, n_shown;
	size_t n_by_one;       /* the same place, exact or not */
	size_t n_more, n_less; /* stacks that go on where the other ended */
	bool may_end;          /* ours, where a stack was switched */
	size_t n_lost; /* ... where dwfl gave up, and we found the root */
	size_t n_truncated, n_failed, n_root;
	double our_s, their_s;
} g;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* --- the recording --- */

static void
add_map(uint64_t start, uint64_t len, uint64_t offset, const char *path)
{
	struct map *m = &g.map[g.n_map];
	uint8_t *vdso = (uint8_t *)getauxval(AT_SYSINFO_EHDR);
	struct prof_err e;
	enum prof_status st = PROF_EIO;

	if (g.n_map == MAX_MAP)
		errx(2, "too many mappings");
	*m = (struct map){ start, start + len, offset, NULL, 0, strdup(path) };
	if (path[0] == '/' && path[1] != '/')
		st = rowstore_open(g.store, path, "", &m->rows, &e);
	else if (!strcmp(path, "[vdso]") && vdso)
		st = rowstore_image(g.store, vdso, len, &m->rows, &e);
	if (st == PROF_OK && !rows_bias(m->rows, start, offset, &m->bias))
		m->rows = NULL;
	g.n_map++;
	/* One Dwfl for a state of the address space. */
	dwfl_end(g.dwfl);
	g.dwfl = NULL;
}

static void
drop_maps(void)
{
	for (size_t i = 0; i < g.n_map; i++) {
		rowstore_put(g.store, g.map[i].rows);
		free(g.map[i].path);
	}
	g.n_map = 0;
	dwfl_end(g.dwfl);
	g.dwfl = NULL;
}

static const struct map *
find_map(uint64_t pc)
{
	for (size_t i = g.n_map; i-- > 0;)
		if (pc >= g.map[i].start && pc < g.map[i].end)
			return &g.map[i];
	return NULL;
}

static bool
find_code(void *ctx, uint64_t pc, struct walk_code *out)
{
	const struct map *m = find_map(pc);

	(void)ctx;
	if (!m)
		return false;
	*out = (struct walk_code){ .rows = m->rows, .bias = m->bias };
	return true;
}

/* --- elfutils --- */

static pid_t
next_thread(Dwfl *dwfl, void *arg, void **thread)
{
	(void)dwfl;
	(void)arg;
	if (*thread)
		return 0;
	*thread = &g;
	return (pid_t)g.tid;
}

static bool
memory_read(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *out, void *arg)
{
	uint64_t at = addr - g.stack.reg[WALK_SP];

	(void)dwfl;
	(void)arg;
	if (at > g.stack.n || g.stack.n - at < 8)
		return false;
	memcpy(out, (const char *)g.stack.bytes + at, 8);
	return true;
}

static bool
set_registers(Dwfl_Thread *thread, void *arg)
{
	Dwarf_Word w[WALK_N_REG];

	(void)arg;
	for (int i = 0; i < WALK_N_REG; i++)
		w[i] = g.stack.reg[i];
	return dwfl_thread_state_registers(thread, 0, WALK_N_REG, w);
}

static const Dwfl_Thread_Callbacks thread_calls = {
	.next_thread = next_thread,
	.memory_read = memory_read,
	.set_initial_registers = set_registers,
};

static char *debug_path;
static const Dwfl_Callbacks calls = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.debuginfo_path = &debug_path,
};

static int
take_frame(Dwfl_Frame *frame, void *arg)
{
	struct chain *c = arg;
	bool exact;
	Dwarf_Addr pc;

	/* What is not in code nobody has called from: Go's stacks go on so. */
	if (c->n == MAX_FRAME || !dwfl_frame_pc(frame, &pc, &exact) ||
	    (c->n > 0 && !find_map(pc - 1)))
		return DWARF_CB_ABORT;
	c->pc[c->n] = c->n > 0 && exact ? pc + 1 : pc;
	c->n++;
	return DWARF_CB_OK;
}

/* A file to open: the vDSO's is written first. */
static const char *
elf_path(const struct map *m)
{
	static const char name[] = "vdso.so";
	FILE *f;

	if (m->path[0] == '/')
		return m->path;
	f = fopen(name, "wb");
	if (!f || fwrite((void *)getauxval(AT_SYSINFO_EHDR), 1,
			 m->end - m->start, f) != m->end - m->start)
		err(2, "%s", name);
	fclose(f);
	return name;
}

static void
open_dwfl(void)
{
	g.dwfl = dwfl_begin(&calls);
	dwfl_report_begin(g.dwfl);
	for (size_t i = 0; i < g.n_map; i++) {
		const struct map *m = &g.map[i];
		bool again = false;

		for (size_t k = 0; k < i; k++)
			again |= !strcmp(g.map[k].path, m->path);
		if (!m->rows || again)
			continue;
		dwfl_report_elf(g.dwfl, m->path, elf_path(m), -1, m->bias,
				false);
	}
	dwfl_report_end(g.dwfl, NULL, NULL);
	/* Some module's ELF, for the machine: it must be open. */
	for (size_t i = 0; i < g.n_map; i++) {
		Dwfl_Module *mod = dwfl_addrmodule(g.dwfl, g.map[i].start);
		GElf_Addr bias;
		Elf *elf = mod ? dwfl_module_getelf(mod, &bias) : NULL;

		if (elf && dwfl_attach_state(g.dwfl, elf, (pid_t)g.tid,
					     &thread_calls, NULL))
			return;
	}
	errx(2, "dwfl: %s", dwfl_errmsg(-1));
}

/* --- the comparison --- */

static void
show(const struct chain *c, const char *who)
{
	printf("%s:\n", who);
	for (size_t i = 0; i < c->n; i++) {
		const struct map *m = find_map(c->pc[i] - (i > 0));

		printf("  %2zu %" PRIx64 " %s+0x%" PRIx64 "\n", i, c->pc[i],
		       m ? m->path : "?", m ? c->pc[i] - m->bias : 0);
	}
}

/*
 * dwfl calls the trampoline that a signal handler returns to exact, and the
 * first function of a coroutine not; for us the trampoline is a caller, and
 * that function was interrupted at its first instruction.
 */
static bool
is_same(uint64_t a, uint64_t b)
{
	g.n_by_one += a + 1 == b || b + 1 == a;
	return a == b || a + 1 == b || b + 1 == a;
}

static void
compare(void)
{
	const struct chain *a = &g.ours, *b = &g.theirs;
	size_t n = a->n > b->n ? a->n : b->n, equal = 0;

	/* Where dwfl gave up it is no witness against a whole stack. */
	if (!b->to_root && a->to_root && a->n > b->n) {
		g.n_lost++;
		n = b->n;
	}

	/* Nor is it right where a runtime switched the stack, and we end. */
	if (g.may_end && !a->to_root && b->n > a->n)
		n = a->n;
	while (equal < a->n && equal < b->n &&
	       is_same(a->pc[equal], b->pc[equal]))
		equal++;
	g.n_sample++;
	g.n_frame += n;
	g.n_equal += equal;
	g.n_more += b->to_root && equal == b->n && a->n > b->n;
	g.n_less += equal == a->n && b->n > a->n;
	if (equal < n && g.n_shown++ < SHOWN) {
		show(a, "ours");
		show(b, "dwfl");
	}
}

static void
take_stack(void)
{
	struct unwind_info info;
	double t0 = now(), t1;

	g.ours.n = walk_frames(g.walker, &g.stack, find_code, NULL, g.ours.pc,
			       MAX_FRAME, &info);
	t1 = now();
	g.our_s += t1 - t0;
	g.ours.to_root = info.end == UNWIND_ROOT;
	g.n_root += info.end == UNWIND_ROOT;
	g.n_truncated += info.end == UNWIND_TRUNCATED;
	g.n_failed += info.end >= UNWIND_FAILED;
	if (!g.dwfl)
		open_dwfl();
	t1 = now();
	g.theirs.n = 0;
	g.theirs.to_root = dwfl_getthread_frames(g.dwfl, (pid_t)g.tid,
						 take_frame, &g.theirs) == 0;
	g.their_s += now() - t1;
	compare();
}

static uint64_t
word(const char **p)
{
	uint64_t v;

	memcpy(&v, *p, sizeof(v));
	*p += sizeof(v);
	return v;
}

static void
take_sample(const char *p)
{
	const uint64_t fixed =
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
		PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	const size_t first = g.sample_type & PERF_SAMPLE_IDENTIFIER ? 8 : 0;
	const char *tid = NULL;
	uint64_t reg[64], n;
	int32_t pid;
	unsigned n_reg = (unsigned)__builtin_popcountll(g.regs_mask);

	for (uint64_t bit = 1; bit <= PERF_SAMPLE_IDENTIFIER; bit <<= 1) {
		/* IDENTIFIER comes first; the order is of no interest. */
		if (!(g.sample_type & fixed & bit))
			continue;
		if (bit == PERF_SAMPLE_TID)
			tid = p + first;
		p += 8;
	}
	if (!tid)
		errx(2, "samples without thread");
	memcpy(&pid, tid, 4);
	memcpy(&g.tid, tid + 4, 4);
	if (pid != g.pid)
		return;
	if (g.sample_type & PERF_SAMPLE_CALLCHAIN) {
		n = word(&p);
		p += 8 * n;
	}
	if (word(&p) != PERF_SAMPLE_REGS_ABI_64)
		return;
	for (unsigned i = 0; i < n_reg; i++)
		reg[i] = word(&p);
	n = word(&p);
	g.stack.bytes = p;
	p += n;
	g.stack.n = n ? word(&p) : 0;
	if (g.stack.n > n)
		errx(2, "a stack of %zu bytes in %" PRIu64, g.stack.n, n);
	if (walk_perf_regs(&g.stack, g.regs_mask, reg, n_reg) &&
	    find_map(g.stack.reg[WALK_PC]))
		take_stack();
}

static void
take_record(const char *p, const struct perf_event_header *h)
{
	uint64_t start, len, offset;
	uint32_t prot;
	int32_t pid;

	/* Of one process: that which ran the program. */
	if (h->type == PERF_RECORD_COMM &&
	    h->misc & PERF_RECORD_MISC_COMM_EXEC) {
		memcpy(&pid, p + 8, sizeof(pid));
		if (!g.pid)
			g.pid = pid;
		if (g.pid == pid)
			drop_maps();
		return;
	}
	if (h->type == PERF_RECORD_MMAP2) {
		const char *at = p + 16;

		start = word(&at);
		len = word(&at);
		offset = word(&at);
		memcpy(&prot, p + 64, sizeof(prot));
		memcpy(&pid, p + 8, sizeof(pid));
		if (pid == g.pid && prot & PROT_EXEC)
			add_map(start, len, offset, p + 8 + 8 + 24 + 24 + 8);
	} else if (h->type == PERF_RECORD_SAMPLE) {
		take_sample(p + 8);
	}
}

/* struct perf_file_header: magic, sizes, then the sections of attrs, data. */
static void
read_recording(const char *data, size_t n)
{
	uint64_t at, size;
	struct perf_event_attr attr;
	struct perf_event_header h;

	if (n < 104 || memcmp(data, "PERFILE2", 8) != 0)
		errx(2, "no perf.data in file mode");
	memcpy(&at, data + 24, 8);
	memcpy(&attr, data + at, sizeof(attr));
	g.sample_type = attr.sample_type;
	g.regs_mask = attr.sample_regs_user;
	memcpy(&at, data + 40, 8);
	memcpy(&size, data + 48, 8);
	for (size += at; at + sizeof(h) <= size; at += h.size) {
		memcpy(&h, data + at, sizeof(h));
		if (h.size < sizeof(h))
			errx(2, "a record of %u bytes", h.size);
		take_record(data + at, &h);
	}
}

int
main(int argc, char **argv)
{
	const char *path = argv[argc - 1];
	bool is_whole;
	FILE *f = argc > 1 ? fopen(path, "rb") : NULL;
	static char data[512 << 20];
	size_t n;
	double share;

	if (!f)
		err(2, "%s", path);
	n = fread(data, 1, sizeof(data), f);
	fclose(f);
	g.store = rowstore_new(SIZE_MAX);
	g.walker = walker_new();
	if (!g.store || !g.walker)
		errx(2, "out of memory");
	g.may_end = argc > 2; /* --switched: one stack of 25 ends early */
	read_recording(data, n);
	is_whole = !g.may_end || g.n_less <= g.n_sample / 25;
	share = g.n_frame ? (double)g.n_equal / (double)g.n_frame : 0;
	printf("%zu samples, %zu frames, %zu equal (%.3f %%), %zu of them up "
	       "to a byte; stacks: we end earlier %zu, later %zu, dwfl gave "
	       "up %zu\n",
	       g.n_sample, g.n_frame, g.n_equal, 100 * share, g.n_by_one,
	       g.n_less, g.n_more, g.n_lost);
	printf("to the root %zu, truncated %zu, failed %zu\n", g.n_root,
	       g.n_truncated, g.n_failed);
	printf("ours %.3f us a frame, dwfl %.3f\n",
	       g.our_s * 1e6 / (double)(g.n_frame + 1),
	       g.their_s * 1e6 / (double)(g.n_frame + 1));
	drop_maps();
	walker_free(g.walker);
	rowstore_free(g.store);
	return g.n_frame && share >= 0.999 && is_whole ? 0 : 1;
}
