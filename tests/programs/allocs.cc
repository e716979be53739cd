// allocs.cc - a program that does little but allocate, for the bench: it makes
// up documents, splits them into words, counts them in maps of strings, and
// throws most of it away again. Some 200 ns of work for each allocation.
//
//	allocs TIMES
//
// It does the same TIMES times over, and prints the milliseconds of CPU time
// that the fastest took: on a busy machine, most are slow for other reasons.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <time.h>
#include <unordered_map>
#include <vector>

namespace
{

uint64_t state = 1;

unsigned
pick(unsigned n)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return static_cast<unsigned>(state >> 33) % n;
}

struct document {
	std::string title;
	std::vector<std::string> words;
	std::map<std::string, int> counts;
};

std::string
word()
{
	static const char *const part[] = { "al",   "lo",   "ca",  "tion",
					    "free", "heap", "mem", "ory" };
	std::string w;

	for (unsigned n = 1 + pick(8); n > 0; n--)
		w += part[pick(8)];
	return w;
}

std::unique_ptr<document>
make(int number)
{
	auto d = std::make_unique<document>();

	d->title = "document number " + std::to_string(number);
	for (unsigned n = 50 + pick(100); n > 0; n--)
		d->words.push_back(word());
	for (const std::string &w : d->words)
		d->counts[w]++;
	return d;
}

void
work(int rounds)
{
	std::deque<std::unique_ptr<document>> kept;
	std::unordered_map<std::string, long> total;

	state = 1;
	for (int i = 0; i < rounds; i++) {
		kept.push_back(make(i));
		for (const auto &[w, n] : kept.back()->counts)
			if (w.size() < 12)
				total[w] += n;
		if (kept.size() > 20)
			kept.erase(kept.begin() + pick(20));
	}
}

double
cpu_ms()
{
	timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return static_cast<double>(t.tv_sec) * 1e3 +
	       static_cast<double>(t.tv_nsec) / 1e6;
}

} // namespace

int
main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 10;
	double best = 0;

	for (int i = 0; i < times; i++) {
		double start = cpu_ms(), took;

		work(50);
		took = cpu_ms() - start;
		if (i == 0 || took < best)
			best = took;
	}
	printf("%.3f\n", best);
}
