// graph.mjs - the call graph that prof-dot laid out. It comes as text in the
// data and is rebuilt here, element by element, from a short list of what may
// be in it: whatever a name holds, it can only become text.

import {element} from './dom.mjs';

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

class GraphView {
	// choose(name): a box was clicked.
	constructor(host, bytes, choose) {
		this.host = host;
		this.bytes = bytes;
		this.choose = choose;
		this.svg = null;
	}

	show(note) {
		if (!this.bytes) {
			this.host.replaceChildren(element('p', {class: 'empty'}, 'This page has no call graph; Callers shows the neighbours of a function.'));
			return;
		}
		if (!this.svg)
			this.build();
		this.host.replaceChildren(...(note ? [element('p', {class: 'note'}, note)] : []), this.svg);
	}

	build() {
		const parsed = new DOMParser().parseFromString(new TextDecoder().decode(this.bytes), 'image/svg+xml');
		this.svg = copySvg(parsed.documentElement) || document.createElementNS(svgSpace, 'svg');
		this.svg.setAttribute('role', 'img');
		this.svg.setAttribute('aria-label', 'Call graph; the Callers view has the same as tables');
		const box = (this.svg.getAttribute('viewBox') || '0 0 100 100').split(/[ ,]+/).map(Number);
		this.home = box;
		this.set(box);
		this.svg.addEventListener('wheel', e => {
			e.preventDefault();
			this.zoom(Math.exp((e.deltaY > 0 ? 1 : -1) * .2), e);
		}, {passive: false});
		let start = null;
		this.svg.addEventListener('pointerdown', e => {
			start = {x: e.clientX, y: e.clientY, box: this.box};
		});
		this.svg.addEventListener('pointermove', e => {
			if (!start || !(e.buttons & 1))
				return;
			const k = start.box[2] / this.svg.clientWidth;
			this.set([start.box[0] - (e.clientX - start.x) * k, start.box[1] - (e.clientY - start.y) * k, start.box[2], start.box[3]]);
		});
		this.svg.addEventListener('pointerup', e => {
			const isClick = start && Math.abs(e.clientX - start.x) + Math.abs(e.clientY - start.y) < 4;
			start = null;
			const node = isClick && e.target.closest('.node'), title = node && node.querySelector('title');
			const label = node && [...node.querySelectorAll('title')].pop();
			if (title && label)
				this.choose(label.textContent.replace(/ \([^()]*\)$/, ''));
		});
		this.svg.addEventListener('dblclick', () => this.set(this.home));
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

export {GraphView};
