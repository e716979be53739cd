# symbolize.sh - sourced by the tests of prof-symbolize after tap.sh: small
# programs, profiles of all their addresses, and what others say of those.

mkdir src
columns=-c
cat >src/app.cc <<'END'
#include "shape.h"

namespace app {

int calls;

template <typename T>
struct box {
	T value;

	inline __attribute__((always_inline)) T
	get(int n) const
	{
		calls++;
		return value + square(n);
	}
};

static __attribute__((noinline)) int
fold(const int *v, int n)
{
	box<int> b = { n };
	int sum = 0;

	for (int i = 0; i < n; i++) {
		if (v[i] > 100)
			sum += b.get(v[i]);
		else
			sum -= cube(v[i]);
	}
	return sum;
}

} // namespace app

extern "C" int
c_part(int n);

int
main(int argc, char **argv)
{
	int v[] = { 1, 200, 3, argc, 500 };
	auto add = [&](int x) { return x + app::fold(v, argc + 4); };

	(void)argv;
	return add(c_part(argc)) == 77;
}
END
cat >src/shape.h <<'END'
static inline __attribute__((always_inline)) int
square(int x)
{
	return x * x + 1;
}

static inline __attribute__((always_inline)) int
cube(int x)
{
	return square(x) * x;
}
END
cat >src/part.c <<'END'
#include "shape.h"

int c_part(int n);

static __attribute__((noinline)) int
twice(int n)
{
	return n + square(n);
}

int
c_part(int n)
{
	int r = 0;

	while (n--)
		r += twice(n) ^ cube(n);
	return r;
}
END

# build NAME COMPILER-PAIR FLAGS: the program, into $scratch/NAME.
build() {
	build_name=$1 build_cc=$2 build_cxx=$3
	shift 3
	{
		"$build_cc" "$@" -c src/part.c -o part.o &&
			"$build_cxx" "$@" -c src/app.cc -o app.o &&
			"$build_cxx" "$@" app.o part.o -o "$build_name"
	} >build.log 2>&1
}

# text FILE: address, offset and size of its section .text, in hex.
text() {
	readelf -SW "$1" | sed 's/^ *\[[ 0-9]*\]//' |
		awk '$1 == ".text" { print $3, $4, $5 }'
}

build_id() {
	readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p'
}

# profile FILE [NAME]: a profile, FILE.pb, of every address of FILE's .text as
# the loader would have placed it, with the path NAME. Sets $load.
profile() {
	# shellcheck disable=SC2046 # words
	set -- "$1" "${2:-$scratch/$1}" $(text "$1")
	case $(readelf -hW "$1" | sed -n 's/^ *Type: *//p') in
	EXEC*) load=0 ;;
	*) load=$((0x55554000)) ;; # awk may not know larger numbers
	esac
	p_end=$((0x$3 + 0x$5))
	p_page=$((0x$3 / 4096 * 4096))
	p_off=$((0x$4 - 0x$3 + p_page))
	awk -v a=$((0x$3)) -v n=$((0x$5)) 'BEGIN {
		for (i = 0; i < n; i++)
			printf "0x%x\n", a + i
	}' >"$1.addr"
	awk -v a=$((0x$3)) -v n=$((0x$5)) -v base=$load 'BEGIN {
		for (i = 0; i < n; i++)
			printf "0x%x\n", base + a + i
	}' | addrs make $((load + p_page)) $((load + (p_end + 4095) / 4096 * 4096)) \
		$p_off "$2" "$(build_id "$1")" >"$1.pb"
}

# What llvm-symbolizer and addr2line say, in the form of addrs print.
llvm_lines() {
	llvm-symbolizer --inlines --no-demangle --obj="$1" <"$1.addr" | awk '
		$0 == "" { print line; line = ""; next }
		{ n = NR % 2 }
		{ sub(/^\?\?$/, "") ; sub(/^\?\?:/, ":"); line = line " " $0 }'
}

# The same of addr2line, which has no columns, and calls what it does not know
# "??", in lines of "0xADDRESS", function, file:line.
addr2line_lines() {
	addr2line -a -f -i -e "$1" <"$1.addr" | sed -e 's/ (discriminator .*//' \
		-e 's/^??$//' -e 's/^??:[?0]$/:0/' -e 's/:?$/:0/' |
		awk '/^0x/ && NR > 1 { print line; line = "" }
			!/^0x/ { line = line " " $0 }
			END { print line }'
}

# What prof-symbolize says of FILE.pb, without the addresses.
our_lines() {
	lines_file=$1
	shift
	prof-symbolize "$@" "$lines_file.pb" 2>.said | addrs print $columns |
		sed 's/^[^ ]*//'
}

# same NAME: are want and have the same, and not empty?
same() {
	if [ -s want ] && grep -q . want && cmp -s want have; then
		ok "$1"
	else
		{
			wc -l want have
			paste -d'\n' want have | awk '
				NR % 2 == 1 { w = $0 }
				NR % 2 == 0 && w != $0 && n++ < 5 {
					print "have" $0 "\nwant" w
				}'
			head -3 .said
		} >.why
		not_ok "$1" <.why
	fi
}

# The answers for every address of FILE are those of llvm-symbolizer.
same_as_llvm() {
	our_lines "$1" >have
	# It gives padding, too, to functions of the C runtime that have no size.
	llvm_lines "$1" | sed 's/^  :0:0$//' | awk '
		NR == FNR { have[FNR] = $0; next }
		/ crt(stuff.c|1.o):0:0$/ && have[FNR] == "" { $0 = "" }
		{ print }' have - >want
	same "$2: as llvm-symbolizer"
}
