#!/bin/sh
# mkbigcxx.sh - a large C++ program for the bench of prof-symbolize and for
# tests of exactness: many units, each of which instantiates much of libstdc++
# over types of its own, so that the linker finds little to share.
#
#	mkbigcxx.sh PROGRAM [UNITS [JOBS]]	$CXX (c++), $CXXFLAGS (-O2 -g)
#
# 64 units are some 80 MB. Sources and objects are kept in PROGRAM.d.
set -eu

prog=$1 units=${2:-64} jobs=${3:-2}
cxx=${CXX:-c++}
flags=${CXXFLAGS:--O2 -g}
mkdir -p "$prog.d"

unit() {
	cat <<END
#define UNIT unit_$1
#define KIND $(($1 % 4))
#define SALT $1
END
	cat <<'END'
#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

namespace UNIT {

struct key {
	std::string name;
	int id;

	bool operator<(const key &o) const
	{
		return std::tie(name, id) < std::tie(o.name, o.id);
	}
	bool operator==(const key &o) const
	{
		return id == o.id && name == o.name;
	}
};

struct hash {
	std::size_t operator()(const key &k) const
	{
		return std::hash<std::string>()(k.name) ^ (k.id * SALT);
	}
};

struct leaf {
	double weight;
};

struct tree {
	std::vector<std::unique_ptr<tree>> child;
	std::variant<leaf, key, std::string, std::vector<int>> what;
	std::optional<key> label;
};

template <int N> struct step {
	static double run(const tree &t)
	{
		double sum = N;

		std::visit(
			[&](const auto &v) {
				using T = std::decay_t<decltype(v)>;
				if constexpr (std::is_same_v<T, leaf>)
					sum += v.weight * N;
				else if constexpr (std::is_same_v<T, key>)
					sum += v.id + v.name.size();
				else
					sum += v.size();
			},
			t.what);
		for (const auto &c : t.child)
			sum += step<N - 1>::run(*c);
		return sum;
	}
};

template <> struct step<0> {
	static double run(const tree &t)
	{
		return t.label ? t.label->id : SALT;
	}
};

static std::unique_ptr<tree> grow(int depth, unsigned seed)
{
	auto t = std::make_unique<tree>();

	if (seed % 3 == 0)
		t->what = leaf{ seed * 0.5 };
	else if (seed % 3 == 1)
		t->what = key{ std::to_string(seed), int(seed) };
	else
		t->what = std::vector<int>(seed % 17, 3);
	for (int i = 0; i < 3 && depth > 0; i++)
		t->child.push_back(grow(depth - 1, seed * 7 + i));
	return t;
}

template <typename Map> static int fill(Map &m, const std::string &text)
{
	std::istringstream in(text);
	std::string word;
	int n = 0;

	while (in >> word)
		m[key{ word, n++ % 5 }].push_back(n);
	for (auto &[k, v] : m) {
		std::sort(v.begin(), v.end(), [](const auto &a, const auto &b) {
			return a > b;
		});
		n += std::accumulate(v.begin(), v.end(), k.id);
	}
	return n;
}

#if KIND == 0
/* Traits of its own: all of the regex machine once more. */
struct traits : std::regex_traits<char> {
};

static int match(const std::string &text)
{
	using iterator = std::string::const_iterator;
	std::basic_regex<char, traits> re("([a-z]+)([0-9]*)|x{2,5}(y|z)*");
	std::regex_iterator<iterator, char, traits> it(text.begin(), text.end(),
						       re),
		end;
	int n = 0;

	for (; it != end; ++it)
		n += it->str(1).size();
	return n;
}
#elif KIND == 1
struct graph {
	std::map<key, std::set<key>> edge;
	std::function<bool(const key &)> wanted;

	int reach(const key &from)
	{
		std::deque<key> todo{ from };
		std::set<key> seen;

		while (!todo.empty()) {
			key at = todo.front();

			todo.pop_front();
			if (!seen.insert(at).second || !wanted(at))
				continue;
			for (const key &next : edge[at])
				todo.push_back(next);
		}
		return seen.size();
	}
};

static int match(const std::string &text)
{
	graph g;

	g.wanted = [&](const key &k) { return k.id % 7 != SALT; };
	for (std::size_t i = 0; i < text.size(); i++)
		g.edge[key{ text.substr(i, 2), int(i % 9) }].insert(
			key{ text.substr(i / 2, 2), int(i % 5) });
	return g.reach(key{ text.substr(0, 2), 0 });
}
#elif KIND == 2
static int match(const std::string &text)
{
	std::vector<key> v;
	std::vector<std::tuple<key, double, std::shared_ptr<tree>>> t;

	for (std::size_t i = 0; i < text.size(); i++)
		v.push_back(key{ text.substr(i, 3), int(i) });
	std::stable_sort(v.begin(), v.end());
	std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
	v.erase(std::unique(v.begin(), v.end()), v.end());
	std::partial_sort(v.begin(), v.begin() + v.size() / 3, v.end());
	for (const key &k : v)
		t.emplace_back(k, k.id * 0.5, grow(1, k.id));
	std::sort(t.begin(), t.end(), [](const auto &a, const auto &b) {
		return std::get<0>(a) < std::get<0>(b);
	});
	return t.size() + std::inner_product(t.begin(), t.end(), v.begin(), 0,
			std::plus<int>(), [](const auto &a, const key &b) {
				return int(std::get<1>(a)) ^ b.id;
			});
}
#else
static int match(const std::string &text)
{
	std::multimap<key, std::variant<int, key, std::unique_ptr<tree>>> m;
	std::ostringstream out;

	for (std::size_t i = 0; i < text.size(); i++)
		if (text[i] % 3)
			m.emplace(key{ text.substr(i, 4), int(i) }, int(i));
		else
			m.emplace(key{ text.substr(i, 4), int(i) }, grow(1, i));
	for (const auto &[k, v] : m)
		out << k.name << v.index() << ' ';
	return out.str().size();
}
#endif

int run(const std::string &text)
{
	std::map<key, std::vector<int>> sorted;
	std::unordered_map<key, std::deque<int>, hash> hashed;
	auto t = grow(3, SALT);

	return fill(sorted, text) + fill(hashed, text) +
	       int(step<6>::run(*t)) + match(text);
}

} // namespace UNIT
END
}

# Written only where it changed, so that what is compiled stays compiled.
put() {
	cat >"$1.new"
	if cmp -s "$1.new" "$1"; then
		rm -f "$1.new"
	else
		mv "$1.new" "$1"
	fi
}

i=0
while [ $i -lt "$units" ]; do
	unit $i | put "$prog.d/u$i.cc"
	i=$((i + 1))
done
{
	echo '#include <string>'
	i=0
	while [ $i -lt "$units" ]; do
		echo "namespace unit_$i { int run(const std::string &); }"
		i=$((i + 1))
	done
	echo 'int main(int argc, char **argv)'
	echo '{ std::string s = argv[argc - 1]; int n = 0;'
	i=0
	while [ $i -lt "$units" ]; do
		echo "n += unit_$i::run(s);"
		i=$((i + 1))
	done
	echo 'return n & 1; }'
} | put "$prog.d/main.cc"

find "$prog.d" -name '*.cc' | sort | xargs -P "$jobs" -I{} sh -c '
	o=${1%.cc}.o
	[ "$o" -nt "$1" ] || '"$cxx $flags"' -std=c++17 -c -o "$o" "$1"' sh {}
$cxx $flags -o "$prog" "$prog.d"/*.o
# Files written a moment ago are copied before they are read, which takes longer.
touch -d '1 hour ago' "$prog"
