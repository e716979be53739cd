#!/bin/sh
# The tests' own rules. A loop over a pattern of file names fails if nothing
# matches: by found (tap.sh), or because its body fails with the pattern itself.
# Loops inside a row's command are checked by its expected output.
. "${srcdir:-.}/tests/lib/tap.sh"

awk '
function report() {
	if (at)
		print file ":" at ": " loop
	at = 0
}
FNR == 1 { report(); file = FILENAME }
{
	unquoted = $0
	gsub(/\047[^\047]*\047|"[^"]*"/, "", unquoted)
}
unquoted ~ /^\t*for [a-z]+ in [^(]*\*/ {
	report()
	at = FNR
	loop = $0
	name = $2
	next
}
at && ($0 ~ "found \"\\$" name "\"" || $0 ~ "\\[ -e \"\\$" name "\" \\] \\|\\| return 1" ||
	$0 ~ "\\|\\| echo \"?\\$" name) { at = 0 }
FNR > at + 2 { report() }
END { report() }' "$src"/tests/*/*.t >.bad
if [ -s .bad ]; then
	not_ok 'no test loops over nothing' <.bad
else
	ok 'no test loops over nothing'
fi

# No verdict of tests/live is that of one try: check() there is that of live.sh.
grep -L '^\. "$src/tests/lib/live.sh"' "$src"/tests/live/*.t >.bad
if [ -s .bad ]; then
	not_ok 'each test of tests/live tries again what was disturbed' <.bad
else
	ok 'each test of tests/live tries again what was disturbed'
fi

# What a recording has is luck: outside tests/live the programs do nothing, so that no
# row can ask for it. Or the line says that the row does not.
programs=$(cd "$src/tests/programs" && for f in *.c *.cc; do
	[ -e "$f" ] || echo "$f"
	case $f in
	sigmask.c | stacks.c) ;;
	*) printf '%s|' "${f%.*}" ;;
	esac
done)
grep -nE "(prof-record|prof\"? run) [^|]*[ /\$\"'](${programs}perl|python3)[\"' ]" "$src"/tests/[!l]*/*.t \
	"$src"/tests/list/*.t | grep -vE '# .* luck$|: not a program; use prof-record' >.bad
if [ -s .bad ]; then
	not_ok 'outside tests/live nothing that works is recorded' <.bad
else
	ok 'outside tests/live nothing that works is recorded'
fi

# What a mutant takes away is still there, once.
check 'each mutant applies' 0 'sh "$src/tests/mutants/run.sh" applies "$src" 2>&1' </dev/null

# In awk, print a > b, or printf, writes a file named by b, and says nothing: it wants
# parentheses. Strings and what is in parentheses are left out; printf to a file named by a
# variable has no blank after its >.
awk '
{
	line = $0
	gsub(/\\"[^"]*\\"/, "S", line)
	while (match(line, /"[^"]*"/)) {
		text = substr(line, RSTART + 1, RLENGTH - 2)
		line = substr(line, 1, RSTART - 1) (text ~ /print/ ? text : "S") \
			substr(line, RSTART + RLENGTH)
	}
	while (gsub(/\([^()]*\)/, "P", line))
		;
}
!/^#/ && (line ~ /(^|[^a-z_-])print [^;}|\047"<]*[^->]>[ \t]*[^>S= \t]/ ||
	line ~ /(^|[^a-z_-])printf S,[^;}|\047"<]* > [^S]/) { print FILENAME ":" FNR ": " $0 }
' "$src"/tests/*/*.t "$src"/tests/*/*.sh "$src"/tests/*/*.awk >.bad
if [ -s .bad ]; then
	not_ok 'no test writes where it means to compare' <.bad
else
	ok 'no test writes where it means to compare'
fi

# A row is known by its name alone, in a list of what failed.
grep -nE "^[^#]*(check|check_err|ok|not_ok|skip|verdict) ['\"]\.\.\." "$src"/tests/[!l]*/*.t \
	"$src"/tests/list/*.t >.bad
if [ -s .bad ]; then
	not_ok 'names of rows say what they are' <.bad
else
	ok 'names of rows say what they are'
fi
plan
