#!/bin/sh
# The commands that manual pages display, as a reader sees them, run in a folder that
# has what they name: each command of a pipeline ends with status 0. Those of prof-fetch, prof-history,
# prof-list and prof-shell are in their own tests, with servers, archives and sources;
# the table names the others that cannot run here.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/pages.sh"

need_tools 'examples' bash
for lib in 'prof-symbolize x' 'prof-html x' 'prof-dot -T svg x'; do
	! lacks "$lib" || skip_rest 'examples' "${lib%% *} lacks a library"
done

cat >table <<'END'
setcap *	it changes a file of the system
*localhost:6060*	tests/live/listen.t serves at a port that is free
prof-record --listen 6060*	tests/live/listen.t serves at a port that is free
*localhost:4318*	it needs a collector of OpenTelemetry
*--pid 1234*	tests/live/outside.t has a process to record
prof-record --all*	tests/live/outside.t records the machine
java *	tests/formats/jfr.t has a recording
*debuginfod.debian.net*	tests/symbolize/debuginfod.t has a server
prof-fetch web1:80/*	tests/symbolize/remote.t has that server
*/var/lib/profiles	tests/history/thin.t has archives
prof-export --to callgrind --pprof*	it needs a file that pprof wrote
perf record *	tests/live/import-perf.t records
pprof *	tests/formats/corpus.t has go tool pprof
prof-record -o app.pb.gz node*	tests/live/jit.t runs node
END

# elsewhere COMMAND: why it does not run here, if it does not.
elsewhere() {
	while IFS='	' read -r pattern why; do
		# shellcheck disable=SC2254 # it is a pattern
		case $1 in
		$pattern) echo "$why" ;;
		esac
	done <table
	case $1 in
	*'| jq '*) have jq || echo 'no jq here' ;;
	'prof '*) have prof || echo 'prof is made when it is installed' ;;
	esac
}

n=0
mkdir archive bin
for f in old new a b cpu profile old1 old2 old3 new1 new2 new3 archive/1 archive/2; do
	n=$((n + 1))
	mkprof >$f.pb.gz <<END
# samples count cpu nanoseconds
@time $((1700000000 + n))000000000
@duration 5000000000
@period cpu nanoseconds 10000000
main (main.c:3);json.Encode (json.c:4) $((300 + n % 3)) $((300 + n % 3))0000000 {user="ann"}
main (main.c:3);parse_json (json.c:9);malloc (m.c:1) $((900 - n % 3)) $((900 - n % 3))0000000
END
done
cp a.pb.gz b.pb.gz
for heap in heap heap1 heap2; do
	cp "$data/good-heap4.pb.gz" $heap.pb.gz
done
mkperf 1 5 >perf.data
prof-export --to firefox "$data/good-tiny.pb.gz" | gzip >profile.json.gz
prof-export --to otlp -o app.otlp cpu.pb.gz
echo 'malloc cum < 90%' >budget.txt
printf '#!/bin/sh\nexec demo 0.1 1\n' >app
cp app server
chmod +x app server
printf 'all:\n\tdemo 0.1 1\n' >Makefile
raw_demo >app.pb.gz

for page in "$src"/doc/*.[1-8]; do
	found "$page" || continue
	page=${page##*/}
	case $page in
	prof-fetch.1 | prof-history.1 | prof-list.1 | prof-shell.1) continue ;;
	esac
	shown "$page" >examples
	while IFS= read -r example; do
		why=$(elsewhere "$example")
		if [ "$why" ]; then
			skip "$page: $example" "$why"
			continue
		fi
		if bash -o pipefail -c "$example" >out 2>.err </dev/null; then
			ok "$page: $example"
		else
			not_ok "$page: $example" <.err
		fi
	done <examples
done
plan
