#!/bin/sh
# prof-symbolize --debuginfod: with Debian's server over a folder, and with one
# that returns garbage.
. "${srcdir:-.}/tests/lib/tap.sh"

unset DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
XDG_CACHE_HOME=$scratch/cache
export XDG_CACHE_HOME

need_curl debuginfod
need_symbols debuginfod
need_tools debuginfod gcc readelf objcopy strip
. "$src/tests/lib/serve.sh"

check_err 'no servers are named' 2 'prof-symbolize --debuginfod "$data"/good-tiny.pb.gz' \
	'set DEBUGINFOD_URLS'
check_err 'what is no URL' 2 'prof-symbolize --debuginfod=here "$data"/good-tiny.pb.gz' \
	'here: not a URL'
check_err 'no folder for files' 2 'XDG_CACHE_HOME=/dev/null prof-symbolize \
	--debuginfod=http://127.0.0.1:1 "$data"/good-tiny.pb.gz' '/dev/null'

# A program, whose symbols are in another file.
cat >prog.c <<'END'
static int __attribute__((noinline)) inner(int n) { return n * 3; }

int
main(int argc, char **argv)
{
	(void)argv;
	return inner(argc);
}
END
gcc -O1 -g -no-pie -Wl,--build-id=sha1 -o prog prog.c || exit 99
inner=$(nm prog | sed -n 's/^0*\([0-9a-f]*\) t inner$/0x\1/p')
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
mkdir store
objcopy --only-keep-debug prog store/prog.debug
cp prog whole
strip prog
cp prog store/
echo "$inner" | addrs make 0x400000 0x402000 0 /gone/prog "$id" >gone.pb
echo "$inner" | addrs make 0x400000 0x402000 0 "$scratch/prog" "$id" >here.pb

# The same of another, part of which is in the common file of dwz.
cat >dup.c <<'END'
static inline __attribute__((always_inline)) int
inlined(int n)
{
	return n * n + 3;
}

int
main(int argc, char **argv)
{
	(void)argv;
	return inlined(argc);
}
END
if have dwz && gcc -O1 -g -no-pie -Wl,--build-id=sha1 -o dup dup.c &&
	objcopy --only-keep-debug dup store/dup.debug && cp store/dup.debug dup2.debug &&
	dwz -m store/common -M common store/dup.debug dup2.debug; then
	nm dup | sed -n 's/^0*\([0-9a-f]*\) T main$/0x\1/p' |
		addrs make 0x400000 0x402000 0 "$scratch/dup" "$(readelf -n dup |
			sed -n 's/.*Build ID: //p')" >dup.pb
	strip dup
fi

# --- nonsense

mkdir served
echo 'this is no program' >served/noise
cp store/prog.debug served/debug
gcc -O1 -o served/other -xc - <<'END'
int main(void) { return 0; }
END
serve "symbold served log"
web=http://127.0.0.1:$port/ok

# stays NAME URL WHY: a warning, and no name.
stays() {
	rm -rf cache
	prof-symbolize --debuginfod="$2" gone.pb 2>err | addrs print >out
	if grep -q -- "$3" err && [ "$(cat out)" = "$inner" ]; then
		ok "$1"
	else
		cat err out >why
		not_ok "$1" <why
	fi
}
stays 'a server that is not there' "http://127.0.0.1:1" '127.0.0.1:1/buildid.*onnect'
stays 'no ELF file' "$web/noise" 'not an ELF file'
stays 'another program' "$web/other" "not the build-id $id"
: >log
stays 'nobody has it' "$web/none http://127.0.0.1:$port/ok/nothing" 'No such file'
check 'each server was asked for both' 0 'sort log | sed "s/[0-9a-f]\{40\}/ID/"' <<'END'
GET /ok/none/buildid/ID/debuginfo 
GET /ok/none/buildid/ID/executable 
GET /ok/nothing/buildid/ID/debuginfo 
GET /ok/nothing/buildid/ID/executable 
END
export id inner web port
check 'for a while, nobody is asked again' 0 ': >log
	prof-symbolize -q --debuginfod=$web/none gone.pb | addrs print | wc -l
	cat log; find cache -type f -size 0 | grep -c "/$id/"' <<'END'
1
2
END
check 'then they are' 0 'find cache -type f -exec touch -d "1 hour ago" {} +
	prof-symbolize -q --debuginfod=$web/none gone.pb | addrs print | wc -l
	wc -l <log' <<'END'
1
2
END
check 'after a failure, too' 0 'rm -rf cache; : >log
	prof-symbolize -q --debuginfod="$web/none http://127.0.0.1:1" gone.pb | addrs print | wc -l
	find cache -type f -size 0 | grep -c "/$id/" || :' <<'END'
1
0
END
check 'a file that is too large' 0 'rm -rf cache
	prof-symbolize --max-size=1K --debuginfod=$web/debug gone.pb 2>&1 >out.pb |
	grep -c "larger than the limit of 1024"; find cache -type f | grep -c "/$id/" || :' <<'END'
2
0
END
check 'the debug information alone' 0 'prof-symbolize --debuginfod=$web/debug gone.pb 2>err |
	addrs print; cat err' <<END
$inner inner $scratch/prog.c:1
END
check 'which stays, for others, too' 0 'prof-symbolize \
	--debuginfod=http://127.0.0.1:1 gone.pb | addrs print
	cd cache/debuginfod_client/$id && ls' <<END
$inner inner $scratch/prog.c:1
executable
END
rm -rf cache
for i in 1 2 3 4; do
	prof-symbolize --debuginfod="$web/debug" here.pb >out.$i 2>err.$i &
	pids="$pids $!"
done
wait $pids
check 'several at once' 0 'for i in 1 2 3 4; do addrs print <out.$i; cat err.$i; done | sort -u
	ls cache/debuginfod_client/$id' <<END
$inner inner $scratch/prog.c:1
debuginfo
END
check 'what nobody used for long goes' 0 'cd cache/debuginfod_client
	mkdir 0123 && echo old >0123/debuginfo && touch -d "10 days ago" 0123/debuginfo
	touch -d "2 days ago" cache_clean_interval_s
	prof-symbolize -q --debuginfod=$web/none ../../here.pb >../../out.pb
	ls | sed "s/^$id$/ID/" | sort; ls $id' <<'END'
ID
cache_clean_interval_s
debuginfo
END

# --- a real one

start_debuginfod() {
	# A port that was free, and to which nobody ever connected.
	serve "symbold served log" && kill $! && wait $! 2>/dev/null
	debuginfod -d :memory: -p "$port" -t 0 -g 0 -F store >debuginfod.log 2>&1 &
	servers="$servers $!"
	for i in $(seq 200); do
		grep -q 'fts.*traversed' debuginfod.log && return 0
		kill -0 $! 2>/dev/null || return 1
		sleep 0.05
	done
	return 1
}

if ! have debuginfod; then
	skip "Debian's debuginfod" 'it is not installed'
elif start_debuginfod; then
	rm -rf cache
	DEBUGINFOD_URLS="http://127.0.0.1:1 http://127.0.0.1:$port/"
	export DEBUGINFOD_URLS
	check "Debian's: a program that is not here" 0 'prof-symbolize --debuginfod gone.pb \
		2>err | addrs print; grep -vc 127.0.0.1:1/ err
		prof-symbolize --debuginfod="$DEBUGINFOD_URLS" gone.pb | addrs file' <<END
$inner inner $scratch/prog.c:1
0
/gone/prog
END
	rm -rf cache
	check "Debian's: debug information of one that is" 0 'prof-symbolize -q --debuginfod here.pb |
		addrs print; ls cache/debuginfod_client/$id' <<END
$inner inner $scratch/prog.c:1
debuginfo
END
	if [ -s dup.pb ]; then
		rm -rf cache
		check "Debian's: the common file of dwz, too" 0 'prof-symbolize -q --debuginfod dup.pb |
			addrs print | sed "s/.* inlined /inlined /"; ls cache/debuginfod_client/*/debuginfo | wc -l' <<END
inlined $scratch/dup.c:4 main $scratch/dup.c:11
2
END
	else
		skip "Debian's: the common file of dwz, too" 'dwz made none'
	fi
	# Debian's server is here.
	mkdir debian
	cat >debian/prof-symbolize <<END
DEBUGINFOD_URLS=http://127.0.0.1:$port exec "$bin/prof-symbolize" "\$@"
END
	chmod +x debian/prof-symbolize
	check 'the example of the manual page' 0 'cp gone.pb app.pb.gz; unset DEBUGINFOD_URLS
		PATH=$PWD/debian:$PATH
		DEBUGINFOD_URLS=https://debuginfod.debian.net prof-symbolize --debuginfod app.pb.gz | prof-text |
		grep -c " inner$"' <<'END'
1
END
	check 'nothing is asked without the option' 0 'rm -rf cache
		prof-symbolize -q here.pb | addrs print; ls -d cache/debuginfod_client 2>/dev/null || :' <<END
$inner
END
else
	cat debuginfod.log >why
	not_ok "Debian's debuginfod" <why
fi
plan
