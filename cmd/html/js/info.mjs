// info.mjs - what the profile says of itself, what was lost or cut, the keys
// and the meaning of the colours.

import {button, element} from './dom.mjs';
import {baseName} from './model.mjs';
import {displayName, formatCount, formatShare, formatValue} from './numbers.mjs';

const keyHelp = [['/', 'search; Enter: next match, Alt+Enter: focus on it'], ['1 to 9', 'views'], ['s', 'sandwich of the box'],
	['f, x', 'flip: root above or below; leave all zooms'], ['t', 'next sample type'], ['w', 'next width of a difference'], ['arrows', 'parent, child, siblings of the box'],
	['Enter', 'zoom'], ['Esc', 'out of the window, the zoom, the search'], ['Home', 'root'], ['n, N', 'next, previous match'], ['m', 'menu of the box or row'], ['+, -, 0', 'size of the call graph'], ['?', 'this list']];

function keyList() {
	return element('table', {class: 'plain'}, element('caption', {class: 'hidden'}, 'Keys'), element('tbody', {},
		...keyHelp.map(([key, text]) => element('tr', {}, element('th', {scope: 'row'}, key), element('td', {}, text)))));
}

// Sampling comments: "# sampling: asked_hz=1000 achieved_hz=250 ...".
function samplingNotes(comments) {
	const notes = [];
	for (const comment of comments) {
		if (!comment.startsWith('# sampling:'))
			continue;
		const v = Object.fromEntries(comment.slice(11).trim().split(/\s+/).map(word => word.split('=')));
		const share = name => formatShare(+v[name] || 0, +v.ticks || 0);
		notes.push('Sampled at ' + v.achieved_hz + ' Hz, asked for ' + v.asked_hz + ' Hz (clock ' + v.clock + ').');
		if (+v.lost)
			notes.push(share('lost') + ' of the samples were lost.');
		if (+v.truncated)
			notes.push(share('truncated') + ' of the stacks are cut: too many frames.');
		if (+v.unwind_failed)
			notes.push(share('unwind_failed') + ' of the stacks end before their root.');
		if (+v.untimed_threads)
			notes.push(v.untimed_threads + ' threads were not sampled.');
	}
	return notes;
}

function allNotes(head) {
	const notes = [...head.notes, ...samplingNotes(head.comments)];
	if (head.cutAt)
		notes.push('Frames below ' + formatShare(head.cutAt, 1) + ' are folded into [cut]: ' + formatShare(head.cutShare, 1) + ' of the weight, ' +
			formatCount(head.allNodes - head.nodes) + ' of ' + formatCount(head.allNodes) + ' nodes.');
	for (const [file, , , , share] of head.mappings)
		if (share >= .01)
			notes.push(formatShare(share, 1) + ' of the samples have no names in ' + baseName(displayName(file) || 'an unnamed mapping') + '.');
	if (head.filters.length)
		notes.push('Made with ' + head.filters.map(displayName).join(' ') + '.');
	return notes;
}

function plainTable(caption, heads, rows) {
	return element('section', {}, element('h2', {}, caption), element('table', {class: 'plain'}, element('caption', {class: 'hidden'}, caption),
		element('thead', {}, element('tr', {}, ...heads.map(h => element('th', {scope: 'col'}, h)))),
		element('tbody', {}, ...rows.map(row => element('tr', {}, ...row.map(c => element('td', {dir: 'ltr'}, c)))))));
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
		element('section', {}, element('h2', {}, 'Notes'), notes.length ? element('ul', {}, ...notes.map(n => element('li', {dir: 'ltr'}, n)))
			: element('p', {}, 'The profile records nothing lost, cut or left out.')),
		plainTable('Profile', ['What', 'Value'], facts),
		plainTable('Sample types', ['Type', 'Unit', 'Total'], head.types.map(([type, unit], k) => [displayName(type), displayName(unit), page.amountOf(head.totals[k][0], k)])),
		plainTable('Binaries', ['File', 'Build ID', 'From', 'To'], head.mappings.map(([file, id, start, end]) => [displayName(file), displayName(id), start, end])),
		...(files.length ? [plainTable('Source files in this page', ['File'], files.map(f => [displayName(f)]))] : []),
		...(head.comments.length ? [element('section', {}, element('h2', {}, 'Comments'), ...head.comments.map(c => element('pre', {dir: 'ltr'}, displayName(c))))] : []),
		element('section', {}, element('h2', {}, 'Keys'), keyList()),
		...(D.profile ? [button('Download the profile', {}, () => saveProfile(D.profile))] : []));
}

export {allNotes, drawInfo, keyList};
