# prof-fetch against bad servers (httpd.c): each costs one clear line and
# bounded time and memory, and does not affect other profiles.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/fetch.sh"

need_curl servers
offer go
go=127.0.0.1:$port
want=good-gperf-heap.txt
export go want
prof-fetch "$data/$want" | decode >want

# What sanitizers map has nothing to do with memory that is used.
[ -n "${sanitized:-}" ] || ulimit -v 1000000

# All of them at once: path, what is said of it. Where libcurl speaks, only the
# words that its versions share.
cat >rude <<'END'
status/204	server response: 204 Oops
status/403	server response: 403 Oops - text
status/500	server response: 500 Oops - text
go/400	server response: 400 Bad Request - profiling already in use
html	server response: 502 Bad Gateway
later/3600	server response: 503 Busy - come back
escape	server response: 500 \x1b[31mred - two lines \u009b and more word word
refuse	server response: 500 Oops
loop	maximum (10) redirects followed
moved	maximum (10) redirects followed
goto/file:///etc/passwd	protocol "file"
goto/ftp://127.0.0.1/	protocol "ftp"
goto/gopher://127.0.0.1/	protocol "gopher"
goto/scp://127.0.0.1/	protocol "scp"
goto/http://	redirect
cut/good-go-cpu.pb.gz	truncated gzip stream
short/good-go-cpu.pb.gz	with 1000 bytes
long/good-go-cpu.pb.gz	truncated gzip stream
length/-5/good-go-cpu.pb.gz	invalid Content-Length
length/x/good-go-cpu.pb.gz	invalid Content-Length
length/99999999999999/good-go-cpu.pb.gz	with 99999999994582 bytes
chunks/good-go-cpu.pb.gz	transfer closed with outstanding read data remaining
chunk/FFFFFFFFFFFFFFFFF	hunk
chunk/7FFFFFFFFFFFFFFF	outstanding read data remaining
chunk/-1	hunk
chunk/nonsense	hunk
gzip/good-gperf-heap.txt	content
file/bad-html.txt	not a profile: looks like a web page
close	onnection reset by peer
garbage	received HTTP/0.9 when not allowed
hang	timed out after 8 s, with 0 bytes received
stall	timed out after 8 s, with 4 bytes received
loris	timed out after 8 s, with 0 bytes received
trickle	timed out after 8 s, with
headers	headers
continue	headers without end
endless	larger than the limit of 20000000 bytes (--max-size)
bomb	inflates past the limit of 20000000 bytes (--max-size)
zbomb	larger than the limit of 20000000 bytes (--max-size)
END
cut -f1 rude | sed "s,^,$go/," >sources
# shellcheck disable=SC2046 # words
prof-fetch --timeout=8 --max-size=20000000 $(cat sources) $go/file/$want \
	>out 2>err
status=$?
decode <out >got
if [ $status -eq 3 ] && cmp -s got want; then
	ok 'the only good source is written, status 3'
else
	cat err | not_ok 'the only good source is written, status 3'
fi
while IFS='	' read -r path words; do
	grep -F "prof-fetch: $go/$path: " err >line
	if [ "$(wc -l <line)" -eq 1 ] && grep -qF -- "$words" line; then
		ok "$path"
	else
		cat line | not_ok "$path: '$words'"
	fi
done <rude
if [ "$(wc -l <err)" -eq "$(wc -l <rude)" ] && ! LC_ALL=C grep -q '[[:cntrl:]]' err &&
	[ "$(wc -L <err)" -lt 500 ]; then
	ok 'a line each, without anything that steers a terminal, and none is long'
else
	cat -v err | not_ok 'a line each, without anything that steers a terminal'
fi

check_err 'a gzip bomb by HTTP, with the limit as it is' 2 \
	"prof-fetch $go/zbomb" 'inflates to more than 256 times what is sent'
check 'who keeps the connection is not waited for' 0 \
	'prof-fetch --timeout=60 $go/stay/$want | decode | cmp - want' <<'END'
END
check 'more than was said is not read' 0 \
	'prof-fetch $go/length/0/$want 2>&1 >/dev/null | sed "s/.*: //"' <<'END'
the server's answer is empty
END

# --- retries ----------------------------------------------------------------

check 'nothing is asked twice by itself' 0 'asked "prof-fetch $go/busy/1/a"' <<'END'
/busy/1/a
END
check 'a busy server' 0 '
	: >log
	prof-fetch --retries=3 $go/busy/1/$want | decode | cmp - want; cat log' <<'END'
/busy/1/good-gperf-heap.txt
/busy/1/good-gperf-heap.txt
END
check 'a connection that breaks' 0 '
	: >log
	prof-fetch --retries=3 $go/broken/1/$want | decode | cmp - want; cat log' <<'END'
/broken/1/good-gperf-heap.txt
/broken/1/good-gperf-heap.txt
END
check 'a profile without a page' 0 '
	asked "prof-fetch --retries=1 $go/busy/9/x --seconds=1"' <<'END'
/busy/9/x?seconds=1
/busy/9/x?seconds=1
END
check 'it is said how often' 2 '
	prof-fetch --retries=1 127.0.0.1:1/x $go/status/503 2>&1 |
		sed "s/.* (/(/"; prof-fetch --retries=1 127.0.0.1:1/x 2>/dev/null' <<'END'
(tried 2 times)
(tried 2 times)
END
check 'what will not be better is not tried again' 0 '
	asked "prof-fetch --retries=9 $go/status/404 $go/status/501 \
		$go/later/3600 $go/endless --max-size=1M" | sort' <<'END'
/endless
/later/3600
/status/404
/status/501
END
check_err 'nor past the deadline' 2 \
	'prof-fetch --retries=9 --deadline=9 $go/later/30' \
	'server response: 503 Busy - come back'
check_err 'a deadline for everything' 2 \
	'prof-fetch --retries=99 --timeout=60 --deadline=1 $go/trickle' \
	'/trickle: not done after 1 s (--deadline)'
check_err 'a deadline for what was not begun' 2 '
	ulimit -n 16; prof-fetch --deadline=1 $go/hang $go/hang $go/hang \
		$go/hang $go/hang $go/hang $go/hang $go/hang $go/hang \
		5<&1 6<&1 7<&1 8<&1 9<&1 2>err
	sort -u err >&2; [ "$(wc -l <err)" -eq 9 ] && exit 2' \
	'/hang: not done after 1 s (--deadline)'

# A queue of connections that is full: what comes more is not answered. The
# kernel may be set to answer (tcp_abort_on_overflow), and then says so at once.
cat >full.py <<'END'
import socket, sys, time
s = socket.socket()
s.bind(('127.0.0.1', 0))
s.listen(0)
held = []
for _ in range(8):
    held.append(socket.socket())
    held[-1].setblocking(False)
    held[-1].connect_ex(s.getsockname())
print(s.getsockname()[1], flush=True)
time.sleep(120)
END
row='a connection is not waited for as long as an answer'
if ! have python3; then
	skip "$row" 'no python3'
else
	serve 'python3 full.py'
	check_err "$row" 2 "timeout 60 prof-fetch --timeout=300 127.0.0.1:$port/x" \
		"prof-fetch: 127.0.0.1:$port/x: "
fi
plan
