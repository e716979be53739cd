# prof-filter as a command: options, warnings, exit status, examples of the
# manual page. The rules behind it: test-filter.c and filter-referee.t.
. "${srcdir:-.}/tests/tap.sh"
. "$src/tests/normal.sh"

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
. "$src/tests/normal.sh"
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
plan
