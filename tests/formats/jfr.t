#!/bin/sh
# Recordings of Java Flight Recorder: one made by hand, with what real ones have
# rarely, and one of a real Java, against what jfr(1) prints.
. "${srcdir:-.}/tests/lib/tap.sh"
need_tools 'recordings of Java Flight Recorder' python3

# --- by hand ---

cat >make.py <<'END'
import struct, sys

def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127 and len(out) < 8:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])

def text(s, form=3):
    if s is None:
        return b"\0"
    if form == 4: # units of UTF-16
        u = s.encode("utf-16-be")
        return b"\4" + varint(len(u) // 2) + b"".join(
            varint(u[i] << 8 | u[i + 1]) for i in range(0, len(u), 2))
    b = s.encode("latin-1" if form == 5 else "utf-8")
    return bytes([form]) + varint(len(b)) + b

def sized(body):
    n = len(body) + 1
    while len(varint(n)) + len(body) != n:
        n += 1
    return varint(n) + body

# Classes: id, name, fields: name, class, constant, list.
classes = [
    (1, "long", []), (2, "int", []), (3, "boolean", []), (4, "java.lang.String", []), (5, "float", []), (6, "double", []),
    (10, "jdk.types.Symbol", [("string", 4, 0, 0)]),
    (11, "java.lang.Class", [("package", 1, 0, 0), ("name", 10, 1, 0)]),
    (12, "jdk.types.Method", [("type", 11, 1, 0), ("name", 10, 1, 0), ("modifiers", 2, 0, 0)]),
    (13, "jdk.types.StackFrame", [("method", 12, 1, 0), ("lineNumber", 2, 0, 0), ("bytecodeIndex", 2, 0, 0)]),
    (14, "jdk.types.StackTrace", [("truncated", 3, 0, 0), ("frames", 13, 0, 1)]),
    (15, "java.lang.Thread", [("osName", 4, 0, 0), ("osThreadId", 1, 0, 0), ("javaName", 4, 0, 0)]),
    (20, "jdk.ExecutionSample", [("startTime", 1, 0, 0), ("sampledThread", 15, 1, 0), ("stackTrace", 14, 1, 0)]),
    (21, "jdk.JavaMonitorEnter", [("startTime", 1, 0, 0), ("duration", 1, 0, 0), ("eventThread", 15, 1, 0),
        ("stackTrace", 14, 1, 0), ("load", 5, 0, 0), ("more", 6, 0, 1)]),
    (22, "jdk.Other", [("startTime", 1, 0, 0)]),
    (23, "profiler.WallClockSample", [("startTime", 1, 0, 0), ("eventThread", 15, 1, 0), ("stackTrace", 14, 1, 0),
        ("samples", 2, 0, 0)]),
    (24, "profiler.Malloc", [("startTime", 1, 0, 0), ("eventThread", 15, 1, 0), ("stackTrace", 14, 1, 0), ("size", 1, 0, 0),
        ("address", 1, 0, 0)]),
    (25, "profiler.Free", [("startTime", 1, 0, 0), ("stackTrace", 14, 1, 0), ("address", 1, 0, 0)]),
    (26, "jdk.ThreadPark", [("duration", 1, 0, 0), ("stackTrace", 14, 1, 0), ("parkedClass", 11, 1, 0), ("state", 16, 1, 0)]),
    (27, "my.Event", [("stackTrace", 14, 1, 0)]),
    (28, "jdk.CPUTimeSample", [("startTime", 1, 0, 0), ("stackTrace", 14, 1, 0), ("eventThread", 15, 1, 0), ("failed", 3, 0, 0),
        ("samplingPeriod", 1, 0, 0)]),
    (29, "jdk.CPUTimeSamplesLost", [("startTime", 1, 0, 0), ("lostSamples", 2, 0, 0), ("eventThread", 15, 1, 0)]),
    (30, "jdk.DataLoss", [("startTime", 1, 0, 0), ("amount", 1, 0, 0), ("total", 1, 0, 0)]),
    (16, "jdk.types.ThreadState", [("name", 4, 0, 0)]),
    (40, "my.Empty", []), (41, "my.List", [("list", 40, 0, 1)]),
]

def metadata():
    strings = []
    def ref(s):
        if s not in strings:
            strings.append(s)
        return varint(strings.index(s))
    def element(name, attributes, children):
        return (ref(name) + varint(len(attributes)) + b"".join(ref(k) + ref(v) for k, v in attributes) +
            varint(len(children)) + b"".join(children))
    def field(f):
        a = [("name", f[0]), ("class", str(f[1]))]
        a += [("constantPool", "true")] * f[2] + [("dimension", "1")] * f[3]
        return element("field", a, [element("annotation", [("class", "1")], [])])
    tree = element("root", [], [element("metadata", [], [
        element("class", [("id", str(i)), ("name", n)], [field(f) for f in fs]) for i, n, fs in classes]),
        element("region", [("locale", "C")], [])])
    return sized(varint(0) + varint(5) + varint(0) + varint(1) + varint(len(strings)) +
        b"".join(text(s) for s in strings) + tree)

def pool(class_id, entries):
    return varint(class_id) + varint(len(entries)) + b"".join(varint(k) + v for k, v in entries)

def frame(method, line):
    return varint(method) + varint(line) + varint(7)

def checkpoint(pools):
    pools = pools or [
        pool(4, [(9, text("Main thread"))]),
        pool(10, [(1, text("my/App")), (2, text("main")), (3, text("caf\xe9", 5)), (4, text("\u65e5\U0001f600", 4)), (5, text(None)),
            (6, text("[[J")), (7, text("[Lmy/Lock;"))]),
        pool(11, [(1, varint(0) + varint(1)), (2, varint(0) + varint(5)), (3, varint(0) + varint(6)), (4, varint(0) + varint(7))]),
        pool(16, [(3, text("STATE_SLEEPING"))]),
        pool(12, [(1, varint(1) + varint(2) + varint(0)), (2, varint(1) + varint(3) + varint(0)),
            (3, varint(2) + varint(4) + varint(0))]),
        pool(14, [(1, b"\0" + varint(2) + frame(2, 20) + frame(1, 10)),
            (2, b"\1" + varint(2) + frame(3, -1) + frame(77, 3)), (-1, b"\0\0")]),
        pool(15, [(1, b"\0" + varint(5) + b"\2" + varint(9)), (2, text("os") + varint(6) + b"\0")]),
    ]
    return sized(varint(1) + varint(5) + varint(0) + varint(0) + b"\0" + varint(len(pools)) + b"".join(pools))

def chunk(events, whole=True, pools=None):
    body = checkpoint(pools) + b"".join(events)
    meta = 68 + len(body)
    body += metadata()
    size = 68 + len(body) if whole else 0
    return b"FLR\0" + struct.pack(">HHQQQQQQQI", 2, 1, size, 68, meta, 1700000000 * 10**9, 2 * 10**9, 0, 500000000, 1) + body

def sample(thread, stack):
    return sized(varint(20) + varint(5) + varint(thread) + varint(stack))

def enter(ticks, thread, stack):
    return sized(varint(21) + varint(5) + varint(ticks) + varint(thread) + varint(stack) + bytes(4) + varint(2) + bytes(16))

events = [sample(1, 1), sample(1, 1), sized(varint(22) + varint(5)), sample(2, 2), enter(500, 1, 1), sample(1, 0)]
data = chunk(events)
def write(name, b):
    open(name, "wb").write(b)
write("hand.jfr", data)
write("two.jfr", data + data)
write("open.jfr", data + chunk(events[:1], False))
write("cut.jfr", data[:-40])
write("old.jfr", data[:5] + b"\0" + data[6:])
write("fixed.jfr", data[:67] + b"\2" + data[68:])
write("none.jfr", chunk(events[2:3]))
write("junk.jfr", data + b"junk")
def other(event, number):
    return sized(varint(event) + varint(5) + varint(1) + varint(1) + varint(number))
def malloc(time, address, size):
    return sized(varint(24) + varint(time) + varint(1) + varint(1) + varint(size) + varint(address))
def free(time, address):
    return sized(varint(25) + varint(time) + varint(0) + varint(address))
def park(ticks, class_of, state):
    return sized(varint(26) + varint(ticks) + varint(1) + varint(class_of) + varint(state))
write("async.jfr", chunk([other(23, 1), other(23, 40), malloc(1, 8, 100)]))
write("blocks.jfr", chunk([free(3, 8), malloc(1, 8, 10), malloc(5, 8, 200), malloc(2, 16, 3000), free(1, 16), free(1, 24)]))
write("park.jfr", chunk([park(50, 3, 3), park(1, 4, 9), park(2, 1, 0)] +
    [sized(varint(27) + varint(1))] * 2 + [sized(varint(27) + varint(0))]))
def cpu(ticks):
    return sized(varint(28) + varint(1) + varint(1) + varint(1) + b"\0" + varint(ticks))
def lost(n):
    return sized(varint(29) + varint(1) + varint(n) + varint(1))
def loss(n, total):
    return sized(varint(30) + varint(1) + varint(n) + varint(total))
# Bombs: constants of no bytes, lists of such, few in each chunk, and a long name of many threads.
write("count.jfr", chunk([], pools=[varint(40) + varint(1 << 60)]))
write("lists.jfr", chunk([], pools=[pool(41, [(1, varint(900000))])]) * 500)
write("name.jfr", chunk([sample(i, 1) for i in range(50000)], pools=[pool(4, [(1, text("x" * 200000))]),
    pool(14, [(1, b"\0\0")]), pool(15, [(i, b"\2" + varint(1) + b"\0\0") for i in range(50000)])]))
write("cpu.jfr", chunk([cpu(5000000), cpu(5000000), lost(3), lost(4), loss(1000, 1000), loss(24, 1024)]))
classes.append(((1 << 64) - 1, "my.Last", []))
write("last.jfr", chunk(events))
END
python3 make.py
check 'names, lines, threads, counts and times' 0 'prof-import -q hand.jfr >h; prof-text --raw h | sed "/^Mappings/,\$d"' <<'END'
PeriodType:  
Period: 0
Time: 2023-11-14 22:13:20 +0000 UTC
Duration: 2s
Samples:
samples/count[dflt] contentions/count delay/nanoseconds
          1          0          0: 
                thread:[Main thread]
          2          1       1000: 2 3 
                thread:[Main thread]
          1          0          0: 4 1 
                thread:[os]
Locations
     1: 0x0 M=1 [unknown] :3:0 s=0
     2: 0x0 M=1 my.App.café :20:0 s=0
     3: 0x0 M=1 my.App.main :10:0 s=0
     4: 0x0 M=1 日😀 :0:0 s=0
END
prof-import hand.jfr 2>err >/dev/null
check 'what is lacking is counted' 0 'cat err' <<'END'
prof-import: hand.jfr: 1 of 2 stacks are cut at their root; -XX:FlightRecorderOptions=stackdepth=N keeps more
prof-import: hand.jfr: 1 of 5 events have no stack
END
check 'a class may have any number' 0 '
	prof-import -q last.jfr | prof-text --raw >l; prof-text --raw h | cmp - l' </dev/null
check 'chunks are added up' 0 'prof-import -q two.jfr | prof-text --raw | grep -A 1 "2000"' <<'END'
          4          2       2000: 2 3 
                thread:[Main thread]
END
check 'async-profiler: events of many samples; malloc()' 0 '
	prof-import -q async.jfr | prof-text --raw | grep -A 1 "^wall"' <<'END'
wall_samples/count[dflt] malloc_calls/count malloc_space/bytes
         41          1        100: 1 2 
END
check 'blocks that were not freed, whatever their order' 0 '
	prof-import -q blocks.jfr | prof-text --raw | grep -A 1 "^malloc"' <<'END'
malloc_calls/count[dflt] malloc_space/bytes unfreed_calls/count unfreed_space/bytes
          3       3210          2       3200: 1 2 
END
check 'classes and states are labels; other events with a stack are counted' 0 '
	prof-import park.jfr 2>err | prof-text --raw | sed -n "/^parks/,/^Locations/p"; cat err' <<'END'
parks/count[dflt] park_delay/nanoseconds
          1        100: 1 2 
                class:[long[][]] state:[STATE_SLEEPING]
          1          4: 1 2 
                class:[my.App]
          1          2: 1 2 
                class:[my.Lock[]]
Locations
prof-import: park.jfr: 2 events of other kinds with stacks are left out, 2 of them my.Event
END
check 'samples of CPU time have a time; what the JVM lost is said' 0 '
	prof-import cpu.jfr 2>err | prof-text --raw | grep -A 1 "^cpu"; cat err' <<'END'
cpu_time_samples/count[dflt] cpu/nanoseconds
          2   20000000: 1 2 
prof-import: cpu.jfr: 7 samples of CPU time were lost by the JVM
prof-import: cpu.jfr: 1024 bytes of events were lost: the JVM's buffers were full
END
check 'a chunk that was not finished' 0 'prof-import open.jfr 2>&1 >h | grep -o "the last of.*"
	prof-text --raw h | grep -c "3          1       1000"' <<'END'
the last of 2 chunks was not finished: events are missing
1
END
check_err 'the end is missing' 2 'prof-import cut.jfr' 'cut.jfr: jfr: damaged metadata in the chunk at byte 0'
check_err 'a recording of JDK 8' 2 'prof-import old.jfr' 'jfr: version 0 of the format; record with JDK 9 or later'
check_err 'without compressed integers' 2 'prof-import fixed.jfr' 'jfr: a recording without compressed integers'
check_err 'no samples' 2 'prof-import none.jfr' 'jfr: no samples, allocations or contended monitors'
check_err 'what follows a chunk' 2 'prof-import junk.jfr' 'jfr: no chunk at byte'
check_err 'constants of no bytes' 2 'ulimit -t 10; prof-import count.jfr' 'jfr: damaged constants in the chunk at byte 0'
for f in lists name; do
	check_err "much work of few bytes: $f" 2 "ulimit -t 10; prof-import $f.jfr" \
		"$f.jfr: jfr: too much work for a file of its size"
done
check_err 'other readers name it' 2 'prof-text hand.jfr' 'a file of format jfr; use prof-import'

# --- of Java ---

if have java && have javac && have jfr; then
	cat >App.java <<'END'
import java.util.HashMap;

public class App {
	static final Object lock = new Object();
	static long sink;
	static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
	static void fill(int n) {
		HashMap<String, Integer> m = new HashMap<>();
		for (int i = 0; i < n; i++)
			m.put("k" + i, i);
		sink += m.size();
	}
	static void wait(int ms) throws Exception { synchronized (lock) { Thread.sleep(ms); } }
	public static void main(String[] args) throws Exception {
		long end = System.currentTimeMillis() + 1500;
		Thread[] t = new Thread[3];
		for (int i = 0; i < 3; i++) {
			int k = i;
			t[i] = new Thread(() -> {
				try {
					while (System.currentTimeMillis() < end)
						if (k == 0)
							sink += fib(25);
						else {
							fill(10000);
							wait(25);
						}
				} catch (Exception e) {
				}
			}, "worker \u00e9 " + i);
			t[i].start();
		}
		for (Thread x : t)
			x.join();
	}
}
END
	# The compiler of short runs only: half the time was the other's.
	javac -J-XX:-UsePerfData -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC App.java >javac.log 2>&1 &&
		java -XX:-UsePerfData -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:StartFlightRecording=filename=app.jfr,settings=profile App >java.log 2>&1
	cat >theirs.py <<'END'
import collections, json, re
columns = {"jdk.ExecutionSample": ("samples", None), "jdk.NativeMethodSample": ("native_samples", None),
    "jdk.ObjectAllocationSample": ("alloc_samples", "alloc_space"), "jdk.JavaMonitorEnter": ("contentions", "delay"),
    "jdk.JavaMonitorWait": ("monitor_waits", "monitor_wait_delay"), "jdk.ThreadPark": ("parks", "park_delay"),
    "jdk.ThreadSleep": ("sleeps", "sleep_delay"), "jdk.CPUTimeSample": ("cpu_time_samples", "cpu"),
    "jdk.MethodTrace": ("traced_calls", "traced_time")}
sums = collections.Counter()
def duration(s):
    m = re.fullmatch(r"PT(?:(\d+)M)?(?:([0-9.]+)S)?", s)
    return int(m.group(1) or 0) * 60 * 10**9 + round(float(m.group(2) or 0) * 10**9)
def program(s):
    s = s.replace("/", ".")
    n = len(s) - len(s.lstrip("["))
    base = dict(B="byte", C="char", D="double", F="float", I="int", J="long", S="short", Z="boolean")
    return (base.get(s[n:]) or s[n + 1:-1] if n else s) + n * "[]"
for e in json.load(open("app.json"))["recording"]["events"]:
    v = e["values"]
    if e["type"] not in columns:
        continue
    labels = ""
    of = v.get("objectClass") or v.get("monitorClass") or v.get("parkedClass")
    if of and of["name"]:
        labels += " class:[%s]" % program(of["name"])
    if v.get("state"):
        labels += " state:[%s]" % v["state"]
    of = v.get("sampledThread") or v.get("eventThread")
    if of and (of["javaName"] or of["osName"]):
        labels += " thread:[%s]" % (of["javaName"] or of["osName"])
    stack = labels.strip()
    for f in reversed((v["stackTrace"] or {"frames": []})["frames"]):
        m, name = f["method"], "[unknown]"
        if m and m["name"]:
            name = (program(m["type"]["name"]) + "." if m["type"] and m["type"]["name"] else "") + m["name"]
        stack += ";%s:%d" % (name, max(f["lineNumber"] or 0, 0))
    count, value = columns[e["type"]]
    sums[count, stack] += 1
    if value:
        sums[value, stack] += v["weight"] if "weight" in v else duration(v.get("samplingPeriod") or v["duration"])
for (column, stack), n in sorted(sums.items()):
    if n:
        print(column, stack, n)
END
	cat >ours.py <<'END'
import re, sys
raw = open("app.raw", encoding="utf-8").read()
head, rest = raw.split("Samples:\n")
samples, locations = rest.split("Locations\n")
name = {}
for l in locations.split("Mappings")[0].splitlines():
    m = re.match(r" *(\d+): 0x0 (?:M=\d+ )?(.*) :(\d+):0 s=0$", l)
    name[m.group(1)] = m.group(2) + ":" + m.group(3)
lines = samples.splitlines()
columns = [c.split("/")[0] for c in lines[0].split()]
out = []
for l, label in zip(lines[1:], lines[2:] + [""]):
    m = re.match(r" *((?:-?\d+ +)*-?\d+):((?: \d+)*) *$", l)
    if not m:
        continue
    label = label.strip() if re.match(r" +(class|state|thread):\[", label) else ""
    text = ";".join([label] + [name[n] for n in reversed(m.group(2).split())])
    out += ["%s %s %s" % (c, text, v) for c, v in zip(columns, m.group(1).split()) if v != "0"]
print("\n".join(sorted(out)))
END
	jfr -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC print --json --stack-depth 2048 --events 'jdk.ExecutionSample,jdk.NativeMethodSample,jdk.CPUTimeSample,jdk.ObjectAllocationSample,jdk.JavaMonitor*,jdk.Thread*,jdk.MethodTrace' \
		app.jfr >app.json 2>jfr.err
	prof-import -q app.jfr | prof-text --raw >app.raw
	PYTHONIOENCODING=utf-8 python3 theirs.py 2>theirs.err | LC_ALL=C sort >want
	PYTHONIOENCODING=utf-8 python3 ours.py 2>ours.err | LC_ALL=C sort >got
	if [ -s app.json ]; then
		grep -q 'App.fib' want && cmp -s want got && ok 'the stacks, threads, lines and values of jfr print' ||
			{ diff want got | head -20; cat theirs.err ours.err; } | not_ok 'the stacks, threads, lines and values of jfr print'
		[ "$(cut -d ' ' -f 1 want | sort -u | grep -cE '^(samples|alloc_space|delay)$')" = 3 ] &&
			grep -q 'class:.*state:\|class:.* thread:' want && ok 'of running, allocations and monitors' ||
			cut -d ' ' -f 1 want | sort -u | not_ok 'of running, allocations and monitors'
	else
		skip 'a recording of Java' 'jfr print --json does not work'
	fi
else
	skip 'a recording of Java' 'no java, javac or jfr'
fi

for f in *.jfr; do
	found "$f" || continue
	printf '\000' | cat - "$f" >"fuzz.$f"
done
check 'fuzz-foreign: these files' 0 'fuzz-foreign fuzz.* 2>/dev/null' <<'END'
END
plan
