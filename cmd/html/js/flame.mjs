// flame.mjs - flame graphs on a canvas that is as large as its window. Boxes
// narrower than a pixel are added up; a click on their sum opens a window of
// siblings. Hovering moves an outline and never redraws the picture.

import {byId, element, on} from './dom.mjs';

const rowHeight = 18, restRoom = 90, windowBox = 8, windowLeast = 16, thinBox = 6;
const boxFont = '12px system-ui, sans-serif';

let advances = null;

function textWidth(context, text) {
	if (!advances) {
		context.font = boxFont;
		advances = Float64Array.from({length: 128}, (v, c) => c < 32 ? 10
			: context.measureText(String.fromCharCode(c)).width);
	}
	let w = 0;
	for (let i = 0; i < text.length; i++) {
		const c = text.charCodeAt(i);
		w += c < 128 ? advances[c] : c < 0x1100 ? 10 : 13;
	}
	return w;
}

const cloneSuffix = /(\.(part|isra|constprop|cold|lto_priv|llvm|clone)(\.\d+)*|\.\d+)+$/;

// Where the parts of a name begin: after "::" and "." that no bracket encloses.
function partStarts(text) {
	const starts = [0];
	let depth = 0;
	for (let i = 0; i < text.length - 1; i++) {
		const c = text[i];
		if ('(<[{'.includes(c) && !/operator.?$/.test(text.slice(Math.max(i - 9, 0), i)))
			depth++;
		else if (')>]}'.includes(c))
			depth = Math.max(depth - 1, 0);
		else if (!depth && (c === '.' || text.startsWith('::', i)) && /[^.:]/.test(text[i + 1 + (c === ':')] || '.'))
			starts.push(i + 1 + (c === ':'));
	}
	return starts;
}

// The longest form of a name that fits: whole, without package, its last part
// cut.
function fitText(context, name, room) {
	if (room < 14)
		return '';
	if (textWidth(context, name) <= room)
		return name;
	let text = name.replace(cloneSuffix, '');
	if (text[0] !== '[') {
		text = text.slice(text.lastIndexOf('/', text.search(/[(<[{]|$/)) + 1);
		const starts = partStarts(text);
		let at = starts.length, w = 0;
		while (at > 0 && (w += textWidth(context, text.slice(starts[at - 1], starts[at]))) <= room)
			at--;
		if (at < starts.length)
			return text.slice(starts[at]);
		text = text.slice(starts.at(-1));
	}
	let n = Math.min(text.length, Math.floor(room / 5));
	while (n > 0 && textWidth(context, text.slice(0, n)) + 12 > room)
		n--;
	return n > 1 ? text.slice(0, n) + '…' : '';
}

/*
 * One graph in an element. owner: texts and colours of boxes, and what a click
 * does: text(tree, i), colour(tree, i), choose(view, i), window(view, i, from),
 * hover(view, i, event), matches (of keys, or null), byName.
 */
class FlameView {
	// isRootless: the row of the root is left out.
	constructor(host, owner, label, isRootless) {
		this.isRootless = isRootless;
		this.owner = owner;
		this.canvas = element('canvas', {role: 'application', tabindex: '0',
			'aria-roledescription': 'flame graph', 'aria-label': label});
		this.spacer = element('div', {class: 'spacer'});
		this.outline = element('div', {class: 'outline', hidden: true});
		this.host = host;
		host.replaceChildren(this.spacer, this.canvas, this.outline);
		this.context = this.canvas.getContext('2d');
		this.tree = null;
		this.rows = [];
		this.zoomed = 0;
		this.windowFrom = -1; // none
		this.isUp = false;
		this.cursor = -1;
		this.sorted = new Map();
		on(host, 'scroll', () => this.draw());
		on(this.canvas, 'mousemove', e => this.hover(e));
		on(this.canvas, 'mouseleave', e => this.leave(e));
		on(this.canvas, 'click', e => this.click(e));
		on(this.canvas, 'contextmenu', event => this.menu(event));
		on(this.canvas, 'keydown', e => this.key(e));
		on(this.canvas, 'focus', () => this.speak());
	}

	show(tree, zoomed, windowFrom, isUp) {
		if (tree !== this.tree)
			this.sorted = new Map();
		if (tree !== this.tree || this.cursor >= tree.n)
			this.cursor = -1;
		this.tree = tree;
		this.zoomed = zoomed;
		this.windowFrom = windowFrom;
		this.isUp = isUp;
		this.layout();
		this.draw();
	}

	// Children that weigh anything, in the order in which they are drawn.
	children(i) {
		const known = this.sorted.get(i);
		if (known)
			return known;
		const {end, width, key} = this.tree, out = [];
		for (let c = i + 1; c < end[i]; c = end[c])
			if (width[c] > 0)
				out.push(c);
		if (out.length < 2)
			return out;
		if (this.owner.byName) {
			const names = out.map(c => this.owner.text(this.tree, c));
			const order = out.map((c, at) => at).sort((a, b) => names[a] < names[b] ? -1 : names[a] > names[b] ? 1 : key[a] - key[b]);
			const sorted = order.map(at => out[at]);
			this.sorted.set(i, sorted);
			return sorted;
		}
		out.sort((a, b) => width[b] - width[a] || a - b);
		this.sorted.set(i, out);
		return out;
	}

	// Sizes are read first: to read one after a write lays the page out again.
	layout() {
		const {tree, zoomed, windowFrom, owner} = this, {clientWidth, clientHeight} = this.host, w = owner.isPrinting ? 1000 : clientWidth || 800;
		const id = [zoomed, windowFrom, owner.byName, w].join();
		this.width = w;
		this.hostHeight = clientHeight;
		if (tree !== this.placedTree || id !== this.placedId)
			this.place(w);
		this.placedTree = tree;
		this.placedId = id;
		this.resize();
	}

	// Fill in the rows: boxes from left to right.
	place(w) {
		const {tree} = this, path = [];
		this.rows = [];
		if (!tree || !(tree.width[0] > 0))
			return;
		for (let i = this.zoomed; ; i = tree.parent[i]) {
			path.unshift(i);
			if (i === 0)
				break;
		}
		path.forEach((i, depth) => this.put(depth, {node: i, x: 0, w, up: depth < path.length - 1}));
		const stack = [];
		this.placeChildren(this.zoomed, path.length, 0, w, this.windowFrom, stack);
		while (stack.length) {
			const box = stack.pop();
			this.placeChildren(box.node, box.depth + 1, box.x, tree.width[box.node] * box.scale, -1, stack, box.scale);
		}
	}

	put(at, box) {
		const depth = this.isRootless ? at - 1 : at;
		if (depth < 0)
			return;
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
			const box = {node, x, w: bw, depth, scale};
			this.put(depth, box);
			if (tree.end[node] > node + 1)
				stack.push(box);
			x += bw;
		}
		if (rest && restWidth >= 1)
			this.put(depth, {node: i, x, w: restWidth, rest, from: first});
		if (until < list.length)
			this.put(depth, {node: i, x: w - restRoom + 1, w: restRoom - 1, rest: list.length - until, from: until});
		for (let a = base, b = stack.length - 1; a < b; a++, b--)
			[stack[a], stack[b]] = [stack[b], stack[a]];
	}

	resize() {
		// On paper there is all of it, as far as one page goes, in twice the dots.
		const {isPrinting} = this.owner, ratio = isPrinting ? 2 : devicePixelRatio || 1, height = this.rows.length * rowHeight + 2;
		const {canvas} = this, shown = this.height = isPrinting ? Math.min(height, 1600) : Math.max(this.hostHeight, 20);
		this.spacer.style.height = height + 'px';
		if (canvas.width !== Math.round(this.width * ratio) || canvas.height !== Math.round(shown * ratio)) {
			canvas.width = Math.round(this.width * ratio);
			canvas.height = Math.round(shown * ratio);
			canvas.style.width = this.width + 'px';
			canvas.style.height = shown + 'px';
			this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
		}
		if (this.isUp && height > shown)
			this.host.scrollTop = height;
	}

	// Where a row begins; growing up, the first one stands at the foot.
	top(depth) {
		const all = Math.max(this.rows.length * rowHeight, this.height - 2);
		return this.isUp ? all - (depth + 1) * rowHeight : depth * rowHeight;
	}

	draw() {
		const {context, owner, tree} = this, scroll = owner.isPrinting || this.rows.length * rowHeight < this.height ? 0 : this.host.scrollTop;
		this.canvas.style.top = scroll + 'px';
		context.clearRect(0, 0, this.width, this.height);
		context.font = boxFont;
		context.textBaseline = 'middle';
		if (!tree)
			return;
		const matches = owner.matches;
		if (!(tree.width[0] > 0)) {
			context.fillStyle = owner.palette.text;
			context.fillText(owner.emptyText(), 12, 20);
		}
		// By colour, as a change of colour costs more than a box.
		const thin = new Map(), {isOutline, match} = owner.palette;
		for (let depth = 0; depth < this.rows.length; depth++) {
			const y = this.top(depth) - scroll;
			if (y < -rowHeight || y > this.height)
				continue;
			for (const box of this.rows[depth]) {
				const isMatch = matches && !box.rest && box.node && matches[tree.key[box.node]];
				if (box.w >= thinBox || box.rest || isOutline) {
					this.drawBox(box, y, matches, isMatch);
					continue;
				}
				const colour = isMatch ? match : owner.colour(tree, box.node), list = thin.get(colour);
				if (list)
					list.push(box.x, y, box.w);
				else
					thin.set(colour, [box.x, y, box.w]);
			}
		}
		for (const [colour, list] of thin) {
			context.globalAlpha = this.alpha(matches && colour !== match ? .35 : 1);
			context.fillStyle = colour;
			for (let i = 0; i < list.length; i += 3)
				context.fillRect(list[i], list[i + 1], list[i + 2] > 2 ? list[i + 2] - 1 : list[i + 2], rowHeight - 1);
		}
		context.globalAlpha = 1;
		if (this.cursor >= 0)
			this.drawCursor(scroll);
	}

	// As asked, unless the reader wants strong contrasts.
	alpha(v) {
		return this.owner.palette.isOpaque ? 1 : v;
	}

	drawBox(box, y, matches, isMatch) {
		const {context, owner, tree} = this, w = box.w > 2 ? box.w - 1 : box.w;
		context.globalAlpha = this.alpha((box.up ? .55 : 1) * (matches && !isMatch ? .35 : 1));
		if (box.rest) {
			context.fillStyle = owner.palette.rest;
			context.fillRect(box.x, this.isUp && box.w < 60 ? y + rowHeight - 5 : y, w, box.w < 60 ? 4 : rowHeight - 1);
		} else {
			context.fillStyle = owner.palette.isOutline ? 'Canvas' : owner.colour(tree, box.node);
			context.fillRect(box.x, y, w, rowHeight - 1);
		}
		context.fillStyle = owner.palette.isOutline ? 'CanvasText' : owner.palette.text;
		if (owner.palette.isOutline) {
			context.strokeStyle = 'CanvasText';
			context.lineWidth = 1;
			context.strokeRect(box.x + .5, y + .5, Math.max(w - 1, .5), rowHeight - 2);
		}
		if (!box.rest && box.node && tree.inlined[box.node] && box.w > 6) {
			for (let x = box.x; x < box.x + w - 2; x += 6)
				context.fillRect(x, y + rowHeight - 2, Math.min(3, box.x + w - x), 1);
		}
		if (isMatch) {
			context.globalAlpha = 1;
			context.strokeStyle = owner.palette.match;
			context.lineWidth = 1.5;
			context.strokeRect(box.x + .75, y + .75, Math.max(w - 1.5, .5), rowHeight - 2.5);
		}
		if (w >= 24) {
			const sign = box.rest ? '' : owner.sign(tree, box.node), signWidth = sign ? textWidth(context, sign) : 0;
			const label = box.rest ? box.rest.toLocaleString('en') + ' smaller frames' : owner.label(tree, box.node);
			const text = box.rest && box.w < 60 ? '' : fitText(context, label, w - 6 - signWidth);
			if (text || (sign && signWidth < w - 6))
				context.fillText(sign + text, box.x + 4, y + rowHeight / 2);
		}
		context.globalAlpha = 1;
	}

	drawCursor(scroll) {
		const found = this.find(this.cursor);
		if (!found)
			return;
		this.context.strokeStyle = this.owner.palette.text;
		this.context.lineWidth = 2.5;
		this.context.strokeRect(found.box.x + 1, this.top(found.depth) - scroll + 1, Math.max(found.box.w - 2, 1), rowHeight - 3);
	}

	find(node) {
		for (let depth = 0; depth < this.rows.length; depth++)
			for (const box of this.rows[depth])
				if (box.node === node && !box.rest)
					return {box, depth};
		return null;
	}

	at(e) {
		const r = this.canvas.getBoundingClientRect(), x = e.clientX - r.left;
		const y = e.clientY - r.top + this.host.scrollTop;
		const depth = Math.floor((this.isUp ? this.top(0) + rowHeight - 1 - y : y) / rowHeight), row = this.rows[depth];
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
		const o = this.outline;
		o.hidden = !hit;
		if (!hit)
			return;
		o.style.left = hit.box.x + 'px';
		o.style.top = this.top(hit.depth) + 'px';
		o.style.width = Math.max(hit.box.w - 1, 2) + 'px';
		o.style.height = rowHeight - 1 + 'px';
	}

	hover(e) {
		const hit = this.at(e);
		this.outlineAt(hit);
		this.canvas.style.cursor = hit ? 'pointer' : 'default';
		this.owner.hover(this, hit && hit.box, e);
	}

	leave(e) {
		this.outlineAt(null);
		this.owner.hover(this, null, e);
	}

	click(e) {
		const hit = this.at(e);
		if (!hit)
			return;
		// A finger cannot hover: the first tap shows the tooltip, the second acts.
		if (e.pointerType === 'touch' && this.tapped !== hit.box) {
			this.tapped = hit.box;
			return this.hover(e);
		}
		if (hit.box.rest)
			this.owner.window(this, hit.box.node, hit.box.from);
		else
			this.owner.choose(this, hit.box.node);
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
		if (y < this.host.scrollTop || y + rowHeight > this.host.scrollTop + this.height)
			this.host.scrollTop = Math.max(0, y - this.height / 2);
		this.draw();
		this.speak();
	}

	speak() {
		if (this.cursor < 0 && this.tree)
			this.cursor = this.zoomed;
		if (this.tree && this.cursor >= 0) {
			byId('spoken').textContent = this.owner.describe(this.tree, this.cursor);
			this.owner.hover(this, {node: this.cursor, quiet: true}, null);
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
		if (e.ctrlKey || e.altKey || e.metaKey || !this.tree)
			return;
		if (e.key.startsWith('Arrow'))
			this.step(e.key);
		else if (e.key === 'Enter' && this.cursor >= 0)
			this.owner.choose(this, this.cursor);
		else if (e.key === 'Home')
			this.moveTo(0);
		else if ((e.key === 'm' || e.key === 'ContextMenu') && this.cursor > 0)
			this.owner.menu(this, this.cursor);
		else if (e.key === 's' && this.cursor > 0)
			this.owner.pivot(this.tree.key[this.cursor]);
		else if ((e.key === 'n' || e.key === 'N') && this.owner.matches)
			this.nextMatch(e.key === 'n' ? 1 : -1);
		else
			return;
		e.preventDefault();
		e.stopPropagation();
	}

	nextMatch(step) {
		const all = this.rows.flat().filter(b => !b.rest && b.node && this.owner.matches[this.tree.key[b.node]]).map(b => b.node);
		if (!all.length)
			return;
		const at = all.indexOf(this.cursor);
		this.moveTo(all[(at + step + all.length) % all.length]);
	}
}

export {FlameView, fitText, rowHeight};
