# listen.t - the pages of prof-record --listen, their clients, and attempts to disturb
# it. What is in the profiles is for tests/live/listen.t.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/listen.sh"

start -o whole.pb.gz
check 'the list of pages' 0 './page /pprof/ | sed "s/[0-9][0-9]* .*/N/;s/ .*//"' \
	<<'END'
process
profiles

/pprof/profile
/pprof/cmdline
/pprof/symbol
/debug/pprof/profile
/debug/pprof/cmdline
/debug/pprof/symbol
END
check 'the command line' 0 \
	'for page in /pprof/cmdline /debug/pprof/cmdline; do
		./page $page | sed "s|.*/||"; echo ,
	 done' <<'END'
phases
,
phases,
END
check 'no such page: those that there are' 0 \
	'./get /pprof/wall | sed -n "s/\r//;1p;/profile/p"' <<'END'
HTTP/1.1 404 Not Found
/pprof/profile          where the next ?seconds=30 are spent
/debug/pprof/profile    the same, by Go's names
END
check 'errors' 0 '
	for query in seconds=0 seconds=x seconds=-1 seconds=3601 debug=1; do
		./get "/debug/pprof/profile?$query" | tr -d "\r" |
			sed -n "s/^HTTP[^ ]* //p;/^X-Go/p;/^$/,\$p" | paste -sd/
	done | uniq -c | sed "s/^ *//"
	./status "PUT /pprof/profile HTTP/1.1\r\nHost: localhost\r\n\r\n"
	./status "POST /pprof/cmdline HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
	./status "HEAD /pprof/profile HTTP/1.1\r\nHost: localhost\r\n\r\n"
	./page /pprof/heap | head -1' <<'END'
4 400 Bad Request/X-Go-Pprof: 1//seconds must be from 1 to 3600
1 400 Bad Request/X-Go-Pprof: 1//there is no text form of this profile: ask without debug=1
HTTP/1.1 405 Method Not Allowed
HTTP/1.1 405 Method Not Allowed
HTTP/1.1 200 OK
this is not recorded, without prof-record --heap; there are:
END

# Browsers mark what the pages of other sites ask for.
check 'pages of other sites are refused' 0 '
	for mark in "Origin: http://evil.example" "Origin: null" \
		"Sec-Fetch-Site: cross-site" "Sec-Fetch-Site: none"; do
		./status "GET /pprof/cmdline HTTP/1.1\r\nHost: localhost\r\n$mark\r\n\r\n"
	done' <<'END'
HTTP/1.1 403 Forbidden
HTTP/1.1 403 Forbidden
HTTP/1.1 403 Forbidden
HTTP/1.1 200 OK
END

# A page that a browser got from a host of another name may not ask us.
check 'only names that nobody else can have are answered' 0 '
	while read -r host; do
		./status "GET /pprof/cmdline HTTP/1.1\r\nHost: $host\r\n\r\n"
	done <<E
localhost:$port
LocalHost
a.localhost:80
127.0.0.1:$port
192.0.2.7
[::1]:$port
evil.example
evil.example:$port
notlocalhost
localhost.evil.example
127.0.0.1.evil.example
[::1].evil.example
localhost:80:80
[]

E
	./status "GET /pprof/cmdline HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n"
	./status "GET /pprof/cmdline HTTP/1.0\r\n\r\n"
	printf "GET /pprof/cmdline HTTP/1.1\r\nHost: evil\r\n\r\n" |
		rude $port ask | sed "1,/^.\$/d"' <<'END'
HTTP/1.1 200 OK
HTTP/1.1 200 OK
HTTP/1.1 200 OK
HTTP/1.1 200 OK
HTTP/1.1 200 OK
HTTP/1.1 200 OK
HTTP/1.1 403 Forbidden
HTTP/1.1 403 Forbidden
HTTP/1.1 403 Forbidden
HTTP/1.1 403 Forbidden
HTTP/1.1 403 Forbidden
HTTP/1.1 403 Forbidden
HTTP/1.1 403 Forbidden
HTTP/1.1 403 Forbidden
HTTP/1.1 403 Forbidden
HTTP/1.1 403 Forbidden
HTTP/1.1 200 OK
the request is for another host: use an address, localhost or the name given to --listen
END

# Rude clients. Whatever they do, who comes after them is served.
served='./status "GET /pprof/cmdline HTTP/1.1\r\nHost: localhost\r\n\r\n"'
check 'what is no HTTP is refused' 0 '
	while read -r words; do
		./status "$words" | ./refused
	done <<E
GET / pprof/ HTTP/1.1\r\nHost: localhost\r\n\r\n
GET /pprof/ HTTP/9.9\r\nHost: localhost\r\n\r\n
GET /pprof/%00x HTTP/1.1\r\nHost: localhost\r\n\r\n
GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n
POST /pprof/symbol HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n
POST /pprof/symbol HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n
POST /pprof/symbol HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n
E
	'"$served" <<'END'
refused
refused
refused
refused
refused
refused
refused
HTTP/1.1 200 OK
END
check 'what is too long is refused' 0 '
	head -c 100000 /dev/zero | tr "\0" x >long
	{ printf "GET /"; cat long; } | rude $port send | ./refused
	{ printf "GET /pprof/ HTTP/1.1\r\nX: "; cat long; } | rude $port send | ./refused
	{ printf "POST /pprof/symbol HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1048577\r\n\r\n"
	  cat long; } | rude $port send | ./refused
	{ printf "POST /pprof/symbol HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
	  for i in $(seq 20); do printf "186a0\r\n"; cat long; printf "\r\n"; done
	  printf "0\r\n\r\n"; } | rude $port send | ./refused
	'"$served" <<'END'
refused
refused
refused
refused
HTTP/1.1 200 OK
END
check 'half requests do not keep others out' 0 '
	mkfifo hold; rude $port half 200 <hold >ready & exec 7>hold
	until [ -s ready ]; do sleep 0.05; done
	'"$served" <<'END'
HTTP/1.1 200 OK
END
check 'nor do answers that are not read' 0 '
	mkfifo keep; rude $port stall 200 <keep >ready2 & exec 7>keep
	until [ -s ready2 ]; do sleep 0.05; done
	'"$served" <<'END'
HTTP/1.1 200 OK
END
check 'nor connections that say nothing' 0 "rude \$port flood 3000; $served" \
	<<'END'
HTTP/1.1 200 OK
END
check 'there are places for 16' 0 '
	mkfifo wait; for i in $(seq 16); do
		printf "GET /pprof/profile?seconds=3600 HTTP/1.1\r\nHost: localhost\r\n\r\n" |
			rude $port ask >/dev/null &
		pids="$pids $!"
	done
	./wait_for 16
	./status "GET /pprof/profile?seconds=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
	kill $pids; ./wait_for 0' <<'END'
HTTP/1.1 503 Service Unavailable
END

# The end of the program.
stop
if [ $status -eq 7 ]; then
	ok 'the exit status is the program'\''s'
else
	{ echo "status $status"; cat err; } >why
	not_ok 'the exit status is the program'\''s' <why
fi

# What else is recorded: memory and locks, each with its page.
start --heap=1 --lock=1
check 'the list of pages has all that is recorded' 0 \
	'./page / | sed -n "s|^\(/[^ ]*\).*|\1|p"' <<'END'
/pprof/profile
/pprof/heap
/pprof/growth
/pprof/contention
/pprof/cmdline
/pprof/symbol
/debug/pprof/profile
/debug/pprof/heap
/debug/pprof/allocs
/debug/pprof/growth
/debug/pprof/mutex
/debug/pprof/block
/debug/pprof/cmdline
/debug/pprof/symbol
END
# As profile.proto, as gperftools' text, as text that Go's debug=1 asks for.
cat >blocks <<'END'
#!/bin/sh
prof-symbolize | prof-text -q --nodecount=99 "$@" |
	awk '/keep_|wait_/ { print $1, $NF }'
END
chmod +x blocks
check '/pprof/heap and its like, in both formats' 0 '
	for page in /debug/pprof/heap /pprof/heap "/debug/pprof/heap?debug=1" \
		"/debug/pprof/heap?debug=0"
	do
		./page "$page" | ./blocks --sample-index=inuse_objects
		./page "$page" | ./blocks --unit=B
	done
	./page /debug/pprof/allocs | ./blocks --unit=B
	./page /debug/pprof/allocs | prof-text -q | grep ^Type' <<'END'
100 keep_blocks
10000000B keep_blocks
100 keep_blocks
10000000B keep_blocks
100 keep_blocks
10000000B keep_blocks
100 keep_blocks
10000000B keep_blocks
10000000B keep_blocks
Type: alloc_space
END
check '/pprof/growth and /pprof/contention, in both formats' 0 '
	for page in /debug/pprof/growth /pprof/growth; do
		./page $page | ./blocks --unit=B | awk "{ print (\$1 + 0 >= 9e6), \$2 }"
	done
	for page in /debug/pprof/mutex /pprof/contention; do
		./page $page | ./blocks --unit=ms |
			awk "{ print (\$1 + 0 >= 10), \$2 }"
	done' <<'END'
1 keep_blocks
1 keep_blocks
1 wait_for_main
1 wait_for_main
END
check 'a difference has no text form, and bounds' 0 '
	for query in "seconds=1&debug=1" seconds=0 seconds=3601; do
		./get "/debug/pprof/heap?$query" | sed -n "1p;\$p" | tr -d "\r"
	done' <<'END'
HTTP/1.1 400 Bad Request
there is no text form of this profile: ask without debug=1
HTTP/1.1 400 Bad Request
seconds must be from 1 to 3600
HTTP/1.1 400 Bad Request
seconds must be from 1 to 3600
END
stop
check 'without -o there is no file, and the output stays where it is' 0 \
	'prof-record -q --listen 0 echo hello | cat; ls prof.* 2>/dev/null | wc -l' \
	<<'END'
hello
0
END
check 'the program has no descriptor of it' 0 '
	prof-record -q -o x.pb.gz sh -c "ls /proc/\$\$/fd" >without
	prof-record -q --listen 0 sh -c "ls /proc/\$\$/fd" >with
	cmp with without && echo same' <<'END'
same
END

# Addresses.
check_err 'no port' 2 'prof-record --listen localhost true' 'is not [HOST:]PORT'
check_err 'an empty port' 2 'prof-record --listen localhost: true' \
	'is not [HOST:]PORT'
check_err 'a port that is none' 2 'prof-record --listen 65536 true' \
	'is not [HOST:]PORT'
check_err 'a host that is none' 2 'prof-record --listen 999.1.1.1:0 true' \
	'999.1.1.1:0'
start
check_err 'an address that is taken' 2 'prof-record --listen $port echo hello' \
	'Address already in use'
stop
# A machine without /etc/hosts knows no localhost.
getent hosts localhost >/dev/null && named=localhost:0
for where in ${named:-} 127.0.0.1:0 ':0' '*:0' '[::1]:0'; do
	prof-record --listen "$where" true 2>err
	if grep -q 'cannot listen at' err; then
		skip "--listen $where" "$(head -1 err)"
	elif grep -q 'listening on http://.*:[1-9][0-9]*/pprof/' err; then
		ok "--listen $where"
	else
		not_ok "--listen $where" <err
	fi
done
plan

