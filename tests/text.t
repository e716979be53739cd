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

printf '# n count\na\033[31m;b\342\200\256x;c\302\205d 5\n' >names
check 'escapes' 0 'mkprof names | prof-text --compact-labels | sed 1,2d' <<'END'
         5   100%   100%          5   100%  c\u0085d
         0     0%   100%          5   100%  a\x1b[31m
         0     0%   100%          5   100%  b\u202ex
END
plan
