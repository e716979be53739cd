#!/bin/sh
# prof-merge: operands, options, errors. The rules of sums: unit/merge.c;
# against pprof: algebra.t.
. "${srcdir:-.}/tests/lib/tap.sh"

mkprof >a.pb.gz <<'END'
# samples count cpu nanoseconds
@period cpu nanoseconds 10
@time 100
@duration 5
main;work 2 20
main;idle 1 10
END
mkprof >b.pb.gz <<'END'
# samples count cpu nanoseconds
@period cpu nanoseconds 20
@duration 6
main;work 3 30 {user="ann"}
main;idle 0 0
END
mkprof >heap.pb.gz <<'END'
# objects count space bytes
main;work 3 30
END
mkprof >wide.pb.gz <<'END'
# samples count cpu nanoseconds wall nanoseconds
@period cpu nanoseconds 10
main;work 1 1 7
END

# total: samples of a profile, and the sums of its columns.
cat >total <<'EOF'
normal | cut -f2 | awk '
	{ for (i = 1; i <= NF; i++) s[i] += $i; n = NF }
	END { printf "%d", NR; for (i = 1; i <= n; i++) printf " %d", s[i]; print "" }'
EOF

# same NAME COMMAND COMMAND: do both write the same bytes?
same() {
	sh -c "$2" 2>.err | gzip -dc >one 2>>.err
	sh -c "$3" 2>>.err | gzip -dc >two 2>>.err
	if [ -s one ] && cmp -s one two && [ ! -s .err ]; then
		ok "$1"
	else
		{ cat .err && cmp one two; } 2>&1 | not_ok "$1"
	fi
}

same 'the order of operands does not matter' \
	'prof-merge a.pb.gz b.pb.gz' 'prof-merge b.pb.gz a.pb.gz'
same 'nor does the grouping' 'prof-merge a.pb.gz b.pb.gz a.pb.gz' \
	'prof-merge a.pb.gz a.pb.gz | prof-merge - b.pb.gz'
same 'nor do threads' 'prof-merge -j1 a.pb.gz b.pb.gz a.pb.gz' \
	'prof-merge -j 3 a.pb.gz b.pb.gz a.pb.gz'
same 'a weight is so many of one' 'prof-merge a.pb.gz 3:b.pb.gz' \
	'prof-merge b.pb.gz b.pb.gz a.pb.gz b.pb.gz'
same 'no operand is standard input' 'prof-merge a.pb.gz' 'prof-merge <a.pb.gz'

printf 'a.pb.gz\n\n2:b.pb.gz\r\n' >list
same 'a list' 'prof-merge @list a.pb.gz' \
	'prof-merge a.pb.gz a.pb.gz 2:b.pb.gz'
same 'a list on standard input' 'prof-merge @- <list' 'prof-merge @list'
printf 'a.pb.gz\0002:b.pb.gz' >list0
same 'names ended by NUL' 'prof-merge --files0-from=list0 a.pb.gz' \
	'prof-merge @list a.pb.gz'
mkdir archive
cp a.pb.gz b.pb.gz archive
same 'an example of the manual page: find' \
	"find archive -name '*.pb.gz' -print0 | prof-merge --files0-from=-" \
	'prof-merge a.pb.gz b.pb.gz'
cp b.pb.gz 3:a
cp b.pb.gz @list
cp list ./list2
same 'a file with the very name wins' 'prof-merge 3:a @list' \
	'prof-merge b.pb.gz b.pb.gz'
rm @list

prof-merge -z zstd a.pb.gz >a.zst 2>/dev/null && have_zstd=yes || have_zstd=no
gunzip -c a.pb.gz | gzip -9 >a9.pb.gz
same 'several profiles on one stream' 'cat a9.pb.gz b.pb.gz a.pb.gz | prof-merge' \
	'prof-merge a.pb.gz b.pb.gz a.pb.gz'
same 'several profiles in one file' \
	'cat b.pb.gz a9.pb.gz b.pb.gz >x; prof-merge x 2:a.pb.gz' \
	'prof-merge 3:a.pb.gz 2:b.pb.gz'
same 'a stream that comes in pieces' \
	'{ head -c 100 a.pb.gz; sleep 0.1; tail -c +101 a.pb.gz; cat b.pb.gz; } | prof-merge' \
	'prof-merge a.pb.gz b.pb.gz'
gunzip -c a.pb.gz >raw
same 'pieces of one profile' \
	'{ head -c 30 raw | gzip; tail -c +31 raw | gzip; } | prof-merge' \
	'prof-merge raw'
same 'empty members, as bgzip writes one at the end' \
	'{ gzip; cat a.pb.gz; gzip; gzip; cat b.pb.gz; gzip; } </dev/null | prof-merge' \
	'prof-merge a.pb.gz b.pb.gz'
if [ $have_zstd = yes ]; then
	same 'frames of zstd, and gzip behind them' \
		'cat a.zst a.zst b.pb.gz | prof-merge' \
		'prof-merge 2:a.pb.gz b.pb.gz'
	printf '\120\052\115\030\004\0\0\0size' >frame
	same 'frames of zstd that are to be skipped, as pzstd writes them' \
		'cat frame a.zst frame a.zst frame | prof-merge' \
		'prof-merge 2:a.pb.gz'
	prof-text a.pb.gz >text
	check 'so does prof-text' 0 'cat frame a.zst | prof-text | diff - text' </dev/null
else
	skip 'frames of zstd, and gzip behind them' 'no zstd'
fi
check_err 'none but empty members' 2 '{ gzip; gzip; } </dev/null | prof-merge' 'empty profile'
check_err 'zeros, and more' 2 \
	'{ cat a.pb.gz; head -c 200000 /dev/zero; cat a.pb.gz; } | prof-merge' 'of rubbish after the gzip stream'
check_err 'a damaged one on a stream' 2 \
	'{ cat a.pb.gz b.pb.gz; head -c 50 a.pb.gz; } | prof-merge' \
	'<stdin>: profile 3: truncated'

check_err 'other types' 2 'prof-merge a.pb.gz heap.pb.gz' \
	'heap.pb.gz: no sample types in common: objects/count space/bytes; and samples/count cpu/nanoseconds'
check_err 'strict types' 2 'prof-merge --types=strict a.pb.gz wide.pb.gz' \
	'wide.pb.gz: sample types samples/count cpu/nanoseconds wall/nanoseconds differ from those before'
check 'common types' 0 'prof-merge wide.pb.gz a.pb.gz 2>&1 >out; sh total <out' <<'END'
prof-merge: dropped sample types that not all inputs have: wall/nanoseconds
2 4 31
END
check 'all types' 0 'prof-merge --types=union wide.pb.gz a.pb.gz | sh total' <<'END'
2 4 31 7
END
check 'all types of unlike profiles' 0 \
	'prof-merge --types=union heap.pb.gz a.pb.gz | sh total' <<'END'
2 3 30 3 30
END

printf '# alloc_objects count alloc_space bytes inuse_objects count inuse_space bytes\nmain;work 7 700 2 200\n' |
	mkprof >heap4.pb.gz
check 'two columns of a heap are the last of four' 0 \
	'for types in common union; do
		prof-merge -q --types=$types heap.pb.gz heap4.pb.gz | sh total
	done; prof-merge -q heap4.pb.gz heap.pb.gz | prof-text --list-types | sed "s/.* //"' <<'END'
1 5 230
1 7 700 5 230
inuse_objects/count
inuse_space/bytes
END
for unit in '0 3 ms' '5 0 ns' '1 1 us'; do
	echo "$unit" | awk '{ print "# n count t " $3 "\nmain " $1, $2 }' | mkprof >"${unit##* }.pb.gz"
done
check 'units become the finest' 0 'prof-merge ms.pb.gz ns.pb.gz us.pb.gz | sh total' <<'END'
1 6 3001000
END

# Equal stacks stay apart by whatever a label has: key, text, number, unit.
cat >apart <<'END'
# samples count
main 1 {user="ann"}
main 2 {user="bob"}
main 4 {host="ann"}
main 8 {bytes=1}
main 16 {bytes=2}
main 32 {bytes=2kb}
main 64
END
mkprof <apart >apart.pb.gz
check 'stacks with different labels' 0 'prof-merge apart.pb.gz apart.pb.gz |
	prof-text --raw | sed -n "/^Locations/q; s/^ *\([0-9]*\): .*/\1/p" | sort -n' <<'END'
2
4
8
16
32
64
128
END

printf '# cpu nanoseconds\n@time 1700000100000000000\n@duration 5000000000\nmain 1\n' |
	mkprof >late.pb.gz
printf '# cpu nanoseconds\n@time 1700000000000000000\n@duration 1000000000\nmain 1\n' |
	mkprof >soon.pb.gz
check 'the earliest time and all durations' 0 'for all in "late.pb.gz soon.pb.gz" "soon.pb.gz late.pb.gz"; do
	prof-merge $all | prof-text --raw | sed -n "/^Time/p; /^Duration/p"; done' <<'END'
Time: 2023-11-14 22:13:20 +0000 UTC
Duration: 6s
Time: 2023-11-14 22:13:20 +0000 UTC
Duration: 6s
END

check 'labels' 0 \
	'prof-merge --label host=web1 --label user=bob a.pb.gz b.pb.gz | normal | grep -c "host:\[web1\] user:\[bob\]"' <<'END'
2
END
check 'the file as label, and weights' 0 \
	'prof-merge --label-file=from 3:a.pb.gz 3:b.pb.gz | normal | grep -o "from:.*"' <<'END'
from:[a.pb.gz]	3 30
from:[a.pb.gz]	6 60
from:[b.pb.gz] user:[ann]	9 90
END

head -c 60 a.pb.gz >cut.pb.gz
cp cut.pb.gz archive
check_err 'a bad input is named' 2 'prof-merge a.pb.gz cut.pb.gz b.pb.gz' \
	'cut.pb.gz: truncated'
check 'an example of the manual page: what is bad is skipped' 3 \
	'prof-merge --skip-bad -o day.pb.gz archive/*.pb.gz ./none 2>&1; sh total <day.pb.gz; prof-merge -q --skip-bad a.pb.gz cut.pb.gz heap.pb.gz >/dev/null' <<'END'
prof-merge: archive/cut.pb.gz: truncated gzip stream
prof-merge: ./none: No such file or directory
prof-merge: bad inputs: 2 of 4
3 6 60
END
cat a.pb.gz b.pb.gz cut.pb.gz >part.pb.gz
check 'what was added before an input proved bad is said' 3 \
	'prof-merge --skip-bad -o day.pb.gz a.pb.gz part.pb.gz 2>&1; s=$?; sh total <day.pb.gz; exit $s' <<'END'
prof-merge: part.pb.gz: profile 3: truncated gzip stream; of it, 2 profiles are in the sum
prof-merge: bad inputs: 1 of 2
3 9 90
END
for j in 1 4; do
	prof-merge -j$j --skip-bad ./no1 a.pb.gz cut.pb.gz heap.pb.gz ./no2 \
		b.pb.gz ./no3 2>&1 >/dev/null
done | sort | uniq -c | awk '$1 != 2' >odd
if [ ! -s odd ]; then
	ok 'messages come in order, whatever the threads do'
else
	not_ok 'messages come in order, whatever the threads do' <odd
fi
check_err 'nothing good' 2 'prof-merge -q --skip-bad cut.pb.gz' \
	'no good input of 1'

check_err 'a weight of 0' 2 'prof-merge 0:a.pb.gz' 'a weight is from 1 to'
check_err 'a weight without a file' 2 'prof-merge 3:' 'without a file'
check_err 'standard input twice' 2 'prof-merge - @- <list' 'only once'
check_err 'an empty list' 2 'prof-merge @- </dev/null' 'list of inputs is empty'
check_err 'no such list' 2 'prof-merge @none' 'none: No such file'
check_err 'no label' 2 'prof-merge --label=x a.pb.gz' "'x' is not KEY=VALUE"
check_err 'no such types' 2 'prof-merge --types=all a.pb.gz' "--types: unknown set of types 'all'; one of common, strict, union"

# Past one piece of output, there are threads that compress.
mkbig 20000 3000 1500 >mid.pb.gz
for j in 1 2 7; do prof-merge -j$j -o mid$j.pb.gz mid.pb.gz; done
gzip -dc mid1.pb.gz >raw
wc -c <raw >size
check 'threads write the same bytes, one member' 0 \
	'cmp mid1.pb.gz mid2.pb.gz && cmp mid1.pb.gz mid7.pb.gz &&
	prof-merge mid2.pb.gz | gzip -dc | cmp - raw &&
	gzip -l mid2.pb.gz | awk "NR == 2 { print \$2 }" | cmp - size' <<'END'
END
check 'threads that nobody listens to are silent' 0 \
	'prof-merge -z6 -j2 mid.pb.gz | head -c 1 | wc -c' <<'END'
1
END
check_err 'threads and a full disk' 2 \
	'prof-merge -z6 -j2 mid.pb.gz >/dev/full' \
	'<stdout>: write error: No space left on device'

check_err 'no threads' 2 'prof-merge -j0 a.pb.gz' 'from 1 to 64'

# Descriptors are closed: more inputs than a process may have open.
i=0
while [ $i -lt 200 ]; do
	echo a.pb.gz
	i=$((i + 1))
done >many
same 'more inputs than descriptors' 'ulimit -n 20; prof-merge @many' \
	'prof-merge 200:a.pb.gz'

mkprof >max.pb.gz <<'END'
# n count
main 9223372036854775807
END
check 'a sum beyond 64 bits' 0 \
	'prof-merge 2:max.pb.gz 2>&1 >out; normal <out | cut -f2' <<'END'
prof-merge: 1 value past 64 bits; clamped to the limit
9223372036854775807
END
printf '# cpu nanoseconds\nmain 1\n' | mkprof >no-period
printf '# cpu nanoseconds\n@period cpu nanoseconds 10\nmain 1\n' | mkprof >period
check_err 'one input without a period' 2 'prof-merge period no-period >w' \
	'prof-merge: no-period: period type none differs from cpu/nanoseconds before'
plan
