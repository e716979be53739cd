# Every rule of prof-filter: the lines of rules.tsv. The same are compared with
# pprof, where it is installed, in referee.t.
. "${srcdir:-.}/tests/lib/tap.sh"

# Recursion, and one location of inlined functions.
cat >frames.txt <<'EOF'
# samples count
@mapping 0x400000 0x500000 0 /bin/app
A (/s/a.c:1);B (/s/b.c:1);C (/s/c.c:1);B (/s/b.c:1);D (/s/d.c:1) 100
A (/s/a.c:1);I3 (/s/i.c:3)=>I2 (/s/i.c:2)=>I1 (/s/i.c:1);D (/s/d.c:1) 10
I3 (/s/i.c:3)=>I2 (/s/i.c:2)=>I1 (/s/i.c:1) 1
EOF
# Frames without symbols, in two mappings and in none; an empty stack.
cat >raw.txt <<'EOF'
# samples count
@mapping 0x400000 0x500000 0 /bin/app
@mapping 0x700000 0x800000 0 /lib/libc.so
main;0x401000;[2]0x701000 4
main;[0]0x900000 2
() 1
EOF
cat >names.txt <<'EOF'
# a b
main;.f(int);x 1
main;(anonymous namespace)::f(int);x 2
main;S::operator()(int) const;x 3
EOF
cat >labels.txt <<'EOF'
# a b
x 1 {user="ann" req="r" bytes=3}
y 2 {bytes=4kb}
EOF
cat >roots.txt <<'EOF'
# a b
m;x 1 {user="bob" user="ann" bytes=2048bytes bytes=7}
m;y 2 {user="bob,ann"}
() 3 {bytes=1048576kb}
EOF
cat >tags.txt <<'EOF'
# samples count
a 1 {user="ann" req="r1" bytes=1024bytes}
b 2 {user="bob" bytes=2048bytes}
c 3 {user="bob" user="eve" depth=7}
d 4 {lat=2s lat=5ms}
e 5 {request=512}
f 6
EOF

# Standard input as stacks, root first, with values and labels, on one line.
shown() {
	normal | sed 's/ [^ ;]*:-*[0-9]* s=[0-9]*\(([^;<]*)\)*//g' | awk -F'\t' '
		{
			label = ""
			if (match($1, / [a-z]+:\[/)) {
				label = substr($1, RSTART)
				$1 = substr($1, 1, RSTART - 1)
			}
			text = ""
			for (i = split($1, frame, "; "); i > 0; i--) {
				split(frame[i], word, " ")
				sub(/^[^ ]* [^ ]* ?/, "", frame[i])
				if (frame[i] == "" && word[1] != "0")
					text = text word[1]
				for (k = split(frame[i], line, "<="); k > 0; k--)
					text = text line[k] (k > 1 ? "=>" : "")
				text = text (i > 1 ? ";" : "")
			}
			printf "%s", (NR > 1 ? " | " : "") text " " $2 label
		}'
	sed 's/^prof-filter: \(.*\) expression matched.*/ !\1/' err | tr -d '\n'
}

# rule PROFILE OPTIONS: what is left, and of what it is said that it matched nothing.
rule() {
	case $2 in
	@*) set -- "$1" --quiet "$2" ;;
	esac
	awk -v header="$3" 'BEGIN { gsub(/@/, "\n@", header) }
		{ print } NR == 1 && header { print substr(header, 2) }' "$1.txt" | mkprof - >profile
	eval "prof-filter $2 profile" 2>err | shown
}

# tag EXPRESSION: the samples that it keeps, and those that it takes away; or a "!"
# from both, and what is said.
tag() {
	mkprof tags.txt >profile
	for how in focus / ignore; do
		[ $how != / ] || { printf / && continue; }
		prof-filter -q "--tag$how=$1" profile 2>err | normal 2>/dev/null | awk '{ printf "%s", $2 }'
		[ ! -s err ] || printf !
	done
	sed 's/^prof-filter: //; s/^parsing tagignore [a-z]*: //' err | tr -d '\n'
}

grep -v '^#' "$src/tests/filter/rules.tsv" >want
while IFS="$(printf '\t')" read -r profile options _; do
	case $profile in
	tags) left=$(tag "$options") ;;
	*) left=$(rule "$profile" "$options") ;;
	esac
	printf '%s\t%s\t%s\n' "$profile" "$options" "${left# }"
done <want >have
n=$(wc -l <want)
[ "$n" -gt 80 ] && diff want have >why && ok "$n rules" || not_ok 'rules' <why
plan
