# run.t - prof-record around a program: its words, status, signals and
# streams, and what is refused before it runs.
. "${srcdir:-.}/tests/lib/tap.sh"

printf "#!/bin/sh\nexit 5\n" >--my_program; chmod +x -- --my_program
check 'the words of the command are its own' 0 \
	'prof-record -q -o x.pb.gz echo --foo_bar -o --x_y=a_b -- --c_d
	 prof-record -q -o x.pb.gz -- echo --foo_bar -- --c_d
	 prof-record -q -o x.pb.gz ./--my_program; echo $?' 2>/dev/null <<'END'
--foo_bar -o --x_y=a_b -- --c_d
--foo_bar -- --c_d
5
END
check 'an underscore in an option is a hyphen, and in its argument is not' 0 \
	'prof-record -q -o --a_b.pb.gz true; ls -- --a*
	 prof-text -q --sample_index samples --max_size 1G --comments ./--a_b.pb.gz | grep -c "^# sampling"
	 prof-text -q --a_b 2>&1
	 prof-text -q -- --a_b.pb.gz --x_y 2>&1 | grep -c x_y' <<'END'
--a_b.pb.gz
1
prof-text: unknown option '--a-b' (see prof-text --help)
1
END

# On a terminal, reports say that to a reader who forgot it; not to one who did not.
if have script; then
	cat >on_terminal <<'EOF'
script -qec "prof-text \"$1\"" /dev/null </dev/null | tr -d "\r" |
	grep "^prof-text: .*names"
EOF
	check 'a report of addresses names prof-symbolize' 0 \
	'printf "0x1234\n0x1240\n0x1250\n" | addrs make 0 0 0 /bin/app >raw.pb
	 echo "[not sampled] 1" | prof-import --type=cpu/nanoseconds | prof-merge raw.pb - >row.pb
	 sh on_terminal raw.pb; sh on_terminal row.pb; sh on_terminal "$data/good-nosyms.pb.gz"' <<'END'
prof-text: no names yet: prof-symbolize FILE | ...
prof-text: no names yet: prof-symbolize FILE | ...
prof-text: 57% of the samples have no names: their files have none, or were not found; see --search-path of prof-symbolize, DEBUGINFOD_URLS, -dbgsym packages
END
else
	skip 'a report of addresses names prof-symbolize' 'no script'
fi

# Status and signals pass through.
check 'the exit status is the program'\''s' 7 \
	'prof-record -q -o x.pb.gz sh -c "exit 7"' </dev/null
# The loader needs no note to be loaded.
if have python3 && printf 'int main(void) { return 7; }' | cc -x c -o odd - 2>/dev/null; then
	python3 - <<'END'
import struct
d = bytearray(open("odd", "rb").read())
at, = struct.unpack_from("<Q", d, 32)
for i in range(struct.unpack_from("<H", d, 56)[0]):
    kind, = struct.unpack_from("<I", d, at + 56 * i)
    align, = struct.unpack_from("<Q", d, at + 56 * i + 48)
    if kind == 4 and align == 4: # PT_NOTE
        struct.pack_into("<QQ", d, at + 56 * i + 16, 0x7000000, 0x7000000)
open("odd", "wb").write(d)
END
	check 'a program whose notes are not in memory' 7 \
		'prof-record -q -o odd.pb.gz ./odd' </dev/null
else
	skip 'a program whose notes are not in memory' 'no python3 or compiler'
fi
check 'a profile is there, whatever the status' 0 \
	'stacks x.pb.gz | grep -o "^# sampling:"' <<'END'
# sampling:
END
# Shells say it, too: to where their standard error goes meanwhile.
check 'a program that is killed: so is prof-record' 137 \
	'{ prof-record -q -o x.pb.gz sh -c "kill -9 \$\$"; } 2>err; status=$?
	 sed "/Killed/d" err >&2; exit $status' </dev/null
cat >ignore.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = SIG_IGN };
	if (strcmp(argv[argc - 1], "ask") == 0 && argc == 2) {
		sigaction(SIGCHLD, NULL, &sa);
		puts(sa.sa_handler == SIG_IGN ? "ignored" : "not ignored");
		return 5;
	}
	sigaction(SIGCHLD, &sa, NULL);
	return execvp(argv[1], argv + 1);
}
END
${CC:-cc} -o ignore ignore.c
check 'who ignores SIGCHLD is not waited for in vain, and goes on to ignore it' 5 \
	'exec ./ignore prof-record -q -o x.pb.gz ./ignore ask' <<'END'
ignored
END
check_err 'a limit on files that is a limit on memory is told' 2 \
	'ulimit -f 1000; prof-record -o x.pb.gz true' 'File too large'
for sampler in preload perf; do
	name="the limits are those of prof-record: $sampler"
	if prof-record -q --sampler=$sampler -o x.pb.gz true 2>why; then
		check "$name" 0 \
			"ulimit -Sn 100; cat /proc/self/limits >limits
			 prof-record -q --sampler=$sampler -o x.pb.gz cat /proc/self/limits |
				diff limits -" </dev/null
	else
		skip "$name" "$(cat why)"
	fi
done
cat >found <<'END'
#!/bin/sh
grep -E '^Sig(Blk|Ign)' /proc/self/status >&3
for fd in 0 1 2; do
	[ ! -e /proc/$$/fd/$fd ] || echo $fd >&3
done
END
cat >blocked <<'END'
#!/usr/bin/perl
use POSIX;
sigprocmask(SIG_BLOCK, undef, $set = POSIX::SigSet->new);
print join(" ", grep { $set->ismember($_) } 1 .. 31), "\n";
END
chmod +x found blocked
# AddressSanitizer has a handler of its own for this one.
bus=,BUS
[ -z "${sanitized:-}" ] || bus=
if env --ignore-signal=PIPE true 2>/dev/null; then
	check 'so are ignored and blocked signals, and closed descriptors' 0 \
		'for closed in "<&-" ">&-" "2>&-"; do
			set -- env --ignore-signal=PIPE'"$bus"',XFSZ,CHLD --block-signal=PROF,USR2
			eval "\"\$@\" ./found 3>want $closed
				\"\$@\" prof-record -q -o x.pb.gz ./found 3>got $closed"
			[ -s want ] && diff want got
		done
		"$@" prof-record -q -o x.pb.gz ./blocked' <<'END'
12 27
END
else
	skip 'so are ignored and blocked signals, and closed descriptors' 'env has no --ignore-signal'
fi
check 'signals that are sent to prof-record reach the program' 3 \
	'prof-record -q -o x.pb.gz sh -c "
		sleep 100 & trap \"kill \$!; exit 3\" TERM
		kill -TERM \$PPID; wait"' </dev/null
check 'the command'\''s options are its own' 0 \
	'prof-record -q -o x.pb.gz echo -o -F 3' <<'END'
-o -F 3
END

# Standard output.
check 'into a pipe: the profile; the program'\''s output goes to stderr' 0 \
	'prof-record -q sh -c "echo hello" 2>err | stacks | sed "/^[0-9]/d; s/:.*//"; cat err' \
	<<'END'
# sampling
hello
END
check 'with -o, standard output is the program'\''s' 0 \
	'prof-record -q -o x.pb.gz echo hello | cat' <<'END'
hello
END
check 'without either, to a file with a name that says what it is' 0 \
	'prof-record echo hello >out 2>err; cat out;
	 sed -n "/profile: /s/[0-9][0-9]*/N/p" err; ls prof.echo.*.pb.gz | sed "s/[0-9][0-9]*/N/"' \
	<<'END'
hello
prof-record: profile: prof.echo.N.pb.gz
prof.echo.N.pb.gz
END
check 'standard input is the program'\''s' 0 \
	'echo hello | prof-record -q -o x.pb.gz cat' <<'END'
hello
END

# What cannot be sampled is refused before it runs.
check_err 'no such command' 2 'prof-record -o y.pb.gz no-such-command' \
	'no-such-command: command not found'
check_err 'not executable' 2 'prof-record -o y.pb.gz /etc/passwd' \
	'/etc/passwd: Permission denied'
check_err 'no command' 2 'prof-record -o y.pb.gz' 'no command to run'
echo 'int main(void) { return 0; }' >static.c
if ${CC:-cc} -static -o static static.c 2>/dev/null; then
	check_err 'a static program' 2 'prof-record --sampler=preload -o y.pb.gz ./static' \
		'./static: statically linked'
else
	skip 'a static program' 'cannot link one'
fi
if have go && echo 'package main
func main() {}' >main.go && CGO_ENABLED=0 go build -o gone main.go; then
	check_err 'a Go program' 2 'prof-record --sampler=preload -o y.pb.gz ./gone' 'prof-fetch'
else
	skip 'a Go program' 'no go'
fi
cp /bin/true foreign
printf '\267\0' | dd of=foreign bs=1 seek=18 conv=notrunc 2>/dev/null
check_err 'a program for another machine' 2 'prof-record --sampler=preload -o y.pb.gz ./foreign' \
	'./foreign: made for another machine than libsample'
cp /bin/true privileged
if [ "$(id -u)" = 0 ] && chown 1 privileged && chmod 4755 privileged; then
	check_err 'a setuid program' 2 'prof-record --sampler=preload -o y.pb.gz ./privileged' \
		'./privileged: set-user-id'
else
	skip 'a setuid program' 'not root'
fi
printf '#!/bin/sh\necho script\n' >script
chmod +x script
check 'a script' 0 'prof-record -q -o x.pb.gz ./script' <<'END'
script
END
check 'no file is left of what failed' 0 'ls y.pb.gz 2>/dev/null || echo none' \
	<<'END'
none
END

check_err 'an unknown signal' 2 'prof-record --signal=NO true' "unknown signal 'NO'"
check_err 'a signal that cannot be' 2 \
	'prof-record --signal=KILL -o x.pb.gz true' 'SIGKILL'

check 'what the program starts does not see us with --children=none' 0 \
	'prof-record -q --children=none -o x.pb.gz sh -c "env | grep -c SAMPLE_; :"' \
	<<'END'
0
END
check_err 'the CPU is not known to libsample' 2 \
	'prof-record --heap --label=cpu -o x.pb.gz true' "libsample's: not with --label=cpu"

plan
