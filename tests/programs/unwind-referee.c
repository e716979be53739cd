/*
 * unwind-referee.c - see unwind-referee.h. A stack is compared as lookup
 * addresses: the exact address of an interrupted instruction, and for a
 * caller the byte before its return address.
 */
#include "config.h"

#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>

#include "libsample/unwind/unwind.h"
#include "tests/programs/unwind-referee.h"

#define MAX_FRAMES 256

/*
 * libunwind's local unwinder, as far as we call it. Not linked: its
 * _Unwind_* functions would take the place of libgcc's.
 */
struct libunwind {
	int (*init)(uintptr_t *cursor, void *uc, int flag);
	int (*get_reg)(uintptr_t *cursor, int reg, uintptr_t *value);
	int (*is_signal)(uintptr_t *cursor);
	int (*step)(uintptr_t *cursor);
};

#define CURSOR_WORDS 127
#define INIT_SIGNAL_FRAME 1
#define REG_OF_IP 16

static struct libunwind libunwind;

struct stack {
	uintptr_t pc[MAX_FRAMES]; /* lookup addresses, leaf first */
	size_t n;
	uintptr_t skip_to; /* libgcc: frames of our own handler go before */
	bool on;
};

static _Unwind_Reason_Code
take(struct _Unwind_Context *ctx, void *arg)
{
	struct stack *s = arg;
	int before = 0;
	uintptr_t pc = _Unwind_GetIPInfo(ctx, &before);

	if (pc == 0)
		return _URC_END_OF_STACK;
	if (!s->on && before && pc == s->skip_to)
		s->on = true;
	if (s->on && s->n < MAX_FRAMES)
		s->pc[s->n++] = before ? pc : pc - 1;
	return _URC_NO_REASON;
}

/* The referees read whatever address registers give: they may crash. */
static __thread sigjmp_buf crash;
static __thread volatile bool may_crash;

static void
on_crash(int sig)
{
	if (may_crash)
		siglongjmp(crash, sig);
	signal(sig, SIG_DFL); /* not ours to forgive: crash again, and die */
}

static void
walk_libgcc(struct stack *s, const ucontext_t *uc)
{
	s->n = 0;
	s->on = false;
	s->skip_to = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
	may_crash = true;
	if (sigsetjmp(crash, 0) == 0)
		_Unwind_Backtrace(take, s);
	may_crash = false;
}

static void
step_libunwind(struct stack *s, uintptr_t *cursor)
{
	bool exact = true;
	uintptr_t pc;

	do {
		if (libunwind.get_reg(cursor, REG_OF_IP, &pc) || pc == 0 ||
		    s->n == MAX_FRAMES)
			break;
		s->pc[s->n++] = exact ? pc : pc - 1;
		exact = libunwind.is_signal(cursor) > 0;
	} while (libunwind.step(cursor) > 0);
}

static void
walk_libunwind(struct stack *s, void *uc)
{
	uintptr_t cursor[CURSOR_WORDS];

	s->n = 0;
	if (!libunwind.step || libunwind.init(cursor, uc, INIT_SIGNAL_FRAME))
		return;
	may_crash = true;
	if (sigsetjmp(crash, 0) == 0)
		step_libunwind(s, cursor);
	may_crash = false;
}

static bool
same(const struct stack *a, const struct stack *b)
{
	return a->n == b->n && !memcmp(a->pc, b->pc, a->n * sizeof(a->pc[0]));
}

/* Is a what is left of b when frames are missing? */
static bool
part_of(const struct stack *a, const struct stack *b)
{
	size_t k = 0;

	for (size_t i = 0; i < b->n && k < a->n; i++)
		k += a->pc[k] == b->pc[i];
	return a->n < b->n && k == a->n;
}

/* Is a the inner part of b, or all of it? */
static bool
begins(const struct stack *a, const struct stack *b)
{
	return a->n <= b->n && !memcmp(a->pc, b->pc, a->n * sizeof(a->pc[0]));
}

/* Code around pc: the executable segment of a loaded object. */
struct code {
	uintptr_t pc, lo, hi;
};

static int
find_code(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct code *c = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t lo = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_LOAD && ph->p_flags & PF_X &&
		    c->pc >= lo && c->pc - lo < ph->p_memsz) {
			c->lo = lo;
			c->hi = lo + ph->p_memsz;
			return 1;
		}
	}
	return 0;
}

/* Bytes of a ModRM with what it brings along, for a call through it. */
static size_t
modrm_size(const uint8_t *at)
{
	unsigned mod = at[0] >> 6, rm = at[0] & 7;
	size_t n = 1;

	if (mod != 3 && rm == 4) {
		n++;
		if (mod == 0 && (at[1] & 7) == 5)
			n += 4;
	} else if (mod == 0 && rm == 5) {
		n += 4;
	}
	return n + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

/* Does an instruction that calls end at p? Code begins at lo. */
static bool
follows_call(const uint8_t *p, const uint8_t *lo)
{
	if (p - lo >= 5 && p[-5] == 0xe8)
		return true;
	for (int n = 2; n <= 7 && n <= p - lo; n++)
		if (p[-n] == 0xff && (p[1 - n] >> 3 & 7) == 2 &&
		    modrm_size(p + 1 - n) == (size_t)n - 1)
			return true;
	return false;
}

/* mov $15,%eax or %rax: the system call that leaves a signal handler. */
static bool
is_trampoline(const uint8_t *p, const uint8_t *hi)
{
	static const uint8_t mov[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0 };

	return (size_t)(hi - p) >= sizeof(mov) && !memcmp(p, mov, sizeof(mov));
}

/*
 * Where a walk has lost its way, it reports words of the stack. Leave out the
 * entries from the first on that cannot be what it says: a caller's address is
 * in code and behind a call, or is the trampoline that a signal handler returns
 * to. What that interrupted can be anywhere in code.
 */
static void
cut_nonsense(struct stack *s)
{
	bool exact = true; /* the next entry was interrupted, not called from */

	for (size_t i = 0; i < s->n; i++) {
		struct code c = { .pc = s->pc[i] };
		const uint8_t *p = (const uint8_t *)s->pc[i] + !exact;

		if (!dl_iterate_phdr(find_code, &c))
			s->n = i;
		else if (exact)
			exact = false;
		else if (is_trampoline(p, (const uint8_t *)c.hi))
			exact = true;
		else if (!follows_call(p, (const uint8_t *)c.lo))
			s->n = i;
	}
}

/* Places where libgcc and we agreed that a stack ends: _start, clone3. */
static struct {
	uintptr_t pc[4];
	size_t n;
} roots;

static bool
is_rooted(const struct stack *s)
{
	for (size_t i = 0; i < roots.n; i++)
		if (s->n && s->pc[s->n - 1] == roots.pc[i])
			return true;
	return false;
}

static void
learn_root(const struct stack *s)
{
	if (s->n > 1 && !is_rooted(s) &&
	    roots.n < sizeof(roots.pc) / sizeof(roots.pc[0]))
		roots.pc[roots.n++] = s->pc[s->n - 1];
}

static void
show_pc(uintptr_t pc)
{
	Dl_info info;

	if (pc == 0)
		fprintf(stderr, " %-34s", "-");
	else if (dladdr((void *)pc, &info) && info.dli_fname) {
		const char *base = strrchr(info.dli_fname, '/');
		char buf[128];

		snprintf(buf, sizeof(buf), "%s+%#zx %s",
			 base ? base + 1 : info.dli_fname,
			 (size_t)(pc - (uintptr_t)info.dli_fbase),
			 info.dli_sname ? info.dli_sname : "?");
		fprintf(stderr, " %-34.60s", buf);
	} else {
		fprintf(stderr, " %-34p", (void *)pc);
	}
}

static void
show(const struct stack *ours, const struct stack *gcc,
     const struct stack *other, const struct unwind_info *info)
{
	size_t n = ours->n > gcc->n ? ours->n : gcc->n;

	n = other->n > n ? other->n : n;
	fprintf(stderr,
		"# differ (end %d, %u guesses): ours | libgcc | libunwind\n",
		(int)info->end, info->n_guess);
	for (size_t i = 0; i < n && i < 12; i++) {
		fprintf(stderr, "#  ");
		show_pc(i < ours->n ? ours->pc[i] : 0);
		show_pc(i < gcc->n ? gcc->pc[i] : 0);
		show_pc(i < other->n ? other->pc[i] : 0);
		fprintf(stderr, "\n");
	}
}

/*
 * None of the referees says what we do. They are witnesses as far as their
 * stacks can be true: where libgcc's _Unwind_Resume has put the registers of
 * the landing pad into the slots of its own frame, the walk is lost for
 * everybody, and each ends in another way.
 */
static unsigned long *
judge(struct referee *r, struct stack *ours, struct stack *gcc,
      struct stack *other, enum unwind_end end)
{
	bool rooted;

	if (end == UNWIND_FAILED)
		cut_nonsense(ours);
	cut_nonsense(gcc);
	cut_nonsense(other);
	rooted = is_rooted(gcc) || is_rooted(other);
	if (end == UNWIND_FAILED && !rooted && begins(gcc, ours) &&
	    begins(other, ours))
		return &r->lost;
	if (end == UNWIND_ROOT && part_of(gcc, ours) && part_of(other, ours))
		return &r->more;
	if (!rooted && !same(gcc, other))
		return &r->alone;
	return &r->differ;
}

void
referee_compare(struct referee *r, void *uc, const struct unwind_stack *stack,
		size_t n_stack)
{
	static struct unwind_far far; /* one thread is stepped at a time */
	struct stack ours, gcc, other;
	struct unwind_info info;
	unsigned long *verdict;

	ours.n = unwind_walk(uc, stack, n_stack, &far, NULL, ours.pc,
			     MAX_FRAMES, &info);
	for (size_t i = 1; i < ours.n; i++)
		ours.pc[i]--;
	r->n++;
	walk_libgcc(&gcc, uc);
	/* The address that a coroutine's stack was begun with has 1 added. */
	if (info.end == UNWIND_ROOT && ours.n == gcc.n &&
	    ours.pc[ours.n - 1] == gcc.pc[gcc.n - 1] + 1)
		ours.pc[ours.n - 1]--;
	/* Ours is the trampoline itself; theirs the byte before. */
	for (size_t i = 1; i < ours.n && i < gcc.n; i++)
		ours.pc[i] -= ours.pc[i] == gcc.pc[i] + 1 &&
			      is_trampoline((const uint8_t *)ours.pc[i],
					    (const uint8_t *)UINTPTR_MAX);
	if (info.end != UNWIND_FAILED && same(&ours, &gcc)) {
		learn_root(&gcc);
		r->equal++;
		return;
	}
	walk_libunwind(&other, uc);
	if (info.end != UNWIND_FAILED && same(&ours, &other)) {
		r->equal++;
		return;
	}
	verdict = judge(r, &ours, &gcc, &other, info.end);
	++*verdict;
	if (verdict != &r->lost && r->n_shown++ < r->max_shown)
		show(&ours, &gcc, &other, &info);
}

int
referee_print(const struct referee *r, char *line, size_t size)
{
	return snprintf(line, size,
			"%lu contexts, %lu equal, %lu more found, %lu lost by "
			"all, %lu without a witness, %lu differ\n",
			r->n, r->equal, r->more, r->lost, r->alone, r->differ);
}

static void *
symbol(void *lib, const char *name)
{
	return lib ? dlsym(lib, name) : NULL;
}

const char *
referee_init(void)
{
	struct sigaction sa = { .sa_handler = on_crash,
				.sa_flags = SA_NODEFER };
	void *lib = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
	void *f[4] = { symbol(lib, "_ULx86_64_init_local2"),
		       symbol(lib, "_ULx86_64_get_reg"),
		       symbol(lib, "_ULx86_64_is_signal_frame"),
		       symbol(lib, "_ULx86_64_step") };

	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
	if (!f[0] || !f[1] || !f[2] || !f[3])
		return "libgcc";
	memcpy(&libunwind.init, &f[0], sizeof(f[0]));
	memcpy(&libunwind.get_reg, &f[1], sizeof(f[1]));
	memcpy(&libunwind.is_signal, &f[2], sizeof(f[2]));
	memcpy(&libunwind.step, &f[3], sizeof(f[3]));
	return "libgcc and libunwind";
}
