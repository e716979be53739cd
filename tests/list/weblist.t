#!/bin/sh
# prof-list --weblist: what the page has, against --list, --disasm and pprof.
. "${srcdir:-.}/tests/lib/tap.sh"

need_symbols 'source pages'
need_tools 'source pages' node
tiny=$data/good-tiny.pb.gz
export tiny
mkdir -p demo/cwd
cd demo/cwd || exit 99
seq -f 'work line %g' 60 >../work.c
seq -f '	main line %g' 30 >../main.c
seq -f 'util line %g' 12 >../util.h

# rows PAGE: what its Source view has: "= FUNCTION FILE", "self total line:text",
# and instructions, indented.
cat >rows <<'END'
#!/bin/sh
exec node "$src/tests/html/page-rows.mjs" "$src/cmd/html/js" "$1" 'source=1&g=lines'
END
chmod +x rows
rows=$PWD/rows
export rows

check 'a page' 0 'prof-list -q --weblist=leaf --trim-path=/src/demo $tiny >leaf.html
	"$rows" leaf.html | grep -v "^0 0"' <<'END'
= leaf work.c
0 300000000 44:work line 44
100000000 100000000 46:work line 46
END
check_err 'no match' 2 'prof-list --weblist zzz $tiny' 'no matches found for regexp: zzz'
check_err 'names of files are not searched' 2 'prof-list -q --weblist "main\.c" $tiny' 'no matches found'
check 'it begins with the source' 0 \
	'sh "$src/tests/lib/page-data.sh" <leaf.html | grep -ao "\"view\":\"[a-z]*\""' <<'END'
"view":"source"
END

# --- as pprof -list ---

# listed: flat, cum and text of each line; cums are set aside for pprof, which
# counts recursion several times, and texts of files that are not there.
listed() {
	sed -nE '
		s/^ROUTINE =* (.*) in (.*)$/= \1 \2/p
		s/^ *([^ ]+) +([^ ]+) +([0-9]+):(.*)/\1 \2 \3:\4/p' |
		sed -E '/^=/b; s/^\. /0 /; s/^([^ ]+) \. /\1 0 /; s/^(-?[0-9]+)[A-Za-z]* (-?[0-9]+)[A-Za-z]* /\1 \2 /' |
		one_spelling
}
one_spelling() {
	sed -E '/^=/{s/ (could not|open) .*//;b}; s/^([^:]*:)(\?\?\?|<(no source|beyond .*)>)$/\1/; s/[[:blank:]]+/ /g; s/ $//' |
		grep -v '^0 0 [0-9]*:$'
}
without_cum() {
	sed -E 's/^(-?[0-9]+) -?[0-9]+ /\1 /'
}
by_block() {
	awk '/^=/ { b = $0 } { print b "\t" NR "\t" $0 }' | sort -t '	' -k 1,1 -k 2,2n | cut -f 3-
}
pprof=
if have go; then
	pprof=$(go tool -n pprof 2>/dev/null) && [ -x "$pprof" ] || pprof=
fi
goroot=$(go env GOROOT 2>/dev/null)/src
same=0 theirs=0
while read -r f unit re o; do
	options=$(echo "$o" | sed 's/\(^\| \)-/\1--/g')
	# shellcheck disable=SC2086 # words
	prof-list -q --weblist "$re" $options "$data/good-$f.pb.gz" >page.html 2>.err
	"$rows" page.html 2>>.err | one_spelling | by_block >got
	# shellcheck disable=SC2086
	prof-list -q --unit="$unit" --list="$re" $options "$data/good-$f.pb.gz" 2>>.err | listed | by_block >want
	if cmp -s want got && [ -s want ]; then
		same=$((same + 1))
	else
		diff want got | head -20 | cat - .err | not_ok "as --list: $f $re $o"
	fi
	[ -n "$pprof" ] || continue
	# shellcheck disable=SC2086
	$pprof -symbolize=none -list="$re" -unit="$unit" $o "$data/good-$f.pb.gz" 2>.err |
		listed | without_cum | by_block | grep -v ':$' >want
	# pprof has no lines of a file that is not found.
	without_cum <got | grep -v ':$' >flat
	if cmp -s want flat && [ -s want ]; then
		theirs=$((theirs + 1))
	else
		diff want flat | head -20 | cat - .err | not_ok "as pprof -list: $f $re $o"
	fi
done <<END
tiny ns leaf -trim_path=/src/demo
tiny ns . -trim_path=/src/demo
tiny ns main
tiny count helper|work -trim_path=/src/demo -sample_index=0
tiny ns rec
tags ns main
frames ns .
go-heap bytes runtime -source_path=$goroot:$data/src
go-block ns . -source_path=$goroot:$data/src
go-mutex ns . -source_path=$goroot:$data/src
go-cpu ns runtime -source_path=$goroot:$data/src
END
[ $same -eq 11 ] && ok "$same pages are --list's" ||
	echo "only $same" | not_ok 'pages are compared'
if [ -z "$pprof" ]; then
	skip 'as pprof' 'no go tool pprof'
else
	[ $theirs -eq 11 ] && ok "$theirs pages are those of pprof -list, but for cums" ||
		echo "only $theirs" | not_ok 'pages are compared with pprof'
fi

# --- with code ---

if lacks 'prof-list --disasm=main "$data"/good-record-work.pb.gz' ||
	! have g++ nm llvm-objdump; then
	skip 'with code' 'no capstone, or no compiler'
else
	cp "$src"/tests/programs/hot/* .
	g++ -g -O2 -no-pie -o hot main.cc lib.cc
	{
		echo '# samples count'
		printf '@mapping 0x400000 0x410000 0 %s/hot\n' "$PWD"
		# Each instruction that is of line 4 of hot.h: inlined twice.
		llvm-objdump -d -l --no-show-raw-insn hot | awk '
			/^; .*hot.h:/ { line = $0; sub(/.*:/, "", line); next }
			/^; .*:[0-9]+/ { line = 0 }
			line == 4 && /^ +[0-9a-f]+:/ { sub(":", ""); print "0x" $1, ++n }'
	} | mkprof | prof-symbolize >hot.pb.gz 2>.err
	prof-list -q --weblist '^(mix|spin|main)$' hot.pb.gz >page.html
	"$rows" page.html >hot.rows
	# A caller has it in total, the inlined function itself.
	check 'each caller of inlined code has its cost' 0 '
		total=$(prof-text --top hot.pb.gz 2>&1 | sed -nE "s/^Showing nodes accounting for ([0-9]+),.*/\1/p")
		awk -v t="$total" "/^=/ { name = \$2 } /^[0-9]/ { self[name] += \$1; cum[name] += \$2 }
			END { for (n in cum) print n, self[n] == t, cum[n] == t }" hot.rows | sort' <<'END'
main 0 1
mix 1 1
spin 0 1
END
	# The instructions below a line, and what they cost: as --disasm.
	check 'instructions are those of --disasm' 0 '
		prof-list -q --disasm="^main\$" --unit=count hot.pb.gz |
			sed -nE "s/^ +([0-9.]+) +([0-9.]+) +([0-9a-f]+): ([^;]*[^; ]) *(;.*)?\$/\3 \1 \2 \4/p" |
			awk "{ for (i = 2; i < 4; i++) sub(/^\\.\$/, 0, \$i); print }" | tr -s " " | grep -v nop | sort -u >want
		awk "/^=/ { is_main = \$2 == \"main\" } is_main && /^ /" hot.rows |
			sed "s/ ; .*//; s/^ *//; s/ *\$//" | tr -s " " | grep -v nop | sort -u >got
		grep -c . want | sed "s/[0-9][0-9]/many/"; diff want got' <<'END'
many
END
	check 'inlined calls are named, with the lines that they came from' 0 "
		grep -c ' ; spin main.cc:11 ; mix hot.h:4' hot.rows | sed 's/[1-9][0-9]*/some/'
		sed -n '/^= main/,/^= /p' hot.rows | grep -c ' ; spin main.cc:11$' | sed 's/[1-9][0-9]*/some/'" <<'END'
some
some
END
	{
		echo '# samples count'
		printf '@mapping 0x400000 0x410000 0 %s/hot\n' "$PWD"
		nm hot | sed -nE 's/^([0-9a-f]+) T (main|_Z3libi)$/0x\1 1/p'
	} | mkprof | prof-symbolize >calls.pb.gz 2>.err
	check 'a function by its address' 0 '
		prof-list -q --weblist 0x$(nm hot | sed -n "s/^0*\([0-9a-f]*\) T _Z3libi\$/\1/p") calls.pb.gz >lib.html
		"$rows" lib.html | sed -n "s/^= \([^ ]*\) .*/\1/p"' <<'END'
lib
END
	check_err 'an address that is not there' 2 'prof-list --weblist 0x1 calls.pb.gz' \
		'no matches found for address: 0x1'
fi

# --- the page itself ---

mkprof >evil.pb.gz <<'END'
# samples count
<script>alert(1)</script> (<b>&"'.c:3) 1
END
prof-list -q --weblist . evil.pb.gz >evil.html
check 'names are escaped' 0 "grep -c '<b>\|<script>alert' evil.html
	grep -c '&#60;script&#62;alert\|&lt;script&gt;alert' evil.html" <<'END'
0
1
END
plan
