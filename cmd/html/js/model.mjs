// model.mjs - the structure: what a node is called at a granularity, and the
// stored tree of frames turned into a tree of such keys. Values come later
// (values.mjs); types, focus and labels never change a structure.

import {bareFlag, cutFlag, noFrame, unnamedFlag} from './data.mjs';

// --- keys ---

function addressText(frames, f) {
	return frames.high[f].toString(16).padStart(8, '0') + frames.low[f].toString(16).padStart(8, '0');
}

// As frames_base(): of "[kernel.kallsyms]_stext" what is in brackets.
function baseName(path) {
	const [bracketed] = /^\[[^\]]*\]/.exec(path) || [];
	if (bracketed)
		return bracketed;
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

// Of a tree the node at q or above, up to `cycle` rows, that a frame of this key joins;
// 0: none.
function joinedNode({key, parent}, q, wanted, cycle) {
	for (let up = cycle; up && q; up--, q = parent[q])
		if (key[q] === wanted)
			return q;
	return 0;
}

// The tree of a structure while it grows: joins frames of one key below one node.
class Joiner {
	/*
	 * K: keys; skips: frames without a name take no row; cycle: a frame joins an
	 * equal one up to so many rows above it. Siblings of one key are neighbours: only
	 * the last child can match, until two nodes were joined or a frame takes no row.
	 */
	constructor(D, K, room, {skips = false, cycle = 0} = {}) {
		Object.assign(this, {K, skips, cycle, flags: D.frames.flags});
		this.t = new GrowingTree(room);
		this.last = scratch('last', room);
		this.before = scratch('before', room);
		this.isMulti = scratch('multi', room, Uint8Array).fill(K.isSorted ? 0 : 1);
		this.times = cycle ? scratch('times', room) : null;
		// Keys of frames that take no row, null: there are none.
		this.isBlank = null;
		for (let f = 0; skips && f < D.frames.n; f++)
			if (this.isSkipped(f))
				(this.isBlank = this.isBlank || new Uint8Array(K.n))[K.of[f]] = 1;
	}

	becomeMulti(q) {
		if (this.isMulti[q])
			return;
		this.isMulti[q] = 1;
		for (let c = this.last[q]; c; c = this.before[c])
			this.t.children.add(c);
	}

	// The child of q with this key.
	child(q, key, isInlined) {
		const {t, last, isMulti} = this, youngest = last[q];
		let c = isMulti[q] ? t.children.find(q, key) : youngest && t.key[youngest] === key ? youngest : 0;
		if (c) {
			this.becomeMulti(c);
			t.inlined[c] &= isInlined;
			return c;
		}
		c = t.push(q, key, isInlined);
		this.before[c] = youngest;
		last[q] = c;
		if (isMulti[q])
			t.children.add(c);
		return c;
	}

	isSkipped(f) {
		return this.skips && this.flags[f] & unnamedFlag && !(this.flags[f] & cutFlag);
	}

	// Where what frame f calls goes, if f was called from q. deep: how many frames
	// in a row were joined; of f in this.deep.
	enter(q, f, isInlined, deep) {
		const key = this.K.of[f];
		this.deep = deep;
		if (this.isSkipped(f)) {
			this.becomeMulti(q);
			return q;
		}
		const at = this.cycle ? joinedNode(this.t, q, key, this.cycle) : 0;
		if (!at) {
			this.deep = 0;
			return this.child(q, key, isInlined);
		}
		this.deep++;
		this.times[at] = Math.max(this.times[at], this.deep);
		this.becomeMulti(at);
		this.t.inlined[at] &= isInlined;
		return at;
	}

	// Where samples go that end in f: in a frame without a name they keep a leaf.
	leaf(q, f) {
		return this.isSkipped(f) ? this.child(q, this.K.of[f], 0) : q;
	}

	// map: of each stored node a node of the tree that grew.
	finish(map, dropped) {
		const {t, K, isBlank} = this, tree = toPreorder(t), {place} = tree;
		for (let i = 0; i < map.length; i++)
			map[i] = place[map[i]];
		if (this.times) {
			tree.times = new Uint32Array(t.n);
			for (let i = 0; i < t.n; i++)
				tree.times[place[i]] = this.times[i];
		}
		return {tree, map, dropped, isBlank, ...kindsOf(tree, K.n)};
	}
}

// Of each stored node: does a stack end there?
function stackEnds(D) {
	const ends = new Uint8Array(D.tree.n);
	for (const node of D.samples.node)
		ends[node] = 1;
	return ends;
}

/*
 * What the filters leave of the lines of a location, leaf first: {lines,
 * isCut: show-from begins there, isPruned: prune-from ends there}. They ask
 * what lib/ops/filter.c asks of a location: all lines pass if the object does,
 * and a location without lines passes by its object alone. null: nothing.
 */
function linesLeft(lines, F, isBare) {
	const f = lines[0], byObject = m => m[f] & 2, byLine = m => g => m[g] & 1;
	if (F.hide) {
		if (byObject(F.hide))
			return null;
		lines = lines.filter(g => !byLine(F.hide)(g));
	}
	if (F.show) {
		if (isBare[f] & bareFlag)
			return null;
		if (!byObject(F.show))
			lines = lines.filter(byLine(F.show));
	}
	if (!lines.length)
		return null;
	let isCut = false, isPruned = false;
	if (F.from) {
		const at = lines.findLastIndex(byLine(F.from));
		isCut = Boolean(byObject(F.from)) || at >= 0;
		if (!byObject(F.from) && at >= 0)
			lines = lines.slice(0, at + 1);
	}
	if (F.prune) {
		const at = lines.findIndex(g => F.prune[g]);
		isPruned = at >= 0;
		lines = lines.slice(Math.max(at, 0));
	}
	return {lines: F.noInlines ? lines.slice(-1) : lines, isCut, isPruned};
}

// Of each frame: do the filters leave all of a location with none but such frames?
function plainFrames(D, F) {
	const {n, flags} = D.frames, out = new Uint8Array(n);
	for (let f = 0; f < n; f++)
		out[f] = (F.hide && F.hide[f]) || (F.show && (flags[f] & bareFlag || !F.show[f])) || (F.from && F.from[f]) || (F.prune && F.prune[f]) || (F.noInlines && flags[f] & 1) ? 0 : 1;
	return out;
}

// The structure with filters on frames: location by location, as a line can
// decide on others of its location.
function filteredStructure(D, K, F, folds) {
	const {n, parent, frame} = D.tree, {flags} = D.frames, ends = stackEnds(D), start = new Uint32Array(n);
	let room = 2;
	for (let i = 1; i < n; i++) {
		const isInlined = flags[frame[i]] & 1 && parent[i];
		start[i] = isInlined ? start[parent[i]] : i;
		if (!isInlined)
			ends[parent[i]] |= 2;
	}
	for (let i = 1; i < n; i++)
		for (let j = i; ends[i]; j = parent[j]) {
			room += 2;
			if (j === start[i])
				break;
		}
	const join = new Joiner(D, K, room, folds), walk = new Uint32Array(n), map = new Uint32Array(n), deep = new Uint32Array(folds.cycle ? n : 0);
	// lines: of a location; it never shrinks, which would cost a call for each.
	const lines = [], all = {lines}, isPlain = plainFrames(D, F);
	// tail: of each end of a location the last frame that is left, and one.
	const tail = new Uint32Array(n), dropped = F.from ? new Uint8Array(n) : null, cut = F.prune ? new Uint32Array(n) : null;
	if (dropped)
		dropped[0] = 1;
	for (let i = 1; i < n; i++) {
		if (!ends[i])
			continue;
		const above = parent[start[i]];
		let isAllPlain = 1, count = 0;
		for (let j = i; j !== above; j = parent[j]) {
			lines[count++] = frame[j];
			isAllPlain &= isPlain[frame[j]];
		}
		const left = isAllPlain ? all : linesLeft(lines.slice(0, count), F, flags);
		let q = walk[above], run = folds.cycle ? deep[above] : 0;
		tail[i] = tail[above];
		if (dropped && dropped[above])
			dropped[i] = left && left.isCut ? 0 : 1;
		if (cut)
			cut[i] = left && left.isPruned && !(dropped && dropped[i]) ? i : cut[above];
		const isLeft = left && !(dropped && dropped[i]), isWhole = isLeft && (isAllPlain || left.lines.length === count);
		if (!isWhole)
			join.becomeMulti(q);
		if (isLeft) {
			for (let at = isAllPlain ? count : left.lines.length, isInlined = 0; at; isInlined = 1) {
				q = join.enter(q, left.lines[--at], isInlined, run);
				run = join.deep;
				if (!isWhole)
					join.becomeMulti(q);
			}
			tail[i] = left.lines[0] + 1;
		}
		walk[i] = q;
		if (folds.cycle)
			deep[i] = run;
		const end = (cut && cut[i]) || i;
		map[i] = ends[i] & 1 && tail[end] ? join.leaf(walk[end], tail[end] - 1) : 0;
	}
	return join.finish(map, dropped);
}

/*
 * The tree of keys K of the stored tree. F: filters on frames: hide, show, from
 * and prune, bits of matchFrames() or null, and noInlines. folds: of Joiner.
 * Returns a tree in preorder with map, of each stored node where its samples
 * count, dropped: stored nodes whose samples do not, and isBlank: keys of frames
 * that took no row.
 */
function makeStructure(D, K, F = {}, folds = {}) {
	if (F.hide || F.show || F.from || F.prune || F.noInlines)
		return filteredStructure(D, K, F, folds);
	const {n, parent, frame} = D.tree, {flags} = D.frames, walk = new Uint32Array(n), map = folds.skips ? new Uint32Array(n) : walk;
	const ends = folds.skips ? stackEnds(D) : null, join = new Joiner(D, K, folds.skips ? 2 * n : n, folds), deep = new Uint32Array(folds.cycle ? n : 0);
	for (let i = 1; i < n; i++) {
		const f = frame[i], up = parent[i];
		const q = walk[i] = join.enter(walk[up], f, flags[f] & 1, folds.cycle ? deep[up] : 0);
		if (folds.cycle)
			deep[i] = join.deep;
		if (folds.skips)
			map[i] = ends[i] ? join.leaf(q, f) : q;
	}
	return join.finish(map, null);
}

// kinds: of each key: 1 always inlined, 2 never, 3 sometimes. first: its first node.
function kindsOf({n, key, inlined}, nKey) {
	const first = new Uint32Array(nKey), kinds = new Uint8Array(nKey);
	for (let i = 1; i < n; i++) {
		kinds[key[i]] |= inlined[i] ? 1 : 2;
		first[key[i]] = first[key[i]] || i;
	}
	return {kinds, first};
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

// Tables with a function and a frame more for each name: more says what else than 0
// these have in a column.
function withExtraFrames(D, names) {
	const {n, ...frames} = D.frames, longer = (columns, more) => Object.fromEntries(Object.entries(columns).map(([column, a]) => {
		const out = new a.constructor(a.length + names.length);
		out.set(a);
		out.set(more[column] || [], a.length);
		return [column, out];
	}));
	return {strings: [...D.strings, ...names], ...longer({packages: D.packages}, {}),
		functions: longer(D.functions, {name: names.map((v, g) => D.strings.length + g), pkg: names.map(() => D.packages.length)}),
		frames: {n: n + names.length, ...longer(frames, {fun: names.map((v, g) => D.functions.name.length + g)})}};
}

export {ChildTable, GrowingTree, baseName, joinedNode, kindsOf, makeKeys, makeStructure, scratch, toPreorder, withLabelRoots};
