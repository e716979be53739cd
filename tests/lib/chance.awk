# chance.awk - is a count one that chance gives? Functions for the awk programs of
# tests/live, which read this file into $chance. One honest run in a million is
# refused: a row with k such questions divides that among them.
#
#	chance_share(seen, of, share, k)	binomial: each of so many signals hits
#						with this share, by itself
#	chance_most(seen, of, share, k)		the same, with this share or a smaller one
#	chance_count(seen, mean, k)		Poisson
#	chance_normal(off, sd, k)		a sum of many parts
#	chance_ticks(seen, signals, low, high, ends, k)
#						periods of timers of CPU time, of
#						which low to high went by
#
# What is independent is a signal, not a tick: a kernel of 250 Hz delivers several
# periods of a timer by one signal, all with the stack of one moment. So "seen" and
# "of" count signals (the column "samples" of a profile), whatever their weights.
function chance_limit(k) {
	return 1e-6 / (k ? k : 1)
}

# The logarithm of the gamma function (Stirling, from 12 on).
function chance_lgamma(x,	f) {
	for (f = 0; x < 12; x++)
		f += log(x)
	return (x - 0.5) * log(x) - x + 0.918938533204673 + 1 / (12 * x) - \
		1 / (360 * x ^ 3) + 1 / (1260 * x ^ 5) - f
}

# Sum of the probabilities from k away from the mean: each is so many times the one
# before.
function chance_binomial_tail(k, n, p, up,	term, sum) {
	term = exp(chance_lgamma(n + 1) - chance_lgamma(k + 1) - \
		chance_lgamma(n - k + 1) + k * log(p) + (n - k) * log(1 - p))
	for (sum = 0; k >= 0 && k <= n && term > 1e-14; ) {
		sum += term
		if (up) {
			term *= (n - k) / (k + 1) * p / (1 - p)
			k++
		} else {
			term *= k / (n - k + 1) * (1 - p) / p
			k--
		}
	}
	return sum
}

function chance_share(seen, of, share, k) {
	if (seen < 0 || seen > of)
		return 0
	if (share <= 0 || share >= 1)
		return seen == share * of
	return 2 * chance_binomial_tail(seen, of, share, seen > of * share) >= \
		chance_limit(k)
}

function chance_most(seen, of, share, k) {
	return seen <= of * share || chance_share(seen, of, share, k)
}

function chance_count(seen, mean, k,	term, sum, up) {
	if (mean <= 0 || seen < 0)
		return seen == 0
	up = seen > mean
	term = exp(seen * log(mean) - mean - chance_lgamma(seen + 1))
	for (sum = 0; seen >= 0 && term > 1e-14; ) {
		sum += term
		term *= up ? mean / (seen + 1) : seen / mean
		seen += up ? 1 : -1
	}
	return 2 * sum >= chance_limit(k)
}

# At each of so many ends of a thread, or of what is asked for in it, at most one signal
# is missing, if it runs when the kernel ticks. Another process does then, on an
# undisturbed machine, one time in ten at most: the next signal makes that good, but for
# the last ones. No more are too many, as each first signal stands for a whole one.
function chance_ticks(seen, signals, low, high, ends, k,	missing) {
	if (signals <= 0)
		return 0
	missing = ((seen < low ? low : seen > high ? high : seen) - seen) * signals / seen
	return missing > -ends - 0.5 && 0.1 ^ (missing - ends) >= chance_limit(k)
}

# exp(-z^2/2) / (z sqrt(pi/2)) is just above both tails, from z = 2 on.
function chance_normal(off, sd, k,	z) {
	z = sd > 0 ? (off < 0 ? -off : off) / sd : off ? 1e3 : 0
	return z < 2 || exp(-z * z / 2) / (z * 1.2533141) >= chance_limit(k)
}
