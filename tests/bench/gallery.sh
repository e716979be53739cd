#!/bin/sh
# gallery.sh - the pictures of doc/gallery: `make gallery`. Needs chromium-headless-shell, and
# what html/browser.t fetches, pngquant and fonts-inter. The Go profiles are in testdata/; the
# difference is of two runs of prof-text that are recorded here, with its source.
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
cat >shop.py <<'END'
import json, re

class Shop:
    def __init__(self, n):
        self.items = [{"name": "item %d" % i, "price": i * 37 % 101} for i in range(n)]

    def by_price(self):
        return sorted(self.items, key=lambda item: item["price"])

    def slugs(self):
        return [re.sub("[^a-z0-9]+", "-", item["name"]) for item in self.items]

def store(shop):
    return json.dumps(shop.items)

def load(text):
    return json.loads(text, object_hook=dict)

def main():
    shop = Shop(500)
    for _ in range(2000):
        shop.by_price(), shop.slugs(), load(store(shop))

main()
END
[ -s mixed.pb.gz ] || prof-record -q --clock=perf -F 1000 --interp=mixed -- /usr/bin/python3 shop.py | prof-symbolize -q >mixed.pb.gz
prof-flame -q --no-script --width=1000 --min-width=2 --show-from='shop\.main' --title='Python and the C that it calls: CPU time' -o "$out/mixed.svg" mixed.pb.gz
prof-html -q --title=golang -o go.html "$real"
prof-html -q -o heap.html "$src/testdata/good-go-heap.pb.gz"

# Not compressed, as the library for that has no names; so much that noise is small;
# from outside, which loses nothing on a busy machine.
[ -s large.pb ] || mkbig 1500000 40000 15000 1 | prof-merge -q -z0 -o large.pb
for by in functions lines; do
	[ -s run-$by.pb.gz ] && continue
	prof-record -q --sampler=perf -F 1000 -o run.pb.gz -- prof-text -q --$by large.pb >text
	prof-symbolize -q run.pb.gz >run-$by.pb.gz
done
prof-html -q --title=prof-text --source-path="$src" -o c.html run-functions.pb.gz
prof-diff run-functions.pb.gz run-lines.pb.gz | prof-html -q --title='prof-text, by functions and by lines' -o diff.html
rm -f ./*.png
# What the browser takes for text, which on Debian is a wide font; not for code.
cat >fonts.conf <<'END'
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<include>/etc/fonts/fonts.conf</include>
<match><test name="family" qual="all" compare="not_contains"><string>ono</string></test><edit name="family" mode="prepend" binding="strong"><string>Inter</string></edit></match>
</fontconfig>
END
export FONTCONFIG_FILE="$PWD/fonts.conf"
node "$src/tests/html/page-shots.mjs" "$bin/tests/node_modules" "$(command -v chromium-headless-shell)" "$PWD" \
	"flame.png $PWD/go.html#q=scan" "flame-dark.png $PWD/go.html" \
	"sandwich.png $PWD/go.html#v=sandwich&p=%5Eruntime%5C.mallocgc%24" \
	"graph-dark.png $PWD/go.html#v=graph" "tree.png $PWD/go.html#v=tree" \
	"source.png $PWD/c.html#v=source&sel=read_stack" "heap.png $PWD/heap.html" \
	"diff.png $PWD/diff.html 300,260" "diff-dark.png $PWD/diff.html" \
	"phone.png $PWD/go.html 100,300" "phone-functions.png $PWD/go.html#v=functions" "phone-dark.png $PWD/diff.html"
for f in *.png; do
	pngquant --force --nofs --strip --output "$out/$f" 128 "$f"
done
