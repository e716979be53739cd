# output.t - prof-record: where the profile goes, and that nothing of a run is
# lost. The programs do nothing: nothing here depends on what is sampled.
. "${srcdir:-.}/tests/lib/tap.sh"

# Refused before the program runs.
refused() {
	rm -f ran
	check_err "$1" 2 "prof-record -o $2 touch ran" "$3"
	[ ! -e ran ] && ok "the program did not run then" ||
		not_ok "the program did not run then" </dev/null
}
refused 'a folder that does not exist' /nosuch/x 'No such file or directory'
refused 'a folder' . "$(printf '.: Is a directory')"
refused 'a folder without files' /proc/x.pb.gz '/proc/x.pb.gz: '
mkdir here
refused 'a folder of that name' here 'here: Is a directory'
if mkdir full && mount -t tmpfs -o size=4k none full 2>log; then
	dd if=/dev/zero of=full/it bs=4k count=1 2>/dev/null
	refused 'a full disk' full/x.pb.gz 'No space left on device'
	umount full
else
	skip 'a full disk' 'no mount'
fi
check_err 'the folder of the default name' 2 \
	'(cd /proc && prof-record touch "$scratch/ran")' '.pb.gz: '
[ ! -e ran ] && ok 'the program did not run then' ||
	not_ok 'the program did not run then' </dev/null

# Kept if it cannot be written at the end.
cat >wait_for_gone <<'END'
while [ ! -e "$scratch/gone" ]; do sleep 0.02; done
END
export scratch
check_err 'the reader of the pipe is gone: the profile has a name' 0 \
	'rm -f gone prof.*; prof-record -q sh wait_for_gone | { exec <&-; : >gone; }' \
	'nobody reads the output; profile: prof.sh.'
check 'the file named after the program is whole' 0 'prof-text --comments prof.*.pb.gz | grep -c "^# sampling"' <<'END'
1
END
check 'a file in $TMPDIR, if not in the working folder' 0 \
	'rm -f gone prof.*; mkdir -p tmp
	(cd /proc && TMPDIR=$scratch/tmp prof-record sh "$scratch/wait_for_gone" 2>"$scratch/err" |
		{ exec <&-; : >"$scratch/gone"; })
	grep -c "nobody reads the output; profile: $scratch/tmp/prof.sh." err' <<'END'
1
END
check 'there it is' 0 'prof-text --comments tmp/prof.*.pb.gz | grep -c "^# sampling"' <<'END'
1
END
check 'a device that is full: status 2, and the profile is kept' 2 \
	'rm -f prof.*; prof-record -q -o /dev/full true 2>&1 | sed "s/[0-9][0-9]*/N/"; ls prof.true.*.pb.gz >list; prof-record -q -o /dev/full true 2>/dev/null' <<'END'
prof-record: /dev/full: write error: No space left on device
prof-record: profile: prof.true.N.pb.gz
END
check '-o -: the profile is on standard output, the program'"'"'s output is not' 0 \
	'prof-record -q -o - echo hello 2>err | prof-text --comments | grep -c "^# sampling"; cat err' <<'END'
1
hello
END

# Options of perf record.
check_err 'perf: -p' 2 'prof-record -p 1' "unknown option '-p': processes that run already: see --pid"
check_err 'perf: -a' 2 'prof-record -a true' 'see --all'
check_err 'perf: -e' 2 'prof-record -e cycles true' 'see --event'
check_err 'perf: -g' 2 'prof-record -g true' 'stacks are always recorded'
check_err 'perf: --call-graph' 2 'prof-record --call-graph=dwarf true' 'stacks are always recorded'

plan
