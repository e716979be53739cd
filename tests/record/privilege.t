# privilege.t - programs that link libsample and have more rights than their
# caller: the caller's environment must not affect them through it.
. "${srcdir:-.}/tests/lib/tap.sh"

others || skip_rest 'privileged programs' "$others_why"
lib=$bin/.libs/libsample.so

cat >linked.c <<'END'
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "libsample/sample.h"

int ProfilerStart(const char *name);

int main(void)
{
	printf("secure %d\n", (int)getauxval(AT_SECURE));
	printf("on %d\n", sample_is_on());
	printf("start %s\n", strerrorname_np(sample_start("own.pb.gz", NULL)));
	printf("gperf %d\n", ProfilerStart("gperf.pb.gz"));
	printf("stop %s\n", strerrorname_np(sample_stop()));
}
END
${CC:-cc} -D_GNU_SOURCE -I"$src" -I"$src/libsample" linked.c -o linked "$lib" \
	"-Wl,-rpath,$bin/.libs" 2>why ||
	{ not_ok 'a program that links libsample' <why; plan; exit 1; }

# The recorder of whoever calls it.
cat >evil <<'END'
#!/bin/sh
id -u -n >>stolen
END
chmod 755 . linked evil
mkdir out && chmod 777 out

as_nobody() {
	(cd out && rm -f ./* &&
		exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@")
}

# try NAME: ./linked, which has been given rights.
try() {
	as_nobody ../linked >.out 2>&1
	if ! grep -q '^secure 1' .out; then
		skip "$1" 'cannot be run with its rights here'
		return
	fi
	as_nobody env PROF_RECORD="$scratch/evil" CPUPROFILE=env.pb.gz \
		CPUPROFILESIGNAL=12 ../linked >.out 2>&1
	as_nobody env PROF_RECORD="$scratch/evil" CPUPROFILE=env.pb.gz \
		../linked >>.out 2>&1
	sleep 0.1 # a recorder is nobody's child: there is nothing to wait for
	cat >.want <<'END'
secure 1
on 0
start EPERM
gperf 0
stop EALREADY
secure 1
on 0
start EPERM
gperf 0
stop EALREADY
END
	if cmp -s .want .out && [ -z "$(ls out)" ]; then
		ok "$1: starts nothing, writes nothing"
	else
		{ diff .want .out; ls -l out; cat out/stolen; } >why 2>&1
		not_ok "$1: starts nothing, writes nothing" <why
	fi
	# The session of a recorder is memory that the caller can write to.
	as_nobody prof-record -q -o p.pb.gz -- sh -c '../linked; :' \
		>.out 2>.err
	if grep -q '^on 0' .out; then
		ok "$1: joins no session"
	else
		not_ok "$1: joins no session" <.out
	fi
}

as_nobody env PROF_RECORD="$scratch/evil" ../linked >.out 2>&1
until [ -s out/stolen ]; do sleep 0.05; done # or the time limit of the script
ok 'without more rights, $PROF_RECORD is the recorder'
chmod 4755 linked
try 'set-user-id'
chgrp shadow linked 2>/dev/null || chgrp 42 linked
chmod 2755 linked
try 'set-group-id'
chgrp 0 linked && chmod 755 linked
if have setcap && setcap cap_net_raw+ep linked 2>/dev/null; then
	try 'file capabilities'
else
	skip 'file capabilities' 'no setcap that works'
fi

plan
