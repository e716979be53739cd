# python.t - functions of Python in stacks: every line of every frame, and shares,
# against what the program itself saw and measured. Of python3, and of the programs in
# PROF_PYTHONS, if these are other versions.
# Slow: it samples programs for seconds.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"
. "$src/tests/lib/interp.sh"

pythons='' seen=''
# With $long, also those of other releases of Debian.
others python
for python in python3 /usr/bin/python3 $PROF_PYTHONS $others; do
	real=$(readlink -f "$(command -v "$python")")
	case " $seen " in *" $real "*) continue ;; esac
	"$python" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info < (3, 15))' \
		2>/dev/null && pythons="$pythons $python" seen="$seen $real"
done

# Work of known cost, in all ways in which Python calls Python. Each place where it is
# done notes its stack, as tracebacks show it, and the CPU time that it took.
cat >known.py <<'END'
import asyncio
import ctypes
import functools
import sys
import threading
import time

clock = time.thread_time
spent = {}

def burn(ms, depth=0):
    frame = sys._getframe(1)
    names = []
    while frame:
        code = frame.f_code
        if code.co_filename == __file__:
            name = getattr(code, "co_qualname", code.co_name)
            names.append("%s:%d" % (name, frame.f_lineno))
        frame = frame.f_back
    key = ";".join(reversed(names))
    start = now = clock()
    while now < start + ms / 1000:
        for i in range(50):
            now = now * 1
        now = clock()
    spent[key] = spent.get(key, 0) + now - start

class Shop:
    def buy(self, ms):
        burn(ms)

    @staticmethod
    def sell(ms): burn(ms)

    @property
    def price(self):
        burn(30)

    def __getattr__(self, name):
        burn(30)

def nested(ms):
    def inner():
        def innermost():
            burn(ms)
        innermost()
    inner()

def generate(ms):
    burn(ms)
    yield 1
    for i in (1, 2):
        burn(ms)
        yield i

def delegate(ms):
    yield from generate(ms)

def recurse(n, ms):
    if n:
        return recurse(n - 1,
                       ms)
    burn(ms)

async def wait(ms):
    await asyncio.sleep(0)
    burn(ms)

async def gather(ms):
    await asyncio.gather(wait(ms), wait(ms))
    async for i in arange(ms):
        pass

async def arange(ms):
    burn(ms)
    yield 1

def handle(ms):
    try:
        raise ValueError
    except ValueError:
        burn(ms)
    finally:
        burn(ms)

def by_c(ms):
    sorted([1], key=lambda i: burn(ms))
    list(map(Shop().buy, [ms]))
    functools.partial(burn, ms)()

def by_ctypes(ms):
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)

    def compare(a, b):
        burn(ms)
        return 0
    ctypes.CDLL(None).qsort((ctypes.c_int * 2)(1, 2), ctypes.c_size_t(2),
                            ctypes.c_size_t(4), kind(compare))

def main():
    Shop().buy(150)
    Shop.sell(60); Shop().price
    Shop().other
    nested(60)
    list(generate(30)); list(delegate(30))
    recurse(
        100, 60)
    asyncio.run(gather(60))
    [burn(ms) for ms in (30, 30)]
    {burn(ms): 1 for ms in (30, 30)}
    handle(30)
    by_c(60)
    by_ctypes(60)
    exec("burn(60)\n")
    thread = threading.Thread(target=nested, args=(60,), name="über")
    thread.start()
    thread.join()

if __name__ == "__main__":
    main()
    for key, s in spent.items():
        print("%.6f" % s, key)
END

# in_order: C called by Python called by C, each in its place: Python's sort calls a
# function of Python, and so does qsort() by ctypes and libffi. No evaluator is left.
in_order() {
	prof-record -q -F 500 --interp=mixed -o known.pb.gz "$1" "$PWD/known.py" >truth || return 2
	prof-symbolize known.pb.gz -o named.pb.gz 2>/dev/null || return 2
	prof-text --folded --sample-index=samples named.pb.gz |
		awk -v ns="$(signal_ns known.pb.gz)" "$chance"'
		FILENAME == "truth" { spent += $1 * 1e9; next }
		/known\.burn/ { all += $NF }
		/known\.burn/ && /EvalFrameDefault.*known\.burn/ { left += $NF }
		/;known\.by_ctypes;.*(qsort|libc).*;known\.[^;]*compare;(.*;)?known\.burn/ {
			ctypes += $NF
		}
		/;known\.by_c;(.*sort.*;|.*python.*;)known\.[^;]*<lambda>;(.*;)?known\.burn/ {
			c += $NF
		}
		END {
			print all, "signals, with an evaluator", left + 0, \
				"through ctypes", ctypes + 0, "through a sort", c + 0
			# Either sort has 60 ms.
			exit !(chance_count(all, spent / ns) && chance_most(left, all, 1e-4) &&
				chance_count(ctypes + 0, 6e7 / ns) && chance_count(c + 0, 6e7 / ns))
		}' truth -
}

if [ -z "$pythons" ]; then
	skip 'functions of Python' 'no Python of 3.8 to 3.14'
	plan
	exit
fi
if ! seccomp sees; then
	skip 'functions of Python' 'a seccomp filter: no functions of interpreters'
	plan
	exit
fi

for python in $pythons; do
	version=$("$python" -c 'import platform; print(platform.python_version())')
	live "$version: each place has its share, each frame its line" \
		truth --interp=only "$python" "$PWD/known.py"
	live "$version: C and Python are in order" in_order "$python"
done

python=${pythons##* }
live 'mixed, from the clock of perf_event' truth --interp=mixed --clock=perf "$python" "$PWD/known.py"

# asleep: threads that sleep, and their callers.
cat >sleepers.py <<'END'
import threading, time
def nap():
    time.sleep(0.5)
def doze():
    nap()
start = time.monotonic()
threads = [threading.Thread(target=doze) for i in range(3)]
[t.start() for t in threads]
join = time.monotonic()
[t.join() for t in threads]
end = time.monotonic()
print(end - start, end - join)
END
asleep() {
	prof-record -q --clock=wall -F 100 -o wall.pb.gz "$1" "$PWD/sleepers.py" >took || return 2
	prof-text --folded --lines --sample-index=wall wall.pb.gz |
		awk "$chance"'
		FILENAME == "took" { took = $1; joining = $2; next }
		/sleepers\.doze [^;]*:5;.*sleepers\.nap [^;]*:3/ { naps += $NF / 1e7 }
		/sleepers\.<module> [^;]*:10;/ { joins += $NF / 1e7 }
		END {
			print naps, "looks at 3 x 0.5 s asleep, of", took, "s;", joins, \
				"at", joining, "s joining"
			exit !(chance_ticks(naps, naps, 150, 300 * took, 6, 2) &&
				chance_ticks(joins, joins, 100 * joining, 100 * joining, 2, 2))
		}' took -
}
live 'threads that sleep, by the wall clock' asleep "$python"

# allocated: the functions that allocate.
cat >hoard.py <<'END'
def hoard():
    return [bytearray(100000) for i in range(300)]
kept = hoard()
END
allocated() {
	prof-record -q --heap=1 -o heap.pb.gz "$1" "$PWD/hoard.py" || return 2
	prof-text --folded --lines --sample-index=alloc_space heap.pb.gz |
		awk '/hoard\.<module> [^;]*:3;.*hoard\.hoard [^;]*:2/ { n += $NF }
		END { print n; exit !(n >= 30000000 && n < 33000000) }'
}
live 'functions that allocate' allocated "$python"

# contend: threads that wait for the interpreter's own lock, as long as they neither ran nor
# were ready to; with --lock, also while they were.
cat >contend.py <<'END'
import threading, time
waited = []
ready = []
def run():
    return [int(ns) / 1e9 for ns in open("/proc/thread-self/schedstat").read().split()[:2]]
def spin():
    wall, ran, cpu = time.perf_counter(), run(), time.thread_time()
    while time.thread_time() - cpu < 0.3:
        sum(range(500))
    end = run()
    ready.append(end[1] - ran[1])
    waited.append(time.perf_counter() - wall - (end[0] - ran[0]) - ready[-1])
threads = [threading.Thread(target=spin) for _ in range(3)]
for t in threads: t.start()
for t in threads: t.join()
print(sum(waited), sum(ready))
END
# contend TYPE PYTHON OPTION...
contend() {
	type=$1 contender=$2
	shift 2
	prof-record -q "$@" -o gil.pb.gz "$contender" "$PWD/contend.py" >waited || return 2
	prof-text --folded --sample-index=$type gil.pb.gz | awk -v type=$type '
		FILENAME == "waited" { waited = $1; most = $1 + (type == "delay" ? $2 : 0); next }
		/contend\.spin;(.*;)?\[waiting for the GIL\]/ { gil += $NF / 1e9 }
		/\[waiting for the GIL\]/ { all += $NF / 1e9 }
		END {
			print gil, "s for the GIL in spin(), of", all, "; it says", waited, "to", most
			exit !(gil > waited * 0.6 && all < most * 1.2)
		}' waited -
}
live 'waits for the interpreter'"'"'s lock' contend wall "$python" --clock=wall -F 100
live 'the same, as waits for a lock' contend delay "$python" --lock

# locked: waits for a lock, as long as the program says; less what its threads ran then, or
# were ready to. They want the interpreter's own lock, too, while another one does.
cat >locked.py <<'END'
import threading, time
lock = threading.Lock()
waited = []
def hold():
    start = time.monotonic()
    lock.acquire()
    waited.append(time.monotonic() - start)
    time.sleep(0.05)
    lock.release()
    ran = open("/proc/thread-self/schedstat").read().split()
    busy.append((int(ran[0]) + int(ran[1])) / 1e9)
busy = []
threads = [threading.Thread(target=hold) for i in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(sum(waited), 4 * sum(busy))
END
locked() {
	prof-record -q --lock -o lock.pb.gz "$1" "$PWD/locked.py" >truth || return 2
	prof-text --folded --lines --sample-index=delay lock.pb.gz | awk '
		FILENAME == "truth" { truth = $1; room = $2; next }
		/locked\.hold [^;]*:6/ { s += $NF / 1e9 }
		END {
			print s, "of", truth, "s, room", room
			exit !(s > truth - room && s < truth + room)
		}' truth -
}
live 'waits for a lock' locked "$python"

# workers: forked processes, as web servers have.
cat >workers.py <<'END'
import os, time
def work(ms):
    end = time.process_time() + ms / 1000
    while time.process_time() < end:
        pass
for ms in (100, 200, 300):
    if os.fork() == 0:
        work(ms)
        os._exit(0)
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
END
live 'forked workers' workers "$python" "$PWD/workers.py"

# What the interpreter does after the program: as long as the program did not see. The
# kernel's part of it has no sample, or is elsewhere.
cat >leaves.py <<'END'
import time
kept = [{i: str(i)} for i in range(400000)]
print(time.process_time())
END
leaves() {
	prof-record -q -F 500 -o leaves.pb.gz "$1" "$PWD/leaves.py" >used || return 2
	prof-text --comments leaves.pb.gz >>used
	prof-text --folded --sample-index=cpu leaves.pb.gz | awk '
		FILENAME == "used" && NF == 1 { own = $1; next }
		FILENAME == "used" { sub(/.*cpu_used=/, ""); all = $1; next }
		/\[Python exits\]/ { at_end += $NF / 1e9 }
		/\[Python starts\].*leaves\./ { wrong++ }
		END {
			print at_end + 0, "s at the end, of", all - own, "of", all
			exit !(at_end > 0.4 * (all - own) && at_end < all - own + 0.02 && !wrong)
		}' used -
}
live 'what Python does when it exits' leaves "$python"

cat >compiles.py <<'END'
import time
text = "".join("x%d = f(%d) + y[%d].z\n" % (i, i, i) for i in range(3000))
def works():
    for i in range(10):
        compile(text, "text", "exec")
def burn():
    end = time.process_time() + 0.2
    while time.process_time() < end:
        pass
burn()
works()
END
live 'code that is compiled' does 'Python compiles' "$python" "$PWD/compiles.py"

# The interpreter's own C functions are left out, also if the kernel's sampler has met its
# file first: in a process that has no libsample.
real=$(readlink -f "$(command -v "$python")")
apart='import time
while time.process_time() < 0.2: sorted(str(i) for i in range(999))'
check 'no function of the interpreter itself, whichever sampler met it first' 0 "
	prof-record -q -o only.pb.gz sh -c 'env -i \"\$1\" -c \"\$0\"
		\"\$1\" -c \"\$0\"' '$apart' $real
	prof-text --folded only.pb.gz | awk '/;<string>.<genexpr>/ { seen = 1 }
		/<string>/ && /[[;]([^;]*\/)?(lib)?python3/ { left++ } END { print seen, left + 0 }'" <<'END'
1 0
END

check 'switched off' 0 "prof-record -q --interp=off -o off.pb.gz $python -c 'import known; known.burn(200)' &&
	prof-text --raw off.pb.gz | awk '/\[python\]|burn/ { n++ } END { print n + 0 }'" <<'END'
0
END

check 'with --jit, Python that is read is not asked for names' 0 "prof-record --jit -o jit.pb.gz \\
	$python -c 'import os; print(os.environ.get(\"PYTHONPERFSUPPORT\"))' 2>err
	grep -e --jit: err || true" <<'END'
None
END

# An interpreter by name, whose functions are not read.
cp "$(command -v awk)" perl
check 'an interpreter that is not read is named' 0 "prof-record -o perl.pb.gz \\
	./perl 'BEGIN { for (i = 0; i < 5000000; i++) x += i }' 2>&1 |
	sed 's/.*[0-9] % of/most of/'" <<'END'
most of the samples are in perl, whose own functions are not read: stacks have those of C
END

# outside PYTHON: sampled by its number.
outside() {
	"$1" -c 'while True: pass' &
	pid=$!
	prof-record --pid=$pid --seconds=1 -o pid.pb.gz 2>err
	status=$?
	kill $pid
	wait $pid 2>/dev/null
	cat err
	grep -q 'perf_event' err && return 77
	[ $status -eq 0 ] || return 2
	grep -q 'samples are in python, whose own functions only libsample reads' err
}
live 'Python from outside: the remedy is named' outside "$python"

# by_option REMEDY OPTION: the option has the kernel sample a command.
by_option() {
	prof-record "$2" -o option.pb.gz "$python" -c 'for i in range(5000000): pass' 2>err
	status=$?
	cat err
	grep -q 'perf_event' err && return 77
	[ $status -eq 0 ] || return 2
	grep -q "samples are in python, .* only libsample reads: record it without $1\$" err
}
for option in sampler=perf event=cpu-clock label=cpu; do
	remedy=--${option%=cpu-clock}
	[ $option != label=cpu ] || remedy='--label=cpu, cgroup or container'
	live "Python by the kernel: $option is the reason" by_option "$remedy" --$option
done
live 'Python by the kernel: --offcpu is the reason' \
	by_option '--offcpu; --clock=wall shows waits' --offcpu

# As in a container, whose filter lets memory be read, refuses it, or kills for it.
seccomp allow true
if [ $? -eq 77 ]; then
	skip 'under a filter of system calls' 'none can be installed as root does'
else
	check 'under a filter of system calls that allows it, functions are read' 0 \
		"seccomp allow prof-record -q --clock=wall -o filter.pb.gz $python sleepers.py >took
		prof-text -q --folded --lines --sample-index=wall filter.pb.gz |
			grep -m 1 -c 'sleepers.doze [^;]*:5;.*sleepers.nap [^;]*:3'" <<'END'
1
END
	for how in errno kill; do
		check "with $how it is said that they are not, and nothing is killed" 0 \
			"seccomp $how prof-record -o filter.pb.gz $python -c 'import known; known.burn(200)' 2>&1 |
			grep -o 'the functions of its interpreter.*'" <<'END'
the functions of its interpreter are not read: a filter of system calls (seccomp) forbids to read them, or might kill for it
END
	done
fi

# Code that is made, run and dropped without end: names are counted, not kept for ever.
cat >storm.py <<'END'
import time
end = time.process_time() + 1.0
n = 0
spent = 0
start = 0
while start < end:
    space = {}
    exec("def made(n):\n    s = 0\n%s    for i in range(n): s += i\n    return s\n".replace(
        "made", "made_%d" % n) % ("\n" * (n % 50)), space)
    start = time.process_time()
    space["made_%d" % n](2000)
    spent += time.process_time() - start
    n += 1
print(spent)
END
storm() {
	prof-record -q -F 1000 -o storm.pb.gz "$1" "$PWD/storm.py" >spent || return 2
	prof-text --folded --lines --sample-index=samples storm.pb.gz |
		awk -v spent="$(cat spent)" -v ns="$(signal_ns storm.pb.gz)" "$chance"'
		match($0, /made_[0-9]+ <string>:[0-9]+/) {
			split(substr($0, RSTART + 5, RLENGTH - 5), part, / <string>:/)
			all += $NF
			line = part[1] % 50 + 3
			if (part[2] != line && part[2] != line + 1 && part[2] != 2)
				wrong += $NF
		}
		/not read/ { unread += $NF }
		END {
			print all, "signals in functions that were made, wrong", wrong + 0, \
				"not read", unread + 0
			exit !(wrong == 0 && chance_most(unread + 0, all + unread, 0.01, 2) &&
				chance_count(all, spent * 1e9 / ns, 2))
		}'
}
live 'functions that are made in a loop' storm "$python"

# The first thread is behind 1,100 others in the list, of which 1,024 are searched.
cat >many.py <<'END'
import threading, time

begin, end = threading.Event(), threading.Event()

def first():
    begin.wait()
    stop = time.thread_time() + 0.3
    while time.thread_time() < stop:
        pass

threading.stack_size(65536)
threads = [threading.Thread(target=f) for f in [first] + 1100 * [end.wait]]
for t in threads:
    t.start()
begin.set()
threads[0].join()
end.set()
END
many() {
	prof-record -q -F 100 -o many.pb.gz "$1" many.py || return 2
	prof-text --raw many.pb.gz 2>/dev/null | sed -n 's/.*\(unread=[0-9]*\).*/\1/p' |
		awk -F= '{ print; n = $2 } END { exit !(n > 0) }'
}
live 'a thread that is not found is reported' many "$python"

plan
