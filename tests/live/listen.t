# listen.t - what is in the profiles that prof-record serves while a program runs. Nothing
# is timed: the program works in phase_a() until it is told to go on to phase_b(), and
# ends when it is told.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"
. "$src/tests/lib/listen.sh"

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

# Three profiles: of phase a, of phase b, and of all of it until the end.
./page '/debug/pprof/profile?seconds=3600' >long.pb.gz 9>&- &
whole=$!
./wait_for 1
check 'a profile is of its own time: phase a' 0 \
	'./page "/debug/pprof/profile?seconds=1" >a.pb.gz; ./phases_of <a.pb.gz; echo' \
	<<'END'
phase_a 
END
# The program may be about to write what one signal stands for, at both ends.
check 'it says how long it took, and what was sampled' 0 \
	'./page "/debug/pprof/profile?seconds=1" >a.pb.gz
	 prof-text -q a.pb.gz | sed -n "s/^Duration: [1-9].*Total samples = .*s .*/ok/p"
	 stacks a.pb.gz | awk "
		/^#/ { for (i = 1; i <= NF; i++) if (split(\$i, kv, \"=\") == 2)
			count[kv[1]] = kv[2] }
		/^[0-9]/ { sum += \$1 }
		END {
			d = sum - count[\"ticks\"]
			room = 2 * count[\"ticks\"] / count[\"signals\"]
			print (d <= room && d >= -room)
		}"' \
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
	'./page "/pprof/profile?seconds=1" "Accept-Encoding: deflate, gzip" >g.pb.gz; od -An -tx1 -N 2 g.pb.gz; ./phases_of <g.pb.gz; echo' <<'END'
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
			# Each page and each source of symbols; the products are for check-long.
			case $page$from in
			/pprof/profilelocal | /debug/pprof/profileremote) [ -n "$long" ] || continue ;;
			esac
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

# One profile is under way all the time; 16 are the most.
check 'who goes away does not keep a place' 0 '
	rude $port gone 40; ./wait_for 1
	./page "/debug/pprof/profile?seconds=1" | ./phases_of; echo' <<'END'
phase_b 
END

# The end of the program.
stop
wait $whole
check 'a profile that was under way is there, of both phases' 0 \
	'./phases_of <long.pb.gz; echo' <<'END'
phase_a phase_b 
END
# A slow machine may miss a hundredth of the time, and say so; and silent.t of another suite
# may run.
check 'so is that of the whole run, and nothing else was said' 1 \
	'./phases_of <whole.pb.gz; echo
	grep -v -e listening -e "of CPU time were sampled" -e "silent\[" err' <<'END'
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
# As profile.proto, as gperftools' text, as text that Go's debug=1 asks for.
cat >blocks <<'END'
#!/bin/sh
prof-symbolize | prof-text -q --nodecount=99 "$@" |
	awk '/keep_|wait_/ { print $1, $NF }'
END
chmod +x blocks
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
go tool pprof -symbolize=none -proto -output=d-go.pb.gz -seconds=3 \
	http://127.0.0.1:$port/debug/pprof/heap >d-go.out 2>&1 &
wait
END
chmod +x clients
n_client=7
lacks 'prof-fetch 127.0.0.1:1' && n_client=$((n_client - 1))
have go || n_client=$((n_client - 1))
# more: what all clients of $n_client got of the time in which the program did it. To do
# it again takes another program.
more() {
	[ "$live_try" -eq 1 ] || { stop; start --heap=1 --lock=1; }
	rm -f d-*
	./page /debug/pprof/heap >before.pb.gz
	./clients 9>&- &
	clients=$!
	./wait_for $n_client
	echo more >&9
	read -r phase <&8
	wait $clients
	./page /debug/pprof/heap >after.pb.gz
	prof-text -q --raw d-plain.pb.gz | awk '/^Duration:/ { print; exit !($2 + 0 >= 3) }' &&
		for f in d-heap d-plain d-allocs; do
			[ "$(./kept $f.pb.gz | grep -c .)" = 3 ] || return 1
		done
}
live 'clients of three seconds, in which the program does more' more
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
if have go; then
	for page in heap:keep_blocks mutex:wait_for_main growth:keep_blocks; do
		check "go tool pprof: ${page%:*}" 0 \
			"go tool pprof -top -nodecount=99 -unit=B \
			'http://127.0.0.1:$port/debug/pprof/${page%:*}' 2>/dev/null |
			grep -o '${page#*:}\$'" <<END
${page#*:}
END
	done
else
	skip 'go tool pprof: memory and locks' 'no go'
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
else
	skip 'google-pprof: memory and locks' 'not both it and curl are there'
fi
./page '/debug/pprof/heap?seconds=3600' >last.pb.gz 9>&- &
whole=$!
./wait_for 1
stop
wait $whole
check 'a difference that the end of the program ends: what is left is in use' 1 \
	'prof-symbolize last.pb.gz | prof-text -q --nodecount=99 \
		--sample-index=inuse_objects | grep -c keep_' <<'END'
0
END

# Killed while clients wait.
start
./page '/debug/pprof/profile?seconds=3600' >killed.pb.gz 9>&- &
whole=$!
./wait_for 1
# A second in which it certainly runs.
./page '/debug/pprof/profile?seconds=1' >/dev/null
pid=$(./page /pprof/ | sed -n 's/^process \([0-9]*\).*/\1/p')
./works "$pid"
kill -9 "$pid"
stop
wait $whole
if [ $status -eq 137 ] && [ "$(./phases_of <killed.pb.gz)" = 'phase_a ' ]; then
	ok 'a program that is killed: its clients have their profile'
else
	{ echo "status $status"; cat err; } >why
	not_ok 'a program that is killed: its clients have their profile' <why
fi
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


# A process of another pid namespace, whose number there no process here has, is alive.
cat >hold.c <<'END'
#include <stdio.h>
#include <stdlib.h>
char *held[100];
int main(void)
{
	for (int i = 0; i < 100; i++)
		held[i] = malloc(10000);
	puts("held");
	fflush(stdout);
	return getchar() != EOF;
}
END
elsewhere() {
	number=30000
	while kill -0 $number 2>/dev/null; do number=$((number + 1)); done
	: >err
	prof-record --heap=1 --listen 0 unshare -pf sh -c "
		echo $((number - 1)) >/proc/sys/kernel/ns_last_pid && ./hold; :" <in >out.held 2>err &
	record=$!
	exec 9>in
	until grep -q listening err && grep -q held out.held; do
		kill -0 $record || return 2
		sleep 0.05
	done
	port=$(sed -n 's|.*listening on http://127.0.0.1:\([0-9]*\)/pprof/$|\1|p' err)
	./page /debug/pprof/heap >held.pb.gz
	exec 9>&-
	wait $record
	record=
	prof-symbolize -q held.pb.gz | prof-text -q --folded --sample-index=inuse_space |
		awk '/;main / { n += $NF } END { print n; exit n != 1000000 }'
}
name='memory of a process in another pid namespace is in use'
if ! unshare -pf sh -c 'echo 30000 >/proc/sys/kernel/ns_last_pid' 2>/dev/null; then
	skip "$name" 'no pid namespaces, or their numbers cannot be chosen'
elif ! ${CC:-cc} -O1 -o hold hold.c 2>why; then
	not_ok "$name" <why
else
	live "$name" elsewhere
fi
plan
