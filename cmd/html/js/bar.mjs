// bar.mjs - the context bar: one large number, a sentence of facts or the way to
// what is zoomed into, what is uncertain, and the filters that are on.

import {changeKind, changeText, likelyText} from './change.mjs';
import {button, element, icon} from './dom.mjs';
import {findCaller, findFacts, findLine, hasLines} from './facts.mjs';
import {jitName, shownName} from './fit.mjs';
import {openMenu} from './menu.mjs';
import {baseName} from './model.mjs';
import {displayName, shortShare, shortValue} from './numbers.mjs';
import {sidesOf} from './values.mjs';

const shownCrumbs = 5;
const whatOfType = [[/^(cpu|cycles|instructions|wall|samples)$/, t => t === 'cpu' ? 'CPU' : t], [/^alloc/, () => 'allocated'], [/^(inuse|space|objects)/, () => 'in use'], [/^(delay|contentions|mutex|lock)/, () => 'waiting']];

function whatIs(type) {
	const found = whatOfType.find(([re]) => re.test(type));
	return found ? found[1](type) : type;
}

function bigNumber(page, i) {
	const {tree, base} = page, [before, after] = sidesOf(tree.total, i), what = whatIs(base.head.types[page.column] ? base.head.types[page.column][0] : '');
	const big = (text, kind) => element('b', kind, text), small = text => element('span', '', text), middle = text => element('i', '', text);
	if (page.isTwo) {
		const c = page.changeOf(before, after), likely = likelyText(c);
		return [big(changeText(c), c.isSure && before !== after ? after > before ? 'more' : 'less' : ''), element('span', 'doubt', middle(page.amount(before) + ' → ' + page.amount(after)), ' ' + what + '\n' + likely.replace('likely', 'by sampling') + (c.isSure ? '' : ': could be noise') + '\nfrom run to run: not known')];
	}
	if (i)
		return [big(page.amount(after)), middle(page.share(after))];
	const all = base.head.totals[page.column] ? base.head.totals[page.column][0] : 0;
	if (Math.abs(after - all) > 5e-4 * Math.abs(all))
		return [big(page.amount(after)), middle(shortShare(after, all)), small('of ' + page.amount(all) + ' ' + what)];
	return [big(page.amount(after)), small(what + (base.head.dur && /^CPU|wall|waiting/.test(what) ? ' in ' + shortValue(base.head.dur, 'nanoseconds') : ''))];
}

function note(text, title = null) {
	return element('span', {class: 'fact muted', title}, text);
}

// of: the word above it; what: its name, and numbers behind that.
function fact(of, title, act, ...what) {
	const b = button('', {class: 'fact', 'data-of': of, title}, act), [name, ...rest] = what;
	b.append(element('span', {class: 'nm', dir: 'ltr'}, name), ...rest);
	return b;
}

// A change, and whether it may be none.
function changed(page, before, after) {
	const c = page.changeOf(before, after);
	return element('b', changeKind(c), page.signed(after - before) + (c.isSure ? '' : ' could be noise'));
}

// The functions whose change is the largest, of a difference.
function changedMost(page) {
	const {sums: {self}, keys: K} = page, change = k => Math.abs(self[1][k] - self[0][k]), sure = [...K.text.keys()].filter(k => K.name[k] && !page.palette.isUnnamed(k) && change(k) && page.changeOf(...sidesOf(self, k)).isSure).sort((a, b) => change(b) - change(a));
	const tested = sure.filter(k => page.isSignificant(k, false));
	return tested.length ? tested : sure;
}

// most: changedMost(), of a difference.
function factsOf(page, most) {
	const {sums, keys: K} = page, {self} = sums, out = [], add = (of, k, ...rest) => out.push(fact(of, displayName(K.text[k]), () => page.pivot(k), shownName(K.text[k]), ...rest));
	if (page.isTwo) {
		for (const k of most.slice(0, 3)) {
			const sides = sidesOf(self, k);
			add(out.length ? 'self' : 'self, changed most', k, changed(page, ...sides));
			if (out.length > 1)
				continue;
			const [caller, amounts] = findCaller(page.computer, k), of = ([before, after]) => Math.abs(after - before);
			// More than all of it is less by another caller: a number that only confuses.
			if (caller < K.n)
				add('called by', caller, of(amounts) > of(sides) ? '' : changed(page, ...amounts));
		}
		return out.length ? out : [note('no function changed by more than sampling noise explains')];
	}
	const all = page.total().all;
	for (const k of page.steps.get('facts', page.valueId, () => findFacts(page))) {
		const share = sums.total[1][k] / all, mini = element('span', 'mini', element('i'));
		mini.firstChild.style.width = Math.min(100, 100 * Math.abs(share)) + '%';
		add('total', k, mini, element('b', '', (share < 0 ? '\u2212' : '') + Math.round(100 * Math.abs(share)) + '\u202f%'));
	}
	const hasNames = sums.total[1].some((v, k) => v && !page.palette.isUnnamed(k));
	return out.length ? out : [note(hasNames ? 'no function has more than 10\u202f%' : 'no function has a name: prof-symbolize finds them')];
}

function lineFact(page, [most]) {
	const {text} = page.keys, found = page.steps.get('line', page.valueId, () => text[most] && findLine(page, text[most]) || findLine(page));
	if (!found)
		return hasLines(page.D) ? note(page.isTwo ? 'no line changed by 1\u202f%' : 'no line has 1\u202f%')
			: note(text.some(t => jitName.test(t)) ? 'no own lines: V8 names functions only' : hasLines(page.D, true) ? 'no own lines: needs -g or -dbg' : 'no lines: prof-symbolize finds them', 'lines come from gcc -g, packages (-dbg, -dbgsym) or DEBUGINFOD_URLS');
	const {name, file, line, amounts} = found;
	return fact((text[most] && name !== text[most] ? 'elsewhere: ' : '') + 'line of ' + shownName(name), displayName(name) + (page.isTwo ? '' : ', with what the line calls') + ': its source', () => page.set({v: 'source', sel: name}), displayName(baseName(file)) + ':' + line,
		page.isTwo ? changed(page, ...amounts) : element('b', '', Math.round(100 * Math.abs(amounts[1] / page.total().all)) + '\u202f%'));
}

function crumbsOf(page, zoomed) {
	const {tree} = page, path = [], out = [button('all', {class: 'crumb', title: 'Everything (Home)'}, () => page.set({z: '', zw: ''}))];
	for (let i = zoomed; i; i = tree.parent[i])
		path.unshift(i);
	const crumb = i => button(shownName(page.text(tree, i)), {class: 'crumb' + (i === zoomed ? ' at' : ''), title: displayName(page.text(tree, i)), dir: 'ltr', 'aria-current': i === zoomed ? 'location' : null},
		() => page.set({z: page.pathOf(tree, i), zw: ''}));
	const shown = path.length > shownCrumbs ? [path[0], 0, ...path.slice(-3)] : path;
	for (const i of shown) {
		out.push(element('span', {class: 'gt', 'aria-hidden': 'true'}, '›'));
		if (i) {
			out.push(crumb(i));
			continue;
		}
		const all = button('… ' + (path.length - 4), {class: 'crumb', title: 'all callers', 'aria-haspopup': 'menu'}, () => openMenu(path.map(at => ({text: shownName(page.text(tree, at)), run: () => page.set({z: page.pathOf(tree, at), zw: ''})})), all));
		out.push(all);
	}
	if (page.state.zw)
		out.push(button('smaller frames from ' + (+page.state.zw + 1) + ' on ×', {class: 'crumb', 'aria-label': 'Leave the window of smaller frames'}, () => page.set({zw: ''})));
	return out;
}

function pillsOf(page, filters) {
	return filters.filter(([name]) => page.state[name]).map(([name, title]) => {
		const bad = page.errors.get(name), text = button(displayName(page.state[name]).slice(0, 60), {class: 'what', dir: 'ltr', title: 'change it: ' + displayName(page.state[name])}, () => page.editFilter(name));
		return element('span', {class: 'pill' + (bad ? ' bad' : ''), title: bad || null}, element('em', '', title + ' '), text, bad ? element('em', {role: 'alert'}, ' ' + bad) : null,
			button('×', {'aria-label': 'Remove ' + title}, () => page.set({[name]: ''})));
	});
}

// The bar, for what is zoomed into (0: all). filters: [name, title] of all.
function drawBar(host, page, zoomed, filters) {
	const isOfAll = !zoomed && !page.state.zw && page.tree.width[0], most = isOfAll && page.isTwo ? changedMost(page) : [];
	const facts = element('div', 'facts' + (zoomed ? ' crumbs' : ''), ...(zoomed || page.state.zw ? crumbsOf(page, zoomed) : isOfAll ? [...factsOf(page, most), lineFact(page, most)] : []));
	const {warnings} = page.base.head, add = button('+ Filter', {class: 'ghost', id: 'addfilter'}, () => page.askFilter()), view = button('View', {class: 'ghost caret', id: 'view', 'aria-haspopup': 'menu'}, () => page.viewMenu(view));
	const pills = element('div', 'pills', ...pillsOf(page, filters));
	const out = [element('div', 'big', ...bigNumber(page, zoomed)), element('span', {class: 'sep', 'aria-hidden': 'true'}), facts];
	if (warnings.length) {
		const chip = button('', {class: 'fact warn', id: 'warning', title: warnings.join('\n')}, () => page.set({v: 'info'}));
		chip.append(icon('warn'), warnings[0] + (warnings.length > 1 ? ' +' + (warnings.length - 1) : ''));
		if (page.isPhone)
			facts.prepend(chip);
		else
			out.push(chip);
	}
	host.replaceChildren(...out, pills, add, view);
	// What does not fit whole is set closer, then left out: a note but for its first words, then what is no answer of its own.
	const isOver = () => !page.isPhone && !zoomed && facts.scrollWidth > facts.clientWidth + 1, words = facts.querySelector('.muted:last-child');
	facts.classList.toggle('tight', isOver());
	if (words && isOver())
		words.textContent = words.textContent.replace(/:.*/, '');
	while (facts.children.length > 1 && isOver())
		([...facts.querySelectorAll('[data-of=total]+[data-of=total],[data-of=self]')].pop() || facts.lastChild).remove();
}

export {drawBar, whatIs};
