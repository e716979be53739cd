// page-rows.mjs - the page's own modules without a browser, for html.t:
//
//	node page-rows.mjs JS-FOLDER PAGE 'NAME=VALUE&...'   rows as prof-text --tsv
//	node page-rows.mjs JS-FOLDER PAGE stacks             stacks as prof-text --folded
//	node page-rows.mjs JS-FOLDER PAGE 'insns=1&...'      address, self, total of instructions
//	node page-rows.mjs JS-FOLDER PAGE 'source=1&...'  functions, their lines and instructions
//	node page-rows.mjs JS-FOLDER PAGE - <QUESTIONS       of each line, which its rows begin with
//	node page-rows.mjs JS-FOLDER PAGE 'random=N&seed=N'  random questions, a tab, options of prof-text
//
// Names are those of the address: f, i, h, s, sf, tf, ti, g, noinlines, si.
import {readFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';

const [,, folder, file, asked] = process.argv;
const load = name => import(pathToFileURL(folder + '/' + name + '.mjs').href);
const {decodePage, unpackText} = await load('data');
const {Computer} = await load('compute');
const {makeStructure} = await load('model');
const {makeValues, sumKeys} = await load('values');
const {insnKeys, stepsOf} = await load('asm');
const {linesOf} = await load('source');
const {State} = await load('state');

const html = readFileSync(file, 'latin1');
const [, zipped, text] = /<script type="application\/octet-stream" id="data" data-z="(\d)">([^<]*)</.exec(html);
const page = decodePage(await unpackText(text, zipped === '1'));

function insnSums(D, c) {
	const I = insnKeys(D, D.code), structure = makeStructure(D, I);
	return sumKeys(makeValues(D, structure, c.counts, c.column, 'both', false), I.n);
}

// As the Source view has it, at g=lines: "function file", "self total line:text",
// and below, for an instruction, its address, values, text and inlined calls.
function printSource(D, c, print) {
	const {sums, keys: K} = c, insns = D.code && insnSums(D, c), net = (s, k) => k === undefined ? '0 0' : s.self[1][k] - s.self[0][k] + ' ' + (s.total[1][k] - s.total[0][k]);
	for (const b of D.sources || []) {
		const lines = linesOf(K, D, b.name, b.file), steps = stepsOf(D.code, b.name, b.file);
		print('= ' + b.name + ' ' + b.file + (b.why ? ' ' + b.why : ''));
		for (const at of [...new Set([...Object.keys(b.lines).map(i => b.first + Number(i)), ...lines.keys()])].sort((a, b) => a - b)) {
			print(net(sums, lines.get(at)) + ' ' + at + ':' + (b.lines[at - b.first] ?? '???'));
			for (const {fun, i, chain, level} of steps.get(at) || [])
				print('  ' + (BigInt('0x' + fun.start) + BigInt(fun.code[i][0])).toString(16) + ' ' + net(insns, fun.base + i) + ' ' + fun.code[i][1] + chain.slice(0, level).reverse().map(f => ' ; ' + f.name + ' ' + f.file.replace(/.*\//, '') + ':' + f.line).join(''));
		}
	}
}

// answer(QUESTION, PRINT): calls PRINT with each line.
function answer(asked, print) {
	const Q = asked === 'stacks' ? {hu: '0', cr: '0'} : Object.fromEntries(new URLSearchParams(asked)), c = new Computer(page), S = Object.assign(new State({}), Q);
	c.run(S, Q.si ? page.head.types.findIndex(t => t[0] === Q.si) : page.head.def);
	const {D, tree, sums, keys: K} = c;
	for (const [name, why] of c.errors)
		print('error\t' + name + '\t' + why);

	if (asked === 'stacks') {
		for (let i = 1; i < tree.n; i++) {
			if (!tree.self[1][i])
				continue;
			const names = [];
			for (let at = i; at; at = tree.parent[at])
				names.unshift(K.text[tree.key[at]]);
			print(names.join(';') + ' ' + tree.self[1][i]);
		}
	} else if (Q.source) {
		printSource(D, c, print);
	} else if (Q.insns) {
		const sums = insnSums(D, c);
		for (const fun of D.code.functions)
			fun.code.forEach(([offset], i) => {
				const k = fun.base + i;
				if (sums.self[1][k] || sums.total[1][k])
					print((BigInt('0x' + fun.start) + BigInt(offset)).toString(16) + '\t' + sums.self[1][k] + '\t' + sums.total[1][k]);
			});
	} else {
		for (let k = 0; k < K.n; k++) {
			const flat = sums.self[1][k] - sums.self[0][k], cum = sums.total[1][k] - sums.total[0][k];
			if (flat || cum)
				print(flat + '\t' + cum + '\t' + K.text[k]);
		}
	}
}

// N states with words of the profile's own names, and what to ask prof-text.
function randomQuestions(n, seed) {
	const random = below => (seed = Math.imul(seed, 1103515245) + 12345 & 0x7fffffff) % 65521 % below;
	const pick = list => list[random(list.length)], D = page, F = D.functions;
	const words = [...new Set([...F.name, ...F.raw, ...D.objects].map(i => D.strings[i]).flatMap(s => s.split(/[^A-Za-z0-9_.:-]+/)).flatMap(s => [s, s.split(/::|\./)[0], s.split(/::|\./).at(-1)]))].filter(w => /^[A-Za-z_]/.test(w));
	const pattern = () => [() => pick(words), () => pick(words) + '|' + pick(words), () => '^' + pick(words), () => pick(words) + '$', () => pick(words).slice(0, 3)][random(5)]();
	const labels = D.labels.flat(), label = () => {
		const l = pick(labels);
		return l.text === null ? l.key + '=' + [l.number + ':', ':' + l.number, String(l.number)][random(3)].replace(/\d+/, d => d + (l.unit === 'bytes' ? 'b' : ''))
			: [() => l.key + '=' + l.text, () => l.key + '=' + l.text + ',' + pick(labels).text, () => l.text, () => l.text + ',' + pick(labels).key, () => '^' + l.key + ':' + l.text + '$'][random(5)]();
	};
	const parts = [['f', 'focus', pattern], ['i', 'ignore', pattern], ['h', 'hide', pattern], ['s', 'show', pattern], ['sf', 'show-from', pattern], ['prunefrom', 'prune-from', pattern],
		...(labels.length ? [['tf', 'tagfocus', label], ['ti', 'tagignore', label]] : []), ['g', '', () => pick(['functions', 'filefunctions', 'files', 'lines', 'addresses'])],
		['noinlines', 'noinlines', () => '1'], ['si', 'sample-index', () => pick(D.head.types)[0]]];
	for (let i = 0; i < n; i++) {
		const chosen = parts.filter(() => random(10) < 3).map(([name, option, make]) => [name, option, make()]);
		const query = [...chosen.map(([name, , v]) => name + '=' + encodeURIComponent(v)), ...(random(2) ? ['hu=1'] : []), ...(random(2) ? ['cr=' + (1 + random(2))] : [])].join('&');
		const text = chosen.map(([, option, v]) => option ? '--' + option + (option === 'noinlines' ? '' : '=' + v) : '--' + v).join(' ');
		if (query && !/[^A-Za-z0-9_.:=,|^$ /-]/.test(text))
			console.log(query + '\t' + text);
	}
}

if (/^random=/.test(asked)) {
	const Q = new URLSearchParams(asked);
	randomQuestions(+Q.get('random'), +Q.get('seed'));
} else if (asked === '-') {
	for (const question of readFileSync(0, 'utf8').trim().split('\n'))
		answer(question, row => console.log(question + '\t' + row));
} else {
	answer(asked, row => console.log(row));
}
