#!/bin/sh
# gallery.sh - the pictures of doc/gallery: `make gallery`. Needs chromium, and
# what html-browser.t fetches. The Go profile is in testdata/; the difference is
# of two runs of prof-merge that are recorded here.
set -eu

src=${abs_srcdir:?run by make gallery}
bin=${abs_builddir:?run by make gallery}
PATH=$bin:$bin/tests:$PATH
out=$src/doc/gallery
work=$bin/gallery
mkdir -p "$out" "$work"
cd "$work"

real=$src/testdata/good-go-cpu-long.pb.gz
prof-flame -q --width=1000 --min-width=4 --title='A Go program: CPU time' -o "$out/flame.svg" "$real"
prof-html -q --title='golang' -o flame.html "$real"

[ -s mid.pb.gz ] || mkbig 20000 3000 1500 1 >mid.pb.gz
for level in 1 9; do
	prof-record -q -F 1000 -o run.pb.gz -- prof-merge -z $level -o merged.pb.gz mid.pb.gz mid.pb.gz mid.pb.gz mid.pb.gz mid.pb.gz mid.pb.gz
	prof-symbolize -q run.pb.gz >run$level.pb.gz
done
prof-diff --diff-base run9.pb.gz run1.pb.gz | prof-html -q --title='prof-merge -z 9 and -z 1' -o diff.html
node "$src/tests/html/page-shots.mjs" "$bin/tests/node_modules" "$(command -v chromium)" "$out" \
	"flame.png $PWD/flame.html#q=scan" "diff.png $PWD/diff.html" \
	"sandwich-dark.png $PWD/flame.html#v=sandwich&p=%5Eruntime%5C.mallocgc%24"
