#!/usr/bin/env bash
# Real ranks of Open MPI: each writes its own report, merged into one. Skipped (77) where there is no mpirun.
set -eu
gpuprobe=$1
command -v mpirun >/dev/null || { echo "skipped: mpirun (package openmpi-bin) is not installed"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export XDG_CACHE_HOME="$scratch/cache"
fail() { echo "FAILED: $*"; exit 1; }

mpirun -n 3 "$gpuprobe" transpose --source model -n 2048 -q --format json --output "$scratch/report.%r.json"
for rank in 0 1 2; do
  [ -s "$scratch/report.$rank.json" ] || fail "rank $rank wrote no report"
done
"$gpuprobe" merge "$scratch"/report.*.json >"$scratch/merged.txt"
grep -q 'in 3 of 3 reports' "$scratch/merged.txt" || { cat "$scratch/merged.txt"; fail "not merged"; }
[ "$(grep -c '^verdict: bank-conflict-load' "$scratch/merged.txt")" -eq 1 ] || fail "not one verdict"

# Ranks 0 and 2 are profiled, rank 1 runs alone; every rank's own output is there.
# shellcheck disable=SC2016  # expanded by the program's shell
mpirun -n 3 "$gpuprobe" app --rank 0,2 --format json --output "$scratch/app.%r.json" -- \
  sh -c 'echo rank=$OMPI_COMM_WORLD_RANK' \
  >"$scratch/out" 2>/dev/null
for rank in 0 1 2; do grep -q "rank=$rank" "$scratch/out" || fail "rank $rank printed nothing"; done
if [ ! -s "$scratch/app.0.json" ] || [ ! -s "$scratch/app.2.json" ] || [ -e "$scratch/app.1.json" ]; then
  fail "not the reports of ranks 0 and 2"
fi
echo "three ranks: reports written and merged"
