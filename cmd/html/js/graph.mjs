// graph.mjs - the call graph of what is shown, in the page: the functions that
// explain most, or one with its neighbours.

import {changeText} from './change.mjs';
import {button, element, on, svgElement} from './dom.mjs';
import {cutMiddle, shownName, textWidth} from './fit.mjs';
import {layOut} from './layers.mjs';
import {formatCount, shortShare} from './numbers.mjs';
import {edgesOf, largerSide, sidesOf} from './values.mjs';

const mostNodes = 25, mostNeighbours = 18, leastEdge = .012, boldness = 1.15, labelledEdge = .03, arrowBelow = .25, passOn = .88, passOnSelf = .03, leastScale = 11 / 12;

// The keys that explain most of what is below node z. One that hands nearly all
// on to one callee says little. If it does, a vote by weight finds which.
function rankKeys(page, z, total, own) {
	const {tree, keys: K, palette} = page, {key, parent, width, end} = tree, callee = new Int32Array(K.n).fill(-1), votes = new Float64Array(K.n), most = new Float64Array(K.n);
	for (let i = Math.max(1, z) + 1; i < end[z]; i++) {
		const k = key[i], up = key[parent[i]], w = width[i];
		if (!w || !parent[i] || up === k)
			continue;
		if (callee[up] === k) {
			votes[up] += w;
		} else if ((votes[up] -= w) < 0) {
			callee[up] = k;
			votes[up] = -votes[up];
		}
	}
	for (let i = Math.max(1, z) + 1; i < end[z]; i++)
		if (width[i] && parent[i] && callee[key[parent[i]]] === key[i])
			most[key[parent[i]]] += width[i];
	const rank = k => total(k) * (most[k] > passOn * total(k) && own(k) < passOnSelf * total(k) ? .06 : 1) * (palette.isOwn(k) ? 1.6 : 1) * (palette.isUnnamed(k) ? .2 : 1) + 2.2 * own(k);
	return K.text.map((t, k) => [rank(k), k]).filter(([, k]) => total(k) > 0).sort((a, b) => b[0] - a[0] || a[1] - b[1]).map(([, k]) => k);
}

/*
 * The nodes from z on of these keys, and nothing else: slot, which of the keys;
 * up, the nearest of them above, -1: none; isNext: is that the caller itself?
 * width, and from and end, by which one is seen to be below another.
 */
function shownNodes(tree, keys, z, nKey) {
	const {key, parent, end, width} = tree, slots = new Int16Array(nKey).fill(-1), near = new Int32Array(end[z] - z).fill(-1), out = {slot: [], up: [], isNext: [], width: [], from: [], end: []};
	keys.forEach((k, i) => {
		slots[k] = i;
	});
	for (let i = z; i < end[z]; i++) {
		const above = i > z ? near[parent[i] - z] : -1, at = i ? slots[key[i]] : -1;
		near[i - z] = above;
		if (at < 0 || !width[i])
			continue;
		near[i - z] = out.slot.length;
		out.slot.push(at);
		out.up.push(above);
		out.isNext.push(above >= 0 && out.from[above] === parent[i]);
		out.width.push(width[i]);
		out.from.push(i);
		out.end.push(end[i]);
	}
	return out;
}

// Edges between the first n of the keys of shownNodes(), of all: from the nearest
// caller of them, once a stack. Most of a direct one goes there without frames
// between.
function edgesBetween(nodes, n, all) {
	const {slot, up, isNext, width, from, end} = nodes, weight = new Float64Array(n * n), direct = new Float64Array(n * n), until = new Uint32Array(n * n);
	for (let i = 0; i < slot.length; i++) {
		let above = up[i];
		while (above >= 0 && slot[above] >= n)
			above = up[above];
		if (slot[i] >= n || above < 0 || slot[above] === slot[i])
			continue;
		const edge = slot[above] * n + slot[i];
		if (from[i] < until[edge])
			continue;
		until[edge] = end[i];
		weight[edge] += width[i];
		if (isNext[i] && above === up[i])
			direct[edge] += width[i];
	}
	// Of a graph in which all call all, what can be seen.
	const edges = [], least = Math.max(leastEdge * all, weight.slice().sort().at(-2 * n) || 0);
	for (let to = 0; to < n; to++) {
		let most = 0;
		for (let i = 0; i < n; i++)
			most = Math.max(most, weight[i * n + to]);
		for (let i = 0; i < n; i++) {
			const w = weight[i * n + to];
			if (w > 0 && (w >= least || w === most))
				edges.push({from: i, to, weight: w, isDirect: direct[i * n + to] >= .5 * w});
		}
	}
	return edges;
}

function neighbours(tree, key) {
	const all = edgesOf(tree, key).flatMap((side, callee) => side.map(e => ({callee, key: e.key, weight: Math.max(...e.value.map(Math.abs))}))).sort((a, b) => b.weight - a.weight), list = all.slice(0, mostNeighbours);
	const keys = [...new Set([key, ...list.map(e => e.key)])];
	return {keys, more: all.length - list.length, edges: list.filter(e => e.key !== key).map(e => {
		const ends = [keys.indexOf(e.key), 0];
		return {from: ends[e.callee], to: ends[1 - e.callee], weight: e.weight, isDirect: true};
	})};
}

class GraphView {
	constructor(host, page) {
		this.host = host;
		this.page = page;
		this.canvas = document.createElement('canvas').getContext('2d');
	}

	show(zoomed, facts, id) {
		const w = this.host.clientWidth, h = this.host.clientHeight;
		if (this.id === id + w + 'x' + h)
			return;
		this.id = id + w + 'x' + h;
		const {page} = this;
		if (!(page.tree.width[zoomed] > 0)) {
			this.host.replaceChildren(page.emptyNote());
			return;
		}
		this.zoomed = zoomed;
		this.all = page.tree.width[zoomed];
		this.paint(this.choose(zoomed, facts, w), w, h);
	}

	// As many nodes as fit into the width with text that can be read.
	choose(z, facts, w) {
		const {page} = this, {tree, keys: K} = page, around = page.state.gn ? K.text.indexOf(page.state.gn) : -1, pad = page.isPhone ? 16 : 32;
		const sums = this.sums = page.computer.sumsBelow(around < 0 ? z : 0);
		this.around = around;
		this.total = this.sum(sums.total);
		this.own = this.sum(sums.self);
		if (around >= 0) {
			const {keys, edges, more} = neighbours(page.computer.treeAround([around]), around);
			this.more = more;
			return this.lay(keys, edges);
		}
		const most = page.isPhone ? 12 : mostNodes, least = page.isPhone ? 5 : 8, ranked = rankKeys(page, z, this.total, this.own);
		const keys = [...new Set([...facts.filter(k => this.total(k) > 0), ...ranked.slice(0, most)])].slice(0, most), nodes = shownNodes(tree, keys, z, K.n);
		for (let limit = Math.min(most, keys.length); ; limit -= limit > 16 ? 2 : 1) {
			const made = this.lay(keys.slice(0, limit), edgesBetween(nodes, limit, this.all));
			if (made.width * leastScale <= w - pad || limit <= least)
				return made;
		}
	}

	sum(sides) {
		return k => largerSide(sides, k);
	}

	subText(k) {
		const {page} = this, own = this.own(k);
		if (page.isTwo)
			return changeText(page.changeOf(...sidesOf(this.sums.total, k)));
		return page.share(this.total(k)) + (own && !page.isPhone ? ' · self ' + page.share(own) : '');
	}

	lay(keys, edges) {
		const {page, canvas} = this, used = new Set(edges.flatMap(e => [e.from, e.to])), map = new Map(), nodes = [];
		keys.forEach((k, i) => {
			if (!used.has(i) && keys.length > 1 && this.own(k) < .02 * this.all && nodes.length)
				return;
			map.set(i, nodes.length);
			const name = shownName(page.keys.text[k]), label = cutMiddle(canvas, name, (page.isPhone ? 110 : 188) / boldness, 0) || name.slice(0, 12), sub = this.subText(k);
			nodes.push({key: k, label, sub, total: this.total(k), h: 44, w: Math.min(210, Math.max(96, textWidth(canvas, label, 0) * boldness + 22, textWidth(canvas, sub, 1) * 1.08 + 22))});
		});
		const kept = edges.filter(e => map.has(e.from) && map.has(e.to)).map(e => ({...e, from: map.get(e.from), to: map.get(e.to)}));
		return {...layOut(nodes, kept, page.isPhone ? 10 : 20, 30), nodes, edges: kept};
	}

	// The line of an edge, and its share at the middle.
	edge(e, points) {
		const {page} = this, path = e.path.map(i => points[i]), [a, b] = e.isBack ? [path.at(-1), path[0]] : [path[0], path.at(-1)], middle = (e.isBack ? path.toReversed() : path).slice(1, -1).map(v => [v.x, v.y]);
		const spread = (v, to) => v.x + Math.max(-v.w * .36, Math.min(v.w * .36, (to - v.x) * .22)), first = middle[0] || [b.x], last = middle.at(-1) || [a.x];
		const line = [[spread(a, first[0]), e.isBack ? a.y - a.h / 2 : a.y + a.h / 2], ...middle, [spread(b, last[0]), e.isBack ? b.y + b.h / 2 + 2 : b.y - b.h / 2 - 2]];
		let d = 'M' + line[0].map(x => x.toFixed(1));
		for (let i = 1; i < line.length; i++) {
			const [x0, y0] = line[i - 1], [x1, y1] = line[i], m = (y1 - y0) / 2;
			d += 'C' + [x0, y0 + m, x1, y1 - m, x1, y1].map(x => x.toFixed(1));
		}
		const share = e.weight / this.all, shape = svgElement('path', {d, fill: 'none', 'stroke-width': (1 + 9 * Math.min(1, share)).toFixed(2), stroke: page.palette.ofEdge(share), 'stroke-linecap': 'round',
			...(e.isDirect ? {} : {'stroke-dasharray': '2 4'}), ...(share < arrowBelow ? {'marker-end': 'url(#arrow)'} : {})});
		const [x, y] = line.length > 2 ? line[line.length >> 1] : [(line[0][0] + line.at(-1)[0]) / 2, (line[0][1] + line.at(-1)[1]) / 2];
		const label = share < labelledEdge ? null : svgElement('g', {}, svgElement('rect', {x: x - 20, y: y - 8, width: 40, height: 16, rx: 4, fill: page.palette.page, opacity: .92}),
			svgElement('text', {x, y: y + 4, 'text-anchor': 'middle', 'font-size': 11, fill: page.palette.text2}, page.isTwo ? shortShare(e.weight, page.tree.width[0]) : page.share(e.weight)));
		return {e, shape, label};
	}

	node(node, v, i, lines) {
		const {page} = this, k = node.key, x = v.x - v.w / 2, y = v.y - v.h / 2, own = Math.min(1, this.own(k) / this.all), change = page.isTwo && page.changeOf(...sidesOf(this.sums.total, k));
		const fill = change ? page.palette.ofChange(change) : page.colourOf(k, this.sums.total[1][k]), name = page.name(k).slice(0, 400), bar = more => svgElement('rect', {x: x + 10, y: y + v.h - 8, height: 3, rx: 1.5, ...more});
		const g = svgElement('g', {class: 'gn', tabindex: 0, role: 'button', 'data-key': k, 'data-name': name}, svgElement('title', {}, name),
			svgElement('rect', {x, y, width: v.w, height: v.h, rx: 7, fill, stroke: k === this.around ? page.palette.text : 'none', 'stroke-width': 2}),
			bar({width: v.w - 20, fill: page.palette.text, opacity: .12}), bar({width: ((v.w - 20) * own).toFixed(1), fill: change ? page.palette.text2 : page.palette.footOf(fill)}),
			svgElement('text', {x: x + 10, y: y + 16, 'font-size': 12, 'font-weight': 600, fill: page.palette.text}, node.label),
			svgElement('text', {x: x + 10, y: y + 30.5, 'font-size': 11, fill: page.palette.text}, node.sub));
		const dim = isOn => lines.forEach(({e, shape, label}) => [shape, label].forEach(s => s && s.classList.toggle('dimmed', isOn && e.from !== i && e.to !== i)));
		const choose = () => page.set({gn: page.state.gn === page.keys.text[k] ? '' : page.keys.text[k], sel: page.keys.text[k]});
		on(g, 'click', () => !this.isDragged && choose());
		on(g, 'keydown', e => e.key === 'Enter' && choose());
		on(g, 'dblclick', () => page.pivot(k));
		on(g, 'contextmenu', e => {
			e.preventDefault();
			page.rowMenu(k, e.clientX, e.clientY);
		});
		for (const [name, isOn] of [['mouseenter', true], ['focus', true], ['mouseleave', false], ['blur', false]])
			on(g, name, () => dim(isOn));
		return g;
	}

	paint({points, width, height, nodes, edges}, w, h) {
		const {page} = this, lines = edges.filter(e => e.from !== e.to).map(e => this.edge(e, points)), pad = page.isPhone ? 8 : 24;
		const svg = this.svg = svgElement('svg', {role: 'group', 'aria-label': 'Call graph; the table has the same numbers'}, svgElement('defs', {}, svgElement('marker', {id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: 'userSpaceOnUse', orient: 'auto'},
			svgElement('path', {d: 'M0,0.8 8,4 0,7.2Z', fill: 'context-stroke'}))), svgElement('g', {}, ...lines.map(l => l.shape)), svgElement('g', {}, ...lines.map(l => l.label)), svgElement('g', {}, ...nodes.map((n, i) => this.node(n, points[i], i, lines))));
		const fit = Math.min(1.25, (w - 2 * pad) / width, (h - 2 * pad - 16) / height), box = scale => [width / 2 - w / scale / 2, -pad - 16, w / scale, h / scale];
		this.whole = box(fit);
		this.home = box(Math.max(leastScale, fit));
		this.view(this.home);
		this.bindMouse(svg);
		const text = this.around >= 0 ? 'Neighbours of ' + shownName(page.keys.text[this.around]) + (this.more ? ' · ' + formatCount(this.more) + ' smaller left out' : '') + ' · click it again for all' :
			'The ' + formatCount(nodes.length) + ' functions that explain most · width of a line: share · dotted: frames between are left out' + (fit < leastScale ? ' · 0 shows all' : '');
		this.host.replaceChildren(svg, element('p', 'note', text), element('div', 'tools', ...[['−', 'smaller'], ['0', 'all of it'], ['+', 'larger']].map(([key, title]) =>
			button(key, {class: 'ic', title}, () => this.key(key === '−' ? '-' : key)))));
	}

	view(box) {
		this.box = box;
		this.svg.setAttribute('viewBox', box.map(v => v.toFixed(2)).join(' '));
	}

	key(key) {
		if (key === '0')
			this.view(this.box === this.home ? this.whole : this.home);
		else
			this.zoom(Math.exp(key === '+' ? -.2 : .2));
	}

	zoom(k, e) {
		const [x, y, w, h] = this.box, r = this.svg.getBoundingClientRect();
		const px = e ? x + (e.clientX - r.left) / r.width * w : x + w / 2, py = e ? y + (e.clientY - r.top) / r.height * h : y + h / 2;
		if (w * k > this.home[2] / 20 && w * k < this.home[2] * 10)
			this.view([px - (px - x) * k, py - (py - y) * k, w * k, h * k]);
	}

	bindMouse(svg) {
		let start = null;
		on(svg, 'wheel', e => {
			e.preventDefault();
			this.zoom(Math.exp((e.deltaY > 0 ? 1 : -1) * .15), e);
		}, {passive: false});
		on(svg, 'pointerdown', e => {
			this.isDragged = false;
			start = {x: e.clientX, y: e.clientY, box: this.box};
		});
		on(svg, 'pointermove', e => {
			if (!start || !(e.buttons & 1))
				return;
			const k = start.box[2] / svg.clientWidth;
			this.isDragged = this.isDragged || Math.abs(e.clientX - start.x) + Math.abs(e.clientY - start.y) > 4;
			this.view([start.box[0] - (e.clientX - start.x) * k, start.box[1] - (e.clientY - start.y) * k, start.box[2], start.box[3]]);
		});
		on(svg, 'pointerup', () => {
			start = null;
		});
	}
}

export {GraphView};
