#!/bin/sh
# prof-dot: drawings as pprof draws them, escaped, laid out.
. "${srcdir:-.}/tests/lib/tap.sh"

cp "$data/good-tiny.pb.gz" cpu.pb.gz

check 'the drawing of the manual of pprof' 0 'prof-dot cpu.pb.gz' <<'END'
digraph "demo" {
node [style=filled fillcolor="#f8f8f8"]
subgraph cluster_L { "File: demo" [shape=box fontsize=16 label="File: demo\lBuild ID: abc123\lType: cpu\lTime: 2023-11-14 22:13:20 UTC\lDuration: 2s, Total samples = 660ms (33.00%)\lShowing nodes accounting for 660ms, 100% of 660ms total\l\lSee https://git.io/JfYMW for how to read the graph\l" tooltip="demo"] }
N1 [label="main\n10ms (1.52%)\nof 660ms (100%)" id="node1" fontsize=11 shape=box tooltip="main (660ms)" color="#b20000" fillcolor="#edd5d5"]
N2 [label="helper\n300ms (45.45%)" id="node2" fontsize=24 shape=box tooltip="helper (300ms)" color="#b22500" fillcolor="#eddad5"]
N3 [label="leaf\n100ms (15.15%)\nof 400ms (60.61%)" id="node3" fontsize=18 shape=box tooltip="leaf (400ms)" color="#b21800" fillcolor="#edd8d5"]
N4 [label="rec\n200ms (30.30%)" id="node4" fontsize=22 shape=box tooltip="rec (200ms)" color="#b23500" fillcolor="#eddcd5"]
N5 [label="work\n50ms (7.58%)\nof 450ms (68.18%)" id="node5" fontsize=15 shape=box tooltip="work (450ms)" color="#b21300" fillcolor="#edd8d5"]
N1 -> N5 [label=" 450ms" weight=69 penwidth=4 color="#b21300" tooltip="main -> work (450ms)" labeltooltip="main -> work (450ms)"]
N5 -> N3 [label=" 400ms" weight=61 penwidth=4 color="#b21800" tooltip="work -> leaf (400ms)" labeltooltip="work -> leaf (400ms)"]
N3 -> N2 [label=" 300ms\n (inline)" weight=46 penwidth=3 color="#b22500" tooltip="leaf -> helper (300ms)" labeltooltip="leaf -> helper (300ms)"]
N1 -> N4 [label=" 200ms" weight=31 penwidth=2 color="#b23500" tooltip="main -> rec (200ms)" labeltooltip="main -> rec (200ms)"]
}
END

check 'fewer nodes' 0 \
	'prof-dot --nodecount=20 cpu.pb.gz | grep -c "^N[0-9]* \["' <<'END'
5
END

check 'which functions are kept' 0 '
	for order in "" --flat --cum; do
		prof-dot --nodecount=2 $order cpu.pb.gz | sed -n "s/^N[0-9]* \[label=.\([a-z]*\).*/\1/p" | paste -sd " "
	done' <<'END'
main helper
helper rec
main work
END

check 'percentages of the whole, filters in the legend' 0 \
	'prof-dot --focus=rec cpu.pb.gz | grep -o "Active filters.*total\\\\l"' <<'END'
Active filters:\l   focus=rec\lShowing nodes accounting for 200ms, 30.30% of 660ms total\l
END

# Names come from strangers: DOT, SVG, terminals.
printf '# cpu nanoseconds\nmain;a"b\\c<d>&e 5\n' >hostile.txt
printf '# cpu nanoseconds\nmain;x\033[31m 5\n' >terminal.txt
if mkprof hostile.txt >hostile.pb.gz 2>.err; then
	check 'quotes and backslashes are escaped' 0 \
		'prof-dot hostile.pb.gz | grep -cF "label=\"a\\\"b\\\\c<d>&e"' <<'END'
1
END
	mkprof terminal.txt >terminal.pb.gz
	check 'no control character comes out' 0 \
		'prof-dot terminal.pb.gz | tr -d "\n" | tr -d "[:print:]"' <<'END'
END
	# dot reads no string of 16 KiB; escaped, each byte of the second name is two.
	printf '# cpu nanoseconds\n%020000d;%s;x 5\n' 0 "$(printf '%09000d' 0 | tr 0 '"')" |
		mkprof >long.pb.gz
	check 'no string is too long for dot, and short ones are whole' 0 '
		prof-dot long.pb.gz >long.dot
		sed "s/[\\]\"/qq/g" long.dot | grep -o "\"[^\"]*\"" | awk "length(\$0) > 16000"
		grep -o "label=\"00*…\|label=\"x.n" long.dot | tr -d 0' <<'END'
label="x\n
label="…
END
else
	not_ok 'mkprof makes the fixture' <.err
fi

if prof-dot -T svg -o cpu.svg cpu.pb.gz 2>.err; then
	check 'an SVG that can be dragged' 0 \
		'grep -c "<svg width=\"100%\" height=\"100%\" viewBox=" cpu.svg; grep -c "CDATA" cpu.svg' <<'END'
1
1
END
	check 'an SVG loads nothing' 0 \
		'grep -oE "(href|src)=\"[^\"#]*\"" cpu.svg | sort -u' <<'END'
END
	prof-dot -T svg -o hostile.svg hostile.pb.gz
	check 'markup in names stays text' 0 \
		'grep -c "<d>" hostile.svg; grep -c "a&quot;b.c&lt;d&gt;&amp;e" hostile.svg' <<'END'
0
4
END
	if have xmllint; then
		check 'the SVG is well-formed' 0 \
			'xmllint --noout cpu.svg hostile.svg' </dev/null
	else
		skip 'the SVG is well-formed' 'no xmllint'
	fi
	for t in png:PNG pdf:%PDF ps:%!PS jpg:JFIF gif:GIF8; do
		prof-dot -T "${t%%:*}" -o pic cpu.pb.gz 2>.err &&
			head -c 12 pic | grep -qa "${t#*:}" &&
			ok "-T ${t%%:*}" || not_ok "-T ${t%%:*}" <.err
	done
	if have dot; then
		# The same layout as that of dot itself.
		prof-dot cpu.pb.gz | dot -Tplain >plain 2>.err &&
			ok 'dot reads it' || not_ok 'dot reads it' <.err
		{ prof-dot hostile.pb.gz; prof-dot long.pb.gz; } | dot -Tcanon >plain 2>.err &&
			[ ! -s .err ] && ok 'dot reads hostile names' ||
			not_ok 'dot reads hostile names' <.err
	else
		skip 'dot reads it' 'no dot'
	fi
	mkbig 5000 2000 2000 >large.pb.gz
	check_err 'too large to lay out' 2 \
		'prof-dot -T svg --trim=false large.pb.gz' \
		'too many to lay out; draw less with --nodecount'
	check_err 'a deadline' 2 \
		'prof-dot -T svg --layout-timeout=0.01 --nodecount=900 --nodefraction=0.003 --edgefraction=0.0007 large.pb.gz' \
		'the layout takes too long'
	check_err 'no such format' 2 'prof-dot -T bmp cpu.pb.gz' \
		'; one of dot, svg'
else
	skip 'pictures' "$(cat .err)"
fi

printf '# n count\na 50 {bytes=1B}\na 40 {bytes=2B}\na 30 {bytes=3B}\na 20 {bytes=5B}\na 10 {bytes=9180PB}\na 9 {bytes=9223372036854775807B}\n' >far
check 'labels near the end of 64 bits are grouped' 0 \
	'mkprof far | prof-dot | grep -o "^NN1_0 [^]]*tooltip=\"[0-9]*\""' <<'END'
NN1_0 [label = "1B..8192PB" id="NN1_0" fontsize=8 shape=box3d tooltip="69"
END

have go && pprof=$(go tool -n pprof 2>/dev/null) && [ -x "$pprof" ] || {
	skip_rest 'comparisons with pprof' 'no go tool pprof'
}

. "$src/tests/lib/compare.sh"
for f in tiny new old tags heap4 edges frames nosyms go-cpu go-heap go-allocs \
	go-mutex go-block go-goroutine go-conns go-cpu-long; do
	for o in '' -lines -files -addresses -filefunctions -call_tree \
		-nodecount=5 -nodecount=20 -noinlines -unit=ms -unit=auto \
		'-nodefraction=0.05 -edgefraction=0.05' -nodefraction=0 \
		-trim=false -mean -drop_negative -sample_index=0 -divide_by=2 \
		'-focus=a.*e' '-ignore=main' '-hide=t' '-show=e' \
		'-tagfocus=ann' '-nodecount=12 -lines -call_tree'; do
		row "$data/good-$f.pb.gz" "-dot${o:+ $o}"
	done
done
compare "$src/tests/dot/dot.known"
plan
