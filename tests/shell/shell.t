#!/bin/sh
# prof-shell: pprof's sessions, our extensions, and a terminal.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/pages.sh"

unset PAGER BROWSER

cat >w.txt <<'END'
# samples count cpu nanoseconds
@comment a comment
main (main.c:3);work (work.c:10);leaf (leaf.c:20) 40 400000000 {user="ann"}
main (main.c:3);work (work.c:12) 30 300000000 {user="bob"}
main (main.c:3);idle (idle.c:1) 20 200000000
other (other.c:2) 10 100000000
END
mkprof w.txt >w.pb.gz
sed 's/ 400000000 / 900000000 /' w.txt | mkprof >new.pb.gz

# --- sessions that pprof prints the same of

cat >session <<'END'
top3
top 2 -cum
top -cum work -leaf
top work leaf
top -1
top 0
text 1 other
tree work
peek work
peek
comments
nodecount=2
top
nodecount
nodecount=abc
nodecount=1.5
nodefraction=x
nodefraction=0.25
edgefraction=1e-3
top
nodecount=-1
nodefraction=0.005
noinlines
noinlines=maybe
noinlines=No
noinlines =  TRUE
call_tree=1
cum=yes
cum=false
cum=1
lines=true
sort=cum
sort=bogus
granularity=lines
top5
granularity=bogus
granularity=functions
focus=leaf //: a remark
focus
tagfocus=ann
top
:
hide=work
top
hide=
samples
top
total_cpu
mean_cpu
mean=0
cpu
sample_index=cpu
sample_index=
unit=ms
top
unit=s
top
unit=minimum
divide_by=0
top
divide_by=2
top
divide_by=1
relative_percentages=true
top work
relative_percentages=false
drop_negative=true
bogus
Top
nodecount 5
focus
top >
list
help nothing of it
  
o
quit now
top
END

# same WHAT FILE: of the two answers.
same() {
	if cmp -s "ours.$2" "theirs.$2" && [ -s "ours.$2" ]; then
		ok "$1"
	else
		diff "ours.$2" "theirs.$2" | head -40 | not_ok "$1"
	fi
}

pprof=$(go env GOTOOLDIR 2>/dev/null)/pprof
for f in w.pb.gz "$data/good-go-cpu-long.pb.gz"; do
	found "$f" || continue
	name="a session with ${f##*/}:"
	if [ ! -x "$pprof" ]; then
		skip "$name as pprof" 'no go tool pprof'
		continue
	fi
	prof-shell "$f" <session >ours 2>ours.err
	status=$?
	"$pprof" -symbolize=none "$f" <session >theirs 2>theirs.err
	# Its prompt on a pipe, and the end of its last line.
	sed 's/(pprof) //g' theirs | sed '$s/^$//; /^$/d' >theirs.out
	sed '/^$/d' ours >ours.out
	same "$name reports as pprof" out
	# The pprof of 2022 has the time in another form, no "showcolumns", and
	# other words for a column that is not there and for filters in vain.
	for side in ours theirs; do
		sed -e '/^Time: /d' -e '/^  showcolumns /d' \
			-e 's/^sample index /sample_index /' -e 's/^Focus /focus /' \
			-e 's/^Ignore /ignore /' -e 's/^TagFocus /tagfocus /' \
			$side.err >$side.msg
	done
	same "$name messages and options as pprof" msg
	[ $status -eq 2 ] && ok "$name a script that failed in parts says so" ||
		echo "$status" | not_ok "$name a script that failed in parts says so"
done

check 'the messages of assignments' 2 'prof-shell -q w.pb.gz 2>&1 <<-"END"
	granularity=
	sample_index=7
	sample_index=foo
	list
	top >
	top >>f
	top -focus=main
	top hide=leaf
	filter nodecount=3
	unit=fortnights
	unit=Auto
	nodefraction=5
	edgefraction=-1
	divide_by=nan
	divide_by=-2
	divide_by=0
	top
	END' <<'END'
invalid "granularity" value ""
sample index 7 is outside the range [0..1]
sample index "foo" must be one of: [samples cpu]
command list requires an argument
unexpected end of line after >
>> is not for reports: use | cat >>FILE
a setting is a line of its own: focus=main
a setting is a line of its own: hide=leaf
a setting is a line of its own: nodecount=3
unknown unit 'fortnights'; one of auto, minimum, count, sample, unit, b, kb, mb, gb, tb, pb, ns, us, ms, s, hour, nanogcu, microgcu, milligcu, gcu, kilogcu, megagcu, gigagcu, teragcu, petagcu
unknown unit 'Auto'; one of auto, minimum, count, sample, unit, b, kb, mb, gb, tb, pb, ns, us, ms, s, hour, nanogcu, microgcu, milligcu, gcu, kilogcu, megagcu, gigagcu, teragcu, petagcu
'5' is not from 0 to 1
'-1' is not from 0 to 1
'nan' is not a number above 0
'-2' is not a number above 0
zero divisor specified
END
check 'a word of a setting alone; a unit of any column' 0 '
	prof-shell -q -e "cum; lines; unit=count; unit=Ms; o" w.pb.gz 2>&1 |
		sed -nE "/^  (granularity|sort|unit) /s/ +/ /gp"' <<'END'
 granularity = lines //: [addresses | filefunctions | files | functions | lines]
 sort = cum //: [cum | flat]
 unit = Ms 
END
check 'lines of the list can be typed' 0 '
	for o in "" "--lines --focus=work --sample-index=0 --source-path=/src --all-frames"; do
		prof-shell -q $o -e o -e top w.pb.gz >a 2>list
		cat list | sed "\$ a o" | prof-shell -q w.pb.gz 2>again; cmp list again
		{ cat list; echo top; } | prof-shell -q w.pb.gz | cmp - a
	done; grep -e "^  source" -e "^  all" list' <<'END'
  all_frames                = true                 
  source_path               = /src                 
END
check 'the column in the list is that of the table' 0 '
	sed "s/^@comment.*/@default samples/" w.txt | mkprof >first.pb.gz
	prof-shell -q -e "o; tags" first.pb.gz 2>&1 | sed -nE "/^  sample_index|user: T/ s/ +/ /gp"' <<'END'
 sample_index = samples //: [samples | cpu]
 user: Total 70 of 100 (70.00%)
END
check 'columns of one name, by number' 0 '
	printf "# s count s bytes s lamps\nmain 1 20 300\n" | mkprof >same.pb.gz
	prof-shell -e "sample_index=1; top; sample_index=s; top; unit=lamps; sample_index=2; top" \
		same.pb.gz | sed -n "s/ *100%.*main//p"' <<'END'
       20B
         1
  300lamps
END

# --- each command is the report of its filter

while IFS='	' read -r line command; do
	check "$line" 0 "prof-shell -q -e '$line' w.pb.gz 2>err >ours
		$command >theirs && cmp ours theirs && cat err" </dev/null
done <<'END'
top	prof-text --compact-labels --nodecount=10 w.pb.gz
tree main	prof-text --compact-labels --tree --focus=main w.pb.gz
peek work	prof-text --compact-labels --peek=work w.pb.gz
traces -leaf	prof-text --compact-labels --traces --ignore=leaf w.pb.gz
tags bob	prof-text --compact-labels --tags --tagfocus=bob w.pb.gz
raw	prof-text --raw w.pb.gz
comments	prof-text --comments w.pb.gz
dot 3	prof-dot --nodecount=3 w.pb.gz
list leaf	prof-list --list=leaf w.pb.gz 2>/dev/null
diff new.pb.gz	prof-diff new.pb.gz w.pb.gz | prof-text --diff --compact-labels --nodecount=10
END
check 'files: as the filters write them' 0 '
	prof-shell -q -e "proto work >p.pb.gz; flame >f.svg; topproto >t.pb.gz" \
		-e "callgrind >c.out; save s.pb.gz" w.pb.gz
	prof-filter --focus=work w.pb.gz | prof-text --raw >a; prof-text --raw p.pb.gz | cmp - a
	prof-flame w.pb.gz | cmp - f.svg
	prof-export --to callgrind w.pb.gz | cmp - c.out
	prof-text --raw w.pb.gz >a; prof-text --raw s.pb.gz | cmp - a
	prof-text -q --tsv --sample-index=flat t.pb.gz | cut -f1,5' <<'END'
flat	function
400000000	leaf
300000000	work
200000000	idle
100000000	other
END
check 'topproto: names without what the reader adds, and the period' 0 '
	prof-shell -q -e "lines; topproto >t.pb.gz" "$data/good-tiny.pb.gz"
	prof-text --lines --raw t.pb.gz | grep -e "^Period" -e helper
	prof-text --lines --compact-labels --sample-index=flat t.pb.gz | sed -n 3p' <<'END'
PeriodType: cpu nanoseconds
Period: 10000000
     1: 0x0 M=1 helper /src/demo/util.h:7:0 s=0
     300ms 45.45% 45.45%      300ms 45.45%  helper /src/demo/util.h:7
END
rm -f p.pb.gz f.svg t.pb.gz c.out s.pb.gz

check 'files have free names, and are announced' 0 '
	prof-shell -e "svg; proto; svg" -e "top>my.txt; top > my.txt" w.pb.gz 2>&1
	ls profile* my.txt; rm profile* my.txt' <<'END'
Generating report in profile001.svg
Generating report in profile001.pb.gz
Generating report in profile002.svg
Generating report in my.txt
Generating report in my.txt
my.txt
profile001.pb.gz
profile001.svg
profile002.svg
END
check 'output= is the file of all reports' 0 '
	prof-shell -e "output=f; top; tree; output=; comments" w.pb.gz 2>&1
	prof-text --compact-labels --tree w.pb.gz | cmp - f; rm f
	prof-shell -o f -e tree w.pb.gz 2>/dev/null; prof-text --compact-labels --tree w.pb.gz | cmp - f
	rm f' <<'END'
Generating report in f
Generating report in f
a comment
END
check 'an error is one line, and the session goes on' 2 '
	prof-shell -e "top >none/f; peek nobody; top 1 ( ;comments" w.pb.gz 2>&1' <<'END'
none/f: No such file or directory; make the folder none first
no matches found for regexp: nobody
parsing focus regexp: missing closing parenthesis at byte 1 of '('; \Q...\E takes a name as it is
a comment
END

# --- what pprof lacks

check 'a report can be piped, and its reader may stop' 0 '
	prof-shell -e "comments | tr a-z A-Z" -e "raw|head -n1" \
		-e "top work |tail -n +6 | wc -l" -e "raw | true" w.pb.gz 2>&1 |
		sed "s/^ *//" | cut -c1-12' <<'END'
A COMMENT
Comment: a c
2
END
check 'filter steps: stacked, listed, undone' 2 '
	prof-shell -q -e "filter main -idle; filter hide=work; filter; top 0" \
		-e "undo; filter; undo; undo; filter nobody; top 1" w.pb.gz 2>&1' <<'END'
  1  main -idle
  2  hide=work
Showing nodes accounting for 700ms, 100% of 700ms total
      flat  flat%   sum%        cum   cum%
     400ms 57.14% 57.14%      400ms 57.14%  leaf
     300ms 42.86%   100%      700ms   100%  main
  1  main -idle
there is no filter step to undo
no sample is left: not filtered
Showing nodes accounting for 400ms, 40.00% of 1000ms total
Showing top 1 nodes out of 5
      flat  flat%   sum%        cum   cum%
     400ms 40.00% 40.00%      400ms 40.00%  leaf
END
check 'save writes the profile after its steps' 0 '
	prof-shell -e "focus=work; filter main; save s.pb.gz" w.pb.gz 2>/dev/null
	prof-filter --focus=main w.pb.gz | prof-text --raw >a
	prof-text --raw s.pb.gz | cmp - a' </dev/null

cat >browser <<'END'
#!/bin/sh
cp "$1" "shown.${1##*.}"
echo "$0: ${1##*.}"
END
chmod +x browser
cp browser kcachegrind
cp browser gv
check 'viewers: BROWSER, or the one of the name' 0 '
	BROWSER="no-such-browser -x:./browser" PATH=.:$PATH
	export BROWSER PATH
	prof-shell -e "web; flame; html; kcachegrind" w.pb.gz 2>&1 | sed "s/ .*prof-....../ NAME/"
	prof-dot -T svg w.pb.gz | head -c 500 >a; head -c 15 a
	prof-flame w.pb.gz | cmp - shown.svg; grep -c "<html" shown.html
	prof-export --to callgrind w.pb.gz | cmp - shown.out; rm -f "$TMPDIR"/prof-* shown.*' <<'END'
Report NAME.svg
Report NAME.svg
Report NAME.html
Report NAME.callgraph.out
<?xml version="1
END
check 'no viewer: the report stays where it says' 2 '
	PATH=$bin prof-shell -e eog w.pb.gz 2>&1 | sed "s/ .*prof-....../ NAME/"
	ls "$TMPDIR"/prof-* | wc -l; rm "$TMPDIR"/prof-*; exit 2' <<'END'
Report NAME.svg
exec: "eog": executable file not found in $PATH
1
END

check 'gate: the files are the base; the status is the verdict' 1 '
	for i in 1 2 3 4; do
		sed "s/400000000/40${i}000000/; s/^main/# main/; s/^# main/main/" w.txt | mkprof >b$i.pb.gz
	done
	prof-shell -q -e "gate b1.pb.gz b2.pb.gz b3.pb.gz --allow-unequal --scale=none" \
		-e comments w.pb.gz >gate.out 2>&1
	prof-gate -q --allow-unequal --scale=none b1.pb.gz b2.pb.gz b3.pb.gz -- w.pb.gz >direct 2>&1
	direct=$?
	prof-shell -q -e "gate new.pb.gz --fail-single --allow-unequal" w.pb.gz >/dev/null 2>&1
	reverse=$?
	prof-gate -q --fail-single --allow-unequal new.pb.gz -- w.pb.gz >/dev/null 2>&1
	[ $? -eq $reverse ] && grep -x "a comment" gate.out; exit 1' <<'END'
a comment
END

check 'filter steps are taken on what is compared with, too' 0 '
	for f in b1 b2 b3 new w; do prof-filter --ignore=idle -o f-$f.pb.gz $f.pb.gz; done
	prof-diff f-new.pb.gz f-w.pb.gz | prof-text --diff --compact-labels --nodecount=10 >a
	prof-shell -q -e "filter -idle; diff new.pb.gz" w.pb.gz | cmp - a
	prof-gate --allow-unequal --scale=none f-b1.pb.gz f-b2.pb.gz f-b3.pb.gz -- f-w.pb.gz >a
	prof-shell -q -e "filter -idle; gate b1.pb.gz b2.pb.gz b3.pb.gz --allow-unequal --scale=none" w.pb.gz | cmp - a
	grep -c "240 and 80 samples" a; prof-filter --ignore=other -o f-none.pb.gz w.pb.gz' <<'END'
1
END
check_err 'a step that leaves nothing to compare with' 2 \
	'prof-shell -q -e "filter other; diff f-none.pb.gz" w.pb.gz' \
	'f-none.pb.gz: step 1, other, leaves nothing'

# --- what is read

check 'several profiles are added up, and a base is subtracted' 0 '
	prof-merge w.pb.gz new.pb.gz | prof-text --compact-labels --nodecount=10 >a
	prof-shell -e top w.pb.gz new.pb.gz | cmp - a
	prof-diff --diff-base new.pb.gz w.pb.gz | prof-text --compact-labels --nodecount=10 >a
	prof-shell -e top --diff-base=new.pb.gz w.pb.gz | cmp - a
	prof-diff --base new.pb.gz w.pb.gz | prof-text --compact-labels --nodecount=10 >a
	prof-shell -e top --base=new.pb.gz w.pb.gz | cmp - a
	prof-diff -q --diff-base --normalize new.pb.gz w.pb.gz | prof-text --compact-labels --nodecount=10 >a
	prof-shell -q -e top --diff-base=new.pb.gz --normalize w.pb.gz | cmp - a' </dev/null
check 'a pipe is read, and other formats' 0 '
	prof-shell -e comments - <w.pb.gz
	printf "main;work 3\nmain 1\n" >folded.txt
	prof-shell -e "top 1" folded.txt | tail -1' <<'END'
a comment
         3 75.00% 75.00%          3 75.00%  work
END
# A frame without a name, in a program that has its symbols.
address=$(nm "$bin/tests/mkprof" 2>/dev/null | sed -n 's/^0*\([0-9a-f]*\) T main$/\1/p')
if [ "$address" ] && ! lacks "prof-symbolize w.pb.gz"; then
	cat <<END | mkprof >bare.pb.gz
# cpu nanoseconds
@mapping 0x10000000 0x20000000 0 $bin/tests/mkprof
$(printf '0x%x' $((0x10000000 + 0x$address + 4))) 7
END
	check '--symbolize: names, if some are missing' 0 '
		prof-shell -q -e "top 1" bare.pb.gz | tail -1
		prof-shell -q --symbolize=local -e "top 1" bare.pb.gz | tail -1
		prof-shell -q -e "diff bare.pb.gz" bare.pb.gz | head -1
		prof-shell -q --symbolize=none -e "top 1" bare.pb.gz | grep -c main; :' <<'END'
       7ns   100%   100%        7ns   100%  main
       7ns   100%   100%        7ns   100%  main
Total 7ns before, 7ns after: 0 (0%)
0
END
else
	skip '--symbolize' 'mkprof has no symbols, or this build no elfutils'
fi
check 'options of reports are the settings at the start' 0 '
	prof-shell --cum --focus=work --lines --nodecount=2 --sample-index=samples \
		--trim=false --mean -e o w.pb.gz 2>&1 |
		sed -nE "/^  (focus|granularity|nodecount|mean|sample_index|sort|trim) /s/ +/ /gp"
	prof-shell --mean-delay=false --alloc-space=0 --all-frames -e o w.pb.gz 2>&1 | grep -c all_frames' <<'END'
 focus = work 
 granularity = lines //: [addresses | filefunctions | files | functions | lines]
 mean = true 
 nodecount = 2 
 sample_index = samples //: [samples | cpu]
 sort = cum //: [cum | flat]
 trim = false 
1
END
check_err 'no profile' 2 'prof-shell' 'which profile?'
check_err 'no such file' 2 'prof-shell none' 'prof-shell: none: No such file'
check_err 'no such column' 2 'prof-shell --sample-index=none -e top w.pb.gz' \
	'must be one of'
check_err 'no such unit' 2 'prof-shell --unit=fortnights w.pb.gz' "unknown unit 'fortnights'; one"
check_err 'a wrong value' 2 'prof-shell --nodecount=x w.pb.gz' '--nodecount: strconv'
check_err 'one granularity' 2 'prof-shell --lines --files=0 --functions w.pb.gz' \
	'prof-shell: --lines and --functions exclude each other'
check 'one column: the first' 0 '
	prof-shell --contentions --inuse-space --sample-index=samples --total-delay -e o w.pb.gz 2>&1 |
		sed -nE "/sample_index/ s/ +/ /gp; /^prof-shell/p"' <<'END'
prof-shell: multiple value selections, ignoring --inuse-space
prof-shell: multiple value selections, ignoring --total-delay
 sample_index = samples //: [samples | cpu]
END
check_err 'one kind of base' 2 'prof-shell --base=a --diff-base=b w.pb.gz' 'exclude'
check_err 'damage' 2 'head -c 60 w.pb.gz >cut; prof-shell -e top cut' 'prof-shell: cut: truncated'
check_err 'a full disk' 2 'prof-shell -e top w.pb.gz >/dev/full' 'No space left'
check_err 'a full disk behind >' 2 'prof-shell -q -e "top >/dev/full" w.pb.gz' \
	'No space left'
check_err 'the size cap holds for a base, too' 2 \
	'prof-shell --max-size=1K -e "diff $data/good-go-cpu-long.pb.gz" w.pb.gz' 'the limit of 1024 bytes'
check 'a script by its lines, read to where it was' 0 '
	(echo "comments | cat"; echo comments; echo quit) >lines
	prof-shell -q w.pb.gz <lines 2>&1
	{ prof-shell -q -e comments w.pb.gz; cat; } <lines' <<'END'
a comment
a comment
a comment
comments | cat
comments
quit
END
check 'help: all of it, one thing, nothing' 2 '
	prof-shell -e help w.pb.gz 2>&1 >/dev/null |
		grep -cE "^    (top|undo|focus|sort|weblist|quit) "
	prof-shell -e "help list; help sample_index; help x" w.pb.gz 2>&1' <<'END'
6
print source lines with their values
  Usage:
    list REGEX [N] [REGEX]... [-REGEX]... [-cum] [>FILE | |COMMAND]
the type of values, a name or a number
    samples
    cpu
Unknown command: x
END

# The examples of the manual page.
cp w.pb.gz cpu.pb.gz
cp new.pb.gz old.pb.gz
shown prof-shell.1 | sed -n 's/^prof-shell //p' |
	sed 's/\\(aq/'"'"'/g; s/\\&//g' >examples
[ "$(wc -l <examples)" -ge 3 ] || not_ok 'the page has examples' <examples
while read -r example; do
	sh -c "echo 'top 1' | BROWSER=true prof-shell $example" >out 2>err </dev/null
	if [ $? -lt 2 ] && [ -s out ]; then
		ok "example: $example"
	else
		not_ok "example: $example" <err
	fi
done <examples

# --- a server

if lacks 'prof-fetch w.pb.gz' || [ ! -x "$bin/tests/httpd" ]; then
	skip 'a server' 'this build has no libcurl'
else
	cp w.pb.gz base.pb.gz
	. "$src/tests/lib/serve.sh"
	serve 'httpd . go log'
	export port
	check 'a server: asked once, for all commands' 0 '
		prof-shell -q -e "comments; top 1" "http://127.0.0.1:$port/file/w.pb.gz" >out
		sed -n "\$p" out; grep -c "a comment" out; grep -c w.pb.gz log
		prof-shell -q -e "top 1" --base="http://127.0.0.1:$port/file/base.pb.gz" new.pb.gz | tail -1' <<'END'
     400ms 40.00% 40.00%      400ms 40.00%  leaf
1
1
     500ms   100%   100%      500ms   100%  leaf
END
	check_err 'a server that has none' 2 'prof-shell -e top "http://127.0.0.1:$port/none"' \
		'404 Not Found'
fi

# --- a terminal

name='at a terminal'
need_tools "$name" python3
XDG_STATE_HOME=$PWD/state
export XDG_STATE_HOME
printf '#!/bin/sh\necho "shown $1" >&2\n' >tell
chmod +x tell
printf '# cpu\033]0;x\007 count zeta count\nmain;>victim.out 1 2\nmai\033]0;y\007;main 1 2
main;große;größe;grün 1 2\n' | mkprof >hostile.pb
python3 "$src/tests/shell/terminal.py" w.pb.gz hostile.pb >out 2>err </dev/null
if grep -q '^not completes' out && ! grep -q 'HAVE_LIBEDIT 1' "$bin/config.h"; then
	skip_rest "$name" 'this build has no libedit'
fi
while read -r line; do
	case $line in
	not*) cat err | not_ok "$name: ${line#not }" ;;
	*) ok "$name: $line" ;;
	esac
done <out
check "$name: a history that others can't read" 0 '
	stat -c %a state/profpipe/prof-shell.history
	grep -c "^quit" state/profpipe/prof-shell.history
	grep -x "status 0" out' <<'END'
600
3
status 0
status 0
status 0
END
check "$name: no file is written by a name" 0 "ls | grep victim; :" </dev/null
plan
