#!/bin/sh
# prof-html and prof-flame in a real browser: views, zoom, search, links, keys,
# hostile names, the content policy, accessibility. Needs Debian's chromium-headless-shell and,
# fetched into the build folder, puppeteer-core and axe-core of npm, in the versions
# of package-lock.json.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"

need_tools 'in a browser' node npm chromium-headless-shell

modules=$bin/tests/node_modules
if [ ! -e "$modules/puppeteer-core" ] || [ ! -e "$modules/axe-core" ]; then
	cp "$src/tests/html/package.json" "$src/tests/html/package-lock.json" "$bin/tests" &&
		timeout 500 npm ci --ignore-scripts --no-audit --no-fund --prefix "$bin/tests" \
			>npm.log 2>&1 ||
		{
			# What is there in part would be taken for whole.
			rm -rf "$modules"
			skip_rest 'in a browser' "npm cannot fetch puppeteer-core and axe-core in 500 s: $(grep -m 1 reason: npm.log || head -n 1 npm.log)"
		}
fi

cat >a.txt <<'END'
# cpu nanoseconds
main;work;leaf 30
main;work 10
main;idle 20
END
cat >b.txt <<'END'
# cpu nanoseconds
main;work;leaf 30
main;fresh 25
END
cat >labels.txt <<'END'
# cpu nanoseconds
main;work 30 {user="ann"}
main;work 12 {user="bob" zone="a" pid=7582pid}
END
cat >fold.txt <<'END'
# cpu nanoseconds
main;a;b;c;d;e;left 60
main;a;b;c;d;e;right 37
main;other 3
END
# main calls work, and that, as main itself, what has no name.
cat >nameless.txt <<'END'
# cpu count
@mapping 0x400000 0x500000 0 /bin/app
@mapping 0x600000 0x700000 0 /opt/x/libfoo.so
main;work;[2]0x600010;callback 60
main;[2]0x600010 10
main;idle 30
END
printf '# cpu count\nA;B;C;A;C;x 100\nA;B;y 50\nA;z 25\n' >cycles.txt
printf '# bytes bytes count count\n@mapping 0x1000 0x2000 0 /bin/app\n@mapping 0x3000 0x4000 0 /usr/lib/libc.so\nown 9 1\n[2]malloc 1 3\n' >types.txt
printf '# cpu milliseconds\nmain;a;f 200\nmain;b;f -80\n' >signed.txt
cat >hostile.txt <<'END'
# cpu nanoseconds
main;</script><script>globalThis.hacked=1</script>;<img src=x onerror=hacked=1> 5 {key="<script>globalThis.hacked=1</script>"}
main;__proto__;constructor 3 {key="]]><b>"}
main;a\u2028b;c 4
END
awk 'BEGIN { print "# cpu nanoseconds"; for (i = 0; i < 5000; i++) print "main;f" i " " 1 + i % 3 }' >many.txt
awk 'BEGIN { print "# cpu count"; for (i = 0; i < 3000; i++) print "main;tiny" i ";malloc 10000"; print "main;big;evalframe 10000000\nmain;other 20000000" }' | mkprof >tiny.pb.gz
awk 'BEGIN { print "# cpu nanoseconds"; for (i = 0; i < 60; i++) print (i < 30 ? "main;hub;f" i : "main;g" i ";hub") " " 60 - i }' | mkprof >hub.pb.gz
for n in 80 2000; do
	awk -v n=$n 'BEGIN { s = "main"; for (i = 0; i < n; i++) s = s ";f" i; print "# cpu nanoseconds\n" s " 5" }' | mkprof >deep$n.pb.gz
done
awk 'BEGIN { print "# cpu nanoseconds"; for (i = 0; i < 200; i++) print "main;aaaaaaaaaaaaaaaaaaaaaaaaa" i " 1" }' >slow.txt
cat >src.c <<'END'
int f(int x)
{
	return x * 2; /* </td><script> */
}
END
printf '# cpu nanoseconds\n@mapping 0x1000 0x2000 0 /bin/app\nmain (%s/src.c:9);f (%s/src.c:3) 7\n' "$PWD" "$PWD" >source.txt
# Lines without a text: of a file that is not there, and behind the end of one.
printf '# cpu nanoseconds\n@mapping 0x1000 0x2000 0 /bin/app\nmain (/nowhere/src.c:9);f (/nowhere/src.c:3) 7\nmain (/nowhere/src.c:9);f (/nowhere/src.c:5) 3\nmain (/nowhere/src.c:9);h (%s/src.c:40) 2\n' "$PWD" >gone.txt
# Lines of a library, but none of own code.
printf '# cpu nanoseconds\n@mapping 0x1000 0x2000 0 /bin/app\n@mapping 0x3000 0x4000 0 /usr/lib/libc.so.6\nmain;work;[2]malloc (./malloc/malloc.c:7) 7\n' >bare.txt
# As prof-record says it of each run.
for n in 1 2 3; do
	printf '# cpu nanoseconds\n@comment # sampling: clock=cpu asked_hz=100 achieved_hz=%s ticks=9\nmain;f %s\n' 9$n $n | mkprof >run$n.pb.gz
done
# Much more of three functions, in 78 and 9594 samples.
for n in 1 123; do
	awk -v n=$n 'BEGIN { print "# samples count cpu nanoseconds"; for (i = 0; i < 78; i++) print "main;f" i % 3, n, n "0000000" }' | mkprof >times$n.pb.gz
done
# Time that was not sampled is most of the change.
for n in 9 99; do
	printf '# samples count cpu nanoseconds\nmain;f %s %s0000000\n[not sampled] 9%s 9%s0000000\n' $n $n $n $n | mkprof >unsampled$n.pb.gz
done
# Less below b, more of all.
printf '# cpu count\nmain;a;f 100\nmain;b;f 500\n' | mkprof >below1.pb.gz
printf '# cpu count\nmain;a;f 900\nmain;b;f 100\n' | mkprof >below2.pb.gz
# Of another folder, with main() two lines further down.
for v in 'a 10 300 40' 'b 12 290 8'; do
	echo $v | awk '{ m = "main (/" $1 "/x.c:" $2 ")"; print "# samples count cpu nanoseconds\n@mapping 0x1000 0x2000 0 /bin/app\n" m, $3, $3 "0000000\n" m ";count (/" $1 "/x.c:3)", $4, $4 "0000000" }' |
		mkprof >moved-${v%% *}.pb.gz
done
awk 'BEGIN { print "# cpu nanoseconds"; for (i = 0; i < 700; i++) print "main;f" i % 3 " " 1 + i % 7 " {user=\"u" i "\"}" }' >values.txt
for f in a b labels fold nameless cycles types signed hostile many slow source gone bare values; do
	mkprof $f.txt >$f.pb.gz
done
{
	prof-html -q -o cpu.html "$data/good-tiny.pb.gz" &&
	prof-html -q --no-compress -o plain.html "$data/good-tiny.pb.gz" &&
	prof-diff --diff-base a.pb.gz b.pb.gz >diff.pb.gz &&
	prof-html -q -o diff.html diff.pb.gz &&
	prof-diff --diff-base=run1.pb.gz --diff-base=run2.pb.gz run3.pb.gz | prof-html -q -o runs.html &&
	prof-html -q --no-source -o unembedded.html source.pb.gz &&
	sed 's/ 7$/ 2/' source.txt | mkprof | prof-diff source.pb.gz - | prof-html -q -o less.html &&
	prof-diff times1.pb.gz times123.pb.gz | prof-html -q -o times.html &&
	prof-diff below1.pb.gz below2.pb.gz | prof-html -q -o below.html &&
	printf '# cpu count cpu nanoseconds\nmain;f 3 7\n' | mkprof | prof-html -q --sample-index=1 -o columns.html &&
	printf '# x count\nmain (/s/main.c:1);a (/s/one.c:2) 10\nmain (/s/main.c:1);b (/s/one.c:9) 50\nmain (/s/main.c:1);c (/s/two.c:3) 40\n' | mkprof | prof-html -q --no-source -o sources.html &&
	prof-html -q -o deep.html deep80.pb.gz &&
	prof-html -q -o deepest.html deep2000.pb.gz &&
	prof-html -q --title='Build 10:30: nightly' -o build.html fold.pb.gz &&
	prof-html -q -o hub.html hub.pb.gz &&
	prof-flame --width=20000 -o wide.svg diff.pb.gz &&
	prof-diff unsampled9.pb.gz unsampled99.pb.gz | prof-html -q -o unsampled.html &&
	prof-html -q -o unsampled99.html unsampled99.pb.gz &&
	prof-diff moved-a.pb.gz moved-b.pb.gz | prof-html -q -o moved.html &&
	prof-html -q --title='</title><script>hacked=1</script>' -o hostile.html hostile.pb.gz &&
	mkbig 1000 500 300 1 | prof-html -q --no-source -o dense.html &&
	prof-html -q --max-nodes=40 --no-source -o few.html "$data/good-go-cpu.pb.gz" &&
	prof-flame -o hostile.svg hostile.pb.gz &&
	prof-flame --pivot=work -o pivot.svg a.pb.gz &&
	prof-flame -o a.svg a.pb.gz &&
	prof-flame -o signed.svg signed.pb.gz &&
	prof-flame -o tiny.svg tiny.pb.gz &&
	prof-flame --focus=big -o part.svg tiny.pb.gz &&
	mkprof b.txt | prof-flame --order=name -o b.svg &&
	prof-flame -o cpu.svg "$data/good-tiny.pb.gz"
} 2>.err || not_ok 'the files are made' <.err
# A difference with enough samples for verdicts, one of them significant.
if ! lacks 'prof-gate a -- b'; then
	for n in 1 6; do
		awk -v n=$n 'BEGIN {
			print "# samples count cpu nanoseconds"
			for (i = 0; i < 3000; i++) {
				j = (i * 7919) % 1009
				k = (i % 60 == 7 ? n : 1) + (n > 1 && j < 100) - (n > 1 && j > 900)
				if (k > 0)
					print "main;f" i % 60 ";g" i, k, k "0000000"
			}
		}' | mkprof >tested$n.pb.gz
	done
	prof-diff tested1.pb.gz tested6.pb.gz | prof-html -q -o tested.html
fi
for f in a b labels fold nameless cycles types signed many slow source gone bare values; do
	prof-html -q -o $f.html $f.pb.gz
done
# The instructions of each line of a function, as binutils know them.
if have gcc nm objdump addr2line && ! lacks 'prof-symbolize "$data"/good-tiny.pb.gz' &&
	! lacks 'prof-list --disasm=main "$data"/good-record-work.pb.gz'; then
	cat >prog.c <<'END'
unsigned hash(const char *s, int n)
{
	unsigned h = 1;
	for (int i = 0; i < n; i++)
		h = (h ^ (unsigned)s[i]) * 16777619u;
	return h;
}
int main(int argc, char **argv)
{
	return argc ? (int)hash(argv[0], argc) : 0;
}
END
	gcc -g -O0 -no-pie -o prog prog.c
	objdump -d --no-show-raw-insn prog |
		awk '/<hash>:$/ { f = 1; next } /^$/ { f = 0 } f { sub(":", "", $1); print $1 }' >code.addresses
	addr2line -e prog <code.addresses | sed 's/.*://; s/ .*//' | paste -d' ' code.addresses - >code.lines
	{
		printf '# samples count\n@mapping 0x400000 0x403000 0 %s\n' "$scratch/prog"
		awk '{ print "0x" $1, NR }' code.addresses
	} | mkprof | prof-symbolize -q | prof-html -q -o code.html
fi
# Kinds of profiles, each with the first row that prof-text prints.
first_row() {
	prof-text -q --unit=auto "$@" 2>/dev/null | awk 'f { print $1, $2, $3, $4, $5; exit } / flat% / { f = 1 }'
}
kind() {
	prof-html -q -o kind-$1.html "$2" 2>>.err && first_row "$2" >kind-$1.row
}
echo '# cpu nanoseconds' | mkprof >empty.pb.gz
printf '# cpu nanoseconds\nmain;f 7\n' | mkprof >one.pb.gz
echo 0123456789abcdef0123456789abcdef >key
prof-filter --anonymize --key key "$data/good-tiny.pb.gz" >anonymous.pb.gz
kind c "$data/good-record-work.pb.gz"
kind go "$data/good-go-cpu.pb.gz"
kind heap "$data/good-go-heap.pb.gz"
kind allocs "$data/good-go-allocs.pb.gz"
kind lock "$data/good-go-mutex.pb.gz"
kind block "$data/good-go-block.pb.gz"
kind gperf "$data/good-gperf-cpu.prof"
kind growth "$data/good-gperf-growth.txt"
kind gperfheap "$data/good-gperf-heap.txt"
kind labels labels.pb.gz
kind anonymous anonymous.pb.gz
kind empty empty.pb.gz
kind one one.pb.gz
kind hostile hostile.pb.gz
for type in alloc_objects alloc_space inuse_objects inuse_space; do
	first_row --sample-index=$type "$data/good-go-heap.pb.gz" >heap-$type.row
done
kind nosyms "$data/good-nosyms.pb.gz"
prof-text -q --trim=false --focus=main.search "$data/good-go-cpu.pb.gz" | sed -n 's/^Showing nodes accounting for .*, \([0-9.]*\)% of.*/\1/p' | awk '{ printf "%.1f\n", $1 }' >search.share
# A byte in the middle of the data.
awk '/id="data"/ { n = length($0) / 2; $0 = substr($0, 1, n) (substr($0, n + 1, 1) == "A" ? "B" : "A") substr($0, n + 2) } { print }' \
	cpu.html >damaged.html
# Cut there.
awk '/id="data"/ { print substr($0, 1, length($0) / 2); exit } { print }' cpu.html >cut.html
echo '<!DOCTYPE html><body style="margin:0"><img src="cpu.svg">' >image.htm

# What the bar says of profiles of programs, of one with few names, of none, of a part.
cat >facts.json <<'END'
["660 msCPU in 2 s | total: work68 % | total: rec30 % | line of helper: util.h:745 % | few samples: shares ±12 points","44samples | total: nofile18 % | total: both7 % | total: plain7 % | line of both: both.c:127 % | 50 % without names\nfew samples: shares ±15 points","0CPU |  | ","200 ms30.3 %of 660 ms CPU | total: rec30 % | line of rec: rec.c:5530 % | few samples: shares ±12 points","00 %of 660 ms CPU |  | few samples: shares ±12 points","780 msCPU in 938 ms | total: main.order44 % | total: main.search35 % | total: runtime.asyncPreempt27 % | line of main.search: gowork.go:7132 % | few samples: shares ±11 points","1.35 sCPU in 4.97 s | no function has a name: prof-symbolize finds them | no lines: prof-symbolize finds them | 100 % without names\nfew samples: shares ±5 points","4.33 MBin use | total: main.allocate98 % | line of main.allocate: gowork.go:15692 % | ","40.8 mswaiting | total: main.hold100 % | line of main.hold: gowork.go:120100 % | "]
END
in_browser() {
	timeout 900 node "$src/tests/html/$1" "$modules" "$(command -v "$2")" "$PWD" ${SHOTS:+"$SHOTS"} >lines 2>.err
	[ $? -eq 0 ] && ok "$2 ran to the end" || not_ok "$2 ran to the end" <.err
	while IFS= read -r line; do
		case $line in
		'ok '*) ok "${line#ok }" ;;
		*)
			line=${line#not ok }
			echo "${line#*: }" | not_ok "${line%%: *}"
			;;
		esac
	done <lines
}
in_browser page-browser.mjs chromium-headless-shell
if [ -z "$long" ]; then
	skip 'the same in Firefox' 'make check-long'
elif have firefox-esr; then
	in_browser page-firefox.mjs firefox-esr
else
	skip 'the same in Firefox' 'no firefox-esr'
fi
plan
