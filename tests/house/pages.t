#!/bin/sh
# Manual pages and documents as a reader sees them: each synopsis agrees with the
# option table, displayed commands are what was written, and every option of a
# command that is shown anywhere exists.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/pages.sh"

for c in $commands; do
	"$c" --list-options | sed "s/^/$c	/"
done >table
[ -s table ] || not_ok 'there are options' </dev/null

# unknown FILE...: lines "FILE: COMMAND OPTION" for options in shown commands that
# are in no table. What follows "--", or the program of prof-record, is not ours.
unknown() {
	awk '
	FILENAME == "table" {
		n = split($0, column, "\t")
		known[column[1], column[2]] = 1
		known[column[1], column[3]] = 1
		takes[column[1], column[2]] = column[4] != "" && column[4] !~ /^\[/
		takes[column[1], column[3]] = takes[column[1], column[2]]
		next
	}
	{
		gsub(/[|;&`<>()]/, " | ")
		n = split($0, word, /[ \t]+/)
		command = ""
		for (i = 1; i <= n; i++) {
			w = word[i]
			sub(/^.*\//, "", w)
			if (word[i] == "|" || word[i] == "--") {
				command = ""
			} else if (command == "") {
				if (((w, "--help") in known))
					command = w
			} else if (word[i] ~ /^--[a-z]/) {
				option = word[i]
				sub(/[^a-z0-9-].*/, "", option)
				if (!((command, option) in known))
					print FILENAME ": " command " " option
				else if (word[i] == option && takes[command, option])
					i++
			} else if (command == "prof-record" && word[i] ~ /^-[A-Za-z]$/) {
				if (takes[command, word[i]])
					i++
			} else if (command == "prof-record" && word[i] !~ /^-/) {
				command = ""
			}
		}
	}' table "$@"
}

# What backquotes and indented blocks have.
for f in "$src"/README.md "$src"/doc/*.md; do
	found "$f" || continue
	awk '
	/^    |^\t/ { print; next }
	/^```/ { block = !block; next }
	block { print; next }
	{
		n = split($0, part, "`")
		for (i = 2; i <= n; i += 2)
			print part[i]
	}' "$f" >"${f##*/}"
	unknown "${f##*/}" >.bad
	if [ -s .bad ]; then
		not_ok "${f##*/}: the options of its commands exist" <.bad
	else
		ok "${f##*/}: the options of its commands exist"
	fi
done

name='manual pages as they are shown'
need_tools "$name" mandoc col
for page in "$src"/doc/*.[1-8]; do
	found "$page" || continue
	file=${page##*/}
	# What is displayed is a command as it was written.
	written "$file" >written
	shown "$file" >displayed
	diff written displayed >.bad
	while IFS= read -r line; do
		echo "$line" | sh -n 2>&1
	done <displayed >>.bad
	unknown displayed >>.bad
	if [ -s .bad ]; then
		not_ok "$file: commands are shown as they work" <.bad
	else
		ok "$file: commands are shown as they work"
	fi

	# Examples come before the options, whatever mdoc(7) suggests; sections of the
	# page's own after them.
	sed -n 's/^\.Sh //p' "$page" | awk -v order='NAME,SYNOPSIS,DESCRIPTION,EXAMPLES,OPTIONS,own,ENVIRONMENT,FILES,EXIT STATUS,SEE ALSO,CAVEATS' '
	BEGIN {
		for (n = split(order, name, ","); n; n--)
			rank[name[n]] = n
	}
	{ r = $0 in rank ? rank[$0] : rank["own"] }
	r < last { print $0 " after " before }
	{ last = r; before = $0 }' >.bad
	grep -q '^\.Sh EXAMPLES' "$page" || [ "${page##*.}" != 1 ] || echo 'no examples' >>.bad
	if [ -s .bad ]; then
		not_ok "$file: sections are in order" <.bad
	else
		ok "$file: sections are in order"
	fi

	# A synopsis: [--option[=ARGUMENT]], as the table has it.
	c=${file%.[1-8]}
	grep -q "^$c	" table || continue
	mandoc -T utf8 -O width=1000 "$page" | col -bx |
		sed -n '/^SYNOPSIS/,/^DESCRIPTION/p' >synopsis
	grep -oE -- '--[a-z][a-z0-9-]*[^] |]*\]?' synopsis |
		awk -F'\t' -v c="$c" '
		FILENAME == "table" {
			if ($1 == c)
				form[$2] = $4 == "" ? "" : $4 ~ /^\[/ ? "[=" : "="
			next
		}
		{
			option = $0
			sub(/[^a-z0-9-].*/, "", option)
			rest = substr($0, length(option) + 1)
			if (!(option in form))
				print option " is no option"
			else if (form[option] == "[=" ? rest !~ /^(\[=[^]]*\]|\]?$)/ : form[option] == "=" ? rest !~ /^=/ : rest !~ /^\]?$/)
				print option " is shown as " $0
		}' table - >.bad
	# An option within the brackets of the argument of another one.
	grep -E '\[=[^]]*[[|]' synopsis >>.bad
	if [ -s .bad ]; then
		not_ok "$file: the synopsis agrees with the option table" <.bad
	else
		ok "$file: the synopsis agrees with the option table"
	fi
done
check 'an optional argument stays with its option: --x[=Y]' 0 \
	"grep -nE 'Fl -[a-z-]+ Op (=|Ar) ' \"\$src\"/doc/*.[17]; [ \$? -eq 1 ]" </dev/null
make -s -C "$bin" install-dist_docDATA DESTDIR="$scratch/to" docdir=/doc >log 2>&1
check 'documents that pages name are installed, and what these name' 0 '
	cat "$src"/doc/*.[17] to/doc/*.md |
		grep -ohE "\b(doc/[a-z-]+\.md|(action|gate|prof-record)\.(yml|sh|service))\b" |
		sort -u | while read -r f; do
			cmp "to/doc/${f##*/}" "$(find "$src/doc" -name "${f##*/}")" 2>&1
			echo "$f"
		done' <<'END'
action.yml
doc/archive.md
doc/differences.md
doc/fleet.md
doc/formats.md
doc/gate.md
doc/history.md
doc/sampling.md
doc/unwinding.md
gate.sh
prof-record.service
END
plan
