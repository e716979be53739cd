// The program that good-go-pgo.pb.gz is of: go build -pgo=off, then run it with
// the name of the profile.
package main

import (
	"os"
	"runtime/pprof"

	"pgo/hot"
)

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		panic(err)
	}
	total := 0
	for i := 0; i < 150; i++ {
		total += hot.Work()
	}
	pprof.StopCPUProfile()
	if total == 1 {
		os.Exit(1)
	}
}
