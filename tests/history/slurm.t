# The scripts of doc/fleet.md for Slurm, on a Slurm of two nodes on this machine.
# Its daemons take seconds to start, so this is for make check-long.
. "${srcdir:-.}/tests/lib/tap.sh"

name='an array of jobs'
[ -n "$long" ] || skip_rest "$name" 'for make check-long'
PATH=$src/cmd:$PATH:/usr/sbin
export PATH
have munged slurmctld slurmd sbatch scontrol || skip_rest "$name" 'no Slurm'
[ "$(id -u)" = 0 ] || skip_rest "$name" 'not root'

host=$(uname -n)
base=$((20000 + $$ % 10000 * 4))
mkdir state spool.s1 spool.s2
chmod 755 "$scratch"
cat >slurm.conf <<END
ClusterName=prof
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$scratch/munge.sock
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool.%n
SlurmctldPidFile=$scratch/ctld.pid
SlurmctldLogFile=$scratch/ctld.log
SlurmdPidFile=$scratch/%n.pid
SlurmdLogFile=$scratch/%n.log
SlurmctldPort=$base
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
NodeName=s[1-2] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((base + 1))-$((base + 2))] CPUs=2 State=UNKNOWN
PartitionName=prof Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
head -c 1024 /dev/urandom >munge.key
chmod 400 munge.key
SLURM_CONF=$scratch/slurm.conf
export SLURM_CONF
trap 'cat "$scratch"/*.pid 2>/dev/null | xargs -r kill 2>/dev/null; sleep 1; rm -rf "$scratch"' EXIT
munged --force --key-file="$scratch/munge.key" --socket="$scratch/munge.sock" \
	--pid-file="$scratch/munged.pid" --log-file="$scratch/munged.log" \
	--seed-file="$scratch/munged.seed" >log 2>&1 &&
	slurmctld -c -i >>log 2>&1 && slurmd -N s1 >>log 2>&1 && slurmd -N s2 >>log 2>&1 ||
	skip_rest "$name" "no Slurm came up: $(tail -n 1 log)"

for h in h1 h2 h3 h4; do
	mkdir -p "all/$h/2026-11-04"
	for minute in 1 2 3; do
		printf '# cpu nanoseconds\nmain;%s %s\nmain;f 2\n' $h $minute |
			mkprof - >"all/$h/2026-11-04/$minute.pb.gz"
	done
	echo "$h 2026-11-04" >>jobs.txt
done
find all -name '*.pb.gz' -print0 | prof-merge --files0-from=- | gzip -dc >want
awk '/^`?.*`shard.sh`:$/ { name = "shard.sh" }
	/^`top.sh`:$/ { name = "top.sh" }
	/^and, in the folder/ { name = "submit" }
	/^```/ {
		if (name == "" || inside)
			name = inside = ""
		else
			inside = 1
		next
	}
	inside { print >name }' "$src/doc/fleet.md"
PROFILES=$scratch/all
export PROFILES

# state JOB: what became of it, within a minute.
state() {
	for try in $(seq 300); do
		now=$(scontrol show job "$1" | sed -n 's/.*JobState=\([A-Z]*\) Reason=\([A-Za-z]*\).*/\1 \2/p')
		case $now in
		COMPLETED* | FAILED* | CANCELLED*) break ;;
		esac
		sleep 0.2
	done
	echo "$now"
}
# submit: what the page says; $job is that of the sum.
submit() {
	rm -rf out
	mkdir out
	job=$(sh -e ./submit | sed -n 's/^Submitted batch job //p')
}
submit
state "$job" >ended
check "$name is one machine, to the byte" 0 '
	cat ended
	gzip -dc <fleet.pb.gz | cmp - want' <<'END'
COMPLETED None
END
rm -f fleet.pb.gz
echo 'h9 2026-11-04' >>jobs.txt
submit
state "$job" >ended
check 'a task that fails: no sum of a part' 1 'cat ended; ls fleet.pb.gz 2>/dev/null; [ -e fleet.pb.gz ]' <<'END'
CANCELLED DependencyNeverSatisfied
END
plan
