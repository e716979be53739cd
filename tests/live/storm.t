#!/bin/sh
# storm.t [THREADS] - descriptors, timers, mappings (except those of a few
# records) and memory do not grow with the number of threads that were sampled.
# `make torture` runs it with a million.
threads=${1:-6000}
. "${srcdir:-.}/tests/lib/tap.sh"

for clock in cpu perf wall; do
	name="$threads threads, --clock=$clock: nothing grows"
	# Two periods of work each, so that some have ticks and some have not.
	prof-record -q -F 4000 --clock=$clock -o s.pb.gz \
		storm "$threads" 60000 >grown 2>err
	status=$?
	# Slabs of records: as many as there are threads at once, and those of
	# the stacks that libc caches.
	if [ $status -eq 0 ] &&
		awk '{ exit !($1 <= 0 && $2 <= 0 && $3 < 20 && $4 < 4096) }' \
			grown && stacks s.pb.gz >ticks; then
		ok "$name"
		echo "# grown: $(cat grown) (descriptors, timers, mappings, KB)"
		sed -n 's/^# sampling/# sampling/p' ticks
	else
		{ echo "status $status"; cat grown err; } >why
		not_ok "$name" <why
	fi
done

plan
