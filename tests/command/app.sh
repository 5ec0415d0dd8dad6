#!/usr/bin/env bash
# `gpuprobe app` on programs that use no GPU: what they print and how they end is theirs. Needs no GPU.
set -u
gpuprobe=$1
recordings=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# expect STATUS NAME COMMAND...: runs it, keeps both streams, compares the exit status.
expect() {
  local status=$1 name=$2 got=0
  shift 2
  "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || got=$?
  [ "$got" -eq "$status" ] && return
  echo "FAILED $name: exit status $got, expected $status: $*"
  cat "$scratch/out" "$scratch/err"
  failures=$((failures + 1))
}
# says FILE TEXT: the stream holds the text.
says() {
  grep -qF -- "$2" "$scratch/$1" && return
  echo "FAILED: std$1 does not say '$2':"
  cat "$scratch/$1"
  failures=$((failures + 1))
}

expect 0 'a program without CUDA' "$gpuprobe" app -- echo hello world
says out 'hello world'
says out 'no launches'
says err 'did not use CUDA'
expect 7 'its exit status' "$gpuprobe" app -- sh -c 'exit 7'
says out 'no launches'
says err 'exit status 7'
expect 143 'a signal' "$gpuprobe" app -- sh -c 'kill -TERM $$'
says err 'ended by signal 15'
expect 134 'a crash' "$gpuprobe" app -- sh -c 'kill -ABRT $$'
expect 0 'options of the program' "$gpuprobe" app -q -- echo --help list --kernel
says out '--help list --kernel'
expect 2 'no program' "$gpuprobe" app
says err 'no program was given'
expect 2 'a program that is not there' "$gpuprobe" app -- "$scratch/nowhere"
says err 'No such file or directory'
expect 2 'a file that cannot be run' "$gpuprobe" app -- "$scratch"
expect 2 'a broken expression' "$gpuprobe" app --kernel '(' -- true
says err 'is not a regular expression'
expect 2 'a broken rank' "$gpuprobe" app --rank x -- true
expect 2 'a broken budget' "$gpuprobe" app --budget soon -- true
expect 2 'a negative count' "$gpuprobe" app --count=-1 -- true
expect 2 'an unwritable report' "$gpuprobe" app --output "$scratch/no/folder" -- true
expect 0 'a budget with its unit' "$gpuprobe" app --budget 30s -- true
expect 4 'a program that does not end' "$gpuprobe" app --timeout 0.2 -- sh -c 'sleep 60 & sleep 60'
says err 'after its time was up'
says out 'no launches'
expect 3 'a gate that nothing can answer' "$gpuprobe" app --expect 'global.load.requests > 0' -- true
expect 0 'a report in a file' "$gpuprobe" app --format json --output "$scratch/report.json" -- echo mine
[ "$(cat "$scratch/out")" = mine ] || { echo 'FAILED: the output is not the program'\''s alone'; failures=$((failures + 1)); }
expect 0 'the report read back' "$gpuprobe" diagnose "$scratch/report.json"

# Only the ranks that were asked for are measured; the others run as they are and leave no report.
expect 0 'another rank' env OMPI_COMM_WORLD_RANK=2 "$gpuprobe" app --rank 0,3 --output "$scratch/r.%r.txt" -- env
says out 'OMPI_COMM_WORLD_RANK=2'
grep -q CUDA_INJECTION64_PATH "$scratch/out" && { echo 'FAILED: injected into another rank'; failures=$((failures + 1)); }
[ -e "$scratch/r.2.txt" ] && { echo 'FAILED: a report of another rank'; failures=$((failures + 1)); }
expect 0 'this rank' env OMPI_COMM_WORLD_RANK=3 "$gpuprobe" app --rank 0,3 --output "$scratch/r.%r.txt" -- env
says out 'CUDA_INJECTION64_PATH='
[ -e "$scratch/r.3.txt" ] || { echo 'FAILED: no report of this rank'; failures=$((failures + 1)); }

# The profiler in the program is there, but this machine has no driver, or nothing to report: no folder stays behind.
expect 0 'with temporary files of its own' env TMPDIR="$scratch" "$gpuprobe" app -- true
if compgen -G "$scratch/gpuprobe-*" >/dev/null; then
  echo 'FAILED: the spool was left behind'
  failures=$((failures + 1))
fi
# A program that leaves what a real one left on an H200: the report, the gates and the merged report of two ranks.
export RECORDED="$recordings/app/spool"
# shellcheck disable=SC2016  # expanded by the program's shell
leave='cp "$RECORDED"/*.jsonl "$GPUPROBE_SPOOL"'
expect 0 'recorded launches' "$gpuprobe" app -- sh -c "$leave"
says err '48 launches: 12 measured, 34 counted, 2 skipped'
says out 'verdict: uncoalesced-store'
says out 'ten.cu:49'
says out 'cooperative'
expect 1 'a gate that they break' "$gpuprobe" app --fail-on bank-conflict-load -- sh -c "$leave"
expect 3 'a crash comes after the gates' "$gpuprobe" app --fail-on shared-race -- sh -c "$leave; kill -SEGV \$\$"
says err 'ended by signal 11'
expect 139 'a crash' "$gpuprobe" app -- sh -c "$leave; kill -SEGV \$\$"
says out 'verdict: uncoalesced-store'
expect 0 'two ranks' "$gpuprobe" merge "$recordings/app/rank.0.json" "$recordings/app/rank.1.json"
says out 'in 2 of 2 reports'
for format in text json markdown csv github sarif junit; do
  expect 0 "a training step as $format" "$gpuprobe" diagnose --format "$format" "$recordings/app/torch.json"
  says out 'cudnn::bn_bw_1C11_kernel_new'
done

[ "$failures" -eq 0 ] || exit 1
echo "gpuprobe app: all as expected"
