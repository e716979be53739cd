# same.t - a program that is recorded sees what it sees otherwise, and ends in the
# same way; see same.c.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

compile() {
	# shellcheck disable=SC2086 # CC may be words
	${CC:-cc} -O1 -D_GNU_SOURCE "$@" -pthread -ldl 2>>why
}

program=$src/tests/programs/same.c
mkdir there
: >why
if ! compile -DLIBRARY -shared -fPIC -o there/libfolder.so "$program" ||
	! compile -o there/same "$program" -Lthere -lfolder -Wl,-rpath,"$PWD/there"
then
	not_ok 'the same' <why
	plan
	exit
fi

for variant in . glibc-hwcaps/x86-64-v2 glibc-hwcaps/x86-64-v3 glibc-hwcaps/x86-64-v4; do
	mkdir -p there/$variant
	echo "int variant = ${variant##*[!0-9]}0 + 1;" >variant.c
	compile -shared -fPIC -o there/$variant/libvariant.so variant.c || exit 99
done

# run COMMAND...: what it prints, and how it ends. A deadlock has a minute.
cat >run <<'END'
#!/bin/sh
timeout -s KILL 60 "$@" 2>&1
echo "status $?"
END
chmod +x run
for case in $(there/same); do
	./run there/same "$case" >want
	for options in '' --clock=wall --clock=perf --heap=1 --lock=1; do
		check "$case: ${options:-default}" 0 \
			"./run prof-record -q -o x.pb.gz $options -- there/same $case" <want
	done
done

plan
