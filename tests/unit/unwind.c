/*
 * unwind.c - the unwinder on made-up input: expressions, unwind
 * information that no linker writes, stacks that lie, objects that come and
 * go under running walks. Against real stacks it is held by unwind.t.
 */
#include "config.h"

#include <stdlib.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "libsample/unwind/impl.h"
#include "libsample/unwind/unwind.h"
#include "tests/unit/unit.h"

#if defined(__x86_64__)

#define PAGE 4096
#define N_FRAME 64

/* Expressions: bytes, in a frame with rsp at 2 words of stack. */
static void
test_expressions(void **state)
{
	uintptr_t words[2] = { 0x1234, 7 };
	uintptr_t sp = (uintptr_t)words, v;
	const struct unwind_bounds b = { .lo = sp, .hi = sp + sizeof(words) };
	const struct unwind_frame f = { .pc = 0x100b, .sp = sp, .fp = 50 };
	const struct {
		const char *e;
		size_t n;
		bool valid, ok;
		uintptr_t want;
	} rows[] = {
		{ "\x77\x00\x06", 3, true, true, 0x1234 }, /* *rsp */
		{ "\x77\x08\x06\x23\x03", 5, true, true, 10 },
		{ "\x77\x10\x06", 3, true, false, 0 }, /* past the stack */
		{ "\x77\x04\x06", 3, true, false, 0 }, /* not aligned */
		{ "\x70\x00", 2, true, false, 0 },     /* rax is not known */
		/* a PLT entry: rsp + 8 + ((rip & 15) >= 11 ? 8 : 0) */
		{ "\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22", 11, true,
		  true, 0 },
		{ "\x09\xff\x39\x1b", 4, true, true, 0 }, /* -1 / 9 */
		{ "\x31\x30\x1b", 3, true, false, 0 },    /* 1 / 0 */
		{ "\x22", 1, true, false, 0 },            /* nothing to add */
		{ "\x2f\xfd\xff", 3, true, false, 0 },    /* for ever */
		{ "\x31\x2f\x01\x00\x32\x33", 6, true, true, 3 }, /* skip */
		{ "\x2f\x10\x00", 3, false, false, 0 }, /* out of it */
		{ "\x03\x00", 2, false, false, 0 },     /* DW_OP_addr */
		{ "\x77", 1, false, false, 0 },         /* cut off */
		{ "", 0, false, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint8_t *e = (const uint8_t *)rows[i].e;
		uintptr_t want = rows[i].n == 11 ? sp + 16 : rows[i].want;

		assert_int_equal(unwind_expr_check(e, rows[i].n),
				 rows[i].valid);
		v = 0;
		assert_int_equal(
			unwind_expr_eval(e, rows[i].n, &f, &b, NULL, &v),
			rows[i].ok);
		if (rows[i].ok)
			assert_int_equal(v, want);
	}
}

/*
 * .eh_frame_hdr without a search table, then a CIE, then two functions in the
 * wrong order, of 16 bytes each, code right behind it all.
 */
struct made_up {
	uint8_t hdr[4];
	int32_t eh_frame; /* from here */
	uint32_t cie_length, cie_id;
	uint8_t cie[16];
	struct {
		uint32_t length, cie;
		int32_t code; /* from here */
		uint32_t n_code;
		uint8_t aug_n, insn[7];
	} fde[2];
	uint32_t end;
	uint8_t code[64];
};

static void
make_up(struct made_up *m)
{
	static const struct made_up shape = {
		.hdr = { 1, 0x1b, 0xff, 0xff },
		.cie_length = 20,
		/* version, "zR", align 1, -8, rip, sdata4 pcrel; rsp + 8 */
		.cie = { 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90,
			 1 },
		.fde = { { .length = 20,
			   .n_code = 16,
			   /* +4: rsp + 16, rbp at CFA - 16; +8: restored */
			   .insn = { 0x44, 0x0e, 16, 0x86, 2, 0x48, 0xc6 } },
			 { .length = 20,
			   .n_code = 16,
			   .insn = { 0x41, 0x0e, 24, 0, 0, 0, 0 } } },
	};

	*m = shape;
	m->eh_frame = (int32_t)(offsetof(struct made_up, cie_length) -
				offsetof(struct made_up, eh_frame));
	for (unsigned i = 0; i < 2; i++) {
		m->fde[i].cie = (uint32_t)((char *)&m->fde[i].cie -
					   (char *)&m->cie_length);
		m->fde[i].code = (int32_t)(m->code + (i ? 0 : 32) -
					   (uint8_t *)&m->fde[i].code);
	}
}

static struct cfi_image
image_of(struct made_up *m)
{
	return (struct cfi_image){
		.segment = { { .lo = (uintptr_t)m, .hi = (uintptr_t)(m + 1) } },
		.n_segment = 1,
		.hdr = (uintptr_t)m,
		.hdr_bytes = 8,
		.text_lo = (uintptr_t)m->code,
		.text_hi = (uintptr_t)m->code + sizeof(m->code),
	};
}

static uint32_t
word(uint32_t cfa, uint32_t rbp)
{
	return WORD_PACKED | WORD_KEEPS | cfa / 8 << WORD_CFA_SHIFT |
	       rbp / 8 << WORD_FP_SHIFT;
}

static void
test_compile_without_table(void **state)
{
	static struct unwind_pool pool;
	const struct unwind_row want[] = {
		{ 0, word(8, 0) },  { 1, word(24, 0) },   { 16, WORD_NONE },
		{ 32, word(8, 0) }, { 36, word(16, 16) }, { 44, word(16, 0) },
		{ 48, WORD_NONE },
	};
	struct made_up m;
	struct cfi_image image;
	struct cfi_rows rows;

	(void)state;
	make_up(&m);
	image = image_of(&m);
	assert_int_equal(unwind_cfi_compile(&image, &pool, &rows), 0);
	assert_int_equal(rows.n_refused, 0);
	assert_int_equal(rows.n_row, sizeof(want) / sizeof(want[0]));
	assert_memory_equal(rows.row, want, sizeof(want));
	munmap(rows.row, rows.n_bytes);
}

/* Every byte of it changed to many values, and every length cut. */
static void
test_compile_damaged(void **state)
{
	static struct unwind_pool pool;
	static const uint8_t bad[] = { 0, 1, 0x7f, 0x80, 0xff, 0x0f, 0x16 };
	struct made_up m;
	struct cfi_rows rows;

	(void)state;
	for (size_t i = 0; i < offsetof(struct made_up, code); i++)
		for (size_t k = 0; k < sizeof(bad); k++) {
			struct cfi_image image = image_of(&m);

			make_up(&m);
			((uint8_t *)&m)[i] = bad[k];
			image.segment[0].hi -= k % 2 ? i : 0;
			if (unwind_cfi_compile(&image, &pool, &rows) == 0 &&
			    rows.row)
				munmap(rows.row, rows.n_bytes);
		}
}

/* The second function has a megabyte of these instructions. */
static int
compile_repeated(struct unwind_pool *pool, const uint8_t *insn, size_t n)
{
	static struct {
		struct made_up head;
		uint8_t more[1 << 20];
	} m;
	const size_t from = offsetof(struct made_up, fde[1].insn),
		     end = sizeof(m) - 8;
	struct cfi_image image = image_of(&m.head);
	struct cfi_rows rows;
	int e;

	make_up(&m.head);
	m.head.fde[1].n_code = sizeof(m.more);
	m.head.fde[1].length =
		(uint32_t)(end - offsetof(struct made_up, fde[1].cie));
	memset((uint8_t *)&m + from, 0, sizeof(m) - from);
	for (size_t at = from; at + n <= end; at += n)
		memcpy((uint8_t *)&m + at, insn, n);
	image.segment[0].hi += sizeof(m.more);
	image.text_hi += sizeof(m.more);
	e = unwind_cfi_compile(&image, pool, &rows);
	if (rows.row)
		munmap(rows.row, rows.n_bytes);
	return e;
}

/* What is searched counts as work: a megabyte must not stand for minutes. */
static void
test_compile_searches(void **state)
{
	static struct unwind_pool pool;
	/* +1: rsp + 16; +1: rsp + 17, which needs a rule */
	static const uint8_t rows[] = { 0x41, 0x0e, 16, 0x41, 0x0e, 17 };
	/* the CFA is an expression, of which the pool is full */
	static const uint8_t expr[] = { 0x0f, 2, 0x23, 1 };

	(void)state;
	assert_int_equal(compile_repeated(&pool, rows, sizeof(rows)), 0);
	assert_int_equal(compile_repeated(&pool, expr, sizeof(expr)), 0);
	memcpy(pool.expr + POOL_N_EXPR - 2, expr + 2, 2);
	memset(pool.expr, 0, 2);
	pool.n_expr = POOL_N_EXPR;
	assert_int_equal(compile_repeated(&pool, expr, sizeof(expr)), EFBIG);
	/* All rules have one hash. */
	memset(pool.rule, 0, sizeof(pool.rule));
	pool.n_rule = POOL_N_RULE;
	for (size_t i = 1; i < sizeof(pool.hash) / sizeof(pool.hash[0]); i++)
		pool.hash[i] = 1;
	assert_int_equal(compile_repeated(&pool, rows, sizeof(rows)), EFBIG);
}

/* A stack between pages that cannot be read, full of lies. */
static void
test_lying_stacks(void **state)
{
	const size_t n_bytes = 4 * PAGE;
	char *map = mmap(NULL, n_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	struct unwind_stack stack;
	struct unwind_far far = { 0 };
	ucontext_t uc;
	uintptr_t pc[N_FRAME], *words;
	struct unwind_info info;
	uint64_t r = 1;
	/* Code with rules of all kinds: ours, libc's, the loader's. */
	uintptr_t code[] = { (uintptr_t)test_lying_stacks, (uintptr_t)qsort,
			     (uintptr_t)dlsym(RTLD_DEFAULT, "longjmp"),
			     (uintptr_t)dlsym(RTLD_DEFAULT, "setcontext"),
			     (uintptr_t)dlsym(RTLD_DEFAULT, "clone") };

	(void)state;
	assert_int_equal(unwind_refresh(), 0);
	assert_true(map != MAP_FAILED);
	words = (uintptr_t *)(map + PAGE);
	stack.lo = (uintptr_t)words;
	stack.hi = stack.lo + 2 * PAGE;
	assert_int_equal(mprotect(words, 2 * PAGE, PROT_READ | PROT_WRITE), 0);
	for (int round = 0; round < 200000; round++) {
		uintptr_t at = code[(size_t)round % 5] + (r >> 20) % 6000;

		memset(&uc, 0, sizeof(uc));
		for (int i = 0; i < NGREG; i++) {
			r = r * 6364136223846793005u + 1442695040888963407u;
			uc.uc_mcontext.gregs[i] =
				(greg_t)(stack.lo - 64 +
					 (r >> 33) % (2 * PAGE + 128));
			if (r >> 62)
				uc.uc_mcontext.gregs[i] &= ~(greg_t)7;
			words[(r >> 40) % (2 * PAGE / 8)] =
				r & 1 << 30 ? at : stack.lo + (r >> 50);
		}
		uc.uc_mcontext.gregs[REG_RIP] = (greg_t)at;
		/* Now and then as a stack that nobody knows. */
		assert_in_range(unwind_walk(&uc, &stack, round % 8 != 0, &far,
					    NULL, pc, N_FRAME, &info),
				1, N_FRAME);
		assert_int_equal(far.in_use, 0);
	}
	munmap(map, n_bytes);
}

static struct unwind_stack own;
static atomic_ulong n_walk, n_rooted;
static atomic_int stop;

static void
on_signal(int sig, siginfo_t *si, void *uc)
{
	struct unwind_stack stack;
	struct unwind_info info;
	uintptr_t pc[N_FRAME];
	uintptr_t sp =
		(uintptr_t)((ucontext_t *)uc)->uc_mcontext.gregs[REG_RSP];

	(void)sig;
	(void)si;
	stack = own;
	if (sp < own.lo || sp >= own.hi)
		return;
	unwind_walk(uc, &stack, 1, NULL, NULL, pc, N_FRAME, &info);
	atomic_fetch_add(&n_walk, 1);
	atomic_fetch_add(&n_rooted, info.end == UNWIND_ROOT);
}

/* A thread that is sampled: it calls, it is called back, it makes noise. */
static int
compare(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

static void *
victim(void *arg)
{
	char text[] = "the quick brown fox jumps over the lazy dog";
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	assert_true(unwind_stack_find(&own, false));
	assert_true(own.lo <= here && here < own.hi);
	assert_true(unwind_stack_find(&own, true));
	assert_true(own.lo <= here && here < own.hi);
	atomic_store((atomic_int *)arg, 1);
	while (!atomic_load(&stop)) {
		text[atomic_load(&n_walk) % 40]++;
		qsort(text, sizeof(text), 1, compare);
	}
	return NULL;
}

static void *
shoot(void *arg)
{
	const struct timespec pause = { 0, 20000 };

	while (!atomic_load(&stop)) {
		pthread_kill(*(pthread_t *)arg, SIGUSR1);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

/* What stays is read when it is needed; only other objects get rows. */
static void
test_rows_of_what_may_go(void **state)
{
	struct unwind_stats before, loaded, after;
	uintptr_t code;
	void *lib;

	(void)state;
	assert_int_equal(unwind_refresh(), 0);
	unwind_stats(&before);
	assert_true(before.n_object > 2);
#ifndef __SANITIZE_ADDRESS__ /* its runtime loads more */
	assert_int_equal(before.n_row, 0);
#endif
	lib = dlopen("libresolv.so.2", RTLD_NOW);
	if (!lib) {
		print_message("no libresolv.so.2 to load\n");
		skip();
	}
	assert_int_equal(unwind_refresh(), 0);
	unwind_stats(&loaded);
	assert_int_equal(loaded.n_object, before.n_object + 1);
	assert_true(loaded.n_row > before.n_row);
	/* Told before the loader knows; then it is found again, though at the
	 * same count of loads. */
	code = (uintptr_t)dlsym(lib, "ns_parserr");
	assert_true(code != 0);
	assert_int_equal(unwind_forget(&code, 1), 0);
	unwind_stats(&after);
	assert_int_equal(after.n_object, before.n_object);
	assert_int_equal(unwind_refresh(), 0);
	unwind_stats(&after);
	assert_int_equal(after.n_row, loaded.n_row);
	dlclose(lib);
	assert_int_equal(unwind_refresh(), 0);
}

/* Objects come and go while walks run: nothing is lost, nothing piles up. */
static void
test_refresh_under_walks(void **state)
{
	struct sigaction sa = { .sa_sigaction = on_signal,
				.sa_flags = SA_SIGINFO | SA_RESTART };
	struct unwind_stats before, after;
	pthread_t sampled, shooter;
	atomic_int ready = 0;
	void *lib = dlopen("libresolv.so.2", RTLD_NOW);

	(void)state;
	if (!lib) {
		print_message("no libresolv.so.2 to load\n");
		skip();
	}
	dlclose(lib);
	assert_int_equal(unwind_refresh(), 0);
	unwind_stats(&before);
	assert_int_equal(sigaction(SIGUSR1, &sa, NULL), 0);
	assert_int_equal(pthread_create(&sampled, NULL, victim, &ready), 0);
	while (!atomic_load(&ready))
		;
	assert_int_equal(pthread_create(&shooter, NULL, shoot, &sampled), 0);
	for (int i = 0; i < 300 || atomic_load(&n_walk) < 1000; i++) {
		lib = dlopen("libresolv.so.2", RTLD_NOW);
		assert_int_equal(unwind_refresh(), 0);
		unwind_stats(&after);
		assert_int_equal(after.n_object, before.n_object + 1);
		dlclose(lib);
		assert_int_equal(unwind_refresh(), 0);
	}
	atomic_store(&stop, 1);
	pthread_join(shooter, NULL);
	pthread_join(sampled, NULL);
	/* With nobody left to read them, one more frees the last. */
	lib = dlopen("libresolv.so.2", RTLD_NOW);
	assert_int_equal(unwind_refresh(), 0);
	dlclose(lib);
	assert_int_equal(unwind_refresh(), 0);
	unwind_stats(&after);
	assert_int_equal(after.n_object, before.n_object);
	assert_int_equal(after.n_row, before.n_row);
	assert_int_equal(after.n_bytes, before.n_bytes);
	assert_int_equal(after.n_retired, 0);
	assert_int_equal(atomic_load(&n_rooted), atomic_load(&n_walk));
	signal(SIGUSR1, SIG_DFL);
}

/* A reader that never ends: refreshes go on for a while, then say so. */
static void
test_stuck_reader(void **state)
{
	void *lib;
	int err = 0;

	(void)state;
	atomic_fetch_add(&unwind_state.reader[3].n, 1);
	for (int i = 0; i < 100 && err == 0; i++) {
		lib = dlopen("libresolv.so.2", RTLD_NOW);
		err = unwind_refresh();
		if (lib)
			dlclose(lib);
	}
	assert_int_equal(err, EAGAIN);
	unwind_atfork_child();
	assert_int_equal(unwind_refresh(), 0);
}

static int
send_signal(void)
{
	return raise(SIGUSR1);
}

/* Machine code without unwind information that keeps a frame pointer. */
static void
test_frame_pointer(void **state)
{
	static const uint8_t code[] = {
		0x55,             /* push %rbp */
		0x48, 0x89, 0xe5, /* mov %rsp, %rbp */
		0xff, 0xd7,       /* call *%rdi */
		0x5d,             /* pop %rbp */
		0xc3,             /* ret */
	};
	struct sigaction sa = { .sa_sigaction = on_signal,
				.sa_flags = SA_SIGINFO };
	void *jit = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*call)(int (*)(void));

	(void)state;
	if (jit == MAP_FAILED)
		skip();
	memcpy(jit, code, sizeof(code));
	memcpy(&call, &jit, sizeof(jit));
	assert_true(unwind_stack_find(&own, true));
	sigaction(SIGUSR1, &sa, NULL);
	atomic_store(&n_walk, 0);
	atomic_store(&n_rooted, 0);
	call(send_signal);
	assert_int_equal(atomic_load(&n_walk), 1);
	assert_int_equal(atomic_load(&n_rooted), 1);
	signal(SIGUSR1, SIG_DFL);
	munmap(jit, PAGE);
}

/* Walk from uc in a stack of four words: the first and the third are return
 * addresses. */
static struct unwind_info
walk_words(ucontext_t *uc, const uintptr_t words[4])
{
	const struct unwind_stack stack = { (uintptr_t)words,
					    (uintptr_t)(words + 4) };
	struct unwind_info info;
	uintptr_t pc[N_FRAME];

	assert_int_equal(unwind_refresh(), 0);
	uc->uc_mcontext.gregs[REG_RSP] = (greg_t)words;
	assert_in_range(
		unwind_walk(uc, &stack, 1, NULL, NULL, pc, N_FRAME, &info), 3,
		4);
	assert_int_equal(pc[0], (uintptr_t)uc->uc_mcontext.gregs[REG_RIP]);
	assert_int_equal(pc[1], words[0]);
	assert_int_equal(pc[2], words[2]);
	return info;
}

/* Two functions without unwind information, one calls the other. */
__asm__(".text\n"
	"bare_caller: push %rbp; mov %rsp, %rbp; call bare_leaf\n"
	"bare_return: pop %rbp; ret\n"
	"bare_leaf: ret\n");
extern const char bare_return[] __attribute__((visibility("hidden")));
extern const char bare_leaf[] __attribute__((visibility("hidden")));

static void
test_bare_functions(void **state)
{
	uintptr_t words[4] = { (uintptr_t)bare_return, 0,
			       (uintptr_t)test_frame_pointer + 1, 0 };
	ucontext_t uc = { 0 };
	struct unwind_info info;

	(void)state;
	uc.uc_mcontext.gregs[REG_RIP] = (greg_t)bare_leaf;
	uc.uc_mcontext.gregs[REG_RBP] = (greg_t)&words[1];
	info = walk_words(&uc, words);
	assert_int_equal(info.n_guess, 2);
}

/* A caller whose frame is found from rax, as in OpenSSL's AES-GCM. */
__asm__(".text\n"
	"from_rax: .cfi_startproc\n"
	"	.cfi_def_cfa %rax, 8\n"
	"	call keeps_rax\n"
	"from_rax_return: ret\n"
	"	.cfi_endproc\n"
	"keeps_rax: .cfi_startproc\n"
	"	ret\n"
	"	.cfi_endproc\n");
extern const char from_rax_return[] __attribute__((visibility("hidden")));
extern const char keeps_rax[] __attribute__((visibility("hidden")));

static void
test_cfa_from_rax(void **state)
{
	uintptr_t words[4] = { (uintptr_t)from_rax_return, 1,
			       (uintptr_t)test_frame_pointer + 1, 0 };
	ucontext_t uc = { 0 };
	struct unwind_info info;

	(void)state;
	uc.uc_mcontext.gregs[REG_RIP] = (greg_t)keeps_rax;
	uc.uc_mcontext.gregs[REG_RAX] = (greg_t)&words[2];
	info = walk_words(&uc, words);
	assert_int_equal(info.n_guess, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_compile_without_table),
		cmocka_unit_test(test_compile_damaged),
		cmocka_unit_test(test_compile_searches),
		cmocka_unit_test(test_lying_stacks),
		cmocka_unit_test(test_rows_of_what_may_go),
		cmocka_unit_test(test_refresh_under_walks),
		cmocka_unit_test(test_stuck_reader),
		cmocka_unit_test(test_frame_pointer),
		cmocka_unit_test(test_bare_functions),
		cmocka_unit_test(test_cfa_from_rax),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int
main(void)
{
	print_message("1..0 # SKIP tables are for x86-64\n");
	return 0;
}

#endif
