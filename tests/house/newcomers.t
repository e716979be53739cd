#!/bin/sh
# What a newcomer gets wrong, and what the message must say: what is wrong, and
# what to type.
. "${srcdir:-.}/tests/lib/tap.sh"

cp "$data/good-tiny.pb.gz" cpu.pb.gz
cp "$data/bad-perf.data" perf.data
cp "$bin/prof-text" app 2>/dev/null || cp /bin/true app
printf '#!/bin/sh\n:\n' >script.sh
chmod +x script.sh
printf 'main;work 5\n' >out.folded
echo '<html><body>404</body></html>' >page.html
: >empty.pb.gz
echo 'int main;' >notes.txt
echo 'print(1)' >app.py
gzip <notes.txt >notes.txt.gz
echo '<?xml version="1.0"?><svg width="9"></svg>' >flame.svg
printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0\76\0' >core
mkdir folder
unset PROF_FETCH_HEADERS BROWSER DISPLAY WAYLAND_DISPLAY

# wrong COMMAND | MESSAGE: status 2, and one line with this.
n=0
while IFS='|' read -r command message; do
	n=$((n + 1))
	command=${command% }
	case $command in
	*'<'*) check_err "$command" 2 "$command" "${message# }" ;;
	*) check_err "$command" 2 "$command </dev/null" "${message# }" ;;
	esac
done <<'END'
prof-text -v cpu.pb.gz | unknown option '-v': -V?
prof-text -help | long options begin with two dashes: --help
prof-text -peek=main cpu.pb.gz | long options begin with two dashes: --peek
prof-text -sample_index=cpu cpu.pb.gz | long options begin with two dashes: --sample-index
prof-text -inuse_space cpu.pb.gz | long options begin with two dashes: --inuse-space
prof-text -diff_base=old.pb.gz cpu.pb.gz | see prof-diff --diff-base
prof-text -png cpu.pb.gz | see prof-dot -T png
prof-text -web cpu.pb.gz | see prof-dot -T svg
prof-text -disasm=main cpu.pb.gz | see prof-list --disasm
prof-text -seconds=5 cpu.pb.gz | see prof-fetch --seconds
prof-text -10 cpu.pb.gz | unknown option '-10': --nodecount=10?
prof-text -n 10 cpu.pb.gz | see prof-text --nodecount
prof-text --sort=cum cpu.pb.gz | see --cum
prof-text --granularity=lines cpu.pb.gz | see prof-text --lines
prof-text --csv cpu.pb.gz | --tsv?
prof-text --flamegraph cpu.pb.gz | see prof-flame
prof-text --unit=parsec cpu.pb.gz | unknown unit 'parsec'; one of auto,
prof-text --focus cpu.pb.gz | no file to read: 'cpu.pb.gz' is the argument of --focus
prof-text folder | Is a directory; name the files in it: folder/*
prof-text notes.txt | looks like text; prof-import reads folded stacks and that of perf script
prof-text notes.txt.gz | looks like text; prof-import reads folded stacks and that of perf script
prof-text flame.svg | looks like a picture (SVG); give the profile that it was made of
prof-text core | a core dump, which holds one moment; gdb shows its stacks, prof-record
prof-text script.sh | looks like a script; prof-record ./script makes a profile of it
prof-text <perf.data | looks like perf.data; use prof-import
prof-fetch localhost:web | the port of a server, HOST:PORT, is a number up to 65535
prof-fetch 127.0.0.1 | a server needs a port: prof-fetch 127.0.0.1:PORT
prof-fetch web1 | a server needs a port: prof-fetch web1:PORT
prof-fetch 6060 | a server needs a host: prof-fetch localhost:6060
prof-fetch http:/web1:80/x | an address begins with http:// or https://
prof-fetch file:///tmp/cpu.pb.gz | a file is named by its path, /tmp/cpu.pb.gz
prof-fetch --heap web1:80 | the page is a part of the address: HOST:PORT/debug/pprof/heap
prof-record ./missing | ./missing: No such file or directory
prof-record ./cpu.pb.gz | ./cpu.pb.gz: not a program; use prof-text ./cpu.pb.gz
prof-record cpu.pb.gz | cpu.pb.gz: not a program; use prof-text cpu.pb.gz
prof-record perf.data | perf.data: not a program; use prof-import perf.data
prof-record app.py | app.py: not a program; use prof-record python3 app.py
prof-record ./notes.txt | ./notes.txt: Permission denied; chmod +x makes it a program
prof-record --seconds=10s --all | --seconds: '10s' is not a number from 1 to 1073741824; write it without 's'
prof-record -F 99Hz ./app | '99Hz' is not a number from 1 to 10000; write it without 'Hz'
prof-fetch --seconds=5s web1:80 | '5s' is not a number from 1 to 1000000; write it without 's'
prof-history --new --min-share=50% folder | --min-share: '50%' is not a number; write it without '%'
prof-gate --min-change=10% cpu.pb.gz -- cpu.pb.gz | '10%' is not a number; write it without '%'
prof-text --nodefraction=5% cpu.pb.gz | '5%' is not a fraction from 0 to 1: 0.05 is 5 %
prof-text --nodefraction=5 cpu.pb.gz | '5' is not a fraction from 0 to 1: 0.05 is 5 %
prof-dot --edgefraction=1% cpu.pb.gz | '1%' is not a fraction from 0 to 1: 0.05 is 5 %
prof-text top cpu.pb.gz | top: No such file or directory; leave it out: prof-text does that
prof-list main top cpu.pb.gz | top: No such file or directory; see prof-text
prof-text tree cpu.pb.gz | tree: No such file or directory; see prof-text --tree
prof-text web cpu.pb.gz | web: No such file or directory; see prof-dot -T svg
prof-flame cpu.pb.gz out.svg | out.svg: No such file or directory; -o out.svg would write it
prof-html cpu.pb.gz out.html | out.html: No such file or directory; -o out.html would write it
prof-merge 'web*.pb.gz' | web*.pb.gz: No such file or directory; no file has a name of that pattern
prof-export --to=svg cpu.pb.gz | one of callgrind, cpuprofile, firefox, folded, otlp, otlp-json, speedscope; see prof-dot -T svg
prof-export --to=flamegraph cpu.pb.gz | otlp-json, speedscope; see prof-flame
prof-import out.folded out.pb.gz | out.pb.gz: No such file or directory; -o out.pb.gz would write it
prof-export --to=folded cpu.pb.gz cpu.folded | cpu.folded: No such file or directory; -o cpu.folded would write it
prof-import --to=folded cpu.pb.gz | see prof-export --to
prof-text --stdio cpu.pb.gz | unknown option '--stdio': leave it out: prof-text does that
prof-text --no-children cpu.pb.gz | leave it out: prof-text does that
prof-text --percent-limit=1 cpu.pb.gz | see prof-text --nodefraction
prof-text --grep=main cpu.pb.gz | see prof-filter --focus
prof-export --to=folded --focus=main cpu.pb.gz | unknown option '--focus=main': see prof-filter --focus
prof-merge -tagfocus=ann cpu.pb.gz | see prof-filter --tagfocus
prof-diff --cum old.pb.gz cpu.pb.gz | see prof-text --cum
prof pprof cpu.pb.gz | use prof text
prof script perf.data | use prof text --traces
prof tree cpu.pb.gz | use prof text --tree
prof tags cpu.pb.gz | use prof text --tags
prof proto cpu.pb.gz | use prof filter
prof callgrind cpu.pb.gz | use prof export --to callgrind
prof-record -p 1 | processes that run already: see --pid
prof-record -a | the whole machine: see --all
prof-record -e cycles ./app | see --event
prof-record -g ./app | stacks are always recorded
prof-record --call-graph dwarf ./app | stacks are always recorded
prof-record --pid app | not a list of process numbers, as pgrep -d, NAME prints
prof-record --duration=5 ./app | see prof-record --seconds
prof-record --clock=cpus ./app | unknown clock 'cpus'; one of cpu, wall, perf
prof-merge -o cpu.pb.gz | no file to read: 'cpu.pb.gz' is the argument of -o
prof-flame --svg cpu.pb.gz | it writes SVG: use -o FILE
prof-html --port=8080 cpu.pb.gz | see prof-html FILE --open
prof-export cpu.pb.gz | no format: give one with --to: callgrind, cpuprofile,
prof-export --format=speedscope cpu.pb.gz | see prof-export --to
prof-import --from=otlp out.folded | it looks like a file of format folded
prof-filter --sample-index=cpu cpu.pb.gz | see --keep-types
prof-history --function=main | no archive given: name a folder of profiles
prof report cpu.pb.gz | use prof text
prof svg cpu.pb.gz | use prof dot -o FILE.svg
prof prof-text cpu.pb.gz | use prof text
prof-text -http=:8080 cpu.pb.gz | see prof-html FILE --open
prof-html --http=:8080 cpu.pb.gz | see prof-html FILE --open
prof-text -top cpu.pb.gz | long options begin with two dashes
prof-text -cum cpu.pb.gz | long options begin with two dashes
prof-dot -svg cpu.pb.gz | see prof-dot -T svg
prof-html --diff old.pb.gz cpu.pb.gz | see prof-diff BASE NEW | ...
prof-text --where=x cpu.pb.gz | see prof-filter --where
prof-text --svg cpu.pb.gz | see prof-dot -T svg
prof-text --list=main cpu.pb.gz | see prof-list --list
prof-text --focsu=main cpu.pb.gz | unknown option '--focsu=main': --focus?
prof-text --nodecuont=5 cpu.pb.gz | --nodecount?
prof-text --base=old.pb.gz cpu.pb.gz | see prof-diff --base
prof-text cup.pb.gz | cup.pb.gz: No such file or directory
prof-text empty.pb.gz | empty input; did the command that wrote it fail?
prof-text app | prof-record makes a profile of a program
prof-text page.html | a profile's address ends in /debug/pprof/NAME
prof-text perf.data | looks like perf.data; use prof-import
prof-text out.folded | use prof-import
prof-text app cpu.pb.gz | looks like an ELF file; prof-symbolize --binary=FILE
prof-text http://localhost:6060/debug/pprof/heap | prof-fetch reads http://HOST/PAGE
prof-text localhost:6060 | prof-fetch reads http://HOST/PAGE and HOST:PORT
prof-text --sample_index=heap cpu.pb.gz | sample index "heap" must be one of: [samples cpu]
prof-text --focus='(' cpu.pb.gz | missing closing parenthesis at byte 1 of '('
prof-text --focus='sync.(*Mutex).Lock' cpu.pb.gz | byte 12 of 'sync.(*Mutex).Lock'; \Q...\E takes a name as it is
prof-text --peek='f(int)' cpu.pb.gz | no matches found for regexp: f(int); \Q...\E takes a name as it is
prof-flame --pivot='f(int)' cpu.pb.gz | no matches found for regexp: f(int); \Q...\E takes a name as it is
prof-list 'f(int)' cpu.pb.gz | prof-text lists the functions; \Q...\E takes a name as it is
prof-text --nodecount=many cpu.pb.gz | 'many' is not a number from -1 up
prof-text --diff cpu.pb.gz | no difference: no sample has the label
prof-list cpu.pb.gz | use prof-list REGEX cpu.pb.gz
prof-list cpu.pb.gz main | use prof-list main cpu.pb.gz
prof-list | no REGEX: use prof-list REGEX FILE
prof-list nosuch cpu.pb.gz | no matches found for regexp: nosuch; prof-text lists the functions
prof-fetch localhost | a server needs a port: prof-fetch localhost:PORT
prof-fetch web1/debug/pprof/heap | a server needs a port: prof-fetch web1:PORT/debug/pprof/heap
prof-fetch ftp://web1/heap | unsupported protocol 'ftp'; use http, https, unix:/SOCKET or s3
prof-fetch unix:app.sock | expected unix:/PATH or unix:/PATH:/PAGE
prof-fetch --header=secret web1:80 | --header: expected a header, 'Name: value'
prof-record | no command to run: use prof-record ./app, or --pid N
prof-record script.sh | script.sh: command not found; use ./script.sh
prof-record -pid 1 | unknown option '-pid': long options begin with two dashes
prof-record -F 0 ./app | --frequency: '0' is not a number from 1 to
prof-text --pid 1 | see prof-record --pid
prof-diff cpu.pb.gz | needs two operands, BASE and NEW, not 1
prof-import --tags cpu.pb.gz | see prof-text --tags
prof-import app | looks like an ELF file
prof-merge cpu.pb.gz out.folded | out.folded: not a profile: looks like a file of format folded; use prof-import
prof-html cpu.pb.gz -o missing/x.html | No such file or directory; make the folder missing first
prof-gate cpu.pb.gz cpu.pb.gz | no base: prof-gate BASE... -- NEW..., or --baseline=FILE
prof-gate cpu.pb.gz -- | no new profile after '--'
prof-history cpu.pb.gz | no question: --function=NAME
prof-thin missing | missing: No such file or directory
prof-dot -T jpgg cpu.pb.gz | unknown format 'jpgg'; one of dot
prof top cpu.pb.gz | no command 'top'; use prof text
prof web cpu.pb.gz | use prof html --open FILE
prof cpu.pb.gz | 'cpu.pb.gz' is a file, not a command; use prof text cpu.pb.gz
prof -http=:8080 cpu.pb.gz | use prof html --open FILE
prof run | run: no program to run: use prof run ./app
END
[ "$n" -ge 120 ] && ok "$n mistakes" || echo "$n" | not_ok '120 mistakes'
check 'prof-gate makes the folder of a baseline' 0 '
	prof-gate --save-baseline=new/deep/dir cpu.pb.gz && ls new/deep/dir | wc -l' <<'END'
1
END
check_err 'prof-import adds a profile that is there' 0 '
	prof-import out.folded -o again.pb.gz && prof-import out.folded again.pb.gz >both.pb.gz' \
	'again.pb.gz: a profile already, which is added; -o again.pb.gz would write it'
check 'a page without a display' 2 'prof-html --open -o cpu.html cpu.pb.gz 2>&1 | sed "s, /.*/, ,"; [ -s cpu.html ]
	prof-html -q --open -o cpu.html cpu.pb.gz' <<'END'
prof-html: no display, and no $BROWSER; the page is in cpu.html
END
check_err 'a browser that is not there' 2 'BROWSER=./none prof-html --open -o cpu.html cpu.pb.gz' \
	'no display, and what $BROWSER names did not start; the page is in'
if grep -q 'define HAVE_LIBGVC 1' "$bin/config.h"; then
	check 'the name of a picture says its format' 0 '
		prof-dot -o cpu.svg cpu.pb.gz && head -c5 cpu.svg && prof-dot -o cpu.graph cpu.pb.gz && head -c8 cpu.graph && echo' <<'END'
<?xmldigraph 
END
else
	skip 'the name of a picture says its format' 'no graphviz'
fi
check 'prof lists commands by task' 0 "prof | grep -E '^(Record|Look|Begin)'" <<'END'
Begin with: prof run ./app
Record
Look
END

# --- terminals: one rule ---

if have script; then
	for row in "prof-flame cpu.pb.gz|a picture" "prof-html cpu.pb.gz|a page" \
		"prof-dot -T svg cpu.pb.gz|a picture" "prof-merge cpu.pb.gz|a profile" \
		"prof-export --to otlp cpu.pb.gz|this format"; do
		case $row in
		*dot*) grep -q 'define HAVE_LIBGVC 1' "$bin/config.h" || continue ;;
		esac
		check "${row%|*} on a terminal" 0 "
			script -qec '${row%|*}' /dev/null </dev/null | tr -d '\r' |
				grep -c '${row#*|} is not written to a terminal; use -o FILE'" <<'END'
1
END
	done
else
	skip 'terminals' 'no script'
fi
plan
