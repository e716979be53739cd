// bar.mjs - the context bar: one large number, a sentence of facts or the way to
// what is zoomed into, what is uncertain, and the filters that are on.

import {changeText, likelyText} from './change.mjs';
import {button, element, icon} from './dom.mjs';
import {lastPart, shortName} from './fit.mjs';
import {openMenu} from './menu.mjs';
import {baseName} from './model.mjs';
import {displayName, shortValue} from './numbers.mjs';

const mostFacts = 4, mostCandidates = 24, factShare = .1, wholeShare = .9, alike = .7, shownCrumbs = 5, leastLine = .01;
const glue = /^(operator\(\)|_M_invoke|__invoke|invoke|call_once|callers|systemstack|mcall|goexit|main\.func\d|func\d.*|\{.*|<lambda.*)$|\{lambda|\{closure|::operator\(\)$|__invoke|gcBgMarkWorker/;
const whatOfType = [[/^(cpu|cycles|instructions|wall|samples)$/, t => t === 'cpu' ? 'CPU' : t], [/^alloc/, () => 'allocated'], [/^(inuse|space|objects)/, () => 'in use'], [/^(delay|contentions|mutex|lock)/, () => 'waiting']];

function whatIs(type) {
	const found = whatOfType.find(([re]) => re.test(type));
	return found ? found[1](type) : type;
}

/*
 * The functions that say most about where it went: at most 4 of 10 to 90 % of
 * all, or with 10 % of their own, none in mostly the same stacks as another.
 */
function findFacts(page) {
	const {keys: K, tree, sums, palette} = page, all = page.total().all, total = k => Math.abs(sums.total[1][k]), self = k => Math.abs(sums.self[1][k]), first = new Uint32Array(K.n);
	for (let i = tree.n - 1; i > 0; i--)
		first[tree.key[i]] = i;
	const list = [...first.keys()].filter(k => K.name[k] && !palette.isUnnamed(k) && total(k) >= factShare * all && (total(k) <= wholeShare * all || self(k) >= factShare * all) && !glue.test(lastPart(K.text[k])))
		.sort((a, b) => palette.isOwn(b) - palette.isOwn(a) || total(b) - total(a) || first[a] - first[b]).slice(0, mostCandidates);
	// What each pair has in the same stacks: one pass with the candidates above.
	const number = new Int8Array(K.n).fill(-1), until = list.map(() => 0), shared = list.map(() => new Float64Array(list.length));
	list.forEach((k, i) => {
		number[k] = i;
	});
	for (let i = 1; i < tree.n; i++) {
		const c = number[tree.key[i]];
		if (c < 0 || i < until[c])
			continue;
		until[c] = tree.end[i];
		for (let o = 0; o < list.length; o++)
			if (o !== c && i < until[o])
				shared[o][c] += Math.abs(tree.total[1][i]);
	}
	const both = (a, b) => shared[number[a]][number[b]] + shared[number[b]][number[a]], out = [];
	for (const k of list)
		if (out.length < mostFacts && !out.some(o => both(o, k) > alike * Math.min(total(k), total(o))))
			out.push(k);
	for (const k of list)
		if (out.length < 3 && !out.includes(k) && self(k) > .05 * all)
			out.push(k);
	return out.sort((a, b) => total(b) - total(a));
}

function bigNumber(page, i) {
	const {tree, base} = page, [before, after] = [tree.total[0][i], tree.total[1][i]], what = whatIs(base.head.types[page.column] ? base.head.types[page.column][0] : '');
	const big = (text, kind) => element('b', {class: kind || null}, text), small = text => element('span', {}, text), middle = text => element('i', {}, text);
	if (page.isTwo) {
		const c = page.changeOf(before, after), likely = likelyText(c);
		return [big(changeText(c), c.isSure && before !== after ? after > before ? 'more' : 'less' : ''), middle(page.amount(before) + ' → ' + page.amount(after)), small(what + (likely ? ', ' + likely : ''))];
	}
	if (i)
		return [big(page.amount(after)), middle(page.share(after))];
	const all = base.head.totals[page.column] ? base.head.totals[page.column][0] : 0;
	if (Math.abs(after - all) > 5e-4 * Math.abs(all))
		return [big(page.amount(after)), middle(page.share(after)), small('of ' + page.amount(all) + ' ' + what)];
	return [big(page.amount(after)), small(what + (base.head.dur && /^CPU|wall|waiting/.test(what) ? ' in ' + shortValue(base.head.dur, 'nanoseconds') : ''))];
}

function factsOf(page) {
	const out = [], add = (k, ...rest) => {
		const b = button('', {class: 'fact', title: displayName(page.keys.text[k])}, () => page.pivot(k));
		b.append(element('span', {class: 'nm', dir: 'ltr'}, displayName(shortName(page.keys.text[k]))), ...rest);
		out.push(b);
	};
	const {sums, keys: K} = page, {self} = sums;
	if (page.isTwo) {
		const sure = [...Array(K.n).keys()].filter(k => K.name[k] && self[0][k] !== self[1][k] && page.changeOf(self[0][k], self[1][k]).isSure).map(k => ({k, d: self[1][k] - self[0][k]})).sort((a, b) => Math.abs(b.d) - Math.abs(a.d));
		const tested = sure.filter(({k}) => page.isSignificant(k, false)), list = (tested.length ? tested : sure).slice(0, 3);
		for (const {k, d} of list)
			add(k, element('b', {class: d > 0 ? 'more' : 'less'}, (d > 0 ? '+' : '') + page.amount(d)));
		return out.length ? out : [element('span', {class: 'fact muted'}, 'no function changed by more than sampling noise explains')];
	}
	const all = page.total().all;
	for (const k of page.steps.get('facts', page.valueId, () => findFacts(page))) {
		const share = Math.abs(sums.total[1][k] / all), mini = element('span', {class: 'mini'}, element('i')), whole = Math.round(100 * share);
		mini.firstChild.style.width = Math.min(100, 100 * share) + '%';
		add(k, mini, element('b', {}, whole + '\u202f%'));
	}
	const hasNames = sums.total[1].some((v, k) => v && !page.palette.isUnnamed(k));
	return out.length || !all ? out : [element('span', {class: 'fact muted'}, hasNames ? 'no function has more than 10\u202f%' : 'no function has a name: prof-symbolize finds them')];
}

/*
 * The line with most of what own code does or calls others for, each stack at
 * its last frame of own code; without any own lines, of all code. Of a
 * difference, the line of all code that surely changed most. {name, file, line, value},
 * null if that is below 1 %.
 */
function findLine(page) {
	const {D, counts} = page, {n, parent, frame} = D.tree, {fun, line} = D.frames, {samples, functions: F} = D, v = samples.values[page.column];
	for (const isAny of page.isTwo ? [true] : [false, true]) {
		const last = new Uint32Array(n), sums = new Map();
		for (let i = 1; i < n; i++)
			last[i] = line[frame[i]] && F.file[fun[frame[i]]] && (isAny || F.own[fun[frame[i]]]) ? frame[i] + 1 : last[parent[i]];
		for (let s = 0; s < samples.n; s++) {
			const f = last[samples.node[s]] - 1;
			if (f < 0 || !counts[s])
				continue;
			const id = fun[f] * 2 ** 31 + line[f], sum = sums.get(id) || {f, amounts: [0, 0]};
			sum.amounts[samples.side[s] ? 0 : 1] += v[s];
			sums.set(id, sum);
		}
		const value = ([before, after]) => after - before, sure = [...sums.values()].filter(({amounts}) => !page.isTwo || page.changeOf(...amounts).isSure);
		const best = sure.reduce((a, b) => Math.abs(value(b.amounts)) > Math.abs(value(a.amounts)) ? b : a, {amounts: [0, 0]}), {f} = best;
		if (f !== undefined && Math.abs(value(best.amounts)) >= leastLine * page.total().all)
			return {name: D.strings[F.name[fun[f]]], file: D.strings[F.file[fun[f]]], line: line[f], value: value(best.amounts)};
	}
	return null;
}

function lineFact(page) {
	const found = page.steps.get('line', page.valueId, () => findLine(page));
	if (!found)
		return [];
	const {name, file, line, value} = found, b = button('', {class: 'fact line', title: 'the line of ' + displayName(name) + (page.isTwo ? ' that changed most' : ' that it was in, or called from, most') + ': its source'}, () => page.set({v: 'source', sel: name}));
	b.append(element('span', {}, 'line '), element('span', {class: 'nm', dir: 'ltr'}, displayName(baseName(file)) + ':' + line), element('b', {class: page.isTwo ? value > 0 ? 'more' : 'less' : null}, page.isTwo ? (value > 0 ? '+' : '') + page.amount(value) : Math.round(100 * Math.abs(value / page.total().all)) + '\u202f%'));
	return [b];
}

function crumbsOf(page, zoomed) {
	const {tree} = page, path = [], out = [button('all', {class: 'crumb', title: 'Everything (Home)'}, () => page.set({z: '', zw: ''}))];
	for (let i = zoomed; i; i = tree.parent[i])
		path.unshift(i);
	const crumb = i => button(displayName(shortName(page.text(tree, i))), {class: 'crumb' + (i === zoomed ? ' at' : ''), title: displayName(page.text(tree, i)), dir: 'ltr', 'aria-current': i === zoomed ? 'location' : null},
		() => page.set({z: page.pathOf(tree, i), zw: ''}));
	const shown = path.length > shownCrumbs ? [path[0], 0, ...path.slice(-3)] : path;
	for (const i of shown) {
		out.push(element('span', {class: 'gt', 'aria-hidden': 'true'}, '›'));
		if (i) {
			out.push(crumb(i));
			continue;
		}
		const all = button('… ' + (path.length - 4), {class: 'crumb', title: 'all callers', 'aria-haspopup': 'menu'}, () => openMenu(path.map(at => ({text: displayName(shortName(page.text(tree, at))), run: () => page.set({z: page.pathOf(tree, at), zw: ''})})), all));
		out.push(all);
	}
	if (page.state.zw)
		out.push(button('smaller frames from ' + (+page.state.zw + 1) + ' on ×', {class: 'crumb', 'aria-label': 'Leave the window of smaller frames'}, () => page.set({zw: ''})));
	return out;
}

function pillsOf(page, filters) {
	return filters.filter(([name]) => page.state[name]).map(([name, title]) => {
		const bad = page.errors.get(name), text = button(displayName(page.state[name]).slice(0, 60), {class: 'what', dir: 'ltr', title: 'change it: ' + displayName(page.state[name])}, () => page.editFilter(name));
		return element('span', {class: 'pill' + (bad ? ' bad' : ''), title: bad || null}, element('em', {}, title + ' '), text, bad ? element('em', {role: 'alert'}, ' ' + bad) : null,
			button('×', {'aria-label': 'Remove ' + title}, () => page.set({[name]: ''})));
	});
}

// The bar, for what is zoomed into (0: all). filters: [name, title] of all.
function drawBar(host, page, zoomed, filters) {
	const facts = element('div', {class: 'facts' + (zoomed ? ' crumbs' : '')}, ...(zoomed || page.state.zw ? crumbsOf(page, zoomed) : [...factsOf(page), ...lineFact(page)]));
	const {warnings} = page.base.head, add = button('+ Filter', {class: 'ghost', id: 'addfilter'}, () => page.askFilter()), view = button('View', {class: 'ghost caret', id: 'view', 'aria-haspopup': 'menu'}, () => page.viewMenu(view));
	const pills = element('div', {class: 'pills'}, ...pillsOf(page, filters));
	const out = [element('div', {class: 'big'}, ...bigNumber(page, zoomed)), element('span', {class: 'sep', 'aria-hidden': 'true'}), facts];
	if (warnings.length) {
		const chip = button('', {class: 'fact warn', id: 'warning', title: warnings.join('\n')}, () => page.set({v: 'info'}));
		chip.append(icon('warn'), (page.isPhone || zoomed ? warnings[0].replace(/ of (stacks|samples)/, '') : warnings[0]) + (warnings.length > 1 ? ' +' + (warnings.length - 1) : ''));
		if (page.isPhone)
			facts.prepend(chip);
		else
			out.push(chip);
	}
	host.replaceChildren(...out, pills, add, view);
	// What does not fit whole is left out.
	while (!page.isPhone && !zoomed && facts.children.length > 1 && facts.scrollWidth > facts.clientWidth + 1)
		(facts.querySelector('.fact:nth-last-child(2):not(:first-child)') || facts.lastChild).remove();
}

export {drawBar, whatIs};
