#!/bin/sh
# report-random.t [N [FIRST]] - prof-text and prof-dot against pprof, on N
# random profiles from seed FIRST on, each with random options. Values are
# large, so that few nodes tie: pprof orders ties at random. Not generated are
# cases in which doc/differences.md says that results differ: drawings of means,
# whose total may be 0, trees and labels of means; negative values under -drop_negative
# or -mean; divided tags, which pprof of 2022 lacks.
n_profile=${1:-100}
first=${2:-1}
. "${srcdir:-.}/tests/lib/tap.sh"

have go && pprof=$(go tool -n pprof 2>/dev/null) && [ -x "$pprof" ] || {
	skip_rest 'comparisons with pprof' 'no go tool pprof'
}

. "$src/tests/lib/compare.sh"

# draw SEED: the text of a profile into file SEED, and the options on stdout.
# The same with every awk, whose own rand() are many.
draw() {
	awk -v seed="$1" -v file="$1" '
	function below(n) {
		seed = (seed * 16807) % 2147483647
		return int(seed / 2147483647 * n)
	}
	function one_of(list,   word, n) {
		n = split(list, word, " ")
		return word[1 + below(n)]
	}
	function now_and_then(percent, text) {
		return below(100) < percent ? " " text : ""
	}
	function frame(   name) {
		name = one_of(names)
		return below(8) ? name "_(" one_of(files) ":" 10 + below(3) ")" \
				: name
	}
	function stack(   n, s) {
		for (n = 1 + below(8); n > 0; n--)
			s = s (s ? (below(7) ? ";" : "=>") : "") \
				pool[1 + below(n_pool)]
		gsub("_\\(", " (", s)
		return s
	}
	function labels(   s) {
		s = now_and_then(30, "user=\"" one_of("ann bob eve") "\"") \
		    now_and_then(30, "bytes=" one_of("16 64 1024 5000") "bytes") \
		    now_and_then(10, "req=\"r" below(5) "\"")
		return s ? " {" s "}" : ""
	}
	function values(   s, i, v) {
		for (i = 0; i < n_type; i++) {
			v = int(10 ^ (2 + below(9)) * (1 + below(1000) / 1000))
			s = s " " (signed && !below(3) ? "-" : "") \
				sprintf("%.0f", v + below(97))
		}
		return s
	}
	BEGIN {
		seed = seed * 1000003 + 17
		below(1)
		names = "main work leaf helper runtime.mallocgc f g encode " \
			"runtime.(*mcache).refill ns::Box<int>::get io.Copy " \
			"std::vector<int>::push_back bytes.(*Buffer).grow " \
			"github.com/x/y.(*T).M ns::Box<std::pair<int,char>>::put"
		files = "/src/a.c /src/b.c /src/demo/c.cc rel/d.go"
		n_type = one_of("1 2 4")
		signed = !below(5)
		if (n_type == 1)
			out = "# cpu nanoseconds\n"
		else if (n_type == 2)
			out = "# samples count cpu nanoseconds\n"
		else
			out = "# alloc_objects count alloc_space bytes " \
			      "inuse_objects count inuse_space bytes\n"
		out = out "@mapping 0x400000 0x500000 0 /bin/app abc123\n"
		out = out "@duration " 1 + below(1000000000) "\n"
		n_pool = 4 + below(30)
		for (i = 1; i <= n_pool; i++)
			pool[i] = frame()
		for (i = 1 + below(60); i > 0; i--)
			out = out stack() values() labels() "\n"
		printf "%s", out >file

		o = one_of("-text -tree -dot -dot -traces -tags " \
			   "-peek=main -peek=Box<")
		is_tags = o == "-tags"
		is_traces = o == "-traces" || is_tags
		is_dot = o == "-dot"
		has_sums = is_dot || is_tags || o ~ /^-(tree|peek)/
		patterns = "main work ^f$ runtime Box< get|put . mallocgc a[.]c"
		o = o now_and_then(70, one_of("-functions -filefunctions -lines " \
					      "-addresses")) \
		    now_and_then(30, "-noinlines") \
		    now_and_then(is_traces || is_dot ? 0 : 40, "-cum") \
		    now_and_then(is_dot ? 30 : 0, "-call_tree") \
		    now_and_then(40, "-nodecount=" one_of("0 1 2 3 5 8 20")) \
		    now_and_then(30, "-nodefraction=" one_of("0 .01 .1 .3")) \
		    now_and_then(30, "-edgefraction=" one_of("0 .01 .1 .5")) \
		    now_and_then(signed ? 0 : 10, "-drop_negative") \
		    now_and_then(signed || has_sums ? 0 : 10, "-mean") \
		    now_and_then(is_tags ? 0 : 15, \
				 "-divide_by=" one_of("2 3 .5 7")) \
		    now_and_then(20, "-unit=" one_of("auto ms s MB kb us")) \
		    now_and_then(15, "-relative_percentages") \
		    now_and_then(40, "-sample_index=" below(n_type)) \
		    now_and_then(is_traces ? 0 : 5, "-trim_path=/src") \
		    now_and_then(12, "-focus=" one_of(patterns)) \
		    now_and_then(12, "-ignore=" one_of(patterns)) \
		    now_and_then(12, "-hide=" one_of(patterns)) \
		    now_and_then(12, "-show=" one_of(patterns)) \
		    now_and_then(12, "-show_from=" one_of(patterns)) \
		    now_and_then(12, "-prune_from=" one_of(patterns)) \
		    now_and_then(6, "-tagfocus=" one_of("1kb:4kb :100 ann " \
					"user=bob bytes=16b:")) \
		    now_and_then(6, "-tagignore=" one_of("ann 10: bytes=:100b")) \
		    now_and_then(6, "-tagshow=" one_of("user bytes .")) \
		    now_and_then(6, "-taghide=" one_of("user bytes")) \
		    now_and_then(6, "-tagroot=" one_of("user bytes user,bytes")) \
		    now_and_then(6, "-tagleaf=" one_of("user bytes"))
		print o
	}'
}

i=$first
while [ "$i" -lt $((first + n_profile)) ]; do
	o=$(draw "$i")
	mkprof "$i" >"drawn.$i" || exit 99
	# Its merge changes traces, where it is a matter of age.
	$pprof -symbolize=none -proto -output "random.$i" "drawn.$i" 2>.err ||
		not_ok "pprof -proto, seed $i" <.err
	case $o in
	-dot*) row "random.$i" "$o" "--dot $(echo "${o#-dot}" | sed 's/ -/ --/g')" ;;
	*) row "random.$i" "$o" ;;
	esac
	i=$((i + 1))
done
compare "$src/tests/text/random.known"
plan
