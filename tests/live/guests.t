#!/bin/sh
# guests.t [SECONDS] - commands that users run under prof-record: programs with
# sanitizers, debuggers and tracers with their programs, launchers,
# interpreters. Each ends with its own status, in bounded time, and leaves a
# readable profile with ticks.
# Slow: begins early.
seconds=${1:-0.3}
. "${srcdir:-.}/tests/lib/tap.sh"

demo=$bin/tests/demo
torture=$bin/tests/torture
plugin=$bin/tests/.libs/torture-plugin.so
what=

# guest NAME STATUS TICKS COMMAND...: that many ticks at least.
guest() {
	name=$1
	want=$2
	least=$3
	shift 3
	rm -f t.pb.gz
	# shellcheck disable=SC2086 # words
	timeout -s ABRT 120 prof-record -q -F 1000 $what -o t.pb.gz "$@" \
		>out 2>err </dev/null
	status=$?
	{ echo "status $status, wanted $want"; tail -n 20 err; } >why
	if [ $status -eq "$want" ] && stacks t.pb.gz >ticks 2>>why &&
		awk -v least="$least" '
			/^#/ { comment++; next }
			$1 < 0 { exit 1 }
			{ n += $1 }
			END { print "# ticks", n + 0; exit !comment || n < least }
			' ticks >>why; then
		ok "$name"
	else
		not_ok "$name" <why
	fi
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

for sanitizer in address thread undefined; do
	for compiler in gcc clang; do
		row="$compiler -fsanitize=$sanitizer"
		if ! sanitized s.demo 2 $compiler demo.c -std=gnu11 \
			-D_GNU_SOURCE -fsanitize=$sanitizer; then
			skip "$row" "it does not make programs here that run"
			continue
		fi
		for what in --clock=cpu --clock=wall --heap --lock; do
			case $what in
			--heap | --lock) least=0 ;;
			*) least=20 ;;
			esac
			guest "$row, $what" 0 $least ./s.demo 0.05 2
		done
		what=
	done
done

# What ThreadSanitizer does with coroutines is a crash without us, too.
for sanitizer in address undefined; do
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
if strace -o trace true 2>/dev/null; then
	behind 'gdb' 0 20 gdb -q -nx --batch -ex run --args "$demo" 0.1 6
	behind 'strace -f' 0 20 strace -f -o trace "$demo" 0.1 6
else
	skip 'gdb and strace' 'not there, or nobody may trace here'
fi
if have perf && perf stat true >/dev/null 2>&1; then
	guest 'perf stat' 0 20 perf stat "$demo" 0.1 6
	guest 'perf record' 0 20 perf record --buildid-mmap -N -q -o perf.data "$demo" 0.1 6
else
	skip 'perf' 'it does not run here'
fi

behind 'nice' 0 20 nice "$demo" 0.1 6
behind 'taskset' 0 20 taskset 1 "$demo" 0.1 6
behind 'timeout' 0 20 timeout 60 "$demo" 0.1 6
behind 'setsid' 0 20 setsid -w "$demo" 0.1 6
# shellcheck disable=SC2016 # the inner shell's
guest 'a shell, xargs, a status' 9 20 \
	sh -c 'echo 0.1 2 | xargs "$1"; exit 9' sh "$demo"

# A tenth of a second of nothing, by whatever clock they have.
# shellcheck disable=SC2016 # theirs
{
	behind 'perl' 3 20 perl -e 'do { $i++ for 1 .. 9999 } while times() < 0.1; exit 3'
	behind 'python3' 3 20 python3 -c 'import time, sys
while time.process_time() < 0.1: pass
sys.exit(3)'
	behind 'ruby' 3 20 ruby -e \
		'1 while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < 0.1
exit 3'
	behind 'node' 3 20 node -e \
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
behind 'java' 3 20 java -XX:+UseSerialGC Main.java

check_err 'who loses LD_PRELOAD is told so' 0 \
	"prof-record -o t.pb.gz env -i sh -c '$demo 0.3 1 >/dev/null 2>&1'" \
	'ran without the sampler'

plan
