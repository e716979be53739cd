#!/bin/sh
# prof-history: the cache follows the archive, and what it says is what
# prof-text says of the profiles.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/pages.sh"

! lacks 'prof-history --index .' || skip_rest prof-history 'this build has no sqlite'
PATH=$src/cmd:$PATH
export PATH

# profile DAY HOUR HOST BUILD ENCODE: one on standard output.
profile() {
	cat <<EOF | mkprof -
# samples count cpu nanoseconds
@time $(date -ud "$1 $2:00" +%s)000000000
@period cpu nanoseconds 10000000
@mapping 0x400000 0x500000 0 /bin/app $4
main;json.Encode;memcpy $5 ${5}0000000
main;json.Encode 3 30000000
main;work $((90 - $5)) $((90 - $5))0000000
EOF
}

# archive ROOT: four days of three hours of two hosts; a new build on the third.
archive() {
	rm -rf "$1"
	for d in 16 17 18 19; do
		mkdir -p "$1/2026-11-$d"
		build=b00f1e
		[ $d -lt 18 ] || build=b01c07
		for h in 00 06 12; do
			for host in web1 web2; do
				profile 2026-11-$d $h $host $build $d \
					>"$1/2026-11-$d/$host-${h}0000-cpu.pb.gz"
			done
		done
	done
}
archive archive

check 'a function by day' 0 'prof-history --function=Encode archive' <<'END'
json.Encode, cum, cpu
day         build         hosts  profiles     samples     share        value  ▁▃▆█
2026-11-16  b00f1e            2         6         558   20.430%        1.14s
2026-11-17  b00f1e            2         6         558   21.505%        1.20s
2026-11-18  b01c07            2         6         558   22.581%        1.26s
2026-11-19  b01c07            2         6         558   23.656%        1.32s
END
check 'flat, by host' 0 'prof-history --function=json.Encode --flat --by=host archive' <<'END'
json.Encode, flat, cpu
host  build         hosts  profiles     samples     share        value  ▁▁
web1  b01c07+1          1        12        1116    3.226%        360ms
web2  b01c07+1          1        12        1116    3.226%        360ms
END
check 'by build, as TSV' 0 'prof-history --match=cpy --by=build --tsv archive' <<'END'
function	build	first	last	build	builds	hosts	profiles	samples	flat	cum	total
memcpy	b00f1e	2026-11-16T00:00:00Z	2026-11-17T12:00:00Z	b00f1e	1	2	12	1116	1980000000	1980000000	11160000000
memcpy	b01c07	2026-11-18T00:00:00Z	2026-11-19T12:00:00Z	b01c07	1	2	12	1116	2220000000	2220000000	11160000000
END
check 'JSON' 0 'prof-history --function=memcpy --type=samples --since=1d --json archive' <<'END'
{"schema": "profpipe.history/1", "type": "samples", "unit": "count", "by": "day",
 "buckets": [
  {"key": "2026-11-19", "first": "2026-11-19T00:00:00Z", "last": "2026-11-19T12:00:00Z", "build": "b01c07", "builds": 1, "hosts": 2, "profiles": 6, "samples": 558, "total": 558}],
 "builds": [
  {"build": "b01c07", "first": "2026-11-19T00:00:00Z", "last": "2026-11-19T12:00:00Z", "profiles": 6}],
 "functions": [
  {"name": "memcpy", "flat": [114], "cum": [114]}]}
END
check 'a line for each function' 0 '
	prof-history --match="." --spark archive; prof-history --match=work --spark --flat --by=build archive' <<'END'
by day      first       last  function, cum, cpu
▁▃▆█      20.430%    23.656%  json.Encode
▁▁▁▁     100.000%   100.000%  main
▁▃▆█      17.204%    20.430%  memcpy
█▆▃▁      79.570%    76.344%  work
by build      first       last  function, flat, cpu
█▁          79.032%    76.882%  work
END

# --where: of the host, from the path; the build; a label; and one that is not
# the same for all samples.
mkdir labels
for r in eu us; do
	cat <<EOF | mkprof - >labels/web1-1$r.pb.gz
# cpu nanoseconds
@time 1700000000000000000
main 3 {region="$r" user="ann"}
main 4 {region="$r" user="bob" bytes=5}
EOF
done
cat <<EOF | mkprof - >labels/web2-1ann.pb.gz
# cpu nanoseconds
@time 1700000000000000000
main 20 {user="ann" region="eu"}
EOF
# chosen EXPR [ARCHIVE]: how many profiles of each host, and the messages.
cat >chosen <<'EOF'
prof-history --match=main --by=host --where="$1" --tsv "${2-archive}" 2>&1 |
	cut -f2,8 | grep -v profiles$ | tr '\t\n' ' ;'
echo
EOF
check '--where' 0 '
	sh chosen "host == \"web1\""
	sh chosen "!(host == \"web1\") && build =~ \"^b01\""
	sh chosen "region == \"eu\"" labels
	sh chosen "region == \"eu\" && user == \"ann\"" labels
	sh chosen "bytes > 3 || region" labels
	sh chosen "build" labels
	sh chosen "host = x"
	prof-history --match=main --by=user --tsv labels 2>&1 | cut -f2,8' <<'END'
web1 12;
web2 6;
web1 1;web2 1;
prof-history: left out 2 profiles: the samples differ in a label of --where;web2 1;
prof-history: left out 2 profiles: the samples differ in a label of --where;web2 1;
prof-history: no profiles for which --where is true;
prof-history: --where: at byte 5: expected '&&', '||' or the end instead of = x;
prof-history: put 2 profiles into the row without a name: the samples differ in label 'user'
user	profiles
	2
ann	1
END
check 'days by their profiles or their sums: --where of all' 0 '
	prof-history --match=. --tsv --where="host" archive >some
	prof-history --match=. --tsv archive | cmp - some
	prof-history --top-movers --since=2d --where="host == \"web2\"" archive | head -1' <<'END'
cpu, flat: 2026-11-18 to 2026-11-19 (6 profiles, 558 samples) after 2026-11-16 to 2026-11-17 (6 profiles, 558 samples)
END
# days OPTION...: which days, and how many profiles of each.
cat >days <<'EOF'
prof-history --match=work --tsv "$@" archive | cut -f2,8 | sed 1d | tr '\t\n' ': '
echo
EOF
check 'times' 0 '
	sh days --since=2026-11-18
	sh days --since=2026-11-17T05:00 --until=2026-11-18T06:00:00Z
	sh days --until=1d --since=1d
	sh days --since=36h
	sh days --since=20000w' <<'END'
2026-11-18:6 2026-11-19:6 
2026-11-17:4 2026-11-18:2 
2026-11-18:6 
2026-11-18:2 2026-11-19:6 
2026-11-16:6 2026-11-17:6 2026-11-18:6 2026-11-19:6 
END
for t in 7 7dd -1d x 2026-13-01 2026-11-31 2026-11-16Tx 2026-11-16T24:00 \
	2026-11-16T04:60Z '' 2026-11-16/; do
	check_err "no time: '$t'" 2 "prof-history --match=. --since='$t' archive" \
		"prof-history: --since: '$t' is not a date, a time such as"
done
check_err 'nothing is left' 2 'prof-history --match=. --since=2d --until=2026-11-01 archive' \
	'no profiles between --since and --until'
check_err 'no question' 2 'prof-history archive' 'no question: --function=NAME'
check_err 'no such function' 2 'prof-history --function=code archive' "no function 'code'; prof-text FILE lists those of a profile"
mkdir nameless
printf '# cpu nanoseconds\n@time 1700000000000000000\n@mapping 0x400000 0x500000 0 /bin/app b00f1e\n0x400100 5\n' |
	mkprof - >nameless/a.pb
check_err 'no such function, and no names' 2 'prof-history --function=work nameless' \
	"no function 'work'; these profiles have no names for [app]: prof-symbolize PROFILE -o PROFILE gives"
check_err 'no match, and no names' 2 'prof-history --match=work nameless' \
	'no function matches; these profiles have no names for '
mkdir unsampled
printf '# cpu nanoseconds\n@time 1700000000000000000\nmain;[not sampled] 5\n' | mkprof - >unsampled/a.pb
check_err 'no such function: what was not sampled is no file without names' 2 \
	'prof-history --function=work unsampled' "no function 'work'; prof-text FILE lists"
check_err 'no such type' 2 'prof-history --function=work --type=heap archive' \
	"no type 'heap' in samples/count, cpu/nanoseconds"
check_err 'no such label' 2 'prof-history --function=work --by=week archive' \
	"--by: no profile has a label 'week'; one of day, hour, profile, build, host, or a label"
check_err 'no such folder' 2 'prof-history --function=work none' 'none: No such file'
check_err 'a part of another' 2 'prof-history --match=. archive archive/2026-11-18' \
	'archive/2026-11-18 is in archive, or the same'

# --- the cache ----------------------------------------------------------------

cat >index <<'EOF'
prof-history --index "$@" 2>&1 | sed 's/^prof-history: //'
EOF
check 'nothing new' 0 'sh index archive; ls archive/.prof-history' <<'END'
archive: 0 profiles read, 0 gone, 0 summed by prof-thin
index
lock
END
# answer ROOT: all there is in the cache.
cat >answer <<'EOF'
for type in samples cpu; do
	prof-history --match=. --by=profile --type=$type --tsv "$1" || exit
	prof-history --match=. --by=build --type=$type --tsv "$1" || exit
done
EOF
sh answer archive >want
check 'the same made at once, and of files' 0 '
	prof-history --index -q --rebuild archive; sh answer archive | cmp - want
	prof-history --match=. --by=build --tsv archive/*/*.pb.gz >files
	prof-history --match=. --by=build --tsv archive | cut -f1-6,8- >folder
	cut -f1-6,8- files | cmp - folder' </dev/null
check 'new, changed, renamed, gone' 0 '
	cp -r archive b; mv b/2026-11-16/web1-000000-cpu.pb.gz moved
	sh index b
	mv moved b/2026-11-16/web1-000000-cpu.pb.gz
	cp b/2026-11-17/web1-000000-cpu.pb.gz b/2026-11-17/web1-060000-cpu.pb.gz
	mv b/2026-11-17/web2-060000-cpu.pb.gz b/2026-11-17/web3-060000-cpu.pb.gz
	rm b/2026-11-18/web1-*; rm -r b/2026-11-19
	sh index b
	sh answer b >old; prof-history --index -q --rebuild b; sh answer b | cmp - old' <<'END'
b: 23 profiles read, 24 gone, 0 summed by prof-thin
b: 3 profiles read, 11 gone, 0 summed by prof-thin
END

# The values are prof-text's: of real profiles, one by one, every function.
mkdir real
for f in "$data"/good-*cpu*.pb.gz "$data"/good-*heap*.pb.gz "$data"/good-tiny.pb.gz; do
	found "$f" || continue
	cp "$f" real
done
for f in real/*.pb.gz; do
	found "$f" || continue
	prof-history --match= --tsv "$f" 2>/dev/null | cut -f1,10,11 | sed 1d |
		awk -F'\t' '$2 || $3' | sort >ours
	prof-text --tsv --trim=false "$f" 2>/dev/null |
		awk -F'\t' -v OFS='\t' 'NR > 1 && ($1 || $2) {
			flat[$4] += $1; cum[$4] += $2 }
		END { for (f in cum) printf "%s\t%.0f\t%.0f\n", f, flat[f], cum[f] }' |
		sort >theirs
	[ -s ours ] && cmp -s ours theirs || echo "$f: $(diff ours theirs | head -3)"
done >.bad
[ ! -s .bad ] && ok 'every function of every profile is as in prof-text' ||
	not_ok 'every function of every profile is as in prof-text' <.bad

# damage COMMAND: then the answer is right, and one line says so.
damage() {
	rm -rf d && cp -r archive d && prof-history --index -q d && eval "$1"
	check "damage: $1" 0 'sh answer d 2>err >got; cmp got want; cut -d: -f2- err' <<'END'
 d: rebuilt the cache, which was damaged
END
}
damage 'head -c 5000 d/.prof-history/index >x; cat x >d/.prof-history/index'
damage 'seq 100 >d/.prof-history/index'
damage 'head -c 40000 /dev/zero | tr "\0" x >x; dd if=x of=d/.prof-history/index bs=4096 seek=1 conv=notrunc 2>/dev/null'
# Any byte: there is an answer, and if SQLite or a reader finds the damage, a line
# says so. These are bytes of all pages that are not 0.
cat >bytes <<'EOF'
od -An -v -tu1 -w1 "$1" | awk '$1 { at[n++] = NR - 1 " " $1 }
	END { for (i = 1; i <= 24; i++) print at[int(n * i / 25)] }'
EOF
rm -rf d && cp -r archive d && prof-history --index -q d
cp d/.prof-history/index index.good
sh bytes index.good >flips
while read -r at value; do
	cp index.good d/.prof-history/index
	printf "\\$(printf %o $((value ^ 4)))" |
		dd of=d/.prof-history/index bs=1 seek="$at" conv=notrunc 2>/dev/null
	sh answer d 2>err >got || echo "byte $at: status $?"
	cmp got want
	grep -v '^prof-history: d: rebuilt the cache, which was damaged$' err
	[ ! -s err ] || echo "$at" >>noticed
done <flips >.bad
[ ! -s .bad ] && [ "$(wc -l <noticed)" -ge 6 ] && ok 'a byte of the cache that changed' ||
	not_ok 'a byte of the cache that changed' <.bad
: >old.version
! have sqlite3 || sqlite3 old.version 'create table file(x); pragma user_version = 4'
check 'an empty database, or another version, is no damage' 0 '
	: >d/.prof-history/index; sh answer d | cmp - want
	cat old.version >d/.prof-history/index; sh answer d | cmp - want
	rm -r d/.prof-history; sh answer d | cmp - want' </dev/null

# --- an index of strangers ----------------------------------------------------

check 'only this user opens the lock' 0 '
	chmod 644 d/.prof-history/lock; sh index d; stat -c %a d/.prof-history/lock' <<'END'
d: 0 profiles read, 0 gone, 0 summed by prof-thin
600
END
check 'an index that others may write is not used' 0 '
	chmod 666 d/.prof-history/index; sh answer d 2>err | cmp - want; sort -u err
	chmod 644 d/.prof-history/index' <<END
prof-history: d: no cache, so all profiles are read each time: $PWD/d/.prof-history/index: not a file that this user alone may write
END
# sealed SQL: run on an index that was right; its pages get their checksums again.
cat >sealed <<'EOF'
cp index.good d/.prof-history/index
sqlite3 d/.prof-history/index "$1"
end=$(wc -c <d/.prof-history/index)
for at in $(seq 0 4096 $((end - 1))); do
	tail -c +$((at + 1)) d/.prof-history/index | head -c 4092 | gzip -c | tail -c 8 |
		head -c 4 | dd of=d/.prof-history/index bs=1 seek=$((at + 4092)) conv=notrunc
done 2>/dev/null
EOF
# forge SQL: into an index that was right; then it is made anew, in little time.
forge() {
	if have sqlite3; then
		sh sealed "$1"
		check "forged: $1" 0 '(ulimit -t 60; exec sh answer d) 2>err | cmp - want; cut -d: -f2- err' <<'END'
 d: rebuilt the cache, which was damaged
END
	else
		skip "forged: $1" 'no sqlite3'
	fi
}
forge 'drop table fn; create view fn(id, name) as with recursive c(x) as
	(select 1 union all select x + 1 from c) select x, randomblob(1000) from c'
forge 'create trigger t after insert on word begin delete from file; end'
forge 'create index i on block(abs(day))'
forge 'update file set id = 1 << 40 where id = (select max(id) from file)'
forge 'update file set id = 4294967295 where id = (select max(id) from file)'
forge 'update block set types = 1 << 31'
forge 'update block set n = 5000'
forge 'update post set data = zeroblob(5000)'
forge 'update word set id = id + 7'
forge 'update fn set id = 1 << 33 where id = 2'
# The sums say: function 1, of one build, which is word 1 (sample types), 5 each.
if have sqlite3; then
	check 'forged: sums of a build that no profile has' 0 '
		sh sealed "update block set sums = x'\''0101010a0a0a0a'\''"
		prof-history --match=. --tsv d | cut -f10 | sort -u' <<'END'
0
flat
END
else
	skip 'forged: sums of a build that no profile has' 'no sqlite3'
fi

# A journal of a transaction that was cut off, and of another database that took part:
# SQLite would remove the file that it names.
be() {
	for shift in 24 16 8 0; do
		printf "\\$(printf %o $(($1 >> shift & 255)))"
	done
}
magic='\331\325\005\371\040\241\143\327'
cp index.good d/.prof-history/index
echo precious >precious
{
	printf "$magic"
	for n in 0 7 $(($(wc -c <index.good) / 4096)) 512 4096; do
		be "$n"
	done
	head -c 484 /dev/zero
	be 0
	printf %s "$PWD/precious"
	be $((${#PWD} + 9))
	be "$(printf %s "$PWD/precious" | od -An -v -tu1 | awk '{ for (i = 1; i <= NF; i++) n += $i } END { print n }')"
	printf "$magic"
} >d/.prof-history/index-journal
check 'a journal that names another file' 0 '
	sh answer d 2>err | cmp - want; cut -d: -f2- err; cat precious; ls d/.prof-history' <<'END'
 d: rebuilt the cache, which was damaged
precious
index
lock
END
for end in journal wal shm; do
	mkfifo "d/.prof-history/index-$end"
	check_err "a pipe as index-$end" 0 'timeout 20 prof-history --match=. d >/dev/null' \
		"index-$end: not a file that this user alone may write"
	rm "d/.prof-history/index-$end"
done

# --- --index=FILE --------------------------------------------------------------

check 'a cache somewhere else' 0 '
	mkdir cache; ln -s cache link
	cp -r archive elsewhere; rm -r elsewhere/.prof-history
	prof-history --index=link/app elsewhere 2>&1
	prof-history --index=cache/app --function=work --tsv elsewhere 2>&1 | wc -l
	ls -A elsewhere | grep prof-history; ls cache' <<'END'
prof-history: elsewhere: 24 profiles read, 0 gone, 0 summed by prof-thin
5
app
app.lock
END
echo mine >mine
cp archive/2026-11-16/web1-000000-cpu.pb.gz a.pb.gz
for file in mine a.pb.gz cache; do
	check_err "--index=$file: left alone" 2 "prof-history --rebuild --index=$file archive" \
		"/$file: not a cache of prof-history; remove it, or give another name"
done
check 'they are as they were' 0 'cat mine; cmp a.pb.gz archive/2026-11-16/web1-000000-cpu.pb.gz; ls cache' <<'END'
mine
app
app.lock
END
check 'an empty file becomes one; one that is damaged is made anew' 0 '
	: >cache/empty; prof-history --index=cache/empty -q archive
	head -c 9000 cache/empty >x; cat x >cache/empty
	prof-history --index=cache/empty archive 2>&1' <<'END'
prof-history: archive: rebuilt the cache, which was damaged
prof-history: archive: 24 profiles read, 0 gone, 0 summed by prof-thin
END
check_err 'a cache that others may write' 2 \
	'chmod 622 cache/app; prof-history --index=cache/app archive' \
	'/cache/app: not a file that this user alone may write'
check_err 'a cache in a folder that others may write' 2 \
	'mkdir -m 777 all; chmod 1777 all; prof-history --index=all/app archive' \
	'/all: not a directory that this user owns'
check 'caches below a folder in which others may write: refused, and not made' 0 '
	mkdir -p open/mine; chmod 777 open; ln -s open/mine link.open
	cp -r elsewhere others; echo >others/.prof-history
	for cache in open/mine open/new link.open; do
		PROF_CACHE=$PWD/$cache prof-history --index -q others 2>&1 | sed "s|$PWD/||g"
	done; find open' <<'END'
prof-history: others: no cache: open/mine: other users may write in open, or it is another user's
prof-history: others: no cache: open: other users may write in open, or it is another user's
prof-history: others: no cache: open/mine: other users may write in open, or it is another user's
open
open/mine
END
if [ "$(id -u)" = 0 ]; then
	check_err 'a cache of another user' 2 \
		'chmod 644 cache/app; chown 65534 cache/app; prof-history --index=cache/app archive' \
		'/cache/app: not a file that this user alone may write'
else
	skip 'a cache of another user' 'not root'
fi
check_err 'a cache of two archives' 2 'prof-history --index=cache/x archive b' \
	'--index=cache/x: the cache of one archive, a folder'
check_err 'a cache in no folder' 2 'prof-history --index=nowhere/app archive' 'nowhere/: No such file'
check_err 'a cache without a name' 2 'prof-history --index= archive' 'the name of the file is empty'
check_err 'only the cache, or a question' 2 'prof-history --index --match=. archive' \
	'--index without a file only updates the cache'
check_err 'no cache: an error if nothing else was asked for' 2 \
	'cp -r elsewhere g; echo >g/.prof-history; PROF_CACHE= prof-history --index -q g' \
	'g: no cache: PROF_CACHE is empty'

# --- taking turns ---------------------------------------------------------------

# Killed while it indexes: what is there is as it was.
check 'killed' 0 '
	for i in 1 2 3 4 5 6 7 8; do
		rm -rf d/.prof-history; [ $((i % 2)) = 0 ] || prof-history --index -q d
		touch d/*/*.pb.gz
		prof-history --index -q d & sleep 0.00$i; kill -9 $! 2>/dev/null; wait $! 2>/dev/null
	done 2>/dev/null
	sh answer d | cmp - want' </dev/null
check 'questions while others index' 0 '
	for i in 1 2; do
		{ touch d/*/web$i-*; prof-history --index -q --rebuild d; } &
		for k in 1 2; do { sh answer d >out.$i$k 2>&1; cmp out.$i$k want; } & done
	done; wait' </dev/null
check 'several at once' 0 '
	rm -rf d/.prof-history
	for i in 1 2 3 4; do sh answer d >out.$i 2>&1 & done; wait
	for i in 1 2 3 4; do cmp out.$i want; done' </dev/null

# An archive that cannot be written: the user's own cache, or none.
check 'no folder for the cache' 0 '
	rm -rf d/.prof-history; echo >d/.prof-history
	sh answer d 2>err | cmp - want; sort -u err
	export PROF_CACHE=$PWD/own; sh answer d | cmp - want; ls own/history | wc -l
	rm d/.prof-history' <<'END'
prof-history: d: no cache, so all profiles are read each time: PROF_CACHE is empty
1
END

# --- builds -------------------------------------------------------------------

# build OF...: the build of a profile with these lines of mappings and samples.
cat >build <<'END'
rm -rf one; mkdir one
{ printf '# cpu nanoseconds\n@time 1700000000000000000\n'; printf '%s\n' "$@"; } | mkprof - >one/a.pb
prof-history --match=. --tsv one 2>&1 | cut -f1,5 | tail -n +2 | tr '\t\n' ':;'
echo
END
check 'a build is of the program, never of a library' 0 '
	sh build "@mapping 0x400000 0x500000 0 /bin/app b00f1e" "@mapping 0x700000 0x800000 0 /lib/libc.so.6 93ac61" "main 1"
	sh build "@mapping 0x400000 0x500000 0 /bin/app" "@mapping 0x700000 0x800000 0 /lib/libc.so.6 93ac61" "main 1"
	sh build "@mapping 0x400000 0x500000 0 /bin/app b00f1e" "@mapping 0x600000 0x700000 0 /bin/db db11" \
		"main 1 {process=\"db\"}"
	sh build "@mapping 0x400000 0x500000 0 /bin/app b00f1e" "@mapping 0x600000 0x700000 0 /bin/db db11" \
		"main 1 {process=\"db\"}" "work 3 {process=\"app\"}"
	sh build "@mapping 0x400000 0x500000 0 /bin/app b00f1e" "@mapping 0x600000 0x700000 0 /bin/app b01c07" \
		"main 1 {process=\"app\"}"
	sh build "@mapping 0x400000 0x500000 0 /bin/app b00f1e" "main 1 {build=\"v2\"}"' <<'END'
main:b00f1e;
main:;
main:db11;
main:;work:;
main:;
main:v2;
END
sh build "@mapping 0x400000 0x500000 0 /bin/app b00f1e" "main 1 {process=\"app\" user=\"a\"}" \
	"main 1 {process=\"app\" user=\"b\"}" "main 1 {process=\"sh\" user=\"a\"}" "main 1 {process=\"sh\" user=\"b\"}" \
	"main 1 {process=\"top\" user=\"a\"}" >/dev/null
check 'what is left out are profiles, not programs' 0 '
	prof-history --function=main --where="user == \"a\"" --tsv one 2>&1 | cut -f8,11
	prof-history --function=main --by=user --tsv one 2>&1 | cut -f2,8,11' <<'END'
prof-history: left out 1 profile (at least in part): the samples differ in a label of --where
profiles	cum
1	1
prof-history: put 1 profile (at least in part) into the row without a name: the samples differ in label 'user'
user	profiles	cum
	1	4
a	1	1
END
sh build "@mapping 0x400000 0x500000 0 /bin/app b00f1e" "@mapping 0x600000 0x700000 0 /bin/a-very-long-name db11" \
	"main 1 {process=\"a-very-long-nam\"}" "work 3 {process=\"app\"}" "main 2 {process=\"sh\"}" >/dev/null
check 'of several programs each has its own, and they are one profile' 0 '
	for f in main work; do prof-history --function=$f --tsv one | cut -f1,5,6,8,11,12 | tail -1; done
	prof-history --function=main --by=process --tsv one | cut -f2,5,8,11,12
	prof-history --function=main --where="process == \"sh\"" --tsv one | cut -f5,8,12 | tail -1' <<'END'
main	db11	1	1	3	6
work	b00f1e	1	1	3	6
process	build	profiles	cum	total
a-very-long-nam	db11	1	1	1
app		1	0	3
sh		1	2	2
	1	2
END
sh build "@mapping 0x400000 0x500000 0 /bin/app b00f1e" "@mapping 0x600000 0x700000 0 /bin/db db11" \
	"main 1 {process=\"db\"}" "work 3 {process=\"app\"}" >/dev/null
check 'the header names the programs, and a part of them' 0 '
	prof-text one/a.pb | head -2; prof-text --tagfocus=process=db one/a.pb | head -2' <<'END'
File: app and 1 more program
Type: cpu
File: db
Build ID: db11
END

# --- bad profiles ------------------------------------------------------------

check 'what cannot be read is named, then counted' 3 '
	cp -r archive e; head -c 50 e/2026-11-16/web1-000000-cpu.pb.gz >e/x.pb.gz; echo >e/README
	prof-history --function=work --tsv e 2>&1 | grep -v "^work"
	prof-history --function=work --tsv e 2>err >out; s=$?; cat err; exit $s' <<'END'
prof-history: e/x.pb.gz: truncated gzip stream
function	day	first	last	build	builds	hosts	profiles	samples	flat	cum	total
prof-history: e: left out a file that cannot be read: x.pb.gz: truncated gzip stream
END
# Not a word about the file is kept of an error that may pass.
check 'a limit that was too small is no verdict' 0 '
	rm -rf e/.prof-history e/x.pb.gz
	prof-history --function=work --tsv --max-size=50 e 2>&1 | grep -c "limit of 50 bytes"
	prof-history --function=work --tsv e 2>&1 | cut -f2,8' <<'END'
24
day	profiles
2026-11-16	6
2026-11-17	6
2026-11-18	6
2026-11-19	6
END
if strace -o trace true 2>/dev/null; then
	for error in EMFILE ENOMEM EIO; do
		check "$error once is no verdict" 0 "
			rm -rf e/.prof-history
			ASAN_OPTIONS=detect_leaks=0 strace -qq -o trace -P e/2026-11-16/web1-000000-cpu.pb.gz \\
				-e inject=openat:error=$error:when=1 \\
				prof-history --index e 2>&1 | tail -1
			prof-history --index e 2>&1" <<'END'
prof-history: e: 23 profiles read, 0 gone, 0 summed by prof-thin
prof-history: e: 1 profile read, 0 gone, 0 summed by prof-thin
END
	done
else
	skip 'an error once is no verdict' 'no strace, or nobody may trace here'
fi
check 'a profile without a time' 0 '
	mkdir t t/2026-11-03; printf "# cpu nanoseconds\nmain 1\n" | mkprof - >t/2026-11-03/h-1015.pb
	prof-history --match=main --by=profile --tsv t | cut -f2,7 | sed 1d
	cp t/2026-11-03/h-1015.pb t/x.pb; touch -d 2026-10-01T01:02:03Z t/x.pb
	prof-history --match=main --by=profile --tsv t 2>&1 | cut -f2 | sed 2d' <<'END'
2026-11-03T10:15:00Z	1
prof-history: t: 1 profile without a time, in a path without a date: using the time of the file
2026-10-01T01:02:03Z
2026-11-03T10:15:00Z
END

# The paths of prof-fetch: doc/archive.md, and its manual page.
check 'the host and the time of a path' 0 '
	printf "# cpu nanoseconds\nmain 1\n" | mkprof - >untimed
	for f in web1/heap/2026-11-03/23/1501 10.0.0.1/heap/2026-11-03/23/1501 2026-11-03/web-07/231501 \
		2026-11-03/web-07-231501-heap 2026-11-03/ip-10-0-0-7-231501-heap-12 \
		2026-11-03/10.0.0.1-231501-heap 2026-11-03/web-2-2315-heap 2026-11-03/23/web-2-1501 \
		web-2-heap-20261103-231501 web-2-2026-11-03-23; do
		rm -rf one; mkdir -p "one/${f%/*}" && cp untimed "one/$f.pb"
		echo "$f $(prof-history --match=main --by=profile --tsv one | sed 1d | cut -f2) $(
			prof-history --match=main --by=host --tsv one | sed 1d | cut -f2)"
	done' <<'END'
web1/heap/2026-11-03/23/1501 2026-11-03T23:15:01Z web1
10.0.0.1/heap/2026-11-03/23/1501 2026-11-03T23:15:01Z 10.0.0.1
2026-11-03/web-07/231501 2026-11-03T23:15:01Z web-07
2026-11-03/web-07-231501-heap 2026-11-03T23:15:01Z web-07
2026-11-03/ip-10-0-0-7-231501-heap-12 2026-11-03T23:15:01Z ip-10-0-0-7
2026-11-03/10.0.0.1-231501-heap 2026-11-03T23:15:01Z 10.0.0.1
2026-11-03/web-2-2315-heap 2026-11-03T23:15:00Z web-2
2026-11-03/23/web-2-1501 2026-11-03T23:15:01Z web-2
web-2-heap-20261103-231501 2026-11-03T23:15:01Z web-2-heap
web-2-2026-11-03-23 2026-11-03T23:00:00Z web-2
END

check 'a clock in the future' 0 '
	mkdir future; cp archive/2026-11-16/web1-* future
	printf "# samples count cpu nanoseconds\n@time 9200000000000000000\nmain 1 1\n" | mkprof - >future/web9-1.pb
	prof-history --function=main --since=1d --tsv future 2>&1 | cut -f1-2
	prof-history --function=main --since=1d --until=2026-11-17 --tsv future 2>&1 | cut -f1-2' <<'END'
prof-history: the newest profile is of 2261-07-15T11:33:20Z, in the future: ages such as 7d count back from it; --until=DATE leaves it out
function	day
main	2261-07-15
function	day
main	2026-11-16
END

# --- prof-thin ---------------------------------------------------------------

# hours ROOT: the same as %F/%H/host.pb.gz.
for d in 16 17 18 19; do
	for h in 00 06 12; do
		mkdir -p "hours/2026-11-$d/$h"
		for host in web1 web2; do
			cp "archive/2026-11-$d/$host-${h}0000-cpu.pb.gz" \
				"hours/2026-11-$d/$h/$host-00.pb.gz"
		done
	done
done
cp -r hours h
prof-history --index -q h
sh answer h >hours.want
check 'thinned: the cache still knows the minutes' 0 '
	prof-thin -q --now=2026-11-20 h; sh index h; sh answer h | cmp - hours.want
	prof-thin -q --hours=2 --now=2026-11-20 h; sh index h; sh answer h | cmp - hours.want
	find h -name "*.pb.gz" | sort' <<'END'
h: 0 profiles read, 0 gone, 18 summed by prof-thin
h: 0 profiles read, 0 gone, 6 summed by prof-thin
h/2026-11-16.pb.gz
h/2026-11-17.pb.gz
h/2026-11-18/00.pb.gz
h/2026-11-18/06.pb.gz
h/2026-11-18/12.pb.gz
h/2026-11-19/00/web1-00.pb.gz
h/2026-11-19/00/web2-00.pb.gz
h/2026-11-19/06/web1-00.pb.gz
h/2026-11-19/06/web2-00.pb.gz
h/2026-11-19/12/web1-00.pb.gz
h/2026-11-19/12/web2-00.pb.gz
END
# unseen: what the last day has.
cat >unseen <<'EOF'
prof-history --match=work --since=2026-11-19 --tsv h | cut -f2,8,10,12
EOF
check 'a profile that the cache has not seen: the sum is read' 0 '
	profile=h/2026-11-19/00/web3-00.pb.gz
	cp h/2026-11-19/00/web1-00.pb.gz $profile
	prof-thin -q --now=2026-11-21 h; sh index h
	sh unseen >a; prof-history --index --rebuild -q h; sh unseen; cat a' <<'END'
h: 1 profile read, 2 gone, 4 summed by prof-thin
day	profiles	flat	total
2026-11-19	3	4970000000	6510000000
day	profiles	flat	total
2026-11-19	5	4970000000	6510000000
END

# Between any two steps of prof-thin everything is there once.
cp -r hours s
if strace -o trace true 2>/dev/null; then
	check 'prof-thin, killed at each of its steps' 0 '
		for n in 1 3 5 7 9 11 13 15 17 19 21 23 25 27 29 31 33; do
			rm -rf s; cp -r hours s
			strace -f -qq -o trace -e inject=renameat,renameat2,unlinkat:signal=KILL:when=$n \
				prof-thin -q --hours=3 --now=2026-11-21 s 2>/dev/null && continue
			echo >>kills
			prof-history --match=work --by=build --tsv s 2>>complaints | cut -f2,10,12 >>steps
		done
		sort -u steps; wc -l <kills; cat complaints' <<'END'
b00f1e	8820000000	11160000000
b01c07	8580000000	11160000000
build	flat	total
17
END
else
	skip 'prof-thin, killed at each of its steps' 'no strace, or nobody may trace here'
fi

# --- changes ------------------------------------------------------------------

# Fourteen days of two hosts; a build that makes Encode 20 % slower comes to web1
# on the 9th and to web2 on the 10th, and brings a function of its own.
awk 'BEGIN {
	for (day = 1; day <= 14; day++)
		for (hour = 0; hour < 24; hour += 8)
			for (web = 1; web <= 2; web++) {
				seed = (seed * 1103 + 12345) % 65536
				is_new = day >= 8 + web
				encode = int((1900 + int(seed / 256)) * (is_new ? 1.2 : 1))
				printf "2026-10-%02d %02d web%d %d %d\n", day, hour, web, is_new, encode
			}
}' >series
while read -r day hour host is_new encode; do
	mkdir -p "changes/$day"
	{
		echo '# samples count cpu nanoseconds'
		echo "@time $(date -ud "$day $hour:00" +%s)000000000"
		echo '@period cpu nanoseconds 10000000'
		if [ "$is_new" = 1 ]; then
			echo '@mapping 0x400000 0x500000 0 /bin/app b01c07'
			echo 'main;cache 500 5000000000'
		else
			echo '@mapping 0x400000 0x500000 0 /bin/app b00f1e'
			echo 'main;probe 500 5000000000'
		fi
		echo "main;Encode $encode ${encode}0000000"
		echo 'main;work 90000 900000000000'
	} | mkprof - >"changes/$day/$host-${hour}0000.pb.gz"
done <series

if lacks 'prof-history --change changes'; then
	skip 'changes' 'this build has no gsl'
else
	check 'when it changed, and the build' 1 '
		prof-history --function=Encode --change --exit-code changes >out; s=$?
		tail -1 out; exit $s' <<'END'
change: Encode from 2026-10-10 on: share 2.218% to 2.635%, +18.8% (+12.9 to +24.7), p 0.0035; build b01c07 arrived on web1 and web2 (2026-10-09T00:00:00Z) and differs by +19.4% (+12.8 to +25.9) from b00f1e in 3 hours when both ran, p 0.0061
END
	check 'by hour: the build reached the other host then' 0 '
		prof-history --function=Encode --change --by=hour changes | tail -1 | grep -o "build.*differs"' <<'END'
build b01c07 arrived on web2 (2026-10-10T00:00:00Z) and differs
END
	# Without a new build: web3 alone gets slower on the 8th.
	for day in 01 02 03 04 05 06 07 08 09 10 11 12 13 14; do
		mkdir -p "alone/2026-10-$day"
		for web in 1 2 3; do
			encode=$((2000 + (${day#0} * 7919 + web * 104729) % 97))
			[ $web$day -lt 308 ] || encode=$((encode * 2))
			cat <<EOF | mkprof - >"alone/2026-10-$day/web$web-000000.pb.gz"
# samples count
@time $(date -ud "2026-10-$day" +%s)000000000
main;Encode $encode
main;work 90000
EOF
		done
	done
	check 'no build: the host' 0 '
		prof-history --function=Encode --change alone | tail -1 | sed "s/, +[^;]*;/;/"
		prof-history --function=Encode --change --json alone | grep -o "\"host\": {.*" |
			sed "s/\(\.[0-9]\)[0-9]*/\1/g"
		prof-history --function=Encode --by=host --until=2026-10-08 alone | sed -n "s/^web3.* \( [0-9.]*%\).*/  \1/p"
		prof-history --function=Encode --by=host --since=2026-10-08 alone | sed -n "s/^web3.* \( [0-9.]*%\).*/  \1/p"' <<'END'
change: Encode from 2026-10-08 on: share 2.229% to 2.944%; the profiles do not say their build; prof-merge --label=build=VERSION labels them; of 3 hosts web3 moved most: 2.236% to 4.354%, 100% of it
"host": {"host": "web3", "of": 3, "before": 0.0, "after": 0.0, "part": 0.9}}]}]}
   2.236%
   4.354%
END
	# web3 takes twice as much, and is gone from the 8th on; the same backwards.
	for day in 01 02 03 04 05 06 07 08 09 10 11 12 13 14; do
		mkdir -p "gone/2026-10-$day" "born/2026-10-$day"
		for web in 1 2 3; do
			encode=$(((2000 + (${day#0} * 7919 + web * 104729) % 97) << web / 3))
			printf '# samples count\nmain;Encode %s\nmain;work 90000\n' $encode |
				mkprof - >"gone/2026-10-$day/web$web-000000.pb.gz"
		done
		cp gone/2026-10-$day/* born/2026-10-$day
		[ ${day#0} -lt 8 ] && rm born/2026-10-$day/web3* || rm gone/2026-10-$day/web3*
	done
	check 'no build: a host that is gone, or new' 0 '
		for a in gone born; do
			prof-history --function=Encode --change $a | tail -1 | grep -o "of 3.*"
			prof-history --function=Encode --change --json $a | grep -o "web3.*[a-z]*\": null"
		done' <<'END'
of 3 hosts web3 is gone: 4.373%, 100% of it
web3", "of": 3, "before": 0.0437332653, "after": null
of 3 hosts web3 is new: 4.354%, 100% of it
web3", "of": 3, "before": null
END
	check 'no change' 0 '
		prof-history --function=Encode --change --exit-code --until=2026-10-09 changes | tail -1
		prof-history --function=main --change changes | tail -1
		prof-history --function=Encode --change --since=5d changes | tail -1' <<'END'
change: none; p 0.48 at best
change: none; p 1 at best
change: too few rows, 5 of 6
END
	# Ten hosts get slower, one a day, from the 10th on.
	for day in 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26; do
		mkdir -p "slow/2026-10-$day"
		slower=$((${day#0} - 9))
		slower=$((slower < 0 ? 0 : slower > 10 ? 10 : slower))
		cat <<EOF | mkprof - >"slow/2026-10-$day/sum-000000.pb.gz"
# samples count
@time $(date -ud "2026-10-$day" +%s)000000000
main;Encode $((20000 + slower * 1000 + ${day#0} * 7919 % 397))
main;work 900000
EOF
	done
	check 'a roll-out of ten days' 0 '
		prof-history --function=Encode --change slow | tail -1 | cut -d, -f1-2' <<'END'
change: Encode from 2026-10-15 (between 2026-10-12 and 2026-10-18) on: share 2.232% to 3.243%, +45.3% (+39.4 to +51.2)
END
	check 'by hour, as TSV' 0 '
		prof-history --function=Encode --change --by=hour --tsv changes | cut -f1-4,10,11' <<'END'
function	at	first	last	build	against
Encode	2026-10-10T00:00Z	2026-10-10T00:00Z	2026-10-10T00:00Z	b01c07	b00f1e
END
	check 'all functions' 0 'prof-history --change changes' <<'END'
cpu, flat: 3 of 4 functions changed in 14 days, the surest first; * p < 1e-06
   day             before      after     change          p  function
   2026-10-09     2.186%     2.640%     +20.8%   0.00081  Encode
   2026-10-09     0.540%     0.045%     -91.7%    0.0016  probe
   2026-10-09     0.000%     0.493%        new    0.0017  cache
END
	check 'all functions, as TSV: few changes are as large as that' 0 '
		prof-history --change --tsv --min-change=95 changes | cut -f1,8' <<'END'
function	at
cache	2026-10-09
END
fi
check 'what moved' 0 'prof-history --top-movers=2 --since=5d changes' <<'END'
cpu, flat: 2026-10-10 to 2026-10-14 (30 profiles, 2788472 samples) after 2026-10-05 to 2026-10-09 (30 profiles, 2777294 samples)
    before      after      moved     change  function
    0.486%     0.000%    -0.486%    -100.0%  probe
    0.054%     0.538%    +0.484%    +896.0%  cache
2 more; see --nodecount
END
check 'what is new, what vanished' 0 '
	prof-history --new --since=2026-10-06 changes; prof-history --vanished --since=4d changes
	prof-history --new --since=2026-10-10 --tsv changes' <<'END'
cpu, flat: 2026-10-06 to 2026-10-14 (54 profiles, 5010622 samples) after 2026-10-01 to 2026-10-05 (30 profiles, 2775682 samples)
     share  first day   function
    0.329%  2026-10-09  cache
cpu, flat: 2026-10-11 to 2026-10-14 (24 profiles, 2230725 samples) after 2026-10-01 to 2026-10-10 (60 profiles, 5555579 samples)
     share  last day    function
    0.459%  2026-10-09  probe
function	before	after	total_before	total_after	first	last	at	p
END
check 'a day by its sums, and by its profiles' 0 '
	prof-history --match=. --tsv changes | cut -f1,2,8- >day
	prof-history --match=. --tsv --by=profile changes |
		awk -F"\t" -v OFS="\t" "NR > 1 { d = \$1 OFS substr(\$2, 1, 10)
			n[d] += \$8; s[d] += \$9; f[d] += \$10; c[d] += \$11; t[d] += \$12 }
			END { for (d in n) printf \"%s\t%d\t%d\t%.0f\t%.0f\t%.0f\n\", d, n[d], s[d], f[d], c[d], t[d] }" |
		sort >profiles
	sed 1d day | sort | cmp - profiles' </dev/null
# The picture: well formed, the same each time, a point for each day.
if lacks 'prof-history --change changes'; then
	skip 'a picture' 'this build has no gsl'
else
	check 'a picture' 0 '
		prof-history --function=Encode --change --svg changes >a.svg
		prof-history --function=Encode --change --svg -o b.svg changes && cmp a.svg b.svg
		grep -c "<circle" a.svg; grep -c "class=.c." a.svg; grep -o "<title>build [^<]*" a.svg
		grep -o "<title>2026-10-10: [^<,]*" a.svg' <<'END'
14
1
<title>build b01c07
<title>2026-10-10: 2.218% to 2.635%
<title>2026-10-10: 2.644%
END
fi
if have xmllint; then
	check 'pictures of a row and of no share are well formed' 0 '
		prof-history --match=. --svg --by=host --since=1d changes | xmllint --noout -
		prof-history --function=probe --svg --since=2026-10-12 changes | xmllint --noout -
		prof-history --function=Encode --svg --since=1d changes | xmllint --noout -' </dev/null
else
	skip 'pictures are well formed' 'no xmllint'
fi
for bad in '--change --by=host' '--top-movers --function=work' '--new --by=hour' \
	'--exit-code --change' '--top-movers=0' '--new --svg' '--new --spark' \
	'--spark --match=. --change' '--min-share=101' '--top-movers --change' '--new --vanished'; do
	check_err "not $bad" 2 "prof-history $bad changes" 'prof-history: '
done

# --- the page's examples -------------------------------------------------------

shown prof-history.1 >examples
[ "$(wc -l <examples)" -ge 4 ] || not_ok 'there are examples' <examples
while read -r line; do
	printf '%s\n' "$line" >example
	if sh ./example >out 2>.err </dev/null && [ ! -s .err ]; then
		ok "example: $line"
	else
		not_ok "example: $line" <.err
	fi
done <examples
plan
