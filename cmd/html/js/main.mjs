// main.mjs - the start of the page, and its controls: header, keys, window.

import {Damaged, decodePage, unpackText} from './data.mjs';
import {button, byId, element, icon, isPlainKey, on} from './dom.mjs';
import {keyList} from './info.mjs';
import {bindMenus, closeMenu, copyText, openMenu, showNote} from './menu.mjs';
import {displayName} from './numbers.mjs';
import {Page, allFilters} from './page.mjs';
import {bindSearch} from './search.mjs';
import {diffWidths, viewNames, writeTaste} from './state.mjs';

const tabBar = [['flame', 'Flame', 'flame'], ['functions', 'Functions', 'functions'], ['graph', 'Graph', 'graph'], ['source', 'Source', 'source'], ['more', 'More', 'more']];

function fillControls(page) {
	byId('title').textContent = byId('title').title = displayName(page.base.head.title);
	for (const name of ['flip', 'theme', 'help', 'find'])
		byId(name).append(icon(name));
	byId('search').before(icon('find'));
	for (const [view, text, picture] of tabBar) {
		const b = button('', {'data-view': view}, () => view === 'more' ? openMenu(moreItems(page), innerWidth, innerHeight - 300) : page.set({v: view}));
		b.append(icon(picture), text);
		byId('tabbar').append(b);
	}
}

function moreItems(page) {
	return [...viewNames.filter(v => !tabBar.some(([name]) => name === v)).map(v => ({text: byId('tab-' + v).textContent, run: () => page.set({v})})), null, {text: 'View…', run: () => page.viewMenu(byId('tabbar'))}];
}

function bindControls(page) {
	const S = page.state, {head} = page.base;
	for (const name of viewNames) {
		const tab = byId('tab-' + name), panel = byId('panel-' + name);
		tab.setAttribute('role', 'tab');
		tab.setAttribute('aria-controls', panel.id);
		panel.setAttribute('role', 'tabpanel');
		panel.setAttribute('aria-labelledby', tab.id);
		on(tab, 'click', () => page.set({v: name}));
	}
	on(byId('tabs'), 'keydown', e => {
		const at = viewNames.indexOf(S.v) + (e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0);
		if (at === viewNames.indexOf(S.v))
			return;
		const next = viewNames[(at + viewNames.length) % viewNames.length];
		page.set({v: next});
		byId('tab-' + next).focus();
		e.preventDefault();
	});
	on(byId('type'), 'click', () => openMenu(head.types.map(([name, unit], k) => ({text: displayName(name) + ' · ' + (page.amountOf(head.totals[k][0], k) || displayName(unit)), isChecked: k === page.column, run: () => page.set({si: name})})),
		byId('type').getBoundingClientRect().left, 46));
	on(byId('invert'), 'change', e => page.set({tv: e.target.checked ? '1' : '', to: ''}));
	on(byId('flip'), 'click', () => page.flip());
	on(byId('theme'), 'click', () => page.changeTheme());
	on(byId('help'), 'click', showHelp);
	bindSplit(page);
	page.askFilter = () => {
		document.body.classList.add('finding');
		byId('search').focus();
	};
	page.editFilter = name => {
		byId('search').value = S[name];
		page.askFilter();
		offer(page);
	};
	page.showSets = () => showSets(page);
	on(byId('find'), 'click', page.askFilter);
}

function bindSplit(page) {
	const split = byId('split');
	let isDragged = false;
	on(split, 'pointerdown', e => {
		split.setPointerCapture(e.pointerId);
		isDragged = true;
	});
	on(split, 'pointermove', e => isDragged && page.setSide(innerWidth - e.clientX));
	on(split, 'pointerup', () => {
		isDragged = false;
	});
	on(split, 'keydown', e => {
		const step = {ArrowLeft: 20, ArrowRight: -20}[e.key];
		if (!step)
			return;
		page.setSide(page.sideWidth + step);
		e.preventDefault();
	});
}

// Filters kept under names, in this browser; as text for other browsers.
function showSets(page) {
	const dialog = byId('dialog'), {taste, state} = page, names = allFilters.map(([name]) => name);
	const isText = v => typeof v === 'string', isSet = s => Array.isArray(s) && isText(s[0]) && s[1] && typeof s[1] === 'object' && Object.values(s[1]).every(isText);
	const sets = Array.isArray(taste.sets) ? taste.sets.filter(isSet) : [];
	const keep = list => {
		taste.sets = list;
		writeTaste(taste);
		showSets(page);
	};
	const input = element('input', {'aria-label': 'Name'}), text = element('textarea', {'aria-label': 'All sets as text', rows: 4, spellcheck: 'false'}, JSON.stringify(sets));
	const saved = element('ul', '', ...sets.map(([name, set]) => element('li', '', element('p', '', button(displayName(name), {class: 'ghost'}, () => {
		dialog.close();
		page.set(Object.fromEntries(names.map(n => [n, Object.hasOwn(set, n) ? set[n] : ''])));
	}), button('×', {'aria-label': 'Delete ' + displayName(name)}, () => keep(sets.filter(s => s[0] !== name)))))));
	dialog.replaceChildren(element('h2', '', 'Sets of filters'), saved, element('p', '', input, button('Keep these filters', {class: 'ghost'}, () => input.value &&
		keep([...sets.filter(s => s[0] !== input.value), [input.value, Object.fromEntries(names.filter(n => state[n]).map(n => [n, state[n]]))]]))), text,
	element('p', '', button('Use this text', {class: 'ghost'}, () => {
		try {
			keep([JSON.parse(text.value)].flat().filter(isSet));
		} catch (e) {
			text.setAttribute('aria-invalid', 'true');
		}
	}), button('Close', {class: 'ghost'}, () => dialog.close())));
	if (!dialog.open)
		dialog.showModal();
}

function showHelp() {
	const dialog = byId('dialog');
	dialog.replaceChildren(element('h2', '', 'Keys'), keyList(), element('p', '', 'In a difference each box is judged alone: of 200 that did not change about 10 are not hatched, by chance.'), button('Close', {class: 'ghost'}, () => dialog.close()));
	dialog.showModal();
}

// --- keys ---

// What the keys are about: the box with the cursor or the pointer, the row with
// the focus, or what is chosen: [key, view, node].
function keyTarget(page) {
	const tr = document.activeElement.closest('tr[data-key], .gn'), node = document.activeElement.closest('tr[data-node]'), S = page.state;
	if (tr)
		return [+tr.dataset.key];
	if (node && +node.dataset.node)
		return [page.treeGrid.tree.key[+node.dataset.node]];
	for (const view of S.v === 'flame' ? [page.flame] : S.v === 'sandwich' ? [page.callersFlame, page.calleesFlame] : []) {
		const i = document.activeElement === view.canvas && view.cursor > 0 ? view.cursor : view.pointed || 0;
		if (i)
			return [view.tree.key[i], view, i];
	}
	return [page.litKey >= 0 ? page.litKey : S.v === 'sandwich' && page.pivoted !== undefined ? page.pivoted : page.selectedKey()];
}

const keyActs = {
	s: (page, k) => page.pivot(k),
	o: (page, k) => page.showSourceOf(k),
	f: (page, k) => page.addFilter('f', k, false),
	h: (page, k) => page.addFilter('h', k, false),
	c: (page, k) => copyText(page.keys.text[k], showNote),
	m: (page, k, view, i) => view ? page.menu(view, i) : page.rowMenu(k, innerWidth / 3, 200),
};

function pageKey(page, e) {
	const S = page.state, {head} = page.base, act = e.key === 'ContextMenu' || (e.key === 'F10' && e.shiftKey) ? keyActs.m : Object.hasOwn(keyActs, e.key) ? keyActs[e.key] : null;
	if (act) {
		const [k, view, i] = keyTarget(page);
		if (k >= 0)
			act(page, k, view, i);
	} else if (e.key === '/') {
		page.askFilter();
	} else if (e.key >= '1' && e.key <= '7') {
		page.set({v: viewNames[+e.key - 1]});
	} else if (e.key === 'd') {
		page.flip();
	} else if (e.key === 't' && head.types.length > 1) {
		page.set({si: head.types[(page.column + 1) % head.types.length][0]});
	} else if (e.key === 'w' && page.isTwo) {
		page.set({w: diffWidths[(diffWidths.indexOf(S.w) + 1) % diffWidths.length]});
	} else if (e.key === 'Home') {
		page.set({z: '', zw: ''});
	} else if (S.v === 'graph' && '+-0'.includes(e.key)) {
		page.graph.key(e.key);
	} else if ((e.key === 'n' || e.key === 'N') && page.matches) {
		page.found.next(e.key === 'n' ? 1 : -1);
	} else if (e.key === 'Escape') {
		if (!closeMenu() && history.state && history.state.depth)
			history.back();
	} else if (e.key === '?') {
		showHelp();
	} else {
		return;
	}
	e.preventDefault();
}

function bindKeys(page) {
	on(document, 'keydown', e => {
		const isText = /^(SELECT|TEXTAREA)$/.test(e.target.tagName) || (e.target.tagName === 'INPUT' && e.target.type !== 'checkbox');
		if (isPlainKey(e) && !byId('dialog').open && !isText)
			pageKey(page, e);
	});
}

function bindWindow(page) {
	let timer = 0;
	on(window, 'resize', () => {
		clearTimeout(timer);
		timer = setTimeout(() => {
			page.measure();
			page.refresh();
		}, 60);
	});
	on(window, 'popstate', e => page.follow(e.state));
	for (const query of ['(prefers-color-scheme: dark)', '(prefers-contrast: more)', '(forced-colors: active)'])
		on(matchMedia(query), 'change', () => page.redraw());
	let theme;
	on(window, 'beforeprint', () => {
		theme = document.documentElement.dataset.theme;
		document.documentElement.dataset.theme = 'light';
		page.isPrinting = true;
		page.redraw();
	});
	on(window, 'afterprint', () => {
		document.documentElement.dataset.theme = theme;
		page.isPrinting = false;
		page.redraw();
	});
}

async function start() {
	const block = byId('data'), text = block.textContent, isZipped = block.dataset.z === '1';
	block.remove();
	for (const e of document.querySelectorAll('noscript'))
		e.remove();
	try {
		if (isZipped && typeof DecompressionStream === 'undefined')
			throw new Error('this browser has no DecompressionStream; make the page with prof-html --no-compress');
		const page = new Page(decodePage(await unpackText(text, isZipped)));
		fillControls(page);
		page.state.read();
		page.measure();
		bindMenus();
		bindControls(page);
		bindSearch(page);
		bindKeys(page);
		bindWindow(page);
		page.refresh();
		document.body.dataset.ready = String(Math.round(performance.now()));
		globalThis.profpage = page;
	} catch (e) {
		const why = e instanceof Damaged || !(e instanceof TypeError) ? e.message : 'this page is damaged: it cannot be unpacked';
		byId('title').textContent = 'profile';
		byId('empty').hidden = false;
		byId('empty').textContent = why;
		document.body.dataset.ready = 'failed';
	}
}

// When all modules are there: they become one script, in any order.
queueMicrotask(start);
