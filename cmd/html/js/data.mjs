// data.mjs - the data block of the page (html/pack.h) as typed arrays. Every
// count and index is checked here, once; all other modules trust them.

const noFrame = 0xffffffff;
const unnamedFlag = 2, cutFlag = 4, bareFlag = 8; // bare: an address without any line

class Damaged extends Error {
	constructor(section) {
		super('this page is damaged: section ' + section);
	}
}

// The bytes behind the base64 text; isZipped: a gzip stream.
async function unpackText(text, isZipped) {
	let bytes;
	if (Uint8Array.fromBase64) {
		bytes = Uint8Array.fromBase64(text);
	} else {
		const binary = atob(text);
		bytes = new Uint8Array(binary.length);
		for (let i = 0; i < binary.length; i++)
			bytes[i] = binary.charCodeAt(i);
	}
	if (!isZipped)
		return bytes;
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

function readSections(bytes) {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const sections = new Map();
	if (bytes.length < 12 || String.fromCharCode(...bytes.subarray(0, 8)) !== 'PFPAGE1\n')
		throw new Damaged('header');
	const n = view.getUint32(8, true);
	let at = 12 + 8 * n;
	for (let i = 0; i < n; i++) {
		const tag = String.fromCharCode(...bytes.subarray(12 + 8 * i, 16 + 8 * i)).trim();
		const size = view.getUint32(16 + 8 * i, true);
		if (at + size > bytes.length)
			throw new Damaged(tag);
		sections.set(tag, bytes.subarray(at, at + size));
		at += size;
	}
	return sections;
}

// The next varint. The sign is the lowest bit: it is taken off first, as 64 bits
// are more than a number holds exactly.
function readVarint(from, isSigned) {
	const {bytes} = from;
	let byte = bytes[from.at++], v = isSigned ? (byte & 127) >> 1 : byte & 127;
	const isLess = isSigned && byte & 1;
	for (let scale = isSigned ? 64 : 128; byte > 127; scale *= 128) {
		byte = bytes[from.at++];
		v += (byte & 127) * scale;
	}
	return isLess ? -v - 1 : v;
}

// n varints into a typed array; below: what all must be less than.
function readColumn(sections, tag, n, Type, below, isSigned) {
	const bytes = sections.get(tag), out = new Type(n);
	if (!bytes)
		throw new Damaged(tag);
	const from = {bytes, at: 0};
	let most = 0;
	for (let i = 0; i < n; i++) {
		const v = readVarint(from, isSigned);
		if (v > most)
			most = v;
		out[i] = v;
	}
	const {at} = from;
	if (at !== bytes.length || (below !== undefined && n && most >= below))
		throw new Damaged(tag);
	return out;
}

function readStrings(sections, n) {
	const lengths = readColumn(sections, 'STRL', n, Uint32Array);
	const bytes = sections.get('STRB'), decoder = new TextDecoder();
	const out = new Array(n);
	const all = decoder.decode(bytes), isAscii = all.length === bytes.length;
	let at = 0;
	for (let i = 0; i < n; i++) {
		const end = at + lengths[i];
		out[i] = isAscii ? all.slice(at, end) : decoder.decode(bytes.subarray(at, end));
		at = end;
	}
	if (at !== bytes.length || out[0] !== '')
		throw new Damaged('STRB');
	return out;
}

// Parents and depths from how far each node is above the one before.
function readTree(sections, head) {
	const n = head.nodes + 1;
	const ups = readColumn(sections, 'NUPS', head.nodes, Uint32Array);
	const frames = readColumn(sections, 'NFRM', head.nodes, Uint32Array, head.frames);
	const parent = new Uint32Array(n), frame = new Uint32Array(n);
	frame.set(frames, 1);
	frame[0] = noFrame;
	let before = 0;
	for (let i = 1; i < n; i++) {
		let up = ups[i - 1], at = before;
		for (; up && at; up--)
			at = parent[at];
		if (up)
			throw new Damaged('NUPS');
		parent[i] = at;
		before = i;
	}
	return {n, parent, frame};
}

function readSamples(sections, head) {
	const n = head.samples;
	const node = readColumn(sections, 'SNOD', n, Uint32Array);
	for (let i = 1; i < n; i++)
		node[i] += node[i - 1];
	if (n && node[n - 1] > head.nodes)
		throw new Damaged('SNOD');
	const labels = readColumn(sections, 'SLAB', n, Uint32Array, head.labelsets);
	const side = readColumn(sections, 'SSID', n, Uint8Array, 2);
	const values = head.types.map((type, k) => {
		const tag = 'VAL' + (k < 10 ? k : String.fromCharCode(65 + k - 10));
		const column = readColumn(sections, tag, n, Float64Array, undefined, true);
		for (let i = 0; i < n && head.gcd[k] !== 1; i++)
			column[i] *= head.gcd[k];
		return column;
	});
	return {n, node, labels, side, values};
}

// Sets of labels: [{key, text, number, unit}], number null for a string.
function readLabels(sections, head, strings) {
	const bytes = sections.get('LABS') || new Uint8Array(0), sets = [];
	const from = {bytes, at: 0}, next = () => readVarint(from, false);
	const string = () => {
		const i = next();
		if (i >= strings.length)
			throw new Damaged('LABS');
		return strings[i];
	};
	for (let i = 0; i < head.labelsets; i++) {
		const set = [];
		for (let n = next(); n > 0 && from.at < bytes.length; n--) {
			const key = string();
			if (next()) {
				const number = readVarint(from, true);
				set.push({key, text: null, number, unit: string()});
			} else {
				set.push({key, text: string(), number: null, unit: ''});
			}
		}
		sets.push(set);
	}
	if (from.at !== bytes.length)
		throw new Damaged('LABS');
	return sets;
}

function readFrames(sections, head) {
	const column = (tag, Type, below, isSigned) =>
		readColumn(sections, tag, head.frames, Type, below, isSigned);
	const low = column('FADL', Float64Array, undefined, true);
	for (let i = 1; i < low.length; i++)
		low[i] += low[i - 1];
	return {
		n: head.frames,
		fun: column('FFUN', Uint32Array, head.functions),
		line: column('FLIN', Float64Array, undefined, true),
		column: column('FCOL', Float64Array, undefined, true),
		flags: column('FFLG', Uint8Array, 16),
		object: column('FMAP', Uint32Array, head.objects),
		high: column('FADH', Uint32Array),
		low,
	};
}

function readFunctions(sections, head) {
	const column = (tag, below) => readColumn(sections, tag, head.functions, Uint32Array, below);
	return {
		name: column('UNAM', head.strings),
		file: column('UFIL', head.strings),
		raw: column('URAW', head.strings),
		line: readColumn(sections, 'ULIN', head.functions, Float64Array, undefined, true),
		pkg: column('UPKG', head.packages),
		own: readColumn(sections, 'UOWN', head.functions, Uint8Array, 3),
	};
}

function readJson(sections, tag) {
	const bytes = sections.get(tag);
	try {
		return bytes && bytes.length ? JSON.parse(new TextDecoder().decode(bytes)) : null;
	} catch (e) {
		throw new Damaged(tag);
	}
}

function isList(v, test) {
	return Array.isArray(v) && v.every(test);
}

function below(n) {
	return v => Number.isInteger(v) && v >= 0 && v < n;
}

function readSources(sections) {
	const blocks = readJson(sections, 'SRCJ'), isText = v => typeof v === 'string';
	if (blocks && !isList(blocks, b => isText(b.name) && isText(b.file) && isText(b.path) && isText(b.why) && isList(b.lines, v => isText(v) || below(2 ** 26)(v))))
		throw new Damaged('SRCJ');
	for (const b of blocks || []) {
		const lines = [];
		for (const v of b.lines)
			if (isText(v))
				lines.push(v);
			else
				lines.length += v;
		b.lines = lines;
	}
	return blocks;
}

function readCode(sections, head) {
	const code = readJson(sections, 'ASMJ');
	if (!code)
		return null;
	const isChain = below(code.chains.length), isText = below(code.texts.length), isFrame = below(head.frames);
	const isGood = isList(code.texts, t => typeof t === 'string') &&
		isList(code.chains, c => isList(c, (v, i) => i % 3 === 2 || isText(v))) &&
		isList(code.functions, f => /^[0-9a-f]{1,16}$/.test(f.start) && isList(f.code, c => below(2 ** 53)(c[0]) && typeof c[1] === 'string' && isChain(c[2])) &&
			isList(f.at, a => below(f.code.length)(a[0]) && isFrame(a[1])));
	if (!isGood)
		throw new Damaged('ASMJ');
	return code;
}

// All that the page knows.
function decodePage(bytes) {
	const sections = readSections(bytes), head = readJson(sections, 'HEAD');
	if (!head || head.v !== 2)
		throw new Damaged('HEAD');
	const strings = readStrings(sections, head.strings);
	const packages = readColumn(sections, 'PNAM', head.packages, Uint32Array, head.strings);
	return {
		head, strings, packages,
		tree: readTree(sections, head),
		frames: readFrames(sections, head),
		functions: readFunctions(sections, head),
		objects: readColumn(sections, 'MFIL', head.objects, Uint32Array, head.strings),
		samples: readSamples(sections, head),
		labels: readLabels(sections, head, strings),
		sources: readSources(sections),
		code: readCode(sections, head),
		gate: readJson(sections, 'GATE'),
		profile: sections.get('EMBD') || null,
	};
}

export {Damaged, bareFlag, cutFlag, decodePage, noFrame, unnamedFlag, unpackText};
