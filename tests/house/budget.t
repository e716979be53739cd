#!/bin/sh
# What a small input may cost: each file is below a megabyte, and stands for
# gigabytes or hours. Every command is done with it in seconds, in less memory
# than a gigabyte, and says what was too much.
. "${srcdir:-.}/tests/lib/tap.sh"

need_tools 'the cost of an input' python3

cat >small.py <<'END2'
"""Profiles of a few kilobytes."""
import sys

def number(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)

def field(i, x):
    if isinstance(x, int):
        return number(i << 3) + number(x)
    return number(i << 3 | 2) + number(len(x)) + x

text = [b'', b'cpu', b'ns']

def string(s):
    text.append(s.encode())
    return len(text) - 1

def function(i, name):
    s = string(name)
    return field(5, field(1, i) + field(2, s) + field(3, s))

def location(i, lines, mapping=0, address=0):
    return field(4, field(1, i) + field(2, mapping) + field(3, address) +
                 b''.join(field(4, field(1, f) + field(2, n)) for f, n in lines))

def sample(stack):
    return field(2, field(1, b''.join(map(number, stack))) + field(2, number(1)))

def lines_of_frames(n, m):
    return (function(1, 'f') + location(1, [(1, i) for i in range(n)]) +
            sample([1] * m))

def mappings(n):
    out = function(1, 'f')
    for i in range(1, n + 1):
        out += field(3, field(1, i) + field(2, i << 12) +
                     field(3, (i + 1) << 12) + field(5, string('/%d' % i)))
        out += location(i, [(1, 1)], i, i << 12) + sample([i])
    return out

def names(n, name):
    return b''.join(function(i, name(i)) + location(i, [(i, 1)]) + sample([i])
                    for i in range(1, n + 1))

def nested(i):
    """Packs in packs, each twice in the next: all are empty."""
    return '1fI%sEv%s' % ('JJT_T_EE' if i else 'JJEE',
                          '1AIL_Z' + nested(i + 1) + 'EE' if i < 30 else 'v')

KINDS = {
    'frames': lambda: lines_of_frames(6000, 60000),
    'mappings': lambda: mappings(15000),
    'packs': lambda: names(30, lambda i: '_Z%dm%dIL_Z%sEEvv' % (
        len('m%d' % i), i, nested(0))),
    'brackets': lambda: names(200, lambda i: '_Z%dm%dI200%s%sEvv' % (
        len('m%d' % i), i, '<' * 200, 'S0_' * 300)),
}
body = field(1, field(1, 1) + field(2, 2)) + KINDS[sys.argv[1]]()
sys.stdout.buffer.write(body + b''.join(field(6, s) for s in text))
END2
for kind in frames mappings packs brackets; do
	python3 small.py $kind >$kind.pb
done

# costs NAME COMMAND: on a quiet machine a second is enough.
costs() {
	# What sanitizers map has nothing to do with memory that is used.
	limit='ulimit -v 4000000;'
	[ -z "${sanitized:-}" ] || limit=
	timeout 60 sh -c "$limit $2" >out 2>err </dev/null
	status=$?
	{ echo "status $status" && head -3 err; } >why
	if [ $status -le 3 ]; then ok "$1"; else not_ok "$1" <why; fi
}

if [ -n "${sanitized:-}" ]; then
	skip "lines times frames" "a sanitizer build has no limit of memory"
else
	too_much='larger than --max-size: a report takes'
	for c in 'prof-text' 'prof-text --folded' 'prof-text --traces' 'prof-text --tree' \
		prof-flame prof-html prof-dot 'prof-export --to=speedscope' prof-merge; do
		check_err "lines times frames: $c" 2 "$c frames.pb" "$too_much"
	done
	check 'a larger value lets them through' 0 \
		'prof-filter --max-size=64G frames.pb | prof-merge --max-size=64G | wc -c | grep -c .' <<'END2'
1
END2
fi
for c in prof-html 'prof-list f' prof-text prof-dot; do
	costs "mappings without end: $c" "$c mappings.pb"
done
if lacks 'prof-symbolize packs.pb'; then
	skip 'demangling' 'this build has no libiberty'
else
	check_err 'nested packs of templates' 0 'prof-symbolize packs.pb -o out.pb' \
		'names that take too long to demangle, and stay mangled: '
	costs 'brackets that nothing closes' 'prof-symbolize brackets.pb'
fi

plan
