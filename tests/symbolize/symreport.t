#!/bin/sh
# The messages of prof-symbolize about unnamed samples.
. "${srcdir:-.}/tests/lib/tap.sh"

need_symbols reports

# What has a name is in a file of its own. Of 10 samples in half.pb 5 have one,
# in few.pb 19 of 20; in stack.pb all but the outermost frame; in deep.pb one
# frame of four, of a sample in four.
maps='@mapping 0x400000 0x500000 0 /known
@mapping 0x600000 0x700000 0 /gone/app'
make() {
	{
		printf '# cpu nanoseconds\n%s\n' "$maps"
		cat
	} | mkprof >"$1.pb" || exit 99
}
make half <<'END'
main;work 5
main;[2]0x601000 5
END
make few <<'END'
main;work 19
main;[2]0x601000 1
END
make stack <<'END'
[2]0x601000;main;work 10
END
make deep <<'END'
[2]0x601000;[2]0x602000;[2]0x603000;work 10
work 30
END

make leaf <<'END'
main;run;[2]0x601000 10
main;[2]0x602000;work 10
work 20
END

# says NAME OPTION...: the talk alone.
says() {
	says_name=$1
	shift
	check "$says_name" 0 "prof-symbolize --search-path=p $* 2>&1 >out.pb"
}
line='prof-symbolize: /gone/app: No such file or directory'
says 'half: a line' half.pb <<END
$line; innermost frame unnamed in 50.0% of samples, any frame in 50.0% (-v tells more)
END
says 'few: nothing' few.pb </dev/null
mkdir here
echo no program >here/app
maps="@mapping 0x400000 0x500000 0 /known
@mapping 0x600000 0x700000 0 $PWD/here/app"
make refused <<'END'
main;work 19
main;[2]0x601000 1
END
maps='@mapping 0x400000 0x500000 0 /known
@mapping 0x600000 0x700000 0 /gone/app'
check 'few, but the file is there' 0 \
	'prof-symbolize refused.pb 2>&1 >out.pb | sed "s:$PWD:.:"' <<END
prof-symbolize: ./here/app: not an ELF file; innermost frame unnamed in 5.0% of samples, any frame in 5.0% (-v tells more)
END
truncate -s 100M here/app
check 'a file of holes is not read' 0 \
	'prof-symbolize refused.pb 2>&1 >out.pb | sed "s:$PWD:.:; s/only.*/only/"' <<END
prof-symbolize: ./here/app: of its 104857600 bytes only
END
says 'few, when asked' -v few.pb <<END
$line; innermost frame unnamed in 5.0% of samples, any frame in 5.0%
prof-symbolize:     tried /gone/app: No such file or directory
prof-symbolize:     tried p/app: No such file or directory
prof-symbolize:     tried p/gone/app: No such file or directory
prof-symbolize:     tried p/gone/app.debug: No such file or directory
prof-symbolize:     tried p/gone/.debug/app.debug: No such file or directory
prof-symbolize:     tried p/usr/lib/debug/gone/app.debug: No such file or directory
prof-symbolize: 5.0% of samples are unnamed: their innermost frame has no name
END
says 'an outermost frame does not matter' stack.pb </dev/null
says 'most of a stack does' deep.pb <<END
$line; innermost frame unnamed in 0.0% of samples, any frame in 25.0% (-v tells more)
END
says 'the innermost frame has none, its callers have' leaf.pb <<END
$line; innermost frame unnamed in 25.0% of samples, any frame in 50.0% (-v tells more)
END
says 'nothing when quiet' -q half.pb </dev/null
says 'nothing when all is well' -v "$data"/good-tiny.pb.gz <<'END'
prof-symbolize: 0.0% of samples are unnamed: their innermost frame has no name
END

# --- code that a runtime made

for runtime in usr/bin/node opt/jvm/lib/server/libjvm.so usr/bin/python3.12 \
	opt/dotnet/libcoreclr.so usr/bin/mono-sgen usr/bin/luajit-2.1.0-beta3 \
	usr/lib/libguile-3.0.so.1 usr/lib/jvm/bin/java usr/bin/nodejs-like; do
	maps="@mapping 0x400000 0x500000 0 /$runtime
@mapping 0x600000 0x700000 0 //anon"
	make made <<'END'
[1]0x400100;[2]0x607000 7
main;work 3
END
	prof-symbolize made.pb 2>&1 >out.pb | grep -o '[0-9.]*% of samples are in.*'
done >said
make astray <<'END'
[1]0x400100;[0]0x907000 7
main;work 3
END
check 'the runtime, and the switch that gives names' 0 'cat said' <<'END'
70.0% of samples are in code that node made while it ran, without names: run it with --perf-basic-prof
70.0% of samples are in code that java made while it ran, without names: run it with -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit
70.0% of samples are in code that python made while it ran, without names: run it with -X perf (3.12 and later)
70.0% of samples are in code that .NET made while it ran, without names: run it with DOTNET_PerfMapEnabled=1
70.0% of samples are in code that mono made while it ran, without names: run it with --jitmap
70.0% of samples are in code that luajit made while it ran, without names: it writes none, but luajit -jp shows its functions
70.0% of samples are in code that guile made while it ran, without names: it writes none
70.0% of samples are in code that java made while it ran, without names: run it with -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit
70.0% of samples are in code that is in no file: it was made while the program ran, or its mapping is missing
END
check 'code in no mapping' 0 'prof-symbolize astray.pb 2>&1 >out.pb |
	grep "in no"' <<'END'
prof-symbolize: 70.0% of samples are in code that is in no file: it was made while the program ran, or its mapping is missing
END

# --- a server that may know

maps='@mapping 0x400000 0x500000 0 /known
@mapping 0x600000 0x700000 0 /gone/app'

source='@comment # source: http://web1:80/pprof/heap'
maps="$maps
$source 400000=file:/known 600000=file:/gone/app"
make remote <<'END'
main;[2]0x601000 5
END
says 'the source of the profile may know' remote.pb <<END
$line; innermost frame unnamed in 100.0% of samples, any frame in 100.0% (-v tells more)
prof-symbolize: the server may know: --symbolize=remote
END
maps="${maps%@*}$source 400000=file:/known"
make local <<'END'
main;[2]0x601000 5
END
says 'it had no such mapping' local.pb <<END
$line; innermost frame unnamed in 100.0% of samples, any frame in 100.0% (-v tells more)
END

check 'enough' 0 'prof-symbolize -q --require-symbols=50 half.pb -o out.pb' </dev/null
check 'not enough: status 1, and the profile' 1 'prof-symbolize -q \
	--require-symbols=50.1% half.pb -o out.pb; s=$?; addrs names <out.pb | sort; exit $s' <<'END'
main
work
END
check_err 'and a line' 1 'prof-symbolize --require-symbols=96 few.pb -o out.pb' \
	'95.0% of samples have names (of their innermost frame): --require-symbols wants 96%'
check 'without symbolizing, too' 1 'prof-symbolize -q --symbolize=none \
	--require-symbols=100% few.pb -o out.pb' </dev/null
check_err 'no percentage' 2 'prof-symbolize --require-symbols=many few.pb' \
	"'many' is not a number"
check_err 'more than all' 2 'prof-symbolize --require-symbols=101% few.pb' \
	"--require-symbols: '101' is not a percentage"
cp few.pb app.pb.gz
check 'the example of the manual page' 0 'prof-symbolize --require-symbols=95% app.pb.gz -o app.sym.pb.gz' </dev/null
plan
