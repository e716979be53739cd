#!/bin/sh
# prof-history --detail: what caches of less detail answer is, to the byte, what
# a cache of all profiles answers; the rest they refuse. --index=FILE: a cache
# somewhere else.
. "${srcdir:-.}/tests/lib/tap.sh"

! lacks 'prof-history --index .' || skip_rest prof-history 'this build has no sqlite'
PATH=$src/cmd:$PATH
export PATH

# Fourteen days of three hours of two hosts; a build that makes Encode slower
# comes to web1 on the 9th and to web2 on the 10th.
awk 'BEGIN {
	for (day = 1; day <= 14; day++)
		for (hour = 0; hour < 24; hour += 8)
			for (web = 1; web <= 2; web++) {
				seed = (seed * 1103 + 12345) % 65536
				is_new = day >= 8 + web
				encode = int((1900 + int(seed / 256)) * (is_new ? 1.2 : 1))
				printf "2026-10-%02d %02d %d %d %d\n", day, hour, web, is_new, encode
			}
}' >series
mkdir archive
while read -r day hour web is_new encode; do
	mkdir -p "archive/$day/$hour"
	{
		echo '# bytes bytes samples count cpu nanoseconds'
		echo "@time $(date -ud "$day $hour:1$web" +%s)000000000"
		echo '@period cpu nanoseconds 10000000'
		if [ "$is_new" = 1 ]; then
			echo '@mapping 0x400000 0x500000 0 /bin/app b01c07'
			echo 'main;cache 3 500 5000000000'
		else
			echo '@mapping 0x400000 0x500000 0 /bin/app b00f1e'
			echo 'main;probe 7 500 5000000000'
		fi
		echo "main;Encode $((encode % 7)) $encode ${encode}0000000"
		echo "main;work $web 90000 900000000000"
	} | mkprof - >"archive/$day/$hour/web$web-00.pb.gz"
done <series

cat >index <<'END'
prof-history --index "$@" 2>&1 | sed 's/^prof-history: //'
END
# ask ROOT DETAIL QUESTION...: answers, each by its question; $index: of caches.
cat >ask <<'END'
root=$1 detail=$2
shift 2
for q; do
	echo "== $q"
	eval "prof-history $q --detail=$detail $root"
done
END
# What all levels know: sums by day and build.
cat >by-days <<'END'
sh ask "$1" "$2" '--match=. --tsv' '--match=. --tsv --by=build' \
	'--match=. --by=build --type=bytes --flat' '--top-movers --tsv' \
	'--new --since=2026-10-06' '--vanished --cum --since=4d' \
	'--match=. --type=bytes --tsv --where="build =~ \"^b01\""' \
	'--match=. --since=2026-10-05 --until=2026-10-12 --json'
END
# What the hours know as well.
cat >by-hours <<'END'
sh ask "$1" "$2" '--match=. --tsv --by=hour' '--match=. --tsv --by=hour --type=bytes' \
	'--match=. --by=hour --where="build =~ \"f1e\""' \
	'--match=. --tsv --since=2026-10-05T08:00 --until=36h'
END
for detail in all hours none; do
	cp -r archive $detail
	prof-history --index --detail=$detail -q $detail
done
sh by-days all all >days.want
sh by-hours all all >hours.want
check 'what all levels know is the same' 0 '
	grep -c == days.want; grep -c == hours.want
	sh by-days hours hours | cmp - days.want; sh by-days none none | cmp - days.want
	sh by-hours hours hours | cmp - hours.want' <<'END'
8
4
END
check 'without --detail a cache keeps its level; --rebuild, too' 0 '
	prof-history --index --rebuild none 2>/dev/null
	prof-history --match=. --by=hour none 2>&1
	prof-history --match=. --by=hour -q --detail=none archive 2>&1; rm -r archive/.prof-history' <<'END'
prof-history: none: the question tells profiles apart of which the cache has only the sum for each day and build; --detail=hours or --detail=all makes it anew
prof-history: archive: the question tells profiles apart of which the cache has only the sum for each day and build; --detail=hours or --detail=all makes it anew
END
# refused DETAIL OPTION: a question that needs more.
refused() {
	check_err "$1 $2 is refused" 2 "prof-history --function=work '$2' $1" \
		'the question tells profiles apart'
}
refused hours --by=host
refused hours --by=profile
refused hours '--where=host == "web1"'
refused hours --since=2026-10-05T08:12
refused none --by=hour
refused none --by=profile
refused none --since=36h
refused none '--where=host == "web2"'
check 'but rows of their own need no more' 0 '
	cp -r archive one; rm one/*/*/web2*
	for detail in hours all; do
		sh ask one $detail "-q --match=. --by=host --tsv" "-q --match=. --by=profile --tsv" >out.$detail
	done
	cmp out.hours out.all; grep -c "^work" out.all' <<'END'
43
END

# --- changes --------------------------------------------------------------------

if lacks 'prof-history --change archive'; then
	skip 'changes' 'this build has no gsl'
else
	check 'changes, and their builds, are the same by hours' 0 '
		for q in "--change" "--function=Encode --change" "--function=Encode --change --json" \
			"--match=. --change --tsv"; do
			for detail in all hours; do prof-history -q $q $detail >out.$detail; done
			cmp out.all out.hours
		done; prof-history --function=Encode --change hours | tail -1
		for detail in all none; do prof-history --change $detail >out.$detail; done
		cmp out.all out.none' <<'END'
  build b01c07, first seen 2026-10-09T00:11:00Z: +19.4% (+12.8 to +25.9) against b00f1e in 3 hours when both ran, p 0.0061
END
	check 'by days they have no builds, and that is said' 0 '
		prof-history --function=Encode --change none 2>err | tail -2; cat err
		prof-history --function=Encode --change --json -q none | grep -o "\"builds\": \[\], .*"
		prof-history --function=main --change none | tail -1' <<'END'
change: 2026-10-10: share 2.218% to 2.635%, +18.8% (+12.9 to +24.7), p 0.0035
  builds not compared
prof-history: builds are not compared: the cache has no hours (--detail=hours)
"builds": [], "lacks": "hours"}]}]}
change: none; p 1 at best
END
	check 'by hours they have no hosts, and that is said' 0 '
		prof-history --function=Encode --change --by=hour hours 2>err | tail -1; cat err
		prof-history --function=Encode --change --by=hour all | tail -1 | cut -c-30' <<'END'
  no new build explains it; hosts not compared
prof-history: hosts are not compared: the cache has no single profiles (--detail=all)
  no new build explains it; of
END
fi

# --- other levels ----------------------------------------------------------------

check 'less detail: reduced without reading a profile; more: rebuilt' 0 '
	cp -al all c; rm -r c/.prof-history; cp -r all/.prof-history c
	sh index --detail=hours c; sh by-hours c hours | cmp - hours.want
	sh index --detail=none c; sh by-days c none | cmp - days.want
	sh index --detail=all c; sh by-hours c all | cmp - hours.want
	prof-history --index --detail=none -q c' <<'END'
c: 0 profiles read, 0 gone, 0 summed by prof-thin
c: reduced the cache from --detail=all to hours
c: 0 profiles read, 0 gone, 0 summed by prof-thin
c: reduced the cache from --detail=hours to none
c: 84 profiles read, 0 gone, 0 summed by prof-thin
c: rebuilt the cache for --detail=all; it had none
END
check 'a reduced cache can be checked; a damaged one keeps its level' 0 '
	sh index --check c; head -c 9000 c/.prof-history/index >x; cat x >c/.prof-history/index
	prof-history --match=. --by=hour c 2>&1 | cut -c-60; sh by-days c none | cmp - days.want' <<'END'
c: 0 profiles read, 0 gone, 0 summed by prof-thin
prof-history: c: rebuilt the cache, which was damaged
prof-history: c: the question tells profiles apart of which 
END

check 'several at once, each with another level' 0 '
	prof-history --match=. --tsv c >want
	for i in 1 2; do
		for detail in all hours none; do
			prof-history -q --detail=$detail --match=. --tsv c >out.$detail.$i &
		done
	done; wait
	for detail in all hours none; do
		cmp out.$detail.1 want && cmp out.$detail.2 want && echo $detail
	done; [ -s want ]' <<'END'
all
hours
none
END

# --- the archive changes -----------------------------------------------------------

# follow DETAIL: profiles come day by day, change, get other names and go: the
# cache is always as if it were made anew.
cat >follow <<'END'
rm -rf f; mkdir f
for day in archive/2026-10-09 archive/2026-10-10; do
	mkdir -p "f/${day#*/}"
	cp -r "$day/00" "f/${day#*/}"
	prof-history --index -q --detail="$1" f
done
cp -r archive/2026-10-09 archive/2026-10-11 f; prof-history --index -q f
cp f/2026-10-09/16/web1-00.pb.gz f/2026-10-09/08/web2-00.pb.gz
mv f/2026-10-09/00/web1-00.pb.gz f/2026-10-09/00/web3-00.pb.gz
rm f/2026-10-11/08/web1-00.pb.gz
sh index f
rm -r f/2026-10-10; sh index f
sh by-days f "$1" >now; prof-history --index -q --rebuild f; sh by-days f "$1" | cmp - now
[ "$1" = none ] || { sh by-hours f "$1" >now; prof-history --index -q --rebuild f; sh by-hours f "$1" | cmp - now; }
END
check 'the archive changes: all' 0 'sh follow all' <<'END'
f: 2 profiles read, 3 gone, 0 summed by prof-thin
f: 0 profiles read, 2 gone, 0 summed by prof-thin
END
for detail in hours none; do
	check "the archive changes: $detail" 0 "sh follow $detail" <<'END'
f: 2 profiles read, 3 gone, 0 summed by prof-thin
f: read 9 profiles again, which the cache had sums of with removed ones
f: 0 profiles read, 2 gone, 0 summed by prof-thin
END
done

# --- prof-thin ------------------------------------------------------------------

check 'thinned: the hours stay, also in a cache that is reduced afterwards' 0 '
	for detail in hours all; do
		prof-thin -q --minutes=2 --hours=3 --now=2026-10-16 $detail; sh index $detail
		find $detail -name "*.pb.gz" | wc -l
	done
	sh index -q --detail=hours all
	sh by-hours all hours | cmp - hours.want; sh by-hours hours hours | cmp - hours.want' <<'END'
hours: 0 profiles read, 0 gone, 78 summed by prof-thin
21
all: 0 profiles read, 0 gone, 78 summed by prof-thin
21
END
check 'a sum that loses its neighbour is read again, and that is said' 0 '
	rm hours/2026-10-13/16.pb.gz; sh index hours
	prof-history --match=. --tsv hours | cut -f1,2,10- >now
	sh index -q --rebuild hours; prof-history --match=. --tsv hours | cut -f1,2,10- | cmp - now' <<'END'
hours: 0 profiles read, 1 gone, 0 summed by prof-thin
hours: read 2 profiles again, which the cache had sums of with removed ones
hours: prof-thin had summed some of them: the cache counts 2 profiles less
END

# --- --index=FILE ------------------------------------------------------------------

check 'a cache somewhere else' 0 '
	mkdir cache; ln -s cache link; rm -rf archive/.prof-history
	prof-history --index=link/app archive 2>&1; sh by-days "--index=cache/app archive" all | cmp - days.want
	prof-history --index=cache/app --detail=none --function=work --tsv archive 2>&1 | wc -l
	ls -A archive | grep prof-history; ls cache' <<'END'
prof-history: archive: 84 profiles read, 0 gone, 0 summed by prof-thin
16
app
app.lock
END
for file in mine a.pb.gz cache; do
	echo mine >mine
	cp archive/2026-10-01/00/web1-00.pb.gz a.pb.gz
	check_err "--index=$file: left alone" 2 "prof-history --rebuild --index=$file archive" \
		"/$file: not a cache of prof-history; remove it, or give another name"
done
check 'they are as they were' 0 'cat mine; cmp a.pb.gz archive/2026-10-01/00/web1-00.pb.gz; ls cache' <<'END'
mine
app
app.lock
END
check 'an empty file becomes one; one that is damaged is made anew' 0 '
	: >cache/empty; prof-history --index=cache/empty -q archive
	head -c 9000 cache/empty >x; cat x >cache/empty
	prof-history --index=cache/empty archive 2>&1' <<'END'
prof-history: archive: rebuilt the cache, which was damaged
prof-history: archive: 84 profiles read, 0 gone, 0 summed by prof-thin
END
check_err 'a cache of two archives' 2 'prof-history --index=cache/app archive one' \
	'--index=cache/app: the cache of one archive, a folder'
check_err 'a cache in no folder' 2 'prof-history --index=nowhere/app archive' 'nowhere/: No such file'
check_err 'a cache without a name' 2 'prof-history --index= archive' 'the name of the file is empty'
check_err 'only the cache, or a question' 2 'prof-history --index --match=. archive' \
	'--index without a file only updates the cache'
check_err 'no such detail' 2 'prof-history --index --detail=some archive' "'some' is none of"
cp -r one g
rm -rf g/.prof-history
echo >g/.prof-history
check_err 'no cache: an error if nothing else was asked for' 2 \
	'PROF_CACHE= prof-history --index -q g' 'g: no cache: PROF_CACHE is empty'
plan
