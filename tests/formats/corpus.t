# Every command over every file of testdata: good-* is read, bad-* is refused
# with one line and nothing on stdout, and the output has the contents of the
# input. A command that is not built, or lacks its library, is reported as
# skipped.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"
unset DEBUGINFOD_URLS

tiny=$data/good-tiny.pb.gz
small='bad-empty.pb bad-gz-cut-body.pb.gz bad-gz-crc.pb.gz bad-concat.pb'
small="$small bad-sample-location.pb bad-length-huge.pb bad-cpu-cut.prof"
small="$small bad-heap-line.txt bad-prose.txt"

# The name of this test's result, its failures in $failed (one a line).
verdict() {
	if [ -s failed ]; then
		not_ok "$1" <failed
	else
		ok "$1"
	fi
	: >failed
}
: >failed

# Is the command there, with the library that it cannot do without?
built() {
	if [ ! -x "$bin/$1" ]; then
		skip "$2" "$1 is not built"
		return 1
	fi
	case $1 in
	prof-gate) set -- "$1" "$2" "$1 $tiny -- $tiny" ;;
	prof-symbolize) set -- "$1" "$2" "$1 $tiny" ;;
	*) return 0 ;;
	esac
	lacks "$3" || return 0
	skip "$2" "$1 lacks a library in this build"
	return 1
}

# Without zstd a build refuses what zstd packed, and says so.
zstd=yes
if built prof-merge 'zstd streams'; then
	prof-merge "$data/good-tiny.pb.zst" >/dev/null 2>err || zstd=no
	[ $zstd = yes ] || skip 'zstd streams' "$(cat err)"
fi

usable() {
	case $1 in
	*.zst) [ $zstd = yes ] ;;
	esac
}

# reads COMMAND...: does it accept each good file, as its last operand?
reads() {
	name="$1 reads every good file"
	built "$1" "$name" || return 0
	for f in "$data"/good-*; do
		found "$f" || continue
		usable "$f" || continue
		"$@" "$f" >out 2>err || echo "${f##*/}: status $?: $(head -1 err)" >>failed
		[ -s out ] || echo "${f##*/}: no output" >>failed
	done
	verdict "$name"
}

# refuses WHICH COMMAND...: WHICH are names of bad files.
refuses() {
	which=$1
	shift
	name="$1 refuses what is bad"
	built "$1" "$name" || return 0
	while IFS="$(printf '\t')" read -r f words option; do
		case " $which " in
		*" $f "* | ' all ') ;;
		*) continue ;;
		esac
		usable "$f" || continue
		# shellcheck disable=SC2086 # option may be missing
		"$@" $option "$data/$f" >out 2>err
		status=$?
		if [ $status -ne 2 ] || [ -s out ] || [ "$(wc -l <err)" -ne 1 ] ||
			! grep -qF -- "$words" err; then
			echo "$f: status $status, $(wc -c <out) bytes of output, wanted '$words':"
			head -3 err
		fi >>failed
	done <"$data/bad.tsv"
	verdict "$name"
}

for f in "$data"/bad-*; do
	found "$f" || continue
	grep -q "^${f##*/}	" "$data/bad.tsv" || echo "${f##*/}" >>failed
done
verdict 'bad.tsv has every bad file'

reads prof-merge
reads prof-text
reads prof-fetch
reads prof-symbolize
reads prof-filter
reads prof-dot
reads prof-flame
reads prof-html
refuses all prof-merge
refuses all prof-text
refuses "$small" prof-fetch
refuses "$small" prof-symbolize
refuses "$small" prof-filter
refuses "$small" prof-dot
refuses "$small" prof-flame
refuses "$small" prof-html
refuses "$small" prof-list --list=.
refuses "$small" prof-diff "$tiny"
refuses "$small" prof-gate "$tiny" --

# What arrives byte by byte is the same stream.
if built prof-merge 'byte by byte'; then
	for f in "$data"/good-* "$data"/bad-*; do
		found "$f" || continue
		[ "$(wc -c <"$f")" -lt 1000 ] && usable "$f" || continue
		prof-merge <"$f" >whole 2>/dev/null
		status=$?
		dd bs=1 status=none <"$f" | prof-merge >dribble 2>err
		[ $? -eq $status ] && cmp -s whole dribble || echo "${f##*/}: $(head -1 err)" >>failed
	done
	verdict 'byte by byte'
fi

# write(read(write(p))) is write(read(p)), as inflated bytes.
for c in prof-fetch prof-merge; do
	built $c "$c: the second pass changes nothing" || continue
	for f in "$data"/good-*; do
		found "$f" || continue
		usable "$f" || continue
		$c "$f" 2>/dev/null | gzip -dc >once 2>/dev/null
		$c <once 2>/dev/null | gzip -dc >twice 2>/dev/null
		{ [ -s once ] && cmp -s once twice; } || echo "${f##*/}" >>failed
	done
	verdict "$c: the second pass changes nothing"
done

# text(read(write(p))) is text(read(p)): for what passes a profile on as it is,
# and for a merge of one, which adds up equal samples and no more.
views=$(prof-text --list-options 2>/dev/null | grep -oE -e '^--(top|traces|tags)\b')
for c in prof-fetch prof-merge; do
	name="prof-text of what $c wrote"
	built $c "$name" && built prof-text "$name" || continue
	for f in "$data"/good-*; do
		found "$f" || continue
		usable "$f" || continue
		for option in $views; do
			# A merge adds up samples, so its traces are others.
			[ "$c$option" != prof-merge--traces ] || continue
			prof-text $option "$f" >direct 2>err || echo "${f##*/}: $(head -1 err)"
			$c "$f" 2>/dev/null | prof-text $option >piped 2>/dev/null
			cmp -s direct piped || echo "${f##*/} $option"
		done >>failed
	done
	verdict "$name"
done

# The referee prints the same of our output as of the input. It is older than
# the format: it reads no zstd, no padding, no symbolized form, no counts
# without a stack, no %warn, no names in Go's texts; and it strips frames that we
# keep. legacy.t looks at those.
name='go tool pprof says the same of what prof-fetch wrote'
if ! have go || ! pprof=$(go env GOTOOLDIR)/pprof || [ ! -x "$pprof" ]; then
	skip "$name" 'no go tool pprof'
elif built prof-fetch "$name"; then
	for f in "$data"/good-*; do
		found "$f" || continue
		usable "$f" || continue
		case $f in
		*.zst | *.sym | *padded* | *good-go-*.txt* | *heap-warn* | *cpu-handler*) continue ;;
		esac
		prof-fetch "$f" >ours.pb.gz 2>/dev/null
		"$pprof" -raw -symbolize=none "$f" >want 2>&1
		"$pprof" -raw -symbolize=none ours.pb.gz >have 2>&1
		cmp -s want have || { echo "${f##*/}:" && diff want have | head -4; } >>failed
	done
	verdict "$name"
fi
plan
