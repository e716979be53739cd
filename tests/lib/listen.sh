# listen.sh - sourced after tap.sh: a program that is recorded and served. It works in
# phase_a() until it is told to go on to phase_b(), and ends when it is told.

unset http_proxy HTTP_PROXY

if lacks 'prof-record --listen 0 true'; then
	check_err 'without libmicrohttpd, --listen says so' 2 \
		'prof-record --listen 0 true' 'this build has no libmicrohttpd'
	plan
	exit
fi

# start OPTION...: phases, recorded and served; its lines come out of fd 8, its
# input is fd 9. Sets $port.
mkfifo in out
record=
trap 'kill $record 2>/dev/null; rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM
start() {
	: >err
	sh -c 'exec prof-record "$@"' sh -F 1000 --listen 0 "$@" phases \
		<in >out 2>err &
	record=$!
	exec 9>in 8<out
	read -r phase <&8
	until grep -q listening err; do sleep 0.05; done
	port=$(sed -n 's|.*listening on http://127.0.0.1:\([0-9]*\)/pprof/$|\1|p' err)
	export port
}

# next: on to the other phase.
next() {
	echo >&9
	read -r phase <&8
}

# stop: sets $status.
stop() {
	exec 9>&-
	wait $record
	status=$?
	exec 8<&-
	record=
}

# get PATH [HEADER]: all of the answer; page PATH [HEADER]: without its head.
cat >get <<'END'
#!/bin/sh
printf 'GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n' "$1" "${2:+$2$(printf '\r')
}" | rude $port ask
END
cat >page <<'END'
#!/bin/sh
./get "$@" | sed '1,/^.$/d'
END
cat >status <<'END'
#!/bin/sh
printf "$@" | rude $port send
END
# wait_for N: until so many profiles are under way.
cat >wait_for <<'END'
#!/bin/sh
until ./page /pprof/ | grep -qx "profiles under way: $1"; do sleep 0.05; done
END
# works PID: until it has had a fifth of a second of a processor from now on.
cat >works <<'END'
#!/bin/sh
ticks() { cut -d ' ' -f 14 "/proc/$1/stat"; }
goal=$(($(ticks $1) + 20))
while kill -0 $1 && [ "$(ticks $1)" -lt $goal ]; do sleep 0.05; done
END
# phases_of: which are in the profile on standard input.
cat >phases_of <<'END'
#!/bin/sh
prof-symbolize | prof-text -q --nodecount=99 | grep -o 'phase_[ab]$' | sort -u |
	tr '\n' ' '
END
# refused: in which words is the business of libmicrohttpd.
cat >refused <<'END'
#!/bin/sh
sed 's/^closed$/refused/;s/^HTTP.1.[01] [45].*/refused/'
END
chmod +x refused get page status wait_for works phases_of
