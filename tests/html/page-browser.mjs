// page-browser.mjs - what prof-html's and prof-flame's files do in a browser,
// for html-browser.t:
//
//	node page-browser.mjs MODULES BROWSER FOLDER [SHOTS]
//
// Prints "ok NAME" or "not ok NAME: why" for each check. FOLDER has the files
// that html-browser.t makes. SHOTS: a folder for pictures, for people to look at.
import {existsSync, readFileSync, readdirSync} from 'node:fs';
import {createRequire} from 'node:module';

const [,, modules, browserPath, folder, shots] = process.argv;
const require = createRequire(modules + '/x.js');
const puppeteer = require('puppeteer-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const browser = await puppeteer.launch({executablePath: browserPath, headless: true, timeout: 120000,
	args: [...(process.getuid() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--disable-quic', '--no-first-run',
		'--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage']});

let page, problems = [], requests = [], isKept = false;

// A new tab is a new process: take the one before where nothing was changed in it.
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
	return page;
}

async function newPage() {
	if (page)
		await page.close();
	page = await browser.newPage();
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

const status = () => page.$eval('#status', e => e.textContent);
const same = (got, want) => JSON.stringify(got) === JSON.stringify(want) ? null : 'got ' + JSON.stringify(got) + ', wanted ' + JSON.stringify(want);
const views = ['flame', 'sandwich', 'top', 'callers', 'tree', 'graph', 'source', 'labels', 'info'];
const settle = () => page.evaluate(() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r))));

// Boxes of the flame graph: text, x and width.
const boxes = () => page.evaluate(() => {
	const p = globalThis.profpage;
	return p.flame.rows.flatMap((row, y) => row.map(b => ({y, x: b.x, w: b.w, rest: b.rest || 0, up: Boolean(b.up), name: b.rest ? '' : p.text(p.tree, b.node)})));
});

async function go(hash) {
	// The page listens longer than this, so it has followed by then.
	await page.evaluate(h => location.hash === h ? null : new Promise(done => {
		addEventListener('hashchange', () => done(), {once: true});
		location.hash = h;
	}), hash);
	await settle();
}

async function clickBox(name) {
	const b = (await boxes()).find(box => box.name === name);
	const at = await page.evaluate(() => {
		const r = document.querySelector('#flame-host canvas').getBoundingClientRect();
		return {x: r.left, y: r.top};
	});
	await page.mouse.click(at.x + b.x + b.w / 2, at.y + b.y * 18 + 8);
	await settle();
}

async function search(text) {
	await page.focus('#search');
	await page.keyboard.type(text);
	await page.waitForFunction(t => globalThis.profpage.state.q === t, {timeout: 120000}, text);
	await settle();
}

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
				return r.width * r.height > 100000 && (panel.textContent.trim().length > 10 || Boolean(panel.querySelector('canvas')));
			}, view);
			return size ? null : 'it is empty';
		});
}
const kinds = readdirSync(folder).filter(f => /^kind-.*\.row$/.test(f)).map(f => f.slice(0, -4)).sort();
for (const kind of kinds)
	await check(kind + ': all views, and the numbers of prof-text', async () => {
		await open(kind + '.html');
		for (const view of views) {
			await page.evaluate(v => {
				const p = globalThis.profpage, name = p.keys.text[0] || '';
				p.set({v, sel: name, p: name ? p.exactly(0) : ''});
			}, view);
			await settle();
		}
		await go('#v=top');
		const row = await page.evaluate(() => [...(document.querySelector('#top tbody tr') || {cells: []}).cells].slice(0, 5).map(c => c.textContent).join(' '));
		return same(row, readFileSync(folder + '/' + kind + '.row', 'utf8').trim());
	});
await check('there were kinds of profiles', async () => kinds.length > 12 ? null : String(kinds.length));
await check('boxes are as wide as their shares', async () => {
	await open('cpu.html');
	const all = await boxes(), root = all[0], share = name => all.filter(b => b.name === name).reduce((s, b) => s + b.w, 0) / root.w;
	const want = {main: 1, work: 450 / 660, rec: 200 / 660, leaf: 400 / 660, helper: 300 / 660};
	const bad = Object.keys(want).filter(n => n !== 'rec' && Math.abs(share(n) - want[n]) > 1e-6);
	return bad.length ? bad.map(n => n + ' ' + share(n)).join(', ') : null;
});
await check('a click zooms, the back button returns, a link goes there', async () => {
	await open('cpu.html');
	await clickBox('work');
	const zoomed = (await boxes()).find(b => b.name === 'work'), hash = await page.evaluate(() => location.hash);
	if (Math.abs(zoomed.w - (await boxes())[0].w) > .01)
		return 'work is not as wide as the root';
	await page.goBack();
	await page.waitForFunction(() => !globalThis.profpage.state.z, {timeout: 120000});
	await settle();
	if ((await boxes()).find(b => b.name === 'main').up)
		return 'back did not leave the zoom';
	await open('cpu.html', hash);
	return (await boxes()).find(b => b.name === 'main').up ? null : 'the link does not zoom';
});
await check('search adds up stacks once', async () => {
	await open('cpu.html');
	await search('work|leaf');
	return same(await status(), 'search: 450ms (68.18%) in stacks with a match, self 150ms (22.73%), 2 names, 2 boxes');
});
await check('a search that is no pattern is taken literally', async () => {
	await open('cpu.html');
	await search('work(');
	return (await status()).includes('search: 0 (0%)') ? null : await status();
});
await check('an invalid filter is marked and not applied', async () => {
	await open('cpu.html', '#f=%28');
	const bad = await page.$eval('#filter-f', e => e.getAttribute('aria-invalid'));
	return bad === 'true' ? same((await status()).split(' shown')[0], '660ms') : 'aria-invalid is ' + bad;
});
await check('a filter by hand', async () => {
	await open('cpu.html');
	await page.type('#filter-f', 'rec');
	await page.keyboard.press('Enter');
	await settle();
	return same((await status()).split(' · ')[0], '200ms shown of 660ms');
});
await check('a sandwich of a function, and its pills', async () => {
	await open('cpu.html', '#v=sandwich&p=%5Eleaf%24&f=main');
	const note = await page.$eval('#sandwich-note', e => e.textContent), pill = await page.$eval('.pill', e => e.textContent);
	return note.includes('leaf · 400ms (60.61%)') && pill.startsWith('Focus') ? null : note + pill;
});
// Without a compiler or a disassembler, html-browser.t does not make it.
if (existsSync(folder + '/code.html'))
	await check('source lines unfold to their instructions, and fold again', async () => {
		const want = {};
		readFileSync(folder + '/code.lines', 'utf8').trim().split('\n').forEach((text, i) => {
			const [address, line] = text.split(' '), known = want[line] = want[line] || {addresses: [], self: 0};
			known.addresses.push(address);
			known.self += i + 1;
		});
		await open('code.html', '#v=source&sel=hash');
		const got = Object.fromEntries(await page.$$eval('#source .fold', folds => folds.map(fold => {
			const rows = [], tr = fold.closest('tr'), isAsm = row => row && row.classList.contains('asm');
			fold.click();
			for (let at = tr.nextElementSibling; isAsm(at); at = at.nextElementSibling)
				rows.push([...at.cells].map(c => c.textContent));
			fold.click();
			const steps = rows.filter(r => /^[0-9a-f]+$/.test(r[2])), sum = steps.reduce((n, r) => n + +r[0], 0);
			return [fold.textContent, {addresses: steps.map(r => r[2]), self: isAsm(tr.nextElementSibling) || sum !== +tr.cells[0].textContent ? -1 : sum}];
		})));
		return Object.keys(want).length > 3 ? same(got, want) : 'addr2line knows no lines';
	});
await check('callers and callees', async () => {
	await open('cpu.html', '#v=callers&sel=leaf');
	return same(await page.$$eval('#callers table', t => t.map(x => x.tBodies[0].textContent).join('|')), '400ms60.61%work|300ms45.45%helper');
});
await check('the table is prof-text\'s', async () => {
	await open('cpu.html', '#v=top');
	return same(await page.$eval('#top tbody tr', e => [...e.cells].map(c => c.textContent).join(' ')), '300ms 45.45% 45.45% 300ms 45.45% helper (inlined)');
});
await check('small siblings are one box, and a window opens on it', async () => {
	await open('many.html');
	const rest = (await boxes()).find(b => b.rest);
	if (!rest)
		return 'there is no such box';
	const top = await page.$eval('#flame-host canvas', e => e.getBoundingClientRect().top);
	await page.mouse.click(rest.x + rest.w / 2, top + rest.y * 18 + 2);
	await settle();
	const after = (await boxes()).filter(b => !b.rest && b.w >= 8).length;
	await page.keyboard.press('Escape');
	await settle();
	return after > 30 && !(await page.evaluate(() => location.hash)).includes('zw') ? null : after + ' boxes';
});
await check('label values as roots, and a label filter', async () => {
	await open('labels.html', '#tr=user');
	const names = (await boxes()).filter(b => b.y === 1).map(b => b.name).join(' ');
	await open('labels.html', '#v=labels');
	await page.click('#labels button.name');
	await settle();
	return same(names, 'user=ann user=bob') || same((await status()).split(' ')[0], '30ns');
});
await check('the whole tour by keys', async () => {
	await open('cpu.html');
	await page.focus('#flame-host canvas');
	for (const key of ['ArrowDown', 'ArrowDown', 'Enter', 'ArrowDown'])
		await page.keyboard.press(key);
	const spoken = await page.$eval('#spoken', e => e.textContent);
	await page.keyboard.press('s');
	await page.keyboard.press('3');
	const view = await page.evaluate(() => globalThis.profpage.state.v);
	await page.keyboard.press('?');
	const help = await page.$eval('#menu', e => e.open);
	await page.keyboard.press('Escape');
	return spoken.startsWith('leaf, 400ms') ? same(view + help, 'toptrue') : spoken;
});
await check('a difference has both sides and words', async () => {
	await open('diff.html');
	const labels = await page.evaluate(() => {
		const p = globalThis.profpage;
		return p.flame.rows.flat().filter(b => !b.rest).map(b => p.sign(p.tree, b.node) + p.label(p.tree, b.node)).join('|');
	});
	return ['gone idle', 'new fresh', '▼25% work', '= leaf'].every(w => labels.includes(w)) ? null : labels;
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
await check('a slow pattern from a link stops', async () => {
	await open('slow.html', '#f=' + encodeURIComponent('(a+)+b$'));
	return (await status()).length ? null : 'no status';
});
await check('damage is one line', async () => {
	await open('damaged.html');
	return (await status()).includes('damaged') ? null : await status();
});
await check('without DecompressionStream one line says what to do', async () => {
	await open('cpu.html', '', {before: 'delete globalThis.DecompressionStream'});
	return (await status()).includes('--no-compress') ? null : await status();
});
await check('a page that is not compressed', async () => {
	await open('plain.html', '', {before: 'delete globalThis.DecompressionStream'});
	return same((await status()).split(' ')[0], '660ms');
});
await open('cpu.html', '', {width: 390, height: 780});
for (const view of views)
	await check(view + ' on a phone has no sideways scroll', async () => {
		await go('#v=' + view + '&sel=leaf&p=leaf');
		const w = await page.evaluate(() => document.documentElement.scrollWidth);
		return w <= 390 ? null : 'it is ' + w + ' wide';
	});
await check('it prints', async () => {
	await open('cpu.html', '#v=top');
	return (await page.pdf()).length > 5000 ? null : 'no pages';
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
				const result = await page.evaluate(() => globalThis.axe.run());
				found.push(...result.violations.map(v => view + ' ' + v.id + ' ' + v.nodes[0].html.slice(0, 80)));
			}
			return found.join('; ');
		});

// Without the statistics of prof-gate, html-browser.t does not make it.
if (existsSync(folder + '/tested.html'))
	await check('a change that may be noise is grey, a significant one has its shade and a dot', async () => {
		await open('tested.html', '', {before: `
			globalThis.drawn = [];
			const put = CanvasRenderingContext2D.prototype.fillText;
			CanvasRenderingContext2D.prototype.fillText = function(text, ...at) {
				drawn.push(text);
				return put.call(this, text, ...at);
			};`});
		const colours = await page.$eval('#panel-flame canvas', canvas => {
			const ratio = devicePixelRatio, at = (x, y) => [...canvas.getContext('2d').getImageData(x * ratio, y * ratio, 1, 1).data.slice(0, 3)].join(' ');
			return [at(3, 21), at(3, 39)].join(', ');
		});
		const texts = await page.evaluate(() => drawn.filter(text => / (main|f7)$/.test(text)).slice(0, 2).join(', '));
		return same(colours, '194 200 206, 224 126 47') || same(texts, '▲8%? main, ▲496%● f7') ||
			(/\?: perhaps noise/.test(await page.$eval('#legend', e => e.textContent)) ? null : 'no legend');
	});

// --- controls ---

const firstRow = () => page.evaluate(() => [...(document.querySelector('#top tbody tr') || {cells: []}).cells].slice(0, 5).map(c => c.textContent).join(' '));
const state = name => page.evaluate(n => globalThis.profpage.state[n], name);
const press = async keys => {
	for (const key of keys)
		await page.keyboard.press(key);
	await settle();
};
const clickText = (selector, text) => page.$$eval(selector, (all, t) => {
	const found = all.find(e => e.textContent.trim() === t);
	found.click();
}, text);

await check('each sample type has the numbers of prof-text', async () => {
	const files = readdirSync(folder).filter(f => /^heap-.*\.row$/.test(f));
	await open('kind-heap.html', '#v=top');
	for (const file of files) {
		await page.select('#type', String(await page.evaluate(t => globalThis.profpage.base.head.types.findIndex(x => x[0] === t), file.slice(5, -4))));
		const why = same(await firstRow(), readFileSync(folder + '/' + file, 'utf8').trim());
		if (why)
			return file + ' ' + why;
	}
	return same(files.length, 4);
});
await check('the controls of the bar', async () => {
	const seen = [];
	await open('cpu.html', '#v=top');
	await page.select('#granularity', 'lines');
	seen.push(await page.$eval('#top tbody .name', e => /:\d+$/.test(e.textContent)));
	await page.click('#inlines');
	seen.push(!await page.$eval('#top', e => e.textContent.includes('(inlined)')));
	await page.type('#filter-i', 'rec\n');
	await page.click('#relative');
	seen.push((await page.$eval('#top tbody tr', e => e.cells[4].textContent)));
	await page.click('#reset');
	seen.push(await state('i'));
	await press(['1', 'f']);
	await page.select('#order', 'name');
	seen.push(await page.evaluate(() => globalThis.profpage.flame.isUp && globalThis.profpage.byName && document.getElementById('flip').getAttribute('aria-pressed')));
	return same(seen, [true, true, '65.22%', '', 'true']);
});
await check('the menu of a row adds each filter', async () => {
	const seen = [];
	for (const [name, title] of [['f', 'Focus'], ['i', 'Ignore'], ['h', 'Hide'], ['s', 'Show'], ['sf', 'Show from'], ['prunefrom', 'Prune from']]) {
		await open('cpu.html', '#v=top');
		await page.$$eval('#top tbody tr', all => all.find(r => r.textContent.includes('leaf')).dispatchEvent(new MouseEvent('contextmenu', {bubbles: true, cancelable: true, clientX: 50, clientY: 50})));
		await clickText('#menu li button', title);
		seen.push(await state(name), (await status()).split(' ')[0]);
	}
	return same(seen.join(' '), '^leaf$ 400ms ^leaf$ 260ms ^leaf$ 660ms ^leaf$ 400ms ^leaf$ 400ms ^leaf$ 660ms');
});
await check('the menu of a row adds a filter for a package or a binary', async () => {
	const seen = [];
	for (const file of ['kind-go.html', 'source.html']) {
		await open(file, '#v=top');
		await page.evaluate(() => globalThis.profpage.rowMenu(0, 50, 50));
		await page.click('#menu input[type=checkbox]');
		await clickText('#menu li button', 'Focus');
		// What the package has itself is left, all of it.
		seen.push(await page.evaluate(() => {
			const p = globalThis.profpage, {f} = p.state, {keys, sums, D} = p, own = keys.pkg[0];
			const selfOf = s => [...keys.pkg.keys()].filter(k => keys.pkg[k] === own).reduce((n, k) => n + s.self[1][k], 0);
			p.set({f: ''});
			return [f, selfOf(sums) > 0, selfOf(sums) === selfOf(p.sums), D.packages.name.length > 1].join(' ');
		}));
	}
	return same(seen, ['^sort(\\.|::) true true true', '(^|/)app$ true true false']);
});
await check('the table leaves out rows below a share or an amount', async () => {
	await open('cpu.html', '#v=top');
	const names = () => page.$$eval('#top tbody .name', all => all.map(e => e.textContent).join(' ')), seen = [];
	for (const [id, text] of [['ls', '20%'], ['ls', '60ms'], ['lt', '400ms'], ['lt', '101%']]) {
		await page.$eval('#least-' + id, e => {
			e.value = '';
		});
		await page.type('#least-' + id, text + '\n');
		await settle();
		seen.push(await names());
	}
	return same(seen.join(', '), 'helper rec, helper rec leaf, leaf, ') || same(await page.$eval('#top .empty', e => e.textContent), 'Nothing is left by the filters.');
});
await check('a page with many nodes says that it works', async () => {
	await open('cpu.html');
	const first = await page.evaluate(() => {
		globalThis.profpage.manyNodes = 0;
		globalThis.profpage.set({f: 'rec'});
		return document.getElementById('status').textContent;
	});
	await page.waitForFunction('document.getElementById("status").textContent.startsWith("200ms shown")', {timeout: 120000});
	return same(first, 'working…');
});
await check('the tree opens and closes by keys', async () => {
	await open('cpu.html', '#v=tree');
	await page.focus('#tree-host [tabindex="0"]');
	const spot = () => page.evaluate(() => document.activeElement.querySelector('.name').textContent + ' ' + document.activeElement.getAttribute('aria-expanded'));
	const seen = [await spot()];
	for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowRight', 'ArrowDown']) {
		await press([key]);
		seen.push(await spot());
	}
	await page.click('#invert');
	seen.push(await page.$eval('#tree-host tr[aria-level="2"] .name', e => e.textContent));
	return same(seen.join(', '), 'main true, main false, main true, work true, leaf true, helper');
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
await check('a link to a box holds when the page is made again', async () => {
	await open('a.html');
	await clickBox('work');
	await clickBox('leaf');
	const hash = await page.evaluate(() => location.hash);
	await open('b.html', hash);
	const there = (await boxes()).filter(b => b.y === 3).map(b => b.name).join(' ');
	await press(['x']);
	return same(there, 'leaf') || same(await state('z'), '');
});
await check('a profile without samples says so in every view', async () => {
	await open('kind-empty.html');
	const seen = [];
	for (const view of ['flame', 'top', 'tree']) {
		await go('#v=' + view);
		seen.push(await page.evaluate(v => (v === 'flame' ? document.getElementById('side') : document.getElementById('panel-' + v)).textContent.includes('Nothing was measured'), view));
	}
	return same(seen, [true, true, true]);
});
await check('the neighbours of a function, under filters', async () => {
	await open('cpu.html', '#v=graph&f=leaf&sel=leaf');
	const texts = () => page.$$eval('#graph .node', all => all.map(n => [...n.querySelectorAll('text')].map(t => t.textContent).join(' ')).join(', '));
	const before = await texts();
	await page.$eval('#graph .node', n => n.dispatchEvent(new MouseEvent('click', {bubbles: true})));
	return same(before, 'work 400ms, helper 300ms, leaf 400ms, self 100ms') || same(await state('sel'), 'work');
});
await check('the call graph grows and shrinks by keys', async () => {
	await open('cpu.html', '#v=graph');
	const size = () => page.$eval('#graph svg', e => +e.getAttribute('viewBox').split(/[ ,]+/)[2]);
	const sizes = [await size()];
	for (const key of ['+', '-', '-', '0']) {
		await press([key]);
		sizes.push(await size());
	}
	const [home, near, back, far, again] = sizes;
	return near < home && Math.abs(back - home) < 1e-6 && far > home && again === home ? null : sizes.join(' ');
});
await check('sets of filters are kept in the browser', async () => {
	await open('cpu.html', '#f=leaf&h=work');
	await page.click('#sets');
	await page.type('#menu input', 'mine');
	await clickText('#menu button', 'Keep these filters');
	await open('cpu.html');
	await page.click('#sets');
	await clickText('#menu button', 'mine');
	const seen = [await state('f'), await state('h')];
	await page.click('#sets');
	const text = await page.$eval('#menu textarea', e => e.value);
	await page.$eval('#menu textarea', e => {
		e.value = '[["__proto__", {"f": "x"}], ["bad", {"f": 1}], 7]';
	});
	await clickText('#menu button', 'Use this text');
	seen.push(await page.$$eval('#menu ul p', all => all.map(p => p.textContent).join('|')));
	await page.evaluate(() => localStorage.clear());
	return same(seen.join(' '), 'leaf work __proto__×') || same(text, '[["mine",{"f":"leaf","h":"work"}]]');
});
await check('labels with many values, more on demand', async () => {
	await open('values.html', '#v=labels');
	const count = () => page.$$eval('#labels tbody tr', all => all.length), first = await count();
	await page.click('#labels .more-rows');
	return same([first, await count()], [100, 600]);
});
await check('by touch, a first tap tells and a second one zooms', async () => {
	await open('cpu.html', '', {touch: true});
	const b = (await boxes()).find(box => box.name === 'work'), top = await page.$eval('#flame-host canvas', e => e.getBoundingClientRect().top);
	const tap = () => page.touchscreen.tap(b.x + b.w / 2, top + b.y * 18 + 8);
	await tap();
	await page.waitForFunction('globalThis.profpage.flame.tapped && !document.getElementById("tip").hidden', {timeout: 120000});
	const first = await state('z');
	await tap();
	await page.waitForFunction('globalThis.profpage.state.z', {timeout: 120000});
	return same(first, '');
});
await check('a source line has its text and amounts', async () => {
	await open('source.html', '#v=source&sel=f');
	return same(await page.$eval('#source tr.hot', tr => [...tr.cells].map(c => c.textContent).join('|')), '7ns|7ns|3|        return x * 2; /* </td><script> */');
});
await check('on paper there are the filters and at most 200 rows', async () => {
	await open('many.html', '#v=top&f=main');
	await page.waitForFunction('document.querySelectorAll("#top tbody tr").length > 200', {timeout: 120000});
	await page.emulateMediaType('print');
	const shown = await page.evaluate(() => [getComputedStyle(document.getElementById('refine')).display, document.querySelector('.pill').getBoundingClientRect().width > 20,
		[...document.querySelectorAll('#top tbody tr')].filter(tr => tr.getBoundingClientRect().height > 0).length]);
	await page.emulateMediaType(null);
	return same(shown, ['none', true, 200]);
});
await check('on paper there is all of a flame graph', async () => {
	await open('cpu.html', '', {height: 200});
	const heights = await page.evaluate(() => ['beforeprint', 'afterprint'].map(name => {
		dispatchEvent(new Event(name));
		return document.querySelector('#flame-host canvas').height;
	}));
	return heights[0] >= 2 * 5 * 18 && heights[1] < heights[0] / 2 ? null : heights.join(' ');
});

// --- prof-flame

await check('the SVG zooms and searches', async () => {
	await open('cpu.svg');
	await page.evaluate(() => [...document.querySelectorAll('#f > g')].find(g => g.querySelector('title').textContent.startsWith('work'))
		.dispatchEvent(new MouseEvent('click', {bubbles: true})));
	const widths = await page.$$eval('#f > g', all => all.filter(g => g.style.display !== 'none').map(g => g.querySelector('title').textContent.split('\n')[0]).join(' '));
	await page.evaluate(() => {
		globalThis.prompt = () => 'leaf';
		document.getElementById('search').dispatchEvent(new MouseEvent('click', {bubbles: true}));
	});
	return same(widths, 'all main work leaf helper (inlined)') || same(await page.$eval('#d', e => e.textContent), 'matched 60.61%');
});
await check('the SVG of a pivot zooms on one side', async () => {
	await open('pivot.svg');
	const click = name => page.evaluate(name => [...document.querySelectorAll('#f > g')].find(g => g.querySelector('title').textContent.startsWith(name))
		.dispatchEvent(new MouseEvent('click', {bubbles: true})), name);
	const seen = () => page.$$eval('#f > g', all => all.filter(g => g.style.display !== 'none').map(g => g.querySelector('title').textContent.split('\n')[0]).join(' '));
	await click('main');
	const callers = await seen();
	await click('leaf');
	const callees = await seen();
	await page.evaluate(() => {
		globalThis.prompt = () => 'main|leaf';
		document.getElementById('search').dispatchEvent(new MouseEvent('click', {bubbles: true}));
	});
	return same(callers, 'work main') || same(callees, 'work leaf') ||
		same(await page.$eval('#d', e => e.textContent), 'matched 100.00% above, 75.00% below');
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
