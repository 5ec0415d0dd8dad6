#!/bin/sh
# Records the Nsight Compute exports that the reader's tests use. Needs a GPU whose counters may be read, nvcc and ncu.
#   ./record.sh OUTPUT_FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc -O3 -lineinfo -arch=native -o "$work/launches" "$here/launches.cu"
ncu --clock-control none --set full --force-overwrite -o "$work/full" "$work/launches" > "$work/log" 2>&1
ncu --import "$work/full.ncu-rep" --csv --page raw > "$work/raw_auto.csv"
ncu --import "$work/full.ncu-rep" --csv --page raw --print-units base > "$work/raw_base.csv"
python3 "$here/trim.py" "$work/raw_auto.csv" "$out/raw_auto.csv"
python3 "$here/trim.py" "$work/raw_base.csv" "$out/raw_base.csv"
# What a user sees who profiles and exports in one go, with the program's own lines in between.
ncu --clock-control none --csv --launch-count 2 "$work/launches" > "$out/direct_details.csv"
ncu --clock-control none --csv --page raw --launch-count 2 "$work/launches" > "$out/direct_raw.csv"
ncu --clock-control none --csv --launch-count 2 \
    --metrics l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,launch__registers_per_thread \
    "$work/launches" > "$out/metrics_long.csv"
sed -i "s|$work/||" "$out"/direct_*.csv "$out"/metrics_long.csv
{ ncu --version; nvidia-smi --query-gpu=name,driver_version --format=csv,noheader; date -u +%Y-%m-%d; } > "$out/recorded_with.txt"
