// table.mjs - tables of functions: sortable, searchable, in pages of 500.

import {afterPaint, button, element, emptyNote, on, swatch} from './dom.mjs';
import {displayName, formatCount, formatShare} from './numbers.mjs';

const tablePage = 500, firstRows = 64;

/*
 * Columns of a table of keys: {id, text, title, value(k), show(k)}. sums: of
 * sumKeys(); page: amount(v), totals and isTwo.
 */
function tableColumns(page, sums, isWide) {
	const {self, total} = sums, t = page.total(), columns = [];
	const share = v => formatShare(v, t.all);
	const add = (id, text, title, value, show) => columns.push({id, text, title, value, show: show || (k => page.amount(value(k)))});
	if (page.isTwo) {
		const sides = (id, v, name, what) => {
			const change = k => v[1][k] - v[0][k];
			const words = k => change(k) === 0 ? '=' : v[0][k] === 0 ? 'new' : v[1][k] === 0 ? 'gone'
				: (change(k) > 0 ? '+' : '-') + formatShare(change(k), v[0][k]);
			add(id + 'b', name ? name + 'before' : 'Before', what + ' in the base', k => v[0][k]);
			add(id + 'a', name ? name + 'after' : 'After', what + ' in the new profile', k => v[1][k]);
			add(id + 'd', name + 'Δ', 'change of ' + what, change, k => page.signed(change(k)));
			add(id + 'r', name + 'Δ%', 'change of ' + what + ' as a share of before',
				k => v[0][k] ? change(k) / Math.abs(v[0][k]) : change(k) ? Infinity : 0, words);
			if (page.isTested)
				add(id + 's', '●', what + ': is the change more than noise? ●: yes, ?: perhaps', k => {
					const verdict = page.verdict(k, id === 't');
					return verdict && verdict.change ? (verdict.change === 2 ? 0 : 2) + 1 - verdict.chance : 0;
				}, k => page.verdictMark(k, id === 't'));
		};
		sides('s', self, isWide ? 'Self ' : '', 'self');
		if (isWide)
			sides('t', total, 'Total ', 'total');
		return columns;
	}
	add('f', 'Self', 'measured in the function itself', k => self[1][k]);
	if (isWide)
		add('fp', 'Self%', 'share of all', k => self[1][k], k => share(self[1][k]));
	if (isWide)
		add('sum', 'Sum%', 'self of this and all rows above', null, null);
	add('c', 'Total', 'measured in it and all that it called', k => total[1][k]);
	if (isWide)
		add('cp', 'Total%', 'share of all', k => total[1][k], k => share(total[1][k]));
	return columns;
}

// The order of prof-text: by amount, equal ones by name.
function sortKeys(keys, value, K, isRising) {
	const sign = isRising ? -1 : 1, v = new Float64Array(K.n);
	for (const k of keys)
		v[k] = value(k);
	return keys.sort((a, b) => sign * (Math.abs(v[b]) - Math.abs(v[a])) || sign * (v[b] - v[a]) ||
		(K.text[a] < K.text[b] ? -1 : K.text[a] > K.text[b] ? 1 : a - b));
}

class KeyTable {
	/*
	 * host: where; page: the owner; isWide: all columns. page.open(k) follows a
	 * name, page.rowMenu(k, x, y) opens its menu.
	 */
	constructor(host, page, isWide, caption) {
		Object.assign(this, {host, page, isWide, caption});
		this.sort = page.isTwo ? 'sd' : 'f';
		this.isRising = false;
		this.limit = isWide ? tablePage : 200;
	}

	// id: equal if all that is shown is.
	show(sums, K, matches, id) {
		if (id === this.id)
			return;
		Object.assign(this, {sums, K, matches, id});
		this.draw();
	}

	// least: of self and of total, on either side.
	keys() {
		const {self, total} = this.sums, [leastSelf, leastTotal] = this.isWide ? this.page.least() : [0, 0], out = [];
		const most = (v, k) => Math.max(Math.abs(v[0][k]), Math.abs(v[1][k]));
		for (let k = 0; k < this.K.n; k++)
			if ((most(self, k) || most(total, k)) && most(self, k) >= leastSelf && most(total, k) >= leastTotal && (!this.matches || this.matches[k]))
				out.push(k);
		return out;
	}

	header(columns) {
		const cells = columns.map(c => {
			const isSorted = c.id === this.sort, th = element('th', {scope: 'col', class: 'n',
				'aria-sort': isSorted ? (this.isRising ? 'ascending' : 'descending') : null});
			if (!c.value) {
				th.append(c.text);
				return th;
			}
			th.append(button(c.text + (isSorted ? (this.isRising ? ' ↑' : ' ↓') : ''), {title: c.title}, () => {
				this.isRising = isSorted && !this.isRising;
				this.sort = c.id;
				this.draw();
			}));
			return th;
		});
		return element('tr', {}, ...cells, element('th', {scope: 'col'}, 'Function'));
	}

	row(k, columns, running) {
		const {page, K} = this, name = displayName(K.text[k]), inl = this.sums.inlined[k];
		const cells = columns.map(c => {
			const text = c.value ? c.show(k) : formatShare(running, page.total().all);
			const verdict = page.isTwo && page.verdict(k, c.id[0] === 't');
			const sign = page.isTwo && /[dr]$/.test(c.id) && !(verdict && verdict.change === 0) ? c.value(k) : 0;
			return element('td', {class: 'n' + (sign > 0 ? ' more' : sign < 0 ? ' less' : '')}, text);
		});
		const open = element('button', {type: 'button', class: 'name', title: name, dir: 'ltr', tabindex: '-1'}, name);
		const note = page.isTwo && !this.isWide ? '' : inl === 1 ? ' (inlined)' : inl === 3 ? ' (partly inlined)' : '';
		const tr = element('tr', {tabindex: '-1'}, ...cells,
			element('td', {class: 'f'}, element('div', {}, swatch(page.palette.ofKey(k)), open, note ? element('span', {class: 'muted'}, note) : null)));
		tr.dataset.key = k;
		return tr;
	}

	// Rows that are not on the screen yet follow when the others are.
	draw() {
		const {page, sums, K} = this, columns = tableColumns(page, sums, this.isWide);
		const column = columns.find(c => c.id === this.sort) || columns[0];
		const keys = sortKeys(this.keys(), column.value, K, this.isRising), body = element('tbody'), turn = this.turn = {};
		let running = 0, at = 0;
		const fill = until => {
			for (; at < until && at < keys.length; at++) {
				running += sums.self[1][keys[at]];
				body.append(this.row(keys[at], columns, running));
			}
		};
		const more = button('', {class: 'more-rows'}, () => {
			this.limit += tablePage;
			fillAll();
		});
		const fillAll = () => {
			fill(this.limit);
			more.hidden = at === keys.length;
			more.textContent = formatCount(keys.length - at) + ' more rows';
		};
		const table = element('table', {class: 'keys'}, element('caption', {class: 'hidden'}, this.caption),
			element('thead', {}, this.header(columns)), body);
		const none = keys.length ? '' : emptyNote(this.matches ? 'No function matches the search.' : page.emptyText());
		fill(firstRows);
		more.hidden = true;
		if (page.isPrinting || at === keys.length)
			fillAll();
		else
			afterPaint(() => turn === this.turn && fillAll());
		if (at)
			body.firstChild.tabIndex = 0;
		this.bindRows(body);
		this.host.replaceChildren(table, more, none);
	}

	bindRows(body) {
		const keyOf = tr => +tr.dataset.key;
		on(body, 'click', e => e.target.closest('button') && this.page.open(keyOf(e.target.closest('tr'))));
		on(body, 'contextmenu', e => {
			e.preventDefault();
			this.page.rowMenu(keyOf(e.target.closest('tr')), e.clientX, e.clientY);
		});
		on(body, 'keydown', e => {
			const tr = e.target.closest('tr'), next = e.key === 'ArrowDown' ? tr.nextSibling : e.key === 'ArrowUp' ? tr.previousSibling : null;
			if (next) {
				tr.tabIndex = -1;
				next.tabIndex = 0;
				next.focus();
			} else if (e.key === 'Enter' && e.target === tr) {
				this.page.open(keyOf(tr));
			} else if (e.key === 'm') {
				this.page.rowMenu(keyOf(tr));
			} else {
				return;
			}
			e.preventDefault();
		});
	}
}

export {KeyTable, sortKeys, tableColumns};
