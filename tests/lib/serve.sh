# serve.sh - sourced after tap.sh: servers that live as long as the test.
#
#	serve COMMAND [N]	run it, wait for the N (1) lines of file port,
#				set $port to the first
#
# Their input ends when the test does, and nothing here goes through a proxy.

unset http_proxy HTTP_PROXY https_proxy HTTPS_PROXY all_proxy ALL_PROXY \
	no_proxy NO_PROXY

mkfifo hold
servers=
trap 'kill $servers 2>/dev/null; rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM

serve() {
	: >port
	sh -c "exec $1" <hold >port 2>server.err &
	servers="$servers $!"
	exec 9>hold
	for i in $(seq 500); do
		if [ "$(wc -l <port)" -ge "${2:-1}" ]; then
			port=$(head -n 1 port)
			return 0
		fi
		kill -0 $! 2>/dev/null || return 1
		sleep 0.02
	done
	return 1
}
