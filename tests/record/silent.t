#!/bin/sh
# silent.t - processes that nobody can look into: whoever looks waits until their file
# system answers, which it never does. The recorder leaves them.
. "${srcdir:-.}/tests/lib/tap.sh"

name='a process that cannot be looked into'
[ "$(id -u)" -eq 0 ] || skip_rest "$name" 'only root mounts a file system of its own'

# ends FOLDER HOW OPTION...: record silent HOW: is it there when the recording ends? What is
# said, and whether its samples are there, in FOLDER/got.
ends() (
	mkdir "$1" && cd "$1" || exit
	mkfifo ready
	silent "$2" 30 >ready 2>no &
	silent=$!
	shift 2
	if ! read -r server <ready; then
		wait $silent
		exit
	fi
	target=--pid=$silent
	[ "$1" != --all ] || target=
	# shellcheck disable=SC2086 # perhaps none
	prof-record $target "$@" --seconds=1 -o out.pb.gz 2>err
	echo "status $?"
	kill -9 "$server" $silent && echo 'ended before it'
	wait $silent 2>/dev/null
	sed -n "s/.*silent\\[$silent\\] \\([^:]*\\):.*/\\1/p" err
	prof-text -q --raw out.pb.gz | grep -q '/silent' && echo seen
) >"$1.got" 2>"$1.why"

cat >want <<'END'
status 0
ended before it
can't be looked into, as its memory or a file system does not answer
seen
END
# verdict FOLDER NAME
verdict() {
	if [ -s "$1/no" ]; then
		skip "$2" "$(head -n 1 "$1/no")"
	elif cmp -s want "$1.got"; then
		ok "the recording of $2 ends"
	else
		{ diff want "$1.got"; cat "$1/err" "$1.why"; } | not_ok "the recording of $2 ends"
	fi
}
# exe_ends: a program that the command starts, looked at by the sampler inside.
exe_ends() (
	mkdir 6 && cd 6 || exit
	mkfifo ready
	head -n 1 ready >server &
	prof-record -q --clock=wall -o out.pb.gz silent exe 15 >ready 2>err # what it has is luck
	echo "status $?"
	wait
	grep 'file system of our own' err >no ||
		{ kill -9 "$(cat server)" && echo 'ended before it'; }
) >6.got 2>6.why

ends 1 stack --offcpu &
ends 2 lock --offcpu &
ends 3 lock &
if [ -z "${sanitized:-}" ]; then
	ends 5 code &
	exe_ends &
fi
wait
ends 4 lock --all
verdict 1 'silent stack --offcpu'
verdict 2 'silent lock --offcpu'
verdict 3 'silent lock'
verdict 4 'silent lock --all'
# Who reads unwind information or headers is left behind, too; sanitizers have nobody for
# that.
if [ -z "${sanitized:-}" ]; then
	grep -v "can't be" want >wanted
	mv wanted want
	grep -q 'file: its unwind information took more than 2 s' 5/err || echo 'not said' >>5.got
	verdict 5 'silent code'

	sed '/^seen$/d' want >wanted
	mv wanted want
	verdict 6 'silent exe'
fi

# For two seconds the recorder waits. Meanwhile it empties the rings, which hold half of
# one: else 45 % are lost, on an idle machine, too.
. "$src/tests/lib/live.sh"
loses_none() {
	rm -rf 7
	sh -c 'while :; do :; done' &
	ends 7 lock --all --stack-size=65528
	kill $!
	[ ! -s 7/no ] || { cat 7/no; return 77; }
	prof-text --comments 7/out.pb.gz |
		sed -n 's/.* ticks=\([0-9]*\) .* lost=\([0-9]*\) .*/\1 \2/p' |
		awk '{ print $2, "of", $1, "are lost"; exit !($1 > 100 && $2 * 4 < $1) }'
}
live 'others lose no samples to that' loses_none
plan
