#!/bin/sh
# Names of code that is in no file: compiled code, the kernel, the vDSO.
. "${srcdir:-.}/tests/lib/tap.sh"

need_symbols prof-symbolize

# names PROFILE OPTION...: what each address is called, one a line.
names() {
	prof-symbolize "$@" 2>.said | addrs print | LC_ALL=C sort
}

# same NAME: are want and have the same?
same() {
	if cmp -s want have; then
		ok "$1"
	else
		{
			diff want have
			head -3 .said
		} >.why
		not_ok "$1" <.why
	fi
}

# --- compiled code

cat >map <<'END'
7f0000001000 100 LazyCompile:one /srv/app.js:1
7f0000002000 100 two
END
cat >code.txt <<'END'
# cpu nanoseconds
0x7f0000001010;0x7f0000002010 1
0x7f0000003000 2
END
mkprof code.txt >code.pb
cat >want <<'END'
0x7f0000001010 LazyCompile:one /srv/app.js:1 :0
0x7f0000002010 two :0
0x7f0000003000
END
names --jit=map code.pb >have
same 'a perf map that is named'
printf '7f0000002000 80 three\n' >map2
sed 's/ two / three /' want >want2 && mv want2 want
names --jit=map --jit=map2 code.pb >have
same 'two of them: the last one wins'
check_err 'a perf map that is not there is a warning' 0 \
	'prof-symbolize --jit=gone code.pb -o out.pb' \
	'gone: No such file or directory'

for name in //anon '[anon:v8]' '/memfd:doublemapper (deleted)' '[heap]' \
	/tmp/perf-1.map; do
	check "compiled code in $name" 0 "echo 0x7f0000001010 |
		addrs make 0x7f0000000000 0x7f0000100000 0 '$name' |
		prof-symbolize --jit=map | addrs print" <<'END'
0x7f0000001010 LazyCompile:one /srv/app.js:1 :0
END
done
check 'not in a file that is mapped' 0 "echo 0x7f0000001010 |
	addrs make 0x7f0000000000 0x7f0000100000 0 /gone/lib.so |
	prof-symbolize -q --jit=map | addrs print" <<'END'
0x7f0000001010
END

# The files of a process, which the profile names. A number that no process
# has: Linux has none above 2^22.
pid=$((4194304 + $$))
trap 'rm -rf "$scratch" /tmp/perf-$pid.map /tmp/perf-$pid$pid.map' EXIT
rm -f /tmp/perf-$pid.map
cp map /tmp/perf-$pid.map
sed "1a @comment # pid: $pid" code.txt | mkprof >pid.pb
sed 's/ three / two /' want >want2 && mv want2 want
names pid.pb >have
same 'the perf map of the process in a comment'
cp want want.all

sed "s/\([12]\)\$/\1 {pid=$pid}/" code.txt | mkprof >label.pb
names label.pb >have
same 'the perf map of the process in labels'

cat >both.txt <<END
# cpu nanoseconds
0x7f0000001010;0x7f0000002010 1 {pid=$pid}
0x7f0000001010 2 {pid=$((pid - 1))}
END
mkprof both.txt >both.pb
cat >want <<'END'
0x7f0000001010
0x7f0000002010 two :0
END
names both.pb >have
same 'an address of two processes is not named'

sed "1a @comment # pid: $pid\\n@comment # pid: 12" code.txt | mkprof >two.pb
sed 's/ .*//' want.all >want
names two.pb >have
same 'two processes, not told apart: nothing is named'

check 'the mapping is called as the perf map' 0 "echo 0x7f0000001010 |
	addrs make 0x7f0000000000 0x7f0000100000 0 /tmp/perf-$pid.map |
	prof-symbolize | addrs print" <<'END'
0x7f0000001010 LazyCompile:one /srv/app.js:1 :0
END

rm /tmp/perf-$pid.map
names pid.pb >have
same 'a process that left nothing'
ln -s "$scratch/map" /tmp/perf-$pid.map
check_err 'a perf map that is a symbolic link is not read' 0 \
	'prof-symbolize pid.pb -o out.pb' "/tmp/perf-$pid.map: a symbolic link"
rm /tmp/perf-$pid.map
if [ "$(id -u)" = 0 ]; then
	cp map /tmp/perf-$pid.map
	chown 65534 /tmp/perf-$pid.map
	check_err "another user's perf map is not read" 0 \
		'prof-symbolize pid.pb -o out.pb' 'belongs to another user'
	check 'but when it is named' 0 "prof-symbolize --jit=/tmp/perf-$pid.map \
		pid.pb | addrs print | grep -c two" <<'END'
1
END
	rm /tmp/perf-$pid.map
else
	skip "another user's perf map" 'not root'
fi

# --- the kernel

cat >syms <<'END'
0000000000000000 A fixed_percpu_data
ffffffff9a000000 T _text
ffffffff9a000000 T _stext
ffffffff9a000100 T do_work
ffffffff9a000200 t helper
ffffffff9a400000 T _etext
ffffffffc0000000 t mod_init	[mod]
ffffffffc0000010 t mod_work	[mod]
END
# kernel START FILE ADDRESS...
kernel() {
	k_start=$1 k_file=$2
	shift 2
	printf '%s\n' "$@" |
		addrs make "$k_start" 0xffffffffffffffff "$k_start" "$k_file"
}
kernel 0xffffffff9a000000 '[kernel.kallsyms]_stext' 0xffffffff9a000110 \
	0xffffffff9a000200 >kernel.pb
cat >want <<'END'
0xffffffff9a000110 do_work :0
0xffffffff9a000200 helper :0
END
names --kallsyms=syms kernel.pb >have
same 'the kernel, by a list of its symbols'
kernel 0xffffffff8a000000 '[kernel.kallsyms]_stext' 0xffffffff8a000110 \
	0xffffffff8a000200 >moved.pb
sed 's/9a/8a/' want >want2 && mv want2 want
names --kallsyms=syms moved.pb >have
same 'the kernel, when it was elsewhere'
for name in '[mod]' /lib/modules/6.1/kernel/mod.ko /gone/mod.ko.xz; do
	kernel 0xffffffffc0000000 "$name" 0xffffffffc0000012 >mod.pb
	check "a module, $name, by the list" 0 'prof-symbolize --kallsyms=syms \
		mod.pb | addrs print' <<'END'
0xffffffffc0000012 mod_work :0
END
done
printf '# cpu nanoseconds\n0xffffffff9a000110 1\n' | mkprof >nomap.pb
check 'the kernel, without mapping' 0 'prof-symbolize --kallsyms=syms nomap.pb |
	addrs print' <<'END'
0xffffffff9a000110 do_work :0
END
sed 's/^[0-9a-f]*/0000000000000000/' syms >hidden
check_err 'a list with hidden addresses' 0 \
	'prof-symbolize --kallsyms=hidden kernel.pb -o out.pb' \
	'addresses are hidden (kernel.kptr_restrict)'
check_err 'no list' 0 'prof-symbolize --kallsyms=code.txt kernel.pb -o out.pb' \
	'not a list of kernel symbols'
echo 0xffffffff9a000110 | addrs make 0xffffffff9a000000 0xffffffffffffffff \
	0xffffffff9a000000 '[kernel.kallsyms]_stext' 0123456789 >other.pb
check_err 'the profile of another kernel' 0 'prof-symbolize other.pb -o out.pb' \
	'the build-id of what runs here is'

check 'no list is read for what is not of the kernel' 0 'echo 0x1010 |
	addrs make 0x1000 0x2000 0 "[unknown]" |
	prof-symbolize --kallsyms=gone | addrs print' <<'END'
0x1010
END

# This machine's.
stext=$(sed -n 's/ T _stext$//p' /proc/kallsyms 2>/dev/null)
one=$(awk '$2 == "T" && $3 == "schedule" { print $1 }' /proc/kallsyms 2>/dev/null)
case $stext in
'' | 0000000000000000) skip 'the running kernel' 'no /proc/kallsyms' ;;
*)
	kernel "0x$stext" '[kernel.kallsyms]_stext' "0x$one" >running.pb
	check 'the running kernel' 0 'prof-symbolize running.pb | addrs names' <<'END'
schedule
END
	;;
esac

cat >vmlinux.c <<'END'
int depth;

__attribute__((noinline)) static int
inner(int n)
{
	return depth += n;
}

__attribute__((section(".head"))) int
_stext(int n)
{
	return inner(n) + 1;
}
END
if have gcc nm && gcc -g -O2 -mcmodel=kernel -nostdlib -static -fno-pie -no-pie \
	-Wl,-Ttext=0xffffffff81001000,--section-start=.head=0xffffffff81000000 \
	-Wl,-e,_stext,--build-id vmlinux.c -o vmlinux 2>.err; then
	stext=$(nm vmlinux | sed -n 's/ T _stext//p')
	inner=$(nm vmlinux | sed -n 's/ t inner//p' | cut -c9-)
	# As it was relocated by 0x19000000, the rest of an address is enough.
	at=$(printf '%x' $((0x$inner + 0x19000000)))
	kernel "0x$(printf '%x' $((0x$(echo "$stext" | cut -c9-) + 0x19000000)) |
		sed 's/^/ffffffff/')" '[kernel.kallsyms]_stext' \
		"0xffffffff$at" >vm.pb
	mkdir tree
	for dir in . boot usr/lib/debug/boot usr/lib/debug/lib/modules/$(uname -r) \
		lib/modules/$(uname -r)/build; do
		mkdir -p tree/$dir
		case $dir in
		*boot) file=tree/$dir/vmlinux-$(uname -r) ;;
		*) file=tree/$dir/vmlinux ;;
		esac
		cp vmlinux "$file"
		check "vmlinux in $dir" 0 "prof-symbolize --search-path=tree vm.pb |
			addrs print | sed 's,.* inner .*/,inner ,'" <<'END'
inner vmlinux.c:6
END
		rm -rf tree/*
	done
else
	skip 'vmlinux' "$(head -1 .err)"
fi

# --- the vDSO

range=$(sed -n 's/ .*\[vdso\]$//p' /proc/self/maps 2>/dev/null)
if [ -n "$range" ] && [ "$(uname -m)" = x86_64 ]; then
	size=$((0x${range#*-} - 0x${range%-*}))
	i=0
	while [ "$i" -lt $size ]; do
		printf '0x%x\n' $((0x10000000 + i))
		i=$((i + 16))
	done >vdso.addr
	addrs make 0x10000000 $((0x10000000 + size)) 0 '[vdso]' \
		<vdso.addr >vdso.pb
	check 'the vDSO' 0 'prof-symbolize vdso.pb | addrs names |
		grep -c "clock_gettime$" | grep -q "[1-9]" && echo named' <<'END'
named
END
	check 'a vDSO of another size' 0 "echo 0x10000800 |
		addrs make 0x10000000 0x10010000 0 '[vdso]' | prof-symbolize |
		addrs print" <<'END'
0x10000800
END
	check 'a vDSO with another build-id' 0 "addrs make 0x10000000 \
		$((0x10000000 + size)) 0 '[vdso]' 0123 <vdso.addr |
		prof-symbolize | addrs names" </dev/null
else
	skip 'the vDSO' 'this process has none'
fi

plan
