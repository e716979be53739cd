// colour.mjs - colours of boxes, from the tables that the page brings, and the
// theme they are for.

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

const textColours = {light: '#16191d', dark: '#f2f4f7'};

class Palette {
	constructor(D, K) {
		this.D = D;
		this.K = K;
		this.tones = new Int8Array(K.n).fill(-1);
		this.isPlain = D.packages.hue.every(hue => hue >= 12);
		this.refresh();
	}

	refresh() {
		const dark = isDark(), head = this.D.head, split = s => s.split(' ').map(c => '#' + c);
		this.boxes = split(dark ? head.dark : head.light);
		this.shades = split(dark ? head.shadesDark : head.shadesLight);
		this.text = dark ? textColours.dark : textColours.light;
		this.match = dark ? '#d9a3ff' : '#8a2be2';
		this.root = this.boxes[26];
		this.rest = this.boxes[27];
		this.unsure = this.boxes[25];
		this.isOutline = matchMedia('(forced-colors: active)').matches;
		this.isOpaque = matchMedia('(prefers-contrast: more)').matches;
	}

	ofKey(k) {
		const hue = this.D.packages.hue[this.K.pkg[k]], isPlain = hue === 12 && this.isPlain;
		if (hue >= 12 && !isPlain)
			return this.boxes[hue === 12 ? 24 : 25];
		// Without any packages functions have colours of their own.
		if (this.tones[k] < 0)
			this.tones[k] = fnv1a(this.D.strings[this.K.name[k]]) % (isPlain ? 24 : 2);
		return this.boxes[isPlain ? this.tones[k] : 2 * hue + this.tones[k]];
	}

	ofPackage(p) {
		const hue = this.D.packages.hue[p];
		return this.boxes[hue >= 12 ? hue + 12 : 2 * hue];
	}

	// Of a change: blue for less, orange for more, in steps.
	ofChange(before, after) {
		return this.shades[shadeOf(before, after)];
	}
}

function shadeOf(before, after) {
	const most = Math.max(Math.abs(before), Math.abs(after)), r = most > 0 ? (after - before) / most : 0;
	const n = [.005, .05, .2, .5].filter(step => Math.abs(r) >= step).length;
	return r < 0 ? 4 - n : 4 + n;
}

export {Palette, fnv1a, isDark, shadeOf};
