#!/bin/sh
# prof-html: one safe file, with the numbers of prof-text. Its behaviour in a
# browser is in browser.t.
. "${srcdir:-.}/tests/lib/tap.sh"

js=$src/cmd/html/js
cp "$data/good-tiny.pb.gz" cpu.pb.gz

# --- numbers: the page's own modules against prof-text

cat >labels.txt <<'END'
# cpu nanoseconds
main;work;leaf=>helper 30 {user="ann" bytes=1024bytes}
main;work;work;leaf 20 {user="bob" bytes=2048bytes}
main;0x401000 7 {user="bob" zone="a"}
main;idle (/src/idle.c:12) 5
main;idle (/src/idle.c:14) 6 {user="cleo"}
() 3
END
mkprof labels.txt >labels.pb.gz
cat >after.txt <<'END'
# cpu nanoseconds
main;work;leaf=>helper 35 {user="ann" bytes=1024bytes}
main;fresh;leaf 9 {user="bob"}
END
mkprof after.txt >after.pb.gz
printf '# cpu nanoseconds\n@mapping 0x1000 0x2000 0 /bin/app\n@mapping 0x3000 0x4000 0 [kernel.kallsyms]_stext\nmain;work;leaf;[2]clear_page 7\nmain;idle 2\n' |
	mkprof >kernel.pb.gz
prof-diff --diff-base labels.pb.gz after.pb.gz >diff.pb.gz
prof-diff labels.pb.gz after.pb.gz >minus.pb.gz

# A row: what the page is asked, and the same for prof-text.
cat >questions <<'END'
g=functions	--functions
g=filefunctions	--filefunctions
g=files	--files
g=lines	--lines
g=addresses	--addresses
noinlines=1	--noinlines
noinlines=1&g=lines	--noinlines --lines
f=work|mallocgc	--focus=work|mallocgc
i=leaf|scanobject	--ignore=leaf|scanobject
h=work|mallocgc	--hide=work|mallocgc
s=main|leaf|runtime	--show=main|leaf|runtime
sf=work|gcDrain	--show-from=work|gcDrain
f=main&i=idle&h=leaf	--focus=main --ignore=idle --hide=leaf
prunefrom=work|mallocgc	--prune-from=work|mallocgc
prunefrom=walk|leaf&h=work	--prune-from=walk|leaf --hide=work
tf=user=ann|bob	--tagfocus=user=ann|bob
ti=bob	--tagignore=bob
ti=a	--tagignore=a
tf=true	--tagfocus=true
ti=pprof::base=true	--tagignore=pprof::base=true
tf=bytes=1kb:2kb	--tagfocus=bytes=1kb:2kb
tf=bytes=2kb	--tagfocus=bytes=2kb
END

# One run of node answers all of them: its start takes ten times as long as an answer.
compare_page() {
	while IFS="$(printf '\t')" read -r page text; do
		# shellcheck disable=SC2086 # options are words
		prof-text -q --trim=false --tsv $text "$1" 2>.err |
			awk -F'\t' -v page="$page" 'NR > 1 { print page "\t" $1 "\t" $2 "\t" $4 }'
	done <questions | sort >want
	cut -f1 questions | node "$src/tests/html/page-rows.mjs" "$js" page.html - 2>&1 | sort >got
	cmp -s want got || {
		echo 'the page differs from prof-text:'
		diff want got | head -40
	}
	cut -f1 want | uniq >seen
}

if have node; then
	n=0
	for f in "$data"/good-go-cpu.pb.gz "$data"/good-go-heap.pb.gz "$data"/good-go-allocs.pb.gz \
		"$data"/good-gperf-cpu.prof cpu.pb.gz labels.pb.gz kernel.pb.gz diff.pb.gz minus.pb.gz \
		${PROF_LONG:+"$data"/good-go-cpu-long.pb.gz}; do
		found "$f" || continue
		n=$((n + 1))
		prof-html -q "$f" >page.html 2>.err
		compare_page "$f" >.why 2>&1
		if [ ! -s .why ] && [ "$(wc -l <seen)" -gt 5 ]; then
			ok "${f##*/}: the page says what prof-text says, $(wc -l <seen) times"
		else
			cat .err .why | not_ok "${f##*/}: the page says what prof-text says"
		fi
	done
	[ $n -gt 7 ] && ok 'there were profiles' || echo "$n" | not_ok 'there were profiles'

	# The same of states drawn at random: words of the profile's own names, in all
	# filters, with frames that take no row and recursion that is joined.
	n=0
	for f in "$data"/good-go-cpu.pb.gz "$data"/good-go-heap.pb.gz "$data"/good-record-work.pb.gz \
		"$data"/good-gperf-cpu.prof labels.pb.gz minus.pb.gz; do
		prof-html -q --no-source "$f" >page.html 2>.err
		cp questions questions.mine
		name=${f##*/}
		node "$src/tests/html/page-rows.mjs" "$js" page.html "random=${long:+5}30&seed=${#name}7" >questions
		n=$((n + $(wc -l <questions)))
		compare_page "$f" >.why 2>&1
		mv questions.mine questions
		[ ! -s .why ] && [ "$(wc -l <seen)" -gt 10 ] && ok "$name: in $(wc -l <seen) random states, too" ||
			cat .err .why | not_ok "$name: in random states, too"
	done
	least=${long:+500}
	[ $n -ge "${least:-150}" ] && ok "there were $n random states" || echo "$n" | not_ok 'there were random states'
	# A structure looks up children only where frames were left out, and a link
	# cannot ask for what is not a choice.
	mkbig 300 500 300 1 | prof-html -q --no-source >page.html
	cat >parts.mjs <<'END'
import {readFileSync} from 'node:fs';
const [folder, file] = process.argv.slice(2), {decodePage, unpackText} = await import(folder + '/data.mjs'), {ChildTable} = await import(folder + '/model.mjs');
const {Computer} = await import(folder + '/compute.mjs'), {State} = await import(folder + '/state.mjs');
const [, zipped, text] = /id="data" data-z="(\d)">([^<]*)</.exec(readFileSync(file, 'latin1')), D = decodePage(await unpackText(text, zipped === '1')), {add} = ChildTable.prototype;
let n = 0;
ChildTable.prototype.add = function (node) {
	n++;
	add.call(this, node);
};
const c = new Computer(D), S = new State({});
c.run(Object.assign(S, {h: '^' + D.strings[D.functions.name[9]] + '$'}), D.head.def);
console.log(n > 0, n < c.tree.n / 4);
const {callersTree} = await import(folder + '/values.mjs'), all = c.keys.text.map((t, k) => k % 9 ? 0 : 1), [whole, some] = [1e6, 50].map(most => callersTree(c.tree, all, most));
console.log(whole.left, some.left > 0, some.left < whole.total[1][0], some.total[1][0] === whole.total[1][0]);
globalThis.location = {hash: '#v=x&g=x&w=x&cmp=x&o=x&d=x&so=x&hu=x&cr=3&fc=x&noinlines=x&tv=x&rel=x&f=x'};
S.h = '';
S.read();
console.log(S.text());
END
	check 'the page does not look up what is in order; callers that do not fit are said; of a link only choices count' 0 "node parts.mjs $js page.html" <<'END'
true true
0 true true true
f=x
END
	# With two filters tried, what a node takes more: 228 bytes, all kept; 2.9 million then
	# take 660 MB.
	cat >memory.mjs <<'END'
import {readFileSync} from 'node:fs';
const [folder, ...files] = process.argv.slice(2), load = name => import(folder + '/' + name + '.mjs');
const {decodePage, unpackText} = await load('data'), {Computer} = await load('compute'), {State} = await load('state');
const read = async file => {
	const [, zipped, text] = /id="data" data-z="(\d)">([^<]*)</.exec(readFileSync(file, 'latin1'));
	return decodePage(await unpackText(text, zipped === '1'));
};
const kept = globalThis.kept = [], measure = async file => {
	const D = await read(file), c = new Computer(D), S = new State({});
	for (const h of ['', '^' + D.strings[9] + '$', '^' + D.strings[99] + '$'])
		c.run(Object.assign(S, {h}), D.head.def);
	kept.push(D, c, S);
	for (let k = 0; k < 4; k++) {
		await new Promise(done => setTimeout(done, 20));
		gc();
	}
	const {heapUsed, arrayBuffers} = process.memoryUsage();
	return [D.tree.n, heapUsed + arrayBuffers];
};
const [[n, small], [m, large]] = [await measure(files[0]), await measure(files[1])];
console.log(m > 9 * n, (large - small) / (m - n) < 242 || (large - small) / (m - n));
END
	mkbig 300 500 300 1 | prof-html -q --no-source >small.html
	mkbig 3000 500 300 1 | prof-html -q --no-source >large.html
	check 'what a node takes in memory' 0 "node --expose-gc memory.mjs $js small.html large.html" <<'END'
true true
END
	# Of the tree as it was, or of the stored one: what Hide leaves is the same.
	cat >hide.mjs <<'END'
import {readFileSync} from 'node:fs';
const [folder, ...files] = process.argv.slice(2), load = name => import(folder + '/' + name + '.mjs');
const {decodePage, unpackText} = await load('data'), {hideFrames} = await load('hide'), {makeKeys, makeStructure} = await load('model'), {chooseSamples, makeValues, matchFrames} = await load('values'), {compilePattern, quotePattern} = await load('regexp');
// Of each path: inlined, deepest recursion, self, total.
const weights = (D, structure) => {
	const t = makeValues(D, structure, chooseSamples(D, structure, {isNamed: true}), 0, 'both', false), path = [''], out = [];
	for (let i = 1; i < t.n; i++) {
		path[i] = path[t.parent[i]] + ' ' + t.key[i];
		if (t.total[1][i])
			out.push([path[i], t.inlined[i], t.times ? t.times[i] : 0, t.self[1][i], t.total[1][i]].join(' '));
	}
	return out.sort().join();
};
for (const file of files) {
	const [, zipped, text] = /id="data" data-z="(\d)">([^<]*)</.exec(readFileSync(file, 'latin1')), D = decodePage(await unpackText(text, zipped === '1'));
	const K = makeKeys(D, 'functions', false, false), names = [...new Set(D.functions.name)].map(s => D.strings[s]).filter(s => s);
	let quick = 0, wrong = 0;
	for (const folds of [{skips: true, cycle: 1}, {skips: false, cycle: 0}])
		for (const name of names.filter((s, i) => s.length === 1 || i % Math.ceil(names.length / 7) === 0)) {
			const hide = matchFrames(D, compilePattern('^' + quotePattern(name) + '$').re), made = hideFrames(D, K, makeStructure(D, K, {}, folds), hide, folds.cycle);
			quick += made ? 1 : 0;
			wrong += made && weights(D, made) !== weights(D, makeStructure(D, K, {hide}, folds)) ? 1 : 0;
		}
	console.log(quick > 3, wrong);
}
END
	prof-html -q --no-source "$data/good-go-cpu-long.pb.gz" >long.html
	# Without h, a joins the a above it, or goes on with the run of one.
	{
		echo '# cpu count'
		printf '%s\n' 'main;a;h;a;b 5' 'main;a;h;a;h=>a;c 3' 'main;a;b 2' 'main;d;h;d;d;c 3' 'main;e;e;k;e 1' 'main;e;k;e;b 1' 'main;f;h;h;f;h;f;g 1'
		awk 'BEGIN { for (i = 0; i < 200; i++) print "main;p;q" i ";r" i " 1" }'
	} | mkprof | prof-html -q --no-source >joined.html
	check 'Hide copies what it leaves' 0 "node hide.mjs $js small.html long.html joined.html" <<'END'
true 0
true 0
true 0
END
	# Of a difference the facts: of each function how much of its change comes from
	# the caller with most of it, and the line that changed most, before and after.
	cat >facts.mjs <<'END'
import {readFileSync} from 'node:fs';
const [,, folder, file] = process.argv, load = name => import(folder + '/' + name + '.mjs');
const {decodePage, unpackText} = await load('data'), {Computer} = await load('compute'), {SampleSizes, changeOf} = await load('change'), {findCaller, findLine} = await load('facts'), {State} = await load('state');
const [, zipped, text] = /id="data" data-z="(\d)">([^<]*)</.exec(readFileSync(file, 'latin1')), D = decodePage(await unpackText(text, zipped === '1')), c = new Computer(D), state = new State({});
c.run(state, D.head.def);
const {keys: K, sums: {self}} = c, sizes = new SampleSizes(D, c.column, D.samples.values[0]);
let most = 0;
for (let k = 0; k < K.n; k++) {
	most = Math.abs(self[1][k] - self[0][k]) > Math.abs(self[1][most] - self[0][most]) ? k : most;
	const [caller, [before, after]] = self[0][k] === self[1][k] ? [0, [0, 0]] : findCaller(c, k);
	if (before !== after && caller < K.n)
		console.log('caller ' + K.text[k] + '\t' + (after - before));
}
const [all] = D.head.totals[c.column];
Object.assign(c, {state, isTwo: true, total: () => ({all}), changeOf: (a, b) => changeOf(a, b, sizes.of(a, 0), sizes.of(b, 1))});
for (const found of [findLine(c), findLine(c, K.text[most])])
	console.log('line ' + found.name + ' ' + found.file + ':' + found.line + '\t' + found.amounts.join('\t'));
END
	prof-filter -q --ignore='gcDrain|\.walk' "$data/good-go-cpu-long.pb.gz" >less.pb.gz
	prof-diff --diff-base=less.pb.gz "$data/good-go-cpu-long.pb.gz" | prof-html -q --no-source >page.html
	node facts.mjs "$js" page.html | sort >got
	for f in less.pb.gz "$data/good-go-cpu-long.pb.gz"; do
		echo "side $f"
		prof-text -q --folded "$f"
	done | awk '
		$1 == "side" { sign = seen++ ? 1 : -1; next }
		!/^#/ {
			n = split(substr($0, 1, length($0) - length($NF) - 1), stack, ";")
			for (at = n - 1; at && stack[at] == stack[n]; at--)
				;
			change[stack[n]] += sign * $NF
			from[stack[n] ";" (at ? stack[at] : "")] += sign * $NF
		}
		END {
			for (edge in from) {
				split(edge, pair, ";")
				f = pair[1]
				if (from[edge] * change[f] > most[f] * change[f] || !(f in most)) {
					most[f] = from[edge]
					name[f] = pair[2]
				}
			}
			for (f in most)
				if (most[f] && change[f] && name[f] != "")
					printf "caller %s\t%.0f\n", f, most[f]
		}' >want
	sed -n 's/^line \(.*\)\t.*\t.*/\1/p' got | while read -r line; do
		for f in less.pb.gz "$data/good-go-cpu-long.pb.gz"; do
			prof-text -q --trim=false --tsv --lines "$f" | awk -F'\t' -v line="$line" '$4 == line { print $2; n++ } END { if (!n) print 0 }'
		done | paste -s - | sed "s!^!line $line\t!"
	done >>want
	sort -o want want
	[ "$(wc -l <want)" -gt 50 ] && cmp -s want got && ok 'what called what changed most, and the line, are as in prof-text' ||
		diff want got | head -20 | not_ok 'what called what changed most, and the line, are as in prof-text'

	for f in labels.pb.gz "$data/good-go-cpu.pb.gz"; do
		prof-html -q "$f" >page.html
		node "$src/tests/html/page-rows.mjs" "$js" page.html stacks | sort >got
		prof-text -q --folded "$f" | grep -v '^#' | awk 'NF > 1' | sort >want
		[ -s want ] && cmp -s want got && ok "${f##*/}: stacks come back" ||
			diff want got | head | not_ok "${f##*/}: stacks come back"
	done

	# The packages of the list that the unit rows have: in the page's data.
	grep -v '[;{]' "$src/tests/unit/packages.tsv" | sort >names.tsv
	{
		printf '# cpu count\n@mapping 0x1000 0x2000 0 /bin/app\n'
		cut -f1 names.tsv | sed 's/$/ 1/'
	} | mkprof | prof-html -q >page.html
	cat >packages.mjs <<'END'
import {readFileSync} from 'node:fs';
const {decodePage, unpackText} = await import(process.argv[2] + '/data.mjs');
const [, zipped, text] = /id="data" data-z="(\d)">([^<]*)</.exec(readFileSync(process.argv[3], 'latin1'));
const D = decodePage(await unpackText(text, zipped === '1')), {name, pkg, own} = D.functions;
for (let u = 0; u < pkg.length; u++)
	if (D.strings[name[u]])
		console.log(D.strings[name[u]] + '\t' + D.strings[D.packages[pkg[u]]].replace(/^app$/, '') + '\t' + own[u]);
END
	node packages.mjs "$js" page.html | cut -f1,2 | sort >got
	[ "$(wc -l <got)" -gt 30 ] && cmp -s names.tsv got && ok 'packages are those of the list' ||
		diff names.tsv got | not_ok 'packages are those of the list'

	# Vivid is the reader's own code: not what interprets it, nor Go's wrappers.
	cat >own.txt <<'END'
# cpu count
@mapping 0x1000 0x2000 0 /home/ann/bin/libpython3.11.so.1.0
@mapping 0x3000 0x4000 0 [python]
@mapping 0x5000 0x6000 0 [kernel.kallsyms]
@mapping 0x7000 0x8000 0 /home/ann/srv
@mapping 0x9000 0xa000 0 /home/ann/lib/python3.11/lib-dynload/_lzma.so
[5]lzma_code 1
PyEval_EvalCode (/tmp/cpython/ceval.c:9) 1
[2]words.main (/home/ann/words.py:3) 5
[2]random.choice (/home/ann/lib/python3.11/random.py:3) 2
[3]do_fork (/build/linux/fork.c:3) 1
[4]encoding/json.encode (/usr/lib/go-1.19/src/encoding/json/encode.go:7) 1
[4]encoding/json.encode-fm (./<autogenerated>:1) 1
[4]main.handle (/home/ann/srv.go:7) 1
[4]main.handle-fm (./<autogenerated>:1) 1
[4]runtime/internal/syscall.Syscall6 (/usr/lib/go-1.19/src/runtime/internal/syscall/asm_linux_amd64.s:36) 1
END
	mkprof own.txt | prof-html -q --no-source >page.html
	check 'own code is what the reader wrote' 0 "node packages.mjs $js page.html | cut -f1,3 | sort | tr '\t' ' '" <<'END'
PyEval_EvalCode 0
do_fork 0
encoding/json.encode 0
encoding/json.encode-fm 0
lzma_code 0
main.handle 1
main.handle-fm 1
random.choice 0
runtime/internal/syscall.Syscall6 0
words.main 1
END

	# Without own code all is, but what runs a program of an interpreter.
	sed 's,/tmp/cpython,/usr/src/cpython,; /main.handle/d; /words/d' own.txt | mkprof | prof-html -q --no-source >page.html
	check 'nor if all that it runs are libraries' 0 "node packages.mjs $js page.html | cut -f1,3 | sort | tr '\t' ' '" <<'END'
PyEval_EvalCode 0
do_fork 0
encoding/json.encode 2
encoding/json.encode-fm 2
lzma_code 2
random.choice 2
runtime/internal/syscall.Syscall6 0
END

	prof-html -q --max-nodes=40 "$data/good-go-cpu.pb.gz" >page.html 2>.err
	node "$src/tests/html/page-rows.mjs" "$js" page.html '' | awk -F'\t' '{ s += $1 } END { print s }' >got
	prof-text -q --trim=false --tsv "$data/good-go-cpu.pb.gz" | awk -F'\t' 'NR > 1 { s += $1 } END { print s }' >want
	cmp -s want got && ok 'a cut keeps the total' || diff want got | not_ok 'a cut keeps the total'
	check 'a cut is shown as such' 0 \
		"node $src/tests/html/page-rows.mjs $js page.html '' | grep -c '\[cut\]'" <<'END'
1
END

	# Patterns: one that a browser's own engine never ends with; and what differs.
	cat >patterns.mjs <<'END'
const {compilePattern} = await import(process.argv[2] + '/regexp.mjs');
const name = 'a'.repeat(50000), long = compilePattern('^(\\w+:*)*Handler$').re;
console.log(long.test(name), long.test(name + ':Handler'));
for (const [pattern, ...names] of [['a{2,3}b', 'ab', 'aab'], ['(?i:Foo)bar', 'FOObar', 'FOOBAR'], ['[[:alpha:]]_x', '1_x', 'q_x'], ['\\bfoo\\b', 'foobar', 'a foo'],
	['\\Qa.b\\E$', 'axb', 'xa.b'], ['[]a]c', 'bc', ']c'], ['x(?!y)', 'xy', 'xz'], ['^$|^.{3}$', 'ab', ''], ['(a|b)*c', 'ab', 'abac']])
	console.log(pattern, ...names.map(s => compilePattern(pattern).re.test(s)));
for (const pattern of ['(', '(?=(a*)*)b', '(?>a)', 'x{0,30000}'])
	console.log(pattern, compilePattern(pattern).error);
END
	check 'patterns take time linear in the name' 0 "timeout 60 node patterns.mjs $js" <<'END'
false true
a{2,3}b false true
(?i:Foo)bar true false
[[:alpha:]]_x false true
\bfoo\b false true
\Qa.b\E$ false true
[]a]c false true
x(?!y) false true
^$|^.{3}$ false true
(a|b)*c false true
( not a regular expression: a ) is missing
(?=(a*)*)b not supported in browsers; use the options of prof-html
(?>a) not supported in browsers; use the options of prof-html
x{0,30000} the pattern is too large
END
	printf '# cpu count\nf -9223372036854772808\n' | mkprof | prof-html -q >page.html
	check 'the sign of a number near the end of 64 bits' 0 \
		"node $src/tests/html/page-rows.mjs $js page.html ''" <<'END'
-9223372036854773000	-9223372036854773000	f
END

	# Names in boxes, of 7 pixels a character.
	cat >fit.mjs <<'END'
const {fitText, shortName} = await import(process.argv[2] + '/fit.mjs');
const context = {measureText: c => ({width: 7 * c.length})};
for (const [name, columns] of [['std::vector<std::pair<int, int> >::push_back', 12], ['std::vector<int>::push_back', 7],
	['ns::operator<<', 10], ['a/b/runtime.(*mcache).nextFree', 9], ['a/b/runtime.(*mcache).nextFree', 18], ['[libfoo.so.1]', 9],
	['msort.part.0', 6], ['lists:seq/2', 20], ['abcdefghij', 4], ['a::b::try_query::<>', 12], ['a::b::run::{closure#1}', 16]])
	console.log(fitText(context, name, 7 * columns)[0]);
console.log(fitText(context, 'a.'.repeat(2 ** 20), 30)[0]);
console.log(['encoding/json.(*decodeState).object', 'std::vector<std::pair<int, int> >::push_back(int const&)', 'operator()', 'lists:seq/2', 'pkg.shop.customer.<locals>.<lambda>', 'shop.<module>', 'a::b::try_query_of_all::<>', 'a::b::run_the_compiler::<>::{closure#1}', '<alloc::vec::Vec<T> as core::iter::Extend>::extend', 'std::operator<', 'cmd/gc.compile.func3.1', 'cmd/gc.compile.isra.0.1'].map(shortName).join('\n'));
END
	check 'names in boxes keep their last part, cut in the middle' 0 "node fit.mjs $js" <<'END'
push_back
pus…ck
operator<<
nextFree
(*mcache).nextFree
[li…o.1]
msort
lists:seq/2

b::try_query
run::{closure#1}
a.a.
(*decodeState).object
std::vector::push_back
operator()
lists:seq/2
shop.customer.<locals>.<lambda>
shop.<module>
a::b::try_query_of_all
b::run_the_compiler::{closure#1}
<alloc::vec::Vec<T> as core::iter::Extend>::extend
std::operator<
gc.compile.func3.1
gc.compile
END

	# Colours: text can be read on all of them, and hues differ.
	cat >colours.mjs <<'END'
import {readFileSync} from 'node:fs';
const {changeColour, libraryHues, oklch, ownHues, tones} = await import(process.argv[2] + '/colour.mjs');
const light = c => [1, 3, 5].map(i => parseInt((c.length === 4 ? c.replace(/[0-9a-f]/g, '$&$&') : c).slice(i, i + 2), 16) / 255).map(x => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4)
	.reduce((sum, x, i) => sum + x * [.2126, .7152, .0722][i], 0);
const contrast = (a, b) => (Math.max(light(a), light(b)) + .05) / (Math.min(light(a), light(b)) + .05), low = [];
const test = (what, a, b) => contrast(a, b) < 4.5 && low.push(what + ' ' + a + ' ' + b + ' ' + contrast(a, b).toFixed(2));
for (const [theme, t] of Object.entries(tones)) {
	for (const [kind, hues] of [['own', ownHues], ['all', ownHues], ['library', libraryHues]])
		for (const h of hues)
			for (const [l, c] of t[kind]) {
				test(theme + kind, oklch(l, c, h), t.text);
				if (kind === 'library')
					test(theme + kind, oklch(l, c, h), t.text2);
			}
	for (let r = -1; r <= 1; r += .05)
		for (const isSure of [true, false])
			test(theme + ' change', changeColour(r, isSure, theme === 'dark'), t.text);
	for (const [i, hues] of [ownHues, libraryHues].entries())
		for (const h of hues)
			test(theme + ' lit', oklch(...t.lit[i], h), t.litText);
	for (const name of ['unnamed', 'root', 'rest'])
		test(theme + ' ' + name, t[name], t.text2);
	test(theme + ' match', t.match, t.text);
}
const css = readFileSync(process.argv[3], 'utf8'), pairs = 'fg bg,fg2 bg,fg3 bg,fg2 panel,fg3 panel,fg3 tint,fg2 tint,accent bg,accent tint,warn warnbg,more bg,less bg,fg self,fg2 total,fg tint,fg3 raise,bg accent,bad raise,fg3 code,fg2 code,fg code,more tint,less tint,accent panel,accent raise,fg2 raise,warn panel';
for (const theme of [2, 3]) {
	const v = Object.fromEntries([...css.matchAll(/--(\w+):light-dark\((#[0-9a-f]{3,6}),(#[0-9a-f]{3,6})\)/g)].map(m => [m[1], m[theme]]));
	for (const pair of pairs.split(','))
		test(theme + pair, ...pair.split(' ').map(name => v[name]));
}
const apart = (a, b) => Math.min(Math.abs(a - b), 360 - Math.abs(a - b));
console.log(low.length ? low.join('\n') : 'all pairs', Math.min(...ownHues.flatMap((a, i) => ownHues.slice(0, i).map(b => apart(a, b)))) >= 20);
END
	check 'text can be read on every colour' 0 "node colours.mjs $js $src/cmd/html/page.css" <<'END'
all pairs true
END
	# And prof-flame, which has them in C, draws a function as the page does.
	cat >same.mjs <<'END'
import {readFileSync} from 'node:fs';
import {gunzipSync} from 'node:zlib';
const [,, js, file, picture] = process.argv, load = name => import(js + '/' + name + '.mjs');
const {decodePage, unpackText} = await load('data'), {Computer} = await load('compute'), {Palette, changeColour} = await load('colour'), {SampleSizes, changeOf} = await load('change'), {State} = await load('state');
const [, zipped, text] = /id="data" data-z="(\d)">([^<]*)</.exec(readFileSync(file, 'latin1')), c = new Computer(decodePage(await unpackText(text, zipped === '1')));
c.run(Object.assign(new State({}), {hu: '0', cr: '0'}), c.D.head.def);
const svg = readFileSync(picture, 'utf8'), [, shades, , , , , , ...names] = gunzipSync(Buffer.from(/id="boxes">([^<]*)/.exec(svg)[1], 'base64')).toString().split('\n');
// Of a difference, as many boxes of which noise could be the reason.
if (shades) {
	const {tree} = c, sizes = new SampleSizes(c.D, c.column, c.D.samples.values[0]), doubt = [...tree.key.keys()].filter(i => i && tree.width[i] && !changeOf(...[0, 1].map(s => tree.total[s][i]), ...[0, 1].map(s => sizes.of(tree.total[s][i], s))).isSure).length;
	console.log(doubt, 'in doubt', shades.split(' ').length > doubt && doubt === shades.split('u').length - 1);
}
const steps = [-.75, -.35, -.12, -.03, 0, .03, .12, .35, .75];
globalThis.matchMedia = () => ({});
for (const [theme, css] of Object.entries({light: svg.split('@media')[0], dark: svg.split('@media')[1]})) {
	globalThis.document = {documentElement: {dataset: {theme}}};
	const palette = new Palette(c.D, c.keys), colour = Object.fromEntries([...css.matchAll(/\.c(\d+)\{color:(#\w+)/g)].map(m => [m[1], m[2]]));
	const pairs = shades ? shades.split(' ').slice(1).map(s => [s, colour[parseInt(s)], changeColour(steps[parseInt(s) - 55], true, theme === 'dark')])
		: [...c.keys.text.keys()].map(k => [c.keys.text[k], colour[parseInt(names.find(n => n.split('\t')[1] === c.keys.text[k]) || '')], palette.ofKey(k)]).filter(([, is]) => is);
	console.log(theme, new Set(pairs.map(p => p[1])).size > 3 ? 'several' : 'few', pairs.filter(([, is, want]) => is !== want).map(p => p.join(' ')).join(', '));
}
END
	mkprof own.txt >own.pb.gz
	printf '# cpu count\n@mapping 0x1000 0x2000 0 /usr/bin/app\na::f;b::g;std::h;0x1100;c::i 7\na::f;b::j;d::k 3\n' | mkprof >installed.pb.gz
	for n in 1 9; do
		awk -v n=$n 'BEGIN { print "# samples count cpu nanoseconds"; for (i = 0; i < 60; i++) { k = i % 4 == 1 ? n : 1; print "main;f" i % 4 ";g" i % 8 " " k " " k "00" } }' | mkprof >often$n.pb.gz
	done
	prof-diff often1.pb.gz often9.pb.gz >often.pb.gz
	for f in "$data/good-go-cpu-long.pb.gz" own.pb.gz installed.pb.gz diff.pb.gz; do
		prof-html -q --no-source -o page.html "$f" && prof-flame -q --min-width=0 -o same.svg "$f"
		check "prof-flame has the colours of the page: ${f##*/}" 0 "node same.mjs $js page.html same.svg | grep -v doubt" <<'END'
light several 
dark several 
END
	done
	prof-html -q --no-source -o page.html often.pb.gz && prof-flame -q --min-width=0 -o same.svg often.pb.gz
	check 'and its doubt' 0 "node same.mjs $js page.html same.svg | grep doubt" <<'END'
9 in doubt true
END
	printf '# samples count cpu nanoseconds\n[not sampled] 1 9000000\n' | mkprof >none.pb.gz
	prof-merge often9.pb.gz none.pb.gz | prof-diff often1.pb.gz - >often.pb.gz
	prof-html -q --no-source -o page.html often.pb.gz && prof-flame -q --min-width=0 -o same.svg often.pb.gz
	check 'time that was not sampled takes no samples away' 0 "node same.mjs $js page.html same.svg | grep doubt" <<'END'
9 in doubt true
END
	# A real profile of 29,000 boxes: a fifth of its page.
	prof-html -q --no-source -o page.html "$data/good-go-cpu-long.pb.gz" && prof-flame -q -o same.svg "$data/good-go-cpu-long.pb.gz"
	size=$(($(wc -c <same.svg) * 5)) page=$(wc -c <page.html)
	[ $size -gt 50000 ] && [ $size -le "$page" ] && ok 'an SVG is at most a fifth of the page' ||
		echo "$size $page" | not_ok 'an SVG is at most a fifth of the page'

	# What a change likely is, in words, by awk.
	cat >likely.mjs <<'END'
const {changeOf, likelyText} = await import(process.argv[2] + '/change.mjs');
for (const [before, after, na, nb] of [[169, 329, 169, 329], [2.7, 2.27, 270, 227], [10, 10, 10, 10], [1, 40, 6, 240], [500, 1, 1000, 2]])
	console.log(before, after, na, nb, likelyText(changeOf(before, after, na, nb)).replace(/\u202f/g, ' ').replace(/\u2212/g, '-'));
END
	node likely.mjs "$js" >got
	awk 'function percent(p) {
			return p >= 9.995 ? "×" sprintf(p < 99 ? "%.1f" : "%.0f", p + 1) : (p < 0 ? "-" : "+") sprintf("%.0f %%", (p < 0 ? -p : p) * 100)
		}
		{ m = log($2 / $1); h = 1.96 * sqrt(1 / $3 + 1 / $4)
		print $1, $2, $3, $4, "likely " percent(exp(m - h) - 1) " to " percent(exp(m + h) - 1) }' got >want
	[ -s want ] && cmp -s want got && ok 'what a change likely is' || diff want got | not_ok 'what a change likely is'

	# Colours of other pictures are the page's.
	cat >tokens.mjs <<'END'
import {readFileSync} from 'node:fs';
const css = readFileSync(process.argv[2], 'utf8'), header = readFileSync(process.argv[3], 'utf8'), wrong = [];
const of = theme => Object.fromEntries([...css.matchAll(/--(\w+):light-dark\((#[0-9a-f]{3,6}),(#[0-9a-f]{3,6})\)/g)].map(m => [m[1], m[theme]]));
const light = of(2), dark = of(3), all = [...header.matchAll(/define PALETTE_(DARK_)?(\w+) "(#\w+)"/g)];
for (const [, isDark, name, colour] of all)
	if ((isDark ? dark : light)[name.toLowerCase()] !== colour)
		wrong.push(name + ' ' + colour);
console.log(all.length, wrong.join());
END
	check 'texts and lines of all pictures have the colours of the page' 0 \
		"node tokens.mjs $src/cmd/html/page.css $src/cmd/lib/report/palette.h" <<'END'
14 
END

	# Rules of the style and functions of the script that nothing uses.
	cat >unused.mjs <<'END'
import {readFileSync} from 'node:fs';
const [,, css, ...files] = process.argv, read = f => readFileSync(f, 'utf8'), script = files.map(read).join('\n').replace(/^(import|export) .*|\/\/ .*/gm, '');
const count = name => script.split(new RegExp('(?<![\\w-])' + name + '(?![\\w-])')).length - 1;
const rules = [...read(css).replace(/\{[^{}]*\}/g, ' ').matchAll(/[.#]([a-z][\w-]*)/g)].map(m => m[1]), names = [...script.matchAll(/^\t?(?:async |get )?(?:function |class |const |let )?(\w+)(?: = |\([^()]*\) \{$| \{$)/gm)].map(m => m[1]);
console.log(rules.length > 99, names.length > 399, ...new Set(rules.filter(r => !count(r))), ...new Set(names.filter(n => n !== 'constructor' && count(n) < 2)));
END
	check 'nothing in the page is unused' 0 "node unused.mjs $src/cmd/html/page.css $src/cmd/html/skeleton.html $js/*.mjs" <<'END'
true true
END

	# Numbers as text: the same words from C and in the page.
	cat >numbers.mjs <<'END'
import {readFileSync} from 'node:fs';
const {formatValue} = await import(process.argv[2] + '/numbers.mjs');
for (const line of readFileSync('values', 'utf8').trim().split('\n'))
	console.log(formatValue(+line, process.argv[3], 'auto'));
END
	i=0
	for v in 1 12 125 999 1000 1001 1125 1375 2500 99949 99951 123456 500000 1000000 1125000 \
		10000000 99950000 3600000000 7199000000000 86400000000000; do
		echo $v
	done >values
	for unit in nanoseconds bytes count; do
		printf '# x %s\n' $unit >numbers.txt
		while read -r v; do
			echo "f$v $v" >>numbers.txt
		done <values
		mkprof numbers.txt >numbers.pb.gz
		while read -r v; do
			prof-text -q --unit=auto --focus="^f$v\$" numbers.pb.gz |
				sed -n "s/^ *\([^ ]*\) .* f$v\$/\1/p"
		done <values >want
		node numbers.mjs "$js" $unit >got
		cmp -s want got && [ -s want ] && ok "amounts in $unit read as in prof-text" ||
			diff want got | not_ok "amounts in $unit read as in prof-text"
	done
else
	skip 'the page says what prof-text says' 'no node'
fi

# --- the file

check 'a page' 0 'prof-html cpu.pb.gz >cpu.html; head -c 15 cpu.html; echo
	grep -c "<title>demo: cpu</title>" cpu.html' <<'END'
<!DOCTYPE html>
1
END
check 'readers without scripts get a table' 0 \
	'sed -n "/<noscript>/,/<.noscript>/p" cpu.html | grep -o "<td>helper\|<td>45.45%"' <<'END'
<td>45.45%
<td>45.45%
<td>helper
END
check 'equal bytes for equal input, whatever the order of samples' 0 \
	'(head -1 labels.txt; tail -n +2 labels.txt | sort -r) >turned.txt; mkprof turned.txt >turned.pb.gz
	 prof-html --no-compress labels.pb.gz >1; prof-html --no-compress turned.pb.gz | cmp 1 - && echo same
	 prof-html cpu.pb.gz | cmp - cpu.html && echo same' <<'END'
same
same
END
for what in style script; do
	sed -n "s/.*$what-src 'sha256-\([^']*\)'.*/\1/p" cpu.html >want
	awk -v tag="<$what>" '
		on { if (index($0, "</" substr(tag, 2)) == 1) exit; print }
		index($0, tag) == 1 { on = 1; print substr($0, length(tag) + 1) }' cpu.html |
		openssl dgst -sha256 -binary 2>/dev/null | base64 >got
	if ! have openssl; then
		skip "the policy has the hash of the $what" 'no openssl'
	elif cmp -s want got; then
		ok "the policy has the hash of the $what"
	else
		diff want got | not_ok "the policy has the hash of the $what"
	fi
done

cat >hostile.txt <<'END'
# cpu nanoseconds
main;</script><script>alert(1)</script>;<img/src=x> 5 {key="</script><b>"}
main;__proto__;constructor 3
END
mkprof hostile.txt >hostile.pb.gz
check 'names cannot end the data or make tags' 0 \
	'prof-html --title="</title><script>" hostile.pb.gz >h.html
	 grep -o "<script[^>]*>" h.html | sort | uniq -c | tr -s " "; grep -c "<img\|alert(1)</script>" h.html || true' <<'END'
 1 <script type="application/octet-stream" id="data" data-z="1">
 2 <script>
0
END
check 'nothing is loaded from anywhere' 0 \
	'grep -oE "https?:[^ \"'"'"']*|(src|href)=\"[^\"]*\"|style=\"|\son[a-z]+=\"" cpu.html | sort -u' <<'END'
href="data:,"
http://www.w3.org/2000/svg
END
grep -nE 'innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|setTimeout\(.["'\'']|\.on[a-z]+ *=' \
	"$js"/*.mjs "$src/cmd/flame/flame.mjs" >.why
[ -e "$js/main.mjs" ] && [ ! -s .why ] && ok 'scripts make no markup of text' || not_ok 'scripts make no markup of text' <.why
sed -n '/^<script>/,/^<\/script>/p' cpu.html | wc -c >.size
read -r size <.size
[ "$size" -gt 50000 ] && [ "$size" -le 115000 ] && ok 'the script has at most 115 kB' ||
	echo "$size bytes" | not_ok 'the script has at most 115 kB'
sed -n '/^<style>/,/^<\/style>/p' cpu.html | wc -c >.size
read -r size <.size
[ "$size" -gt 5000 ] && [ "$size" -le 17000 ] && ok 'the style has at most 17 kB' ||
	echo "$size bytes" | not_ok 'the style has at most 17 kB'
# All modules are joined into one function: names must differ.
sed -nE 's/^(async )?(function|class|const|let) ([A-Za-z0-9_]+).*/\3/p' "$js"/*.mjs | sort | uniq -d >.why
[ ! -s .why ] && ok 'names differ across modules' || not_ok 'names differ across modules' <.why

cat >doubtful.txt <<'END'
# cpu nanoseconds
@comment # sampling: clock=cpu asked_hz=500 achieved_hz=120 ticks=200 signals=200 lost=10 truncated=4 unwind_failed=12 untimed_threads=0
main;f 7
END
mkprof doubtful.txt >doubtful.pb.gz
check 'what is uncertain is in the page, in order' 0 \
	'prof-html -q --no-compress doubtful.pb.gz | grep -o "data-z=.0.>[^<]*" | cut -d">" -f2 | base64 -d |
		grep -a -A9 "^.warnings" | grep -ao "[0-9]* *[^0-9\"]*of [a-z ]*\|sampled at [^\"]*" | sed "s/[^ -~]*%/%/"' <<'END'
2% of stacks truncated
6% of stacks end early
5% of samples lost
sampled at 120 Hz, asked 500
END
check_err '--mean is refused' 2 'prof-html --mean cpu.pb.gz' 'do not add up'
check_err 'an unknown view' 2 'prof-html --view=none cpu.pb.gz' "unknown view 'none'; one of flame, sandwich,"
printf '#!/bin/sh\necho "$1" >>shown\n' >browser
chmod +x browser
check '--open starts the browser on the file' 0 \
	'BROWSER=none:./browser prof-html --open -o cpu.html cpu.pb.gz
	 XDG_RUNTIME_DIR=. BROWSER=./browser prof-html --open cpu.pb.gz
	 grep -c /cpu.html shown; grep -c "/prof-......\.html" shown; rm -f prof-*.html' <<'END'
1
1
END
check 'the profile is in the page if asked for' 0 \
	'prof-html --no-compress --embed-profile cpu.pb.gz | grep -o "data-z=.0.>[^<]*" | cut -d">" -f2 |
		base64 -d | grep -ac "EMBD"' <<'END'
1
END
plan
