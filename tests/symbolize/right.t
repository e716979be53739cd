#!/bin/sh
# Functions, files, lines and inlined functions at random addresses of real
# programs equal llvm-symbolizer's on 99.9 % of them. Justified differences are
# in symbolize-known, a sorted list of programs and reasons that may only
# shrink. PROF_LONG=1 (make check-long) takes 20,000 addresses of each.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/symbolize/right.sh"

# rustup finds its compilers by it.
RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
HOME=$scratch
export HOME RUSTUP_HOME

need_symbols prof-symbolize
need_tools prof-symbolize llvm-symbolizer llvm-cxxfilt readelf

n_address=${long:+20000}
n_address=${n_address:-2000}

# right NAME FILE
right() {
	sample "$2" "$n_address"
	theirs "$2" >want
	ours "$2" >have
	classes want have >why
	total=$(wc -l <want)
	sed -n "s/^$1 //p" "$src/tests/symbolize/right.known" >known
	while read -r class optional; do
		[ "$optional" ] || grep -q "^$class " why ||
			echo "no $class any more"
	done <known >gone
	unknown=$(awk 'NR == FNR { known[$1]; next } !($1 in known)' known why |
		tee unknown | wc -l)
	if [ "$(grep -c . want)" -gt $((total / 3)) ] &&
		[ "$(wc -l <have)" -eq "$total" ] && [ ! -s gone ] &&
		[ $((unknown * 1000)) -le "$total" ]; then
		ok "$1: $total addresses, $unknown unlike llvm-symbolizer's"
	else
		{
			echo "$unknown of $total; ours: $(wc -l <have)"
			cat gone
			head -5 unknown
			head -3 .said
		} >.why
		not_ok "$1" <.why
	fi
}

# compiled NAME COMMAND...: COMMAND makes ./prog.
compiled() {
	c_name=$1
	shift
	rm -f prog prog.o
	if ! have "$1"; then
		skip "$c_name" "no $1"
	elif ! "$@" >build.log 2>&1; then
		skip "$c_name" "$(head -1 build.log)"
	else
		[ -e prog ] || "$1" prog.o -o prog
		right "$c_name" prog
	fi
}

# longer NAME COMMAND...: only if there is time for it.
longer() {
	[ -z "$long" ] || compiled "$@"
}

words=$src/tests/programs/words/words
compiled 'g++, DWARF 5' g++ -std=c++17 -O2 -g -gdwarf-5 "$words.cc" -o prog
longer 'g++, DWARF 4' g++ -std=c++17 -O2 -g -gdwarf-4 "$words.cc" -o prog
longer 'g++, split DWARF' g++ -std=c++17 -O2 -g -gsplit-dwarf -c \
	"$words.cc" -o prog.o
longer 'clang++, DWARF 5' clang++ -std=c++17 -O2 -g -gdwarf-5 "$words.cc" \
	-o prog
longer 'clang++, DWARF 4' clang++ -std=c++17 -O2 -g -gdwarf-4 "$words.cc" \
	-o prog
compiled 'clang++, split DWARF' clang++ -std=c++17 -O2 -g -gdwarf-4 \
	-gsplit-dwarf -c "$words.cc" -o prog.o
compiled 'Rust' rustc -O -g "$words.rs" -o prog
longer 'Rust, names of version 0' rustc -O -g \
	-C symbol-mangling-version=v0 "$words.rs" -o prog
GOCACHE=$scratch/go GOFLAGS=-mod=mod
export GOCACHE GOFLAGS
compiled 'Go' go build -o prog "$words.go"

# A stripped Go program says as much by the table of its runtime, but for .abi0, which
# is of symbols, type arguments, and the folder of what the compiler wrote.
plain() {
	sed 's/\.abi0 / /g; s| \./<| <|g; s/\[[^] ]*\]/[...]/g'
}
if have go && CGO_ENABLED=0 go build -o prog "$words.go" 2>build.log; then
	sample prog "$n_address"
	theirs prog | plain >want
	CGO_ENABLED=0 go build -ldflags '-s -w' -o prog "$words.go" || exit 1
	sample prog "$n_address"
	ours prog | plain >have
	total=$(grep -c . want)
	paste -d'|' want have | awk -F'|' '$1 != "" && $1 != $2' >why
	if [ "$total" -gt $((n_address / 2)) ] &&
		[ $(($(wc -l <why) * 1000)) -le "$(wc -l <want)" ]; then
		ok "Go, stripped: $total addresses, $(wc -l <why) unlike llvm-symbolizer's of the whole"
	else
		head -5 why | not_ok 'Go, stripped'
	fi
else
	skip 'Go, stripped' 'no go'
fi

# The library that commands here use, with what libc6-dbg has of it.
libc=$(ldd "$(command -v readelf)" | awk '$1 ~ /^libc\.so/ { print $3 }')
libc=$(readlink -f "$libc" 2>/dev/null)
id=$(readelf -n "$libc" 2>/dev/null | sed -n 's/.*Build ID: //p')
xx=$(echo "$id" | cut -c1-2)
if [ -n "$id" ] && [ -e "/usr/lib/debug/.build-id/$xx/${id#??}.debug" ]; then
	right libc "$libc"
else
	skip libc 'no debug information of it (libc6-dbg)'
fi
cxx=$(ldconfig -p 2>/dev/null | sed -n 's/.*libstdc++\.so\.6 .*=> //p' | head -1)
cxx=$(readlink -f "$cxx" 2>/dev/null)
if [ -n "$cxx" ]; then
	right 'a stripped library' "$cxx"
else
	skip 'a stripped library' 'no libstdc++.so.6'
fi

# Rust's names, of rustc 1.95's own libraries and a small program.
{
	echo '# cpu nanoseconds'
	sed 's/$/ 1/' "$data/rust-v0.names"
} >names.txt
mkprof names.txt | prof-symbolize -q --demangle=full |
	prof-text --folded | sed 's/ [0-9]*$//' | sort -u >have
# What follows a dot is the compiler's, not Rust's.
cut -d. -f1 "$data/rust-v0.names" | llvm-cxxfilt |
	tr ';' ':' | sort -u >want # as in folded stacks
if [ "$(wc -l <want)" -gt 200 ] && diff want have >why; then
	ok "Rust: $(wc -l <want) names as llvm-cxxfilt prints them"
else
	head -20 why | not_ok 'Rust: names as llvm-cxxfilt prints them'
fi

plan
