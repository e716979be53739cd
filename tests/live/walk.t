# walk.t - the unwinder of stack copies (cmd/unwind) over recordings of perf,
# compared with elfutils' dwfl: 99.9 % of the frames must be equal.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

why=
if [ "$(uname -m)" != x86_64 ]; then
	why='on x86_64 only'
elif ! have perf; then
	why='no perf'
elif [ ! -x "$bin/tests/unwind-dwfl" ]; then
	why='built without elfutils'
elif ! perf record -q -e cpu-clock:u --call-graph dwarf -o try.data true >why 2>&1; then
	why="perf record: $(head -1 why)"
fi

switched=
# NAME COMMAND...
compare() {
	name="dwfl walks as we do in $1"
	shift
	if [ -n "$why" ]; then
		skip "$name" "$why"
	elif ! have "$1"; then
		skip "$name" "no $1"
	else
		live "$name" walked "$@"
	fi
}
walked() {
	perf record -q -e cpu-clock:u -F 997 --call-graph dwarf,16384 \
		-o x.data "$@" </dev/null >log 2>&1 || return 2
	unwind-dwfl $switched x.data >out 2>&1
	equal=$?
	tail -3 out
	return $((equal != 0))
}

head -c 400000 "$bin/.libs/libsample.so" >some 2>/dev/null
for i in 1 2 3 4; do cat some some; done >input
compare 'threads without frame pointers' "$bin/tests/demo" 0.3
compare 'xz, which is stripped' /usr/bin/xz -6 -k -c input
compare python3 /usr/bin/python3 -c 'import json
for i in range(3):
    json.loads(json.dumps([{"a": "xyz" * 20}] * 20000))'
compare 'coroutines' "$bin/tests/fibers" context 40 0.4

# Its return address is another function's.
cat >last.c <<'END'
#include <stdlib.h>
#include <time.h>
__attribute__((noinline, noreturn)) static void spin(void)
{
	while (clock() < CLOCKS_PER_SEC / 3)
		;
	exit(0);
}
__attribute__((noinline)) static void last(void)
{
	char room[400];
	__asm__ volatile("" : : "r"(room) : "memory");
	spin();
}
__attribute__((noinline)) int next(int i)
{
	volatile char room[40] = { (char)i };
	return room[i];
}
int main(int argc, char **argv)
{
	if (argc)
		last();
	return next(argc);
}
END
if ${CC:-cc} -O1 -fno-reorder-functions -o last last.c 2>log; then
	compare 'a call that does not return' ./last
else
	skip 'dwfl walks as we do in a call that does not return' "$(head -1 log)"
fi

# Go: DWARF in sections that are packed, or with -s -w nothing but its own
# tables. dwfl does not know these, so it gets the file that is not stripped.
cat >w.go <<'END'
package main

import (
	"fmt"
	"sort"
	"sync"
	"syscall"
)

func work(n int) {
	s := make([]string, 0, n)
	for i := 0; i < n; i++ {
		s = append(s, fmt.Sprint(i*7919%n))
	}
	sort.Strings(s)
}

func main() {
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for u := (syscall.Rusage{}); u.Utime.Nano() < 6e8; syscall.Getrusage(0, &u) {
				work(1000)
			}
		}()
	}
	wg.Wait()
}
END
export GO111MODULE=off CGO_ENABLED=0
if have go && go build -o whole w.go 2>log &&
	go build -ldflags='-s -w' -o bare w.go 2>>log; then
	# Its runtime switches stacks: ours end there, as its own tracebacks.
	switched=--switched
	compare 'a Go program' env GOGC=off ./whole
	name='a stripped Go program is walked to the root by its pcsp tables'
	if [ -n "$why" ]; then
		skip "$name" "$why"
	else
		# Stacks of its garbage collector are switched, and end there.
		to_the_root() {
			walked env GOGC=off ./bare
			awk "$chance"'
				/^to the root/ { n = $4 + $6 + $8; whole = $4 }
				END { exit !(n >= 50 && chance_most(n - whole, n, 0.02)) }' out
		}
		live "$name" to_the_root
	fi
else
	skip 'Go programs' 'no go'
fi

check 'fuzz-walk: objects, whole and cut' 0 '
	for n in 100 1000 5000 20000; do
		head -c $n "$bin/tests/demo" >cut.$n
	done
	fuzz-walk "$bin"/tests/demo cut.* 2>/dev/null' <<'END'
END

# Records: a sample with a chain, registers and a stack, and one of each kind.
check 'fuzz-ring: a few records, whole, cut and changed' 0 '
	word() { printf "\\$(printf %o $1)\\0\\0\\0\\0\\0\\0\\0"; }
	record() { printf "\\$1\\0\\0\\0\\$2\\0\\$3\\$4"; }
	{
		record 11 0 350 0; for i in 1 7 2 0 1 5 1; do word $i; done
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
			word $i; done
		word 0
		record 12 0 150 0; for i in 7 16 32 0 5 0 0 0; do word $i; done
		for i in 120 121 0 7 1 0; do word $i; done
		record 3 40 60 0; for i in 7 99 7 1 0; do word $i; done
		record 7 0 60 0; for i in 7 7 7 7 1 0; do word $i; done
		record 4 0 60 0; for i in 7 7 7 7 1 0; do word $i; done
		record 2 0 50 0; for i in 1 9 7 1 0; do word $i; done
	} >records
	test -s records && fuzz-ring records && fuzz-ring --cut records &&
		fuzz-ring --flip records' <<'END'
END
plan
