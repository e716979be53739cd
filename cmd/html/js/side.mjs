// side.mjs - the table beside the picture: functions of what is zoomed into,
// with bars. Wide it has what a list of all functions needs.

import {changeKind, changeText, likelyText} from './change.mjs';
import {barCell, button, element, emptyNote, isPlainKey, on, swatch} from './dom.mjs';
import {shownName} from './fit.mjs';
import {displayName, formatCount, scaleValue} from './numbers.mjs';
import {largerSide, sidesOf} from './values.mjs';

const sideRows = 80, moreRows = 400, thinSide = 410, wideSide = 600, mostReach = 2;
const smallerUnit = {s: 'ms', ms: 'us', us: 'ns', hrs: 's', PB: 'TB', TB: 'GB', GB: 'MB', MB: 'kB', kB: 'B'};

// One unit for a column, from its largest amount: {unit, divide, digits}.
function columnUnit(page, most) {
	const from = page.unit, divide = page.base.head.divide;
	let [x, unit] = scaleValue(most / divide, from, page.base.head.unit);
	if (x < 10 && smallerUnit[unit] && page.base.head.unit === 'auto')
		[x, unit] = scaleValue(most / divide, from, smallerUnit[unit]);
	const isWhole = !unit && Number.isInteger(most);
	return {unit, divide: x ? most / x : 1, digits: isWhole || x >= 100 ? 0 : x >= 10 ? 1 : 2};
}

function inUnit(v, u) {
	const text = (v / u.divide).toFixed(u.digits);
	return !v ? '' : +text ? formatCount(text) : '<' + 10 ** -u.digits;
}

// The first n in the order of prof-text: by amount, equal ones by name.
function heaviestKeys(keys, value, K, n) {
	const v = new Float64Array(K.n), sizes = Float64Array.from(keys, k => Math.abs(v[k] = value(k))).sort(), least = sizes[Math.max(0, sizes.length - n)];
	return keys.filter(k => Math.abs(v[k]) >= least).sort((a, b) => Math.abs(v[b]) - Math.abs(v[a]) || v[b] - v[a] || (K.text[a] < K.text[b] ? -1 : K.text[a] > K.text[b] ? 1 : a - b)).slice(0, n);
}

// A change around the line in the middle: its bar, and a whisker from the lowest
// to the highest that it may be. Half the width is the most.
function changeBar(change, most) {
	const d = change.after - change.before, i = element('i', {class: (d > 0 ? 'm' : 'l') + (change.isSure ? '' : ' h')}), out = element('span', 'cb', i);
	i.style[d > 0 ? 'left' : 'right'] = '50%';
	i.style.width = 50 * Math.abs(d) / most + '%';
	if (Number.isFinite(change.low)) {
		const u = element('u'), low = Math.max(-50, 50 * change.before * change.low / most), high = Math.min(50, 50 * change.before * change.high / most);
		u.style.left = 50 + low + '%';
		u.style.width = Math.max(0, high - low) + '%';
		out.append(u);
	}
	return out;
}

class SideTable {
	// page: the owner: amounts, names, and what clicks do.
	constructor(host, page) {
		this.host = host;
		this.page = page;
		this.limit = sideRows;
		on(host, 'mouseover', e => this.light(e));
		on(host, 'mouseleave', () => page.light(-1));
		on(host, 'click', e => this.onRow(e, k => page.isPhone ? page.pivot(k) : page.set({sel: this.K.text[k]}, false)));
		on(host, 'dblclick', e => this.onRow(e, k => page.pivot(k)));
		on(host, 'contextmenu', e => this.onRow(e, k => {
			e.preventDefault();
			page.rowMenu(k, e.clientX, e.clientY);
		}));
		on(host, 'keydown', e => this.key(e));
	}

	onRow(e, act) {
		const tr = e.target.closest('tr[data-key]');
		if (tr)
			act(+tr.dataset.key);
	}

	light(e) {
		const tr = e.target.closest('tr[data-key]');
		this.page.light(tr ? +tr.dataset.key : -1);
	}

	// sums: of sumKeys(); zoomed: the name of what they are of, or ''.
	show(sums, zoomed, id) {
		if (id === this.id)
			return;
		if (!this.id || this.id.split('\n')[0] !== id.split('\n')[0])
			this.limit = sideRows;
		Object.assign(this, {sums, zoomed, id, K: this.page.keys});
		this.draw();
	}

	// Keys with an amount that match a search, those that are large enough.
	keys() {
		const {self, total} = this.sums, {matches} = this.page, [leastSelf, leastTotal] = this.page.least();
		const all = [...this.K.text.keys()].filter(k => (largerSide(self, k) || largerSide(total, k)) && (!matches || matches[k])), out = all.filter(k => largerSide(self, k) >= leastSelf && largerSide(total, k) >= leastTotal);
		this.smaller = all.length - out.length;
		return out;
	}

	draw() {
		const {page, sums} = this, {state, isTwo} = page, sort = state.so, by = sort === 'total' ? sums.total : sums.self;
		const keys = this.keys(), shown = heaviestKeys(keys, k => by[1][k] - by[0][k], this.K, page.isPrinting ? 60 : this.limit);
		const seg = element('div', {class: 'seg', role: 'group', 'aria-label': 'Sorted by'}, ...[['self', 'Self'], ['total', 'Total']].map(([id, text]) =>
			button(text, {'aria-pressed': String(sort === id)}, () => page.set({so: id}, false))));
		const head = element('div', 'sidehead', this.zoomed ? element('span', '', 'In ') : element('span', '', formatCount(keys.length) + (keys.length === 1 ? ' function' : ' functions')),
			this.zoomed ? element('b', {title: displayName(this.zoomed), dir: 'ltr'}, shownName(this.zoomed)) : null, isTwo ? element('span', '', ' by change in') : null, seg);
		const table = isTwo ? this.changes(shown, by) : this.amounts(shown, sort), more = keys.length > shown.length && !page.isPrinting
			? button(formatCount(keys.length - shown.length) + ' more', {class: 'more-rows'}, () => {
				this.limit += moreRows;
				this.draw();
			}) : null;
		const smaller = this.smaller && button(formatCount(this.smaller) + ' smaller', {class: 'more-rows'}, () => page.set({ls: '', lt: ''}, false));
		const none = keys.length ? null : emptyNote(page.matches ? 'No function matches the search.' : page.emptyText());
		this.host.replaceChildren(head, element('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Functions by weight'}, keys.length ? table : '', more, none, smaller || null));
	}

	table(widths, heads, rows) {
		const cols = (this.page.isPhone ? [] : widths).map(w => {
			const c = element('col');
			if (w)
				c.style.width = w + 'px';
			return c;
		});
		if (rows.length)
			rows[0].tabIndex = 0;
		return element('table', this.page.isPhone ? 'keys cards' : 'keys', element('caption', 'hidden', 'Functions'), element('colgroup', '', ...cols),
			element('thead', '', element('tr', '', ...heads.map(([text, isSorted]) => element('th', {scope: 'col', 'aria-sort': isSorted ? 'descending' : null}, text + (isSorted ? ' ↓' : ''))))),
			element('tbody', '', ...rows));
	}

	row(k, cells, isChange) {
		const {page, K, sums} = this, name = displayName(K.text[k]), isChosen = page.state.sel === K.text[k];
		const sw = isChange || !page.tree.isPlain ? null : swatch(page.palette.footOf(page.palette.ofKey(k)));
		const tr = element('tr', {class: isChosen ? 'on' : null, 'aria-selected': null, tabindex: '-1'}, ...cells,
			element('td', {class: 'nm', title: name, dir: 'ltr'}, sw, shownName(K.text[k]), sums.inlined[k] === 1 ? element('small', '', 'inl') : null,
				page.isSignificant(k) ? element('small', {title: 'more than sampling noise explains, all functions taken together'}, '●') : null),
			...(page.sideWidth > wideSide ? [element('td', {class: 'nm muted', dir: 'ltr', title: page.fileOf(k)}, displayName(page.fileOf(k)))] : []));
		tr.dataset.key = k;
		return tr;
	}

	amounts(keys, sort) {
		const {page, sums} = this, {self, total} = sums, all = page.total().all, width = page.sideWidth, isThin = width < thinSide, isWide = width > wideSide;
		const most = keys.reduce((m, k) => Math.max(m, Math.abs(self[1][k])), 0), mostTotal = keys.reduce((m, k) => Math.max(m, Math.abs(total[1][k])), 0), u = columnUnit(page, most), ut = columnUnit(page, mostTotal);
		let running = 0;
		if (page.isPhone)
			return this.table(null, [], keys.map(k => {
				const v = sort === 'total' ? total : self;
				return this.row(k, [barCell(sort[0], Math.abs(v[1][k]) / (sort === 'total' ? mostTotal : most), 'self ' + page.amount(self[1][k]) + ' · total ' + page.amount(total[1][k])), element('td', '', page.share(v[1][k]))]);
			}));
		const rows = keys.map(k => {
			const s = self[1][k], t = total[1][k], cell = (...c) => element('td', '', ...c);
			running += s;
			return this.row(k, [barCell('s', Math.abs(s) / most, inUnit(s, u), {title: page.exact(s)}),
				...(isThin ? [] : [cell(s ? page.share(s) : '')]), ...(isWide ? [cell(page.share(running)), cell(inUnit(t, ut))] : []),
				barCell('t', Math.abs(t / all), page.share(t), {title: page.exact(t)})]);
		});
		const wide = isWide ? [['Sum %'], ['Total ' + ut.unit]] : [];
		return this.table([isThin ? 68 : 84, ...(isThin ? [] : [56]), ...(isWide ? [62, 76] : []), isThin ? 72 : 78, 0, ...(isWide ? [width - 560] : [])],
			[['Self ' + u.unit, sort === 'self'], ...(isThin ? [] : [['%']]), ...wide, ['Total %', sort === 'total'], ['Function'], ...(isWide ? [['File']] : [])], rows);
	}

	changes(keys, by) {
		const {page} = this, isThin = page.sideWidth < thinSide, isWide = page.sideWidth > wideSide, change = k => by[1][k] - by[0][k];
		const most = keys.reduce((m, k) => Math.max(m, Math.abs(change(k))), 0) || 1, u = columnUnit(page, most);
		const mostOf = keys.reduce((m, k) => Math.max(m, Math.abs(by[0][k]), Math.abs(by[1][k])), 0) || 1, uv = columnUnit(page, mostOf);
		// Room for whiskers, unless one is far longer than all bars.
		const changes = keys.map(k => page.changeOf(...sidesOf(by, k))), room = Math.min(mostReach * most, Math.max(most, ...changes.map(({low, high}, i) => by[0][keys[i]] * Math.max(-low, high) || 0)));
		const rows = keys.map((k, i) => {
			const c = changes[i], d = change(k), cell = (text, kind) => element('td', kind, text);
			const title = page.exact(by[0][k]) + ' → ' + page.exact(by[1][k]) + (likelyText(c) ? ', ' + likelyText(c) : '');
			return this.row(k, [element('td', {title}, changeBar(c, room)), ...(isWide ? [cell(inUnit(by[0][k], uv)), cell(inUnit(by[1][k], uv))] : []),
				...(isThin ? [] : [cell((d > 0 ? '+' : d < 0 ? '−' : '') + inUnit(Math.abs(d), u))]),
				cell(changeText(c), changeKind(c))], true);
		});
		const wide = isWide ? [['Before ' + uv.unit], ['After ' + uv.unit]] : [];
		return this.table([isThin ? 76 : 116, ...(isWide ? [76, 76] : []), ...(isThin ? [] : [66]), 62, 0, ...(isWide ? [page.sideWidth - 560] : [])],
			[['less · more'], ...wide, ...(isThin ? [] : [['Δ ' + u.unit]]), ['Δ %'], ['Function'], ...(isWide ? [['File']] : [])], rows);
	}

	key(e) {
		const tr = e.target.closest('tr[data-key]');
		if (!tr || !isPlainKey(e))
			return;
		const k = +tr.dataset.key, next = e.key === 'ArrowDown' ? tr.nextSibling : e.key === 'ArrowUp' ? tr.previousSibling : null;
		if (next) {
			tr.tabIndex = -1;
			next.tabIndex = 0;
			next.focus();
			this.page.light(+next.dataset.key);
		} else if (e.key === ' ') {
			this.page.set({sel: this.K.text[k]}, false);
		} else if (e.key === 'Enter') {
			this.page.pivot(k);
		} else {
			return;
		}
		e.preventDefault();
		e.stopPropagation();
	}
}

export {SideTable, changeBar};
