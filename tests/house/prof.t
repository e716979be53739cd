#!/bin/sh
# prof: runs all commands under one name; prof run.
. "${srcdir:-.}/tests/lib/tap.sh"

prof=$src/cmd/prof
export prof

check 'it is short' 0 '[ "$(wc -l <"$prof")" -le 100 ]' </dev/null
check 'prof text is prof-text' 0 '
	$prof text "$data"/good-tiny.pb.gz >a && prof-text "$data"/good-tiny.pb.gz | cmp - a
	$prof merge <"$data"/good-tiny.pb.gz | $prof text - | cmp - a' </dev/null
check 'arguments and statuses are passed on' 2 \
	'$prof text "no such file" 2>&1' <<'END'
prof-text: no such file: No such file or directory
END

# The list: every command, with what its help says of it.
for c in $commands; do
	printf '%s %s\n' "${c#prof-}" "$($c --help | sed -n 2p)"
done | sort >want
[ -s want ] || not_ok 'there are commands' <want
check 'alone it lists the commands' 0 '
	$prof >list && sed -n "s/^  \([a-z]\)/\1/p" list | tr -s " " |
		grep -v -e "^help " -e "^run " | sort | cmp - want
	head -1 list; $prof --help | cmp - list' <<'END'
Usage: prof COMMAND [ARGUMENT...]
END
mkdir no-man
printf '#!/bin/sh\nexit 16\n' >no-man/man
chmod +x no-man/man
check 'prof help, without a page: --help, or the list' 0 '
	PATH=$PWD/no-man:$PATH; for c in text run help; do $prof help $c | head -1; done' <<'END'
Usage: prof-text [OPTION]... [FILE...]
Usage: prof COMMAND [ARGUMENT...]
Usage: prof COMMAND [ARGUMENT...]
END
check 'a full disk' 2 '$prof 2>&1 >/dev/full' <<'END'
prof: <stdout>: cannot write
END
check 'a message that cannot be written, either' 0 '
	for c in "$prof >/dev/full" "$prof nosuch" "$prof --version >&-" "$prof --version >/dev/full"; do
		sh -c "$c" 2>/dev/full; echo $?
	done' <<'END'
2
2
2
2
END
check 'the version' 0 '$prof --version | grep -c "^prof (profpipe) [0-9]"' <<'END'
1
END
check_err 'no such command' 2 '$prof txt' "no command 'txt'"
check_err 'nor a path' 2 '$prof ../x/prof-text' "no command '../x/prof-text'"
check_err 'no such option' 2 '$prof --txt' "unknown option '--txt'"
check_err 'run: no program' 2 '$prof run' 'no program to run'
check_err 'run: no such option' 2 '$prof run --x true' "unknown option '--x'"
check_err 'run: -F without a number' 2 '$prof run -F' "option '-F' needs an argument"
check_err 'run: no such program' 2 '$prof run no-such-program' 'command not found'

# run: the report, the profile that it is of, the program's own output and status.
if lacks 'prof-symbolize "$data"/good-tiny.pb.gz'; then
	skip_rest 'run: a report' 'this build has no elfutils'
fi
check 'run: options of prof-record, and where its profile goes' 0 '
	$prof run --heap=1 -q -o mine.pb.gz true >/dev/null 2>&1
	prof-text --raw mine.pb.gz | grep -c alloc_space/bytes; $prof run --help | head -1' <<'END'
1
Usage: prof-record [OPTION]... [--] [COMMAND [ARGUMENT...]]
END
check 'run: a report and a file, however options are spelled' 0 '
	for o in "--output z.pb.gz" "-qo z.pb.gz" "--out=z.pb.gz" "--clock wall -o z.pb.gz" \
		"--frequency 1000" "--children separate"; do
		rm -f ./*.pb.gz
		$prof run $o true 2>err | grep -c "^Type: "
		ls ./*.pb.gz | sed "s/[0-9][0-9]*/PID/"
		sed -n "s/.*record: profile: \(.*\)[.][0-9]*.pb.gz/\1/p" err
	done; $prof run -q env | grep -c PROF_REPORT; :' <<'END'
1
./z.pb.gz
1
./z.pb.gz
1
./z.pb.gz
1
./z.pb.gz
1
./prof.true.PID.pb.gz
prof.true
1
./prof.true.PID.pb.gz
prof.true
0
END
check 'run: the status of the program' 7 '$prof run sh -c "exit 7" >out 2>err' </dev/null
check 'run: of one that is killed' 137 \
	'$prof run sh -c "kill -9 \$\$" >out 2>err; exit $?' </dev/null
check 'run: an argument with a space is one' 0 '
	$prof run sh -c "echo \"\$1\"" - "a  b" 2>/dev/null | head -1' <<'END'
a  b
END
plan
