# prof-fetch from real servers: a Go program and one with gperftools; the output
# of the pipeline is compared with their own tools.
. "${srcdir:-.}/tests/lib/tap.sh"

# A build of net/http from nothing takes longer than all the rest.
GO111MODULE=off
export GO111MODULE
unset DEBUGINFOD_URLS

need_curl 'real servers'
need_symbols 'real servers'
. "$src/tests/lib/serve.sh"

# The table of a report: what follows its header.
table() {
	sed -n '/^ *flat  flat%/,$p'
}

# says NAME WORD: does out say it?
says() {
	if grep -q -- "$2" out; then
		ok "$1"
	else
		cat err out >why
		not_ok "$1" <why
	fi
}

# same NAME OURS THEIRS: files.
same() {
	if [ -s "$2" ] && cmp -s "$2" "$3"; then
		ok "$1"
	else
		diff "$3" "$2" | head -30 >why
		not_ok "$1" <why
	fi
}

if have go && go build -o goserver "$src/tests/programs/goserver.go" 2>err &&
	serve ./goserver; then
	for page in '' heap goroutine mutex; do
		name="a Go server: ${page:-cpu} as go tool pprof -top"
		source=127.0.0.1:$port/debug/pprof/$page
		[ -n "$page" ] || source="--seconds=1 127.0.0.1:$port"
		# shellcheck disable=SC2086 # words
		prof-fetch $source -o go.pb.gz 2>err || {
			not_ok "$name" <err
			continue
		}
		go tool pprof -top go.pb.gz 2>err | table >theirs
		prof-symbolize go.pb.gz | prof-text | table >ours
		same "$name" ours theirs
	done
	prof-fetch "127.0.0.1:$port/debug/pprof/heap?gc=1&debug=1" 2>err |
		prof-symbolize 2>>err | prof-text >out 2>>err
	says 'a Go server: heap as text' ' main\.main$'
	check_err 'a Go server: what it says of an error' 2 \
		"prof-fetch '127.0.0.1:$port/debug/pprof/none'" \
		'server response: 404 Not Found - Unknown profile'
	check_err 'a Go server: goroutines in prose' 2 \
		"prof-fetch '127.0.0.1:$port/debug/pprof/goroutine?debug=2'" \
		'ask the server for debug=0'
else
	skip 'a Go server' "no go: $(head -1 err 2>/dev/null)"
fi

# Compiled by the compiler of the build; gperftools may be missing.
if "${CXX:-c++}" -O1 -g -o gperfserver "$src/tests/programs/gperfserver.cc" \
	-Wl,--no-as-needed -ltcmalloc_and_profiler -pthread 2>err &&
	serve 'env CPUPROFILE_FREQUENCY=250 TCMALLOC_SAMPLE_PARAMETER=4096 ./gperfserver gperf.prof'; then
	name='a gperftools server: cpu as google-pprof --text'
	prof-fetch --seconds=1 127.0.0.1:$port -o cpu.pb.gz 2>err &&
		prof-symbolize cpu.pb.gz >sym.pb.gz 2>>err
	# The frames that are no library's: there names differ in style.
	prof-text --sample-index=samples --nodecount=1000 sym.pb.gz |
		awk '/^ *[0-9]/ && $NF ~ /^(spin|work)_/ { print $1, $4, $6 }' |
		sort >ours
	if ! have google-pprof; then
		skip "$name" 'no google-pprof'
	else
		# It takes a path with blanks apart, and wants the one in the profile.
		place=$(mktemp -d /tmp/servers.XXXXXX) && cp gperfserver "$place"
		sed "s|$scratch/|$place/|" gperf.prof >placed.prof
		google-pprof --text --no-auto-signal-frm "$place/gperfserver" placed.prof 2>/dev/null |
			awk '$NF ~ /^(spin|work)_/ { print $1, $4, $6 }' | sort >theirs
		rm -rf "$place"
		same "$name" ours theirs
	fi
	cp ours out
	says 'a gperftools server: the hot function' '^[1-9][0-9]* [0-9]* spin_slow$'
	prof-fetch "127.0.0.1:$port/pprof/heap" 2>err | prof-symbolize |
		prof-text --unit=MB >out 2>>err
	says 'a gperftools server: heap' ' keep_block$'
	check 'a gperftools server: growth' 0 \
		"prof-fetch 127.0.0.1:$port/pprof/growth >growth.pb.gz" <<'END'
END
else
	skip 'a gperftools server' "no gperftools: $(head -1 err)"
fi
exec 9>&-
plan
