#!/bin/sh
# prof-list --diff: both sides of a difference. Each side equals the listing of
# that profile alone, by prof-list and by pprof.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/pages.sh"

seq -f 'line %g' 30 >w.c
mkprof >old.pb.gz <<'END'
# samples count cpu nanoseconds
f (w.c:3) 10 100000000
f (w.c:6);main (w.c:20) 20 200000000
g (w.c:9);f (w.c:7) 5 50000000
gone (w.c:12) 1 10000000
END
mkprof >new.pb.gz <<'END'
# samples count cpu nanoseconds
f (w.c:3) 15 150000000
f (w.c:6);main (w.c:20) 20 200000000
g (w.c:9);f (w.c:7) 2 20000000
new (w.c:14) 1 10000000
END
prof-diff old.pb.gz new.pb.gz >diff.pb.gz

check 'lines with what was before and what is after' 0 '
	prof-list --diff . diff.pb.gz | grep -v "^  *\.  *\. |  *\.  *\."' <<'END'
Total 360ms before, 380ms after: +20ms (+5.56%)
ROUTINE ======================== f in w.c
     150ms      350ms |     170ms      370ms (flat, cum before | after) 97.22% | 97.37% of Total, cum +5.71%
     100ms      100ms |     150ms      150ms      3:line 3
         .      200ms |         .      200ms      6:line 6
      50ms       50ms |      20ms       20ms      7:line 7
ROUTINE ======================== g in w.c
         0       50ms |         0       20ms (flat, cum before | after) 13.89% | 5.26% of Total, cum -60.00%
         .       50ms |         .       20ms      9:line 9
ROUTINE ======================== gone in w.c
      10ms       10ms |         0          0 (flat, cum before | after) 2.78% | 0% of Total, cum gone
      10ms       10ms |         .          .     12:line 12
ROUTINE ======================== main in w.c
     200ms      200ms |     200ms      200ms (flat, cum before | after) 55.56% | 52.63% of Total, cum 0%
     200ms      200ms |     200ms      200ms     20:line 20
ROUTINE ======================== new in w.c
         0          0 |      10ms       10ms (flat, cum before | after) 0% | 2.63% of Total, cum new
         .          . |      10ms       10ms     14:line 14
END
check 'only lines that have more than before' 0 '
	prof-list --diff --drop-negative . diff.pb.gz |
	sed -n "/^ROUTINE/s/.*= //p; /^ .*[^.] | .*:/p; /|  *[0-9].*:/p"' <<'END'
f in w.c
     100ms      100ms |     150ms      150ms      3:line 3
     100ms      100ms |     150ms      150ms      3:line 3
new in w.c
         .          . |      10ms       10ms     14:line 14
END
check 'the mean of each side' 0 '
	prof-list --diff --mean g diff.pb.gz | sed -n "1p; 3p"' <<'END'
Total 10ms before, 10ms after: 0 (0%)
         0       10ms |         0       10ms (flat, cum before | after) 100% | 100% of Total, cum 0%
END
check 'values that have no line' 0 '
	rm w.c
	prof-list -q --source-path=. --diff gone diff.pb.gz | tail -2
	seq -f "line %g" 30 >w.c' <<'END'
 Error: could not find file w.c on path .
      10ms       10ms |         .          .     12:<no source>
END
check 'JSON: the changes, and both sides' 0 '
	prof-list --diff --json "^g$" diff.pb.gz | grep "total\|function\"\|: 9," |
	sed "s|\"path\": \".*/w.c|\"path\": \"DIR/w.c|"' <<'END'
 "type": "cpu", "unit": "nanoseconds", "mean": false, "total": 360000000, "total_before": 360000000, "total_after": 380000000,
  {"function": "g", "file": "w.c", "path": "DIR/w.c", "flat": 0, "cum": -30000000, "flat_before": 0, "cum_before": 50000000, "flat_after": 0, "cum_after": 20000000,
    {"line": 9, "flat": 0, "cum": -30000000, "flat_before": 0, "cum_before": 50000000, "flat_after": 0, "cum_after": 20000000, "text": "line 9"},
END
if have script; then
	env -u NO_COLOR TERM=xterm script -qec 'prof-list --diff "^f$" diff.pb.gz' \
		/dev/null </dev/null | tr -d '\r' >terminal
	check 'colours are of what changed' 0 '
		sed -n "s/.*\(\[1;31m\|\[33m\).*:/\1 /p" terminal | cat -v' <<'END'
[1;31m line 3^[[0m
[1;31m line 7^[[0m
END
else
	skip 'colours are of what changed' 'no script(1)'
fi

# --- each side is a listing of its own ---

# values FILE: name, line, flat and cum of the lines of a listing that has any.
values() {
	awk '/^ROUTINE/ { name = $3 " " $5 }
		/^ *[^ ]+ +[^ ]+ +-?[0-9]+:/ && $1 $2 != ".." {
			sub(/:.*/, "", $3); print name, $3, $1, $2 }' "$1"
}
# left and right FILE: the columns of one side, as a listing.
left() {
	sed -E 's/^( *[^ ]+ +[^ ]+) \| *[^ ]+ +[^ ]+/\1/' "$1"
}
right() {
	sed -E 's/^ *[^ ]+ +[^ ]+ \|( *[^ ]+ +[^ ]+)/\1/' "$1"
}
cp "$data/good-old.pb.gz" one.pb.gz
cp "$data/good-new.pb.gz" two.pb.gz
for pair in 'old new' 'new old' 'one two' 'old old'; do
	a=${pair% *}.pb.gz b=${pair#* }.pb.gz
	prof-diff "$a" "$b" | prof-list -q --diff . >both
	prof-list -q . "$a" >before
	prof-list -q . "$b" >after
	left both >before.ours
	right both >after.ours
	for side in before after; do
		values $side >want
		values $side.ours >got
		[ -s want ] && cmp got want >.err 2>&1 &&
			ok "$pair: $side is a listing of its own" ||
			diff want got | not_ok "$pair: $side is a listing of its own"
	done
done
if have go && pprof=$(go tool -n pprof 2>/dev/null) && [ -x "$pprof" ]; then
	prof-diff old.pb.gz new.pb.gz | prof-list --diff . >both
	left both >before.ours
	right both >after.ours
	for side in before:old after:new; do
		$pprof -symbolize=none -list=. "${side#*:}.pb.gz" >theirs 2>.err
		values theirs >want
		values ${side%:*}.ours >got
		[ -s want ] && cmp got want >.err 2>&1 &&
			ok "${side%:*} is what pprof lists" ||
			diff want got | not_ok "${side%:*} is what pprof lists"
	done
else
	skip 'each side is what pprof lists' 'no go tool pprof'
fi

# --- not a difference ---

check_err 'a profile that is no difference' 2 'prof-list --diff . old.pb.gz' \
	'no difference: no sample has the label pprof::base=true'
check_err 'sides that have cancelled out' 2 '
	prof-diff --base old.pb.gz new.pb.gz | prof-list --diff .' \
	'no difference: no sample has the label pprof::base=true'
check_err 'of source lines only' 2 'prof-list --diff --disasm . diff.pb.gz' \
	"it excludes --disasm"
e='prof-diff old.pb.gz new.pb.gz | prof-list --diff Encode'
shown prof-list.1 | grep -qxF -- "$e" && ok "the page has: $e" ||
	echo "$e" | not_ok "the page has: $e"
check_err 'of a function that is not there' 2 "$e" \
	'no matches found for regexp: Encode'
plan
