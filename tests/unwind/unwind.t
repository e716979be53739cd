# unwind.t - the unwinder against other unwinders. handler.t checks the
# references of its code in the handler.
. "${srcdir:-.}/tests/lib/tap.sh"

machine=$(uname -m)

name='99.9 % of single-stepped contexts are equal to the referees'"'"
if [ "$machine" != x86_64 ]; then
	skip "$name" "steps on x86_64 only, not on $machine"
elif [ -n "${sanitized:-}" ]; then
	skip "$name" 'sanitizers step aside from their own frames'
elif unwind-step >out 2>err; then
	ok "$name"
	grep -q libunwind out || skip 'libunwind as a referee' 'no libunwind.so.8'
	sed 's/^/# /' out
else
	cat err >>out
	not_ok "$name" <out
fi

# Programs of this machine, single-stepped now and then by a preloaded
# referee: minutes, so only when asked.
referee=$bin/tests/.libs/unwind-preload.so
preload() {
	name="99.9 % are equal in ${1##*/}"
	if ! have "$1"; then
		skip "$name" "no $1"
		return
	fi
	rm -f counts
	env UNWIND_COUNTS="$PWD/counts" LD_PRELOAD="$referee" "$@" \
		</dev/null >/dev/null 2>err
	# "... N without a witness, N differ"
	if [ -s counts ] && awk '{ n = $2; differ = $(NF - 1) + $(NF - 5) }
		END { exit n < 100 || differ * 1000 > n }' counts; then
		ok "$name"
		sed 's/^/# /' counts
	else
		cat err counts >out 2>&1
		not_ok "$name" <out
	fi
}

# Compiled with all optimisation, and panics that unwind.
name='99.9 % are equal in a Rust program'
if [ "$machine" != x86_64 ] || [ -n "${sanitized:-}" ]; then
	skip "$name" 'on x86_64 without sanitizers only'
elif ! have rustc; then
	skip "$name" 'no rustc'
elif rustc -O -o rusty "$src/tests/programs/unwind-rust.rs" 2>why; then
	preload ./rusty
else
	not_ok "$name" <why
fi

if [ "$machine" != x86_64 ] || [ -n "${sanitized:-}" ]; then
	skip 'real programs' 'on x86_64 without sanitizers only'
elif [ -z "$long" ]; then
	skip 'real programs' 'minutes of it: make check-long'
else
	head -c 8000000 "$bin/tests/unwind-step" "$bin"/.libs/* >food 2>/dev/null
	preload gzip -c food
	preload xz -c food
	preload openssl speed -seconds 1 aes-128-cbc sha256 rsa2048
	preload openssl speed -seconds 1 -evp aes-256-gcm
	preload openssl speed -seconds 1 -evp chacha20-poly1305
	preload perl -e 'for (1..200000) { $h{"k$_"} = $_; } print sort keys %h'
	preload /usr/bin/python3 -c 'import json, re
x = [json.dumps({"a": i}) for i in range(50000)]
print(sum(len(re.sub("a.", "bb", s)) for s in x))'
	preload find /usr -name '*.zzz'
fi

# The unwind information of each address, read where it lies, beside rows of all.
name='each address has the row that compiling all gives it'
if [ "$machine" != x86_64 ] && [ "$machine" != aarch64 ]; then
	skip "$name" "no tables on $machine"
elif unwind-find libcrypto.so.3 libstdc++.so.6 libm.so.6 >out 2>&1; then
	ok "$name"
	sed 's/^/# /' out
else
	not_ok "$name" <out
fi

# What a linker wrote, through the fuzz target.
name='fuzz-unwind: the .eh_frame of demo'
if have readelf && readelf -SW "$bin/tests/demo" | awk '
	{ sub(/^ *\[ *[0-9]+\] */, "") }
	$1 == ".eh_frame_hdr" { hdr = $4 }
	$1 == ".eh_frame" { print hdr, $4, $5 }' >at && [ -s at ]; then
	read -r hdr frame size <at
	dd if="$bin/tests/demo" of=demo.eh bs=1 skip=$((0x$hdr)) \
		count=$((0x$frame + 0x$size - 0x$hdr)) 2>/dev/null
	check "$name" 0 'fuzz-unwind demo.eh 2>/dev/null' </dev/null
else
	skip "$name" 'no readelf'
fi

plan
