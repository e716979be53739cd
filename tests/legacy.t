# Legacy formats, held against the tools that others read them with. What is
# known byte for byte is in test-legacy.c.
. "${srcdir:-.}/tests/tap.sh"

PPROF_TMPDIR=$scratch
HOME=$scratch
export PPROF_TMPDIR HOME

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
plan
