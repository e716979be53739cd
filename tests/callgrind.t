#!/bin/sh
# Call graphs of callgrind, cachegrind and Xdebug, in: against callgrind_annotate,
# which adds up self costs by function and event.
. "${srcdir:-.}/tests/tap.sh"

# --- the text ---

cat >small <<'END'
# callgrind format
version: 1
creator: hand
cmd: ./app -x
positions: line
events: Ir Time
event: Time : wall/nanoseconds
summary: 170 17

ob=(1) /bin/app
fl=(1) a.c
fn=(1) main
10 5 1
+2 5
cfn=(2) work
calls=3 20
* 100 10
cob=(2) /lib/libx.so
cfi=(2) x.c
cfn=(3) leaf
calls=1 +5
13 60 6

fn=(2)
20 40 4
fi=(3) in.h
7 20 2
fe=(1)
22 10 1
cob=(2)
cfi=(2)
cfn=(3)
calls=2 5
22 30 3

ob=(2)
fl=(2)
fn=(3)
5 90 9
totals: 170 17
END
check 'stacks follow the calls, costs are divided by what reaches them' 0 '
	prof-import small >s; prof-export --to folded --sort s; prof-export --to folded --sort --sample-index wall s' <<'END'
main 10
main;leaf 60
main;work 50
main;work;leaf 30
main;work;work 20
main 1
main;leaf 6
main;work 5
main;work;leaf 3
main;work;work 2
END
check 'lines of calls, objects, inlined code, columns' 0 'prof-text --raw s' <<'END'
Comment: # import: format=callgrind stacks=estimated
PeriodType:  
Period: 0
Samples:
Ir/count[dflt] wall/nanoseconds
          5          1: 1 
          5          0: 2 
         40          4: 4 2 
         10          1: 5 2 
         20          2: 6 2 
         60          6: 7 3 
         30          3: 7 5 2 
Locations
     1: 0x0 M=1 main a.c:10:0 s=0
     2: 0x0 M=1 main a.c:12:0 s=0
     3: 0x0 M=1 main a.c:13:0 s=0
     4: 0x0 M=1 work a.c:20:0 s=0
     5: 0x0 M=1 work a.c:22:0 s=0
     6: 0x0 M=1 work in.h:7:0 s=0
             work a.c:0:0 s=0
     7: 0x0 M=2 leaf x.c:5:0 s=0
Mappings
1: 0x0/0x0/0x0 /bin/app  [FN]
2: 0x0/0x0/0x0 /lib/libx.so  [FN]
END
check 'flat' 0 'prof-import --stacks=flat small | prof-export --to folded --sort' <<'END'
leaf 90
main 10
work 50
work;work 20
END

# A cycle, and a function that calls itself: nothing is lost or counted twice.
cat >cycle <<'END'
events: E
fl=c.c
fn=main
1 1
cfn=a
calls=1 1
1 99
fn=a
2 9
cfn=b
calls=4 1
2 90
cfn=a
calls=9 2
2 50
fn=b
3 90
cfn=a
calls=2 1
3 40
fn=lonely
4 7
END
check 'cycles' 0 'prof-import cycle | prof-export --to folded --sort' <<'END'
lonely 7
main 1
main;a 9
main;a;b 90
END
check 'two parts are added up' 0 '
	{ cat cycle; echo "part: 2"; cat cycle; } | prof-import | prof-export --to folded --sort' <<'END'
lonely 14
main 2
main;a 18
main;a;b 180
END
check 'addresses, relative and not, and jumps, which may name files' 0 '
	prof-import --stacks=flat <<E | prof-text --raw | grep -E "0x[1-9]|^ +[0-9]+: [0-9]"
# callgrind format
positions: instr line
events: Ir
ob=/bin/app
fl=(1) a.c
fn=(1) main
0x1000 3 1
+4 +1 2
jcnd=1/2 +16 +1
+8 *
+4 * 4
jfi=(2) b.h
jump=3 -4 3
* *
fi=(2)
* -2 8
E' <<'END'
          1: 1 
          2: 2 
          4: 3 
          8: 4 
     1: 0x1000 M=1 main a.c:3:0 s=0
     2: 0x1004 M=1 main a.c:4:0 s=0
     3: 0x1010 M=1 main a.c:4:0 s=0
     4: 0x1010 M=1 main b.h:2:0 s=0
1: 0x0/0x1011/0x0 /bin/app  [FN]
END

# refused NAME WORDS: standard input is no such file, and the message says why.
refused() {
	cat >wrong
	check_err "refused: $1" 2 'prof-import wrong' "prof-import: wrong: callgrind: $2"
}
refused 'costs before events' 'line 3: costs before "events:"' <<'END'
# callgrind format
fn=f
1 2
events: A
END
refused 'costs without a function' 'line 3: costs without a function' <<'END'
# callgrind format
events: A
1 2
END
refused 'more costs than events' 'line 4: more costs than events' <<'END'
# callgrind format
events: A
fn=f
1 2 3
END
refused 'a number without a name' 'line 3: a number for a name that was not given before' <<'END'
# callgrind format
events: A
fn=(1)
1 2
END
refused 'a line of another kind' 'line 3: not a line of callgrind' <<'END'
# callgrind format
events: A
rubbish
END
refused 'the end inside of a call' 'line 5: the file ends where costs should follow' <<'END'
# callgrind format
events: A
fn=f
cfn=g
calls=1 2
END
refused 'a sum beyond 64 bits' 'line 5: costs add up to more' <<'END'
# callgrind format
events: A
fn=f
1 9223372036854775807
1 1
END
refused 'a part with other events' 'line 5: other events' <<'END'
# callgrind format
events: A
fn=f
1 2
events: B
END
head -20 small >cut
check_err 'a cut file is doubted' 0 'prof-import cut >s' "far from the file's summary"
check_err 'other readers name it' 2 'prof-text small' 'a file of format callgrind; use prof-import'

# Contexts are exponential here: 60 levels of two functions that call each other
# twice. The result is bounded, and self costs are exact.
awk 'BEGIN { print "events: E"
	for (i = 0; i < 60; i++) for (j = 0; j < 2; j++) {
		printf "fn=f%d_%d\n1 1000\n", i, j
		for (k = 0; i < 59 && k < 2; k++)
			printf "cfn=f%d_%d\ncalls=1 1\n1 %d\n", i + 1, k, (59 - i) * 1000 } }' >wide
check 'a graph with 2^60 stacks' 0 '
	prof-import --from=callgrind wide | prof-export --to folded |
		awk "{ n = split(\$1, f, \";\"); s[f[n]] += \$2 } END { for (i in s) print s[i] }" | sort | uniq -c | sed "s/^ *//"' <<'END'
120 1000
END

# --- out and in again ---

mkprof >calls <<'END'
# samples count cpu nanoseconds
main (a.c:1)=>work (a.c:7)=>leaf (b.c:3) 3 3000000
main (a.c:1)=>work (a.c:8)=>leaf (b.c:4) 1 1000000
main (a.c:1)=>other (a.c:20) 5 5000000
main (a.c:1) 2 2000000
END
check 'out and in again: columns, and here even the stacks' 0 '
	prof-export --to callgrind calls >out.callgrind; prof-import out.callgrind >back
	for i in samples cpu; do
		prof-export --to folded --sort --sample-index $i calls >w
		prof-export --to folded --sort --sample-index $i back | diff w -
	done
	prof-text --raw back | grep "/count"' <<'END'
samples/count[dflt] cpu/nanoseconds
END

# --- valgrind ---

# ours FILE EVENT: self costs by function; theirs the same.
ours() {
	prof-import -q "$1" | prof-export --to folded --sample-index "$2" |
		awk '{ v = $NF; sub(/ [0-9]+$/, ""); n = split($0, f, ";"); s[f[n]] += v }
			END { for (i in s) if (s[i]) print i, s[i] }' | sort
}
theirs() {
	callgrind_annotate --threshold=100 --inclusive=no --auto=no --show="$2" --sort="$2" "$1" 2>&1 |
		sed -n '/file:function/,$p' | sed -n 's/^ *\([0-9,]*\) *([^)]*)  *[^ ]*:\(.*\)$/\1 \2/p' |
		sed 's/ \[[^]]*\]$//' |
		awk '{ gsub(",", "", $1); v = $1; sub(/^[^ ]* /, ""); s[$0] += v }
			END { for (i in s) if (s[i]) print i, s[i] }' | sort
}
# same NAME FILE EVENT
same() {
	ours "$2" "$3" >ours.txt
	theirs "$2" "$3" >theirs.txt
	[ -s ours.txt ] && cmp -s ours.txt theirs.txt && ok "$1: $3 as callgrind_annotate has it" ||
		diff theirs.txt ours.txt | head -20 | not_ok "$1: $3 as callgrind_annotate has it"
}

cat >calls.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include "twice.h"
static int
fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
static int
compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
int
main(void)
{
	int v[200];

	for (int i = 0; i < 200; i++)
		v[i] = twice(i * 7919 % 200);
	qsort(v, 200, sizeof(*v), compare);
	printf("%d %d\n", fib(9), v[5]);
	return 0;
}
END
cat >twice.h <<'END'
static inline __attribute__((always_inline)) int
twice(int x)
{
	int y = x * 2;
	return y ^ (y >> 3);
}
END
# run KIND EVENT OPTION...: a run under valgrind, whose file is read.
run() {
	kind=$1 event=$2
	shift 2
	if valgrind "$@" --log-file=valgrind.log ./calls >calls.out 2>&1 && [ -s "$kind" ]; then
		same "$kind" "$kind" "$event"
		printf '\000' >"fuzz.$kind"
		cat "$kind" >>"fuzz.$kind"
	else
		skip "$kind" 'valgrind does not run here'
	fi
}
if have valgrind && have callgrind_annotate && have gcc && gcc -g -O1 -o calls calls.c; then
	run plain Ir --tool=callgrind --callgrind-out-file=plain
	run instr Ir --tool=callgrind --callgrind-out-file=instr --dump-instr=yes --collect-jumps=yes
	run long Dr --tool=callgrind --callgrind-out-file=long --compress-strings=no --compress-pos=no --cache-sim=yes
	run levels Ir --tool=callgrind --callgrind-out-file=levels --separate-recs=3
	run cachegrind Dw --tool=cachegrind --cachegrind-out-file=cachegrind
	check 'the same stacks with and without compressed positions' 0 '
		valgrind --tool=callgrind --callgrind-out-file=far --dump-instr=yes --collect-jumps=yes \
			--compress-pos=no --log-file=valgrind.log ./calls >calls.out
		for f in instr far; do
			prof-import --stacks=flat $f | prof-text --raw | grep -E "calls$|calls |fib|twice" | sort >$f.raw
		done
		[ -s instr.raw ] && diff instr.raw far.raw' <<'END'
END
else
	skip 'valgrind' 'no valgrind, callgrind_annotate or gcc'
fi

for f in small cycle wide cut wrong; do
	printf '\000# callgrind format\n' >"fuzz.$f"
	cat "$f" >>"fuzz.$f"
done
check 'fuzz-foreign: these files' 0 'fuzz-foreign fuzz.* 2>/dev/null' <<'END'
END
plan
