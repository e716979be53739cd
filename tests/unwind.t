# unwind.t - the unwinder against other unwinders, and what its handler side
# may reach. It is compared at every instruction of the work, in a second.
. "${srcdir:-.}/tests/tap.sh"

machine=$(uname -m)

# The objects that run inside a signal handler: nothing from outside but each
# other.
name='the walk needs no symbol from elsewhere'
walk="$bin/libsample/.libs/libunwinder_la-unwind.o
$bin/libsample/.libs/libunwinder_la-unwind-expr.o"
# shellcheck disable=SC2086 # two files
if ! have nm; then
	skip "$name" 'no nm'
elif nm -u $walk | grep -q '__\(asan\|ubsan\|sanitizer\)_'; then
	skip "$name" 'built with sanitizers'
elif nm -u $walk | awk 'NF == 2 && $1 == "U" { print $2 }' |
	grep -vx -e unwind_expr_eval -e unwind_reg \
		-e _GLOBAL_OFFSET_TABLE_ >alien; then
	not_ok "$name" <alien
else
	ok "$name"
fi

name='99.9 % of single-stepped contexts are equal to the referees'"'"
if [ "$machine" != x86_64 ]; then
	skip "$name" "steps on x86_64 only, not on $machine"
elif nm "$bin/tests/unwind-step" | grep -q '__asan_init'; then
	skip "$name" 'sanitizers step aside from their own frames'
elif unwind-step >out 2>err; then
	ok "$name"
	sed 's/^/# /' out
else
	cat err >>out
	not_ok "$name" <out
fi

plan
