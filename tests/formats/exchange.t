#!/bin/sh
# prof-import and prof-export: formats of other tools: import, export, and round
# trips. Recordings of perf are in import-perf.t.
. "${srcdir:-.}/tests/lib/tap.sh"

# again NAME FORMAT PROFILE [OPTION...]: what is written is read as the same.
again() {
	tap_name=$1 tap_to=$2 tap_file=$3
	shift 3
	prof-export --to "$tap_to" "$@" "$tap_file" >first 2>.err &&
		prof-import -q first >back 2>>.err &&
		prof-export --to "$tap_to" "$@" back >second 2>>.err
	if [ -s first ] && cmp -s first second && [ ! -s .err ]; then
		ok "$tap_name"
	else
		{ cat .err; diff first second | head; } | not_ok "$tap_name"
	fi
}

mkprof >p <<'END'
# samples count cpu nanoseconds
main (a.c:1)=>work (a.c:7)=>leaf (b.c:3) 3 3000000 {thread="one"}
main (a.c:1)=>work (a.c:7) 1 1000000 {thread="two" bytes=16bytes}
main (a.c:1) 2 2000000
END
[ -s p ] || cp "$data/good-tiny.pb.gz" p

# --- folded stacks ---

printf 'main;work;leaf 3\r\nmain;a b\t4\n# no stack\n\nmain;;x 2\n' >plain
check 'folded: carriage returns, tabs, comments, empty frames' 0 \
	'prof-import plain | prof-export --to folded --sort' <<'END'
main;;x 2
main;a b 4
main;work;leaf 3
END
check 'folded: a name begins with #' 0 'printf "#tick;work 3\n# no stack\n#\n" | prof-import | prof-export --to folded' <<'END'
#tick;work 3
END
printf 'main;work_[k] 3\nmain;outer;in_[i];inner_[i] 2\nmain;jit_[j] 1\n' >marked
check 'folded: suffixes are kernel, inlined, jitted' 0 \
	'prof-import marked | prof-export --to folded --sort --annotate' <<'END'
main;jit_[j] 1
main;outer;in_[i];inner_[i] 2
main;work_[k] 3
END
printf 'a;b 1 2\na;c 5 0\na;d 3 3\n' >two
check 'folded: two numbers are before and after' 0 \
	'prof-import --diff two | prof-export --to folded --diff --sort' <<'END'
a;b 1 2
a;c 5 0
a;d 3 3
END
check_err 'folded: a difference has negative values' 2 \
	'prof-import --diff two | prof-export --to folded' 'negative'
check_err 'folded: fractions need --scale' 2 'printf "a;b 1.5\n" | prof-import' \
	'line 1: a fraction'
check 'folded: --scale' 0 \
	'printf "a;b 1.5\na 2\n" | prof-import --scale 1000 --type cpu/microseconds |
		prof-text --raw | sed -n "/^cpu.m/,/^Loc/p" | head -3' <<'END'
cpu/microseconds
       2000: 1 
       1500: 2 1 
END
check_err 'folded: a line that is none' 2 'printf "a;b 1\nrubbish\n" | prof-import' \
	'line 2: no number at its end'
check 'folded: --skip-bad' 0 \
	'printf "a;b 1\nrubbish\n" | prof-import --skip-bad 2>/dev/null | prof-export --to folded' <<'END'
a;b 1
END
check 'folded: places of py-spy' 0 \
	'printf "run (a.py:3);f (b.py:12) 4\n" | prof-import --frames py |
		prof-text --traces --lines 2>/dev/null | grep -o "[a-z]* [a-z]*\.py:.*"' <<'END'
f b.py:12
run a.py:3
END
check 'folded: --root is a label, in and out' 0 \
	'printf "bash;f 4\nsh;f 5\n" | prof-import --root process |
		prof-export --to folded --root process --sort' <<'END'
bash;f 4
sh;f 5
END
again 'folded: with headers labels and columns come back' folded p --headers --sort
printf '# profpipe folded 1\n# type wall clock nanoseconds\n# period 5 wall clock ns\n%sf;g 3\n' \
	"$(for i in $(seq 40); do printf 'k%s=v|;' $i; done)" | prof-import >many
check 'folded: with headers, a type of two words, and many labels' 0 '
	prof-text --raw many | grep "clock"
	prof-export --to folded --headers many | prof-import | prof-text --raw >w
	prof-text --raw many | cmp - w; grep -o "k[0-9]*:" w | wc -l' <<'END'
PeriodType: wall clock ns
wall clock/nanoseconds
40
END
prof-export --to folded --sort p >ours
prof-text --folded p | sort >theirs
cmp -s ours theirs && ok 'folded: what prof-text --folded prints' ||
	diff ours theirs | not_ok 'folded: what prof-text --folded prints'
if have flamegraph.pl; then
	prof-export --to folded p | flamegraph.pl 2>.err | grep -o 'main ([0-9,]* samples, 100%)' >total
	[ -s total ] && [ ! -s .err ] && ok 'folded: flamegraph.pl reads every line' ||
		cat .err | not_ok 'folded: flamegraph.pl reads every line'
else
	skip 'folded: flamegraph.pl reads every line' 'no flamegraph.pl'
fi

# async-profiler's threads; not a list in JSON.
printf '[main tid=1];java/lang/Thread.run_[j] 5\n[x];q_[0] 1\n' >bracket
check 'folded: the first frame is in brackets' 0 'prof-import bracket | prof-export --to folded' <<'END'
[main tid=1];java/lang/Thread.run 5
[x];q 1
END

# --- perf script ---

cat >script <<'END'
# ========
# captured on    : Sun Nov 22 02:15:01 2026
# ========
#
my prog 27709/27754 [001]  2157.480061:    1003009 cpu-clock:u:
	            11d9 leaf(int)+0x9 (/tmp/my (odd) prog)
	            1300 inner (inlined)
	            1323 main+0x13 (/tmp/my (odd) prog)
	ffffffff81000010 read_zero ([kernel.kallsyms])

other   12  2157.490000:    2000000 cpu-clock:u:
	               0 [unknown] ([unknown])

END
prof-import script | prof-text --raw >script.raw
check 'perf script: names with blanks, inlined frames, the kernel' 0 \
	'prof-import script | prof-text --raw | sed "/Period/d;/Comment/d"' <<'END'
Samples:
samples/count cpu/nanoseconds
          1    1003009: 2 1 3 
                thread:[my prog]
                pid:[27709]
          1    2000000: 4 
                thread:[other]
Locations
     1: 0x0 M=1 inner :0:0 s=0
             main :0:0 s=0
     2: 0x0 M=1 leaf(int) :0:0 s=0
     3: 0x0 M=2 read_zero :0:0 s=0
     4: 0x0 [unknown] :0:0 s=0
Mappings
1: 0x0/0x0/0x0 /tmp/my (odd) prog  [FN]
2: 0x0/0x0/0x0 [kernel.kallsyms]  [FN]
END
printf 'w 5/5 1.5: 7 cpu-clock: 11d9 leaf (/bin/w)\nw 5/5 1.6: 8 cpu-clock: 11d9 leaf (/bin/w)\n' >flat
check 'perf script: without call chains' 0 \
	'prof-import flat | prof-export --to folded' <<'END'
leaf 15
END

# As perf prints it: names to the right; a task that has ended; records that are
# no samples, with --show-switch-events.
cat >aligned <<'END'
     swapper     0 [000]     0.000000: PERF_RECORD_COMM: w:5/5
           w     5 [001] 50416.963177:     250000 cpu-clock:            fa5d1d leaf+0x2d (/bin/w)
         :-1    -1 [000] 50416.985176:     250000 cpu-clock:  ffffffff816dd1b0 drop+0x30 ([kernel.kallsyms])
     my prog    15 [001] 50416.986050: PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid:    15/15
        cafe    16 [001] 50416.987050:     500000 cpu-clock:            fa5d1d leaf+0x2d (/bin/w)
END
check 'perf script: without call chains, aligned' 0 \
	'prof-import aligned | prof-export --to folded --sort --root thread --annotate' <<'END'
:-1;drop_[k] 250000
cafe;leaf 500000
w;leaf 250000
END
check 'perf script: inlined into a function without a name' 0 '
	printf "app 12 2157.49: 1 cycles:\n\t1200 [unknown] (/lib/libc.so.6)\n\t1300 inner (inlined)\n\t1400 f (/x)\n\t1500 outer (inlined)\n\n" |
		prof-import | prof-export --to folded --sample-index samples' <<'END'
outer;f;inner;[libc.so.6] 1
END
check 'perf script: without the blanks before frames' 0 '
	sed "s/^[ 	]*//" script | prof-import | prof-text --raw | cmp - script.raw' </dev/null
check 'perf script: records among stacks are no samples' 0 \
	'{ cat script; echo "w  5 2157.5: PERF_RECORD_MMAP2 5/5: [0x1(0x1) @ 0 fe:00 1 0]: r-xp /bin/w"; echo; cat script; } |
		prof-import | prof-export --to folded --sample-index samples --sort' <<'END'
[unknown] 2
read_zero;main;inner;leaf(int) 2
END

# The fields that -F chooses: misc and addr; no dso, which leaves the names of
# functions in parentheses alone; srcline, also of inlined frames.
cat >fields <<'END'
w 12 [001] U     15.5:    1 cycles: 
	           70328 f(int) (/bin/w)

w 12 [001] 15.6:    1 cycles:                0 
	           70328 f(int)
	            11a7 main+0x9

               w 12 15.7:    1 cycles:                0     7fedf134b827 g+0x5 (/bin/w)
               w 12 15.8:    1 cycles:     7fedf134b827 g+0x5
END
check 'perf script: any fields' 0 'prof-import fields | prof-export --to folded --sample-index samples --sort' <<'END'
f(int) 1
g 2
main;f(int) 1
END
cat >lines <<'END'
w 12 15.5:    1 cycles:
	           70328 deep (inlined)
  d.h:7
	           70328 f (/bin/w)
  f.c:254
	            11a7 main (/bin/w)
  w[11a7]

               w 12 15.7:    1 cycles:     7fedf134b827 g+0x5 (/bin/w)
  g.c:5
END
check 'perf script: files and lines' 0 'prof-import lines | prof-text --traces --lines' <<'END'
File: w
Type: cycles
-----------+-------------------------------------------------------
    thread:  w
         1   deep d.h:7 (inline)
             f f.c:254
             main
-----------+-------------------------------------------------------
    thread:  w
         1   g g.c:5
-----------+-------------------------------------------------------
END

# Without stacks, there is still the time of each process.
printf '%s\n' '     perl 28354 63788.251674:     250000 ' \
	'     perl 28354 63788.251922:     250000 ' >noip
check 'perf script: without frames' 0 \
	'prof-import -q noip | prof-text --tags' <<'END'
 thread: Total 500000 of 500000 (  100%)
         500000 (  100%): perl

END

# Neither without ids, nor without the name.
printf 'perl 74185.642562:   10101010 \n\t          11b945 f\n\n74185.642999:   7 \n\t          11b945 g\n\n' >noid
check 'perf script: without ids' 0 'prof-import noid | prof-text --traces' <<'END'
Type: period
-----------+-------------------------------------------------------
    thread:  perl
  10101010   f
-----------+-------------------------------------------------------
         7   g
-----------+-------------------------------------------------------
END

# Each event has its columns, as in perf.data. A file without symbols is a frame
# without a name.
cat >events <<'END'
w 12 15.5:    250000 cpu-clock:u:
	           70328 f (/bin/w)
	    7f29acaf2ad7 [unknown] (/lib/libc.so.6)

w 12 15.6:         1 page-faults:
	           70328 f (/bin/w)
	           80000 [unknown] (/bin/w)

w 12 15.7:    250000 cpu-clock:u:
	           70328 f (/bin/w)

END
check 'perf script: a column for each event' 0 'prof-import events | prof-text --raw | sed "1,/Samples/d"' <<'END'
cpu-clock:samples/count cpu-clock/nanoseconds[dflt] page-faults:samples/count page-faults/count
          1     250000          0          0: 2 
                thread:[w]
          0          0          1          1: 2 1 
                thread:[w]
          1     250000          0          0: 2 3 
                thread:[w]
Locations
     1: 0x0 M=1 
     2: 0x0 M=1 f :0:0 s=0
     3: 0x0 M=2 
Mappings
1: 0x0/0x0/0x0 /bin/w  [FN]
2: 0x0/0x0/0x0 /lib/libc.so.6  [FN]
END

# Without the field time, as FlameGraph's own files are; also with the period,
# and aligned.
cat >notime <<'END'
my prog 12/13 cycles:u: 
	           70328 f
	            11a7 main

my prog 12/13       7 cycles:u: 
	           70328 f (/bin/w)

               w    12 cycles:      fa5d1d leaf+0x2d (/bin/w)
END
check 'perf script: without time' 0 \
	'prof-import notime | prof-export --to folded --sort --sample-index samples --root thread' <<'END'
my prog;f 1
my prog;main;f 1
w;leaf 1
END

# Nothing of other texts is taken for a sample.
cat >ftrace <<'END'
# tracer: nop
#
            bash-1977    [000] .... 17284.993652: sys_close
            bash-1977    [000] .... 17284.993653: sys_close -> 0x0
END
check_err 'perf script: ftrace' 2 'prof-import --from=perf-script ftrace' 'ftrace: perf script: no samples'
check_err 'perf script: events without frames' 2 \
	'echo "kworker 12 [000] 17284.993655: sched_switch: prev_comm=x" | prof-import --from=perf-script' \
	'perf script: no sample has a frame or a period; -F +ip,sym,dso prints frames'
cat >prose <<'END'
w 12 15.5:    1 cycles:
	           70328 f (/bin/w)

This is
another
text.
END
check_err 'perf script: mostly another text' 2 'prof-import prose' \
	'not the text of perf script: 3 of 5 lines are something else; the first is line 4'
printf 'FLR\0\0\2\0\1w 12 15.5: 1 cycles:\n' >recording
check 'perf script: no bytes of a recording' 2 \
	'prof-import recording 2>&1 | grep -c "perf script"; prof-import recording 2>/dev/null' <<'END'
0
END

while read -r o for; do
	check_err "$o does nothing for perf script" 2 "prof-import $o script" \
		"prof-import: ${o%=*}: for $for, not perf-script"
done <<'END'
--columns=google perf.data
--label=time perf.data, otlp, otlp-json
--kernel=drop perf.data
--no-idle perf.data
--idle chrome-trace, cpuprofile
--type=a/b folded
--scale=2 speedscope, folded
--skip-bad folded
--diff folded
--frames=py folded
--root=x folded
--resource-labels otlp, otlp-json
END
check 'it may be for one of several inputs' 0 \
	'prof-import -q --root=process script plain -o w; prof-import --strict script -o w' </dev/null

# --- speedscope ---

prof-export --to speedscope p >out.json
have python3 && python3 - >sums <<'END'
import json
d = json.load(open("out.json"))
frames = d["shared"]["frames"]
assert len({json.dumps(f) for f in frames}) == len(frames)
for p in d["profiles"]:
    assert len(p["samples"]) == len(p["weights"])
    assert p["endValue"] == sum(p["weights"])
    print(p["name"], p["unit"], p["endValue"])
    for s, w in zip(p["samples"], p["weights"]):
        print(";".join(frames[f]["name"] for f in s), w)
print(d["profiles"][d["activeProfileIndex"]]["name"])
END
if have python3; then
	{
		echo samples none 6
		prof-export --to folded --sample-index samples p
		echo cpu nanoseconds 6000000
		prof-export --to folded p
		echo cpu
	} >want
	cmp -s want sums && ok 'speedscope: every column, stack and weight' ||
		diff want sums | not_ok 'speedscope: every column, stack and weight'
else
	skip 'speedscope: every column, stack and weight' 'no python3'
fi
check 'speedscope: a profile for each value of a label' 0 \
	'prof-export --to speedscope --split-by thread p | grep -o "\"name\":\"[^\"]* / cpu\"" | sort' <<'END'
"name":"one / cpu"
"name":"two / cpu"
END
# To viewers, frames are their numbers: f is one, inlined or not, in either file.
printf 'f_[k] 1\ng;f_[i] 2\nf 4\n' | prof-import >f.pb
check 'speedscope, cpuprofile: a frame, and a node below its caller, for each function' 0 '
	prof-export --to speedscope f.pb | grep -oE "\"name\":\"[fg]\"" | sort
	prof-export --to cpuprofile f.pb | grep -oE "\"functionName\":\"[fg]\"" | sort' <<'END'
"name":"f"
"name":"g"
"functionName":"f"
"functionName":"f"
"functionName":"g"
END
printf '# profpipe folded 1\npid:=7 |;a 1\npid:=11 |;a 2\nb 4\n' | prof-import >pids
check 'speedscope: a profile for each number of a label' 0 \
	'prof-export --to speedscope --split-by pid pids | grep -o "\"name\":\"[^\"]*samples\"" | sort' <<'END'
"name":"11 / samples"
"name":"7 / samples"
"name":"samples"
END
for o in 'speedscope --split-by' 'folded --root'; do
	check_err "--to $o: a label that no sample has is said" 0 "prof-export --to $o=pidd pids -o w" \
		"prof-export: no sample has a label 'pidd'"
done
check_err 'speedscope: no negative values' 2 \
	'prof-import --diff two | prof-export --to speedscope' 'speedscope cannot hold'
printf '\357\273\277main;a 1\r\nmain;b 2\r\n' >mark.folded
printf '\357\273\277{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"sampled","name":"x","unit":"none","startValue":0,"endValue":1,"samples":[[0]],"weights":[3]}]}' >mark.json
check 'a byte order mark is not part of the text' 0 \
	'for f in mark.folded mark.json; do prof-import $f | prof-text --folded; done' <<'END'
main;a 1
main;b 2
a 3
END
check_err 'an unknown format' 2 'prof-export --to nothing p' "unknown format 'nothing'; one of callgrind, cpuprofile,"

# --- call graphs ---

mkprof >calls <<'END'
# samples count cpu nanoseconds
main (a.c:1)=>work (a.c:7)=>leaf (b.c:3) 3 3000000
main (a.c:1)=>work (a.c:8)=>leaf (b.c:4) 1 1000000
main (a.c:1)=>rec (a.c:20)=>rec (a.c:21) 5 5000000
main (a.c:1) 2 2000000
END
prof-export --to callgrind calls >callgrind.out
check 'callgrind: self costs by line, calls, and their sum' 0 \
	'grep -E "^(events|summary|calls|[0-9])" callgrind.out | sort | uniq -c | sed "s/^ *//"' <<'END'
1 1 2 2000000
1 1 4 4000000
1 1 5 5000000
1 21 5 5000000
1 3 3 3000000
1 4 1 1000000
1 7 3 3000000
1 8 1 1000000
1 calls=1 0
1 calls=3 0
1 calls=4 0
1 calls=5 0
1 events: samples cpu
1 summary: 11 11000000
END
if have callgrind_annotate; then
	for i in yes no; do
		callgrind_annotate --inclusive=$i --threshold=100 callgrind.out 2>&1 |
			sed -n '/WARNING/p; s/^ *\([0-9]*\) ([^)]*) .* [^ ]*:\([a-z]*\)\( .*\)*$/\2 \1/p' | sort -u
	done >theirs
	cat >want <<'END'
leaf 4
main 11
rec 5
work 4
leaf 4
main 2
rec 5
END
	cmp -s want theirs && ok 'callgrind: callgrind_annotate has the right costs' ||
		diff want theirs | not_ok 'callgrind: callgrind_annotate has the right costs'
else
	skip 'callgrind: callgrind_annotate has the right costs' 'no callgrind_annotate'
fi

check '--pprof: relative addresses, names by number, suffixes of twins' 0 \
	'prof-export --to callgrind --pprof "$data/good-nosyms.pb.gz" | sed "1,/^0x401000 0/d"' <<'END'
cfl=
cfn=(1)
calls=0 0x401040 33
* * 8
cfl=
cfn=(6)  [1/3]
calls=0 0x401010 0
* * 7
cfl=(1)
cfn=
calls=0 0x401020 0
* * 6
cfl=
cfn=(7)  [2/3]
calls=0 0x7f0000001000 0
* * 5
cfl=
cfn=(2)
calls=0 0x401050 0
* * 3
cfl=(2)
cfn=(3)
calls=0 0x401060 12
* * 3
cfl=(2)
cfn=(4)
calls=0 0x401070 24
* * 3
END
check_err '--pprof is for callgrind' 2 'prof-export --to folded --pprof p' 'for --to callgrind, not folded'
if have go && pprof=$(go tool -n pprof 2>/dev/null) && [ -x "$pprof" ]; then
	for f in "$data"/good-*.pb.gz; do
		found "$f" || continue
		# Sums in it go beyond 64 bits, and wrap around in pprof.
		[ "${f##*/}" = good-full.pb.gz ] && continue
		"$pprof" -symbolize=none -callgrind -output=theirs "$f" >/dev/null 2>.err ||
			continue # an old pprof does not read all
		prof-export -q --to callgrind --pprof "$f" >ours
		cmp -s ours theirs && ok "--pprof: the bytes of pprof for ${f##*/}" ||
			diff theirs ours | head | not_ok "--pprof: the bytes of pprof for ${f##*/}"
	done
else
	skip '--pprof: the bytes of pprof' 'no go tool pprof'
fi

# --- trees: .cpuprofile, Firefox ---

prof-export --to cpuprofile calls >calls.cpuprofile
# DevTools divides the time by hits: "a" has 1 ms in one sample, "b" 3 in two.
check 'cpuprofile: hits are as long as the time' 0 "
	printf '# cpu nanoseconds\nb 2000000\nb;c 500000\na 1000000\nb 1000000\n' | mkprof |
		prof-export --to cpuprofile | grep -oE '\"hitCount\":[0-9]+|\"functionName\":\"[a-z]+' | tail -n +2 |
		paste - - | sort -k 2" <<'END'
"hitCount":1000	"functionName":"a
"hitCount":3000	"functionName":"b
"hitCount":500	"functionName":"c
END
printf '# profpipe folded 1\n# type cpu nanoseconds\nmain 5\nthread=x|; 7\n' | prof-import >stackless
for to in callgrind cpuprofile folded; do
	check_err "$to: samples without a stack are counted" 0 "prof-export --to $to stackless >w" \
		'prof-export: left out 1 sample without a stack: 7 nanoseconds'
done
check_err 'and by prof-text --folded' 0 'prof-text --folded stackless >w' \
	'prof-text: left out 1 sample without a stack: 7 nanoseconds'
printf '# cpu nanoseconds alloc bytes\nmain 5 0\n' | mkprof >zeros
check_err 'a column of zeros' 0 'prof-export --to speedscope --sample-index alloc zeros >w' \
	'prof-export: alloc is 0 in all samples; --sample-index chooses another column'
while read -r o for to; do
	check_err "$o does nothing for $to" 2 "prof-export --to $to $o zeros >w" \
		"prof-export: ${o%=*}: for --to $for, not $to"
done <<'END'
--split-by=x speedscope folded
--sort folded speedscope
--sort=value speedscope folded
--lines speedscope callgrind
--annotate folded otlp-json
--root=x folded speedscope
--diff folded firefox
--headers folded cpuprofile
--pprof callgrind folded
END
printf '# cpu nanoseconds alloc bytes\n' | mkprof >none
check_err 'no samples' 0 'prof-export --to speedscope none >w' 'prof-export: no samples: viewers'
# Viewers tell functions apart by their entries: one each, whichever lines ran.
check 'firefox: an entry for each function' 0 "
	printf '# cpu count\nmain (a.c:1);work (b.c:3) 1\nmain (a.c:2);work (b.c:4) 2\nmain (a.c:2);work (c.c:4) 3\n' |
		mkprof | prof-export --to firefox | tr -d '\n' | grep -oE '\"func\":[^]]*]|\"funcTable\":.\"name\":[^]]*]' |
		tr -d '0-9'" <<'END'
"func":[,,,,]
"funcTable":{"name":[,,]
END
prof-export --to firefox calls >calls.json
if have python3; then
	prof-export --to folded --sort calls >want
	python3 - >got <<'END'
import json
d = json.load(open("calls.cpuprofile"))
node = {n["id"]: n for n in d["nodes"]}
up = {c: n["id"] for n in d["nodes"] for c in n["children"]}
assert all(up[c] < c for c in up) and sorted(node) == list(range(1, len(node) + 1))
assert sum(d["timeDeltas"]) == d["endTime"] and d["samples"][-1] == 1
total = {}
for i, leaf in enumerate(d["samples"][:-1]):
    names = []
    while leaf != 1:
        names.insert(0, node[leaf]["callFrame"]["functionName"])
        leaf = up[leaf]
    key = ";".join(names)
    total[key] = total.get(key, 0) + d["timeDeltas"][i + 1] * 1000
for k in sorted(total):
    print(k, total[k])
END
	cmp -s want got && ok 'cpuprofile: a tree, samples as long as their time' ||
		diff want got | not_ok 'cpuprofile: a tree, samples as long as their time'
	python3 - >got <<'END'
import json
d = json.load(open("calls.json"))
s, t = d["shared"], d["threads"][0]
for name in ("stackTable", "frameTable", "funcTable", "resourceTable", "nativeSymbols", "sources"):
    for k, v in s[name].items():
        assert k == "length" or len(v) == s[name]["length"], (name, k)
total = {}
for stack, w in zip(t["samples"]["stack"], t["samples"]["weight"]):
    names = []
    while stack is not None:
        f = s["frameTable"]["func"][s["stackTable"]["frame"][stack]]
        names.insert(0, s["stringArray"][s["funcTable"]["name"][f]])
        off = s["stackTable"]["prefixOffset"][stack]
        stack = stack - off if off else None
    key = ";".join(names)
    total[key] = total.get(key, 0) + w * 1e6
assert t["samples"]["weightType"] == "tracing-ms" and t["processName"] == "cpu"
assert len(d["threads"]) == 2 and d["meta"]["preprocessedProfileVersion"] == 66
for k in sorted(total):
    print(k, round(total[k]))
END
	cmp -s want got && ok 'Firefox: tables fit, stacks and weights are right' ||
		diff want got | not_ok 'Firefox: tables fit, stacks and weights are right'
else
	skip 'cpuprofile and Firefox: trees' 'no python3'
fi
for to in callgrind cpuprofile speedscope; do
	check_err "$to: no negative values" 2 \
		"prof-import --diff two | prof-export --to $to" 'cannot hold'
done
check 'Firefox: differences are fine' 0 \
	'prof-import --diff two | prof-export --to firefox | grep -c "\"weight\":.*-"' <<'END'
1
END

# --- JSON in ---

if lacks 'prof-import out.json'; then
	skip 'JSON in' 'this build has no jansson'
else
	prof-export --to speedscope calls >calls.json
	check 'speedscope: columns come back' 0 '
		for i in samples cpu; do
			prof-export --to folded --sort --sample-index $i calls >w
			prof-import calls.json | prof-export --to folded --sort --sample-index $i |
				cmp - w
		done' <<'END'
END
	check 'speedscope: what was split by a label is a label' 0 \
		'prof-export --to speedscope --split-by thread p | prof-import |
			prof-export --to folded --root profile --sort | grep one' <<'END'
one;main;work;leaf 3000000
END
	cat >evented.json <<'END'
{"$schema":"https://www.speedscope.app/file-format-schema.json",
"shared":{"frames":[{"name":"a","file":"a.c","line":3},{"name":"b"}]},
"profiles":[{"type":"evented","name":"t","unit":"milliseconds","startValue":0,"endValue":9,
"events":[{"type":"O","at":1,"frame":0},{"type":"O","at":2.5,"frame":1},
{"type":"C","at":4,"frame":1},{"type":"C","at":9,"frame":0}]}]}
END
	check 'speedscope, .cpuprofile: names with NULs' 0 \
		'for t in speedscope cpuprofile; do printf "a@x 1\n" | prof-import | prof-export --to $t |
			sed "s/a@x/a\\\\u0000x/" | prof-import | prof-export --to folded; done' <<'END'
a\x00x 1
a\x00x 1000
END
	check 'speedscope: events are self times' 0 \
		'prof-import evented.json | prof-export --to folded --sort' <<'END'
a 6500000
a;b 1500000
END
	sed 's/"at":4,"frame":1/"at":4,"frame":0/' evented.json >crossed.json
	check_err 'speedscope: frames closed out of order' 2 'prof-import crossed.json' \
		'is closed that is not the innermost'
	sed 's/"frame":1}/"frame":[1]}/' evented.json >nested.json
	check_err 'speedscope: frames that are lists' 2 'prof-import nested.json' \
		'profile 0: a frame that is not a number'
	sed 's/2.5/"2.5"/' evented.json >quoted.json
	check_err 'speedscope: times that are texts' 2 'prof-import quoted.json' \
		'profile 0: a weight or a time that is not a number'
	sed 's/,"weights".*/,"weights":[1]}]}/' out.json | tr -d '\n' |
		sed 's/"weights":\[[^]]*\]/"weights":[1]/' >short.json
	check_err 'speedscope: weights that are missing' 2 'prof-import short.json' 'as samples'
	check '.cpuprofile: out and in again' 0 \
		'prof-export --to folded --sort calls >w; prof-import calls.cpuprofile | prof-export --to folded --sort | cmp - w' <<'END'
END
	cat >old.cpuprofile <<'END'
{"head":{"functionName":"(root)","id":1,"url":"","lineNumber":0,"children":[
{"functionName":"f","id":2,"url":"file:///a.js","lineNumber":7,"children":[]},
{"functionName":"(idle)","id":3,"url":"","lineNumber":0,"children":[]}]},
"startTime":0,"endTime":100,"samples":[2,3,2],"timestamps":[10,40,90]}
END
	check '.cpuprofile: the older form, without idle time' 0 \
		'prof-import old.cpuprofile | prof-export --to folded; prof-import --idle old.cpuprofile |
			prof-export --to folded --sample-index samples --sort
		 sed "s/,90]/,90,95]/; s/:100/:0/" old.cpuprofile | prof-import | prof-export --to folded' <<'END'
f 40000
(idle) 1
f 2
f 35000
END
	check '.cpuprofile: samples without times share the time' 0 '
		sed "s/,\"timestamps.*/}/" old.cpuprofile | prof-import 2>err | prof-export --to folded; cat err' <<'END'
f 66666666000
prof-import: <stdin>: samples have no times: each is said to be 1/3 of 100 s
prof-import: <stdin>: idle for 33.33 s, which is left out: see --idle
END
	printf '%s' '{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"children":[2,3]},
{"id":2,"hitCount":3,"callFrame":{"functionName":"f"}},{"id":3,"hitCount":1,"callFrame":{"functionName":"g"}}],
"startTime":0,"endTime":1000}' >hits.cpuprofile
	check '.cpuprofile: the hits of nodes, in both forms, if there is no list of samples' 0 '
		sed "s/\"samples.*/\"samples\":[],\"timestamps\":[]}/; s/\"id\":2,/&\"hitCount\":9,/" old.cpuprofile >oldhits
		for f in hits.cpuprofile oldhits; do prof-import $f 2>err | prof-export --to folded --sort; cat err; done' <<'END'
f 750000
g 250000
prof-import: hits.cpuprofile: samples have no times: each is said to be 1/4 of 0.001 s
f 100000000000
prof-import: oldhits: samples have no times: each is said to be 1/9 of 100 s
END
	sed 's/"f"/"","url":"min.js","lineNumber":0,"columnNumber":7/; s/"g"/"","url":"min.js","lineNumber":0,"columnNumber":9/' \
		hits.cpuprofile >min.cpuprofile
	check '.cpuprofile: functions of minified code differ in their columns' 0 \
		'prof-import -q min.cpuprofile | prof-text --lines --showcolumns | grep -o "^ *[0-9]*us\|(a.*"' <<'END'
     750us
(anonymous) min.js:1:8
     250us
(anonymous) min.js:1:10
END
	sed 's/"hitCount":[0-9]*,//g' hits.cpuprofile >nohits
	check_err '.cpuprofile: without samples or hits' 0 'prof-import nohits -o w' 'prof-import: nohits: no samples'
	if have node && node --cpu-prof --cpu-prof-name=node.cpuprofile -e \
		'let t = Date.now(); function spin() { while (Date.now() - t < 100); } spin()' 2>/dev/null; then
		us=$(python3 -c 'import json; d = json.load(open("node.cpuprofile")); t = d["startTime"] + d["timeDeltas"][0]
idle = {n["id"] for n in d["nodes"] if n["callFrame"]["functionName"] in ("(idle)", "(root)")}
at = [d["startTime"]]
for x in d["timeDeltas"]: at.append(at[-1] + x)
s = sorted(zip(at[1:], d["samples"])) + [(d["endTime"], 0)]
print(sum(max(0, b[0] - a[0]) for a, b in zip(s, s[1:]) if a[1] not in idle) * 1000)' 2>/dev/null)
		sum=$(prof-import node.cpuprofile | prof-export --to folded | awk '{ s += $NF } END { printf "%.0f\n", s }')
		[ -n "$us" ] && [ "$us" = "$sum" ] && ok '.cpuprofile: of node' ||
			echo "$us $sum" | not_ok '.cpuprofile: of node'
	else
		skip '.cpuprofile: of node' 'no node'
	fi
	cat >v8.heapprofile <<'END'
{"head":{"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},
"selfSize":1,"id":1,"children":[{"callFrame":{"functionName":"f","scriptId":"1","url":"file:///a.js","lineNumber":6,
"columnNumber":2},"selfSize":16,"id":2,"children":[{"callFrame":{"functionName":"","scriptId":"1",
"url":"file:///a.js","lineNumber":9,"columnNumber":2},"selfSize":4096,"id":3,"children":[]}]}]},
"samples":[{"size":4096,"nodeId":3,"ordinal":1}]}
END
	check '.heapprofile: a tree with sizes' 0 'prof-import v8.heapprofile | prof-export --to folded --sort
		prof-import v8.heapprofile | prof-text --raw | sed -n "/^inuse/p;/a\.js/p"' <<'END'
(root) 1
f 16
f;(anonymous) 4096
inuse_space/bytes
     1: 0x0 M=1 (anonymous) /a.js:10:3 s=10
     3: 0x0 M=1 f /a.js:7:3 s=7
END
	sed 's/"selfSize":[0-9]*/"selfSize":0/' v8.heapprofile >nosize
	check_err '.heapprofile: without sizes' 0 'prof-import nosize -o w' 'prof-import: nosize: no samples'
	sed 's/4096,"id"/-4096,"id"/' v8.heapprofile >less.heapprofile
	check_err '.heapprofile: a negative size' 2 'prof-import less.heapprofile' '.heapprofile: a negative size'
	if have node python3 && node --heap-prof --heap-prof-interval=1024 --heap-prof-name=node.heapprofile -e \
		'let a = []; function keep() { for (let i = 0; i < 9999; i++) a.push({ i, s: "x" + i }); } keep(); process.a = a' 2>/dev/null; then
		python3 - >want <<'END'
import json
total = {}
todo = [(json.load(open("node.heapprofile"))["head"], "")]
while todo:
    node, stack = todo.pop()
    if stack and node["selfSize"]:
        total[stack] = total.get(stack, 0) + node["selfSize"]
    for n in node["children"]:
        name = n["callFrame"]["functionName"] or "(anonymous)"
        todo.append((n, stack + ";" + name if stack else name))
for stack in total:
    print(stack, total[stack])
END
		sort -o want want
		prof-import node.heapprofile | prof-export --to folded | grep -v '^(root) ' | sort >got
		grep -q keep want && cmp -s want got && ok '.heapprofile: of node' ||
			diff want got | not_ok '.heapprofile: of node'
	else
		skip '.heapprofile: of node' 'no node or python3'
	fi
	# A trace has the samples of several threads, in pieces. The id of process
	# 8 is that of one in 7; the thread of the last is not known.
	cat >trace.json <<'END'
{"traceEvents":[
{"ph":"M","name":"thread_name","pid":7,"tid":1,"args":{"name":"Main"}},
{"ph":"P","name":"Profile","pid":7,"tid":1,"ts":5,"id":"0x1","args":{"data":{"startTime":1000}}},
{"ph":"P","name":"Profile","pid":8,"tid":1,"ts":90,"id":"0x1","args":{"data":{}}},
{"ph":"X","name":"Task","pid":7,"tid":1,"ts":3,"dur":9,"args":{"data":{"startTime":1}}},
{"ph":"P","name":"ProfileChunk","pid":7,"tid":3,"ts":8,"id":"0x1","args":{"data":{"cpuProfile":{
"nodes":[{"id":1,"callFrame":{"functionName":"(root)"}},{"id":2,"parent":1,"callFrame":{"functionName":"f",
"url":"file:///a.js","lineNumber":4}},{"id":3,"parent":1,"callFrame":{"functionName":"(idle)"}}],"samples":[2,3]},
"timeDeltas":[10,20]}}},
{"ph":"P","name":"ProfileChunk","pid":8,"tid":3,"ts":9,"id":"0x1","args":{"data":{"cpuProfile":{
"nodes":[{"id":1,"callFrame":{"functionName":"g"}}],"samples":[1,1,1],"timeDeltas":[5,5,5]}}}},
{"ph":"P","name":"ProfileChunk","pid":7,"tid":3,"ts":8,"id":"0x1","args":{"data":{"cpuProfile":{
"nodes":[{"id":4,"parent":2,"callFrame":{"functionName":""}}],"samples":[4,2]},"timeDeltas":[30,40]}}},
{"ph":"P","name":"ProfileChunk","pid":7,"tid":3,"ts":8,"id":"0x1","args":{"data":{"endTime":1150}}},
{"ph":"I","name":"CpuProfile","pid":9,"tid":2,"ts":8,"args":{"data":{"cpuProfile":{"startTime":0,"endTime":9,
"nodes":[{"id":1,"callFrame":{"functionName":"h"}}],"samples":[1],"timeDeltas":[2]}}}},
{"ph":"M","name":"thread_name","pid":8,"tid":1,"args":{"name":"Worker"}}],"metadata":{"source":"DevTools"}}
END
	check 'Chrome trace: pieces, threads, whole profiles' 0 \
		'prof-import trace.json | prof-export --to folded --headers --sort | grep -v "^#"
			prof-import --idle trace.json | prof-export --to folded --sample-index samples --root pid --sort
			prof-import trace.json | prof-text --raw | grep -o "f /a.js.*"' <<'END'
pid:=9 |;h 7000
thread=Main|;pid:=7 |;f 70000
thread=Main|;pid:=7 |;f;(anonymous) 40000
thread=Worker|;pid:=8 |;g 10000
7;(idle) 1
7;f 2
7;f;(anonymous) 1
8;g 3
9;h 1
f /a.js:0:0 s=5
END
	sed '1s/.*/[/; s/^\(.*"Worker.*\)\],"metadata.*/\1]/' trace.json >list.json
	check 'Chrome trace: a list of events is the same' 0 \
		'prof-import trace.json | cat >w; prof-import list.json | cmp - w' <<'END'
END
	{ printf '{"metadata":{"x":"%0100000d"},' 0; sed '1s/{//; s/,"metadata.*/}/' trace.json; } >late.json
	check 'Chrome trace: long metadata before its events' 0 'prof-import late.json | cmp - w' <<'END'
END
	# A program that dies leaves no end of the list.
	sed '$s/\]$/,/' list.json >open.json
	sed '$s/\]$//' list.json >open2.json
	check 'Chrome trace: a list without its end' 0 '
		for f in open open2; do prof-import $f.json | cmp - w; done; tail -c4 open.json' <<'END'
}},
END
	sed '$s/}\]$//' list.json >cut.json
	check_err 'Chrome trace: a list that is cut' 2 'prof-import cut.json' 'JSON: line '
	sed 's/"pid":9,"tid":2/"pid":7,"tid":1/; s/"startTime":0,"endTime":9/"startTime":1050,"endTime":1059/' \
		trace.json >twice.json
	check_err 'Chrome trace: a thread counts once' 0 \
		'prof-import twice.json | prof-export --to folded >w; ! grep h w' 'at the same time: 1'
	# Threads write into buffers of their own, so events are in no order; and
	# numbers that are not of samples may be larger than 64 bits.
	python3 - <<'END'
import json
d = json.load(open("trace.json"))
e = d["traceEvents"]
for i, x in enumerate(e):
    x["ts"] = i
e.reverse()
json.dump(d, open("turned.json", "w"))
e[0]["args"]["huge"] = 18446744073709551616
json.dump(d, open("huge.json", "w"))
e[:] = [x for x in e if x["name"] != "Profile" or x["pid"] == 8]
json.dump(d, open("headless.json", "w"))
END
	for f in turned huge; do
		check "Chrome trace: $f" 0 "prof-import $f.json | prof-export --to folded --headers --sort >w
			prof-import trace.json | prof-export --to folded --headers --sort | diff - w" <<'END'
END
	done
	check_err 'Chrome trace: a profile that began before it' 0 \
		'prof-import headless.json | prof-export --to folded --root pid --sort >w; grep -c "^[89];" w | grep -qx 2 && ! grep "^7;" w' \
		'headless.json: profiles left out because they began before the trace: 1 of 3'
	sed 's/,"id":[0-9]*//' v8.heapprofile >noid.heapprofile
	check '.heapprofile: nodes without ids' 0 \
		'prof-import noid.heapprofile | cat >w; prof-import v8.heapprofile | cmp - w' <<'END'
END
	printf '{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]}' >times.json
	check_err 'Chrome trace: without samples' 2 'prof-import times.json' \
		'without CPU samples; record it with the category disabled-by-default-v8.cpu_profiler'
	printf '{"traceEvents":[],"samples":[{"sf":1}],"stackFrames":{"1":{"name":"a"}}}' >hermes.json
	check_err 'Chrome trace: samples of another kind' 2 'prof-import hermes.json' 'stackFrames'
	sed 's/"parent":2/"parent":9/' trace.json >orphan.json
	check_err 'Chrome trace: a parent that is missing' 2 'prof-import orphan.json' 'a parent that does not exist'
	check_err 'JSON: what would take too much memory' 2 'prof-import --max-size=4K trace.json' \
		'bytes of JSON take up to 16 times as much memory, more than the limit; --max-size=1G raises it'
	# node writes the same samples in both forms.
	if have node && node --cpu-prof --cpu-prof-name=both.cpuprofile \
		--trace-event-categories=disabled-by-default-v8.cpu_profiler,v8 -e \
		'let t = Date.now(); function spin() { while (Date.now() - t < 100); } spin()' 2>/dev/null &&
		[ -s node_trace.1.log ]; then
		prof-import both.cpuprofile | prof-export --to folded --sort >w
		prof-import -q node_trace.1.log | prof-export --to folded --sort >got
		grep -q 'spin ' w && cmp -s w got && ok 'Chrome trace: of node' ||
			diff w got | not_ok 'Chrome trace: of node'
	else
		skip 'Chrome trace: of node' 'no node'
	fi
	printf '\000' >fuzz.c1; cat trace.json >>fuzz.c1
	printf '\001' >fuzz.c2; cat twice.json >>fuzz.c2
	printf '\000' >fuzz.a; cat calls.cpuprofile >>fuzz.a
	printf '\000' >fuzz.b; cat evented.json >>fuzz.b
	printf '\000' >fuzz.d; cat v8.heapprofile >>fuzz.d
	printf '\001' >fuzz.c; cat old.cpuprofile >>fuzz.c
fi

check_err 'sums past 64 bits are said' 0 \
	"printf 'f %s\nf 2\n' 9223372036854775807 | prof-import -q |
		prof-export --to callgrind -o /dev/null" \
	'sums of samples overflow 64 bits; clamped to the limit'

# --- other readers ---

for f in plain script calls.cpuprofile out.json; do
	check_err "other readers name the format of $f" 2 "prof-text $f" 'use prof-import'
done

# --- fuzz targets, over these files ---

for f in plain marked two script aligned flat out.json first; do
	printf '\000' >"fuzz.$f"
	cat "$f" >>"fuzz.$f"
done
check 'fuzz-foreign: these files' 0 'fuzz-foreign fuzz.* 2>/dev/null' <<'END'
END
# --- perf.data ---

# words NUMBER...: 64 bits each, lowest byte first.
words() {
	for w; do
		for i in 0 8 16 24 32 40 48 56; do
			printf "\\$(printf %o $((w >> i & 255)))"
		done
	done
}
# A header, an event without ids, one record (68: the end of a round), the places of
# three features: 2 (build-ids), 3 (the host's name), 11 (the command line); and these.
{
	printf PERFILE2
	words 104 144 104 144 248 8 0 0 $((1 << 2 | 1 << 3 | 1 << 11)) 0 0 0
	words $((1 | 128 << 32)) 0 1000 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0
	words $((68 | 8 << 48)) 304 8 312 8 320 16 0 0 $((1 | 4 << 32)) $((0x706f74))
} >whole.data
head -c 328 whole.data >end.data
head -c 303 whole.data >table.data
head -c 256 whole.data >records.data
check 'perf.data: cut after its records' 0 '
	for f in whole end table records; do
		prof-import $f.data 2>&1 >/dev/null
		prof-import --strict $f.data 2>&1 >/dev/null
		echo $?
	done | grep -v "data: no samples$\|data: no build-ids:"' <<'END'
0
prof-import: end.data: the file is cut after its records; sections missing: 1 (the command line)
prof-import: end.data: the file is cut after its records; sections missing: 1 (the command line)
2
prof-import: table.data: the file is cut after its records; sections missing: 3 (build-ids, the command line)
prof-import: table.data: the file is cut after its records; sections missing: 3 (build-ids, the command line)
2
prof-import: records.data: the file is cut after its records; sections missing: 3 (build-ids, the command line)
prof-import: records.data: the file is cut after its records; sections missing: 3 (build-ids, the command line)
2
END

# stacked FILE: a sample of what was mapped from FILE, with registers of x86-64 and
# a stack, so that its callers are looked for in FILE.
stacked() {
	printf PERFILE2
	words 104 144 104 144 248 $((296 + 280)) 0 0 0 0 0 0
	words $((1 | 128 << 32)) 0 1000 $((0x3007)) 0 $((0x300)) 0 0 0 0 $((0xff0fff)) 64 0 0 0 0 0 0
	words $((1 | 2 << 32 | 296 << 48)) $((7 | 7 << 32)) $((0x400000)) $((0x1000)) 0
	printf %s "$1"
	head -c $((256 - ${#1})) /dev/zero
	words $((9 | 2 << 32 | 280 << 48)) $((0x400010)) $((7 | 7 << 32)) 1000 2
	words 1 2 3 4 5 6 7 $((0x7000)) $((0x400010)) 9 10 11 12 13 14 15 16 17 18 19
	words 64 0 0 0 0 0 0 0 0 64
}
# Who opens a pipe wakes the one that waits to write into it.
mkfifo pipe
(exec 3>pipe && : >opened) 2>/dev/null &
writer=$!
for i in "$PWD/pipe" /dev/watchdog /proc/version; do
	stacked "$i" >"stacked.${i##*/}"
done
check 'perf.data: no pipe, device or file of the kernel that it names is opened' 0 '
	for i in pipe watchdog version; do
		prof-import stacked.$i 2>err | prof-text -q --folded
		sed -n "s|.*parts of files.* cannot be read.*/||p" err
	done; sleep .1; ls opened 2>/dev/null || :' <<'END'
[pipe] 1000
pipe
[watchdog] 1000
watchdog
[version] 1000
version
END
kill $writer 2>/dev/null
plan
