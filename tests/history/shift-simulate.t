#!/bin/sh
# prof-history --change: false alarms and power, by simulation, against the table
# of doc/history.md: 1,000 series of each kind here, 20,000 in make check-long.
# Needs the GNU Scientific Library.
. "${srcdir:-.}/tests/lib/tap.sh"

if lacks 'prof-gate a -- b'; then
	skip_rest 'the simulation' 'this build has no GSL'
fi
! lacks 'prof-history --index .' || skip_rest 'the simulation' 'this build has no sqlite'
how=1000
[ -z "$long" ] || how=20000
shift-simulate $how
