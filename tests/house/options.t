#!/bin/sh
# The option table of each command agrees with its help and its manual page.
. "${srcdir:-.}/tests/lib/tap.sh"

for c in $commands; do
	"$c" --list-options >list 2>.err || {
		not_ok "$c --list-options" <.err
		continue
	}
	cut -f1 list | sort >table
	[ "$(sort -u table | wc -l)" -eq "$(wc -l <table)" ] &&
		ok "$c has each option once" ||
		sort table | uniq -d | not_ok "$c has each option once"

	"$c" --help >help 2>.err
	missing=$(while read -r o; do
		grep -qE -- "(^|[ ,])$o([ =[]|\$)" help || echo "$o"
	done <table)
	if [ -z "$missing" ] && [ ! -s .err ]; then
		ok "$c --help names every option"
	else
		echo "$missing" | not_ok "$c --help names every option"
	fi

	page=$src/doc/$c.1
	if [ ! -e "$page" ]; then
		echo "no $page" | not_ok "$c has a manual page"
		continue
	fi
	# .It Fl o , Fl -output Ns = Ns Ar FILE: the words that begin with "-".
	sed -n 's/^\.It //p' "$page" |
		grep -oE 'Fl -[a-z][a-z0-9-]*' | sed 's/Fl -/--/' |
		sort -u >documented
	if cmp -s table documented; then
		ok "$c: the manual page has the same options"
	else
		diff table documented |
			not_ok "$c: the manual page has the same options"
	fi
	for section in NAME SYNOPSIS DESCRIPTION 'EXIT STATUS' EXAMPLES; do
		grep -q "^\.Sh $section" "$page" ||
			echo "no section $section" | not_ok "$c: $section"
	done

	v=$("$c" --version)
	case $v in
	"$c (profpipe) "[0-9]*) ok "$c --version" ;;
	*) echo "$v" | not_ok "$c --version" ;;
	esac
	"$c" --help >/dev/full 2>.err
	[ $? -eq 2 ] && [ "$(wc -l <.err)" -eq 1 ] &&
		ok "$c --help on a full disk" ||
		not_ok "$c --help on a full disk" <.err
	check_err "$c refuses an unknown option" 2 "$c --no-such-option" \
		"unknown option '--no-such-option'"
done

# Each option of pprof that another command has leads there.
sed -n 's/^	{ "\([a-z-]*\)", "\(prof-[a-z]*\)\(.*\)" },$/\1 \2 \3/p' \
	"$src/cmd/cli/refuse.c" >elsewhere
[ -s elsewhere ] || echo 'no options' | not_ok "pprof's options have commands"
while read -r option command argument; do
	[ "$argument" != "--$option" ] ||
		"$command" --list-options | grep -q "^--$option	" ||
		echo "$command has no --$option" >>missing
	other=prof-export
	[ "$option" != diff ] || other=prof-html # the first has it
	"$other" --"$option"=x 2>&1 | grep -q ": see $command" ||
		echo "$other --$option=x does not name $command" >>missing
done <elsewhere
[ ! -e missing ] && ok "pprof's options have commands" ||
	not_ok "pprof's options have commands" <missing
check_err 'an option of another command' 2 'prof-text --diff_base=a b' \
	"unknown option '--diff-base=a': see prof-diff --diff-base"
check_err 'not an abbreviation of --list-options' 2 'prof-dot --list=f a' \
	"unknown option '--list=f': see prof-list --list"
check_err 'not even without an argument' 2 'prof-dot --list f a' \
	"unknown option '--list': see prof-list --list"
check_err 'not one of another option' 2 'prof-dot a --tags b' \
	"unknown option '--tags': see prof-text --tags"
check_err 'not at the end, either' 2 'prof-dot a --tags' \
	"unknown option '--tags': see prof-text --tags"
check_err "pprof's single dash" 2 'prof-text -cum a' \
	"unknown option '-cum': long options begin with two dashes"
check_err "pprof's single dash also where it would be -o" 2 'prof-merge -output=a b' \
	"unknown option '-output=a': long options begin with two dashes"

# A refused option or argument is named, with what would be right.
check_err 'an abbreviation of two options' 2 'prof-text --node=3' \
	"prof-text: option '--node=3' is ambiguous: --nodecount or --nodefraction"
check_err 'an abbreviation of one option' 2 'prof-text --nodec=x' \
	"prof-text: --nodecount: 'x' is not a number from -1 up"
check_err 'an argument that is not taken' 2 'prof-text --quiet=yes' \
	"prof-text: option '--quiet' takes no argument"
check_err 'a number in a range' 2 'prof-merge -j 65' \
	"prof-merge: --threads: '65' is not a number from 1 to 64"
check_err 'a switch' 2 'prof-text --top=maybe' \
	"prof-text: --top: 'maybe' is not true or false"
check_err 'a size' 2 'prof-dot --max-size=1x' \
	"prof-dot: --max-size: '1x' is not a size such as 500M"
check_err 'a word of a list' 2 'prof-merge --types=all' \
	"prof-merge: --types: unknown set of types 'all'; one of common, strict, union"
for server in http://host/debug/pprof/heap host:6060 :6060/pprof/heap; do
	check_err "a server instead of a file: $server" 2 "prof-text $server" \
		"prof-text: $server: No such file or directory; prof-fetch reads http://HOST/PAGE and HOST:PORT"
done
check_err 'a file with a colon' 2 'prof-text 3:4.pb.gz' \
	'prof-text: 3:4.pb.gz: No such file or directory'
check_err 'an empty name of a file' 2 "prof-text ''" \
	"prof-text: '': No such file or directory"

if have mandoc; then
	for page in "$src"/doc/*.[1-8]; do
		found "$page" || continue
		# pages.t knows the order of sections: examples come early.
		mandoc -Tlint -W warning "$page" 2>&1 |
			grep -v 'sections out of conventional order' >.lint
		if [ ! -s .lint ]; then
			ok "mandoc accepts ${page##*/}"
		else
			not_ok "mandoc accepts ${page##*/}" <.lint
		fi
	done
else
	skip 'mandoc accepts the manual pages' 'no mandoc'
fi
plan
