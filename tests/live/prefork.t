# prefork.t - servers that fork their workers: each worker's part of the samples is that of
# the CPU time that it says it used. By the labels of processes.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

# Each answers with its number and the CPU seconds that it spent in burn().
cat >app.py <<'END'
import os, time
def burn():
    start = time.process_time()
    while time.process_time() < start + 0.02:
        pass
    return time.process_time() - start
def app(environ, start_response):
    start_response("200 OK", [])
    return [b"spent %d %f\n" % (os.getpid(), burn())]
END
cat >config.ru <<'END'
CLOCK = Process::CLOCK_PROCESS_CPUTIME_ID
def burn
  start = Process.clock_gettime(CLOCK)
  1 while Process.clock_gettime(CLOCK) < start + 0.02
  Process.clock_gettime(CLOCK) - start
end
run lambda { |env| [200, {}, ["spent #{Process.pid} #{burn}\n"]] }
END
cat >app.php <<'END'
<?php
function now() {
    $u = getrusage();
    return $u["ru_utime.tv_sec"] + $u["ru_stime.tv_sec"] +
        ($u["ru_utime.tv_usec"] + $u["ru_stime.tv_usec"]) / 1e6;
}
function burn() {
    $start = now();
    while (now() < $start + 0.02);
    return now() - $start;
}
echo "spent ", getmypid(), " ", burn(), "\n";
END
cat >fpm.conf <<END
[global]
error_log = $PWD/fpm.log
daemonize = no
[www]
listen = $PWD/server
pm = static
pm.max_children = 3
user = root
group = root
END
# Over the socket, by HTTP, so many times after each other.
cat >ask.py <<'END'
import socket, sys
for i in range(int(sys.argv[1])):
    s = socket.socket(socket.AF_UNIX)
    s.connect("server")
    s.sendall(b"GET / HTTP/1.0\r\n\r\n")
    while True:
        part = s.recv(4096)
        if not part:
            break
        print(part.decode(), end="")
END
# ask N. cgi-fcgi sends its environment, and says nothing if make's is too large.
ask() {
	if [ "$how" != fcgi ]; then
		/usr/bin/python3 ask.py "$1"
		return
	fi
	i=0
	while [ $i -lt "$1" ]; do
		i=$((i + 1))
		env -i PATH="$PATH" SCRIPT_FILENAME="$PWD/app.php" REQUEST_METHOD=GET \
			cgi-fcgi -bind -connect server
	done
}

answers() {
	ask "$1" 2>/dev/null | tr -d '\r' | grep '^spent'
}

# shares HOW COMMAND...: three workers, four clients.
shares() {
	how=$1
	shift
	rm -f server
	prof-record -q -F 250 -o server.pb.gz "$@" >out 2>&1 &
	server=$!
	tried=0
	until answers 1 >spent.0; do
		tried=$((tried + 1))
		if [ $tried -gt 300 ] || ! kill -0 $server 2>/dev/null; then
			cat out fpm.log
			ask 1 2>&1 | head -n 5
			kill $server
			return 2
		fi
		sleep 0.1
	done
	for client in 1 2 3 4; do
		answers 25 >spent.$client &
		clients="$clients $!"
	done
	# shellcheck disable=SC2086 # words
	wait $clients
	clients=
	kill $server
	wait $server
	cat spent.* >spent
	prof-text --folded --functions --tagroot=pid --sample-index=samples server.pb.gz |
		awk "$chance"'
		FILENAME == "spent" { spent[$2] += $3; all_spent += $3; next }
		/[;.#]burn[; ]/ {
			pid = $0
			sub(/;.*/, "", pid)
			sub(/^[^0-9]*/, "", pid)
			sub(/[^0-9].*/, "", pid)
			n[pid] += $NF
			all += $NF
		}
		END {
			for (pid in spent) {
				printf "%s: %d of %d signals, %.3f of %.3f s\n", pid, n[pid], all, \
					spent[pid], all_spent
				bad += !chance_share(n[pid] + 0, all, spent[pid] / all_spent, 3)
				n_pid++
			}
			exit n_pid < 2 || bad || all < 100
		}' spent -
}
clients=

if ! seccomp sees; then
	skip_rest 'prefork servers' 'a seccomp filter: no functions of interpreters'
fi
# row NAME PROGRAM HOW COMMAND...
row() {
	name=$1
	program=$2
	shift 2
	if command -v "$program" >/dev/null && command -v /usr/bin/python3 >/dev/null; then
		live "$name" shares "$@"
	else
		skip "$name" "no $program"
	fi
}
row 'gunicorn, three sync workers' gunicorn http gunicorn -w 3 -b "unix:$PWD/server" app:app
row 'puma in cluster mode' puma http puma -q -w 3 -t 1:1 -b "unix://$(echo "$PWD" | sed 's/ /%20/g')/server" \
	config.ru
fpm=$(find /usr/sbin -name 'php-fpm[0-9]*' | sed 1q)
if command -v cgi-fcgi >/dev/null && [ "$(id -u)" = 0 ]; then
	row 'php-fpm, three children' "${fpm:-php-fpm}" fcgi "${fpm:-php-fpm}" -R -n -y "$PWD/fpm.conf"
else
	skip 'php-fpm, three children' 'no cgi-fcgi, or not root'
fi
plan
