# The script of doc/fleet.md: the sum of a fleet is that of one machine, to the
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

prof-merge all/n1/2026-11-04/10/*.pb.gz -o b.pb.gz
cp -r all/n1 cut
head -c 60 all/n1/2026-11-04/10/00.pb.gz >cut/2026-11-04/10/05.pb.gz
awk '/^`remote-day`:$/ { at = 1 }
	/^```$/ { at = 0 }
	at && inside { print }
	/^```sh$/ && at { inside = 1 }' "$src/doc/fleet.md" >remote-day
chmod +x remote-day
mkdir out bin

# --- one host, which is this one ---

# ssh [OPTION...] -- HOST COMMAND...
cat >bin/ssh <<'END'
#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift 2
exec "$@"
END
chmod +x bin/ssh
here=$(uname -n)
# local COMMAND: with this ssh, and the archive of n1.
local_() {
	PATH=$PWD/bin:$PATH PROFILES=${archive-$PWD/all/n1} ./remote-day "$@"
}
local_ "$here" 2026-11-04 out 2>.err && cmp "out/$here-2026-11-04.pb.gz" b.pb.gz 2>>.err &&
	ok 'a day of a host' || not_ok 'a day of a host' <.err
cp -r all/n1 thin
for now in 2026-11-30 2027-11-30; do
	prof-thin -q --now=$now thin
	archive=$PWD/thin local_ "$here" 2026-11-04 out 2>.err &&
		cmp "out/$here-2026-11-04.pb.gz" b.pb.gz 2>>.err &&
		ok "after prof-thin, $now" || not_ok "after prof-thin, $now" <.err
done
# refused NAME TEXT ARCHIVE HOST: TEXT is said, and what was there stays.
refused() {
	echo old >"out/$4-2026-11-04.pb.gz"
	if archive=$3 local_ "$4" 2026-11-04 out 2>.err || [ "$(cat "out/$4-2026-11-04.pb.gz")" != old ] ||
		! grep -q "$2" .err; then
		not_ok "$1" <.err
	else
		ok "$1"
	fi
	rm "out/$4-2026-11-04.pb.gz"
}
refused 'a job on the wrong host' "a job of n9 on $here" "$PWD/all/n1" n9
mkdir -p empty half/.2026-11-04.thin half/2026-11-04
refused 'no such day' 'No such file' "$PWD/empty" "$here"
refused 'prof-thin was interrupted' 'prof-thin is at work' "$PWD/half" "$here"
refused 'a cut file fails the day' '05.pb.gz: truncated' "$PWD/cut" "$here"
cp bin/ssh ssh.good
for bad in 'echo Welcome' 'head -c 100 b.pb.gz' 'cat b.pb.gz; echo Welcome' 'exit 255' 'yes | head -c 1000000'; do
	printf '#!/bin/sh\n%s\n' "$bad" >bin/ssh
	refused "a banner or what else is no profile replaces no day: $bad" 'prof-merge: <stdin>: ' "$PWD/all/n1" "$here"
done
rm bin/ssh
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
HostKey "$scratch/host_key"
AuthorizedKeysFile "$scratch/key.pub"
PermitRootLogin yes
UsePAM no
StrictModes no
PidFile none
END
cat >ssh_config <<END
Host n*
	ProxyCommand sh "$scratch/enter" %h
	IdentityFile "$scratch/key"
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
	-o "SetEnv=\"PATH=$scratch/\$host.bin:$PATH\" \"PROFILES=$scratch/srv\" \"QEMU_LD_PREFIX=${QEMU_LD_PREFIX-}\"" 2>>"$scratch/sshd.log"
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
# The connection to a busy machine may take its time: the last options win.
cat >bin/ssh <<END
#!/bin/sh
while [ "\$1" != -- ]; do shift; done
shift
exec $(command -v ssh) -F "$scratch/ssh_config" -o ConnectTimeout=100 -o ServerAliveInterval=100 "\$@"
END
chmod +x bin/ssh
PATH=$PWD/bin:$PATH
ssh -- n1 true 2>err || skip_rest "$name" "no ssh: $(head -n 1 err)"

for d in 2026-11-04 2026-11-05; do
	for host in n1 n2 n3 n4; do
		echo "$host $d"
	done
done >jobs.txt
# fleet FOLDER [OPTION...]: all jobs, with what the manual page says.
fleet() {
	folder=$1
	shift
	mkdir -p "$folder"
	timeout 300 parallel --will-cite -j4 --colsep ' ' --joblog "$folder.log" "$@" -a jobs.txt \
		./remote-day '{1}' '{2}' "$folder"
}
# same FOLDER: is its sum that of one machine?
same() {
	prof-merge --types=strict "$1"/*.pb.gz | gzip -dc | cmp - want &&
		[ -z "$(find "$1" -name '.*.*')" ]
}
fleet one >log 2>&1
if same one 2>>log; then ok 'a fleet is one machine, to the byte'; else not_ok 'a fleet is one machine, to the byte' <log; fi
check_err 'a job on another host than its name says' 2 \
	'mkdir wrong; ./remote-day n9 2026-11-04 wrong 2>err; s=$?; grep job err >&2; ls wrong; exit $s' \
	'a job of n9 on n1'

# n2 ends while it sends a sum, of which a half is there already; n3 is slow.
cat >n2.bin/prof-merge <<END
#!/bin/sh
"$bin/prof-merge" "\$@" | head -c 100
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
	grep -q 'prof-merge: 2026-11-04/10/05.pb.gz: truncated' log; then
	ok 'a cut file fails its job, and is named'
else
	{ echo "status $status"; cat log; } | not_ok 'a cut file fails its job, and is named'
fi
sed 's/-z6/-z6 --skip-bad/' remote-day >skipping
check 'or is skipped: it is named, the sum is kept' 0 '
	sh ./skipping n4 2026-11-04 three 2>err
	grep -c "05.pb.gz: truncated" err' <<'END'
1
END
if same three 2>log; then ok 'with it the fleet is whole'; else not_ok 'with it the fleet is whole' <log; fi
plan
