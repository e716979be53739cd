// regexp.mjs - patterns as the commands take them (RE2's and PCRE2's common
// part), made into JavaScript's. Patterns come from links, too: matching runs
// over distinct names and stops after two seconds.

const patternLimit = 2000; // milliseconds
const matchedLength = 65536; // of a name

function quotePattern(text) {
	return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

// Constructs that other engines have and this one lacks.
const foreignPattern = /\(\?>|\(\?R\)|\(\?\d|\(\?&|\(\?\||\\K|\\G|[*+?}]\+|\(\*|\[\[:/;

// {re} or {error}. flags: 'i' to ignore case.
function compilePattern(pattern, flags) {
	let source = pattern, set = new Set(flags || ''), head;
	source = source.replace(/\\Q(.*?)(\\E|$)/gs, (all, text) => quotePattern(text));
	while ((head = /^\(\?([ims]+)\)/.exec(source))) {
		for (const flag of head[1])
			set.add(flag);
		source = source.slice(head[0].length);
	}
	source = source.replace(/\(\?P</g, '(?<').replace(/\\A/g, '^').replace(/\\[zZ]/g, '$');
	if (foreignPattern.test(source))
		return {error: 'not supported in browsers; use the options of prof-html'};
	for (const flags of [[...set].join('') + 'u', [...set].join('')])
		try {
			return {re: new RegExp(source, flags)};
		} catch (e) {
			// Without u, escapes of plain characters are allowed.
		}
	return {error: 'not a regular expression'};
}

// A search: as typed, but without capitals it ignores case. Text that is not a
// pattern is searched literally.
function compileSearch(text) {
	const flags = /\p{Lu}/u.test(text) ? '' : 'i';
	const made = compilePattern(text, flags);
	return made.re || new RegExp(quotePattern(text), flags);
}

class SlowPattern extends Error {}

// A test of strings by index, each asked once.
function stringTest(re, strings) {
	const known = new Int8Array(strings.length), start = performance.now();
	return i => {
		if (known[i] === 0) {
			if (performance.now() - start > patternLimit)
				throw new SlowPattern('pattern too slow');
			known[i] = re.test(strings[i].length > matchedLength
				? strings[i].slice(0, matchedLength) : strings[i]) ? 1 : -1;
		}
		return known[i] === 1;
	};
}

export {SlowPattern, compilePattern, compileSearch, quotePattern, stringTest};
