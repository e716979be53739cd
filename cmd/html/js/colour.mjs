// colour.mjs - colours of boxes, from OKLCH: hue is the package, vivid is the
// reader's own code, pastel a library's, grey has no name. Of a change hue is the
// direction and lightness the size.

import {notSampled} from './change.mjs';
import {cutFlag, unnamedFlag} from './data.mjs';

function fnv1a(text) {
	const bytes = new TextEncoder().encode(text);
	let h = 2166136261;
	for (const byte of bytes)
		h = Math.imul(h ^ byte, 16777619) >>> 0;
	return h;
}

function isDark() {
	const asked = document.documentElement.dataset.theme;
	return asked === 'dark' || (asked !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
}

// OKLCH to sRGB, with less chroma until it can be shown.
function oklch(lightness, chroma, hue) {
	const angle = hue * Math.PI / 180;
	for (let c = chroma; ; c -= .004) {
		const a = c * Math.cos(angle), b = c * Math.sin(angle);
		const l = (lightness + .3963377774 * a + .2158037573 * b) ** 3, m = (lightness - .1055613458 * a - .0638541728 * b) ** 3, s = (lightness - .0894841775 * a - 1.291485548 * b) ** 3;
		const rgb = [4.0767416621 * l - 3.3077115913 * m + .2309699292 * s, -1.2684380046 * l + 2.6097574011 * m - .3413193965 * s, -.0041960863 * l - .7034186147 * m + 1.707614701 * s];
		if (c <= 0 || rgb.every(x => x >= -.0005 && x <= 1.0005))
			return '#' + rgb.map(x => {
				const v = Math.min(1, Math.max(0, x));
				return Math.round((v <= .0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - .055) * 255).toString(16).padStart(2, '0');
			}).join('');
	}
}

const ownHues = [255, 48, 158, 305, 200, 10, 232, 335], libraryHues = [295, 170, 340, 212, 240, 135, 15, 275, 190, 320];
// Lightness and chroma of the two tones of a package. all: own code, when all
// code counts as own.
const tones = {
	light: {own: [[.825, .105], [.86, .085]], all: [[.865, .072], [.89, .058]], library: [[.905, .042], [.925, .032]],
		unnamed: '#d3d9e0', unnamedFoot: '#9aa5b1', root: '#e9edf2', rest: '#eef1f4', text: '#171b21', text2: '#4d5763', page: '#ffffff', match: '#bd85ff', foot: -.24,
		lit: [[.70, .14], [.68, .10]], litUnnamed: '#9aa5b1', litText: '#171b21', swatch: [-.16, .05]},
	dark: {own: [[.515, .135], [.475, .12]], all: [[.455, .095], [.42, .085]], library: [[.40, .062], [.365, .054]],
		unnamed: '#3a434f', unnamedFoot: '#6b7684', root: '#232a33', rest: '#1d232b', text: '#eef2f6', text2: '#b9c3cf', page: '#0f1216', match: '#8a3fd6', foot: .2,
		lit: [[.74, .13], [.70, .10]], litUnnamed: '#8b96a4', litText: '#0f1216', swatch: [.16, .05]},
};

// r: (after - before) / the larger of both; isSure: more than noise.
function changeColour(r, isSure, dark) {
	const t = Math.min(1, Math.abs(r)) ** .75, c = (dark ? .012 : .008) + .125 * t;
	return oklch(dark ? .30 + .225 * t : .945 - .185 * t, isSure ? c : c * .62, r < 0 ? 250 : 52);
}

class Palette {
	// D: the page's data; its packages get hues by weight, whatever is filtered.
	constructor(D, K) {
		this.D = D;
		this.K = K;
		this.rank(D);
		this.refresh();
	}

	// Numbers packages by falling weight of what they have themselves: own ones
	// first among the own, others among the others.
	rank(D) {
		const {pkg, own} = D.functions, weight = new Float64Array(D.packages.length), isOwn = this.ownPackages = new Set();
		const column = D.samples.values[D.head.def];
		this.unnamedPackages = new Set(weight.keys());
		for (let s = 0; s < D.samples.n; s++) {
			const f = D.tree.frame[D.samples.node[s]], u = D.frames.fun[f];
			if (D.samples.node[s] && !(D.frames.flags[f] & cutFlag) && D.strings[D.functions.name[u]] !== notSampled)
				weight[pkg[u]] += Math.abs(column[s]);
		}
		for (let u = 0; u < pkg.length; u++) {
			if (own[u])
				isOwn.add(pkg[u]);
			if (D.functions.name[u])
				this.unnamedPackages.delete(pkg[u]);
		}
		this.ofAll = own.includes(2);
		const name = p => D.strings[D.packages[p]], order = [...weight.keys()].sort((a, b) => weight[b] - weight[a] || (name(a) < name(b) ? -1 : 1));
		this.ownOrder = order.filter(p => isOwn.has(p));
		this.libraryOrder = order.filter(p => !isOwn.has(p));
		this.ownRank = new Map([...this.ownOrder, ...this.libraryOrder].map((p, i) => [p, i]));
		this.libraryRank = new Map([...this.libraryOrder, ...this.ownOrder].map((p, i) => [p, i]));
	}

	refresh() {
		this.isDark = isDark();
		Object.assign(this, tones[this.isDark ? 'dark' : 'light']);
		this.ofKeys = new Map();
		this.ofChanges = new Map();
		this.feet = new Map();
		this.isOutline = matchMedia('(forced-colors: active)').matches;
		this.isOpaque = this.isOutline || matchMedia('(prefers-contrast: more)').matches;
	}

	functionOf(k) {
		return this.D.frames.fun[this.K.first[k]];
	}

	isOwn(k) {
		return this.D.functions.own[this.functionOf(k)] > 0;
	}

	// Nobody's code: what was cut or not sampled.
	isCut(k) {
		return Boolean(this.D.frames.flags[this.K.first[k]] & cutFlag) || this.K.text[k] === notSampled;
	}

	// Without a name: an address, too.
	isUnnamed(k) {
		return Boolean(this.D.frames.flags[this.K.first[k]] & unnamedFlag) || this.isCut(k);
	}

	hue(p, isOwn) {
		return isOwn ? ownHues[this.ownRank.get(p) % ownHues.length] : libraryHues[this.libraryRank.get(p) % libraryHues.length];
	}

	ofKey(k) {
		let colour = this.ofKeys.get(k);
		if (colour)
			return colour;
		if (this.isUnnamed(k)) {
			colour = this.unnamed;
			this.feet.set(colour, this.unnamedFoot);
		} else {
			const isOwn = this.isOwn(k), h = this.hue(this.K.pkg[k], isOwn), tone = fnv1a(this.D.strings[this.D.functions.name[this.functionOf(k)]]) & 1;
			const [l, c] = (isOwn ? this.ofAll ? this.all : this.own : this.library)[tone];
			colour = oklch(l, c, h);
			this.feet.set(colour, oklch(l + this.foot, c + (isOwn ? .04 : .06), h));
		}
		this.ofKeys.set(k, colour);
		return colour;
	}

	// Of a key whose row in the table is pointed at.
	litKey(k) {
		if (this.isUnnamed(k))
			return this.litUnnamed;
		const isOwn = this.isOwn(k), [l, c] = this.lit[isOwn ? 0 : 1];
		return oklch(l, c, this.hue(this.K.pkg[k], isOwn));
	}

	// What a box has itself, and squares in tables: a pastel of 8 px is not seen.
	footOf(colour) {
		return this.feet.get(colour) || this.unnamedFoot;
	}

	ofPackage(p, isOwn) {
		if (this.unnamedPackages.has(p))
			return this.unnamedFoot;
		const [l, c] = (isOwn ? this.own : this.library)[0];
		return oklch(l + this.swatch[0], c + this.swatch[1], this.hue(p, isOwn));
	}

	ofChange({r, isSure}) {
		const id = Math.round(r * 100) + isSure / 2;
		if (!this.ofChanges.has(id))
			this.ofChanges.set(id, changeColour(Math.round(r * 100) / 100, isSure, this.isDark));
		return this.ofChanges.get(id);
	}

	ofEdge(share) {
		const s = Math.sqrt(Math.min(1, share));
		return this.isDark ? oklch(.42 + .2 * s, .02 + .09 * s, 250) : oklch(.82 - .25 * s, .02 + .09 * s, 255);
	}
}

export {Palette, changeColour, fnv1a, libraryHues, oklch, ownHues, tones};
