#!/bin/sh
# A file is cut while it is read: the reader is stopped at its second call that reads
# or maps the file, which is cut then. Pages of a mapping would be gone (SIGBUS).
. "${srcdir:-.}/tests/lib/tap.sh"

name='a file that is cut while it is read'
need_tools "$name" gcc strace
strace -qq -o /dev/null true 2>/dev/null || skip_rest "$name" 'no ptrace'
ASAN_OPTIONS=detect_leaks=0
export ASAN_OPTIONS

echo 'int work(int x) { return x * 7 + 3; }' >work.c
gcc -g -O1 -shared -fPIC -o whole work.c || exit 99
at=$((0x$(nm whole | sed -n 's/ T work$//p')))
printf '# samples count\n@mapping 0x100000 0x110000 0 %s\n%#x 9\n' "$PWD/cut" $((0x100000 + at)) |
	mkprof - >raw.pb
cp whole cut
prof-symbolize -q --no-cache raw.pb >named.pb

# fresh OWNER: a file of this user, which a linker may still write; or of another,
# who has not for an hour.
cat >fresh <<'END'
rm -f cut trace
cp whole cut
[ "$1" = ours ] || { chown 65534 cut && touch -d '1 hour ago' cut; }
END
# traced OPTION...: strace, which stops whoever reads the file.
cat >traced <<'END'
exec strace -f -qq -o trace -P "$PWD/cut" -e trace=pread64,mmap \
	-e inject=pread64,mmap:signal=STOP:when=2 "$@"
END
# cut_it PID: when a process stopped; those that stop go on until PID ends.
cat >cut_it <<'END'
while kill -0 "$1"; do
	stopped=$(sed -n 's/^\([0-9]*\) .*stopped by SIGSTOP.*/\1/p' trace)
	[ ! "$stopped" ] || : >cut
	[ ! "$stopped" ] || kill -CONT $stopped
	sleep 0.02
done 2>/dev/null
[ "$stopped" ] || echo 'not read'
END
# reads OWNER COMMAND: its status, and in which way a process was ended.
cat >reads <<'END'
sh fresh $1
shift
sh traced sh -c "exec $*" >out 2>err &
sh cut_it $!
wait $!
echo $?
grep -oE 'was ended.*' err
grep -oE 'killed by.*' trace
:
END

owners=ours
[ "$(id -u)" -ne 0 ] || owners='ours theirs'
for owner in $owners; do
	for command in 'prof-symbolize --no-cache raw.pb' 'prof-list --disasm=. named.pb'; do
		for rights in 0 1; do
			export PROF_SANDBOX=$rights
			check "${command%% *} ends by no signal: PROF_SANDBOX=$rights, $owner" 0 \
				"sh reads $owner $command" <<'END'
0
END
		done
	done
done

# The server of prof-record: of a process that maps the file.
cat >map.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int
main(void)
{
	int fd = open("cut", O_RDONLY);
	void *at = mmap(NULL, 4096 * 2, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	printf("%p %p\n", at, (void *)main);
	fflush(stdout);
	for (;; usleep(1000))
		for (volatile int n = 0; n < 100000; n++)
			;
}
END
name='the server of prof-record ends by no signal'
lacks 'prof-record --listen 0 true' && skip_rest "$name" 'no libmicrohttpd'
prof-record -q --sampler=perf --kernel=no -o try.pb.gz true 2>log || skip_rest "$name" "$(head -n 1 log)"
gcc -o map map.c || exit 99
# ask ADDRESS
cat >ask <<'END'
printf 'GET /pprof/symbol?%#x HTTP/1.1\r\nHost: localhost\r\n\r\n' "$1" | rude $port ask
END
# served OWNER: the process is known when its program has a name.
served() {
	sh fresh "$1"
	: >err
	: >base
	./map >base &
	program=$!
	prof-record --kernel=no --listen 0 --pid $program -o out.pb.gz 2>err &
	record=$!
	until grep -q listening err || ! kill -0 $record; do sleep 0.05; done
	port=$(sed -n 's|.*listening on http://127.0.0.1:\([0-9]*\)/pprof/$|\1|p' err)
	export port
	until read -r base main <base; do sleep 0.02; done
	until sh ask "$main" | grep -q main || ! kill -0 $record; do sleep 0.05; done
	sh traced -p $record &
	tracer=$!
	until ! grep -q '^TracerPid:	0' /proc/$record/task/*/status || ! kill -0 $tracer; do
		sleep 0.02
	done
	sh ask $((base + at)) >answer &
	answer=$!
	sh cut_it $answer
	wait $answer
	kill $program
	wait $record
	echo $?
	wait $tracer
	grep num_symbols answer
	grep -oE 'was ended.*' err
	grep -oE 'killed by.*' trace
	:
}
for owner in $owners; do
	for rights in 0 1; do
		export PROF_SANDBOX=$rights
		served $owner >got 2>log
		if printf '0\nnum_symbols: 1\n' | cmp -s - got; then
			ok "$name: PROF_SANDBOX=$rights, $owner"
		else
			cat got log err answer | not_ok "$name: PROF_SANDBOX=$rights, $owner"
		fi
	done
done
plan
