# fetch.sh - sourced by the tests of prof-fetch after tap.sh: servers.
#
#	serve KIND [PORTS]	start tests/httpd, set $port (the first port);
#				it logs to $scratch/log
#	need_curl		or skip the rest
#	decode			a stream as text, without the comments that name
#				a port
#	asked COMMAND		the requests that it makes

unset http_proxy HTTP_PROXY https_proxy HTTPS_PROXY all_proxy ALL_PROXY \
	no_proxy NO_PROXY

servers=
trap 'kill $servers 2>/dev/null; rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM

serve() {
	: >port.file
	httpd "$data" "$1" "$scratch/log" "${2:-1}" >port.file &
	servers="$servers $!"
	while [ "$(wc -l <port.file)" -lt "${2:-1}" ]; do sleep 0.02; done
	port=$(head -1 port.file)
}

need_curl() {
	if prof-fetch http://127.0.0.1:1/ 2>&1 >/dev/null |
		grep -q 'no libcurl'; then
		skip 'servers' 'this build has no libcurl'
		plan
		exit
	fi
}

mkdir bin
cat >bin/decode <<END
gzip -dc | protoc-c --decode=perftools.profiles.Profile -I"$src/proto" \
	"$src/proto/profile.proto" |
	grep -a -v -e '^comment:' -e '^string_table: "# source: '
END
cat >bin/asked <<'END'
: >log
sh -c "$1" >/dev/null 2>&1
cat log
END
chmod +x bin/*
PATH=$PATH:$scratch/bin
