# undisturbed.t - rows that tests/live skipped as disturbed are tried again when all other
# tests have ended (Makefile.am), since those are what disturbs on a machine that does
# nothing else; and with priority, if we may. A row all of whose tries disagree here, too,
# fails, whoever else is busy: a fault is wrong each time, a disturbance is not. One
# disturbed try of a row in ten may disagree, so the least that fails, six of six, is one
# in a million. And all logs are there to be read.
. "${srcdir:-.}/tests/lib/tap.sh"

nice='nice -n -5'
[ -z "$($nice true 2>&1)" ] || nice=

# tries NAME LOG: how often its row was tried that was skipped as disturbed.
tries() {
	NAME=$1 awk '{
		at = index($0, " - " ENVIRON["NAME"] " # SKIP disturbed ")
		if (!/^ok / || !at)
			next
		sub(/.* # SKIP disturbed /, "")
		print $1
		exit
	}' "$2"
}

grep -l '^ok .* # SKIP disturbed' "$bin"/tests/live/*.log >logs 2>/dev/null ||
	ok 'no row was skipped as disturbed'
while read -r log; do
	script=live/$(basename "$log" .log)
	sed -n 's/^ok [0-9]* - \(.*\) # SKIP disturbed .*/\1/p' "$log" >names
	srcdir=$src $nice "$bin/tests/limit" 900 sh "$src/tests/$script.t" >again 2>&1
	while IFS= read -r name; do
		NAME=$name awk '
			/^(not )?ok / { found = index($0, " - " ENVIRON["NAME"]) }
			found { print }' again >row
		n=$(($(tries "$name" "$log") + $(tries "$name" again) + 0))
		case $(head -n 1 row) in
		*'# SKIP disturbed '*)
			if [ $n -ge 6 ]; then
				sed "1s/^/disagreed in all of $n tries, disturbed or not: /" row |
					not_ok "$script: $name"
			else
				skip "$script: $name" "$(sed -n '1s/.*# SKIP //p' row)"
			fi
			;;
		*'# SKIP '*) skip "$script: $name" "$(sed -n '1s/.*# SKIP //p' row)" ;;
		ok*) ok "$script: $name" ;;
		*) not_ok "$script: $name" <row ;;
		esac
	done <names
done <logs

# A row that begins with a word that is no command is not run, and does not fail.
if grep -E '\.t: (line )?[0-9]+: .*: (command )?not found$' "$bin"/tests/*/*.log >missing; then
	not_ok 'no test calls what is not there' <missing
else
	ok 'no test calls what is not there'
fi
plan
