#!/bin/sh
# An input below 1 MB costs less than 1 GB of memory and 10 s of a processor, in
# every command: the inputs of tests/lib/bombs.py are read, or refused in a line
# that says why. The limit is on address space, so what is resident is less.
# Of the product of inputs and reports a third is tried, all in make check-long.
# Slow: eighty runs.
. "${srcdir:-.}/tests/lib/tap.sh"

need_tools 'bounds' python3

bomb() {
	[ -s "$1" ] || python3 "$src/tests/lib/bombs.py" "$1" "$PWD/$1.elf" >"$1"
}

bomb pack_names
printf '# cpu nanoseconds\n_ZN1a1fEv 1\n' | mkprof >mangled
if lacks 'prof-symbolize mangled'; then
	skip 'nested packs of templates' 'this build has no libiberty'
else
	check_err 'nested packs of templates' 0 'prof-symbolize pack_names -o out' \
		'names that take too much time or memory to demangle, and stay mangled: '
fi

[ -z "$sanitized" ] || skip_rest 'bounds' 'sanitizers reserve more address space'

printf '# samples count\nmain;f 1\n' | mkprof >small
prof-merge small | cat >alone
check 'zeros behind a profile are not kept' 0 \
	'{ cat small; head -c 600000000 /dev/zero; } | (ulimit -v 500000; prof-merge) | cmp - alone' </dev/null

# bounded INPUT COMMAND: "@" in it stands for the input.
bounded() {
	bounded_run=$(echo "$2" | sed "s|@|$1|g")
	rm -f .err
	bomb "$1"
	(
		ulimit -v 1048576 && ulimit -t 10 || exit 99
		eval "exec $bounded_run" >/dev/null 2>.err </dev/null
	)
	case $?/$(wc -c <"$1")/$(cat .err) in
	[013]/[1-9]*/* | 2/[1-9]*/"${bounded_run%% *}: "*) ! grep -q 'out of memory' .err ;;
	*) false ;;
	esac && ok "$bounded_run" || not_ok "$bounded_run" <.err
}

reports='prof-text @
prof-text --tree @
prof-text --traces @
prof-dot @
prof-flame @
prof-list --list=. @
prof-html @
prof-merge @ @
prof-diff @ @
prof-filter --focus=f @
prof-symbolize @
prof-fetch @
prof-export --to folded @
prof-export --to speedscope @
prof-export --to otlp @'

# all INPUT: by every third report, the next input by those that follow them, so that
# each report has a third of the inputs; in check-long, by every report.
third=0
all() {
	echo "$reports" | awk -v third=$third -v long="$long" 'long || NR % 3 == third' >.rows
	third=$(((third + 1) % 3))
	while read -r row; do
		bounded "$1" "$row"
	done <.rows
}

all inlined_small
all inlined
all deep
all mappings
all long_paths
all bracket_names
all nested_gzip
all zeros_gzip
all folded_deep
all count_profile
all sparse_elf
bounded sparse_elf 'prof-list --disasm=. @'
bounded sparse_elf 'prof-symbolize @'
bounded long_paths 'prof-symbolize @'
bounded long_abbrevs 'prof-symbolize --no-cache @'
bounded long_abbrev 'prof-symbolize --no-cache @'
bounded empty_files 'prof-symbolize --no-cache @'
bounded shared_ranges 'prof-symbolize --no-cache @'
bounded bracket_names 'prof-symbolize @'
bounded normal_names 'prof-diff --normalize-names @ @'
bounded inlined_code 'prof-list --disasm=f @'
check 'the process without rights reads as much of it' 0 '
	PROF_SANDBOX=0 prof-list --disasm=f inlined_code >want 2>&1
	prof-list --disasm=f inlined_code 2>&1 | cmp - want' </dev/null
cat >peak.py <<'END'
import os, resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
               env=dict(os.environ, PROF_SANDBOX="0"))
print("MB:", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)
END
for input in same_stubs same_slots; do
	bomb $input
	touch -d '1 hour' $input.elf # a file that may still change is read, not mapped
	check "thousands of sections: $input" 0 "
		python3 peak.py prof-symbolize --no-cache -o out $input | awk '\$2 > 100'" </dev/null
done
bomb same_notes
check 'thousands of sections of the same notes: the run does not end' 0 \
	'ulimit -v 1048576; PROF_SANDBOX=0 prof-symbolize -q --no-cache same_notes -o out' <<'END'
END
# What else makes a report of its own.
head -c 64 /dev/zero >key
chmod 600 key
while read -r row; do
	bounded inlined_small "$row"
done <<'END'
prof-text --peek=. @
prof-text --tags @
prof-text --raw @
prof-text --json @
prof-text --folded @
prof-flame --reverse @
prof-gate @ @ -- @ @
prof-filter --anonymize --key=key @
prof-filter --pgo @
prof-export --to callgrind @
prof-export --to firefox @
prof-export --to cpuprofile @
prof-export --to otlp-json @
prof-list --weblist=. @
prof-list --json --list=. @
prof-symbolize --force --demangle=templates @
END
bounded mappings 'prof-gate @ -- @'
for input in folded_deep folded_wide speedscope cpuprofile firefox brackets_json \
	otlp_stack otlp_strings; do
	bounded $input 'prof-import @'
done

bomb inlined_most
for c in 'prof-text' 'prof-text --folded' 'prof-text --traces' 'prof-text --tree' \
	prof-flame prof-html prof-dot 'prof-export --to=speedscope' prof-merge; do
	check_err "lines times frames: $c" 2 "$c inlined_most" \
		'larger than --max-size: a report takes'
done
for input in same_comment same_label same_path; do
	bomb $input
	check_err "a string again and again: $input" 2 "prof-text --raw $input" \
		'larger than --max-size: a report takes'
done
check 'a larger value lets them through' 0 \
	'prof-filter --max-size=64G inlined_most | prof-merge --max-size=64G | wc -c | grep -c .' <<'END'
1
END
plan
