// tree.mjs - the tree as a treegrid: what a screen reader, and whoever likes
// numbers better than boxes, reads instead of the flame graph.

import {changeKind, changeText} from './change.mjs';
import {fnv1a} from './colour.mjs';
import {barCell, button, element, headRow, on, swatch} from './dom.mjs';
import {shownName} from './fit.mjs';
import {displayName} from './numbers.mjs';
import {changeBar} from './side.mjs';
import {heaviestChildren, sidesOf} from './values.mjs';

const treeChildren = 100, hotShare = .5, keptPaths = 50;

class TreeGrid {
	constructor(host, page) {
		this.host = host;
		this.page = page;
	}

	// toggled: hashes of the paths that differ from the hot path, of the address.
	show(tree, toggled, id) {
		if (id === this.id && toggled === this.toggled)
			return;
		if (tree !== this.tree)
			this.limits = new Map();
		this.toggled = toggled;
		this.id = id;
		this.tree = tree;
		this.open = new Set();
		this.marks = new Set(toggled.split('.').filter(s => s));
		// The hot path: as long as one child has more than half of all.
		const hot = new Set();
		for (let i = 0; ;) {
			hot.add(i);
			const next = this.children(i).find(c => tree.width[c] > hotShare * tree.width[0]);
			if (!next)
				break;
			i = next;
		}
		this.most = 0;
		for (let i = 0; i < tree.n; i++)
			this.most = Math.max(this.most, Math.abs(tree.total[1][i] - tree.total[0][i]));
		this.hot = hot;
		const stack = [0];
		while (stack.length) {
			const i = stack.pop();
			if (hot.has(i) === this.marks.has(this.mark(i)))
				continue;
			this.open.add(i);
			stack.push(...this.children(i));
		}
		if (this.cursor === undefined || this.cursor >= tree.n)
			this.cursor = tree.n > 1 ? 1 : 0;
		this.draw(this.host.contains(document.activeElement));
	}

	mark(i) {
		let path = '';
		for (; i; i = this.tree.parent[i])
			path += this.page.text(this.tree, i) + '\n';
		return fnv1a(path).toString(36);
	}

	children(i) {
		return this.tree.children ? this.tree.children(i) : heaviestChildren(this.tree, i);
	}

	isLeaf(i) {
		return this.tree.isLeaf ? this.tree.isLeaf(i) : this.tree.end[i] === i + 1;
	}

	row(i, level) {
		const {tree, page} = this, isLeaf = this.isLeaf(i), name = displayName(page.text(tree, i)), all = page.total().all, [before, after] = sidesOf(tree.total, i);
		const bar = (kind, v, text) => barCell(kind, Math.abs(v / all), text, {role: 'gridcell'});
		const plain = (text, more) => element('td', {role: 'gridcell', ...more}, text), change = page.isTwo && page.changeOf(before, after);
		const amounts = page.isTwo
			? [plain(changeBar(change, this.most), {title: page.amount(before) + ' → ' + page.amount(after)}), plain(page.signed(after - before)), plain(changeText(change), {class: changeKind(change)})]
			: [bar('t', after, page.amount(after)), plain(page.share(after)), bar('s', tree.self[1][i], tree.self[1][i] ? page.amount(tree.self[1][i]) : '')];
		const sw = swatch(!page.tree.isPlain ? page.fill(tree, i).fill : i ? page.palette.footOf(page.palette.ofKey(tree.key[i])) : 'transparent');
		const label = element('div', '', element('span', {class: 'twisty', 'aria-hidden': 'true'}, isLeaf ? '' : this.open.has(i) ? '▾' : '▸'), sw,
			element('span', {class: 'name', dir: 'ltr', title: name}, page.isPhone ? shownName(page.text(tree, i)) : name), tree.inlined[i] && i ? element('small', '', 'inl') : null);
		label.style.paddingLeft = Math.min(level - 1, 40) * (page.isPhone ? 6 : 12) + 'px';
		const tr = element('tr', {role: 'row', 'aria-level': level, 'aria-expanded': isLeaf ? null : String(this.open.has(i)), tabindex: '-1'},
			...amounts, element('td', {role: 'gridcell', class: 'nm'}, label));
		tr.dataset.node = i;
		return tr;
	}

	draw(focus) {
		const body = element('tbody'), stack = [[0, 1]], {tree} = this;
		while (stack.length) {
			const [i, level] = stack.pop();
			if (i < 0) {
				const up = -i - 1;
				body.append(element('tr', {role: 'row', 'aria-level': level}, element('td', {role: 'gridcell', colspan: '4'},
					button('more', {class: 'more-rows'}, () => {
						this.limits.set(up, (this.limits.get(up) || treeChildren) + treeChildren);
						this.draw();
					}))));
				continue;
			}
			body.append(this.row(i, level));
			if (!this.open.has(i))
				continue;
			const all = this.children(i), limit = this.limits.get(i) || treeChildren;
			if (all.length > limit)
				stack.push([-i - 1, level + 1]);
			for (let c = Math.min(all.length, limit) - 1; c >= 0; c--)
				stack.push([all[c], level + 1]);
		}
		const heads = this.page.isTwo ? ['less · more', 'Δ', 'Δ %'] : ['Total', 'Total %', 'Self'];
		const grid = element('table', 'keys tree', headRow([...heads, this.page.state.tv ? 'Function, and who called it' : 'Function']), body);
		grid.setAttribute('role', 'treegrid');
		grid.setAttribute('aria-label', 'Call tree');
		this.rows = [...body.children].filter(r => r.dataset.node);
		const at = this.rows.find(r => +r.dataset.node === this.cursor) || this.rows[0];
		if (at)
			at.tabIndex = 0;
		on(grid, 'keydown', e => this.key(e));
		on(grid, 'click', e => this.click(e));
		on(grid, 'contextmenu', event => this.menu(event));
		this.host.replaceChildren(grid);
		if (focus && at)
			at.focus();
		if (tree.width[0] === 0)
			this.host.replaceChildren(this.page.emptyNote());
	}

	// What differs from the hot path is in the address.
	toggle(i, wanted) {
		if (this.open.has(i) === wanted || this.isLeaf(i))
			return;
		const mark = this.mark(i);
		if (this.marks.has(mark))
			this.marks.delete(mark);
		else
			this.marks.add(mark);
		this.page.set({to: [...this.marks].slice(-keptPaths).join('.')}, false);
	}

	click(e) {
		const tr = e.target.closest('tr[data-node]');
		if (!tr)
			return;
		this.cursor = +tr.dataset.node;
		this.toggle(this.cursor, !this.open.has(this.cursor));
	}

	menu(event) {
		const tr = event.target.closest('tr[data-node]');
		if (!tr || !+tr.dataset.node)
			return;
		event.preventDefault();
		this.page.rowMenu(this.tree.key[+tr.dataset.node], event.clientX, event.clientY);
	}

	key(e) {
		const tr = e.target.closest('tr[data-node]');
		if (!tr)
			return;
		const i = +tr.dataset.node, at = this.rows.indexOf(tr);
		const go = row => {
			if (!row)
				return;
			tr.tabIndex = -1;
			row.tabIndex = 0;
			row.focus();
			this.cursor = +row.dataset.node;
		};
		this.cursor = i;
		if (e.key === 'ArrowDown')
			go(this.rows[at + 1]);
		else if (e.key === 'ArrowUp')
			go(this.rows[at - 1]);
		else if (e.key === 'ArrowRight' && !this.isLeaf(i))
			this.open.has(i) ? go(this.rows[at + 1]) : this.toggle(i, true);
		else if (e.key === 'ArrowLeft')
			this.open.has(i) && !this.isLeaf(i) ? this.toggle(i, false) : go(this.rows.find(r => +r.dataset.node === this.tree.parent[i]));
		else
			return;
		e.preventDefault();
	}
}

export {TreeGrid};
