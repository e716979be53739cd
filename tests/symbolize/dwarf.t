#!/bin/sh
# The DWARF reader (cmd/symbols/dwarf) against llvm-symbolizer: machines of
# other byte orders and address sizes, many units, threads.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"

need_symbols DWARF
. "$src/tests/lib/symbolize.sh"

# --- machines: what is linked here needs nothing of them

versions=5
for how in powerpc64-linux-gnu powerpc-linux-gnu mips-linux-gnu \
	aarch64-linux-gnu aarch64_be-linux-gnu i386-linux-gnu; do
	# One version each, in turn, or both.
	[ "$versions" = 4 ] && versions=5 || versions=4
	[ -z "$long" ] || versions='4 5'
	for dwarf in $versions; do
		if ! have clang clang++ ld.lld llvm-symbolizer readelf ||
			! build prog clang clang++ --target=$how -O2 \
				-gdwarf-$dwarf -nostdlib -fno-pic -static \
				-fuse-ld=lld -Wl,-e,main; then
			skip "$how, DWARF $dwarf" \
				"$(head -1 build.log 2>/dev/null || echo 'no clang')"
			continue
		fi
		profile prog
		same_as_llvm prog "$how, DWARF $dwarf"
	done
done

# --- many units

need_tools 'many units' gcc llvm-symbolizer readelf
mkdir many
[ -n "$long" ] && ones='0 1 2 3 4 5' || ones='0 1'
for i in 0 1 2 3 4 5 6 7 8 9; do
	for j in $ones; do
		cat >many/u$i$j.c <<END
static inline int half_$i$j(int n)
{
	return n / 2 - $i;
}

int f_$i$j(int n);
int f_$i$j(int n)
{
	int sum = 0;

	while (n-- > $j)
		sum ^= half_$i$j(sum + n);
	return sum;
}
END
		echo "int f_$i$j(int); " >>many/all.h
		echo "n += f_$i$j(n);" >>many/calls.h
	done
done
cat >many/main.c <<'END'
#include "all.h"

int main(int n, char **argv)
{
	(void)argv;
#include "calls.h"
	return n;
}
END
# DW_AT_sibling by gcc, none by clang; one unit for all by -flto.
for how in 'gcc -g' 'clang -g' 'gcc -g -flto' 'clang -gdwarf-4 -gsplit-dwarf' \
	'gcc -g1' -- 'gcc -g -gsplit-dwarf' 'clang -g1' \
	'gcc -g -ffunction-sections'; do
	if [ "$how" = -- ]; then
		[ -n "$long" ] && continue || break
	fi
	# shellcheck disable=SC2086 # words
	if ! have ${how%% *} || ! (rm -f ./*.o && $how -O2 -c many/*.c &&
		$how -O2 ./*.o -o prog) >build.log 2>&1; then
		skip "many units: $how" "$(head -1 build.log)"
		continue
	fi
	# LTO leaves symbols named after files, below the code. llvm-symbolizer
	# takes the last one for a function that fills each gap in the code.
	objcopy --wildcard --strip-symbol='*.c.*' prog
	profile prog
	case $how in
	*split*)
		# llvm-symbolizer 14 finds no inlined functions here: it is
		# asked about the same program, not split.
		rm -f ./*.o
		${how% -gsplit-dwarf} -O2 -c many/*.c && gcc ./*.o -o whole
		our_lines prog >have
		cp prog.addr whole.addr
		llvm_lines whole | sed 's/^  :0:0$//' >want
		same "many units: $how: as llvm-symbolizer, not split"
		;;
	*)
		same_as_llvm prog "many units: $how"
		;;
	esac
	for j in 1 2 7; do
		prof-symbolize -z0 -j$j prog.pb >j$j.pb 2>>.said
	done
	if cmp j1.pb j2.pb >.why 2>&1 && cmp j1.pb j7.pb >.why 2>&1; then
		ok "many units, any number of threads: $how"
	else
		not_ok "many units, any number of threads: $how" <.why
	fi
	# A few addresses: units and functions that have none are passed over.
	for step in 37 211; do
		awk -v n=$step 'NR % n == 0' prog.addr >few.addr
		prof-symbolize --demangle=none prog.pb 2>.said | addrs print -c |
			awk -v n=$step 'NR % n == 0' | sed 's/^[^ ]*//' >want
		p_page=$((0x$(text prog | cut -d' ' -f1) / 4096 * 4096))
		while read -r a; do
			printf '0x%x\n' $((a + load))
		done <few.addr | addrs make $((load + p_page)) \
			$((load + p_page + 0x100000)) $p_page "$scratch/prog" \
			"$(build_id prog)" >few.pb
		prof-symbolize --demangle=none few.pb 2>.said |
			addrs print -c | sed 's/^[^ ]*//' >have
		same "many units, one address in $step: $how"
	done
done

# --- many mappings: objects are read at the same time, and told in order

mkdir libs
rm -f ./*.o libs.txt
for i in 0 1 2 3 4 5 6 7 8 9; do
	gcc -g -O2 -fPIC -shared -o libs/l$i.so many/u${i}0.c many/u${i}1.c \
		>build.log 2>&1
	profile libs/l$i.so
	# Each elsewhere.
	while read -r a; do
		printf '0x%x\n' $((a + load + i * 0x1000000))
	done <libs/l$i.so.addr | addrs make $((load + i * 0x1000000)) \
		$((load + i * 0x1000000 + 0x100000)) 0 "$scratch/libs/l$i.so" \
		"$(build_id libs/l$i.so)" >libs/l$i.so.pb
	prof-symbolize -z0 libs/l$i.so.pb >libs/l$i.sym.pb
done
prof-merge -z0 libs/*.so.pb >libs.pb
prof-merge -z0 libs/*.sym.pb | addrs print -c | sort >want
for j in 1 2 7; do
	prof-symbolize -z0 -j$j libs.pb >j$j.pb 2>.said
done
addrs print -c <j7.pb | sort >have
same 'many mappings: the same as one by one'
if cmp j1.pb j2.pb >.why 2>&1 && cmp j1.pb j7.pb >.why 2>&1; then
	ok 'many mappings, any number of threads'
else
	not_ok 'many mappings, any number of threads' <.why
fi
echo damage >libs/l4.so
prof-symbolize -z0 -j3 libs.pb 2>.said | addrs print -c | sort |
	grep -c 'u[0-9][0-9]\.c' >have
grep -v 'u4[0-9]\.c' want | grep -c 'u[0-9][0-9]\.c' >want2
mv want2 want
grep -q 'l4.so.*not an ELF file' .said || echo 'no warning' >>have
same 'many mappings, one of them of a damaged file'
plan
