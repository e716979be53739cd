package main

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"sort"
	"strings"
)

type counts map[string][]int

func index(s string) counts {
	m := counts{}
	re := regexp.MustCompile(`\w+`)
	in := bufio.NewScanner(strings.NewReader(s))
	for n := 1; in.Scan(); n++ {
		for _, w := range re.FindAllString(in.Text(), -1) {
			m[w] = append(m[w], n)
		}
	}
	return m
}

func main() {
	m := index(strings.Join(os.Args, "\n"))
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return len(m[keys[i]]) < len(m[keys[j]]) })
	for _, k := range keys {
		fmt.Println(k, m[k])
	}
}
