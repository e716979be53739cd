// page-browser.mjs - what prof-html's and prof-flame's files do in a browser,
// for html-browser.t:
//
//	node page-browser.mjs MODULES BROWSER FOLDER [SHOTS]
//
// Prints "ok NAME" or "not ok NAME: why" for each check. FOLDER has the files
// that html-browser.t makes. SHOTS: a folder for pictures, for people to look at.
import {existsSync, readFileSync, readdirSync} from 'node:fs';
import {execFileSync} from 'node:child_process';
import {createRequire} from 'node:module';

const [,, modules, browserPath, folder, shots] = process.argv;
const require = createRequire(modules + '/x.js');
const puppeteer = require('puppeteer-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const browser = await puppeteer.launch({executablePath: browserPath, headless: 'shell', timeout: 120000,
	ignoreDefaultArgs: ['--hide-scrollbars'], args: [...(process.getuid() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--disable-quic', '--no-first-run',
		'--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage',
		// One process for all pages: it takes less time than one for each.
		'--renderer-process-limit=1']});

let page, problems = [], requests = [], isKept = false;

// A new tab takes time: take the one before where nothing was changed in it.
async function open(file, hash, options = {}) {
	const wasKept = isKept;
	problems = [];
	isKept = !options.before && !options.bypass && !options.touch && !options.dark;
	if (isKept && wasKept)
		await page.goto('about:blank');
	else
		await newPage();
	requests = [];
	await page.setViewport({width: options.width || 1440, height: options.height || 860, hasTouch: Boolean(options.touch)});
	if (options.dark)
		await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: 'dark'}]);
	if (options.bypass)
		await page.setBypassCSP(true);
	if (options.before)
		await page.evaluateOnNewDocument(options.before);
	await page.goto('file://' + folder + '/' + file + (hash || ''));
	if (file.endsWith('.html'))
		await page.waitForFunction('document.body.dataset.ready', {timeout: 120000});
	if (file.endsWith('.svg'))
		await page.waitForFunction('document.documentElement.dataset.ready', {timeout: 120000});
	return page;
}

// A script for open(): the browser has kept this text of an earlier visit.
const visited = text => 'localStorage.setItem("profpage1", ' + JSON.stringify(text) + ');';

async function newPage() {
	if (page)
		await page.close();
	page = await browser.newPage();
	// A machine under load may show one document what an earlier one kept, or not: none sees any of it.
	await page.evaluateOnNewDocument('try { localStorage.clear(); } catch (e) { /* about:blank */ }');
	// How often the page went back and was not there yet.
	await page.evaluateOnNewDocument(() => {
		const {back} = History.prototype;
		globalThis.backs = 0;
		History.prototype.back = function () {
			globalThis.backs++;
			back.call(this);
		};
		addEventListener('popstate', () => globalThis.backs && globalThis.backs--);
	});
	page.on('pageerror', e => problems.push(String(e)));
	page.on('console', m => m.type() === 'error' && problems.push(m.text()));
	page.on('dialog', d => {
		problems.push('dialog: ' + d.message());
		d.dismiss();
	});
	page.on('request', r => requests.push(r.url()));
}

async function check(name, run) {
	let why;
	try {
		why = await run();
		if (!why && problems.length)
			why = problems.join('; ');
	} catch (e) {
		why = String(e.stack || e).split('\n').slice(0, 3).join(' ');
	}
	console.log((why ? 'not ok ' : 'ok ') + name + (why ? ': ' + String(why).replace(/\n/g, ' ') : ''));
}

const text = selector => page.$eval(selector, e => e.textContent.replace(/\u202f/g, ' '));
// Facts of the bar, each with the word above it.
const facts = () => page.$$eval('#bar .facts .fact', all => all.map(e => (e.dataset.of ? JSON.parse(getComputedStyle(e, '::before').content) + ': ' : '') + e.textContent.replace(/\u202f/g, ' ')).join(' | '));
const big = () => text('#bar .big'), state = name => page.evaluate(n => globalThis.profpage.state[n], name);
const same = (got, want) => JSON.stringify(got) === JSON.stringify(want) ? null : 'got ' + JSON.stringify(got) + ', wanted ' + JSON.stringify(want);
const views = ['flame', 'sandwich', 'tree', 'graph', 'source', 'labels', 'info'];
const settle = () => page.evaluate(() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r))));
const press = async keys => {
	for (const key of keys) {
		await page.keyboard.press(key);
		await page.waitForFunction('!globalThis.backs', {timeout: 120000});
	}
	await settle();
};
const clickText = (selector, wanted) => page.$$eval(selector, (all, t) => all.find(e => e.textContent.replace('✓', '').trim().startsWith(t)).click(), wanted);

// Boxes of the flame graph: name, row, x, width, and where a click finds it.
const boxes = () => page.evaluate(() => {
	const p = globalThis.profpage, f = p.flame, r = f.canvas.getBoundingClientRect();
	return f.rows.flatMap((row, y) => row.map(b => ({y, x: b.x, w: b.w, rest: b.rest || 0, run: b.run ? b.run.length : 0, name: b.rest ? '' : p.text(p.tree, b.node), at: [r.left + b.x + b.w / 2, r.top + f.top(y) - f.scroll() + f.rowHeight / 2]})));
});

async function go(hash) {
	// The page listens longer than this, so it has followed by then.
	await page.evaluate(h => location.hash === h ? null : new Promise(done => {
		addEventListener('hashchange', () => done(), {once: true});
		location.hash = h;
	}), hash);
	await settle();
}

async function clickBox(name, options) {
	await page.mouse.click(...(await boxes()).find(b => name ? b.name === name : b.rest).at, options);
	await settle();
}

async function search(what) {
	await page.focus('#search');
	await page.keyboard.type(what);
	await page.waitForFunction(t => globalThis.profpage.state.q === t, {timeout: 120000}, what);
	await settle();
}

// What a step back has to restore: address, place, picture.
const look = () => page.evaluate(() => {
	const p = globalThis.profpage, c = p.flame.canvas;
	return [location.hash, document.getElementById('flame-host').scrollTop, c.getBoundingClientRect().top, document.querySelector('header').offsetHeight + document.getElementById('bar').offsetHeight, c.toDataURL()];
});

await check('the page asks for itself and nothing else', async () => {
	await open('cpu.html');
	return same(requests.filter(u => !u.startsWith('data:')).length, 1);
});
for (const file of ['cpu.html', 'diff.html']) {
	await open(file);
	for (const view of views)
		await check(file + ' ' + view + ' shows something', async () => {
			await go('#v=' + view + '&sel=leaf&p=leaf');
			const size = await page.evaluate(v => {
				const panel = document.getElementById('panel-' + v), r = panel.getBoundingClientRect();
				return r.width * r.height > 100000 && document.getElementById('empty').hidden && (panel.textContent.trim().length > 10 || Boolean(panel.querySelector('canvas, svg')));
			}, view);
			return size ? null : 'it is empty';
		});
}
const kinds = readdirSync(folder).filter(f => /^kind-.*\.row$/.test(f)).map(f => f.slice(0, -4)).sort();
// The first row of prof-text, of the same sums.
const firstRow = () => page.evaluate(() => {
	const p = globalThis.profpage, tr = document.querySelector('#side tbody tr'), all = p.total().all, share = v => {
		const r = Math.abs(v / all) * 100;
		return r >= 99.95 && r <= 100.05 ? '100%' : (r >= 1 ? r.toFixed(2) : +r.toPrecision(2)) + '%';
	};
	if (!tr)
		return '';
	const k = +tr.dataset.key, {self, total} = p.sums;
	return [p.exact(self[1][k]), share(self[1][k]), share(self[1][k]), p.exact(total[1][k]), share(total[1][k])].join(' ');
});
for (const kind of kinds)
	await check(kind + ': all views, and the numbers of prof-text', async () => {
		const unmeant = [];
		await open(kind + '.html');
		for (const view of views) {
			await page.evaluate(v => {
				const p = globalThis.profpage, name = p.keys.text[0] || '';
				p.set({v, sel: name, p: name ? p.exactly(0) : ''});
			}, view);
			await settle();
			unmeant.push(...await page.evaluate(() => document.body.innerText.match(/\b(null|undefined|NaN|\[object.*)\b/g) || []));
		}
		await go('#v=flame');
		return same(unmeant, []) || same(await firstRow(), readFileSync(folder + '/' + kind + '.row', 'utf8').trim());
	});
await check('there were kinds of profiles', async () => kinds.length > 12 ? null : String(kinds.length));
await check('each sample type has the numbers of prof-text, and a title of its own', async () => {
	const files = readdirSync(folder).filter(f => /^heap-.*\.row$/.test(f)), titles = new Set();
	await open('kind-heap.html');
	for (const file of files) {
		await page.evaluate(si => globalThis.profpage.set({si}), file.slice(5, -4));
		titles.add(await page.title());
		const why = same(await firstRow(), readFileSync(folder + '/' + file, 'utf8').trim());
		if (why)
			return file + ' ' + why;
	}
	return same([files.length, titles.size], [4, 4]);
});
await check('of columns of one name each can be chosen', async () => {
	const seen = [];
	await open('columns.html');
	seen.push(await big());
	await press(['t']);
	seen.push(await big(), await state('si'));
	await page.click('#type');
	await clickText('.menu button', 'cpu.1');
	return same([...seen, await big(), await text('#type')], ['7 nscpu.1', '3CPU', 'cpu', '7 nscpu.1', 'cpu.1']);
});
await check('a title that was asked for is whole', async () => {
	const seen = [];
	for (const file of ['fold.html', 'columns.html', 'build.html']) {
		await open(file);
		seen.push(await text('h1'), await page.title());
	}
	return same(seen, ['profile', 'profile · cpu · 100 ns', 'profile', 'profile · cpu.1 · 7 ns', 'Build 10:30: nightly', 'Build 10:30: nightly · cpu · 100 ns']);
});
await check('boxes are as wide as their shares', async () => {
	await open('cpu.html');
	const all = await boxes(), root = all[0], share = name => all.filter(b => b.name === name).reduce((s, b) => s + b.w, 0) / root.w;
	const want = {main: 1, work: 450 / 660, leaf: 400 / 660, helper: 300 / 660};
	const bad = Object.keys(want).filter(n => Math.abs(share(n) - want[n]) > 1e-6);
	return bad.length ? bad.map(n => n + ' ' + share(n)).join(', ') : null;
});
await check('recursion is one box, unless it is not asked for', async () => {
	await open('cpu.html');
	const count = async () => (await boxes()).filter(b => b.name === 'rec').length, joined = await count(), times = await page.evaluate(() => Math.max(...globalThis.profpage.tree.times));
	await go('#cr=0');
	return joined === 1 && times > 0 && await count() === times + 1 ? null : joined + ' ' + times + ' ' + await count();
});
await check('frames that hand all on are one row, which a search and the table find; a click shows them', async () => {
	await open('fold.html');
	const names = async () => (await boxes()).map(b => b.name + (b.run ? '*' + b.run : '')).join(' ');
	const seen = [await names()];
	await search('^c$');
	seen.push(await text('#found'), await page.evaluate(() => {
		const p = globalThis.profpage, f = p.flame, run = f.rows.flat().find(b => b.run), look = k => {
			p.litKey = k;
			return f.look(run);
		}, isLit = (name, k = p.keys.text.indexOf(name)) => look(k).alpha === 1;
		return [look(-1).fill === p.palette.match, isLit('d'), isLit('other')].join(' ');
	}));
	await page.evaluate(() => globalThis.profpage.set({q: ''}));
	await page.setViewport({width: 1440, height: 220});
	await page.waitForFunction('globalThis.profpage.flame.hostHeight < 200', {timeout: 120000});
	const sizes = () => page.evaluate(() => [document.querySelector('#flame-host canvas').offsetWidth, ...['clientWidth', 'offsetWidth'].map(name => document.getElementById('flame-host')[name])]), whole = await sizes();
	await page.mouse.click(...(await boxes()).find(b => b.run).at);
	await settle();
	// A scroll bar that comes covers nothing of the picture.
	const cut = await sizes(), isApart = whole.every(w => w === whole[2]) && cut[0] === cut[1] && cut[1] < cut[2];
	return (isApart ? null : [whole, cut].join(' ')) || same([...seen, await names()], ['all main e*5 other left right', '97.0 % · 1‹›', 'true true false', 'all main a other b c d e left right']);
});
await check('a zoom replaces the picture and moves nothing; Esc returns to the pixel', async () => {
	await open('cpu.html');
	const before = await look();
	await clickBox('work');
	const zoomed = await boxes(), inside = await look(), hash = inside[0];
	await page.mouse.move(1300, 850);
	await press(['Escape']);
	const after = await look(), isBack = JSON.stringify(after) === JSON.stringify(before);
	await page.evaluate(h => {
		location.hash = h;
	}, hash);
	await page.waitForFunction('globalThis.profpage.state.z');
	await settle();
	return same([zoomed[0].name, zoomed[0].w === zoomed[0].x + zoomed[0].w, inside[2] === before[2], inside[3] === before[3], isBack], ['work', true, true, true, true]) || same((await boxes())[0].name, 'work');
});
await check('a zoom takes away the outline and the tip of the box before', async () => {
	await open('cpu.html');
	const seen = () => page.evaluate(() => [document.getElementById('tip').hidden, [...document.querySelectorAll('.outline')].every(e => e.hidden)]);
	await page.mouse.move(...(await boxes()).find(b => b.name === 'work').at);
	await settle();
	const before = await seen();
	await page.evaluate(() => globalThis.profpage.choose(globalThis.profpage.flame, {node: globalThis.profpage.flame.pointed}));
	return same([before, await seen()], [[false, false], [true, true]]);
});
await check('Esc undoes a filter, a view and a search in turn', async () => {
	await open('cpu.html');
	const looks = [await look()];
	await page.evaluate(() => globalThis.profpage.set({f: 'leaf'}));
	looks.push(await look());
	await press(['4', 'Escape']);
	const first = same((await look()).join(), looks[1].join());
	await search('work');
	looks.push(await look());
	await press(['Escape', 'Escape']);
	// No step moves the picture or changes the height of what is above it.
	return first || same((await look()).join(), looks[0].join()) || same(looks.map(l => l.slice(2, 4)), looks.map(() => looks[0].slice(2, 4)));
});
await check('Esc and the buttons of the browser go the same way', async () => {
	const seen = [], go = async step => {
		await page.evaluate(n => new Promise(done => {
			addEventListener('popstate', () => done(), {once: true});
			history.go(n);
		}), step);
		seen.push(await state('v'));
	}, escape = async () => {
		await press(['Escape']);
		seen.push(await state('v'));
	};
	await open('cpu.html');
	for (const v of ['tree', 'graph', 'source', 'labels'])
		await page.evaluate(to => globalThis.profpage.set({v: to}), v);
	await go(-1);
	await escape();
	await go(1);
	await escape();
	await go(-1);
	await escape();
	await escape();
	return same(seen, ['source', 'graph', 'source', 'graph', 'tree', 'flame', 'flame']);
});
await check('the back button leaves a zoom', async () => {
	await open('cpu.html');
	await clickBox('work');
	await page.goBack();
	await page.waitForFunction(() => !globalThis.profpage.state.z, {timeout: 120000});
	await settle();
	return same((await boxes())[0].name, 'all');
});
await check('the table follows the zoom: a count over the boxes below', async () => {
	await open('kind-go.html');
	const bad = await page.evaluate(() => {
		const p = globalThis.profpage, out = [], t = p.tree;
		const list = [...Array(t.n).keys()].filter(i => i && t.end[i] > i + 4).slice(0, 3);
		for (const z of list) {
			p.set({z: p.pathOf(t, z)});
			const {self, total} = p.side.sums, own = new Map(), all = new Map();
			for (let i = p.zoomed; i < t.end[p.zoomed]; i++) {
				const k = t.key[i];
				let isOuter = true;
				for (let up = t.parent[i]; up >= p.zoomed && i !== p.zoomed; up = t.parent[up])
					isOuter = isOuter && t.key[up] !== k;
				own.set(k, (own.get(k) || 0) + t.self[1][i]);
				if (isOuter)
					all.set(k, (all.get(k) || 0) + t.total[1][i]);
			}
			for (const k of p.keys.text.keys())
				if (self[1][k] !== (own.get(k) || 0) || total[1][k] !== (all.get(k) || 0))
					out.push(p.keys.text[k]);
		}
		return [list.length, ...out];
	});
	return same(bad, [3]) || ((await text('.sidehead')).startsWith('In ') ? null : await text('.sidehead'));
});
await check('frames that take no row, and those of joined cycles, count in a zoom, a search and a sandwich as in the table of all', async () => {
	const seen = [];
	for (const [hash, name] of [['#fc=0', '[libfoo.so]'], ['#cr=2&fc=0', 'B']]) {
		const total = () => page.$$eval('#side tbody tr', (all, n) => all.find(tr => tr.querySelector('.nm').textContent === n).cells[2].textContent.replace(/\u202f/g, ' '), name);
		await open(name === 'B' ? 'cycles.html' : 'nameless.html', hash);
		seen.push(await total());
		await clickBox(name === 'B' ? 'A' : 'main');
		seen.push(await total());
		await page.evaluate(q => globalThis.profpage.set({q}), name === 'B' ? '^B$' : 'libfoo');
		seen.push((await text('#found')).replace(/ ·.*/, ''));
		await page.evaluate(n => globalThis.profpage.pivot(globalThis.profpage.keys.text.indexOf(n)), name);
		seen.push((await text('#pivot')).replace(/.*total (.*?) %.*(\d) caller.*(\d) callee.*/, '$1 %, $2, $3'));
		await go(hash + '&v=graph&gn=' + name);
		seen.push((await page.$$eval('.gn', all => all.map(g => g.dataset.name))).sort().join(' '));
	}
	return same(seen, ['70.0 %', '70.0 %', '70.0 %', '70.0 %, 2, 1', '[libfoo.so] callback main work', '85.7 %', '85.7 %', '85.7 %', '85.7 %, 1, 2', 'A B C y']);
});
await check('bars of the table are shares of the largest', async () => {
	await open('cpu.html');
	const bad = await page.evaluate(() => {
		const p = globalThis.profpage, rows = [...document.querySelectorAll('#side tbody tr')], most = Math.max(...rows.map(r => p.sums.self[1][+r.dataset.key]));
		return rows.filter(r => {
			const cells = [...r.cells], of = (kind, share) => Math.abs(r.querySelector('.b.' + kind).getBoundingClientRect().width - .94 * share * r.querySelector('.b.' + kind).parentNode.getBoundingClientRect().width) > 1;
			return cells.length < 4 || of('s', p.sums.self[1][+r.dataset.key] / most) || of('t', p.sums.total[1][+r.dataset.key] / p.total().all);
		}).length;
	});
	return same(bad, 0);
});
await check('a picture that grows up stays where it was scrolled to', async () => {
	const at = () => page.$eval('#flame-host', e => e.scrollTop), seen = [];
	await open('deep.html', '#fc=0&d=up');
	await page.$eval('#flame-host', e => {
		e.scrollTop = 300;
	});
	await settle();
	await page.click('#side tbody tr');
	seen.push(await at());
	await press(['3', '1']);
	seen.push(await at());
	await press(['d', 'd']);
	seen.push(await at() > 800);
	return same(seen, [300, 300, true]);
});
await check('pointing at a row lights its boxes', async () => {
	await open('cpu.html');
	const before = await look();
	await page.hover('#side tbody tr');
	await settle();
	const lit = await look();
	await page.mouse.move(400, 800);
	await settle();
	return same([lit[4] !== before[4], (await look())[4] === before[4]], [true, true]);
});
await check('the facts and the warnings of profiles', async () => {
	const seen = [];
	for (const [file, hash] of [['cpu.html', ''], ['kind-nosyms.html', ''], ['kind-empty.html', ''], ['cpu.html', '#f=rec'], ['cpu.html', '#f=none'], ['kind-go.html', ''], ['kind-c.html', ''], ['kind-heap.html', ''], ['kind-lock.html', '']]) {
		await open(file, hash);
		seen.push(await big() + ' | ' + await facts() + ' | ' + await page.$$eval('#warning', all => all.map(e => e.title.replace(/\u202f/g, ' ')).join()));
	}
	return same(seen, JSON.parse(readFileSync(folder + '/facts.json', 'utf8')));
});
await check('the warning is on every view, large and small', async () => {
	const missing = [];
	for (const [width, height] of [[1440, 860], [390, 780]]) {
		await open('kind-nosyms.html', '', {width, height});
		for (const view of views) {
			await go('#v=' + view);
			if (!await page.$eval('#warning', e => e.getBoundingClientRect().width > 20))
				missing.push(view + width);
		}
	}
	return same(missing, []);
});
await check('a search has the share that prof-text --focus has', async () => {
	await open('kind-go.html');
	await search('main.search');
	return same((await text('#found')).split(' %')[0], readFileSync(folder + '/search.share', 'utf8').trim());
});
await check('search adds up stacks once', async () => {
	await open('cpu.html');
	await search('work|leaf');
	return same([await text('#found'), await page.$eval('#found', e => e.title)], ['68.2 % · 2‹›', '450ms in stacks with a match, self 150ms, 2 boxes']);
});
await check('Enter steps through the matches, and sums that hold some say so', async () => {
	await open('many.html');
	await search('^f1$|^main$');
	await press(['Enter', 'Enter']);
	const found = await text('#found');
	await page.evaluate(() => globalThis.profpage.set({q: '^f[0-9]+$'}));
	const inside = await page.evaluate(() => globalThis.profpage.flame.rows.flat().filter(b => b.rest).map(b => globalThis.profpage.flame.restMatches(b) === b.rest));
	return same([found, inside], ['100 % · 1/1‹›', [true]]);
});
await check('of a search stacks with a match keep their colours, others fade, and each box is visited', async () => {
	await open('cpu.html');
	const looks = () => page.evaluate(() => {
		const p = globalThis.profpage, f = p.flame;
		f.related = p.matches ? p.related(p.tree) : null;
		return Object.fromEntries(f.rows.flat().filter(b => b.node && !b.rest).map(b => [p.text(p.tree, b.node), f.look(b)]).map(([name, {fill, alpha}]) => [name, fill + ' ' + alpha]));
	});
	const before = await looks();
	await search('^(leaf|helper)$');
	const during = await looks(), match = await page.evaluate(() => globalThis.profpage.palette.match), n = await page.evaluate(() => globalThis.profpage.found.marked.length), seen = new Set();
	for (let i = 0; i < n; i++) {
		await press(['Enter']);
		seen.add(await page.evaluate(() => globalThis.profpage.flame.cursor));
	}
	const faded = Object.keys(before).filter(name => !during[name].startsWith(match) && during[name] !== before[name]);
	return same([during.leaf, during.main === before.main, during.work === before.work, faded.every(name => during[name].endsWith(' 0.32')), faded.length > 0, n > 1, seen.size === n], [match + ' 1', true, true, true, true, true, true]);
});
await check('a search that is no pattern is taken literally', async () => {
	await open('cpu.html');
	await search('work(');
	return same(await text('#found'), '0 % · 0‹›');
});
await check('a share of all is one, also with percent of what filters leave', async () => {
	const seen = [];
	for (const rel of ['', '&rel=1']) {
		await open('cpu.html', '#f=rec' + rel);
		seen.push(await big());
	}
	return same(seen, ['200 ms30.3 %of 660 ms CPU', '200 ms30.3 %of 660 ms CPU']);
});
await check('an invalid filter is marked and not applied', async () => {
	await open('cpu.html', '#f=%28');
	return same([await text('.pill.bad em[role=alert]'), (await big()).slice(0, 6)], [' not a regular expression: a ) is missing', '660 ms']);
});
await check('a filter from the search box, and its pill', async () => {
	await open('cpu.html');
	await search('rec');
	await page.keyboard.down('Alt');
	await page.keyboard.press('Enter');
	await page.keyboard.up('Alt');
	await settle();
	const seen = [(await big()).replace(/%.*/, '%'), await text('.pill')];
	await page.click('.pill button:last-child');
	return same([...seen, await state('f'), await page.$('.pill')], ['200 ms30.3 %', 'Focus rec×', '', null]);
});
await check('offers below the search: labels with their values', async () => {
	await open('labels.html');
	await search('user=a');
	const offers = await page.$$eval('#offers button', all => all.map(b => b.textContent));
	await clickText('#offers button', 'Labeluser=ann');
	return same([offers.slice(0, 3), (await big()).slice(0, 5)], [['Labeluser=ann', 'Labeluser=a', 'Not labeluser=a'], '30 ns']);
});
await check('a sandwich of a function; without one, of the heaviest, or of what changed most', async () => {
	await open('cpu.html', '#v=sandwich&p=%5Eleaf%24&f=main');
	const seen = [await text('#pivot h2'), await text('#pivot .k')];
	await go('#v=sandwich');
	seen.push(await text('#pivot h2'));
	await open('diff.html', '#v=sandwich');
	return same([...seen, await text('#pivot h2')], ['leaf', 'total 60.6 % 400 ms', 'helper', 'fresh']);
});
// Without a compiler or a disassembler, html-browser.t does not make it.
if (existsSync(folder + '/code.html'))
	await check('lines of source have their instructions beside them', async () => {
		const want = {};
		readFileSync(folder + '/code.lines', 'utf8').trim().split('\n').forEach((line, i) => {
			const [address, number] = line.split(' '), known = want[number] = want[number] || {addresses: [], self: 0};
			known.addresses.push(address);
			known.self += i + 1;
		});
		await open('code.html', '#v=source&sel=hash', {height: 300});
		const isSeen = await page.$eval('.text tr.sel', tr => {
			const a = tr.getBoundingClientRect(), all = [...document.querySelectorAll('.text tr')].map(r => parseFloat(r.cells[0].textContent) || 0);
			return a.top >= 96 && a.bottom <= innerHeight - 26 && parseFloat(tr.cells[0].textContent) === Math.max(...all);
		});
		if (!isSeen)
			return 'the hottest line is not in the window';
		const got = Object.fromEntries((await page.$$eval('.text tr', rows => rows.map(tr => {
			tr.click();
			const steps = [...document.querySelectorAll('.asm tr.insn:not(.far)')].filter(r => /^[0-9a-f]+$/.test(r.cells[2].textContent));
			return [tr.cells[2].textContent, {addresses: steps.map(r => r.cells[2].textContent), self: steps.reduce((n, r) => n + +r.cells[0].textContent, 0)}, tr.cells[0].textContent];
		}))).filter(([, v, own]) => v.addresses.length && +own === v.self).map(([number, v]) => [number, v]));
		return Object.keys(want).length > 3 ? same(got, want) : 'addr2line knows no lines';
	});
await check('a source lists own functions first, and what it says embeds one does', async () => {
	await open('bare.html', '#v=source&sel=work');
	const groups = await page.$$eval('.list > *', all => all.map(e => e.querySelector('.t span') ? e.querySelector('.t span').textContent : e.textContent).join(', '));
	await open('unembedded.html', '#v=source&sel=f');
	const command = await text('.cmd code'), why = await text('.notembedded p');
	execFileSync('sh', ['-c', command.replace('PROFILE >page.html', 'source.pb.gz >embedded.html')], {cwd: folder});
	await open('embedded.html', '#v=source');
	return same([why.slice(0, 24), groups, await text('.text tr.sel .code')], ['This page has no source:', 'Your code, main, work, Libraries and runtime, by self, malloc', '    return x * 2; /* </td><script> */']);
});
await check('the Info view lists the files that are embedded, and none if none is', async () => {
	const listed = () => page.$$eval('.plain', all => all.filter(t => t.caption && t.caption.textContent === 'Source files in this page').map(t => [...t.tBodies[0].rows].map(r => r.textContent.replace(/.*\//, '')).join(' ')).join());
	await open('source.html', '#v=info');
	const files = await listed();
	await open('unembedded.html', '#v=info');
	return same([files, await listed()], ['src.c', '']);
});
await check('a source opens at its hottest line; one that is not there says how to get it', async () => {
	await open('source.html', '#v=source&sel=f');
	const row = await page.$eval('.text tr.sel', tr => [...tr.cells].map(c => c.textContent.replace(/\u202f/g, ' ')).join('|'));
	await open('cpu.html', '#v=source&sel=work');
	const command = await text('.cmd code');
	await clickText('.cmd button', 'Copy');
	await page.waitForFunction('document.querySelector(".cmd button").textContent !== "Copy"', {timeout: 120000});
	return same([row, command.includes("--source='^work$'"), await text('.notembedded h2')], ['7 ns|100 %|3|    return x * 2; /* </td><script> */', true, 'work']);
});
await check('lines without a text have their values, and why', async () => {
	const seen = [];
	for (const sel of ['f', 'h']) {
		await open('gone.html', '#v=source&sel=' + sel);
		const rows = await page.$$eval('.text tr.hot', all => all.map(tr => [...tr.cells].map(c => c.textContent.replace(/\u202f/g, ' ')).join('|')));
		seen.push(rows.join(' '), await page.$$eval('.text .empty', all => all.map(e => e.textContent.replace(/(; tried .nowhere.src.c).*/, '$1')).join()));
	}
	return same(seen, ['7 ns|58.3 %|3|??? 3 ns|25.0 %|5|???', 'open /nowhere/src.c: no such file or directory; tried /nowhere/src.c', '2 ns|16.7 %|40|???', 'No source text.']);
});
await check('small siblings are one box, and a window opens on it', async () => {
	await open('many.html');
	await clickBox('');
	const after = (await boxes()).filter(b => !b.rest && b.w >= 8).length;
	await press(['Escape']);
	return after > 30 && !(await page.evaluate(() => location.hash)).includes('zw') ? null : after + ' boxes';
});
await check('label values as roots, and a label filter', async () => {
	await open('labels.html', '#tr=user');
	const names = (await boxes()).filter(b => b.y === 1).map(b => b.name).join(' ');
	await open('labels.html', '#v=labels');
	const rows = await page.$$eval('#labels tr', all => all.map(tr => [...tr.cells].map(c => c.textContent.replace('\u202f', ' ')).join(' ')).slice(1).filter(t => !t.startsWith('Amount')));
	await page.click('#labels button.name');
	await settle();
	const left = await big();
	// Of pid, which is a number, and of zone, a text.
	const without = [];
	for (const at of [0, 1]) {
		await go('#v=labels');
		await page.$$eval('#labels button.name', (all, n) => all.filter(e => e.textContent === '(without)')[n].click(), at);
		await settle();
		without.push((await big()).slice(0, 5));
	}
	await go('#v=labels&f=nothing');
	return same([names, rows, left.slice(0, 5), without, await text('#labels .empty p')], ['user=ann user=bob', ['12 ns 28.6 % 7582without', '30 ns 71.4 % (without)', '30 ns 71.4 % annwithout', '12 ns 28.6 % bobwithout', '12 ns 28.6 % awithout', '30 ns 71.4 % (without)'], '12 ns', ['30 ns', '30 ns'], 'No sample that the filters leave has a label.']);
});
await check('the whole tour by keys', async () => {
	await open('cpu.html');
	await page.focus('#flame-host canvas');
	await press(['ArrowDown', 'ArrowDown', 'Enter', 'ArrowDown']);
	const spoken = await text('#spoken');
	await press(['s']);
	const view = await state('v');
	await press(['3', '?']);
	const help = await page.$eval('#dialog', e => e.open);
	await press(['Escape']);
	return same([spoken.slice(0, 12), view, await state('v'), help], ['leaf, 400 ms', 'sandwich', 'tree', true]);
});
await check('keys never act on a box that is not in the picture', async () => {
	await open('cpu.html', '#fc=0');
	await search('^leaf$');
	await press(['Enter']);
	await page.evaluate(() => globalThis.profpage.set({q: ''}));
	const other = (await boxes()).find(b => b.y === 2 && b.name !== 'work');
	await clickBox(other.name);
	const cursor = await page.evaluate(() => globalThis.profpage.flame.cursor);
	await page.focus('#flame-host canvas');
	await press(['ArrowDown', 'Enter', 'h']);
	return same([cursor, await state('h') === '^leaf$'], [-1, false]);
});
await check('the focus of the keyboard stays, in what is made again, too', async () => {
	const seen = [], act = async (hash, selector, at, ...keys) => {
		await open('kind-go.html', hash);
		await page.$$eval(selector, (all, i) => all[i].focus(), at);
		const name = () => page.evaluate(() => document.activeElement.dataset.name || (document.activeElement.querySelector('.nm') || document.activeElement).textContent), before = await name();
		await press(keys);
		seen.push(await name() === before ? '' : before + ': ' + (await name()).slice(0, 50));
	};
	await act('', '#side tbody tr', 2, ' ');
	await act('', '#side .seg button', 1, 'Enter');
	await act('', '#side tbody tr', 2, 'Enter');
	await act('#v=source', '#source .fn', 3, 'Enter');
	await act('#v=graph', '.gn', 2, 'Enter');
	await act('', '#bar .fact', 1, 'Enter');
	await act('', '#view', 0, 'Enter', 'ArrowDown', 'Enter');
	await act('', '#flip', 0, 'Enter');
	return same(seen, seen.map(() => ''));
});
await check('menus close on a press outside and on Esc, keys work after a switch', async () => {
	await open('cpu.html');
	const isOpen = () => page.$('.menu[role=menu]').then(Boolean), seen = [];
	await clickBox('work', {button: 'right'});
	seen.push(await isOpen());
	await page.mouse.click(700, 700);
	seen.push(await isOpen());
	await page.click('#view');
	await press(['Escape']);
	seen.push(await isOpen());
	await page.click('#view');
	await clickText('.menu button', 'Hide frames');
	await press(['4']);
	seen.push(await state('hu'), await state('v'));
	await press(['3']);
	await page.click('#invert');
	await press(['4']);
	return same([...seen, await state('tv'), await state('v')], [true, false, false, '0', 'graph', '1', 'graph']);
});
await check('the menu of a box adds each filter, and opens its own source', async () => {
	const seen = [];
	await open('cpu.html');
	for (const [name, title] of [['f', 'Focus'], ['i', 'Ignore'], ['h', 'Hide'], ['s', 'Show'], ['sf', 'Show from'], ['prunefrom', 'Prune from']]) {
		await go('');
		await clickBox('leaf', {button: 'right'});
		await page.$$eval('.menu button', (all, t) => all.find(e => e.children[0].textContent === t).click(), title);
		seen.push(await state(name), (await big()).replace(/ ms.*/, ''));
	}
	await clickBox('leaf', {button: 'right'});
	await clickText('.menu button', 'Source');
	return same(seen.join(' '), '^leaf$ 400 ^leaf$ 260 ^leaf$ 660 ^leaf$ 400 ^leaf$ 400 ^leaf$ 660') || same([await state('sel'), await text('.notembedded h2')], ['leaf', 'leaf']);
});
await check('Focus and Hide of a file are of all its functions', async () => {
	const seen = [];
	for (const key of ['f', 'h']) {
		await open('sources.html', '#g=files');
		await page.mouse.move(1, 1);
		await page.mouse.move(...(await boxes()).find(b => b.name === '/s/one.c').at);
		await press([key]);
		seen.push(await state(key), await big(), (await boxes()).map(b => b.name).join(' '));
	}
	return same(seen, ['^/s/one\\.c$', '6060.0 %of 100 x', 'all /s/main.c /s/one.c', '^/s/one\\.c$', '100x', 'all /s/main.c /s/two.c']);
});
await check('the menu of a row adds a filter for a package or a binary', async () => {
	const seen = [];
	for (const file of ['kind-go.html', 'source.html']) {
		await open(file);
		// What the package has itself is left, all of it.
		seen.push(await page.evaluate(() => {
			const p = globalThis.profpage, before = p.sums, {keys, D} = p, own = keys.pkg[0];
			const selfOf = s => [...keys.pkg.keys()].filter(k => keys.pkg[k] === own).reduce((n, k) => n + s.self[1][k], 0);
			p.addFilter('f', 0, true);
			return [p.state.f, selfOf(before) > 0, selfOf(before) === selfOf(p.sums), D.packages.length > 1].join(' ');
		}));
	}
	return same(seen, ['^sort(\\.|::|:|/) true true true', '(^|/)app$ true true false']);
});
await check('the switches of View', async () => {
	const seen = [];
	await open('cpu.html');
	await page.click('#view');
	await clickText('.menu button', 'lines');
	seen.push(await page.$eval('#side tbody .nm', e => /:\d+$/.test(e.title)));
	await go('#i=rec&rel=1&noinlines=1');
	seen.push(await page.$eval('#side tbody tr', e => e.cells[2].textContent.replace('\u202f', ' ')), !(await text('#side')).includes('inl'));
	await press(['d']);
	seen.push(await page.evaluate(() => globalThis.profpage.flame.isUp && document.getElementById('flip').getAttribute('aria-pressed')));
	return same(seen, [true, '87.0 %', true, 'true']);
});
await check('the table says how many rows it leaves out, and shows them', async () => {
	await open('cpu.html', '#ls=20%25');
	const rows = () => page.$$eval('#side tbody tr', all => all.length), seen = [await rows(), await text('#side .more-rows')];
	await page.click('#side .more-rows');
	return same([...seen, await rows(), await state('ls')], [2, '3 smaller', 5, '']);
});
await check('the table leaves out rows below a share or an amount', async () => {
	await open('cpu.html');
	const seen = [];
	for (const hash of ['#ls=20%25', '#ls=60ms', '#lt=400ms', '#lt=101%25']) {
		await go(hash);
		seen.push(await page.$$eval('#side tbody .nm', all => all.map(e => e.title).join(' ')));
	}
	return same(seen.join(', '), 'helper rec, helper rec leaf, leaf work main, ');
});
await check('a wide table has what a list needs, and old links open it', async () => {
	await open('cpu.html', '#v=top');
	const heads = await page.$$eval('#side th', all => all.map(e => e.textContent.replace(/\u202f/g, ' ')));
	await page.focus('#split');
	await press(['ArrowRight']);
	const width = await page.evaluate(() => globalThis.profpage.sideWidth);
	await open('cpu.html', '#v=callers&sel=leaf');
	return same([heads, width, await text('#pivot h2')], [['Self ms ↓', '%', 'Sum %', 'Total ms', 'Total %', 'Function', 'File'], 844, 'leaf']);
});
await check('a page with many nodes says that it works', async () => {
	await open('cpu.html');
	const first = await page.evaluate(() => {
		globalThis.profpage.manyNodes = 0;
		globalThis.profpage.set({f: 'rec'});
		return document.getElementById('found').textContent;
	});
	await page.waitForFunction('document.querySelector("#bar .big").textContent.startsWith("200")', {timeout: 120000});
	return same(first, 'working…');
});
await check('the tree opens and closes by keys, in the address; turned round it is made as it opens', async () => {
	await open('cpu.html', '#v=tree');
	await page.focus('#tree-host [tabindex="0"]');
	const spot = () => page.evaluate(() => document.activeElement.querySelector('.name').textContent + ' ' + document.activeElement.getAttribute('aria-expanded'));
	const seen = [await spot()];
	for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowRight', 'ArrowDown']) {
		await press([key]);
		seen.push(await spot());
	}
	await press(['ArrowUp', 'ArrowLeft']);
	const hash = await page.evaluate(() => location.hash);
	await page.click('#invert');
	await settle();
	const turned = await page.evaluate(() => location.hash);
	seen.push(await text('#tree-host tr[aria-level="2"] .name'));
	const made = await page.evaluate(() => {
		const t = globalThis.profpage.treeGrid.tree, few = t.n, all = [...Array(20).keys()].reduce((n, i) => i < t.n ? n + t.children(i).length : n, 0);
		return [few < t.n || all > 3, t.children(0).reduce((n, c) => n + t.total[1][c], 0) === t.total[1][0]];
	});
	await go('#v=flame');
	await clickText('#side .seg button', 'Total');
	return same(seen.join(', '), 'main true, main false, main true, work true, leaf true, helper') || same([hash.includes('to='), turned.includes('tv=1'), await page.evaluate(() => location.hash), ...made], [true, true, '#so=total', true, true]);
});
await check('four widths of a difference', async () => {
	await open('diff.html');
	const seen = [];
	for (let i = 0; i < 4; i++) {
		seen.push(await state('w') + ': ' + (await boxes()).filter(b => b.y > 1).map(b => b.name).join(' '));
		await press(['w']);
	}
	return same(seen.join(', '), 'both: work fresh idle leaf, before: work idle leaf, after: work fresh leaf, change: fresh idle work');
});
await check('time that was not sampled is no fact of a difference', async () => {
	await open('unsampled.html');
	return same(await facts(), 'self, changed most: f+900 ms | called by: main+900 ms | no lines: prof-symbolize finds them');
});
await check('a difference has both sides and words', async () => {
	await open('diff.html');
	const labels = await page.evaluate(() => {
		const p = globalThis.profpage;
		return p.flame.rows.flat().filter(b => !b.rest).map(b => p.rightText(p.tree, b.node).replace('\u202f', ' ') + ' ' + p.text(p.tree, b.node)).join('|');
	});
	const first = await text('#reading'), number = await big();
	await open('runs.html');
	return ['gone idle', 'new fresh', '−25 % work', '= leaf'].every(w => labels.includes(w)) ? same([first, await text('#reading'), number], [...['one run on each side: differences from run to run are not known', 'runs of a side are added: differences between them are not known'].map(t => 'width: larger side · ' + t), '−8 %60 ns → 55 ns CPU\nby sampling −86 % to +484 %: could be noise\nfrom run to run: not known']) : labels;
});
await check('of a difference hue is the direction, lightness the size, and doubt is hatched', async () => {
	await open('tested.html');
	const seen = await page.evaluate(() => {
		const p = globalThis.profpage, boxes = p.flame.rows.flat().filter(b => b.node && !b.rest && b.w > 12), light = c => [1, 3, 5].reduce((n, i) => n + parseInt(c.slice(i, i + 2), 16), 0);
		const fills = boxes.map(b => p.fill(p.tree, b.node)), sure = fills.filter(f => !f.isHatched), unsure = boxes.filter((b, i) => fills[i].isHatched), context = p.flame.context, ratio = devicePixelRatio;
		const f = p.flame, b = unsure[0], row = f.rows.findIndex(r => r.includes(b)), pixels = context.getImageData((b.x + 2) * ratio, (f.top(row) + 3) * ratio, 9 * ratio, 9 * ratio).data, colours = new Set();
		for (let i = 0; i < pixels.length; i += 4)
			colours.add(pixels.slice(i, i + 3).join());
		// Whiskers are as long as the bars say, and none is cut.
		p.set({so: 'total'}, false);
		let scale = 0;
		const isWhole = [...document.querySelectorAll('#side tbody tr')].slice(0, 60).map(tr => {
			const k = +tr.dataset.key, [bar, whisker, room] = ['.cb i', '.cb u', '.cb'].map(s => tr.querySelector(s).getBoundingClientRect()), [before, after] = p.sums.total.map(side => side[k]), c = p.changeOf(before, after);
			scale ||= bar.width / Math.abs(after - before);
			return Math.abs(whisker.width - before * (c.high - c.low) * scale) < 1 && whisker.left >= room.left - 1 && whisker.right <= room.right + 1;
		});
		return [isWhole.every(is => is) || isWhole.join(), sure.length > 0, unsure.length > 0, colours.size >= 2, fills.every(x => x.fill !== p.palette.unnamed), light(p.palette.ofChange({r: .05, isSure: true})) - light(p.palette.ofChange({r: .48, isSure: true})) > 40];
	});
	return existsSync(folder + '/tested.html') ? same(seen, [true, true, true, true, true, true]) : null;
});
await check('the line that changed is none that moved', async () => {
	await open('moved.html');
	const seen = [await facts()];
	await go('#cr=2');
	return same([...seen, await facts()], Array(2).fill('self, changed most: count−320 ms | called by: main−320 ms | line of count: x.c:3−320 ms'));
});
await check('of a difference the Source view and the tree have changes', async () => {
	await open('less.html', '#v=source');
	const seen = [await page.$$eval('.fn b', all => all.map(e => e.textContent.replace(/\u202f/g, ' ')).join('|')), await page.$$eval('.lines tr.hot', all => all.map(e => [...e.cells].slice(0, 3).map(c => c.textContent.replace(/\u202f/g, ' ')).join(' ') + (e.matches('.less') ? ' less' : '')).join('|'))];
	await go('#v=tree');
	return same([...seen, await page.$$eval('.tree tbody tr', all => all.map(e => [...e.cells].slice(1, 3).map(c => c.textContent.replace(/\u202f/g, ' ')).join(' ')).join('|'))], ['−71 %|−71 %', '−5 ns −71 % 3 less', '−5 ns −71 %|−5 ns −71 %|−5 ns −71 %']);
});
await check('the graph of what is zoomed into in a difference has the changes of its table', async () => {
	await open('below.html', '#fc=0');
	await clickBox('b');
	const row = await page.$$eval('#side tbody tr', all => all.find(tr => globalThis.profpage.keys.text[+tr.dataset.key] === 'f').textContent);
	await page.evaluate(() => globalThis.profpage.set({v: 'graph'}));
	return same([row.includes('−80'), await page.$$eval('.gn', all => all.map(g => [...g.querySelectorAll('text')].map(t => t.textContent.replace(/\u202f/g, ' ')).join(': ')).sort())], [true, ['b: −80 %', 'f: −80 %']]);
});
await check('a line of the graph of a difference has a share of the picture', async () => {
	await open('times.html', '#v=graph');
	const shares = await page.$$eval('#graph text[text-anchor]', all => all.map(e => parseFloat(e.textContent)));
	return shares.length > 1 && Math.max(...shares) <= 100 ? null : shares.join(' ');
});
await check('in little room a name comes before its share', async () => {
	await open('diff.html');
	return same(await page.evaluate(() => {
		const p = globalThis.profpage, f = p.flame, seen = [];
		p.name = () => 'undivided_name';
		f.write = text => seen.push(text);
		const draw = w => f.drawText({node: 1, w, x: 0}, 0, w, 20, {fill: '', ink: '#000', isMatch: false});
		[84, 300].forEach(draw);
		const names = seen.filter(t => t.startsWith('un')).length;
		// On a phone it begins at the edge.
		f.write = (text, x) => seen.push(x);
		draw(84);
		p.isPhone = true;
		draw(84);
		return [seen.length - 2, names, ...seen.slice(-2)];
	}), [3, 2, 7, 3]);
});
await check('on a phone an inlined call stands above its instructions', async () => {
	await open('code.html', '#v=source', {width: 390, height: 780});
	const left = await page.evaluate(() => globalThis.profpage.source.rows.map(row => {
		globalThis.profpage.source.pick(row);
		const all = [...document.querySelectorAll('.asm .no')];
		return [all.some(e => e.textContent === '⋯'), new Set(all.map(e => e.getBoundingClientRect().left)).size];
	}).filter(([isApart]) => isApart)[0]);
	return existsSync(folder + '/code.html') ? same(left, [true, 1]) : null;
});
await check('the facts of a difference are the functions that changed most', async () => {
	await open('times.html');
	return same([await page.$$eval('#legend b', all => all.map(e => e.textContent.replace(/\u202f/g, ' ')).join(', ')), await facts(), await text('#bar .big i')], ['self in your code +95.2 s, self in libraries 0', 'self, changed most: f0+31.7 s | called by: main+31.7 s | self: f1+31.7 s | self: f2+31.7 s | no lines: prof-symbolize finds them', '780 ms → 95.9 s']);
});
await check('below, the sums of own code and of libraries stay in narrow windows', async () => {
	const seen = [];
	for (const [file, width] of [['times.html', 1280], ['times.html', 1024], ['kind-go.html', 1024], ['kind-c.html', 1024]]) {
		await open(file, '', {width, height: 700});
		seen.push(await page.$$eval('#legend b', all => all.length), await page.$eval('#legend', e => e.scrollWidth <= e.clientWidth + 1));
		if (file === 'kind-go.html')
			// Of the packages that could be there, the heaviest are.
			seen.push(await page.evaluate(() => {
				const {palette, D, keys, sums: {self}} = globalThis.profpage, weight = D.packages.reduce((w, v, p) => [...w, self[1].reduce((sum, v, k) => keys.pkg[k] === p ? sum + v : sum, 0)], []), heaviest = (order, n) => order.filter(p => D.packages[p] && weight[p] > 0).map(p => weight[p]).sort((a, b) => b - a).slice(0, n);
				const shown = [...document.querySelectorAll('#legend .lg')].map(e => e.w), all = [...heaviest(palette.ownOrder, 3), ...heaviest(palette.libraryOrder, 5)].sort((a, b) => b - a);
				return shown.length && shown.length < all.length ? shown.sort((a, b) => b - a).join() === all.slice(0, shown.length).join() : shown.length + ' of ' + all.length;
			}));
	}
	return same(seen, [2, true, 2, true, 2, true, true, 2, true]);
});
await check('what was cut is nobody\'s code', async () => {
	await open('few.html');
	return same(await page.evaluate(() => {
		const p = globalThis.profpage, {palette, D} = p, cut = p.sums.self[1][p.keys.text.indexOf('[cut]')], b = [...document.querySelectorAll('#legend b')].map(e => parseFloat(e.textContent.replace(/[^\d.]/g, '')));
		return [cut > 0, palette.isCut(p.keys.text.indexOf('[cut]')), Math.abs(b[0] + b[1] + 100 * cut / p.total().all - 100) < .2, D.head.warnings.some(w => w.endsWith('in [cut]'))];
	}), [true, true, true, true]);
});
await check('below, shares are of the type, and of what filters leave', async () => {
	const seen = [], foot = () => page.$$eval('#legend b, #legend .lg', all => all.map(e => e.textContent.replace(/\u202f/g, ' ')).join(', '));
	await open('types.html');
	for (const hash of ['', '#si=bytes', '#si=bytes&i=%5Eown%24', '#si=bytes&i=%5Eown%24&rel=1']) {
		await go(hash);
		seen.push(await foot());
	}
	return same(seen, ['self in your code 25.0 %, app 25.0 %, self in libraries 75.0 %, libc.so 75.0 %', 'self in your code 90.0 %, app 90.0 %, self in libraries 10.0 %, libc.so 10.0 %',
		'self in your code 0 %, self in libraries 10.0 %, libc.so 10.0 %', 'self in your code 0 %, self in libraries 100 %, libc.so 100 %']);
});
await check('amounts below 0 have a sign, and the colours of a difference', async () => {
	await open('signed.html', '#hu=1&fc=0');
	const pictures = await page.evaluate(() => {
		const p = globalThis.profpage, {tree} = p, i = [...tree.key.keys()].find(n => n && p.text(tree, n) === 'b');
		return [p.rightText(tree, i).replace(/\u202f/g, ' '), p.fill(tree, i).fill === p.palette.ofChange({r: -80 / 280, isSure: true})];
	});
	return same([...pictures, await facts(), (await page.$$eval('#side tbody tr', all => all.map(tr => tr.textContent.replace(/\u202f/g, ' ')))).find(t => t.endsWith('b')), await text('#legend')],
		['−28.6 %', true, 'total: a71 % | total: b−29 % | no lines: prof-symbolize finds them', '−28.6 %b', 'lesssamemoreself in your code 42.9 %self in libraries 0 %dark foot: self · italic: inlined · 5 boxes']);
});
await check('nor is what was not sampled', async () => {
	const seen = [];
	for (const file of ['unsampled99.html', 'unsampled.html']) {
		await open(file);
		seen.push(...await page.$$eval('#legend b', all => all.map(e => e.textContent.replace(/\u202f/g, ' '))));
	}
	return same(seen, ['self in your code 9.0 %', 'self in libraries 0 %', 'self in your code +900 ms', 'self in libraries 0']);
});
await check('which line is told, or why not, as which functions are', async () => {
	const seen = [];
	for (const file of ['gone.html', 'a.html', 'kind-nosyms.html', 'kind-gperf.html', 'kind-one.html', 'diff.html', 'less.html', 'bare.html']) {
		await open(file);
		seen.push(await facts());
	}
	return same(seen, ['total: f83 % | total: h17 % | line of f: src.c:358 %', 'total: work67 % | total: idle33 % | no lines: prof-symbolize finds them', 'total: nofile18 % | total: both7 % | total: plain7 % | line of both: both.c:127 %',
		'no function has a name: prof-symbolize finds them | no lines: prof-symbolize finds them', 'total: f100 % | no lines: prof-symbolize finds them',
		'no function changed by more than sampling noise explains | no lines: prof-symbolize finds them', 'no function changed by more than sampling noise explains | line of f: src.c:3−5 ns could be noise', 'total: work100 % | no own lines: needs -g or -dbg']);
});
await check('below, code without names has its grey', async () => {
	await open('kind-gperf.html');
	const seen = await page.$$eval('#legend .lg', all => all.map(e => [e.textContent.startsWith('['), getComputedStyle(e.firstChild).backgroundColor === 'rgb(154, 165, 177)'].join()));
	return same([...new Set(seen)], ['true,true']);
});
await check('the theme is there before anything is painted', async () => {
	const seen = [];
	for (const theme of ['', 'light']) {
		await open('cpu.html', '', {dark: true, before: visited(JSON.stringify({theme})) + 'new MutationObserver((l, o) => document.body && (globalThis.first ||= getComputedStyle(document.body).backgroundColor, o.disconnect())).observe(document, {childList: true, subtree: true})'});
		seen.push(await page.evaluate('first'), await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
	}
	return same(seen, ['rgb(15, 18, 22)', 'rgb(15, 18, 22)', 'rgb(255, 255, 255)', 'rgb(255, 255, 255)']);
});
await check('what leaves nothing can be removed in each view', async () => {
	await open('labels.html', '#f=nothing');
	const seen = [];
	for (const view of ['flame', 'sandwich', 'tree', 'graph', 'source', 'labels']) {
		await go('#f=nothing&v=' + view);
		await page.$$eval('main .ghost', all => all.find(e => e.offsetWidth && e.textContent === 'Remove Focus nothing').click());
		seen.push(await state('f'));
	}
	return same(seen.join(''), '');
});
await check('Copy says what happened, also where a page has no clipboard', async () => {
	await open('cpu.html');
	const seen = await page.evaluate(async () => {
		const out = [], say = () => new Promise(r => setTimeout(() => r(out.push(document.getElementById('note').textContent)), 50));
		for (const [clipboard, command] of [[{writeText: text => Promise.resolve(out.push(text))}], [undefined, () => out.push(document.querySelector('body > textarea').value)], [{writeText: () => Promise.reject(new Error())}, () => false]]) {
			Object.defineProperty(navigator, 'clipboard', {value: clipboard, configurable: true});
			document.execCommand = command;
			globalThis.profpage.litKey = 0;
			document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'c', bubbles: true}));
			await say();
		}
		return out;
	});
	return same(seen, ['main', 'Copied', 'main', 'Copied', 'This browser does not let the page copy']);
});
await check('the graph says what it leaves out of neighbours; Enter works after a drag', async () => {
	await open('hub.html', '#v=graph&gn=hub');
	const note = await text('.graph .note');
	await open('kind-go.html', '#v=graph');
	const [x, y] = await page.$eval('#graph', e => [e.getBoundingClientRect().left + 5, e.getBoundingClientRect().top + 300]);
	await page.mouse.move(x, y);
	await page.mouse.down();
	await page.mouse.move(x + 40, y, {steps: 3});
	await page.mouse.up();
	await page.$eval('.gn', e => e.focus());
	await press(['Enter']);
	return same([note, Boolean(await state('gn'))], ['Neighbours of hub · 43 smaller left out · click it again for all', true]);
});
await check('only a box that spreads out says so', async () => {
	const seen = [];
	for (const hash of ['', '#v=sandwich&p=%5Emain%24']) {
		await open('many.html', hash);
		seen.push(await page.evaluate(() => {
			const p = globalThis.profpage, view = p.state.v === 'flame' ? p.flame : p.calleesFlame;
			p.hover(view, view.rows.flat().find(b => b.rest), {clientX: 9, clientY: 9});
			return document.getElementById('tip').textContent.includes('click');
		}));
	}
	return same(seen, [true, false]);
});
await check('a drag moves the graph as far as the mouse', async () => {
	await open('cpu.html', '#v=graph');
	const at = () => page.$eval('.gn rect', e => Math.round(e.getBoundingClientRect().left)), r = await page.$eval('#graph', e => [e.getBoundingClientRect().left + 20, e.getBoundingClientRect().bottom - 40]), before = await at();
	await page.mouse.move(...r);
	await page.mouse.down();
	await page.mouse.move(r[0] + 60, r[1]);
	await page.mouse.move(r[0] + 100, r[1]);
	await page.mouse.up();
	return same(await at() - before, 100);
});
await check('numbers have separators, and a tree stays open when the window changes', async () => {
	await open('many.html', '#v=tree');
	const rows = () => page.$$eval('.tree tbody tr', all => all.length), before = await rows();
	await page.setViewport({width: 1200, height: 700});
	await page.waitForFunction('globalThis.profpage.sideWidth === 440 && innerWidth === 1200');
	const after = await rows();
	await go('#v=flame');
	return same([before > 50, after === before, await text('.sidehead span')], [true, true, '5,001 functions']);
});
await check('a file that was cut says so', async () => {
	await newPage();
	await page.goto('file://' + folder + '/cut.html');
	return same(await text('#empty'), 'If this stays, the file was cut off on its way: its data is missing.');
});
await check('hostile names run nothing', async () => {
	await open('hostile.html');
	for (const view of views) {
		await go('#v=' + view + '&sel=__proto__&tr=key&q=script');
		if (await page.evaluate(() => globalThis.hacked !== undefined || document.images.length > 0))
			return view + ': something ran';
	}
	return null;
});
await check('the content policy holds', async () => {
	await open('cpu.html');
	const ran = await page.evaluate(async () => {
		const s = document.createElement('script');
		s.textContent = 'globalThis.hacked = 1';
		document.body.append(s);
		const e = document.createElement('div');
		e.setAttribute('onclick', 'globalThis.hacked = 2');
		document.body.append(e);
		e.click();
		const fetched = await fetch('data:,x').then(() => true, () => false);
		return Boolean(globalThis.hacked) || fetched;
	});
	problems = problems.filter(p => !/Content Security|Refused|violates/.test(p));
	return ran ? 'something ran' : null;
});
await check('a slow pattern from a link is quick', async () => {
	await open('slow.html', '#f=' + encodeURIComponent('^(\\w+:*)*Handler$'));
	return same(await text('#empty .empty p'), 'Focus ^(\\w+:*)*Handler$ leaves nothing.');
});
await check('damage is one line', async () => {
	await open('damaged.html');
	return (await text('#empty')).includes('damaged') ? null : await text('#empty');
});
await check('without DecompressionStream one line says what to do', async () => {
	await open('cpu.html', '', {before: 'delete globalThis.DecompressionStream'});
	return (await text('#empty')).includes('--no-compress') ? null : await text('#empty');
});
await check('a page that is not compressed', async () => {
	await open('plain.html', '', {before: 'delete globalThis.DecompressionStream'});
	return same((await big()).slice(0, 6), '660 ms');
});
for (const width of [390, 320]) {
	await open('cpu.html', '', {width, height: 780});
	for (const view of [...views, 'functions'])
		await check(view + ' on a phone of ' + width + ' has no sideways scroll', async () => {
			await go('#v=' + view + '&sel=leaf&p=leaf');
			const w = await page.evaluate(() => document.documentElement.scrollWidth);
			return w <= width ? null : 'it is ' + w + ' wide';
		});
}
await check('by touch, a tap tells what can be done', async () => {
	await open('cpu.html', '', {touch: true, width: 390, height: 780});
	await page.touchscreen.tap(...(await boxes()).find(b => b.name === 'work').at);
	await page.waitForFunction('!document.getElementById("sheet").hidden', {timeout: 120000});
	const numbers = (await text('#sheet .nums')), first = await state('z');
	await clickText('#sheet button', 'Zoom');
	return same([numbers, first, Boolean(await state('z'))], ['450 mstotal · 68.2 %50 msself · 7.6 %', '', true]);
});
// All pairs of a file, a theme and a view; the long form has all combinations.
for (const [f, file] of ['cpu.html', 'diff.html'].entries())
	for (const dark of [false, true])
		await check('axe finds nothing in ' + file + (dark ? ' in the dark' : ''), async () => {
			const found = [];
			await open(file, '', {dark, bypass: true});
			await page.evaluate(axe);
			for (const [v, view] of views.entries()) {
				if (!process.env.PROF_LONG && (v + f + dark) % 2)
					continue;
				await go('#v=' + view + '&sel=leaf&p=leaf');
				// The theme changes colours alone.
				const rules = dark && !process.env.PROF_LONG ? {runOnly: ['color-contrast']} : {};
				const result = await page.evaluate(o => globalThis.axe.run(o), {resultTypes: ['violations'], ...rules});
				found.push(...result.violations.map(v => view + ' ' + v.id + ' ' + v.nodes[0].html.slice(0, 120)));
			}
			return found.join('; ');
		});
await check('a link to a box holds when the page is made again', async () => {
	await open('a.html');
	await clickBox('work');
	await clickBox('leaf');
	const hash = await page.evaluate(() => location.hash);
	await open('b.html', hash);
	const there = (await boxes())[0].name;
	await press(['Home']);
	return same(there, 'leaf') || same(await state('z'), '');
});
await check('a profile without samples says so in every view', async () => {
	await open('kind-empty.html');
	const seen = [];
	for (const view of ['flame', 'sandwich', 'graph', 'tree']) {
		await go('#v=' + view);
		seen.push(await page.evaluate(v => (v === 'flame' ? document.getElementById('empty') : document.getElementById('panel-' + v)).textContent.includes('Nothing was measured'), view));
	}
	return same(seen, [true, true, true, true]);
});
await check('the graph: boxes apart, in the panel, of what is focused; a click shows neighbours', async () => {
	await open('kind-go.html', '#v=graph');
	const measure = () => page.evaluate(() => {
		const all = [...document.querySelectorAll('.gn')].map(g => g.querySelector('rect').getBoundingClientRect()), host = document.getElementById('graph').getBoundingClientRect();
		const scale = document.querySelector('#graph svg').clientWidth / globalThis.profpage.graph.box[2];
		return [all.length, all.filter((a, i) => all.some((b, j) => j < i && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length, all.filter(a => a.left < host.left || a.right > host.right).length, scale * 12 >= 10.99];
	});
	const [n, ...rest] = await measure();
	await open('cpu.html', '#v=graph&f=rec');
	const focused = await page.$$eval('.gn', all => all.map(g => g.dataset.name).sort().join(' '));
	await go('#v=graph');
	await page.$$eval('.gn', all => all.find(g => g.dataset.name === 'leaf').dispatchEvent(new MouseEvent('click', {bubbles: true})));
	const around = await state('gn'), near = await page.$$eval('.gn', all => all.map(g => g.dataset.name).sort().join(' '));
	return n > 4 && n <= 25 ? same([...rest, focused, around, near], [0, 0, true, 'main rec', 'leaf', 'helper leaf work']) : n + ' boxes';
});
await check('the graph follows the type; in the dark no box is light, nor without changes of a difference', async () => {
	await open('kind-heap.html', '#v=graph');
	const names = () => page.$$eval('.gn', all => all.map(g => g.textContent).join('|')), seen = new Set();
	for (const si of ['alloc_space', 'inuse_space']) {
		await page.evaluate(t => globalThis.profpage.set({si: t}), si);
		seen.add(await names());
	}
	const light = colour => {
		const [r, g, b] = [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16) / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
		return .2104542553 * Math.cbrt(.4122214708 * r + .5363325363 * g + .0514459929 * b) + .793617785 * Math.cbrt(.2119034982 * r + .6806995451 * g + .1073969566 * b) - .0040720468 * Math.cbrt(.0883024619 * r + .2817188376 * g + .6299787005 * b);
	};
	const fills = [];
	for (const file of ['kind-go.html', 'diff.html']) {
		await open(file, '#v=graph', {dark: true});
		fills.push(...await page.$$eval('.gn', all => all.map(g => g.querySelector('rect').getAttribute('fill'))));
	}
	await open('diff.html');
	const [large, small] = await page.evaluate(() => [.48, .05].map(r => globalThis.profpage.palette.ofChange({r, isSure: true})));
	return same([seen.size, fills.length > 4, fills.filter(f => light(f) > .6), light(small) - light(large) >= .08], [2, true, [], true]);
});
await check('a graph of functions that all call each other', async () => {
	await open('dense.html', '#v=graph');
	const [nodes, lines] = await page.evaluate(() => ['.gn', '#graph path[stroke]'].map(s => document.querySelectorAll(s).length));
	return nodes > 7 && lines > nodes && lines <= 3 * nodes ? null : nodes + ' ' + lines;
});
await check('the call graph grows and shrinks by keys', async () => {
	await open('cpu.html', '#v=graph');
	const size = () => page.$eval('#graph svg', e => +e.getAttribute('viewBox').split(' ')[2]);
	const sizes = [await size()];
	for (const key of ['+', '-', '-', '0']) {
		await press([key]);
		sizes.push(await size());
	}
	const [home, near, back, far, again] = sizes;
	return near < home && Math.abs(back - home) < .1 && far > home && again === home ? null : sizes.join(' ');
});
await check('in forced colours bars, choices and matches are still seen', async () => {
	await open('cpu.html', '#q=leaf&sel=leaf', {touch: true});
	const client = await page.createCDPSession();
	await client.send('Emulation.setEmulatedMedia', {features: [{name: 'forced-colors', value: 'active'}]});
	await page.waitForFunction('globalThis.profpage.palette.isOutline');
	await settle();
	const unseen = await page.$$eval('.b.s, .mini i, .sw, .seg [aria-pressed=true], .keys tr.on td, .keys tr.on .b', all => {
		const back = e => getComputedStyle(e).backgroundColor, page = back(document.body);
		return [all.length > 8, ...all.filter(e => back(e) === page || back(e) === 'rgba(0, 0, 0, 0)').map(e => e.outerHTML.slice(0, 60))];
	});
	const fills = await page.evaluate(() => {
		const f = globalThis.profpage.flame, seen = new Set(), {drawText} = f;
		f.drawText = (box, y, w, h, how) => seen.add(how.ink);
		f.draw();
		f.drawText = drawText;
		return [...seen].sort();
	});
	await go('#v=graph');
	const ink = await page.$eval('.gn text', e => getComputedStyle(e).fill === getComputedStyle(document.body).color);
	return same([unseen, fills, ink], [[true], ['CanvasText', 'HighlightText'], false]);
});
await check('and doubt is hatched', async () => {
	await open('diff.html', '#fc=0', {touch: true});
	const client = await page.createCDPSession(), inside = () => page.evaluate(() => {
		const f = globalThis.profpage.flame, box = f.rows.flat().find(b => b.node && b.w > 200 && globalThis.profpage.fill(f.tree, b.node).isHatched), row = f.rows.findIndex(r => r.includes(box));
		const {data} = f.context.getImageData((box.x + box.w / 2) * devicePixelRatio, (f.top(row) + 2) * devicePixelRatio, 16, 14);
		return new Set(Array.from({length: data.length / 4}, (v, i) => data.slice(4 * i, 4 * i + 3).join())).size;
	});
	await client.send('Emulation.setEmulatedMedia', {features: [{name: 'forced-colors', value: 'active'}]});
	await page.waitForFunction('globalThis.profpage.palette.isOutline');
	await settle();
	return await inside() > 1 ? null : 'it is not';
});
await check('sets of filters are kept in the browser', async () => {
	await open('cpu.html', '#f=leaf&h=work');
	await page.evaluate(() => globalThis.profpage.showSets());
	await page.type('#dialog input', 'mine');
	await clickText('#dialog button', 'Keep these filters');
	await open('cpu.html', '', {before: visited(await page.evaluate(() => localStorage.getItem('profpage1')))});
	await page.evaluate(() => globalThis.profpage.showSets());
	await clickText('#dialog button', 'mine');
	const seen = [await state('f'), await state('h')];
	await page.evaluate(() => globalThis.profpage.showSets());
	const kept = await page.$eval('#dialog textarea', e => e.value);
	await page.$eval('#dialog textarea', e => {
		e.value = '[["__proto__", {"f": "x"}], ["bad", {"f": 1}], 7]';
	});
	await clickText('#dialog button', 'Use this text');
	seen.push(await page.$$eval('#dialog ul p', all => all.map(p => p.textContent).join('|')));
	return same(seen.join(' '), 'leaf work __proto__×') || same(kept, '[["mine",{"f":"leaf","h":"work"}]]');
});
await check('each "without" leaves out one value more', async () => {
	const seen = [];
	await open('values.html', '#v=labels');
	for (let i = 0; i < 3; i++) {
		await clickText('#labels tbody .small', 'without');
		seen.push(await big());
	}
	return same([...seen, await state('ti')], ['2.79 us99.8 %of 2.80 us CPU', '2.79 us99.5 %of 2.80 us CPU', '2.78 us99.3 %of 2.80 us CPU', '^user:u104$|^user:u111$|^user:u118$']);
});
await check('labels with many values, more on demand', async () => {
	await open('values.html', '#v=labels');
	const count = () => page.$$eval('#labels tbody tr', all => all.length), first = await count();
	await page.click('#labels .more-rows');
	return same([first, await count()], [100, 600]);
});
await check('on paper there are the filters and all of a flame graph', async () => {
	await open('kind-heap.html', '#f=main', {height: 200});
	const heights = await page.evaluate(() => ['beforeprint', 'afterprint'].map(name => {
		dispatchEvent(new Event(name));
		return document.querySelector('#flame-host canvas').height;
	}));
	await page.emulateMediaType('print');
	await page.setViewport({width: 700, height: 800});
	const shown = await page.evaluate(() => [getComputedStyle(document.getElementById('tabs')).display, document.querySelector('.pill').getBoundingClientRect().width > 20, document.querySelector('.fact').getBoundingClientRect().top >= document.querySelector('.big').getBoundingClientRect().bottom]);
	await page.emulateMediaType(null);
	return (await page.pdf()).length > 5000 && heights[0] >= 2 * 4 * 20 && heights[1] < heights[0] ? same(shown, ['none', true, true]) : heights.join(' ');
});

await check('of a deep one, too, whichever way it grows', async () => {
	const seen = [];
	for (const [file, d] of [['deep.html', 'down'], ['deep.html', 'up'], ['deepest.html', 'up']]) {
		await open(file, '#fc=0&d=' + d);
		seen.push(await page.evaluate(() => {
			dispatchEvent(new Event('beforeprint'));
			const f = globalThis.profpage.flame, {canvas} = f, rows = f.rows.filter((r, depth) => f.top(depth) - f.scroll() >= 0 && f.top(depth) - f.scroll() + f.rowHeight - 1 <= f.height);
			// A canvas that is too large is empty.
			const [,,, alpha] = f.context.getImageData(canvas.width / 2, (f.top(0) - f.scroll() + 4) * canvas.height / f.height, 1, 1).data;
			dispatchEvent(new Event('afterprint'));
			return [rows.length, f.rows.length, alpha].join();
		}));
	}
	return same(seen, ['82,82,255', '82,82,255', '2002,2002,255']);
});

// --- prof-flame

// The boxes that are drawn, and a click on one of them.
const drawn = () => page.$$eval('#f rect', all => all.map(r => r.box.name).join(' '));
const clickDrawn = name => page.$$eval('#f rect', (all, n) => all.find(r => r.box.name === n).dispatchEvent(new MouseEvent('click', {bubbles: true})), name);
const searchDrawn = what => page.evaluate(text => {
	globalThis.prompt = () => text;
	document.getElementById('search').dispatchEvent(new MouseEvent('click', {bubbles: true}));
	return document.getElementById('d').textContent;
}, what);

await check('the SVG zooms and searches, and says what a box is', async () => {
	await open('cpu.svg');
	await clickDrawn('work');
	const names = await drawn(), found = await searchDrawn('leaf');
	await page.$$eval('#f rect', all => all.find(r => r.box.name === 'helper').dispatchEvent(new MouseEvent('mouseover', {bubbles: true})));
	return same([names, found, await text('#d')], ['all main work leaf helper', 'matched 60.61%', 'helper (inlined)  300ms (45.45%), self 300ms']);
});
await check('the SVG of a pivot zooms on one side', async () => {
	await open('pivot.svg');
	await clickDrawn('main');
	const callers = await drawn();
	await press(['Escape']);
	await clickDrawn('leaf');
	return same([callers, await drawn(), await searchDrawn('main|leaf')], ['work main', 'work leaf', 'matched 66.67% above, 50.00% below']);
});
await check('a search in an SVG has the shares that --search has, or says that frames are left out', async () => {
	const seen = [];
	for (const [file, ...words] of [['tiny.svg', 'frame', 'malloc', 'small'], ['part.svg', 'evalframe']]) {
		await open(file);
		for (const word of words) {
			seen.push(await searchDrawn(word), await page.$$eval('#f rect.s', all => all.length));
			await searchDrawn('');
		}
	}
	return same(seen, ['matched at least 16.67%', 1, 'matched at least 0.00%', 0, 'matched at least 0.00%', 0, 'matched 16.67%', 1]);
});
await check('in the SVG, too', async () => {
	await open('signed.svg');
	return same(await page.evaluate(() => [...document.querySelectorAll('#f text')].map(t => t.textContent).concat(...[...document.querySelectorAll('#f rect')].filter(r => 'bf'.includes(r.box.name)).map(r => r.box.amounts))).then(all => all.join()), 'all,main,a,f,−b,−f,200ms (71.43%), self 200ms,-80ms (28.57%), self 0,-80ms (28.57%), self -80ms');
});
await check('a link into an SVG holds for a later picture', async () => {
	await open('a.svg');
	await clickDrawn('work');
	const hash = await page.evaluate(() => location.hash), seen = [];
	// There it is another box: fresh comes before it.
	for (const link of [hash, hash + '.zzz', hash.replace(/=\w+/, '=zzz')]) {
		await open('b.svg', link);
		seen.push(await drawn());
	}
	return same(seen, ['all main work leaf', 'all main work leaf', 'all main fresh work leaf']);
});
await check('of an SVG without scripts as much is drawn, in the same places', async () => {
	await open('cpu.svg');
	const spots = await page.evaluate(() => [...document.querySelectorAll('#f rect')].map(r => r.getBBox()).filter(b => b.width > 40).map(b => [b.x, b.y, b.width]));
	const svg = readFileSync(folder + '/cpu.svg', 'utf8'), paths = [...svg.matchAll(/<path class="c\d+" d="([^"]*)"/g)].map(m => m[1]), scale = 1180 / (await page.evaluate(() => innerWidth - 20));
	const strokes = paths.flatMap(d => {
		let x = 0, y = 0;
		return [...d.matchAll(/([Mm])(-?\d+) (-?\d+)h(\d+)/g)].map(([, to, a, b, w]) => {
			[x, y] = to === 'M' ? [+a, +b] : [x + +a, y + +b];
			x += +w;
			return [x - w, y - 8, +w];
		});
	});
	const missing = spots.filter(([x, y, w]) => !strokes.some(s => Math.abs(s[0] - 10 - (x - 10) * scale) < 1.5 && s[1] === y && Math.abs(s[2] - w * scale) < 2.5));
	return spots.length > 5 ? same(missing, []) : spots.length + ' boxes';
});
await check('doubt is hatched in all of a wide SVG', async () => {
	await open('wide.svg', '', {width: 20000, height: 300});
	// As wide as asked for, the last box, which nothing may cover.
	const colours = async () => (await page.screenshot({clip: {x: 19900, y: 65, width: 60, height: 16}, encoding: 'base64'})).length;
	const is = await colours();
	await page.evaluate(() => document.querySelector('mask').remove());
	return is > await colours() ? null : 'it is not';
});
await check('a hostile SVG runs nothing', async () => {
	await open('hostile.svg');
	return await page.evaluate(() => globalThis.hacked === undefined) ? null : 'something ran';
});
await check('the SVG as an image follows the theme', async () => {
	const seen = [];
	for (const dark of [false, true]) {
		await open('image.htm', '', {dark});
		seen.push(Buffer.from(await page.screenshot({clip: {x: 0, y: 0, width: 600, height: 100}})).toString('base64'));
	}
	return seen[0] !== seen[1] && seen[0].length > 2000 ? null : 'it does not';
});

const pictures = [['flame', 'cpu.html', '#q=leaf'], ['diff', 'diff.html', ''], ['sandwich-dark', 'cpu.html', '#v=sandwich&p=%5Eleaf%24']];
for (const [name, file, hash] of shots ? pictures : []) {
	await open(file, hash, {dark: name.endsWith('dark')});
	await page.screenshot({path: shots + '/' + name + '.png'});
}
await browser.close();
