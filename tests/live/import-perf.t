#!/bin/sh
# Recordings of perf, made here, against perf's own reports: the same samples,
# the same sums, the same stacks.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

clock='-q -e cpu-clock -F 997'
record() {
	record_as "$clock" "$@"
}

# record_as OPTIONS FILE ARGUMENT...
record_as() {
	record_with=$1
	shift
	# shellcheck disable=SC2086 # words
	perf record $record_with -o "$@" >/dev/null 2>&1
}

if ! have perf || ! record try.data true; then
	skip_rest 'recordings of perf' 'no perf, or it may not record here'
fi

cat >work.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned long sum;
#define NOINLINE __attribute__((noinline))
NOINLINE void leaf(int n) { for (int i = 0; i < n; i++) sum += i; __asm__(""); }
NOINLINE void mid(int n) { leaf(n); leaf(n / 2); __asm__(""); }
/* Page faults of its own: those of libc alone are too few to have shares. */
NOINLINE void in(void) {
	static volatile char page[256 << 12];
	for (int i = 0; i < 256; i++) page[i << 12] = 1;
	int fd = open("/dev/zero", O_RDONLY);
	char b[65536];
	for (int i = 0; i < 200; i++) if (read(fd, b, sizeof b) < 0) break;
	close(fd);
}
static void *thread(void *a) {
	prctl(PR_SET_NAME, "renamed");
	for (int i = 0; i < 20; i++) { mid(1000000); in(); }
	return a;
}
int main(int c, char **v) {
	pthread_t t;
	(void)v;
	if (c > 1) { for (int i = 0; i < 20; i++) mid(1000000); return 0; }
	pthread_create(&t, 0, thread, 0);
	if (!fork()) {
		mid(10000000);
		execl("/proc/self/exe", "again", "x", (char *)0);
		_exit(1);
	}
	for (int i = 0; i < 20; i++) mid(1000000);
	pthread_join(t, 0);
	wait(0);
	return 0;
}
END
${CC:-cc} -O1 -g -fno-omit-frame-pointer -pthread -o work work.c

# theirs FILE: "COUNT PERIOD COMM FRAME;FRAME;..." of perf script, leaf first.
# A frame is its function, if work.c or a perf map has it, else "-" in the program
# and its file elsewhere: names of the kernel and of libc, which may be part of the
# program, have aliases, and perf makes up some for stubs. Frames without a
# file at the root are not counted, nor is a lone one of libc below the kernel:
# perf knows the program from before an exec to the end of the recording.
# Callers of __libc_start_call_main are other values on the stack: it keeps no
# frame pointer.
own='/^(leaf|mid|in|thread|main|__libc_start_call_main)$/'
theirs() {
	{
		perf script -i "$1" --no-inline -F comm,period,ip,sym,dso 2>perf.err ||
			echo "status $?" >>perf.err
	} | awk '
		function done() {
			sub(/(\?;)+$/, "", stack); sub(/\[k\];libc\.so\.6;$/, "[k];", stack)
			sub(/__libc_start_call_main;.*/, "__libc_start_call_main;", stack)
			if (comm != "") { n[comm " " stack]++; sum[comm " " stack] += period }
			comm = ""; stack = ""
		}
		function frame(i) {
			dso = $NF; gsub(/[()]/, "", dso)
			if (dso ~ /^\[(kernel|guest)/ || dso ~ /\.ko/) f = "[k]"
			else if (dso ~ /\/work$/) f = $(i + 1) ~ '"$own"' ? $(i + 1) : "-"
			else if (dso == "[unknown]") f = "?"
			else if (dso ~ /\.map$/ && $(i + 1) != "[unknown]") {
				f = $(i + 1)
				for (k = i + 2; k < NF; k++) f = f "_" $k
			}
			# Memory without a file: each has its own words for it.
			else if (dso ~ /anon|deleted|memfd|\.map$/) f = "anon"
			else { f = dso; sub(/.*\//, "", f) }
			stack = stack f ";"
		}
		/^$/ { done(); next }
		comm == "" {
			period = $NF
			sub(/ +[0-9]+ *$/, ""); sub(/^ */, ""); comm = $0
			# Without call chains all is on one line.
			if (period ~ /\)$/) { comm = $1; period = $2; frame(3); done() }
			next
		}
		{ frame(1) }
		END { done(); for (i in n) print n[i], sum[i], i }' | sort
}

# ours FILE: the same of prof-import.
ours() {
	{
		prof-import -q --label=thread "$1" || echo "prof-import: status $?" >&2
	} 2>why | {
		prof-symbolize -q --symbolize=fastlocal || echo "prof-symbolize: status $?" >&2
	} 2>>why | prof-text --raw 2>>why >raw || return
	awk '
	FNR == 1 { part++ }
	/^Locations/ { where = "l"; next }
	/^Mappings/ { where = "m"; next }
	/^Samples:/ { where = "s"; next }
	part == 1 && where == "m" {
		id = $1; sub(":", "", id)
		file = $0; sub(/^ *[0-9]+: [^ ]+ /, "", file)
		# The last part of the path: what is before it may have blanks.
		sub(/.*\//, "/", file); sub(/ .*/, "", file)
		map[id] = file
	}
	part == 1 && where == "l" && /^ *[0-9]+:/ {
		id = $1; sub(":", "", id); of[id] = $3; sub("M=", "", of[id])
		if ($3 !~ /^M=/) of[id] = 0
		fn[id] = $3 ~ /^M=/ ? $4 : $3
		# The name of compiled code has blanks; behind it are place and start.
		jit[id] = NF > 5 ? $4 : ""
		for (i = 5; i < NF - 1; i++) jit[id] = jit[id] "_" $i
		next
	}
	# Further lines of a location are outer: the last is the function.
	part == 1 && where == "l" { fn[id] = $1 }
	part == 2 && where == "s" && $2 ~ /:$/ && $1 ~ /^[0-9]+$/ {
		flush(); count = $1; period = $2; sub(":", "", period); stack = ""
		for (i = 3; i <= NF; i++) {
			f = map[of[$i]]
			if (!of[$i]) f = "?"
			else if (f ~ /^\[kernel/ || f ~ /\.ko/) f = "[k]"
			else if (f ~ /\/work$/) f = fn[$i] ~ '"$own"' ? fn[$i] : "-"
			else if (f ~ /anon|memfd/) f = jit[$i] != "" ? jit[$i] : "anon"
			else sub(/.*\//, "", f)
			stack = stack f ";"
		}
		next
	}
	part == 2 && where == "s" && match($0, /thread:\[[^]]*/) {
		comm = substr($0, RSTART + 8, RLENGTH - 8)
	}
	function flush() {
		sub(/(\?;)+$/, "", stack); sub(/\[k\];libc\.so\.6;$/, "[k];", stack)
		sub(/__libc_start_call_main;.*/, "__libc_start_call_main;", stack)
		if (count) { n[comm " " stack] += count; sum[comm " " stack] += period }
		count = 0
	}
	END { flush(); for (i in n) print n[i], sum[i], i }' raw raw | sort
}

total() {
	awk '{ n += $1; sum += $2 } END { print n, sum }' "$1"
}

# report FILE OPTION...: rows of perf report, in fields between bars.
report() {
	report_of=$1
	shift
	{
		perf report -i "$report_of" --stdio -g none --no-inline -t '|' "$@" 2>perf.err ||
			echo "status $?" >>perf.err
	} | sed -n '/^#/d; s/ *| */|/g; s/^ *//; s/ *$//; /|/p'
}

# leaves FILE: samples and sums by command and innermost frame of the rows
# in the file "ours" are those in the table of perf report.
leaves() {
	report "$1" --no-children -F sample,period,comm,dso,sym | awk -F'|' '
		{
			if ($5 ~ /^\[k\]/) f = "[k]"
			else if ($4 == "work") { f = substr($5, 5); if (f !~ '"$own"') f = "-" }
			else if ($4 == "[unknown]") f = "?"
			else if ($4 ~ /^\[JIT\]/ && $5 !~ / 0x/) { f = substr($5, 5); gsub(" ", "_", f) }
			else if ($4 ~ /anon|deleted|memfd|^\[JIT\]/) f = "anon"
			else f = $4
			n[$3 " " f] += $1; sum[$3 " " f] += $2
		}
		END { for (i in n) print n[i], sum[i], i }' | sort >theirs.leaf
	awk '
		{
			at = match($0, /[^ ]*$/)
			f = substr($0, at); sub(/;.*/, "", f)
			# Trailing frames without a file are cut off: here it was the only one.
			if (f == "" && substr($0, at) == "") f = "?"
			i = substr($0, length($1 $2) + 3, at - length($1 $2) - 3) f
			n[i] += $1; sum[i] += $2
		}
		END { for (i in n) print n[i], sum[i], i }' ours | sort >ours.leaf
	same theirs.leaf ours.leaf
}

# shares FILE: how much each function of the program has itself, and with
# those that it calls, in percent. Only two digits are left of less than 1 %.
shares() {
	report "$1" --children -F overhead_children,overhead,dso,sym |
		awk -F'|' '
		function share(v) { return v + 0 < 2 ? "-" : v + 0 >= 99.95 ? 100 : v + 0 }
		$3 == "work" && $1 + 0 >= 2 {
			sub(/^\[.\] /, "", $4)
			print $4, share($1), share($2)
		}' | sort >theirs.share
	prof-import -q "$1" 2>why | prof-symbolize -q --symbolize=fastlocal 2>>why |
		prof-text --nodecount=0 --nodefraction=0 2>>why | awk '
		FNR == NR { want[$1]; next }
		$6 in want && NF == 6 { print $6, $5 + 0, $2 + 0 < 2 ? "-" : $2 + 0 }' theirs.share - |
		sort >ours.share
	same theirs.share ours.share
}

# same THEIRS OURS: the status of a row. perf may end in trouble of its own.
same() {
	[ -s "$1" ] && cmp -s "$1" "$2" && return
	[ -s "$1" ] || echo 'perf has none of these'
	diff "$1" "$2" | head -20
	if grep -q '^status ' perf.err; then
		echo "perf: $(tr '\n' ' ' <perf.err)"
		return 77
	fi
	return 1
}

# row NAME COMMAND...: both read one file, so nothing here is luck.
row() {
	row_name=$1
	shift
	"$@" >found
	case $? in
	0) ok "$row_name" ;;
	77) skip "$row_name" "$(sed '$!d' found)" ;;
	*) not_ok "$row_name" <found ;;
	esac
}
equal() {
	theirs "$1" >theirs
	ours "$1" >ours
	same theirs ours
}

# agree NAME FILE: of a recording.
agree() {
	row "$1: stacks, counts and sums are perf's" equal "$2"
	row "$1: samples and sums are those of perf report" leaves "$2"
}

# A container and virtual machines: a program in namespaces with a root of its
# own; names of compiled code from /tmp/perf-PID.map.
guests() {
	mkdir -p "root$PWD/box" box
	if ${CC:-cc} -O1 -g -fno-omit-frame-pointer -pthread -static -o box/work work.c &&
		cp box/work "root$PWD/box/" && unshare -mpif --root="$PWD/root" "$PWD/box/work" x 2>.err; then
		record box.data -g --namespaces unshare -mpif --root="$PWD/root" "$PWD/box/work"
		agree 'a container' box.data
	else
		skip 'a container' 'no unshare, or no static libc'
	fi
	if have node; then
		cat >work.js <<'END'
function leaf(n) { let s = 0; for (let i = 0; i < n; i++) s += i % 7; return s; }
function mid(n) { return leaf(n) + leaf(n >> 1); }
let t = 0;
for (let i = 0; i < 300; i++) t += mid(1000000);
if (t < 0) console.log(t);
END
		record node.data -g node --perf-basic-prof work.js
		agree 'node' node.data
	else
		skip 'node' 'no node'
	fi
	cat >Work.java <<'END'
class Work {
	static long leaf(int n) { long s = 0; for (int i = 0; i < n; i++) s += i % 7; return s; }
	static long mid(int n) { return leaf(n) + leaf(n / 2); }
	public static void main(String[] a) {
		long t = 0;
		for (int i = 0; i < 600; i++) t += mid(1000000);
		if (t < 0) System.out.println(t);
	}
}
END
	flags='-XX:-UsePerfData -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -XX:+PreserveFramePointer -XX:-Inline'
	# shellcheck disable=SC2086 # words
	if have javac java && javac -J-XX:-UsePerfData Work.java 2>.err && java $flags Work 2>.err; then
		record java.data -g java $flags Work
		agree 'java' java.data
	else
		skip 'java' 'no javac, or a java before 17'
	fi
}

if have prof-symbolize && ! lacks 'prof-symbolize "$data"/good-tiny.pb.gz'; then
	record fp.data -g ./work
	agree 'frame pointers' fp.data
	row 'frame pointers: shares are those of perf report' shares fp.data
	record z.data -g -z ./work
	agree 'compressed' z.data
	record id.data -g --all-cgroups --namespaces ./work
	agree 'groups and namespaces' id.data
	record flat.data ./work
	agree 'no call chains' flat.data
	record_as '-q -e page-faults -c 1' faults.data -g ./work
	agree 'page faults' faults.data
	row 'page faults: shares are those of perf report' shares faults.data
	record switch.data -g --switch-events ./work
	agree 'with switches' switch.data
	record threads -g --threads ./work
	agree 'a folder' threads
	row 'a folder: shares are those of perf report' shares threads
	# Whatever runs beside; who it is at the moment of an exec, perf and we
	# see a record apart.
	whole_machine() {
		perf record $clock -o all.data -a -g -- ./work >log 2>&1 || {
			echo "perf record -a: $(grep -m 1 . log)"
			return 77
		}
		theirs all.data >stacks
		total stacks >theirs
		ours all.data >stacks
		total stacks >ours
		same theirs ours
	}
	live 'the whole machine: samples and their sum' whole_machine
	rings() {
		live_again whole_machine
		report all.data --no-children -F sample,period,sym | awk -F'|' '
			{ k = $3 ~ /^\[k\]/; n[k] += $1; sum[k] += $2 }
			END { for (k = 0; k < 2; k++) print n[k] + 0, sum[k] + 0 }' >theirs
		awk '
			{ k = $NF ~ /^\[k\];/; n[k] += $1; sum[k] += $2 }
			END { for (k = 0; k < 2; k++) print n[k] + 0, sum[k] + 0 }' stacks >ours
		same theirs ours
	}
	live 'the whole machine: kernel and user are those of perf report' rings
	perf record $clock -g -o - ./work 2>/dev/null >pipe.data
	agree 'a pipe' pipe.data
	[ -z "$long" ] || guests
else
	skip 'stacks' 'this build has no elfutils'
	record fp.data -g ./work
	perf record $clock -g -o - ./work 2>/dev/null >pipe.data
fi

# Copies of stacks are unwound. Frames of perf are frames of ours, in the same
# order from the same leaf; the sums are those of all. In some runs perf finds no
# unwind table for a file, follows frame pointers there and ends early: frames
# are missing from its stacks, which is why equality is left to walk.t.
copies() {
	record dwarf.data --call-graph dwarf,4096 ./work || return 2
	theirs dwarf.data >all
	total all >theirs.total
	grep -v '?;' all | cut -d' ' -f3- | sed 's/^[^ ]* //' | sort -u >known
	ours dwarf.data >ours
	total ours >ours.total
	cut -d' ' -f3- ours | sed 's/^[^ ]* //' | sort -u >stacks
	awk 'FILENAME == "stacks" { ours[$0]; next }
		function within(few, all,   i, f, n) {
			n = split(few, f, ";")
			if (index(all, f[1] ";") != 1) return 0
			for (i = 1; i < n; i++) {
				if (!(at = index(";" all, ";" f[i] ";"))) return 0
				all = substr(all, at + length(f[i]) + 1)
			}
			return 1
		}
		{ n++; found = 0; for (s in ours) if (within($0, s)) found = 1; bad += !found }
		END { if (bad > 1 + n / 10) print bad " of " n " stacks differ" }' stacks known >bad
	cat bad
	[ -s known ] && [ ! -s bad ] && same theirs.total ours.total &&
		grep -q 'mid;main;libc' stacks && return
	diff known stacks
	return 1
}
if have prof-symbolize && ! lacks 'prof-symbolize "$data"/good-tiny.pb.gz'; then
	live 'copies of stacks are unwound' copies
	row 'copies of stacks: samples and sums are those of perf report' leaves dwarf.data
else
	skip 'copies of stacks are unwound' 'this build has no elfutils'
fi

# Sums of two events, column by column.
record_as '-q -e cpu-clock,task-clock' two.data -g ./work
prof-import two.data | prof-text --list-types 2>/dev/null | cut -d' ' -f1 | sort >types
perf script -i two.data -F event,period 2>/dev/null |
	awk 'NF == 2 { sub(/:u:$/, ":", $2); n[$2]++; s[$2] += $1 } END { for (e in n) print e, n[e], s[e] }' | sort >theirs
prof-import two.data | prof-text --raw | awk '
	/^Samples:/ { getline; for (i = 1; i <= NF; i++) { split($i, w, "/"); t[i] = w[1] } on = 1; next }
	/^Locations/ { on = 0 }
	on && /:/ && $1 ~ /^[0-9]+$/ { for (i = 1; i <= 4; i++) { v = $i; sub(":", "", v); sum[i] += v } }
	END { for (i = 1; i < 4; i += 2) print t[i + 1] ":", sum[i], sum[i + 1] }' | sort >ours
cmp -s theirs ours && [ -s ours ] && ok 'two events are columns with the right sums' ||
	diff theirs ours | not_ok 'two events are columns with the right sums'

# What a full ring loses is said, and kept: a record of 12288 lost samples, at the end.
{ mkperf 1 100; printf '\015\0\0\0\0\0\020\0\0\060\0\0\0\0\0\0'; } >lost.data
check 'lost samples are counted' 0 \
	'prof-import lost.data 2>said | prof-text --comments | grep -o "samples=4419 lost=12288"
	grep -o "12288 of 16707 samples are missing" said' <<'END'
samples=4419 lost=12288
12288 of 16707 samples are missing
END

# pprof runs perf_to_profile on a perf.data.
if have go; then
	perf report -i fp.data --stdio --no-children -g none -F period,dso 2>/dev/null |
		awk '$2 == "work" { print $1 }' >theirs
	go tool pprof -raw fp.data 2>/dev/null | awk '
		/^Locations/ { where = "l"; next } /^Mappings/ { where = "m"; next }
		/^Samples:/ { where = "s"; next }
		where == "l" { sub(":", "", $1); of[$1] = $3 }
		where == "m" && /\/work( |$)/ { sub(":", "", $1); want = "M=" $1 }
		where == "s" && $1 ~ /^[0-9]+$/ { sub(":", "", $2); v[$3] += $2 }
		END { for (l in v) if (of[l] == want) s += v[l]; print s }' >ours
	cmp -s theirs ours && ok 'pprof reads perf.data through perf_to_profile' ||
		diff theirs ours | not_ok 'pprof reads perf.data through perf_to_profile'
else
	skip 'pprof reads perf.data through perf_to_profile' 'no go'
fi

gzip -c fp.data >fp.data.gz
check 'compressed as a whole, byte by byte, and from standard input: the same' 0 \
	'prof-import fp.data >a; prof-import fp.data.gz >b; prof-import <fp.data >c; cmp a b && cmp a c' <<'END'
END
# Among its records, whose place and size are in the header; none ends at an odd one.
# shellcheck disable=SC2046 # words
set -- $(od -An -tu8 -j 40 -N 16 fp.data)
head -c $(($1 + $2 / 2 | 1)) fp.data >cut.data
check_err 'damage is an error with --strict' 2 'prof-import --strict cut.data >/dev/null' \
	'the file ends inside a record'
check_err 'other readers name the format' 2 'prof-text fp.data' 'use prof-import'

printf '\010' >fuzz.1; cat pipe.data >>fuzz.1
printf '\060' >fuzz.2; cat fp.data >>fuzz.2
check 'fuzz-perf: these recordings' 0 'fuzz-perf fuzz.* 2>/dev/null' <<'END'
END
plan
