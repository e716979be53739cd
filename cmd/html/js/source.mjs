// source.mjs - the lines of functions, with what each costs, and beside them the
// instructions of a line. The text was embedded when the page was made; the
// numbers come from the tree at the granularity of lines and of instructions, so
// filters, types and differences apply.

import {chainOf, stepRows, stepsByAddress, stepsOf} from './asm.mjs';
import {changeKind, changeText} from './change.mjs';
import {button, captioned, element, emptyNote, isPlainKey, on} from './dom.mjs';
import {shownName} from './fit.mjs';
import {copyText} from './menu.mjs';
import {displayName} from './numbers.mjs';
import {quotePattern} from './regexp.mjs';
import {largerSide, sidesOf} from './values.mjs';

const listed = 40, leastListed = .005, aroundInsns = 2, hotAt = .38, tab = '    ';

// Sums of each line of one function: Map of line to key.
function linesOf(K, D, name, file) {
	const lines = new Map();
	for (let k = 0; k < K.n; k++) {
		const f = K.first[k], u = D.frames.fun[f];
		if (D.strings[D.functions.name[u]] === name && D.strings[D.functions.file[u]] === file)
			lines.set(D.frames.line[f], k);
	}
	return lines;
}

function shortPath(path) {
	const parts = path.split('/');
	return parts.length > 4 ? '…/' + parts.slice(-3).join('/') : path;
}

// Where it was looked for.
function tried(block) {
	return block.tried && '; tried ' + block.tried;
}

/*
 * The view: lines and insns: {K, sums}; functions: sums of page.keys at the
 * granularity of functions.
 */
class SourceView {
	constructor(host, page) {
		this.host = host;
		this.page = page;
		this.blocks = page.base.sources || [];
		this.code = page.base.code;
		this.names = new Set([...this.blocks.filter(b => b.lines.length).map(b => b.name), ...(this.code ? this.code.functions.filter(f => f.code.length).map(f => f.name) : [])]);
		on(host, 'keydown', e => this.key(e));
	}

	// sel: the function that was asked for, or ''; best: of findLine(); only: a
	// pattern of names, null.
	show({functions, lines, insns, sel, best, only, id}) {
		if (id === this.id)
			return;
		Object.assign(this, {functions, lines, insns, best, id});
		const {K, sums} = functions, all = this.page.total().all;
		const isShown = k => K.name[k] && (only ? only.test(K.text[k]) : largerSide(sums.total, k) >= leastListed * all || this.names.has(K.text[k])) && largerSide(sums.total, k) > 0;
		const keys = [...K.text.keys()].filter(isShown), isOwn = k => this.page.base.functions.own[this.page.D.frames.fun[K.first[k]]] > 0;
		const own = keys.filter(isOwn).sort((a, b) => largerSide(sums.total, b) - largerSide(sums.total, a) || a - b);
		const others = keys.filter(k => !isOwn(k) && (only || largerSide(sums.self, k) >= leastListed * all || this.names.has(K.text[k]))).sort((a, b) => largerSide(sums.self, b) - largerSide(sums.self, a) || a - b);
		const pick = list => list.filter((k, i) => i < listed || K.text[k] === sel || this.names.has(K.text[k]));
		const order = [...pick(own), ...pick(others)], texts = new Set(this.blocks.filter(b => b.lines.length).map(b => b.name));
		const chosen = sel || (best && texts.has(best.name) ? best.name : order.find(k => texts.has(K.text[k])) ?? order.find(k => this.names.has(K.text[k])) ?? order[0]);
		this.chosen = typeof chosen === 'number' ? K.text[chosen] : chosen || '';
		this.listPane = element('nav', {class: 'list', 'aria-label': 'Functions', tabindex: '0'}, ...this.group('Your code', pick(own), sums.total, true), ...this.group('Libraries and runtime, by self', pick(others), sums.self, false));
		this.asmPane = element('section', {class: 'asm', 'aria-label': 'Instructions', tabindex: '0'});
		this.codePane = element('section', {class: 'text', 'aria-label': 'Source', tabindex: '0'});
		this.host.replaceChildren(element('div', 'src', this.listPane, this.codePane, this.asmPane));
		this.open();
		const at = this.listPane.querySelector('.on');
		if (at)
			at.scrollIntoView({block: 'nearest'});
	}

	group(title, keys, by) {
		const {K, sums} = this.functions, all = this.page.total().all;
		if (!keys.length)
			return [];
		return [element('h2', 'grp', title), ...keys.map(k => {
			const total = element('i'), self = element('i', 's'), name = K.text[k], change = this.page.isTwo && this.page.changeOf(...sidesOf(by, k));
			total.style.width = Math.min(100, 100 * Math.abs(sums.total[1][k] / all)) + '%';
			self.style.width = Math.min(100, 100 * Math.abs(sums.self[1][k] / all)) + '%';
			const b = button('', {class: 'fn' + (name === this.chosen ? ' on' : '') + (this.names.has(name) ? '' : ' no'), title: displayName(name), 'aria-current': name === this.chosen ? 'true' : null}, () => this.page.set({sel: name}));
			b.append(element('span', 't', element('span', {dir: 'ltr'}, shownName(name)), this.page.isTwo ? element('b', changeKind(change), changeText(change)) : element('b', '', this.page.share(by[1][k]))), element('span', {class: 'bar', 'aria-hidden': 'true'}, total, self));
			return b;
		})];
	}

	sumText(name) {
		const {K, sums} = this.functions, k = K.text.indexOf(name), {page} = this;
		if (k < 0)
			return '';
		if (page.isTwo)
			return page.amount(sums.total[0][k]) + ' → ' + page.amount(sums.total[1][k]) + ' total';
		return page.share(sums.total[1][k]) + ' total · ' + page.share(sums.self[1][k]) + ' self';
	}

	// The text of the chosen function, at its hottest line.
	open() {
		const {chosen} = this, blocks = this.blocks.filter(b => b.name === chosen && (b.lines.length || linesOf(this.lines.K, this.page.D, b.name, b.file).size)), funs = this.code ? this.code.functions.filter(f => f.name === chosen) : [];
		this.rows = [];
		this.asmPane.replaceChildren();
		if (!chosen) {
			this.codePane.replaceChildren(this.page.emptyNote());
			return;
		}
		if (!blocks.length && !funs.some(f => f.code.length)) {
			this.codePane.replaceChildren(this.notEmbedded(chosen, funs));
			return;
		}
		this.codePane.replaceChildren(...(blocks.length ? blocks.map(b => this.text(b)) : [this.head(chosen, ''), ...funs.map(f => this.listing(f))]));
		this.hasInsns = this.rows.some(r => r.steps);
		this.host.firstChild.classList.toggle('noasm', !this.hasInsns);
		const named = this.best && this.best.name === chosen && this.rows.find(r => r.line === this.best.line && r.block.file === this.best.file);
		const hot = named || this.rows.reduce((most, r) => !most || r.weight > most.weight ? r : most, null);
		if (!hot)
			return;
		this.pick(hot);
		this.codePane.scrollTop = Math.max(0, hot.tr.offsetTop - this.codePane.clientHeight * hotAt);
	}

	head(name, file) {
		return element('div', 'codehead', element('h2', {dir: 'ltr', title: displayName(name)}, shownName(name)), element('span', {title: displayName(file)}, [this.sumText(name), displayName(shortPath(file))].filter(s => s).join(' · ')));
	}

	// The largest amount, or change, of keys.
	most({total: [before, after]}, keys) {
		return Math.max(1, ...keys.map(k => Math.abs(after[k] - before[k])));
	}

	cells(sums, k, most) {
		const {page} = this, [before, total, self] = k === undefined ? [0, 0, 0] : [...sidesOf(sums.total, k), sums.self[1][k]], has = total || before, change = page.isTwo && has && page.changeOf(before, total), values = page.isTwo ? [total - before, 0] : [total, self];
		const bars = ['', ' s'].map((kind, i) => {
			const b = element('i', {class: 'hb' + kind});
			b.style.width = most ? 100 * Math.abs(values[i]) / most + '%' : '0';
			return b;
		});
		return {weight: Math.abs(values[0]), kind: values[0] < 0 && page.isTwo ? ' less' : '', cells: [element('td', 'v', ...(has ? bars : []), element('span', '', has ? change ? page.signed(values[0]) : page.amount(total) : '')),
			element('td', 'v q' + (change ? ' ' + changeKind(change) : ''), has ? change ? changeText(change) : page.share(total) : '')]};
	}

	text(block) {
		const {K, sums} = this.lines, lines = linesOf(K, this.page.D, block.name, block.file), steps = stepsOf(this.code, block.name, block.file);
		const most = this.most(sums, [...lines.values()]);
		// The lines that there are, and those that have values.
		const hasText = block.lines.length > 0, all = [...new Set([...Object.keys(block.lines).map(i => block.first + Number(i)), ...lines.keys()])].sort((a, b) => a - b);
		const rows = all.flatMap((line, at) => {
			const text = block.lines[line - block.first] ?? '???', made = this.cells(sums, lines.get(line), most);
			const tr = element('tr', {class: made.weight ? 'hot' + made.kind : null, tabindex: '-1'}, ...made.cells, element('td', 'no', String(line)), element('td', {class: 'code', dir: 'ltr'}, displayName(text.replace(/\t/g, tab))));
			tr.style.setProperty('--h', String(Math.min(1, made.weight / most)));
			const row = {tr, line, block, weight: made.weight, steps: steps.get(line)};
			this.rows.push(row);
			on(tr, 'click', () => this.pick(row));
			return at && hasText && line > all[at - 1] + 1 ? [element('tr', '', element('td', 'v'), element('td', 'v q'), element('td', 'no', '⋯'), element('td', 'code')), tr] : [tr];
		});
		const isShort = hasText && all.at(-1) >= block.first + block.lines.length;
		return element('div', '', this.head(block.name, block.file), ...(hasText ? [] : [emptyNote(displayName(block.why + tried(block)) || 'No source text.')]), ...(isShort ? [element('p', 'note', '???: the file that was found has no such line; it may be another version')] : []), captioned('lines', displayName(block.name), element('tbody', '', ...rows)));
	}

	// Choose a line: its instructions, with two around each.
	pick(row) {
		for (const r of this.rows)
			if (r.tr.classList.contains('sel') !== (r === row))
				r.tr.classList.toggle('sel', r === row);
		this.picked = row;
		if (!this.hasInsns)
			return;
		const {steps} = row, n = steps ? steps.length : 0;
		this.asmPane.replaceChildren(element('div', 'codehead', element('h2', '', 'Instructions'), element('span', '', n ? n + ' of line ' + row.line + ' · grey: around it' : 'none of line ' + row.line)),
			...(n ? [captioned('lines', 'Instructions', element('tbody', '', ...this.insnRows(this.withAround(steps))))] : []));
		const hot = this.asmPane.querySelector('tr.hot');
		if (hot)
			this.asmPane.scrollTop = Math.max(0, hot.offsetTop - this.asmPane.clientHeight * hotAt);
	}

	withAround(steps) {
		const out = [];
		for (const fun of new Set(steps.map(s => s.fun))) {
			const own = new Map(steps.filter(s => s.fun === fun).map(s => [s.i, s])), all = new Set([...own.keys()].flatMap(i => Array.from({length: 2 * aroundInsns + 1}, (v, d) => i + d - aroundInsns)));
			for (const i of [...all].filter(i => i >= 0 && i < fun.code.length).sort((a, b) => a - b))
				out.push(own.get(i) || {fun, i, chain: chainOf(this.code, fun.code[i]), level: 0, isFar: true});
		}
		return out;
	}

	lineText(frame) {
		for (const b of this.blocks)
			if (b.file === frame.file && frame.line >= b.first && frame.line < b.first + b.lines.length)
				return (b.lines[frame.line - b.first] ?? '').trim();
		return '';
	}

	insnRows(steps) {
		const {sums} = this.insns, most = this.most(sums, steps.map(s => s.fun.base + s.i));
		return stepRows(steps, k => this.cells(sums, k, most), f => this.lineText(f));
	}

	// All instructions of a function without text.
	listing(fun) {
		if (fun.why)
			return emptyNote(displayName(fun.object) + ': ' + displayName(fun.why));
		const trs = this.insnRows(stepsByAddress(this.code, fun));
		for (const tr of trs)
			if (tr.classList.contains('hot'))
				this.rows.push({tr, weight: +tr.dataset.weight, line: 0});
		return captioned('lines', displayName(fun.name), element('tbody', '', ...trs));
	}

	notEmbedded(name, funs) {
		const block = this.blocks.find(b => b.name === name), why = [block && block.why + tried(block), ...funs.map(f => f.why && f.object + ': ' + f.why)].filter(w => w).map(displayName);
		const command = "prof-html --source='^" + quotePattern(name).replace(/'/g, "'\\''") + "$' PROFILE >page.html", copy = button('Copy', {class: 'ghost'}, () => copyText(command, said => {
			copy.textContent = said;
			setTimeout(() => {
				copy.textContent = 'Copy';
			}, 2000);
		}));
		return element('div', 'notembedded', element('h2', {dir: 'ltr'}, shownName(name)), element('p', '', why.length ? 'No source text: ' + why.join('; ') + '.' :
			(this.blocks.length ? 'This page has the text of the heaviest functions only.' : 'This page has no source: no file of it was found, or none was wanted.') + ' This makes one with it, where its file is:'),
		element('div', 'cmd', element('code', {dir: 'ltr'}, displayName(command)), copy));
	}

	key(e) {
		if (!isPlainKey(e) || !this.rows || !this.rows.length)
			return;
		const at = this.rows.indexOf(this.picked), hot = this.rows.filter(r => r.weight);
		const near = {ArrowDown: this.rows[at + 1], ArrowUp: this.rows[at - 1], n: hot.find(r => this.rows.indexOf(r) > at), N: hot.findLast(r => this.rows.indexOf(r) < at)};
		if (!(e.key in near) || e.target.closest('.list'))
			return;
		if (near[e.key]) {
			this.pick(near[e.key]);
			near[e.key].tr.scrollIntoView({block: 'nearest'});
		}
		e.preventDefault();
		e.stopPropagation();
	}
}

export {SourceView, linesOf, shortPath};
