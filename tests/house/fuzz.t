# Replays the fuzz targets over testdata, without a fuzzer: all of it with
# sanitizers, which find the most, and in make check-long; else a part.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"

all=$long${sanitized:-}
export all

check 'fuzz-stream: every file of testdata' 0 \
	'fuzz-stream "$data"/good-* "$data"/bad-* 2>/dev/null' <<'END'
END

n=0
for f in "$data"/*.gz "$data"/*.zst "$data"/*.pb; do
	found "$f" || continue
	n=$((n + 1))
	cat "$data/good-tiny.pb.gz" "$f" "$data/good-tiny.pb.gz" >series.$n
done
check 'fuzz-series: every stream of testdata, alone and among others' 0 \
	'fuzz-series "$data"/*.gz "$data"/*.zst "$data"/*.pb series.* 2>/dev/null' <<'END'
END

mkdir raw
for f in "$data"/*.gz; do
	found "$f" || continue
	name=${f##*/}
	[ "$name" = bad-bomb.pb.gz ] || gzip -dc "$f" >"raw/${name%.gz}" 2>/dev/null
done
cp "$data"/*.pb raw
check 'fuzz-decode: every message of testdata, inflated' 0 \
	'fuzz-decode raw/* 2>/dev/null' <<'END'
END

check 'fuzz-interp: images of interpreters changed by every message of testdata' 0 \
	'fuzz-interp raw/* 2>/dev/null' <<'END'
END

check 'fuzz-legacy: every legacy file of testdata' 0 \
	'fuzz-legacy "$data"/*.txt "$data"/*.prof "$data"/*.sym 2>/dev/null' <<'END'
END

printf '# a b\nx;y (f.c:1)=>z;[0]0x12 1 {k="v" n=1u}\n() 3\n' >fixture.1
printf '# a b c d\n@mapping 0 16 0 f\n@time 3\n;x 1 2\n' >fixture.2
check 'fuzz-fixture: a few texts' 0 'fuzz-fixture fixture.* 2>/dev/null' <<'END'
END

check 'fuzz-filter: every message of testdata through every filter' 0 \
	'fuzz-filter --before=ff3f55 raw --before=001faa raw --before=f0000f raw \
		--before=0c2033 raw 2>/dev/null' <<'END'
END

# The messages of a report: options, in the first byte, are all of them or one of four
# in turn; the report is in the second.
cat >reported.awk <<'EOF'
BEGIN { n = split("00 ab f4 71", head, " ") }
{ name[NR] = "raw/" $0 }
END {
	for (k = 1; k <= n; k++) {
		printf "--before=%s%02x\n", head[k], report
		for (i = 1; i <= NR; i++)
			if (all != "" || (i + report + k) % n == 0)
				print name[i]
	}
}
EOF
check 'fuzz-report: every message of testdata in every report' 0 \
	'for report in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		ls raw | awk -v report=$report -v all="$all" -f reported.awk |
			xargs fuzz-report 2>/dev/null || exit
	done' <<'END'
END

check 'fuzz-listing: every message of testdata' 0 \
	'fuzz-listing --before=01 raw --before=0b raw --before=05 raw --before=08 raw 2>/dev/null' <<'END'
END

# Pairs of messages: the first of testdata with each other one, and with itself.
n=0
for f in raw/*; do
	found "$f" || continue
	size=$(wc -c <"$f")
	[ "$size" -lt 100000 ] || continue
	for other in "$f" ${last:+"$last"}; do
		for head in '\000' '\051' '\147' '\016' '\062'; do
			n=$((n + 1))
			{
				printf "$head"
				printf "\\$(printf %o $((size >> 16)))\\$(printf %o $((size >> 8 & 255)))\\$(printf %o $((size & 255)))"
				cat "$f" "$other"
			} >merge.$n
		done
	done
	last=$f
done
check 'fuzz-merge: each message of testdata with itself and with the one before' 0 \
	'ls | grep "^merge" | xargs fuzz-merge 2>/dev/null' <<'END'
END

# Two columns that share posts, two entries, a post of two cells, two sums.
block='\0\02\01\02\03\0\0\012\02\02\02\02\04\03\0\0\024\02\02'
printf "\001\002\024\006$block\003\012\002\010\004\006\001\001\002\012\024\012\024" >block.1
printf "\000\001\012\003\0\002\002\004\005\006\007\010\002\002\003\012\001\001\001\001\012\024" >block.2
entry='\001\0\0\001\0\0\024\002\002'
printf "\200\002\024\002\0$entry$entry\012\001\004\007\001\001\024\024" >block.3
check 'fuzz-block: blocks of a cache, cut anywhere, and with each byte wrong' 0 \
	'fuzz-block block.*; fuzz-block --cut block.*; fuzz-block --flip block.*' <<'END'
END

# The first byte chooses the parser: see fuzz/proc.c.
hex=0123456789abcdef
id=$hex$hex$hex$hex
printf '\0%s\n%s\n%s\n' '12:cpu,cpuacct:/docker/x' '1:name=systemd:/' \
	"0::/a.slice/docker-$id.scope/init" >proc.1
printf '\0%s' '0::/machine.slice/machine-my\x2dbox\x00.scope/payload' >proc.2
printf '\0%s' "3:cpu:/lxc.payload.$id$id$id/" >proc.3
printf '\1%s' '7f0000000000-7f0000010000 r-xp 00001000 08:01 12    /a b\012 (deleted)' >proc.4
printf '\2%s' '12 (a) (b) S 1 2 3 4 -1 6 7 8 9 10 11 12 13' >proc.5
printf '\3Name:\tRssAnon:7\nRssAnon:\t  120 kB\n' >proc.6
printf '\4%s' '230 0x0 0x0 0x7f 0x0 0x1 0x2 0x7ffc10 0x7f0123' >proc.7
printf '\4%s' '-1 0x7ffc10 0x7f0123' >proc.8
printf '\5%s' '0-1,3,8-31,4095' >proc.9
printf '\6%s' '#! /bin/sh -e' >proc.10
{ printf '\6' && head -c 800 "$bin/prof-text"; } >proc.11
{ printf '\6#!' && printf '%99999s' ''; } >blanks
check 'fuzz-proc: texts of /proc, cut anywhere, and with each byte wrong' 0 \
	'fuzz-proc proc.* blanks && fuzz-proc --cut proc.* &&
		fuzz-proc --flip proc.* && fuzz-proc --pairs proc.*' <<'END'
END

if [ -x "$bin/tests/fuzz-http" ]; then
	printf '\0HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Go-Pprof: 1\r\n\r\nabcde' >http.1
	printf '\1HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n' >http.2
	printf '\0HTTP/1.1 302 Found\r\nLocation: http://elsewhere/y\r\n\r\n' >http.3
	printf '\2HTTP/1.0 503 Busy\r\nRetry-After: 9\r\n\r\ncome\nback\033' >http.4
	printf '\0HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\037\213' >http.5
	check 'fuzz-http: answers of a server, cut anywhere' 0 \
		'fuzz-http http.* && fuzz-http --cut http.* 2>/dev/null' <<'END'
END
	[ -z "$all" ] || check 'fuzz-http: with each byte wrong' 0 \
		'fuzz-http --flip http.* 2>/dev/null' <<'END'
END
else
	skip 'fuzz-http' 'built without libcurl'
fi

printf '# all\nmain <= +3%%\n"operator<" flat < 30ms # why\n/^json::/ <= 20%% of total\n' >budget.1
printf 'std::map<int, T<4> >::at <= 1e300s\n\n\t// <= -.5%%\n"a" cum < 5\n' >budget.2
printf '!(cum > +5%% && (flat >= 1ns || cum<2)) || flat < -1%%of total' >budget.3
printf 'f <= 0x1p9999\n' >budget.4
check 'fuzz-budget: rules and conditions, cut anywhere' 0 \
	'fuzz-budget budget.* && fuzz-budget --cut budget.*' <<'END'
END

printf 'top10 -cum work -leaf | head -3\nlist10 main x >f\nnodecount=7//: x\nfocus = a|b \no\nsort=cum\n:\nmean_cpu\n' >shell.1
printf 'filter main -idle hide=work\nfilter tagfocus=k:v\nsave a b\nundo\nundo\nundo\nhelp list\nhelp x\npeek\n' >shell.2
printf 'sample_index=1\ndivide_by=0\ntop\ndivide_by=1e-3\ntop>\ntop > \ntop >a |b\n|x\nraw|\ncum=yes\ngate a b --c\ncpu\ntotal_cpu\nq\ntop' >shell.3
printf 'granularity=li\ncompact_l\npeek (\357\ntags -k a\ntagleaf=\033\n= \n99\n-1\ntop99999999999999999999\nnodecount=99999999999999999999\nunit=\0' >shell.4
check 'fuzz-shell: sessions, cut anywhere, and with each byte wrong' 0 \
	'{ fuzz-shell shell.*; fuzz-shell --cut shell.*; fuzz-shell --flip shell.*; } 2>/dev/null' <<'END'
END

printf 'user == "ann" || !(bytes in 1kb..2.5kb) && "lat" > 1s' >where.1
printf '(((user =~ "^(a|b)+$")) && n < 0' >where.2
printf 'user =~ "(" || a in .. || bytes in 0..3kb || x == -' >where.3
check 'fuzz-where: a few expressions' 0 'fuzz-where where.* 2>/dev/null' <<'END'
END
printf '(a+)+$\0aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' >match.1
printf '\\x{e4}|\\pL\0\377\303\244' >match.2
check 'fuzz-match: a few patterns' 0 'fuzz-match match.* 2>/dev/null' <<'END'
END
printf '01000 10 a b\n2000 20 c\n1008 4 d\n' >symlist.1
printf '2ffffffff81000000 T _stext\nffffffffc0000000 t x\t[m]\n' >symlist.2
{
	printf '1DTiJ\001\0\0\0\050\0\0\0'
	head -c 28 /dev/zero
	printf '\0\0\0\0\074\0\0\0'
	head -c 24 /dev/zero
	printf '\020\0\0\0\0\0\0\0\020\0\0\0\0\0\0\0\001\0\0\0\0\0\0\0abc\0'
} >symlist.3
check 'fuzz-symlist: a list of each kind' 0 'fuzz-symlist symlist.* 2>/dev/null' <<'END'
END

# The first letter chooses a prefix: x "", y _Z, z _R, { _D, | _RNvM.
n=0
for name in x_ZN3foo3barIiEEvi y1f1AIiiES_IS0_S0_ES_IS1_S1_E zNvC1a1f \
	'zNvC1a1bINvC1a1bFGzzzzzzzz_EuE' 'zINvC1a1bDGzzzzzzzz_EL_E' \
	'|INvC1a1bFGzzzzzzzz_EuEu1f' 'zINvC1a1fFG_UKCRL0_hEuFK9rust_callEzE' \
	'{1aFB2iiB2QgQiB2QiQkZv' 'zNvCu4a_8nau1f' x___Z3fooi_block_invoke_2; do
	n=$((n + 1))
	printf %s "$name" >demangle.$n
done
for how in '' --cut --flip; do
	# Each part of a bomb is one, too.
	[ -z "$how" ] || [ -n "$all" ] || rm -f demangle.[456]
	check "fuzz-demangle: names and bombs $how" 0 \
		"fuzz-demangle $how demangle.* 2>/dev/null" <<'END'
END
done

printf 'num_symbols: 1\n0x401100\tmain\n0x12z 0x2 a b\r\n0x\n0x1 ' >symbolz.1
printf 'http://h:80/debug/pprof/heap?x 1000=file:/a%%20b 2=build-id:ab' >symbolz.2
check 'fuzz-symbolz: a few answers and comments' 0 'fuzz-symbolz symbolz.* 2>/dev/null' <<'END'
END

printf '<ListBucketResult><IsTruncated>%s</IsTruncated>%s%s</ListBucketResult>' true \
	'<NextContinuationToken>a&#x20AC;</NextContinuationToken>' \
	'<Key>a&amp;&#10;b</Key><Key>c/</Key>' >s3.1
printf '<Error><Code>NoSuchKey</Code></Error><Key>&#1114112;</Key>' >s3.2
sed 's/amp;/bad/; s/true/false/' s3.1 >s3.3
check 'fuzz-s3: a few lists and an error' 0 'fuzz-s3 s3.* 2>/dev/null' <<'END'
END

# Steps at random, from a generator of ours: the same every time.
awk 'BEGIN {
	srand(1)
	for (f = 1; f <= 40; f++) {
		name = "shm." f
		for (i = 0; i < 3000; i++)
			printf "%c", 1 + int(255 * rand()) >name
		close(name)
	}
}'
check 'fuzz-shm: a program that writes into the memory of the recorder' 0 \
	'fuzz-shm shm.* 2>/dev/null' <<'END'
END

n=0
for head in '\3\3' '\054' '\104' '\150' '\375' '\204' '\244' '\301' '\341'; do
	n=$((n + 1))
	printf "${head}web1:80\0/pprof/\0001\0001\0000x1234\0[::1]:80\0000x1234+0x9" >serve.$n
done
check 'fuzz-serve: requests of each kind, cut anywhere, and with each byte wrong' 0 \
	'fuzz-serve serve.*; fuzz-serve --cut serve.*; fuzz-serve --flip serve.*' <<'END'
END

# Small objects, whole, cut anywhere, and with each byte wrong.
small='-O1 -ffreestanding -nostdlib -static -fno-asynchronous-unwind-tables'
mkdir objects
for how in 'gcc -g -gdwarf-5' 'gcc -g -gdwarf-4' 'clang -g -gdwarf-5' \
	'clang -g -gdwarf-3' 'gcc -g -gz=zlib' 'gcc -g -gdwarf64' 'gcc -g -c' \
	'gcc -g -gsplit-dwarf' \
	'clang --target=mips64-linux-gnu -g -c'; do
	# shellcheck disable=SC2086 # words
	$how $small "$src/tests/programs/bare.c" -o "objects/$(echo "$how" | tr -d ' /')" 2>/dev/null
done
if ! command -v fuzz-object >/dev/null; then
	skip 'fuzz-object' 'this build has no elfutils'
elif [ -z "$(ls objects)" ]; then
	skip 'fuzz-object' 'no compiler'
else
	check 'fuzz-object: small objects' 0 'fuzz-object objects' <<'END'
END
	cut='objects/gcc-g-gdwarf-5 objects/clang-g-gdwarf-3' pairs=$cut
	flip=objects/gcc-g-c code=objects/gcc-g-c
	if [ -n "$all" ]; then
		flip="$cut $flip" code=objects/gcc-g-gdwarf-5
		cut=objects pairs=objects
	fi
	check 'fuzz-object: cut anywhere' 0 "fuzz-object --cut $cut" <<'END'
END
	check 'fuzz-object: each byte wrong' 0 "fuzz-object --flip $flip" <<'END'
END
	check 'fuzz-object: pairs of bytes wrong' 0 \
		"fuzz-object --pairs $pairs" <<'END'
END
	check 'fuzz-object: wrong inside of sections' 0 \
		"fuzz-object --mutate $pairs" <<'END'
END
	check 'fuzz-code: small objects, whole and cut' 0 \
		"fuzz-code objects && fuzz-code --cut $code" <<'END'
END
fi

# Answers of a process that reads object files, as tests/fuzz/apart.c has them.
if command -v fuzz-apart >/dev/null && command -v python3 >/dev/null; then
	python3 - <<'END'
import struct

def answer(kind, number, data):
    return bytes([kind, number]) + struct.pack('<H', len(data)) + data
lines = struct.pack('<IIII', 2, 1, 0, 3) + struct.pack('<qqq', 7, 0, 1) + b'f\0f.c\0'
open('apart.lines', 'wb').write(
    answer(0, 1, b'') + answer(1, 1, b'why\0') + answer(2, 0, b'/f\0why\0') +
    answer(3, 0, b'/g\0') + answer(4, 0, lines) + answer(6, 0, b''))
function = struct.pack('<QQQQQQqqIIII', 16, 32, 0, 1, 1, 0, 5, 5, 1, 2, 0, 0xffffffff)
insn = struct.pack('<QII', 16, 3, 4 | 8 | 1 << 5) + struct.pack('<qq', 5, 5)
frame = struct.pack('<qIIII', 7, 1, 1, 3, 0)
place = struct.pack('<II', 0, 0) + struct.pack('<II', 0xffffffff, 0xffffffff) * 4
def part(first, place, text):
    head = struct.pack('<12Q', 1, 1, 1, 2, 1, len(place) // 8, text.count(b'\0'), 4, len(text),
                       first, 0, place != b'')
    data = head + function + struct.pack('<I', 1) + insn + frame + place + b'nop\0' + text
    return struct.pack('<H', len(data)) + data
text = b'\0f\0/f\0f.c\0'
open('apart.code', 'wb').write(part(0, place, text))
open('apart.parts', 'wb').write(part(0, b'', text) + part(1, place, b''))
END
	check 'fuzz-apart: answers, whole, cut, and with wrong bytes' 0 '
		FUZZ_WHOLE=1 fuzz-apart apart.code apart.parts &&
			fuzz-apart apart.* && fuzz-apart --cut apart.* &&
			fuzz-apart --flip apart.* && fuzz-apart --pairs apart.code' <<'END'
END
else
	skip 'fuzz-apart' 'this build has no elfutils, or there is no Python'
fi

# pack FILE...: a program and what was split off from it, for fuzz-split.
pack() {
	for f; do
		name=${f##*/}
		printf "\\$(printf %03o ${#name})%s" "$name"
		size=$(wc -c <"$f")
		for shift in 0 8 16 24; do
			printf "\\$(printf %03o $((size >> shift & 255)))"
		done
		cat "$f"
	done
}
# split NAME COMMAND...: compile as NAME, away from its source.
split() {
	name=$1
	shift
	# shellcheck disable=SC2086 # words
	(cd parts && "$@" $small -fdebug-prefix-map="$PWD=/nowhere" bare.c -o "$name") 2>/dev/null
}
mkdir parts split
cp "$src/tests/programs/bare.c" parts
for v in 4 5; do
	split dwo$v gcc -g -gdwarf-$v -gsplit-dwarf || {
		skip "files with DWARF $v apart" 'gcc makes none'
		continue
	}
	pack parts/dwo$v parts/dwo$v-bare.dwo >split/dwo$v
	# The dwp of binutils knows DWARF 4 only, and crashes.
	dwp=dwp
	[ $v = 4 ] || dwp=llvm-dwp
	$dwp -e parts/dwo$v -o parts/dwo$v.dwp 2>/dev/null &&
		pack parts/dwo$v parts/dwo$v.dwp >split/dwp$v
done
for v in a b; do
	split $v gcc -g
done
objcopy --only-keep-debug parts/a parts/a.debug 2>/dev/null &&
	objcopy --strip-debug --add-gnu-debuglink=parts/a.debug parts/a parts/link 2>/dev/null &&
	pack parts/link parts/a.debug >split/link
(cd parts && dwz -m common.debug a b) 2>/dev/null &&
	pack parts/a parts/common.debug >split/common
if ! command -v fuzz-split >/dev/null; then
	skip 'fuzz-split' 'this build has no elfutils'
elif [ -z "$(ls split)" ]; then
	skip 'fuzz-split' 'no compiler'
else
	pairs=split/dwo5
	[ -z "$all" ] || pairs=./split
	check 'fuzz-split: files that belong together' 0 'fuzz-split split' <<'END'
END
	check 'fuzz-split: wrong inside of sections' 0 \
		"fuzz-split --mutate $pairs" <<'END'
END
fi
plan
