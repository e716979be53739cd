/*
 * wait.c - libsample-wait.so, which is preloaded with --clock=wall. It
 * interposes the functions in which a program may sleep. Each only saves the
 * callee-saved registers on the stack, with unwind information for them.
 *
 * The reason: of a sleeping thread the kernel shows only the stack pointer and
 * the program counter (wall.c). libc's functions go directly to the system
 * call, with the other registers as their caller left them. If the caller's
 * frame is found by one of those, usually a frame pointer, the walk would end
 * there.
 */
#include "config.h"

#include <stddef.h>

#include "real.h"

#if defined(__x86_64__)

/*
 * Functions of at most seven arguments, all integers: six are in registers, and
 * one word of the stack is copied, whether it is an argument or not.
 */
#define FUNCTIONS(F)                                                           \
	F(accept)                                                              \
	F(accept4)                                                             \
	F(clock_nanosleep)                                                     \
	F(connect)                                                             \
	F(epoll_pwait)                                                         \
	F(epoll_pwait2)                                                        \
	F(epoll_wait)                                                          \
	F(fcntl)                                                               \
	F(fcntl64)                                                             \
	F(fdatasync)                                                           \
	F(flock)                                                               \
	F(fsync)                                                               \
	F(ioctl)                                                               \
	F(lockf)                                                               \
	F(lockf64)                                                             \
	F(mq_timedreceive)                                                     \
	F(mq_timedsend)                                                        \
	F(msgrcv)                                                              \
	F(msgsnd)                                                              \
	F(nanosleep)                                                           \
	F(open)                                                                \
	F(open64)                                                              \
	F(openat)                                                              \
	F(openat64)                                                            \
	F(pause)                                                               \
	F(poll)                                                                \
	F(__poll_chk)                                                          \
	F(ppoll)                                                               \
	F(__ppoll_chk)                                                         \
	F(pread)                                                               \
	F(pread64)                                                             \
	F(preadv)                                                              \
	F(preadv64)                                                            \
	F(pselect)                                                             \
	F(pwrite)                                                              \
	F(pwrite64)                                                            \
	F(pwritev)                                                             \
	F(pwritev64)                                                           \
	F(read)                                                                \
	F(__read_chk)                                                          \
	F(readv)                                                               \
	F(recv)                                                                \
	F(__recv_chk)                                                          \
	F(recvfrom)                                                            \
	F(__recvfrom_chk)                                                      \
	F(recvmmsg)                                                            \
	F(recvmsg)                                                             \
	F(select)                                                              \
	F(semop)                                                               \
	F(semtimedop)                                                          \
	F(send)                                                                \
	F(sendfile)                                                            \
	F(sendfile64)                                                          \
	F(sendmmsg)                                                            \
	F(sendmsg)                                                             \
	F(sendto)                                                              \
	F(sigsuspend)                                                          \
	F(sleep)                                                               \
	F(splice)                                                              \
	F(syscall)                                                             \
	F(tcdrain)                                                             \
	F(usleep)                                                              \
	F(wait)                                                                \
	F(wait3)                                                               \
	F(wait4)                                                               \
	F(waitid)                                                              \
	F(waitpid)                                                             \
	F(write)                                                               \
	F(writev)

/* libc's functions, to which the code below jumps. */
#define POINTER(name)                                                          \
	__attribute__((visibility("hidden"), used)) void *wait_real_##name;
FUNCTIONS(POINTER)

#define FIND(name) real_find(&wait_real_##name, #name);

void wait_find_all(void);

/* Also called below, if a constructor of a library calls one of these functions
 * before ours has run. */
__attribute__((constructor(101), visibility("hidden"), used)) void
wait_find_all(void)
{
	FUNCTIONS(FIND)
	dlerror();
}

/*
 * At entry the stack pointer is 8 off a multiple of 16; seven words lower, at
 * the call, it is aligned. 56(%rsp) is then the first word above the return
 * address.
 */
#define STUB(name)                                                             \
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
FUNCTIONS(STUB)

/* Calls wait_find_all(), preserving the arguments of the pending call: seven
 * registers and the return address make 64 bytes. */
__asm__(".text\n\t"
	".type wait_find, @function\n"
	"wait_find:\n\t"
	".cfi_startproc\n\t"
	"pushq %rdi\n\t"
	"pushq %rsi\n\t"
	"pushq %rdx\n\t"
	"pushq %rcx\n\t"
	"pushq %r8\n\t"
	"pushq %r9\n\t"
	"pushq %rax\n\t"
	".cfi_adjust_cfa_offset 56\n\t"
	"call wait_find_all\n\t"
	"popq %rax\n\t"
	"popq %r9\n\t"
	"popq %r8\n\t"
	"popq %rcx\n\t"
	"popq %rdx\n\t"
	"popq %rsi\n\t"
	"popq %rdi\n\t"
	".cfi_adjust_cfa_offset -56\n\t"
	"ret\n\t"
	".cfi_endproc\n\t"
	".size wait_find, . - wait_find");

#else

/* Nothing is interposed on other machines, where the walk uses frame
 * pointers. */
extern const char wait_nothing;
const char wait_nothing = 0;

#endif
