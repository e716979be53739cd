# early.t - early calls, or calls at a bad moment, of the functions that
# libsample interposes; see early.c. They must not deadlock, so each has a
# minute.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

compile() {
	# shellcheck disable=SC2086 # CC may be words
	${CC:-cc} -O1 -D_GNU_SOURCE "$@" -pthread -ldl 2>>why
}

# early NAME COMMAND OUTPUT OPTION...: it runs, prints that, and has a tick.
early() {
	early_of=$1
	shift
	live "$early_of" sampled "$@"
}
sampled() {
	run=$1
	want=$2
	shift 2
	# shellcheck disable=SC2086 # words
	timeout -s ABRT 300 prof-record -q -o e.pb.gz "$@" $run >out 2>err || return 2
	cat out err
	[ "$(cat out)" = "$want" ] && [ ! -s err ] || return 2
	stacks e.pb.gz | grep -q '^[1-9]'
}

: >why
program=$src/tests/programs/early.c
if ! compile -DLIBRARY -shared -fPIC -o libearly.so "$program" ||
	! compile -o loads "$program" ||
	! compile -DLINKED -o linked "$program" -L. -learly -Wl,-rpath,"$PWD"
then
	not_ok 'early calls' <why
	plan
	exit
fi

for options in -F1000 '-F1000 --clock=perf' '-F1000 --clock=wall' --heap=1 \
	'--listen 0 --heap=1 --lock=1'; do
	case $options in
	--listen*) lacks 'prof-record --listen 0 true' && continue ;;
	esac
	# shellcheck disable=SC2086 # words
	early "a constructor before ours starts a thread: $options" \
		./linked 'loaded
done' $options
	# shellcheck disable=SC2086
	early "one under the loader's lock does: $options" \
		'./loads ./libearly.so' 'loaded
done' $options
done

name='before libc is initialized: a resolver of an indirect function'
if compile -DRESOLVER -o resolves "$program"; then
	early "$name" ./resolves 'done' -F 1000
else
	skip "$name" 'no indirect functions'
fi

# libc's own locks are held while it allocates. The first allocation of all is one of these.
cat >first.c <<'END'
#include <libintl.h>
static __attribute__((constructor)) void load(void) { bindtextdomain("first", "/first"); }
int first(void) { return 0; }
END
cat >held.c <<'END'
#include <libintl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int first(void);
static void nothing(void) { }
int main(void)
{
	char name[16];
	int left = first();
	setlocale(LC_ALL, "C.UTF-8");
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "NAME%d", i);
		left |= !textdomain(name) || !bindtextdomain(name, "/there") || setenv(name, name, 1);
		setenv("TZ", i % 2 ? "UTC0" : "Europe/Vienna", 1);
		tzset();
		left |= atexit(nothing) || dprintf(2, "%ls", L"") < 0 || !gettext(name);
	}
	puts(left ? "no" : "done");
	return left;
}
END
name='allocations under the locks of libc'
if compile -shared -fPIC -o libfirst.so first.c &&
	compile -o held held.c -L. -lfirst -Wl,-rpath,"$PWD"
then
	for options in --heap=1 --growth=1 --lock=1 --clock=wall; do
		check "$name: $options" 0 \
			"[ \"\$(timeout -s ABRT 60 prof-record -q -o held.pb.gz $options ./held)\" = done ]" </dev/null
	done
else
	not_ok "$name" <why
fi

# Before its first tick a program goes where it finds no file, or kills whoever looks for
# one, or for memory.
cat >shut.c <<'END'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static int filter(void)
{
	const int calls[] = { SYS_mmap, SYS_mremap, SYS_openat, SYS_readlinkat,
#ifdef SYS_readlink
			      SYS_readlink,
#endif
	};
	enum { N = sizeof(calls) / sizeof(*calls) };
	struct sock_filter code[N + 3] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		[N + 1] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		[N + 2] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { N + 3, code };
	for (int i = 0; i < N; i++)
		code[i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], N - i, 0);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
void shut_in(void)
{
	while (clock() < CLOCKS_PER_SEC / 4)
		for (volatile int i = 0; i < 100000; i++)
			;
}
int main(int argc, char **argv)
{
	if (argc > 1 ? chroot(argv[1]) || chdir("/") : filter())
		return errno == EPERM || errno == EINVAL ? 77 : 1;
	shut_in();
	_exit(0);
}
END
shut() {
	prof-record -q -o shut.pb.gz ./shut "$@" || return 2
	prof-symbolize -q shut.pb.gz | prof-text -q --folded | tee found | grep -q 'main;shut_in'
	shut_status=$?
	cat found
	return $shut_status
}
mkdir empty
if compile -o shut shut.c; then
	for where in filter chroot; do
		set --
		[ $where = filter ] || set -- empty
		./shut "$@"
		case $? in
		77) skip "shut in before the first tick: $where" 'not permitted here' ;;
		*) live "shut in before the first tick: $where" shut "$@" ;;
		esac
	done
else
	not_ok 'shut in before the first tick' <why
fi

# What configure pays for each command. With pages of another size or other libraries,
# it is another number.
cat >faults.c <<'END'
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
extern char **environ;
int main(void)
{
	char *argv[] = { "true", NULL };
	struct rusage r;
	for (int i = 0; i < 40; i++) {
		pid_t pid;
		if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ)) return 1;
		waitpid(pid, NULL, 0);
	}
	getrusage(RUSAGE_CHILDREN, &r);
	printf("%ld\n", r.ru_minflt);
}
END
if [ "$(uname -m)" = x86_64 ] && [ -z "${sanitized:-}" ] && compile -o faults faults.c; then
	check 'a short process has few page faults more' 0 \
		'without=$(env -u LD_PRELOAD ./faults)
		 with=$(prof-record -q --sampler=preload -o x.pb.gz ./faults)
		 more=$(((with - without) * 10 / 40))
		 [ $more -gt 0 ] && [ $more -lt 195 ] || echo "$more tenths"' </dev/null
else
	skip 'a short process has few page faults more' 'another machine, or sanitizers'
fi

plan
