// goserver is a Go program to be profiled over HTTP, for fetch-live.t: it
// prints its port and works until its input ends.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime"
	"sort"
	"time"
)

var kept [][]byte

//go:noinline
func multiply(n int) (sum uint64) {
	for i := 0; i < n; i++ {
		sum = sum*6364136223846793005 + uint64(i)
	}
	return sum
}

//go:noinline
func order(v []int) {
	for i := range v {
		v[i] = int(multiply(3)) ^ i*7919%1000
	}
	sort.Ints(v)
}

func work() {
	v := make([]int, 4096)
	for {
		multiply(200000)
		order(v)
	}
}

func main() {
	runtime.MemProfileRate = 4096
	for i := 0; i < 2000; i++ {
		kept = append(kept, make([]byte, 10000+i))
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go http.Serve(l, nil)
	go work()
	fmt.Println(l.Addr().(*net.TCPAddr).Port)
	// Not for ever, whatever becomes of the test.
	go func() { time.Sleep(5 * time.Minute); os.Exit(1) }()
	io.Copy(io.Discard, os.Stdin)
	runtime.KeepAlive(kept)
}
