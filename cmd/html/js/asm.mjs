// asm.mjs - the instructions of hot functions, below the source lines that they
// were made from or by address, with the calls that were inlined on the way.
// What each costs comes from the tree at the granularity of instructions, so
// filters, types and differences apply.

import {element} from './dom.mjs';
import {baseName} from './model.mjs';
import {displayName} from './numbers.mjs';

// Keys as makeKeys(): an instruction each, all other frames are key 0. Gives
// each function of the code `base`, the key of its first instruction.
function insnKeys(D, code) {
	const {object, high, low} = D.frames, id = f => object[f] + ' ' + high[f] + ' ' + low[f];
	const known = new Map(), of = new Uint32Array(D.frames.n);
	let n = 1;
	for (const fun of code.functions) {
		fun.base = n;
		n += fun.code.length;
		for (const [i, f] of fun.at)
			known.set(id(f), fun.base + i);
	}
	for (let f = 0; f < of.length; f++)
		of[f] = known.get(id(f)) || 0;
	return {of, n, isSorted: false};
}

// The frames of an instruction, innermost first: {name, file, line}.
function chainOf(code, insn) {
	const c = code.chains[insn[2]], out = [];
	for (let i = 0; i < c.length; i += 3)
		out.push({name: code.texts[c[i]], file: code.texts[c[i + 1]], line: c[i + 2]});
	return out;
}

/*
 * Instructions by the line of a function that they belong to: Map of line to
 * steps {fun, i, chain, level}; the frames below `level` were inlined there.
 */
function stepsOf(code, name, file) {
	const lines = new Map(), chains = new Map();
	for (const fun of code ? code.functions : [])
		fun.code.forEach((insn, i) => {
			if (!chains.has(insn[2]))
				chains.set(insn[2], chainOf(code, insn));
			const chain = chains.get(insn[2]);
			for (let level = 0; level < chain.length; level++) {
				const f = chain[level];
				if (f.name !== name || (f.file !== file && baseName(f.file) !== baseName(file)))
					continue;
				if (!lines.has(f.line))
					lines.set(f.line, []);
				lines.get(f.line).push({fun, i, chain, level});
				break;
			}
		});
	return lines;
}

// Each instruction of a function, with all of its frames.
function stepsByAddress(code, fun) {
	return fun.code.map((insn, i) => {
		const chain = chainOf(code, insn);
		return {fun, i, chain, level: chain.length};
	});
}

function placeText(f) {
	return f && f.file ? displayName(baseName(f.file)) + ':' + f.line : '';
}

/*
 * Rows of a table for steps: those of instructions, and before them those of
 * the inlined calls that differ from the last ones. cellsOf(k): {cells, weight}
 * of a key. lineText(frame): the source line, or ''.
 */
function stepRows(steps, cellsOf, lineText) {
	const rows = [];
	const row = (made, address, indent, text, place, kind) => {
		const code = element('td', {class: 'code', dir: 'ltr'}, displayName(text), element('span', 'place', place)), cells = made ? made.cells : [element('td', 'v'), element('td', 'v q')];
		code.style.paddingLeft = 8 + Math.min(indent, 20) * 12 + 'px';
		const tr = element('tr', {class: kind + (made && made.weight ? ' hot' + made.kind : ''), 'data-weight': made ? made.weight : null}, ...cells, element('td', 'no', address), code);
		rows.push(tr);
	};
	let last = null;
	for (const step of steps) {
		const insn = step.fun.code[step.i], frames = step.chain.slice(0, step.level).reverse();
		const before = last ? last.chain.slice(0, last.level).reverse() : [];
		if (last && (last.fun !== step.fun || last.i + 1 !== step.i))
			row(null, '⋯', 0, '', '', 'insn');
		let isSame = last !== null;
		frames.forEach((f, at) => {
			const b = before[at];
			isSame = isSame && Boolean(b) && b.name === f.name && b.file === f.file && b.line === f.line;
			if (!isSame)
				row(null, '', at, lineText(f) || f.name, f.name + ' ' + placeText(f), 'insn call');
		});
		row(cellsOf(step.fun.base + step.i), (BigInt('0x' + step.fun.start) + BigInt(insn[0])).toString(16), frames.length, insn[1], placeText(step.chain[0]), 'insn' + (step.isFar ? ' far' : ''));
		last = step;
	}
	return rows;
}

export {chainOf, insnKeys, stepRows, stepsByAddress, stepsOf};
