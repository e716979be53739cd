#!/bin/sh
# doc/gate-ci.md: its script, as it stands, on a project that gets slower, with
# the real prof-record. Nothing depends on how fast this machine is.
. "${srcdir:-.}/tests/tap.sh"

have git make "${CXX%% *}" || skip_rest 'the recipe' 'no git, make or C++ compiler'
! lacks 'prof-gate a -- b' || skip_rest 'the recipe' 'this build has no GSL'
need_symbols 'the recipe'

mkdir project
cd project || exit 99
cat >bench.cc <<'END'
#include <cstdio>
#include <cstdint>
static volatile uint64_t sink;

static __attribute__((noinline)) uint64_t
hash_block(uint64_t x, int rounds)
{
	/* The line that matters is the next but one. */
	for (int i = 0; i < rounds; i++)
		x = (x ^ (x >> 29)) * 0x9e3779b97f4a7c15u % 1000003;
	return x;
}

static __attribute__((noinline)) uint64_t
parse(uint64_t x)
{
	for (int i = 0; i < 3000; i++)
		x = x * 6364136223846793005u % 999983;
	return x;
}

int main()
{
	for (int i = 0; i < 9000; i++)
		sink = hash_block(parse(i), 1000);
	std::printf("%d\n", (int)sink);
}
END
printf 'bench: bench.cc\n\t%s -O1 -g -o bench bench.cc\n' "$CXX" >Makefile
git init -q . && git add . &&
	git -c user.name=a -c user.email=a@b.c commit -qm base || exit 99
sed -i 's/parse(i), 1000/parse(i), 9000/' bench.cc

# Three runs will do for nine times as much work.
export BASE=HEAD RUNS=3 GATE_OPTIONS=--min-samples=10
sh "$src/doc/ci/gate.sh" >../out 2>../err
status=$?
if [ $status -eq 1 ] && head -1 gate/report.text |
	grep -q '^regressed: total .*hash_block .* at bench.cc:10'; then
	ok 'what got slower fails, and is named with its line'
else
	not_ok 'what got slower fails, and is named with its line' <<-END
	status $status
	$(cat ../out ../err)
	END
fi
check 'it makes a budget file, reports, and leaves no worktree' 0 \
	'ls gate-budget.txt gate/report.*; git worktree list | wc -l' <<'END'
gate-budget.txt
gate/report.json
gate/report.junit
gate/report.markdown
gate/report.text
1
END
check 'the other functions did not fail' 0 \
	'grep -c "^REGRESSED.*parse" gate/report.text || :' <<'END'
0
END
GITHUB_STEP_SUMMARY=$PWD/summary RUNS=2 sh "$src/doc/ci/gate.sh" >../out 2>../err
check 'annotations point at the line; the summary has the table' 0 \
	'grep -o "^::error file=bench.cc,line=10,title=regressed hash_block" ../out; grep -c "^### prof-gate: regressed" summary' <<'END'
::error file=bench.cc,line=10,title=regressed hash_block
1
END
# The same work: whatever noise there is, it is below this.
git checkout -q bench.cc
GATE_OPTIONS="--min-samples=10 --min-change=80" RUNS=2 sh "$src/doc/ci/gate.sh" >../out 2>../err
status=$?
if [ $status -eq 0 ]; then
	ok 'what did not get slower passes'
else
	not_ok 'what did not get slower passes' <../out
fi
check 'a benchmark that fails is trouble' 2 \
	'BENCH=./none sh "$src/doc/ci/gate.sh" 2>/dev/null | grep -c none >/dev/null; BENCH=./none sh "$src/doc/ci/gate.sh" >/dev/null 2>&1' </dev/null
plan
