# undisturbed.t - rows that tests/live skipped as disturbed are tried again when all other
# tests have ended (Makefile.am), since those are what disturbs on a machine that does
# nothing else. What disagrees even then fails; only who else is busy may skip it again.
# And all logs are there to be read.
. "${srcdir:-.}/tests/lib/tap.sh"

grep -l '^ok .* # SKIP disturbed' "$bin"/tests/live/*.log >logs 2>/dev/null ||
	ok 'no row was skipped as disturbed'
while read -r log; do
	script=live/$(basename "$log" .log)
	sed -n 's/^ok [0-9]* - \(.*\) # SKIP disturbed .*/\1/p' "$log" >names
	srcdir=$src "$bin/tests/limit" 900 sh "$src/tests/$script.t" >again 2>&1
	while IFS= read -r name; do
		NAME=$name awk '
			/^(not )?ok / { found = index($0, " - " ENVIRON["NAME"]) }
			found { print }' again >row
		case $(head -n 1 row) in
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
