// values.mjs - amounts over a structure: which samples count, sums of nodes
// and of keys, searches, callers and callees. All is linear in nodes and
// samples, and nothing recurses.

import {bareFlag, cutFlag, noFrame} from './data.mjs';
import {findUnit} from './numbers.mjs';
import {SlowPattern, compilePattern, stringTest} from './regexp.mjs';
import {ChildTable, GrowingTree, joinedNode, toPreorder} from './model.mjs';

// --- filters ---

// A name without its arguments: what --prune-from looks at.
function nameWithoutArguments(name) {
	for (const m of name.matchAll(/\(anonymous namespace\)|operator\(\)|\(/g))
		if (m[0] === '(')
			return name.slice(name[0] === '.' ? 1 : 0, m.index);
	return name.replace(/^\./, '');
}

// Of each frame: does the short name of its function match?
function matchNames(D, re) {
	const test = stringTest(re, D.strings.map(nameWithoutArguments)), {name} = D.functions;
	return Uint8Array.from(D.frames.fun, u => name[u] && test(name[u]) ? 1 : 0);
}

// Of each frame: 1 if the name or file of its function matches, 2 if its object
// does. An address without any line has a function of neither name nor file, and
// that is not asked.
function matchFrames(D, re) {
	const test = stringTest(re, D.strings), out = new Uint8Array(D.frames.n);
	const {fun, object, flags} = D.frames, {name, raw} = D.functions;
	for (let f = 0; f < out.length; f++) {
		const u = fun[f], isLine = !(flags[f] & (bareFlag | cutFlag)) && (test(name[u]) || test(raw[u]));
		out[f] = (isLine ? 1 : 0) | (D.objects[object[f]] && test(D.objects[object[f]]) ? 2 : 0);
	}
	return out;
}

// --- labels: [KEY=]RANGE or [KEY=]REGEX,..., as lib/ops/tagfilter.c ---

function measureOf(number, unit) {
	const found = findUnit(unit);
	return {x: number * (found ? found.unit[2] : 1), family: found ? found.family : null, unit};
}

// Is `have` of a kind that compares with `want`: 'yes', 'no', or 'bare': want
// has no unit.
function relationOf(want, have) {
	const word = s => s.toLowerCase().replace(/^(..+)s$/, '$1');
	if (want.family || have.family)
		return want.family === have.family ? 'yes' : want.unit ? 'no' : 'bare';
	return ['', 'count', 'sample', 'unit', word(have.unit)].includes(word(want.unit)) ? 'yes' : 'no';
}

// {low, high, unit...} of a range, null if it is none.
function parseRange(text) {
	const m = /^(?:([+-]?\d+)([a-zA-Z]*))?(?:(:)(?:([+-]?\d+)([a-zA-Z]*))?)?$/.exec(text);
	if (!m || (m[1] === undefined && m[4] === undefined))
		return null;
	const hasLow = m[1] !== undefined, hasHigh = !m[3] || m[4] !== undefined;
	const [a, unit] = hasLow ? [m[1], m[2]] : [m[4], m[5]], [b, own] = m[4] !== undefined ? [m[4], m[5]] : [a, unit];
	const low = measureOf(+a, unit), high = measureOf(+b, own || unit), relation = relationOf(low, high);
	return {low, high, hasLow, hasHigh, error: relation === 'yes' ? '' : relation === 'bare' ? "'" + text + "': the first number has no unit" :
		"'" + text + "': the units don't convert into each other"};
}

const baseLabel = {key: 'pprof::base', text: 'true', number: null, unit: ''};

/*
 * Which sets of labels an expression finds: {sets} or {error}; behind them the
 * same sets with the label that samples of a base have, which is found by its key
 * only. With a key one of the patterns has to match one of its values; without,
 * each has to match some 'key:value'.
 */
function matchLabels(D, text) {
	const eq = text.indexOf('='), key = eq < 0 ? null : text.slice(0, eq), rest = text.slice(eq + 1), range = parseRange(rest);
	if (range && range.error)
		return range;
	const made = range ? [] : rest.split(',').map(part => compilePattern(part)), bad = made.find(m => m.error);
	if (bad)
		return bad;
	const isHit = l => {
		const m = measureOf(l.number, l.unit), relation = relationOf(range.low, m);
		if (relation === 'bare' && key !== null)
			throw new RangeError("label '" + key + "' is in " + m.unit + ", but '" + rest + "' has no unit");
		return relation === 'yes' && (!range.hasLow || m.x >= range.low.x) && (!range.hasHigh || m.x <= range.high.x);
	};
	const finds = set => {
		const found = set.filter(l => (key === null ? l !== baseLabel : l.key === key) && (l.text === null) === Boolean(range));
		if (range)
			return found.some(isHit);
		return key === null ? made.every(m => found.some(l => m.re.test(l.key + ':' + l.text))) : found.some(l => made.some(m => m.re.test(l.text)));
	};
	try {
		const based = D.head.two ? D.labels.map(set => [...set, baseLabel]) : [];
		return {sets: Uint8Array.from([...D.labels, ...based], set => finds(set) ? 1 : 0)};
	} catch (e) {
		if (!(e instanceof RangeError) && !(e instanceof SlowPattern))
			throw e;
		return {error: e.message};
	}
}

/*
 * Of each sample: does it count? F: focus, ignore (of frames), labels and
 * notLabels (of sets), isNamed: a filter that drops empty stacks is on.
 */
function chooseSamples(D, structure, F) {
	const {n, node, labels, side} = D.samples, nSet = D.labels.length, out = new Uint8Array(n).fill(1);
	const {parent, frame} = D.tree;
	const bits = F.focus || F.ignore ? new Uint8Array(D.tree.n) : null;
	if (bits) {
		const marks = Uint8Array.from({length: D.frames.n}, (v, f) => (F.focus && F.focus[f] ? 1 : 0) | (F.ignore && F.ignore[f] ? 2 : 0));
		for (let i = 1; i < bits.length; i++)
			bits[i] = bits[parent[i]] | marks[frame[i]];
	}
	for (let s = 0; s < n; s++) {
		const i = node[s];
		if ((bits && ((F.focus && !(bits[i] & 1)) || bits[i] & 2)) ||
			(F.isNamed && structure.map[i] === 0) ||
			(structure.dropped && structure.dropped[i]) ||
			(F.labels && !F.labels[labels[s] + side[s] * nSet]) || (F.notLabels && F.notLabels[labels[s] + side[s] * nSet]))
			out[s] = 0;
	}
	return out;
}

// --- sums ---

const widthOf = {
	both: (a, b) => Math.max(Math.abs(a), Math.abs(b)),
	before: a => Math.abs(a),
	after: (a, b) => Math.abs(b),
	change: (a, b) => Math.abs(b - a),
};

// Add what each node has to all above it; v is changed and returned.
function addUpward(parent, v) {
	for (let i = v.length - 1; i > 0; i--)
		if (v[i])
			v[parent[i]] += v[i];
	return v;
}

/*
 * Fill in tree.total and width from tree.self, two sides each; 0 is before.
 * isTwo: there are two; isPlain: there is one, without negative values, so
 * widths are totals.
 */
function addUp(tree, width) {
	const {parent, self: [before, after], scale: [x, y], isTwo} = tree, f = widthOf[isTwo ? width : 'after'];
	tree.total = [isTwo ? addUpward(parent, before.slice()) : before, addUpward(parent, after.slice())];
	tree.width = tree.isPlain ? tree.total[1] : addUpward(parent, after.map((v, i) => f(before[i] * x, v * y)));
	return tree;
}

/*
 * The tree of the structure with values of a column: self, total (two sides
 * each) and width. In a page that is no difference all is on side 1. shares:
 * both sides are divided by their sums before widths are compared.
 */
function makeValues(D, structure, counts, column, width, shares) {
	const {tree, map} = structure, {n, node, side} = D.samples, v = D.samples.values[column];
	const isTwo = D.head.two, none = structure.none = structure.none || new Float64Array(tree.n);
	const self = [isTwo ? new Float64Array(tree.n) : none, new Float64Array(tree.n)], sum = [0, 0];
	let least = 0;
	for (let s = 0; s < n; s++) {
		if (!counts[s])
			continue;
		const to = side[s] ? 0 : 1;
		self[to][map[node[s]]] += v[s];
		sum[to] += Math.abs(v[s]);
		least = Math.min(least, v[s]);
	}
	const scale = shares ? sum.map(x => x > 0 ? 1 / x : 1) : [1, 1];
	return addUp({...tree, self, scale, widthName: width, isTwo, isPlain: !isTwo && least === 0}, width);
}

// Sums of each of n keys below node z, and of what z is itself: self and total, two
// sides each; a stack counts once. kinds: of kindsOf(); isIn: of each node, if only
// some of them count.
function sumKeys({key, end, self, total, isTwo}, n, kinds, z = 0, isIn) {
	const sides = () => [0, 1].map(() => new Float64Array(n)), out = {self: sides(), total: sides(), inlined: kinds};
	for (const side of isTwo ? [0, 1] : [1]) {
		const of = self[side], below = total[side], own = out.self[side], all = out.total[side], until = new Uint32Array(n);
		for (let i = Math.max(z, 1); i < end[z]; i++) {
			const k = key[i];
			if (isIn && !isIn[i])
				continue;
			own[k] += of[i];
			if (i >= until[k]) {
				until[k] = end[i];
				all[k] += below[i];
			}
		}
	}
	return out;
}

// sumKeys() of what node z of a drawn tree stands for, in the tree that counts, which
// has its frames without a name and its cycles. isBlank: of keys that take no row.
function sumKeysDrawn(counted, drawn, isBlank, cycle, n, kinds, z) {
	const {parent, key} = counted, at = new Uint32Array(counted.n), isIn = new Uint8Array(counted.n), table = new ChildTable(drawn);
	for (let i = 1; i < drawn.n; i++)
		table.add(i);
	for (let i = 1; i < counted.n; i++) {
		const q = at[parent[i]];
		at[i] = isBlank && isBlank[key[i]] ? q : joinedNode(drawn, q, key[i], cycle) || table.find(q, key[i]);
		isIn[i] = at[i] >= z && at[i] < drawn.end[z] ? 1 : 0;
	}
	return sumKeys(addUp({...counted, self: counted.self.map(side => side.map((v, i) => isIn[i] ? v : 0))}, 'after'), n, kinds, 0, isIn);
}

// What both sides have for k, before and after.
function sidesOf([before, after], k) {
	return [before[k], after[k]];
}

function largerSide([before, after], k) {
	return Math.max(Math.abs(before[k]), Math.abs(after[k]));
}

// Children that weigh anything, the heaviest first.
function heaviestChildren({end, width}, i) {
	const out = [];
	for (let c = i + 1; c < end[i]; c = end[c])
		if (width[c] > 0)
			out.push(c);
	return out.sort((a, b) => width[b] - width[a] || a - b);
}

// --- search ---

// What the nodes of these keys add up to: stacks once each, and themselves.
function sumMatches(tree, matches) {
	const sum = {total: [0, 0], self: [0, 0], boxes: 0};
	for (let i = 1, until = 0; i < tree.n; i++) {
		if (!matches[tree.key[i]])
			continue;
		sum.boxes++;
		for (let side = 0; side < 2; side++) {
			sum.self[side] += tree.self[side][i];
			if (i >= until)
				sum.total[side] += tree.total[side][i];
		}
		until = Math.max(until, tree.end[i]);
	}
	return sum;
}

// --- around some keys ---

// Nodes of these keys that no other of them is above.
function topmost(tree, wanted) {
	const out = [];
	for (let i = 1; i < tree.n;) {
		if (wanted[tree.key[i]]) {
			out.push(i);
			i = tree.end[i];
		} else {
			i++;
		}
	}
	return out;
}

function finishTree(t, self, tree) {
	const sorted = toPreorder(t), placed = [new Float64Array(t.n), new Float64Array(t.n)];
	for (let i = 0; i < t.n; i++)
		for (let side = 0; side < 2; side++)
			placed[side][sorted.place[i]] = self[side][i];
	const {scale, widthName, isTwo, isPlain} = tree;
	return addUp({...sorted, self: placed, scale, widthName, isTwo, isPlain}, widthName);
}

// All that is called below the wanted keys, joined: they are the first row.
function calleesTree(tree, wanted) {
	const starts = topmost(tree, wanted), t = new GrowingTree(tree.n + 1), to = new Uint32Array(tree.n);
	const self = [new Float64Array(tree.n + 1), new Float64Array(tree.n + 1)];
	for (const start of starts)
		for (let i = start; i < tree.end[start]; i++) {
			to[i] = t.child(i === start ? 0 : to[tree.parent[i]], tree.key[i], tree.inlined[i]);
			self[0][to[i]] += tree.self[0][i];
			self[1][to[i]] += tree.self[1][i];
		}
	return finishTree(t, self, tree);
}

// The callers above the wanted keys, from the nearest to the root. left: what comes
// from callers of callers for which a tree of so many nodes has no room.
function callersTree(tree, wanted, mostNodes = 12e6) {
	const amount = tree.total, depth = new Uint32Array(tree.n), starts = [];
	let room = 2;
	for (let i = 1; i < tree.n; i++)
		depth[i] = depth[tree.parent[i]] + 1;
	for (const i of topmost(tree, wanted)) {
		if (!amount[0][i] && !amount[1][i])
			continue;
		starts.push(i);
		room += depth[i];
	}
	const t = new GrowingTree(Math.min(room, mostNodes));
	let left = 0;
	const self = [new Float64Array(t.parent.length), new Float64Array(t.parent.length)];
	for (const start of starts) {
		let at = 0, i = start;
		for (; i && t.n < mostNodes; i = tree.parent[i])
			at = t.child(at, tree.key[i], tree.inlined[i]);
		left += i ? Math.abs(amount[1][start]) || Math.abs(amount[0][start]) : 0;
		self[0][at] += amount[0][start];
		self[1][at] += amount[1][start];
	}
	return {...finishTree(t, self, tree), left};
}

// Of each node: 1 if a node of these keys is it, above it or below it.
function relatedNodes(tree, matches) {
	const {n, parent, key} = tree, out = new Uint8Array(n);
	for (let i = n - 1; i > 0; i--) {
		if (matches[key[i]])
			out[i] = 2;
		if (out[i])
			out[parent[i]] = out[parent[i]] || 1;
	}
	for (let i = 1; i < n; i++)
		if (out[parent[i]] === 2)
			out[i] = 2;
	return out;
}

/*
 * The tree from the leaves to their callers, made as far as it is asked for: a
 * node is the places in the tree that it stands for, one frame up from those of
 * the node above it. As a tree: n grows, children(i) makes them.
 */
class InvertedTree {
	constructor(tree) {
		const {n, self} = tree, places = [];
		this.tree = tree;
		for (let i = 1; i < n; i++)
			if (self[0][i] || self[1][i])
				places.push(i);
		Object.assign(this, {key: [noFrame], parent: [0], inlined: [0], self: [[0], [0]], total: [[tree.total[0][0]], [tree.total[1][0]]], width: [0], made: new Map(), scale: tree.scale, isTwo: tree.isTwo});
		this.at = [places]; // where each node's places are now
		this.from = [places]; // and where they began: what they weigh
		for (const i of places)
			this.width[0] += this.weigh(i);
	}

	get n() {
		return this.key.length;
	}

	weigh(i) {
		const {self, scale} = this.tree;
		return Math.max(Math.abs(self[0][i] * scale[0]), Math.abs(self[1][i] * scale[1]));
	}

	// Nobody knows yet whether there are callers: those of the root's children.
	isLeaf(i) {
		return i > 0 && this.at[i].every(p => !this.tree.parent[p]);
	}

	children(i) {
		if (this.made.has(i))
			return this.made.get(i);
		const {tree} = this, groups = new Map(), at = this.at[i], from = this.from[i];
		for (let s = 0; s < at.length; s++) {
			const up = i ? tree.parent[at[s]] : at[s];
			if (!up)
				continue;
			let g = groups.get(tree.key[up]);
			if (!g)
				groups.set(tree.key[up], g = {at: [], from: [], inlined: 1, sums: [0, 0], width: 0});
			g.at.push(up);
			g.from.push(from[s]);
			g.inlined &= tree.inlined[up];
			g.sums[0] += tree.self[0][from[s]];
			g.sums[1] += tree.self[1][from[s]];
			g.width += this.weigh(from[s]);
		}
		const out = [];
		for (const [k, g] of groups) {
			out.push(this.key.length);
			this.key.push(k);
			this.parent.push(i);
			this.inlined.push(g.inlined);
			this.width.push(g.width);
			this.at.push(g.at);
			this.from.push(g.from);
			for (const side of [0, 1]) {
				this.total[side].push(g.sums[side]);
				this.self[side].push(g.at.reduce((v, p, s) => tree.parent[p] ? v : v + tree.self[side][g.from[s]], 0));
			}
		}
		out.sort((a, b) => this.width[b] - this.width[a] || a - b);
		this.made.set(i, out);
		return out;
	}
}

// Has an ancestor of node i the same key, below a node of key `above`?
function edgeAbove(tree, i, above) {
	for (let c = tree.parent[i]; c; c = tree.parent[c])
		if (tree.key[c] === tree.key[i] && tree.key[tree.parent[c]] === above)
			return true;
	return false;
}

/*
 * Callers and callees of a key: [{key, value: [before, after]}]. As prof-text --peek:
 * an edge counts once in a stack.
 */
function edgesOf(tree, key) {
	const sides = [new Map(), new Map()];
	const add = (map, k, i) => {
		const v = map.get(k) || [0, 0];
		v[0] += tree.total[0][i];
		v[1] += tree.total[1][i];
		map.set(k, v);
	};
	for (let i = 1; i < tree.n; i++) {
		const up = tree.parent[i];
		if (!up)
			continue;
		if (tree.key[i] === key && !edgeAbove(tree, i, tree.key[up]))
			add(sides[0], tree.key[up], i);
		if (tree.key[up] === key && !edgeAbove(tree, i, key))
			add(sides[1], tree.key[i], i);
	}
	return sides.map(map => [...map].map(([k, value]) => ({key: k, value})));
}

export {InvertedTree, calleesTree, callersTree, chooseSamples, edgesOf, heaviestChildren, largerSide, makeValues, matchFrames, matchLabels, matchNames, relatedNodes, sidesOf, sumKeys, sumKeysDrawn, sumMatches};
