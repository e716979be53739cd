// page-rows.mjs - the page's own modules without a browser, for html.t:
//
//	node page-rows.mjs JS-FOLDER PAGE 'NAME=VALUE&...'   rows as prof-text --tsv
//	node page-rows.mjs JS-FOLDER PAGE stacks             stacks as prof-text --folded
//	node page-rows.mjs JS-FOLDER PAGE 'insns=1&...'      address, self, total of instructions
//	node page-rows.mjs JS-FOLDER PAGE - <QUESTIONS       of each line, which its rows begin with
//
// Names are those of the address: f, i, h, s, sf, tf, ti, g, noinlines, si.
import {readFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';

const [,, folder, file, asked] = process.argv;
const load = name => import(pathToFileURL(folder + '/' + name + '.mjs').href);
const {decodePage, unpackText} = await load('data');
const {makeKeys, makeStructure, pruned, withLabelRoots} = await load('model');
const {chooseSamples, makeValues, matchFrames, matchLabels, matchNames, sumKeys} = await load('values');
const {compilePattern} = await load('regexp');
const {insnKeys} = await load('asm');

const html = readFileSync(file, 'latin1');
const [, zipped, text] = /<script type="application\/octet-stream" id="data" data-z="(\d)">([^<]*)</.exec(html);
const page = decodePage(await unpackText(text, zipped === '1'));

// answer(QUESTION, PRINT): calls PRINT with each line.
function answer(asked, print) {
	let D = page;
	const Q = asked === 'stacks' ? {} : Object.fromEntries(new URLSearchParams(asked));
	const column = Q.si ? D.head.types.findIndex(t => t[0] === Q.si) : D.head.def;
	if (Q.tr)
		D = withLabelRoots(D, Q.tr.split(','), column);

	const match = name => Q[name] ? matchFrames(D, compilePattern(Q[name]).re) : null;
	const [hide, show, from, focus, ignore] = ['h', 's', 'sf', 'f', 'i'].map(match);
	const hidden = new Uint8Array(D.frames.n).map((v, f) =>
		(hide && hide[f]) || (show && !show[f]) || (Q.noinlines && D.frames.flags[f] & 1) ? 1 : 0);
	const K = Q.insns ? insnKeys(D, D.code) : makeKeys(D, Q.g || 'functions', false, Boolean(Q.noinlines));
	let structure = makeStructure(D, K, Q.insns ? null : hidden, from);
	if (Q.prunefrom)
		structure = pruned(D, structure, matchNames(D, compilePattern(Q.prunefrom).re), hidden);
	const counts = chooseSamples(D, structure, {focus, ignore,
		labels: Q.tf ? matchLabels(D, Q.tf).sets : null, notLabels: Q.ti ? matchLabels(D, Q.ti).sets : null,
		isNamed: Boolean(focus || ignore || hide || show)});
	const tree = makeValues(D, structure, counts, column, 'both', false);

	if (asked === 'stacks') {
		for (let i = 1; i < tree.n; i++) {
			if (!tree.self[1][i])
				continue;
			const names = [];
			for (let at = i; at; at = tree.parent[at])
				names.unshift(K.text[tree.key[at]]);
			print(names.join(';') + ' ' + tree.self[1][i]);
		}
	} else if (Q.insns) {
		const sums = sumKeys(tree, structure, K.n);
		for (const fun of D.code.functions)
			fun.code.forEach(([offset], i) => {
				const k = fun.base + i;
				if (sums.self[1][k] || sums.total[1][k])
					print((BigInt('0x' + fun.start) + BigInt(offset)).toString(16) + '\t' + sums.self[1][k] + '\t' + sums.total[1][k]);
			});
	} else {
		const sums = sumKeys(tree, structure, K.n);
		for (let k = 0; k < K.n; k++) {
			const flat = sums.self[1][k] - sums.self[0][k], cum = sums.total[1][k] - sums.total[0][k];
			if (flat || cum)
				print(flat + '\t' + cum + '\t' + K.text[k]);
		}
	}
}

if (asked === '-') {
	for (const question of readFileSync(0, 'utf8').trim().split('\n'))
		answer(question, row => console.log(question + '\t' + row));
} else {
	answer(asked, row => console.log(row));
}
