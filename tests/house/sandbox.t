#!/bin/sh
# Where the kernel has landlock(7), a command that only reads can't write but
# where its output goes, nor execute, connect, or read what it was not told to:
# a library in the process tries so when it ends.
. "${srcdir:-.}/tests/lib/tap.sh"

name='rights are taken'
[ -z "${sanitized:-}" ] || skip_rest "$name" 'sanitizers need them'
prof-text --version | grep -q '^sandbox: landlock' ||
	skip_rest "$name" "this kernel has no landlock: $(uname -r)"
need_tools "$name" gcc

cat >try.c <<'END'
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void
say(const char *what, int failed)
{
	dprintf(2, "%s: %s\n", what,
		!failed ? "yes" : errno == EACCES || errno == EPERM ? "no" : "yes, in vain");
}

__attribute__((destructor)) static void
attempt(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };
	char *const argv[] = { (char *)"true", NULL };
	int status;

	if (!getenv("ATTEMPT"))
		return;
	unsetenv("ATTEMPT");
	say("write", open("outside/new", O_WRONLY | O_CREAT, 0666) < 0);
	say("write below the output", open("inside/new", O_WRONLY | O_CREAT, 0666) < 0);
	say("remove", unlink("outside/old") < 0);
	say("read what is named", open("inside/in.pb.gz", O_RDONLY) < 0);
	say("read what is not", open("outside/other", O_RDONLY) < 0);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	say("connect", connect(socket(AF_INET, SOCK_STREAM, 0), (void *)&to, sizeof to) < 0);
	if (vfork() == 0) {
		execv("/bin/true", argv);
		_exit(errno == EACCES ? 1 : 2);
	}
	wait(&status);
	dprintf(2, "execute: %s\n", status ? "no" : "yes");
}
END
gcc -shared -fPIC -w -o try.so try.c || exit 99
mkdir outside inside
touch outside/old outside/other
echo 'main;work 20' >inside/in.txt
prof-import -o inside/in.pb.gz inside/in.txt

# tries COMMAND: the rights at its end.
tries() {
	: >outside/old
	rm -f inside/new outside/new
	ATTEMPT=1 LD_PRELOAD=./try.so "$@" >/dev/null 2>err </dev/null
	grep -E '^(write|remove|read|connect|execute)' err
}
tries prof-text -o inside/out inside/in.pb.gz >reader
check 'a reader of what its command line names' 0 'cat reader' <<'END'
write: no
write below the output: yes
remove: no
read what is named: yes
read what is not: no
connect: no
execute: no
END
for c in flame export filter diff; do
	case $c in
	export) set -- --to folded inside/in.pb.gz ;;
	diff) set -- inside/in.pb.gz inside/in.pb.gz ;;
	*) set -- inside/in.pb.gz ;;
	esac
	tries prof-$c -o inside/out "$@" >rights
	check "so does prof-$c" 0 'cmp rights reader' </dev/null
done
tries prof-symbolize -o inside/out inside/in.pb.gz >other
check 'a reader of what a profile names' 0 'cat other' <<'END'
write: no
write below the output: yes
remove: no
read what is named: yes
read what is not: yes
connect: no
execute: no
END
for c in dot list html merge import; do
	case $c in
	list) set -- --list=. inside/in.pb.gz ;;
	import) set -- inside/in.txt ;;
	*) set -- inside/in.pb.gz ;;
	esac
	tries prof-$c -o inside/out "$@" >rights
	check "so does prof-$c" 0 'cmp rights other' </dev/null
done
tries env PROF_SANDBOX=0 prof-text -o inside/out inside/in.pb.gz >none
check 'all of them, if asked to' 0 'cat none' <<'END'
write: yes
write below the output: yes
remove: yes
read what is named: yes
read what is not: yes
connect: yes, in vain
execute: yes
END
check 'the version says which' 0 '
	prof-text -V | sed "s/landlock [0-9]*/landlock N/; s/ [0-9.]*$//"
	PROF_SANDBOX=0 prof-text -V | wc -l' <<'END'
prof-text (profpipe)
sandbox: landlock N
1
END
plan
