# record.t - prof-record and libsample on real programs. Nothing here is timed:
# work is counted in CPU time, and waits end by events.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/named.sh"

demo=$bin/tests/demo
export demo

# Shares of encode, walk and checksum in percent of all ticks, by the leaf of
# each stack and the symbol table of the program; ticks; signals.
shares() {
	named "$demo" "$1" | awk '
		/^#/ { sub(/.* signals=/, ""); signals = $1; next }
		{
			total += $1
			ticks[$2] += $1
		}
		END {
			print 100 * ticks["encode"] / total, \
			      100 * ticks["walk"] / total, \
			      100 * ticks["checksum"] / total, total, signals
		}'
}

# Within five standard deviations: one run in a million is further off. It is
# the signals that count, not the ticks: those of one signal are not
# independent.
within() {
	echo "$1" | awk '
		function off(got, want) {
			got -= want
			return got * got > 25 * want * (100 - want) / $5
		}
		{ exit $5 < 100 || off($1, 60) || off($2, 30) || off($3, 10) }'
}

# A host that takes the processor away for moments gives few ticks, in places of
# its own: up to three tries.
for try in 1 2 3; do
	prof-record -q -F 1000 -o demo.pb.gz -- "$demo" 0.5 4 >out 2>err
	status=$?
	got=$(shares demo.pb.gz)
	[ $status -eq 0 ] && ! within "$got" || break
done
if [ $status -eq 0 ] && within "$got"; then
	ok 'the shares of demo are the known ones'
else
	{ echo "shares: $got"; cat err; } >why
	not_ok 'the shares of demo are the known ones' <why
fi

# 4 threads of 0.5 s at 1000 Hz, and overruns count; the end of a thread's
# last period is lost on average. A round may last longer on a busy host, so the
# kernel's own count is the upper limit.
ticks=$(echo "$got" | cut -d ' ' -f 4)
used=$(prof-text -q --comments demo.pb.gz |
	sed -n 's/.*cpu_used=\([0-9.]*\).*/\1/p' | awk '{ printf "%d", $1 * 1050 }')
if [ "$ticks" -ge 1900 ] && [ "$ticks" -le "$used" ]; then
	ok 'ticks are CPU time, whatever the rate that the kernel achieves'
else
	echo "$ticks ticks, expected 2000, at most $used" >why
	not_ok 'ticks are CPU time, whatever the rate that the kernel achieves' \
		<why
fi

check 'the column samples has the signals, the time the ticks' 0 \
	'stacks --all demo.pb.gz | awk "
		/^# sampling/ {
			for (i = 3; i <= NF; i++)
				if (split(\$i, kv, \"=\") == 2)
					count[kv[1]] = kv[2]
		}
		/^[0-9]/ { signals += \$1; ns += \$2 }
		END {
			print count[\"lost\"], signals == count[\"signals\"],
				ns == count[\"ticks\"] * 1000000
		}"' <<'END'
0 1 1
END

# By the function of the leaf, the number of frames of demo is known: work,
# request, and what they call. No frame is missing, none invented, in any stack.
if named "$demo" demo.pb.gz | awk '
	/^#/ { next }
	{
		f = $2
		depth = 0
		for (k = 2; k <= NF; k++)
			depth += $k != "?"
		lo = f == "work" ? 1 : f == "request" ? 2 : 3
		hi = f == "walk" ? 7 : lo
		if (f ~ /^(work|request|encode|walk|checksum)$/) {
			seen++
			if (depth < lo || depth > hi) {
				bad++
				print
			}
		}
	}
	END { exit bad > 0 || !seen }' >bad; then
	ok 'stacks reach from the leaf to the start of the thread'
else
	not_ok 'stacks reach from the leaf to the start of the thread' <bad
fi

stacks demo.pb.gz | sed -n 's/ achieved.* lost/ lost/;s/ cpu_used=.*//;/sampling/p' >got
echo '# sampling: clock=cpu asked_hz=1000 lost=0 truncated=0 unwind_failed=0 untimed_threads=0 sampler=libsample' >want
if cmp -s want got; then
	ok 'the profile says how it was sampled'
else
	diff want got >why
	not_ok 'the profile says how it was sampled' <why
fi

# Readers call a profile by its first mapping.
check 'the first mapping is the program, though a shell starts it' 0 \
	'prof-record -q -o x.pb.gz sh -c "\"\$demo\" 0.3 1 >/dev/null; :"
	 prof-text -q x.pb.gz | grep "^File:"' <<'END'
File: demo
END

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
	 prof-text -q --sample_index samples --max_size 1G ./--a_b.pb.gz | head -1
	 prof-text -q --a_b 2>&1
	 prof-text -q -- --a_b.pb.gz --x_y 2>&1 | grep -c x_y' <<'END'
--a_b.pb.gz
File: true
prof-text: unknown option '--a-b' (see prof-text --help)
1
END

# What was not sampled is said, with its reason.
check_err 'a cleared environment' 0 \
	'prof-record -o x.pb.gz sh -c "env -i \"\$demo\" 0.5 1 >/dev/null; :"' \
	'ran without the sampler (0.'
check_err '... is named' 0 \
	'prof-record -o x.pb.gz sh -c "env -i \"\$demo\" 0.5 1 >/dev/null; :"' \
	'its environment was cleared, as by env -i or sudo'
check_err 'another LD_PRELOAD' 0 \
	'prof-record -o x.pb.gz sh -c \
		"LD_PRELOAD= \"\$demo\" 0.5 1 >/dev/null; :"' 'LD_PRELOAD was changed'
cat >burn.c <<'END'
int main(void) { for (volatile unsigned long n = 0; n < 600000000; n++) ; }
END
if ${CC:-cc} -static -o burn burn.c 2>/dev/null; then
	check_err 'a static child' 0 \
		'prof-record -o x.pb.gz sh -c "./burn; :"' \
		'it is statically linked'
else
	skip 'a static child' 'no static libc'
fi
if unshare -Ur true 2>/dev/null; then
	check_err 'another user namespace' 0 \
		'prof-record -o x.pb.gz sh -c "unshare -Ur \"\$demo\" 0.5 1 >/dev/null; :"' \
		'it runs in another user namespace'
else
	skip 'another user namespace' 'no right to make one'
fi
if unshare -pf --mount-proc true 2>/dev/null; then
	check_err 'another /proc: libsample is loaded, but not its memory' 0 \
		'prof-record -o x.pb.gz sh -c "unshare -pf --mount-proc \"\$demo\" 0.5 1 >/dev/null; :"' \
		'it runs in a container or another mount namespace'
else
	skip 'another /proc' 'no right to make one'
fi
if [ -n "${sanitized:-}" ]; then
	skip 'a program with little memory' 'a sanitizer build'
else
	check_err 'a program with little memory' 0 \
		'prof-record -o x.pb.gz sh -c "ulimit -v 40000; \"\$demo\" 0.5 1 >/dev/null; :"' \
		'libsample got no memory in it: see ulimit -v'
fi
cat >raw.c <<'END'
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	for (volatile unsigned long n = pid ? 0 : 1000000000; n; n--) ;
	return pid ? wait(0) != pid : 0;
}
END
${CC:-cc} -o raw raw.c
check_err 'a process that libc did not make' 0 'prof-record -o x.pb.gz ./raw' \
	"it was made by a system call of the program, not by libc's fork()"
check_err '... also by the wall clock' 0 'prof-record --clock=wall -o x.pb.gz ./raw' \
	"it was made by a system call of the program, not by libc's fork()"
check_err 'other kinds of profiles name processes, too' 0 \
	'prof-record --lock -o x.pb.gz sh -c "env -i \"\$demo\" 0.5 1 >/dev/null; :"' \
	'its environment was cleared, as by env -i or sudo'
check_err '... of real time also those that wait' 0 \
	'prof-record --clock=wall -o x.pb.gz sh -c "env -i sleep 1; :"' \
	'its environment was cleared, as by env -i or sudo'
cat >slow.c <<'END'
#include <time.h>
__attribute__((constructor)) static void slow(void) { while (clock() < CLOCKS_PER_SEC * 2 / 5) ; }
END
echo 'int main(void) { return 0; }' >quick.c
${CC:-cc} -shared -fPIC -o libslow.so slow.c &&
	${CC:-cc} -o quick quick.c -Wl,--no-as-needed "$PWD/libslow.so"
check_err 'a program whose libraries take long to load' 0 \
	'prof-record -o x.pb.gz ./quick' 'programs start before the sampler does'
if [ "$(id -u)" -eq 0 ]; then
	check_err 'another user, the same program' 0 \
		'prof-record -o x.pb.gz perl -MPOSIX -e "
			\$i++ while times() < 0.4; setgid(65534); setuid(65534);
			exec \$^X, q(-e), q(\$i++ while times() < 0.9)"' \
		'it runs as another user, who may not open the memory of prof-record'
else
	skip 'another user' 'needs root'
fi
check 'it is in the comment, too' 0 \
	'prof-record -q -o x.pb.gz sh -c "env -i \"\$demo\" 0.5 1 >/dev/null; :"
	 stacks x.pb.gz | sed -n "s/.* cpu_used=\([0-9.]*\) missed=\([0-9]*\)\$/\1 \2/p" |
		awk "{ print (\$1 > 0.45), (\$2 > 40) }"' <<'END'
1 1
END
mkfifo end
check_err 'a program that puts itself into the background' 0 \
	'prof-record -o x.pb.gz sh -c "read -r x <end >/dev/null 2>&1 &"; echo >end' \
	'left 1 process behind, not recorded from here on: see --wait'
cat >title.c <<'END'
#include <stdio.h>
#include <string.h>
#include <unistd.h>
extern char **environ;
int main(void)
{
	for (char **e = environ; *e; e++) memset(*e, 0, strlen(*e));
	if (fork() == 0) return fgetc(fopen("end", "r")) == EOF;
	return 0;
}
END
${CC:-cc} -o title title.c
check_err '... and writes over its environment, as for a title' 0 \
	'prof-record -o x.pb.gz ./title; echo >end' \
	'left 1 process behind, not recorded from here on: see --wait'

# On a terminal there is a summary. A busy machine may also take ticks away.
if have script; then
	check 'a summary, and the next command' 0 \
	'script -qec "prof-record -F 10000 -o x.pb.gz \"$demo\" 0.3 1" /dev/null </dev/null |
		tr -d "\r" | sed -n "/timers miss time on a busy machine/d;/^prof-record/{s/[0-9.]* s of CPU/N s of CPU/;s/: [0-9]* samples/: N samples/;s/at [0-9]* Hz/at N Hz/;p;}"' <<'END'
prof-record: 10000 Hz is above this kernel's tick: samples come at N Hz, each with the weight of several; --clock=perf keeps to the rate
prof-record: N samples, N s of CPU time at N Hz, 0 lost, 1 process
prof-record: next: prof-symbolize x.pb.gz | prof-text
END
else
	skip 'a summary, and the next command' 'no script'
fi

# Reports say that to a reader who forgot it.
if have script; then
	check 'a report of addresses names prof-symbolize' 0 \
	'script -qec "prof-text x.pb.gz" /dev/null </dev/null | tr -d "\r" |
		sed -n "s/^prof-text: .*have no names/no names/p"' <<'END'
no names: run prof-symbolize
END
fi

# A libc that lacks some functions of glibc: its loader ends a program for each.
cat >other.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void *work(void *arg) { for (volatile unsigned long n = 150000000; n; n--) ; return arg; }
int main(void)
{
	pthread_t t;
	char *p = malloc(4 << 20);
	memset(p, 1, 4 << 20);
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	if (fork() == 0) {
		work(p);
		_exit(p[1] - 1);
	}
	wait(NULL);
	puts("done");
	return 3;
}
END
name='a program with another libc, musl'
if [ -n "${sanitized:-}" ]; then
	skip "$name" 'a sanitizer build'
elif have musl-gcc && musl-gcc -O1 -pthread -o other other.c 2>log; then
	check "$name" 0 '
		for how in "-F 1000" "-F 1000 --clock=wall" --lock --heap=64K; do
			prof-record -q $how -o x.pb.gz ./other
			echo $? $(prof-text -q --sample-index=0 x.pb.gz |
				awk "/accounting/ && \$6 + 0 > 0 { print \"sampled\" }")
		done
		prof-record -q -F 1000 -o x.pb.gz ./other
		stacks x.pb.gz | sed -n "s/.* process=\([a-z]*\).*/\1/p" | sort -u' <<'END'
done
3 sampled
done
3 sampled
done
3
done
3 sampled
done
other
END
else
	skip "$name" 'no musl-gcc'
fi

# Code that a runtime makes, and that no file has. The runtime is one by name.
cat >made.c <<'END'
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* subq $1, %rdi; jnz back; ret */
static const unsigned char loop[] = { 0x48, 0x83, 0xef, 0x01, 0x75, 0xfa, 0xc3 };

int main(void)
{
#ifdef IN_FILE
	int fd = memfd_create("vmem", 0);
	char *p = mmap(0, 4096 + 0 * ftruncate(fd, 4096),
		       PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, fd, 0);
#else
	char *p = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#endif
	memcpy(p, loop, sizeof loop);
	((void (*)(unsigned long))p)(400000000);
	return 0;
}
END
name='the switch that gives names to what a runtime makes'
if [ "$(uname -m)" = x86_64 ] && ${CC:-cc} -o node made.c 2>/dev/null; then
	check_err "$name" 0 'prof-record -o x.pb.gz ./node' \
		'that node made while it ran: for names, run it with --perf-basic-prof'
	${CC:-cc} -D_GNU_SOURCE -DIN_FILE -o beam.smp made.c
	check_err '... into a memory file' 0 'prof-record -o x.pb.gz ./beam.smp' \
		'that erlang made while it ran: for names, run it with +JPperf true'
else
	skip "$name" 'on x86_64 only'
fi
if have go && go version >/dev/null 2>&1 && cat >cgo.go <<'END' &&
package main

// #include <math.h>
// #cgo LDFLAGS: -lm
import "C"
import "fmt"

func main() {
	s := 0.0
	for i := 0; i < 300000000; i++ {
		s += float64(i % 7)
	}
	fmt.Println(s, C.sqrt(2))
}
END
	HOME=$PWD CGO_ENABLED=1 go build -o cgo cgo.go 2>log; then
	check_err 'a Go program with libc is sampled from outside' 0 \
		'prof-record -o x.pb.gz ./cgo' \
		'./cgo: a Go program with libc, whose runtime keeps libsample'
	check 'its function has nearly all samples' 0 \
		"prof-symbolize x.pb.gz | prof-text --cum | awk '\$NF == \"main.main\" { print \$5 + 0 > 80 }'" <<'END'
1
END
	check_err 'it cannot be sampled from inside' 2 \
		'prof-record --sampler=preload -o x.pb.gz ./cgo' 'a Go program with libc'
else
	skip 'a Go program with libc' 'no go, or no cgo'
fi

# Code that no loader mapped.
cat >again.c <<'END'
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* subq $1, %rdi; jnz back; ret */
static const unsigned char loop[] = { 0x48, 0x83, 0xef, 0x01, 0x75, 0xfa, 0xc3 };

int main(void)
{
	int fd = memfd_create("unpacked", 0);
	void (*run)(unsigned long);
	void *at;

	if (write(fd, loop, sizeof loop) != sizeof loop)
		return 1;
	at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	memcpy(&run, &at, sizeof run);
	for (int i = 0; i < 20; i++)
		run(100000000);
}
END
if [ "$(uname -m)" = x86_64 ] && ${CC:-cc} -o again again.c 2>/dev/null; then
	check 'code in a memfd has a mapping' 0 \
	'prof-record -q -F 1000 -o x.pb.gz ./again
	 prof-text -q x.pb.gz | awk "\$NF ~ /unpacked/ || /unpacked/ { print (\$2 + 0 > 50) }"' \
	<<'END'
1
END
else
	skip 'code in a memfd has a mapping' 'no compiler for it'
fi
ln -s "$demo" by-link
if ! lacks 'prof-symbolize "$data"/good-tiny.pb.gz'; then
	check 'a program that is run by a link has the name of the link' 0 \
	'prof-record -q -o x.pb.gz ./by-link 0.5 1 >/dev/null
	 prof-text -q x.pb.gz | head -1
	 prof-symbolize x.pb.gz 2>/dev/null | prof-text -q | grep -c encode' <<'END'
File: by-link
1
END
else
	skip 'a program that is run by a link has the name of the link' 'this build has no elfutils'
fi
check '--children=separate: the first process has a file, though it only waits' 0 \
	'prof-record -q --children=separate -o "sep.{}.pb.gz" \
		sh -c "echo \$\$ >first; \"\$demo\" 0.3 1 >/dev/null; :"
	 ls sep.*.pb.gz | wc -l; ls sep.$(cat first).pb.gz >/dev/null && echo first' <<'END'
2
first
END

# Status and signals pass through.
check 'the exit status is the program'\''s' 7 \
	'prof-record -o x.pb.gz sh -c "exit 7"' </dev/null
check 'a profile is there, whatever the status' 0 \
	'stacks x.pb.gz | grep -o "^# sampling:"' <<'END'
# sampling:
END
check 'a program that is killed: so is prof-record' 137 \
	'exec prof-record -o x.pb.gz sh -c "kill -9 \$\$"' </dev/null
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
# Is SIGPROF, 27, in the mask of ignored signals?
cat >ignored <<'END'
#!/bin/sh
echo $((0x$(sed -n 's/^SigIgn:[^0-9a-f]*//p' /proc/self/status) >> 26 & 1))
END
chmod +x ignored
check 'who ignores SIGPROF goes on to, and so do programs that it executes' 0 \
	'trap "" PROF
	 for clock in cpu wall perf; do
		prof-record -q --clock=$clock -o x.pb.gz sh -c "./ignored; :"
	 done
	 prof-record -q -o x.pb.gz perl -e "\$i++ while times() < 0.2" &&
		stacks x.pb.gz | awk "/perl/ { n += \$1 } END { print (n > 5) }"' <<'END'
1
1
1
1
END
check 'who begins to ignore it hands that on, and is sampled' 0 \
	'trap - PROF; prof-record -q -o x.pb.gz perl -e "
		\$SIG{PROF} = q(IGNORE); system(q(./ignored));
		\$i++ while times() < 0.2; print \$SIG{PROF}, qq(\n)" &&
		stacks x.pb.gz | awk "/perl/ { n += \$1 } END { print (n > 5) }"' <<'END'
1
IGNORE
1
END
check_err 'a limit on files that is a limit on memory is told' 2 \
	'ulimit -f 1000; prof-record -o x.pb.gz true' 'File too large'
check 'signals that are sent to prof-record reach the program' 3 \
	'prof-record -o x.pb.gz sh -c "
		sleep 100 & trap \"kill \$!; exit 3\" TERM
		kill -TERM \$PPID; wait"' </dev/null
check 'the command'\''s options are its own' 0 \
	'prof-record -o x.pb.gz echo -o -F 3' <<'END'
-o -F 3
END

# Killed in the middle of its work: what was sampled is there. The program
# says so itself when it has used enough CPU time to have ticks.
prof-record -q -o killed.pb.gz sh -c '"$demo" 1 1 >/dev/null; exec perl -e "
	\$i++ while times() < 0.3; kill 9, \$\$"' 2>/dev/null
status=$?
if [ $status -eq 137 ] &&
	stacks killed.pb.gz | awk '/perl/ { n += $1 } END { exit !(n >= 10) }'
then
	ok 'kill -9 loses nothing that was sampled'
else
	{ echo "status $status"; stacks killed.pb.gz | head -3; } >why
	not_ok 'kill -9 loses nothing that was sampled' <why
fi

# Standard output. -q where its start may take so long under a sanitizer that it
# is said not to be sampled.
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
	 sed "/sampled/d; s/[0-9][0-9]*/N/" err; ls prof.echo.*.pb.gz | sed "s/[0-9][0-9]*/N/"' \
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
func main() {}' >main.go && HOME=$PWD CGO_ENABLED=0 go build -o gone main.go; then
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
check 'a script' 0 'prof-record -o x.pb.gz ./script' <<'END'
script
END
check 'no file is left of what failed' 0 'ls y.pb.gz 2>/dev/null || echo none' \
	<<'END'
none
END

# The wall clock: who waits is seen where it waits, and is not woken up for it.
check 'a sleeping program is in the profile with --clock=wall' 0 \
	'prof-record --clock=wall -F 1000 -o x.pb.gz sleep 0.3
	 stacks x.pb.gz | awk "!/^#/ { n += \$1 } END { print (n >= 200) }"' <<'END'
1
END
check 'it is not with --clock=cpu' 0 \
	'prof-record --clock=cpu -F 1000 -o x.pb.gz sleep 0.3
	 stacks x.pb.gz | awk "!/^#/ { n += \$1 } END { print (n < 100) }"' <<'END'
1
END
check 'another signal' 0 \
	'prof-record -q -F 1000 --signal=SIGUSR2 -o x.pb.gz perl -e "
		\$SIG{PROF} = sub { \$n++ };
		\$i++ while times() < 0.5; kill PROF, \$\$; print qq(\$n\n)";
	 stacks x.pb.gz | grep -q perl && echo sampled' <<'END'
1
sampled
END
check_err 'an unknown signal' 2 'prof-record --signal=NO true' "unknown signal 'NO'"
check_err 'a signal that cannot be' 2 \
	'prof-record --signal=KILL -o x.pb.gz true' 'SIGKILL'

# Children.
family='perl -e "
	if (\$pid = fork) { waitpid \$pid, 0 }
	\$i++ while times() < 0.2"'
check 'a forked child is in the profile, with its number' 0 \
	"prof-record -q -o x.pb.gz $family;
	 stacks x.pb.gz | grep -o 'pid=[0-9]*' | sort -u | wc -l" <<'END'
2
END
check '--children=none: it is not' 0 \
	"prof-record -q --children=none -o x.pb.gz $family;
	 stacks x.pb.gz | grep -c 'pid=[0-9]*'; :" <<'END'
0
END
check 'what the program starts does not see us with --children=none' 0 \
	'prof-record --children=none -o x.pb.gz sh -c "env | grep -c SAMPLE_; :"' \
	<<'END'
0
END
check 'nor if the program is a shell with an unsetenv() of its own' 0 \
	'prof-record -q --children=none -o x.pb.gz \
		bash -c "perl -e \"\\\$i++ while times() < 0.2\"
			for i in {1..200000}; do :; done"
	 stacks x.pb.gz | grep -c perl; prof-text x.pb.gz | head -1' <<'END'
0
File: bash
END
# The CPU time of the first process is its own: without its children.
check '--children=none says what was not sampled' 0 \
	'prof-record --children=none -o x.pb.gz sh -c "
		exec perl -e \"\\\$i++ while times() < 0.5\"" 2>&1 |
		sed "s/[0-9][0-9.]*/N/g"
	 prof-record -q --children=none -o x.pb.gz perl -e "
		if (!fork) { \$i++ while times() < 0.5; exit } wait;
		\$i++ while times() < 0.2;
		my (\$user, \$system) = times(); print \$user + \$system" >used
	 stacks x.pb.gz | sed -n "s/.* cpu_used=\([0-9.]*\) .*/\1/p" |
		awk "{ getline used <\"used\"; print (\$1 - used)^2 < 0.01 }"' <<'END'
prof-record: /usr/bin/sh: N of N s of CPU time were sampled (N %): perl[N] ran without the sampler (N s of CPU time or more): the first program executed it, and --children=none samples no other
1
END
check 'a program that resets signals does not die of them' 0 \
	'prof-record -q -F 1000 -o x.pb.gz perl -e "
		\$SIG{PROF} = q(DEFAULT); \$SIG{PROF} = q(IGNORE);
		\$SIG{PROF} = q(DEFAULT);
		\$i++ while times() < 0.1; print qq(alive\n)"' <<'END'
alive
END
check 'a program that handles SIGPROF itself gets its own only' 0 \
	'prof-record -F 1000 -o x.pb.gz perl -e "
		\$SIG{PROF} = sub { \$n++ };
		\$i++ while times() < 0.5; kill PROF, \$\$; print qq(\$n\n)" 2>err;
	 sed "/timers miss time on a busy machine/d; s/[0-9][0-9]*/N/g" err;
	 stacks x.pb.gz | grep -q perl && echo sampled' <<'END'
1
prof-record: perl[N] handles signal N itself: sampling by signal N
sampled
END

# A library that libc loads for itself, not by dlopen().
cat >convert.c <<'END'
#include <iconv.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

static void *
work(void *arg)
{
	char in[4096], out[8192];
	struct timespec t;

	memset(in, 'a', sizeof in);
	do {
		char *from = in, *to = out;
		size_t n = sizeof in, room = sizeof out;

		iconv(arg, &from, &n, &to, &room);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_nsec < 200000000 && !t.tv_sec);
	return 0;
}

int
main(void)
{
	iconv_t cd = iconv_open("IBM037", "LATIN1");
	pthread_t t;

	if (cd == (iconv_t)-1)
		return 3;
	pthread_create(&t, 0, work, cd);
	return pthread_join(t, 0);
}
END
name='what libc loads for itself is known when the next thread starts'
if ! ${CC:-cc} -O2 -o convert convert.c -pthread 2>why; then
	not_ok "$name" <why
else
	prof-record -q -F 1000 -o x.pb.gz ./convert
	case $? in
	0)
		if stacks x.pb.gz | awk '/^#/ { next }
			{ n += $1 } /IBM037|ISO8859/ { known += $1 }
			END { exit !(known * 2 > n) }'; then
			ok "$name"
		else
			stacks x.pb.gz >why
			not_ok "$name" <why
		fi
		;;
	*) skip "$name" 'no iconv modules' ;;
	esac
fi

# Threads have their own names and numbers; a name may change, and a forked
# child has another number.
cat >names.c <<'END'
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void use(int ms)
{
	struct timespec t, end;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while ((t.tv_sec - end.tv_sec) * 1000 + (t.tv_nsec - end.tv_nsec) / 1000000 < ms);
}
static void *work(void *arg)
{
	struct timespec t = { 0, 200000000 };
	prctl(PR_SET_NAME, arg);
	use(250);
	nanosleep(&t, 0);
	return 0;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, work, "first");
	pthread_create(&b, 0, work, "second worker");
	use(250);
	prctl(PR_SET_NAME, "boss");
	use(250);
	pthread_join(a, 0);
	pthread_join(b, 0);
	if (fork() == 0) {
		prctl(PR_SET_NAME, "child");
		use(250);
		_exit(0);
	}
	return wait(0) < 0;
}
END
${CC:-cc} -pthread -o names names.c
for options in '' '--clock=wall'; do
	check "labels: names and numbers of threads $options" 0 "
		prof-record -q -F 1000 $options --label=thread,tid -o x.pb.gz ./names
		stacks x.pb.gz | sed -n 's/.* \\(thread=.*\\) tid=\\([0-9]*\\) pid=.*/\\1 \\2/p' |
			sort -u >seen
		grep -o 'thread=.*[^ 0-9]' seen | sort -u
		sed 's/.* //' seen | sort -u | wc -l" <<'END'
thread=boss
thread=child
thread=first
thread=names
thread=second worker
4
END
done
check 'labels: of allocations' 0 '
	prof-record -q --heap=1 --label=thread -o x.pb.gz ./names
	stacks x.pb.gz | grep -o "thread=names" | sort -u' <<'END'
thread=names
END
check_err 'the CPU is not known to libsample' 2 \
	'prof-record --label=cpu -o x.pb.gz true' 'container are for --pid'

plan
