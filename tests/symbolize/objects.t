#!/bin/sh
# prof-symbolize reads every kind of object file, made by its real producer.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"

need_symbols prof-symbolize
need_tools prof-symbolize gcc g++ readelf objcopy strip nm llvm-symbolizer
. "$src/tests/lib/symbolize.sh"

# --- other machines

for target in i386 x86_64 aarch64 armv7 powerpc64 powerpc64le riscv32 riscv64 \
	mips mips64; do
	name="$target, $(case $target in *64*) echo 64 ;; *) echo 32 ;; esac) bits"
	if ! have clang ld.lld ||
		! clang --target=$target-linux-gnu -O2 -g -ffreestanding -c \
			"$src/tests/programs/bare.c" -o bare.o 2>build.log ||
		! ld.lld --build-id -e _start bare.o -o bare 2>>build.log; then
		skip "$name" "$(head -1 build.log)"
		continue
	fi
	profile bare
	same_as_llvm bare "$name"
done

# --- relocatable: modules of the kernel

# module FILE: FILE.pb, as profile makes it, of a file that was loaded to where
# modules are.
module() {
	# shellcheck disable=SC2046 # words
	set -- "$1" $(text "$1")
	awk -v n=$((0x$4)) 'BEGIN {
		for (i = 0; i < n; i++)
			printf "0x%x\n", i
	}' >"$1.addr"
	sed 's/^0x/00000000/; s/.*\(........\)$/0xffffffff\1/' "$1.addr" |
		sed 's/0xffffffff0/0xffffffffc/' |
		addrs make 0xffffffffc0000000 0xffffffffc0100000 0 \
			"$scratch/$1" >"$1.pb"
}

for target in i386 aarch64 armv7 powerpc64 powerpc64le riscv64 mips64; do
	if ! have clang || ! clang --target=$target-linux-gnu -O2 -g \
		-ffreestanding -c "$src/tests/programs/bare.c" -o bare.o 2>build.log; then
		skip "$target, relocatable" "$(head -1 build.log)"
		continue
	fi
	module bare.o
	same_as_llvm bare.o "$target, relocatable"
done
cat >other.c <<'END'
int part(int n);
int init(void);
int other(int n);

__attribute__((section(".init.text"))) int
init(void)
{
	return part(3);
}

int
other(int n)
{
	return part(n) * 3;
}
END
for how in -gdwarf-4 -gdwarf-5 '-g -gz=zlib'; do
	# shellcheck disable=SC2086 # words
	if ! gcc -O2 $how -mcmodel=kernel -fno-pie -ffreestanding -c "$src/tests/programs/bare.c" \
		-o bare.o 2>build.log || ! gcc -O2 $how -mcmodel=kernel \
		-fno-pie -ffreestanding -c other.c -o other.o 2>build.log ||
		! ld -r bare.o other.o -o mod.ko 2>>build.log; then
		skip "a module, $how" "$(head -1 build.log)"
		continue
	fi
	module mod.ko
	same_as_llvm mod.ko "a module, $how"
done
if [ -s mod.ko ] && have xz; then
	cp want full
	xz -c mod.ko >mod.ko.xz
	our_lines mod.ko --binary=mod.ko.xz >have
	cp bare packed
	echo 0x1000 | addrs make 0 0 0 "$scratch/packed.xz" >packed.pb
	xz packed
	if lacks 'prof-symbolize packed.pb'; then
		skip 'a compressed module' 'this build has no liblzma'
	else
		cp full want
		same 'a compressed module'
	fi
	objcopy --only-keep-debug mod.ko mod.ko.debug
	strip -g mod.ko
	objcopy --add-gnu-debuglink=mod.ko.debug mod.ko
	our_lines mod.ko >have
	same 'a module, and its debug file'
fi

# --- formats of DWARF

for how in 'gcc g++ -gdwarf-2 -gno-strict-dwarf' 'clang clang++ -gdwarf-2' \
	'clang clang++ -gdwarf-3' 'gcc g++ -gdwarf-5 -gdwarf64' \
	'gcc g++ -gdwarf-5 -fdebug-types-section' \
	'gcc g++ -gdwarf-4 -fdebug-types-section' \
	'clang clang++ -gdwarf-5 -fdebug-types-section'; do
	# shellcheck disable=SC2086 # words
	set -- $how
	cc=$1 cxx=$2
	shift 2
	if ! have "$cc" || ! build prog "$cc" "$cxx" -O2 "$@"; then
		skip "$how" "$(head -1 build.log)"
		continue
	fi
	profile prog
	same_as_llvm prog "$how"
done

# Split, in .dwo files and in packages. llvm-symbolizer does not read GNU's of
# DWARF 4 from a package, nor all inlined functions of clang's .dwo files for arm64, so
# the answers are those of the same program before it was split.
for how in 'gcc g++ -gdwarf-5 dwp' 'gcc g++ -gdwarf-4 dwp' \
	'clang clang++ -gdwarf-5 llvm-dwp' 'clang clang++ -gdwarf-4 llvm-dwp'; do
	# shellcheck disable=SC2086 # words
	set -- $how
	if ! have "$1" || ! build whole "$1" "$2" -O2 "$3" ||
		! build prog "$1" "$2" -O2 "$3" -gsplit-dwarf; then
		skip "split: $how" "no $1, or: $(head -1 build.log)"
		continue
	fi
	profile whole
	same_as_llvm whole "not split: $1 $3"
	cp want full
	profile prog
	our_lines prog >have
	same "split: $1 $3"
	cp full want
	# The shell names a signal.
	if ! have "$4" || ! { $4 -e prog -o prog.dwp; } 2>build.log; then
		skip "package: $how" "no $4, or it fails: $(head -1 build.log)"
		continue
	fi
	mkdir -p hidden
	mv ./*.dwo hidden
	our_lines prog >have
	cp full want
	same "package: $1 $3, by $4"
	rm -f prog.dwp
	our_lines prog | grep -c 'app.cc:[1-9]' | grep -q '[1-9]' &&
		grep -q '/app.dwo: not found, or of another build; names from it and 1 ' .said &&
		ok "without: $how, lines alone" ||
		not_ok "without: $how, lines alone" <.said
	rm -rf hidden
done

# --- compressed

build prog gcc g++ -O2 -g
profile prog
our_lines prog >want
cp want full
for how in zlib zlib-gnu zstd; do
	if ! objcopy --compress-debug-sections=$how prog packed 2>build.log; then
		skip "sections compressed by $how" "$(head -1 build.log)"
		continue
	fi
	cp prog.pb packed.pb
	our_lines packed --binary=packed >have
	if [ $how = zstd ] && lacks 'prof-merge -z zstd -o /dev/null $data/good-tiny.pb.gz'; then
		skip "sections compressed by $how" 'this build has no libzstd'
	else
		same "sections compressed by $how"
	fi
done

for how in gzip xz zstd; do
	if ! have $how; then
		skip "a file compressed by $how" "no $how"
		continue
	fi
	$how -c prog >packed
	our_lines prog --binary=packed >have
	if grep -q 'no liblzma\|no zstd' .said; then
		skip "a file compressed by $how" "$(head -1 .said)"
		continue
	fi
	same "a file compressed by $how"
	head -c 3000 packed >cut
	prof-symbolize --binary=cut prog.pb 2>.said >.out &&
		grep -q 'truncated' .said && ok "a file compressed by $how, cut" || not_ok "a file compressed by $how, cut" <.said
done

# --- MiniDebugInfo, as Fedora's find-debuginfo makes it

if have xz; then
	nm -D prog --format=posix --defined-only | awk '{ print $1 }' | sort >dyn
	nm prog --format=posix --defined-only |
		awk '$2 ~ /[tTD]/ { print $1 }' | sort >all
	comm -13 dyn all >keep
	objcopy --only-keep-debug prog mini
	objcopy -S --remove-section .gdb_index --remove-section .comment \
		--keep-symbols=keep mini mini 2>/dev/null
	strip --strip-all -R .comment prog -o stripped
	xz -c mini >mini.xz
	objcopy --add-section .gnu_debugdata=mini.xz stripped
	profile stripped
	xz -c prog >packed.xz
	if lacks 'prof-symbolize --binary=packed.xz prog.pb'; then
		skip 'MiniDebugInfo' 'this build has no liblzma'
	else
		our_lines prog --symbolize=fastlocal >want
		our_lines stripped | sed 's/ [^ ]*:0:0$//' >have
		sed 's/ [^ ]*:0:0$//' want >want2 && mv want2 want
		same 'MiniDebugInfo: the symbols of a stripped file'
		our_lines stripped | grep -c '_ZN3appL4foldEPKii' >have
		our_lines prog --symbolize=fastlocal |
			grep -c '_ZN3appL4foldEPKii' >want
		same 'MiniDebugInfo: static functions, too'
	fi
else
	skip 'MiniDebugInfo' 'no xz'
fi

# --- files that are none

# Who opens a pipe wakes the one that waits to write into it.
mkfifo pipe
(exec 3>pipe && : >opened) 2>/dev/null &
writer=$!
echo 0x401000 | addrs make 0x400000 0x500000 0 "$scratch/pipe" '' >pipe.pb
echo 0x401000 | addrs make 0x400000 0x500000 0 /proc/version '' >version.pb
check 'what is no file is not even opened, nor what the kernel makes up' 0 '
	for i in pipe version; do
		prof-symbolize -v $i.pb 2>&1 >out | sed -n "s|.*tried .*/$i: not|$i: not|p" | sort -u
	done; sleep .1; ls opened 2>/dev/null || :' <<'END'
pipe: not a regular file
version: not a regular file
END
kill $writer 2>/dev/null

# --- hostile

# Sanitizers reserve more than this.
limit=4000000
(ulimit -v $limit && prof-symbolize -V) >/dev/null 2>&1 || limit=unlimited

# answered NAME: the profile hostile.pb passes through, in bounded memory.
answered() {
	if (
		ulimit -v $limit
		prof-symbolize hostile.pb >out.pb 2>.said
	) && addrs print <out.pb >.out; then
		ok "hostile: $1"
	else
		not_ok "hostile: $1" <.said
	fi
}

# Functions whose origins are each other, and that are inside of each other by
# a thousand levels.
cat >hostile.s <<'END'
	.text
	.globl _start
_start:	.rept 64
	.byte 0x90
	.endr
end:
	.section .debug_abbrev,"",@progbits
	.byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0
	.byte 2, 0x2e, 1, 0x11, 1, 0x12, 7, 0x31, 0x13, 0, 0
	.byte 3, 0x1d, 1, 0x11, 1, 0x12, 7, 0x31, 0x13, 0, 0
	.byte 0
	.section .debug_info,"",@progbits
unit:	.long stop - start
start:	.short 4
	.long .debug_abbrev
	.byte 8
	.byte 1
	.quad _start
	.quad 64
a:	.byte 2
	.quad _start
	.quad 64
	.long b - unit
b:	.byte 3
	.quad _start
	.quad 64
	.long a - unit
	.rept 3000
	.byte 3
	.quad _start
	.quad 64
	.long b - unit
	.endr
stop:
END
if ! gcc -nostdlib -static hostile.s -o hostile 2>build.log; then
	skip 'hostile: origins in a loop' "$(head -1 build.log)"
else
	profile hostile
	answered 'origins in a loop, and deep nesting'
	check 'hostile: the symbol is there nevertheless' 0 'prof-symbolize -q \
		hostile.pb | addrs print | grep -c _start' <<'END'
64
END
fi

# A million abbreviations, of a million attributes each if one believes it.
{
	sed '/debug_abbrev,/,/^	.byte 0$/d' hostile.s
	cat <<'END'
	.section .debug_abbrev,"",@progbits
	.byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0
	.set n, 2
	.rept 20000
	.uleb128 n
	.byte 0x2e, 1
	.rept 50
	.byte 0x11, 1
	.endr
	.byte 0, 0
	.set n, n + 1
	.endr
	.rept 20
	.uleb128 n
	.byte 0x2e, 1
	.rept 100000
	.byte 3, 8
	.endr
	.byte 0, 0
	.set n, n + 1
	.endr
END
} >abbrevs.s
if ! gcc -nostdlib -static abbrevs.s -o hostile 2>build.log; then
	skip 'hostile: huge abbreviations' "$(head -1 build.log)"
else
	profile hostile
	answered 'huge abbreviations'
fi

# Compressed sections that claim to be huge: the size is the second word of the
# header, and the bytes are a megabyte of zeros.
if build prog gcc g++ -O2 -g -gz=zlib; then
	profile prog
	offset=$(readelf -SW prog | sed 's/^ *\[[ 0-9]*\]//' |
		awk '$1 == ".debug_info" { print $4 }')
	cp prog hostile
	cp prog.pb hostile.pb
	printf '\377\377\377\377\017' | dd of=hostile bs=1 conv=notrunc \
		seek=$((0x$offset + 8)) 2>/dev/null
	prof-symbolize --binary=hostile prog.pb >hostile.pb 2>.said
	answered 'a section that claims 64 GiB'
fi

# Small files that become large: each within its own limits, but not all.
if build prog gcc g++ -O2 -g; then
	{
		echo '# cpu nanoseconds'
		for k in 1 2 3 4 5 6; do
			{
				cat prog
				head -c 8000000 /dev/zero
			} | gzip -1 >packed.$k
			echo "@mapping 0x${k}00000 0x${k}80000 0 $scratch/packed.$k"
		done
		for k in 1 2 3 4 5 6; do
			echo "[$k]0x${k}01000 1"
		done
	} >packed.txt
	check 'hostile: files that unpack to too much in all' 0 'mkprof packed.txt |
		prof-symbolize -v --max-size=20M 2>&1 >out | grep -c "tried .* too much in all" |
		sed "s/[1-9]/some/"' <<'END'
some
END
fi

# A file for each address, in a directory with a long name.
awk 'BEGIN {
	print ".text\n.globl _start\n_start:"
	for (i = 1; i <= 300; i++)
		printf ".file %d \"f%d.c\"\n.loc %d 1\nnop\n", i, i, i
	print "end:\n.section .debug_abbrev,\"\",@progbits"
	print ".byte 1,0x11,0,0x10,0x17,0x1b,8,0x11,1,0x12,1,0,0,0"
	print ".section .debug_info,\"\",@progbits"
	print ".long stop-start\nstart: .short 4\n.long .debug_abbrev\n.byte 8"
	print ".byte 1\n.long .debug_line"
	print ".byte 0x2f\n.fill 300000,1,0x64\n.byte 0"
	print ".quad _start\n.quad end\nstop:"
	print ".section .debug_line,\"\",@progbits"
}' >long.s
if gcc -Wa,-gdwarf-4 -nostdlib -static long.s -o hostile 2>build.log; then
	profile hostile
	check 'hostile: a long directory is no part of each name' 0 \
		'prof-symbolize -q hostile.pb | addrs print | awk "length > 4200" | wc -l
		prof-symbolize -q hostile.pb | addrs print | grep -o "f[1-9][0-9]*\.c" | sort -u | wc -l' <<'END'
0
300
END
else
	skip 'hostile: a long directory' "$(head -1 build.log)"
fi
if have xz; then
	head -c 300000000 /dev/zero | xz -1 >bomb
	cp hostile stripped
	objcopy --add-section .gnu_debugdata=bomb stripped 2>/dev/null
	strip stripped
	profile stripped
	cp stripped.pb hostile.pb
	answered 'MiniDebugInfo that is a bomb'
fi

# --- two build-ids

# Go's linker, from 1.24 on: GNU's is in a section, its own in the segment, too.
cat >two.s <<'END'
	.section .note.gnu.id, "", @note
	.long	4, 4, 3
	.asciz	"GNU"
	.byte	1, 2, 3, 0xff
	.section .note.go.buildid, "a", @note
	.long	4, 9, 4
	.asciz	"Go\0"
	.ascii	"ab/cd/xyZ"
	.balign	4
	.text
	.globl	both
	.type	both, @function
both:
	.fill	16, 1, 0x90
	.size	both, . - both
END
gcc -shared -nostdlib -Wl,--build-id=none two.s -o two || exit 99
# shellcheck disable=SC2046 # words
set -- $(text two)
for id in 010203ff 78795a 01020304; do
	echo "0x$1" | addrs make $((0x$1 & -4096)) $((0x$1 + 4096)) $((0x$2 & -4096)) \
		"$scratch/two" $id >two.pb
	prof-symbolize -q two.pb | addrs names | sed "s/^/$id /"
done >two.names
check 'a file with two build-ids is found by both' 0 'cat two.names' <<'END'
010203ff both
78795a both
END

plan
