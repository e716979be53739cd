// graph.mjs - the call graph that prof-dot laid out. It comes as text in the
// data and is rebuilt here, element by element, from a short list of what may
// be in it: whatever a name holds, it can only become text.

import {emptyNote, on} from './dom.mjs';

const svgSpace = 'http://www.w3.org/2000/svg';
const svgElements = new Set(['svg', 'g', 'path', 'polygon', 'polyline', 'ellipse', 'text', 'title']);
const svgAttributes = new Set(['d', 'points', 'fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'x', 'y', 'cx', 'cy', 'rx', 'ry',
	'text-anchor', 'font-size', 'transform', 'viewBox', 'class']);

function copySvg(from) {
	if (from.nodeType === Node.TEXT_NODE)
		return document.createTextNode(from.data);
	if (from.nodeType !== Node.ELEMENT_NODE)
		return null;
	const tag = from.localName === 'a' ? 'g' : from.localName;
	if (!svgElements.has(tag))
		return null;
	const to = document.createElementNS(svgSpace, tag);
	for (const {name, value} of from.attributes)
		if (svgAttributes.has(name) && !/url|script/i.test(value))
			to.setAttribute(name, value);
	for (const child of from.childNodes) {
		const copy = copySvg(child);
		if (copy)
			to.append(copy);
	}
	return to;
}

function svgElement(tag, attributes, ...children) {
	const e = document.createElementNS(svgSpace, tag);
	for (const [name, value] of Object.entries(attributes))
		e.setAttribute(name, value);
	e.append(...children);
	return e;
}

/*
 * One function between its heaviest callers and callees. edges: [callers,
 * callees] of edgesOf(); text: its amounts; name(k), amount(v), choose(k).
 */
function drawNeighbours(key, text, edges, name, amount, choose) {
	const sides = edges.map(list => list.slice(0, 12)), rows = Math.max(1, ...sides.map(list => list.length)), middle = rows * 21;
	const most = Math.max(1, ...sides.flat().map(e => Math.abs(e.value[1])));
	const svg = svgElement('svg', {viewBox: '0 0 1080 ' + rows * 42, role: 'img', 'font-size': 12, 'aria-label': 'Callers and callees; the Callers view has the same as tables'});
	const box = (k, x, y, more) => {
		const full = name(k), node = svgElement('g', {class: 'node'}, svgElement('title', {}, full),
			svgElement('rect', {x, y: y - 15, width: 260, height: 30, rx: 4, fill: k === key ? '#ddebfb' : '#f6f8fa', stroke: '#57606a'}),
			svgElement('text', {x: x + 130, y: y - 2, 'text-anchor': 'middle'}, full.length > 38 ? full.slice(0, 37) + '…' : full),
			svgElement('text', {x: x + 130, y: y + 11, 'text-anchor': 'middle', fill: '#57606a'}, more));
		on(node, 'click', () => choose(k));
		svg.append(node);
	};
	sides.forEach((list, side) => list.forEach((edge, i) => {
		const y = middle + (i - (list.length - 1) / 2) * 42, x = side ? 810 : 10, from = side ? 670 : 270, to = from + 140;
		const [y1, y2] = side ? [middle, y] : [y, middle];
		svg.append(svgElement('path', {d: 'M' + from + ',' + y1 + 'C' + (from + 60) + ',' + y1 + ' ' + (to - 60) + ',' + y2 + ' ' + to + ',' + y2, fill: 'none',
			stroke: '#a8b1bb', 'stroke-width': 1 + 6 * Math.abs(edge.value[1]) / most}));
		box(edge.key, x, y, amount(edge.value));
	}));
	box(key, 410, middle, text);
	return svg;
}

class GraphView {
	// choose(name): a box was clicked.
	constructor(host, bytes, choose) {
		this.host = host;
		this.bytes = bytes;
		this.choose = choose;
		this.svg = null;
	}

	// note: elements above the graph; instead: a drawing shown in its place.
	show(note, instead) {
		if (instead) {
			this.host.replaceChildren(...note, instead);
			return;
		}
		if (!this.bytes) {
			this.host.replaceChildren(emptyNote('This page has no call graph; Callers shows the neighbours of a function.'));
			return;
		}
		if (!this.svg)
			this.build();
		this.host.replaceChildren(...note, this.svg);
	}

	key(key) {
		if (this.svg && key === '0')
			this.set(this.home);
		else if (this.svg)
			this.zoom(Math.exp(key === '+' ? -.2 : .2));
	}

	build() {
		const parsed = new DOMParser().parseFromString(new TextDecoder().decode(this.bytes), 'image/svg+xml');
		this.svg = copySvg(parsed.documentElement) || document.createElementNS(svgSpace, 'svg');
		this.svg.setAttribute('role', 'img');
		this.svg.setAttribute('aria-label', 'Call graph; the Callers view has the same as tables');
		const box = (this.svg.getAttribute('viewBox') || '0 0 100 100').split(/[ ,]+/).map(Number);
		this.home = box;
		this.set(box);
		on(this.svg, 'wheel', e => {
			e.preventDefault();
			this.zoom(Math.exp((e.deltaY > 0 ? 1 : -1) * .2), e);
		}, {passive: false});
		let start = null;
		on(this.svg, 'pointerdown', e => {
			start = {x: e.clientX, y: e.clientY, box: this.box};
		});
		on(this.svg, 'pointermove', e => {
			if (!start || !(e.buttons & 1))
				return;
			const k = start.box[2] / this.svg.clientWidth;
			this.set([start.box[0] - (e.clientX - start.x) * k, start.box[1] - (e.clientY - start.y) * k, start.box[2], start.box[3]]);
		});
		on(this.svg, 'pointerup', e => {
			const isClick = start && Math.abs(e.clientX - start.x) + Math.abs(e.clientY - start.y) < 4;
			start = null;
			const node = isClick && e.target.closest('.node'), title = node && node.querySelector('title');
			const label = node && [...node.querySelectorAll('title')].pop();
			if (title && label)
				this.choose(label.textContent.replace(/ \([^()]*\)$/, ''));
		});
		on(this.svg, 'dblclick', () => this.set(this.home));
	}

	set(box) {
		this.box = box;
		this.svg.setAttribute('viewBox', box.join(' '));
	}

	zoom(k, e) {
		const [x, y, w, h] = this.box, r = this.svg.getBoundingClientRect();
		const px = e ? x + (e.clientX - r.left) / r.width * w : x + w / 2;
		const py = e ? y + (e.clientY - r.top) / r.height * h : y + h / 2;
		if (w * k > this.home[2] / 200 && w * k < this.home[2] * 10)
			this.set([px - (px - x) * k, py - (py - y) * k, w * k, h * k]);
	}
}

export {GraphView, drawNeighbours};
