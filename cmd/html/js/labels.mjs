// labels.mjs - the labels of the samples: what each value accounts for, as
// filters to click on.

import {barCell, button, element, emptyNote, headRow, section} from './dom.mjs';
import {displayName, findUnit, formatCount, formatValue} from './numbers.mjs';
import {quotePattern} from './regexp.mjs';

const labelRows = 100, shownRows = new Map(); // of each key

// A number with its unit, if it says more than the key.
function formatLabel(l) {
	if (findUnit(l.unit))
		return formatValue(l.number, l.unit, l.unit);
	return l.number + (l.unit && l.unit !== l.key ? ' ' + l.unit : '');
}

// A filter for all values of a key: texts by their key, numbers by the least of them.
// '': they are both, or of several units.
function termOfAll(D, key) {
	const all = D.labels.flat().filter(l => l.key === key), [{text, unit}] = all;
	if (!all.every(l => (l.text === null) === (text === null) && l.unit === unit))
		return '';
	return text === null ? key + '=' + all.reduce((least, l) => Math.min(least, l.number), Infinity) + (findUnit(unit) ? unit : '') + ':' : '^' + quotePattern(key + ':').replace(/[,=]/g, '.');
}

// Of each key a map of {text, number, term, sum}: what samples without the key add
// up to, then those with each value. all: both sides of what is shown.
function sumLabels(D, counts, column, all) {
	const keys = new Map(), {n, labels, side} = D.samples, v = D.samples.values[column];
	for (let s = 0; s < n; s++) {
		if (!counts[s])
			continue;
		const seen = new Set();
		for (const l of D.labels[labels[s]]) {
			const isText = l.text !== null, id = isText ? 't' + l.text : l.number + ' ' + l.unit;
			if (!keys.has(l.key))
				keys.set(l.key, new Map([['', {text: '(without)', term: termOfAll(D, l.key), sum: [...all]}]]));
			const values = keys.get(l.key);
			if (!seen.has(l.key))
				values.get('').sum[side[s] ? 0 : 1] -= v[s];
			seen.add(l.key);
			if (!values.has(id))
				values.set(id, {text: isText ? l.text : formatLabel(l),
					number: l.number, term: isText ? '^' + quotePattern(l.key + ':' + l.text).replace(/[,=]/g, '.') + '$' : l.key + '=' + l.number + (findUnit(l.unit) ? l.unit : ''), sum: [0, 0]});
			values.get(id).sum[side[s] ? 0 : 1] += v[s];
		}
	}
	return keys;
}

function drawLabels(host, page, D, counts, column) {
	const keys = sumLabels(D, counts, column, page.tree.total.map(side => side[0])), sections = [];
	for (const key of [...keys.keys()].sort()) {
		const [none, ...rest] = keys.get(key).values(), all = rest.filter(v => v.sum[0] || v.sum[1]).sort((a, b) => Math.abs(b.sum[0] + b.sum[1]) - Math.abs(a.sum[0] + a.sum[1]) ||
			(a.number !== null && b.number !== null ? a.number - b.number : a.text < b.text ? -1 : 1)), limit = shownRows.get(key) || labelRows;
		const body = element('tbody');
		for (const value of [...all.slice(0, limit), ...(none.sum[0] || none.sum[1] ? [none] : [])]) {
			const name = displayName(value.text), [before, after] = value.sum;
			body.append(element('tr', '', barCell('t', Math.abs(after / page.total().all), page.amount(after)), element('td', '', page.shareText(before, after)), element('td', 'nm', element('div', '',
				...(value === none ? [value.term ? button(name, {class: 'name muted', title: 'only samples without this key'}, () => page.filterLabel(value.term, true)) : element('span', 'muted', name)] : [button(name, {class: 'name', title: 'only samples with this; with Shift: only those without', dir: 'ltr'},
					e => page.filterLabel(value.term, e.shiftKey)), button('without', {class: 'small'}, () => page.filterLabel(value.term, true))])))));
		}
		sections.push(section([displayName(key), ' ', button('as root', {class: 'small', title: 'a row of boxes for its values'}, () => page.rootLabel(key))],
			element('table', 'keys labels', headRow(page.isTwo ? ['After', 'Δ', 'Value'] : ['Amount', 'of all', 'Value']), body),
			all.length > limit ? button(formatCount(all.length - limit) + ' more values', {class: 'more-rows'}, () => {
				shownRows.set(key, limit + 5 * labelRows);
				drawLabels(host, page, D, counts, column);
			}) : null));
	}
	host.replaceChildren(...(sections.length ? sections : [D.labels.some(set => set.length) ? page.emptyNote('No sample that the filters leave has a label.') : emptyNote('No sample has a label.')]));
}

export {drawLabels};
