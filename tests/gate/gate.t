#!/bin/sh
# prof-gate: verdicts, forms, budgets, exit statuses. Its
# numbers: unit/gate.c; error rates: gate-simulate.t; the recipe for CI:
# gate-ci.t. Needs the GNU Scientific Library.
. "${srcdir:-.}/tests/lib/tap.sh"

# profile FILE PARSE COPY PRINT IDLE: samples of 10 ms in four stacks.
profile() {
	mkprof >"$1" <<-END
	# samples count cpu nanoseconds
	@duration ${lasts:-30}000000000
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
profile old4.pb.gz 6013 3004 15007 5994
profile old5.pb.gz 5985 2996 14993 6006
profile new1.pb.gz 5999 2995 15010 6005
profile new2.pb.gz 6013 3005 14990 5995
profile new3.pb.gz 6006 3001 14996 5999
profile new4.pb.gz 5992 2993 15011 6003
profile new5.pb.gz 6013 3006 14993 5998
profile slow1.pb.gz 7700 3010 14990 6010
profile slow2.pb.gz 7707 2990 15010 5990
profile slow3.pb.gz 7707 2999 15004 6003
profile slow4.pb.gz 7714 3004 15000 5995
profile slow5.pb.gz 7693 2997 14996 6002
profile few1.pb.gz 61 30 150 60
profile few2.pb.gz 70 29 151 61
old='old1.pb.gz old2.pb.gz old3.pb.gz old4.pb.gz old5.pb.gz'
new='new1.pb.gz new2.pb.gz new3.pb.gz new4.pb.gz new5.pb.gz'
slow='slow1.pb.gz slow2.pb.gz slow3.pb.gz slow4.pb.gz slow5.pb.gz'
export old new slow

# Another run with the samples of FILE.pb.gz, FILE-2.pb.gz.
twin() {
	cp "$1.pb.gz" "$1-2.pb.gz"
}

if lacks 'prof-gate $old -- $new'; then
	skip_rest 'all of prof-gate' 'this build has no GSL'
fi


# For commands below: the status of prof-gate, and of each row but the total its
# verdict, kind, change and name; or of the total verdict and change.
cat >rows.sh <<'END'
rows() { prof-gate "$@" >.rows; s=$?; awk '/^(REGRESSED|regressed|moved|suspect|improved)  *(flat|cum)/ {
	print $1, $2, $5, $NF }' .rows; return $s; }
total() { prof-gate "$@" >.rows; s=$?; awk '$NF == "total" { print $1, $4; exit }' .rows; return $s; }
END
r='. ./rows.sh;'

# --- verdicts ---

check 'nothing changed' 0 'prof-gate $old -- $new' <<'END'
unchanged: total +0.0% (-1.3% .. +1.3%), 299.99s -> 300.05s
verdict              before     after   change  interval              by chance 
unchanged           299.99s   300.05s    +0.0%  -1.3% .. +1.3%        -           total
6 unchanged, 6 functions in all
to be found 9 times in 10, the total has to grow by 5.8%, a function of 20% by 6.3% (in runs 4 times as long 5.9%)
5 base and 5 new profiles, cpu/nanoseconds per profile, 149995 and 150023 samples; 252 ways to split these runs; between runs functions vary by 0.2%, the machine by 0.3%; 7 tests at 0.01 each
END

check 'a regression, and what carries it' 1 'prof-gate $old -- $slow' <<'END'
regressed: parse_json +28.4% (59.99s -> 77.04s), at p.c:10, and its callers main, work; total +5.7% (+4.3% .. +7.0%), 299.99s -> 317.04s
verdict              before     after   change  interval              by chance 
REGRESSED           299.99s   317.04s    +5.7%  +4.3% .. +7.0%        1 in 250    total
REGRESSED    flat    59.99s    77.04s   +28.4%  +26.3% .. +30.5%      1 in 250    parse_json
               caller    +17.05s  work
               line      +17.05s  p.c:10
               and its callers main, work
3 regressed, 3 unchanged, 6 functions in all
to be found 9 times in 10, the total has to grow by 5.9%, a function of 20% by 6.3% (in runs 4 times as long 5.9%)
5 base and 5 new profiles, cpu/nanoseconds per profile, 149995 and 158521 samples; 252 ways to split these runs; between runs functions vary by 0.2%, the machine by 0.3%; 7 tests at 0.01 each
END

for i in 1 2 3; do profile copy$i.pb.gz $((5999 + i)) $((4490 + 5 * i)) $((15005 - 5 * i)) 6000; done
check 'an inlined body that grew' 1 \
	'prof-gate --all $old -- copy?.pb.gz >out; s=$?; grep -c "inlined  *+14.95s  copy" out; exit $s' <<'END'
0
END
check 'an improvement is no failure' 0 "$r rows \$slow -- \$old" <<'END'
improved cum -15.9% parse_json
END

# Ten questions of a reader: did it get slower, what, by how much, from what to
# what, where, who calls it, did the program as a whole, what got faster, are the
# budgets kept, and where it is not sure, why.
for i in 1 2 3 4 5; do profile mixed$i.pb.gz 77$((i * 7 % 10))0 300$i 1204$i 600$((i * 3 % 10)); done
echo 'main cum <= +2%' >main.txt
check 'the first line answers' 0 \
	'prof-gate --budget=main.txt $old -- mixed?.pb.gz | head -1
	prof-gate --test-against=20 $old -- mixed?.pb.gz | head -1
	prof-gate old[12].pb.gz -- mixed[12].pb.gz | head -1' <<'END'
regressed: parse_json +19.5% (89.99s -> 107.53s), at p.c:13; improved: print -19.7% (150s -> 120.43s), and its caller work; 1 budget kept
perhaps: parse_json +19.5% (89.99s -> 107.53s), but not surely by more than 20%
regressed: parse_json +19.5% (90.03s -> 107.56s), at p.c:15; improved: print -19.7% (150s -> 120.42s)
END
at=0
for idle in 4000 7200 5000 6600 5400 7000 5200; do
	at=$((at + 1))
	profile loud$at.pb.gz 600$at 300$at 1500$at $idle
	profile gain$at.pb.gz 600$((8 - at)) 300$at 1204$at $idle
done
check 'what surely got faster is said before what nobody knows' 0 \
	'prof-gate loud[1-5].pb.gz -- gain[3-7].pb.gz >out; head -1 out; grep -c "[0-9] inconclusive, " out' <<'END'
improved: print -19.7% (150.03s -> 120.45s), and its caller work; total -9.3% (-14.6% .. -4.0%), 296.49s -> 268.93s
1
END
for i in 1 2 3 4 5; do profile less$i.pb.gz 45$((i * 7 % 10))0 220$i 1260$i 45$((i * 3 % 10))0; done
check 'the total leads where it changed by more than twice any function' 0 \
	'prof-gate $old -- less?.pb.gz | head -1
	prof-gate less?.pb.gz -- $old | head -1; :' <<'END'
improved: total -20.3% (-21.5% .. -19.1%), 299.99s -> 239.06s; print -16.0% (150s -> 126.03s), and its callers main, work; parse_json -25.0% (89.99s -> 67.53s); idle -24.2% (60s -> 45.50s); 1 more
regressed: total +25.5% (+24.0% .. +27.0%), 239.06s -> 299.99s; print +19.0% (126.03s -> 150s), at r.c:9, and its callers main, work; parse_json +33.3% (67.53s -> 89.99s), at p.c:10; idle +31.9% (45.50s -> 60s), at i.c:2; 1 more
END
check 'too few samples to tell' 0 'prof-gate few1.pb.gz -- few2.pb.gz | sed -n "1p;4,\$p"' <<'END'
inconclusive: total +3.3% (-35.0% .. +41.7%), 3.01s -> 3.11s; one run a side: noise is a guess; too few samples to bet on: 301 and 311
6 inconclusive, 6 functions in all
to be found 9 times in 10, the total has to grow by 110.8%, a function of 20% by 124.9% (in runs 4 times as long 77.7%), work by 95%, print by 94%
one run a side: noise is a guess; 1 base and 1 new profile, cpu/nanoseconds per profile, 301 and 311 samples; samples come about 2.0 at a time; between runs functions vary by 6.3%, the machine by 5.0%; 7 tests at 0.0014 each
END
check_err '--strict: what could not be seen is trouble' 2 \
	'prof-gate --strict few1.pb.gz -- few2.pb.gz >/dev/null' '--strict: growth of'
check '--strict: the report says what could be seen, with -q too' 2 \
	'prof-gate --strict -q -o out few1.pb.gz -- few2.pb.gz 2>/dev/null; s=$?
	prof-gate few1.pb.gz -- few2.pb.gz | cmp - out; exit $s' </dev/null
check '--strict: a regression is one' 1 \
	'prof-gate --strict $old -- $slow >/dev/null' </dev/null
check '--strict: enough was to be seen' 0 \
	'prof-gate --strict $old -- $new >/dev/null' </dev/null
check_err '--strict=5: not as little as that' 2 \
	'prof-gate --strict=5 $old -- $new >/dev/null' 'growth of total below 5.8%'
check '-q: nothing failed, nothing said' 0 'prof-gate -q $old -- $new' </dev/null
check '-q: a failure is told' 1 'prof-gate -q $old -- $slow >out; s=$?; grep -c REGRESSED out; exit $s' <<'END'
2
END
check '--test-against' 1 "$r rows --test-against=5 \$old -- \$slow" <<'END'
REGRESSED flat +28.4% parse_json
END
check '--test-against' 0 "$r rows --test-against=30 \$old -- \$slow" </dev/null

# --- values, not samples ---

# waits N NS: three runs of N waits in take(), of NS each.
waits() {
	for run in 1 2 3; do
		n=$(($1 + run * 7 % 20))
		printf '# contentions count delay nanoseconds\nmain;take %d %d\nmain;give 500 500000\n' \
			$n $((n * $2)) >w
		mkprof w >"$3$run.pb.gz"
	done
}
waits 900 2000 calm
waits 900 6000 long
check 'three times longer waits, as many' 1 \
	"$r rows calm?.pb.gz -- long?.pb.gz" <<'END'
REGRESSED flat +200.0% take
END

# hertz PERIOD: the same work by another clock; a profile of counts alone, too.
# shellcheck disable=SC2017,SC2086 # numbers
hertz() {
	for run in 1 2 3; do
		n=$(((3000 + run * 13 % 40) * 10 / $1))
		printf '# samples count cpu nanoseconds\n@period cpu nanoseconds %d000000\nmain;f %d %d000000\nmain;g %d %d000000\n' \
			$1 $n $((n * $1)) $((n / 2)) $((n / 2 * $1)) >w
		mkprof w >"hz$1-$run.pb.gz"
		printf '# samples count\n@period cpu nanoseconds %d000000\nmain;f %d\nmain;g %d\n' \
			$1 $n $((n / 2)) >w
		mkprof w >"count$1-$run.pb.gz"
	done
}
hertz 10
hertz 5
hertz 1
check '100 Hz against 200 Hz: the same work' 0 "$r total hz10-?.pb.gz -- hz5-?.pb.gz 2>err; grep -c 'the period differs' err" <<'END'
unchanged +0.0%
1
END
check '100 Hz against 1000 Hz' 0 "$r total --allow-rates hz10-?.pb.gz -- hz1-?.pb.gz 2>err" <<'END'
unchanged +0.0%
END
# Time that was not sampled is no function, and no evidence.
printf '# samples count cpu nanoseconds\nmain;f 3000 30000000000\n[0][not sampled] 0 1000000000\n' >old
printf '# samples count cpu nanoseconds\nmain;f 3000 30000000000\n[0][not sampled] 0 90000000000\n' >new
mkprof old >none-old.pb.gz
mkprof new >none-new.pb.gz
check 'what was not sampled is never a finding' 0 \
	'prof-gate none-old.pb.gz -- none-new.pb.gz >out; grep -c "total .*+0.0%" out; grep "not sampled" out; :' <<'END'
1
END
check 'counts alone: times the period' 0 \
	'prof-gate --allow-rates count10-?.pb.gz -- count1-?.pb.gz 2>err | grep -o "unchanged  *[^ ]*  *[^ ]*\|cpu/nanoseconds per profile"' <<'END'
unchanged            45.39s    45.39s
cpu/nanoseconds per profile
END
check_err 'counts beside time: refused' 2 \
	'prof-gate -q --allow-rates --sample-index=samples hz10-?.pb.gz -- hz1-?.pb.gz' \
	'prof-gate: not comparable: numbers of samples whose periods differ; --sample-index=cpu compares'
check 'counts beside time, at one period' 0 \
	'for i in 1 2 3; do cp hz10-$i.pb.gz hz10b-$i.pb.gz; done; prof-gate -q --sample-index=samples hz10-?.pb.gz -- hz10b-?.pb.gz' </dev/null
check_err 'counts alone, without a period' 2 \
	'mkprof -h >/dev/null 2>&1; printf "# samples count\nmain;f 3000\n" >w; mkprof w >n.pb.gz; prof-gate -q count10-?.pb.gz -- n.pb.gz' \
	'not comparable'
check_err 'another clock is said' 0 \
	'for c in cpu perf; do printf "# samples count\n@comment # sampling: clock=$c asked_hz=100 achieved_hz=100 ticks=5000 signals=5000 lost=0\nmain;f 5000\n" >w; mkprof w >$c.pb.gz; cp $c.pb.gz $c-2.pb.gz; done
	prof-gate cpu.pb.gz cpu-2.pb.gz -- perf.pb.gz perf-2.pb.gz >/dev/null' \
	'the clock differs: base has cpu, new perf'
check_err 'lost samples are said' 0 \
	'printf "# samples count\n@comment # sampling: clock=cpu asked_hz=100 achieved_hz=100 ticks=5000 signals=5000 lost=500\nmain;f 5000\n" >w; mkprof w >lost.pb.gz; cp lost.pb.gz lost-2.pb.gz
	prof-gate cpu.pb.gz cpu-2.pb.gz -- lost.pb.gz lost-2.pb.gz >/dev/null' \
	'base lost 0.0% of its samples while recording, new 10.0%'

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
twin heap
twin heap2
check 'heap: few samples are few' 0 \
	'prof-gate --all heap.pb.gz heap-2.pb.gz -- heap2.pb.gz heap2-2.pb.gz | grep small' <<'END'
inconclusive cum     3.05MB    4.58MB   +50.0%  -100.0% .. +272.2%    -           small
to be found 9 times in 10, the total has to grow by 205.7%, a function of 20% by 476.0% (in runs 4 times as long 260.6%), small by 885%
END

# --- one run a side ---

# many N: twenty functions, of which one has N samples.
many() {
	echo '# samples count'
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		echo "main;f$i $((900 + i * i * 31 % 200 + $1 * i % 37))"
	done
	echo "main;g $1"
}
many 1000 >w && mkprof w >once.pb.gz
many 3001 >w && mkprof w >more.pb.gz
check 'one run a side: suspect, and no failure' 0 "$r rows once.pb.gz -- more.pb.gz" <<'END'
suspect flat +197.2% g
END
check 'one run a side: suspect, and no failure, unless it is asked for' 1 "$r rows --fail-single once.pb.gz -- more.pb.gz" <<'END'
REGRESSED flat +197.2% g
END
check 'one run a side: suspect, and no failure, and the noise is said to be a guess' 0 \
	'prof-gate old1.pb.gz -- new1.pb.gz | grep -c "^one run a side: noise is a guess"' <<'END'
1
END
check '--noise is assumed' 0 \
	'prof-gate --noise=20 once.pb.gz -- more.pb.gz | grep -o "the machine by [0-9.]*%"' <<'END'
the machine by 20.0%
END

# --- moved work; the cases with numbers are in unit/gate.c ---

# story NAME [PERCENT] <<stacks: three runs of them, each longer by PERCENT.
story() {
	cat >.story
	for run in 1 2 3; do
		awk -v run=$run -v more="${2:-0}" 'NR == 1 { print; next }
			{ $2 = int($2 * (1 + more / 100 * run))
			print $1, $2 + ($2 * run * NR) % 37 }' .story >.run
		mkprof .run >"$1$run.pb.gz"
	done
}
story plain <<'END'
# samples count
main;work;parse;copy 3000
main;work;parse 6000
main;work;print 15000
main;idle 6000
END
story named <<'END'
# samples count
main;work;parse2;copy 3000
main;work;parse2 6000
main;work;print 15000
main;idle 6000
END
check 'renamed: one row' 0 \
	'prof-gate --all plain?.pb.gz -- named?.pb.gz | grep -o "parse.*"' <<'END'
parse2 (was parse)
END
check '--exact-names: two' 0 \
	'prof-gate --exact-names --all plain?.pb.gz -- named?.pb.gz | grep -c " parse2*$"' <<'END'
2
END
story worse <<'END'
# samples count
main;work;parse2;copy 3000
main;work;parse2 8000
main;work;print 15000
main;idle 6000
END
check 'renamed and slower is slower' 1 \
	'prof-gate plain?.pb.gz -- worse?.pb.gz >out; s=$?; grep -o "^REG.*flat\|parse2 (was.*" out; exit $s' <<'END'
parse2 (was parse) +22.1% (9036 -> 11035), and its callers main, work; total +6.6% (+4.8% .. +8.5%), 30080 -> 32080
parse2 (was parse)
END
# method NAME FROM: plain, with parse called FROM.
method() {
	story "$1" <<-END
	# samples count
	main;work;$2 9000
	main;work;print 15000
	main;idle 6000
	END
}
method go1 'json.(*Lexer).next'
method go2 'json.(*Scanner).next'
method go3 'json.(*Lexer).fill'
method go4 'json.parse.func1'
method go5 'yaml.emitTree.func1'
method rust1 '<json::Lexer>::next'
method rust2 '<yaml::Lexer>::next'
check 'names of methods: the last part, outside of brackets' 0 '
	for pair in "go1 go2" "go1 go3" "go4 go5" "rust1 rust2"; do
		set -- $pair
		prof-gate --allow-unequal --json $1?.pb.gz -- $2?.pb.gz |
			grep -o "\"renamed\":."
	done' <<'END'
"renamed":1
"renamed":0
"renamed":0
"renamed":1
END
echo 'json.parse.func1 cum <= 99% of total' >closure.txt
check 'a budget of a closure, by its name in the profile' 0 \
	'prof-gate --allow-unequal --budget=closure.txt go41.pb.gz -- go42.pb.gz | grep -o "json.parse.func cum .*: kept"' <<'END'
json.parse.func cum <= 99% of total: kept
END
printf '# delay nanoseconds contentions count\nmain;lock 9000000 9000\n' >w; mkprof w >wait1.pb.gz
printf '# delay nanoseconds contentions count\nmain;lock 18000000 9000\n' >w; mkprof w >wait2.pb.gz
twin wait1
twin wait2
check 'one function is all of the profile: it is named' 1 \
	'prof-gate --sample-index=delay wait1.pb.gz wait1-2.pb.gz -- wait2.pb.gz wait2-2.pb.gz >out; s=$?; grep -o "^REGRESSED.*\(total\|lock\|main\)$" out | awk "{ print \$2, \$NF }"; exit $s' <<'END'
9ms total
flat lock
END
story inlined <<'END'
# samples count
main;work;parse 9000
main;work;print 15000
main;idle 6000
END
check 'inlined: it stays in the report, and does not fail' 0 \
	'prof-gate plain?.pb.gz -- inlined?.pb.gz | grep -A1 "^moved"' <<'END'
moved        flat      6024      9024   +49.8%  +46.8% .. +52.8%      1 in 20     parse
               flat: inlined copy; all of them together -12 (-219 .. +195)
END
check '--fail-moved' 1 "$r rows --fail-moved plain?.pb.gz -- inlined?.pb.gz" <<'END'
REGRESSED flat +49.8% parse
improved cum gone copy
END
story inner <<'END'
# samples count
main;work 13000
main;work;parse;copy;move 2000
main;work;print 9000
main;idle 6000
END
story outer <<'END'
# samples count
main;work 15000
main;work;print 9000
main;idle 6000
END
check 'a call in a call: both are inlined' 0 \
	"$r rows inner?.pb.gz -- outer?.pb.gz" <<'END'
moved flat +15.4% work
improved cum gone move
END
check 'a call in a call: both are outlined' 0 \
	"$r rows outer?.pb.gz -- inner?.pb.gz" <<'END'
moved cum new copy
moved flat new move
moved cum new parse
improved flat -13.4% work
END
story whole 10 <<'END'
# samples count
main;work 15000
main;work;malloc 3000
main;print 12000
END
story parts 10 <<'END'
# samples count
main;work 3000
main;work;push 11000
main;work;push;malloc 2600
main;work;find 600
main;work;find;malloc 400
main;print 12000
END
check 'several are outlined from one' 0 \
	"$r rows whole?.pb.gz -- parts?.pb.gz" <<'END'
moved cum new push
moved cum new find
END
story safe <<'END'
# samples count
main;work;safe;parse;copy 3000
main;work;safe;parse 6000
main;work;print 15000
main;idle 6000
END
check 'a wrapper that is gone is no gain' 0 \
	'prof-gate safe?.pb.gz -- plain?.pb.gz >out; cut -d: -f1 out | head -1; grep -o "^improved.* gone\|safe$" out' <<'END'
unchanged
improved     cum       9036         0     gone
safe
END
story sibling <<'END'
# samples count
main;work;parse;copy 3000
main;work;parse 12000
main;work;print 15000
END
check 'a sibling is gone, and parse has as much more: both are shown' 1 \
	"$r rows plain?.pb.gz -- sibling?.pb.gz" <<'END'
REGRESSED cum +66.5% parse
improved cum gone idle
END
story faster <<'END'
# samples count
main;work;parse;copy 3000
main;work;parse 8000
main;work;print 13000
main;idle 6000
END
check 'another function got faster: that hides nothing' 1 \
	"$r rows plain?.pb.gz -- faster?.pb.gz" <<'END'
REGRESSED cum +22.1% parse
improved cum -13.3% print
END
story lambda <<'END'
# samples count
main;work;parse.cold;copy 3000
main;work;print 27000
END
check 'what compilers number is one name' 0 \
	'for i in 1 2 3; do cp lambda$i.pb.gz lambdb$i.pb.gz; done; prof-gate --all lambda?.pb.gz -- lambdb?.pb.gz | grep -c "parse"' <<'END'
1
END

# --- what is compared ---

check '--function: the others are no tests' 1 \
	"$r rows --function='parse_.*' \$old -- \$slow; s=\$?; grep -o '[0-9]* function in all' .rows; exit \$s" <<'END'
REGRESSED flat +28.4% parse_json
1 function in all
END
check '--function with --alpha' 0 \
	'prof-gate --function=parse_json --alpha=0.05 old1.pb.gz old2.pb.gz -- new1.pb.gz new2.pb.gz | grep "in all"' <<'END'
1 unchanged, 1 function in all
END
check '--function: the first line is about that function' 0 \
	'prof-gate --function=print $old -- $new | head -1' <<'END'
unchanged: print +0.0% (-1.5% .. +1.5%), 150s -> 150s
END
for i in 1 2 3; do
	mkprof >"plain$i.gz" <<-END
	# samples count
	main;work;parse 900$i
	END
	mkprof >"audit$i.gz" <<-END
	# samples count
	main;work;parse 900$i
	main;work;request;audit 80$i
	END
done
check 'a new function names its caller once' 1 \
	'prof-gate plain?.gz -- audit?.gz >out; s=$?; head -1 out; exit $s' <<'END'
regressed: audit is new, 802 (8.2%), called by request; total +8.9% (+6.7% .. +11.1%), 9002 -> 9804
END
check '--focus keeps the total' 0 "$r total --focus=idle \$old -- \$new" <<'END'
unchanged +0.0%
END
check '--lines' 1 "$r rows --lines \$old -- \$slow | head -1; prof-gate --lines \$old -- \$slow >/dev/null" <<'END'
REGRESSED flat +28.4% p.c:10
END
check '--files' 1 'prof-gate --files --trim-path=/x $old -- $slow >out; s=$?; grep -c REGRESSED out; exit $s' <<'END'
2
END
check '--filefunctions' 1 \
	'prof-gate --filefunctions $old -- $slow >out; s=$?; grep -c "parse_json p.c" out; exit $s' <<'END'
2
END
check '--noinlines' 0 'prof-gate --noinlines --all $old -- $new | grep -c copy || true' <<'END'
0
END
check '--sample-index' 0 'prof-gate --sample-index=samples $old -- $new | grep -c samples/count' <<'END'
1
END
check_err 'a limit that other tools have' 2 'prof-gate --fail-on=1% $old -- $new' 'a limit is a budget: see --budget'
check_err 'no such sample type' 2 'prof-gate --sample-index=nope $old -- $new' \
	'nope'
check '--baseline, and new on standard input' 0 \
	'prof-gate --baseline=old1.pb.gz --baseline=old2.pb.gz <new1.pb.gz | grep "in all"' <<'END'
2 inconclusive, 4 unchanged, 6 functions in all
END
check '--scale=ops' 0 "$r total --scale=ops=2 \$old -- \$new" <<'END'
improved -50.0%
END
check '--scale=ops=N/M' 0 "$r total --scale=ops=300/300 \$old -- \$new" <<'END'
unchanged +0.0%
END
check '--scale=total' 1 "$r total --scale=total \$old -- \$slow; rows --scale=total \$old -- \$slow" <<'END'
unchanged +0.0%
REGRESSED flat +21.5% parse_json
improved cum -5.4% print
improved cum -5.4% idle
END
check '--scale=duration' 0 "$r total --scale=duration \$old -- \$new" <<'END'
unchanged +0.0%
END
lasts=20 profile brief1.pb.gz 6006 3010 15020 5990
lasts=20 profile brief2.pb.gz 5999 2990 14980 6010
check_err 'durations that differ' 0 'prof-gate -o brief $old -- brief1.pb.gz brief2.pb.gz' \
	'base profiles last 30s, new ones 20s: other work (see --scale), or a busier machine'
check '--scale=machine' 1 "$r rows --scale=machine \$old -- \$slow" <<'END'
REGRESSED flat +28.4% parse_json
END

# --- guards ---

# bench FILE N ...: a run for each N, of main;f; main;g and main;h are quiet.
bench() {
	file=$1
	run=0
	shift
	for n in "$@"; do
		run=$((run + 1))
		printf '# samples count\nmain;f %d\nmain;g %d\nmain;h %d\n' \
			"$n" $((300 + run * 7 % 10)) $((200 + run * 3 % 10)) >.bench
		mkprof .bench >"$file$run.pb.gz"
	done
}
bench two 100 104 98 201 101
bench modes 199 203 102 198 205
bench calm5 1000 1040 980 1020 1010
bench slow5 1200 1240 1180 1220 1210
check 'as many ways to split the runs show as much: perhaps' 0 \
	'prof-gate two?.pb.gz -- modes?.pb.gz | head -1' <<'END'
perhaps: f +50.2% (121 -> 181), but 12 of 252 ways to split these runs show as much
END
check 'ways to split the runs bound the odds' 1 \
	'prof-gate calm5?.pb.gz -- slow5?.pb.gz >out; s=$?; grep -o "1 in 250 .*f$\|252 ways" out; exit $s' <<'END'
1 in 250    f
252 ways
END
check 'the first line is the same in all forms' 0 \
	'prof-gate calm5?.pb.gz -- slow5?.pb.gz | head -1 >first
	for f in markdown github; do prof-gate --$f calm5?.pb.gz -- slow5?.pb.gz | head -1 |
		sed "s/^### prof-gate: //; s/^::error title=prof-gate:://; s/%0A.*//; s/%25/%/g; s/<[^>]*>//g" |
		cmp - first; done' </dev/null
check_err 'the same run twice' 2 'prof-gate old1.pb.gz old1.pb.gz -- $new' \
	'old1.pb.gz and old1.pb.gz are the same run'
check_err 'the same run on both sides, by its time' 2 \
	'printf "# samples count\n@time 1700000000000000000\nmain 9000\n" >o; mkprof o >o1.pb.gz; cp o1.pb.gz o2.pb.gz; prof-gate o1.pb.gz -- o2.pb.gz' \
	'o1.pb.gz and o2.pb.gz are the same run'
check_err 'rates more than twice apart' 2 'prof-gate hz10-?.pb.gz -- hz1-?.pb.gz' \
	'sampled at 100 and 1000 Hz, which costs the program different time: record both with -F 999 (--allow-rates)'
check 'a plan alternates' 0 'prof-gate --plan=2 -- base dir -- .' <<'END'
old 1 base dir
new 1 .
new 2 .
old 2 base dir
END
check_err 'a plan of one side' 2 'prof-gate --plan=2 -- base' 'OLD and NEW are words'
check 'no name is a command of a runner' 1 \
	'for n in 5000 9000; do printf "# samples count\nmain;##[error]x %d\nmain;rest 20000\n" $n >o; for i in 1 2 3 4 5; do mkprof o >cmd$n-$i.pb.gz; done; done
	for f in text github junit markdown; do prof-gate --$f cmd5000-?.pb.gz -- cmd9000-?.pb.gz >out; s=$?; grep -c "##\[" out; done; exit $s' <<'END'
0
0
0
0
END

check_err 'no base' 2 'prof-gate old1.pb.gz new1.pb.gz' 'no base:'
check_err 'no new profile' 2 'prof-gate old1.pb.gz --' "no new profile after '--'"
check_err 'no base before --' 2 'prof-gate -- new1.pb.gz' 'no base:'
check_err 'two bases' 2 'prof-gate --baseline=old1.pb.gz old2.pb.gz -- new1.pb.gz' \
	'exclude each other'
check_err 'no such file' 2 'prof-gate ./none -- new1.pb.gz' './none: No such file'
check_err 'options after --' 2 'prof-gate $old -- $new --json' 'options go first'
check_err 'a difference is no profile' 2 \
	'printf "# samples count\nmain -1\n" | mkprof | prof-gate --sample-index=samples old1.pb.gz -- -' \
	'<stdin>: sample 0 is negative'
check_err 'other types' 2 \
	'printf "# wall nanoseconds samples count\nmain 5 5\n" >o; mkprof o >o.pb.gz;
	prof-gate --sample-index=0 o.pb.gz -- old1.pb.gz' "measures 'samples/count'"
check_err 'nothing counts' 2 \
	'printf "# cpu nanoseconds\nmain 5\n" >o; mkprof o >o.pb.gz; prof-gate o.pb.gz -- o.pb.gz' \
	'nothing tells how many events'
check_err 'an empty side' 2 \
	'echo "# samples count" >none; mkprof none >none.pb.gz; prof-gate plain1.pb.gz -- none.pb.gz' \
	"no samples of 'samples/count': did the benchmark run?"
check_err 'too few samples' 2 'prof-gate --min-samples=400 few1.pb.gz -- few2.pb.gz' \
	'base has 301 samples in all, of at least 400 (--min-samples)'
check_err 'the benchmark died' 2 'prof-gate $old -- few1.pb.gz few2.pb.gz' \
	'did both do the same work?'
check_err 'one run of it died' 2 'prof-gate $old -- new1.pb.gz new2.pb.gz few1.pb.gz' \
	'new profile 3 has 1% of the median of its side'
check '--allow-unequal' 0 "$r total --allow-unequal \$old -- few1.pb.gz few2.pb.gz" <<'END'
improved -99.0%
END
check_err '--function matches nothing' 2 'prof-gate --function=pasre_json $old -- $new' \
	'--function matches none of 6 functions (their names are without numbers of closures: --exact-names)'
check_err '--focus matches nothing' 2 'prof-gate -q --focus=nobody $old -- $new' \
	'the filters match nothing'
check_err 'another program' 2 \
	'printf "# samples count\nstart;run;go 30000\n" >o; mkprof o >o.pb.gz; cp o.pb.gz o-2.pb.gz; prof-gate plain1.pb.gz plain2.pb.gz -- o.pb.gz o-2.pb.gz' \
	'nothing to compare: functions with 100% of base are gone'
check_err 'no names' 2 \
	'printf "# samples count\n@mapping 0x400000 0x500000 0 /lib/libc.so.6\n0x401000;0x402000 9000\n" >o; mkprof o >o.pb.gz; prof-gate o.pb.gz -- o.pb.gz' \
	'nothing to compare: 100% of its samples have no names: run prof-symbolize'
check_err 'few names' 2 \
	'printf "# samples count\n@mapping 0x400000 0x500000 0 /lib/libc.so.6\nmain;0x401000 9000\nmain 90\n" | mkprof >o.pb.gz; prof-gate o.pb.gz -- o.pb.gz' \
	'o.pb.gz: nothing to compare: 99% of its samples have no names: their files have none'
check_err '--scale=duration without one' 2 \
	'prof-gate --scale=duration plain1.pb.gz -- plain1.pb.gz' 'no duration'
check_err 'another --scale' 2 'prof-gate --scale=mean $old -- $new' "unknown scale 'mean'; one of none,"
check_err '--scale=ops=0' 2 'prof-gate --scale=ops=0 $old -- $new' 'is not ops=N'

# --- what fails ---

check_err '--alpha=0' 2 'prof-gate --alpha=0 $old -- $new' "'0'"
check '--min-change, --min-share' 0 "$r rows --min-change=35 \$old -- \$slow" </dev/null

cat >budget.txt <<'END'
# what we promised
parse_json <= 40% of total
  parse_json flat < 70s	# after a comment

"print" cum <= 200s
main <= +2%
END
check 'budgets kept' 0 'prof-gate --budget=budget.txt $old -- $new | grep budget' <<'END'
inconclusive: total +0.0% (-1.3% .. +1.3%), 299.99s -> 300.05s; budget main cum <= +2%: inconclusive, is +0.0% (-2.4% .. +2.4%)
budget parse_json cum <= 40% of total: kept, is 30.0% (29.6% .. 30.4%)
budget parse_json flat < 70s: kept, is 60.05s (59.02s .. 61.07s)
budget print cum <= 200s: kept, is 150s (148.22s .. 151.78s)
budget main cum <= +2%: inconclusive, is +0.0% (-2.4% .. +2.4%)
END
check 'a budget broken' 1 'prof-gate --budget=budget.txt $old -- $slow >out; s=$?; grep budget out; exit $s' <<'END'
regressed: parse_json +28.4% (59.99s -> 77.04s), at p.c:10, and its callers main, work; total +5.7% (+4.3% .. +7.0%), 299.99s -> 317.04s; budget parse_json flat < 70s: broken, is 77.04s (75.85s .. 78.23s); budget main cum <= +2%: broken, is +5.7% (+3.3% .. +8.1%)
budget parse_json cum <= 40% of total: kept, is 33.8% (33.3% .. 34.2%)
budget parse_json flat < 70s: broken, is 77.04s (75.85s .. 78.23s)
budget print cum <= 200s: kept, is 150s (148.23s .. 151.77s)
budget main cum <= +2%: broken, is +5.7% (+3.3% .. +8.1%)
END
echo 'parse_json <= 10% of total' >small.txt
check 'a budget broken, while the total fell: the first line begins with what fails' 1 \
	'prof-gate --budget=small.txt $slow -- $old >out; s=$?; head -1 out; exit $s' <<'END'
regressed: budget parse_json cum <= 10% of total: broken, is 30.0% (29.6% .. 30.3%); total -5.4% (-6.6% .. -4.1%), 317.04s -> 299.99s; improved: parse_json -15.9% (107.04s -> 89.99s), and its callers main, work
END
check 'budgets against itself' 0 \
	'prof-gate --baseline=new1.pb.gz --budget=budget.txt new1.pb.gz | grep -c kept' <<'END'
2
END
echo 'idle <= 20% of total' >edge.txt
check 'a budget that nobody can tell' 0 \
	'prof-gate --budget=edge.txt $old -- $new | head -1 | cut -d: -f1' <<'END'
inconclusive
END
check_err 'a budget without a number' 2 \
	'echo "main <= much" | prof-gate --budget=- $old -- $new' \
	'<stdin>: line 1:'
check_err 'a budget without a unit' 2 \
	'echo "main <= 5" | prof-gate --budget=- $old -- $new' \
	'line 1: 5 has no unit'
check_err 'a budget in another unit' 2 \
	'echo "main <= 5MB" | prof-gate --budget=- $old -- $new' 'not in MB'
check_err 'a budget in a unit, of shares' 2 \
	'echo "main <= 5s" | prof-gate --scale=total --budget=- $old -- $new' \
	'<stdin>: line 1: the scale is shares of the total, so a limit is in percent'
check_err 'a budget upside down' 2 \
	'printf "# x\nmain >= 5%%\n" | prof-gate --budget=- $old -- $new' \
	'<stdin>: line 2:'
check_err 'a budget of no function' 2 \
	'echo "gone_function < 5s" | prof-gate --budget=- $old -- $new' \
	"<stdin>: line 1: no function is called 'gone_function'"
check_err 'a budget of the total, as a word' 2 \
	'echo "total <= +5%" | prof-gate --budget=- $old -- $new' \
	"no function is called 'total'; the total is that of /./"
check_err 'a budget of no group' 2 \
	'echo "/^nobody/ < 1s" | prof-gate --budget=- $old -- $new' \
	"<stdin>: line 1: no function matches '/^nobody/'"

# work is above both others: 240 s, not 240 + 90 + 150.
cat >groups.txt <<'END'
/^(work|parse_json|print)$/ <= 85% of total
/^(work|parse_json|print)$/ flat <= 250s
/p/ <= 240.5s # copy, too: inlined
/json$/ <= +10%
END
check 'budgets of groups' 1 \
	'prof-gate --budget=groups.txt $old -- $slow >out; s=$?; grep budget out; exit $s' <<'END'
regressed: parse_json +28.4% (59.99s -> 77.04s), at p.c:10, and its callers main, work; total +5.7% (+4.3% .. +7.0%), 299.99s -> 317.04s; budget /p/ cum <= 240.5s: broken, is 257.04s (254.38s .. 259.71s); budget /json$/ cum <= +10%: broken, is +18.9% (+15.5% .. +22.4%)
budget /^(work|parse_json|print)$/ cum <= 85% of total: kept, is 81.1% (80.2% .. 81.9%)
budget /^(work|parse_json|print)$/ flat <= 250s: kept, is 227.04s (224.63s .. 229.45s)
budget /p/ cum <= 240.5s: broken, is 257.04s (254.38s .. 259.71s)
budget /json$/ cum <= +10%: broken, is +18.9% (+15.5% .. +22.4%)
END
printf 'main flat <= %s\n' 100ms '5% of total' +100ms +5% >never.txt
echo '/^(main|work)$/ flat <= 100ms' >>never.txt
check 'budgets of what is never a leaf: one function is judged as several are' 0 \
	'prof-gate --budget=never.txt $old -- $new | grep "^budget"' <<'END'
budget main flat <= 100ms: kept, is 0 (-4.09ms .. 4.09ms)
budget main flat <= 5% of total: kept, is 0.0% (-0.0% .. 0.0%)
budget main flat <= +100ms: kept, is 0 (-5.79ms .. +5.79ms)
budget main flat <= +5%: inconclusive, is 0 (-5.79ms .. +5.79ms)
budget /^(main|work)$/ flat <= 100ms: kept, is 0 (-4.09ms .. 4.09ms)
END
check_err 'a budget of a wrong pattern' 2 \
	'printf "# x\n/(/ <= 5%%\n" | prof-gate --budget=- $old -- $new' \
	'<stdin>: line 2: parsing budget regexp'

check 'status of a broken budget' 1 \
	'echo "print <= 10%" | prof-gate --budget=- $old -- $new >/dev/null' </dev/null

# --- a folder of baselines ---

mkdir base empty
check '--save-baseline, and --baseline of a folder' 0 \
	'prof-gate --save-baseline=base old1.pb.gz old2.pb.gz old3.pb.gz && ls base &&
	prof-gate --baseline=base --baseline-runs=2 new1.pb.gz new2.pb.gz | tail -1 | grep -o "2 base and 2 new"' <<'END'
000001.pb.gz
000002.pb.gz
000003.pb.gz
2 base and 2 new
END
check_err 'fewer than wanted' 0 'prof-gate --baseline=base $new >/dev/null' \
	'base: only 3 comparable runs; 5 were wanted'
check 'the newest are taken' 0 \
	'prof-gate --save-baseline=base $slow && prof-gate --baseline=base --baseline-runs=2 $slow | head -1 | cut -d, -f1' <<'END'
unchanged: total +0.0% (-1.7% .. +1.7%)
END
check 'they say which machine they are of' 0 \
	'prof-text --json base/000001.pb.gz | grep -c "machine: "' <<'END'
1
END
check_err 'another machine does not compare' 2 \
	'mkdir other; printf "# samples count\n@comment # machine: abacus\nmain 9000\n" >o; mkprof o >o.pb.gz;
	prof-gate --save-baseline=other o.pb.gz; prof-gate --baseline=other plain1.pb.gz' \
	'none of 1 runs is comparable'
check_err 'two folders' 2 'prof-gate --baseline=base --baseline=empty $new' \
	'base and empty are folders: the sessions of one are the base'
check_err 'an empty folder' 2 'prof-gate --baseline=empty $new' 'none of 0 runs is comparable'
check_err 'no folder can be made' 2 'prof-gate --save-baseline=$new/deep $new' 'Not a directory'

# day NUMBER PERCENT NAME: three runs on a day, NAME1.pb.gz and so on, a minute
# apart, of which all takes PERCENT more than on others.
day() {
	for run in 1 2 3; do
		at=$(($1 * 86400 + run * 60))
		awk -v more="$2" -v run=$run -v at=$at 'BEGIN {
			print "# samples count\n@time " at "000000000\n@duration 9000000000"
			for (i = 1; i <= 20; i++)
				printf "main;f%d %d\n", i, (900 + i * i * 31 % 200 + i * run * 7 % 37) * (100 + more) / 100
		}' </dev/null >w
		mkprof w >"$3$run.pb.gz"
	done
}
mkdir days
for d in '1 0' '2 7' '3 4' '4 -3' '5 2'; do
	# shellcheck disable=SC2086 # two words
	day $d day
	prof-gate --save-baseline=days day?.pb.gz
done
day 9 9 today
check 'a day of a folder is one observation: 9 % more is nothing' 0 \
	'prof-gate --baseline=days today?.pb.gz >out; s=$?; cut -d: -f1 out | head -1
	grep -o "15 base and 3 new profiles\|5 and 1 sessions\|session to session: .*, the machine by [3-5]" out; exit $s' <<'END'
inconclusive
15 base and 3 new profiles
5 and 1 sessions
session to session: functions vary by 0.1%, the machine by 3
END
cp -r days retried
prof-gate --save-baseline=retried day2.pb.gz
check_err 'a run that was saved twice counts once' 0 '
	prof-gate --baseline=retried today?.pb.gz >out2 && cmp out out2' \
	'retried: runs that were saved twice count once: 1'
check 'one day: how days differ is not known' 1 \
	'prof-gate --baseline=days --baseline-sessions=1 --baseline-runs=3 today?.pb.gz >out; s=$?; cut -d: -f1 out | head -1
	grep -o "3 base and 3 new profiles\|how these drift is not known" out; exit $s' <<'END'
regressed
how these drift is not known
3 base and 3 new profiles
END
day 9 0 twin
check 'sides that were recorded in one session: nothing to say of drift' 0 \
	'prof-gate twin?.pb.gz -- today?.pb.gz >out; grep -c "drift" out; prof-gate --json twin?.pb.gz -- day?.pb.gz |
	grep -o ".base_sessions.*by_session.:[a-z]*"' <<'END'
0
"base_sessions":1,"new_sessions":1,"by_session":false
END

# --- forms ---

# A name with something for everybody.
hostile() {
	printf '# samples count\n'
	printf 'main;a<b>&"c|`d`*e*@f%%::g,h %d\nmain;rest 20000\n' "$1"
}
hostile 5000 >h1
hostile 9000 >h2
mkprof h1 >h1.pb.gz
mkprof h2 >h2.pb.gz
for i in 2 3 4 5; do
	cp h1.pb.gz h1-$i.pb.gz
	cp h2.pb.gz h2-$i.pb.gz
done
for f in text json markdown junit github; do
	prof-gate --$f h1.pb.gz h1-?.pb.gz -- h2.pb.gz h2-?.pb.gz >h.$f 2>h.err
	[ $? -eq 1 ] && [ ! -s h.err ] && ok "--$f exits with 1" ||
		not_ok "--$f exits with 1" <h.err
done
if have python3; then
	check 'JSON is JSON' 0 'python3 -c "
import json
j = json.load(open(\"h.json\"))
f = j[\"functions\"][0]
print(j[\"schema\"], j[\"verdict\"], f[\"name\"], f[\"fails\"], f[\"flat\"][\"before\"])
print(sorted(j), sorted(j[\"noise\"]), sorted(f), sorted(f[\"cum\"]))
"' <<'END'
profpipe.gate/1 regressed a<b>&"c|`d`*e*@f%::g,h True 5000
['alpha', 'base_profiles', 'base_sessions', 'budgets', 'by_session', 'confidence', 'count', 'functions', 'level', 'min_change', 'min_share', 'new_profiles', 'new_sessions', 'noise', 'renamed', 'scale', 'schema', 'splits', 'tests', 'total', 'total_fails', 'type', 'unit', 'verdict'] ['clump', 'machine', 'nu', 'runs'] ['by', 'causes', 'cum', 'fails', 'flat', 'name', 'verdict'] ['adjusted', 'after', 'as_extreme', 'before', 'change', 'detectable', 'df', 'dispersion', 'events_after', 'events_before', 'high', 'low', 'p_faster', 'p_own', 'p_slower', 'relevant', 'se', 'splits', 'verdict']
END
	check 'JUnit is XML' 0 'python3 -c "
import xml.etree.ElementTree as x
s = x.parse(\"h.junit\").getroot()[0]
for t in s.findall(\"testcase\"): print(t.get(\"classname\"), t.get(\"name\"), [e.tag for e in t])
"' <<'END'
total total ['failure']
function a<b>&"c|`d`*e*@f%::g,h ['failure']
END
else
	skip 'JSON is JSON' 'no python3'
	skip 'JUnit is XML' 'no python3'
fi
printf '# n count\nmain;f 253882314123\n' | mkprof >long.pb.gz
echo '# none' >none
check 'JSON has all digits of a value' 0 \
	'prof-gate --json --budget=none --baseline=long.pb.gz long.pb.gz | grep -o "\"before\":[0-9.e+]*" | head -1' <<'END'
"before":253882314123
END
check 'Markdown escapes' 0 'grep -c "a&#60;b&#62;&#38;&#34;c&#124;&#96;d&#96;&#42;e&#42;&#64;f" h.markdown' <<'END'
2
END
check 'annotations escape' 0 'grep -o "title=regressed a.*::flat" h.github | head -1' <<'END'
title=regressed a<b>&"c|`d`*e*@f%25%3A%3Ag%2Ch::flat
END

# Of a function that grew in a header, the line of ours that called it.
for n in 3000 3005 2995 5000 5010 4990; do
	printf '# samples count\nmain (main.c:3);sort (/usr/include/sort.h:9) %d\nmain (main.c:5) 9000\n' $n >o
	mkprof o >header$n.pb.gz
done
echo >main.c
base='header3000.pb.gz header3005.pb.gz header2995.pb.gz'
next='header5000.pb.gz header5010.pb.gz header4990.pb.gz'
export base next
check 'annotations point at files that are there' 0 \
	'prof-gate --github $base -- $next | grep -o "^.*title=regressed sort"; :' <<'END'
::error file=main.c,line=3,title=regressed sort
END
check 'of no file of ours, at none' 0 \
	'rm main.c; prof-gate --github $base -- $next | grep -o "^.*title=regressed sort"; :' <<'END'
::error title=regressed sort
END

check '--nodecount' 1 'prof-gate --all --nodecount=1 $old -- $slow >out; s=$?; grep -c "^REG.* \(flat\|cum\) " out; grep -o "1 more rows.*" out; exit $s' <<'END'
1
END
check '--all' 0 'prof-gate --all --nodecount=0 $old -- $new | grep -c "^unchanged *\(cum\|flat\) "' <<'END'
6
END
check_err 'a full disk' 2 'prof-gate $old -- $new >/dev/full' 'No space left'
check '-o, whole' 1 'prof-gate -o report $old -- $slow; s=$?; head -1 report | cut -d: -f1; exit $s' <<'END'
regressed
END
prof-gate $old -- $slow >three 2>&1
check 'the order of profiles does not matter' 0 \
	'prof-gate old2.pb.gz old1.pb.gz old4.pb.gz old5.pb.gz old3.pb.gz -- slow2.pb.gz slow5.pb.gz slow1.pb.gz slow4.pb.gz slow3.pb.gz >again; cmp three again' </dev/null
check 'three and three, as in the manual' 0 \
	'cp new1.pb.gz new3.pb.gz; prof-gate old1.pb.gz old2.pb.gz old3.pb.gz -- new1.pb.gz new2.pb.gz new3.pb.gz | head -1 | cut -d: -f1' <<'END'
unchanged
END
plan
