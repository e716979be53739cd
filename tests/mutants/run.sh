#!/bin/sh
# make check-mutants [MUTANTS="NAME..."]: does the suite notice? Each file *.mutant
# here is a mistake in the product:
#
#	a sentence: what goes wrong
#	T=the script that must fail
#	-the lines that are there
#	+the lines that replace them
#
# with as many pairs as it takes. The lines are found by their text, in whatever
# file of the product has them, all white space ignored: so a mutant outlives the
# renaming of files, what moves, and clang-format. A context of lines or a file's
# name, as in a patch, would not tell more, and would break at each. The text must
# be there exactly once.
#
# run.sh applies TREE: only say which mutants do not apply to a tree.
#
# In a copy of the tree, build/mutants, each script must pass; then for each
# mutant what changed is built and the script must fail. On a machine that others use,
# a row may be skipped as disturbed instead: five tries disagreed. If it agreed without
# the mutant, that is told as such.
set -eu

src=${abs_srcdir:?run by make check-mutants}
copy=${abs_builddir:?}/mutants
tree=$copy/tree
dry=
[ "${1-}" != applies ] || tree=$2 dry=1
: "${MUTANTS:=$(cd "$src/tests/mutants" && ls ./*.mutant)}"
log=$copy/log
failed=0

# say MUTANT VERDICT: a row of the table.
say() {
	printf '%-11s %-28s %-24s %s\n' "$2" "$1" "$script" "$sentence"
}

# mutate FILE: apply it to $tree; the texts that were there are in *.saved.
mutate() {
	(cd "$tree" && find cmd libsample -type f | sort) |
		perl -e '
	my ($mutant, $tree, $dry) = @ARGV;
	my (%text, @pair, $last);
	open my $f, "<", $mutant or die "$mutant: $!\n";
	while (<$f>) {
		next unless s/^([-+])//;
		push @pair, ["", ""] if $1 eq "-" && ($last // "+") eq "+";
		$pair[-1][$1 eq "+"] .= $_;
		$last = $1;
	}
	@pair or die "$mutant: no lines\n";
	while (my $name = <STDIN>) {
		chomp $name;
		open my $f, "<", "$tree/$name" or die "$name: $!\n";
		local $/;
		$text{$name} = <$f>;
	}
	my %changed;
	for my $p (@pair) {
		(my $bare = $p->[0]) =~ s/\s+//g;
		my $old = join "\\s*", map { quotemeta } split //, $bare;
		my @at = grep { $text{$_} =~ /$old/ } sort keys %text;
		my $n = 0;
		$n += () = $text{$_} =~ /$old/g for @at;
		$n == 1 or die "$mutant: does not apply: $n places (@at) have\n$p->[0]";
		$text{$at[0]} =~ s/$old/$p->[1]/;
		$changed{$at[0]} = 1;
	}
	for my $name (sort keys %changed) {
		last if $dry;
		rename "$tree/$name", "$tree/$name.saved" or die "$name: $!\n";
		open my $f, ">", "$tree/$name" or die "$name: $!\n";
		print $f $text{$name};
		close $f or die "$name: $!\n";
	}' "$1" "$tree" "$dry"
}

# Give the files that were mutated the text that they had, and a new time.
restore() {
	find "$tree/cmd" "$tree/libsample" -name '*.saved' | while read -r saved; do
		cp "$saved" "${saved%.saved}"
		rm "$saved"
	done
}

# in_copy TARGET [VARIABLE=VALUE]: make there.
in_copy() {
	MAKEFLAGS='' make -j"$(nproc)" -C "$tree/build" "$@" >"$log" 2>&1
}

# build SCRIPT: the product, then the tests' programs that the script names. Two
# goals at once would build the libraries twice, at the same time.
build() {
	if [ ! -e "$tree/tests/$1.t" ]; then # it is a program itself
		in_copy all && in_copy "tests/$1"
		return
	fi
	set -- "$tree/tests/$1.t"
	for program in "$tree"/build/tests/*; do
		if [ -f "$program" ] && [ -x "$program" ] &&
			grep -qw -e "${program##*/}" "$1"; then
			set -- "$@" "tests/${program##*/}"
		fi
	done
	shift
	in_copy all && { [ $# -eq 0 ] || in_copy "$@"; }
}

# run SCRIPT: in the copy, with the tests' programs as they are.
run() {
	in_copy check T="$1" check_PROGRAMS= check_LTLIBRARIES=
}

if [ "$dry" ]; then
	for name in $MUTANTS; do
		mutate "$src/tests/mutants/$name" || failed=1
	done
	exit $failed
fi

# --- the copy, as make dist would make it

mkdir -p "$tree/build" "$tree/cmd" "$tree/libsample"
MAKEFLAGS='' make -s -C "$abs_builddir" distdir distdir=mutants/new >"$log" 2>&1 || {
	tail -5 "$log"
	exit 2
}
restore
cp -Ru --preserve=mode,timestamps "$copy/new/." "$tree"
(cd "$tree" && find cmd libsample tests -type f) | while read -r gone; do
	[ -e "$copy/new/$gone" ] || rm "$tree/$gone"
done
rm -rf "$copy/new"
rm -rf "$copy/pass"
if [ ! -e "$tree/build/config.status" ]; then
	(cd "$tree/build" && eval "set -- $("$abs_builddir/config.status" --config)" &&
		../configure -q CFLAGS=-O2 CXXFLAGS=-O2 "$@") >"$log" 2>&1
fi
in_copy check TESTS= || {
	tail -5 "$log"
	exit 2
}
trap 'restore' EXIT
trap 'exit 99' HUP INT TERM

# --- each mutant

for name in $MUTANTS; do
	name=$(basename "$name" .mutant)
	file=$src/tests/mutants/$name.mutant
	sentence=$(head -n 1 "$file")
	script=$(sed -n 's/^T=//p' "$file")

	# Once for each script.
	mkdir -p "$copy/pass/${script%/*}"
	if [ ! -e "$copy/pass/$script" ] && ! run "$script"; then
		say "$name" "ERROR: $script fails without it"
		failed=1
		continue
	fi
	[ -e "$copy/pass/$script" ] ||
		sed -n '/# SKIP/d; s/^ok [0-9]* - //p' "$tree/build/tests/$script.log" >"$copy/pass/$script"

	mutate "$file" 2>"$copy/why" || {
		say "$name" 'ERROR'
		sed 's/^/	/' "$copy/why"
		failed=1
		restore
		continue
	}
	if ! build "$script"; then
		say "$name" 'ERROR: does not compile'
		grep error: "$log" | head -3
		failed=1
	elif run "$script"; then
		sed -n 's/^ok [0-9]* - \(.*\) # SKIP disturbed.*/\1/p' \
			"$tree/build/tests/$script.log" >"$copy/skipped"
		if grep -qxFf "$copy/skipped" "$copy/pass/$script"; then
			say "$name" 'killed while disturbed'
		else
			verdict=SURVIVED
			[ ! -s "$copy/skipped" ] || verdict='NOT DECIDED: rows skipped as disturbed'
			say "$name" "$verdict"
			failed=1
		fi
	elif grep -q '^# FAIL: *[1-9]' "$log"; then
		say "$name" killed
	else
		say "$name" 'ERROR: the script did not run'
		tail -5 "$log"
		failed=1
	fi
	restore
done
exit $failed
