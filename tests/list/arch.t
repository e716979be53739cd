#!/bin/sh
# prof-list --disasm for other machines, modules of the kernel, the vDSO, files
# mapped twice, and missing code. Instructions are compared with llvm-objdump.
. "${srcdir:-.}/tests/lib/tap.sh"

need_disassembly 'disassembly'
need_tools 'disassembly' gcc nm llvm-objdump

# instructions FILE: the addresses of those of .text.
instructions() {
	llvm-objdump -d -z -j .text --no-show-raw-insn "$1" |
		sed -nE 's/^ +([0-9a-f]+):.*/\1/p'
}

# mapping FILE BASE: where its .text is mapped if addresses of the file are BASE
# lower.
mapping() {
	# shellcheck disable=SC2046 # words
	set -- "$1" "$2" $(readelf -SW "$1" | sed 's/^ *\[[ 0-9]*\]//' |
		awk '$1 == ".text" { print $3, $4, $5 }')
	printf '@mapping 0x%x 0x%x 0x%x %s\n' $(($2 + (0x$3 & ~4095))) \
		$(($2 + (0x$3 & ~4095) + 0x10000)) $((0x$4 & ~4095)) "$scratch/$1"
}

# sampled FILE BASE: a profile of FILE with a sample at each instruction.
sampled() {
	{
		echo '# samples count'
		mapping "$1" "$2"
		instructions "$1" | while read -r a; do
			printf '0x%x 1\n' $(($2 + 0x$a))
		done
	} | mkprof | prof-symbolize -q
}

# ours PROFILE: the addresses that are listed, and how many have no code.
ours() {
	prof-list --disasm . "$1" 2>.err >listing
	sed -nE 's/^ +[^ ]+ +[^ ]+ +([0-9a-f]+): .*/\1/p' listing | sort
}

# --- other machines ---

for target in i386 aarch64 armv7 powerpc64le mips64; do
	if ! have clang ld.lld || ! clang --target=$target-linux-gnu -O2 -g \
		-fuse-ld=lld -nostdlib -static -Wl,--image-base=0x200000 -Wl,-e,_start \
		"$src/tests/programs/bare.c" -o $target 2>build.log; then
		skip "$target" "$(head -1 build.log)"
		continue
	fi
	sampled $target 0 >$target.pb.gz
	ours $target.pb.gz >have
	instructions $target | sort >want
	if cmp -s want have && [ -s want ] && ! grep -q 'no code' listing; then
		ok "$target: the instructions of llvm-objdump"
	else
		diff want have | head | cat - .err |
			not_ok "$target: the instructions of llvm-objdump"
	fi
done

cat >calls.c <<'END'
int ext(int);
static __attribute__((noinline)) int
inner(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += ext(i * n);
	return s;
}
static inline __attribute__((always_inline)) int
mix(int a)
{
	return (a ^ a << 3) * 7;
}
int
outer(int n)
{
	return inner(n) + mix(n);
}
END
arm="clang --target=aarch64-linux-gnu -O2 -g -nostdlib -fuse-ld=lld"
echo 'int ext(int n) { return n + 1; }' >ext.c
if have clang ld.lld && $arm -fPIC -shared -o libext.so ext.c 2>build.log &&
	$arm -no-pie -Wl,-e,outer -o calls calls.c libext.so 2>build.log; then
	sampled calls 0 >calls.pb.gz
	check 'aarch64: calls and inlined functions are named' 0 '
		prof-list --disasm outer calls.pb.gz >listing
		prof-list --disasm inner calls.pb.gz >>listing
		grep -c ": bl inner$\|: bl inner  " listing
		grep -c ": bl ext@plt" listing
		grep -q ";mix calls.c:13" listing && echo inlined
		grep -q ": b\.[a-z]* 0x[0-9a-f]* <[a-z]*+0x" listing && echo jumps' <<'END'
1
1
inlined
jumps
END
	plt=$(llvm-objdump -d -j .plt --no-show-raw-insn calls |
		sed -nE 's/^ +([0-9a-f]+):.*/\1/p' | head -1)
	{
		echo '# samples count'
		mapping calls 0
		echo "0x$plt 1"
	} | mkprof >plt.pb.gz
	check 'code without a symbol has the name of its section' 0 '
		prof-list --disasm . plt.pb.gz | sed -n "2p;4s/ [0-9a-f]*:/ ADDR:/p"' <<'END'
ROUTINE ======================== .plt
         1          1     ADDR: stp x16, x30, [sp, #-0x10]!
END

	# A machine that no disassembler knows, beside one that is known.
	cp calls odd
	printf '\367\367' | dd of=odd bs=1 seek=18 conv=notrunc 2>/dev/null
	sampled calls 0x7f0000000000 | prof-filter --focus=inner >there.pb.gz
	inner=$(nm calls | sed -n 's/^0*\([0-9a-f]*\) t inner$/0x\1/p')
	{
		echo '# samples count'
		mapping odd 0
		echo "$inner 1"
	} | mkprof | prof-symbolize -q >odd.pb.gz
	prof-merge there.pb.gz odd.pb.gz >both.pb.gz
	check_err 'an unknown machine: one line' 0 \
		'prof-list -o /dev/null --disasm . both.pb.gz' \
		'odd: no disassembler for ELF machine 63479'
	check 'its addresses, and the functions of others' 0 '
		prof-list -q --disasm . both.pb.gz >listing
		grep -c ROUTINE listing; grep -c "1 *[0-9a-f]*: <no code>" listing
		grep -c "bl ext@plt" listing
		sed -n "s|.*/odd: ||p" listing' <<'END'
2
1
1
no disassembler for ELF machine 63479
END
	check 'on a source page, too' 0 '
		prof-list -q --weblist . both.pb.gz | sh "$src/tests/lib/page-data.sh" >page
		grep -aoc "no disassembler for ELF machine 63479" page; grep -ac "bl ext@plt" page' <<'END'
1
1
END
	# One file, mapped at two places.
	sampled calls 0x7e0000000000 | prof-filter --focus=inner >again.pb.gz
	prof-merge there.pb.gz again.pb.gz >twice.pb.gz
	check 'a file that is mapped twice' 0 '
		n=$(prof-list --disasm inner there.pb.gz | sed -n "s/^Total: //p")
		prof-list --disasm inner twice.pb.gz | awk -v n=$n "
			NR == 1 { print \$2 == 2 * n }
			/: / && \$1 ~ /^[0-9]+$/ && \$1 != 2 { print }
			/ROUTINE/"' <<'END'
1
ROUTINE ======================== inner
END
else
	skip 'aarch64' "$(head -1 build.log)"
fi

# --- the kernel ---

if gcc -O2 -g -mcmodel=kernel -fno-pie -ffreestanding -c "$src/tests/programs/bare.c" \
	-o mod.ko 2>build.log; then
	{
		printf '# samples count\n@mapping 0x%s 0x%s 0 %s\n' ffffffffc0000000 \
			ffffffffc0100000 "$scratch/mod.ko"
		instructions mod.ko | while read -r a; do
			printf '0xffffffffc%07x 1\n' $((0x$a))
		done
	} | mkprof | prof-symbolize -q >mod.pb.gz
	ours mod.pb.gz >have
	instructions mod.ko | sort >want
	if cmp -s want have && [ -s want ]; then
		ok 'a module of the kernel'
	else
		diff want have | head | cat - .err | not_ok 'a module of the kernel'
	fi
else
	skip 'a module of the kernel' "$(head -1 build.log)"
fi
range=$(sed -n 's/ .*\[vdso\]$//p' /proc/self/maps 2>/dev/null)
if [ -n "$range" ] && [ "$(uname -m)" = x86_64 ]; then
	size=$((0x${range#*-} - 0x${range%-*}))
	for i in $(seq 0 16 $((size - 1))); do
		printf '0x%x\n' $((0x10000000 + i))
	done >vdso.addr
	addrs make 0x10000000 $((0x10000000 + size)) 0 '[vdso]' <vdso.addr |
		prof-symbolize -q >vdso.pb.gz
	check 'the vDSO' 0 'prof-list --disasm clock_gettime vdso.pb.gz |
		grep -c ": retq\|: jmp" | grep -q "[1-9]" && echo code' <<'END'
code
END
else
	skip 'the vDSO' 'this process has none'
fi
check 'a vDSO that is not of this machine' 0 '
	echo 0x10000800 | addrs make 0x10000000 0x10002000 0 "[vdso]" 0123 |
		prof-list -q --disasm 0x10000800 | tail -1' <<'END'
       1ns        1ns   10000800: <no code>
END

# --- no bytes ---

if gcc -O2 -g -no-pie -nostdlib -Wl,-e,_start -Wl,--build-id -o whole "$src/tests/programs/bare.c" 2>build.log; then
	id=$(readelf -n whole | sed -n 's/.*Build ID: //p')
	a=$(nm whole | sed -n 's/^0*\([0-9a-f]*\) [Tt] part$/\1/p')
	printf '# samples count\n@mapping 0x400000 0x500000 0 %s/whole %s\n0x%s 3\n' \
		"$scratch" "$id" "$a" | mkprof | prof-symbolize -q >split.pb.gz
	objcopy --only-keep-debug whole split
	mv split whole
	check 'only the debug file is there' 0 "
		prof-list -q --disasm part split.pb.gz | sed 's|$scratch|DIR|;s/$a/ADDR/'" <<'END'
Total: 3
ROUTINE ======================== part
         3          3 (flat, cum)   100% of Total
 Error: DIR/whole: the file has no code there
         3          3     ADDR: <no code>
END
else
	skip 'only the debug file is there' "$(head -1 build.log)"
fi
plan
