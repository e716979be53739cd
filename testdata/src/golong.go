// golong is the long workload: it type-checks much of the Go standard library
// from source, again and again, prints and compresses it, and writes its CPU
// profile to the file named by its first argument. The second is the number of
// seconds. Deep recursive stacks, thousands of them distinct.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/printer"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"sort"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"time"
)

var roots = []string{"net/http", "go/types", "encoding/json", "text/template", "database/sql", "image/jpeg", "archive/zip"}

func check(path string) {
	fset := token.NewFileSet()
	if _, err := importer.ForCompiler(fset, "source", nil).Import(path); err != nil {
		log.Fatal(err)
	}
}

func files(path string) []string {
	m, _ := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", path, "*.go"))
	return m
}

var word = regexp.MustCompile(`(?i)\b(err|func|type|return|inter[a-z]+)\b`)
var page = template.Must(template.New("p").Parse(`{{range .}}{{.Name}}: {{len .Words}}{{range .Words}} {{.}}{{end}}
{{end}}`))

type entry struct {
	Name  string
	Words []string
}

func digest(path string) {
	var list []entry
	for _, name := range files(path) {
		src, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, src, parser.ParseComments)
		if err != nil {
			continue
		}
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		printer.Fprint(z, fset, f)
		z.Close()
		n := 0
		ast.Inspect(f, func(ast.Node) bool { n++; return true })
		e := entry{Name: name, Words: word.FindAllString(string(src), 200)}
		sort.Slice(e.Words, func(i, j int) bool { return strings.ToLower(e.Words[i]) < strings.ToLower(e.Words[j]) })
		list = append(list, e)
	}
	b, _ := json.MarshalIndent(list, "", " ")
	var back []entry
	json.Unmarshal(b, &back)
	page.Execute(&bytes.Buffer{}, back)
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: golong FILE SECONDS")
	}
	secs, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	f, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		log.Fatal(err)
	}
	end := time.Now().Add(time.Duration(secs) * time.Second)
	var wg sync.WaitGroup
	for g := 0; g < 2; g++ {
		wg.Add(1)
		go func(g int) {
			defer wg.Done()
			for i := g; time.Now().Before(end); i++ {
				check(roots[i%len(roots)])
				digest(roots[(i*3)%len(roots)])
			}
		}(g)
	}
	wg.Wait()
	pprof.StopCPUProfile()
	f.Close()
}
