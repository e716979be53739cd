#!/bin/sh
# gallery.sh - the pictures of doc/gallery: `make gallery`. Needs chromium, and
# what html/browser.t fetches, and pngquant. The Go profiles are in testdata/; the
# difference is of two runs of prof-merge that are recorded here, with its source.
set -eu

src=${abs_srcdir:?run by make gallery}
bin=${abs_builddir:?run by make gallery}
PATH=$bin:$bin/tests:$PATH
out=$src/doc/gallery
work=$bin/gallery
mkdir -p "$out" "$work"
cd "$work"

real=$src/testdata/good-go-cpu-long.pb.gz
prof-flame -q --no-script --width=1000 --min-width=2 --title='A Go program: CPU time' -o "$out/flame.svg" "$real"
prof-html -q --title=golang -o go.html "$real"
prof-html -q -o heap.html "$src/testdata/good-go-heap.pb.gz"

[ -s mid.pb.gz ] || mkbig 20000 3000 1500 1 >mid.pb.gz
inputs=$(yes mid.pb.gz | head -n 60)
for level in 1 9; do
	[ -s run$level.pb.gz ] && continue
	# shellcheck disable=SC2086 # one name each
	prof-record -q -F 1000 -o run.pb.gz -- prof-merge -z $level -o merged.pb.gz $inputs
	prof-symbolize -q run.pb.gz >run$level.pb.gz
done
prof-html -q --title=prof-merge --source-path="$src" -o c.html run1.pb.gz
prof-diff run9.pb.gz run1.pb.gz | prof-html -q --title='prof-merge -z 9 and -z 1' -o diff.html
rm -f ./*.png
node "$src/tests/html/page-shots.mjs" "$bin/tests/node_modules" "$(command -v chromium)" "$PWD" \
	"flame.png $PWD/go.html#q=scan" "flame-dark.png $PWD/go.html" \
	"sandwich.png $PWD/go.html#v=sandwich&p=%5Eruntime%5C.mallocgc%24" \
	"graph-dark.png $PWD/go.html#v=graph" "tree.png $PWD/go.html#v=tree" \
	"source.png $PWD/c.html#v=source" "heap.png $PWD/heap.html" \
	"diff.png $PWD/diff.html 300,260" "diff-dark.png $PWD/diff.html" \
	"phone.png $PWD/go.html 100,300" "phone-dark.png $PWD/diff.html"
for f in *.png; do
	pngquant --force --nofs --strip --output "$out/$f" 128 "$f"
done
