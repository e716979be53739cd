// regexp.mjs - patterns as the commands take them (RE2's and PCRE2's common
// part). They come from links, too, and a browser's own engine can be made to
// think for hours about a short name, so the page has one of its own: all ways
// through a pattern are followed at once, which takes time linear in the name.

const patternLimit = 2000; // milliseconds
const matchedLength = 65536; // of a name
const mostSteps = 20000, mostStates = 3000;

function quotePattern(text) {
	return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

class BadPattern extends Error {
	constructor(why) {
		super('not a regular expression: ' + why);
	}
}

// Constructs that only a browser's own engine has; others have more.
class ForeignPattern extends Error {}

const posixClasses = {alpha: 'a-zA-Z', digit: '0-9', alnum: 'a-zA-Z0-9', upper: 'A-Z', lower: 'a-z', space: '\\s', xdigit: '0-9a-fA-F', word: '\\w',
	punct: '!-\\/:-@\\[-\x60{-~', blank: ' \\t', cntrl: '\\x00-\\x1f', print: ' -~', graph: '!-~'};

/*
 * A pattern as a program: steps [kind, a, b]. 'one': a character that a passes;
 * 'split': go on at a and at b; 'go': at a; 'at': if the place is a; 'end'.
 */
class PatternParser {
	constructor(source, flags) {
		Object.assign(this, {source, flags, at: 0, steps: []});
	}

	parse() {
		const tree = this.alternatives();
		if (this.at < this.source.length)
			throw new BadPattern('a ) too many');
		this.emit(tree);
		this.push('end');
		return this.steps;
	}

	eat(text) {
		if (!this.source.startsWith(text, this.at))
			return false;
		this.at += text.length;
		return true;
	}

	alternatives() {
		const {flags} = this, list = [this.sequence()];
		while (this.eat('|'))
			list.push(this.sequence());
		this.flags = flags;
		return list.length > 1 ? {alt: list} : list[0];
	}

	sequence() {
		const list = [];
		while (this.at < this.source.length && !'|)'.includes(this.source[this.at])) {
			const one = this.single();
			if (one)
				list.push(this.repeated(one));
		}
		return {cat: list};
	}

	repeated(tree) {
		const m = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})/.exec(this.source.slice(this.at, this.at + 20));
		if (!m)
			return tree;
		this.at += m[0].length;
		if (this.source[this.at] === '+')
			throw new ForeignPattern('+');
		this.eat('?');
		const c = m[0][0], least = c === '{' ? +m[1] : c === '+' ? 1 : 0, most = c === '?' ? 1 : c !== '{' ? Infinity : m[2] ? m[3] ? +m[3] : Infinity : least;
		return this.repeated({body: tree, least, most});
	}

	single() {
		const c = String.fromCodePoint(this.source.codePointAt(this.at));
		this.at += c.length;
		if (c === '(')
			return this.group();
		if (c === '[')
			return this.set();
		if (c === '\\')
			return this.escape();
		if (c === '^' || c === '$')
			return {place: this.flags.includes('m') ? c + c : c};
		if ('*+?'.includes(c))
			throw new BadPattern('nothing to repeat before ' + c);
		return this.one(c === '.' ? '.' : quotePattern(c));
	}

	group() {
		let more;
		if (this.eat('?')) {
			const rest = this.source.slice(this.at, this.at + 200);
			if ((more = /^(?:P?<[A-Za-z_]\w*>|:)/.exec(rest))) {
				this.at += more[0].length;
			} else if ((more = /^([imsU]*)(?:-([imsU]+))?([:)])/.exec(rest))) {
				const {flags} = this, off = more[2] || '';
				this.at += more[0].length;
				this.flags = [...new Set(flags + more[1])].filter(f => !off.includes(f)).join('');
				if (more[3] === ')')
					return null;
				const tree = this.alternatives();
				this.close();
				this.flags = flags;
				return tree;
			} else {
				throw new ForeignPattern('(?');
			}
		} else if (this.source[this.at] === '*') {
			throw new ForeignPattern('(*');
		}
		const tree = this.alternatives();
		this.close();
		return tree;
	}

	close() {
		if (!this.eat(')'))
			throw new BadPattern('a ) is missing');
	}

	set() {
		const m = /^\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]/.exec(this.source.slice(this.at));
		if (!m)
			throw new BadPattern('a ] is missing');
		this.at += m[0].length;
		const inner = m[0].slice(0, -1).replace(/^(\^?)\]/, '$1\\]').replace(/\[:(\w+):\]/g, (all, name) => {
			if (!Object.hasOwn(posixClasses, name))
				throw new BadPattern(all);
			return posixClasses[name];
		}).replace(/(^|[^\\])\[(?!\\)/g, '$1\\[').replace(/\\x\{([0-9a-fA-F]+)\}/g, '\\u{$1}');
		return this.one('[' + inner + ']');
	}

	escape() {
		const rest = this.source.slice(this.at), m = /^(?:x\{[0-9a-fA-F]+\}|x[0-9a-fA-F]{2}|[pP]\{\^?\w+\}|[pP]\w|[^])/.exec(rest);
		if (!m)
			throw new BadPattern('it ends in \\');
		const [text] = m, [c] = text;
		this.at += text.length;
		if ('bBAzZ'.includes(c))
			return {place: {A: '^', z: '$', Z: '$'}[c] || c};
		if (/[1-9GKRXgk]/.test(c))
			throw new ForeignPattern('\\' + c);
		if (text.startsWith('x{'))
			return this.one('\\u' + text.slice(1));
		if (/[pP]/.test(c))
			return this.one('\\' + c + '{' + text.slice(1).replace(/[{}]/g, '') + '}');
		return this.one(/[dDwWsStnrfvx0]/.test(c) ? '\\' + text : c === 'a' ? '\\x07' : c === 'e' ? '\\x1b' : c === 'h' ? '[ \\t]' : quotePattern(c).replace('/', '\\/'));
	}

	one(source) {
		const flags = [...this.flags].filter(f => 'is'.includes(f)).join('');
		for (const more of ['u', ''])
			try {
				return {one: new RegExp('^' + source + '$', flags + more)};
			} catch (e) {
				// Without u, escapes of plain characters are allowed.
			}
		throw new BadPattern(source);
	}

	push(kind, a, b) {
		if (this.steps.length > mostSteps)
			throw new RangeError();
		return this.steps.push([kind, a, b]) - 1;
	}

	emit(tree) {
		if (tree.cat) {
			tree.cat.forEach(t => this.emit(t));
		} else if (tree.alt) {
			const ends = [];
			tree.alt.forEach((t, i) => {
				const split = i < tree.alt.length - 1 ? this.push('split', this.steps.length + 1) : -1;
				this.emit(t);
				if (split < 0)
					return;
				ends.push(this.push('go'));
				this.steps[split][2] = this.steps.length;
			});
			for (const i of ends)
				this.steps[i][1] = this.steps.length;
		} else if (tree.body) {
			this.emitRepeated(tree);
		} else if (tree.place) {
			this.push('at', tree.place);
		} else {
			this.push('one', tree.one);
		}
	}

	emitRepeated({body, least, most}) {
		for (let i = 0; i < least; i++)
			this.emit(body);
		if (most === Infinity) {
			const split = this.push('split', this.steps.length + 1);
			this.emit(body);
			this.push('go', split);
			this.steps[split][2] = this.steps.length;
			return;
		}
		const splits = [];
		for (let i = least; i < most; i++) {
			splits.push(this.push('split', this.steps.length + 1));
			this.emit(body);
		}
		for (const i of splits)
			this.steps[i][2] = this.steps.length;
	}
}

const kindStart = 0, kindLine = 1, kindWord = 2, kindOther = 3, kindEnd = 4;

function kindOf(c) {
	return c === '\n' ? kindLine : /^\w$/.test(c) ? kindWord : kindOther;
}

function isPlace(place, before, next) {
	switch (place) {
	case '^': return before === kindStart;
	case '^^': return before === kindStart || before === kindLine;
	case '$': return next === kindEnd;
	case '$$': return next === kindEnd || next === kindLine;
	default: return ((before === kindWord) !== (next === kindWord)) === (place === 'b');
	}
}

// Runs a program; what is known of each set of places in it is kept.
class PatternRun {
	constructor(steps) {
		this.steps = steps;
		this.known = new Map();
		this.seen = new Uint32Array(steps.length);
		this.turn = 0;
	}

	state(places, before) {
		const id = before + ':' + places.join();
		let s = this.known.get(id);
		if (!s) {
			if (this.known.size > mostStates)
				this.known.clear();
			s = {places, before, next: new Map()};
			this.known.set(id, s);
		}
		return s;
	}

	// The state after character c, '' is the end; null: it matched.
	step(s, c) {
		const {steps, seen} = this, next = c ? kindOf(c) : kindEnd, out = new Set(), stack = [...s.places, 0], turn = ++this.turn;
		while (stack.length) {
			const i = stack.pop(), [kind, a, b] = steps[i];
			if (seen[i] === turn)
				continue;
			seen[i] = turn;
			if (kind === 'end')
				return null;
			if (kind === 'split')
				stack.push(a, b);
			else if (kind === 'go')
				stack.push(a);
			else if (kind === 'at' && isPlace(a, s.before, next))
				stack.push(i + 1);
			else if (kind === 'one' && c && a.test(c))
				out.add(i + 1);
		}
		return this.state([...out].sort((x, y) => x - y), next);
	}

	test(text) {
		let s = this.state([], kindStart);
		for (let i = 0; i <= text.length;) {
			const c = i < text.length ? String.fromCodePoint(text.codePointAt(i)) : '';
			let next = s.next.get(c);
			if (next === undefined)
				s.next.set(c, next = this.step(s, c));
			if (!next)
				return true;
			s = next;
			i += c.length || 1;
		}
		return false;
	}
}

// Only a browser's own engine knows these; it gets patterns that repeat little.
function foreignPattern(source, flags) {
	const repeats = source.replace(/\\./g, '').match(/[*+]|\{\d+,\d*\}/g) || [];
	if (!/\(\?<?[=!]|\\[1-9k]/.test(source) || /\(\?>|\(\*|[*+?}]\+/.test(source) || repeats.length > 2 || /[*+}]\)+[*+{]/.test(source))
		return {error: 'not supported in browsers; use the options of prof-html'};
	try {
		return {re: new RegExp(source, flags.replace('U', ''))};
	} catch (e) {
		return {error: 'not a regular expression'};
	}
}

// {re}, which has test(text), or {error}. flags: 'i' to ignore case.
function compilePattern(pattern, flags = '') {
	const source = pattern.replace(/\\Q(.*?)(\\E|$)/gs, (all, text) => quotePattern(text));
	try {
		return {re: new PatternRun(new PatternParser(source, flags).parse())};
	} catch (e) {
		if (e instanceof ForeignPattern)
			return foreignPattern(source, flags);
		if (e instanceof BadPattern || e instanceof RangeError)
			return {error: e instanceof BadPattern ? e.message : 'the pattern is too large'};
		throw e;
	}
}

// A search: as typed, but without capitals it ignores case. Text that is not a
// pattern is searched literally.
function compileSearch(text) {
	const flags = /\p{Lu}/u.test(text) ? '' : 'i';
	return compilePattern(text, flags).re || compilePattern(quotePattern(text), flags).re;
}

class SlowPattern extends Error {}

// A test of strings by index, each asked once.
function stringTest(re, strings) {
	const known = new Int8Array(strings.length), start = performance.now();
	return i => {
		if (known[i] === 0) {
			if (performance.now() - start > patternLimit)
				throw new SlowPattern('the pattern takes too long and is not applied');
			known[i] = re.test(strings[i].length > matchedLength
				? strings[i].slice(0, matchedLength) : strings[i]) ? 1 : -1;
		}
		return known[i] === 1;
	};
}

export {SlowPattern, compilePattern, compileSearch, quotePattern, stringTest};
