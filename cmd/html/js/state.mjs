// state.mjs - what is shown, kept in the address behind '#', so that a link
// shows the same; letters are those of pprof's queries where it has one.

import {quotePattern} from './regexp.mjs';

// v view, si sample type, p pivot, f i h s sf prunefrom tf ti tr filters, g
// granularity, q search, z zw zoom and its window, w cmp of a difference, o order,
// d direction, so sort, sel chosen, l pattern of the source's list, hu cr fc hide
// nameless, collapse recursion, fold the start, gn graph around, to tv the tree.
const stateDefaults = {v: 'flame', si: '', p: '', f: '', i: '', h: '', s: '', sf: '', prunefrom: '', tf: '', ti: '', tr: '',
	g: 'functions', noinlines: '', q: '', z: '', zw: '', w: 'both', cmp: '', o: 'value', d: 'down', rel: '', sel: '', ls: '', lt: '', so: 'self', l: '', hu: '1', cr: '1', fc: '1', gn: '', to: '', tv: ''};
const viewNames = ['flame', 'sandwich', 'tree', 'graph', 'source', 'labels', 'info'];
const granularities = ['functions', 'filefunctions', 'files', 'lines', 'addresses'], diffWidths = ['both', 'before', 'after', 'change'];
// What these can be: of anything else in a link the numbers would be wrong.
const stateChoices = {v: [...viewNames, 'functions'], g: granularities, noinlines: ['', '1'], rel: ['', '1'], w: diffWidths, cmp: ['', 'share'], o: ['value', 'name'], d: ['down', 'up'],
	so: ['self', 'total'], hu: ['0', '1'], cr: ['0', '1', '2'], fc: ['0', '1'], tv: ['', '1']};
// Views of pages that were made before.
const oldViews = {top: 'flame', callers: 'sandwich'};

class State {
	constructor(defaults) {
		this.defaults = {...stateDefaults, ...defaults};
		this.isOldTop = false;
		Object.assign(this, this.defaults);
		this.others = [];
	}

	read() {
		Object.assign(this, this.defaults);
		this.others = [];
		for (const part of location.hash.slice(1).split('&')) {
			const eq = part.indexOf('='), name = part.slice(0, eq);
			let value;
			try {
				value = decodeURIComponent(part.slice(eq + 1));
			} catch (e) {
				continue;
			}
			if (eq > 0 && Object.hasOwn(this.defaults, name))
				this[name] = value;
			else if (part)
				this.others.push(part);
		}
		this.isOldTop = this.v === 'top';
		if (this.v === 'callers' && this.sel && !this.p)
			this.p = '^' + quotePattern(this.sel) + '$';
		this.v = Object.hasOwn(oldViews, this.v) ? oldViews[this.v] : this.v;
		for (const [name, choices] of Object.entries(stateChoices))
			if (!choices.includes(this[name]))
				this[name] = this.defaults[name];
	}

	text() {
		const parts = Object.keys(this.defaults).filter(name => this[name] !== this.defaults[name])
			.map(name => name + '=' + encodeURIComponent(this[name]));
		return [...parts, ...this.others].join('&');
	}

	// isStep: a new entry for the back button. Each knows how many of this page are
	// before it and, once it is left, how far the picture was scrolled then.
	write(isStep, scroll) {
		const text = '#' + this.text(), before = history.state, depth = before ? before.depth : 0;
		if (text === location.hash || (text === '#' && !location.hash))
			return;
		try {
			if (isStep)
				history.replaceState({depth, scroll}, '');
			history[isStep ? 'pushState' : 'replaceState'](isStep ? {depth: depth + 1} : before, '', text);
		} catch (e) {
			// Some viewers keep no history: the page works, links and Esc don't.
		}
	}
}

// Taste, not profiles: kept by the browser if it lets us.
function readTaste() {
	try {
		return JSON.parse(localStorage.getItem('profpage1')) || {};
	} catch (e) {
		return {};
	}
}

function writeTaste(taste) {
	try {
		localStorage.setItem('profpage1', JSON.stringify(taste));
	} catch (e) {
		// It is forgotten with the page.
	}
}

export {State, diffWidths, granularities, readTaste, viewNames, writeTaste};
