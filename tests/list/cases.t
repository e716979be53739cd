#!/bin/sh
# prof-list against pprof, in a case for each rule: differences, trimmed paths,
# recursion, names of C++ functions, aliases, many functions, names that need
# escaping, hostile files.
. "${srcdir:-.}/tests/lib/tap.sh"

need_disassembly 'cases'
have go && pprof=$(go tool -n pprof 2>/dev/null) && [ -x "$pprof" ] ||
	skip_rest 'comparisons with pprof' 'no go tool pprof'
need_tools 'cases' g++ nm

# Of this machine: the return, the bytes of a mov of a number, and two units that are no
# instruction.
case $(uname -m) in
aarch64) ret=ret step=4 mov=0x52800000 move=4 one='0x01, 0x02, 0x03, 0x00' two='0x04, 0x05, 0x06, 0x00' ;;
*) ret=retq step=1 mov=0x909090b8 move=5 one=0x06 two=0x07 ;;
esac

tiny_sources
tiny=$data/good-tiny.pb.gz

# same NAME: files a (pprof's) and b (ours) are equal, and not empty.
same() {
	if [ -s a ] && cmp -s a b; then
		ok "$1"
	else
		diff a b | head -20 | cat - .err | not_ok "$1"
	fi
}
lines() { # without the marked lines and the cum of blocks
	sed -E '/:<.*>$/d; s/^( *[^ ]+) +[^ ]+ \(flat, cum\).*/\1 (flat)/'
}

# --- sources ---

prof-filter --focus=helper "$tiny" -o base.pb.gz
for o in base diff_base; do
	for drop in '' -drop_negative; do
		# shellcheck disable=SC2086 # may be none
		$pprof -symbolize=none -list=leaf -trim_path=/src/demo -$o=base.pb.gz \
			$drop "$tiny" 2>.err | lines >a
		prof-diff --$o=base.pb.gz "$tiny" | prof-list --trim-path=/src/demo \
			${drop:+-$drop} leaf 2>>.err | lines >b
		same "a difference: -$o $drop"
	done
done
mkdir -p q/demo/y/demo
echo 'the file that is printed' >q/demo/y/demo/z.c
printf '# samples count\nf (/x/demo/y/demo/z.c:1) 1\n' | mkprof >z.pb.gz
for c in "$pprof -symbolize=none -list=f -source_path='$PWD/q/demo'" \
	"prof-list --source-path='$PWD/q/demo' f"; do
	eval "$c z.pb.gz" 2>.err | sed -n '2p;4p' | sed 's/^ Error.*/not found/'
done >out
check 'a path that has the folder twice: trimmed once, and opened' 0 'cat out' <<'END'
ROUTINE ======================== f in y/demo/z.c
not found
ROUTINE ======================== f in y/demo/z.c
         1          1      1:the file that is printed
END
printf '# samples count\nf (../work.c:10);f (../work.c:12);f (../work.c:10) 1\n' |
	mkprof >r.pb.gz
$pprof -symbolize=none -list=f r.pb.gz 2>.err | lines >a
prof-list f r.pb.gz 2>>.err | lines >b
same 'recursion: lines'
mkprof >odd.pb.gz <<'END'
# samples count
a<b>&"'+ (../w<o>rk&.c:3) 5
a<b>&"'+ (../work.c:0) 3
a<b>&"'+ (../work.c:500) 2
gone (../work.c:9) 1
gone (../work.c:9) -1 {k="v"}
two (../main.c:9) 4
three (../main.c:9) 4
END
seq -f 'w line %g' 9 >'../w<o>rk&.c'
page() {
	prof-list -q --weblist "$1" odd.pb.gz | sh "$src/tests/lib/page-data.sh"
}
page 'a.b|gone' | grep -ao '"name":"[^,]*,"file":"[^"]*"\|w line [0-9]' >b
cat >a <<'END'
"name":"a<b>&\"'+","file":"../w<o>rk&.c"
w line 1
w line 2
w line 3
w line 4
w line 5
w line 6
w line 7
w line 8
"name":"a<b>&\"'+","file":"../work.c"
END
same 'a source page: names to escape, files that are not found, samples that cancel out'
check 'two functions on a line: a block each' 0 '
	prof-list -q --weblist "two|three" odd.pb.gz | sh "$src/tests/lib/page-data.sh" |
	grep -ao "\"name\":\"t[a-z]*\",\"file\"" | sort' <<'END'
"name":"three","file"
"name":"two","file"
END

# --- code ---

cp "$src"/tests/programs/hot/* .
g++ -g -O2 -no-pie -o hot main.cc lib.cc
addresses() { # of the first instructions of functions
	nm hot | sed -nE "s/^0*([0-9a-f]+) [TtW] ($1)\$/\1/p"
}
{
	echo '# samples count'
	printf '@mapping 0x400000 0x410000 0 %s/hot\n' "$PWD"
	i=1
	for a in $(addresses 'main|_Z3libi'); do
		printf '0x%s %d\n0x%x %d\n' "$a" $i $((0x$a + step)) $((i + 1))
		i=$((i + 2))
	done
} >hot.txt
mkprof <hot.txt | prof-symbolize -q >hot.pb.gz
mkprof <hot.txt | prof-symbolize -q --demangle=full >full.pb.gz
for re in 'main' 'lib$'; do
	$pprof -symbolize=none -list="$re" hot.pb.gz 2>.err | lines >a
	prof-list -q -- "$re" hot.pb.gz 2>>.err | lines >b
	same "C++: -list=$re"
done
values() {
	sed -nE '/^ROUTINE|^    AKA|^Total/p
		/flat, cum/{s/ \(flat.*//p}
		/^ +[0-9]+ +[0-9]+ +[0-9a-f]+:/s/^( *[^ ]+ +[^ ]+ +[0-9a-f]+:).*/\1/p'
}
check 'a name with parameters' 0 "prof-list --disasm='lib\(int' full.pb.gz |
	grep ROUTINE" <<'END'
ROUTINE ======================== lib(int)
END
prof-list --disasm=main hot.pb.gz 2>.err | values >a
prof-list --disasm=main --intel-syntax hot.pb.gz 2>>.err | values >b
same 'Intel syntax: the same values and addresses'

# 60 functions at distances, f01 with other names, each with its number.
{
	echo '.text'
	for i in $(seq -w 60); do
		printf '.balign 8192\n.globl f%s\n.type f%s,@function\nf%s:\n\tnop\n\tnop\n\tret\n' \
			"$i" "$i" "$i"
	done
	printf '.globl zed\n.set zed, f01\n.globl aka\n.set aka, f01\n.globl _start\n_start: ret\n'
} >many.s
gcc -nostdlib -no-pie -o many many.s
{
	echo '# samples count'
	printf '@mapping 0x400000 0x500000 0 %s/many\n' "$PWD"
	nm many | sed -nE 's/^0*([0-9a-f]+) T f0?([0-9]+)$/\1 \2/p' | while read -r a i; do
		printf '0x%x %d\n' $((0x$a + step)) "$i"
	done
} | mkprof | prof-symbolize -q >many.pb.gz
# What pprof with llvm-objdump prints; Go's own finds no functions of assembly.
check '60 functions, by name' 0 "prof-list --disasm='f[0-9]' many.pb.gz |
	awk '/ROUTINE/ { n++; if (\$3 <= last) print; last = \$3; getline; sum += \$1 }
		END { print n, sum }'" <<'END'
60 1830
END
f01=0x$(nm many | sed -nE 's/^0*([0-9a-f]+) T f01$/\1/p')
check 'an address with several names: their order' 0 \
	"prof-list --disasm=$f01 many.pb.gz | sed -n '2,5p'" <<'END'
ROUTINE ======================== aka
    AKA ======================== f01
    AKA ======================== zed
         1          1 (flat, cum) 0.055% of Total
END
start=0x$(nm many | sed -nE 's/^0*([0-9a-f]+) T _start$/\1/p')
check_err 'an address in a function without samples' 2 \
	"prof-list --disasm=$start many.pb.gz" \
	"address $start found in binary, but the corresponding symbols do not have samples"
# f01 has another name.
check 'a page of 60 functions has the code of all' 0 '
	prof-list -q --weblist "^f" many.pb.gz | sh "$src/tests/lib/page-data.sh" | grep -ac "\"'$ret'\""' <<'END'
60
END

# A mapping that begins where the code does, and an address that is none.
text=$(readelf -SW hot | sed 's/^ *\[[ 0-9]*\]//' | awk '$1 == ".text" { print $3, $4 }')
# shellcheck disable=SC2086 # words
set -- $text
{
	echo '# samples count'
	printf '@mapping 0x%s 0x%x 0x%s %s/hot\n' "$1" $((0x$1 + 0x1000)) "$2" "$PWD"
	printf '0x%s 1\n' "$(addresses main)"
} | mkprof | prof-symbolize -q >begin.pb.gz
check 'a source page of code where its mapping begins' 0 '
	prof-list -q --weblist "^main$" begin.pb.gz | sh "$src/tests/lib/page-data.sh" |
		grep -ac "\"'$ret'\"" | sed "s/[1-9].*/some/"' <<'END'
some
END
printf '# samples count\n@mapping 0x400000 0x500000 0 %s/hot\n0x400010 1\n' "$PWD" |
	mkprof >head.pb.gz
check 'an address that is no code' 0 '
	prof-list -q --disasm 0x400010 head.pb.gz | sed "s|$PWD|DIR|"' <<'END'
Total: 1
ROUTINE ======================== [hot]
         1          1 (flat, cum)   100% of Total
 Error: DIR/hot: no symbol and no .eh_frame entry covers it
         1          1     400010: <no code>
END
printf '# samples count\nmain (a.c:1);work (a.c:9)=>tiny (a.c:3) 1\n' | mkprof >inlined.pb.gz
check_err 'a function that is inlined everywhere: where its code is' 2 \
	'prof-list --disasm "^tiny$" inlined.pb.gz' 'tiny is inlined, for example into work'
strip -o bare hot
printf '# samples count\n@mapping 0x400000 0x500000 0 %s/bare\n0x%s 1\n' "$PWD" "$(addresses main)" |
	mkprof >bare.pb.gz
main=$(addresses main | sed 's/^0*//')
for pattern in . bare "bare[+]0x$main" "0x$main"; do
	check "a stripped file: the function at an address, by $pattern" 0 "
		prof-list -q --disasm '$pattern' bare.pb.gz | sed -n 's/^ROUTINE =* //p; s/.*Error/Error/p; s/.* $main: .*/code/p'" <<END
[bare+0x$main]
code
END
done
# --- strangers' files ---

# Symbols inside of others, bytes that are no instructions, and a function of
# 2 MB, with PROF_LONG of 100 MB.
size=2000000
[ -z "$long" ] || size=100000000
cat >strange.s <<END
.text
.globl _start
.type _start,@function
_start: nop
.type inside,@function
inside: nop
.size inside, 2 * $step
.byte $one, $two
ret
.size _start, 100
.globl huge
.type huge,@function
huge: .fill $size / $move, $move, $mov
ret
END
gcc -nostdlib -no-pie -o strange strange.s
{
	echo '# samples count'
	printf '@mapping 0x400000 0x%x 0 %s/strange\n' $((0x402000 + size)) "$PWD"
	eval "$(nm strange | sed -nE 's/^0*([0-9a-f]+) T _?(start|huge)$/\2=\1/p')"
	printf '0x%x %d\n' $((0x$start)) 1 $((0x$start + step)) 2 \
		$((0x$start + 3 * step)) 4 $((0x$huge + (size / move - 8) * move)) 8 \
		$((0x$huge + size / move / 2 * move)) 16
} | mkprof >strange.pb.gz
check 'symbols inside of others, and bytes that are no instructions' 0 '
	prof-list --disasm "_start|inside" strange.pb.gz |
	sed -E "/flat, cum/d; s/ [0-9a-f]+: / ADDR: /; s/ +;.*//"' <<END
Total: 31
ROUTINE ======================== _start
         1          1     ADDR: nop
ROUTINE ======================== inside
         2          2     ADDR: nop
         .          .     ADDR: .byte $one
         4          4     ADDR: .byte $two
         .          .     ADDR: $ret
END
check 'a huge function: what is near its samples' 0 '
	prof-list --disasm huge strange.pb.gz 2>&1 >huge | sed "s/more than [0-9]*/more than N/"
	grep -c nop huge; grep -c mov huge; grep -c "^ *8 .*mov" huge
	grep -c "^ *16 .*mov" huge; grep "^ROUTINE" -A 1 huge' <<END
prof-list: functions of more than N bytes are shown near their samples only
0
$((8 + 3 * ((256 + move - 1) / move)))
1
1
ROUTINE ======================== huge
        24         24 (flat, cum) 77.42% of Total
END
# Files of /proc are regular and empty; one of them, kmsg, waits for data.
printf '# samples count\nf (/dev/zero:1) 1\ng (/dev/null:1) 1\nh (/proc/self/stat:1) 1\n' |
	mkprof >dev.pb.gz
check 'a device is no source' 0 'prof-list -q . dev.pb.gz | grep "Error\|:<beyond"' <<'END'
 Error: open /dev/zero: not a regular file
 Error: open /dev/null: not a regular file
         1          1      1:<beyond the end of /proc/self/stat (0 lines)>
END

# Packed sources: each is small, but not all of them.
printf '# samples count\nf (many1.c:1) 1\ng (many2.c:1) 2\nh (many3.c:1) 3\n' |
	mkprof >many.pb.gz
for i in 1 2 3; do
	head -c 100000 /dev/zero | tr '\0' '\n' | gzip >many$i.c.gz
done
check 'sources that are too large together' 0 \
	'prof-list -q --max-size=1200K . many.pb.gz | sed -n "s|open .*/many|open many|; /Error/p"
	prof-list -q . many.pb.gz | grep -c "Error" | grep -x 0' <<'END'
 Error: open many3.c.gz: too large together with the other sources
0
END

mkfifo pipe
mkdir dir
truncate -s 10G sparse
for f in pipe dir sparse /dev/zero /proc/self/status; do
	case $f in
	/*) path=$f ;;
	*) path=$PWD/$f ;;
	esac
	printf '# samples count\n@mapping 0x400000 0x500000 0 %s\n0x400010 1\n' "$path" |
		mkprof | prof-list -q --disasm . 2>&1 | sed -n 4p
done | sed "s|$PWD|DIR|" >out
check 'nor are pipes, folders, huge files and devices binaries' 0 'cat out' <<'END'
 Error: DIR/pipe: not a regular file
 Error: DIR/dir: not a regular file
 Error: DIR/sparse: of its 10737418240 bytes only 0 are on disk
 Error: /dev/zero: not in the search path
 Error: /proc/self/status: not a regular file
END

# --- a source that was changed later ---

touch -d '2001-01-01' hot
check_err 'a source that is newer than the program' 0 \
	'prof-list -o /dev/null main hot.pb.gz' \
	'newer than the program: lines may have moved'
printf '# cpu nanoseconds\n@mapping 0 0 0 [python]\n@time 1000000000000000000\nf (now.py:1) 7\n' | mkprof >python.pb
echo 'def f():' >now.py
check_err 'code of an interpreter is made when it runs' 0 'prof-list -o /dev/null f python.pb' \
	'now.py is newer than the profile: lines may have moved'
touch -d 2001-01-01 now.py
check 'and not when the interpreter was' 0 'prof-list -o /dev/null f python.pb 2>&1' </dev/null
touch -d '2001-01-01' ./*.cc ./*.h
touch hot
check 'none that is older' 0 'prof-list -o /dev/null main hot.pb.gz 2>&1' </dev/null
found=$(find /usr/src -mindepth 3 -maxdepth 4 -name '*.h' -size +0 2>/dev/null | head -1)
if [ -n "$found" ]; then
	rest=${found#/usr/src/*/}
	printf '# samples count\nf (/build/nowhere/%s:1) 1\n' "$rest" | mkprof >usr.pb.gz
	check 'a source below /usr/src' 0 'prof-list f usr.pb.gz | grep -c " 1:[^<]\| 1:$"' <<'END'
1
END
else
	skip 'a source below /usr/src' 'there are none'
fi

cp main.cc 'a&b.cc'
g++ -g -O2 -no-pie -o amp 'a&b.cc' lib.cc
printf '# samples count\n@mapping 0x400000 0x410000 0 %s/amp\n0x%s 1\n' "$PWD" \
	"$(nm amp | sed -n 's/^0*\([0-9a-f]*\) T main$/\1/p')" |
	mkprof | prof-symbolize -q >amp.pb.gz
check 'the file of an instruction is not escaped twice' 0 '
	prof-list -q --weblist "^main$" amp.pb.gz | sh "$src/tests/lib/page-data.sh" >page
	grep -ac "a&b.cc" page | sed "s/[1-9].*/some/"; grep -ac "&amp;\|&#38;" page || :' <<'END'
some
0
END
plan
