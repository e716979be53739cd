#!/bin/sh
# gate.sh - compare the benchmark of this working tree with that of another
# revision, by prof-gate(1). For CI: run it in a clone of your project, with
# profpipe installed. doc/gate-ci.md of profpipe tells more.
#
#	BASE=origin/main	the revision to compare with
#	BUILD='make bench'	builds the benchmark; with -g, so that lines are known
#	BENCH=./bench		runs it, a fixed amount of work: 2,000 samples or more,
#				four seconds of CPU time at this rate, or eight
#				where the kernel's tick is 250 Hz
#	RUNS=5			of each side
#	RATE=499		samples a second
#	GATE_OPTIONS=		for prof-gate: --function=..., --min-change=...
#
# Exit status: 0 nothing failed; 1 slower, or a budget is broken; 2 trouble.
# gate/ then holds the profiles, and the report as text, Markdown, JUnit, JSON.
set -eu
base=${BASE:-origin/main} build=${BUILD:-make bench} bench=${BENCH:-./bench}
top=$PWD
mkdir -p gate
rm -f gate/*.pb.gz gate/report.*

# Promises that hold whatever the other revision does: see BUDGETS in prof-gate(1).
if [ ! -e gate-budget.txt ]; then
	echo "# NAME [flat|cum] <= LIMIT, such as: main <= +10%" >gate-budget.txt
fi

git worktree remove --force gate/base 2>/dev/null || :
if ! git worktree add --quiet --detach gate/base "$base"; then
	echo "gate.sh: no revision $base to compare with: was its history fetched?" >&2
	exit 2
fi
trap 'git worktree remove --force "$top/gate/base"' EXIT
if ! { (cd gate/base && sh -c "$build") && sh -c "$build"; } >gate/build.log 2>&1
then
	cat gate/build.log
	echo "gate.sh: cannot build: $build" >&2
	exit 2
fi

# record FOLDER FILE: one run, with names.
record() {
	(
		raw=$top/gate/raw.pb.gz
		export raw
		cd "$1"
		sh -c "prof-record -q -F ${RATE:-499} -o \"\$raw\" $bench"
	) >gate/bench.log 2>&1 </dev/null || {
		cat gate/bench.log
		echo "gate.sh: the benchmark failed in $1: $bench" >&2
		return 2
	}
	prof-symbolize -q -o "$2" gate/raw.pb.gz
}
# The runs alternate, so that a machine that grows warm or busy does so to both
# sides.
prof-gate --plan="${RUNS:-5}" -- gate/base -- . >gate/plan
while read -r side run folder; do
	record "$folder" "gate/$side$run.pb.gz" || exit 2
done <gate/plan
rm -f gate/raw.pb.gz gate/plan

# report FORM: both trees are one project, whatever folders they were built in.
# What is said about the profiles is said once, with the text.
status=0
report() {
	status=0
	# shellcheck disable=SC2086 # GATE_OPTIONS are words
	prof-gate "--$1" --trim-path="$top/gate/base:$top" \
		--budget=gate-budget.txt ${GATE_OPTIONS:-} \
		gate/old*.pb.gz -- gate/new*.pb.gz >"gate/report.$1" || status=$?
}
for form in json junit markdown; do report $form 2>/dev/null; done
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
	cat gate/report.markdown >>"$GITHUB_STEP_SUMMARY"
	report github 2>/dev/null
	cat gate/report.github
fi
report text
cat gate/report.text
exit $status
