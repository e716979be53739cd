#!/bin/sh
# The library is pure and silent: it refers to nothing that prints or exits, and
# has no mutable data. Each source of cmd/lib must have an object to check. No two
# sources of cmd/ define the same symbol.
. "${srcdir:-.}/tests/lib/tap.sh"

if [ -n "${sanitized:-}" ]; then
	skip_rest 'libprof is pure' 'a sanitizer build has symbols and data of its own'
fi
need_tools 'libprof is pure' nm objdump

# Printing and exiting, with the names that _FORTIFY_SOURCE makes of them.
forbidden='_?exit|_Exit|quick_exit|abort|stderr|stdout|perror|puts|putchar'
forbidden="$forbidden|v?printf|v?dprintf|v?warnx?|v?errx?|error|v?syslog"
prints() {
	nm -A --undefined-only "$@" | sed 's/@.*//' |
		grep -E " U (__)?($forbidden)(_chk)?\$"
}

: >.bad
find "$src/cmd/lib" -name '*.c' >sources
while read -r c; do
	o=$bin/${c#"$src"/}
	o=${o%.c}.o
	[ -e "$o" ] && echo "$o" || echo "$c has no object" >>.bad
done <sources >objects
[ -s objects ] || echo "no objects" >>.bad
if [ -s .bad ]; then
	not_ok 'each source of the library has an object' <.bad
	plan
	exit 1
fi
ok 'each source of the library has an object'

# shellcheck disable=SC2046 # paths are words
set -- $(cat objects)
if prints "$@" >.bad; then
	not_ok 'libprof neither prints nor exits' <.bad
else
	ok 'libprof neither prints nor exits'
fi

# const tables of pointers are .data.rel.ro in position-independent objects.
mutable() {
	for o; do
		objdump -h "$o" | awk -v o="$o" '
			$2 ~ /^\.(data|bss)(\.|$)/ && $2 !~ /\.rel\.ro/ &&
				$3 !~ /^0+$/ { print o ": " $2 " has 0x" $3 " bytes" }'
	done
}
mutable "$@" >.bad
if [ -s .bad ]; then
	nm -A "$@" | awk '$2 ~ /^[bBdDcC]$/' | grep -v '\.rel\.ro' |
		cat - .bad | not_ok 'libprof has no mutable data'
else
	ok 'libprof has no mutable data'
fi

# Which of two is linked would hang on the order of the libraries.
find "$src/cmd" -name '*.c' | while read -r c; do
	o=$bin/${c#"$src"/}
	[ ! -e "${o%.c}.o" ] || echo "${o%.c}.o"
done | xargs nm -g --defined-only |
	awk 'NF == 3 && $3 != "main" && seen[$3]++ { print $3 }' >.bad
if [ -s .bad ]; then
	not_ok 'no symbol is defined twice' <.bad
else
	ok 'no symbol is defined twice'
fi

# The checks see what they are for.
cat >loud.c <<'END'
#include <stdio.h>
int calls;
void loud(const char *name);
void loud(const char *name) { calls++; printf("%s %d\n", name, calls); }
END
if ! ${CC:-cc} -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -c loud.c 2>.err; then
	skip 'a printf and a counter would be seen' 'no compiler'
elif prints loud.o >.seen && [ -n "$(mutable loud.o)" ]; then
	ok 'a printf and a counter would be seen'
else
	nm loud.o | not_ok 'a printf and a counter would be seen'
fi
plan
