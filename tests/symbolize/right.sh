# symbolize-right.sh - sourced by symbolize-right.t: many random addresses of a
# program, and how many of the answers are llvm-symbolizer's.

# sample FILE N: FILE.pb and FILE.addr, N random addresses of FILE's .text, the
# same ones in each run. FILE may be a path.
sample() {
	s_name=${1##*/} s_path=$1 s_n=$2
	case $s_path in /*) ;; *) s_path=$scratch/$s_path ;; esac
	# shellcheck disable=SC2046 # words
	set -- $(readelf -SW "$s_path" | sed 's/^ *\[[ 0-9]*\]//' |
		awk '$1 == ".text" { print $3, $4, $5 }')
	awk -v a=$((0x$1)) -v size=$((0x$3)) -v n="$s_n" 'BEGIN {
		srand(20)
		for (i = 0; i < n; i++) {
			at = a + int(rand() * size)
			if (!(at in seen))
				printf "0x%x\n", at
			seen[at] = 1
		}
	}' >"$s_name.addr"
	# A mapping that says nothing of places: addresses are the file's.
	addrs make 0 0 0 "$s_path" <"$s_name.addr" >"$s_name.pb"
}

# theirs FILE: what llvm-symbolizer says of FILE.addr, a line for each.
theirs() {
	llvm-symbolizer --inlines --no-demangle --obj="$1" <"${1##*/}.addr" |
		awk '$0 == "" { print line; line = ""; next }
		{ n = NR % 2; sub(/^\?\?$/, ""); sub(/^\?\?:/, ":")
		line = line " " $0 }' | sed 's/^  :0:0$//'
}

# ours FILE OPTION...
ours() {
	o_name=${1##*/}
	shift
	prof-symbolize "$@" "$o_name.pb" 2>.said | addrs print -c |
		sed 's/^[^ ]*//'
}

# classes WANT HAVE: of each line that differs, why: its class and the line.
#   directory  theirs joins ./x of the unit with ./x of the file; addr2line does
#              so, too, but DWARF 5 says that this directory is the unit's
#   suffix     ours is the symbol of a debug file, f.part.0, theirs only f
#   unnamed    only ours knows the symbol of a debug file
#   other
classes() {
	paste "$1" "$2" | awk -F'\t' '
	$1 == $2 { next }
	{
		n = split($1, w, " ")
		m = split($2, h, " ")
		why = $1 == "" ? "unnamed" : n != m ? "other" : ""
		for (i = 1; i <= n && why != "other" && $1 != ""; i++) {
			if (w[i] == h[i])
				continue
			if (w[i] ~ /\/\.\// && index(w[i], h[i]) > 1)
				why = "directory"
			else if (index(h[i], w[i] ".") == 1)
				why = "suffix"
			else
				why = "other"
		}
		print why, $1, "|", $2
	}'
}
