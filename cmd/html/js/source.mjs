// source.mjs - the lines of hot functions, with what each costs, and the
// instructions behind them. The text was embedded when the page was made; the
// numbers come from the tree at the granularity of lines and of instructions,
// so filters, types and differences apply.

import {stepRows, stepsByAddress, stepsOf} from './asm.mjs';
import {button, element, emptyNote, numberCells, numberTable, on} from './dom.mjs';
import {displayName} from './numbers.mjs';

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

/*
 * The view: blocks: [{name, file, first, lines: [...], why}] or null; code:
 * {functions, chains, texts} or null; lines and insns: {K, sums}.
 */
class SourceView {
	constructor(page, D, lines, insns) {
		Object.assign(this, {page, D, lines, insns, blocks: page.base.sources || [], code: page.base.code});
	}

	// Cells of key k: '' where nothing was measured.
	amounts(sums, k) {
		const {self, total} = sums, v = this.page.isTwo ? [self[0][k], self[1][k], total[0][k], total[1][k]] : [self[1][k], total[1][k]];
		return v.map(x => x ? this.page.amount(x) : '');
	}

	lineText(frame) {
		for (const b of this.blocks)
			if (b.file === frame.file && frame.line >= b.first && frame.line < b.first + b.lines.length)
				return b.lines[frame.line - b.first].trim();
		return '';
	}

	rowsOf(steps) {
		return stepRows(steps, k => this.amounts(this.insns.sums, k), f => this.lineText(f));
	}

	table(body, last) {
		const heads = this.page.isTwo ? ['Self before', 'Self after', 'Total before', 'Total after'] : ['Self', 'Total'];
		return numberTable([...heads, last[0]], last[1], body);
	}

	// A source line; with instructions its number unfolds them.
	line(at, text, k, steps) {
		const number = String(at), cells = k === undefined ? this.page.isTwo ? ['', '', '', ''] : ['', ''] : this.amounts(this.lines.sums, k);
		let rows = null;
		const unfold = steps && button(number, {class: 'fold', 'aria-expanded': 'false', title: 'instructions of this line'}, () => {
			if (rows)
				rows.forEach(r => r.remove());
			else
				tr.after(...this.rowsOf(steps));
			rows = rows ? null : this.rowsAfter(tr);
			unfold.setAttribute('aria-expanded', String(Boolean(rows)));
		});
		const tr = element('tr', {class: cells.some(c => c) ? 'hot' : null}, ...numberCells(cells),
			element('td', {class: 'n muted'}, unfold || number), element('td', {class: 'code', dir: 'ltr'}, displayName(text.replace(/\t/g, '        '))));
		return tr;
	}

	rowsAfter(tr) {
		const rows = [];
		for (let at = tr.nextElementSibling; at && at.classList.contains('asm'); at = at.nextElementSibling)
			rows.push(at);
		return rows;
	}

	// The lines that there are, and those that have values.
	text(block) {
		const lines = linesOf(this.lines.K, this.D, block.name, block.file), steps = stepsOf(this.code, block.name, block.file);
		const all = [...new Set([...block.lines.map((t, i) => block.first + i), ...lines.keys()])].sort((a, b) => a - b);
		const rows = all.map(at => this.line(at, block.lines[at - block.first] ?? '???', lines.get(at), steps.get(at)));
		return [...(block.lines.length ? [] : [emptyNote(block.why || 'No source text.')]), ...(rows.length ? [this.table(element('tbody', {}, ...rows), ['Line', 'Source'])] : [])];
	}

	// The instructions of one function, made when they are asked for.
	listing(fun) {
		if (fun.why)
			return emptyNote(displayName(fun.object) + ': ' + displayName(fun.why));
		const details = element('details', {class: 'listing'}, element('summary', {}, fun.code.length + ' instructions by address ', element('span', {class: 'muted'}, displayName(fun.object))));
		on(details, 'toggle', () => {
			if (details.open && details.children.length === 1)
				details.append(this.table(element('tbody', {}, ...this.rowsOf(stepsByAddress(this.code, fun))), ['Address', 'Instruction']));
		});
		return details;
	}

	// Self and total of all functions of this name.
	sumText(block) {
		const K = this.page.keys, k = this.page.state.g === 'functions' ? K.text.indexOf(block.name) : -1;
		if (k < 0)
			return '';
		const v = this.amounts(this.page.sums, k).map(s => s || '0');
		return (this.page.isTwo ? 'self ' + v[0] + ' → ' + v[1] + ', total ' + v[2] + ' → ' + v[3] : 'self ' + v[0] + ', total ' + v[1]) + ' · ';
	}

	block(block, isOpen) {
		const funs = this.code ? this.code.functions.filter(f => f.name === block.name) : [];
		const details = element('details', {class: 'source'}, element('summary', {}, displayName(block.name), ' ', element('span', {class: 'muted'}, this.sumText(block) + displayName(block.file))));
		const fill = () => details.children.length === 1 && details.append(...(block.lines.length || block.why || !funs.length ? this.text(block) : []), ...funs.map(f => this.listing(f)));
		on(details, 'toggle', fill);
		if (isOpen) {
			fill();
			details.open = true;
		}
		return details;
	}

	// chosen: the name of the function to begin with, or ''.
	draw(host, chosen) {
		const known = new Set(this.blocks.map(b => b.name)), more = this.code ? this.code.functions : [];
		const all = [...this.blocks, ...more.filter(f => !known.has(f.name)).map(f => ({name: f.name, file: '', first: 1, lines: [], why: ''}))];
		const rank = b => (b.name === chosen ? 0 : b.lines.length ? 1 : 2);
		if (!all.length)
			host.replaceChildren(emptyNote('This page has no source text and no instructions: files and binaries were not found when the page was made, or not asked for.'));
		else
			host.replaceChildren(...all.sort((a, b) => rank(a) - rank(b)).map((b, at) => this.block(b, at === 0)));
	}
}

export {SourceView, linesOf};
