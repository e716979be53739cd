# names.t - names that prof-record finds itself, at the end: of programs that are
# deleted, replaced, in no file or in another namespace; of all, on request; and of
# the files of an archive.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

need_symbols 'names at record time'
[ "$(uname -m)" = x86_64 ] || skip_rest 'names at record time' 'on x86_64 only'

cat >spin.c <<'END'
#include <sys/mman.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) void NAME(void)
{
	for (volatile int i = 0; i < 1000000; i++)
		;
	__asm__("");
}
int main(int argc, char **argv)
{
	/* "memfd": run again from memory. */
	if (argc > 1) {
		static char text[1 << 20];
		int fd = memfd_create("unseen", 0);
		FILE *f = fopen(argv[0], "r");
		size_t n = fread(text, 1, sizeof(text), f);
		char *again[] = { argv[0], 0 };
		if (write(fd, text, n) == (ssize_t)n)
			fexecve(fd, again, environ);
		return 1;
	}
	/* A tenth of a second of a processor is enough. */
	for (;;) {
		NAME();
		usleep(4000);
	}
}
END
place=$bin/tests/names.$$ # the scratch folder is temporary
mkdir "$place" || exit 99
trap 'rm -rf "$scratch" "$place"' EXIT
for name in old new; do
	${CC:-cc} -D_GNU_SOURCE -DNAME="spin_$name" -O1 -w -o $name spin.c 2>log ||
		skip_rest 'names of a program' "$(head -1 log)"
done

# spun FUNCTION PROFILE: of the functions that spin, has it this one alone? '' is none.
spun() {
	prof-text -q "$2" | awk '$6 ~ /^spin_/ { print $6 }' >got || return 2
	cat got
	[ "$(cat got)" = "$1" ]
}

# recorded FUNCTION OPTIONS PROGRAM COMMAND: the same of a recording with the options, in
# which a shell runs the command while the program spins.
loader=
recorded() {
	cp old "$place/app"
	# shellcheck disable=SC2086 # words
	place=$place prof-record -q $2 -o t.pb.gz sh -c "$loader \"\$place/app\" $3 & app=\$!
		sleep 1; $4; sleep 0.3; kill \$app; wait" || return 2
	[ "${5-}" != later ] || prof-symbolize -q -o t.pb.gz t.pb.gz
	spun "$1" t.pb.gz
}

# shellcheck disable=SC2016 # the shell of the recording expands these
{
	delete='rm $place/app'
	replace='cp new $place/next; mv $place/next $place/app'
}
live 'a program that is deleted while it runs has names' \
	recorded spin_old '' '' "$delete"
live 'one that another build replaces has its own' \
	recorded spin_old '' '' "$replace"
live '--symbolize=no leaves it without' \
	recorded '' --symbolize=no '' "$delete"
live 'a program that is in no file has names' \
	recorded spin_old '' memfd :
live 'one that stays has none yet' recorded '' '' '' :
live 'but prof-symbolize finds them' recorded spin_old '' '' : later
live '--symbolize names it at once' recorded spin_old --symbolize '' :
# /proc/PID/exe is the loader then, so prof-record found names itself, by addresses.
by_loader() {
	loader=$(readelf -l old | sed -n 's/.*interpreter: \(.*\)]$/\1/p')
	recorded '' '' '' : && prof-text -q t.pb.gz | awk '$6 ~ /^\[/ { print $6 }' >got
	result=$?
	loader=
	cat got
	[ $result = 0 ] && grep -qxF '[app]' got
}
live 'a program that is started by the loader is in its own file' by_loader
# auto: only of what is in a folder for temporary files.
temporary() {
	own=$place
	place=$(mktemp -d /tmp/names.XXXXXX)
	recorded spin_old --symbolize=auto '' :
	result=$?
	rm -rf "$place"
	place=$own
	return $result
}
live '--symbolize=auto names what is in /tmp' temporary
if prof-record -q --sampler=perf --kernel=no -o try.pb.gz true 2>log; then
	live 'and the kernel as the sampler a deleted one' \
		recorded spin_old --sampler=perf '' "$delete"
else
	skip 'and the kernel as the sampler a deleted one' "$(head -1 log)"
fi

# In a file system that only the program sees; its numbers of processes are others.
elsewhere() {
	# shellcheck disable=SC2086 # perhaps no word
	prof-record -q -o t.pb.gz unshare $user -mpf sh -c '
		mount -t tmpfs none "$1" && cp old "$1/app" || exit
		"$1/app" & sleep 1; kill $!; wait' sh "$place" || return 2
	spun spin_old t.pb.gz
}
user=-Ur
[ "$(id -u)" != 0 ] || user=
# shellcheck disable=SC2086 # perhaps no word
if unshare $user -mpf mount -t tmpfs none "$place" 2>log; then
	live 'a program in other namespaces has names' elsewhere
else
	skip 'a program in other namespaces has names' "$(head -1 log)"
fi

# every: are there files, and has each the name of the deleted program?
every() {
	rm -rf arc
	cp old "$place/app"
	"$place/app" &
	app=$!
	prof-record -q --pid $app --kernel=no --every 2 --symbolize -o 'arc/%F/%H%M%S.pb.gz' &
	recorder=$!
	sleep 1
	rm "$place/app"
	sleep 4
	kill -INT $recorder
	wait $recorder || return 2
	kill $app
	find arc -name '*.pb.gz' >files
	[ "$(wc -l <files)" -ge 2 ] || return 1
	while read -r file; do
		spun spin_old "$file" || return
	done <files
}
if ! prof-record -q --sampler=perf --kernel=no -o try.pb.gz true 2>log; then
	skip '--every --symbolize: each file has names' "$(head -1 log)"
else
	live '--every --symbolize: each file has names' every
	if prof-history --function=spin_old arc >out 2>err && grep -q spin_old out; then
		ok 'and prof-history knows the function'
	else
		cat out err | not_ok 'and prof-history knows the function'
	fi
fi

plan
