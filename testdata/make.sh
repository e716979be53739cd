#!/bin/sh
# Remake the profiles of this folder: make.sh FAMILY...
#
#   text    good-*.pb.gz from the *.txtpb beside them (protoc-c)
#   wire    the hand-made good-* and every bad-* (src/mkwire.c)
#   go      Go runtime profiles of src/gowork.go
#   golong  the long CPU profile of src/golong.go (a minute)
#   gperf   gperftools profiles of src/work.cc and src/parts.c
#   record  prof-record's own of tests/programs/demo.c and src/work.cc; $BIN_DIR is the build
#   check   is what text and wire make equal to what is here? (inflated)
#
# text and wire give the same bytes each time, whatever the machine; the others
# hold measurements, and the goldens taken from them change with a new run.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
proto=${PROTO_DIR:-$here/../proto}
# A fixed place, because the paths of the programs are in the profiles.
work=${WORK_DIR:-/tmp/profpipe-testdata}
mkdir -p "$work"

family_text() {
	for src in "$here"/*.txtpb; do
		name=$(basename "$src" .txtpb)
		protoc-c -I"$proto" --encode=perftools.profiles.Profile "$proto/profile.proto" \
			<"$src" | gzip -9n >"$1/good-$name.pb.gz"
	done
}

family_wire() {
	${CC:-cc} -O2 -o "$work/mkwire" "$here/src/mkwire.c"
	(cd "$1" && "$work/mkwire")
	gzip -dc "$here/good-tiny.pb.gz" | zstd -q19 --no-progress -c >"$1/good-tiny.pb.zst"
	head -c 5 "$1/good-tiny.pb.zst" >"$1/bad-zst-cut-header.pb.zst"
	head -c 200 "$1/good-tiny.pb.zst" >"$1/bad-zst-cut.pb.zst"
	{ cat "$1/good-tiny.pb.zst" && echo junk; } >"$1/bad-zst-junk.pb.zst"
	head -c 200 "$here/good-tiny.pb.gz" >"$1/bad-gz-cut-deflate.pb.gz"
	# 256 MB of zeros in an unknown field; bad.tsv reads it with a size cap.
	{ printf '\222\006\200\200\200\200\001' && head -c 268435456 /dev/zero; } |
		gzip -9n >"$1/bad-bomb.pb.gz"
}

family_go() {
	export GO111MODULE=off GOFLAGS=-trimpath
	go build -o "$work/gowork" "$here/src/gowork.go"
	rm -rf "$work/go" && mkdir "$work/go"
	(cd "$work" && ./gowork go)
	for f in "$work"/go/*; do
		cp "$f" "$1/good-go-$(basename "$f")"
	done
	for f in heap allocs; do # long texts; a gzipped legacy profile is read too
		gzip -9nf "$1/good-go-$f.txt"
	done
}

family_golong() {
	export GO111MODULE=off GOFLAGS=-trimpath CGO_ENABLED=0
	go build -o "$work/golong" "$here/src/golong.go"
	(cd "$work" && GOROOT=$(go env GOROOT) ./golong "$1/good-go-cpu-long.pb.gz" "${SECONDS_LONG:-60}")
}

build_work() {
	flags='-O2 -g -fno-omit-frame-pointer'
	${CC:-gcc} $flags -fPIC -shared -o "$work/libparts.so" "$here/src/parts.c"
	${CXX:-g++} $flags -o "$work/work" "$here/src/work.cc" -L"$work" -lparts \
		-Wl,-rpath,"$work" -Wl,--no-as-needed -ltcmalloc_and_profiler -lpthread
}

family_gperf() {
	build_work
	cd "$work"
	rm -f heap.*.heap
	CPUPROFILE_FREQUENCY=250 ./work cpu "$1/good-gperf-cpu.prof"
	TCMALLOC_SAMPLE_PARAMETER=65536 ./work heap "$1/good-gperf-heapsample.txt"
	./work growth "$1/good-gperf-growth.txt"
	HEAPPROFILE=heap ./work
	cp heap.0001.heap "$1/good-gperf-heap.txt"
	google-pprof --raw ./work "$1/good-gperf-cpu.prof" >"$1/good-gperf-cpu.sym" 2>/dev/null
	google-pprof --raw ./work "$1/good-gperf-heap.txt" >"$1/good-gperf-heap.sym" 2>/dev/null
	cd "$here"
}

family_record() {
	build_work
	${CC:-gcc} -O2 -g -o "$work/demo" "$here/../tests/programs/demo.c" -lpthread
	bin=$(cd "${BIN_DIR:-$here/../build}" && pwd)
	cd "$work"
	"$bin/prof-record" -o "$1/good-record-demo.pb.gz" -- ./demo 1 3
	"$bin/prof-record" -F 250 -o "$1/good-record-work.pb.gz" -- ./work busy
	cd "$here"
}

check() {
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	family_text "$tmp"
	family_wire "$tmp"
	status=0
	for f in "$tmp"/*; do
		name=$(basename "$f")
		case $name in
		# Of these the inflated bytes are the contract: deflate varies with its library.
		good-*.gz | bad-bomb.pb.gz)
			gzip -dc "$f" >"$tmp/new" && gzip -dc "$here/$name" >"$tmp/old"
			cmp -s "$tmp/new" "$tmp/old" ;;
		*.zst) true ;;
		*) cmp -s "$f" "$here/$name" ;;
		esac || { echo "differs: $name"; status=1; }
	done
	return $status
}

[ $# -gt 0 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }
for family; do
	case $family in
	text | wire | go | golong | gperf | record) "family_$family" "$here" ;;
	check) check ;;
	*) echo "make.sh: no family '$family'" >&2; exit 2 ;;
	esac
done
