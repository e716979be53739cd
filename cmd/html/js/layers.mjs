// layers.mjs - a layout of a small graph in layers: callers above, few crossings,
// lines that go straight where they can.

const sweeps = 24, moves = 30, waypointWidth = 14;

// Edges that close a cycle get isBack: heaviest first, depth first.
function turnCycles(nodes, edges) {
	const out = nodes.map((v, i) => edges.filter(e => e.from === i && e.to !== i).sort((a, b) => b.weight - a.weight)), state = new Uint8Array(nodes.length);
	for (const start of [...nodes.keys()].sort((a, b) => nodes[b].total - nodes[a].total)) {
		if (state[start])
			continue;
		const path = [[start, 0]];
		state[start] = 1;
		while (path.length) {
			const top = path.at(-1), e = out[top[0]][top[1]++];
			if (!e) {
				state[top[0]] = 2;
				path.pop();
			} else if (state[e.to] === 1) {
				e.isBack = true;
			} else if (!state[e.to]) {
				state[e.to] = 1;
				path.push([e.to, 0]);
			}
		}
	}
}

// The layer of each node: the longest path; roots sink to their first callee.
function chooseLayers(n, edges, above, below) {
	const layer = new Int32Array(n);
	for (let pass = 0, moved = true; moved && pass <= n; pass++) {
		moved = false;
		for (const e of edges)
			if (layer[below(e)] < layer[above(e)] + 1) {
				layer[below(e)] = layer[above(e)] + 1;
				moved = true;
			}
	}
	for (let i = 0; i < n; i++)
		if (!edges.some(e => below(e) === i)) {
			const callees = edges.filter(e => above(e) === i).map(e => layer[below(e)] - 1);
			if (callees.length)
				layer[i] = Math.max(0, Math.min(...callees));
		}
	return layer;
}

function crossings(layers, points) {
	let n = 0;
	for (const layer of layers) {
		const lines = layer.flatMap(v => v.down.map(([d]) => [v.at, points[d].at]));
		for (let i = 0; i < lines.length; i++)
			for (let j = i + 1; j < lines.length; j++)
				if ((lines[i][0] - lines[j][0]) * (lines[i][1] - lines[j][1]) < 0)
					n++;
	}
	return n;
}

// Crossings of the lines of two neighbours, a on the left.
function crossed(a, b, points) {
	const right = (x, y) => x.reduce((n, [u]) => n + y.filter(([v]) => points[u].at > points[v].at).length, 0);
	return right(a.up, b.up) + right(a.down, b.down);
}

function number(layers) {
	for (const layer of layers)
		layer.forEach((v, i) => {
			v.at = i;
		});
}

// Order each layer by where its neighbours are, and swap neighbours that cross.
function orderLayers(layers, points) {
	let best = Infinity, kept = layers;
	number(layers);
	for (let turn = 0; turn < sweeps && best > 0; turn++) {
		const isDown = turn % 2 === 0;
		for (const layer of isDown ? layers : layers.toReversed()) {
			for (const v of layer) {
				let sum = 0, weight = 0;
				for (const [u, w] of isDown ? v.up : v.down) {
					sum += points[u].at * w;
					weight += w;
				}
				v.wish = weight ? sum / weight : v.at;
			}
			layer.sort((a, b) => a.wish - b.wish || a.at - b.at);
			number([layer]);
		}
		for (const layer of layers)
			for (let i = 0; i + 1 < layer.length; i++)
				if (crossed(layer[i], layer[i + 1], points) > crossed(layer[i + 1], layer[i], points)) {
					[layer[i], layer[i + 1]] = [layer[i + 1], layer[i]];
					number([layer]);
				}
		const n = crossings(layers, points);
		if (n < best) {
			best = n;
			kept = layers.map(layer => layer.slice());
		}
	}
	number(kept);
	return kept;
}

// Move points of a layer towards their wishes; those that would overlap move
// together.
function settle(layer, wishes, gap) {
	const blocks = [];
	layer.forEach((v, i) => {
		blocks.push({items: [v], offsets: [0], n: 1, x: wishes[i]});
		while (blocks.length > 1) {
			const q = blocks.at(-1), p = blocks.at(-2), end = p.offsets.at(-1), room = end + p.items.at(-1).w / 2 + gap + q.items[0].w / 2;
			if (p.x + room <= q.x)
				break;
			p.x = (p.x * p.n + (q.x - room) * q.n) / (p.n + q.n);
			p.offsets.push(...q.offsets.map(o => o + room));
			p.items.push(...q.items);
			p.n += q.n;
			blocks.pop();
		}
	});
	for (const block of blocks)
		block.items.forEach((v, i) => {
			v.x = block.x + block.offsets[i];
		});
}

function placeLayers(layers, points, gapX, gapY) {
	for (const layer of layers) {
		let x = 0;
		for (const v of layer) {
			v.x = x + v.w / 2;
			x += v.w + gapX;
		}
		for (const v of layer)
			v.x -= x / 2;
	}
	for (let turn = 0; turn < moves; turn++)
		for (const layer of turn % 2 ? layers : layers.toReversed())
			settle(layer, layer.map(v => {
				let sum = 0, weight = 0;
				for (const [u, w] of [...v.up, ...v.down]) {
					const k = w * (v.isWaypoint && points[u].isWaypoint ? 8 : v.isWaypoint || points[u].isWaypoint ? 2 : 1);
					sum += points[u].x * k;
					weight += k;
				}
				return weight ? sum / weight : v.x;
			}), gapX);
	const left = Math.min(...points.map(v => v.x - v.w / 2));
	let y = 0;
	for (const layer of layers) {
		const h = Math.max(0, ...layer.map(v => v.h));
		for (const v of layer) {
			v.x -= left;
			v.y = y + h / 2;
		}
		y += h + gapY;
	}
	return y - gapY;
}

/*
 * Place nodes {w, h, total}, joined by edges {from, to, weight}: {points: x, y,
 * w, h of the nodes, then of waypoints, width, height}; edges get
 * path, the points that they pass, and isBack.
 */
function layOut(nodes, edges, gapX, gapY) {
	turnCycles(nodes, edges);
	const above = e => e.isBack ? e.to : e.from, below = e => e.isBack ? e.from : e.to, real = edges.filter(e => e.from !== e.to);
	const layer = chooseLayers(nodes.length, real, above, below), points = nodes.map((v, i) => ({w: v.w, h: v.h, id: i, layer: layer[i], up: [], down: []}));
	const join = (a, b, w) => {
		points[a].down.push([b, w]);
		points[b].up.push([a, w]);
	};
	for (const e of real) {
		let before = above(e);
		e.path = [before];
		for (let l = layer[before] + 1; l < layer[below(e)]; l++) {
			const id = points.length;
			points.push({w: waypointWidth, h: 0, id, layer: l, up: [], down: [], isWaypoint: true});
			join(before, id, e.weight);
			e.path.push(before = id);
		}
		join(before, below(e), e.weight);
		e.path.push(below(e));
	}
	const first = [];
	for (const v of points)
		(first[v.layer] = first[v.layer] || []).push(v);
	const layers = orderLayers(Array.from(first, l => l || []), points), height = placeLayers(layers, points, gapX, gapY);
	return {points, width: Math.max(...points.map(v => v.x + v.w / 2)), height};
}

export {layOut};
