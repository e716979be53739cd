#!/bin/sh
# prof-fetch with headers of the user, and from Unix sockets: the server below
# answers 401 without the right header, which it repeats as rude ones do.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/fetch.sh"

need_curl servers
need_tools 'headers' python3

cat >server.py <<'END'
import http.server, os, socketserver, sys

class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        auth = self.headers.get('Authorization', '')
        with open('log', 'a') as log:
            print(self.path, auth, self.headers.get('X-Tenant', ''), file=log)
        if self.path == '/moved':
            self.send_response(302)
            self.send_header('Location', '/pprof/heap')
            self.end_headers()
        elif auth in ('Bearer s3cret', '') and 'open' in sys.argv[2:] or auth == 'Bearer s3cret':
            self.send_response(200)
            self.end_headers()
            self.wfile.write(open(sys.argv[1], 'rb').read())
        else:
            self.send_response(401)
            self.end_headers()
            self.wfile.write(b'bad token: ' + auth.encode())
    def log_message(self, *args):
        pass
    def address_string(self):
        return ''

class Unix(socketserver.UnixStreamServer):
    def get_request(self):
        request, _ = super().get_request()
        return request, ('', 0)

if 'open' in sys.argv[2:]:
    server = Unix('app.sock', Page)
    print(1, flush=True)
else:
    server = http.server.HTTPServer(('127.0.0.1', 0), Page)
    print(server.server_port, flush=True)
server.serve_forever()
END
heap=$data/good-go-heap.pb.gz
prof-fetch "$heap" | decode >want
serve "python3 server.py '$heap'"
web=127.0.0.1:$port
serve "python3 server.py '$heap' open"
export web scratch
unset PROF_FETCH_HEADERS

# --- headers ---

check_err 'without: refused' 2 'prof-fetch $web/pprof/heap' '401 Unauthorized'
check 'a header' 0 '
	prof-fetch --header="Authorization: Bearer s3cret" --header="X-Tenant: a b" \
		$web/pprof/heap | decode | cmp - want && tail -1 log' <<'END'
/pprof/heap Bearer s3cret a b
END
printf '# of staging\nAuthorization: Bearer s3cret\n\nX-Tenant: c\n' >lines
check 'headers from a file' 0 '
	prof-fetch --header=@lines $web/pprof/heap | decode | cmp - want && tail -1 log' <<'END'
/pprof/heap Bearer s3cret c
END
check 'headers from a pipe' 0 '
	prof-fetch --header=@- $web/pprof/heap <lines | decode | cmp - want' <<'END'
END
check 'headers from the environment' 0 '
	PROF_FETCH_HEADERS=$(cat lines) prof-fetch $web/pprof/heap | decode | cmp - want' <<'END'
END
printf ' s3cret\n' >token
check 'a token from a file' 0 '
	prof-fetch --token-file=token $web/pprof/heap | decode | cmp - want && tail -1 log' <<'END'
/pprof/heap Bearer s3cret 
END
check 'no header is in the profile' 0 '
	prof-fetch --token-file=token $web/pprof/heap | gzip -dc | grep -ac s3cret; :' <<'END'
0
END
check 'nor in what a server says of it' 2 '
	prof-fetch --header="Authorization: Bearer wr0ng" $web/pprof/heap 2>&1 |
		sed "s/$web/WEB/"; prof-fetch --header="Authorization: Bearer wr0ng" $web/x 2>/dev/null' <<'END'
prof-fetch: WEB/pprof/heap: server response: 401 Unauthorized
END
check 'nor in the message of a wrong one' 2 'prof-fetch --header=s3cret $web/x 2>&1' <<'END'
prof-fetch: --header: expected a header, 'Name: value'
END
check_err 'a second line in a header' 2 \
	'prof-fetch --header="A: b$(printf "\rEvil")" $web/x' "--header: expected a header"
check_err 'a file without token' 2 'echo >empty; prof-fetch --token-file=empty $web/x' \
	'empty: no token in it'
check_err 'another server gets none: no redirection is followed' 2 '
	prof-fetch --token-file=token $web/moved' \
	'302 Found; with headers of yours, no redirection is followed'

# --- sockets ---

check 'a socket: its page, its profile, and where it came from' 0 '
	prof-fetch "unix:$scratch/app.sock:/pprof/heap?token=x" >u.pb.gz
	decode <u.pb.gz | cmp - want
	gzip -dc u.pb.gz | tr -c "[:print:]" "\n" | grep -o "source: .*\.\.\." | sed "s|$scratch|DIR|"' <<'END'
source: unix:DIR/app.sock:/pprof/heap?token=...
END
check 'a CPU profile, without a page' 0 '
	asked "prof-fetch --seconds=3 \"unix:\$scratch/app.sock\"" | head -1' <<'END'
/debug/pprof/profile?seconds=3  
END
check 'an archive has its name' 0 '
	prof-fetch -o "%h-%t.pb.gz" "unix:$scratch/app.sock:/pprof/heap"; ls app*' <<'END'
app.sock
app.sock-heap.pb.gz
END
check_err 'a path without unix:' 2 'prof-fetch "$scratch/app.sock"' \
	"app.sock: a socket; use unix:$scratch/app.sock:/PAGE"
check_err 'a relative path' 2 'prof-fetch unix:app.sock' 'expected unix:/PATH'
check_err 'no such socket' 2 'prof-fetch unix:/none.sock' '/none.sock'

check_err 'https at a port of http' 2 'prof-fetch https://$web/pprof/heap' \
	"the server does not speak TLS at this port; use http://$web"
cat >closer.py <<'END'
import socketserver

class Closer(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.recv(4096)

server = socketserver.TCPServer(('127.0.0.1', 0), Closer)
print(server.server_address[1], flush=True)
server.serve_forever()
END
serve 'python3 closer.py'
check_err 'https at a server that hangs up' 2 "prof-fetch https://127.0.0.1:$port/x" \
	"the server hung up instead of speaking TLS; is it http://127.0.0.1:$port?"
plan
