// model.mjs - the structure: what a node is called at a granularity, and the
// stored tree of frames turned into a tree of such keys. Values come later
// (values.mjs); types, focus and labels never change a structure.

import {cutFlag, noFrame} from './data.mjs';

// --- keys ---

function addressText(frames, f) {
	return frames.high[f].toString(16).padStart(8, '0') + frames.low[f].toString(16).padStart(8, '0');
}

function baseName(path) {
	const end = path.replace(/\/+$/, '');
	return end.slice(end.lastIndexOf('/') + 1) || path;
}

// The parts of frame f that count at a granularity: as lib/report/frames.c.
function keyParts(D, f, by, columns, noInlines) {
	const fun = D.frames.fun[f], name = by === 'files' ? 0 : D.functions.name[fun];
	const file = by === 'functions' ? 0 : D.functions.file[fun];
	const isFine = by === 'lines' || by === 'addresses';
	const line = isFine ? D.frames.line[f] : 0;
	const column = isFine && (columns || (by === 'addresses' && !noInlines)) ? D.frames.column[f] : 0;
	const start = !name && by !== 'files' ? D.functions.line[fun] : 0;
	const object = !name && !(by === 'files' && file) ? D.frames.object[f] : 0;
	const address = by === 'addresses' && (D.frames.high[f] || D.frames.low[f]) ? addressText(D.frames, f) : '';
	return {name, file, line, column, start, object, address, cut: D.frames.flags[f] & cutFlag};
}

function keyText(D, k) {
	const words = [];
	if (k.cut)
		return '[cut]';
	if (k.address)
		words.push(k.address);
	if (k.name)
		words.push(D.strings[k.name]);
	if (k.line || k.file)
		words.push(D.strings[k.file] + (k.line ? ':' + k.line + (k.column ? ':' + k.column : '') : ''));
	else if (!k.name)
		words.push(k.object && D.strings[D.objects[k.object]]
			? '[' + baseName(D.strings[D.objects[k.object]]) + ']' : '<unknown>');
	return words.join(' ');
}

/*
 * Keys of all frames: of[frame] is its key; text, name (string), pkg and first
 * (a frame) of each key. isSorted: frames of one key are neighbours, so
 * siblings of one key are, too.
 */
function makeKeys(D, by, columns, noInlines) {
	const n = D.frames.n, of = new Uint32Array(n), known = new Map();
	const text = [], first = [], pkg = [], name = [];
	let isSorted = true;
	for (let f = 0; f < n; f++) {
		const k = keyParts(D, f, by, columns, noInlines);
		const id = k.name + ' ' + k.file + ' ' + k.line + ' ' + k.column + ' ' + k.start + ' ' +
			k.object + ' ' + k.address + ' ' + k.cut;
		let key = known.get(id);
		if (key === undefined) {
			key = text.length;
			known.set(id, key);
			text.push(keyText(D, k));
			name.push(k.name);
			first.push(f);
			pkg.push(D.functions.pkg[D.frames.fun[f]]);
		} else if (key !== of[f - 1]) {
			isSorted = false;
		}
		of[f] = key;
	}
	return {of, text, name, first, pkg, isSorted, n: text.length};
}

// --- growing trees ---

const kept = new Map();

// n zeros for a while, until the next call with this name: new memory would cost
// more than the work on it.
function scratch(name, n, Type = Uint32Array) {
	if (!kept.has(name) || kept.get(name).length < n) {
		kept.set(name, new Type(n));
		return kept.get(name);
	}
	return kept.get(name).subarray(0, n).fill(0);
}

// Children found by (parent, key), open addressing.
class ChildTable {
	constructor(tree) {
		this.tree = tree;
		this.resize(1024);
		this.count = 0;
	}

	resize(size) {
		const old = this.slots;
		this.slots = new Uint32Array(size);
		this.mask = size - 1;
		for (let i = 0; old && i < old.length; i++)
			if (old[i])
				this.insert(old[i]);
	}

	start(parent, key) {
		return (Math.imul(parent, 0x9E3779B1) ^ Math.imul(key + 1, 0x85EBCA6B)) >>> 7 & this.mask;
	}

	insert(node) {
		let at = this.start(this.tree.parent[node], this.tree.key[node]);
		while (this.slots[at])
			at = at + 1 & this.mask;
		this.slots[at] = node;
	}

	add(node) {
		if (++this.count * 2 > this.slots.length)
			this.resize(this.slots.length * 4);
		this.insert(node);
	}

	find(parent, key) {
		const {slots, mask, tree} = this;
		for (let at = this.start(parent, key); slots[at]; at = at + 1 & mask)
			if (tree.parent[slots[at]] === parent && tree.key[slots[at]] === key)
				return slots[at];
		return 0;
	}
}

// A tree that grows, until the next one does: node 0 is the root, children come
// after their parents.
class GrowingTree {
	constructor(room) {
		this.n = 1;
		this.parent = scratch('parent', room);
		this.key = scratch('key', room);
		this.inlined = scratch('inlined', room, Uint8Array);
		this.key[0] = noFrame;
		this.children = new ChildTable(this);
	}

	push(parent, key, isInlined) {
		const i = this.n++;
		this.parent[i] = parent;
		this.key[i] = key;
		this.inlined[i] = isInlined;
		return i;
	}

	// The child of this key, made if need be.
	child(parent, key, isInlined) {
		const found = this.children.find(parent, key);
		if (found) {
			this.inlined[found] &= isInlined;
			return found;
		}
		const i = this.push(parent, key, isInlined);
		this.children.add(i);
		return i;
	}
}

/*
 * Put nodes in preorder: {n, parent, key, inlined, end} where the nodes below
 * i are i + 1 to end[i] - 1; place[old] is the new index,
 * until the next tree is made.
 */
function toPreorder(t) {
	const {n, parent: up, key: keys, inlined: wasInlined} = t;
	const size = scratch('size', n).fill(1), place = scratch('place', n);
	for (let i = n - 1; i > 0; i--)
		size[up[i]] += size[i];
	// Where the next child of each node goes.
	const next = scratch('next', n), parent = new Uint32Array(n), key = new Uint32Array(n);
	const inlined = new Uint8Array(n), end = new Uint32Array(n);
	next[0] = 1;
	key[0] = keys[0];
	end[0] = n;
	for (let i = 1; i < n; i++) {
		const above = up[i], at = next[above];
		next[above] = end[at] = at + size[i];
		next[i] = at + 1;
		place[i] = at;
		parent[at] = place[above];
		key[at] = keys[i];
		inlined[at] = wasInlined[i];
	}
	return {n, parent, key, inlined, end, place};
}

// --- structure ---

/*
 * Samples end at the frame of `prune` that is nearest to their leaf: each
 * stored node's node in S, a structure, that its samples count for.
 */
function pruned(D, S, prune, hidden) {
	const {n, parent, frame} = D.tree, at = new Uint32Array(n), map = new Uint32Array(n);
	for (let i = 1; i < n; i++) {
		const f = frame[i];
		at[i] = prune[f] && !(hidden && hidden[f]) ? i : at[parent[i]];
		map[i] = S.map[at[i] || i];
	}
	return {...S, map};
}

/*
 * The tree of keys K of the stored tree. hidden: of each frame, or null; from:
 * frames at which stacks begin, or null. Returns a tree in preorder with map,
 * of each stored node its node there, and dropped: stored nodes whose samples
 * do not count.
 */
function makeStructure(D, K, hidden, from) {
	const {n, parent, frame} = D.tree, {of} = K;
	const t = new GrowingTree(n), last = scratch('last', n), before = scratch('before', n);
	const isMulti = scratch('multi', n, Uint8Array), map = new Uint32Array(n), {key: keys, inlined, children} = t;
	const dropped = from ? new Uint8Array(n) : null;
	const flags = D.frames.flags;
	// Of each stored node: the outermost frame of its address, and whether a
	// frame from there on matches. What a match was inlined into is left out.
	const start = from && new Uint32Array(n), hasMatch = from && new Uint8Array(n);
	if (dropped)
		dropped[0] = 1;
	isMulti.fill(K.isSorted ? 0 : 1);

	const becomeMulti = q => {
		if (isMulti[q])
			return;
		isMulti[q] = 1;
		for (let c = last[q]; c; c = before[c])
			children.add(c);
	};
	for (let i = 1; i < n; i++) {
		const f = frame[i], up = parent[i], key = of[f], isInlined = flags[f] & 1;
		let q = map[up];
		if (from) {
			const isMatch = from[f] && !(hidden && hidden[f]), isFirst = !isInlined || !hasMatch[up];
			start[i] = isInlined ? start[up] : i;
			hasMatch[i] = isMatch || !isFirst ? 1 : 0;
			if (dropped[up] && !isMatch) {
				dropped[i] = 1;
				continue;
			}
			if (dropped[up] || (isMatch && isInlined && isFirst)) {
				q = map[parent[start[i]]];
				becomeMulti(q);
			}
		}
		if (hidden && hidden[f]) {
			map[i] = q;
			becomeMulti(q);
			continue;
		}
		const youngest = last[q];
		let c = isMulti[q] ? children.find(q, key) : youngest && keys[youngest] === key ? youngest : 0;
		if (c) {
			becomeMulti(c);
			inlined[c] &= isInlined;
		} else {
			c = t.push(q, key, isInlined);
			before[c] = youngest;
			last[q] = c;
			if (isMulti[q])
				children.add(c);
		}
		map[i] = c;
	}
	const tree = toPreorder(t), {place} = tree;
	for (let i = 0; i < n; i++)
		map[i] = place[map[i]];
	return {tree, map, dropped, ...outermost(tree, K.n)};
}

// outer: of each node: is none of its ancestors of the same key? kinds: of each
// key: 1 always inlined, 2 never, 3 sometimes.
function outermost(tree, nKey) {
	const {n, parent, key, inlined} = tree;
	const inPath = new Uint32Array(nKey), kinds = new Uint8Array(nKey), outer = new Uint8Array(n), path = scratch('path', n + 1);
	let depth = 0;
	for (let i = 1; i < n; i++) {
		const k = key[i], up = parent[i];
		while (path[depth] !== up)
			inPath[key[path[depth--]]]--;
		outer[i] = inPath[k]++ ? 0 : 1;
		kinds[k] |= inlined[i] ? 1 : 2;
		path[++depth] = i;
	}
	return {outer, kinds};
}

/*
 * The page's data with a row of frames for the values of labels below the
 * root: the 64 heaviest combinations, others are one. A new D, for which all
 * else works as before.
 */
function withLabelRoots(D, keys, column) {
	const groupOf = D.labels.map(set => keys.map(key => {
		const values = set.filter(l => l.key === key).map(l => l.text === null ? l.number + l.unit : l.text);
		return values.length ? key + '=' + values.join(',') : key + ': none';
	}).join(' '));
	const weight = new Map();
	for (let s = 0; s < D.samples.n; s++) {
		const group = groupOf[D.samples.labels[s]];
		weight.set(group, (weight.get(group) || 0) + Math.abs(D.samples.values[column][s]));
	}
	const order = [...weight.keys()].sort((a, b) => weight.get(b) - weight.get(a) || (a < b ? -1 : 1));
	const names = order.length > 64 ? [...order.slice(0, 64), '[other]'] : order;
	const index = new Map(order.map((g, i) => [g, Math.min(i, names.length - 1)]));

	const bySample = new Uint32Array(D.samples.n).map((v, s) => index.get(groupOf[D.samples.labels[s]]));
	const parent = [0], frame = [noFrame], node = new Uint32Array(D.samples.n);
	const to = new Uint32Array(D.tree.n), stamp = new Int32Array(D.tree.n);
	names.forEach((name, g) => {
		const root = parent.length, touched = [];
		parent.push(0);
		frame.push(D.frames.n + g);
		for (let s = 0; s < D.samples.n; s++)
			for (let i = D.samples.node[s]; bySample[s] === g && i && stamp[i] !== g + 1; i = D.tree.parent[i]) {
				stamp[i] = g + 1;
				touched.push(i);
			}
		touched.sort((a, b) => a - b);
		for (const i of touched) {
			to[i] = parent.length;
			parent.push(D.tree.parent[i] ? to[D.tree.parent[i]] : root);
			frame.push(D.tree.frame[i]);
		}
		for (let s = 0; s < D.samples.n; s++)
			if (bySample[s] === g)
				node[s] = D.samples.node[s] ? to[D.samples.node[s]] : root;
	});
	return {...D, ...withExtraFrames(D, names),
		tree: {n: parent.length, parent: Uint32Array.from(parent), frame: Uint32Array.from(frame)},
		samples: {...D.samples, node}};
}

// Tables with a function and a frame more for each name.
function withExtraFrames(D, names) {
	const longer = (a, more) => {
		const out = new a.constructor(a.length + more.length);
		out.set(a);
		out.set(more, a.length);
		return out;
	};
	const zeros = names.map(() => 0), F = D.frames, U = D.functions;
	const name = names.map((v, g) => D.strings.length + g);
	return {
		strings: [...D.strings, ...names],
		packages: {name: longer(D.packages.name, [0]), hue: longer(D.packages.hue, [12])},
		functions: {name: longer(U.name, name), file: longer(U.file, zeros), raw: longer(U.raw, zeros),
			line: longer(U.line, zeros), pkg: longer(U.pkg, names.map(() => D.packages.name.length))},
		frames: {n: F.n + names.length, fun: longer(F.fun, names.map((v, g) => U.name.length + g)),
			line: longer(F.line, zeros), column: longer(F.column, zeros), flags: longer(F.flags, zeros),
			object: longer(F.object, zeros), high: longer(F.high, zeros), low: longer(F.low, zeros)},
	};
}

export {GrowingTree, baseName, makeKeys, makeStructure, outermost, pruned, toPreorder, withLabelRoots};
