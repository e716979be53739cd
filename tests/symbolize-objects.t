#!/bin/sh
# prof-symbolize reads every kind of object file, as its real producer made it.
. "${srcdir:-.}/tests/tap.sh"

HOME=$scratch
export HOME

printf '# cpu nanoseconds\n_Z1fv 1\n' | mkprof >any.pb
if lacks 'prof-symbolize any.pb'; then
	skip 'prof-symbolize' 'this build has no elfutils'
	plan
	exit 0
fi
if ! have gcc g++ readelf objcopy strip nm llvm-symbolizer; then
	skip 'prof-symbolize' 'no gcc, binutils or llvm-symbolizer'
	plan
	exit 0
fi
. "$src/tests/symbolize.sh"

# --- other machines

cat >bare.c <<'END'
static inline __attribute__((always_inline)) int
square(int x)
{
	return x * x + 1;
}

__attribute__((noinline)) int
part(int n)
{
	int r = 0;

	while (n--)
		r += square(n) ^ n;
	return r;
}

int
_start(int n)
{
	return part(n) + square(n + 2);
}
END
for target in i386 x86_64 aarch64 armv7 powerpc64 powerpc64le riscv32 riscv64 \
	mips mips64; do
	name="$target, $(case $target in *64*) echo 64 ;; *) echo 32 ;; esac) bits"
	if ! have clang ld.lld ||
		! clang --target=$target-linux-gnu -O2 -g -ffreestanding -c \
			bare.c -o bare.o 2>build.log ||
		! ld.lld --build-id -e _start bare.o -o bare 2>>build.log; then
		skip "$name" "$(head -1 build.log)"
		continue
	fi
	profile bare
	same_as_llvm bare "$name"
done

# --- compressed

build prog gcc g++ -O2 -g
profile prog
our_lines prog >want
cp want full
for how in zlib zlib-gnu; do
	if ! objcopy --compress-debug-sections=$how prog packed 2>build.log; then
		skip "sections compressed by $how" "$(head -1 build.log)"
		continue
	fi
	cp prog.pb packed.pb
	our_lines packed --binary=packed >have
	same "sections compressed by $how"
done

for how in gzip xz zstd; do
	if ! have $how; then
		skip "a file compressed by $how" "no $how"
		continue
	fi
	$how -c prog >packed
	our_lines prog --binary=packed >have
	if grep -q 'this build has no' .said; then
		skip "a file compressed by $how" "$(head -1 .said)"
	else
		same "a file compressed by $how"
	fi
	head -c 3000 packed >cut
	prof-symbolize --binary=cut prog.pb 2>.said >.out &&
		grep -q 'truncated' .said && ok "... cut" || not_ok "... cut" <.said
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

plan
