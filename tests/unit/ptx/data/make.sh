#!/bin/sh
# Compiles every source here to the PTX that the tests read: NAME.sm_XX.ptx. Needs nvcc. It compiles in a folder of
# its own with a fixed name, as the PTX keeps the names of files and (with -G) of the folder.
#   tests/unit/ptx/data/make.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p /tmp/gpuprobe
cd /tmp/gpuprobe
cp "$here"/*.cu .

compile() {  # source architecture options...
  source=$1
  arch=$2
  shift 2
  out=$here/${source%.cu}.$arch.ptx
  nvcc -ptx -arch="$arch" -std=c++17 "$@" "$source" -o "$out"
  sed -i 's#^\(\t\.file\t[0-9]* "\)[^"]*/#\1#' "$out"
}

compile inlined.cu sm_80 -lineinfo
compile inlined.cu sm_120 -lineinfo
compile control.cu sm_75 -lineinfo
compile control.cu sm_90
compile data.cu sm_89
compile debug.cu sm_90 -G
compile tensor.cu sm_80 -lineinfo
compile groups.cu sm_90 -lineinfo -diag-suppress=20054
compile groups.cu sm_100 -diag-suppress=20054
compile block_algorithms.cu sm_90 -lineinfo
