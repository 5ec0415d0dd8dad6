# What gpuprobe is built with. The CUDA toolkit is the one prerequisite that the set-up does not install.
find_package(CUDAToolkit 12.6 QUIET)
if(NOT CUDAToolkit_FOUND)
  message(FATAL_ERROR
    "gpuprobe needs the CUDA toolkit 12.6 or newer (NVRTC and CUPTI headers); none was found.\n"
    "Get it from https://developer.nvidia.com/cuda-downloads, or point to an existing one with\n"
    "  -DCUDAToolkit_ROOT=/path/to/cuda")
endif()
find_path(CUPTI_INCLUDE_DIR cupti_range_profiler.h
  HINTS ${CUDAToolkit_INCLUDE_DIRS} ${CUDAToolkit_ROOT}/extras/CUPTI/include
        ${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/include ${CUDAToolkit_BIN_DIR}/../extras/CUPTI/include)
if(NOT CUPTI_INCLUDE_DIR)
  message(FATAL_ERROR
    "The CUDA toolkit at ${CUDAToolkit_BIN_DIR} has no CUPTI Range Profiler (cupti_range_profiler.h).\n"
    "Install the toolkit's CUPTI component, version 12.6 or newer: https://developer.nvidia.com/cuda-downloads")
endif()

find_package(Threads REQUIRED)
find_package(CLI11 REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tl-expected REQUIRED)
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)  # header-only use

# One static library made of fmt's own headers: cmake/fmt_static.cpp says why.
find_path(FMT_INCLUDE_DIR fmt/format-inl.h REQUIRED)
add_library(gpuprobe_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt_static.cpp)
target_include_directories(gpuprobe_fmt SYSTEM PUBLIC ${FMT_INCLUDE_DIR})

# libelf and what it needs, linked statically, so that the binary also runs where they are not installed.
find_path(LIBELF_INCLUDE_DIR libelf.h)
find_library(LIBELF_STATIC libelf.a)
find_library(LIBZ_STATIC libz.a)
find_library(LIBZSTD_STATIC libzstd.a)  # elfutils from 0.189 on
if(NOT LIBELF_INCLUDE_DIR OR NOT LIBELF_STATIC OR NOT LIBZ_STATIC)
  message(FATAL_ERROR "gpuprobe needs the static libelf and zlib; install libelf-dev and zlib1g-dev.")
endif()
add_library(gpuprobe_libelf INTERFACE)
target_include_directories(gpuprobe_libelf SYSTEM INTERFACE ${LIBELF_INCLUDE_DIR})
target_link_libraries(gpuprobe_libelf INTERFACE ${LIBELF_STATIC} ${LIBZ_STATIC})
if(LIBZSTD_STATIC)
  target_link_libraries(gpuprobe_libelf INTERFACE ${LIBZSTD_STATIC})
endif()

# Compiler flags of everything in this project.
add_library(gpuprobe_flags INTERFACE)
target_compile_options(gpuprobe_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
  -Wno-missing-field-initializers)  # the nouns of src/core are aggregates whose members have defaults
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(gpuprobe_flags INTERFACE -Wno-restrict)  # GCC bug 105651: false alarm on operator+
endif()
if(GPUPROBE_WERROR)
  target_compile_options(gpuprobe_flags INTERFACE -Werror)
endif()
if(GPUPROBE_SANITIZE)
  target_compile_options(gpuprobe_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(gpuprobe_flags INTERFACE -fsanitize=address,undefined)
else()
  target_link_options(gpuprobe_flags INTERFACE -static-libstdc++ -static-libgcc)
endif()
if(GPUPROBE_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "GPUPROBE_FUZZERS needs clang (libFuzzer); configure with -DCMAKE_CXX_COMPILER=clang++ or --preset fuzz")
  endif()
  target_compile_options(gpuprobe_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(GPUPROBE_COVERAGE)
  target_compile_options(gpuprobe_flags INTERFACE --coverage)
  target_link_options(gpuprobe_flags INTERFACE --coverage)
endif()
