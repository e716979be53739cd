// callers.mjs - one function between its callers and its callees, with what
// goes along each edge: prof-text --peek as two tables.

import {button, element, emptyNote, numberCells, numberTable, swatch} from './dom.mjs';
import {displayName, formatShare} from './numbers.mjs';
import {edgesOf} from './values.mjs';

function edgeTable(page, edges, caption) {
	const body = element('tbody'), K = page.keys;
	for (const edge of edges.slice(0, 200)) {
		const name = displayName(K.text[edge.key]), [before, after] = edge.value;
		const amounts = page.isTwo
			? [page.amount(before), page.amount(after), page.signed(after - before)]
			: [page.amount(after), formatShare(after, page.total().all)];
		body.append(element('tr', {}, ...numberCells(amounts), element('td', {class: 'f'},
			element('div', {}, swatch(page.palette.ofKey(edge.key)),
				button(name, {class: 'name', title: name, dir: 'ltr'}, () => page.open(edge.key))))));
	}
	const heads = page.isTwo ? ['Before', 'After', 'Δ'] : ['Amount', 'of all'];
	return element('section', {}, element('h3', {}, caption), edges.length ? numberTable(heads, 'Function', body, caption) : emptyNote('None.'));
}

function drawCallers(host, page, tree, sums, key) {
	const K = page.keys;
	if (key < 0) {
		host.replaceChildren(emptyNote('Choose a function in a table or a box to see its callers and callees.'));
		return;
	}
	const [callers, callees] = edgesOf(tree, key), side = page.isTwo ? 'before ' + page.amount(sums.total[0][key]) + ', after ' : '';
	host.replaceChildren(element('h2', {dir: 'ltr'}, displayName(K.text[key])),
		element('p', {class: 'muted'}, 'total ' + side + page.amount(sums.total[1][key]) + ' (' + formatShare(sums.total[1][key], page.total().all) +
			'), self ' + page.amount(sums.self[1][key]) + ' (' + formatShare(sums.self[1][key], page.total().all) + ')'),
		element('div', {class: 'pair'}, edgeTable(page, callers, 'Callers'), edgeTable(page, callees, 'Callees')));
}

export {drawCallers};
