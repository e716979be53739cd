# interrupt.t - Ctrl-C on a real terminal, in pipelines.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

need_tools 'Ctrl-C' script mkfifo
trap 'rm -rf "$scratch"' EXIT

env --default-signal=INT true 2>/dev/null ||
	skip_rest 'Ctrl-C' 'env has no --default-signal'

# on_terminal COMMAND: with a terminal of its own, whose keys are our stdin. The
# shell in it goes on, as that of a user does. Jobs of a shell ignore SIGINT.
on_terminal() {
	timeout 300 env --default-signal=INT script -qefc "trap : INT; : >armed; $1" /dev/null >terminal 2>&1
}

# await FILE: until it is there, for a minute.
await() {
	for try in $(seq 600); do
		[ ! -e "$1" ] || break
		sleep 0.1
	done
}

# catches NAME SESSION: has a program of that name and session a handler for SIGINT?
catches() {
	grep -lE "^[0-9]+ \($1\) . [0-9]+ [0-9]+ $2 " /proc/[0-9]*/stat 2>/dev/null |
		sed 's/stat$/status/' | xargs -r grep -q '^SigCgt:.*[2367abef]$' 2>/dev/null
}

# press_after FILE: Ctrl-C when the process whose number is in it has worked for a
# tenth of a second (the number is older than its exec), and the readers of its
# profile are ready.
press_after() {
	await "$1"
	for try in $(seq 600); do
		read -r pid <"$1"
		stat=$(sed -n 's/^[0-9]* (demo) //p' "/proc/$pid/stat")
		worked=$(echo "$stat" | cut -d ' ' -f 12)
		session=$(echo "$stat" | cut -d ' ' -f 4)
		[ "${worked:-0}" -lt 10 ] || ! catches prof-merge "$session" ||
			! catches prof-text "$session" || break
		sleep 0.1
	done
	printf '\003'
	await over
}

# press_often: until it is done, but not before the shell has its trap.
press_often() {
	await armed
	for try in $(seq 200); do
		[ ! -e over ] || return
		printf '\003'
		sleep 0.1
	done
}

press_after ready | on_terminal 'prof-record -q -F 1000 -- sh -c \
	"echo \$\$ >.ready; mv .ready ready; exec '"$bin"'/tests/demo 30 1 >/dev/null" |
	prof-merge | prof-text -q >out; echo $? >status; : >over'
if grep -q '^File: demo' out && [ "$(cat status)" = 0 ]; then
	ok 'the readers of prof-record live to see the profile'
else
	cat out status terminal >why
	not_ok 'the readers of prof-record live to see the profile' <why
fi

# press_late: Ctrl-C for a reader that does not run before its writer has ended.
press_late() {
	exec 7<>pipe
	await session
	read -r session <session
	for try in $(seq 600); do
		! catches prof-text "$session" || break
		sleep 0.1
	done
	reader=$(grep -lE "^[0-9]+ \(prof-text\) . [0-9]+ [0-9]+ $session " /proc/[0-9]*/stat 2>/dev/null | tr -dc 0-9)
	kill -STOP "$reader"
	# Of two signals that wait for it, the lower one would come first.
	for try in $(seq 600); do
		! grep -q '^State:.T' "/proc/$reader/status" || break
		sleep 0.1
	done
	printf '\003'
	for try in $(seq 600); do
		! grep -q '^ShdPnd:.*[2367abef]$' "/proc/$reader/status" || break
		sleep 0.1
	done
	cat "$data/good-tiny.pb.gz" >&7
	exec 7>&-
	kill -CONT "$reader"
	await over
}
rm -f over status armed
mkfifo pipe
press_late | on_terminal 'echo $$ >.session; mv .session session
	prof-text -q <pipe >out; echo $? >status; : >over'
if grep -q '^File: ' out && [ "$(cat status)" = 0 ]; then
	ok 'what a writer has written before it ended is read'
else
	cat out status terminal >why
	not_ok 'what a writer has written before it ended is read' <why
fi

# A writer that does not end: the second one ends the reader.
rm -f over status armed
exec 7<>pipe
press_often | on_terminal 'prof-text <pipe; echo $? >status; : >over'
if [ "$(cat status)" = 130 ]; then
	ok 'a second one kills'
else
	cat status terminal >why
	not_ok 'a second one kills' <why
fi
exec 7>&-

# What another process sends is meant for this one.
exec 7<>pipe
env --default-signal=INT prof-text <pipe 7<&- &
reader=$!
for try in $(seq 100); do
	kill -INT $reader 2>/dev/null || break
	sleep 0.1
done
exec 7>&-
wait $reader
status=$?
if [ $status -eq 130 ]; then
	ok 'kill -INT is not outlived'
else
	echo "status $status" >why
	not_ok 'kill -INT is not outlived' <why
fi
plan
