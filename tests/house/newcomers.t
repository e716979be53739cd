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
mkdir tools
for c in text record; do
	ln -s "$bin/prof-$c" "tools/prof-$c"
done
cp "$src/cmd/prof" tools/prof
unset PROF_FETCH_HEADERS

# wrong COMMAND | MESSAGE: status 2, and one line with this.
n=0
while IFS='|' read -r command message; do
	n=$((n + 1))
	command=${command% }
	check_err "$command" 2 "$command </dev/null" "${message# }"
done <<'END'
prof-text -http=:8080 cpu.pb.gz | see prof-html FILE --open
prof-html --http=:8080 cpu.pb.gz | see prof-html FILE --open
prof-text -top cpu.pb.gz | long options begin with two dashes
prof-text -cum cpu.pb.gz | long options begin with two dashes
prof-dot -svg cpu.pb.gz | see prof-dot -T svg
prof-text --svg cpu.pb.gz | see prof-dot -T svg
prof-text --list=main cpu.pb.gz | see prof-list --list
prof-text --focsu=main cpu.pb.gz | unknown option '--focsu=main': --focus?
prof-text --nodecuont=5 cpu.pb.gz | --nodecount?
prof-text --base=old.pb.gz cpu.pb.gz | see prof-diff --base
prof-text cup.pb.gz | cup.pb.gz: No such file or directory
prof-text empty.pb.gz | empty input; did the command before fail?
prof-text app | prof-record makes a profile of a program
prof-text page.html | a profile's address ends in /debug/pprof/NAME
prof-text perf.data | looks like perf.data; use prof-import
prof-text out.folded | use prof-import
prof-text app cpu.pb.gz | looks like an ELF file; prof-symbolize --binary=FILE
prof-text http://localhost:6060/debug/pprof/heap | prof-fetch reads http://HOST/PAGE
prof-text localhost:6060 | prof-fetch reads http://HOST/PAGE and HOST:PORT
prof-text --sample_index=heap cpu.pb.gz | sample index "heap" must be one of: [samples cpu]
prof-text --focus='(' cpu.pb.gz | missing closing parenthesis at byte 1 of '('
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
tools/prof top cpu.pb.gz | no command 'top'; use prof text
tools/prof web cpu.pb.gz | use prof html --open FILE
tools/prof cpu.pb.gz | 'cpu.pb.gz' is a file, not a command; use prof text cpu.pb.gz
tools/prof -http=:8080 cpu.pb.gz | use prof html --open FILE
tools/prof run | run: no program to run
END
[ "$n" -ge 40 ] && ok "$n mistakes" || echo "$n" | not_ok '40 mistakes'
check 'prof-gate makes the folder of a baseline' 0 '
	prof-gate --save-baseline=new/deep/dir cpu.pb.gz && ls new/deep/dir | wc -l' <<'END'
1
END
check 'prof lists commands by task' 0 "tools/prof | grep -E '^(Record|Look|Begin)'" <<'END'
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
		*dot*) grep -q 'define HAVE_GRAPHVIZ 1' "$bin/config.h" || continue ;;
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
