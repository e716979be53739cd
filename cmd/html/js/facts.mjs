// facts.mjs - what a profile comes to in a few words: the functions and the line
// that say most about where it went.

import {lastPart} from './fit.mjs';
import {baseName} from './model.mjs';

const mostFacts = 4, wantedFacts = 3, mostCandidates = 100, factShare = .1, fillShare = .05, alike = .7, apart = .2, entryShare = .8, fairShare = 1.5, ownWorth = 1.25, leastLine = .01, mostOfFunction = 2, doubtWorth = 1e-9;
const glue = /^(operator\(\)|_M_invoke|__invoke|invoke|call_once|callers|systemstack|mcall|goexit|main\.func\d|func\d.*|\{.*|<lambda.*|main|Builtins_(CEntry|JS|Interp)\w*|_?Py(Object|Function|Eval|Run)_\w+|Py_\w*Main|pymain_\w+|__rust_\w+_short_backtrace|_start|__libc_start_\w+|start_thread|clone3?)$|\{(lambda|closure|shim)|::operator\(\)$|__invoke|gcBgMarkWorker/;

// Of each pair of candidates, what the second has below the first; in one pass.
function sharesOf(tree, list, n) {
	const number = new Int16Array(n).fill(-1), until = list.map(() => 0), below = list.map(() => new Float64Array(list.length)), open = [];
	list.forEach((k, i) => {
		number[k] = i;
	});
	for (let i = 1; i < tree.n; i++) {
		const c = number[tree.key[i]];
		if (c < 0 || i < until[c])
			continue;
		until[c] = tree.end[i];
		while (until[open.at(-1)] <= i)
			open.pop();
		open.push(c);
		for (const o of open)
			below[o][c] += Math.abs(tree.total[1][i]);
	}
	return (a, b) => below[number[a]][number[b]];
}

/*
 * First the up to 3 functions in different stacks that together have most; one
 * with over 60 % is worth less the more it has, as it divides nothing, and own code
 * more than others'. Of functions that hand nearly all on it is the first one.
 * Then, up to 4, what cuts across these: 10 % of all or, up to 3, 5 % itself, and
 * not mostly in the stacks of another.
 */
function findFacts(page) {
	const {keys: K, tree, sums, palette} = page, all = page.total().all, total = k => Math.abs(sums.total[1][k]), self = k => Math.abs(sums.self[1][k]), {first} = page.computer.structure, score = new Float64Array(K.n);
	const named = [...first.keys()].filter(k => K.name[k] && !palette.isUnnamed(k) && (!glue.test(lastPart(K.text[k])) || self(k) > .5 * total(k)));
	for (const k of named)
		score[k] = Math.min(total(k), fairShare * (all - total(k))) * (palette.isOwn(k) ? ownWorth : 1);
	const list = named.filter(k => total(k) >= factShare * all || self(k) > fillShare * all).sort((a, b) => score[b] - score[a] || first[a] - first[b]).slice(0, mostCandidates), below = sharesOf(tree, list, K.n);
	const entryOf = k => self(k) > .5 * total(k) ? k : list.filter(a => below(a, k) >= entryShare * total(a) && palette.isOwn(a) >= palette.isOwn(k)).sort((a, b) => total(b) - total(a) || first[a] - first[b])[0] ?? k;
	const entries = [...new Set(list.map(entryOf))], isApart = (k, chosen, share) => chosen.every(o => Math.max(below(o, k), below(k, o)) <= share * Math.min(total(k), total(o)));
	let out = [], most = 0;
	const choose = (chosen, from, worth) => {
		if (worth > most)
			[out, most] = [chosen, worth];
		for (let at = from; at < entries.length && chosen.length < wantedFacts; at++)
			if (total(entries[at]) >= factShare * all && isApart(entries[at], chosen, apart))
				choose([...chosen, entries[at]], at + 1, worth + score[entries[at]]);
	};
	choose([], 0, 0);
	for (const k of entries)
		if (out.length < (total(k) >= factShare * all ? mostFacts : wantedFacts) && !out.includes(k) && isApart(k, out, alike))
			out = [...out, k];
	return out.sort((a, b) => total(b) - total(a));
}

function hasNoOwn(D) {
	return !D.functions.own.some(own => own);
}

// Of own code, or of any if there is none: a line of malloc() is no answer.
function hasLines(D, isAny = hasNoOwn(D)) {
	return D.frames.line.some((line, f) => line && (isAny || D.functions.own[D.frames.fun[f]]));
}

// The frame, and one, that the line of each sample is of: the last of own code or,
// of any code, that in which it ends. 0: none.
function linesOfSamples(D, isAny) {
	const {n, parent, frame} = D.tree, {fun, line} = D.frames, {file, own} = D.functions, at = new Uint32Array(n);
	for (let i = 1; i < n; i++)
		at[i] = line[frame[i]] && file[fun[frame[i]]] && (isAny || own[fun[frame[i]]]) ? frame[i] + 1 : isAny ? 0 : at[parent[i]];
	return D.samples.node.map(i => at[i]);
}

// What the stacks with frames that are it add up to, before and after: as the Source view
// has it.
function totalsOf({D, counts, column}, isIt) {
	const {n, parent, frame} = D.tree, {node, values, side} = D.samples, has = new Uint8Array(n), sums = [0, 0];
	for (let i = 1; i < n; i++)
		has[i] = has[parent[i]] | isIt[frame[i]];
	node.forEach((i, s) => {
		if (counts[s] && has[i])
			sums[side[s] ? 0 : 1] += values[column][s];
	});
	return sums;
}

// The caller from which most of the change of a key itself comes: its key, noFrame if
// it is the root, and what the key has itself below it, before and after.
function findCaller(computer, k) {
	const {n, key, parent, self} = computer.treeAround([k]), callers = new Map();
	let change = 0;
	for (let i = 1; i < n; i++) {
		if (key[i] !== k)
			continue;
		const sums = callers.get(key[parent[i]]) || [0, 0];
		sums.forEach((v, side) => {
			sums[side] += self[side][i];
		});
		change += self[1][i] - self[0][i];
		callers.set(key[parent[i]], sums);
	}
	return [...callers].sort(([, a], [, b]) => (b[1] - b[0] - a[1] + a[0]) * change)[0];
}

/*
 * The line with most of what own code does or calls others for, each stack at
 * its last frame of own code; without any own code, the line of any that has most
 * itself. Of a difference, the one of both that surely changed most, or if none did,
 * that changed most; lines are counted from the function's first, and one that
 * changed far more than its function has moved. Of the function only, if named: the
 * line in which it changed most itself.
 * {name, file, line, amounts: before and after}, null if that is below 1 %.
 */
function findLine(page, only = '') {
	const {D, counts, isTwo} = page, {fun, line} = D.frames, {samples, functions: F} = D, v = samples.values[page.column], value = ([before, after]) => Math.abs(after - before);
	const nameOf = f => F.name[fun[f]] + '\n' + baseName(D.strings[F.file[fun[f]]]), idOf = f => nameOf(f) + '\n' + (line[f] - F.line[fun[f]]);
	let best = {amounts: [0, 0], weight: 0};
	for (const isAny of !hasLines(D, only) ? [] : only ? [true] : isTwo ? [false, true] : [hasNoOwn(D)]) {
		const at = page.steps.get('lines of samples', page.state.tr + page.column + isAny, () => linesOfSamples(D, isAny)), sums = new Map(), functions = new Map(), amounts = [0, 1].map(() => new Float64Array(D.frames.n));
		for (let s = 0; s < samples.n; s++)
			if (at[s] && counts[s])
				amounts[samples.side[s] ? 0 : 1][at[s] - 1] += v[s];
		const add = (map, id, f) => {
			const sum = map.get(id) || {amounts: [0, 0]};
			amounts.forEach((of, side) => {
				sum.amounts[side] += of[f];
			});
			sum.f = amounts[1][f] ? f : sum.f ?? f;
			map.set(id, sum);
			return sum;
		};
		fun.forEach((u, f) => {
			if ((amounts[0][f] || amounts[1][f]) && (!only || D.strings[F.name[u]] === only)) {
				const all = add(functions, nameOf(f), f);
				add(sums, idOf(f), f).all = all;
			}
		});
		for (const sum of sums.values()) {
			const weight = value(sum.amounts) * (isTwo && !page.changeOf(...sum.amounts).isSure ? doubtWorth : 1);
			if (weight > best.weight && (!isTwo || value(sum.amounts) <= mostOfFunction * value(sum.all.amounts)))
				best = {...sum, weight};
		}
	}
	const {f} = best;
	if (f === undefined || value(best.amounts) < leastLine * page.total().all)
		return null;
	const isIt = Uint8Array.from(fun, (u, g) => F.name[u] === F.name[fun[f]] && idOf(g) === idOf(f) ? 1 : 0);
	return {name: D.strings[F.name[fun[f]]], file: D.strings[F.file[fun[f]]], line: line[f], amounts: totalsOf(page, isIt)};
}

export {findCaller, findFacts, findLine, hasLines};
