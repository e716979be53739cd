#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#ifdef WITH_REGEX // seven seconds of a compiler
#include <regex>
#endif
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace words
{

struct shape {
	virtual ~shape() = default;
	virtual double area() const = 0;
};

template <typename T> struct square : shape {
	T side;

	explicit square(T s) : side(s)
	{
	}
	double area() const override
	{
		return double(side) * double(side);
	}
};

static std::map<std::string, std::vector<int>>
index(std::istream &in)
{
	std::map<std::string, std::vector<int>> m;
	std::string line;

	for (int n = 1; std::getline(in, line); n++) {
#ifdef WITH_REGEX
		std::regex word("[[:alpha:]]+");
		for (std::sregex_iterator i(line.begin(), line.end(), word), e;
		     i != e; ++i)
			m[i->str()].push_back(n);
#else
		std::istringstream words(line);
		for (std::string word; words >> word;)
			m[word].push_back(n);
#endif
	}
	return m;
}

} // namespace words

int
main(int argc, char **argv)
{
	std::vector<std::unique_ptr<words::shape>> shapes;
	std::unordered_map<std::string, std::function<double(double)>> f;
	std::istringstream in(argc > 1 ? argv[1] : "a b a\nc a");
	double sum = 0;

	f["twice"] = [](double x) { return 2 * x; };
	f["half"] = [&](double x) { return x / argc; };
	for (int i = 0; i < argc; i++) {
		shapes.emplace_back(new words::square<int>(i));
		shapes.emplace_back(new words::square<float>(i));
	}
	std::sort(shapes.begin(), shapes.end(),
		  [](auto &a, auto &b) { return a->area() < b->area(); });
	for (auto &s : shapes)
		sum += f["twice"](s->area());
	for (auto &[word, lines] : words::index(in))
		std::cout << word << ' ' << lines.size() << ' ' << sum << '\n';
	return 0;
}
