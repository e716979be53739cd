# unwind.t - the unwinder against other unwinders. What its handler side may
# reach is held by handler.t.
. "${srcdir:-.}/tests/tap.sh"

machine=$(uname -m)

name='99.9 % of single-stepped contexts are equal to the referees'"'"
if [ "$machine" != x86_64 ]; then
	skip "$name" "steps on x86_64 only, not on $machine"
elif [ -n "${sanitized:-}" ]; then
	skip "$name" 'sanitizers step aside from their own frames'
elif unwind-step >out 2>err; then
	ok "$name"
	sed 's/^/# /' out
else
	cat err >>out
	not_ok "$name" <out
fi

plan
