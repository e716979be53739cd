# prof-filter as a command: options, warnings, exit status, examples of the
# manual page. Its rules: rules.t and referee.t.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/normal.sh"

cat >app.txt <<'END'
# samples count
@mapping 0x400000 0x500000 0 /bin/app
main;serve;malloc;sbrk 5 {user="ann" endpoint="/a" bytes=1024bytes}
main;serve;encode 7 {user="bob" endpoint="/b"}
main;idle 1 {bytes=2097152bytes}
END
mkprof app.txt >app.pb.gz
cp app.pb.gz heap.pb.gz

# stacks: standard input as folded stacks, root first, and labels.
cat >stacks.awk <<'END'
{
	line = ""
	n = split($0, part, "; ")
	for (i = 1; i < n; i++) {
		split(part[i], w, /[ ]/)
		line = ";" w[3] line
	}
	split(part[n], w, /[ ]/)
	last = w[3]
	sub(/^[^ ]* [^ ]* [^ ]* [^ ]* [^ \t]*/, "", part[n])
	print last line part[n]
}
END
cat >stacks <<END
#!/bin/sh
. "$src/tests/lib/normal.sh"
normal | add_up | awk -f stacks.awk | sort
END
chmod +x stacks
PATH=$scratch:$PATH

check 'no option: everything' 0 'prof-filter app.pb.gz | stacks' <<'END'
main;idle bytes:[2097152 bytes]	 1
main;serve;encode endpoint:[/b] user:[bob]	 7
main;serve;malloc;sbrk endpoint:[/a] user:[ann] bytes:[1024 bytes]	 5
END
check 'man: focus and prune-from' 0 \
	"prof-filter --focus=malloc --prune-from='^malloc\$' app.pb.gz > malloc.pb.gz
	stacks <malloc.pb.gz" <<'END'
main;serve;malloc endpoint:[/a] user:[ann] bytes:[1024 bytes]	 5
END
check 'man: tagfocus and tagroot' 0 \
	'prof-filter --tagfocus=user=ann --tagroot=endpoint < app.pb.gz > ann.pb.gz
	stacks <ann.pb.gz' <<'END'
/a;main;serve;malloc;sbrk endpoint:[/a] user:[ann] bytes:[1024 bytes]	 5
END
check 'man: --exit-code, something is left' 0 \
	'prof-filter -q --exit-code --tagfocus=bytes=1mb: -o large.pb.gz heap.pb.gz
	stacks <large.pb.gz' <<'END'
main;idle bytes:[2097152 bytes]	 1
END
check '--exit-code, nothing is left' 1 \
	'prof-filter -q --exit-code --tagfocus=bytes=1gb: -o none.pb.gz heap.pb.gz
	r=$?; stacks <none.pb.gz; exit $r' <<'END'
END
check 'a filter that matches all changes nothing' 0 \
	'prof-filter -z0 --focus= app.pb.gz >a
	prof-filter -z0 --focus=. --hide="^nothing$" --show=. --tagshow=. -q app.pb.gz >b
	cmp a b' <<'END'
END
check 'underscores, and the last of several' 0 \
	'prof-filter --show_from=nothing --show_from=encode app.pb.gz | stacks' <<'END'
encode endpoint:[/b] user:[bob]	 7
END
check 'order: hide before show-from' 0 \
	'prof-filter -q --hide=serve --show-from=serve app.pb.gz | stacks' <<'END'
END
check 'two in a pipe' 0 \
	'prof-filter --show-from=serve app.pb.gz | prof-filter --hide=serve | stacks' <<'END'
encode endpoint:[/b] user:[bob]	 7
malloc;sbrk endpoint:[/a] user:[ann] bytes:[1024 bytes]	 5
END
check 'tagshow, taghide' 0 \
	'prof-filter --tagshow="user|end" --taghide=end app.pb.gz | stacks' <<'END'
main;idle	 1
main;serve;encode user:[bob]	 7
main;serve;malloc;sbrk user:[ann]	 5
END

for o in focus ignore hide show show_from tagfocus tagignore tagshow taghide \
	tagroot tagleaf; do
	check_err "$o that matches nothing is said" 0 \
		"prof-filter --$o=nothing -o x app.pb.gz" \
		"prof-filter: $o expression matched no samples"
done
check_err 'an expression in the place of a label' 0 \
	'prof-filter --tagfocus="user == ann" -o x app.pb.gz' \
	'tagfocus expression matched no samples; prof-filter --where takes such expressions'
check_err 'a name with brackets that matches nothing' 0 \
	'prof-filter --hide="nothing(int)" -o x app.pb.gz' \
	'hide expression matched no samples; \Q...\E takes a name as it is'
check 'prune-from says nothing, and -q is quiet' 0 \
	'prof-filter --prune-from=nothing -o x app.pb.gz
	prof-filter -q --focus=nothing -o x app.pb.gz' <<'END'
END
for o in focus ignore hide show show_from prune_from tagfocus tagignore \
	tagshow taghide; do
	check_err "$o: a bad pattern" 2 "prof-filter '--$o=(' app.pb.gz" \
		"prof-filter: parsing $o regexp: "
done
check_err 'a range that can mean two things' 2 \
	'prof-filter --tagfocus=bytes=0:256b app.pb.gz' \
	"parsing tagfocus range: '0:256b': the first number has no unit; write 0b:256b"
check_err 'a number without a unit against one with' 2 \
	'prof-filter --tagfocus=bytes=1024 app.pb.gz' \
	"label 'bytes' is in bytes, but '1024' has no unit"

printf '# a b\n@mapping 0 16 0 f\n%s 1\n' \
	"$(printf '%05000d!' 0 | tr 0 a)" | mkprof >long.pb.gz
check_err 'a hostile pattern is an error' 2 \
	"prof-filter '--focus=(a+)+\$' long.pb.gz" 'takes too much work'

cat >drop.txt <<'END'
# a b
@drop malloc|runtime\..*
@keep runtime\.call
main;malloc;sbrk 1
main;runtime.call;f 2
main;runtime.gc;f 3
END
mkprof drop.txt >drop.pb.gz
check 'what the profile says to drop' 0 'prof-filter drop.pb.gz | stacks' <<'END'
main	 4
main;runtime.call;f	 2
END
check '--all-frames' 0 'prof-filter --all-frames drop.pb.gz | prof-filter | stacks' <<'END'
main;malloc;sbrk	 1
main;runtime.call;f	 2
main;runtime.gc;f	 3
END
sed 's/^main;malloc.*/runtime.main;main;work;malloc 9 {user="ann"}/' drop.txt | mkprof >goes.pb.gz
check 'frames of labels: what to drop is dropped before, and once' 0 '
	for o in --tagroot=user --tagleaf=user; do
		prof-text $o goes.pb.gz >once
		prof-filter $o goes.pb.gz | prof-text | cmp - once
	done
	grep -c work once' <<'END'
1
END
# --- laws ---

# What focus keeps and what ignore leaves is all there is. (Profiles with empty
# stacks are out: any filter by name drops those.)
bad=
n=0
for f in "$data"/good-go-heap.pb.gz "$data"/good-go-cpu.pb.gz \
	"$data"/good-tags.pb.gz "$data"/good-frames.pb.gz \
	"$data"/good-nosyms.pb.gz "$data"/good-record-work.pb.gz; do
	for re in main '\.' 'B|leaf' runtime '^$' nothing '(?i)LIB'; do
		prof-filter -q "--focus=$re" "$f" >in.pb.gz
		prof-filter -q "--ignore=$re" "$f" >out.pb.gz
		prof-merge in.pb.gz out.pb.gz | normal | add_up >sum
		prof-merge "$f" | normal | add_up >all
		n=$((n + 1))
		cmp -s sum all || bad="$bad ${f##*/}:$re"
	done
done
echo "$bad" >why
[ -z "$bad" ] && ok "focus and ignore add up to all, $n times" ||
	not_ok 'focus and ignore add up to all' <why

# --- expressions ---

where() {
	check "where: $1" 0 "prof-filter -q --where '$1' tags.pb.gz | leaves"
}
cat >tags.txt <<'END'
# samples count
a 1 {user="ann" endpoint="/api" bytes=1024bytes}
b 2 {user="bob" bytes=524288bytes}
c 3 {user="bob" user="eve" depth=7 "odd key"="x"}
d 4 {lat=2s lat=5ms}
e 5 {request=512}
f 6
END
sed -i 's/ "odd key"="x"//' tags.txt
mkprof tags.txt >tags.pb.gz
cat >leaves <<'END'
#!/bin/sh
echo $(normal | cut -d' ' -f3 | sort)
END
chmod +x leaves
where 'user == "bob"' <<'END'
b c
END
where 'user != "bob"' <<'END'
a d e f
END
where 'user =~ "^(ann|e)"' <<'END'
a c
END
where 'user !~ "^(ann|e)"' <<'END'
b d e f
END
where 'user' <<'END'
a b c
END
where '!user' <<'END'
d e f
END
where 'endpoint == "/api" && bytes in 128b..512kb || depth' <<'END'
a c
END
where 'bytes in 1kb..' <<'END'
a b
END
where 'bytes in ..1kb' <<'END'
a
END
where 'bytes>1kb' <<'END'
b
END
where '!(bytes >= 1kb) && !(user || lat)' <<'END'
e f
END
where 'lat == 0.005s' <<'END'
d
END
where 'lat > 1500ms && lat < 10ms' <<'END'
d
END
where 'depth <= 7 && depth >= 7 && depth == 7 && "depth" in 7..7' <<'END'
c
END
where 'request == 0.5kb' <<'END'
e
END
where 'user == "\\"bob\\""' <<'END'

END
where 'depth == "7"' <<'END'

END

bad_where() {
	check_err "where, refused: ${3-$1}" 2 \
		"prof-filter --where '$1' tags.pb.gz" "$2"
}
bad_where '' "prof-filter: --where: at byte 0: expected a label's key, '!' or '(' instead of the end"
bad_where 'user ==' 'at byte 7: expected a number or a string in quotes'
bad_where 'user = "x"' "at byte 5: expected '&&', '||' or the end"
bad_where 'user == "x' 'at byte 8: expected a closing quote'
bad_where '(user' "at byte 5: expected ')' instead of the end"
bad_where 'user =~ x' 'expected a pattern in quotes instead of x'
bad_where 'user =~ "("' 'parsing where regexp: '
bad_where 'user && && lat' "at byte 8: expected a label's key"
bad_where 'bytes in 5' 'expected a range such as 1kb..4kb'
bad_where 'bytes in ..' 'expected a number on one side of the dots'
bad_where 'bytes in 0..1kb' 'expected two numbers in units that convert'
bad_where 'bytes in 1s..1kb' 'expected two numbers in units that convert'
bad_where 'bytes > 1' "label 'bytes' is in bytes, but the number"
bad_where "$(printf '%0101d' 0 | tr 0 '(')" 'expression too deep' '100 parentheses'
bad_where "x$(printf '%01001d' 0 | sed 's/0/||x/g')" 'expression too long' '1000 tests'
check_err 'where that matches nothing is said' 0 \
	"prof-filter --where nothing -o x tags.pb.gz" \
	'prof-filter: where expression matched no samples'

# --- the rest ---

cat >cpu.txt <<'END'
# samples count cpu nanoseconds
@default cpu
@comment secret remark
main;f 1 10 {user="ann" n=3}
main;g 2 20 {user="bob"}
main;f 4 40 {user="bob"}
END
mkprof cpu.txt >cpu.pb.gz
columns() {
	echo "prof-filter $1 cpu.pb.gz | normal | cut -f2"
}
check 'keep-types by name' 0 "$(columns --keep-types=samples)" <<'END'
1
2
4
END
check 'keep-types by number, drop-types' 0 \
	"$(columns '--keep-types=0,cpu --drop-types=samples')" <<'END'
10
20
40
END
check_err 'drop-types: all' 2 'prof-filter --drop-types=0,1 cpu.pb.gz' \
	'no sample type would be left'
check_err 'keep-types: none such' 2 'prof-filter --keep-types=wall cpu.pb.gz' \
	'--keep-types: sample index "wall" must be one of: [samples cpu]'
check 'drop-label, rename-label' 0 \
	'prof-filter --drop-label=n --rename-label=user=who cpu.pb.gz | stacks' <<'END'
main;f who:[ann]	 1 10
main;f who:[bob]	 4 40
main;g who:[bob]	 2 20
END
check_err 'rename-label: no label' 0 \
	'prof-filter --rename-label=x=y -o x cpu.pb.gz' \
	"no sample has a label 'x'"
check_err 'rename-label: no new name' 2 'prof-filter --rename-label=x cpu.pb.gz' \
	"--rename-label: 'x' is not OLD=NEW"
check 'prune adds equal samples up' 0 \
	'prof-filter --taghide=. --prune cpu.pb.gz | normal | wc -l' <<'END'
2
END

check 'split-by: a file for each value' 0 \
	"mkdir parts && prof-filter --split-by=user -o 'parts/{}.pb.gz' app.pb.gz &&
	ls -A parts && stacks <parts/bob.pb.gz" <<'END'
ann.pb.gz
bob.pb.gz
none.pb.gz
main;serve;encode endpoint:[/b] user:[bob]	 7
END
check 'the parts add up to the whole' 0 \
	'prof-merge -z0 parts/*.pb.gz >a; prof-merge -z0 app.pb.gz >b; cmp a b' <<'END'
END
printf '# a b\nx 1 {k="../a"}\nx 2 {k=".."}\nx 3 {k="none"}\nx 4 {k="-z"}\nx 5\nx 6 {k=7}\nx 7 {k="%s"}\n' \
	"$(printf '%0300d' 0)" | mkprof >odd.pb.gz
check 'names of the parts are safe' 0 \
	"mkdir odd && prof-filter --split-by=k -o 'odd/{}' odd.pb.gz && ls -A odd |
	sed 's/0000*~/0~/'" <<'END'
%2Dz
%2E.
%2E.%2Fa
%6Eone
0~69e7e0695e967a55
7
none
END
check_err 'split-by: too many' 2 \
	"prof-filter --split-by=k --max-files=3 -o 'many-{}' odd.pb.gz" \
	'--split-by: more than 3 different values'
check_err 'split-by: where to' 2 'prof-filter --split-by=k -o x odd.pb.gz' \
	'--split-by needs -o FILE with a {} in it'

check_err 'pgo: no start lines' 2 'prof-filter --pgo cpu.pb.gz' \
	"--pgo: no function has a start line, which Go's compiler needs"
check_err 'pgo: no CPU profile' 2 'prof-filter --pgo tags.pb.gz' \
	'no function has a start line'
check_err 'pgo: other columns' 2 'prof-filter --pgo "$data/good-heap4.pb.gz"' \
	'--pgo: no CPU profile'
check 'pgo: what is left' 0 \
	'prof-filter --pgo "$data/good-tiny.pb.gz" | normal | sort' <<'END'
0  helper :7 s=5()<=leaf :44 s=40(); 0  work :22 s=20(); 0  main :12 s=10()	30
0  leaf :46 s=40(); 0  work :22 s=20(); 0  main :12 s=10()	10
0  main :12 s=10()	1
0  rec :55 s=50(); 0  rec :55 s=50(); 0  rec :55 s=50(); 0  main :12 s=10()	20
0  work :22 s=20(); 0  main :12 s=10()	5
END

# From 1.21 on, the compiler takes profiles: it must do the same with less.
case $(go version 2>/dev/null) in
*go1.2[1-9]* | *go1.[3-9][0-9]*)
	hot=$data/src/pgo/hot/hot.go
	export hot
	prof-filter --pgo -o less.pb.gz "$data/good-go-pgo.pb.gz"
	for p in "$data/good-go-pgo.pb.gz" less.pb.gz; do
		go tool compile -p pgo/hot -pgoprofile="$p" -d=pgodebug=1 \
			-o "${p##*/}.o" "$hot" >"${p##*/}.log"
	done
	go tool compile -p pgo/hot -o none.o "$hot"
	check "pgo: Go's compiler makes the same of it" 0 \
		'cmp good-go-pgo.pb.gz.log less.pb.gz.log &&
		cmp good-go-pgo.pb.gz.o less.pb.gz.o &&
		grep -c "^hot-node enabled" less.pb.gz.log
		cmp -s none.o less.pb.gz.o || echo not as without it' <<'END'
4
not as without it
END
	;;
*)
	skip "pgo: Go's compiler makes the same of it" 'no Go 1.21 or later'
	;;
esac

check_err 'anonymize without a key' 2 'prof-filter --anonymize cpu.pb.gz' \
	'--anonymize and --key FILE go together'
echo 'a key of some length' >key
echo 'another key, as long' >key2
if lacks 'prof-filter --anonymize --key=key cpu.pb.gz'; then
	skip 'anonymize' 'this build has no nettle'
else
check 'man: anonymize' 0 \
	'head -c 32 /dev/urandom > secret
	prof-filter --anonymize --key=secret app.pb.gz > public.pb.gz
	gzip -dc public.pb.gz | grep -acwE "main|serve|bin/app|ann|secret"
	stacks <public.pb.gz | wc -l' <<'END'
0
3
END
check 'one key, one name; another key, another name' 0 \
	'for k in key key key2; do
		prof-filter --anonymize --key=$k cpu.pb.gz | stacks | sort | cksum
	done | uniq -c | sed "s/^ *\([0-9]\).*/\1/"' <<'END'
2
1
END
check 'anonymize: numbers of labels and their units go, too' 0 \
	'printf "# cpu nanoseconds\nmain;work 20 {user=\"ann\" account=4711widgets}\n" | mkprof |
	prof-filter --anonymize --key=key >numbers.pb.gz
	gzip -dc numbers.pb.gz | grep -ac "account\|widgets\|ann"; prof-text --json numbers.pb.gz | grep -c 4711; :' <<'END'
0
0
END
check 'anonymize: a difference keeps its sides' 0 \
	'prof-diff "$data/good-old.pb.gz" "$data/good-new.pb.gz" | prof-filter --anonymize --key=key |
	prof-text --diff --compact-labels | cut -d% -f1 | sed -n "1p; 4,5p"' <<'END'
Total 1020ms before, 1050ms after: +30ms (+2.94
      400ms       600ms      +200ms  +50.00
      250ms       100ms      -150ms  -60.00
END
check_err 'a short key' 2 \
	'echo short >k; prof-filter --anonymize --key=k cpu.pb.gz' \
	'k: a key has 16 bytes or more'
fi
check 'man: where and split-by' 0 \
	'prof-filter --where '"'"'endpoint =~ "^/a" && bytes in 1kb..1mb'"'"' \
	    --split-by=user -o '"'"'users-{}.pb.gz'"'"' app.pb.gz
	ls users-*' <<'END'
users-ann.pb.gz
END
# --- rare stacks ------------------------------------------------------------

cat >rare.txt <<'END'
# samples count cpu nanoseconds
main;serve;encode;a 1 10
main;serve;encode;b 1 10
main;serve;encode;c;d 3 30 {user="ann"}
main;serve;encode;c;d 3 30
main;serve;idle 1 10
once 1 10
END
mkprof rare.txt >day.pb.gz
check 'man: --min-samples folds rare stacks into their callers' 0 \
	'prof-filter -q --min-samples=5 -o small.pb.gz day.pb.gz
	stacks <small.pb.gz' <<'END'
main	 3 30
main;serve;encode;c;d	 3 30
main;serve;encode;c;d user:[ann]	 3 30
once	 1 10
END
check '--min-samples keeps totals, and cum of what is left' 0 '
	for f in day small; do
		prof-text --list-types $f.pb.gz
		prof-text --tsv --cum --trim=false $f.pb.gz | grep "	main	" | cut -f2
	done | sort | uniq -c | awk "{ print \$1 }" | sort -u' <<'END'
2
END
check_err '--min-samples says what it folded' 0 \
	'prof-filter --min-samples=5 -o small.pb.gz day.pb.gz' \
	'folded 3 of 6 stacks, with 30% of the samples, into their callers'
check '--min-samples=1 changes nothing' 0 \
	'prof-filter --min-samples=1 day.pb.gz | stacks >one; prof-filter day.pb.gz | stacks | cmp - one' <<'END'
END
check_err '--min-samples needs a number' 2 'prof-filter --min-samples=0 day.pb.gz' \
	"'0'"

plan
