# children.t - processes that the program starts, in all possible ways: all are
# sampled, none is disturbed.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

# seen FILE...: the numbers of the processes that have samples there. There is
# no label in a profile of one process.
seen() {
	for seen_file; do
		stacks "$seen_file" | grep -o 'pid=[0-9]*' | sort -u
	done
}

# At the highest rate, so that ticks come everywhere. The processes that did
# the work say which they are; a shell between them may be in the profile too. Each
# worked through 25 ticks of the slowest kernel: to be there is not luck, whatever else
# the machine does, so what is not is wrong (2).
family_of() {
	prof-record -q -F 10000 "$@" >pids 2>err || return 2
	cat err pids
	[ ! -s err ] || return 2
}
both_are_seen() {
	family_of -o f.pb.gz family "$1" || return
	seen f.pb.gz | tee seen
	[ "$(wc -l <pids)" = 2 ] && [ "$(sed 's/^/pid=/' pids | grep -cxFf - seen)" = 2 ] ||
		return 2
}
first_is_seen() {
	family_of --children=none -o f.pb.gz family "$1" || return
	seen f.pb.gz | tee seen
	[ ! -s seen ] && [ "$(stacks f.pb.gz | wc -l)" -gt 1 ] || return 2
}
each_has_a_file() {
	rm -f s.*
	family_of --children=separate -o 's.{}.pb.gz' family "$1" || return
	ls s.*.pb.gz | tee files
	[ "$(sed 's/.*/s.&.pb.gz/' pids | grep -cxFf - files)" = 2 ] &&
		[ "$(for f in $(cat files); do stacks $f | grep -c '^[0-9]'; done | grep -cx 0)" = 0 ] ||
		return 2
}
for way in fork vfork spawn system popen thread big-fork; do
	live "$way: both processes are in the profile" both_are_seen $way
	# Each way and each option; the products are for check-long.
	case $way in
	fork | thread) ;;
	*) [ -n "$long" ] || continue ;;
	esac
	live "$way, --children=none: only the first is" first_is_seen $way
	live "$way, --children=separate: each has a file" each_has_a_file $way
done

check 'exec: one process and one file, whatever it runs' 0 \
	'prof-record -q -F 1000 --children=separate -o "e.{}.pb.gz" \
		sh -c "exec family exec" | sort -u >pids
	 sed "s/.*/e.&.pb.gz/" pids >want; ls e.* | cmp - want && wc -l <pids' \
	<<'END'
1
END
check 'the files of --children=separate are named by program and number' 0 \
	'prof-record -F 1000 --children=separate family fork >pids 2>err
	 sed "s/.*/prof.family.&.pb.gz/" pids | sort >want
	 ls prof.* | sort | cmp - want
	 sed "s/.*/prof-record: profile: &/" want >said
	 grep ": profile: " err | sort | cmp - said && wc -l <said' <<'END'
2
END
check 'the parts of --children=separate are of their process alone' 0 \
	'for pid in $(cat pids); do
		prof-text -q --raw prof.family.$pid.pb.gz | grep -c "pid:"
		prof-text -q prof.family.$pid.pb.gz | grep File:
	 done' <<'END'
0
File: family
0
File: family
END
# counted FILE...: of each, is the number of ticks in the comment that of its own
# samples, and of how many lines is the comment?
cat >counted <<'EOF'
for f; do
	stacks "$f" | awk '
		/^# sampling/ {
			for (i = 3; i <= NF; i++) {
				split($i, kv, "=")
				n[kv[1]] = kv[2]
			}
			lines++
		}
		/^[0-9]/ { sum += $1 }
		END { print lines, (n["ticks"] == sum + n["lost"]), (sum > 0) }'
done
EOF
check 'the comment on sampling in each is about its process alone' 0 \
	'rm -rf own; mkdir own
	 prof-record -q -F 1000 --children=separate -o "own/{}.pb.gz" family fork >pids
	 for f in own/*; do sh counted $f; done' <<'END'
1 1 1
1 1 1
END
check 'the same of memory' 0 \
	'prof-record -q --heap=1 --children=separate -o "h.{}.pb.gz" \
		sh -c "ls >/dev/null; ls / >/dev/null; :"
	 for f in h.*.pb.gz; do
		stacks --all $f | awk "
			/^# sampling/ { sub(/.* ticks=/, \"\"); n = \$1; next }
			/^[0-9]/ { sum += \$1 }
			END { print (n == sum) }"
	 done' <<'END'
1
1
1
END
check 'a program without a tick has a file, too' 0 \
	'prof-record -q -F 1 --children=separate -o "t.{}.pb.gz" true
	 ls t.* | sed "s/[0-9][0-9]*/N/"' <<'END'
t.N.pb.gz
END
# Of short ones only what was not sampled is there, by name: what has ticks has a name, too.
check 'either all that is there tells its program, or nothing' 0 \
	'for i in 1 2 3 4; do
		prof-record -q -o l.pb.gz \
			sh -c "/bin/true; awk \"BEGIN { while (i++ < 3e6); }\"; /bin/true"
		prof-text -q --tags l.pb.gz | grep "process: Total" | grep -v "(  100%)"
	 done; :' </dev/null
# A daemon goes on when its parent ends, which is when the recording ends; it
# is to do so undisturbed by ticks that nobody takes any more.
outlives() {
	rm -f daemon.out
	prof-record -q -F 10000 -o d.pb.gz family daemon daemon.out >pids 2>err || return 2
	for i in $(seq 200); do
		[ ! -s daemon.out ] || break
		sleep 0.05
	done
	cat err daemon.out
	[ ! -s err ] && [ "$(cat daemon.out)" = "done" ]
}
live 'a daemon outlives the recording' outlives

check '--wait: and with it the recording goes on' 0 \
	'prof-record -q -F 1000 --wait -o d.pb.gz family daemon daemon.out >pids
	 cat daemon.out; stacks d.pb.gz | awk "/^[0-9]/ { n += \$1 }
		END { print (n >= 50) }"' <<'END'
done
1
END
check '--wait: the status is the program'\''s, after a signal, too' 3 \
	'exec prof-record -q --wait -o d.pb.gz sh -c "
		setsid sh -c \"while kill -0 \$\$; do sleep 0.05; done
			while kill -TERM \$PPID; do sleep 0.05; done\" \
			2>/dev/null & exit 3"' </dev/null

# What cannot be preloaded runs as usual when a program starts it.
echo 'int main(void) { return 5; }' >static.c
if ${CC:-cc} -static -o static static.c 2>/dev/null; then
	check 'a static child runs, unseen' 5 \
		'prof-record -q -o x.pb.gz sh -c "./static; exit \$?"' </dev/null
else
	skip 'a static child runs, unseen' 'cannot link one'
fi

plan
