#!/bin/sh
# The library is pure and silent: it refers to nothing that prints or exits,
# and has no mutable data.
. "${srcdir:-.}/tests/tap.sh"

if [ -n "${sanitized:-}" ]; then
	skip_rest 'libprof is pure' 'a sanitizer build has symbols and data of its own'
fi
if ! have nm size; then
	skip_rest 'libprof is pure' 'no nm'
fi
set -- "$bin"/cmd/lib/.libs/libprof_la-*.o
[ -e "$1" ] || set -- "$bin"/cmd/lib/libprof_la-*.o

nm -A --undefined-only "$@" |
	grep -wE 'exit|_exit|abort|stderr|stdout|printf|puts|perror|putchar' >.bad
if [ -s .bad ]; then
	not_ok 'libprof neither prints nor exits' <.bad
else
	ok 'libprof neither prints nor exits'
fi

# const tables of pointers are .data.rel.ro in position-independent objects.
nm -A "$@" | awk '$2 ~ /^[bBdDcC]$/' | grep -v '\.rel\.ro' >.names
for o; do
	objdump -h "$o" | awk -v o="$o" '
		$2 ~ /^\.(data|bss)(\.|$)/ && $2 !~ /\.rel\.ro/ &&
			$3 !~ /^0+$/ { print o ": " $2 " has 0x" $3 " bytes" }'
done >.bad
if [ -s .bad ]; then
	cat .names .bad | not_ok 'libprof has no mutable data'
else
	ok 'libprof has no mutable data'
fi
plan
