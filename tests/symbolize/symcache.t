#!/bin/sh
# The symbol cache of prof-symbolize: the answers equal those without it, in any
# state of the cache.
. "${srcdir:-.}/tests/lib/tap.sh"

XDG_CACHE_HOME=$scratch/cache
export XDG_CACHE_HOME
unset DEBUGINFOD_URLS PROF_CACHE

need_symbols 'symbol cache'
need_tools 'symbol cache' gcc readelf objcopy strip

cat >prog.c <<'END'
static inline int __attribute__((always_inline))
square(int n)
{
	return n * n;
}

static int __attribute__((noinline))
work(int n)
{
	return square(n + 1) + 7;
}

int
main(int argc, char **argv)
{
	(void)argv;
	return work(argc) + square(argc);
}
END
gcc -O1 -g -no-pie -Wl,--build-id=sha1 -o prog prog.c || exit 99
cp prog whole
store=cache/profpipe/symbols

# profile FILE: FILE.pb, of every address of its .text.
profile() {
	readelf -SW "$1" | sed 's/^ *\[[ 0-9]*\]//' |
		awk '$1 == ".text" { print $2, $3, $4, $5 }' >text
	read -r _ addr _ size <text
	awk -v a=$((0x$addr)) -v n=$((0x$size)) 'BEGIN {
		for (i = 0; i < n; i++)
			printf "0x%x\n", a + i
	}' | addrs make 0x400000 0x500000 0 "$scratch/$1" \
		"$(readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p')" >"$1.pb"
}

profile prog
rm -rf cache
prof-symbolize -z0 --no-cache prog.pb >full
check 'nothing is written without it' 0 'ls cache 2>/dev/null | wc -l; addrs print <full |
	grep -c square | sed "s/.*[1-9].*/some/"' <<'END'
0
some
END
check 'cold, warm and without: the same bytes' 0 'prof-symbolize -z0 prog.pb | cmp - full &&
	ls '$store' | wc -l && prof-symbolize -z0 prog.pb | cmp - full' <<'END'
1
END

# served COMMAND: every answer comes from what is kept: the file is still the
# same one, and as it was old, it was touched.
cat >served <<'END'
entry=$(echo cache/profpipe/symbols/*)
touch -d '3 hours ago' "$entry"
before=$(stat -c '%i %s' "$entry")
eval "$1"
[ "$before" = "$(stat -c '%i %s' "$entry")" ] || echo 'written anew'
[ "$(stat -c %Y "$entry")" -gt $(($(date +%s) - 3600)) ] || echo 'not read'
END
check 'warm: all comes from the cache' 0 'sh ./served "prof-symbolize -z0 prog.pb | cmp - full"' <<'END'
END
check 'demangling is another matter' 0 'prof-symbolize --demangle=none prog.pb | addrs print >a
	addrs print <full | cmp - a' <<'END'
END
check 'symbol tables alone are another entry' 0 'prof-symbolize -q --symbolize=fastlocal prog.pb |
	addrs print | grep -c square; ls '$store' | wc -l' <<'END'
0
2
END

# --- growing

rm -rf cache
for k in 1 2 3; do
	addrs print <full | cut -d' ' -f1 | awk -v k=$k 'NR % 3 == k - 1' |
		addrs make 0x400000 0x500000 0 "$scratch/prog" \
			"$(readelf -n prog | sed -n 's/.*Build ID: //p')" >part.$k
	prof-symbolize part.$k -o out
done
check 'what several runs found is one entry' 0 'sh ./served "prof-symbolize -z0 prog.pb | cmp - full"; ls '$store' | wc -l' <<'END'
1
END

rm -rf cache
pids=
for k in 1 2 3 1 2 3; do
	prof-symbolize part.$k -o out.$k.$pids 2>/dev/null &
	pids=$!
done
wait
check 'several at once' 0 'prof-symbolize -z0 prog.pb | cmp - full; ls '$store' | wc -l
	prof-symbolize -z0 prog.pb | cmp - full' <<'END'
1
END

# --- forged

# A copy with another name in it, of the same size and build-id.
mkdir forged
sed 's/square/forged/g' prog >forged/prog
chmod +x forged/prog
names='addrs print | grep -oE "square|forged" | sort -u'
check 'a copy does not answer for the file' 0 "rm -rf cache
	prof-symbolize --search-path=forged --binary=forged/prog prog.pb | $names
	prof-symbolize prog.pb | $names" <<'END'
forged
square
END
check 'nor one that takes its place, with its times' 0 "rm -rf cache
	prof-symbolize prog.pb | $names
	touch -r prog when
	cat forged/prog >prog; touch -r when prog
	prof-symbolize prog.pb | $names
	cat whole >prog; touch -r when prog
	prof-symbolize prog.pb | $names" <<'END'
square
forged
square
END

# --- damage

rm -rf cache
prof-symbolize -o out prog.pb
# Not what several processes wrote: its order is that of their luck.
rm -rf cache
prof-symbolize prog.pb -o out
entry=$store/$(ls $store)
cp "$entry" good
size=$(wc -c <good)
: >wrong
for at in 0 8 12 16 20 24 28 32 40 100 $((size / 2)) $((size - 1)); do
	cp good "$entry"
	printf '\377' | dd of="$entry" bs=1 seek=$at conv=notrunc 2>/dev/null
	cmp -s good "$entry" && printf '\0' |
		dd of="$entry" bs=1 seek=$at conv=notrunc 2>/dev/null
	prof-symbolize -z0 prog.pb 2>>wrong | cmp - full >>wrong 2>&1
done
for n in 0 1 39 40 41 $((size / 3)) $((size - 1)); do
	head -c $n good >"$entry"
	prof-symbolize -z0 prog.pb 2>>wrong | cmp - full >>wrong 2>&1
done
check 'a damaged entry is none' 0 'cat wrong; cmp '"$entry"' good' <<'END'
END
check 'an entry of another object is none' 0 'cp /bin/sh '"$entry"'
	prof-symbolize -z0 prog.pb | cmp - full; cmp '"$entry"' good' <<'END'
END
check 'a folder, a link or a pipe in its place' 0 'rm '"$entry"'; mkdir '"$entry"'
	prof-symbolize -z0 prog.pb | cmp - full
	rmdir '"$entry"'; ln -s "$PWD/good" '"$entry"'
	prof-symbolize -z0 prog.pb | cmp - full
	rm -f '"$entry"'; mkfifo '"$entry"'
	prof-symbolize -z0 prog.pb | cmp - full
	cmp '"$entry"' good; ls '$store' | wc -l' <<'END'
1
END

# --- no cache

check 'no home' 0 'env -u HOME -u XDG_CACHE_HOME prof-symbolize -z0 prog.pb | cmp - full
	HOME=/nonexistent XDG_CACHE_HOME= prof-symbolize -z0 prog.pb | cmp - full
	XDG_CACHE_HOME=/dev/null prof-symbolize -z0 prog.pb | cmp - full
	XDG_CACHE_HOME=relative prof-symbolize -z0 prog.pb | cmp - full
	ls -d relative 2>/dev/null | wc -l' <<'END'
0
END
check 'PROF_CACHE: none, or a folder' 0 'rm -rf cache
	PROF_CACHE= prof-symbolize -z0 prog.pb | cmp - full; ls -d cache 2>/dev/null | wc -l
	PROF_CACHE=$PWD/other prof-symbolize -z0 prog.pb | cmp - full; ls other/symbols | wc -l' <<'END'
0
1
END
check 'the old name of the variable, where the new one is not set' 0 '
	PROFPIPE_CACHE=$PWD/old prof-symbolize -z0 prog.pb | cmp - full; ls old/symbols | wc -l
	PROF_CACHE= PROFPIPE_CACHE=$PWD/old2 prof-symbolize -z0 prog.pb | cmp - full
	ls -d old2 2>/dev/null | wc -l' <<'END'
1
0
END
check 'a folder that others may write to is not used' 0 'rm -rf cache; mkdir -p '$store'
	chmod 777 '$store'; prof-symbolize -z0 prog.pb | cmp - full; ls '$store' | wc -l
	chmod 700 '$store'' <<'END'
0
END
check '-v says why' 0 'chmod 770 cache
	prof-symbolize -v -o out prog.pb 2>&1 | grep "no cache" | sed "s|$PWD|D|g"
	PROF_CACHE= prof-symbolize -v -o out prog.pb 2>&1 | grep "no cache"
	chmod 700 cache' <<'END'
prof-symbolize: no cache is used: D/cache/profpipe/symbols: other users may write in D/cache, or it is another user's
END
check 'no space' 0 '(ulimit -f 0; trap "" XFSZ; prof-symbolize -z0 prog.pb) | cmp - full
	ls '$store' | wc -l' <<'END'
0
END

# --- when it must not be used

rm -rf cache
objcopy --only-keep-debug prog prog.debug
strip prog
prof-symbolize -q -o stripped prog.pb
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
mkdir -p "tree/${id%"${id#??}"}"
cp prog.debug "tree/${id%"${id#??}"}/${id#??}.debug"
check 'a debug file that is new' 0 'addrs print <stripped | grep -c work
	prof-symbolize --search-path=tree prog.pb | addrs print | grep -c square' <<END
0
$(addrs print <full | grep -c square)
END
gcc -O1 -g -no-pie -Wl,--build-id=none -o noid prog.c
profile noid
prof-symbolize noid.pb -o before
sleep 0.01
sed 's/square/circle/' prog.c >other.c
gcc -O1 -g -no-pie -Wl,--build-id=none -o noid other.c
check 'without build-id: another file at the path' 0 'prof-symbolize noid.pb | addrs print |
	grep -c circle | sed "s/.*[1-9].*/some/"' <<'END'
some
END
rm -rf cache
if gcc -O1 -g -gsplit-dwarf -no-pie -Wl,--build-id=sha1 -o split prog.c 2>/dev/null &&
	ls ./*.dwo >/dev/null 2>&1; then
	profile split
	mkdir away
	mv ./*.dwo away
	prof-symbolize -q split.pb -o before
	mv away/* .
	check 'split DWARF is not kept' 0 'prof-symbolize split.pb | addrs print | grep -c square |
		sed "s/.*[1-9].*/some/"; ls '$store' 2>/dev/null | wc -l' <<'END'
some
0
END
else
	skip 'split DWARF is not kept' 'the compiler makes none'
fi
plan
