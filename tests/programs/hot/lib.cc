#include <algorithm>
#include <vector>
int lib(int n)
{
	std::vector<int> v(n);
	for (int i = 0; i < n; i++)
		v[i] = (i * 7919) % 10007;
	std::sort(v.begin(), v.end(), [](int a, int b) { return a < b; });
	return v[n / 2];
}
