# prof-day and prof-remote-day: the sum of a fleet is that of one machine, to the
# byte, whatever happens to its hosts. A host is a namespace of its own, with an
# archive and a name; a real sshd is started in it for each connection.
. "${srcdir:-.}/tests/lib/tap.sh"

PATH=$src/cmd:$PATH:/usr/sbin:/sbin
export PATH

# day ARCHIVE DAY SEED: six profiles.
day() {
	mkdir -p "$1/$2/10"
	for minute in 00 10 20 30 40 50; do
		printf '# cpu nanoseconds\nmain;f%s %s\nmain;g;h%s 3\n' \
			$((($3 + minute) % 5)) $(($3 + minute)) $3 |
			mkprof - >"$1/$2/10/$minute.pb.gz"
	done
}
seed=0
for host in n1 n2 n3 n4; do
	for d in 2026-11-04 2026-11-05; do
		seed=$((seed + 7))
		day all/$host $d $seed
	done
done
find all -name '*.pb.gz' -print0 | prof-merge --files0-from=- | gzip -dc >want

# --- prof-day, on one machine ---

here=$(uname -n)
check 'a day of an archive' 0 '
	prof-day --archive=all/n1 2026-11-04 >a.pb.gz
	prof-merge all/n1/2026-11-04/10/*.pb.gz -o b.pb.gz && cmp a.pb.gz b.pb.gz' </dev/null
check 'into a file, with the name of the machine, after prof-thin' 0 "
	cp -r all/n1 thin
	prof-thin -q --now=2026-11-30 thin
	prof-day --archive=thin --host=$here -j2 -o c.pb.gz 2026-11-04 && cmp c.pb.gz b.pb.gz
	prof-thin -q --now=2027-11-30 thin
	prof-day --archive=thin --host=$here -o c.pb.gz 2026-11-04 && cmp c.pb.gz b.pb.gz" </dev/null
check_err 'a job on the wrong host' 2 'prof-day --archive=all/n1 --host=n9 2026-11-04' \
	"prof-day: a job of n9 on $here"
check_err 'no such day' 2 'prof-day --archive=all/n1 2026-11-06' \
	'prof-day: all/n1/2026-11-06: no such day'
check_err 'a day of another archive' 2 'prof-day --archive=all/n1 ../n2/2026-11-04' \
	'not in the archive'
check_err 'prof-thin was interrupted' 2 '
	mkdir -p half/.2026-11-04.thin half/2026-11-04
	prof-day --archive=half 2026-11-04' 'prof-thin is at work'
cp -r all/n1 cut
head -c 60 all/n1/2026-11-04/10/00.pb.gz >cut/2026-11-04/10/05.pb.gz
check_err 'a cut file fails the day' 2 'prof-day --archive=cut 2026-11-04 -o no.pb.gz' \
	'2026-11-04/10/05.pb.gz: truncated'
check 'or is skipped, and the status is 3' 3 '
	prof-day --archive=cut --skip-bad 2026-11-04 2>err >d.pb.gz
	s=$?
	grep -c 05.pb.gz err
	cmp d.pb.gz b.pb.gz
	exit $s' <<'END'
1
END
for command in prof-day prof-remote-day; do
	$command --help | grep -oE -- '--[a-z][a-z-]*' | sort -u >helped
	grep '^\.It' "$src/doc/$command.1" | grep -oE 'Fl -[a-z][a-z-]*' |
		sed 's/Fl -/--/' | sort -u >documented
	check "$command: help and manual page have the same options" 0 \
		'[ -s helped ] && diff helped documented' </dev/null
	check "$command: completion has the same options" 0 \
		"$command --list-options | cut -f1 | sort | diff helped -" </dev/null
	check_err "$command: no such option" 2 "$command --frob a" "unknown option '--frob'"
done
check_err 'a host that is an option of ssh' 2 'prof-remote-day "-oProxyCommand=x" d out' \
	"unknown option '-oProxyCommand=x'"
check_err 'a day that is a command' 2 'prof-remote-day n1 "x;id" out' "'x;id' is no day"
check 'a tree of any shape has the same bytes' 0 '
	awk "BEGIN { srand(5); for (i = 0; i < 48; i++) print int(rand() * 7) }" >part
	find all -name "*.pb.gz" | sort | paste part - >parts
	for k in 0 1 2 3 4 5 6; do
		awk -v k=$k "\$1 == k { print \$2 }" parts >list
		[ ! -s list ] || prof-merge --types=strict @list -o tree$k.pb.gz || exit
	done
	prof-merge --types=strict tree0.pb.gz tree[1-3].pb.gz | prof-merge --types=strict - tree[4-6].pb.gz |
		gzip -dc | cmp - want' </dev/null
printf '# alloc bytes\nmain 1\n' | mkprof - >two.pb.gz
check_err 'a branch with other columns is refused, not made smaller' 2 '
	prof-merge --types=strict b.pb.gz two.pb.gz -o no.pb.gz' 'two.pb.gz: '

# --- hosts ---

name='hosts of their own, by ssh'
have parallel ssh sshd ssh-keygen unshare nsenter || skip_rest "$name" 'no parallel, sshd or unshare'
[ "$(id -u)" = 0 ] || skip_rest "$name" 'not root'
unshare --uts --mount --pid --fork --mount-proc sh -c 'hostname n1 && mount -t tmpfs x /mnt' 2>/dev/null ||
	skip_rest "$name" 'no namespaces'

HOME=$scratch/home
export HOME
mkdir -p "$HOME" /run/sshd
chmod 755 "$scratch"
ssh-keygen -q -t ed25519 -N '' -f key
ssh-keygen -q -t ed25519 -N '' -f host_key
awk -F: -v OFS=: '$1 == "root" { $2 = "*" } { print }' /etc/shadow >shadow
# What this machine's root runs at a login (~/.bashrc) is no part of the test, and
# would be killed half-way with a host.
awk -F: -v OFS=: -v home="$HOME" '$1 == "root" { $6 = home; $7 = "/bin/sh" } { print }' \
	/etc/passwd >passwd
cat >sshd_config <<END
HostKey $scratch/host_key
AuthorizedKeysFile $scratch/key.pub
PermitRootLogin yes
UsePAM no
StrictModes no
PidFile none
END
cat >ssh_config <<END
Host n*
	ProxyCommand sh $scratch/enter %h
	IdentityFile $scratch/key
	IdentitiesOnly yes
	UserKnownHostsFile /dev/null
	StrictHostKeyChecking no
	LogLevel ERROR
	KexAlgorithms curve25519-sha256
END
# n9 is a name that leads to n1.
cat >enter <<END
host=\$1
[ "\$host" != n9 ] || host=n1
read -r pid <"$scratch/\$host.pid" || exit
exec nsenter --target "\$pid" --uts --mount --pid sshd -i -f "$scratch/sshd_config" \\
	-o "SetEnv=PATH=$scratch/\$host.bin:$PATH" 2>>"$scratch/sshd.log"
END

# up HOST: its first process ends with its input, which the test has.
up() {
	mkdir -p "$1.bin" srv
	mkfifo "$1.in"
	unshare --uts --mount --pid --fork --kill-child --mount-proc sh -c "
		hostname $1 && mount --bind '$scratch/all/$1' '$scratch/srv' &&
		mount --bind '$scratch/shadow' /etc/shadow &&
		mount --bind '$scratch/passwd' /etc/passwd && echo up >'$scratch/$1.up'
		exec cat" <"$1.in" >/dev/null 2>"$1.log" &
	eval "up_$1=$!"
	eval "exec $2>$1.in"
	for try in $(seq 1000); do
		[ ! -e "$1.up" ] || break
		kill -0 "$(eval "echo \$up_$1")" 2>/dev/null || break
		sleep 0.02
	done
	rm -f "$1.in"
	[ -e "$1.up" ] || return 1
	grep -l "^PPid:	$(eval "echo \$up_$1")\$" /proc/[0-9]*/status 2>/dev/null |
		cut -d/ -f3 >"$1.pid"
	[ -s "$1.pid" ]
}

# down HOST: all its processes end at once.
down() {
	kill -9 "$(cat "$1.pid")"
	wait "$(eval "echo \$up_$1")" 2>/dev/null
	rm -f "$1.up" "$1.pid"
}
trap 'for p in "$scratch"/*.pid; do [ ! -s "$p" ] || kill -9 "$(cat "$p")"; done 2>/dev/null
	rm -rf "$scratch"' EXIT
up n1 3 && up n2 4 && up n3 5 && up n4 6 || skip_rest "$name" 'no host came up'
# A busy machine is no host that is down.
PROF_SSH="ssh -F $scratch/ssh_config -o ConnectTimeout=100 -o ServerAliveInterval=100"
export PROF_SSH
$PROF_SSH n1 true 2>err || skip_rest "$name" "no ssh: $(head -n 1 err)"

for d in 2026-11-04 2026-11-05; do
	for host in n1 n2 n3 n4; do
		echo "$host $d"
	done
done >jobs.txt
# fleet FOLDER [OPTION...]: all jobs, with what the manual page says.
fleet() {
	folder=$1
	shift
	timeout 300 parallel --will-cite -j4 --colsep ' ' --joblog "$folder.log" "$@" -a jobs.txt \
		prof-remote-day "--archive=$scratch/srv" '{1}' '{2}' "$folder"
}
# same FOLDER: is its sum that of one machine?
same() {
	prof-merge --types=strict "$1"/*.pb.gz | gzip -dc | cmp - want &&
		[ -z "$(find "$1" -name '.*.*')" ]
}
fleet one >log 2>&1
if same one 2>>log; then ok 'a fleet is one machine, to the byte'; else not_ok 'a fleet is one machine, to the byte' <log; fi
check_err 'a job on the wrong host' 2 \
	'prof-remote-day --archive="$PWD/srv" n9 2026-11-04 wrong 2>err; s=$?; head -n 1 err >&2; ls wrong; exit $s' \
	'prof-day: a job of n9 on n1'
check 'unless its name does not matter' 0 '
	prof-remote-day --any-host --archive="$PWD/srv" n9 2026-11-04 any && cmp any/n9-2026-11-04.pb.gz b.pb.gz' </dev/null

# n2 ends while it sends a sum, of which a half is there already; n3 is slow.
cat >n2.bin/prof-merge <<END
#!/bin/sh
"$bin/prof-merge" "\$@" | head -c 200
echo sending >"$scratch/sending"
sleep 100
END
cat >n3.bin/prof-merge <<END
#!/bin/sh
sleep 0.3
exec "$bin/prof-merge" "\$@"
END
chmod +x n2.bin/prof-merge n3.bin/prof-merge
mkfifo sending
exec 7<>sending
{
	fleet two >log 2>&1
	echo $? >two.status
	echo ended >sending
} &
job=$!
read -r word <&7
down n2
wait $job
status=$(cat two.status)
exec 7>&-
rm -rf n2.bin
if [ "$word-$status" = sending-2 ] && [ "$(find two -name '*.gz' | wc -l)" -eq 6 ] &&
	[ -z "$(find two -name '.*.*')" ]; then
	ok 'a host that ends half-way: its jobs fail, nothing of it stays'
else
	{ echo "status $status"; find two; cat log; } | not_ok 'a host that ends half-way: its jobs fail, nothing of it stays'
fi
up n2 4
fleet two --resume-failed >log 2>&1
if same two 2>>log; then ok 'when it is back, --resume-failed completes the fleet'; else not_ok 'when it is back, --resume-failed completes the fleet' <log; fi

cp cut/2026-11-04/10/05.pb.gz all/n4/2026-11-04/10/
cp -r two three
rm three/n4*
grep n4 jobs.txt >some.txt
mv some.txt jobs.txt
fleet three >log 2>&1
status=$?
if [ "$status-$(find three -name '*.gz' | wc -l)" = 1-7 ] &&
	grep -q 'prof-merge: ./2026-11-04/10/05.pb.gz: truncated' log; then
	ok 'a cut file fails its job, and is named'
else
	{ echo "status $status"; cat log; } | not_ok 'a cut file fails its job, and is named'
fi
check 'or is skipped: the sum is kept, the status 3' 3 '
	prof-remote-day --skip-bad --archive="$PWD/srv" n4 2026-11-04 three 2>err
	s=$?
	grep -c "05.pb.gz: truncated" err
	exit $s' <<'END'
1
END
if same three 2>log; then ok 'with it the fleet is whole'; else not_ok 'with it the fleet is whole' <log; fi
plan
