# listen.t - profiles over HTTP while a program runs: the pages, their clients,
# and attempts to disturb it. Nothing is timed: the program works in phase_a()
# until it is told to go on to phase_b(), and ends when it is told.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"

HOME=$scratch PPROF_TMPDIR=$scratch
export HOME PPROF_TMPDIR
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

# get PATH: all of the answer; page PATH: without its head.
cat >get <<'END'
#!/bin/sh
printf 'GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n' "$1" "$2" | rude $port ask
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

if prof-symbolize "$data"/good-nosyms.pb.gz 2>&1 >/dev/null |
	grep -q 'no elfutils'; then
	start
	check 'without elfutils there are no symbols, and it is said' 0 \
		'./page /pprof/symbol' <<'END'
num_symbols: 0
END
	stop
	skip 'the other pages' 'what is on them is told apart by symbols'
	plan
	exit
fi

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
			sed -n "s/^HTTP[^ ]* //p;/^X-Go/p;/^$/,\$p"
	done
	./status "PUT /pprof/profile HTTP/1.1\r\nHost: localhost\r\n\r\n"
	./status "POST /pprof/cmdline HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
	./status "HEAD /pprof/profile HTTP/1.1\r\nHost: localhost\r\n\r\n"
	./page /pprof/heap | head -1' <<'END'
400 Bad Request
X-Go-Pprof: 1

seconds must be from 1 to 3600
400 Bad Request
X-Go-Pprof: 1

seconds must be from 1 to 3600
400 Bad Request
X-Go-Pprof: 1

seconds must be from 1 to 3600
400 Bad Request
X-Go-Pprof: 1

seconds must be from 1 to 3600
400 Bad Request
X-Go-Pprof: 1

there is no text form of this profile: ask without debug=1
HTTP/1.1 405 Method Not Allowed
HTTP/1.1 405 Method Not Allowed
HTTP/1.1 200 OK
this is not recorded, without prof-record --heap; there are:
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

# Three profiles: of phase a, of phase b, and of all of it until the end.
./page '/debug/pprof/profile?seconds=3600' >long.pb.gz 9>&- &
long=$!
./wait_for 1
./page '/debug/pprof/profile?seconds=1' >a.pb.gz
check 'a profile is of its own time: phase a' 0 './phases_of <a.pb.gz; echo' \
	<<'END'
phase_a 
END
check 'it says how long it took, and what was sampled' 0 \
	'prof-text -q a.pb.gz | sed -n "s/^Duration: [1-9].*Total samples = .*s .*/ok/p"
	 stacks a.pb.gz | awk "
		/^#/ { for (i = 1; i <= NF; i++) if (split(\$i, kv, \"=\") == 2)
			count[kv[1]] = kv[2] }
		/^[0-9]/ { sum += \$1 }
		END { d = sum - count[\"ticks\"]; print (d <= 40 && d >= -40) }"' \
	<<'END'
ok
1
END

# gperftools' format for those who do not take gzip.
check 'by Accept-Encoding: gperftools'\'' format' 0 \
	'./page "/pprof/profile?seconds=1" >g.prof
	 od -An -tu8 -N 40 g.prof | tr -s " \n" " "; echo; ./phases_of <g.prof; echo' \
	<<'END'
 0 3 0 1000 0 
phase_a 
END
check 'or profile.proto' 0 \
	'./page "/pprof/profile?seconds=1" "Accept-Encoding: deflate, gzip
" >g.pb.gz; od -An -tx1 -N 2 g.pb.gz; ./phases_of <g.pb.gz; echo' <<'END'
 1f 8b
phase_a 
END

# Symbols: addresses as they are in the profile.
prof-symbolize a.pb.gz | prof-text -q --raw |
	awk '/: 0x.* phase_a / { sub(/:$/, "", $1); print $2; exit }' >address
check 'symbols by POST' 0 \
	'at=$(cat address); body="$at+0x1+$at+nonsense+0xffffffffffffffffff+$at"
	 printf "POST /pprof/symbol HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s" \
		${#body} "$body" | rude $port ask | sed "1,/^.$/d;s/$at/AT/"' <<'END'
num_symbols: 1
AT	phase_a
END
check 'symbols by GET' 0 \
	'at=$(cat address); ./page "/debug/pprof/symbol?$at+0x1" | sed "s/$at/AT/"' \
	<<'END'
num_symbols: 1
AT	phase_a
END

# Clients.
if prof-fetch 127.0.0.1:1 2>&1 | grep -q 'no libcurl'; then
	skip 'prof-fetch' 'without libcurl'
else
	check 'prof-fetch' 0 \
		'prof-fetch --seconds=1 127.0.0.1:$port | ./phases_of; echo' <<'END'
phase_a 
END
	check 'prof-fetch of /pprof/profile' 0 \
		'prof-fetch "127.0.0.1:$port/pprof/profile?seconds=1" | ./phases_of
		 echo' <<'END'
phase_a 
END
fi
if have go; then
	for page in /debug/pprof/profile /pprof/profile; do
		for from in local remote; do
			check "go tool pprof $page, $from symbols" 0 \
				"go tool pprof -symbolize=$from -top -nodecount=99 \
				'http://127.0.0.1:$port$page?seconds=1' 2>/dev/null |
				grep -o 'phase_[ab]\$' | sort -u" <<'END'
phase_a
END
		done
	done
else
	skip 'go tool pprof' 'no go'
fi
if have google-pprof curl; then
	check 'google-pprof' 0 \
		'google-pprof --text --seconds=1 "http://127.0.0.1:$port/pprof/profile" \
			2>/dev/null | grep -o "phase_[ab]$" | sort -u' <<'END'
phase_a
END
else
	skip 'google-pprof' 'not both it and curl are there'
fi

next
check 'a profile is of its own time: phase b' 0 \
	'./page "/debug/pprof/profile?seconds=1" | ./phases_of; echo' <<'END'
phase_b 
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
# One profile is under way all the time; 16 are the most.
check 'who goes away does not keep a place' 0 '
	rude $port gone 40; ./wait_for 1
	./page "/debug/pprof/profile?seconds=1" | ./phases_of; echo' <<'END'
phase_b 
END
check 'there are places for 16' 0 '
	mkfifo wait; for i in $(seq 15); do
		printf "GET /pprof/profile?seconds=3600 HTTP/1.1\r\nHost: localhost\r\n\r\n" |
			rude $port ask >/dev/null &
		pids="$pids $!"
	done
	./wait_for 16
	./status "GET /pprof/profile?seconds=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
	kill $pids; ./wait_for 1' <<'END'
HTTP/1.1 503 Service Unavailable
END

# The end of the program.
stop
wait $long
if [ $status -eq 7 ]; then
	ok 'the exit status is the program'\''s'
else
	{ echo "status $status"; cat err; } >why
	not_ok 'the exit status is the program'\''s' <why
fi
check 'a profile that was under way is there, of both phases' 0 \
	'./phases_of <long.pb.gz; echo' <<'END'
phase_a phase_b 
END
check 'so is that of the whole run, and nothing else was said' 1 \
	'./phases_of <whole.pb.gz; echo; grep -v listening err' <<'END'
phase_a phase_b 
END
check 'it has what is in the others' 0 '
	for f in long.pb.gz whole.pb.gz a.pb.gz; do
		stacks $f | awk "/^[0-9]/ { n += \$1 } END { print n }"
	done | { read -r long; read -r whole; read -r a
		 echo $((long > a)) $((whole >= long)); }' <<'END'
1 1
END

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
check 'CPU time is, too' 0 \
	'./page "/debug/pprof/profile?seconds=1" | ./phases_of; echo' <<'END'
phase_a 
END
# What changes in some seconds: the program does it as soon as that is asked for
# by all. The profiles before and after are taken while it does nothing.
cat >kept <<'END'
#!/bin/sh
for type in alloc_objects inuse_objects; do
	./blocks --sample-index=$type <"$1"
done | sort -k2
END
chmod +x kept
cat >clients <<'END'
#!/bin/sh
./page '/debug/pprof/heap?seconds=3' >d-heap.pb.gz &
./page '/pprof/heap?seconds=3' >d-plain.pb.gz &
./page '/debug/pprof/allocs?seconds=3' >d-allocs.pb.gz &
./page '/pprof/growth?seconds=3' >d-growth.pb.gz &
./page '/debug/pprof/mutex?seconds=3' >d-mutex.pb.gz &
prof-fetch -q --seconds=3 -o d-fetch.pb.gz 127.0.0.1:$port/debug/pprof/heap \
	2>d-fetch.err &
HOME=$PWD go tool pprof -symbolize=none -proto -output=d-go.pb.gz -seconds=3 \
	http://127.0.0.1:$port/debug/pprof/heap >d-go.out 2>&1 &
wait
END
chmod +x clients
n_client=7
lacks 'prof-fetch 127.0.0.1:1' && n_client=$((n_client - 1))
have go || n_client=$((n_client - 1))
./page /debug/pprof/heap >before.pb.gz
./clients 9>&- &
clients=$!
./wait_for $n_client
echo more >&9
read -r phase <&8
wait $clients
./page /debug/pprof/heap >after.pb.gz
check 'the difference that some seconds make: memory' 0 '
	./kept d-heap.pb.gz
	./blocks --unit=B <d-growth.pb.gz | awk "{
		print (\$1 + 0 >= 1.9e6 && \$1 + 0 < 2.5e6), \$2 }"' <<'END'
-30 keep_blocks
50 keep_more
50 keep_more
1 keep_more
END
check 'and waits' 0 'prof-symbolize d-mutex.pb.gz |
	prof-text -q --nodecount=99 --cum --sample-index=contentions \
		--tagfocus=mutex | awk "\$NF ~ /^wait_/ { print \$NF, \$4 }" | sort' \
	<<'END'
wait_again 1
wait_for_main 1
END
check 'it is a profile.proto, whoever asks, of that time' 0 '
	od -An -tx1 -N 2 d-plain.pb.gz; ./kept d-plain.pb.gz
	prof-text -q --raw d-plain.pb.gz |
		awk "/^Duration:/ { print (\$2 + 0 >= 3) }"
	prof-text -q d-allocs.pb.gz | grep ^Type' <<'END'
 1f 8b
-30 keep_blocks
50 keep_more
50 keep_more
1
Type: alloc_space
END
check 'a profile and the difference make the profile after it' 0 '
	prof-merge before.pb.gz d-heap.pb.gz | stacks --all - | grep -v ^# | sort >sum
	stacks --all after.pb.gz | grep -v ^# | sort | cmp - sum && wc -l <sum |
		awk "{ print (\$1 > 2) }"' <<'END'
1
END
if [ -s d-fetch.pb.gz ]; then
	check 'prof-fetch --seconds of it' 0 './kept d-fetch.pb.gz' <<'END'
-30 keep_blocks
50 keep_more
50 keep_more
END
else
	skip 'prof-fetch --seconds of it' "$(cat d-fetch.err)"
fi
if [ -s d-go.pb.gz ]; then
	check 'go tool pprof -seconds of it' 0 './kept d-go.pb.gz' <<'END'
-30 keep_blocks
50 keep_more
50 keep_more
END
else
	skip 'go tool pprof -seconds of it' "$(cat d-go.out)"
fi
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
if have go; then
	for page in heap:keep_blocks mutex:wait_for_main growth:keep_blocks; do
		check "go tool pprof: ${page%:*}" 0 \
			"go tool pprof -top -nodecount=99 -unit=B \
			'http://127.0.0.1:$port/debug/pprof/${page%:*}' 2>/dev/null |
			grep -o '${page#*:}\$'" <<END
${page#*:}
END
	done
fi
if have google-pprof curl; then
	for page in heap:keep_blocks contention:wait_for_main growth:keep_blocks
	do
		check "google-pprof: ${page%:*}" 0 \
			"google-pprof --text \
			'http://127.0.0.1:$port/pprof/${page%:*}' 2>/dev/null |
			grep -o '${page#*:}\$'" <<END
${page#*:}
END
	done
fi
./page '/debug/pprof/heap?seconds=3600' >last.pb.gz 9>&- &
long=$!
./wait_for 1
stop
wait $long
check 'a difference that the end of the program ends: what is left is in use' 1 \
	'prof-symbolize last.pb.gz | prof-text -q --nodecount=99 \
		--sample-index=inuse_objects | grep -c keep_' <<'END'
0
END

# Killed while clients wait.
start
./page '/debug/pprof/profile?seconds=3600' >killed.pb.gz 9>&- &
long=$!
./wait_for 1
# A second in which it certainly runs.
./page '/debug/pprof/profile?seconds=1' >/dev/null
pid=$(./page /pprof/ | sed -n 's/^process \([0-9]*\).*/\1/p')
./works "$pid"
kill -9 "$pid"
stop
wait $long
if [ $status -eq 137 ] && [ "$(./phases_of <killed.pb.gz)" = 'phase_a ' ]; then
	ok 'a program that is killed: its clients have their profile'
else
	{ echo "status $status"; cat err; } >why
	not_ok 'a program that is killed: its clients have their profile' <why
fi
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

# A process that runs already, without a line of our code in it.
if prof-record -q --sampler=perf --kernel=no -o try.pb.gz true 2>log &&
	[ "$(uname -m)" = x86_64 ]; then
	phases <in >out &
	program=$!
	exec 9>in 8<out
	read -r phase <&8
	: >err
	prof-record --kernel=no -F 1000 --listen 0 --pid $program 2>err 9>&- 8<&- &
	record=$!
	until grep -q listening err || ! kill -0 $record; do sleep 0.05; done
	port=$(sed -n 's|.*listening on http://127.0.0.1:\([0-9]*\)/pprof/$|\1|p' err)
	check 'a process that runs: its command line' 0 \
		'./page /pprof/cmdline | sed "s|.*/||"' <<'END'
phases
END
	check 'its profile' 0 \
		'./page "/debug/pprof/profile?seconds=1" >pid.pb.gz; ./phases_of <pid.pb.gz; echo' <<'END'
phase_a 
END
	prof-symbolize pid.pb.gz | prof-text -q --raw |
		awk '/: 0x.* phase_a / { sub(/:$/, "", $1); print $2; exit }' >address
	check 'its symbols' 0 \
		'at=$(cat address); ./page "/pprof/symbol?$at+0x1" | sed "s/$at/AT/"' <<'END'
num_symbols: 1
AT	phase_a
END
	if prof-fetch 127.0.0.1:1 2>&1 | grep -q 'no libcurl'; then
		skip 'prof-fetch HOST:PORT' 'without libcurl'
	else
		check 'prof-fetch HOST:PORT' 0 \
			'prof-fetch --seconds=1 127.0.0.1:$port | ./phases_of; echo' <<'END'
phase_a 
END
	fi
	next
	check 'the next phase' 0 \
		'./page "/debug/pprof/profile?seconds=1" | ./phases_of; echo' <<'END'
phase_b 
END
	exec 9>&- 8<&-
	wait $program
	wait $record
	status=$?
	record=
	check 'it ends with the process' 0 "echo $status" <<'END'
0
END
else
	skip 'a process that runs' "$(head -1 log)"
fi

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
