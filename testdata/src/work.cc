// work is the C++ workload of the gperftools profiles: templates, inlined
// calls, a recursive function, work in a shared library of its own (parts.c)
// and in libc, three threads, live memory. "work cpu FILE", "work heap FILE"
// or "work growth FILE" write what tcmalloc or the CPU profiler report,
// "work busy" is for other profilers; HEAPPROFILE works as usual.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gperftools/malloc_extension.h>
#include <gperftools/profiler.h>

extern "C" unsigned part_hash(const char *s, size_t n);
extern "C" void part_sort(unsigned *v, size_t n);

namespace job
{

static inline unsigned
mix(unsigned h, unsigned x)
{
	h ^= x + 0x9e3779b9u + (h << 6) + (h >> 2);
	return h * 2654435761u;
}

template <typename T>
__attribute__((noinline)) unsigned
spin(T n)
{
	unsigned h = 1;
	for (T i = 0; i < n; i++)
		h = mix(h, (unsigned)i);
	return h;
}

__attribute__((noinline)) unsigned
walk(unsigned depth, unsigned seed)
{
	if (!depth)
		return spin<unsigned>(200) + seed;
	return walk(depth - 1, mix(seed, depth)) + walk(depth - 1, seed) + 1;
}

class Index
{
      public:
	void add(const std::string &key, unsigned v)
	{
		words[key].push_back(v);
	}
	std::map<std::string, std::vector<unsigned>> words;
};

} // namespace job

static volatile unsigned sink;
static job::Index *keep;
static std::vector<char *> blocks;

static void
fill(job::Index &ix, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		ix.add("key" + std::to_string(i % 97), i);
}

static void
live(void)
{
	keep = new job::Index;
	fill(*keep, 4000);
	for (int i = 0; i < 200; i++) {
		blocks.push_back(new char[1000 * (i % 7 + 1)]);
		if (i % 2) {
			delete[] blocks.back();
			blocks.pop_back();
		}
	}
	blocks.push_back(new char[4 << 20]);
}

static void
busy(unsigned rounds)
{
	std::vector<unsigned> v(5000);
	std::string text(20000, 'x');
	for (unsigned r = 0; r < rounds; r++) {
		sink += job::walk(9, r);
		sink += job::spin<unsigned long>(60000);
		sink += part_hash(text.data(), text.size());
		for (size_t i = 0; i < v.size(); i++)
			v[i] = job::spin<unsigned>(3) +
			       (unsigned)(i * 7919 % 5003);
		part_sort(v.data(), v.size());
		std::sort(v.begin(), v.end(),
			  [](unsigned a, unsigned b) { return a > b; });
		job::Index ix;
		fill(ix, 300);
	}
}

static void
save(const char *file, const std::string &text)
{
	FILE *f = fopen(file, "w");
	if (!f || fwrite(text.data(), 1, text.size(), f) != text.size() ||
	    fclose(f)) {
		perror(file);
		exit(1);
	}
}

static void
all(void)
{
	std::thread a(busy, 900), b(busy, 450);

	busy(450);
	a.join();
	b.join();
}

int
main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "busy")) {
		all();
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "cpu")) {
		ProfilerStart(argv[2]);
		all();
		ProfilerFlush();
		ProfilerStop();
		return 0;
	}
	/* tcmalloc looks at its sampling parameter first after 16 MB. */
	for (int i = 0; i < 3; i++)
		sink += (unsigned)strlen(std::string(16 << 20, 'x').c_str());
	live();
	std::string text;
	if (argc == 3 && !strcmp(argv[1], "heap"))
		MallocExtension::instance()->GetHeapSample(&text);
	else if (argc == 3 && !strcmp(argv[1], "growth"))
		MallocExtension::instance()->GetHeapGrowthStacks(&text);
	else
		return argc == 1 ? 0 : 2;
	save(argv[2], text);
	return 0;
}
