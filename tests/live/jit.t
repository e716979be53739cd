# jit.t - programs whose code is compiled at run time, by the recipes of the
# manual page: node and java with perf maps, by both samplers.
. "${srcdir:-.}/tests/lib/tap.sh"

need_symbols 'code compiled at run time'
[ "$(uname -m)" = x86_64 ] || skip_rest 'code compiled at run time' 'on x86_64 only'

# Three parts of work in one function, one in the other.
cat >busy.js <<'END'
function jit_a(n) { let x = 0; for (let i = 0; i < n; i++) x = (x * 31 + i) | 0; return x; }
function jit_b(n) { let x = 1; for (let i = 0; i < n; i++) x = (x * 31 + i) | 0; return x; }
function run() { for (let i = 0; i < 250; i++) { jit_a(900000); jit_b(300000); } }
run();
END
cat >Busy.java <<'END'
class Busy {
	static int x;
	static void jit_a(int n) { for (int i = 0; i < n; i++) x = x * 31 + i; }
	static void jit_b(int n) { for (int i = 0; i < n; i++) x = x * 31 + i; }
	public static void main(String[] args) {
		for (int i = 0; i < 250; i++) {
			jit_a(900000);
			jit_b(300000);
		}
	}
}
END

# recipe NAME SAMPLER COMMAND...: both functions have their names, the one with
# more work has more samples, and their stacks go to the root.
recipe() {
	recipe_name="$1, $2"
	sampler=$2
	shift 2
	if ! prof-record -q --sampler="$sampler" -o jit.pb.gz true 2>log; then
		skip "$recipe_name" "$(head -1 log)"
		return
	fi
	prof-record -q --sampler="$sampler" -F 997 -o jit.pb.gz "$@" >log 2>&1
	for map in $(prof-text --raw jit.pb.gz 2>/dev/null |
		sed -n 's/.*# pid: \([0-9]*\).*/\1/p'); do
		echo "/tmp/perf-$map.map" >>maps
	done
	prof-symbolize -q jit.pb.gz | prof-text -q --nodecount=0 2>>log >top
	prof-text --raw jit.pb.gz 2>/dev/null | grep '# sampling' >said
	if awk '/jit_a/ { a += $1 } /jit_b/ { b += $1 } END { exit !(a > b && b > 0) }' top &&
		sed 's/.* ticks=\([0-9]*\) .* unwind_failed=\([0-9]*\) .*/\1 \2/' said |
		awk '{ exit !($2 * 5 < $1) }'; then
		ok "$recipe_name"
	else
		{ cat said log; head -20 top; } >why
		not_ok "$recipe_name" <why
	fi
}
: >maps
trap 'xargs -r rm -f <maps; rm -rf "$scratch"' EXIT

if ! have node; then
	skip 'node' 'no node'
else
	for sampler in preload perf; do
		recipe 'node --perf-basic-prof' $sampler node --perf-basic-prof busy.js
	done
fi
if ! have java javac; then
	skip 'java' 'no java, or no javac'
elif ! javac Busy.java 2>log; then
	skip 'java' "$(head -1 log)"
elif ! java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -version \
	>log 2>&1; then
	skip 'java' 'a java without -XX:+DumpPerfMapAtExit, of before 17'
else
	for sampler in preload perf; do
		recipe 'java -XX:+DumpPerfMapAtExit' $sampler java \
			-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit \
			-XX:+PreserveFramePointer -cp . Busy
	done
fi
plan
