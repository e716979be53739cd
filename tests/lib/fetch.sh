# fetch.sh - sourced by the tests of prof-fetch after tap.sh: serve.sh and
#
#	offer KIND [PORTS]	serve tests/httpd, which logs to $scratch/log
#	decode			a stream as text, without the comments that name
#				a port
#	asked COMMAND		the requests that it makes

. "$src/tests/lib/serve.sh"

offer() {
	serve "httpd '$data' $1 '$scratch/log' ${2:-1}" "${2:-1}"
}

mkdir bin
cat >bin/decode <<END
gzip -dc | protoc --decode=perftools.profiles.Profile -I"$src/proto" \
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
