#!/bin/sh
# prof-symbolize on code without symbols: stubs of the procedure linkage table,
# code after symbols without a size, and stripped functions.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"

need_symbols prof-symbolize
need_tools prof-symbolize gcc g++ readelf objdump strip
. "$src/tests/lib/symbolize.sh"

# addresses FILE: FILE.pb, a profile of the addresses in FILE.addr, which lie in
# the code of FILE, at their places in the file.
addresses() {
	# shellcheck disable=SC2046 # words
	set -- "$1" $(readelf -lW "$1" | awk '
		$1 == "LOAD" && / R E / { print $2, $3, $6; exit }')
	# What the kernel maps are whole pages.
	skip=$(($3 % 4096))
	addrs make $(($3 - skip)) $((($3 + $4 + 4095) / 4096 * 4096)) \
		$(($2 - skip)) "$scratch/$1" <"$1.addr" >"$1.pb"
}

# names FILE [OPTION...]: a line "ADDRESS NAME" for each of FILE.addr.
names() {
	names_of=$1
	shift
	prof-symbolize -q --no-cache --demangle=none "$@" "$names_of.pb" |
		addrs print | awk '{
			sub(/^0x0*/, "", $1)
			print $2 ? $1 " " $2 : $1
		}'
}

# --- stubs

cat >stub.cc <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string>

int
main(int argc, char **argv)
{
	std::string s(argv[0]);
	void (*f)(void *) = free;

	s.append(argv[argc - 1]);
	printf("%s", s.c_str());
	abort();
	return !f;
}
END

# The stub that each instruction of the table is of, as the disassembler has it;
# the head of the table is none.
stubs() {
	"$1" -d -j .plt -j .plt.got -j .plt.sec "$2" 2>/dev/null | awk '
		/^[0-9a-f]+ </ { name = $2; gsub(/[<>:]/, "", name) }
		/^ +[0-9a-f]+:/ {
			sub(/:/, "", $1)
			sub(/^0*/, "", $1)
			print name ~ /@plt$/ ? $1 " " name : $1
		}' | sort -u
}

for how in 'g++ objdump' 'g++ objdump -Wl,-z,now' \
	'clang++ llvm-objdump -fuse-ld=lld'; do
	# shellcheck disable=SC2086 # words
	set -- $how
	cxx=$1 dump=$2
	shift 2
	if ! have "$cxx" || ! have "$dump" ||
		! "$cxx" -O2 "$@" stub.cc -o stub 2>build.log; then
		skip "stubs: $how" "$(head -1 build.log)"
		continue
	fi
	strip stub
	stubs "$dump" stub >want
	sed 's/ .*//; s/^/0x/' want >stub.addr
	addresses stub
	names stub | sort -u >have
	grep -q '^[0-9a-f]* abort@plt' want || : >want
	same "stubs: $how"
done
# The disassembler names one of the two stubs that a function has then.
if g++ -O2 -fcf-protection -Wl,-z,ibtplt stub.cc -o stub 2>build.log; then
	stubs objdump stub | sed 's/ .*//; s/^/0x/' >stub.addr
	addresses stub
	names stub | grep -c '^[0-9a-f]* abort@plt' >have
	stubs objdump stub | grep -c '^[0-9a-f]* abort@plt' |
		awk '{ print $1 + 4 }' >want
	same 'stubs: with branch tracking'
else
	skip 'stubs: with branch tracking' "$(head -1 build.log)"
fi
cat >call.c <<'END'
int other(int n);
int call(int n);

int
call(int n)
{
	return other(n) + 1;
}
END
if have clang && have ld.lld && have llvm-objdump &&
	clang --target=aarch64-linux-gnu -O2 -fPIC -c call.c 2>build.log &&
	ld.lld -shared call.o -o call 2>>build.log; then
	stubs llvm-objdump call >want
	grep -q other@plt want || : >want
	sed 's/ .*//; s/^/0x/' want >call.addr
	addresses call
	names call | sort -u >have
	same 'stubs: aarch64'
else
	skip 'stubs: aarch64' 'clang, lld or llvm-objdump is missing'
fi

# --- symbols without a size

cat >size.s <<'END'
	.text
	.globl	sizeless, bare, sized
	.type	sizeless, @function
sizeless:
	.fill	16, 1, 0x90
hidden:
	.cfi_startproc
	.fill	16, 1, 0x90
	.cfi_endproc
	.fill	16, 1, 0x90
	.type	bare, @function
bare:
	.cfi_startproc
	.fill	8, 1, 0x90
	.cfi_endproc
	.fill	8, 1, 0x90
	.type	sized, @function
sized:
	.fill	8, 1, 0x90
	.size	sized, . - sized
	.fill	8, 1, 0x90
	.globl	loop
	.type	loop, @notype
	.p2align 4
loop:
	.byte	0x89, 0xc3		/* mov %eax, %ebx */
	ret
	.fill	5, 1, 0x31
	ret
	.p2align 4
local:
	.fill	16, 1, 0x31
END
gcc -shared -nostdlib size.s -o size && strip size || exit 99
base=$((0x$(text size | cut -d' ' -f1)))
awk -v base=$base 'BEGIN {
	for (i = 0; i < 112; i++)
		printf "0x%x\n", base + i
}' >size.addr
addresses size
# parts FILE [OPTION...]: how many addresses in a row have each name.
parts() {
	names "$@" | awk '{ print $2 ? $2 : "-" }' | uniq -c | sed 's/^ *//'
}
parts size >have
parts size --symbolize=ranges >ranges
loop='32 loop'
[ "$(uname -m)" != x86_64 ] || loop='9 loop
23 -'
check 'where symbols without a size end' 0 'cat have' <<END
16 sizeless
32 -
8 bare
8 -
8 sized
8 -
$loop
END
hidden=$(printf %x $((base + 16)))
check 'ranges name the rest, where there are any' 0 'cat ranges' <<END
16 sizeless
16 [size+0x$hidden]
16 -
8 bare
8 -
8 sized
8 -
$loop
END

# --- symbols in symbols

cat >nested.s <<'END'
	.text
	.globl	outer, middle, inner
	.type	outer, @function
	.type	middle, @function
	.type	inner, @function
outer:
	.fill	8, 1, 0x90
middle:
	.fill	4, 1, 0x90
inner:
	.fill	2, 1, 0x90
	.size	inner, . - inner
	.fill	4, 1, 0x90
	.size	middle, . - middle
	.fill	8, 1, 0x90
	.size	outer, . - outer
	.fill	8, 1, 0x90
END
gcc -shared -nostdlib nested.s -o nested || exit 99
base=$((0x$(text nested | cut -d' ' -f1)))
awk -v base=$base 'BEGIN {
	for (i = 0; i < 34; i++)
		printf "0x%x\n", base + i
}' >nested.addr
addresses nested
sed -n '19p; 23p; 31p' nested.addr >few.addr
cp nested few
addresses few
parts nested >have
parts few >>have
check 'code behind a symbol is of the one around it' 0 'cat have' <<'END'
8 outer
4 middle
2 inner
4 middle
8 outer
8 -
2 outer
1 -
END

# --- functions of a stripped file

for cxx in g++ 'clang++ -fuse-ld=lld'; do
	# shellcheck disable=SC2086 # words
	if ! have "${cxx%% *}" || ! build prog gcc "${cxx%% *}" -O2; then
		skip "ranges: $cxx" "$(head -1 build.log)"
		continue
	fi
	# shellcheck disable=SC2086 # words
	$cxx app.o part.o -o prog && strip prog || exit 99
	profile prog
	addresses prog
	readelf --debug-dump=frames prog 2>/dev/null |
		sed -n 's/.* FDE .* pc=\([0-9a-f]*\)\.\.\([0-9a-f]*\).*/\1 \2/p' |
		while read -r start end; do
			echo $((0x$start)) $((0x$end))
		done >frames
	while read -r a; do
		echo $((a))
	done <prog.addr | awk '
		NR == FNR { start[NR] = $1; end[NR] = $2; n = NR; next }
		{
			name = ""
			for (i = 1; i <= n; i++)
				if ($1 >= start[i] && $1 < end[i])
					name = sprintf(" [prog+0x%x]", start[i])
			printf "%x%s\n", $1, name
		}' frames - >want
	names prog --symbolize=ranges >have
	[ "$(grep -c '\[prog+' want)" -gt 100 ] || : >want
	same "ranges: $cxx, as readelf"
done
check 'stripped files: what helps' 0 \
	'prof-symbolize prog.pb 2>&1 >out.pb | tail -1' <<'END'
prof-symbolize: --symbolize=ranges shows a row for each function of stripped files
END
check 'they are not names' 1 'prof-symbolize --symbolize=ranges \
	--require-symbols=1 prog.pb -o out.pb 2>said; s=$?; tail -1 said; exit $s' <<'END'
prof-symbolize: 0.0% of samples have names (of their innermost frame): --require-symbols wants 1%
END

plan
