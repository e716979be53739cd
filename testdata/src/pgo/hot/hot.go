// Package hot is what a CPU profile is of, and what Go's compiler optimizes
// with it. It imports nothing, so that the compiler alone can compile it.
package hot

type shape interface{ area(int) int }

type square struct{ n int }
type triangle struct{ n int }

func (s square) area(k int) int {
	x := s.n
	for i := 0; i < 8; i++ {
		x = x*31 + k ^ i
	}
	return x
}

func (t triangle) area(k int) int { return t.n * k / 2 }

func sum(s []shape, n int) int {
	total := 0
	for i := 0; i < n; i++ {
		total += s[i%len(s)].area(i)
	}
	return total
}

func sift(v []int) int {
	n := 0
	for i := range v {
		if v[i]%3 == 0 {
			v[n] = v[i]
			n++
		}
	}
	return n
}

// Work is for main.
func Work() int {
	v := make([]int, 100000)
	for i := range v {
		v[i] = i * 7919 % 10007
	}
	return sum([]shape{square{3}, square{4}, square{5}, triangle{2}}, 2000000) + sift(v)
}
