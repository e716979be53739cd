# normal.sh - profiles in a form that can be compared: a line for each distinct
# stack and labels, sorted, with the sums of its values; none for sums of zero.

# add_up: lines of normal(1) on standard input.
add_up() {
	sort | awk -F'\t' '
		function flush(i, text, any) {
			for (i = 1; i <= n; i++) {
				text = text sprintf(" %.0f", sum[i])
				any = any || sum[i] != 0
			}
			if (any)
				print key "\t" text
		}
		NR > 1 && $1 != key { flush(); split("", sum) }
		{
			key = $1
			n = split($2, v, " ")
			for (i = 1; i <= n; i++)
				sum[i] += v[i]
		}
		END { if (NR) flush() }'
}

# raw_lines FILE...: the same lines from what pprof -raw printed. Each begins with
# what follows the last dot of the file's name.
raw_lines() {
	awk '
	function finish(i, j, k, line, part_of) {
		for (i = 1; i <= n; i++) {
			k = split(stack[i], part_of, " ")
			line = prefix
			for (j = 1; j <= k; j++)
				line = line (j > 1 ? "; " : "") \
					address[part_of[j]] " " \
					file[map[part_of[j]]] \
					lines[part_of[j]]
			print line label[i] "\t" value[i]
		}
		n = 0
		split("", label)
		split("", lines)
		split("", file)
	}
	FNR == 1 {
		finish()
		part = ""
		prefix = FILENAME
		sub(/.*\./, "", prefix)
		prefix = prefix " "
	}
	/^Samples:$/ { part = "types"; next }
	/^Locations$/ && part { part = "locations"; next }
	/^Mappings$/ && part == "locations" { part = "mappings"; next }
	part == "types" { part = "samples"; next }
	part == "samples" && /^                [^ ]/ {
		sub(/^ */, "")
		sub(/ *$/, "")
		label[n] = label[n] " " $0
		next
	}
	part == "samples" {
		at = index($0, ":")
		n++
		value[n] = substr($0, 1, at - 1)
		stack[n] = substr($0, at + 1)
		gsub(/^ +| +$/, "", value[n])
		gsub(/ +/, " ", value[n])
		next
	}
	# The column after a line, which pprof prints since 2023, is not compared.
	part == "locations" && match($0, /:-?[0-9]+:-?[0-9]+ s=/) {
		at = RSTART + RLENGTH
		line = substr($0, RSTART, RLENGTH)
		sub(/:-?[0-9]+ s=$/, " s=", line)
		$0 = substr($0, 1, RSTART - 1) line substr($0, at)
	}
	part == "locations" && /^ *[0-9]+: 0x/ {
		id = $1 + 0
		address[id] = $2 == "0x0" ? "0" : $2
		rest = $0
		sub(/^ *[0-9]+: 0x[0-9a-f]+ /, "", rest)
		map[id] = 0
		if (match(rest, /^M=[0-9]+ /)) {
			map[id] = substr(rest, 3, RLENGTH - 3)
			rest = substr(rest, RLENGTH + 1)
		}
		sub(/ *$/, "", rest)
		lines[id] = rest == "" ? "" : " " rest
		next
	}
	part == "locations" && /^             / {
		sub(/^             /, "")
		sub(/ *$/, "")
		lines[id] = lines[id] "<=" $0
		next
	}
	part == "mappings" {
		id = $1 + 0
		if (split($0, word, " ") >= 3 && word[3] !~ /^\[/)
			file[id] = word[3]
	}
	END { finish() }' "$@"
}
