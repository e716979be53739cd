#!/bin/sh
# prof-thin: hours and days of an archive become sums, in spite of
# interruptions.
. "${srcdir:-.}/tests/lib/tap.sh"

PATH=$src/cmd:$PATH
export PATH

# Two days of two hours of three profiles, and an hour of today; archive ROOT: a copy.
seed=0
for f in 2026-10-01/09 2026-10-01/10 2026-11-19/09 2026-11-19/10 2026-11-21/10; do
	mkdir -p kept/$f
	for minute in 00 20 40; do
		seed=$((seed + 1))
		printf '# cpu nanoseconds\nmain;f%s %s\nmain;g %s\n' \
			$((seed % 4)) $seed $minute | mkprof - >kept/$f/$minute.pb.gz
	done
done
archive() {
	rm -rf "$1"
	cp -R kept "$1"
}

# one ROOT DAY: the sum of all that is of a day, and of one profile each.
one() {
	find "$1" -path "*$2*" -name '*.pb.gz' -print0 |
		prof-merge --files0-from=- | gzip -dc
}

# same ROOT: does each day add up to what it was in "whole"?
same() {
	for day in 2026-10-01 2026-11-19 2026-11-21; do
		one whole $day >want
		one "$1" $day | cmp - want || return
	done
}
archive whole

thin='prof-thin -q --now=2026-11-21'
export thin
archive a
check 'hours of a day that is over, days of a month that is over' 0 "
	\$thin a; find a -name '*.pb.gz' | sort" <<'END'
a/2026-10-01.pb.gz
a/2026-11-19/09.pb.gz
a/2026-11-19/10.pb.gz
a/2026-11-21/10/00.pb.gz
a/2026-11-21/10/20.pb.gz
a/2026-11-21/10/40.pb.gz
END
if same a 2>.err; then ok 'nothing is lost'; else not_ok 'nothing is lost' <.err; fi
cp -r a b
check 'again: nothing to do' 0 '$thin a && diff -r a b' </dev/null
archive b
$thin --hours=0 --minutes=0 --now=2026-12-31 b
find whole/2026-11-19 -name '*.pb.gz' -print0 |
	prof-merge --files0-from=- -o direct.pb.gz
check 'a day by way of its hours is the day, to the byte' 0 \
	'cmp direct.pb.gz b/2026-11-19.pb.gz' </dev/null

# The job of doc/archive.md, over days without hours: a damaged part, then without
# it, then a part that comes late.
sed -n 's,^25 0 \* \* \* ,,p' "$src/doc/archive.md" |
	sed 's,/var/lib/profiles,flat,g; s,prof-thin,& --hours=1 --now=2026-11-21,' >job
mkdir -p flat/2026-11-19
cp whole/2026-11-19/09/*.pb.gz flat/2026-11-19
head -c 40 whole/2026-11-19/10/00.pb.gz >flat/2026-11-19/cut.pb.gz
check 'the job of doc/archive.md' 0 '
	[ -s job ]; sh ./job 2>&1; ls flat; rm flat/2026-11-19/cut.pb.gz
	sh ./job; ls flat
	mkdir flat/2026-11-19; cp whole/2026-11-19/10/00.pb.gz flat/2026-11-19
	sh ./job; sh ./job; ls flat
	prof-merge whole/2026-11-19/09/*.pb.gz whole/2026-11-19/10/00.pb.gz -o want.pb.gz
	cmp want.pb.gz flat/2026-11-19.pb.gz' <<'END'
prof-history: flat/2026-11-19/cut.pb.gz: truncated gzip stream
prof-thin: flat/2026-11-19: not summed: cut.pb.gz: truncated gzip stream
2026-11-19
2026-11-19.pb.gz
2026-11-19.pb.gz
END
check 'nothing is summed if the index could not be kept' 1 '
	rm -rf flat; mkdir -p flat/2026-11-19; cp whole/2026-11-19/09/*.pb.gz flat/2026-11-19
	touch flat/.prof-history; PROF_CACHE= sh ./job 2>&1; s=$?; ls flat; exit $s' <<'END'
prof-history: flat: no cache: PROF_CACHE is empty
2026-11-19
END

# A part that comes late is added to the sum that is there.
archive a
mkdir later
mv a/2026-11-19/09/40.pb.gz later
$thin a
mkdir a/2026-11-19/09
mv later/40.pb.gz a/2026-11-19/09
$thin a
if same a 2>.err && [ ! -e a/2026-11-19/09 ]; then
	ok 'a late part is added'
else
	not_ok 'a late part is added' <.err
fi

# Every state that a crash can leave, made by hand.
for state in thin half summed moved; do
	archive a
	h=a/2026-11-19
	mv $h/09 $h/.09.thin
	case $state in
	half) echo cut >$h/.09.thin/sum ;;
	summed | moved)
		prof-merge $h/.09.thin/*.pb.gz -o $h/.09.thin/sum
		mv $h/.09.thin $h/.09.done
		;;
	esac
	[ $state != moved ] || mv $h/.09.done/sum $h/09.pb.gz
	$thin a 2>.err
	if same a 2>>.err && [ -z "$(find a -name '.*' ! -name .prof-thin)" ]; then
		ok "stopped in state '$state'"
	else
		not_ok "stopped in state '$state'" <.err
	fi
done

archive a
head -c 40 whole/2026-11-19/09/00.pb.gz >a/2026-11-19/09/cut.pb.gz
check 'a bad part: its hour stays, the others are summed' 2 "
	\$thin a 2>&1; s=\$?; find a/2026-11-19 -name '*.pb.gz' | sort; exit \$s" <<'END'
prof-thin: a/2026-11-19/09: not summed: cut.pb.gz: truncated gzip stream
a/2026-11-19/09/00.pb.gz
a/2026-11-19/09/20.pb.gz
a/2026-11-19/09/40.pb.gz
a/2026-11-19/09/cut.pb.gz
a/2026-11-19/10.pb.gz
END
# Whatever prof-history takes for a profile is summed; anything else stays.
archive a
for end in pb pb.zst prof prof.gz; do
	cp whole/2026-11-19/09/20.pb.gz a/2026-11-19/09/x.$end
done
find a/2026-11-19/09 -type f -print0 | prof-merge --files0-from=- -o want.pb.gz
check 'profiles by other names are summed, too' 0 \
	'$thin a && cmp want.pb.gz a/2026-11-19/09.pb.gz' </dev/null
archive a
echo words >a/2026-11-19/09/notes
ln -s ../10/00.pb.gz a/2026-11-19/10/link.pb.gz
mkdir -p a/host/2026-11-19/09 a/2026-10-01/.prof-history
echo cache >a/2026-10-01/.prof-history/index
check 'a dry run leaves out what is left alone, for the same reasons' 2 "
	\$thin -n a 2>&1 | sort; \$thin -n a >/dev/null 2>&1" <<'END'
a/2026-10-01
a/2026-10-01/09
a/2026-10-01/10
prof-thin: a/2026-11-19/09: not summed: notes is not a profile
prof-thin: a/2026-11-19/10: not summed: link.pb.gz is not a profile
END
check 'other files keep their folder; an empty one is left alone' 2 "
	\$thin a 2>&1; s=\$?; find a/2026-10* a/2026-11-19 a/host ! -type d | sort; exit \$s" <<'END'
prof-thin: a/2026-11-19/09: not summed: notes is not a profile
prof-thin: a/2026-11-19/10: not summed: link.pb.gz is not a profile
a/2026-10-01.pb.gz
a/2026-11-19/09/00.pb.gz
a/2026-11-19/09/20.pb.gz
a/2026-11-19/09/40.pb.gz
a/2026-11-19/09/notes
a/2026-11-19/10/00.pb.gz
a/2026-11-19/10/20.pb.gz
a/2026-11-19/10/40.pb.gz
a/2026-11-19/10/link.pb.gz
END
archive a
if strace -o trace true 2>/dev/null; then
	# The leak checker does not work in what is traced.
	export ASAN_OPTIONS=detect_leaks=0
	check_err 'a folder that cannot be read: not summed, nothing removed' 2 "
		strace -qq -o trace -P a/2026-11-19/09 -e inject=getdents64:error=EIO \\
			\$thin a 2>err; grep 'not summed' err >&2
		rm a/.prof-thin; diff -r whole/2026-11-19/09 a/2026-11-19/09 >&2; exit 2" \
		'prof-thin: a/2026-11-19/09: not summed: Input/output error'

	# What must be on the disk before what, with one hour to sum: the sum, the
	# name that says so, the sum in its place; only then its parts go.
	archive a
	rm -r a/2026-10-01 a/2026-11-19/10 a/2026-11-21
	strace -f -qq -o trace -e trace=fsync,rename,renameat,renameat2,unlink,unlinkat $thin a
	sed -e 's/^[0-9]* *//' -e 's/at2*(.*"\(\.*[0-9a-z.]*\)"[^"]*$/ \1/' -e 's/(.*//' \
		-e 's/\.[^ ]*\.tmp//' trace | uniq >order
	check 'synced before the next step' 0 'grep -v "unlink 00\|unlink 20" order' <<'END'
rename .09.thin
fsync
rename sum
fsync
rename .09.done
fsync
rename 09.pb.gz
fsync
unlink 40.pb.gz
unlink .09.done
END
	# Killed at every such call: the next run goes on, and nothing is lost.
	n=0
	: >left
	while :; do
		n=$((n + 1))
		archive a
		strace -f -qq -o trace -e inject=fsync,renameat,renameat2,unlinkat:signal=KILL:when=$n \
			$thin a 2>/dev/null
		status=$?
		[ $status != 0 ] && [ $n -lt 500 ] || break
		$thin a 2>>left && same a 2>>left &&
			[ -z "$(find a -name '.*' ! -name .prof-thin)" ] || echo "call $n" >>left
	done
	if [ ! -s left ] && [ $n -gt 30 ]; then
		ok "killed at each of $((n - 1)) calls"
	else
		not_ok "killed at each of $n calls" <left
	fi
	unset ASAN_OPTIONS
else
	skip 'a folder that cannot be read' 'no strace, or nobody may trace here'
	skip 'synced before the next step' 'no strace, or nobody may trace here'
	skip 'killed at each call' 'no strace, or nobody may trace here'
fi

# --- hostile archives ------------------------------------------------------------

check 'names with newlines are names' 0 '
	rm -rf a outside; mkdir -p outside/2020-01-01/13 "a/x
$PWD/outside/2020-01-01/13" "a/2020-01-01/.13.thin/y
/tmp"
	cp whole/2026-11-19/09/00.pb.gz outside/2020-01-01/13
	cp whole/2026-11-19/09/00.pb.gz "a/2020-01-01/.13.thin/y
/tmp"
	$thin a; find outside ! -type d; find a -name "*.gz"
	find a -name 13 -exec cp whole/2026-11-19/09/00.pb.gz {} ";"; $thin -n a | grep -c "^a/x.n/"' <<'END'
outside/2020-01-01/13/00.pb.gz
a/2020-01-01.pb.gz
2
END
archive a
check 'links are not followed' 0 '
	echo precious >precious
	mkdir a/2026-11-19/.10.thin; mv a/2026-11-19/10/* a/2026-11-19/.10.thin
	ln -s "$PWD/precious" a/2026-11-19/.10.thin/sum
	ln -s "$PWD/whole/2026-11-19" a/2026-11-18; ln -s "$PWD/whole" a/all
	mv a/2026-11-19/09 moved; ln -s "$PWD/moved" a/2026-11-19/.09.done
	$thin a 2>&1; s=$?; cat precious; ls moved; find a -type f | sort; exit $s' <<'END'
precious
00.pb.gz
20.pb.gz
40.pb.gz
a/.prof-thin
a/2026-10-01.pb.gz
a/2026-11-19/10.pb.gz
a/2026-11-21/10/00.pb.gz
a/2026-11-21/10/20.pb.gz
a/2026-11-21/10/40.pb.gz
END
archive a
check 'a folder in which all may write is left alone' 2 '
	chmod 777 a/2026-11-19/09; $thin a 2>&1; s=$?; ls a/2026-11-19; exit $s' <<'END'
prof-thin: a/2026-11-19/09: left out: all users may write in it
prof-thin: a/2026-11-19/09: not summed: all users may write in it
09
10.pb.gz
END
if [ "$(id -u)" = 0 ] && have setpriv; then
	archive a
	check 'root leaves folders of others alone' 2 '
		chown -R 65534 a/2026-11-19; $thin a 2>&1; s=$?; ls a/2026-11-19; exit $s' <<'END'
prof-thin: a/2026-11-19: left out: it belongs to another user
09
10
END
	archive a
	check 'root works as the owner of the archive' 0 '
		chown -R 65534:65534 a; $thin a; find a ! -type d -printf "%p %U %m\n" | sort' <<'END'
a/.prof-thin 65534 600
a/2026-10-01.pb.gz 65534 644
a/2026-11-19/09.pb.gz 65534 644
a/2026-11-19/10.pb.gz 65534 644
a/2026-11-21/10/00.pb.gz 65534 644
a/2026-11-21/10/20.pb.gz 65534 644
a/2026-11-21/10/40.pb.gz 65534 644
END
else
	skip 'root leaves folders of others alone' 'not root'
	skip 'root works as the owner of the archive' 'not root'
fi
archive a
check 'no other user can hold the lock' 0 '
	: >a/.prof-thin; chmod 644 a/.prof-thin; $thin a; stat -c %a a/.prof-thin' <<'END'
600
END
# A disk that is full: a line for each folder, and nothing is lost.
archive a
check 'a full disk' 0 "
	rm -r a/2026-10-01
	{ sh -c 'ulimit -f 0; \$thin a'; echo \$?; } 2>&1 | cat
	rm a/.prof-thin; rm -r whole/2026-10-01; diff -r a whole" <<'END'
prof-thin: a/2026-11-19/09: not summed: File too large
prof-thin: a/2026-11-19/10: not summed: File too large
2
END
archive whole
archive a
check 'a dry run of an hour and a day that were interrupted' 0 "
	rm -rf b; cp -r a b; mkdir b/2026-10-01/.10.done; mv b/2026-10-01/10/00.pb.gz b/2026-10-01/.10.done/sum
	mv b/2026-11-19/09 b/2026-11-19/.09.thin; \$thin -n b; rm -r b" <<'END'
b/2026-10-01/09
b/2026-10-01/10
b/2026-10-01
b/2026-11-19/09
b/2026-11-19/10
END
check 'man: a dry run' 0 'prof-thin --dry-run --now=2026-11-21 a; diff -r a whole' <<'END'
a/2026-10-01/09
a/2026-10-01/10
a/2026-10-01
a/2026-11-19/09
a/2026-11-19/10
END
check_err 'no archive' 2 'prof-thin' 'no archive given'
check_err 'no such archive' 2 'prof-thin ./none' 'prof-thin: ./none: No such file or directory'
check_err 'a file is no archive' 2 'prof-thin want' 'want: not a folder'
check_err 'not a number' 2 'prof-thin --minutes=x a' "'x' is not a number from"
check_err 'not a date' 2 'prof-thin --now=yesteryear a' 'is not a date'
check_err 'no day of a month' 2 'prof-thin --now=2026-02-30 a' "'2026-02-30' is not a date"
check_err 'no such option' 2 'prof-thin --frob a' "unknown option '--frob'"
check 'two at once: the second one ends' 2 '
	exec 9>>a/.prof-thin; flock -s 9
	prof-thin a 2>&1' <<'END'
prof-thin: a: another prof-thin is at work
END

# Whatever prof-history opens, prof-thin did all of its work just before: nothing is
# missed, and the cache keeps the profiles that it has.
name='asked while prof-thin works'
cat >moves <<'END'
mkdir -p fresh/2026-10-01/10 fresh/2026-10-01/11
for at in 10/00 10/30 11/00 11/30; do
	printf '# n count\n@time %s000000000\nmain;f 1\n' \
		"$(date -ud "2026-10-01 ${at%/*}:${at#*/}" +%s)" |
		mkprof - >fresh/2026-10-01/$at.pb.gz
done
$1
n=0
while n=$((n + 1)); do
	rm -rf busy trace
	cp -a fresh busy
	strace -f -qq -o trace -e trace=openat -e inject=openat:signal=STOP:when=$n \
		prof-history --function=main --tsv busy >out 2>&1 &
	until stopped=$(sed -n 's/^\([0-9]*\) .*stopped by SIGSTOP.*/\1/p' trace 2>>none) &&
		[ "$stopped" ] || ! kill -0 $! 2>>none; do
		sleep 0.01
	done
	[ "$stopped" ] || break
	! grep -q '"[^"]*busy' trace || prof-thin -q --now=2026-10-03 busy
	kill -CONT $stopped
	wait $!
	sed 1d out
	prof-history --function=main --tsv busy 2>&1 | sed 1d
done | cut -f"$2" | sort -u
END
if lacks 'prof-history --function=main a'; then
	skip "$name" 'this build has no prof-history'
elif ! strace -qq -o trace true 2>>none; then
	skip "$name" 'no strace, or no ptrace'
else
	ASAN_OPTIONS=detect_leaks=0 check "$name" 0 'sh moves : 11' <<-'END'
	4
	END
	ASAN_OPTIONS=detect_leaks=0 check "$name, of what its cache has" 0 \
		'sh moves "prof-history --index -q fresh" 8,11' <<-'END'
	4	4
	END
fi
plan
