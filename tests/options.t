#!/bin/sh
# The option table of each command agrees with its help and its manual page.
. "${srcdir:-.}/tests/tap.sh"

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

if have mandoc; then
	for page in "$src"/doc/*.[1-8]; do
		found "$page" || continue
		mandoc -Tlint -W warning "$page" >.lint 2>&1
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
