#!/bin/sh
# prof-text where report.t cannot compare: the listings of current pprof,
# deliberate differences, options that pprof lacks.
. "${srcdir:-.}/tests/lib/tap.sh"

check 'the table' 0 'prof-text $data/good-tiny.pb.gz' <<'END'
File: demo
Build ID: abc123
Type: cpu
Time: 2023-11-14 22:13:20 UTC
Duration: 2s, Total samples = 660ms (33.00%)
Showing nodes accounting for 660ms, 100% of 660ms total
      flat  flat%   sum%        cum   cum%
     300ms 45.45% 45.45%      300ms 45.45%  helper (inline)
     200ms 30.30% 75.76%      200ms 30.30%  rec
     100ms 15.15% 90.91%      400ms 60.61%  leaf
      50ms  7.58% 98.48%      450ms 68.18%  work
      10ms  1.52%   100%      660ms   100%  main
END

check 'standard input, and an option after the operand' 0 \
	'prof-text - --compact_labels --nodecount=1 <$data/good-tiny.pb.gz' <<'END'
Showing nodes accounting for 300ms, 45.45% of 660ms total
Showing top 1 nodes out of 5
      flat  flat%   sum%        cum   cum%
     300ms 45.45% 45.45%      300ms 45.45%  helper
END

check 'the tree' 0 'prof-text --tree --compact-labels $data/good-tiny.pb.gz' <<'END'
Showing nodes accounting for 660ms, 100% of 660ms total
----------------------------------------------------------+-------------
      flat  flat%   sum%        cum   cum%   calls calls% + context 	 	 
----------------------------------------------------------+-------------
                                             300ms   100% |   leaf (inline)
     300ms 45.45% 45.45%      300ms 45.45%                | helper
----------------------------------------------------------+-------------
                                             200ms   100% |   main
     200ms 30.30% 75.76%      200ms 30.30%                | rec
----------------------------------------------------------+-------------
                                             400ms   100% |   work
     100ms 15.15% 90.91%      400ms 60.61%                | leaf
                                             300ms 75.00% |   helper (inline)
----------------------------------------------------------+-------------
                                             450ms   100% |   main
      50ms  7.58% 98.48%      450ms 68.18%                | work
                                             400ms 88.89% |   leaf
----------------------------------------------------------+-------------
      10ms  1.52%   100%      660ms   100%                | main
                                             450ms 68.18% |   work
                                             200ms 30.30% |   rec
----------------------------------------------------------+-------------
END

check 'the time is local, as in pprof' 0 \
	'TZ=Asia/Tokyo prof-text $data/good-tiny.pb.gz | grep Time:' <<'END'
Time: 2023-11-15 07:13:20 JST
END

check 'columns' 0 \
	'prof-text --lines --showcolumns --compact-labels --trim-path=/src:/foo $data/good-tiny.pb.gz | sed 1d' <<'END'
      flat  flat%   sum%        cum   cum%
     300ms 45.45% 45.45%      300ms 45.45%  helper demo/util.h:7:9 (inline)
     200ms 30.30% 75.76%      200ms 30.30%  rec demo/rec.c:55:4
     100ms 15.15% 90.91%      100ms 15.15%  leaf demo/work.c:46:2
      50ms  7.58% 98.48%      450ms 68.18%  work demo/work.c:22:5
      10ms  1.52%   100%      660ms   100%  main demo/main.c:12:3
         0     0%   100%      300ms 45.45%  leaf demo/work.c:44:1
END

check 'paths are trimmed in traces, too' 0 \
	'prof-text --traces --lines --trim-path=/src $data/good-tiny.pb.gz | sed -n 7,10p' <<'END'
     300ms   helper demo/util.h:7 (inline)
             leaf demo/work.c:44
             work demo/work.c:22
             main demo/main.c:12
END

check 'addresses show columns, unless inlines are hidden' 0 \
	'for o in "" --noinlines "--noinlines --showcolumns"; do
		prof-text --addresses $o $data/good-tiny.pb.gz | grep 404000
	done' <<'END'
     200ms 30.30% 75.76%      200ms 30.30%  0000000000404000 rec /src/demo/rec.c:55:4
     200ms 30.30% 75.76%      200ms 30.30%  0000000000404000 rec /src/demo/rec.c:55
     200ms 30.30% 75.76%      200ms 30.30%  0000000000404000 rec /src/demo/rec.c:55:4
END

check 'a file is one row' 0 \
	'prof-text --files --compact-labels $data/good-tiny.pb.gz | sed 1d' <<'END'
      flat  flat%   sum%        cum   cum%
     300ms 45.45% 45.45%      300ms 45.45%  /src/demo/util.h (inline)
     200ms 30.30% 75.76%      200ms 30.30%  /src/demo/rec.c
     150ms 22.73% 98.48%      450ms 68.18%  /src/demo/work.c
      10ms  1.52%   100%      660ms   100%  /src/demo/main.c
END

check 'an explicit nodecount counts without trimming' 0 \
	'prof-text --trim=false --nodecount=2 $data/good-tiny.pb.gz | tail -n 3' <<'END'
      flat  flat%   sum%        cum   cum%
     300ms 45.45% 45.45%      300ms 45.45%  helper
     200ms 30.30% 75.76%      200ms 30.30%  rec
END

check 'the heap columns have names' 0 \
	'for i in 0 alloc_space inuse_objects; do
		prof-text --sample-index=$i $data/good-heap4.pb.gz | grep Showing
	done
	prof-text --alloc-objects --trim=false --nodecount=1 $data/good-heap4.pb.gz | grep Type' <<'END'
Showing nodes accounting for 20, 100% of 20 total
Showing nodes accounting for 7178kB, 100% of 7178.29kB total
Showing nodes accounting for 6, 100% of 6 total
Type: alloc_objects
END
check_err 'an unknown unit' 2 'prof-text --unit=parsec $data/good-heap4.pb.gz' \
	"--unit: unknown unit 'parsec'; one of auto, minimum, count, sample, unit, b, kb,"
check_err 'a word that stands for units, as it is written' 2 \
	'prof-text --unit=Auto $data/good-heap4.pb.gz' "unknown unit 'Auto'"
check_err 'a negative divisor' 2 'prof-text --divide-by=-2 $data/good-heap4.pb.gz' \
	"--divide-by: '-2' is negative"
check 'a unit of the profile itself' 0 'printf "# work lamps\nmain 7\n" | mkprof |
	prof-text --unit=lamps | grep -c 7lamps' <<'END'
2
END
check_err 'an unknown column' 2 'prof-text --sample-index=foo $data/good-heap4.pb.gz' \
	'sample index "foo" must be one of: [alloc_objects alloc_space inuse_objects inuse_space]'
check_err 'a column out of range' 2 'prof-text --sample-index=9 $data/good-heap4.pb.gz' \
	'sample index 9 is outside the range [0..3]'
check 'a column that is 0 everywhere' 0 'printf "# a objects b bytes c bytes\nmain 7 0 5\n" | mkprof >zero
	prof-text --sample-index=b zero 2>&1 | head -1; prof-text --sample-index=a zero 2>&1 | head -1' <<'END'
prof-text: b is 0 in all samples, c is not: see --sample-index
Type: a
END
check_err 'two granularities' 2 'prof-text --lines --files $data/good-heap4.pb.gz' \
	'--lines and --files exclude each other'
check_err 'two reports' 2 'prof-text --tree --top $data/good-heap4.pb.gz' \
	'--tree and --top exclude each other'

check 'documentation URL; names cannot steer a terminal' 0 \
	'prof-text -q --sample-index=size $data/good-full.pb.gz | sed "/^File/d;/^Build/d"' <<'END'
built from 1234
Type: size
Doc: https://example.com/profiles
Time: 2023-11-14 22:13:20 UTC
Duration: 90.50s, Total samples = 25kB 
Showing nodes accounting for -23kB, 92.00% of 25kB total
      flat  flat%   sum%        cum   cum%
     -24kB 96.00% 96.00%      -23kB 92.00%  not utf-8: \xff\xfe (inline)
       1kB  4.00% 92.00%      -23kB 92.00%  tab	here
         0     0% 92.00%      -23kB 92.00%  ns::Server<int>::run(int)
END
check_err 'sums that do not fit are said' 0 \
	'prof-text --sample-index=hits -o /dev/null $data/good-full.pb.gz' \
	'sums overflow 64 bits; clamped to the limit'
check_err 'a divisor that makes values overflow' 0 \
	'prof-text --divide-by=1e-300 --sample-index=size -o /dev/null $data/good-full.pb.gz' \
	'--divide-by=1e-300: values overflow 64 bits; clamped to the limit'

# How it was sampled: merged profiles have several such comments.
cat >sampled <<'END'
# samples count
@comment # sampling: clock=cpu asked_hz=100 achieved_hz=100 ticks=600 signals=600 lost=3 truncated=40 unwind_failed=0 untimed_threads=0
@comment # sampling: clock=cpu asked_hz=100 achieved_hz=98.5 ticks=400 signals=394 lost=4 truncated=2 unwind_failed=20 untimed_threads=2
main 994
END
check 'a report says what sampling missed, when it matters' 0 \
	'mkprof sampled | prof-text 2>&1 >/dev/null' <<'END'
prof-text: 4.2% of the stacks are truncated: too many frames
prof-text: 2% of the stacks end before their root
prof-text: 2 threads were not sampled
END
sed 's/ticks=[0-9]*/ticks=100000/; s/asked_hz=100/asked_hz=1000/; s/threads=2/threads=-x/' sampled >coarse
check 'a report says what sampling missed, when it matters and when it was coarser than asked for' 0 \
	'mkprof coarse | prof-text 2>&1 >/dev/null' <<'END'
prof-text: sampled at 99.25 Hz, not 1000 as asked: coarser, and biased where threads sleep in a rhythm (--clock=perf keeps to the rate)
END
# By chance two recordings miss more than one, but less than twice as much.
sed 's/ticks=[0-9]*/ticks=100/; s/lost.*/lost=0 cpu_used=1.07 missed=7 chance=0.06/; s/achieved_hz=98.5/achieved_hz=100/' sampled >missed
check 'what the recorder does not know to be chance, a report says' 0 \
	'mkprof missed | prof-text 2>&1 >/dev/null; sed s/=0.06/=0.08/ missed >chance; mkprof chance | prof-text 2>&1 >/dev/null
	sed s/=0.06/=0.11/ missed >chance; mkprof chance | prof-text 2>&1 >/dev/null
	sed "s/ticks=100/ticks=0/" missed >chance; mkprof chance | prof-text 2>&1 >/dev/null' <<'END'
prof-text: 6.54% of the CPU time was not sampled: it is in [not sampled]
prof-text: 6.54% of the CPU time was not sampled: it is in [not sampled]
prof-text: 100% of the CPU time was not sampled: it is in [not sampled]
END
check 'a report says what sampling missed, when it matters, but its comment is not part of the header' 0 \
	'mkprof coarse | prof-text 2>/dev/null | head -2' <<'END'
Type: samples
Showing nodes accounting for 994, 100% of 994 total
END

printf '# n count\na\033[31m;b\342\200\256x;c\302\205d 5\n' >names
check 'escapes' 0 'mkprof names | prof-text --compact-labels | sed 1,2d' <<'END'
         5   100%   100%          5   100%  c\u0085d
         0     0%   100%          5   100%  a\x1b[31m
         0     0%   100%          5   100%  b\u202ex
END

# --- the other reports ---

check 'raw' 0 \
	'prof-text --raw $data/good-tiny.pb.gz' <<'END'
PeriodType: cpu nanoseconds
Period: 10000000
Time: 2023-11-14 22:13:20 +0000 UTC
Duration: 2s
Samples:
samples/count cpu/nanoseconds
         30  300000000: 3 2 1 
         10  100000000: 4 2 1 
         20  200000000: 5 5 5 1 
          5   50000000: 2 1 
          1   10000000: 1 
Locations
     1: 0x401000 M=1 main /src/demo/main.c:12:3 s=10
     2: 0x402000 M=1 work /src/demo/work.c:22:5 s=20
     3: 0x403000 M=1 helper /src/demo/util.h:7:9 s=5
             leaf /src/demo/work.c:44:1 s=40
     4: 0x403010 M=1 leaf /src/demo/work.c:46:2 s=40
     5: 0x404000 M=1 rec /src/demo/rec.c:55:4 s=50
Mappings
1: 0x400000/0x500000/0x0 /opt/app/bin/demo abc123 [FN][FL][LN][IN]
END
check 'raw, every field' 0 \
	'prof-text --raw --all-frames $data/good-full.pb.gz | sed -n "1,21p"' <<'END'
Comment: # a hidden comment
Comment: built from 1234
Comment: # a hidden comment
Doc: https://example.com/profiles
PeriodType: wall microseconds
Period: 250
Time: 2023-11-14 22:13:20.123456789 +0000 UTC
Duration: 1m30
Samples:
hits/count wall/microseconds[dflt] size/kilobytes
          3       1500        -12: 7 18446744073709551615 
          3       1500        -12: 7 18446744073709551615 
          1         10          0: 
          0          0          0: 18446744073709551615 
 9223372036854775807 -9223372036854775808          1: 40 7 40 7 18446744073709551615 
                user:[ann bob]
                delta:[-7  0 widgets] request:[512  1024 bytes]
Locations
     7: 0x7f0000001234 M=3 not utf-8: \xff\xfe :3:80 s=0
             tab	here ../rel/./path//x.c:9:0 s=8(tab_here)
18446744073709551615: 0x55d000000fff M=9000000000000000000 ns::Server<int>::run(int) /src/server "one".cc:0:0 s=1(_ZN2ns6ServerIiE3runEi)
END
check 'tags, each number in its own unit' 0 \
	'prof-text --tags --tagshow="depth|lat|user" $data/good-tags.pb.gz' <<'END'
 depth: Total 20ms of 470ms ( 4.26%)
        20ms ( 4.26%): 7

 lat: Total 80ms of 470ms (17.02%)
      30ms ( 6.38%): 2s
      30ms ( 6.38%): 5ms
      20ms ( 4.26%): 1.50s

 user: Total 390ms of 470ms (82.98%)
       140ms (29.79%): bob
       130ms (27.66%): ann
        50ms (10.64%): cat "q" \x
        40ms ( 8.51%): dan
        30ms ( 6.38%): eve

END
check 'tags in a unit' 0 \
	'prof-text --tags --tagshow=bytes --unit=kb $data/good-tags.pb.gz | head -4' <<'END'
 bytes: Total 0.44s of 0.47s (93.62%)
        0.10s (21.28%): 1kB
        0.08s (17.02%): 2kB
        0.06s (12.77%): 4kB
END
printf '# n count\na 3 {span id=1700000000000000001}\na 2 {span id=1700000000000000002}\n' | mkprof >spans
check 'tags beyond 2^53 have all digits' 0 'prof-text --tags spans; prof-text --traces spans | grep span' <<'END'
 span id: Total 5 of 5 (  100%)
          3 (60.00%): 1700000000000000001
          2 (40.00%): 1700000000000000002

   span id:  1700000000000000001
   span id:  1700000000000000002
END
check 'comments' 0 \
	'prof-text --comments $data/good-full.pb.gz' <<'END'
# a hidden comment
built from 1234
# a hidden comment
END
check 'types' 0 \
	'prof-text --list-types $data/good-heap4.pb.gz' <<'END'
   0          20  alloc_objects/count
   1      7.01MB  alloc_space/bytes
   2           6  inuse_objects/count
*  3         5MB  inuse_space/bytes
END
printf '# cpu nanoseconds\nmain;a 0\nmain;b 3\nmain;b 4\n' | mkprof >zero.pb
check 'traces have equal stacks and samples of 0, sums do not' 0 \
	'prof-text --traces zero.pb | grep -c main; prof-merge zero.pb | prof-text --traces | grep -c main' <<'END'
3
1
END
check 'traces' 0 \
	'prof-text --traces $data/good-tags.pb.gz | sed -n 3,11p' <<'END'
-----------+-------------------------------------------------------
       req:  r1
      user:  ann
     bytes:  1kB
     100ms   alpha
             main
-----------+-------------------------------------------------------
      user:  bob
     bytes:  2kB
END
printf '# n count\na;b 3\nx;y 1\na;b 4\na;b;c -2\na;d 0\n' >stacks
check 'folded adds equal stacks up' 0 \
	'mkprof stacks | prof-text --folded' <<'END'
a;b 7
x;y 1
a;b;c -2
END
check 'folded has all stacks, whatever the limits' 0 \
	'prof-text --folded --nodecount=1 --nodefraction=0.9 $data/good-tiny.pb.gz >few
	prof-text --folded --trim=false $data/good-tiny.pb.gz | cmp - few' </dev/null
check 'folded: a column, inlined functions' 0 \
	'prof-text --folded --sample-index=0 $data/good-tiny.pb.gz' <<'END'
main;work;leaf;helper 30
main;work;leaf 10
main;rec;rec;rec 20
main;work 5
main 1
END
check 'folded: labels as frames' 0 \
	'prof-text --folded --tagroot=user $data/good-tags.pb.gz | head -2' <<'END'
ann;main;alpha 100000000
bob;main;alpha 140000000
END
check 'tsv' 0 \
	'prof-text --tsv --lines --nodecount=2 $data/good-tiny.pb.gz' <<'END'
flat	cum	unit	name	function	file	line	column	address	object
300000000	300000000	nanoseconds	helper /src/demo/util.h:7	helper	/src/demo/util.h	7	0	0x0	
200000000	200000000	nanoseconds	rec /src/demo/rec.c:55	rec	/src/demo/rec.c	55	0	0x0	
END
check 'json' 0 \
	'prof-text --json --lines --nodecount=3 --focus=helper $data/good-tiny.pb.gz' <<'END'
{"schema": "profpipe.graph/1",
 "profile": {"file": "/opt/app/bin/demo", "build_id": "abc123", "period_type": "cpu", "period_unit": "nanoseconds", "period": 10000000, "time_ns": 1700000000000000000, "duration_ns": 2000000000, "comments": []},
 "type": "cpu", "unit": "nanoseconds", "mean": false, "total": 660000000,
 "filters": ["focus=helper"],
 "dropped_nodes": 0, "nodes_before_nodecount": 4,
 "nodes": [
  {"function": "helper", "file": "/src/demo/util.h", "line": 7, "name": "helper /src/demo/util.h:7", "flat": 300000000, "cum": 300000000},
  {"function": "leaf", "file": "/src/demo/work.c", "line": 44, "name": "leaf /src/demo/work.c:44", "flat": 0, "cum": 300000000},
  {"function": "main", "file": "/src/demo/main.c", "line": 12, "name": "main /src/demo/main.c:12", "flat": 0, "cum": 300000000}],
 "edges": [
  {"from": 1, "to": 0, "weight": 300000000, "inline": true, "residual": false},
  {"from": 2, "to": 1, "weight": 300000000, "inline": false, "residual": true}]}
END
cat >ok.py <<'END'
import json, sys
for name in sys.argv[1:]:
    try:
        p = json.load(open(name))
        n = len(p["nodes"])
        assert p["schema"] == "profpipe.graph/1"
        assert all(e["from"] < n and e["to"] < n for e in p["edges"])
    except Exception as e:
        print(name, e)
END
if have python3; then
	check 'json is JSON, whatever the names' 0 \
		'mkdir json
		for f in $data/good-*.pb.gz $data/good-*.pb; do
			prof-text -q --json --addresses --trim=false $f >json/${f##*/} || echo $f
		done
		python3 ok.py json/*' </dev/null
else
	skip 'json is JSON, whatever the names' 'no python3'
fi
cat >diffs <<'END'
# n count
a;b 30
a;c 10
a;b -20 {pprof::base="true"}
a;c -10 {pprof::base="true" x="y"}
END
check 'of a difference, the base is 100%' 0 \
	'mkprof diffs | prof-text --compact-labels' <<'END'
Showing nodes accounting for 10, 33.33% of 30 total
      flat  flat%   sum%        cum   cum%
        10 33.33% 33.33%         10 33.33%  b
         0     0% 33.33%         10 33.33%  a
END
check 'of a difference, the base is 100% and its mark is hidden' 0 \
	'for r in traces tags; do mkprof diffs | prof-text --$r; done | grep -v -e "^Type" -e "^---"' <<'END'
        30   b
             a
        10   c
             a
       -20   b
             a
         x:  y
       -10   c
             a
 x: Total -10 of 30 (33.33%)
    -10 (33.33%): y

END
check 'rows that are left out are counted' 0 \
	'prof-text --compact-labels --min-flat=15% --min-cum=0.25s $data/good-tiny.pb.gz' <<'END'
Showing nodes accounting for 400ms, 60.61% of 660ms total
Left out 3 nodes (flat < 99ms or cum < 250ms)
      flat  flat%   sum%        cum   cum%
     300ms 45.45% 45.45%      300ms 45.45%  helper (inline)
     100ms 15.15% 60.61%      400ms 60.61%  leaf
END
check 'a limit is in the unit of the values, and divided as they are' 0 '
	prof-text --compact-labels --divide-by=2 --min-flat=100ms $data/good-tiny.pb.gz
	prof-text --tsv --divide-by=2 --min-flat=200ms $data/good-tiny.pb.gz | cut -f1,4' <<'END'
Showing nodes accounting for 250ms, 75.76% of 330ms total
Left out 3 nodes (flat < 100ms)
      flat  flat%   sum%        cum   cum%
     150ms 45.45% 45.45%      150ms 45.45%  helper (inline)
     100ms 30.30% 75.76%      100ms 30.30%  rec
flat	name
300000000	helper
200000000	rec
END
check_err 'a limit in another unit' 2 \
	'prof-text --min-cum=3MB $data/good-tiny.pb.gz' \
	"--min-cum: '3MB' is not in nanoseconds, as the values are"
check_err 'nothing to peek at' 2 'prof-text --peek=zzz $data/good-tiny.pb.gz' \
	'no matches found for regexp: zzz'
check_err 'a bad pattern' 2 'prof-text --peek="(" $data/good-tiny.pb.gz' 'parsing peek regexp'
check 'peek' 0 \
	'prof-text --peek=^leaf --compact-labels $data/good-tiny.pb.gz' <<'END'
Showing nodes accounting for 660ms, 100% of 660ms total
----------------------------------------------------------+-------------
      flat  flat%   sum%        cum   cum%   calls calls% + context 	 	 
----------------------------------------------------------+-------------
                                             400ms   100% |   work
     100ms 15.15% 15.15%      400ms 60.61%                | leaf
                                             300ms 75.00% |   helper (inline)
----------------------------------------------------------+-------------
END
check 'filters are in the legend' 0 \
	'prof-text --focus=leaf --nodecount=1 --compact-labels $data/good-tiny.pb.gz' <<'END'
Active filters:
   focus=leaf
Showing nodes accounting for 300ms, 45.45% of 660ms total
Showing top 1 nodes out of 4
      flat  flat%   sum%        cum   cum%
     300ms 45.45% 45.45%      300ms 45.45%  helper
END
check 'percentages of what is left' 0 \
	'prof-text --focus=leaf --relative-percentages --nodecount=1 --compact-labels $data/good-tiny.pb.gz' <<'END'
Active filters:
   focus=leaf
Showing nodes accounting for 300ms, 75.00% of 400ms total
Showing top 1 nodes out of 4
      flat  flat%   sum%        cum   cum%
     300ms 75.00% 75.00%      300ms 75.00%  helper
END
check 'several operands are added up' 0 \
	'prof-text --compact-labels $data/good-tiny.pb.gz $data/good-tiny.pb.gz | sed -n 3p' <<'END'
     600ms 45.45% 45.45%      600ms 45.45%  helper (inline)
END

# --- the examples of the manual page ---

ln -s "$data/good-tags.pb.gz" profile.pb.gz
ln -s "$data/good-heap4.pb.gz" heap.pb.gz
check 'example: ten functions' 0 \
	'prof-text --cum --nodecount=10 profile.pb.gz | tail -1' <<'END'
      80ms 17.02%   100%       80ms 17.02%  beta
END
check 'example: who calls what' 0 \
	'prof-text --tree --lines profile.pb.gz | tail -3' <<'END'
                                             360ms 76.60% |   alpha /src/f.c:10
                                              80ms 17.02% |   beta /src/f.c:10
----------------------------------------------------------+-------------
END
check 'example: allocated bytes' 0 \
	'prof-text --sample-index=alloc_space heap.pb.gz | grep Type' <<'END'
Type: alloc_space
END
check 'example: folded' 0 \
	'prof-text --folded --tagfocus=user=ann profile.pb.gz' <<'END'
main;alpha 100000000
main 30000000
END
check 'example: json' 0 \
	'prof-text --json --nodecount=1 profile.pb.gz | grep -o "\"function\": \"[a-z]*\""' <<'END'
"function": "alpha"
END
# --- where pprof answers otherwise ---

# A label "lat" is 2 s in one sample and 5 ms in others.
printf '# n count\nf 1 {lat=5ms}\nf 2 {lat=2s}\n' | mkprof >units.pb.gz
check "a label's numbers in several units: each in its own" 0 \
	'prof-text --tags units.pb.gz' <<'END'
 lat: Total 3 of 3 (  100%)
      2 (66.67%): 2s
      1 (33.33%): 5ms

END
pprof=$(go env GOTOOLDIR 2>/dev/null)/pprof
if [ -x "$pprof" ]; then
	export pprof
	check "a label's numbers in several units: each in its own, pprof: all in the first one's" 0 \
		'$pprof -tags -symbolize=none units.pb.gz 2>/dev/null' <<'END'
 lat: Total 3.0
      2.0 (66.67%): 2ms
      1.0 (33.33%): 5ms

END
else
	skip "a label's numbers in several units: each in its own, pprof: all in the first one's" 'no go tool pprof'
fi

# --- differences ---

prof-diff -o diff.pb.gz "$data/good-old.pb.gz" "$data/good-new.pb.gz"
cp "$data/good-old.pb.gz" old.pb.gz
cp "$data/good-new.pb.gz" new.pb.gz
check 'what changed: before and after' 0 'prof-text --diff diff.pb.gz' <<'END'
File: app
both
new
old
Type: cpu
Time: 2020-09-13 12:26:40 UTC
Duration: 3s, Total samples = 1020ms (34.00%)
Total 1020ms before, 1050ms after: +30ms (+2.94%)
Left out 2 nodes without change of flat
flat before  flat after      change  change%  before%  after%
      400ms       600ms      +200ms  +50.00%   39.22%  57.14%  a
      250ms       100ms      -150ms  -60.00%   24.51%   9.52%  b
       70ms           0       -70ms     gone    6.86%      0%  e
          0        50ms       +50ms      new       0%   4.76%  d
END
check 'the same of cum, an example of the manual page' 0 \
	'prof-diff old.pb.gz new.pb.gz | prof-text --diff --cum | sed 1,7d' <<'END'
Total 1020ms before, 1050ms after: +30ms (+2.94%)
Left out 1 node without change of cum
 cum before   cum after      change  change%  before%  after%
      400ms       600ms      +200ms  +50.00%   39.22%  57.14%  a
      250ms       150ms      -100ms  -40.00%   24.51%  14.29%  b
       70ms           0       -70ms     gone    6.86%      0%  e
          0        50ms       +50ms      new       0%   4.76%  d
     1020ms      1050ms       +30ms   +2.94%     100%    100%  main
END
prof-diff old.pb.gz new.pb.gz | prof-text --diff --cum >one
check 'that example as it stands' 0 \
	'prof-diff old.pb.gz new.pb.gz | prof-text --diff --cum' <one
check 'changes, the untrimmed ones, too' 0 \
	'prof-text --diff --trim=false --compact-labels diff.pb.gz' <<'END'
Total 1020ms before, 1050ms after: +30ms (+2.94%)
flat before  flat after      change  change%  before%  after%
      400ms       600ms      +200ms  +50.00%   39.22%  57.14%  a
      250ms       100ms      -150ms  -60.00%   24.51%   9.52%  b
       70ms           0       -70ms     gone    6.86%      0%  e
          0        50ms       +50ms      new       0%   4.76%  d
      300ms       300ms           0       0%   29.41%  28.57%  c
          0           0           0       0%       0%      0%  main
END
check 'changes, fewer of them' 0 \
	'prof-text --diff --compact-labels --nodecount=3 --nodefraction=0.06 --min-flat=100ms --unit=s diff.pb.gz' <<'END'
Total 1.02s before, 1.05s after: +0.03s (+2.94%)
Left out 2 nodes without change of flat
Dropped 1 node (change of cum < 0.06s)
Left out 1 node (change of flat < 0.10s)
flat before  flat after      change  change%  before%  after%
      0.40s       0.60s      +0.20s  +50.00%   39.22%  57.14%  a
      0.25s       0.10s      -0.15s  -60.00%   24.51%   9.52%  b
END
check 'changes, the top of them, filtered' 0 \
	'prof-text --diff --compact-labels --nodecount=1 --ignore="^a$" --drop-negative diff.pb.gz
	prof-text --diff --compact-labels --focus="^[bd]$" --relative-percentages --cum diff.pb.gz' <<'END'
Active filters:
   ignore=^a$
Total 1020ms before, 1050ms after: +30ms (+2.94%)
Left out 1 node without change of flat
flat before  flat after      change  change%  before%  after%
          0        50ms       +50ms      new       0%   4.76%  d
Active filters:
   focus=^[bd]$
Total 250ms before, 150ms after: -100ms (-40.00%)
 cum before   cum after      change  change%  before%  after%
      250ms       150ms      -100ms  -40.00%     100%    100%  b
      250ms       150ms      -100ms  -40.00%     100%    100%  main
          0        50ms       +50ms      new       0%  33.33%  d
END
check 'filters of labels leave the sides of a difference as they are' 0 '
	prof-text --diff --compact-labels diff.pb.gz >plain
	for o in --tagshow=user --taghide=. --tagignore=true; do
		prof-text -q --diff --compact-labels $o diff.pb.gz | sed 1,2d | cmp - plain
		prof-filter -q $o diff.pb.gz | prof-text --diff --compact-labels | cmp - plain
	done
	prof-text --diff --compact-labels --tagfocus=pprof::base=true diff.pb.gz | tail -1' <<'END'
       70ms           0       -70ms     gone    6.86%      0%  e
END
check_err 'the mark of a diff base is no label to be found' 0 \
	'prof-text --diff --tagfocus=true diff.pb.gz >/dev/null' 'tagfocus expression matched no samples'
check 'changes with tabs' 0 'prof-text --diff --tsv --nodecount=2 diff.pb.gz | tr "\t" ,' <<'END'
flat_before,flat_after,flat_change,cum_before,cum_after,cum_change,total_before,total_after,unit,name,function,file,line,column,address,object
400000000,600000000,200000000,400000000,600000000,200000000,1020000000,1050000000,nanoseconds,a,a,,0,0,0x0,
250000000,100000000,-150000000,250000000,150000000,-100000000,1020000000,1050000000,nanoseconds,b,b,,0,0,0x0,
END
check 'changes as JSON' 0 'prof-text --diff --json --nodecount=2 --min-cum=200 --sample-index=samples diff.pb.gz
	prof-text --diff --json --nodecount=1 --sample-index=samples --lines diff.pb.gz | sed 1,2d' <<'END'
{"schema": "profpipe.diff/1",
 "profile": {"file": "/bin/app", "period_type": "cpu", "period_unit": "nanoseconds", "period": 10000000, "time_ns": 1600000000000000000, "duration_ns": 3000000000, "comments": ["both", "new", "old"]},
 "type": "samples", "unit": "count", "mean": false, "total": {"before": 102, "after": 105, "change": 3},
 "filters": [],
 "unchanged_nodes": 2, "dropped_nodes": 0, "nodes_before_nodecount": 4,
 "nodes": []}
 "type": "samples", "unit": "count", "mean": false, "total": {"before": 102, "after": 105, "change": 3},
 "filters": [],
 "unchanged_nodes": 2, "dropped_nodes": 0, "nodes_before_nodecount": 4,
 "nodes": [
  {"function": "a", "file": "/src/f.c", "line": 10, "name": "a /src/f.c:10", "flat": {"before": 40, "after": 60, "change": 20}, "cum": {"before": 40, "after": 60, "change": 20}}]}
END
printf '# contentions count delay nanoseconds\nmain;f 10 1000\nmain;g 4 80\n' |
	mkprof >locks1.pb.gz
printf '# contentions count delay nanoseconds\nmain;f 5 2000\nmain;g 4 80\n' |
	mkprof >locks2.pb.gz
check 'changes of a mean are those of the two means' 0 \
	'prof-diff locks1.pb.gz locks2.pb.gz | prof-text --diff --mean-delay --compact-labels' <<'END'
Total 77ns before, 231ns after: +154ns (+200.00%)
Left out 2 nodes without change of flat
flat before  flat after      change  change%  before%  after%
      100ns       400ns      +300ns +300.00%  129.87% 173.16%  f
END
check 'labels of a mean have means' 0 'printf "%s\n" "# contentions count delay nanoseconds" \
	"main 10 1000 {a=\"x\"}" "f 5 1000 {a=\"x\"}" "g 1 900 {a=\"y\"}" | mkprof |
	prof-text --tags --mean-delay' <<'END'
 a: Total 181ns of 181ns (  100%)
    900ns (497.24%): y
     133ns (73.48%): x

END
check 'edges of a mean are means' 0 \
	'prof-text --peek=main --mean-delay --compact-labels locks1.pb.gz | tail -5' <<'END'
----------------------------------------------------------+-------------
         0     0%     0%       77ns   100%                | main
                                             100ns 129.87% |   f
                                              20ns 25.97% |   g
----------------------------------------------------------+-------------
END
check_err 'no changes of what is no difference' 2 \
	'prof-text --diff $data/good-old.pb.gz' \
	'no difference: no sample has the label pprof::base=true'
check_err 'no changes of a subtraction: its sides are gone' 2 \
	'prof-diff --base $data/good-old.pb.gz $data/good-new.pb.gz | prof-text --diff' \
	'no difference: no sample has the label pprof::base=true'
for o in json folded traces tags raw comments list-types; do
	check_err "no rows to leave out of --$o" 2 "prof-text --min-cum=1 --$o nope" \
		"prof-text: --min-cum is for tables: it excludes --$o"
done
check_err 'changes are no tree' 2 'prof-text --diff --tree diff.pb.gz' \
	"--diff is a table: it excludes --tree"

for o in raw comments list-types; do
	check_err "--$o of a column that is not there" 2 \
		"prof-text --$o --sample-index=nope old.pb.gz" 'must be one of: [samples cpu]'
done
printf '# cpu nanoseconds\nmain 1\n' | mkprof >noperiod.pb
check 'raw without a period, as pprof prints it' 0 \
	'prof-text --raw noperiod.pb | sed -n 1,2p | tr " " _' <<'END'
PeriodType:__
Period:_0
END
printf -- '--- heapz 1 ---\nformat = java\nresolution = bytes\n 1024 1 @ 0x1 0x2\n 0x1 f (source.java:08)\n 0x2 g (source.java:010)\n' >java.txt
check 'lines of Java are decimal' 0 'prof-text --raw java.txt | grep -o "source.java:[0-9]*" | sort' <<'END'
source.java:10
source.java:8
END


# Two columns, the first of which has no name; in the other file both have the
# same.
printf '\012\002\020\001\012\004\010\002\020\001\022\004\022\002\005\007\062\000\062\005count\062\003cpu' >nameless.pb
printf '\012\004\010\002\020\001\012\004\010\002\020\001\022\004\022\002\005\007\062\000\062\005count\062\003cpu' >double.pb
check 'a column without a name is not the default' 0 \
	'prof-text nameless.pb | grep ^Type' <<'END'
Type: cpu
END
check 'columns of one name are merged in their order' 0 \
	'prof-merge double.pb double.pb | prof-text --raw | sed -n "/^Samples/,/^Loc/p"' <<'END'
Samples:
cpu/count cpu/count
         10         14: 
Locations
END

# --- runners of CI

# They take a line that begins so, after blanks, as a command.
cat >ci.txt <<'END'
# n count
@comment ::error::a
@comment  ::error::b ##[group]
@comment a ##vso[task.setvariable variable=x]y ##teamcity[message] #vso[ ## a[
main;::add-mask::f;a##[error]b##vso[task.x]c 2 {::k="::v" x="##[group]"}
::add-mask::f;###[x 1 {x=":::"}
END
mkprof ci.txt >ci
check 'no line of a report is a command' 0 '
	for o in --comments --traces --tags --raw --tree --peek=. --top; do
		prof-text $o ci | grep -E "^[[:blank:]]*::|##[a-z]*\["
	done; :' </dev/null
check 'what would be one is escaped' 0 'prof-text --comments ci' <<'END'
:\x3aerror::a
 :\x3aerror::b ##\x5bgroup]
a ##vso\x5btask.setvariable variable=x]y ##teamcity\x5bmessage] #vso[ ## a[
END
check 'folded stacks are for programs' 0 'prof-text --folded ci | grep -c "^::add-mask::f;###\[x 1"' <<'END'
1
END

plan
