#!/bin/sh
# The script of doc/gate-ci.md, unchanged, on a project that gets slower, with
# the real prof-record; then the steps of the GitHub action and of the GitLab
# job, taken from their YAML. Does not depend on the speed of this machine.
# Slow: begins early.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

have git make "${CXX%% *}" || skip_rest 'the recipe' 'no git, make or C++ compiler'
! lacks 'prof-gate a -- b' || skip_rest 'the recipe' 'this build has no GSL'
need_symbols 'the recipe'

# The shell of the YAML: install.sh, compare.sh with its environment in env.sh,
# and gitlab.sh. What the page gives to the action must be inputs of it.
for python in python3 /usr/bin/python3; do
	"$python" -c 'import yaml' 2>/dev/null && break
	python=
done
export python
cat >steps.py <<'END'
import re, shlex, sys, yaml
src = sys.argv[1]
action = yaml.safe_load(open(src + "/doc/ci/action.yml"))
page = open(src + "/doc/gate-ci.md").read()
github, gitlab = map(yaml.safe_load, re.findall(r"```yaml\n(.*?)```", page, re.S))
inputs = {k: v.get("default", "") for k, v in action["inputs"].items()}
used = [s for s in github["jobs"]["gate"]["steps"] if "/doc/ci@" in s["uses"]]
for k, v in used[0]["with"].items():
    assert k in inputs, k
    inputs[k] = v
steps = {s.get("name"): s for s in action["runs"]["steps"]}
open("install.sh", "w").write(steps["install profpipe"]["run"])
open("compare.sh", "w").write(steps["compare"]["run"])
with open("env.sh", "w") as out:
    for k, v in steps["compare"]["env"].items():
        name = re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", v).group(1)
        print("export %s=%s" % (k, shlex.quote(inputs[name])), file=out)
open("gitlab.sh", "w").write(gitlab["gate"]["script"])
assert gitlab["gate"]["artifacts"]["reports"]["junit"] == "gate/report.junit"
END
if [ "$python" ]; then
	check 'the YAML of the action and of both jobs' 0 \
		'"$python" steps.py "$src" && for f in install compare gitlab; do bash -n $f.sh || exit; done; cat env.sh' <<'END'
export BASE='${{ github.event.pull_request.base.sha }}'
export BUILD='make bench'
export BENCH=./bench
export RUNS=5
export GATE_OPTIONS=''
END
else
	skip 'the YAML of the action and of both jobs' 'no python3-yaml'
	: >env.sh
	echo 'sh "$GITHUB_ACTION_PATH/gate.sh"' >compare.sh
	echo 'sh gate.sh' >gitlab.sh
fi

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
slower() {
	sh "$src/doc/ci/gate.sh"
	status=$?
	echo "status $status"
	[ $status -lt 2 ] || return 2
	[ $status -eq 1 ] && head -1 gate/report.text |
		grep -q '^regressed: hash_block .* at bench.cc:10'
}
live 'what got slower fails, and is named with its line' slower
check 'it makes a budget file, reports, and leaves no worktree' 0 \
	'ls gate-budget.txt gate/report.*; git worktree list | wc -l' <<'END'
gate-budget.txt
gate/report.json
gate/report.junit
gate/report.markdown
gate/report.text
1
END
others() {
	live_again slower
	! grep "^REGRESSED.*parse" gate/report.text
}
live 'the other functions did not fail' others
check 'the action: annotations point at the line; the summary has the table' 0 \
	'. ../env.sh
	 export BASE=HEAD RUNS=3 GATE_OPTIONS=--min-samples=10
	 export GITHUB_STEP_SUMMARY="$PWD/summary" GITHUB_ACTION_PATH="$src/doc/ci"
	 rm -f summary; bash -e ../compare.sh >../out 2>../err
	 grep -o "^::error file=bench.cc,line=10,title=regressed hash_block" ../out || cat ../out; grep -c "^### prof-gate: regressed" summary' <<'END'
::error file=bench.cc,line=10,title=regressed hash_block
1
END
# The same work: whatever noise there is, it is below this.
git checkout -q bench.cc
cp "$src/doc/ci/gate.sh" .
same() {
	GATE_OPTIONS="--min-samples=10 --min-change=80" RUNS=2 sh -e ../gitlab.sh
	status=$?
	[ $status -lt 2 ] || return 2
	return $status
}
live 'the GitLab job: what did not get slower passes' same
check 'trouble is said on the last line, and leaves no report' 2 \
	'for what in BASE=none BENCH=false BUILD=false; do
		env $what sh "$src/doc/ci/gate.sh" >../out 2>&1; s=$?; tail -1 ../out
		[ $s -eq 2 ] || exit $s
	done; ls gate/report.* 2>/dev/null; exit $s' <<'END'
gate.sh: no revision none to compare with: was its history fetched?
gate.sh: the benchmark failed in gate/base: false
gate.sh: cannot build: false
END
check 'a benchmark that fails is trouble' 2 \
	'BENCH=./none sh "$src/doc/ci/gate.sh" 2>/dev/null | grep -c none >/dev/null; BENCH=./none sh "$src/doc/ci/gate.sh" >/dev/null 2>&1' </dev/null
plan
