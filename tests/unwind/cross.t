# cross.t - libsample for aarch64: it compiles without warnings, and samples a
# program under qemu: timers, handler, table, and stacks.
. "${srcdir:-.}/tests/lib/tap.sh"

cc=${CROSS_CC:-aarch64-linux-gnu-gcc}
qemu=${CROSS_QEMU:-qemu-aarch64}
root=${CROSS_ROOT:-/usr/aarch64-linux-gnu}

if ! have "$cc" || ! echo 'int main(void) { return 0; }' |
	"$cc" -x c -o empty - 2>/dev/null; then
	skip_rest 'libsample for aarch64' "no $cc"
fi

# What libsample.la is made of.
sources=$(awk '/^libsample(_interp|_unwind)? =/, !/\\$/' "$src/sources.am" |
	tr ' \t' '\n\n' | sed -n "s#^libsample/.*\.c\$#$src/&#p")
flags="-std=gnu11 -O2 -g -D_GNU_SOURCE -I$bin -I$src -I$src/libsample
	-fomit-frame-pointer -mbranch-protection=standard -pthread
	-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
	-Wwrite-strings -Wcast-qual -Wvla -Wformat=2 -Werror"
# shellcheck disable=SC2086 # lists of words
if [ "$sources" ] && "$cc" $flags -DBINDIR='"/usr/bin"' -fPIC -fvisibility=hidden \
	-fno-stack-protector -ftls-model=initial-exec -shared -Wl,-z,now,-z,defs \
	-o libsample.so $sources >why 2>&1 &&
	"$cc" $flags -o cross "$src/tests/programs/cross.c" -Wl,--no-as-needed \
		-Wl,-rpath,"$PWD" ./libsample.so >>why 2>&1; then
	ok 'it compiles'
else
	not_ok 'it compiles' <why
	plan
	exit
fi

name='it samples a program under qemu: shares, ticks, stacks'
if ! have "$qemu" || ! "$qemu" -L "$root" ./empty; then
	skip "$name" "no $qemu"
else
	"$qemu" -L "$root" ./cross make memory &&
		SAMPLE_SESSION="$PWD/memory,7" "$qemu" -L "$root" \
			./cross run memory >got 2>err
	# 0.8 s at 1000 Hz. One stack in fifty may be caught while its frame is
	# made or undone.
	if awk '{ exit !($1 > 55 && $1 < 92 && $2 > 500 && $2 < 1000 &&
			$3 * 50 <= $2) }' got && [ -s got ]; then
		ok "$name"
		echo "# $(cat got)"
	else
		cat got err >why
		not_ok "$name" <why
	fi
fi

plan
