#!/bin/sh
# Unwind information of programs is compiled by processes without rights; and
# what stands for far more than its size is refused.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

name='programs of strangers'
[ "$(id -u)" -eq 0 ] || skip_rest "$name" 'only root drops rights'
[ -z "${sanitized:-}" ] || skip_rest "$name" 'a sanitizer needs more memory'
need_tools "$name" gcc python3

# An ELF file of half a megabyte: its table has an entry for each of N functions,
# and all entries are one FDE, of as many rows as the function has bytes.
cat >many.py <<'END'
import struct, sys

n, size = 30000, 4000
code, text = 0x1000, 0x1000
table = 0x2000
hdr = struct.pack('<BBBBiI', 1, 0x1b, 0x03, 0x3b, 12 + 8 * n - 4, n)
cie_at = table + len(hdr) + 8 * n
cie = struct.pack('<I', 0) + b'\1zR\0' + bytes([1, 0x78, 16, 1, 0x1b, 12, 7, 8])
cie += bytes(-(len(cie) + 4) % 8)
fde_at = cie_at + 4 + len(cie)
rows = b''.join(bytes([0x41, 0x0e, 8 + 8 * (i % 2)]) for i in range(size - 1))
fde = struct.pack('<Iii', fde_at + 4 - cie_at, text - (fde_at + 8), size) + b'\0' + rows
fde += bytes(-(len(fde) + 4) % 8)
info = hdr + b''.join(struct.pack('<ii', text + i - table, fde_at - table)
                      for i in range(n))
info += struct.pack('<I', len(cie)) + cie + struct.pack('<I', len(fde)) + fde + bytes(4)
note = struct.pack('<III', 4, 20, 3) + b'GNU\0' + bytes(range(20))
head = [(1, 5, code, text, 4096), (1, 4, table, table, len(info)),
        (0x6474e550, 4, table, table, 12 + 8 * n), (4, 4, 64 + 56 * 4, 0, len(note))]
out = bytearray(b'\x7fELF' + bytes([2, 1, 1]) + bytes(9) +
                struct.pack('<HHIQQQIHHHHHH', 3, 62, 1, text, 64, 0, 0, 64, 56, 4, 64, 0, 0))
for kind, flags, at, address, size in head:
    out += struct.pack('<IIQQQQQQ', kind, flags, at, address, address, size, size, 4096)
out += note
out += bytes(code - len(out)) + b'\xeb\xfe' + bytes(4094) + info
open(sys.argv[1], 'wb').write(out)
END
cat >run.c <<'END'
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

static void
rest(int signal)
{
	usleep(12000);
}

/* Map the code of the file, a loop without end, and run it, a quarter of the time. */
int
main(int argc, char **argv)
{
	const struct itimerval work = { { 0, 4000 }, { 0, 4000 } };
	int fd = open(argv[argc - 1], O_RDONLY);
	void *code = mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 4096);

	signal(SIGPROF, rest);
	setitimer(ITIMER_PROF, &work, NULL);
	((void (*)(void))code)();
}
END
gcc -o run run.c && python3 many.py many || exit 99
chmod 755 "$scratch" run many

./run many &
program=$!
prof-record -q --pid $program --seconds=1 -o out.pb.gz 2>err || no_way=$(head -n 1 err)
kill $program
[ -z "${no_way:-}" ] || skip_rest "$name" "$no_way"

# has_rights [WORD...]: run many as another user, and record it by prof-record after the
# words. Has the process that reads it those of the file want?
has_rights() {
	setpriv --reuid=65534 --clear-groups ./run "$PWD/many" &
	program=$!
	"$@" prof-record --pid $program --seconds=2 -o - >out.pb.gz 2>err &
	recorder=$!
	: >rights
	until cmp -s want rights || ! kill -0 $recorder 2>/dev/null; do
		sleep 0.02
		worker=$(pgrep -P $recorder -u 65534) || continue
		worker=${worker##*
} # the last of them: one that looks at processes is there before
		grep -E '^(Uid|CapEff|NoNewPrivs):' "/proc/$worker/status" >rights
		find "/proc/$worker/fd" -lname 'socket:*' | wc -l >>rights
	done 2>/dev/null
	wait $recorder
	kill $program
	diff want rights
}
cat >want <<'END'
Uid:	65534	65534	65534	65534
CapEff:	0000000000000000
NoNewPrivs:	1
1
END
live 'the process that reads them has no rights' has_rights
check 'it ends with the recorder' 0 "kill -0 $worker 2>/dev/null || echo ended" <<'END'
ended
END
live 'nor has that of an ordinary user' has_rights setpriv --reuid=65534 --clear-groups
check 'a table that stands for far more is named' 0 \
	'sed -n "s/.*many: \(.*\)/\1/p" err' <<'END'
its unwind information stands for far more than its size; its callers are not seen
END
check 'the samples are there' 0 \
	'prof-text -q --raw out.pb.gz | grep -c "many"' <<'END'
1
END

# Half a gigabyte that is a hole.
python3 - many sparse <<'END' || exit 99
import struct, sys

data = bytearray(open(sys.argv[1], 'rb').read()[:8192])
names = b'\0.shstrtab\0.eh_frame\0'
struct.pack_into('<H', data, 56, 1)  # one program header: the code
struct.pack_into('<Q', data, 40, 8192)
struct.pack_into('<HHH', data, 58, 64, 3, 1)
section = lambda name, kind, at, n: struct.pack('<IIQQQQIIQQ', name, kind, 0, 0, at, n, 0, 0, 1, 0)
data += section(0, 0, 0, 0) + section(1, 3, 8192 + 192, len(names)) + section(11, 1, 65536, 1 << 29)
data += names
with open(sys.argv[2], 'wb') as f:
	f.write(data)
	f.truncate(65536 + (1 << 29))
END
chmod 755 sparse
check 'so is a file of holes' 0 '
	setpriv --reuid=65534 --clear-groups ./run "$PWD/sparse" &
	prof-record --pid $! --seconds=1 -o out.pb.gz 2>err
	kill $!
	sed -n "s/.*sparse: \(.*only\) .*;/\1/p" err' <<'END'
of its 536936448 bytes only its callers are not seen
END

# What it answers is what is read here.
gcc -O2 -fomit-frame-pointer -o deep -x c - <<'END' || exit 99
#include <unistd.h>
static volatile unsigned n;
__attribute__((noinline)) static int leaf(int d) { for (int i = 0; i < 1000; i++) n += i; return d; }
int main(void) { for (;; usleep(12000)) for (int i = 0; i < 2000; i++) leaf(10); }
END
check 'stacks are the same with and without it' 0 '
	for i in 1 0; do
		./deep &
		PROF_SANDBOX=$i prof-record -q --pid $! --seconds=1 -o d.pb.gz
		kill $!
		prof-symbolize -q d.pb.gz | prof-text -q --traces 2>/dev/null |
			grep -c "  _start\$" | awk "{ print (\$1 > 0) }"
	done' <<'END'
1
1
END
# A stranger's file with the build-id of another has no part in it.
gcc -O2 -fomit-frame-pointer -Wl,--build-id=0x123456789abcdef0 -o ours -x c - <<'END' || exit 99
static volatile unsigned n;
__attribute__((noinline)) static int leaf(int d) { for (int i = 0; i < 1000; i++) n += i; return d; }
__attribute__((noinline)) static int caller(void) { return leaf(1) + leaf(2) + (int)n; }
int main(void) { for (int i = 0; i < 300000; i++) caller(); }
END
gcc -nostdlib -static -fno-asynchronous-unwind-tables -Wl,--build-id=0x123456789abcdef0 \
	-o theirs -x c - <<'END' || exit 99
void _start(void) { for (volatile int n = 0;; n++) ; }
END
chown 65534 theirs
is_ours() {
	setpriv --reuid=65534 --clear-groups ./theirs &
	theirs=$!
	(sleep 0.5; ./ours; kill $theirs) &
	prof-record -q --all --seconds=3 -o two.pb.gz
	kill $theirs 2>/dev/null
	prof-symbolize -q two.pb.gz | prof-text -q --folded --focus=^leaf 2>/dev/null |
		awk '/;main;caller[^;]*;leaf/ { n += $NF } { all += $NF }
			END { print n, "of", all; exit !(all > 20 && n * 10 > all * 8) }'
}
live 'a build-id of others is theirs' is_ours

# What a process had mapped is a pipe and a device when its samples are read: the
# recorder is stopped until they are. Descriptors without O_PATH would open them.
gcc -O1 -shared -fPIC -o pipe -x c - <<'END' && cp pipe device || exit 99
void work(void) { for (volatile int i = 0; i < 1000000; i++) ; }
END
gcc -o swap -x c - -ldl <<'END' || exit 99
#include <dlfcn.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void
swap(const char *path, mode_t kind)
{
	void *object = dlopen(path, RTLD_NOW);
	void (*work)(void) = (void (*)(void))dlsym(object, "work");

	for (clock_t until = clock() + CLOCKS_PER_SEC / 10; clock() < until;)
		work();
	dlclose(object);
	unlink(path);
	mknod(path, kind | 0644, 1 << 8 | 3);
}

int
main(void)
{
	getchar();
	swap("./pipe", S_IFIFO);
	swap("./device", S_IFCHR);
	puts("done");
	fflush(stdout);
	getchar();
}
END
name='what became a pipe or a device is not opened'
if strace -o trace true 2>/dev/null && mkfifo go went; then
	./swap <go >went &
	program=$!
	exec 7>go 8<went
	strace -ff -qq -y -o opened -e trace=open,openat prof-record -q --pid $program -o swap.pb.gz 7>&- 8<&- &
	tracer=$!
	# Until it polls: poll is 7, ppoll 271, on arm64 73.
	until recorder=$(pgrep -P $tracer) && grep -qE '^(7|73|271) ' "/proc/$recorder/syscall" &&
		[ "$(find "/proc/$recorder/fd" -lname '*perf_event*')" ]; do
		sleep 0.02
	done 2>/dev/null
	kill -STOP "$recorder"
	echo >&7
	read -r swapped <&8
	kill -CONT "$recorder"
	exec 7>&- 8<&-
	wait $program $tracer
	sed -nE 's,.*(O_PATH|O_RDONLY|O_RDWR).* = [0-9]+<.*/(pipe|device)>.*,\2 \1,p' opened.* | sort -u >got
	prof-text -q --raw swap.pb.gz | grep -cE '/(pipe|device)' >>got
	if printf 'device O_PATH\npipe O_PATH\n2\n' | cmp -s - got; then
		ok "$name"
	else
		not_ok "$name" <got
	fi
else
	skip "$name" 'no strace, or nobody may trace here'
fi

# A file of 84 MB whose worker stops while it reads: who needs its rows goes on
# without callers after a while, and others have theirs.
python3 - slow <<'END' || exit 99
import struct, sys

text, names = 0x1000, b'\0.shstrtab\0.debug_frame\0'
cie = struct.pack('<IIBBBBB', 20, 0xffffffff, 4, 0, 8, 0, 1) + bytes([0x78, 16, 12, 7, 8, 0x90, 1])
cie = bytes(cie + bytes(24 - len(cie)))
info = cie + 3000000 * (struct.pack('<IIQQ', 24, 0, text, 16) + bytes([0x44, 0x0e, 16, 0]))
section = lambda name, kind, at, n: struct.pack('<IIQQQQIIQQ', name, kind, 0, 0, at, n, 0, 0, 1, 0)
out = b'\x7fELF' + bytes([2, 1, 1]) + bytes(9)
out += struct.pack('<HHIQQQIHHHHHH', 3, 62, 1, text, 64, 8192, 0, 64, 56, 1, 64, 3, 1)
out += struct.pack('<IIQQQQQQ', 1, 5, text, text, text, 4096, 4096, 4096)
out += bytes(text - len(out)) + b'\xeb\xfe' + bytes(4094)
out += section(0, 0, 0, 0) + section(1, 3, 8384, len(names)) + section(11, 1, 16384, len(info))
out += names
open(sys.argv[1], 'wb').write(out + bytes(16384 - len(out)) + info)
END
chmod 755 slow
delays_nobody() {
	./deep &
	program=$!
	./run "$PWD/slow" &
	slow=$!
	prof-record --pid $program --pid $slow --seconds=4 -o slow.pb.gz 2>err &
	recorder=$!
	user=$(id -u)
	[ "$user" != 0 ] || user=65534
	# Some workers are those of small files, and end.
	while kill -0 $recorder 2>/dev/null; do
		for worker in $(pgrep -r R,D -u "$user" -P "$(pgrep -d, -P $recorder)" 2>/dev/null); do
			[ "$(readlink "/proc/$worker/fd/"* 2>/dev/null | grep -c '/slow$')" -gt 0 ] &&
				kill -STOP "$worker" && break 2
		done
		worker=
	done
	wait $recorder
	kill $program $slow
	[ "$worker" ] || return 1
	cat err
	prof-symbolize -q slow.pb.gz |
		prof-text -q --folded --sample-index=samples --tagfocus=process=deep 2>/dev/null |
		awk "$chance"'
			/(^|;)_start;/ { n += $NF }
			{ all += $NF }
			END { print n, "of", all; exit !(n && chance_most(all - n, all, 0.02)) }' &&
		grep -q 'its unwind information took more than 2 s to read; samples of such files without callers' err
}
live 'a slow file delays nobody else' delays_nobody
check 'its worker ends with the recorder, too' 0 "
	tries=0
	while kill -0 $worker 2>/dev/null && [ \$((tries += 1)) -lt 100 ]; do sleep 0.1; done
	kill -0 $worker 2>/dev/null || echo ended" <<'END'
ended
END
plan
