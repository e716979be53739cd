#!/bin/sh
# prof-symbolize against llvm-symbolizer and addr2line, for every address of
# small programs, built here in many ways.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"

printf '# cpu nanoseconds\n_Z1fv 1\n' | mkprof >mangled.pb
need_symbols prof-symbolize

. "$src/tests/lib/symbolize.sh"

# --- against other symbolizers

for how in 'gcc g++ -gdwarf-5' 'gcc g++ -gdwarf-4' 'gcc g++ -gdwarf-5 -no-pie' \
	'gcc g++ -gdwarf-3 -O1' 'clang clang++ -gdwarf-5' \
	'clang clang++ -gdwarf-4 -no-pie' \
	'clang clang++ -gdwarf-5 -fuse-ld=lld' \
	'gcc g++ -g -gz=zlib' 'gcc g++ -g -flto' 'gcc g++ -g -gsplit-dwarf' \
	'clang clang++ -g -gsplit-dwarf' \
	'gcc g++ -g -ffunction-sections -Wl,--gc-sections' \
	'gcc g++ -g -shared -fPIC' 'gcc g++ -g0' \
	'gcc g++ -g -shared -fPIC -Wl,-Ttext-segment=0x3000000' \
	'gcc g++ -g -no-pie -Wl,-Ttext-segment=0x10000000' \
	'gcc g++ -g -ffile-prefix-map="$scratch"=.'; do
	eval "set -- $how"
	cc=$1 cxx=$2
	if ! have "$cc" "$cxx" llvm-symbolizer readelf; then
		skip "$how" "no $cc, llvm-symbolizer or readelf"
		continue
	fi
	shift 2
	if ! build prog "$cc" "$cxx" -O2 "$@"; then
		skip "$how" "$(head -1 build.log)"
		continue
	fi
	profile prog
	same_as_llvm prog "$how"
done

need_tools 'the rest' gcc g++ readelf objcopy strip || ! build prog gcc g++ -O2 -g

# Its names are others: it has no symbols, and no origin of an origin. And it
# knows a line for the padding between functions.
if have addr2line; then
	profile prog
	columns=
	our_lines prog | sed "s|$scratch|DIR|g" | awk '{ for (i = 2; i <= NF; i += 2) printf " %s", $i
		print "" }' >have.all
	addr2line_lines prog | sed "s|$scratch|DIR|g" | awk '{ for (i = 2; i <= NF; i += 2)
		printf " %s", $i; print "" }' >want.all
	paste have.all want.all | awk -F'\t' '$1 != "" && $2 !~ /^ [^ ]*:0$|^ *$/ {
		print $1 >"have"; print $2 >"want" }'
	columns=-c
	same 'as addr2line -f -i'
else
	skip 'as addr2line -f -i' 'no addr2line'
fi

# --- debug information in another file

profile prog
our_lines prog >full
cp prog whole
id=$(build_id prog)
xx=$(echo "$id" | cut -c1-2)
objcopy --only-keep-debug prog prog.debug
strip prog

mkdir -p "tree/.build-id/$xx" "flat/$xx"
cp prog.debug "tree/.build-id/$xx/${id#??}.debug"
cp prog.debug "flat/$xx/${id#??}.debug"
# What crt files have is named by the symbol table alone.
named() {
	sed 's/^ [^ ]* crtstuff.c:0:0$//; s/^ _start :0:0$//' "$1"
}
cp full have
named have >want
for dir in tree flat; do
	our_lines prog --search-path=$dir >have
	named have >have2
	mv have2 have
	same "debug file by build-id below $dir"
done

objcopy --remove-section=.note.gnu.build-id --add-gnu-debuglink=prog.debug prog
profile prog
for dir in . .debug elsewhere; do
	mkdir -p $dir
	[ $dir = . ] || mv -f "$last/prog.debug" $dir/
	our_lines prog --search-path=elsewhere >have
	named have >have2
	mv have2 have
	same "debug file by debuglink in $dir"
	last=$dir
done
printf x >>elsewhere/prog.debug
our_lines prog --search-path=elsewhere | grep -c app.cc >have
echo 0 >want
same 'a debug file with another checksum is not used'
echo no program >elsewhere/prog.debug
our_lines prog --search-path=elsewhere >/dev/null
grep -o "elsewhere.*" .said >have
echo 'elsewhere/prog.debug: not an ELF file; names from it are missing' >want
same 'one that is of no use is named'

if have dwz; then
	cp whole one
	cp whole two
	if dwz -m common one two 2>build.log; then
		profile one
		our_lines one >have
		our_lines whole >/dev/null 2>&1
		cp full want
		same 'debug information in common, by dwz'
		mv common moved
		prof-symbolize --require-symbols=90% one.pb 2>.said >have.pb
		echo $? >have
		grep -o 'common file of dwz, common (build-id [0-9a-f]*), was not found; inner' .said |
			sed 's/id [0-9a-f]*/id ID/' >>have
		cat >want <<'END'
1
common file of dwz, common (build-id ID), was not found; inner
END
		same 'without it, the names that it has are missed'
		id=$(build_id moved)
		xx=$(echo "$id" | cut -c1-2)
		mkdir -p "byid/.build-id/$xx" root/usr/lib/debug/.dwz
		cp full want
		cp moved "byid/.build-id/$xx/${id#??}.debug"
		our_lines one --search-path=byid >have
		same 'by build-id below a directory'
		cp whole one
		cp whole two
		dwz -m root/usr/lib/debug/.dwz/common -M /usr/lib/debug/.dwz/common one two
		for dir in root root/usr/lib/debug; do
			our_lines one --search-path=$dir >have
			same "by name below $dir"
		done
	else
		skip 'debug information in common, by dwz' "$(head -1 build.log)"
	fi
else
	skip 'debug information in common, by dwz' 'no dwz'
fi

# --- symbol tables

cp whole symtab
strip -g symtab
profile symtab
our_lines symtab | grep -c '_ZN3appL4foldEPKii' >have
our_lines symtab | grep -c 'app\.cc:[1-9]' >>have
profile whole
our_lines whole | grep -c '_ZN3appL4foldEPKii[^ ]* ' >want
echo 0 >>want
same 'stripped of DWARF: functions by symbol table'
our_lines whole --symbolize=fastlocal | sed 's/ [^ ]*:0:0$//' >have
our_lines symtab | sed 's/ [^ ]*:0:0$//' >want
same 'fastlocal: functions by symbol table'

build lib.so gcc g++ -O2 -g -shared -fPIC
strip lib.so
profile lib.so
our_lines lib.so | tr -d ' ' | grep . | sort -u >have
{
	echo 'c_part:0:0'
	echo 'main:0:0'
} >want
same 'stripped: functions by dynamic symbol table'

# --- which file is read

# found FILE DIRS: what mapping 0 of FILE is then said to be.
found() {
	prof-symbolize --search-path="$2" "$1.pb" 2>.said | addrs file
}

build prog gcc g++ -O2 -g -no-pie
id=$(build_id prog)
xx=$(echo "$id" | cut -c1-2)
build other gcc g++ -O1 -g -no-pie
build noid gcc g++ -O2 -g -no-pie -Wl,--build-id=none
profile prog /gone/prog
for path in "p/$id/prog" "p/$id/any" "p/gone/prog/$id" \
	"p/usr/lib/debug/.build-id/$xx/${id#??}.debug" \
	"p/.build-id/$xx/${id#??}" "p/.build-id/$xx/${id#??}/elf" \
	"p/.build-id/$xx/${id#??}/debug" \
	"p/$xx/${id#??}.debug" "p/.build-id/$xx/${id#??}.debug" p/prog \
	p/gone/prog p/gone/prog.debug p/gone/.debug/prog.debug \
	p/usr/lib/debug/gone/prog.debug; do
	rm -rf p
	mkdir -p "${path%/*}"
	cp prog "$path"
	check "found at $path" 0 "prof-symbolize --search-path=p prog.pb |
		addrs file" <<END
$path
END
done
check 'the same as pprof spells it' 0 "prof-symbolize --binary-path=p prog.pb |
	addrs file" <<'END'
p/usr/lib/debug/gone/prog.debug
END

# The kernel adds this to the path of a file that was replaced while it ran.
profile prog '/gone/prog (deleted)'
check 'found although it was deleted' 0 "prof-symbolize --search-path=p prog.pb |
	addrs file" <<'END'
p/usr/lib/debug/gone/prog.debug
END
profile noid "$scratch/noid (deleted)"
check 'a new file at its path is not taken without a build-id' 0 \
	"prof-symbolize -q --search-path=none noid.pb | addrs file; mkdir -p r && cp noid r &&
		prof-symbolize --search-path=r noid.pb | addrs file" <<END
$scratch/noid (deleted)
r/noid
END
profile prog /gone/prog

# Of several with the right build-id, the one with the most to tell.
rm -rf p
mkdir -p p/gone "p/.build-id/$xx"
strip -o p/prog prog
check 'a stripped one, if there is no other' 0 "prof-symbolize -q --search-path=p \
	prog.pb | addrs file" <<'END'
p/prog
END
strip -g -o p/gone/prog prog
check 'one with symbols rather than a stripped one' 0 "prof-symbolize \
	--search-path=p prog.pb | addrs file" <<'END'
p/gone/prog
END
cp prog p/gone/prog.debug
check 'one with DWARF rather than that' 0 "prof-symbolize --search-path=p \
	prog.pb | addrs file" <<'END'
p/gone/prog.debug
END
rm p/gone/prog
objcopy --only-keep-debug prog p/gone/prog.debug
check 'a debug file is not the program, but has its lines' 0 "prof-symbolize \
	--search-path=p prog.pb >out.pb; addrs file <out.pb; addrs print <out.pb |
	grep -c 'app.cc:[1-9]' | grep -q '[1-9][0-9]' && echo lines" <<'END'
p/prog
lines
END
rm p/prog
check 'a debug file alone' 0 "prof-symbolize --search-path=p prog.pb >out.pb
	addrs file <out.pb; addrs print <out.pb | grep -c 'app.cc:[1-9]' |
	grep -q '[1-9][0-9]' && echo lines" <<'END'
p/gone/prog.debug
lines
END
mkdir -p p/usr/lib/debug/gone
cp prog p/usr/lib/debug/gone/prog.debug
rm p/gone/prog.debug
check 'found by the environment' 0 'PPROF_BINARY_PATH=none:p prof-symbolize prog.pb |
	addrs file' <<END
p/usr/lib/debug/gone/prog.debug
END

warns() {
	warns_name=$1 warns_text=$2
	shift 2
	"$@" >.out 2>.err
	warns_status=$?
	if [ $warns_status -eq 0 ] && grep -qF -- "$warns_text" .err &&
		addrs print <.out >/dev/null && "$@" -q 2>&1 >/dev/null |
		cmp -s - /dev/null; then
		ok "$warns_name"
	else
		{
			echo "status $warns_status; wanted: $warns_text"
			head -3 .err
		} >.why
		not_ok "$warns_name" <.why
	fi
}

warns 'a missing file is a warning' \
	"/gone/prog (build-id $id): No such file or directory" \
	prof-symbolize --search-path=none prog.pb
profile prog
mv prog away
cp other prog
warns 'a file with another build-id is not used' \
	"its build-id is $(build_id other)" \
	prof-symbolize --search-path=none prog.pb
check 'but it is when that is asked for' 0 "prof-symbolize --any-build-id \
	--search-path=none prog.pb | addrs file" <<END
$scratch/prog
END
check 'the right build-id wins over the path' 0 \
	"mkdir -p q && cp away q/prog && prof-symbolize --search-path=q prog.pb |
	addrs file" <<'END'
q/prog
END
cp noid prog
check 'a file without build-id is taken' 0 \
	"prof-symbolize --search-path=none prog.pb | addrs file" <<END
$scratch/prog
END
profile prog
cp other q/prog
check 'without build-id the path wins over the search path' 0 \
	"prof-symbolize --search-path=q prog.pb | addrs file" <<END
$scratch/prog
END
warns 'the message names the file that was given' \
	'/none/such: No such file or directory; innermost frame unnamed in' \
	prof-symbolize --binary=/none/such prog.pb
warns 'what is no ELF file is a warning' 'not an ELF file' \
	prof-symbolize --binary="$scratch/src/app.cc" prog.pb
mkfifo pipe
warns 'a pipe is not waited for' 'not a regular file' \
	prof-symbolize --binary=pipe prog.pb
warns 'a mapping elsewhere in the file' 'no segment fits' \
	sh -c 'sed 3q prog.addr | addrs make 0x401000 0x402000 0x9990000 "$0" |
		prof-symbolize "$@"' "$scratch/prog"

for name in '[vdso]' '[vsyscall]' linux-vdso.so.1 /dev/dri/card0; do
	check "$name is passed over" 0 "echo 0x1010 |
		addrs make 0x1000 0x2000 0 '$name' | prof-symbolize |
		addrs print" <<'END'
0x1010
END
done
for name in //anon /memfd:x; do
	check "$name is passed over, and code in it is in no file" 0 "echo 0x1010 |
		addrs make 0x1000 0x2000 0 '$name' | prof-symbolize 2>&1 >out; addrs print <out" <<'END'
prof-symbolize: 100.0% of samples are in code that is in no file: it was made while the program ran, or its mapping is missing
0x1010
END
done

# --- mappings that are none, and programs that are named

fold=$(nm prog | sed -n 's/ t _ZN3appL4foldEPKii.*//p' | head -1)
fold=0x$(echo "$fold" | sed 's/^0*//')
for m in '0 0xffffffffffffffff 0' '0 0 0'; do
	check "mapping $m: addresses of the file" 0 "echo $fold |
		addrs make $m '$scratch/prog' | prof-symbolize | addrs print |
		grep -c _ZN3appL4foldEPKii" <<'END'
1
END
done
cat >nomap.txt <<END
# cpu nanoseconds
main;$fold 7
END
mkprof nomap.txt >nomap.pb
warns 'a program that is not there' '/none/such: No such file or directory' \
	prof-symbolize --binary=/none/such nomap.pb
for how in '--binary=prog nomap.pb' 'prog nomap.pb' 'prog <nomap.pb'; do
	check "no mapping: $how" 0 "prof-symbolize $how | addrs print |
		grep -c _ZN3appL4foldEPKii" <<'END'
1
END
done
check 'no mapping, and no program: nothing to do' 0 \
	'prof-symbolize nomap.pb | addrs print | grep _ZN3app || :' </dev/null

# --- what is there already

cat >done.txt <<END
# cpu nanoseconds
@mapping 0x400000 0x500000 0 $scratch/prog
main (a.c:1);work (a.c:2) 20
END
mkprof done.txt >done.pb
prof-symbolize -z0 done.pb >again.pb
check 'a symbolized profile stays as it is' 0 \
	'prof-symbolize again.pb | cmp - again.pb && addrs print <again.pb |
	sed "s/^[^ ]*//" | sort' <<'END'
 main a.c:1
 work a.c:2
END
profile prog
prof-symbolize -z0 prog.pb >sym.pb
check 'twice is once' 0 'prof-symbolize sym.pb | cmp - sym.pb' </dev/null
check 'force: again, with the same answers' 0 \
	'prof-symbolize --force sym.pb | addrs print >b; addrs print <sym.pb |
	cmp - b' </dev/null
check 'none changes nothing' 0 \
	'prof-symbolize --symbolize=none prog.pb | cmp - prog.pb' </dev/null

cat >names.txt <<'END'
# cpu nanoseconds
_ZN3foo3barIiEEvi 1
END
mkprof names.txt >names.pb
if [ "$(prof-symbolize -q mangled.pb | addrs names)" != f ]; then
	skip 'demangle=' 'this build has no libiberty'
	set --
else
	set -- 'default:foo::bar' 'templates:foo::bar<int>' \
		'full:void foo::bar<int>(int)' 'none:_ZN3foo3barIiEEvi'
fi
for row; do
	check "demangle=${row%%:*}" 0 "prof-symbolize --demangle=${row%%:*} \
		names.pb | addrs names; prof-symbolize names.pb |
		prof-symbolize --symbolize=demangle=${row%%:*} |
		addrs names" <<END
${row#*:}
$([ "${row%%:*}" = default ] && echo foo::bar || echo "${row#*:}")
END
done
cat >text.txt <<'END'
# cpu nanoseconds
a<b>::c(int) 1
END
check 'a name that was not mangled is not touched' 0 \
	'mkprof text.txt | prof-symbolize | addrs names' <<'END'
a<b>::c(int)
END
check_err 'a mode that is none' 2 'prof-symbolize --demangle=best names.pb' \
	"--demangle: unknown form of names 'best'; one of default, templates, full, none"
check_err 'a word that is none' 2 'prof-symbolize --symbolize=best names.pb' \
	"--symbolize: unknown word 'best'; one of local, fastlocal, ranges, remote,"

cat >drop.txt <<'END'
# space bytes
@drop malloc|operator new
main;work;operator new(unsigned long);malloc 10
END
mkprof drop.txt >drop.pb
check 'frames that the profile wants dropped' 0 'prof-symbolize drop.pb |
	prof-filter --all-frames | prof-text --traces 2>/dev/null |
	grep -c malloc; prof-symbolize --all-frames drop.pb | addrs names |
	grep -c malloc' <<'END'
0
1
END

# --- damage

: >truncated
size=$(wc -c <away)
profile away
i=1
while [ $i -le 20 ]; do
	head -c $((size * i / 21)) away >cut
	prof-symbolize --binary=cut away.pb >.out 2>.err && addrs print <.out >.p ||
		echo "cut at $((size * i / 21)): $(head -1 .err)" >>truncated
	i=$((i + 1))
done
cp truncated .why
[ -s truncated ] && not_ok 'a truncated program' <.why ||
	ok 'a truncated program'

# Bytes that decide: half of them in the headers and in what DWARF there is.
cat away >flipped
awk -v size="$size" 'BEGIN {
	srand(1)
	for (i = 0; i < 200; i++)
		print int(rand() * (i % 4 ? size : 4096)), int(rand() * 256)
}' >flips
: >wrong
while read -r at byte; do
	cp away cut
	# shellcheck disable=SC2059 # that is the byte
	printf "\\$(printf %o "$byte")" |
		dd of=cut bs=1 seek="$at" conv=notrunc 2>/dev/null
	prof-symbolize --binary=cut away.pb >.out 2>.err ||
		echo "byte $at is $byte: $(head -1 .err)" >>wrong
done <flips
cp wrong .why
[ -s wrong ] && not_ok 'a program with wrong bytes' <.why ||
	ok 'a program with wrong bytes'

# --- the examples of the manual page

mkdir -p bin
cp away bin/prog
profile away /gone/prog
mv away.pb app.pb.gz
export full
full='app::fold(int const\*, int)'
[ "$(prof-symbolize -q mangled.pb | addrs names)" = f ] || full="fold"
check 'example: search path' 0 'prof-symbolize --search-path=bin app.pb.gz -o app.sym.pb.gz &&
	prof-symbolize --demangle=full app.sym.pb.gz | prof-text | grep -c "$full"' <<'END'
1
END

plan
