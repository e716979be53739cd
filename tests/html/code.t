#!/bin/sh
# prof-html: source text and instructions in the page, and the verdicts on
# differences; the numbers against prof-list and prof-gate.
. "${srcdir:-.}/tests/lib/tap.sh"

need_disassembly 'code in the page'
need_tools 'code in the page' gcc nm node readelf

js=$src/cmd/html/js
cat >prog.c <<'END'
static inline unsigned mix(unsigned h, unsigned c)
{
	h ^= c;
	return h * 16777619u;
}
__attribute__((noinline)) unsigned hash(const char *s, int n)
{
	unsigned h = 1; /* </script><b> */
	for (int i = 0; i < n; i++)
		h = mix(h, (unsigned)s[i]);
	return h;
}
int main(int argc, char **argv)
{
	return argc ? (int)hash(argv[0], argc) : 0;
}
END
gcc -g -O2 -fno-tree-vectorize -no-pie -o prog prog.c || exit 99

# A sample at each instruction of hash(), called from main().
{
	echo '# samples count cpu nanoseconds'
	printf '@mapping 0x400000 0x403000 0 %s\n' "$scratch/prog"
	main=$(nm prog | sed -n 's/^0*\([0-9a-f]*\) T main$/\1/p')
	hash=$(nm prog | sed -n 's/^0*\([0-9a-f]*\) T hash$/\1/p')
	size=$(nm -S prog | sed -n 's/^[0-9a-f]* 0*\([0-9a-f]*\) T hash$/\1/p')
	i=0
	while [ $i -lt $((0x$size)) ]; do
		printf '0x%x;0x%x %d %d {user="%s"}\n' $((0x$main + 5)) \
			$((0x$hash + i)) $((i + 1)) $((i * 1000)) "u$((i % 2))"
		i=$((i + 1))
	done
} >prog.txt
mkprof prog.txt | prof-symbolize -q >prog.pb.gz 2>.err || not_ok 'the profile' <.err
prof-html -q prog.pb.gz >prog.html

# disasm OPTIONS: address, flat and cum of instructions, as prof-list has them.
disasm() {
	prof-list -q --disasm='^hash$' --unit=count "$@" prog.pb.gz 2>.err |
		sed -nE 's/^ +([^ ]+) +([^ ]+) +([0-9a-f]+): .*/\3 \1 \2/p' |
		awk '$2 != "." || $3 != "." { gsub(/\./, "0"); print $1 "\t" $2 "\t" $3 }' | sort
}
while IFS='|' read -r page list; do
	# shellcheck disable=SC2086 # words
	disasm --sample-index=samples $list >want
	node "$src/tests/html/page-rows.mjs" "$js" prog.html "insns=1&si=samples&$page" 2>.err | sort >got
	if [ -s want ] && cmp -s want got; then
		ok "instructions cost what prof-list --disasm says: ${list:-all}"
	else
		diff want got | head | cat - .err | not_ok "instructions cost what prof-list --disasm says: ${list:-all}"
	fi
done <<'END'
|
tf=u1|--tagfocus=u1
f=mix|--focus=mix
END

# data OPTIONS FILE: the data of the page, as it lies there.
cat >data <<'END'
#!/bin/sh
prof-html -q --no-compress "$@" | sed -n 's/.*data-z="0">\([^<]*\)<.*/\1/p' | base64 -d
END
chmod +x data
check 'source text and instructions are in the page' 0 \
	'./data prog.pb.gz >p; grep -ac "h = mix(h, (unsigned)s\[i\]);" p; grep -ac "\"i*mul[^\"]*\",[0-9]*\]" p; grep -c "<b>" prog.html; :' <<'END'
1
1
0
END
# hash() has samples of its own, but main() called what took longer.
printf '@mapping 0x400000 0x403000 0 %s\n@mapping 0x500000 0x501000 0 /usr/lib/libx.so\n0x%x;0x500100 9\n0x%x;0x%x 5\n' \
	"$scratch/prog" $((0x$main + 5)) $((0x$main + 5)) "0x$hash" |
	sed '1i # samples count' | mkprof | prof-symbolize -q >own.pb.gz
check 'instructions of own code that calls what is hot' 0 \
	'./data --asm=1 own.pb.gz | grep -ao "{\"name\":\"[a-z]*\",\"object\""' <<'END'
{"name":"main","object"
END
for what in '--no-source' '--asm=0 --source=0'; do
	check "$what leaves both out" 0 "./data $what prog.pb.gz | grep -a 'mix(h,\|imul'; :" </dev/null
done
echo 0123456789abcdef0123456789abcdef >key
check 'an anonymized profile has neither' 0 \
	'prof-filter --anonymize --key key prog.pb.gz >anon.pb.gz; ./data anon.pb.gz | grep -a "mix(h,\|imul"; :' </dev/null
# The profile names a file of this user elsewhere: only what is below the working
# folder, or what the binary's debugging information names, is in the page.
mkdir -p away
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
sed "s|^@mapping.*|& $id|" prog.txt | mkprof | prof-symbolize -q >id.pb.gz
check 'from elsewhere: a source that the binary names' 0 \
	'chmod 644 prog.c; cd away && ../data ../id.pb.gz | grep -ac "h = mix(h, (unsigned)s"
	../data ../prog.pb.gz | grep -ac "h = mix(h, (unsigned)s"; :' <<'END'
1
0
END
check 'not embedded: one that others may not read' 0 \
	'chmod 600 prog.c; cd away && ../data ../id.pb.gz | grep -ac "h = mix(h, (unsigned)s"; :' <<'END'
0
END
check 'with --source-path' 0 \
	'cd away && ../data --source-path="${PWD%/away}" ../prog.pb.gz | grep -ac "h = mix(h, (unsigned)s"' <<'END'
1
END
printf '# cpu nanoseconds\nmain (%s/secret.txt:1) 7\n' "$PWD" | mkprof >secret.pb
echo 'a key that nobody names' >secret.txt
chmod 600 secret.txt
check 'not embedded: a file for its user only, which the profile names and no binary' 0 \
	'cd away && ../data ../secret.pb | grep -ac "a key that nobody names"; cd .. && ./data secret.pb | grep -ac "a key that nobody names"' <<'END'
0
1
END
# Own code by total, libraries by self; of a long function what is near its cost.
seq -f 'line %g' 1000 >long.c
printf '# cpu nanoseconds\n@mapping 0x1000 0x2000 0 /bin/app\n@mapping 0x3000 0x4000 0 /usr/lib/libz.so\n%s\n%s\n%s\n' \
	"main ($PWD/long.c:10);work ($PWD/long.c:500);[2]deflate ($PWD/long.c:30) 990" \
	"main ($PWD/long.c:10);work ($PWD/long.c:900) 8" "main ($PWD/long.c:10);rare ($PWD/long.c:40) 1" | mkprof >long.pb
cat >texts <<'END'
#!/bin/sh
prof-html "$@" >texts.html && node "$src/tests/html/page-rows.mjs" "$src/cmd/html/js" texts.html 'source=1&g=lines'
END
chmod +x texts
check 'the source of own functions by total, then of others by self' 0 \
	'for n in 1 2 9; do ./texts -q --source=$n long.pb | sed -n "s/^= \([a-z]*\).*/\1/p" | paste -s -d" "; done' <<'END'
main
main work
main work deflate
END
check 'those asked for come first, of any size' 0 \
	'./texts -q --source=rare --source-size=0 long.pb | sed -n "s/^= \([a-z]*\) .*long\.c/\1/p"' <<'END'
rare
main no room was left (--source-size)
work no room was left (--source-size)
deflate no room was left (--source-size)
END
check_err 'a pattern of no function' 2 'prof-html --source=nobody long.pb' 'no matches found for regexp: nobody'
check_err 'there is room for 300 bytes' 0 './texts --source-size=300 long.pb >left' \
	'the source of 1 function is left out: --source-size allows more'
check 'of a long function there are the lines near its cost' 0 \
	'./texts -q long.pb | sed -n "/= work/,/^= def/s/.* \([0-9]*\):line .*/\1/p" | awk "NR == 1 { first = \$1 } \$1 > last + 1 && NR > 1 { print first \"-\" last; first = \$1 } { last = \$1 } END { print first \"-\" last }"' <<'END'
495-540
900-900
END
# Eight functions of 3,600 instructions: 512 KiB hold three of them.
seq 1 1200 | sed 's/.*/x = x * 5;/' >body.h
seq 1 8 | sed 's/.*/__attribute__((noinline)) void f&(volatile int x) {\n#include "body.h"\n}/' >big.c
echo 'int main(void) { return 0; }' >>big.c
gcc -O1 -no-pie -o big big.c || exit 99
{
	printf '# samples count\n@mapping 0x400000 0x4f0000 0 %s\n' "$scratch/big"
	nm big | sed -n 's/^0*\([0-9a-f]*\) T f\([0-9]\)$/0x\1 10\2/p'
} | mkprof | prof-symbolize -q >big.pb.gz
check 'of large functions, as many as there is room for, the heaviest first' 0 \
	'./data big.pb.gz | sed -n "s/^.*{\"name\":\"\(f[0-9]\)\",\"object\".*\"why\":\"\([a-z ]*\).*/\1 \2/p"; prof-html -o big.html big.pb.gz 2>&1
	./data -q "--source=^f1$" big.pb.gz | grep -a "{\"name\":\"f[12]\",\"object\"" | grep -c "no room"' <<'END'
f1 no room was left
f2 no room was left
f3 no room was left
f4 no room was left
f5 no room was left
f6 
f7 
f8 
prof-html: the instructions of 5 functions are left out: --source=REGEX has them
1
END
mv prog gone
check 'without the binary there are no instructions, and no message' 0 \
	'./data prog.pb.gz 2>&1 | grep -a imul; :' </dev/null
mv gone prog

# --- verdicts of a difference

if lacks 'prof-gate "$data"/good-go-cpu.pb.gz -- "$data"/good-go-cpu.pb.gz'; then
	skip 'verdicts' 'this build has no prof-gate'
else
	for side in a b; do
		awk -v side=$side 'BEGIN {
			print "# samples count cpu nanoseconds\n@period cpu ns 1000"
			for (i = 0; i < 60; i++) {
				n = 1000 + i % 7 * 3 + (side == "b" ? i % 5 * 4 : 0)
				if (side == "b" && i == 11)
					n *= 3
				if (side == "b" && i == 12)
					n /= 3
				print "main;f" i " " int(n) " " int(n) * 1000
			}
		}' | mkprof >$side.pb.gz
	done
	prof-diff --diff-base a.pb.gz b.pb.gz >d.pb.gz
	prof-gate --exact-names --json a.pb.gz -- b.pb.gz >gate.json 2>.err
	node -e 'const g = JSON.parse(require("fs").readFileSync("gate.json"));
		const words = {suspect: 1, regressed: 1, improved: -1};
		for (const f of g.functions)
			if (words[f.verdict])
				console.log(f.name + " " + words[f.verdict]);' 2>>.err | sort >want
	./data d.pb.gz | sed -n 's/.*\["\([^"]*\)",\([-0-9]*\),[^,]*,\([-0-9]*\),.*/\1 \2 \3/p' |
		awk '$2 % 2 || $3 % 2 { print $1, $2 % 2 ? $2 : $3 }' | sort >got
	if grep -q 'f11 1' want && cmp -s want got; then
		ok 'the page says of a difference what prof-gate says'
	else
		diff want got | cat - .err | not_ok 'the page says of a difference what prof-gate says'
	fi
	check 'a profile has no verdicts' 0 './data a.pb.gz | grep -a "\"alpha\""; :' </dev/null
fi
plan
