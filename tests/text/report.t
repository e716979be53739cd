#!/bin/sh
# prof-text against pprof, body for body, over testdata and combinations of
# options: in make check a tenth that covers all options, in make check-long
# all.
. "${srcdir:-.}/tests/lib/tap.sh"

have go && pprof=$(go tool -n pprof 2>/dev/null) && [ -x "$pprof" ] || {
	skip_rest 'comparisons with pprof' 'no go tool pprof'
}

. "$src/tests/lib/compare.sh"

profiles='tiny new old tags heap4 edges frames nosyms
	go-cpu go-heap go-allocs go-mutex go-block go-goroutine go-conns'

for f in $profiles; do
	f=$data/good-$f.pb.gz
	for report in text tree; do
		for by in functions filefunctions lines addresses; do
			for sort in flat cum; do
				row "$f" "-$report -$by -$sort"
			done
			row "$f" "-$report -$by -noinlines"
		done
		for o in -nodecount=3 '-nodecount=5 -cum' -nodefraction=0.05 \
			-nodefraction=0 '-nodefraction=0 -edgefraction=0.1' \
			-trim=false -unit=auto -unit=ms -unit=MB -unit=kb \
			-divide_by=3 -drop_negative \
			-compact_labels -sample_index=0 \
			'-trim_path=/src -lines' '-source_path=/x/demo -lines'
		do
			row "$f" "-$report $o"
		done
	done
done
# Of means, pprof's trees have the sums of edges.
for f in $profiles; do
	row "$data/good-$f.pb.gz" '-text -mean'
	row "$data/good-$f.pb.gz" '-text -mean -cum'
done
# Reports without a graph. pprof of 2022 passes even a single profile through
# its merge, which shows here: so both read what that has written.
mkdir merged
for f in $profiles go-threadcreate; do
	f=good-$f.pb.gz
	$pprof -symbolize=none -proto -output "merged/$f" "$data/$f" 2>.err ||
		not_ok "pprof -proto $f" <.err
	f=merged/$f
	for by in functions filefunctions lines; do
		row "$f" "-traces -$by"
		row "$f" "-traces -$by -noinlines -sample_index=0"
	done
	row "$f" '-traces -addresses -noinlines'
	row "$f" '-traces -unit=ms'
	row "$f" '-raw'
	row "$f" '-comments'
	for o in '' -unit=ms -sample_index=0 -focus=a -relative_percentages \
		-tagshow=user '-taghide=user|bytes' -tagfocus=ann; do
		row "$f" "-tags${o:+ $o}"
	done
	for re in main 'a$|b' '(?i)RUNTIME\.' '^[a-m]'; do
		row "$f" "-peek=$re"
		row "$f" "-peek=$re -lines -cum"
	done
done

# Filters: percentages are of the whole profile, unless told otherwise.
for f in $profiles; do
	f=$data/good-$f.pb.gz
	for o in -focus=leaf -focus=main -ignore=b -hide=work -show=a \
		-show_from=b -prune_from=work '-focus=a -ignore=b' \
		'-hide=main -cum' '-focus=a -relative_percentages' \
		-tagfocus=ann -tagignore=user -tagfocus=1kb:4kb \
		-tagfocus=bytes=100b:300b '-tagshow=user -tagfocus=bob' \
		-taghide=bytes -tagroot=user -tagleaf=user,bytes \
		'-focus=. -divide_by=2'
	do
		row "$f" "-text $o"
		case $o in
		*cum) ;;
		*) row "merged/${f##*/}" "-traces $o" ;;
		esac
	done
	row "$f" '-tree -focus=a -hide=b'
	row "$f" '-tree -show_from=main -noinlines'
	row "merged/${f##*/}" '-raw -focus=a'
done

row "$data/good-full.pb.gz" '-text -sample_index=hits'
row "$data/good-full.pb.gz" '-tree -sample_index=size'
row "$data/good-go-cpu-long.pb.gz" '-text'
row "$data/good-go-cpu-long.pb.gz" '-tree'
row "$data/good-go-cpu-long.pb.gz" '-tree -lines -nodecount=500'
for i in 0 1 2 3 inuse_space alloc_objects inuse_objects; do
	for f in go-heap go-allocs heap4; do
		row "$data/good-$f.pb.gz" "-text -sample_index=$i"
	done
done

compare "$src/tests/text/report.known"
plan
