#!/bin/sh
# prof-list --weblist: the page against pprof's, its policy and its contents.
. "${srcdir:-.}/tests/lib/tap.sh"

need_symbols 'source pages'
tiny=$data/good-tiny.pb.gz
export tiny PPROF_TMPDIR=$scratch
mkdir -p demo/cwd
cd demo/cwd || exit 99
seq -f 'work line %g' 60 >../work.c
seq -f '	main line %g' 30 >../main.c
seq -f 'util line %g' 12 >../util.h

check 'a page' 0 'prof-list -q --weblist=leaf --trim-path=/src/demo $tiny |
	sed -n "/<h2>/,/<.pre>/p" | grep -v nop' <<'END'
<h2>leaf</h2><p class="filename">/src/demo/work.c</p>
<pre>
  Total:       400ms      400ms (flat, cum) 60.61%
<span class=line>     44</span> <span class="livesrc h3">       300ms      300ms           work line 44 </span><span class=asm>                                          <span class=inlinesrc title="helper">    util line 7                                                                 </span> <span class=unimportant>util.h:7</span>
</span>
<span class=line>     46</span> <span class="deadsrc h3">       100ms      100ms           work line 46 </span>
</pre>
END
check_err 'no match' 2 'prof-list --weblist zzz $tiny' 'no matches found for regexp: zzz'

# --- as pprof ---

# body FILE: the sections, in one spelling of entities and without what only
# one of the two has; cums are set aside: pprof counts recursion several times.
body() {
	sed -nE '/<h2>/,/<\/pre>/p' "$1" | sed -E '
		s/^.*<h2>/<h2>/; s/<pre onClick=[^>]*>/<pre>/
		s/class="([a-z]+) h[123]"/class=\1/g; /^<\/?section/d
		s/(<span class=inlinesrc) title="[^"]*"/\1/
		s/&(#34|quot);/"/g; s/&(#39|apos);/'\''/g; s/&#43;/+/g
		s/&(#60|lt);/</g; s/&(#62|gt);/>/g; s/&(#38|amp);/\&/g
		s/^(  Total: +[^ ]+) .*/\1/
		s/(<span class=(dead|live)src>  +[^ ]+ +)[^ ]+ /\1/'
}
if have go && pprof=$(go tool -n pprof 2>/dev/null) && [ -x "$pprof" ]; then
	goroot=/usr/lib/go-1.19/src
	same=0
	while read -r f re o; do
		# shellcheck disable=SC2086 # words
		$pprof -symbolize=none -weblist="$re" -output=theirs.html $o \
			"$data/good-$f.pb.gz" >.err 2>&1
		# shellcheck disable=SC2001,SC2046
		prof-list -q --weblist "$re" $(echo "$o" | sed 's/\(^\| \)-/\1--/g') \
			"$data/good-$f.pb.gz" >ours.html 2>>.err
		body theirs.html >a
		body ours.html >b
		if cmp -s a b && [ -s a ]; then
			same=$((same + 1))
		else
			diff a b | head -20 | cat - .err |
				not_ok "as pprof: $f -weblist=$re $o"
		fi
	done <<END
tiny leaf -trim_path=/src/demo
tiny . -trim_path=/src/demo
tiny main
tiny helper|work -trim_path=/src/demo -sample_index=0
tiny rec -unit=s
tags main
frames .
go-heap runtime -source_path=$goroot:$data/src
go-block . -source_path=$goroot:$data/src
go-mutex . -source_path=$goroot:$data/src
go-cpu runtime -source_path=$goroot:$data/src
END
	[ $same -gt 8 ] && ok "$same pages are pprof's, but for cums" ||
		echo "only $same" | not_ok 'pages are compared'
else
	skip 'as pprof' 'no go tool pprof'
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
			/^; .*hot.h:/ { line = $2; sub(/.*:/, "", line); next }
			/^; .*:[0-9]+/ { line = 0 }
			line == 4 && /^ +[0-9a-f]+:/ { sub(":", ""); print "0x" $1, ++n }'
	} | mkprof | prof-symbolize >hot.pb.gz 2>.err
	prof-list -q --weblist '^(mix|spin|main)$' hot.pb.gz >page.html
	# The cost of inlined code is flat on the lines of its callers.
	check 'each caller of inlined code has its cost' 0 '
		total=$(sed -n "s/^Total: \([0-9]*\)<.*/\1/p" page.html)
		sed -nE "s/.*<h2>([a-z]*)<.*/\1/p; s/^  Total: +([^ ]+) .*/\1/p" page.html |
			awk -v t="$total" "NR % 2 { f = \$1; next } { print f, \$1 == t }" | sort' <<'END'
main 1
mix 1
spin 1
END
	check 'inlined calls are named, with the lines that they came from' 0 "
		grep -c '<span class=inlinesrc title=\"mix\"> *a ^= a .* 17;' page.html | sed 's/[1-9][0-9]*/some/'
		grep -c '<span class=inlinesrc title=\"spin\"> *STEP(s);' page.html | sed 's/[1-9][0-9]*/some/'
		grep -c 'unimportant>hot.h:4' page.html | sed 's/[1-9][0-9]*/some/'" <<'END'
some
some
some
END
	{
		echo '# samples count'
		printf '@mapping 0x400000 0x410000 0 %s/hot\n' "$PWD"
		nm hot | sed -nE 's/^([0-9a-f]+) T (main|_Z3libi)$/0x\1 1/p'
	} | mkprof | prof-symbolize >calls.pb.gz 2>.err
	prof-list -q --weblist '^(main|lib)$' calls.pb.gz >links.html
	check 'a call is a link to the section of its function' 0 '
		n=$(grep -B1 "<h2>lib<" links.html | sed -n "s/.*id=\"\(s[0-9]*\)\".*/\1/p" | head -1)
		grep -o "<a href=\"#s[0-9]*\">callq [^<]*</a>" links.html | sed "s/#$n\"/#LIB\"/" | sort -u' <<'END'
<a href="#LIB">callq lib</a>
END
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
2
END
if have python3; then
	check 'its policy allows its own script and style, by hash' 0 'python3 -c "
import base64, hashlib, re
t = open(\"evil.html\").read()
for tag, policy in (\"script\", \"script-src\"), (\"style\", \"style-src\"):
	body = re.search(\"<%s>(.*?)</%s>\" % (tag, tag), t, re.S).group(1)
	h = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
	print(policy, \"%s \x27sha256-%s\x27\" % (policy, h) in t)
print(\"default-src \x27none\x27\" in t, \"http://\" in t or \"https://\" in t)"' <<'END'
script-src True
style-src True
True False
END
else
	skip 'its policy' 'no python3'
fi
if have xmllint; then
	check 'it is HTML' 0 'xmllint --html --noout evil.html 2>&1 | grep -v "Tag \(section\|nav\) invalid\|^<\(section\|nav\)\|^ *^" || :' <<'END'
END
else
	skip 'it is HTML' 'no xmllint'
fi
plan
