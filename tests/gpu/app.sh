#!/usr/bin/env bash
# `gpuprobe app` on real programs and a real GPU: tests/gpu/app.sh GPUPROBE. Builds the programs of tests/gpu/app with
# nvcc, runs each alone and under gpuprobe, and compares what they print, how they end, what was measured. Skipped (77)
# where there is no GPU or no nvcc; GPUPROBE_REQUIRE_GPU=1 fails instead.
set -u
gpuprobe=$1
here=$(cd "$(dirname "$0")" && pwd)
skip() {
  echo "skipped: $*"
  [ "${GPUPROBE_REQUIRE_GPU:-0}" = 1 ] && exit 1
  exit 77
}
"$gpuprobe" doctor >/dev/null 2>&1 || true
"$gpuprobe" transpose --source gpu -q >/dev/null 2>&1 || skip "no GPU whose counters can be read ('$gpuprobe doctor' says why)"
command -v nvcc >/dev/null || skip "nvcc is not in the PATH"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME="$scratch/cache"
cd "$scratch" || exit 1
failures=0
failed() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

build() { nvcc -O3 -std=c++17 -arch=native -o "$@" || echo "$1" >>not_built; }
build ten "$here/app/ten.cu" -lineinfo &
build odd "$here/app/odd.cu" &
build odd_ptds "$here/app/odd.cu" --default-stream per-thread &
build gemm "$here/app/gemm.cu" -lcublas &
wait
[ ! -e not_built ] || { echo "FAILED: nvcc"; exit 1; }

# profiled STATUS NAME SAYS COMMAND...: the exit status, and what gpuprobe says on stderr.
profiled() {
  local status=$1 name=$2 says=$3 got=0
  shift 3
  timeout -k 2 120 "$gpuprobe" app --format json --output "$name.json" -- "$@" >"$name.out" 2>"$name.err" || got=$?
  [ "$got" -eq "$status" ] || failed "$name: exit status $got, expected $status"
  grep -qE -- "$says" "$name.err" || failed "$name: stderr does not say '$says': $(cat "$name.err")"
  grep -h WRONG "$name.out" && failed "$name: wrong results"
  "$gpuprobe" diagnose "$name.json" >"$name.txt" || failed "$name: the report cannot be read back"
}

./ten >alone.out
profiled 0 ten '12 measured, 11 counted, 1 skipped' ./ten
cmp -s alone.out ten.out || failed "ten: it prints something else when it is profiled"
grep -q 'ten.cu:' ten.txt || failed "ten: no source lines"
expect() { # NAME COUNTER EXPECTATION
  "$gpuprobe" app -q --kernel "$1" --expect "$2" -- ./ten >/dev/null || failed "$1: $2"
}
expect '^strided' 'global.load.sectors_per_request == 32'
expect '^transpose_naive' 'global.store.sectors_per_request == 32'
expect '^transpose_tile' 'shared.load.wavefronts_per_request == 32'
expect '^add' 'global.load.sectors_per_request == 4'
profiled 0 gemm '1 measured' ./gemm
"$gpuprobe" app --nvtx forward -- ./odd ranges 2>&1 | grep -q '1 measured, 0 counted, 0 skipped; 4 not selected' ||
  failed "ranges: not exactly the launch in the range"

for case in threads graph reset extended refused exiting forked children; do
  profiled 0 "$case" 'measured' ./odd "$case"
  grep -q "^ok $case" "$case.out" || failed "$case: $(cat "$case.out")"
done
for case in threads graph; do profiled 0 "ptds_$case" 'measured' ./odd_ptds "$case"; done
grep -q 'recorded into a CUDA graph' graph.json || failed "graph: captured launches are not accounted for"
# However the program ends, what was finished is reported.
profiled 134 abort '3 measured, 2 counted' ./odd abort
profiled 139 crash '3 measured, 2 counted' ./odd crash
profiled 137 kill '3 measured, 2 counted' ./odd kill
profiled 3 status '3 measured, 2 counted' ./odd status
profiled 5 fault '3 measured' ./odd fault
timeout 60 "$gpuprobe" app --timeout 3 --format json --output hang.json -- ./odd hang >/dev/null 2>hang.err
[ $? -eq 4 ] || failed "hang: not ended by --timeout"
grep -q '3 measured, 2 counted' hang.err || failed "hang: $(cat hang.err)"

# Two ranks on one GPU take turns.
OMPI_COMM_WORLD_RANK=0 "$gpuprobe" app -q --format json --output 'r.%r.json' -- ./ten >/dev/null &
first=$!
OMPI_COMM_WORLD_RANK=1 "$gpuprobe" app -q --format json --output 'r.%r.json' -- ./ten >/dev/null || failed "rank 1"
wait "$first" || failed "rank 0"
"$gpuprobe" merge r.0.json r.1.json | grep -q 'in 2 of 2 reports' || failed "the ranks' reports were not merged"

[ "$failures" -eq 0 ] || exit 1
echo "gpuprobe app on a GPU: all as expected"
