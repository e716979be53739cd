#!/bin/sh
# What prof-text prints, where report.t can't say: the listings of the pprof of
# today, what differs on purpose, the options that pprof lacks.
. "${srcdir:-.}/tests/tap.sh"

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
check_err 'an unknown column' 2 'prof-text --sample-index=foo $data/good-heap4.pb.gz' \
	'sample index "foo" must be one of: [alloc_objects alloc_space inuse_objects inuse_space]'
check_err 'a column out of range' 2 'prof-text --sample-index=9 $data/good-heap4.pb.gz' \
	'sample index 9 is outside the range [0..3]'
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
       1kB  4.00% 92.00%      -23kB 92.00%  tab\there
         0     0% 92.00%      -23kB 92.00%  ns::Server<int>::run(int)
END
check_err 'sums that do not fit are said' 0 \
	'prof-text --sample-index=hits -o /dev/null $data/good-full.pb.gz' \
	'sums do not fit in 64 bits and are cut'

# How it was sampled: merged profiles have several such comments.
cat >sampled <<'END'
# samples count
@comment # sampling: clock=cpu asked_hz=100 achieved_hz=100 ticks=600 signals=600 lost=3 truncated=40 unwind_failed=0 untimed_threads=0
@comment # sampling: clock=cpu asked_hz=100 achieved_hz=98.5 ticks=400 signals=394 lost=4 truncated=2 unwind_failed=20 untimed_threads=2
main 994
END
check 'a report says what sampling missed, when it matters' 0 \
	'mkprof sampled | prof-text 2>&1 >/dev/null' <<'END'
prof-text: 4.2% of the stacks are cut: too many frames
prof-text: 2% of the stacks end before their root
prof-text: 2 threads were not sampled
END
sed 's/ticks=[0-9]*/ticks=100000/; s/asked_hz=100/asked_hz=1000/; s/threads=2/threads=-x/' sampled >coarse
check '... and when it was coarser than asked for' 0 \
	'mkprof coarse | prof-text 2>&1 >/dev/null' <<'END'
prof-text: sampled at 99.25 Hz, not 1000 as asked: sums are right, but coarser
END
check '... but its comment is not part of the header' 0 \
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
             tab\there ../rel/./path//x.c:9:0 s=8(tab_here)
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
p = json.load(sys.stdin)
n = len(p["nodes"])
assert p["schema"] == "profpipe.graph/1"
assert all(e["from"] < n and e["to"] < n for e in p["edges"])
END
if have python3; then
	check 'json is JSON, whatever the names' 0 \
		'for f in $data/good-*.pb.gz $data/good-*.pb; do
			prof-text -q --json --addresses --trim=false $f |
				python3 ok.py || echo $f
		done' </dev/null
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
check '... and its mark is hidden' 0 \
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
Showing nodes accounting for 660ms, 100% of 660ms total
Left out 3 nodes (flat < 99ms or cum < 250ms)
      flat  flat%   sum%        cum   cum%
     300ms 45.45% 45.45%      300ms 45.45%  helper (inline)
     100ms 15.15% 60.61%      400ms 60.61%  leaf
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
plan
