// flame.mjs - zoom and search in the picture that prof-flame draws. All that it
// knows are the lines of svg.c's put_script(); names only ever become text.
const svg = document.documentElement;
const margin = 10, padding = 3, advance = 7.3, rowHeight = 17, restColour = '54';
const atMost = svg.viewBox.baseVal.width, height = svg.viewBox.baseVal.height;
let width = atMost - 2 * margin;
const byId = id => document.getElementById(id);
const picture = byId('f'), detail = byId('d'), out = byId('out'), searchButton = byId('search');
const buttons = [out, searchButton].map(b => [b, +b.getAttribute('x')]);
let all = [], root, isPivot = false, isPart = false, zoomed, matched = '', re = null, rest = ' ';

function element(name, values) {
	const e = document.createElementNS(svg.namespaceURI, name);
	for (const key of Object.keys(values))
		e.setAttribute(key, values[key]);
	return e;
}

// Where the root is and whether frames are left out; columns of numbers and words, a line each: the shade of a change, which name,
// rows below the box before, gap before the box and its width, numbers. Then the
// names, with their colours and marks.
function readBoxes(text) {
	const [first, shades, numbers, rows, gaps, widths, amounts, ...names] = text.split('\n'), [, top, left] = first.split(' '), edges = [[], []];
	const [shade, row, gap, wide] = [shades, rows, gaps, widths].map(line => line.split(' ')), amount = amounts.split('\t');
	let at = 0;
	all = numbers.split(' ').map((number, i) => {
		const isRest = number < 0, [look, name] = isRest ? [restColour, -number + ' smaller frame' + (number < -1 ? 's' : '')] : names[number].split('\t');
		const depth = Math.abs(at += +row[i]), edge = edges[at < 0 ? 1 : 0], x = (edge[depth] || 0) + +gap[i], w = +wide[i];
		edge[depth] = x + w;
		edge[depth + 1] = x;
		if (!depth)
			edges[1][1] = x;
		return {name, amounts: amount[i], colour: +/\d+/.exec(shade[i] || look)[0], isInlined: /i/.test(look), isMatch: /m/.test(look), isUnsure: /u/.test(shade[i]), depth, side: Math.sign(at), x: x / 100, w: w / 100, y: +top + at * rowHeight, isRest};
	});
	root = zoomed = all[0];
	isPart = left === '1';
	isPivot = all.some(b => b.side < 0) && all.some(b => b.side > 0);
}

// Rounding makes boxes up to a hundredth too wide at each row.
const covers = (a, b) => b.x >= a.x - .05 && b.x + b.w <= a.x + a.w + .05;

// What of a name fits: all, its later parts without marks of compilers' copies,
// or both ends of the last one; [libc.so.6] has no parts.
function shorten(full, room) {
	let s = full.length <= room ? full : full.replace(/(\.(part|isra|constprop|cold|lto_priv|llvm|clone)(\.\d+)*|(?<!\.func[\d.]*)\.\d+)+$/, '');
	for (let m; full[0] !== '[' && s.length > room && (m = /^(?:.*\/|.*?(?:::|\.))(?=[\w~])/.exec(s));)
		s = s.slice(m[0].length);
	const front = Math.round(.42 * (room - 1));
	return s.length <= room ? s : room < 5 ? '' : s.slice(0, front) + '…' + s.slice(front + 1 - room);
}

// "+12% " before the name of a box that changed, "×12 " from tenfold on; the sign of
// an amount below 0.
function changeText({amounts}) {
	const [, how] = /, [+-].* (new|gone|[+-][\d.]+%)$/.exec(amounts) || [], percent = how && +how.slice(0, -1);
	return !how ? amounts[0] === '-' ? '−' : '' : Number.isNaN(percent) ? how + ' ' : percent >= 900 ? '×' + Math.round(percent / 100 + 1) + ' ' : (percent < 0 ? '−' : '+') + Math.round(Math.abs(percent)) + '% ';
}

// Is a box found? Its name is one of the profile.
const isFound = b => re && b !== root && !b.isRest && re.test(b.name);

function drawBox(b, x, w, isUp, layers) {
	const kind = 'c' + b.colour + (isUp ? ' up' : '') + (re ? isFound(b) ? ' s' : ' off' : b.isMatch ? ' s' : '');
	const rect = element('rect', {class: kind, x, y: b.isRest && b.side < 0 ? b.y + 12 : b.y, width: w - Math.min(1, w / 4), height: b.isRest ? 4 : rowHeight - 1});
	rect.box = b;
	layers[b.isUnsure && !/ s/.test(kind) ? 1 : 0].append(rect);
	const room = Math.floor((w - 2 * padding) / advance), change = b === root ? '' : changeText(b), isLong = change.length + 3 <= room, text = room < 3 || b.isRest ? '' : shorten(b.name, isLong ? room - change.length : room);
	if (!text)
		return;
	const label = element('text', {class: b.isInlined ? 'i' : '', x: x + padding, y: b.y + 12});
	label.textContent = (isLong ? change : '') + text;
	layers[2].append(label);
}

function draw() {
	const scale = width / Math.max(zoomed.w, .01), layers = [element('g', {}), element('g', {mask: 'url(#u)'}), element('g', {})];
	for (const b of all) {
		const isUp = b.depth < zoomed.depth && covers(b, zoomed) && (b === root || b.side === zoomed.side);
		if (isUp)
			drawBox(b, margin, width, zoomed !== root, layers);
		else if (b.depth >= zoomed.depth && covers(zoomed, b) && (zoomed === root || b.side === zoomed.side) && b.w * scale >= .3)
			drawBox(b, margin + (b.x - zoomed.x) * scale, b.w * scale, false, layers);
	}
	picture.replaceChildren(...layers);
	out.style.display = zoomed === root ? 'none' : 'inline';
}

function zoom(to) {
	zoomed = to;
	draw();
	save();
}

// The share of what matches, of all as in the texts of boxes: boxes below another match
// count with it.
function share(hits) {
	let sum = 0, reach = -1;
	hits.sort((a, b) => a.x - b.x || b.w - a.w);
	for (const b of hits) {
		const end = b.x + b.w;
		sum += Math.max(0, end - Math.max(reach, b.x));
		reach = Math.max(reach, end);
	}
	return (Math.max(...[...root.amounts.matchAll(/\(([^%)]+)%/g)].map(m => m[1])) * sum / root.w).toFixed(2) + '%';
}

function search(pattern) {
	matched = pattern;
	try {
		re = pattern ? new RegExp(pattern, /[A-Z]/.test(pattern) ? '' : 'i') : null;
	} catch (e) {
		re = new RegExp(pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
	}
	const hits = all.filter(isFound), of = side => share(hits.filter(b => b.side === side));
	rest = !re ? ' ' : 'matched ' + (isPart ? 'at least ' : '') + (isPivot ? of(-1) + ' above, ' + of(1) + ' below' : share(hits));
	detail.textContent = rest;
	searchButton.textContent = re ? 'Clear' : 'Search';
	draw();
	save();
}

// A short number for the name of a box, in every picture the same.
function idOf(b) {
	let h = 2166136261;
	for (const byte of b.id ? [] : new TextEncoder().encode(b.name))
		h = Math.imul(h ^ byte, 16777619) >>> 0;
	return b.id = b.id || h.toString(36);
}

// A link has the names on the way, so it holds for a later picture, too; '-' is
// the side above a pivot.
function pathOf(b) {
	const way = all.filter(a => a !== root && a.side === b.side && a.depth <= b.depth && covers(a, b));
	return (b.side < 0 && isPivot ? '-' : '') + way.sort((a, c) => a.depth - c.depth).map(idOf).join('.');
}

// The box at a path, or as far as it goes.
function boxAt(path) {
	const parts = path.split('.');
	let at = root;
	parts.forEach((part, i) => {
		const way = parts.slice(0, i + 1).join('.');
		at = all.find(b => idOf(b) === part.replace('-', '') && b !== root && covers(at, b) && pathOf(b) === way) || at;
	});
	return at;
}

function save() {
	const parts = [];
	if (zoomed !== root)
		parts.push('z=' + pathOf(zoomed));
	if (matched)
		parts.push('q=' + encodeURIComponent(matched));
	try {
		history.replaceState(null, '', '#' + parts.join('&'));
	} catch (e) {
		// A viewer that keeps no address: nothing is lost but the link.
	}
}

function ask() {
	search(matched ? '' : prompt('Search for a regular expression', '') || '');
}

// As wide as the window: boxes are, letters stay as they are.
function resize() {
	const room = Math.max(300, innerWidth - (height > innerHeight ? 16 : 0));
	svg.setAttribute('width', room);
	svg.setAttribute('viewBox', '0 0 ' + room + ' ' + height);
	for (const [button, x] of buttons)
		button.setAttribute('x', x + room - atMost);
	width = room - 2 * margin;
	draw();
}

function listen() {
	svg.addEventListener('click', e => {
		if (e.target.box)
			zoom(e.target.box);
		else if (e.target === out)
			zoom(root);
		else if (e.target === searchButton)
			ask();
	});
	svg.addEventListener('mouseover', ({target}) => {
		const b = target.box;
		detail.textContent = b ? b.name + (b.isInlined ? ' (inlined)' : '') + '  ' + b.amounts : rest;
		if (b && !target.firstChild)
			target.append(element('title', {}));
		if (b)
			target.firstChild.textContent = detail.textContent.replace('  ', '\n');
	});
	document.addEventListener('keydown', e => {
		if (e.key === 'Escape')
			zoom(root);
		else if (e.key === '/')
			ask();
		else
			return;
		e.preventDefault();
	});
	window.addEventListener('resize', resize);
}

function begin() {
	const state = new URLSearchParams(location.hash.slice(1));
	zoomed = state.get('z') ? boxAt(state.get('z')) : root;
	searchButton.style.display = 'inline';
	listen();
	resize();
	if (state.get('q'))
		search(state.get('q'));
}

async function start() {
	const bytes = Uint8Array.from(atob(byId('boxes').textContent), c => c.charCodeAt(0));
	readBoxes(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text());
	if (root)
		begin();
	svg.dataset.ready = '1';
}

// Where it cannot be unpacked the picture stays as it is.
start();
