# Legacy formats, compared with their original tools. Tests of known bytes are
# in unit/legacy.c.
. "${srcdir:-.}/tests/lib/tap.sh"

# What go tool pprof says of a profile. It merges even a single one, so that
# this holds values, stacks, labels, mappings and periods against each other. Of
# Go's texts we read the names too, after which it drops frames: totals only.
said() {
	go tool pprof -symbolize=none -raw "$1" >said.raw 2>said.err || return
	case $2 in
	*/good-go-*)
		awk '/^Locations/ { exit }
			/^ *-?[0-9]+ .*:/ { for (i = 1; i <= n; i++) sum[i] += $i; next }
			/\/count/ { n = NF; print }
			/^Period/ { print }
			END { for (i = 1; i <= n; i++) print sum[i] + 0 }' said.raw
		;;
	*) cat said.raw ;;
	esac
}

if have go && go tool pprof -h >/dev/null 2>&1; then
	for f in "$data"/good-*.txt "$data"/good-*.txt.gz "$data"/good-*.prof; do
		found "$f" || continue
		name="${f##*/}: as go tool pprof reads it"
		prof-fetch --strip-handler "$f" >out.pb.gz
		said out.pb.gz "$f" >ours
		if said "$f" "$f" >theirs; then
			if cmp -s theirs ours; then
				ok "$name"
			else
				diff theirs ours | head -20 >why
				not_ok "$name" <why
			fi
		elif grep -q 'failed to fetch any' said.err && [ -s ours ]; then
			ok "${f##*/}: go tool pprof refuses it, we read it"
		else
			not_ok "$name" <said.err
		fi
	done
else
	skip 'legacy formats against go tool pprof' 'no go tool pprof'
fi

# The names in Go's texts: the rows of the program's own functions are those of
# the profile.proto that was taken at the same moment.
if [ -x "$bin/prof-text" ]; then
	rows() {
		prof-text --sample-index=0 --nodecount=1000 --nodefraction=0 "$1" |
			awk '/ main\./ { print $1, $4, $6 }' | sort
	}
	for kind in mutex block conns goroutine heap allocs; do
		text=$data/good-go-$kind.txt
		[ -e "$text" ] || text=$text.gz
		name="the names in a Go $kind profile as text"
		rows "$text" >ours
		rows "$data/good-go-$kind.pb.gz" >theirs
		if [ -s ours ] && cmp -s ours theirs; then
			ok "$name"
		else
			diff theirs ours | head -20 >why
			not_ok "$name" <why
		fi
	done
else
	skip 'the names in text profiles of Go' 'prof-text is not built'
fi

# The symbolized form: flat values of functions, without what follows a name in
# brackets, from google-pprof and from the stream.
if have google-pprof && have prof-text; then
	f=$data/good-gperf-cpu.sym
	google-pprof --text "$f" 2>/dev/null |
		awk 'NR > 1 && $1 > 5 && $NF !~ /inline/ { print $1, $6 }' |
		grep -v '::' >theirs
	prof-text --nodecount=1000 "$f" | awk '$1 > 5 && $NF !~ /inline/ { print $1, $6 }' |
		grep -E '^[0-9]+ [a-z_0-9]+$' >ours
	if [ -s theirs ] && [ -z "$(grep -vxFf ours theirs)" ]; then
		ok 'a symbolized profile has the flat values of google-pprof'
	else
		diff theirs ours |
			not_ok 'a symbolized profile has the flat values of google-pprof'
	fi
else
	skip 'the symbolized form' 'no google-pprof, or prof-text is not built'
fi

# --- labels of goroutines

cat >labels.txt <<'END'
goroutine profile: total 9
4 @ 0x1101 0x1201
# labels: {"job":"a\"\n\u00e9\xff", "user":"x, \"y\":"}
#	0x1100	main.f+0x1	/m.go:1

3 @ 0x1101 0x1201
# labels: {}
2 @ 0x1301
END
check 'goroutines of text have their labels' 0 'prof-fetch labels.txt | prof-text --raw |
	sed -n "/^goroutine/,/^Locations/p"' <<'END'
goroutine/count
          4: 1 2 
                job:[a"\né\xff] user:[x, "y":]
          3: 1 2 
          2: 3 
Locations
END
sed 's/", "user.*/}/' labels.txt >badlabels.txt
check_err 'labels that are cut' 2 'prof-fetch badlabels.txt' 'line 3: want labels as Go quotes them'

# --- what looks cut

cat >heap.txt <<'END'
heap profile: 3: 300 [5: 500] @ heapprofile
1: 100 [2: 200] @ 0x401100 0x401200
2: 200 [3: 300] @ 0x401180 0x401200
END
check 'a whole text' 0 'prof-fetch heap.txt 2>&1 >out.pb.gz; prof-fetch - <heap.txt 2>&1 >out.pb.gz' <<'END'
END
head -c -5 heap.txt >cut.txt
head -2 heap.txt >short.txt
for c in prof-fetch prof-import prof-merge; do
	check "$c: cut inside an address" 0 "$c cut.txt 2>&1 >out.pb.gz" <<END
$c: cut.txt: line 3, the last one, has no newline: was it cut?
END
	check "$c: cut between lines" 0 "$c short.txt 2>&1 >out.pb.gz" <<END
$c: short.txt: allocated: the totals are 5 objects of 500 bytes, the stacks have 2 of 200: was it cut?
END
done
head -c 76 "$data"/good-go-goroutine.txt >count.txt
check 'totals of Go' 0 'prof-fetch count.txt 2>&1 >out.pb.gz' <<'END'
prof-fetch: count.txt: the total is 4, the stacks have 3: was it cut?
END
head -c 72 "$data"/good-cpu-le64.prof >cpu.prof
check 'a binary profile of a program that was killed' 0 'prof-fetch cpu.prof 2>&1 >out.pb.gz' <<'END'
prof-fetch: cpu.prof: no end mark: the program was killed, or is still running; what came after the last flush is missing
END
cat >je.txt <<'END'
heap_v2/524288
  t*: 3: 300 [0: 0]
@ 0x7f0000001000 0x7f0000002000 0x401200
  t*: 1: 100 [0: 0]
@ 0x401180 0x401200
  t*: 2: 200 [0: 0]

MAPPED_LIBRARIES:
00400000-00500000 r-xp 00000000 08:01 1 /bin/app
7f0000000000-7f0000100000 r-xp 00000000 08:01 2 /usr/lib/libjemalloc.so.2
END
sed 's/t\*: 2: 200/t*: 2: 199/' je.txt >je.cut
check 'totals of jemalloc' 0 'prof-fetch je.txt 2>&1 >je.pb.gz; prof-fetch je.cut 2>&1 >out.pb.gz' <<'END'
prof-fetch: je.cut: in use: the totals are 3 objects of 300 bytes, the stacks have 3 of 299: was it cut?
END

# --- frames of jemalloc

check "jemalloc's own frames are dropped" 0 \
	'prof-text --traces -q je.pb.gz | grep -c jemalloc; prof-text --raw je.pb.gz |
		sed -n "/^Samples/,/^Locations/p" | grep -c "[0-9]: [0-9]* *$\|: [0-9]* [0-9]* *$"' <<'END'
0
2
END
check 'the path of a mapping may have blanks' 0 '
	printf "%s\n" "heap_v2/4096" "  t*: 1: 100000 [0: 0]" "@ 0x401136" \
		"  t*: 1: 100000 [0: 0]" "" "MAPPED_LIBRARIES:" \
		"00400000-00402000 r-xp 00000000 08:01 1234   /opt/my app/prog" \
		"00500000-00502000 r-xp 00000000 08:01 1235   /opt/a b (deleted)  " |
		prof-text --raw | sed -n "/^Mappings/,\$s/ *\$//p" | sed 1d' <<'END'
1: 0x400000/0x402000/0x0 /opt/my app/prog
2: 0x500000/0x502000/0x0 /opt/a b
END
lib=$(dirname "$(${CC:-cc} -print-file-name=libc.so.6)")/libjemalloc.so.2
cat >eat.c <<'END'
#include <stdlib.h>

void *eaten[1000];
__attribute__((noinline)) void
eat(int i)
{
	eaten[i] = malloc(100000);
}

int
main(void)
{
	for (int i = 0; i < 1000; i++)
		eat(i);
	return eaten[999] == NULL;
}
END
if [ ! -e "$lib" ]; then
	skip 'jemalloc by LD_PRELOAD' 'no libjemalloc2'
elif ! ${CC:-cc} -O1 -fno-builtin -o eat eat.c ||
	! LD_PRELOAD=$lib MALLOC_CONF=prof:true,prof_final:true,prof_prefix:je,lg_prof_sample:12 \
		./eat 2>/dev/null || ! mv je.*.heap je.heap 2>/dev/null; then
	skip 'jemalloc by LD_PRELOAD' 'jemalloc is built without profiling'
elif lacks 'prof-symbolize je.pb.gz'; then
	skip 'jemalloc by LD_PRELOAD' 'without elfutils'
else
	check 'jemalloc by LD_PRELOAD' 0 'prof-fetch je.heap | prof-symbolize -q |
		prof-text -q --nodecount=1 | awk "NR > 1 && /^ *[0-9]/ { print \$NF }"' <<'END'
eat
END
fi

# cat does not add profiles.
for f in contention.txt gperf-heap.txt gperf-cpu.prof; do
	check_err "good-$f twice" 2 "cat $data/good-$f $data/good-$f | prof-text" \
		'another profile begins here (prof-merge adds profiles)'
done

plan
