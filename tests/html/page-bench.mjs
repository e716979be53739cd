// page-bench.mjs - what a page costs in a browser, for bench.sh:
//
//	node page-bench.mjs MODULES BROWSER PAGE
//	node page-bench.mjs MODULES BROWSER pprof URL
//	node page-bench.mjs MODULES BROWSER speedscope FILE
//
// Of a page: its stacks, first paint, ready, then milliseconds of a search, a
// focus, a hide, a sandwich, a zoom, a graph and a tree turned round (medians of 5: script and layout, with
// the page at rest before), and the memory of its JavaScript in MB. Of pprof's
// flame graph, and of speedscope (npm's, in MODULES) with a file: milliseconds to
// the picture, best of 3.
import {createRequire} from 'node:module';

const [,, modules, browserPath, ...asked] = process.argv;
const puppeteer = createRequire(modules + '/x.js')('puppeteer-core');
const browser = await puppeteer.launch({executablePath: browserPath, headless: 'shell', timeout: 120000,
	args: [...(process.getuid() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--disable-quic', '--no-first-run',
		'--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--allow-file-access-from-files']});
const median = list => list.sort((a, b) => a - b)[list.length >> 1];

// Milliseconds until one of the others shows its picture.
async function otherPicture(kind, what) {
	const page = await browser.newPage();
	await page.setViewport({width: 1440, height: 860});
	let start = performance.now(), shown = 'document.querySelectorAll("#chart rect, .boxbg").length > 1';
	if (kind === 'pprof') {
		await page.goto(what, {timeout: 300000});
	} else {
		await page.goto('file://' + modules + '/speedscope/dist/release/index.html');
		const input = await page.waitForSelector('input[type=file]', {timeout: 60000});
		start = performance.now();
		await input.uploadFile(what);
		shown = 'document.querySelectorAll("canvas").length > 1';
	}
	await page.waitForFunction(shown, {timeout: 300000});
	const spent = performance.now() - start;
	await page.close();
	return spent;
}

const isOther = asked[0] === 'pprof' || asked[0] === 'speedscope';
if (isOther) {
	const times = [];
	for (let i = 0; i < 3; i++)
		times.push(await otherPicture(asked[0], asked[1]));
	console.log(Math.min(...times).toFixed(0));
}
for (const file of isOther ? [] : asked) {
	const paints = [], readies = [];
	let page;
	for (let i = 0; i < 5; i++) {
		if (page)
			await page.close();
		page = await browser.newPage();
		await page.setViewport({width: 1440, height: 860});
		await page.goto('file://' + file);
		await page.waitForFunction('document.body.dataset.ready', {timeout: 60000});
		readies.push(+await page.evaluate(() => document.body.dataset.ready));
		paints.push(await page.evaluate(() => (performance.getEntriesByName('first-contentful-paint')[0] || {startTime: 0}).startTime));
	}
	const times = await page.evaluate(async () => {
		globalThis.profpage.manyNodes = Infinity; // without the pause for "working…"
		const p = globalThis.profpage, list = [...p.keys.text.keys()].sort((a, b) => p.sums.total[1][b] - p.sums.total[1][a]);
		const name = at => p.exactly(list[Math.min(at, list.length - 1)]), middle = a => a.sort((x, y) => x - y)[a.length >> 1];
		const rest = () => new Promise(done => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(() => setTimeout(done)))));
		const time = async (changes, n = 5) => {
			const spent = [];
			for (let i = 0; i < n; i++) {
				await rest();
				const start = performance.now();
				p.set(changes(i), false);
				document.body.getBoundingClientRect();
				spent.push(performance.now() - start);
				p.set({q: '', f: '', h: '', i: '', p: '', z: '', tv: '', v: 'flame'}, false);
			}
			return middle(spent);
		};
		// Of another filter each time, as what was drawn is kept.
		const filtered = async changes => {
			const spent = [];
			for (let i = 0; i < 5; i++) {
				p.set({i: '^' + i + '$'}, false);
				spent.push(await time(changes, 1));
			}
			return middle(spent);
		};
		return [await time(i => ({q: 'a' + i})), await time(i => ({f: name(3 + i)})), await time(i => ({h: name(3 + i)})),
			await time(i => ({v: 'sandwich', p: name(3 + i)})), await time(i => ({z: p.pathOf(p.tree, Math.min(1 + i, p.tree.n - 1))})),
			await filtered(i => ({v: 'graph'})), await filtered(i => ({v: 'tree', tv: '1'}))];
	});
	const metrics = await page.metrics();
	const stacks = await page.evaluate(() => globalThis.profpage.base.head.samples);
	console.log([stacks, median(paints), median(readies), ...times, metrics.JSHeapUsedSize / 1e6].map(v => v.toFixed(0)).join(' '));
}
await browser.close();
