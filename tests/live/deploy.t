# deploy.t - prof-history names the build that a deploy brought: to two servers in
# Go that use C, and to a program in an archive of prof-record --all --every. What
# was recorded in a few seconds is said to be of twelve hours before, and after.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"
. "$src/tests/lib/serve.sh"
need_tools 'deploys' python3 readelf
! lacks 'prof-history --change nothing' || skip_rest 'deploys' 'this build has no gsl, or no sqlite'

# told FOLDER HOUR FILE: the profile, of each of twelve hours.
cat >told.py <<'EOF'
import gzip, sys

def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])

def number(b, i):
    n = shift = 0
    while True:
        n, shift, i = n | (b[i] & 127) << shift, shift + 7, i + 1
        if b[i - 1] < 128:
            return n, i

b, i, out = gzip.open(sys.argv[3]).read(), 0, b""
while i < len(b):
    key, end = number(b, i)
    n, end = number(b, end)
    end += n if key & 7 == 2 else 0
    if key >> 3 != 9: # time_nanos
        out += b[i:end]
    i = end
for hour in range(int(sys.argv[2]), int(sys.argv[2]) + 12):
    time = b"\x48" + varint((1767225600 + hour * 3600) * 10**9)
    open("%s/%d.pb" % (sys.argv[1], hour), "wb").write(out + time)
EOF
told() {
	mkdir -p "$1"
	python3 told.py "$@"
}

# id FILE: its build-id.
id() {
	readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p'
}

# named BUILD BEFORE HOSTS COMMAND: does its last line name both builds?
named() {
	sh -c "$4" >out 2>&1 || return 2
	echo "wanted build $1 after $2"
	cat out
	[ -n "$1" ] && [ "$1" != "$2" ] && tail -1 out | grep -q \
		"^change: .* from 2026-01-01T12:00Z on: .*; build $1 arrived on $3 (2026-01-01T12:00:00Z) and differs by .* from $2 "
}

# --- two servers in Go ---

# go_build SERVER COST FLAGS...: its multiply() costs so much. Packages net and
# runtime/cgo use C; it has a build-id if the system's linker links it.
go_build() {
	mkdir "$1"
	sed "s/multiply(200000)/multiply($2)/" "$src/tests/programs/goserver.go" >server.go
	server=$1/server
	shift 2
	go build -o "$server" "$@" server.go 2>err
}

# fetched SERVER: SERVER.pb.gz, of what works as long as it lives.
fetched() {
	serve "$1/server" && prof-fetch --seconds=1 "127.0.0.1:$port" -o "$1.pb.gz"
	fetched=$?
	kill "$!" 2>/dev/null
	return $fetched
}

both_fetched() {
	fetched new && fetched old
}

go_deployed() {
	both_fetched || return 2
	for web in web1 web2; do
		told go/$web 0 old.pb.gz
		told go/$web 12 new.pb.gz
	done
	named "$new" "$old" 'web1 and web2' \
		'prof-history --function=main.multiply --change --by=hour go'
}

labels_deployed() {
	live_again both_fetched
	prof-merge --label=build=v1 old.pb.gz -o v1.pb.gz
	prof-merge --label=build=v2 new.pb.gz -o v2.pb.gz
	told labels/web1 0 v1.pb.gz
	told labels/web1 12 v2.pb.gz
	named v2 v1 web1 'prof-history --function=main.multiply --change --by=hour labels'
}

# The system's linker links the second server, Go the first, and makes its build-id.
old=$(printf '%040d' 19)
if ! have go || ! go_build new 9000000 "-ldflags=-w -linkmode=external"; then
	skip 'a deploy of two Go servers' 'no go, or no linker for it'
elif ! go_build old 200000 "-ldflags=-w -linkmode=internal -B 0x$old"; then
	not_ok 'the first Go server' <err
else
	new=$(id new/server)
	live 'a deploy of two Go servers' go_deployed
	check 'a server that Go links has the build-id of -B' 0 '
		prof-history --function=main.multiply --tsv go/web1/0.pb | cut -f5,8 | tail -1' <<END
$old	1
END
	live 'a label says it' labels_deployed
	if go_build none 9000000 "-ldflags=-w -linkmode=internal" && [ -z "$(id none/server)" ] &&
		fetched none 2>err; then
		told none/web1 0 none.pb.gz
		check "libc's build-id is not that of a server without" 0 '
			prof-history --function=main.multiply --tsv none | cut -f5,6,8 | tail -1' <<'END'
	0	12
END
	else
		skip 'a server without a build-id' 'this go makes none'
	fi
fi

# --- all processes ---

# Nobody else's process has this name.
worker=worker$$

# recorded FOLDER COST: FOLDER.pb.gz, of --all --every --symbolize while $worker runs. The
# file is going to be replaced: names are of then.
recorded() {
	cat >worker.c <<EOF
__attribute__((noinline)) void spin(int n)
{
	for (volatile int i = 0; i < n; i++)
		;
}
__attribute__((noinline)) void hash_block(void)
{
	spin($2);
	__asm__("");
}
int main(void)
{
	for (;;) {
		hash_block();
		spin(50000);
	}
}
EOF
	rm -rf "$worker" "$1"
	${CC:-cc} -O1 -w -Wl,--build-id -o "$worker" worker.c || return
	"./$worker" &
	servers="$servers $!"
	mkdir "$1"
	timeout -s INT 2 prof-record -q --all --every=1 --symbolize -o "$1/%H%M%S.pb.gz"
	kill $!
	prof-merge "$1"/*.pb.gz -o "$1.pb.gz"
}

# deployed: records both, and looks for the deploy.
deployed() {
	recorded before 20000 || return 2
	old=$(id "$worker")
	recorded after 900000 || return 2
	told all/box 0 before.pb.gz
	told all/box 12 after.pb.gz
	named "$(id "$worker")" "$old" box "prof-history --function=hash_block \
		--where='process == \"$worker\"' --change --by=hour all"
}

if prof-record -q --all --seconds=1 -o try.pb.gz 2>log; then
	live 'a deploy in an archive of --all --every' deployed
else
	skip 'a deploy in an archive of --all --every' "$(head -1 log)"
fi
plan
