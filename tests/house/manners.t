#!/bin/sh
# The streams of every command: empty and damaged input, a full disk, a reader
# that has gone, closed descriptors, terminals, -o.
. "${srcdir:-.}/tests/lib/tap.sh"

good=$data/good-go-cpu.pb.gz
[ -e "$good" ] || good=$(ls "$data"/good-*.pb.gz | head -1)
cp "$good" good.pb.gz
printf '' >empty
head -c 100 good.pb.gz >cut.pb.gz

# on_terminal COMMAND: run it with a terminal as standard input and output.
on_terminal() {
	script -qec "$1" /dev/null </dev/null
}

# What a command needs besides one profile on standard input.
for c in $commands; do
	case $c in
	prof-record | prof-diff | prof-gate | prof-history | prof-shell | prof-thin) continue ;; # not filters of one
	prof-fetch) run="$c -" ;;
	prof-export) run="$c --to folded" ;;
	prof-list) run='prof-list -q --list=.' ;;
	*) run=$c ;;
	esac
	named=$c # takes files
	case $c in prof-list | prof-export) named=$run ;; esac
	case $c in
	prof-text | prof-list | prof-dot | prof-flame | prof-html | prof-export) kind=text ;;
	*) kind=stream ;;
	esac

	if lacks "$named $good"; then
		skip "$c" "$($named "$good" 2>&1)"
		continue
	fi
	check_err "$c: empty input" 2 "$run <empty" 'empty input'
	check_err "$c: truncated input" 2 "$run <cut.pb.gz" \
		"$c: <stdin>: truncated gzip stream"
	check_err "$c: no such file" 2 "$named ./none" './none: No such file'
	check_err "$c: a folder" 2 "$named ." '.: Is a directory'
	check_err "$c: full disk" 2 "$run <good.pb.gz >/dev/full" \
		'No space left on device'
	check_err "$c: full disk behind -o" 2 \
		"$run -o /dev/full <good.pb.gz" 'No space left on device'
	check "$c: a file at its largest size" 0 \
		"(ulimit -f 0; $run <good.pb.gz >limited; echo \$? >&2) 2>&1 |
			sed 's/: .*: /: /'" <<END
$c: File too large
2
END
	check_err "$c: closed stdout" 2 "$run <good.pb.gz >&-" \
		'Bad file descriptor'
	check_err "$c: closed stdin" 2 "$run <&-" 'Bad file descriptor'
	check_err "$c: -o into no folder" 2 \
		"$run -o none/x <good.pb.gz" 'none/x: No such file'
	check_err "$c: size cap" 2 "$run --max-size=1K <good.pb.gz" \
		'the limit of 1024 bytes'

	# A reader that went away: no message.
	sh -c "$run <good.pb.gz 2>.err | true"
	if [ ! -s .err ]; then
		ok "$c: closed pipe is silent"
	else
		not_ok "$c: closed pipe is silent" <.err
	fi

	# Whole or not at all.
	echo old >out
	sh -c "$run -o out <cut.pb.gz" 2>/dev/null
	if [ "$(cat out)" = old ]; then
		ok "$c: a failure leaves the file of -o alone"
	else
		echo "it changed" |
			not_ok "$c: a failure leaves the file of -o alone"
	fi
	sh -c "$run -o out <good.pb.gz" 2>.err
	sh -c "$run <good.pb.gz >direct" 2>.err
	if cmp -s out direct && [ -s out ]; then
		ok "$c: -o writes what standard output gets"
	else
		cmp out direct 2>&1 |
			not_ok "$c: -o writes what standard output gets"
	fi
	rm -f out
	leftover=$(find . -name '.out.*')
	[ -z "$leftover" ] && ok "$c: no temporary is left" ||
		echo "$leftover" | not_ok "$c: no temporary is left"

	# Byte by byte.
	(dd bs=1 count=3 2>/dev/null; sleep 0.1; cat) <good.pb.gz |
		sh -c "$run" >dribble 2>.err
	sh -c "$run <good.pb.gz | cat" >piped 2>.err
	sh -c "cat good.pb.gz | $run | cat" >piped2 2>.err
	if cmp -s piped piped2 && cmp -s direct dribble; then
		ok "$c: reads a pipe as a file"
	else
		echo "they differ" | not_ok "$c: reads a pipe as a file"
	fi
	# As from <(COMMAND): opened twice, it would lose its first bytes.
	cat good.pb.gz | sh -c "$named /dev/stdin | cat" >named 2>.err
	cmp piped named >.why 2>&1 && ok "$c: reads a pipe that has a name" ||
		cat .err .why | not_ok "$c: reads a pipe that has a name"
	check_err "$c: standard input, twice" 2 "$named - - <good.pb.gz" \
		'standard input can be read only once'

	if have script; then
		on_terminal "$named" >.out 2>&1
		if grep -q 'not read from a terminal\|not written to a terminal\|no source' .out; then
			ok "$c: does not read a terminal"
		else
			not_ok "$c: does not read a terminal" <.out
		fi
		if [ $kind = stream ]; then
			on_terminal "$run <good.pb.gz" >.out 2>&1
			if grep -q 'not written to a terminal' .out; then
				ok "$c: does not write a profile to a terminal"
			else
				head -c 300 .out | tr -cd '[:print:]\n' |
					not_ok "$c: does not write a profile to a terminal"
			fi
		fi
	else
		skip "$c: terminals" 'no script(1)'
	fi
done
# --- -o onto what is there

printf '# cpu nanoseconds\nmain 1\n' | mkprof >small.pb
check '-o keeps the mode of the file' 0 'echo x >f; chmod 640 f
	prof-text -o f small.pb; stat -c %a f; grep -c main f' <<'END'
640
1
END
check '-o makes what a dangling link names' 0 'mkdir -p d; ln -s ../there d/link
	prof-text -o d/link small.pb; test -L d/link; grep -c main there' <<'END'
1
END
check '-o of a descriptor writes to it as it is open' 0 '
	for o in /dev/stdout /dev/fd/3 /proc/self/fd/3; do
		{ echo before; prof-text -o $o small.pb 3>&1; echo after; } >f
		sed -n "1p; \$p" f; grep -c main f
	done
	prof-text -o /dev/stdout small.pb >>f; grep -c main f' <<'END'
before
after
1
before
after
1
before
after
1
2
END
row='-o follows no link of another user where all may write, nor is his file kept'
if [ "$(id -u)" -eq 0 ] && have setpriv; then
	# by USER COMMAND
	by() {
		setpriv --reuid="$1" --clear-groups sh -c "$2"
	}
	chmod 755 .
	mkdir -m 1777 tmp
	echo precious >precious
	by 65534 "ln -s ../precious tmp/a; ln -s ../new tmp/b; echo x >tmp/c; mkfifo tmp/d"
	ln -s a tmp/e
	check "$row" 0 '
		for f in a b c d e; do
			timeout 9 prof-text -o tmp/$f small.pb 2>&1 | sed "s/.*: \(it [^,]*\),.*/\1/"
		done
		cat precious tmp/c
		ls new 2>&1 | wc -l; ln -s ../ours tmp/f; prof-text -o tmp/f small.pb; grep -c main ours' <<'END'
it belongs to another user
it belongs to another user
it belongs to another user
it belongs to another user
it belongs to another user
precious
x
1
1
END
else
	skip "$row" 'only root has other users'
fi
check '-o of the longest name' 0 '
	f=$(head -c 255 /dev/zero | tr "\0" x)
	prof-text -o $f small.pb; prof-text -o $f small.pb; grep -c main $f' <<'END'
1
END
ln -s loop2 loop1
ln -s loop1 loop2
check_err '-o of a loop of links' 2 'prof-text -o loop1 small.pb' 'Too many levels'
check_err '-o of no name' 2 'prof-text -o "" small.pb' 'the name is empty'
if [ "$(id -u)" -ne 0 ]; then
	check_err '-o of a read-only file' 2 'echo x >ro; chmod 400 ro
		prof-text -o ro small.pb' 'Permission denied'
else
	skip '-o of a read-only file' 'root may write to it'
fi

plan
