// compute.mjs - from the state to numbers, step by step: label roots (a new
// tree), keys (what a frame is called), structure (frames joined by keys), which
// samples count, values, sums. Each step is kept until what it needs changes.

import {hideFrames} from './hide.mjs';
import {makeKeys, makeStructure, withLabelRoots} from './model.mjs';
import {SlowPattern, compilePattern} from './regexp.mjs';
import {chooseSamples, makeValues, matchFrames, matchLabels, matchNames, sumKeys, sumKeysDrawn} from './values.mjs';

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
		const folds = {skips: S.hu === '1', cycle: S.cr === '2' ? 4 : +S.cr}, structureOf = (step, folds) => {
			const get = (id, filters, make = () => makeStructure(this.D, this.keys, filters, folds)) => steps.get(step, [id, folds.skips, folds.cycle].join('\n'), make);
			// Of Hide alone what it leaves of a structure that is known.
			const whole = F.hide && folds.cycle < 2 && !F.show && !F.from && !F.prune && !F.noInlines ? get(idOf({}), {}) : null;
			return get(lineId, F, () => (whole && hideFrames(this.D, this.keys, whole, F.hide, folds.cycle)) || makeStructure(this.D, this.keys, F, folds));
		};
		this.structure = structureOf('structure', folds);
		const C = {focus: this.frames('f'), ignore: this.frames('i'), labels: this.labelSets('tf'), notLabels: this.labelSets('ti')};
		C.isNamed = Boolean(C.focus || C.ignore || F.hide || F.show);
		const countId = [lineId, C.focus && S.f, C.ignore && S.i, C.labels && S.tf, C.notLabels && S.ti].join('\n');
		this.counts = steps.get('counts', countId, () => chooseSamples(this.D, this.structure, C));
		this.valueId = [countId, S.hu, S.cr, column, S.w, S.cmp].join('\n');
		const valuesOf = (step, structure) => steps.get(step, this.valueId, () => makeValues(this.D, structure, this.counts, column, S.w, S.cmp === 'share'));
		this.tree = valuesOf('values', this.structure);
		// Sums are counted in a tree with each frame: where one took no row, or joined
		// another further up, the one that is drawn has too little for it.
		this.folds = folds;
		const isFolded = this.structure.isBlank || folds.cycle > 1, counted = isFolded ? structureOf('counted structure', {cycle: Math.min(folds.cycle, 1)}) : this.structure;
		this.counted = isFolded ? valuesOf('counted', counted) : this.tree;
		this.sums = steps.get('sums', this.valueId, () => sumKeys(this.counted, this.keys.n, counted.kinds));
	}

	// Sums of keys below node z of the tree that is drawn.
	sumsBelow(z) {
		const {tree, counted, structure, folds, sums, keys} = this;
		return !z ? sums : this.steps.get('below', this.valueId + '\n' + z, () => counted === tree ? sumKeys(tree, keys.n, sums.inlined, z) : sumKeysDrawn(counted, tree, structure.isBlank, folds.cycle, keys.n, sums.inlined, z));
	}

	// The tree in which callers and callees of keys are looked up.
	treeAround(list) {
		const {structure: {isBlank}, folds, tree, counted} = this;
		return folds.cycle > 1 || (isBlank && list.some(k => isBlank[k])) ? counted : tree;
	}
}

export {Computer, Steps};
