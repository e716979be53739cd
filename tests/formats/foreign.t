#!/bin/sh
# Files that are not profiles, of common kinds, are named in errors, with a
# remedy.
. "${srcdir:-.}/tests/lib/tap.sh"

# looks NAME WORDS: what every reader says of the file $NAME.
looks() {
	check_err "$1" 2 "prof-text $1" "prof-text: $1: not a profile: looks like $2"
}

echo hello >hello
cp hello text
looks text 'text; prof-import reads folded stacks'
printf 'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534::/:/bin/sh\n' >passwd
looks passwd 'text; '
printf 'goos: linux\ngoarch: amd64\nBenchmarkA-8 10 20 ns/op\n' >bench.out
looks bench.out 'the text of go test -bench, which has no stacks; go test -cpuprofile=FILE'
printf 'mode: set\na/b.go:19.40,22.30 2 1\n' >cover.out
looks cover.out 'coverage of Go, which has no stacks; see go tool cover'
printf '{\n  "alloc_samples": 17, "args": ["main.py"]}\n' >scalene.json
looks scalene.json 'JSON of scalene, which has no stacks; py-spy'
echo 'Could not enable CPU profiling: cpu profiling already in use' >busy.pb.gz
looks busy.pb.gz "text; prof-import reads folded stacks and that of perf script; it says 'Could not enable CPU profiling: cpu profiling already in use'"
printf 'num_symbols: 1\n0x1000 main\n' >symbol
looks symbol 'the answer of a symbol server (/pprof/symbol), which has names only'
check_err 'and no folded stacks' 2 'prof-import symbol' 'looks like the answer of a symbol server'
printf 'MOJO\003\000\005mode\000' >austin
looks austin 'a recording of austin; its mojo2austin makes folded stacks'
printf 'v8-version,12,4,254,21,-node.33,0\nv8-platform,linux,linux\nshared-library,/usr/bin/node,0x1,0x2,3\n' >v8.log
looks v8.log 'a log of node --prof; node --cpu-prof writes'
printf '# tracer: nop\n#\n            bash-1977    [000] .... 17284.993652: sys_close\n' >ftrace
looks ftrace 'the text of ftrace; perf record -g'
check_err 'nor by prof-import' 2 'prof-import ftrace' 'looks like the text of ftrace'
printf '\376\377\0m\0a\0i\0n' >utf16be
looks utf16be 'text in UTF-16; iconv'
printf 'FLR\0\0\2\0\1\0\0\0\0\0\0\1\0' >recording.jfr
looks recording.jfr 'a file of format jfr; use prof-import'
printf '{"nodes":[{"id":1,"callFrame":{"functionName":"f"}}],"samples":[1],"timeDeltas":[1]}' >v8.cpuprofile
looks v8.cpuprofile 'a file of format cpuprofile; use prof-import'
printf '{"meta":{"interval":1,"preprocessedProfileVersion":49},"threads":[{"samples":{"timeDeltas":[1]}}]}' >samply.json
looks samply.json 'a file of format firefox; use prof-import'
printf '{"head":{"callFrame":{"functionName":"(root)"},"selfSize":0,"children":[]},"samples":[]}' >v8.heapprofile
looks v8.heapprofile 'a file of format heapprofile; use prof-import'
printf '{"snapshot":{"meta":{"node_fields":["type","name"]}},"nodes":[1]}' >v8.heapsnapshot
looks v8.heapsnapshot 'a heap snapshot of V8'
printf '{"traceEvents":[{"ph":"X"}]}\n' >trace.json
looks trace.json 'a file of format chrome-trace; use prof-import'
printf '{"dhatFileVersion":2\n,"mode":"heap"}\n' >dhat.out
looks dhat.out "dhat's output; use prof-record --heap"
printf ' [1, 2]\n' >other.json
looks other.json 'JSON of some other kind; '
printf 'main;work 5\nmain 3\n' >folded
looks folded 'a file of format folded; use prof-import'
cp "$data/bad-perf.data" perf.data
looks perf.data 'perf.data; use prof-import'
printf '# callgrind format\nversion: 1\nevents: Ir\nfl=a\nfn=b\n1 2\n' >callgrind.out
looks callgrind.out "callgrind's or cachegrind's file, which has no stacks; use callgrind_annotate or KCachegrind"
printf 'desc: I1 cache: 32768 B\ncmd: ./a\nevents: Ir\nfl=a\nfn=b\n1 2\n' >cachegrind.out
looks cachegrind.out "callgrind's or cachegrind's file, which has no stacks; use callgrind_annotate or KCachegrind"
printf 'version: 1\ncreator: xdebug 3\ncmd: a\nevents: Time\nfl=a\nfn=b\n1 2\n' >xdebug.out
looks xdebug.out "callgrind's or cachegrind's file, which has no stacks; use callgrind_annotate or KCachegrind"
check_err "Xdebug's are no folded stacks" 2 'prof-import xdebug.out' 'looks like callgrind'
printf '{"version":1.2,"mode":"cpu","samples":3,"gc_samples":0,"frames":{}}' >stackprof.json
looks stackprof.json "JSON of stackprof; its --stackcollapse makes folded stacks of a dump, for prof-import"
check_err 'prof-import says so, too' 2 'prof-import callgrind.out' \
	'not a profile: looks like callgrind'
printf 'desc: (none)\ncmd: ./a\ntime_unit: i\n#-----------\nsnapshot=0\n' >massif.out
looks massif.out "massif's output; use prof-record --heap"
printf '# Samples: 1 of event\n#\n# Overhead  Command\n 50.0%%  a\n' >report
looks report 'the text of perf report; '
printf '# To display the perf.data header info, please use --header/--header-only options.\n#\n' >empty.report
looks empty.report 'the text of perf report; '
printf "# started on Mon\n\n Performance counter stats for './a':\n\n 1,234 cycles\n" >perf.stat
looks perf.stat 'the text of perf stat, which has no stacks; perf record -g'
printf '\tSun Aug 6 14:52 2023 Time and Allocation Profiling Report  (Final)\n\n' >ghc.prof
looks ghc.prof "a report of GHC's profiler; ghc-prof-flamegraph makes folded stacks"
printf '{\n"program": "a",\n"rts_arguments": ["-pj"]}\n' >ghc.json
looks ghc.json "a report of GHC's profiler; "
printf 'Weight\tSelf Weight\tSymbol Names\n4.93 s  100.0%%\t0 s\t  start\n' >instruments
looks instruments "a table of Instruments; FlameGraph's stackcollapse-instruments.pl"
printf 'Running Time\tSelf (ms)\t\tSymbol Name\n4273.0ms   99.9%%\t0\t \tstart\n' >instruments.7
looks instruments.7 "a table of Instruments; FlameGraph's stackcollapse-instruments.pl"
printf 'CPU     ID                    FUNCTION:NAME\n 30  76446    :tick-10ms\n' >dtrace.tick
looks dtrace.tick "stacks of DTrace; FlameGraph's stackcollapse.pl"
printf '\n\003abc' >other.pb
check_err 'another protobuf' 2 'prof-text other.pb' 'the string table is empty: not a profile, perhaps another kind of protobuf'
printf '\373)\003\372\0107<string>\351\001\0' >python.prof
looks python.prof "a file of Python's cProfile; "
printf 'gmon\1\0\0\0\0\0\0\0' >gmon.out
looks gmon.out 'gmon.out of gprof; '
printf 'JAVA PROFILE 1.0.2\0\0\0\0\10' >java.hprof
looks java.hprof 'a heap dump of Java'
printf 'Analysis of sampling app (pid 1) every 1 millisecond\nCall graph:\n    3 main  (in app)\n' >sample
looks sample 'the text of sample(1) of macOS; '
printf 'Attaching 1 probe...\n\n@[\n    malloc+16\n    main+32\n]: 12\n' >bpftrace
looks bpftrace "stacks of bpftrace; FlameGraph's stackcollapse-bpftrace.pl"
printf '\n              libc.so.1`malloc+0x10\n              app`main+0x20\n               12\n\n' >dtrace
looks dtrace "stacks of DTrace; FlameGraph's stackcollapse.pl"
printf 'a `b` c\n  ` +0x1\n' >ticks
looks ticks 'text; '
printf 'var data = {\n  "label": ""}' >data.js
looks data.js 'JavaScript, perhaps a profile in a variable; '
printf '{"session": {"duration": 1.0, "root_frame": {}}}' >pyinstrument
looks pyinstrument 'JSON of pyinstrument; '
printf '\377\376m\0a\0i\0n\0' >utf16
looks utf16 'text in UTF-16; '
printf '<svg xmlns="http://www.w3.org/2000/svg"></svg>\n' >flame.svg
looks flame.svg 'a picture (SVG); give the profile'
printf '#!/bin/sh\n' >script
looks script 'a script'
printf '\211PNG\r\n\032\n' >graph.png
looks graph.png 'a picture (PNG); '
check_err 'our own report' 2 'prof-text "$data"/good-tiny.pb.gz >own.txt; prof-text own.txt' \
	'looks like the text of a report; give the profile that it was made of'

# packed FILE WORDS COMMAND...: the file that the command makes.
packed() {
	packed_file=$1 packed_words=$2
	shift 2
	if have "$1"; then
		rm -f "$packed_file"
		"$@" >/dev/null 2>&1
		looks "$packed_file" "$packed_words"
	else
		skip "$packed_file" "no $1"
	fi
}
packed hello.xz 'xz data; use xz -dc' xz -k hello
packed hello.bz2 'bzip2 data; use bzip2 -dc' bzip2 -k hello
packed hello.zip 'a zip archive; unpack it first' zip hello.zip hello
packed hello.tar 'a tar archive; unpack it first' tar cf hello.tar hello
packed hello.tgz 'a tar archive; unpack it first' tar czf hello.tgz hello

check 'other commands, and status' 2 'for c in prof-fetch prof-import prof-merge prof-symbolize; do
	$c hello.tar 2>&1 >/dev/null | sed "s/^$c: //" || exit 1; done; prof-fetch hello.tar 2>/dev/null' <<'END'
hello.tar: not a profile: looks like a tar archive; unpack it first
hello.tar: not a profile: looks like a tar archive; unpack it first
hello.tar: not a profile: looks like a tar archive; unpack it first
hello.tar: not a profile: looks like a tar archive; unpack it first
END

# The formats of prof-import are in one table: the pages have the same ones.
prof-import --from=none </dev/null 2>&1 | sed "s/.*; one of //; s/, /\\n/g" | sort >formats
check 'the manual page has each format' 0 '
	grep -oE "(Cm|Pq Cm) [a-z.-]+" "$src/doc/prof-import.1" | sed "s/.* //" | sort -u | comm -23 formats -
	[ "$(wc -l <formats)" -gt 8 ]' <<'END'
END
plan
