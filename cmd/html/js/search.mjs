// search.mjs - the search box: what it lights, the filters that it offers, and
// how one steps through what was found.

import {button, byId, element, on} from './dom.mjs';
import {openMenu} from './menu.mjs';
import {displayName, formatCount} from './numbers.mjs';
import {frameFilters} from './page.mjs';
import {compilePattern} from './regexp.mjs';
import {sumMatches} from './values.mjs';

// Filters that what is typed could be; with 'key=' also of labels, with values.
function offers(page, q) {
	const label = /^([^=]+)=(.*)$/s.exec(q), keys = label ? [...new Set(page.base.labels.flat().filter(l => l.key === label[1]).map(l => l.key))] : [];
	const {error} = compilePattern(q);
	const values = keys.length ? [...new Set(page.base.labels.flat().filter(l => l.key === label[1] && l.text !== null && l.text.startsWith(label[2])).map(l => label[1] + '=' + l.text))].slice(0, 6) : [];
	return {error, list: [...values.filter(v => v !== q).map(v => ['tf', 'Label', v]), ...(keys.length ? [['tf', 'Label', q], ['ti', 'Not label', q]] : []), ...(error ? [] : frameFilters.map(([name, title]) => [name, title, q]))]};
}

function offer(page) {
	const input = byId('search'), host = byId('offers'), q = input.value;
	host.hidden = !q || document.activeElement !== input;
	if (host.hidden)
		return;
	const {error, list} = offers(page, q);
	host.replaceChildren(...list.map(([name, title, text], i) => {
		const b = button('', {tabindex: '-1'}, () => take(page, {[name]: text, z: '', zw: ''}));
		b.append(element('span', '', title), element('code', {dir: 'ltr'}, displayName(text).slice(0, 60)), ...(name === 'f' && !i ? [element('kbd', '', 'Alt ⏎')] : []));
		on(b, 'pointerdown', e => e.preventDefault());
		return b;
	}), ...(error ? [element('p', {class: 'bad', role: 'alert'}, error + ': it is searched as text')] : []));
}

function take(page, changes) {
	byId('search').value = '';
	byId('search').blur();
	page.set({...changes, q: ''});
}

function bindSearch(page) {
	const input = byId('search');
	let timer = 0;
	on(input, 'input', () => {
		clearTimeout(timer);
		timer = setTimeout(() => page.set({q: input.value}, false), 120);
		offer(page);
	});
	on(input, 'focus', () => offer(page));
	on(input, 'blur', () => {
		byId('offers').hidden = true;
		document.body.classList.remove('finding');
	});
	on(input, 'keydown', e => {
		if (e.key === 'Enter' && e.altKey && input.value && !compilePattern(input.value).error) {
			clearTimeout(timer);
			take(page, {f: input.value, z: '', zw: ''});
		} else if (e.key === 'Enter' && page.matches) {
			byId('offers').hidden = true;
			page.found.next(e.shiftKey ? -1 : 1);
		} else if (e.key === 'ArrowDown' && !byId('offers').hidden && byId('offers').querySelector('button')) {
			openMenu(offers(page, input.value).list.map(([name, title, text]) => ({text: title + ' ' + displayName(text).slice(0, 60), run: () => take(page, {[name]: text, z: '', zw: ''})})), input.getBoundingClientRect().left, 46);
		} else if (e.key === 'Escape') {
			clearTimeout(timer);
			input.value = '';
			input.blur();
			page.set({q: ''}, false);
		} else {
			return;
		}
		e.preventDefault();
		e.stopPropagation();
	});
}

// What a search found: its share, and its boxes, in which one can step.
class Found {
	constructor(host, page) {
		Object.assign(this, {host, page, marked: [], at: -1});
	}

	show() {
		const {host, page} = this, {flame, state, matches, errors} = page;
		this.marked = [];
		this.at = -1;
		host.replaceChildren(errors.has('q') ? element('span', {class: 'bad', role: 'alert'}, errors.get('q')) : '');
		if (!matches || errors.has('q'))
			return;
		const {boxes, self, total: [before, after]} = sumMatches(page.computer.counted, matches), isFlame = state.v === 'flame';
		this.marked = isFlame ? flame.marked() : [];
		this.boxes = isFlame ? this.marked.length : boxes;
		this.text = page.shareText(before, after);
		host.title = (page.isTwo ? 'before ' + page.exact(before) + ', after ' : '') + page.exact(after) + ' in stacks with a match, self ' + page.exact(self[1]) + ', ' + formatCount(boxes) + ' boxes';
		this.write();
	}

	write() {
		this.host.replaceChildren(element('span', '', this.text + ' · ' + (this.at >= 0 ? this.at + 1 + '/' : '') + formatCount(this.boxes)), ...[['‹', 'Previous match', -1], ['›', 'Next match', 1]].map(([text, label, step]) =>
			button(text, {class: 'nx', 'aria-label': label, tabindex: '-1'}, () => this.next(step))));
	}

	next(step) {
		const {marked, page: {flame}} = this, n = marked.length;
		if (!n)
			return;
		this.at = this.at < 0 && step < 0 ? n - 1 : (this.at + step + n) % n;
		flame.moveTo(marked[this.at]);
		flame.outlineAt(flame.find(marked[this.at]));
		this.write();
	}
}

export {Found, bindSearch};
