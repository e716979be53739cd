# prof-fetch from files, and from a test server (httpd.c) on 127.0.0.1. Bad
# servers are in fetch-rude.t, TLS in fetch-tls.t, real servers in fetch-live.t,
# archives in archive.t.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/pages.sh"
. "$src/tests/lib/fetch.sh"

check 'a file passes through as it is' 0 '
	prof-fetch "$data"/good-tiny.pb.gz >tiny
	gzip -dc tiny >a
	prof-fetch tiny | gzip -dc | cmp - a' <<'END'
END
check 'no operand is standard input' 0 '
	prof-fetch <"$data"/good-tiny.pb.gz | gzip -dc | cmp - a' <<'END'
END
check 'every legacy file is read' 0 '
	for f in "$data"/good-*.txt* "$data"/good-*.prof "$data"/good-*.sym; do
		prof-fetch "$f" 2>&1 >out.pb.gz || echo "$f"
	done | sed "s|$data/||"' <<'END'
prof-fetch: good-cpu-flush.prof: no end mark: the program was killed, or is still running; what came after the last flush is missing
END
check 'several sources are merged' 0 '
	prof-fetch "$data"/good-old.pb.gz - <"$data"/good-new.pb.gz | decode >x
	prof-merge "$data"/good-new.pb.gz "$data"/good-old.pb.gz | decode | cmp - x' <<'END'
END
cp "$data"/good-gperf-heap.txt .
check_err 'what is no URL is a file' 2 'prof-fetch localhost' \
	'prof-fetch: localhost: No such file or directory; a server needs a port: prof-fetch localhost:PORT'
check_err 'nor is a name with a word for a port' 2 'prof-fetch a:b/c' \
	'prof-fetch: a:b/c: No such file or directory'
check 'what names a file is one' 0 '
	cp "$data"/good-tiny.pb.gz 127.0.0.1:9
	prof-fetch 127.0.0.1:9 | gzip -dc | cmp - a' <<'END'
END
check_err 'other protocols' 2 'prof-fetch ftp://localhost/x' \
	"prof-fetch: ftp://localhost/x: unsupported protocol 'ftp'"
check_err 'perf.data' 2 'prof-fetch "$data"/bad-perf.data' \
	'use prof-import'
check_err 'a key without a certificate' 2 'prof-fetch --tls-key=x a:1' \
	'--tls-cert and --tls-key are given together'
check 'handlers are stripped when asked to' 0 '
	f=$data/good-cpu-handler.prof
	prof-fetch "$f" | decode | grep -c "location_id" >n
	prof-fetch --strip-handler "$f" | decode | grep -c "location_id" >>n
	[ $(head -1 n) -gt $(tail -1 n) ]' <<'END'
END

check 'one bad file: the rest is written, status 3' 3 '
	prof-fetch "$data"/good-tiny.pb.gz ./none >out 2>err; s=$?
	gzip -dc out | cmp - a; cat err; exit $s' <<'END'
prof-fetch: ./none: No such file or directory
END
check 'the same with --partial-ok' 0 '
	prof-fetch --partial-ok "$data"/good-tiny.pb.gz ./none >out 2>err; s=$?
	gzip -dc out | cmp - a; cat err; exit $s' <<'END'
prof-fetch: ./none: No such file or directory
END
check_err 'nothing good: nothing is written' 2 'prof-fetch --partial-ok ./none' \
	'./none: No such file or directory'
check_err 'profiles of two kinds: the second is left out' 3 '
	prof-fetch tiny "$data"/good-count.txt -o out; s=$?
	decode <out | grep -q rec || echo lost; exit $s' 'good-count.txt: '

# --- servers ----------------------------------------------------------------

if prof-fetch http://127.0.0.1:1/ 2>&1 >/dev/null | grep -q 'no libcurl'; then
	check_err 'without libcurl URLs are off' 2 'prof-fetch 127.0.0.1:1' \
		'prof-fetch: 127.0.0.1:1: this build has no libcurl and reads files only'
fi
need_curl servers
offer go
go=127.0.0.1:$port
offer gperf
gperf=127.0.0.1:$port
export go gperf

for f in good-go-cpu.pb.gz good-gperf-cpu.prof good-gperf-heap.txt \
	good-go-heap.pb.gz; do
	prof-fetch "$data/$f" | decode >"$f.want"
done
want=good-gperf-heap.txt
export want

check 'a page' 0 'prof-fetch $go/file/$want | decode | cmp - $want.want' <<'END'
END
check 'a URL, its scheme in capitals' 0 \
	'prof-fetch HTTP://$go/file/$want | decode | cmp - $want.want' <<'END'
END
check 'a body in small pieces' 0 \
	'prof-fetch $go/dribble/$want | decode | cmp - $want.want' <<'END'
END
check 'a body that HTTP has packed' 0 '
	prof-fetch $go/gzip/good-go-heap.pb.gz | decode |
		cmp - good-go-heap.pb.gz.want' <<'END'
END
check 'redirections are followed' 0 \
	'prof-fetch $go/to/to/file/$want | decode | cmp - $want.want' <<'END'
END
check 'host and port: the page of Go' 0 '
	asked "prof-fetch $go"
	prof-fetch $go | decode | cmp - good-go-cpu.pb.gz.want' <<'END'
/debug/pprof/profile?seconds=30
END
check 'or that of gperftools' 0 '
	asked "prof-fetch $gperf --seconds=5"
	prof-fetch $gperf/ | decode | cmp - good-gperf-cpu.prof.want' <<'END'
/debug/pprof/profile?seconds=5
/pprof/profile?seconds=5
/pprof/cmdline
END
check '--seconds replaces what the URL says' 0 '
	asked "prof-fetch --seconds=7 \"$go/file/$want?gc=1&seconds=3&debug=1\""
	asked "prof-fetch \"$go/file/$want?seconds=3&a=b%20c#top\""' <<END
/file/$want?gc=1&debug=1&seconds=7
/file/$want?seconds=3&a=b%20c
END
check 'every failure has its line' 2 '
	prof-fetch $go/none $go/status/500 $go/go/400 2>&1 | sed "s/$go/GO/"
	prof-fetch $go/none 2>/dev/null' <<'END'
prof-fetch: GO/none: server response: 404 Not Found - 404 page not found
prof-fetch: GO/status/500: server response: 500 Oops - text
prof-fetch: GO/go/400: server response: 400 Bad Request - profiling already in use
END
check_err 'nobody there' 2 'prof-fetch 127.0.0.1:1/x' \
	'prof-fetch: 127.0.0.1:1/x: failed to connect'
check_err 'a web page' 2 'prof-fetch $go/file/bad-html.txt' \
	'not a profile: looks like a web page'
check 'a password is sent, not shown' 2 '
	prof-fetch http://me:secret@$go/none 2>&1 | sed "s/$go/GO/"
	prof-fetch http://me:secret@$go/file/$want | gzip -dc |
		grep -a -c secret
	exit 2' <<'END'
prof-fetch: http://GO/none: server response: 404 Not Found - 404 page not found
0
END
check 'what was fetched is not lost' 3 '
	prof-fetch $go/none $go/file/$want -o kept 2>/dev/null; s=$?
	decode <kept | cmp - $want.want; exit $s' <<'END'
END
check 'many at once, in one time' 0 '
	for i in $(seq 40); do echo $go/dribble/$want; done |
		xargs prof-fetch $go/dribble/$want -o many && decode <many >/dev/null' <<'END'
END
check 'the order of sources does not matter' 0 '
	prof-fetch -z0 $go/dribble/$want $go/file/good-heap-v2.txt >x
	prof-fetch $go/file/good-heap-v2.txt $go/dribble/$want | cmp - x' <<'END'
END
check 'where it came from' 0 '
	for f in good-heap-v2.txt good-go-heap.pb.gz; do
		prof-fetch $gperf/file/$f | gzip -dc | protoc -I"$src/proto" \
			--decode=perftools.profiles.Profile profile.proto |
			sed -n "s/$gperf/HOST/; s/string_table: \"# //p"
	done' <<'END'
source: http://HOST/file/good-heap-v2.txt 1000=file:/bin/x"
source: http://HOST/file/good-go-heap.pb.gz"
END
check 'which program it is' 0 '
	asked "prof-fetch $gperf/bare/pprof/heap?x=1 --seconds=3 -o bare"
	prof-merge bare | gzip -dc | protoc -I"$src/proto" \
		--decode=perftools.profiles.Profile profile.proto |
		sed -n "s/$gperf/HOST/; s/string_table: \"# //p; /secret/p"
	prof-text --raw bare | grep "^1: 0x0/"' <<'END'
/bare/pprof/heap?x=1&seconds=3
/bare/pprof/cmdline
program: http://HOST/bare/pprof/heap?x=...&seconds=3 /usr/bin/a%20server"
source: http://HOST/bare/pprof/heap?x=...&seconds=3 0=file:/usr/bin/a%20server"
1: 0x0/0xffffffffffffffff/0x0 /usr/bin/a server  
END
check 'it does not matter if nobody knows' 0 '
	asked "prof-fetch $gperf/pprof/heap $gperf" | sort
	prof-fetch --timeout=9 $gperf/pprof/heap | decode | cmp - $want.want' <<'END'
/debug/pprof/profile?seconds=30
/pprof/cmdline
/pprof/cmdline
/pprof/heap
/pprof/profile?seconds=30
END
check 'a proxy from the environment, but not for this machine' 0 '
	: >log
	http_proxy=http://$gperf prof-fetch http://profiles.test/file/x 2>&1
	HTTP_PROXY=http://$gperf prof-fetch profiles.test:80/file/x 2>&1
	HTTP_PROXY=http://127.0.0.1:1 prof-fetch $go/file/$want | decode |
		cmp - $want.want' <<'END'
prof-fetch: http://profiles.test/file/x: server response: 404 Not Found - 404 page not found
prof-fetch: profiles.test:80/file/x: server response: 404 Not Found - 404 page not found
END

# The examples of the manual page, but for those of s3.t; the proxy knows web1 and
# web2.
shown prof-fetch.1 | sed '/s3:/d' >examples
while read -r example; do
	if http_proxy=http://$go sh -c "$example" >out 2>err </dev/null && [ ! -s err ]; then
		ok "example: $example"
	else
		not_ok "example: $example" <err
	fi
done <examples

# --- a terminal -------------------------------------------------------------

# on_terminal ARGUMENTS: what prof-fetch says on one, to the file tty.
on_terminal() {
	script -qec "prof-fetch $1 >out" /dev/null </dev/null >tty 2>&1
}

if have script; then
	TERM=vt100
	export TERM
	on_terminal "--seconds=9 --timeout=2 $go/hang"
	if grep -q '0 of 1 fetched, [0-9] s left' tty; then
		ok 'the time that is left is shown on a terminal'
	else
		not_ok 'the time that is left is shown on a terminal' <tty
	fi
	on_terminal "--timeout=2 $go/file/$want $go/hang"
	if grep -q '1 of 2 fetched, [0-9] s ' tty; then
		ok 'or the time that went by'
	else
		not_ok 'or the time that went by' <tty
	fi
	if tr '\r' '\n' <tty | sed '/ fetched, /d; /^ *$/d' |
		grep -v "^prof-fetch: $go/hang: timed out" >more ||
		LC_ALL=C grep -q "$(printf '\033')" tty; then
		not_ok 'it is wiped away, and has no colours' <tty
	else
		ok 'it is wiped away, and has no colours'
	fi
	on_terminal "-q --timeout=1 $go/hang"
	cp tty quiet
	TERM=dumb
	on_terminal "--timeout=1 $go/hang"
	cat tty >>quiet
	prof-fetch --timeout=1 "$go/hang" >>quiet 2>&1
	if grep -q 'of 1 fetched' quiet; then
		not_ok 'not with -q, on a dumb terminal, or elsewhere' <quiet
	else
		ok 'not with -q, on a dumb terminal, or elsewhere'
	fi
	script -qec "prof-fetch $go/hang" /dev/null </dev/null >tty 2>&1
	if grep -q 'not written to a terminal' tty; then
		ok 'a terminal is refused before the wait'
	else
		not_ok 'a terminal is refused before the wait' <tty
	fi
else
	skip 'terminals' 'no script(1)'
fi
plan
