#!/bin/sh
# Untrusted strings are escaped: one hostile profile goes through every output
# of every command. All of its strings (types, units, names, files, objects,
# build-ids, labels, comments, the document's URL) carry the attack of
# mkhostile.c; harmless.c searches output and messages for its traces, and a
# parser of the format, if there is one, must accept the output.
#
# A new output is one row:	row 'COMMAND' FORMAT [STATUS]
# A new command without a row fails the test.
. "${srcdir:-.}/tests/lib/tap.sh"

cat >old.txt <<'END'
# samples count cpu nanoseconds
@mapping 0x400000 0x500000 0 /bin/app abc123
@mapping 0x600000 0x700000 0 /lib/other.so
@comment a comment
@comment # source: http://host/debug/pprof/profile
@time 1700000000000000000
@duration 1000000000
@period cpu nanoseconds 10000000
@default cpu
@doc http://example.com/
main (main.c:3);work<int>::run(char) (work.c:10);leaf=>helper (work.c:20:7) 400 4000000000 {user="ann" bytes=1024bytes depth=7}
main (main.c:3);work<int>::run(char) (work.c:12) 300 3000000000 {user="bob"}
main (main.c:3);[2]0x600100;0x401000 200 2000000000
[0]0x10;other 100 1000000000 {bytes=4096bytes}
END
sed 's/ 400 4/ 900 9/; s/ 300 / 310 /' old.txt >new.txt
for p in old new; do
	mkprof $p.txt | mkhostile >$p.pb || exit 99
done
echo '/^main/ < 1% of total' >budget

# parses FORMAT FILE: does a reader of that format take it?
parses() {
	case $1 in
	json) jq -e . "$2" ;;
	xml | svg) xmllint --noout "$2" ;;
	dot) dot -Tcanon "$2" ;;
	tsv) awk -F'\t' 'NR == 1 { n = NF } NF != n { exit 1 }' "$2" ;;
	github) ! grep -v '^::[a-z]* [^:]*::' "$2" ;;
	stream) prof-text --raw "$2" ;;
	*) : ;;
	esac
}

# reader FORMAT: the program that parses() needs.
reader() {
	case $1 in
	json) echo jq ;;
	xml | svg) echo xmllint ;;
	dot) echo dot ;;
	*) echo true ;;
	esac
}

# broke_out FORMAT FILE: what the attack did to the output.
broke_out() {
	case $1 in
	stream | none) ;;
	xml | svg | html | markdown)
		harmless '<img src=x' '</text></script>' '--><!--' <"$2"
		;;
	*) harmless <"$2" ;;
	esac
	# shellcheck disable=SC2069 # its complaints are the output
	! have "$(reader "$1")" || parses "$1" "$2" 2>&1 >/dev/null ||
		echo "not $1"
}

row() {
	rows="$rows $1"
	if lacks "$1"; then
		skip "$1" 'this build has no library for it'
		return
	fi
	sh -c "$1" >out 2>err </dev/null
	status=$?
	{
		# shellcheck disable=SC2254 # a pattern
		case $status in
		${3-0}) ;;
		*) echo "status $status" ;;
		esac
		[ ! -s err ] || harmless <err
		broke_out "$2" out
	} >why
	if [ -s why ]; then
		cat why err | not_ok "$1: $2"
	else
		ok "$1: $2"
	fi
}

# Without escapes the attack is found.
gunzip <old.pb | tr -d '\000' >bare
harmless <bare >out && not_ok 'the attack is there' <out || ok 'the attack is there'

for how in --top --tree --peek=main --traces --tags --raw --comments \
	--list-types --folded --lines '--tagroot=.' '--unit=auto --cum'; do
	row "prof-text $how old.pb" text
done
row 'prof-diff old.pb new.pb | prof-text --diff' text
row 'prof-diff old.pb new.pb | prof-text --diff --json' json
row 'prof-diff old.pb new.pb | prof-text --diff --tsv' tsv
row 'prof-text --json old.pb' json
row 'prof-text --tsv --lines old.pb' tsv
row 'prof-dot old.pb' dot
row 'prof-dot -T svg old.pb' svg
row 'prof-list --list=. old.pb' text
row 'prof-list --list=. --verbose old.pb' text
row 'prof-list --list=. --json old.pb' json
row 'prof-diff old.pb new.pb | prof-list --diff .' text
row 'prof-diff old.pb new.pb | prof-list --diff --json .' json
row 'prof-html old.pb' html
row 'prof-flame old.pb' svg
row 'prof-flame --pivot=. --search=. old.pb' svg
for to in speedscope cpuprofile firefox otlp-json; do
	row "prof-export --to $to old.pb" json
done
row 'prof-export --to folded old.pb' text
row 'prof-export --to callgrind old.pb' text
row 'prof-export --to callgrind --pprof old.pb' text
row 'prof-diff old.pb new.pb | prof-flame' svg
row 'prof-shell -e "top; tree; tags; raw; comments; list ." old.pb' text
row 'prof-shell -e "o; help sample_index; sample_index=x; :; filter main; top" old.pb' text 2
row 'prof-shell --diff-base=old.pb -e "top; weblist .  >/dev/null" new.pb' text
row 'prof-shell -e "topproto >/dev/stdout" old.pb | cat' stream
row 'prof-gate old.pb -- new.pb' text '[01]'
row 'prof-gate --all --budget=budget old.pb -- new.pb' text '[01]'
row 'prof-gate --markdown --budget=budget old.pb -- new.pb' markdown '[01]'
row 'prof-gate --json --budget=budget old.pb -- new.pb' json '[01]'
row 'prof-gate --junit --budget=budget old.pb -- new.pb' xml '[01]'
row 'prof-gate --github --lines --budget=budget old.pb -- new.pb' github '[01]'
row 'prof-history --match=. old.pb new.pb' text
row 'prof-history --match=. --by=profile --tsv old.pb new.pb' tsv
row 'prof-history --match=. --by=build --json old.pb' json
row 'prof-history --match=. --change old.pb' text
row 'prof-history --top-movers --min-share=0 old.pb new.pb' text
row 'prof-history --new --tsv --min-share=0 old.pb' tsv
row 'prof-history --match=. --svg old.pb new.pb' svg
row 'prof-history --function=none old.pb' none 2
row 'prof-history --match=. --type=none old.pb' none 2
row 'prof-merge old.pb new.pb' stream
row 'prof-diff old.pb new.pb' stream
row 'prof-filter --focus=main old.pb' stream
row 'prof-symbolize -v old.pb' stream
row 'prof-fetch old.pb' stream
# Messages that quote the profile.
row 'prof-text --sample-index=none old.pb' none 2
row 'prof-merge --types=strict old.pb "$data"/good-tiny.pb.gz' none 2
mkdir -p mixed/2026-01-01/10
cp old.pb "$data"/good-tiny.pb.gz mixed/2026-01-01/10
row 'prof-thin mixed' none 2

# Names in messages, and a runner that takes "##[" for a command.
check_err 'a message gives no command' 2 'prof-text "##[error]x"' \
	'prof-text: ##\x5berror]x: No such file or directory'

for c in "$bin"/prof-*; do
	found "$c" || continue
	name=${c##*/}
	[ -x "$c" ] && [ -f "$c" ] || continue
	case $name in
	prof-record | prof-import) continue ;; # they read no profile
	esac
	case " $rows " in
	*" $name "*) ok "$name has a row" ;;
	*) echo 'add its outputs above' | not_ok "$name has a row" ;;
	esac
done

plan
