// change.mjs - how sure a difference between two sides is: what sampling alone
// would make of it.

const normal95 = 1.96, leastSamples = 6, notSampled = '[not sampled]';

/*
 * The change from before to after, of which na and nb samples tell: r, its share
 * of the larger side; low and high, the 95 % interval of after/before - 1, NaN
 * if a side has nothing; isSure: more than sampling noise explains.
 */
function changeOf(before, after, na, nb) {
	const most = Math.max(Math.abs(before), Math.abs(after)), r = most > 0 ? (after - before) / most : 0;
	if (!(before > 0) || !(after > 0))
		return {r, low: NaN, high: NaN, isSure: Math.max(na, nb) >= leastSamples, na, nb, before, after};
	const middle = Math.log(after / before), half = normal95 * Math.sqrt(1 / na + 1 / nb);
	const low = Math.exp(middle - half) - 1, high = Math.exp(middle + half) - 1;
	return {r, low, high, isSure: low > 0 || high < 0, na, nb, before, after};
}

function percentText(p) {
	const size = Math.abs(p) >= 9.995 && p > 0 ? '×' + (p + 1).toFixed(p < 99 ? 1 : 0) : (p < 0 ? '−' : '+') + Math.round(Math.abs(p) * 100) + '\u202f%';
	return size;
}

// "+94 %", "×12", "new", "gone", "=".
function changeText({before, after}) {
	if (before === after || (before && Math.abs((after - before) / before) < .005))
		return '=';
	if (!before || !after)
		return before ? 'gone' : 'new';
	return percentText((after - before) / Math.abs(before));
}

// How it is coloured.
function changeKind({before, after, isSure}) {
	return before === after || !isSure ? 'unsure' : after > before ? 'more' : 'less';
}

// "likely +59 % to +130 %", or ''.
function likelyText({low, high}) {
	return Number.isFinite(low) ? 'likely ' + percentText(low) + ' to ' + percentText(high) : '';
}

// How many samples are behind a sum of v: their number if all are alike, else
// fewer. Time that was not sampled is no sample.
class SampleSizes {
	constructor({samples, tree, frames, functions, strings}, column, counts) {
		const sum = [0, 0], squares = [0, 0], v = samples.values[column], isNone = i => i && !tree.parent[i] && strings[functions.name[frames.fun[tree.frame[i]]]] === notSampled;
		for (let s = 0; s < samples.n; s++) {
			if (isNone(samples.node[s]))
				continue;
			const side = samples.side[s] ? 0 : 1, n = counts ? Math.max(1, Math.abs(counts[s])) : 1;
			sum[side] += Math.abs(v[s]);
			squares[side] += v[s] * v[s] / n;
		}
		this.mean = sum.map((x, side) => x > 0 ? squares[side] / x : 1);
	}

	// Of an amount on a side, 0 is before.
	of(v, side) {
		return Math.abs(v) / this.mean[side];
	}
}

export {SampleSizes, changeKind, changeOf, changeText, likelyText, notSampled, percentText};
