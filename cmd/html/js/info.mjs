// info.mjs - what the profile says of itself, what was lost or cut, the keys
// and the meaning of the colours.

import {button, captioned, element, headRow, section} from './dom.mjs';
import {baseName} from './model.mjs';
import {displayName, formatCount, formatValue, shortShare} from './numbers.mjs';

const keyHelp = [['/', 'search or filter; Enter and Shift+Enter: next and previous match, Alt+Enter: focus on it'], ['1 to 7', 'views'], ['arrows', 'parent, child, siblings of the box; rows of a table; lines of the source'],
	['Enter', 'zoom; in a table: sandwich'], ['Esc', 'one step back'], ['Home', 'all of it'], ['s, o', 'sandwich, source of the box or row'], ['f, h', 'focus on, hide the function'], ['c', 'copy its name'], ['m', 'its menu'],
	['n, N', 'next, previous match; in the source: hot line'], ['d', 'flip: callers above or below'], ['t', 'next sample type'], ['w', 'next width of a difference'], ['+, -, 0', 'size of the call graph'], ['?', 'this list']];

function keyList() {
	return captioned('plain', 'Keys', element('tbody', '',
		...keyHelp.map(([key, text]) => element('tr', '', element('th', {scope: 'row'}, key), element('td', '', text)))));
}

function allNotes(head) {
	const notes = [...head.warnings, ...head.notes];
	if (head.cutAt)
		notes.push('Frames below ' + +(100 * head.cutAt).toPrecision(2) + '\u202f% are folded into [cut]: ' + shortShare(head.cutShare, 1) + ' of the weight, ' +
			formatCount(head.allNodes - head.nodes) + ' of ' + formatCount(head.allNodes) + ' nodes.');
	for (const [file, , , , share] of head.mappings)
		if (share >= .01)
			notes.push(shortShare(share, 1) + ' of the samples have no names in ' + baseName(displayName(file) || 'an unnamed mapping') + '.');
	if (head.filters.length)
		notes.push('Made with ' + head.filters.map(displayName).join(' ') + '.');
	return notes;
}

function plainTable(caption, heads, rows) {
	return section(caption, captioned('plain', caption, headRow(heads),
		element('tbody', '', ...rows.map(row => element('tr', '', ...row.map(c => element('td', {dir: 'ltr'}, c)))))));
}

function saveProfile(bytes) {
	const a = element('a', {href: URL.createObjectURL(new Blob([bytes])), download: 'profile.pb'});
	a.click();
	setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

function drawInfo(host, page, D) {
	const head = D.head, notes = allNotes(head), facts = [];
	const files = [...new Set((page.base.sources || []).filter(b => b.lines.length).map(b => b.path))].sort();
	const fact = (name, text) => text && facts.push([name, text]);
	if (head.time !== '0')
		fact('Taken', new Date(Number(head.time) / 1e6).toISOString().replace('T', ' ').slice(0, 19) + ' UTC');
	fact('Duration', head.dur ? formatValue(head.dur, 'nanoseconds') : '');
	fact('Period', head.period[2] ? formatValue(head.period[2], head.period[1]) + ' of ' + displayName(head.period[0]) : '');
	fact('Documentation', displayName(head.doc));
	fact('Stacks', formatCount(head.samples) + ' with ' + formatCount(head.nodes) + ' nodes, ' + formatCount(head.functions) + ' functions');
	fact('Made by', 'prof-html ' + head.version);
	host.replaceChildren(
		section('Notes', notes.length ? element('ul', '', ...notes.map(n => element('li', {dir: 'ltr'}, n)))
			: element('p', '', 'The profile records nothing lost, cut or left out.')),
		plainTable('Profile', ['What', 'Value'], facts),
		plainTable('Sample types', ['Type', 'Unit', 'Total'], head.types.map(([type, unit], k) => [displayName(type), displayName(unit), page.amountOf(head.totals[k][0], k).replace(/^\d+$/, formatCount)])),
		plainTable('Binaries', ['File', 'Build ID', 'From', 'To'], head.mappings.map(([file, id, start, end]) => [displayName(file), displayName(id), start, end])),
		...(files.length ? [plainTable('Source files in this page', ['File'], files.map(f => [displayName(f)]))] : []),
		...(head.comments.length ? [section('Comments', ...head.comments.map(c => element('pre', {dir: 'ltr'}, displayName(c))))] : []),
		section('Keys', keyList()),
		...(D.profile ? [button('Download the profile', {}, () => saveProfile(D.profile))] : []));
}

export {allNotes, drawInfo, keyList};
