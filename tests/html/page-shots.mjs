// page-shots.mjs - pictures of pages, for gallery.sh:
//
//	node page-shots.mjs MODULES BROWSER FOLDER 'NAME.png PAGE#STATE [X,Y]'...
//
// Names with "dark" in them are taken in the dark theme, those with "phone" as a
// phone has them. X,Y: where the mouse points, or a finger taps.
import {createRequire} from 'node:module';

const [,, modules, browserPath, folder, ...shots] = process.argv;
const puppeteer = createRequire(modules + '/x.js')('puppeteer-core');
const browser = await puppeteer.launch({executablePath: browserPath, headless: 'shell', timeout: 120000,
	args: [...(process.getuid() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--disable-quic', '--no-first-run',
		'--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage']});
for (const shot of shots) {
	const [name, url, at] = shot.split(' '), page = await browser.newPage(), isPhone = name.includes('phone');
	await page.setViewport(isPhone ? {width: 390, height: 760, hasTouch: true, isMobile: true} : {width: 1280, height: 760});
	if (name.includes('dark'))
		await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: 'dark'}]);
	await page.goto('file://' + url);
	if (url.includes('.html'))
		await page.waitForFunction('document.body.dataset.ready', {timeout: 60000});
	if (at && isPhone)
		await page.touchscreen.tap(...at.split(',').map(Number));
	else if (at)
		await page.mouse.move(...at.split(',').map(Number));
	await new Promise(resolve => setTimeout(resolve, 300));
	await page.screenshot({path: folder + '/' + name});
	await page.close();
}
await browser.close();
