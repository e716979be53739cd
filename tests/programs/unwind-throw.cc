// unwind-throw.cc - C++ exceptions for unwind-step.c to step through.
#include <stdexcept>
#include <string>

extern "C" void unwind_throw(int depth);

namespace {

struct Guard {
	std::string name;
	explicit Guard(int n) : name("guard " + std::to_string(n)) {}
	~Guard() { name.clear(); }
};

__attribute__((noinline)) void
thrower(int depth)
{
	Guard guard(depth);

	if (depth == 0)
		throw std::runtime_error(guard.name);
	thrower(depth - 1);
}

} // namespace

void
unwind_throw(int depth)
{
	try {
		thrower(depth);
	} catch (const std::exception &e) {
		volatile std::size_t n = std::string(e.what()).size();
		(void)n;
	}
}
