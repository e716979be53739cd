#!/bin/sh
# As root, object files are read by a process without rights: it can be ended by
# a file, which is then named and left out, and it finds what others find.
. "${srcdir:-.}/tests/lib/tap.sh"

name='files of strangers'
[ "$(id -u)" -eq 0 ] || skip_rest "$name" 'only root drops rights'
[ -z "${sanitized:-}" ] || skip_rest "$name" 'sanitizers need more calls'
need_tools "$name" gcc strace python3
chmod 755 "$scratch"

# Two libraries and a profile with an address in a function of each.
for i in bad good; do
	echo "int $i(int x) { return x * 7 + 3; }" |
		gcc -g -O1 -shared -fPIC -x c -o "$i" - || exit 99
done
cat >profile.py <<'END'
import subprocess, sys

def varint(n):
    out = b''
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])

def field(k, v):
    if isinstance(v, int):
        return varint(k << 3) + varint(v)
    return varint(k << 3 | 2) + varint(len(v)) + v

strings = [b'', b'cpu', b'nanoseconds']
out = field(1, field(1, 1) + field(2, 2))
for i, f in enumerate(sys.argv[2:], 1):
    strings.append((sys.argv[1] + '/' + f).encode())
    at = subprocess.run(['nm', f], capture_output=True, text=True).stdout
    at = int([r for r in at.splitlines() if r.endswith(' T ' + f.strip('0123456789'))][0]
             .split()[0], 16)
    start = i << 32
    out += field(2, field(1, i) + field(2, 10))
    out += field(3, field(1, i) + field(2, start) + field(3, start + 0x10000) +
                 field(5, len(strings) - 1))
    out += field(4, field(1, i) + field(2, i) + field(3, start + at))
for s in strings:
    out += field(6, s)
sys.stdout.buffer.write(out)
END
python3 profile.py "$PWD" bad good >p.pb || exit 99

# Not all may raise limits of a process, so a library keeps what it was to have.
cat >limits.c <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int
prlimit(pid_t pid, enum __rlimit_resource what, const struct rlimit *new,
	struct rlimit *old)
{
	static struct rlimit limit[RLIM_NLIMITS] = {
		[RLIMIT_AS] = { 1 << 30, 1 << 30 }, [RLIMIT_CPU] = { 30, 30 }
	};

	if (!pid)
		return (int)syscall(SYS_prlimit64, pid, what, new, old);
	if (old)
		*old = limit[what];
	if (new)
		limit[what] = *new;
	if (new)
		dprintf(2, "raised %s\n", what == RLIMIT_CPU ? "time" : "memory");
	return 0;
}
END
gcc -w -shared -fPIC -o limits.so limits.c || exit 99
check 'memory for files adds up, and their time does not' 0 '
	LD_PRELOAD=./limits.so prof-symbolize --no-cache p.pb 2>&1 >p2.pb |
		awk "/raised/ { n[\$2]++ } END { print n[\"memory\"], n[\"time\"] <= 1 }"' <<'END'
2 1
END

# Kernels without filters of calls, and one that refuses this one.
cat >filter.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int
prctl(int option, ...)
{
	unsigned long a[4];
	va_list ap;

	va_start(ap, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(ap, unsigned long);
	va_end(ap);
	if (option != PR_SET_SECCOMP)
		return (int)syscall(SYS_prctl, option, a[0], a[1], a[2], a[3]);
	errno = atoi(getenv("FILTER_ERROR"));
	return -1;
}
#ifdef ROOT
int
setgroups(size_t n, const gid_t *group)
{
	return -1;
}
#endif
END
gcc -w -shared -fPIC -o filter.so filter.c &&
	gcc -w -DROOT -shared -fPIC -o root.so filter.c || exit 99
# LIBRARY ERROR: what has names, and what is said.
cat >filtered <<'END'
LD_PRELOAD=./$1 FILTER_ERROR=$2 prof-symbolize --no-cache p.pb 2>err |
	prof-text -q --folded
cat err
END
check 'without filters in the kernel, it goes on with its limits, and -V says so' 0 '
	sh filtered filter.so 22
	LD_PRELOAD=./filter.so FILTER_ERROR=22 prof-text -V | grep seccomp' <<'END'
bad 10
good 10
sandbox: no seccomp
END
for i in 'filter.so 1' 'root.so 22'; do
	check "but not where it is refused one, or stays root: $i" 0 "sh filtered $i" <<'END'
[bad] 10
[good] 10
prof-symbolize: the process that reads object files was ended: it could not give up its rights; the rest has no names
END
done

# reading SIGNAL [FILE PROFILE]: it comes when the process reads FILE, or "bad".
cat >reading <<'END'
file=${2:-bad}
touch -d '1 hour' "$file" # a file that may still change is read, not mapped
exec strace -f -qq -o trace -P "$PWD/$file" -e trace=pread64,read,mmap \
	-e inject=pread64:signal="$1":when=2+ prof-symbolize --no-cache "${3:-p.pb}"
END
strace -qq -o /dev/null true 2>/dev/null || skip_rest "$name" 'no ptrace'

check 'names are the same with and without it' 0 '
	prof-symbolize --no-cache p.pb | prof-text -q --raw >with
	PROF_SANDBOX=0 prof-symbolize --no-cache p.pb | prof-text -q --raw >without
	cmp with without && grep -oE "(good|bad) " with | sort -u' <<'END'
bad 
good 
END
check 'no call that it needs ends it' 0 '
	strace -f -qq -o trace -e trace=none prof-symbolize --no-cache p.pb >p2.pb
	! grep killed trace' </dev/null
check 'so are the instructions that prof-list and prof-html show' 0 '
	prof-symbolize --no-cache p.pb >s.pb
	strace -f -qq -o trace -e trace=none prof-list --disasm=. s.pb >code
	PROF_SANDBOX=0 prof-list --disasm=. s.pb | cmp - code
	grep -c ROUTINE code
	prof-html -o page s.pb && PROF_SANDBOX=0 prof-html -o - s.pb | cmp - page
	! grep killed trace' <<'END2'
2
END2
check 'the cache is kept by the process that has rights' 0 '
	for i in 1 2; do
		PROF_CACHE=$PWD/cache prof-symbolize p.pb |
			prof-text -q --raw | cmp - with
	done
	find cache -type f -user 0 | wc -l' <<'END'
2
END
check 'what ends it is named, and the rest has names' 0 '
	sh reading SEGV >out.pb 2>err && prof-text -q --folded out.pb
	sed "s|/.*/||; s|; innermost.*||" err' <<'END'
[bad] 10
good 10
prof-symbolize: bad: the process that read it was ended: Segmentation fault; its names are missing
prof-symbolize: bad: addresses without a line: 1 of 1
prof-symbolize: bad: the process that read its files was ended
END
objcopy --only-keep-debug good good.debug && cp good good1 &&
	objcopy --strip-debug --add-gnu-debuglink=good.debug good1 || exit 99
python3 profile.py "$PWD" good1 >good1.pb
check 'so is a debug file, which takes lines away that the symbols have not' 0 '
	prof-symbolize --no-cache good1.pb | prof-text -q --lines --folded >out
	sh reading SEGV good.debug good1.pb >out.pb 2>err
	prof-text -q --lines --folded out.pb | cat out - err | sed "s|/.*/||"' <<'END'
good <stdin>:1 10
good 10
prof-symbolize: good.debug: the process that read it was ended: Segmentation fault; its names are missing
prof-symbolize: good1: addresses without a line: 1 of 1
END
# Seventeen files of another user, each of which ends it.
strangers=
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do
	cp bad bad$i
	chown 65534 bad$i
	strangers="$strangers bad$i"
done
# shellcheck disable=SC2086 # words
python3 profile.py "$PWD" $strangers good >many.pb || exit 99
cat >strangers <<'END'
for i; do
	set -- "$@" -P "$PWD/$i"
	shift
done
exec strace -f -qq -o trace "$@" -e trace=pread64,read,mmap \
	-e inject=pread64:signal=SEGV:when=2+ prof-symbolize --no-cache many.pb
END
check "files of a stranger take away no names of others" 0 "
	sh strangers $strangers >out.pb 2>err
	prof-text -q --folded out.pb | grep good
	grep -c 'its names are missing' err
	sed -n 's/.*; its names are missing, //p' err" <<'END'
good 10
4
and those of its owner's other files
END
sh reading STOP >/dev/null 2>err &
tracer=$!
cat >want <<'END'
Uid:	65534	65534	65534	65534
CapEff:	0000000000000000
NoNewPrivs:	1
Seccomp:	2
cpu 1
address 1
2
END
tries=0
until cmp -s rights want || [ $((tries += 1)) -gt 200 ]; do
	sleep 0.1
	reader=$(pgrep -u 65534 -P "$(pgrep -P $tracer)") || continue
	grep -E '^(Uid|CapEff|NoNewPrivs|Seccomp):' "/proc/$reader/status" >rights
	awk '/^Max (address space|cpu time)/ {
		print $2, $(NF - 1) == $(NF - 2) && $(NF - 1) != "unlimited" }' "/proc/$reader/limits" >>rights
	find "/proc/$reader/fd" ! -lname '*/bad' -type l | wc -l >>rights
done 2>/dev/null
kill -KILL $tracer "$(sed -n 's/^PPid:\t//p' "/proc/$reader/status")"
wait
check 'it has no rights, and no files but those it asked for' 0 'cat rights' <want

# One that stops is ended; the second time its file is named.
if [ -n "$long" ]; then
	check 'a process that does nothing is ended' 0 '
		sh reading STOP >out.pb 2>err
		prof-text -q --folded out.pb
		sed -n "s|.*/bad: the process|bad: the process|p" err | head -n 1' <<'END2'
[bad] 10
good 10
bad: the process that read it was ended: it did nothing for too long; its names are missing
END2
fi
plan
