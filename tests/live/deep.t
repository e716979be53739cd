# deep.t - stacks longer than the limit of a profile, and threads with a very
# small stack.
. "${srcdir:-.}/tests/lib/tap.sh"

deep=$bin/tests/deep

# judge NAME LOW HIGH CUTS: the frames of the longest stack are as many; CUTS of them
# are "[truncated]", in the middle; and the stack begins at the root.
judge() {
	stacks "$1.pb.gz" | awk -v low="$2" -v high="$3" -v cuts="$4" '
		/^#/ { next }
		{
			n = cut = 0
			for (i = 2; i <= NF && $i !~ /=/; i++)
				if (++n && $i == "[truncated]")
					cut += n > 400 && n < 600 ? 1 : 100
			if (n > most) {
				most = n
				found = cut
				root = $(n + 1)
			}
		}
		END {
			printf "%d frames, %d cut, root %s\n", most, found, root
			exit !(most >= low && most <= high && found == cuts &&
				root ~ /^deep\+/)
		}' >why
}

# row NAME WAY OPTION...: the same of a stack that is kept whole, and of one that
# is not. The outermost frame is _start, in the program.
row() {
	row_name=$1 row_way=$2
	shift 2
	if prof-record -q "$@" -o whole.pb.gz "$deep" 900 "$row_way" 2>why &&
		judge whole 900 920 0; then
		ok "$row_name: 900 calls"
	else
		not_ok "$row_name: 900 calls" <why
	fi
	if prof-record -q "$@" -o both.pb.gz "$deep" 1500 "$row_way" 2>why &&
		judge both 1010 1024 1; then
		ok "... and both ends of 1500"
	else
		not_ok "... and both ends of 1500" <why
	fi
}

row 'CPU clock' run -F 200
row 'perf clock' run -F 200 --clock=perf
row 'wall clock' sleep -F 200 --clock=wall
row 'heap' heap --heap=1
row 'growth of the heap' heap --growth=1
row 'locks' lock --lock=1
if prof-record -q --sampler=perf --kernel=no -o try.pb.gz true >log 2>&1 &&
	[ "$(uname -m)" = x86_64 ]; then
	row 'the kernel as the sampler' run --sampler=perf --kernel=no -F 200 \
		--stack-size=65528
else
	skip 'the kernel as the sampler' "$(head -1 log)"
fi

# So long that it is not walked to the end.
if prof-record -q -F 200 -o end.pb.gz "$deep" 20000 run 2>why &&
	stacks end.pb.gz | awk '
		/truncated=[1-9]/ { said++ }
		/^[0-9]/ && NF > 500 && $NF == "[truncated]" { n++ }
		END { exit !(n && said) }' 2>why; then
	ok 'a walk that is given up ends with the gap'
else
	not_ok 'a walk that is given up ends with the gap' <why
fi

check 'names are there without symbols, and stay' 0 '
	prof-record -q -F 200 -o n.pb.gz "'"$deep"'" 1500 run
	prof-text -q --nodecount=0 n.pb.gz | grep -c "\[truncated\]"
	{ prof-symbolize -q n.pb.gz || cat n.pb.gz; } 2>/dev/null |
		prof-text -q --nodecount=0 - | grep -c "\[truncated\]"' <<'END'
1
1
END

# The handler, with the frame that the kernel makes, has to fit.
for options in '-F 10000 --clock=wall' '-F 1000'; do
	check "threads with stacks of 16 KiB: $options" 0 \
		"prof-record -q $options -o s.pb.gz '$deep' small" <<'END'
alive
END
done
plan
