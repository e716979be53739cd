// fit.mjs - names in little room: whole, then without what stands in front, then
// smaller, then cut in the middle.

import {displayName} from './numbers.mjs';

const boxFonts = [12, 10.5].map(size => size + 'px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif');
const leastLetters = 5, frontShare = .42;
const advances = [null, null];

// font: 0 or 1 of boxFonts.
function textWidth(context, text, font) {
	if (!advances[font]) {
		const before = context.font;
		context.font = boxFonts[font];
		advances[font] = Float64Array.from({length: 128}, (v, c) => c < 32 ? 8 : context.measureText(String.fromCharCode(c)).width);
		context.font = before;
	}
	let w = 0;
	for (let i = 0; i < text.length; i++) {
		const c = text.charCodeAt(i);
		w += c < 128 ? advances[font][c] : c === 0x202f ? 3 : c < 0x1100 ? 9 - font : 13 - font;
	}
	return w;
}

// V8 says how well a function is compiled, and where it is: JS:*sum /srv/a.js:4:16.
const jitName = /^(JS|Function|LazyCompile):[~^*+]?([^\s~^*+]\S*) .*/;
// Not Go's: f.func1.2 is the second function in the first of f.
const cloneSuffix = /(\.(part|isra|constprop|cold|lto_priv|llvm|clone)(\.\d+)*|(?<!\.func[\d.]*)\.\d+)+$/;

// Where the parts of a name begin: after "::" and "." that no bracket encloses, but
// for what says nothing alone, as {closure#1}.
function partStarts(text) {
	const starts = [0];
	let depth = 0;
	for (let i = 0; i < text.length - 1; i++) {
		const c = text[i];
		if ('(<[{'.includes(c) && !/operator.?$/.test(text.slice(Math.max(i - 9, 0), i)))
			depth++;
		else if (')>]}'.includes(c))
			depth = Math.max(depth - 1, 0);
		else if (!depth && (c === '.' || text.startsWith('::', i)) && /[^.:<{]/.test(text[i + 1 + (c === ':')] || '.'))
			starts.push(i + 1 + (c === ':'));
	}
	return starts;
}

// A name without the path in front, which lists:seq/2 has not, and without marks of
// what instance of a generic it is.
function withoutPath(name) {
	const text = name.replace(cloneSuffix, '').replace(jitName, '$2').replace(/::<>/g, '');
	if (text[0] === '[' || /\/\d+$/.test(text))
		return text;
	return text.slice(text.lastIndexOf('/', text.search(/[(<[{]|$/)) + 1);
}

function lastPart(name) {
	const text = withoutPath(name);
	return text.slice(partStarts(text).at(-1));
}

function withoutBrackets(text, open, close) {
	let out = '', depth = 0;
	for (let i = 0; i < text.length; i++) {
		// Python's "f.<locals>.<lambda>" has no arguments there.
		const isName = /operator(<<?|\()?$/.test(text.slice(Math.max(i - 10, 0), i)) || (!depth && text[i - 1] === '.');
		if (text[i] === open && !isName && !text.startsWith('(*', i) && (open !== '(' || depth || out))
			depth++;
		else if (text[i] === close && depth)
			depth--;
		else if (!depth)
			out += text[i];
	}
	return out;
}

// "json.Unmarshal", "Tree::put": the last two parts, without arguments.
function shortName(name) {
	if (name[0] === '[' || name.length > 2000)
		return name.slice(0, 200);
	let text = withoutPath(name).replace(/\(anonymous namespace\)::/g, '');
	if (text[0] !== '<')
		text = withoutBrackets(text, '<', '>');
	text = withoutBrackets(text, '(', ')').replace(/ const$|::(?=::|$)/g, '');
	if (text.length <= 24)
		return text || name;
	const starts = partStarts(text);
	let n = Math.min(starts.length, 2);
	while (n < starts.length && /^(func\d|\d|operator)/.test(text.slice(starts[starts.length - n + (n > 1 ? 1 : 0)])))
		n++;
	return text.slice(starts.at(-n)) || name;
}

function shownName(name) {
	return displayName(shortName(name));
}

// Text that fits into room, its middle left out; '' if too little is left.
function cutMiddle(context, text, room, font) {
	if (textWidth(context, text, font) <= room)
		return text;
	const end = text.length, dots = textWidth(context, '…', font);
	const part = n => [text.slice(0, Math.ceil(n * frontShare)), text.slice(end - (n - Math.ceil(n * frontShare)))];
	let low = 1, high = Math.min(end, 400);
	while (low < high) {
		const middle = low + high + 1 >> 1;
		if (textWidth(context, part(middle).join(''), font) + dots <= room)
			low = middle;
		else
			high = middle - 1;
	}
	return low < leastLetters ? '' : part(low).join('…');
}

// [text, font]: the longest form of a name that fits.
function fitText(context, name, room) {
	if (room < 16)
		return ['', 0];
	if (name.length < 400 && textWidth(context, name, 0) <= room)
		return [name, 0];
	const text = withoutPath(name), starts = partStarts(text), last = text.slice(starts.at(-1));
	// Long names: the parts at the end, as many as there can be room for.
	for (let i = Math.max(0, starts.length - 60); i < starts.length - 1; i++) {
		const part = text.slice(starts[i]);
		if (part.length > 400)
			continue;
		for (const font of [0, 1])
			if (textWidth(context, part, font) <= room)
				return [part, font];
	}
	for (const font of [0, 1])
		if (last.length < 400 && textWidth(context, last, font) <= room)
			return [last, font];
	return [cutMiddle(context, last, room, 1), 1];
}

export {boxFonts, cutMiddle, fitText, jitName, lastPart, shortName, shownName, textWidth};
