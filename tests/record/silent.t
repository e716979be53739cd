#!/bin/sh
# silent.t - processes that nobody can look into: whoever looks waits until their file
# system answers, which it never does. The recorder leaves them.
. "${srcdir:-.}/tests/lib/tap.sh"

name='a process that cannot be looked into'
[ "$(id -u)" -eq 0 ] || skip_rest "$name" 'only root mounts a file system of its own'

# ends HOW OPTION...: record silent HOW: is it there when the recording ends? What is said,
# and whether its samples are there.
ends() {
	mkfifo ready
	silent "$1" 30 >ready 2>no &
	silent=$!
	shift
	if ! read -r server <ready; then
		wait $silent
		rm ready
		head -n 1 no
		return 0
	fi
	target=--pid=$silent
	[ "$1" != --all ] || target=
	# shellcheck disable=SC2086 # perhaps none
	prof-record $target "$@" --seconds=1 -o out.pb.gz 2>err
	echo "status $?"
	kill -9 "$server" $silent && echo 'ended before it'
	wait $silent 2>/dev/null
	sed -n 's/.*silent\[[0-9]*\] \([^:]*\):.*/\1/p' err
	prof-text -q --raw out.pb.gz | grep -q '/silent' && echo seen
	rm ready
}
cat >want <<'END'
status 0
ended before it
can't be looked into, as its memory or a file system does not answer
seen
END
for row in 'stack --offcpu' 'lock --offcpu' lock 'lock --all'; do
	# shellcheck disable=SC2086 # words
	ends $row >got 2>why
	if grep -q 'file system of our own' got; then
		skip "$row" "$(cat got)"
	elif cmp -s want got; then
		ok "the recording of silent $row ends"
	else
		{ diff want got; cat err why; } | not_ok "the recording of silent $row ends"
	fi
done
plan
