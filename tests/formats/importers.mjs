// importers.mjs - what speedscope shows of files: each function's self and total
// values, read from its own page in a browser.
//	node importers.mjs MODULES CHROMIUM FILE...
// prints, for each file, "== FILE" and lines "SELF TOTAL NAME", in its order.
import { createRequire } from "node:module";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, chromium, ...files] = process.argv.slice(2);
const puppeteer = createRequire(pathToFileURL(modules + "/"))("puppeteer-core");
const app = pathToFileURL(path.join(modules, "speedscope/dist/release/index.html"));

const browser = await puppeteer.launch({
	executablePath: chromium,
	headless: "shell",
	args: ["--no-sandbox", "--allow-file-access-from-files", "--disable-gpu", "--use-gl=swiftshader"],
});
for (const file of files) {
	const page = await browser.newPage();
	const script = path.resolve(file + ".speedscope.js");

	await page.setViewport({ width: 1200, height: 2000 });
	fs.writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(path.basename(file))}, ` +
		`"${fs.readFileSync(file).toString("base64")}")`);
	await page.goto(`${app}#localProfilePath=${script.slice(1)}&view=sandwich`);
	await page.waitForSelector("table td", { timeout: 60000 });
	const rows = await page.$$eval("table tr", rows => rows.map(row =>
		[...row.querySelectorAll("td")].map(cell => cell.innerText)));

	console.log(`== ${file}`);
	// "1,234 (56%)" for total and self, and the name.
	for (const row of rows.filter(row => row.length >= 3 && row[0].endsWith("%)")))
		console.log(row[1].replace(/ *\(.*/s, "").replaceAll(",", ""),
			row[0].replace(/ *\(.*/s, "").replaceAll(",", ""), row[2].trim());
	await page.close();
}
await browser.close();
