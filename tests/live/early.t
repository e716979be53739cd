# early.t - early calls, or calls at a bad moment, of the functions that
# libsample interposes; see early.c. They must not deadlock, so each has a
# minute.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

compile() {
	# shellcheck disable=SC2086 # CC may be words
	${CC:-cc} -O1 -D_GNU_SOURCE "$@" -pthread -ldl 2>>why
}

# early NAME COMMAND OUTPUT OPTION...: it runs, prints that, and has a tick.
early() {
	early_of=$1
	shift
	live "$early_of" sampled "$@"
}
sampled() {
	run=$1
	want=$2
	shift 2
	# shellcheck disable=SC2086 # words
	timeout -s ABRT 300 prof-record -q -o e.pb.gz "$@" $run >out 2>err || return 2
	cat out err
	[ "$(cat out)" = "$want" ] && [ ! -s err ] || return 2
	stacks e.pb.gz | grep -q '^[1-9]'
}

: >why
program=$src/tests/programs/early.c
if ! compile -DLIBRARY -shared -fPIC -o libearly.so "$program" ||
	! compile -o loads "$program" ||
	! compile -DLINKED -o linked "$program" -L. -learly -Wl,-rpath,"$PWD"
then
	not_ok 'early calls' <why
	plan
	exit
fi

for options in -F1000 '-F1000 --clock=perf' '-F1000 --clock=wall' --heap=1 \
	'--listen 0 --heap=1 --lock=1'; do
	case $options in
	--listen*) lacks 'prof-record --listen 0 true' && continue ;;
	esac
	# shellcheck disable=SC2086 # words
	early "a constructor before ours starts a thread: $options" \
		./linked 'loaded
done' $options
	# shellcheck disable=SC2086
	early "one under the loader's lock does: $options" \
		'./loads ./libearly.so' 'loaded
done' $options
done

name='before libc is initialized: a resolver of an indirect function'
if compile -DRESOLVER -o resolves "$program"; then
	early "$name" ./resolves 'done' -F 1000
else
	skip "$name" 'no indirect functions'
fi

plan
