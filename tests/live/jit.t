# jit.t - programs whose code is compiled at run time, by the recipes of the
# manual page: node and java with perf maps, by both samplers.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

need_symbols 'code compiled at run time'
[ "$(uname -m)" = x86_64 ] || skip_rest 'code compiled at run time' 'on x86_64 only'

# Three parts of work in one function, one in the other, after both have been
# compiled; printed is the CPU time that each had.
cat >busy.js <<'END'
function jit_a(n) { let x = 0; for (let i = 0; i < n; i++) x = (x * 31 + i) | 0; return x; }
function jit_b(n) { let x = 1; for (let i = 0; i < n; i++) x = (x * 31 + i) | 0; return x; }
function used() { const u = process.cpuUsage(); return u.user + u.system; }
for (let i = 0; i < 2000; i++) { jit_a(1000); jit_b(1000); }
let a = 0, b = 0;
for (let i = 0; i < 250; i++) {
	const begin = used();
	jit_a(900000);
	const middle = used();
	jit_b(300000);
	a += middle - begin;
	b += used() - middle;
}
console.log(a, b);
END
cat >Busy.java <<'END'
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
class Busy {
	static int x;
	static void jit_a(int n) { for (int i = 0; i < n; i++) x = x * 31 + i; }
	static void jit_b(int n) { for (int i = 0; i < n; i++) x = x * 31 + i; }
	public static void main(String[] args) {
		ThreadMXBean bean = ManagementFactory.getThreadMXBean();
		long a = 0, b = 0;
		for (int i = 0; i < 20000; i++) {
			jit_a(100);
			jit_b(100);
		}
		for (int i = 0; i < 600; i++) {
			long begin = bean.getCurrentThreadCpuTime();
			jit_a(900000);
			long middle = bean.getCurrentThreadCpuTime();
			jit_b(300000);
			a += middle - begin;
			b += bean.getCurrentThreadCpuTime() - middle;
		}
		System.out.println(a + " " + b);
	}
}
END

# The maps are where the protocol wants them, named by processes that sampling
# names: those are ours, whatever has become of the row.
remove_maps() {
	[ -s jit.pb.gz ] && gzip -dc jit.pb.gz | grep -ao 'pid: [0-9]*' |
		sed 's|.* \(.*\)|/tmp/perf-\1.map|' | xargs -r rm -f
	sed 's|.*|/tmp/perf-&.map|' pid 2>/dev/null | xargs -r rm -f
}
trap 'cd "$scratch" && remove_maps; rm -rf "$scratch"' EXIT

# recipe SAMPLER COMMAND...: have both functions the shares that they measured, and
# are their stacks whole?
recipe() {
	recipe_by=$1
	shift
	remove_maps
	prof-record -q --sampler="$recipe_by" -F 997 -o jit.pb.gz \
		sh -c 'echo $$ >pid; exec "$@"' sh "$@" >known 2>log || return 2
	cat log
	prof-symbolize -q jit.pb.gz | prof-text -q --nodecount=0 --sample_index=0 >top ||
		return 2
	prof-text --raw jit.pb.gz | sed -n 's/.*# sampling: .* ticks=\([0-9]*\) .* unwind_failed=\([0-9]*\) .*/\1 \2/p' >said
	cat known said top | awk "$chance"'
		NR == 1 { share = $1 / ($1 + $2); next }
		NR == 2 { ticks = $1; failed = $2; next }
		/jit_a/ { a += $1 }
		/jit_b/ { b += $1 }
		END {
			printf "jit_a has %d of %d signals, and %.1f %% of the time; of %d ticks %d without stack\n",
			       a, a + b, 100 * share, ticks, failed
			exit !(a + b >= 50 && chance_share(a, a + b, share) &&
			       failed * 5 < ticks)
		}'
}

# recipes NAME COMMAND...
recipes() {
	name=$1
	shift
	for sampler in preload perf; do
		if prof-record -q --sampler=$sampler -o try.pb.gz true 2>log; then
			live "$name, $sampler" recipe $sampler "$@"
		else
			skip "$name, $sampler" "$(head -1 log)"
		fi
	done
}

if ! have node; then
	skip 'node' 'no node'
else
	recipes 'node --perf-basic-prof' node --perf-basic-prof busy.js
	# The example of the manual, and a jitdump, which node writes to where it is.
	cat >app.js <<'END'
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
while (process.cpuUsage().user < 400000)
	fib(25);
END
	named_by() {
		remove_maps
		prof-record -q -o jit.pb.gz sh -c 'echo $$ >pid; exec "$@"' sh node "$@" app.js ||
			return 2
		read -r pid <pid
		case $* in *--perf-prof) set -- --jit=jit-$pid.dump ;; *) set -- ;; esac
		prof-symbolize -q "$@" jit.pb.gz | addrs names | grep 'fib .*app.js:1'
	}
	# --jit: with names at once; a variable that is set stays.
	asked() {
		remove_maps
		prof-record --jit --symbolize -o jit.pb.gz sh -c 'echo $$ >pid; exec node app.js' \
			2>log || return 2
		grep -c -- "--jit: node ran with NODE_OPTIONS=--perf-basic-prof; it leaves /tmp/perf-$(cat pid).map, and isolate-\*-v8.log where it ran" log
		addrs names <jit.pb.gz | grep 'fib .*app.js:1'
	}
	kept() {
		remove_maps
		NODE_OPTIONS=--max-old-space-size=1000 prof-record --jit -o jit.pb.gz \
			node app.js 2>log || return 2
		cat log
		grep -q -- '--jit: NODE_OPTIONS is set and kept; for the names of .* add --perf-basic-prof' log
	}
	live '--jit: node writes names' asked
	live '--jit keeps a variable that is set, and says so' kept
	live 'node: its functions by the perf map' named_by --perf-basic-prof
	live 'node: its functions by the jitdump' named_by --perf-prof
fi
if have mono mcs; then
	cat >app.cs <<'END'
class P {
	static int Fib(int n) { return n < 2 ? n : Fib(n - 1) + Fib(n - 2); }
	static void Main() { System.Console.WriteLine(Fib(38)); }
}
END
	# shellcheck disable=SC2016 # the shell of the recording expands it
	by_mono() {
		remove_maps
		prof-record --jit --symbolize -o jit.pb.gz sh -c 'echo $$ >pid; exec mono app.exe' \
			2>log || return 2
		grep -c -- '--jit: mono ran with MONO_ENV_OPTIONS=--jitmap' log
		addrs names <jit.pb.gz | grep 'P:Fib'
	}
	if mcs app.cs >log 2>&1; then
		live '--jit: mono writes names' by_mono
	else
		skip '--jit: mono writes names' "$(head -1 log)"
	fi
else
	skip '--jit: mono writes names' 'no mono, or no mcs'
fi
# A runtime that has no list: the reason, with the share of the time.
cat >app.lua <<'END'
local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end
local begin = os.clock()
while os.clock() - begin < 0.4 do fib(20) end
END
by_luajit() {
	prof-record --jit -o jit.pb.gz luajit app.lua 2>log || return 2
	cat log
	! grep -q -- '--jit: luajit' log &&
		grep -q '[0-9] % of the samples are in code that luajit made .* without names: it writes none' log
}
if have luajit; then
	live 'luajit: why it has no names' by_luajit
else
	skip 'luajit: why it has no names' 'no luajit'
fi
if ! have java javac; then
	skip 'java' 'no java, or no javac'
elif ! javac Busy.java 2>log; then
	skip 'java' "$(head -1 log)"
elif ! sh -c 'echo $$ >pid; exec java -XX:+UnlockDiagnosticVMOptions \
	-XX:+DumpPerfMapAtExit -version' >log 2>&1; then
	skip 'java' 'a java without -XX:+DumpPerfMapAtExit, of before 17'
else
	recipes 'java -XX:+DumpPerfMapAtExit' java \
		-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit \
		-XX:+PreserveFramePointer -cp . Busy
fi
# A program of that name, without its way to end.
cp "$(command -v awk)" java
check 'Java that is killed leaves no names' 137 "prof-record --jit -o killed.pb.gz \\
	./java 'BEGIN { for (i = 0; i < 3000000; i++) x += i; system(\"kill -9 \$PPID\") }' \\
	2>err; status=\$?; grep -e --jit: err; exit \$status" <<'END'
prof-record: --jit: java was killed and left no names: let it end by itself
END

plan
