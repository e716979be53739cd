#!/bin/sh
# prof-list --debuginfod: missing sources and programs, from a server over a
# folder, through elfutils' cache.
. "${srcdir:-.}/tests/lib/tap.sh"

unset DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
XDG_CACHE_HOME=$scratch/cache
export XDG_CACHE_HOME

need_curl debuginfod
need_disassembly debuginfod
need_tools debuginfod gcc readelf python3
. "$src/tests/lib/serve.sh"

# A program whose source is gone; its name needs to be escaped in a URL.
mkdir -p 'a b' serve/buildid
printf '%s\n' 'int inner(int n) { return n * 3; }' 'int main(int n, char **v)' '{' \
	'	(void)v;' '	return inner(n);' '}' >'a b/x#1%.c'
gcc -O1 -g -no-pie -fno-inline -Wl,--build-id=sha1 -o prog "$scratch/a b/x#1%.c" || exit 99
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
inner=$(nm prog | sed -n 's/^0*\([0-9a-f]*\) T inner$/0x\1/p')
printf '# samples count\n@mapping 0x400000 0x402000 0 %s/prog %s\n%s 7\n' \
	"$scratch" "$id" "$inner" | mkprof | prof-symbolize -q >here.pb.gz
mkdir -p "serve/buildid/$id/source$scratch"
deep=$(printf '%0150d/%0150d' 0 0)
gcc -O1 -g -no-pie -fno-inline -Wl,--build-id=sha1 -fdebug-prefix-map="$scratch=/$deep" \
	-o long "$scratch/a b/x#1%.c" || exit 99
deep_id=$(readelf -n long | sed -n 's/.*Build ID: //p')
printf '# samples count\n@mapping 0x400000 0x402000 0 %s/long %s\n%s 7\n' \
	"$scratch" "$deep_id" "$inner" | mkprof | prof-symbolize -q >deep.pb.gz
mv prog "serve/buildid/$id/executable"
mv 'a b' "serve/buildid/$id/source$scratch/"

cat >server.py <<'END'
import http.server, sys
class Handler(http.server.SimpleHTTPRequestHandler):
	def log_message(self, *a):
		with open("log", "a") as f:
			f.write(self.path + "\n")
	def log_error(self, *a):
		pass
class Quiet(http.server.ThreadingHTTPServer):
	daemon_threads = True
	def handle_error(self, *a):
		pass
s = Quiet(("127.0.0.1", 0), lambda *a: Handler(*a, directory="serve"))
print(s.server_port, flush=True)
s.serve_forever()
END
: >log
serve 'python3 server.py' || skip_rest debuginfod 'no server of Python'
web=http://127.0.0.1:$port
export web id scratch

check_err 'no servers are named' 2 'prof-list --debuginfod inner here.pb.gz' \
	'set DEBUGINFOD_URLS'
check 'nothing is asked without the option' 0 '
	DEBUGINFOD_URLS=$web prof-list -q inner here.pb.gz | sed -n 5p; cat log' <<'END'
         7          7      1:<no source>
END
check 'the source' 0 'prof-list --debuginfod=$web inner here.pb.gz 2>err | sed 1,3d; cat err
	sed "s|$id|ID|; s|$(echo "$scratch" | sed "s/ /%20/g")|DIR|" log' <<'END'
         7          7      1:int inner(int n) { return n * 3; }
         .          .      2:int main(int n, char **v)
         .          .      3:{
         .          .      4:	(void)v;
         .          .      5:	return inner(n);
         .          .      6:}
/buildid/ID/sourceDIR/a%20b/x%231%25.c
END
check 'from the cache' 0 'DEBUGINFOD_URLS=http://127.0.0.1:1 prof-list --debuginfod inner here.pb.gz |
	grep -c "return n"; wc -l <log' <<'END'
1
1
END
check 'of the program, its instructions' 0 ': >log
	prof-list --debuginfod=$web --disasm inner here.pb.gz 2>&1 | grep -cw "retq\|ret"
	sed "s|$id|ID|" log' <<'END'
1
/buildid/ID/executable
END
check 'of both, a page' 0 '
	prof-list --debuginfod=$web --weblist inner here.pb.gz 2>err >page.html; cat err
	sh "$src/tests/lib/page-data.sh" <page.html >page
	grep -ac "return n \* 3" page; grep -acw "retq\|ret" page' <<'END'
1
1
END
check_err 'a source that the server lacks' 0 '
	rm -rf cache; mv "serve/buildid/$id" serve/away
	prof-list -v -o /dev/null --debuginfod=$web inner here.pb.gz' \
	'#1%.c, debuginfod'
mv serve/away "serve/buildid/$id"
check_err 'a server that is not there' 0 '
	rm -rf cache; prof-list --debuginfod=http://127.0.0.1:1 inner here.pb.gz 2>&1 >/dev/null |
	grep -v "source file not found" >&2' 'onnect'
cache=cache/debuginfod_client
export cache
mkdir -p "serve/buildid/$deep_id/source/$deep/a b"
cp "serve/buildid/$id/source$scratch/a b/x#1%.c" "serve/buildid/$deep_id/source/$deep/a b/"
check 'the name of a long path in the cache is a hash and its end' 0 '
	prof-list --debuginfod=$web inner deep.pb.gz 2>&1 | grep -c "return n \*"
	ls $cache/* | grep source | sed "s/-[0-9a-f]\{8\}-0*#a#b#/-HASH-0#a#b#/"' <<'END'
1
source-HASH-0#a#b#x#1#.c
END
check 'the cache of an older elfutils' 0 '
	name=$(printf "%s/a b/x#1%%.c" "$scratch" | sed "s,#,#_,g; s,/,##,g")
	rm -rf $cache/$id; mkdir -p $cache/$id
	cp "serve/buildid/$id/source$scratch/a b/x#1%.c" "$cache/$id/source$name"
	prof-list -q --debuginfod=http://127.0.0.1:1 inner here.pb.gz | grep -c "return n \*"' <<'END'
1
END
if have debuginfod-find; then
	check 'the cache is that of elfutils' 0 'rm -rf cache
		DEBUGINFOD_URLS=$web debuginfod-find source $id "$scratch/a b/x#1%.c" >/dev/null 2>&1
		prof-list -q --debuginfod=http://127.0.0.1:1 inner here.pb.gz | grep -c "return n \*"' <<'END'
1
END
else
	skip 'the cache is that of elfutils' 'no debuginfod-find'
fi
plan
