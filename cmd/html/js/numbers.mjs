// numbers.mjs - amounts and shares as text: the same words as the reports
// print (lib/model/units.c); a test compares the two.

const memoryUnits = [['B', 'b byte', 1], ['kB', 'kb kbyte kilobyte', 1024],
	['MB', 'mb mbyte megabyte', 2 ** 20], ['GB', 'gb gbyte gigabyte', 2 ** 30],
	['TB', 'tb tbyte terabyte', 2 ** 40], ['PB', 'pb pbyte petabyte', 2 ** 50]];
const timeUnits = [['ns', 'ns nanosecond', 1], ['us', 'us microsecond', 1e3],
	['ms', 'ms millisecond', 1e6], ['s', 's sec second', 1e9], ['hrs', 'hour hr', 3600e9]];
const computeUnits = [['n*GCU', 'nanogcu', 1e-9], ['u*GCU', 'microgcu', 1e-6],
	['m*GCU', 'milligcu', 1e-3], ['GCU', 'gcu', 1], ['k*GCU', 'kilogcu', 1e3],
	['M*GCU', 'megagcu', 1e6], ['G*GCU', 'gigagcu', 1e9], ['T*GCU', 'teragcu', 1e12],
	['P*GCU', 'petagcu', 1e15]];
const unitFamilies = [{units: memoryUnits, main: 0}, {units: timeUnits, main: 3},
	{units: computeUnits, main: 3}];

function findUnit(name) {
	let word = name.toLowerCase();
	if (word.length > 2 && word.endsWith('s'))
		word = word.slice(0, -1);
	for (const family of unitFamilies)
		for (const unit of family.units)
			if (word && unit[1].split(' ').includes(word))
				return {family, unit};
	return null;
}

// A value of unit `from` in unit `to`, which may be 'auto': [number, unit].
function scaleValue(v, from, to) {
	const found = findUnit(from), isAuto = to === 'auto' || to === 'minimum';
	if (v < 0) {
		const [x, unit] = scaleValue(-v, from, to);
		return [-x, unit];
	}
	if (!found)
		return [v, isAuto || ['count', 'sample', 'unit'].includes(to) ? '' : to];
	const {family, unit} = found, x = v * unit[2];
	let target = null;
	if (isAuto) {
		target = family.units.findLast(u => x / u[2] >= 1);
	} else {
		const wanted = findUnit(to);
		target = wanted && wanted.family === family ? wanted.unit : null;
	}
	target = target || family.units[family.main];
	return [x / target[2], target[0]];
}

// printf("%.2f"): ties go to the even digit, where toFixed() goes up.
function fixed2(x) {
	if (Number.isInteger(x * 8) && Math.abs(x * 8) % 2 === 1) {
		const low = Math.floor(Math.abs(x) * 100), even = low + low % 2;
		return (x < 0 ? '-' : '') + (even / 100).toFixed(2);
	}
	return x.toFixed(2);
}

function formatValue(v, from, to) {
	const [x, unit] = scaleValue(v, from, to || 'auto');
	const text = fixed2(x).replace(/\.00$/, '');
	return text === '0' || text === '-0' ? '0' : text + unit;
}

// Three digits that count: 1.98, 19.8, 198; larger ones with separators.
function threeDigits(x) {
	const size = Math.abs(x);
	if (Number.isInteger(x) || size >= 999.5)
		return formatCount(Math.round(x));
	return x.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

// "1.98 s": with a narrow space, for the page; reports have formatValue().
function shortValue(v, from, to) {
	if (v < 0)
		return '\u2212' + shortValue(-v, from, to);
	const [x, unit] = scaleValue(v, from, to || 'auto');
	return v === 0 ? '0' : threeDigits(x) + (unit ? '\u202f' + unit : '');
}

// "50.3 %": 10 and more have one decimal, below 1 two.
function shortShare(v, total) {
	if (v / total < 0)
		return '\u2212' + shortShare(-v, total);
	const r = total ? 100 * v / total : 0;
	const text = r >= 99.95 && r < 100.05 ? '100' : r >= 100 ? formatCount(Math.round(r)) : r >= .995 ? r.toFixed(1) : r === 0 ? '0' : r < .01 ? '<0.01' : r.toFixed(2);
	return text + '\u202f%';
}

function formatCount(n) {
	return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

// A name as it is shown: what steers a terminal or turns a line around is
// written out. Copies get the name itself.
function displayName(s) {
	const text = s.length > 4096 ? s.slice(0, 4095) + '…' : s;
	// eslint-disable-next-line no-control-regex
	return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
		c => '\\u{' + c.charCodeAt(0).toString(16) + '}');
}

export {displayName, findUnit, fixed2, formatCount, formatValue, scaleValue, shortShare, shortValue, threeDigits};
