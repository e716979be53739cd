# cross.t - libsample for other machines: it compiles without warnings, and samples a
# program under qemu: timers, handler, table, and stacks.
. "${srcdir:-.}/tests/lib/tap.sh"

# What libsample.la is made of.
sources=$(awk '/^libsample(_interp|_unwind)? =/, !/\\$/' "$src/sources.am" |
	tr ' \t' '\n\n' | sed -n "s#^libsample/.*\.c\$#$src/&#p")
flags="-std=gnu11 -O2 -D_GNU_SOURCE -I$bin -I$src -I$src/libsample
	-fomit-frame-pointer -fasynchronous-unwind-tables -pthread
	-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
	-Wwrite-strings -Wcast-qual -Wvla -Wformat=2 -Werror"

# on MACHINE COMPILER [FLAG]
on() {
	machine=$1 cc=$2
	root=/usr/$machine-linux-gnu
	if ! have "$cc" || ! echo 'int main(void) { return 0; }' |
		"$cc" -x c -o empty - 2>/dev/null; then
		skip "libsample for $machine" "no $cc"
		return
	fi
	# shellcheck disable=SC2086 # lists of words
	if [ "$sources" ] && "$cc" $flags $3 -DBINDIR='"/usr/bin"' -fPIC -fvisibility=hidden \
		-fno-stack-protector -ftls-model=initial-exec -shared -Wl,-z,now,-z,defs \
		-o libsample.so $sources >why 2>&1 &&
		"$cc" $flags $3 -o cross "$src/tests/programs/cross.c" -Wl,--no-as-needed \
			-Wl,-rpath,"$PWD" ./libsample.so >>why 2>&1; then
		ok "$machine: it compiles"
	else
		not_ok "$machine: it compiles" <why
		return
	fi

	name="$machine: it samples a program under qemu: shares, ticks, stacks"
	if ! have "qemu-$machine" || ! "qemu-$machine" -L "$root" ./empty; then
		skip "$name" "no qemu-$machine"
		return
	fi
	"qemu-$machine" -L "$root" ./cross make memory &&
		SAMPLE_SESSION="$PWD/memory,7" "qemu-$machine" -L "$root" \
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
}

on aarch64 "${CROSS_CC:-aarch64-linux-gnu-gcc}" -mbranch-protection=standard
on riscv64 riscv64-linux-gnu-gcc ''
plan
