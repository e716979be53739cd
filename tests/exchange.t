#!/bin/sh
# prof-import and prof-export: formats of other tools, in, out, and out and in
# again. Recordings of perf are in import-perf.t.
. "${srcdir:-.}/tests/tap.sh"

# again NAME FORMAT PROFILE [OPTION...]: what is written is read as the same.
again() {
	tap_name=$1 tap_to=$2 tap_file=$3
	shift 3
	prof-export --to "$tap_to" "$@" "$tap_file" >first 2>.err &&
		prof-import -q first >back 2>>.err &&
		prof-export --to "$tap_to" "$@" back >second 2>>.err
	if [ -s first ] && cmp -s first second && [ ! -s .err ]; then
		ok "$tap_name"
	else
		{ cat .err; diff first second | head; } | not_ok "$tap_name"
	fi
}

mkprof >p <<'END'
# samples count cpu nanoseconds
main (a.c:1)=>work (a.c:7)=>leaf (b.c:3) 3 3000000 {thread="one"}
main (a.c:1)=>work (a.c:7) 1 1000000 {thread="two" bytes=16bytes}
main (a.c:1) 2 2000000
END
[ -s p ] || cp "$data/good-tiny.pb.gz" p

# --- folded stacks ---

printf 'main;work;leaf 3\r\nmain;a b\t4\n# no stack\n\nmain;;x 2\n' >plain
check 'folded: carriage returns, tabs, comments, empty frames' 0 \
	'prof-import plain | prof-export --to folded --sort' <<'END'
main;;x 2
main;a b 4
main;work;leaf 3
END
printf 'main;work_[k] 3\nmain;outer;in_[i];inner_[i] 2\nmain;jit_[j] 1\n' >marked
check 'folded: suffixes are kernel, inlined, jitted' 0 \
	'prof-import marked | prof-export --to folded --sort --annotate' <<'END'
main;jit_[j] 1
main;outer;in_[i];inner_[i] 2
main;work_[k] 3
END
printf 'a;b 1 2\na;c 5 0\na;d 3 3\n' >two
check 'folded: two numbers are before and after' 0 \
	'prof-import --diff two | prof-export --to folded --diff --sort' <<'END'
a;b 1 2
a;c 5 0
a;d 3 3
END
check_err 'folded: a difference has negative values' 2 \
	'prof-import --diff two | prof-export --to folded' 'negative'
check_err 'folded: fractions need --scale' 2 'printf "a;b 1.5\n" | prof-import' \
	'line 1: a fraction'
check 'folded: --scale' 0 \
	'printf "a;b 1.5\na 2\n" | prof-import --scale 1000 --type cpu/microseconds |
		prof-text --raw | sed -n 3,5p' <<'END'
cpu/microseconds
       2000: 1 
       1500: 2 1 
END
check_err 'folded: a line that is none' 2 'printf "a;b 1\nrubbish\n" | prof-import' \
	'line 2: no number at its end'
check 'folded: --skip-bad' 0 \
	'printf "a;b 1\nrubbish\n" | prof-import --skip-bad 2>/dev/null | prof-export --to folded' <<'END'
a;b 1
END
check 'folded: places of py-spy' 0 \
	'printf "run (a.py:3);f (b.py:12) 4\n" | prof-import --frames py |
		prof-text --traces --lines 2>/dev/null | grep -o "[a-z]* [a-z]*\.py:.*"' <<'END'
f b.py:12
run a.py:3
END
check 'folded: --root is a label, in and out' 0 \
	'printf "bash;f 4\nsh;f 5\n" | prof-import --root process |
		prof-export --to folded --root process --sort' <<'END'
bash;f 4
sh;f 5
END
again 'folded: with headers labels and columns come back' folded p --headers --sort
prof-export --to folded --sort p >ours
prof-text --folded p | sort >theirs
cmp -s ours theirs && ok 'folded: what prof-text --folded prints' ||
	diff ours theirs | not_ok 'folded: what prof-text --folded prints'
if have flamegraph.pl; then
	prof-export --to folded p | flamegraph.pl 2>.err | grep -o 'main ([0-9,]* samples, 100%)' >total
	[ -s total ] && [ ! -s .err ] && ok 'folded: flamegraph.pl reads every line' ||
		cat .err | not_ok 'folded: flamegraph.pl reads every line'
else
	skip 'folded: flamegraph.pl reads every line' 'no flamegraph.pl'
fi

# --- perf script ---

cat >script <<'END'
# ========
# captured on    : Sun Nov 22 02:15:01 2026
# ========
#
my prog 27709/27754 [001]  2157.480061:    1003009 cpu-clock:u:
	            11d9 leaf(int)+0x9 (/tmp/my (odd) prog)
	            1300 inner (inlined)
	            1323 main+0x13 (/tmp/my (odd) prog)
	ffffffff81000010 read_zero ([kernel.kallsyms])

other   12  2157.490000:    2000000 cpu-clock:u:
	               0 [unknown] ([unknown])

END
check 'perf script: names with blanks, inlined frames, the kernel' 0 \
	'prof-import script | prof-text --raw | sed "/Period/d;/Comment/d"' <<'END'
Samples:
samples/count cpu/nanoseconds
          1    1003009: 2 1 3 
                process:[my prog]
                pid:[27709]
          1    2000000: 4 
                process:[other]
Locations
     1: 0x0 M=1 inner :0:0 s=0
             main :0:0 s=0
     2: 0x0 M=1 leaf(int) :0:0 s=0
     3: 0x0 M=2 read_zero :0:0 s=0
     4: 0x0 [unknown] :0:0 s=0
Mappings
1: 0x0/0x0/0x0 /tmp/my (odd) prog  [FN]
2: 0x0/0x0/0x0 [kernel.kallsyms]  [FN]
END
printf 'w 5/5 1.5: 7 cpu-clock: 11d9 leaf (/bin/w)\nw 5/5 1.6: 8 cpu-clock: 11d9 leaf (/bin/w)\n' >flat
check 'perf script: without call chains' 0 \
	'prof-import flat | prof-export --to folded' <<'END'
leaf 15
END

# --- speedscope ---

prof-export --to speedscope p >out.json
have python3 && python3 - >sums <<'END'
import json
d = json.load(open("out.json"))
frames = d["shared"]["frames"]
assert len({json.dumps(f) for f in frames}) == len(frames)
for p in d["profiles"]:
    assert len(p["samples"]) == len(p["weights"])
    assert p["endValue"] == sum(p["weights"])
    print(p["name"], p["unit"], p["endValue"])
    for s, w in zip(p["samples"], p["weights"]):
        print(";".join(frames[f]["name"] for f in s), w)
print(d["profiles"][d["activeProfileIndex"]]["name"])
END
if have python3; then
	{
		echo samples none 6
		prof-export --to folded --sample-index samples p
		echo cpu nanoseconds 6000000
		prof-export --to folded p
		echo cpu
	} >want
	cmp -s want sums && ok 'speedscope: every column, stack and weight' ||
		diff want sums | not_ok 'speedscope: every column, stack and weight'
else
	skip 'speedscope: every column, stack and weight' 'no python3'
fi
check 'speedscope: a profile for each value of a label' 0 \
	'prof-export --to speedscope --split-by thread p | grep -o "\"name\":\"[^\"]* / cpu\"" | sort' <<'END'
"name":"one / cpu"
"name":"two / cpu"
END
check_err 'speedscope: no negative values' 2 \
	'prof-import --diff two | prof-export --to speedscope' 'speedscope cannot hold'
check_err 'an unknown format' 2 'prof-export --to nothing p' "'nothing' is no format"
check_err 'no format' 2 'prof-export p' 'name it with --to'

# --- fuzz targets, over these files ---

for f in plain marked two script flat out.json first; do
	printf '\000' >"fuzz.$f"
	cat "$f" >>"fuzz.$f"
done
check 'fuzz-foreign: these files' 0 'fuzz-foreign fuzz.* 2>/dev/null' <<'END'
END
plan
