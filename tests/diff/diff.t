#!/bin/sh
# prof-diff: both kinds of difference, scales, deltas, names, errors. Compared
# with pprof in algebra.t; its laws are in unit/diff.c.
. "${srcdir:-.}/tests/lib/tap.sh"

mkprof >old.pb.gz <<'END'
# samples count cpu nanoseconds
@duration 100
main;work 2 20
main;idle 1 10
main;gone 1 10
END
mkprof >new.pb.gz <<'END'
# samples count cpu nanoseconds
@duration 200
main;work 6 60
main;idle 1 10
main;fresh 1 10
END

check 'the examples of the manual page: both sides' 0 \
	'prof-diff old.pb.gz new.pb.gz | normal | grep -c pprof::base' <<'END'
3
END

prof-diff --base old.pb.gz new.pb.gz | gzip -dc >one
prof-diff --base=old.pb.gz new.pb.gz | gzip -dc >two
prof-diff --base=old.pb.gz <new.pb.gz | gzip -dc >three
prof-diff --base - new.pb.gz <old.pb.gz | gzip -dc >four
if [ -s one ] && cmp one two && cmp one three && cmp one four; then
	ok 'the ways to name the sides'
else
	not_ok 'the ways to name the sides' </dev/null
fi

# total PROFILE: the sums of the columns.
cat >total <<'END'
normal | cut -f2 | awk '{ a += $1; b += $2 } END { print NR, a, b }'
END
check 'subtracted: what is equal vanishes' 0 \
	'prof-diff --base old.pb.gz new.pb.gz | sh total' <<'END'
3 4 40
END
check 'kept apart: all samples of both' 0 \
	'prof-diff old.pb.gz new.pb.gz | sh total' <<'END'
6 4 40
END
check 'the difference to itself is empty' 0 \
	'prof-diff --base old.pb.gz old.pb.gz | sh total' <<'END'
0  
END
check 'normalized: no difference in the totals' 0 \
	'prof-diff -q --normalize old.pb.gz new.pb.gz | sh total' <<'END'
6 1 0
END
check 'per operation, an example of the manual page' 0 \
	'prof-diff --scale=ops=2 old.pb.gz new.pb.gz 2>&1 >out; sh total <out' <<'END'
prof-diff: scaled the new profile by 0.5, for 2 times the operations
6 1 0
END
check 'per operation, as a quotient' 0 \
	'prof-diff -q --scale=ops=300/150 old.pb.gz new.pb.gz | sh total' <<'END'
6 1 0
END
check 'by the duration' 0 \
	'prof-diff --scale=duration old.pb.gz new.pb.gz 2>&1 >out; sh total <out' <<'END'
prof-diff: scaled the new profile by 0.5, duration of 200ns to 100ns
6 1 0
END
check 'by the total' 0 \
	'prof-diff --scale=total old.pb.gz new.pb.gz 2>&1 >out; sh total <out' <<'END'
prof-diff: scaled the new profile by 0.5, total cpu of 80 to 40
6 1 0
END

check 'equal profiles: exit 0' 0 \
	'prof-diff --exit-code new.pb.gz new.pb.gz >/dev/null' </dev/null
check 'different ones: exit 1' 1 \
	'prof-diff --exit-code old.pb.gz new.pb.gz >/dev/null' </dev/null
check 'different ones, subtracted: exit 1, and all is written' 1 \
	'prof-diff --exit-code --base old.pb.gz new.pb.gz -o out; s=$?; sh total <out; exit $s' <<'END'
3 4 40
END

mkprof >heap1.pb.gz <<'END'
# alloc_space bytes inuse_space bytes
@time 1000
main;f 100 50
END
mkprof >heap2.pb.gz <<'END'
# alloc_space bytes inuse_space bytes
@time 3000
main;f 150 20
END
check 'a delta, an example of the manual page' 0 \
	'prof-diff --delta heap1.pb.gz heap2.pb.gz | sh total
	prof-diff --delta heap1.pb.gz heap2.pb.gz | prof-text --raw | grep Duration' <<'END'
1 50 20
Duration: 2µs
END
check 'a delta of profiles in the wrong order' 0 \
	'prof-diff --delta heap2.pb.gz heap1.pb.gz 2>&1 >/dev/null' <<'END'
prof-diff: 1 value went down: are these two moments of one process, the older first?
END
check 'a delta of equal profiles: exit 0' 0 \
	'prof-diff --delta --exit-code heap1.pb.gz heap1.pb.gz | sh total' <<'END'
1 0 50
END
printf '# alloc_space bytes inuse_space bytes\nmain;f 100 20\n' | mkprof >heap3.pb.gz
check 'a delta, where only what is in use differs: exit 1' 1 \
	'prof-diff --delta --exit-code heap1.pb.gz heap3.pb.gz >out' </dev/null
check 'a delta, scaled to what is in use' 0 \
	'prof-diff -q --delta --scale=total heap1.pb.gz heap2.pb.gz | sh total' <<'END'
1 275 50
END
check_err 'a delta of what is no total' 2 \
	'prof-diff --delta old.pb.gz new.pb.gz' \
	'samples is not measured since the start of a process'

printf '# n count\nmain;f.part.0 5\nmain;<g>::h0123456789abcdef 3\n' |
	mkprof >build1.pb.gz
printf '# n count\nmain;f 5\nmain;g::h00000000deadbeef 3\n' |
	mkprof >build2.pb.gz
check 'names without what compilers number' 0 \
	'prof-diff --normalize-names build1.pb.gz build2.pb.gz 2>&1 >out; normal <out | grep -o " g [^ ]*\| f [^ ]*" | sort -u' <<'END'
prof-diff: normalized 1 name: parts and clones of a function (f.part.0, f.cold is f)
prof-diff: normalized 2 names: hashes and generics of Rust functions (a::f::h0123456789abcdef is a::f)
 f :0
 g :0
END

check_err 'no operand' 2 'prof-diff' 'needs two operands, BASE and NEW, not 0'
check_err 'one operand' 2 'prof-diff old.pb.gz' 'not 1'
check_err 'three operands' 2 'prof-diff old.pb.gz new.pb.gz old.pb.gz' 'not 3'
check_err 'standard input twice' 2 'prof-diff - - <old.pb.gz' 'only once'
check_err 'both kinds' 2 'prof-diff --base --diff-base old.pb.gz new.pb.gz' \
	'exclude each other'
check_err 'an unknown scale' 2 'prof-diff --scale=half old.pb.gz new.pb.gz' \
	"unknown scale 'half'; one of none, total, duration, ops=N"
check_err 'no operations' 2 'prof-diff --scale=ops=0 old.pb.gz new.pb.gz' \
	"'ops=0' is not"
printf '# samples count\nmain 1\n' | mkprof >timeless.pb.gz
printf '# samples count\n@duration 5\nmain 0\n' | mkprof >zero.pb.gz
check_err 'a scale without a duration' 2 'prof-diff --scale=duration timeless.pb.gz zero.pb.gz' 'does not say how long it took'
check_err 'a scale without a total' 2 'prof-diff --scale=total timeless.pb.gz zero.pb.gz' 'total'
check_err 'other types' 2 'prof-diff old.pb.gz heap1.pb.gz' 'in common'
check_err 'a bad input is named' 2 'prof-diff old.pb.gz ./none' './none: '
plan
