#!/bin/sh
# demo.sh - what `make demo` runs: the whole pipeline on a real program.
set -eu

bin=${abs_builddir:?run by make demo}
out=$bin/demo
mkdir -p "$out"
cd "$out"
PATH=$bin:$PATH
export PATH

# The demo itself: an ordinary -O2 program, without frame pointers.
${CC:-cc} -O2 -g -fomit-frame-pointer -pthread \
	"${abs_srcdir:?run by make demo}/tests/programs/demo.c" -o demo-app

say() {
	printf '$ %s\n' "$*"
}

say 'prof-record -F 1000 -o demo.pb.gz ./demo-app   # 4 threads; 60% encode, 30% walk, 10% checksum'
prof-record -F 1000 -o demo.pb.gz ./demo-app 2 4
say 'prof-symbolize demo.pb.gz | prof-text'
prof-symbolize -o symbolized.pb.gz demo.pb.gz
prof-text symbolized.pb.gz
if [ -x "$bin/prof-dot" ]; then
	say 'prof-dot -o demo.dot symbolized.pb.gz'
	prof-dot -o demo.dot symbolized.pb.gz
	if prof-dot -T svg -o demo.svg symbolized.pb.gz 2>/dev/null; then
		say 'prof-dot -T svg -o demo.svg symbolized.pb.gz'
	fi
fi

cat <<END

The profile and what was made of it are in $out:
$(ls -1 "$out" | sed 's/^/	/')
Some commands to try there, with PATH=$bin:\$PATH:
	prof-text --cum symbolized.pb.gz
	prof-text --lines symbolized.pb.gz
	prof-record ./demo-app | prof-symbolize | prof-text
END
