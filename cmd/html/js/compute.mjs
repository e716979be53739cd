// compute.mjs - from the state to numbers, step by step: label roots (a new
// tree), keys (what a frame is called), structure (frames joined by keys), which
// samples count, values, sums. Each step is kept until what it needs changes.

import {hideFrames} from './hide.mjs';
import {makeKeys, makeStructure, withLabelRoots} from './model.mjs';
import {SlowPattern, compilePattern} from './regexp.mjs';
import {addBlanks, chooseSamples, makeValues, matchFrames, matchLabels, matchNames, sumKeys} from './values.mjs';

// The results of each step that were asked for last, by what they were made of.
class Steps {
	constructor() {
		this.kept = new Map();
	}

	get(step, id, make) {
		const list = this.kept.get(step) || [], entry = list.find(e => e.id === id) || {id, value: make()};
		this.kept.set(step, [entry, ...list.filter(e => e !== entry)].slice(0, 3));
		return entry.value;
	}
}

class Computer {
	constructor(D) {
		this.base = this.D = D;
		this.steps = new Steps();
		this.errors = new Map();
	}

	// What make() makes of a filter: {error} is kept.
	made(name, make) {
		const made = this.S[name] ? make(this.S[name]) : {};
		if (made.error)
			this.errors.set(name, made.error);
		return made;
	}

	pattern(name) {
		return this.made(name, compilePattern).re || null;
	}

	// Bits of matchFrames() for the pattern of a filter, null: it has none.
	frames(name) {
		const re = this.pattern(name);
		if (!re)
			return null;
		return this.steps.get('m' + name, this.S.tr + '\n' + this.S[name], () => {
			try {
				return name === 'prunefrom' ? matchNames(this.D, re) : matchFrames(this.D, re);
			} catch (e) {
				if (!(e instanceof SlowPattern))
					throw e;
				this.errors.set(name, e.message);
				return null;
			}
		});
	}

	labelSets(name) {
		return this.made(name, text => matchLabels(this.D, text)).sets || null;
	}

	// S: the state; column: of the values.
	run(S, column) {
		const {base, steps} = this, roots = S.tr.split(',').map(s => s.trim()).filter(s => s);
		this.S = S;
		this.column = column;
		this.errors.clear();
		this.D = roots.length ? steps.get('roots', S.tr + '\n' + column, () => withLabelRoots(base, roots, column)) : base;
		this.keyId = [S.tr, column * (roots.length > 0), S.g, S.noinlines].join('\n');
		this.keys = steps.get('keys', this.keyId, () => makeKeys(this.D, S.g, base.head.columns, Boolean(S.noinlines)));
		const F = this.filters = {hide: this.frames('h'), show: this.frames('s'), from: this.frames('sf'), prune: this.frames('prunefrom'), noInlines: Boolean(S.noinlines)};
		const idOf = f => [this.keyId, f.hide && S.h, f.show && S.s, f.from && S.sf, f.prune && S.prunefrom].join('\n'), lineId = idOf(F);
		const folds = {skips: S.hu === '1', cycle: S.cr === '2' ? 4 : +S.cr}, get = (id, make) => steps.get('structure', [id, S.hu, S.cr].join('\n'), make);
		// Of Hide alone what it leaves of a structure that is known.
		const whole = F.hide && folds.cycle < 2 && !F.show && !F.from && !F.prune && !F.noInlines ? get(idOf({}), () => this.structureOf({}, folds)) : null;
		this.structure = get(lineId, () => (whole && hideFrames(this.D, this.keys, whole, F.hide, folds.cycle)) || this.structureOf(F, folds));
		const C = {focus: this.frames('f'), ignore: this.frames('i'), labels: this.labelSets('tf'), notLabels: this.labelSets('ti')};
		C.isNamed = Boolean(C.focus || C.ignore || F.hide || F.show);
		const countId = [lineId, C.focus && S.f, C.ignore && S.i, C.labels && S.tf, C.notLabels && S.ti].join('\n');
		this.counts = steps.get('counts', countId, () => chooseSamples(this.D, this.structure, C));
		this.valueId = [countId, S.hu, S.cr, column, S.w, S.cmp].join('\n');
		this.tree = steps.get('values', this.valueId, () => this.valuesOf(this.structure, S.w, S.cmp === 'share'));
		this.sums = steps.get('sums', this.valueId, () => this.sumsOf(lineId));
	}

	structureOf(filters, folds) {
		return makeStructure(this.D, this.keys, filters, folds);
	}

	valuesOf(structure, width, shares) {
		return makeValues(this.D, structure, this.counts, this.column, width, shares);
	}

	/*
	 * Sums of keys. A frame that joined another further up counts less often: then
	 * a structure without folds says what they are.
	 */
	sumsOf(lineId) {
		let {structure, tree, keys} = this;
		if (this.S.cr === '2') {
			structure = this.steps.get('plain', lineId, () => this.structureOf(this.filters, {}));
			tree = this.valuesOf(structure, 'after', false);
		}
		const sums = sumKeys(tree, keys.n, structure.kinds);
		if (structure.blanks)
			addBlanks(this.D, structure.blanks, this.counts, this.column, sums);
		return sums;
	}
}

export {Computer, Steps};
