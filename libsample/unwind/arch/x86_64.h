/*
 * x86_64.h - all that libsample must know of x86-64; the other files of this
 * folder define the same for other machines.
 */
#ifndef UNWIND_X86_64_H
#define UNWIND_X86_64_H

#include <stddef.h>
#include <ucontext.h>

#ifdef UNWIND_FOREIGN
#undef NGREG /* of this machine */
enum {
	REG_R8,
	REG_R9,
	REG_R10,
	REG_R11,
	REG_R12,
	REG_R13,
	REG_R14,
	REG_R15,
	REG_RDI,
	REG_RSI,
	REG_RBP,
	REG_RBX,
	REG_RDX,
	REG_RAX,
	REG_RCX,
	REG_RSP,
	REG_RIP,
	NGREG = 23
};
#else
_Static_assert(offsetof(ucontext_t, uc_mcontext.gregs) == 40,
	       "ARCH_SIGNAL_REGS");
#endif

/* Is there unwind information? Otherwise walks go by frame pointers. */
#define ARCH_HAS_ROWS 1

/* DWARF's numbers of registers with a special role. */
enum {
	DW_BASE = 3,       /* rbx */
	DW_FP = 6,         /* rbp */
	DW_SP = 7,         /* rsp */
	DW_KEPT = 12,      /* r12 ... */
	DW_KEPT_LAST = 15, /* ... to r15 */
	DW_LAST = DW_KEPT_LAST,
	DW_RA = 16,    /* the column of return addresses */
	DW_PC = DW_RA, /* rip */
	DW_N_REG = 17,
	ARCH_N_CONTEXT = NGREG, /* registers in a ucontext_t */
	ARCH_PC = REG_RIP,      /* their places in it */
	ARCH_SP = REG_RSP,
	ARCH_FP = REG_RBP,
	ARCH_BASE = REG_RBX,
	ARCH_N_NEEDED = REG_RIP + 1 /* the first ones, which a walk reads */
};

/* Bytes below the stack pointer that leaf functions may use. */
#define RED_ZONE 128

/* Where the kernel's signal frame has the registers, from sp on. */
#define ARCH_SIGNAL_REGS 40

/* Two instructions to which a handler returns, if they are known by these; 0:
 * they have unwind information. */
#define ARCH_SIGRETURN UINT64_C(0)

/* From a frame pointer to the caller's, behind which the return address is. */
#define ARCH_FRAME_RECORD 0

/* QEMU's user mode, and some debuggers, call handlers with a stack that is not
 * aligned. */
#define ARCH_HANDLER __attribute__((force_align_arg_pointer))

/* The place in a ucontext_t of register number reg of DWARF. */
static inline unsigned
arch_place(unsigned reg)
{
	static const uint8_t place[DW_N_REG] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
		REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
		REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};

	return place[reg];
}

#define ARCH_HAS_CALL_ON 1

#ifndef UNWIND_FOREIGN

/* Call f(arg) on the stack that ends at top, a multiple of 16. */
static inline void
arch_call_on(void *top, void (*f)(void *), void *arg)
{
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[top], %%rsp\n\t"
			 "call *%[f]\n\t"
			 "movq %%rbx, %%rsp"
			 : [top] "+a"(top), [f] "+d"(f), "+D"(arg)
			 :
			 : "rbx", "rcx", "rsi", "r8", "r9", "r10", "r11",
			   "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
			   "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
			   "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
}

/* The registers in *uc. */
static inline long long *
arch_registers(ucontext_t *uc)
{
	return uc->uc_mcontext.gregs;
}

/*
 * The registers here, as a signal here would have saved them; the walk does not
 * need caller-saved ones. (getcontext() would do the same, with a system call
 * for the signal mask.)
 */
static inline __attribute__((always_inline)) bool
arch_registers_here(ucontext_t *uc)
{
	greg_t *reg = uc->uc_mcontext.gregs;

	__asm__ volatile(
		"leaq 0f(%%rip), %%rax\n\t"
		"0:\tmovq %%rax, %c[ip](%[reg])\n\t"
		"movq %%rsp, %c[sp](%[reg])\n\t"
		"movq %%rbp, %c[bp](%[reg])\n\t"
		"movq %%rbx, %c[bx](%[reg])\n\t"
		"movq %%r12, %c[r12](%[reg])\n\t"
		"movq %%r13, %c[r13](%[reg])\n\t"
		"movq %%r14, %c[r14](%[reg])\n\t"
		"movq %%r15, %c[r15](%[reg])"
		:
		: [reg] "r"(reg), [ip] "i"(8 * REG_RIP), [sp] "i"(8 * REG_RSP),
		  [bp] "i"(8 * REG_RBP), [bx] "i"(8 * REG_RBX),
		  [r12] "i"(8 * REG_R12), [r13] "i"(8 * REG_R13),
		  [r14] "i"(8 * REG_R14), [r15] "i"(8 * REG_R15)
		: "rax", "memory");
	return true;
}

#endif

/* A return address without an authentication code. */
static inline uintptr_t
arch_strip(uintptr_t pc)
{
	return pc;
}

/* The return address of a function that has not saved it. */
static inline bool
arch_link(const struct unwind_frame *f, uintptr_t *pc)
{
	(void)f;
	*pc = 0;
	return true;
}

/*
 * A packed word. Bit 0 = 1: the return address lies at CFA - 8, and
 *	bit 1:      the CFA counts from rbp, not from rsp
 *	bits 2-6:   n: the caller's rbp lies at CFA - 8n; 0: in rbp
 *	bits 7-11:  the same for rbx
 *	bit 12:     r12 to r15 are the caller's
 *	bits 13-14: the caller's r15 is in r15 (0), at CFA - 16, at CFA - 24, or
 *		    not known (3)
 *	bits 15-31: (CFA - that register) / 8
 */
#define WORD_FP 2u
#define WORD_SLOT_MAX 31
#define WORD_FP_SHIFT 2
#define WORD_BASE_SHIFT 7
#define WORD_KEEPS (1u << 12)
#define WORD_LAST_SHIFT 13
#define WORD_CFA_SHIFT 15
#define WORD_CFA_MAX ((1 << 17) - 1)

/* Does l fit a slot of a packed word? Which? */
static inline bool
arch_pack_slot(const struct unwind_loc *l, uint32_t *slot)
{
	*slot = 0;
	if (l->kind == LOC_DEFAULT)
		return true;
	if (l->kind != LOC_CFA_MEM || l->off >= 0 || l->off % 8 ||
	    l->off < -8 * WORD_SLOT_MAX)
		return false;
	*slot = (uint32_t)-l->off / 8;
	return true;
}

/* Compilers push r15 first, or after a frame pointer. */
static inline uint32_t
arch_pack_last(const struct unwind_loc *l)
{
	if (l->kind == LOC_DEFAULT)
		return 0;
	return l->kind == LOC_CFA_MEM && (l->off == -16 || l->off == -24)
		       ? (uint32_t)-l->off / 8 - 1
		       : 3;
}

/* The packed word of a row; false: it does not fit. */
static inline bool
arch_pack(const struct unwind_loc *cfa, const struct unwind_loc *reg,
	  bool keeps, uint32_t *word)
{
	const struct unwind_loc *ra = &reg[TRACK_RA];
	uint32_t fp, base;

	if (cfa->kind != LOC_REG || cfa->off < 8 || cfa->off % 8 != 0 ||
	    cfa->off / 8 > WORD_CFA_MAX ||
	    (cfa->reg != DW_SP && cfa->reg != DW_FP) ||
	    reg[TRACK_SP].kind != LOC_DEFAULT || ra->kind != LOC_CFA_MEM ||
	    ra->off != -8 || !arch_pack_slot(&reg[TRACK_FP], &fp) ||
	    !arch_pack_slot(&reg[TRACK_BASE], &base))
		return false;
	*word = WORD_PACKED | (cfa->reg == DW_FP ? WORD_FP : 0) |
		(keeps ? WORD_KEEPS : 0) | fp << WORD_FP_SHIFT |
		base << WORD_BASE_SHIFT |
		arch_pack_last(&reg[TRACK_LAST]) << WORD_LAST_SHIFT |
		(uint32_t)(cfa->off / 8) << WORD_CFA_SHIFT;
	return true;
}

/* The word of Go's code with depth bytes of stack below the return address. */
static inline uint32_t
arch_go_word(uint32_t depth)
{
	return WORD_PACKED | (depth / 8 + 1) << WORD_CFA_SHIFT;
}

/* Step by a packed word. */
static inline enum unwind_step
arch_step_packed(struct unwind_frame *f, const struct unwind_bounds *b,
		 uint32_t word)
{
	uintptr_t cfa = (word & WORD_FP ? f->fp : f->sp) +
			(uintptr_t)(word >> WORD_CFA_SHIFT) * 8;
	uintptr_t pc, fp = f->fp, base = f->base, last = f->last;
	unsigned slot;

	if (cfa <= f->sp || !unwind_load(b, cfa - 8, &pc))
		return STEP_FAILED;
	/*
	 * A slot further below rsp than the red zone was popped: the register
	 * has its value again.
	 */
	slot = word >> WORD_FP_SHIFT & WORD_SLOT_MAX;
	if (slot)
		(void)unwind_load(b, cfa - 8 * slot, &fp);
	slot = word >> WORD_BASE_SHIFT & WORD_SLOT_MAX;
	if (slot)
		(void)unwind_load(b, cfa - 8 * slot, &base);
	slot = word >> WORD_LAST_SHIFT & 3;
	if (slot == 3)
		last = 0;
	else if (slot)
		(void)unwind_load(b, cfa - 8 * slot - 8, &last);
	if (pc < LOWEST_CODE)
		return pc ? STEP_FAILED : STEP_ROOT;
	f->regs = NULL;
	if (!(word & WORD_KEEPS))
		f->kept = NULL;
	f->pc = pc;
	f->sp = cfa;
	f->fp = fp;
	f->base = base;
	f->last = last;
	return STEP_OK;
}

/* Is it the caller's rsp in a signal frame of the kernel: *(rsp + 160)? */
static inline bool
arch_is_kernel_frame(const struct unwind_loc *cfa, const uint8_t *expr)
{
	static const uint8_t saved_rsp[] = { 0x77, 0xa0, 0x01, 0x06 };

	return cfa->kind == LOC_EXPR_VAL && cfa->n_expr == sizeof(saved_rsp) &&
	       !__builtin_memcmp(expr + cfa->off, saved_rsp, sizeof(saved_rsp));
}

/*
 * Interrupted code of a known object without unwind information: PLT entries of
 * lld and small assembly functions. These keep no frame, so the return address
 * is on top, or below the one or two words that a PLT entry pushes. A word is
 * taken for it if it points after code with unwind information; on top, after
 * any code of an object, as those functions call each other.
 */
static inline enum unwind_step
arch_guess_top(struct unwind_frame *f, const struct unwind_bounds *b,
	       const struct unwind_code *c)
{
	uintptr_t pc;

	for (unsigned i = 0; i < 3; i++) {
		if (!unwind_load(b, f->sp + 8 * i, &pc))
			return STEP_FAILED;
		if (pc == 0 || (c->word(c, pc - 1) == WORD_NONE &&
				(i > 0 || !c->is_object(c, pc - 1))))
			continue;
		f->regs = f->kept = NULL;
		f->pc = pc;
		f->sp += 8 * (i + 1);
		return STEP_OK;
	}
	return STEP_FAILED;
}

#ifndef UNWIND_FOREIGN

/* --- libsample/wait.c: what it puts before functions that sleep --- */

/*
 * At entry the stack pointer is 8 off a multiple of 16; seven words lower, at
 * the call, it is aligned. 56(%rsp) is then the first word above the return
 * address.
 */
#define ARCH_SLEEP_STUB(name)                                                  \
	__asm__(".text\n\t"                                                    \
		".globl " #name "\n\t"                                         \
		".type " #name ", @function\n" #name ":\n\t"                   \
		".cfi_startproc\n\t"                                           \
		"endbr64\n\t"                                                  \
		"pushq %rbp\n\t"                                               \
		".cfi_adjust_cfa_offset 8\n\t"                                 \
		".cfi_rel_offset %rbp, 0\n\t"                                  \
		"pushq %rbx\n\t"                                               \
		".cfi_adjust_cfa_offset 8\n\t"                                 \
		".cfi_rel_offset %rbx, 0\n\t"                                  \
		"pushq %r12\n\t"                                               \
		".cfi_adjust_cfa_offset 8\n\t"                                 \
		".cfi_rel_offset %r12, 0\n\t"                                  \
		"pushq %r13\n\t"                                               \
		".cfi_adjust_cfa_offset 8\n\t"                                 \
		".cfi_rel_offset %r13, 0\n\t"                                  \
		"pushq %r14\n\t"                                               \
		".cfi_adjust_cfa_offset 8\n\t"                                 \
		".cfi_rel_offset %r14, 0\n\t"                                  \
		"pushq %r15\n\t"                                               \
		".cfi_adjust_cfa_offset 8\n\t"                                 \
		".cfi_rel_offset %r15, 0\n\t"                                  \
		"pushq 56(%rsp)\n\t"                                           \
		".cfi_adjust_cfa_offset 8\n\t"                                 \
		"cmpq $0, wait_real_" #name "(%rip)\n\t"                       \
		"jne 1f\n\t"                                                   \
		"call wait_find\n"                                             \
		"1:\tcall *wait_real_" #name "(%rip)\n\t"                      \
		"addq $8, %rsp\n\t"                                            \
		".cfi_adjust_cfa_offset -8\n\t"                                \
		"popq %r15\n\t"                                                \
		".cfi_adjust_cfa_offset -8\n\t"                                \
		".cfi_restore %r15\n\t"                                        \
		"popq %r14\n\t"                                                \
		".cfi_adjust_cfa_offset -8\n\t"                                \
		".cfi_restore %r14\n\t"                                        \
		"popq %r13\n\t"                                                \
		".cfi_adjust_cfa_offset -8\n\t"                                \
		".cfi_restore %r13\n\t"                                        \
		"popq %r12\n\t"                                                \
		".cfi_adjust_cfa_offset -8\n\t"                                \
		".cfi_restore %r12\n\t"                                        \
		"popq %rbx\n\t"                                                \
		".cfi_adjust_cfa_offset -8\n\t"                                \
		".cfi_restore %rbx\n\t"                                        \
		"popq %rbp\n\t"                                                \
		".cfi_adjust_cfa_offset -8\n\t"                                \
		".cfi_restore %rbp\n\t"                                        \
		"ret\n\t"                                                      \
		".cfi_endproc\n\t"                                             \
		".size " #name ", . - " #name);

/* Calls wait_find_all(), preserving the arguments of the pending call: seven
 * registers and the return address make 64 bytes. */
#define ARCH_SLEEP_FIND                                                        \
	__asm__(".text\n\t"                                                    \
		".type wait_find, @function\n"                                 \
		"wait_find:\n\t"                                               \
		".cfi_startproc\n\t"                                           \
		"pushq %rdi\n\t"                                               \
		"pushq %rsi\n\t"                                               \
		"pushq %rdx\n\t"                                               \
		"pushq %rcx\n\t"                                               \
		"pushq %r8\n\t"                                                \
		"pushq %r9\n\t"                                                \
		"pushq %rax\n\t"                                               \
		".cfi_adjust_cfa_offset 56\n\t"                                \
		"call wait_find_all\n\t"                                       \
		"popq %rax\n\t"                                                \
		"popq %r9\n\t"                                                 \
		"popq %r8\n\t"                                                 \
		"popq %rcx\n\t"                                                \
		"popq %rdx\n\t"                                                \
		"popq %rsi\n\t"                                                \
		"popq %rdi\n\t"                                                \
		".cfi_adjust_cfa_offset -56\n\t"                               \
		"ret\n\t"                                                      \
		".cfi_endproc\n\t"                                             \
		".size wait_find, . - wait_find");

#endif
#endif
