#!/bin/sh
# prof-list: source lines with their values, and where sources are found.
# Comparisons with pprof are in list-referee.t.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/pages.sh"

tiny=$data/good-tiny.pb.gz
export tiny scratch
mkdir -p demo/cwd
cd demo/cwd || exit 99
# numbered NAME LINES TEXT: a source whose lines say where they are.
numbered() {
	seq -f "$3 %g" "$2" >"$1"
}
numbered ../work.c 60 'work line'
numbered ../main.c 30 '	main line'
numbered ../util.h 12 'util line'

check 'a function' 0 'prof-list leaf --trim-path=/src/demo $tiny' <<'END'
Total: 660ms
ROUTINE ======================== leaf in work.c
     100ms      400ms (flat, cum) 60.61% of Total
         .          .     40:work line 40
         .          .     41:work line 41
         .          .     42:work line 42
         .          .     43:work line 43
         .      300ms     44:work line 44
         .          .     45:work line 45
     100ms      100ms     46:work line 46
         .          .     47:work line 47
         .          .     48:work line 48
         .          .     49:work line 49
         .          .     50:work line 50
         .          .     51:work line 51
END
prof-list leaf --trim-path=/src/demo "$tiny" >leaf

check 'the pattern in an option, and the profile from a pipe' 0 \
	'prof-list --trim-path=/src/demo --list=leaf <$tiny | cmp - leaf' <<'END'
END

check 'a file that is missing: why, and its values' 0 \
	'prof-list -q rec $tiny' <<'END'
Total: 660ms
ROUTINE ======================== rec in /src/demo/rec.c
     200ms      200ms (flat, cum) 30.30% of Total
 Error: open /src/demo/rec.c: no such file or directory
     200ms      200ms     55:<no source>
END
prof-list rec "$tiny" 2>&1 >/dev/null | grep -v 1.source >.err
check 'one line says that it is missing' 0 'cat .err' <<'END'
END
check_err 'and how many functions match' 0 \
	'prof-list -v -o /dev/null . $tiny 2>&1 | grep match >&2' 'functions match .'
check_err 'and with -v where it was looked for' 0 \
	'prof-list -v -o /dev/null --source-path=/none rec $tiny' \
	'looked at /src/demo/rec.c, /none/src/demo/rec.c, /none/demo/rec.c, /none/rec.c'

# A function that is inlined from another place has values above its start, and
# the file may have fewer lines than the profile knows.
cat >early.textproto <<'END'
string_table: ["", "n", "count", "push_back", "../work.c"]
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 1 }
sample { location_id: 2 value: 2 }
sample { location_id: 3 value: 4 }
sample { location_id: 4 value: 8 }
location { id: 1 line { function_id: 1 line: 20 } }
location { id: 2 line { function_id: 1 line: 3 } }
location { id: 3 line { function_id: 1 line: 46 } }
location { id: 4 line { function_id: 1 line: 90 } }
function { id: 1 name: 3 filename: 4 start_line: 44 }
END
if have protoc; then
	protoc -I"$src/proto" --encode=perftools.profiles.Profile profile.proto \
		<early.textproto >early.pb
	check 'values above the first line and below the last' 0 \
		'prof-list push_back early.pb | sed 1,3d' <<'END'
         2          2      3:work line 3
                         ...
         1          1     20:work line 20
                         ...
         .          .     44:work line 44
         .          .     45:work line 45
         4          4     46:work line 46
         .          .     47:work line 47
         .          .     48:work line 48
         .          .     49:work line 49
         .          .     50:work line 50
         .          .     51:work line 51
         .          .     52:work line 52
         .          .     53:work line 53
         .          .     54:work line 54
         .          .     55:work line 55
         .          .     56:work line 56
         .          .     57:work line 57
         .          .     58:work line 58
         .          .     59:work line 59
         .          .     60:work line 60
         8          8     90:<beyond the end of ../work.c (60 lines)>
END
else
	skip 'values above the first line and below the last' 'no protoc'
fi
check_err 'the profile in the place of the pattern' 2 'prof-list $tiny rec' \
	'is a profile in the place of REGEX: use prof-list rec'
check_err 'a profile alone' 2 'prof-list $tiny </dev/null' 'use prof-list REGEX '

check_err 'no match' 2 'prof-list zzz $tiny' 'no matches found for regexp: zzz'
check_err 'names only, not addresses' 2 'prof-list 0x403000 $tiny' \
	'no matches found for regexp: 0x403000'
check_err 'a bad pattern' 2 'prof-list "(" $tiny' \
	'parsing argument regexp: missing closing'
check_err 'no pattern' 2 'prof-list <$tiny' 'no REGEX'
check_err 'no map' 2 'prof-list --map x . $tiny' "'x' is not FROM=TO"

# --- lines that a file does not have ---

mkprof >lines.pb.gz <<'END'
# samples count cpu nanoseconds
f (work.c:3) 1 10000000
f (work.c:30);f (work.c:3) 2 20000000
f (work.c:75) 4 40000000
z (work.c:0) 8 80000000
none 16 160000000
both 1 10000000
both (work.c:2) 1 10000000
END
check 'values beyond the end of the file' 0 \
	'prof-list "^f$" lines.pb.gz | grep -v "  \. *[0-9]*:"' <<'END'
Total: 330ms
ROUTINE ======================== f in work.c
      70ms       70ms (flat, cum) 21.21% of Total
      30ms       30ms      3:work line 3
         .       20ms     30:work line 30
      40ms       40ms     75:<beyond the end of work.c (60 lines)>
END
check 'values without a line' 0 'prof-list "^z$" lines.pb.gz' <<'END'
Total: 330ms
ROUTINE ======================== z in work.c
      80ms       80ms (flat, cum) 24.24% of Total
      80ms       80ms      0:<no line number>
         .          .      1:work line 1
         .          .      2:work line 2
         .          .      3:work line 3
         .          .      4:work line 4
         .          .      5:work line 5
END
check 'no file at all' 0 'prof-list none lines.pb.gz' <<'END'
Total: 330ms
No source information for none
     160ms      160ms      0:<no line number>
END
check 'no file at one of two places' 0 'prof-list both lines.pb.gz' <<'END'
Total: 330ms
No source information for both
      10ms       10ms      0:<no line number>
ROUTINE ======================== both in work.c
      10ms       10ms (flat, cum)  3.03% of Total
         .          .      1:work line 1
      10ms       10ms      2:work line 2
         .          .      3:work line 3
         .          .      4:work line 4
         .          .      5:work line 5
         .          .      6:work line 6
         .          .      7:work line 7
END
check 'the mean, of lines too' 0 \
	'prof-list --mean "^f$" lines.pb.gz | grep -v "  \. *[0-9]*:"' <<'END'
Total: 10ms
ROUTINE ======================== f in work.c
      10ms       10ms (flat, cum)   100% of Total
      10ms       10ms      3:work line 3
         .       10ms     30:work line 30
      10ms       10ms     75:<beyond the end of work.c (60 lines)>
END
mkprof >recursion.pb.gz <<'END'
# samples count
f (work.c:10);f (work.c:12);f (work.c:10);f (work.c:12);f (work.c:10) 1
END
check 'recursion is counted once' 0 \
	'prof-list f recursion.pb.gz | grep -v "  \. *[0-9]*:"' <<'END'
Total: 1
ROUTINE ======================== f in work.c
         1          1 (flat, cum)   100% of Total
         1          1     10:work line 10
         .          1     12:work line 12
END

# --- text ---

printf 'one\r\n\ttwo\001\377\033[31m\n\nlast' >text.c
mkprof >text.pb.gz <<'END'
# samples count
f (text.c:2) 1
END
printf 'Total: 1\nROUTINE ======================== f in text.c\n         1          1 (flat, cum)   100%% of Total\n         .          .      1:one\n         1          1      2:\ttwo\001\377\033[31m\n         .          .      3:\n         .          .      4:last\n' >text.want
check 'bytes as they are, into a file' 0 'cat text.want' <text.want
check 'and nothing else' 0 'prof-list f text.pb.gz | cmp - text.want' <<'END'
END
if have script; then
	env NO_COLOR=1 TERM=xterm script -qec 'prof-list f text.pb.gz' /dev/null \
		</dev/null | tr -d '\r' | sed -n 5p >terminal
	check 'masked on a terminal' 0 'cat terminal' <<'END'
         1          1      2:	two\x01\xff\x1b[31m
END
	env -u NO_COLOR TERM=xterm script -qec 'prof-list f text.pb.gz' /dev/null \
		</dev/null | tr -d '\r' >terminal
	sed 's/\x1b\[[0-9;]*m//g' terminal >plain
	NO_COLOR=1 TERM=xterm script -qec 'prof-list f text.pb.gz' /dev/null \
		</dev/null | tr -d '\r' | cmp - plain >.err 2>&1 &&
		[ "$(grep -c '\[1;31m' terminal)" = 1 ] &&
		ok 'hot lines are coloured, and nothing else' ||
		cat -v terminal .err | not_ok 'hot lines are coloured, and nothing else'
else
	skip 'masked on a terminal' 'no script(1)'
fi
{
	echo first
	head -c 70000 /dev/zero | tr '\0' x
	printf '\nlast\n'
} >long.c
mkprof >long.pb.gz <<'END'
# samples count
f (long.c:3) 1
END
check 'a line of 70,000 bytes' 0 'prof-list f long.pb.gz | cut -c1-30' <<'END'
Total: 1
ROUTINE ======================
         1          1 (flat, c
         .          .      1:f
         .          .      2:x
         1          1      3:l
END

# --- where sources are ---

# finds NAME COMMAND: is work.c found?
finds() {
	check "$1" 0 "$2 | grep -c 'work line 44'" <<'END'
1
END
}
mkdir -p ../../else/build/src/demo ../../else/packed
cp ../work.c ../../else/build/src/demo
gzip -c ../work.c >../../else/packed/work.c.gz
finds 'in a folder of the path that has the same name' \
	'(cd .. && prof-list leaf $tiny)'
finds 'with --map' 'prof-list --map /src=../../else/build/src leaf $tiny'
finds 'with --map of the root' 'prof-list --map /=../../else/build/ leaf $tiny'
finds 'with the second --map' \
	'prof-list --map /sr=/none --map /src/demo/=.. leaf $tiny'
finds 'by a suffix below --source-path' \
	'(cd / && prof-list --source-path="/none:$scratch/else/build/src" leaf $tiny)'
finds 'packed by gzip' \
	'(cd / && prof-list --source-path="$scratch/else/packed" leaf $tiny)'
if have zstd && ! lacks 'prof-text "$data"/good-tiny.pb.zst'; then
	mkdir ../../else/zst
	zstd -q ../work.c -o ../../else/zst/work.c.zst
	finds 'packed by zstd' \
		'(cd / && prof-list --source-path="$scratch/else/zst" leaf $tiny)'
else
	skip 'packed by zstd' 'no zstd'
fi
check 'relative to --source-path, and its parents' 0 '
	for d in . .. "$scratch/demo/cwd" /none:..; do
		prof-list -q --source-path="$d" "^f$" lines.pb.gz | grep -c "work line 3$\|could not"
	done' <<'END'
1
1
1
1
END
check 'a dot has no parent' 0 '
	prof-list -q --source-path=. "^f$" lines.pb.gz | sed -n 4p' <<'END'
 Error: could not find file work.c on path .
END

# A module cache of Go: unpacked, and as it was downloaded.
mkdir -p mod/example.com/!big@v1.0.0
cp ../work.c mod/example.com/!big@v1.0.0/work.c
mkprof >mod.pb.gz <<'END'
# samples count
f (example.com/Big@v1.0.0/work.c:44) 1
END
finds 'in the module cache of Go' 'GOMODCACHE=$PWD/mod prof-list f mod.pb.gz'
if have python3; then
	mkdir -p zip/cache/download/example.com/!big/@v
	for how in STORED DEFLATED; do
		python3 - $how <<'END'
import sys, zipfile
f = "zip/cache/download/example.com/!big/@v/v1.0.0.zip"
z = zipfile.ZipFile(f, "w", getattr(zipfile, "ZIP_" + sys.argv[1]))
z.writestr("example.com/Big@v1.0.0/go.mod", "module x\n")
z.write("../work.c", "example.com/Big@v1.0.0/work.c")
END
		finds "in an archive of the module cache: $how" \
			'GOMODCACHE=$PWD/zip prof-list f mod.pb.gz'
	done
else
	skip 'in an archive of the module cache' 'no python3'
fi

# --- files that are no sources ---

mkprof >odd.pb.gz <<'END'
# samples count
a (odd/pipe:1) 1
b (odd/dir:1) 1
c (odd/sparse:1) 1
d (odd/binary:1) 1
e (odd/empty:1) 1
END
mkdir -p odd/dir
mkfifo odd/pipe
truncate -s 10G odd/sparse
printf 'a\0b\n' >odd/binary
: >odd/empty
check 'files that are no sources' 0 \
	'prof-list -q --source-path=. . odd.pb.gz | grep ":<\|Error"' <<'END'
 Error: open ./odd/pipe: not a regular file
         1          1      1:<no source>
 Error: open ./odd/dir: is a directory
         1          1      1:<no source>
 Error: open ./odd/sparse: larger than 64 MiB
         1          1      1:<no source>
 Error: open ./odd/binary: not a text file
         1          1      1:<no source>
         1          1      1:<beyond the end of odd/empty (0 lines)>
END

# --- JSON ---

check 'JSON' 0 'prof-list --json -q "leaf|rec" --trim-path=/src/demo $tiny |
	sed "s/\"profile\": {[^}]*}/\"profile\": {}/; /\"line\": 4[89]/d; s|$scratch/demo/|DIR/|"' <<'END'
{"schema": "profpipe.list/1",
 "profile": {},
 "type": "cpu", "unit": "nanoseconds", "mean": false, "total": 660000000,
 "filters": [],
 "functions": [
  {"function": "leaf", "file": "work.c", "path": "DIR/work.c", "flat": 100000000, "cum": 400000000,
   "lines": [
    {"line": 40, "flat": 0, "cum": 0, "text": "work line 40"},
    {"line": 41, "flat": 0, "cum": 0, "text": "work line 41"},
    {"line": 42, "flat": 0, "cum": 0, "text": "work line 42"},
    {"line": 43, "flat": 0, "cum": 0, "text": "work line 43"},
    {"line": 44, "flat": 0, "cum": 300000000, "text": "work line 44"},
    {"line": 45, "flat": 0, "cum": 0, "text": "work line 45"},
    {"line": 46, "flat": 100000000, "cum": 100000000, "text": "work line 46"},
    {"line": 47, "flat": 0, "cum": 0, "text": "work line 47"},
    {"line": 50, "flat": 0, "cum": 0, "text": "work line 50"},
    {"line": 51, "flat": 0, "cum": 0, "text": "work line 51"}]},
  {"function": "rec", "file": "rec.c", "error": "could not find file rec.c on path DIR/cwd", "flat": 200000000, "cum": 200000000,
   "lines": [
    {"line": 55, "flat": 200000000, "cum": 200000000}]}]}
END
if have python3; then
	prof-list --json -q . lines.pb.gz text.pb.gz >all.json
	check 'JSON that is JSON' 0 'python3 -c "
import json
d = json.load(open(\"all.json\"))
for f in d[\"functions\"]:
	assert f[\"flat\"] <= sum(l[\"flat\"] for l in f[\"lines\"])
print([f[\"function\"] for f in d[\"functions\"]])"' <<'END'
['both', 'both', 'f', 'f', 'none', 'z']
END
else
	skip 'JSON that is JSON' 'no python3'
fi

# --- the examples of the manual page ---

cp "$tiny" cpu.pb.gz
cp "$data/good-old.pb.gz" old.pb.gz
cp "$data/good-new.pb.gz" new.pb.gz
for e in "prof-list '^main\$' cpu.pb.gz" \
	'prof-list --map /build/app=$HOME/src/app Encode cpu.pb.gz' \
	"prof-list --json . cpu.pb.gz | jq '[.functions[] | {function, file} + .lines[]] | max_by(.flat)'" \
	'prof-diff old.pb.gz new.pb.gz | prof-list Encode' \
	"prof-list --disasm '^main\$' cpu.pb.gz" \
	'prof-list --debuginfod=https://debuginfod.debian.net qsort cpu.pb.gz' \
	'prof-list --weblist Encode cpu.pb.gz > encode.html'; do
	shown prof-list.1 | grep -qxF -- "$e" &&
		ok "the page has: $e" || echo "$e" | not_ok "the page has: $e"
done
check 'of one function' 0 "prof-list -q '^main\$' cpu.pb.gz | sed 1,2d" <<'END'
      10ms      660ms (flat, cum)   100% of Total
 Error: open /src/demo/main.c: no such file or directory
      10ms      660ms     12:<no source>
END
if have jq; then
	check 'of the hottest line' 0 \
		"prof-list -q --json . cpu.pb.gz | jq -c '[.functions[] | {function, file} + .lines[]] | max_by(.flat)'" <<'END'
{"function":"helper","file":"/src/demo/util.h","line":7,"flat":300000000,"cum":300000000}
END
else
	skip 'of the hottest line' 'no jq'
fi
check 'of a difference' 0 \
	"prof-diff old.pb.gz new.pb.gz | prof-list -q '^a\$'" <<'END'
Total: 1.02s
ROUTINE ======================== a in /src/f.c
     200ms      200ms (flat, cum) 19.61% of Total
 Error: open /src/f.c: no such file or directory
     200ms      200ms     10:<no source>
END
plan
