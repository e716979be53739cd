#!/bin/sh
# prof-list against pprof, byte for byte: over options, patterns, and the
# profiles of testdata with their sources.
#
# Not compared are lines that pprof does not have, marked "<...>", and the cum
# of a block, which pprof counts again for each of its lines in a stack; it is
# compared with the cum of the function in its file, in -top.
. "${srcdir:-.}/tests/lib/tap.sh"

have go && pprof=$(go tool -n pprof 2>/dev/null) && [ -x "$pprof" ] ||
	skip_rest 'comparisons with pprof' 'no go tool pprof'
tiny_sources

# strip FILE: without what is set aside.
strip() {
	sed -E '/^ *[^ ]+ +[^ ]+ +-?[0-9]+:<.*>$/d
		s/^( *[^ ]+) +[^ ]+ \(flat, cum\).*/\1 (flat)/' "$1"
}

# as_pprof FILE PATTERN OPTION...: our listing is pprof's.
n=0
as_pprof() {
	f=$1 re=$2
	shift 2
	n=$((n + 1))
	name="as pprof: ${f##*/} -list=$re $*"
	$pprof -symbolize=none "-list=$re" "$@" "$f" >theirs 2>theirs.err
	want=$?
	for o; do
		shift
		set -- "$@" "-$o"
	done
	prof-list -q "$@" -- "$re" "$f" >ours 2>ours.err
	got=$?
	strip theirs >a
	strip ours >b
	if [ $want -eq $got ] && cmp -s a b; then
		same=$((same + 1))
	else
		{
			echo "status $got, pprof has $want"
			diff a b | head -20
			head -3 theirs.err ours.err
		} >.why
		not_ok "$name" <.why
	fi
}
same=0

tiny=$data/good-tiny.pb.gz
for o in '' -noinlines -hide=helper -focus=helper -sample_index=0 -unit=s \
	'-divide_by=3 -unit=ms' '-relative_percentages -focus=helper' \
	-drop_negative -addresses -nodecount=1 -ignore=rec; do
	for re in leaf . '^rec$' 'a' '^$' helper; do
		# shellcheck disable=SC2086 # words
		as_pprof "$tiny" "$re" -trim_path=/src/demo $o
	done
done
for re in zzz 0x403000 work.c; do
	as_pprof "$tiny" "$re"
done
mkdir other
(cd other && as_pprof "$tiny" leaf -trim_path=/src/de; echo $same >../same)
read -r same <same
for d in . .. /x:..; do
	as_pprof "$tiny" 'leaf|main' -trim_path=/src/demo "-source_path=$d"
done

# Differences: pprof makes them itself, here prof-diff does.
for how in base diff_base; do
	for o in '' -drop_negative; do
		n=$((n + 1))
		opt=--base
		[ $how = base ] || opt=--diff-base
		# shellcheck disable=SC2086 # may be none
		$pprof -symbolize=none -list=. -$how="$data/good-old.pb.gz" $o \
			"$data/good-new.pb.gz" >theirs 2>.err
		prof-diff $opt="$data/good-old.pb.gz" "$data/good-new.pb.gz" |
			prof-list -q ${o:+-$o} . >ours 2>.err
		strip theirs >a
		strip ours >b
		if cmp -s a b && [ -s a ]; then
			same=$((same + 1))
		else
			diff a b | not_ok "as pprof: -$how $o"
		fi
	done
done

# Lines that the file does not have, odd bytes, names that need care.
printf 'one\r\n\ttwo\001\377\n\nlast' >text.c
mkprof >lines.pb.gz <<'END'
# samples count cpu nanoseconds
f (../work.c:3) 1 10000000
f (../work.c:30);f (../work.c:3) 2 20000000
f (../work.c:58);f (../work.c:3) 3 30000000
f (../work.c:75) 4 40000000
g (../work.c:75) 5 50000000
h 6 60000000
f (../util.h:2) 7 70000000
z (../work.c:0) 8 80000000
t (text.c:2) 9 90000000
./x (./text.c:4) 1 1
far (text.c:9223372036854775807) 1 1
minus (text.c:-3) 1 1
END
for re in '^f$' '^g$' '^h$' '^z$' '^t$' '^.$' x far minus .; do
	as_pprof lines.pb.gz "$re"
	as_pprof lines.pb.gz "$re" -sample_index=0
done

# Real profiles with real sources: Go's own, of the version that made them.
for d in /usr/lib/go-1.19/src /usr/share/go-1.19/src; do
	[ ! -e $d/runtime/proc.go ] || goroot=$d
done
profiles='go-cpu go-heap go-mutex go-block go-goroutine go-cpu-long'
if [ -n "${goroot:-}" ]; then
	for f in $profiles; do
		for re in . main '^runtime' '\(\*' 'a$' 'gc|alloc' func1 '^sort' \
			types '(?i)SCAN' '[A-Z]$' '^(net|bufio)'; do
			as_pprof "$data/good-$f.pb.gz" "$re" \
				"-source_path=$goroot:$data/src"
		done
		as_pprof "$data/good-$f.pb.gz" main -noinlines
		as_pprof "$data/good-$f.pb.gz" 'main|sort' -sample_index=0 \
			"-source_path=$goroot:$data/src" -unit=us
	done
else
	skip 'profiles of Go with the sources of Go' 'no Go 1.19 sources'
fi
if [ $same -gt 60 ]; then
	ok "$same listings are pprof's, byte for byte"
else
	echo "only $same" | not_ok 'listings are compared'
fi

# The cum of a block, each sample once, is that of the function in its file.
: >cums.bad
blocks=0
for f in $profiles; do
	f=$data/good-$f.pb.gz
	$pprof -symbolize=none -top -filefunctions -trim=false -unit=auto "$f" \
		2>.err | awk '/^ *flat/ { on = 1; next }
			on { name = $0
			sub(/^ *[^ ]+ +[^ ]+ +[^ ]+ +/, "", name)
			cum = name; sub(/ .*/, "", cum)
			sub(/^[^ ]+ +[^ ]+ +/, "", name)
			sub(/ \((partial-)?inline\)$/, "", name)
			print cum, name }' | sort >theirs
	prof-list -q . "$f" | awk '/^ROUTINE =* / { name = $3
			for (i = 4; i <= NF; i++)
				name = name " " $i
			sub(/ in /, " ", name)
			getline; print $2, name }' | sort >ours
	blocks=$((blocks + $(wc -l <ours)))
	comm -13 theirs ours >>cums.bad
done
if [ ! -s cums.bad ] && [ $blocks -gt 100 ]; then
	ok "the cum of $blocks blocks is that of -top"
else
	head -20 cums.bad | not_ok 'the cum of blocks is that of -top'
fi
plan
