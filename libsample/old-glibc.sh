#!/bin/sh
# old-glibc.sh FOLDER CC LIBRARY... - writes stubs of libc into FOLDER, with which
# the same objects are linked again: -LFOLDER. Each function that a LIBRARY wants
# has its newest version that glibc 2.17 has, so that the result loads into the
# programs of all glibcs since. One that 2.17 lacks is an error.
set -eu
dir=$1 cc=$2
shift 2
mkdir -p "$dir"
libc=$($cc -print-file-name=libc.so.6)
objdump -T "$@" | sed -n "s/.*\*UND\*.*(GLIBC_[^)]*) *//p" |
	LC_ALL=C sort -u >"$dir/wanted"
[ -s "$dir/wanted" ]
objdump -T "$libc" | awk -v wanted="$dir/wanted" -v map="$dir/map" '
	BEGIN { while ((getline f < wanted) > 0) best[f] = 0 }
	$NF in best && match($0, /GLIBC_2[.][0-9.]+/) {
		version = substr($0, RSTART + 8, RLENGTH - 8)
		split(version, part, ".")
		rank = part[1] * 1000 + part[2] + 1
		if (part[1] <= 17 && rank > best[$NF]) {
			best[$NF] = rank
			chosen[$NF] = "GLIBC_2." version
			is_data[$NF] = / DO /
		}
	}
	END {
		for (f in best) {
			if (!chosen[f]) {
				print f ": glibc 2.17 has none" >"/dev/stderr"
				exit 1
			}
			at = "at_" ++n
			print ".globl " at "\n" at ":\n.symver " at ", " f "@@" chosen[f]
			if (is_data[f])
				print ".type " at ", @object\n.size " at ", 8"
			node[chosen[f]] = 1
		}
		for (v in node)
			print v " { };" >map
	}' >"$dir/libc.s"
$cc -shared -nostdlib -Wl,-soname,libc.so.6 -Wl,--version-script="$dir/map" \
	-o "$dir/libc.so.6" "$dir/libc.s"
nonshared=$($cc -print-file-name=libc_nonshared.a)
echo "GROUP ( $PWD/$dir/libc.so.6 $nonshared )" >"$dir/libc.so"
# Before 2.34 they have a part of the functions; since, they are there, and empty.
for part in pthread.so.0 dl.so.2; do
	$cc -shared -nostdlib -x c /dev/null -Wl,-soname,lib$part -o "$dir/lib${part%.*}"
done
