// gowork writes one profile of every kind that the Go runtime has, as the
// binary form and, where there is one, the text form, into the folder named by
// its argument. Its work is small but takes every road: labels, inlining,
// contended locks, blocked goroutines, live and dead memory.
package main

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"sort"
	"strings"
	"sync"
	"time"
)

type node struct {
	Name string
	Size int
	Kids []*node
}

var (
	kept   [][]byte
	tree   *node
	sink   int
	lockMu sync.Mutex
)

func grow(depth, width int) *node {
	n := &node{Name: strings.Repeat("n", depth+1), Size: depth}
	if depth > 0 {
		for i := 0; i < width; i++ {
			n.Kids = append(n.Kids, grow(depth-1, width))
		}
	}
	return n
}

func (n *node) sum() int {
	s := n.Size
	for _, k := range n.Kids {
		s += k.sum()
	}
	return s
}

func encode(n *node) {
	b, err := json.Marshal(n)
	if err != nil {
		log.Fatal(err)
	}
	var out bytes.Buffer
	w, _ := flate.NewWriter(&out, flate.BestCompression)
	w.Write(b)
	w.Close()
	sink += out.Len()
}

func search(n *node) {
	re := regexp.MustCompile(`(n+)x|(n{2,5})y`)
	text := strings.Repeat(n.Name+"z", 200)
	sink += len(re.FindAllString(text, -1))
}

func order() {
	v := make([]int, 40000)
	for i := range v {
		v[i] = (i * 7919) % 10007
	}
	sort.Slice(v, func(i, j int) bool { return v[i] < v[j] })
	sink += v[0]
}

func cpu(dir string) {
	f, err := os.Create(filepath.Join(dir, "cpu.pb.gz"))
	if err != nil {
		log.Fatal(err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		log.Fatal(err)
	}
	var wg sync.WaitGroup
	jobs := []struct {
		name string
		run  func()
	}{
		{"encode", func() { encode(tree) }},
		{"search", func() { search(tree) }},
		{"order", order},
	}
	for i, j := range jobs {
		j := j
		l := pprof.Labels("job", j.name, "user", []string{"ann", "bob"}[i%2])
		wg.Add(1)
		go pprof.Do(context.Background(), l, func(context.Context) {
			defer wg.Done()
			for t := time.Now(); time.Since(t) < 800*time.Millisecond; {
				j.run()
				sink += tree.sum()
			}
		})
	}
	wg.Wait()
	pprof.StopCPUProfile()
	f.Close()
}

func hold(d time.Duration) {
	lockMu.Lock()
	time.Sleep(d)
	lockMu.Unlock()
}

func contend() {
	var wg sync.WaitGroup
	ch := make(chan int)
	for i := 0; i < 4; i++ {
		wg.Add(2)
		go func() {
			defer wg.Done()
			for k := 0; k < 5; k++ {
				hold(2 * time.Millisecond)
			}
		}()
		go func() {
			defer wg.Done()
			for k := 0; k < 3; k++ {
				ch <- k
			}
		}()
	}
	for i := 0; i < 12; i++ {
		time.Sleep(time.Millisecond)
		sink += <-ch
	}
	wg.Wait()
}

func allocate() {
	for i := 0; i < 300; i++ {
		b := make([]byte, 100*(i%50+1))
		if i%3 == 0 {
			kept = append(kept, b)
		}
	}
	for i := 0; i < 4; i++ {
		kept = append(kept, make([]byte, 1<<20))
	}
}

func wait(ch chan bool) { <-ch }

func write(dir, name string) {
	for debug := 0; debug < 2; debug++ {
		file := filepath.Join(dir, fmt.Sprintf("%s%s", name, []string{".pb.gz", ".txt"}[debug]))
		f, err := os.Create(file)
		if err != nil {
			log.Fatal(err)
		}
		if err := pprof.Lookup(name).WriteTo(f, debug); err != nil {
			log.Fatal(err)
		}
		f.Close()
	}
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: gowork DIR")
	}
	runtime.MemProfileRate = 32768
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	opened := pprof.NewProfile("conns")
	for i := 0; i < 3; i++ {
		opened.Add(i, 0)
	}

	tree = grow(4, 6)
	cpu(os.Args[1])
	contend()
	allocate()
	stop := make(chan bool)
	for i := 0; i < 3; i++ {
		go wait(stop)
	}
	time.Sleep(10 * time.Millisecond)
	runtime.GC()
	for _, name := range []string{"heap", "allocs", "mutex", "block", "goroutine", "threadcreate", "conns"} {
		write(os.Args[1], name)
	}
	close(stop)
}
