# Shared by the scripts of this folder: what gpuprobe needs on a Debian or Ubuntu machine, and how to get it.
# shellcheck shell=bash disable=SC2034  # the lists are used by the scripts that read this file

build_packages=(g++ cmake ninja-build libcli11-dev libspdlog-dev libfmt-dev nlohmann-json3-dev libexpected-dev
  libtomlplusplus-dev libelf-dev)
test_packages=(libgtest-dev libgmock-dev librapidcheck-dev openmpi-bin)
lint_packages=(clang-format-14 clang-tidy-14 shellcheck)

say() { printf '\n== %s\n' "$*" >&2; }
die() {
  printf 'error: %s\n' "$1" >&2
  shift
  printf '       %s\n' "$@" >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; return; fi
  command -v sudo >/dev/null || die "installing packages needs root, and there is no sudo" \
    "run this as root, or install by hand: $*"
  sudo "$@"
}

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null)" = "ii " ]; }

# install_missing PACKAGE...: only what is not there yet; nothing at all if everything is.
install_missing() {
  command -v dpkg-query >/dev/null || die "this is no Debian or Ubuntu machine (no dpkg)" \
    "install these by hand, then build with cmake --preset ci: $*"
  local missing=() package
  for package in "$@"; do is_installed "$package" || missing+=("$package"); done
  [ "${#missing[@]}" -gt 0 ] || return 0
  say "installing ${missing[*]}"
  as_root apt-get -q update >&2
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends "${missing[@]}" >&2
}

# find_cuda: prints the root of a CUDA toolkit with NVRTC and the CUPTI Range Profiler (12.6 or newer).
find_cuda() {
  local nvcc candidate
  nvcc=$(command -v nvcc || true)
  [ -z "$nvcc" ] || nvcc=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
  for candidate in "${CUDAToolkit_ROOT:-}" "${CUDA_PATH:-}" "${CUDA_HOME:-}" "$nvcc" /usr/local/cuda \
    /usr/local/cuda-* /opt/cuda; do
    [ -n "$candidate" ] || continue
    [ -f "$candidate/include/nvrtc.h" ] || continue
    if [ -f "$candidate/extras/CUPTI/include/cupti_range_profiler.h" ] ||
      [ -f "$candidate/include/cupti_range_profiler.h" ]; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  die "there is no CUDA toolkit 12.6 or newer (NVRTC and the CUPTI Range Profiler headers)" \
    "it is the one thing that this script does not install: get it from" \
    "https://developer.nvidia.com/cuda-downloads (no GPU and no driver needed to build)," \
    "or point to an existing one: CUDAToolkit_ROOT=/path/to/cuda $0"
}

# configure [CMAKE OPTION...]: the ci preset in build/ci, with ccache if there is one. Headers are precompiled, which
# takes a quarter off the time, unless warnings are errors: then a missing #include shall show.
configure() {
  local cuda launcher=() headers=ON
  cuda=$(find_cuda)
  command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  case " $* " in *GPUPROBE_WERROR=ON*) headers=OFF ;; esac
  cmake --preset ci -DCUDAToolkit_ROOT="$cuda" -DGPUPROBE_PCH="$headers" "${launcher[@]}" "$@" >&2
}

# What ccache must overlook to keep objects that use a precompiled header (its manual, "Precompiled headers").
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
