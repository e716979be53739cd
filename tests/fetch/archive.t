# prof-fetch into an archive: names, the lock, full disks, and above all that
# --keep removes only files that it has written.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/fetch.sh"

host=$(hostname)
cp "$data"/good-gperf-heap.txt heap.txt
prof-fetch heap.txt | decode >heap
prof-fetch "$data"/good-go-cpu.pb.gz | decode >cpu

# tree FOLDER: the files in it, digits and this host's name made equal.
cat >bin/tree <<END
cd "\$1" && find . -mindepth 1 ! -path './.prof-fetch*' |
	sed 's,^\./,,; s,^$host,HOST,; s/[0-9]/N/g' |
	sort
END
# age SECONDS: make what the index of prof/ has so much older. There was another
# run half-way, whose file is gone: --keep removes nothing after a long pause.
cat >bin/age <<'EOT'
awk -F'\t' -v OFS='\t' -v s="$1" '{ $2 -= s; print }
	END { print "F", $2 + int(s / 2), 0, 0, "%t/x.pb.gz", "between" }' prof/.prof-fetch/index >aged
cat aged >prof/.prof-fetch/index
EOT
chmod +x bin/*

# --- names ------------------------------------------------------------------

check 'a file of this machine' 0 \
	'prof-fetch -o "prof/%h/%Y-%m-%d/%H%M%S-%t.pb.gz" heap.txt; tree prof' <<'END'
HOST
HOST/NNNN-NN-NN
HOST/NNNN-NN-NN/NNNNNN-inuse_space.pb.gz
END
check 'holds the profile' 0 'cat prof/*/*/*-inuse_space.pb.gz | decode | cmp - heap' <<'END'
END
check 'all letters' 0 '
	day=$(date -u +%F)
	TZ=Asia/Tokyo prof-fetch -o "abc/d%%-%p-%Y%m%d%j%H%M%S-%F-%G%V%u" - <heap.txt
	tree abc; ls abc | grep -c -e "$day" -e "$(date -u +%F)"' <<'END'
d%-N-NNNNNNNNNNNNNNNNN-NNNN-NN-NN-NNNNNNN
1
END
check 'no folder at all' 0 '
	mkdir flat && cd flat && prof-fetch -o "%t.pb.gz" ../heap.txt; tree .' <<'END'
inuse_space.pb.gz
END
check 'a file of the same name stays' 0 '
	cp flat/inuse_space.pb.gz before
	prof-fetch -o "flat/%t.pb.gz" -z 1 heap.txt; prof-fetch -o "flat/%t.pb.gz" heap.txt
	cmp before flat/inuse_space.pb.gz; tree flat; decode <flat/inuse_space-2.pb.gz | cmp - heap' <<'END'
inuse_space-N.pb.gz
inuse_space-N.pb.gz
inuse_space.pb.gz
END
check_err 'a letter without a meaning' 2 'prof-fetch -o "x/%h/%D" heap.txt' \
	"'%D' has no meaning; these have: %h %p %q %t %%"
check_err 'half a letter' 2 'prof-fetch -o "x/%h/%" heap.txt' "'%' has no meaning"
for p in '%h/../%t' '%h/./%t' '%h//%t' '%h/' '%h/.%t' '%h/.prof-fetch/%t'; do
	check_err "no name for an archive: $p" 2 "prof-fetch -o 'x/$p' heap.txt" \
		'is no name for a folder or file of an archive'
done
check 'of two files with one name, the first is kept' 2 '
	prof-fetch --partial-ok -o "two/%t" heap.txt ./heap.txt 2>&1; s=$?; tree two; exit $s' <<'END'
prof-fetch: ./heap.txt: 'inuse_space' is the file of heap.txt too
inuse_space
END
# A name is found before anything is sent: two that are one are refused.
check_err 'two pages that differ in the query have one name' 2 \
	'prof-fetch -o "query/%h-%t" 127.0.0.1:1/heap?a=1 127.0.0.1:1/heap?a=2' \
	"'127.0.0.1-heap' is the file of http://127.0.0.1:1/heap?a=... too; can %p"
check 'or two, with %q; a file has no query' 3 '
	prof-fetch -o "query/%h-%t-%q" 127.0.0.1:1/heap?a=1 127.0.0.1:1/heap?a=2 2>&1 |
		grep -c "is the file of"; ls query
	prof-fetch -o "query/%t-%q" heap.txt 127.0.0.1:1/heap 2>/dev/null; s=$?; ls query; exit $s' <<'END'
0
inuse_space-0
END
check_err '--keep without an archive' 2 'prof-fetch --keep=1d -o x heap.txt' \
	'--keep and --wait are for an archive'
for a in 14 d 0d -1d 1y 1dd 99999999999999999999d; do
	check_err "no age: $a" 2 "prof-fetch --keep=$a -o '%t' heap.txt" \
		"'$a' is not an age such as 14d"
done
check_err 'a root that is a file' 2 'prof-fetch -o "heap.txt/%t" heap.txt' \
	'prof-fetch: heap.txt: '
check_err 'a folder that is a file' 2 '
	mkdir f; echo mine >f/x; prof-fetch -o "f/x/%t" heap.txt' 'f/x: '
check_err 'nothing good: nothing is written' 2 '
	prof-fetch -o "none/%t" ./nothing; s=$?; tree none; exit $s' './nothing: '
check 'one bad source' 3 '
	prof-fetch -o "one/%t" ./nothing heap.txt 2>&1; s=$?
	prof-fetch --partial-ok -q -o "one/%t" ./nothing heap.txt || echo no
	tree one; exit $s' <<'END'
prof-fetch: ./nothing: No such file or directory
inuse_space
inuse_space-N
END

# --- links ------------------------------------------------------------------

check 'the root may be behind a link' 0 '
	mkdir real; ln -s real link; prof-fetch -o "link/%t" heap.txt; tree real' <<'END'
inuse_space
END
check_err 'a folder below may not' 2 '
	mkdir -p linked outside; ln -s ../outside linked/inuse_space
	prof-fetch -o "linked/%t/x" heap.txt; s=$?; tree outside; exit $s' \
	'linked/inuse_space: Not a directory'
check 'a file that is a link is neither followed nor replaced' 0 '
	echo mine >outside/file; ln -s ../outside/file linked/inuse_space.gz
	prof-fetch -o "linked/%t.gz" heap.txt
	cat outside/file; [ -L linked/inuse_space.gz ] && ls linked' <<'END'
mine
inuse_space
inuse_space.gz
inuse_space.gz-2
END

# --- keeping ----------------------------------------------------------------

rm -rf prof
cat >bin/put <<'END'
prof-fetch --keep=14d -o "prof/%h/%F/%H%M%S-%t.pb.gz" "$@"
END
chmod +x bin/put
check 'without --keep there is no index' 0 '
	prof-fetch -o "plain/%t" heap.txt; ls plain/.prof-fetch' <<'END'
lock
END
check 'what is young stays' 0 '
	put heap.txt; age 1209500; put "$data"/good-go-cpu.pb.gz
	tree prof' <<'END'
HOST
HOST/NNNN-NN-NN
HOST/NNNN-NN-NN/NNNNNN-cpu.pb.gz
HOST/NNNN-NN-NN/NNNNNN-inuse_space.pb.gz
END
check 'what is old goes' 0 '
	age 200; put "$data"/good-count.txt; tree prof' <<'END'
HOST
HOST/NNNN-NN-NN
HOST/NNNN-NN-NN/NNNNNN-conns.pb.gz
HOST/NNNN-NN-NN/NNNNNN-cpu.pb.gz
END

# fill: an archive with old files in folders of their own.
cat >bin/fill <<'END'
rm -rf prof
prof-fetch --keep=14d -o "prof/%t/x.pb.gz" heap.txt "$data"/good-go-cpu.pb.gz "$data"/good-count.txt
age 1300000
END
# again: a run that finds them so.
cat >bin/again <<'END'
prof-fetch --keep=14d -o "prof/%t/x.pb.gz" "$data"/good-contention.txt && tree prof
END
chmod +x bin/*
export PATH
check 'empty folders go' 0 'fill; again' <<'END'
delay
delay/x.pb.gz
END
check 'files of others stay, and so does their folder' 0 '
	fill; echo mine >prof/cpu/mine.pb.gz; cp -p prof/cpu/x.pb.gz prof/cpu/copy.pb.gz
	mkdir prof/mine; again' <<'END'
cpu
cpu/copy.pb.gz
cpu/mine.pb.gz
delay
delay/x.pb.gz
mine
END
check 'a folder that was there stays' 0 '
	fill; rm -r prof; mkdir -p prof/cpu
	prof-fetch --keep=14d -o "prof/%t/x.pb.gz" "$data"/good-go-cpu.pb.gz
	age 1300000; again' <<'END'
cpu
delay
delay/x.pb.gz
END
check 'a folder that was made anew stays' 0 '
	fill; mkdir prof/new; rm -r prof/cpu; mv prof/new prof/cpu; again' <<'END'
cpu
delay
delay/x.pb.gz
END
check 'what was edited since stays' 0 '
	fill; echo >>prof/cpu/x.pb.gz; touch prof/conns/x.pb.gz; again' <<'END'
conns
conns/x.pb.gz
cpu
cpu/x.pb.gz
delay
delay/x.pb.gz
END
check 'what was replaced by a link stays, and what it names' 0 '
	fill; mv prof/cpu/x.pb.gz moved; ln -s ../../moved prof/cpu/x.pb.gz
	mv prof/conns movedto; ln -s ../movedto prof/conns; again
	ls moved movedto' <<'END'
conns
cpu
cpu/x.pb.gz
delay
delay/x.pb.gz
moved

movedto:
x.pb.gz
END
check 'what another pattern wrote stays' 0 '
	fill; prof-fetch --keep=1h -o "prof/%t/y.pb.gz" "$data"/good-contention.txt
	tree prof' <<'END'
conns
conns/x.pb.gz
cpu
cpu/x.pb.gz
delay
delay/y.pb.gz
inuse_space
inuse_space/x.pb.gz
END
check 'what was written without --keep stays' 0 '
	fill; rm -r prof; prof-fetch -o "prof/%t/x.pb.gz" heap.txt
	touch -d "2 years ago" prof/inuse_space/x.pb.gz; again' <<'END'
delay
delay/x.pb.gz
inuse_space
inuse_space/x.pb.gz
END
check 'nothing new: nothing goes' 2 '
	fill; prof-fetch --keep=14d -o "prof/%t/x.pb.gz" ./none 2>/dev/null; s=$?
	tree prof; exit $s' <<'END'
conns
conns/x.pb.gz
cpu
cpu/x.pb.gz
inuse_space
inuse_space/x.pb.gz
END
check 'a file written again is as young as that' 0 '
	fill; prof-fetch --keep=14d -o "prof/%t/x.pb.gz" heap.txt; tree prof
	prof-fetch --keep=14d -o "prof/%t/x.pb.gz" heap.txt; tree prof' <<'END'
inuse_space
inuse_space/x-N.pb.gz
inuse_space
inuse_space/x-N.pb.gz
inuse_space/x.pb.gz
END
check 'the index does not grow for ever' 0 '
	fill; for i in 1 2 3 4 5 6 7 8; do again >/dev/null; age 1300000; done
	[ $(wc -l <prof/.prof-fetch/index) -lt 6 ]' <<'END'
END

# later SECONDS: a run when the clock is so much later; what it says, and all files.
cat >bin/later <<'END'
awk -F'\t' -v OFS='\t' -v s="$1" '{ $2 -= s; print }' prof/.prof-fetch/index >aged
cat aged >prof/.prof-fetch/index
prof-fetch --keep=1h -o "prof/%t.pb.gz" heap.txt 2>&1
ls prof | tr '\n' ' '; echo
END
chmod +x bin/later
# The clock jumps by a year, two runs there; then it is set right.
check 'a clock that is wrong for a while removes nothing' 0 '
	rm -rf prof; for i in 1 2 3; do prof-fetch --keep=1h -o "prof/%t.pb.gz" heap.txt; age 600; done
	sed -i /between/d prof/.prof-fetch/index
	later 31536000; later 60; later -31536060; later 600; later 600' <<'END'
prof-fetch: the newest profile is 365.0 days older than this one; in case the clock is wrong, 3 are kept until new ones cover the time of --keep
inuse_space-2.pb.gz inuse_space-3.pb.gz inuse_space-4.pb.gz inuse_space.pb.gz 
inuse_space-2.pb.gz inuse_space-3.pb.gz inuse_space-4.pb.gz inuse_space-5.pb.gz inuse_space.pb.gz 
prof-fetch: the clock was set back: 2 profiles from the future are kept
inuse_space-2.pb.gz inuse_space-3.pb.gz inuse_space-4.pb.gz inuse_space-5.pb.gz inuse_space-6.pb.gz inuse_space.pb.gz 
inuse_space-2.pb.gz inuse_space-3.pb.gz inuse_space-4.pb.gz inuse_space-5.pb.gz inuse_space-6.pb.gz inuse_space-7.pb.gz inuse_space.pb.gz 
inuse_space-2.pb.gz inuse_space-3.pb.gz inuse_space-4.pb.gz inuse_space-5.pb.gz inuse_space-6.pb.gz inuse_space-7.pb.gz inuse_space-8.pb.gz inuse_space.pb.gz 
END
check 'after a real pause the old ones go when --keep is covered' 0 '
	rm -rf prof; for i in 1 2; do prof-fetch --keep=1h -o "prof/%t.pb.gz" heap.txt; age 600; done
	sed -i /between/d prof/.prof-fetch/index
	later 172800; later 3000; later 660' <<'END'
prof-fetch: the newest profile is 2.0 days older than this one; in case the clock is wrong, 2 are kept until new ones cover the time of --keep
inuse_space-2.pb.gz inuse_space-3.pb.gz inuse_space.pb.gz 
inuse_space-2.pb.gz inuse_space-3.pb.gz inuse_space-4.pb.gz inuse_space.pb.gz 
inuse_space-4.pb.gz inuse_space-5.pb.gz 
END
check 'runs that are seldomer than --keep are usual' 0 '
	rm -rf prof; prof-fetch --keep=1h -o "prof/%t.pb.gz" heap.txt
	later 86400 | tail -1; later 86400; later 86400 | tail -1' <<'END'
inuse_space-2.pb.gz inuse_space.pb.gz 
inuse_space-3.pb.gz 
inuse_space-3.pb.gz inuse_space.pb.gz 
END

# An index that was tampered with, or damaged.
cat >bin/forge <<'END'
size=$(stat -c %s victim)
time=$(stat -c %.9Y victim | tr -d .)
printf 'F\t1\t%s\t%s\t%%t/x.pb.gz\t%s\n' "$size" "$time" "$1" >>prof/.prof-fetch/index
END
chmod +x bin/forge
for name in ../victim /victim x/../../victim ./victim; do
	check "the index cannot lead outside: $name" 0 "
		fill; echo mine >victim; cp -p victim prof/victim
		forge $name; again; ls victim" <<'END'
delay
delay/x.pb.gz
victim
victim
END
done
check 'an index that is right is believed' 0 '
	fill; echo mine >victim; cp -p victim prof/victim; forge victim; again' <<'END'
delay
delay/x.pb.gz
END
check 'half a line, and none' 0 '
	fill; printf "\n\nF\t1\nG\t1\t1\t1\t1\t1\nF\tx\ty\tz\n\377\nF\t1\t375" >>prof/.prof-fetch/index
	again; again' <<'END'
delay
delay/x.pb.gz
delay
delay/x-N.pb.gz
delay/x.pb.gz
END
check_err 'an index that others may write is not believed' 2 '
	fill; chmod g+w prof/.prof-fetch/index; again >/dev/null' \
	"index is not ours alone"
check_err 'nor a folder of it' 2 '
	fill; chmod o+w prof/.prof-fetch; again >/dev/null' \
	'prof/.prof-fetch is not ours alone'
check_err 'nor one behind a link' 2 '
	fill; mv prof/.prof-fetch/index elsewhere; ln -s ../../elsewhere prof/.prof-fetch/index
	again >/dev/null' "the archive's index: "

# --- full disks -------------------------------------------------------------

big=$data/good-go-cpu-long.pb.gz
export big
check 'a file that may not be so large' 2 '
	rm -rf prof; prof-fetch -o "prof/%t.pb.gz" heap.txt
	(ulimit -f 8; prof-fetch -o "prof/%t.pb.gz" "$big" heap.txt) 2>&1 |
		sed "s,$big,BIG,"
	(ulimit -f 8; prof-fetch -o "prof/%t.pb.gz" "$big" 2>/dev/null)
	s=$?; tree prof; ls -A prof | wc -l; exit $s' <<'END'
prof-fetch: BIG: prof/cpu.pb.gz: File too large
inuse_space-N.pb.gz
inuse_space.pb.gz
3
END

# disk COMMAND: run it with a full file system of a MiB at ./disk.
if have unshare && unshare -m sh -c 'mkdir -p disk && mount -t tmpfs -o size=1M none disk' 2>/dev/null; then
	cat >bin/disk <<'END'
mkdir -p disk
unshare -m sh -c "mount -t tmpfs -o size=1M none disk; $1"
END
	chmod +x bin/disk
	check 'a full disk: one line, nothing half-written, the old files stay' 2 '
		disk "
		prof-fetch --keep=14d -o disk/p/%t/x.gz heap.txt
		head -c 2M /dev/zero >disk/filler 2>/dev/null
		prof-fetch --keep=14d -o disk/p/%t/y.gz $big 2>&1
		(cd disk && find p -type f); gzip -t disk/p/inuse_space/x.gz" |
		sed "s,: .*/good,: good,"; disk "exit 2"' <<'END'
prof-fetch: good-go-cpu-long.pb.gz: disk/p/cpu/y.gz: No space left on device
p/inuse_space/x.gz
p/.prof-fetch/index
p/.prof-fetch/lock
END
	check 'a full disk: one line and a number for many' 2 '
		disk "
		mkdir -p disk/p/.prof-fetch; head -c 2M /dev/zero >disk/filler 2>/dev/null
		prof-fetch -o disk/p/%t.gz $big $data/good-go-heap.pb.gz nothing.pb $data/good-go-mutex.pb.gz 2>&1" |
		sed "s,: .*/good,: good,"; disk "exit 2"' <<'END'
prof-fetch: good-go-cpu-long.pb.gz: disk/p/cpu.gz: No space left on device
prof-fetch: nothing.pb: No such file or directory
prof-fetch: no space for 2 more profiles
END
	check 'a disk with room for one: trouble, although some sources may fail' 2 '
		disk "
		prof-fetch -o disk/p/%t/x.gz heap.txt
		head -c 2M /dev/zero >disk/filler 2>/dev/null; truncate -s -8K disk/filler
		prof-fetch --partial-ok -q -o disk/p/%t/y.gz heap.txt nothing.pb $big 2>err; s=\$?
		sed s,:.*/good,:\ good, err; cd disk; find p -name y.gz; exit \$s"' <<'END'
prof-fetch: good-go-cpu-long.pb.gz: disk/p/cpu/y.gz: No space left on device
p/inuse_space/y.gz
END
	check 'but what is too old makes room' 0 '
		disk "
		rm -rf prof; mkdir disk/p; ln -s disk/p prof; prof-fetch --keep=14d -o prof/%t $big heap.txt
		age 1300000; rm prof; head -c 2M /dev/zero >disk/filler 2>/dev/null
		prof-fetch --keep=14d -o disk/p/%t $data/good-go-heap.pb.gz; ls disk/p"' <<'END'
inuse_space
END
	check_err 'a disk that may not be written' 2 \
		'disk "mount -o remount,ro disk; prof-fetch -o disk/p/%t heap.txt"' 'disk/p: Read-only file system'
	# The index has all but a byte of its page, and the disk one more.
	check 'a disk that fills at the index: the profile is there once' 0 '
		disk "
		rm -rf prof; mkdir disk/p; ln -s disk/p prof; prof-fetch --keep=14d -o prof/%t heap.txt
		age 1300000; rm prof; cd disk; index=p/.prof-fetch/index
		head -c \$((4094 - \$(stat -c %s \$index))) /dev/zero | tr \\\\0 x >>\$index; echo >>\$index
		until ! head -c 4096 /dev/zero >fill\$((n += 1)); do :; done 2>/dev/null; rm fill\$((n - 1))
		stat -c %s \$index; prof-fetch --keep=14d -o p/%t ../heap.txt; ls p"' <<'END'
4095
inuse_space
END
else
	skip 'a full file system' 'none can be mounted here'
fi

# --- servers ----------------------------------------------------------------

need_curl servers
offer go 2
go=127.0.0.1:$port
two=127.0.0.1:$(tail -1 port)
export go two
check 'each server its own file' 0 '
	rm -rf prof
	prof-fetch -o "prof/%h/%p/%F/%H%M%S-%t.pb.gz" $go/file/good-gperf-heap.txt \
		http://localhost:${two#*:}/debug/pprof/profile?x=1 $two --seconds=1
	tree prof
	cat prof/127*/*/*/*good-gperf* | decode | cmp - heap
	cat prof/localhost/*/*/*profile* | decode | cmp - cpu' <<'END'
NNN.N.N.N
NNN.N.N.N/NNNNN
NNN.N.N.N/NNNNN
NNN.N.N.N/NNNNN/NNNN-NN-NN
NNN.N.N.N/NNNNN/NNNN-NN-NN
NNN.N.N.N/NNNNN/NNNN-NN-NN/NNNNNN-good-gperf-heap.txt.pb.gz
NNN.N.N.N/NNNNN/NNNN-NN-NN/NNNNNN-profile.pb.gz
localhost
localhost/NNNNN
localhost/NNNNN/NNNN-NN-NN
localhost/NNNNN/NNNN-NN-NN/NNNNNN-profile.pb.gz
END
# The recipes of doc/archive.md; the proxy knows web1 and web2.
block() {
	sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$src/doc/archive.md" | sed '/^```/d'
}
block crontab | sed -n 's/^[*/0-9]* \* \* \* \* //p' | sed 's/\\%/%/g' >cron.job
block ini | sed -n 's/^ExecStart=//p' | sed 's/%%/%/g' >systemd.job
block ini | sed -n 's/^Environment="\(SOURCES\)=\(.*\)"/\1="\2"/p' >environment
for job in cron systemd; do
	check "the recipe for $job" 0 "
		. ./environment
		sed 's,/var/lib/,./,' $job.job >job
		export http_proxy=http://$go
		[ \$(wc -l <job) -eq 1 ] && . ./job
		tree profiles; wc -l <profiles/.prof-fetch/index; rm -r profiles" <<'END'
NNNN-NN-NN
NNNN-NN-NN/webN-NNNNNN-heap.pb.gz
NNNN-NN-NN/webN-NNNNNN-heap.pb.gz
3
END
done
if have systemd-analyze; then
	block ini >units
	sed -n '1,/^ExecStart/p' units | sed "s,^ExecStart=,&$bin/," >profiles.service
	sed '1,/^ExecStart/d' units >profiles.timer
	sed "s,^ExecStart=,&$bin/," "$src/doc/prof-record.service" >prof-record.service
	check 'systemd takes the units, and that of prof-record' 0 \
		'systemd-analyze verify --man=no ./profiles.service ./profiles.timer ./prof-record.service 2>&1' <<'END'
END
else
	skip 'systemd takes the units' 'no systemd-analyze'
fi

check 'a clash of names is known before anybody is asked' 2 '
	: >log; rm -rf prof
	prof-fetch -o "prof/%h/%t" $go/file/a/heap $two/file/b/heap 2>&1 |
		sed "s/$go/GO/; s/$two/TWO/"; cat log
	prof-fetch -o "prof/%h/%t" $go/file/a/heap $two/file/b/heap 2>/dev/null' <<'END'
prof-fetch: TWO/file/b/heap: '127.0.0.1/heap' is the file of GO/file/a/heap too; can %p, the port, or %q, the query, tell them apart?
END
check 'hosts from strangers' 0 '
	rm -rf prof
	for h in .. ... -rf A.Example "[2001:db8::1]"; do
		http_proxy=http://$go prof-fetch -o "prof/%h/%t" \
			"http://$h:80/file/good-gperf-heap.txt" 2>&1
	done; (cd prof && find . -type f ! -path "*lock*" | sort)' <<'END'
./%2Drf/good-gperf-heap.txt
./%2E../good-gperf-heap.txt
./%2E./good-gperf-heap.txt
./2001%3Adb8%3A%3A1/good-gperf-heap.txt
./a.example/good-gperf-heap.txt
END
: >log
prof-fetch --timeout=60 -o 'prof/%h/%t' "$go/hang" 2>/dev/null &
holder=$!
servers="$servers $holder"
while ! grep -q hang log; do sleep 0.02; done
check_err 'two runs do not overlap' 2 \
	'prof-fetch -o "prof/%h/%t" heap.txt' \
	'prof-fetch: prof: another command is writing there (see --wait)'
check_err 'not even after waiting' 2 \
	'prof-fetch --wait=1 -o "prof/%h/%t" heap.txt' \
	'prof: another command is writing there still'
check 'but beside each other' 0 \
	'prof-fetch -o "other/%t" heap.txt; tree other' <<'END'
inuse_space
END
prof-fetch --wait=60 -o 'waited/%t' heap.txt && rm -r waited
prof-fetch --wait=60 -o 'prof/%t' heap.txt >waited 2>&1 &
waiter=$!
sleep 0.1
kill -9 $holder
if wait $waiter && [ ! -s waited ] && [ -f prof/inuse_space ]; then
	ok 'who waits gets his turn, and a killed run holds nothing'
else
	not_ok 'who waits gets his turn' <waited
fi
plan
