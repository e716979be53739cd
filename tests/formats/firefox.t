#!/bin/sh
# The Firefox Profiler's JSON, read: what prof-export wrote comes back equal;
# tables as samply and as Firefox write them; addresses get names afterwards.
. "${srcdir:-.}/tests/lib/tap.sh"

grep -q 'define HAVE_JANSSON 1' "$bin/config.h" ||
	skip_rest 'JSON of the Firefox Profiler' 'this build has no jansson'

# --- there and back ---

n=0
for f in "$data"/good-*.pb.gz; do
	found "$f" || continue
	# Times are reals: values near the end of 64 bits are rounded.
	[ "${f##*/}" != good-full.pb.gz ] || continue
	prof-export --to firefox "$f" >there.json 2>.err
	prof-import there.json 2>.err | prof-merge >back.pb.gz 2>.err
	for column in 0 1 2 3; do
		prof-export --to folded --sample-index=$column "$f" 2>.err |
			LC_ALL=C sort >a
		[ -s a ] || continue
		prof-export --to folded --sample-index=$column back.pb.gz 2>.err |
			LC_ALL=C sort >b
		n=$((n + 1))
		cmp -s a b || echo "${f##*/} $column"
	done
	echo $n >n
done >differ
[ "$(cat n)" -gt 30 ] && [ ! -s differ ] && ok 'what prof-export wrote comes back equal' ||
	not_ok "what prof-export wrote comes back equal ($(cat n))" <differ
printf '# samples count cpu nanoseconds\na;b=>c (x.c:3) 2 20000001 {thread="t"}\na 1 10 {thread="u"}\n() 1 5\n' |
	mkprof >labels.pb.gz
check 'with labels, inlined functions, lines, and samples without a stack' 0 '
	prof-export --to firefox labels.pb.gz | prof-import | prof-merge >back
	for f in labels.pb.gz back; do
		for c in 0 1; do prof-text --traces --lines --sample-index=$c $f; done |
			grep -v "^Dur" | sort >$f.txt
	done
	cmp labels.pb.gz.txt back.txt && grep -c thread: back.txt' <<'END'
4
END

printf '# profpipe folded 1\nprocess=a|;thread=w|;main;thread 5\nprocess=b|;thread=w|;main;thread 7\nprocess=c|;main 9\nmain 2\n' >two
check 'each process has its threads; a function may be called thread' 0 '
	prof-import two | prof-export --to firefox >two.json
	grep -oE "(name|pid|processName)\":\"[^\"]*\"" two.json | tail -n +5 | tr "\n" " "
	prof-import two.json | prof-export --to folded --headers --sort | grep -v "^#"' <<'END'
name":"samples" pid":"0" processName":"samples" name":"c" pid":"1" processName":"c" name":"w" pid":"2" processName":"a" name":"w" pid":"3" processName":"b" main 2
process=a|;thread=w|;main;thread 5
process=b|;thread=w|;main;thread 7
process=c|;main 9
END

# --- processed, as samply writes it: tables of each thread ---

cat >samply.json <<'END'
{"meta":{"categories":[{"name":"Other"},{"name":"User"},{"name":"Kernel"}],"preprocessedProfileVersion":49,
"startTime":1000.5,"product":"app","sampleUnits":{"threadCPUDelta":"\u00b5s"},"version":24},
"libs":[{"name":"libx.so","path":"/lib/libx.so","debugName":"libx.so","breakpadId":"00","codeId":"ABCDEF0123456789"}],
"threads":[{"name":"main","processName":"app","pid":"7","tid":"7.1",
"stringArray":["outer","mid","leaf","x.c","0x1234","libx.so"],
"frameTable":{"length":5,"address":[256,512,512,512,4660],"inlineDepth":[0,0,1,2,0],"category":[1,1,1,2,1],
"func":[0,0,1,2,3],"line":[3,5,7,null,null],"column":[1,2,3,4,5]},
"funcTable":{"name":[0,1,2,4],"resource":[0,0,0,0],"fileName":[3,3,null,null],"lineNumber":[1,null,null,null]},
"resourceTable":{"lib":[0],"name":[5]},
"stackTable":{"prefix":[null,0,1,2,0],"frame":[0,1,2,3,4]},
"samples":{"stack":[3,4,3,null],"weight":[1,2,3,4],"weightType":"samples","threadCPUDelta":[10,0,2,1],"time":[0,1,2,3]},
"jsAllocations":{"stack":[1],"weight":[8]}}]}
END
check 'samples, CPU time, labels, inlined functions, an address' 0 \
	'prof-import -q samply.json | prof-text --raw' <<'END'
PeriodType:  
Period: 0
Time: 1970-01-01 00:00:01.0005 +0000 UTC
Samples:
samples/count cpu/nanoseconds
          4       1000: 
                process:[app] thread:[main] tid:[7.1]
                pid:[7]
          4      12000: 2 1 
                category:[Kernel] process:[app] thread:[main] tid:[7.1]
                pid:[7]
          2          0: 3 1 
                category:[User] process:[app] thread:[main] tid:[7.1]
                pid:[7]
Locations
     1: 0x100000100 M=1 outer x.c:3:1 s=1
     2: 0x100000200 M=1 leaf :0:4 s=0
             mid x.c:7:3 s=0
             outer x.c:5:2 s=1
     3: 0x100001234 M=1 
Mappings
1: 0x100000000/0x100002000/0x0 /lib/libx.so abcdef0123456789 
END
sed 's/"category":\[1,1,1,2,1\]/"category":[1,2,null,null,null]/' samply.json >null.json
check 'a frame without a category has that of its caller' 0 '
	prof-import -q null.json | prof-export -q --to folded --sample-index=samples --root category --sort' <<'END'
Kernel;outer;outer;mid;leaf 4
User;outer;[libx.so+0x1234] 2
END
check_err 'what is not read is said' 0 'prof-import samply.json -o /dev/null' \
	'samply.json: 1 samples of allocations are left out'
# Version 66: tables and strings of all threads, and distances to the caller.
cat >shared.json <<'END'
{"meta":{"preprocessedProfileVersion":66,"startTime":0},"libs":[],"shared":{"stringArray":["a","b"],
"stackTable":{"frame":[0,1,1],"prefixOffset":[0,1,2]},
"frameTable":{"func":[0,1],"address":[-1,-1]},"funcTable":{"name":[0,1],"source":[0,null]},
"sources":{"filename":[1]}},
"threads":[{"name":"one","samples":{"stack":[1,0],"weightType":"tracing-ms","weight":[0.5,1]}},
{"name":"two","samples":{"stack":[1,2],"weight":null}}]}
END
check 'shared tables, and columns by the type of weights' 0 '
	for c in samples time; do
		prof-import shared.json | prof-export --to folded --sample-index=$c --sort
	done' <<'END'
a;b 2
a 1000000
a;b 500000
END

# --- as Firefox writes it: rows, processes, addresses of the process ---

cat >firefox.json <<'END'
{"libs":[{"start":4096,"end":8192,"offset":0,"name":"fx","path":"/bin/fx","breakpadId":"00","codeId":"aa"}],
"meta":{"version":30,"product":"Firefox","startTime":0,"categories":[{"name":"JavaScript"}]},
"threads":[{"name":"GeckoMain","pid":1,"tid":1,"stringTable":["(root)","0x1100","js (https://a.b/c.js:10:4)[2]"],
"frameTable":{"schema":{"location":0,"line":3,"category":5},"data":[[0],[1],[2,null,null,12,null,0]]},
"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1],[1,2],[1,1]]},
"samples":{"schema":{"stack":0,"time":1},"data":[[2,0],[1,1],[3,2]]}},"{\"meta\":{}}"],
"processes":[{"meta":{"product":"Web Content"},"libs":[{"start":4096,"end":8192,"path":"/bin/web","breakpadId":"01"}],
"threads":[{"name":"Worker","pid":2,"stringTable":["0x1100"],
"frameTable":{"schema":{"location":0},"data":[[0]]},"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0]]},
"samples":{"schema":{"stack":0},"data":[[0]]}}],"processes":[]}]}
END
check 'rows: processes, callers inside their call, scripts' 0 \
	'prof-import firefox.json 2>/dev/null | prof-text --raw | sed "1,/^samples/d"' <<'END'
          1: 2 1 4 
                process:[Firefox] thread:[GeckoMain]
                pid:[1] tid:[1]
          1: 2 4 
                process:[Firefox] thread:[GeckoMain]
                pid:[1] tid:[1]
          1: 3 
                process:[Web Content] thread:[Worker]
                pid:[2]
          1: 5 1 4 
                category:[JavaScript] process:[Firefox] thread:[GeckoMain]
                pid:[1] tid:[1]
Locations
     1: 0x10ff M=1 
     2: 0x1100 M=1 
     3: 0x1100 M=2 
     4: 0x0 (root) :0:0 s=0
     5: 0x0 js https://a.b/c.js:12:0 s=10
Mappings
1: 0x1000/0x2000/0x0 /bin/fx aa 
2: 0x1000/0x2000/0x0 /bin/web  
END
check_err 'and processes of old are said' 0 'prof-import firefox.json -o /dev/null' \
	'1 processes in the form of before 2016 are left out'

printf '{"label":"","markers":[],"profile":%s,"fileType":"Recorded Performance Data","version":2}' \
	"$(cat firefox.json)" >devtools.json
check 'as DevTools saved it, it is the same' 0 \
	'for f in firefox devtools; do prof-import -q $f.json -o $f.pb; done; cmp firefox.pb devtools.pb' </dev/null

# --- names for addresses ---

if have cc nm readelf && [ "$(uname -m)" = x86_64 ]; then
	for how in -no-pie -pie; do
		cc -O0 -g $how -Wl,--build-id -o prog -x c - <<'END'
int hot(int n) { return n * 3; }
int main(int argc, char **argv) { (void)argv; return hot(argc); }
END
		id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
		base=0
		[ $how = -pie ] || base=$((0x400000))
		at=$(($(printf '0x%s' "$(nm prog | awk '$3 == "hot" { print $1 }')") + 4 - base))
		cat >prog.json <<END
{"meta":{"preprocessedProfileVersion":49,"startTime":0},
"libs":[{"name":"prog","path":"$PWD/prog","breakpadId":"00","codeId":"$id"}],
"threads":[{"name":"main","stringArray":["$(printf '0x%x' $at)","prog"],
"frameTable":{"address":[$at],"func":[0]},"funcTable":{"name":[0],"resource":[0]},
"resourceTable":{"lib":[0],"name":[1]},"stackTable":{"prefix":[null],"frame":[0]},
"samples":{"stack":[0],"weight":[3]}}]}
END
		check "prof-symbolize names its addresses: $how" 0 \
			'prof-import prog.json | prof-symbolize | prof-export --to folded' <<'END'
hot 3
END
	done
else
	skip 'prof-symbolize names its addresses' 'no cc or nm, or not x86-64'
fi

# --- damage ---

sed 's/"prefix":\[null,0,1,2,0\]/"prefix":[3,0,1,2,0]/' samply.json >circle.json
check_err 'a circle' 2 'prof-import circle.json' 'stacks that are too deep, or go in circles'
sed 's/"frame":\[0,1,2,3,4\]/"frame":[0,1,2,30,4]/' samply.json >frame.json
check_err 'a frame that is not there' 2 'prof-import frame.json' \
	'stack 3 refers to a frame or a name that does not exist'
sed 's/"stack":\[3,4/"stack":[99,4/' samply.json >stack.json
check_err 'a stack that is not there' 2 'prof-import stack.json' 'a sample of a stack that does not exist'
echo '{"meta":{"preprocessedProfileVersion":49},"libs":[],"threads":[]}' >empty.json
check_err 'no samples' 2 'prof-import empty.json' 'firefox: no thread has samples'
# --- the fuzz target, over these files ---

for f in there samply shared firefox circle; do
	printf '\000' >"fuzz.$f"
	cat "$f.json" >>"fuzz.$f"
done
check 'fuzz-foreign: these files' 0 'fuzz-foreign fuzz.* 2>/dev/null' <<'END'
END
plan
