// tree.mjs - the tree as a treegrid: what a screen reader, and whoever likes
// numbers better than boxes, reads instead of the flame graph.

import {button, element, emptyNote, numberTable, on, swatch} from './dom.mjs';
import {displayName, formatShare} from './numbers.mjs';

const treeChildren = 100, hotShare = .5;

class TreeGrid {
	constructor(host, page) {
		this.host = host;
		this.page = page;
	}

	show(tree) {
		this.tree = tree;
		this.open = new Set();
		this.limits = new Map();
		// The hot path: as long as one child has more than half of all.
		for (let i = 0; ;) {
			this.open.add(i);
			const hot = this.children(i).find(c => tree.width[c] > hotShare * tree.width[0]);
			if (!hot)
				break;
			i = hot;
		}
		this.cursor = 1;
		this.draw();
	}

	children(i) {
		const {end, width} = this.tree, out = [];
		for (let c = i + 1; c < end[i]; c = end[c])
			if (width[c] > 0)
				out.push(c);
		return out.sort((a, b) => width[b] - width[a] || a - b);
	}

	row(i, level) {
		const {tree, page} = this, isLeaf = tree.end[i] === i + 1, name = displayName(page.text(tree, i));
		const amounts = page.isTwo
			? [page.amount(tree.total[0][i]), page.amount(tree.total[1][i]), page.signed(tree.total[1][i] - tree.total[0][i])]
			: [page.amount(tree.total[1][i]), formatShare(tree.total[1][i], page.total().all), page.amount(tree.self[1][i])];
		const label = element('div', {}, element('span', {class: 'twisty', 'aria-hidden': 'true'}, isLeaf ? '' : this.open.has(i) ? '▾' : '▸'),
			swatch(page.colour(tree, i)), element('span', {class: 'name', dir: 'ltr', title: name}, name),
			tree.inlined[i] && i ? element('span', {class: 'muted'}, ' (inlined)') : null);
		label.style.paddingLeft = Math.min(level - 1, 40) * 12 + 'px';
		const tr = element('tr', {role: 'row', 'aria-level': level, 'aria-expanded': isLeaf ? null : String(this.open.has(i)), tabindex: '-1'},
			...amounts.map(a => element('td', {role: 'gridcell', class: 'n'}, a)), element('td', {role: 'gridcell', class: 'f'}, label));
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
		const heads = this.page.isTwo ? ['Before', 'After', 'Δ'] : ['Total', 'Total%', 'Self'];
		const grid = numberTable(heads, 'Function', body);
		grid.classList.add('tree');
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
			this.host.replaceChildren(emptyNote(this.page.emptyText()));
	}

	toggle(i, wanted) {
		if (this.open.has(i) === wanted)
			return;
		if (wanted)
			this.open.add(i);
		else
			this.open.delete(i);
		this.draw(true);
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
		else if (e.key === 'ArrowRight' && this.tree.end[i] > i + 1)
			this.open.has(i) ? go(this.rows[at + 1]) : this.toggle(i, true);
		else if (e.key === 'ArrowLeft')
			this.open.has(i) && this.tree.end[i] > i + 1 ? this.toggle(i, false) : go(this.rows.find(r => +r.dataset.node === this.tree.parent[i]));
		else if (e.key === 'm' && i)
			this.page.rowMenu(this.tree.key[i]);
		else
			return;
		e.preventDefault();
	}
}

export {TreeGrid};
