// flame.mjs - flame graphs on a canvas that is as large as its window. Boxes
// narrower than a pixel are added up; a click on their sum opens a window of
// siblings. Hovering moves an outline and never redraws the picture.

import {byId, element, isPlainKey, on} from './dom.mjs';
import {boxFonts, fitText, lastPart, textWidth} from './fit.mjs';
import {formatCount} from './numbers.mjs';
import {heaviestChildren} from './values.mjs';

const leastRow = 20, mostRow = 24, mostPixels = 16e3, restRoom = 110, windowBox = 8, windowLeast = 16, thinBox = 6;
const foldShare = .99, foldSelf = .005, foldLeast = 4, foldWorth = .5;

/*
 * One graph in an element. owner: texts and colours of boxes, and what a click
 * does: text(tree, i), fill(tree, i), rightText(tree, i), choose(view, box),
 * hover(view, box, event), menu(view, i, x, y), pivot(k), matches (of keys, or
 * null), related(tree) (of nodes: 1 in a stack with a match), litKey, byName.
 */
class FlameView {
	// isRootless: the row of the root is left out; rowHeight: of all rows.
	constructor(host, owner, label, {isRootless = false, isCallers = false, rowHeight = 0} = {}) {
		Object.assign(this, {host, owner, isRootless, isCallers, fixedRow: rowHeight});
		this.canvas = element('canvas', {role: 'application', tabindex: '0', 'aria-roledescription': 'flame graph', 'aria-label': label});
		this.spacer = element('div', 'spacer');
		this.outline = element('div', {class: 'outline', hidden: true});
		host.replaceChildren(this.spacer, this.canvas, this.outline);
		this.context = this.canvas.getContext('2d');
		this.tree = null;
		this.rows = [];
		this.zoomed = 0;
		this.cursor = -1;
		this.sorted = new Map();
		on(host, 'scroll', () => {
			this.outlineAt(null);
			this.draw();
		});
		on(this.canvas, 'mousemove', e => this.hover(e));
		on(this.canvas, 'mouseleave', e => this.leave(e));
		on(this.canvas, 'click', e => this.click(e));
		on(this.canvas, 'contextmenu', event => this.menu(event));
		on(this.canvas, 'keydown', e => this.key(e));
		on(this.canvas, 'focus', () => this.canvas.matches(':focus-visible') && this.speak());
		on(this.canvas, 'blur', () => this.draw());
	}

	// windowFrom: the first child of the root that is shown, -1: all are; folds:
	// boxes that hand all on are one row.
	show(tree, zoomed, {windowFrom = -1, isUp = false, folds = false} = {}) {
		if (tree !== this.tree) {
			this.sorted = new Map();
			this.cursor = -1;
		}
		Object.assign(this, {tree, zoomed, windowFrom, isUp, folds});
		this.leave(null);
		this.layout();
		if (!this.find(this.cursor))
			this.cursor = -1;
		this.draw();
	}

	// Children that weigh anything, in the order in which they are drawn.
	children(i) {
		const known = this.sorted.get(i);
		if (known)
			return known;
		const {key} = this.tree, out = heaviestChildren(this.tree, i);
		if (out.length < 2)
			return out;
		if (this.owner.byName) {
			const name = c => this.owner.text(this.tree, c);
			out.sort((a, b) => name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : key[a] - key[b]);
		}
		this.sorted.set(i, out);
		return out;
	}

	// Sizes are read first: to read one after a write lays the page out again.
	layout(isAgain) {
		const {tree, zoomed, windowFrom, folds, owner} = this, {clientWidth, clientHeight} = this.host, w = owner.isPrinting ? 1000 : clientWidth || 800;
		const id = [zoomed, windowFrom, folds, owner.byName, w, this.isUp].join(), isNew = tree !== this.placedTree || id !== this.placedId;
		this.width = w;
		this.hostHeight = clientHeight;
		if (isNew)
			this.place(w);
		this.placedTree = tree;
		this.placedId = id;
		const fits = Math.floor((clientHeight - 8) / Math.max(1, this.rows.length));
		this.rowHeight = this.fixedRow || (owner.isPhone ? mostRow : Math.max(leastRow, Math.min(mostRow, fits)));
		this.resize(isNew);
		// A scroll bar came or went.
		if (!isAgain && this.host.clientWidth !== clientWidth)
			this.layout(true);
	}

	/*
	 * On the heaviest path, while it has half of the picture: boxes that hand nearly
	 * all that the first of them has on to the next, which are one row. Of each first
	 * box the list of them.
	 */
	foldedRuns() {
		const {tree: {width, self, end}, zoomed} = this, runs = new Map(), isIdle = (i, most) => end[i] > i + 1 && Math.abs(self[0][i]) + Math.abs(self[1][i]) < foldSelf * most;
		for (let at = zoomed, next; at !== undefined && width[at] >= foldWorth * width[zoomed]; at = next) {
			const most = width[at], run = at && isIdle(at, most) ? [at] : [];
			[next] = this.children(at);
			for (; run.length && next !== undefined && width[next] >= foldShare * most && isIdle(next, most); [next] = this.children(next))
				run.push(next);
			if (run.length >= foldLeast)
				runs.set(at, run);
		}
		return runs;
	}

	// The box of a node, or of what is folded from it on.
	boxOf(node, x, scale) {
		const run = this.runs.get(node), last = run ? run.at(-1) : node;
		return {node: last, x, w: this.tree.width[last] * scale, scale, run};
	}

	// Fill in the rows: boxes from left to right.
	place(w) {
		const {tree, zoomed} = this, stack = [];
		this.rows = [];
		if (!tree || !(tree.width[0] > 0) || !(tree.width[zoomed] > 0))
			return;
		this.runs = this.folds && !this.isRootless && this.windowFrom < 0 ? this.foldedRuns() : new Map();
		const first = this.boxOf(zoomed, 0, w / tree.width[zoomed]);
		if (!this.isRootless)
			this.put(0, first);
		this.placeChildren(first.node, this.isRootless ? 0 : 1, 0, first.w, this.windowFrom, stack);
		while (stack.length) {
			const box = stack.pop();
			this.placeChildren(box.node, box.depth + 1, box.x, tree.width[box.node] * box.scale, -1, stack, box.scale);
		}
	}

	put(depth, box) {
		while (this.rows.length <= depth)
			this.rows.push([]);
		this.rows[depth].push(box);
	}

	// The stack gets the children from right to left: rows fill from the left.
	placeChildren(i, depth, x, w, from, stack, knownScale) {
		const {tree} = this, list = this.children(i), base = stack.length;
		let scale = knownScale || w / tree.width[i], until = list.length;
		const isWindow = from >= 0;
		from = Math.max(from, 0);
		if (isWindow) {
			// As many siblings as fit at a width that can be read.
			let sum = 0, n = 0;
			while (from + n < list.length) {
				const next = sum + tree.width[list[from + n]];
				if (n >= windowLeast && tree.width[list[from + n]] * (w - restRoom) / next < windowBox)
					break;
				sum = next;
				n++;
			}
			until = from + n;
			scale = (until < list.length ? w - restRoom : w) / sum;
		}
		let rest = 0, restWidth = 0, first = -1;
		for (let c = from; c < until; c++) {
			const node = list[c], bw = tree.width[node] * scale;
			if (bw < 1) {
				if (first < 0)
					first = c;
				rest++;
				restWidth += bw;
				continue;
			}
			const box = {...this.boxOf(node, x, scale), depth};
			this.put(depth, box);
			if (tree.end[box.node] > box.node + 1)
				stack.push(box);
			x += bw;
		}
		if (rest && restWidth >= 1)
			this.put(depth, {node: i, x, w: restWidth, rest, from: first});
		if (until < list.length)
			this.put(depth, {node: i, x: w - restRoom + 1, w: restRoom - 1, rest: list.length - until, from: until});
		stack.push(...stack.splice(base).reverse());
	}

	resize(isNew) {
		// On paper there is all of it, in twice the dots if a canvas can be so tall.
		const {isPrinting} = this.owner, height = this.rows.length * this.rowHeight + 4, ratio = isPrinting ? Math.min(2, mostPixels / height) : devicePixelRatio || 1;
		const {canvas} = this, shown = this.height = isPrinting ? height : Math.max(this.hostHeight, 20);
		this.spacer.style.height = height + 'px';
		const [w, h] = [this.width, shown].map(size => Math.round(size * ratio));
		if (canvas.width !== w || canvas.height !== h) {
			Object.assign(canvas, {width: w, height: h});
			Object.assign(canvas.style, {width: this.width + 'px', height: shown + 'px'});
			this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
		}
		if (isNew && this.isUp && height > shown)
			this.host.scrollTop = height;
	}

	// Where a row begins; growing up, the first one stands at the foot.
	top(depth) {
		const all = Math.max(this.rows.length * this.rowHeight + 4, this.height - 2);
		return this.isUp ? all - (depth + 1) * this.rowHeight - 1 : depth * this.rowHeight + 1;
	}

	scroll() {
		return this.owner.isPrinting || this.rows.length * this.rowHeight < this.height - 4 ? 0 : this.host.scrollTop;
	}

	draw() {
		const {context, owner, tree, rowHeight} = this, scroll = this.scroll(), {palette} = owner;
		context.globalAlpha = 1;
		context.fillStyle = palette.page;
		context.fillRect(0, 0, this.width, this.height);
		context.textBaseline = 'middle';
		if (!tree)
			return;
		this.related = owner.matches ? owner.related(tree) : null;
		// By colour, as a change of colour costs more than a box.
		const thin = new Map();
		for (let depth = 0; depth < this.rows.length; depth++) {
			const y = this.top(depth) - scroll;
			if (y < -rowHeight || y > this.height)
				continue;
			for (const box of this.rows[depth]) {
				if (box.w > thinBox || box.rest || palette.isOutline) {
					this.drawBox(box, y);
					continue;
				}
				const {fill, alpha} = this.look(box), id = fill + ' ' + alpha, list = thin.get(id);
				if (list)
					list.push(box.x, y, box.w);
				else
					thin.set(id, [box.x, y, box.w]);
			}
		}
		for (const [id, list] of thin) {
			const [fill, alpha] = id.split(' ');
			context.globalAlpha = +alpha;
			context.fillStyle = fill;
			for (let i = 0; i < list.length; i += 3)
				context.fillRect(list[i], list[i + 1], list[i + 2] > 3 ? list[i + 2] - 1 : Math.max(1, list[i + 2]), rowHeight - 1);
		}
		context.globalAlpha = 1;
		if (this.cursor >= 0 && document.activeElement === this.canvas)
			this.drawCursor(scroll);
	}

	// {fill, isHatched, alpha, ink} of a box.
	look(box) {
		const {owner, tree, related} = this, {palette, litKey} = owner, i = box.node, keys = (box.run || [i]).map(at => tree.key[at]);
		let {fill, isHatched} = i && !box.run ? owner.fill(tree, i) : {fill: palette.root, isHatched: false}, alpha = 1, ink = palette.text;
		const isMatch = related && i && keys.some(k => owner.matches[k]);
		if (isMatch) {
			fill = palette.match;
			isHatched = false;
		} else if (related && i && !related[i]) {
			alpha = .32;
		}
		if (litKey >= 0 && i) {
			if (!keys.includes(litKey)) {
				alpha = Math.min(alpha, .38);
			} else if (!owner.isTwo) {
				fill = palette.litKey(litKey);
				ink = palette.litText;
			}
		}
		return {fill, isHatched, alpha: palette.isOpaque ? 1 : alpha, ink, isMatch};
	}

	drawBox(box, y) {
		const {context, owner, tree, rowHeight} = this, {palette} = owner, h = rowHeight - 1, w = Math.max(1, box.w - (box.w > 3 ? 1 : 0));
		if (box.rest) {
			this.drawRest(box, y, w, h);
			return;
		}
		const {fill, isHatched, alpha, ink, isMatch} = this.look(box);
		context.globalAlpha = alpha;
		context.fillStyle = !palette.isOutline ? fill : isMatch ? 'Highlight' : 'Canvas';
		context.beginPath();
		context.roundRect(box.x, y, w, h, 2.5);
		context.fill();
		if (palette.isOutline) {
			context.strokeStyle = 'CanvasText';
			context.stroke();
		}
		if (isHatched && w > 2)
			this.hatch(box.x, y, w, h);
		if (box.node && !owner.isTwo && !box.run && !this.isCallers)
			this.drawFoot(box, y, w, h, fill);
		if (w >= 20)
			this.drawText(box, y, w, h, {fill: !isHatched ? '' : palette.isOutline ? 'Canvas' : fill, ink: !palette.isOutline ? ink : isMatch ? 'HighlightText' : 'CanvasText', isMatch});
		context.globalAlpha = 1;
	}

	// Smaller frames in one box; a search says if it found some of them.
	drawRest(box, y, w, h) {
		const {context, owner} = this, {palette} = owner, found = this.related ? this.restMatches(box) : 0;
		context.fillStyle = found ? palette.match : palette.rest;
		context.fillRect(box.x, this.isUp && w < 60 ? y + h - 4 : y, w, w < 60 ? 4 : h);
		if (w < 60)
			return;
		context.fillStyle = found ? palette.text : palette.text2;
		context.font = boxFonts[1];
		const texts = found ? ['smaller frames (' + found + (found > 1 ? ' matches)' : ' match)'), '+' + formatCount(box.rest)] : ['+' + formatCount(box.rest) + ' smaller', '+' + formatCount(box.rest)];
		const text = texts.find(t => textWidth(context, t, 1) < w - 10);
		if (text)
			context.fillText(text, box.x + 6, y + h / 2 + .5);
	}

	restMatches(box) {
		if (box.matchesOf === this.related)
			return box.found;
		const {tree, owner} = this, list = this.children(box.node);
		box.matchesOf = this.related;
		box.found = 0;
		for (let c = box.from; c < box.from + box.rest && c < list.length; c++)
			for (let i = list[c]; i < tree.end[list[c]]; i++)
				box.found += owner.matches[tree.key[i]];
		return box.found;
	}

	// What a box has itself: a darker foot where nothing is below it.
	drawFoot(box, y, w, h, fill) {
		const {context, tree, owner} = this, self = Math.abs(tree.self[1][box.node]), own = box.w * self / tree.width[box.node];
		if (!self || own < 1.2 || box.w <= 3)
			return;
		context.fillStyle = owner.palette.footOf(fill);
		context.fillRect(Math.max(box.x, box.x + w - own), y + h - 3, Math.min(w, own), 3);
	}

	hatch(x, y, w, h) {
		const {context, owner} = this, {palette} = owner, colour = palette.isOutline ? 'CanvasText' : palette.page;
		if (this.hatchColour !== colour) {
			const tile = document.createElement('canvas'), to = tile.getContext('2d');
			tile.width = tile.height = 8;
			to.strokeStyle = this.hatchColour = colour;
			to.lineWidth = palette.isOutline ? 1 : 2.2;
			to.beginPath();
			for (const at of [-8, 0, 8]) {
				to.moveTo(at - 1, 9);
				to.lineTo(at + 9, -1);
			}
			to.stroke();
			this.hatching = context.createPattern(tile, 'repeat');
		}
		const before = context.globalAlpha;
		context.globalAlpha = before * (palette.isOpaque ? 1 : palette.isDark ? .5 : .75);
		context.fillStyle = this.hatching;
		context.fillRect(x, y, w, h);
		context.globalAlpha = before;
	}

	// plate: a colour that keeps hatching away from text, or ''.
	write(text, x, y, h, font, colour, plate, style = '') {
		const {context} = this;
		if (plate) {
			context.fillStyle = plate;
			context.fillRect(x - 3, y + 2, textWidth(context, text, font) + 6, h - 5);
		}
		context.font = style + boxFonts[font];
		context.fillStyle = colour;
		context.fillText(text, x, y + h / 2 + .5);
	}

	drawText(box, y, w, h, {fill, ink, isMatch}) {
		const {context, owner, tree} = this, {palette} = owner, i = box.node, pad = w < (owner.isPhone ? 90 : 46) ? 3 : 7, right = owner.rightText(tree, i);
		const name = i ? owner.name(tree.key[i]) : 'all', width = textWidth(context, right, 1) + 10;
		let room = w - 2 * pad;
		// A share without a name says less than a name without its share.
		if (w >= (owner.isTwo ? 84 : 118) && (box.run || fitText(context, name, room - width)[0])) {
			const isStrong = owner.isTwo || isMatch || (i && !box.run && palette.isOwn(tree.key[i])) || ink !== palette.text;
			this.write(right, box.x + w - pad - width + 10, y, h, 1, isStrong ? ink : palette.text2, fill);
			room -= width;
		}
		if (box.run) {
			this.drawRun(box, y, h, room, pad, ink);
			return;
		}
		const times = tree.times && tree.times[i] ? '×' + formatCount(tree.times[i] + 1) : '';
		const timesRoom = times ? textWidth(context, times, 1) + 10 : 0;
		let [text, font] = fitText(context, name, room - timesRoom), tail = times;
		if (times && text !== name) {
			const longer = fitText(context, name, room);
			if (longer[0].length > text.length) {
				[text, font] = longer;
				tail = '';
			}
		}
		if (!text)
			return;
		this.write(text, box.x + pad, y, h, font, ink, fill, (i && tree.inlined[i] ? 'italic ' : '') + (i ? '' : '600 '));
		if (tail)
			this.write(tail, box.x + pad + textWidth(context, text, font) + 6, y, h, 1, ink, '', '600 ');
	}

	// What is folded: "clone3 › 6 more › operator()".
	drawRun(box, y, h, room, pad, ink) {
		const {context, owner, tree} = this, names = box.run.map(i => owner.name(tree.key[i])), head = lastPart(names[0]), ink2 = ink === owner.palette.text ? owner.palette.text2 : ink;
		const middle = '  ›  ' + (names.length - 2) + ' more  ›  ', at = textWidth(context, head, 0);
		context.font = boxFonts[1];
		const end = at + context.measureText(middle).width;
		const [tail, font] = fitText(context, names.at(-1), room - end);
		if (!tail) {
			this.write('… › ' + names.length + ' frames', box.x + pad, y, h, 1, ink2, '');
			return;
		}
		this.write(head, box.x + pad, y, h, 0, ink, '');
		this.write(middle, box.x + pad + at, y, h, 1, ink2, '');
		this.write(tail, box.x + pad + end, y, h, font, ink, '');
	}

	drawCursor(scroll) {
		const found = this.find(this.cursor);
		if (!found)
			return;
		this.context.strokeStyle = this.owner.palette.text;
		this.context.lineWidth = 2.5;
		this.context.strokeRect(found.box.x + 1, this.top(found.depth) - scroll + 1, Math.max(found.box.w - 2, 1), this.rowHeight - 3);
	}

	find(node) {
		for (const [depth, row] of this.rows.entries()) {
			const box = row.find(b => !b.rest && (b.run || [b.node]).includes(node));
			if (box)
				return {box, depth};
		}
		return null;
	}

	at(e) {
		const r = this.canvas.getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top + this.scroll();
		const depth = Math.floor((this.isUp ? this.top(0) + this.rowHeight - 1 - y : y - 1) / this.rowHeight), row = this.rows[depth];
		if (!row)
			return null;
		let low = 0, high = row.length;
		while (low < high) {
			const mid = low + high >> 1;
			if (row[mid].x + Math.max(row[mid].w, 1) <= x)
				low = mid + 1;
			else
				high = mid;
		}
		return low < row.length && row[low].x <= x ? {box: row[low], depth} : null;
	}

	outlineAt(hit) {
		this.outline.hidden = !hit;
		if (hit)
			Object.assign(this.outline.style, {left: hit.box.x + 'px', top: this.top(hit.depth) - this.scroll() + this.host.scrollTop + 'px', width: Math.max(hit.box.w - 1, 2) + 'px', height: this.rowHeight - 1 + 'px'});
	}

	hover(e) {
		const hit = this.at(e);
		this.outlineAt(hit);
		this.pointed = hit && !hit.box.rest ? hit.box.node : 0;
		this.canvas.style.cursor = hit ? 'pointer' : 'default';
		this.owner.hover(this, hit && hit.box, e);
	}

	leave(e) {
		this.outlineAt(null);
		this.pointed = 0;
		this.owner.hover(this, null, e);
	}

	click(e) {
		const hit = this.at(e);
		if (hit)
			this.owner.choose(this, hit.box, e);
	}

	menu(event) {
		const hit = this.at(event);
		if (!hit || hit.box.rest || !hit.box.node)
			return;
		event.preventDefault();
		this.owner.menu(this, hit.box.node, event.clientX, event.clientY);
	}

	// --- keys ---

	moveTo(node) {
		const found = this.find(node);
		if (!found)
			return;
		this.cursor = node;
		const y = this.top(found.depth);
		if (y < this.host.scrollTop || y + this.rowHeight > this.host.scrollTop + this.height)
			this.host.scrollTop = Math.max(0, y - this.height / 2);
		this.draw();
		this.speak();
	}

	speak() {
		if (this.cursor < 0 && this.tree)
			this.cursor = this.zoomed;
		if (this.tree && this.cursor >= 0) {
			byId('spoken').textContent = this.owner.describe(this.tree, this.cursor);
			this.draw();
		}
	}

	step(direction) {
		const {tree} = this, i = this.cursor < 0 ? this.zoomed : this.cursor;
		const down = this.isUp ? 'ArrowUp' : 'ArrowDown', up = this.isUp ? 'ArrowDown' : 'ArrowUp';
		if (direction === up)
			return this.moveTo(tree.parent[i]);
		if (direction === down) {
			const child = this.children(i).find(c => this.find(c));
			return child ? this.moveTo(child) : undefined;
		}
		const siblings = i ? this.children(tree.parent[i]).filter(c => this.find(c)) : [];
		const next = siblings[siblings.indexOf(i) + (direction === 'ArrowLeft' ? -1 : 1)];
		return next ? this.moveTo(next) : undefined;
	}

	key(e) {
		if (!isPlainKey(e) || !this.tree)
			return;
		if (e.key.startsWith('Arrow'))
			this.step(e.key);
		else if (e.key === 'Enter' && this.cursor >= 0)
			this.owner.choose(this, this.find(this.cursor).box, null);
		else
			return;
		e.preventDefault();
		e.stopPropagation();
	}

	// Nodes of the boxes that match, from the top and from the left.
	marked() {
		return this.rows.flat().filter(b => !b.rest && b.node).flatMap(b => b.run || [b.node]).filter(i => this.owner.matches[this.tree.key[i]]);
	}
}

export {FlameView};
