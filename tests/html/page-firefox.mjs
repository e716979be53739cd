// page-firefox.mjs - that prof-html's and prof-flame's files work in Firefox, too,
// for browser.t:
//
//	node page-firefox.mjs MODULES BROWSER FOLDER
//
// Prints "ok NAME" or "not ok NAME: why" for each check, as page-browser.mjs does.
import {createRequire} from 'node:module';

const [,, modules, browserPath, folder] = process.argv;
const puppeteer = createRequire(modules + '/x.js')('puppeteer-core');
const browser = await puppeteer.launch({browser: 'firefox', executablePath: browserPath, headless: true, timeout: 120000});
const page = await browser.newPage(), problems = [];
page.on('pageerror', e => problems.push(String(e)));
page.on('console', m => m.type() === 'error' && problems.push(m.text()));
await page.setViewport({width: 1440, height: 860});

async function open(file) {
	await page.goto('file://' + folder + '/' + file);
	if (file.endsWith('.svg'))
		await page.waitForFunction('document.documentElement.dataset.ready', {timeout: 120000});
	if (file.includes('.html'))
		await page.waitForFunction('document.body.dataset.ready', {timeout: 120000});
}

async function check(name, run) {
	let why;
	problems.length = 0;
	try {
		const got = await run();
		why = got === true ? problems.join('; ') : 'got ' + JSON.stringify(got);
	} catch (e) {
		why = String(e).split('\n')[0];
	}
	console.log((why ? 'not ok ' : 'ok ') + 'Firefox: ' + name + (why ? ': ' + why : ''));
}

const text = selector => page.$eval(selector, e => e.textContent.replace(/\u202f/g, ' '));
const settle = () => page.evaluate(() => new Promise(r => requestAnimationFrame(() => setTimeout(r, 50))));

for (const file of ['cpu.html', 'diff.html'])
	for (const view of ['flame', 'sandwich', 'tree', 'graph', 'source', 'labels', 'info'])
		await check(file + ' ' + view + ' shows something', async () => {
			await open(file + '#v=' + view + '&sel=leaf&p=leaf');
			return page.evaluate(v => {
				const panel = document.getElementById('panel-' + v), r = panel.getBoundingClientRect();
				return r.width * r.height > 100000 && (panel.textContent.trim().length > 10 || Boolean(panel.querySelector('canvas, svg')));
			}, view);
		});
await check('boxes are drawn in colours', async () => {
	await open('cpu.html');
	return page.evaluate(() => {
		const c = globalThis.profpage.flame.canvas, d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, seen = new Set();
		for (let i = 0; i < d.length; i += 400)
			seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
		return seen.size > 3;
	});
});
await check('a click zooms, Esc leaves', async () => {
	const at = await page.evaluate(() => {
		const p = globalThis.profpage, f = p.flame, r = f.canvas.getBoundingClientRect(), y = f.rows.findIndex((row, i) => i > 0 && row.some(b => b.node && p.text(p.tree, b.node) === 'work')), b = f.rows[y].find(x => x.node && p.text(p.tree, x.node) === 'work');
		return [r.left + b.x + b.w / 2, r.top + f.top(y) - f.scroll() + 8];
	});
	await page.mouse.click(...at);
	await settle();
	const zoomed = await page.evaluate(() => globalThis.profpage.state.z !== '');
	await page.keyboard.press('Escape');
	await page.waitForFunction(() => globalThis.profpage.state.z === '', {timeout: 60000});
	return zoomed;
});
await check('a search sums what matches', async () => {
	await page.focus('#search');
	await page.keyboard.type('leaf');
	await page.waitForFunction(() => globalThis.profpage.state.q === 'leaf', {timeout: 60000});
	await settle();
	return /%/.test(await text('#found'));
});
await check('a link of a filter has the numbers of the report', async () => {
	await open('cpu.html#f=rec');
	return /200 ms/.test(await text('#bar .big')) || await text('#bar .big');
});
await check('names stay text', async () => {
	await open('hostile.html');
	return page.evaluate(() => globalThis.hacked === undefined);
});
await check('the picture zooms', async () => {
	await open('cpu.svg');
	await page.evaluate(() => document.querySelectorAll('#f rect')[1].dispatchEvent(new MouseEvent('click', {bubbles: true})));
	return page.evaluate(() => location.hash.includes('z='));
});
await browser.close();
