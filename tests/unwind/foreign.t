# foreign.t - copies of stacks of arm64, walked here, compared with gdb-multiarch's
# stacks of the same stopped program, frame by frame, under qemu. With signed return
# addresses, which gdb does not know there, they must be as without. So are those of
# programs of Debian's packages, if they are unpacked in the folder $FOREIGN_ROOT.
. "${srcdir:-.}/tests/lib/tap.sh"

cc=${CROSS_CC:-aarch64-linux-gnu-gcc}
for tool in "$cc" qemu-aarch64 gdb-multiarch python3; do
	have "$tool" || skip_rest 'stacks of arm64' "no $tool"
done

cat >prog.c <<'END'
#include <stdlib.h>
volatile long sum;
#define FUNCTION __attribute__((noinline, noclone))
FUNCTION long leaf(long n) { sum += n; __asm__ volatile(""); return sum; }
FUNCTION long large(long n) { char b[7000]; __asm__ volatile("" : : "r"(b) : "memory"); return leaf(n) + 1; }
FUNCTION long dynamic(long n) { char b[n * 64]; __asm__ volatile("" : : "r"(b) : "memory"); return large(n) + 1; }
FUNCTION int compare(const void *a, const void *b) { return (int)dynamic(*(const int *)a + *(const int *)b); }
int main(void) { int v[4] = { 3, 1, 2, 4 }; qsort(v, 4, sizeof(*v), compare); return sum == 0; }
END

# Stop at each of $POINTS, FUNCTION or FUNCTION+CALLS before it: N.gdb is the stack by gdb, as
# --folded --addresses prints it, and N.data the registers, the copy and what is mapped.
cat >stop.py <<'END'
import gdb, os, struct
root = os.environ["ROOT"]
def reg(name):
    return int(gdb.parse_and_eval("$" + name)) & (1 << 64) - 1
def read(at, n):
    return bytes(gdb.selected_inferior().read_memory(at, n))
def words(at, n):
    return struct.unpack("<%dQ" % n, read(at, 8 * n))
def q(*v):
    return struct.pack("<%dQ" % len(v), *v)
def text(s):
    return s.encode() + bytes(8 - len(s) % 8)
def record(kind, body):
    return struct.pack("<IHH", kind, 2, 8 + len(body)) + body

# The program and what its dynamic linker lists: where each is, and its file.
def loaded():
    lines = [l.split() for l in gdb.execute("info auxv", to_string=True).splitlines()]
    aux = {l[1]: int(l[-1], 0) for l in lines if l[1] in ("AT_PHDR", "AT_PHNUM")}
    head = [struct.unpack("<IIQQQQQQ", read(aux["AT_PHDR"] + 56 * i, 56))
            for i in range(aux["AT_PHNUM"])]
    bias = sum(aux["AT_PHDR"] - h[3] for h in head if h[0] == 6) # PT_PHDR
    yield bias, gdb.current_progspace().filename
    at = sum(bias + h[3] for h in head if h[0] == 2) # PT_DYNAMIC
    entry = 0
    while at and words(at, 1)[0]:
        tag, value = words(at, 2)
        entry = words(value + 8, 1)[0] if tag == 21 else entry # DT_DEBUG
        at += 16
    while entry:
        base, name, _, entry = words(entry, 4)
        name = gdb.Value(name).cast(gdb.lookup_type("char").pointer()).string()
        if name and os.path.exists(root + name):
            yield base, os.path.realpath(root + name)

def maps():
    for bias, path in loaded():
        f = open(path, "rb").read()
        at, n = struct.unpack_from("<Q", f, 32)[0], struct.unpack_from("<H", f, 56)[0]
        for i in range(n):
            kind, flags, off, lo, _, size, _, _ = struct.unpack_from("<IIQQQQQQ", f, at + 56 * i)
            if kind == 1 and flags & 1:
                start = lo & ~4095
                yield record(1, struct.pack("<II", 7, 7) +
                             q(bias + start, (lo + size + 4095 & ~4095) - start, off & ~4095) + text(path))

# PERFILE2: one event with registers and stacks; a program, its code, a sample.
def capture(n):
    regs = [reg("x%d" % i) for i in range(31)] + [reg("sp"), reg("pc")]
    frame, pcs = gdb.newest_frame(), []
    while frame and frame.pc():
        if frame.type() != gdb.INLINE_FRAME:
            pcs.insert(0, "%016x" % (frame.pc() - (1 if pcs else 0)))
        frame = frame.older()
    with open("%d.gdb" % n, "w") as f:
        f.write(";".join(pcs) + "\n")
    stack = b""
    try:
        while len(stack) < 60 * 1024:
            stack += read(regs[31] + len(stack), 1024)
    except gdb.MemoryError:
        pass
    attr = struct.pack("<IIQQQQQIIQQQQIiQIHH", 1, 112, 0, 1000000, 0x3007, 0, 0x300,
                       0, 0, 0, 0, 0, (1 << 33) - 1, len(stack), 0, 0, 0, 0, 0) + q(0, 0)
    data = record(3, struct.pack("<II", 7, 7) + text("prog")) + b"".join(maps())
    data += record(9, q(regs[32]) + struct.pack("<II", 7, 7) + q(1000, 2, *regs) +
                   q(len(stack)) + stack + q(len(stack)))
    with open("%d.data" % n, "wb") as f:
        f.write(b"PERFILE2" + q(104, len(attr), 104, len(attr), 104 + len(attr), len(data), 0, 0, 0, 0, 0, 0))
        f.write(attr + data)

for setting in "sysroot " + root, "backtrace past-main on", "breakpoint pending on":
    gdb.execute("set " + setting)
gdb.execute("target remote stop.socket")
for n, point in enumerate(os.environ["POINTS"].split(",")):
    function, _, calls = point.partition("+")
    gdb.execute("tbreak " + function)
    if calls:
        gdb.execute("ignore $bpnum " + calls)
    gdb.execute("continue")
    capture(n)
gdb.execute("kill")
END

# walked CPU ROOT POINTS PROGRAM [ARGUMENT...]: stop it, and walk: N.ours for N.gdb,
# from 0 on; false: it did not stop at all points. What was said is in the file why.
walked() {
	cpu=$1 root=$2 points=$3
	shift 3
	rm -f stop.socket [0-9].*
	qemu-aarch64 -cpu "$cpu" -L "$root" -g "$PWD/stop.socket" "$@" >qemu.out 2>&1 </dev/null &
	tries=0
	until [ -S stop.socket ] || [ $tries -eq 100 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	ROOT=$root POINTS=$points timeout 300 gdb-multiarch -q -nx -batch -x stop.py "$1" >why 2>&1
	kill $! 2>/dev/null
	wait
	tail -n 3 qemu.out >>why
	n=0
	for point in $(echo "$points" | tr , ' '); do
		[ -s $n.data ] || return 1
		prof-import -q $n.data 2>>why | prof-text -q --folded --addresses 2>>why |
			sed 's/ \[[^]]*\]//g; s/ [0-9]*$//' >$n.ours
		n=$((n + 1))
	done
}

# compared NAME LEAST: is N.ours N.gdb, of LEAST frames at least, for all N?
compared() {
	sum=0
	for stack in [0-9].gdb; do
		frames=$(tr ';' '\n' <"$stack" | wc -l)
		sum=$((sum + frames))
		if [ "$frames" -lt "$2" ] || ! diff "$stack" "${stack%.gdb}.ours" >>why; then
			not_ok "$1" <why
			return
		fi
	done
	ok "$1: $sum frames"
}

while read -r how cpu flags; do
	# shellcheck disable=SC2086 # words
	if ! "$cc" -static -O2 $flags -o prog prog.c 2>why || ! walked "$cpu" / leaf ./prog; then
		not_ok "$how, $flags" <why
	elif [ "$how" = signed ]; then
		cp plain 0.gdb
		compared 'signed return addresses' 7
	else
		cp 0.gdb plain
		compared "as gdb, with $flags" 7
	fi
done <<'END'
plain cortex-a57 -fomit-frame-pointer
plain cortex-a57 -fno-omit-frame-pointer
plain cortex-a57 -fomit-frame-pointer -fno-asynchronous-unwind-tables -g
plain cortex-a57 -fomit-frame-pointer -mbranch-protection=standard
signed max -fomit-frame-pointer -mbranch-protection=standard
END

[ "${FOREIGN_ROOT-}" ] || {
	plan
	exit
}
if GOARCH=arm64 CGO_ENABLED=0 GOCACHE=$PWD/go go build -o gofmt cmd/gofmt 2>why; then
	printf 'package a\nfunc  f( ){ g (1) }\n' >a.go
	if walked cortex-a57 / 'go/parser.ParseFile,go/parser.(*parser).parseBody,syscall.write' ./gofmt a.go; then
		compared 'gofmt' 4
	else
		not_ok 'gofmt' <why
	fi
else
	skip 'gofmt' "no go: $(head -n 1 why)"
fi

seq 400 >text
echo '2^100; for (i = 0; i < 3; i++) i * i' >calc.bc
echo 'proc f n {if {$n} {f [expr $n-1]} else {puts x}}; f 20' >f.tcl
echo 'syntax="proto3"; message A { int32 b = 1; }' >a.proto
while read -r points program arguments; do
	if eval "walked cortex-a57 '$FOREIGN_ROOT' '$points' '$FOREIGN_ROOT/$program' $arguments"; then
		compared "${program##*/} at $points" 3
	else
		not_ok "${program##*/} at $points" <why
	fi
done <<'END'
malloc+300,write bin/bash -c 'f() { for i in 1 2 3; do echo $i; done; }; f; echo $(f)'
malloc+20,write bin/dash -c 'f() { for i in 1 2 3; do echo $i; done; }; f'
malloc+50,write bin/grep -E '(1|2)+3?' text
malloc+50,write bin/sed -E 's/(1|2)+/x/g' text
malloc+200,qsort,write usr/bin/gawk 'BEGIN { for (i = 0; i < 99; i++) a[i] = i * 7 % 13; n = asort(a); print n }'
malloc+20,write bin/tar cf - text
malloc+5,write usr/bin/find . -name 'a*'
malloc+5,write usr/bin/sort -R text
malloc+5,write bin/ls -l
malloc+500,write usr/bin/perl -e 'print sort { $b <=> $a } map { $_ * 7 % 13 } 1 .. 99'
write usr/bin/python3.11 -S -c 'exec("def f(n): return n and f(n - 1) or print(n)\nf(20)")'
malloc+300,write usr/bin/sqlite3 :memory: 'create table t(a); insert into t values(1),(2); select sum(a), a from t group by a'
malloc+20,write usr/bin/bc calc.bc
lzma_code,write usr/bin/xz -c text
malloc+3,pthread_create,write usr/bin/zstd -T2 -c text
malloc+2,write bin/bzip2 -c text
write usr/bin/git help -a
malloc+300,write usr/bin/lua5.4 -e 'print(pcall(function() error(table.concat({1, 2, 3})) end))'
malloc+300,write usr/bin/jq -n '[range(9)] | map(. * 2) | sort'
malloc+500,write usr/bin/openssl dgst -sha256 text
malloc+100,regexec,write usr/bin/file text
write usr/bin/ninja --version
malloc+1000,write usr/bin/protoc --descriptor_set_out=/dev/stdout a.proto
malloc+100,write usr/bin/troff -Tascii text
malloc+100,write usr/bin/exiv2 none.jpg
__cxa_throw usr/bin/ledger -f none.dat bal
write usr/bin/rg 39 text
malloc+30,write usr/bin/fdfind text
malloc+30,write usr/bin/hyperfine --help
malloc+30,write usr/bin/batcat -p text
write usr/bin/gnuplot-nox -e 'print 3 * 4'
write usr/bin/tclsh8.6 f.tcl
malloc+2000 usr/bin/guile-3.0 -c '(display (map (lambda (x) (* x x)) (list 1 2 3)))'
END
plan
