# refused.t - options of prof-record that it refuses before anything is sampled.
. "${srcdir:-.}/tests/lib/tap.sh"

# From outside.
check_err 'preload cannot attach' 2 'prof-record --sampler=preload --pid 1' \
	'--sampler=preload'
check_err 'what only libsample has' 2 'prof-record --pid 1 --heap' "libsample's"
check_err 'what only the kernel has' 2 \
	'prof-record --sampler=preload --kernel=no true' '--kernel is for'
check_err 'seconds of nothing' 2 'prof-record --seconds 3 true' '--seconds is for --pid, --all and --cgroup, without'
check_err 'a list that is none' 2 'prof-record --pid 12,x' 'not a list'
check_err 'a label that is none' 2 'prof-record --pid 1 --label=thread,x' \
	"unknown label 'x'; one of thread, tid, cpu, cgroup, container"

# --every.
check_err 'no names for the files' 2 'prof-record --pid 1 --every 60' \
	"--every needs the files' names"
check_err 'one name for all' 2 'prof-record --pid 1 --every 60 -o x.pb.gz' \
	"--every needs the files' names"
check_err 'a command ends' 2 'prof-record --every 60 -o %F.pb.gz true' \
	'--every is for --pid, --all and --cgroup'
check_err 'a server has its own periods' 2 \
	'prof-record --pid 1 --every 60 --listen 0 -o %F.pb.gz' \
	'--every and --listen: ask for one'
check_err 'ages of one file' 2 'prof-record --pid 1 --keep=1d -o x.pb.gz' \
	'--keep is for --every'
check_err 'a name without meaning' 2 \
	"prof-record --pid $$ --every 60 -o %x.pb.gz" "'%x' has no meaning"

# --event and --offcpu.
check_err 'an event that there is not' 2 'prof-record --event=faults true' \
	"unknown event 'faults'; one of cpu-clock, cycles"
check_err 'a period that is none' 2 'prof-record --event=page-faults:0 true' \
	"'0' is not a period"
check_err 'a period with a word behind it' 2 \
	'prof-record --event=page-faults:5x true' "'5x' is not a period"
check_err 'the period of the clock is that of -F' 2 \
	'prof-record --event=cpu-clock:5 true' 'that of -F'
check_err 'events are the kernel'"'"'s' 2 \
	'prof-record --sampler=preload --event=page-faults true' '--event is for'
check_err 'waits, too' 2 'prof-record --clock=wall --offcpu true' "libsample's"
check_err 'another way to see waits' 2 'prof-record --offcpu=exact true' \
	"unknown word 'exact'; one of approx"

# Memory, locks, children.
check_err 'one profile is about one thing' 2 \
	'prof-record --heap --growth -o x.pb.gz true' 'different profiles'
check_err 'no bytes' 2 'prof-record --heap=0 -o x.pb.gz true' 'say 1'
check_err 'one profile is about one thing: locks are another' 2 \
	'prof-record --lock --heap -o x.pb.gz true' 'different profiles'
check_err '--children=separate needs a place for the number' 2 \
	'prof-record --children=separate -o x.pb.gz true' '{}'
check_err '--children=HOW' 2 'prof-record --children=all -o x.pb.gz true' \
	"unknown treatment 'all'; one of merge, none, separate"

if [ "$sanitized" ]; then
	skip 'no /proc' 'sanitizers need it'
elif unshare -Urm mount -t tmpfs none /proc 2>log; then
	check_err 'no /proc' 2 \
		"unshare -Urm sh -c 'mount -t tmpfs none /proc && exec prof-record -o x.pb.gz true'" \
		'there is no /proc'
else
	skip 'no /proc' "$(head -1 log)"
fi

plan
