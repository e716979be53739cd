// page.mjs - the page as its views see it: the state, amounts and names, what a
// click does, and which view is drawn.

import {insnKeys} from './asm.mjs';
import {drawBar} from './bar.mjs';
import {SampleSizes, changeColour, changeOf, changeText, likelyText} from './change.mjs';
import {Palette, fnv1a} from './colour.mjs';
import {Computer} from './compute.mjs';
import {findLine} from './facts.mjs';
import {afterPaint, button, byId, element, emptyNote, put, swatch} from './dom.mjs';
import {shownName} from './fit.mjs';
import {FlameView} from './flame.mjs';
import {GraphView} from './graph.mjs';
import {drawInfo} from './info.mjs';
import {drawLabels} from './labels.mjs';
import {closeMenu, copyText, openMenu, showNote} from './menu.mjs';
import {makeKeys, makeStructure} from './model.mjs';
import {displayName, findUnit, formatCount, formatValue, shortShare, shortValue} from './numbers.mjs';
import {compilePattern, compileSearch, quotePattern, SlowPattern, stringTest} from './regexp.mjs';
import {Found} from './search.mjs';
import {SideTable} from './side.mjs';
import {SourceView, shortPath} from './source.mjs';
import {State, diffWidths, granularities, readTaste, viewNames, writeTaste} from './state.mjs';
import {TreeGrid} from './tree.mjs';
import {InvertedTree, calleesTree, callersTree, makeValues, relatedNodes, sidesOf, sumKeys} from './values.mjs';

const frameFilters = [['f', 'Focus'], ['h', 'Hide'], ['i', 'Ignore'], ['s', 'Show'], ['sf', 'Show from'], ['prunefrom', 'Prune from']];
const allFilters = [...frameFilters, ['tf', 'Label'], ['ti', 'Not label'], ['tr', 'Label root']];
// What needs neither the structure nor the sums again.
const quickChanges = ['v', 'q', 'z', 'zw', 'o', 'd', 'rel', 'sel', 'ls', 'lt', 'so', 'fc', 'gn', 'to', 'tv', 'l'];
const phoneWidth = 900, pivotHeight = 48, sandwichRow = 22;

class Page {
	constructor(D) {
		const {head} = D;
		this.D = this.base = D;
		this.isTwo = head.two;
		this.computer = new Computer(D);
		this.steps = this.computer.steps;
		this.errors = this.computer.errors;
		this.matches = null;
		this.litKey = -1;
		this.redraws = 0;
		this.manyNodes = 1e6;
		this.verdicts = new Map(D.gate ? D.gate.rows.map(row => [row[0], row]) : []);
		this.taste = readTaste();
		this.state = new State({v: head.view, g: head.granularity, noinlines: head.noinlines ? '1' : '', l: head.list || '',
			rel: head.rel ? '1' : '', si: head.types[head.def] ? String(head.types[head.def][0]) : ''});
		this.flame = new FlameView(byId('flame-host'), this, 'Flame graph; the Tree view has the same as a table');
		this.callersFlame = new FlameView(byId('callers-host'), this, 'Callers, growing up', {isRootless: true, isCallers: true, rowHeight: sandwichRow});
		this.calleesFlame = new FlameView(byId('callees-host'), this, 'Callees, growing down', {isRootless: true, rowHeight: sandwichRow});
		this.side = new SideTable(byId('functions'), this);
		this.treeGrid = new TreeGrid(byId('tree-host'), this);
		this.graph = new GraphView(byId('graph'), this);
		this.source = new SourceView(byId('source'), this);
		this.found = new Found(byId('found'), this);
		this.measure();
	}

	// What depends on the size of the window and on taste.
	measure() {
		this.isPhone = innerWidth < phoneWidth;
		const most = Math.max(300, innerWidth * .6), usual = innerWidth <= 1180 ? 340 : 440;
		this.sideWidth = Math.round(Math.max(300, Math.min(most, +this.taste.side || (this.state.isOldTop ? most : usual))));
		document.body.style.setProperty('--side', this.sideWidth + 'px');
	}

	// --- amounts ---

	get column() {
		const at = this.base.head.types.findIndex(t => t[0] === this.state.si);
		return at < 0 ? this.base.head.def : at;
	}

	get unit() {
		return this.base.head.types[this.column] ? this.base.head.types[this.column][1] : '';
	}

	// As the reports write it.
	amountOf(v, k) {
		const {head} = this.base;
		return formatValue(head.divide === 1 ? v : Math.trunc(v / head.divide), head.types[k] ? head.types[k][1] : '', head.unit);
	}

	exact(v) {
		return this.amountOf(v, this.column);
	}

	amount(v) {
		return shortValue(v / this.base.head.divide, this.unit, this.base.head.unit);
	}

	signed(v) {
		return (v > 0 ? '+' : '') + this.amount(v);
	}

	share(v) {
		return shortShare(v, this.total().all);
	}

	// 100 %: of the profile as it came, or of what the filters left.
	total() {
		const [all, before, after] = this.base.head.totals[this.column] || [0, 0, 0];
		if (!this.state.rel || !this.tree)
			return {all, before, after};
		const [b, a] = [this.tree.total[0][0], this.tree.total[1][0]];
		return {all: this.isTwo && b ? b : a, before: b, after: a};
	}

	// The least self and total of a row: '1%', '20ms', '3'.
	least() {
		return ['ls', 'lt'].map(name => {
			const [, number, unit] = /^([\d.]+) *([^\d.]*)$/.exec(this.state[name].trim()) || [0, 0, ''];
			if (unit === '%')
				return number / 100 * Math.abs(this.total().all);
			const own = findUnit(this.unit), given = findUnit(unit);
			return +number * this.base.head.divide * (own && given && own.family === given.family ? given.unit[2] / own.unit[2] : 1);
		});
	}

	changeOf(before, after) {
		return changeOf(before, after, this.sizes.of(before, 0), this.sizes.of(after, 1));
	}

	// Beyond noise for the whole family of functions, by the gate's statistics.
	isSignificant(k, isTotal = this.state.so === 'total') {
		const row = this.isTwo && this.isTested && this.verdicts.get(this.keys.text[k]);
		return Boolean(row) && Math.abs(row[isTotal ? 3 : 1]) === 1;
	}

	// --- steps ---

	compute() {
		const S = this.state, c = this.computer, {head} = this.base;
		c.run(S, this.column);
		for (const name of ['D', 'keys', 'counts', 'tree', 'sums', 'valueId'])
			this[name] = c[name];
		this.palette = this.steps.get('palette', c.keyId, () => new Palette(this.D, this.keys));
		if (this.palette.isDark !== undefined && this.drawnTheme !== this.redraws)
			this.palette.refresh();
		this.drawnTheme = this.redraws;
		this.byName = S.o === 'name';
		if (this.isTwo)
			this.sizes = this.steps.get('sizes', String(this.column), () => {
				const count = head.types.findIndex((t, k) => t[1] === 'count' && k !== this.column && head.totals[k][1] > 0 && head.totals[k][2] > 0);
				return new SampleSizes(this.base, this.column, count < 0 ? null : this.base.samples.values[count]);
			});
		this.isTested = this.verdicts.size > 0 && !this.isRefined() && S.g === 'functions' && head.types[this.column][0] === this.base.gate.type;
		this.zoomed = this.zoomedNode();
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

	related(tree) {
		const known = this.relations && this.relations.matches === this.matches ? this.relations : this.relations = {matches: this.matches, of: new Map()};
		if (!known.of.has(tree))
			known.of.set(tree, relatedNodes(tree, this.matches));
		return known.of.get(tree);
	}

	isRefined() {
		return allFilters.some(([name]) => this.state[name]) || this.state.g !== this.base.head.granularity || this.column !== this.base.head.def;
	}

	// Keys that the pivot's pattern matches; without one the heaviest function, or
	// the one that changed most.
	pivotKeys() {
		const {keys: K, sums, palette} = this, re = this.computer.pattern('p'), wanted = new Uint8Array(K.n);
		if (this.state.p) {
			K.text.forEach((t, k) => {
				wanted[k] = re && re.test(t) ? 1 : 0;
			});
			return wanted.includes(1) ? wanted : null;
		}
		const weight = k => Math.abs(sums.self[1][k] - sums.self[0][k]) * (palette.isOwn(k) ? 1.5 : 1);
		let best = -1;
		for (let k = 0; k < K.n; k++)
			if (!palette.isUnnamed(k) && weight(k) > 0 && (best < 0 || weight(k) > weight(best)))
				best = k;
		if (best >= 0)
			wanted[best] = 1;
		return best < 0 ? null : wanted;
	}

	selectedKey() {
		return this.state.sel ? this.keys.text.indexOf(this.state.sel) : -1;
	}

	// --- what boxes are called, and how they look ---

	name(k) {
		return displayName(this.keys.text[k]);
	}

	text(tree, i) {
		return i ? this.keys.text[tree.key[i]] : 'all';
	}

	// Of a profile with negative values, a difference without its base, the direction.
	colourOf(k, v) {
		return this.tree.isPlain ? this.palette.ofKey(k) : this.palette.ofChange({r: v / this.total().all || 0, isSure: true});
	}

	fill(tree, i) {
		if (!this.isTwo)
			return {fill: this.colourOf(tree.key[i], tree.total[1][i]), isHatched: false};
		const change = this.changeOf(...sidesOf(tree.total, i));
		return {fill: this.palette.ofChange(change), isHatched: !change.isSure};
	}

	shareText(before, after) {
		return this.isTwo ? changeText({before, after}) : this.share(after);
	}

	rightText(tree, i) {
		return this.shareText(...sidesOf(tree.total, i));
	}

	describe(tree, i) {
		const [before, after] = sidesOf(tree.total, i), amounts = this.isTwo ? 'before ' + this.amount(before) + ', after ' + this.amount(after) + ', ' + changeText({before, after})
			: this.amount(after) + ' (' + this.share(after) + '), self ' + this.amount(tree.self[1][i]) + ' (' + this.share(tree.self[1][i]) + ')';
		return displayName(this.text(tree, i)) + (i && tree.inlined[i] ? ' (inlined)' : '') + ', ' + amounts;
	}

	fileOf(k) {
		return this.D.strings[this.D.functions.file[this.D.frames.fun[this.keys.first[k]]]];
	}

	place(k) {
		const f = this.keys.first[k], file = this.fileOf(k), object = this.D.strings[this.D.objects[this.D.frames.object[f]]];
		return [file && shortPath(file) + (this.state.g === 'lines' || this.state.g === 'addresses' ? ':' + this.D.frames.line[f] : ''), object && shortPath(object)].filter(s => s).map(displayName).join(' · ');
	}

	tipRows(view, i) {
		const {tree} = view, [before, after] = sidesOf(tree.total, i), out = element('div', 'g');
		const row = (name, value, more) => out.append(element('span', '', name), element('b', '', value), element('span', '', more || ''));
		if (this.isTwo) {
			const c = this.changeOf(before, after);
			row('before', this.amount(before));
			row('after', this.amount(after));
			row('change', changeText(c), likelyText(c) || (c.isSure ? '' : 'too few samples to tell'));
			return [out, element('p', '', (c.isSure ? 'More than sampling noise explains.' : 'Sampling noise alone could explain it.') + ' ' + formatCount(Math.round(c.na)) + ' and ' + formatCount(Math.round(c.nb)) + ' samples.')];
		}
		row('total', this.amount(after), this.share(after) + (view.zoomed && view === this.flame ? ' of all · ' + shortShare(after, tree.total[1][view.zoomed]) + ' of the zoom' : ''));
		row('self', this.amount(tree.self[1][i]), this.share(tree.self[1][i]));
		if (tree.times && tree.times[i])
			row('recursion', '×' + formatCount(tree.times[i] + 1), 'deepest');
		return [out];
	}

	hover(view, box, e) {
		const tip = byId('tip');
		if (!box || !view.tree || !e || this.isPhone) {
			tip.hidden = true;
			return;
		}
		const {tree} = view, i = box.node;
		if (box.rest)
			tip.replaceChildren(element('h4', '', formatCount(box.rest) + ' smaller frames'), element('p', '', 'below ' + shownName(this.text(tree, i)) + (view === this.flame ? ' · click to spread them out' : '')));
		else if (box.run)
			tip.replaceChildren(element('h4', '', formatCount(box.run.length) + ' frames that hand all on, but for 1\u202f%'), element('p', {dir: 'ltr'}, box.run.map(at => shownName(this.text(tree, at))).join(' › ')), element('p', '', 'click to unfold them'));
		else
			tip.replaceChildren(element('h4', {dir: 'ltr'}, displayName(this.text(tree, i)).slice(0, 300)), ...this.tipRows(view, i), i ? element('p', {dir: 'ltr'}, (tree.inlined[i] ? 'inlined · ' : '') + this.place(tree.key[i])) : '');
		tip.hidden = false;
		tip.style.left = Math.max(6, Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8)) + 'px';
		tip.style.top = (e.clientY + 18 + tip.offsetHeight > innerHeight ? Math.max(4, e.clientY - tip.offsetHeight - 12) : e.clientY + 18) + 'px';
	}

	// The boxes of a key stand out, -1: all do.
	light(k) {
		if (k === this.litKey)
			return;
		this.litKey = k;
		for (const view of this.state.v === 'flame' ? [this.flame] : this.state.v === 'sandwich' ? [this.callersFlame, this.calleesFlame] : [])
			view.draw();
	}

	// --- acts ---

	// isStep: Esc and the back button return from it. A page with many nodes says
	// that it works before it does.
	set(changes, isStep = true) {
		const isQuick = this.base.tree.n < this.manyNodes || Object.keys(changes).every(name => quickChanges.includes(name));
		Object.assign(this.state, changes);
		this.state.write(isStep, byId('flame-host').scrollTop);
		if (isQuick) {
			this.refresh();
			return;
		}
		byId('found').textContent = 'working…';
		afterPaint(() => this.refresh());
	}

	// The browser went to another entry of its history: as it was left, to the pixel.
	follow(entry) {
		this.state.read();
		this.refresh();
		if (entry && entry.scroll >= 0)
			byId('flame-host').scrollTop = entry.scroll;
	}

	choose(view, box, e) {
		const {tree} = view, i = box.node;
		if (view === this.flame && box.rest) {
			this.set({z: this.pathOf(tree, i), zw: String(box.from)});
		} else if (box.rest) {
			return;
		} else if (this.isPhone && e && (i || box.run)) {
			this.sheet(view, box);
		} else if (view !== this.flame) {
			this.pivot(tree.key[i]);
		} else if (box.run) {
			this.set({fc: '0'});
		} else if (i || this.state.z) {
			this.set({z: this.pathOf(tree, i === view.zoomed && i ? tree.parent[i] : i), zw: ''});
		}
	}

	pivot(k) {
		this.set({v: 'sandwich', p: this.exactly(k), sel: this.keys.text[k]});
	}

	showSourceOf(k) {
		const u = this.D.frames.fun[this.keys.first[k]];
		this.set({v: 'source', sel: this.D.strings[this.D.functions.name[u]] || this.keys.text[k]});
	}

	exactly(k) {
		return '^' + quotePattern(this.keys.text[k]) + '$';
	}

	// The package of a key, '' if it has none, and a pattern for all of it: a
	// prefix of names, or a binary.
	packageOf(k) {
		const {D, keys} = this, name = D.strings[D.packages[keys.pkg[k]]], text = quotePattern(name), own = D.strings[keys.name[k]];
		const isPrefix = own.startsWith(name) && /^(\.|::|:|\/)/.test(own.slice(name.length));
		return [name[0] === '[' ? '' : name, isPrefix ? '^' + text + '(\\.|::|:|/)' : own.includes(name) ? '^\\W*' + text : '(^|/)' + text + '$'];
	}

	// A pattern for the function of a key or, without a name, its file or binary; or for
	// its package; added to a filter.
	addFilter(name, k, isPackage) {
		const {D: {strings, functions, frames, objects}, keys} = this, f = keys.first[k], file = this.state.g === 'functions' ? 0 : functions.raw[frames.fun[f]];
		const text = isPackage ? this.packageOf(k)[1] : '^' + quotePattern(strings[keys.name[k] || file || objects[frames.object[f]]]) + '$';
		const before = this.state[name];
		this.set({[name]: before && name !== 'f' && name !== 'sf' ? before + '|' + text : text, z: '', zw: ''});
	}

	filterLabel(term, isWithout) {
		const name = isWithout ? 'ti' : 'tf', before = this.state[name];
		// All of several values, or without any of them: not with a key, nor for ranges.
		const isList = before && !/=/.test(before + term) && !(isWithout && before.includes(','));
		this.set({[name]: isList ? before + (isWithout ? '|' : ',') + term : term});
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

	stackText(tree, i) {
		const names = [];
		for (; i; i = tree.parent[i])
			names.unshift(this.text(tree, i));
		return names.join(';');
	}

	menu(view, i, x, y) {
		this.rowMenu(view.tree.key[i], x ?? innerWidth / 3, y ?? 200, {stack: this.stackText(view.tree, i), zoom: view === this.flame ? () => this.choose(view, {node: i}) : null});
	}

	// A menu for a key. stack: its text; zoom: what zooms into it.
	rowMenu(k, x, y, {stack, zoom} = {}) {
		const [name] = this.packageOf(k), filters = isPackage => frameFilters.map(([id, text]) => ({text: text + (isPackage ? ' ' + displayName(name).slice(0, 40) : ''), key: !isPackage && {f: 'f', h: 'h'}[id], run: () => this.addFilter(id, k, isPackage)}));
		openMenu([{caption: shownName(this.keys.text[k]).slice(0, 200)}, ...(zoom ? [{text: 'Zoom', key: '⏎', run: zoom}] : []), {text: 'Sandwich: callers and callees', key: 's', run: () => this.pivot(k)},
			{text: 'Source and instructions', key: 'o', run: () => this.showSourceOf(k)}, null, ...filters(false), ...(name ? [{text: 'All of package ' + displayName(name).slice(0, 40) + '…', run: () => openMenu([{caption: displayName(name).slice(0, 100)}, ...filters(true)], x, y)}] : []), null,
			{text: 'Copy name', key: 'c', run: () => copyText(this.keys.text[k], showNote)}, ...(stack ? [{text: 'Copy stack', run: () => copyText(stack, showNote)}] : [])], x, y);
	}

	viewMenu(from) {
		const S = this.state, flag = (name, text, onValue = '1', offValue = '0') => ({text, isChecked: S[name] === onValue, run: () => this.set({[name]: S[name] === onValue ? offValue : onValue, ...(name === 'noinlines' ? {z: '', zw: ''} : {})})});
		const choice = (name, value, text) => ({text, isChecked: S[name] === value, run: () => this.set({[name]: value, ...(name === 'g' ? {z: '', zw: ''} : {})})});
		const leastInput = (name, text) => element('label', 'least', text, element('input', {id: 'least-' + name, value: S[name], placeholder: '1%, 20ms'}));
		openMenu([flag('hu', 'Hide frames without a name'), {text: 'Collapse recursion', isChecked: S.cr !== '0', run: () => this.set({cr: S.cr === '0' ? '1' : '0'})}, {text: 'Collapse cycles of up to 4', isChecked: S.cr === '2', run: () => this.set({cr: S.cr === '2' ? '1' : '2'})},
			flag('fc', 'Fold frames that hand all on'), flag('noinlines', 'Inlined frames', '', '1'), flag('rel', 'Percent of what filters leave', '1', ''), flag('o', 'Order by name', 'name', 'value'), null, {caption: 'One box for each of'},
			...granularities.map(g => choice('g', g, g)), ...(this.isTwo ? [null, {caption: 'Width of a box'}, ...diffWidths.map(w => choice('w', w, w === 'both' ? 'both sides' : w)), flag('cmp', 'Compare shares', 'share', '')] : []), null,
			{element: leastInput('ls', 'Rows with self of at least')}, {element: leastInput('lt', 'Rows with total of at least')}, {text: 'Sets of filters…', run: () => this.showSets()}], from);
		for (const name of ['ls', 'lt'])
			byId('least-' + name).addEventListener('change', e => {
				this.set({[name]: e.target.value}, false);
			});
	}

	// What a finger chose: its numbers, and what can be done.
	sheet(view, box) {
		const {tree} = view, i = box.run ? box.run.at(-1) : box.node, k = tree.key[i], sheet = byId('sheet'), [before, after] = sidesOf(tree.total, i);
		const act = (text, run, kind) => button(text, {class: kind || null}, () => {
			sheet.hidden = true;
			run();
		});
		const number = (big, small) => element('div', '', element('b', '', big), element('span', '', small));
		sheet.replaceChildren(button('', {class: 'grab', 'aria-label': 'Close'}, () => {
			sheet.hidden = true;
		}), element('h2', {dir: 'ltr'}, shownName(this.keys.text[k])), element('p', {class: 'muted', dir: 'ltr'}, this.place(k)), element('div', 'nums', ...(this.isTwo
			? [number(changeText({before, after}), this.amount(before) + ' → ' + this.amount(after))] : [number(this.amount(after), 'total · ' + this.share(after)), number(this.amount(tree.self[1][i]), 'self · ' + this.share(tree.self[1][i]))])),
		element('div', 'do', act('Zoom', () => this.set({z: this.pathOf(tree, i), zw: ''}), 'pri'), act('Callers', () => this.pivot(k)), act('Source', () => this.showSourceOf(k)), act('More…', () => this.rowMenu(k, 20, 200))));
		sheet.hidden = false;
	}

	// --- drawing ---

	refresh() {
		const start = performance.now();
		this.litKey = -1;
		byId('tip').hidden = byId('sheet').hidden = true;
		closeMenu();
		const had = document.querySelector(':focus-visible'), host = had && had.parentElement.closest('[id]'), idOf = e => e.id || e.dataset.key || e.textContent;
		this.compute();
		this.showControls();
		drawBar(byId('bar'), this, this.state.v === 'flame' || this.state.v === 'graph' ? this.zoomed : 0, allFilters);
		this.showView();
		this.found.show();
		// What had the focus of the keyboard may have been made again.
		const next = host && document.activeElement === document.body && [...byId(host.id).querySelectorAll(had.tagName)].find(e => idOf(e) === idOf(had));
		if (next)
			next.focus();
		this.spent = performance.now() - start;
	}

	showControls() {
		const S = this.state, {head} = this.base, type = head.types[this.column] || ['', ''];
		for (const name of viewNames) {
			const tab = byId('tab-' + name), isOn = name === S.v;
			tab.setAttribute('aria-selected', String(isOn));
			put(tab, 'tabIndex', isOn ? 0 : -1);
		}
		for (const b of byId('tabbar').children)
			b.setAttribute('aria-current', String(b.dataset.view === S.v));
		document.body.dataset.view = S.v;
		put(byId('type'), 'textContent', type[0] === 'cpu' ? 'CPU time' : displayName(type[0]));
		const all = this.tree.total[1][0], program = displayName(head.title);
		put(document, 'title', all ? program + ' · ' + displayName(type[0]) + ' · ' + this.amount(all).replace('\u202f', ' ') : program);
		byId('flip').setAttribute('aria-pressed', String(S.d === 'up'));
		if (document.activeElement !== byId('search'))
			put(byId('search'), 'value', S.q);
		byId('slash').hidden = Boolean(S.q);
	}

	showView() {
		const S = this.state, isFunctions = S.v === 'functions', hasSide = ['flame', 'sandwich', 'graph'].includes(S.v) && !this.isPhone;
		for (const name of viewNames)
			byId('panel-' + name).hidden = name !== S.v;
		byId('side').hidden = !hasSide && !isFunctions;
		byId('split').hidden = !hasSide;
		byId('empty').hidden = true;
		document.body.classList.toggle('wide', !hasSide);
		if (S.v === 'flame')
			this.showFlame();
		else if (S.v === 'sandwich')
			this.showSandwich();
		else if (S.v === 'tree')
			this.treeGrid.show(this.treeShown(), S.to, [this.valueId, S.tv, S.rel, this.redraws].join('\n'));
		else if (S.v === 'graph')
			this.graph.show(this.zoomed, this.isTwo ? [] : this.factKeys(), [this.valueId, S.z, S.gn, S.rel, this.redraws].join('\n'));
		else if (S.v === 'source')
			this.showSource();
		else if (S.v === 'labels')
			drawLabels(byId('labels'), this, this.D, this.counts, this.column);
		else if (S.v === 'info')
			drawInfo(byId('info'), this, this.base);
		this.showFoot();
		if (hasSide || isFunctions)
			this.showSide();
	}

	factKeys() {
		return (this.steps.kept.get('facts') || []).filter(e => e.id === this.valueId).flatMap(e => e.value);
	}

	showFlame() {
		const S = this.state, host = byId('flame-host');
		if (!(this.tree.width[0] > 0)) {
			host.hidden = true;
			byId('empty').hidden = false;
			byId('empty').replaceChildren(this.emptyNote());
			return;
		}
		host.hidden = false;
		this.flame.show(this.tree, this.zoomed, {windowFrom: S.zw === '' ? -1 : +S.zw || 0, isUp: S.d === 'up', folds: S.fc === '1'});
	}

	// Nothing is left: by which filter, or of which type there is something.
	emptyNote(text = this.emptyText()) {
		const {head} = this.base, on = this.filtersOn(), types = head.types.map((t, k) => [t[0], k]).filter(([, k]) => k !== this.column && head.totals[k][0]);
		return element('div', 'empty', emptyNote(text), ...(on.length ? on.map(([name, title]) => button('Remove ' + title, {class: 'ghost'}, () => this.set({[name]: ''})))
			: types.map(([name]) => button('Show ' + displayName(name), {class: 'ghost'}, () => this.set({si: name})))));
	}

	// Why a view has nothing to show.
	emptyText() {
		const {head} = this.base, on = this.filtersOn();
		if (this.isRefined() && (head.totals[this.column] || [0])[0])
			return (on.length === 1 ? on[0][1] + ' leaves' : 'These filters leave') + ' nothing.';
		if (this.least().some(v => v))
			return 'No row is large enough.';
		return head.totals.some(([all]) => all) ? 'This type has no samples.' : 'Nothing was measured. The program may have ended before the first sample' + (head.dur ? '; it ran ' + shortValue(head.dur, 'nanoseconds') : '') + '.';
	}

	// The filters that are on: [name, text].
	filtersOn() {
		return allFilters.filter(([name]) => this.state[name]).map(([name, title]) => [name, title + ' ' + displayName(this.state[name]).slice(0, 60)]);
	}

	showSandwich() {
		const wanted = this.pivotKeys(), panel = byId('panel-sandwich'), bar = byId('pivot'), hosts = [byId('callers-host'), byId('callees-host')];
		hosts[0].hidden = hosts[1].hidden = !wanted;
		if (!wanted) {
			bar.replaceChildren(this.emptyNote(this.state.p && this.tree.width[0] ? 'No function matches ' + displayName(this.state.p) + '.' : this.emptyText()));
			return;
		}
		const id = this.valueId + '\n' + wanted.join(''), list = this.keys.text.map((t, k) => k).filter(k => wanted[k]), tree = this.computer.treeAround(list);
		const down = this.steps.get('callees', id, () => calleesTree(tree, wanted)), up = this.steps.get('callers', id, () => callersTree(tree, wanted));
		this.pivotBar(bar, list, up, down);
		const room = panel.clientHeight - pivotHeight, rows = tree => this.depthOf(tree) * sandwichRow + 6;
		hosts[0].style.height = Math.max(30, Math.min(rows(up), Math.max(room / 2, room - rows(down)))) + 'px';
		// The pivot itself is in the bar between the two.
		this.callersFlame.show(up, this.onlyChild(up), {isUp: true});
		this.calleesFlame.show(down, this.onlyChild(down), {});
	}

	onlyChild(tree) {
		return tree.n > 1 && tree.end[1] === tree.n ? 1 : 0;
	}

	// How many rows a picture of a pivot needs.
	depthOf(tree) {
		const depth = new Uint16Array(tree.n);
		let most = 1;
		for (let i = 1; i < tree.n; i++)
			most = Math.max(most, depth[i] = depth[tree.parent[i]] + 1);
		return Math.max(1, most - this.onlyChild(tree));
	}

	pivotBar(bar, list, up, down) {
		const [k] = list, [before, after] = [down.total[0][0], down.total[1][0]];
		const count = tree => new Set([...tree.key.keys()].filter(i => tree.parent[i] && !tree.parent[tree.parent[i]]).map(i => tree.key[i])).size, words = (n, what, arrow) => (n || 'no') + ' ' + what + (n === 1 ? '' : 's') + ' ' + arrow;
		const own = list.reduce((sum, key) => sum + this.sums.self[1][key], 0), pair = (name, big, small) => element('span', 'k', name + ' ', element('b', '', big), ' ' + small);
		const c = this.isTwo && this.changeOf(before, after), sw = swatch(c ? this.palette.ofChange(c) : this.palette.footOf(this.palette.ofKey(k))), amounts = c ? [pair('change', changeText(c), likelyText(c)), pair('', this.amount(before) + ' → ' + this.amount(after), '')]
			: [pair('total', this.share(after), this.amount(after)), pair('self', this.share(own), this.amount(own))];
		bar.replaceChildren(sw, element('h2', {dir: 'ltr', title: this.name(k)}, shownName(this.keys.text[k]) + (list.length > 1 ? ' and ' + formatCount(list.length - 1) + ' more' : '')), ...amounts,
			element('span', 'k', words(count(up), 'caller', '↑') + '   ' + words(count(down), 'callee', '↓')), ...(up.left ? [element('span', 'k', this.share(up.left) + ' has more callers than fit')] : []), button('Source', {class: 'ghost'}, () => this.showSourceOf(k)));
		this.pivoted = k;
	}

	treeShown() {
		byId('invert').checked = Boolean(this.state.tv);
		return this.state.tv ? this.steps.get('inverted', this.valueId, () => new InvertedTree(this.tree)) : this.tree;
	}

	showSource() {
		const S = this.state, {code} = this.base, {D} = this, sumsOf = (step, make) => this.steps.get(step, this.valueId, () => {
			const K = make(), structure = makeStructure(D, K, {prune: this.computer.filters.prune});
			return {K, sums: sumKeys(makeValues(D, structure, this.counts, this.column, 'after', false), K.n)};
		});
		const lines = sumsOf('lines', () => makeKeys(D, 'lines', false, Boolean(S.noinlines))), insns = code && sumsOf('insns', () => insnKeys(D, code));
		const functions = S.g === 'functions' ? {K: this.keys, sums: this.sums} : sumsOf('sources', () => makeKeys(D, 'functions', false, Boolean(S.noinlines)));
		const only = S.l ? compilePattern(S.l).re || null : null;
		const best = this.steps.get('line', this.valueId, () => findLine(this));
		this.source.show({functions, lines, insns, sel: S.sel, best, only, id: [this.valueId, S.sel, S.l, S.rel, this.redraws].join('\n')});
	}

	showSide() {
		const S = this.state, z = S.v === 'flame' || S.v === 'graph' ? this.zoomed : 0;
		const id = [this.valueId + ' ' + z, S.q, S.rel, S.ls, S.lt, S.so, S.sel, this.isTested, this.isPrinting, this.sideWidth, this.redraws].join('\n');
		this.side.show(this.computer.sumsBelow(z), z ? this.text(this.tree, z) : '', id);
	}

	showFoot() {
		const host = byId('legend'), {palette, D, sums: {self}} = this, items = [], weight = new Float64Array(D.packages.length), own = [0, 0], item = (colour, text, kind) => {
			const sw = swatch(colour);
			sw.classList.add(...(kind ? [kind] : []));
			items.push(element('span', 'lg', sw, text));
		};
		for (const k of this.keys.text.keys()) {
			const v = palette.isCut(k) ? 0 : self[1][k] - self[0][k];
			own[+palette.isOwn(k)] += v;
			weight[this.keys.pkg[k]] += v;
		}
		if (!this.tree.isPlain)
			for (const [r, text] of [[-.9, 'less'], [-.3, ''], [0, 'same'], [.3, ''], [.9, 'more']])
				item(changeColour(r, true, palette.isDark), text);
		if (this.isTwo) {
			item(changeColour(.6, false, palette.isDark), 'hatched: sampling noise alone could explain it (95\u202f%)', 'hatch');
			items.push(element('b', '', 'self in your code ' + this.signed(own[1])), element('b', '', 'self in libraries ' + this.signed(own[0])));
		} else {
			for (const [list, isOwn, most] of this.total().all ? [[palette.ownOrder, true, 3], [palette.libraryOrder, false, 5]] : []) {
				items.push(element('b', '', (isOwn ? 'self in your code ' : 'self in libraries ') + this.share(own[+isOwn])));
				for (const p of list.filter(p => this.tree.isPlain && D.packages[p] && weight[p] > 0).sort((a, b) => weight[b] - weight[a]).slice(0, most)) {
					item(palette.ofPackage(p, isOwn), displayName(D.strings[D.packages[p]]).slice(0, 40) + ' ' + this.share(weight[p]));
					items.at(-1).w = weight[p];
				}
			}
		}
		const {totals, types} = this.base.head, count = types.findIndex(([name, unit]) => name === 'samples' && unit === 'count'), samples = count < 0 ? 0 : totals[count][0];
		const widths = {both: this.state.cmp ? 'larger share' : 'larger side', before: 'before', after: 'after', change: 'size of the change'};
		const words = this.isTwo ? 'width: ' + widths[this.state.w] + ' · ' + (this.base.head.comments.filter(c => c.startsWith('# sampling:')).length > 2 ? 'runs of a side are added: differences between them are not known' : 'one run on each side: differences from run to run are not known')
			: 'dark foot: self · italic: inlined · ' + (samples ? formatCount(samples) + ' samples, shares ±' + (98 / Math.sqrt(samples)).toFixed(1) + ' points · ' : '') + formatCount(this.tree.n - 1) + ' boxes';
		const reading = element('span', {class: 'r', id: 'reading', title: samples ? 'of 50 %, in 19 of 20 runs' : null}, words);
		host.replaceChildren(...items, reading);
		// The two sums stay longest: packages go first, the lightest of all, or words of a difference.
		const sums = items.filter(e => e.matches('b')), others = items.filter(e => !e.matches('b')), drop = e => () => e.remove();
		const shorter = this.isTwo ? [() => others[5].lastChild.replaceWith('hatched: could be noise'), drop(others[1]), drop(others[3]), () => reading.replaceChildren(words.replace(/.* · /, '')), () => sums[1].replaceChildren(sums[1].textContent.replace('self in ', ''))] : others.sort((a, b) => a.w - b.w).map(drop);
		for (const shorten of [...shorter, ...sums.toReversed().map(drop)])
			if (host.scrollWidth > host.clientWidth + 1)
				shorten();
	}

	redraw() {
		this.redraws++;
		this.measure();
		this.refresh();
	}

	flip() {
		this.set({d: this.state.d === 'up' ? 'down' : 'up'});
	}

	changeTheme() {
		document.documentElement.dataset.theme = this.taste.theme = this.palette.isDark ? 'light' : 'dark';
		writeTaste(this.taste);
		this.redraw();
	}

	setSide(width) {
		this.taste.side = width;
		writeTaste(this.taste);
		this.measure();
		this.showView();
	}
}

export {Page, allFilters, frameFilters};
