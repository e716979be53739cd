# interp.sh - sourced after live.sh by the tests of functions of interpreters. They
# compare with what a program itself saw: known.* does work of known cost in all ways in
# which its language calls functions, and prints for each place where that was done the
# CPU time and the stack of functions and lines in it, outermost first.

# Samples in burn, by the stack above it: folded stacks with lines to that.
cat >stacks.awk <<'END'
{
	n = split($0, frame, ";")
	sub(/ [0-9]+$/, "", frame[n])
	got = ""
	for (i = 1; i <= n; i++) {
		if (frame[i] !~ /\/known\.[a-z]+:[0-9]+$/)
			continue
		line = frame[i]
		sub(/.*:/, "", line)
		name = frame[i]
		sub(/ \/.*/, "", name)
		if (sub(/^rescue in /, "", name))
			sub(/;?[^;]*$/, "", got)
		sub(/known\.|Object#/, "", name)
		if (name == "burn") {
			seen[got] += $NF
			break
		}
		got = got (got == "" ? "" : ";") name ":" line
	}
}
END

# signal_ns FILE: the CPU time that a signal stands for. So many signals of a function
# are to be as it used of that.
signal_ns() {
	stacks --all "$1" | awk '/^[0-9]/ { n += $1; ns += $2 } END { print ns / n }'
}

known() {
	prof-record -q -F 500 -o known.pb.gz "$@" >truth
}

# truth [OPTION...] COMMAND...: has each place its share of the samples, and no sample
# another stack, or another line in one?
truth() {
	known "$@" || return 2
	prof-text --folded --lines --sample-index=samples known.pb.gz >folded || return 2
	awk -v ns="$(signal_ns known.pb.gz)" "$chance $(cat stacks.awk)"'
		FNR == 1 { file++ }
		file == 1 { s = $0; sub(/^[^ ]* /, "", s); spent[s] = $1; all += $1; n_place++; next }
		END {
			for (s in seen)
				of += seen[s]
			for (s in spent)
				if (!chance_share(seen[s], of, spent[s] / all, 50)) {
					print "seen", seen[s] + 0, "of", of, "in", s, \
						"but it took", spent[s], "of", all
					bad = 1
				}
			for (s in seen)
				if (!(s in spent)) {
					print "seen", seen[s], "in", s ", where it never was"
					wrong += seen[s]
				}
			print of, "signals in", n_place, "places,", wrong + 0, "elsewhere"
			# A frame that is being made or left has a line, but maybe no
			# caller yet: a microsecond of 30 ms, or less.
			exit bad || n_place < 20 || !chance_most(wrong, of, 1e-4) ||
				!chance_count(of, all * 1e9 / ns)
		}' truth file=2 folded
}

# lines A B COMMAND...: work in two loops of burn, the first one in the lines from A on, the
# other from B on, half of it in each. After a row of truth with the same command.
lines() {
	first=$1
	second=$2
	shift 2
	live_again known "$@"
	prof-text --folded --lines --sample-index=samples known.pb.gz |
		awk -v first="$first" -v second="$second" -v ns="$(signal_ns known.pb.gz)" "$chance"'
		FILENAME == "truth" { spent += $1 * 1e9; next }
		!/[;.#]burn [^;]*known\.[a-z]+:[0-9]+(;\[(php|libruby|ruby)[^;]*)* [0-9]+$/ { next }
		{ line = $0; sub(/.*known\.[a-z]+:/, "", line); line += 0; all += $NF }
		line >= first && line < first + 2 { a += $NF }
		line >= second && line < second + 2 { b += $NF }
		END {
			print all, "signals in burn, in its loops", a + 0, b + 0
			exit !(chance_count(all, spent / ns, 50) &&
				chance_most(all - a - b, all, 0.05, 50) &&
				chance_share(a, a + b, 0.5, 50))
		}' truth -
}

# workers COMMAND...: forked processes, as web servers have: work() in three of them, of
# 0.6 s of CPU time in all.
workers() {
	prof-record -q -F 250 -o fork.pb.gz "$@" || return 2
	prof-text --folded --functions --tagroot=pid --sample-index=samples fork.pb.gz |
		awk -v ns="$(signal_ns fork.pb.gz)" "$chance"'
		/workers\.[<{][^;]*;(.*;)?([A-Za-z]*[.#])?work[ ;]/ {
			split($0, part, ";")
			if (!(part[1] in n))
				n_pid++
			n[part[1]] += $NF
			all += $NF
		}
		/;([A-Za-z]*[.#])?work[ ;]/ && !/workers\.[<{]/ { bad += $NF }
		END {
			print all, "signals in", n_pid, "processes, without a caller", bad + 0
			exit !(n_pid == 3 && chance_most(bad, all, 1e-4) &&
				chance_count(all, 6e8 / ns))
		}'
}

# does FRAME COMMAND...: FRAME is what the interpreter does by itself in all or nearly all
# of the time of works(), and nowhere in burn().
does() {
	frame=$1
	shift
	prof-record -q -F 500 -o does.pb.gz "$@" || return 2
	prof-text --folded --sample-index=samples does.pb.gz |
		awk -v frame="[$frame]" '
		/[;.#]works;/ { all += $NF; if (index($0, ";" frame)) n += $NF }
		/[;.#]burn[; ]/ { other += $NF; if (index($0, ";" frame)) wrong += $NF }
		END {
			print n + 0, "signals of", all + 0, "in works,", wrong + 0, "of", \
				other + 0, "in burn"
			exit !(n > 0.8 * all && all && other && !wrong)
		}'
}

# others NAME: set others to programs of that name of other releases of Debian, in the
# long form: scripts that start them with our libc, or with theirs, if that is newer.
others() {
	others=
	[ -n "$long" ] || return 0
	mkdir -p "$bin/tests/interp.kept"
	for suite in bullseye trixie; do
		root=$bin/tests/interp.kept/$suite
		if ! (
			flock 9
			[ ! -d "$root" ] || exit 0
			rm -rf "$root.new"
			mmdebstrap --variant=extract --include=python3,ruby,php-cli "$suite" \
				"$root.new" 2>"$root.log" && mv "$root.new" "$root"
		) 9>"$root.lock" >&2; then
			skip "$1 of $suite" "no mmdebstrap, or no mirror: $(tail -n 1 "$root.log")"
			continue
		fi
		for program in "$root/usr/bin/$1"[0-9].[0-9]*; do
			found "$program" || continue
			start_with "$root" "$program" "$root.$1"
		done
	done
}

# start_with ROOT PROGRAM SCRIPT: see others.
start_with() {
	theirs=$1/usr/lib/x86_64-linux-gnu
	version=${2##*[a-z]}
	rm -rf "$3.lib"
	mkdir "$3.lib"
	ln -s "$theirs"/*.so* "$1"/lib/x86_64-linux-gnu/*.so* "$3.lib" 2>/dev/null
	loader=$(find "$3.lib/" -name 'ld-linux-x86-64.so.2')
	rm -rf "$3.ours"
	cp -a "$3.lib" "$3.ours"
	for part in c m dl rt pthread util resolv; do
		rm -f "$3.ours/lib$part.so"* "$3.ours/lib$part"-*
	done
	for way in "/lib64/ld-linux-x86-64.so.2 --library-path $3.ours" \
		"$loader --library-path $3.lib"; do
		cat >"$3" <<END2
#!/bin/sh
RUBYLIB=$1/usr/lib/ruby/$version.0:$theirs/ruby/$version.0
case $2 in *python*) export PYTHONHOME=$1/usr ;; esac
export RUBYLIB
exec $way $2 "\$@"
END2
		chmod +x "$3"
		if "$3" --version >/dev/null 2>&1; then
			others="$others $3"
			return
		fi
	done
	skip "${3##*/}" "it does not start: $("$3" --version 2>&1 | tail -n 1)"
}
