#!/bin/sh
# prof-merge: operands, header, errors, and what go tool pprof makes of it.
. "${srcdir:-.}/tests/tap.sh"

# The rows of a profile, without ids: type, values, labels, frames.
pprof=$(go env GOTOOLDIR 2>/dev/null)/pprof

mkprof >a.pb.gz <<'END'
# samples count cpu nanoseconds
@period cpu nanoseconds 10
@time 100
@duration 5
@comment from a
main;work 2 20
main;idle 1 10
END
mkprof >b.pb.gz <<'END'
# samples count cpu nanoseconds
@period cpu nanoseconds 20
@duration 6
@comment from b
main;work 3 30
main;idle 0 0
END

prof-merge -z0 a.pb.gz b.pb.gz >ab 2>.err
prof-merge -z0 b.pb.gz a.pb.gz >ba 2>>.err
if cmp -s ab ba && [ ! -s .err ]; then
	ok 'the order of operands does not matter'
else
	not_ok 'the order of operands does not matter' <.err
fi

gzip -dc <ab >ab.raw
mkdir archive
cp a.pb.gz b.pb.gz archive
check 'the example of the manual page' 0 \
	'prof-merge -o day.pb.gz archive/*.pb.gz && gzip -dc day.pb.gz | cmp - ab.raw' </dev/null
plan
