// source.mjs - the lines of hot functions, with what each costs. The text was
// embedded when the page was made; the numbers come from the tree at the
// granularity of lines, so filters, types and differences apply.

import {element} from './dom.mjs';
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
 * blocks: [{name, file, first, lines: [...], why}]; K, sums: at lines.
 * chosen: the name of the function to begin with, or ''.
 */
function drawSource(host, page, D, blocks, K, sums, chosen) {
	if (!blocks || !blocks.length) {
		host.replaceChildren(element('p', {class: 'empty'}, 'This page has no source text: it was not found when the page was made, or not asked for.'));
		return;
	}
	const rank = b => (b.name === chosen ? 0 : b.lines.length ? 1 : 2);
	const ordered = [...blocks].sort((a, b) => rank(a) - rank(b));
	host.replaceChildren(...ordered.map((block, at) => {
		const lines = linesOf(K, D, block.name, block.file), body = element('tbody');
		const amounts = k => page.isTwo
			? [sums.self[0][k], sums.self[1][k], sums.total[0][k], sums.total[1][k]]
			: [sums.self[1][k], sums.total[1][k]];
		const none = page.isTwo ? ['', '', '', ''] : ['', ''];
		block.lines.forEach((text, i) => {
			const k = lines.get(block.first + i), cells = k === undefined ? none : amounts(k).map(v => v ? page.amount(v) : '.');
			body.append(element('tr', {class: k === undefined ? null : 'hot'}, ...cells.map(c => element('td', {class: 'n'}, c)),
				element('td', {class: 'n muted'}, String(block.first + i)), element('td', {class: 'code', dir: 'ltr'}, displayName(text.replace(/\t/g, '        ')))));
		});
		const heads = page.isTwo ? ['Self before', 'Self after', 'Total before', 'Total after'] : ['Self', 'Total'];
		return element('details', {open: at === 0 || null, class: 'source'},
			element('summary', {}, displayName(block.name), ' ', element('span', {class: 'muted'}, displayName(block.file))),
			block.lines.length ? element('table', {class: 'keys'}, element('thead', {}, element('tr', {}, ...heads.map(h => element('th', {scope: 'col', class: 'n'}, h)),
				element('th', {scope: 'col', class: 'n'}, 'Line'), element('th', {scope: 'col'}, 'Source'))), body)
				: element('p', {class: 'empty'}, block.why));
	}));
}

export {drawSource};
