#!/bin/sh
# prof-gate: verdicts, what counts, formats, budgets, exit statuses. How often
# it is wrong: gate-simulate.c. Needs the GNU Scientific Library.
. "${srcdir:-.}/tests/tap.sh"

# profile FILE PARSE COPY PRINT IDLE: samples of 10 ms in four stacks.
profile() {
	mkprof >"$1" <<-END
	# samples count cpu nanoseconds
	@duration 30000000000
	@period cpu nanoseconds 10000000
	main (m.c:3);work (w.c:5);parse_json (p.c:$(($2 % 7 + 10))) $2 ${2}0000000
	main (m.c:3);work (w.c:5);parse_json (p.c:30)=>copy (c.h:8) $3 ${3}0000000
	main (m.c:3);work (w.c:6);print (r.c:9) $4 ${4}0000000
	main (m.c:4);idle (i.c:2) $5 ${5}0000000
	END
}
profile old1.pb.gz 6006 3010 15020 5990
profile old2.pb.gz 5999 2990 14980 6010
profile old3.pb.gz 5992 3000 15000 6000
profile new1.pb.gz 5999 2995 15010 6005
profile new2.pb.gz 6013 3005 14990 5995
profile slow1.pb.gz 7700 3010 14990 6010
profile slow2.pb.gz 7707 2990 15010 5990
profile few1.pb.gz 61 30 150 60
profile few2.pb.gz 70 29 151 61
old='old1.pb.gz old2.pb.gz' new='new1.pb.gz new2.pb.gz'
slow='slow1.pb.gz slow2.pb.gz'
export old new slow

if lacks 'prof-gate $old -- $new'; then
	skip_rest 'all of prof-gate' 'this build has no GSL'
fi

# --- verdicts ---

check 'nothing changed' 0 'prof-gate $old -- $new' <<'END'
2 base and 2 new profiles, cpu/nanoseconds per profile; 60005 and 60012 samples; noise between runs 0.0%
Total 300.02s -> 300.06s, +35ms (-3.67s .. +3.74s), +0.0%; a growth of +5.8% would show
unchanged: 0 regressed, 0 moved, 0 inconclusive, 0 improved, 6 unchanged
END

check 'a regression, and what carries it' 1 'prof-gate $old -- $slow' <<'END'
2 base and 2 new profiles, cpu/nanoseconds per profile; 60005 and 63407 samples; noise between runs 0.0%
Total 300.02s -> 317.04s, +17.01s (+13.25s .. +20.77s), +5.7%; a growth of +5.8% would show
verdict              before     after    change           interval              shows at
REGRESSED    flat    60.02s    77.03s   +17.01s   +28.3%  +15.32s .. +18.70s       +6.8%  parse_json
              caller   +17.01s   +18.9%  work
              line     +17.01s   +28.3%  parse_json p.c:10
REGRESSED    cum    300.02s   317.04s   +17.01s    +5.7%  +13.25s .. +20.77s       +5.8%  main
              callee   +17.01s    +7.1%  work
              line     +17.01s    +7.1%  main m.c:3
REGRESSED    cum    240.03s   257.04s   +17.01s    +7.1%  +13.70s .. +20.32s       +5.9%  work
              caller   +17.01s    +7.1%  main
              callee   +17.01s   +18.9%  parse_json
              line     +17.01s   +18.9%  work w.c:5
regressed: 3 regressed, 0 moved, 0 inconclusive, 0 improved, 3 unchanged
END

profile copy1.pb.gz 6000 4500 15000 6000
profile copy2.pb.gz 6010 4490 14990 6010
check 'an inlined body that grew' 0 \
	'prof-gate $old -- copy1.pb.gz copy2.pb.gz | grep -c "inlined  *+14.95s"' <<'END'
1
END

check 'an improvement is no failure' 0 'prof-gate $slow -- $old | tail -1' <<'END'
improved: 0 regressed, 0 moved, 0 inconclusive, 3 improved, 3 unchanged
END

check 'too few samples to tell' 0 \
	'prof-gate few1.pb.gz -- few2.pb.gz | tail -1' <<'END'
inconclusive: 0 regressed, 0 moved, 6 inconclusive, 0 improved, 0 unchanged
END

check '--strict: inconclusive is trouble' 2 \
	'prof-gate --strict few1.pb.gz -- few2.pb.gz >/dev/null' </dev/null

check '--strict: a regression is one' 1 \
	'prof-gate --strict $old -- $slow >/dev/null' </dev/null

check '--strict: unchanged is done' 0 \
	'prof-gate --strict $old -- $new >/dev/null' </dev/null

# --- what only moved ---

moved() {
	cat >new.txt
	mkprof new.txt >moved.pb.gz
}
mkprof >plain.pb.gz <<'END'
# samples count
main;work;parse;copy 3000
main;work;parse 6000
main;work;print 15000
main;idle 6000
END

moved <<'END'
# samples count
main;work;parse2;copy 3000
main;work;parse2 6000
main;work;print 15000
main;idle 6000
END
check 'renamed' 0 'prof-gate plain.pb.gz -- moved.pb.gz | grep moved' <<'END'
moved        cum       9000         0     -9000     gone  -9186 .. -8814           +6.4%  parse (to parse2)
moved        cum          0      9000     +9000      new  -263 .. +263               new  parse2 (from parse)
unchanged: 0 regressed, 2 moved, 0 inconclusive, 0 improved, 5 unchanged
END

moved <<'END'
# samples count
main;work;parse2;copy2 3000
main;work;parse2 6000
main;work;print 15000
main;idle 6000
END
check 'renamed, and so is what it calls' 0 \
	'prof-gate plain.pb.gz -- moved.pb.gz | grep moved' <<'END'
moved        cum       9000         0     -9000     gone  -9186 .. -8814           +6.4%  parse (to parse2)
moved        cum          0      9000     +9000      new  -263 .. +263               new  parse2 (from parse)
moved        cum       3000         0     -3000     gone  -3107 .. -2893          +12.3%  copy (to copy2)
moved        cum          0      3000     +3000      new  -152 .. +152               new  copy2 (from copy)
unchanged: 0 regressed, 4 moved, 0 inconclusive, 0 improved, 4 unchanged
END

moved <<'END'
# samples count
main;work;parse 9000
main;work;print 15000
main;idle 6000
END
check 'inlined' 0 'prof-gate plain.pb.gz -- moved.pb.gz | grep moved' <<'END'
moved        cum       3000         0     -3000     gone  -3107 .. -2893          +12.3%  copy (to parse)
moved        flat      6000      9000     +3000   +50.0%  -263 .. +263            +10.4%  parse (from copy)
unchanged: 0 regressed, 2 moved, 0 inconclusive, 0 improved, 4 unchanged
END

moved <<'END'
# samples count
main;work;parse;copy 3000
main;work;parse 6000
main;work;print 6000
main;work;print;flush 9000
main;idle 6000
END
check 'outlined' 0 'prof-gate plain.pb.gz -- moved.pb.gz | grep moved' <<'END'
moved        cum          0      9000     +9000      new  -339 .. +339               new  flush (from print)
moved        flat     15000      6000     -9000   -60.0%  -9284 .. -8716           +6.2%  print (to flush)
unchanged: 0 regressed, 2 moved, 0 inconclusive, 0 improved, 5 unchanged
END

moved <<'END'
# samples count
main;work;parse.cold;copy 1000
main;work;parse.constprop.0;copy 2000
main;work;parse 6000
main;work;print 15000
main;idle 6000
END
check 'generated names are the same function' 0 \
	'prof-gate --all plain.pb.gz -- moved.pb.gz | grep -c "parse"' <<'END'
1
END
check '--exact-names: they are not' 0 \
	'prof-gate --exact-names --all plain.pb.gz -- moved.pb.gz | grep -c "parse\."' <<'END'
2
END

moved <<'END'
# samples count
main;work;parse2;copy 3000
main;work;parse2 8000
main;work;print 15000
main;idle 6000
END
check 'renamed and slower is slower' 0 \
	'prof-gate plain.pb.gz -- moved.pb.gz | grep parse2' <<'END'
REGRESSED    cum          0     11000    +11000      new  +1723 .. +2277             new  parse2 (from parse)
              callee    +11000      new  parse2
moved        cum       9000         0     -9000     gone  -9186 .. -8814           +6.4%  parse (to parse2)
END

moved <<'END'
# samples count
main;work;parse;copy 3000
main;work;parse 8000
main;work;print 13000
main;idle 6000
END
check 'another function got faster: that hides nothing' 0 \
	'prof-gate plain.pb.gz -- moved.pb.gz | grep REGRESSED' <<'END'
REGRESSED    flat      6000      8000     +2000   +33.3%  +1768 .. +2232           +7.5%  parse
END

# --- what is compared ---

check '--function: the others are no tests' 0 \
	'prof-gate --function="parse_.*" $old -- $slow | tail -1' <<'END'
regressed: 1 regressed, 0 moved, 0 inconclusive, 0 improved, 0 unchanged
END
check '--function with --alpha' 0 \
	'prof-gate --function=parse_json --alpha=0.05 old1.pb.gz old2.pb.gz -- new1.pb.gz new2.pb.gz | tail -1' <<'END'
unchanged: 0 regressed, 0 moved, 0 inconclusive, 0 improved, 1 unchanged
END
check '--focus keeps the total' 0 \
	'prof-gate --focus=idle $old -- $new | sed -n 2p' <<'END'
Total 300.02s -> 300.06s, +35ms (-3.91s .. +3.98s), +0.0%; a growth of +5.8% would show
END
check '--lines' 0 'prof-gate --lines $old -- $slow | grep REGRESSED | head -1' <<'END'
REGRESSED    flat    60.02s    77.03s   +17.01s   +28.3%  +15.32s .. +18.70s       +6.8%  parse_json p.c:10
END
check '--files' 0 'prof-gate --files --trim-path=/x $old -- $slow | grep -c REGRESSED' <<'END'
3
END
check '--filefunctions' 0 \
	'prof-gate --filefunctions $old -- $slow | grep -c "parse_json p.c"' <<'END'
3
END
check '--noinlines' 0 'prof-gate --noinlines --all $old -- $new | grep -c copy || true' <<'END'
0
END
check '--sample-index' 0 'prof-gate --sample-index=samples $old -- $new | head -1' <<'END'
2 base and 2 new profiles, samples/count per profile; 60005 and 60012 samples; noise between runs 0.0%
END
check_err 'no such sample type' 2 'prof-gate --sample-index=nope $old -- $new' \
	'nope'

check '--baseline, and new on standard input' 0 \
	'prof-gate --baseline=old1.pb.gz --baseline=old2.pb.gz <new1.pb.gz | tail -1' <<'END'
unchanged: 0 regressed, 0 moved, 0 inconclusive, 0 improved, 6 unchanged
END
check_err 'no base' 2 'prof-gate old1.pb.gz new1.pb.gz' 'no base:'
check_err 'no new profile' 2 'prof-gate old1.pb.gz --' "no new profile after '--'"
check_err 'no base before --' 2 'prof-gate -- new1.pb.gz' 'no base:'
check_err 'two bases' 2 'prof-gate --baseline=old1.pb.gz old2.pb.gz -- new1.pb.gz' \
	'exclude each other'
check_err 'no such file' 2 'prof-gate ./none -- new1.pb.gz' './none: No such file'
check_err 'a difference is no profile' 2 \
	'printf "# samples count\nmain -1\n" | mkprof | prof-gate --sample-index=samples old1.pb.gz -- -' \
	'<stdin>: sample 0 is negative'
check_err 'other types' 2 \
	'printf "# wall nanoseconds samples count\nmain 5 5\n" >o; mkprof o >o.pb.gz;
	prof-gate --sample-index=0 o.pb.gz -- old1.pb.gz' "measures 'samples/count'"
check_err 'nothing counts' 2 \
	'printf "# cpu nanoseconds\nmain 5\n" >o; mkprof o >o.pb.gz; prof-gate o.pb.gz -- o.pb.gz' \
	'nothing tells how many samples'

check '--scale=ops' 0 'prof-gate --scale=ops=2 old1.pb.gz -- new1.pb.gz | sed -n 2p' <<'END'
Total 300.26s -> 150.04s, -150.22s (-154.01s .. -146.42s), -50.0%; a growth of +5.7% would show
END
check '--scale=ops=N/M' 0 \
	'prof-gate --scale=ops=300/300 $old -- $new | tail -1' <<'END'
unchanged: 0 regressed, 0 moved, 0 inconclusive, 0 improved, 6 unchanged
END
check '--scale=total' 0 'prof-gate --scale=total $old -- $slow | sed -n 2p' <<'END'
Total 300.02s -> 300.02s, 0 (-3.66s .. +3.66s), +0.0%; a growth of +5.8% would show
END
check '--scale=duration' 0 'prof-gate --scale=duration $old -- $new | tail -1' <<'END'
unchanged: 0 regressed, 0 moved, 0 inconclusive, 0 improved, 6 unchanged
END
check_err '--scale=duration without one' 2 \
	'prof-gate --scale=duration plain.pb.gz -- plain.pb.gz' 'no duration'
check_err 'another --scale' 2 'prof-gate --scale=mean $old -- $new' "'mean' is not none"
check_err '--scale=ops=0' 2 'prof-gate --scale=ops=0 $old -- $new' 'is not ops=N'

# A heap's objects are scaled up: 200,000 of 16 bytes were some six samples.
cat >heap <<'END'
# alloc_objects count alloc_space bytes
@period space bytes 524288
main;small 200000 3200000
main;big 100 104857600
END
sed 's/small 200000 3200000/small 300000 4800000/' heap >heap2
mkprof heap >heap.pb.gz
mkprof heap2 >heap2.pb.gz
check 'heap: few samples are few' 0 \
	'prof-gate heap.pb.gz -- heap2.pb.gz | grep small' <<'END'
inconclusive cum     3.05MB    4.58MB   +1.53MB   +50.0%  -2.43MB .. +5.48MB     +255.7%  small
END

# --- what fails ---

check '--fail-on holds' 0 \
	"prof-gate --fail-on='cum > +5% && cum > 1s' \$old -- \$slow | tail -1" <<'END'
regressed: 3 regressed, 0 moved, 0 inconclusive, 0 improved, 3 unchanged
END
check '--fail-on does not hold' 0 \
	"prof-gate --fail-on='cum > +50%' \$old -- \$slow | tail -1" <<'END'
unchanged: 3 regressed (0 of them fail), 0 moved, 0 inconclusive, 0 improved, 3 unchanged
END
check '--fail-on, as in the manual' 0 \
	"prof-gate --fail-on='cum > +5% && cum > 1s' old1.pb.gz old2.pb.gz -- new1.pb.gz new2.pb.gz | tail -1" <<'END'
unchanged: 0 regressed, 0 moved, 0 inconclusive, 0 improved, 6 unchanged
END
for cond in 'cum' 'cum >' 'cum > +' 'cum > 5% of' '(cum > 5' \
	'size > 5' 'cum = 5' '' 'cum > 1e999'; do
	check_err "--fail-on '$cond' is wrong" 2 \
		"prof-gate --fail-on='$cond' \$old -- \$new" 'expected at'
done
check_err '--fail-on nested too deeply' 2 \
	'prof-gate --fail-on="$(printf "%9999s" | tr " " "(")" $old -- $new' \
	'nested too deeply'
check_err '--fail-on too long' 2 \
	'prof-gate --fail-on="$(yes "cum>1&&" | head -99 | tr -d "\n")cum>1" $old -- $new' \
	'more than 64'
check_err '--fail-on in another unit' 2 \
	'prof-gate --fail-on="cum > 5MB" $old -- $new' 'not in MB'
check_err '--alpha=0' 2 'prof-gate --alpha=0 $old -- $new' "'0'"
check '--min-change, --min-share' 0 \
	'prof-gate --min-change=30 $old -- $slow | tail -1' <<'END'
inconclusive: 0 regressed, 0 moved, 1 inconclusive, 0 improved, 5 unchanged
END

cat >budget.txt <<'END'
# what we promised
parse_json <= 40% of total
  parse_json flat < 70s	# after a comment

"print" cum <= 200s
main <= +3%
END
check 'budgets kept' 0 'prof-gate --budget=budget.txt $old -- $new | grep budget' <<'END'
budget parse_json cum <= 40% of total: kept, is 90.06s (88.04s .. 92.08s)
budget parse_json flat < 70s: kept, is 60.06s (58.41s .. 61.71s)
budget print cum <= 200s: kept, is 150s (147.39s .. 152.61s)
budget main cum <= +3%: kept, is +35ms (-5.70s .. +5.77s)
unchanged: 0 regressed, 0 moved, 0 inconclusive, 0 improved, 6 unchanged; 0 of 4 budgets broken
END
check 'a budget broken' 0 'prof-gate --budget=budget.txt $old -- $slow | grep budget' <<'END'
budget parse_json cum <= 40% of total: kept, is 107.03s (104.83s .. 109.24s)
budget parse_json flat < 70s: broken, is 77.03s (75.16s .. 78.91s)
budget print cum <= 200s: kept, is 150s (147.39s .. 152.61s)
budget main cum <= +3%: broken, is +17.01s (+11.18s .. +22.84s)
regressed: 3 regressed, 0 moved, 0 inconclusive, 0 improved, 3 unchanged; 2 of 4 budgets broken
END
check 'budgets against itself' 0 \
	'prof-gate --baseline=new1.pb.gz --budget=budget.txt new1.pb.gz | grep -c kept' <<'END'
4
END
echo 'idle <= 20% of total' >edge.txt
check 'a budget that nobody can tell' 0 \
	'prof-gate --budget=edge.txt $old -- $new | tail -1' <<'END'
inconclusive: 0 regressed, 0 moved, 0 inconclusive, 0 improved, 6 unchanged; 0 of 1 budgets broken
END
check 'nor can --strict' 2 \
	'prof-gate --strict --budget=edge.txt $old -- $new | tail -1 >/dev/null;
	prof-gate --strict --budget=edge.txt $old -- $new >/dev/null' </dev/null
check_err 'a budget without a number' 2 \
	'echo "main <= much" | prof-gate --budget=- $old -- $new' \
	'<stdin>: line 1:'
check_err 'a budget upside down' 2 \
	'printf "# x\nmain >= 5%%\n" | prof-gate --budget=- $old -- $new' \
	'<stdin>: line 2:'
echo 'gone_function < 5s' >typo.txt
prof-gate --budget=typo.txt $old -- $new >.out 2>.err
if [ $? -eq 0 ] && grep -q "typo.txt: line 1: no function 'gone_function'" .err
then ok 'a budget of no function is warned about'
else not_ok 'a budget of no function is warned about' <.err; fi

# work is above both others: 240 s, not 240 + 90 + 150.
cat >groups.txt <<'END'
/^(work|parse_json|print)$/ <= 85% of total
/^(work|parse_json|print)$/ flat <= 250s
/p/ <= 240.5s # copy, too: inlined
/json$/ <= +10%
"/json$/" <= +10%
/^nobody/ < 1s
END
check 'budgets of groups' 0 \
	'prof-gate --budget=groups.txt $old -- $slow >out 2>&1; echo $?
	grep budget out | grep -v prof-gate; grep groups.txt out' <<'END'
1
budget /^(work|parse_json|print)$/ cum <= 85% of total: kept, is 257.04s (253.21s .. 260.86s)
budget /^(work|parse_json|print)$/ flat <= 250s: kept, is 227.03s (223.53s .. 230.54s)
budget /p/ cum <= 240.5s: broken, is 257.04s (253.21s .. 260.86s)
budget /json$/ cum <= +10%: broken, is +17.01s (+13.86s .. +20.16s)
budget /json$/ cum <= +10%: no such function
budget /^nobody/ cum < 1s: no such function
regressed: 3 regressed, 0 moved, 0 inconclusive, 0 improved, 3 unchanged; 2 of 6 budgets broken
prof-gate: groups.txt: line 5: no function '/json$/'
prof-gate: groups.txt: line 6: no function matches '/^nobody/'
END
check_err 'a budget of a wrong pattern' 2 \
	'printf "# x\n/(/ <= 5%%\n" | prof-gate --budget=- $old -- $new' \
	'<stdin>: line 2: parsing budget regexp'

# What did not regress does not fail: --fail-on only takes away.
# shellcheck disable=SC2089 # the quotes are for check's shell
for row in "0 'cum > 0s' $new" "1 'cum > 0s' $slow" "0 'cum < 0s' $slow" \
	"0 'cum < +100%' few1.pb.gz"; do
	# shellcheck disable=SC2090 # words
	set -- $row
	status=$1
	cond="$2 $3 $4"
	shift 4
	check "--fail-on $cond narrows: $*" "$status" \
		"prof-gate --fail-on=$cond \$old -- $* >/dev/null" </dev/null
done

for row in "1 'cum > +5% && cum > 1s'" "0 'cum > +50%'" "1 '!(cum < +5%)'" \
	"0 'flat > +5% && cum > 400s'" "1 'flat > 400s || cum > +1% of total'" \
	"1 'cum >= 30%'" "0 'cum <= 10%'"; do
	check "status of --fail-on ${row#* }" "${row%% *}" \
		"prof-gate --fail-on=${row#* } \$old -- \$slow >/dev/null" </dev/null
done
check 'status of a broken budget' 1 \
	'echo "print <= 10%" | prof-gate --budget=- $old -- $new >/dev/null' </dev/null

# --- formats ---

# A name with something for everybody.
hostile() {
	printf '# samples count\n'
	printf 'main;a<b>&"c|`d`*e*@f%%::g,h %d\nmain;rest 20000\n' "$1"
}
hostile 5000 >h1
hostile 9000 >h2
mkprof h1 >h1.pb.gz
mkprof h2 >h2.pb.gz
for f in text json markdown junit github; do
	prof-gate --$f h1.pb.gz -- h2.pb.gz >h.$f 2>h.err
	[ $? -eq 1 ] && [ ! -s h.err ] && ok "--$f exits with 1" ||
		not_ok "--$f exits with 1" <h.err
done
if have python3; then
	check 'JSON is JSON' 0 'python3 -c "
import json
j = json.load(open(\"h.json\"))
f = j[\"functions\"][0]
print(j[\"version\"], j[\"verdict\"], f[\"name\"], f[\"fails\"], f[\"cum\"][\"before\"])
"' <<'END'
1 regressed a<b>&"c|`d`*e*@f%::g,h True 5000
END
	check 'JUnit is XML' 0 'python3 -c "
import xml.etree.ElementTree as x
t = x.parse(\"h.junit\").getroot()[0]
print(t.get(\"tests\"), t.get(\"failures\"), t.get(\"skipped\"), t[0].get(\"name\"))
"' <<'END'
2 2 0 a<b>&"c|`d`*e*@f%::g,h
END
else
	skip 'JSON is JSON' 'no python3'
	skip 'JUnit is XML' 'no python3'
fi
check 'Markdown escapes' 0 'grep -c "a&#60;b&#62;&#38;&#34;c&#124;&#96;d&#96;&#42;e&#42;&#64;f" h.markdown' <<'END'
3
END
check 'annotations escape' 0 'grep -o "title=regressed a.*::flat" h.github | head -1' <<'END'
title=regressed a<b>&"c|`d`*e*@f%25%3A%3Ag%2Ch::flat
END
check 'JSON of a profile without samples' 0 \
	'echo "# samples count" >none; mkprof none >none.pb.gz;
	prof-gate --json none.pb.gz -- none.pb.gz' <<'END'
{"version":1,"verdict":"unchanged","type":"samples","unit":"count","scale":"none","base_profiles":1,"new_profiles":1,"alpha":0.01,"level":0.01,"tests":0,"confidence":0.95,"min_change":0.05,"min_share":0.01,"noise":0,
 "total":{"verdict":"unchanged","before":0,"after":0,"change":0,"moved":0,"low":0,"high":0,"relevant":0,"detectable":0,"samples_before":0,"samples_after":0,"dispersion":1,"df":null,"p_slower":1,"p_faster":1},
 "count":{"unchanged":0,"improved":0,"inconclusive":0,"moved":0,"regressed":0},
 "functions":[],
 "budgets":[]}
END
check '--nodecount' 0 'prof-gate --nodecount=1 $old -- $slow | grep -c "^[A-Z]\{9\} "' <<'END'
1
END
check '--all' 0 'prof-gate --all --nodecount=0 $old -- $new | grep -c "^unchanged *cum"' <<'END'
6
END
check_err 'a full disk' 2 'prof-gate $old -- $new >/dev/full' 'No space left'
check '-o, whole' 1 'prof-gate -o report $old -- $slow; s=$?; tail -1 report; exit $s' <<'END'
regressed: 3 regressed, 0 moved, 0 inconclusive, 0 improved, 3 unchanged
END
prof-gate old3.pb.gz $old -- $slow >three 2>&1
check 'the order of profiles does not matter' 0 \
	'prof-gate $old old3.pb.gz -- slow2.pb.gz slow1.pb.gz >again; cmp three again' </dev/null
check 'three and three, as in the manual' 0 \
	'cp new1.pb.gz new3.pb.gz; prof-gate old1.pb.gz old2.pb.gz old3.pb.gz -- new1.pb.gz new2.pb.gz new3.pb.gz | tail -1' <<'END'
unchanged: 0 regressed, 0 moved, 0 inconclusive, 0 improved, 6 unchanged
END

# --- the examples of doc/gate-ci.md, with a recorder that copies ---

mkdir -p path ci
cat >path/prof-record <<'END'
#!/bin/sh
# prof-record -q -o FILE ./bench-SIDE: the profile of that side and run.
case $4 in
./bench-old) cp "$run_from/old1.pb.gz" "$3" ;;
*) cp "$run_from/$new_side" "$3" ;;
esac
END
chmod +x path/prof-record
run_from=$PWD
export run_from
sed -n '/^```sh$/,/^```$/p' "$src/doc/gate-ci.md" | sed '/^```/d' >ci/example.sh
sed -n '/^        run: |$/,/^      - /p' "$src/doc/gate-ci.md" |
	sed '1d;$d;s/^          //' >ci/action.sh
echo 'main < 500s' >ci/budget.txt
for side in new1:0 slow1:1; do
	new_side=${side%:*}.pb.gz
	export new_side
	check "plain shell, $side" "${side#*:}" \
		'mkdir -p w; cp -r ci w; cd w && PATH=../path:$PATH sh ci/example.sh >log; s=$?;
		rm -r profiles; [ -s gate.txt ] || exit 9; exit $s' </dev/null
	check "GitHub Actions, $side" "${side#*:}" \
		'cd w && PATH=../path:$PATH GITHUB_STEP_SUMMARY=summary sh -e ci/action.sh >log; s=$?;
		grep -q "### prof-gate" summary && [ -s gate.json ] || exit 9; exit $s' </dev/null
done

# --- statistics, in short ---

if gate-simulate --check >.out 2>.err; then
	ok 'simulation: false alarms and power as promised'
else
	not_ok 'simulation: false alarms and power as promised' <.out
fi
plan
