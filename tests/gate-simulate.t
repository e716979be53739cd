#!/bin/sh
# prof-gate: false alarms and power, by simulation, against what doc/gate.md
# promises. 75 comparisons of each kind here, 2,000 in make check-long. Needs
# the GNU Scientific Library.
. "${srcdir:-.}/tests/tap.sh"

if lacks 'prof-gate a -- b'; then
	skip_rest 'the simulation' 'this build has no GSL'
fi
trials=75
[ -z "$long" ] || trials=2000
gate-simulate --check $trials
