# foreign.t - copies of stacks of arm64, walked here, compared with gdb-multiarch's
# stacks of the same stopped program, under qemu. With signed return addresses,
# which gdb does not know there, they must be as without.
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

cat >stop.py <<'END'
import gdb, struct
def reg(name):
    return int(gdb.parse_and_eval("$" + name)) & (1 << 64) - 1
gdb.execute("target remote stop.socket")
gdb.execute("break leaf")
gdb.execute("continue")
with open("gdb.names", "w") as f:
    frame = gdb.newest_frame()
    while frame:
        f.write("%s\n" % frame.name())
        frame = frame.older()
regs = [reg("x%d" % i) for i in range(31)] + [reg("sp"), reg("pc")]
stack = b""
try:
    while len(stack) < 60 * 1024:
        stack += bytes(gdb.selected_inferior().read_memory(regs[31] + len(stack), 1024))
except gdb.MemoryError:
    pass
# PERFILE2: one event with registers and stacks; a program, its code, a sample.
def q(*v):
    return struct.pack("<%dQ" % len(v), *v)
def text(s):
    return s.encode() + bytes(8 - len(s) % 8)
def record(kind, body):
    return struct.pack("<IHH", kind, 2, (8 + len(body)) & 65535) + body

attr = struct.pack("<IIQQQQQIIQQQQIiQIHH", 1, 112, 0, 1000000, 0x3007, 0, 0x300,
                   0, 0, 0, 0, 0, (1 << 33) - 1, len(stack), 0, 0, 0, 0, 0) + q(0, 0)
data = record(3, struct.pack("<II", 7, 7) + text("prog"))
data += record(1, struct.pack("<II", 7, 7) + q(0x400000, 0x100000, 0) + text(gdb.current_progspace().filename))
data += record(9, q(regs[32]) + struct.pack("<II", 7, 7) + q(1000, 2, *regs) +
               q(len(stack)) + stack + q(len(stack)))
with open("perf.data", "wb") as f:
    f.write(b"PERFILE2" + q(104, len(attr), 104, len(attr), 104 + len(attr), len(data), 0, 0, 0, 0, 0, 0))
    f.write(attr + data)
gdb.execute("kill")
END

# names CPU FLAG...: stop prog in leaf(): its frames by gdb in gdb.names, by us in ours
names() {
	cpu=$1
	shift
	rm -f perf.data
	"$cc" -static -O2 "$@" -o prog prog.c 2>why || return 1
	qemu-aarch64 -cpu "$cpu" -g "$PWD/stop.socket" ./prog >qemu.out 2>&1 &
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ ! -S stop.socket ] || break
		sleep 0.2
	done
	timeout 60 gdb-multiarch -q -nx -batch -x stop.py ./prog >gdb.out 2>&1
	wait
	rm -f stop.socket
	cat gdb.out >why
	[ -s perf.data ] || return 1
	prof-import -q perf.data | prof-symbolize -q | prof-text --folded 2>>why |
		sed 's/ [0-9]*$//' | tr ';' '\n' | tac | sed 's/\.[0-9]*$//; /^main$/q' >ours
}

while read -r how cpu flags; do
	# shellcheck disable=SC2086 # words
	if names "$cpu" $flags && [ "$how" = signed ] &&
		grep -q '^main$' want && cmp -s want ours; then
		ok "signed return addresses: $(wc -l <ours) frames"
	elif [ "$how" = plain ] && cp gdb.names want && [ "$(wc -l <want)" -gt 6 ] && cmp -s want ours; then
		ok "as gdb, with $flags: $(wc -l <ours) frames"
	else
		diff want ours >>why 2>&1
		not_ok "$how, $flags" <why
	fi
done <<'END'
plain cortex-a57 -fomit-frame-pointer
plain cortex-a57 -fno-omit-frame-pointer
plain cortex-a57 -fomit-frame-pointer -mbranch-protection=standard
signed max -fomit-frame-pointer -mbranch-protection=standard
plain cortex-a57 -fomit-frame-pointer -fno-asynchronous-unwind-tables -g
END
plan
