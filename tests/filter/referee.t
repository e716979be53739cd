# Every refinement against go tool pprof, over the corpus: for each profile the next
# third of them, all in make check-long. One pprof for each profile gets all
# commands, as starting it takes most of the time.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/normal.sh"

if ! have go || ! go tool pprof -h 2>&1 | grep -q show_from; then
	skip_rest 'refinements are those of pprof' 'no go tool pprof'
fi

# Filters for any profile: a few words that occur in ours, and none.
cat >all-filters <<'END'
focus=main
focus=runtime
focus=B|rec|leaf
focus=^a$
focus=(?i)MAIN
focus=\.go
focus=bin/app
focus=nothing
ignore=runtime
ignore=main\.
ignore=B
ignore=/s/c.c
hide=runtime
hide=B|I2|leaf
hide=bin/app
hide=.
hide=json|sync
show=main
show=I[13]|A|helper
show=bin
show=.
show_from=main
show_from=B
show_from=I2|helper
show_from=encoding|work
show_from=bin/app
prune_from=B
prune_from=I2|leaf
prune_from=runtime\..*
prune_from=encode|alpha|sort
tagfocus=ann
tagfocus=user:b,bytes
tagfocus=user=ann,bob
tagfocus=bytes=1kb:
tagfocus=bytes=:1kb
tagfocus=bytes=100b:4kb
tagfocus=job
tagignore=ann
tagignore=user=bob
tagignore=bytes=:300b
tagshow=user
tagshow=b
taghide=user|job
taghide=bytes
tagroot=user
tagroot=job,bytes
tagroot=nothing
tagleaf=user,bytes
tagleaf=request
hide=1
show=2
prune_from=Type1
show_from=pkg1[0-9]
focus=main ignore=runtime hide=B
focus=main show=main show_from=main prune_from=main
hide=runtime show_from=main tagfocus=ann
tagroot=user focus=ann
tagroot=user hide=^bob$ tagleaf=bytes
ignore=A show=I tagshow=user
focus=D hide=B show_from=C
END

# Into one file: how pprof is told to write each filter, cleared before.
names='focus ignore hide show show_from prune_from tagfocus tagignore tagshow
taghide tagroot tagleaf'
turn=0
choose() {
	turn=$(((turn + 1) % 3))
	awk -v long="$long" -v turn=$turn 'long != "" || NR % 3 == turn' all-filters >filters
	i=0
	while read -r line; do
		i=$((i + 1))
		for n in $names; do
			echo "$n="
		done
		# shellcheck disable=SC2086 # words
		printf '%s\n' $line
		echo "raw > theirs.$i"
	done <filters >script
	echo quit >>script
}

# compare NAME FILE: one result for a profile and all filters.
compare() {
	rm -f theirs.*
	choose
	go tool pprof -symbolize=none "$2" <script >/dev/null 2>&1
	raw_lines theirs.* | add_up >theirs
	i=0
	while read -r line; do
		i=$((i + 1))
		# shellcheck disable=SC2046,SC2086 # words
		prof-filter -q $(printf -- '--%s ' $line) "$2" | normal $i
	done <filters | add_up >ours
	if cmp -s ours theirs && [ -s theirs ]; then
		ok "$1: $(wc -l <filters) filters as pprof"
		return
	fi
	diff theirs ours | cut -c1-300 >why
	for i in $(sed -n 's/^[<>] \([0-9]*\) .*/\1/p' why | sort -nu); do
		echo "$i: $(sed -n "${i}p" filters)"
	done | cat - why | head -30 >differences
	not_ok "$1: filters as pprof" <differences
}

# Not: names with tabs and newlines (full, nul), which break the comparison;
# zeros after the gzip (padded), which pprof refuses; empty stacks (nostack,
# threadcreate, cpu-long), which this old pprof always drops; and what is about
# the wire only.
for f in "$data"/good-*.pb.gz "$data"/good-wire.pb; do
	found "$f" || continue
	case ${f##*/} in
	good-full.* | good-padded.* | good-go-threadcreate.* | \
		good-go-cpu-long.* | good-members.* | good-stored.*) continue ;;
	esac
	compare "${f##*/}" "$f"
done

# Profiles drawn at random.
for seed in 1 2 3; do
	mkbig 40 60 20 $seed >random.pb.gz
	compare "random $seed" random.pb.gz
done

# Frames that the profile itself asks to be dropped.
cat >drop.txt <<'END'
# samples count
@mapping 0x400000 0x500000 0 /bin/app
@drop B|I2|malloc.*|std::alloc
@keep mallocator
A (/s/a.c:1);B (/s/b.c:1);C (/s/c.c:1);B (/s/b.c:1);D (/s/d.c:1) 100
A (/s/a.c:1);I3 (/s/i.c:3)=>I2 (/s/i.c:2)=>I1 (/s/i.c:1);D (/s/d.c:1) 10
I3 (/s/i.c:3)=>I2 (/s/i.c:2)=>I1 (/s/i.c:1) 1
B (/s/b.c:1);main (m.c:1);.malloc_slow(int) (m.c:2);sbrk (m.c:3) 2
main (m.c:1);mallocator (m.c:4);std::alloc(char*) (m.c:5);x (m.c:6) 3
END
mkprof drop.txt >drop.pb.gz
compare 'drop_frames' drop.pb.gz

# Where we differ on purpose, both answers: a number whose unit nobody knows is
# in no range of bytes, though pprof takes depth=7 for 7 MB.
cat >depth.txt <<'END'
# samples count
a 1 {depth=7}
b 2 {bytes=2097152bytes}
END
mkprof depth.txt >depth.pb.gz
check 'ranges with a unit: pprof' 0 \
	'go tool pprof -symbolize=none -raw -tagfocus=1mb: depth.pb.gz 2>/dev/null |
	grep -c "depth:.7\|bytes:.2097152"' <<'END'
2
END
check 'ranges with a unit: ours' 0 \
	'prof-filter --tagfocus=1mb: depth.pb.gz | normal | grep -c "depth\|bytes"' <<'END'
1
END
plan
