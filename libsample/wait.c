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
#include "unwind/impl.h"

#ifdef ARCH_SLEEP_STUB

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
	real_found();
}

FUNCTIONS(ARCH_SLEEP_STUB)
ARCH_SLEEP_FIND

#else

/* Nothing is interposed on other machines. */
extern const char wait_nothing;
const char wait_nothing = 0;

#endif
