// menu.mjs - menus and messages that float: they close on a press outside, on
// Esc, when the focus leaves or the window changes, and give the focus back.

import {byId, button, element, on} from './dom.mjs';

let open = null; // {menu, from}

function closeMenu() {
	if (!open)
		return false;
	const {menu, from} = open;
	open = null;
	menu.remove();
	if (from && from.isConnected)
		from.focus({preventScroll: true});
	return true;
}

/*
 * items: {text, run, key, isChecked} (a switch if isChecked is true or false),
 * {caption}, {element} or null, a line. x, y: where, or an element to open below.
 */
function openMenu(items, x, y) {
	const from = document.activeElement;
	closeMenu();
	const menu = element('div', {class: 'menu', role: 'menu', 'aria-label': 'Menu'}), hasChecks = items.some(i => i && i.isChecked !== undefined);
	for (const item of items) {
		if (!item) {
			menu.append(element('div', {role: 'separator'}));
		} else if (item.caption) {
			menu.append(element('div', {class: 'cap', dir: 'ltr', role: 'presentation'}, item.caption));
		} else if (item.element) {
			menu.append(item.element);
		} else {
			const isSwitch = item.isChecked !== undefined;
			menu.append(button('', {role: isSwitch ? 'menuitemcheckbox' : 'menuitem', 'aria-checked': isSwitch ? String(item.isChecked) : null, tabindex: '-1'}, () => {
				closeMenu();
				item.run();
			}));
			menu.lastChild.append(...(hasChecks ? [element('span', {class: 'chk', 'aria-hidden': 'true'}, item.isChecked ? '✓' : '')] : []), element('span', '', item.text), ...(item.key ? [element('kbd', '', item.key)] : []));
		}
	}
	document.body.append(menu);
	open = {menu, from};
	if (x instanceof Element) {
		const r = x.getBoundingClientRect();
		x = r.right - menu.offsetWidth;
		y = r.bottom + 6;
	}
	menu.style.left = Math.max(8, Math.min(x, innerWidth - menu.offsetWidth - 8)) + 'px';
	menu.style.top = Math.max(8, Math.min(y, innerHeight - menu.offsetHeight - 8)) + 'px';
	on(menu, 'keydown', e => menuKey(menu, e));
	on(menu, 'focusout', e => e.relatedTarget && !menu.contains(e.relatedTarget) && open && open.menu === menu && closeMenu());
	const first = menu.querySelector('button');
	if (first)
		first.focus();
}

function menuKey(menu, e) {
	const all = [...menu.querySelectorAll('button')], at = all.indexOf(document.activeElement), step = {ArrowDown: 1, ArrowUp: -1}[e.key];
	if (/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.key !== 'Escape')
		return;
	if (step)
		all[(at + step + all.length) % all.length].focus();
	else if (e.key === 'Home' || e.key === 'End')
		all.at(e.key === 'Home' ? 0 : -1).focus();
	else if (e.key === 'Escape' || e.key === 'Tab')
		closeMenu();
	else if (e.key.length === 1 && e.key !== ' ')
		(all.find((b, i) => i > at && b.textContent.toLowerCase().startsWith(e.key.toLowerCase())) || all.find(b => b.textContent.toLowerCase().startsWith(e.key.toLowerCase())) || all[at] || all[0]).focus();
	else
		return;
	e.preventDefault();
	e.stopPropagation();
}

// A copy, and a word about it. Pages from http have no clipboard: the old way.
function copyText(text, say) {
	const old = () => {
		const area = element('textarea', {class: 'hidden', 'aria-hidden': 'true'});
		area.value = text;
		document.body.append(area);
		area.select();
		let isDone = false;
		try {
			isDone = document.execCommand('copy');
		} catch (e) {
			// It says so below.
		}
		area.remove();
		say(isDone ? 'Copied' : 'This browser does not let the page copy');
	};
	if (navigator.clipboard)
		navigator.clipboard.writeText(text).then(() => say('Copied'), old);
	else
		old();
}

let noteTimer = 0;

// A word at the foot of the page, for two seconds.
function showNote(text) {
	const note = byId('note');
	note.textContent = text;
	note.hidden = false;
	clearTimeout(noteTimer);
	noteTimer = setTimeout(() => {
		note.hidden = true;
	}, 2000);
}

function bindMenus() {
	on(window, 'pointerdown', e => open && !open.menu.contains(e.target) && closeMenu(), true);
	on(window, 'resize', closeMenu);
	on(window, 'blur', closeMenu);
}

export {bindMenus, closeMenu, copyText, openMenu, showNote};
