#!/bin/sh
# prof-gate: false alarms and power, by simulation, against the limits in
# doc/gate.md. Up to 300 comparisons of each kind, 2,000 in make check-long.
# Needs the GNU Scientific Library.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"

if lacks 'prof-gate a -- b'; then
	skip_rest 'the simulation' 'this build has no GSL'
fi
how='--quick 300'
[ -z "$long" ] || how='--check 2000'
# shellcheck disable=SC2086
gate-simulate $how
