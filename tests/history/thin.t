#!/bin/sh
# prof-thin: hours and days of an archive become sums, in spite of
# interruptions.
. "${srcdir:-.}/tests/lib/tap.sh"

PATH=$src/cmd:$PATH
export PATH

# archive ROOT: two days of two hours of three profiles, and an hour of today.
archive() {
	rm -rf "$1"
	seed=0
	for f in 2026-10-01/09 2026-10-01/10 2026-11-19/09 2026-11-19/10 2026-11-21/10; do
		mkdir -p "$1/$f"
		for minute in 00 20 40; do
			seed=$((seed + 1))
			printf '# cpu nanoseconds\nmain;f%s %s\nmain;g %s\n' \
				$((seed % 4)) $seed $minute | mkprof - \
				>"$1/$f/$minute.pb.gz"
		done
	done
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
prof-merge: ./a/2026-11-19/.09.thin/cut.pb.gz: truncated gzip stream
prof-thin: ./a/2026-11-19/09: not summed
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
check 'other files keep their folder; an empty one is left alone' 2 "
	\$thin a 2>&1; s=\$?; find a/2026-10* a/2026-11-19 a/host ! -type d | sort; exit \$s" <<'END'
prof-thin: ./a/2026-11-19/09: not summed: ./a/2026-11-19/09/notes is not a profile
prof-thin: ./a/2026-11-19/10: not summed: ./a/2026-11-19/10/link.pb.gz is not a profile
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
mkdir bin
cat >bin/find <<'END'
#!/bin/sh
# Finds what there is, but for a folder that cannot be read.
PATH=${PATH#*:}
find "$@"
case $* in
*-print0*) exit 1 ;;
esac
END
chmod +x bin/find
check_err 'a folder that cannot be read: nothing is summed, nothing removed' 2 \
	'PATH=$PWD/bin:$PATH $thin a 2>err; grep "not summed" err | head -1 >&2; rm a/.prof-thin; diff -r a whole >&2; exit 2' \
	'not summed'
archive a
check 'man: a dry run' 0 'prof-thin --dry-run --now=2026-11-21 a; diff -r a whole' <<'END'
./a/2026-10-01/09
./a/2026-10-01/10
./a/2026-11-19/09
./a/2026-11-19/10
./a/2026-10-01
END
check_err 'no archive' 2 'prof-thin' 'no archive given'
check_err 'no such archive' 2 'prof-thin ./none' 'not a folder'
check_err 'not a number' 2 'prof-thin --minutes=x a' "'x' is not a number of days"
check_err 'not a date' 2 'prof-thin --now=yesteryear a' 'is not a date'
check_err 'no such option' 2 'prof-thin --frob a' "unknown option '--frob'"
check 'two at once: the second one ends' 2 '
	exec 9>>a/.prof-thin; flock 9
	prof-thin a 2>&1' <<'END'
prof-thin: ./a: another prof-thin is at work
END
page=$src/doc/prof-thin.1
prof-thin --help | grep -oE -- '--[a-z][a-z-]*' | sort -u >helped
grep '^\.It' "$page" | grep -oE 'Fl -[a-z][a-z-]*' | sed 's/Fl -/--/' | sort -u >documented
check 'help and manual page have the same options' 0 '[ -s helped ] && diff helped documented' </dev/null
plan
