// main.mjs - the page: from the state to what is shown. A change of the state
// runs through data (label roots), structure (granularity, hide, show), values
// (type, focus, labels) and view; each step is kept until what it needs changes.

import {insnKeys} from './asm.mjs';
import {drawCallers} from './callers.mjs';
import {Palette, fnv1a} from './colour.mjs';
import {Computer} from './compute.mjs';
import {Damaged, decodePage, unpackText} from './data.mjs';
import {afterPaint, button, byId, element, on, put, swatch} from './dom.mjs';
import {FlameView} from './flame.mjs';
import {GraphView, drawNeighbours} from './graph.mjs';
import {drawInfo, keyList} from './info.mjs';
import {drawLabels} from './labels.mjs';
import {makeKeys, makeStructure} from './model.mjs';
import {displayName, findUnit, formatCount, formatShare, formatValue} from './numbers.mjs';
import {SlowPattern, compileSearch, quotePattern, stringTest} from './regexp.mjs';
import {SourceView} from './source.mjs';
import {State, readTaste, writeTaste} from './state.mjs';
import {KeyTable} from './table.mjs';
import {TreeGrid} from './tree.mjs';
import {calleesTree, callersTree, edgesOf, makeValues, sumKeys, sumMatches} from './values.mjs';

const viewNames = ['flame', 'sandwich', 'top', 'callers', 'tree', 'graph', 'source', 'labels', 'info'];
const frameFilters = [['f', 'Focus'], ['i', 'Ignore'], ['h', 'Hide'], ['s', 'Show'], ['sf', 'Show from'], ['prunefrom', 'Prune from']];
const labelFilters = [['tf', 'Label'], ['ti', 'Not label'], ['tr', 'Label root']];
const allFilters = [...frameFilters, ...labelFilters], leastRows = [['ls', 'Self'], ['lt', 'Total']];
const granularities = ['functions', 'filefunctions', 'files', 'lines', 'addresses'];
// What needs neither the structure nor the sums again.
const quickChanges = ['v', 'q', 'z', 'zw', 'o', 'd', 'rel', 'sel', 'ls', 'lt'];
const diffWidths = ['both', 'before', 'after', 'change'];

class Page {
	constructor(D) {
		this.D = this.base = D;
		this.isTwo = D.head.two;
		this.computer = new Computer(D);
		this.steps = this.computer.steps;
		this.errors = this.computer.errors;
		this.matches = null;
		this.redraws = 0;
		this.manyNodes = 1e6;
		this.verdicts = new Map(D.gate ? D.gate.rows.map(row => [row[0], row]) : []);
		this.taste = readTaste();
		const head = D.head;
		this.state = new State({v: head.view, g: head.granularity, noinlines: head.noinlines ? '1' : '',
			rel: head.rel ? '1' : '', si: head.types[head.def] ? String(head.types[head.def][0]) : ''});
		if (this.taste.theme)
			document.documentElement.dataset.theme = this.taste.theme;
		this.flame = new FlameView(byId('flame-host'), this, 'Flame graph; the Tree view has the same as a table');
		this.callersFlame = new FlameView(byId('callers-host'), this, 'Callers, growing up', true);
		this.calleesFlame = new FlameView(byId('callees-host'), this, 'Callees, growing down', true);
		this.top = new KeyTable(byId('top'), this, true, 'Functions');
		this.side = new KeyTable(byId('side-table'), this, false, 'Functions');
		this.treeGrid = new TreeGrid(byId('tree-host'), this);
		this.graph = new GraphView(byId('graph'), D.svg, name => this.selectName(name));
	}

	// --- amounts ---

	get column() {
		const at = this.base.head.types.findIndex(t => t[0] === this.state.si);
		return at < 0 ? this.base.head.def : at;
	}

	amountOf(v, k) {
		const head = this.base.head;
		return formatValue(head.divide === 1 ? v : Math.trunc(v / head.divide), head.types[k] ? head.types[k][1] : '', head.unit);
	}

	amount(v) {
		return this.amountOf(v, this.column);
	}

	signed(v) {
		return v > 0 ? '+' + this.amount(v) : v < 0 ? '-' + this.amount(-v) : '0';
	}

	// The least self and total of a row of Top: '1%', '20ms', '3'.
	least() {
		return leastRows.map(([name]) => {
			const [, number, unit] = /^([\d.]+) *([^\d.]*)$/.exec(this.state[name].trim()) || [0, 0, ''];
			if (unit === '%')
				return number / 100 * this.total().all;
			const own = findUnit(this.base.head.types[this.column][1]), given = findUnit(unit);
			return +number * this.base.head.divide * (own && given && own.family === given.family ? given.unit[2] / own.unit[2] : 1);
		});
	}

	// 100 %: of the profile as it came, or of what the filters left.
	total() {
		const [all, before, after] = this.base.head.totals[this.column] || [0, 0, 0];
		if (!this.state.rel || !this.tree)
			return {all, before, after};
		const [b, a] = [this.tree.total[0][0], this.tree.total[1][0]];
		return {all: this.isTwo && b ? b : a, before: b, after: a};
	}

	// --- steps ---

	compute() {
		const S = this.state, c = this.computer;
		c.run(S, this.column);
		for (const name of ['D', 'keys', 'counts', 'tree', 'sums', 'valueId'])
			this[name] = c[name];
		this.palette = this.steps.get('palette', c.keyId, () => new Palette(this.D, this.keys));
		this.palette.refresh();
		this.byName = S.o === 'name';
		this.isTested = this.verdicts.size > 0 && !this.isRefined() && S.g === 'functions' && this.base.head.types[this.column][0] === this.base.gate.type;
		this.computeMatches(c.keyId);
	}

	computeMatches(keyId) {
		const q = this.state.q;
		this.matches = null;
		if (!q)
			return;
		try {
			this.matches = this.steps.get('matches', keyId + '\n' + q, () => {
				const test = stringTest(compileSearch(q), this.keys.text);
				return Uint8Array.from({length: this.keys.n}, (v, k) => test(k) ? 1 : 0);
			});
		} catch (e) {
			if (!(e instanceof SlowPattern))
				throw e;
			this.errors.set('q', e.message);
		}
	}

	// Keys that the pivot's pattern matches, or null.
	pivotKeys() {
		const re = this.computer.pattern('p');
		if (!re)
			return null;
		const wanted = Uint8Array.from(this.keys.text, t => re.test(t) ? 1 : 0);
		return wanted.includes(1) ? wanted : null;
	}

	selectedKey() {
		return this.state.sel ? this.keys.text.indexOf(this.state.sel) : -1;
	}

	// --- what boxes are called ---

	text(tree, i) {
		return i ? this.keys.text[tree.key[i]] : 'all';
	}

	label(tree, i) {
		const name = displayName(this.text(tree, i));
		if (!i)
			return 'all  ' + (this.isTwo ? this.amount(tree.total[0][0]) + ' → ' : '') + this.amount(tree.total[1][0]);
		return name;
	}

	// What stands before the name: in a difference how far the box changed.
	sign(tree, i) {
		return this.isTwo && i ? this.changeWord(tree.total[0][i], tree.total[1][i]) + this.verdictMark(tree.key[i]) + ' ' : '';
	}

	changeWord(before, after) {
		if (before === after)
			return '=';
		if (!before || !after)
			return before ? 'gone' : 'new';
		return (after > before ? '▲' : '▼') + Math.round(Math.abs((after - before) / before) * 100) + '%';
	}

	/*
	 * Of a key in a difference: {change, chance}: change 1 or -1: more or
	 * less, beyond noise; 0: not; 2: perhaps. null: it was not tested.
	 */
	verdict(k, isTotal) {
		const row = this.isTested && this.verdicts.get(this.keys.text[k]);
		return row ? {change: row[isTotal ? 3 : 1], chance: row[isTotal ? 4 : 2]} : null;
	}

	verdictMark(k, isTotal = true) {
		const v = this.isTwo && this.verdict(k, isTotal);
		return v && v.change ? v.change === 2 ? '?' : '●' : '';
	}

	verdictText(k, isTotal) {
		const v = this.verdict(k, isTotal);
		if (!v)
			return '';
		return (v.change === 2 ? 'perhaps noise' : v.change ? '● significant' : 'not significant') + ', p ' + v.chance;
	}

	colour(tree, i) {
		if (!i)
			return this.palette.root;
		if (this.verdictMark(tree.key[i]) === '?')
			return this.palette.unsure;
		if (this.isTwo)
			return this.palette.ofChange(tree.total[0][i] * tree.scale[0], tree.total[1][i] * tree.scale[1]);
		return this.palette.ofKey(tree.key[i]);
	}

	amounts(tree, i) {
		const t = this.total(), [b, a] = [tree.total[0][i], tree.total[1][i]];
		if (this.isTwo)
			return 'before ' + this.amount(b) + ' (' + formatShare(b, t.before) + '), after ' + this.amount(a) + ' (' + formatShare(a, t.after) + '), ' +
				this.signed(a - b) + (b && a ? ' (' + (a < b ? '-' : '+') + formatShare(a - b, b) + ')' : a ? ' new' : b ? ' gone' : '');
		return this.amount(a) + ' (' + formatShare(a, t.all) + '), self ' + this.amount(tree.self[1][i]) + ' (' + formatShare(tree.self[1][i], t.all) + ')';
	}

	describe(tree, i) {
		return displayName(this.text(tree, i)) + (i && tree.inlined[i] ? ' (inlined)' : '') + ', ' + this.amounts(tree, i);
	}

	place(tree, i) {
		const f = this.keys.first[tree.key[i]], u = this.D.frames.fun[f], file = this.D.strings[this.D.functions.file[u]];
		const object = this.D.strings[this.D.objects[this.D.frames.object[f]]];
		return [file && file + (this.state.g === 'lines' || this.state.g === 'addresses' ? ':' + this.D.frames.line[f] : ''), object].filter(s => s).map(displayName).join(' · ');
	}

	hover(view, box, e) {
		const tip = byId('tip'), status = byId('status');
		if (!box || !view.tree) {
			tip.hidden = true;
			this.showStatus();
			return;
		}
		const {tree} = view, i = box.node;
		if (box.rest) {
			status.textContent = formatCount(box.rest) + ' smaller frames; click to see them';
			tip.hidden = true;
			return;
		}
		status.textContent = this.describe(tree, i);
		if (box.quiet || !e)
			return;
		const zoomed = view.zoomed && !this.isTwo ? ' · ' + formatShare(tree.total[1][i], tree.total[1][view.zoomed]) + ' of zoom' : '';
		tip.replaceChildren(element('b', {dir: 'ltr'}, displayName(this.text(tree, i)).slice(0, 300) + (i && tree.inlined[i] ? ' (inlined)' : '')),
			element('span', {}, this.amounts(tree, i) + zoomed), i && this.isTwo ? element('span', {}, this.verdictText(tree.key[i], true)) : '', element('span', {class: 'muted', dir: 'ltr'}, i ? this.place(tree, i) : ''));
		tip.hidden = false;
		tip.style.left = Math.max(4, Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8)) + 'px';
		tip.style.top = (e.clientY + 20 + tip.offsetHeight > innerHeight ? e.clientY - tip.offsetHeight - 8 : e.clientY + 20) + 'px';
	}

	// --- acts ---

	// A page with many nodes says that it works before it does.
	set(changes, isStep = true) {
		const isQuick = this.base.tree.n < this.manyNodes || Object.keys(changes).every(name => quickChanges.includes(name));
		Object.assign(this.state, changes);
		this.state.write(isStep);
		if (isQuick) {
			this.refresh();
			return;
		}
		byId('status').textContent = 'working…';
		afterPaint(() => this.refresh());
	}

	choose(view, i) {
		if (view === this.flame)
			this.set({z: this.pathOf(view.tree, i === view.zoomed && i ? view.tree.parent[i] : i), zw: ''});
		else if (i)
			this.pivot(view.tree.key[i]);
	}

	window(view, i, from) {
		if (view === this.flame)
			this.set({z: this.pathOf(view.tree, i), zw: String(from)});
	}

	pivot(k) {
		this.set({v: 'sandwich', p: this.exactly(k), sel: this.keys.text[k]});
	}

	open(k) {
		const view = this.state.v;
		if (view === 'flame' || view === 'top')
			this.set({v: 'sandwich', p: this.exactly(k), sel: this.keys.text[k]});
		else
			this.set({sel: this.keys.text[k], p: this.exactly(k)});
	}

	selectName(name) {
		if (this.keys.text.includes(name))
			this.set({v: 'callers', sel: name, p: '^' + quotePattern(name) + '$'});
	}

	exactly(k) {
		return '^' + quotePattern(this.keys.text[k]) + '$';
	}

	// The package of a key, '' if it has none, and a pattern for all of it: a
	// prefix of names, or a binary.
	packageOf(k) {
		const {D, keys} = this, name = D.strings[D.packages.name[keys.pkg[k]]], text = quotePattern(name);
		const isPrefix = new RegExp('^' + text + '(\\.|::)').test(D.strings[keys.name[k]]);
		return [name[0] === '[' ? '' : name, isPrefix ? '^' + text + '(\\.|::)' : '(^|/)' + text + '$'];
	}

	// A pattern for the function of a key, or its package, added to a filter.
	addFilter(name, k, isPackage) {
		const f = this.keys.first[k], own = this.D.strings[this.D.functions.name[this.D.frames.fun[f]]];
		const text = isPackage ? this.packageOf(k)[1] : '^' + quotePattern(own || this.D.strings[this.D.objects[this.D.frames.object[f]]]) + '$';
		const before = this.state[name];
		this.set({[name]: before && name !== 'f' && name !== 'sf' ? before + '|' + text : text});
	}

	filterLabel(term, isWithout) {
		const name = isWithout ? 'ti' : 'tf';
		this.set({[name]: this.state[name] && !isWithout ? this.state[name] + ',' + term : term});
	}

	rootLabel(key) {
		this.set({tr: key, v: 'flame', z: ''});
	}

	// The path of names as hashes: it survives that the page is made again.
	pathOf(tree, i) {
		const parts = [];
		for (; i; i = tree.parent[i])
			parts.unshift(fnv1a(this.text(tree, i)).toString(36));
		return parts.join('.');
	}

	zoomedNode() {
		const {tree} = this;
		let at = 0;
		for (const part of this.state.z.split('.').filter(s => s)) {
			let found = 0;
			for (let c = at + 1; c < tree.end[at] && !found; c = tree.end[c])
				if (fnv1a(this.text(tree, c)).toString(36) === part)
					found = c;
			if (!found)
				break;
			at = found;
		}
		return at;
	}

	out() {
		const S = this.state;
		if (S.zw)
			this.set({zw: ''});
		else if (S.z)
			this.set({z: S.z.split('.').slice(0, -1).join('.')});
		else if (S.q)
			this.set({q: ''}, false);
	}

	menu(view, i, x, y) {
		this.rowMenu(view.tree.key[i], x, y, () => this.stackText(view.tree, i), view === this.flame ? () => this.choose(view, i) : null);
	}

	stackText(tree, i) {
		const names = [];
		for (; i; i = tree.parent[i])
			names.unshift(this.text(tree, i));
		return names.join(';');
	}

	rowMenu(k, x, y, stack, zoom) {
		const dialog = byId('menu'), copy = text => navigator.clipboard && navigator.clipboard.writeText(text).catch(() => {});
		const act = (text, run) => element('li', {}, button(text, {}, () => {
			dialog.close();
			run();
		}));
		const all = element('input', {type: 'checkbox'}), [name] = this.packageOf(k);
		const sf = text => act(text[1], () => this.addFilter(text[0], k, all.checked));
		dialog.replaceChildren(element('h2', {dir: 'ltr'}, displayName(this.keys.text[k]).slice(0, 200)), element('ul', {},
			...(zoom ? [act('Zoom', zoom)] : []), act('Sandwich', () => this.pivot(k)),
			act('Callers and callees', () => this.set({v: 'callers', sel: this.keys.text[k]})),
			...(this.base.sources || this.base.code ? [act('Source', () => this.set({v: 'source', sel: this.keys.text[k]}))] : []),
			...(name ? [element('li', {}, element('label', {}, all, ' all of package ' + displayName(name).slice(0, 60)))] : []), ...frameFilters.map(sf), act('Copy name', () => copy(this.keys.text[k])), ...(stack ? [act('Copy stack', () => copy(stack()))] : [])));
		dialog.showModal();
		if (x !== undefined) {
			dialog.style.left = Math.min(x, innerWidth - dialog.offsetWidth - 8) + 'px';
			dialog.style.top = Math.min(y, innerHeight - dialog.offsetHeight - 8) + 'px';
		}
	}

	// --- drawing ---

	refresh() {
		const start = performance.now();
		this.compute();
		this.showControls();
		this.showCrumbs();
		this.showLegend();
		this.showView();
		this.showStatus();
		this.spent = performance.now() - start;
	}

	showView() {
		const S = this.state, {tree} = this, hasSide = ['flame', 'sandwich', 'callers'].includes(S.v);
		const tableId = [this.valueId, S.q, S.rel, S.ls, S.lt, this.isTested, this.isPrinting, this.redraws].join('\n');
		for (const name of viewNames)
			byId('panel-' + name).hidden = name !== S.v;
		byId('side').hidden = !hasSide;
		if (S.v === 'flame')
			this.flame.show(tree, this.zoomedNode(), S.zw === '' ? -1 : +S.zw || 0, S.d === 'up');
		else if (S.v === 'sandwich')
			this.showSandwich();
		else if (S.v === 'top')
			this.top.show(this.sums, this.keys, this.matches, tableId);
		else if (S.v === 'callers')
			drawCallers(byId('callers'), this, tree, this.sums, this.selectedKey());
		else if (S.v === 'tree')
			this.showTree();
		else if (S.v === 'graph')
			this.showGraph();
		else if (S.v === 'source')
			this.showSource();
		else if (S.v === 'labels')
			drawLabels(byId('labels'), this, this.D, this.counts, this.column);
		else
			drawInfo(byId('info'), this, this.base);
		// Last: a table's layout takes longest, and nothing asks for a size after it.
		if (hasSide)
			this.side.show(this.sums, this.keys, this.matches, tableId);
	}

	showSandwich() {
		const wanted = this.pivotKeys(), note = byId('sandwich-note');
		byId('callers-host').hidden = byId('callees-host').hidden = !wanted;
		if (!wanted) {
			note.textContent = this.state.p ? 'No function matches ' + displayName(this.state.p) : 'Choose a function in the table to see who calls it and what it calls.';
			return;
		}
		const id = this.valueId + '\n' + this.state.p;
		const down = this.steps.get('callees', id, () => calleesTree(this.tree, wanted));
		const up = this.steps.get('callers', id, () => callersTree(this.tree, wanted));
		const names = this.keys.text.filter((t, k) => wanted[k]);
		note.textContent = 'Callers above, callees below: ' + names.slice(0, 3).map(displayName).join(', ') + (names.length > 3 ? ' and ' + (names.length - 3) + ' more' : '') +
			' · ' + this.amounts(down, 0).replace(/, self .*/, '');
		this.callersFlame.show(up, 0, -1, true);
		this.calleesFlame.show(down, 0, -1, false);
	}

	// The drawing is of the profile as it came; else, of the chosen function.
	showGraph() {
		const key = this.selectedKey(), isDrawn = this.isRefined() || !this.base.svg;
		const note = !isDrawn ? [] : [element('p', {class: 'note'}, ...(key < 0
			? [(this.base.svg ? 'The graph shows the profile without the filters of this page. ' : '') + 'Choose a function in another view to see its neighbours.']
			: ['Callers on the left, callees on the right.', button('Whole graph', {class: 'small'}, () => this.set({sel: ''}))]))];
		this.graph.show(note, isDrawn && key >= 0 ? drawNeighbours(key, this.amount(this.sums.total[1][key]) + ', self ' + this.amount(this.sums.self[1][key]), edgesOf(this.tree, key),
			k => displayName(this.keys.text[k]), v => (this.isTwo ? this.amount(v[0]) + ' → ' : '') + this.amount(v[1]), k => this.set({sel: this.keys.text[k]})) : null);
	}

	// Why a view has nothing to show.
	emptyText() {
		return this.isRefined() || this.least().some(v => v) ? 'Nothing is left by the filters.' : 'Nothing was measured: the profile has no samples of this type.';
	}

	showTree() {
		const isInverted = byId('invert').checked, id = this.valueId + '\n' + isInverted;
		const tree = isInverted ? this.steps.get('inverted', id, () => callersTree(this.tree, null)) : this.tree;
		this.treeGrid.show(tree);
	}

	showSource() {
		const D = this.D, {code} = this.base, sumsOf = (step, make) => this.steps.get(step, this.valueId, () => {
			const K = make(), S = makeStructure(D, K, {prune: this.computer.filters.prune});
			return {K, sums: sumKeys(makeValues(D, S, this.counts, this.column, 'after', false), S, K.n)};
		});
		const lines = sumsOf('lines', () => makeKeys(D, 'lines', false, Boolean(this.state.noinlines)));
		const insns = code && sumsOf('insns', () => insnKeys(D, code));
		new SourceView(this, D, lines, insns).draw(byId('source'), this.state.sel);
	}

	isRefined() {
		return allFilters.some(([name]) => this.state[name]) || this.state.g !== this.base.head.granularity ||
			this.column !== this.base.head.def;
	}

	showControls() {
		const S = this.state;
		for (const [name] of allFilters) {
			const input = byId('filter-' + name), error = this.errors.get(name);
			if (document.activeElement !== input)
				put(input, 'value', S[name]);
			input.setAttribute('aria-invalid', String(Boolean(error)));
			put(byId('error-' + name), 'textContent', error || '');
		}
		for (const name of viewNames) {
			const tab = byId('tab-' + name), isOn = name === S.v;
			tab.setAttribute('aria-selected', String(isOn));
			put(tab, 'tabIndex', isOn ? 0 : -1);
		}
		for (const [name] of leastRows)
			put(byId('least-' + name), 'value', S[name]);
		put(byId('type'), 'value', String(this.column));
		put(byId('granularity'), 'value', S.g);
		byId('inlines').checked = !S.noinlines;
		put(byId('order'), 'value', S.o);
		put(byId('width'), 'value', S.w);
		byId('shares').checked = S.cmp === 'share';
		byId('relative').checked = Boolean(S.rel);
		byId('flip').setAttribute('aria-pressed', String(S.d === 'up'));
		if (document.activeElement !== byId('search'))
			byId('search').value = S.q;
	}

	showCrumbs() {
		const S = this.state, crumbs = [], {tree} = this;
		for (const [name, title] of allFilters)
			if (S[name])
				crumbs.push(element('span', {class: 'pill' + (this.errors.has(name) ? ' bad' : '')}, title + ' ', element('span', {dir: 'ltr'}, displayName(S[name]).slice(0, 60)),
					button('×', {'aria-label': 'Remove ' + title}, () => this.set({[name]: ''}))));
		if (S.v === 'flame') {
			const path = [];
			for (let i = this.zoomedNode(); i; i = tree.parent[i])
				path.unshift(i);
			if (path.length)
				crumbs.push(button('all', {class: 'crumb'}, () => this.set({z: '', zw: ''})));
			const from = Math.max(0, path.length - 6);
			if (from)
				crumbs.push(element('span', {class: 'muted'}, '… '));
			for (const i of path.slice(from))
				crumbs.push(element('span', {class: 'muted', 'aria-hidden': 'true'}, ' › '),
					button(displayName(this.text(tree, i)).slice(0, 50), {class: 'crumb', dir: 'ltr'}, () => this.set({z: this.pathOf(tree, i), zw: ''})));
			if (S.zw)
				crumbs.push(element('span', {class: 'muted'}, ' siblings from number ' + (+S.zw + 1) + ' on '), button('×', {class: 'crumb', 'aria-label': 'Leave the window'}, () => this.out()));
		}
		const host = byId('crumbs');
		host.hidden = !crumbs.length;
		host.replaceChildren(...crumbs);
	}

	showLegend() {
		const host = byId('legend'), items = [], {palette, D} = this;
		const item = (colour, text) => items.push(element('span', {}, swatch(colour), text));
		if (!['flame', 'sandwich'].includes(this.state.v)) {
			host.replaceChildren();
			return;
		}
		if (this.isTwo) {
			['gone or -50%', '-20 to -50%', '-5 to -20%', '-0.5 to -5%', 'same', '+0.5 to +5%', '+5 to +20%', '+20 to +50%', 'new or +50%']
				.forEach((text, i) => item(palette.shades[i], text));
		} else {
			const weight = new Float64Array(D.packages.name.length);
			for (let k = 0; k < this.keys.n; k++)
				weight[this.keys.pkg[k]] += Math.abs(this.sums.self[1][k]);
			[...weight.keys()].filter(p => weight[p] > 0).sort((a, b) => weight[b] - weight[a] || a - b).slice(0, 10)
				.forEach(p => palette.isPlain && !D.packages.name[p] ? 0 : item(palette.ofPackage(p), (displayName(D.strings[D.packages.name[p]]) || 'no package').slice(0, 60) + ' ' + formatShare(weight[p], this.total().all)));
		}
		items.push(element('span', {}, 'dashed foot: inlined'));
		if (this.isTested)
			item(palette.unsure, '?: perhaps noise');
		if (this.isTested)
			items.push(element('span', {}, '●: more than sampling noise explains (all false alarms together: ' + this.base.gate.alpha * 100 + '%)'));
		host.replaceChildren(...items);
	}

	showStatus() {
		const status = byId('status');
		if (this.errors.has('q')) {
			status.textContent = 'search: ' + this.errors.get('q');
		} else if (this.matches) {
			const found = sumMatches(this.tree, this.matches), t = this.total().all, names = this.matches.reduce((n, m, k) => n + (m && (this.sums.total[0][k] || this.sums.total[1][k]) ? 1 : 0), 0);
			const before = this.isTwo ? 'before ' + this.amount(found.total[0]) + ', after ' : '';
			status.textContent = 'search: ' + before + this.amount(found.total[1]) + ' (' + formatShare(found.total[1], t) + ') in stacks with a match, self ' +
				this.amount(found.self[1]) + ' (' + formatShare(found.self[1], t) + '), ' + formatCount(names) + ' names, ' + formatCount(found.boxes) + ' boxes';
		} else {
			const [b, a] = [this.tree.total[0][0], this.tree.total[1][0]];
			status.textContent = (this.isTwo ? this.amount(b) + ' → ' : '') + this.amount(a) + ' shown of ' + this.amount(this.isTwo ? this.total().before : this.total().all) +
				' · ' + formatCount(this.tree.n - 1) + ' nodes';
		}
	}

	redraw() {
		this.redraws++;
		this.palette.refresh();
		this.showLegend();
		this.showView();
	}
}

// --- controls ---

function fillControls(page) {
	const head = page.base.head, type = byId('type');
	document.title = displayName(head.title);
	byId('title').textContent = displayName(head.title);
	byId('about').textContent = (head.dur ? formatValue(head.dur, 'nanoseconds') + ' · ' : '') + formatCount(head.samples) + ' stacks';
	head.types.forEach(([name, unit], k) => type.append(element('option', {value: k}, displayName(name) + '/' + displayName(unit))));
	for (const g of granularities)
		byId('granularity').append(element('option', {value: g}, g));
	for (const w of diffWidths)
		byId('width').append(element('option', {value: w}, w === 'both' ? 'both sides' : w));
	byId('diff-controls').hidden = !head.two;
	for (const [name, title] of allFilters)
		byId('filters').append(element('label', {}, element('span', {}, title), element('input', {id: 'filter-' + name, type: 'text', spellcheck: 'false', autocomplete: 'off',
			'aria-describedby': 'error-' + name}), element('span', {id: 'error-' + name, class: 'error'})));
	byId('least').append('Rows of at least: ', ...leastRows.map(([name, title]) => element('label', {}, title + ' ', element('input', {id: 'least-' + name, placeholder: '1%, 20ms'}))));
	if (!page.base.svg)
		byId('tab-graph').classList.add('off');
	if (!page.base.sources && !page.base.code)
		byId('tab-source').classList.add('off');
}

function bindControls(page) {
	const S = page.state;
	for (const name of viewNames)
		on(byId('tab-' + name), 'click', () => page.set({v: name}));
	on(byId('tabs'), 'keydown', e => {
		const at = viewNames.indexOf(S.v) + (e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0);
		if (at === viewNames.indexOf(S.v))
			return;
		const next = viewNames[(at + viewNames.length) % viewNames.length];
		page.set({v: next});
		byId('tab-' + next).focus();
		e.preventDefault();
	});
	on(byId('type'), 'change', e => page.set({si: page.base.head.types[+e.target.value][0]}));
	on(byId('granularity'), 'change', e => page.set({g: e.target.value, z: '', zw: ''}));
	on(byId('inlines'), 'change', e => page.set({noinlines: e.target.checked ? '' : '1', z: '', zw: ''}));
	on(byId('order'), 'change', e => page.set({o: e.target.value, zw: ''}));
	on(byId('width'), 'change', e => page.set({w: e.target.value}));
	on(byId('shares'), 'change', e => page.set({cmp: e.target.checked ? 'share' : ''}));
	on(byId('relative'), 'change', e => page.set({rel: e.target.checked ? '1' : ''}));
	on(byId('invert'), 'change', () => page.showView());
	on(byId('flip'), 'click', () => page.set({d: S.d === 'up' ? 'down' : 'up'}));
	on(byId('reset'), 'click', () => page.set(Object.fromEntries(allFilters.map(([name]) => [name, '']))));
	for (const [name] of allFilters)
		on(byId('filter-' + name), 'change', e => page.set({[name]: e.target.value, zw: ''}));
	for (const [name] of leastRows)
		on(byId('least-' + name), 'change', e => page.set({[name]: e.target.value}));
	on(byId('theme'), 'click', () => {
		const dark = getComputedStyle(document.documentElement).colorScheme.includes('dark');
		document.documentElement.dataset.theme = page.taste.theme = dark ? 'light' : 'dark';
		writeTaste(page.taste);
		page.redraw();
	});
	on(byId('help'), 'click', showHelp);
	on(byId('sets'), 'click', () => showSets(page));
}

// Filters kept under names, in this browser; as text for other browsers.
function showSets(page) {
	const dialog = byId('menu'), {taste, state} = page, names = allFilters.map(([name]) => name);
	const isText = v => typeof v === 'string', isSet = s => Array.isArray(s) && isText(s[0]) && s[1] && typeof s[1] === 'object' && Object.values(s[1]).every(isText);
	const sets = Array.isArray(taste.sets) ? taste.sets.filter(isSet) : [];
	const keep = list => {
		taste.sets = list;
		writeTaste(taste);
		showSets(page);
	};
	const input = element('input', {'aria-label': 'Name'}), text = element('textarea', {'aria-label': 'All sets as text', rows: 4, spellcheck: 'false'}, JSON.stringify(sets));
	const saved = element('ul', {}, ...sets.map(([name, set]) => element('li', {}, element('p', {}, button(displayName(name), {}, () => {
		dialog.close();
		page.set(Object.fromEntries(names.map(n => [n, Object.hasOwn(set, n) ? set[n] : ''])));
	}), button('×', {'aria-label': 'Delete ' + displayName(name)}, () => keep(sets.filter(s => s[0] !== name)))))));
	dialog.style.left = dialog.style.top = '';
	dialog.replaceChildren(element('h2', {}, 'Sets of filters'), saved, element('p', {}, input, button('Keep these filters', {}, () => input.value &&
		keep([...sets.filter(s => s[0] !== input.value), [input.value, Object.fromEntries(names.filter(n => state[n]).map(n => [n, state[n]]))]]))), text,
	element('p', {}, button('Use this text', {}, () => {
		try {
			keep([JSON.parse(text.value)].flat().filter(isSet));
		} catch (e) {
			text.setAttribute('aria-invalid', 'true');
		}
	}), button('Close', {}, () => dialog.close())));
	if (!dialog.open)
		dialog.showModal();
}

function showHelp() {
	const dialog = byId('menu');
	dialog.style.left = dialog.style.top = '';
	dialog.replaceChildren(element('h2', {}, 'Keys'), keyList(), button('Close', {}, () => dialog.close()));
	dialog.showModal();
}

function bindSearch(page) {
	const input = byId('search');
	let timer = 0;
	on(input, 'input', () => {
		clearTimeout(timer);
		timer = setTimeout(() => page.set({q: input.value}, false), 120);
	});
	on(input, 'keydown', e => {
		if (e.key === 'Enter' && e.altKey && input.value)
			page.set({f: input.value, q: ''});
		else if (e.key === 'Enter' && page.state.v === 'flame' && page.matches)
			page.flame.nextMatch(e.shiftKey ? -1 : 1);
		else if (e.key === 'Escape')
			page.set({q: ''}, false), input.value = '', input.blur();
		else
			return;
		e.preventDefault();
		e.stopPropagation();
	});
}

function bindKeys(page) {
	on(document, 'keydown', e => {
		if (e.ctrlKey || e.metaKey || e.altKey || byId('menu').open || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName))
			return;
		const S = page.state, next = (list, at) => list[(list.indexOf(at) + 1) % list.length];
		if (e.key === '/')
			byId('search').focus();
		else if (e.key >= '1' && e.key <= '9')
			page.set({v: viewNames[+e.key - 1]});
		else if (e.key === 'f')
			page.set({d: S.d === 'up' ? 'down' : 'up'});
		else if (e.key === 't')
			page.set({si: page.base.head.types[(page.column + 1) % page.base.head.types.length][0]});
		else if (e.key === 'w' && page.isTwo)
			page.set({w: next(diffWidths, S.w)});
		else if (e.key === 'x')
			page.set({z: '', zw: ''});
		else if (S.v === 'graph' && '+-0'.includes(e.key))
			page.graph.key(e.key);
		else if (e.key === 'Escape' || e.key === 'Backspace')
			page.out();
		else if (e.key === '?')
			showHelp();
		else
			return;
		e.preventDefault();
	});
}

function bindWindow(page) {
	let timer = 0;
	on(window, 'resize', () => {
		clearTimeout(timer);
		timer = setTimeout(() => page.showView(), 60);
	});
	const follow = () => {
		page.state.read();
		page.refresh();
	};
	on(window, 'popstate', follow);
	on(window, 'hashchange', follow);
	on(matchMedia('(prefers-color-scheme: dark)'), 'change', () => page.redraw());
	let theme;
	on(window, 'beforeprint', () => {
		theme = document.documentElement.dataset.theme;
		document.documentElement.dataset.theme = 'light';
		page.isPrinting = true;
		page.redraw();
	});
	on(window, 'afterprint', () => {
		document.documentElement.dataset.theme = theme;
		page.isPrinting = false;
		page.redraw();
	});
}

async function start() {
	const block = byId('data'), text = block.textContent, isZipped = block.dataset.z === '1';
	block.remove();
	for (const e of document.querySelectorAll('noscript'))
		e.remove();
	try {
		if (isZipped && typeof DecompressionStream === 'undefined')
			throw new Error('this browser has no DecompressionStream; make the page with prof-html --no-compress');
		const page = new Page(decodePage(await unpackText(text, isZipped)));
		fillControls(page);
		page.state.read();
		bindControls(page);
		bindSearch(page);
		bindKeys(page);
		bindWindow(page);
		page.refresh();
		document.body.dataset.ready = String(Math.round(performance.now()));
		globalThis.profpage = page;
	} catch (e) {
		byId('status').textContent = e instanceof Damaged || !(e instanceof TypeError) ? e.message : 'this page is damaged: it cannot be unpacked';
		document.body.dataset.ready = 'failed';
	}
}

start();
