#!/bin/sh
# prof-flame: the widths of boxes are those of prof-text; one safe SVG.
. "${srcdir:-.}/tests/lib/tap.sh"

cp "$data/good-tiny.pb.gz" cpu.pb.gz
cat >a.txt <<'END'
# cpu nanoseconds
main;work;leaf 30
main;work 10
main;idle 20
END
cat >b.txt <<'END'
# cpu nanoseconds
main;work;leaf 30
main;fresh 25
END
mkprof a.txt >a.pb.gz
mkprof b.txt >b.pb.gz
prof-diff --diff-base a.pb.gz b.pb.gz >d.pb.gz

# boxes FILE: name, amounts, x, y, width, class of each box, as the script reads
# them; a box is drawn up to a pixel narrower.
boxes() {
	sed -n 's|.*<metadata id="boxes">\([^<]*\)<.*|\1|p' "$1" | base64 -d | gunzip | awk '
		function number(x) { x = sprintf("%.2f", x); sub(/\.?0*$/, "", x); return x }
		NR == 1 { top = $2 }
		NR == 2 { split($0, shade, " ") }
		NR == 3 { n = split($0, name, " ") }
		NR == 4 { split($0, below, " ") }
		NR == 5 { split($0, gap, " ") }
		NR == 6 { split($0, wide, " ") }
		NR == 7 { split($0, amounts, "\t") }
		NR > 7 { names[NR - 8] = $0 }
		END {
			for (i = 1; i <= n; i++) {
				split(name[i] < 0 ? "54\t" (-name[i]) " smaller frame" (name[i] < -1 ? "s" : "") : names[name[i]], part, "\t")
				look = shade[i] == "" ? part[1] : shade[i]
				id = row += below[i]
				x = edge[id] + gap[i]
				edge[id] = x + wide[i]
				edge[id + (id < 0 ? -1 : 1)] = x
				if (!id)
					edge[-1] = x
				w = wide[i] / 100
				w -= w / 4 < 1 ? w / 4 : 1
				print part[2] (part[1] ~ /i/ ? " (inlined)" : "") " " amounts[i] ": x " number(10 + x / 100) " y " top + 17 * row " w " number(w) " c" look + 0 (look ~ /u/ ? " hatched" : "")
			}
		}'
}

cat >boxes.sh <<END
$(sed -n '/^boxes() {/,/^}/p' "$src/tests/flame/flame.t")
boxes "\$1"
END

check 'a box for each place in the tree, the widest sibling first' 0 \
	'prof-flame a.pb.gz >a.svg; sh boxes.sh a.svg | sed "s/ c[0-9]*$//"' <<'END'
all 60ns (100%): x 10 y 48 w 1179
main 60ns (100%), self 0: x 10 y 65 w 1179
work 40ns (66.67%), self 10ns: x 10 y 82 w 785.67
leaf 30ns (50.00%), self 30ns: x 10 y 99 w 589
idle 20ns (33.33%), self 20ns: x 796.67 y 82 w 392.33
END

check 'by name, root below, and from the leaves' 0 \
	'prof-flame --order=name --flip a.pb.gz >a.svg; sh boxes.sh a.svg |
		sed "s/ w .*//"; prof-flame --reverse a.pb.gz >a.svg
		sh boxes.sh a.svg | sed "s/: x.*//"' <<'END'
all 60ns (100%): x 10 y 99
main 60ns (100%), self 0: x 10 y 82
idle 20ns (33.33%), self 20ns: x 10 y 65
work 40ns (66.67%), self 10ns: x 403.33 y 65
leaf 30ns (50.00%), self 30ns: x 403.33 y 48
all 60ns (100%)
leaf 30ns (50.00%)
work 30ns (50.00%)
main 30ns (50.00%)
idle 20ns (33.33%)
main 20ns (33.33%)
work 10ns (16.67%)
main 10ns (16.67%)
END

check 'a difference has both sides, and says so in words' 0 \
	'prof-flame d.pb.gz >d.svg; sh boxes.sh d.svg | sed "s/x .* w //"' <<'END'
all before 60ns (100%), after 55ns (100%), -5ns -8.3%: 1179 c53
main before 60ns (100%), after 55ns (100%), -5ns -8.3%: 1179 c57 hatched
work before 40ns (66.67%), after 30ns (54.55%), -10ns -25.0%: 554.29 c56 hatched
leaf before 30ns (50.00%), after 30ns (54.55%), the same: 415.47 c59 hatched
fresh before 0 (0%), after 25ns (45.45%), +25ns new: 346.06 c63 hatched
idle before 20ns (33.33%), after 0 (0%), -20ns gone: 276.65 c55 hatched
END

check 'without a script: a path for each colour, and labels; change and doubt' 0 \
	'prof-flame --no-script a.pb.gz | sed -n "/id=.f./,/id=.d./p" | sed "\$d"
	awk "/^#/ || sub(/30/, 30000)" a.txt | mkprof >more.pb.gz
	{ prof-diff --diff-base a.pb.gz more.pb.gz | prof-flame --no-script
		prof-flame --no-script d.pb.gz; } |
		grep -oE "<g mask[^>]*>|>[^<]*(leaf|idle|fresh|work)<"' <<'END'
<g id="f"><g>
<path class="c0" d="M10 73h1179M10 90h786"/>
<path class="c1" d="M797 90h392M10 107h589"/>
<path class="c53" d="M10 56h1179"/></g>
<text x="13" y="60">all</text><text x="13" y="77">main</text><text x="13" y="94">work</text><text x="13" y="111">leaf</text><text x="800" y="94">idle</text></g>
>×750 work<
>×1000 leaf<
<g mask="url(#u)">
>−25% work<
>leaf<
>new fresh<
>gone idle<
END

check 'widths of a difference: one side, or the change' 0 \
	'for s in before after change; do prof-flame --diff-width=$s d.pb.gz >d.svg
		echo "$s: $(sh boxes.sh d.svg | cut -d" " -f1 | tr "\n" " ")"; done' <<'END'
before: all main work leaf idle 
after: all main work leaf fresh 
change: all main fresh idle work 
END

check 'small siblings are one box, and counted' 0 \
	'prof-flame --min-width=450 a.pb.gz >a.svg; sh boxes.sh a.svg | cut -d: -f1
	 prof-flame --min-width=400 --order=name a.pb.gz >a.svg
	 grep -o "[0-9]* of [0-9]* frames are drawn" a.svg' <<'END'
all 60ns (100%)
main 60ns (100%), self 0
work 40ns (66.67%), self 10ns
leaf 30ns (50.00%), self 30ns
4 of 5 frames are drawn
END

check 'the search adds up stacks once' 0 \
	'prof-flame --search="work|leaf" a.pb.gz | sed -n "s/.* · matched \([^<]*\)<.*/\1/p"' <<'END'
40ns (66.67%)
END

check '--max-boxes' 0 \
	'prof-flame --max-boxes=20 "$data/good-go-cpu-long.pb.gz" >a.svg
	 n=$(sh boxes.sh a.svg | wc -l); test $n -gt 2 && test $n -le 20 && echo yes' <<'END'
yes
END

printf '# cpu nanoseconds\na/b.F;a/b.(*T).G 2\na/b.F;std::x;std::y<int>::z 7\na/b.F;com.acme.foo.Bar.baz;<alloc::Vec<T> as core::X>::f;$lists:seq/2 3\n@mapping 0x1000 0x2000 0 [kernel.kallsyms]_stext\na/b.F;clear_page 4\n' >go.txt
mkprof go.txt >go.pb.gz
check '--by=package joins what is of one package' 0 \
	'prof-flame --by=package go.pb.gz >a.svg; sh boxes.sh a.svg | sed "s/: x.*//"
	 prof-flame --by=binary cpu.pb.gz >a.svg; sh boxes.sh a.svg | cut -d: -f1' <<'END'
all 16ns (100%)
a/b 16ns (100%), self 2ns
std 7ns (43.75%), self 7ns
[kernel.kallsyms] 4ns (25.00%), self 4ns
com.acme.foo 3ns (18.75%), self 0
alloc 3ns (18.75%), self 0
lists 3ns (18.75%), self 3ns
all 660ms (100%)
demo 660ms (100%), self 660ms
END

cat >labels.txt <<'END'
# cpu nanoseconds
main;work 3 {user="ann"}
main;work 4 {user="bob"}
END
mkprof labels.txt >labels.pb.gz
check '--by=label puts the values of a label below the root' 0 \
	'prof-flame --by=label:user labels.pb.gz >a.svg; sh boxes.sh a.svg | sed "s/: x.*//"' <<'END'
all 7ns (100%)
bob 4ns (57.14%), self 0
main 4ns (57.14%), self 0
work 4ns (57.14%), self 4ns
ann 3ns (42.86%), self 0
main 3ns (42.86%), self 0
work 3ns (42.86%), self 3ns
END

printf '# cpu nanoseconds\nm;std::vector<std::pair<int,int>>::push_back 1\nm;ns::sort<int,a::b> 1\nm;x/y.(*T).Method 1\nm;a::operator<< 1\nm;q::try_query::<> 1\n' >names.txt
mkprof names.txt >names.pb.gz
check 'names in boxes keep their last part, and brackets whole' 0 \
	'for w in 545 345; do prof-flame --width=$w --order=name names.pb.gz |
		grep -o "y=.94.>[^<]*" | cut -d">" -f2 | tr "\n" " "; echo; done' <<'END'
a::operator&#60;&#60; sort&#60;…t,a::b&#62; try_query::&#60;&#62; push_back y.(*T).Method 
ope…or&#60;&#60; sor…::b&#62; try…::&#60;&#62; pus…back Method 
END

# --- a pivot in the middle ---

cat >pivot.txt <<'END'
# cpu nanoseconds
main;work;leaf;deep 30
main;work 10
main;idle;leaf 20
main;leaf;leaf;deep 5
main;other 7
END
mkprof pivot.txt >pivot.pb.gz
check 'callers above the pivot, callees below, from its outermost place' 0 \
	'prof-flame --pivot="^leaf$" pivot.pb.gz >a.svg; sh boxes.sh a.svg |
		sed "s/ w .*//"' <<'END'
leaf 55ns (76.39%): x 10 y 82
deep 30ns (41.67%), self 30ns: x 10 y 99
leaf 5ns (6.94%), self 0: x 653.64 y 99
deep 5ns (6.94%), self 5ns: x 653.64 y 116
work 30ns (41.67%): x 10 y 65
main 30ns (41.67%): x 10 y 48
idle 20ns (27.78%): x 653.64 y 65
main 20ns (27.78%): x 653.64 y 48
main 5ns (6.94%): x 1082.73 y 65
END
check 'and the other way round' 0 \
	'prof-flame --flip --pivot="^leaf$" pivot.pb.gz >a.svg; sh boxes.sh a.svg |
		sed -n "s/ [0-9]*ns.* y / /; s/ w .*//p"' <<'END'
leaf 82
deep 65
leaf 65
deep 48
work 99
main 116
idle 99
main 116
main 99
END
check 'a pivot of several names; the search on both sides' 0 \
	'prof-flame --pivot="work|leaf" --search="deep|main" pivot.pb.gz |
		sed -n "s/.*y=\"39\">\([^<]*\)<.*/\1/p"
	prof-flame --by=binary --pivot=demo cpu.pb.gz >a.svg
	sh boxes.sh a.svg | cut -d: -f1' <<'END'
work|leaf (2 names) 65ns (90.28%) · matched 35ns (48.61%) of callees, 65ns (90.28%) of callers
demo 660ms (100%)
END
check 'a pivot of a difference' 0 \
	'prof-flame --pivot=work d.pb.gz >d.svg; sh boxes.sh d.svg | sed "s/: x.*//"' <<'END'
work before 40ns (66.67%), after 30ns (54.55%), -10ns -25.0%
leaf before 30ns (50.00%), after 30ns (54.55%), the same
main before 40ns (66.67%), after 30ns (54.55%), -10ns -25.0%
END
n=0
for f in "$data"/good-tiny.pb.gz "$data"/good-go-cpu-long.pb.gz; do
	prof-text -q --cum --trim=false --tsv "$f" | awk -F'\t' \
		'NR % 60 == 2 && $2 > 0 && $4 ~ /^[A-Za-z_.\/]*$/ { print $2, $4 }' >functions
	while read -r cum name; do
		n=$((n + 1))
		prof-flame -q --unit=ns --min-width=100 --pivot="^\\Q$name\\E\$" "$f" >f.svg
		[ "$(boxes f.svg | sed -n '1s/ (.*//p')" = "$name ${cum}ns" ] ||
			echo "$name: not $cum"
	done <functions
done >.bad
[ $n -ge 9 ] && [ ! -s .bad ] && ok "$n pivots have the cum of prof-text" ||
	not_ok "$n pivots have the cum of prof-text" <.bad
check_err 'a pivot that matches nothing' 2 'prof-flame --pivot=zzz a.pb.gz' \
	'no matches found for regexp: zzz'
check_err 'a pivot of reversed stacks' 2 'prof-flame --reverse --pivot=x a.pb.gz' \
	'--pivot and --reverse exclude each other'

check_err '--mean is refused' 2 'prof-flame --mean a.pb.gz' 'do not add up'
check_err '--by=label needs a key' 2 'prof-flame --by=label: a.pb.gz' "--by: 'label:' is not label:KEY"
check_err 'labels at the root, asked for twice' 2 'prof-flame --tagroot=x --by=label:user labels.pb.gz' \
	'--by=label:user and --tagroot exclude each other'
check 'of several kinds of box the last counts' 0 '
	prof-flame --by=label:user --by=frame labels.pb.gz >a.svg; prof-flame labels.pb.gz | cmp - a.svg' </dev/null
for o in --share --diff-width=before; do
	check_err "$o is of differences" 2 "prof-flame $o a.pb.gz" 'no difference: no sample has the label'
done
check_err 'an unknown word' 2 'prof-flame --theme=blue a.pb.gz' "unknown theme 'blue'; one of auto, light, dark"

# The same widths as the numbers of prof-text, for every function.
n=0
for f in "$data"/good-go-cpu*.pb.gz "$data"/good-tiny.pb.gz; do
	found "$f" || continue
	n=$((n + 1))
	prof-flame -q --max-boxes=0 --min-width=0 --reverse "$f" >f.svg
	boxes f.svg | grep ' y 65 ' | sed 's/ (.*//; s/ [^ ]*$//' |
		sort >drawn
	prof-text -q --trim=false --tsv "$f" | awk -F'\t' \
		'NR > 1 && $1 + 0 > 0 { print $NF }' | sort >printed
	if [ -s drawn ] && [ "$(wc -l <drawn)" -eq "$(wc -l <printed)" ]; then
		ok "${f##*/}: a box for each function with values of its own"
	else
		diff drawn printed | head |
			not_ok "${f##*/}: a box for each function with values of its own"
	fi
done
[ "$n" -gt 0 ] && ok 'there were profiles' || echo none | not_ok 'there were profiles'

# Names come from strangers.
printf '# cpu nanoseconds\nmain;</title><script>x()</script> 5\nmain;a]]>"\033[31m&\342\200\256b 5\n' >hostile.txt
mkprof hostile.txt >hostile.pb.gz
check 'markup in names stays text' 0 \
	'prof-flame --title="<b>" hostile.pb.gz >h.svg; grep -c "<script>" h.svg
	 { sed "s/&#38;/\&/g" h.svg; sh boxes.sh h.svg; } | grep -c "x1b.31m&.u202eb"
	 prof-flame --no-script hostile.pb.gz | tr -d "\n[:print:]"' <<'END'
1
2
END
check 'nothing is loaded, no handler in an attribute' 0 \
	'grep -oE "(href|src|style|on[a-z]+)=\"[^\"]*\"|https?://[^\"]*" h.svg | sort -u' <<'END'
http://www.w3.org/2000/svg
END
if have xmllint; then
	check 'well-formed' 0 'xmllint --noout a.svg d.svg h.svg f.svg' </dev/null
else
	skip 'well-formed' 'no xmllint'
fi
check 'equal bytes for equal input' 0 \
	'prof-flame d.pb.gz >1.svg; prof-flame d.pb.gz | cmp - 1.svg && echo same' <<'END'
same
END
if have rsvg-convert; then
	rsvg-convert a.svg >a.png 2>.err && head -c 8 a.png | grep -qa PNG &&
		ok 'another renderer draws it' || not_ok 'another renderer draws it' <.err
else
	skip 'another renderer draws it' 'no rsvg-convert'
fi
plan
