#!/bin/sh
# storm.t [THREADS] - descriptors, timers, mappings (except those of a few
# records) and memory do not grow with the number of threads that were sampled.
# `make torture` runs it with a million.
threads=${1:-6000}
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

# Two periods of work each, so that some have ticks and some have not. Slabs of
# records: as many as there are threads at once, and those of the stacks that libc
# caches.
storm() {
	prof-record -q -F 4000 --clock="$1" -o s.pb.gz storm "$threads" 60000 >grown || return 2
	echo "grown: $(cat grown) (descriptors, timers, mappings, KB)"
	stacks s.pb.gz | sed -n '/^# sampling/p'
	awk '{ exit !($1 <= 0 && $2 <= 0 && $3 < 20 && $4 < 4096) }' grown
}
for clock in cpu perf wall; do
	live "$threads threads, --clock=$clock: nothing grows" storm $clock
done

plan
