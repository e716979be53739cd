#!/bin/sh
# Each header compiles alone, in C; the installed ones in C++ too; and no two have
# the same guard, or one would be left out after the other. Those of
# libsample/unwind/arch are a part of impl.h, for the machine that is compiled for.
. "${srcdir:-.}/tests/lib/tap.sh"

flags="-I$src -I$src/cmd -I$bin/proto -I$bin -include $bin/config.h"
find "$src/cmd" "$src/libsample" -name '*.h' ! -path '*/libsample/unwind/arch/*' |
	sort >headers
[ -s headers ] || not_ok 'there are headers' <headers
xargs awk 'FNR == 1 { n = 0 }
	/^#ifndef/ && !n++ && seen[$2]++ { print FILENAME ": " $2 }' <headers >.bad
if [ -s .bad ]; then
	not_ok 'each header has a guard of its own' <.bad
else
	ok 'each header has a guard of its own'
fi
# The build has shown it for those which their own source includes before others.
is_first() {
	[ -e "${1%.h}.c" ] && awk -v name="${1##*/}" '
		$1 == "#include" && $2 != "\"config.h\"" { exit }
		END { exit substr($2, length($2) - length(name)) != name "\"" }' "${1%.h}.c"
}
while read -r h; do
	if is_first "$h"; then
		ok "${h#"$src"/} stands alone"
		continue
	fi
	echo "#include \"$h\"" >one.c
	# shellcheck disable=SC2086 # flags are words
	if ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror $flags -fsyntax-only \
		one.c 2>.err; then
		ok "${h#"$src"/} stands alone"
	else
		not_ok "${h#"$src"/} stands alone" <.err
	fi
done <headers
if [ -e "$src/libsample/sample.h" ] && have "${CXX:-c++}"; then
	echo "#include \"$src/libsample/sample.h\"" >one.cc
	if ${CXX:-c++} -Wall -Wextra -Werror -fsyntax-only one.cc 2>.err; then
		ok 'libsample/sample.h is C++ too'
	else
		not_ok 'libsample/sample.h is C++ too' <.err
	fi
else
	skip 'libsample/sample.h is C++ too' 'no C++ compiler'
fi
plan
