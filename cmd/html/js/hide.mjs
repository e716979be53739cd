// hide.mjs - the structure that Hide leaves, made of the one without it: what has
// nothing hidden below it is copied as it is. makeStructure() makes the same of the
// stored tree, in four times the time, where this cannot.

import {cutFlag, unnamedFlag} from './data.mjs';
import {kindsOf, scratch} from './model.mjs';

// Has no key both hidden frames and others, or one that took no row?
function hidesWhole(D, K, hide, isBlank) {
	const seen = new Uint8Array(K.n);
	for (let f = 0; f < D.frames.n; f++)
		seen[K.of[f]] |= hide[f] ? 1 : 2;
	return seen.every((v, k) => v === 2 || !(v === 3 || (isBlank && isBlank[k])));
}

/*
 * Of each node: 1 if it is hidden and inlined, 2 if not, 3 if its frames differ, and
 * 4 if it is hidden or above such a node. null: too many for copies to pay.
 */
function findHidden(D, {tree, map}, hide, most) {
	const {n, parent, frame} = D.tree, {flags} = D.frames, out = scratch('hidden', tree.n, Uint8Array);
	let count = 0;
	for (let i = 1; i < n; i++) {
		if (!hide[frame[i]])
			continue;
		out[map[i]] |= flags[frame[i]] & 1 && parent[i] ? 1 : 2;
		for (let up = map[i]; out[up] < 4; up = tree.parent[up], count++)
			out[up] |= 4;
	}
	return count > most ? null : out;
}

// Is a node that is inlined still so? Not if what it is inlined into is hidden, up
// to a frame that is not inlined itself. null: only the stored tree knows.
function staysInlined(parent, hidden, i) {
	let up = parent[i];
	while (hidden[up] === 5)
		up = parent[up];
	return !up || hidden[up] === 7 ? null : hidden[up] === 6 ? 0 : 1;
}

// Does a stored stack, without its hidden frames, end in one without a name?
function endsUnnamed(D, hide, i) {
	while (i && hide[D.tree.frame[i]])
		i = D.tree.parent[i];
	return i && (D.frames.flags[D.tree.frame[i]] & (unnamedFlag | cutFlag)) === unnamedFlag;
}

/*
 * base: the structure without Hide; hide: bits of matchFrames(); isClosed: a frame
 * below one of its key joins it. null: it takes makeStructure().
 */
function hideFrames(D, K, base, hide, isClosed) {
	const {tree, map: from, isBlank} = base, {n} = tree, most = n / 8, hidden = hidesWhole(D, K, hide, isBlank) && findHidden(D, base, hide, most);
	if (!hidden)
		return null;
	const fields = ['parent', 'key', 'inlined', 'end', 'times'].filter(f => tree[f]), out = {};
	for (const f of fields)
		out[f] = new tree[f].constructor(n);
	const {parent, inlined, end, times} = out;
	// Where nodes went, and where each piece of the tree begins. A piece that is left to
	// do is one or more nodes, which become one; up: the node above it.
	const place = scratch('moved', n), runs = isClosed ? scratch('runs', n) : null, pieces = [], left = [{nodes: [0], up: 0, isInlined: 0}];
	let at = 0;
	while (left.length) {
		const {nodes, up, isInlined} = left.pop(), [i] = nodes, isWhole = nodes.length === 1 && !hidden[i], stop = isWhole ? tree.end[i] : i + 1, by = at - i;
		for (const f of fields)
			out[f].set(tree[f].subarray(i, stop), at);
		for (let j = i; j < stop; j++) {
			place[j] = j + by;
			parent[j + by] += by;
			end[j + by] += by;
		}
		parent[at] = up;
		inlined[at] = isInlined;
		if (pieces.push(at) > most)
			return null;
		if (!isWhole) {
			end[at] = at + 1;
			const below = new Map();
			for (const node of nodes) {
				place[node] = at;
				if (times)
					times[at] = Math.max(times[at], tree.times[node]);
				// What a hidden node has below it comes in its place, what joins this one, too.
				for (let c = node + 1, next; c < tree.end[node]; c = next) {
					const k = tree.key[c], isHidden = hidden[c] & 3, isJoined = !isHidden && isClosed && k === tree.key[i], stays = isHidden || !tree.inlined[c] ? 0 : staysInlined(tree.parent, hidden, c), known = below.get(k);
					if (stays === null)
						return null;
					if (isJoined) {
						let above = tree.parent[c];
						while (hidden[above] & 3)
							above = tree.parent[above];
						// Which of several runs goes on here only the stored tree knows.
						if (tree.times[above])
							return null;
						runs[c] = runs[above] + 1;
						times[at] = Math.max(times[at], runs[c] + tree.times[c]);
						inlined[at] &= stays;
					}
					next = tree.end[c];
					if (isHidden || isJoined) {
						place[c] = at;
						next = c + 1;
					} else if (known) {
						known.nodes.push(c);
						known.isInlined &= stays;
					} else {
						below.set(k, {nodes: [c], up: at, isInlined: stays});
					}
				}
			}
			for (const piece of [...below.values()].reverse())
				left.push(piece);
		}
		at += stop - i;
	}
	for (const i of pieces.reverse())
		end[parent[i]] = Math.max(end[parent[i]], end[i]);
	const map = new Uint32Array(D.tree.n);
	for (const i of D.samples.node) {
		if (isBlank && hidden[from[i]] & 3 && endsUnnamed(D, hide, i))
			return null;
		map[i] = place[from[i]];
	}
	for (const f of fields)
		out[f] = out[f].subarray(0, at);
	return {tree: {...out, n: at}, map, dropped: null, isBlank, ...kindsOf({...out, n: at}, K.n)};
}

export {hideFrames};
