#!/bin/sh
# prof-list --disasm: instructions of programs compiled here, with samples at
# chosen addresses, against llvm-objdump (the instructions), pprof (the values,
# titles, messages) and the samples themselves.
. "${srcdir:-.}/tests/lib/tap.sh"

need_disassembly 'disassembly'
need_tools 'disassembly' g++ nm llvm-objdump

case $(uname -m) in
aarch64) jump='b\.[a-z]+' call=bl ret=ret ;;
*) jump='j[a-z]+' call=callq ret=retq ;;
esac
export ret
cp -r "$src/tests/programs/hot" src
mkdir tmp
for how in '-no-pie hot' '-pie pie' '-no-pie -Wl,--build-id hot-id'; do
	# shellcheck disable=SC2086 # words
	g++ -g -O2 ${how% *} -o "${how##* }" src/main.cc src/lib.cc
done
if have go && pprof=$(go tool -n pprof 2>/dev/null) && [ -x "$pprof" ]; then
	referee=yes
else
	referee=no
fi

# addresses PROGRAM SYMBOL: those of its instructions, to the next symbol.
addresses() {
	range=$(nm -n "$1" | awk -v s="$2" '
		on && $1 != from { print "0x" from, "0x" $1; exit }
		$3 == s { from = $1; on = 1 }')
	llvm-objdump -d --no-show-raw-insn --start-address="${range% *}" \
		--stop-address="${range#* }" "$1" |
		sed -nE 's/^ +([0-9a-f]+):.*/\1/p'
}

# profile PROGRAM BASE SYMBOL...: a sample at each third instruction but the last
# ones (pprof leaves those out), its value the number of the sample; each has
# main as its caller.
profile() {
	prog=$1 base=$2
	shift 2
	echo '# samples count'
	size=$(wc -c <"$prog")
	printf '@mapping 0x%x 0x%x 0 %s\n' $((base)) \
		$((base + (size + 4095) / 4096 * 4096)) "$scratch/$prog"
	off=0
	[ "$base" != 0x400000 ] || off=0x400000
	main=$(addresses "$prog" main | sed -n 5p)
	for s; do
		addresses "$prog" "$s" | head -n -4
	done | sed -n '1~3p' | nl -s ' ' -w 1 | while read -r i a; do
		printf '0x%x;0x%x %d\n' $((0x$main - off + base)) \
			$((0x$a - off + base)) "$i"
	done
}
profile hot 0x400000 main _Z3libi | mkprof | prof-symbolize >hot.pb.gz 2>.err
profile pie 0x555555554000 main _Z3libi | mkprof | prof-symbolize >pie.pb.gz 2>.err

for p in hot pie; do
	prof-list --disasm '^(main|lib)$' $p.pb.gz >ours 2>.err
	# Which instructions.
	{
		addresses $p _Z3libi
		addresses $p main
	} >want
	sed -nE 's/^ +[^ ]+ +[^ ]+ +([0-9a-f]+): .*/\1/p' ours >got
	if [ "$(wc -l <want)" -gt 50 ] && cmp -s want got && [ ! -s .err ]; then
		ok "$p: the instructions of llvm-objdump"
	else
		diff want got | head -20 | cat - .err |
			not_ok "$p: the instructions of llvm-objdump"
	fi
	# What each cost.
	[ $p = hot ] && base=0x400000 || base=0x555555554000
	sed -n 's/.*;0x\([0-9a-f]*\) \([0-9]*\)$/\2/p' >want <<END
$(profile $p $base main _Z3libi)
END
	awk '/: / && $1 ~ /^[0-9]+$/ { print $1 }' ours | sort -n >got
	if cmp -s want got && [ -s want ]; then
		ok "$p: each sample at its instruction"
	else
		diff want got | head -20 | not_ok "$p: each sample at its instruction"
	fi
	n=$(wc -l <want)
	total=$((n * (n + 1) / 2))
	check "$p: what the functions have" 0 "prof-list --disasm '^(main|lib)\$' $p.pb.gz |
		awk '/ROUTINE/ { print \$3; getline; print \$2 } /Total:/ { print \$2 }'" <<END
$total
lib
$(awk '/ROUTINE.* lib/ { getline; print $2 }' ours)
main
$total
END
done

# Mnemonics: capstone and LLVM are of one family.
prof-list --disasm '^(main|lib)$' hot.pb.gz |
	sed -nE 's/mov[nz] /mov /; s/^ +[^ ]+ +[^ ]+ +([0-9a-f]+): ((lock|rep|repz|data16|notrack|bnd) )*([^ ]+).*/\1 \4/p' >ours
llvm-objdump -d --no-show-raw-insn hot |
	sed -nE 's/^ +([0-9a-f]+):[[:space:]]+((lock|rep|repz|data16|notrack|bnd)[[:space:]]+)*([^[:space:]]+).*/\1 \4/p' |
	sort >theirs
sort ours | join - theirs >both
differ=$(awk '$2 != $3' both | wc -l)
if [ "$(wc -l <both)" -gt 50 ] && [ $((differ * 50)) -le "$(wc -l <both)" ]; then
	ok 'mnemonics are those of llvm-objdump'
else
	awk '$2 != $3' both | head -20 | not_ok 'mnemonics are those of llvm-objdump'
fi

# pprof: its values, titles, messages. Its text is that of Go's decoder, and it
# leaves out the last byte of a function.
values() {
	sed -nE '/^ROUTINE|^    AKA|^Total/p
		/flat, cum/{s/ \(flat.*//p}
		/^ +[0-9]+ +[0-9]+ +[0-9a-f]+:/s/^( *[^ ]+ +[^ ]+ +[0-9a-f]+:).*/\1/p'
}
# That of Go 1.24 finds no function in a program of C++.
[ $referee = no ] || $pprof -disasm=main hot.pb.gz >theirs 2>&1 || referee=no
if [ $referee = yes ]; then
	# Alone: pprof counts a sample twice for a function that is in it twice.
	profile hot 0x400000 main _Z3libi | sed 's/^0x[^;]*;//' | mkprof |
		prof-symbolize >flat.pb.gz 2>.err
	for re in main lib zzz 0x1 libi 'src.main'; do
		$pprof -disasm="$re" flat.pb.gz >theirs 2>theirs.err
		want=$?
		prof-list --disasm "$re" flat.pb.gz >ours 2>ours.err
		got=$?
		values <theirs >a
		values <ours >b
		case $re in
		libi | src.main) # it wants a match of both names
			[ $want -eq 2 ] && [ $got -eq 0 ] && [ -s b ] &&
				ok "pprof finds no $re, prof-list does" ||
				not_ok "pprof finds no $re, prof-list does" <ours.err
			continue
			;;
		esac
		if [ $want -eq $got ] && cmp -s a b &&
			{ [ $got -eq 0 ] || grep -q 'no matches' theirs.err ours.err; }; then
			ok "as pprof: -disasm=$re"
		else
			{
				echo "status $got, pprof has $want"
				diff a b | head -20
				cat theirs.err ours.err
			} >.why
			not_ok "as pprof: -disasm=$re" <.why
		fi
	done
else
	skip 'as pprof' 'no go tool pprof, or one that disassembles Go alone'
fi

# --- addresses ---

pie_main=$(nm pie | awk '$3 == "main" { print $1 }')
run=$(printf '0x%x' $((0x$pie_main + 0x555555554000 + 5)))
for a in "$run" "0x$pie_main" "pie+0x$pie_main" "$scratch/pie+0x$pie_main"; do
	check "an address of a PIE: ${a##*/}" 0 \
		"prof-list --disasm '$a' pie.pb.gz | grep ROUTINE" <<'END'
ROUTINE ======================== main
END
done
check 'a name as a whole' 0 "prof-list --disasm='^lib\$' pie.pb.gz | grep ROUTINE" <<'END'
ROUTINE ======================== lib
END
other=$(printf '0x%x' $((0x$(nm hot | awk '$3 == "_init" { print $1 }'))))
check_err 'an address without samples' 2 "prof-list --disasm $other hot.pb.gz" \
	"address $other found in binary, but the corresponding symbols do not have samples"

# --- what is beside an instruction ---

check 'inlined functions are named' 0 "prof-list --disasm '^main\$' hot.pb.gz |
	grep -o ';.*' | sort -u | grep -c 'mix hot.h:[345]'" <<'END'
3
END
check 'calls have names' 0 "
	prof-list --disasm '^lib\$' hot.pb.gz >out
	grep -c '$call operator new@plt\|$call _Znwm@plt' out" <<'END'
1
END
for p in hot pie; do
	# llvm-objdump has the raw name, and no prefix.
	for s in main _Z3libi; do
		llvm-objdump -d --no-show-raw-insn --disassemble-symbols=$s $p
	done | sed -nE "s/^ +([0-9a-f]+):[[:space:]]+${jump}[[:space:]]+(0x)?([0-9a-f]+ <.*>)\$/\1 0x\3/p" |
		sed 's/_Z3libi/lib/' | sort >want
	check "$p: jumps have address, function and offset" 0 "
		prof-list --disasm '^(main|lib)\$' $p.pb.gz |
			sed -nE 's/.* ([0-9a-f]+): $jump (0x.*>)( *;.*)?\$/\1 \2/p' |
			sort >have
		[ \$(wc -l <have) -gt 5 ] && diff want have && echo same" <<'END'
same
END
done
cat >data.c <<'END'
long table[100], calls;
static long far[50];
int main(void)
{
	for (calls = 0; calls < 100; calls++)
		table[7] += far[calls % 50]++;
	return (int)table[7];
}
END
cc -g -O1 -fPIE -pie -o data data.c
profile data 0x555555554000 main | mkprof | prof-symbolize >data.pb.gz 2>.err
[ $ret = ret ] || check 'variables have names' 0 "prof-list --disasm '^main\$' data.pb.gz |
	sed -nE 's/.*%rip.*  # (0x[0-9a-f]+ <[^>]*>).*/\1/p' | sort -u | tee out |
	grep -oE '<[a-z]+[+0-9a-fx]*>' | sort -u
	nm data | awk '\$3 == \"calls\" { sub(/^0*/, \"0x\", \$1); print \$1, \"<calls>\" }' |
		grep -cxF -f - out" <<'END'
<calls>
<far>
<table+0x38>
1
END
cc -g -O1 -fno-pie -no-pie -o fixed data.c
profile fixed 0x400000 main | mkprof | prof-symbolize >fixed.pb.gz 2>.err
[ $ret = ret ] || check 'also those of absolute addresses' 0 "prof-list --disasm '^main\$' fixed.pb.gz |
	sed -nE 's/.*: mov[lq] (%r[a-z0-9]+, )?(0x[0-9a-f]+)\(,.*  # (0x[0-9a-f]+) <far>.*/\2 \3/p' |
	awk '\$1 != \$2 { print } END { print (NR > 0) }'" <<'END'
1
END
[ $ret = ret ] || check 'Intel syntax' 0 "prof-list --disasm '^main\$' --intel-syntax hot.pb.gz |
	grep -c ': push rb[xp]'" <<'END'
1
END

# --- what is not there ---

strip -o stripped hot
sed 's|/hot |/stripped |' >stripped.txt <<END
$(profile hot 0x400000 main _Z3libi)
END
mkprof <stripped.txt >stripped.raw.pb.gz
# returns PROGRAM SYMBOL...: how many instructions end these functions.
returns() {
	prog=$1
	shift
	for s; do
		llvm-objdump -d --no-show-raw-insn "$prog" | awk -v s="<$s>:" '
			/^[0-9a-f]+ </ { on = $2 == s }
			on && /[[:space:]]'$ret'/'
	done | wc -l
}
both=$(returns hot main _Z3libi)
lib=$(returns hot _Z3libi)
check 'a stripped program, by .eh_frame' 0 '
	prof-list --disasm . stripped.raw.pb.gz 2>/dev/null | grep -cw $ret
	prof-list --disasm . stripped.raw.pb.gz 2>/dev/null | sed -n 1p' <<END
$both
Total: $total
END
prof-symbolize hot.pb.gz | prof-filter --focus='^lib$' >there.pb.gz 2>.err
mv hot away
check 'no code: addresses, and why' 0 "prof-list -q --disasm '^lib\$' there.pb.gz |
	sed -n 's|$scratch|DIR|;2p;4p;5s/ [0-9a-f]*:/ ADDR:/p'" <<END
ROUTINE ======================== lib
 Error: DIR/hot: No such file or directory
        11         11     ADDR: <no code>
END
check_err 'and a line about it' 0 "prof-list -o /dev/null --disasm '^lib\$' there.pb.gz" \
	"hot: No such file or directory"
mkdir search
mv away search/hot
check 'in a search path' 0 "prof-list --disasm '^lib\$' --search-path=search there.pb.gz |
	grep -cw $ret" <<END
$lib
END

# --- JSON ---

if have python3; then
	prof-list --json --disasm 'main|lib' --search-path=search there.pb.gz >all.json
	check 'JSON' 0 'python3 -c "
import json
d = json.load(open(\"all.json\"))
f = d[\"functions\"][0]
i = f[\"instructions\"]
assert d[\"schema\"] == \"profpipe.list/1\"
assert sum(x[\"flat\"] for x in i) == f[\"flat\"]
assert all(int(a[\"address\"], 16) + a[\"size\"] == int(b[\"address\"], 16) for a, b in zip(i, i[1:]))
print(f[\"function\"], any(len(x.get(\"frames\", [])) > 1 for x in i))"' <<'END'
_Z3libi True
END
else
	skip 'JSON' 'no python3'
fi
plan
