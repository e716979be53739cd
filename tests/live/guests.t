#!/bin/sh
# guests.t [SECONDS] - commands that users run under prof-record: programs with
# sanitizers, debuggers and tracers with their programs, launchers,
# interpreters. Each ends with its own status, in bounded time, and leaves a
# readable profile with ticks.
# Slow: begins early.
seconds=${1:-0.3}
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

demo=$bin/tests/demo
torture=$bin/tests/torture
plugin=$bin/tests/.libs/torture-plugin.so
what=

# guest NAME STATUS TICKS COMMAND...: that many ticks of the clock of CPU time, less what
# chance takes at the ends of two threads and of the command; 0 of other kinds, 1 if only
# some are wanted.
guest() {
	name=$1
	shift
	live "$name" has_ticks "$@"
}
has_ticks() {
	want=$1
	least=$2
	shift 2
	rm -f t.pb.gz
	# shellcheck disable=SC2086 # words
	timeout -s ABRT 300 prof-record -q -F 1000 $what -o t.pb.gz "$@" \
		>out 2>err </dev/null
	status=$?
	tail -n 20 err
	echo "status $status, wanted $want"
	[ $status -eq "$want" ] || return 2
	stacks --all t.pb.gz >ticks || return 2
	awk -v least="$least" "$chance"'
		/^#/ { comment++; next }
		$1 < 0 { exit bad = 2 }
		{ n += $1; ticks += $2 / 1e6 }
		END {
			print n + 0, "signals,", ticks, "ticks"
			exit !comment || bad ? 2 : least > 1 ? \
				!chance_ticks(ticks, n, least, 1e9, 3) : n < least
		}' ticks
}

# behind NAME STATUS TICKS COMMAND...: the same if there is such a command.
behind() {
	if have "$4"; then
		guest "$@"
	else
		skip "$1" "no $4"
	fi
}

# sanitized PROGRAM ARGUMENT COMPILER SOURCE OPTIONS...: compiled, if it can be,
# and runs by itself.
sanitized() {
	program=$1
	argument=$2
	compiler=$3
	source=$4
	shift 4
	have "$compiler" && "$compiler" -O1 -g -pthread "$@" -o "$program" \
		"$src/tests/programs/$source" 2>/dev/null &&
		"./$program" 0.05 "$argument" >/dev/null 2>&1
}

# Each sanitizer, compiler and kind of profile once; make check-long has all products.
for sanitizer in address thread undefined; do
	for compiler in gcc clang; do
		case ${long:+long-}$compiler-$sanitizer in
		gcc-address) kinds=--clock=cpu ;;
		gcc-undefined) kinds=--heap ;;
		clang-thread) kinds=--clock=wall ;;
		clang-address) kinds=--lock ;;
		long-*) kinds='--clock=cpu --clock=wall --heap --lock' ;;
		*) continue ;;
		esac
		row="$compiler -fsanitize=$sanitizer"
		if ! sanitized s.demo 2 $compiler demo.c -std=gnu11 \
			-D_GNU_SOURCE -fsanitize=$sanitizer; then
			skip "$row" "it does not make programs here that run"
			continue
		fi
		for what in $kinds; do
			case $what in
			--heap | --lock) least=0 ;;
			*) least=100 ;;
			esac
			guest "$row, $what" 0 $least ./s.demo 0.05 2
		done
		what=
	done
done

# What ThreadSanitizer does with coroutines is a crash without us, too.
for sanitizer in address ${long:+undefined}; do
	row="torture with -fsanitize=$sanitizer"
	if sanitized s.torture "$plugin" "${CXX:-g++}" torture.cc -std=c++17 \
		-fsanitize=$sanitizer; then
		guest "$row" 0 1 ./s.torture "$seconds" "$plugin"
	else
		skip "$row" "it does not make programs here that run"
	fi
done

if [ -n "${sanitized:-}" ]; then
	skip 'valgrind' 'it does not read the DWARF 5 of clang, nor run sanitizers'
else
	behind 'valgrind' 0 1 valgrind -q "$demo" 0.05 2
	behind 'torture in valgrind' 0 1 \
		valgrind -q "$torture" "$seconds" "$plugin"
fi
# The emulator and its guest are one process: a second of it counts once. Debian 13's
# is linked statically.
emulated() {
	for try in 1 2 3; do
		prof-record -o q.pb.gz qemu-x86_64 "$demo" 0.5 1 >out 2>err || return 2
		grep -qE 'cannot be sampled: it is a guest of QEMU, which is|statically linked, so libsample' err ||
			return 2
		prof-text --comments q.pb.gz >comments || return 2
		sed -n 's/.*ticks=\([0-9]*\).* cpu_used=\([0-9.]*\).*/\1 \2/p' comments >used
		echo "ticks, CPU time: $(cat used), try $try"
		awk "$chance"'{ good = chance_count($1, 100 * $2) } END { exit !good }' used || return 1
	done
}
if have qemu-x86_64 && qemu-x86_64 "$demo" 0.01 1 >out 2>&1; then
	live 'a guest of an emulator, three times' emulated
else
	skip 'a guest of an emulator, three times' 'no qemu-x86_64'
fi
if strace -o trace true 2>/dev/null; then
	behind 'gdb' 0 200 gdb -q -nx --batch -ex run --args "$demo" 0.1 2
	behind 'strace -f' 0 200 strace -f -o trace "$demo" 0.1 2
else
	skip 'gdb and strace' 'not there, or nobody may trace here'
fi
if have perf && perf stat true >/dev/null 2>&1; then
	guest 'perf stat' 0 200 perf stat "$demo" 0.1 2
	guest 'perf record' 0 200 perf record --buildid-mmap -N -q -o perf.data "$demo" 0.1 2
else
	skip 'perf' 'it does not run here'
fi

behind 'nice' 0 200 nice "$demo" 0.1 2
behind 'taskset' 0 200 taskset 1 "$demo" 0.1 2
behind 'timeout' 0 200 timeout 60 "$demo" 0.1 2
behind 'setsid' 0 200 setsid -w "$demo" 0.1 2
# shellcheck disable=SC2016 # the inner shell's
guest 'a shell, xargs, a status' 9 200 \
	sh -c 'echo 0.1 2 | xargs "$1"; exit 9' sh "$demo"

# A tenth of a second of nothing, by whatever clock they have.
# shellcheck disable=SC2016 # theirs
{
	behind 'perl' 3 100 perl -e 'do { $i++ for 1 .. 9999 } while times() < 0.1; exit 3'
	behind 'python3' 3 100 python3 -c 'import time, sys
while time.process_time() < 0.1: pass
sys.exit(3)'
	behind 'ruby' 3 100 ruby -e \
		'1 while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < 0.1
exit 3'
	behind 'node' 3 100 node -e \
		'while (process.cpuUsage().user < 1e5); process.exit(3)'
}
cat >Main.java <<'END'
class Main {
	public static void main(String[] args) {
		long end = System.nanoTime() + 100000000;
		while (System.nanoTime() < end)
			;
		System.exit(3);
	}
}
END
behind 'java' 3 100 java -XX:-UsePerfData -XX:+UseSerialGC Main.java

check_err 'who loses LD_PRELOAD is told so' 0 \
	"prof-record --sampler=preload -o t.pb.gz env -i sh -c '$demo 0.3 1 >/dev/null 2>&1'" \
	'ran without the sampler'

plan
